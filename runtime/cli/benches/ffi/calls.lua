-- The same with LuaJIT's FFI.
local ffi = require("ffi")
local bit = require("bit")
ffi.cdef("int64_t step(int64_t x);")
local lib = ffi.load(arg[1])
local x = 0LL
for i = 1, 100000000 do
    x = bit.band(lib.step(x), 0xFFFFLL)
end
print(tonumber(x))
