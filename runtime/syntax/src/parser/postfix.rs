//! What may follow an operand: calls, indices, fields, `?`, `!`, type arguments, struct literals, trailing lambdas.

use super::{PResult, Parser};
use crate::ast::{Arg, Call, Expr, ExprKind, Path, SliceBounds};
use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::lexer::{Number, Tok};
use crate::span::Span;

/// How far to look for the end of type arguments; longer lists are not type arguments.
const GENERIC_SCAN: usize = 256;

impl Parser<'_> {
    /// An operand with everything that follows it.
    pub(crate) fn postfix(&mut self) -> PResult<Expr> {
        let start_pos = self.pos;
        let mut expr = self.primary()?;
        if matches!(
            expr.kind,
            ExprKind::Lambda(_)
                | ExprKind::If(_)
                | ExprKind::Match(..)
                | ExprKind::With(..)
                | ExprKind::Return(_)
                | ExprKind::Throw(_)
        ) {
            return Ok(expr);
        }
        loop {
            let token = self.raw();
            let same_line = !token.first();
            let glued = !token.spaced();
            let next = match self.kind() {
                Tok::LParen if same_line => self.call_rest(expr),
                Tok::LBracket if same_line => self.index_rest(expr, false),
                Tok::Dot => self.dot_rest(expr, false),
                Tok::QuestionDot => self.dot_rest(expr, true),
                Tok::ColonColon if !self.in_index && same_line => {
                    let span = self.span();
                    self.deprecated(span, "::", ".");
                    self.field_rest(expr, false)
                }
                Tok::DotQuestion => self.mark_rest(expr, ExprKind::Presence),
                Tok::Question if glued => {
                    let bracket = self.raw_at(1);
                    if bracket.tok == Tok::LBracket && !bracket.spaced() {
                        self.bump();
                        self.index_rest(expr, true)
                    } else {
                        self.mark_rest(expr, ExprKind::Try)
                    }
                }
                Tok::Bang if glued && self.is_macro_call(&expr) => {
                    let span = self.span();
                    let failed = self.foreign(
                        span,
                        "a call with `!`",
                        "there are no macros: write `print \"{x}\"`, `[1, 2]`, `panic(\"why\")`",
                    );
                    self.bump();
                    match self.kind() {
                        Tok::LBracket => Err(failed),
                        _ => Ok(expr),
                    }
                }
                Tok::Bang if glued => self.mark_rest(expr, ExprKind::Unwrap),
                Tok::LBrace if same_line && names_type(&expr) => self.struct_lit(expr),
                Tok::Lt if same_line && is_path(&expr) && self.type_args_follow(true) => {
                    self.generic_rest(expr)
                }
                Tok::Arrow if !self.in_guard => self.update_rest(expr, start_pos),
                // `apply x \n: ...` gives the lambda to `apply`.
                Tok::Backslash
                    if start_pos == self.command_arg && matches!(expr.kind, ExprKind::Name(_)) =>
                {
                    return Ok(expr);
                }
                Tok::Backslash if same_line && is_callable(&expr) => {
                    self.chain_link()?;
                    return self.trailing_lambda(expr);
                }
                _ => return Ok(expr),
            };
            expr = next?;
            self.chain_link()?;
        }
    }

    fn mark_rest(&mut self, operand: Expr, mark: fn(Box<Expr>) -> ExprKind) -> PResult<Expr> {
        self.bump();
        let span = self.span_from(operand.span);
        Ok(Expr {
            kind: mark(Box::new(operand)),
            span,
        })
    }

    /// `.name`, `.0`, or with `optional` the same after `?.`.
    fn dot_rest(&mut self, object: Expr, optional: bool) -> PResult<Expr> {
        let next = self.raw_at(1);
        if next.tok == Tok::Int && !next.first() {
            self.bump();
            let token = self.bump();
            let span = self.span_of(token);
            let index = match self.lexed.numbers[token.payload as usize] {
                Number::Int(index, None) => u32::try_from(index).ok(),
                _ => None,
            };
            let Some(index) = index else {
                return Err(self.report(
                    Diagnostic::error(codes::BAD_NUMBER, span, "tuple index out of range")
                        .help("members of a tuple are numbered from `.0`"),
                ));
            };
            let whole = self.span_from(object.span);
            return Ok(Expr {
                kind: ExprKind::TupleField(Box::new(object), index, span, optional),
                span: whole,
            });
        }
        self.field_rest(object, optional)
    }

    fn field_rest(&mut self, object: Expr, optional: bool) -> PResult<Expr> {
        self.bump();
        self.join();
        let name = self.member("the name of a field or method")?;
        let span = self.span_from(object.span);
        Ok(Expr {
            kind: ExprKind::Field(Box::new(object), name, optional),
            span,
        })
    }

    fn call_rest(&mut self, callee: Expr) -> PResult<Expr> {
        let args = self.call_args()?;
        let mut call = Call {
            callee,
            args,
            block: None,
            parens: true,
        };
        if self.at(Tok::Backslash) && !self.raw().first() {
            let lambda = self.lambda()?;
            call.args.push(Arg {
                label: None,
                spread: false,
                value: lambda,
            });
        }
        let span = self.span_from(call.callee.span);
        Ok(Expr {
            kind: ExprKind::Call(Box::new(call)),
            span,
        })
    }

    fn trailing_lambda(&mut self, callee: Expr) -> PResult<Expr> {
        let lambda = self.lambda()?;
        let args = vec![Arg {
            label: None,
            spread: false,
            value: lambda,
        }];
        let span = self.span_from(callee.span);
        Ok(Expr {
            kind: ExprKind::Call(Box::new(Call {
                callee,
                args,
                block: None,
                parens: false,
            })),
            span,
        })
    }

    fn index_rest(&mut self, object: Expr, optional: bool) -> PResult<Expr> {
        let start = object.span;
        let object = Box::new(object);
        let kind = self.bracketed(Tok::LBracket, Tok::RBracket, |p| {
            let first = p.subscript(Tok::RBracket)?;
            match first {
                Subscript::Slice(_, span) if optional && !p.at(Tok::Comma) => {
                    return Err(p.not_supported(
                        start.to(span),
                        "slices after `?[` are",
                        "unwrap the value first, with `if val`",
                    ));
                }
                Subscript::Slice(bounds, _) if !p.at(Tok::Comma) => {
                    return Ok(ExprKind::Slice(object, Box::new(bounds)));
                }
                _ => {}
            }
            let from = first.span();
            let mut members = vec![(None, first.into_expr())];
            while p.eat(Tok::Comma) && !p.at(Tok::RBracket) {
                members.push((None, p.subscript(Tok::RBracket)?.into_expr()));
            }
            let span = members.last().map_or(from, |(_, last)| from.to(last.span));
            let index = Expr {
                kind: match <[_; 1]>::try_from(members) {
                    Ok([(_, only)]) => only.kind,
                    Err(members) => ExprKind::Tuple(members),
                },
                span,
            };
            Ok(ExprKind::Index(object, Box::new(index), optional))
        })?;
        Ok(Expr {
            kind,
            span: self.span_from(start),
        })
    }

    /// One of the things between the brackets of an index: an expression, a slice, `...`.
    fn subscript(&mut self, close: Tok) -> PResult<Subscript> {
        let start = self.span();
        if self.eat(Tok::Ellipsis) {
            return Ok(Subscript::Rest(start));
        }
        if matches!(self.kind(), Tok::DotDot | Tok::DotDotEq) {
            return self.range_from_start(close);
        }
        let mut parts: [Option<Expr>; 3] = [None, None, None];
        let mut part = 0;
        loop {
            match self.kind() {
                Tok::Comma => break,
                tok if tok == close => break,
                Tok::Colon => {
                    self.raw_mut().mark_slice();
                    self.bump();
                    part += 1;
                }
                Tok::ColonColon => {
                    self.raw_mut().mark_slice();
                    self.bump();
                    part += 2;
                }
                _ if part < 3 && parts[part].is_none() => {
                    self.in_index = true;
                    self.open_range = false;
                    let value = self.expr();
                    self.in_index = false;
                    parts[part] = Some(value?);
                    if std::mem::take(&mut self.open_range) {
                        let [lo, ..] = parts;
                        let bounds = SliceBounds {
                            lo,
                            hi: None,
                            step: None,
                        };
                        return Ok(Subscript::Slice(bounds, self.span_from(start)));
                    }
                }
                _ => return Err(self.unexpected("`:` or `]`")),
            }
            if part > 2 {
                return Err(self.unexpected("`]`; a slice has at most three parts"));
            }
        }
        let [lo, hi, step] = parts;
        match lo {
            Some(index) if part == 0 => Ok(Subscript::At(index)),
            None if part == 0 => Err(self.unexpected_as(codes::EXPECTED_EXPR, "an index")),
            lo => Ok(Subscript::Slice(
                SliceBounds { lo, hi, step },
                self.span_from(start),
            )),
        }
    }

    /// `..`, `..hi` and `..=hi` between the brackets of an index.
    fn range_from_start(&mut self, close: Tok) -> PResult<Subscript> {
        let start = self.span();
        let inclusive = self.at(Tok::DotDotEq);
        self.bump();
        let at_end = self.at(close) || self.at(Tok::Comma);
        if at_end && !inclusive {
            let bounds = SliceBounds {
                lo: None,
                hi: None,
                step: None,
            };
            return Ok(Subscript::Slice(bounds, start));
        }
        let hi = self.expr()?;
        let span = self.span_from(start);
        if inclusive {
            let zero = Expr {
                kind: ExprKind::Int(0, None),
                span: start,
            };
            let kind = ExprKind::Range(Box::new(zero), Box::new(hi), true);
            return Ok(Subscript::At(Expr { kind, span }));
        }
        let bounds = SliceBounds {
            lo: None,
            hi: Some(hi),
            step: None,
        };
        Ok(Subscript::Slice(bounds, span))
    }

    fn generic_rest(&mut self, target: Expr) -> PResult<Expr> {
        let shapes = path_of(&target).is_some_and(|path| super::ty::takes_shape(&path));
        let args = self.type_args(shapes)?;
        let span = self.span_from(target.span);
        Ok(Expr {
            kind: ExprKind::Generic(Box::new(target), args),
            span,
        })
    }

    fn struct_lit(&mut self, target: Expr) -> PResult<Expr> {
        let start = target.span;
        let (target, args) = match target.kind {
            ExprKind::Generic(target, args) => (*target, args),
            _ => (target, Vec::new()),
        };
        let Some(path) = path_of(&target) else {
            return Err(self.unexpected("the end of the expression"));
        };
        let fields = self.bracketed(Tok::LBrace, Tok::RBrace, |p| {
            p.comma_list(Tok::RBrace, |p| {
                let name = p.member("the name of a field")?;
                if p.eat(Tok::Colon) {
                    let value = p.expr()?;
                    return Ok((name, value));
                }
                if p.at(Tok::Eq) {
                    let span = p.span();
                    let message = "a field and its value are separated by `:`";
                    return Err(p.report(
                        Diagnostic::error(codes::UNEXPECTED, span, message)
                            .found_expected("`=`", "`:`")
                            .help(format!("write `{}: ...`", name.name))
                            .fix(span, ":"),
                    ));
                }
                Ok((
                    name,
                    Expr {
                        kind: ExprKind::Name(name),
                        span: name.span,
                    },
                ))
            })
        })?;
        Ok(Expr {
            kind: ExprKind::StructLit { path, args, fields },
            span: self.span_from(start),
        })
    }

    /// Whether a macro of Rust is called here, such as `println!(...)`.
    fn is_macro_call(&self, callee: &Expr) -> bool {
        const MACROS: [&str; 6] = ["println", "print", "eprintln", "format", "vec", "panic"];
        let opens = matches!(self.raw_at(1).tok, Tok::LParen | Tok::LBracket);
        opens
            && matches!(&callee.kind, ExprKind::Name(name) if MACROS.contains(&name.name.as_str()))
    }

    /// `target->method(args)`, which must be what its statement begins with.
    fn update_rest(&mut self, target: Expr, start_pos: usize) -> PResult<Expr> {
        let arrow = self.span();
        if start_pos != self.stmt_start && matches!(target.kind, ExprKind::Paren(_)) {
            return Err(self.foreign(arrow, "`->` in a lambda", "a lambda is written `\\x: ...`"));
        }
        if start_pos != self.stmt_start {
            return Err(self.report(
                Diagnostic::error(
                    codes::STRAY_UPDATE,
                    arrow,
                    "`->` updates its target and is a statement of its own",
                )
                .help("write the update on its own line, or call the method with `.`"),
            ));
        }
        self.bump();
        self.join();
        let name = self.member("the name of a method")?;
        let args = if self.at(Tok::LParen) {
            self.call_args()?
        } else {
            Vec::new()
        };
        let span = self.span_from(target.span);
        Ok(Expr {
            kind: ExprKind::Update(Box::new(target), name, args),
            span,
        })
    }

    /// Whether the `<` here opens type arguments: a balanced list of types that ends in `>`, in an expression directly
    /// followed by `(`, `.` or `{`.
    pub(crate) fn type_args_follow(&self, in_expr: bool) -> bool {
        let mut angles = 0usize;
        let mut brackets = 0usize;
        for ahead in 0..GENERIC_SCAN {
            let token = self.raw_at(ahead);
            if token.breaks() && !self.in_brackets() && brackets == 0 {
                return false;
            }
            match token.tok {
                Tok::Lt => angles += 1,
                Tok::Gt | Tok::Shr => {
                    let closed = if token.tok == Tok::Gt { 1 } else { 2 };
                    if angles < closed {
                        return false;
                    }
                    angles -= closed;
                    if angles == 0 {
                        let next = self.raw_at(ahead + 1);
                        return brackets == 0
                            && (!in_expr
                                || matches!(next.tok, Tok::LParen | Tok::Dot) && !next.spaced()
                                || next.tok == Tok::LBrace && !next.first());
                    }
                }
                Tok::LBracket | Tok::LParen | Tok::LBrace => brackets += 1,
                Tok::RBracket | Tok::RParen | Tok::RBrace => match brackets.checked_sub(1) {
                    Some(rest) => brackets = rest,
                    None => return false,
                },
                Tok::Ident
                | Tok::Int
                | Tok::Fn
                | Tok::Dot
                | Tok::Comma
                | Tok::Question
                | Tok::QuestionQuestion
                | Tok::Colon
                | Tok::ColonColon
                | Tok::Arrow
                | Tok::DotDot
                | Tok::DotDotEq
                | Tok::Semi => {}
                Tok::Plus | Tok::Minus | Tok::Star | Tok::Slash => {}
                _ => return false,
            }
        }
        false
    }
}

/// What is between the brackets of an index, or between two commas there.
enum Subscript {
    At(Expr),
    Slice(SliceBounds, Span),
    Rest(Span),
}

impl Subscript {
    fn span(&self) -> Span {
        match self {
            Subscript::At(e) => e.span,
            Subscript::Slice(_, span) | Subscript::Rest(span) => *span,
        }
    }

    fn into_expr(self) -> Expr {
        let span = self.span();
        let bounds = match self {
            Subscript::At(e) => return e,
            Subscript::Slice(bounds, _) => Some(Box::new(bounds)),
            Subscript::Rest(_) => None,
        };
        Expr {
            kind: ExprKind::IndexPart(bounds),
            span,
        }
    }
}

/// The dotted name that an expression is.
fn path_of(expr: &Expr) -> Option<Path> {
    let mut segments = Vec::new();
    let mut current = expr;
    loop {
        match &current.kind {
            ExprKind::Name(name) => {
                segments.push(*name);
                segments.reverse();
                return Some(Path { segments });
            }
            ExprKind::Field(object, name, false) => {
                segments.push(*name);
                current = object;
            }
            _ => return None,
        }
    }
}

fn is_path(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Name(_) | ExprKind::Field(_, _, false))
}

fn is_callable(expr: &Expr) -> bool {
    matches!(
        expr.kind,
        ExprKind::Name(_) | ExprKind::Field(..) | ExprKind::Call(_) | ExprKind::Generic(..)
    )
}

/// Whether a `{` after it opens a struct literal: its last name begins with an upper-case letter.
fn names_type(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Generic(target, _) => names_type(target),
        ExprKind::Name(name) => name.name.as_str().starts_with(char::is_uppercase),
        ExprKind::Field(_, name, false) => {
            name.name.as_str().starts_with(char::is_uppercase) && path_of(expr).is_some()
        }
        _ => false,
    }
}
