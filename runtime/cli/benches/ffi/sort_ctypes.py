"""The same with ctypes."""
import ctypes
import sys

count = int(sys.argv[1])
libc = ctypes.CDLL(None)
Address = ctypes.POINTER(ctypes.c_int64)
Comparison = ctypes.CFUNCTYPE(ctypes.c_int, Address, Address)
libc.qsort.argtypes, libc.qsort.restype = [Address, ctypes.c_size_t, ctypes.c_size_t, Comparison], None
x = 1
for turn in range(3):
    items = (ctypes.c_int64 * count)()
    for i in range(count):
        x = x * 48271 % 2147483647
        items[i] = x
    sign = -1 if turn == 1 else 1

    def compare(a, b):
        a, b = a[0] * sign, b[0] * sign
        return -1 if a < b else a > b

    libc.qsort(items, count, 8, Comparison(compare))
    print(items[0], items[count - 1])
