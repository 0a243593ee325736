const LIMIT = 10000000;

const composite = new Uint8Array(LIMIT + 1);
let count = 0;
for (let i = 2; i <= LIMIT; i++) {
    if (!composite[i]) {
        count++;
        for (let multiple = i * i; multiple <= LIMIT; multiple += i) composite[multiple] = 1;
    }
}
console.log(count);
