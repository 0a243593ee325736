//! A revision of a git repository as a folder without its history, and the hash of such a folder.
//!
//! The `git` of the system does the work, so that keys, proxies and credentials of the user count. Nothing of what was
//! fetched is run: links become files, and hooks, submodules and large-file filters are not used.

use sha2::{Digest, Sha256};
use simple_system::in_words;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What was fetched.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fetched {
    /// The commit, 40 or 64 hexadecimal digits.
    pub commit: String,
    /// The hash of its files.
    pub hash: String,
}

/// Fetches a revision, or the newest commit without one, into the folder `place`, which it replaces.
///
/// # Errors
///
/// A message: git, the repository or the revision cannot be found, or the folder cannot be written.
pub fn fetch(url: &str, rev: Option<&str>, place: &Path) -> Result<Fetched, String> {
    if url.starts_with('-') || rev.is_some_and(|rev| rev.starts_with('-')) {
        return Err(format!("`{url}` is not the address of a repository"));
    }
    let parent = place.parent().unwrap_or(Path::new("."));
    let cannot =
        |path: &Path, error| format!("cannot make {}: {}", path.display(), in_words(&error));
    fs::create_dir_all(parent).map_err(|error| cannot(parent, error))?;
    let name = place.file_name().unwrap_or_default().to_string_lossy();
    let fresh = parent.join(format!(".{name}.{}", std::process::id()));
    let _ = fs::remove_dir_all(&fresh);
    let fetched = check_out(url, rev, &fresh).and_then(|commit| {
        let hash = hash_of(&fresh)?;
        if place.exists() {
            fs::remove_dir_all(place).map_err(|error| cannot(place, error))?;
        }
        fs::rename(&fresh, place).map_err(|error| cannot(place, error))?;
        Ok(Fetched { commit, hash })
    });
    let _ = fs::remove_dir_all(&fresh);
    fetched
}

/// Brings the files of a revision into a new folder, and answers the commit.
fn check_out(url: &str, rev: Option<&str>, folder: &Path) -> Result<String, String> {
    let mut clone = git();
    clone
        .args(["clone", "--quiet", "--no-checkout", "--", url])
        .arg(folder);
    run(clone).map_err(|why| format!("cannot fetch {url}: {why}"))?;
    let named = rev.unwrap_or("HEAD");
    let mut commit = Err(String::new());
    // A branch other than the main one is only known by its name at the origin.
    for name in [
        format!("{named}^{{commit}}"),
        format!("origin/{named}^{{commit}}"),
    ] {
        let mut parse = git();
        parse.arg("-C").arg(folder);
        parse.args([
            "rev-parse",
            "--verify",
            "--quiet",
            "--end-of-options",
            &name,
        ]);
        commit = run(parse);
        if commit.is_ok() {
            break;
        }
    }
    let commit = commit.map_err(|_| format!("{url} has no revision `{named}`"))?;
    let mut check_out = git();
    check_out.arg("-C").arg(folder);
    check_out.args(["checkout", "--quiet", "--detach", &commit]);
    run(check_out).map_err(|why| format!("cannot check out `{named}` of {url}: {why}"))?;
    fs::remove_dir_all(folder.join(".git"))
        .map_err(|error| format!("cannot change {}: {}", folder.display(), in_words(&error)))?;
    Ok(commit)
}

fn git() -> Command {
    let mut command = Command::new("git");
    for setting in [
        "core.symlinks=false",
        "core.autocrlf=false",
        "core.hooksPath=/dev/null",
        "advice.detachedHead=false",
        "protocol.ext.allow=never",
        "filter.lfs.smudge=",
        "filter.lfs.required=false",
    ] {
        command.args(["-c", setting]);
    }
    for variable in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"] {
        command.env_remove(variable);
    }
    command.env("GIT_TERMINAL_PROMPT", "0").stdin(Stdio::null());
    command
}

/// What a command writes, without the line break at its end.
fn run(mut command: Command) -> Result<String, String> {
    let output = command
        .output()
        .map_err(|error| format!("cannot run `git`: {}; install it", in_words(&error)))?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout)
            .trim_end()
            .to_owned()),
        false => {
            let said = String::from_utf8_lossy(&output.stderr);
            let last = said.lines().rfind(|line| !line.trim().is_empty());
            Err(last.unwrap_or("git failed").trim().to_owned())
        }
    }
}

/// The SHA-256 of all files of a folder: for each, in the order of paths, its path, its length and its content.
///
/// # Errors
///
/// A file that cannot be read, or is not a plain file.
pub fn hash_of(folder: &Path) -> Result<String, String> {
    let cannot =
        |path: &Path, error| format!("cannot read {}: {}", path.display(), in_words(&error));
    let mut files: Vec<PathBuf> = Vec::new();
    let mut left = vec![folder.to_owned()];
    while let Some(next) = left.pop() {
        for entry in fs::read_dir(&next).map_err(|error| cannot(&next, error))? {
            let entry = entry.map_err(|error| cannot(&next, error))?;
            let kind = entry.file_type().map_err(|error| cannot(&next, error))?;
            match kind.is_dir() {
                true => left.push(entry.path()),
                false if kind.is_file() => files.push(entry.path()),
                false => return Err(format!("{} is not a file", entry.path().display())),
            }
        }
    }
    files.sort();
    let mut hash = Sha256::new();
    for file in &files {
        let content = fs::read(file).map_err(|error| cannot(file, error))?;
        let path = file.strip_prefix(folder).unwrap_or(file);
        hash.update(path.to_string_lossy().as_bytes());
        hash.update([0]);
        hash.update((content.len() as u64).to_le_bytes());
        hash.update(&content);
    }
    let digits = hash.finalize();
    Ok(digits.iter().map(|byte| format!("{byte:02x}")).collect())
}
