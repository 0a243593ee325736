//! `simple test --coverage`: which lines of modules ran, as a table and in the format of lcov.
//!
//! Each spec file runs in a process of its own, which leaves its counts in its records (`crate::coverage`); here they
//! are added up. Modules that no spec file imports are not known.

use simple_core::externs::spec::Log;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

/// The counts of several programs.
#[derive(Debug, Default)]
pub struct Covered {
    files: BTreeMap<String, BTreeMap<u32, u64>>,
}

impl Covered {
    /// Adds what a program has left.
    pub fn add(&mut self, log: &Log) {
        for (file, lines) in &log.covered {
            let counts = self.files.entry(file.clone()).or_default();
            for (line, count) in lines {
                *counts.entry(*line).or_default() += count;
            }
        }
    }

    /// A line for each file, and one for all of them. Paths are shown from the folder.
    pub fn table(&self, folder: &Path) -> String {
        if self.files.is_empty() {
            return "no lines to cover: the spec files import no modules\n".to_owned();
        }
        let mut text = "lines that ran\n".to_owned();
        let (mut ran, mut all) = (0, 0);
        for (file, lines) in &self.files {
            let hit = lines.values().filter(|count| **count > 0).count();
            let missed = missed(lines);
            let shown = Path::new(file)
                .strip_prefix(folder)
                .unwrap_or(Path::new(file));
            let missed = match missed.as_str() {
                "" => String::new(),
                missed => format!("  without {missed}"),
            };
            row(
                &mut text,
                hit,
                lines.len(),
                &format!("{}{missed}", shown.display()),
            );
            ran += hit;
            all += lines.len();
        }
        row(&mut text, ran, all, "all");
        text
    }

    /// The same for tools, in the format of lcov.
    pub fn lcov(&self) -> String {
        let mut text = String::new();
        for (file, lines) in &self.files {
            let _ = writeln!(text, "TN:\nSF:{file}");
            for (line, count) in lines {
                let _ = writeln!(text, "DA:{line},{count}");
            }
            let hit = lines.values().filter(|count| **count > 0).count();
            let _ = writeln!(text, "LF:{}\nLH:{hit}\nend_of_record", lines.len());
        }
        text
    }
}

fn row(text: &mut String, ran: usize, all: usize, name: &str) {
    let share = ran as f64 / all.max(1) as f64 * 100.0;
    let counts = format!("{ran} of {all}");
    let _ = writeln!(text, "{share:6.1} %  {counts:>12}  {name}");
}

/// Lines that never ran, such as `3, 7-9`; those between them that cannot run do not count.
fn missed(lines: &BTreeMap<u32, u64>) -> String {
    let mut groups: Vec<(u32, u32)> = Vec::new();
    let mut open = false;
    for (line, count) in lines {
        match groups.last_mut() {
            Some(last) if *count == 0 && open => last.1 = *line,
            _ if *count == 0 => groups.push((*line, *line)),
            _ => {}
        }
        open = *count == 0;
    }
    let word = |(from, to): &(u32, u32)| match from == to {
        true => from.to_string(),
        false => format!("{from}-{to}"),
    };
    groups.iter().map(word).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_added_up() {
        let mut covered = Covered::default();
        for text in [
            "covered\t/p/a.spl\t1:2 3:0 4:0 9:1\n",
            "covered\t/p/a.spl\t1:1 3:0 4:0 9:0\ncovered\t/p/b.spl\t1:0\n",
        ] {
            covered.add(&Log::read(text));
        }
        let table = covered.table(Path::new("/p"));
        let expected = "lines that ran\n  50.0 %        2 of 4  a.spl  without 3-4\n   0.0 %        0 of 1  b.spl  without 1\n  40.0 %        2 of 5  all\n";
        assert_eq!(table, expected);
        let first = "TN:\nSF:/p/a.spl\nDA:1,3\nDA:3,0\nDA:4,0\nDA:9,1\nLF:4\nLH:2\nend_of_record\n";
        assert!(covered.lcov().starts_with(first), "{}", covered.lcov());
    }
}
