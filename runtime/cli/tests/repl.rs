//! Sessions of `simple repl` over a pipe: `repl/x.in` is typed, and what comes out is compared with `repl/x.out`.
//!
//! `UPDATE_GOLDEN=1 cargo test -p simple-cli --test repl` rewrites the `.out` files. Standard error goes to the same place as
//! standard output, so that each message stands behind what caused it.

use std::path::Path;
use std::process::{Command, Stdio};

fn here() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// What a session prints whose input is the file.
fn session(input: &Path) -> String {
    let home = here().join("../..");
    let output = Command::new("sh")
        .args(["-c", "exec \"$0\" repl < \"$1\" 2>&1"])
        .arg(env!("CARGO_BIN_EXE_simple"))
        .arg(input)
        .current_dir(here().join("tests/repl"))
        .env("SIMPLE_HOME", home)
        .env_remove("LIBTORCH_PATH")
        .stdin(Stdio::null())
        .output()
        .expect("the session starts");
    let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.code() != Some(0) {
        text.push_str(&format!("--- {}\n", output.status));
    }
    let lines = text.lines().map(|line| {
        if line.ends_with(" more calls") {
            "  ... N more calls\n".to_owned()
        } else {
            format!("{line}\n")
        }
    });
    lines.collect()
}

#[test]
fn sessions_answer_as_they_should() {
    let update = std::env::var_os("UPDATE_GOLDEN").is_some();
    let mut count = 0;
    let mut problems = Vec::new();
    let folder = std::fs::read_dir(here().join("tests/repl")).expect("the folder of sessions");
    for entry in folder.flatten() {
        let input = entry.path();
        if input.extension().is_none_or(|ending| ending != "in") {
            continue;
        }
        count += 1;
        let found = session(&input);
        let golden = input.with_extension("out");
        if update {
            std::fs::write(&golden, &found).expect("write a golden file");
        }
        let expected = std::fs::read_to_string(&golden).unwrap_or_default();
        if found != expected {
            problems.push(format!(
                "{}\n--- expected\n{expected}\n--- found\n{found}",
                input.display()
            ));
        }
    }
    assert!(count > 0, "no sessions found");
    assert!(problems.is_empty(), "{}", problems.join("\n\n"));
}
