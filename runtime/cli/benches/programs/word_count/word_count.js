const fs = require("fs");

const counts = new Map();
for (const line of fs.readFileSync(process.argv[2], "utf8").split("\n")) {
    if (line === "") continue;
    for (const word of line.split(" ")) counts.set(word, (counts.get(word) || 0) + 1);
}
let best = "", most = 0, total = 0;
for (const [word, count] of counts) {
    total += count;
    if (count > most || (count === most && word < best)) {
        best = word;
        most = count;
    }
}
console.log(counts.size, total, best, most);
