//! Any text: checking it against the library must not panic, every place reported must be in its file, every report must
//! render, and what checks without errors must compile.
#![no_main]

use libfuzzer_sys::fuzz_target;
use simple_bridge::dl_config::Overrides;
use simple_cli::session::{CompileFailure, Session};
use simple_sema::loader::LoadedSource;
use simple_syntax::Severity;
use std::path::Path;

thread_local! {
    static SESSION: Session = {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
        Session::with_library(root.join("lib"), Path::new("/nonexistent"), Overrides::default())
    };
}

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    // Top-level `use` reads files beside the program; there are none.
    let root = LoadedSource {
        path: "/nonexistent/main.spl".to_string(),
        text: text.to_string(),
        library: false,
    };
    SESSION.with(|session| {
        let checked = session.check(root);
        for report in &checked.diagnostics {
            let source = &checked.sources.file(report.span.file).text;
            let (lo, hi) = (report.span.lo as usize, report.span.hi as usize);
            assert!(source.get(lo..hi).is_some(), "{report:?}");
        }
        let errors = checked
            .diagnostics
            .iter()
            .any(|report| report.severity == Severity::Error);
        assert_eq!(
            checked.program.is_none(),
            errors,
            "errors and a program, or neither"
        );
        if let Some(program) = &checked.program
            && let Err(CompileFailure::Internal(message)) = session.compile(program)
        {
            panic!("{message}");
        }
    });
});
