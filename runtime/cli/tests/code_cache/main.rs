//! Programs that were compiled before: they do the same, and whatever they depend on has them compiled again.
//!
//! `CODE_CACHE_SEEDS=from..to` has other random sequences of changes tried than the usual one.

mod world;

use simple_cli::surroundings::{Kind, When};
use simple_testing::Folder;
use std::collections::HashSet;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use world::{CHANGES, Run, World};

/// A project and a cache, gone when the test ends.
struct Place(Folder);

/// So many functions that compiling them is worth a file on any machine.
fn many_functions() -> String {
    let mut text = String::new();
    for i in 0..600 {
        text.push_str(&format!(
            "fn f{i}(xs: [i64], t: text) -> i64:\n    var sum = {i}\n    for x in xs:\n        if x % 3 == 1: sum += x * {i} else: sum -= t.len()\n    \
             sum + xs.len()\n\n"
        ));
    }
    text.push_str("fn all() -> i64:\n    var sum = 0\n");
    for i in 0..600 {
        text.push_str(&format!("    sum += f{i}([1, 2, {i}], \"abc\")\n"));
    }
    text.push_str("    sum\n\n");
    text
}

impl Place {
    fn new(name: &str) -> Place {
        let place = Place(Folder::new(&format!("code-cache-{name}")));
        place.write("many.spl", &format!("{}export all\n", many_functions()));
        place.write("helper.spl", "export word\nfn word() -> text: \"first\"\n");
        place.write(
            "main.spl",
            "use many.{all}\nuse helper.{word}\n\nfn main():\n    val unused = 1\n    print \"{word()} {all()}\"\n    val xs = [1, 2]\n    \
             print xs[at(word().len())]\n\n@inline\nfn at(n: i64) -> i64: n\n",
        );
        place
    }

    fn write(&self, file: &str, text: &str) {
        self.0.write(file, text);
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_simple"));
        command
            .arg("--verbose")
            .args(words)
            .current_dir(&self.0)
            .env("XDG_CACHE_HOME", self.0.join("cache"))
            .env_remove("SIMPLE_CODE_CACHE");
        command
    }

    fn run(&self, words: &[&str], variables: &[(&str, &str)]) -> Run {
        let mut command = self.command(words);
        let output = command.envs(variables.iter().copied()).output();
        Run::of(&output.expect("simple starts"))
    }

    /// Runs a program that has changed; how many of its functions were compiled before, and how many were not. It does
    /// what it does without the cache.
    fn changed(&self, program: &str) -> (usize, usize) {
        let output = self.command(&[program]).output().expect("simple starts");
        let run = Run::of(&output);
        assert!(!run.found, "{run:?}");
        let plain = self.run(&[program], &[("SIMPLE_CODE_CACHE", "0")]);
        assert_eq!(run.did(), plain.did());
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let line = said.lines().find(|line| line.ends_with("compiled before"));
        let numbers = line.expect("it says so").split(' ');
        let mut numbers = numbers.filter_map(|word| word.parse().ok());
        let (found, all): (usize, usize) = (numbers.next().unwrap(), numbers.next().unwrap());
        (found, all - found)
    }

    fn main(&self) -> Run {
        self.run(&["main.spl"], &[])
    }

    /// The files of compiled programs.
    fn files(&self) -> Vec<PathBuf> {
        self.files_of("code")
    }

    /// The file of compiled functions.
    fn functions(&self) -> PathBuf {
        let mut files = self.files_of("functions");
        assert_eq!(files.len(), 1);
        files.remove(0)
    }

    fn files_of(&self, ending: &str) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.0.join("cache/simple/code"));
        let entries = entries.into_iter().flatten();
        entries
            .map(|entry| entry.expect("an entry").path())
            .filter(|path| path.extension().is_some_and(|it| it == ending))
            .collect()
    }

    /// Changes the program without changing a function of it but the first.
    fn change(&self, number: u32) {
        let text = fs::read_to_string(self.0.join("main.spl")).expect("its text");
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        // Everything moves down by a line, and the trace of its error says so.
        let mut text = "# moved\n".repeat(1 + number as usize);
        for line in lines {
            match line.trim_start().starts_with("val xs") {
                true => text.push_str(&format!("    val xs = [1, {number}]\n")),
                false => text.push_str(&format!("{line}\n")),
            }
        }
        self.write("main.spl", &text);
    }
}

#[test]
fn the_second_run_does_what_the_first_did() {
    let place = Place::new("twice");
    let first = place.main();
    assert!(!first.found, "{first:?}");
    assert!(first.out.starts_with("first "), "{first:?}");
    assert!(first.err.contains("warning[W"), "{first:?}");
    assert!(first.err.contains("main.spl:8"), "{first:?}");
    assert_eq!(first.code, Some(1));
    assert_eq!(place.files().len(), 1);
    let second = place.main();
    assert_eq!(
        second,
        Run {
            found: true,
            ..first
        }
    );
}

#[test]
fn what_has_changed_is_compiled_again() {
    let place = Place::new("changed");
    place.main();
    assert!(place.main().found);

    place.write("helper.spl", "export word\nfn word() -> text: \"other\"\n");
    let changed = place.main();
    assert!(!changed.found);
    assert!(changed.out.starts_with("other "), "{changed:?}");
    assert!(place.main().found);

    // A package is found before the file of its name.
    place.write(
        "helper/__init__.spl",
        "export word\nfn word() -> text: \"package\"\n",
    );
    let moved = place.main();
    assert!(!moved.found);
    assert!(moved.out.starts_with("package "), "{moved:?}");
    assert!(place.main().found);

    place.write("main.spl", "use many.{all}\nprint all()\n");
    let other = place.main();
    assert!(!other.found);
    assert_eq!(other.code, Some(0), "{other:?}");
    // One program has one file.
    assert_eq!(place.files().len(), 1);

    place.write("main.spl", "use many.{all}\nprint all(1)\n");
    assert!(place.main().err.contains("1 error"));
}

#[test]
fn what_is_said_depends_on_the_words_of_the_command() {
    let place = Place::new("words");
    assert!(place.main().err.contains("unused"));
    let quiet = place.run(&["--allow=unused_variable", "main.spl"], &[]);
    assert!(!quiet.found, "{quiet:?}");
    assert!(!quiet.err.contains("unused"), "{quiet:?}");
    assert!(
        place
            .run(&["--allow=unused_variable", "main.spl"], &[])
            .found
    );
}

#[test]
fn a_damaged_file_counts_for_nothing() {
    let place = Place::new("damaged");
    let first = place.main();
    let file = place.files().remove(0);
    let whole = fs::read(&file).expect("the file");
    for damage in [
        whole[..whole.len() / 2].to_vec(),
        Vec::new(),
        [&whole[..], b"more"].concat(),
        whole.iter().map(|byte| byte ^ 1).collect(),
    ] {
        fs::write(&file, damage).expect("write the file");
        assert_eq!(place.main(), first);
        assert!(place.main().found);
    }
}

#[test]
fn nothing_is_kept_where_it_is_not_wanted() {
    let place = Place::new("unwanted");
    let off = [("SIMPLE_CODE_CACHE", "0")];
    assert!(!place.run(&["main.spl"], &off).found);
    assert!(place.files().is_empty());
    place.main();
    assert!(!place.run(&["main.spl"], &off).found);
    assert!(!place.run(&["--profile", "main.spl"], &[]).found);
    assert!(!place.run(&["--check-ffi", "main.spl"], &[]).found);
}

#[test]
fn a_folder_that_others_can_write_is_not_used() {
    let place = Place::new("open");
    place.main();
    let folder = place.0.join("cache/simple/code");
    fs::set_permissions(&folder, Permissions::from_mode(0o777)).expect("set the mode");
    assert!(!place.main().found);
    fs::set_permissions(&folder, Permissions::from_mode(0o700)).expect("set the mode");
    assert!(place.main().found);
}

#[test]
fn foreign_functions_are_found_again() {
    let place = Place::new("foreign");
    place.write(
        "calls.spl",
        "use many.{all}\n\n@Lib(\"libm.so.6\")\nextern fn cbrt(x: f64) -> f64\n\nextern fn rt_math_sqrt(x: f64) -> f64\n\nprint all() > 0\nprint cbrt(27.0)\n\
         print (2.0).sqrt()\n",
    );
    let first = place.run(&["calls.spl"], &[]);
    let second = place.run(&["calls.spl"], &[]);
    assert!(!first.found && second.found, "{first:?}\n{second:?}");
    assert_eq!(first.out, second.out);
}

/// The folder of Simple's library.
fn library() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../lib")
        .canonicalize()
        .expect("the library")
}

fn world(name: &str) -> World {
    World::new(name, Path::new(env!("CARGO_BIN_EXE_simple")), &library())
}

/// What cannot be changed from outside: `code_cache.rs` has a test of its own that another answer is another file.
const FIXED: [Kind; 1] = [Kind::Machine];

#[test]
fn each_question_is_asked_again() {
    let mut world = world("each");
    let mut tried: HashSet<Kind> = FIXED.into();
    for change in CHANGES {
        for variant in (1..change.variants).chain([0]) {
            let before = world.run(true);
            // A program with errors is not kept.
            if !before.out.is_empty() {
                assert!(world.run(true).found, "before {}", change.what);
            }
            world.change(change, variant);
            let after = world.run(true);
            let what = format!("{}, variant {variant}: {after:?}", change.what);
            // What is known before has a file of the cache for each answer, which is found again; and a program with errors leaves the
            // file of what was before it.
            let back = change.kind.when() == When::Before && change.variants > 1 && variant == 0
                || before.out.is_empty();
            assert!(!after.found || back, "{what}");
            assert_eq!(after.did(), world.run(false).did(), "{what}");
            if !change.silent {
                assert_ne!(after.did(), before.did(), "{what}");
            }
        }
        tried.insert(change.kind);
    }
    let missing: Vec<_> = Kind::ALL
        .iter()
        .filter(|kind| !tried.contains(kind))
        .collect();
    assert!(
        missing.is_empty(),
        "no change changes the answer of {missing:?}"
    );
}

/// Which sequences are tried.
fn seeds() -> std::ops::Range<u64> {
    let said = std::env::var("CODE_CACHE_SEEDS").unwrap_or_default();
    match said.split_once("..") {
        Some((from, to)) => from.parse().expect("a number")..to.parse().expect("a number"),
        None => 0..1,
    }
}

#[test]
fn after_any_changes_a_program_does_what_it_does_without_the_cache() {
    let mut world = world("random");
    let mut found = 0;
    for seed in seeds() {
        // Any bytes are a sequence.
        let mut bytes = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut made = Vec::new();
        for _ in 0..30 {
            bytes ^= bytes << 13;
            bytes ^= bytes >> 7;
            bytes ^= bytes << 17;
            let [number, variant, ..] = bytes.to_le_bytes();
            let change = &CHANGES[usize::from(number) % CHANGES.len()];
            // A copy of the compiler takes long, and its kind has been tried.
            if change.kind == Kind::Compiler {
                continue;
            }
            world.change(change, variant.into());
            made.push((change.what, variant));
            let (cached, compiled) = (world.run(true), world.run(false));
            found += usize::from(cached.found);
            assert_eq!(cached.did(), compiled.did(), "seed {seed}, after {made:?}");
        }
    }
    // States come back, and then the cache has them.
    assert!(found > 0);
}

#[test]
fn a_file_that_others_can_write_is_not_used() {
    let place = Place::new("writable");
    place.main();
    let file = place.files().remove(0);
    let mode = || fs::metadata(&file).expect("its mode").permissions().mode() & 0o777;
    assert_eq!(mode(), 0o600);
    fs::set_permissions(&file, Permissions::from_mode(0o666)).expect("set the mode");
    assert!(!place.main().found);
    // Compiled again, and kept as the user's own.
    assert_eq!(mode(), 0o600);
    assert!(place.main().found);
}

#[test]
fn what_was_asked_once_is_written_once() {
    let place = Place::new("once");
    place.main();
    let size = || {
        fs::metadata(place.files().remove(0))
            .expect("its size")
            .len()
    };
    let first = size();
    for _ in 0..3 {
        // Other text of the same length: all questions but one have the same answers.
        place.write("helper.spl", "export word\nfn word() -> text: \"third\"\n");
        place.main();
        place.write("helper.spl", "export word\nfn word() -> text: \"first\"\n");
        place.main();
    }
    assert_eq!(size(), first);
}

/// `LIBTORCH_PATH` decides only where nothing else names a backend, so that it has a program of its own.
#[test]
fn a_place_of_libtorch_is_a_part_of_the_choice() {
    let place = Place::new("libtorch");
    place.write("tensors.spl", "use lib.backend.{backend}\nuse std.dl.config.{backend_in_use}\n\nfn main():\n    val computing = backend()\n    print backend_in_use()\n");
    let home = place.0.join("home").display().to_string();
    let library = library();
    let link = place.0.join("home/lib");
    fs::create_dir_all(&home).expect("make the folder");
    std::os::unix::fs::symlink(library, link).expect("linked");
    let variables = [("SIMPLE_HOME", home.as_str()), ("LIBTORCH_PATH", "")];
    let native = place.run(&["tensors.spl"], &variables);
    assert_eq!(native.code, Some(0), "{native:?}");
    assert!(place.run(&["tensors.spl"], &variables).found);
    let variables = [
        ("SIMPLE_HOME", home.as_str()),
        ("LIBTORCH_PATH", "/nowhere"),
    ];
    let named = place.run(&["tensors.spl"], &variables);
    assert!(!named.found && named.did() != native.did(), "{named:?}");
    let variables = [
        ("SIMPLE_CODE_CACHE", "0"),
        ("SIMPLE_HOME", home.as_str()),
        ("LIBTORCH_PATH", "/nowhere"),
    ];
    assert_eq!(place.run(&["tensors.spl"], &variables).did(), named.did());
}

#[test]
fn functions_of_a_program_that_has_changed_are_not_compiled_again() {
    let place = Place::new("functions");
    let (found, new) = place.changed("main.spl");
    assert!(found == 0 && new > 600, "{found} and {new}");
    place.change(7);
    let (found, new) = place.changed("main.spl");
    assert!(found > 600 && new < 5, "{found} and {new}");
    // In another program they are the same.
    place.write("other.spl", "use many.{all}\n\nprint all() + 1\n");
    let (found, new) = place.changed("other.spl");
    assert!(found > 600 && new < 5, "{found} and {new}");
    // A function that changes is compiled, and what calls it is not.
    let text = fs::read_to_string(place.0.join("many.spl")).expect("its text");
    place.write(
        "many.spl",
        &text.replacen("sum += x * 7 ", "sum += x * 8 ", 1),
    );
    let (found, new) = place.changed("other.spl");
    assert!(found > 600 && (1..5).contains(&new), "{found} and {new}");
}

#[test]
fn damaged_functions_are_compiled_again() {
    let place = Place::new("damaged-functions");
    place.main();
    let file = place.functions();
    let whole = fs::read(&file).expect("the file");
    let mut number = 0;
    let mut changed = |damage: Vec<u8>| {
        fs::write(&file, damage).expect("write the file");
        number += 1;
        place.change(number);
        // It does what it does without.
        place.changed("main.spl")
    };
    for part in 1..6 {
        let mut damage = whole.clone();
        let at = whole.len() * part / 6;
        damage[at] ^= 1 << part;
        let (found, new) = changed(damage);
        assert!(found > 0 || new > 600, "byte {at}");
        let (found, _) = changed(whole[..at].to_vec());
        assert_eq!(found, 0, "{at} bytes");
    }
    // Halves that change places.
    let (first, second) = whole.split_at(whole.len() / 2);
    assert_eq!(changed([second, first].concat()).0, 0);
    assert_eq!(changed(Vec::new()).0, 0);
    assert!(changed(whole.clone()).0 > 600);
    // Nor are those of a file that others can write.
    fs::set_permissions(&file, Permissions::from_mode(0o666)).expect("set the mode");
    assert_eq!(changed(whole.clone()).0, 0);
    let mode = fs::metadata(&file).expect("its mode").permissions().mode() & 0o777;
    assert_eq!(mode, 0o600);
}

#[test]
fn functions_of_another_compiler_are_not_taken() {
    let place = Place::new("other-compiler");
    place.main();
    let file = place.functions();
    // Another build of the compiler has another file.
    let copy = place.0.join("simple");
    fs::copy(env!("CARGO_BIN_EXE_simple"), &copy).expect("copied");
    place.change(2);
    let run = |program: &Path| {
        let mut command = Command::new(program);
        let home = library().parent().expect("its folder").to_owned();
        command
            .arg("--verbose")
            .arg("main.spl")
            .current_dir(&place.0);
        command.env("XDG_CACHE_HOME", place.0.join("cache"));
        let output = command.env("SIMPLE_HOME", home).output();
        String::from_utf8_lossy(&output.expect("it starts").stderr).into_owned()
    };
    let said = run(&copy);
    assert!(said.contains("simple: 0 of "), "{said}");
    let files = place.files_of("functions");
    assert_eq!(files.len(), 2);
    // Nor does it take those of the first one under its own name.
    let own = files.iter().find(|other| **other != file).expect("its own");
    fs::copy(&file, own).expect("copied");
    place.change(3);
    let said = run(&copy);
    assert!(said.contains("simple: 0 of "), "{said}");
}

#[test]
fn several_programs_add_functions_at_once() {
    let place = Place::new("at-once");
    for round in 0..3 {
        let programs: Vec<String> = (0..4).map(|at| format!("p{round}{at}.spl")).collect();
        for (at, program) in programs.iter().enumerate() {
            let text = format!("use many.{{all}}\n\nprint all() + {round}{at}\n");
            place.write(program, &text);
        }
        let started: Vec<_> = (programs.iter())
            .map(|program| place.command(&[program]))
            .map(|mut command| command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn())
            .collect();
        let output = |child: std::io::Result<Child>| {
            let output = child.expect("it starts").wait_with_output();
            String::from_utf8_lossy(&output.expect("it ends").stdout).into_owned()
        };
        let all: Vec<String> = started.into_iter().map(output).collect();
        for (program, out) in programs.iter().zip(all) {
            let plain = place.run(&[program], &[("SIMPLE_CODE_CACHE", "0")]);
            assert_eq!(out, plain.out, "{program}");
        }
    }
    place.write("last.spl", "use many.{all}\n\nprint all() - 1\n");
    assert!(place.changed("last.spl").0 > 600);
}
