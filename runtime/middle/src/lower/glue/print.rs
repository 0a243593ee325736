//! Printed forms (`doc/language/text.md`) into a text builder.

use super::super::builder::Builder;
use super::super::value::{Own, Value};
use super::Glue;
use crate::mir::{FnId, MTy, Term, Var};
use simple_core::layout::ARRAY_LEN;
use simple_core::table::RtFn;
use simple_sema::typed::{AdtId, AdtKind, Field, Ty, TyId};
use simple_syntax::Span;

impl<'c, 'p> Builder<'c, 'p> {
    /// Appends the printed form of a value to a builder.
    pub fn print_value(&mut self, builder: Var, value: &Value, ty: TyId, span: Span) {
        let leaf_ty = self.scalar_ty(ty);
        match self.cx.types.get(ty).clone() {
            Ty::Unit | Ty::Never => self.add_text(builder, "()", span),
            Ty::Bool => self.print_leaf(RtFn::BuilderBool, builder, value, leaf_ty, span),
            Ty::Int(int) => {
                let leaf = self.leaf(value, 0, leaf_ty);
                let wide = self.resize_int(leaf, MTy::I64, int.signed);
                let func = if int.signed {
                    RtFn::BuilderI64
                } else {
                    RtFn::BuilderU64
                };
                self.rt(func, &[builder, wide], span);
            }
            Ty::F32 => self.print_leaf(RtFn::BuilderF32, builder, value, leaf_ty, span),
            Ty::F64 => self.print_leaf(RtFn::BuilderF64, builder, value, leaf_ty, span),
            Ty::Text => self.print_leaf(RtFn::BuilderShown, builder, value, leaf_ty, span),
            Ty::Fn(..) => self.print_leaf(RtFn::BuilderFn, builder, value, leaf_ty, span),
            Ty::Trait(_) => {
                let held = self.hold_for_call(value.clone(), ty);
                let object = self.leaf(&held, 0, MTy::Ptr);
                let table = self.leaf(&held, 1, MTy::Ptr);
                let code = self.load(MTy::Ptr, table, 0);
                let fail = self.fail(span);
                self.emit(crate::mir::Inst::CallIndirect {
                    dsts: Vec::new(),
                    code,
                    args: vec![object, builder],
                    fail,
                });
                self.let_go(value, &held);
            }
            _ => {
                let held = self.hold_for_call(value.clone(), ty);
                let func = self.cx.glue(Glue::Print(ty));
                let mut args = vec![builder];
                args.extend(&held.leaves);
                self.call(func, args, &[], span);
                self.let_go(value, &held);
            }
        }
    }

    /// Releases what a call held of `value`. A copy made for the call goes with it, because the functions that print have no
    /// statement at whose end it could go; a temporary of the caller stays if the program can see when it goes.
    fn let_go(&mut self, value: &Value, held: &Value) {
        if matches!(value.own, Own::Unstable) {
            self.discard(held);
        } else {
            self.discard_early(held);
        }
    }

    fn print_leaf(&mut self, func: RtFn, builder: Var, value: &Value, ty: MTy, span: Span) {
        let leaf = self.leaf(value, 0, ty);
        self.rt(func, &[builder, leaf], span);
    }

    pub fn print_boxed_glue(&mut self, ty: TyId, span: Span) {
        let object = self.param(MTy::Ptr);
        let builder = self.param(MTy::Ptr);
        let value = self.unboxed(object, ty);
        self.print_value(builder, &value, ty, span);
        self.end(Term::Return(vec![]));
    }

    /// The value in the object of a trait object.
    pub fn unboxed(&mut self, object: Var, ty: TyId) -> Value {
        if self.cx.boxes_itself(ty) {
            return Value::plain(object);
        }
        Value::stable(self.load_boxed(object, ty))
    }

    pub fn print_glue(&mut self, ty: TyId, span: Span) {
        let builder = self.param(MTy::Ptr);
        let shapes = self.cx.reprs.leaves(ty);
        let value = Value::stable(self.params(&shapes));
        self.print_parts(builder, &value, ty, span);
        self.end(Term::Return(vec![]));
    }

    fn print_parts(&mut self, builder: Var, value: &Value, ty: TyId, span: Span) {
        match self.cx.types.get(ty).clone() {
            Ty::Handle(handle) => {
                self.add_text(builder, &format!("{}(", handle.name), span);
                self.print_value(builder, value, TyId::I64, span);
                self.add_text(builder, ")", span);
            }
            Ty::Option(item) => {
                let present = self.is_present(value, ty);
                let (there, absent, done) = (self.block(), self.block(), self.block());
                self.branch(present, there, absent);
                self.switch(there);
                let payload = self.payload(value.clone(), ty);
                self.print_value(builder, &payload, item, span);
                self.jump(done);
                self.switch(absent);
                self.add_text(builder, "nil", span);
                self.jump(done);
                self.switch(done);
            }
            Ty::Result(ok, err) => {
                let present = self.is_present(value, ty);
                let (good, bad, done) = (self.block(), self.block(), self.block());
                let (oks, errs) = self.cx.reprs.result_payloads(ty);
                self.branch(present, good, bad);
                for (block, range, ty, name) in [(good, oks, ok, "Ok("), (bad, errs, err, "Err(")] {
                    self.switch(block);
                    self.add_text(builder, name, span);
                    self.print_value(builder, &value.part(range), ty, span);
                    self.add_text(builder, ")", span);
                    self.jump(done);
                }
                self.switch(done);
            }
            Ty::Tuple(members) => {
                self.add_text(builder, "(", span);
                for (index, (label, member)) in members.iter().enumerate() {
                    if index > 0 {
                        self.add_text(builder, ", ", span);
                    }
                    if let Some(label) = label {
                        self.add_text(builder, &format!("{label}: "), span);
                    }
                    let part = self.field(value.clone(), ty, index as u32);
                    self.print_value(builder, &part, *member, span);
                }
                self.add_text(builder, ")", span);
            }
            Ty::Range => self.print_range(builder, value, span),
            Ty::Array(item) => {
                self.add_text(builder, "[", span);
                self.print_elements(builder, value.leaves[0], item, None, span);
                self.add_text(builder, "]", span);
            }
            Ty::Adt(id) => self.print_adt(builder, value, ty, id, span),
            Ty::Dict(..) | Ty::Set(_) => self.print_table(builder, value.leaves[0], ty, span),
            _ => self.print_value(builder, value, ty, span),
        }
    }

    fn print_range(&mut self, builder: Var, value: &Value, span: Span) {
        let (lo, hi, inclusive) = (value.leaves[0], value.leaves[1], value.leaves[2]);
        self.rt(RtFn::BuilderI64, &[builder, lo], span);
        let (closed, open, done) = (self.block(), self.block(), self.block());
        self.branch(inclusive, closed, open);
        self.switch(closed);
        self.add_text(builder, "..=", span);
        let one = self.i64(1);
        let last = self.bin(crate::mir::BinOp::Sub, hi, one);
        self.rt(RtFn::BuilderI64, &[builder, last], span);
        self.jump(done);
        self.switch(open);
        self.add_text(builder, "..", span);
        self.rt(RtFn::BuilderI64, &[builder, hi], span);
        self.jump(done);
        self.switch(done);
    }

    /// Prints elements with a separator, `, ` if none is given.
    fn print_elements(
        &mut self,
        builder: Var,
        array: Var,
        item: TyId,
        separator: Option<Var>,
        span: Span,
    ) {
        let len = self.load(MTy::I64, array, ARRAY_LEN);
        let zero = self.i64(0);
        let separator = match separator {
            Some(separator) => separator,
            None => self.text_constant(", "),
        };
        self.count(zero, len, |b, index| {
            let first = b.cmp_int(crate::mir::CmpOp::Eq, index, 0);
            let (between, print) = (b.block(), b.block());
            b.branch(first, print, between);
            b.switch(between);
            b.rt(RtFn::BuilderText, &[builder, separator], span);
            b.jump(print);
            b.switch(print);
            let element = Value::stable(b.load_element(array, index, item));
            b.print_value(builder, &element, item, span);
        });
    }

    fn print_adt(&mut self, builder: Var, value: &Value, ty: TyId, id: AdtId, span: Span) {
        let adt = &self.cx.types.adts[id.0 as usize];
        if let Some(func) = adt.to_text {
            let text = self.call(FnId(func.0), value.leaves.clone(), &[MTy::Ptr], span);
            let text = self.temp(TyId::TEXT, text);
            self.rt(RtFn::BuilderText, &[builder, text.leaves[0]], span);
            self.discard(&text);
            return;
        }
        if adt.kind == AdtKind::Class {
            let object = value.leaves[0];
            let fresh = self.rt_value(RtFn::BuilderEnter, &[builder, object], span);
            let (inside, again, done) = (self.block(), self.block(), self.block());
            self.branch(fresh, inside, again);
            self.switch(again);
            self.add_text(builder, &format!("{}(...)", adt.name), span);
            self.jump(done);
            self.switch(inside);
            self.print_fields(builder, value, ty, id, span);
            self.rt(RtFn::BuilderLeave, &[builder, object], span);
            self.jump(done);
            self.switch(done);
            return;
        }
        if adt.kind != AdtKind::Enum {
            self.print_fields(builder, value, ty, id, span);
            return;
        }
        self.print_variant(builder, value, id, span);
    }

    fn print_fields(&mut self, builder: Var, value: &Value, ty: TyId, id: AdtId, span: Span) {
        let adt = &self.cx.types.adts[id.0 as usize];
        self.add_text(builder, &format!("{}(", adt.name), span);
        for (index, field) in adt.fields.iter().enumerate() {
            self.print_label(builder, index, field, span);
            let part = self.field(value.clone(), ty, index as u32);
            if field.weak {
                self.print_weak(builder, &part, field.ty, span);
            } else {
                self.print_value(builder, &part, field.ty, span);
            }
        }
        self.add_text(builder, ")", span);
    }

    fn print_variant(&mut self, builder: Var, value: &Value, id: AdtId, span: Span) {
        let adt = &self.cx.types.adts[id.0 as usize];
        let tag = self.enum_tag(value, id);
        let done = self.block();
        let mut cases = Vec::new();
        for variant in 0..adt.variants.len() {
            cases.push((variant as i64, self.block()));
        }
        self.end(Term::Switch(tag, cases.clone(), done));
        for ((variant, block), info) in cases.into_iter().zip(&adt.variants) {
            self.switch(block);
            if info.fields.is_empty() {
                self.add_text(builder, info.name.as_str(), span);
                self.jump(done);
                continue;
            }
            self.add_text(builder, &format!("{}(", info.name), span);
            let tys = self.cx.reprs.payload(id, variant as u32);
            let layout = self.cx.reprs.variant_layout(id, variant as u32);
            let shapes = self.cx.reprs.all_leaves(&tys);
            let mut at = 0;
            for (index, field) in info.fields.iter().enumerate() {
                self.print_label(builder, index, field, span);
                let len = self.cx.reprs.leaves(field.ty).len();
                let part = self.load_leaves(&shapes, &layout, at..at + len, value.leaves[0]);
                at += len;
                self.print_value(builder, &Value::stable(part), field.ty, span);
            }
            self.add_text(builder, ")", span);
            self.jump(done);
        }
        self.switch(done);
    }

    /// What a weak field points to is only named: it mostly leads back to what is being printed.
    fn print_weak(&mut self, builder: Var, value: &Value, ty: TyId, span: Span) {
        let name = match self.cx.types.adt(self.payload_ty(ty)) {
            Some(adt) => format!("{}(...)", adt.name),
            None => String::new(),
        };
        let present = self.is_present(value, ty);
        let (there, absent, done) = (self.block(), self.block(), self.block());
        self.branch(present, there, absent);
        self.switch(there);
        self.add_text(builder, &name, span);
        self.jump(done);
        self.switch(absent);
        self.add_text(builder, "nil", span);
        self.jump(done);
        self.switch(done);
    }

    fn print_label(&mut self, builder: Var, index: usize, field: &Field, span: Span) {
        let comma = if index > 0 { ", " } else { "" };
        let label = match field.name {
            Some(name) => format!("{comma}{name}: "),
            None => comma.to_string(),
        };
        if !label.is_empty() {
            self.add_text(builder, &label, span);
        }
    }

    pub fn join_glue(&mut self, item: TyId, span: Span) {
        self.function.results = vec![MTy::Ptr];
        let array = self.param(MTy::Ptr);
        let separator = self.param(MTy::Ptr);
        let builder = self.start_text(span);
        self.print_elements(builder, array, item, Some(separator), span);
        let text = self.finish_text(builder, span);
        let leaves = self.own(text, TyId::TEXT);
        self.end(Term::Return(leaves));
    }
}
