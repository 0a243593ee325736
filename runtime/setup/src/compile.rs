//! Runs `cargo build` and shows how far it is: the share of the work that is done, the time so far, and about how much is left.
//!
//! Cargo reports each crate when it is compiled; how long each takes compared with the others is written down here, for
//! those that take long. A wrong number makes the estimate worse and nothing else. While one of them is compiled, which may be a minute
//! without a message, it counts as done bit by bit, at a second of work for each second that passes.
//!
//! What cargo itself says, and each crate that was compiled, goes into a log; it is shown when the build fails, or at once where that is wanted.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use super::SetupError;
use super::progress::{self, Step, WHOLE};

/// Where what cargo says goes.
#[derive(Debug)]
pub struct Log {
    /// The file.
    pub path: PathBuf,
    /// Whether it goes to stderr too, as it comes.
    pub shown: bool,
}

impl Log {
    /// Opens the file: the first build of this process begins it, the others go on. Without it a build does as well.
    fn open(&self) -> Option<Mutex<File>> {
        static BEGUN: AtomicBool = AtomicBool::new(false);
        let begun = BEGUN.swap(true, Ordering::Relaxed);
        let _ = fs::create_dir_all(self.path.parent().unwrap_or(Path::new("/")));
        let mut options = File::options();
        options.create(true).append(true);
        let file = options.open(&self.path).ok()?;
        if !begun {
            let _ = file.set_len(0);
        }
        Some(Mutex::new(file))
    }
}

/// Writes a line into the log, if there is one. A disk that is full does not stop a build.
fn note(log: Option<&Mutex<File>>, line: &str) {
    if let Some(Ok(mut file)) = log.map(Mutex::lock) {
        let _ = writeln!(file, "{line}");
    }
}

/// A crate, or the build script of one, and how long it takes in seconds of one core.
pub type Weight = (&'static str, Kind, u64);

/// What cargo tells of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A crate was compiled.
    Crate,
    /// A build script has run, which for some compiles C++.
    Script,
}

/// What takes long in checker and code generator.
pub const FIRST: &[Weight] = &[
    ("syn", Kind::Crate, 4),
    ("serde_core", Kind::Crate, 3),
    ("sdn-parser", Kind::Crate, 5),
    ("simple-syntax", Kind::Crate, 15),
    ("simple-sema", Kind::Crate, 60),
    ("cranelift-codegen-meta", Kind::Crate, 3),
    ("cranelift-isle", Kind::Crate, 3),
    ("cranelift-assembler-x64", Kind::Crate, 16),
    ("cranelift-codegen", Kind::Script, 10),
    ("regalloc2", Kind::Crate, 6),
    ("cranelift-codegen", Kind::Crate, 110),
    ("cranelift-frontend", Kind::Crate, 4),
    ("gimli", Kind::Crate, 4),
    ("simple-core", Kind::Crate, 28),
    ("simple-bridge", Kind::Crate, 12),
    ("simple-middle", Kind::Crate, 44),
    ("simple-image", Kind::Crate, 4),
    ("simple-codegen", Kind::Crate, 9),
];

/// What takes long in the rest of the compiler.
pub const COMPILER: &[Weight] = &[
    ("clap_builder", Kind::Crate, 10),
    ("simple-files", Kind::Crate, 14),
    ("rustyline", Kind::Crate, 2),
    ("lang-c", Kind::Crate, 3),
    ("simple-bind", Kind::Crate, 3),
    ("simple-start", Kind::Crate, 3),
    ("simple-library", Kind::Crate, 3),
    ("simple-cli", Kind::Crate, 14),
];

/// What takes long in the torch library.
pub const TORCH: &[Weight] = &[
    ("simple-torch-shim", Kind::Script, 48),
    ("simple-torch", Kind::Crate, 20),
];

/// Runs a `cargo build` of what the weights describe; `what` names it.
pub fn run(
    mut command: Command,
    what: &str,
    weights: &[Weight],
    log: &Log,
) -> Result<(), SetupError> {
    let program = command.get_program().to_owned();
    let failed_to = |action, error| SetupError::io(action, program.as_ref(), error);
    if !log.shown {
        command.arg("--quiet");
    }
    command
        .arg("--message-format=json-render-diagnostics")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let file = log.open();
    note(file.as_ref(), &format!("building {what}"));
    let mut child = command.spawn().map_err(|error| failed_to("start", error))?;
    let (sender, lines) = channel();
    let reader = child.stdout.take().map(|stdout| {
        thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                // Nothing listens any more when cargo was stopped.
                let _ = sender.send(line);
            }
        })
    });
    // What the compilers complain of, and what cargo does.
    let mut said = Vec::new();
    let stderr = child.stderr.take();
    let mut step = Step::begin_share(&format!("building {what}"));
    let mut work = Work::new(weights);
    // When something was done last, and the largest share that was told: it never goes back.
    let (mut last, mut reached) = (Instant::now(), 0);
    thread::scope(|scope| {
        scope.spawn(|| {
            let lines = stderr.into_iter().flat_map(|it| BufReader::new(it).lines());
            for line in lines.map_while(Result::ok) {
                note(file.as_ref(), &line);
                match log.shown {
                    true => progress::show(&line),
                    false => said.push(line),
                }
            }
        });
        loop {
            match lines.recv_timeout(Duration::from_secs(1)) {
                Ok(line) => {
                    if let Some(name) = compiled(&line) {
                        note(file.as_ref(), &format!("compiled {name}"));
                    }
                    if work.heard(&line) {
                        last = Instant::now();
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            reached = reached.max(work.share(last.elapsed()));
            step.reached(reached);
        }
    });
    let status = child.wait().map_err(|error| failed_to("wait for", error))?;
    if let Some(reader) = reader {
        let _ = reader.join();
    }
    step.end();
    match status.success() {
        true => Ok(()),
        false => {
            for line in said {
                progress::show(&line);
            }
            Err(SetupError::BuildFailed {
                what: what.to_owned(),
                log: log.path.clone(),
            })
        }
    }
}

/// The crate, or the build script of one, of which a message of cargo's says that it was compiled or run.
fn compiled(line: &str) -> Option<&str> {
    if line.contains(r#""fresh":true"#) {
        return None;
    }
    let told = line.contains(r#""reason":"compiler-artifact""#)
        || line.contains(r#""reason":"build-script-executed""#);
    told.then(|| name_of(line)).flatten()
}

/// The name in the `package_id` of a message: `registry+https://...#syn@3.0.9`, `path+file:///.../runtime/cli#simple-cli@0.1.0`, or without the name
/// where the folder has it.
fn name_of(line: &str) -> Option<&str> {
    let (_, id) = line.split_once(r#""package_id":""#)?;
    let id = id.split('"').next().unwrap_or_default();
    let (place, name) = id.rsplit_once('#').unwrap_or(("", id));
    Some(match name.split_once('@') {
        Some((name, _)) => name,
        None => place.rsplit('/').next().unwrap_or(place),
    })
}

/// What takes at least so many seconds counts as done bit by bit, up to this many hundredths.
const LONG: u64 = 10;
const BEFORE_ITS_END: u64 = 90;

/// What is still to be done.
struct Work {
    /// In the order in which it is done, more or less.
    left: Vec<Weight>,
    /// All but what was there from before.
    total: u64,
}

impl Work {
    fn new(weights: &[Weight]) -> Self {
        Self {
            left: weights.to_vec(),
            total: weights.iter().map(|(_, _, seconds)| seconds).sum(),
        }
    }

    /// Takes a message of cargo's, one line of JSON; whether work was done that counts.
    fn heard(&mut self, line: &str) -> bool {
        let kind = if line.contains(r#""reason":"compiler-artifact""#) {
            // A build script is compiled like a crate before it runs.
            if line.contains(r#""kind":["custom-build"]"#) {
                return false;
            }
            Kind::Crate
        } else if line.contains(r#""reason":"build-script-executed""#) {
            Kind::Script
        } else {
            return false;
        };
        let Some(name) = name_of(line) else {
            return false;
        };
        let at = self
            .left
            .iter()
            .position(|(weight, of, _)| (*weight, *of) == (name, kind));
        if let Some(at) = at {
            let (_, _, seconds) = self.left.remove(at);
            if line.contains(r#""fresh":true"#) {
                self.total -= seconds;
                return false;
            }
        }
        at.is_some()
    }

    /// How much is done, of [`WHOLE`], so long after something was done last.
    fn share(&self, since: Duration) -> u64 {
        let seconds = || self.left.iter().map(|(_, _, seconds)| *seconds);
        let all: u64 = seconds().sum();
        let underway = seconds().find(|&seconds| seconds >= LONG);
        let begun = underway.map_or(0, |seconds| {
            since.as_secs().min(seconds * BEFORE_ITS_END / 100)
        });
        match self.total {
            0 => WHOLE,
            total => (total - (all - begun).min(total)) * WHOLE / total,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn artifact(id: &str, kind: &str, fresh: bool) -> String {
        format!(
            r#"{{"reason":"compiler-artifact","package_id":"{id}","target":{{"kind":["{kind}"]}},"fresh":{fresh}}}"#
        )
    }

    #[test]
    fn messages_of_cargo_are_weighed() {
        let weights = [
            ("a", Kind::Crate, 30),
            ("a", Kind::Script, 10),
            ("b", Kind::Crate, 60),
        ];
        let mut work = Work::new(&weights);
        assert_eq!(work.share(Duration::ZERO), 0);
        let a = "registry+https://example.org/index#a@1.2.3";
        work.heard(&artifact(a, "custom-build", false));
        work.heard("no JSON");
        work.heard(r#"{"reason":"build-finished","success":true}"#);
        assert_eq!(work.share(Duration::ZERO), 0);
        let script = format!(r#"{{"reason":"build-script-executed","package_id":"{a}"}}"#);
        work.heard(&script);
        assert_eq!(work.share(Duration::ZERO), 100);
        // Compiled from before: it counts for nothing.
        work.heard(&artifact(a, "lib", true));
        assert_eq!(work.share(Duration::ZERO), 10 * WHOLE / 70);
        work.heard(&artifact("path+file:///x/b#0.1.0", "lib", false));
        assert_eq!(work.share(Duration::ZERO), WHOLE);
    }

    #[test]
    fn what_is_underway_counts_bit_by_bit() {
        let weights = [
            ("a", Kind::Crate, 5),
            ("b", Kind::Script, 40),
            ("c", Kind::Crate, 55),
        ];
        let mut work = Work::new(&weights);
        let after = |work: &Work, seconds| work.share(Duration::from_secs(seconds));
        assert_eq!(after(&work, 0), 0);
        assert_eq!(after(&work, 20), WHOLE / 5);
        // It is not done before cargo says so.
        assert_eq!(after(&work, 3600), 36 * WHOLE / 100);
        assert!(work.heard(&artifact("path+file:///x/a#0.1.0", "lib", false)));
        assert_eq!(after(&work, 0), WHOLE / 20);
        assert!(
            work.heard(
                r#"{"reason":"build-script-executed","package_id":"path+file:///x/b#0.1.0"}"#
            )
        );
        assert_eq!(after(&work, 11), 56 * WHOLE / 100);
        assert!(!work.heard(&artifact("path+file:///x/z#0.1.0", "lib", false)));
    }

    #[test]
    fn every_weight_is_that_of_a_crate_in_the_lock_file() {
        let lock = include_str!("../../../Cargo.lock");
        for (name, _, _) in FIRST.iter().chain(COMPILER).chain(TORCH) {
            assert!(lock.contains(&format!("name = \"{name}\"\n")), "{name}");
        }
    }
}
