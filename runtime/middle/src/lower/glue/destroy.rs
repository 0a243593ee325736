//! Destroying objects whose count has reached zero, and retaining copied elements.
//!
//! A class with `fn drop()` first runs it, with the count pinned high so that nothing the method does can destroy the object
//! again; if the object was stored somewhere meanwhile it stays alive for good rather than dangle. Weak fields that point to the object
//! become absent before that. Then fields are released in
//! reverse order and the memory goes back. Chains through a field of the object's own type are followed in a loop, so that a
//! long list does not need a deep stack.

use super::super::builder::Builder;
use crate::mir::{BinOp, CmpOp, Fail, FnId, Inst, MTy, Term, Var};
use crate::repr::{Counted, Layout, Leaf, layout_of_leaves};
use simple_core::layout::{ARRAY_DATA, ARRAY_LEN, COUNT, FIELDS};
use simple_core::table::RtFn;
use simple_sema::typed::{AdtId, AdtKind, FuncId, Ty, TyId};
use simple_syntax::Span;

/// The count of an object while its `drop` runs.
const PINNED: i64 = 1 << 61;

impl<'c, 'p> Builder<'c, 'p> {
    pub fn destroy_glue(&mut self, ty: TyId, span: Span) {
        match *self.cx.types.get(ty) {
            Ty::Array(item) => self.destroy_array(item, span),
            Ty::Dict(..) | Ty::Set(_) => self.destroy_table(ty, span),
            Ty::Adt(adt) if self.cx.types.adts[adt.0 as usize].kind == AdtKind::Class => {
                self.destroy_class(adt, span)
            }
            Ty::Adt(adt) => self.destroy_enum(adt, span),
            _ => self.end(Term::Return(vec![])),
        }
    }

    fn destroy_array(&mut self, item: TyId, span: Span) {
        let array = self.param(MTy::Ptr);
        if self.cx.reprs.is_counted(item) {
            let len = self.load(MTy::I64, array, ARRAY_LEN);
            let zero = self.i64(0);
            self.count(zero, len, |builder, index| {
                let leaves = builder.load_element(array, index, item);
                builder.release_all(item, &leaves);
            });
        }
        self.rt(RtFn::ArrayFree, &[array], span);
        self.end(Term::Return(vec![]));
    }

    fn free(&mut self, object: Var, size: u32, span: Span) {
        let size = self.i64(size as i64);
        self.rt(RtFn::Free, &[object, size], span);
    }

    /// Releases the counted leaves at their places in `object`, from the last, but not those in `skip`.
    fn release_fields(&mut self, object: Var, leaves: &[Leaf], layout: &Layout, skip: &[usize]) {
        for (index, leaf) in leaves.iter().enumerate().rev() {
            if leaf.counted.is_some() && !skip.contains(&index) {
                let var = self.load(leaf.ty, object, layout.offsets[index]);
                self.release(var, *leaf);
            }
        }
    }

    /// Goes on at `head` with the object in `next` as `current` if this was its last reference; returns otherwise.
    fn follow(&mut self, current: Var, next: Var, nullable: bool, head: crate::mir::BlockId) {
        let done = self.block();
        if nullable {
            let there = self.cmp_int(CmpOp::Ne, next, 0);
            let some = self.block();
            self.branch(there, some, done);
            self.switch(some);
        }
        let count = self.load(MTy::I64, next, COUNT);
        let one = self.i64(1);
        let less = self.bin(BinOp::Sub, count, one);
        self.store(next, COUNT, less);
        let dead = self.cmp_int(CmpOp::Eq, less, 0);
        let again = self.block();
        self.branch(dead, again, done);
        self.switch(again);
        self.emit(Inst::Copy(current, next));
        self.jump(head);
        self.switch(done);
        self.end(Term::Return(vec![]));
    }

    fn destroy_class(&mut self, adt: AdtId, span: Span) {
        let object = self.param(MTy::Ptr);
        let current = self.copy(object);
        let head = self.block();
        self.jump(head);
        self.switch(head);
        let pointed_at = self.cx.is_weak_target(adt);
        if pointed_at {
            self.rt(RtFn::WeakClear, &[current], span);
        }
        if let Some(drop) = self.cx.types.adts[adt.0 as usize].drop {
            self.run_drop(current, drop, span);
            if pointed_at {
                // The method may have stored the dying object in a weak field.
                self.rt(RtFn::WeakClear, &[current], span);
            }
        }
        let layout = self.cx.reprs.class_layout(adt);
        let ty = self.cx.adt_type(adt);
        let leaves = self.cx.reprs.member_leaves(ty);
        let weak = self.weak_leaves(adt);
        for &index in &weak {
            let null = self.null();
            self.set_weak(current, layout.offsets[index], null, span);
        }
        let own = (0..leaves.len()).find(|index| {
            leaves[*index].counted == Some(Counted::Class(adt)) && !weak.contains(index)
        });
        let skip: Vec<usize> = weak.into_iter().chain(own).collect();
        self.release_fields(current, &leaves, &layout, &skip);
        let Some(own) = own else {
            self.free(current, layout.size, span);
            self.end(Term::Return(vec![]));
            return;
        };
        let next = self.load(MTy::Ptr, current, layout.offsets[own]);
        self.free(current, layout.size, span);
        self.follow(current, next, leaves[own].nullable, head);
    }

    /// Which leaves of a class are weak fields; each is one leaf.
    fn weak_leaves(&self, adt: AdtId) -> Vec<usize> {
        let mut at = 0;
        let mut weak = Vec::new();
        for field in &self.cx.types.adts[adt.0 as usize].fields {
            if field.weak {
                weak.push(at);
            }
            at += self.cx.reprs.leaves(field.ty).len();
        }
        weak
    }

    /// Runs code of the program for an object that is about to go, with its count pinned; an error there is reported.
    pub(in crate::lower) fn run_at_the_end(
        &mut self,
        object: Var,
        func: FuncId,
        dsts: Vec<Var>,
        span: Span,
    ) {
        let pinned = self.i64(PINNED);
        self.store(object, COUNT, pinned);
        self.runtime_note(RtFn::ErrorSuspend);
        let (report, after) = (self.cold_block(), self.block());
        let site = self.site(span);
        self.emit(Inst::Call {
            dsts,
            func: FnId(func.0),
            args: vec![object],
            fail: Some(Fail {
                site,
                unwind: report,
            }),
        });
        self.jump(after);
        self.reached[report.0 as usize] = true;
        self.switch(report);
        self.runtime_note(RtFn::DropFailed);
        self.jump(after);
        self.switch(after);
        self.runtime_note(RtFn::ErrorResume);
    }

    fn run_drop(&mut self, object: Var, drop: FuncId, span: Span) {
        self.run_at_the_end(object, drop, Vec::new(), span);
        let count = self.load(MTy::I64, object, COUNT);
        let gone = self.cmp_int(CmpOp::Eq, count, PINNED);
        let (dead, kept) = (self.block(), self.cold_block());
        self.branch(gone, dead, kept);
        self.switch(kept);
        self.end(Term::Return(vec![]));
        self.switch(dead);
    }

    fn destroy_enum(&mut self, adt: AdtId, span: Span) {
        let object = self.param(MTy::Ptr);
        let current = self.copy(object);
        let head = self.block();
        self.jump(head);
        self.switch(head);
        let tag = self.load(MTy::I64, current, FIELDS);
        let variants = self.cx.types.adts[adt.0 as usize].variants.len() as u32;
        let mut cases = Vec::new();
        let nothing = self.block();
        for variant in 0..variants {
            if !self.cx.reprs.payload(adt, variant).is_empty() {
                cases.push((variant as i64, self.block()));
            }
        }
        self.end(Term::Switch(tag, cases.clone(), nothing));
        self.switch(nothing);
        self.end(Term::Return(vec![]));
        for (variant, block) in cases {
            self.switch(block);
            let variant = variant as u32;
            let layout = self.cx.reprs.variant_layout(adt, variant);
            let leaves = self
                .cx
                .reprs
                .all_leaves(&self.cx.reprs.payload(adt, variant));
            let own = leaves
                .iter()
                .rposition(|leaf| leaf.counted == Some(Counted::Enum(adt)));
            self.release_fields(current, &leaves, &layout, own.as_slice());
            let next = own.map(|own| self.load(MTy::Ptr, current, layout.offsets[own]));
            self.free(current, layout.size, span);
            match (next, own) {
                (Some(next), Some(own)) => self.follow(current, next, leaves[own].nullable, head),
                _ => self.end(Term::Return(vec![])),
            }
        }
    }

    pub fn destroy_box_glue(&mut self, ty: TyId, span: Span) {
        let object = self.param(MTy::Ptr);
        let leaves = self.cx.reprs.leaves(ty);
        let layout = layout_of_leaves(&leaves, FIELDS as u32);
        let own = leaves
            .iter()
            .rposition(|leaf| leaf.counted == Some(Counted::Box(ty)));
        let Some(own) = own else {
            self.release_fields(object, &leaves, &layout, &[]);
            self.free(object, layout.size, span);
            self.end(Term::Return(vec![]));
            return;
        };
        let current = self.copy(object);
        let head = self.block();
        self.jump(head);
        self.switch(head);
        self.release_fields(current, &leaves, &layout, &[own]);
        let next = self.load(MTy::Ptr, current, layout.offsets[own]);
        self.free(current, layout.size, span);
        self.follow(current, next, leaves[own].nullable, head);
    }

    pub fn destroy_closure_glue(&mut self, func: FuncId, span: Span) {
        let object = self.param(MTy::Ptr);
        let (_, leaves, layout) = self.captures(func);
        let mut size = layout.size;
        if self.cx.program.funcs[func.0 as usize].is_generator {
            self.leave_generator(func, object, span);
            size = self.generator_size(func);
        }
        self.release_fields(object, &leaves, &layout, &[]);
        self.free(object, size, span);
        self.end(Term::Return(vec![]));
    }

    /// `(data, count)`: the data is that of elements, not of an array object.
    pub fn retain_elements_glue(&mut self, item: TyId) {
        let data = self.param(MTy::Ptr);
        let count = self.param(MTy::I64);
        let layout = self.cx.reprs.layout(item);
        let shapes = self.cx.reprs.leaves(item);
        let zero = self.i64(0);
        self.count(zero, count, |builder, index| {
            for (leaf, offset) in shapes.iter().zip(&layout.offsets) {
                if leaf.counted.is_some() {
                    let var = builder.var(leaf.ty);
                    builder.emit(Inst::LoadAt(var, data, index, layout.stride(), *offset));
                    builder.retain(var, *leaf);
                }
            }
        });
        self.end(Term::Return(vec![]));
    }
}

const _: () = assert!(ARRAY_DATA % 8 == 0, "elements are naturally aligned");
