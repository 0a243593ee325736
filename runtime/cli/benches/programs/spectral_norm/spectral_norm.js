const SIZE = 1000;

// `(i + j) * (i + j + 1)` is even, so the division is exact also on floats.
function entry(i, j) {
    return 1.0 / ((i + j) * (i + j + 1) / 2 + i + 1);
}

function times(v) {
    const product = new Float64Array(SIZE);
    for (let i = 0; i < SIZE; i++) {
        let sum = 0;
        for (let j = 0; j < SIZE; j++) sum += entry(i, j) * v[j];
        product[i] = sum;
    }
    return product;
}

function timesTransposed(v) {
    const product = new Float64Array(SIZE);
    for (let i = 0; i < SIZE; i++) {
        let sum = 0;
        for (let j = 0; j < SIZE; j++) sum += entry(j, i) * v[j];
        product[i] = sum;
    }
    return product;
}

let u = new Float64Array(SIZE).fill(1.0), v;
for (let i = 0; i < 10; i++) {
    v = timesTransposed(times(u));
    u = timesTransposed(times(v));
}
let uv = 0, vv = 0;
for (let i = 0; i < SIZE; i++) {
    uv += u[i] * v[i];
    vv += v[i] * v[i];
}
console.log(Math.sqrt(uv / vv).toFixed(9));
