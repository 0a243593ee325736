local ffi = require("ffi")
local COUNT = 5000000

-- `state * 1103515245` needs more than 53 bits.
local state = ffi.new("int64_t", 42)
local numbers = {}
for i = 1, COUNT do
    state = (state * 1103515245 + 12345) % 2147483648
    numbers[i] = tonumber(state)
end
table.sort(numbers)
local check = 0
for i = 1, COUNT do check = (check * 31 + numbers[i]) % 1000000007 end
print(string.format("%d %d %d", numbers[1], numbers[COUNT], check))
