//! One mutant in a process of its own, and what its end says.

use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// Seconds that a program may run before `simple` itself ends it: mutants loop for ever.
const RUN_SECONDS: u32 = 1;
/// Seconds of the processor for compiling and running together.
const CPU_SECONDS: u32 = 20;
/// How long a process may go without the processor before it counts as hung.
const PATIENCE: Duration = Duration::from_secs(60);
/// KiB of addresses.
const MEMORY: u32 = 3 << 20;
/// Blocks of 512 bytes that a file may have.
const FILE_BLOCKS: u32 = 1 << 14;
/// Bytes of standard error that are kept.
const KEPT: u64 = 1 << 16;
/// The signal of a file that grows too large, which is the limit's doing.
const SIGXFSZ: i32 = 25;

/// Runs a program that checks. A finding is what it has in common with others of its kind, and its words.
pub fn verdict(file: &Path, folder: &Path, home: &Path) -> Option<(String, String)> {
    // One at a time: not every shell takes several.
    let limits = format!(
        "ulimit -c 0 && ulimit -t {CPU_SECONDS} && ulimit -v {MEMORY} && ulimit -f {FILE_BLOCKS}"
    );
    let script = format!("{limits} && exec \"$0\" --timeout={RUN_SECONDS} \"$1\"");
    let mut child = Command::new("sh")
        .args(["-c", &script, env!("CARGO_BIN_EXE_simple")])
        .arg(file)
        .current_dir(folder)
        .env("SIMPLE_HOME", home)
        .env("SIMPLE_NO_SETUP", "1")
        .env("HOME", folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("simple starts");
    let mut errors = child.stderr.take().expect("standard error");
    let reader = std::thread::spawn(move || {
        let mut said = Vec::new();
        let _ = errors.by_ref().take(KEPT).read_to_end(&mut said);
        // A program that never stops complaining must not wait for a reader.
        let _ = std::io::copy(&mut errors, &mut std::io::sink());
        String::from_utf8_lossy(&said).into_owned()
    });
    let status = ended(&mut child);
    let said = reader.join().unwrap_or_default();
    let Some(status) = status else {
        return Some(("the process hangs".into(), said));
    };
    kind_of(status, &said).map(|kind| (kind, said))
}

/// How the process ended; `None` if it hung and had to be killed. One that computes is ended by its limit, so only one that has not used the
/// processor for long hangs: on a busy machine that takes more than the time that it waits for a core.
fn ended(child: &mut Child) -> Option<ExitStatus> {
    let mut used = String::new();
    let mut since = Instant::now();
    loop {
        if let Some(status) = child.try_wait().expect("a child to wait for") {
            return Some(status);
        }
        if since.elapsed() > PATIENCE {
            let now = processor_time(child.id());
            if now == used {
                let _ = child.kill();
                let _ = child.wait();
                return None;
            }
            (used, since) = (now, Instant::now());
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// The time that a process has used the processor, as the kernel writes it (`man proc_pid_stat`, `utime` and `stime`); empty if it has ended.
fn processor_time(process: u32) -> String {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    // The name of the program, in parentheses, may have blanks.
    let fields = stat.rsplit(')').next().unwrap_or_default();
    let times = fields.split_ascii_whitespace().skip(11).take(2);
    times.collect::<Vec<_>>().join(" ")
}

/// What is wrong with an end, if anything is.
fn kind_of(status: ExitStatus, said: &str) -> Option<String> {
    let line = |words: &str| {
        let found = said.lines().find(|line| line.contains(words));
        found.map(str::to_owned)
    };
    // Where a panic was and what it says, or the report of an internal error.
    if let Some(panic) = line("panicked at") {
        return Some(
            panic
                .split_once("panicked at")
                .map_or(panic.clone(), |(_, at)| format!("panic at{at}")),
        );
    }
    if let Some(internal) = line("internal error") {
        return Some(internal);
    }
    match status.signal() {
        None | Some(SIGXFSZ) => None,
        Some(signal) => Some(format!("signal {signal}")),
    }
}
