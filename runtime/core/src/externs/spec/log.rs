//! The records of a spec file's run as lines of text, which one process writes and another reads.
//!
//! A line is fields between tabs; tabs, line breaks and backslashes of a field are escaped. A process that dies may
//! leave half a line, which has no line break and is left out.

/// The words that lines begin with.
pub(super) const RUNNING: &str = "running";
pub(super) const FINISHED: &str = "finished";
pub(super) const BEGIN: &str = "begin";
pub(super) const EXAMPLE: &str = "example";
pub(super) const COVERED: &str = "covered";

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

impl Tally {
    /// Adds another count to this one.
    pub fn add(&mut self, other: Tally) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
    }

    /// Counts an example.
    pub fn count(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Passed => self.passed += 1,
            Outcome::Failed => self.failed += 1,
            Outcome::Skipped => self.skipped += 1,
        }
    }
}

/// How an example ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// No error left it.
    Passed,
    /// An error left it.
    Failed,
    /// It did not run, or not to its end.
    Skipped,
}

impl Outcome {
    const ALL: [Outcome; 3] = [Outcome::Passed, Outcome::Failed, Outcome::Skipped];

    /// The outcome that the library in Simple has this number for.
    pub(super) fn of(number: i64) -> Outcome {
        let found = usize::try_from(number)
            .ok()
            .and_then(|at| Outcome::ALL.get(at));
        found.copied().unwrap_or(Outcome::Failed)
    }

    pub(super) fn word(self) -> &'static str {
        match self {
            Outcome::Passed => "passed",
            Outcome::Failed => "failed",
            Outcome::Skipped => "skipped",
        }
    }
}

/// How far a program has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Progress {
    /// It has not begun: it was refused.
    #[default]
    NotStarted,
    /// It runs, or died.
    Running,
    /// It came to its end.
    Finished,
}

/// An example that has ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Example {
    /// The names of the groups around it, the outermost first, with a space between them.
    pub group: String,
    /// Its own name.
    pub name: String,
    /// How it ended.
    pub outcome: Outcome,
    /// How long it ran, with the hooks around it.
    pub nanoseconds: u64,
    /// Why it failed or was left out.
    pub reason: String,
}

/// What a run has left.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Log {
    /// How far it has come.
    pub progress: Progress,
    /// Examples that have ended.
    pub examples: Vec<Example>,
    /// Groups and name of the example that has begun and not ended.
    pub running: Option<(String, String)>,
    /// The lines of each file that could run, with how often they did.
    pub covered: Vec<(String, Vec<(u32, u64)>)>,
}

impl Log {
    /// Reads what a run has left.
    pub fn read(text: &str) -> Log {
        let mut log = Log::default();
        for line in text.split_inclusive('\n') {
            let Some(line) = line.strip_suffix('\n') else {
                continue;
            };
            let fields: Vec<String> = line.split('\t').map(unescape).collect();
            let fields: Vec<&str> = fields.iter().map(String::as_str).collect();
            match fields.as_slice() {
                [RUNNING] => log.progress = Progress::Running,
                [FINISHED] => log.progress = Progress::Finished,
                [BEGIN, group, name] => {
                    log.running = Some(((*group).to_owned(), (*name).to_owned()));
                }
                [EXAMPLE, outcome, nanoseconds, group, name, reason] => {
                    log.running = None;
                    let known = Outcome::ALL.into_iter().find(|it| it.word() == *outcome);
                    log.examples.push(Example {
                        group: (*group).to_owned(),
                        name: (*name).to_owned(),
                        outcome: known.unwrap_or(Outcome::Failed),
                        nanoseconds: nanoseconds.parse().unwrap_or(0),
                        reason: (*reason).to_owned(),
                    });
                }
                [COVERED, file, lines] => {
                    let pair = |word: &str| {
                        let (line, count) = word.split_once(':')?;
                        Some((line.parse().ok()?, count.parse().ok()?))
                    };
                    let lines = lines.split(' ').filter_map(pair).collect();
                    log.covered.push(((*file).to_owned(), lines));
                }
                _ => {}
            }
        }
        log
    }

    /// How its examples ended.
    pub fn tally(&self) -> Tally {
        let mut tally = Tally::default();
        for example in &self.examples {
            tally.count(example.outcome);
        }
        tally
    }
}

/// Fields as a line.
pub(super) fn line(fields: &[&str]) -> String {
    let fields: Vec<String> = fields.iter().map(|field| escape(field)).collect();
    fields.join("\t") + "\n"
}

fn escape(field: &str) -> String {
    field
        .replace('\\', "\\\\")
        .replace('\t', "\\t")
        .replace('\n', "\\n")
}

fn unescape(field: &str) -> String {
    let mut text = String::with_capacity(field.len());
    let mut letters = field.chars();
    while let Some(letter) = letters.next() {
        if letter != '\\' {
            text.push(letter);
            continue;
        }
        match letters.next() {
            Some('t') => text.push('\t'),
            Some('n') => text.push('\n'),
            Some(other) => text.push(other),
            None => {}
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_a_line_is_left_out() {
        let log = Log::read("running\nbegin\ta\tb\nexample\tpassed\t12\ta");
        assert_eq!(log.progress, Progress::Running);
        assert_eq!(log.running, Some(("a".to_owned(), "b".to_owned())));
        assert!(log.examples.is_empty());
        assert_eq!(Log::read(""), Log::default());
    }
}
