//! Update methods: `push`, `pop`, `insert`, `remove`, `extend`, `clear`, `sort` on arrays.
//!
//! Operands are evaluated first; then the place is walked, its array made unique, and changed. Dicts and sets: `table_update.rs`.

use super::builder::Builder;
use super::value::{Own, Value};
use crate::mir::{BinOp, CmpOp, Inst, MTy};
use simple_core::array_sort::SortKind;
use simple_core::error_kind::ErrorKind;
use simple_core::layout::ARRAY_LEN;
use simple_core::table::RtFn;
use simple_sema::typed::{Expr, Place, Ty, TyId, Update};
use simple_syntax::Span;

impl<'c, 'p> Builder<'c, 'p> {
    /// The arguments of an update of a place, as values of `tys` that stay good while it changes: an argument may be a part of the
    /// very collection.
    pub fn update_operands(&mut self, args: &'p [Expr], tys: &[TyId]) -> Vec<Value> {
        let exprs: Vec<&Expr> = args.iter().collect();
        let mut values = self.operands_as(&exprs, tys);
        for (value, ty) in values.iter_mut().zip(tys) {
            if matches!(value.own, Own::Local(_) | Own::Unstable) {
                *value = self.hold(value.clone(), *ty);
            }
        }
        values
    }

    /// An update method of a collection, on a place that it changes.
    pub fn update(
        &mut self,
        op: Update,
        place: &'p Place,
        args: &'p [Expr],
        ty: TyId,
        span: Span,
    ) -> Value {
        let Ty::Array(item) = *self.cx.types.get(place.ty) else {
            return self.update_table(op, place, args, ty, span);
        };
        if op == Update::Push && self.store_filling(place, args) {
            return Value::unit();
        }
        let parts = self.place_parts(place);
        let tys: Vec<TyId> = match op {
            Update::Push => vec![item],
            Update::Insert => vec![TyId::I64, item],
            Update::Remove => vec![TyId::I64],
            Update::Extend => vec![place.ty],
            _ => Vec::new(),
        };
        let values = self.update_operands(args, &tys);
        let target = self.walk_place(place, &parts, true, false);
        match op {
            Update::Push => {
                self.push_target(&target, item, values[0].clone(), span);
                Value::unit()
            }
            Update::Pop => self.pop(&target, item, ty, span),
            Update::Insert => {
                let position = self.leaf(&values[0], 0, MTy::I64);
                self.insert(&target, item, position, values[1].clone(), span);
                Value::unit()
            }
            Update::Remove => {
                let position = self.leaf(&values[0], 0, MTy::I64);
                self.remove_at(&target, item, position, span)
            }
            Update::Extend => {
                let added = self.leaf(&values[0], 0, MTy::Ptr);
                self.extend_target(&target, added, place.ty, span);
                Value::unit()
            }
            Update::Clear => {
                let empty = self.empty_collection(place.ty);
                self.replace_target(&target, &[empty]);
                Value::unit()
            }
            Update::Sort => {
                let array = self.unique_array(&target, None, span);
                if let Some(kind) = self.sort_kind(item) {
                    let kind = self.int(MTy::I32, kind as i64);
                    self.rt(RtFn::ArraySort, &[array, kind], span);
                }
                Value::unit()
            }
            Update::Unshare => {
                self.unique_array(&target, None, span);
                Value::unit()
            }
            Update::DictSet | Update::DictRemove | Update::SetAdd | Update::SetRemove => {
                Value::unit()
            }
        }
    }

    /// How the runtime sorts elements of this type, if it does.
    fn sort_kind(&self, item: TyId) -> Option<SortKind> {
        Some(match self.cx.types.get(item) {
            Ty::Bool => SortKind::U8,
            Ty::F32 => SortKind::F32,
            Ty::F64 => SortKind::F64,
            Ty::Text => SortKind::Text,
            Ty::Int(int) => match (int.signed, int.bits) {
                (true, 8) => SortKind::I8,
                (true, 16) => SortKind::I16,
                (true, 32) => SortKind::I32,
                (true, _) => SortKind::I64,
                (false, 8) => SortKind::U8,
                (false, 16) => SortKind::U16,
                (false, 32) => SortKind::U32,
                (false, _) => SortKind::U64,
            },
            _ => return None,
        })
    }

    fn pop(&mut self, target: &super::place::Target, item: TyId, ty: TyId, span: Span) -> Value {
        let shapes = self.cx.reprs.leaves(ty);
        let results = self.vars(&shapes);
        let zeros = self.made_up(ty).leaves;
        self.assign(&results, &zeros);
        let array = self.unique_array(target, None, span);
        let len = self.load(MTy::I64, array, ARRAY_LEN);
        let some = self.cmp_int(CmpOp::Gt, len, 0);
        let (there, done) = (self.block(), self.block());
        self.branch(some, there, done);
        self.switch(there);
        let one = self.i64(1);
        let last = self.bin(BinOp::Sub, len, one);
        let leaves = self.load_element(array, last, item);
        self.store(array, ARRAY_LEN, last);
        let leaves = self.wrap_owned(leaves, ty, span);
        self.assign(&results, &leaves);
        self.jump(done);
        self.switch(done);
        self.temp(ty, results)
    }

    fn insert(
        &mut self,
        target: &super::place::Target,
        item: TyId,
        position: crate::mir::Var,
        value: Value,
        span: Span,
    ) {
        let one = self.i64(1);
        let array = self.unique_array(target, Some(one), span);
        let len = self.load(MTy::I64, array, ARRAY_LEN);
        let negative = self.cmp_int(CmpOp::Lt, position, 0);
        let from_end = self.bin(BinOp::Add, position, len);
        let at = self.select(negative, from_end, position);
        let inside = self.cmp(CmpOp::ULe, at, len);
        self.check(
            inside,
            ErrorKind::PositionOutOfRange,
            Some(position),
            Some(len),
            span,
        );
        self.shift_elements(array, at, len, true, span);
        let leaves = self.own(value, item);
        self.store_element(array, at, item, &leaves);
        let len = self.bin(BinOp::Add, len, one);
        self.store(array, ARRAY_LEN, len);
    }

    fn remove_at(
        &mut self,
        target: &super::place::Target,
        item: TyId,
        position: crate::mir::Var,
        span: Span,
    ) -> Value {
        let array = self.unique_array(target, None, span);
        let len = self.load(MTy::I64, array, ARRAY_LEN);
        let negative = self.cmp_int(CmpOp::Lt, position, 0);
        let from_end = self.bin(BinOp::Add, position, len);
        let at = self.select(negative, from_end, position);
        let inside = self.cmp(CmpOp::ULt, at, len);
        self.check(
            inside,
            ErrorKind::PositionOutOfRange,
            Some(position),
            Some(len),
            span,
        );
        let leaves = self.load_element(array, at, item);
        let one = self.i64(1);
        let next = self.bin(BinOp::Add, at, one);
        self.shift_elements(array, next, len, false, span);
        let len = self.bin(BinOp::Sub, len, one);
        self.emit(Inst::Store(array, ARRAY_LEN, len));
        self.temp(item, leaves)
    }
}
