//! Uses of variables of libraries: reading and assigning.
//!
//! Their declarations are checked in `sema/foreign_var.rs`.

use super::convert::Why;
use super::*;
use crate::codes;
use crate::typed::Expr;
use simple_syntax::Diagnostic;
use simple_syntax::ast::{self, BinaryOp, Ident};

impl<'c, 'a> Body<'c, 'a> {
    /// The variable of a library that a bare name means, if it means one.
    pub(super) fn foreign_variable(&mut self, name: Ident) -> Option<ExternVarIdx> {
        if self.find_local(name.name).is_some() || self.self_member(name.name) {
            return None;
        }
        match self.cx.lookup_visible(self.scope.module, name.name) {
            Some(Def::ExternVar(idx)) => Some(idx),
            _ => None,
        }
    }

    /// The value of a variable of a library.
    pub(super) fn foreign_value(&mut self, idx: ExternVarIdx, span: Span) -> Expr {
        let Some((id, ty)) = self.cx.extern_var(idx) else {
            return self.bad(span);
        };
        let address = self.mk(ExprKind::CallExtern(id, Vec::new()), TyId::I64, span);
        let read = ExprKind::Intrinsic(Intrinsic::CRead, vec![address]);
        self.mk(read, ty, span)
    }

    /// `name = value`, `name op= value` for a variable of a library.
    pub(super) fn assign_foreign(
        &mut self,
        idx: ExternVarIdx,
        (name, op): (Ident, Option<BinaryOp>),
        value: &'a ast::Expr,
        span: Span,
    ) -> Option<Expr> {
        let Some((id, ty)) = self.cx.extern_var(idx) else {
            self.expr(value, Want::Any);
            return None;
        };
        if !self.cx.extern_vars[idx.at()].decl.mutable {
            let declared = self.cx.extern_vars[idx.at()].decl.name.span;
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
                let right = self.expr(value, Want::Ty(ty));
                let left = self.foreign_value(idx, name.span);
                self.binary_values(op, left, right, span)
            }
        };
        let value = self.coerce(value, ty, Why::Assignment);
        let address = self.mk(ExprKind::CallExtern(id, Vec::new()), TyId::I64, span);
        let write = ExprKind::Intrinsic(Intrinsic::CWrite, vec![address, value]);
        Some(self.mk(write, TyId::UNIT, span))
    }
}
