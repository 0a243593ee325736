//! Files that exist completely or not at all.
//!
//! What is written goes to a part without a name (`O_TMPFILE`) in the folder of the file, is brought to the disk, and is moved into its place
//! by a rename, which the file system does in one step; then the folder is brought to the disk too. A program killed at any instant leaves
//! the old file or the new one, and nothing else.
//!
//! Where the file system does not support files without names, as over NFS, the part has a name that cannot be guessed
//! and that no other writer uses, on this machine or another: `.simple-` and 16 random digits. A program that is killed
//! leaves it; the next one that writes into the folder removes what was not touched for a day, by the clock of the
//! file system itself.
//!
//! - A link is followed: its target is replaced, the link stays.
//! - The new file has the owner and the mode of the old one, as far as the writer may give them; without an old one, what the umask leaves.
//! - An old file that the writer may not write is not replaced, though the folder would let it.
//!
//! [`replace_privately`] is for files that are nobody else's business: the new one is the writer's and readable by nobody else,
//! whatever was there before.
//!
//! Left out: extended attributes and other hard links of the old file, which keep the old content.

use crate::faults::{Step, step};
use crate::open::{File, is_stream, refuse_other_than_file};
use rustix::fs::{AtFlags, CWD, linkat};
use std::ffi::OsString;
use std::fs::{self, Metadata, OpenOptions, Permissions};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt, fchown};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What a file is written through.
pub type Writer = BufWriter<File>;

/// Why a file was not written; what was there before is there still.
#[derive(Debug)]
pub enum Failed<E> {
    /// The file itself cannot be made or moved into its place.
    File(io::Error),
    /// What should be written is the reason.
    Content(E),
}

/// Whether what is written is on the disk before the file gets its name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sync {
    /// Always: also a loss of power leaves the old file or the new one.
    Always,
    /// Only when there is an old file to lose.
    WhenReplacing,
    /// Never: for files whose readers see what is damaged, and can do without.
    Never,
}

/// Writes a regular file by `body`, in one piece as others see it.
///
/// # Errors
///
/// The first thing that fails; the file is then as it was, and nothing is left beside it.
pub fn replace<E>(
    path: &Path,
    sync: Sync,
    body: impl FnOnce(&mut Writer) -> Result<(), E>,
) -> Result<(), Failed<E>> {
    let target = Target::of(path).map_err(Failed::File)?;
    target.replace(sync, body)
}

/// As [`replace`], for a file that the writer alone may read and write, whatever the umask is. Owner and mode of an old file do not count, and a
/// link is replaced itself.
///
/// # Errors
///
/// As for [`replace`].
pub fn replace_privately<E>(
    path: &Path,
    sync: Sync,
    body: impl FnOnce(&mut Writer) -> Result<(), E>,
) -> Result<(), Failed<E>> {
    let target = Target {
        folder: folder_of(path),
        path: path.to_owned(),
        old: None,
        new_mode: 0o600,
        executable: false,
    };
    target.replace(sync, body)
}

/// Writes an executable file, in one piece as others see it. Owner and mode of an old file stay, except that who may
/// read it may run it.
///
/// # Errors
///
/// The system's; the file is then as it was.
pub fn write_executable(path: &Path, content: &[u8]) -> io::Result<()> {
    let mut target = Target::of(path)?;
    target.new_mode = 0o777;
    target.executable = true;
    match target.replace(Sync::Never, |out| out.write_all(content)) {
        Ok(()) => Ok(()),
        Err(Failed::Content(error) | Failed::File(error)) => Err(error),
    }
}

/// Writes these bytes to a file, in one piece as others see it where that is possible.
///
/// A pipe, a device or a stream of the process is written as it is. So is a file that may be written in a folder where none may be made, or
/// that another file system is mounted on, as containers do it with single files.
///
/// # Errors
///
/// The system's.
pub fn write(path: &Path, content: &[u8]) -> io::Result<()> {
    let straight = || {
        step(Step::Open)?;
        let mut file = File::new(OpenOptions::new().write(true).truncate(true).open(path)?);
        file.write_all(content)
    };
    if is_stream(path) || fs::metadata(path).is_ok_and(|data| !data.is_file() && !data.is_dir()) {
        return straight();
    }
    let target = Target::of(path)?;
    match target.replace(Sync::WhenReplacing, |out| out.write_all(content)) {
        Ok(()) => Ok(()),
        Err(Failed::Content(error)) => Err(error),
        Err(Failed::File(error)) if target.old.is_some() && is_no_place_for_parts(&error) => {
            straight()
        }
        Err(Failed::File(error)) => Err(error),
    }
}

/// Whether a file in this folder cannot be replaced, though it can perhaps be written.
fn is_no_place_for_parts(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::PermissionDenied
            | ErrorKind::ReadOnlyFilesystem
            | ErrorKind::ResourceBusy
            | ErrorKind::CrossesDevices
    )
}

/// A file to replace, links followed.
struct Target {
    folder: PathBuf,
    path: PathBuf,
    old: Option<Metadata>,
    /// The mode of a file where there is no old one, as far as the umask leaves it.
    new_mode: u32,
    /// Whether who may read it may run it, also where an old file was none to run.
    executable: bool,
}

impl Target {
    fn of(path: &Path) -> io::Result<Target> {
        if path.as_os_str().as_bytes().ends_with(b"/") || path.file_name().is_none() {
            return Err(ErrorKind::IsADirectory.into());
        }
        let path = behind_links(path)?;
        step(Step::Look)?;
        let old = match fs::symlink_metadata(&path) {
            Ok(data) => {
                refuse_other_than_file(data.file_type())?;
                may_write(&path)?;
                Some(data)
            }
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        Ok(Target {
            folder: folder_of(&path),
            path,
            old,
            new_mode: 0o666,
            executable: false,
        })
    }

    fn replace<E>(
        &self,
        sync: Sync,
        body: impl FnOnce(&mut Writer) -> Result<(), E>,
    ) -> Result<(), Failed<E>> {
        let (mut part, file) = self.part().map_err(Failed::File)?;
        let mut out = BufWriter::with_capacity(1 << 16, file);
        body(&mut out).map_err(Failed::Content)?;
        self.finish(&mut part, out, sync).map_err(Failed::File)
    }

    /// A new part, and how it is written.
    fn part(&self) -> io::Result<(Part, File)> {
        step(Step::Open)?;
        // Nobody else may read the part of a private file that is already written.
        let mode = if self.old.is_some() {
            0o600
        } else {
            self.new_mode
        };
        let mut options = OpenOptions::new();
        options.read(true).write(true).mode(mode);
        if let Some(file) = nameless(&options, &self.folder) {
            return Ok((Part { path: None }, File::new(file)));
        }
        let (path, file) = self.named(&options)?;
        Ok((Part { path: Some(path) }, File::new(file)))
    }

    /// A new part with a name.
    fn named(&self, options: &OpenOptions) -> io::Result<(PathBuf, fs::File)> {
        loop {
            let path = self.folder.join(part_name());
            // `create_new` is O_EXCL, which follows no link either.
            match options.clone().create_new(true).open(&path) {
                Ok(file) => return Ok((path, file)),
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) if error.kind() == ErrorKind::NotFound => {
                    return Err(io::Error::new(
                        ErrorKind::NotFound,
                        "its folder does not exist",
                    ));
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Brings what is written to the disk and into its place.
    fn finish(&self, part: &mut Part, mut out: Writer, sync: Sync) -> io::Result<()> {
        out.flush()?;
        let file = out.get_ref().inner();
        if let Some(old) = &self.old {
            step(Step::Look)?;
            keep_owner_and_mode(file, old)?;
            if self.executable {
                let mode = old.mode() & 0o777;
                file.set_permissions(Permissions::from_mode(mode | (mode & 0o444) >> 2))?;
            }
        }
        let syncs = match sync {
            Sync::Always => true,
            Sync::WhenReplacing => self.old.is_some(),
            Sync::Never => false,
        };
        if syncs {
            step(Step::Sync)?;
            file.sync_all()?;
        }
        let written = file.metadata()?;
        let was_nameless = part.path.is_none();
        let path = match &part.path {
            Some(path) => path,
            None => part.path.insert(self.link(file)?),
        };
        step(Step::Rename)?;
        fs::rename(path, &self.path)?;
        part.path = None;
        if sync == Sync::Always {
            self.sync_folder();
        }
        if !was_nameless {
            self.remove_left_over(&written);
        }
        Ok(())
    }

    /// Gives a part without a name one, from which it can be moved over an old file.
    fn link(&self, file: &fs::File) -> io::Result<PathBuf> {
        step(Step::Rename)?;
        let from = format!("/proc/self/fd/{}", file.as_raw_fd());
        loop {
            let path = self.folder.join(part_name());
            match linkat(CWD, from.as_str(), CWD, &path, AtFlags::SYMLINK_FOLLOW) {
                Ok(()) => return Ok(path),
                Err(rustix::io::Errno::EXIST) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Makes a rename last through a loss of power. File systems that cannot bring folders to the disk do so by themselves.
    fn sync_folder(&self) {
        if let Ok(folder) = fs::File::open(&self.folder) {
            let _ = folder.sync_all();
        }
    }

    /// Removes the parts in the folder that were left long before this one was written. A part that cannot be removed
    /// is not a failure.
    fn remove_left_over(&self, written: &Metadata) {
        let Some(now) = written.modified().ok() else {
            return;
        };
        let Ok(entries) = fs::read_dir(&self.folder) else {
            return;
        };
        for entry in entries
            .flatten()
            .filter(|entry| is_part(&entry.file_name()))
        {
            let old = entry.metadata().and_then(|data| data.modified());
            let age = old.ok().and_then(|old| now.duration_since(old).ok());
            if age.is_some_and(|age| age > LEFT_OVER) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

/// A part that is removed unless it was moved into its place.
struct Part {
    path: Option<PathBuf>,
}

impl Drop for Part {
    fn drop(&mut self) {
        if let Some(path) = &self.path {
            // The reason why it could not be written is what counts; a rest of it is only untidy.
            let _ = fs::remove_file(path);
        }
    }
}

/// Parts that have not been written for so long have been abandoned.
const LEFT_OVER: Duration = Duration::from_secs(24 * 60 * 60);
const PART: &str = ".simple-";
const DIGITS: usize = 16;

fn part_name() -> OsString {
    // Keyed by random bytes of the system, differently each time.
    let random = RandomState::new().build_hasher().finish();
    format!("{PART}{random:0DIGITS$x}").into()
}

fn is_part(name: &std::ffi::OsStr) -> bool {
    let digits = name.to_str().and_then(|name| name.strip_prefix(PART));
    digits.is_some_and(|digits| {
        digits.len() == DIGITS && digits.bytes().all(|digit| digit.is_ascii_hexdigit())
    })
}

/// A file without a name in a folder, where the system can make one and name it afterwards.
#[cfg(target_os = "linux")]
fn nameless(options: &OpenOptions, folder: &Path) -> Option<fs::File> {
    #[cfg(test)]
    if tests::ONLY_NAMED.get() {
        return None;
    }
    if !Path::new("/proc/self/fd").is_dir() {
        return None;
    }
    let mut options = options.clone();
    options.custom_flags(libc::O_TMPFILE).open(folder).ok()
}

#[cfg(not(target_os = "linux"))]
fn nameless(_options: &OpenOptions, _folder: &Path) -> Option<fs::File> {
    None
}

/// The folder of a file; `.` for a bare name.
fn folder_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    }
}

/// The path that a path leads to, whether or not there is a file.
fn behind_links(path: &Path) -> io::Result<PathBuf> {
    /// As many as Linux follows.
    const MOST: usize = 40;
    let mut path = path.to_owned();
    for _ in 0..MOST {
        if is_stream(&path) {
            return Err(io::Error::new(
                ErrorKind::InvalidInput,
                "it is a stream of the process, not a file",
            ));
        }
        match fs::symlink_metadata(&path) {
            Ok(data) if data.is_symlink() => {
                let to = fs::read_link(&path)?;
                path = match path.parent() {
                    Some(folder) => folder.join(to),
                    None => to,
                };
            }
            // What is wrong with it is found when it is used.
            _ => return Ok(path),
        }
    }
    Err(io::Error::from_raw_os_error(libc::ELOOP))
}

/// Whether this process may write the file that is there.
fn may_write(path: &Path) -> io::Result<()> {
    let opened = OpenOptions::new()
        .write(true)
        .custom_flags(libc::O_NONBLOCK | libc::O_NOFOLLOW)
        .open(path);
    match opened {
        Err(error)
            if matches!(
                error.kind(),
                ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem
            ) =>
        {
            Err(error)
        }
        // A program that runs cannot be written, but it can be replaced.
        _ => Ok(()),
    }
}

/// Gives a part the owner and the mode of the file that it replaces.
fn keep_owner_and_mode(file: &fs::File, old: &Metadata) -> io::Result<()> {
    let new = file.metadata()?;
    let mut mode = old.mode() & 0o7777;
    if (new.uid(), new.gid()) != (old.uid(), old.gid()) {
        let owner = (new.uid() != old.uid()).then_some(old.uid());
        let whole = fchown(file, owner, Some(old.gid())).is_ok();
        if !whole && new.gid() != old.gid() && fchown(file, None, Some(old.gid())).is_err() {
            // What the old group was allowed is not meant for the new one, which gets what everybody has.
            mode = mode & !0o070 | (mode & 0o007) << 3;
        }
        if !whole {
            // A program runs as its owner by these bits, which is somebody else now.
            mode &= 0o777;
        }
    }
    file.set_permissions(Permissions::from_mode(mode))
}

#[cfg(test)]
mod tests;
