-- The same with LuaJIT's FFI.
local ffi = require("ffi")
local bit = require("bit")
ffi.cdef("int64_t step(int64_t x);")
local lib = ffi.load("./libbench.so")
local x = 0LL
for i = 1, tonumber(arg[1]) do
    x = bit.band(lib.step(x), 0xFFFFLL)
end
print(tonumber(x))
