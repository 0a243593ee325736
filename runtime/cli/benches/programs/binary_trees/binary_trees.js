const DEPTH = 18, LEAST = 4;

class Node {
    constructor(left, right) {
        this.left = left;
        this.right = right;
    }

    size() {
        let total = 1;
        if (this.left) total += this.left.size();
        if (this.right) total += this.right.size();
        return total;
    }
}

function tree(depth) {
    return depth === 0 ? new Node(null, null) : new Node(tree(depth - 1), tree(depth - 1));
}

console.log(`stretch tree of depth ${DEPTH + 1}: ${tree(DEPTH + 1).size()}`);
const lasting = tree(DEPTH);
for (let depth = LEAST; depth <= DEPTH; depth += 2) {
    const count = 1 << (DEPTH - depth + LEAST);
    let total = 0;
    for (let i = 0; i < count; i++) total += tree(depth).size();
    console.log(`${count} trees of depth ${depth}: ${total}`);
}
console.log(`lasting tree of depth ${DEPTH}: ${lasting.size()}`);
