//! Programs that run beside this one, for `lib/std/process`.
//!
//! [`start`] takes the words of the command, a folder, variables of the environment and where each stream goes, and
//! yields a handle. Threads collect what comes through pipes that the program is not read from line by line, so that no
//! full pipe stops the two. [`finish`] writes the input, collects both outputs and waits; a program that runs longer
//! than its timeout is killed, and what it has written so far is kept even if a process that it started holds the pipe
//! open.
//!
//! Left out: terminals, groups of processes, and other users.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, ErrorKind, PipeReader, Read, Write};
use std::mem::ManuallyDrop;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use simple_ffi_abi::handle::{HandleError, HandleTable};
use simple_system::in_words;

/// The code of a program that did not end in time. No exit code and no signal is this number.
pub const TIMED_OUT: i64 = i64::MIN;
/// The longest pause between two looks at whether a program has ended.
const MAX_PAUSE: Duration = Duration::from_millis(20);

/// A stream that a thread reads to its end.
#[derive(Debug)]
struct Collected {
    bytes: Arc<Mutex<Vec<u8>>>,
    ended: Receiver<()>,
}

impl Collected {
    fn of(mut reader: impl Read + Send + 'static) -> io::Result<Collected> {
        let bytes = Arc::new(Mutex::new(Vec::new()));
        let (done, ended) = channel();
        let kept = Arc::clone(&bytes);
        std::thread::Builder::new()
            .name("process output".to_owned())
            .spawn(move || {
                let mut piece = vec![0; 64 << 10];
                loop {
                    match reader.read(&mut piece) {
                        Ok(0) => break,
                        Ok(count) => {
                            let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                            kept.extend_from_slice(&piece[..count]);
                        }
                        Err(error) if error.kind() == ErrorKind::Interrupted => {}
                        Err(_) => break,
                    }
                }
                // Nobody may wait any more.
                let _ = done.send(());
            })?;
        Ok(Collected { bytes, ended })
    }

    /// Waits for its end, not beyond a moment.
    fn wait(&self, deadline: Option<Instant>) -> bool {
        // A channel whose sender is gone tells of the end too: it was asked before.
        let Some(deadline) = deadline else {
            let _ = self.ended.recv();
            return true;
        };
        let left = deadline.saturating_duration_since(Instant::now());
        !matches!(
            self.ended.recv_timeout(left),
            Err(RecvTimeoutError::Timeout)
        )
    }

    fn take(&self) -> Vec<u8> {
        std::mem::take(&mut *self.bytes.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[derive(Debug)]
struct Running {
    name: String,
    child: Child,
    input: Option<ChildStdin>,
    output: Option<BufReader<PipeReader>>,
    errors: Option<Collected>,
    /// What [`finish`] collected.
    stdout: Vec<u8>,
    stderr: Vec<u8>,
}

thread_local! {
    // Never dropped: programs may ask while the thread ends.
    static RUNNING: ManuallyDrop<RefCell<HandleTable<Running>>> =
        const { ManuallyDrop::new(RefCell::new(HandleTable::new("process", 12))) };
}

fn with<R>(handle: i64, work: impl FnOnce(&mut Running) -> Result<R, String>) -> Result<R, String> {
    RUNNING.with(|table| {
        let mut table = table.borrow_mut();
        work(
            table
                .get_mut(handle)
                .map_err(|error: HandleError| error.to_string())?,
        )
    })
}

/// Starts a program. `words` are its name and arguments, each ended by a NUL; `environment` holds names and values
/// likewise, added to those of this program, or alone if `clear`. `streams` says where input, output and errors go,
/// with commas: `pipe`, `null` or `inherit`, for errors also `stdout`.
pub fn start(
    words: &str,
    folder: &str,
    environment: &str,
    clear: bool,
    streams: &str,
) -> Result<i64, String> {
    let mut words = words.split_terminator('\0');
    let name = words.next().filter(|name| !name.is_empty());
    let name = name.ok_or("cannot run a program without a name")?;
    let mut command = Command::new(name);
    command.args(words);
    if !folder.is_empty() {
        command.current_dir(folder);
    }
    if clear {
        command.env_clear();
    }
    let variables: Vec<&str> = environment.split_terminator('\0').collect();
    for pair in variables.chunks_exact(2) {
        command.env(pair[0], pair[1]);
    }
    let running = connected(command, name, streams).map_err(|error| match error.kind() {
        ErrorKind::NotFound if !folder.is_empty() && !std::path::Path::new(folder).is_dir() => {
            format!("cannot run `{name}`: no such folder: `{folder}`")
        }
        ErrorKind::NotFound => format!("cannot run `{name}`: no such program"),
        _ => format!("cannot run `{name}`: {}", in_words(&error)),
    })?;
    RUNNING.with(|table| {
        table
            .borrow_mut()
            .insert(running)
            .map_err(|error| error.to_string())
    })
}

fn connected(mut command: Command, name: &str, streams: &str) -> io::Result<Running> {
    let mut streams = streams.split(',');
    let mut next = || streams.next().unwrap_or_default();
    let simple = |word: &str| match word {
        "null" => Stdio::null(),
        _ => Stdio::inherit(),
    };
    match next() {
        "pipe" => command.stdin(Stdio::piped()),
        word => command.stdin(simple(word)),
    };
    let mut output = None;
    let mut writer = None;
    match next() {
        "pipe" => {
            let (read, write) = io::pipe()?;
            writer = Some(write.try_clone()?);
            command.stdout(write);
            output = Some(BufReader::new(read));
        }
        word => {
            command.stdout(simple(word));
        }
    }
    let mut errors = None;
    match (next(), writer) {
        ("pipe", _) => {
            let (read, write) = io::pipe()?;
            command.stderr(write);
            errors = Some(read);
        }
        ("stdout", Some(writer)) => {
            command.stderr(writer);
        }
        ("stdout", None) => {
            command.stderr(io::stdout());
        }
        (word, _) => {
            command.stderr(simple(word));
        }
    }
    let mut child = command.spawn()?;
    // The command holds this process's copies of the ends that the program writes to: without dropping them no reader
    // would find the end.
    drop(command);
    let input = child.stdin.take();
    let errors = errors.map(Collected::of).transpose()?;
    Ok(Running {
        name: name.to_owned(),
        child,
        input,
        output,
        errors,
        stdout: Vec::new(),
        stderr: Vec::new(),
    })
}

/// Writes to its input.
pub fn write(handle: i64, content: &[u8]) -> Result<(), String> {
    with(handle, |running| {
        let name = &running.name;
        let input = running.input.as_mut();
        let input =
            input.ok_or_else(|| format!("the input of `{name}` is not a pipe, or it is closed"))?;
        let written = input.write_all(content).and_then(|()| input.flush());
        written.map_err(|error| match error.kind() {
            ErrorKind::BrokenPipe => {
                format!("cannot write to `{name}`: it has ended, or closed its input")
            }
            _ => format!("cannot write to `{name}`: {}", in_words(&error)),
        })
    })
}

/// Closes its input.
pub fn close_input(handle: i64) -> Result<(), String> {
    with(handle, |running| {
        running.input = None;
        Ok(())
    })
}

fn output_of(running: &mut Running) -> Result<&mut BufReader<PipeReader>, String> {
    let name = &running.name;
    running
        .output
        .as_mut()
        .ok_or_else(|| format!("the output of `{name}` is not a pipe, or was read to its end"))
}

/// The next line of its output, with its line break; empty at the end.
pub fn line(handle: i64) -> Result<Vec<u8>, String> {
    with(handle, |running| {
        let mut bytes = Vec::new();
        let read = output_of(running)?.read_until(b'\n', &mut bytes);
        read.map_err(|error| format!("cannot read from `{}`: {}", running.name, in_words(&error)))?;
        Ok(bytes)
    })
}

/// What is there of its output, at most `most` bytes; waits for the first. Empty at the end.
pub fn read(handle: i64, most: i64) -> Result<Vec<u8>, String> {
    with(handle, |running| {
        let most = usize::try_from(most).map_err(|_| "a number of bytes is not negative")?;
        let output = output_of(running)?;
        let there = output
            .fill_buf()
            .map(|there| there[..there.len().min(most)].to_vec());
        let there =
            there.map_err(|error| format!("cannot read from the process: {}", in_words(&error)))?;
        output.consume(there.len());
        Ok(there)
    })
}

/// What it has written to its errors since this was asked before.
pub fn errors_so_far(handle: i64) -> Result<Vec<u8>, String> {
    with(handle, |running| {
        let name = &running.name;
        let errors = running.errors.as_ref();
        Ok(errors
            .ok_or_else(|| format!("the errors of `{name}` are not a pipe"))?
            .take())
    })
}

fn code(status: ExitStatus) -> i64 {
    status
        .code()
        .map_or_else(|| -i64::from(status.signal().unwrap_or(1)), i64::from)
}

/// Writes the input, collects what it writes, and waits: its exit code, minus the number of the signal that ended it,
/// or [`TIMED_OUT`] if it ran longer than this many milliseconds and was killed for it. A negative time means no limit.
pub fn finish(handle: i64, input: &[u8], milliseconds: i64) -> Result<i64, String> {
    with(handle, |running| {
        let deadline = deadline(milliseconds);
        let failed = |error: io::Error| format!("cannot wait for a program: {}", in_words(&error));
        if let Some(mut pipe) = running.input.take()
            && !input.is_empty()
        {
            let input = input.to_vec();
            let writer = std::thread::Builder::new().name("process input".to_owned());
            // A program need not read all of its input.
            let spawned = writer.spawn(move || drop(pipe.write_all(&input)));
            spawned.map_err(failed)?;
        }
        let outputs = running
            .output
            .take()
            .map(Collected::of)
            .transpose()
            .map_err(failed)?;
        let streams = [outputs.as_ref(), running.errors.as_ref()];
        let all_ended = streams
            .into_iter()
            .flatten()
            .all(|stream| stream.wait(deadline));
        let status = match all_ended {
            true => wait_until(&mut running.child, deadline).map_err(failed)?,
            false => None,
        };
        if status.is_none() {
            running
                .child
                .kill()
                .and_then(|()| running.child.wait())
                .map_err(failed)?;
            // What it wrote just before may not have been read yet; a process that it started may write without end.
            let soon = Some(Instant::now() + MAX_PAUSE * 5);
            for stream in streams.into_iter().flatten() {
                stream.wait(soon);
            }
        }
        running.stdout = outputs.map(|stream| stream.take()).unwrap_or_default();
        running.stderr = running
            .errors
            .as_ref()
            .map(Collected::take)
            .unwrap_or_default();
        Ok(status.map_or(TIMED_OUT, code))
    })
}

fn deadline(milliseconds: i64) -> Option<Instant> {
    let limit = Duration::from_millis(u64::try_from(milliseconds).ok()?);
    Instant::now().checked_add(limit)
}

/// Waits until it ends, not beyond a moment.
fn wait_until(child: &mut Child, deadline: Option<Instant>) -> io::Result<Option<ExitStatus>> {
    let Some(deadline) = deadline else {
        return child.wait().map(Some);
    };
    let mut pause = Duration::from_micros(200);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok(None);
        }
        std::thread::sleep(pause.min(left));
        pause = (pause * 2).min(MAX_PAUSE);
    }
}

/// Waits for its end without reading from it: its code, or [`TIMED_OUT`] while it still runs. A negative time is no
/// limit.
pub fn wait(handle: i64, milliseconds: i64) -> Result<i64, String> {
    with(handle, |running| {
        let ended = wait_until(&mut running.child, deadline(milliseconds));
        let ended = ended
            .map_err(|error| format!("cannot wait for `{}`: {}", running.name, in_words(&error)))?;
        if let (Some(_), Some(errors)) = (ended, &running.errors) {
            // What it wrote last may not have reached the thread that collects it.
            errors.wait(Some(Instant::now() + MAX_PAUSE * 5));
        }
        Ok(ended.map_or(TIMED_OUT, code))
    })
}

/// What [`finish`] collected of its output.
pub fn output(handle: i64) -> Result<Vec<u8>, String> {
    with(handle, |running| Ok(std::mem::take(&mut running.stdout)))
}

/// What [`finish`] collected of its errors.
pub fn errors(handle: i64) -> Result<Vec<u8>, String> {
    with(handle, |running| Ok(std::mem::take(&mut running.stderr)))
}

/// Its number in the system.
pub fn id(handle: i64) -> Result<i64, String> {
    with(handle, |running| Ok(running.child.id().into()))
}

/// Asks it to end (`SIGTERM`), or ends it at once (`SIGKILL`). Nothing happens to one that has ended.
pub fn kill(handle: i64, gently: bool) -> Result<(), String> {
    with(handle, |running| {
        if running
            .child
            .try_wait()
            .is_ok_and(|status| status.is_some())
        {
            return Ok(());
        }
        let sent = match gently {
            false => running.child.kill(),
            true => {
                let number = i32::try_from(running.child.id())
                    .ok()
                    .and_then(rustix::process::Pid::from_raw);
                let number = number.ok_or_else(|| format!("`{}` has no number", running.name))?;
                rustix::process::kill_process(number, rustix::process::Signal::TERM)
                    .map_err(io::Error::from)
            }
        };
        sent.map_err(|error| format!("cannot end `{}`: {}", running.name, in_words(&error)))
    })
}

/// Releases it; one that is still running continues.
pub fn free(handle: i64) -> Result<(), String> {
    let removed = RUNNING.with(|table| table.borrow_mut().remove(handle));
    removed.map(drop).map_err(|error| error.to_string())
}

/// The variables of the environment: names and values in turn. What is not UTF-8 has U+FFFD in its place.
pub fn environment() -> Result<Vec<String>, String> {
    let all: BTreeMap<String, String> = std::env::vars_os()
        .map(|(name, value)| {
            (
                name.to_string_lossy().into_owned(),
                value.to_string_lossy().into_owned(),
            )
        })
        .collect();
    Ok(all
        .into_iter()
        .flat_map(|(name, value)| [name, value])
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_gets_input_and_environment_and_has_an_end() {
        let large = vec![b'x'; 1 << 20];
        let cat = start("cat\0", "", "", false, "pipe,pipe,pipe").unwrap();
        assert_eq!(finish(cat, &large, -1).unwrap(), 0);
        assert_eq!(output(cat).unwrap().len(), large.len());
        let sh = start(
            "sh\0-c\0echo $A; pwd; exit 3\0",
            "/",
            "A\0b c\0",
            false,
            "null,pipe,pipe",
        )
        .unwrap();
        assert_eq!(finish(sh, b"", -1).unwrap(), 3);
        assert_eq!(output(sh).unwrap(), b"b c\n/\n");
        assert!(
            start("no-such-program\0", "", "", false, "")
                .unwrap_err()
                .contains("no such program")
        );
        for handle in [cat, sh] {
            free(handle).unwrap();
        }
        assert!(kill(sh, true).is_err());
    }

    #[test]
    fn a_timeout_ends_it_though_another_process_holds_the_pipe() {
        let begin = Instant::now();
        let slow = start(
            "sh\0-c\0echo here; sleep 3; echo there\0",
            "",
            "",
            false,
            "null,pipe,pipe",
        )
        .unwrap();
        assert_eq!(finish(slow, b"", 300).unwrap(), TIMED_OUT);
        assert_eq!(output(slow).unwrap(), b"here\n");
        assert!(begin.elapsed() < Duration::from_secs(2));
        free(slow).unwrap();
    }

    #[test]
    fn lines_come_while_it_runs_and_errors_may_join_them() {
        let sh = start(
            "sh\0-c\0read a; echo $a; echo bad >&2; read b\0",
            "",
            "",
            false,
            "pipe,pipe,stdout",
        )
        .unwrap();
        write(sh, b"hello\n").unwrap();
        assert_eq!(line(sh).unwrap(), b"hello\n");
        assert_eq!(line(sh).unwrap(), b"bad\n");
        assert_eq!(wait(sh, 0).unwrap(), TIMED_OUT);
        kill(sh, true).unwrap();
        assert_eq!(wait(sh, -1).unwrap(), -15);
        assert_eq!(line(sh).unwrap(), b"");
        free(sh).unwrap();
    }
}
