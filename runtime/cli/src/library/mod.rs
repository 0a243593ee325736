//! Libraries of a program's own, in Rust, C or C++: `simple new --ffi` makes a folder for one, `simple build FOLDER` builds it.
//!
//! What a library must export is in `ffi/abi`; how one is found and checked at its first call is the bridge's. Leaves out plain C
//! libraries, which need nothing but declarations. Next: `new.rs` with the files of `template/`, `build.rs`.

mod build;
mod new;

pub use build::build;
pub use new::new;

use clap::ValueEnum;
use serde::Deserialize;
use simple_syntax::{FileId, parse};
use std::path::PathBuf;

/// What a library is written in.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    /// Rust, with the crate `simple-ffi-abi`
    Rust,
    /// C, with the header `simple_ffi.h`
    C,
    /// C++, with the same header
    Cpp,
}

/// The file that says what to build.
const MANIFEST: &str = "simple.sdn";

/// Its folder for what is built, in which the program of the folder looks for libraries.
const OUTPUT: &str = "lib";

/// Where libraries find Simple's side of the boundary.
fn abi() -> Result<PathBuf, String> {
    let folder = crate::session::home().join("ffi/abi");
    folder.canonicalize().map_err(|_| {
        format!(
            "cannot find {}, which libraries are built with; set SIMPLE_HOME to the folder of Simple's sources",
            folder.display()
        )
    })
}

/// Why a library cannot have this name, if so: it is part of names in Simple, C and Rust, and of the files'.
fn refuse_name(name: &str) -> Result<(), String> {
    let starts = name.starts_with(|c: char| c.is_ascii_lowercase());
    let rest = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    if !starts || !name.chars().all(rest) {
        return Err(format!(
            "a library cannot be called `{name}`: names begin with a letter from `a` to `z`, and go on with these, digits and `_`"
        ));
    }
    let text = format!("use .{name}.{{f}}\nextern fn {name}({name}: i64)\n");
    if name == "main" || !parse(FileId(0), &text).1.is_empty() {
        return Err(format!(
            "a library cannot be called `{name}`, which means something else in Simple; choose another name"
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        for good in ["a", "words", "my_words2"] {
            assert_eq!(refuse_name(good), Ok(()));
        }
        for bad in [
            "", "Words", "2words", "_w", "my-words", "a.b", "wörter", "fn", "match", "nil", "main",
        ] {
            assert!(refuse_name(bad).is_err(), "{bad}");
        }
    }
}
