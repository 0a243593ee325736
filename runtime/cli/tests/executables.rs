//! Executables of whole programs: what `simple compile` and the executable write together is what `simple run` writes.
//!
//! Every program of `programs/{pass,panic,modules}` is compiled, its executable is run in the same folder, and both
//! outputs and the exit code are compared with the golden file of the program. Next: `golden_programs`, which says
//! what a golden file holds.

#[path = "differential/generate/mod.rs"]
mod generate;
mod golden_programs;
mod simple_in;

use golden_programs::{description, library_home};
use simple_in::{home, said, simple_in};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

fn programs_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs")
}

/// Runs an executable: it has no Simple around it.
fn run(program: &Path, folder: &Path, words: &[&str]) -> Output {
    run_with(program, folder, words, &[])
}

fn run_with(program: &Path, folder: &Path, words: &[&str], variables: &[(&str, &str)]) -> Output {
    Command::new(program)
        .args(words)
        .env_remove("SIMPLE_HOME")
        .env_remove("LIBTORCH_PATH")
        .envs(variables.iter().copied())
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .expect("the executable starts")
}

/// Compiles a program to a file and runs that; what both write.
fn compiled_and_run(folder: &Path, program: &str, executable: &Path) -> Result<Output, String> {
    let shown = executable.to_string_lossy();
    let compiled = simple_in(folder, &["compile", program, "-o", &shown], &[]);
    if !compiled.status.success() || !compiled.stdout.is_empty() {
        return Err(said(&compiled));
    }
    // Noting where each object of an endless recursion was made takes half a minute, which `programs.rs` spends
    // already.
    let leaks = match program {
        "drop_without_end.spl" => "0",
        _ => "1",
    };
    let mut output = run_with(executable, folder, &[], &[("SIMPLE_CHECK_LEAKS", leaks)]);
    output.stderr.splice(0..0, compiled.stderr);
    Ok(output)
}

/// Without the places where a function was looked for: an executable looks in its own folder, and has no
/// `lib/torch/ffi`.
fn without_places(text: &str) -> String {
    let mut searched = false;
    let lines = text.lines().filter(|line| {
        let place = searched && line.starts_with("    ");
        searched = place || *line == "  searched:";
        !place
    });
    lines.map(|line| format!("{line}\n")).collect()
}

/// Calls `problem` with each number below `count` and that of the worker that does it, several at a time; fails
/// with all that they find.
fn each(count: usize, problem: impl Fn(usize, usize) -> Option<String> + Sync) {
    let next = AtomicUsize::new(0);
    let work = |worker: usize| {
        let numbers = std::iter::repeat_with(|| next.fetch_add(1, Ordering::Relaxed));
        let numbers = numbers.take_while(|number| *number < count);
        let found: Vec<String> = numbers
            .filter_map(|number| problem(number, worker))
            .collect();
        found
    };
    let problems: Vec<String> = std::thread::scope(|scope| {
        let work = &work;
        let workers = [0, 1, 2, 3].map(|worker| scope.spawn(move || work(worker)));
        workers
            .into_iter()
            .flat_map(|worker| worker.join().expect("no panic"))
            .collect()
    });
    assert!(problems.is_empty(), "{}", problems.join("\n\n"));
}

/// Fails unless the executable of each program of a kind does what its golden file says.
fn check(kind: &str) {
    let folder = programs_folder().join(kind);
    let mut programs: Vec<String> = fs::read_dir(&folder)
        .expect("the folder of programs")
        .flatten()
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            match entry.path().is_dir() {
                true => Some(format!("{name}/main")),
                false => Some(name.strip_suffix(".spl")?.to_owned()),
            }
        })
        .collect();
    programs.sort();
    assert!(programs.len() > 10, "few programs in {}", folder.display());
    let scratch = tempfile::tempdir().expect("a folder");
    each(programs.len(), |number, worker| {
        let program = &programs[number];
        let executable = scratch.path().join(format!("program{worker}"));
        let expected = fs::read_to_string(folder.join(format!("{program}.out")));
        let output = compiled_and_run(&folder, &format!("{program}.spl"), &executable);
        let found = output.map(|output| without_places(&description(&output)));
        let expected = expected.map(|expected| without_places(&expected));
        (found.as_ref().ok() != expected.as_ref().ok())
            .then(|| format!("{program}.spl\n--- expected\n{expected:?}\n--- found\n{found:?}"))
    });
}

#[test]
fn executables_of_passing_programs_print_what_they_should() {
    check("pass");
}

#[test]
fn executables_that_panic_name_the_place_and_the_calls() {
    check("panic");
}

#[test]
fn executables_of_several_modules_have_all_of_them() {
    check("modules");
}

/// Random programs, which `differential` runs too: a hundred others than it takes.
#[test]
fn executables_of_random_programs_do_what_a_run_does() {
    let folder = tempfile::tempdir().expect("a folder");
    each(100, |number, worker| {
        let name = format!("program{worker}.spl");
        let executable = folder.path().join(format!("made{worker}"));
        let seed = 1_000 + number as u64;
        let text = generate::program(&generate::bytes(seed, 700));
        fs::write(folder.path().join(&name), &text).expect("the program");
        let ran = said(&simple_in(folder.path(), &[&name], &[]));
        let made = compiled_and_run(folder.path(), &name, &executable);
        let made = made.map(|output| said(&output));
        (made.as_ref() != Ok(&ran))
            .then(|| format!("seed {seed}:\n{text}\n--- run\n{ran}\n--- executable\n{made:?}"))
    });
}

/// A program and the folder that it is in.
fn program(text: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("program.spl"), text).expect("the program");
    folder
}

#[test]
fn an_executable_has_the_name_of_its_program_and_gets_its_words() {
    let folder = program("use std.env.{args}\nprint args()\nexit(args().len())\n");
    let compiled = simple_in(folder.path(), &["compile", "program.spl"], &[]);
    assert_eq!(said(&compiled), "");
    let executable = folder.path().join("program");
    let mode = fs::metadata(&executable)
        .expect("it is there")
        .permissions()
        .mode();
    assert_eq!(
        mode & 0o111,
        mode >> 2 & 0o111,
        "who may read it may run it"
    );
    let output = run(&executable, folder.path(), &["--help", "-o", "x y"]);
    assert_eq!(said(&output), "[--help, -o, x y]\n--- exit 3\n");
}

/// `strip` may be missing.
#[test]
fn a_stripped_executable_does_the_same() {
    let folder = program("fn f(xs: [i64]) -> i64: xs[3]\nprint \"here\"\nprint f([1])\n");
    let compiled = simple_in(folder.path(), &["compile", "program.spl"], &[]);
    assert_eq!(said(&compiled), "");
    let executable = folder.path().join("program");
    let before = said(&run(&executable, folder.path(), &[]));
    assert!(
        before.contains("program.spl:1:25 in f") && before.contains("xs[3]"),
        "{before}"
    );
    let stripped = Command::new("strip").arg(&executable).status();
    if stripped.is_ok_and(|status| status.success()) {
        assert_eq!(said(&run(&executable, folder.path(), &[])), before);
    }
}

#[test]
fn nothing_of_the_program_is_needed_but_the_executable() {
    let folder = program("use helper.{twice}\nprint twice(21)\nprint [1, 2, 3].map(\\x: x * 2)\n");
    fs::write(
        folder.path().join("helper.spl"),
        "export fn twice(x: i64) -> i64: 2 * x\n",
    )
    .expect("a module");
    let empty = tempfile::tempdir().expect("a folder");
    let executable = empty.path().join("alone");
    let shown = executable.to_string_lossy();
    let compiled = simple_in(
        folder.path(),
        &["compile", "program.spl", "-o", &shown],
        &[],
    );
    assert_eq!(said(&compiled), "");
    drop(folder);
    let output = Command::new(&executable)
        .env_clear()
        .current_dir(empty.path())
        .output()
        .expect("it starts");
    assert_eq!(said(&output), "42\n[2, 4, 6]\n");
}

#[test]
fn native_tensors_are_in_the_executable() {
    let folder = program(
        "use lib.tensor.{tensor}\nprint tensor([[1.0, 2.0], [3.0, 4.0]]).matmul(tensor([[1.0], [1.0]]))\n",
    );
    let compiled = simple_in(
        folder.path(),
        &["compile", "--backend", "native", "program.spl"],
        &[],
    );
    assert_eq!(said(&compiled), "");
    let ran = simple_in(folder.path(), &["--backend", "native", "program.spl"], &[]);
    // What was chosen when it was compiled holds, whatever the surroundings say.
    let output = Command::new(folder.path().join("program"))
        .env("SIMPLE_DL_BACKEND", "torch")
        .current_dir(folder.path())
        .output()
        .expect("it starts");
    assert_eq!(said(&output), said(&ran));
}

#[test]
fn what_cannot_be_made_is_said() {
    let folder = program("print 1\n");
    fs::create_dir(folder.path().join("out")).expect("a folder");
    fs::write(folder.path().join("wrong.spl"), "print nothing\n").expect("a program");
    fs::write(folder.path().join("plain"), "print 2\n").expect("a program");
    let said_of = |words: &[&str]| said(&simple_in(folder.path(), words, &[]));
    let out = said_of(&["compile", "program.spl", "-o", "out"]);
    assert!(
        out.contains("out is a folder") && out.contains("exit 2"),
        "{out}"
    );
    let itself = said_of(&["compile", "plain"]);
    assert!(
        itself.contains("would replace its program plain"),
        "{itself}"
    );
    let wrong = said_of(&["compile", "wrong.spl"]);
    assert!(
        wrong.contains("nothing") && wrong.contains("exit 1"),
        "{wrong}"
    );
    assert!(!folder.path().join("wrong").exists());
    let nowhere = said_of(&["compile", "program.spl", "-o", "no/such"]);
    assert!(nowhere.contains("cannot write no/such: "), "{nowhere}");
    let missing = said_of(&["compile", "missing.spl"]);
    assert!(
        missing.contains("missing.spl") && missing.contains("exit 2"),
        "{missing}"
    );
    let start = Path::new(env!("CARGO_BIN_EXE_simple-start"));
    let alone = said(&run(start, folder.path(), &[]));
    assert!(
        alone.contains("simple compile") && alone.contains("exit 2"),
        "{alone}"
    );
    assert_eq!(library_home(), home());
}

#[test]
fn a_package_has_the_libraries_beside_the_program() {
    let folder = program("@Lib(\"seven\")\nextern fn seven() -> i32\nprint seven()\n");
    let source = folder.path().join("seven.c");
    fs::write(&source, "int seven(void) { return 7; }\n").expect("a source");
    let library = folder.path().join("libseven.so");
    let compiler = Command::new("cc")
        .args(["-shared", "-fPIC", "-o"])
        .arg(&library)
        .arg(&source)
        .status();
    assert!(compiler.expect("a C compiler").success());
    let made = simple_in(folder.path(), &["package", "program.spl", "-o", "app"], &[]);
    assert_eq!(said(&made), "");
    fs::remove_file(&library).expect("it goes");
    let app = folder.path().join("app");
    let elsewhere = tempfile::tempdir().expect("a folder");
    assert_eq!(
        said(&run(&app.join("program"), elsewhere.path(), &[])),
        "7\n"
    );
    let again = said(&simple_in(
        folder.path(),
        &["package", "program.spl", "-o", "app"],
        &[],
    ));
    assert!(
        again.contains("app is there already") && again.contains("exit 2"),
        "{again}"
    );
}
