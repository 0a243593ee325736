//! The pages of `doc/errors`: one for each code of the compiler.
//!
//! A page `E0301.md` begins with `# E0301: ` and the code's title, explains it, shows a program tagged `simple:fail` (`simple:warn` for a
//! warning) with all that the compiler says of it, and at least one fixed program tagged `simple`. The program must raise this code and
//! no other. `README.md` lists all pages; `UPDATE_GOLDEN=1` rewrites it.

use simple_cli::doctest::page::{Kind, Page, Said};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Codes whose pages show no failing program, and why.
const WITHOUT_A_PROGRAM: &[(&str, &str)] = &[
    ("E0214", "it takes a file that cannot be read"),
    ("E0291", "what it covers shrinks with every version"),
    ("E0328", "it takes a compiler bug"),
    ("E0329", "it takes a compiler bug"),
    ("E0427", "it depends on the release of libtorch"),
];

/// Every code with its title.
fn titles() -> BTreeMap<String, String> {
    simple_cli::explain::codes()
        .map(|(code, title)| (code.to_owned(), title.to_owned()))
        .collect()
}

fn folder() -> PathBuf {
    crate::root().join("doc/errors")
}

/// The pages of codes, without the list of them.
pub fn all() -> Vec<PathBuf> {
    let mut pages = crate::pages_below(&folder());
    pages.retain(|page| page.file_name().is_none_or(|name| name != "README.md"));
    pages
}

fn code_of(path: &std::path::Path) -> String {
    path.file_stem()
        .map(|stem| stem.to_string_lossy().into_owned())
        .unwrap_or_default()
}

/// What is wrong with a page.
pub fn check(page: &mut Page) -> Vec<String> {
    let code = code_of(&page.path);
    let Some(title) = titles().remove(&code) else {
        return vec![format!(
            "doc/errors/{code}.md explains a code that the compiler does not have; delete it"
        )];
    };
    let mut problems = Vec::new();
    let heading = format!("# {code}: {title}");
    if page.lines.first() != Some(&heading) {
        problems.push(format!("doc/errors/{code}.md must begin with `{heading}`"));
    }
    let mut shown = false;
    let mut fixed = false;
    for index in 0..page.examples.len() {
        let kind = page.examples[index].kind;
        let outcome = match page.examples[index].run(&crate::setting()) {
            Ok(outcome) => outcome,
            Err(problem) => {
                problems.push(problem);
                continue;
            }
        };
        let raised = codes_in(&outcome.stderr);
        match kind {
            Kind::Fail | Kind::Warn => {
                shown = true;
                if raised.is_empty() || raised.iter().any(|other| *other != code) {
                    problems.push(format!(
                        "doc/errors/{code}.md: its program raises {raised:?}\n{}",
                        outcome.stderr
                    ));
                }
            }
            _ => {
                fixed = true;
                if !raised.is_empty() {
                    problems.push(format!(
                        "doc/errors/{code}.md: the fixed program raises {raised:?}\n{}",
                        outcome.stderr
                    ));
                }
            }
        }
        problems.extend(page.compare(index, &outcome, Said::Whole));
    }
    let exempt = WITHOUT_A_PROGRAM.iter().any(|(other, _)| *other == code);
    if shown == exempt {
        problems.push(format!(
            "doc/errors/{code}.md must show a program that raises {code}, tagged `simple:fail` or `simple:warn`"
        ));
    }
    if !fixed && !exempt {
        problems.push(format!(
            "doc/errors/{code}.md must show a fixed program, tagged `simple`"
        ));
    }
    problems
}

/// The codes of the diagnostics in `stderr`.
fn codes_in(stderr: &str) -> Vec<String> {
    stderr
        .lines()
        .filter_map(|line| {
            let rest = line
                .strip_prefix("error[")
                .or_else(|| line.strip_prefix("warning["))?;
            rest.split_once(']').map(|(code, _)| code.to_owned())
        })
        .collect()
}

/// Every code has a page, every page a code, and the list names them all.
pub fn check_index() {
    let titles = titles();
    let pages: Vec<String> = all().iter().map(|path| code_of(path)).collect();
    let missing: Vec<String> = titles
        .iter()
        .filter(|(code, _)| !pages.contains(code))
        .map(|(code, title)| format!("doc/errors/{code}.md is missing; it explains: {title}"))
        .collect();
    assert!(missing.is_empty(), "{}", missing.join("\n"));
    let orphans: Vec<&String> = pages
        .iter()
        .filter(|code| !titles.contains_key(*code))
        .collect();
    assert!(
        orphans.is_empty(),
        "pages in doc/errors of codes that the compiler does not have: {orphans:?}"
    );
    let mut index = String::from(
        "# Errors and warnings\n\nA page for each code that the compiler reports. `simple explain E0301` prints one.\n\n| code | what it says |\n| --- | --- |\n",
    );
    for (code, title) in &titles {
        index.push_str(&format!("| [{code}]({code}.md) | {title} |\n"));
    }
    let path = folder().join("README.md");
    simple_testing::golden::check(&path, &index);
}
