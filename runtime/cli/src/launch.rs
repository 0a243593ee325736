//! `simple run --nproc N`: the same program in several processes, which `lib.distributed` joins.
//!
//! Each process, a rank, is this command without the launcher's options, with the variables that torchrun sets too
//! (RANK, WORLD_SIZE, MASTER_ADDR and so on). On one machine the launcher opens the port where they meet itself and
//! leaves the socket to rank 0, so that no port is guessed. Lines of the ranks are marked. The first rank that fails
//! ends the others, and its exit code is the command's; `--max-restarts` starts all of them again.
//!
//! The launcher compiles nothing and does not open libtorch. What it does not do: start ranks on other machines, for
//! which it runs once on each of them, restart jobs of several machines, which torchrun does, and bind ranks to cores.

use crate::args::{Cli, Command as CliCommand, LaunchArgs};
use crate::output::complain;
use std::ffi::OsString;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::process::{Child, Command, ExitCode, ExitStatus, Stdio};
use std::thread::JoinHandle;
use std::time::Duration;

/// Exit code of bad usage, as in `commands.rs`.
const BAD_USAGE: u8 = 2;

/// Set for ranks: the number of the launcher's process.
const LAUNCHER: &str = "SIMPLE_LAUNCHER";

/// How long a rank that leaves its message to another one waits for being ended.
const UNTIL_ENDED: Duration = Duration::from_secs(60);

/// Between two looks at the ranks: soon after a start, and later.
const SHORTEST: Duration = Duration::from_millis(5);
const LONGEST: Duration = Duration::from_millis(50);

/// The options of the launcher, which the ranks do not get. Each is followed by a value.
const OPTIONS: [&str; 5] = [
    "--nproc",
    "--nnodes",
    "--node-rank",
    "--master",
    "--max-restarts",
];

/// Where the ranks meet.
struct Meeting {
    host: String,
    port: u16,
    /// The open port, which rank 0 takes over.
    listener: Option<TcpListener>,
}

/// A process of the job.
struct Rank {
    number: u32,
    process: Child,
    /// What passes its lines on.
    readers: Vec<JoinHandle<()>>,
    ended: Option<ExitStatus>,
}

/// Whether another rank of this machine compiles the same program and says what is wrong in it.
pub fn is_said_by_another() -> bool {
    std::env::var_os(LAUNCHER).is_some()
        && std::env::var_os("LOCAL_RANK").is_some_and(|rank| rank != "0")
}

/// Gives the rank that says what is wrong in the program time to say it, and to be the first that ends.
pub fn wait_for_another() {
    if is_said_by_another() {
        std::thread::sleep(UNTIL_ENDED);
    }
}

fn bad_usage(message: &str) -> ExitCode {
    complain!("error: {message}");
    ExitCode::from(BAD_USAGE)
}

/// Runs the command in several processes, if its options say so.
pub fn run(cli: &Cli) -> Option<ExitCode> {
    match &cli.command {
        None => launched(&cli.run.launch, cli.run.program.len()),
        Some(CliCommand::Run(run)) => launched(&run.launch, run.program.len()),
        Some(_) => None,
    }
}

/// The same by the options; the last `of_program` words of the command line are the program's file and its arguments.
fn launched(args: &LaunchArgs, of_program: usize) -> Option<ExitCode> {
    let Some(nproc) = args.nproc else {
        let alone = args.nnodes.is_some() || args.node_rank.is_some() || args.master.is_some();
        return (alone || args.max_restarts > 0).then(|| {
            bad_usage(
                "--nnodes, --node-rank, --master and --max-restarts need --nproc, \
                 the number of processes on this machine",
            )
        });
    };
    let nnodes = args.nnodes.unwrap_or(1);
    let node = args.node_rank.unwrap_or(0);
    let wrong = if node >= nnodes {
        Some(format!(
            "--node-rank {node}: expected a number from 0 to {}, since --nnodes is {nnodes}",
            nnodes - 1
        ))
    } else if nnodes > 1 && args.master.is_none() {
        Some("--nnodes needs --master HOST:PORT: where node 0 can be reached".to_owned())
    } else if nnodes > 1 && args.max_restarts > 0 {
        Some(
            "--max-restarts works on one machine; `torchrun --no-python` restarts jobs of several"
                .to_owned(),
        )
    } else {
        None
    };
    if let Some(message) = wrong {
        return Some(bad_usage(&message));
    }
    let words = words_of_ranks(std::env::args_os().skip(1).collect(), of_program);
    let mut restarts = 0;
    loop {
        let failed = match once(args, nproc, nnodes, node, restarts, &words) {
            Ok(None) => return Some(ExitCode::SUCCESS),
            Ok(Some(failed)) => failed,
            Err(why) => {
                complain!("error: {why}");
                return Some(ExitCode::FAILURE);
            }
        };
        complain!("error: {}", failed.1);
        if restarts == args.max_restarts {
            return Some(ExitCode::from(failed.0));
        }
        restarts += 1;
        complain!(
            "simple: starting all ranks again, restart {restarts} of {}",
            args.max_restarts
        );
    }
}

/// The command line of a rank: without the options of the launcher, which may stand before the program only.
fn words_of_ranks(all: Vec<OsString>, of_program: usize) -> Vec<OsString> {
    let border = all.len().saturating_sub(of_program);
    let mut words = Vec::new();
    let mut is_value = false;
    for (place, word) in all.into_iter().enumerate() {
        let shown = word.to_string_lossy();
        let option = OPTIONS.iter().find(|name| {
            let rest = shown.strip_prefix(**name);
            place < border && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
        });
        match option {
            Some(name) => is_value = shown.len() == name.len(),
            None if is_value => is_value = false,
            None => words.push(word),
        }
    }
    words
}

/// Runs all ranks of this machine; what the first one that failed leaves: the exit code, and a sentence.
fn once(
    args: &LaunchArgs,
    nproc: u32,
    nnodes: u32,
    node: u32,
    restarts: u32,
    words: &[OsString],
) -> Result<Option<(u8, String)>, String> {
    let meeting = meeting(args, nnodes)?;
    let program = std::env::current_exe()
        .map_err(|error| format!("this program cannot be found: {error}"))?;
    let mut ranks: Vec<Rank> = Vec::new();
    for local in 0..nproc {
        let number = node * nproc + local;
        let mut command = Command::new(&program);
        command
            .args(words)
            .stdin(if number == 0 {
                Stdio::inherit()
            } else {
                Stdio::null()
            })
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .env("RANK", number.to_string())
            .env(
                "WORLD_SIZE",
                (u64::from(nproc) * u64::from(nnodes)).to_string(),
            )
            .env("LOCAL_RANK", local.to_string())
            .env("LOCAL_WORLD_SIZE", nproc.to_string())
            .env("GROUP_RANK", node.to_string())
            .env("MASTER_ADDR", &meeting.host)
            .env("MASTER_PORT", meeting.port.to_string())
            .env("TORCHELASTIC_RESTART_COUNT", restarts.to_string())
            .env("TORCHELASTIC_MAX_RESTARTS", args.max_restarts.to_string())
            .env(LAUNCHER, std::process::id().to_string())
            .env_remove("TORCHELASTIC_USE_AGENT_STORE")
            .env_remove("SIMPLE_MASTER_SOCKET");
        for (name, value) in usual(nproc, nnodes) {
            if std::env::var_os(name).is_none() {
                command.env(name, value);
            }
        }
        match start(&mut command, number, meeting.listener.as_ref()) {
            Ok(process) => ranks.push(marked(number, process)),
            Err(error) => {
                end(&mut ranks);
                return Err(format!("rank {number} cannot be started: {error}"));
            }
        }
    }
    // Only rank 0 has the port now: if it ends, the others hear it.
    drop(meeting);
    let failed = watch(&mut ranks);
    // The others would only say that the first one is gone.
    end(&mut ranks);
    Ok(failed)
}

/// Variables that ranks get unless they are set.
fn usual(nproc: u32, nnodes: u32) -> Vec<(&'static str, String)> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = (cores / nproc as usize).max(1);
    let mut variables = vec![
        ("OMP_NUM_THREADS", threads.to_string()),
        ("TORCH_CPP_LOG_LEVEL", "ERROR".to_owned()),
    ];
    if nnodes == 1 && cfg!(target_os = "linux") {
        variables.push(("GLOO_SOCKET_IFNAME", "lo".to_owned()));
    }
    if nproc >= 32 {
        // Otherwise each rank opens a connection to each other one at once.
        variables.push(("TORCH_GLOO_LAZY_INIT", "1".to_owned()));
    }
    variables
}

/// Where the ranks are to meet: on one machine at a port that the system chooses, unless one is named.
fn meeting(args: &LaunchArgs, nnodes: u32) -> Result<Meeting, String> {
    let (host, port) = match &args.master {
        None => ("127.0.0.1".to_owned(), 0),
        Some(word) => address(word)?,
    };
    if nnodes > 1 {
        return Ok(Meeting {
            host,
            port,
            listener: None,
        });
    }
    let listener = TcpListener::bind((host.as_str(), port))
        .map_err(|error| format!("--master: {host}:{port} cannot be opened: {error}"))?;
    let port = listener
        .local_addr()
        .map_err(|error| error.to_string())?
        .port();
    Ok(Meeting {
        host,
        port,
        listener: Some(listener),
    })
}

/// Host and port of `HOST:PORT`.
fn address(word: &str) -> Result<(String, u16), String> {
    let parts = word.rsplit_once(':').filter(|(host, _)| !host.is_empty());
    let port = parts.and_then(|(_, port)| port.parse().ok());
    match (parts, port) {
        (Some((host, _)), Some(port)) => Ok((host.trim_matches(['[', ']']).to_owned(), port)),
        _ => Err(format!(
            "--master {word}: expected HOST:PORT, such as 10.0.0.1:29500"
        )),
    }
}

/// Starts a rank; rank 0 inherits the open port.
#[cfg(unix)]
fn start(
    command: &mut Command,
    number: u32,
    listener: Option<&TcpListener>,
) -> std::io::Result<Child> {
    use rustix::io::{FdFlags, fcntl_setfd};
    use std::os::fd::AsRawFd;
    let Some(listener) = listener.filter(|_| number == 0) else {
        return command.spawn();
    };
    command.env("SIMPLE_MASTER_SOCKET", listener.as_raw_fd().to_string());
    fcntl_setfd(listener, FdFlags::empty())?;
    let process = command.spawn();
    fcntl_setfd(listener, FdFlags::CLOEXEC)?;
    process
}

/// Elsewhere rank 0 opens the port again.
#[cfg(not(unix))]
fn start(command: &mut Command, _: u32, _: Option<&TcpListener>) -> std::io::Result<Child> {
    command.spawn()
}

/// A rank whose lines are passed on with its number before them.
fn marked(number: u32, mut process: Child) -> Rank {
    let output = process.stdout.take();
    let errors = process.stderr.take();
    let readers = output
        .map(|from| std::thread::spawn(move || pass_on(number, from, std::io::stdout)))
        .into_iter()
        .chain(
            errors.map(|from| std::thread::spawn(move || pass_on(number, from, std::io::stderr))),
        )
        .collect();
    Rank {
        number,
        process,
        readers,
        ended: None,
    }
}

/// Passes lines on, each whole, so that those of two ranks do not mix.
fn pass_on<W: Write>(number: u32, from: impl Read, to: impl Fn() -> W) {
    let mut from = BufReader::new(from);
    let mut line = Vec::new();
    loop {
        line.clear();
        line.extend_from_slice(format!("[rank {number}] ").as_bytes());
        let begun = line.len();
        // A rank that ends, or is ended, may leave a line without its end.
        let read = from.read_until(b'\n', &mut line);
        if line.len() == begun {
            return;
        }
        if line.last() != Some(&b'\n') {
            line.push(b'\n');
        }
        let mut to = to();
        // Nobody reads any more: the ranks need not wait for that.
        let _ = to.write_all(&line).and_then(|()| to.flush());
        if read.is_err() {
            return;
        }
    }
}

/// Waits until all ranks have ended well, or one has not.
fn watch(ranks: &mut [Rank]) -> Option<(u8, String)> {
    let mut pause = SHORTEST;
    loop {
        let mut open = 0;
        for rank in ranks.iter_mut().filter(|rank| rank.ended.is_none()) {
            match rank.process.try_wait() {
                Ok(None) => open += 1,
                Ok(Some(status)) => {
                    rank.ended = Some(status);
                    if !status.success() {
                        return Some(failure(rank.number, status));
                    }
                }
                Err(error) => {
                    return Some((1, format!("rank {} is lost: {error}", rank.number)));
                }
            }
        }
        if open == 0 {
            return None;
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(LONGEST);
    }
}

/// Ends the ranks that still run, and waits until all that any of them wrote is passed on; first what was written by
/// one that failed.
fn end(ranks: &mut [Rank]) {
    ranks.sort_by_key(|rank| rank.ended.is_none_or(|status| status.success()));
    for rank in ranks.iter_mut() {
        if rank.ended.is_none() {
            // It may just have ended by itself.
            let _ = rank.process.kill();
            let _ = rank.process.wait();
        }
        for reader in rank.readers.drain(..) {
            let _ = reader.join();
        }
    }
}

/// The exit code of a rank that failed, as a shell has it, and a sentence.
fn failure(number: u32, status: ExitStatus) -> (u8, String) {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        let code = u8::try_from(128 + signal).unwrap_or(1);
        let name = match signal {
            2 => " (SIGINT)",
            6 => " (SIGABRT)",
            9 => " (SIGKILL; too little memory, or somebody ended it)",
            11 => " (SIGSEGV)",
            15 => " (SIGTERM)",
            _ => "",
        };
        let text =
            format!("rank {number} was ended by signal {signal}{name}; all ranks were ended");
        return (code, text);
    }
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    let code = code.filter(|code| *code != 0).unwrap_or(1);
    (
        code,
        format!("rank {number} ended with exit code {code}; all ranks were ended"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stripped(words: &[&str], of_program: usize) -> Vec<String> {
        let words = words.iter().map(OsString::from).collect();
        let kept = words_of_ranks(words, of_program);
        kept.into_iter()
            .map(|word| word.to_string_lossy().into_owned())
            .collect()
    }

    #[test]
    fn ranks_get_everything_but_the_launchers_options() {
        assert_eq!(
            stripped(
                &[
                    "run",
                    "--nproc",
                    "2",
                    "--device",
                    "cpu",
                    "--max-restarts=3",
                    "a.spl",
                    "--nproc",
                    "9"
                ],
                3
            ),
            ["run", "--device", "cpu", "a.spl", "--nproc", "9"]
        );
        assert_eq!(
            stripped(&["--nproc=2", "-c", "print 1"], 0),
            ["-c", "print 1"]
        );
    }

    #[test]
    fn where_to_meet_is_a_host_and_a_port() {
        assert_eq!(address("a.b:29500"), Ok(("a.b".to_owned(), 29500)));
        assert_eq!(address("[::1]:80"), Ok(("::1".to_owned(), 80)));
        for wrong in ["host", "host:", ":80", "host:port", "host:70000"] {
            assert!(address(wrong).is_err_and(|why| why.contains("expected HOST:PORT")));
        }
    }
}
