//! Comparisons and their chains, comparison with `nil`, membership.

use super::convert::Why;
use super::ops::{compare_op, compare_text, is_untyped};
use super::*;
use crate::codes;
use crate::typed::{CompareOp, Expr};
use simple_syntax::Diagnostic;
use simple_syntax::ast;

/// The method by which a type is compared with another one.
const EQUAL_TO: &str = "is_equal_to";
/// The methods by which a bound may say how values are compared.
const COMPARED: &[&str] = &["lt", "le", "gt", "ge", "compare", "eq", "equal"];
/// Every integer below it is a float, and every float below it that is whole is an integer that no other is rounded to.
const EXACT_BELOW: f64 = 9_007_199_254_740_992.0;

/// Whether a float type has exactly this value.
pub(in crate::body) fn is_exact(value: i128, float: TyId) -> bool {
    let nearest = match float {
        TyId::F32 => f64::from(value as f32),
        _ => value as f64,
    };
    nearest as i128 == value
}

/// What a method that compares yields.
fn compared_ret(name: Symbol) -> TyId {
    match name.as_str() {
        "compare" => TyId::I64,
        _ => TyId::BOOL,
    }
}

impl<'c, 'a> Body<'c, 'a> {
    /// `a < b <= c`: each operand is evaluated once.
    pub(crate) fn compare(
        &mut self,
        first: &'a ast::Expr,
        rest: &'a [(ast::CompareOp, Span, ast::Expr)],
        span: Span,
    ) -> Expr {
        if let [(op, _, second)] = rest {
            let is_nil = |e: &ast::Expr| {
                matches!(&e.kind, ast::ExprKind::Nil)
                    || matches!(&e.kind, ast::ExprKind::Name(n) if n.name.as_str() == "None")
            };
            if matches!(op, ast::CompareOp::Eq | ast::CompareOp::Ne)
                && (is_nil(second) || is_nil(first))
            {
                let (nil, other) = match is_nil(second) {
                    true => (second, first),
                    false => (first, second),
                };
                let value = self.expr(other, Want::Any);
                if let (ast::ExprKind::Name(name), Ty::Adt(_)) = (&nil.kind, self.kind(value.ty))
                    && self.variant_of(value.ty, name.name).is_some()
                {
                    // A user-defined enum with a variant `None`.
                    let none = self.name(*name, Want::Ty(value.ty));
                    return self.compare_values(compare_op(*op), value, none, span);
                }
                return self.compare_nil(value, *op == ast::CompareOp::Eq, span);
            }
            let (a, b) = match self.promised(COMPARED, span) {
                true => {
                    let (a, b) = (self.expr(first, Want::Any), self.expr(second, Want::Any));
                    (self.unwrap_lenient(a), self.unwrap_lenient(b))
                }
                false => self.comparands(first, second, *op),
            };
            return self.compare_values(compare_op(*op), a, b, span);
        }
        // Operands go into variables, in order; later ones only if the comparisons before them hold.
        let mut left = self.expr(first, Want::Any);
        left = self.unwrap_lenient(left);
        self.chain_links(left, rest, span)
    }

    pub(in crate::body) fn chain_links(
        &mut self,
        left: Expr,
        rest: &'a [(ast::CompareOp, Span, ast::Expr)],
        span: Span,
    ) -> Expr {
        let Some(((op, _, right), more)) = rest.split_first() else {
            return self.bad(span);
        };
        let hint = match is_untyped(right) {
            true => self.literal_hint(right, left.ty),
            false => Want::Any,
        };
        let right = self.expr(right, hint);
        let right = self.unwrap_lenient(right);
        if more.is_empty() {
            let last = self.compare_values(compare_op(*op), left, right, span);
            return self.link_of_chain(last);
        }
        let (left_local, right_local) = (
            self.temp(left.ty, left.span),
            self.temp(right.ty, right.span),
        );
        let (a, b) = (
            self.read(left_local, left.span),
            self.read(right_local, right.span),
        );
        let test = self.compare_values(compare_op(*op), a, b, span);
        let test = self.link_of_chain(test);
        let again = self.read(right_local, right.span);
        let others = self.chain_links(again, more, span);
        let both = self.mk(
            ExprKind::And(Box::new(test), Box::new(others)),
            TyId::BOOL,
            span,
        );
        let inner = self.mk(
            ExprKind::Let(right_local, Box::new(right), Box::new(both)),
            TyId::BOOL,
            span,
        );
        self.mk(
            ExprKind::Let(left_local, Box::new(left), Box::new(inner)),
            TyId::BOOL,
            span,
        )
    }

    /// A part of `a < b < c`, which must be a truth value.
    fn link_of_chain(&mut self, test: Expr) -> Expr {
        let ty = self.shallow(test.ty);
        if ty == TyId::BOOL || ty == TyId::ERROR || ty == TyId::NEVER {
            return test;
        }
        let found = self.show(ty);
        let d = Diagnostic::error(
            codes::TYPE_MISMATCH,
            test.span,
            "the parts of a chain of comparisons must be truth values",
        )
        .found_expected(found, "bool")
        .help("write the comparisons one by one and join their values: `(a < b) & (b < c)`");
        self.cx.report(d);
        self.bad(test.span)
    }

    pub(in crate::body) fn comparands(
        &mut self,
        a: &'a ast::Expr,
        b: &'a ast::Expr,
        op: ast::CompareOp,
    ) -> (Expr, Expr) {
        if matches!(op, ast::CompareOp::Eq | ast::CompareOp::Ne) && !is_untyped(a) {
            // A lenient optional is compared as it is: an absent one equals nothing.
            let left = self.expr(a, Want::Any);
            let ty = self.shallow(left.ty);
            let hint = match self.kind(ty) {
                Ty::Infer(_) => Want::Any,
                Ty::Int(_) | Ty::F32 | Ty::F64 if !is_untyped(b) => Want::Any,
                Ty::F32 | Ty::F64 if self.is_rounded(b, ty) => Want::Any,
                _ => Want::Like(ty),
            };
            let right = self.expr(b, hint);
            return (left, right);
        }
        match (is_untyped(a), is_untyped(b)) {
            (true, false) => {
                let right = self.expr(b, Want::Any);
                let right = self.unwrap_lenient(right);
                let hint = self.literal_hint(a, right.ty);
                (self.expr(a, hint), right)
            }
            (false, true) => {
                let left = self.expr(a, Want::Any);
                let left = self.unwrap_lenient(left);
                let hint = self.literal_hint(b, left.ty);
                (left, self.expr(b, hint))
            }
            _ => self.operands(a, b, Want::Any),
        }
    }

    /// The type that a literal takes from the number it is compared with; its own if it would be rounded.
    fn literal_hint(&self, literal: &ast::Expr, other: TyId) -> Want {
        let ty = self.shallow(other);
        match self.ty(ty) {
            Ty::F32 | Ty::F64 if self.is_rounded(literal, ty) => Want::Any,
            Ty::Int(_) | Ty::F32 | Ty::F64 => Want::Like(ty),
            _ => Want::Any,
        }
    }

    pub(in crate::body) fn compare_nil(&mut self, value: Expr, equal: bool, span: Span) -> Expr {
        if !self.must_be_known(value.ty, value.span) {
            return self.bad(span);
        }
        self.nil_trap(&value, span);
        match self.kind(value.ty) {
            Ty::Option(_) => {
                let present = self.mk(ExprKind::IsPresent(Box::new(value)), TyId::BOOL, span);
                if equal {
                    self.mk(ExprKind::Not(Box::new(present)), TyId::BOOL, span)
                } else {
                    present
                }
            }
            Ty::Error => self.bad(span),
            _ => {
                let answer = self.mk(ExprKind::Bool(!equal), TyId::BOOL, span);
                self.then(value, answer, span)
            }
        }
    }

    pub(crate) fn compare_values(&mut self, op: CompareOp, a: Expr, b: Expr, span: Span) -> Expr {
        let (x, y) = (self.shallow(a.ty), self.shallow(b.ty));
        if x == TyId::ERROR || y == TyId::ERROR {
            return self.bad(span);
        }
        if x == TyId::NEVER || y == TyId::NEVER {
            return if x == TyId::NEVER {
                a
            } else {
                self.then(a, b, span)
            };
        }
        if self.truth_beside_tensor(compare_text(op), &a, &b, span) {
            return self.bad(span);
        }
        let (a, b) = match self.compared_by_bound(op, a, b, span) {
            Ok(call) => return call,
            Err(operands) => operands,
        };
        let (a, b) = match self.compared_by_method(op, a, b, span) {
            Ok(call) => return call,
            Err(operands) => operands,
        };
        if matches!(op, CompareOp::Eq | CompareOp::Ne) && x == TyId::TEXT {
            self.compared_words(&a, &b);
        }
        let (left_name, right_name) = (self.show(x), self.show(y));
        let optional = |this: &Self, ty: TyId| matches!(this.kind(ty), Ty::Option(_));
        let ordered = !matches!(op, CompareOp::Eq | CompareOp::Ne);
        if ordered && (optional(self, x) || optional(self, y)) {
            return self.bad_operand(compare_text(op), &a, Some(&b), span);
        }
        if let (Ty::Int(m), Ty::Int(n)) = (self.ty(x).clone(), self.ty(y).clone())
            && m.signed != n.signed
            && (x == TyId::U64 || y == TyId::U64)
        {
            return self.compare_signs(op, a, b, span);
        }
        let (a, b) = match self.exact_operands(a, b) {
            (a, b, true) => {
                let kind = ExprKind::Compare(op, Box::new(a), Box::new(b));
                return self.mk(kind, TyId::BOOL, span);
            }
            (a, b, false) => (a, b),
        };
        let other = self
            .says_when_equal(op, x, y)
            .then(|| (a.clone(), b.clone()));
        let Some((a, b)) = self.promote(a, b) else {
            if let Some((a, b)) = other {
                return self.compare_with_other(op, a, b, span);
            }
            let mut d = Diagnostic::error(
                codes::BAD_OPERAND,
                span,
                format!("`{left_name}` and `{right_name}` cannot be compared"),
            )
            .found_expected(right_name, left_name);
            d.help = self.comparison_advice(op, x);
            self.cx.report(d);
            return self.bad(span);
        };
        let ty = self.resolve(a.ty);
        let (a, b) = match self.ty(ty) {
            Ty::Trait(_) => match self.compared_by_bound(op, a, b, span) {
                Ok(call) => return call,
                Err(operands) => operands,
            },
            _ => (a, b),
        };
        if self.cx.flags(ty) & infer::HAS_INFER != 0 {
            self.owe(ty, duty::Duty::Compared(op), span);
        } else if !self.require_compared(ty, op, span) {
            return self.bad(span);
        }
        self.mk(
            ExprKind::Compare(op, Box::new(a), Box::new(b)),
            TyId::BOOL,
            span,
        )
    }

    /// An integer and a float made ready for a comparison that rounds neither: both as one float type where the integer has an
    /// exact value there, otherwise as they are, the float widened to `f64`; the flag says that their types differ. Any other
    /// operands come back unchanged.
    fn exact_operands(&mut self, a: Expr, b: Expr) -> (Expr, Expr, bool) {
        let is_int = |this: &Self, e: &Expr| match this.kind(e.ty) {
            Ty::Int(int) => Some(int),
            _ => None,
        };
        let is_float = |this: &Self, e: &Expr| matches!(this.kind(e.ty), Ty::F32 | Ty::F64);
        if let Some(int) = is_int(self, &a)
            && is_float(self, &b)
        {
            return self.exact_pair(a, int, b);
        }
        if let Some(int) = is_int(self, &b)
            && is_float(self, &a)
        {
            let (b, a, mixed) = self.exact_pair(b, int, a);
            return (a, b, mixed);
        }
        (a, b, false)
    }

    fn exact_pair(&mut self, whole: Expr, int: IntTy, float: Expr) -> (Expr, Expr, bool) {
        let float_ty = self.shallow(float.ty);
        if let ExprKind::Int(bits) = whole.kind {
            let value = match int.signed {
                true => i128::from(bits),
                false => i128::from(bits as u64),
            };
            if is_exact(value, float_ty) {
                let number = self.mk(ExprKind::Float(value as f64), float_ty, whole.span);
                return (number, float, false);
            }
        }
        // A float of less than 2^53 is rounded to by no other integer than the one that it equals.
        let small = matches!(float.kind, ExprKind::Float(value) if value.abs() < EXACT_BELOW);
        let float = self.number(float, TyId::F64);
        if int.bits <= 32 || small {
            return (self.number(whole, TyId::F64), float, false);
        }
        (whole, float, true)
    }

    /// Whether an integer literal would be rounded to take the type of the float that it is compared with.
    pub(in crate::body) fn is_rounded(&self, e: &ast::Expr, float: TyId) -> bool {
        match &e.kind {
            ast::ExprKind::Int(value, None) => !is_exact(i128::from(*value), float),
            ast::ExprKind::Paren(inner) | ast::ExprKind::Unary(ast::UnaryOp::Neg, inner) => {
                self.is_rounded(inner, float)
            }
            _ => false,
        }
    }

    /// A comparison of a signed integer with a `u64`, which no integer type holds both of: what is below 0 is decided by that,
    /// anything else is compared as `u64`.
    fn compare_signs(&mut self, op: CompareOp, a: Expr, b: Expr, span: Span) -> Expr {
        let of_unsigned = self.shallow(a.ty) == TyId::U64;
        let (left, right) = (self.temp(a.ty, a.span), self.temp(b.ty, b.span));
        let (x, y) = (self.read(left, a.span), self.read(right, b.span));
        // With the signed operand on the left.
        let (signed, unsigned, turned) = match of_unsigned {
            false => (x, y, op),
            true => (y, x, op.turned()),
        };
        let zero = self.mk(ExprKind::Int(0), signed.ty, span);
        let below = matches!(turned, CompareOp::Lt | CompareOp::Le | CompareOp::Ne);
        let sign = ExprKind::Compare(
            if below { CompareOp::Lt } else { CompareOp::Ge },
            Box::new(signed.clone()),
            Box::new(zero),
        );
        let sign = Box::new(self.mk(sign, TyId::BOOL, span));
        let wide = self.number(signed, TyId::U64);
        let compared = ExprKind::Compare(turned, Box::new(wide), Box::new(unsigned));
        let compared = Box::new(self.mk(compared, TyId::BOOL, span));
        let test = if below {
            ExprKind::Or(sign, compared)
        } else {
            ExprKind::And(sign, compared)
        };
        let test = self.mk(test, TyId::BOOL, span);
        self.with_lets(vec![(left, a), (right, b)], test)
    }

    /// `a < b` where the type of an operand says what that is: by `lt le gt ge`, unless it has an order (`compare`). A number on the
    /// left asks the mirrored question. Gives the operands back if neither has such a method.
    fn compared_by_method(
        &mut self,
        op: CompareOp,
        a: Expr,
        b: Expr,
        span: Span,
    ) -> Result<Expr, (Expr, Expr)> {
        let (name, mirrored) = match op {
            CompareOp::Eq | CompareOp::Ne => return Err((a, b)),
            CompareOp::Lt => ("lt", "gt"),
            CompareOp::Le => ("le", "ge"),
            CompareOp::Gt => ("gt", "lt"),
            CompareOp::Ge => ("ge", "le"),
        };
        let promised = self.promised(&["lt", "le", "gt", "ge"], span);
        let (by, mirrored_by) = match promised {
            true => (
                self.promised(&[name], span),
                self.promised(&[mirrored], span),
            ),
            false => (
                self.has_comparison(a.ty, name),
                self.has_comparison(b.ty, mirrored),
            ),
        };
        if by {
            return Ok(self.operator_method(name, compare_text(op), a, Some(b), span));
        }
        let number = matches!(self.kind(a.ty), Ty::Int(_) | Ty::F32 | Ty::F64);
        if (number || promised) && mirrored_by {
            let first = self.temp(a.ty, a.span);
            let number = self.read(first, a.span);
            let call = self.operator_method(mirrored, compare_text(op), b, Some(number), span);
            return Ok(self.with_lets(vec![(first, a)], call));
        }
        Err((a, b))
    }

    /// Whether one of two types says by `is_equal_to` when it equals a value of another type.
    fn says_when_equal(&mut self, op: CompareOp, x: TyId, y: TyId) -> bool {
        matches!(op, CompareOp::Eq | CompareOp::Ne)
            && (self.has_equal_to(x) || self.has_equal_to(y))
    }

    fn has_equal_to(&mut self, ty: TyId) -> bool {
        matches!(self.ty(ty), Ty::Adt(_)) && self.has_method(ty, Symbol::intern(EQUAL_TO))
    }

    /// `a == b` and `a != b` of two types, of which the left one, or else the right one, has `is_equal_to`.
    fn compare_with_other(&mut self, op: CompareOp, a: Expr, b: Expr, span: Span) -> Expr {
        let left = self.resolve(a.ty);
        let call = if self.has_equal_to(left) {
            self.operator_method(EQUAL_TO, compare_text(op), a, Some(b), span)
        } else {
            let first = self.temp(a.ty, a.span);
            let left = self.read(first, a.span);
            let call = self.operator_method(EQUAL_TO, compare_text(op), b, Some(left), span);
            self.with_lets(vec![(first, a)], call)
        };
        if call.ty == TyId::ERROR || op == CompareOp::Eq {
            return call;
        }
        self.mk(ExprKind::Not(Box::new(call)), TyId::BOOL, span)
    }

    /// A comparison that a bound of a type parameter, or the trait of an object, explains: `==` and `!=` by `eq`, or `equal`, of another value
    /// of the type, an order by `compare`.
    fn compared_by_bound(
        &mut self,
        op: CompareOp,
        a: Expr,
        b: Expr,
        span: Span,
    ) -> Result<Expr, (Expr, Expr)> {
        let ordered = !matches!(op, CompareOp::Eq | CompareOp::Ne);
        let names: &[&str] = match ordered {
            false => &["eq", "equal"],
            true => &["compare"],
        };
        let ty = self.resolve(a.ty);
        let name = match *self.ty(ty) {
            Ty::Trait(id) => {
                let info = &self.cx.types().traits[id.0 as usize];
                let method = info.comparison(ty, ordered);
                method.map(|at| info.methods[at as usize].name)
            }
            ref other => {
                let param = match other {
                    Ty::Param(param) => Some(*param),
                    _ => None,
                };
                let mut names = names.iter().map(|name| Symbol::intern(name));
                names.find(|&name| match param {
                    Some(param) => self.compares(param, ty, name),
                    None => self.promise(name, span).is_some(),
                })
            }
        };
        let Some(name) = name else {
            return Err((a, b));
        };
        let call = self.operator_method(name.as_str(), compare_text(op), a, Some(b), span);
        if call.ty == TyId::ERROR {
            return Ok(call);
        }
        let kind = match op {
            CompareOp::Eq => return Ok(call),
            CompareOp::Ne => ExprKind::Not(Box::new(call)),
            _ => {
                let zero = self.mk(ExprKind::Int(0), TyId::I64, span);
                ExprKind::Compare(op, Box::new(call), Box::new(zero))
            }
        };
        Ok(self.mk(kind, TyId::BOOL, span))
    }

    /// Whether a bound of an opaque type promises a method that compares it with another value of the type.
    fn compares(&mut self, param: Symbol, ty: TyId, name: Symbol) -> bool {
        let Some((_, fn_idx, args)) = self.bound_methods(param, name).into_iter().next() else {
            return false;
        };
        let full: Rc<[TyId]> = [ty].into_iter().chain(args.iter().copied()).collect();
        if self.cx.decls()[fn_idx].generics.len() != full.len() {
            return false;
        }
        let signature = self.cx.signature(fn_idx, &full);
        signature.params == [ty] && signature.ret == Some(compared_ret(name))
    }

    fn has_comparison(&mut self, ty: TyId, name: &str) -> bool {
        let ty = self.resolve(ty);
        matches!(self.ty(ty), Ty::Adt(_) | Ty::Trait(_) | Ty::Param(_))
            && !self.has_method(ty, Symbol::intern("compare"))
            && self.has_method(ty, Symbol::intern(name))
    }

    /// Whether values of a type can be compared with an operator; reports it if not.
    pub(crate) fn require_compared(&mut self, ty: TyId, op: CompareOp, span: Span) -> bool {
        let reason = match op {
            CompareOp::Eq | CompareOp::Ne => self.incomparable(ty),
            _ => self.unordered(ty),
        };
        let Some(reason) = reason else {
            return true;
        };
        let name = self.cx.types().name(ty);
        let message = format!("`{}` is not defined for `{name}`", compare_text(op));
        let d = Diagnostic::error(codes::BAD_OPERAND, span, message).note(reason);
        self.cx.report(d);
        false
    }

    pub(in crate::body) fn incomparable(&mut self, ty: TyId) -> Option<String> {
        match self.ty(ty).clone() {
            Ty::Fn(..) => Some("functions have no equality".into()),
            _ => None,
        }
    }

    pub(in crate::body) fn unordered(&mut self, ty: TyId) -> Option<String> {
        match self.ty(ty).clone() {
            Ty::Int(_) | Ty::F32 | Ty::F64 | Ty::Text | Ty::Error | Ty::Never | Ty::Infer(_) => {
                None
            }
            Ty::Array(item) => self.unordered(item),
            Ty::Tuple(members) => members.into_iter().find_map(|(_, ty)| self.unordered(ty)),
            Ty::Adt(_) => {
                let name = Symbol::intern("compare");
                let fits = self
                    .cx
                    .concrete_method(ty, name)
                    .is_some_and(|(fn_idx, args)| {
                        let signature = self.cx.signature(fn_idx, &args);
                        let ret = signature.ret;
                        let ret = ret.or_else(|| self.cx.result_by_trait(fn_idx, &args));
                        signature.params.len() == 1 && ret.is_none_or(|ret| ret == TyId::I64)
                    });
                match fits {
                    true => None,
                    false => Some("a type is ordered by `fn compare(other: Self) -> i64`".into()),
                }
            }
            Ty::Trait(id) => match self.cx.types().traits[id.0 as usize].comparison(ty, true) {
                Some(_) => None,
                None => Some("objects of a trait are ordered by a method that it declares: `fn compare(other: Trait) -> i64`".into()),
            },
            Ty::Param(_) => Some("an unbounded type parameter allows only `==`; a bound promises an order: a trait with `fn compare(other: Self) -> i64`".into()),
            _ => Some(
                "numbers, text, tuples and arrays of these, and types with `compare` are ordered"
                    .into(),
            ),
        }
    }

    /// `a in b`, `a not in b`.
    pub(crate) fn membership(
        &mut self,
        item: &'a ast::Expr,
        holder: &'a ast::Expr,
        negated: bool,
        span: Span,
    ) -> Expr {
        let test = self.contains(item, holder, span);
        if negated && test.ty != TyId::ERROR {
            return self.mk(ExprKind::Not(Box::new(test)), TyId::BOOL, span);
        }
        test
    }

    pub(in crate::body) fn contains(
        &mut self,
        item: &'a ast::Expr,
        holder: &'a ast::Expr,
        span: Span,
    ) -> Expr {
        // The item is evaluated first; its literal's type comes from the holder when that is plain.
        let hint = match &holder.kind {
            _ if self.promised(&["contains"], span) => Want::Any,
            ast::ExprKind::Name(name) => match self.scopes.bound(name.name) {
                Some(Bound::Local(frame, id)) => {
                    let ty = self.shallow(self.scopes.frames()[frame].locals[id.0 as usize].ty);
                    match self.kind(ty) {
                        Ty::Array(item) | Ty::Set(item) | Ty::Dict(item, _) => Want::Like(item),
                        _ => Want::Any,
                    }
                }
                _ => Want::Any,
            },
            _ => Want::Any,
        };
        let item = self.expr(item, hint);
        let item = self.unwrap_lenient(item);
        let item_ty = self.shallow(item.ty);
        let holder_hint =
            if matches!(holder.kind, ast::ExprKind::Array(_)) && !self.is_unknown(item_ty) {
                Want::Like(self.intern(Ty::Array(item_ty)))
            } else {
                Want::Any
            };
        let holder = self.expr(holder, holder_hint);
        let holder = self.unwrap_lenient(holder);
        if self.promised(&["contains"], span) {
            return self.operator_method("contains", "in", holder, Some(item), span);
        }
        let (intrinsic, want) = match self.kind(holder.ty) {
            Ty::Array(item) => (Intrinsic::ArrayContains, item),
            Ty::Set(item) => (Intrinsic::SetContains, item),
            Ty::Dict(key, _) => (Intrinsic::DictContains, key),
            Ty::Text => (Intrinsic::TextContains, TyId::TEXT),
            Ty::Range => return self.in_range(item, holder, span),
            Ty::Error => return self.bad(span),
            Ty::Adt(_) | Ty::Trait(_) | Ty::Param(_) => {
                return self.operator_method("contains", "in", holder, Some(item), span);
            }
            _ => return self.bad_operand("in", &item, Some(&holder), span),
        };
        let item = self.coerce(item, want, Why::Operand);
        self.listed_words(&item, &holder);
        if args::is_simple(&item)
            || args::is_simple(&holder)
            || matches!(item.kind, ExprKind::Local(_))
        {
            return self.mk(
                ExprKind::Intrinsic(intrinsic, vec![holder, item]),
                TyId::BOOL,
                span,
            );
        }
        // Operands are evaluated left to right, but the intrinsic takes the holder first.
        let local = self.temp(item.ty, item.span);
        let read = self.read(local, item.span);
        let test = self.mk(
            ExprKind::Intrinsic(intrinsic, vec![holder, read]),
            TyId::BOOL,
            span,
        );
        self.mk(
            ExprKind::Let(local, Box::new(item), Box::new(test)),
            TyId::BOOL,
            span,
        )
    }
}
