//! The wheel, for `pip install`: the program among the scripts of the environment, the rest in its `lib/simple`, and a module for
//! `python -m simple_lang`.
//!
//! The form is that of the packaging guide's "Binary distribution format": a zip file whose `RECORD` names each file with its hash. No Python is run
//! for anything but that module, so it fits every Python 3.

use std::fmt::Write as _;
use std::io::{Cursor, Write};

use sha2::{Digest, Sha256};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

use crate::needs::Glibc;
use crate::tree::Tree;
use crate::{PackageError, VERSION};

const MODULE: &str = "simple_lang";

/// What `import simple_lang` has.
const INIT: &str = "\"\"\"Simple: a small statically typed language that drives PyTorch's libtorch. `python -m simple_lang` starts it.\"\"\"\n";

/// What `python -m simple_lang` does.
const MAIN: &str = "\"\"\"Starts the program `simple` of the environment that this is installed in.\"\"\"

import os
import sys
import sysconfig
from importlib.metadata import distribution


def program():
    \"\"\"The path of the program: that of the files of this distribution, wherever pip has put them.\"\"\"
    for file in distribution(\"simple-lang\").files or []:
        if file.name == \"simple\" and file.parent.name == \"bin\":
            return os.path.realpath(file.locate())
    return os.path.join(sysconfig.get_path(\"scripts\"), \"simple\")


if __name__ == \"__main__\":
    path = program()
    os.execv(path, [path, *sys.argv[1:]])
";

fn tag(glibc: Glibc) -> String {
    let (major, minor) = (glibc.major, glibc.minor);
    format!(
        "py3-none-manylinux_{major}_{minor}_{}",
        std::env::consts::ARCH
    )
}

/// The name of its file.
pub fn name(glibc: Glibc) -> String {
    format!("{MODULE}-{VERSION}-{}.whl", tag(glibc))
}

/// All of it.
pub fn pack(tree: &Tree, glibc: Glibc) -> Result<Vec<u8>, PackageError> {
    let info = format!("{MODULE}-{VERSION}.dist-info");
    let data = format!("{MODULE}-{VERSION}.data");
    let metadata = metadata(tree);
    let about = format!(
        "Wheel-Version: 1.0\nGenerator: simple-package {VERSION}\nRoot-Is-Purelib: false\nTag: {}\n",
        tag(glibc)
    );
    let mut files: Vec<(String, &[u8], u32)> = vec![
        (format!("{MODULE}/__init__.py"), INIT.as_bytes(), 0o644),
        (format!("{MODULE}/__main__.py"), MAIN.as_bytes(), 0o644),
        (format!("{data}/scripts/simple"), &tree.program, 0o755),
    ];
    for (path, bytes) in &tree.files {
        files.push((format!("{data}/data/lib/simple/{path}"), bytes, 0o644));
    }
    for name in ["LICENSE", "THIRD-PARTY.txt"] {
        if let Some(bytes) = tree.files.get(name) {
            files.push((format!("{info}/licenses/{name}"), bytes, 0o644));
        }
    }
    files.push((format!("{info}/METADATA"), metadata.as_bytes(), 0o644));
    files.push((format!("{info}/WHEEL"), about.as_bytes(), 0o644));
    let record = record(&files, &info);
    files.push((format!("{info}/RECORD"), record.as_bytes(), 0o644));

    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (path, bytes, mode) in files {
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .compression_level(Some(9))
            .last_modified_time(DateTime::default())
            .unix_permissions(mode);
        zip.start_file(path, options)?;
        zip.write_all(bytes)?;
    }
    Ok(zip.finish()?.into_inner())
}

/// What `pip install simple-lang[torch]` installs too: a torch that is not older or newer than those that there are libraries for. Empty without
/// libraries.
fn torch(releases: &[String]) -> String {
    let minor = |release: &String| -> Option<(u32, u32)> {
        let mut numbers = release.split('.').map_while(|part| part.parse().ok());
        Some((numbers.next()?, numbers.next()?))
    };
    let minors = || releases.iter().filter_map(minor);
    match (minors().min(), minors().max()) {
        (Some((major, oldest)), Some((_, newest))) => format!(
            "Provides-Extra: torch\nRequires-Dist: torch>={major}.{oldest},<{major}.{}; extra == 'torch'\n",
            newest + 1
        ),
        _ => String::new(),
    }
}

fn metadata(tree: &Tree) -> String {
    let readme = tree
        .files
        .get("README.md")
        .map(|text| String::from_utf8_lossy(text));
    format!(
        "Metadata-Version: 2.4\n\
         Name: simple-lang\n\
         Version: {VERSION}\n\
         Summary: A small statically typed language that looks like Python and drives PyTorch's libtorch\n\
         License-Expression: MIT\n\
         License-File: LICENSE\n\
         License-File: THIRD-PARTY.txt\n\
         Requires-Python: >=3.8\n\
         {}\
         Description-Content-Type: text/markdown\n\
         \n\
         {}",
        torch(&tree.releases),
        readme.unwrap_or_default()
    )
}

/// A line for each file, with its SHA-256 in the base 64 of URLs and its size; the list itself has neither.
fn record(files: &[(String, &[u8], u32)], info: &str) -> String {
    let mut lines = String::new();
    for (path, bytes, _) in files {
        // A String can always be written to.
        let _ = writeln!(
            lines,
            "{path},sha256={},{}",
            base64(&Sha256::digest(bytes)),
            bytes.len()
        );
    }
    let _ = writeln!(lines, "{info}/RECORD,,");
    lines
}

/// Base 64 for URLs, without filling up.
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let bits = chunk
            .iter()
            .fold(0u32, |bits, byte| bits << 8 | u32::from(*byte))
            << (8 * (3 - chunk.len()));
        for digit in 0..=chunk.len() {
            text.push(char::from(DIGITS[(bits >> (18 - 6 * digit)) as usize & 63]));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_optional_torch_is_one_that_the_package_has_a_library_for() {
        let of = |all: &[&str]| {
            let releases: Vec<String> = all.iter().map(|one| (*one).to_owned()).collect();
            torch(&releases)
        };
        assert_eq!(of(&[]), "");
        let all = of(&["2.9.1", "2.11.0", "2.15.0"]);
        assert!(
            all.contains("Requires-Dist: torch>=2.9,<2.16; extra == 'torch'\n"),
            "{all}"
        );
        assert!(of(&["2.12.1"]).contains("torch>=2.12,<2.13;"));
    }

    #[test]
    fn hashes_are_in_the_base_64_of_urls() {
        for (bytes, text) in [
            (&b""[..], ""),
            (b"f", "Zg"),
            (b"fo", "Zm8"),
            (b"foo", "Zm9v"),
            (b"\xff\xfe", "__4"),
        ] {
            assert_eq!(base64(bytes), text);
        }
    }

    #[test]
    fn the_record_names_each_file_and_itself() {
        let files = [("a/b".to_owned(), &b"x"[..], 0o644)];
        let hash = "LXEWQrcmsEQBYnyp-6wy9chTD7GQPMTbAiWHF5IaSIE";
        assert_eq!(
            record(&files, "i"),
            format!("a/b,sha256={hash},1\ni/RECORD,,\n")
        );
    }
}
