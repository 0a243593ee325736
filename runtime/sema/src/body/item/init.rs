//! Top-level statements: initializers of module-level variables and the functions that run modules.
//!
//! An initializer is checked when the variable's type is first asked for, on its own, and put into its module's
//! initializer function at the end.

use super::convert::Why;
use super::*;
use crate::codes;
use crate::state::ModuleInit;
use crate::typed::{Expr, Func, Global, Stmt};
use crate::visit::{self, Visitor};
use simple_syntax::Diagnostic;
use simple_syntax::ast::{self, LetKind, PatternKind};

/// Renumbers a body's variables to follow those of another.
struct Shift(u32);

impl Visitor for Shift {
    fn ty(&mut self, _: &mut TyId) {}
    fn func(&mut self, _: &mut FuncId, _: Span) {}
    fn local(&mut self, local: &mut LocalId) {
        local.0 += self.0;
    }
    fn adt(&mut self, _: &mut AdtId) {}
    fn trait_id(&mut self, _: &mut TraitId) {}
}

/// When a module's initializer reaches a statement or binding, as against others of the module: decorators run first, so that every
/// statement finds the functions wrapped.
pub(in crate::body) fn turn(decorated: bool, span: Span) -> (bool, u32) {
    // [condition init.decorators_first]: decorated functions are set before all statements, also those above.
    (!decorated, span.lo)
}

impl<'a> Checker<'a> {
    /// The number of a global; checks its initializer.
    pub(crate) fn global_id(&mut self, idx: GlobalIdx, span: Span) -> Option<GlobalId> {
        self.check_group(self.decls()[idx].group, span);
        let info = &self.decls()[idx];
        if let Some(id) = info.id {
            return Some(id);
        }
        let ty = info.ty?;
        Some(self.number_global(idx, ty))
    }

    /// Gives a global of this type its number.
    fn number_global(&mut self, idx: GlobalIdx, ty: TyId) -> GlobalId {
        let info = &self.decls()[idx];
        let global = Global {
            name: format!("{}.{}", self.modules()[info.module].name, info.name.name),
            ty,
            checked: false,
            span: info.name.span,
        };
        let id = self.output_mut().add_global(global, idx);
        self.decls_mut()[idx].id = Some(id);
        id
    }

    /// What the global of this number is declared as.
    pub(crate) fn global(&self, id: GlobalId) -> &GlobalInfo {
        &self.decls()[self.output().declared(id)]
    }

    /// The same to be changed.
    pub(crate) fn global_mut(&mut self, id: GlobalId) -> &mut GlobalInfo {
        let declared = self.output().declared(id);
        &mut self.decls_mut()[declared]
    }

    /// Checks a top-level binding, once.
    pub(crate) fn check_group(&mut self, idx: GroupIdx, span: Span) {
        if self.decls()[idx].progress != Progress::Done {
            self.once(|cx| cx.check_binding(idx, span));
        }
    }

    fn check_binding(&mut self, idx: GroupIdx, span: Span) {
        let group = &self.decls()[idx];
        match group.progress {
            Progress::Done => return,
            Progress::Active => {
                let (at, constant) = (group.span, group.kind == LetKind::Const);
                let what = match constant {
                    true => "this constant depends on itself",
                    false => "the type of this variable depends on itself",
                };
                let mut d =
                    Diagnostic::error(codes::UNDETERMINED, span, what).related(at, "declared here");
                if let Some(circle) = self.circle(idx) {
                    d = d.note(circle);
                }
                d = match (group.decorated, constant) {
                    (Some(_), _) => d.help("write the result type of the function: `-> T`"),
                    (None, false) => d.help("write its type: `val x: T = ...`"),
                    (None, true) => d,
                };
                self.report(d);
                for global in self.decls()[idx].globals.clone() {
                    self.decls_mut()[global].ty.get_or_insert(TyId::ERROR);
                }
                return;
            }
            Progress::Untouched => {}
        }
        let decorated = group.decorated;
        let (module, kind, pattern, written, value, at) = (
            group.module,
            group.kind,
            group.pattern,
            group.ty,
            group.value,
            group.span,
        );
        let globals = self.decls()[idx].globals.clone();
        if let [global] = globals[..] {
            let name = self.decls()[global].name.name;
            let means = self.lookup(module, name);
            if let Some(Def::Type(_) | Def::Trait(_) | Def::Alias(_)) = means {
                // `val Alias = SomeType` declares a type, not a variable.
                self.decls_mut()[idx].progress = Progress::Done;
                return;
            }
        }
        self.decls_mut()[idx].progress = Progress::Active;
        self.decls_mut().open_group(idx);
        let scope = TypeScope {
            module,
            env: self.empty_env(),
            self_ty: None,
        };
        let declared = match decorated {
            Some(fn_idx) => self.decorated_type(fn_idx),
            None => written.map(|ty| self.resolve_type(ty, &scope)),
        };
        let name = match pattern.map(|pattern| &pattern.kind) {
            Some(PatternKind::Name(name)) => Some(*name),
            _ => None,
        };
        if let (Some(ty), Some(name)) = (written, name) {
            self.output_mut().shapes_mut().binding(name.span, ty);
        }
        if let (Some(ty), [global]) = (declared, &globals[..])
            && (name.is_some() || decorated.is_some())
        {
            // Known before the initializer is checked, so that it may mention itself inside functions.
            self.decls_mut()[*global].ty = Some(ty);
        }
        let mut body = Body::new(self, scope, Frame::new(FrameKind::Init, Some(TyId::UNIT)));
        body.context
            .set_init((module, turn(decorated.is_some(), at)));
        body.open();
        let mut stmts = match (pattern, decorated, &globals[..]) {
            (Some(pattern), _, _) => {
                body.global_group(&globals, kind, pattern, declared, value, at)
            }
            (None, Some(fn_idx), &[global]) => {
                let value = body.decorated_function(fn_idx, declared);
                body.cx.decls_mut()[global].ty = Some(declared.unwrap_or(value.ty));
                body.assign_globals(vec![(global, value)], at)
            }
            _ => Vec::new(),
        };
        let mut func = body.init_func(&mut stmts);
        for global in globals {
            // An initializer that was refused leaves its variables without a type.
            let ty = *self.decls_mut()[global].ty.get_or_insert(TyId::ERROR);
            if let Some(id) = self.decls()[global].id {
                self.output_mut()[id].ty = ty;
            }
        }
        self.decls_mut().close_group();
        let group = &mut self.decls_mut()[idx];
        group.progress = Progress::Done;
        group.init = Some((std::mem::take(&mut func.locals), stmts));
    }

    /// The bindings that need each other, from `idx` back to it, if there are several: `A` needs `B`, `B` needs `A`.
    fn circle(&self, idx: GroupIdx) -> Option<String> {
        let open = self.decls().open_groups_from(idx)?;
        let mut names: Vec<Symbol> = Vec::new();
        for group in open.iter().chain([&idx]) {
            let global = *self.decls()[*group].globals.first()?;
            names.push(self.decls()[global].name.name);
        }
        let steps: Vec<String> = names
            .windows(2)
            .map(|pair| format!("`{}` needs `{}`", pair[0], pair[1]))
            .collect();
        (steps.len() > 1).then(|| steps.join(", "))
    }

    /// Checks the top-level statements of a module.
    pub(crate) fn check_module_init(&mut self, module: ModIdx) {
        let tree = self.tree(module);
        let library = self.modules()[module].library;
        if !library {
            let mut groups: Vec<GroupIdx> =
                self.modules()[module].groups.values().copied().collect();
            groups.sort_unstable();
            for group in groups {
                let span = self.decls()[group].span;
                self.check_group(group, span);
            }
        }
        let is_spec =
            module == self.input().root() && Checker::is_spec(&self.modules()[module].path);
        if !self.modules()[module].has_statements && !is_spec {
            return;
        }
        let scope = TypeScope {
            module,
            env: self.empty_env(),
            self_ty: None,
        };
        let mut body = Body::new(self, scope, Frame::new(FrameKind::Init, Some(TyId::UNIT)));
        body.open();
        let mut stmts = Vec::new();
        let mut indexes = Vec::new();
        let mut ends_at = None;
        for (index, stmt) in tree.stmts.iter().enumerate() {
            if let (Some(span), false) = (ends_at, matches!(stmt.kind, ast::StmtKind::Item(_))) {
                body.unreachable(stmt, span);
                ends_at = None;
            }
            if matches!(
                stmt.kind,
                ast::StmtKind::Let { .. } | ast::StmtKind::Item(_)
            ) {
                continue;
            }
            body.context.set_init((module, turn(false, stmt.span)));
            let mut out = Vec::new();
            match &stmt.kind {
                ast::StmtKind::Expr(e) if body.cx.echoes(module) => body.echo(e, &mut out),
                _ => body.statement(stmt, &mut out),
            }
            if out.iter().any(|stmt| body.never_ends(stmt)) {
                ends_at = Some(stmt.span);
            }
            for stmt in out {
                stmts.push((stmt.kind, stmt.span));
                indexes.push(index);
            }
        }
        if is_spec {
            let mut out = Vec::new();
            body.end_of_spec(tree, &mut out);
            for stmt in out {
                stmts.push((stmt.kind, stmt.span));
                indexes.push(tree.stmts.len());
            }
        }
        let calls_main = body.duties.calls_main();
        let func = body.init_func(&mut stmts);
        let stmts = indexes
            .into_iter()
            .zip(stmts)
            .map(|(index, (kind, span))| (index, Stmt { kind, span }))
            .collect();
        self.output_mut().add_init(
            module,
            ModuleInit {
                locals: func.locals,
                stmts,
                calls_main,
            },
        );
    }

    /// One function per module that has something to run, in order of initialization.
    pub(crate) fn assemble_inits(&mut self, root: ModIdx) -> Vec<(ModIdx, FuncId)> {
        let mut order: Vec<ModIdx> = self
            .modules()
            .init_order()
            .iter()
            .copied()
            .filter(|&m| m != root)
            .collect();
        order.push(root);
        let mut inits = Vec::new();
        let mut calls = false;
        for module in order {
            // [condition init.modules_in_turn]: what a module has called before may have read variables of later ones.
            let init = self.output_mut().take_init(module);
            let (mut locals, stmts) = match init {
                Some(init) => (init.locals, init.stmts),
                None => (Vec::new(), Vec::new()),
            };
            let mut stmts: Vec<((bool, usize), Stmt)> = stmts
                .into_iter()
                .map(|(index, stmt)| ((true, index), stmt))
                .collect();
            let library = self.modules()[module].library;
            let mut groups: Vec<(usize, GroupIdx)> = self.modules()[module]
                .groups
                .iter()
                .map(|(&index, &group)| (index, group))
                .collect();
            groups.sort_unstable();
            for (index, group) in groups {
                let decorated = self.decls()[group].decorated.is_some();
                let constant = self.decls()[group]
                    .globals
                    .iter()
                    .all(|g| self.decls()[*g].constant.is_some());
                let Some((own, own_stmts)) = self.decls_mut()[group].init.take() else {
                    continue;
                };
                if constant && library || self.has_kept(group) {
                    continue;
                }
                let mut shift = Shift(locals.len() as u32);
                locals.extend(own);
                for (kind, span) in own_stmts {
                    let mut stmt = Stmt { kind, span };
                    visit::stmt(&mut shift, &mut stmt);
                    stmts.push(((!decorated, index), stmt));
                }
            }
            if stmts.is_empty() {
                continue;
            }
            stmts.sort_by_key(|(place, _)| *place);
            let span = self.tree(module).span;
            let body = Expr {
                kind: ExprKind::Block(stmts.into_iter().map(|(_, stmt)| stmt).collect(), None),
                ty: TyId::UNIT,
                span,
            };
            self.settle_globals(&body, &mut calls);
            let name = format!("<module {}>", self.modules()[module].name);
            let id = self.output_mut().add_func(Func {
                name,
                locals,
                params: Vec::new(),
                captures: Vec::new(),
                inout_self: false,
                ret: TyId::UNIT,
                body: Some(body),
                span: Span {
                    hi: span.lo,
                    ..span
                },
                inline: false,
                is_generator: false,
            });
            inits.push((module, id));
        }
        inits
    }
}

/// Whether something that could run a function of the program occurs.
struct Calls<'c, 'a> {
    cx: &'c Checker<'a>,
    found: bool,
}

impl Calls<'_, '_> {
    /// Whether a value of a type may hold one whose type is of the program: that may define `drop`, `to_string` or `eq`.
    fn own_type(&self, ty: TyId) -> bool {
        let own = matches!(self.cx.types().get(ty), Ty::Adt(_) | Ty::Trait(_));
        own || self
            .cx
            .parts(ty)
            .into_iter()
            .any(|part| self.own_type(part))
    }
}

impl Visitor for Calls<'_, '_> {
    // [condition init.own_types]: making, printing, comparing and dropping a value may run a method, also of a value that C made.
    fn ty(&mut self, ty: &mut TyId) {
        self.found = self.found || self.own_type(*ty);
    }
    // [condition init.functions]: a function that is called, or may be as a value.
    fn func(&mut self, _: &mut FuncId, _: Span) {
        self.found = true;
    }
    fn local(&mut self, _: &mut LocalId) {}
    fn adt(&mut self, _: &mut AdtId) {}
    fn trait_id(&mut self, _: &mut TraitId) {}
}

impl<'a> Checker<'a> {
    /// Drops the check of globals that are set before the first call of any function.
    fn settle_globals(&mut self, init: &Expr, calls: &mut bool) {
        let ExprKind::Block(stmts, _) = &init.kind else {
            return;
        };
        for stmt in stmts {
            // [condition init.before_calls]: a function that ran before may have read the variable.
            if *calls {
                return;
            }
            let mut statement = Calls {
                cx: self,
                found: false,
            };
            visit::stmt(&mut statement, &mut stmt.clone());
            *calls = statement.found;
            // [condition init.own_value]: the value itself may call a function that reads the variable.
            if let (
                StmtKind::Assign(
                    Place {
                        root: PlaceRoot::Global(id),
                        path,
                        ..
                    },
                    _,
                ),
                false,
            ) = (&stmt.kind, *calls)
                // [condition init.whole]: setting a part of a variable does not initialize it.
                && path.is_empty()
            {
                // [condition init.early]: a statement or a function value before it reads it without a call.
                let early = self.global(*id).early;
                self.output_mut()[*id].checked &= early;
            }
        }
    }
}

impl<'c, 'a> Body<'c, 'a> {
    /// An expression statement whose value is printed, unless it is `()`.
    pub(crate) fn echo(&mut self, e: &'a ast::Expr, out: &mut Vec<Stmt>) {
        let value = self.expr(e, Want::Tail);
        let span = value.span;
        let ty = self.shallow(value.ty);
        let printed = !matches!(ty, TyId::UNIT | TyId::NEVER | TyId::ERROR);
        self.cx.input_mut().session_mut().set_printed(printed);
        let kind = if printed {
            let text = match ty {
                TyId::TEXT => value,
                _ => self.mk(ExprKind::ToText(Box::new(value)), TyId::TEXT, span),
            };
            let print = ExprKind::Intrinsic(Intrinsic::Print, vec![text]);
            StmtKind::Expr(self.mk(print, TyId::UNIT, span))
        } else {
            StmtKind::Expr(value)
        };
        out.push(Stmt { kind, span });
    }

    fn global_group(
        &mut self,
        globals: &[GlobalIdx],
        kind: LetKind,
        pattern: &'a ast::Pattern,
        declared: Option<TyId>,
        value: Option<&'a ast::Expr>,
        at: Span,
    ) -> Vec<(StmtKind, Span)> {
        let Some(value) = value else {
            let d = Diagnostic::error(codes::MISSING_TYPE, at, "a variable needs an initial value")
                .help("write `var x: T = value`");
            self.cx.report(d);
            return Vec::new();
        };
        let as_written = value;
        let value = self.bound_value(value, declared);
        self.close_types();
        let value = match kind {
            LetKind::Const => self.constant_value(value),
            _ => value,
        };
        let mut out = Vec::new();
        if let (PatternKind::Name(name), [global]) = (&pattern.kind, globals) {
            let written = self.cx.output().shapes().bindings.get(&name.span).copied();
            let value = self.expect_value(value, written, "the variable", Some(name.span));
            let lenient = declared.is_none() && self.is_lenient(&value);
            let frozen = declared.is_none() && self.is_frozen(&value);
            let source = self.source(as_written, declared, &value);
            let ty = self.resolve(declared.unwrap_or(value.ty));
            if self.lacks_value(&value) && declared.is_none() {
                self.unit_binding(&value);
            }
            let open = self.first_open(value.ty);
            self.note_life(name.span, ty);
            let info = &mut self.cx.decls_mut()[*global];
            info.ty = Some(ty);
            info.open = open.filter(|_| declared.is_none());
            (info.lenient, info.frozen) = (lenient, frozen);
            info.source = source;
            let literal = matches!(
                value.kind,
                ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Bool(_) | ExprKind::Text(_)
            );
            // [condition init.immutable]: a variable that changes is not its first value.
            if literal && !info.mutable {
                info.constant = Some(value.clone());
            }
            out.push((*global, value));
            return self.assign_globals(out, at);
        }
        // A pattern binds variables of the initializer, and each then sets its global.
        let span = value.span;
        let mut stmts = {
            let ty = value.ty;
            let pattern = self.irrefutable(pattern, ty, false);
            let mut stmts = Vec::new();
            let value = self.length_check(&pattern, value, &mut stmts);
            stmts.push((StmtKind::LetPattern(pattern, value), span));
            stmts
        };
        for &global in globals {
            let name = self.cx.decls()[global].name;
            if let Some(scope::Found::Local(local)) = self.find_local(name.name) {
                let read = self.read(local, name.span);
                let ty = self.resolve(read.ty);
                let open = self.first_open(self.local_ty(local));
                let info = &mut self.cx.decls_mut()[global];
                (info.ty, info.open) = (Some(ty), open);
                stmts.extend(self.assign_globals(vec![(global, read)], at));
            }
        }
        stmts
    }

    fn assign_globals(
        &mut self,
        values: Vec<(GlobalIdx, Expr)>,
        at: Span,
    ) -> Vec<(StmtKind, Span)> {
        let mut out = Vec::new();
        for (global, value) in values {
            // The group is being checked, so its type is already fixed and the number can be given.
            let info = &self.cx.decls()[global];
            let Some(ty) = info.ty else { continue };
            let id = match info.id {
                Some(id) => id,
                None => self.cx.number_global(global, ty),
            };
            let place = Place {
                root: PlaceRoot::Global(id),
                path: Vec::new(),
                ty,
                span: at,
            };
            out.push((StmtKind::Assign(place, value), at));
        }
        out
    }

    /// The value of a binding, converted to its declared type if there is one.
    pub(crate) fn bound_value(&mut self, value: &'a ast::Expr, declared: Option<TyId>) -> Expr {
        match declared {
            Some(ty) => {
                let value = self.expr(value, Want::Ty(ty));
                self.coerce(value, ty, Why::Binding)
            }
            None => self.expr(value, Want::Any),
        }
    }

    /// Settles the types of an initializer.
    fn init_func(mut self, stmts: &mut Vec<(StmtKind, Span)>) -> Func {
        let span = stmts.first().map_or(Span::default(), |(_, span)| *span);
        let block = stmts
            .drain(..)
            .map(|(kind, span)| Stmt { kind, span })
            .collect();
        let mut func = Func {
            name: String::new(),
            locals: self.close_body().locals,
            params: Vec::new(),
            captures: Vec::new(),
            inout_self: false,
            ret: TyId::UNIT,
            body: Some(Expr {
                kind: ExprKind::Block(block, None),
                ty: TyId::UNIT,
                span,
            }),
            span,
            inline: false,
            is_generator: false,
        };
        self.finish(&mut func);
        if let Some(Expr {
            kind: ExprKind::Block(block, _),
            ..
        }) = func.body.take()
        {
            stmts.extend(block.into_iter().map(|s| (s.kind, s.span)));
        }
        func
    }
}
