//! The XML of JUnit: a suite for each spec file, a case for each example, as continuous integration reads it.
//!
//! No standard exists; what is written is what the readers of Jenkins, GitLab and GitHub's actions share: `testsuites`,
//! `testsuite`, `testcase` with `failure` or `skipped`, times in seconds.

use super::Report;
use simple_core::externs::spec::{Outcome, Tally};
use std::fmt::Write;
use std::path::Path;

/// The report of these files.
pub fn xml(files: &[(&Path, &Report)]) -> String {
    let mut suites = String::new();
    let mut total = Tally::default();
    let mut seconds = 0.0;
    for (file, report) in files {
        total.add(report.tally());
        seconds += report.took.as_secs_f64();
        suite(file, report, &mut suites);
    }
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {}>\n{suites}</testsuites>\n",
        counts(total, seconds)
    )
}

fn counts(tally: Tally, seconds: f64) -> String {
    let tests = tally.passed + tally.failed + tally.skipped;
    format!(
        "tests=\"{tests}\" failures=\"{}\" skipped=\"{}\" time=\"{seconds:.6}\"",
        tally.failed, tally.skipped
    )
}

fn suite(file: &Path, report: &Report, text: &mut String) {
    let name = escape(&file.display().to_string());
    let counts = counts(report.tally(), report.took.as_secs_f64());
    let _ = writeln!(text, "  <testsuite name=\"{name}\" {counts}>");
    for example in &report.log.examples {
        let seconds = example.nanoseconds as f64 / 1e9;
        let class = match example.group.as_str() {
            "" => name.clone(),
            group => escape(group),
        };
        let case = escape(&example.name);
        let _ = write!(
            text,
            "    <testcase classname=\"{class}\" name=\"{case}\" file=\"{name}\" time=\"{seconds:.6}\""
        );
        let first = example.reason.lines().next().unwrap_or_default();
        let _ = match example.outcome {
            Outcome::Passed => writeln!(text, "/>"),
            Outcome::Skipped => writeln!(
                text,
                ">\n      <skipped message=\"{}\"/>\n    </testcase>",
                escape(first)
            ),
            Outcome::Failed => writeln!(
                text,
                ">\n      <failure message=\"{}\">{}</failure>\n    </testcase>",
                escape(first),
                escape(&example.reason)
            ),
        };
    }
    if let Some(reason) = &report.broken {
        let case = report
            .log
            .running
            .as_ref()
            .map_or("the file itself", |it| &it.1);
        let _ = writeln!(
            text,
            "    <testcase classname=\"{name}\" name=\"{}\" file=\"{name}\" time=\"0\">\n      <failure message=\"{}\"/>\n    </testcase>",
            escape(case),
            escape(reason)
        );
    }
    let errors = String::from_utf8_lossy(&report.stderr);
    if !errors.trim().is_empty() {
        let _ = writeln!(text, "    <system-err>{}</system-err>", escape(&errors));
    }
    text.push_str("  </testsuite>\n");
}

/// Text of an attribute or element: without colours, and without the characters that XML 1.0 does not have.
fn escape(text: &str) -> String {
    let mut found = String::with_capacity(text.len());
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '&' => found.push_str("&amp;"),
            '<' => found.push_str("&lt;"),
            '>' => found.push_str("&gt;"),
            '"' => found.push_str("&quot;"),
            '\x1b' => while letters.next().is_some_and(|letter| letter != 'm') {},
            '\n' => found.push_str("&#10;"),
            '\t' => found.push_str("&#9;"),
            '\u{fffe}' | '\u{ffff}' => found.push('\u{fffd}'),
            control if control < ' ' => found.push('\u{fffd}'),
            other => found.push(other),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_escaped() {
        assert_eq!(
            escape("a<b> & \"c\"\n\x07"),
            "a&lt;b&gt; &amp; &quot;c&quot;&#10;\u{fffd}"
        );
        assert_eq!(escape("\x1b[31m- four\x1b[0m"), "- four");
    }
}
