"""The same with ctypes, whose C strings are made of bytes."""
import ctypes
import sys

ends = ctypes.CDLL("./libbench.so").ends
ends.argtypes, ends.restype = [ctypes.c_char_p], ctypes.c_int64
texts = ["abcdefghijklmnop", "ponmlkjihgfedcba"]
sum = 0
for _ in range(int(sys.argv[1])):
    sum = (sum + ends(texts[sum & 1].encode())) & 0xFFFF
print(sum)
