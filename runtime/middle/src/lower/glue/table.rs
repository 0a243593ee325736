//! Functions over dicts and sets of one type: finding keys that the runtime cannot compare, counting entries, arrays of keys or values.

use super::super::builder::Builder;
use super::super::value::Value;
use super::HASH_SEED;
use crate::mir::{BinOp, CmpOp, Const, Inst, MTy, SlotId, Term, Var};
use crate::repr::Leaf;
use simple_core::layout::TABLE_LEN;
use simple_core::table::RtFn;
use simple_sema::typed::{Ty, TyId};
use simple_syntax::Span;

impl<'c, 'p> Builder<'c, 'p> {
    /// `(table, key leaves) -> entry`: null if there is none, unless `enter` makes one.
    pub fn find_entry_glue(&mut self, table_ty: TyId, enter: bool, span: Span) {
        self.function.results = vec![MTy::Ptr];
        let layout = self.cx.reprs.table(table_ty);
        let table = self.param(MTy::Ptr);
        let shapes = self.cx.reprs.leaves(layout.key);
        let key = Value::stable(self.params(&shapes));
        let seed = self.i64(HASH_SEED);
        let hash = self.hash_value(seed, &key, layout.key, span);
        self.function.slots.push(8);
        let slot = SlotId(self.function.slots.len() as u32 - 1);
        let cursor = self.constant(MTy::Ptr, Const::Slot(slot));
        let zero = self.i64(0);
        self.store(cursor, 0, zero);
        let (head, candidate, found, nothing) =
            (self.block(), self.block(), self.block(), self.block());
        self.jump(head);
        self.switch(head);
        let entry = self.rt_value(RtFn::TableProbe, &[table, hash, cursor], span);
        let some = self.cmp_int(CmpOp::Ne, entry, 0);
        self.branch(some, candidate, nothing);
        self.switch(candidate);
        let other = Value::stable(self.entry_key(entry, &layout));
        let same = self.equal(&other, &key, layout.key, span);
        self.branch(same, found, head);
        self.switch(found);
        self.end(Term::Return(vec![entry]));
        self.switch(nothing);
        if !enter {
            let null = self.null();
            self.end(Term::Return(vec![null]));
            return;
        }
        let entry = self.rt_value(RtFn::TableAppend, &[table, hash], span);
        self.retain_all(layout.key, &key.leaves);
        for (offset, leaf) in layout.key_offsets.iter().zip(&key.leaves) {
            self.store(entry, *offset, *leaf);
        }
        self.end(Term::Return(vec![entry]));
    }

    /// `(entries, count)`: retains what entries hold; removed ones among them are zero.
    pub fn retain_entries_glue(&mut self, table_ty: TyId) {
        let data = self.param(MTy::Ptr);
        let count = self.param(MTy::I64);
        let layout = self.cx.reprs.table(table_ty);
        let parts = [
            (layout.key, &layout.key_offsets),
            (layout.value, &layout.value_offsets),
        ];
        let zero = self.i64(0);
        self.count(zero, count, |builder, index| {
            for (ty, offsets) in parts {
                let shapes = builder.cx.reprs.leaves(ty);
                for (leaf, offset) in shapes.iter().zip(offsets) {
                    if leaf.counted.is_some() {
                        let var = builder.var(leaf.ty);
                        builder.emit(Inst::LoadAt(var, data, index, layout.stride, *offset));
                        let nullable = true;
                        builder.retain(var, Leaf { nullable, ..*leaf });
                    }
                }
            }
        });
        self.end(Term::Return(vec![]));
    }

    /// `(table) -> array` of the keys or the values, in order.
    pub fn table_array_glue(&mut self, table_ty: TyId, array_ty: TyId, keys: bool, span: Span) {
        self.function.results = vec![MTy::Ptr];
        let table = self.param(MTy::Ptr);
        let layout = self.cx.reprs.table(table_ty);
        let len = self.load(MTy::I64, table, TABLE_LEN);
        let array = self.new_array(array_ty, len, span);
        let item = self.item_ty(array_ty);
        let index = self.i64(0);
        self.each_entry(table, &layout.clone(), span, |builder, entry| {
            let leaves = if keys {
                builder.entry_key(entry, &layout)
            } else {
                builder.entry_value(entry, &layout)
            };
            builder.retain_all(item, &leaves);
            builder.store_element(array, index, item, &leaves);
            let one = builder.i64(1);
            let next = builder.bin(BinOp::Add, index, one);
            builder.emit(Inst::Copy(index, next));
        });
        self.end(Term::Return(vec![array]));
    }

    pub fn destroy_table(&mut self, table_ty: TyId, span: Span) {
        let table = self.param(MTy::Ptr);
        let layout = self.cx.reprs.table(table_ty);
        let (keys, values) = (
            self.cx.reprs.is_counted(layout.key),
            self.cx.reprs.is_counted(layout.value),
        );
        if keys || values {
            self.each_entry(table, &layout.clone(), span, |builder, entry| {
                if values {
                    let leaves = builder.entry_value(entry, &layout);
                    builder.release_all(layout.value, &leaves);
                }
                if keys {
                    let leaves = builder.entry_key(entry, &layout);
                    builder.release_all(layout.key, &leaves);
                }
            });
        }
        self.rt(RtFn::TableFree, &[table], span);
        self.end(Term::Return(vec![]));
    }

    /// Returns from an equality unless both tables hold the same entries, in any order.
    pub fn compare_tables(&mut self, a: &Value, b: &Value, table_ty: TyId, span: Span) {
        let layout = self.cx.reprs.table(table_ty);
        let (x, y) = (a.leaves[0], b.leaves[0]);
        let (xs, ys) = (
            self.load(MTy::I64, x, TABLE_LEN),
            self.load(MTy::I64, y, TABLE_LEN),
        );
        let same = self.cmp(CmpOp::Eq, xs, ys);
        self.differ_unless(same);
        self.each_entry(x, &layout.clone(), span, |builder, entry| {
            let key = Value::stable(builder.entry_key(entry, &layout));
            let other = builder.find_entry(y, table_ty, &key, span);
            let there = builder.cmp_int(CmpOp::Ne, other, 0);
            builder.differ_unless(there);
            if layout.value != TyId::UNIT {
                let left = Value::stable(builder.entry_value(entry, &layout));
                let right = Value::stable(builder.entry_value(other, &layout));
                let same = builder.equal(&left, &right, layout.value, span);
                builder.differ_unless(same);
            }
        });
    }

    /// The sum of the hashes of all entries, so that their order does not matter.
    pub fn hash_table(&mut self, table: Var, table_ty: TyId, span: Span) -> Var {
        let layout = self.cx.reprs.table(table_ty);
        let sum = self.i64(0);
        self.each_entry(table, &layout.clone(), span, |builder, entry| {
            let seed = builder.i64(HASH_SEED);
            let key = Value::stable(builder.entry_key(entry, &layout));
            let hash = builder.hash_value(seed, &key, layout.key, span);
            let value = Value::stable(builder.entry_value(entry, &layout));
            let hash = builder.hash_value(hash, &value, layout.value, span);
            let next = builder.bin(BinOp::Add, sum, hash);
            builder.emit(Inst::Copy(sum, next));
        });
        sum
    }

    /// `{k: v, ...}` or `{x, ...}`.
    pub fn print_table(&mut self, builder: Var, table: Var, table_ty: TyId, span: Span) {
        let layout = self.cx.reprs.table(table_ty);
        self.add_text(builder, "{", span);
        let first = self.flag(true);
        // A dict may have `()` as values, which take no room.
        let is_dict = matches!(self.cx.types.get(table_ty), Ty::Dict(..));
        self.each_entry(table, &layout.clone(), span, |b, entry| {
            let (between, print) = (b.block(), b.block());
            b.branch(first, print, between);
            b.switch(between);
            b.add_text(builder, ", ", span);
            b.jump(print);
            b.switch(print);
            let no = b.flag(false);
            b.emit(Inst::Copy(first, no));
            let key = Value::stable(b.entry_key(entry, &layout));
            b.print_value(builder, &key, layout.key, span);
            if is_dict {
                b.add_text(builder, ": ", span);
                let value = Value::stable(b.entry_value(entry, &layout));
                b.print_value(builder, &value, layout.value, span);
            }
        });
        self.add_text(builder, "}", span);
    }
}
