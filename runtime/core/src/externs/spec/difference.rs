//! Where two long texts differ, line by line or element by element.
//!
//! Both are cut into parts: lines, or what is between the outermost commas of a printed array, dict, set or struct. A
//! longest common sequence says which parts are in both (Wagner and Fischer's table, 1974; the same start and end are
//! cut off first). Printed values have no quotes, so a comma in a text of an array cuts too, which only makes the
//! parts smaller. Leaves out short values, which are seen at once in two lines.

/// Values of one line that are shorter than this together are short.
const SHORT: usize = 100;
/// Equal parts that are shown before and after a difference.
const AROUND: usize = 2;
/// Parts that are shown at most.
const MOST: usize = 60;
/// Cells of the table; for more, all that is not equal at the start and the end counts as different.
const LARGEST: usize = 4_000_000;
/// Characters that are shown around the first difference of two long texts without parts.
const WINDOW: usize = 30;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Part<'a> {
    Same(usize, &'a str),
    Wanted(usize, &'a str),
    Got(usize, &'a str),
}

/// The difference in lines; empty if both texts are short, or equal.
pub(super) fn show(wanted: &str, got: &str, colours: bool) -> String {
    let lines = wanted.contains('\n') || got.contains('\n');
    if wanted == got || !lines && wanted.len() + got.len() < SHORT {
        return String::new();
    }
    let parts = match (lines, elements(wanted), elements(got)) {
        (true, ..) => compare(
            &wanted.split('\n').collect::<Vec<_>>(),
            &got.split('\n').collect::<Vec<_>>(),
        ),
        (false, Some(wanted), Some(got)) => compare(&wanted, &got),
        _ => return first_difference(wanted, got),
    };
    // Of numbers a part is an element, so its place is known.
    let numbers = |text: &str| {
        text.starts_with('[') && !text.contains(|c: char| c.is_alphabetic() && c != 'e')
    };
    let places = !lines && numbers(wanted) && numbers(got);
    let mut text = "the values differ (- expected, + got):".to_owned();
    for line in shown(&parts, places, colours) {
        text.push('\n');
        text.push_str(&line);
    }
    text
}

/// What is between the outermost commas of `[..]`, `{..}`, `(..)` or `Name(..)`; nothing for other texts.
fn elements(text: &str) -> Option<Vec<&str>> {
    let start = text.find(['[', '{', '('])?;
    let name = text[..start]
        .chars()
        .all(|c| c.is_alphanumeric() || c == '_' || c == '.');
    if !name || !text.ends_with([']', '}', ')']) {
        return None;
    }
    let inside = &text[start + 1..text.len() - 1];
    let (mut depth, mut from, mut found) = (0_usize, 0, Vec::new());
    for (at, letter) in inside.char_indices() {
        match letter {
            '[' | '{' | '(' => depth += 1,
            ']' | '}' | ')' => depth = depth.checked_sub(1)?,
            ',' if depth == 0 => {
                found.push(inside[from..at].trim_start());
                from = at + 1;
            }
            _ => {}
        }
    }
    found.push(inside[from..].trim_start());
    (depth == 0).then_some(found)
}

fn compare<'a>(wanted: &[&'a str], got: &[&'a str]) -> Vec<Part<'a>> {
    let both = wanted.iter().zip(got);
    let start = both.take_while(|(a, b)| a == b).count();
    let both = wanted[start..].iter().rev().zip(got[start..].iter().rev());
    let end = both.take_while(|(a, b)| a == b).count();
    let (a, b) = (
        &wanted[start..wanted.len() - end],
        &got[start..got.len() - end],
    );
    let mut parts: Vec<Part<'a>> = Vec::new();
    let same = |at: usize| Part::Same(at, got[at]);
    parts.extend((0..start).map(same));
    middle(a, b, start, &mut parts);
    parts.extend((got.len() - end..got.len()).map(same));
    parts
}

/// Compares what is left between the equal start and the equal end.
fn middle<'a>(a: &[&'a str], b: &[&'a str], start: usize, parts: &mut Vec<Part<'a>>) {
    let width = b.len() + 1;
    let fits = (a.len() + 1).saturating_mul(width) <= LARGEST;
    // The length of the longest common sequence of what follows.
    let mut table = vec![0_u32; if fits { (a.len() + 1) * width } else { 0 }];
    if fits {
        for i in (0..a.len()).rev() {
            for j in (0..b.len()).rev() {
                table[i * width + j] = match a[i] == b[j] {
                    true => table[(i + 1) * width + j + 1] + 1,
                    false => table[(i + 1) * width + j].max(table[i * width + j + 1]),
                };
            }
        }
    }
    let (mut i, mut j) = (0, 0);
    while i < a.len() || j < b.len() {
        let down = |i: usize, j: usize| table.get(i * width + j).copied().unwrap_or(0);
        if fits && i < a.len() && j < b.len() && a[i] == b[j] {
            parts.push(Part::Same(start + j, b[j]));
            (i, j) = (i + 1, j + 1);
        } else if i < a.len() && (j == b.len() || !fits || down(i + 1, j) >= down(i, j + 1)) {
            parts.push(Part::Wanted(start + i, a[i]));
            i += 1;
        } else {
            parts.push(Part::Got(start + j, b[j]));
            j += 1;
        }
    }
}

/// The lines to show: differences with a few equal parts around them.
fn shown(parts: &[Part<'_>], places: bool, colours: bool) -> Vec<String> {
    let differs = |part: &Part<'_>| !matches!(part, Part::Same(..));
    let near = |at: usize| {
        let around = at.saturating_sub(AROUND)..(at + AROUND + 1).min(parts.len());
        parts[around].iter().any(differs)
    };
    let mut lines = Vec::new();
    let mut left_out = 0;
    for (at, part) in parts.iter().enumerate() {
        if !near(at) {
            left_out += 1;
            continue;
        }
        if left_out > 0 {
            lines.push(equal(left_out));
            left_out = 0;
        }
        if lines.len() == MOST {
            let rest = parts[at..].iter().filter(|part| differs(part)).count();
            lines.push(format!("  ... {rest} more that differ"));
            return lines;
        }
        let (sign, colour, at, text) = match *part {
            Part::Same(at, text) => (' ', "", at, text),
            Part::Wanted(at, text) => ('-', "31", at, text),
            Part::Got(at, text) => ('+', "32", at, text),
        };
        let place = if places {
            format!("[{at}] ")
        } else {
            String::new()
        };
        let line = format!("{sign} {place}{text}");
        lines.push(match colours && !colour.is_empty() {
            true => format!("\x1b[{colour}m{line}\x1b[0m"),
            false => line.trim_end().to_owned(),
        });
    }
    if left_out > 0 {
        lines.push(equal(left_out));
    }
    lines
}

fn equal(count: usize) -> String {
    format!("  ... {count} equal")
}

/// Of long texts of one line: what is around the first character that differs.
fn first_difference(wanted: &str, got: &str) -> String {
    let same = wanted
        .chars()
        .zip(got.chars())
        .take_while(|(a, b)| a == b)
        .count();
    let from = same.saturating_sub(WINDOW);
    let cut = |text: &str| {
        let length = text.chars().count();
        let part: String = text.chars().skip(from).take(2 * WINDOW).collect();
        let before = if from > 0 { "..." } else { "" };
        let after = if length > from + 2 * WINDOW {
            "..."
        } else {
            ""
        };
        format!("{before}{part}{after}")
    };
    let column = same - from + if from > 0 { 3 } else { 0 };
    format!(
        "expected: {}\n     got: {}\n          {}^ the texts differ from character {same} on",
        cut(wanted),
        cut(got),
        " ".repeat(column)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_and_equal_values_have_no_difference() {
        assert_eq!(show("[1, 2]", "[1, 3]", false), "");
        assert_eq!(show("a\nb", "a\nb", false), "");
    }

    #[test]
    fn lines_with_what_is_around_them() {
        let wanted = "one\ntwo\nthree\nfour\nfive\nsix\nseven";
        let got = "one\ntwo\nthree\n4\nfive\nsix\nseven\neight";
        let expected = "the values differ (- expected, + got):\n  ... 1 equal\n  two\n  three\n- four\n+ 4\n  five\n  six\n  seven\n+ eight";
        assert_eq!(show(wanted, got, false), expected);
        assert!(show(wanted, got, true).contains("\x1b[31m- four\x1b[0m"));
    }

    #[test]
    fn elements_of_arrays_have_their_places() {
        let list = |changed: i32| {
            let items: Vec<String> = (0..40)
                .map(|i| if i == 20 { changed } else { i }.to_string())
                .collect();
            format!("[{}]", items.join(", "))
        };
        let found = show(&list(20), &list(7), false);
        let expected = "the values differ (- expected, + got):\n  ... 18 equal\n  [18] 18\n  [19] 19\n- [20] 20\n+ [20] 7\n  [21] 21\n  [22] 22\n  ... 17 equal";
        assert_eq!(found, expected);
    }

    #[test]
    fn fields_of_structs_and_nested_lists() {
        let found = elements("P(x: [1, 2], s: u)");
        assert_eq!(found, Some(vec!["x: [1, 2]", "s: u"]));
        assert_eq!(elements("some words (in brackets)"), None);
        assert_eq!(elements("[a), b]"), None);
        assert_eq!(elements("[é, (ü)]"), Some(vec!["é", "(ü)"]));
    }

    #[test]
    fn long_texts_of_one_line_show_the_first_character_that_differs() {
        let wanted = format!("{}x{}", "a".repeat(50), "b".repeat(50));
        let got = wanted.replace('x', "y");
        let found = show(&wanted, &got, false);
        assert!(found.contains("differ from character 50 on"), "{found}");
        let lines: Vec<&str> = found.lines().collect();
        let caret = lines[2].find('^').expect("a mark");
        assert_eq!(
            (&lines[0][caret..=caret], &lines[1][caret..=caret]),
            ("x", "y")
        );
    }

    #[test]
    fn what_is_too_long_to_compare_is_different_as_a_whole() {
        let wanted: Vec<String> = (0..3000).map(|i| format!("a{i}")).collect();
        let got: Vec<String> = (0..3000).map(|i| format!("b{i}")).collect();
        let found = show(&wanted.join("\n"), &got.join("\n"), false);
        assert!(found.lines().count() < MOST + 3 && found.ends_with("more that differ"));
    }
}
