//! Nothing that compiles a program asks its surroundings but through the one door.

use super::*;
use std::collections::HashSet;

/// What asks the machine, the file system or the environment.
const ASKING: &[&str] = &[
    "env::",
    "fs::",
    "File::",
    ".is_file()",
    ".is_dir()",
    ".exists()",
    ".metadata()",
    ".symlink_metadata()",
    ".canonicalize()",
    "libc::",
    "available_parallelism",
    "feature_detected",
    "cranelift_native",
    "SystemTime",
    "Instant::",
    "Command::",
    "open::",
    "absolute(",
    "dl_config::",
    "simple_setup::",
    "simple_device::",
];

/// Where that is right, and why the meaning of a program does not depend on it.
const RIGHT: &[(&str, &str, &str)] = &[
    (
        "codegen/src/isa.rs",
        "cranelift_native",
        "what `Kind::Machine` answers",
    ),
    (
        "codegen/src/lib.rs",
        "available_parallelism",
        "how many threads compile",
    ),
    (
        "cli/src/loader.rs",
        "fs::",
        "names for a message about an error",
    ),
    ("cli/src/loader.rs", ".is_file()", "the same"),
    (
        "cli/src/loader.rs",
        "env::",
        "how paths are shown; the folder is `Kind::Folder`",
    ),
    ("cli/src/loader.rs", "absolute(", "the same"),
    (
        "cli/src/backend.rs",
        "dl_config::",
        "the choice, which is `Kind::Backend`",
    ),
    ("cli/src/backend.rs", "env::", "a part of that choice"),
    ("cli/src/backend.rs", "absolute(", "a part of that choice"),
];

/// The files of a folder and of those in it that are part of the compiler.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    let entries = fs::read_dir(folder).expect("a folder of sources");
    for entry in entries {
        let path = entry.expect("an entry").path();
        let name = path.file_name().expect("a name").to_string_lossy();
        if path.is_dir() && name != "tests" {
            sources(&path, found);
        } else if name.ends_with(".rs") && !name.ends_with("tests.rs") {
            found.push(path);
        }
    }
}

#[test]
fn whatever_compiles_a_program_asks_through_this_door() {
    let runtime = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut files = Vec::new();
    for folder in ["syntax/src", "sema/src", "middle/src", "codegen/src"] {
        sources(&runtime.join(folder), &mut files);
    }
    for file in ["backend", "externs", "loader"] {
        files.push(runtime.join(format!("cli/src/{file}.rs")));
    }
    let mut met = HashSet::new();
    for file in files {
        let name = file.strip_prefix(&runtime).expect("below");
        let name = name.display().to_string();
        let text = fs::read_to_string(&file).expect("its text");
        // Tests are at the end.
        let text = text
            .split("#[cfg(test)]\nmod tests {")
            .next()
            .unwrap_or_default();
        for (at, line) in text.lines().enumerate() {
            let line = line.trim_start();
            if line.starts_with("//") || line.starts_with("use ") {
                continue;
            }
            for asking in ASKING.iter().filter(|asking| line.contains(**asking)) {
                let right = RIGHT
                    .iter()
                    .find(|(file, what, _)| *file == name && what == asking);
                met.extend(right);
                assert!(
                    right.is_some(),
                    "{name}:{}: `{asking}` asks what no kept program remembers: ask through `Surroundings`, with a `Kind` of its own\n{line}",
                    at + 1
                );
            }
        }
    }
    for (file, what, why) in RIGHT {
        let named = met.iter().any(|(f, w, _)| f == file && w == what);
        assert!(named, "{file} has no `{what}` any more ({why})");
    }
}

#[test]
fn words_of_kinds_are_different_and_read_back() {
    let words: HashSet<_> = Kind::ALL.iter().map(|kind| kind.word()).collect();
    assert_eq!(words.len(), Kind::ALL.len());
    for kind in Kind::ALL {
        let read = Question::read(kind.word(), "x").map(|question| question.kind);
        let expected = (kind.when() == When::Compiling).then_some(*kind);
        assert_eq!(read, expected);
    }
}

#[test]
fn an_answer_is_remembered_once_in_the_words_that_it_has_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("x.spl");
    let surroundings = Surroundings::new(folder.path(), None);
    assert!(!surroundings.is_file(&file));
    fs::write(&file, "1").expect("written");
    // What the compiler was told first is what it went on with.
    assert!(surroundings.is_file(&file));
    let asked = surroundings.asked().expect("in words");
    let (question, answer) = asked.first_key_value().expect("a question");
    assert_eq!((asked.len(), answer.as_str()), (1, "no"));
    assert_eq!(surroundings.answer(question).as_deref(), Some("yes"));
}

#[test]
fn one_file_has_one_path() {
    assert_eq!(
        tidy(Path::new("./a/./b/../c.spl")),
        PathBuf::from("a/c.spl")
    );
    assert_eq!(tidy(Path::new("../x/../y.spl")), PathBuf::from("../y.spl"));
}
