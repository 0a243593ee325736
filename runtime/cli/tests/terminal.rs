//! What differs at a terminal: the line editor of sessions, and where messages point on.
//!
//! `script` of util-linux gives `simple` a terminal; where it is missing, these tests say that they are left out.
#![cfg(target_os = "linux")]

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// `simple` at a terminal, ended after a minute; `None` without `script`. Its home for histories and for compiled programs is the folder.
fn at_terminal(words: &str, folder: &Path) -> Option<Child> {
    let there = Command::new("script")
        .arg("--version")
        .output()
        .is_ok_and(|output| output.status.success());
    if !there {
        println!("left out: there is no `script`");
        return None;
    }
    let command = format!("'{}' {words}", env!("CARGO_BIN_EXE_simple"));
    let child = Command::new("timeout")
        .args(["60", "script", "-qec", &command, "/dev/null"])
        .env(
            "SIMPLE_HOME",
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."),
        )
        .env("XDG_STATE_HOME", folder)
        .env("XDG_CACHE_HOME", folder)
        .env("TERM", "xterm")
        .env_remove("LIBTORCH_PATH")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("a terminal starts");
    Some(child)
}

/// What the editor writes when it begins to read a line.
const MODE: &str = "\x1b[?2004h";

/// Reads until the editor waits for a new line: it has changed the terminal's mode, which is once for each, and drawn its prompt.
fn until_prompt(from: &mut impl Read, seen: &mut String) {
    let begin = seen.len();
    let mut byte = [0];
    let drawn = |seen: &str| {
        let (_, after) = seen[begin..].split_once(MODE)?;
        (after.contains(">>> ") && after.ends_with("\x1b[?2026l")).then_some(())
    };
    while drawn(seen).is_none() {
        match from.read(&mut byte) {
            Ok(1) => seen.push(char::from(byte[0])),
            _ => panic!("no prompt after:\n{seen}"),
        }
    }
}

#[test]
fn a_session_edits_lines_remembers_them_and_ends() {
    let folder = tempfile::tempdir().expect("a folder");
    let Some(mut child) = at_terminal("repl", folder.path()) else {
        return;
    };
    let mut input = child.stdin.take().expect("a pipe");
    let mut output = child.stdout.take().expect("a pipe");
    let mut seen = String::new();
    for line in [
        "val pointer = 6 * 7\n",
        // Tab completes the name.
        "pointe\t\n",
        // The line goes on until the block is whole.
        "if pointer > 1:\n    print 100 + pointer\n\n",
        ":quit\n",
    ] {
        until_prompt(&mut output, &mut seen);
        input.write_all(line.as_bytes()).expect("the session reads");
    }
    output.read_to_string(&mut seen).expect("text");
    assert_eq!(child.wait().expect("it ends").code(), Some(0));
    assert!(seen.contains("\n42\r\n"), "{seen}");
    assert!(seen.contains("\n142\r\n"), "{seen}");
    let after = seen.split("\n142\r\n").nth(1).unwrap_or_default();
    assert_eq!(after.matches(MODE).count(), 1, "{seen}");
    let history = std::fs::read_to_string(folder.path().join("simple/history")).expect("a history");
    assert!(history.contains("val pointer = 6 * 7"), "{history}");
    assert!(history.ends_with(":quit\n"), "{history}");

    let mut child = at_terminal("repl", folder.path()).expect("a terminal again");
    let mut input = child.stdin.take().expect("a pipe");
    let mut output = child.stdout.take().expect("a pipe");
    let mut seen = String::new();
    until_prompt(&mut output, &mut seen);
    // Up brings back `:quit`, which ends this session too.
    input.write_all(b"\x1b[A\n").expect("the session reads");
    output.read_to_string(&mut seen).expect("text");
    assert_eq!(child.wait().expect("it ends").code(), Some(0));
    assert!(seen.contains(":quit"), "{seen}");
    assert_eq!(seen.matches(MODE).count(), 1, "{seen}");
}

#[test]
fn lines_that_are_typed_ahead_are_all_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let Some(mut child) = at_terminal("repl", folder.path()) else {
        return;
    };
    let mut input = child.stdin.take().expect("a pipe");
    let mut output = child.stdout.take().expect("a pipe");
    let mut seen = String::new();
    until_prompt(&mut output, &mut seen);
    // As a terminal without bracketed paste gives what was pasted: all at once.
    input
        .write_all(b"a = 20\nb = 22\nc = a + b\nc\nprint 1000 + c\n:quit\n")
        .expect("the session reads");
    output.read_to_string(&mut seen).expect("text");
    assert_eq!(child.wait().expect("it ends").code(), Some(0));
    assert!(seen.contains("\n42\r\n"), "{seen}");
    assert!(seen.contains("\n1042\r\n"), "{seen}");
}

#[test]
fn a_message_says_where_there_is_more() {
    let folder = tempfile::tempdir().expect("a folder");
    let Some(child) = at_terminal("-c 'print nope'", folder.path()) else {
        return;
    };
    let output = child.wait_with_output().expect("it ends");
    let said = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(
        said.ends_with("1 error\r\nfor more: simple explain E0201\r\n"),
        "{said}"
    );
}

#[test]
fn a_program_knows_that_it_writes_to_a_terminal() {
    let folder = tempfile::tempdir().expect("a folder");
    let code = "-c 'use lib.training.progress.{is_terminal}\nprint is_terminal(), is_terminal()'";
    let Some(child) = at_terminal(code, folder.path()) else {
        return;
    };
    let output = child.wait_with_output().expect("it ends");
    let said = String::from_utf8_lossy(&output.stdout);
    assert_eq!(said, "true true\r\n");
}

#[test]
fn a_kept_program_has_colours_at_a_terminal_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join("main.spl");
    let sums: String = (0..400)
        .map(|i| format!("fn f{i}(xs: [i64]) -> i64:\n    var sum = {i}\n    for x in xs: sum += x * {i}\n    sum\n"))
        .collect();
    let calls: String = (0..400).map(|i| format!("    print f{i}([1])\n")).collect();
    let text = format!("{sums}fn main():\n    val unused = 1\n{calls}");
    std::fs::write(&program, text).expect("write the program");
    let Some(child) = at_terminal(&program.display().to_string(), folder.path()) else {
        return;
    };
    let shown = child.wait_with_output().expect("it ends");
    let shown = String::from_utf8_lossy(&shown.stdout).into_owned();
    assert!(
        shown.contains("unused") && shown.contains("\x1b["),
        "{shown}"
    );
    let plain = Command::new(env!("CARGO_BIN_EXE_simple"))
        .arg(&program)
        .env(
            "SIMPLE_HOME",
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."),
        )
        .env("XDG_CACHE_HOME", folder.path())
        .env_remove("LIBTORCH_PATH")
        .output()
        .expect("simple starts");
    let said = String::from_utf8_lossy(&plain.stderr);
    assert!(said.contains("unused") && !said.contains('\x1b'), "{said}");
}
