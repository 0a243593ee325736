//! Random loops over arrays: elements beside the counter, arrays that share their memory, tables, stores that the next turn loads, ways that only
//! some turns take, ends before the last turn, and loops of a few turns in others.
//!
//! A function prints what its loop left, also after an index that is not inside or a sum that overflows; so a store that an optimization does too
//! early, too late or not at all shows. Next: `passes/unchecked` and `passes/unroll.rs` of the middle form, which change such loops.

use std::fmt::Write;

/// Functions of a program.
const FUNCTIONS: usize = 12;

/// Pseudo-random choices (xorshift).
struct Choices(u64);

impl Choices {
    fn number(&mut self, below: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % below
    }

    fn of<'c>(&mut self, choices: &[&'c str]) -> &'c str {
        choices[self.number(choices.len() as u64) as usize]
    }

    fn percent(&mut self, part: u64) -> bool {
        self.number(100) < part
    }

    fn index(&mut self) -> &'static str {
        self.of(&[
            "i", "i", "i", "i + 1", "i + 1", "i - 1", "i - 1", "i + 2", "i - 3", "2 * i", "0", "4",
            "k", "i + k",
        ])
    }

    fn element(&mut self, tables: bool) -> String {
        let array = match tables {
            true => self.of(&["a", "t[1]", "t[j]", "t[i % 3]"]),
            false => self.of(&["a", "b", "c"]),
        };
        let index = self.index();
        format!("{array}[{index}]")
    }

    fn value(&mut self, tables: bool, depth: u32) -> String {
        if depth == 0 || self.percent(65) {
            return match self.number(10) {
                0 => self.of(&["0", "1", "3", "k"]).to_owned(),
                1 => "s".to_owned(),
                _ => self.element(tables),
            };
        }
        let (a, b) = (self.value(tables, depth - 1), self.value(tables, depth - 1));
        match self.number(6) {
            0 => format!("max({a}, {b})"),
            1 => format!("min({a}, {b})"),
            2 => format!("({a} - {b})"),
            3 => format!("({a} * 3 + {b})"),
            _ => format!("({a} + {b})"),
        }
    }

    fn statements(&mut self, tables: bool, indent: &str, depth: u32, out: &mut String) {
        for _ in 0..1 + self.number(3) {
            let value = self.value(tables, 2);
            let inner = format!("{indent}    ");
            match self.number(20) {
                0..=9 => {
                    let place = self.element(tables);
                    let _ = writeln!(out, "{indent}{place} = {value} % 1009");
                }
                10 | 11 => {
                    // Without a remainder a sum grows until it overflows.
                    let place = self.element(tables);
                    let _ = writeln!(out, "{indent}{place} = {place} * 5 + {value}");
                }
                12 | 13 => {
                    let _ = writeln!(out, "{indent}s = (s + {value}) % 10007");
                }
                14..=16 if depth > 0 => {
                    let other = self.value(tables, 1);
                    let op = self.of(&["<", "==", ">=", "!="]);
                    let _ = writeln!(out, "{indent}if {value} {op} {other}:");
                    self.statements(tables, &inner, depth - 1, out);
                    if self.percent(50) {
                        let _ = writeln!(out, "{indent}else:");
                        self.statements(tables, &inner, depth - 1, out);
                    }
                }
                17 if depth > 0 => {
                    let turns = self.of(&["0..1", "0..3", "1..5", "0..k", "-1..2"]);
                    let place = self.of(&["a[i + e]", "a[i - e]", "a[e]", "a[i]"]);
                    let _ = writeln!(out, "{indent}for e in {turns}:");
                    if self.percent(30) {
                        let _ = writeln!(out, "{inner}if e == 1: continue");
                    }
                    let _ = writeln!(out, "{inner}{place} = ({place} + {value} + e) % 1013");
                }
                18 => {
                    let by = self.of(&["2", "4", "7"]);
                    let _ = writeln!(out, "{indent}if s % {by} == 0: s += 1");
                }
                _ => {
                    let end = self.of(&["break", "continue"]);
                    let _ = writeln!(out, "{indent}s += 1\n{indent}if s % 8 == 5: {end}");
                }
            }
        }
    }
}

/// A program of such functions.
pub fn program(seed: u64) -> String {
    let mut choices = Choices(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    let mut text = String::new();
    let mut calls = String::new();
    for number in 0..FUNCTIONS {
        let tables = choices.percent(35);
        let length = choices.of(&["0", "3", "5", "9", "12", "17", "30"]);
        let _ = writeln!(text, "fn f{number}(n: i64):");
        text.push_str("    var a = [x * 7 % 23 - 5 for x in 0..n]\n");
        if tables {
            text.push_str("    var t = [[x * y % 31 for x in 0..n] for y in 0..3]\n");
        } else {
            let b = choices.of(&["a", "[x * 5 % 19 for x in 0..n]"]);
            let c = choices.of(&["a", "b", "[x * 11 % 29 for x in 0..n + 2]"]);
            let _ = writeln!(text, "    var b = {b}\n    var c = {c}");
        }
        let (j, k) = (choices.number(3), choices.number(3));
        let _ = writeln!(
            text,
            "    var s = 1\n    val j = {j}\n    val k = {k}\n    try:"
        );
        let (low, high) = (
            choices.of(&["0", "1", "1", "2", "3"]),
            choices.of(&["n", "n - 1", "n - 1", "n - 2", "n - 3", "n + 1"]),
        );
        let _ = match choices.number(4) {
            0 => writeln!(text, "        for i in {low}..{high}:"),
            1 => writeln!(text, "        for i in {high} - 1..{high} + 2:"),
            2 => writeln!(
                text,
                "        var i = {low} - 1\n        while i + 1 < {high}:\n            i += 1"
            ),
            _ => writeln!(
                text,
                "        var i = {high}\n        while i > {low}:\n            i -= 1"
            ),
        };
        choices.statements(tables, "            ", 1, &mut text);
        text.push_str("    catch e: print e\n");
        let left = if tables { "s, a, t" } else { "s, a, b, c" };
        let _ = writeln!(text, "    print {left}, j + k");
        let _ = writeln!(calls, "    f{number}({length})");
    }
    format!("#![allow(unused_variable)]\n{text}fn main():\n{calls}")
}
