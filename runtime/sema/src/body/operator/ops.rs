//! Operators: promotion of numbers, arithmetic, comparison chains, membership, pipes.

use super::convert::Why;
use super::*;
use crate::codes;
use crate::typed::{CompareOp, Expr};
use simple_syntax::Diagnostic;
use simple_syntax::ast::{self, BinaryOp, UnaryOp};

pub(crate) fn arith_of(op: BinaryOp) -> Option<ArithOp> {
    Some(match op {
        BinaryOp::Add => ArithOp::Add,
        BinaryOp::Sub => ArithOp::Sub,
        BinaryOp::Mul => ArithOp::Mul,
        BinaryOp::Div => ArithOp::Div,
        BinaryOp::Rem => ArithOp::Rem,
        BinaryOp::Pow => ArithOp::Pow,
        _ => return None,
    })
}

pub(crate) fn bits_of(op: BinaryOp) -> Option<BitsOp> {
    Some(match op {
        BinaryOp::BitAnd => BitsOp::And,
        BinaryOp::BitOr => BitsOp::Or,
        BinaryOp::BitXor => BitsOp::Xor,
        BinaryOp::Shl => BitsOp::Shl,
        BinaryOp::Shr => BitsOp::Shr,
        _ => return None,
    })
}

pub(in crate::body) fn op_text(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add => "+",
        BinaryOp::Sub => "-",
        BinaryOp::Mul => "*",
        BinaryOp::Div => "/",
        BinaryOp::Rem => "%",
        BinaryOp::Pow => "**",
        BinaryOp::MatMul => "@",
        BinaryOp::DotAdd => ".+",
        BinaryOp::DotSub => ".-",
        BinaryOp::DotMul => ".*",
        BinaryOp::DotDiv => "./",
        BinaryOp::DotPow => ".^",
        BinaryOp::BitAnd => "&",
        BinaryOp::BitOr => "|",
        BinaryOp::BitXor | BinaryOp::Caret | BinaryOp::JoinedCaret => "^",
        BinaryOp::Shl => "<<",
        BinaryOp::Shr => ">>",
        BinaryOp::Pipe => "|>",
        BinaryOp::Connect => "~>",
        BinaryOp::Parallel => "//",
    }
}

fn op_method(op: BinaryOp) -> Option<&'static str> {
    Some(match op {
        BinaryOp::Add => "add",
        BinaryOp::Sub => "sub",
        BinaryOp::Mul => "mul",
        BinaryOp::Div => "div",
        BinaryOp::Rem => "rem",
        BinaryOp::Pow => "pow",
        BinaryOp::MatMul => "matmul",
        BinaryOp::BitAnd => "bitwise_and",
        BinaryOp::BitOr => "bitwise_or",
        BinaryOp::BitXor => "bitwise_xor",
        _ => return None,
    })
}

/// The method of the right operand that takes an operator whose left operand is a number.
fn reversed(op: BinaryOp) -> Option<Symbol> {
    Some(Symbol::intern(&format!("r{}", op_method(op)?)))
}

/// An expression without the parentheses around it.
pub(crate) fn strip(e: &ast::Expr) -> &ast::Expr {
    match &e.kind {
        ast::ExprKind::Paren(inner) => strip(inner),
        _ => e,
    }
}

/// Whether an expression is made of number literals without suffix alone, so that it takes any number type.
pub(crate) fn is_untyped(e: &ast::Expr) -> bool {
    use ast::ExprKind as K;
    match &e.kind {
        K::Int(_, None) | K::Float(_, None) => true,
        K::Paren(inner) | K::Unary(UnaryOp::Neg, inner) => is_untyped(inner),
        K::Binary(op, a, b) => arith_of(*op).is_some() && is_untyped(a) && is_untyped(b),
        K::If(node) => {
            let blocks = node.branches.iter().map(|(_, block)| block);
            node.otherwise.is_some()
                && blocks
                    .chain(&node.otherwise)
                    .all(|block| match &block.stmts[..] {
                        [
                            ast::Stmt {
                                kind: ast::StmtKind::Expr(value),
                                ..
                            },
                        ] => is_untyped(value),
                        _ => false,
                    })
        }
        _ => false,
    }
}

impl<'c, 'a> Body<'c, 'a> {
    pub(crate) fn binary(
        &mut self,
        op: BinaryOp,
        left: &'a ast::Expr,
        right: &'a ast::Expr,
        want: Want,
        span: Span,
    ) -> Expr {
        match op {
            BinaryOp::Pipe => return self.pipe(left, right, want, span),
            BinaryOp::Connect => return self.connect(left, right, span),
            BinaryOp::Parallel => return self.parallel(left, right, want, span),
            BinaryOp::Caret | BinaryOp::JoinedCaret => return self.caret(op, left, right, span),
            BinaryOp::DotAdd
            | BinaryOp::DotSub
            | BinaryOp::DotMul
            | BinaryOp::DotDiv
            | BinaryOp::DotPow => {
                return self.elementwise(op, left, right, span);
            }
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div => {
                // A long sum is a left spine: it is walked in a loop, so that its length does not become depth.
                return self.spine(op, left, right, want, span);
            }
            BinaryOp::Shr | BinaryOp::Shl if lambda::is_lambda_like(strip(right)) => {
                return self.compose_lambda(op, left, right, span);
            }
            _ => {}
        }
        let (a, b) = self.operands_of(op, left, right, want, span);
        self.binary_values(op, a, b, span)
    }

    /// Two operands, of which a literal takes the other's type unless a bound says what the operator means.
    fn operands_of(
        &mut self,
        op: BinaryOp,
        left: &'a ast::Expr,
        right: &'a ast::Expr,
        want: Want,
        span: Span,
    ) -> (Expr, Expr) {
        if self.promised_operator(op, span) {
            let left = self.expr(left, Want::Any);
            let right = self.expr(right, Want::Any);
            return (self.unwrap_lenient(left), self.unwrap_lenient(right));
        }
        match op {
            BinaryOp::Shl | BinaryOp::Shr => self.shift_operands(left, right, want),
            _ => self.operands(left, right, want),
        }
    }

    /// What is shifted and by how much: the count has its own type, so neither side takes the other's.
    fn shift_operands(
        &mut self,
        left: &'a ast::Expr,
        right: &'a ast::Expr,
        want: Want,
    ) -> (Expr, Expr) {
        let want = match self.hint(want) {
            Some(ty) if matches!(self.kind(ty), Ty::Int(_)) => want,
            _ => Want::Any,
        };
        let left = self.expr(left, want);
        let left = self.unwrap_lenient(left);
        let right = self.expr(right, Want::Any);
        let right = self.unwrap_lenient(right);
        (left, right)
    }

    /// Whether a bound of a type parameter says what an operator means at this place.
    fn promised_operator(&self, op: BinaryOp, span: Span) -> bool {
        op_method(op).is_some_and(|name| self.promised(&[name], span))
            || reversed(op).is_some_and(|name| self.promise(name, span).is_some())
    }

    pub(in crate::body) fn spine(
        &mut self,
        op: BinaryOp,
        left: &'a ast::Expr,
        right: &'a ast::Expr,
        want: Want,
        span: Span,
    ) -> Expr {
        let mut parts = vec![(op, right, span)];
        let mut first = left;
        while let ast::ExprKind::Binary(op, a, b) = &first.kind
            && matches!(
                op,
                BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div
            )
        {
            parts.push((*op, b, first.span));
            first = a;
        }
        if parts.len() as u32 > 4 * MAX_DEPTH {
            self.cx.error(
                simple_syntax::codes::TOO_DEEP,
                span,
                "this expression has too many operands",
            );
            return self.bad(span);
        }
        let Some((op, second, at)) = parts.pop() else {
            return self.bad(span);
        };
        // A literal start takes the type of the first operand that has one.
        let want = if is_untyped(first) && is_untyped(second) && !parts.is_empty() {
            match parts.iter().rev().find(|(_, e, _)| !is_untyped(e)) {
                Some((_, e, _)) => match self.peek_number(e) {
                    Some(ty) => Want::Like(ty),
                    None => want,
                },
                None => want,
            }
        } else {
            want
        };
        let (a, b) = self.operands_of(op, first, second, want, at);
        let mut value = self.binary_values(op, a, b, at);
        while let Some((op, next, at)) = parts.pop() {
            let hint = {
                let ty = self.shallow(value.ty);
                match self.ty(ty) {
                    _ if self.promised_operator(op, at) => Want::Any,
                    Ty::Int(_) | Ty::F32 | Ty::F64 if is_untyped(next) => Want::Like(ty),
                    Ty::Array(_) | Ty::Adt(_) => Want::Like(ty),
                    _ => Want::Any,
                }
            };
            let next = self.expr(next, hint);
            let next = self.unwrap_lenient(next);
            value = self.binary_values(op, value, next, at);
        }
        value
    }

    /// The number type of a plain variable, without checking anything.
    pub(in crate::body) fn peek_number(&mut self, e: &ast::Expr) -> Option<TyId> {
        let ast::ExprKind::Name(name) = &e.kind else {
            return None;
        };
        let Bound::Local(frame, id) = self.scopes.bound(name.name)? else {
            return None;
        };
        let ty = self.shallow(self.scopes.frames()[frame].locals[id.0 as usize].ty);
        matches!(self.ty(ty), Ty::Int(_) | Ty::F32 | Ty::F64).then_some(ty)
    }

    /// An operator on two checked values.
    pub(crate) fn binary_values(
        &mut self,
        op: BinaryOp,
        left: Expr,
        right: Expr,
        span: Span,
    ) -> Expr {
        if self.is_unknown(left.ty) && self.is_unknown(right.ty) {
            self.check_ready();
        }
        let (a, b) = (self.shallow(left.ty), self.shallow(right.ty));
        if a == TyId::ERROR || b == TyId::ERROR {
            return self.bad(span);
        }
        if a == TyId::NEVER {
            return left;
        }
        if b == TyId::NEVER {
            return self.then(left, right, span);
        }
        if !self.operand_types(a, b, left.span) {
            return self.bad(span);
        }
        if self.truth_beside_tensor(op_text(op), &left, &right, span) {
            return self.bad(span);
        }
        self.tensor_operand(&left, &right);
        if let Some(method) = op_method(op)
            && self.promised(&[method], span)
        {
            return self.operator_method(method, op_text(op), left, Some(right), span);
        }
        if let Some(name) = reversed(op)
            && self.promise(name, span).is_some()
        {
            return self.reversed_call(name, left, right, span);
        }
        let (x, y) = (self.kind(a), self.kind(b));
        let numeric = |ty: &Ty| matches!(ty, Ty::Int(_) | Ty::F32 | Ty::F64);
        if numeric(&x) && numeric(&y) {
            return self.binary_numbers(op, left, right, span);
        }
        match (op, &x, &y) {
            (BinaryOp::Add, Ty::Text, Ty::Text) => self.mk(
                ExprKind::Concat(Box::new(left), Box::new(right)),
                TyId::TEXT,
                span,
            ),
            (BinaryOp::Add, Ty::Text, _) => {
                self.join_hint(&right);
                self.bad(span)
            }
            (BinaryOp::Add, _, Ty::Text)
                if !matches!(x, Ty::Adt(_) | Ty::Trait(_) | Ty::Param(_)) =>
            {
                self.join_hint(&left);
                self.bad(span)
            }
            (BinaryOp::Add, Ty::Array(_), Ty::Array(_)) => {
                let right = self.coerce(right, a, Why::Operand);
                self.mk(ExprKind::Concat(Box::new(left), Box::new(right)), a, span)
            }
            (BinaryOp::Mul, Ty::Text, Ty::Int(_)) => {
                let right = self.number(right, TyId::I64);
                self.mk(
                    ExprKind::Intrinsic(Intrinsic::TextRepeat, vec![left, right]),
                    TyId::TEXT,
                    span,
                )
            }
            (BinaryOp::Mul, Ty::Array(_), Ty::Int(_)) => {
                let right = self.number(right, TyId::I64);
                self.mk(
                    ExprKind::Intrinsic(Intrinsic::ArrayRepeat, vec![left, right]),
                    a,
                    span,
                )
            }
            (BinaryOp::Shr | BinaryOp::Shl, Ty::Fn(..), Ty::Fn(..)) => {
                self.compose(op, left, right, span)
            }
            // A number on the left of another type: that type's `radd`, `rsub`, ...
            (_, Ty::Int(_) | Ty::F32 | Ty::F64, Ty::Adt(_) | Ty::Trait(_) | Ty::Param(_))
                if let Some(name) = self.reversed_method(op, b) =>
            {
                self.reversed_call(name, left, right, span)
            }
            _ => match op_method(op) {
                Some(method)
                    if matches!(
                        x,
                        Ty::Adt(_) | Ty::Trait(_) | Ty::Param(_) | Ty::Tuple(_) | Ty::Array(_)
                    ) =>
                {
                    self.operator_method(method, op_text(op), left, Some(right), span)
                }
                _ => self.bad_operand(op_text(op), &left, Some(&right), span),
            },
        }
    }

    /// Lets the one operand whose type is not known have that of the other; reports it if both are not known.
    fn operand_types(&mut self, a: TyId, b: TyId, at: Span) -> bool {
        match (self.is_unknown(a), self.is_unknown(b)) {
            (false, false) => {}
            (true, true) => {
                let d = Diagnostic::error(
                    codes::UNDETERMINED,
                    at,
                    "the types of these operands must be known here",
                )
                .help("write the type of the variable or parameter");
                self.cx.report(d);
                self.unify(a, TyId::ERROR);
                self.unify(b, TyId::ERROR);
                return false;
            }
            _ => {
                self.unify(a, b);
            }
        }
        true
    }

    /// An operator between numbers.
    fn binary_numbers(&mut self, op: BinaryOp, left: Expr, right: Expr, span: Span) -> Expr {
        let (a, b) = (self.shallow(left.ty), self.shallow(right.ty));
        let (x, y) = (self.kind(a), self.kind(b));
        if let Some(arith) = arith_of(op) {
            let (found, expected) = (self.show(a), self.show(b));
            let Some((left, right)) = self.promote(left, right) else {
                let message = format!("`{found}` and `{expected}` have no common type");
                let d = Diagnostic::error(codes::BAD_OPERAND, span, message)
                    .help("convert one of them with `as`");
                self.cx.report(d);
                return self.bad(span);
            };
            let ty = self.shallow(left.ty);
            let kind = ExprKind::Arith(arith, Box::new(left), Box::new(right));
            return self.mk(kind, ty, span);
        }
        if let (Some(bits), Ty::Int(_), Ty::Int(_)) = (bits_of(op), &x, &y) {
            if bits.is_shift() {
                let kind = ExprKind::Bits(bits, Box::new(left), Box::new(right));
                return self.mk(kind, a, span);
            }
            if let Some((left, right)) = self.promote(left, right) {
                let ty = self.shallow(left.ty);
                let kind = ExprKind::Bits(bits, Box::new(left), Box::new(right));
                return self.mk(kind, ty, span);
            }
            let (left_name, right_name) = (self.show(a), self.show(b));
            let message = format!("`{left_name}` and `{right_name}` have no common type");
            self.cx.error(codes::BAD_OPERAND, span, message);
            return self.bad(span);
        }
        self.bad_operand(op_text(op), &left, Some(&right), span)
    }

    /// The method that takes an operator whose left operand is a number.
    fn reversed_method(&mut self, op: BinaryOp, right: TyId) -> Option<Symbol> {
        let name = reversed(op)?;
        let ty = self.resolve(right);
        self.has_method(ty, name).then_some(name)
    }

    /// The operator as a method of its right operand; the left one is evaluated first.
    fn reversed_call(&mut self, name: Symbol, left: Expr, right: Expr, span: Span) -> Expr {
        let number = self.temp(left.ty, left.span);
        let args = vec![args::Given::typed(self.read(number, left.span))];
        let receiver = method::Receiver::value(right);
        let ident = ast::Ident { name, span };
        let call = self.method_on(receiver, ident, &[], args, Want::Any, span);
        self.with_lets(vec![(number, left)], call)
    }

    /// `a ~> b`: the method `connect` of a layer; any other value goes into the function or layer on the right.
    fn connect(&mut self, left: &'a ast::Expr, right: &'a ast::Expr, span: Span) -> Expr {
        let left = self.expr(left, Want::Any);
        let left = self.unwrap_lenient(left);
        let right = self.expr(right, Want::Any);
        let right = self.unwrap_lenient(right);
        if left.ty == TyId::ERROR || right.ty == TyId::ERROR {
            return self.bad(span);
        }
        let ty = self.resolve(left.ty);
        let name = Symbol::intern("connect");
        if self.has_method(ty, name) || self.promise(name, span).is_some() {
            return self.operator_method("connect", "~>", left, Some(right), span);
        }
        let value = self.temp(ty, left.span);
        let args = vec![args::Given::typed(self.read(value, left.span))];
        let call = self.call_value(right, args, Want::Any, span);
        self.with_lets(vec![(value, left)], call)
    }

    /// Reports text joined with something else.
    pub(crate) fn join_hint(&mut self, other: &Expr) {
        let name = self.show(other.ty);
        let optional = matches!(self.kind(other.ty), Ty::Option(_));
        let (code, help) = if optional {
            (codes::OPTIONAL_USED, advice::UNWRAP)
        } else {
            (
                codes::BAD_OPERAND,
                "put the value into the text: `\"... {x}\"`",
            )
        };
        let d = Diagnostic::error(code, other.span, "`+` joins `text` only with `text`")
            .found_expected(name, "text")
            .help(help);
        self.cx.report(d);
    }

    /// Reports an operator whose operands do not fit.
    pub(crate) fn bad_operand(
        &mut self,
        op: &str,
        left: &Expr,
        right: Option<&Expr>,
        span: Span,
    ) -> Expr {
        let name = |this: &mut Self, e: &Expr| match e.kind {
            ExprKind::Nil => "nil".to_owned(),
            _ => this.show(e.ty),
        };
        let left_name = name(self, left);
        let message = match right {
            Some(right) => {
                let right_name = name(self, right);
                format!("`{op}` is not defined between `{left_name}` and `{right_name}`")
            }
            None => format!("`{op}` is not defined for `{left_name}`"),
        };
        let mut d = Diagnostic::error(codes::BAD_OPERAND, span, message);
        let operands = [Some(left), right].into_iter().flatten();
        if operands
            .into_iter()
            .any(|e| matches!(self.kind(e.ty), Ty::Option(_)))
        {
            d.code = codes::OPTIONAL_USED;
        }
        if op == "//" && matches!(self.kind(left.ty), Ty::Int(_) | Ty::F32 | Ty::F64) {
            d = d.note("`//` puts two functions side by side").help(
                "`/` divides whole numbers towards zero, `a.fdiv(b)` rounds down; a comment begins with `#`",
            );
        } else if op == "//" && self.is_tensor(left.ty) {
            d = d
                .note("`//` puts two functions side by side")
                .help("`a.floor_divide(b)` divides tensors and rounds down");
        } else {
            d.help = self.operator_advice(op, left, right).map(str::to_owned);
        }
        self.cx.report(d);
        self.bad(span)
    }

    /// A `u64` and a signed integer, of which one is what a declared variable or field holds: the other becomes one
    /// too, which fails at its line where it does not fit. With both declared, or none, nothing says which is meant.
    fn by_declared(&mut self, a: Expr, b: Expr) -> Option<(Expr, Expr)> {
        let (x, y) = (self.shallow(a.ty), self.shallow(b.ty));
        match (is_declared(&a), is_declared(&b)) {
            (true, false) => {
                let b = self.try_coerce(b, x).ok()?;
                Some((a, b))
            }
            (false, true) => {
                let a = self.try_coerce(a, y).ok()?;
                Some((a, b))
            }
            _ => None,
        }
    }

    /// Two numbers as one type; other values as the type of one of them.
    pub(crate) fn promote(&mut self, a: Expr, b: Expr) -> Option<(Expr, Expr)> {
        let (x, y) = (self.shallow(a.ty), self.shallow(b.ty));
        if x == y {
            return Some((a, b));
        }
        let ty = match (self.ty(x).clone(), self.ty(y).clone()) {
            (Ty::Int(_), Ty::F32 | Ty::F64) => y,
            (Ty::F32 | Ty::F64, Ty::Int(_)) => x,
            (Ty::F32, Ty::F64) | (Ty::F64, Ty::F32) => TyId::F64,
            (Ty::Int(m), Ty::Int(n)) => {
                if m.signed == n.signed {
                    if m.bits >= n.bits { x } else { y }
                } else {
                    let (signed, unsigned) = if m.signed { (m, n) } else { (n, m) };
                    let bits = signed.bits.max(unsigned.bits.saturating_mul(2));
                    if bits > 64 {
                        return self.by_declared(a, b);
                    }
                    self.intern(Ty::Int(IntTy { bits, signed: true }))
                }
            }
            (Ty::Error, _) | (_, Ty::Error) => return None,
            _ => {
                let (a, b) = match self.try_coerce(b, x) {
                    Ok(b) => return Some((a, b)),
                    // Of a lenient optional the payload is left, which may be a number of another type.
                    Err(b) if self.shallow(b.ty) != y => return self.promote(a, b),
                    Err(b) => (a, b),
                };
                return match self.try_coerce(a, y) {
                    Ok(a) => Some((a, b)),
                    Err(_) => None,
                };
            }
        };
        if matches!(self.ty(ty), Ty::F32 | Ty::F64) {
            self.float_of_division(&a, a.span);
            self.float_of_division(&b, b.span);
        }
        Some((self.number(a, ty), self.number(b, ty)))
    }

    /// `x |> f`.
    pub(in crate::body) fn pipe(
        &mut self,
        left: &'a ast::Expr,
        right: &'a ast::Expr,
        want: Want,
        span: Span,
    ) -> Expr {
        let value = self.expr(left, Want::Any);
        let value = self.unwrap_lenient(value);
        if value.ty == TyId::ERROR {
            return value;
        }
        if let ast::ExprKind::Name(name) = &right.kind {
            match self.find(name.name) {
                Some(scope::Found::Def(Def::Fn(fn_idx))) => {
                    return self.call_fn(
                        fn_idx,
                        &[],
                        None,
                        &[],
                        vec![args::Given::typed(value)],
                        want,
                        span,
                    );
                }
                None if builtin::NAMES.contains(&name.name.as_str()) => {
                    let args = vec![args::Given::typed(value)];
                    return match self.builtin(*name, args, want, span) {
                        Ok(value) => value,
                        // `Some`, `Ok` and their like are not functions.
                        Err(_) => {
                            let message = format!("`{}` is not a function", name.name);
                            let d = Diagnostic::error(codes::NOT_CALLABLE, right.span, message)
                                .help(format!("write `{}(value)`", name.name));
                            self.cx.report(d);
                            self.bad(span)
                        }
                    };
                }
                Some(scope::Found::Local(_)) if self.named_params(name.name).is_some() => {
                    let args = vec![args::Given::typed(value)];
                    return self.call_name(*name, &[], args, want, span);
                }
                Some(scope::Found::Def(Def::Global(global))) => {
                    if let Some(named) = self.named_params_of_global(global) {
                        let args = vec![args::Given::typed(value)];
                        let function = self.global_value(global, right.span);
                        return self.call_named(function, *name, named, args, want, span);
                    }
                }
                _ => {}
            }
        }
        let result = self.fresh(span, infer::Origin::GivenResult);
        let ty = self.resolve(value.ty);
        let f_ty = self.intern(Ty::Fn(vec![ty], result));
        let holder = self.temp(ty, value.span);
        let read = self.read(holder, value.span);
        let f = match &right.kind {
            ast::ExprKind::Paren(inner) if lambda::has_placeholder(inner) => {
                self.argument(inner, f_ty)
            }
            _ => self.expr(right, Want::Ty(f_ty)),
        };
        let call = self.call_value(f, vec![args::Given::typed(read)], Want::Any, span);
        let ty = call.ty;
        self.mk(
            ExprKind::Let(holder, Box::new(value), Box::new(call)),
            ty,
            span,
        )
    }
}

pub(in crate::body) fn compare_op(op: ast::CompareOp) -> CompareOp {
    match op {
        ast::CompareOp::Eq => CompareOp::Eq,
        ast::CompareOp::Ne => CompareOp::Ne,
        ast::CompareOp::Lt => CompareOp::Lt,
        ast::CompareOp::Le => CompareOp::Le,
        ast::CompareOp::Gt => CompareOp::Gt,
        ast::CompareOp::Ge => CompareOp::Ge,
    }
}

pub(in crate::body) fn compare_text(op: CompareOp) -> &'static str {
    match op {
        CompareOp::Eq => "==",
        CompareOp::Ne => "!=",
        CompareOp::Lt => "<",
        CompareOp::Le => "<=",
        CompareOp::Gt => ">",
        CompareOp::Ge => ">=",
    }
}

/// Whether an integer has the type that a variable, a field or an `as` was written with, or is computed from one.
fn is_declared(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Local(_)
        | ExprKind::Global(_)
        | ExprKind::Field(..)
        | ExprKind::Convert(Convert::Number, _) => true,
        ExprKind::Index(items, _) => is_declared(items),
        ExprKind::Arith(_, a, b) | ExprKind::Bits(_, a, b) => is_declared(a) || is_declared(b),
        ExprKind::Neg(a) | ExprKind::BitNot(a) | ExprKind::Unwrap(a, _) => is_declared(a),
        _ => false,
    }
}
