//! `xs = add(xs, x)`: the variable is assigned what the call yields, so its value can be the callee's own.
//!
//! Arguments are borrowed: the caller holds them until the call returns, so a callee that changes its parameter changes
//! a copy. Where the caller would release the value right after the call anyhow, nothing needs it that long. Such a
//! call is made in a form that a pass knows (`passes/hand_over.rs`):
//!
//! ```text
//! v5 = call f(v1, v2) !bb9        ; its site is in `hand_overs`
//! release v1                      ; then v5 is assigned
//! bb9: release v1; jump ...       ; the error path, from which nobody comes back to the variable
//! ```
//!
//! The pass calls a copy of `f` that owns the parameter and takes the releases out; unoptimized code is right as it is.
//!
//! The same of several variables, `(xs, n) = step(xs, n)`.
//!
//! Only where nobody can see the difference: the variable is this function's alone, is mentioned once, nothing in its
//! value has a `drop`, and no `try` or `defer` around the statement could look at it after an error. Leaves out fields
//! and module-level variables, which other code may look at meanwhile.

use super::builder::Builder;
use super::cleanup::EntryKind;
use super::place::Target;
use super::value::{Own, Value};
use super::walk::{Node, walk};
use crate::mir::{Fail, FnId, Inst, MTy, Var};
use crate::repr::Leaf;
use simple_core::layout::FIELDS;
use simple_sema::typed::{
    Expr, ExprKind, FuncId, LocalId, Pattern, Place, PlaceRoot, Stmt, StmtKind, Ty, TyId,
};
use simple_syntax::Span;

/// A call of which some arguments are variables that are assigned what it yields.
struct Handed<'p> {
    /// The function, or the value that is called.
    func: Option<FuncId>,
    callee: Option<&'p Expr>,
    args: &'p [Expr],
    given: Vec<Given>,
}

/// A variable that is handed over.
#[derive(Clone, Copy)]
struct Given {
    local: LocalId,
    ty: TyId,
    /// Which of the arguments it is.
    position: usize,
    /// Where it is on the cleanup stack.
    at: usize,
}

impl<'c, 'p> Builder<'c, 'p> {
    /// `local = f(.., local, ..)`, if its value can be handed over; false leaves everything to the general form.
    pub fn assign_handed(&mut self, place: &'p Place, value: &'p Expr) -> bool {
        let Some(local) = whole_local(place) else {
            return false;
        };
        if value.ty != place.ty {
            return false;
        }
        let Some(handed) = self.handed(&[(local, place.ty)], value) else {
            return false;
        };
        let (leaves, values, gone) = self.handed_call(&handed, value.ty, value.span);
        self.set_handed(local, place.ty, &leaves, &gone);
        for value in &values {
            self.discard_early(value);
        }
        true
    }

    /// `(a, b) = f(.., a, ..)`, which is a block that takes the tuple apart and assigns its members to variables.
    pub fn assign_parts_handed(&mut self, stmts: &'p [Stmt]) -> bool {
        let Some((parts, value)) = parts_of_call(stmts) else {
            return false;
        };
        let Ty::Tuple(members) = self.cx.types.get(value.ty).clone() else {
            return false;
        };
        if members.len() != parts.len() {
            return false;
        }
        let mut locals = Vec::with_capacity(parts.len());
        for (part, (_, ty)) in parts.iter().zip(&members) {
            let Some(local) = *part else { continue };
            let state = self.locals.get(local.0 as usize).cloned().flatten();
            let info = self.source.map(|func| &func.locals[local.0 as usize]);
            let plain = state.is_some_and(|state| state.mutable && !state.cell)
                && info.is_some_and(|info| info.ty == *ty)
                && self.cx.is_plain(*ty);
            if !plain || locals.contains(&(local, *ty)) {
                return false;
            }
            locals.push((local, *ty));
        }
        let Some(handed) = self.handed(&locals, value) else {
            return false;
        };
        let (leaves, values, gone) = self.handed_call(&handed, value.ty, value.span);
        let mut from = 0;
        for (part, (_, ty)) in parts.iter().zip(&members) {
            let count = self.cx.reprs.leaves(*ty).len();
            let own = leaves[from..from + count].to_vec();
            from += count;
            match part {
                Some(local) => self.set_handed(*local, *ty, &own, &gone),
                None => self.release_all(*ty, &own),
            }
        }
        for value in &values {
            self.discard_early(value);
        }
        true
    }

    /// Assigns owned leaves to a variable, whose value is gone if it was handed over.
    fn set_handed(&mut self, local: LocalId, ty: TyId, leaves: &[Var], gone: &[Given]) {
        let state = self.locals.get(local.0 as usize).cloned().flatten();
        let Some(state) = state else {
            return;
        };
        let Some(given) = gone.iter().find(|given| given.local == local) else {
            let shapes = self.cx.reprs.leaves(ty).to_vec();
            let target = Target::variable(state.leaves, shapes);
            self.replace_target(&target, leaves);
            return;
        };
        self.assign(&state.leaves, leaves);
        let kind = EntryKind::Local(local, self.counted(ty, &state.leaves));
        self.stack[given.at].kind = kind;
        self.forget_unwinds(given.at);
    }

    /// The call, after which what was handed over is released: its results, its arguments, and what is gone.
    fn handed_call(
        &mut self,
        handed: &Handed<'p>,
        ty: TyId,
        span: Span,
    ) -> (Vec<Var>, Vec<Value>, Vec<Given>) {
        let (mut exprs, mut tys): (Vec<&Expr>, Vec<TyId>) = (Vec::new(), Vec::new());
        if let Some(callee) = handed.callee {
            exprs.push(callee);
            tys.push(callee.ty);
        }
        let first = exprs.len();
        exprs.extend(handed.args);
        match handed.func {
            Some(func) => tys.extend(self.param_types(func)),
            None => tys.extend(handed.args.iter().map(|arg| arg.ty)),
        }
        let mut values = self.operands_as(&exprs, &tys);
        for (value, ty) in values.iter_mut().zip(&tys) {
            *value = self.hold_for_call(value.clone(), *ty);
        }
        // What an argument is converted to is a value of its own: then the variable keeps its value until it is
        // assigned.
        let is_itself = |given: &&Given| {
            let own = values[first + given.position].own;
            own == Own::Local(given.local)
        };
        let gone: Vec<Given> = handed.given.iter().filter(is_itself).copied().collect();
        let mut released: Vec<(Var, Leaf)> = Vec::new();
        for given in &gone {
            let leaves = &values[first + given.position].leaves;
            released.extend(self.counted(given.ty, leaves).iter().copied());
            self.remove(given.at);
        }
        let after = self.unwind();
        let landing = self.cold_block();
        self.on_landing(landing, after, |builder| {
            for (var, leaf) in released.iter().rev() {
                builder.release(*var, *leaf);
            }
        });
        if let Some(func) = handed.func {
            self.name_layer(func, handed.args, span);
        }
        let fail = Fail {
            site: self.cx.own_site(self.id, span),
            unwind: landing,
        };
        let flat = |values: &[Value]| -> Vec<Var> {
            let leaves = values.iter().flat_map(|value| value.leaves.iter().copied());
            leaves.collect()
        };
        let shapes = self.cx.reprs.leaves(ty);
        let dsts = self.vars(&shapes);
        match handed.func {
            Some(func) => self.emit(Inst::Call {
                dsts: dsts.clone(),
                func: FnId(func.0),
                args: flat(&values),
                fail: Some(fail),
            }),
            None => {
                let object = self.leaf(&values[0], 0, MTy::Ptr);
                let code = self.load(MTy::Ptr, object, FIELDS);
                let mut args = vec![object];
                args.extend(flat(&values[first..]));
                self.emit(Inst::CallIndirect {
                    dsts: dsts.clone(),
                    code,
                    args,
                    fail,
                });
            }
        }
        for (var, leaf) in released.iter().rev() {
            self.release(*var, *leaf);
        }
        self.cx.module.hand_overs.insert(fail.site);
        (dsts, values, gone)
    }

    /// The call that `value` is, if some of these variables can be handed over to it.
    fn handed(&mut self, locals: &[(LocalId, TyId)], value: &'p Expr) -> Option<Handed<'p>> {
        let (func, callee, args) = match &value.kind {
            ExprKind::Call(func, args) => (Some(*func), None, &args[..]),
            ExprKind::CallValue(callee, args) => (None, Some(&**callee), &args[..]),
            _ => return None,
        };
        let info = func.map(|func| &self.cx.program.funcs[func.0 as usize]);
        if info.is_some_and(|info| info.inout_self || info.ret != value.ty) {
            return None;
        }
        let looks = |kind: &EntryKind<'_>| {
            matches!(
                kind,
                EntryKind::Handler | EntryKind::Defer(_) | EntryKind::SelfCell { .. }
            )
        };
        if self.stack.iter().any(|entry| looks(&entry.kind)) {
            return None;
        }
        let mut given = Vec::new();
        for &(local, ty) in locals {
            let is_it = |e: &Expr| matches!(e.kind, ExprKind::Local(id) if id == local);
            let Some(position) = args.iter().position(is_it) else {
                continue;
            };
            if args[position].ty != ty || !self.cx.reprs.is_counted(ty) || !self.cx.is_plain(ty) {
                continue;
            }
            let state = self.locals.get(local.0 as usize)?.as_ref()?;
            let Some(at) = self.find_local(local) else {
                continue;
            };
            if !state.mutable || state.cell || self.is_deep(at) {
                continue;
            }
            let mut others = args.iter().enumerate().filter(|(at, _)| *at != position);
            if others.any(|(_, arg)| mentions(arg, local))
                || callee.is_some_and(|e| mentions(e, local))
            {
                continue;
            }
            given.push(Given {
                local,
                ty,
                position,
                at,
            });
        }
        let handed = Handed {
            func,
            callee,
            args,
            given,
        };
        (!handed.given.is_empty()).then_some(handed)
    }
}

/// The variable that a place is.
fn whole_local(place: &Place) -> Option<LocalId> {
    match (&place.root, &place.path[..]) {
        (PlaceRoot::Local(local), []) => Some(*local),
        _ => None,
    }
}

/// The variables to which a block assigns the members of what a call yields, in order; `None` for a member that is
/// dropped.
fn parts_of_call(stmts: &[Stmt]) -> Option<(Vec<Option<LocalId>>, &Expr)> {
    let (first, rest) = stmts.split_first()?;
    let StmtKind::LetPattern(Pattern::Tuple(patterns), value) = &first.kind else {
        return None;
    };
    if rest.is_empty() || !matches!(value.kind, ExprKind::Call(..) | ExprKind::CallValue(..)) {
        return None;
    }
    let mut rest = rest.iter();
    let mut parts = Vec::with_capacity(patterns.len());
    for pattern in patterns {
        let part = match pattern {
            Pattern::Wildcard => None,
            Pattern::Bind(bound) => {
                let StmtKind::Assign(place, read) = &rest.next()?.kind else {
                    return None;
                };
                if !matches!(read.kind, ExprKind::Local(id) if id == *bound) {
                    return None;
                }
                Some(whole_local(place)?)
            }
            _ => return None,
        };
        parts.push(part);
    }
    rest.next().is_none().then_some((parts, value))
}

/// Whether an expression mentions a variable.
fn mentions(expr: &Expr, local: LocalId) -> bool {
    let mut found = false;
    walk(expr, &mut |node| {
        found |= match node {
            Node::Expr(e) => match &e.kind {
                ExprKind::Local(id) => *id == local,
                ExprKind::Closure(_, captured) => captured.contains(&local),
                _ => false,
            },
            Node::Place(place) => matches!(place.root, PlaceRoot::Local(id) if id == local),
            _ => false,
        };
    });
    found
}
