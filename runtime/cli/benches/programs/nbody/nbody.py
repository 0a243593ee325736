from math import pi, sqrt

SOLAR_MASS = 4.0 * pi * pi
DAYS = 365.24
STEPS = 5_000_000


class Body:
    __slots__ = ("x", "y", "z", "vx", "vy", "vz", "mass")

    def __init__(self, x, y, z, vx, vy, vz, mass):
        self.x, self.y, self.z = x, y, z
        self.vx, self.vy, self.vz = vx, vy, vz
        self.mass = mass


bodies = [
    Body(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, SOLAR_MASS),
    Body(4.84143144246472090, -1.16032004402742839, -0.103622044471123109, 0.00166007664274403694 * DAYS, 0.00769901118419740425 * DAYS, -0.0000690460016972063023 * DAYS, 0.000954791938424326609 * SOLAR_MASS),
    Body(8.34336671824457987, 4.12479856412430479, -0.403523417114321381, -0.00276742510726411161 * DAYS, 0.00499852801234917238 * DAYS, 0.0000230417297573763929 * DAYS, 0.000285885980666130812 * SOLAR_MASS),
    Body(12.8943695621391310, -15.1111514016986312, -0.223307578892655734, 0.00296460137564761618 * DAYS, 0.00237847173959480950 * DAYS, -0.0000296589568540237556 * DAYS, 0.0000436624404335156298 * SOLAR_MASS),
    Body(15.3796971148509165, -25.9193146099879641, 0.179258772950371181, 0.00268067772490389322 * DAYS, 0.00162824170038242295 * DAYS, -0.0000951592254519715870 * DAYS, 0.0000515138902046611451 * SOLAR_MASS),
]


def offset_momentum(bodies):
    sun = bodies[0]
    for b in bodies:
        sun.vx -= b.vx * b.mass / SOLAR_MASS
        sun.vy -= b.vy * b.mass / SOLAR_MASS
        sun.vz -= b.vz * b.mass / SOLAR_MASS


def energy(bodies):
    total = 0.0
    for i, a in enumerate(bodies):
        total += 0.5 * a.mass * (a.vx * a.vx + a.vy * a.vy + a.vz * a.vz)
        for b in bodies[i + 1:]:
            dx, dy, dz = a.x - b.x, a.y - b.y, a.z - b.z
            total -= a.mass * b.mass / sqrt(dx * dx + dy * dy + dz * dz)
    return total


def advance(pairs, bodies, dt):
    for a, b in pairs:
        dx = a.x - b.x
        dy = a.y - b.y
        dz = a.z - b.z
        square = dx * dx + dy * dy + dz * dz
        force = dt / (square * sqrt(square))
        a.vx -= dx * b.mass * force
        a.vy -= dy * b.mass * force
        a.vz -= dz * b.mass * force
        b.vx += dx * a.mass * force
        b.vy += dy * a.mass * force
        b.vz += dz * a.mass * force
    for b in bodies:
        b.x += dt * b.vx
        b.y += dt * b.vy
        b.z += dt * b.vz


def main():
    pairs = [(a, b) for i, a in enumerate(bodies) for b in bodies[i + 1:]]
    offset_momentum(bodies)
    print(f"{energy(bodies):.9f}")
    for _ in range(STEPS):
        advance(pairs, bodies, 0.01)
    print(f"{energy(bodies):.9f}")


main()
