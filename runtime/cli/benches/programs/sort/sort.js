const COUNT = 5000000;

// The low 31 bits of the product: `Math.imul` keeps 32.
let state = 42;
const numbers = [];
for (let i = 0; i < COUNT; i++) {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    numbers.push(state);
}
numbers.sort((a, b) => a - b);
let check = 0;
for (let i = 0; i < COUNT; i++) check = (check * 31 + numbers[i]) % 1000000007;
console.log(numbers[0], numbers[COUNT - 1], check);
