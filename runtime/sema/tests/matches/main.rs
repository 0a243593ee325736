//! Which matches are complete and which arms are reached, as the checker says and as trying every value says.
//!
//! Random types of few values (tuples, structs, enums, options, results, arrays, integers near the edges, texts), with random arms. What the
//! checker names as missing is then added: each of these patterns must be reached by some value.

#[path = "../common/mod.rs"]
mod common;
mod values;

use simple_sema::Checked;
use std::fmt::Write;
use values::{
    DECLARED, Pattern, Random, Type, fits, of_type, pattern, pattern_text, type_name, values,
};

/// How many matches are generated, and how many of them are in one program.
const PROGRAMS: u64 = 12;
const MATCHES: usize = 60;

/// A match with its arms, and whether they have guards.
struct Match {
    ty: Type,
    arms: Vec<(Pattern, bool)>,
}

/// What a match is found to be: the arms that nothing reaches, and whether something reaches none.
type Judged = (Vec<usize>, bool);

impl Match {
    fn random(random: &mut Random) -> Match {
        let ty = of_type(random, 2);
        let count = 1 + random.below(6);
        let arms = (0..count).map(|_| (pattern(random, &ty, 2, true), random.one_in(5)));
        let arms = arms.collect();
        Match { ty, arms }
    }

    fn judged_by_values(&self) -> Judged {
        let mut reached = vec![false; self.arms.len()];
        let mut open = false;
        for value in values(&self.ty) {
            let mut taken = false;
            for (at, (pattern, guarded)) in self.arms.iter().enumerate() {
                if fits(pattern, &value) {
                    reached[at] = true;
                    if !guarded {
                        taken = true;
                        break;
                    }
                }
            }
            open |= !taken;
        }
        let unreached = (0..self.arms.len()).filter(|at| !reached[*at]).collect();
        (unreached, open)
    }
}

/// The lines at which a code is reported, of those from `first` on, counted from there.
fn lines_of(checked: &Checked, code: &str, lines: std::ops::Range<usize>) -> Vec<usize> {
    let found = checked.diagnostics.iter().filter(|d| d.code == code);
    let line = |d: &simple_syntax::Diagnostic| checked.sources.position(d.span).line as usize;
    let first = lines.start;
    found
        .map(line)
        .filter(|line| lines.contains(line))
        .map(|line| line - first)
        .collect()
}

/// A function for each match, with an arm more; the line of the first arm of each.
fn program<'m>(
    matches: impl IntoIterator<Item = (&'m Match, Option<&'m str>)>,
) -> (String, Vec<usize>) {
    let mut text = DECLARED.to_owned();
    let mut first = Vec::new();
    for (number, (of, added)) in matches.into_iter().enumerate() {
        let _ = writeln!(
            text,
            "fn f{number}(x: {}, b: bool) -> i64:\n    match x:",
            type_name(&of.ty)
        );
        first.push(text.lines().count() + 1);
        for (pattern, guarded) in &of.arms {
            let guard = if *guarded { " if b" } else { "" };
            let _ = writeln!(text, "        case {}{guard}: 1", pattern_text(pattern));
        }
        if let Some(pattern) = added {
            let _ = writeln!(text, "        case {pattern}: 2");
        }
    }
    (text, first)
}

/// The patterns that a report names in a note, each between backquotes.
fn named(note: &str) -> Vec<String> {
    note.split('`')
        .skip(1)
        .step_by(2)
        .map(str::to_owned)
        .collect()
}

#[test]
fn matches_are_judged_as_all_their_values_judge_them() {
    let (mut whole, mut with_missing) = (0, 0);
    for seed in 1..=PROGRAMS {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let matches: Vec<Match> = (0..MATCHES).map(|_| Match::random(&mut random)).collect();
        let (text, first) = program(matches.iter().map(|of| (of, None)));
        let checked = common::run(&text);
        let mut missing = Vec::new();
        for (of, &line) in matches.iter().zip(&first) {
            let lines = line..line + of.arms.len();
            let reports = lines_of(&checked, "E0401", line - 1..line);
            let found = (lines_of(&checked, "W0402", lines), !reports.is_empty());
            let wanted = of.judged_by_values();
            let arms: Vec<String> = of
                .arms
                .iter()
                .map(|(p, g)| format!("{}{}", pattern_text(p), if *g { " if b" } else { "" }))
                .collect();
            assert_eq!(
                found,
                wanted,
                "unreached arms and whether some value is left: {} {arms:#?}\n",
                type_name(&of.ty)
            );
            let report = checked.diagnostics.iter().find(|d| {
                d.code == "E0401" && checked.sources.position(d.span).line as usize == line - 1
            });
            let notes = report
                .into_iter()
                .flat_map(|d| d.notes.iter().flat_map(|note| named(note)));
            missing.extend(notes.map(|pattern| (of, pattern)));
            whole += usize::from(!wanted.1);
            with_missing += usize::from(wanted.1);
        }
        let others = checked
            .diagnostics
            .iter()
            .find(|d| !["W0402", "E0401", "W0436", "W0419"].contains(&d.code));
        assert!(
            others.is_none(),
            "{others:?} {}\n{text}",
            others.map_or(String::new(), |d| text
                .lines()
                .nth(checked.sources.position(d.span).line as usize - 1)
                .unwrap_or("")
                .to_owned())
        );
        // What is named as missing is reached, whatever it is.
        let (text, first) = program(
            missing
                .iter()
                .map(|(of, pattern)| (*of, Some(pattern.as_str()))),
        );
        let checked = common::run(&text);
        for ((of, added), line) in missing.iter().zip(first) {
            let line = line + of.arms.len();
            let covered = !lines_of(&checked, "W0402", line..line + 1).is_empty();
            let arms: Vec<String> = of.arms.iter().map(|(p, _)| pattern_text(p)).collect();
            assert!(
                !covered,
                "{added} is covered: {} {arms:#?}",
                type_name(&of.ty)
            );
        }
    }
    assert!(
        whole > 100 && with_missing > 100,
        "{whole} complete, {with_missing} not"
    );
}

/// A match whose analysis would take too long counts as complete, with every arm reached: the program is not refused for it.
#[test]
fn a_match_that_takes_too_long_is_taken_as_it_is() {
    const PAIRS: usize = 16;
    let mut text = format!(
        "fn f(x: ({})) -> i64:\n    match x:\n",
        vec!["bool"; PAIRS * 2].join(", ")
    );
    for pair in 0..PAIRS {
        let mut columns = vec!["_"; PAIRS * 2];
        columns[2 * pair..2 * pair + 2].fill("true");
        let _ = writeln!(text, "        case ({}): {pair}", columns.join(", "));
    }
    let checked = common::run(&text);
    assert!(
        checked.diagnostics.is_empty(),
        "{}",
        common::render(&checked)
    );
    // With fewer columns, the one that is missing is found.
    let short = text
        .replace(", bool".repeat(PAIRS).as_str(), "")
        .replace(", _".repeat(PAIRS).as_str(), "");
    let few: Vec<&str> = short.lines().take(2 + PAIRS / 2).collect();
    let checked = common::run(&(few.join("\n") + "\n"));
    assert!(
        checked.diagnostics.iter().any(|d| d.code == "E0401"),
        "{}",
        common::render(&checked)
    );
}
