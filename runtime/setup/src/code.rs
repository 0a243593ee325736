//! Where programs are kept that were compiled before: the folder `code` in the cache.
//!
//! What is in it is run, so folder and files are used only where nobody but the user and root can write. What the files contain is the command
//! line's part.

use super::env::Env;
use super::trust::{self, Distrust, Sticky};
use std::fs::{DirBuilder, File};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

/// The folder of compiled programs, made if it is missing; `None` where there is no cache that is the user's alone.
pub fn code_folder() -> Option<PathBuf> {
    folder_in(&Env::from_process())
}

/// Whether an open file of that folder is the user's or root's, and nobody else can write it; `path` is for the message.
///
/// # Errors
///
/// Why it is not to be used, in words.
pub fn is_the_users(file: &File, path: &Path) -> Result<(), String> {
    trust::check_open(file, path).map_err(|why: Distrust| why.to_string())
}

fn folder_in(env: &Env) -> Option<PathBuf> {
    let folder = env.cache_dir().ok()?.join("code");
    if !folder.is_dir() {
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&folder)
            .ok()?;
    }
    trust::check(&folder, Sticky::Accepted).ok()?;
    Some(folder)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::env::test_support::Scratch;
    use std::fs::{Permissions, metadata, set_permissions};
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_folder_is_the_users_alone() {
        let scratch = Scratch::new("code-folder");
        let mut env = Env::empty();
        env.set("XDG_CACHE_HOME", scratch.path());
        let folder = folder_in(&env).expect("it is made");
        assert_eq!(
            metadata(&folder).unwrap().permissions().mode() & 0o777,
            0o700
        );
        set_permissions(&folder, Permissions::from_mode(0o777)).unwrap();
        assert_eq!(folder_in(&env), None);
    }

    #[test]
    fn a_file_that_others_can_write_or_own_is_not_used() {
        let scratch = Scratch::new("code-file");
        let path = scratch.path().join("p.code");
        std::fs::write(&path, "").unwrap();
        let refusal = |mode| {
            set_permissions(&path, Permissions::from_mode(mode)).unwrap();
            is_the_users(&File::open(&path).unwrap(), &path).err()
        };
        assert_eq!(refusal(0o600), None);
        assert_eq!(refusal(0o644), None);
        assert!(refusal(0o646).unwrap().contains("every user"));
        assert!(refusal(0o1606).unwrap().contains("every user"));
        let own = nix::unistd::geteuid();
        if own.is_root() {
            assert!(refusal(0o664).unwrap().contains("its group"));
            std::os::unix::fs::chown(&path, Some(12_345), None).unwrap();
            assert!(refusal(0o600).unwrap().contains("belongs to user 12345"));
        }
    }
}
