//! Calls of foreign functions with a variable number of arguments, such as `printf`.
//!
//! What is given beyond the parameters is passed as C's default promotions have it: integers narrower than 32 bits and `bool` as
//! `i32`, `f32` as `f64`; texts as `cstr`. Each list of types is an [`Extern`] of its own, so that code generation knows only
//! fixed parameters.

use super::args::{Given, GivenValue};
use super::*;
use crate::codes;
use crate::typed::Expr;
use simple_syntax::Diagnostic;

impl<'c, 'a> Body<'c, 'a> {
    /// Takes the arguments beyond the parameters of a variadic function, and checks them; those of any other stay.
    pub(in crate::body) fn further_arguments(
        &mut self,
        id: ExternId,
        args: &mut Vec<Given<'a>>,
    ) -> Vec<Expr> {
        let info = &self.cx.output()[id];
        let fixed = info.input_types().len();
        if info.kind != ExternKind::Variadic || args.len() <= fixed {
            return Vec::new();
        }
        let further = args.split_off(fixed);
        let values = further.into_iter().map(|arg| self.further_argument(arg));
        values.collect()
    }

    fn further_argument(&mut self, arg: Given<'a>) -> Expr {
        if let Some(label) = arg.label {
            let d = Diagnostic::error(
                codes::ARG_LABEL,
                label.span,
                "arguments for `...` cannot be named",
            )
            .help("leave the name out");
            self.cx.report(d);
        }
        let span = arg.span;
        let value = match arg.value {
            GivenValue::Ast(e) if !arg.spread => self.expr(e, Want::Any),
            GivenValue::Typed(Some(value)) => value,
            _ => {
                let d = Diagnostic::error(
                    codes::FOREIGN_ARGUMENT,
                    span,
                    "a block or a spread array cannot be passed for `...`",
                )
                .help("pass each value by itself");
                self.cx.report(d);
                return self.bad(span);
            }
        };
        let value = self.unwrap_lenient(value);
        let ty = self.resolve(value.ty);
        let promoted = match self.ty(ty) {
            Ty::Bool => TyId::I32,
            Ty::Int(int) if int.bits < 32 => TyId::I32,
            Ty::F32 => TyId::F64,
            _ => return value,
        };
        let convert = ExprKind::Convert(Convert::Number, Box::new(value));
        self.mk(convert, promoted, span)
    }

    /// The extern for a call with these further arguments; `None` when one of them cannot be passed.
    pub(in crate::body) fn variadic_call(
        &mut self,
        id: ExternId,
        further: &[Expr],
    ) -> Option<ExternId> {
        let mut types = Vec::with_capacity(further.len());
        let mut passed = Vec::with_capacity(further.len());
        let mut fine = true;
        for value in further {
            let ty = self.settled_type(value);
            if ty == TyId::ERROR {
                fine = false;
                continue;
            }
            let foreign = match self.cx.foreign_of(ty) {
                Some(Foreign::Text) => Some(Foreign::CText { optional: false }),
                Some(Foreign::Optional(value)) if *value == Foreign::Text => {
                    Some(Foreign::CText { optional: true })
                }
                Some(foreign) if foreign.is_stored() => Some(foreign),
                _ => None,
            };
            let Some(foreign) = foreign else {
                self.not_for_dots(ty, value.span);
                fine = false;
                continue;
            };
            types.push(ty);
            passed.push(ExternParam::passed(ty, foreign));
        }
        if !fine {
            return None;
        }
        let of = (id, types);
        if let Some(known) = self.cx.output().variadic_call(&of) {
            return Some(known);
        }
        let base = &self.cx.output()[id];
        let mut params = base.params.clone();
        params.extend(passed);
        let call = Extern {
            name: base.name.clone(),
            symbol: base.symbol.clone(),
            library: base.library.clone(),
            params,
            ret: base.ret,
            result: base.result.clone(),
            call: base.call,
            kind: base.kind,
            contract: base.contract,
            span: base.span,
        };
        Some(self.cx.output_mut().add_variadic_call(of, call))
    }

    /// The type of an argument, which nothing that follows determines.
    fn settled_type(&mut self, value: &Expr) -> TyId {
        let ty = self.resolve(value.ty);
        if self.is_unknown(ty) || self.cx.flags(ty) & infer::HAS_INFER != 0 {
            let d = Diagnostic::error(
                codes::FOREIGN_ARGUMENT,
                value.span,
                "the type of this argument for `...` is not known",
            )
            .help("bind it to a variable with its type: `val x: i32 = ...`");
            self.cx.report(d);
            return TyId::ERROR;
        }
        ty
    }

    fn not_for_dots(&mut self, ty: TyId, span: Span) {
        let name = self.show(ty);
        let mut d = Diagnostic::error(
            codes::FOREIGN_ARGUMENT,
            span,
            format!("`{name}` cannot be passed for `...`"),
        )
        .note("numbers, `bool`, texts, `Ptr<T>` and types of `extern type` can");
        if matches!(self.ty(ty), Ty::Array(_)) {
            d = d.help("pass the address of a copy: `Ptr<T>.from_array(xs)`");
        }
        self.cx.report(d);
    }
}
