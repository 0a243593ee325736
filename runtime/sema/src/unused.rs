//! Variables and imports that nothing uses (W0436, W0437).
//!
//! Variables are found by one walk over the tree of each of the program's own files, once it is known to be free of mistakes: what `val`, `var`
//! and `const` bind, in functions, and at the top level of the program's file. Parameters, loop variables and names of patterns say what
//! something is, so they are left out, and so is every name that begins with `_`, and a variable whose class has a `drop`. A variable that is only assigned is not used.
//! The checker already knows whether an import is used, because it looked the name up ([`Checker::lookups`]).

use crate::checker::Checker;
use crate::codes;
use crate::decls::{FnIdx, ModIdx, Shape, Target};
use crate::mentions::{self, Binder, Mention};
use rustc_hash::{FxHashMap, FxHashSet};
use simple_syntax::ast::{self, Ident, ItemKind};
use simple_syntax::{Diagnostic, Symbol};

impl<'a> Checker<'a> {
    /// Reports what nothing uses in the program's own files; `root` is the program's.
    pub(crate) fn check_unused(&mut self, root: ModIdx) {
        if self.reports().has_errors() {
            return;
        }
        for module in self.modules().numbers() {
            let info = &self.modules()[module];
            // What is not read may use anything.
            if info.listed.is_some() {
                continue;
            }
            // The declarations of a block are walked with the function around it.
            if info.library || self.modules().is_local(module) {
                continue;
            }
            self.unused_variables(module, root);
            if !self.input().session().is_open() {
                self.unused_imports(module);
            }
        }
    }

    fn unused_variables(&mut self, module: ModIdx, root: ModIdx) {
        let info = &self.modules()[module];
        // Without a list of exports, others may import the variables of a module that is not a program.
        let runs = module == root && (info.has_statements || info.tree.stmts.iter().any(is_main));
        let closed = (runs || info.has_exports) && !self.input().session().is_open();
        let mut scopes = Scopes::default();
        let mut globals = Vec::new();
        for stmt in &info.tree.stmts {
            if let ast::StmtKind::Let { pattern, .. } = &stmt.kind {
                mentions::pattern(pattern, Binder::Variable, &mut |mention| {
                    if let Mention::Bound(name, _) = mention {
                        globals.push(name);
                    }
                });
            }
        }
        for name in globals {
            let kept = !closed
                || info.has_exports && info.shows(name.name)
                || self.is_imported(module, name.name);
            let binder = if kept {
                Binder::Other
            } else {
                Binder::Variable
            };
            scopes.bind(name, binder);
        }
        for stmt in &info.tree.stmts {
            match &stmt.kind {
                ast::StmtKind::Let { value, ty, .. } => {
                    mentions::binding(ty.as_ref(), value.as_ref(), &mut |m| scopes.meet(m));
                }
                ast::StmtKind::Item(item) => scopes.item(item),
                _ => mentions::stmt(stmt, &mut |m| scopes.meet(m)),
            }
        }
        scopes.close();
        for (name, assigned) in scopes.unused {
            if self.reports().is_living(name.span) {
                continue;
            }
            let message = match assigned {
                true => format!(
                    "the variable `{name}` is assigned, but its value is never used",
                    name = name.name
                ),
                false => format!("the variable `{}` is never used", name.name),
            };
            let d = Diagnostic::warning(codes::UNUSED_VARIABLE, name.span, message)
                .help(format!("remove it, or call it `_{}`", name.name));
            self.report(d);
        }
    }

    /// Whether another module imports a variable, or the module that it is in: one that the program imports may import the program back.
    fn is_imported(&self, module: ModIdx, name: Symbol) -> bool {
        let mut others = self.modules().iter().filter(|(at, _)| *at != module);
        others.any(|(_, info)| {
            let mut imports = info.imports.values();
            info.globs.iter().any(|&(from, _)| from == module)
                || imports.any(|import| match import.target {
                    Target::Module(from) => from == module,
                    Target::Item(from, item) => from == module && item == name,
                    Target::Broken => false,
                })
        })
    }

    fn unused_imports(&mut self, module: ModIdx) {
        let info = &self.modules()[module];
        // Modules of blocks see the imports of the module around them.
        let mut seeing = vec![module];
        let mut next = 0;
        while next < seeing.len() {
            let outer = seeing[next];
            seeing.extend(self.modules().locals_in(outer));
            next += 1;
        }
        let unchecked = self.mentioned_unchecked(&seeing);
        let is_used = |name: Symbol| {
            let looked_up = seeing
                .iter()
                .any(|&seeing| self.modules().found(seeing, name).is_some());
            looked_up || info.public.contains(&name) || unchecked.contains(&name)
        };
        let from = |target: Target| match target {
            Target::Module(from) | Target::Item(from, _) => Some(from),
            Target::Broken => None,
        };
        let used: FxHashSet<ModIdx> = info
            .imports
            .iter()
            .filter(|&(&name, import)| import.public || is_used(name))
            .filter_map(|(_, import)| from(import.target))
            .collect();
        let mut unused = Vec::new();
        for (&name, import) in &info.imports {
            let Some(from) = from(import.target) else {
                continue;
            };
            if import.public || is_used(name) || name.as_str().starts_with('_') {
                continue;
            }
            // A module that does something when it is loaded may be imported for that alone.
            if used.contains(&from) || self.is_inert(from, &mut FxHashSet::default()) {
                unused.push((name, import.span));
            }
        }
        unused.sort_by_key(|(_, span)| *span);
        for (name, span) in unused {
            let message = format!("the import `{name}` is never used");
            let d = Diagnostic::warning(codes::UNUSED_IMPORT, span, message).help("remove it");
            self.report(d);
        }
    }

    /// The names in what is checked only where it is used: functions for each type that they are called with, and defaults
    /// of parameters, fields and what variants carry.
    fn mentioned_unchecked(&self, modules: &[ModIdx]) -> FxHashSet<Symbol> {
        let mut names = FxHashSet::default();
        let mut note = |mention: Mention<'_>| {
            if let Mention::Name(name) | Mention::Assigned(name) | Mention::Aside(name) = mention {
                names.insert(name);
            }
        };
        for (idx, info) in self.decls().fns().iter().enumerate() {
            if !modules.contains(&info.module) {
                continue;
            }
            if self.is_template(FnIdx(idx as u32)) {
                mentions::function(info.decl, &mut note);
                mentions::bounds(&info.decl.generics, &info.decl.where_clauses, &mut note);
                continue;
            }
            for param in &info.decl.params {
                mentions::binding(None, param.default.as_ref(), &mut note);
            }
        }
        for info in self
            .decls()
            .types()
            .iter()
            .filter(|info| modules.contains(&info.module))
        {
            match info.shape {
                Shape::Record(decl, _) => {
                    for field in &decl.fields {
                        mentions::binding(Some(&field.ty), field.default.as_ref(), &mut note);
                    }
                }
                Shape::Enum(decl) => {
                    for part in decl.variants.iter().flat_map(|variant| &variant.fields) {
                        mentions::binding(None, part.default.as_ref(), &mut note);
                    }
                }
            }
        }
        names
    }

    /// Whether loading a module has no effect but to declare names: neither it nor what it imports has statements or `impl`s.
    fn is_inert(&self, module: ModIdx, seen: &mut FxHashSet<ModIdx>) -> bool {
        if !seen.insert(module) {
            return true;
        }
        let info = &self.modules()[module];
        if info.has_statements
            || self
                .decls()
                .impls()
                .iter()
                .any(|found| found.module == module)
        {
            return false;
        }
        let imported = info
            .imports
            .values()
            .filter_map(|import| match import.target {
                Target::Module(from) | Target::Item(from, _) => Some(from),
                Target::Broken => None,
            });
        let all = info.globs.iter().map(|(from, _)| *from).chain(imported);
        let all: Vec<ModIdx> = all.collect();
        all.into_iter().all(|from| self.is_inert(from, seen))
    }
}

fn is_main(stmt: &ast::Stmt) -> bool {
    let ast::StmtKind::Item(item) = &stmt.kind else {
        return false;
    };
    matches!(&item.kind, ItemKind::Fn(decl) if decl.name.name.as_str() == "main")
}

/// A name in scope.
struct Bound {
    name: Ident,
    binder: Binder,
    used: bool,
    assigned: bool,
}

/// The scopes that are open during a walk, and what was found in those that are closed.
#[derive(Default)]
struct Scopes {
    bound: Vec<Bound>,
    /// The innermost of each name, as a place in `bound`, and those that it hides.
    by_name: FxHashMap<Symbol, Vec<usize>>,
    /// Where each open scope begins in `bound`.
    open: Vec<usize>,
    /// Unused variables, and whether they are assigned.
    unused: Vec<(Ident, bool)>,
}

impl Scopes {
    fn meet(&mut self, mention: Mention<'_>) {
        match mention {
            Mention::Name(name) | Mention::Aside(name) => self.read(name),
            Mention::Assigned(name) => {
                if let Some(&at) = self.by_name.get(&name).and_then(|stack| stack.last()) {
                    self.bound[at].assigned = true;
                }
            }
            Mention::Bound(name, binder) => {
                if binder == Binder::Arm {
                    // It may be the name of a constant.
                    self.read(name.name);
                }
                self.bind(name, binder);
            }
            Mention::SelfValue | Mention::AssignedField(_) => {}
            Mention::Open => self.open.push(self.bound.len()),
            Mention::Close => self.close(),
            Mention::Item(item) => self.item(item),
        }
    }

    fn bind(&mut self, name: Ident, binder: Binder) {
        let at = self.bound.len();
        self.bound.push(Bound {
            name,
            binder,
            used: false,
            assigned: false,
        });
        self.by_name.entry(name.name).or_default().push(at);
    }

    fn read(&mut self, name: Symbol) {
        if let Some(&at) = self.by_name.get(&name).and_then(|stack| stack.last()) {
            self.bound[at].used = true;
        }
    }

    /// Ends the innermost scope.
    fn close(&mut self) {
        let start = self.open.pop().unwrap_or(0);
        for bound in self.bound.drain(start..) {
            if let Some(stack) = self.by_name.get_mut(&bound.name.name) {
                stack.pop();
            }
            let named = !bound.name.name.as_str().starts_with('_');
            if bound.binder == Binder::Variable && !bound.used && named {
                self.unused.push((bound.name, bound.assigned));
            }
        }
    }

    /// A declaration: its methods, defaults and the arguments of its annotations.
    fn item(&mut self, item: &ast::Item) {
        mentions::annotations(item, &mut |m| self.meet(m));
        match &item.kind {
            ItemKind::Fn(decl) => mentions::function(decl, &mut |m| self.meet(m)),
            ItemKind::Struct(decl) | ItemKind::Class(decl) | ItemKind::Mixin(decl) => {
                for field in &decl.fields {
                    mentions::binding(Some(&field.ty), field.default.as_ref(), &mut |m| {
                        self.meet(m)
                    });
                }
                decl.methods.iter().for_each(|method| self.item(method));
            }
            ItemKind::Enum(decl) => {
                for variant in &decl.variants {
                    for part in &variant.fields {
                        mentions::binding(Some(&part.ty), part.default.as_ref(), &mut |m| {
                            self.meet(m)
                        });
                    }
                    mentions::binding(None, variant.discriminant.as_ref(), &mut |m| self.meet(m));
                }
                decl.methods.iter().for_each(|method| self.item(method));
            }
            ItemKind::Trait(decl) => decl.methods.iter().for_each(|method| self.item(method)),
            ItemKind::Impl(decl) => {
                let types = decl.trait_ty.iter().chain([&decl.ty]).chain(&decl.group);
                types.for_each(|ty| mentions::written_type(ty, &mut |m| self.meet(m)));
                decl.methods.iter().for_each(|method| self.item(method));
            }
            ItemKind::TypeAlias { ty, .. } => {
                mentions::binding(Some(ty), None, &mut |m| self.meet(m));
            }
            // `fn a = b` may name a variable that holds a function.
            ItemKind::FnAlias { target, .. } => self.read(target.segments[0].name),
            ItemKind::Export(ast::ExportDecl::Names(names)) => {
                names.iter().for_each(|name| self.read(name.name));
            }
            // How long an array is may be a constant.
            ItemKind::ExternFn(decl) => {
                let types = decl.params.iter().filter_map(|param| param.ty.as_ref());
                types.for_each(|ty| mentions::written_type(ty, &mut |m| self.meet(m)));
            }
            ItemKind::ExternVar(decl) => {
                mentions::written_type(&decl.ty, &mut |m| self.meet(m));
            }
            ItemKind::ExternType(_) | ItemKind::Use(_) | ItemKind::Export(_) | ItemKind::Mod(_) => {
            }
        }
    }
}
