//! A step of `simple device` and `simple doctor` in a process of its own: opening a broken library may end it, or never return.

use simple_core::fatal;
use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Longer than opening CUDA takes on a slow disk.
const LIMIT: Duration = Duration::from_secs(120);
/// How often is looked whether the step has ended.
const PAUSE: Duration = Duration::from_millis(5);

/// How a step ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ended {
    /// As it should; what it printed.
    Well(String),
    /// With an error, and what was said.
    Failed(String),
    /// By a signal, with its name, or because it took too long.
    Killed(String),
}

impl Ended {
    /// What it printed, or why it printed nothing.
    pub fn printed(&self) -> Result<&str, String> {
        match self {
            Ended::Well(text) => Ok(text),
            Ended::Failed(said) => Err(said.clone()),
            Ended::Killed(how) => Err(format!("the process that tried it was ended by {how}")),
        }
    }
}

/// Runs this program with other arguments.
pub fn run(arguments: &[&str]) -> Ended {
    run_with_words(arguments).0
}

/// As [`run`], with what was said on standard error.
pub fn run_with_words(arguments: &[&str]) -> (Ended, String) {
    let failed = |reason| (Ended::Failed(reason), String::new());
    let program = match std::env::current_exe() {
        Ok(program) => program,
        Err(error) => return failed(format!("cannot find this program: {error}")),
    };
    let mut command = Command::new(program);
    command.args(arguments);
    // What the user has switched on for programs would only disturb.
    command.env_remove("SIMPLE_CHECK_LEAKS");
    let piped = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = match piped.spawn() {
        Ok(child) => child,
        Err(error) => return failed(format!("cannot start this program again: {error}")),
    };
    let out = child.stdout.take().map(reader);
    let err = child.stderr.take().map(reader);
    let begun = Instant::now();
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break Ok(status),
            Ok(None) if begun.elapsed() < LIMIT => thread::sleep(PAUSE),
            Ok(None) => {
                // It may have ended just now, which is as good.
                let _ = child.kill();
                let _ = child.wait();
                break Err(format!("a limit of {} seconds", LIMIT.as_secs()));
            }
            Err(error) => break Err(error.to_string()),
        }
    };
    let text = |reader: Option<thread::JoinHandle<String>>| {
        let read = reader.and_then(|reader| reader.join().ok());
        read.unwrap_or_default()
    };
    let (out, err) = (text(out), text(err));
    let ended = match status {
        Err(how) => Ended::Killed(how),
        Ok(status) => ended(status, out, &err),
    };
    (ended, err)
}

fn reader(mut pipe: impl Read + Send + 'static) -> thread::JoinHandle<String> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        // What was read before a failure is still worth something.
        let _ = pipe.read_to_end(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

fn ended(status: ExitStatus, out: String, err: &str) -> Ended {
    match status.signal() {
        Some(number) => Ended::Killed(format!("signal {number} ({})", fatal::name_of(number))),
        None if status.success() => Ended::Well(out),
        None => Ended::Failed(message(err)),
    }
}

/// The words of an error without the source line that it shows and the calls that led to it.
fn message(err: &str) -> String {
    let ours = |line: &&str| {
        let line = line.trim_start();
        let frame = ["-->", "raised at ", "called by ", "in the library "]
            .iter()
            .any(|start| line.starts_with(start));
        let source = line.starts_with('|')
            || line
                .split_once(" |")
                .is_some_and(|(number, _)| number.parse::<u32>().is_ok());
        !(frame || source || line.is_empty())
    };
    let lines: Vec<&str> = err.lines().filter(ours).collect();
    let text = lines.join("\n");
    text.strip_prefix("error: ").unwrap_or(&text).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_words_of_an_error_are_kept() {
        let err = "error: CUDA error: it is lost\n  raised at /lib/x.spl:1:2 in f\n --> <code>:2:5\n  |\n2 |     x = 1\n  |     ^^^\n  |\n  = help: restart\n";
        assert_eq!(message(err), "CUDA error: it is lost\n  = help: restart");
    }
}
