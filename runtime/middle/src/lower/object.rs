//! Trait objects: making them, asking what one refers to, converting between traits, calls that change one.
//!
//! A trait object is a counted pointer and a method table. The pointer is the class instance itself, or a box of a value of
//! another type. Each pair of a trait and a type has one table, so the table tells the type: a test compares tables, and a
//! conversion to another trait picks the table of the same type. A table begins with the function that prints the object, the
//! one that makes its box unshared and the one that compares it with another of its type; the methods follow.
//!
//! Leaves out the calls that change nothing (`closure.rs`) and the shims in the tables (`glue/shim.rs`).

use super::builder::Builder;
use super::cx::DescKey;
use super::place::{Spot, Target};
use super::value::{Own, Value};
use crate::mir::{CmpOp, Const, Inst, MTy, Var};
use crate::repr::{OptionForm, layout_of_leaves};
use simple_core::error_kind::ErrorKind;
use simple_core::layout::FIELDS;
use simple_sema::typed::{Expr, Place, TraitId, Ty, TyId};
use simple_syntax::Span;

/// Entries of a method table before the methods: printing, unsharing, and comparing.
pub(crate) const TABLE_HEAD: usize = 3;

/// The entry of a method table that compares.
pub(crate) const TABLE_EQUAL: usize = 2;

impl<'c, 'p> Builder<'c, 'p> {
    /// A value as a trait object: class instances are their own object, other values go into a box.
    pub fn trait_object(&mut self, value: Value, from: TyId, to: TyId, span: Span) -> Value {
        let Ty::Trait(id) = *self.cx.types.get(to) else {
            return self.made_up(to);
        };
        if let Ty::Trait(source) = *self.cx.types.get(from) {
            let object = self.leaf(&value, 0, MTy::Ptr);
            let table = self.leaf(&value, 1, MTy::Ptr);
            let table = self.table_in(table, source, id);
            return Value {
                leaves: vec![object, table],
                own: value.own,
            };
        }
        let vtable = self.cx.vtable(id, from);
        let table = self.constant(MTy::Ptr, Const::Vtable(vtable));
        if self.cx.boxes_itself(from) {
            let mut leaves = value.leaves;
            leaves.push(table);
            return Value {
                leaves,
                own: value.own,
            };
        }
        let object = self.boxed(value, from, span);
        self.temp(to, vec![object, table])
    }

    /// A new box that owns a value of type `ty`.
    pub fn boxed(&mut self, value: Value, ty: TyId, span: Span) -> Var {
        let shapes = self.cx.reprs.leaves(ty);
        let layout = layout_of_leaves(&shapes, FIELDS as u32);
        let object = self.alloc(layout.size, DescKey::Boxed(ty), span);
        let leaves = self.own(value, ty);
        self.store_leaves(&layout, 0..leaves.len(), object, &leaves);
        object
    }

    /// The leaves of the value in a box.
    pub fn load_boxed(&mut self, object: Var, ty: TyId) -> Vec<Var> {
        let shapes = self.cx.reprs.leaves(ty);
        let layout = layout_of_leaves(&shapes, FIELDS as u32);
        self.load_leaves(&shapes, &layout, 0..shapes.len(), object)
    }

    /// The types that objects of trait `from` can have and that are `to`, or implement it.
    fn types_behind(&self, from: TraitId, to: TyId) -> Vec<TyId> {
        let implementors = |id: TraitId| {
            self.cx.types.traits[id.0 as usize]
                .impls
                .iter()
                .map(|(ty, _)| *ty)
        };
        match *self.cx.types.get(to) {
            Ty::Trait(to) => implementors(from)
                .filter(|ty| implementors(to).any(|other| other == *ty))
                .collect(),
            _ => implementors(from).filter(|ty| *ty == to).collect(),
        }
    }

    /// Whether `table`, one of trait `id`, is that of `ty`.
    fn is_table_of(&mut self, table: Var, id: TraitId, ty: TyId) -> Var {
        let vtable = self.cx.vtable(id, ty);
        let other = self.constant(MTy::Ptr, Const::Vtable(vtable));
        self.cmp(CmpOp::Eq, table, other)
    }

    /// The table as trait `to` of the type that `table` belongs to as trait `from`; null if that type does not implement `to`.
    fn table_in(&mut self, table: Var, from: TraitId, to: TraitId) -> Var {
        if from == to {
            return table;
        }
        let target = self.trait_type(to);
        let mut found = self.null();
        for ty in self.types_behind(from, target) {
            let same = self.is_table_of(table, from, ty);
            let vtable = self.cx.vtable(to, ty);
            let candidate = self.constant(MTy::Ptr, Const::Vtable(vtable));
            found = self.select(same, candidate, found);
        }
        found
    }

    fn trait_type(&self, id: TraitId) -> TyId {
        (0..self.cx.types.len())
            .map(|index| TyId(index as u32))
            .find(|ty| matches!(self.cx.types.get(*ty), Ty::Trait(other) if *other == id))
            .unwrap_or(TyId::ERROR)
    }

    /// Whether the object of `value`, of trait type `from`, is of type `to` or implements it, as an `I8`.
    fn object_is(&mut self, value: &Value, from: TyId, to: TyId) -> Var {
        let Ty::Trait(id) = *self.cx.types.get(from) else {
            return self.flag(from == to);
        };
        let table = self.leaf(value, 1, MTy::Ptr);
        let mut found = None;
        for ty in self.types_behind(id, to) {
            let same = self.is_table_of(table, id, ty);
            found = Some(match found {
                Some(before) => self.bin(crate::mir::BinOp::Or, before, same),
                None => same,
            });
        }
        found.unwrap_or_else(|| self.flag(false))
    }

    /// `object is T`.
    pub fn is_type(&mut self, object: &'p Expr, ty: TyId) -> Value {
        let value = self.expr(object);
        let answer = self.object_is(&value, object.ty, ty);
        self.discard_early(&value);
        Value::plain(answer)
    }

    /// `object as T?`; `ty` is the option.
    pub fn downcast(&mut self, object: &'p Expr, ty: TyId) -> Value {
        let value = self.expr(object);
        let item = self.payload_ty(ty);
        let fits = self.object_is(&value, object.ty, item);
        let pointer = self.leaf(&value, 0, MTy::Ptr);
        let null = self.null();
        // The object keeps what it holds, so the payload is borrowed from it.
        let own = value.own.part();
        if let (Ty::Trait(from), Ty::Trait(to)) = (
            self.cx.types.get(object.ty).clone(),
            self.cx.types.get(item).clone(),
        ) {
            let table = self.leaf(&value, 1, MTy::Ptr);
            let table = self.table_in(table, from, to);
            let pointer = self.select(fits, pointer, null);
            return Value {
                leaves: vec![pointer, table],
                own,
            };
        }
        if self.cx.boxes_itself(item) || self.cx.reprs.option_form(ty) == OptionForm::Boxed {
            // The box of a value is the same object in a trait object and in an option.
            let pointer = self.select(fits, pointer, null);
            return Value {
                leaves: vec![pointer],
                own,
            };
        }
        let shapes = self.cx.reprs.leaves(ty);
        let results = self.vars(&shapes);
        let zeros = self.made_up(ty).leaves;
        self.assign(&results, &zeros);
        let (there, done) = (self.block(), self.block());
        self.branch(fits, there, done);
        self.switch(there);
        let leaves = self.load_boxed(pointer, item);
        let option = self.wrap_some(Value::stable(leaves), ty, object.span);
        self.assign(&results, &option.leaves);
        self.jump(done);
        self.switch(done);
        Value {
            leaves: results,
            own,
        }
    }

    /// Whether every object of the trait is a class instance, which is shared anyway.
    pub fn holds_classes_only(&self, id: TraitId) -> bool {
        self.cx.types.traits[id.0 as usize]
            .impls
            .iter()
            .all(|(ty, _)| self.cx.boxes_itself(*ty))
    }

    /// Asks the object for itself with an unshared box. With `in_place` the reference is handed over and one comes back;
    /// without, no ownership moves, and null comes back for a value.
    fn unshared(&mut self, object: Var, table: Var, in_place: bool, span: Span) -> Var {
        let code = self.load(MTy::Ptr, table, 8);
        let in_place = self.flag(in_place);
        let dst = self.var(MTy::Ptr);
        let fail = self.fail(span);
        self.emit(Inst::CallIndirect {
            dsts: vec![dst],
            code,
            args: vec![object, in_place],
            fail,
        });
        dst
    }

    /// Fails unless the object is a class instance: a method is about to change what is not a place.
    pub fn require_shared(&mut self, id: TraitId, value: &Value, span: Span) {
        if self.holds_classes_only(id) {
            return;
        }
        let object = self.leaf(value, 0, MTy::Ptr);
        let table = self.leaf(value, 1, MTy::Ptr);
        let there = self.unshared(object, table, false, span);
        let shared = self.cmp_int(CmpOp::Ne, there, 0);
        self.check(shared, ErrorKind::FixedObject, None, None, span);
    }

    /// A call of a method that changes the trait object in a place.
    pub fn call_trait_inout(
        &mut self,
        id: TraitId,
        method: u32,
        place: &'p Place,
        args: &'p [Expr],
        ret: TyId,
        span: Span,
    ) -> Value {
        let parts = self.place_parts(place);
        let exprs: Vec<&Expr> = args.iter().collect();
        let mut values = self.operands(&exprs);
        for (value, expr) in values.iter_mut().zip(&exprs) {
            *value = self.hold(value.clone(), expr.ty);
        }
        let target = self.walk_place(place, &parts, true, true);
        let mut current = self.read_target(&target);
        let mut access = None;
        if let (false, [object, table]) = (self.holds_classes_only(id), &current[..]) {
            let (object, table) = (*object, *table);
            // A method of a class changes its instance, not the place.
            let reached =
                matches!(target.spot, Spot::Memory { .. }) || self.option_of(place).is_some();
            if reached && !self.cx.contested.is_empty() {
                let shared = self.unshared(object, table, false, span);
                let value = self.cmp_int(CmpOp::Eq, shared, 0);
                access = self.begin_access(place, &parts, Some(value), span);
            }
            let object = self.unshared(object, table, true, span);
            self.write_target(&target, &[object, table]);
            current = vec![object, table];
        }
        let own = match target.spot {
            Spot::Vars(_) => Own::Stable,
            Spot::Memory { .. } => Own::Unstable,
        };
        let object = Value {
            leaves: current,
            own,
        };
        let object = self.hold_for_call(object, place.ty);
        values.insert(0, object);
        let result = self.call_method(method, &values, ret, span);
        if let Some(access) = access {
            self.undo(access);
        }
        result
    }

    /// Calls the method of the trait object that comes first in `values`.
    pub fn call_method(&mut self, method: u32, values: &[Value], ret: TyId, span: Span) -> Value {
        let pointer = self.leaf(&values[0], 0, MTy::Ptr);
        let table = self.leaf(&values[0], 1, MTy::Ptr);
        let code = self.load(MTy::Ptr, table, 8 * (TABLE_HEAD as i32 + method as i32));
        let mut leaves = vec![pointer];
        leaves.extend(
            values[1..]
                .iter()
                .flat_map(|value| value.leaves.iter().copied()),
        );
        self.call_indirect(code, leaves, values, ret, span)
    }

    /// The value in a box as a place.
    pub fn boxed_target(&mut self, object: Var, ty: TyId) -> Target {
        let shapes = self.cx.reprs.leaves(ty);
        let layout = layout_of_leaves(&shapes, FIELDS as u32);
        Target::memory(object, layout.offsets, shapes.to_vec())
    }
}
