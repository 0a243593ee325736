//! Fetches a file whose checksum is known from the first of several mirrors that has it.
//!
//! What has arrived is kept in a `.part` file beside it, so that a transfer that breaks off, or a program that is
//! stopped, goes on where it was. The file gets its name once its SHA-256 is right. Mirrors are asked by plain HTTP:
//! the checksum, not the connection, says that the content is the right one.

use std::fs::{self, File, OpenOptions};
use std::io::{self, IsTerminal, Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use sha2::{Digest, Sha256};
use simple_system::open::regular;
use ureq::Agent;

use crate::save::source::{Fault, in_words};

/// A mirror is asked again this many times as long as each time brings something.
const ATTEMPTS: usize = 8;

/// A file to fetch.
#[derive(Debug)]
pub struct Wanted<'a> {
    /// Where it may be had: addresses of the file itself.
    pub mirrors: &'a [&'a str],
    /// Where to put it.
    pub path: &'a Path,
    /// Its SHA-256 in hexadecimal digits.
    pub sha256: &'a str,
    /// Its length in bytes.
    pub length: u64,
}

/// Fetches a file unless it is there already.
pub fn fetch(wanted: &Wanted) -> Result<(), Fault> {
    let config = Agent::config_builder()
        .timeout_connect(Some(Duration::from_secs(15)))
        .timeout_recv_response(Some(Duration::from_secs(30)))
        .timeout_recv_body(Some(Duration::from_secs(300)))
        .http_status_as_error(false);
    fetch_with(&config.build().into(), wanted)
}

/// As [`fetch`], by this agent.
pub fn fetch_with(agent: &Agent, wanted: &Wanted) -> Result<(), Fault> {
    if wanted.path.is_file() {
        let found = sha256_of(wanted.path)?;
        return if found == wanted.sha256 {
            Ok(())
        } else {
            Err(Fault::whole(format!(
                "the file is there, but its SHA-256 is {found}, not {}; remove it to fetch it again",
                wanted.sha256
            )))
        };
    }
    if let Some(folder) = wanted.path.parent() {
        fs::create_dir_all(folder)?;
    }
    let part = part_of(wanted.path);
    let mut bar = Bar::new(wanted);
    let mut reasons = Vec::new();
    for mirror in wanted.mirrors {
        match from_mirror(agent, mirror, &part, wanted, &mut bar) {
            Ok(()) => {
                fs::rename(&part, wanted.path)?;
                bar.end();
                return Ok(());
            }
            Err(reason) => reasons.push(format!("{mirror}: {reason}")),
        }
    }
    if reasons.is_empty() {
        reasons.push("no mirror was named".to_owned());
    }
    Err(Fault::whole(format!(
        "cannot be fetched: {}",
        reasons.join("; ")
    )))
}

/// Where a file is kept until it is complete.
fn part_of(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".part");
    path.with_file_name(name)
}

/// Brings the part to its full length and checks it.
fn from_mirror(
    agent: &Agent,
    mirror: &str,
    part: &Path,
    wanted: &Wanted,
    bar: &mut Bar,
) -> Result<(), String> {
    if mirror.starts_with("https:") {
        return Err("only http: addresses are understood; the checksum makes them safe".to_owned());
    }
    let mut last = String::new();
    for _ in 0..ATTEMPTS {
        let before = length_of(part);
        match transfer(agent, mirror, part, wanted.length, bar) {
            Ok(()) => {
                let found = sha256_of(part).map_err(|fault| fault.to_string())?;
                if found == wanted.sha256 {
                    return Ok(());
                }
                // What came from somewhere else before may be wrong while this mirror is right: start over.
                let _ = fs::remove_file(part);
                last = format!(
                    "what it sent has the SHA-256 {found}, not {}",
                    wanted.sha256
                );
                if before == 0 {
                    return Err(last);
                }
            }
            Err(reason) if length_of(part) > before => last = reason,
            Err(reason) => return Err(reason),
        }
    }
    Err(last)
}

/// Asks for what the part still lacks and appends it.
fn transfer(
    agent: &Agent,
    mirror: &str,
    part: &Path,
    length: u64,
    bar: &mut Bar,
) -> Result<(), String> {
    let words = |error: std::io::Error| in_words(&error);
    let mut have = length_of(part);
    if have == length {
        return Ok(());
    }
    if have > length {
        fs::remove_file(part).map_err(words)?;
        have = 0;
    }
    let mut request = agent.get(mirror);
    if have > 0 {
        request = request.header("Range", format!("bytes={have}-"));
    }
    let response = request.call().map_err(|error| error.to_string())?;
    let status = response.status().as_u16();
    let range = response.headers().get("content-range");
    let range = range.and_then(|range| range.to_str().ok()).unwrap_or("");
    let goes_on = status == 206 && range.starts_with(&format!("bytes {have}-"));
    if status != 200 && !goes_on {
        return Err(match status {
            206 => format!("it sent the range `{range}` when asked from byte {have} on"),
            status => format!("it answered with status {status}"),
        });
    }
    let mut out = open_part(part, goes_on).map_err(words)?;
    let mut done = if goes_on { have } else { 0 };
    let mut body = response.into_body().into_reader();
    let mut buffer = vec![0; 1 << 16];
    let end = loop {
        match body.read(&mut buffer) {
            Ok(0) => break Ok(()),
            Ok(read) => {
                done += read as u64;
                if done > length {
                    drop(out);
                    let _ = fs::remove_file(part);
                    return Err(format!("it sent more than the {length} bytes of the file"));
                }
                out.write_all(&buffer[..read]).map_err(words)?;
                bar.reached(done);
            }
            Err(error) => break Err(in_words(&error)),
        }
    };
    out.sync_all().map_err(words)?;
    match end {
        _ if done == length => Ok(()),
        Ok(()) => Err(format!("it sent {done} of {length} bytes")),
        Err(reason) => Err(format!(
            "it broke off after {done} of {length} bytes: {reason}"
        )),
    }
}

/// Opens the part to append to it if `goes_on`, otherwise from its start.
///
/// Everybody can guess its name, so what is there may have been put there by somebody else, to be written through: a link, a pipe,
/// another name of a file. Only a regular file with no other name, owned by this user, is continued; anything else is
/// replaced.
fn open_part(part: &Path, goes_on: bool) -> io::Result<File> {
    if goes_on {
        let file = OpenOptions::new()
            .append(true)
            .custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK)
            .open(part)?;
        let data = file.metadata()?;
        if data.is_file() && data.nlink() == 1 {
            return Ok(file);
        }
        return Err(io::Error::other(
            "something other than a regular file is in the place of its part",
        ));
    }
    match fs::remove_file(part) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    OpenOptions::new().write(true).create_new(true).open(part)
}

/// The length of a part; a link does not count as one.
fn length_of(path: &Path) -> u64 {
    fs::symlink_metadata(path)
        .ok()
        .filter(|data| data.is_file())
        .map_or(0, |data| data.len())
}

fn sha256_of(path: &Path) -> Result<String, Fault> {
    let (mut file, _) = regular(path)?;
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        let read = file.read(&mut buffer)?;
        if read == 0 {
            break;
        }
        hasher.update(&buffer[..read]);
    }
    Ok(hasher
        .finalize()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect())
}

/// The progress display while a file arrives: a bar on a terminal, a line elsewhere, all on standard error.
struct Bar(Option<ProgressBar>);

impl Bar {
    fn new(wanted: &Wanted) -> Bar {
        let name = wanted.path.file_name().unwrap_or_default();
        let name = name.to_string_lossy().into_owned();
        if !std::io::stderr().is_terminal() {
            // A standard error that cannot be written to leaves nowhere to say so.
            let _ = writeln!(io::stderr(), "fetching {name} ({} bytes)", wanted.length);
            return Bar(None);
        }
        let style = ProgressStyle::with_template(
            "fetching {msg} [{bar:30}] {bytes}/{total_bytes}, {bytes_per_sec}, {eta} left",
        );
        let bar = ProgressBar::new(wanted.length);
        bar.set_style(
            style
                .unwrap_or_else(|_| ProgressStyle::default_bar())
                .progress_chars("=> "),
        );
        bar.set_message(name);
        Bar(Some(bar))
    }

    fn reached(&mut self, done: u64) {
        if let Some(bar) = &self.0 {
            bar.set_position(done);
        }
    }

    fn end(&mut self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}
