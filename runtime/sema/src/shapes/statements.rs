//! The walk over statements: branches are walked with a copy of what is known each and joined, loops until nothing becomes less known.
//!
//! Next: `expressions.rs` for what a value is, `flow.rs` for functions.

use super::expressions::arith;
use super::fact::Fact;
use super::flow::{Flow, tail};
use crate::state::Reporting;
use crate::typed::*;
use simple_syntax::Span;
use std::rc::Rc;

/// How often a loop is walked before its variables are taken as unknown.
const MOST_TURNS: u32 = 3;

/// Loops nested deeper treat their variables as unknown at once.
const DEEPEST_LOOP: u32 = 3;

impl<'x, 'a> Flow<'x, 'a> {
    /// Walks a branch; its variables are joined with those of `others`, unless it never ends.
    pub(super) fn branch(
        &mut self,
        before: &[Fact],
        ends: &mut Vec<Vec<Fact>>,
        body: &Expr,
    ) -> Fact {
        self.frame.locals = before.to_vec();
        let fact = self.expr(body);
        if body.ty != TyId::NEVER {
            ends.push(std::mem::take(&mut self.frame.locals));
        }
        fact
    }

    pub(super) fn joined(&mut self, before: Vec<Fact>, ends: Vec<Vec<Fact>>) {
        self.frame.locals = ends
            .into_iter()
            .reduce(|a, b| join(&a, &b))
            .unwrap_or(before);
    }

    /// Walks a loop's condition and body until its variables are what every turn finds.
    pub(super) fn turns(&mut self, body: &mut dyn FnMut(&mut Self)) {
        self.loops += 1;
        self.quietly(|flow| flow.until_stable(body));
        let before = self.frame.locals.clone();
        body(self);
        // [condition shapes.no_turn]: there may be no turn at all.
        self.frame.locals = join(&before, &self.frame.locals);
        self.loops -= 1;
    }

    fn until_stable(&mut self, body: &mut dyn FnMut(&mut Self)) {
        for turn in 0..=MOST_TURNS {
            let before = self.frame.locals.clone();
            if turn == MOST_TURNS || self.loops > DEEPEST_LOOP {
                for (fact, mutable) in self.frame.locals.iter_mut().zip(&self.frame.mutable) {
                    if *mutable {
                        *fact = Fact::Unknown;
                    }
                }
                break;
            }
            body(self);
            // [condition shapes.other_turns]: a turn begins with what the one before left.
            let after = join(&before, &self.frame.locals);
            let stable = after == before;
            self.frame.locals = after;
            if stable {
                break;
            }
        }
    }

    pub(super) fn block(&mut self, stmts: &[Stmt], value: Option<&Expr>) -> Fact {
        for stmt in stmts {
            self.stmt(stmt);
        }
        value.map_or(Fact::Unknown, |value| self.expr(value))
    }

    pub(super) fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Expr(e) | StmtKind::Defer(e) => {
                self.expr(e);
            }
            StmtKind::Let(local, e) => {
                let fact = self.expr(e);
                self.show(self.frame.spans[local.0 as usize], &fact);
                self.bind(*local, fact, tail(e).span);
            }
            StmtKind::LetPattern(pattern, e) => {
                let fact = self.expr(e);
                self.pattern(pattern, &fact);
            }
            StmtKind::Assign(place, e) => {
                self.place(place);
                let fact = self.expr(e);
                self.assign(place, fact, tail(e).span);
            }
            StmtKind::AssignArith(place, op, e) => {
                self.place(place);
                let right = self.expr(e);
                let left = match (&place.root, place.path.is_empty()) {
                    (PlaceRoot::Local(local), true) => self.frame.locals[local.0 as usize].clone(),
                    _ => Fact::Unknown,
                };
                self.assign(place, arith(*op, &left, &right), e.span);
            }
            StmtKind::AssignBits(place, _, e) | StmtKind::Append(place, e) => {
                self.place(place);
                self.expr(e);
                // [condition shapes.bits_and_appended]: what is appended is not followed.
                self.assign(place, Fact::Unknown, e.span);
            }
            StmtKind::While(cond, body) => self.turns(&mut |flow| {
                flow.cond(cond);
                flow.expr(body);
            }),
            StmtKind::ForRange {
                var, lo, hi, body, ..
            } => {
                self.expr(lo);
                self.expr(hi);
                self.turns(&mut |flow| {
                    // [condition shapes.loop_variable]: it is another number in each turn.
                    flow.set(*var, Fact::Unknown);
                    flow.expr(body);
                });
            }
            StmtKind::ForEach {
                pattern,
                iterable,
                body,
            } => {
                let list = self.expr(iterable);
                let element = match &list {
                    Fact::List(items) => items
                        .iter()
                        .cloned()
                        // [condition shapes.every_element]: any element may be the one of this turn.
                        .reduce(|a, b| a.join(&b))
                        .unwrap_or(Fact::Unknown),
                    _ => Fact::Unknown,
                };
                self.turns(&mut |flow| {
                    flow.pattern(pattern, &element);
                    flow.expr(body);
                });
            }
            StmtKind::ForPart {
                pattern,
                text,
                cut,
                body,
            } => {
                self.expr(text);
                if let Cut::Separator(separator) = cut {
                    self.expr(separator);
                }
                self.turns(&mut |flow| {
                    flow.pattern(pattern, &Fact::Unknown);
                    flow.expr(body);
                });
            }
            StmtKind::Assert(cond, message) => {
                self.expr(cond);
                if let Some(message) = message {
                    let before = self.frame.locals.clone();
                    self.expr(message);
                    self.frame.locals = before;
                }
            }
        }
    }

    pub(super) fn cond(&mut self, cond: &Cond) {
        match cond {
            Cond::Expr(e) => {
                self.expr(e);
            }
            Cond::Pattern(pattern, e) => {
                let fact = self.expr(e);
                self.pattern(pattern, &fact);
            }
        }
    }

    pub(super) fn pattern(&mut self, pattern: &Pattern, fact: &Fact) {
        match pattern {
            Pattern::Wildcard | Pattern::IntRange(..) | Pattern::Nil | Pattern::Literal(_) => {}
            Pattern::Bind(local) => self.bind(*local, fact.clone(), Span::default()),
            // A known optional is known by its payload.
            Pattern::Some(inner) => self.pattern(inner, fact),
            Pattern::Ok(inner) | Pattern::Err(inner) => self.pattern(inner, &Fact::Unknown),
            Pattern::Variant(_, _, parts) | Pattern::Or(parts) => {
                parts
                    .iter()
                    .for_each(|part| self.pattern(part, &Fact::Unknown));
            }
            Pattern::Tuple(parts) => match fact {
                Fact::List(items) if items.len() == parts.len() => {
                    let items = items.clone();
                    for (part, item) in parts.iter().zip(items.iter()) {
                        self.pattern(part, item);
                    }
                }
                _ => parts
                    .iter()
                    .for_each(|part| self.pattern(part, &Fact::Unknown)),
            },
            Pattern::TupleRest { front, rest, back } => {
                self.set(*rest, Fact::Unknown);
                let parts = front.iter().chain(back);
                parts.for_each(|part| self.pattern(part, &Fact::Unknown));
            }
            Pattern::Fields(_, parts) => {
                parts
                    .iter()
                    .for_each(|(_, part)| self.pattern(part, &Fact::Unknown));
            }
            Pattern::Array { front, rest, back } => {
                if let Some(Some(local)) = rest {
                    self.set(*local, Fact::Unknown);
                }
                let items = match fact {
                    // [condition shapes.rest_of_array]: with a rest, places are not those of the list.
                    // [condition shapes.length_of_array]: a list of another length does not fit.
                    Fact::List(items) if rest.is_none() && items.len() == front.len() => {
                        items.clone()
                    }
                    _ => Rc::from([]),
                };
                for (at, part) in front.iter().enumerate() {
                    let item = items.get(at).cloned().unwrap_or(Fact::Unknown);
                    self.pattern(part, &item);
                }
                back.iter()
                    .for_each(|part| self.pattern(part, &Fact::Unknown));
            }
        }
    }

    /// Walks the expressions in a place.
    pub(super) fn place(&mut self, place: &Place) {
        if let PlaceRoot::Object(object) = &place.root {
            self.expr(object);
        }
        for step in &place.path {
            if let PlaceStep::Index(_, index) = step {
                self.expr(index);
            }
        }
    }

    pub(super) fn assign(&mut self, place: &Place, fact: Fact, at: Span) {
        for step in &place.path {
            if let PlaceStep::Field(ty, number) = step
                && let Ty::Adt(adt) = *self.cx.types().get(*ty)
            {
                // [condition shapes.assigned_fields]: what is assigned to a field is not followed.
                self.fields.insert((adt, *number), Fact::Unknown);
            }
        }
        let whole = place.path.is_empty();
        match place.root {
            PlaceRoot::Local(local) if whole => self.bind(local, fact, at),
            // [condition shapes.part_assigned]: a list with another element has another shape.
            PlaceRoot::Local(local) => self.set(local, Fact::Unknown),
            // [condition shapes.assigned_globals]: any function may assign it.
            PlaceRoot::Global(global) if whole && !self.mutable.contains(&global) => {
                let span = self.cx.output()[global].span;
                let fact = self.bound(span, fact, at);
                // [condition shapes.globals_in_place]: as for variables of functions.
                if !(self.changes && matches!(fact, Fact::Tensor(_))) {
                    self.globals.insert(global, fact);
                }
            }
            PlaceRoot::Global(_) | PlaceRoot::Object(_) => {}
        }
    }
}

pub(super) fn join(a: &[Fact], b: &[Fact]) -> Vec<Fact> {
    a.iter().zip(b).map(|(a, b)| a.join(b)).collect()
}
