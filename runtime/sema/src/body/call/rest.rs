//! Arguments of a parameter or field that takes any number of them, `xs: T...` or `xs: [T]...`.
//!
//! ```text
//! xs: i64...      f(2, 3)   f(*sizes)                                             one by one
//! xs: [i64]...    f(2, 3)   f(*sizes)   f([2, 3])   f((2, 3))   f(xs: [2, 3])     or as one array
//! ```
//!
//! All forms become one array here, so that nothing after the checker knows of them. Of an argument alone the type says
//! what it is: an array is the whole, also where the elements are arrays, and so is a tuple where they are integers;
//! anything else is the only element. The type must be known before the argument is checked against `T` or `[T]`,
//! because literals, lambdas and objects of traits take their type from what is expected. Where its form does not tell,
//! it is rehearsed. Next: `args.rs`.

use super::args::{Callee, Given, GivenValue};
use super::convert::Why;
use super::slots::Slot;
use super::*;
use crate::codes;
use crate::typed::Expr;
use rustc_hash::FxHashMap;
use simple_syntax::Diagnostic;
use simple_syntax::ast::{self, Takes};

/// What arguments alone are, for as long as the outermost of them is being checked: without it, those inside each other
/// would be rehearsed twice for every level.
#[derive(Default)]
pub(in crate::body) struct Alone {
    depth: usize,
    arrays: FxHashMap<Span, bool>,
}

/// A slot that takes any number of arguments, and the words of messages about it.
#[derive(Clone, Copy)]
struct Row<'s> {
    name: &'s str,
    /// `[T]` and `T`.
    ty: TyId,
    item: TyId,
    why: Why<'s>,
    /// How its arguments can be given, if in two ways.
    forms: Option<&'s str>,
}

impl<'c, 'a> Body<'c, 'a> {
    /// The arguments of a variadic slot as one array.
    pub(in crate::body) fn rest(
        &mut self,
        (slots, at): (&[Slot<'a>], usize),
        indexes: &[usize],
        given: &mut [Given<'a>],
        callee: Callee<'_>,
        span: Span,
    ) -> Expr {
        let slot = &slots[at];
        let ty = self.settle_associated(slot.ty);
        let item = match self.kind(ty) {
            Ty::Array(item) => item,
            _ => TyId::ERROR,
        };
        let forms = (slot.takes == Takes::RestOrArray).then(|| forms(slots, at, callee));
        let name = slot.name.as_str();
        let why = match &forms {
            Some(forms) => Why::Elements(name, callee.member, forms),
            None => Why::Argument(name),
        };
        let forms = forms.as_deref();
        let row = Row {
            name,
            ty,
            item,
            why,
            forms,
        };
        if let [index] = indexes {
            let only = &mut given[*index];
            match (only.spread, row.forms) {
                (true, _) => return self.given_value(only, ty, row.why),
                (false, Some(_)) => return self.alone(only, row, true),
                (false, None) => {}
            }
        }
        // Runs of plain arguments become arrays, which are joined with the spread ones.
        let mut joined: Option<Expr> = None;
        let mut items = Vec::new();
        for &index in indexes {
            if !given[index].spread {
                let value = match row.forms {
                    Some(_) => self.one_of_many(&mut given[index], row),
                    None => Ok(self.given_value(&mut given[index], item, row.why)),
                };
                match value {
                    Ok(value) => items.push(value),
                    Err(value) => {
                        self.refused(&value, (slots, at), (indexes, index), given, row);
                        return self.bad(span);
                    }
                }
                continue;
            }
            if !items.is_empty() {
                let run = self.mk(ExprKind::Array(std::mem::take(&mut items)), ty, span);
                joined = Some(self.joined(joined, run, ty, span));
            }
            let spread = self.given_value(&mut given[index], ty, row.why);
            joined = Some(self.joined(joined, spread, ty, span));
        }
        if items.is_empty()
            && let Some(joined) = joined
        {
            return joined;
        }
        let run = self.mk(ExprKind::Array(items), ty, span);
        self.joined(joined, run, ty, span)
    }

    /// The value of a `[T]...` that is given by its name: an array, or a tuple of integers.
    pub(in crate::body) fn named_rest(
        &mut self,
        given: &mut Given<'a>,
        (slot, ty): (&Slot<'a>, TyId),
        why: Why<'_>,
    ) -> Expr {
        let (Takes::RestOrArray, Ty::Array(item)) = (slot.takes, self.kind(ty)) else {
            return self.given_value(given, ty, why);
        };
        let row = Row {
            name: slot.name.as_str(),
            ty,
            item,
            why,
            forms: None,
        };
        self.alone(given, row, false)
    }

    fn joined(&mut self, before: Option<Expr>, more: Expr, ty: TyId, span: Span) -> Expr {
        match before {
            Some(before) => self.mk(ExprKind::Concat(Box::new(before), Box::new(more)), ty, span),
            None => more,
        }
    }

    /// The only argument of a `[T]...`: the array, or its only element if `may_be_element`.
    fn alone(&mut self, given: &mut Given<'a>, row: Row<'_>, may_be_element: bool) -> Expr {
        let e = match &mut given.value {
            GivenValue::Ast(e) => *e,
            GivenValue::Typed(value) => {
                return match value.take() {
                    Some(value) => self.whole_of(value, row, may_be_element),
                    None => self.bad(given.span),
                };
            }
            GivenValue::Block(_) => {
                let value = self.given_value(given, row.item, row.why);
                return self.row_of(vec![value], row, given.span);
            }
        };
        self.alone.depth += 1;
        let value = self.written_alone(e, row, may_be_element);
        self.alone.depth -= 1;
        if self.alone.depth == 0 {
            self.alone.arrays.clear();
        }
        value
    }

    fn written_alone(&mut self, e: &'a ast::Expr, row: Row<'_>, may_be_element: bool) -> Expr {
        use ast::ExprKind as K;
        let integers = matches!(self.kind(row.item), Ty::Int(_));
        match &ops::strip(e).kind {
            K::Array(elements) => {
                // Of an array that can only be one element the whole is reported, not each number in it.
                let flat = matches!(self.kind(row.item), Ty::Array(_)) && is_flat(elements);
                let value = match flat {
                    true => self.expr(e, Want::Any),
                    false => self.argument(e, row.ty),
                };
                return self.coerce(value, row.ty, row.why);
            }
            K::ArrayComprehension(..) => {
                let value = self.argument(e, row.ty);
                return self.coerce(value, row.ty, row.why);
            }
            K::Tuple(parts) if integers => {
                let items = parts.iter().map(|(_, part)| {
                    let value = self.expr(part, Want::Ty(row.item));
                    self.coerce(value, row.item, row.why)
                });
                let items = items.collect();
                return self.row_of(items, row, e.span);
            }
            K::Unit if integers => return self.row_of(Vec::new(), row, e.span),
            _ => {}
        }
        let value = if !may_be_element || self.is_array(e, row.item) {
            self.argument(e, row.ty)
        } else if self.needs_want(row.item) {
            self.argument(e, row.item)
        } else {
            let like = self.literal_type(row.item);
            self.expr(e, Want::Like(like))
        };
        self.whole_of(value, row, may_be_element)
    }

    /// Whether an argument alone is the array, as far as that must be known before it is checked.
    fn is_array(&mut self, e: &'a ast::Expr, item: TyId) -> bool {
        use ast::ExprKind as K;
        let inner = ops::strip(e);
        let is_element = matches!(
            inner.kind,
            K::Int(..)
                | K::Float(..)
                | K::Bool(_)
                | K::Text(_)
                | K::Nil
                | K::Tuple(_)
                | K::Dict(_)
                | K::Set(_)
                | K::StructLit { .. }
                | K::Lambda(_)
                | K::MethodRef(_)
        );
        if is_element || !self.needs_want(item) || super::lambda::has_placeholder(e) {
            return false;
        }
        if let Some(&known) = self.alone.arrays.get(&e.span) {
            return known;
        }
        let found = self.rehearse(|this| {
            let value = this.expr(e, Want::Any);
            this.holds_array(&value, item)
        });
        self.alone.arrays.insert(e.span, found);
        found
    }

    /// Whether a value is the array of a `[T]...` that it is given for alone. In generic code a value of a type
    /// parameter is an element, whatever the parameter is when the code runs. An option of an array is the array,
    /// unless the elements are options themselves.
    fn holds_array(&mut self, value: &Expr, item: TyId) -> bool {
        let ty = self.shallow(value.ty);
        let of_options = matches!(self.kind(item), Ty::Option(_));
        let ty = match *self.ty(ty) {
            Ty::Option(inner) if !of_options => self.shallow(inner),
            _ => ty,
        };
        match self.ty(ty) {
            Ty::Param(_) => {
                if self.purpose.notes_bounds() {
                    let promises = self.cx.instances_mut().promises_mut();
                    promises.note_element(value.span);
                }
                false
            }
            Ty::Array(_) => !self.cx.instances().promises().is_element(value.span),
            _ => false,
        }
    }

    /// Whether what is expected makes a difference for values of a type, beyond the literals in them.
    fn needs_want(&mut self, item: TyId) -> bool {
        let item = self.shallow(item);
        let plain = matches!(
            self.ty(item),
            Ty::Bool | Ty::Text | Ty::Adt(_) | Ty::Param(_) | Ty::Infer(_) | Ty::Error
        );
        !plain && item != TyId::I64
    }

    /// The array that a value given alone is or is the only element of.
    fn whole_of(&mut self, value: Expr, row: Row<'_>, may_be_element: bool) -> Expr {
        let span = value.span;
        let ty = self.shallow(value.ty);
        if ty == TyId::ERROR {
            self.give_up(row.ty);
            return self.bad(span);
        }
        if let (Ty::Tuple(members), Ty::Int(_)) = (self.kind(ty), self.kind(row.item)) {
            let local = self.temp(ty, span);
            let items = members.into_iter().zip(0..).map(|((_, member), number)| {
                let tuple = Box::new(self.read(local, span));
                let part = self.mk(ExprKind::Field(tuple, number), member, span);
                self.coerce(part, row.item, row.why)
            });
            let items = items.collect();
            let array = self.row_of(items, row, span);
            return self.with_lets(vec![(local, value)], array);
        }
        // Where neither is known yet, it is the array, as for a parameter `[T]`.
        let unknown = self.is_unknown(ty) && !self.is_unknown(row.item);
        if !may_be_element || unknown || self.holds_array(&value, row.item) {
            return self.coerce(value, row.ty, row.why);
        }
        let value = self.coerce(value, row.item, row.why);
        self.row_of(vec![value], row, span)
    }

    fn row_of(&mut self, items: Vec<Expr>, row: Row<'_>, span: Span) -> Expr {
        self.mk(ExprKind::Array(items), row.ty, span)
    }

    /// One of several arguments of a `[T]...` as an element, or back if it cannot be one.
    fn one_of_many(&mut self, given: &mut Given<'a>, row: Row<'_>) -> Result<Expr, Expr> {
        let value = match &mut given.value {
            GivenValue::Ast(e) => {
                let e: &'a ast::Expr = e;
                self.argument(e, row.item)
            }
            GivenValue::Typed(value) => match value.take() {
                Some(value) => value,
                None => self.bad(given.span),
            },
            GivenValue::Block(_) => return Ok(self.given_value(given, row.item, row.why)),
        };
        if self.shallow(value.ty) == TyId::ERROR {
            self.give_up(row.item);
            return Ok(value);
        }
        self.try_coerce(value, row.item)
    }

    /// Reports an argument that cannot be an element: an array beside others, one that is given by name, or one of a
    /// wrong type.
    fn refused(
        &mut self,
        value: &Expr,
        (slots, at): (&[Slot<'a>], usize),
        (indexes, index): (&[usize], usize),
        given: &mut [Given<'a>],
        row: Row<'_>,
    ) {
        self.give_up(row.item);
        if !self.is_row(value, row.item) {
            let first = index == indexes[0];
            match first || !self.named_after(value, slots.get(at + 1), row) {
                true => self.mismatch(value, row.item, row.why),
                false => self.give_by_name(value, &slots[at + 1], row),
            }
            return;
        }
        // `zeros([2, 3], "f32")` has its array; what follows is not one more element.
        if let [first, second, ..] = *indexes
            && index == first
            && !given[second].spread
            && let Err(next) = self.one_of_many(&mut given[second], row)
            && !self.is_row(&next, row.item)
            && self.named_after(&next, slots.get(at + 1), row)
        {
            self.give_by_name(&next, &slots[at + 1], row);
            return;
        }
        let text = self.cx.input().text(value.span).to_owned();
        let message = format!(
            "`{}` is given one by one and as an array at the same time",
            row.name
        );
        let mut d = Diagnostic::error(codes::TYPE_MISMATCH, value.span, message);
        let inside = match value.kind {
            ExprKind::Array(_) => text
                .strip_prefix('[')
                .and_then(|text| text.strip_suffix(']')),
            ExprKind::Tuple(_) => text
                .strip_prefix('(')
                .and_then(|text| text.strip_suffix(')')),
            _ => None,
        };
        if let Some(inside) = inside.filter(|inside| !inside.trim().is_empty()) {
            d = d
                .help(format!("leave out these brackets: `{inside}`"))
                .fix(value.span, inside);
        } else if !matches!(value.kind, ExprKind::Array(_) | ExprKind::Tuple(_))
            && matches!(self.kind(value.ty), Ty::Array(_))
        {
            d = d
                .help(format!(
                    "`*{text}` gives the elements of an array one by one"
                ))
                .fix(value.span, format!("*{text}"));
        }
        d.notes.extend(row.forms.map(str::to_owned));
        self.cx.report(d);
    }

    /// Whether a value is an array or tuple where the elements are neither.
    fn is_row(&mut self, value: &Expr, item: TyId) -> bool {
        let is = |this: &Self, ty: TyId| {
            matches!(this.ty(this.shallow(ty)), Ty::Array(_) | Ty::Tuple(_))
        };
        is(self, value.ty) && !is(self, item)
    }

    /// Whether a value that is not an element may be meant for the slot after, which is given by name.
    fn named_after(&mut self, value: &Expr, next: Option<&Slot<'a>>, row: Row<'_>) -> bool {
        let Some(next) = next.filter(|next| next.named) else {
            return false;
        };
        let number = |this: &Self, ty: TyId| {
            matches!(this.ty(this.shallow(ty)), Ty::Int(_) | Ty::F32 | Ty::F64)
        };
        if number(self, value.ty) && number(self, row.item) {
            return false;
        }
        self.is_unknown(next.ty) || self.convertible(value.ty, next.ty)
    }

    fn give_by_name(&mut self, value: &Expr, next: &Slot<'a>, row: Row<'_>) {
        let text = self.cx.input().text(value.span).to_owned();
        let message = format!("an argument after `{}` is given by its name", row.name);
        let (found, expected) = (self.show(value.ty), self.show(row.item));
        let named = format!("{}: {text}", next.name);
        let mut d = Diagnostic::error(codes::ARG_LABEL, value.span, message)
            .found_expected(found, expected)
            .help(format!("write `{named}`"))
            .fix(value.span, named);
        d.notes.extend(row.forms.map(str::to_owned));
        self.cx.report(d);
    }
}

/// Whether there are elements, and all are literals that no array can be.
fn is_flat(elements: &[ast::Element]) -> bool {
    use ast::ExprKind as K;
    let plain = |element: &ast::Element| match element {
        ast::Element::Expr(e) => matches!(
            ops::strip(e).kind,
            K::Int(..) | K::Float(..) | K::Bool(_) | K::Text(_)
        ),
        ast::Element::Spread(_) => false,
    };
    !elements.is_empty() && elements.iter().all(plain)
}

/// The two forms of the arguments of a slot, as a note.
pub(in crate::body) fn forms(slots: &[Slot<'_>], at: usize, callee: Callee<'_>) -> String {
    let before: String = slots[..at]
        .iter()
        .map(|slot| format!("{}, ", slot.name))
        .collect();
    let (name, row) = (callee.name, slots[at].name);
    format!(
        "`{row}` is given one by one or as an array: `{name}({before}a, b)` or `{name}({before}[a, b])`"
    )
}
