//! Generated well-typed programs do the same unoptimized and optimized, and leave nothing alive.
//!
//! `DIFFERENTIAL_SEEDS=from..to` runs other seeds than the usual few; `fuzz/` lets a fuzzer choose the bytes.

mod compare;
mod generate;

use simple_bridge::dl_config::Overrides;
use simple_cli::session::Session;
use std::path::Path;

#[test]
fn generated_programs_do_the_same_unoptimized_and_optimized() {
    let seeds = std::env::var("DIFFERENTIAL_SEEDS").unwrap_or_default();
    let (from, to) = seeds
        .split_once("..")
        .and_then(|(from, to)| Some((from.parse().ok()?, to.parse().ok()?)))
        .unwrap_or((0, 60));
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let session = Session::with_library(root.join("lib"), &root, Overrides::default());
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
