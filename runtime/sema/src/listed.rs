//! Modules that list foreign functions: `lib/torch/ffi` with thousands, and bindings of a program, of which it uses a few. A declaration is
//! parsed and checked when something asks for its name.
//!
//! Of the library those are left unread that list functions and nothing else. Of a program that is run ([`CheckOptions::only_used`]), those of
//! every module that is imported, whatever else is in it; `simple check` reads all of it. Leaves out the program's file itself. Next:
//! `modules.rs`, which asks, and `externs.rs`, which checks a declaration.
//!
//! [`CheckOptions::only_used`]: crate::CheckOptions::only_used

use crate::checker::Checker;
use crate::decls::ModIdx;
use crate::state::Reporting;
use simple_ffi_abi::lines::Lines;
use simple_syntax::ast::{ItemKind, Module, StmtKind};
use simple_syntax::{Diagnostic, FileId, Symbol};
use std::ops::Range;

/// How much of a module is read at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Reading {
    /// Everything.
    Whole,
    /// Everything, or nothing of a module that lists functions and nothing else.
    Lists,
    /// Everything but the functions that it lists.
    Used,
}

/// Parses a module, and finds the functions that it lists, which are not in the tree.
pub(crate) fn read(
    file: FileId,
    text: &str,
    reading: Reading,
) -> (Module, Vec<Diagnostic>, Option<Lines>) {
    let apart = match reading {
        Reading::Whole => None,
        Reading::Lists => Lines::only(text).map(|lines| (lines, Vec::new())),
        Reading::Used => Lines::apart(text),
    };
    if let Some((lines, rest)) = apart {
        let (tree, problems) = simple_syntax::parse_parts(file, text, &rest);
        // Mistakes show that a part goes on.
        if reading == Reading::Lists || problems.is_empty() && !names_library(&tree) {
            return (tree, problems, Some(lines));
        }
    }
    let (tree, problems) = simple_syntax::parse(file, text);
    (tree, problems, None)
}

/// Whether the module names a library for all functions after that.
fn names_library(tree: &Module) -> bool {
    let names = |kind: &StmtKind| matches!(kind, StmtKind::Item(item) if matches!(item.kind, ItemKind::Mod(_)));
    tree.stmts.iter().any(|stmt| names(&stmt.kind))
}

impl<'a> Checker<'a> {
    /// Enters the function of this name, if `module` lists it and nothing has asked for it before.
    pub(crate) fn read_listed(&mut self, module: ModIdx, name: Symbol) {
        if let Some(line) = self.listed_line(module, name) {
            self.once(|cx| cx.read_line(module, line));
        }
    }

    /// Enters the functions that `module` lists by names that it gives to something else too, which is reported.
    pub(crate) fn read_listed_twice(&mut self, module: ModIdx) {
        let info = &self.modules()[module];
        let Some(listed) = &info.listed else {
            return;
        };
        let text = &self.input().sources().file(info.tree.span.file).text;
        let names = info.names.keys();
        let mut lines: Vec<Range<usize>> = names
            .filter_map(|name| listed.find(text, name.as_str()))
            .collect();
        lines.sort_by_key(|line| line.start);
        for line in lines {
            self.read_line(module, line.start as u32..line.end as u32);
        }
    }

    fn read_line(&mut self, module: ModIdx, line: Range<u32>) {
        let file = self.modules()[module].tree.span.file;
        let (tree, problems) =
            simple_syntax::parse_part(file, &self.input().sources().file(file).text, line);
        for problem in problems {
            self.report(problem);
        }
        let broken = tree.broken.iter().map(|name| name.as_str());
        self.reports_mut().add_broken(broken);
        let tree = self.input().keep(tree);
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
        let info = &self.modules()[module];
        let listed = info.listed.as_ref()?;
        if info.names.contains_key(&name) {
            return None;
        }
        let text = &self.input().sources().file(info.tree.span.file).text;
        let line = listed.find(text, name.as_str())?;
        // A text of 4 GiB or more is not loaded.
        Some(line.start as u32..line.end as u32)
    }

    /// The names of all functions that `module` lists.
    pub(crate) fn listed_names(&self, module: ModIdx) -> impl Iterator<Item = &str> {
        let info = &self.modules()[module];
        let text = &self.input().sources().file(info.tree.span.file).text;
        info.listed.iter().flat_map(|lines| lines.names(text))
    }
}
