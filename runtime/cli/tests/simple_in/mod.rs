//! Runs `simple` in a folder, for tests that build libraries and run programs which write files.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The folder of the repository, which holds the library.
pub fn home() -> PathBuf {
    fs::canonicalize(Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."))
        .expect("the repository's folder")
}

/// Runs a command of `simple`; what it starts gets nothing from a network.
pub fn simple_in(folder: &Path, words: &[&str], variables: &[(&str, &str)]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_simple"))
        .args(words)
        .env("SIMPLE_HOME", home())
        .env("SIMPLE_CHECK_LEAKS", "1")
        .env("CARGO_NET_OFFLINE", "true")
        // What cargo is told for this test is not meant for the cargo that builds a library.
        .env_remove("CARGO_TARGET_DIR")
        .env_remove("LIBTORCH_PATH")
        .envs(variables.iter().copied())
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .expect("simple starts")
}

/// Both outputs of a command, and its exit code if it is not 0.
pub fn said(output: &Output) -> String {
    let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.push_str(&String::from_utf8_lossy(&output.stderr));
    match output.status.code() {
        Some(0) => {}
        Some(code) => text.push_str(&format!("--- exit {code}\n")),
        None => text.push_str("--- killed by a signal\n"),
    }
    text
}
