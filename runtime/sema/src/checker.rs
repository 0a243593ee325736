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
use crate::methods::Head;
use crate::modules::dotted;
use crate::promises::Promises;
use crate::session::SessionState;
use crate::shapes::Noted;
use crate::state::{Reporting, Reports};
use crate::typed::*;
use rustc_hash::{FxHashMap, FxHashSet};
use simple_syntax::{Diagnostic, SourceMap, Span, Symbol, ast};
use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;

/// How to check.
#[derive(Clone, Copy, Debug, Default)]
pub struct CheckOptions {
    /// Whether the prelude module is left out; for tests of the checker itself.
    pub no_prelude: bool,
    /// Whether foreign functions of an imported module that nothing uses are left out, with their mistakes: for a program that is run.
    pub only_used: bool,
    /// Whether every expression is checked in an attempt that is undone, and then again; for tests of the checker itself, which compare
    /// what is said so with what is said otherwise.
    pub rehearse: bool,
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
    let mut checker = Checker::new(&arena, loader, externs);
    if !options.no_prelude {
        checker.prelude = Prelude::Unread;
    }
    if options.only_used {
        checker.reading = Reading::Used;
    }
    let root = checker.add_module(root, Reading::Whole);
    checker.rehearses = options.rehearse;
    checker.run(root);
    checker.into_checked(root)
}

/// The module of functions that every program sees; read when a program first uses one.
#[derive(Clone, Copy)]
pub(crate) enum Prelude {
    Absent,
    Unread,
    Module(ModIdx),
}

pub(crate) struct Checker<'a> {
    pub(crate) arena: &'a ModuleArena,
    pub(crate) loader: &'a dyn SourceLoader,
    pub(crate) known_externs: &'a dyn ExternSignatures,
    pub(crate) sources: SourceMap,
    reports: Reports,
    /// [`CheckOptions::rehearse`].
    pub(crate) rehearses: bool,
    /// What generic code takes from bounds.
    pub(crate) promises: Promises,
    /// How modules of the program that others import are read.
    pub(crate) reading: Reading,
    pub(crate) types: Types,
    pub(crate) flags: Vec<u8>,
    // modules
    pub(crate) modules: Vec<ModuleInfo<'a>>,
    pub(crate) module_paths: FxHashMap<String, ModIdx>,
    pub(crate) requests: FxHashMap<String, Option<ModIdx>>,
    pub(crate) lookups: FxHashMap<(ModIdx, Symbol), Option<Def>>,
    /// Modules made of the declarations of a block, by the block's address and the module around it.
    pub(crate) local_modules: FxHashMap<(usize, ModIdx), ModIdx>,
    pub(crate) prelude: Prelude,
    pub(crate) root: ModIdx,
    pub(crate) init_order: Vec<ModIdx>,
    // declarations
    pub(crate) fns: Vec<FnInfo<'a>>,
    pub(crate) decls: Vec<DeclInfo<'a>>,
    pub(crate) traits: Vec<TraitInfo<'a>>,
    pub(crate) impls: Vec<ImplInfo<'a>>,
    pub(crate) mixins: Vec<MixinInfo<'a>>,
    pub(crate) aliases: Vec<AliasInfo<'a>>,
    /// The targets of `fn a = b`, with the modules that wrote them.
    pub(crate) fn_aliases: Vec<(ModIdx, &'a ast::Path)>,
    pub(crate) externs: Vec<ExternInfo<'a>>,
    pub(crate) extern_vars: Vec<ExternVarInfo<'a>>,
    pub(crate) globals: Vec<GlobalInfo>,
    pub(crate) groups: Vec<GroupInfo<'a>>,
    /// Those that are being checked, each because the one before needs it.
    pub(crate) open_groups: Vec<GroupIdx>,
    // impls by what they are for
    pub(crate) impls_done: usize,
    /// How many types have received what they take from mixins and forward to fields.
    pub(crate) decls_mixed: usize,
    pub(crate) impl_methods: FxHashMap<(Head, Symbol), Vec<(ImplIdx, FnIdx)>>,
    pub(crate) trait_impls: FxHashMap<(TraitIdx, Head), Vec<ImplIdx>>,
    pub(crate) head_impls: FxHashMap<Head, Vec<ImplIdx>>,
    pub(crate) core_loaded: FxHashSet<&'static str>,
    // instances
    pub(crate) depths: FxHashMap<TyId, u32>,
    pub(crate) adt_decl: Vec<DeclIdx>,
    pub(crate) adt_numbers: FxHashMap<(DeclIdx, Rc<[TyId]>), AdtId>,
    pub(crate) adt_progress: Vec<Progress>,
    pub(crate) adts_completed: usize,
    /// Nested generic functions whose bodies must be checked with opaque type parameters.
    pub(crate) nested_generics: Vec<FnIdx>,
    /// How many opaque types there are.
    pub(crate) handles: u32,
    pub(crate) trait_decl: Vec<(TraitIdx, Rc<[TyId]>)>,
    pub(crate) trait_fns: Vec<Vec<FnIdx>>,
    /// Pairs of traits between which objects are converted or tested: types with the first are entered under the second.
    pub(crate) trait_links: Vec<(TraitId, TraitId)>,
    pub(crate) trait_numbers: FxHashMap<(TraitIdx, Rc<[TyId]>), TraitId>,
    pub(crate) signatures: FxHashMap<(FnIdx, Rc<[TyId]>), Rc<Signature>>,
    pub(crate) instances: Vec<Instance>,
    pub(crate) instance_numbers: FxHashMap<(FnIdx, Rc<[TyId]>), usize>,
    pub(crate) instance_of: FxHashMap<FuncId, usize>,
    pub(crate) queue: VecDeque<usize>,
    pub(crate) nesting: u32,
    /// Recursive calls that were taken to yield `()`, with the instance they call.
    pub(crate) unit_calls: Vec<(usize, Span)>,
    // output
    pub(crate) funcs: Vec<Func>,
    pub(crate) out_externs: Vec<Extern>,
    /// Those that read what a handle refers to, such as the elements of a tensor.
    /// The externs of calls of variadic functions, by the function and the types that it is given besides.
    pub(crate) variadic_calls: FxHashMap<(ExternId, Vec<TyId>), ExternId>,
    /// Whether something asks for `last_error()`.
    pub(crate) keeps_errno: bool,
    /// Types of `@c` whose layout is being computed.
    pub(crate) open_c_types: Vec<AdtId>,
    pub(crate) out_globals: Vec<Global>,
    /// What each of them is declared as.
    pub(crate) declared_globals: Vec<GlobalIdx>,
    pub(crate) empty_args: Rc<[TyId]>,
    pub(crate) init_statements: FxHashMap<ModIdx, ModuleInit>,
    /// What the check of tensor shapes needs.
    pub(crate) shapes: Noted<'a>,
    /// What a session knows; empty for a whole program.
    pub(crate) session: SessionState<'a>,
}

/// Numbers of declarations; see [`Checker::counts`].
#[derive(Clone, Copy, Default)]
pub(crate) struct Counts {
    decls: usize,
    traits: usize,
    impls: usize,
    externs: usize,
    extern_vars: usize,
    aliases: usize,
    fn_aliases: usize,
    fns: usize,
}

/// The checked top-level statements of a module: variables, and per statement its index and result.
pub(crate) struct ModuleInit {
    pub(crate) locals: Vec<Local>,
    pub(crate) stmts: Vec<(usize, Stmt)>,
    pub(crate) calls_main: bool,
}

impl Reporting for Checker<'_> {
    fn reports_mut(&mut self) -> &mut Reports {
        &mut self.reports
    }
}

impl<'a> Checker<'a> {
    pub(crate) fn new(
        arena: &'a ModuleArena,
        loader: &'a dyn SourceLoader,
        externs: &'a dyn ExternSignatures,
    ) -> Checker<'a> {
        Checker {
            arena,
            loader,
            known_externs: externs,
            sources: SourceMap::default(),
            reports: Reports::default(),
            rehearses: false,
            reading: Reading::Whole,
            promises: Promises::default(),
            types: Types::default(),
            flags: Vec::new(),
            modules: Vec::new(),
            module_paths: FxHashMap::default(),
            requests: FxHashMap::default(),
            lookups: FxHashMap::default(),
            local_modules: FxHashMap::default(),
            prelude: Prelude::Absent,
            root: ModIdx(0),
            init_order: Vec::new(),
            fns: Vec::new(),
            decls: Vec::new(),
            traits: Vec::new(),
            impls: Vec::new(),
            mixins: Vec::new(),
            aliases: Vec::new(),
            fn_aliases: Vec::new(),
            externs: Vec::new(),
            extern_vars: Vec::new(),
            globals: Vec::new(),
            groups: Vec::new(),
            open_groups: Vec::new(),
            impls_done: 0,
            decls_mixed: 0,
            impl_methods: FxHashMap::default(),
            trait_impls: FxHashMap::default(),
            head_impls: FxHashMap::default(),
            core_loaded: FxHashSet::default(),
            depths: FxHashMap::default(),
            adt_decl: Vec::new(),
            adt_numbers: FxHashMap::default(),
            adt_progress: Vec::new(),
            adts_completed: 0,
            nested_generics: Vec::new(),
            handles: 0,
            trait_decl: Vec::new(),
            trait_fns: Vec::new(),
            trait_links: Vec::new(),
            trait_numbers: FxHashMap::default(),
            signatures: FxHashMap::default(),
            instances: Vec::new(),
            instance_numbers: FxHashMap::default(),
            instance_of: FxHashMap::default(),
            queue: VecDeque::new(),
            nesting: 0,
            unit_calls: Vec::new(),
            funcs: Vec::new(),
            out_externs: Vec::new(),
            variadic_calls: FxHashMap::default(),
            keeps_errno: false,
            open_c_types: Vec::new(),
            out_globals: Vec::new(),
            declared_globals: Vec::new(),
            empty_args: Rc::from([]),
            init_statements: FxHashMap::default(),
            shapes: Noted::default(),
            session: SessionState::default(),
        }
    }

    pub(crate) fn reports(&self) -> &Reports {
        &self.reports
    }

    /// The prelude, read now if it has not been.
    pub(crate) fn prelude(&mut self) -> Option<ModIdx> {
        if let Prelude::Unread = self.prelude {
            // Set first: what the prelude imports may look for names too.
            self.prelude = Prelude::Absent;
            // A prelude that cannot be read is the same as none: programs that need it name what they miss.
            if let Some(module) = self.read_library(&["std", "prelude"]) {
                self.prelude = Prelude::Module(module);
            }
            // Only now: implementations may be of the prelude's own traits.
            self.register_impls();
        }
        match self.prelude {
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
        match self.modules[module.at()].names.get(&name)? {
            (Def::Fn(idx), _) => Some(*idx),
            _ => None,
        }
    }

    fn read_library(&mut self, segments: &[&str]) -> Option<ModIdx> {
        let importer = self.modules[self.root.at()].path.clone();
        let request = ModuleRequest {
            importer: &importer,
            dots: 0,
            segments,
        };
        self.load(request).ok().flatten()
    }

    pub(crate) fn run(&mut self, root: ModIdx) {
        self.root = root;
        for module in (0..self.modules.len()).map(|m| ModIdx(m as u32)) {
            self.validate_imports(module);
        }
        self.register_impls();
        self.check_declarations(Counts::default());
        self.drain();
        // Initializers of library modules are demanded by what was checked; statements of a module always run.
        let mut next = 0;
        while next < self.init_order.len() {
            let module = self.init_order[next];
            next += 1;
            if !self
                .session
                .is_settled(module, &self.modules[module.at()].path)
            {
                self.check_module_init(module);
                self.drain();
            }
        }
        self.check_defaults();
    }

    /// How many declarations of each kind are known.
    pub(crate) fn counts(&self) -> Counts {
        Counts {
            decls: self.decls.len(),
            traits: self.traits.len(),
            impls: self.impls.len(),
            externs: self.externs.len(),
            extern_vars: self.extern_vars.len(),
            aliases: self.aliases.len(),
            fn_aliases: self.fn_aliases.len(),
            fns: self.fns.len(),
        }
    }

    /// Checks everything of the program's own modules that was declared since.
    pub(crate) fn check_declarations(&mut self, since: Counts) {
        let now = self.counts();
        for idx in (since.decls..now.decls).map(|d| DeclIdx(d as u32)) {
            if self.modules[self.decls[idx.at()].module.at()].library {
                continue;
            }
            let args = self.opaque_args(&self.decls[idx.at()].generics.clone());
            let adt = self.adt_instance(idx, args);
            self.ensure_adt(adt);
            self.check_finite(adt);
            self.check_owned(idx);
            self.check_c_type(adt, idx);
        }
        let mut circles = Vec::new();
        for idx in (since.traits..now.traits).map(|t| TraitIdx(t as u32)) {
            if !self.modules[self.traits[idx.at()].module.at()].library {
                let generics = self.traits[idx.at()].generics.clone();
                let args = self.opaque_args(&generics[1..]);
                self.check_trait_circle(idx, &args, &mut circles);
                self.trait_instance(idx, args);
            }
        }
        for idx in (since.impls..now.impls).map(|i| ImplIdx(i as u32)) {
            self.check_hidden_methods(idx);
            match self.modules[self.impls[idx.at()].module.at()].library {
                true => self.check_extra_methods(idx),
                false => self.check_impl(idx),
            }
        }
        for idx in (since.externs..now.externs).map(|e| ExternIdx(e as u32)) {
            if !self.modules[self.externs[idx.at()].module.at()].library {
                self.extern_id(idx);
            }
        }
        for idx in (since.extern_vars..now.extern_vars).map(|e| ExternVarIdx(e as u32)) {
            if !self.modules[self.extern_vars[idx.at()].module.at()].library {
                self.extern_var(idx);
            }
        }
        for idx in (since.aliases..now.aliases).map(|a| AliasIdx(a as u32)) {
            self.check_alias(idx);
        }
        for idx in (since.fn_aliases..now.fn_aliases).map(|a| FnAliasIdx(a as u32)) {
            self.check_fn_alias(idx);
        }
        for idx in (since.fns..now.fns).map(|f| FnIdx(f as u32)) {
            let info = &self.fns[idx.at()];
            if self.modules[info.module.at()].library {
                continue;
            }
            if info.generics.is_empty() {
                if info.decl.body.is_some() {
                    self.request_instance(idx, self.empty_args.clone());
                } else if !matches!(info.owner, Owner::Trait(_)) {
                    let span = info.decl.head;
                    self.error(codes::MISSING_RETURN, span, "a function needs a body");
                }
            } else if let Owner::Impl(owner) = info.owner
                && self.impls[owner.at()].is_group()
            {
                // What the body may do depends on the type, so it is checked for each of the group.
                if info.generics.len() == 1 {
                    for &ty in self.impls[owner.at()].group.clone().iter() {
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
        let alias = &self.aliases[idx.at()];
        let (module, generics) = (alias.module, alias.generics.clone());
        let Some(ty) = alias.ty else { return };
        if self.modules[module.at()].library || alias.known.is_some() {
            return;
        }
        let args = self.opaque_args(&generics);
        let scope = TypeScope {
            module,
            env: generics.iter().copied().zip(args.iter().copied()).collect(),
            self_ty: None,
        };
        self.aliases[idx.at()].active = true;
        let found = self.resolve_type(ty, &scope);
        self.aliases[idx.at()].active = false;
        if generics.is_empty() {
            self.aliases[idx.at()].known = Some(found);
        }
    }

    /// Reports an alias of a function that there is not.
    fn check_fn_alias(&mut self, idx: FnAliasIdx) {
        let (module, path) = self.fn_aliases[idx.at()];
        if self.modules[module.at()].library || self.follow(Def::FnAlias(idx), 0) != Def::Broken {
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
            while let Some(instance) = self.queue.pop_front() {
                self.check_instance(instance);
            }
            if self.adts_completed < self.types.adts.len() {
                let adt = AdtId(self.adts_completed as u32);
                self.adts_completed += 1;
                self.complete_adt(adt);
                continue;
            }
            match self.nested_generics.pop() {
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
        if let Some(&number) = self.instance_numbers.get(&(fn_idx, args.clone())) {
            return number;
        }
        let number = self.instances.len();
        if self.too_deep(&args) {
            let span = self.fns[fn_idx.at()].decl.head;
            let message = "this function calls itself with ever larger type arguments";
            self.error(codes::RECURSIVE_TYPE, span, message);
            // Any other instance will do; the program is not run.
            let other = self
                .instances
                .iter()
                .position(|instance| instance.fn_idx == fn_idx);
            return other.unwrap_or(0);
        }
        let id = FuncId(self.funcs.len() as u32);
        let decl = self.fns[fn_idx.at()].decl;
        let signature = self.signature(fn_idx, &args);
        self.funcs.push(Func {
            name: self.func_name(fn_idx, signature.self_ty),
            locals: Vec::new(),
            params: Vec::new(),
            captures: Vec::new(),
            inout_self: false,
            ret: signature.ret.unwrap_or(TyId::UNIT),
            body: None,
            span: decl.head,
            inline: self.fns[fn_idx.at()]
                .item
                .annotations
                .iter()
                .any(|a| a.name.name.as_str() == "inline"),
        });
        self.instances.push(Instance {
            fn_idx,
            args: args.clone(),
            progress: Progress::Untouched,
            id,
            asked: None,
            called: None,
        });
        self.instance_numbers.insert((fn_idx, args), number);
        self.instance_of.insert(id, number);
        self.queue.push_back(number);
        number
    }

    fn func_name(&self, fn_idx: FnIdx, self_ty: Option<TyId>) -> String {
        let info = &self.fns[fn_idx.at()];
        match (info.owner, self_ty) {
            (Owner::Type(decl), _) => format!(
                "{}.{}",
                self.decls[decl.at()].name.name,
                info.decl.name.name
            ),
            (Owner::Impl(_) | Owner::Trait(_), Some(ty)) => {
                format!("{}.{}", self.types.name(ty), info.decl.name.name)
            }
            _ => info.decl.name.name.as_str().to_owned(),
        }
    }

    pub(crate) fn into_checked(mut self, root: ModIdx) -> Checked {
        let main = if self.session.is_open() {
            None
        } else {
            self.main_func(root)
        };
        self.drain();
        let inits = self.assemble_inits(root);
        self.check_shapes(&inits);
        let inits: Vec<FuncId> = inits.into_iter().map(|(_, init)| init).collect();
        self.forget_generic_adts();
        self.require_finished();
        self.check_unused(root);
        self.check_replayed(&inits);
        self.check_gone();
        self.check_exclusive();
        self.settle_recording();
        self.finish_warnings();
        let failed = self.reports.has_errors();
        let sources = Arc::new(self.sources);
        let program = (!failed).then(|| Program {
            types: self.types,
            funcs: self.funcs,
            externs: self.out_externs,
            keeps_errno: self.keeps_errno,
            globals: self.out_globals,
            inits,
            main: main.map(|(id, _)| id),
            main_gives_code: main.is_some_and(|(_, written)| written),
            sources: sources.clone(),
        });
        Checked {
            program,
            diagnostics: self.reports.into_shown(),
            sources,
        }
    }

    /// The declared statement tree of a module.
    pub(crate) fn tree(&self, module: ModIdx) -> &'a ast::Module {
        self.modules[module.at()].tree
    }
}
