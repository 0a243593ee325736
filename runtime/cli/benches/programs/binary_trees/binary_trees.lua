local DEPTH, LEAST = 18, 4

local function size(node)
    local total = 1
    if node.left then total = total + size(node.left) end
    if node.right then total = total + size(node.right) end
    return total
end

local function tree(depth)
    if depth == 0 then return { left = nil, right = nil } end
    return { left = tree(depth - 1), right = tree(depth - 1) }
end

print(string.format("stretch tree of depth %d: %d", DEPTH + 1, size(tree(DEPTH + 1))))
local lasting = tree(DEPTH)
for depth = LEAST, DEPTH, 2 do
    local count, total = 2 ^ (DEPTH - depth + LEAST), 0
    for _ = 1, count do total = total + size(tree(depth)) end
    print(string.format("%d trees of depth %d: %d", count, depth, total))
end
print(string.format("lasting tree of depth %d: %d", DEPTH, size(lasting)))
