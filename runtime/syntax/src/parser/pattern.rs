//! Patterns of `match`, `for`, `val` and `if val`.

use super::{PResult, Parser};
use crate::ast::{Expr, ExprKind, Ident, Path, Pattern, PatternKind, UnaryOp};
use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::lexer::{Number, Tok};
use crate::span::Span;

impl Parser<'_> {
    /// `p | q | ...`.
    pub(crate) fn pattern(&mut self) -> PResult<Pattern> {
        self.nested(|p| {
            let start = p.span();
            let first = p.single_pattern()?;
            if !p.at(Tok::Pipe) {
                return Ok(first);
            }
            let mut alternatives = vec![first];
            while p.eat(Tok::Pipe) {
                p.join();
                alternatives.push(p.single_pattern()?);
            }
            Ok(Pattern {
                kind: PatternKind::Or(alternatives),
                span: p.span_from(start),
            })
        })
    }

    /// `p`, or `p, q`, which is a tuple.
    pub(crate) fn pattern_list(&mut self) -> PResult<Pattern> {
        let start = self.span();
        let first = self.pattern()?;
        if !self.at(Tok::Comma) {
            return Ok(first);
        }
        let mut parts = vec![first];
        while self.eat(Tok::Comma) {
            parts.push(self.pattern()?);
        }
        Ok(Pattern {
            kind: PatternKind::Tuple(parts),
            span: self.span_from(start),
        })
    }

    fn single_pattern(&mut self) -> PResult<Pattern> {
        let start = self.span();
        let kind = match self.kind() {
            Tok::Ident => return self.named_pattern(),
            Tok::Nil => {
                self.bump();
                PatternKind::Nil
            }
            Tok::Int | Tok::Float | Tok::Minus | Tok::Text | Tok::True | Tok::False => {
                let value = self.literal_pattern()?;
                return self.range_rest(value);
            }
            Tok::LParen => self.tuple_pattern()?,
            Tok::LBracket => {
                let parts = self.bracketed(Tok::LBracket, Tok::RBracket, |p| {
                    p.comma_list(Tok::RBracket, |p| p.part_pattern())
                })?;
                PatternKind::Array(parts)
            }
            Tok::LBrace => PatternKind::Fields {
                path: None,
                fields: self.field_patterns()?,
            },
            kind if kind.is_keyword() => PatternKind::Name(self.ident("a pattern")?),
            _ => return Err(self.unexpected_as(codes::EXPECTED_PATTERN, "a pattern")),
        };
        Ok(Pattern {
            kind,
            span: self.span_from(start),
        })
    }

    fn tuple_pattern(&mut self) -> PResult<PatternKind> {
        let mut trailing = false;
        let mut parts = self.bracketed(Tok::LParen, Tok::RParen, |p| {
            let mut parts = Vec::new();
            while !p.at(Tok::RParen) && !p.at_end() {
                parts.push(p.part_pattern()?);
                trailing = p.eat(Tok::Comma);
                if !trailing {
                    break;
                }
            }
            Ok(parts)
        })?;
        let is_rest = |part: &Pattern| matches!(part.kind, PatternKind::Rest(_));
        if parts.len() == 1 && !trailing && !is_rest(&parts[0]) {
            return Ok(parts.remove(0).kind);
        }
        Ok(PatternKind::Tuple(parts))
    }

    /// A member of a tuple or array pattern, which may be `...rest`.
    fn part_pattern(&mut self) -> PResult<Pattern> {
        let start = self.span();
        if self.eat(Tok::Ellipsis) {
            let name = if self.at(Tok::Ident) {
                Some(self.take_ident())
            } else {
                None
            };
            return Ok(Pattern {
                kind: PatternKind::Rest(name),
                span: self.span_from(start),
            });
        }
        self.pattern()
    }

    /// A name with what may follow it: a path, parts in parentheses, fields in braces, a range.
    fn named_pattern(&mut self) -> PResult<Pattern> {
        let name = self.take_ident();
        let start = name.span;
        if name.name.as_str() == "_" {
            if self.at(Tok::LParen) {
                // `_("why")` is a wildcard with a note for the reader.
                self.bracketed(Tok::LParen, Tok::RParen, |p| {
                    p.plain_text("the note of a wildcard")
                })?;
            }
            return Ok(Pattern {
                kind: PatternKind::Wildcard,
                span: self.span_from(start),
            });
        }
        let mut segments = vec![name];
        while matches!(self.kind(), Tok::Dot | Tok::ColonColon) {
            if self.at(Tok::ColonColon) {
                let span = self.span();
                self.deprecated(span, "::", ".");
            }
            self.bump();
            segments.push(self.member("the name of a variant")?);
        }
        let path = Path { segments };
        let kind = match self.kind() {
            Tok::LParen => {
                let args = self.bracketed(Tok::LParen, Tok::RParen, |p| {
                    p.comma_list(Tok::RParen, |p| {
                        let label = if p.at(Tok::Ident) && p.ahead(1) == Tok::Colon {
                            let label = p.take_ident();
                            p.bump();
                            Some(label)
                        } else {
                            None
                        };
                        Ok((label, p.part_pattern()?))
                    })
                })?;
                PatternKind::Constructor { path, args }
            }
            Tok::LBrace if path.last().name.as_str().starts_with(char::is_uppercase) => {
                PatternKind::Fields {
                    path: Some(path),
                    fields: self.field_patterns()?,
                }
            }
            Tok::At => {
                let span = self.span();
                return Err(self.not_supported(
                    span,
                    "`name @ pattern` is",
                    "bind the whole value with `val` before",
                ));
            }
            Tok::DotDot | Tok::DotDotEq => {
                let value = path_expr(&path);
                return self.range_rest(value);
            }
            _ if path.segments.len() == 1 => PatternKind::Name(name),
            _ => PatternKind::Path(path),
        };
        Ok(Pattern {
            kind,
            span: self.span_from(start),
        })
    }

    fn field_patterns(&mut self) -> PResult<Vec<(Ident, Pattern)>> {
        self.bracketed(Tok::LBrace, Tok::RBrace, |p| {
            p.comma_list(Tok::RBrace, |p| {
                let name = p.member("the name of a field")?;
                let pattern = if p.eat(Tok::Colon) {
                    p.pattern()?
                } else {
                    Pattern {
                        kind: PatternKind::Name(name),
                        span: name.span,
                    }
                };
                Ok((name, pattern))
            })
        })
    }

    /// `1`, `-2.5`, `"x"`, `true`.
    fn literal_pattern(&mut self) -> PResult<Expr> {
        let start = self.span();
        let negative = self.eat(Tok::Minus);
        let token = self.raw();
        let kind = match self.kind() {
            Tok::Int | Tok::Float => {
                self.bump();
                match self.lexed.numbers[token.payload as usize] {
                    Number::Int(value, suffix) => ExprKind::Int(value, suffix),
                    Number::Float(value, suffix) => ExprKind::Float(value, suffix),
                }
            }
            Tok::Text if !negative => {
                let text = self.plain_text("a pattern")?;
                let parts = if text.is_empty() {
                    Vec::new()
                } else {
                    vec![crate::ast::TextPart::Literal(text)]
                };
                ExprKind::Text(parts)
            }
            Tok::True | Tok::False if !negative => {
                self.bump();
                ExprKind::Bool(token.tok == Tok::True)
            }
            _ => return Err(self.unexpected_as(codes::EXPECTED_PATTERN, "a number")),
        };
        let expr = Expr {
            kind,
            span: self.span_of(token),
        };
        if !negative {
            return Ok(expr);
        }
        let span = self.span_from(start);
        Ok(Expr {
            kind: ExprKind::Unary(UnaryOp::Neg, Box::new(expr)),
            span,
        })
    }

    /// The rest of a range pattern, if `..` follows the literal.
    fn range_rest(&mut self, lo: Expr) -> PResult<Pattern> {
        let start: Span = lo.span;
        let inclusive = match self.kind() {
            Tok::DotDot => false,
            Tok::DotDotEq => true,
            _ => {
                return Ok(Pattern {
                    span: start,
                    kind: PatternKind::Literal(Box::new(lo)),
                });
            }
        };
        self.bump();
        let hi = if self.at(Tok::Ident) {
            let mut segments = vec![self.take_ident()];
            while self.eat(Tok::Dot) {
                segments.push(self.member("a name")?);
            }
            path_expr(&Path { segments })
        } else if matches!(self.kind(), Tok::Int | Tok::Minus) {
            self.literal_pattern()?
        } else {
            let found = self.found();
            return Err(self.report(
                Diagnostic::error(
                    codes::EXPECTED_PATTERN,
                    self.span(),
                    format!("expected the end of the range, found {found}"),
                )
                .found_expected(found, "an integer or a constant")
                .help("a range pattern has two bounds; compare in a guard instead: `case n if n >= 10:`"),
            ));
        };
        let kind = PatternKind::Range {
            lo: Box::new(lo),
            hi: Box::new(hi),
            inclusive,
        };
        Ok(Pattern {
            kind,
            span: self.span_from(start),
        })
    }
}

fn path_expr(path: &Path) -> Expr {
    let mut segments = path.segments.iter();
    let first = path.segments[0];
    segments.next();
    let mut expr = Expr {
        kind: ExprKind::Name(first),
        span: first.span,
    };
    for segment in segments {
        let span = expr.span.to(segment.span);
        expr = Expr {
            kind: ExprKind::Field(Box::new(expr), *segment, false),
            span,
        };
    }
    expr
}
