//! The system's reasons in words.

use std::io::{Error, ErrorKind};

/// What the system says, without Rust's `(os error 2)`.
pub fn in_words(error: &Error) -> String {
    if error.raw_os_error().is_none() && error.get_ref().is_some() {
        // Words of our own, or of a library: they are good as they are.
        return error.to_string();
    }
    if error.raw_os_error() == Some(libc::ENXIO) {
        return "it is a socket, or a pipe that no process reads".to_owned();
    }
    if error.raw_os_error() == Some(libc::EBADF) {
        return "it is closed".to_owned();
    }
    match error.kind() {
        ErrorKind::NotFound => "no such file".to_owned(),
        ErrorKind::PermissionDenied => "no permission".to_owned(),
        ErrorKind::IsADirectory => "it is a folder, not a file".to_owned(),
        ErrorKind::NotADirectory => "a part of its path is a file, not a folder".to_owned(),
        ErrorKind::StorageFull => "the disk is full".to_owned(),
        ErrorKind::QuotaExceeded => "the disk quota is used up".to_owned(),
        ErrorKind::FileTooLarge => {
            "the file would be larger than the system allows (see `ulimit -f`)".to_owned()
        }
        ErrorKind::ReadOnlyFilesystem => "the file system is read-only".to_owned(),
        ErrorKind::InvalidFilename => "its name is too long or not allowed".to_owned(),
        ErrorKind::OutOfMemory => "out of memory".to_owned(),
        _ => {
            let words = error.to_string();
            match words.find(" (os error") {
                Some(end) => words[..end].to_lowercase(),
                None => words,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::in_words;
    use std::io::Error;

    #[test]
    fn the_system_speaks_without_numbers() {
        for (number, words) in [
            (libc::ENOENT, "no such file"),
            (libc::EFBIG, "ulimit -f"),
            (libc::ENOSPC, "the disk is full"),
            (libc::EDQUOT, "quota"),
            (libc::EISDIR, "folder"),
            (libc::ENOMEM, "out of memory"),
            (libc::EIO, "input/output error"),
        ] {
            let found = in_words(&Error::from_raw_os_error(number));
            assert!(
                found.contains(words) && !found.contains("os error"),
                "{found}"
            );
        }
        assert_eq!(in_words(&Error::other("As It Is")), "As It Is");
    }
}
