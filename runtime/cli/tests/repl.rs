//! Sessions of `simple repl` over a pipe: `repl/x.in` is typed, and what comes out is compared with `repl/x.out`.
//!
//! `UPDATE_GOLDEN=1 cargo test -p simple-cli --test repl` rewrites the `.out` files. Standard error goes to the same place as
//! standard output, so that each message follows what caused it.

#[cfg(unix)]
mod interrupts;

use std::path::Path;
use std::process::{Child, Command, Stdio};

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
        .env("SIMPLE_CHECK_LEAKS", "1")
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
        problems.extend(simple_testing::golden::compare(&golden, &found).err());
    }
    assert!(count > 0, "no sessions found");
    assert!(problems.is_empty(), "{}", problems.join("\n\n"));
}

/// A session in that folder whose input and outputs are pipes.
fn begin(folder: &Path) -> Child {
    Command::new(env!("CARGO_BIN_EXE_simple"))
        .arg("repl")
        .current_dir(folder)
        .env("SIMPLE_HOME", here().join("../.."))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the session starts")
}

/// A module that is not there yet is looked for again, also in a folder that was not there.
#[test]
fn a_module_may_come_later() {
    use std::io::Write;
    let folder = tempfile::tempdir().expect("a folder");
    let mut child = begin(folder.path());
    let typed = "use std.io.{file_write, dir_create}\nuse sub.later.{f}\ndir_create(\"sub\")\n\
                 file_write(\"sub/later.spl\", \"fn f() -> i64: 7\\n\")\nuse sub.later.{f}\nf()\n";
    let mut input = child.stdin.take().expect("a pipe");
    input
        .write_all(typed.as_bytes())
        .expect("the session reads");
    drop(input);
    let output = child.wait_with_output().expect("it ends");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(
        said.matches("there is no module `sub.later`").count(),
        1,
        "{said}"
    );
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "true\ntrue\n7\n",
        "{said}"
    );
}

#[test]
#[cfg(unix)]
fn ctrl_c_stops_the_computation_and_keeps_the_session() {
    use std::io::{BufRead, BufReader, Read, Write};
    if interrupts::are_ignored() {
        return;
    }
    let mut child = begin(here());
    let mut input = child.stdin.take().expect("a pipe");
    let mut errors = BufReader::new(child.stderr.take().expect("a pipe"));
    let mut printed = String::new();
    for busy in [
        "x = 20\nif true:\n    eprint \"ready\"\n    loop: x = x + 1\n\n",
        "fn deep(n: i64) -> i64:\n    if n > 0: deep(n - 1) + deep(n - 1) else: 0\n\nif true:\n    eprint \"ready\"\n    x = deep(90)\n\n",
    ] {
        input.write_all(busy.as_bytes()).expect("the session reads");
        let mut line = String::new();
        errors.read_line(&mut line).expect("a line");
        assert_eq!(line, "ready\n");
        let sent = Command::new("kill")
            .args(["-INT", &child.id().to_string()])
            .status()
            .expect("kill starts");
        assert!(sent.success());
        line.clear();
        errors.read_line(&mut line).expect("a line");
        assert_eq!(line, "interrupted\n");
    }
    input.write_all(b"x >= 20\n").expect("the session reads");
    drop(input);
    let mut output = child.stdout.take().expect("a pipe");
    output.read_to_string(&mut printed).expect("text");
    assert_eq!(printed, "true\n");
    assert_eq!(child.wait().expect("it ends").code(), Some(0));
}
