//! Uses of variables of libraries: reading and assigning.
//!
//! Their declarations are checked in `sema/foreign_var.rs`.

use super::convert::Why;
use super::*;
use crate::codes;
use crate::foreign_var::ForeignVar;
use crate::typed::Expr;
use simple_syntax::Diagnostic;
use simple_syntax::ast::{self, BinaryOp, Ident};

impl<'c, 'a> Body<'c, 'a> {
    /// The variable of a library that a bare name means, if it means one.
    pub(in crate::body) fn foreign_variable(&mut self, name: Ident) -> Option<ExternVarIdx> {
        if self.find_local(name.name).is_some() || self.self_member(name.name) {
            return None;
        }
        match self
            .cx
            .lookup_visible(self.scopes.types().module, name.name)
        {
            Some(Def::ExternVar(idx)) => Some(idx),
            _ => None,
        }
    }

    /// The value of a variable of a library.
    pub(in crate::body) fn foreign_value(&mut self, idx: ExternVarIdx, span: Span) -> Expr {
        let Some(var) = self.cx.extern_var(idx) else {
            return self.bad(span);
        };
        let mut args = vec![self.mk(
            ExprKind::CallExtern(var.address, Vec::new()),
            TyId::I64,
            span,
        )];
        args.extend(self.element_count(var, span));
        self.mk(ExprKind::Intrinsic(Intrinsic::CRead, args), var.ty, span)
    }

    /// How many elements a variable has that is an array.
    fn element_count(&mut self, var: ForeignVar, span: Span) -> Option<Expr> {
        let count = var.count?;
        Some(self.mk(ExprKind::Int(count), TyId::I64, span))
    }

    /// `name = value`, `name op= value` for a variable of a library.
    pub(in crate::body) fn assign_foreign(
        &mut self,
        idx: ExternVarIdx,
        (name, op): (Ident, Option<BinaryOp>),
        value: &'a ast::Expr,
        span: Span,
    ) -> Option<Expr> {
        let Some(var) = self.cx.extern_var(idx) else {
            self.expr(value, Want::Any);
            return None;
        };
        let ty = var.ty;
        if !self.cx.decls()[idx].decl.mutable {
            let declared = self.cx.decls()[idx].decl.name.span;
            let d = Diagnostic::error(
                codes::IMMUTABLE,
                name.span,
                format!("`{}` is immutable", name.name),
            )
            .related(declared, "declared here")
            .help("declare it as `extern var`");
            self.cx.report(d);
        }
        let value = match op {
            None => self.expr(value, Want::Ty(ty)),
            Some(op) => {
                let left = self.foreign_value(idx, name.span);
                let right = self.expr(value, Want::Ty(ty));
                self.binary_values(op, left, right, span)
            }
        };
        let value = self.coerce(value, ty, Why::Assignment);
        let address = self.mk(
            ExprKind::CallExtern(var.address, Vec::new()),
            TyId::I64,
            span,
        );
        let mut args = vec![address, value];
        args.extend(self.element_count(var, span));
        let write = ExprKind::Intrinsic(Intrinsic::CWrite, args);
        Some(self.mk(write, TyId::UNIT, span))
    }
}
