//! Written types, their arguments, and shapes of tensors.

use super::{PResult, Parser};
use crate::ast::{
    BinaryOp, Dim, Expr, ExprKind, GenericParam, Ident, Path, TypeArg, TypeExpr, TypeExprKind,
};
use crate::ast::{UnaryOp, WhereClause};
use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::lexer::Tok;

impl Parser<'_> {
    /// A type.
    pub(crate) fn type_expr(&mut self) -> PResult<TypeExpr> {
        self.nested(|p| p.postfix_type(false))
    }

    /// A type after `as` or `is`, where `<`, `??` and a distant `?` belong to the expression.
    pub(crate) fn type_in_expr(&mut self) -> PResult<TypeExpr> {
        self.nested(|p| p.postfix_type(true))
    }

    /// A type that ends a declaration: what follows a `|` would make it a union, and is skipped.
    pub(crate) fn declared_type(&mut self) -> PResult<TypeExpr> {
        let mut ty = self.type_expr()?;
        if self.at(Tok::Pipe) {
            let span = self.span();
            self.not_supported(
                span,
                "union types are",
                "declare an enum with a variant for each type",
            );
            while self.eat(Tok::Pipe) {
                self.type_expr()?;
            }
            ty.kind = TypeExprKind::Error;
        }
        Ok(ty)
    }

    fn postfix_type(&mut self, in_expr: bool) -> PResult<TypeExpr> {
        let start = self.span();
        let mut ty = self.primary_type(in_expr)?;
        loop {
            let layers = match self.kind() {
                Tok::Question if !self.raw().spaced() || !in_expr => 1,
                Tok::QuestionQuestion if !in_expr => 2,
                _ => break,
            };
            self.bump();
            for _ in 0..layers {
                self.chain_link()?;
                let span = self.span_from(start);
                ty = TypeExpr {
                    kind: TypeExprKind::Optional(Box::new(ty)),
                    span,
                };
            }
        }
        Ok(ty)
    }

    fn primary_type(&mut self, in_expr: bool) -> PResult<TypeExpr> {
        let start = self.span();
        let kind = match self.kind() {
            Tok::Ident if self.at_word("dyn") && self.ahead(1) == Tok::Ident => {
                self.bump();
                TypeExprKind::Dyn(self.path()?)
            }
            Tok::Ident => self.named_type(in_expr)?,
            Tok::LBracket => self.bracketed(Tok::LBracket, Tok::RBracket, |p| {
                let element = Box::new(p.type_expr()?);
                if p.eat(Tok::Semi) {
                    return Ok(TypeExprKind::FixedArray(element, Box::new(p.dim_expr()?)));
                }
                Ok(TypeExprKind::Array(element))
            })?,
            Tok::LBrace => self.bracketed(Tok::LBrace, Tok::RBrace, |p| {
                let key = Box::new(p.type_expr()?);
                p.expect(Tok::Colon, "between the types of key and value")?;
                Ok(TypeExprKind::Dict(key, Box::new(p.type_expr()?)))
            })?,
            Tok::LParen => self.paren_type()?,
            Tok::Fn => {
                self.bump();
                let params = self.bracketed(Tok::LParen, Tok::RParen, |p| {
                    p.comma_list(Tok::RParen, |p| {
                        if p.at(Tok::Ident) && p.ahead(1) == Tok::Colon {
                            p.bump();
                            p.bump();
                        }
                        p.type_expr()
                    })
                })?;
                let ret = if self.eat(Tok::Arrow) {
                    Some(Box::new(self.type_expr()?))
                } else {
                    None
                };
                TypeExprKind::Fn(params, ret)
            }
            Tok::Amp | Tok::Star | Tok::Minus | Tok::Plus => {
                let span = self.span();
                let what = format!("ownership marks on types (`{}`) are", self.kind().text());
                return Err(self.not_supported(
                    span,
                    &what,
                    "leave it out: class instances are shared and counted",
                ));
            }
            _ => return Err(self.unexpected_as(codes::EXPECTED_TYPE, "a type")),
        };
        Ok(TypeExpr {
            kind,
            span: self.span_from(start),
        })
    }

    fn paren_type(&mut self) -> PResult<TypeExprKind> {
        let mut members = self.bracketed(Tok::LParen, Tok::RParen, |p| {
            p.comma_list(Tok::RParen, |p| {
                let label = if p.at(Tok::Ident) && p.ahead(1) == Tok::Colon {
                    let label = p.take_ident();
                    p.bump();
                    Some(label)
                } else {
                    None
                };
                Ok((label, p.type_expr()?))
            })
        })?;
        match members.len() {
            0 => Ok(TypeExprKind::Unit),
            1 => match members.remove(0) {
                (None, ty) => Ok(ty.kind),
                (Some(label), _) => Err(self.report(
                    Diagnostic::error(
                        codes::EXPECTED_TYPE,
                        label.span,
                        "a tuple type has at least two members",
                    )
                    .help("leave the label out, or add a member"),
                )),
            },
            _ => Ok(TypeExprKind::Tuple(members)),
        }
    }

    fn named_type(&mut self, in_expr: bool) -> PResult<TypeExprKind> {
        let path = self.path()?;
        let has_args = self.at(Tok::Lt) && (!in_expr || self.type_args_follow(false));
        let args = if has_args {
            self.type_args(takes_shape(&path))?
        } else {
            Vec::new()
        };
        if !in_expr && self.at(Tok::LBracket) && !self.raw().spaced() {
            let span = self.span();
            return Err(self.report(
                Diagnostic::error(
                    codes::FOREIGN_SPELLING,
                    span,
                    "type arguments are written between `<` and `>`",
                )
                .help(format!(
                    "write `{}<...>`; an array of T is `[T]`",
                    path.last().name
                )),
            ));
        }
        Ok(TypeExprKind::Named { path, args })
    }

    /// `a.b.c`.
    pub(crate) fn path(&mut self) -> PResult<Path> {
        let mut segments = vec![self.ident("a name")?];
        while matches!(self.kind(), Tok::Dot | Tok::ColonColon) {
            if self.at(Tok::ColonColon) {
                let span = self.span();
                self.deprecated(span, "::", ".");
            }
            self.bump();
            segments.push(self.member("a name")?);
        }
        Ok(Path { segments })
    }

    /// `<A, 16, [B, 784]>`; `shapes` says that a bracket holds dimensions rather than the element type of an array.
    pub(crate) fn type_args(&mut self, shapes: bool) -> PResult<Vec<TypeArg>> {
        self.raw_mut().mark_bracket();
        let open = self.expect(Tok::Lt, "before type arguments")?;
        let mut args = Vec::new();
        while !matches!(self.kind(), Tok::Gt | Tok::Shr | Tok::Ge) {
            args.push(self.type_arg(shapes)?);
            if !self.eat(Tok::Comma) {
                break;
            }
            self.join();
        }
        match self.kind() {
            Tok::Gt => {
                self.raw_mut().mark_bracket();
                self.bump();
            }
            // Two closers, or a closer and `=`, in one token: take one character off it.
            Tok::Shr => self.split_token(Tok::Gt),
            Tok::Ge => self.split_token(Tok::Eq),
            _ => {
                let found = self.found();
                return Err(self.report(
                    Diagnostic::error(
                        codes::UNCLOSED,
                        self.span(),
                        format!("expected `,` or `>` in the type arguments, found {found}"),
                    )
                    .found_expected(found, "`,` or `>`")
                    .related(open, "the `<` is here"),
                ));
            }
        }
        Ok(args)
    }

    fn split_token(&mut self, rest: Tok) {
        let token = &mut self.lexed.tokens[self.pos];
        token.tok = rest;
        token.lo += 1;
        token.mark_bracket();
        token.mark_split();
    }

    fn type_arg(&mut self, shapes: bool) -> PResult<TypeArg> {
        match self.kind() {
            Tok::Int | Tok::Minus => Ok(TypeArg::Const(self.dim_expr()?)),
            Tok::LBracket if (shapes && !self.is_array()) || self.is_shape() => {
                let start = self.span();
                let dims = self.bracketed(Tok::LBracket, Tok::RBracket, |p| {
                    p.comma_list(Tok::RBracket, |p| p.dim())
                })?;
                Ok(TypeArg::Dims(dims, self.span_from(start)))
            }
            Tok::Ident
                if matches!(
                    self.ahead(1),
                    Tok::Plus | Tok::Minus | Tok::Star | Tok::Slash
                ) =>
            {
                Ok(TypeArg::Const(self.dim_expr()?))
            }
            _ => Ok(TypeArg::Type(self.type_expr()?)),
        }
    }

    /// Whether the bracket here cannot be an array type.
    fn is_shape(&self) -> bool {
        matches!(self.raw_at(1).tok, Tok::RBracket | Tok::Int | Tok::Question)
            || matches!(
                self.raw_at(2).tok,
                Tok::Comma | Tok::Plus | Tok::Minus | Tok::Star | Tok::Slash | Tok::Colon
            ) && self.raw_at(1).tok == Tok::Ident
    }

    /// Whether the bracket here cannot be a shape, which has no types in it.
    fn is_array(&self) -> bool {
        matches!(self.raw_at(1).tok, Tok::LBracket | Tok::LBrace | Tok::Fn)
            || self.raw_at(1).tok == Tok::Ident
                && matches!(self.raw_at(2).tok, Tok::Lt | Tok::Question)
    }

    /// One dimension of a shape.
    fn dim(&mut self) -> PResult<Dim> {
        if self.at(Tok::Question) {
            let token = self.bump();
            return Ok(Dim::Unknown(self.span_of(token)));
        }
        if self.at(Tok::Ident) && self.ahead(1) == Tok::Colon {
            let name = self.take_ident();
            self.bump();
            let lo = self.dim_expr()?;
            let inclusive = self.at(Tok::DotDotEq);
            if !inclusive && !self.at(Tok::DotDot) {
                return Err(self.unexpected("a range `lo..hi`"));
            }
            self.bump();
            return Ok(Dim::Range {
                name,
                lo,
                hi: self.dim_expr()?,
                inclusive,
            });
        }
        Ok(Dim::Expr(self.dim_expr()?))
    }

    /// Integers and names joined by `+ - * /`.
    pub(crate) fn dim_expr(&mut self) -> PResult<Expr> {
        self.nested(|p| p.dim_binary(0))
    }

    fn dim_binary(&mut self, min: u8) -> PResult<Expr> {
        let start = self.span();
        let mut lhs = match self.kind() {
            Tok::Int | Tok::Ident => self.primary()?,
            Tok::Minus => {
                self.raw_mut().mark_prefix();
                self.bump();
                let operand = self.nested(|p| p.dim_binary(2))?;
                let span = self.span_from(start);
                Expr {
                    kind: ExprKind::Unary(UnaryOp::Neg, Box::new(operand)),
                    span,
                }
            }
            Tok::LParen => {
                let inner = self.bracketed(Tok::LParen, Tok::RParen, |p| p.dim_expr())?;
                Expr {
                    kind: ExprKind::Paren(Box::new(inner)),
                    span: self.span_from(start),
                }
            }
            _ => {
                return Err(self
                    .unexpected_as(codes::EXPECTED_TYPE, "a dimension: a number, a name or `?`"));
            }
        };
        loop {
            let (level, op) = match self.kind() {
                Tok::Plus => (0, BinaryOp::Add),
                Tok::Minus => (0, BinaryOp::Sub),
                Tok::Star => (1, BinaryOp::Mul),
                Tok::Slash => (1, BinaryOp::Div),
                _ => return Ok(lhs),
            };
            if level < min {
                return Ok(lhs);
            }
            self.bump();
            self.chain_link()?;
            let rhs = self.dim_binary(level + 1)?;
            let span = self.span_from(start);
            lhs = Expr {
                kind: ExprKind::Binary(op, Box::new(lhs), Box::new(rhs)),
                span,
            };
        }
    }

    /// `<T: A + B, const N: i64>`, or nothing.
    pub(crate) fn generics(&mut self) -> PResult<Vec<GenericParam>> {
        let mut params = Vec::new();
        let start = self.span();
        let Some(close) = self.open_generics() else {
            return Ok(params);
        };
        while !self.at(close) {
            if self.eat(Tok::Const) {
                let name = self.ident("the name of a constant parameter")?;
                self.expect(Tok::Colon, "before the type of the parameter")?;
                let const_ty = Some(self.type_expr()?);
                params.push(GenericParam {
                    name,
                    bounds: Vec::new(),
                    const_ty,
                });
            } else {
                let name = self.ident("the name of a type parameter")?;
                let bounds = if self.eat(Tok::Colon) {
                    self.bounds()?
                } else {
                    Vec::new()
                };
                params.push(GenericParam {
                    name,
                    bounds,
                    const_ty: None,
                });
            }
            if !self.eat(Tok::Comma) {
                break;
            }
            self.join();
        }
        self.raw_mut().mark_bracket();
        self.expect(close, "after the type parameters")?;
        if close == Tok::RBracket {
            self.square_generics(self.span_from(start));
        }
        Ok(params)
    }

    /// `A + B` or `A & B`.
    pub(crate) fn bounds(&mut self) -> PResult<Vec<TypeExpr>> {
        let mut bounds = vec![self.type_expr()?];
        while self.eat(Tok::Plus) || self.eat(Tok::Amp) {
            bounds.push(self.type_expr()?);
        }
        Ok(bounds)
    }

    /// `where T: A + B, U: C`, `where B: 1..128`, or nothing.
    pub(crate) fn where_clauses(&mut self) -> PResult<Vec<WhereClause>> {
        let mut clauses = Vec::new();
        if !self.at_word("where") {
            return Ok(clauses);
        }
        self.bump();
        loop {
            let name: Ident = self.ident("the name of a type parameter")?;
            self.expect(Tok::Colon, "before the bounds of the parameter")?;
            if self.at(Tok::Int) {
                clauses.push(WhereClause {
                    name,
                    bounds: Vec::new(),
                    range: Some(self.expr()?),
                });
            } else {
                clauses.push(WhereClause {
                    name,
                    bounds: self.bounds()?,
                    range: None,
                });
            }
            if !self.eat(Tok::Comma) {
                return Ok(clauses);
            }
            self.join();
        }
    }
}

/// Whether brackets in the arguments of this type are shapes: the types of tensors and layers.
pub(crate) fn takes_shape(path: &Path) -> bool {
    matches!(path.last().name.as_str(), "Tensor" | "Layer")
}
