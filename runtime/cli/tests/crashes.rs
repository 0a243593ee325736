//! Foreign functions that end the process: what is reported about them, and that the process still ends by its signal.

#![cfg(target_os = "linux")]

use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

/// The folder with the library of `crash.c`, and with one whose opening crashes.
fn folder() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("crashes");
        std::fs::create_dir_all(&folder).expect("make the folder");
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/crash.c");
        build(&folder.join("libcrash.so"), &source, &[]);
        let source = folder.join("opening.c");
        let text = "static int *volatile none;\n__attribute__((constructor)) static void c(void) { *none = 1; }\n";
        std::fs::write(&source, text).expect("write a source");
        build(&folder.join("libopening.so"), &source, &[]);
        folder
    })
}

fn build(library: &Path, source: &Path, options: &[&str]) {
    let status = Command::new(std::env::var_os("CC").unwrap_or_else(|| "cc".into()))
        .args(["-shared", "-fPIC", "-O1", "-pthread", "-o"])
        .args([library, source])
        .args(options)
        .status()
        .expect("a C compiler");
    assert!(status.success());
}

/// Runs a program; `pick` calls the foreign function of that name with its argument.
fn run(code: &str) -> (Output, String) {
    let functions = [
        "reads_null",
        "aborts",
        "divides",
        "traps",
        "faults",
        "ends_thread",
        "ends_process",
        "nests",
        "starts_thread",
        "takes_signals",
        "takes_signal_stack",
        "jumps_away",
    ];
    let declared: String = functions
        .iter()
        .map(|name| format!("@Lib(\"crash\")\nextern fn {name}(x: i64) -> i64\n"))
        .collect();
    let path = folder().join(format!("{:x}.spl", hash(code)));
    std::fs::write(&path, format!("{code}\n{declared}")).expect("write a program");
    let output = Command::new(env!("CARGO_BIN_EXE_simple"))
        .arg(path.file_name().expect("a name"))
        .current_dir(folder())
        .env("LD_LIBRARY_PATH", folder())
        .env(
            "SIMPLE_HOME",
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."),
        )
        .stdin(Stdio::null())
        .output()
        .expect("simple starts");
    let said =
        String::from_utf8_lossy(&output.stderr).replace(&format!("{:x}.spl", hash(code)), "a.spl");
    (output, said)
}

fn hash(text: &str) -> u64 {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

#[test]
fn a_fatal_signal_names_the_function_the_line_and_the_library() {
    let signals = [
        (
            "reads_null",
            libc_signal::SEGV,
            "SIGSEGV: it used memory at address 0x0, which it may not",
        ),
        ("aborts", libc_signal::ABRT, "SIGABRT: it called `abort`"),
        (
            "divides",
            libc_signal::FPE,
            "SIGFPE: it divided an integer by zero",
        ),
        (
            "traps",
            libc_signal::ILL,
            "SIGILL: it executed an instruction",
        ),
        (
            "faults",
            libc_signal::BUS,
            "SIGBUS: the signal was sent to it",
        ),
        (
            "nests",
            libc_signal::SEGV,
            "SIGSEGV: stack overflow, its calls are nested too deeply",
        ),
    ];
    for (name, signal, reason) in signals {
        let code = format!(
            "fn main():\n    print \"before\"\n    try: print {name}(0)\n    catch e: print e.message"
        );
        let (output, said) = run(&code);
        assert_eq!(output.status.signal(), Some(signal), "{name}: {said}");
        assert_eq!(output.stdout, b"before\n", "{name}");
        let first = format!("error: the foreign function `{name}` was ended by {reason}");
        assert!(said.starts_with(&first), "{name}: {said}");
        assert!(
            said.contains("\n  --> a.spl:3:16 in main\n"),
            "{name}: {said}"
        );
        assert!(said.contains("/crashes/libcrash.so\n"), "{name}: {said}");
    }
}

/// Numbers of signals, which are the same on every Linux that this runs on.
mod libc_signal {
    pub const ILL: i32 = 4;
    pub const ABRT: i32 = 6;
    pub const BUS: i32 = 7;
    pub const FPE: i32 = 8;
    pub const SEGV: i32 = 11;
}

/// The lines that a program shows below the message, without libraries.
fn places(said: &str) -> Vec<&str> {
    let lines = said.lines().skip(1).map(str::trim);
    lines.filter(|line| line.contains("a.spl:")).collect()
}

#[test]
fn the_calls_that_led_there_are_shown_however_they_were_compiled() {
    let direct = "fn f(x: i64) -> i64: reads_null(x) + 1\nfn main(): print f(0)";
    let nested = "fn f(n: i64) -> i64:\n    if n > 0: return f(n - 1) + 1\n    reads_null(0)\nfn main(): print f(2)";
    let lambda = "fn main():\n    val f = \\x: reads_null(x)\n    print [0].map(f)";
    let object = "trait T:\n    fn go() -> i64\nclass C:\n    n: i64\nimpl T for C:\n    fn go() -> i64: reads_null(self.n)\nfn main():\n    val t: T = C(0)\n    print t.go()";
    let dropped = "class C:\n    n: i64\n    fn drop(): reads_null(self.n)\nfn f():\n    val c = C(0)\n    print c.n\nfn main(): f()";
    for (code, expected) in [
        (
            direct,
            &["--> a.spl:1:22 in f", "called at a.spl:2:18 in main"][..],
        ),
        (
            nested,
            &[
                "--> a.spl:3:5 in f",
                "called at a.spl:2:22 in f",
                "called at a.spl:2:22 in f",
                "called at a.spl:4:18 in main",
            ],
        ),
        (
            lambda,
            &["--> a.spl:2:17 in <lambda>", "called at a.spl:3:11 in main"],
        ),
        (
            object,
            &["--> a.spl:6:21 in C.go", "called at a.spl:9:11 in main"],
        ),
        (dropped, &["--> a.spl:3:16 in C.drop"]),
    ] {
        let (output, said) = run(code);
        assert_eq!(
            output.status.signal(),
            Some(libc_signal::SEGV),
            "{code}: {said}"
        );
        let found = places(&said);
        assert!(found.starts_with(expected), "{code}: {said}");
    }
}

#[test]
fn a_library_that_crashes_when_it_is_opened_is_named() {
    let code = "@Lib(\"opening\")\nextern fn f(x: i64) -> i64\nfn main(): print f(1)";
    let (output, said) = run(code);
    assert_eq!(output.status.signal(), Some(libc_signal::SEGV), "{said}");
    let first =
        "error: the foreign function `f` was ended by SIGSEGV when its library was opened: ";
    assert!(said.starts_with(first), "{said}");
    assert!(said.contains("--> a.spl:3:18 in main\n"), "{said}");
    assert!(
        said.contains("  in the library ") && said.contains("/libopening.so\n"),
        "{said}"
    );
}

#[test]
fn a_crash_on_a_thread_of_a_library_is_not_laid_to_the_program() {
    let (output, said) = run("fn main(): print starts_thread(0)");
    assert_eq!(output.status.signal(), Some(libc_signal::SEGV), "{said}");
    let first = "error: the process was ended by SIGSEGV on a thread that runs no code of the program: it used memory at address ";
    assert!(said.starts_with(first), "{said}");
    assert!(said.contains("/libcrash.so\n"), "{said}");
}

#[test]
fn a_foreign_function_that_ends_its_thread_is_an_error_and_one_that_exits_is_obeyed() {
    let (output, said) = run("fn main():\n    print 1\n    print ends_thread(0)");
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert_eq!(output.stdout, b"1\n");
    assert!(
        said.starts_with("error: a foreign function ended the thread"),
        "{said}"
    );
    let (output, said) = run("fn main(): print ends_process(7)");
    assert_eq!((output.status.code(), said.as_str()), (Some(7), ""));
}

#[test]
fn a_stack_overflow_is_caught_whatever_c_did_to_signals() {
    for name in ["takes_signals", "takes_signal_stack"] {
        let code = format!(
            "fn f(n: i64) -> i64: f(n + 1) + 1\nfn main():\n    print {name}(0)\n    try: print f(0)\n    \
             catch e: print e.message\n    print \"after\""
        );
        let (output, said) = run(&code);
        let printed = String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.status.code(), Some(0), "{name}: {printed}{said}");
        assert!(
            printed.starts_with("0\nstack overflow: ") && printed.ends_with("\nafter\n"),
            "{name}: {printed}{said}"
        );
    }
}

#[test]
fn a_wrong_address_is_not_taken_for_a_mistake_of_the_runtime() {
    let declared = "@Lib(\"c\", symbol: \"llabs\")\nextern fn wrong_text(x: i64) -> cstr";
    let pointer =
        "it used memory at address 0x8, which it may not, through a `Ptr` that is wrong\n";
    let text = "it used memory at address 0x8, which it may not, through a `cstr` of a foreign function that is wrong\n";
    for (expression, reason) in [
        ("Ptr<i64>(address: 8).read()", pointer),
        ("Ptr<u8>(address: 8).to_text()", pointer),
        ("wrong_text(8)", text),
    ] {
        let code = format!("fn main():\n    print \"before\"\n    print {expression}\n{declared}");
        let (output, said) = run(&code);
        assert_eq!(output.status.signal(), Some(libc_signal::SEGV), "{said}");
        assert_eq!(output.stdout, b"before\n");
        let first = format!("error: the program was ended by SIGSEGV: {reason}");
        assert!(said.starts_with(&first), "{said}");
        // Where the program reads by itself is not known: there is no call.
        assert!(
            expression.ends_with("read()") || said.contains("a.spl:3:"),
            "{said}"
        );
    }
    let code = "fn main(): Ptr<u8>(address: 8).free()";
    let (output, said) = run(code);
    assert!(output.status.signal().is_some(), "{said}");
    assert!(
        said.contains("error: the program was ended by SIG"),
        "{said}"
    );
    assert!(said.contains("through a `Ptr` that is wrong"), "{said}");
}

#[test]
fn a_jump_away_from_the_stack_is_told_from_a_crash_of_a_thread() {
    let (output, said) = run("fn main(): print jumps_away(0)");
    assert_eq!(output.status.signal(), Some(libc_signal::SEGV), "{said}");
    let first = "error: the process was ended by SIGSEGV: it used memory at address ";
    assert!(said.starts_with(first), "{said}");
    assert!(
        said.contains("has left its stack, as after a `longjmp`"),
        "{said}"
    );
}
