//! Memory of C: `size_of<T>()` and `align_of<T>()`, and what `Ptr<T>` of `lib/std/core/pointer.spl` is made of.
//!
//! `c_read<T>(address)`, `c_write<T>(address, value)` and `c_address<F>(callback)`, by which C calls the `Callback<F>`, are known to
//! modules of the library only. What has a place in memory of C, and which functions C can call, is decided in `foreign.rs`.

use super::args::{Given, GivenValue};
use super::convert::Why;
use super::*;
use crate::codes;
use crate::counts::counted;
use crate::typed::Expr;
use simple_syntax::Diagnostic;
use simple_syntax::ast;

/// A function over memory of C.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::body) enum Operation {
    Size,
    Align,
    Read,
    Write,
    Address,
}

impl<'c, 'a> Body<'c, 'a> {
    /// The function of this name, where it is known.
    pub(in crate::body) fn memory_operation(&self, name: &str) -> Option<Operation> {
        match name {
            "size_of" => Some(Operation::Size),
            "align_of" => Some(Operation::Align),
            "c_read" if self.is_file_of_library() => Some(Operation::Read),
            "c_write" if self.is_file_of_library() => Some(Operation::Write),
            "c_address" if self.is_file_of_library() => Some(Operation::Address),
            _ => None,
        }
    }

    /// Whether this is code of the library, also where a file of the library is checked or run by itself.
    pub(in crate::body) fn is_file_of_library(&self) -> bool {
        let module = &self.cx.modules()[self.scopes.types().module];
        module.library || self.cx.input().loader().is_of_library(&module.path)
    }

    /// A call of such a function.
    pub(in crate::body) fn call_memory(
        &mut self,
        (op, name): (Operation, &str),
        type_args: &'a [ast::TypeArg],
        args: Vec<Given<'a>>,
        span: Span,
    ) -> Expr {
        let [ast::TypeArg::Type(written)] = type_args else {
            let d = Diagnostic::error(
                codes::TYPE_ARGS,
                span,
                format!("`{name}` takes one type argument"),
            )
            .help(format!("write it as in `{name}<i64>()`"));
            self.cx.report(d);
            return self.bad(span);
        };
        let scope = self.scopes.types().clone();
        let ty = self.cx.resolve_type(written, &scope);
        let wanted = match op {
            Operation::Size | Operation::Align => 0,
            Operation::Read | Operation::Address => 1,
            Operation::Write => 2,
        };
        if args.len() != wanted || args.iter().any(|arg| arg.label.is_some() || arg.spread) {
            let message = format!("`{name}` takes {}", counted(wanted, "argument"));
            self.cx.error(codes::ARG_COUNT, span, message);
            return self.bad(span);
        }
        if op == Operation::Address {
            return self.callback_address(ty, args, written.span, span);
        }
        let mut values = Vec::with_capacity(wanted);
        for (arg, ty) in args.into_iter().zip([TyId::I64, ty]) {
            let value = match arg.value {
                GivenValue::Ast(e) => self.expr(e, Want::Ty(ty)),
                GivenValue::Typed(Some(value)) => value,
                _ => self.bad(arg.span),
            };
            values.push(self.coerce(value, ty, Why::Argument("value")));
        }
        let ty = self.resolve(ty);
        // A type parameter is looked at again for each type that takes its place.
        let foreign = match self.ty(ty) {
            Ty::Error => return self.bad(span),
            Ty::Param(_) => Foreign::I64,
            _ => match self.cx.stored_form(ty) {
                Some(foreign) => foreign,
                None => return self.not_stored(ty, written.span),
            },
        };
        match op {
            Operation::Size => self.mk(ExprKind::Int(foreign.size().into()), TyId::I64, span),
            Operation::Align => self.mk(ExprKind::Int(foreign.align().into()), TyId::I64, span),
            Operation::Read => self.mk(ExprKind::Intrinsic(Intrinsic::CRead, values), ty, span),
            Operation::Address => self.bad(span),
            Operation::Write => {
                let write = ExprKind::Intrinsic(Intrinsic::CWrite, values);
                self.mk(write, TyId::UNIT, span)
            }
        }
    }

    /// The address by which C calls the function in a `Callback` of functions of this type.
    fn callback_address(
        &mut self,
        ty: TyId,
        args: Vec<Given<'a>>,
        written: Span,
        span: Span,
    ) -> Expr {
        let value = match args.into_iter().next().map(|arg| arg.value) {
            Some(GivenValue::Ast(e)) => self.expr(e, Want::Any),
            Some(GivenValue::Typed(Some(value))) => value,
            _ => self.bad(span),
        };
        let ty = self.resolve(ty);
        let is_called = matches!(self.cx.foreign_of(ty), Some(Foreign::Function(_)));
        match self.ty(ty) {
            Ty::Error => return self.bad(span),
            Ty::Param(_) => {}
            _ if is_called => {}
            _ => {
                let name = self.show(ty);
                let d = Diagnostic::error(
                    codes::NO_LAYOUT,
                    written,
                    format!("C cannot call a `{name}`"),
                )
                .note(
                    "its parameters and its result must be numbers, `bool`, `Ptr<T>`, `Ptr<T>?`, or structs, unions and enums of `@c`",
                );
                self.cx.report(d);
                return self.bad(span);
            }
        }
        let address = ExprKind::Intrinsic(Intrinsic::CAddress, vec![value]);
        self.mk(address, TyId::I64, span)
    }

    fn not_stored(&mut self, ty: TyId, span: Span) -> Expr {
        let name = self.show(ty);
        let d = Diagnostic::error(
            codes::NO_LAYOUT,
            span,
            format!("`{name}` has no layout in memory of C"),
        )
        .note(
            "numbers, `bool`, `Ptr<T>`, `Ptr<T>?`, types of `extern type` and C structs have one",
        );
        self.cx.report(d);
        self.bad(span)
    }
}
