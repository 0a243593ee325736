"""The same with cffi, in its mode without a C compiler."""
import sys

import cffi

ffi = cffi.FFI()
ffi.cdef("int64_t step(int64_t x);")
step = ffi.dlopen("./libbench.so").step
x = 0
for _ in range(int(sys.argv[1])):
    x = step(x) & 0xFFFF
print(x)
