//! A folder for one test, removed when the test ends.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A folder below the system's folder for temporary files. Dropping it removes it with everything in it.
#[derive(Debug)]
pub struct Folder(PathBuf);

impl Folder {
    /// An empty folder that nobody else has, not even a test that asks with the same name and runs at the same time. The
    /// name says in a listing which test left a folder there.
    ///
    /// # Panics
    ///
    /// If the folder cannot be made.
    #[must_use]
    pub fn new(name: &str) -> Folder {
        static FOLDERS: AtomicUsize = AtomicUsize::new(0);
        let number = FOLDERS.fetch_add(1, Ordering::Relaxed);
        let process = std::process::id();
        let path = std::env::temp_dir().join(format!("simple-{name}-{process}-{number}"));
        // A process that was killed leaves its folder, and its number is given again.
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        Folder(path)
    }

    /// Writes a file, and makes the folders above it.
    ///
    /// # Panics
    ///
    /// If it cannot be written.
    pub fn write(&self, file: &str, text: &str) {
        let path = self.0.join(file);
        let folder = path.parent().expect("a file is in a folder");
        fs::create_dir_all(folder)
            .and_then(|()| fs::write(&path, text))
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }

    /// The path of a file in it.
    #[must_use]
    pub fn path(&self, file: &str) -> PathBuf {
        self.0.join(file)
    }
}

impl AsRef<Path> for Folder {
    fn as_ref(&self) -> &Path {
        &self.0
    }
}

impl std::ops::Deref for Folder {
    type Target = Path;

    fn deref(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::Folder;

    #[test]
    fn a_folder_is_empty_at_first_and_gone_at_the_end() {
        let folder = Folder::new("testing-folder");
        folder.write("a/b.txt", "text");
        let path = folder.path("a/b.txt");
        assert_eq!(std::fs::read_to_string(&path).expect("written"), "text");
        let again = Folder::new("testing-folder");
        assert_ne!(*again, *folder, "two tests with one name have two folders");
        let emptied = again.to_path_buf();
        drop(again);
        assert!(!emptied.exists() && path.exists());
    }
}
