//! Foreign functions of plain C, in every form that a declaration can have: calls of libc, and of a library that is built here.
//!
//! `foreign/` has the programs, sorted by outcome as in `programs/`, and the C of the libraries `sample`, `misuse` and, for SFFI, `kinds`.
//! `foreign/CASES.md` lists every wrong use of a library with the test that shows what comes of it.

#![cfg(target_os = "linux")]

mod golden_programs;
#[path = "foreign/layouts.rs"]
mod layouts;

use golden_programs::library_home;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/foreign")
}

/// The folder of the library, which is built once.
fn folder() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("foreign");
        std::fs::create_dir_all(&folder).expect("make the folder");
        let sample = sources().join("sample.c");
        build(&folder.join("libsample.so"), &sample, &[]);
        build(&folder.join("libdescribed.so"), &sample, &["-g"]);
        let misuse = sources().join("misuse.c");
        build(&folder.join("libmisuse.so"), &misuse, &[]);
        let opened = folder.join("libmisuse_opened.so");
        build(&opened, &misuse, &["-DROUNDS_UP"]);
        let headers = library_home().join("ffi/abi/include");
        let headers = format!("-I{}", headers.display());
        let kinds = sources().join("kinds.c");
        build(&folder.join("libkinds.so"), &kinds, &[&headers]);
        folder
    })
}

fn build(library: &Path, source: &Path, options: &[&str]) {
    let status = Command::new(std::env::var_os("CC").unwrap_or_else(|| "cc".into()))
        .args(["-shared", "-fPIC", "-O1", "-pthread", "-o"])
        .args([library, source])
        .args(options)
        .arg("-lm")
        .status()
        .expect("a C compiler");
    assert!(status.success());
}

fn simple() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_simple"));
    command
        .env("SIMPLE_HOME", library_home())
        .env("LD_LIBRARY_PATH", folder())
        .env_remove("LIBTORCH_PATH")
        .stdin(Stdio::null());
    command
}

fn check(kind: &str, exit: i32, options: &[&str]) {
    golden_programs::check(&sources().join(kind), exit, || {
        let mut command = simple();
        command.args(options);
        if kind != "fail" {
            command.env("SIMPLE_CHECK_LEAKS", "1");
        }
        command
    });
}

#[test]
fn what_crosses_comes_back() {
    check("pass", 0, &[]);
}

#[test]
fn wrong_declarations_and_calls_are_refused() {
    check("fail", 1, &[]);
}

#[test]
fn wrong_uses_are_errors_at_their_line() {
    check("panic", 1, &[]);
}

#[test]
fn guarded_programs_do_what_others_do() {
    check("pass", 0, &["--check-ffi"]);
}

#[test]
fn guards_find_what_c_may_not_do() {
    check("guarded", 0, &["--check-ffi"]);
}

#[test]
fn wrong_declarations_are_found_in_debug_information() {
    let folder = sources().join("described");
    let mut command = simple();
    command
        .args(["--check-ffi", "declarations.spl"])
        .current_dir(&folder);
    let output = command.output().expect("simple starts");
    assert_eq!(output.status.code(), Some(1));
    let found = String::from_utf8_lossy(&output.stderr);
    let found = found.replace(&self::folder().display().to_string(), "FOLDER");
    let golden = folder.join("declarations.out");
    simple_testing::golden::check(&golden, &found);
}

#[test]
fn only_guarded_programs_have_guards() {
    let emitted = |options: &[&str]| {
        let program = sources().join("guarded/memory.spl");
        let output = simple()
            .args(options)
            .arg("--emit=mir")
            .arg(program)
            .output();
        String::from_utf8(output.expect("simple starts").stdout).expect("UTF-8")
    };
    let (plain, guarded) = (emitted(&[]), emitted(&["--check-ffi"]));
    let guards = |text: &str| text.matches("Guard").count();
    assert!(plain.contains("fn ") && guards(&plain) == 0);
    assert!(guards(&guarded) > 20);
}

#[test]
fn layouts_and_passing_are_those_of_the_c_compiler() {
    let written = layouts::write();
    let (program, source) = (folder().join("layouts.spl"), folder().join("layouts.c"));
    std::fs::write(&program, &written.simple).expect("write a program");
    std::fs::write(&source, &written.c).expect("write a source");
    build(&folder().join("liblayouts.so"), &source, &[]);
    let output = simple().arg(&program).output().expect("simple starts");
    let said = String::from_utf8_lossy(&output.stderr);
    let told = String::from_utf8_lossy(&output.stdout);
    assert_eq!(told, format!("{}\n", written.expected), "{said}");
    assert!(written.expected >= 5 * layouts::STRUCTS);
}

/// Numbers have a comma in German; `strtod` of C shows that the library did change that.
#[test]
fn a_library_that_sets_the_locale_changes_no_number_of_the_program() {
    let locales = folder().join("locales");
    std::fs::create_dir_all(&locales).expect("make the folder");
    let made = Command::new("localedef")
        .args(["-i", "de_DE", "-f", "UTF-8"])
        .arg(locales.join("de_DE.UTF-8"))
        .status();
    if !made.is_ok_and(|status| status.success()) {
        println!("skipped: `localedef` cannot make a German locale");
        return;
    }
    let program = folder().join("locale.spl");
    let code = r#"@Lib("misuse")
extern fn counts_in_german() -> bool
@Lib("c")
extern fn strtod(s: cstr, out rest: cstr) -> f64
fn shown(): print 0.5, "{1234567.891:.3f} {0.1 + 0.2} {1234567:,}", float("0.5"), float("0,5"), "\u{e4}".upper()
fn main():
    print strtod("0,5")
    shown()
    print counts_in_german(), strtod("0,5")
    shown()
"#;
    std::fs::write(&program, code).expect("write a program");
    let mut command = simple();
    let output = command.arg(&program).env("LOCPATH", &locales).output();
    let output = output.expect("simple starts");
    let numbers = "0.5 1234567.891 0.30000000000000004 1,234,567 0.5 0.0 \u{c4}\n";
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        format!("(0.0, ,5)\n{numbers}true (0.5, )\n{numbers}"),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// The bytes of a file with the words of a language, as `msgfmt` makes it; the words of C are in order.
fn words_of_a_language(words: &[(&str, &str)]) -> Vec<u8> {
    let count = words.len() as u32;
    let mut header = vec![0x9504_12de, 0, count, 28, 28 + 8 * count, 0, 0];
    let mut texts = Vec::new();
    let first = 28 + 16 * count;
    let both = words
        .iter()
        .map(|(c, _)| c)
        .chain(words.iter().map(|(_, own)| own));
    for text in both {
        header.extend([text.len() as u32, first + texts.len() as u32]);
        texts.extend(text.as_bytes());
        texts.push(0);
    }
    let header = header.into_iter().flat_map(u32::to_le_bytes);
    header.chain(texts).collect()
}

#[test]
fn a_library_is_found_in_whatever_language_the_loader_speaks() {
    let language = folder().join("language");
    let place = language.join("xx/LC_MESSAGES");
    std::fs::create_dir_all(&place).expect("make the folder");
    let words = [
        ("No such file or directory", "nichts da"),
        ("cannot open shared object file", "geht nicht auf"),
    ];
    std::fs::write(place.join("libc.mo"), words_of_a_language(&words)).expect("write the words");
    let numbered = folder().join("libnumbered.so.7");
    std::fs::copy(folder().join("libmisuse.so"), numbered).expect("copy a library");
    let program = language.join("language.spl");
    let code = r#"@Lib("misuse")
extern fn speaks_otherwise(folder: cstr) -> bool
@Lib("c")
extern fn strerror(code: i32) -> cstr
@Lib("numbered")
extern fn weak_next(x: i64) -> i64
@Lib("nowhere")
extern fn nothing(x: i64) -> i64
fn main():
    print speaks_otherwise("FOLDER"), strerror(2), weak_next(1)
    try: nothing(1)
    catch e: print e.message.contains("does not exist"), strerror(2)
"#;
    let code = code.replace("FOLDER", &language.display().to_string());
    std::fs::write(&program, code).expect("write a program");
    let output = simple().arg(&program).output().expect("simple starts");
    let told = String::from_utf8_lossy(&output.stdout);
    if !told.contains("true nichts da") {
        println!("skipped: the C library here takes no words from elsewhere: {told}");
        return;
    }
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(told, "true nichts da 2\ntrue nichts da\n", "{said}");
}

#[test]
fn a_library_beside_the_program_is_found_after_c_has_changed_the_folder() {
    let program = folder().join("moved.spl");
    let code = r#"@Lib("c")
extern fn chdir(folder: cstr) -> i32
@Lib("misuse")
extern fn weak_next(x: i64) -> i64
fn main(): print chdir("/"), weak_next(1)
"#;
    std::fs::write(&program, code).expect("write a program");
    for (name, from) in [("moved.spl", "."), ("foreign/moved.spl", "..")] {
        let mut command = simple();
        command.env_remove("LD_LIBRARY_PATH").arg(name);
        let output = command.current_dir(folder().join(from)).output();
        let output = output.expect("simple starts");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.stdout, b"0 2\n", "{name}: {said}");
    }
}

/// The test is run by another user where root runs the tests, because root may read everything.
#[test]
fn a_library_that_may_not_be_read_is_named_with_the_reason() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    use std::os::unix::process::CommandExt;
    let here = std::env::temp_dir().join(format!("simple-unreadable-{}", std::process::id()));
    std::fs::create_dir_all(&here).expect("make the folder");
    let mode = |path: &Path, mode| {
        let set = std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode));
        set.expect("set the mode");
    };
    mode(&here, 0o755);
    let library = here.join("libsecret.so");
    std::fs::copy(folder().join("libmisuse.so"), &library).expect("copy the library");
    mode(&library, 0);
    let program = here.join("a.spl");
    let code = "@Lib(\"secret\")\nextern fn weak_next(x: i64) -> i64\nfn main():\n    try: print weak_next(1)\n    \
                catch e: print e.message, e.line\n";
    std::fs::write(&program, code).expect("write a program");
    mode(&program, 0o644);
    let mut command = simple();
    command.arg("a.spl").current_dir(&here).env("HOME", &here);
    if library.metadata().expect("its data").uid() == 0 {
        command.uid(65534).gid(65534);
    }
    let output = command.output();
    std::fs::remove_dir_all(&here).expect("remove the folder");
    let Ok(output) = output else {
        println!("skipped: another user may not start simple here");
        return;
    };
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(
        told.starts_with("cannot call `weak_next`: ")
            && told.contains("libsecret.so: Permission denied")
            && told.ends_with(" 4\n"),
        "{told}{}",
        String::from_utf8_lossy(&output.stderr)
    );
}
