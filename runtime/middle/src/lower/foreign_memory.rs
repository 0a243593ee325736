//! Values in memory of C: reading and writing them as C has them there.
//!
//! A struct is read field by field at the offsets of its layout; an array inside of one becomes an array of the program. Of a
//! union every member is read, and the largest one that is not nil is written. Next: `foreign.rs`, for what crosses in a call.

use super::builder::Builder;
use super::foreign_abi::scalar;
use super::value::{Own, Value};
use crate::mir::{CmpOp, ConvOp, Inst, MTy, Var};
use simple_core::error_kind::ErrorKind;
use simple_core::layout::ARRAY_LEN;
use simple_sema::typed::{Foreign, TyId};
use simple_syntax::Span;
use std::sync::Arc;

/// An address and an offset from it.
type At = (Var, i32);

impl<'c, 'p> Builder<'c, 'p> {
    /// The value of type `ty` at an address of C.
    pub(super) fn c_read(&mut self, address: Var, ty: TyId, span: Span) -> Value {
        let Some(foreign) = self.cx.types.foreign.get(&ty) else {
            return self.made_up(ty);
        };
        let base = self.conv(ConvOp::Bits, MTy::Ptr, address);
        self.c_load(foreign, ty, (base, 0), span)
    }

    /// Puts a value of type `ty` at an address of C.
    pub(super) fn c_write(&mut self, address: Var, value: &Value, ty: TyId, span: Span) {
        let Some(foreign) = self.cx.types.foreign.get(&ty) else {
            return;
        };
        let base = self.conv(ConvOp::Bits, MTy::Ptr, address);
        self.c_store(foreign, ty, (base, 0), value, span);
    }

    /// The elements of an array of type `ty` at an address of C, so many.
    pub(super) fn c_read_elements(
        &mut self,
        address: Var,
        count: Var,
        ty: TyId,
        span: Span,
    ) -> Value {
        let Some(item) = self.cx.types.foreign.get(&self.item_ty(ty)) else {
            return self.made_up(ty);
        };
        let base = self.conv(ConvOp::Bits, MTy::Ptr, address);
        self.load_elements(item, count, ty, (base, 0), span)
    }

    /// Puts the elements of an array there, which must be so many.
    pub(super) fn c_write_elements(
        &mut self,
        (address, count): (Var, Var),
        value: &Value,
        ty: TyId,
        span: Span,
    ) {
        let Some(item) = self.cx.types.foreign.get(&self.item_ty(ty)) else {
            return;
        };
        let base = self.conv(ConvOp::Bits, MTy::Ptr, address);
        self.store_elements((item, count), ty, (base, 0), value, span);
    }

    /// The value of type `ty` that lies somewhere as `foreign`.
    pub(super) fn c_load(&mut self, foreign: &Foreign, ty: TyId, at: At, span: Span) -> Value {
        match foreign {
            Foreign::Struct(layout) => {
                let tys = self.cx.reprs.members(ty);
                let mut values = Vec::with_capacity(tys.len());
                for ((offset, field), ty) in layout.fields.iter().zip(&tys) {
                    let at = (at.0, at.1 + *offset as i32);
                    let value = match layout.union {
                        true => self.load_member(field, *ty, at, span),
                        false => self.c_load(field, *ty, at, span),
                    };
                    values.push(value);
                }
                let leaves = self.own_all(values, &tys).concat();
                self.temp(ty, leaves)
            }
            Foreign::Inline(item, count) => {
                let count = self.i64((*count).into());
                self.load_elements(item, count, ty, at, span)
            }
            _ => {
                let leaf = self.load(scalar(foreign).ty, at.0, at.1);
                self.c_result(ty, foreign, vec![leaf], span)
            }
        }
    }

    /// A member of a union, of an option type.
    fn load_member(&mut self, foreign: &Foreign, ty: TyId, at: At, span: Span) -> Value {
        if let Foreign::Address { .. } = foreign {
            return self.c_load(foreign, ty, at, span);
        }
        let value = self.c_load(foreign, self.payload_ty(ty), at, span);
        self.wrap_some(value, ty, span)
    }

    fn load_elements(&mut self, item: &Foreign, len: Var, ty: TyId, at: At, span: Span) -> Value {
        let item_ty = self.item_ty(ty);
        let array = self.new_array(ty, len, span);
        let made = self.temp(ty, vec![array]);
        let zero = self.i64(0);
        self.count(zero, len, |builder, index| {
            let place = builder.element(at, index, item.size());
            let value = builder.c_load(item, item_ty, (place, 0), span);
            let leaves = builder.own(value, item_ty);
            builder.store_element(array, index, item_ty, &leaves);
        });
        made
    }

    /// The address of an element.
    fn element(&mut self, (base, offset): At, index: Var, size: u32) -> Var {
        let place = self.var(MTy::Ptr);
        self.emit(Inst::AddrAt(place, base, index, size, offset));
        place
    }

    /// Puts a value of type `ty` somewhere as `foreign`.
    pub(super) fn c_store(
        &mut self,
        foreign: &Foreign,
        ty: TyId,
        at: At,
        value: &Value,
        span: Span,
    ) {
        match foreign {
            Foreign::Struct(layout) => {
                let tys = self.cx.reprs.members(ty);
                let mut fields: Vec<usize> = (0..tys.len().min(layout.fields.len())).collect();
                if layout.union {
                    // The largest comes last, and covers the others.
                    fields.sort_by_key(|index| layout.fields[*index].1.size());
                }
                for index in fields {
                    let (offset, field) = &layout.fields[index];
                    let range = self.cx.reprs.member_range(ty, index as u32);
                    let part = value.part(range);
                    let at = (at.0, at.1 + *offset as i32);
                    match layout.union {
                        true => self.store_member(field, tys[index], at, &part, span),
                        false => self.c_store(field, tys[index], at, &part, span),
                    }
                }
            }
            Foreign::Inline(item, count) => {
                let count = self.i64((*count).into());
                self.store_elements((item, count), ty, at, value, span);
            }
            _ => {
                if let Some(leaf) = self.scalar_to_c(value, foreign) {
                    self.store(at.0, at.1, leaf);
                }
            }
        }
    }

    /// Puts a member of a union there unless it is nil.
    fn store_member(&mut self, foreign: &Foreign, ty: TyId, at: At, value: &Value, span: Span) {
        let present = self.is_present(value, ty);
        let (there, done) = (self.block(), self.block());
        self.branch(present, there, done);
        self.switch(there);
        match foreign {
            Foreign::Address { .. } => self.c_store(foreign, ty, at, value, span),
            _ => {
                let range = self.cx.reprs.option_payload(ty);
                let payload = value.part(range);
                self.c_store(foreign, self.payload_ty(ty), at, &payload, span);
            }
        }
        self.jump(done);
        self.switch(done);
    }

    fn store_elements(
        &mut self,
        (item, wanted): (&Foreign, Var),
        ty: TyId,
        at: At,
        value: &Value,
        span: Span,
    ) {
        let item_ty = self.item_ty(ty);
        let array = self.leaf(value, 0, MTy::Ptr);
        let len = self.load(MTy::I64, array, ARRAY_LEN);
        let same = self.cmp(CmpOp::Eq, len, wanted);
        let error = ErrorKind::FieldLength;
        self.check(same, error, Some(wanted), Some(len), span);
        let zero = self.i64(0);
        self.count(zero, wanted, |builder, index| {
            let place = builder.element(at, index, item.size());
            let leaves = builder.load_element(array, index, item_ty);
            let element = Value {
                leaves,
                own: Own::Stable,
            };
            builder.c_store(item, item_ty, (place, 0), &element, span);
        });
    }

    /// The number that C has for a variant.
    pub(super) fn enum_to_c(&mut self, value: &Value, values: &Arc<[i64]>) -> Var {
        let variant = self.leaf(value, 0, MTy::I32);
        if values
            .iter()
            .enumerate()
            .all(|(index, value)| index as i64 == *value)
        {
            return variant;
        }
        let mut found = self.int(MTy::I32, 0);
        for (index, value) in values.iter().enumerate() {
            let this = self.cmp_int(CmpOp::Eq, variant, index as i64);
            let number = self.int(MTy::I32, i64::from(*value as i32));
            found = self.select(this, number, found);
        }
        found
    }

    /// The variant for a number of C, which must have one.
    pub(super) fn enum_from_c(&mut self, number: Var, values: &Arc<[i64]>, span: Span) -> Value {
        let mut found = self.int(MTy::I32, -1);
        // The first of several with one value is found.
        for (index, value) in values.iter().enumerate().rev() {
            let this = self.cmp_int(CmpOp::Eq, number, i64::from(*value as i32));
            let variant = self.int(MTy::I32, index as i64);
            found = self.select(this, variant, found);
        }
        let known = self.cmp_int(CmpOp::Ge, found, 0);
        let signed = values.iter().any(|value| *value < 0);
        let shown = self.resize_int(number, MTy::I64, signed);
        self.check(known, ErrorKind::NoVariant, Some(shown), None, span);
        Value::plain(found)
    }

    /// Whether structs can be passed by value on this machine; otherwise says so.
    pub(super) fn require_structs(&mut self, span: Span) {
        if !cfg!(target_arch = "x86_64") {
            let what = "C structs by value on this kind of processor";
            self.cx.not_supported(span, what);
        }
    }
}
