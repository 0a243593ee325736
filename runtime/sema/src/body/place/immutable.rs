//! Whether a place may be changed, and what to say where it may not.
//!
//! Next: `place.rs`, which finds out what a place is.

use super::place::PlaceInfo;
use super::*;
use crate::codes;
use simple_syntax::Diagnostic;

/// Why a place cannot be changed.
#[derive(Clone, Debug)]
pub(crate) enum Fixed {
    /// A variable, parameter or `self`.
    Local(Origin, String, Span),
    Global(Symbol, Span),
    /// A field declared `val`.
    Field(Symbol, Span),
}

impl<'c, 'a> Body<'c, 'a> {
    /// The place itself if it may be changed, which marks its variable; else the reason is reported.
    pub(crate) fn changeable(&mut self, info: PlaceInfo, span: Span) -> Option<Place> {
        if let Some(fixed) = info.fixed {
            let advice = self.in_place_advice(&info.place, span);
            let mut d = Self::fixed_report(fixed, span);
            d.help = advice.or(d.help);
            self.cx.report(d);
            return None;
        }
        if self.is_open(&info.place, span) {
            return None;
        }
        if let PlaceRoot::Local(id) = info.place.root {
            self.mark_mutable(id, span);
        }
        Some(info.place)
    }

    /// Whether a place that will be changed is part of a module-level variable whose declaration leaves its type open;
    /// reports it. A function may have read the variable as one of `()` already.
    pub(in crate::body) fn is_open(&mut self, place: &Place, span: Span) -> bool {
        let PlaceRoot::Global(id) = place.root else {
            return false;
        };
        let global = self.cx.output().declared(id);
        let info = &mut self.cx.decls_mut()[global];
        let Some((at, what)) = info.open.take() else {
            return false;
        };
        // Once is enough: from here on nothing is known about it.
        info.ty = Some(TyId::ERROR);
        let name = info.name.name;
        self.cx.output_mut()[id].ty = TyId::ERROR;
        let message = format!("the type of {what} cannot be determined");
        let d = Diagnostic::error(codes::UNDETERMINED, at, message)
            .related(span, format!("`{name}` is changed here"))
            .help(what.how_to_write());
        self.cx.once(|cx| cx.report(d));
        true
    }

    pub(crate) fn report_fixed(&mut self, fixed: Fixed, span: Span) {
        let of_lambda = matches!(fixed, Fixed::Local(Origin::Param, ..))
            && self.scopes.frame().kind == FrameKind::Lambda
            && !self.scopes.frame().declared;
        let mut d = Self::fixed_report(fixed, span);
        if of_lambda {
            d = d.help("a parameter of a lambda cannot be assigned; compare with `==`, or yield the new value");
        }
        self.cx.report(d);
    }

    fn fixed_report(fixed: Fixed, span: Span) -> Diagnostic {
        match fixed {
            Fixed::Local(Origin::Captured, name, at) if name == "self" => Diagnostic::error(
                codes::CAPTURED_ASSIGN,
                span,
                "`self` is captured by value and cannot be changed here",
            )
            .related(at, "the `self` of this method")
            .help("write a loop, `for x in xs: ...`, or declare the type as a `class`"),
            Fixed::Local(Origin::Captured, name, at) => Diagnostic::error(
                codes::CAPTURED_ASSIGN,
                span,
                format!("`{name}` is captured by value and cannot be changed here"),
            )
            .related(at, "declared here")
            .help("return the new value, or share it through a field of a class"),
            Fixed::Local(Origin::SelfFixed, name, at) => {
                let what = if name == "self" { "`self`" } else { &name };
                Diagnostic::error(
                    codes::IMMUTABLE,
                    span,
                    format!("{what} cannot be changed in an `fn` method"),
                )
                .related(at, "this method is declared with `fn`")
                .help("declare the method with `me`")
            }
            Fixed::Local(Origin::Val | Origin::Pattern, name, at) => {
                Diagnostic::error(codes::IMMUTABLE, span, format!("`{name}` is immutable"))
                    .related(at, "declared here")
                    .help(format!("declare it with `var {name}`"))
            }
            Fixed::Local(Origin::Param, name, at) => Diagnostic::error(
                codes::IMMUTABLE,
                span,
                format!("the parameter `{name}` is immutable"),
            )
            .related(at, "declared here")
            .help(format!(
                "declare it `var {name}` in the function's parameters, or copy it: `var {name}2 = {name}`"
            )),
            Fixed::Local(_, name, at) => Diagnostic::error(
                codes::IMMUTABLE,
                span,
                format!("the loop variable `{name}` is immutable"),
            )
            .related(at, "declared here"),
            Fixed::Global(name, at) => {
                Diagnostic::error(codes::IMMUTABLE, span, format!("`{name}` is immutable"))
                    .related(at, "declared here")
                    .help(format!("declare it with `var {name}`"))
            }
            Fixed::Field(name, at) => Diagnostic::error(
                codes::IMMUTABLE,
                span,
                format!("the field `{name}` is declared `val`"),
            )
            .related(at, "declared here"),
        }
    }
}
