//! Calls of methods that are refused: of one that the type does not have, with arguments that it does not take, on a receiver that cannot change.
//!
//! Which method a call means is decided before (`method.rs`); names that could have been meant come from `suggest.rs`.

use super::method::Receiver;
use super::place::PlaceInfo;
use super::*;
use crate::codes;
use crate::counts::{counted, given_count};
use crate::typed::Expr;
use simple_syntax::Diagnostic;
use simple_syntax::ast::Ident;

impl<'c, 'a> Body<'c, 'a> {
    /// Whether the access `span` ends with `name`: nothing is called there.
    fn is_bare(&self, name: Ident, span: Span) -> bool {
        span.hi == name.span.hi
    }

    /// Reports a call of a method that a type does not have.
    pub(in crate::body) fn unknown_method(
        &mut self,
        ty: TyId,
        name: Ident,
        args: &[args::Given<'a>],
        span: Span,
    ) -> Expr {
        if self.is_of_broken_type(ty) {
            return self.bad(span);
        }
        let type_name = self.show(ty);
        let names = self.cx.method_names(ty);
        let text = name.name.as_str();
        if let Ty::Option(item) = self.kind(ty) {
            return self.unknown_of_option(&type_name, item, name, span);
        }
        if let Ty::Trait(id) = *self.ty(ty) {
            let (trait_idx, args) = self.cx.instances().trait_of(id).clone();
            let declared = self
                .cx
                .all_trait_methods(trait_idx, &args)
                .into_iter()
                .map(|(_, fn_idx, _)| (fn_idx, self.cx.decls()[fn_idx].decl))
                .find(|(_, decl)| decl.name.name == name.name);
            if let Some((fn_idx, decl)) = declared {
                // What is wrong with its body is the one mistake.
                if decl.ret.is_none() && self.cx.is_broken(fn_idx) {
                    self.cx.reports_mut().count_follow_up();
                    return self.bad(span);
                }
                let d = Diagnostic::error(
                    codes::UNKNOWN_METHOD,
                    name.span,
                    format!("`{text}` cannot be called on an object of the trait `{type_name}`"),
                )
                .related(decl.head, "its types depend on the object's own type")
                .help(format!(
                    "take the value as `x: T` in a function `fn f<T: {type_name}>(...)`, or convert it with `as T?`"
                ));
                self.cx.report(d);
                return self.bad(span);
            }
        }
        let message = format!("`{type_name}` has no method `{text}`");
        let known = names.contains(&text) || !self.intrinsic_counts(ty, text).is_empty();
        if matches!(self.kind(ty), Ty::Dict(..)) && !known && self.is_bare(name, span) {
            let d = Diagnostic::error(codes::UNKNOWN_METHOD, name.span, message).help(format!(
                "an entry of a dict is read by its key: `d[\"{text}\"]`"
            ));
            self.cx.report(d);
            return self.bad(span);
        }
        if !known && self.cx.lacks_method(ty, name.name) {
            return self.bad(span);
        }
        if !known {
            let advice = self.member_advice(ty, name.name);
            let advice = advice.or_else(|| self.object_advice(ty, name.name));
            // A form in place that is missing here is not looked for where operators change their tensors.
            let copying = text
                .strip_suffix('_')
                .is_some_and(|copying| names.contains(&copying));
            let advice = match (advice, copying) {
                (None, false) => self.raw_operator(ty, name.name),
                (advice, _) => advice,
            };
            if let Some(help) = advice {
                let d = Diagnostic::error(codes::UNKNOWN_METHOD, name.span, message).help(help);
                self.cx.report(d);
                return self.bad(span);
            }
        }
        // Methods of the built-in types are told apart by what they are given.
        if known && !matches!(self.kind(ty), Ty::Adt(_)) {
            return self.wrong_arguments(ty, name, args, span);
        }
        if names.contains(&text) {
            let d = Diagnostic::error(codes::UNKNOWN_METHOD, name.span, message)
                .note("an impl of the type has it for other type arguments");
            self.cx.report(d);
            return self.bad(span);
        }
        let further = intrinsic_synonyms(self.ty(ty));
        let names = (&names[..], further);
        self.cx
            .unknown_of_either(codes::UNKNOWN_METHOD, name.span, message, text, names);
        self.bad(span)
    }

    /// Reports a member that an optional lacks, and its value may have.
    fn unknown_of_option(&mut self, ty: &str, item: TyId, name: Ident, span: Span) -> Expr {
        let text = name.name.as_str();
        let inner = self.show(item);
        let message = format!("`{ty}` is optional and has no method `{text}`");
        let mut d = Diagnostic::error(codes::OPTIONAL_USED, name.span, message)
            .found_expected(ty.to_owned(), inner);
        let members = self.member_names(item);
        let option = option_method::OPTION.iter().copied();
        self.cx
            .reports_mut()
            .offer(text, members.iter().copied().chain(option));
        let of_value = members.contains(&text);
        let near = simple_spelling::nearest(text, option_method::OPTION.iter().copied());
        // Which methods a built-in type has is known only once they are looked for.
        let lacks = !of_value && matches!(self.kind(item), Ty::Adt(_));
        if let Some(near) = near.filter(|_| !of_value) {
            let help = format!("did you mean `{near}`?");
            d = d.help(help).fix(name.span, near);
        } else if !lacks {
            let help = format!("reach the value with `?.{text}`, `!` or `if val x = ...:`");
            d = d.help(help);
        } else if let Some(near) = simple_spelling::nearest(text, members) {
            d = d.help(format!("did you mean `?.{near}`?"));
        }
        self.cx.report(d);
        self.bad(span)
    }

    /// Reports a call of a method of a built-in type with arguments that it does not take.
    fn wrong_arguments(
        &mut self,
        ty: TyId,
        name: Ident,
        args: &[args::Given<'a>],
        span: Span,
    ) -> Expr {
        let (type_name, text) = (self.show(ty), name.name.as_str());
        let counts = self.intrinsic_counts(ty, text);
        let (Some(least), Some(most)) = (counts.first(), counts.last()) else {
            let message =
                format!("`{type_name}` has no method `{text}` that takes these arguments");
            self.cx.error(codes::UNKNOWN_METHOD, name.span, message);
            return self.bad(span);
        };
        let expected = match least == most {
            true => counted(*least, "argument"),
            false => format!("{least} to {}", counted(*most, "argument")),
        };
        if counts.contains(&args.len()) {
            let at = args
                .iter()
                .find_map(|arg| arg.label)
                .map(|label| label.span);
            let message =
                format!("`{text}` of `{type_name}` takes its arguments by position alone");
            let code = codes::ARG_LABEL;
            let d = Diagnostic::error(code, at.unwrap_or(name.span), message)
                .help("leave the name of the argument out");
            self.cx.report(d);
            return self.bad(span);
        }
        let message = format!("`{text}` takes {expected}, but {}", given_count(args.len()));
        let d = Diagnostic::error(codes::ARG_COUNT, name.span, message)
            .note(format!("`{text}` is a method of `{type_name}`"));
        self.cx.report(d);
        self.bad(span)
    }

    /// The names of a type's methods and fields.
    fn member_names(&mut self, ty: TyId) -> Vec<&'static str> {
        let mut names = self.cx.method_names(ty);
        if let Ty::Adt(adt) = self.kind(ty) {
            let fields = &self.cx.decls()[self.cx.decl_of(adt)].fields;
            names.extend(fields.keys().map(|name| name.as_str()));
        }
        names
    }

    /// Reports a part of a value that is neither a field nor a method.
    pub(in crate::body) fn unknown_field(&mut self, ty: TyId, name: Ident, span: Span) -> Expr {
        if self.is_of_broken_type(ty) {
            return self.bad(span);
        }
        let type_name = self.show(ty);
        let names = self.member_names(ty);
        let text = name.name.as_str();
        let message = format!("`{type_name}` has no field or method `{text}`");
        self.cx
            .unknown_of(codes::UNKNOWN_FIELD, name.span, message, text, &names);
        if let Some(variant) = self.variant_with(ty, name.name) {
            let help = format!(
                "the variant `{variant}` has it: test that with `if x is {variant}:`, or take it out with `match`"
            );
            self.cx
                .reports_mut()
                .advise(codes::UNKNOWN_FIELD, name.span, help);
        }
        self.bad(span)
    }

    /// The first variant of an enum that has a field of this name.
    fn variant_with(&mut self, ty: TyId, name: Symbol) -> Option<Symbol> {
        let Ty::Adt(adt) = self.kind(ty) else {
            return None;
        };
        self.cx.ensure_adt(adt);
        let mut variants = self.cx.types().adts[adt.0 as usize].variants.iter();
        let having =
            variants.find(|variant| variant.fields.iter().any(|f| f.name == Some(name)))?;
        Some(having.name)
    }

    /// Reports a method that changes its receiver on one that cannot change.
    pub(in crate::body) fn needs_mutable(
        &mut self,
        receiver: Receiver,
        fn_idx: FnIdx,
        span: Span,
    ) -> Expr {
        let name = self.cx.decls()[fn_idx].decl.name.name;
        match receiver {
            Receiver::Place(PlaceInfo {
                fixed: Some(fixed), ..
            }) => self.report_fixed(fixed, span),
            Receiver::Value(Expr {
                kind: ExprKind::Unwrap(option, _),
                ..
            }) if payload::names_place(&option) => {
                let message = format!(
                    "`{name}` changes its receiver, and `!` copies the value where a part of an expression calls it"
                );
                let d = Diagnostic::error(codes::IMMUTABLE, span, message).help(
                    "call it as a statement of its own, which changes the value in the option; or take the value out: `var value = option!`, and put it back after the call",
                );
                self.cx.report(d);
            }
            _ => {
                let d = Diagnostic::error(
                    codes::IMMUTABLE,
                    span,
                    format!("`{name}` changes its receiver, which must be a variable"),
                )
                .help("bind the value with `var` first");
                self.cx.report(d);
            }
        }
        self.bad(span)
    }
}
