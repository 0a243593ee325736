//! Slips of grammar that come from other languages: each is reported once and read as what was meant, so that what
//! follows is not a further mistake.
//!
//! Leaves out words (`hints.rs`) and names that mean nothing (`sema::suggest`).

use super::{Failed, PResult, Parser};
use crate::ast::{
    CompareOp, Expr, ExprKind, FieldDecl, FnDecl, Ident, Param, Takes, TypeExpr, TypeExprKind,
    UnaryOp,
};
use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::lexer::Tok;
use crate::span::Span;
use crate::symbol::Symbol;

/// A piece of the program is repeated in advice only up to this many letters.
const QUOTED: usize = 40;

impl Parser<'_> {
    /// Whether a parenthesis opens here that closes on the same line.
    pub(super) fn parentheses_close_here(&self) -> bool {
        if !self.at(Tok::LParen) {
            return false;
        }
        let mut open = 0usize;
        for ahead in 0.. {
            match self.raw_at(ahead).tok {
                Tok::LParen => open += 1,
                Tok::RParen => open -= 1,
                _ => {}
            }
            if open == 0 || self.line_ends_at(ahead + 1) {
                break;
            }
        }
        open == 0
    }

    /// Reports `struct A(i64)` and `struct A(x: i64)`, and reads over them.
    pub(super) fn fields_in_parentheses(&mut self, name: Ident) -> Failed {
        let start = self.span();
        self.skip_brackets(Tok::LParen, Tok::RParen);
        self.broken.push(name.name);
        let message = "the fields of a struct are below its head";
        let span = self.span_from(start);
        self.report(
            Diagnostic::error(codes::BAD_MEMBER, span, message).help(format!(
                "write `struct {}:`, and below it, indented, a line for each field: `value: i64`",
                name.name
            )),
        )
    }

    /// Reports `class A(B)`, `class A extends B` and `class A: B:`, and reads over the bases.
    pub(super) fn inheritance(&mut self, name: Ident) -> PResult<()> {
        let start = self.span();
        let bases = if self.at(Tok::LParen) {
            self.bracketed(Tok::LParen, Tok::RParen, |p| {
                p.comma_list(Tok::RParen, |p| p.type_expr())
            })?
        } else if self.at_word("extends") || self.base_behind_colon() {
            self.bump();
            vec![self.type_expr()?]
        } else {
            return Ok(());
        };
        // What it would have inherited is not reported as missing.
        self.broken.push(name.name);
        let base = bases
            .first()
            .map(|base| self.source[base.span.lo as usize..base.span.hi as usize].to_string());
        let span = self.span_from(start);
        let help = match base {
            Some(base) if base.rsplit('.').next() == Some("Module") => format!(
                "a network is a class with the trait `Layer`: `class {} with Layer:`, after `use lib.nn.{{Layer}}`",
                name.name
            ),
            Some(base) => format!(
                "hold a field `base: {base}`, or share methods with `trait {base}` or `mixin {base}` and `class {} \
                 with {base}:`",
                name.name
            ),
            None => format!("write `class {}:`", name.name),
        };
        self.report(
            Diagnostic::error(codes::INHERITANCE, span, "classes do not inherit")
                .note("use a field (composition), a `trait` for a common interface, a `mixin` for common members")
                .help(help),
        );
        Ok(())
    }

    /// Whether `: B:` is here, as other languages write a base class.
    fn base_behind_colon(&self) -> bool {
        self.at(Tok::Colon)
            && !self.line_ends_at(1)
            && self.raw_at(1).tok == Tok::Ident
            && self.raw_at(2).tok == Tok::Colon
            && self.line_ends_at(3)
    }

    /// Reports a slip that `replacement` in the place of `span` puts right.
    fn slip(&mut self, span: Span, message: &str, help: &str, replacement: &str) -> Failed {
        self.report(
            Diagnostic::error(codes::FOREIGN_SPELLING, span, message)
                .help(help)
                .fix(span, replacement),
        )
    }

    /// The source text of `span` if it is short enough to be shown, or else `instead`.
    pub(super) fn quoted<'t>(&'t self, span: Span, instead: &'t str) -> &'t str {
        let text = &self.source[span.lo as usize..span.hi as usize];
        match text.len() <= QUOTED && !text.contains('\n') {
            true => text,
            false => instead,
        }
    }

    /// `x |= 2` and its like, with the operator read and the `=` next.
    pub(crate) fn compound_assignment(&mut self, place: &Expr, op: Span) -> Failed {
        let span = op.to(self.span());
        let name = self.quoted(place.span, "x").to_string();
        let op = self.quoted(op, "").to_string();
        if matches!(op.as_str(), "|" | "&" | "^" | "<<" | ">>" | "@" | "??") {
            return self.report(
                Diagnostic::error(codes::UNEXPECTED, span, "an assignment has no value")
                    .found_expected(format!("`{op}=`"), "an operator")
                    .help(format!(
                        "write `{name} {op}= ...` on a line of its own, or `{name} {op} ...`"
                    )),
            );
        }
        self.foreign(
            span,
            &format!("`{op}=`"),
            &format!("write `{name} = {name} {op} ...`"),
        )
    }

    /// What follows `is`: a type, or `nil` and `not T` as Python has them.
    pub(crate) fn is_rest(&mut self, lhs: Box<Expr>, word: Span) -> PResult<ExprKind> {
        let negated = self.at(Tok::Not);
        if !negated && !self.at(Tok::Nil) {
            return Ok(ExprKind::Is(lhs, Box::new(self.type_in_expr()?)));
        }
        let mut span = word;
        if negated {
            span = span.to(self.span());
            self.bump();
        }
        if self.at(Tok::Nil) || self.at_word("None") {
            let (op, sign) = match negated {
                true => (CompareOp::Ne, "!="),
                false => (CompareOp::Eq, "=="),
            };
            let name = self.quoted(lhs.span, "x");
            let help = format!("write `{name} {sign} nil`");
            self.slip(span, "`nil` is a value, and `is` tests a type", &help, sign);
            let nil = self.bump();
            let nil = Expr {
                kind: ExprKind::Nil,
                span: self.span_of(nil),
            };
            return Ok(ExprKind::Compare(lhs, vec![(op, span, nil)]));
        }
        let ty = Box::new(self.type_in_expr()?);
        let whole = self.span_from(lhs.span);
        let test = Expr {
            span: whole,
            kind: ExprKind::Is(lhs, ty),
        };
        let name = self.quoted(test.span, "x is T").replacen("is not", "is", 1);
        self.foreign(span, "`is not`", &format!("write `not ({name})`"));
        Ok(ExprKind::Unary(UnaryOp::Not, Box::new(test)))
    }

    /// `assert(condition, message)`: the parentheses are taken off.
    pub(crate) fn assert_in_parens(&mut self, cond: Expr) -> (Expr, Option<Expr>) {
        let ExprKind::Tuple(members) = cond.kind else {
            return (cond, None);
        };
        let inner = match &members[..] {
            [(_, first), .., (_, last)] => first.span.to(last.span),
            _ => cond.span,
        };
        let text = self.quoted(inner, "condition, message").to_string();
        self.slip(
            cond.span,
            "`assert` takes its condition and its message without parentheses",
            &format!("write `assert {text}`"),
            &format!(" {}", &self.source[inner.lo as usize..inner.hi as usize]),
        );
        let mut members = members.into_iter().map(|(_, member)| member);
        let cond = members.next().unwrap_or(Self::error_expr(inner));
        (cond, members.next())
    }

    /// `x i64` and `i64 x` for `x: i64`, with `name` read.
    pub(crate) fn type_without_colon(
        &mut self,
        name: &mut Ident,
        ty: fn(&mut Self) -> PResult<TypeExpr>,
    ) -> PResult<Option<TypeExpr>> {
        if !matches!(self.kind(), Tok::Ident | Tok::LBracket) {
            return Ok(None);
        }
        let first = *name;
        let swapped = self.at(Tok::Ident) && super::lambda::is_small_type(first.name.as_str());
        let ty = if swapped {
            self.pos -= 1;
            let ty = self.type_expr()?;
            *name = self.take_ident();
            ty
        } else {
            ty(self)?
        };
        let wanted = format!(
            "{}: {}",
            name.name,
            &self.source[ty.span.lo as usize..ty.span.hi as usize]
        );
        let whole = first.span.to(self.prev_span());
        let message = "a type is written after the name and a `:`";
        self.slip(whole, message, &format!("write `{wanted}`"), &wanted);
        Ok(Some(ty))
    }

    /// `fn f() i64:` and `fn f() => i64:`, where `-> i64` is missing.
    pub(crate) fn foreign_result(&mut self) -> PResult<Option<TypeExpr>> {
        let arrow = self.at(Tok::FatArrow);
        let bare = self.at(Tok::Ident) && !self.at_word("where") || self.at(Tok::LBracket);
        if !arrow && !bare {
            return Ok(None);
        }
        let (span, replacement) = match arrow {
            true => (self.span(), "->"),
            false => (self.prev_span().end(), " ->"),
        };
        if arrow {
            self.bump();
        }
        let ty = self.declared_type()?;
        if arrow && !self.at(Tok::Colon) {
            return Err(self.foreign(
                span,
                "`=>` before a body",
                "write `:` before the body of a function",
            ));
        }
        let help = format!("write `-> {}`", self.quoted(ty.span, "T"));
        self.slip(span, RESULT_TYPE, &help, replacement);
        Ok(Some(ty))
    }

    /// `fn f(x: i64): i64` with the body below or after another `:`; yields the type, and whether a body is still to be read from its `:`.
    pub(crate) fn result_after_colon(&mut self) -> PResult<Option<TypeExpr>> {
        if !self.at(Tok::Colon) {
            return Ok(None);
        }
        let Some(end) = self.parameter_type_end(1) else {
            return Ok(None);
        };
        let next = self.raw_at(end);
        let body_below = next.breaks() && next.column > self.block_column();
        let same_line = !(1..=end).any(|ahead| self.raw_at(ahead).breaks());
        if !(body_below && next.tok != Tok::Eof || same_line && next.tok == Tok::Colon) {
            return Ok(None);
        }
        let colon = self.span();
        self.bump();
        let ty = self.declared_type()?;
        let help = format!("write `-> {}`", self.quoted(ty.span, "T"));
        self.slip(colon, RESULT_TYPE, &help, " ->");
        Ok(Some(ty))
    }

    /// The bracket that closes the type parameters that begin here, if any do: `>`, or `]` as other languages have it.
    pub(crate) fn open_generics(&mut self) -> Option<Tok> {
        if self.at(Tok::Lt) {
            self.raw_mut().mark_bracket();
            self.bump();
            return Some(Tok::Gt);
        }
        let after_name = self.pos > 0 && self.lexed.tokens[self.pos - 1].tok == Tok::Ident;
        if !after_name || !self.at(Tok::LBracket) || self.raw().spaced() {
            return None;
        }
        self.bump();
        Some(Tok::RBracket)
    }

    /// Reports the type parameters at `span`, which are in square brackets.
    pub(crate) fn square_generics(&mut self, span: Span) {
        let inner = &self.source[span.lo as usize + 1..span.hi as usize - 1];
        let wanted = format!("<{inner}>");
        let message = "type parameters are written between `<` and `>`";
        self.slip(span, message, &format!("write `{wanted}`"), &wanted);
    }

    /// A letter glued to a string, as in Python's `b"..."` and `f'...'`: reported, and the string is read.
    pub(crate) fn foreign_prefix(&mut self) -> PResult<Option<Expr>> {
        let (token, next) = (self.raw(), self.raw_at(1));
        if next.tok != Tok::Text || next.spaced() || next.first() {
            return Ok(None);
        }
        let prefix = self.text_of(token);
        let help = match prefix.to_ascii_lowercase().as_str() {
            "f" => "write values in double quotes, without a letter before them: `\"{x}\"`",
            "b" => "leave it out; `\"...\".bytes()` gives the bytes of a text",
            "u" => "leave it out: every text is Unicode",
            "r" | "rb" | "br" | "fr" | "rf" => {
                "write `r\"...\"` for a text without escapes and holes"
            }
            _ => return Ok(None),
        };
        let span = self.span_of(token);
        self.foreign(span, &format!("the prefix `{prefix}`"), help);
        self.bump();
        self.text_expr().map(Some)
    }

    /// `fn __str__()`: a method that another language calls by itself gets the name that it has here.
    pub(crate) fn foreign_method_name(&mut self, name: &mut Ident) {
        let Some(known) = special_method(name.name.as_str()) else {
            return;
        };
        let found = format!("`{}`", name.name);
        self.foreign(name.span, &found, &format!("write `{known}`"));
        name.name = Symbol::intern(known);
    }

    /// Reports `fn __init__(self, x: T): ...` of a type; the fields that it would set, so that their uses are not reported as well.
    pub(crate) fn fields_of_constructor(&mut self, decl: &FnDecl) -> Vec<FieldDecl> {
        let fields: Vec<String> = (decl.params.iter())
            .map(|param| match &param.ty {
                Some(ty) => format!("{}: {}", param.name.name, self.quoted(ty.span, "T")),
                None => format!("{}: T", param.name.name),
            })
            .collect();
        let help = match fields.is_empty() {
            true => "declare the fields in the body of the type, with defaults: `count: i64 = 0`"
                .to_owned(),
            false => format!(
                "declare the fields in the body of the type, each on a line: `{}`; calling the type sets them, and a `static fn init(...) -> Self` can do more",
                fields.join("`, `")
            ),
        };
        self.foreign(decl.name.span, "`__init__`", &help);
        let field = |param: &Param| FieldDecl {
            name: param.name,
            ty: param.ty.clone().unwrap_or(TypeExpr {
                kind: TypeExprKind::Error,
                span: param.name.span,
            }),
            default: param.default.clone(),
            variadic: param.takes() == Takes::RestOrArray,
            weak: false,
            private: false,
            immutable: false,
            annotations: Vec::new(),
            docs: None,
        };
        decl.params.iter().map(field).collect()
    }

    /// `{x!r}` in a string, with `x!` read; says whether it was there.
    pub(crate) fn foreign_conversion(&mut self) -> bool {
        let bang = self.pos > 0 && self.lexed.tokens[self.pos - 1].tok == Tok::Bang;
        let letter = self.text_of(self.raw());
        let here = bang && self.at(Tok::Ident) && matches!(letter, "r" | "s" | "a");
        if !here {
            return false;
        }
        let span = self.prev_span().to(self.span());
        let written = format!("`!{letter}`");
        self.foreign(
            span,
            &written,
            "leave it out; a format is written after a colon: `{x:>8}`",
        );
        self.bump();
        true
    }
}

const RESULT_TYPE: &str = "the type of the result is written after `->`";

/// Whether a method is the constructor of Python.
pub(crate) fn is_constructor(decl: &FnDecl) -> bool {
    decl.name.name.as_str() == "__init__"
}

/// What a method is called here that Python calls by itself. `__enter__` and `__exit__` are called so here, too.
fn special_method(name: &str) -> Option<&'static str> {
    Some(match name {
        "__str__" | "__repr__" => "to_string",
        "__len__" => "len",
        "__eq__" => "eq",
        "__lt__" => "lt",
        "__le__" => "le",
        "__gt__" => "gt",
        "__ge__" => "ge",
        "__add__" => "add",
        "__sub__" => "sub",
        "__mul__" => "mul",
        "__truediv__" | "__floordiv__" => "div",
        "__mod__" => "rem",
        "__pow__" => "pow",
        "__matmul__" => "matmul",
        "__neg__" => "neg",
        "__getitem__" => "get",
        "__setitem__" => "set",
        "__contains__" => "contains",
        "__call__" => "call",
        "__iter__" => "iter",
        "__next__" => "next",
        "__del__" => "drop",
        _ => return None,
    })
}
