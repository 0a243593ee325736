//! `freeze(x)`: a value that update methods refuse to change (`doc/language/collections.md`).
//!
//! Collections are values, so nothing else can change what a variable holds; what is left of freezing is that a change
//! through the frozen name is a runtime error. The mark therefore lives in the checker alone: it is made by a call of a
//! function with the annotation `@frozen`, survives binding to a variable without a written type, as the mark of
//! lenient optionals does, and costs nothing at run time. Parameters and fields do not carry it.

use super::method::Receiver;
use super::*;
use crate::typed::{Expr, Stmt};

impl<'c, 'a> Body<'c, 'a> {
    /// Whether a value comes from `freeze`.
    pub(crate) fn is_frozen(&self, e: &Expr) -> bool {
        match &e.kind {
            ExprKind::Local(id) => self.meta(*id).frozen,
            ExprKind::Global(id) => self.cx.global(*id).frozen,
            ExprKind::Call(func, _) => self.called(*func).is_some_and(|info| info.frozen),
            ExprKind::Let(_, _, body) => self.is_frozen(body),
            ExprKind::Block(_, Some(tail)) => self.is_frozen(tail),
            _ => false,
        }
    }

    /// Whether a place is a frozen variable or part of one.
    pub(crate) fn is_frozen_place(&self, place: &Place) -> bool {
        match place.root {
            PlaceRoot::Local(id) => self.meta(id).frozen,
            PlaceRoot::Global(id) => self.cx.global(id).frozen,
            PlaceRoot::Object(_) => false,
        }
    }

    /// Notes that a variable holds `value` from here on.
    pub(crate) fn set_frozen(&mut self, variable: &Place, value: &Expr) {
        let frozen = self.is_frozen(value);
        match variable.root {
            PlaceRoot::Local(id) => self.scopes.frame_mut().meta[id.0 as usize].frozen = frozen,
            PlaceRoot::Global(id) => {
                let declared = self.cx.output().declared(id);
                self.cx.decls_mut()[declared].frozen = frozen;
            }
            PlaceRoot::Object(_) => {}
        }
    }

    pub(crate) fn is_frozen_receiver(&self, receiver: &Receiver) -> bool {
        match receiver {
            Receiver::Value(value) => self.is_frozen(value),
            Receiver::Place(info) => self.is_frozen_place(&info.place),
        }
    }

    /// A change of something frozen, which would yield a value of type `ty`: the operands are evaluated, then it is a runtime error.
    pub(crate) fn refused_change(
        &mut self,
        what: &str,
        operands: Vec<Expr>,
        ty: TyId,
        span: Span,
    ) -> Expr {
        let stmts = operands
            .into_iter()
            .map(|operand| {
                let span = operand.span;
                let kind = StmtKind::Expr(self.discarded(operand));
                Stmt { kind, span }
            })
            .collect();
        let message = format!("{what}: the collection is frozen");
        let message = self.mk(ExprKind::Text(message), TyId::TEXT, span);
        let panic = self.mk(
            ExprKind::Intrinsic(Intrinsic::Panic, vec![message]),
            TyId::NEVER,
            span,
        );
        self.mk(ExprKind::Block(stmts, Some(Box::new(panic))), ty, span)
    }
}
