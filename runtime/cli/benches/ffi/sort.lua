-- The same with LuaJIT's FFI.
local ffi = require("ffi")
ffi.cdef([[
typedef int (*comparison)(const int64_t *, const int64_t *);
void qsort(void *items, size_t count, size_t size, comparison compare);
]])
local count = tonumber(arg[1])
local x = 1
for round = 0, 2 do
    local items = ffi.new("int64_t[?]", count)
    for i = 0, count - 1 do
        x = x * 48271 % 2147483647
        items[i] = x
    end
    local sign = round == 1 and -1 or 1
    local compare = ffi.cast("comparison", function(a, b)
        local a, b = a[0] * sign, b[0] * sign
        return a < b and -1 or a > b and 1 or 0
    end)
    ffi.C.qsort(items, count, 8, compare)
    compare:free()
    print(tonumber(items[0]) .. " " .. tonumber(items[count - 1]))
end
