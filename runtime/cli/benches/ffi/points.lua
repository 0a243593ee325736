-- The same with LuaJIT's FFI, which does not compile such calls.
local ffi = require("ffi")
ffi.cdef("typedef struct { double x, y; } point; point turn(point p);")
local lib = ffi.load("./libbench.so")
local p = ffi.new("point", 0.25, 0.5)
for i = 1, tonumber(arg[1]) do
    p = lib.turn(p)
end
print(string.format("%.2f %.2f", p.x, p.y))
