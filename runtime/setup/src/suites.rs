//! Runs the test programs of the workspace side by side: cargo builds all of them, and runs one after the other, each of which ends with a core
//! that has nothing to do.
//!
//! What a program prints is shown when it has ended, and what failed is shown last. How long each took is kept, so that the next run begins with
//! the longest. What is not done here: tests in doc comments, which cargo runs (`checks.rs`).

use std::collections::HashMap;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use super::SetupError;
use super::cargo::Cargo;
use super::checks::{Tally, test_result};
use super::find::Libtorch;

/// More programs at a time than this would only wait for each other: each has as many threads as there are cores.
const MOST_AT_A_TIME: usize = 4;

/// A test program.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Suite {
    /// The executable.
    program: PathBuf,
    /// The file with its `main`, below the folder of its crate: `tests/launcher.rs`.
    source: String,
    /// The folder of its crate, in which it runs.
    folder: PathBuf,
}

impl Suite {
    /// What cargo says of a program in a message, if it is about one with tests.
    fn read(message: &str) -> Option<Self> {
        let (_, profile) = message.split_once(r#""profile":{"#)?;
        let (profile, _) = profile.split_once('}')?;
        if !profile.contains(r#""test":true"#) {
            return None;
        }
        let manifest = PathBuf::from(string(message, "manifest_path")?);
        let folder = manifest.parent()?.to_owned();
        let source = PathBuf::from(string(message, "src_path")?);
        Some(Self {
            program: string(message, "executable")?.into(),
            source: source
                .strip_prefix(&folder)
                .unwrap_or(&source)
                .display()
                .to_string(),
            folder,
        })
    }

    /// By what its time is kept: crate and source.
    fn name(&self) -> String {
        let of = self.folder.file_name().unwrap_or_default();
        format!("{}/{}", of.to_string_lossy(), self.source)
    }
}

/// The value of a key of a JSON object that is a text. Paths have no escapes but of quotes and backslashes.
fn string(json: &str, key: &str) -> Option<String> {
    let (_, rest) = json.split_once(&format!(r#""{key}":""#))?;
    let mut value = String::new();
    let mut chars = rest.chars();
    loop {
        match chars.next()? {
            '"' => return Some(value),
            '\\' => value.push(chars.next()?),
            other => value.push(other),
        }
    }
}

/// Builds the test programs of these packages, of the usual ones where there are none, and runs them. `variables` is what they find in their
/// environment.
pub fn run(
    cargo: &Cargo<'_>,
    packages: &[&str],
    libtorch: Option<&Libtorch>,
    variables: &[(&str, PathBuf)],
    out: &mut (impl Write + Send),
) -> Result<Tally, SetupError> {
    let mut build = cargo.tests(packages, libtorch);
    build.args(["--no-run", "--message-format=json-render-diagnostics"]);
    build.stdout(Stdio::piped());
    let program = build.get_program().to_owned();
    let failed_to = |action, error| SetupError::io(action, program.as_ref(), error);
    let mut child = build.spawn().map_err(|error| failed_to("start", error))?;
    let messages = child.stdout.take().into_iter();
    let lines = messages.flat_map(|stdout| BufReader::new(stdout).lines().map_while(Result::ok));
    let mut suites: Vec<Suite> = lines.filter_map(|line| Suite::read(&line)).collect();
    let built = child.wait().map_err(|error| failed_to("wait for", error))?;
    if !built.success() {
        return Ok(Tally::failure());
    }
    let kept = cargo.test_times();
    let mut times = read_times(&kept);
    // The longest first; what has not run before may be long.
    let time = |suite: &Suite| times.get(&suite.name()).copied().unwrap_or(Duration::MAX);
    suites.sort_by_key(|suite| std::cmp::Reverse(time(suite)));
    let ended = side_by_side(&suites, out, |suite| {
        let mut command = cargo.program(&suite.program, libtorch);
        command
            .current_dir(&suite.folder)
            .env("CARGO_MANIFEST_DIR", &suite.folder)
            .envs(variables.iter().map(|(name, value)| (name, value)));
        command
    })?;
    times.extend(ended.times);
    let mut text: Vec<String> = times
        .iter()
        .map(|(name, time)| format!("{} {name}\n", time.as_millis()))
        .collect();
    text.sort();
    // Without it the next run takes a little longer.
    let _ = fs::write(kept, text.concat());
    Ok(ended.tally)
}

/// What a run of several programs came to.
#[derive(Default)]
struct Ended {
    tally: Tally,
    times: HashMap<String, Duration>,
    failed: Vec<Vec<u8>>,
}

/// Runs programs, as many at a time as there are cores.
fn side_by_side(
    suites: &[Suite],
    out: &mut (impl Write + Send),
    command: impl Fn(&Suite) -> Command + Sync,
) -> Result<Ended, SetupError> {
    let cores = thread::available_parallelism().map_or(1, |cores| cores.get());
    let waiting = Mutex::new(suites.iter());
    let shared = Mutex::new((Ended::default(), out));
    let work = || -> Result<(), SetupError> {
        loop {
            let next = waiting.lock().ok().and_then(|mut waiting| waiting.next());
            let Some(suite) = next else { return Ok(()) };
            let begun = Instant::now();
            let output = command(suite)
                .stdin(Stdio::null())
                .output()
                .map_err(|error| SetupError::io("start", &suite.program, error))?;
            let mut text = format!("\nRunning {}\n", suite.name()).into_bytes();
            text.extend(&output.stdout);
            text.extend(&output.stderr);
            let mut tally = counted(&output.stdout);
            if !output.status.success() && tally.failed == 0 {
                // It was killed, or ended before its tests did.
                text.extend(format!("{}\n", output.status).into_bytes());
                tally.failed = 1;
            }
            if let Ok(mut shared) = shared.lock() {
                let (ended, out) = &mut *shared;
                ended.tally.add(tally);
                ended.times.insert(suite.name(), begun.elapsed());
                match tally.failed {
                    // A missing reader is not a reason to stop testing.
                    0 => drop(out.write_all(&text)),
                    _ => ended.failed.push(text),
                }
            }
        }
    };
    thread::scope(|scope| {
        let workers: Vec<_> = (0..cores.min(MOST_AT_A_TIME))
            .map(|_| scope.spawn(work))
            .collect();
        let ends = workers.into_iter().map(|worker| match worker.join() {
            Ok(end) => end,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        ends.collect::<Result<Vec<()>, _>>()
    })?;
    let (ended, out) = shared
        .into_inner()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    for text in &ended.failed {
        let _ = out.write_all(text);
    }
    Ok(ended)
}

/// The sum of the `test result:` lines in what a program printed, which may be any bytes.
fn counted(printed: &[u8]) -> Tally {
    let mut tally = Tally::default();
    for line in printed.split(|byte| *byte == b'\n') {
        if let Some(counted) = test_result(&String::from_utf8_lossy(line)) {
            tally.add(counted);
        }
    }
    tally
}

fn read_times(path: &Path) -> HashMap<String, Duration> {
    let text = fs::read_to_string(path).unwrap_or_default();
    let lines = text.lines().filter_map(|line| {
        let (time, name) = line.split_once(' ')?;
        Some((name.to_owned(), Duration::from_millis(time.parse().ok()?)))
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::super::env::test_support::Scratch;
    use super::*;

    const MESSAGE: &str = r#"{"reason":"compiler-artifact","package_id":"path+file:///s/runtime/cli#simple-cli@0.1.0","manifest_path":"/s/runtime/cli/Cargo.toml","target":{"kind":["test"],"name":"a","src_path":"/s/runtime/cli/tests/a \"b\"/main.rs","test":true},"profile":{"opt_level":"2","test":true},"features":[],"filenames":["/s/target/a-1"],"executable":"/s/target/a-1","fresh":true}"#;

    #[test]
    fn programs_with_tests_are_found_in_messages() {
        let suite = Suite::read(MESSAGE).unwrap();
        assert_eq!(suite.program, Path::new("/s/target/a-1"));
        assert_eq!(suite.folder, Path::new("/s/runtime/cli"));
        assert_eq!(suite.name(), "cli/tests/a \"b\"/main.rs");
        // A program that tests start, a library, something else.
        for other in [
            MESSAGE.replace(r#""2","test":true"#, r#""2","test":false"#),
            MESSAGE.replace(r#""/s/target/a-1","fresh""#, r#"null,"fresh""#),
            r#"{"reason":"build-finished","success":true}"#.to_owned(),
        ] {
            assert_eq!(Suite::read(&other), None, "{other}");
        }
    }

    #[test]
    fn all_are_counted_and_what_failed_is_shown_last() {
        let scratch = Scratch::new("suites");
        let suite = |name: &str, body: &str| {
            let bin = scratch.program(name, body);
            Suite {
                program: bin.join(name),
                source: name.to_owned(),
                folder: scratch.path().to_owned(),
            }
        };
        let result = |passed, failed| {
            format!("echo 'test result: x. {passed} passed; {failed} failed; 0 ignored'")
        };
        let suites = [
            suite("bad", &format!("{}; echo why >&2; exit 101", result(1, 2))),
            suite("good", &result(3, 0)),
            suite("killed", "kill -9 $$"),
            suite("other", &format!("printf '\\377\\n'; {}", result(4, 0))),
        ];
        let mut out = Vec::new();
        let ended = side_by_side(&suites, &mut out, |suite| Command::new(&suite.program)).unwrap();
        let expected = Tally {
            passed: 8,
            failed: 3,
        };
        assert_eq!(ended.tally, expected);
        assert_eq!(ended.times.len(), 4);
        let said = String::from_utf8_lossy(&out);
        let at = |text: &str| {
            said.find(text)
                .unwrap_or_else(|| panic!("{text} in {said}"))
        };
        for good in ["/good", "/other"] {
            assert!(at(good) < at("/bad") && at(good) < at("/killed"), "{said}");
        }
        assert!(
            at("/bad") < at("why") && said.contains("signal: 9"),
            "{said}"
        );
    }

    #[test]
    fn times_are_read_as_they_are_written() {
        let scratch = Scratch::new("suite-times");
        let path = scratch.path().join("times");
        fs::write(&path, "1200 cli/tests/a b.rs\nnothing\n7 x\n").unwrap();
        let times = read_times(&path);
        assert_eq!(times["cli/tests/a b.rs"], Duration::from_millis(1200));
        assert_eq!((times["x"], times.len()), (Duration::from_millis(7), 2));
        assert!(read_times(&scratch.path().join("none")).is_empty());
    }
}
