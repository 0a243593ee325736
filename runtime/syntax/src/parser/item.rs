//! Declarations: what precedes them, functions, aliases.
//!
//! Types, traits and impls have their own file (`item_types.rs`), so have foreign declarations (`item_extern.rs`), imports
//! and exports (`item_use.rs`).

use super::{Caret, PResult, Parser};
use crate::ast::{
    Annotation, Block, Expr, ExprKind, FnDecl, FnKind, Ident, Item, ItemKind, LetKind, Param,
    Pattern, PatternKind, Stmt, StmtKind, TypeExpr, TypeExprKind,
};
use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::lexer::{Layout, Tok};
use crate::span::Span;
use crate::symbol::Symbol;

/// Words before a declaration.
#[derive(Default)]
struct Modifiers {
    public: Option<Span>,
    is_static: Option<Span>,
    is_async: Option<Span>,
}

/// Whether a function may lack its body.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum BodyRule {
    Required,
    Optional,
}

impl Parser<'_> {
    /// Whether a declaration begins here.
    pub(crate) fn at_item(&self) -> bool {
        let next = self.raw_at(1);
        match self.raw().tok {
            Tok::At | Tok::Hash => self.raw().first(),
            Tok::Fn => next.tok != Tok::LParen,
            Tok::Static | Tok::Async => true,
            Tok::Me => !self.at_call_of_self(),
            Tok::Pub
            | Tok::Export
            | Tok::Struct
            | Tok::Class
            | Tok::Enum
            | Tok::Trait
            | Tok::Impl
            | Tok::Mixin
            | Tok::Extern
            | Tok::Use
            | Tok::Import
            | Tok::Mod => true,
            Tok::Ident if next.tok == Tok::Fn => {
                self.text_of(self.raw()) == "sync" && self.raw_at(2).tok == Tok::Ident
            }
            Tok::Ident => {
                next.tok == Tok::Ident
                    && !next.first()
                    && matches!(self.raw_at(2).tok, Tok::Eq | Tok::Lt)
                    && matches!(self.text_of(self.raw()), "type" | "alias")
            }
            _ => false,
        }
    }

    /// A declaration with its annotations and modifiers.
    pub(crate) fn item(&mut self, start: Span, out: &mut Vec<Stmt>) -> PResult<()> {
        let mut docs = self.docs_here();
        let annotations = self.annotations()?;
        if docs.is_none() {
            docs = self.docs_here();
        }
        let mut modifiers = self.modifiers()?;
        let public = modifiers.public.is_some();
        let (kind, inner_docs) = match self.raw().tok {
            Tok::Val | Tok::Var | Tok::Let | Tok::Const if public => {
                self.warn_annotations(&annotations);
                let kind = self.let_stmt()?;
                let span = self.span_from(start);
                let mut names = Vec::new();
                if let StmtKind::Let { pattern, .. } = &kind
                    && let PatternKind::Name(name) = pattern.kind
                {
                    names.push(name);
                }
                out.push(Stmt { kind, span });
                if !names.is_empty() {
                    out.push(Self::export_names(names, span));
                }
                return Ok(());
            }
            Tok::Fn | Tok::Me => {
                let kind = self.fn_kind(&modifiers);
                if kind == FnKind::Me {
                    let message = "`me` is allowed only before a method";
                    let span = self.span();
                    self.report(
                        Diagnostic::error(codes::BAD_MODIFIER, span, message)
                            .help("declare a function with `fn`"),
                    );
                }
                modifiers.is_static = None;
                self.function(kind, modifiers.is_async.is_some(), BodyRule::Required)?
            }
            Tok::Struct | Tok::Class | Tok::Mixin => self.type_decl()?,
            Tok::Enum => self.enum_decl()?,
            Tok::Trait => self.trait_decl()?,
            Tok::Impl => self.impl_decl()?,
            Tok::Extern => self.extern_decl(public)?,
            Tok::Use | Tok::Import if public => (self.export_decl()?, None),
            Tok::Use | Tok::Import => (ItemKind::Use(self.use_decl()?), None),
            Tok::Mod => (self.mod_decl()?, None),
            Tok::Ident if self.at_item() => (self.type_alias()?, None),
            _ if public => (self.export_decl()?, None),
            _ => return Err(self.unexpected("a declaration")),
        };
        if let Some(span) = modifiers.is_static {
            self.report(
                Diagnostic::error(
                    codes::BAD_MODIFIER,
                    span,
                    "`static` is allowed only before a method",
                )
                .help("leave it out"),
            );
        }
        if docs.is_none() {
            docs = inner_docs;
        }
        let item = Item {
            kind,
            public,
            annotations,
            docs,
            span: self.span_from(start),
        };
        let span = item.span;
        out.push(Stmt {
            kind: StmtKind::Item(Box::new(item)),
            span,
        });
        Ok(())
    }

    fn fn_kind(&self, modifiers: &Modifiers) -> FnKind {
        match (self.raw().tok, modifiers.is_static) {
            (Tok::Me, _) => FnKind::Me,
            (_, Some(_)) => FnKind::Static,
            _ => FnKind::Fn,
        }
    }

    /// The doc comment before the current token.
    pub(crate) fn docs_here(&mut self) -> Option<String> {
        self.lexed.docs.remove(&(self.pos as u32))
    }

    /// Annotations before a declaration, each on its line or in front of it.
    pub(crate) fn annotations(&mut self) -> PResult<Vec<Annotation>> {
        let mut annotations = Vec::new();
        loop {
            let start = self.span_of(self.raw());
            match self.raw().tok {
                Tok::At => {
                    self.raw_mut().mark_prefix();
                    self.bump();
                    let annotation = self.annotation(start)?;
                    annotations.push(annotation);
                }
                Tok::Hash => {
                    self.bump();
                    let list = self.bracketed(Tok::LBracket, Tok::RBracket, |p| {
                        p.comma_list(Tok::RBracket, |p| {
                            let start = p.span();
                            p.annotation(start)
                        })
                    })?;
                    annotations.extend(list);
                }
                _ => return Ok(annotations),
            }
            // The declaration is on a line of its own, which belongs to this statement.
            if self.raw().breaks() && self.raw().column == self.block_column() {
                self.lexed.tokens[self.pos].join();
                self.lexed.layout.push(Layout::Line(self.pos as u32));
            }
        }
    }

    fn annotation(&mut self, start: Span) -> PResult<Annotation> {
        let mut name = self.member("the name of an annotation")?;
        if name.name.as_str() == "lib" {
            name.name = Symbol::intern("Lib");
        }
        let mut args = Vec::new();
        if self.at(Tok::LParen) && !self.raw().first() {
            for arg in self.call_args()? {
                args.push((arg.label, arg.value));
            }
        }
        Ok(Annotation {
            name,
            args,
            span: self.span_from(start),
        })
    }

    /// Warns about annotations before something that has none.
    pub(crate) fn warn_annotations(&mut self, annotations: &[Annotation]) {
        for annotation in annotations {
            self.report(Diagnostic::warning(
                codes::NO_EFFECT,
                annotation.span,
                format!(
                    "the annotation `{}` has no effect here",
                    annotation.name.name
                ),
            ));
        }
    }

    fn modifiers(&mut self) -> PResult<Modifiers> {
        let mut modifiers = Modifiers::default();
        loop {
            let span = self.span_of(self.raw());
            let slot = match self.raw().tok {
                Tok::Pub => {
                    self.bump();
                    if self.at(Tok::LParen) {
                        self.bracketed(Tok::LParen, Tok::RParen, |p| {
                            p.member("`package`, `friend`, `peer` or `up`")
                        })?;
                    }
                    &mut modifiers.public
                }
                Tok::Export if modifiers.public.is_none() => {
                    self.bump();
                    &mut modifiers.public
                }
                Tok::Static => {
                    self.bump();
                    &mut modifiers.is_static
                }
                Tok::Async => {
                    self.bump();
                    &mut modifiers.is_async
                }
                Tok::Ident
                    if matches!(self.text_of(self.raw()), "sync" | "private")
                        && self.raw_at(1).tok == Tok::Fn =>
                {
                    let word = self.text_of(self.raw());
                    self.bump();
                    self.report(Diagnostic::warning(
                        codes::NO_EFFECT,
                        span,
                        format!("`{word}` before a function has no effect"),
                    ));
                    continue;
                }
                _ => return Ok(modifiers),
            };
            if slot.replace(span).is_some() {
                self.report(Diagnostic::error(
                    codes::BAD_MODIFIER,
                    span,
                    "this word is repeated",
                ));
            }
        }
    }

    /// A method in the body of a type, trait or impl.
    pub(crate) fn method(&mut self, rule: BodyRule) -> PResult<Item> {
        let start = self.span_of(self.raw());
        let mut docs = self.docs_here();
        let annotations = self.annotations()?;
        if docs.is_none() {
            docs = self.docs_here();
        }
        let modifiers = self.modifiers()?;
        if !matches!(self.raw().tok, Tok::Fn | Tok::Me) {
            return Err(self.unexpected_as(codes::BAD_MEMBER, "a method"));
        }
        let kind = self.fn_kind(&modifiers);
        let (mut kind, inner) = self.function(kind, modifiers.is_async.is_some(), rule)?;
        if let ItemKind::Fn(decl) = &mut kind {
            self.foreign_method_name(&mut decl.name);
        }
        Ok(Item {
            kind,
            public: modifiers.public.is_some(),
            annotations,
            docs: docs.or(inner),
            span: self.span_from(start),
        })
    }

    /// A function from its `fn` or `me`, or `fn new_name = old_name`.
    fn function(
        &mut self,
        kind: FnKind,
        is_async: bool,
        rule: BodyRule,
    ) -> PResult<(ItemKind, Option<String>)> {
        // Counts twice, with its body: a level of nested functions takes much stack.
        self.nested(|p| p.function_rest(kind, is_async, rule))
    }

    #[inline(never)]
    fn function_rest(
        &mut self,
        kind: FnKind,
        is_async: bool,
        rule: BodyRule,
    ) -> PResult<(ItemKind, Option<String>)> {
        let start = self.span_of(self.raw());
        let word = self.bump();
        if word.tok == Tok::Me && self.at(Tok::Fn) {
            self.bump();
        }
        match self.function_head(start, kind, is_async) {
            Ok(Head::Alias(item)) => Ok((item, None)),
            Ok(Head::Fn(mut decl)) => {
                let docs = self.function_body(&mut decl, rule)?;
                match decl.body {
                    Some(_) => copy_params(&mut decl),
                    None => self.warn_copied(&decl.params),
                }
                Ok((ItemKind::Fn(decl), docs))
            }
            Err(failed) => {
                // The head is broken; its body is still checked.
                self.contexts.truncate(self.block_level());
                if self.recover_to_body() {
                    self.indented_block()?;
                }
                Err(failed)
            }
        }
    }

    /// How many contexts there are up to the innermost block.
    fn block_level(&self) -> usize {
        let last = self
            .contexts
            .iter()
            .rposition(|ctx| matches!(ctx, super::layout::Ctx::Block(_)));
        last.map_or(0, |index| index + 1)
    }

    fn function_head(&mut self, start: Span, kind: FnKind, is_async: bool) -> PResult<Head> {
        let name = self.function_name()?;
        if self.eat(Tok::Eq) {
            return Ok(Head::Alias(ItemKind::FnAlias {
                name,
                target: self.path()?,
            }));
        }
        let generics = self.generics()?;
        let (params, explicit_self) = self.method_params()?;
        let ret = self.return_type()?;
        let where_clauses = self.where_clauses()?;
        Ok(Head::Fn(FnDecl {
            kind,
            name,
            generics,
            params,
            explicit_self,
            ret,
            where_clauses,
            body: None,
            is_async,
            is_generator: false,
            exported: false,
            head: self.span_from(start),
        }))
    }

    /// `-> T`, or nothing.
    pub(super) fn return_type(&mut self) -> PResult<Option<TypeExpr>> {
        if !self.eat(Tok::Arrow) {
            return self.foreign_result();
        }
        self.declared_type().map(Some)
    }

    pub(super) fn function_body(
        &mut self,
        decl: &mut FnDecl,
        rule: BodyRule,
    ) -> PResult<Option<String>> {
        if self.at_end() && !(self.block_is_below() && rule == BodyRule::Required) {
            if rule == BodyRule::Required {
                self.report(
                    Diagnostic::error(
                        codes::MISSING_BODY,
                        decl.head,
                        format!("the function `{}` has no body", decl.name.name),
                    )
                    .found_expected(self.found(), "`:` and a body")
                    .help("only a trait may leave a body out; write `: pass` for one that does nothing"),
                );
                decl.body = Some(Block {
                    stmts: Vec::new(),
                    span: self.prev_span().end(),
                });
            }
            return Ok(None);
        }
        if self.at(Tok::Eq) {
            let span = self.span();
            return Err(self.foreign(
                span,
                "`=` before a body",
                "write `:` before the body of a function",
            ));
        }
        let saved = (self.placeholders, self.caret, self.yields);
        (self.placeholders, self.caret, self.yields) = (0, Caret::Xor, false);
        let mut opened = false;
        if decl.ret.is_none() {
            decl.ret = self.result_after_colon()?;
            opened = decl.ret.is_some() && !self.at(Tok::Colon);
        }
        let on_line = self.at(Tok::Colon) && !self.line_ends_at(1);
        let of_what = format!("the function `{}`", decl.name.name);
        let body = match opened {
            true => self.body_after_colon(&of_what),
            false => self.body(&of_what),
        };
        decl.is_generator = self.yields;
        (self.placeholders, self.caret, self.yields) = saved;
        let mut body = body?;
        let docs = if on_line {
            None
        } else {
            self.function_docs(&mut body, decl.ret.as_ref())
        };
        decl.body = Some(body);
        Ok(docs)
    }

    /// The docstring of a function. A lone string is the result if the function has one: if it says so, or if the
    /// string is an ordinary one.
    fn function_docs(&mut self, body: &mut Block, ret: Option<&TypeExpr>) -> Option<String> {
        let first = body.stmts.first()?;
        let is_triple = self.source[first.span.lo as usize..].starts_with("\"\"\"");
        let yields = match ret {
            Some(ty) => !matches!(ty.kind, TypeExprKind::Unit),
            None => !is_triple,
        };
        self.take_docstring(body, yields)
    }

    /// The name of a function; a keyword is one when parameters follow it.
    pub(super) fn function_name(&mut self) -> PResult<Ident> {
        if self.kind().is_keyword() && matches!(self.raw_at(1).tok, Tok::LParen | Tok::Lt) {
            return Ok(self.take_ident());
        }
        self.ident("the name of the function")
    }

    /// Parameters; a leading `self` or `mut self` is taken off.
    fn method_params(&mut self) -> PResult<(Vec<Param>, bool)> {
        let mut explicit_self = false;
        let params = self.bracketed(Tok::LParen, Tok::RParen, |p| {
            let is_mut = p.at(Tok::Mut) && p.raw_at(1).tok == Tok::SelfKw;
            let is_ref = p.at(Tok::Amp);
            if p.at(Tok::SelfKw) || is_mut || is_ref {
                if is_ref {
                    let span = p.span();
                    p.foreign(
                        span,
                        "`&self`",
                        "leave it out: methods have `self` without saying so",
                    );
                    p.bump();
                    p.eat(Tok::Mut);
                } else if is_mut {
                    p.bump();
                }
                explicit_self = true;
                p.expect(Tok::SelfKw, "as the first parameter")?;
                if !p.eat(Tok::Comma) {
                    return Ok(Vec::new());
                }
            }
            p.comma_list(Tok::RParen, |p| p.param(Self::declared_type, Self::expr))
        })?;
        // What follows the first one can only be given by name.
        for param in params.iter().filter(|param| param.variadic).skip(1) {
            self.second_rest(param.name, "parameter");
        }
        Ok((params, explicit_self))
    }

    /// Reports a parameter or field with `...` after another one.
    pub(crate) fn second_rest(&mut self, name: Ident, noun: &str) {
        let message = format!("only one {noun} can collect the rest of the arguments");
        self.report(
            Diagnostic::error(codes::BAD_MODIFIER, name.span, message)
                .help("make it an array: `xs: [T]`"),
        );
    }

    /// `type A = B`, `alias A = B`.
    fn type_alias(&mut self) -> PResult<ItemKind> {
        self.bump();
        let name = self.ident("the name of the type")?;
        let generics = self.generics()?;
        self.expect_joining(Tok::Eq, "and a type")?;
        let ty = self.declared_type()?;
        Ok(ItemKind::TypeAlias { name, generics, ty })
    }

    /// `mod name`.
    fn mod_decl(&mut self) -> PResult<ItemKind> {
        let start = self.span();
        self.bump();
        let name = self.ident("the name of the module")?;
        if self.at(Tok::Colon) || self.at(Tok::LBrace) {
            let span = self.span_from(start);
            return Err(self.not_supported(
                span,
                "modules inside a file are",
                "put the module in a separate file",
            ));
        }
        Ok(ItemKind::Mod(name))
    }
}

/// What `fn name` turned out to begin.
enum Head {
    Alias(ItemKind),
    Fn(FnDecl),
}

/// Gives the body a variable for each parameter that says `var`.
pub(super) fn copy_params(decl: &mut FnDecl) {
    let Some(body) = &mut decl.body else { return };
    let copied = decl.params.iter().filter(|param| param.copied);
    let copies = copied.map(|param| {
        let span = param.name.span;
        Stmt {
            kind: StmtKind::Let {
                kind: LetKind::Var,
                pattern: Pattern {
                    kind: PatternKind::Name(param.name),
                    span,
                },
                ty: None,
                value: Some(Expr {
                    kind: ExprKind::Name(param.name),
                    span,
                }),
            },
            span,
        }
    });
    body.stmts.splice(0..0, copies.collect::<Vec<_>>());
}
