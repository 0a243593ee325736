//! Places: where an assignment or update goes, and how arrays and dicts on the path become the place's own (copy on
//! write).
//!
//! First everything that a place evaluates runs ([`Builder::place_parts`]), then the new value, then the place is walked
//! ([`Builder::walk_place`]), which runs no code of the program: nothing can move under a computed address. Calls of inout methods
//! are the exception: what other code could see of the place meanwhile is detached and put back afterwards, and nothing else may use it
//! (`exclusive.rs`).

use super::builder::{Builder, LocalState};
use super::cx::DescKey;
use super::value::{Own, Value};
use crate::mir::{CmpOp, Const, Inst, MTy, Var};
use crate::repr::{Counted, Leaf};
use simple_core::error_kind::ErrorKind;
use simple_core::layout::{ARRAY_DATA, ARRAY_LEN, COUNT};
use simple_core::table::RtFn;
use simple_sema::typed::{AdtKind, Expr, GlobalId, Place, PlaceRoot, PlaceStep, Ty, TyId};
use simple_syntax::Span;

/// Where the leaves of a place are.
#[derive(Clone)]
pub(crate) enum Spot {
    /// In variables.
    Vars(Vec<Var>),
    /// In memory.
    Memory { base: Var, offsets: Vec<i32> },
}

/// Who else can see a place in memory while code of the program runs.
#[derive(Clone)]
pub(crate) enum Sharing {
    /// No one: it belongs to a variable of this function.
    Private,
    /// It is in an object or a module-level variable directly.
    Direct,
    /// It is in this array or dict, which an object or module-level variable holds at the spot.
    Collection { spot: Spot, object: Var, ty: TyId },
}

/// A walked place.
#[derive(Clone)]
pub(crate) struct Target {
    pub spot: Spot,
    pub leaves: Vec<Leaf>,
    pub sharing: Sharing,
    /// Whether counted leaves may be null although their type says otherwise: a module-level variable before its initializer.
    pub maybe_null: bool,
    /// The initialization flag to set, for a checked module-level variable.
    pub flag: Option<(Var, i32)>,
}

/// What a place's own expressions evaluated to.
pub(crate) struct PlaceParts {
    object: Option<Value>,
    pub keys: Vec<StepKey>,
}

/// What says where a step goes.
pub(crate) enum StepKey {
    Field,
    /// The position in an array.
    Position(Var),
    /// The key of a dict.
    Key(Value),
}

impl<'c, 'p> Builder<'c, 'p> {
    pub fn place_parts(&mut self, place: &'p Place) -> PlaceParts {
        let object = match &place.root {
            PlaceRoot::Object(object) => {
                let value = self.expr(object);
                Some(self.hold(value, object.ty))
            }
            _ => None,
        };
        let keys = place
            .path
            .iter()
            .map(|step| match step {
                PlaceStep::Index(ty, index) => match *self.cx.types.get(*ty) {
                    Ty::Dict(key, _) => {
                        let value = self.expr_as(index, key);
                        StepKey::Key(self.hold(value, key))
                    }
                    _ => StepKey::Position(self.index_value(index)),
                },
                PlaceStep::Field(..) => StepKey::Field,
            })
            .collect();
        PlaceParts { object, keys }
    }

    /// An array index as `I64`.
    pub fn index_value(&mut self, index: &'p Expr) -> Var {
        let base = self.stack.len();
        let value = self.expr_as(
            index,
            if index.ty == TyId::NEVER {
                TyId::I64
            } else {
                index.ty
            },
        );
        let leaf = self.leaf(&value, 0, MTy::I64);
        self.release_temps(base);
        let signed = self.int_ty(index.ty).is_none_or(|int| int.signed);
        self.resize_int(leaf, MTy::I64, signed)
    }

    /// Computes where a place is. `reads` says that its old value counts, so that a dict's key must be there; `hold`
    /// keeps the objects on the path alive for the rest of the statement.
    pub fn walk_place(
        &mut self,
        place: &'p Place,
        parts: &PlaceParts,
        reads: bool,
        hold: bool,
    ) -> Target {
        self.check_place(place, parts);
        let mut target = self.place_root(place, parts, hold);
        if target.maybe_null
            && (reads || !place.path.is_empty())
            && let PlaceRoot::Global(global) = place.root
        {
            self.check_initialized(&target, global, place.span);
        }
        for (number, (step, key)) in place.path.iter().zip(&parts.keys).enumerate() {
            match (step, key) {
                (PlaceStep::Field(owner, field), _) => {
                    self.step_field(&mut target, *owner, *field, hold);
                }
                (PlaceStep::Index(array, _), StepKey::Position(index)) => {
                    let item = self.item_ty(*array);
                    self.step_index(&mut target, *array, item, *index, place.span);
                }
                (PlaceStep::Index(dict, _), StepKey::Key(key)) => {
                    let enter = !reads && number + 1 == place.path.len();
                    self.step_key(&mut target, *dict, key, enter, place.span);
                }
                (PlaceStep::Index(..), StepKey::Field) => {}
            }
        }
        target
    }

    /// Fails if a module-level variable has no value yet, or none any more.
    fn check_initialized(&mut self, target: &Target, global: GlobalId, span: Span) {
        if let Some((base, offset)) = target.flag {
            let set = self.load(MTy::I8, base, offset);
            self.check_has_value(set, global, span);
        } else if self.cx.any_drop
            && let Some(at) = target
                .leaves
                .iter()
                .position(|leaf| leaf.counted.is_some() && !leaf.nullable)
        {
            let leaves = self.read_target(target);
            let there = self.cmp_int(CmpOp::Ne, leaves[at], 0);
            self.check_has_value(there, global, span);
        }
    }

    pub fn place_root(&mut self, place: &'p Place, parts: &PlaceParts, hold: bool) -> Target {
        match &place.root {
            PlaceRoot::Local(local) => {
                let source = self.source.map(|func| &func.locals[local.0 as usize]);
                let ty = source.map_or(TyId::ERROR, |info| info.ty);
                let state = self.locals.get(local.0 as usize).cloned().flatten();
                if let Some(LocalState {
                    leaves, cell: true, ..
                }) = &state
                {
                    return self.boxed_target(leaves[0], ty);
                }
                let (vars, mutable) = match state {
                    Some(state) => (state.leaves, state.mutable),
                    None => (self.made_up(ty).leaves, false),
                };
                if hold && mutable && !place.path.is_empty() {
                    self.hold_object(ty, &vars);
                }
                Target {
                    spot: Spot::Vars(vars),
                    leaves: self.cx.reprs.leaves(ty).to_vec(),
                    sharing: Sharing::Private,
                    maybe_null: false,
                    flag: None,
                }
            }
            PlaceRoot::Global(global) => self.global_target(*global),
            PlaceRoot::Object(object) => {
                let vars = parts
                    .object
                    .as_ref()
                    .map(|value| value.leaves.clone())
                    .unwrap_or_default();
                Target {
                    spot: Spot::Vars(vars),
                    leaves: self.cx.reprs.leaves(object.ty).to_vec(),
                    sharing: Sharing::Private,
                    maybe_null: false,
                    flag: None,
                }
            }
        }
    }

    pub fn global_target(&mut self, global: GlobalId) -> Target {
        let home = self.cx.global(global);
        let (id, offsets, flag) = (home.home, home.layout.offsets.clone(), home.flag);
        let ty = self.cx.program.globals[global.0 as usize].ty;
        let leaves = self.cx.reprs.leaves(ty).to_vec();
        let base = self.constant(MTy::Ptr, id);
        Target {
            spot: Spot::Memory { base, offsets },
            leaves,
            sharing: Sharing::Direct,
            maybe_null: true,
            flag: flag.map(|offset| (base, offset)),
        }
    }

    /// Keeps a class instance alive while a method changes a place inside of it.
    fn hold_object(&mut self, ty: TyId, vars: &[Var]) {
        if let Some(adt) = self.cx.types.adt(ty)
            && adt.kind == AdtKind::Class
        {
            let copies: Vec<Var> = vars.iter().map(|var| self.copy(*var)).collect();
            self.hold(
                Value {
                    leaves: copies,
                    own: Own::Unstable,
                },
                ty,
            );
        }
    }

    fn step_field(&mut self, target: &mut Target, owner: TyId, field: u32, hold: bool) {
        let range = self.cx.reprs.member_range(owner, field);
        let class = match self.cx.types.get(owner) {
            Ty::Adt(adt) if self.cx.types.adts[adt.0 as usize].kind == AdtKind::Class => Some(*adt),
            _ => None,
        };
        let Some(adt) = class else {
            let end = range.end.min(target.leaves.len());
            let range = range.start.min(end)..end;
            match &mut target.spot {
                Spot::Vars(vars) => *vars = vars[range.clone()].to_vec(),
                Spot::Memory { offsets, .. } => *offsets = offsets[range.clone()].to_vec(),
            }
            target.leaves = target.leaves[range].to_vec();
            return;
        };
        let loaded = matches!(target.spot, Spot::Memory { .. });
        let object = self.read_target(target);
        if hold && loaded {
            self.hold_object(owner, &object);
        }
        let layout = self.cx.reprs.class_layout(adt);
        let shapes = self.cx.reprs.member_leaves(owner);
        let base = match object.first() {
            Some(base) => *base,
            None => self.null(),
        };
        let offsets = layout.offsets[range.clone()].to_vec();
        *target = Target::memory(base, offsets, shapes[range].to_vec());
    }

    fn step_index(
        &mut self,
        target: &mut Target,
        array_ty: TyId,
        item: TyId,
        index: Var,
        span: Span,
    ) {
        let array = self.unique_array(target, None, span);
        let sharing = match (&target.spot, &target.sharing) {
            (Spot::Memory { .. }, Sharing::Direct) => Sharing::Collection {
                spot: target.spot.clone(),
                object: array,
                ty: array_ty,
            },
            (_, sharing) => sharing.clone(),
        };
        let index = self.checked_index(array, index, true, span);
        let layout = self.cx.reprs.layout(item);
        let base = self.var(MTy::Ptr);
        self.emit(Inst::AddrAt(
            base,
            array,
            index,
            layout.stride(),
            ARRAY_DATA,
        ));
        *target = Target {
            spot: Spot::Memory {
                base,
                offsets: layout.offsets.clone(),
            },
            leaves: self.cx.reprs.leaves(item).to_vec(),
            sharing,
            maybe_null: false,
            flag: None,
        };
    }

    /// The array at a target, held by nothing else; with `extra`, it has room for that many more elements.
    pub fn unique_array(&mut self, target: &Target, extra: Option<Var>, span: Span) -> Var {
        let current = self.read_target(target);
        let Some(first) = current.first().copied() else {
            return self.null();
        };
        let array = self.copy(first);
        let count = self.load(MTy::I64, array, COUNT);
        let mut fast = self.cmp_int(CmpOp::Eq, count, 1);
        if let Some(extra) = extra {
            let len = self.load(MTy::I64, array, ARRAY_LEN);
            let capacity = self.load(MTy::I64, array, simple_core::layout::ARRAY_CAPACITY);
            let needed = self.bin(crate::mir::BinOp::Add, len, extra);
            let room = self.cmp(CmpOp::Le, needed, capacity);
            fast = self.bin(crate::mir::BinOp::And, fast, room);
        }
        let (slow, done) = (self.cold_block(), self.block());
        let reachable = self.reachable;
        self.branch(fast, done, slow);
        self.switch(slow);
        let extra = match extra {
            Some(extra) => extra,
            None => self.i64(0),
        };
        let fresh = self.rt_value(RtFn::ArrayUnique, &[array, extra], span);
        self.emit(Inst::Copy(array, fresh));
        self.write_target(target, &[fresh]);
        self.jump(done);
        self.switch(done);
        self.reachable = reachable;
        array
    }

    /// An index that is inside the array; negative ones count from the end.
    pub fn checked_index(&mut self, array: Var, index: Var, signed: bool, span: Span) -> Var {
        let len = self.load(MTy::I64, array, ARRAY_LEN);
        self.checked_position(index, len, signed, span)
    }

    pub fn checked_position(&mut self, index: Var, len: Var, signed: bool, span: Span) -> Var {
        let inside = self.cmp(CmpOp::ULt, index, len);
        if !signed {
            self.check(
                inside,
                ErrorKind::IndexOutOfRange,
                Some(index),
                Some(len),
                span,
            );
            return index;
        }
        let position = self.copy(index);
        let (odd, done) = (self.cold_block(), self.block());
        let reachable = self.reachable;
        self.branch(inside, done, odd);
        self.switch(odd);
        let from_end = self.bin(crate::mir::BinOp::Add, index, len);
        let good = self.cmp(CmpOp::ULt, from_end, len);
        self.check(
            good,
            ErrorKind::IndexOutOfRange,
            Some(index),
            Some(len),
            span,
        );
        self.emit(Inst::Copy(position, from_end));
        self.jump(done);
        self.switch(done);
        self.reachable = reachable;
        position
    }

    /// The leaves at a target, copied.
    pub fn read_target(&mut self, target: &Target) -> Vec<Var> {
        match &target.spot {
            Spot::Vars(vars) => vars.iter().map(|var| self.copy(*var)).collect(),
            Spot::Memory { base, offsets } => offsets
                .iter()
                .zip(&target.leaves)
                .map(|(offset, leaf)| self.load(leaf.ty, *base, *offset))
                .collect(),
        }
    }

    /// Puts leaves at a target; what was there must have been taken care of.
    pub fn write_target(&mut self, target: &Target, leaves: &[Var]) {
        match &target.spot {
            Spot::Vars(vars) => self.assign(vars, leaves),
            Spot::Memory { base, offsets } => {
                for (offset, leaf) in offsets.iter().zip(leaves) {
                    self.store(*base, *offset, *leaf);
                }
            }
        }
        if let Some((base, offset)) = target.flag {
            let set = self.flag(true);
            self.store(base, offset, set);
        }
    }

    /// Puts owned leaves at a target, then releases what was there.
    pub fn replace_target(&mut self, target: &Target, leaves: &[Var]) {
        let counted = target.leaves.iter().any(|leaf| leaf.counted.is_some());
        let old = if counted {
            self.read_target(target)
        } else {
            Vec::new()
        };
        self.write_target(target, leaves);
        self.release_old(target, &old);
    }

    fn release_old(&mut self, target: &Target, old: &[Var]) {
        for (var, leaf) in old.iter().zip(&target.leaves).rev() {
            let nullable = leaf.nullable || target.maybe_null;
            self.release(*var, Leaf { nullable, ..*leaf });
        }
    }

    /// Makes the leaves of a target owned by the caller while code of the program runs that could look at the place.
    pub fn detach(&mut self, target: &Target, leaves: &[Leaf], current: &[Var]) {
        match &target.sharing {
            Sharing::Private => {}
            Sharing::Collection { spot, ty, .. } => {
                let empty = self.empty_collection(*ty);
                let origin = Target {
                    spot: spot.clone(),
                    leaves: self.cx.reprs.leaves(*ty).to_vec(),
                    sharing: Sharing::Direct,
                    maybe_null: true,
                    flag: None,
                };
                self.write_target(&origin, &[empty]);
            }
            Sharing::Direct => {
                let Spot::Memory { base, offsets } = target.spot.clone() else {
                    return;
                };
                for ((leaf, var), offset) in leaves.iter().zip(current).zip(offsets) {
                    match leaf.counted {
                        Some(Counted::Array(ty) | Counted::Table(ty)) if !leaf.nullable => {
                            let empty = self.empty_collection(ty);
                            self.store(base, offset, empty);
                        }
                        Some(Counted::Text) if !leaf.nullable => {
                            let empty = self.text_constant("");
                            self.store(base, offset, empty);
                        }
                        _ => self.retain(*var, *leaf),
                    }
                }
            }
        }
    }

    /// Puts changed leaves back after [`Builder::detach`].
    pub fn attach(&mut self, target: &Target, back: &[Var]) {
        match &target.sharing {
            Sharing::Private => self.write_target(target, back),
            Sharing::Direct => {
                let old = self.read_target(target);
                self.write_target(target, back);
                self.release_old(target, &old);
            }
            Sharing::Collection { spot, object, ty } => {
                self.write_target(target, back);
                let origin = Target {
                    spot: spot.clone(),
                    leaves: self.cx.reprs.leaves(*ty).to_vec(),
                    sharing: Sharing::Direct,
                    maybe_null: true,
                    flag: None,
                };
                self.replace_target(&origin, &[*object]);
            }
        }
    }

    /// The immortal empty array, dict or set of type `ty`.
    pub fn empty_collection(&mut self, ty: TyId) -> Var {
        let desc = self.cx.desc(DescKey::Type(ty));
        self.constant(MTy::Ptr, Const::Empty(desc))
    }

    /// `place = value`.
    pub fn assign_place(&mut self, place: &'p Place, value: &'p Expr) {
        if self.update_value(place, value) || self.assign_handed(place, value) {
            return;
        }
        let parts = self.place_parts(place);
        let value_ty = if value.ty == TyId::NEVER {
            place.ty
        } else {
            value.ty
        };
        let new = self.expr_as(value, value_ty);
        let target = self.walk_place(place, &parts, false, false);
        if let Some(PlaceStep::Field(owner, field)) = place.path.last()
            && let Ty::Adt(adt) = *self.cx.types.get(*owner)
            && self.cx.is_weak(adt, *field)
            && let Spot::Memory { base, offsets } = &target.spot
        {
            let pointee = self.leaf(&new, 0, MTy::Ptr);
            self.set_weak(*base, offsets[0], pointee, place.span);
            return;
        }
        let leaves = self.own(new, value_ty);
        self.replace_target(&target, &leaves);
    }
}

impl Target {
    /// A place in an object.
    pub fn memory(base: Var, offsets: Vec<i32>, leaves: Vec<Leaf>) -> Target {
        Target {
            spot: Spot::Memory { base, offsets },
            leaves,
            sharing: Sharing::Direct,
            maybe_null: false,
            flag: None,
        }
    }

    /// A place that is nothing but variables.
    pub fn variable(vars: Vec<Var>, leaves: Vec<Leaf>) -> Target {
        Target {
            spot: Spot::Vars(vars),
            leaves,
            sharing: Sharing::Private,
            maybe_null: false,
            flag: None,
        }
    }
}
