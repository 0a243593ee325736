//! What a captured step shares with the program and a replay does not see (W0461): variables and fields that the program changes.
//!
//! A replay does the operators again that were recorded. A variable of a module or a field that the step reads has decided which
//! operators those are, and what it has become since is not looked at; one that the step sets is set by the first calls only. Both are
//! warned of, in the step and in every function of the program that it may call, where the program changes the variable anywhere but where it
//! is declared. Which object a field is of is not asked, except that one which the function itself made, and which no lambda takes along, is its own
//! matter.
//!
//! Variables of functions do not matter, as a lambda copies them. What is called through a function value whose origin is not seen, and what a
//! function of the library calls, is left out.

use rustc_hash::{FxHashMap, FxHashSet};
use simple_syntax::{Diagnostic, Span};

use crate::checker::Checker;
use crate::codes;
use crate::steps::{Steps, each};
use crate::typed::*;

/// What a program can change and a step can share with it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Shared {
    Global(GlobalId),
    Field(TyId, u32),
}

/// What a step does with it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Use {
    Reads,
    Sets,
}

/// Something that a step shares, with the places where the step uses it, where it is captured and where the program changes it.
pub(crate) struct Found {
    shared: Shared,
    how: Use,
    at: Span,
    step: Span,
    change: Span,
}

impl Checker<'_> {
    pub(crate) fn report_unreplayed(&mut self, found: &Found) {
        let name = match found.shared {
            Shared::Global(id) => {
                let name = &self.output()[id].name;
                name.rsplit('.').next().unwrap_or(name).to_owned()
            }
            Shared::Field(ty, number) => match self.types().get(ty) {
                Ty::Adt(adt) => {
                    let fields = &self.types().adts[adt.0 as usize].fields;
                    let name = fields.get(number as usize).and_then(|field| field.name);
                    name.map_or_else(|| number.to_string(), |name| name.as_str().to_owned())
                }
                _ => number.to_string(),
            },
        };
        let step = self.shown_capture(found.step);
        let d = match found.how {
            Use::Reads => Diagnostic::warning(
                codes::SHARED_WITH_STEP,
                found.at,
                format!("a replay of the captured step does not see that `{name}` changes"),
            )
            .note(format!(
                "what the step decides or computes with `{name}` stays as it was when the step was recorded"
            ))
            .help("pass what changes as a tensor, or call `reset()` of the captured step after each change")
            .related(found.change, "it is changed here"),
            Use::Sets => Diagnostic::warning(
                codes::SHARED_WITH_STEP,
                found.at,
                format!("a replay of the captured step does not set `{name}`"),
            )
            .note("the step itself runs in its first calls only; a replay does the operators of its tensors again, and nothing else")
            .help("do it outside of the step, after the call"),
        };
        self.report(d.related(step, "the step function is captured here"));
    }
}

/// What captured steps share with the program. `inits` are the functions that set the variables of modules.
pub(crate) fn shared(steps: &Steps, inits: &[FuncId]) -> Vec<Found> {
    let mut search = Search {
        steps,
        changed: FxHashMap::default(),
        found: Vec::new(),
    };
    search.changes(inits);
    for &(step, at) in &steps.captured {
        search.step(step, at);
    }
    search.found
}

struct Search<'s, 'c, 'a> {
    steps: &'s Steps<'c, 'a>,
    /// What the program changes, and where it does first.
    changed: FxHashMap<Shared, Span>,
    found: Vec<Found>,
}

impl Search<'_, '_, '_> {
    /// Notes what the functions of the program change.
    fn changes(&mut self, inits: &[FuncId]) {
        for (func, body) in self.steps.functions() {
            let mut declared = FxHashSet::default();
            // [condition unreplayed.inits]: only modules declare.
            if inits.contains(&func)
                && let ExprKind::Block(stmts, _) = &body.kind
            {
                // The first assignment of a variable is its declaration.
                let mut known = FxHashSet::default();
                for stmt in stmts {
                    if let StmtKind::Assign(place, _) = &stmt.kind
                        && let PlaceRoot::Global(id) = place.root
                        // [condition unreplayed.whole]: setting a part declares nothing.
                        && place.path.is_empty()
                        // [condition unreplayed.first_only]: assigned again, it is.
                        && known.insert(id)
                    {
                        declared.insert(std::ptr::from_ref(place));
                    }
                }
            }
            let fresh = fresh_in(body);
            each(body, &mut |e| {
                places(e, &mut |place| {
                    // [condition unreplayed.declared]: a declaration is not a change.
                    if declared.contains(&std::ptr::from_ref(place)) {
                        return;
                    }
                    if let Some(shared) = shared_in(place, &fresh) {
                        self.changed.entry(shared).or_insert(place.span);
                    }
                });
            });
        }
    }

    /// Notes what a step and the functions that it may call share with the program, each thing once.
    fn step(&mut self, step: FuncId, at: Span) {
        let mut seen = FxHashSet::default();
        let mut known: Vec<(Shared, Use)> = Vec::new();
        let mut left = vec![step];
        while let Some(func) = left.pop() {
            // [condition unreplayed.step_in_library]: the library's functions are made for it.
            if self.steps.library.contains(&func) || !seen.insert(func) {
                continue;
            }
            let Some(body) = self.steps.body(func) else {
                continue;
            };
            let fresh = fresh_in(body);
            let mut met = Vec::new();
            each(body, &mut |e| {
                self.calls(func, e, &mut left);
                places(e, &mut |place| {
                    if let Some(shared) = shared_in(place, &fresh) {
                        met.push((shared, Use::Sets, place.span));
                    }
                });
                match &e.kind {
                    ExprKind::Global(id) => met.push((Shared::Global(*id), Use::Reads, e.span)),
                    // [condition unreplayed.fresh_read]: an object that the step makes is its own,
                    ExprKind::Field(base, number) if !is_fresh(base, &fresh) => {
                        met.push((Shared::Field(base.ty, *number), Use::Reads, e.span));
                    }
                    _ => {}
                }
            });
            for (shared, how, span) in met {
                // [condition unreplayed.changed]: what nothing changes stays as it was recorded.
                let Some(&change) = self.changed.get(&shared) else {
                    continue;
                };
                // [condition unreplayed.once]: each thing is said once,
                if known.contains(&(shared, how)) {
                    continue;
                }
                known.push((shared, how));
                let repeated = |one: &Found| one.at == span && one.shared == shared;
                // [condition unreplayed.repeated]: also where two steps share it.
                if !self.found.iter().any(repeated) {
                    self.found.push(Found {
                        shared,
                        how,
                        at: span,
                        step: at,
                        change,
                    });
                }
            }
        }
        self.found.sort_by_key(|found| found.at);
    }

    /// The functions that an expression may run.
    fn calls(&self, func: FuncId, e: &Expr, left: &mut Vec<FuncId>) {
        match &e.kind {
            ExprKind::Call(called, _)
            | ExprKind::CallInout(called, ..)
            | ExprKind::FuncRef(called)
            | ExprKind::Closure(called, _) => left.push(*called),
            // [condition unreplayed.called_values]: a variable that holds a function may be called.
            ExprKind::CallValue(callee, _) => left.extend(self.steps.held(func, callee)),
            ExprKind::CallTrait(of, method, ..) | ExprKind::CallTraitInout(of, method, ..) => {
                let impls = &self.steps.cx.types().traits[of.0 as usize].impls;
                left.extend(
                    impls
                        .iter()
                        // [condition unreplayed.traits]: any type with the trait may be meant.
                        .filter_map(|(_, all)| all.get(*method as usize)),
                );
            }
            _ => {}
        }
    }
}

/// The variables that hold an object which the function itself makes, without those that a lambda takes along: that may be the step, or be called by it.
fn fresh_in(body: &Expr) -> FxHashSet<LocalId> {
    let mut fresh = FxHashSet::default();
    each(body, &mut |e| made_here(e, &mut fresh));
    each(body, &mut |e| {
        if let ExprKind::Closure(_, locals) = &e.kind {
            for local in locals {
                fresh.remove(local);
            }
        }
    });
    fresh
}

/// Notes a variable that holds an object which the function itself makes.
fn made_here(e: &Expr, fresh: &mut FxHashSet<LocalId>) {
    let mut note = |local: LocalId, value: &Expr| {
        // [condition unreplayed.new_only]: what a function yields may be known elsewhere.
        if matches!(value.kind, ExprKind::New(..)) {
            fresh.insert(local);
        }
    };
    match &e.kind {
        ExprKind::Block(stmts, _) => {
            for stmt in stmts {
                if let StmtKind::Let(local, value) = &stmt.kind {
                    note(*local, value);
                }
            }
        }
        ExprKind::Let(local, value, _) => note(*local, value),
        _ => {}
    }
}

fn is_fresh(e: &Expr, fresh: &FxHashSet<LocalId>) -> bool {
    match &e.kind {
        ExprKind::New(..) => true,
        ExprKind::Local(local) => fresh.contains(local),
        // [condition unreplayed.fresh_field]: an object in a fresh object may be known elsewhere.
        ExprKind::Field(base, _) => is_fresh(base, fresh),
        _ => false,
    }
}

/// Shows the places that an expression, or a statement directly in it, changes.
fn places<'e>(e: &'e Expr, see: &mut dyn FnMut(&'e Place)) {
    match &e.kind {
        ExprKind::CallInout(_, place, _)
        | ExprKind::CallTraitInout(_, _, place, _)
        | ExprKind::Update(_, place, _) => see(place),
        ExprKind::Block(stmts, _) => {
            for stmt in stmts {
                match &stmt.kind {
                    StmtKind::Assign(place, _)
                    | StmtKind::AssignArith(place, ..)
                    | StmtKind::AssignBits(place, ..)
                    | StmtKind::Append(place, _) => see(place),
                    _ => {}
                }
            }
        }
        _ => {}
    }
}

/// What a change of a place changes that others see too.
fn shared_in(place: &Place, fresh: &FxHashSet<LocalId>) -> Option<Shared> {
    match &place.root {
        PlaceRoot::Local(_) => None,
        PlaceRoot::Global(id) => Some(Shared::Global(*id)),
        // [condition unreplayed.fresh_set]: to set as well.
        PlaceRoot::Object(object) if is_fresh(object, fresh) => None,
        PlaceRoot::Object(_) => match place.path.first() {
            Some(PlaceStep::Field(ty, number)) => Some(Shared::Field(*ty, *number)),
            _ => None,
        },
    }
}
