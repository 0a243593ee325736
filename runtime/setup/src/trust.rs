//! Whether anybody else could have put a file where it is, or could change it there.
//!
//! What a set-up runs, opens or builds against must be in folders that only root and the user can write, all the way
//! from `/`, through every link. Nothing is opened or changed here. The owner of `/` counts as root, because inside a
//! container root of the machine may have another number.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Component, Path, PathBuf};

/// What a folder such as `/tmp` counts as, in which everybody may make files but remove only their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sticky {
    /// As one that others can write: nothing is taken from there that the user did not name.
    Refused,
    /// As safe, as long as what is used in it belongs to the user: no one else can replace that.
    Accepted,
}

/// Why a path is not to be used.
#[derive(Debug, thiserror::Error)]
pub enum Distrust {
    /// Another user owns it.
    #[error("{} belongs to user {owner}", path.display())]
    Owner {
        /// The file or folder; it may be above the path that was asked about.
        path: PathBuf,
        /// The owner's number.
        owner: u32,
    },
    /// Others can write it.
    #[error("{} can be written by {who}", path.display())]
    Writable {
        /// The file or folder.
        path: PathBuf,
        /// In words.
        who: &'static str,
    },
    /// It cannot be looked at.
    #[error("{} cannot be looked at: {source}", path.display())]
    Unreadable {
        /// The file or folder.
        path: PathBuf,
        /// The system's answer.
        source: io::Error,
    },
}

/// More links than the system itself follows.
const MAX_LINKS: usize = 40;

/// Checks a file or folder, every folder above it, and every link on its path.
pub fn check(path: &Path, sticky: Sticky) -> Result<(), Distrust> {
    let absolute = std::path::absolute(path).map_err(|source| unreadable(path, source))?;
    let people = People::here();
    let mut left = parts(&absolute);
    let mut at = PathBuf::from("/");
    let mut links = 0;
    people.check_one(&at, sticky)?;
    while let Some(part) = left.pop_front() {
        if part == ".." {
            at.pop();
            continue;
        }
        at.push(part);
        if people.check_one(&at, sticky)?.is_symlink() {
            links += 1;
            if links > MAX_LINKS {
                return Err(unreadable(path, io::ErrorKind::TooManyLinks.into()));
            }
            let target = fs::read_link(&at).map_err(|source| unreadable(&at, source))?;
            at.pop();
            if target.is_absolute() {
                at = PathBuf::from("/");
            }
            for part in parts(&target).into_iter().rev() {
                left.push_front(part);
            }
        }
    }
    Ok(())
}

/// As [`check`], of the part of a path that exists.
pub fn check_existing(path: &Path, sticky: Sticky) -> Result<(), Distrust> {
    match path
        .ancestors()
        .find(|part| part.symlink_metadata().is_ok())
    {
        Some(there) => check(there, sticky),
        None => Ok(()),
    }
}

/// Checks an open file alone; the folders above it have been checked, and the path is for the message.
pub fn check_open(file: &fs::File, path: &Path) -> Result<(), Distrust> {
    let data = file.metadata().map_err(|source| unreadable(path, source))?;
    People::here()
        .check_data(path, data, Sticky::Refused)
        .map(|_| ())
}

/// Checks one file or folder alone; what is above it has been checked.
pub fn check_alone(path: &Path) -> Result<fs::Metadata, Distrust> {
    People::here().check_one(path, Sticky::Accepted)
}

fn parts(path: &Path) -> VecDeque<OsString> {
    path.components()
        .filter_map(|component| match component {
            Component::Normal(part) => Some(part.to_owned()),
            Component::ParentDir => Some("..".into()),
            _ => None,
        })
        .collect()
}

fn unreadable(path: &Path, source: io::Error) -> Distrust {
    Distrust::Unreadable {
        path: path.to_owned(),
        source,
    }
}

/// Whom files may belong to.
struct People {
    user: u32,
    group: u32,
    machine: u32,
}

impl People {
    fn here() -> Self {
        Self {
            user: nix::unistd::geteuid().as_raw(),
            group: nix::unistd::getegid().as_raw(),
            machine: fs::metadata("/").map_or(0, |root| root.uid()),
        }
    }

    fn check_one(&self, path: &Path, sticky: Sticky) -> Result<fs::Metadata, Distrust> {
        let data = path
            .symlink_metadata()
            .map_err(|source| unreadable(path, source))?;
        self.check_data(path, data, sticky)
    }

    fn check_data(
        &self,
        path: &Path,
        data: fs::Metadata,
        sticky: Sticky,
    ) -> Result<fs::Metadata, Distrust> {
        let owner = data.uid();
        if ![0, self.user, self.machine].contains(&owner) {
            return Err(Distrust::Owner {
                path: path.to_owned(),
                owner,
            });
        }
        let mode = data.permissions().mode();
        // A link does not have its own mode.
        let passes =
            data.is_symlink() || sticky == Sticky::Accepted && data.is_dir() && mode & 0o1000 != 0;
        let who = if passes {
            None
        } else if mode & 0o002 != 0 {
            Some("every user")
        } else if mode & 0o020 != 0 && !self.is_private_group(data.gid()) {
            Some("other users of its group")
        } else {
            None
        };
        match who {
            Some(who) => Err(Distrust::Writable {
                path: path.to_owned(),
                who,
            }),
            None => Ok(data),
        }
    }

    /// Many systems give each user a group of the same number with nobody else in it, and let it write by default.
    fn is_private_group(&self, group: u32) -> bool {
        self.user != 0 && group == self.group && group == self.user
    }
}

#[cfg(test)]
mod tests {
    use super::super::env::test_support::Scratch;
    use super::*;
    use std::os::unix::fs::symlink;

    fn set_mode(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    fn refusal(path: &Path) -> String {
        check(path, Sticky::Accepted).unwrap_err().to_string()
    }

    #[test]
    fn what_others_can_write_is_refused_wherever_it_is_on_the_way() {
        let scratch = Scratch::new("trust-modes");
        let folder = scratch.path().join("a/b");
        let file = folder.join("file");
        fs::create_dir_all(&folder).unwrap();
        fs::write(&file, b"").unwrap();
        set_mode(&file, 0o755);
        check(&file, Sticky::Accepted).unwrap();
        for (path, mode, back) in [
            (file.as_path(), 0o757, 0o755),
            (&folder, 0o777, 0o755),
            (&scratch.path().join("a"), 0o777, 0o755),
        ] {
            set_mode(path, mode);
            let words = format!("{} can be written by every user", path.display());
            assert_eq!(refusal(&file), words);
            set_mode(path, back);
        }
        assert!(refusal(&folder.join("none")).contains("cannot be looked at"));
        check_existing(&folder.join("none/at/all"), Sticky::Accepted).unwrap();
    }

    #[test]
    fn a_sticky_folder_is_what_the_caller_says() {
        let scratch = Scratch::new("trust-sticky");
        let shared = scratch.path().join("shared");
        fs::create_dir_all(shared.join("mine")).unwrap();
        set_mode(&shared, 0o1777);
        check(&shared.join("mine"), Sticky::Accepted).unwrap();
        assert!(check(&shared.join("mine"), Sticky::Refused).is_err());
    }

    #[test]
    fn links_are_followed_and_their_folders_count() {
        let scratch = Scratch::new("trust-links");
        let (open, safe) = (scratch.path().join("open"), scratch.path().join("safe"));
        fs::create_dir_all(&open).unwrap();
        fs::create_dir_all(&safe).unwrap();
        fs::write(safe.join("file"), b"").unwrap();
        // Out of a folder that others can write, and into one.
        symlink(safe.join("file"), open.join("out")).unwrap();
        symlink("../open/file", safe.join("in")).unwrap();
        fs::write(open.join("file"), b"").unwrap();
        check(&safe.join("in"), Sticky::Accepted).unwrap();
        set_mode(&open, 0o777);
        assert!(refusal(&open.join("out")).contains("open can be written"));
        assert!(refusal(&safe.join("in")).contains("open can be written"));
        symlink("round", safe.join("round")).unwrap();
        assert!(refusal(&safe.join("round")).contains("cannot be looked at"));
    }

    #[test]
    fn so_many_links_are_followed_as_the_system_follows() {
        let scratch = Scratch::new("trust-links");
        let link = |number: usize| scratch.path().join(format!("link{number}"));
        fs::write(link(0), b"").unwrap();
        for number in 1..=MAX_LINKS + 1 {
            symlink(format!("link{}", number - 1), link(number)).unwrap();
        }
        check(&link(MAX_LINKS), Sticky::Accepted).unwrap();
        assert!(fs::read(link(MAX_LINKS)).is_ok());
        assert!(refusal(&link(MAX_LINKS + 1)).contains("cannot be looked at"));
        assert!(fs::read(link(MAX_LINKS + 1)).is_err());
    }

    #[test]
    fn another_owner_is_refused() {
        let scratch = Scratch::new("trust-owner");
        let file = scratch.path().join("file");
        fs::write(&file, b"").unwrap();
        // Only root can give a file away; others see the same rule in `People`.
        if nix::unistd::geteuid().is_root() {
            std::os::unix::fs::chown(&file, Some(12_345), None).unwrap();
            assert!(refusal(&file).ends_with("belongs to user 12345"));
        }
        let stranger = People {
            user: 54_321,
            group: 54_321,
            machine: 0,
        };
        let mine = People::here().user;
        let seen = stranger.check_one(&file, Sticky::Accepted);
        assert_eq!(seen.is_err(), mine != 0 || nix::unistd::geteuid().is_root());
        assert!(stranger.is_private_group(54_321) && !stranger.is_private_group(100));
    }
}
