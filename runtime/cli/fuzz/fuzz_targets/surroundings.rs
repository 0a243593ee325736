//! Any bytes: after the changes that they say, a program does with the cache of compiled programs what it does without.
#![no_main]

#[path = "../../tests/code_cache/world.rs"]
#[allow(dead_code, reason = "the tests ask more of each change")]
mod world;

use libfuzzer_sys::fuzz_target;
use std::path::{Path, PathBuf};
use world::{CHANGES, World};

fuzz_target!(|data: &[u8]| {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    let root = root.canonicalize().expect("the repository's folder");
    let compiler = std::env::var_os("SIMPLE_UNDER_TEST");
    let compiler = compiler.map_or_else(|| root.join("target/release/simple"), PathBuf::from);
    let mut world = World::new("fuzz", &compiler, &root.join("lib"));
    let mut made = Vec::new();
    for bytes in data.chunks_exact(2) {
        let change = &CHANGES[usize::from(bytes[0]) % CHANGES.len()];
        world.change(change, bytes[1].into());
        made.push((change.what, bytes[1]));
        let (cached, compiled) = (world.run(true), world.run(false));
        assert_eq!(cached.did(), compiled.did(), "after {made:?}");
    }
});
