//! What spec files leave with the process that runs them: how each example ended, how long it took and why it failed.
//!
//! The report itself is written in Simple (`lib/std/spec.spl`); here are the options that it asks for and the records,
//! which must outlive the program however it ends. A caller that runs files in separate processes has them written to
//! a file line by line ([`record_in`]) and reads them with [`log::Log`]. `limit.rs` ends examples that take too long,
//! `difference.rs` compares long texts.

mod difference;
mod limit;
pub mod log;

pub use limit::limit_time;
pub use log::{Log, Outcome, Progress, Tally};

use std::cell::{Cell, RefCell};
use std::fs::File;
use std::io::Write;
use std::sync::Arc;
use std::time::Instant;

/// What is known about the examples of this thread.
#[derive(Default)]
struct Recorder {
    options: Vec<(String, String)>,
    /// Where records go, if another process wants them.
    file: Option<File>,
    /// When the example that runs began, and what its name is.
    began: Option<Instant>,
    /// What ends an example that takes too long.
    limit: Option<Arc<limit::Limit>>,
}

thread_local! {
    static RECORDER: RefCell<Recorder> = RefCell::default();
    static TALLY: Cell<Tally> = const { Cell::new(Tally { passed: 0, failed: 0, skipped: 0 }) };
}

/// Sets what the spec library of this thread's program asks for by name.
pub fn set_options(options: Vec<(String, String)>) {
    RECORDER.with(|recorder| recorder.borrow_mut().options = options);
}

/// Has records written to this file as examples begin and end, so that they are known even if the process dies.
pub fn record_in(file: File) {
    RECORDER.with(|recorder| recorder.borrow_mut().file = Some(file));
}

/// How the examples on this thread have ended so far.
pub fn tally() -> Tally {
    TALLY.get()
}

/// Records that the program begins.
pub fn start() {
    write(&[log::RUNNING]);
    arm();
}

/// Records that the program has come to its end.
pub fn finish() {
    disarm();
    write(&[log::FINISHED]);
}

/// Records which lines of a file ran how often; those that could run and did not have 0.
pub fn covered(file: &str, lines: impl Iterator<Item = (u32, u64)>) {
    let lines: Vec<String> = lines
        .map(|(line, count)| format!("{line}:{count}"))
        .collect();
    write(&[log::COVERED, file, &lines.join(" ")]);
}

/// Whether records go to a file, for another process to sum up.
pub fn is_recorded() -> bool {
    RECORDER.with(|recorder| recorder.borrow().file.is_some())
}

/// A full disk costs the record, not the run.
fn write(fields: &[&str]) {
    RECORDER.with(|recorder| {
        if let Some(file) = &mut recorder.borrow_mut().file {
            let _ = file.write_all(log::line(fields).as_bytes());
        }
    });
}

/// Gives what runs next its time.
fn arm() {
    RECORDER.with(|recorder| {
        if let Some(limit) = &recorder.borrow().limit {
            limit.arm();
        }
    });
}

fn disarm() {
    RECORDER.with(|recorder| {
        if let Some(limit) = &recorder.borrow().limit {
            limit.disarm();
        }
    });
}

pub(super) fn option(name: &str) -> String {
    RECORDER.with(|recorder| {
        let recorder = recorder.borrow();
        let found = recorder.options.iter().find(|(other, _)| other == name);
        found.map(|(_, value)| value.clone()).unwrap_or_default()
    })
}

/// An example begins.
pub(super) fn begin(group: &str, name: &str) {
    write(&[log::BEGIN, group, name]);
    RECORDER.with(|recorder| recorder.borrow_mut().began = Some(Instant::now()));
    arm();
}

/// An example has ended; how many nanoseconds it ran, 0 for one that did not begin.
pub(super) fn record(group: &str, name: &str, outcome: i64, message: &str) -> i64 {
    let began = RECORDER.with(|recorder| recorder.borrow_mut().began.take());
    let took = began.map_or(0, |began| began.elapsed().as_nanos());
    let took = i64::try_from(took).unwrap_or(i64::MAX);
    arm();
    let outcome = Outcome::of(outcome);
    let mut tally = TALLY.get();
    tally.count(outcome);
    TALLY.set(tally);
    write(&[
        log::EXAMPLE,
        outcome.word(),
        &took.to_string(),
        group,
        name,
        message,
    ]);
    took
}

/// Where two long texts differ; empty if both are short.
pub(super) fn difference(wanted: &str, got: &str) -> String {
    difference::show(wanted, got, option("colour") == "on")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_written_as_examples_begin_and_end() {
        let path = std::env::temp_dir().join(format!("simple-records-{}", std::process::id()));
        record_in(File::create(&path).expect("a temporary file"));
        let read = || Log::read(&std::fs::read_to_string(&path).expect("the records"));
        assert_eq!(read().progress, Progress::NotStarted);
        start();
        begin("a stack", "has\ttabs\nand lines \\ too");
        let open = read();
        assert_eq!(open.progress, Progress::Running);
        let running = Some((
            "a stack".to_owned(),
            "has\ttabs\nand lines \\ too".to_owned(),
        ));
        assert_eq!((open.running, open.examples.len()), (running, 0));
        assert!(record("a stack", "has\ttabs\nand lines \\ too", 0, "") >= 0);
        begin("", "alone");
        record("", "alone", 1, "expected: 1\n     got: 2");
        assert_eq!(record("", "later", 2, "pending"), 0);
        covered("a.spl", [(1, 2), (7, 0)].into_iter());
        finish();
        let log = read();
        let _ = std::fs::remove_file(&path);
        assert_eq!((log.progress, &log.running), (Progress::Finished, &None));
        assert_eq!(log.examples[0].name, "has\ttabs\nand lines \\ too");
        assert_eq!(log.examples[1].outcome, Outcome::Failed);
        assert_eq!(log.examples[1].reason, "expected: 1\n     got: 2");
        assert_eq!(log.examples[2].nanoseconds, 0);
        assert_eq!(log.covered, [("a.spl".to_owned(), vec![(1, 2), (7, 0)])]);
        let counted = Tally {
            passed: 1,
            failed: 1,
            skipped: 1,
        };
        assert_eq!((log.tally(), tally()), (counted, counted));
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
