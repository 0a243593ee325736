//! Numbers at their edges, beside what others say: every form of a number in programs (`literals.rs`), texts and data (`texts.rs`) beside C's
//! `strtod` and `strtof` (`written.rs`), every pair of number types (`table.rs`, `constants.rs`), ranges and slices beside whole numbers without
//! bounds (`ranges.rs`).

mod constants;
mod literals;
mod ranges;
mod table;
mod texts;
mod written;

use std::path::PathBuf;
use std::process::{Command, Stdio};

/// A generator of the same numbers in every run (xorshift64).
pub struct Random(u64);

impl Random {
    /// A generator whose numbers are those of the seed.
    pub fn new(seed: u64) -> Random {
        Random(seed.max(1))
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number from 0 on, below the end.
    pub fn below(&mut self, end: u64) -> u64 {
        (self.bits() >> 11) % end
    }
}

/// Runs a program; the lines that it prints. Other files are in its folder, which is its first argument.
pub fn run(name: &str, program: &str, files: &[(&str, &str)]) -> Vec<String> {
    let (success, output) = outcome(name, program, files);
    assert!(success, "{name} fails:\n{}", output.join("\n"));
    output
}

/// Runs a program; whether it ends well, and what it prints, or says if it does not.
pub fn outcome(name: &str, program: &str, files: &[(&str, &str)]) -> (bool, Vec<String>) {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("numbers_{name}"));
    std::fs::create_dir_all(&folder).expect("a folder for programs");
    let path = folder.join(format!("{name}.spl"));
    std::fs::write(&path, program).expect("a program can be written");
    for (file, text) in files {
        std::fs::write(folder.join(file), text).expect("a file can be written");
    }
    let output = Command::new(env!("CARGO_BIN_EXE_simple"))
        .args([path.as_os_str(), folder.as_os_str()])
        .env(
            "SIMPLE_HOME",
            PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../.."),
        )
        .env_remove("LIBTORCH_PATH")
        .stdin(Stdio::null())
        .output()
        .expect("the program under test starts");
    let success = output.status.success();
    let text = match success {
        true => output.stdout,
        false => [output.stdout, output.stderr].concat(),
    };
    let text = String::from_utf8(text).expect("programs print UTF-8");
    (success, text.lines().map(str::to_owned).collect())
}

/// Holds what a program printed beside what it should; `label` says what a line is about.
pub fn compare(found: &[String], wanted: &[String], label: impl Fn(usize) -> String) {
    assert_eq!(found.len(), wanted.len(), "lines");
    let wrong: Vec<String> = (0..wanted.len())
        .filter(|at| found[*at] != wanted[*at])
        .map(|at| format!("{}: {}, not {}", label(at), found[at], wanted[at]))
        .collect();
    let some = &wrong[..wrong.len().min(50)];
    assert!(
        wrong.is_empty(),
        "{} of {} differ:\n{}",
        wrong.len(),
        wanted.len(),
        some.join("\n")
    );
}
