//! Where programs are kept that were compiled before: the folder `code` in the cache.
//!
//! What is in it is run, so it is used only where nobody but the user and root can write. What the files contain is the command line's part.

use super::env::Env;
use super::trust::{self, Sticky};
use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::path::PathBuf;

/// The folder of compiled programs, made if it is missing; `None` where there is no cache that is the user's alone.
pub fn code_folder() -> Option<PathBuf> {
    folder_in(&Env::from_process())
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
}
