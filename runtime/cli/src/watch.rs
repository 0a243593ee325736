//! `simple --watch FILE`: runs a program again whenever a file that it read changes.
//!
//! The program runs in another process, which notes in a file what it reads (`simple_system::reads`): modules,
//! manifests and configurations, which count as sources, and its data. A changed source ends a program that still runs.
//! Data counts only when the program has ended, since it may have written it itself. Files are looked at ten times a
//! second, which every file system allows. Leaves out files that libraries open themselves.

use crate::args::{Cli, Command, RunArgs};
use crate::output::complain;
use simple_system::{in_words, reads};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, OpenOptions};
use std::path::{Path, PathBuf};
use std::process::{Child, Command as Process, ExitCode, ExitStatus};
use std::time::{Duration, SystemTime};

/// Names the file of a process that notes what it reads.
const READS: &str = "SIMPLE_READ_LOG";

/// The option, which the other process does not get.
const OPTION: &str = "--watch";

/// Between two looks at the files.
const PAUSE: Duration = Duration::from_millis(100);

/// Notes what this process reads, if another one wants to know.
pub fn note_reads() {
    let Some(path) = std::env::var_os(READS) else {
        return;
    };
    if let Ok(file) = OpenOptions::new().append(true).open(path) {
        reads::log_in(file);
    }
    // Who watches may be ended by a signal that is not for this process.
    let parent = std::os::unix::process::parent_id();
    std::thread::spawn(move || {
        while std::os::unix::process::parent_id() == parent {
            std::thread::sleep(PAUSE);
        }
        std::process::exit(ORPHANED);
    });
}

/// Exit code of a program whose watcher is gone, as of one that SIGTERM ended.
const ORPHANED: i32 = 143;

/// Runs the program again and again, if the command line says so.
pub fn run(cli: &Cli) -> Option<ExitCode> {
    let args = match &cli.command {
        None => &cli.run,
        Some(Command::Run(run)) => run,
        Some(_) => return None,
    };
    if !args.watch {
        return None;
    }
    if args.program.is_empty() {
        return Some(crate::commands::bad_usage(
            "--watch needs the file of a program",
        ));
    }
    let words = words(std::env::args_os().skip(1).collect(), args.program.len());
    loop {
        if let Err(why) = once(&words, args) {
            complain!("error: {why}");
            return Some(ExitCode::FAILURE);
        }
    }
}

/// The command line of the other process. The last `of_program` words are the program's file and its arguments.
fn words(all: Vec<OsString>, of_program: usize) -> Vec<OsString> {
    let border = all.len().saturating_sub(of_program);
    let words = all.into_iter().enumerate();
    let kept = words.filter(|(place, word)| *place >= border || word != OPTION);
    kept.map(|(_, word)| word).collect()
}

/// Runs the program, and waits until something has changed.
fn once(words: &[OsString], args: &RunArgs) -> Result<(), String> {
    let log = tempfile::Builder::new()
        .prefix("simple-reads-")
        .tempfile()
        .map_err(|error| format!("cannot make a temporary file: {}", in_words(&error)))?;
    let program = std::env::current_exe()
        .map_err(|error| format!("this program cannot be found: {error}"))?;
    let mut watched = Watched::new(Path::new(&args.program[0]));
    let mut child = Process::new(program)
        .args(words)
        .env(READS, log.path())
        .spawn()
        .map_err(|error| format!("cannot run the program: {}", in_words(&error)))?;
    let mut runs = true;
    loop {
        std::thread::sleep(PAUSE);
        let ended = match runs {
            true => child.try_wait().map_err(|error| in_words(&error))?,
            false => None,
        };
        watched.add(&fs::read_to_string(log.path()).unwrap_or_default());
        if let Some(status) = ended {
            runs = false;
            watched.take_data_as_it_is();
            complain!(
                "simple: {}; waiting for a change, Ctrl-C ends",
                ending(status)
            );
        }
        if let Some(file) = watched.changed(runs) {
            complain!("simple: {} has changed", shown(&file).display());
            return end(&mut child);
        }
    }
}

fn ending(status: ExitStatus) -> String {
    match status.code() {
        Some(code) => format!("ended with {code}"),
        None => "ended by a signal".to_owned(),
    }
}

fn end(child: &mut Child) -> Result<(), String> {
    // It may have ended by itself.
    let _ = child.kill();
    child.wait().map(drop).map_err(|error| in_words(&error))
}

/// The path from the working folder, if it is below that.
fn shown(file: &Path) -> PathBuf {
    let here = std::env::current_dir().unwrap_or_default();
    file.strip_prefix(here).unwrap_or(file).to_owned()
}

/// What tells that a file is another one; nothing for one that is not there.
type Mark = Option<(SystemTime, u64)>;

fn mark(file: &Path) -> Mark {
    let data = fs::metadata(file).ok()?;
    Some((data.modified().ok()?, data.len()))
}

/// The files of a program.
struct Watched {
    began: SystemTime,
    files: BTreeMap<PathBuf, Mark>,
    /// A file that was not there at the last look: an editor may be about to replace it.
    missing: Option<PathBuf>,
}

impl Watched {
    fn new(program: &Path) -> Watched {
        let mut watched = Watched {
            began: SystemTime::now(),
            files: BTreeMap::new(),
            missing: None,
        };
        if let Ok(program) = std::path::absolute(program) {
            watched.files.insert(program.clone(), mark(&program));
        }
        watched
    }

    /// Adds the files of a log, whose last line may not be whole yet.
    fn add(&mut self, log: &str) {
        for line in log
            .split_inclusive('\n')
            .filter_map(|line| line.strip_suffix('\n'))
        {
            let file = PathBuf::from(line);
            if self.files.contains_key(&file) {
                continue;
            }
            // A source that was changed after the program began may have been read before.
            let now = mark(&file).filter(|(time, _)| !is_source(&file) || *time <= self.began);
            self.files.insert(file, now);
        }
    }

    /// What a program has written itself does not count as a change.
    fn take_data_as_it_is(&mut self) {
        for (file, known) in &mut self.files {
            if !is_source(file) {
                *known = mark(file);
            }
        }
    }

    /// A file that has changed; while the program runs only sources count.
    fn changed(&mut self, runs: bool) -> Option<PathBuf> {
        let mut files = self
            .files
            .iter()
            .filter(|(file, _)| !runs || is_source(file));
        let (file, now) = files.find_map(|(file, known)| {
            let now = mark(file);
            (now != *known).then(|| (file.clone(), now))
        })?;
        if now.is_none() && self.missing.as_ref() != Some(&file) {
            self.missing = Some(file);
            return None;
        }
        Some(file)
    }
}

/// Modules, and what configures a project or a run. Other files in SDN may be the program's own output.
fn is_source(file: &Path) -> bool {
    let name = file.file_name().unwrap_or_default();
    let known = ["simple.sdn", "dl.config.sdn", "dl.config.local.sdn"];
    file.extension().is_some_and(|ending| ending == "spl") || known.iter().any(|it| name == *it)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_option_is_the_launchers_alone() {
        let all: Vec<OsString> = ["run", "--watch", "--device", "cpu", "a.spl", "--watch"]
            .map(OsString::from)
            .into();
        let expected = ["run", "--device", "cpu", "a.spl", "--watch"].map(OsString::from);
        assert_eq!(words(all, 2), expected);
    }

    #[test]
    fn sources_count_always_and_data_when_the_program_has_ended() {
        let folder = tempfile::tempdir().expect("a folder");
        let (source, data) = (folder.path().join("a.spl"), folder.path().join("a.csv"));
        for file in [&source, &data] {
            fs::write(file, "1").expect("a file");
        }
        std::thread::sleep(Duration::from_millis(20));
        let mut watched = Watched::new(&source);
        watched.add(&format!(
            "{}\n{}\n{}",
            source.display(),
            data.display(),
            "half a li"
        ));
        assert_eq!((watched.files.len(), watched.changed(false)), (2, None));
        fs::write(&data, "12").expect("a file");
        assert_eq!(watched.changed(true), None);
        watched.take_data_as_it_is();
        assert_eq!(watched.changed(false), None);
        fs::write(&data, "123").expect("a file");
        assert_eq!(watched.changed(false), Some(data.clone()));
        watched.take_data_as_it_is();
        fs::remove_file(&source).expect("it was there");
        assert_eq!(watched.changed(true), None);
        assert_eq!(watched.changed(true), Some(source));
    }
}
