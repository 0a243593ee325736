//! Checking one function: parameters, `self`, the body, the result type.

use super::*;
use crate::codes;
use crate::promises::Opaque;
use crate::shapes::Site;
use crate::state::Reporting;
use crate::typed::{Expr, Func};
use simple_syntax::Diagnostic;
use simple_syntax::ast::{self, FnKind};

/// How many functions without written result types may wait for each other.
pub(crate) const MAX_NESTING: u32 = 100;

impl<'a> Checker<'a> {
    /// Checks a requested instance, once.
    pub(crate) fn check_instance(&mut self, number: usize) {
        if self.instances()[number].progress != Progress::Untouched {
            return;
        }
        self.instances_mut()[number].progress = Progress::Active;
        let (fn_idx, args, id) = {
            let instance = &self.instances()[number];
            (instance.fn_idx, instance.args.clone(), instance.id)
        };
        let asked = self.instances()[number].asked.clone();
        let called = self.instances()[number]
            .called
            .map(|span| (span, self.decls()[fn_idx].decl.name.name));
        let func = self.asked_by(asked, |cx| {
            // What is wrong with an instance is reported, also where the caller is checked quietly.
            cx.called_by(called, |cx| cx.aloud(|cx| cx.check_as_asked(fn_idx, &args)))
        });
        self.instances_mut()[number].progress = Progress::Done;
        let ret = func.as_ref().map_or(TyId::ERROR, |func| func.ret);
        for span in self.instances_mut().take_unit_calls(number) {
            if ret != TyId::UNIT && ret != TyId::ERROR {
                let decl = self.decls()[fn_idx].decl;
                self.recursive_inference(decl, span);
            }
        }
        if let Some(func) = func {
            let slot = &mut self.output_mut()[id];
            let (name, span, inline) = (std::mem::take(&mut slot.name), slot.span, slot.inline);
            *slot = Func {
                name,
                span,
                inline,
                ..func
            };
        } else {
            self.output_mut()[id].ret = TyId::ERROR;
        }
    }

    fn check_as_asked(&mut self, fn_idx: FnIdx, args: &Rc<[TyId]>) -> Option<Func> {
        // The value or call whose types break a bound is reported; mistakes in the body follow from that.
        let follows = self.is_broken(fn_idx)
            || (!self.reports().is_sound() && !self.keeps_bounds(fn_idx, args));
        self.quietly_if(follows, |cx| {
            cx.instances_mut().nest();
            cx.note_promises(fn_idx, args);
            let func = cx.check_function(fn_idx, args, None);
            cx.instances_mut().unnest();
            func
        })
    }

    /// Whether the type arguments of an instance keep the bounds that its function sees.
    fn keeps_bounds(&mut self, fn_idx: FnIdx, args: &Rc<[TyId]>) -> bool {
        let scope = self.signature(fn_idx, args).scope.clone();
        let bounds = self.bounds_of(fn_idx, &scope);
        bounds.into_iter().all(|(name, bound, _)| {
            let found = scope.env.iter().rev().find(|(known, _)| *known == name);
            found.is_none_or(|&(_, ty)| self.implements(ty, bound))
        })
    }

    /// The result type of an instance, which is checked now if it has no written one.
    ///
    /// A recursive call whose value is not used (`unused`) is taken to yield `()`; `check_instance` verifies that.
    pub(crate) fn instance_ret(&mut self, number: usize, unused: bool, span: Span) -> TyId {
        let (fn_idx, id, progress) = {
            let instance = &self.instances()[number];
            (instance.fn_idx, instance.id, instance.progress)
        };
        let decl = self.decls()[fn_idx].decl;
        match progress {
            Progress::Done => {}
            Progress::Active if unused => {
                self.instances_mut().add_unit_call(number, span);
                return TyId::UNIT;
            }
            Progress::Active => {
                self.recursive_inference(decl, span);
                return TyId::ERROR;
            }
            Progress::Untouched if self.instances().nesting() >= MAX_NESTING => {
                let d = Diagnostic::error(
                    codes::RECURSIVE_INFERENCE,
                    span,
                    format!(
                        "the result type of `{}` depends on too many functions in turn",
                        decl.name.name
                    ),
                )
                .related(decl.head, "declared here without a result type")
                .help("add `-> T` to its head");
                self.report(d);
                return TyId::ERROR;
            }
            Progress::Untouched => self.check_instance(number),
        }
        self.output()[id].ret
    }

    pub(in crate::body) fn recursive_inference(&mut self, decl: &ast::FnDecl, span: Span) {
        let d = Diagnostic::error(
            codes::RECURSIVE_INFERENCE,
            span,
            format!(
                "the result type of `{}` is needed before its body is checked",
                decl.name.name
            ),
        )
        .related(
            decl.head,
            "a recursive function needs a written result type",
        )
        .help("add `-> T` to its head");
        // One report a function is enough, however often it calls itself.
        let alike = |other: &Diagnostic| other.code == d.code && other.related == d.related;
        if self.reports().has(alike) {
            self.reports_mut().count_follow_up();
            return;
        }
        self.report(d);
    }

    /// Checks a body under type arguments, some of which may be opaque.
    pub(crate) fn check_function(
        &mut self,
        fn_idx: FnIdx,
        args: &Rc<[TyId]>,
        opaque: Option<Opaque>,
    ) -> Option<Func> {
        self.once(|cx| cx.check_body(fn_idx, args, opaque))
    }

    fn check_body(
        &mut self,
        fn_idx: FnIdx,
        args: &Rc<[TyId]>,
        opaque: Option<Opaque>,
    ) -> Option<Func> {
        let info = &self.decls()[fn_idx];
        let (decl, owner, is_static) = (info.decl, info.owner, info.is_static);
        let body_block = decl.body.as_ref()?;
        if decl.is_async {
            self.unsupported(decl.head, "`async` functions");
            return None;
        }
        let signature = self.signature(fn_idx, args);
        let is_main = decl.name.name.as_str() == "main" && matches!(owner, Owner::Free);
        let ret = signature.ret.or_else(|| self.result_by_trait(fn_idx, args));
        let frame = Frame::new(FrameKind::Function, ret);
        let mut body = Body::new(self, signature.scope.clone(), frame);
        if let Some(opaque) = opaque {
            body.purpose.make_opaque(opaque.bounds, opaque.notes);
        }
        body.purpose.set_trait(body.cx.decls()[fn_idx].of_trait);
        body.open();
        for &(name, def) in body.cx.decls()[fn_idx].outer_defs.clone().iter() {
            body.bind(name, Bound::Def(def));
        }
        for captured in body.cx.decls()[fn_idx].captured.clone() {
            let origin = match captured.name == body.scopes.self_name() {
                true => Origin::SelfFixed,
                false => Origin::Captured,
            };
            let ty = captured.ty.unwrap_or(TyId::ERROR);
            let id = body.local(captured.name.as_str(), ty, origin, decl.head);
            let meta = &mut body.scopes.frame_mut().meta[id.0 as usize];
            (meta.lenient, meta.frozen) = (captured.lenient, captured.frozen);
            body.bind(captured.name, Bound::Local(0, id));
            body.bind(captured.hidden, Bound::Local(0, id));
            body.scopes.frame_mut().params.push(id);
        }
        body.open();
        let mut inout_self = false;
        if let (false, Some(ty)) = (is_static, signature.self_ty) {
            let class = match body.ty(ty) {
                Ty::Adt(adt) => body.cx.types().adts[adt.0 as usize].kind == AdtKind::Class,
                Ty::Trait(_) | Ty::Fn(..) => true,
                _ => false,
            };
            inout_self = decl.kind == FnKind::Me && !class;
            let origin = if inout_self {
                Origin::SelfMutable
            } else {
                Origin::SelfFixed
            };
            let id = body.local("self", ty, origin, decl.name.span);
            let name = body.scopes.self_name();
            body.bind(name, Bound::Local(0, id));
            body.scopes.frame_mut().params.push(id);
        }
        for (param, &ty) in decl.params.iter().zip(&signature.params) {
            let id = body.declare(param.name, ty, Origin::Param);
            body.scopes.frame_mut().params.push(id);
        }
        body.scopes.frame_mut().written_ret = decl.ret.as_ref();
        let (ret, wanted) = body.results(ret, decl, inout_self);
        let checks = body.expect_params(&decl.params, &decl.where_clauses, |at| {
            Site::Param(fn_idx, at)
        });
        body.open();
        let value = body.function_body(body_block, wanted, decl.head, is_main);
        let value = body.after(checks, value);
        let ret = ret.unwrap_or(value.ty);
        let generates = body.scopes.frame().generates;
        let frame = body.close_body();
        let mut func = Func {
            name: String::new(),
            locals: frame.locals,
            params: frame.params,
            captures: Vec::new(),
            inout_self,
            ret,
            body: Some(value),
            span: decl.head,
            inline: false,
            is_generator: false,
        };
        if let Some(item) = generates {
            let name = body.cx.func_name(fn_idx, signature.self_ty);
            body.make_generator(&mut func, item, name);
        }
        body.finish(&mut func);
        Some(func)
    }

    /// The bounds on the type parameters that a function sees.
    pub(crate) fn bounds_of(&mut self, fn_idx: FnIdx, scope: &TypeScope) -> Vec<TypeBound> {
        let info = &self.decls()[fn_idx];
        let (decl, owner) = (info.decl, info.owner);
        let mut out = match owner {
            Owner::Trait(idx) => {
                let args = self.trait_args_in(idx, scope);
                vec![(Symbol::intern("Self"), idx, args)]
            }
            _ => Vec::new(),
        };
        out.extend(self.bounds_in(&decl.generics, &decl.where_clauses, scope));
        match owner {
            Owner::Type(decl) => out.extend(self.bounds_of_type(decl, scope)),
            Owner::Impl(idx) => {
                if let Some(decl) = self.decls()[idx].decl {
                    out.extend(self.bounds_in(&decl.generics, &decl.where_clauses, scope));
                }
            }
            Owner::Trait(_) | Owner::Free => {}
        }
        out
    }

    /// The bounds on the type parameters of a struct, class or enum.
    pub(crate) fn bounds_of_type(&mut self, decl: DeclIdx, scope: &TypeScope) -> Vec<TypeBound> {
        match self.decls()[decl].shape {
            Shape::Record(decl, _) => self.bounds_in(&decl.generics, &decl.where_clauses, scope),
            Shape::Enum(decl) => self.bounds_in(&decl.generics, &[], scope),
        }
    }

    /// The bounds that are written with type parameters and after `where`.
    pub(crate) fn bounds_in(
        &mut self,
        generics: &'a [ast::GenericParam],
        clauses: &'a [ast::WhereClause],
        scope: &TypeScope,
    ) -> Vec<TypeBound> {
        let of_params = generics.iter().flat_map(|generic| {
            generic
                .bounds
                .iter()
                .map(|bound| (generic.name.name, bound))
        });
        let of_where = clauses
            .iter()
            .flat_map(|clause| clause.bounds.iter().map(|bound| (clause.name.name, bound)));
        of_params
            .chain(of_where)
            .filter_map(|(name, bound)| {
                let (idx, args) = self.resolve_trait(bound, scope)?;
                Some((name, idx, args))
            })
            .collect()
    }
}

impl<'a> Checker<'a> {
    /// The type arguments of a trait, without `Self`, in the scope of one of its methods.
    fn trait_args_in(&self, idx: TraitIdx, scope: &TypeScope) -> Rc<[TyId]> {
        self.decls()[idx].generics[1..]
            .iter()
            .map(|name| {
                let found = scope.env.iter().rev().find(|(known, _)| known == name);
                found.map_or(TyId::ERROR, |&(_, ty)| ty)
            })
            .collect()
    }
}

impl<'c, 'a> Body<'c, 'a> {
    /// The body of a function or lambda as one expression of its result type.
    pub(crate) fn function_body(
        &mut self,
        block: &'a ast::Block,
        ret: Option<TyId>,
        head: Span,
        main: bool,
    ) -> Expr {
        let span = block.span;
        let Some(ret) = ret else {
            return self.inferred_body(block, main);
        };
        let ret = self.shallow(ret);
        if ret == TyId::UNIT {
            let mut value = self.block(block, Want::Discard);
            if value.ty != TyId::NEVER {
                value = self.discarded(value);
            }
            return value;
        }
        let value = self.block(block, Want::Ty(ret));
        if self.lacks_value(&value) && ret != TyId::ERROR && !self.is_unknown(ret) {
            let name = self.show(ret);
            let place = block.stmts.last().map_or(span, |s| s.span);
            let d = Diagnostic::error(
                codes::MISSING_RETURN,
                head,
                "not every path yields a result",
            )
            .found_expected("()", name.clone())
            .related(place, "the body can end here without a value")
            .help(match block.stmts.last().map(|stmt| &stmt.kind) {
                Some(ast::StmtKind::While { cond, .. }) if is_always_true(cond) => {
                    "write `loop:` for a loop that only `return` and `break` end".to_owned()
                }
                _ => format!("end it with an expression of type `{name}` or a `return`"),
            });
            self.cx.report(d);
            return self.bad(span);
        }
        let value = self.coerce(value, ret, Why::Return);
        self.expect_result(value)
    }

    fn inferred_body(&mut self, block: &'a ast::Block, main: bool) -> Expr {
        let value = self.block(block, Want::Tail);
        let seen = self.scopes.frame_mut().seen_ret;
        let ty = self.shallow(value.ty);
        if let Some(seen) = seen {
            let seen = self.shallow(seen);
            if ty == TyId::NEVER {
                return Expr { ty: seen, ..value };
            }
            if seen == TyId::UNIT {
                return self.discarded(value);
            }
            if ty == TyId::UNIT {
                let place = block.stmts.last().map_or(block.span, |s| s.span);
                let name = self.show(seen);
                let d = Diagnostic::error(
                    codes::MISSING_RETURN,
                    place,
                    "not every path yields a result",
                )
                .found_expected("()", name)
                .help(match self.kind(seen) {
                    Ty::Result(_, error) => {
                        let error = self.show(error);
                        format!("a `?` in it makes the function yield a `Result`: write `-> Result<(), {error}>` and end it with `Ok(())`")
                    }
                    _ => "end the body with a value, or leave out the values of its `return`s".into(),
                });
                self.cx.report(d);
                return self.bad(value.span);
            }
            return self.coerce(value, seen, Why::Return);
        }
        // Only a written type makes an exit code; an `Err` is told in any case.
        if main && !matches!(self.kind(ty), Ty::Unit | Ty::Result(..) | Ty::Error) {
            if let Some(ast::StmtKind::Expr(last)) = block.stmts.last().map(|stmt| &stmt.kind) {
                self.dropped(last, &value);
            }
            return self.discarded(value);
        }
        if ty == TyId::NEVER {
            Expr {
                ty: TyId::UNIT,
                ..value
            }
        } else {
            value
        }
    }

    /// A value whose result is not used, as `()`.
    pub(crate) fn discarded(&mut self, value: Expr) -> Expr {
        if value.ty == TyId::UNIT || value.ty == TyId::NEVER || value.ty == TyId::ERROR {
            return value;
        }
        let span = value.span;
        self.mk(
            ExprKind::Convert(Convert::Discard, Box::new(value)),
            TyId::UNIT,
            span,
        )
    }
}

use super::convert::Why;

/// Whether a condition is the word `true`.
fn is_always_true(cond: &ast::Cond) -> bool {
    matches!(cond, ast::Cond::Expr(e) if matches!(e.kind, ast::ExprKind::Bool(true)))
}
