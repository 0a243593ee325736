local PI = 3.141592653589793
local SOLAR_MASS = 4.0 * PI * PI
local DAYS = 365.24
local STEPS = 5000000
local sqrt = math.sqrt

local bodies = {
    { x = 0, y = 0, z = 0, vx = 0, vy = 0, vz = 0, mass = SOLAR_MASS },
    { x = 4.84143144246472090, y = -1.16032004402742839, z = -0.103622044471123109, vx = 0.00166007664274403694 * DAYS, vy = 0.00769901118419740425 * DAYS, vz = -0.0000690460016972063023 * DAYS, mass = 0.000954791938424326609 * SOLAR_MASS },
    { x = 8.34336671824457987, y = 4.12479856412430479, z = -0.403523417114321381, vx = -0.00276742510726411161 * DAYS, vy = 0.00499852801234917238 * DAYS, vz = 0.0000230417297573763929 * DAYS, mass = 0.000285885980666130812 * SOLAR_MASS },
    { x = 12.8943695621391310, y = -15.1111514016986312, z = -0.223307578892655734, vx = 0.00296460137564761618 * DAYS, vy = 0.00237847173959480950 * DAYS, vz = -0.0000296589568540237556 * DAYS, mass = 0.0000436624404335156298 * SOLAR_MASS },
    { x = 15.3796971148509165, y = -25.9193146099879641, z = 0.179258772950371181, vx = 0.00268067772490389322 * DAYS, vy = 0.00162824170038242295 * DAYS, vz = -0.0000951592254519715870 * DAYS, mass = 0.0000515138902046611451 * SOLAR_MASS },
}
local count = #bodies

local function offset_momentum()
    local sun = bodies[1]
    for i = 1, count do
        local b = bodies[i]
        sun.vx = sun.vx - b.vx * b.mass / SOLAR_MASS
        sun.vy = sun.vy - b.vy * b.mass / SOLAR_MASS
        sun.vz = sun.vz - b.vz * b.mass / SOLAR_MASS
    end
end

local function energy()
    local total = 0.0
    for i = 1, count do
        local a = bodies[i]
        total = total + 0.5 * a.mass * (a.vx * a.vx + a.vy * a.vy + a.vz * a.vz)
        for j = i + 1, count do
            local b = bodies[j]
            local dx, dy, dz = a.x - b.x, a.y - b.y, a.z - b.z
            total = total - a.mass * b.mass / sqrt(dx * dx + dy * dy + dz * dz)
        end
    end
    return total
end

local function advance(dt)
    for i = 1, count do
        local a = bodies[i]
        for j = i + 1, count do
            local b = bodies[j]
            local dx, dy, dz = a.x - b.x, a.y - b.y, a.z - b.z
            local square = dx * dx + dy * dy + dz * dz
            local force = dt / (square * sqrt(square))
            a.vx = a.vx - dx * b.mass * force
            a.vy = a.vy - dy * b.mass * force
            a.vz = a.vz - dz * b.mass * force
            b.vx = b.vx + dx * a.mass * force
            b.vy = b.vy + dy * a.mass * force
            b.vz = b.vz + dz * a.mass * force
        end
    end
    for i = 1, count do
        local b = bodies[i]
        b.x = b.x + dt * b.vx
        b.y = b.y + dt * b.vy
        b.z = b.z + dt * b.vz
    end
end

offset_momentum()
print(string.format("%.9f", energy()))
for _ = 1, STEPS do advance(0.01) end
print(string.format("%.9f", energy()))
