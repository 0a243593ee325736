//! Statements and blocks.

use super::convert::Why;
use super::pattern::simple_name;
use super::stale::{Holder, captured_by};
use super::*;
use crate::codes;
use crate::typed::{Expr, Pattern, Stmt};
use simple_syntax::Diagnostic;
use simple_syntax::ast::{self, ItemKind, LetKind};

impl<'c, 'a> Body<'c, 'a> {
    /// A block in its own scope; its value is its last expression if that is needed.
    pub(crate) fn block(&mut self, block: &'a ast::Block, want: Want) -> Expr {
        let mark = self.open();
        let value = self.block_here(block, want);
        self.close(mark);
        value
    }

    /// A block whose names go into the current scope.
    pub(crate) fn block_here(&mut self, block: &'a ast::Block, want: Want) -> Expr {
        let mut stmts = Vec::new();
        let mut tail = None;
        let mut diverges = false;
        // The statement that never ends, until what follows it was reported.
        let mut ends_at = None;
        let last = block.stmts.len().saturating_sub(1);
        let outer = self.scopes.types().module;
        if let Some(module) = self.local_module(block) {
            self.scopes.change_module(module);
        }
        self.hoist(&block.stmts);
        let waiting = self.duties.waiting().len();
        let around = self.enter_statement(block.span);
        for (index, stmt) in block.stmts.iter().enumerate() {
            self.enter_statement(stmt.span);
            if let Some(span) = ends_at.take() {
                self.unreachable(stmt, span);
            }
            if let ast::StmtKind::Expr(e) = &stmt.kind {
                if index == 0 && block.stmts.len() > 1 && crate::collect::is_docstring(e) {
                    continue;
                }
                if index == last && want != Want::Discard {
                    let value = match self.expect_statement(e) {
                        Some(value) => value,
                        None if self.calls_through_option(e) => {
                            self.last_through_options(e, want, &mut stmts)
                        }
                        None => self.expr(e, want),
                    };
                    tail = Some(Box::new(value));
                    break;
                }
            }
            if let ast::StmtKind::Try {
                body,
                catch,
                finally,
            } = &stmt.kind
                && index == last
                && want != Want::Discard
            {
                let (catch, finally) = (catch.as_ref(), finally.as_ref());
                let value = self.try_block(body, catch, finally, want, stmt.span);
                tail = Some(Box::new(value));
                break;
            }
            let before = stmts.len();
            self.statement(stmt, &mut stmts);
            for stmt in &stmts[before..] {
                self.note_assigned(stmt);
            }
            self.check_ready();
            if !diverges && stmts[before..].iter().any(|s| self.never_ends(s)) {
                diverges = true;
                ends_at = Some(stmt.span);
            }
        }
        self.end_waiting(waiting, &mut stmts);
        // Most blocks are short, and a list that grows has room for four.
        stmts.shrink_to_fit();
        self.enter_statement(around);
        self.scopes.change_module(outer);
        let ty = match &tail {
            Some(_) if diverges => TyId::NEVER,
            Some(tail) => tail.ty,
            None if diverges => TyId::NEVER,
            None => TyId::UNIT,
        };
        match tail {
            Some(tail) if stmts.is_empty() => *tail,
            tail => self.mk(ExprKind::Block(stmts, tail), ty, block.span),
        }
    }

    /// The module that holds the types, traits, impls and foreign functions declared in a block, if there are any. Names that
    /// it does not have are those of the module around it.
    fn local_module(&mut self, block: &'a ast::Block) -> Option<ModIdx> {
        let declares = |stmt: &ast::Stmt| match &stmt.kind {
            ast::StmtKind::Item(item) => crate::collect::is_local_item(&item.kind),
            _ => false,
        };
        if !block.stmts.iter().any(declares) {
            return None;
        }
        let parent = self.scopes.types().module;
        Some(self.cx.local_module(parent, block))
    }

    pub(in crate::body) fn never_ends(&self, stmt: &Stmt) -> bool {
        match &stmt.kind {
            StmtKind::Expr(e) => e.ty == TyId::NEVER,
            StmtKind::Let(_, e) | StmtKind::LetPattern(_, e) | StmtKind::Assign(_, e) => {
                e.ty == TyId::NEVER
            }
            // A `loop` without `break` was given a body of type never.
            StmtKind::While(
                Cond::Expr(Expr {
                    kind: ExprKind::Bool(true),
                    ..
                }),
                body,
            ) => body.ty == TyId::NEVER,
            _ => false,
        }
    }

    /// Enters nested functions that capture nothing, so that they may call each other and themselves.
    pub(in crate::body) fn hoist(&mut self, stmts: &'a [ast::Stmt]) {
        let mut nested: Vec<(&'a ast::Item, &'a ast::FnDecl)> = Vec::new();
        let mut variables: Vec<Symbol> = Vec::new();
        for stmt in stmts {
            match &stmt.kind {
                ast::StmtKind::Item(item) => {
                    match &item.kind {
                        // A variable, as one that captures is.
                        ItemKind::Fn(decl) if decorate::is_decorated(item) => {
                            variables.push(decl.name.name);
                        }
                        ItemKind::Fn(decl) => {
                            if decl.exported {
                                let d = crate::exports::not_nested(decl);
                                self.cx.report(d);
                            }
                            nested.push((item, decl));
                        }
                        _ => {}
                    }
                }
                ast::StmtKind::Let { pattern, .. } => pattern::bound_names(pattern, &mut variables),
                _ => {}
            }
        }
        // A function that mentions one that captures becomes a closure itself, so this runs until nothing changes.
        loop {
            let before = nested.len();
            nested.retain(|(_, decl)| {
                let captures = self.captures_anything(decl, &variables);
                if captures {
                    variables.push(decl.name.name);
                }
                !captures
            });
            if nested.len() == before {
                break;
            }
        }
        let mut added = Vec::new();
        for (item, decl) in nested {
            if let Some(Bound::Def(Def::Fn(_))) = self.scopes.bound_here(decl.name.name) {
                let message = format!("`{}` is declared twice in this block", decl.name.name);
                self.cx.error(codes::DUPLICATE, decl.name.span, message);
                continue;
            }
            let idx = self.cx.add_fn(
                self.scopes.types().module,
                item,
                decl,
                Owner::Free,
                &[],
                None,
            );
            self.enter_nested(idx);
            self.bind(decl.name.name, Bound::Def(Def::Fn(idx)));
            added.push(idx);
        }
        if added.is_empty() {
            return;
        }
        let defs = self.visible_defs();
        for idx in added {
            self.cx.decls_mut()[idx].outer_defs = defs.clone();
            if self.purpose.is_opaque() {
                self.cx.instances_mut().promises_mut().add_nested(idx);
            } else if self.cx.decls()[idx].generics.is_empty() {
                self.cx.request_instance(idx, self.cx.instances().no_args());
            } else {
                self.cx.decls_mut().queue_nested_generic(idx);
            }
        }
    }

    /// Checks a statement and adds what it becomes to `out`.
    pub(crate) fn statement(&mut self, stmt: &'a ast::Stmt, out: &mut Vec<Stmt>) {
        let span = stmt.span;
        let kind = match &stmt.kind {
            ast::StmtKind::Let {
                kind,
                pattern,
                ty,
                value,
            } => {
                self.let_statement(*kind, pattern, ty.as_ref(), value.as_ref(), span, out);
                return;
            }
            ast::StmtKind::Assign { place, op, value } => {
                self.through_options((place, true), span, out, |this, out| {
                    this.assign(place, *op, value, span, out);
                });
                return;
            }
            ast::StmtKind::AssignAbsent { place, value } => {
                self.through_options((place, true), span, out, |this, out| {
                    out.extend(this.assign_absent(place, value, span));
                });
                return;
            }
            ast::StmtKind::Expr(e) if self.calls_through_option(e) => {
                let base = payload::receiver_of(e).unwrap_or(e);
                self.through_options((base, false), span, out, |this, out| {
                    let value = this.expr(e, Want::Discard);
                    this.dropped(e, &value);
                    out.push(expr::simple_stmt(value, span));
                });
                return;
            }
            ast::StmtKind::Expr(e) => {
                let value = match self.expect_statement(e) {
                    Some(value) => value,
                    None => {
                        let value = self.expr(e, Want::Discard);
                        self.dropped(e, &value);
                        value
                    }
                };
                StmtKind::Expr(value)
            }
            ast::StmtKind::Return(value) => StmtKind::Expr(self.return_value(value.as_ref(), span)),
            ast::StmtKind::Break => StmtKind::Expr(self.jump(true, span)),
            ast::StmtKind::Continue => StmtKind::Expr(self.jump(false, span)),
            ast::StmtKind::Pass | ast::StmtKind::Error => return,
            ast::StmtKind::PassTodo => {
                let d = Diagnostic::warning(
                    codes::TODO,
                    span,
                    "`pass_todo`: this code is not written yet",
                );
                self.cx.report(d);
                return;
            }
            ast::StmtKind::While { cond, body } => self.while_loop(cond, body, span),
            ast::StmtKind::Loop(body) => self.endless_loop(body, span),
            ast::StmtKind::For {
                pattern,
                iterable,
                body,
            } => self.for_statement(pattern, iterable, body, span),
            ast::StmtKind::Defer(body) => StmtKind::Defer(self.deferred(body)),
            ast::StmtKind::Assert { cond, message } => {
                let cond = self.condition(cond);
                self.assume(&cond, true);
                let message = message.as_ref().map(|m| {
                    let message = self.expr(m, Want::Ty(TyId::TEXT));
                    self.coerce(message, TyId::TEXT, Why::Message)
                });
                StmtKind::Assert(cond, message)
            }
            ast::StmtKind::Throw(value) => StmtKind::Expr(self.throw(value, span)),
            ast::StmtKind::Try {
                body,
                catch,
                finally,
            } => StmtKind::Expr(self.try_block(
                body,
                catch.as_ref(),
                finally.as_ref(),
                Want::Discard,
                span,
            )),
            ast::StmtKind::Yield(value) => StmtKind::Expr(self.yield_statement(value, span)),
            ast::StmtKind::NoGrad(body) => StmtKind::Expr(self.nograd_block(body, span)),
            ast::StmtKind::Loss(body) => StmtKind::Expr(self.loss_block(body, span)),
            ast::StmtKind::Unsafe(body) => StmtKind::Expr(self.block(body, Want::Discard)),
            ast::StmtKind::Item(item) => {
                self.local_item(item, out);
                return;
            }
        };
        out.push(Stmt { kind, span });
    }

    fn while_loop(&mut self, cond: &'a ast::Cond, body: &'a ast::Block, span: Span) -> StmtKind {
        let mark = self.open();
        self.forget_assigned(Some(cond), body);
        let cond = self.cond(cond);
        let around = self.scopes.present().clone();
        self.assume_cond(&cond, true);
        let (mut body, has_break) = self.loop_body(body);
        *self.scopes.present_mut() = around;
        // After a `break` it may still hold.
        if !has_break {
            self.assume_cond(&cond, false);
        }
        if has_break && body.ty == TyId::NEVER {
            // As below: `break` leads to what follows `while true:`.
            body.ty = TyId::UNIT;
        }
        self.close(mark);
        self.end_of_loop(span);
        StmtKind::While(cond, body)
    }

    /// `loop:`.
    fn endless_loop(&mut self, body: &'a ast::Block, span: Span) -> StmtKind {
        self.forget_assigned(None, body);
        let (mut body, has_break) = self.loop_body(body);
        if !has_break {
            body.ty = TyId::NEVER;
        } else if body.ty == TyId::NEVER {
            // The body leaves early, but the statement after the loop is reached by `break`.
            body.ty = TyId::UNIT;
        }
        let forever = self.mk(ExprKind::Bool(true), TyId::BOOL, span);
        StmtKind::While(Cond::Expr(forever), body)
    }

    pub(in crate::body) fn local_item(&mut self, item: &'a ast::Item, out: &mut Vec<Stmt>) {
        match &item.kind {
            ItemKind::Use(decl) => {
                let module = self.scopes.types().module;
                let globs = self.cx.modules()[module].globs.len();
                for (name, import) in self.cx.read_use(module, decl, false, item.span) {
                    self.cx.validate_import(import);
                    let def = match import.target {
                        Target::Module(module) => Def::Module(module),
                        Target::Item(from, item) => match self.cx.exported(from, item, 0) {
                            crate::modules::Exported::Found(def) => def,
                            _ => Def::Broken,
                        },
                        Target::Broken => Def::Broken,
                    };
                    self.bind(name, Bound::Def(def));
                }
                self.cx.register_impls();
                let added = self.cx.modules_mut()[module].globs.split_off(globs);
                for (from, _) in added {
                    for name in self.cx.exported_names(from) {
                        let name = Symbol::intern(name);
                        if let crate::modules::Exported::Found(def) =
                            self.cx.exported(from, name, 0)
                        {
                            self.bind(name, Bound::Def(def));
                        }
                    }
                }
            }
            ItemKind::Fn(decl) => {
                if matches!(self.scopes.bound(decl.name.name), Some(Bound::Def(Def::Fn(idx)))
                    if std::ptr::eq(self.cx.decls()[idx].decl, decl))
                {
                    return;
                }
                self.nested_fn(item, decl, out);
            }
            // The rest is declared for the whole block by `local_module`.
            _ => {}
        }
    }

    pub(in crate::body) fn let_statement(
        &mut self,
        kind: LetKind,
        pattern: &'a ast::Pattern,
        ty: Option<&'a ast::TypeExpr>,
        value: Option<&'a ast::Expr>,
        span: Span,
        out: &mut Vec<Stmt>,
    ) {
        let scope = self.scopes.types().clone();
        let declared = ty.map(|ty| self.cx.resolve_type(ty, &scope));
        if let (Some(ty), Some(name)) = (ty, simple_name(pattern)) {
            self.cx.output_mut().shapes_mut().binding(name.span, ty);
        }
        let Some(value) = value else {
            self.variable_without_value(pattern, declared, span);
            return;
        };
        // Calls by the name of a lambda know its parameters, as long as nothing else can be assigned to it.
        let lambda = match (kind, declared, simple_name(pattern)) {
            (LetKind::Val | LetKind::Const, None, Some(_)) => Self::as_lambda(value),
            // What else may be assigned has the parameters of this one, without their names and defaults.
            (LetKind::Var, None, Some(_)) => Self::as_lambda(value)
                .filter(|lambda| lambda.params.iter().all(|param| param.default.is_none())),
            _ => None,
        };
        let written = value;
        let (value, named) = match lambda {
            Some(lambda) => {
                let (value, named) = self.lambda_with_name(lambda, value.span, out);
                (value, (kind != LetKind::Var).then_some(named))
            }
            None => {
                let value = match &value.kind {
                    ast::ExprKind::MethodRef(name)
                        if declared.is_none() && simple_name(pattern).is_some() =>
                    {
                        self.waiting_method(*name, value.span)
                    }
                    _ => self.bound_value(value, declared),
                };
                let named = match (kind, declared) {
                    (LetKind::Val, None) => self.parallel_params(written, value.ty),
                    _ => None,
                };
                (value, named)
            }
        };
        let value = match (kind, declared) {
            (LetKind::Const, _) => self.constant_value(value),
            (LetKind::Val, None) => self.present_payload(value),
            _ => value,
        };
        if let Some(name) = simple_name(pattern) {
            let value = self.expect_value(value, ty, "the variable", Some(name.span));
            let source = self.source(written, declared, &value);
            self.let_variable(kind, name, declared, (value, source), named, span, out);
            return;
        }
        let mutable = kind == LetKind::Var;
        let value = self.unwrap_lenient(value);
        let ty = value.ty;
        let place = pattern.span;
        let pattern = self.irrefutable(pattern, ty, mutable);
        if let Some(help) = self.both_parts(written, ty) {
            self.cx
                .reports_mut()
                .advise(codes::BAD_PATTERN, place, help);
        }
        let mut checks = Vec::new();
        let value = self.length_check(&pattern, value, &mut checks);
        out.extend(checks.into_iter().map(|(kind, span)| Stmt { kind, span }));
        self.note_parts(&pattern, &value);
        let kind = match pattern {
            Pattern::Wildcard => StmtKind::Expr(value),
            pattern => StmtKind::LetPattern(pattern, value),
        };
        out.push(Stmt { kind, span });
    }

    /// For a call of a method that yields a tensor of values: the one that yields their places as well.
    fn both_parts(&mut self, value: &'a ast::Expr, ty: TyId) -> Option<String> {
        let ast::ExprKind::Call(call) = &value.kind else {
            return None;
        };
        let ast::ExprKind::Field(base, name, _) = &call.callee.kind else {
            return None;
        };
        if !matches!(self.kind(ty), Ty::Adt(_)) {
            return None;
        }
        let both = format!("{}_dim", name.name);
        if !self.has_method(ty, Symbol::intern(&both)) {
            return None;
        }
        // `torch.max(x, 1)` as well as `x.max(1)`.
        let mut args = call.args.iter().map(|arg| arg.value.span);
        let of = match self.static_base(base).is_some() {
            true => args.next()?,
            false => base.span,
        };
        let text = |span: Span| self.cx.input().text(span);
        let args: Vec<_> = args.map(text).collect();
        let (name, of, args) = (name.name, text(of), args.join(", "));
        Some(format!(
            "`{name}` yields the values alone; values and places are `{of}.{both}({args})`"
        ))
    }

    fn variable_without_value(
        &mut self,
        pattern: &ast::Pattern,
        declared: Option<TyId>,
        span: Span,
    ) {
        let message = "a variable needs an initial value";
        let d =
            Diagnostic::error(codes::MISSING_TYPE, span, message).help("write `var x: T = value`");
        self.cx.report(d);
        if let Some(name) = simple_name(pattern) {
            self.declare(name, declared.unwrap_or(TyId::ERROR), Origin::Var);
        }
    }

    /// Declares a variable with its value, and notes what is known of it by that.
    #[expect(clippy::too_many_arguments, reason = "a binding has this many parts")]
    fn let_variable(
        &mut self,
        kind: LetKind,
        name: ast::Ident,
        declared: Option<TyId>,
        (value, source): (Expr, traps::Source),
        named: Option<Rc<[named::NamedParam<'a>]>>,
        span: Span,
        out: &mut Vec<Stmt>,
    ) {
        let mutable = kind == LetKind::Var;
        let shown = self.is_shown(&value);
        let lenient = declared.is_none() && !shown && self.is_lenient(&value);
        let frozen = declared.is_none() && self.is_frozen(&value);
        let ty = declared.unwrap_or(value.ty);
        if self.lacks_value(&value) && declared.is_none() {
            self.unit_binding(&value);
        }
        let ty = if ty == TyId::NEVER { TyId::UNIT } else { ty };
        self.note_life(name.span, ty);
        let local = self.declare(name, ty, if mutable { Origin::Var } else { Origin::Val });
        if shown {
            self.note_shown(local);
        }
        let home = self.scopes.here();
        let captured = match value.kind {
            ExprKind::Unit => self.captured_by_waiting(&value),
            _ => captured_by(&value),
        };
        self.watch(Holder::Local(home, local), name, &captured);
        if let Some(named) = named {
            self.scopes.frame_mut().named.insert(local, named);
        }
        let meta = &mut self.scopes.frame_mut().meta[local.0 as usize];
        (meta.lenient, meta.frozen) = (lenient, frozen);
        meta.source = source;
        meta.constant = kind == LetKind::Const;
        if kind == LetKind::Const {
            let literal = matches!(
                value.kind,
                ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Bool(_) | ExprKind::Text(_)
            );
            let constant = literal.then(|| value.kind.clone());
            self.scopes.set_constant(home, local, constant);
        }
        out.push(Stmt {
            kind: StmtKind::Let(local, value),
            span,
        });
    }

    /// A variable bound to `()` is nearly always a mistake, but a legal one.
    pub(crate) fn unit_binding(&mut self, value: &Expr) {
        self.without_value(value, "this has no value that could be bound");
    }

    /// `return e`.
    pub(crate) fn return_value(&mut self, value: Option<&'a ast::Expr>, span: Span) -> Expr {
        let never = TyId::NEVER;
        if !self.check_may_leave("`return`", span) {
            return self.mk(ExprKind::Unit, never, span);
        }
        if self.scopes.frame_mut().kind == FrameKind::Init {
            self.cx
                .error(codes::OUTSIDE_FUNCTION, span, "`return` outside a function");
            return self.mk(ExprKind::Unit, never, span);
        }
        if let Some(item) = self.scopes.frame().generates {
            return self.end_generator(value, item, span);
        }
        let declared = self
            .scopes
            .frame_mut()
            .ret
            .or(self.scopes.frame_mut().seen_ret);
        let value = match (value, declared) {
            (None, Some(ret)) => {
                if !self.unify(ret, TyId::UNIT) {
                    let name = self.show(ret);
                    let d = Diagnostic::error(
                        codes::MISSING_RETURN,
                        span,
                        "`return` needs a value here",
                    )
                    .found_expected("()", name);
                    self.cx.report(d);
                }
                None
            }
            (None, None) => {
                self.scopes.frame_mut().seen_ret = Some(TyId::UNIT);
                None
            }
            (Some(e), Some(ret)) => {
                let ret = self.shallow(ret);
                let value = self.expr(e, Want::Ty(ret));
                let value = self.coerce(value, ret, Why::Return);
                Some(Box::new(self.expect_result(value)))
            }
            (Some(e), None) => {
                let value = self.expr(e, Want::Any);
                if value.ty != never {
                    self.scopes.frame_mut().seen_ret = Some(value.ty);
                }
                Some(Box::new(value))
            }
        };
        self.mk(ExprKind::Return(value), never, span)
    }
}
