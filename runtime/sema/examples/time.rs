//! Times parsing and checking of a file: `cargo run --release -p simple-sema --example time -- FILE`.

#![allow(
    clippy::disallowed_methods,
    reason = "a tool for people may read files"
)]

#[path = "../tests/common/mod.rs"]
mod common;

use std::time::Instant;

fn main() {
    for path in std::env::args().skip(1) {
        let source = std::fs::read_to_string(&path).expect("a readable file");
        let mut map = simple_syntax::SourceMap::default();
        let file = map.add(path.as_str(), source.as_str());
        let started = Instant::now();
        let parsed = simple_syntax::parse(file, &source);
        let parsing = started.elapsed();
        std::hint::black_box(&parsed);
        let started = Instant::now();
        let checked = common::run(&source);
        println!(
            "{path}: {} lines, parse {parsing:?}, parse and check {:?}, {} diagnostics",
            source.lines().count(),
            started.elapsed(),
            checked.diagnostics.len()
        );
    }
}
