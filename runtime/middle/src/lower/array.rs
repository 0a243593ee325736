//! Arrays: literals, reading elements, and the pieces that updates are made of.
//!
//! Long literals are in `constant.rs`. Places inside arrays and copy on write are in `place.rs`, methods that change arrays in `update.rs`.

use super::builder::Builder;
use super::constant::LONG;
use super::cx::DescKey;
use super::place::Target;
use super::value::{Own, Value};
use crate::mir::{BinOp, CmpOp, Const, ConvOp, Inst, MTy, Var};
use simple_core::layout::{ARRAY_DATA, ARRAY_LEN};
use simple_core::table::RtFn;
use simple_sema::typed::{Expr, Ty, TyId};
use simple_syntax::Span;

impl<'c, 'p> Builder<'c, 'p> {
    /// The element type of an array type.
    pub fn item_ty(&self, ty: TyId) -> TyId {
        match self.cx.types.get(ty) {
            Ty::Array(item) => *item,
            _ => TyId::ERROR,
        }
    }

    /// A new array of `len` elements that must be stored right away.
    pub fn new_array(&mut self, ty: TyId, len: Var, span: Span) -> Var {
        let desc = self.cx.desc(DescKey::Type(ty));
        let desc = self.constant(MTy::Ptr, Const::Desc(desc));
        self.rt_value(RtFn::ArrayNew, &[desc, len, len], span)
    }

    /// Whether an element of this type is one number, so that [`Self::filled_array`] can make arrays of it.
    pub fn is_one_number(&self, item: TyId) -> bool {
        let leaves = self.cx.reprs.leaves(item);
        leaves.len() == 1 && leaves[0].counted.is_none() && leaves[0].ty != MTy::Ptr
    }

    /// A new array of `len` elements that all are `leaf`, a number.
    pub fn filled_array(&mut self, ty: TyId, len: Var, leaf: Var, span: Span) -> Var {
        let whole = match self.ty(leaf) {
            MTy::F32 => self.conv(ConvOp::Bits, MTy::I32, leaf),
            MTy::F64 => self.conv(ConvOp::Bits, MTy::I64, leaf),
            _ => leaf,
        };
        let bits = match self.ty(whole) {
            MTy::I64 => whole,
            _ => self.conv(ConvOp::ZExt, MTy::I64, whole),
        };
        let desc = self.cx.desc(DescKey::Type(ty));
        let desc = self.constant(MTy::Ptr, Const::Desc(desc));
        self.rt_value(RtFn::ArrayFilled, &[desc, len, bits], span)
    }

    pub fn array_literal(&mut self, items: &'p [Expr], ty: TyId, span: Span) -> Value {
        if items.is_empty() {
            return Value::plain(self.empty_collection(ty));
        }
        if let Some(literal) = self.known_array_literal(items, ty, span) {
            return literal;
        }
        if items.len() >= LONG {
            return self.long_array_literal(items, ty, span);
        }
        let item = self.item_ty(ty);
        let exprs: Vec<&Expr> = items.iter().collect();
        let values = self.operands_as(&exprs, &vec![item; items.len()]);
        let len = self.i64(items.len() as i64);
        let array = self.new_array(ty, len, span);
        let layout = self.cx.reprs.layout(item);
        let stride = layout.stride() as i32;
        let owned = self.own_all(values, &vec![item; items.len()]);
        for (index, leaves) in owned.into_iter().enumerate() {
            for (offset, leaf) in layout.offsets.iter().zip(leaves) {
                self.store(array, ARRAY_DATA + index as i32 * stride + offset, leaf);
            }
        }
        self.temp(ty, vec![array])
    }

    /// `a[i]` read.
    pub fn index(&mut self, a: &'p Expr, index: &'p Expr, span: Span) -> Value {
        let values = self.operands(&[a, index]);
        let item = self.item_ty(a.ty);
        let array = self.leaf(&values[0], 0, MTy::Ptr);
        let int = self.int_ty(index.ty);
        let signed = int.is_none_or(|int| int.signed);
        let leaf_ty = self.scalar_ty(index.ty);
        let position = self.leaf(&values[1], 0, leaf_ty);
        let position = self.resize_int(position, MTy::I64, signed);
        // Narrow unsigned indices are never negative, and neither are those that were extended.
        let position = self.checked_index(array, position, signed, span);
        let leaves = self.load_element(array, position, item);
        let own = if self.cx.reprs.is_counted(item) {
            values[0].own.part()
        } else {
            Own::Stable
        };
        if own == Own::Stable && !self.cx.reprs.is_counted(item) {
            self.discard_early(&values[0]);
        }
        Value { leaves, own }
    }

    /// Stores an element at a position inside the array.
    pub fn store_element(&mut self, array: Var, index: Var, item: TyId, leaves: &[Var]) {
        let layout = self.cx.reprs.layout(item);
        let stride = layout.stride();
        for (offset, leaf) in layout.offsets.iter().zip(leaves) {
            self.emit(Inst::StoreAt(
                array,
                index,
                stride,
                ARRAY_DATA + offset,
                *leaf,
            ));
        }
    }

    /// Runs `body` for every index from `from` to below `to`.
    pub fn count(&mut self, from: Var, to: Var, body: impl FnOnce(&mut Self, Var)) {
        let index = self.copy(from);
        let (head, inside, done) = (self.block(), self.block(), self.block());
        self.jump(head);
        self.switch(head);
        let more = self.cmp(CmpOp::Lt, index, to);
        self.branch(more, inside, done);
        self.switch(inside);
        body(self, index);
        let one = self.i64(1);
        let next = self.bin(BinOp::Add, index, one);
        self.emit(Inst::Copy(index, next));
        self.jump(head);
        self.switch(done);
    }

    /// Appends an owned element to the array at a target.
    pub fn push_target(&mut self, target: &Target, item: TyId, value: Value, span: Span) {
        let one = self.i64(1);
        let array = self.unique_array(target, Some(one), span);
        let len = self.load(MTy::I64, array, ARRAY_LEN);
        let leaves = self.own(value, item);
        self.store_element(array, len, item, &leaves);
        let one = self.i64(1);
        let len = self.bin(BinOp::Add, len, one);
        self.store(array, ARRAY_LEN, len);
    }

    /// Appends all elements of the array `added`, which stays as it is.
    pub fn extend_target(&mut self, target: &Target, added: Var, ty: TyId, span: Span) {
        let item = self.item_ty(ty);
        let extra = self.load(MTy::I64, added, ARRAY_LEN);
        let array = self.unique_array(target, Some(extra), span);
        let len = self.load(MTy::I64, array, ARRAY_LEN);
        let zero = self.i64(0);
        self.count(zero, extra, |builder, index| {
            let leaves = builder.load_element(added, index, item);
            builder.retain_all(item, &leaves);
            let at = builder.bin(BinOp::Add, len, index);
            builder.store_element(array, at, item, &leaves);
        });
        let len = self.bin(BinOp::Add, len, extra);
        self.store(array, ARRAY_LEN, len);
    }

    /// Moves the elements `from..to` by one place: up for an insertion, down for a removal.
    pub fn shift_elements(&mut self, array: Var, from: Var, to: Var, up: bool, span: Span) {
        let one = self.i64(1);
        let step = if up { BinOp::Add } else { BinOp::Sub };
        let target = self.bin(step, from, one);
        self.rt(RtFn::ArrayMove, &[array, from, to, target], span);
    }
}
