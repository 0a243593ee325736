//! The dotted operators `.+ .- .* ./ .^`: on arrays of numbers element by element, on other types a method.
//!
//! Arrays are worked on by `std.core.elementwise`, which is written in Simple; a scalar on either side goes with each
//! element, and nested arrays nest the operation. Next: `ops.rs`.

use super::args::Given;
use super::*;
use crate::typed::Expr;
use simple_syntax::ast::{self, BinaryOp};

/// What a dotted operator does to two elements, how it is written, its word in the library, and its method on other types.
fn parts(op: BinaryOp) -> (BinaryOp, &'static str, &'static str, &'static str) {
    match op {
        BinaryOp::DotAdd => (BinaryOp::Add, ".+", "add", "dot_add"),
        BinaryOp::DotSub => (BinaryOp::Sub, ".-", "sub", "dot_sub"),
        BinaryOp::DotMul => (BinaryOp::Mul, ".*", "mul", "dot_mul"),
        BinaryOp::DotDiv => (BinaryOp::Div, "./", "div", "dot_div"),
        _ => (BinaryOp::Pow, ".^", "pow", "dot_pow"),
    }
}

impl<'c, 'a> Body<'c, 'a> {
    pub(in crate::body) fn elementwise(
        &mut self,
        op: BinaryOp,
        left: &'a ast::Expr,
        right: &'a ast::Expr,
        span: Span,
    ) -> Expr {
        let left = self.expr(left, Want::Any);
        let left = self.unwrap_lenient(left);
        let right = self.expr(right, Want::Any);
        let right = self.unwrap_lenient(right);
        let (plain, text, word, method) = parts(op);
        if self.truth_beside_tensor(text, &left, &right, span) {
            return self.bad(span);
        }
        let numeric = |ty: &Ty| matches!(ty, Ty::Int(_) | Ty::F32 | Ty::F64);
        if self.promised(&[method], span) {
            return self.operator_method(method, text, left, Some(right), span);
        }
        let side = match (self.kind(left.ty), self.kind(right.ty)) {
            (Ty::Error | Ty::Never, _) => return left,
            (_, Ty::Error | Ty::Never) => return right,
            (a, b) if numeric(&a) && numeric(&b) => {
                return self.binary_values(plain, left, right, span);
            }
            (Ty::Array(_), Ty::Array(_)) => "both",
            (Ty::Array(_), b) if numeric(&b) => "left",
            (a, Ty::Array(_)) if numeric(&a) => "right",
            // A number goes with each element: the same as the plain operator's `radd`, `rsub` ...
            (a, Ty::Adt(_) | Ty::Trait(_)) if numeric(&a) => {
                return self.binary_values(plain, left, right, span);
            }
            (Ty::Adt(_) | Ty::Trait(_) | Ty::Param(_), _) => {
                return self.operator_method(method, text, left, Some(right), span);
            }
            _ => return self.bad_operand(text, &left, Some(&right), span),
        };
        let name = Symbol::intern(&format!("{word}_{side}"));
        match self
            .cx
            .library_function(&["std", "core", "elementwise"], name)
        {
            Some(fn_idx) => {
                let args = vec![Given::typed(left), Given::typed(right)];
                self.call_fn(fn_idx, &[], None, &[], args, Want::Any, span)
            }
            None => self.bad_operand(text, &left, Some(&right), span),
        }
    }
}
