//! Functions made of functions: `f >> g`, `f << g`, `f // g`, and foreign functions as values.
//!
//! Each becomes a closure that holds the functions it is made of. Next: `lambda.rs`, `ops.rs`.

use super::args::Given;
use super::*;
use crate::codes;
use crate::typed::Expr;
use simple_syntax::Diagnostic;
use simple_syntax::ast::{self, BinaryOp};

impl<'c, 'a> Body<'c, 'a> {
    /// `f >> g` is `\x: g(f(x))`, `f << g` is `\x: f(g(x))`; both operands are functions.
    pub(in crate::body) fn compose(
        &mut self,
        op: BinaryOp,
        left: Expr,
        right: Expr,
        span: Span,
    ) -> Expr {
        let left_first = op == BinaryOp::Shr;
        let (first_ty, second_ty) = if left_first {
            (left.ty, right.ty)
        } else {
            (right.ty, left.ty)
        };
        let (Ty::Fn(params, _), Ty::Fn(_, ret)) = (self.kind(first_ty), self.kind(second_ty))
        else {
            return self.bad_operand(ops::op_text(op), &left, Some(&right), span);
        };
        self.closure_over(
            [left, right],
            params,
            ret,
            span,
            |this, [left, right], args| {
                let (first, second) = if left_first {
                    (left, right)
                } else {
                    (right, left)
                };
                let middle = this.call_value(first, args, Want::Any, span);
                this.call_value(second, vec![Given::typed(middle)], Want::Any, span)
            },
        )
    }

    /// `f >> \x: ...`: the lambda takes what `f` yields.
    pub(in crate::body) fn compose_lambda(
        &mut self,
        op: BinaryOp,
        left: &'a ast::Expr,
        right: &'a ast::Expr,
        span: Span,
    ) -> Expr {
        let left = self.expr(left, Want::Any);
        let hint = match (op, self.kind(left.ty)) {
            (BinaryOp::Shr, Ty::Fn(_, middle)) => self.function_wanted(middle, right.span),
            _ => Want::Any,
        };
        let right = self.expr(right, hint);
        if left.ty == TyId::ERROR || right.ty == TyId::ERROR {
            return self.bad(span);
        }
        self.compose(op, left, right, span)
    }

    /// `f // g`: both functions on an argument each, or, where a function of one argument is expected, both on that one.
    pub(in crate::body) fn parallel(
        &mut self,
        left: &'a ast::Expr,
        right: &'a ast::Expr,
        want: Want,
        span: Span,
    ) -> Expr {
        let expected = self.hint(want).and_then(|ty| match self.kind(ty) {
            Ty::Fn(params, _) if params.len() == 1 => Some(params[0]),
            _ => None,
        });
        let [left, right] = [left, right].map(|operand| {
            let hint = match expected {
                Some(param) => self.function_wanted(param, span),
                None => Want::Any,
            };
            self.expr(operand, hint)
        });
        if left.ty == TyId::ERROR || right.ty == TyId::ERROR {
            return self.bad(span);
        }
        let (Ty::Fn(a, x), Ty::Fn(b, y)) = (self.kind(left.ty), self.kind(right.ty)) else {
            return self.bad_operand("//", &left, Some(&right), span);
        };
        if a.len() != 1 || b.len() != 1 {
            let d = Diagnostic::error(
                codes::BAD_OPERAND,
                span,
                "`//` joins two functions of one parameter each",
            )
            .help("write a lambda: `\\a, b: (f(a), g(b))`");
            self.cx.report(d);
            return self.bad(span);
        }
        let ret = self.intern(Ty::Tuple(vec![(None, x), (None, y)]));
        let params = match expected {
            Some(_) => {
                if !self.unify(a[0], b[0]) {
                    let (found, wanted) = (self.show(b[0]), self.show(a[0]));
                    let d = Diagnostic::error(
                        codes::TYPE_MISMATCH,
                        right.span,
                        "both functions of `//` get the same argument here",
                    )
                    .found_expected(found, wanted);
                    self.cx.report(d);
                    return self.bad(span);
                }
                vec![a[0]]
            }
            None => vec![a[0], b[0]],
        };
        self.closure_over(
            [left, right],
            params,
            ret,
            span,
            |this, [left, right], args| {
                let mut args = args.into_iter();
                let first = args.next().unwrap_or_else(|| Given::typed(this.bad(span)));
                let second = match args.next() {
                    Some(second) => second,
                    None => {
                        let id = this.scopes.frame_mut().params[0];
                        Given::typed(this.read(id, span))
                    }
                };
                let first = this.call_value(left, vec![first], Want::Any, span);
                let second = this.call_value(right, vec![second], Want::Any, span);
                this.mk(ExprKind::Tuple(vec![first, second]), ret, span)
            },
        )
    }

    /// A function of one parameter of this type is expected.
    fn function_wanted(&mut self, param: TyId, span: Span) -> Want {
        let ret = self.fresh(span, infer::Origin::FunctionResult);
        Want::Ty(self.intern(Ty::Fn(vec![param], ret)))
    }

    /// A closure over two values, which are evaluated now, once.
    fn closure_over(
        &mut self,
        held: [Expr; 2],
        params: Vec<TyId>,
        ret: TyId,
        span: Span,
        body: impl FnOnce(&mut Self, [Expr; 2], Vec<Given<'a>>) -> Expr,
    ) -> Expr {
        let [left, right] = held;
        let (a, b) = (
            self.temp(left.ty, left.span),
            self.temp(right.ty, right.span),
        );
        let (left_span, right_span) = (left.span, right.span);
        let closure = self.function_of(&params, ret, span, |this, args, _| {
            let outer = this.scopes.frames().len() - 2;
            let a = this.capture(outer, a);
            let b = this.capture(outer, b);
            let values = [this.read(a, left_span), this.read(b, right_span)];
            body(this, values, args)
        });
        self.with_lets(vec![(a, left), (b, right)], closure)
    }

    /// A foreign function as a value.
    pub(in crate::body) fn extern_value(&mut self, idx: ExternIdx, span: Span) -> Expr {
        let id = self.cx.extern_id(idx);
        let info = &self.cx.output()[id];
        let (params, ret) = (info.input_types(), info.call);
        self.function_of(&params, ret, span, |this, args, _| {
            this.call_extern(idx, args, span)
        })
    }
}
