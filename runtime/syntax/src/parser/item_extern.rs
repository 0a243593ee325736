//! Foreign declarations: `extern fn`, `extern val`, `extern var` and `extern type`.
//!
//! Leaves out which types can cross: the checker knows (`sema/externs.rs`).

use super::{PResult, Parser};
use crate::ast::{ExternFnDecl, ExternVarDecl, ItemKind, Param};
use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::lexer::Tok;
use crate::span::Span;

impl Parser<'_> {
    /// `extern fn name(p: T, out q: U, ...) -> R`, `extern val name: T`, `extern type Name`.
    pub(super) fn extern_decl(&mut self) -> PResult<ItemKind> {
        self.bump();
        if self.at_word("type") {
            self.bump();
            return Ok(ItemKind::ExternType(
                self.ident("the name of the foreign type")?,
            ));
        }
        if matches!(self.kind(), Tok::Val | Tok::Var) {
            return self.extern_variable();
        }
        self.expect(Tok::Fn, "or one of `type`, `val` and `var` after `extern`")?;
        let name = self.function_name()?;
        if self.at(Tok::Lt) {
            let span = self.span();
            self.bad_extern(span, "type parameters");
            self.generics()?;
        }
        let (params, variadic) = self.extern_params()?;
        for param in &params {
            if let Some(default) = &param.default {
                self.bad_extern(default.span, "default values");
            } else if param.variadic {
                self.bad_extern(param.name.span, "variable numbers of arguments of one type");
            } else if param.ty.is_none() {
                self.report(
                    Diagnostic::error(
                        codes::BAD_EXTERN,
                        param.name.span,
                        "a foreign parameter needs its type",
                    )
                    .help(format!(
                        "write `{}: i64` or what the library expects",
                        param.name.name
                    )),
                );
            }
        }
        let ret = self.return_type()?;
        if self.at(Tok::Colon) {
            let span = self.span();
            self.bad_extern(span, "a body");
            self.body("the foreign function")?;
        }
        Ok(ItemKind::ExternFn(ExternFnDecl {
            name,
            params,
            variadic,
            ret,
        }))
    }

    /// `(p: T, out q: U, ...)`; a parameter may be called `out`.
    fn extern_params(&mut self) -> PResult<(Vec<Param>, Option<Span>)> {
        let mut variadic: Option<Span> = None;
        let params = self.bracketed(Tok::LParen, Tok::RParen, |p| {
            p.comma_list(Tok::RParen, |p| {
                let start = p.span();
                if p.eat(Tok::Ellipsis) {
                    variadic = Some(start);
                    return Ok(None);
                }
                if let Some(dots) = variadic {
                    p.report(
                        Diagnostic::error(
                            codes::BAD_EXTERN,
                            dots,
                            "`...` comes after all parameters",
                        )
                        .help("move it to the end"),
                    );
                }
                let out = p.at_word("out") && p.ahead(1) == Tok::Ident;
                if out {
                    p.bump();
                }
                let param = p.param(Self::declared_type, Self::expr)?;
                Ok(Some(Param { out, ..param }))
            })
        })?;
        Ok((params.into_iter().flatten().collect(), variadic))
    }

    /// `extern val name: T`, `extern var name: T`.
    fn extern_variable(&mut self) -> PResult<ItemKind> {
        let mutable = self.bump().tok == Tok::Var;
        let name = self.ident("the name of the foreign variable")?;
        self.expect(Tok::Colon, "and the type of the foreign variable")?;
        let ty = self.declared_type()?;
        if self.at(Tok::Eq) {
            let span = self.span();
            self.bump();
            self.expr()?;
            self.report(
                Diagnostic::error(
                    codes::BAD_EXTERN,
                    span,
                    "a foreign variable has the value that its library gives it",
                )
                .help("leave the value out"),
            );
        }
        Ok(ItemKind::ExternVar(ExternVarDecl { name, ty, mutable }))
    }

    fn bad_extern(&mut self, span: Span, what: &str) {
        self.report(
            Diagnostic::error(
                codes::BAD_EXTERN,
                span,
                format!("a foreign function cannot have {what}"),
            )
            .help("declare the bare signature, and wrap it in a `fn` for the rest"),
        );
    }
}
