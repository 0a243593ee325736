//! The blocks `m{ }`, `loss{ }` and `nograd{ }`, and the statements `nograd:` and `loss:` (`doc/language/operators.md`).
//!
//! In a formula, `m{ }`, `/`, `^` and the functions of `std.core.formula` give floats; anything that is not a number or array
//! uses its own operators and methods, as tensors do. `loss{ }` and `nograd{ }` hold ordinary expressions, in which only `^` depends on
//! its operands (`caret`). Whether gradients are recorded is kept by `std.core.grad`, which the library of tensors listens to.

use super::args::Given;
use super::convert::Why;
use super::*;
use crate::codes;
use crate::typed::{Expr, Stmt};
use simple_syntax::Diagnostic;
use simple_syntax::ast::{self, BinaryOp, Ident, MathKind, UnaryOp};

/// The functions of formulas on numbers and arrays of them.
const FORMULA_MODULE: &[&str] = &["std", "core", "formula"];

/// Switches recording of gradients off and back on.
const GRAD_MODULE: &[&str] = &["std", "core", "grad"];

/// `() -> bool`: switches recording off; whether it was on.
const PAUSE: &str = "pause_recording";

/// `(bool)`: puts recording back.
const RESUME: &str = "resume_recording";

/// The method that a loss block prefers to `backward`: it does nothing for values that record no gradients or are not a
/// single number.
const CONDITIONAL_BACKWARD: &str = "backward_if_recorded";

/// The functions that a formula knows; on other things than numbers and arrays they are methods of the first operand.
const FUNCTIONS: &[&str] = &[
    "sqrt",
    "exp",
    "log",
    "ln",
    "sin",
    "cos",
    "tan",
    "tanh",
    "min",
    "max",
    "frac",
    "dot",
    "matmul",
    "transpose",
    "sum",
    "mean",
    "sigmoid",
    "relu",
    "softmax",
];

impl<'c, 'a> Body<'c, 'a> {
    /// `m{ e }`, `loss{ e }`, `nograd{ e }`.
    pub(crate) fn math_block(
        &mut self,
        kind: MathKind,
        e: &'a ast::Expr,
        want: Want,
        span: Span,
    ) -> Expr {
        match kind {
            MathKind::Math => self.formula(e),
            MathKind::Loss => {
                let value = self.expr(e, want);
                let value = self.unwrap_lenient(value);
                self.propagated(value, span)
            }
            MathKind::NoGrad => {
                let before = self.pause_recording(span);
                let value = self.within(Context::in_nograd, |body| body.expr(e, want));
                self.while_paused(before, value, span)
            }
        }
    }

    /// `a ^ b` inside `loss{ }` and `nograd{ }`: a power if one side is a number and the other one a float or anything that has the
    /// operator, an exclusive or if neither is a number. Between integers it would be a power in a formula and an exclusive or outside, so
    /// neither is taken in silence.
    pub(in crate::body) fn caret(
        &mut self,
        op: BinaryOp,
        left: &'a ast::Expr,
        right: &'a ast::Expr,
        span: Span,
    ) -> Expr {
        let (a, b) = self.operands(left, right, Want::Any);
        let (x, y) = (self.kind(a.ty), self.kind(b.ty));
        let whole = |ty: &Ty| matches!(ty, Ty::Int(_) | Ty::Infer(_));
        let number = |ty: &Ty| matches!(ty, Ty::Int(_) | Ty::F32 | Ty::F64);
        let (l, r) = (
            self.cx.input().text(left.span),
            self.cx.input().text(right.span),
        );
        if whole(&x) && whole(&y) {
            let message = "`^` between integers may be a power or an exclusive or here";
            let help = format!(
                "write `{l} ** {r}` for the power, `{l} xor {r}` for the exclusive or of the bits"
            );
            let d = Diagnostic::error(codes::BAD_OPERAND, span, message).help(help);
            self.cx.report(d);
            return self.bad(span);
        }
        if number(&x) || number(&y) {
            return self.binary_values(BinaryOp::Pow, a, b, span);
        }
        let defined = !matches!(x, Ty::Error | Ty::Never) && !matches!(y, Ty::Error | Ty::Never);
        if op == BinaryOp::JoinedCaret && defined {
            let message =
                "`^` between these is an exclusive or, which is looser than the operator beside it";
            let help = format!("put it into parentheses, `({l} ^ {r})`; a power is `{l} ** {r}`");
            let d = Diagnostic::error(codes::BAD_OPERAND, span, message).help(help);
            self.cx.report(d);
            return self.bad(span);
        }
        self.binary_values(BinaryOp::BitXor, a, b, span)
    }

    /// `nograd:` with a block.
    pub(crate) fn nograd_block(&mut self, block: &'a ast::Block, span: Span) -> Expr {
        let before = self.pause_recording(span);
        let value = self.within(Context::in_nograd, |body| body.block(block, Want::Discard));
        self.while_paused(before, value, span)
    }

    /// `loss:` with a block: its last expression is what `backward` is called on.
    pub(crate) fn loss_block(&mut self, block: &'a ast::Block, span: Span) -> Expr {
        let value = self.block(block, Want::Any);
        let value = self.unwrap_lenient(value);
        let value = self.propagated(value, span);
        self.discarded(value)
    }

    /// A value on which `backward()` is called if it has that method, before it is yielded; numbers have none.
    fn propagated(&mut self, value: Expr, span: Span) -> Expr {
        let ty = self.resolve(value.ty);
        let Some(backward) = [CONDITIONAL_BACKWARD, "backward"]
            .map(Symbol::intern)
            .into_iter()
            .find(|&name| self.cx.find_method(ty, name).is_some())
        else {
            return value;
        };
        let holder = self.temp(ty, span);
        let read = self.read(holder, span);
        let Some(call) = self.method_values(read, backward, Vec::new(), span) else {
            return value;
        };
        let call = self.discarded(call);
        let read = self.read(holder, span);
        let body = self.then(call, read, span);
        self.mk(
            ExprKind::Let(holder, Box::new(value), Box::new(body)),
            ty,
            span,
        )
    }

    /// Switches recording off: the variable that says whether it was on, and its binding.
    fn pause_recording(&mut self, span: Span) -> Option<(LocalId, Stmt)> {
        let paused = self.grad_call(PAUSE, Vec::new(), span)?;
        let before = self.temp(TyId::BOOL, span);
        let kind = StmtKind::Let(before, paused);
        Some((before, Stmt { kind, span }))
    }

    /// `value`, evaluated with recording off and put back however it is left.
    fn while_paused(&mut self, before: Option<(LocalId, Stmt)>, value: Expr, span: Span) -> Expr {
        let Some((before, binding)) = before else {
            return value;
        };
        let read = Given::typed(self.read(before, span));
        let Some(resume) = self.grad_call(RESUME, vec![read], span) else {
            return value;
        };
        let resume = Stmt {
            kind: StmtKind::Defer(resume),
            span,
        };
        let ty = value.ty;
        let block = ExprKind::Block(vec![binding, resume], Some(Box::new(value)));
        self.mk(block, ty, span)
    }

    fn grad_call(&mut self, name: &str, args: Vec<Given<'a>>, span: Span) -> Option<Expr> {
        let module = self.cx.load_library(GRAD_MODULE);
        let found = module.and_then(|module| self.cx.lookup(module, Symbol::intern(name)));
        match found {
            Some(Def::Fn(idx)) => Some(self.call_fn(idx, &[], None, &[], args, Want::Any, span)),
            _ => {
                let d = Diagnostic::error(
                    codes::LOAD_FAILED,
                    span,
                    format!("the library lacks the function `{name}` of `std.core.grad`"),
                )
                .help("the installed library does not match the compiler: run `simple build`");
                self.cx.report(d);
                None
            }
        }
    }

    /// An expression of a formula.
    fn formula(&mut self, e: &'a ast::Expr) -> Expr {
        let value = self.deeper(e.span, |body| body.formula_kind(e));
        self.unwrap_lenient(value)
    }

    fn formula_kind(&mut self, e: &'a ast::Expr) -> Expr {
        let span = e.span;
        match &e.kind {
            ast::ExprKind::Paren(inner) => self.formula(inner),
            ast::ExprKind::Name(name) if self.find(name.name).is_none() => {
                match constant(name.name.as_str()) {
                    Some(value) => self.mk(ExprKind::Float(value), TyId::F64, span),
                    None => self.expr(e, Want::Any),
                }
            }
            ast::ExprKind::Unary(UnaryOp::Neg, inner)
                if !matches!(
                    inner.kind,
                    ast::ExprKind::Int(..) | ast::ExprKind::Float(..)
                ) =>
            {
                let value = self.formula(inner);
                self.negated(value, span)
            }
            ast::ExprKind::Binary(op, left, right)
                if matches!(
                    op,
                    BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div | BinaryOp::Pow
                ) =>
            {
                let (mut a, mut b) = (self.formula(left), self.formula(right));
                if matches!(op, BinaryOp::Div | BinaryOp::Pow) {
                    // `2 / 3` is a fraction here, and `2 ^ -1` a half.
                    (a, b) = (self.fraction(a), self.fraction(b));
                }
                self.binary_values(*op, a, b, span)
            }
            ast::ExprKind::Array(elements) => {
                let mut items = Vec::with_capacity(elements.len());
                for element in elements {
                    let ast::Element::Expr(item) = element else {
                        return self.expr(e, Want::Any);
                    };
                    let item = self.formula(item);
                    let item = self.fraction(item);
                    items.push(item);
                }
                let item = items
                    .first()
                    .map_or(TyId::F64, |item| self.shallow(item.ty));
                let items = items
                    .into_iter()
                    .map(|value| self.coerce(value, item, Why::Element))
                    .collect();
                let ty = self.intern(Ty::Array(item));
                self.mk(ExprKind::Array(items), ty, span)
            }
            ast::ExprKind::Index(base, index, false)
                if matches!(base.kind, ast::ExprKind::Array(_) | ast::ExprKind::Paren(_)) =>
            {
                let value = self.formula(base);
                self.index_value(value, index, span)
            }
            ast::ExprKind::Call(call) if call.block.is_none() => match &call.callee.kind {
                ast::ExprKind::Name(name) => self.formula_call(*name, call, span),
                _ => self.expr(e, Want::Any),
            },
            _ => self.expr(e, Want::Any),
        }
    }

    /// `name(args)`: a function of the program, or one that formulas know.
    fn formula_call(&mut self, name: Ident, call: &'a ast::Call, span: Span) -> Expr {
        let args: Vec<Given<'a>> = call
            .args
            .iter()
            .map(|arg| Given {
                label: arg.label,
                ..Given::typed(self.formula(&arg.value))
            })
            .collect();
        let word = name.name.as_str();
        let own = self.find_local(name.name).is_some()
            || self.self_member(name.name)
            || self
                .cx
                .lookup(self.scopes.types().module, name.name)
                .is_some();
        if own || !FUNCTIONS.contains(&word) || args.is_empty() {
            return self.call_name(name, &[], args, Want::Any, span);
        }
        let mut values: Vec<Expr> = args.into_iter().filter_map(Given::into_typed).collect();
        let first = self.resolve(values[0].ty);
        if !matches!(
            self.ty(first),
            Ty::Int(_) | Ty::F32 | Ty::F64 | Ty::Array(_) | Ty::Error
        ) {
            return self.formula_method(word, values, span);
        }
        let module = self.cx.load_library(FORMULA_MODULE);
        let found = module.and_then(|module| self.cx.lookup(module, name.name));
        let Some(Def::Fn(idx)) = found else {
            self.unknown_name(name);
            return self.bad(span);
        };
        let args = values.drain(..).map(Given::typed).collect();
        self.call_fn(idx, &[], None, &[], args, Want::Any, span)
    }

    /// The same function on a tensor: its method, with the dimension that formulas mean.
    fn formula_method(&mut self, word: &str, mut values: Vec<Expr>, span: Span) -> Expr {
        let subject = values.remove(0);
        let (method, dims): (&str, &[i64]) = match word {
            "frac" => ("div", &[]),
            "ln" => ("log", &[]),
            "softmax" => ("softmax", &[-1]),
            "transpose" => ("transpose", &[-2, -1]),
            word => (word, &[]),
        };
        if values.is_empty() {
            values.extend(dims.iter().map(|dim| Expr {
                kind: ExprKind::Int(*dim),
                ty: TyId::I64,
                span,
            }));
        }
        let name = Ident {
            name: Symbol::intern(method),
            span,
        };
        let args = values.into_iter().map(Given::typed).collect();
        let receiver = method::Receiver::value(subject);
        self.method_on(receiver, name, &[], args, Want::Any, span)
    }

    /// An integer as a float; anything else as it is.
    fn fraction(&mut self, value: Expr) -> Expr {
        match self.kind(value.ty) {
            Ty::Int(_) => {
                let span = value.span;
                self.mk(
                    ExprKind::Convert(Convert::Number, Box::new(value)),
                    TyId::F64,
                    span,
                )
            }
            _ => value,
        }
    }
}

/// The constants of formulas.
fn constant(name: &str) -> Option<f64> {
    match name {
        "pi" => Some(std::f64::consts::PI),
        "e" => Some(std::f64::consts::E),
        _ => None,
    }
}
