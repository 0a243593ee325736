//! What the checker says at the edges, against what can be worked out without it: matches on integers of every width against all
//! values that matter, mistakes with their operands swapped, and shapes against the sizes 0 to 3.

mod common;

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use simple_sema::Checked;
use std::fmt::Write;

/// The lines at which a code is reported.
fn lines_of(checked: &Checked, code: &str) -> Vec<usize> {
    let found = checked.diagnostics.iter().filter(|d| d.code == code);
    found
        .map(|d| checked.sources.position(d.span).line as usize)
        .collect()
}

/// Every integer type, with its least and greatest value.
const INTEGERS: [(&str, i128, i128); 8] = [
    ("i8", i8::MIN as i128, i8::MAX as i128),
    ("u8", 0, u8::MAX as i128),
    ("i16", i16::MIN as i128, i16::MAX as i128),
    ("u16", 0, u16::MAX as i128),
    ("i32", i32::MIN as i128, i32::MAX as i128),
    ("u32", 0, u32::MAX as i128),
    ("i64", i64::MIN as i128, i64::MAX as i128),
    ("u64", 0, u64::MAX as i128),
];

/// An arm on integers: the range, and whether it has a guard.
type Arm = (i128, i128, bool);

/// A type and arms between values near its edges, zero, and the edge of the signed type of its width.
fn matches() -> impl Strategy<Value = (usize, Vec<Arm>)> {
    (0..INTEGERS.len()).prop_flat_map(|ty| {
        let (_, least, most) = INTEGERS[ty];
        let middle = (most - least + 1) / 2 + least;
        let values: Vec<i128> = [
            least,
            least + 1,
            -1,
            0,
            1,
            middle - 1,
            middle,
            middle + 1,
            most - 1,
            most,
        ]
        .into_iter()
        .filter(|value| (least..=most).contains(value))
        .collect();
        let value = prop::sample::select(values);
        let arm = (value.clone(), value, prop::bool::weighted(0.2));
        let arm = arm.prop_map(|(a, b, guarded)| (a.min(b), a.max(b), guarded));
        (Just(ty), prop::collection::vec(arm, 1..6))
    })
}

/// So many cases, the same ones in every run; `PROPTEST_CASES` and `PROPTEST_RNG_SEED` do not change them.
fn same_cases(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        rng_seed: RngSeed::Fixed(1),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(same_cases(400))]

    #[test]
    fn matches_on_integers_are_judged_as_all_values_judge_them((ty, arms) in matches()) {
        let (name, least, most) = INTEGERS[ty];
        let mut program = format!("fn f(x: {name}, b: bool) -> i64:\n    match x:\n");
        for (index, (lo, hi, guarded)) in arms.iter().enumerate() {
            let pattern = if lo == hi { lo.to_string() } else { format!("{lo}..={hi}") };
            let guard = if *guarded { " if b" } else { "" };
            let _ = writeln!(program, "        case {pattern}{guard}: {index}");
        }
        // Between two neighbouring bounds all values take the same arm.
        let mut values: Vec<i128> = arms.iter().flat_map(|(lo, hi, _)| [lo - 1, *lo, *hi, hi + 1]).collect();
        values.extend([least, most]);
        values.retain(|value| (least..=most).contains(value));
        let fits = |arm: &Arm, value: i128| (arm.0..=arm.1).contains(&value);
        let taken = |before: usize, value: i128| arms[..before].iter().any(|arm| !arm.2 && fits(arm, value));
        let unreached: Vec<usize> = (0..arms.len())
            .filter(|&at| !values.iter().any(|&value| fits(&arms[at], value) && !taken(at, value)))
            .map(|at| at + 3)
            .collect();
        let open = values.iter().any(|&value| !taken(arms.len(), value));
        let checked = common::run(&program);
        let said = format!("{program}{}", common::render(&checked));
        prop_assert_eq!(lines_of(&checked, "W0402"), unreached, "{}", said);
        prop_assert_eq!(!lines_of(&checked, "E0401").is_empty(), open, "{}", said);
        let others = checked.diagnostics.iter().filter(|d| !["W0402", "E0401"].contains(&d.code));
        prop_assert_eq!(others.count(), 0, "{}", said);
    }
}

/// Pairs of bodies that make the same mistake with the operands in one order and in the other.
const SWAPPED: &[(&str, &str)] = &[
    // A type that would contain itself, from both sides.
    (
        "var a = []\n    a.push(a)",
        "var a = []\n    var b = [a]\n    b = a",
    ),
    (
        "var a = []\n    a = [a]",
        "var a = []\n    val b = [[a], a]",
    ),
    (
        "var a = []\n    print a == [a]",
        "var a = []\n    print [a] == a",
    ),
    (
        "var a = []\n    val b = if true: a else: [a]",
        "var a = []\n    val b = if true: [a] else: a",
    ),
    (
        "var a = []\n    val b = [a, [a]]",
        "var a = []\n    val b = [[a], a]",
    ),
    (
        "var d = {}\n    d[1] = d",
        "var d = {}\n    var e = {1: d}\n    e = d",
    ),
    (
        "var d = {}\n    val b = [d, {1: d}]",
        "var d = {}\n    val b = [{1: d}, d]",
    ),
    (
        "var a = []\n    val b = [(a, 1), (1, a)]",
        "var a = []\n    val b = [(1, a), (a, 1)]",
    ),
    (
        "var a = []\n    a.insert(0, a)",
        "var a = []\n    val b = a + [a]",
    ),
    (
        "var o = nil\n    o = [o]",
        "var o = nil\n    val b = [[o], o]",
    ),
    ("val f = \\x: x(x)", "val f = \\x: [[x], x]"),
    // Types that are known and differ.
    ("val b = [1, \"a\"]", "val b = [\"a\", 1]"),
    (
        "val b = if true: 1 else: \"a\"",
        "val b = if true: \"a\" else: 1",
    ),
    ("print 1 == \"a\"", "print \"a\" == 1"),
    ("print 1 < \"a\"", "print \"a\" < 1"),
    ("print [1] == [\"a\"]", "print [\"a\"] == [1]"),
    ("print {1: 2} == {\"a\": 2}", "print {\"a\": 2} == {1: 2}"),
    (
        "print (1, true) == (true, 1)",
        "print (true, 1) == (1, true)",
    ),
    ("print 1 - \"a\"", "print \"a\" - 1"),
    ("print 1 and true", "print true and 1"),
    (
        "val x: i64? = nil\n    print x + 1",
        "val x: i64? = nil\n    print 1 + x",
    ),
    (
        "val x: i32 = 1\n    val y: i64 = 2\n    print x == \"{y}\"",
        "val x: i32 = 1\n    val y: i64 = 2\n    print \"{y}\" == x",
    ),
];

#[test]
fn mistakes_are_found_whichever_side_they_are_on() {
    let mut missed = Vec::new();
    for (one, other) in SWAPPED {
        for body in [one, other] {
            let checked = common::run(&format!("fn f():\n    {body}\n"));
            if checked.program.is_some() {
                missed.push(*body);
            }
        }
    }
    assert!(missed.is_empty(), "accepted:\n{}", missed.join("\n---\n"));
}

/// The size of a dimension: `name * factor + plus`, or a number.
#[derive(Clone, Copy, Debug)]
struct Size {
    name: Option<usize>,
    factor: i64,
    plus: i64,
}

const NAMES: [&str; 2] = ["n", "m"];

impl Size {
    fn text(self) -> String {
        match (self.name, self.factor) {
            (None, _) => self.plus.to_string(),
            (Some(name), 1) => format!("{} + {}", NAMES[name], self.plus),
            (Some(name), factor) => format!("{factor} * {} + {}", NAMES[name], self.plus),
        }
    }

    fn of(self, names: [i64; 2]) -> i64 {
        self.name.map_or(0, |name| names[name]) * self.factor + self.plus
    }
}

fn size() -> impl Strategy<Value = Size> {
    (0..5usize, 1..3i64, 0..4i64).prop_map(|(name, factor, plus)| Size {
        name: (name < 2).then_some(name),
        factor,
        plus,
    })
}

fn shape() -> impl Strategy<Value = Vec<Size>> {
    prop::collection::vec(size(), 1..4)
}

/// Whether an operation goes when it runs, as libtorch does it; `+` asks for equal shapes, as Simple's does.
fn goes(op: &str, a: &[i64], b: &[i64]) -> bool {
    let stretch = |a: &[i64], b: &[i64]| {
        a.iter()
            .rev()
            .zip(b.iter().rev())
            .all(|(x, y)| x == y || *x == 1 || *y == 1)
    };
    match op {
        "+" | ".+" => stretch(a, b),
        _ => {
            let inner = if b.len() == 1 { b[0] } else { b[b.len() - 2] };
            let batch = |shape: &[i64]| shape[..shape.len().saturating_sub(2)].to_vec();
            a[a.len() - 1] == inner && stretch(&batch(a), &batch(b))
        }
    }
}

proptest! {
    #![proptest_config(same_cases(600))]

    #[test]
    fn a_shape_is_reported_when_it_must_fail_and_only_then(
        op in prop::sample::select(vec!["+", ".+", "@"]), a in shape(), b in shape(),
    ) {
        let text = |shape: &[Size]| shape.iter().map(|size| size.text()).collect::<Vec<_>>().join(", ");
        let program = format!(
            "use std.tensors.{{Tensor}}\nfn f(n: i64, m: i64):\n    print Tensor.zeros([{}]) {op} Tensor.zeros([{}])\n",
            text(&a), text(&b),
        );
        let checked = common::run(&program);
        let reported = checked.diagnostics.iter().any(|d| d.severity == simple_syntax::Severity::Error);
        let said = format!("{program}{}", common::render(&checked));
        let sizes = |shape: &[Size], names| shape.iter().map(|size| size.of(names)).collect::<Vec<i64>>();
        let every: Vec<[i64; 2]> = (0..4).flat_map(|n| (0..4).map(move |m| [n, m])).collect();
        if let Some(names) = every.iter().find(|names| goes(op, &sizes(&a, **names), &sizes(&b, **names))) {
            prop_assert!(!reported, "it goes with n, m = {names:?}:\n{said}");
        }
        if a.iter().chain(&b).all(|size| size.name.is_none()) {
            prop_assert_eq!(reported, !goes(op, &sizes(&a, [0; 2]), &sizes(&b, [0; 2])), "{}", said);
        }
    }
}
