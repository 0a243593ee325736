//! `/` of integers where a fraction is meant (W0434): in Python it yields a float.
//!
//! A quotient counts where it is written or through the variable that it was bound to. Where a float is expected every one is reported, and so is
//! one that a tensor is combined with. Where a whole number is just as well, in what tensors are made of and in what is printed, it is
//! reported only if it is hardly meant: `1 / n`, or a quotient after a word such as "accuracy". Leaves out what is exact.

use super::*;
use crate::codes;
use crate::typed::Pattern;
use simple_syntax::Diagnostic;
use simple_syntax::ast;

/// Words before printed numbers that have fractions.
const FRACTIONS: &[&str] = &[
    "accuracy",
    "acc",
    "rate",
    "ratio",
    "mean",
    "average",
    "avg",
    "precision",
    "recall",
    "f1",
    "percent",
    "percentage",
    "fraction",
    "loss",
    "%",
];

impl<'c, 'a> Body<'c, 'a> {
    /// Where a value was made by dividing integers, unless it is known that nothing remains.
    pub(in crate::body) fn division(&self, value: &Expr) -> Option<Span> {
        match &value.kind {
            ExprKind::Arith(ArithOp::Div, a, b) => {
                let exact = match (&a.kind, &b.kind) {
                    (ExprKind::Int(a), ExprKind::Int(b)) => a.checked_rem(*b) == Some(0),
                    _ => false,
                };
                let integers = matches!(self.ty(self.shallow(value.ty)), Ty::Int(_));
                (integers && !exact).then_some(value.span)
            }
            ExprKind::Neg(inner) | ExprKind::Some(inner) | ExprKind::Let(_, _, inner) => {
                self.division(inner)
            }
            ExprKind::Convert(Convert::ToTrait, inner) => self.division(inner),
            // The last value of a body is its result.
            ExprKind::Block(_, Some(tail)) => self.division(tail),
            ExprKind::If {
                then, otherwise, ..
            } => {
                let other = || otherwise.as_ref().and_then(|other| self.division(other));
                self.division(then).or_else(other)
            }
            ExprKind::Match { arms, .. } => arms.iter().find_map(|arm| self.division(&arm.body)),
            ExprKind::Local(id) => self.meta(*id).source.division,
            ExprKind::Global(id) => self.cx.global(*id).source.division,
            _ => None,
        }
    }

    /// Reports `value` if it is a quotient of integers and becomes a float at `place`.
    pub(in crate::body) fn float_of_division(&mut self, value: &Expr, place: Span) {
        let Some(span) = self.division(value) else {
            return;
        };
        if !self.in_library() {
            self.reported_division(span, place);
        }
    }

    fn reported_division(&mut self, span: Span, place: Span) {
        let message = "`/` of two integers drops what remains before the result becomes a float";
        let mut d = Diagnostic::warning(codes::INTEGER_DIVISION, span, message)
            .help("for a fraction make one side a float: `a as f64 / b`; for a whole number say `(a / b) as f64`");
        if !(place.lo <= span.lo && span.hi <= place.hi) {
            d = d.related(place, "a float is expected here");
        }
        self.cx.report(d);
    }

    /// Reports a quotient of integers that a tensor is combined with.
    pub(in crate::body) fn tensor_operand(&mut self, left: &Expr, right: &Expr) {
        if self.is_tensor(left.ty) {
            self.float_of_division(right, right.span);
        } else if self.is_tensor(right.ty) {
            self.float_of_division(left, left.span);
        }
    }

    /// Reports a quotient that is hardly meant as a whole number, where one would do.
    fn hardly_whole(&mut self, span: Span) {
        if self.in_library() {
            return;
        }
        let message = "`/` of two integers drops what remains, so this is a whole number";
        let d = Diagnostic::warning(codes::INTEGER_DIVISION, span, message)
            .help("for a fraction make one side a float: `a as f64 / b`; for a whole number bind it to a variable of type `i64`");
        self.cx.report(d);
    }

    /// Whether a value is `1 / n`: below 1 for every `n` but one.
    fn small_over(&self, value: &Expr) -> Option<Span> {
        match &value.kind {
            ExprKind::Arith(ArithOp::Div, a, b) => {
                let small = matches!(a.kind, ExprKind::Int(n) if (1..=9).contains(&n));
                let open = !matches!(b.kind, ExprKind::Int(_));
                (small && open).then_some(value.span)
            }
            ExprKind::Neg(inner) => self.small_over(inner),
            _ => None,
        }
    }

    /// Reports quotients among the arguments of a function that takes numbers of any type: all of those that a tensor is combined with, and of
    /// those that a tensor is made of the ones that are hardly meant.
    pub(in crate::body) fn quotients_for_tensor(
        &mut self,
        fn_idx: FnIdx,
        scope: &TypeScope,
        (combined, made): (bool, TyId),
        values: &[Expr],
    ) {
        if self.in_library() || !combined && !self.is_tensor(made) {
            return;
        }
        let params = &self.cx.decls()[fn_idx].decl.params;
        let mut found = Vec::new();
        for (param, value) in params.iter().zip(values) {
            let elements = match &value.kind {
                ExprKind::Array(items) => &items[..],
                _ => std::slice::from_ref(value),
            };
            for element in elements {
                let at = match combined {
                    true => self.division(element),
                    false => self.small_over(element),
                };
                found.extend(at.map(|at| (param, element.span, at)));
            }
        }
        for (param, place, at) in found {
            if !self.takes_floats(fn_idx, param, scope) {
                continue;
            }
            match combined {
                true => self.reported_division(at, place),
                false => self.hardly_whole(at),
            }
        }
    }

    /// Whether a parameter of any type that has a trait takes floats as well as integers, alone or in an array. A subscript does not.
    fn takes_floats(&mut self, fn_idx: FnIdx, param: &'a ast::Param, scope: &TypeScope) -> bool {
        let Some(written) = &param.ty else {
            return false;
        };
        let named = match &written.kind {
            ast::TypeExprKind::Optional(inner) => inner,
            _ => written,
        };
        let ast::TypeExprKind::Named { path, .. } = &named.kind else {
            return false;
        };
        let name = path.last().name;
        let bounds = self.cx.bounds_of(fn_idx, scope);
        let mut traits: Vec<TraitIdx> = bounds
            .into_iter()
            .filter_map(|(of, idx, _)| (of == name).then_some(idx))
            .collect();
        if let Some(Def::Trait(idx)) = self.cx.lookup(scope.module, name) {
            traits.push(idx);
        }
        let floats = self.intern(Ty::Array(TyId::F64));
        let takes = |this: &mut Self, of| {
            this.cx.implements(TyId::F64, of) || this.cx.implements(floats, of)
        };
        !traits.is_empty() && traits.into_iter().all(|of| takes(self, of))
    }

    /// Reports a printed quotient of integers after a word that is said of fractions.
    pub(in crate::body) fn printed_quotients(&mut self, values: &[Expr]) {
        for pair in values.windows(2) {
            let printed = match &pair[1].kind {
                ExprKind::ToText(inner) => inner,
                _ => &pair[1],
            };
            let (ExprKind::Text(label), Some(at)) = (&pair[0].kind, self.division(printed)) else {
                continue;
            };
            let label = label.to_lowercase();
            let mut words = label.split(|c: char| !c.is_alphanumeric() && c != '%');
            if words.any(|word| FRACTIONS.contains(&word)) {
                self.hardly_whole(at);
            }
        }
    }

    /// Notes what variables of a pattern are bound to where a tuple is taken apart.
    pub(in crate::body) fn note_parts(&mut self, pattern: &Pattern, value: &Expr) {
        let (Pattern::Tuple(parts), ExprKind::Tuple(items)) = (pattern, &value.kind) else {
            return;
        };
        for (part, item) in parts.iter().zip(items) {
            match part {
                Pattern::Bind(local) => {
                    let division = self.division(item);
                    self.scopes.frame_mut().meta[local.0 as usize]
                        .source
                        .division = division;
                }
                part => self.note_parts(part, item),
            }
        }
    }
}
