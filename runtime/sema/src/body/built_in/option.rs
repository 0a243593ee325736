//! Options and results: `??`, `!`, `?`, `.?`, the constructors `Some Ok Err`, and their core methods.

use super::args::{Given, GivenValue};
use super::convert::Why;
use super::*;
use crate::codes;
use crate::typed::{Expr, Pattern};
use simple_syntax::Diagnostic;
use simple_syntax::ast;

impl<'c, 'a> Body<'c, 'a> {
    /// `Some(x)`, `Ok(x)`, `Err(e)`.
    pub(crate) fn wrap(
        &mut self,
        which: &str,
        mut args: Vec<Given<'a>>,
        want: Want,
        span: Span,
    ) -> Expr {
        if args.len() > 1 || (args.is_empty() && which != "Ok") {
            return self.wraps_one(which, args.len(), None, span);
        }
        let hint = self.hint(want).map(|ty| self.kind(ty));
        let hint = match hint {
            // An optional result is expected: the result inside it is what is made here.
            Some(Ty::Option(item)) if which != "Some" => Some(self.kind(item)),
            hint => hint,
        };
        let payload_hint = match (&hint, which) {
            (Some(Ty::Option(item)), "Some") => Some(*item),
            (Some(Ty::Result(ok, _)), "Ok") => Some(*ok),
            (Some(Ty::Result(_, err)), "Err") => Some(*err),
            _ => None,
        };
        let payload = match args.pop().map(|a| a.value) {
            // `Ok()` is `Ok(())`: the value of such a result is `()`.
            None => match payload_hint {
                Some(ty) if !self.unify(ty, TyId::UNIT) => {
                    return self.wraps_one(which, 0, Some(ty), span);
                }
                _ => self.mk(ExprKind::Unit, TyId::UNIT, span),
            },
            Some(GivenValue::Ast(e)) => {
                let value = match payload_hint {
                    Some(ty) => {
                        let value = self.argument(e, ty);
                        self.coerce(value, ty, Why::Argument("value"))
                    }
                    None => self.expr(e, Want::Any),
                };
                if payload_hint.is_none() {
                    self.unwrap_lenient(value)
                } else {
                    value
                }
            }
            Some(GivenValue::Typed(Some(value))) => match payload_hint {
                Some(ty) => self.coerce(value, ty, Why::Argument("value")),
                None => value,
            },
            Some(_) => {
                let message = format!("`{which}` wraps a value, not a block; write a lambda");
                self.cx.error(codes::TYPE_MISMATCH, span, message);
                return self.bad(span);
            }
        };
        if payload.ty == TyId::ERROR {
            return payload;
        }
        let item = payload_hint.unwrap_or(payload.ty);
        match which {
            "Some" => {
                let ty = self.intern(Ty::Option(item));
                self.mk(ExprKind::Some(Box::new(payload)), ty, span)
            }
            "Ok" => {
                let err = match hint {
                    Some(Ty::Result(_, err)) => err,
                    _ => self.fresh(span, infer::Origin::ErrorOfResult),
                };
                let ty = self.intern(Ty::Result(item, err));
                self.mk(ExprKind::Ok(Box::new(payload)), ty, span)
            }
            _ => {
                let ok = match hint {
                    Some(Ty::Result(ok, _)) => ok,
                    _ => self.fresh(span, infer::Origin::ValueOfResult),
                };
                let ty = self.intern(Ty::Result(ok, item));
                self.mk(ExprKind::Err(Box::new(payload)), ty, span)
            }
        }
    }

    /// Reports `Some`, `Ok` or `Err` with another number of values than one. `wanted` is the type of the value that is missing.
    fn wraps_one(&mut self, which: &str, given: usize, wanted: Option<TyId>, span: Span) -> Expr {
        let given = crate::counts::given_count(given);
        let message = format!("`{which}` takes 1 argument, but {given}");
        let mut d = Diagnostic::error(codes::ARG_COUNT, span, message);
        if let Some(wanted) = wanted {
            let wanted = self.show(wanted);
            d = d
                .note("`Ok()` is `Ok(())`, for results whose value is `()`")
                .help(format!("give a value of type `{wanted}`: `Ok(...)`"));
        }
        self.cx.report(d);
        self.bad(span)
    }

    pub(in crate::body) fn not_optional(&mut self, op: &str, value: &Expr) -> Expr {
        if self.shallow(value.ty) != TyId::ERROR {
            let name = self.show(value.ty);
            let d = Diagnostic::error(
                codes::BAD_OPERAND,
                value.span,
                format!("`{op}` on `{name}`, which is never absent"),
            )
            .found_expected(name, "an optional value or a result");
            self.cx.report(d);
        }
        self.bad(value.span)
    }

    /// An option of an option as one option.
    pub(crate) fn flattened(&mut self, value: Expr) -> Expr {
        let mut value = value;
        while let Ty::Option(item) = self.kind(value.ty)
            && let Ty::Option(_) = self.kind(item)
        {
            let (item, span) = (self.shallow(item), value.span);
            let nil = self.mk(ExprKind::Nil, item, span);
            value = self.mk(
                ExprKind::Coalesce(Box::new(value), Box::new(nil)),
                item,
                span,
            );
        }
        value
    }

    pub(crate) fn coalesce(
        &mut self,
        a: &'a ast::Expr,
        b: &'a ast::Expr,
        want: Want,
        span: Span,
    ) -> Expr {
        let value = self.expr(a, Want::Any);
        let value = self.flattened(value);
        let item = match self.kind(value.ty) {
            Ty::Option(item) | Ty::Result(item, _) => self.shallow(item),
            Ty::Error => {
                self.expr(b, want);
                return value;
            }
            _ => {
                self.expr(b, want);
                return self.not_optional("??", &value);
            }
        };
        let hint = if self.is_unknown(item) {
            want
        } else {
            Want::Ty(item)
        };
        let other = self.expr(b, hint);
        // `a ?? b` with an optional `b` stays optional.
        if let Ty::Option(inner) = self.kind(other.ty)
            && !matches!(self.kind(item), Ty::Option(_))
            && !self.is_lenient(&other)
            && self.could_unify(inner, item)
        {
            self.unify(inner, item);
            let ty = other.ty;
            let local = self.temp(item, span);
            let read = self.read(local, span);
            let some = self.mk(ExprKind::Some(Box::new(read)), ty, span);
            let pattern = if matches!(self.kind(value.ty), Ty::Option(_)) {
                Pattern::Some(Box::new(Pattern::Bind(local)))
            } else {
                Pattern::Ok(Box::new(Pattern::Bind(local)))
            };
            let kind = ExprKind::If {
                cond: Box::new(Cond::Pattern(pattern, value)),
                then: Box::new(some),
                otherwise: Some(Box::new(other)),
            };
            return self.mk(kind, ty, span);
        }
        let other = self.coerce(other, item, Why::Operand);
        self.mk(
            ExprKind::Coalesce(Box::new(value), Box::new(other)),
            item,
            span,
        )
    }

    pub(crate) fn unwrap_expr(&mut self, inner: &'a ast::Expr, span: Span) -> Expr {
        let value = self.expr(inner, Want::Any);
        self.unwrap_value(value, span)
    }

    /// `value!`.
    pub(in crate::body) fn unwrap_value(&mut self, value: Expr, span: Span) -> Expr {
        match self.kind(value.ty) {
            Ty::Option(item) | Ty::Result(item, _) => {
                let item = self.shallow(item);
                self.mk(
                    ExprKind::Unwrap(Box::new(value), UnwrapKind::Explicit),
                    item,
                    span,
                )
            }
            _ => self.not_optional("!", &value),
        }
    }

    /// The static method `from` or `from_...` of an error type that takes an error of another type.
    fn error_conversion(&mut self, from: TyId, to: TyId) -> Option<(FnIdx, Rc<[TyId]>)> {
        let (from, to) = (self.resolve(from), self.resolve(to));
        let mut names: Vec<&str> = self.cx.method_names(to);
        names.retain(|name| *name == "from" || name.starts_with("from_"));
        let mut convertible = None;
        for name in names {
            let Some((fn_idx, owner)) = self.cx.find_method(to, Symbol::intern(name)) else {
                continue;
            };
            let info = &self.cx.decls()[fn_idx];
            if !info.is_static || info.generics.len() != owner.len() {
                continue;
            }
            let signature = self.cx.signature(fn_idx, &owner);
            let [param] = signature.params[..] else {
                continue;
            };
            if param == from {
                return Some((fn_idx, owner));
            }
            if convertible.is_none() && self.convertible(from, param) {
                convertible = Some((fn_idx, owner));
            }
        }
        convertible
    }

    /// `a?` whose error is converted to that of the function.
    fn converting_try(
        &mut self,
        value: Expr,
        ret: TyId,
        convert: (FnIdx, &[TyId]),
        span: Span,
    ) -> Expr {
        let Ty::Result(ok, err) = self.kind(value.ty) else {
            return self.bad(span);
        };
        let payload = self.temp(ok, span);
        let error = self.temp(err, span);
        let given = vec![Given::typed(self.read(error, span))];
        let converted = self.call_fn(convert.0, convert.1, None, &[], given, Want::Any, span);
        let Ty::Result(_, wanted) = self.kind(ret) else {
            return self.bad(span);
        };
        let converted = self.coerce(converted, wanted, Why::Return);
        let failed = self.mk(ExprKind::Err(Box::new(converted)), ret, span);
        let leave = self.mk(ExprKind::Return(Some(Box::new(failed))), TyId::NEVER, span);
        let arms = vec![
            Arm {
                pattern: Pattern::Ok(Box::new(Pattern::Bind(payload))),
                guard: None,
                body: self.read(payload, span),
            },
            Arm {
                pattern: Pattern::Err(Box::new(Pattern::Bind(error))),
                guard: None,
                body: leave,
            },
        ];
        let kind = ExprKind::Match {
            scrutinee: Box::new(value),
            arms,
        };
        self.mk(kind, ok, span)
    }

    pub(crate) fn try_expr(&mut self, inner: &'a ast::Expr, span: Span) -> Expr {
        let value = self.expr(inner, Want::Any);
        self.try_value(value, span)
    }

    /// The payload of an option or result; an absent one or an error leaves the function.
    pub(crate) fn try_value(&mut self, value: Expr, span: Span) -> Expr {
        let kind = self.kind(value.ty);
        if self.shallow(value.ty) == TyId::ERROR {
            return value;
        }
        if !matches!(kind, Ty::Option(_) | Ty::Result(..)) {
            return self.not_optional("?", &value);
        }
        if !self.check_may_leave("`?`", span) {
            return self.bad(span);
        }
        let frame = &self.scopes.frame();
        if frame.generates.is_some() {
            let d = Diagnostic::error(codes::BAD_TRY, span, "`?` cannot leave a generator")
                .help("test the value with `if val x = ...:`, take it with `!`, or yield the result itself");
            self.cx.report(d);
            return self.bad(span);
        }
        if frame.kind == FrameKind::Init {
            self.cx.error(
                codes::BAD_TRY,
                span,
                "`?` outside a function: there is nothing to return to",
            );
            return self.bad(span);
        }
        let declared = frame.ret.or(frame.seen_ret);
        let Some(ret) = declared else {
            // The result type is inferred: it becomes the kind of value that `?` hands on.
            let ok = self.fresh(span, infer::Origin::FunctionResult);
            let ret = match kind {
                Ty::Option(_) => self.intern(Ty::Option(ok)),
                Ty::Result(_, err) => self.intern(Ty::Result(ok, err)),
                _ => return self.bad(span),
            };
            self.scopes.frame_mut().seen_ret = Some(ret);
            return self.finish_try(value, kind, span);
        };
        let fits = match (&kind, self.kind(ret)) {
            (Ty::Option(_), Ty::Option(_)) => true,
            (Ty::Result(_, from), Ty::Result(_, to)) => {
                let (from, to) = (*from, to);
                if self.could_unify(from, to) && self.unify(from, to) {
                    true
                } else if let Some((fn_idx, owner)) = self.error_conversion(from, to) {
                    return self.converting_try(value, ret, (fn_idx, &owner), span);
                } else {
                    let (found, expected) = (self.show(from), self.show(to));
                    let d = Diagnostic::error(
                        codes::BAD_TRY,
                        span,
                        "`?` passes on an error of a different type",
                    )
                    .found_expected(found, expected)
                    .help("convert it with `.map_err(\\e: ...)` before the `?`, or give the error type a `static fn from(e: ...)`");
                    self.cx.report(d);
                    return self.bad(span);
                }
            }
            (_, Ty::Error) => true,
            _ => false,
        };
        if !fits {
            let (found, expected) = (self.show(value.ty), self.show(ret));
            let wanted = if matches!(kind, Ty::Option(_)) {
                "an optional"
            } else {
                "a `Result`"
            };
            let d = Diagnostic::error(
                codes::BAD_TRY,
                span,
                format!("`?` returns from the function on failure, but its result is not {wanted}"),
            )
            .found_expected(
                format!("`?` on {found}"),
                format!("a function that returns {wanted}, not {expected}"),
            );
            self.cx.report(d);
            return self.bad(span);
        }
        self.finish_try(value, kind, span)
    }

    pub(in crate::body) fn finish_try(&mut self, value: Expr, kind: Ty, span: Span) -> Expr {
        let item = match kind {
            Ty::Option(item) | Ty::Result(item, _) => self.shallow(item),
            _ => TyId::ERROR,
        };
        self.mk(ExprKind::Try(Box::new(value)), item, span)
    }

    /// `a.?` where a `bool` is expected.
    pub(crate) fn presence_test(&mut self, inner: &'a ast::Expr, span: Span) -> Expr {
        let value = self.expr(inner, Want::Any);
        let value = self.flattened(value);
        self.presence_of(value, span)
    }

    pub(in crate::body) fn presence_of(&mut self, value: Expr, span: Span) -> Expr {
        let length = match self.kind(value.ty) {
            Ty::Option(_) | Ty::Result(..) => {
                return self.mk(ExprKind::IsPresent(Box::new(value)), TyId::BOOL, span);
            }
            Ty::Text => Intrinsic::TextByteLen,
            Ty::Array(_) => Intrinsic::ArrayLen,
            Ty::Dict(..) => Intrinsic::DictLen,
            Ty::Set(_) => Intrinsic::SetLen,
            Ty::Error => return self.bad(span),
            _ => {
                let yes = self.mk(ExprKind::Bool(true), TyId::BOOL, span);
                return self.then(value, yes, span);
            }
        };
        let length = self.mk(ExprKind::Intrinsic(length, vec![value]), TyId::I64, span);
        let zero = self.mk(ExprKind::Int(0), TyId::I64, span);
        self.mk(
            ExprKind::Compare(CompareOp::Ne, Box::new(length), Box::new(zero)),
            TyId::BOOL,
            span,
        )
    }

    /// `a.?`: a `bool` where one is expected, elsewhere an optional.
    pub(crate) fn presence(&mut self, inner: &'a ast::Expr, want: Want, span: Span) -> Expr {
        if self.hint(want) == Some(TyId::BOOL) {
            return self.presence_test(inner, span);
        }
        let value = self.expr(inner, Want::Any);
        let value = self.flattened(value);
        let ty = self.shallow(value.ty);
        if ty == TyId::ERROR {
            return value;
        }
        if let Ty::Option(_) = self.kind(ty) {
            return value;
        }
        let holder = self.temp(ty, span);
        let option = self.intern(Ty::Option(ty));
        let read = self.read(holder, span);
        let test = self.presence_of(read, span);
        let read = self.read(holder, span);
        let some = self.mk(ExprKind::Some(Box::new(read)), option, span);
        let nil = self.mk(ExprKind::Nil, option, span);
        let kind = ExprKind::If {
            cond: Box::new(Cond::Expr(test)),
            then: Box::new(some),
            otherwise: Some(Box::new(nil)),
        };
        let body = self.mk(kind, option, span);
        self.mk(
            ExprKind::Let(holder, Box::new(value), Box::new(body)),
            option,
            span,
        )
    }
}
