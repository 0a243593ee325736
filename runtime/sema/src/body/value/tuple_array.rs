//! A tuple that is written where an array is expected: `zeros((2, 3))`, as Python users write sizes.
//!
//! It is the array if all of its parts fit, else the tuple that it says. Leaves out tuples in variables, and arguments
//! that are collected (`call/rest.rs`).

use super::*;
use crate::typed::Expr;
use simple_syntax::ast;

impl<'c, 'a> Body<'c, 'a> {
    /// The type of the elements if an array is expected where a tuple without labels is written.
    pub(super) fn array_wanted(
        &self,
        parts: &[(Option<ast::Ident>, ast::Expr)],
        want: Want,
    ) -> Option<TyId> {
        let Want::Ty(ty) = want else {
            return None;
        };
        let wanted = match self.kind(ty) {
            Ty::Option(inner) => self.kind(inner),
            kind => kind,
        };
        match wanted {
            Ty::Array(item) if parts.iter().all(|(label, _)| label.is_none()) => Some(item),
            _ => None,
        }
    }

    /// `(2, 3)` as the array `[2, 3]`, which is what Python users write for sizes; a tuple if some part does not fit.
    pub(super) fn tuple_as_array(
        &mut self,
        parts: &'a [(Option<ast::Ident>, ast::Expr)],
        item: TyId,
        span: Span,
    ) -> Expr {
        let mut fit = true;
        let mut values = Vec::with_capacity(parts.len());
        for (_, part) in parts {
            let value = self.expr(part, Want::Ty(item));
            if self.lacks_value(&value) {
                self.no_value(&value);
            }
            values.push(match self.try_coerce(value, item) {
                Ok(value) => value,
                Err(value) => {
                    fit = false;
                    value
                }
            });
        }
        if fit {
            let ty = self.intern(Ty::Array(item));
            return self.mk(ExprKind::Array(values), ty, span);
        }
        let members = values.iter().map(|value| (None, value.ty)).collect();
        let ty = self.intern(Ty::Tuple(members));
        self.mk(ExprKind::Tuple(values), ty, span)
    }
}
