//! Modules: loading them, what a name means in one, and what one gives to others (`doc/language/modules.md`).
//!
//! Loading is transitive and happens before anything is checked; only core modules and `use` inside a function come
//! later. Leaves out where files are, which the loader decides. Next: `collect.rs`, which reads declarations.

use crate::body::is_builtin_function;
use crate::checker::Checker;
use crate::codes;
use crate::decls::{AliasInfo, Def, Import, ModIdx, Target};
use crate::listed::{Reading, read};
use crate::loader::{LoadedSource, ModuleRequest};
use crate::state::{Add, Reporting};
use crate::typed::TyId;
use crate::types::builtin_scalar;
use simple_spelling::nearest;
use simple_syntax::ast::{self, Ident, UseDecl, UseWhat};
use simple_syntax::{Diagnostic, Span, Symbol};
use std::rc::Rc;

/// What a module has under a name, seen from outside.
pub(crate) enum Exported {
    Found(Def),
    Private,
    Missing,
}

/// How many re-exports a name may pass through.
const MAX_HOPS: u32 = 64;

impl<'a> Checker<'a> {
    /// Loads the module that `request` names, with everything it imports; `Ok(None)` when there is none.
    pub(crate) fn load(&mut self, request: ModuleRequest<'_>) -> Result<Option<ModIdx>, String> {
        // What is found depends on the importer's folder, and not even on that for the library's and the project's own paths.
        let folder = match request.segments.first() {
            Some(&("std" | "lib")) if request.dots == 0 => "",
            _ => request
                .importer
                .rsplit_once('/')
                .map_or("", |(folder, _)| folder),
        };
        let key = format!("{folder}\0{}\0{}", request.dots, request.segments.join("."));
        if let Some(known) = self.modules().answer(&key) {
            return Ok(known);
        }
        let found = match self.input().loader().find(request) {
            Some(found) => Some(match self.modules().at_path(&found.path) {
                Some(known) => known,
                None => {
                    let text = self.input().loader().read(&found.path)?;
                    let reading = match found.library {
                        true => Reading::Lists,
                        false => self.input().reading(),
                    };
                    let source = LoadedSource {
                        text,
                        path: found.path,
                        library: found.library,
                    };
                    self.add_module(source, reading)
                }
            }),
            None => None,
        };
        self.modules_mut().keep_answer(key, found);
        Ok(found)
    }

    /// The module of a text, parsed and collected once per path.
    pub(crate) fn add_module(&mut self, source: LoadedSource, reading: Reading) -> ModIdx {
        if let Some(known) = self.modules().at_path(&source.path) {
            return known;
        }
        self.once(|cx| cx.read_module(source, reading))
    }

    fn read_module(&mut self, source: LoadedSource, reading: Reading) -> ModIdx {
        let file = self
            .input_mut()
            .sources_mut()
            .add(source.path.clone(), source.text);
        if source.library {
            self.input_mut().sources_mut().mark_library(file);
        }
        let (tree, problems, listed) = read(file, &self.input().sources().file(file).text, reading);
        for problem in problems {
            self.report(problem);
        }
        let library = source.library || self.input().session().has_run(&source.path);
        let module = self.add_tree(source.path, library, tree);
        self.modules_mut()[module].listed = listed;
        self.read_listed_twice(module);
        let tree = self.tree(module);
        self.load_imports(module, tree);
        self.modules_mut().append_init(module);
        module
    }

    /// Enters a parsed text as a module; its imports and its place in the order of initialization are the caller's work.
    pub(crate) fn add_tree(&mut self, path: String, library: bool, tree: ast::Module) -> ModIdx {
        let tree = self.input().keep(tree);
        self.reports_mut()
            .add_broken(tree.broken.iter().map(|name| name.as_str()));
        let module = self.collect_module(path.clone(), library, tree);
        self.modules_mut().enter_path(path, module);
        module
    }

    pub(crate) fn load_imports(&mut self, module: ModIdx, tree: &'a ast::Module) {
        self.modules_mut().begin_imports();
        for stmt in &tree.stmts {
            let ast::StmtKind::Item(item) = &stmt.kind else {
                continue;
            };
            match &item.kind {
                ast::ItemKind::Use(decl) if self.keep_late(module, item, decl, item.public) => {}
                ast::ItemKind::Export(ast::ExportDecl::Use(decl))
                    if self.keep_late(module, item, decl, true) => {}
                ast::ItemKind::Use(decl) => {
                    for (name, import) in self.read_use(module, decl, item.public, item.span) {
                        self.add_import(module, name, import);
                    }
                }
                ast::ItemKind::Export(ast::ExportDecl::Use(decl)) => {
                    for (name, import) in self.read_use(module, decl, true, item.span) {
                        self.add_import(module, name, import);
                    }
                }
                _ => {}
            }
        }
        self.modules_mut().end_imports();
    }

    pub(crate) fn add_import(&mut self, module: ModIdx, name: Symbol, import: Import) {
        let known = self.modules()[module].imports.get(&name).copied();
        if let Some(known) = known {
            let same = match (known.target, import.target) {
                (Target::Module(a), Target::Module(b)) => a == b,
                (Target::Item(a, x), Target::Item(b, y)) => a == b && x == y,
                (Target::Broken, _) | (_, Target::Broken) => true,
                _ => false,
            };
            if !same {
                let mut d = Diagnostic::error(
                    codes::IMPORT_CLASH,
                    import.span,
                    format!("`{name}` is imported twice, from different modules"),
                )
                .help(format!(
                    "give one of them another name: `{{{name} as other}}`"
                ));
                d.related.push((known.span, "first imported here".into()));
                self.report(d);
                return;
            }
            if known.public {
                return;
            }
        }
        self.modules_mut()[module].imports.insert(name, import);
    }

    /// What a `use` binds; glob imports go into the module directly.
    pub(crate) fn read_use(
        &mut self,
        module: ModIdx,
        decl: &UseDecl,
        public: bool,
        span: Span,
    ) -> Vec<(Symbol, Import)> {
        let mut bound = Vec::new();
        match &decl.what {
            UseWhat::Path(rename) => {
                let Some(last) = decl.segments.last().copied() else {
                    return bound;
                };
                let target = self.path_target(module, decl, last);
                let name = rename.unwrap_or(last);
                bound.push((
                    name.name,
                    Import {
                        target,
                        span: name.span,
                        public,
                    },
                ));
            }
            UseWhat::Names(names) => {
                let from = self.require_module(module, decl.dots, &decl.segments, span);
                for (name, rename) in names {
                    let target = match from {
                        Some(from) => self.item_or_submodule(module, from, decl, *name),
                        None => Target::Broken,
                    };
                    let bind = rename.unwrap_or(*name);
                    bound.push((
                        bind.name,
                        Import {
                            target,
                            span: name.span,
                            public,
                        },
                    ));
                }
            }
            UseWhat::All => {
                if let Some(from) = self.require_module(module, decl.dots, &decl.segments, span)
                    && from != module
                {
                    self.modules_mut()[module].globs.push((from, public));
                }
            }
        }
        bound
    }

    /// `use a.b.{x}`: an item, or else the module `a.b.x`.
    fn item_or_submodule(
        &mut self,
        module: ModIdx,
        from: ModIdx,
        decl: &UseDecl,
        name: Ident,
    ) -> Target {
        if !self.lists(from, name.name)
            && matches!(self.exported(from, name.name, 0), Exported::Missing)
            && !decl.segments.is_empty()
        {
            let mut segments: Vec<Ident> = decl.segments.clone();
            segments.push(name);
            if let Ok(Some(found)) = self.try_module(module, decl.dots, &segments) {
                return Target::Module(found);
            }
        }
        Target::Item(from, name.name)
    }

    /// `use a.b.x`: an item of `a.b` if that has one, else the module `a.b.x`.
    fn path_target(&mut self, module: ModIdx, decl: &UseDecl, last: Ident) -> Target {
        let parent = &decl.segments[..decl.segments.len() - 1];
        let mut holder = None;
        if !parent.is_empty() {
            holder = self.try_module(module, decl.dots, parent).unwrap_or(None);
            if let Some(holder) = holder
                && matches!(self.exported(holder, last.name, 0), Exported::Found(_))
            {
                return Target::Item(holder, last.name);
            }
        }
        match self.try_module(module, decl.dots, &decl.segments) {
            Ok(Some(found)) => Target::Module(found),
            Ok(None) => match holder {
                Some(holder) => Target::Item(holder, last.name),
                None => {
                    self.missing_module(module, decl.dots, &decl.segments, last.span);
                    Target::Broken
                }
            },
            Err(reason) => {
                self.unreadable(last.span, &decl.segments, &reason);
                Target::Broken
            }
        }
    }

    fn try_module(
        &mut self,
        module: ModIdx,
        dots: u32,
        segments: &[Ident],
    ) -> Result<Option<ModIdx>, String> {
        let importer = self.modules()[module].path.clone();
        let names: Vec<&str> = segments.iter().map(|s| s.name.as_str()).collect();
        self.load(ModuleRequest {
            importer: &importer,
            dots,
            segments: &names,
        })
    }

    fn require_module(
        &mut self,
        module: ModIdx,
        dots: u32,
        segments: &[Ident],
        span: Span,
    ) -> Option<ModIdx> {
        let place = match (segments.first(), segments.last()) {
            (Some(first), Some(last)) => first.span.to(last.span),
            _ => span,
        };
        match self.try_module(module, dots, segments) {
            Ok(Some(found)) => Some(found),
            Ok(None) => {
                self.missing_module(module, dots, segments, place);
                None
            }
            Err(reason) => {
                self.unreadable(place, segments, &reason);
                None
            }
        }
    }

    fn unreadable(&mut self, span: Span, segments: &[Ident], reason: &str) {
        let message = format!("cannot read the module `{}`: {reason}", dotted(0, segments));
        self.error(codes::LOAD_FAILED, span, message);
    }

    fn missing_module(&mut self, module: ModIdx, dots: u32, segments: &[Ident], span: Span) {
        let importer = self.modules()[module].path.clone();
        let names: Vec<&str> = segments.iter().map(|s| s.name.as_str()).collect();
        let request = ModuleRequest {
            importer: &importer,
            dots,
            segments: &names,
        };
        let written = dotted(dots, segments);
        let mut d = Diagnostic::error(
            codes::UNKNOWN_MODULE,
            span,
            format!("there is no module `{written}`"),
        );
        let searched = self.input().loader().searched(request);
        if !searched.is_empty() {
            d = d.note(format!(
                "searched {}; or in the same places a folder with a `mod.spl`",
                searched.join(", ")
            ));
        }
        let candidates = self.input().loader().candidates(request);
        if let Some(near) = nearest(&written, candidates.iter().map(String::as_str)) {
            d = d.help(format!("did you mean `{near}`?"));
        }
        self.report(d);
    }

    /// What `name` means at the top level of `module`, the prelude excluded.
    pub(crate) fn lookup(&mut self, module: ModIdx, name: Symbol) -> Option<Def> {
        if let Some(known) = self.modules().found(module, name) {
            return known;
        }
        let found = self
            .lookup_uncached(module, name)
            .map(|def| self.follow(def, 0));
        self.modules_mut().keep_found(module, name, found);
        found
    }

    /// The same followed by the prelude.
    pub(crate) fn lookup_visible(&mut self, module: ModIdx, name: Symbol) -> Option<Def> {
        if let Some(def) = self.lookup(module, name) {
            return Some(def);
        }
        if let Some(def) = self.spec_word(module, name) {
            return Some(self.follow(def, 0));
        }
        self.in_prelude(module, name).map(|def| self.follow(def, 0))
    }

    /// What `name` means in the prelude, for any other module.
    fn in_prelude(&mut self, module: ModIdx, name: Symbol) -> Option<Def> {
        match self.prelude() {
            Some(prelude) if prelude != module => match self.exported(prelude, name, 0) {
                Exported::Found(def) => Some(def),
                _ => None,
            },
            _ => None,
        }
    }

    fn lookup_uncached(&mut self, module: ModIdx, name: Symbol) -> Option<Def> {
        let mut next = Some(module);
        while let Some(module) = next {
            self.read_listed(module, name);
            let info = &self.modules()[module];
            if let Some(&(def, _)) = info.names.get(&name) {
                return Some(def);
            }
            next = info.before;
            if let Some(import) = info.imports.get(&name).copied() {
                return Some(self.target_def(import.target, 0).unwrap_or(Def::Broken));
            }
            let mut brought: Option<(ModIdx, Def)> = None;
            for (from, _) in info.globs.clone() {
                // What is imported late hides nothing.
                let Exported::Found(def) = self.exported_now(from, name, 0) else {
                    continue;
                };
                match brought {
                    None => brought = Some((from, def)),
                    Some((_, same)) if same == def => {}
                    Some((first, _)) => return Some(Def::Ambiguous(first, from)),
                }
            }
            if let Some((_, def)) = brought {
                return Some(def);
            }
        }
        None
    }

    /// Sees through `fn a = b` and `val A = SomeType`.
    pub(crate) fn follow(&mut self, def: Def, hops: u32) -> Def {
        if hops > MAX_HOPS {
            return Def::Broken;
        }
        match def {
            Def::FnAlias(idx) => {
                let (module, path) = self.decls()[idx];
                let mut found = self
                    .lookup_uncached(module, path.segments[0].name)
                    .or_else(|| self.in_prelude(module, path.segments[0].name));
                for segment in &path.segments[1..] {
                    found = match found {
                        Some(Def::Module(inner)) => {
                            match self.exported(inner, segment.name, hops) {
                                Exported::Found(def) => Some(def),
                                _ => None,
                            }
                        }
                        _ => None,
                    };
                }
                found.map_or(Def::Broken, |def| self.follow(def, hops + 1))
            }
            Def::Global(global) => {
                let info = &self.decls()[global];
                let group = &self.decls()[info.group];
                if let (Some(value), None, 1, false) =
                    (group.value, group.ty, group.globals.len(), info.mutable)
                    && let ast::ExprKind::Name(name) = &value.kind
                    && name.name != info.name.name
                {
                    let (module, name) = (group.module, name.name);
                    match self.lookup_uncached(module, name) {
                        Some(target) => {
                            if let target @ (Def::Type(_) | Def::Trait(_) | Def::Alias(_)) =
                                self.follow(target, hops + 1)
                            {
                                return target;
                            }
                        }
                        None => {
                            // `str`, `int` and `float` are functions too, and `val f = str` means that.
                            if !is_builtin_function(name.as_str())
                                && let Some(ty) = builtin_scalar(name.as_str())
                            {
                                return self.known_alias(module, ty);
                            }
                        }
                    }
                }
                def
            }
            _ => def,
        }
    }

    /// `val Num = i64`: another name of a built-in type.
    fn known_alias(&mut self, module: ModIdx, ty: TyId) -> Def {
        let idx = self.decls_mut().add(AliasInfo {
            module,
            generics: Rc::from([]),
            ty: None,
            active: false,
            known: Some(ty),
        });
        Def::Alias(idx)
    }

    fn target_def(&mut self, target: Target, hops: u32) -> Option<Def> {
        match target {
            Target::Module(module) => Some(Def::Module(module)),
            Target::Item(module, name) => match self.exported(module, name, hops) {
                Exported::Found(def) => Some(def),
                _ => None,
            },
            Target::Broken => Some(Def::Broken),
        }
    }

    /// What `module` exports under `name`, also what it imports late.
    pub(crate) fn exported(&mut self, module: ModIdx, name: Symbol, hops: u32) -> Exported {
        match self.exported_now(module, name, hops) {
            Exported::Missing if self.read_late(module, name) => self.exported(module, name, hops),
            found => found,
        }
    }

    /// What `module` exports under `name` by what is read of it.
    fn exported_now(&mut self, module: ModIdx, name: Symbol, hops: u32) -> Exported {
        if hops > MAX_HOPS {
            return Exported::Missing;
        }
        self.read_listed(module, name);
        let info = &self.modules()[module];
        if let Some(&(def, _)) = info.names.get(&name) {
            return if info.shows(name) {
                Exported::Found(def)
            } else {
                Exported::Private
            };
        }
        let listed = info.public.contains(&name);
        let import = info.imports.get(&name).copied();
        let globs = info.globs.clone();
        if let Some(import) = import {
            if !(import.public || listed) {
                return Exported::Private;
            }
            return match self.target_def(import.target, hops + 1) {
                Some(def) => Exported::Found(def),
                None => Exported::Missing,
            };
        }
        for (from, public) in globs {
            if (public || listed)
                && let Exported::Found(def) = self.exported_now(from, name, hops + 1)
            {
                return Exported::Found(def);
            }
        }
        Exported::Missing
    }

    /// Reports the use of a name that two imports of everything bring.
    pub(crate) fn ambiguous(&mut self, name: Ident, first: ModIdx, second: ModIdx) {
        let [a, b] = [first, second].map(|module| self.modules()[module].name.clone());
        let d = Diagnostic::error(
            codes::IMPORT_CLASH,
            name.span,
            format!(
                "both `{a}` and `{b}` have a `{}`, and all of both is imported",
                name.name
            ),
        )
        .help(format!(
            "say which one is meant: `use {a}.{{{}}}`",
            name.name
        ));
        self.report(d);
    }

    /// Every name that `module` exports, those that are read late included, for hints.
    pub(crate) fn all_exported_names(&mut self, module: ModIdx) -> Vec<&'static str> {
        let mut seen = Vec::new();
        let mut names = Vec::new();
        self.collect_exports(module, &mut seen, &mut names);
        for module in seen {
            let late = self.late_exports(module);
            names.extend(late.iter().map(|name| name.as_str()));
        }
        names.sort_unstable();
        names.dedup();
        names
    }

    /// Every name that `module` exports, apart from those that are read late.
    pub(crate) fn exported_names(&self, module: ModIdx) -> Vec<&'static str> {
        let mut names = Vec::new();
        self.collect_exports(module, &mut Vec::new(), &mut names);
        names.sort_unstable();
        names.dedup();
        names
    }

    /// Adds what a module exports to `names`, with what it re-exports from other modules; `seen` are the modules that
    /// are done.
    fn collect_exports(
        &self,
        module: ModIdx,
        seen: &mut Vec<ModIdx>,
        names: &mut Vec<&'static str>,
    ) {
        if seen.contains(&module) {
            return;
        }
        seen.push(module);
        let info = &self.modules()[module];
        let own = info.names.keys().filter(|&&name| info.shows(name));
        let imported = info
            .imports
            .iter()
            .filter(|(_, import)| import.public)
            .map(|(name, _)| name);
        names.extend(own.chain(imported).map(|name| name.as_str()));
        let listed = self.listed_names(module);
        names.extend(listed.map(|name| Symbol::intern(name).as_str()));
        for &(from, _) in info.globs.iter().filter(|(_, public)| *public) {
            self.collect_exports(from, seen, names);
        }
    }
}

/// Up to eight names, for a note.
pub(crate) fn listing(names: &[&str]) -> String {
    let mut shown: Vec<String> = names
        .iter()
        .take(8)
        .map(|name| format!("`{name}`"))
        .collect();
    if names.len() > shown.len() {
        shown.push(format!("{} more", names.len() - shown.len()));
    }
    shown.join(", ")
}

pub(crate) fn dotted(dots: u32, segments: &[Ident]) -> String {
    let names: Vec<&str> = segments.iter().map(|s| s.name.as_str()).collect();
    format!("{}{}", ".".repeat(dots as usize), names.join("."))
}
