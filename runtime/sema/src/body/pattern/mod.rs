//! Patterns: what they may match, what they bind, and when they must always fit.
//!
//! A pattern is checked against the type of the value. One that says nothing about presence is tried on the payload of an
//! optional (`doc/language/enums_and_matching.md`). Whether a set of patterns covers a type is `exhaustive.rs`'s question, asked at the
//! end of the body.

mod pattern_name;
mod pattern_parts;

use super::finish::{MatchCheck, MatchRow};
use super::*;
use crate::codes;
use crate::counts::counted;
use simple_syntax::Diagnostic;
use simple_syntax::ast::{self, Ident, PatternKind};

/// What the names of a pattern are bound to.
pub(super) struct Binder {
    pub(super) origin: Origin,
    /// In a later alternative: the variables that the first one made.
    pub(super) reuse: Option<FxHashMap<Symbol, LocalId>>,
    pub(super) made: Vec<(Ident, LocalId)>,
}

impl<'c, 'a> Body<'c, 'a> {
    /// Checks a pattern against a type and binds its names in the current scope.
    pub(crate) fn pattern(
        &mut self,
        pattern: &'a ast::Pattern,
        ty: TyId,
        origin: Origin,
    ) -> Pattern {
        let mut binder = Binder {
            origin,
            reuse: None,
            made: Vec::new(),
        };
        self.pattern_in(pattern, ty, &mut binder)
    }

    /// A pattern of a binding, which must fit every value.
    pub(crate) fn irrefutable(
        &mut self,
        pattern: &'a ast::Pattern,
        ty: TyId,
        mutable: bool,
    ) -> Pattern {
        self.must_fit(pattern, ty, if mutable { Origin::Var } else { Origin::Val })
    }

    /// A pattern of a `for`, which must fit every element.
    pub(crate) fn irrefutable_loop(&mut self, pattern: &'a ast::Pattern, item: TyId) -> Pattern {
        self.must_fit(pattern, item, Origin::Loop)
    }

    pub(super) fn must_fit(
        &mut self,
        pattern: &'a ast::Pattern,
        ty: TyId,
        origin: Origin,
    ) -> Pattern {
        let before = self.cx.reports().mark();
        let checked = self.pattern(pattern, ty, origin);
        let sound = self.cx.reports().sound_since(before);
        if sound
            && let (Pattern::Array { front, back, .. }, Ty::Array(item)) = (&checked, self.kind(ty))
        {
            // Whether the array has as many elements shows at run time (`length_check`); the elements must fit.
            for part in front.iter().chain(back) {
                self.check_fits(part.clone(), item, pattern.span);
            }
            return checked;
        }
        if sound {
            self.check_fits(checked.clone(), ty, pattern.span);
        }
        checked
    }

    /// Asks at the end of the body whether a pattern of a binding fits every value.
    fn check_fits(&mut self, checked: Pattern, ty: TyId, span: Span) {
        if !matches!(checked, Pattern::Wildcard | Pattern::Bind(_)) {
            let row = MatchRow {
                pattern: checked,
                guarded: false,
                span,
                user: true,
            };
            self.duties.add_match(MatchCheck {
                ty,
                rows: vec![row],
                span,
                binding: true,
            });
        }
    }

    /// Before an array is taken apart in a binding, a check of its length. Yields the value to take apart.
    pub(super) fn length_check(
        &mut self,
        pattern: &Pattern,
        value: Expr,
        out: &mut Vec<(StmtKind, Span)>,
    ) -> Expr {
        let Pattern::Array { front, rest, back } = pattern else {
            return value;
        };
        let span = value.span;
        let array = self.temp(value.ty, span);
        out.push((StmtKind::Let(array, value), span));
        let read = self.read(array, span);
        let len = self.mk(
            ExprKind::Intrinsic(Intrinsic::ArrayLen, vec![read.clone()]),
            TyId::I64,
            span,
        );
        let count = front.len() + back.len();
        let (op, wanted) = match rest {
            Some(_) => (
                CompareOp::Ge,
                format!("at least {}", counted(count, "element")),
            ),
            None => (CompareOp::Eq, counted(count, "element")),
        };
        let needed = self.mk(ExprKind::Int(count as i64), TyId::I64, span);
        let fits = self.mk(
            ExprKind::Compare(op, Box::new(len.clone()), Box::new(needed)),
            TyId::BOOL,
            span,
        );
        let message = ExprKind::Interpolate(vec![
            TextPart::Literal(format!("the pattern needs {wanted}, but the array has ")),
            TextPart::Value(len),
        ]);
        let message = self.mk(message, TyId::TEXT, span);
        out.push((StmtKind::Assert(fits, Some(message)), span));
        read
    }

    /// Binds the names of a pattern whose value has no type because of an earlier error.
    pub(crate) fn pattern_error(&mut self, pattern: &'a ast::Pattern) {
        match &pattern.kind {
            PatternKind::Name(name) | PatternKind::Rest(Some(name))
                if self.scopes.bound_here(name.name).is_none() =>
            {
                self.declare(*name, TyId::ERROR, Origin::Pattern);
            }
            PatternKind::Tuple(parts) | PatternKind::Array(parts) | PatternKind::Or(parts) => {
                parts.iter().for_each(|part| self.pattern_error(part));
            }
            PatternKind::Constructor { args, .. } => {
                args.iter().for_each(|(_, part)| self.pattern_error(part))
            }
            PatternKind::Fields { fields, .. } => {
                fields.iter().for_each(|(_, part)| self.pattern_error(part))
            }
            _ => {}
        }
    }

    /// Whether a pattern that looks like a binding is the name of a variant or constant.
    pub(crate) fn names_variant(&mut self, pattern: &ast::Pattern, ty: TyId) -> bool {
        match &pattern.kind {
            PatternKind::Name(name) => {
                self.variant_of(ty, name.name).is_some() || self.constant(*name).is_some()
            }
            _ => false,
        }
    }

    /// The value of a named constant.
    pub(super) fn constant(&mut self, name: Ident) -> Option<Expr> {
        if let Some(scope::Found::Local(local)) = self.find_local(name.name) {
            let kind = self.meta(local).constant.then(|| {
                let here = self.scopes.here();
                self.scopes.constant(here, local).cloned()
            })??;
            return Some(Expr {
                kind,
                ty: self.scopes.frame().locals[local.0 as usize].ty,
                span: name.span,
            });
        }
        let Some(Def::Global(idx)) = self
            .cx
            .lookup_visible(self.scopes.types().module, name.name)
        else {
            return None;
        };
        // Only the initializer of a `const` is looked at: that of a variable may be the very one that is being checked.
        let group = self.cx.decls()[idx].group;
        if self.cx.decls()[group].kind != ast::LetKind::Const {
            return None;
        }
        self.cx.global_id(idx, name.span);
        self.cx.decls()[idx].constant.clone()
    }

    pub(super) fn pattern_in(
        &mut self,
        pattern: &'a ast::Pattern,
        ty: TyId,
        binder: &mut Binder,
    ) -> Pattern {
        let span = pattern.span;
        if self.kind(ty) == Ty::Error {
            self.pattern_error(pattern);
            return Pattern::Wildcard;
        }
        if let Ty::Option(item) = self.kind(ty)
            && !self.about_whole_option(pattern, item)
        {
            let inner = self.pattern_in(pattern, item, binder);
            return Pattern::Some(Box::new(inner));
        }
        match &pattern.kind {
            PatternKind::Wildcard => Pattern::Wildcard,
            PatternKind::Name(name) => self.name_pattern(*name, ty, binder),
            PatternKind::Literal(value) => match self.literal_value(value, ty) {
                Some(value) => Pattern::Literal(value),
                None => Pattern::Wildcard,
            },
            PatternKind::Nil => self.nil_pattern(ty, span),
            PatternKind::Range { lo, hi, inclusive } => {
                self.range_pattern(lo, hi, *inclusive, ty, span)
            }
            PatternKind::Tuple(parts) => self.tuple_pattern(parts, ty, span, binder),
            PatternKind::Array(parts) => self.array_pattern(parts, ty, span, binder),
            PatternKind::Rest(_) => {
                self.cx.error(
                    codes::BAD_PATTERN,
                    span,
                    "`...` is allowed only in a tuple or array pattern",
                );
                Pattern::Wildcard
            }
            PatternKind::Constructor { path, args } => {
                self.constructor_pattern(path, args, ty, span, binder)
            }
            PatternKind::Path(path) => self.constructor_pattern(path, &[], ty, span, binder),
            PatternKind::Fields { path, fields } => {
                self.fields_pattern(path.as_ref(), fields, ty, span, binder)
            }
            PatternKind::Or(parts) => self.or_pattern(parts, ty, binder),
            PatternKind::Error => Pattern::Wildcard,
        }
    }

    /// Whether a pattern against an optional is about the optional, not about its payload.
    pub(super) fn about_whole_option(&mut self, pattern: &ast::Pattern, item: TyId) -> bool {
        match &pattern.kind {
            PatternKind::Wildcard | PatternKind::Nil | PatternKind::Error => true,
            PatternKind::Name(name) => {
                name.name.as_str() == "None" || !self.names_variant(pattern, item)
            }
            PatternKind::Or(_) => true,
            _ => self.is_option_pattern(pattern),
        }
    }

    /// Binds a name to the value there.
    pub(super) fn bind_name(&mut self, name: Ident, ty: TyId, binder: &mut Binder) -> Pattern {
        if let Some(reuse) = &binder.reuse {
            let Some(&local) = reuse.get(&name.name) else {
                // `or_pattern` compares the names of all alternatives and reports this.
                let local = self.local(name.name.as_str(), ty, binder.origin, name.span);
                binder.made.push((name, local));
                return Pattern::Bind(local);
            };
            let before = self.local_ty(local);
            if !self.unify(before, ty) {
                let (first, here) = (self.show(before), self.show(ty));
                let d = Diagnostic::error(
                    codes::OR_BINDINGS,
                    name.span,
                    format!(
                        "`{}` has different types in the alternatives of this pattern",
                        name.name
                    ),
                )
                .found_expected(here, first);
                self.cx.report(d);
            }
            binder.made.push((name, local));
            return Pattern::Bind(local);
        }
        let local = self.declare(name, ty, binder.origin);
        binder.made.push((name, local));
        Pattern::Bind(local)
    }

    pub(super) fn nil_pattern(&mut self, ty: TyId, span: Span) -> Pattern {
        if !matches!(self.kind(ty), Ty::Option(_)) {
            let item = self.fresh(span, infer::Origin::Nil);
            let option = self.intern(Ty::Option(item));
            if !self.is_unknown(ty) || !self.unify(ty, option) {
                let name = self.show(ty);
                let d =
                    Diagnostic::error(codes::BAD_PATTERN, span, format!("`{name}` is never nil"))
                        .found_expected("nil", name);
                self.cx.report(d);
                return Pattern::Wildcard;
            }
        }
        Pattern::Nil
    }

    /// Reports a pattern of one type against a value of another.
    pub(super) fn wrong(&mut self, span: Span, found: TyId, expected: TyId) {
        let object = matches!(self.kind(expected), Ty::Trait(_));
        let (found, expected) = (self.show(found), self.show(expected));
        let mut d = Diagnostic::error(
            codes::BAD_PATTERN,
            span,
            format!("a pattern of type `{found}` does not fit a value of type `{expected}`"),
        );
        if object {
            d = d.help(format!(
                "test the type of an object with `if x is {found}:`, or convert it with `if val y = x as {found}?:`"
            ));
        }
        let d = d.found_expected(found, expected);
        self.cx.report(d);
    }

    /// The constant of a literal pattern, in the type of the value.
    pub(super) fn literal_value(&mut self, written: &'a ast::Expr, ty: TyId) -> Option<Expr> {
        let (inner, negative) = match &written.kind {
            ast::ExprKind::Unary(ast::UnaryOp::Neg, inner) => (&**inner, true),
            ast::ExprKind::Paren(inner) => return self.literal_value(inner, ty),
            _ => (written, false),
        };
        let value = match &inner.kind {
            ast::ExprKind::Int(value, suffix) => {
                self.int_literal(*value, *suffix, negative, Want::Ty(ty), written.span)
            }
            ast::ExprKind::Float(value, suffix) => {
                let value = if negative { -*value } else { *value };
                self.float_literal(value, *suffix, Want::Ty(ty), written.span)
            }
            ast::ExprKind::Name(name) if !negative => match self.constant(*name) {
                Some(value) => value,
                None => {
                    self.cx.error(
                        codes::BAD_PATTERN,
                        written.span,
                        format!("`{}` is not a constant", name.name),
                    );
                    return None;
                }
            },
            _ => self.expr(written, Want::Ty(ty)),
        };
        if value.ty == TyId::ERROR {
            return None;
        }
        if !matches!(
            value.kind,
            ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Bool(_) | ExprKind::Text(_)
        ) {
            let d = Diagnostic::error(
                codes::BAD_PATTERN,
                written.span,
                "a pattern needs a constant here",
            )
            .help("bind a name and compare in a guard: `case x if x == ...:`");
            self.cx.report(d);
            return None;
        }
        if !self.unify(value.ty, ty) {
            self.wrong(written.span, value.ty, ty);
            return None;
        }
        Some(value)
    }

    pub(super) fn range_pattern(
        &mut self,
        lo: &'a ast::Expr,
        hi: &'a ast::Expr,
        inclusive: bool,
        ty: TyId,
        span: Span,
    ) -> Pattern {
        if !matches!(self.kind(ty), Ty::Int(_) | Ty::Infer(_)) {
            let name = self.show(ty);
            let d = Diagnostic::error(
                codes::BAD_PATTERN,
                span,
                "a range pattern fits integers only",
            )
            .found_expected(name, "an integer");
            self.cx.report(d);
            return Pattern::Wildcard;
        }
        let (Some(lo), Some(hi)) = (self.literal_value(lo, ty), self.literal_value(hi, ty)) else {
            return Pattern::Wildcard;
        };
        let (ExprKind::Int(lo), ExprKind::Int(hi)) = (lo.kind, hi.kind) else {
            self.cx.error(
                codes::BAD_PATTERN,
                span,
                "a range pattern needs integers on both sides",
            );
            return Pattern::Wildcard;
        };
        let ty = self.shallow(ty);
        let number = |bits: i64| self.cx.types().number(ty, bits);
        let last = number(hi) - i128::from(!inclusive);
        match number(lo) <= last {
            true => Pattern::IntRange(lo, last as i64),
            false => {
                self.cx.error(
                    codes::BAD_PATTERN,
                    span,
                    "this range is empty, so the pattern never fits",
                );
                Pattern::Wildcard
            }
        }
    }

    /// Splits parts at `...`; a second one is an error.
    pub(super) fn split_rest(
        &mut self,
        parts: &'a [ast::Pattern],
    ) -> (
        &'a [ast::Pattern],
        Option<Option<Ident>>,
        &'a [ast::Pattern],
    ) {
        let Some(at) = parts
            .iter()
            .position(|part| matches!(part.kind, PatternKind::Rest(_)))
        else {
            return (parts, None, &[]);
        };
        let PatternKind::Rest(name) = parts[at].kind else {
            return (parts, None, &[]);
        };
        (&parts[..at], Some(name), &parts[at + 1..])
    }

    pub(super) fn tuple_pattern(
        &mut self,
        parts: &'a [ast::Pattern],
        ty: TyId,
        span: Span,
        binder: &mut Binder,
    ) -> Pattern {
        let (front, rest, back) = self.split_rest(parts);
        if rest.is_some() && matches!(self.kind(ty), Ty::Array(_)) {
            // `(head, ...tail)` takes an array apart as well.
            return self.array_pattern(parts, ty, span, binder);
        }
        if self.is_unknown(ty) && rest.is_none() {
            let members = parts
                .iter()
                .map(|part| (None, self.fresh(part.span, infer::Origin::PatternPart)))
                .collect();
            let tuple = self.intern(Ty::Tuple(members));
            self.unify(ty, tuple);
        }
        let Ty::Tuple(members) = self.kind(ty) else {
            let name = self.show(ty);
            let mut d = Diagnostic::error(
                codes::BAD_PATTERN,
                span,
                "a tuple pattern does not fit this value",
            )
            .found_expected(
                name,
                format!("a tuple of {}", counted(parts.len(), "member")),
            );
            if matches!(self.kind(ty), Ty::Array(_)) {
                d = d.help("an array is taken apart by square brackets: `val [a, b] = xs`");
            }
            self.cx.report(d);
            parts.iter().for_each(|part| self.pattern_error(part));
            return Pattern::Wildcard;
        };
        let fixed = front.len() + back.len();
        let fits = if rest.is_some() {
            fixed <= members.len()
        } else {
            fixed == members.len()
        };
        if !fits {
            let name = self.show(ty);
            let d = Diagnostic::error(
                codes::BAD_PATTERN,
                span,
                format!(
                    "this pattern has {}, the value has {}",
                    counted(fixed, "member"),
                    members.len()
                ),
            )
            .found_expected(counted(fixed, "member"), name);
            self.cx.report(d);
            parts.iter().for_each(|part| self.pattern_error(part));
            return Pattern::Wildcard;
        }
        if let Some(Some(name)) = rest {
            let skip = members.len() - back.len();
            let between = &members[front.len()..skip];
            let rest_ty = match between {
                [] => TyId::UNIT,
                [(_, only)] => *only,
                several => self.intern(Ty::Tuple(several.to_vec())),
            };
            let mut parts = |this: &mut Self, parts: &'a [ast::Pattern], from: usize| {
                parts
                    .iter()
                    .zip(&members[from..])
                    .map(|(part, (_, ty))| this.pattern_in(part, *ty, binder))
                    .collect()
            };
            let front = parts(self, front, 0);
            let back = parts(self, back, skip);
            let Pattern::Bind(rest) = self.bind_name(name, rest_ty, binder) else {
                return Pattern::Wildcard;
            };
            return Pattern::TupleRest { front, rest, back };
        }
        let mut out = Vec::with_capacity(members.len());
        for (part, (_, ty)) in front.iter().zip(&members) {
            out.push(self.pattern_in(part, *ty, binder));
        }
        out.resize(members.len() - back.len(), Pattern::Wildcard);
        let skip = members.len() - back.len();
        for (part, (_, ty)) in back.iter().zip(&members[skip..]) {
            out.push(self.pattern_in(part, *ty, binder));
        }
        Pattern::Tuple(out)
    }

    pub(super) fn array_pattern(
        &mut self,
        parts: &'a [ast::Pattern],
        ty: TyId,
        span: Span,
        binder: &mut Binder,
    ) -> Pattern {
        if self.is_unknown(ty) {
            let item = self.fresh(span, infer::Origin::PatternElements);
            let array = self.intern(Ty::Array(item));
            self.unify(ty, array);
        }
        let Ty::Array(item) = self.kind(ty) else {
            let name = self.show(ty);
            let d = Diagnostic::error(
                codes::BAD_PATTERN,
                span,
                "an array pattern does not fit this value",
            )
            .found_expected(name, "an array");
            self.cx.report(d);
            parts.iter().for_each(|part| self.pattern_error(part));
            return Pattern::Wildcard;
        };
        let (front, rest, back) = self.split_rest(parts);
        let front = front
            .iter()
            .map(|part| self.pattern_in(part, item, binder))
            .collect();
        let rest = rest.map(|name| {
            name.and_then(|name| match self.bind_name(name, ty, binder) {
                Pattern::Bind(local) => Some(local),
                _ => None,
            })
        });
        let back = back
            .iter()
            .map(|part| self.pattern_in(part, item, binder))
            .collect();
        Pattern::Array { front, rest, back }
    }

    /// Alternatives; all must bind the same names.
    pub(super) fn or_pattern(
        &mut self,
        parts: &'a [ast::Pattern],
        ty: TyId,
        binder: &mut Binder,
    ) -> Pattern {
        let Some((first, others)) = parts.split_first() else {
            return Pattern::Wildcard;
        };
        let start = binder.made.len();
        let mut out = vec![self.pattern_in(first, ty, binder)];
        let names: Vec<(Ident, LocalId)> = binder.made[start..].to_vec();
        for part in others {
            let mut inner = Binder {
                origin: binder.origin,
                reuse: Some(
                    names
                        .iter()
                        .map(|(name, local)| (name.name, *local))
                        .collect(),
                ),
                made: Vec::new(),
            };
            out.push(self.pattern_in(part, ty, &mut inner));
            let missing = names
                .iter()
                .find(|(name, _)| inner.made.iter().all(|(made, _)| made.name != name.name));
            let extra = inner
                .made
                .iter()
                .find(|(made, _)| names.iter().all(|(name, _)| name.name != made.name));
            if let Some((name, _)) = missing.or(extra) {
                let d = Diagnostic::error(
                    codes::OR_BINDINGS,
                    part.span,
                    format!(
                        "`{}` is not bound by every alternative of this pattern",
                        name.name
                    ),
                )
                .help("bind the same names in each alternative, or write separate arms");
                self.cx.report(d);
            }
        }
        Pattern::Or(out)
    }
}

/// The name, if a pattern is nothing but a name.
pub(crate) fn simple_name(pattern: &ast::Pattern) -> Option<Ident> {
    match pattern.kind {
        PatternKind::Name(name) => Some(name),
        _ => None,
    }
}

/// Every name that a pattern may bind.
pub(crate) fn bound_names(pattern: &ast::Pattern, out: &mut Vec<Symbol>) {
    match &pattern.kind {
        PatternKind::Name(name) | PatternKind::Rest(Some(name)) => out.push(name.name),
        PatternKind::Tuple(parts) | PatternKind::Array(parts) | PatternKind::Or(parts) => {
            parts.iter().for_each(|part| bound_names(part, out));
        }
        PatternKind::Constructor { args, .. } => {
            args.iter().for_each(|(_, part)| bound_names(part, out))
        }
        PatternKind::Fields { fields, .. } => {
            fields.iter().for_each(|(_, part)| bound_names(part, out))
        }
        _ => {}
    }
}
