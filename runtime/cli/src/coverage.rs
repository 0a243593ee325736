//! Counts the lines of a program that is run for `simple test --coverage`, and leaves the counts in its records.
//!
//! Spec files themselves are left out. `spec/coverage.rs` adds up what several programs have left.

use crate::loader;
use crate::session::Session;
use simple_core::externs::spec;
use simple_middle::lower::coverable;
use simple_middle::mir;
use simple_sema::loader::LoadedSource;
use simple_sema::typed::Program;
use std::collections::BTreeMap;
use std::path::Path;

/// What counts for a spec file: modules of the program; for one in the library's folder those of the library too.
pub fn coverage_of(session: &Session, root: &LoadedSource) -> mir::Coverage {
    let file = loader::absolute(Path::new(&root.path));
    match file.starts_with(session.surroundings().library()) {
        true => mir::Coverage::All,
        false => mir::Coverage::Program,
    }
}

/// Has the counts of a program recorded when it ends.
pub fn record_coverage(program: &Program, root: &str, covered: mir::Coverage) {
    if covered == mir::Coverage::No {
        return;
    }
    let sources = program.sources.clone();
    let mut files: BTreeMap<_, Vec<u32>> = BTreeMap::new();
    for (file, line) in coverable(program, covered) {
        files.entry(file).or_default().push(line);
    }
    // Of the library only what is beside the spec file.
    let folder = loader::absolute(&loader::parent(Path::new(root)));
    simple_core::io::at_end(move || {
        for (id, lines) in &files {
            let file = sources.file(*id);
            let path = loader::absolute(Path::new(&file.path));
            let beside = path.starts_with(&folder);
            if !loader::is_spec(&path) && (!file.library || beside) {
                let count = |line: &u32| (*line, simple_core::coverage::count(id.0, *line));
                spec::covered(&path.display().to_string(), lines.iter().map(count));
            }
        }
        true
    });
}
