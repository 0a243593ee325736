//! Modules of the library that list foreign functions and nothing else, such as `lib/torch/ffi`: thousands of lines, of which a program
//! uses a few dozen. A line is parsed when something asks for its name.
//!
//! Leaves out a module that is checked as a whole, which is parsed like any other, and modules of a program, whose declarations are all
//! checked. Next: `modules.rs`, which asks, and `externs.rs`, which checks a declaration.

use crate::checker::Checker;
use crate::decls::ModIdx;
use simple_syntax::Symbol;
use simple_syntax::ast::StmtKind;
use std::ops::Range;

impl<'a> Checker<'a> {
    /// Enters the function of this name, if `module` lists it and nothing has asked for it before.
    pub(crate) fn read_listed(&mut self, module: ModIdx, name: Symbol) {
        let Some(line) = self.listed_line(module, name) else {
            return;
        };
        let file = self.modules[module.at()].tree.span.file;
        let (tree, problems) = simple_syntax::parse_part(file, &self.sources.file(file).text, line);
        for problem in problems {
            self.report(problem);
        }
        let tree = self.arena.keep(tree);
        for stmt in &tree.stmts {
            if let StmtKind::Item(item) = &stmt.kind {
                self.collect_item(module, 0, item, &mut None);
            }
        }
    }

    /// Whether `module` lists a function of this name that nothing has asked for; it is not parsed for that.
    pub(crate) fn lists(&self, module: ModIdx, name: Symbol) -> bool {
        self.listed_line(module, name).is_some()
    }

    fn listed_line(&self, module: ModIdx, name: Symbol) -> Option<Range<u32>> {
        let info = &self.modules[module.at()];
        let listed = info.listed.as_ref()?;
        if info.names.contains_key(&name) {
            return None;
        }
        let text = &self.sources.file(info.tree.span.file).text;
        let line = listed.find(text, name.as_str())?;
        // A text of 4 GiB or more is not loaded.
        Some(line.start as u32..line.end as u32)
    }

    /// The names of all functions that `module` lists.
    pub(crate) fn listed_names(&self, module: ModIdx) -> impl Iterator<Item = &str> {
        let info = &self.modules[module.at()];
        let text = &self.sources.file(info.tree.span.file).text;
        info.listed.iter().flat_map(|lines| lines.names(text))
    }
}
