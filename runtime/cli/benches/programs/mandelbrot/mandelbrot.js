const SIZE = 2000, LIMIT = 50;

function belongs(cr, ci) {
    let zr = 0, zi = 0;
    for (let i = 0; i < LIMIT; i++) {
        const r2 = zr * zr, i2 = zi * zi;
        if (r2 + i2 > 4.0) return false;
        zi = 2.0 * zr * zi + ci;
        zr = r2 - i2 + cr;
    }
    return true;
}

let inside = 0;
for (let y = 0; y < SIZE; y++) {
    const ci = 2.0 * y / SIZE - 1.0;
    for (let x = 0; x < SIZE; x++) {
        if (belongs(2.0 * x / SIZE - 1.5, ci)) inside++;
    }
}
console.log(inside);
