//! `xs = add(xs, x)`: the variable is assigned what the call yields, so its value can be the callee's own.
//!
//! Arguments are borrowed: the caller holds them until the call returns, so a callee that changes its parameter changes a
//! copy. Where the caller would release the value right after the call anyhow, nothing needs it that long. Such a call is
//! made in a form that a pass knows (`passes/hand_over.rs`):
//!
//! ```text
//! v5 = call f(v1, v2) !bb9        ; its site is in `hand_overs`
//! release v1                      ; then v5 is assigned
//! bb9: release v1; jump ...       ; the error path, from which nobody comes back to the variable
//! ```
//!
//! The pass calls a copy of `f` that owns the parameter and takes the releases out; unoptimized code is right as it is.
//!
//! Only where nobody can see the difference: the variable is this function's alone, is mentioned once, nothing in its value
//! has a `drop`, and no `try` or `defer` around the statement could look at it after an error. Leaves out fields and module-level
//! variables, which other code may look at meanwhile.

use super::builder::Builder;
use super::cleanup::{EntryKind, Owned};
use super::value::{Own, Value};
use super::walk::{Node, walk};
use crate::mir::{Fail, FnId, Inst, MTy};
use simple_core::layout::FIELDS;
use simple_sema::typed::{Expr, ExprKind, FuncId, LocalId, Place, PlaceRoot, TyId};
use simple_syntax::Span;

/// A call of which one argument is the variable that is assigned.
struct Handed<'p> {
    local: LocalId,
    /// The function, or the value that is called.
    func: Option<FuncId>,
    callee: Option<&'p Expr>,
    args: &'p [Expr],
    /// Which of the arguments it is.
    position: usize,
    /// Where the variable is on the cleanup stack.
    at: usize,
}

impl<'c, 'p> Builder<'c, 'p> {
    /// `local = f(.., local, ..)`, if its value can be handed over; false leaves everything to the general form.
    pub fn assign_handed(&mut self, place: &'p Place, value: &'p Expr) -> bool {
        let Some(handed) = self.handed(place, value) else {
            return false;
        };
        let tys: Vec<TyId> = match handed.func {
            Some(func) => self.param_types(func),
            None => handed.args.iter().map(|arg| arg.ty).collect(),
        };
        let (mut exprs, mut all): (Vec<&Expr>, Vec<TyId>) = (Vec::new(), Vec::new());
        if let Some(callee) = handed.callee {
            exprs.push(callee);
            all.push(callee.ty);
        }
        let first = exprs.len();
        exprs.extend(handed.args);
        all.extend(tys);
        let mut values = self.operands_as(&exprs, &all);
        for (value, ty) in values.iter_mut().zip(&all) {
            *value = self.hold_for_call(value.clone(), *ty);
        }
        let given = values[first + handed.position].clone();
        let owned = match given.own {
            // What an argument is converted to is a value of its own.
            Own::Local(local) if local == handed.local => self.counted(place.ty, &given.leaves),
            _ => Owned::from([]),
        };
        let leaves = self.handed_call(&handed, (&values, first), &owned, place.ty, value.span);
        let state = self.locals[handed.local.0 as usize].clone();
        let Some(state) = state else {
            return true;
        };
        self.assign(&state.leaves, &leaves);
        let kind = EntryKind::Local(handed.local, self.counted(place.ty, &state.leaves));
        self.stack[handed.at].kind = kind;
        self.forget_unwinds(handed.at);
        for value in &values {
            self.discard_early(value);
        }
        true
    }

    /// The call, after which the value that was handed over is released.
    fn handed_call(
        &mut self,
        handed: &Handed<'p>,
        (values, first): (&[Value], usize),
        owned: &Owned,
        ty: TyId,
        span: Span,
    ) -> Vec<crate::mir::Var> {
        // A value that was converted is in the variable still, and goes when that is assigned.
        let gone = match owned.is_empty() {
            true => match &self.stack[handed.at].kind {
                EntryKind::Local(_, leaves) => leaves.clone(),
                _ => Owned::from([]),
            },
            false => owned.clone(),
        };
        self.remove(handed.at);
        let after = self.unwind();
        let landing = self.cold_block();
        self.on_landing(landing, after, |builder| {
            for (var, leaf) in gone.iter().rev() {
                builder.release(*var, *leaf);
            }
        });
        let site = self.cx.own_site(self.id, span);
        let fail = Fail {
            site,
            unwind: landing,
        };
        let flat = |values: &[Value]| -> Vec<crate::mir::Var> {
            let leaves = values.iter().flat_map(|value| value.leaves.iter().copied());
            leaves.collect()
        };
        let shapes = self.cx.reprs.leaves(ty);
        let dsts = self.vars(&shapes);
        if let Some(func) = handed.func {
            self.name_layer(func, handed.args, span);
        }
        match handed.func {
            Some(func) => self.emit(Inst::Call {
                dsts: dsts.clone(),
                func: FnId(func.0),
                args: flat(values),
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
        for (var, leaf) in gone.iter().rev() {
            self.release(*var, *leaf);
        }
        if !owned.is_empty() {
            self.cx.module.hand_overs.insert(site);
        }
        dsts
    }

    fn handed(&mut self, place: &'p Place, value: &'p Expr) -> Option<Handed<'p>> {
        let (PlaceRoot::Local(local), []) = (&place.root, &place.path[..]) else {
            return None;
        };
        let (func, callee, args) = match &value.kind {
            ExprKind::Call(func, args) => (Some(*func), None, &args[..]),
            ExprKind::CallValue(callee, args) => (None, Some(&**callee), &args[..]),
            _ => return None,
        };
        let is_it = |e: &Expr| matches!(e.kind, ExprKind::Local(id) if id == *local);
        let position = args.iter().position(is_it)?;
        let info = func.map(|func| &self.cx.program.funcs[func.0 as usize]);
        if value.ty != place.ty
            || args[position].ty != place.ty
            || info.is_some_and(|info| info.inout_self || info.ret != place.ty)
            || !self.cx.reprs.is_counted(place.ty)
            || !self.cx.is_plain(place.ty)
        {
            return None;
        }
        let state = self.locals.get(local.0 as usize)?.as_ref()?;
        let at = self.find_local(*local)?;
        if !state.mutable || state.cell || self.is_deep(at) {
            return None;
        }
        let mut others = args.iter().enumerate().filter(|(at, _)| *at != position);
        if others.any(|(_, arg)| mentions(arg, *local))
            || callee.is_some_and(|e| mentions(e, *local))
        {
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
        Some(Handed {
            local: *local,
            func,
            callee,
            args,
            position,
            at,
        })
    }
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
