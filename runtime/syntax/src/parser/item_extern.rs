//! Foreign declarations: `extern fn`, `extern val`, `extern var` and `extern type`.
//!
//! Leaves out which types can cross: the checker knows (`sema/externs.rs`).

use super::item::{BodyRule, copy_params};
use super::{PResult, Parser};
use crate::ast::{ExternFnDecl, ExternVarDecl, FnDecl, FnKind, Ident, ItemKind, Param, TypeExpr};
use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::lexer::Tok;
use crate::span::Span;

impl Parser<'_> {
    /// `extern fn name(p: T, out q: U, ...) -> R`, `extern val name: T`, `extern type Name`; after `export` also
    /// `extern fn name(p: T) -> R: ...`, a function that C calls, with the comment at its beginning.
    pub(super) fn extern_decl(&mut self, exported: bool) -> PResult<(ItemKind, Option<String>)> {
        self.bump();
        if self.at_word("type") {
            self.bump();
            let name = self.ident("the name of the foreign type")?;
            return Ok((ItemKind::ExternType(name), None));
        }
        if matches!(self.kind(), Tok::Val | Tok::Var) {
            return Ok((self.extern_variable()?, None));
        }
        let start = self.span();
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
        if exported && self.at(Tok::Colon) {
            return self.exported_function(start, (name, params, variadic), ret);
        }
        self.warn_copied(&params);
        if self.at(Tok::Colon) {
            let span = self.span();
            let message = "a foreign function cannot have a body";
            let d = Diagnostic::error(codes::BAD_EXTERN, span, message);
            self.report(d.help(
                "leave the body out for a function of C, or write `export extern fn` for one that C calls",
            ));
            self.body("the foreign function")?;
        }
        let decl = ExternFnDecl {
            name,
            params,
            variadic,
            ret,
        };
        Ok((ItemKind::ExternFn(decl), None))
    }

    /// The rest of a function that C calls, from its `:`.
    fn exported_function(
        &mut self,
        start: Span,
        (name, params, variadic): (Ident, Vec<Param>, Option<Span>),
        ret: Option<TypeExpr>,
    ) -> PResult<(ItemKind, Option<String>)> {
        let outs = params.iter().filter(|param| param.out);
        let outs = outs.map(|param| {
            let help = "take a `Ptr<T>`, and `write` to it";
            (param.name.span, "`out` parameters", help)
        });
        let dots = variadic.map(|dots| {
            let help = "take an array `[T]`: C passes its address and how many elements there are";
            (dots, "a variable number of arguments", help)
        });
        for (span, what, help) in outs.chain(dots).collect::<Vec<_>>() {
            let message = format!("a function that C calls cannot have {what}");
            self.report(Diagnostic::error(codes::BAD_EXTERN, span, message).help(help));
        }
        let mut decl = FnDecl {
            kind: FnKind::Fn,
            name,
            generics: Vec::new(),
            params,
            explicit_self: false,
            ret,
            where_clauses: Vec::new(),
            body: None,
            is_async: false,
            is_generator: false,
            exported: true,
            head: self.span_from(start),
        };
        let docs = self.function_body(&mut decl, BodyRule::Required)?;
        copy_params(&mut decl);
        Ok((ItemKind::Fn(decl), docs))
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
