//! Programs that step to the edge, and one past it, of everything that removes a check: loops up and down, ranges, tests before an
//! index, arithmetic whose bounds are known, and sums of every width at both ends.
//!
//! What each must do is worked out here, by simulation, so that a check that was removed wrongly shows also where all
//! kinds of compiling agree. Next: `passes/ranges.rs` of code generation, whose rules these are.

use super::compare::{WAYS, behaviours};
use simple_cli::session::Session;
use std::fmt::Write;

/// The longest array that functions are tried on.
const LONGEST: i64 = 4;

/// A function on an array and what it does.
struct Case {
    /// Its body, with the array `a`, its length `n` and an accumulator `sum`.
    body: String,
    /// The outcome for an array of this length.
    outcome: Box<dyn Fn(i64) -> String>,
}

/// The accumulator of a run: the sum of what was read, or the index that was not inside.
struct Run {
    len: i64,
    sum: i64,
}

impl Run {
    fn new(len: i64) -> Run {
        Run { len, sum: 1 }
    }

    /// Reads `a[index]`; negative indexes count from the end.
    fn read(&mut self, index: i64) -> Result<(), String> {
        let place = if index < 0 { index + self.len } else { index };
        if !(0..self.len).contains(&place) {
            let len = self.len;
            return Err(format!(
                "index {index} is out of range for a length of {len}"
            ));
        }
        self.sum = (self.sum * 7 + 3 * place + 11) % 10007;
        Ok(())
    }

    fn finish(self, outcome: Result<(), String>) -> String {
        outcome.map_or_else(|message| message, |()| self.sum.to_string())
    }
}

const READ: &str = "sum = (sum * 7 + a";

fn holds(op: &str, a: i64, b: i64) -> bool {
    match op {
        "<" => a < b,
        "<=" => a <= b,
        ">" => a > b,
        ">=" => a >= b,
        "==" => a == b,
        _ => a != b,
    }
}

fn plus(name: &str, by: i64) -> String {
    match by {
        0 => name.to_owned(),
        1.. => format!("{name} + {by}"),
        _ => format!("{name} - {}", -by),
    }
}

/// `while i OP n + bound`, up from `start` or down from `n + start`, in steps of `step`, reading `a[i + off]`.
fn while_loops(out: &mut Vec<Case>) {
    let near = [-1, 0, 1];
    for (up, ops) in [(true, ["<", "<=", "!="]), (false, [">", ">=", "!="])] {
        for op in ops {
            for bound in near {
                for start in near {
                    for off in near {
                        for step in [1, 2] {
                            for asked in [true, false] {
                                let len = if asked { "a.len()" } else { "n" };
                                let (from, to, sign) = if up {
                                    (start.to_string(), plus(len, bound), "+=")
                                } else {
                                    (plus(len, start), bound.to_string(), "-=")
                                };
                                let index = plus("i", off);
                                let body = format!(
                                    "    var i = {from}\n    while i {op} {to}:\n        {READ}[{index}]) % 10007\n        i {sign} {step}\n"
                                );
                                let outcome = move |len: i64| {
                                    let mut run = Run::new(len);
                                    let (mut i, end) = if up {
                                        (start, len + bound)
                                    } else {
                                        (len + start, bound)
                                    };
                                    while holds(op, i, end) {
                                        if let Err(message) = run.read(i + off) {
                                            return message;
                                        }
                                        i += if up { step } else { -step };
                                    }
                                    run.finish(Ok(()))
                                };
                                out.push(Case {
                                    body,
                                    outcome: Box::new(outcome),
                                });
                            }
                        }
                    }
                }
            }
        }
    }
}

/// `for i in start..n + bound`, `..=`, with and without steps, reading `a[i + off]` or `a[n - i + off]`.
fn for_loops(out: &mut Vec<Case>) {
    let near = [-1, 0, 1];
    for start in near {
        for bound in near {
            for off in near {
                for (inclusive, step, back) in [
                    (false, 1, false),
                    (true, 1, false),
                    (false, 2, false),
                    (false, 1, true),
                    (true, 1, true),
                ] {
                    let dots = if inclusive { "..=" } else { ".." };
                    let range = format!("{start}{dots}{}", plus("a.len()", bound));
                    let range = if step == 1 {
                        range
                    } else {
                        format!("({range}).step({step})")
                    };
                    let index = plus(if back { "n - i" } else { "i" }, off);
                    let body = format!("    for i in {range}:\n        {READ}[{index}]) % 10007\n");
                    let outcome = move |len: i64| {
                        let mut run = Run::new(len);
                        let end = len + bound + i64::from(inclusive);
                        let mut i = start;
                        while i < end {
                            let at = if back { len - i } else { i };
                            if let Err(message) = run.read(at + off) {
                                return message;
                            }
                            i += step;
                        }
                        run.finish(Ok(()))
                    };
                    out.push(Case {
                        body,
                        outcome: Box::new(outcome),
                    });
                }
            }
        }
    }
}

/// A test, in both orders and both senses, before `a[i + off]`, for every `i` near the array; with the other side tested or not.
fn tests_before(out: &mut Vec<Case>) {
    for op in ["<", "<=", ">", ">=", "==", "!="] {
        for bound in [-1, 0, 1] {
            for off in [-1, 0, 1] {
                for swapped in [false, true] {
                    for (negated, low) in [
                        (false, None),
                        (true, None),
                        (false, Some(0)),
                        (false, Some(1)),
                        (true, Some(0)),
                    ] {
                        let end = plus("n", bound);
                        let test = if swapped {
                            format!("{end} {op} i")
                        } else {
                            format!("i {op} {end}")
                        };
                        let test = if negated {
                            format!("not ({test})")
                        } else {
                            test
                        };
                        let test = low.map_or(test.clone(), |low| format!("i >= {low} and {test}"));
                        let index = plus("i", off);
                        // `i` comes from the array's neighbours, so that nothing is known about it but the test.
                        let body = format!(
                            "    for i in far(-n - 2)..far(n + 3):\n        if {test}:\n            {READ}[{index}]) % 10007\n"
                        );
                        let outcome = move |len: i64| {
                            let mut run = Run::new(len);
                            for i in -len - 2..len + 3 {
                                let end = len + bound;
                                let held = if swapped {
                                    holds(op, end, i)
                                } else {
                                    holds(op, i, end)
                                };
                                if held != negated
                                    && low.is_none_or(|low| i >= low)
                                    && let Err(message) = run.read(i + off)
                                {
                                    return message;
                                }
                            }
                            run.finish(Ok(()))
                        };
                        out.push(Case {
                            body,
                            outcome: Box::new(outcome),
                        });
                    }
                }
            }
        }
    }
}

/// Indexes whose bounds follow from arithmetic, in arrays just long enough, one too short, and empty.
fn computed(out: &mut Vec<Case>) {
    type Index = (&'static str, fn(i64, i64) -> Option<i64>);
    let indexes: [Index; 19] = [
        ("i % n", |i, n| i.checked_rem(n)),
        ("i % (n + 1)", |i, n| Some(i % (n + 1))),
        ("i & 3", |i, _| Some(i & 3)),
        ("i & 4", |i, _| Some(i & 4)),
        ("(i & 7) >> 1", |i, _| Some((i & 7) >> 1)),
        ("(i & 15) / 4", |i, _| Some((i & 15) / 4)),
        ("(i & 15) / 5", |i, _| Some((i & 15) / 5)),
        ("(i & 3) * 2 - 3", |i, _| Some((i & 3) * 2 - 3)),
        ("i % 4", |i, _| Some(i % 4)),
        ("i % 5", |i, _| Some(i % 5)),
        ("min(i, n)", |i, n| Some(i.min(n))),
        ("min(i, n - 1)", |i, n| Some(i.min(n - 1))),
        ("max(i, n - 1)", |i, n| Some(i.max(n - 1))),
        ("min(i, 3)", |i, _| Some(i.min(3))),
        ("max(i, -3)", |i, _| Some(i.max(-3))),
        ("min(max(i, -2), 1)", |i, _| Some(i.clamp(-2, 1))),
        ("max(min(i, n - 1), 0)", |i, n| Some(i.min(n - 1).max(0))),
        ("max(min(i, n), 0)", |i, n| Some(i.min(n).max(0))),
        ("(if i < n: i else: n)", |i, n| {
            Some(if i < n { i } else { n })
        }),
    ];
    for (index, value) in indexes {
        let guards = [(-9i64, "", 0), (0, "", 0), (-9, "if i >= 0: ", 0)];
        let lengths = [1, 2, 3, 4].map(|least| (0, "", least));
        for (from, guard, least) in guards.into_iter().chain(lengths) {
            let body = format!(
                "    if n < {least}: return 0\n    for i in far({from})..far(10):\n        {guard}{READ}[{index}]) % 10007\n"
            );
            let outcome = move |len: i64| {
                if len < least {
                    return "0".to_owned();
                }
                let mut run = Run::new(len);
                for i in from..10 {
                    if guard.is_empty() || i >= 0 {
                        let read = match value(i, len) {
                            Some(at) => run.read(at),
                            None => Err("division by zero".to_owned()),
                        };
                        if let Err(message) = read {
                            return message;
                        }
                    }
                }
                run.finish(Ok(()))
            };
            out.push(Case {
                body,
                outcome: Box::new(outcome),
            });
        }
    }
}

const START: &str = "fn far(n: i64) -> i64:\n    var m = n\n    if n > 1000000: m = far(n - 1)\n    m\n\
    fn shown(f: fn([i64]) -> i64, a: [i64]):\n    try:\n        print f(a)\n    catch e:\n        print e.message\n";

/// Runs cases with every kind of compilation and lists what they do wrong.
fn wrong_outcomes(session: &Session, cases: &[Case]) -> Vec<String> {
    let mut program = START.to_owned();
    for (number, case) in cases.iter().enumerate() {
        let _ = write!(
            program,
            "fn f{number}(a: [i64]) -> i64:\n    val n = a.len()\n    var sum = 1\n{}    sum + 0 * n\n",
            case.body
        );
    }
    let _ = writeln!(
        program,
        "for n in 0..={LONGEST}:\n    val a = [3 * k + 11 for k in 0..n]"
    );
    for number in 0..cases.len() {
        let _ = writeln!(program, "    shown(f{number}, a)");
    }
    let expected: Vec<(i64, &Case)> = (0..=LONGEST)
        .flat_map(|len| cases.iter().map(move |case| (len, case)))
        .collect();
    let found = behaviours(session, &program).unwrap_or_else(|said| panic!("{said}\n{program}"));
    let mut wrong = Vec::new();
    for (way, behaviour) in WAYS.iter().zip(found) {
        let lines: Vec<&str> = behaviour.printed.lines().collect();
        assert_eq!(
            lines.len(),
            expected.len(),
            "{way:?}: {:?}",
            behaviour.outcome
        );
        for ((len, case), line) in expected.iter().zip(lines) {
            let right = (case.outcome)(*len);
            if right != line {
                wrong.push(format!(
                    "{way:?}, length {len}: {line}, not {right}:\n{}",
                    case.body
                ));
            }
        }
    }
    wrong
}

fn check(family: fn(&mut Vec<Case>)) {
    let (_alone, session) = super::session();
    let mut cases = Vec::new();
    family(&mut cases);
    let wrong: Vec<String> = cases
        .chunks(200)
        .flat_map(|cases| wrong_outcomes(&session, cases))
        .collect();
    let few = wrong
        .iter()
        .take(5)
        .map(String::as_str)
        .collect::<Vec<_>>()
        .join("\n");
    assert!(wrong.is_empty(), "{} wrong outcomes:\n{few}", wrong.len());
}

#[test]
fn while_loops_stop_at_the_first_index_that_is_not_inside() {
    check(while_loops);
}

#[test]
fn for_loops_stop_at_the_first_index_that_is_not_inside() {
    check(for_loops);
}

#[test]
fn a_test_before_an_index_proves_no_more_than_it_says() {
    check(tests_before);
}

#[test]
fn computed_indexes_are_checked_unless_they_must_be_inside() {
    check(computed);
}

/// `if x OP edge: x + 1` and its like, for each width and at both ends.
#[test]
fn sums_overflow_exactly_where_they_leave_their_type() {
    let (_alone, session) = super::session();
    for (name, least, most) in [
        ("i8", i128::from(i8::MIN), i128::from(i8::MAX)),
        ("u8", 0, i128::from(u8::MAX)),
        ("i16", i128::from(i16::MIN), i128::from(i16::MAX)),
        ("u16", 0, i128::from(u16::MAX)),
        ("i32", i128::from(i32::MIN), i128::from(i32::MAX)),
        ("u32", 0, i128::from(u32::MAX)),
        ("i64", i128::from(i64::MIN), i128::from(i64::MAX)),
        ("u64", 0, i128::from(u64::MAX)),
    ] {
        let (mut program, mut calls, mut expected) = (String::new(), String::new(), Vec::new());
        for (sum, value) in [
            ("x + 1", (|x| x + 1) as fn(i128) -> i128),
            ("x + 2", |x| x + 2),
            ("x + 3", |x| x + 3),
            ("x - 1", |x| x - 1),
            ("x - 2", |x| x - 2),
            ("x - 3", |x| x - 3),
            ("x * 2", |x| x * 2),
        ] {
            for edge in [least, least + 1, most / 2, most / 2 + 1, most - 1, most] {
                for op in ["<", "<=", ">", ">=", "!="] {
                    let number = expected.len();
                    let _ = write!(
                        program,
                        "fn g{number}(x: {name}) -> {name}:\n    if x {op} {edge}: {sum} else: 7\n"
                    );
                    let mut right = String::new();
                    for x in [
                        least,
                        least + 1,
                        most / 2,
                        most / 2 + 1,
                        most - 2,
                        most - 1,
                        most,
                    ] {
                        let held = match op {
                            "<" => x < edge,
                            "<=" => x <= edge,
                            ">" => x > edge,
                            ">=" => x >= edge,
                            _ => x != edge,
                        };
                        let result = if held { value(x) } else { 7 };
                        let fits = (least..=most).contains(&result);
                        let _ = write!(
                            right,
                            "{} ",
                            if fits {
                                result.to_string()
                            } else {
                                "overflow".into()
                            }
                        );
                        let _ = writeln!(
                            calls,
                            "    try: line += \"{{g{number}({x})}} \"\n    catch e: line += \"overflow \""
                        );
                    }
                    let _ = writeln!(calls, "    print line\n    line = \"\"");
                    expected.push((
                        right.trim_end().to_owned(),
                        format!("{name}: if x {op} {edge}: {sum}"),
                    ));
                }
            }
        }
        let program = format!("{program}fn main():\n    var line = \"\"\n{calls}");
        let found = behaviours(&session, &program).unwrap_or_else(|said| panic!("{said}"));
        for (way, behaviour) in WAYS.iter().zip(found) {
            let lines: Vec<&str> = behaviour.printed.lines().map(str::trim_end).collect();
            assert_eq!(
                lines.len(),
                expected.len(),
                "{way:?}: {:?}",
                behaviour.outcome
            );
            for ((right, what), line) in expected.iter().zip(lines) {
                assert_eq!(right, line, "{way:?}: {what}");
            }
        }
    }
}
