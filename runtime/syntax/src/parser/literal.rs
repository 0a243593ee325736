//! Parentheses, tuples, arrays, dicts, sets and comprehensions.

use super::{PResult, Parser};
use crate::ast::{
    BinaryOp, Comprehension, ComprehensionLoop, DictElement, Element, Expr, ExprKind, Ident,
};
use crate::codes;
use crate::lexer::Tok;

impl Parser<'_> {
    /// `()`, `(e)`, `(a, b)`, `(x: a, y: b)`.
    pub(crate) fn paren_expr(&mut self) -> PResult<Expr> {
        let start = self.span();
        self.placeholders += 1;
        let kind = self.bracketed(Tok::LParen, Tok::RParen, |p| {
            if p.at(Tok::RParen) {
                return Ok(ExprKind::Unit);
            }
            let first = p.tuple_member()?;
            if !p.at(Tok::Comma) && first.0.is_none() {
                return Ok(ExprKind::Paren(Box::new(first.1)));
            }
            let mut members = vec![first];
            while p.eat(Tok::Comma) && !p.at(Tok::RParen) {
                members.push(p.tuple_member()?);
            }
            if members.len() == 1 {
                return Err(p.unexpected("a second member; a tuple has at least two"));
            }
            Ok(ExprKind::Tuple(members))
        });
        self.placeholders -= 1;
        Ok(Expr {
            kind: kind?,
            span: self.span_from(start),
        })
    }

    fn tuple_member(&mut self) -> PResult<(Option<Ident>, Expr)> {
        let label = if self.at(Tok::Ident) && self.ahead(1) == Tok::Colon {
            let name = self.take_ident();
            self.bump();
            Some(name)
        } else {
            None
        };
        Ok((label, self.expr()?))
    }

    /// `[a, ...b]`, `[e for p in it]`, `[for p in it: e]`.
    pub(crate) fn array_expr(&mut self) -> PResult<Expr> {
        let start = self.span();
        let kind = self.bracketed(Tok::LBracket, Tok::RBracket, |p| {
            if p.at(Tok::For) {
                let comprehension = p.comprehension()?;
                p.expect(Tok::Colon, "before the element of the comprehension")?;
                let element = p.expr()?;
                return Ok(ExprKind::ArrayComprehension(
                    Box::new(element),
                    Box::new(comprehension),
                ));
            }
            if p.at(Tok::RBracket) {
                return Ok(ExprKind::Array(Vec::new()));
            }
            let first = p.element()?;
            if p.at(Tok::For) {
                let Element::Expr(element) = first else {
                    return Err(p.unexpected("`,` or `]`"));
                };
                let comprehension = p.comprehension()?;
                return Ok(ExprKind::ArrayComprehension(
                    Box::new(element),
                    Box::new(comprehension),
                ));
            }
            if p.at(Tok::Semi)
                && let Element::Expr(element) = first
            {
                // `[x; n]` is `[x] * n`.
                p.bump();
                let one = Expr {
                    span: element.span,
                    kind: ExprKind::Array(vec![Element::Expr(element)]),
                };
                let times = p.expr()?;
                return Ok(ExprKind::Binary(
                    BinaryOp::Mul,
                    Box::new(one),
                    Box::new(times),
                ));
            }
            let mut elements = vec![first];
            while p.eat(Tok::Comma) && !p.at(Tok::RBracket) {
                elements.push(p.element()?);
            }
            Ok(ExprKind::Array(elements))
        })?;
        Ok(Expr {
            kind,
            span: self.span_from(start),
        })
    }

    fn element(&mut self) -> PResult<Element> {
        if matches!(self.kind(), Tok::Ellipsis | Tok::Star) {
            self.bump();
            return Ok(Element::Spread(self.expr()?));
        }
        Ok(Element::Expr(self.expr()?))
    }

    /// `for p in it if c`, once or several times: a later loop runs within the earlier ones.
    fn comprehension(&mut self) -> PResult<Comprehension> {
        let mut loops = Vec::new();
        while self.at(Tok::For) {
            self.bump();
            self.chain_link()?;
            let pattern = self.pattern_list()?;
            self.expect(Tok::In, "before what the comprehension goes over")?;
            let iterable = self.expr()?;
            let mut filters = Vec::new();
            while self.eat(Tok::If) {
                filters.push(self.expr()?);
            }
            loops.push(ComprehensionLoop {
                pattern,
                iterable,
                filters,
            });
        }
        Ok(Comprehension { loops })
    }

    /// `s{a, b}`.
    pub(crate) fn set_expr(&mut self) -> PResult<Expr> {
        let start = self.span();
        self.bump();
        let elements = self.bracketed(Tok::LBrace, Tok::RBrace, |p| {
            p.comma_list(Tok::RBrace, |p| p.expr())
        })?;
        Ok(Expr {
            kind: ExprKind::Set(elements),
            span: self.span_from(start),
        })
    }

    /// A dict, a set without its `s`, or a comprehension of either.
    pub(crate) fn brace_expr(&mut self) -> PResult<Expr> {
        let start = self.span();
        let kind = self.bracketed(Tok::LBrace, Tok::RBrace, |p| {
            if p.at(Tok::RBrace) {
                return Ok(ExprKind::Dict(Vec::new()));
            }
            if p.at(Tok::For) {
                return p.leading_dict_comprehension();
            }
            if matches!(p.kind(), Tok::StarStar | Tok::Ellipsis) {
                return p.dict_rest(Vec::new());
            }
            let first = p.expr()?;
            if p.eat(Tok::Colon) {
                let value = p.expr()?;
                if p.at(Tok::For) {
                    let comprehension = Box::new(p.comprehension()?);
                    return Ok(ExprKind::DictComprehension(
                        Box::new(first),
                        Box::new(value),
                        comprehension,
                    ));
                }
                let elements = vec![DictElement::Pair(first, value)];
                return if p.eat(Tok::Comma) {
                    p.dict_rest(elements)
                } else {
                    Ok(ExprKind::Dict(elements))
                };
            }
            if p.at(Tok::For) {
                let comprehension = Box::new(p.comprehension()?);
                return Ok(ExprKind::SetComprehension(Box::new(first), comprehension));
            }
            let mut elements = vec![first];
            while p.eat(Tok::Comma) && !p.at(Tok::RBrace) {
                elements.push(p.expr()?);
            }
            Ok(ExprKind::Set(elements))
        })?;
        Ok(Expr {
            kind,
            span: self.span_from(start),
        })
    }

    fn dict_rest(&mut self, mut elements: Vec<DictElement>) -> PResult<ExprKind> {
        while !self.at(Tok::RBrace) && !self.at_end() {
            if matches!(self.kind(), Tok::StarStar | Tok::Ellipsis) {
                self.bump();
                elements.push(DictElement::Spread(self.expr()?));
            } else {
                let key = self.expr()?;
                self.expect(Tok::Colon, "between key and value")?;
                elements.push(DictElement::Pair(key, self.expr()?));
            }
            if !self.eat(Tok::Comma) {
                break;
            }
        }
        Ok(ExprKind::Dict(elements))
    }

    /// `{for p in it: (k, v)}`.
    fn leading_dict_comprehension(&mut self) -> PResult<ExprKind> {
        let comprehension = self.comprehension()?;
        self.expect(Tok::Colon, "before the pair of the comprehension")?;
        if !self.at(Tok::LParen) {
            return Err(self.unexpected_as(codes::UNEXPECTED, "a pair `(key, value)`"));
        }
        let (key, value) = self.bracketed(Tok::LParen, Tok::RParen, |p| {
            let key = p.expr()?;
            p.expect(Tok::Comma, "between key and value")?;
            Ok((key, p.expr()?))
        })?;
        Ok(ExprKind::DictComprehension(
            Box::new(key),
            Box::new(value),
            Box::new(comprehension),
        ))
    }
}
