//! Assignment: plain, with an operator, to several places at once.

use super::access::Subscript;
use super::convert::Why;
use super::*;
use crate::codes;
use crate::typed::{Expr, Pattern, Stmt};
use simple_syntax::Diagnostic;
use simple_syntax::ast::{self, BinaryOp};

/// What an assignment does with what its place holds.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::body) enum Change {
    /// `place = e`.
    Set,
    /// `place op= e`.
    Op(BinaryOp),
    /// `place ??= e`.
    IfAbsent,
}

impl<'c, 'a> Body<'c, 'a> {
    pub(in crate::body) fn assign(
        &mut self,
        place: &'a ast::Expr,
        op: Option<BinaryOp>,
        value: &'a ast::Expr,
        span: Span,
        out: &mut Vec<Stmt>,
    ) {
        if let (ast::ExprKind::Tuple(parts), None) = (&place.kind, op) {
            self.assign_tuple(parts, value, span, out);
            return;
        }
        if let ast::ExprKind::Name(name) = &place.kind
            && let Some(idx) = self.foreign_variable(*name)
        {
            let write = self.assign_foreign(idx, (*name, op), value, span);
            out.extend(write.map(|write| Stmt {
                kind: StmtKind::Expr(write),
                span,
            }));
            return;
        }
        let change = op.map_or(Change::Set, Change::Op);
        let target = match self.assigned_place(place, (change, value), span) {
            Ok(stmt) => {
                out.push(stmt);
                return;
            }
            Err(Some(target)) => target,
            Err(None) => {
                self.expr(value, Want::Any);
                return;
            }
        };
        let ty = target.ty;
        let whole = target.path.is_empty();
        let appends = op.is_some() && matches!(self.kind(ty), Ty::Array(_));
        if self.is_frozen_place(&target) && (appends || !whole) {
            let value = self.expr(value, Want::Ty(ty));
            let value = self.coerce(value, ty, Why::Assignment);
            let kind =
                StmtKind::Expr(self.refused_change("assignment", vec![value], TyId::UNIT, span));
            out.push(Stmt { kind, span });
            return;
        }
        let kind = match op {
            Some(op) => self.update_place(target, place, op, value, span),
            None => Some(self.set_place(target, value)),
        };
        out.extend(kind.map(|kind| Stmt { kind, span }));
    }

    /// `place = value`.
    fn set_place(&mut self, target: Place, value: &'a ast::Expr) -> StmtKind {
        let (ty, whole) = (target.ty, target.path.is_empty());
        if !whole {
            self.lost_parameter(&target, value);
        }
        let value = self.expr(value, Want::Ty(ty));
        let value = self.coerce(value, ty, Why::Assignment);
        let value = self.expect_assigned(value, &target);
        if whole {
            self.set_frozen(&target, &value);
            self.forget_source(&target);
        }
        // `s = s + a + b` is `s += a + b`, which appends in place.
        match self.without_start(value, &target) {
            Ok(rest) => StmtKind::Append(target, rest),
            Err(value) => StmtKind::Assign(target, value),
        }
    }

    /// `place op= value`; `None` where that is a mistake, which is reported.
    fn update_place(
        &mut self,
        target: Place,
        place: &'a ast::Expr,
        op: BinaryOp,
        value: &'a ast::Expr,
        span: Span,
    ) -> Option<StmtKind> {
        let ty = target.ty;
        Some(match (op, self.kind(ty)) {
            (BinaryOp::Add, Ty::Array(_)) if self.reject_resize(&target, span) => return None,
            (BinaryOp::Add, Ty::Text | Ty::Array(_)) => {
                let value = self.expr(value, Want::Ty(ty));
                if ty == TyId::TEXT
                    && !matches!(
                        self.kind(value.ty),
                        Ty::Text | Ty::Option(_) | Ty::Error | Ty::Never
                    )
                {
                    self.join_hint(&value);
                    return None;
                }
                StmtKind::Append(target, self.coerce(value, ty, Why::Update))
            }
            (op, Ty::Int(_) | Ty::F32 | Ty::F64) => {
                let value = self.expr(value, Want::Ty(ty));
                match (ops::arith_of(op), ops::bits_of(op)) {
                    (Some(arith), _) => {
                        StmtKind::AssignArith(target, arith, self.coerce(value, ty, Why::Update))
                    }
                    (None, Some(bits)) if matches!(self.kind(ty), Ty::Int(_)) => {
                        let value = self.unwrap_lenient(value);
                        // A count of bits may be of any integer type, as in `a << n`.
                        let value = match self.kind(value.ty) {
                            Ty::Int(_) if bits.is_shift() => value,
                            _ => self.coerce(value, ty, Why::Update),
                        };
                        StmtKind::AssignBits(target, bits, value)
                    }
                    _ => {
                        let left = self.place_value(&target);
                        self.bad_operand(ops::op_text(op), &left, Some(&value), span);
                        return None;
                    }
                }
            }
            (_, Ty::Error) => return None,
            (op, _) => {
                self.tensor_update(&target, place, op, value, span);
                // `a += b` of other types is `a = a + b`, with the path to `a` evaluated once.
                let mut stmts = Vec::new();
                let target = self.settled(target, &mut stmts);
                let left = self.place_value(&target);
                let left = self.present_payload(left);
                let right = self.expr(value, Want::Any);
                let sum = self.binary_values(op, left, right, span);
                let sum = self.coerce(sum, ty, Why::Assignment);
                let kind = StmtKind::Assign(target, sum);
                if stmts.is_empty() {
                    kind
                } else {
                    stmts.push(Stmt { kind, span });
                    StmtKind::Expr(self.mk(ExprKind::Block(stmts, None), TyId::UNIT, span))
                }
            }
        })
    }

    /// The place that an assignment changes, if it may; or the statement that changes it by a call of `set`.
    fn assigned_place(
        &mut self,
        place: &'a ast::Expr,
        (change, value): (Change, &'a ast::Expr),
        span: Span,
    ) -> Result<Stmt, Option<Place>> {
        match &place.kind {
            ast::ExprKind::Index(base, index, false) => {
                let of = self.assigned(base);
                let part = Subscript::At(index);
                let by_method = self.assign_by_method(of, base.span, part, (change, value), span);
                by_method.map_err(|of| self.element_place(of, index, place.span))
            }
            ast::ExprKind::Slice(base, bounds) => {
                let of = self.assigned(base);
                let part = Subscript::Slice(bounds, place.span);
                let by_method = self.assign_by_method(of, base.span, part, (change, value), span);
                by_method.map_err(|of| {
                    let value = self.target_value(of);
                    let value = self.slice_value(value, bounds, place.span);
                    self.no_place_of(&value, place.span)
                })
            }
            _ => {
                let op = match change {
                    Change::Op(op) => Some(op),
                    _ => None,
                };
                let change = |context: &mut Context| context.in_update(op);
                Err(self.within(change, |body| body.mutable_place(place)))
            }
        }
    }

    /// `place ??= value`: the path to the place is evaluated once, the value only where the place holds nothing. An entry
    /// of a dict that is not there is made.
    pub(in crate::body) fn assign_absent(
        &mut self,
        place: &'a ast::Expr,
        value: &'a ast::Expr,
        span: Span,
    ) -> Option<Stmt> {
        let target = match self.assigned_place(place, (Change::IfAbsent, value), span) {
            Ok(stmt) => return Some(stmt),
            Err(Some(target)) => target,
            Err(None) => {
                self.expr(value, Want::Any);
                return None;
            }
        };
        let ty = target.ty;
        let whole = target.path.is_empty();
        let mut stmts = Vec::new();
        let target = self.settled(target, &mut stmts);
        let mut held = target.clone();
        if let Some(PlaceStep::Index(of, _)) = target.path.last()
            && let Ty::Dict(_, item) = self.kind(*of)
        {
            held.ty = self.intern(Ty::Option(item));
        }
        let old = self.place_value(&held);
        let value = self.expr(value, Want::Ty(ty));
        let value = self.coerce(value, ty, Why::Assignment);
        let assign = if !whole && self.is_frozen_place(&target) {
            StmtKind::Expr(self.refused_change("assignment", vec![value], TyId::UNIT, span))
        } else {
            if whole {
                self.forget_source(&target);
            }
            StmtKind::Assign(target, value)
        };
        let assign = Stmt { kind: assign, span };
        let assign = self.if_absent(old, assign, span);
        let whole = self.after(stmts, assign);
        Some(expr::simple_stmt(whole, span))
    }

    /// A statement that runs only where `value`, which `??=` asks, is absent.
    pub(in crate::body) fn if_absent(&mut self, value: Expr, then: Stmt, span: Span) -> Expr {
        let value = self.flattened(value);
        match self.kind(value.ty) {
            Ty::Option(_) => {}
            Ty::Error => return value,
            _ => {
                let name = self.show(value.ty);
                let message = format!("`??=` on `{name}`, which is never absent");
                let d = Diagnostic::error(codes::BAD_OPERAND, value.span, message)
                    .found_expected(name, "an optional value, or an entry of a dict")
                    .help("assign with `=`");
                self.cx.report(d);
                return self.bad(span);
            }
        }
        let present = self.mk(ExprKind::IsPresent(Box::new(value)), TyId::BOOL, span);
        let absent = self.mk(ExprKind::Not(Box::new(present)), TyId::BOOL, span);
        let then = self.mk(ExprKind::Block(vec![then], None), TyId::UNIT, span);
        let kind = ExprKind::If {
            cond: Box::new(Cond::Expr(absent)),
            then: Box::new(then),
            otherwise: None,
        };
        self.mk(kind, TyId::UNIT, span)
    }

    /// The texts or arrays that are appended to the value of `place`; anything else comes back as it is. Appending reads the place
    /// before the other operands are evaluated, as `+` does.
    fn without_start(&mut self, value: Expr, place: &Place) -> Result<Expr, Expr> {
        let Expr { kind, ty, span } = value;
        let ExprKind::Concat(left, right) = kind else {
            return Err(Expr { kind, ty, span });
        };
        if reads(&left, place) {
            return Ok(*right);
        }
        match self.without_start(*left, place) {
            Ok(rest) => Ok(self.mk(ExprKind::Concat(Box::new(rest), right), ty, span)),
            Err(left) => Err(Expr {
                kind: ExprKind::Concat(Box::new(left), right),
                ty,
                span,
            }),
        }
    }

    pub(in crate::body) fn assign_tuple(
        &mut self,
        parts: &'a [(Option<ast::Ident>, ast::Expr)],
        value: &'a ast::Expr,
        span: Span,
        out: &mut Vec<Stmt>,
    ) {
        let mut places = Vec::with_capacity(parts.len());
        for (_, part) in parts {
            let is_blank = matches!(&part.kind, ast::ExprKind::Placeholder(_))
                || matches!(&part.kind, ast::ExprKind::Name(n) if n.name.as_str() == "_");
            places.push(if is_blank {
                None
            } else {
                self.mutable_place(part)
            });
        }
        let wanted: Vec<(Option<Symbol>, TyId)> = places
            .iter()
            .map(|p| (None, p.as_ref().map_or(TyId::ERROR, |p| p.ty)))
            .collect();
        let hint = if places.iter().all(Option::is_some) {
            Want::Ty(self.intern(Ty::Tuple(wanted)))
        } else {
            Want::Any
        };
        let value = self.expr(value, hint);
        let members = match self.kind(value.ty) {
            Ty::Tuple(members) if members.len() == parts.len() => members,
            Ty::Error => return,
            _ => {
                let name = self.show(value.ty);
                let d = Diagnostic::error(
                    codes::TYPE_MISMATCH,
                    value.span,
                    "the value does not fit the places",
                )
                .found_expected(name, format!("a tuple of {}", parts.len()));
                self.cx.report(d);
                return;
            }
        };
        // All members are read before any place is written: `(a, b) = (b, a)` swaps.
        let mut patterns = Vec::with_capacity(parts.len());
        let mut assigns = Vec::new();
        for (place, (_, ty)) in places.into_iter().zip(members) {
            let Some(place) = place else {
                patterns.push(Pattern::Wildcard);
                continue;
            };
            let temp = self.temp(ty, span);
            patterns.push(Pattern::Bind(temp));
            let read = self.read(temp, place.span);
            let to = place.ty;
            let read = self.coerce(read, to, Why::Assignment);
            assigns.push(Stmt {
                kind: StmtKind::Assign(place, read),
                span,
            });
        }
        let mut stmts = vec![Stmt {
            kind: StmtKind::LetPattern(Pattern::Tuple(patterns), value),
            span,
        }];
        stmts.extend(assigns);
        let block = self.mk(ExprKind::Block(stmts, None), TyId::UNIT, span);
        out.push(Stmt {
            kind: StmtKind::Expr(block),
            span,
        });
    }
}

/// Whether an expression reads just this place, and finding the place runs nothing that could yield another one the second time.
fn reads(value: &Expr, place: &Place) -> bool {
    let mut value = value;
    for step in place.path.iter().rev() {
        value = match (step, &value.kind) {
            (PlaceStep::Field(owner, number), ExprKind::Field(inner, field))
                if number == field && *owner == inner.ty =>
            {
                inner
            }
            (PlaceStep::Index(_, index), ExprKind::Index(inner, at)) if is_same(index, at) => inner,
            (PlaceStep::Index(_, key), ExprKind::Unwrap(found, UnwrapKind::Lenient)) => {
                match &found.kind {
                    ExprKind::Intrinsic(Intrinsic::DictGet, args) if is_same(key, &args[1]) => {
                        &args[0]
                    }
                    _ => return false,
                }
            }
            _ => return false,
        }
    }
    match &place.root {
        PlaceRoot::Local(root) => matches!(value.kind, ExprKind::Local(id) if id == *root),
        PlaceRoot::Global(root) => matches!(value.kind, ExprKind::Global(id) if id == *root),
        PlaceRoot::Object(object) => is_same(object, value),
    }
}

/// Whether two expressions are the same constant, variable, or field of one.
fn is_same(a: &Expr, b: &Expr) -> bool {
    match (&a.kind, &b.kind) {
        (ExprKind::Local(a), ExprKind::Local(b)) => a == b,
        (ExprKind::Global(a), ExprKind::Global(b)) => a == b,
        (ExprKind::Int(x), ExprKind::Int(y)) => x == y && a.ty == b.ty,
        (ExprKind::Text(a), ExprKind::Text(b)) => a == b,
        (ExprKind::Field(a, x), ExprKind::Field(b, y)) => x == y && a.ty == b.ty && is_same(a, b),
        _ => false,
    }
}
