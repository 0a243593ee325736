//! Any bytes: the well-typed program that they say does the same unoptimized, optimized and cut into parts, and leaves nothing alive.
#![no_main]

#[path = "../../tests/differential/compare.rs"]
mod compare;
#[path = "../../tests/differential/generate/mod.rs"]
#[allow(dead_code, reason = "seeds are for runs without a fuzzer")]
mod generate;

use libfuzzer_sys::fuzz_target;
use simple_bridge::dl_config::Overrides;
use simple_cli::session::Session;
use std::path::Path;

thread_local! {
    static SESSION: Session = {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
        Session::with_library(root.join("lib"), Path::new("/nonexistent"), Overrides::default())
    };
}

fuzz_target!(|data: &[u8]| {
    let text = generate::program(data);
    SESSION.with(|session| match compare::behaviours(session, &text) {
        Ok(found) => {
            for other in &found[1..] {
                assert_eq!(found[0], *other, "{text}");
            }
            assert!(found[0].leaks.is_empty(), "{:?}\n{text}", found[0].leaks);
        }
        Err(said) => panic!("{said}\n{text}"),
    });
});
