//! Damaged programs: many mutated copies of each example go through the checker. Any may be refused; none may crash, panic or hang.
//!
//! How many copies there are follows from how much one costs: its own text and all that it imports are checked each time. An example that
//! imports nothing has a few hundred, one that imports the tensors and the networks ten; there are many of those, and what they import is
//! the same. MUTATIONS_TIMES=20 makes twenty times as many, for a run of its own.
//!
//! Mutations are made by a fixed generator, so that a failure repeats; the failing text is printed. The check runs on the stack that
//! the `simple` command gives it. What each copy may take is bounded only by the whole test's patience: no time decides.

mod random;

use random::Random;
use simple_cli::session::Session;
use simple_sema::loader::LoadedSource;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

const MOST_COPIES: usize = 250;
const LEAST_COPIES: usize = 10;
/// How many bytes of source the copies of an example may have together, what they import included.
const BYTES: usize = 5 << 20;
const STACK: usize = 256 << 20;

/// Pieces that are likely to matter to a parser or checker.
const PIECES: &[&str] = &[
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "\"",
    "'",
    ":",
    ",",
    ".",
    "\n",
    "    ",
    "\t",
    "->",
    "=>",
    "=",
    "==",
    "?",
    "!",
    "??",
    "@",
    "#",
    "\\",
    "..",
    "if ",
    "else:",
    "fn ",
    "match ",
    "case ",
    "class ",
    "enum ",
    "for ",
    "in ",
    "while ",
    "return ",
    "val ",
    "var ",
    "self",
    "nil",
    "0",
    "9999999999999999999",
    "1e999",
    "{x",
    "é",
    "\u{0}",
    "\u{202e}",
    "extern fn ",
    "use ",
    "static ",
    "drop",
    "Self",
    "<",
    ">",
    "~>",
    "|>",
    "_",
    "\r\n",
    "\"\"\"",
];

/// One to four changes at random places.
fn mutate(text: &str, random: &mut Random) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    for _ in 0..=random.below(4) {
        let at = random.below(chars.len() + 1);
        match random.below(6) {
            0 if at < chars.len() => {
                chars.remove(at);
            }
            1 => {
                let end = (at + random.below(40)).min(chars.len());
                chars.drain(at..end);
            }
            2 => {
                let piece = PIECES[random.below(PIECES.len())];
                chars.splice(at..at, piece.chars());
            }
            3 => {
                let end = (at + random.below(60)).min(chars.len());
                let copy: Vec<char> = chars[at..end].to_vec();
                let to = random.below(chars.len() + 1);
                chars.splice(to..to, copy);
            }
            4 if at + 1 < chars.len() => chars.swap(at, at + 1),
            _ => chars.truncate(chars.len().min(at.max(1))),
        }
    }
    chars.into_iter().collect()
}

fn examples() -> Vec<PathBuf> {
    fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder)
            .expect("the folder of examples")
            .flatten()
        {
            let path = entry.path();
            if path.is_dir() {
                collect(&path, found);
            } else if path.extension().is_some_and(|ending| ending == "spl") {
                found.push(path);
            }
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut found = Vec::new();
    collect(&root, &mut found);
    found.sort();
    found
}

/// Checks the copies of each example that it takes from `waiting`.
fn check_mutations(waiting: &Mutex<std::vec::IntoIter<PathBuf>>, times: usize) {
    let library = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../lib");
    let session = Session::with_library(library, Path::new("."), Default::default());
    loop {
        let next = waiting.lock().expect("no thread has panicked").next();
        let Some(example) = next else { return };
        let text = std::fs::read_to_string(&example).expect("a readable example");
        let path = example.display().to_string();
        let mut random = Random::new(0x5eed ^ text.len() as u64);
        let whole = session.check(LoadedSource {
            path: path.clone(),
            text: text.clone(),
            library: false,
        });
        let files = whole.sources.files();
        let bytes: usize = files.map(|(_, file)| file.text.len()).sum();
        let copies = (BYTES / bytes.max(1)).clamp(LEAST_COPIES, MOST_COPIES) * times;
        for copy in 0..copies {
            let mutated = mutate(&text, &mut random);
            let root = LoadedSource {
                path: path.clone(),
                text: mutated.clone(),
                library: false,
            };
            let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                let checked = session.check(root);
                for diagnostic in &checked.diagnostics {
                    simple_cli::render::human(diagnostic, &checked.sources, false);
                }
            }));
            assert!(
                outcome.is_ok(),
                "copy {copy} of {path} made the checker panic:\n{mutated}"
            );
        }
    }
}

#[test]
fn damaged_examples_are_refused_without_a_crash() {
    let times =
        std::env::var("MUTATIONS_TIMES").map_or(1, |times| times.parse().expect("a number"));
    let examples = examples();
    assert!(examples.len() >= 3, "the examples are gone");
    let waiting = Mutex::new(examples.into_iter());
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..cores)
            .map(|_| {
                let builder = std::thread::Builder::new().stack_size(STACK);
                let work = || check_mutations(&waiting, times);
                builder.spawn_scoped(scope, work).expect("a thread")
            })
            .collect();
        for thread in threads {
            if let Err(payload) = thread.join() {
                std::panic::resume_unwind(payload);
            }
        }
    });
}
