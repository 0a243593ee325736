//! Any text: parsing, dumping and dropping must not panic, and every place reported must be in the text.
#![no_main]

use libfuzzer_sys::fuzz_target;
use simple_syntax::{FileId, ast, parse};

fuzz_target!(|data: &[u8]| {
    let Ok(source) = std::str::from_utf8(data) else { return };
    let (module, diagnostics) = parse(FileId(0), source);
    ast::dump(&module);
    for report in &diagnostics {
        let (lo, hi) = (report.span.lo as usize, report.span.hi as usize);
        assert!(source.get(lo..hi).is_some(), "{report:?}");
    }
});
