//! Files, streams and words that are not what they should be: each is an error at once, in words, and none a panic or a wait.

#![cfg(target_os = "linux")]

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A folder that is gone when the test ends.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("make the folder");
        Folder(folder)
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        fs::write(self.at(name), content).expect("write a file");
        self.at(name)
    }

    fn pipe(&self, name: &str) -> PathBuf {
        let made = Command::new("mkfifo").arg(self.at(name)).status();
        assert!(made.expect("mkfifo").success());
        self.at(name)
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0).expect("the folder");
        let mut names: Vec<String> = entries
            .map(|entry| {
                entry
                    .expect("an entry")
                    .file_name()
                    .to_string_lossy()
                    .into_owned()
            })
            .collect();
        names.sort();
        names
    }

    /// `simple` in this folder, ended after a minute, which only something that waits takes.
    fn simple(&self) -> Command {
        self.shell("exec \"$@\"")
    }

    /// A shell that does this with `simple` and the arguments that follow.
    fn shell(&self, script: &str) -> Command {
        let mut command = Command::new("timeout");
        command
            .args(["60", "sh", "-c", script, "sh"])
            .arg(env!("CARGO_BIN_EXE_simple"))
            .current_dir(&self.0)
            .env(
                "SIMPLE_HOME",
                Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."),
            )
            .env("HOME", &self.0)
            // The cache would be one more file of the folder, where compiling takes long enough to be kept.
            .env("SIMPLE_CODE_CACHE", "0")
            .env_remove("LIBTORCH_PATH")
            .stdin(Stdio::null());
        command
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn output(command: &mut Command) -> (Option<i32>, String, String) {
    let output = command.output().expect("simple starts");
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    (output.status.code(), printed, said(&output))
}

const CONFIGURED: &str = "extern fn rt_dl_config_device() -> text\nprint rt_dl_config_device()\n";

#[test]
fn a_pipe_in_the_place_of_a_file_is_refused() {
    let folder = Folder::new("pipes");
    folder.pipe("p.spl");
    folder.write("a.spl", CONFIGURED);
    for arguments in [
        &["p.spl"][..],
        &["check", "p.spl"],
        &["test", "p.spl"],
        &["doctest", "p.spl"],
    ] {
        let (code, printed, said) = output(folder.simple().args(arguments));
        assert!(matches!(code, Some(1 | 2)), "{arguments:?}: {said}");
        let all = printed + &said;
        assert!(
            all.contains("it is a pipe, not a file"),
            "{arguments:?}: {all}"
        );
    }
    folder.pipe("dl.config.sdn");
    let (code, _, said) = output(folder.simple().arg("a.spl"));
    assert_eq!(code, Some(1));
    assert!(
        said.contains("cannot read dl.config.sdn: it is a pipe, not a file"),
        "{said}"
    );
}

#[test]
fn a_program_may_come_through_the_streams_of_the_process() {
    let folder = Folder::new("streams");
    let program = folder.write("a.spl", "print 1 + 1\n");
    let script = "cat a.spl | \"$1\" /dev/stdin";
    assert_eq!(
        output(&mut folder.shell(script)),
        (Some(0), "2\n".into(), "".into())
    );
    let mut command = folder.simple();
    command
        .arg("/dev/fd/0")
        .stdin(fs::File::open(&program).expect("the program"));
    assert_eq!(output(&mut command), (Some(0), "2\n".into(), "".into()));
}

#[test]
fn a_configuration_that_is_too_large_or_no_text_is_refused_in_words() {
    let folder = Folder::new("configuration");
    folder.write("a.spl", CONFIGURED);
    let refused = |content: &[u8], words: &str| {
        folder.write("dl.config.sdn", content);
        let (code, _, said) = output(folder.simple().arg("a.spl"));
        assert!(code == Some(1) && said.contains(words), "{said}");
    };
    refused(
        &[b'#'; 2 << 20],
        "it has 2097152 bytes, and at most 1048576 bytes are read",
    );
    refused(
        b"device: \xff\n",
        "it is not UTF-8 text (byte 8 does not fit)",
    );
    refused(b"device: cuda:01\n", "unknown device `cuda:01`");
    let keys: String = (0..1000).map(|key| format!("k{key}: 1\n")).collect();
    folder.write("dl.config.sdn", keys);
    let (code, printed, said) = output(folder.simple().arg("a.spl"));
    assert_eq!((code, printed.as_str()), (Some(0), "cpu\n"), "{said}");
    assert_eq!(said.lines().count(), 21, "{said}");
    assert!(said.ends_with("980 more like these\n"), "{said}");
    fs::remove_file(folder.at("dl.config.sdn")).expect("remove it");
    let odd = OsString::from_vec(b"cp\xff".to_vec());
    let (code, _, said) = output(folder.simple().arg("a.spl").env("SIMPLE_DL_DEVICE", odd));
    assert_eq!(code, Some(1), "{said}");
    assert!(
        said.contains("SIMPLE_DL_DEVICE: \"cp\\xFF\" is not UTF-8 text"),
        "{said}"
    );
}

#[test]
fn a_word_of_the_command_line_that_is_no_text_is_named() {
    let folder = Folder::new("words");
    let odd = OsString::from_vec(b"\xff.spl".to_vec());
    for arguments in [
        vec![odd.as_os_str()],
        vec![OsStr::new("-c"), OsStr::new("1"), &odd],
    ] {
        let (code, _, said) = output(folder.simple().args(arguments));
        assert_eq!(code, Some(2), "{said}");
        assert!(
            said.starts_with("error: the argument \"\\xFF.spl\" is not UTF-8 text"),
            "{said}"
        );
    }
    let (code, _, said) = output(folder.simple().arg("check").arg(&odd));
    assert!(code == Some(2) && said.contains("no such file"), "{said}");
}

#[test]
fn standard_output_that_is_full_is_an_error_of_every_command() {
    let folder = Folder::new("full");
    folder.write("a.spl", "print 1\n");
    folder.write("w.spl", "fn f(): pass_\n");
    folder.write(
        "a_spec.spl",
        "describe \"a\":\n    it \"b\":\n        expect(1).to_equal(1)\n",
    );
    folder.write("page.md", "```simple\nprint 1\n```\n```output\n1\n```\n");
    for arguments in [
        "--help",
        "--version",
        "explain",
        "explain E0301",
        "--emit=mir a.spl",
        "a.spl",
        "-c 1+1",
        "test a_spec.spl",
        "test --list a_spec.spl",
        "a_spec.spl",
        "doctest page.md",
        "check --format=json w.spl",
        "build --help",
    ] {
        let script = format!("exec \"$1\" {arguments} >/dev/full");
        let (code, _, said) = output(&mut folder.shell(&script));
        if arguments == "-c 1+1" {
            continue;
        }
        assert_eq!(code, Some(1), "{arguments}: {said}");
        assert!(
            said.contains("error: cannot write to standard output: the disk is full"),
            "{arguments}: {said}"
        );
    }
    let (code, _, said) = output(&mut folder.shell("exec \"$1\" a.spl >&-"));
    let closed = "error: cannot write to standard output: it is closed\n";
    assert_eq!((code, said.as_str()), (Some(1), closed));
    // What prints nothing needs no output.
    let (code, _, said) = output(&mut folder.shell("exec \"$1\" check a.spl >&-"));
    assert_eq!((code, said.as_str()), (Some(0), ""));
    let script = "printf '1 + 1\\n' | \"$1\" repl >/dev/full";
    let (code, _, said) = output(&mut folder.shell(script));
    assert_eq!(code, Some(1), "{said}");
    // A reader that goes away has read enough.
    let (_, printed, said) = output(&mut folder.shell("\"$1\" explain | head -n 1"));
    assert!(
        printed.starts_with('E') && said.is_empty(),
        "{printed}{said}"
    );
}

#[test]
fn standard_error_that_cannot_be_written_changes_no_exit_code() {
    let folder = Folder::new("mute");
    folder.write(
        "fails.spl",
        "fn main():\n    val xs = [1]\n    print xs[5]\n",
    );
    folder.write("warns.spl", "fn main():\n    val x = 1\n    print 2\n");
    folder.write("refused.spl", "print y\n");
    folder.write("drops.spl", "class A:\n    n: i64\n    fn drop(): panic(\"x\")\nfn main():\n    val a = A(1)\n    print a.n\n");
    for (arguments, expected) in [
        ("fails.spl", 1),
        ("warns.spl", 0),
        ("refused.spl", 1),
        ("drops.spl", 1),
        ("nowhere.spl", 2),
        ("--no-jit warns.spl", 0),
        ("check refused.spl", 1),
        ("explain E9999", 1),
        ("test nowhere", 2),
        ("doctest nowhere", 2),
        ("--verbose warns.spl", 0),
    ] {
        for closed in ["2>/dev/full", "2>&-"] {
            let script = format!("exec \"$1\" {arguments} {closed}");
            let (code, ..) = output(&mut folder.shell(&script));
            assert_eq!(code, Some(expected), "{arguments} {closed}");
        }
    }
}

#[test]
fn files_of_programs_are_there_whole_or_not_at_all() {
    let folder = Folder::new("whole");
    let code = r#"use std.io.{file_write, file_copy, write_file}
fn main(args: [text]):
    if args[0] == "copy": print file_copy("old", "copied")
    else: print file_write(args[0], "x" * int(args[1]))
"#;
    folder.write("a.spl", code);
    fs::set_permissions(
        folder.write("old", "old"),
        fs::Permissions::from_mode(0o640),
    )
    .expect("a mode");
    symlink("old", folder.at("link")).expect("a link");
    let run = |limit: &str, arguments: &[&str]| {
        let script = format!("{limit} exec \"$@\"");
        output(folder.shell(&script).arg("a.spl").args(arguments))
    };
    // Larger than the system allows: the signal that comes with it does not end the program.
    // What fits a buffer fails only when that is written at the end.
    for size in ["5000", "40000", "100000"] {
        let (code, printed, said) = run("ulimit -f 8;", &["link", size]);
        assert_eq!((code, printed.as_str()), (Some(0), "false\n"), "{said}");
        assert_eq!(fs::read(folder.at("old")).expect("the old file"), b"old");
        assert_eq!(folder.names(), ["a.spl", "link", "old"]);
    }
    let (_, printed, said) = run("", &["link", "100000"]);
    assert_eq!(printed, "true\n", "{said}");
    assert!(folder.at("link").is_symlink());
    let data = fs::metadata(folder.at("old")).expect("the new file");
    assert_eq!(
        (data.len(), data.permissions().mode() & 0o777),
        (100_000, 0o640)
    );
    assert_eq!(run("", &["copy"]).1, "true\n");
    assert_eq!(
        fs::metadata(folder.at("copied")).expect("a copy").len(),
        100_000
    );
    assert_eq!(run("", &["/dev/null", "10"]).1, "true\n");
    assert_eq!(run("", &["/dev/full", "10"]).1, "false\n");
    assert_eq!(folder.names(), ["a.spl", "copied", "link", "old"]);
}
