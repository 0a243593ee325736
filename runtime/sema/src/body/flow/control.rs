//! Conditions, `if`, `match`, and how branch values become one value. `with` is in `with.rs`.

use super::convert::Why;
use super::finish::{MatchCheck, MatchRow};
use super::presence::Ends;
use super::*;
use crate::codes;
use crate::typed::{Arm, Expr, Pattern};
use simple_syntax::Diagnostic;
use simple_syntax::ast::{self, PatternKind};

impl<'c, 'a> Body<'c, 'a> {
    /// An expression that decides: a `bool` or a presence check.
    pub(crate) fn condition(&mut self, e: &'a ast::Expr) -> Expr {
        match &e.kind {
            ast::ExprKind::Presence(inner) => self.presence_test(inner, e.span),
            ast::ExprKind::Paren(inner) => self.condition(inner),
            _ => {
                let value = self.expr(e, Want::Ty(TyId::BOOL));
                self.coerce(value, TyId::BOOL, Why::Condition)
            }
        }
    }

    /// The same of the second operand of `and` and `or`, which is computed where the first one holds, or does not.
    pub(crate) fn condition_where(&mut self, first: &Expr, holds: bool, e: &'a ast::Expr) -> Expr {
        let before = self.scopes.present().clone();
        self.assume(first, holds);
        let value = self.condition(e);
        *self.scopes.present_mut() = before;
        value
    }

    /// The condition of `if` and `while`; binds its names in the current scope.
    pub(crate) fn cond(&mut self, cond: &'a ast::Cond) -> Cond {
        match cond {
            ast::Cond::Expr(e) => Cond::Expr(self.condition(e)),
            ast::Cond::Let {
                mutable,
                pattern,
                value,
            } => {
                let value = self.expr(value, Want::Any);
                let origin = if *mutable {
                    Origin::Var
                } else {
                    Origin::Pattern
                };
                let ty = value.ty;
                let optional = matches!(self.kind(ty), Ty::Option(_));
                let on_option = self.is_option_pattern(pattern);
                let pattern = match self.kind(ty) {
                    Ty::Option(item) if optional && !on_option => {
                        let inner = self.pattern(pattern, item, origin);
                        Pattern::Some(Box::new(inner))
                    }
                    Ty::Error => {
                        self.pattern_error(pattern);
                        Pattern::Wildcard
                    }
                    kind => {
                        let binds = match &pattern.kind {
                            PatternKind::Wildcard => true,
                            // A capitalised one must mean something, which `name_pattern` sees to.
                            PatternKind::Name(name) => {
                                let capital = name.name.as_str().starts_with(char::is_uppercase);
                                !self.names_variant(pattern, ty) && (*mutable || !capital)
                            }
                            _ => false,
                        };
                        if binds {
                            let name = self.show(ty);
                            let mut d = Diagnostic::error(
                                codes::BAD_PATTERN,
                                value.span,
                                format!("`{name}` is not optional, so this is always bound"),
                            )
                            .found_expected(name, "an optional value");
                            if let Ty::Result(..) = kind {
                                d = d.help("match it: `if val Ok(x) = ...:`");
                            }
                            self.cx.report(d);
                        }
                        self.pattern(pattern, ty, origin)
                    }
                };
                Cond::Pattern(pattern, value)
            }
        }
    }

    /// Whether a pattern speaks about presence itself.
    pub(crate) fn is_option_pattern(&self, pattern: &ast::Pattern) -> bool {
        match &pattern.kind {
            PatternKind::Nil => true,
            PatternKind::Name(name) => name.name.as_str() == "None",
            PatternKind::Constructor { path, .. } => path.last().name.as_str() == "Some",
            PatternKind::Path(path) => path.last().name.as_str() == "None",
            PatternKind::Or(parts) => parts.iter().any(|p| self.is_option_pattern(p)),
            _ => false,
        }
    }

    pub(crate) fn if_expr(&mut self, node: &'a ast::If, want: Want, span: Span) -> Expr {
        let want = if node.otherwise.is_none() && want != Want::Discard {
            if let Want::Ty(ty) = want
                && self.shallow(ty) != TyId::UNIT
                && !self.is_unknown(ty)
            {
                // The caller reports that a value is missing on the path where nothing holds.
            } else if matches!(want, Want::Any | Want::Like(_)) {
                let d = Diagnostic::error(
                    codes::TYPE_MISMATCH,
                    span,
                    "an `if` used as a value needs an `else`",
                );
                self.cx.report(d);
            }
            Want::Discard
        } else {
            want
        };
        let mut branches = Vec::with_capacity(node.branches.len());
        let mut values = Vec::with_capacity(node.branches.len() + 1);
        let mut types = Vec::new();
        let mut ends = Ends::default();
        for (cond, block) in &node.branches {
            let mark = self.open();
            let cond = self.cond(cond);
            // What is known where no condition held so far.
            let before = self.scopes.present().clone();
            self.assume_cond(&cond, true);
            let hint = self.branch_want(want, &types);
            let value = self.branch(block, hint);
            self.close(mark);
            let end = std::mem::replace(self.scopes.present_mut(), before);
            ends.add(end, value.ty == TyId::NEVER);
            self.assume_cond(&cond, false);
            branches.push(cond);
            note_type(&mut types, value.ty);
            values.push(value);
        }
        let otherwise = node.otherwise.as_ref().map(|block| {
            let hint = self.branch_want(want, &types);
            self.branch(block, hint)
        });
        let never = otherwise.as_ref().is_some_and(|e| e.ty == TyId::NEVER);
        let end = std::mem::take(self.scopes.present_mut());
        ends.add(end, never);
        *self.scopes.present_mut() = ends.meet();
        let has_else = otherwise.is_some();
        values.extend(otherwise);
        let (mut values, ty) = self.join(values, want, has_else);
        let mut result = if has_else { values.pop() } else { None };
        for (cond, then) in branches.into_iter().zip(values).rev() {
            let never =
                then.ty == TyId::NEVER && result.as_ref().is_some_and(|e| e.ty == TyId::NEVER);
            let ty = if never { TyId::NEVER } else { ty };
            let kind = ExprKind::If {
                cond: Box::new(cond),
                then: Box::new(then),
                otherwise: result.map(Box::new),
            };
            result = Some(self.mk(kind, ty, span));
        }
        result.unwrap_or_else(|| self.bad(span))
    }

    /// The block of a branch. A value that is known to be there is its payload, unless an optional is asked for.
    fn branch(&mut self, block: &'a ast::Block, want: Want) -> Expr {
        let value = self.block(block, want);
        match want {
            Want::Ty(_) | Want::Discard => value,
            Want::Any | Want::Tail | Want::Like(_) => self.present_payload(value),
        }
    }

    /// What a further branch should yield, given the types of those before it.
    pub(crate) fn branch_want(&mut self, want: Want, types: &[TyId]) -> Want {
        match want {
            Want::Ty(ty) if !self.is_unknown(ty) => want,
            Want::Discard => want,
            _ => {
                let known = types.iter().map(|&ty| self.shallow(ty)).find(|&ty| {
                    ty != TyId::NEVER
                        && ty != TyId::ERROR
                        && !matches!(self.ty(ty), Ty::Unit | Ty::Option(_))
                });
                match (known, want) {
                    // A literal in a later branch takes the type of an earlier one; other values are joined below, also `nil` further inside.
                    (Some(ty), Want::Any | Want::Like(_)) => Want::Like(ty),
                    (Some(ty), _)
                        if matches!(self.ty(ty), Ty::Int(_) | Ty::F32 | Ty::F64)
                            && want != Want::Tail =>
                    {
                        Want::Ty(ty)
                    }
                    _ => match want {
                        Want::Ty(_) => Want::Tail,
                        want => want,
                    },
                }
            }
        }
    }

    /// Reports branches of which one is a plain value and another a recursive call that was taken to yield `()`: that it yields nothing was
    /// a guess, which would make the function one without a result.
    fn hides_result(&mut self, values: &[Expr]) -> bool {
        fn last(e: &Expr) -> &Expr {
            match &e.kind {
                ExprKind::Block(_, Some(tail)) => last(tail),
                _ => e,
            }
        }
        use ExprKind::{Bool, Float, Int, Text};
        let mut plain = values.iter().map(|value| &last(value).kind);
        if !plain.any(|kind| matches!(kind, Bool(_) | Int(_) | Float(_) | Text(_))) {
            return false;
        }
        let calls = self.cx.instances().unit_calls();
        let guessed = values.iter().map(last).find_map(|value| {
            let mut calls = calls.iter();
            calls.find(|(_, span)| *span == value.span && matches!(value.kind, ExprKind::Call(..)))
        });
        let Some(&(number, span)) = guessed else {
            return false;
        };
        let decl = self.cx.decls()[self.cx.instances()[number].fn_idx].decl;
        self.cx.recursive_inference(decl, span);
        true
    }

    /// Makes branch values one type. `complete` says that one of them is always chosen.
    pub(crate) fn join(
        &mut self,
        values: Vec<Expr>,
        want: Want,
        complete: bool,
    ) -> (Vec<Expr>, TyId) {
        let discard = |this: &mut Self, values: Vec<Expr>| {
            if want != Want::Discard {
                values.iter().for_each(|v| this.dropped_result(v));
            }
            let values = values.into_iter().map(|v| this.discarded(v)).collect();
            (values, TyId::UNIT)
        };
        if want == Want::Discard || !complete {
            return discard(self, values);
        }
        if let Want::Ty(ty) = want
            && !self.is_unknown(ty)
        {
            let ty = self.shallow(ty);
            let lacking = values.iter().position(|v| v.ty == TyId::UNIT);
            if ty == TyId::UNIT {
                return discard(self, values);
            }
            if let Some(index) = lacking
                && values
                    .iter()
                    .all(|v| v.ty == TyId::UNIT || v.ty == TyId::NEVER)
            {
                let _ = index;
                return discard(self, values);
            }
            let values = values
                .into_iter()
                .map(|v| self.coerce(v, ty, Why::Branch))
                .collect();
            return (values, ty);
        }
        let mut joined: Option<TyId> = None;
        let mut agree = true;
        for value in &values {
            let ty = self.resolve(value.ty);
            if ty == TyId::NEVER {
                continue;
            }
            joined = match joined {
                None => Some(ty),
                Some(before) => match self.join_types(before, ty) {
                    Some(ty) => Some(ty),
                    None => {
                        agree = false;
                        break;
                    }
                },
            };
        }
        let Some(ty) = joined else {
            return (values, TyId::NEVER);
        };
        if !agree {
            if matches!(want, Want::Any | Want::Like(_)) {
                let mut names: Vec<String> = Vec::new();
                for value in &values {
                    let name = self.show(value.ty);
                    if value.ty != TyId::NEVER && !names.contains(&name) {
                        names.push(name);
                    }
                }
                let span = values
                    .iter()
                    .find(|v| self.shallow(v.ty) != self.shallow(ty))
                    .map_or(values[0].span, |v| v.span);
                let expected = names.first().cloned().unwrap_or_default();
                let found = names.get(1).cloned().unwrap_or_default();
                let d = Diagnostic::error(
                    codes::TYPE_MISMATCH,
                    span,
                    "the branches have different types",
                )
                .found_expected(found, expected);
                self.cx.report(d);
                return (values, TyId::ERROR);
            }
            if self.hides_result(&values) {
                return (values, TyId::ERROR);
            }
            return discard(self, values);
        }
        let values = values
            .into_iter()
            .map(|v| {
                if v.ty == TyId::NEVER {
                    v
                } else {
                    self.coerce(v, ty, Why::Branch)
                }
            })
            .collect();
        (values, ty)
    }

    /// The type that values of both types convert to, if there is one.
    pub(crate) fn join_types(&mut self, a: TyId, b: TyId) -> Option<TyId> {
        let (a, b) = (self.resolve(a), self.resolve(b));
        if a == b || b == TyId::NEVER || b == TyId::ERROR {
            return Some(a);
        }
        if a == TyId::NEVER || a == TyId::ERROR {
            return Some(b);
        }
        let unknown_option = |this: &Self, ty: TyId| match this.ty(ty) {
            Ty::Option(item) => this.is_unknown(*item),
            _ => false,
        };
        if unknown_option(self, a) && !matches!(self.ty(b), Ty::Option(_) | Ty::Infer(_)) {
            return (b != TyId::UNIT).then(|| self.intern(Ty::Option(b)));
        }
        if unknown_option(self, b) && !matches!(self.ty(a), Ty::Option(_) | Ty::Infer(_)) {
            return (a != TyId::UNIT).then(|| self.intern(Ty::Option(a)));
        }
        if self.convertible(a, b) {
            return Some(b);
        }
        if self.convertible(b, a) {
            return Some(a);
        }
        (self.could_unify(a, b) && self.unify(a, b)).then_some(a)
    }

    /// The pattern of an arm. After an arm that takes `nil`, a name means the payload of an optional.
    fn arm_pattern(&mut self, pattern: &'a ast::Pattern, ty: TyId, nil_taken: bool) -> Pattern {
        if let (true, PatternKind::Name(_), Ty::Option(item)) =
            (nil_taken, &pattern.kind, self.kind(ty))
            && !matches!(self.kind(item), Ty::Option(_))
        {
            let inner = self.pattern(pattern, item, Origin::Pattern);
            return Pattern::Some(Box::new(inner));
        }
        self.pattern(pattern, ty, Origin::Pattern)
    }

    pub(crate) fn match_expr(
        &mut self,
        scrutinee: &'a ast::Expr,
        arms: &'a [ast::MatchArm],
        want: Want,
        span: Span,
    ) -> Expr {
        let mut value = self.expr(scrutinee, Want::Any);
        let on_option = arms.iter().any(|arm| self.is_option_pattern(&arm.pattern));
        let catch_all =
            |p: &ast::Pattern| matches!(p.kind, PatternKind::Wildcard | PatternKind::Name(_));
        if !on_option && !arms.iter().all(|arm| catch_all(&arm.pattern)) {
            value = self.unwrap_lenient(value);
        }
        let ty = self.resolve(value.ty);
        if ty == TyId::ERROR {
            self.match_of_error(arms, want);
            return self.bad(span);
        }
        let mut rows = Vec::with_capacity(arms.len());
        let mut parts = Vec::with_capacity(arms.len());
        let mut sound = true;
        let mut nil_taken = false;
        let mut values: Vec<Expr> = Vec::with_capacity(arms.len());
        let mut types = Vec::new();
        let mut ends = Ends::default();
        for arm in arms {
            let mark = self.open();
            let around = self.scopes.present().clone();
            let before = self.cx.reports().mark();
            let pattern = self.arm_pattern(&arm.pattern, ty, nil_taken);
            sound &= self.cx.reports().sound_since(before);
            self.assume_arm(&value, &pattern, nil_taken);
            let guard = arm.guard.as_ref().map(|guard| {
                let guard = self.expr(guard, Want::Ty(TyId::BOOL));
                self.coerce(guard, TyId::BOOL, Why::Guard)
            });
            let hint = self.branch_want(want, &types);
            let body = self.branch(&arm.body, hint);
            self.close(mark);
            let end = std::mem::replace(self.scopes.present_mut(), around);
            ends.add(end, body.ty == TyId::NEVER);
            nil_taken |= guard.is_none() && matches!(pattern, Pattern::Nil);
            note_type(&mut types, body.ty);
            rows.push(MatchRow {
                pattern: pattern.clone(),
                guarded: guard.is_some(),
                span: arm.pattern.span,
                user: true,
            });
            parts.push((pattern, guard));
            values.push(body);
        }
        if !arms.is_empty() {
            *self.scopes.present_mut() = ends.meet();
        }
        self.check_strong(ty, arms);
        if sound {
            self.duties.add_match(MatchCheck {
                ty,
                rows,
                span: scrutinee.span,
                binding: false,
            });
        }
        if ty == TyId::TEXT {
            for (pattern, _) in &parts {
                self.matched_words(&value, pattern);
            }
        }
        if arms.is_empty() {
            return self.mk(
                ExprKind::Match {
                    scrutinee: Box::new(value),
                    arms: Vec::new(),
                },
                TyId::UNIT,
                span,
            );
        }
        let never = values.iter().all(|v| v.ty == TyId::NEVER);
        let (values, ty) = self.join(values, want, true);
        let ty = if never { TyId::NEVER } else { ty };
        let arms = parts.into_iter().zip(values);
        let arms = arms.map(|((pattern, guard), body)| Arm {
            pattern,
            guard,
            body,
        });
        let kind = ExprKind::Match {
            scrutinee: Box::new(value),
            arms: arms.collect(),
        };
        self.mk(kind, ty, span)
    }

    /// Checks the arms of a `match` whose value is a mistake.
    fn match_of_error(&mut self, arms: &'a [ast::MatchArm], want: Want) {
        for arm in arms {
            let mark = self.open();
            self.pattern_error(&arm.pattern);
            if let Some(guard) = &arm.guard {
                self.expr(guard, Want::Any);
            }
            let want = match want {
                Want::Ty(_) | Want::Like(_) => want,
                _ => Want::Tail,
            };
            self.block(&arm.body, want);
            self.close(mark);
        }
    }

    /// Reports an arm `_` of a `match` on a `@strong` enum.
    fn check_strong(&mut self, ty: TyId, arms: &[ast::MatchArm]) {
        let wildcard = |arm: &&ast::MatchArm| matches!(arm.pattern.kind, PatternKind::Wildcard);
        if let Ty::Adt(adt) = *self.ty(ty)
            && self.cx.decls()[self.cx.decl_of(adt)].strong
            && let Some(arm) = arms.iter().find(wildcard)
        {
            let message = "a `@strong` enum forbids `_`";
            let d = Diagnostic::error(codes::BAD_PATTERN, arm.pattern.span, message)
                .help("name every variant");
            self.cx.report(d);
        }
    }
}

/// Adds the type of a branch to those of the branches before it, each of which is there once: a match may have a hundred thousand.
fn note_type(types: &mut Vec<TyId>, ty: TyId) {
    if !types.contains(&ty) {
        types.push(ty);
    }
}
