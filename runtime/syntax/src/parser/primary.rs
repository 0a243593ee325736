//! Operands: literals, names, parentheses, and the words that begin a larger expression.

use super::{Caret, PResult, Parser};
use crate::ast::{Expr, ExprKind, MathKind};
use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::lexer::{Number, Tok};

impl Parser<'_> {
    /// One operand, without what may follow it.
    pub(crate) fn primary(&mut self) -> PResult<Expr> {
        let token = self.raw();
        match self.kind() {
            Tok::Ident => self.name_expr(),
            Tok::Int | Tok::Float => Ok(self.number_expr()),
            Tok::Text => self.text_expr(),
            Tok::True => Ok(self.word_expr(ExprKind::Bool(true))),
            Tok::False => Ok(self.word_expr(ExprKind::Bool(false))),
            Tok::Nil => Ok(self.word_expr(ExprKind::Nil)),
            Tok::SelfKw => Ok(self.word_expr(ExprKind::SelfValue)),
            Tok::Super => Ok(self.word_expr(ExprKind::Super)),
            Tok::Break => Ok(self.word_expr(ExprKind::Break)),
            Tok::Continue => Ok(self.word_expr(ExprKind::Continue)),
            Tok::LParen => self.paren_expr(),
            Tok::LBracket => self.array_expr(),
            Tok::LBrace => self.brace_expr(),
            Tok::Backslash => self.lambda(),
            Tok::Fn => self.fn_lambda(),
            Tok::Pipe | Tok::PipePipe => self.pipe_lambda(),
            Tok::If => self.if_expr(),
            Tok::Match => self.match_expr(),
            Tok::With => self.with_expr(),
            Tok::Return | Tok::Throw => self.jump_expr(),
            Tok::Amp if self.raw_at(1).tok == Tok::Colon && !self.raw_at(1).spaced() => {
                self.method_ref()
            }
            Tok::Me if self.at_call_of_self() => self.method_of_self(),
            Tok::Yield => {
                let span = self.span_of(token);
                Err(self.foreign(
                    span,
                    "`yield` as a value",
                    "`yield` is a statement of a function, on a line of its own",
                ))
            }
            kind if self.keyword_names.contains(&kind) => self.name_expr(),
            _ => Err(self.unexpected_as(codes::EXPECTED_EXPR, "an expression")),
        }
    }

    /// Whether `me name(...)` calls a method of `self`: a declaration has `:` or `->` after the parentheses.
    pub(crate) fn at_call_of_self(&self) -> bool {
        if self.raw().tok != Tok::Me
            || self.raw_at(1).tok != Tok::Ident
            || self.raw_at(2).tok != Tok::LParen
        {
            return false;
        }
        let mut open = 0usize;
        for ahead in 2.. {
            match self.raw_at(ahead).tok {
                Tok::LParen => open += 1,
                Tok::RParen if open == 1 => {
                    return !matches!(self.raw_at(ahead + 1).tok, Tok::Colon | Tok::Arrow);
                }
                Tok::RParen => open -= 1,
                Tok::Eof => return false,
                _ => {}
            }
        }
        false
    }

    /// `me name`, which is `self.name`.
    fn method_of_self(&mut self) -> PResult<Expr> {
        let start = self.span();
        let of = self.word_expr(ExprKind::SelfValue);
        let name = self.member("the name of a method")?;
        Ok(Expr {
            kind: ExprKind::Field(Box::new(of), name, false),
            span: self.span_from(start),
        })
    }

    fn word_expr(&mut self, kind: ExprKind) -> Expr {
        let token = self.bump();
        Expr {
            kind,
            span: self.span_of(token),
        }
    }

    fn number_expr(&mut self) -> Expr {
        let token = self.bump();
        let kind = match self.lexed.numbers[token.payload as usize] {
            Number::Int(value, suffix) => ExprKind::Int(value, suffix),
            Number::Float(value, suffix) => ExprKind::Float(value, suffix),
        };
        Expr {
            kind,
            span: self.span_of(token),
        }
    }

    /// A name, a placeholder, or one of the words that open a block when a brace follows directly.
    fn name_expr(&mut self) -> PResult<Expr> {
        let token = self.raw();
        let text = self.text_of(token);
        let next = self.raw_at(1);
        if next.tok == Tok::LBrace && !next.spaced() {
            match text {
                "s" => return self.set_expr(),
                "m" => return self.math_block(MathKind::Math),
                "loss" => return self.math_block(MathKind::Loss),
                "nograd" => return self.math_block(MathKind::NoGrad),
                _ => {}
            }
        }
        if let Some(number) = placeholder(text) {
            let span = self.span_of(token);
            if self.placeholders == 0 {
                return Err(self.report(
                    Diagnostic::error(
                        codes::STRAY_PLACEHOLDER,
                        span,
                        format!("`{text}` has no value here"),
                    )
                    .note("a placeholder is a parameter inside an argument, as in `xs.map(_ * 2)`")
                    .help("use a name, or write a lambda: `\\x: ...`"),
                ));
            }
            self.bump();
            return Ok(Expr {
                kind: ExprKind::Placeholder(number),
                span,
            });
        }
        if let Some(expr) = self.foreign_prefix()? {
            return Ok(expr);
        }
        if let Some(expr) = self.foreign_operand(text)? {
            return Ok(expr);
        }
        let name = self.take_ident();
        Ok(Expr {
            kind: ExprKind::Name(name),
            span: name.span,
        })
    }

    fn math_block(&mut self, kind: MathKind) -> PResult<Expr> {
        let start = self.span();
        self.bump();
        let caret = match kind {
            MathKind::Math => Caret::Power,
            MathKind::Loss | MathKind::NoGrad => Caret::ByType,
        };
        let saved = std::mem::replace(&mut self.caret, caret);
        let value = self.bracketed(Tok::LBrace, Tok::RBrace, |p| p.expr());
        self.caret = saved;
        Ok(Expr {
            kind: ExprKind::MathBlock(kind, Box::new(value?)),
            span: self.span_from(start),
        })
    }

    fn method_ref(&mut self) -> PResult<Expr> {
        let start = self.span();
        self.bump();
        self.bump();
        let name = self.member("the name of a method")?;
        Ok(Expr {
            kind: ExprKind::MethodRef(name),
            span: self.span_from(start),
        })
    }

    /// `return e` or `throw e` as a value.
    fn jump_expr(&mut self) -> PResult<Expr> {
        let start = self.span();
        let token = self.bump();
        let kind = if token.tok == Tok::Throw {
            ExprKind::Throw(Box::new(self.expr()?))
        } else if self.value_ends_here() {
            ExprKind::Return(None)
        } else {
            ExprKind::Return(Some(Box::new(self.command_expr()?)))
        };
        Ok(Expr {
            kind,
            span: self.span_from(start),
        })
    }

    /// Whether a value that may be missing is missing.
    pub(crate) fn value_ends_here(&self) -> bool {
        matches!(
            self.kind(),
            Tok::Newline
                | Tok::Eof
                | Tok::Semi
                | Tok::Comma
                | Tok::RParen
                | Tok::RBracket
                | Tok::RBrace
                | Tok::Else
                | Tok::Elif
        )
    }
}

/// The number of the placeholder that `text` is.
fn placeholder(text: &str) -> Option<u32> {
    match text.strip_prefix('_')? {
        "" => Some(0),
        digits if digits.len() <= 2 && !digits.starts_with('0') => digits.parse().ok(),
        _ => None,
    }
}
