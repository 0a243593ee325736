//! Modules that are read when something asks for a name of theirs: `@late` above a `use` in a module of the library.
//!
//! `@late(T)` is for one with methods of `T`, a type that is told by its name alone. `lib/torch` has hundreds of
//! functions and methods of which a program uses a few. A module that is imported late costs nothing until a name is
//! asked for that nobody has so far: a name that the importing module exports, or a method of a type of the library.
//! Then the module's text is read, and it is parsed if it declares or exports that name. `use m.*` of a program does
//! not bring such names, so they hide none of the built-in ones. Leaves out `use` in functions and modules of
//! programs, where the annotation has no effect. Next: `modules.rs` and `methods.rs`, which ask.

use crate::asked::annotation;
use crate::checker::Checker;
use crate::decls::{DeclIdx, ModIdx};
use crate::listed::Reading;
use crate::loader::{LoadedSource, ModuleRequest};
use crate::state::Reporting;
use rustc_hash::FxHashSet;
use simple_syntax::ast::{ExprKind, Ident, Item, UseDecl, UseWhat};
use simple_syntax::{Span, Symbol};

/// The annotation that says so.
const LATE: &str = "late";

/// What the language itself asks of every type. No file is read for it: a module that is read late has none of these.
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

/// Words before the name in a declaration.
const DECLARING: &[&str] = &[
    "fn", "val", "var", "const", "class", "struct", "enum", "trait", "type",
];

/// An import that waits.
pub(crate) struct Late<'a> {
    module: ModIdx,
    decl: &'a UseDecl,
    public: bool,
    span: Span,
    /// The name of the type that it has methods of, in `@late(T)`.
    of_type: Option<Symbol>,
    /// The file, once something asked for its names.
    read: Option<Read>,
}

/// The file of a module that is not a part of the program yet.
struct Read {
    source: LoadedSource,
    /// What it declares or exports.
    names: FxHashSet<Symbol>,
    /// What others may import of it, for hints.
    exported: Vec<Symbol>,
    /// Its methods, for hints.
    methods: Vec<Symbol>,
}

impl Read {
    fn of(source: LoadedSource) -> Self {
        let mut read = Read {
            names: FxHashSet::default(),
            exported: Vec::new(),
            methods: Vec::new(),
            source,
        };
        let (mut listed, mut declared) = (Vec::new(), Vec::new());
        for line in read.source.text.lines() {
            let inner = line.trim_start();
            let words = inner.split(|c: char| !c.is_alphanumeric() && c != '_');
            let mut words = words.filter(|word| !word.is_empty());
            if inner.starts_with("export ") {
                listed.extend(words.skip(1).map(Symbol::intern));
            } else if inner.starts_with(|c: char| c.is_ascii_lowercase())
                && words.any(|word| DECLARING.contains(&word))
                && let Some(name) = words.next()
            {
                let list = match inner.len() == line.len() {
                    true => &mut declared,
                    false => &mut read.methods,
                };
                list.push(Symbol::intern(name));
            }
        }
        read.names.extend(listed.iter().chain(&declared));
        read.names.extend(&read.methods);
        read.exported = match listed.is_empty() {
            true => declared,
            false => listed,
        };
        read
    }
}

/// The names that an import gives to what it names.
fn named(names: &[(Ident, Option<Ident>)]) -> impl Iterator<Item = Symbol> {
    names
        .iter()
        .map(|(name, rename)| rename.unwrap_or(*name).name)
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
        let Some(annotation) = annotation(item, LATE) else {
            return false;
        };
        // Nothing asks the module itself for a name that it imports for its own use.
        let is_private_list = matches!(decl.what, UseWhat::Names(_)) && !public;
        if !self.modules()[module].library || is_private_list {
            return false;
        }
        let of_type = annotation
            .args
            .first()
            .and_then(|(_, arg)| match &arg.kind {
                ExprKind::Name(name) => Some(name.name),
                _ => None,
            });
        self.modules_mut().late_mut().push(Late {
            module,
            decl,
            public,
            span: item.span,
            of_type,
            read: None,
        });
        true
    }

    /// Reads what `module` imports late under `name`, or from a module that has it; whether there was anything.
    pub(crate) fn read_late(&mut self, module: ModIdx, name: Symbol) -> bool {
        self.read_late_if(|late| late.module == module && late.public, name)
    }

    /// Reads what is imported late for a type, `@late(Tensor)`, and has a method of this name; whether there was
    /// anything.
    pub(crate) fn read_late_method(&mut self, decl: DeclIdx, name: Symbol) -> bool {
        if self.modules_mut().late_mut().is_empty() || PROBED.contains(&name.as_str()) {
            return false;
        }
        let info = &self.decls()[decl];
        let of_type = Some(info.name.name);
        self.modules()[info.module].library
            && self.read_late_if(|late| late.of_type == of_type, name)
    }

    /// Reads those of some imports that have a name.
    fn read_late_if(&mut self, of: impl Fn(&Late<'a>) -> bool, name: Symbol) -> bool {
        if !self.modules_mut().late_mut().iter().any(&of) {
            return false;
        }
        let waiting = std::mem::take(self.modules_mut().late_mut());
        let (mut found, mut rest) = (Vec::new(), Vec::new());
        for mut late in waiting {
            match of(&late) && self.has_name(&mut late, name) {
                true => found.push(late),
                false => rest.push(late),
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

    /// Whether an import brings a name. One that cannot be read is taken to, so that it is reported.
    fn has_name(&self, late: &mut Late<'a>, name: Symbol) -> bool {
        if let UseWhat::Path(rename) = &late.decl.what
            && late.of_type.is_none()
        {
            // The module itself.
            let own = rename.or(late.decl.segments.last().copied());
            return own.is_some_and(|own| own.name == name);
        }
        if let UseWhat::Names(names) = &late.decl.what
            && late.of_type.is_none()
        {
            return named(names).any(|own| own == name);
        }
        if late.read.is_none() {
            late.read = self.late_source(late).map(Read::of);
        }
        let read = late.read.as_ref();
        read.is_none_or(|read| read.names.contains(&name))
    }

    /// What `module` would export if what it imports late were read, for hints.
    pub(crate) fn late_exports(&mut self, module: ModIdx) -> Vec<Symbol> {
        self.late_names(
            |late| late.module == module && late.public,
            |late, read| match (&late.decl.what, read) {
                (UseWhat::Path(rename), _) => {
                    let own = rename.or(late.decl.segments.last().copied());
                    own.into_iter().map(|own| own.name).collect()
                }
                (UseWhat::Names(names), _) => named(names).collect(),
                (_, Some(read)) => read.exported.clone(),
                (_, None) => Vec::new(),
            },
        )
    }

    /// The methods that a type has where they are asked for, in modules that are imported late, for hints.
    pub(crate) fn late_methods(&mut self, decl: DeclIdx) -> Vec<Symbol> {
        let of_type = Some(self.decls()[decl].name.name);
        self.late_names(
            |late| late.of_type == of_type,
            |_, read| read.map_or_else(Vec::new, |read| read.methods.clone()),
        )
    }

    fn late_names(
        &mut self,
        of: impl Fn(&Late<'a>) -> bool,
        names: impl Fn(&Late<'a>, Option<&Read>) -> Vec<Symbol>,
    ) -> Vec<Symbol> {
        let mut waiting = std::mem::take(self.modules_mut().late_mut());
        let mut found = Vec::new();
        for late in waiting.iter_mut().filter(|late| of(late)) {
            if late.read.is_none() {
                late.read = self.late_source(late).map(Read::of);
            }
            found.extend(names(late, late.read.as_ref()));
        }
        *self.modules_mut().late_mut() = waiting;
        found
    }

    /// Does something for a message: what is imported late by modules that it reads gives the program nothing.
    pub(crate) fn apart_from_late<R>(&mut self, read: impl FnOnce(&mut Self) -> R) -> R {
        let waiting = self.modules_mut().late_mut().iter();
        let before: Vec<Span> = waiting.map(|late| late.span).collect();
        let result = read(self);
        let waiting = self.modules_mut().late_mut();
        waiting.retain(|late| before.contains(&late.span));
        result
    }

    fn import_late(&mut self, late: Late<'a>) {
        if let Some(read) = late.read {
            self.add_module(read.source, Reading::Lists);
        }
        // A file that cannot be read is reported here.
        for (name, import) in self.read_use(late.module, late.decl, late.public, late.span) {
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
