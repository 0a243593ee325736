//! Programs that grow entry by entry: what an interactive session and doctests check.
//!
//! ```text
//! entry 1   val a = 2          a separate module
//! entry 2   fn f(): a * 3      sees entry 1 after its own names
//! entry 3   f() + 1            sees 2, then 1
//! ```
//!
//! Every entry is a module; what it does not declare is looked for in the entry before it. A later declaration of a name
//! therefore hides the earlier one, and what was compiled against the earlier one keeps its meaning.
//!
//! An entry is checked together with all earlier ones, which are treated like library modules: only what the new entry
//! uses of them is checked again, and none of their statements belongs to the result. What the checker made of an entry
//! depends on its text and the entries before it alone, so variables of earlier entries have the types they had, and
//! code generation finds their values where they were left ([`VariableKey`]).
//!
//! Only at the top level of an entry, an assignment to a name that no entry declares declares it, and
//! the value of an expression statement is printed unless it is `()`.
//!
//! Leaves out running (`simple_codegen::Pieces`) and reading lines (the command line).

use crate::arena::ModuleArena;
use crate::body::{BUILTIN_NAMES, bound_names};
use crate::checker::{CheckOptions, Checked, Checker};
use crate::decls::{Def, GroupIdx, ModIdx};
use crate::loader::{ExternSignatures, LoadedSource, SourceLoader};
use crate::state::{Input, Prelude};
use crate::typed::{ExprKind, GlobalId, Intrinsic, Program, StmtKind, TraitId, Ty, TyId};
use rustc_hash::FxHashSet;
use simple_syntax::Symbol;
use simple_syntax::ast::{self, LetKind, PatternKind};

/// How entries are checked.
const ENTRY: CheckOptions = CheckOptions {
    no_prelude: false,
    only_used: true,
    rehearse: false,
    shapes: false,
};

/// What stays the same about a module-level variable from check to check: its file and the place of its name there.
pub type VariableKey = (String, u32);

/// The entries of a session so far.
#[derive(Debug, Default)]
pub struct History {
    entries: Vec<Entry>,
    kept: FxHashSet<VariableKey>,
    ran: FxHashSet<String>,
}

#[derive(Debug)]
struct Entry {
    path: String,
    text: String,
    /// Variables that never got a value, because the entry failed first.
    lost: Vec<Symbol>,
}

/// A checked entry.
#[derive(Debug)]
pub struct CheckedEntry {
    /// The entry as a program: its `inits` run the entry and what it imports for the first time; `main` is always `None`.
    pub checked: Checked,
    /// The type of the expression that the entry ends with, if it does.
    pub value: Option<String>,
    source: LoadedSource,
    declares: bool,
    runs: Vec<String>,
}

impl CheckedEntry {
    /// What identifies variable `id` in every later check.
    pub fn key(program: &Program, id: GlobalId) -> VariableKey {
        let span = program.globals[id.0 as usize].span;
        (program.sources.file(span.file).path.clone(), span.lo)
    }
}

/// The names that may be used at some place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place<'t> {
    /// A bare name.
    Bare,
    /// After the dot that follows this expression.
    MemberOf(&'t str),
}

impl History {
    /// Checks the next entry. Nothing about it is remembered before [`History::add`].
    pub fn check(
        &self,
        source: LoadedSource,
        echo: bool,
        loader: &dyn SourceLoader,
        externs: &dyn ExternSignatures,
    ) -> CheckedEntry {
        let arena = ModuleArena::new();
        let mut checker = Checker::new(Input::new(&arena, loader, externs, ENTRY));
        let root = checker.add_entries(self, source.clone(), echo);
        checker.run(root);
        let value = checker.value_type(root).map(|ty| checker.types().name(ty));
        let tree = checker.tree(root);
        let declares = tree.stmts.iter().any(|stmt| {
            matches!(
                stmt.kind,
                ast::StmtKind::Item(_) | ast::StmtKind::Let { .. }
            )
        });
        let runs = checker
            .modules()
            .init_order()
            .iter()
            .map(|module| checker.modules()[*module].path.clone())
            .collect();
        CheckedEntry {
            checked: checker.into_checked(root),
            value,
            source,
            declares,
            runs,
        }
    }

    /// Remembers an entry that was run: `is_set` says which of its program's variables got a value, `failed` whether it ended in
    /// an error.
    pub fn add(&mut self, entry: CheckedEntry, failed: bool, is_set: impl Fn(GlobalId) -> bool) {
        let Some(program) = &entry.checked.program else {
            return;
        };
        let mut set = FxHashSet::default();
        for id in (0..program.globals.len()).map(|id| GlobalId(id as u32)) {
            if is_set(id) {
                let key = CheckedEntry::key(program, id);
                if key.0 == entry.source.path {
                    set.insert(key.1);
                }
                self.kept.insert(key);
            }
        }
        if !failed {
            self.ran.extend(entry.runs);
        }
        if !entry.declares {
            return;
        }
        // A constant needs no memory; it has its value in any case.
        let lost = program
            .globals
            .iter()
            .filter(|global| {
                program.sources.file(global.span.file).path == entry.source.path
                    && !set.contains(&global.span.lo)
            })
            .map(|global| {
                let name = global.name.rsplit('.').next().unwrap_or_default();
                Symbol::intern(name)
            })
            .collect();
        self.entries.push(Entry {
            path: entry.source.path,
            text: entry.source.text,
            lost,
        });
    }

    /// The names that may be used at `place`, sorted; for completion. Nothing is run.
    pub fn names_at(
        &self,
        place: Place<'_>,
        path: &str,
        loader: &dyn SourceLoader,
        externs: &dyn ExternSignatures,
    ) -> Vec<String> {
        let arena = ModuleArena::new();
        let mut checker = Checker::new(Input::new(&arena, loader, externs, ENTRY));
        let text = match place {
            Place::Bare => "",
            Place::MemberOf(base) => base,
        };
        let source = LoadedSource {
            path: path.to_owned(),
            text: text.to_owned(),
            library: false,
        };
        let root = checker.add_entries(self, source, true);
        let mut names = match place {
            Place::Bare => checker.bare_names(root),
            Place::MemberOf(base) => checker.member_names(root, base.trim()),
        };
        names.sort_unstable();
        names.dedup();
        names.into_iter().map(str::to_owned).collect()
    }
}

/// What the checker knows about the session that a program belongs to.
#[derive(Default)]
pub(crate) struct SessionState<'a> {
    history: Option<&'a History>,
    /// Modules of earlier entries.
    entries: FxHashSet<ModIdx>,
    /// The module whose expression statements are printed.
    echo: Option<ModIdx>,
    /// Whether the last expression statement of that module is printed.
    printed: bool,
}

impl SessionState<'_> {
    /// Says whether the last expression statement of the printed module is printed.
    pub(crate) fn set_printed(&mut self, printed: bool) {
        self.printed = printed;
    }

    /// Whether the program is an entry of a session.
    pub(crate) fn is_open(&self) -> bool {
        self.history.is_some()
    }

    /// Whether a module is an earlier entry.
    pub(crate) fn has_entry(&self, module: ModIdx) -> bool {
        self.entries.contains(&module)
    }

    /// Whether the module of this path was run by an earlier entry.
    pub(crate) fn has_run(&self, path: &str) -> bool {
        self.history
            .is_some_and(|history| history.ran.contains(path))
    }

    /// Whether the statements of a module have been run, so that only its declarations matter.
    pub(crate) fn is_settled(&self, module: ModIdx, path: &str) -> bool {
        self.entries.contains(&module) || self.has_run(path)
    }
}

impl<'a> Checker<'a> {
    /// Loads every entry and the new one, whose module is returned.
    fn add_entries(&mut self, history: &'a History, source: LoadedSource, echo: bool) -> ModIdx {
        self.input_mut().session_mut().history = Some(history);
        self.modules_mut().set_prelude(Prelude::Unread);
        let mut before = None;
        for entry in &history.entries {
            // Mistakes in its text were reported when it was new.
            let file = self
                .input_mut()
                .sources_mut()
                .add(entry.path.as_str(), entry.text.as_str());
            let (tree, _) = simple_syntax::parse(file, &entry.text);
            let module = self.add_entry(&entry.path, tree, true, before);
            for name in &entry.lost {
                self.modules_mut()[module].names.remove(name);
            }
            self.input_mut().session_mut().entries.insert(module);
            before = Some(module);
        }
        let parse = if echo {
            simple_syntax::parse_entry
        } else {
            simple_syntax::parse
        };
        let file = self
            .input_mut()
            .sources_mut()
            .add(source.path.as_str(), source.text.as_str());
        let (tree, problems) = parse(file, &source.text);
        for problem in problems {
            self.report(problem);
        }
        let root = self.add_entry(&source.path, tree, false, before);
        if echo {
            self.input_mut().session_mut().echo = Some(root);
            // A bare text is a value here, not documentation.
            self.modules_mut()[root].has_statements |= self
                .tree(root)
                .stmts
                .iter()
                .any(|stmt| matches!(stmt.kind, ast::StmtKind::Expr(_)));
        }
        root
    }

    fn add_entry(
        &mut self,
        path: &str,
        mut tree: ast::Module,
        earlier: bool,
        before: Option<ModIdx>,
    ) -> ModIdx {
        self.declare_assigned(&mut tree, before);
        let module = self.add_tree(path.to_owned(), earlier, tree);
        self.modules_mut()[module].before = before;
        let tree = self.tree(module);
        self.load_imports(module, tree);
        self.modules_mut().append_init(module);
        module
    }

    /// Makes declarations of the assignments to names that nothing declares.
    fn declare_assigned(&mut self, tree: &mut ast::Module, before: Option<ModIdx>) {
        let mut declared: FxHashSet<Symbol> = FxHashSet::default();
        for stmt in &tree.stmts {
            if let ast::StmtKind::Let { pattern, .. } = &stmt.kind {
                let mut names = Vec::new();
                bound_names(pattern, &mut names);
                declared.extend(names);
            }
        }
        for stmt in &mut tree.stmts {
            let ast::StmtKind::Assign {
                place, op: None, ..
            } = &stmt.kind
            else {
                continue;
            };
            let Some(pattern) = name_pattern(place) else {
                continue;
            };
            let mut names = Vec::new();
            bound_names(&pattern, &mut names);
            let is_new = |checker: &mut Self, name: Symbol| {
                !declared.contains(&name)
                    && !before.is_some_and(|before| {
                        matches!(checker.lookup(before, name), Some(Def::Global(_)))
                    })
            };
            if names.is_empty() || !names.iter().all(|&name| is_new(self, name)) {
                continue;
            }
            declared.extend(names);
            let kind = std::mem::replace(&mut stmt.kind, ast::StmtKind::Error);
            if let ast::StmtKind::Assign { value, .. } = kind {
                stmt.kind = ast::StmtKind::Let {
                    kind: LetKind::Var,
                    pattern,
                    ty: None,
                    value: Some(value),
                };
            }
        }
    }

    /// Whether the expression statements of a module are printed.
    pub(crate) fn echoes(&self, module: ModIdx) -> bool {
        self.input().session().echo == Some(module)
    }

    /// Whether an earlier entry has run a binding, so that its variables have their values.
    pub(crate) fn has_kept(&self, group: GroupIdx) -> bool {
        let Some(history) = self.input().session().history else {
            return false;
        };
        let info = &self.decls()[group];
        if self.input().session().entries.contains(&info.module) {
            return true;
        }
        let path = &self.modules()[info.module].path;
        info.globals.iter().any(|global| {
            let place = self.decls()[*global].name.span.lo;
            history.kept.contains(&(path.clone(), place))
        })
    }

    /// In a session, an object of a trait may have been made by any earlier entry: every type that implements the trait is entered
    /// into its tables where objects are tested or converted. Types from generic impls are not.
    pub(crate) fn enter_session_objects(&mut self, id: TraitId) {
        if !self.input().session().is_open() {
            return;
        }
        let trait_idx = self.instances().trait_of(id).0;
        for idx in self.decls().all_impls() {
            let info = &self.decls()[idx];
            if info.trait_idx == Some(trait_idx) && info.generics.is_empty() {
                let scope = self.opaque_impl_scope(idx);
                let ty = self.impl_self(idx, &scope);
                if self.flags(ty) == 0 && self.head(ty).is_some() {
                    self.implement_object(ty, id);
                }
            }
        }
    }

    /// The type of the expression that the module ends with.
    fn value_type(&self, root: ModIdx) -> Option<TyId> {
        let last = self.tree(root).stmts.last()?;
        let (_, stmt) = self.output().init(root)?.stmts.last()?;
        let (ast::StmtKind::Expr(_), StmtKind::Expr(value)) = (&last.kind, &stmt.kind) else {
            return None;
        };
        let ty = match &value.kind {
            ExprKind::Intrinsic(Intrinsic::Print, texts) if self.input().session().printed => {
                match &texts.first()?.kind {
                    ExprKind::ToText(inner) => inner.ty,
                    _ => TyId::TEXT,
                }
            }
            _ => value.ty,
        };
        (ty != TyId::ERROR).then_some(ty)
    }

    fn bare_names(&mut self, root: ModIdx) -> Vec<&'static str> {
        let mut names: Vec<&'static str> = self
            .visible_names(root)
            .into_iter()
            .map(|(name, _)| name)
            .collect();
        names.extend(BUILTIN_NAMES);
        names.extend(["Some", "None", "Ok", "Err"]);
        names.retain(|name| !name.starts_with('_'));
        names
    }

    /// What may follow `base.`: members of a module, of a type or of a value.
    fn member_names(&mut self, root: ModIdx, base: &str) -> Vec<&'static str> {
        if let Some(def) = self.dotted_def(root, base) {
            match def {
                Def::Module(module) => return self.all_exported_names(module),
                Def::Type(decl) => {
                    let info = &self.decls()[decl];
                    let statics = info
                        .methods
                        .iter()
                        .filter(|(_, idx)| self.decls()[**idx].is_static);
                    return statics
                        .map(|(name, _)| name.as_str())
                        .chain(info.variants.keys().map(|name| name.as_str()))
                        .collect();
                }
                _ => {}
            }
        }
        self.run(root);
        let Some(ty) = self.value_type(root) else {
            return Vec::new();
        };
        // Asking for any method loads the library's methods of the type.
        self.find_method(ty, Symbol::intern("?"));
        let mut names = self.method_names(ty);
        match self.types().get(ty) {
            Ty::Adt(adt) => {
                let decl = self.decl_of(*adt);
                let info = &self.decls()[decl];
                names.retain(|name| {
                    info.methods
                        .get(&Symbol::intern(name))
                        .is_none_or(|idx| !self.decls()[*idx].is_static)
                });
                names.extend(info.fields.keys().map(|name| name.as_str()));
            }
            Ty::Tuple(parts) => names.extend(
                parts
                    .iter()
                    .filter_map(|(label, _)| label.map(|label| label.as_str())),
            ),
            _ => {}
        }
        names
    }

    /// What a name, or a path of names through modules, refers to.
    fn dotted_def(&mut self, root: ModIdx, path: &str) -> Option<Def> {
        let mut parts = path.split('.').map(|part| Symbol::intern(part.trim()));
        let mut def = self.lookup_visible(root, parts.next()?)?;
        for part in parts {
            let Def::Module(module) = def else {
                return None;
            };
            match self.exported(module, part, 0) {
                crate::modules::Exported::Found(found) => def = found,
                _ => return None,
            }
        }
        Some(def)
    }
}

/// A name, or a tuple of names, as the pattern that would declare it.
fn name_pattern(place: &ast::Expr) -> Option<ast::Pattern> {
    let kind = match &place.kind {
        ast::ExprKind::Name(name) if name.name.as_str() == "_" => PatternKind::Wildcard,
        ast::ExprKind::Name(name) => PatternKind::Name(*name),
        ast::ExprKind::Placeholder(_) => PatternKind::Wildcard,
        ast::ExprKind::Tuple(parts) => PatternKind::Tuple(
            parts
                .iter()
                .map(|(_, part)| name_pattern(part))
                .collect::<Option<_>>()?,
        ),
        _ => return None,
    };
    Some(ast::Pattern {
        kind,
        span: place.span,
    })
}
