//! Modules that are read when something asks for a name of theirs: `@late` above a `use` in a module of the library.
//!
//! `@late(T)` is for one with methods of `T`. `lib/torch` has hundreds of functions and methods of which a program uses
//! a few. A module that is imported late costs nothing until a name is asked for that nobody has so far: a name that
//! the importing module hands on, or a method of a type of the library. Then the module's text is read, and it is
//! parsed if it mentions that name. `use m.*` of a program does not bring such names, so they hide none of the built-in
//! ones. Leaves out `use` in functions and modules of programs, where the annotation has no effect. Next: `modules.rs`
//! and `methods.rs`, which ask.

use crate::checker::Checker;
use crate::decls::{DeclIdx, ModIdx};
use crate::listed::Reading;
use crate::loader::{LoadedSource, ModuleRequest};
use crate::state::Reporting;
use simple_syntax::Symbol;
use simple_syntax::ast::{ExprKind, Item, UseDecl, UseWhat};

/// The annotation that says so.
const LATE: &str = "late";

/// What the language itself asks of every type, which no module that is read late has.
const PROBED: &[&str] = &[
    "call",
    "compare",
    "drop",
    "eq",
    "equal",
    "forward",
    "hash",
    "init",
    "iter",
    "len",
    "to_string",
];

/// An import that waits.
pub(crate) struct Late<'a> {
    module: ModIdx,
    item: &'a Item,
    decl: &'a UseDecl,
    public: bool,
    /// The file, once it was read for its names.
    source: Option<LoadedSource>,
}

impl<'a> Checker<'a> {
    /// Keeps an import of the library that is read late; false for every other one.
    pub(crate) fn keep_late(
        &mut self,
        module: ModIdx,
        item: &'a Item,
        decl: &'a UseDecl,
        public: bool,
    ) -> bool {
        let late = item
            .annotations
            .iter()
            .any(|a| a.name.name.as_str() == LATE);
        if !late || !self.modules()[module].library || matches!(decl.what, UseWhat::Names(_)) {
            return false;
        }
        self.modules_mut().late_mut().push(Late {
            module,
            item,
            decl,
            public,
            source: None,
        });
        true
    }

    /// Reads what `module` imports late and mentions `name`; whether there was anything.
    pub(crate) fn read_late(&mut self, module: ModIdx, name: Symbol) -> bool {
        let of = |late: &Late<'a>| late.module == module && late.public;
        self.read_late_if(of, |late, text| match &late.decl.what {
            // The module itself.
            UseWhat::Path(rename) => {
                let own = rename.or(late.decl.segments.last().copied());
                own.is_some_and(|own| own.name == name)
            }
            _ => mentions(text, name.as_str()),
        })
    }

    /// Reads what is imported late for a type, `@late(Tensor)`, and has a method of this name; whether there was
    /// anything.
    pub(crate) fn read_late_method(&mut self, decl: DeclIdx, name: Symbol) -> bool {
        if self.modules_mut().late_mut().is_empty() || PROBED.contains(&name.as_str()) {
            return false;
        }
        let info = &self.decls()[decl];
        if !self.modules()[info.module].library {
            return false;
        }
        let of_type = info.name.name;
        let of = |late: &Late<'a>| {
            let mut annotations = late.item.annotations.iter();
            let args = annotations
                .find(|a| a.name.name.as_str() == LATE)
                .map(|a| &a.args);
            args.and_then(|args| args.first()).is_some_and(
                |(_, arg)| matches!(&arg.kind, ExprKind::Name(name) if name.name == of_type),
            )
        };
        self.read_late_if(of, |_, text| declares(text, "fn ", name.as_str()))
    }

    /// Reads those of the imports `of` something whose text is wanted.
    fn read_late_if(
        &mut self,
        of: impl Fn(&Late<'a>) -> bool,
        wanted: impl Fn(&Late<'a>, &str) -> bool,
    ) -> bool {
        if !self.modules_mut().late_mut().iter().any(&of) {
            return false;
        }
        let waiting = std::mem::take(self.modules_mut().late_mut());
        let (mut found, mut rest) = (Vec::new(), Vec::new());
        for mut late in waiting {
            if of(&late) && late.source.is_none() {
                late.source = self.late_source(&late);
            }
            match &late.source {
                _ if !of(&late) => rest.push(late),
                Some(source) if !wanted(&late, &source.text) => rest.push(late),
                _ => found.push(late),
            }
        }
        *self.modules_mut().late_mut() = rest;
        let any = !found.is_empty();
        for late in found {
            self.once(|cx| cx.import_late(late));
        }
        // Before that a trait that an impl names may not be imported yet; who asked for the modules does it then.
        if any && !self.modules().are_imports_open() {
            self.register_impls();
        }
        any
    }

    /// Does something for a message: what is imported late by modules that it reads gives the program nothing.
    pub(crate) fn apart_from_late<R>(&mut self, read: impl FnOnce(&mut Self) -> R) -> R {
        let before = self.modules_mut().late_mut().len();
        let result = read(self);
        self.modules_mut().late_mut().truncate(before);
        result
    }

    fn import_late(&mut self, late: Late<'a>) {
        if let Some(source) = late.source {
            self.add_module(source, Reading::Lists);
        }
        // A file that cannot be read is reported here.
        for (name, import) in self.read_use(late.module, late.decl, late.public, late.item.span) {
            self.add_import(late.module, name, import);
        }
    }

    /// The text of the module that an import names; nothing where it cannot be read.
    fn late_source(&self, late: &Late<'a>) -> Option<LoadedSource> {
        let segments: Vec<&str> = late.decl.segments.iter().map(|s| s.name.as_str()).collect();
        let importer = self.modules()[late.module].path.clone();
        let found = self.input().loader().find(ModuleRequest {
            importer: &importer,
            dots: late.decl.dots,
            segments: &segments,
        })?;
        let text = self.input().loader().read(&found.path).ok()?;
        Some(LoadedSource {
            text,
            path: found.path,
            library: found.library,
        })
    }
}

/// Whether a text declares or exports something of this name.
fn mentions(text: &str, name: &str) -> bool {
    // Imports are in front of declarations.
    let head = text.find("\npub fn ").unwrap_or(text.len());
    declares(text, "fn ", name) || declares(text, "val ", name) || occurs(&text[..head], name)
}

/// Whether a text declares a name after this word.
fn declares(text: &str, word: &str, name: &str) -> bool {
    let wanted = format!("{word}{name}");
    occurs(text, &wanted)
}

/// Whether a text has these words, with no letter before or after them that belongs to a name.
fn occurs(text: &str, wanted: &str) -> bool {
    let in_name = |byte: Option<&u8>| {
        byte.is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_' || *b == b'.')
    };
    let bytes = text.as_bytes();
    text.match_indices(wanted).any(|(at, _)| {
        let before = at.checked_sub(1).and_then(|at| bytes.get(at));
        !in_name(before) && !in_name(bytes.get(at + wanted.len()))
    })
}
