//! Foreign functions that end the process: what is reported about them, and that the process still ends by its signal.

#![cfg(target_os = "linux")]

use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

/// The folder with the library of `crash.c`, and with two whose opening crashes or ends the process.
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
        let source = folder.join("leaving.c");
        let text = "#include <stdlib.h>\n__attribute__((constructor)) static void c(void) { exit(5); }\n";
        std::fs::write(&source, text).expect("write a source");
        build(&folder.join("libleaving.so"), &source, &[]);
        let source = folder.join("constant.c");
        let text = "const char word[4096] = \"word\";\nlong writes(long x) { volatile char *to = (volatile char *)word; \
                    __asm__(\"\" : \"+r\"(to)); to[0] = (char)x; return x; }\n";
        std::fs::write(&source, text).expect("write a source");
        build(&folder.join("libconstant.so"), &source, &[]);
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
        "ends_at_once",
        "splits",
        "waits_for",
        "leaves_thread",
        "handles_faults",
        "raises",
        "sets_alarm",
        "yields_large",
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
        // Only where memory was used that may not be.
        let advice = said.contains("  help: most likely a `Ptr` or a length that it was given");
        assert_eq!(advice, name == "reads_null", "{name}: {said}");
    }
}

/// Numbers of signals, which are the same on every Linux that this runs on.
mod libc_signal {
    pub const INT: i32 = 2;
    pub const ILL: i32 = 4;
    pub const ABRT: i32 = 6;
    pub const BUS: i32 = 7;
    pub const FPE: i32 = 8;
    pub const USR1: i32 = 10;
    pub const SEGV: i32 = 11;
    pub const ALRM: i32 = 14;
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

/// Libraries often lie right below the stack.
#[test]
fn a_write_to_a_constant_of_a_library_is_not_called_an_overflow_of_the_stack() {
    let library = "@Lib(\"constant\")\nextern fn writes(x: i64) -> i64\n@Lib(\"constant\")\nextern var word: i64";
    for (what, reason) in [
        (
            "print writes(1)",
            "error: the foreign function `writes` was ended by SIGSEGV: it used memory at address ",
        ),
        ("word = 1", "SIGSEGV: it used memory at address "),
    ] {
        let (output, said) = run(&format!("{library}\nfn main():\n    {what}"));
        assert_eq!(output.status.signal(), Some(libc_signal::SEGV), "{said}");
        assert!(said.contains(reason), "{said}");
    }
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
        let report = "  help: a program that uses no `Ptr` cannot do that; if this one uses none, please report it\n";
        assert_eq!(said.contains(report), reason == pointer, "{said}");
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

#[test]
fn what_c_ends_by_itself_is_obeyed() {
    for (code, expected) in [
        ("fn main(): print ends_at_once(9)", 9),
        (
            "@Lib(\"leaving\")\nextern fn f(x: i64) -> i64\nfn main(): print f(1)",
            5,
        ),
        // A handler of C for SIGSEGV takes the place of the one that reports it.
        (
            "fn main():\n    handles_faults(0)\n    print reads_null(0)",
            40 + libc_signal::SEGV,
        ),
        // A thread that waits does not keep the program from its end.
        ("fn main(): leaves_thread(0)", 0),
    ] {
        let (output, said) = run(code);
        assert_eq!(
            (output.status.code(), said.as_str()),
            (Some(expected), ""),
            "{code}"
        );
    }
}

#[test]
fn a_process_that_c_makes_reports_its_own_errors() {
    let code = "fn main():\n    val child = splits(0)\n    if child == 0:\n        val xs = [1]\n        print xs[1]\n    \
                print \"it ended with {waits_for(child)}\"";
    let (output, said) = run(code);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert_eq!(output.stdout, b"it ended with 1\n");
    assert!(
        said.starts_with(
            "error: index 1 is out of range for a length of 1\n  --> a.spl:5:15 in main\n"
        ),
        "{said}"
    );
}

/// Whether this process ignores a signal; only Linux says so.
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}

#[test]
fn signals_that_are_sent_do_what_they_do_to_any_process() {
    for (code, signal) in [
        ("sets_alarm(0)", libc_signal::ALRM),
        ("raises(10)", libc_signal::USR1),
    ] {
        let (output, said) = run(&format!("fn main(): print {code}"));
        assert_eq!(
            (output.status.signal(), said.as_str()),
            (Some(signal), ""),
            "{code}"
        );
    }
    // Who was started without it, such as in the background of a script, starts others without it.
    if is_ignored(libc_signal::INT) {
        eprintln!("SIGINT is ignored here: not tried");
        return;
    }
    let (output, said) = run("fn main(): print raises(2)");
    assert_eq!(
        (output.status.signal(), said.as_str()),
        (Some(libc_signal::INT), "simple: interrupted\n")
    );
}

#[test]
fn what_no_declaration_can_show_names_the_call() {
    let printf = "@Lib(\"c\")\nextern fn printf(format: cstr, ...) -> i32";
    let null = "it used memory at address 0x0, which it may not\n";
    for (function, call, reason) in [
        (
            "printf",
            "printf(\"%s %s\", 5, 1)",
            "it used memory at address 0x5, which it may not\n",
        ),
        ("yields_large", "yields_large(0)", null),
    ] {
        let code = format!("fn main():\n    val sum = 1 + {call}\n    print sum\n{printf}");
        let (output, said) = run(&code);
        assert_eq!(output.status.signal(), Some(libc_signal::SEGV), "{said}");
        let first =
            format!("error: the foreign function `{function}` was ended by SIGSEGV: {reason}");
        assert!(said.starts_with(&first), "{said}");
        assert!(said.contains("\n  --> a.spl:2:19 in main\n"), "{said}");
    }
    let code = "fn main():\n    val p = Ptr<i64>.alloc(4)\n    p.free()\n    p.free()";
    let (output, said) = run(code);
    assert_eq!(output.status.signal(), Some(libc_signal::ABRT), "{said}");
    assert!(
        said.contains("error: the program was ended by SIGABRT: it called `abort`, through a `Ptr` that is wrong\n"),
        "{said}"
    );
    assert_eq!(places(&said), ["--> a.spl:4:5 in main"], "{said}");
}

#[test]
fn an_exception_of_cpp_that_nothing_catches_names_the_call() {
    let source = folder().join("throws.cpp");
    let text = "#include <stdexcept>\nextern \"C\" long throws(long x) { if (x) throw std::runtime_error(\"no such number\"); return x; }\n";
    std::fs::write(&source, text).expect("write a source");
    let built = Command::new(std::env::var_os("CXX").unwrap_or_else(|| "c++".into()))
        .args(["-shared", "-fPIC", "-O1", "-o"])
        .args([folder().join("libthrows.so"), source])
        .status();
    if !built.is_ok_and(|status| status.success()) {
        println!("skipped: there is no C++ compiler");
        return;
    }
    let code = "fn main():\n    print throws(0)\n    print throws(1)\n@Lib(\"throws\")\nextern fn throws(x: i64) -> i64";
    let (output, said) = run(code);
    assert_eq!(output.status.signal(), Some(libc_signal::ABRT), "{said}");
    assert_eq!(output.stdout, b"0\n");
    assert!(said.contains("no such number"), "{said}");
    assert!(
        said.contains("error: the foreign function `throws` was ended by SIGABRT: it called `abort`\n  --> a.spl:3:11 in main\n"),
        "{said}"
    );
    assert!(said.contains("/crashes/libthrows.so\n"), "{said}");
}
