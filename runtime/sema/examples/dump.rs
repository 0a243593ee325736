//! Prints what the checker makes from a file: `cargo run -p simple-sema --example dump -- FILE`.

#![allow(
    clippy::disallowed_methods,
    reason = "a tool at the command line, not the checker itself"
)]

#[path = "../tests/common/mod.rs"]
mod common;

fn main() {
    for path in std::env::args().skip(1) {
        let source = std::fs::read_to_string(&path).expect("a readable file");
        let checked = common::run(&source);
        print!("{}", common::render(&checked));
        if let Some(program) = &checked.program {
            print!("{}", common::dump::program(program));
        }
    }
}
