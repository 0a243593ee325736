#include <math.h>
#include <stdio.h>

#define PI 3.141592653589793
#define SOLAR_MASS (4.0 * PI * PI)
#define DAYS 365.24
#define STEPS 5000000
#define COUNT 5

typedef struct {
    double x, y, z, vx, vy, vz, mass;
} Body;

static Body bodies[COUNT] = {
    {0, 0, 0, 0, 0, 0, SOLAR_MASS},
    {4.84143144246472090, -1.16032004402742839, -0.103622044471123109,
     0.00166007664274403694 * DAYS, 0.00769901118419740425 * DAYS, -0.0000690460016972063023 * DAYS,
     0.000954791938424326609 * SOLAR_MASS},
    {8.34336671824457987, 4.12479856412430479, -0.403523417114321381,
     -0.00276742510726411161 * DAYS, 0.00499852801234917238 * DAYS, 0.0000230417297573763929 * DAYS,
     0.000285885980666130812 * SOLAR_MASS},
    {12.8943695621391310, -15.1111514016986312, -0.223307578892655734,
     0.00296460137564761618 * DAYS, 0.00237847173959480950 * DAYS, -0.0000296589568540237556 * DAYS,
     0.0000436624404335156298 * SOLAR_MASS},
    {15.3796971148509165, -25.9193146099879641, 0.179258772950371181,
     0.00268067772490389322 * DAYS, 0.00162824170038242295 * DAYS, -0.0000951592254519715870 * DAYS,
     0.0000515138902046611451 * SOLAR_MASS},
};

static void offset_momentum(void) {
    for (int i = 0; i < COUNT; i++) {
        Body *b = &bodies[i];
        bodies[0].vx -= b->vx * b->mass / SOLAR_MASS;
        bodies[0].vy -= b->vy * b->mass / SOLAR_MASS;
        bodies[0].vz -= b->vz * b->mass / SOLAR_MASS;
    }
}

static double energy(void) {
    double total = 0;
    for (int i = 0; i < COUNT; i++) {
        Body *a = &bodies[i];
        total += 0.5 * a->mass * (a->vx * a->vx + a->vy * a->vy + a->vz * a->vz);
        for (int j = i + 1; j < COUNT; j++) {
            Body *b = &bodies[j];
            double dx = a->x - b->x, dy = a->y - b->y, dz = a->z - b->z;
            total -= a->mass * b->mass / sqrt(dx * dx + dy * dy + dz * dz);
        }
    }
    return total;
}

static void advance(double dt) {
    for (int i = 0; i < COUNT; i++) {
        Body *a = &bodies[i];
        for (int j = i + 1; j < COUNT; j++) {
            Body *b = &bodies[j];
            double dx = a->x - b->x, dy = a->y - b->y, dz = a->z - b->z;
            double square = dx * dx + dy * dy + dz * dz;
            double force = dt / (square * sqrt(square));
            a->vx -= dx * b->mass * force;
            a->vy -= dy * b->mass * force;
            a->vz -= dz * b->mass * force;
            b->vx += dx * a->mass * force;
            b->vy += dy * a->mass * force;
            b->vz += dz * a->mass * force;
        }
    }
    for (int i = 0; i < COUNT; i++) {
        Body *b = &bodies[i];
        b->x += dt * b->vx;
        b->y += dt * b->vy;
        b->z += dt * b->vz;
    }
}

int main(void) {
    offset_momentum();
    printf("%.9f\n", energy());
    for (int i = 0; i < STEPS; i++) advance(0.01);
    printf("%.9f\n", energy());
    return 0;
}
