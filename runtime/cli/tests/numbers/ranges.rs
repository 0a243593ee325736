//! Ranges, steps and slices at the ends of `i64`, beside the same in whole numbers without bounds.
//!
//! A result that does not fit is an error (`error` in the lines that are compared); never another number, and no loop without an end.

use super::{compare, run};
use std::fmt::Write;

const MIN: i128 = i64::MIN as i128;
const MAX: i128 = i64::MAX as i128;
const ENDS: [i128; 9] = [MIN, MIN + 1, -2, -1, 0, 1, 2, MAX - 1, MAX];
const STEPS: [i128; 11] = [MIN, MIN + 1, -3, -2, -1, 0, 1, 2, 3, MAX - 1, MAX];
/// A loop is left after this many iterations.
const TURNS: usize = 4;
/// No list is made that is longer.
const LONGEST: i128 = 20;

fn list<T: ToString>(items: impl IntoIterator<Item = T>) -> String {
    let items: Vec<String> = items.into_iter().map(|item| item.to_string()).collect();
    format!("[{}]", items.join(", "))
}

/// How many numbers there are from `a` up to, or down to, before `b`.
fn count(a: i128, b: i128, step: i128) -> i128 {
    match step {
        1.. if a < b => (b - a + step - 1) / step,
        ..=-1 if a > b => (a - b - step - 1) / -step,
        _ => 0,
    }
}

fn numbers(a: i128, b: i128, step: i128) -> impl Iterator<Item = i128> {
    (0..count(a, b, step)).map(move |at| a + at * step)
}

/// A result if it is an `i64`.
fn fitting(value: i128) -> String {
    i64::try_from(value).map_or("error".to_owned(), |value| value.to_string())
}

/// What `a..=b` yields as a value, which holds the number after `b`: an error where there is none.
fn closed(b: i128, of: impl Fn() -> String) -> String {
    if b == MAX { "error".to_owned() } else { of() }
}

/// Functions that the programs share.
const SHARED: &str = "\
fn attempt(f: fn() -> text):
    try: print f()
    catch e: print \"error\"
";

#[test]
fn loops_begin_and_end_where_their_range_does() {
    let mut program = format!(
        "#![allow(empty_range)]\n{SHARED}fn exclusive(a: i64, b: i64) -> [i64]:\n    var out: [i64] = []\n    for i in a..b:\n        out.push(i)\n        \
         if out.len() == {TURNS}: break\n    out\nfn inclusive(a: i64, b: i64) -> [i64]:\n    var out: [i64] = []\n    for i in a..=b:\n        \
         out.push(i)\n        if out.len() == {TURNS}: break\n    out\nval ends = {}\n",
        list(ENDS)
    );
    program.push_str(
        "for a in ends:\n    for b in ends:\n        print exclusive(a, b), inclusive(a, b)\n        attempt(\\: \"{(a..b).len()}\")\n        \
         attempt(\\: \"{(a..=b).len()}\")\n        print [(a..b).contains(c) for c in ends]\n        \
         attempt(\\: \"{[c in a..=b for c in ends]}\")\n",
    );
    let mut wanted = Vec::new();
    let first = |a: i128, b: i128| list(numbers(a, b, 1).take(TURNS));
    for a in ENDS {
        for b in ENDS {
            wanted.push(format!("{} {}", first(a, b), first(a, b + 1)));
            wanted.push(fitting(count(a, b, 1)));
            wanted.push(closed(b, || fitting(count(a, b + 1, 1))));
            let within = |b: i128| list(ENDS.map(|c| (a..b).contains(&c)));
            wanted.push(within(b));
            wanted.push(closed(b, || within(b + 1)));
        }
    }
    // With bounds that are known before the run.
    for (number, (a, b)) in ENDS
        .into_iter()
        .flat_map(|a| ENDS.map(|b| (a, b)))
        .enumerate()
    {
        for (dots, end) in [("..", b), ("..=", b + 1)] {
            let name = if dots == ".." { "x" } else { "y" };
            let _ = write!(
                program,
                "fn {name}{number}() -> [i64]:\n    var out: [i64] = []\n    for i in {a}{dots}{b}:\n        out.push(i)\n        \
                 if out.len() == {TURNS}: break\n    out\nprint {name}{number}()\n"
            );
            wanted.push(first(a, end));
        }
    }
    compare(&run("loops", &program, &[]), &wanted, |at| {
        format!("line {at}")
    });
}

#[test]
fn steps_reach_what_they_should_and_no_more() {
    let mut program = format!("{SHARED}val cases: [(i64, i64, i64)] = [\n");
    let mut wanted = Vec::new();
    for (a, b, step) in ENDS.into_iter().flat_map(|a| {
        ENDS.into_iter()
            .flat_map(move |b| STEPS.map(|step| (a, b, step)))
    }) {
        let length = count(a, b, 1);
        if count(a, b, step) > LONGEST
            || (step != 0 && length <= MAX && length / step.abs() > LONGEST)
        {
            continue;
        }
        let _ = writeln!(program, "    ({a}, {b}, {step}),");
        let all = match step {
            0 => "error".to_owned(),
            _ => list(numbers(a, b, step)),
        };
        wanted.push(all.clone());
        // From the last number backwards, if the step is negative.
        wanted.push(match step {
            0 => "error".to_owned(),
            _ if length > MAX => "error".to_owned(),
            1.. => all.clone(),
            _ => list(numbers(a.max(b) - 1, a - 1, step).filter(|n| *n < b)),
        });
        wanted.push(all);
    }
    program.push_str(
        "]\nfn gathered(a: i64, b: i64, s: i64) -> [i64]:\n    var out: [i64] = []\n    for i in range(a, b, s): out.push(i)\n    out\n\
         for a, b, s in cases:\n    attempt(\\: \"{range(a, b, s)}\")\n    attempt(\\: \"{(a..b).step(s)}\")\n    attempt(\\: \"{gathered(a, b, s)}\")\n",
    );
    let cases: Vec<&str> = program
        .lines()
        .filter(|line| line.starts_with("    ("))
        .collect();
    compare(&run("steps", &program, &[]), &wanted, |at| {
        format!("{} {}", ["range", "step", "loop"][at % 3], cases[at / 3])
    });
}

#[test]
fn what_is_made_of_short_ranges_is_made_of_their_numbers() {
    let mut program = format!("{SHARED}val cases: [(i64, i64)] = [");
    let mut wanted = Vec::new();
    for (a, b) in ENDS.into_iter().flat_map(|a| ENDS.map(|b| (a, b))) {
        if count(a, b + 1, 1) > LONGEST {
            continue;
        }
        let _ = write!(program, "({a}, {b}), ");
        for end in [b, b + 1].into_iter().take(if b == MAX { 1 } else { 2 }) {
            wanted.push(list(numbers(a, end, 1)));
            wanted.push(fitting(numbers(a, end, 1).sum()));
            wanted.push(list(numbers(a, end, 1).map(|n| n / 2)));
            wanted.push(list(numbers(a, end, 1).filter(|n| n % 2 == 0)));
        }
    }
    program.push_str("]\nfor a, b in cases:\n    var ranges = [a..b]\n    if b < i64.MAX: ranges.push(a..=b)\n    for r in ranges:\n");
    for what in [
        "r.to_list()",
        "r.sum()",
        "r.map(\\n: n / 2)",
        "r.filter(\\n: n % 2 == 0)",
    ] {
        let _ = writeln!(program, "        attempt(\\: \"{{{what}}}\")");
    }
    compare(&run("short", &program, &[]), &wanted, |at| {
        format!("line {at}")
    });
}

/// The indexes that Python's slice takes from a sequence of this length.
fn slice(length: i128, lo: Option<i128>, hi: Option<i128>, step: i128) -> Vec<usize> {
    let (least, most) = if step > 0 {
        (0, length)
    } else {
        (-1, length - 1)
    };
    let place = |bound: i128| {
        if bound < 0 {
            (bound + length).max(least)
        } else {
            bound.min(most)
        }
    };
    let (first, last) = if step > 0 {
        (least, most)
    } else {
        (most, least)
    };
    let (lo, hi) = (lo.map_or(first, place), hi.map_or(last, place));
    numbers(lo, hi, step).map(|at| at as usize).collect()
}

/// Programs of a statement for each way to slice, run with every bound and step.
#[test]
fn slices_take_what_those_of_python_take() {
    let letters: Vec<char> = "aé漢d😀".chars().collect();
    let mut program = format!(
        "{SHARED}val xs = [0, 1, 2, 3, 4]\nval t = \"{}\"\nval ends = {}\nval steps = {}\n",
        letters.iter().collect::<String>(),
        list(ENDS),
        list(STEPS)
    );
    program.push_str("for a in ends:\n    for b in ends:\n        for s in steps:\n");
    for what in ["xs[a:b:s]", "t[a:b:s]"] {
        let _ = writeln!(program, "            attempt(\\: \"{{{what}}}\")");
    }
    let two = [
        "xs[a:b]",
        "t[a:b]",
        "xs[a..b]",
        "t[a..b]",
        "xs[a..=b]",
        "t[a..=b]",
    ];
    for what in two {
        let _ = writeln!(program, "        attempt(\\: \"{{{what}}}\")");
    }
    program.push_str("    for s in steps:\n");
    let open = [
        "xs[a::s]", "xs[:a:s]", "xs[::s]", "t[a::s]", "t[:a:s]", "t[::s]",
    ];
    for what in open {
        let _ = writeln!(program, "        attempt(\\: \"{{{what}}}\")");
    }
    let one = [
        "xs[a:]", "xs[:a]", "t[a:]", "t[:a]", "xs[a..]", "xs[..a]", "xs[..=a]", "t[..=a]",
    ];
    for what in one {
        let _ = writeln!(program, "    attempt(\\: \"{{{what}}}\")");
    }
    let of_list = |places: Vec<usize>| list(places);
    let of_text = |places: Vec<usize>| places.into_iter().map(|at| letters[at]).collect::<String>();
    let taken = |lo, hi, step| match step {
        0 => None,
        _ => Some(slice(5, lo, hi, step)),
    };
    let shown = |places: Option<Vec<usize>>, show: &dyn Fn(Vec<usize>) -> String| {
        places.map_or("error".to_owned(), show)
    };
    // The place after the last one: -1 is the last of all.
    let after = |last: i128| match last {
        -1 => None,
        last => Some(last + 1),
    };
    let mut wanted = Vec::new();
    for a in ENDS {
        for b in ENDS {
            for step in STEPS {
                let places = taken(Some(a), Some(b), step);
                wanted.push(shown(places.clone(), &of_list));
                wanted.push(shown(places, &of_text));
            }
            for end in [Some(b), Some(b), after(b)] {
                let places = slice(5, Some(a), end, 1);
                wanted.push(of_list(places.clone()));
                wanted.push(of_text(places));
            }
        }
        for step in STEPS {
            let all = [
                taken(Some(a), None, step),
                taken(None, Some(a), step),
                taken(None, None, step),
            ];
            wanted.extend(all.iter().map(|places| shown(places.clone(), &of_list)));
            wanted.extend(all.iter().map(|places| shown(places.clone(), &of_text)));
        }
        let (from, to, through) = (
            slice(5, Some(a), None, 1),
            slice(5, None, Some(a), 1),
            slice(5, None, after(a), 1),
        );
        wanted.extend([
            of_list(from.clone()),
            of_list(to.clone()),
            of_text(from.clone()),
            of_text(to.clone()),
        ]);
        wanted.extend([
            of_list(from),
            of_list(to),
            of_list(through.clone()),
            of_text(through),
        ]);
    }
    let found = run("slices", &program, &[]);
    let labels = labels(&two, &open, &one);
    compare(&found, &wanted, |at| labels[at].clone());
}

/// What each line of the program on slices is about.
fn labels(two: &[&str], open: &[&str], one: &[&str]) -> Vec<String> {
    let mut labels = Vec::new();
    for a in ENDS {
        for b in ENDS {
            for step in STEPS {
                labels.extend(["list", "text"].map(|of| format!("{of} {a}:{b}:{step}")));
            }
            labels.extend(two.iter().map(|what| format!("{what} {a} {b}")));
        }
        for step in STEPS {
            labels.extend(open.iter().map(|what| format!("{what} {a} {step}")));
        }
        labels.extend(one.iter().map(|what| format!("{what} {a}")));
    }
    labels
}

/// Methods that take a part by its place or length.
#[test]
fn parts_are_taken_as_slices_take_them() {
    let letters: Vec<char> = "aé漢d😀".chars().collect();
    let text: String = letters.iter().collect();
    let mut program = format!(
        "{SHARED}val xs = [0, 1, 2, 3, 4]\nval t = \"{text}\"\nval ends = {}\nfor a in ends:\n",
        list(ENDS)
    );
    let one = [
        "xs.take(a)",
        "xs.drop(a)",
        "t.take(a)",
        "t.drop(a)",
        "xs.get(a)",
        "t.char_at(a)",
        "xs[a]",
        "t[a]",
    ];
    for what in one {
        let _ = writeln!(program, "    attempt(\\: \"{{{what}}}\")");
    }
    program.push_str("    for b in ends:\n");
    for what in [
        "xs.slice(a, b)",
        "t.slice(a, b)",
        "t.substring(a, b)",
        "t.substr(a, b)",
    ] {
        let _ = writeln!(program, "        attempt(\\: \"{{{what}}}\")");
    }
    let of_text = |places: Vec<usize>| places.into_iter().map(|at| letters[at]).collect::<String>();
    let mut wanted = Vec::new();
    for a in ENDS {
        // None, or all, for a count below nothing.
        let (taken, left) = (
            slice(5, None, Some(a.max(0)), 1),
            slice(5, Some(a.max(0)), None, 1),
        );
        wanted.extend([
            list(taken.clone()),
            list(left.clone()),
            of_text(taken),
            of_text(left),
        ]);
        let at = if a < 0 { a + 5 } else { a };
        let there = usize::try_from(at).ok().filter(|at| *at < 5);
        let number = there.map(|at| at.to_string());
        let letter = there.map(|at| letters[at].to_string());
        wanted.push(number.clone().unwrap_or("nil".into()));
        wanted.push(letter.clone().unwrap_or("nil".into()));
        wanted.push(number.unwrap_or("error".into()));
        wanted.push(letter.unwrap_or("error".into()));
        for b in ENDS {
            let places = slice(5, Some(a), Some(b), 1);
            wanted.extend([
                list(places.clone()),
                of_text(places.clone()),
                of_text(places),
            ]);
            let start = if a < 0 { (a + 5).max(0) } else { a.min(5) };
            wanted.push(of_text(slice(
                5,
                Some(start),
                Some((start + b.max(0)).min(5)),
                1,
            )));
        }
    }
    let found = run("parts", &program, &[]);
    compare(&found, &wanted, |at| {
        let (a, within) = (ENDS[at / 44], at % 44);
        match within {
            0..8 => format!("{} with {a}", one[within]),
            _ => format!(
                "part {} with {a}, {}",
                (within - 8) % 4,
                ENDS[(within - 8) / 4]
            ),
        }
    });
}
