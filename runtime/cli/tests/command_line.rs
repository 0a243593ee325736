//! The command line as a user meets it: what each form of call to `simple` prints, and with what code it ends.

#[cfg(unix)]
mod interrupts;

use simple_testing::Folder;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

fn simple() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_simple"));
    command
        .env(
            "SIMPLE_HOME",
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."),
        )
        .env_remove("LIBTORCH_PATH")
        .stdin(Stdio::null());
    command
}

fn run(words: &[&str]) -> Output {
    simple().args(words).output().expect("simple starts")
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A folder with these files that is gone when the test ends.
fn folder_of(name: &str, files: &[(&str, &str)]) -> Folder {
    let folder = Folder::new(&format!("command-{name}"));
    for (file, text) in files {
        folder.write(file, text);
    }
    folder
}

/// The path of a file in a folder as an argument.
fn word(folder: &Folder, file: &str) -> String {
    folder.path(file).display().to_string()
}

#[test]
fn code_on_the_command_line_and_its_arguments() {
    let code = "fn main(args: [text]): print args.join(\"|\")";
    for option in ["-c", "-e"] {
        let output = run(&[option, code, "a", "--b", "-c"]);
        assert_eq!(stdout(&output), "a|--b|-c\n", "{}", stderr(&output));
    }
    let refused = run(&["-c", "print x"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(stderr(&refused).contains("<code>:1:7"));
    assert!(stdout(&run(&["--emit=mir", "-c", "print 1 + 2"])).contains("<entry>"));
}

#[test]
fn results_of_main_and_exit_become_exit_codes() {
    for (code, exit, said) in [
        ("fn main() -> i64: 300", 44, ""),
        ("fn main() -> i64: -1", 255, ""),
        ("fn main() -> Result<i64, text>: Ok(7)", 7, ""),
        ("fn f() -> i64: 7\nfn main(): f()", 0, ""),
        (
            "fn main() -> Result<(), text>: Err(\"lost\")",
            1,
            "error: lost\n",
        ),
        ("exit(3)", 3, ""),
        ("fn main(): exit(259)", 3, ""),
        ("print 1 / 0", 1, "error: division by zero\n"),
        ("x", 1, "error[E0201]"),
    ] {
        let output = run(&["-c", code]);
        assert_eq!(output.status.code(), Some(exit), "{code}");
        assert!(
            stderr(&output).starts_with(said),
            "{code}: {}",
            stderr(&output)
        );
    }
}

#[test]
fn bad_usage_ends_with_two() {
    for (words, said) in [
        (
            &["nowhere.spl"][..],
            "cannot read nowhere.spl: no such file",
        ),
        (&["--nonsense", "a.spl"], "unknown option `--nonsense`"),
        (&["chek", "a.spl"], "did you mean `simple check`?"),
        (&["lint"], "not part of this version"),
        (&["check", "nowhere"], "no such file or folder"),
        (&["--timeout=x", "a.spl"], "--timeout"),
        (&[], "no program"),
    ] {
        let output = run(words);
        assert_eq!(output.status.code(), Some(2), "{words:?}");
        assert!(
            stderr(&output).contains(said),
            "{words:?}: {}",
            stderr(&output)
        );
    }
}

/// The middle form of a program, which has no lines and columns.
fn mir(folder: &Folder) -> String {
    let mut command = simple();
    command.current_dir(folder.path(""));
    let output = command.args(["run", "--emit", "mir", "a.spl"]).output();
    let output = output.expect("the compiler starts");
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    stdout(&output)
}

#[test]
fn fmt_changes_nothing_that_is_compiled() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/pure");
    let mut changed = 0;
    for entry in std::fs::read_dir(examples)
        .expect("there are examples")
        .flatten()
    {
        let Ok(text) = std::fs::read_to_string(entry.path()) else {
            continue;
        };
        // Spaces and a long comment give the formatter something to do.
        let text = format!(
            "# {}\n{}",
            "word ".repeat(40),
            text.replace(", ", ",   ").replace(" = ", "  = ")
        );
        let folder = folder_of("mir", &[("a.spl", &text)]);
        let before = mir(&folder);
        let path = folder.path("a.spl").to_string_lossy().into_owned();
        assert_eq!(run(&["fmt", &path]).status.code(), Some(0));
        changed += usize::from(std::fs::read_to_string(&path).expect("it is there") != text);
        assert!(mir(&folder) == before, "{}", entry.path().display());
    }
    assert!(changed > 2, "{changed} programs were changed");
}

#[test]
fn doc_says_what_a_name_of_the_library_is() {
    let conv = stdout(&run(&["doc", "Conv2d"]));
    assert!(
        conv.starts_with("@shape(\"[batch..., in_channels, h, w]"),
        "{conv}"
    );
    assert!(conv.contains("use lib.nn.conv.{Conv2d}"), "{conv}");
    let topk = stdout(&run(&["doc", "Tensor.topk"]));
    assert!(
        topk.contains("fn topk(k: i64, dim: i64 = -1, largest: bool = true"),
        "{topk}"
    );
    assert!(topk.contains("lib/tensor/"), "{topk}");
    let module = stdout(&run(&["doc", "std.io"]));
    assert!(module.starts_with("module std.io\n") && module.contains("fn file_read(path: text)"));
    let wrong = run(&["doc", "Conv2dd"]);
    assert_eq!(wrong.status.code(), Some(1));
    assert!(
        stderr(&wrong).contains("did you mean `Conv2d`?"),
        "{}",
        stderr(&wrong)
    );
}

#[test]
fn fmt_writes_files_in_the_style_and_leaves_what_does_not_parse() {
    let folder = Folder::new("simple-fmt");
    folder.write("a.spl", "val  x=1\nprint  x\n");
    folder.write("b.spl", "val x = 1\n");
    folder.write("c.spl", "val  x = (1\n");
    let at = |file: &str| folder.path(file).to_string_lossy().into_owned();
    let text = |file: &str| std::fs::read_to_string(folder.path(file)).expect("the file is there");

    let checked = run(&["fmt", "--check", &at("a.spl"), &at("b.spl")]);
    assert_eq!(checked.status.code(), Some(1));
    assert_eq!(stdout(&checked), format!("{}\n", at("a.spl")));
    assert_eq!(text("a.spl"), "val  x=1\nprint  x\n");

    let all = run(&["fmt", &at("")]);
    assert_eq!(all.status.code(), Some(1));
    assert!(stderr(&all).contains("error[E0112]"), "{}", stderr(&all));
    assert!(stderr(&all).contains("it is left as it is"));
    assert_eq!(text("a.spl"), "val x = 1\nprint x\n");
    assert_eq!(text("c.spl"), "val  x = (1\n");
    let again = run(&["fmt", "--check", &at("a.spl"), &at("b.spl")]);
    assert_eq!(again.status.code(), Some(0));

    folder.write("d.spl", "val  x=1\nval  y=2\n");
    assert_eq!(
        run(&["fmt", "--lines", "2", &at("d.spl")]).status.code(),
        Some(0)
    );
    assert_eq!(text("d.spl"), "val  x=1\nval y = 2\n");
    assert_eq!(
        run(&["fmt", "--lines", "0", &at("d.spl")]).status.code(),
        Some(2)
    );
}

#[test]
fn version_help_and_options_of_other_implementations() {
    for option in ["--version", "-V"] {
        assert!(stdout(&run(&[option])).starts_with("simple "));
    }
    for option in ["--help", "-h"] {
        let output = run(&[option]);
        assert_eq!(output.status.code(), Some(0));
        assert!(stdout(&output).contains("doctest"));
    }
    let output = run(&["--no-jit", "--interpret", "--backend=llvm", "-c", "print 1"]);
    assert_eq!(stdout(&output), "1\n");
    assert_eq!(stderr(&output).matches("warning").count(), 3);
    let timed = run(&["-v", "-c", "print 1"]);
    assert!(stderr(&timed).contains("compiled in"));
}

#[test]
fn a_time_limit_ends_a_program_and_keeps_what_it_printed() {
    let output = run(&["--timeout=1", "-c", "print \"before\"\nloop: pass"]);
    assert_eq!(output.status.code(), Some(124));
    assert_eq!(stdout(&output), "before\n");
    assert!(stderr(&output).contains("did not end within 1 s"));
    assert_eq!(stdout(&run(&["--timeout=60", "-c", "print 1"])), "1\n");
}

/// Starts code that says `ready` on standard error, and waits until it has.
#[cfg(unix)]
fn started(code: &str) -> (Child, BufReader<std::process::ChildStderr>) {
    let mut child = simple()
        .args(["-c", code])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("simple starts");
    let mut errors = BufReader::new(child.stderr.take().expect("a pipe"));
    let mut line = String::new();
    errors.read_line(&mut line).expect("the program's line");
    assert_eq!(line, "ready\n");
    (child, errors)
}

#[test]
#[cfg(unix)]
fn ctrl_c_ends_a_program_as_the_signal_does() {
    use std::os::unix::process::ExitStatusExt;
    if interrupts::are_ignored() {
        return;
    }
    let code = "defer print \"deferred\"\neprint \"ready\"\nprint \"printed\"\nloop: pass";
    let (mut child, mut errors) = started(code);
    let sent = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .expect("kill starts");
    assert!(sent.success());
    let status = child.wait().expect("it ends");
    assert_eq!(status.signal(), Some(2));
    let (mut printed, mut said) = (String::new(), String::new());
    child
        .stdout
        .take()
        .expect("a pipe")
        .read_to_string(&mut printed)
        .expect("text");
    errors.read_to_string(&mut said).expect("text");
    assert!(printed == "printed\n" || printed.is_empty(), "{printed}");
    assert_eq!(said, "simple: interrupted\n");
}

#[test]
#[cfg(unix)]
fn a_reader_that_goes_away_ends_the_program() {
    let (mut child, mut errors) = started("eprint \"ready\"\nfor i in 0..10000000: print i");
    drop(child.stdout.take());
    let status = child.wait().expect("it ends");
    let mut said = String::new();
    errors.read_to_string(&mut said).expect("text");
    assert_eq!((status.code(), said.as_str()), (Some(141), ""));
}

/// A pipe is read while the program computes, which neither ends nor prints any more: a few lines, many, and one without its end.
#[test]
fn what_is_printed_into_a_pipe_comes_while_the_program_computes() {
    for (lines, last) in [(1, ""), (100, ""), (2, "and then"), (40, "...")] {
        let code = format!(
            "for i in 0..{lines}: print i\nif not \"{last}\".is_empty(): print_raw \"{last}\"\nloop: pass"
        );
        let mut child = simple()
            .args(["--timeout=60", "-c", &code])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("simple starts");
        let numbers: String = (0..lines).map(|i| format!("{i}\n")).collect();
        let expected = numbers + last;
        let mut found = vec![0; expected.len()];
        let mut output = child.stdout.take().expect("a pipe");
        output.read_exact(&mut found).expect("the whole output");
        let runs = child.try_wait().expect("its state").is_none();
        child.kill().expect("it is ended");
        child.wait().expect("it ends");
        assert_eq!(String::from_utf8_lossy(&found), expected);
        assert!(runs, "the program had ended before its output came");
    }
}

/// A method that no trait asks for is reported where its module is used, too.
#[test]
#[cfg(unix)]
fn a_method_too_many_in_a_module_of_the_library_is_reported() {
    let home = folder_of(
        "method-too-many",
        &[
            (
                "lib/shapes.spl",
                "trait Shape:\n    fn area() -> f64\nstruct Square:\n    side: f64\n\
                 impl Shape for Square:\n    fn area() -> f64: side * side\n    fn edges() -> i64: 4\n",
            ),
            (
                "main.spl",
                "use lib.shapes.{Square}\nprint Square(2.0).area()\n",
            ),
        ],
    );
    let library = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../lib/std");
    std::os::unix::fs::symlink(library, home.path("lib/std")).expect("a link");
    let output = simple()
        .env("SIMPLE_HOME", &*home)
        .arg(home.path("main.spl"))
        .output()
        .expect("simple starts");
    let said = stderr(&output);
    assert!(
        said.contains("error[E0316]: the trait `Shape` has no method `edges`")
            && said.contains("shapes.spl:7:8"),
        "{said}"
    );
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn exit_in_an_example_is_an_error() {
    let text = "## >>> exit(0)\n## >>> wrong()\n## 2\nfn wrong() -> i64: 1\n";
    let folder = folder_of("doctest-exit", &[("ends.spl", text)]);
    let output = run(&["doctest", &word(&folder, "ends.spl")]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("`exit` in an example"));
}

#[cfg(unix)]
#[test]
fn links_to_folders_are_not_followed() {
    let folder = folder_of("links", &[("a/b/good.spl", "print 1\n")]);
    for (name, target) in [("a/b/up", "../.."), ("a/up", ".."), ("a/link.spl", "b")] {
        std::os::unix::fs::symlink(target, folder.path(name)).expect("make the link");
    }
    let output = run(&["check", &word(&folder, "")]);
    assert_eq!(
        (output.status.code(), stderr(&output).as_str()),
        (Some(0), "")
    );
}

#[test]
fn check_takes_files_and_folders() {
    let folder = folder_of(
        "check",
        &[
            ("good.spl", "print 1\n"),
            ("deep/bad.spl", "print x\nprint y\n"),
            ("deep/notes.txt", "not a program"),
        ],
    );
    assert_eq!(
        run(&["check", &word(&folder, "good.spl")]).status.code(),
        Some(0)
    );
    let output = run(&["check", &word(&folder, "")]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("2 errors"));
    let json = run(&["check", "--format=json", &word(&folder, "")]);
    assert_eq!(json.status.code(), Some(1));
    assert!(stderr(&json).is_empty());
    let lines: Vec<String> = stdout(&json).lines().map(str::to_owned).collect();
    assert_eq!(lines.len(), 2);
    assert!(lines[0].starts_with(
        "{\"severity\":\"error\",\"code\":\"E0201\",\"message\":\"unknown name `x`\""
    ));
    assert!(lines[0].contains("\"line\":1,\"column\":7,\"end_line\":1,\"end_column\":8"));
}

#[test]
fn check_reads_the_foreign_functions_that_a_run_leaves_out() {
    let bindings = "@Lib(\"m\")\nextern fn hypot(x: f64, y: f64) -> f64\n@effects(magic)\nextern fn unused(x: Nothing)\n";
    let folder = folder_of(
        "check-unused",
        &[
            ("main.spl", "use bindings.{hypot}\nprint hypot(3.0, 4.0)\n"),
            ("bindings.spl", bindings),
        ],
    );
    let [main, bindings] = ["main.spl", "bindings.spl"].map(|name| word(&folder, name));
    let output = run(&[&main]);
    assert_eq!(
        (stdout(&output).as_str(), stderr(&output).as_str()),
        ("5.0\n", "")
    );
    for words in [&["check", &main][..], &["check", &bindings], &[&bindings]] {
        let output = run(words);
        assert_eq!(output.status.code(), Some(1));
        for part in ["bindings.spl:3:10", "bindings.spl:4:21", "2 errors"] {
            assert!(stderr(&output).contains(part), "{part}");
        }
    }
}

#[test]
fn check_goes_on_after_a_path_that_cannot_be_read_and_counts_all_errors() {
    let folder = folder_of(
        "check-all",
        &[("a.spl", "print x\n"), ("b.spl", "print y\nprint z\n")],
    );
    let [a, b, missing] = ["a.spl", "b.spl", "nowhere.spl"].map(|name| word(&folder, name));
    let output = run(&["check", &missing, &a, &b]);
    assert_eq!(output.status.code(), Some(2));
    for part in ["nowhere.spl", "`x`", "`y`", "`z`", "3 errors in 2 files"] {
        assert!(stderr(&output).contains(part), "{part}");
    }
    let one = run(&["check", &a]);
    assert!(!stderr(&one).contains("files"));
}

#[test]
fn doctests_of_comments_and_documents() {
    let folder = folder_of(
        "doctest",
        &[
            (
                "good.spl",
                "## Twice a number.\n## >>> twice(2)\n## 4\n## >>> x = twice(x_of())\n## >>> x\n## 6\n## >>> 1 / 0\n## error: division by zero\nfn twice(n: i64) -> i64: n * 2\n\nfn x_of() -> i64:\n    \"\"\"\n    >>> for i in 0..2:\n    ...     print i\n    0\n    1\n    \"\"\"\n    3\n",
            ),
            ("bad.spl", "## >>> wrong()\n## 2\nfn wrong() -> i64: 1\n"),
            (
                "page.md",
                "# Page\n\n```simple\nprint 1\n```\n```output\n1\n```\n\n```simple:skip\nnonsense(\n```\n\n```simple:ignore-output\nprint 2\n```\n\n```simple:should-fail\nprint x\n```\n",
            ),
            ("bad.md", "```simple\nprint 1\n```\n```output\n2\n```\n"),
        ],
    );
    let good = run(&[
        "doctest",
        &word(&folder, "good.spl"),
        &word(&folder, "page.md"),
    ]);
    assert_eq!(stdout(&good), "8 passed, 0 failed\n", "{}", stderr(&good));
    assert_eq!(good.status.code(), Some(0));
    let bad = run(&[
        "doctest",
        &word(&folder, "bad.spl"),
        &word(&folder, "bad.md"),
    ]);
    assert_eq!(bad.status.code(), Some(1));
    let said = stdout(&bad);
    assert!(said.ends_with("0 passed, 2 failed\n"), "{said}");
    assert!(
        said.contains(
            "bad.spl:1: the example\n    wrong()\n  printed\n    1\n  instead of\n    2\n"
        ),
        "{said}"
    );
    assert!(
        said.contains("bad.md:1: printed\n1\ninstead of\n2\n"),
        "{said}"
    );
    let none = run(&["doctest", &word(&folder, "")]);
    assert_eq!(none.status.code(), Some(1));
}

#[test]
fn the_library_does_what_its_comments_show() {
    let lib = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../lib");
    let output = run(&["doctest", &lib.display().to_string()]);
    let said = stdout(&output);
    assert!(said.ends_with(" 0 failed\n"), "{said}{}", stderr(&output));
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn check_writes_what_warnings_advise_into_the_files() {
    let older = "struct Point:\n    x: i64\n    y: i64\n# Point.create stays here.\nval p = Point.create(1, Point.create(2, 3).y)\nprint p.x, Point.create(y: 4, x: 5)\n";
    let newer = older.replace("Point.create(", "Point(");
    // What an error advises is a guess.
    let wrong = "val size = 1\nprint sise\n";
    let files = [("older.spl", older), ("wrong.spl", wrong)];
    let folder = folder_of("check-fix", &files);
    let read = |file: &str| std::fs::read_to_string(folder.path(file)).expect("a file");

    let output = run(&["check", &word(&folder, "older.spl")]);
    assert!(stderr(&output).contains("W0445"), "{}", stderr(&output));
    assert_eq!(
        read("older.spl"),
        older,
        "nothing is written without `--fix`"
    );

    let output = run(&["check", "--fix", &word(&folder, "")]);
    let said = stderr(&output);
    assert_eq!(read("older.spl"), newer, "{said}");
    assert_eq!(read("wrong.spl"), wrong, "{said}");
    assert!(
        said.contains("older.spl: 3 changes\n") && !said.contains("W0445"),
        "{said}"
    );
    assert_eq!(output.status.code(), Some(1), "{said}");

    let output = run(&[
        "check",
        "--fix",
        "-A",
        "old_create",
        &word(&folder, "older.spl"),
    ]);
    assert_eq!(
        (output.status.code(), stderr(&output).as_str()),
        (Some(0), "")
    );
    let ran = run(&[&word(&folder, "older.spl")]);
    assert_eq!(stdout(&ran), "1 Point(x: 5, y: 4)\n");
}

#[test]
fn the_library_checks_by_itself_without_a_warning() {
    let lib = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../lib");
    let output = run(&["check", &lib.display().to_string()]);
    let said = format!("{}{}", stdout(&output), stderr(&output));
    assert_eq!((output.status.code(), said.as_str()), (Some(0), ""));
}
