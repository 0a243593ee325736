local SIZE = 512

local function matrix(first)
    local m = {}
    for k = 0, SIZE * SIZE - 1 do m[k + 1] = first + (k % 17) * 0.25 end
    return m
end

local function product(a, b)
    local c = {}
    for i = 0, SIZE - 1 do
        for j = 0, SIZE - 1 do
            local sum = 0.0
            for k = 0, SIZE - 1 do sum = sum + a[i * SIZE + k + 1] * b[k * SIZE + j + 1] end
            c[#c + 1] = sum
        end
    end
    return c
end

local c = product(matrix(1.0), matrix(-2.0))
local trace = 0.0
for i = 0, SIZE - 1 do trace = trace + c[i * SIZE + i + 1] end
print(string.format("%.4f", trace))
