//! Rules that leave out a check, or change the form of a loop, hold under conditions. For each condition there is a program that breaks it alone, so
//! that a condition that somebody leaves out is noticed. The tables in `conditions/` say which program that is; this test holds them complete.
//!
//! A condition has a name at its place in the code, in a comment: `[condition carried.always]`. A row of a table is that name and what notices its
//! absence: a program below `tests/`, a test as `path/of/file.rs::name`, or `same:` and why the rule would hold without it. A table also names the
//! files that it is about, each with the number of decisions in it, as read when the table was made. Whoever adds a decision reads the rule again.
//! `UPDATE_GOLDEN=1` writes the numbers of today. What rules do is not looked at here: that is what the programs are for.

use simple_testing::golden;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// A table as written: the files with their decisions, and the conditions with what notices their absence.
struct Table {
    path: PathBuf,
    files: Vec<(String, usize)>,
    conditions: Vec<(String, String)>,
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn tables() -> Vec<Table> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/conditions");
    let mut paths: Vec<PathBuf> = fs::read_dir(folder)
        .expect("the folder of the tables is there")
        .map(|entry| entry.expect("a folder can be read").path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "txt"))
        .collect();
    paths.sort();
    paths.into_iter().map(read).collect()
}

/// Lines are comments (`#`), `file PATH NUMBER`, or `NAME NOTICED-BY`.
fn read(path: PathBuf) -> Table {
    let text = fs::read_to_string(&path).expect("tables are text");
    let (mut files, mut conditions) = (Vec::new(), Vec::new());
    for line in text.lines().map(str::trim) {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let (first, rest) = line
            .split_once(char::is_whitespace)
            .unwrap_or_else(|| panic!("{}: a row of one word: {line}", path.display()));
        if first == "file" {
            let (file, number) = rest
                .trim()
                .split_once(char::is_whitespace)
                .unwrap_or_else(|| panic!("{}: no number of decisions: {line}", path.display()));
            let number = number.trim().parse().expect("a number of decisions");
            files.push((file.to_owned(), number));
        } else {
            conditions.push((first.to_owned(), rest.trim().to_owned()));
        }
    }
    Table {
        path,
        files,
        conditions,
    }
}

/// The text of a source file without its own tests.
fn source(file: &str) -> String {
    let path = repository().join(file);
    let text = fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("a table names {}: {error}", path.display()));
    let end = text.find("\n#[cfg(test)]\nmod ").unwrap_or(text.len());
    text[..end].to_owned()
}

/// The names of conditions in a text.
fn names(text: &str) -> Vec<String> {
    // A comment that goes on in the next line may part the word from the name.
    let joined = text.lines().map(str::trim_start).collect::<Vec<_>>();
    let joined = joined.join("\n").replace("[condition\n# ", "[condition ");
    joined
        .match_indices("[condition ")
        .map(|(at, mark)| {
            let rest = joined[at + mark.len()..].split(']').next();
            rest.unwrap_or_default().to_owned()
        })
        .collect()
}

/// How often a text decides: `if`, `while`, `match`, `&&`, `||`, `?`, `return None`, `return false`, outside of comments.
fn decisions(text: &str) -> usize {
    let code = text
        .lines()
        .map(|line| line.split("//").next().unwrap_or(""));
    code.map(|line| {
        let words = line
            .split(|c: char| !c.is_alphanumeric() && c != '_')
            .filter(|word| matches!(*word, "if" | "while" | "match"))
            .count();
        let marks: usize = ["&&", "||", "return None", "return false", "?;", "?)", "?."]
            .iter()
            .map(|mark| line.matches(mark).count())
            .sum();
        words + marks
    })
    .sum()
}

#[test]
fn each_condition_has_a_row_and_each_row_a_condition() {
    for table in tables() {
        let in_code: Vec<String> = table
            .files
            .iter()
            .flat_map(|(file, _)| names(&source(file)))
            .collect();
        let unique: BTreeSet<&String> = in_code.iter().collect();
        assert_eq!(
            unique.len(),
            in_code.len(),
            "{}: a name is in the code twice: {in_code:?}",
            table.path.display()
        );
        let rows: BTreeMap<&String, &String> =
            table.conditions.iter().map(|(a, b)| (a, b)).collect();
        assert_eq!(
            rows.len(),
            table.conditions.len(),
            "{}: a condition has two rows",
            table.path.display()
        );
        let without_row: Vec<_> = unique
            .iter()
            .filter(|name| !rows.contains_key(**name))
            .collect();
        assert!(
            without_row.is_empty(),
            "{}: conditions in the code without a program that breaks them: {without_row:?}",
            table.path.display()
        );
        let without_code: Vec<_> = rows
            .keys()
            .filter(|name| !unique.contains(**name))
            .collect();
        assert!(
            without_code.is_empty(),
            "{}: rows whose condition is not in the code any more: {without_code:?}",
            table.path.display()
        );
    }
}

#[test]
fn what_notices_a_condition_is_there() {
    for table in tables() {
        for (name, noticed) in &table.conditions {
            let place = format!("{}: {name}", table.path.display());
            if let Some(reason) = noticed.strip_prefix("same:") {
                assert!(!reason.trim().is_empty(), "{place}: no reason is given");
                continue;
            }
            for path in noticed.split_whitespace() {
                let (file, test) = match path.split_once("::") {
                    Some((file, test)) => (repository().join(file), Some(test)),
                    None => (repository().join("runtime/cli/tests").join(path), None),
                };
                let text = fs::read_to_string(&file)
                    .unwrap_or_else(|error| panic!("{place}: {}: {error}", file.display()));
                if let Some(test) = test {
                    assert!(
                        text.contains(&format!("fn {test}(")),
                        "{place}: {} has no test `{test}`",
                        file.display()
                    );
                }
            }
        }
    }
}

#[test]
fn no_decision_is_newer_than_its_table() {
    for table in tables() {
        let mut text = fs::read_to_string(&table.path).expect("tables are text");
        let mut changed = Vec::new();
        for (file, known) in &table.files {
            let now = decisions(&source(file));
            if now == *known {
                continue;
            }
            changed.push(format!("{file} decides {now} times, and did {known} times"));
            text = text.replace(
                &format!("file {file} {known}\n"),
                &format!("file {file} {now}\n"),
            );
        }
        if let Err(why) = golden::compare(&table.path, &text) {
            panic!(
                "{}\nRead what changed: a new condition gets a name in a comment, a row, and a program that breaks it alone.\n{why}",
                changed.join("\n")
            );
        }
    }
}
