//! Generated well-typed programs do the same unoptimized and optimized, and leave nothing alive; programs at the edges of what
//! removes checks (`edges.rs`) do what they should.
//!
//! `DIFFERENTIAL_SEEDS=from..to` runs other seeds than the usual few; `fuzz/` lets a fuzzer choose the bytes.

mod compare;
mod edges;
mod generate;
mod loops;

use simple_bridge::dl_config::Overrides;
use simple_cli::session::Session;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Only one test runs programs at a time: programs that run in several threads of one process have crashed, for a cause that is not
/// known yet. The command runs one program.
static ALONE: Mutex<()> = Mutex::new(());

/// A session with the repository's library, alone as long as the guard is held.
fn session() -> (MutexGuard<'static, ()>, Session) {
    let guard = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let session = Session::with_library(root.join("lib"), &root, Overrides::default());
    (guard, session)
}

#[test]
fn loops_over_arrays_do_the_same_unoptimized_and_optimized() {
    let (_alone, session) = session();
    for seed in 0..24 {
        let text = loops::program(seed);
        let found =
            compare::behaviours(&session, &text).unwrap_or_else(|said| panic!("{said}\n{text}"));
        for (way, behaviour) in compare::WAYS.iter().zip(&found) {
            assert_eq!(&found[0], behaviour, "seed {seed}, {way:?}:\n{text}");
            assert!(
                behaviour.leaks.is_empty(),
                "seed {seed}: {:?}",
                behaviour.leaks
            );
        }
    }
}

#[test]
fn generated_programs_do_the_same_unoptimized_and_optimized() {
    let seeds = std::env::var("DIFFERENTIAL_SEEDS").unwrap_or_default();
    let (from, to) = seeds
        .split_once("..")
        .and_then(|(from, to)| Some((from.parse().ok()?, to.parse().ok()?)))
        .unwrap_or((0, 60));
    let (_alone, session) = session();
    let mut wrong = Vec::new();
    for seed in from..to {
        let text = generate::program(&generate::bytes(seed, 700));
        match compare::behaviours(&session, &text) {
            Ok(found) if found.iter().any(|other| *other != found[0]) => {
                let found: Vec<_> = compare::WAYS.iter().zip(found).collect();
                wrong.push(format!("seed {seed}: {found:#?}\n{text}"));
            }
            Ok(found) if !found[0].leaks.is_empty() => {
                wrong.push(format!("seed {seed}: leaks {:?}\n{text}", found[0].leaks));
            }
            Ok(_) => {}
            Err(said) => wrong.push(format!("seed {seed}: not a program: {said}\n{text}")),
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {} programs:\n{}",
        wrong.len(),
        to - from,
        wrong.join("\n\n")
    );
}
