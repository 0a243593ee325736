local file = assert(io.open(arg[1]))
local content = file:read("*a")
file:close()
local counts = {}
for line in content:gmatch("[^\n]+") do
    for word in line:gmatch("%S+") do counts[word] = (counts[word] or 0) + 1 end
end
local best, most, total, different = "", 0, 0, 0
for word, count in pairs(counts) do
    different = different + 1
    total = total + count
    if count > most or (count == most and word < best) then
        best, most = word, count
    end
end
print(string.format("%d %d %s %d", different, total, best, most))
