//! Core methods of options and results, as matches over them.
//!
//! Operators on them are in `option.rs`; further methods are looked up like any other.

use super::args::{Given, GivenValue};
use super::convert::Why;
use super::method::Receiver;
use super::*;
use crate::codes;
use crate::typed::{Arm, Expr, Pattern};
use simple_syntax::ast::Ident;

/// The core methods of options.
pub(in crate::body) const OPTION: &[&str] = &[
    "is_some",
    "is_none",
    "unwrap",
    "expect",
    "unwrap_or",
    "unwrap_or_else",
    "map",
    "and_then",
    "or",
    "or_else",
    "filter",
    "flatten",
    "ok_or",
];

/// The core methods of results.
pub(in crate::body) const RESULT: &[&str] = &[
    "is_ok",
    "is_err",
    "unwrap",
    "unwrap_err",
    "unwrap_or",
    "unwrap_or_else",
    "expect",
    "ok",
    "err",
    "map",
    "map_err",
    "and_then",
    "or_else",
];

/// With how many arguments a core method of options, or of results, is called; `None` for any other name.
pub(in crate::body) fn count_of(name: &str, result: bool) -> Option<usize> {
    Some(match (name, result) {
        ("is_some" | "is_none" | "flatten", false)
        | ("is_ok" | "is_err" | "unwrap_err" | "ok" | "err", true) => 0,
        ("unwrap", _) => 0,
        ("expect" | "unwrap_or" | "unwrap_or_else" | "map" | "and_then" | "or_else", _) => 1,
        ("or" | "filter" | "ok_or", false) | ("map_err", true) => 1,
        _ => return None,
    })
}

/// An option or result that a core method is called on.
struct Held {
    value: Expr,
    ty: TyId,
    /// The type of what is there.
    ok: TyId,
    /// The type of a result's error.
    err: Option<TyId>,
    /// The call.
    span: Span,
}

impl<'c, 'a> Body<'c, 'a> {
    /// A method of an option or result; gives receiver and arguments back if it is not a core one.
    pub(crate) fn option_method(
        &mut self,
        receiver: Receiver,
        name: Ident,
        args: Vec<Given<'a>>,
        want: Want,
        span: Span,
    ) -> Result<Expr, (Receiver, Vec<Given<'a>>)> {
        let ty = self.receiver_ty(&receiver);
        let (ok, err) = match self.kind(ty) {
            Ty::Option(item) => (self.shallow(item), None),
            Ty::Result(ok, err) => (self.shallow(ok), Some(self.shallow(err))),
            _ => return Err((receiver, args)),
        };
        let text = name.name.as_str();
        let Some(count) = count_of(text, err.is_some()) else {
            return Err((receiver, args));
        };
        let value = self.receiver_value(receiver);
        if args.len() != count || args.iter().any(|a| a.label.is_some()) {
            let message = format!(
                "`{text}` takes {}, but {}",
                crate::counts::counted(count, "argument"),
                crate::counts::given_count(args.len())
            );
            self.cx.error(codes::ARG_COUNT, span, message);
            return Ok(self.bad(span));
        }
        let arg = args.into_iter().next();
        let held = Held {
            value,
            ty,
            ok,
            err,
            span,
        };
        Ok(match text {
            "is_some" | "is_ok" => self.is_present(held),
            "is_none" | "is_err" => {
                let present = self.is_present(held);
                self.mk(ExprKind::Not(Box::new(present)), TyId::BOOL, span)
            }
            "unwrap" => {
                let kind = ExprKind::Unwrap(Box::new(held.value), UnwrapKind::Explicit);
                self.mk(kind, ok, span)
            }
            "expect" => self.payload_or_panic(held, arg),
            "unwrap_or" => self.or_other(held, arg),
            "unwrap_or_else" => self.or_called(held, arg),
            "map" => self.mapped(held, true, arg),
            "and_then" => self.mapped(held, false, arg),
            "map_err" => self.mapped_error(held, arg),
            "or_else" => self.or_option_called(held, arg),
            "or" => self.or_option(held, arg),
            "ok_or" => self.result_with_error(held, arg, want),
            "filter" => self.kept_if(held, arg),
            "flatten" if !matches!(self.kind(ok), Ty::Option(_)) => held.value,
            "flatten" => {
                let nil = self.mk(ExprKind::Nil, ok, span);
                let kind = ExprKind::Coalesce(Box::new(held.value), Box::new(nil));
                self.mk(kind, ok, span)
            }
            "ok" => self.ok_of(held),
            "err" => self.err_of(held),
            _ => self.unwrapped_error(held),
        })
    }

    fn is_present(&mut self, held: Held) -> Expr {
        let kind = ExprKind::IsPresent(Box::new(held.value));
        self.mk(kind, TyId::BOOL, held.span)
    }

    /// What is there; `expect` ends the program with its message where nothing is.
    fn payload_or_panic(&mut self, held: Held, arg: Option<Given<'a>>) -> Expr {
        let Held {
            value, ok, span, ..
        } = held;
        let message = self.one_arg(arg, TyId::TEXT);
        match message.kind {
            ExprKind::Text(message) => self.mk(
                ExprKind::Unwrap(Box::new(value), UnwrapKind::Expect(message)),
                ok,
                span,
            ),
            _ => {
                let panic = self.mk(
                    ExprKind::Intrinsic(Intrinsic::Panic, vec![message]),
                    TyId::NEVER,
                    span,
                );
                self.mk(
                    ExprKind::Coalesce(Box::new(value), Box::new(panic)),
                    ok,
                    span,
                )
            }
        }
    }

    /// `unwrap_or`: another value where nothing is there.
    fn or_other(&mut self, held: Held, arg: Option<Given<'a>>) -> Expr {
        let Held {
            value, ok, span, ..
        } = held;
        let other = self.one_arg(arg, ok);
        self.in_order(value, other, span, |this, value, other| {
            this.mk(
                ExprKind::Coalesce(Box::new(value), Box::new(other)),
                ok,
                span,
            )
        })
    }

    /// `unwrap_or_else`: what a function yields where nothing is there.
    fn or_called(&mut self, held: Held, arg: Option<Given<'a>>) -> Expr {
        let Held {
            value,
            ok,
            err,
            span,
            ..
        } = held;
        let params = err.into_iter().collect();
        let ty = self.intern(Ty::Fn(params, ok));
        let f = self.one_arg(arg, ty);
        match err {
            None => {
                let call = self.mk(ExprKind::CallValue(Box::new(f), Vec::new()), ok, span);
                self.mk(
                    ExprKind::Coalesce(Box::new(value), Box::new(call)),
                    ok,
                    span,
                )
            }
            Some(_) => self.fold_option(
                value,
                f,
                ok,
                span,
                |_, payload| payload,
                |this, f, e| {
                    this.mk(
                        ExprKind::CallValue(Box::new(f), e.into_iter().collect()),
                        ok,
                        span,
                    )
                },
            ),
        }
    }

    /// `map_err`: the error goes through a function.
    fn mapped_error(&mut self, held: Held, arg: Option<Given<'a>>) -> Expr {
        let Held {
            value,
            ok,
            err,
            span,
            ..
        } = held;
        let Some(err) = err else {
            return self.bad(span);
        };
        let new = self.fresh(span, infer::Origin::GivenResult);
        let fn_ty = self.intern(Ty::Fn(vec![err], new));
        let f = self.one_arg(arg, fn_ty);
        let new = self.shallow(new);
        let out = self.intern(Ty::Result(ok, new));
        let holder = self.temp(fn_ty, span);
        let f_read = self.read(holder, span);
        let body = self.fold_value(
            value,
            out,
            span,
            |this, payload| this.mk(ExprKind::Ok(Box::new(payload)), out, span),
            |this, e| {
                let call = this.mk(
                    ExprKind::CallValue(Box::new(f_read), e.into_iter().collect()),
                    new,
                    span,
                );
                this.mk(ExprKind::Err(Box::new(call)), out, span)
            },
        );
        self.mk(
            ExprKind::Let(holder, Box::new(f), Box::new(body)),
            out,
            span,
        )
    }

    /// `or_else`: the option or result that a function yields where nothing is there.
    fn or_option_called(&mut self, held: Held, arg: Option<Given<'a>>) -> Expr {
        let Held {
            value,
            ty,
            err,
            span,
            ..
        } = held;
        let fn_ty = self.intern(Ty::Fn(err.into_iter().collect(), ty));
        let f = self.one_arg(arg, fn_ty);
        let holder = self.temp(fn_ty, span);
        let f_read = self.read(holder, span);
        let body = self.fold_value(
            value,
            ty,
            span,
            |this, payload| {
                let kind = if err.is_some() {
                    ExprKind::Ok(Box::new(payload))
                } else {
                    ExprKind::Some(Box::new(payload))
                };
                this.mk(kind, ty, span)
            },
            |this, e| {
                this.mk(
                    ExprKind::CallValue(Box::new(f_read), e.into_iter().collect()),
                    ty,
                    span,
                )
            },
        );
        self.mk(ExprKind::Let(holder, Box::new(f), Box::new(body)), ty, span)
    }

    /// `or`: another option where nothing is there.
    fn or_option(&mut self, held: Held, arg: Option<Given<'a>>) -> Expr {
        let Held {
            value, ty, span, ..
        } = held;
        let other = self.one_arg(arg, ty);
        self.in_order(value, other, span, |this, value, other| {
            this.fold_value(
                value,
                ty,
                span,
                |this, payload| this.mk(ExprKind::Some(Box::new(payload)), ty, span),
                |_, _| other,
            )
        })
    }

    /// `ok_or`: a result, which has this error where nothing is there.
    fn result_with_error(&mut self, held: Held, arg: Option<Given<'a>>, want: Want) -> Expr {
        let Held {
            value, ok, span, ..
        } = held;
        let hint = match self.hint(want).map(|ty| self.kind(ty)) {
            Some(Ty::Result(_, err)) => err,
            _ => self.fresh(span, infer::Origin::Error),
        };
        let other = self.one_arg(arg, hint);
        let err = self.shallow(hint);
        let out = self.intern(Ty::Result(ok, err));
        self.in_order(value, other, span, |this, value, other| {
            this.fold_value(
                value,
                out,
                span,
                |this, payload| this.mk(ExprKind::Ok(Box::new(payload)), out, span),
                |this, _| this.mk(ExprKind::Err(Box::new(other)), out, span),
            )
        })
    }

    /// `filter`: what is there, if a function says so.
    fn kept_if(&mut self, held: Held, arg: Option<Given<'a>>) -> Expr {
        let Held {
            value,
            ty,
            ok,
            span,
            ..
        } = held;
        let fn_ty = self.intern(Ty::Fn(vec![ok], TyId::BOOL));
        let f = self.one_arg(arg, fn_ty);
        let holder = self.temp(fn_ty, span);
        let f_read = self.read(holder, span);
        let keep = self.temp(ok, span);
        let body = self.fold_value(
            value,
            ty,
            span,
            |this, payload| {
                let read = this.read(keep, span);
                let test = this.mk(
                    ExprKind::CallValue(Box::new(f_read), vec![read]),
                    TyId::BOOL,
                    span,
                );
                let read = this.read(keep, span);
                let some = this.mk(ExprKind::Some(Box::new(read)), ty, span);
                let nil = this.mk(ExprKind::Nil, ty, span);
                let kind = ExprKind::If {
                    cond: Box::new(Cond::Expr(test)),
                    then: Box::new(some),
                    otherwise: Some(Box::new(nil)),
                };
                let choice = this.mk(kind, ty, span);
                this.mk(
                    ExprKind::Let(keep, Box::new(payload), Box::new(choice)),
                    ty,
                    span,
                )
            },
            |this, _| this.mk(ExprKind::Nil, ty, span),
        );
        self.mk(ExprKind::Let(holder, Box::new(f), Box::new(body)), ty, span)
    }

    /// `ok`: the value of a result as an option.
    fn ok_of(&mut self, held: Held) -> Expr {
        let Held {
            value, ok, span, ..
        } = held;
        let out = self.intern(Ty::Option(ok));
        self.fold_value(
            value,
            out,
            span,
            |this, payload| this.mk(ExprKind::Some(Box::new(payload)), out, span),
            |this, _| this.mk(ExprKind::Nil, out, span),
        )
    }

    /// `err`: the error of a result as an option.
    fn err_of(&mut self, held: Held) -> Expr {
        let Held {
            value, err, span, ..
        } = held;
        let Some(err) = err else {
            return self.bad(span);
        };
        let out = self.intern(Ty::Option(err));
        self.fold_value(
            value,
            out,
            span,
            |this, _| this.mk(ExprKind::Nil, out, span),
            |this, e| match e {
                Some(e) => this.mk(ExprKind::Some(Box::new(e)), out, span),
                None => this.mk(ExprKind::Nil, out, span),
            },
        )
    }

    /// `unwrap_err`: the error; ends the program where there is none.
    fn unwrapped_error(&mut self, held: Held) -> Expr {
        let Held {
            value, err, span, ..
        } = held;
        let Some(err) = err else {
            return self.bad(span);
        };
        let message = self.mk(
            ExprKind::Text("`unwrap_err` on an `Ok`".into()),
            TyId::TEXT,
            span,
        );
        let panic = self.mk(
            ExprKind::Intrinsic(Intrinsic::Panic, vec![message]),
            TyId::NEVER,
            span,
        );
        self.fold_value(
            value,
            err,
            span,
            |_, _| panic,
            |this, e| e.unwrap_or_else(|| this.bad(span)),
        )
    }

    /// `map` and `and_then`: what is there goes through a function, whose result is wrapped again or is an option or result itself.
    fn mapped(&mut self, held: Held, wraps: bool, arg: Option<Given<'a>>) -> Expr {
        let Held {
            value,
            ok,
            err,
            span,
            ..
        } = held;
        let result = if wraps {
            self.fresh(span, infer::Origin::GivenResult)
        } else {
            match err {
                None => {
                    let item = self.fresh(span, infer::Origin::GivenResult);
                    self.intern(Ty::Option(item))
                }
                Some(err) => {
                    let item = self.fresh(span, infer::Origin::GivenResult);
                    self.intern(Ty::Result(item, err))
                }
            }
        };
        let fn_ty = self.intern(Ty::Fn(vec![ok], result));
        let f = self.one_arg(arg, fn_ty);
        let result = self.shallow(result);
        let out = match (wraps, err) {
            (true, None) => self.intern(Ty::Option(result)),
            (true, Some(err)) => self.intern(Ty::Result(result, err)),
            _ => result,
        };
        let holder = self.temp(fn_ty, span);
        let is_result = err.is_some();
        let body = {
            let f_read = self.read(holder, span);
            self.fold_value(
                value,
                out,
                span,
                move |this, payload| {
                    let call = this.mk(
                        ExprKind::CallValue(Box::new(f_read), vec![payload]),
                        result,
                        span,
                    );
                    match (wraps, is_result) {
                        (true, false) => this.mk(ExprKind::Some(Box::new(call)), out, span),
                        (true, true) => this.mk(ExprKind::Ok(Box::new(call)), out, span),
                        _ => call,
                    }
                },
                move |this, e| match e {
                    None => this.mk(ExprKind::Nil, out, span),
                    Some(e) => this.mk(ExprKind::Err(Box::new(e)), out, span),
                },
            )
        };
        self.mk(
            ExprKind::Let(holder, Box::new(f), Box::new(body)),
            out,
            span,
        )
    }

    pub(crate) fn one_arg(&mut self, given: Option<Given<'a>>, ty: TyId) -> Expr {
        match given.map(|g| (g.value, g.span)) {
            Some((GivenValue::Ast(e), _)) => {
                let value = self.argument(e, ty);
                self.coerce(value, ty, Why::Argument("value"))
            }
            Some((GivenValue::Block(block), _)) => self.colon_block(block, ty),
            Some((GivenValue::Typed(Some(value)), _)) => {
                self.coerce(value, ty, Why::Argument("value"))
            }
            Some((_, span)) => self.bad(span),
            None => self.bad(Span::default()),
        }
    }

    /// `work` on two values that are both evaluated first, in this order.
    fn in_order(
        &mut self,
        first: Expr,
        second: Expr,
        span: Span,
        work: impl FnOnce(&mut Self, Expr, Expr) -> Expr,
    ) -> Expr {
        if args::is_simple(&second) {
            return work(self, first, second);
        }
        let (a, b) = (self.temp(first.ty, span), self.temp(second.ty, span));
        let (read_a, read_b) = (self.read(a, span), self.read(b, span));
        let body = work(self, read_a, read_b);
        self.with_lets(vec![(a, first), (b, second)], body)
    }

    pub(in crate::body) fn fold_option(
        &mut self,
        value: Expr,
        f: Expr,
        out: TyId,
        span: Span,
        present: impl FnOnce(&mut Self, Expr) -> Expr,
        absent: impl FnOnce(&mut Self, Expr, Option<Expr>) -> Expr,
    ) -> Expr {
        let holder = self.temp(f.ty, span);
        let read = self.read(holder, span);
        let body = self.fold_value(value, out, span, present, |this, e| absent(this, read, e));
        self.mk(
            ExprKind::Let(holder, Box::new(f), Box::new(body)),
            out,
            span,
        )
    }

    /// A match over an option or result.
    pub(in crate::body) fn fold_value(
        &mut self,
        value: Expr,
        out: TyId,
        span: Span,
        present: impl FnOnce(&mut Self, Expr) -> Expr,
        absent: impl FnOnce(&mut Self, Option<Expr>) -> Expr,
    ) -> Expr {
        let kind = self.kind(value.ty);
        let (ok, err) = match kind {
            Ty::Option(item) => (item, None),
            Ty::Result(ok, err) => (ok, Some(err)),
            _ => return self.bad(span),
        };
        let payload = self.temp(ok, span);
        let read = self.read(payload, span);
        let first = present(self, read);
        let bind = Box::new(Pattern::Bind(payload));
        let (pattern, other, second) = match err {
            None => {
                let second = absent(self, None);
                (Pattern::Some(bind), Pattern::Nil, second)
            }
            Some(err) => {
                let local = self.temp(err, span);
                let read = self.read(local, span);
                let second = absent(self, Some(read));
                (
                    Pattern::Ok(bind),
                    Pattern::Err(Box::new(Pattern::Bind(local))),
                    second,
                )
            }
        };
        let arms = vec![
            Arm {
                pattern,
                guard: None,
                body: first,
            },
            Arm {
                pattern: other,
                guard: None,
                body: second,
            },
        ];
        self.mk(
            ExprKind::Match {
                scrutinee: Box::new(value),
                arms,
            },
            out,
            span,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_core_method_is_listed_once_and_known() {
        let source = include_str!("option_method.rs");
        let start = source.find("Some(match (name, result)").expect("the table");
        let table = &source[start..start + source[start..].find("_ =>").expect("its end")];
        let named: Vec<&str> = table.split('"').skip(1).step_by(2).collect();
        for (list, result) in [(OPTION, false), (RESULT, true)] {
            for name in list {
                assert!(count_of(name, result).is_some(), "{name}");
            }
            for name in named.iter().filter(|name| count_of(name, result).is_some()) {
                assert!(list.contains(name), "{name} is missing from the list");
            }
        }
    }
}
