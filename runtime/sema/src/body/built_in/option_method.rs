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
        let mut args = args.into_iter();
        let mut next = || args.next();
        Ok(match text {
            "is_some" | "is_ok" => self.mk(ExprKind::IsPresent(Box::new(value)), TyId::BOOL, span),
            "is_none" | "is_err" => {
                let present = self.mk(ExprKind::IsPresent(Box::new(value)), TyId::BOOL, span);
                self.mk(ExprKind::Not(Box::new(present)), TyId::BOOL, span)
            }
            "unwrap" => self.mk(
                ExprKind::Unwrap(Box::new(value), UnwrapKind::Explicit),
                ok,
                span,
            ),
            "expect" => {
                let message = self.one_arg(next(), TyId::TEXT);
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
            "unwrap_or" => {
                let other = self.one_arg(next(), ok);
                self.in_order(value, other, span, |this, value, other| {
                    this.mk(
                        ExprKind::Coalesce(Box::new(value), Box::new(other)),
                        ok,
                        span,
                    )
                })
            }
            "unwrap_or_else" => {
                let params = err.into_iter().collect();
                let ty = self.intern(Ty::Fn(params, ok));
                let f = self.one_arg(next(), ty);
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
            "map" | "and_then" => {
                let result = if text == "map" {
                    self.fresh(span, "the function's result")
                } else {
                    match err {
                        None => {
                            let item = self.fresh(span, "the function's result");
                            self.intern(Ty::Option(item))
                        }
                        Some(err) => {
                            let item = self.fresh(span, "the function's result");
                            self.intern(Ty::Result(item, err))
                        }
                    }
                };
                let fn_ty = self.intern(Ty::Fn(vec![ok], result));
                let f = self.one_arg(next(), fn_ty);
                let result = self.shallow(result);
                let out = match (text, err) {
                    ("map", None) => self.intern(Ty::Option(result)),
                    ("map", Some(err)) => self.intern(Ty::Result(result, err)),
                    _ => result,
                };
                let holder = self.temp(fn_ty, span);
                let wrap_map = text == "map";
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
                            match (wrap_map, is_result) {
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
            "map_err" => {
                let Some(err) = err else {
                    return Ok(self.bad(span));
                };
                let new = self.fresh(span, "the function's result");
                let fn_ty = self.intern(Ty::Fn(vec![err], new));
                let f = self.one_arg(next(), fn_ty);
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
            "or_else" => {
                let fn_ty = self.intern(Ty::Fn(err.into_iter().collect(), ty));
                let f = self.one_arg(next(), fn_ty);
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
            "or" => {
                let other = self.one_arg(next(), ty);
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
            "ok_or" => {
                let hint = match self.hint(want).map(|ty| self.kind(ty)) {
                    Some(Ty::Result(_, err)) => err,
                    _ => self.fresh(span, "the error"),
                };
                let other = self.one_arg(next(), hint);
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
            "filter" => {
                let fn_ty = self.intern(Ty::Fn(vec![ok], TyId::BOOL));
                let f = self.one_arg(next(), fn_ty);
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
            "flatten" => {
                if !matches!(self.kind(ok), Ty::Option(_)) {
                    return Ok(value);
                }
                let nil = self.mk(ExprKind::Nil, ok, span);
                self.mk(ExprKind::Coalesce(Box::new(value), Box::new(nil)), ok, span)
            }
            "ok" => {
                let out = self.intern(Ty::Option(ok));
                self.fold_value(
                    value,
                    out,
                    span,
                    |this, payload| this.mk(ExprKind::Some(Box::new(payload)), out, span),
                    |this, _| this.mk(ExprKind::Nil, out, span),
                )
            }
            "err" => {
                let Some(err) = err else {
                    return Ok(self.bad(span));
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
            _ => {
                // `unwrap_err`
                let Some(err) = err else {
                    return Ok(self.bad(span));
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
        })
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
