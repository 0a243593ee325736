-- The same loop as main.rs compiles, on LuaJIT's FFI: luajit call.lua <library> <calls>
local ffi = require("ffi")
ffi.cdef("int64_t bench_add_one(int64_t x);")
local library = ffi.load(arg[1])
local calls = tonumber(arg[2])
local add_one = library.bench_add_one

local function loop(n)
  local x = 0LL
  for _ = 1, n do
    x = library.bench_add_one(x)
  end
  return x
end

loop(1000)
local start = os.clock()
local x = loop(calls)
local seconds = os.clock() - start
assert(x == ffi.cast("int64_t", calls))
print(seconds)
