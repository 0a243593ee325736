//! `struct`, `class`, `mixin`, `enum`, `trait` and `impl`.

use super::foreign::is_constructor;
use super::item::BodyRule;
use super::{PResult, Parser};
use crate::ast::{
    EnumDecl, FieldDecl, Ident, ImplDecl, Item, ItemKind, Path, PayloadDecl, TraitDecl, TypeArg,
    TypeDecl, TypeExpr, TypeExprKind, VariantDecl,
};
use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::lexer::Tok;
use crate::span::Span;

/// One line of the body of a type, trait or impl.
enum Member {
    Docs(String),
    Field(FieldDecl),
    /// What a constructor of another language stands for.
    Fields(Vec<FieldDecl>),
    Variant(VariantDecl),
    Method(Item),
    Forward(Path, Ident),
    /// `use Mixin`.
    With(Vec<(Path, Vec<TypeArg>)>),
    Assoc(Ident, Option<TypeExpr>),
    Nothing,
}

/// What a body belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Owner {
    Type,
    Enum,
    Trait,
    Impl,
}

impl Owner {
    fn noun(self) -> &'static str {
        match self {
            Owner::Type => "the type",
            Owner::Enum => "the enum",
            Owner::Trait => "the trait",
            Owner::Impl => "the impl",
        }
    }

    fn members(self) -> &'static str {
        match self {
            Owner::Type => "a field `name: T` or a method",
            Owner::Enum => "a variant or a method",
            Owner::Trait => "a method or `type Name`",
            Owner::Impl => "a method or `type Name = T`",
        }
    }
}

impl Parser<'_> {
    /// `struct`, `class` or `mixin`.
    pub(crate) fn type_decl(&mut self) -> PResult<(ItemKind, Option<String>)> {
        let word = self.bump();
        let name = self.ident("the name of the type")?;
        let generics = self.generics()?;
        if word.tok == Tok::Struct && self.parentheses_close_here() {
            return Err(self.fields_in_parentheses(name));
        }
        self.inheritance(name)?;
        let mut with = Vec::new();
        if self.eat(Tok::With) || self.eat_word("implements") {
            self.with_list(&mut with)?;
        }
        let where_clauses = self.where_clauses()?;
        let members = self.members_of(Owner::Type, name)?;
        let mut decl = TypeDecl {
            name,
            generics,
            where_clauses,
            with,
            fields: Vec::new(),
            methods: Vec::new(),
            forwards: Vec::new(),
        };
        let mut docs = None;
        for member in members {
            match member {
                Member::Docs(text) => docs = docs.or(Some(text)),
                Member::Field(field) => {
                    if field.variadic && decl.fields.iter().any(|other| other.variadic) {
                        self.second_rest(field.name, "field");
                    }
                    decl.fields.push(field);
                }
                Member::Fields(fields) => decl.fields.extend(fields),
                Member::Method(method) => decl.methods.push(method),
                Member::Forward(path, field) => decl.forwards.push((path, field)),
                Member::With(mixins) => decl.with.extend(mixins),
                Member::Variant(_) | Member::Assoc(..) | Member::Nothing => {}
            }
        }
        let kind = match word.tok {
            Tok::Struct => ItemKind::Struct(decl),
            Tok::Mixin => ItemKind::Mixin(decl),
            _ => ItemKind::Class(decl),
        };
        Ok((kind, docs))
    }

    /// The members of a type; one that lacks some, because they could not be read, is noted as broken.
    fn members_of(&mut self, owner: Owner, name: Ident) -> PResult<Vec<Member>> {
        let problems = self.diagnostics.len();
        let members = self.members(owner)?;
        if self.diagnostics.len() > problems {
            self.broken.push(name.name);
        }
        Ok(members)
    }

    /// What a type is declared `with`, or takes in by `use` in its body: traits and mixins.
    fn with_list(&mut self, with: &mut Vec<(Path, Vec<TypeArg>)>) -> PResult<()> {
        loop {
            let path = self.path()?;
            let args = match self.at(Tok::Lt) {
                true => self.type_args(false)?,
                false => Vec::new(),
            };
            with.push((path, args));
            if !self.eat(Tok::Comma) {
                return Ok(());
            }
            self.join();
        }
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let found = self.at_word(word);
        if found {
            self.bump();
        }
        found
    }

    /// `enum` with its variants.
    pub(crate) fn enum_decl(&mut self) -> PResult<(ItemKind, Option<String>)> {
        self.bump();
        let name = self.ident("the name of the enum")?;
        let generics = self.generics()?;
        let mut decl = EnumDecl {
            name,
            generics,
            variants: Vec::new(),
            methods: Vec::new(),
        };
        let mut docs = None;
        for member in self.members_of(Owner::Enum, name)? {
            match member {
                Member::Docs(text) => docs = docs.or(Some(text)),
                Member::Variant(variant) => decl.variants.push(variant),
                Member::Method(method) => decl.methods.push(method),
                Member::Field(_)
                | Member::Fields(_)
                | Member::Forward(..)
                | Member::With(_)
                | Member::Assoc(..)
                | Member::Nothing => {}
            }
        }
        Ok((ItemKind::Enum(decl), docs))
    }

    /// `trait` with its signatures.
    pub(crate) fn trait_decl(&mut self) -> PResult<(ItemKind, Option<String>)> {
        self.bump();
        let name = self.ident("the name of the trait")?;
        let generics = self.generics()?;
        let mut supers = Vec::new();
        if self.at(Tok::Colon) && !self.line_ends_at(1) && self.raw_at(1).tok == Tok::Ident {
            self.bump();
            supers = self.bounds()?;
        }
        let mut decl = TraitDecl {
            name,
            generics,
            supers,
            methods: Vec::new(),
            assoc: Vec::new(),
        };
        let mut docs = None;
        for member in self.members(Owner::Trait)? {
            match member {
                Member::Docs(text) => docs = docs.or(Some(text)),
                Member::Method(method) => decl.methods.push(method),
                Member::Assoc(name, ty) => decl.assoc.push((name, ty)),
                Member::Variant(_)
                | Member::Field(_)
                | Member::Fields(_)
                | Member::Forward(..)
                | Member::With(_)
                | Member::Nothing => {}
            }
        }
        Ok((ItemKind::Trait(decl), docs))
    }

    /// `impl Type:`, `impl Trait for Type:`.
    pub(crate) fn impl_decl(&mut self) -> PResult<(ItemKind, Option<String>)> {
        self.bump();
        let generics = self.generics()?;
        let mut ty = self.type_expr()?;
        let mut trait_ty = None;
        if self.eat(Tok::For) {
            trait_ty = Some(ty);
            ty = self.type_expr()?;
        }
        let mut group = Vec::new();
        while trait_ty.is_none() && self.eat(Tok::Pipe) {
            group.push(self.type_expr()?);
        }
        let where_clauses = self.where_clauses()?;
        let mut decl = ImplDecl {
            generics,
            trait_ty,
            ty,
            group,
            where_clauses,
            methods: Vec::new(),
            assoc: Vec::new(),
        };
        let mut docs = None;
        for member in self.members(Owner::Impl)? {
            match member {
                Member::Docs(text) => docs = docs.or(Some(text)),
                Member::Method(method) => decl.methods.push(method),
                Member::Assoc(name, Some(ty)) => decl.assoc.push((name, ty)),
                Member::Assoc(name, None) => {
                    self.report(
                        Diagnostic::error(
                            codes::BAD_MEMBER,
                            name.span,
                            "an impl must define the associated type",
                        )
                        .found_expected(
                            format!("`type {}`", name.name),
                            format!("`type {} = T`", name.name),
                        ),
                    );
                }
                Member::Variant(_)
                | Member::Field(_)
                | Member::Fields(_)
                | Member::Forward(..)
                | Member::With(_)
                | Member::Nothing => {}
            }
        }
        Ok((ItemKind::Impl(decl), docs))
    }

    /// The body of a type, trait or impl.
    fn members(&mut self, owner: Owner) -> PResult<Vec<Member>> {
        let mut members = Vec::new();
        let body_follows = self.at(Tok::Colon) || self.at_end() && self.block_is_below();
        if !body_follows {
            let failed = self.missing_colon(owner.noun());
            if self.at(Tok::LBrace) {
                self.skip_braces();
            }
            return Err(failed);
        }
        if self.at(Tok::Colon) {
            self.bump();
        } else {
            self.missing_colon(owner.noun());
        }
        if !self.line_ends_at(0) {
            loop {
                let member = self.member_line(owner, members.is_empty())?;
                members.push(member);
                let more = self.comma_after_member(owner)
                    || self.eat(Tok::Semi)
                    || owner == Owner::Enum && self.eat(Tok::Pipe);
                if !more || self.at_end() {
                    return Ok(members);
                }
            }
        }
        if self.block_is_below() {
            self.indented_lines(&mut members, |p, members: &mut Vec<Member>| {
                if owner == Owner::Enum {
                    p.eat(Tok::Pipe);
                }
                let member = p.member_line(owner, members.is_empty())?;
                members.push(member);
                // `Red | Green | Blue`, on one line or several.
                while owner == Owner::Enum && p.eat(Tok::Pipe) && !p.at_end() {
                    members.push(p.member_line(owner, false)?);
                }
                p.comma_after_member(owner);
                Ok(())
            })?;
            return Ok(members);
        }
        // An impl without methods, or a type without members, is legal; an enum is not.
        if owner == Owner::Enum {
            let span = self.prev_span().end();
            return Err(self.report(
                Diagnostic::error(
                    codes::EXPECTED_BLOCK,
                    span,
                    "expected the variants of the enum",
                )
                .found_expected("no deeper line", "at least one variant, indented deeper"),
            ));
        }
        Ok(members)
    }

    /// Whether a comma is here, as other languages write it after each member; it is reported once in a file.
    fn comma_after_member(&mut self, owner: Owner) -> bool {
        if !self.at(Tok::Comma) {
            return false;
        }
        let (found, help) = match owner {
            Owner::Enum => (
                "`,` between variants",
                "put each variant on its own line, or `;` between them",
            ),
            _ => ("`,` between fields", "put each field on its own line"),
        };
        let span = self.span();
        self.bump();
        let said = |report: &Diagnostic| report.message.ends_with(found);
        if !self.diagnostics.iter().any(said) {
            self.foreign(span, found, help);
        }
        true
    }

    /// One member.
    fn member_line(&mut self, owner: Owner, is_first: bool) -> PResult<Member> {
        let token = self.raw();
        match token.tok {
            Tok::Text => {
                let text = self.plain_text("a docstring")?;
                // A string further below is ignored.
                return Ok(if is_first {
                    Member::Docs(text)
                } else {
                    Member::Nothing
                });
            }
            Tok::Pass | Tok::PassDoNothing | Tok::PassDn | Tok::PassTodo => {
                self.bump();
                return Ok(Member::Nothing);
            }
            _ => {}
        }
        self.foreign_method();
        if self.method_begins() {
            let rule = if owner == Owner::Trait {
                BodyRule::Optional
            } else {
                BodyRule::Required
            };
            let method = self.method(rule)?;
            return Ok(match &method.kind {
                ItemKind::Fn(decl) if owner == Owner::Type && is_constructor(decl) => {
                    Member::Fields(self.fields_of_constructor(decl))
                }
                _ => Member::Method(method),
            });
        }
        let docs = self.docs_here();
        let annotations = match token.tok {
            Tok::At | Tok::Hash => self.annotations()?,
            _ => Vec::new(),
        };
        let next = self.raw_at(1).tok;
        if owner != Owner::Type && self.at(Tok::Use) && next == Tok::Ident {
            let span = self.span();
            let message = format!("{} takes in no mixins", owner.noun());
            return Err(self.report(
                Diagnostic::error(codes::BAD_MEMBER, span, message)
                    .found_expected("`use`", owner.members())
                    .help("a struct, a class or a mixin takes in the members of a mixin; `use` of a module is at the top of the file"),
            ));
        }
        match owner {
            Owner::Type => {
                if self.at_word("alias") && next == Tok::Ident {
                    self.warn_annotations(&annotations);
                    self.bump();
                    let path = self.path()?;
                    self.expect(Tok::Eq, "and the field that does the work")?;
                    return Ok(Member::Forward(path, self.ident("the name of a field")?));
                }
                if self.at(Tok::Use) && next == Tok::Ident {
                    self.warn_annotations(&annotations);
                    self.bump();
                    let mut with = Vec::new();
                    self.with_list(&mut with)?;
                    return Ok(Member::With(with));
                }
                let field = self.field(docs)?;
                Ok(Member::Field(FieldDecl {
                    annotations,
                    ..field
                }))
            }
            Owner::Enum => {
                let variant = self.variant(docs)?;
                Ok(Member::Variant(VariantDecl {
                    annotations,
                    ..variant
                }))
            }
            Owner::Trait | Owner::Impl => {
                self.warn_annotations(&annotations);
                if self.at_word("type") && next == Tok::Ident {
                    self.bump();
                    let name = self.ident("the name of the associated type")?;
                    let ty = if self.eat(Tok::Eq) {
                        Some(self.type_expr()?)
                    } else {
                        None
                    };
                    return Ok(Member::Assoc(name, ty));
                }
                self.bad_member(owner)
            }
        }
    }

    fn bad_member(&mut self, owner: Owner) -> PResult<Member> {
        let expected = owner.members();
        let is_field = self.raw().tok == Tok::Ident && self.raw_at(1).tok == Tok::Colon;
        if is_field {
            let span = self.span();
            return Err(self.report(
                Diagnostic::error(
                    codes::BAD_MEMBER,
                    span,
                    format!("{} has no fields", owner.noun()),
                )
                .found_expected("a field", expected)
                .help("declare fields in the `struct` or `class` itself"),
            ));
        }
        Err(self.unexpected_as(codes::BAD_MEMBER, expected))
    }

    /// Whether a method begins here, after annotations and modifiers.
    fn method_begins(&self) -> bool {
        let mut ahead = 0;
        loop {
            let token = self.raw_at(ahead);
            match token.tok {
                Tok::Fn | Tok::Me => return true,
                Tok::Static | Tok::Async => return true,
                Tok::Ident if matches!(self.text_of(token), "sync" | "private") => ahead += 1,
                Tok::Pub | Tok::Export => {
                    ahead += 1;
                    if self.raw_at(ahead).tok == Tok::LParen {
                        ahead += 3;
                    }
                }
                // Over `@name(args)` and `#[...]` by counting brackets.
                Tok::At | Tok::Hash => {
                    ahead += if token.tok == Tok::At { 2 } else { 1 };
                    let mut open = 0usize;
                    loop {
                        let token = self.raw_at(ahead);
                        match token.tok {
                            Tok::LParen | Tok::LBracket | Tok::LBrace => open += 1,
                            Tok::RParen | Tok::RBracket | Tok::RBrace => {
                                open = open.saturating_sub(1)
                            }
                            Tok::Eof => return false,
                            _ => {}
                        }
                        if open == 0
                            && !matches!(token.tok, Tok::RParen | Tok::RBracket | Tok::RBrace)
                        {
                            break;
                        }
                        ahead += 1;
                    }
                }
                _ => return false,
            }
        }
    }

    /// `pub val name: T = e`.
    fn field(&mut self, docs: Option<String>) -> PResult<FieldDecl> {
        let (mut weak, mut private, mut immutable) = (false, false, false);
        loop {
            let named = matches!(self.raw_at(1).tok, Tok::Ident);
            match self.raw().tok {
                Tok::Pub => {
                    self.bump();
                }
                Tok::Val => {
                    immutable = true;
                    self.bump();
                }
                Tok::Var => {
                    self.bump();
                }
                Tok::Let => {
                    let span = self.span();
                    self.bump();
                    let was_mut = self.eat(Tok::Mut);
                    self.foreign(
                        span,
                        "`let` before a field",
                        "write `name: T`, or `val name: T` if it never changes",
                    );
                    immutable = !was_mut;
                }
                Tok::Ident if named && self.at_word("weak") => {
                    weak = true;
                    self.bump();
                }
                Tok::Ident if named && self.at_word("private") => {
                    private = true;
                    self.bump();
                }
                _ => break,
            }
        }
        let keyword_name = self.kind().is_keyword() && self.ahead(1) == Tok::Colon;
        if !self.at(Tok::Ident) && !keyword_name {
            return Err(self.unexpected_as(codes::BAD_MEMBER, Owner::Type.members()));
        }
        let name = self.take_ident();
        let ty = if self.at(Tok::Colon) {
            self.bump();
            self.declared_type()?
        } else {
            let failed = self.field_without_type(name);
            if !self.at_end() && !self.at(Tok::Eq) {
                return Err(failed);
            }
            // The field stays known, so that its uses are not reported as well.
            TypeExpr {
                kind: TypeExprKind::Error,
                span: name.span,
            }
        };
        let variadic = self.variadic_field(name, &ty);
        let default = if self.eat(Tok::Eq) {
            self.join();
            Some(self.expr()?)
        } else {
            None
        };
        Ok(FieldDecl {
            name,
            ty,
            default,
            variadic,
            weak,
            private,
            immutable,
            annotations: Vec::new(),
            docs,
        })
    }

    /// The `...` after the type of a field, which must be an array.
    fn variadic_field(&mut self, name: Ident, ty: &TypeExpr) -> bool {
        let dots = self.span();
        if !self.eat(Tok::Ellipsis) {
            return false;
        }
        let is_array = matches!(ty.kind, TypeExprKind::Array(_));
        if !is_array && !matches!(ty.kind, TypeExprKind::Error) {
            let item = self.quoted(ty.span, "T");
            let message = "only a field that is an array can take its elements one by one";
            self.report(
                Diagnostic::error(codes::BAD_MODIFIER, dots, message).help(format!(
                    "write the type of the whole: `{}: [{item}]...`",
                    name.name
                )),
            );
        }
        is_array
    }

    fn field_without_type(&mut self, name: Ident) -> super::Failed {
        let found = self.found();
        let name_text = name.name.as_str();
        if self.at(Tok::LParen) {
            return self.report(
                Diagnostic::error(
                    codes::BAD_MEMBER,
                    name.span,
                    format!("expected `fn` before the method `{name_text}`"),
                )
                .found_expected("a name", "`fn`, `me` or `static fn`")
                .help(format!("write `fn {name_text}(...)`")),
            );
        }
        if self.at(Tok::Ident) && matches!(name_text, "def" | "function" | "func" | "fun") {
            return self.foreign(
                name.span,
                &format!("`{name_text}`"),
                "declare a method with `fn`",
            );
        }
        let span: Span = self.span();
        self.report(
            Diagnostic::error(
                codes::BAD_MEMBER,
                span,
                format!("the field `{name_text}` needs a type"),
            )
            .found_expected(found, "`: T`")
            .help(format!("write `{name_text}: i64` or what it holds")),
        )
    }

    /// `Name(field: T = 2) = 3`.
    fn variant(&mut self, docs: Option<String>) -> PResult<VariantDecl> {
        if self.at(Tok::Case) {
            let span = self.span();
            self.foreign(
                span,
                "`case` before a variant",
                "write the name of the variant alone",
            );
            self.bump();
        }
        if !self.at(Tok::Ident) && !self.kind().is_keyword() {
            return Err(self.unexpected_as(codes::BAD_MEMBER, Owner::Enum.members()));
        }
        let name = self.take_ident();
        let mut fields = Vec::new();
        if self.at(Tok::LParen) {
            fields = self.bracketed(Tok::LParen, Tok::RParen, |p| {
                p.comma_list(Tok::RParen, |p| {
                    let labelled = p.at(Tok::Ident) || p.kind().is_keyword();
                    let label = if labelled && p.ahead(1) == Tok::Colon {
                        let label = p.take_ident();
                        p.bump();
                        Some(label)
                    } else if p.at(Tok::Ident) && p.ahead(1) == Tok::Ident {
                        let mut label = p.take_ident();
                        if let Some(ty) = p.type_without_colon(&mut label, Self::type_expr)? {
                            return Ok(PayloadDecl {
                                name: Some(label),
                                ty,
                                default: None,
                            });
                        }
                        Some(label)
                    } else {
                        None
                    };
                    let ty = p.type_expr()?;
                    let default = match label.is_some() && p.eat(Tok::Eq) {
                        true => Some(p.expr()?),
                        false => None,
                    };
                    Ok(PayloadDecl {
                        name: label,
                        ty,
                        default,
                    })
                })
            })?;
        }
        if self.at(Tok::LBrace) {
            let span = self.span();
            self.skip_braces();
            let message = "the values of a variant are in parentheses";
            self.report(
                Diagnostic::error(codes::BAD_MEMBER, span, message)
                    .help(format!("write `{}(name: T)`", name.name)),
            );
        }
        let discriminant = if self.eat(Tok::Eq) {
            Some(self.expr()?)
        } else {
            None
        };
        Ok(VariantDecl {
            name,
            fields,
            discriminant,
            annotations: Vec::new(),
            docs,
        })
    }
}
