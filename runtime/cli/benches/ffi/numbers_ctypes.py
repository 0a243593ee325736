"""The same with ctypes."""
import ctypes
import sys

step = ctypes.CDLL("./libbench.so").step
step.argtypes, step.restype = [ctypes.c_int64], ctypes.c_int64
x = 0
for _ in range(int(sys.argv[1])):
    x = step(x) & 0xFFFF
print(x)
