const SIZE = 512;

function matrix(first) {
    const m = new Float64Array(SIZE * SIZE);
    for (let k = 0; k < m.length; k++) m[k] = first + (k % 17) * 0.25;
    return m;
}

function product(a, b) {
    const c = new Float64Array(SIZE * SIZE);
    for (let i = 0; i < SIZE; i++) {
        for (let j = 0; j < SIZE; j++) {
            let sum = 0;
            for (let k = 0; k < SIZE; k++) sum += a[i * SIZE + k] * b[k * SIZE + j];
            c[i * SIZE + j] = sum;
        }
    }
    return c;
}

const c = product(matrix(1.0), matrix(-2.0));
let trace = 0;
for (let i = 0; i < SIZE; i++) trace += c[i * SIZE + i];
console.log(trace.toFixed(4));
