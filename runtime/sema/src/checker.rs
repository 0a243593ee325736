//! The checker's state and its order of work: load, collect, check what must be, drain the worklist, assemble.
//!
//! Functions are checked as instances (a declaration with concrete type arguments), each once, when first requested.
//! Requests go to a worklist, so that depth of calls never becomes depth of recursion; only a function without a
//! written result type is checked at the spot where its type is needed. Next: `body/` for what happens inside one.

use crate::arena::ModuleArena;
use crate::body::is_builtin_function;
use crate::codes;
use crate::decls::*;
use crate::listed::Reading;
use crate::loader::{ExternSignatures, LoadedSource, ModuleRequest, SourceLoader};
use crate::modules::dotted;
use crate::state::{Counts, Decls, Input, Instances, Modules, Output, Prelude, Reporting, Reports};
use crate::typed::*;
use simple_syntax::{Diagnostic, SourceMap, Span, Symbol, ast};
use std::rc::Rc;
use std::sync::Arc;

/// How to check.
#[derive(Clone, Copy, Debug, Default)]
pub struct CheckOptions {
    /// Whether the prelude module is left out; for tests of the checker itself.
    pub no_prelude: bool,
    /// Whether foreign functions of an imported module that nothing uses are left out, with their mistakes: for a
    /// program that is run. It is the only one of its process, so its trees stay in memory: giving them back takes as
    /// long as a tenth of the check.
    pub only_used: bool,
    /// Whether every expression is checked in an attempt that is undone, and then again; for tests of the checker itself, which compare
    /// what is said so with what is said otherwise.
    pub rehearse: bool,
    /// Whether the shapes that are known of tensors are kept, for an editor.
    pub shapes: bool,
}

/// What came of a check.
#[derive(Debug)]
pub struct Checked {
    /// The program, unless there were errors.
    pub program: Option<Program>,
    /// Everything there is to say, sorted by file and place.
    pub diagnostics: Vec<Diagnostic>,
    /// The texts, for lines in messages.
    pub sources: Arc<SourceMap>,
    /// The names that could stand where the program says [`PROBE`](crate::PROBE), sorted.
    pub offered: Vec<String>,
    /// What is known of the shapes of tensors where they are computed and bound to names, sorted by place, if
    /// [`CheckOptions::shapes`] asks for it.
    pub shapes: Vec<(Span, String)>,
}

/// Checks the program whose root file is `root`: loads what it imports through `loader`, compares foreign functions
/// with `externs`, and yields a typed program or the errors.
pub fn check(
    root: LoadedSource,
    loader: &dyn SourceLoader,
    externs: &dyn ExternSignatures,
    options: CheckOptions,
) -> Checked {
    let arena = ModuleArena::new();
    let mut checker = Checker::new(Input::new(&arena, loader, externs, options));
    if !options.no_prelude {
        checker.modules.set_prelude(Prelude::Unread);
    }
    checker.output.shapes_mut().wants_shown = options.shapes;
    let root = checker.add_module(root, Reading::Whole);
    checker.run(root);
    let checked = checker.into_checked(root);
    if options.only_used {
        std::mem::forget(arena);
    }
    checked
}

/// What a check knows, each thing with one owner.
pub(crate) struct Checker<'a> {
    input: Input<'a>,
    reports: Reports,
    types: Types,
    modules: Modules<'a>,
    decls: Decls<'a>,
    instances: Instances,
    output: Output<'a>,
}

impl Reporting for Checker<'_> {
    fn reports_mut(&mut self) -> &mut Reports {
        &mut self.reports
    }
}

impl<'a> Checker<'a> {
    pub(crate) fn new(input: Input<'a>) -> Checker<'a> {
        Checker {
            input,
            reports: Reports::default(),
            types: Types::default(),
            modules: Modules::default(),
            decls: Decls::default(),
            instances: Instances::default(),
            output: Output::default(),
        }
    }

    pub(crate) fn input(&self) -> &Input<'a> {
        &self.input
    }

    pub(crate) fn input_mut(&mut self) -> &mut Input<'a> {
        &mut self.input
    }

    pub(crate) fn instances(&self) -> &Instances {
        &self.instances
    }

    pub(crate) fn instances_mut(&mut self) -> &mut Instances {
        &mut self.instances
    }

    pub(crate) fn output(&self) -> &Output<'a> {
        &self.output
    }

    pub(crate) fn output_mut(&mut self) -> &mut Output<'a> {
        &mut self.output
    }

    pub(crate) fn modules(&self) -> &Modules<'a> {
        &self.modules
    }

    pub(crate) fn modules_mut(&mut self) -> &mut Modules<'a> {
        &mut self.modules
    }

    pub(crate) fn decls(&self) -> &Decls<'a> {
        &self.decls
    }

    pub(crate) fn decls_mut(&mut self) -> &mut Decls<'a> {
        &mut self.decls
    }

    pub(crate) fn types(&self) -> &Types {
        &self.types
    }

    pub(crate) fn types_mut(&mut self) -> &mut Types {
        &mut self.types
    }

    pub(crate) fn reports(&self) -> &Reports {
        &self.reports
    }

    /// The prelude, read now if it has not been.
    pub(crate) fn prelude(&mut self) -> Option<ModIdx> {
        if let Prelude::Unread = self.modules.prelude() {
            // Set first: what the prelude imports may look for names too.
            self.modules.set_prelude(Prelude::Absent);
            // A prelude that cannot be read is the same as none: programs that need it name what they miss.
            if let Some(module) = self.read_library(&["std", "prelude"]) {
                self.modules.set_prelude(Prelude::Module(module));
            }
            // Only now: implementations may be of the prelude's own traits.
            self.register_impls();
        }
        match self.modules.prelude() {
            Prelude::Module(module) => Some(module),
            Prelude::Absent | Prelude::Unread => None,
        }
    }

    /// A module of the library that no import names; what it brings is entered into the tables.
    pub(crate) fn load_library(&mut self, segments: &[&str]) -> Option<ModIdx> {
        let module = self.read_library(segments);
        self.register_impls();
        module
    }

    /// A function of a library module that the language itself calls, exported or not.
    pub(crate) fn library_function(&mut self, segments: &[&str], name: Symbol) -> Option<FnIdx> {
        let module = self.load_library(segments)?;
        match self.modules[module].names.get(&name)? {
            (Def::Fn(idx), _) => Some(*idx),
            _ => None,
        }
    }

    fn read_library(&mut self, segments: &[&str]) -> Option<ModIdx> {
        let importer = self.modules[self.input.root()].path.clone();
        let request = ModuleRequest {
            importer: &importer,
            dots: 0,
            segments,
        };
        self.load(request).ok().flatten()
    }

    pub(crate) fn run(&mut self, root: ModIdx) {
        self.input.set_root(root);
        for module in self.modules.numbers() {
            self.validate_imports(module);
        }
        self.register_impls();
        self.check_declarations(Counts::default());
        self.drain();
        // Initializers of library modules are demanded by what was checked; statements of a module always run.
        let mut next = 0;
        while let Some(&module) = self.modules.init_order().get(next) {
            next += 1;
            let path = &self.modules[module].path;
            if !self.input.session().is_settled(module, path) {
                self.check_module_init(module);
                self.drain();
            }
        }
        self.check_defaults();
    }

    /// Checks everything of the program's own modules that was declared since.
    pub(crate) fn check_declarations(&mut self, since: Counts) {
        let new = self.decls.new_since(since);
        for idx in new.types {
            if self.modules[self.decls[idx].module].library {
                continue;
            }
            let args = self.opaque_args(&self.decls[idx].generics.clone());
            let adt = self.adt_instance(idx, args);
            self.ensure_adt(adt);
            self.check_finite(adt);
            self.check_owned(idx);
            self.check_c_type(adt, idx);
            self.check_initializer(idx);
        }
        let mut circles = Vec::new();
        for idx in new.traits {
            if !self.modules[self.decls[idx].module].library {
                let generics = self.decls[idx].generics.clone();
                let args = self.opaque_args(&generics[1..]);
                self.check_trait_circle(idx, &args, &mut circles);
                self.trait_instance(idx, args);
            }
        }
        for idx in new.impls {
            self.check_hidden_methods(idx);
            match self.modules[self.decls[idx].module].library {
                true => self.check_extra_methods(idx),
                false => self.check_impl(idx),
            }
        }
        for idx in new.externs {
            if !self.modules[self.decls[idx].module].library {
                self.extern_id(idx);
            }
        }
        for idx in new.extern_vars {
            if !self.modules[self.decls[idx].module].library {
                self.extern_var(idx);
            }
        }
        for idx in new.aliases {
            self.check_alias(idx);
        }
        for idx in new.fn_aliases {
            self.check_fn_alias(idx);
        }
        for idx in new.fns {
            let info = &self.decls[idx];
            if self.modules[info.module].library {
                continue;
            }
            if info.generics.is_empty() {
                let (decl, owner) = (info.decl, info.owner);
                if decl.exported {
                    self.check_export(idx);
                }
                if decl.body.is_some() {
                    self.request_instance(idx, self.instances.no_args());
                } else if !matches!(owner, Owner::Trait(_)) {
                    let span = decl.head;
                    self.error(codes::MISSING_RETURN, span, "a function needs a body");
                }
            } else if let Owner::Impl(owner) = info.owner
                && self.decls[owner].is_group()
            {
                // What the body may do depends on the type, so it is checked for each of the group.
                if info.generics.len() == 1 {
                    for &ty in self.decls[owner].group.clone().iter() {
                        self.request_instance(idx, Rc::from([ty]));
                    }
                }
            } else {
                self.check_opaque(idx);
            }
        }
    }

    /// Resolves the target of a written alias, so that a mistake in it is seen though nothing uses it.
    fn check_alias(&mut self, idx: AliasIdx) {
        let alias = &self.decls[idx];
        let (module, generics) = (alias.module, alias.generics.clone());
        let Some(ty) = alias.ty else { return };
        if self.modules[module].library || alias.known.is_some() {
            return;
        }
        let args = self.opaque_args(&generics);
        let scope = TypeScope {
            module,
            env: generics.iter().copied().zip(args.iter().copied()).collect(),
            self_ty: None,
        };
        self.decls[idx].active = true;
        let found = self.resolve_type(ty, &scope);
        self.decls[idx].active = false;
        if generics.is_empty() {
            self.decls[idx].known = Some(found);
        }
    }

    /// Reports an alias of a function that there is not.
    fn check_fn_alias(&mut self, idx: FnAliasIdx) {
        let (module, path) = self.decls[idx];
        if self.modules[module].library || self.follow(Def::FnAlias(idx), 0) != Def::Broken {
            return;
        }
        let target = path.last();
        let name = target.name.as_str();
        let names: Vec<&str> = match path.segments.len() {
            1 => self
                .visible_names(module)
                .into_iter()
                .map(|(n, _)| n)
                .collect(),
            _ => Vec::new(),
        };
        if path.segments.len() == 1 && is_builtin_function(name) {
            let message = format!("`{name}` is built into the language and has no other names");
            let d = Diagnostic::error(codes::NOT_A_VALUE, target.span, message).help(format!(
                "declare a function that calls it: `fn ...(x: T) -> U: {name}(x)`"
            ));
            self.report(d);
            return;
        }
        let message = format!("there is no function `{}`", dotted(0, &path.segments));
        self.unknown(codes::UNKNOWN_NAME, target.span, message, name, &names);
    }

    /// Works until nothing requested is left unchecked.
    pub(crate) fn drain(&mut self) {
        loop {
            while let Some(instance) = self.instances.next() {
                self.check_instance(instance);
            }
            if let Some(adt) = self.instances.next_type_to_complete() {
                self.complete_adt(adt);
                continue;
            }
            if let Some((of_trait, method)) = self.instances.next_to_compare() {
                self.compare_in_table(of_trait, method);
                continue;
            }
            match self.decls.next_nested_generic() {
                Some(idx) => self.check_opaque(idx),
                None => return,
            }
        }
    }

    /// The function for `fn_idx` under concrete type arguments; checked later.
    pub(crate) fn request_instance(&mut self, fn_idx: FnIdx, args: Rc<[TyId]>) -> FuncId {
        let number = self.instance_number(fn_idx, args);
        self.instances[number].id
    }

    /// The same as a number in [`Checker::instances`].
    pub(crate) fn instance_number(&mut self, fn_idx: FnIdx, args: Rc<[TyId]>) -> usize {
        let number = self.waiting_instance(fn_idx, args);
        self.instances.wake(number);
        number
    }

    /// The same for a function that is not checked before something else asks for it.
    pub(crate) fn waiting_instance(&mut self, fn_idx: FnIdx, args: Rc<[TyId]>) -> usize {
        if let Some(number) = self.instances.number_of(fn_idx, &args) {
            return number;
        }
        if self.too_deep(&args) {
            let span = self.decls[fn_idx].decl.head;
            let message = "this function calls itself with ever larger type arguments";
            self.error(codes::RECURSIVE_TYPE, span, message);
            // Any other instance will do; the program is not run.
            let other = self
                .instances
                .fns()
                .iter()
                .position(|instance| instance.fn_idx == fn_idx);
            return other.unwrap_or(0);
        }
        let decl = self.decls[fn_idx].decl;
        let signature = self.signature(fn_idx, &args);
        let id = self.output.add_func(Func {
            name: self.func_name(fn_idx, signature.self_ty),
            locals: Vec::new(),
            params: Vec::new(),
            captures: Vec::new(),
            inout_self: false,
            ret: signature.ret.unwrap_or(TyId::UNIT),
            body: None,
            span: decl.head,
            inline: self.decls[fn_idx]
                .item
                .annotations
                .iter()
                .any(|a| a.name.name.as_str() == "inline"),
            is_generator: false,
        });
        self.instances.add(fn_idx, args, id)
    }

    pub(crate) fn func_name(&self, fn_idx: FnIdx, self_ty: Option<TyId>) -> String {
        let info = &self.decls[fn_idx];
        match (info.owner, self_ty) {
            (Owner::Type(decl), _) => {
                format!("{}.{}", self.decls[decl].name.name, info.decl.name.name)
            }
            (Owner::Impl(_) | Owner::Trait(_), Some(ty)) => {
                format!("{}.{}", self.types.name(ty), info.decl.name.name)
            }
            _ => info.decl.name.name.as_str().to_owned(),
        }
    }

    pub(crate) fn into_checked(mut self, root: ModIdx) -> Checked {
        let main = if self.input.session().is_open() {
            None
        } else {
            self.main_func(root)
        };
        self.drain();
        let inits = self.assemble_inits(root);
        self.settle_hooks();
        self.check_shapes(&inits);
        let inits: Vec<FuncId> = inits.into_iter().map(|(_, init)| init).collect();
        self.forget_generic_adts();
        self.require_finished();
        self.check_unused(root);
        self.check_replayed(&inits);
        self.check_ranked();
        self.check_gone();
        self.check_exclusive();
        self.settle_recording();
        self.finish_warnings();
        let failed = self.reports.has_errors();
        let sources = Arc::new(self.input.into_sources());
        let shapes = self.output.shapes_mut().take_shown();
        let made = self.output.into_made();
        let program = (!failed).then(|| Program {
            types: self.types,
            funcs: made.funcs,
            externs: made.externs,
            exports: made.exports,
            keeps_errno: made.keeps_errno,
            uses_threads: made.uses_threads,
            globals: made.globals,
            inits,
            main: main.map(|(id, _)| id),
            main_gives_code: main.is_some_and(|(_, written)| written),
            sources: sources.clone(),
        });
        Checked {
            program,
            offered: self.reports.take_offered(),
            diagnostics: self.reports.into_shown(),
            shapes,
            sources,
        }
    }

    /// The declared statement tree of a module.
    pub(crate) fn tree(&self, module: ModIdx) -> &'a ast::Module {
        self.modules[module].tree
    }
}
