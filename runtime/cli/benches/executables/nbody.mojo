# The orbits of the outer planets in 5 million steps, as `programs/nbody/nbody.spl` computes them.
from std.math import pi, sqrt

comptime SOLAR_MASS = 4.0 * pi * pi
comptime DAYS = 365.24
comptime STEPS = 5_000_000


@fieldwise_init
struct Body(Copyable, Movable, ImplicitlyCopyable):
    var x: Float64
    var y: Float64
    var z: Float64
    var vx: Float64
    var vy: Float64
    var vz: Float64
    var mass: Float64


def solar_system() -> List[Body]:
    return [
        Body(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, SOLAR_MASS),
        Body(
            4.84143144246472090, -1.16032004402742839, -0.103622044471123109,
            0.00166007664274403694 * DAYS, 0.00769901118419740425 * DAYS, -0.0000690460016972063023 * DAYS,
            0.000954791938424326609 * SOLAR_MASS,
        ),
        Body(
            8.34336671824457987, 4.12479856412430479, -0.403523417114321381,
            -0.00276742510726411161 * DAYS, 0.00499852801234917238 * DAYS, 0.0000230417297573763929 * DAYS,
            0.000285885980666130812 * SOLAR_MASS,
        ),
        Body(
            12.8943695621391310, -15.1111514016986312, -0.223307578892655734,
            0.00296460137564761618 * DAYS, 0.00237847173959480950 * DAYS, -0.0000296589568540237556 * DAYS,
            0.0000436624404335156298 * SOLAR_MASS,
        ),
        Body(
            15.3796971148509165, -25.9193146099879641, 0.179258772950371181,
            0.00268067772490389322 * DAYS, 0.00162824170038242295 * DAYS, -0.0000951592254519715870 * DAYS,
            0.0000515138902046611451 * SOLAR_MASS,
        ),
    ]


def offset_momentum(mut bodies: List[Body]):
    for i in range(len(bodies)):
        var b = bodies[i]
        bodies[0].vx -= b.vx * b.mass / SOLAR_MASS
        bodies[0].vy -= b.vy * b.mass / SOLAR_MASS
        bodies[0].vz -= b.vz * b.mass / SOLAR_MASS


def energy(bodies: List[Body]) -> Float64:
    var total = Float64(0.0)
    for i in range(len(bodies)):
        ref a = bodies[i]
        total += 0.5 * a.mass * (a.vx * a.vx + a.vy * a.vy + a.vz * a.vz)
        for j in range(i + 1, len(bodies)):
            ref b = bodies[j]
            var dx = a.x - b.x
            var dy = a.y - b.y
            var dz = a.z - b.z
            total -= a.mass * b.mass / sqrt(dx * dx + dy * dy + dz * dz)
    return total


def advance(mut bodies: List[Body], dt: Float64):
    for i in range(len(bodies)):
        for j in range(i + 1, len(bodies)):
            var dx = bodies[i].x - bodies[j].x
            var dy = bodies[i].y - bodies[j].y
            var dz = bodies[i].z - bodies[j].z
            var square = dx * dx + dy * dy + dz * dz
            var force = dt / (square * sqrt(square))
            var mass = bodies[i].mass
            var other = bodies[j].mass
            bodies[i].vx -= dx * other * force
            bodies[i].vy -= dy * other * force
            bodies[i].vz -= dz * other * force
            bodies[j].vx += dx * mass * force
            bodies[j].vy += dy * mass * force
            bodies[j].vz += dz * mass * force
    for i in range(len(bodies)):
        bodies[i].x += dt * bodies[i].vx
        bodies[i].y += dt * bodies[i].vy
        bodies[i].z += dt * bodies[i].vz


def main():
    var bodies = solar_system()
    offset_momentum(bodies)
    print(energy(bodies))
    for _ in range(STEPS):
        advance(bodies, 0.01)
    print(energy(bodies))
