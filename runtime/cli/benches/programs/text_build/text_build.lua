local COUNT = 10000000

local letters = "abcdefghijklmnopqrstuvwxyz"
local parts = {}
for i = 0, COUNT - 1 do
    local at = i * 7 % 26 + 1
    parts[i + 1] = letters:sub(at, at)
end
local built = table.concat(parts)
print(#built .. " " .. built:sub(1, 12) .. " " .. built:sub(-12))
