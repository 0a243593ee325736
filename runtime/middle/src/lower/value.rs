//! Values and who owns them.
//!
//! A [`Value`] is the leaves of an expression's result with a category:
//! - *temporary*: owned, an entry of the cleanup stack; moving it takes the entry away;
//! - *stable*: borrowed from what cannot change or die while the statement runs (an immutable variable, a constant, a temporary,
//!   a field that nothing assigns);
//! - *local*: borrowed from a mutable variable; good until something assigns that variable;
//! - *unstable*: borrowed from an object or module-level variable; good until code of the program runs.
//!
//! Storing or returning a borrowed value retains it; everything else borrows. Leaves of mutable variables are copied when
//! they are read, so a value's leaves never change.

use super::builder::Builder;
use super::cleanup::{EntryKind, Owned};
use super::walk::{Node, has_effects, walk};
use crate::mir::{Inst, MTy, Var};
use crate::repr::{Layout, Leaf};
use simple_sema::typed::{Expr, LocalId, TyId};
use std::ops::Range;

/// Who owns a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Own {
    Temp(u32),
    Stable,
    Local(LocalId),
    Unstable,
}

impl Own {
    /// The category of a part of such a value that cannot change as long as the whole lives.
    pub fn part(self) -> Own {
        match self {
            Own::Temp(_) => Own::Stable,
            other => other,
        }
    }
}

/// The result of an expression.
#[derive(Clone, Debug)]
pub(crate) struct Value {
    pub leaves: Vec<Var>,
    pub own: Own,
}

impl Value {
    pub fn plain(leaf: Var) -> Value {
        Value {
            leaves: vec![leaf],
            own: Own::Stable,
        }
    }

    pub fn unit() -> Value {
        Value {
            leaves: Vec::new(),
            own: Own::Stable,
        }
    }

    pub fn stable(leaves: Vec<Var>) -> Value {
        Value {
            leaves,
            own: Own::Stable,
        }
    }

    /// Part of the leaves, borrowed.
    pub fn part(&self, range: Range<usize>) -> Value {
        let end = range.end.min(self.leaves.len());
        Value {
            leaves: self.leaves[range.start.min(end)..end].to_vec(),
            own: self.own.part(),
        }
    }
}

impl<'c, 'p> Builder<'c, 'p> {
    /// The counted leaves among `leaves`, which have type `ty`.
    pub fn counted(&self, ty: TyId, leaves: &[Var]) -> Owned {
        self.counted_leaves(&self.cx.reprs.leaves(ty), leaves)
    }

    pub fn counted_leaves(&self, shapes: &[Leaf], leaves: &[Var]) -> Owned {
        shapes
            .iter()
            .zip(leaves)
            .filter(|(leaf, _)| leaf.counted.is_some())
            .map(|(leaf, var)| (*var, *leaf))
            .collect()
    }

    /// The `index`th leaf; a made-up one for a value that is never there.
    pub fn leaf(&mut self, value: &Value, index: usize, ty: MTy) -> Var {
        match value.leaves.get(index) {
            Some(var) => *var,
            None => self.zero(ty),
        }
    }

    /// Registers owned leaves as a temporary.
    pub fn temp(&mut self, ty: TyId, leaves: Vec<Var>) -> Value {
        let early = !self.cx.has_visible_drop(ty);
        self.temp_with(ty, leaves, early)
    }

    pub fn temp_with(&mut self, ty: TyId, leaves: Vec<Var>, early: bool) -> Value {
        let owned = self.counted(ty, &leaves);
        if owned.is_empty() {
            return Value::stable(leaves);
        }
        let own = self.push_temp(owned, early);
        Value { leaves, own }
    }

    /// Counted leaves that are released when the statement ends, unless they are taken before.
    pub fn push_temp(&mut self, leaves: Owned, early: bool) -> Own {
        let id = self.next_temp;
        self.next_temp += 1;
        self.push(EntryKind::Temp { id, early, leaves });
        Own::Temp(id)
    }

    /// Leaves that the caller owns: moved from a temporary, or retained.
    pub fn own(&mut self, value: Value, ty: TyId) -> Vec<Var> {
        if let Own::Temp(id) = value.own {
            if let Some(at) = self.find_temp(id) {
                self.remove(at);
            }
        } else {
            self.retain_all(ty, &value.leaves);
        }
        value.leaves
    }

    /// As [`Builder::own`] for values that were made in this order. The last are taken first: they are on top.
    pub fn own_all(&mut self, values: Vec<Value>, tys: &[TyId]) -> Vec<Vec<Var>> {
        let both = values.into_iter().zip(tys).rev();
        let mut owned: Vec<Vec<Var>> = both.map(|(value, ty)| self.own(value, *ty)).collect();
        owned.reverse();
        owned
    }

    pub fn retain_all(&mut self, ty: TyId, leaves: &[Var]) {
        for (var, leaf) in self.counted(ty, leaves).iter() {
            self.retain(*var, *leaf);
        }
    }

    pub fn release_all(&mut self, ty: TyId, leaves: &[Var]) {
        for (var, leaf) in self.counted(ty, leaves).iter().rev() {
            self.release(*var, *leaf);
        }
    }

    /// A value that stays good whatever runs: borrowed ones that may change are retained for the rest of the statement.
    pub fn hold(&mut self, value: Value, ty: TyId) -> Value {
        match value.own {
            Own::Temp(_) | Own::Stable => value,
            Own::Local(_) | Own::Unstable => self.hold_copy(value, ty),
        }
    }

    /// A value that stays good while code of the program runs that cannot reach this function's variables.
    pub fn hold_for_call(&mut self, value: Value, ty: TyId) -> Value {
        match value.own {
            Own::Unstable => self.hold_copy(value, ty),
            _ => value,
        }
    }

    /// The same value with its own count, until the statement ends.
    pub fn hold_copy(&mut self, value: Value, ty: TyId) -> Value {
        if !self.cx.reprs.is_counted(ty) {
            return Value::stable(value.leaves);
        }
        self.retain_all(ty, &value.leaves);
        self.temp(ty, value.leaves)
    }

    /// Gives a temporary up now.
    pub fn discard(&mut self, value: &Value) {
        if let Own::Temp(id) = value.own
            && let Some(at) = self.find_temp(id)
        {
            let kind = self.remove(at);
            self.give_up(&kind);
        }
    }

    /// Releases a temporary now unless the program can see when it goes.
    pub fn discard_early(&mut self, value: &Value) {
        if let Own::Temp(id) = value.own
            && let Some(at) = self.find_temp(id)
            && matches!(self.stack[at].kind, EntryKind::Temp { early: true, .. })
        {
            let kind = self.remove(at);
            self.give_up(&kind);
        }
    }

    /// Evaluates operands in order; each stays good while the later ones run.
    pub fn operands(&mut self, exprs: &[&'p Expr]) -> Vec<Value> {
        let tys: Vec<TyId> = exprs.iter().map(|expr| expr.ty).collect();
        self.operands_as(exprs, &tys)
    }

    /// Evaluates operands in order, as the types that are needed there (an operand may be of type never).
    pub fn operands_as(&mut self, exprs: &[&'p Expr], tys: &[TyId]) -> Vec<Value> {
        let mut effects = vec![(false, false); exprs.len() + 1];
        for (index, expr) in exprs.iter().enumerate().skip(1).rev() {
            let (mut effect, mut change) = effects[index + 1];
            effect = effect || has_effects(expr);
            change = change || has_places(expr);
            effects[index] = (effect, change);
        }
        let mut values = Vec::with_capacity(exprs.len());
        for (index, expr) in exprs.iter().enumerate() {
            let ty = tys.get(index).copied().unwrap_or(expr.ty);
            let mut value = self.expr_as(expr, ty);
            let (effect, change) = effects[index + 1];
            value = match value.own {
                Own::Local(_) if change => self.hold(value, ty),
                Own::Unstable if effect => self.hold(value, ty),
                _ => value,
            };
            values.push(value);
        }
        values
    }

    /// Loads leaves from `base` at the layout's offsets.
    pub fn load_leaves(
        &mut self,
        shapes: &[Leaf],
        layout: &Layout,
        range: Range<usize>,
        base: Var,
    ) -> Vec<Var> {
        range
            .map(|index| self.load(shapes[index].ty, base, layout.offsets[index]))
            .collect()
    }

    /// Stores leaves relative to `base` at the layout's offsets.
    pub fn store_leaves(
        &mut self,
        layout: &Layout,
        range: Range<usize>,
        base: Var,
        leaves: &[Var],
    ) {
        for (index, var) in range.zip(leaves) {
            self.emit(Inst::Store(base, layout.offsets[index], *var));
        }
    }
}

fn has_places(expr: &Expr) -> bool {
    let mut found = false;
    walk(expr, &mut |node| found |= matches!(node, Node::Place(_)));
    found
}
