//! `place op= value`: the place is found once, read, then the value is computed and the result stored.
//!
//! It does what `place = place op value` does, whatever the value's code changes meanwhile. Most values change nothing, so the place is
//! walked once; after the others it is walked again, and a text or array that was read is held until then, so that it is
//! appended to in place only if the place still holds it.
//!
//! Leaves out operators of other types, which the checker turns into calls, and `d[k] = ...` that reads `d[k]` (`table_update.rs`).

use super::builder::{Builder, LocalState};
use super::place::{PlaceParts, Target};
use super::value::Own;
use super::walk::{Node, has_effects, mentioned_locals, walk};
use crate::mir::{CmpOp, Inst, MTy, Var};
use crate::repr::Leaf;
use simple_sema::typed::{Expr, ExprKind, LocalId, Place, PlaceRoot, PlaceStep, Ty, TyId};
use simple_syntax::Span;

/// What computing a value may do to the place that is updated with it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Meanwhile {
    /// Nothing, and finding the place cannot fail: the value may be computed first.
    Free,
    /// Nothing: what was found before is still right afterwards.
    Kept,
    /// It may change it, or hold the collection that the place is in.
    Changed,
}

impl<'c, 'p> Builder<'c, 'p> {
    /// `place op= value` on numbers, where `combine` makes the new value of the old one and the amount, of type `ty`.
    pub fn update_number(
        &mut self,
        place: &'p Place,
        value: &'p Expr,
        ty: TyId,
        combine: impl FnOnce(&mut Self, Var, Var) -> Var,
    ) {
        let leaf = self.scalar_ty(ty);
        let parts = self.place_parts(place);
        let meanwhile = self.meanwhile(place, value);
        let found = match meanwhile {
            Meanwhile::Free => None,
            Meanwhile::Kept | Meanwhile::Changed => {
                let target = self.walk_place(place, &parts, true, false);
                let old = self.read_target(&target).first().copied();
                Some((target, old))
            }
        };
        let value = self.expr_as(value, ty);
        let amount = self.leaf(&value, 0, leaf);
        let (target, old) = match (found, meanwhile) {
            // [condition compound.found_again]: the place may be another one after the value's code.
            (Some((_, old)), Meanwhile::Changed) => {
                (self.walk_place(place, &parts, false, false), old)
            }
            (Some(found), _) => found,
            (None, _) => {
                let target = self.walk_place(place, &parts, true, false);
                let old = self.read_target(&target).first().copied();
                (target, old)
            }
        };
        if let Some(old) = old {
            let new = combine(self, old, amount);
            self.write_target(&target, &[new]);
        }
    }

    /// `place += value` on texts or arrays.
    pub fn append(&mut self, place: &'p Place, value: &'p Expr, span: Span) {
        let parts = self.place_parts(place);
        match self.meanwhile(place, value) {
            Meanwhile::Changed => {
                let target = self.walk_place(place, &parts, true, false);
                let Some(old) = self.read_target(&target).first().copied() else {
                    self.expr_as(value, place.ty);
                    return;
                };
                let kept = self.keep_until_end(old, &target);
                let added = self.appended(value, place.ty);
                let target = self.put_back(place, &parts, old, kept);
                self.append_to(&target, added, place.ty, span);
            }
            Meanwhile::Kept => {
                let target = self.walk_place(place, &parts, true, false);
                let added = self.appended(value, place.ty);
                self.append_to(&target, added, place.ty, span);
            }
            Meanwhile::Free => {
                let added = self.appended(value, place.ty);
                let target = self.walk_place(place, &parts, true, false);
                self.append_to(&target, added, place.ty, span);
            }
        }
    }

    /// What is appended, held: `s += s` must not grow the text while it is read.
    fn appended(&mut self, value: &'p Expr, ty: TyId) -> Var {
        let added = self.expr_as(value, ty);
        let added = match added.own {
            // [condition compound.held_variable]: it may be what grows.
            // [condition compound.held_elsewhere]: so may what others can reach.
            Own::Local(_) | Own::Unstable => self.hold(added, ty),
            _ => added,
        };
        self.leaf(&added, 0, MTy::Ptr)
    }

    fn append_to(&mut self, target: &Target, added: Var, ty: TyId, span: Span) {
        if !matches!(self.cx.types.get(ty), Ty::Text) {
            self.extend_target(target, added, ty, span);
        } else if let Some(old) = self.read_target(target).first().copied() {
            self.append_text(target, old, added, span);
        }
    }

    /// Another reference to what a place holds, in a variable of its own that the end of the statement releases.
    fn keep_until_end(&mut self, old: Var, target: &Target) -> Var {
        let leaf = target.leaves[0];
        self.retain(old, leaf);
        let kept = self.copy(old);
        self.push_nullable(kept, leaf);
        kept
    }

    fn push_nullable(&mut self, var: Var, leaf: Leaf) {
        let leaf = Leaf {
            // [condition compound.nullable]: nothing may be kept.
            nullable: true,
            ..leaf
        };
        self.push_temp([(var, leaf)].into(), false);
    }

    /// The place after the value's code has run, with `old` in it again. If it still is, `kept` is released, so that `old` can grow
    /// where it is.
    fn put_back(&mut self, place: &'p Place, parts: &PlaceParts, old: Var, kept: Var) -> Target {
        let replaced = self.null();
        let replaced = self.copy(replaced);
        let target = self.walk_place(place, parts, false, false);
        let leaf = target.leaves[0];
        // Released last of all, because that may run a `fn drop()`.
        self.push_nullable(replaced, leaf);
        let now = self.read_target(&target)[0];
        // [condition compound.replaced]: the value's code may have put something else there.
        // [condition compound.still_there]: what it left alone grows where it is.
        let same = self.cmp(CmpOp::Eq, now, old);
        let (still, other, done) = (self.block(), self.block(), self.block());
        self.branch(same, still, other);
        self.switch(still);
        let null = self.null();
        self.emit(Inst::Copy(kept, null));
        self.release(old, leaf);
        self.jump(done);
        self.switch(other);
        self.emit(Inst::Copy(replaced, now));
        self.retain(old, leaf);
        self.write_target(&target, &[old]);
        self.jump(done);
        self.switch(done);
        target
    }

    /// What computing `value` may do to `place`.
    fn meanwhile(&self, place: &Place, value: &Expr) -> Meanwhile {
        // [condition compound.effects]: code may change the place.
        // [condition compound.drops]: so may the `fn drop()` of what the value makes.
        let runs_code = has_effects(value) || (self.cx.any_drop && makes_objects(value));
        let indexed = place
            .path
            .iter()
            .any(|step| matches!(step, PlaceStep::Index(..)));
        match place.root {
            // [condition compound.cells]: a variable in a cell can be reached by a block.
            PlaceRoot::Local(local) if !self.lives_in_cell(local) => {
                // [condition compound.changed]: the value changes the variable itself.
                if changes(value, local) {
                    Meanwhile::Changed
                // [condition compound.indexed]: finding an element may fail, and comes first.
                } else if !indexed {
                    Meanwhile::Free
                // [condition compound.given]: what a list was given to may keep it.
                } else if runs_code && mentioned_locals(value).contains(&local) {
                    // What it is given it may keep, and then an element must not be changed where it is.
                    Meanwhile::Changed
                } else {
                    Meanwhile::Kept
                }
            }
            // [condition compound.elsewhere]: others can reach an object, a module-level variable or a cell.
            _ if runs_code => Meanwhile::Changed,
            _ => Meanwhile::Kept,
        }
    }

    fn lives_in_cell(&self, local: LocalId) -> bool {
        let state = self.locals.get(local.0 as usize);
        matches!(state, Some(Some(LocalState { cell: true, .. })))
    }
}

/// Whether an expression changes a variable, or a part of it.
fn changes(value: &Expr, local: LocalId) -> bool {
    let mut found = false;
    walk(value, &mut |node| {
        if let Node::Place(place) = node {
            // [condition compound.own_place]: another variable may change.
            found |= matches!(place.root, PlaceRoot::Local(root) if root == local);
        }
    });
    found
}

/// Whether an expression makes instances, which may run a `fn drop()` when they go.
fn makes_objects(value: &Expr) -> bool {
    let mut found = false;
    walk(value, &mut |node| {
        if let Node::Expr(expr) = node {
            found |= matches!(expr.kind, ExprKind::New(..));
        }
    });
    found
}
