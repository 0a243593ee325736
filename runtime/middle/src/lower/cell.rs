//! Cells: counted homes of variables that a colon block shares with the function around it.
//!
//! A cell is the box that trait objects also use: `{header, value}`, destroyed by its descriptor. The variable and every
//! block that captures it hold one reference each, so a block may outlive the function. What is read from a cell is unstable, like
//! a field ([`Builder::load_boxed`], [`Builder::boxed_target`]). The `self` of an inout method is moved into its cell at the start and back on every exit.

use super::builder::{Builder, LocalState};
use super::cleanup::EntryKind;
use super::cx::DescKey;
use super::value::Value;
use crate::mir::Var;
use crate::repr::{Counted, Leaf, layout_of_leaves};
use simple_core::layout::FIELDS;
use simple_sema::typed::{LocalId, TyId};
use std::rc::Rc;

/// The one leaf of a variable in a cell.
pub(crate) const CELL: Leaf = Leaf {
    ty: crate::mir::MTy::Ptr,
    counted: Some(Counted::Dynamic),
    nullable: false,
};

impl<'c, 'p> Builder<'c, 'p> {
    /// Makes a variable known under its number.
    pub fn set_local(&mut self, local: LocalId, state: LocalState) {
        let index = local.0 as usize;
        if self.locals.len() <= index {
            self.locals.resize(index + 1, None);
        }
        self.locals[index] = Some(state);
    }

    /// Whether a variable of the function lives in a cell.
    pub fn is_cell(&self, local: LocalId) -> bool {
        self.source
            .and_then(|func| func.locals.get(local.0 as usize))
            .is_some_and(|info| info.cell)
    }

    /// A new cell for a variable, with nothing in it yet.
    fn alloc_cell(&mut self, local: LocalId, ty: TyId) -> Var {
        let span = self
            .source
            .map(|func| func.locals[local.0 as usize].span)
            .unwrap_or_default();
        let layout = layout_of_leaves(&self.cx.reprs.leaves(ty), FIELDS as u32);
        self.alloc(layout.size, DescKey::Boxed(ty), span)
    }

    fn fill_cell(&mut self, cell: Var, ty: TyId, leaves: &[Var]) {
        let layout = layout_of_leaves(&self.cx.reprs.leaves(ty), FIELDS as u32);
        self.store_leaves(&layout, 0..leaves.len(), cell, leaves);
    }

    /// From here on the variable is what its cell holds.
    fn live_in(&mut self, local: LocalId, cell: Var) {
        let state = LocalState {
            leaves: vec![cell],
            mutable: false,
            cell: true,
        };
        self.set_local(local, state);
    }

    /// Binds a variable that lives in a cell.
    pub fn declare_cell(&mut self, local: LocalId, ty: TyId, leaves: Vec<Var>, owned: bool) {
        let value = match owned {
            true => self.temp(ty, leaves),
            false => Value::stable(leaves),
        };
        let cell = self.alloc_cell(local, ty);
        let leaves = self.own(value, ty);
        self.fill_cell(cell, ty, &leaves);
        self.push_local(local, Rc::new([(cell, CELL)]));
        self.live_in(local, cell);
    }

    /// Binds the `self` of an inout method whose leaves come in, and go back, in `slots`.
    pub fn declare_self_cell(&mut self, local: LocalId, ty: TyId, slots: Vec<Var>) {
        // Without room for the cell the slots go back as they came.
        let cell = self.alloc_cell(local, ty);
        self.fill_cell(cell, ty, &slots);
        self.push(EntryKind::SelfCell { cell, ty });
        self.live_in(local, cell);
    }

    /// Moves `self` back into the slots of an inout method.
    pub fn leave_self_cell(&mut self, cell: Var, ty: TyId) {
        let leaves = self.load_boxed(cell, ty);
        self.retain_all(ty, &leaves);
        let slots: Vec<Var> = self.inout[..leaves.len()].to_vec();
        self.assign(&slots, &leaves);
        self.release(cell, CELL);
    }
}
