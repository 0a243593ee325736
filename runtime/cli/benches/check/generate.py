#!/usr/bin/env python3
"""Writes a program of many modules for timing `simple check`.

    generate.py FOLDER [LINES]

`LINES` (100,000 unless given) lines in modules of about 500: structs, enums, classes, generic functions, matches, loops, texts and
closures, each module using two others. `FOLDER/main.spl` is the root. The same on every machine.
"""
import pathlib
import sys

MODULE = '''"""Module {n} of a generated program."""
{uses}
struct Point{n}:
    x: i64
    y: i64 = {n}
    fn length2() -> i64: x * x + y * y
    fn moved(dx: i64, dy: i64) -> Point{n}: Point{n}(x: x + dx, y: y + dy)

enum Shape{n}:
    Circle(f64)
    Rect(w: f64, h: f64)
    Named(name: text, sides: i64)
    Empty

class Counter{n}:
    count: i64
    names: [text]
    fn add(name: text):
        count += 1
        names.push(name)
    fn describe() -> text: "{{count}} of {{names.len()}}"

fn area{n}(s: Shape{n}) -> f64:
    match s:
        case Circle(r): 3.14 * r * r
        case Rect(w, h): w * h
        case Named(name, sides): name.len() as f64 * sides as f64
        case Empty: 0.0

fn first_or{n}<T>(xs: [T], otherwise: T) -> T:
    if xs.is_empty(): otherwise else: xs[0]

'''
FUNCTION = '''fn work{n}_{k}(limit: i64, scale: f64) -> i64:
    val points = [Point{n}(x: i, y: i * 2) for i in 0..limit]
    var total = {k}
    for p in points:
        if p.x % 2 == 0: total += p.length2() else: total -= p.moved(1, {k}).y
    val counter = Counter{n}(count: 0, names: [])
    while total > 1000:
        counter.add("n{{total}}")
        total /= 2
    val shapes = [Shape{n}.Circle(scale), Shape{n}.Rect(w: 2.0, h: scale), Shape{n}.Empty]
    var sum = 0.0
    for s in shapes: sum += area{n}(s)
    val pick = \\(a: i64, b: i64) -> i64: if a > b: a else: b
    val label: text? = if total > {k}: counter.describe() else: nil
    if val found = label: total += found.len()
    pick(total, first_or{n}([sum as i64, {k}], 0)){calls}

'''


def module(n, count, lines):
    others = [(n * 7 + 3) % count, (n * 13 + 5) % count]
    others = [other for other in dict.fromkeys(others) if other < n]
    text = MODULE.format(n=n, uses="".join(f"use part{other}.{{work{other}_0}}\n" for other in others))
    k = 0
    while text.count("\n") < lines:
        calls = f" + work{others[k % len(others)]}_0(limit - 1, scale)" if others else ""
        text += FUNCTION.format(n=n, k=k, calls=calls)
        k += 1
    return text


def main():
    folder = pathlib.Path(sys.argv[1])
    lines = int(sys.argv[2]) if len(sys.argv) > 2 else 100_000
    folder.mkdir(parents=True, exist_ok=True)
    count = max(lines // 500, 1)
    total = 0
    for n in range(count):
        text = module(n, count, lines // count)
        total += text.count("\n")
        (folder / f"part{n}.spl").write_text(text)
    root = "".join(f"use part{n}.{{work{n}_0}}\n" for n in range(count))
    root += "\nfn main():\n" + "".join(f"    print work{n}_0(3, 1.5)\n" for n in range(count))
    (folder / "main.spl").write_text(root)
    print(f"{total + root.count(chr(10))} lines in {count + 1} modules")


main()
