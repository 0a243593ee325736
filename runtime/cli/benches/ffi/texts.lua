-- The same with LuaJIT's FFI.
local ffi = require("ffi")
local bit = require("bit")
ffi.cdef("int64_t ends(const char *text);")
local lib = ffi.load("./libbench.so")
local texts = {[0] = "abcdefghijklmnop", "ponmlkjihgfedcba"}
local sum = 0
for i = 1, tonumber(arg[1]) do
    sum = bit.band(sum + tonumber(lib.ends(texts[bit.band(sum, 1)])), 0xFFFF)
end
print(sum)
