//! Which values a `const` may have: those that follow from the source alone.
//!
//! Literals, other constants, operators, collections, structs and variants of constants, text with constant holes, and the numbers'
//! methods that are instructions. A function call is never constant, even of a function that always yields the same.
//!
//! Numbers, `bool` and text are computed here, so that a pattern can name the constant. What overflows is left to fail when the program
//! runs, at its line.

use super::convert::fits;
use super::*;
use crate::codes;
use crate::typed::{Expr, TextPart};
use simple_syntax::Diagnostic;
use simple_syntax::ast;

impl<'c, 'a> Body<'c, 'a> {
    /// The value of a `const`, computed where it is a number, `bool` or text. Reports what is not constant, and shifts that fail.
    pub(crate) fn constant_value(&mut self, value: Expr) -> Expr {
        if value.ty == TyId::ERROR {
            return value;
        }
        if !self.is_constant(&value) {
            self.cx.error(
                codes::NOT_CONSTANT,
                value.span,
                "a `const` needs a constant expression",
            );
        } else if let Some((count, width, span)) = self.bad_shift(&value) {
            let message = format!("a shift count of {count} is out of range");
            let d = Diagnostic::error(codes::SHIFT_COUNT, span, message)
                .help(format!("this type can be shifted by 0 to {}", width - 1));
            self.cx.report(d);
        }
        self.folded(value)
    }

    /// Whether a value is known before the program runs.
    fn is_constant(&self, value: &Expr) -> bool {
        self.parts_of_constant(value)
            .is_some_and(|parts| parts.into_iter().all(|part| self.is_constant(part)))
    }

    /// The first shift in a constant whose count is known to be out of range: the count, the width, and where.
    fn bad_shift(&self, value: &Expr) -> Option<(i128, u8, Span)> {
        if let (ExprKind::Bits(op, _, count), Ty::Int(int)) = (&value.kind, self.ty(value.ty))
            && op.is_shift()
            && let Some(number) = self.integer(count)
            && shift_count(number, *int).is_none()
        {
            return Some((number, int.bits, value.span));
        }
        let mut parts = self.parts_of_constant(value)?;
        if let ExprKind::If { cond, .. } = &value.kind
            && let Cond::Expr(cond) = &**cond
            && let (Some(truth), [_, then, otherwise]) = (self.truth(cond), &parts[..])
        {
            // Only the branch that is taken counts.
            parts = vec![cond, if truth { then } else { otherwise }];
        }
        parts.into_iter().find_map(|part| self.bad_shift(part))
    }

    /// What an expression that can be constant is made of; `None` for one that cannot.
    fn parts_of_constant<'e>(&self, value: &'e Expr) -> Option<Vec<&'e Expr>> {
        let whole = |constant: bool| constant.then(Vec::new);
        match &value.kind {
            ExprKind::Unit
            | ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::Bool(_)
            | ExprKind::Text(_)
            | ExprKind::Nil => whole(true),
            ExprKind::Local(id) => whole(self.meta(*id).constant),
            ExprKind::Global(id) => {
                let group = self.cx.global(*id).group;
                whole(self.cx.decls()[group].kind == ast::LetKind::Const)
            }
            ExprKind::Arith(_, a, b)
            | ExprKind::Bits(_, a, b)
            | ExprKind::And(a, b)
            | ExprKind::Or(a, b)
            | ExprKind::Compare(_, a, b)
            | ExprKind::Concat(a, b)
            | ExprKind::Range(a, b, _)
            | ExprKind::Coalesce(a, b)
            | ExprKind::Index(a, b) => Some(vec![a, b]),
            ExprKind::Neg(a)
            | ExprKind::BitNot(a)
            | ExprKind::Not(a)
            | ExprKind::Convert(_, a)
            | ExprKind::ToText(a)
            | ExprKind::Field(a, _)
            | ExprKind::Some(a) => Some(vec![a]),
            ExprKind::If {
                cond,
                then,
                otherwise: Some(otherwise),
            } => match &**cond {
                Cond::Expr(cond) => Some(vec![cond, then, otherwise]),
                Cond::Pattern(..) => None,
            },
            ExprKind::Interpolate(parts) => Some(parts.iter().flat_map(TextPart::exprs).collect()),
            ExprKind::Tuple(items)
            | ExprKind::Array(items)
            | ExprKind::Set(items)
            | ExprKind::New(_, items)
            | ExprKind::Variant(_, _, items) => Some(items.iter().collect()),
            ExprKind::Dict(pairs) => {
                Some(pairs.iter().flat_map(|(key, value)| [key, value]).collect())
            }
            ExprKind::Intrinsic(
                Intrinsic::TextLen
                | Intrinsic::TextByteLen
                | Intrinsic::TextIndex
                | Intrinsic::TextContains
                | Intrinsic::TextRepeat
                | Intrinsic::Slice
                | Intrinsic::ArrayLen
                | Intrinsic::IntPow
                | Intrinsic::Sqrt
                | Intrinsic::Abs
                | Intrinsic::Floor
                | Intrinsic::Ceil
                | Intrinsic::Trunc
                | Intrinsic::Min
                | Intrinsic::Max,
                items,
            ) => Some(items.iter().collect()),
            _ => None,
        }
    }

    /// A constant of a number, `bool` or text as a literal; anything else as it is.
    fn folded(&self, value: Expr) -> Expr {
        match self.fold(&value) {
            Some(kind) => Expr { kind, ..value },
            None => value,
        }
    }

    fn fold(&self, value: &Expr) -> Option<ExprKind> {
        Some(match &value.kind {
            ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Bool(_) | ExprKind::Text(_) => {
                value.kind.clone()
            }
            ExprKind::Local(id) => self.scopes.constant(self.scopes.here(), *id)?.clone(),
            ExprKind::Neg(a) => match (self.fold(a)?, self.ty(value.ty)) {
                (ExprKind::Int(bits), Ty::Int(int)) => checked(-self.number_of(bits, a.ty), *int)?,
                (ExprKind::Float(number), _) => ExprKind::Float(-number),
                _ => return None,
            },
            ExprKind::BitNot(a) => match self.ty(value.ty) {
                Ty::Int(int) => wrapped(!self.integer(a)?, *int),
                _ => return None,
            },
            ExprKind::Not(a) => ExprKind::Bool(!self.truth(a)?),
            ExprKind::And(a, b) => ExprKind::Bool(self.truth(a)? && self.truth(b)?),
            ExprKind::Or(a, b) => ExprKind::Bool(self.truth(a)? || self.truth(b)?),
            ExprKind::Arith(op, a, b) => match self.ty(value.ty) {
                Ty::Int(int) => checked(arith(*op, self.integer(a)?, self.integer(b)?)?, *int)?,
                Ty::F64 => ExprKind::Float(float_arith(*op, self.float(a)?, self.float(b)?)),
                _ => return None,
            },
            ExprKind::Bits(op, a, b) => {
                let Ty::Int(int) = *self.ty(value.ty) else {
                    return None;
                };
                let (x, y) = (self.integer(a)?, self.integer(b)?);
                wrapped(
                    match op {
                        BitsOp::And => x & y,
                        BitsOp::Or => x | y,
                        BitsOp::Xor => x ^ y,
                        BitsOp::Shl => x << shift_count(y, int)?,
                        BitsOp::Shr => x >> shift_count(y, int)?,
                    },
                    int,
                )
            }
            ExprKind::Compare(op, a, b) => {
                let order = match (self.fold(a)?, self.fold(b)?) {
                    (ExprKind::Int(x), ExprKind::Int(y)) => {
                        self.number_of(x, a.ty).cmp(&self.number_of(y, b.ty))
                    }
                    (ExprKind::Float(x), ExprKind::Float(y)) => x.partial_cmp(&y)?,
                    (ExprKind::Bool(x), ExprKind::Bool(y)) => x.cmp(&y),
                    (ExprKind::Text(x), ExprKind::Text(y)) => x.cmp(&y),
                    _ => return None,
                };
                ExprKind::Bool(match op {
                    CompareOp::Eq => order.is_eq(),
                    CompareOp::Ne => order.is_ne(),
                    CompareOp::Lt => order.is_lt(),
                    CompareOp::Le => order.is_le(),
                    CompareOp::Gt => order.is_gt(),
                    CompareOp::Ge => order.is_ge(),
                })
            }
            ExprKind::Concat(a, b) => match (self.fold(a)?, self.fold(b)?) {
                (ExprKind::Text(x), ExprKind::Text(y)) => ExprKind::Text(x + &y),
                _ => return None,
            },
            ExprKind::Convert(Convert::Checked, a) => self.fold_checked(a, value.ty)?,
            ExprKind::Convert(Convert::Number | Convert::Exact, a) => match self.ty(value.ty) {
                Ty::Int(int) => wrapped(self.integer(a)?, *int),
                Ty::F64 => match self.fold(a)? {
                    ExprKind::Int(bits) => ExprKind::Float(self.number_of(bits, a.ty) as f64),
                    number => number,
                },
                _ => return None,
            },
            ExprKind::If {
                cond,
                then,
                otherwise: Some(otherwise),
            } => match &**cond {
                Cond::Expr(cond) => {
                    let chosen = if self.truth(cond)? { then } else { otherwise };
                    self.fold(chosen)?
                }
                Cond::Pattern(..) => return None,
            },
            ExprKind::Intrinsic(op @ (Intrinsic::Min | Intrinsic::Max), items) => {
                let [a, b] = &items[..] else { return None };
                let Ty::Int(int) = self.ty(value.ty) else {
                    return None;
                };
                let (x, y) = (self.integer(a)?, self.integer(b)?);
                let least = matches!(op, Intrinsic::Min);
                wrapped(if least { x.min(y) } else { x.max(y) }, *int)
            }
            _ => return None,
        })
    }

    /// An integer as one of another integer type, if that has it.
    fn fold_checked(&self, value: &Expr, to: TyId) -> Option<ExprKind> {
        let number = self.integer(value)?;
        match self.ty(to) {
            Ty::Int(int) if convert::fits(number, *int) => Some(wrapped(number, *int)),
            _ => None,
        }
    }

    fn integer(&self, value: &Expr) -> Option<i128> {
        match self.fold(value)? {
            ExprKind::Int(bits) => Some(self.number_of(bits, value.ty)),
            _ => None,
        }
    }

    /// The number that the bits of a folded integer mean. Operands are folded once, or nesting would double the work at each level.
    fn number_of(&self, bits: i64, ty: TyId) -> i128 {
        match self.ty(ty) {
            Ty::Int(IntTy { signed: false, .. }) => i128::from(bits as u64),
            _ => i128::from(bits),
        }
    }

    fn float(&self, value: &Expr) -> Option<f64> {
        match self.fold(value)? {
            ExprKind::Float(number) => Some(number),
            _ => None,
        }
    }

    fn truth(&self, value: &Expr) -> Option<bool> {
        match self.fold(value)? {
            ExprKind::Bool(truth) => Some(truth),
            _ => None,
        }
    }
}

/// A number that fits its type.
fn checked(number: i128, int: IntTy) -> Option<ExprKind> {
    fits(number, int).then(|| wrapped(number, int))
}

/// A shift count that is below the width of what is shifted.
fn shift_count(count: i128, int: IntTy) -> Option<u32> {
    let count = u32::try_from(count).ok()?;
    (count < u32::from(int.bits)).then_some(count)
}

/// The low bits of a number, as its type reads them.
fn wrapped(number: i128, int: IntTy) -> ExprKind {
    let unused = 64 - u32::from(int.bits);
    let low = (number as i64) << unused;
    ExprKind::Int(if int.signed {
        low >> unused
    } else {
        (low as u64 >> unused) as i64
    })
}

fn arith(op: ArithOp, a: i128, b: i128) -> Option<i128> {
    match op {
        ArithOp::Add => a.checked_add(b),
        ArithOp::Sub => a.checked_sub(b),
        ArithOp::Mul => a.checked_mul(b),
        ArithOp::Div => a.checked_div(b),
        ArithOp::Rem => a.checked_rem(b),
        ArithOp::Pow => a.checked_pow(u32::try_from(b).ok()?),
    }
}

fn float_arith(op: ArithOp, a: f64, b: f64) -> f64 {
    match op {
        ArithOp::Add => a + b,
        ArithOp::Sub => a - b,
        ArithOp::Mul => a * b,
        ArithOp::Div => a / b,
        ArithOp::Rem => a % b,
        ArithOp::Pow => a.powf(b),
    }
}
