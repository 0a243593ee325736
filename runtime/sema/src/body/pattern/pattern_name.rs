//! A name by itself in a pattern: a variant, a constant, a type, or a new variable.
//!
//! A name that begins with a capital must mean something: `case Bleu:` for `Blue` would silently match every value. In bindings
//! (`val (U, S) = ...`, `for X in ...`) any name is a new variable.

use super::pattern::Binder;
use super::*;
use crate::codes;
use crate::typed::Expr;
use simple_syntax::Diagnostic;
use simple_syntax::ast::Ident;

impl<'c, 'a> Body<'c, 'a> {
    pub(in crate::body) fn name_pattern(
        &mut self,
        name: Ident,
        ty: TyId,
        binder: &mut Binder,
    ) -> Pattern {
        // `None` of an optional is its absence, whatever variants its payload has.
        let none = name.name.as_str() == "None";
        let absent = none && matches!(self.kind(ty), Ty::Option(_));
        if let Some((enum_ty, number)) = self.variant_of(ty, name.name)
            && !absent
        {
            return self.variant_pattern(enum_ty, number, &[], name.span, binder);
        }
        if none {
            return self.nil_pattern(ty, name.span);
        }
        if let Some(value) = self.constant(name) {
            if self.is_unknown(ty) {
                self.unify(ty, value.ty);
            }
            let expected = self.resolve(ty);
            let found = value.ty;
            if let Some(value) = self.constant_as(value, expected) {
                return Pattern::Literal(value);
            }
            self.wrong(name.span, found, ty);
            return Pattern::Wildcard;
        }
        if binder.origin == Origin::Pattern {
            if name.name.as_str().starts_with(char::is_uppercase) {
                return self.capital_pattern(name, ty);
            }
            self.warn_of_other_case(name, ty);
        }
        self.bind_name(name, ty, binder)
    }

    /// A constant in the type of the value that it is compared with, if it is one of that type or a number that fits it.
    fn constant_as(&self, value: Expr, to: TyId) -> Option<Expr> {
        if self.shallow(value.ty) == to {
            return Some(value);
        }
        let kind = match (&value.kind, self.ty(to)) {
            (ExprKind::Int(number), Ty::Int(int)) => {
                let whole = match value.ty {
                    TyId::U64 => i128::from(*number as u64),
                    _ => i128::from(*number),
                };
                convert::fits(whole, *int).then_some(ExprKind::Int(*number))?
            }
            (ExprKind::Int(number), Ty::F32 | Ty::F64) if value.ty != TyId::U64 => {
                ExprKind::Float(*number as f64)
            }
            (ExprKind::Float(number), Ty::F32 | Ty::F64) => ExprKind::Float(*number),
            _ => return None,
        };
        Some(Expr {
            kind,
            ty: to,
            span: value.span,
        })
    }

    /// A capitalised name that is neither a variant of the value's type nor a constant: its type, or an error.
    fn capital_pattern(&mut self, name: Ident, ty: TyId) -> Pattern {
        // Treated as read where it is meant as a variable, so that the arm reports nothing more.
        let of = match self.kind(ty) {
            Ty::Option(item) => self.shallow(item),
            _ => self.shallow(ty),
        };
        let means = self
            .cx
            .lookup_visible(self.scopes.types().module, name.name);
        if let (Some(Def::Type(decl)), Ty::Adt(adt)) = (means, self.kind(of))
            && self.cx.decl_of(adt) == decl
            && self.cx.types().adts[adt.0 as usize].kind != AdtKind::Enum
        {
            return match of == self.shallow(ty) {
                true => Pattern::Fields(adt, Vec::new()),
                false => Pattern::Some(Box::new(Pattern::Fields(adt, Vec::new()))),
            };
        }
        let text = name.name.as_str();
        let shown = self.show(ty);
        match (means, self.kind(of)) {
            (_, Ty::Error) => {}
            (Some(Def::Type(_) | Def::Alias(_) | Def::Trait(_)), _) => {
                let message = format!("`{text}` is a type, and the value is of the type `{shown}`");
                let d = Diagnostic::error(codes::CAPITAL_NAME, name.span, message);
                let d = match self.kind(of) {
                    Ty::Trait(_) => d.help(format!(
                        "test the type of an object with `if x is {text}:`, or convert it with `if val y = x as {text}?:`"
                    )),
                    _ => d.help("a variable begins with a small letter"),
                };
                self.cx.report(d);
            }
            (Some(Def::Global(_)), _) => {
                let message =
                    format!("`{text}` is a variable, and a pattern compares with constants");
                let d = Diagnostic::error(codes::CAPITAL_NAME, name.span, message).help(format!(
                    "declare it with `const {text} = ...`, or compare in a guard: `case x if x == {text}:`"
                ));
                self.cx.report(d);
            }
            _ if let Some(adt) = self.enum_in(of) => self.unknown_variant(adt, name),
            _ => {
                let constants = self.constant_names();
                let mut d = Diagnostic::error(
                    codes::CAPITAL_NAME,
                    name.span,
                    format!("`{text}` is neither a variant of `{shown}` nor a constant"),
                );
                d = match simple_spelling::nearest(text, constants) {
                    Some(near) => d
                        .help(format!("did you mean `{near}`?"))
                        .fix(name.span, near),
                    None => d.help(format!(
                        "a variable begins with a small letter: `{}`",
                        text.to_lowercase()
                    )),
                };
                self.cx.report(d);
            }
        }
        if self.scopes.bound_here(name.name).is_none() {
            self.declare(name, TyId::ERROR, Origin::Pattern);
        }
        Pattern::Wildcard
    }

    /// The constants of the module, for hints.
    fn constant_names(&self) -> Vec<&'static str> {
        let module = self.scopes.types().module;
        self.cx
            .decls()
            .globals()
            .iter()
            .filter(|global| global.module == module)
            .filter(|global| {
                self.cx.decls()[global.group].kind == simple_syntax::ast::LetKind::Const
            })
            .map(|global| global.name.name.as_str())
            .collect()
    }

    /// Warns about a new variable that is a variant or constant but for small and capital letters.
    fn warn_of_other_case(&mut self, name: Ident, ty: TyId) {
        let text = name.name.as_str();
        let of = match self.kind(ty) {
            Ty::Option(item) => self.shallow(item),
            _ => self.shallow(ty),
        };
        let same = |other: &str| other != text && other.to_lowercase() == text.to_lowercase();
        let (what, meant) = match self.kind(of) {
            Ty::Adt(adt) => {
                let variants = &self.cx.decls()[self.cx.decl_of(adt)].variants;
                let mut names = variants.keys().map(|name| name.as_str());
                ("variant", names.find(|other| same(other)))
            }
            // One letter is a usual name for a variable, also beside a constant.
            _ if text.len() > 1 => {
                let found = self.constant_names().into_iter().find(|other| same(other));
                (
                    "constant",
                    found.filter(|other| self.is_constant_of(other, of)),
                )
            }
            _ => return,
        };
        let Some(meant) = meant else {
            return;
        };
        let d = Diagnostic::warning(
            codes::OTHER_CASE,
            name.span,
            format!(
                "`{text}` is a new variable here, which takes every value; the {what} is `{meant}`"
            ),
        )
        .help(format!(
            "write `{meant}`, or give the variable another name"
        ))
        .fix(name.span, meant);
        self.cx.report(d);
    }

    /// Whether the constant of this name in the module is of a type.
    fn is_constant_of(&mut self, name: &str, ty: TyId) -> bool {
        let name = Ident {
            name: Symbol::intern(name),
            span: Span::default(),
        };
        let ty = self.resolve(ty);
        let value = self.constant(name);
        value.is_some_and(|value| self.resolve(value.ty) == ty)
    }
}
