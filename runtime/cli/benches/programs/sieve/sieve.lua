local LIMIT = 10000000

local composite = {}
for i = 1, LIMIT do composite[i] = false end
local count = 0
for i = 2, LIMIT do
    if not composite[i] then
        count = count + 1
        for multiple = i * i, LIMIT, i do composite[multiple] = true end
    end
end
print(count)
