local SIZE = 1000

-- `(i + j) * (i + j + 1)` is even, so the division is exact also on floats.
local function entry(i, j)
    return 1.0 / ((i + j) * (i + j + 1) / 2 + i + 1)
end

local function times(v)
    local product = {}
    for i = 0, SIZE - 1 do
        local sum = 0.0
        for j = 0, SIZE - 1 do sum = sum + entry(i, j) * v[j + 1] end
        product[i + 1] = sum
    end
    return product
end

local function times_transposed(v)
    local product = {}
    for i = 0, SIZE - 1 do
        local sum = 0.0
        for j = 0, SIZE - 1 do sum = sum + entry(j, i) * v[j + 1] end
        product[i + 1] = sum
    end
    return product
end

local u, v = {}, nil
for i = 1, SIZE do u[i] = 1.0 end
for _ = 1, 10 do
    v = times_transposed(times(u))
    u = times_transposed(times(v))
end
local uv, vv = 0.0, 0.0
for i = 1, SIZE do
    uv = uv + u[i] * v[i]
    vv = vv + v[i] * v[i]
end
print(string.format("%.9f", math.sqrt(uv / vv)))
