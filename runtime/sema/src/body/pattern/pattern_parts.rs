//! Patterns with parts by name or position: variants, structs, classes.
//!
//! `pattern.rs` dispatches and has the rest.

use super::name::StaticBase;
use super::pattern::Binder;
use super::*;
use crate::codes;
use crate::counts::counted;
use crate::typed::Pattern;
use simple_syntax::Diagnostic;
use simple_syntax::ast::{self, Ident};

impl<'c, 'a> Body<'c, 'a> {
    pub(in crate::body) fn constructor_pattern(
        &mut self,
        path: &'a ast::Path,
        args: &'a [(Option<Ident>, ast::Pattern)],
        ty: TyId,
        span: Span,
        binder: &mut Binder,
    ) -> Pattern {
        let name = path.last();
        // A user-defined type may have variants of these names.
        let own = matches!(self.kind(ty), Ty::Adt(_)) && self.variant_of(ty, name.name).is_some();
        let built_in = match path.segments.as_slice() {
            _ if own => false,
            [_] => true,
            [first, _] => matches!(first.name.as_str(), "Option" | "Result"),
            _ => false,
        };
        if built_in {
            match (name.name.as_str(), self.kind(ty)) {
                ("Some", Ty::Option(item)) => {
                    let inner = self.lone_payload(args, item, span, binder);
                    return Pattern::Some(Box::new(inner));
                }
                ("None", _) => return self.nil_pattern(ty, span),
                ("Ok", Ty::Result(ok, _)) => {
                    let inner = self.lone_payload(args, ok, span, binder);
                    return Pattern::Ok(Box::new(inner));
                }
                ("Err", Ty::Result(_, err)) => {
                    let inner = self.lone_payload(args, err, span, binder);
                    return Pattern::Err(Box::new(inner));
                }
                ("Some" | "Ok" | "Err", _) => {
                    self.unfit_constructor(name, ty, span);
                    args.iter().for_each(|(_, part)| self.pattern_error(part));
                    return Pattern::Wildcard;
                }
                _ => {}
            }
        }
        if path.segments.len() == 1
            && let Some((enum_ty, number)) = self.variant_of(ty, name.name)
        {
            return self.variant_pattern(enum_ty, number, args, span, binder);
        }
        let give_up = |this: &mut Self| {
            args.iter().for_each(|(_, part)| this.pattern_error(part));
            Pattern::Wildcard
        };
        if path.segments.len() == 1
            && let Ty::Adt(adt) = self.kind(ty)
            && self.cx.types().adts[adt.0 as usize].kind == AdtKind::Enum
        {
            self.unknown_variant(adt, name);
            return give_up(self);
        }
        match self.path_base(path) {
            Some(StaticBase::Variant(found, number)) => {
                if !self.unify(found, ty) {
                    self.wrong(span, found, ty);
                    return give_up(self);
                }
                self.variant_pattern(ty, number, args, span, binder)
            }
            Some(StaticBase::Type(def, ident, written)) => {
                let Some(found) = self.type_of_base(def, ident, written, Want::Ty(ty)) else {
                    return give_up(self);
                };
                if !self.unify(found, ty) {
                    self.wrong(span, found, ty);
                    return give_up(self);
                }
                self.record_pattern(args, ty, span, binder)
            }
            Some(StaticBase::Broken) => give_up(self),
            _ => {
                if let Ty::Adt(adt) = self.kind(ty)
                    && self.cx.types().adts[adt.0 as usize].kind == AdtKind::Enum
                {
                    self.unknown_variant(adt, name);
                } else {
                    let shown = self.show(ty);
                    let d = Diagnostic::error(
                        codes::BAD_PATTERN,
                        span,
                        "this is neither a variant nor a type",
                    )
                    .found_expected(name.name.as_str(), shown);
                    self.cx.report(d);
                }
                give_up(self)
            }
        }
    }

    /// Reports `Some`, `Ok` or `Err` for a value that is not an option or result.
    fn unfit_constructor(&mut self, name: Ident, ty: TyId, span: Span) {
        let shown = self.show(ty);
        let wanted = if name.name.as_str() == "Some" {
            "an optional value"
        } else {
            "a `Result`"
        };
        let d = Diagnostic::error(
            codes::BAD_PATTERN,
            span,
            format!("`{}` does not fit a value of type `{shown}`", name.name),
        )
        .found_expected(shown, wanted);
        self.cx.report(d);
    }

    pub(in crate::body) fn unknown_variant(&mut self, adt: AdtId, name: Ident) {
        let info = &self.cx.decls()[self.cx.decl_of(adt)];
        let owner = info.name.name.as_str();
        if self.cx.reports_mut().follows_from_broken(owner) {
            return;
        }
        let info = &self.cx.decls()[self.cx.decl_of(adt)];
        let names: Vec<&str> = info.variants.keys().map(|name| name.as_str()).collect();
        let text = name.name.as_str();
        let message = format!("`{}` has no variant `{text}`", info.name.name);
        self.cx
            .unknown_of(codes::UNKNOWN_VARIANT, name.span, message, text, &names);
    }

    /// The single payload of `Some`, `Ok` or `Err`.
    pub(in crate::body) fn lone_payload(
        &mut self,
        args: &'a [(Option<Ident>, ast::Pattern)],
        ty: TyId,
        span: Span,
        binder: &mut Binder,
    ) -> Pattern {
        match args {
            [(None, inner)] => {
                // Written around the payload, so that a further optional inside is not skipped.
                self.pattern_in(inner, ty, binder)
            }
            [] if self.resolve(ty) == TyId::UNIT => Pattern::Wildcard,
            _ => {
                let d = Diagnostic::error(
                    codes::BAD_PATTERN,
                    span,
                    "this pattern takes exactly one payload",
                )
                .found_expected(counted(args.len(), "payload"), "1 payload");
                self.cx.report(d);
                args.iter().for_each(|(_, part)| self.pattern_error(part));
                Pattern::Wildcard
            }
        }
    }

    pub(in crate::body) fn variant_pattern(
        &mut self,
        ty: TyId,
        number: u32,
        args: &'a [(Option<Ident>, ast::Pattern)],
        span: Span,
        binder: &mut Binder,
    ) -> Pattern {
        let Ty::Adt(adt) = self.kind(ty) else {
            return Pattern::Wildcard;
        };
        self.cx.ensure_adt(adt);
        let variant = self.cx.types().adts[adt.0 as usize].variants[number as usize].clone();
        // A bare name means the variant with any payload.
        let placed = if args.is_empty() {
            Vec::new()
        } else {
            self.place_args(args, &variant.fields, variant.name, true, span)
        };
        let mut parts = vec![Pattern::Wildcard; variant.fields.len()];
        for (index, part) in placed {
            parts[index] = self.pattern_in(part, variant.fields[index].ty, binder);
        }
        Pattern::Variant(adt, number, parts)
    }

    /// `Point(x: p)` and `Point(p, q)`.
    pub(in crate::body) fn record_pattern(
        &mut self,
        args: &'a [(Option<Ident>, ast::Pattern)],
        ty: TyId,
        span: Span,
        binder: &mut Binder,
    ) -> Pattern {
        let Ty::Adt(adt) = self.kind(ty) else {
            return Pattern::Wildcard;
        };
        self.cx.ensure_adt(adt);
        let (fields, name) = {
            let info = &self.cx.types().adts[adt.0 as usize];
            (info.fields.clone(), info.name)
        };
        let placed = self.place_args(args, &fields, name, false, span);
        let mut parts = Vec::with_capacity(placed.len());
        for (index, part) in placed {
            self.check_private(adt, index, part.span);
            parts.push((
                index as u32,
                self.pattern_in(part, fields[index].ty, binder),
            ));
        }
        Pattern::Fields(adt, parts)
    }

    /// Which field each part of a constructor pattern matches.
    pub(in crate::body) fn place_args(
        &mut self,
        args: &'a [(Option<Ident>, ast::Pattern)],
        fields: &[Field],
        name: Symbol,
        all: bool,
        span: Span,
    ) -> Vec<(usize, &'a ast::Pattern)> {
        let mut placed: Vec<(usize, &'a ast::Pattern)> = Vec::with_capacity(args.len());
        let is_rest = |part: &ast::Pattern| matches!(part.kind, ast::PatternKind::Rest(_));
        if let Some((_, rest)) = args.iter().find(|(_, part)| is_rest(part)) {
            let d = Diagnostic::error(
                codes::BAD_PATTERN,
                rest.span,
                format!("`...` does not mean fields of `{name}`"),
            )
            .found_expected("`...`", counted(fields.len(), "part"))
            .help(match all {
                true => "write `_` for each field that is not looked at",
                false => "leave it out: fields that are not named are not looked at",
            });
            self.cx.report(d);
            let parts = args.iter().filter(|(_, part)| !is_rest(part));
            parts.for_each(|(_, part)| self.pattern_error(part));
            return placed;
        }
        let labelled = args.iter().any(|(label, _)| label.is_some());
        for (position, (label, part)) in args.iter().enumerate() {
            let index = match label {
                None => Some(position).filter(|&position| position < fields.len()),
                Some(label) => {
                    let index = fields
                        .iter()
                        .position(|field| field.name == Some(label.name));
                    if index.is_none() {
                        let names: Vec<&str> = fields
                            .iter()
                            .filter_map(|f| f.name)
                            .map(|n| n.as_str())
                            .collect();
                        let text = label.name.as_str();
                        let message = format!("`{name}` has no field `{text}`");
                        self.cx
                            .unknown(codes::UNKNOWN_FIELD, label.span, message, text, &names);
                        self.pattern_error(part);
                        continue;
                    }
                    index
                }
            };
            match index {
                Some(index) if placed.iter().all(|(other, _)| *other != index) => {
                    placed.push((index, part))
                }
                Some(_) => {
                    self.cx.error(
                        codes::DUPLICATE_FIELD,
                        part.span,
                        "this field is matched twice",
                    );
                    self.pattern_error(part);
                }
                None => self.pattern_error(part),
            }
        }
        let wrong_count = if all && !labelled {
            args.len() != fields.len()
        } else {
            args.len() > fields.len()
        };
        if wrong_count {
            let d = Diagnostic::error(
                codes::BAD_PATTERN,
                span,
                format!(
                    "`{name}` has {}, this pattern has {}",
                    counted(fields.len(), "field"),
                    args.len()
                ),
            )
            .found_expected(counted(args.len(), "part"), counted(fields.len(), "part"));
            self.cx.report(d);
        }
        placed
    }

    /// `Point { x, y: p }` and `{x: p}`.
    pub(in crate::body) fn fields_pattern(
        &mut self,
        path: Option<&'a ast::Path>,
        fields: &'a [(Ident, ast::Pattern)],
        ty: TyId,
        span: Span,
        binder: &mut Binder,
    ) -> Pattern {
        if let Some(path) = path
            && let Some(StaticBase::Type(def, ident, written)) = self.path_base(path)
            && let Some(found) = self.type_of_base(def, ident, written, Want::Ty(ty))
            && !self.unify(found, ty)
        {
            self.wrong(span, found, ty);
            fields.iter().for_each(|(_, part)| self.pattern_error(part));
            return Pattern::Wildcard;
        }
        let declared = match self.kind(ty) {
            Ty::Adt(adt) => {
                self.cx.ensure_adt(adt);
                let info = &self.cx.types().adts[adt.0 as usize];
                (info.kind != AdtKind::Enum).then(|| (adt, info.fields.clone(), info.name))
            }
            _ => None,
        };
        let Some((adt, declared, name)) = declared else {
            let shown = self.show(ty);
            let d = Diagnostic::error(
                codes::BAD_PATTERN,
                span,
                "a pattern of fields does not fit this value",
            )
            .found_expected(shown, "a struct or class");
            self.cx.report(d);
            fields.iter().for_each(|(_, part)| self.pattern_error(part));
            return Pattern::Wildcard;
        };
        let mut parts: Vec<(u32, Pattern)> = Vec::with_capacity(fields.len());
        for (label, part) in fields {
            match declared
                .iter()
                .position(|field| field.name == Some(label.name))
            {
                Some(index) => {
                    self.check_private(adt, index, label.span);
                    let checked = self.pattern_in(part, declared[index].ty, binder);
                    parts.push((index as u32, checked));
                }
                None => {
                    let names: Vec<&str> = declared
                        .iter()
                        .filter_map(|f| f.name)
                        .map(|n| n.as_str())
                        .collect();
                    let text = label.name.as_str();
                    let message = format!("`{name}` has no field `{text}`");
                    self.cx
                        .unknown(codes::UNKNOWN_FIELD, label.span, message, text, &names);
                    self.pattern_error(part);
                }
            }
        }
        Pattern::Fields(adt, parts)
    }
}
