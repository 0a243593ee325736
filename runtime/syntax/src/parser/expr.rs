//! Expressions: operators by precedence climbing.
//!
//! The levels are those of `doc/language/operators.md`, from 1 (`|>`) to 19 (`**`); postfix forms bind tighter still and
//! are in `postfix.rs`, operands in `primary.rs`.

use super::{Caret, PResult, Parser};
use crate::ast::{BinaryOp, CompareOp, Expr, ExprKind, UnaryOp};
use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::lexer::Tok;
use crate::span::Span;

const LOWEST: u8 = 1;
const NOT: u8 = 6;
const XOR: u8 = 12;
const PREFIX: u8 = 18;

/// What an infix token does.
#[derive(Clone, Copy)]
enum Infix {
    /// Evaluates both sides, groups to the left.
    Left(BinaryOp),
    /// `**` and its like group to the right.
    Power(BinaryOp),
    Or,
    And,
    Equal(CompareOp),
    Order(CompareOp),
    Is,
    In,
    NotIn,
    Coalesce,
    Range(bool),
    As,
}

/// The operand of an operator that is tighter than exclusive or and looser than a power: `a ^ b` without parentheses
/// would be read in two ways there.
fn joined(mut operand: Expr) -> Expr {
    if let ExprKind::Binary(op @ BinaryOp::Caret, ..) = &mut operand.kind {
        *op = BinaryOp::JoinedCaret;
    }
    operand
}

impl Parser<'_> {
    /// An expression.
    pub(crate) fn expr(&mut self) -> PResult<Expr> {
        self.nested(|p| p.binary(LOWEST))
    }

    /// An expression without a `|` outside of parentheses.
    pub(crate) fn expr_before_bar(&mut self) -> PResult<Expr> {
        self.nested(|p| p.binary(XOR))
    }

    /// An expression whose operators bind at least as tightly as prefix operators; `as` is left alone.
    pub(crate) fn tight_expr(&mut self) -> PResult<Expr> {
        self.nested(|p| p.binary(PREFIX))
    }

    /// The operator at the current place and its level.
    fn infix(&self) -> Option<(u8, Infix)> {
        use BinaryOp as Op;
        Some(match self.kind() {
            Tok::PipeGt => (1, Infix::Left(Op::Pipe)),
            Tok::TildeGt => (2, Infix::Left(Op::Connect)),
            Tok::SlashSlash => (3, Infix::Left(Op::Parallel)),
            Tok::Or | Tok::PipePipe => (4, Infix::Or),
            Tok::And | Tok::AmpAmp => (5, Infix::And),
            Tok::EqEq => (7, Infix::Equal(CompareOp::Eq)),
            Tok::NotEq => (7, Infix::Equal(CompareOp::Ne)),
            Tok::Is => (7, Infix::Is),
            Tok::In => (7, Infix::In),
            Tok::Not if self.raw_at(1).tok == Tok::In => (7, Infix::NotIn),
            Tok::Lt => (8, Infix::Order(CompareOp::Lt)),
            Tok::Le => (8, Infix::Order(CompareOp::Le)),
            Tok::Gt => (8, Infix::Order(CompareOp::Gt)),
            Tok::Ge => (8, Infix::Order(CompareOp::Ge)),
            Tok::QuestionQuestion => (9, Infix::Coalesce),
            Tok::DotDot => (10, Infix::Range(false)),
            Tok::DotDotEq => (10, Infix::Range(true)),
            Tok::Pipe => (11, Infix::Left(Op::BitOr)),
            Tok::Caret if self.caret == Caret::Power => (19, Infix::Power(Op::Pow)),
            Tok::Caret if self.caret == Caret::ByType => (19, Infix::Power(Op::Caret)),
            Tok::Caret | Tok::Xor => (12, Infix::Left(Op::BitXor)),
            Tok::Amp => (13, Infix::Left(Op::BitAnd)),
            Tok::Shl => (14, Infix::Left(Op::Shl)),
            Tok::Shr => (14, Infix::Left(Op::Shr)),
            Tok::Plus => (15, Infix::Left(Op::Add)),
            Tok::Minus => (15, Infix::Left(Op::Sub)),
            Tok::DotPlus => (15, Infix::Left(Op::DotAdd)),
            Tok::DotMinus => (15, Infix::Left(Op::DotSub)),
            Tok::Star => (16, Infix::Left(Op::Mul)),
            Tok::Slash => (16, Infix::Left(Op::Div)),
            Tok::Percent => (16, Infix::Left(Op::Rem)),
            Tok::At => (16, Infix::Left(Op::MatMul)),
            Tok::DotStar => (16, Infix::Left(Op::DotMul)),
            Tok::DotSlash => (16, Infix::Left(Op::DotDiv)),
            Tok::As => (17, Infix::As),
            Tok::StarStar => (19, Infix::Power(Op::Pow)),
            Tok::DotCaret => (19, Infix::Power(Op::DotPow)),
            _ => return None,
        })
    }

    /// Operands joined by operators of level `min` and above.
    fn binary(&mut self, min: u8) -> PResult<Expr> {
        let mut lhs = self.prefix()?;
        while let Some((level, infix)) = self.infix() {
            if level < min || (lhs.span.lo == self.statement && self.at_compound()) {
                break;
            }
            self.chain_link()?;
            lhs = self.infix_rest(lhs, level, infix)?;
        }
        Ok(lhs)
    }

    /// Whether an `op=` of two tokens is here, which ends the place before it.
    fn at_compound(&self) -> bool {
        self.compound_op().is_some() || self.at_assign_absent()
    }

    /// Whether `??=` is here.
    pub(crate) fn at_assign_absent(&self) -> bool {
        self.at(Tok::QuestionQuestion) && self.is_before_glued_eq()
    }

    fn is_before_glued_eq(&self) -> bool {
        let next = self.raw_at(1);
        next.tok == Tok::Eq && !next.spaced() && !self.in_brackets()
    }

    /// The operator of `op=` at the current place, of those that are two tokens.
    pub(crate) fn compound_op(&self) -> Option<BinaryOp> {
        let op = match self.kind() {
            Tok::Pipe => BinaryOp::BitOr,
            Tok::Caret => BinaryOp::BitXor,
            Tok::Amp => BinaryOp::BitAnd,
            Tok::Shl => BinaryOp::Shl,
            Tok::Shr => BinaryOp::Shr,
            Tok::At => BinaryOp::MatMul,
            _ => return None,
        };
        self.is_before_glued_eq().then_some(op)
    }

    /// The operator at the current place and its right operand.
    #[inline(never)]
    fn infix_rest(&mut self, lhs: Expr, level: u8, infix: Infix) -> PResult<Expr> {
        let op = self.bump();
        let op_span = self.span_of(op);
        if matches!(infix, Infix::NotIn) {
            self.bump();
        }
        self.join();
        if self.at(Tok::Eq) && !self.raw().spaced() && !matches!(infix, Infix::Equal(_)) {
            return Err(self.compound_assignment(&lhs, op_span));
        }
        let start = lhs.span;
        let lhs = Box::new(lhs);
        let kind = match infix {
            Infix::Left(op) => {
                let piped = op == BinaryOp::Pipe;
                self.placeholders += u32::from(piped);
                let rhs = self.binary(level + 1);
                self.placeholders -= u32::from(piped);
                let (lhs, rhs) = match level > XOR {
                    true => (joined(*lhs), joined(rhs?)),
                    false => (*lhs, rhs?),
                };
                ExprKind::Binary(op, Box::new(lhs), Box::new(rhs))
            }
            Infix::Power(op) => {
                let rhs = self.nested(|p| p.binary(PREFIX))?;
                let (lhs, rhs) = match op {
                    BinaryOp::Caret => (*lhs, rhs),
                    _ => (joined(*lhs), joined(rhs)),
                };
                ExprKind::Binary(op, Box::new(lhs), Box::new(rhs))
            }
            Infix::Or => ExprKind::Or(lhs, Box::new(self.binary(level + 1)?)),
            Infix::And => ExprKind::And(lhs, Box::new(self.binary(level + 1)?)),
            Infix::Equal(op) => {
                if self.at(Tok::Eq) {
                    let span = op_span.to(self.span());
                    let wanted = if op == CompareOp::Eq { "==" } else { "!=" };
                    return Err(self.foreign(
                        span,
                        &format!("`{wanted}=`"),
                        &format!("write `{wanted}`"),
                    ));
                }
                ExprKind::Compare(lhs, vec![(op, op_span, self.binary(level + 1)?)])
            }
            Infix::Order(op) => {
                let mut links = vec![(op, op_span, self.binary(level + 1)?)];
                while let Some((_, Infix::Order(op))) = self.infix() {
                    let token = self.bump();
                    let span = self.span_of(token);
                    self.join();
                    links.push((op, span, self.binary(level + 1)?));
                }
                ExprKind::Compare(lhs, links)
            }
            Infix::In => ExprKind::In(lhs, Box::new(self.binary(level + 1)?), false),
            Infix::NotIn => ExprKind::In(lhs, Box::new(self.binary(level + 1)?), true),
            Infix::Is => self.is_rest(lhs, op_span)?,
            Infix::As => ExprKind::Cast(Box::new(joined(*lhs)), Box::new(self.type_in_expr()?)),
            Infix::Coalesce => ExprKind::Coalesce(lhs, Box::new(self.nested(|p| p.binary(level))?)),
            Infix::Range(false)
                if self.in_index && matches!(self.kind(), Tok::RBracket | Tok::Comma) =>
            {
                self.open_range = true;
                return Ok(*lhs);
            }
            Infix::Range(inclusive) => {
                let rhs = self.binary(level + 1)?;
                if matches!(self.kind(), Tok::DotDot | Tok::DotDotEq) {
                    let span = self.span();
                    return Err(self.report(
                        Diagnostic::error(
                            codes::CHAINED_RANGE,
                            span,
                            "a range cannot be the bound of a range",
                        )
                        .help("a range has two bounds: `a..b`; a step is `(a..b).step(n)`"),
                    ));
                }
                ExprKind::Range(lhs, Box::new(rhs), inclusive)
            }
        };
        Ok(Expr {
            kind,
            span: self.span_from(start),
        })
    }

    /// Prefix operators and their operand.
    fn prefix(&mut self) -> PResult<Expr> {
        let op = match self.kind() {
            Tok::Minus => UnaryOp::Neg,
            Tok::Bang => UnaryOp::Not,
            Tok::Tilde => UnaryOp::BitNot,
            Tok::Await => UnaryOp::Await,
            Tok::Not => UnaryOp::Not,
            _ => return self.postfix(),
        };
        let level = if self.at(Tok::Not) { NOT } else { PREFIX };
        let start = self.span();
        self.raw_mut().mark_prefix();
        self.bump();
        self.join();
        let operand = self.nested(|p| p.binary(level))?;
        let operand = match level {
            PREFIX => joined(operand),
            _ => operand,
        };
        Ok(Expr {
            kind: ExprKind::Unary(op, Box::new(operand)),
            span: self.span_from(start),
        })
    }

    /// An error node.
    pub(crate) fn error_expr(span: Span) -> Expr {
        Expr {
            kind: ExprKind::Error,
            span,
        }
    }
}
