//! Mutated programs that still check are run: none may crash the compiler, crash itself, or hang.
//!
//! Seeds are the programs of `programs/`, `torch_programs/` and the checker's golden files, and the examples, without those that could do harm (`seeds.rs`). Each mutant (`mutate.rs`) has
//! tokens swapped, dropped or doubled, and values whose types nothing determines planted as arguments and operands. It is checked here;
//! what checks goes to a `simple` of its own with limits of time and memory, in a folder of its own (`run.rs`). An end by a signal, a panic, an
//! internal error, and a process that outlives its limit are findings. Errors of the program are none.
//!
//! `MUTATIONS_RUN=50000` makes so many instead of the few of every test run, `MUTATIONS_FROM=N` begins at number N. A finding is kept in
//! the folder that the test names, and one number makes it again: `MUTATIONS_FROM=N MUTATIONS_RUN=1`.

#[path = "../random/mod.rs"]
mod random;

mod mutate;
mod run;
mod seeds;

use random::Random;
use simple_bridge::dl_config::Overrides;
use simple_cli::session::Session;
use simple_sema::loader::LoadedSource;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// How many mutants every test run makes.
const USUAL: u64 = 400;
/// The stack that `simple` gives the checker.
const STACK: usize = 256 << 20;
/// Seconds after which a check has hung; the slowest takes a fiftieth.
const PATIENCE: u64 = 60;

/// What is wrong with a mutant, and which it was.
#[derive(Default)]
struct Findings {
    /// By what they have in common: number, text and words of the first.
    kinds: BTreeMap<String, (u64, String)>,
    count: usize,
}

impl Findings {
    fn add(&mut self, number: u64, kind: String, details: String, text: &str, folder: &Path) {
        self.count += 1;
        eprintln!("mutant {number}: {kind}");
        if !self.kinds.contains_key(&kind) {
            let file = folder.join(format!("found-{number}.spl"));
            std::fs::write(file, text).expect("a writable folder");
            self.kinds.insert(kind, (number, details));
        }
    }
}

fn number_from(name: &str, usual: u64) -> u64 {
    let set = std::env::var(name).ok();
    set.and_then(|text| text.parse().ok()).unwrap_or(usual)
}

/// Mutates, checks and runs; the findings as text, empty without any.
fn try_mutants(folder: &Path, turn: &AtomicU64) -> String {
    let from = number_from("MUTATIONS_FROM", 0);
    let count = number_from("MUTATIONS_RUN", USUAL);
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let seeds = seeds::harmless(&root);
    assert!(seeds.len() >= 100, "only {} seeds", seeds.len());
    let session = Session::with_library(root.join("lib"), folder, Overrides::default());
    let mut findings = Findings::default();
    let mut ran = 0;
    for number in from..from + count {
        let mut random = Random::new((number + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let seed = &seeds[random.below(seeds.len())];
        let other = &seeds[random.below(seeds.len())];
        let text = mutate::mutate(seed, other, &mut random);
        let file = folder.join("main.spl");
        // Written first: should the check end this process, it is the culprit.
        std::fs::write(&file, &text).expect("a writable folder");
        turn.fetch_add(1, Ordering::Relaxed);
        let checked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let source = LoadedSource {
                path: file.display().to_string(),
                text: text.clone(),
                library: false,
            };
            let checked = session.check(source);
            for d in &checked.diagnostics {
                simple_cli::render::human(d, &checked.sources, false);
            }
            let internal = checked
                .diagnostics
                .iter()
                .find(|d| d.message.starts_with("internal error"))
                .map(|d| d.message.clone());
            (checked.program.is_some(), internal)
        }));
        match checked {
            Err(_) => findings.add(
                number,
                "the checker panics".into(),
                String::new(),
                &text,
                folder,
            ),
            Ok((_, Some(internal))) => findings.add(number, internal, String::new(), &text, folder),
            Ok((false, None)) => {}
            Ok((true, None)) => {
                ran += 1;
                if let Some((kind, details)) = run::verdict(&file, folder, &root) {
                    findings.add(number, kind, details, &text, folder);
                }
            }
        }
        if (number + 1 - from).is_multiple_of(1000) {
            eprintln!(
                "{} mutants, {ran} run, {} findings",
                number + 1 - from,
                findings.count
            );
        }
    }
    eprintln!("{count} mutants, {ran} run, {} findings", findings.count);
    assert!(ran > 0 || count < 100, "no mutant checks");
    findings
        .kinds
        .iter()
        .map(|(kind, (number, details))| format!("mutant {number}: {kind}\n{details}\n"))
        .collect()
}

/// Ends the process if one check takes for ever.
fn watch(turn: &AtomicU64, folder: &Path) {
    let mut before = u64::MAX;
    loop {
        let now = turn.load(Ordering::Relaxed);
        if now == before {
            eprintln!("the check of {} hangs", folder.join("main.spl").display());
            std::process::exit(1);
        }
        before = now;
        std::thread::sleep(Duration::from_secs(PATIENCE));
    }
}

#[test]
#[cfg(target_os = "linux")]
fn mutated_programs_neither_crash_nor_hang() {
    static TURN: AtomicU64 = AtomicU64::new(0);
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
        .join(format!("mutated_runs-{}", number_from("MUTATIONS_FROM", 0)));
    std::fs::create_dir_all(&folder).expect("a folder for mutants");
    eprintln!("mutants go to {}", folder.display());
    let watched = folder.clone();
    std::thread::spawn(move || watch(&TURN, &watched));
    let work = folder.clone();
    let thread = std::thread::Builder::new()
        .stack_size(STACK)
        .spawn(move || try_mutants(&work, &TURN))
        .expect("a thread");
    match thread.join() {
        Ok(found) => assert!(found.is_empty(), "kept in {}:\n{found}", folder.display()),
        Err(payload) => std::panic::resume_unwind(payload),
    }
}
