//! What spec files leave with the process that runs them: how many examples passed, failed and were skipped.
//!
//! The report itself is written in Simple (`lib/std/spec.spl`); here are the options that it asks for and the count, which must
//! outlive the program however it ends. A caller that runs files in separate processes has the count written to a file
//! after each example ([`count_in`]).

use std::cell::{Cell, RefCell};
use std::fs::File;
use std::io::{Seek, SeekFrom, Write};

/// How the examples of a program ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Tally {
    /// Examples that passed.
    pub passed: u64,
    /// Examples that failed.
    pub failed: u64,
    /// Examples that did not run.
    pub skipped: u64,
}

/// How far a program has come whose count goes to a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Progress {
    /// It has not begun: it was refused.
    NotStarted,
    /// It runs, or died.
    Running,
    /// It came to its end.
    Finished,
}

/// The words for progress after the numbers in the file.
const RUNNING: &str = "running";
const FINISHED: &str = "finished";

impl Tally {
    /// Reads what [`count_in`] has written.
    pub fn read(text: &str) -> (Tally, Progress) {
        let mut words = text.split_whitespace();
        let mut next = || words.next().and_then(|word| word.parse().ok()).unwrap_or(0);
        let tally = Tally {
            passed: next(),
            failed: next(),
            skipped: next(),
        };
        let progress = match words.next() {
            Some(FINISHED) => Progress::Finished,
            Some(_) => Progress::Running,
            None => Progress::NotStarted,
        };
        (tally, progress)
    }

    /// Adds another count to this one.
    pub fn add(&mut self, other: Tally) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
    }
}

thread_local! {
    static OPTIONS: RefCell<Vec<(String, String)>> = const { RefCell::new(Vec::new()) };
    static TALLY: Cell<Tally> = const { Cell::new(Tally { passed: 0, failed: 0, skipped: 0 }) };
    static COUNT_FILE: RefCell<Option<File>> = const { RefCell::new(None) };
}

/// Sets what the spec library of this thread's program asks for by name.
pub fn set_options(options: Vec<(String, String)>) {
    OPTIONS.with(|slot| *slot.borrow_mut() = options);
}

/// Has the count written to this file after each example, so that it is known even if the process dies.
pub fn count_in(file: File) {
    COUNT_FILE.with(|slot| *slot.borrow_mut() = Some(file));
}

/// How the examples on this thread have ended so far.
pub fn tally() -> Tally {
    TALLY.get()
}

/// Notes in the file of [`count_in`] that the program begins.
pub fn start() {
    write(tally(), RUNNING);
}

/// Notes in the file of [`count_in`] that the program has come to its end.
pub fn finish() {
    write(tally(), FINISHED);
}

/// Whether the count goes to a file, for another process to sum up.
pub fn is_counted() -> bool {
    COUNT_FILE.with(|slot| slot.borrow().is_some())
}

/// A full disk costs the count, not the run. Numbers only grow, so a later line covers an earlier one.
fn write(tally: Tally, progress: &str) {
    let Tally {
        passed,
        failed,
        skipped,
    } = tally;
    COUNT_FILE.with(|slot| {
        if let Some(file) = slot.borrow_mut().as_mut() {
            let line = format!("{passed} {failed} {skipped} {progress}\n");
            let _ = file
                .seek(SeekFrom::Start(0))
                .and_then(|_| file.write_all(line.as_bytes()));
        }
    });
}

pub(super) fn option(name: &str) -> String {
    OPTIONS.with(|options| {
        let options = options.borrow();
        let found = options.iter().find(|(other, _)| other == name);
        found.map(|(_, value)| value.clone()).unwrap_or_default()
    })
}

pub(super) fn record(passed: i64, failed: i64, skipped: i64) {
    let mut tally = TALLY.get();
    tally.add(Tally {
        passed: passed.max(0) as u64,
        failed: failed.max(0) as u64,
        skipped: skipped.max(0) as u64,
    });
    TALLY.set(tally);
    write(tally, RUNNING);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_count_is_written_after_each_example() {
        let path = std::env::temp_dir().join(format!("simple-tally-{}", std::process::id()));
        count_in(File::create(&path).expect("a temporary file"));
        assert_eq!(tally(), Tally::default());
        record(1, 0, 0);
        record(0, 1, 2);
        let text = std::fs::read_to_string(&path).expect("the count");
        let expected = Tally {
            passed: 1,
            failed: 1,
            skipped: 2,
        };
        assert_eq!(Tally::read(&text), (expected, Progress::Running));
        assert_eq!(tally(), expected);
        finish();
        let text = std::fs::read_to_string(&path).expect("the count");
        let _ = std::fs::remove_file(&path);
        assert_eq!(Tally::read(&text), (expected, Progress::Finished));
        assert_eq!(Tally::read(""), (Tally::default(), Progress::NotStarted));
    }

    #[test]
    fn options_that_are_not_set_are_empty() {
        set_options(vec![("filter".to_owned(), "stack".to_owned())]);
        assert_eq!(
            (option("filter").as_str(), option("list").as_str()),
            ("stack", "")
        );
    }
}
