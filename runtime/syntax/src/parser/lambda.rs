//! Lambdas in their three spellings, and parameters.

use super::{PResult, Parser};
use crate::ast::{Block, Expr, ExprKind, Lambda, Param, Stmt, TypeExpr};
use crate::lexer::Tok;
use crate::{Diagnostic, codes};

/// Built-in types with lower-case names, which a parameter of a lambda may be annotated with.
const SMALL_TYPES: [&str; 20] = [
    "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f32", "f64", "bool", "text", "str",
    "int", "float", "usize", "isize", "any", "void", "fn",
];

/// Whether `name` is a built-in type that is written in small letters.
pub(crate) fn is_small_type(name: &str) -> bool {
    SMALL_TYPES.contains(&name)
}

impl Parser<'_> {
    /// `\x: e`.
    pub(crate) fn lambda(&mut self) -> PResult<Expr> {
        self.nested(|p| {
            let start = p.span();
            p.bump();
            let mut ret = None;
            let params = if p.at(Tok::LParen) {
                let params = p.params()?;
                p.refuse_copied(&params);
                if p.eat(Tok::Arrow) {
                    ret = Some(p.type_expr()?);
                }
                params
            } else {
                let mut params = Vec::new();
                while !p.at(Tok::Colon) {
                    let name = p.ident("the name of a parameter")?;
                    let ty = if p.at(Tok::Colon) && p.parameter_type_follows() {
                        p.bump();
                        Some(p.type_expr()?)
                    } else {
                        None
                    };
                    let default = match p.eat(Tok::Eq) {
                        true => Some(p.expr()?),
                        false => None,
                    };
                    params.push(Param {
                        name,
                        ty,
                        default,
                        variadic: false,
                        out: false,
                        copied: false,
                    });
                    if !p.eat(Tok::Comma) {
                        break;
                    }
                }
                params
            };
            p.expect(
                Tok::Colon,
                "between the parameters and the body of the lambda",
            )?;
            let body = p.lambda_body()?;
            let lambda = Lambda { params, ret, body };
            Ok(Expr {
                kind: ExprKind::Lambda(Box::new(lambda)),
                span: p.span_from(start),
            })
        })
    }

    /// `fn(x: T) -> R: e`.
    pub(crate) fn fn_lambda(&mut self) -> PResult<Expr> {
        self.nested(|p| {
            let start = p.span();
            p.bump();
            let params = p.params()?;
            p.refuse_copied(&params);
            let ret = if p.eat(Tok::Arrow) {
                Some(p.type_expr()?)
            } else {
                None
            };
            if ret.is_some() && p.at(Tok::Comma) {
                // `\f: fn(i64) -> i64, x: i64: ...` was read as a lambda in a lambda.
                let span = p.span_from(start);
                let message = "a function type of a parameter is written in parentheses";
                let text = &p.source[span.lo as usize..span.hi as usize];
                let help = format!("write `\\(f: {text}, ...): body`");
                return Err(
                    p.report(Diagnostic::error(codes::UNEXPECTED, span, message).help(help))
                );
            }
            p.expect(
                Tok::Colon,
                "between the parameters and the body of the function",
            )?;
            let body = p.lambda_body()?;
            let lambda = Lambda { params, ret, body };
            Ok(Expr {
                kind: ExprKind::Lambda(Box::new(lambda)),
                span: p.span_from(start),
            })
        })
    }

    /// `|x| e`.
    pub(crate) fn pipe_lambda(&mut self) -> PResult<Expr> {
        self.nested(|p| {
            let start = p.span();
            let mut params = Vec::new();
            if p.at(Tok::PipePipe) {
                p.bump();
            } else {
                p.raw_mut().mark_prefix();
                p.bump();
                while !p.at(Tok::Pipe) && !p.at_end() {
                    // A `|` after a default ends the parameters.
                    params.push(p.param(Self::type_expr, Self::expr_before_bar)?);
                    if !p.eat(Tok::Comma) {
                        break;
                    }
                }
                p.raw_mut().mark_bracket();
                p.expect(Tok::Pipe, "after the parameters of the lambda")?;
            }
            let value = p.expr()?;
            let body = p.body_on_line(value)?;
            let lambda = Lambda {
                params,
                ret: None,
                body,
            };
            Ok(Expr {
                kind: ExprKind::Lambda(Box::new(lambda)),
                span: p.span_from(start),
            })
        })
    }

    fn lambda_body(&mut self) -> PResult<Block> {
        if self.line_ends_at(0) {
            let yields = std::mem::take(&mut self.yields);
            let body = self.body_after_colon("the lambda");
            self.yields = yields;
            return body;
        }
        let value = self.command_expr()?;
        self.body_on_line(value)
    }

    /// The body of a lambda that begins with this expression: it alone, or an assignment to it.
    fn body_on_line(&mut self, value: Expr) -> PResult<Block> {
        let start = value.span;
        let kind = self.assignment_in_lambda(value)?;
        let span = self.span_from(start);
        let stmts = vec![Stmt { kind, span }];
        Ok(Block { stmts, span })
    }

    /// Whether the `:` here is followed by a type: `\x: i64: x + 1`, `\a: i64, b: i64: a + b`. Every parameter up to the `:`
    /// before the body is looked at, since in `f(\x: LIMIT, y: 2)` the comma ends the lambda.
    fn parameter_type_follows(&self) -> bool {
        let mut colon = 0;
        loop {
            let Some(mut ahead) = self.parameter_type_end(colon + 1) else {
                return false;
            };
            loop {
                match self.raw_at(ahead).tok {
                    Tok::Colon => return true,
                    Tok::Eq => return self.body_follows_default(ahead + 1),
                    Tok::Comma if self.raw_at(ahead + 1).tok == Tok::Ident => ahead += 2,
                    _ => return false,
                }
                if self.raw_at(ahead).tok == Tok::Colon {
                    colon = ahead;
                    break;
                }
            }
        }
    }

    /// Whether the default of a parameter, which begins `ahead`, is followed by a `:` in the same line and brackets.
    fn body_follows_default(&self, mut ahead: usize) -> bool {
        let mut depth = 0usize;
        loop {
            let token = self.raw_at(ahead);
            match token.tok {
                Tok::LParen | Tok::LBracket | Tok::LBrace => depth += 1,
                Tok::RParen | Tok::RBracket | Tok::RBrace if depth > 0 => depth -= 1,
                Tok::Colon if depth == 0 => return true,
                Tok::RParen | Tok::RBracket | Tok::RBrace | Tok::Newline | Tok::Eof => {
                    return false;
                }
                _ if token.breaks() && depth == 0 => return false,
                _ => {}
            }
            ahead += 1;
        }
    }

    /// The place after a type of the simple forms that `\x: T: body` allows, if one begins `ahead`.
    pub(crate) fn parameter_type_end(&self, mut ahead: usize) -> Option<usize> {
        let first = self.raw_at(ahead);
        match first.tok {
            Tok::Ident => {
                let name = self.text_of(first);
                if !name.starts_with(char::is_uppercase) && !is_small_type(name) {
                    return None;
                }
                ahead += 1;
            }
            Tok::LBracket => {
                let inner = self.text_of(self.raw_at(ahead + 1));
                let known = inner.starts_with(char::is_uppercase) || is_small_type(inner);
                if !known || self.raw_at(ahead + 2).tok != Tok::RBracket {
                    return None;
                }
                ahead += 3;
            }
            _ => return None,
        }
        if self.raw_at(ahead).tok == Tok::Lt {
            let mut angles = 0usize;
            loop {
                match self.raw_at(ahead).tok {
                    Tok::Lt => angles += 1,
                    Tok::Gt => angles -= 1,
                    Tok::Shr => angles = angles.saturating_sub(2),
                    Tok::Ident | Tok::Comma | Tok::LBracket | Tok::RBracket | Tok::Int => {}
                    _ => return None,
                }
                ahead += 1;
                if angles == 0 {
                    break;
                }
            }
        }
        if self.raw_at(ahead).tok == Tok::Question {
            ahead += 1;
        }
        Some(ahead)
    }

    /// Parameters in parentheses.
    pub(crate) fn params(&mut self) -> PResult<Vec<Param>> {
        let params = self.bracketed(Tok::LParen, Tok::RParen, |p| {
            p.comma_list(Tok::RParen, |p| p.param(Self::declared_type, Self::expr))
        })?;
        let before_last = params.len().saturating_sub(1);
        for param in params[..before_last].iter().filter(|param| param.variadic) {
            let message = "only the last parameter can collect the rest of the arguments";
            self.report(
                Diagnostic::error(codes::BAD_MODIFIER, param.name.span, message)
                    .help("move it to the end, or make it an array"),
            );
        }
        Ok(params)
    }

    /// `name: T = e`, `name: T...`; `ty` reads the type, `value` the default.
    pub(crate) fn param(
        &mut self,
        ty: fn(&mut Self) -> PResult<TypeExpr>,
        value: fn(&mut Self) -> PResult<Expr>,
    ) -> PResult<Param> {
        if self.at(Tok::Mut) {
            let span = self.span();
            self.bump();
            self.foreign(
                span,
                "`mut` before a parameter",
                "write `var` before a parameter that the function assigns",
            );
        }
        let copied = self.eat(Tok::Var);
        let mut name = self.ident("the name of a parameter")?;
        let ty = if self.eat(Tok::Colon) {
            Some(ty(self)?)
        } else {
            self.type_without_colon(&mut name, ty)?
        };
        let variadic = self.eat(Tok::Ellipsis);
        let default = if self.eat(Tok::Eq) {
            Some(value(self)?)
        } else {
            None
        };
        Ok(Param {
            name,
            ty,
            default,
            variadic,
            out: false,
            copied,
        })
    }

    /// Warns of `var` before a parameter of a function without a body, which alone could assign it.
    pub(super) fn warn_copied(&mut self, params: &[Param]) {
        for param in params.iter().filter(|param| param.copied) {
            let message = "`var` before a parameter has no effect without a body";
            self.report(
                Diagnostic::warning(codes::NO_EFFECT, param.name.span, message).help(
                    "leave `var` out; a function with a body that assigns the parameter says it",
                ),
            );
        }
    }

    /// Reports `var` before a parameter of a function without a name, whose body may be an expression.
    fn refuse_copied(&mut self, params: &[Param]) {
        for param in params.iter().filter(|param| param.copied) {
            let message = "a parameter of a lambda cannot be assigned";
            self.report(
                Diagnostic::error(codes::BAD_MODIFIER, param.name.span, message)
                    .help("write a function with `fn`, or copy it into a `var`"),
            );
        }
    }
}
