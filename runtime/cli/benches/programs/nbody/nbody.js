const SOLAR_MASS = 4.0 * Math.PI * Math.PI;
const DAYS = 365.24;
const STEPS = 5000000;

class Body {
    constructor(x, y, z, vx, vy, vz, mass) {
        this.x = x;
        this.y = y;
        this.z = z;
        this.vx = vx;
        this.vy = vy;
        this.vz = vz;
        this.mass = mass;
    }
}

const bodies = [
    new Body(0, 0, 0, 0, 0, 0, SOLAR_MASS),
    new Body(4.84143144246472090, -1.16032004402742839, -0.103622044471123109, 0.00166007664274403694 * DAYS, 0.00769901118419740425 * DAYS, -0.0000690460016972063023 * DAYS, 0.000954791938424326609 * SOLAR_MASS),
    new Body(8.34336671824457987, 4.12479856412430479, -0.403523417114321381, -0.00276742510726411161 * DAYS, 0.00499852801234917238 * DAYS, 0.0000230417297573763929 * DAYS, 0.000285885980666130812 * SOLAR_MASS),
    new Body(12.8943695621391310, -15.1111514016986312, -0.223307578892655734, 0.00296460137564761618 * DAYS, 0.00237847173959480950 * DAYS, -0.0000296589568540237556 * DAYS, 0.0000436624404335156298 * SOLAR_MASS),
    new Body(15.3796971148509165, -25.9193146099879641, 0.179258772950371181, 0.00268067772490389322 * DAYS, 0.00162824170038242295 * DAYS, -0.0000951592254519715870 * DAYS, 0.0000515138902046611451 * SOLAR_MASS),
];

function offsetMomentum() {
    const sun = bodies[0];
    for (const b of bodies) {
        sun.vx -= b.vx * b.mass / SOLAR_MASS;
        sun.vy -= b.vy * b.mass / SOLAR_MASS;
        sun.vz -= b.vz * b.mass / SOLAR_MASS;
    }
}

function energy() {
    let total = 0;
    for (let i = 0; i < bodies.length; i++) {
        const a = bodies[i];
        total += 0.5 * a.mass * (a.vx * a.vx + a.vy * a.vy + a.vz * a.vz);
        for (let j = i + 1; j < bodies.length; j++) {
            const b = bodies[j];
            const dx = a.x - b.x, dy = a.y - b.y, dz = a.z - b.z;
            total -= a.mass * b.mass / Math.sqrt(dx * dx + dy * dy + dz * dz);
        }
    }
    return total;
}

function advance(dt) {
    for (let i = 0; i < bodies.length; i++) {
        const a = bodies[i];
        for (let j = i + 1; j < bodies.length; j++) {
            const b = bodies[j];
            const dx = a.x - b.x, dy = a.y - b.y, dz = a.z - b.z;
            const square = dx * dx + dy * dy + dz * dz;
            const force = dt / (square * Math.sqrt(square));
            a.vx -= dx * b.mass * force;
            a.vy -= dy * b.mass * force;
            a.vz -= dz * b.mass * force;
            b.vx += dx * a.mass * force;
            b.vy += dy * a.mass * force;
            b.vz += dz * a.mass * force;
        }
    }
    for (const b of bodies) {
        b.x += dt * b.vx;
        b.y += dt * b.vy;
        b.z += dt * b.vz;
    }
}

offsetMomentum();
console.log(energy().toFixed(9));
for (let i = 0; i < STEPS; i++) advance(0.01);
console.log(energy().toFixed(9));
