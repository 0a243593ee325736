//! Loads and stores, and counting references: inline, but in cold code by a call for each released reference, which keeps it short.
//!
//! All accesses are to memory that is there and aligned, which the flags tell Cranelift, so that it may fold, forward and
//! drop them. They all share one alias region: a count, a field and an element are told apart by nothing that the middle form
//! knows.

use super::{Translator, clif_type};
use crate::symbol::Symbol;
use cranelift_codegen::ir::{self, InstBuilder, MemFlagsData, types};
use simple_core::layout::{COUNT, DESC, DESC_DESTROY};
use simple_core::table::RtFn;
use simple_middle::mir::{Release, Var};

/// What Cranelift may assume of an access: the memory is there, and aligned for a scalar, but not for a vector of them.
fn flags(ty: ir::Type) -> MemFlagsData {
    // [condition memory.vectors_anywhere]: elements of a list begin anywhere.
    match ty.is_vector() {
        true => MemFlagsData::new().with_notrap(),
        false => MemFlagsData::trusted(),
    }
}

impl Translator<'_, '_> {
    pub(super) fn load(&mut self, dst: Var, base: Var, offset: i32) {
        let ty = clif_type(self.ty(dst));
        let base = self.get(base);
        let value = self.builder.ins().load(ty, flags(ty), base, offset);
        self.set(dst, value);
    }

    pub(super) fn store(&mut self, base: Var, offset: i32, src: Var) {
        let ty = clif_type(self.ty(src));
        let (base, src) = (self.get(base), self.get(src));
        self.builder.ins().store(flags(ty), src, base, offset);
    }

    pub(super) fn load_at(&mut self, dst: Var, base: Var, index: Var, scale: u32, offset: i32) {
        let ty = clif_type(self.ty(dst));
        let address = self.indexed(base, index, scale);
        let value = self.builder.ins().load(ty, flags(ty), address, offset);
        self.set(dst, value);
    }

    pub(super) fn store_at(&mut self, base: Var, index: Var, scale: u32, offset: i32, src: Var) {
        let ty = clif_type(self.ty(src));
        let address = self.indexed(base, index, scale);
        let src = self.get(src);
        self.builder.ins().store(flags(ty), src, address, offset);
    }

    pub(super) fn addr_at(&mut self, dst: Var, base: Var, index: Var, scale: u32, offset: i32) {
        let address = self.indexed(base, index, scale);
        let value = match offset {
            // [condition memory.offset]: a member of an element is after its start.
            0 => address,
            _ => self.builder.ins().iadd_imm_s(address, i64::from(offset)),
        };
        self.set(dst, value);
    }

    /// `base + index * scale`, in the shape that becomes an addressing mode.
    fn indexed(&mut self, base: Var, index: Var, scale: u32) -> ir::Value {
        let (base, index) = (self.get(base), self.get(index));
        let scaled = match scale {
            // [condition memory.unit_scale]: nothing to multiply with.
            1 => index,
            // [condition memory.power_scale]: only those are shifts.
            _ if scale.is_power_of_two() => {
                let shift = self
                    .builder
                    .ins()
                    .iconst(types::I64, i64::from(scale.trailing_zeros()));
                self.builder.ins().ishl(index, shift)
            }
            _ => self.builder.ins().imul_imm_s(index, i64::from(scale)),
        };
        self.builder.ins().iadd(base, scaled)
    }

    pub(super) fn retain(&mut self, var: Var, nullable: bool) {
        let object = self.get(var);
        // [condition memory.retain_null]: nothing may be there.
        let next = nullable.then(|| self.unless_null(object));
        let count = self
            .builder
            .ins()
            .load(types::I64, MemFlagsData::trusted(), object, COUNT);
        let more = self.builder.ins().iadd_imm_s(count, 1);
        self.builder
            .ins()
            .store(MemFlagsData::trusted(), more, object, COUNT);
        self.go_on_in(next);
    }

    pub(super) fn release(&mut self, var: Var, how: Release) {
        let object = self.get(var);
        // [condition memory.cold_release]: a call is shorter.
        if self.in_cold {
            self.call_runtime_raw(RtFn::Release, &[object]);
            return;
        }
        // [condition memory.release_null]: the same.
        let next = how.nullable.then(|| self.unless_null(object));
        let count = self
            .builder
            .ins()
            .load(types::I64, MemFlagsData::trusted(), object, COUNT);
        let fewer = self.builder.ins().iadd_imm_s(count, -1);
        self.builder
            .ins()
            .store(MemFlagsData::trusted(), fewer, object, COUNT);
        let (destroy, alive) = (
            self.cold_block(),
            next.unwrap_or_else(|| self.builder.create_block()),
        );
        self.builder.ins().brif(fewer, alive, &[], destroy, &[]);
        self.builder.seal_block(destroy);
        self.builder.switch_to_block(destroy);
        match how.destroy {
            Some(id) => {
                let callee = self.callee(Symbol::Func(id));
                self.builder.ins().call(callee, &[object]);
            }
            // [condition memory.text]: a text has its own destroyer.
            None if how.text => {
                self.call_runtime_raw(RtFn::TextDestroy, &[object]);
            }
            None => {
                let desc =
                    self.builder
                        .ins()
                        .load(types::I64, MemFlagsData::trusted(), object, DESC);
                let code = self.builder.ins().load(
                    types::I64,
                    MemFlagsData::trusted(),
                    desc,
                    DESC_DESTROY,
                );
                let mut signature = ir::Signature::new(self.plan.native);
                signature.params.push(ir::AbiParam::new(types::I64));
                let signature = self.builder.import_signature(signature);
                self.builder.ins().call_indirect(signature, code, &[object]);
            }
        }
        self.go_on_in(Some(alive));
    }

    /// Goes on in a new block unless the pointer is null; returns the block where both paths meet.
    fn unless_null(&mut self, object: ir::Value) -> ir::Block {
        let (there, next) = (self.builder.create_block(), self.builder.create_block());
        self.builder.ins().brif(object, there, &[], next, &[]);
        self.builder.seal_block(there);
        self.builder.switch_to_block(there);
        next
    }

    fn go_on_in(&mut self, next: Option<ir::Block>) {
        if let Some(next) = next {
            self.builder.ins().jump(next, &[]);
            self.builder.seal_block(next);
            self.builder.switch_to_block(next);
        }
    }
}
