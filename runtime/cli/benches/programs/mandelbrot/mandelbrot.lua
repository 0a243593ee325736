local SIZE, LIMIT = 2000, 50

local function belongs(cr, ci)
    local zr, zi = 0.0, 0.0
    for _ = 1, LIMIT do
        local r2, i2 = zr * zr, zi * zi
        if r2 + i2 > 4.0 then return false end
        zi = 2.0 * zr * zi + ci
        zr = r2 - i2 + cr
    end
    return true
end

local inside = 0
for y = 0, SIZE - 1 do
    local ci = 2.0 * y / SIZE - 1.0
    for x = 0, SIZE - 1 do
        if belongs(2.0 * x / SIZE - 1.5, ci) then inside = inside + 1 end
    end
end
print(inside)
