//! Equality, order and hashes of whole values.
//!
//! Scalars and texts are compared in place; everything else calls a function of its type. A class or struct with its own `eq` or
//! `compare` is called; a class without one is compared by identity. Objects of a trait are compared by the `eq` and `compare` that it
//! declares; without an `eq` two of one type are compared as that type is, through their method table, and others are not equal.

use super::super::builder::Builder;
use super::super::object::TABLE_EQUAL;
use super::super::value::Value;
use super::{Glue, HASH_SEED};
use crate::mir::{BinOp, BlockId, CmpOp, ConvOp, FnId, Inst, MTy, Term, Var};
use simple_core::layout::{ARRAY_LEN, FIELDS};
use simple_core::table::RtFn;
use simple_sema::typed::{AdtId, AdtKind, CompareOp, FuncId, TraitId, Ty, TyId};
use simple_syntax::Span;

/// How two values of a type are compared.
enum Way {
    Int {
        signed: bool,
    },
    Float,
    Text,
    Identity,
    User(FuncId),
    /// The method of a trait with this number.
    Object(u32),
    /// What compares objects of the type that both have.
    SameType(TraitId),
    Glue,
}

impl<'c, 'p> Builder<'c, 'p> {
    fn way(&self, ty: TyId, order: bool) -> Way {
        match self.cx.types.get(ty) {
            Ty::Bool => Way::Int { signed: false },
            Ty::Int(int) => Way::Int { signed: int.signed },
            Ty::Handle(_) => Way::Int { signed: true },
            Ty::F32 | Ty::F64 => Way::Float,
            Ty::Text => Way::Text,
            Ty::Fn(..) => Way::Identity,
            Ty::Trait(id) => match self.cx.types.traits[id.0 as usize].comparison(ty, order) {
                Some(method) => Way::Object(method),
                None if order || self.cx.compares_by_identity(*id) => Way::Identity,
                None => Way::SameType(*id),
            },
            Ty::Adt(id) => {
                let adt = &self.cx.types.adts[id.0 as usize];
                match if order { adt.compare } else { adt.eq } {
                    Some(func) => Way::User(func),
                    None if adt.kind == AdtKind::Class => Way::Identity,
                    None if adt.kind == AdtKind::Enum && !self.cx.reprs.is_boxed_enum(*id) => {
                        Way::Int { signed: false }
                    }
                    None => Way::Glue,
                }
            }
            _ => Way::Glue,
        }
    }

    /// `a op b` as an `I8`.
    pub fn compare(&mut self, op: CompareOp, a: Value, b: Value, ty: TyId, span: Span) -> Var {
        let leaf_ty = self.scalar_ty(ty);
        let equality = matches!(op, CompareOp::Eq | CompareOp::Ne);
        match self.way(ty, !equality) {
            Way::Int { signed } => {
                let (x, y) = (self.leaf(&a, 0, leaf_ty), self.leaf(&b, 0, leaf_ty));
                self.cmp(compare_op(op, signed), x, y)
            }
            Way::Float => {
                let (x, y) = (self.leaf(&a, 0, leaf_ty), self.leaf(&b, 0, leaf_ty));
                self.cmp(compare_op(op, true), x, y)
            }
            _ if equality => {
                let same = self.equal(&a, &b, ty, span);
                if op == CompareOp::Eq {
                    same
                } else {
                    self.cmp_int(CmpOp::Eq, same, 0)
                }
            }
            _ => {
                let order = self.order(&a, &b, ty, span);
                self.cmp_int(compare_op(op, true), order, 0)
            }
        }
    }

    /// `int op float` for a 64-bit integer and an `f64`, exactly: rounded to a float, the integer may equal what it differs from.
    pub fn compare_mixed(
        &mut self,
        op: CompareOp,
        int: (Var, bool),
        float: Var,
        span: Span,
    ) -> Var {
        let (int, signed) = int;
        let (to_float, exact_order) = if signed {
            (ConvOp::IntToFloat, RtFn::OrderI64F64)
        } else {
            (ConvOp::UIntToFloat, RtFn::OrderU64F64)
        };
        let rounded = self.conv(to_float, MTy::F64, int);
        let result = self.cmp(compare_op(op, true), rounded, float);
        // Rounding keeps the order of what it leaves different.
        let tie = self.cmp(CmpOp::Eq, rounded, float);
        let (exact, done) = (self.block(), self.block());
        self.branch(tie, exact, done);
        self.switch(exact);
        let order = self.rt_value(exact_order, &[int, float], span);
        let decided = self.cmp_int(compare_op(op, true), order, 0);
        self.emit(Inst::Copy(result, decided));
        self.jump(done);
        self.switch(done);
        result
    }

    fn call_two(
        &mut self,
        func: FnId,
        a: &Value,
        b: &Value,
        ty: TyId,
        result: MTy,
        span: Span,
    ) -> Var {
        let a = self.hold_for_call(a.clone(), ty);
        let b = self.hold_for_call(b.clone(), ty);
        let mut args = a.leaves.clone();
        args.extend(&b.leaves);
        let result = self.call(func, args, &[result], span)[0];
        self.discard_early(&a);
        self.discard_early(&b);
        result
    }

    /// What a method of the trait object `a` says about `b`.
    fn ask_object(
        &mut self,
        method: u32,
        a: &Value,
        b: &Value,
        ty: TyId,
        result: TyId,
        span: Span,
    ) -> Var {
        let values = [a, b].map(|value| self.hold_for_call(value.clone(), ty));
        self.call_method(method, &values, result, span).leaves[0]
    }

    /// Whether two trait objects are of one type and equal there.
    fn equal_objects(&mut self, id: TraitId, a: &Value, b: &Value, ty: TyId, span: Span) -> Var {
        self.cx.compares_objects(id);
        let held = [a, b].map(|value| self.hold_for_call(value.clone(), ty));
        let [x, y] = [0, 1].map(|at| self.leaf(&held[at], 0, MTy::Ptr));
        let [table, other] = [0, 1].map(|at| self.leaf(&held[at], 1, MTy::Ptr));
        let result = self.cmp(CmpOp::Eq, table, other);
        let (one_type, done) = (self.block(), self.block());
        self.branch(result, one_type, done);
        self.switch(one_type);
        let code = self.load(MTy::Ptr, table, 8 * TABLE_EQUAL as i32);
        let same = self.var(MTy::I8);
        let fail = self.fail(span);
        self.emit(Inst::CallIndirect {
            dsts: vec![same],
            code,
            args: vec![x, y],
            fail,
        });
        self.emit(Inst::Copy(result, same));
        self.jump(done);
        self.switch(done);
        held.iter().for_each(|value| self.discard_early(value));
        result
    }

    /// Whether two values are equal, as an `I8`.
    pub fn equal(&mut self, a: &Value, b: &Value, ty: TyId, span: Span) -> Var {
        let leaf_ty = self.scalar_ty(ty);
        match self.way(ty, false) {
            Way::Int { .. } | Way::Float | Way::Identity => {
                let (x, y) = (self.leaf(a, 0, leaf_ty), self.leaf(b, 0, leaf_ty));
                self.cmp(CmpOp::Eq, x, y)
            }
            Way::Text => {
                let (x, y) = (self.leaf(a, 0, leaf_ty), self.leaf(b, 0, leaf_ty));
                self.rt_value(RtFn::TextEq, &[x, y], span)
            }
            Way::User(func) => self.call_two(FnId(func.0), a, b, ty, MTy::I8, span),
            Way::Object(method) => self.ask_object(method, a, b, ty, TyId::BOOL, span),
            Way::SameType(id) => self.equal_objects(id, a, b, ty, span),
            Way::Glue => {
                let func = self.cx.glue(Glue::Equal(ty));
                self.call_two(func, a, b, ty, MTy::I8, span)
            }
        }
    }

    /// How two values are ordered: negative, 0 or positive, as an `I64`.
    fn order(&mut self, a: &Value, b: &Value, ty: TyId, span: Span) -> Var {
        let leaf_ty = self.scalar_ty(ty);
        match self.way(ty, true) {
            Way::Int { signed } => {
                let (x, y) = (self.leaf(a, 0, leaf_ty), self.leaf(b, 0, leaf_ty));
                self.three_way(x, y, signed)
            }
            Way::Float => {
                let (x, y) = (self.leaf(a, 0, leaf_ty), self.leaf(b, 0, leaf_ty));
                self.three_way(x, y, true)
            }
            Way::Text => {
                let (x, y) = (self.leaf(a, 0, leaf_ty), self.leaf(b, 0, leaf_ty));
                self.rt_value(RtFn::TextCompare, &[x, y], span)
            }
            Way::Identity => self.i64(0),
            Way::User(func) => self.call_two(FnId(func.0), a, b, ty, MTy::I64, span),
            Way::Object(method) => self.ask_object(method, a, b, ty, TyId::I64, span),
            // Their order is asked for nowhere.
            Way::SameType(_) => self.i64(0),
            Way::Glue => {
                let func = self.cx.glue(Glue::Order(ty));
                self.call_two(func, a, b, ty, MTy::I64, span)
            }
        }
    }

    fn three_way(&mut self, x: Var, y: Var, signed: bool) -> Var {
        let (gt, lt) = if signed {
            (CmpOp::Gt, CmpOp::Lt)
        } else {
            (CmpOp::UGt, CmpOp::ULt)
        };
        let above = self.cmp(gt, x, y);
        let below = self.cmp(lt, x, y);
        let difference = self.bin(BinOp::Sub, above, below);
        self.conv(ConvOp::SExt, MTy::I64, difference)
    }

    fn two_params(&mut self, ty: TyId) -> (Value, Value) {
        let shapes = self.cx.reprs.leaves(ty);
        let a = self.params(&shapes);
        let b = self.params(&shapes);
        (Value::stable(a), Value::stable(b))
    }

    fn return_int(&mut self, ty: MTy, value: i64) {
        let var = self.int(ty, value);
        self.end(Term::Return(vec![var]));
    }

    /// Returns 0 from an equality unless `same` holds.
    pub fn differ_unless(&mut self, same: Var) {
        let (go, no) = (self.block(), self.block());
        self.branch(same, go, no);
        self.switch(no);
        self.return_int(MTy::I8, 0);
        self.switch(go);
    }

    /// Returns an order unless it is 0.
    fn decide_unless_zero(&mut self, order: Var) {
        let decided = self.cmp_int(CmpOp::Ne, order, 0);
        let (yes, go) = (self.block(), self.block());
        self.branch(decided, yes, go);
        self.switch(yes);
        self.end(Term::Return(vec![order]));
        self.switch(go);
    }

    fn step(&mut self, a: &Value, b: &Value, ty: TyId, order: bool, span: Span) {
        if order {
            let order = self.order(a, b, ty, span);
            self.decide_unless_zero(order);
        } else {
            let same = self.equal(a, b, ty, span);
            self.differ_unless(same);
        }
    }

    pub fn equal_glue(&mut self, ty: TyId, span: Span) {
        self.function.results = vec![MTy::I8];
        let (a, b) = self.two_params(ty);
        self.compare_parts(&a, &b, ty, false, span);
        self.return_int(MTy::I8, 1);
    }

    pub fn equal_boxed_glue(&mut self, ty: TyId, span: Span) {
        let (a, b) = (self.param(MTy::Ptr), self.param(MTy::Ptr));
        self.function.results = vec![MTy::I8];
        let [a, b] = [a, b].map(|object| self.unboxed(object, ty));
        let same = self.equal(&a, &b, ty, span);
        self.end(Term::Return(vec![same]));
    }

    pub fn order_glue(&mut self, ty: TyId, span: Span) {
        self.function.results = vec![MTy::I64];
        let (a, b) = self.two_params(ty);
        self.compare_parts(&a, &b, ty, true, span);
        self.return_int(MTy::I64, 0);
    }

    /// Compares part by part and returns where they differ; goes on where everything is equal.
    fn compare_parts(&mut self, a: &Value, b: &Value, ty: TyId, order: bool, span: Span) {
        match self.cx.types.get(ty).clone() {
            Ty::Tuple(_) => self.compare_members(a, b, ty, order, span),
            Ty::Range => {
                for index in 0..2 {
                    self.step(
                        &a.part(index..index + 1),
                        &b.part(index..index + 1),
                        TyId::I64,
                        order,
                        span,
                    );
                }
            }
            Ty::Option(item) => {
                let (x, y) = (self.is_present(a, ty), self.is_present(b, ty));
                self.same_presence(x, y, order);
                let (there, done) = (self.block(), self.block());
                self.branch(x, there, done);
                self.switch(there);
                let (x, y) = (self.payload(a.clone(), ty), self.payload(b.clone(), ty));
                self.step(&x, &y, item, order, span);
                self.jump(done);
                self.switch(done);
            }
            Ty::Result(ok, err) => {
                let (x, y) = (self.is_present(a, ty), self.is_present(b, ty));
                self.same_presence(x, y, order);
                let (good, bad, done) = (self.block(), self.block(), self.block());
                self.branch(x, good, bad);
                let (oks, errs) = self.cx.reprs.result_payloads(ty);
                self.switch(good);
                self.step(&a.part(oks.clone()), &b.part(oks), ok, order, span);
                self.jump(done);
                self.switch(bad);
                self.step(&a.part(errs.clone()), &b.part(errs), err, order, span);
                self.jump(done);
                self.switch(done);
            }
            Ty::Array(item) => self.compare_arrays(a, b, item, order, span),
            Ty::Adt(id) if self.cx.types.adts[id.0 as usize].kind == AdtKind::Enum => {
                self.compare_enums(a, b, id, order, span);
            }
            Ty::Adt(_) => self.compare_members(a, b, ty, order, span),
            Ty::Dict(..) | Ty::Set(_) => self.compare_tables(a, b, ty, span),
            _ => {}
        }
    }

    /// Returns unless both flags agree.
    fn same_presence(&mut self, x: Var, y: Var, order: bool) {
        if order {
            let by = self.three_way(x, y, false);
            self.decide_unless_zero(by);
        } else {
            let same = self.cmp(CmpOp::Eq, x, y);
            self.differ_unless(same);
        }
    }

    fn compare_members(&mut self, a: &Value, b: &Value, ty: TyId, order: bool, span: Span) {
        let members = self.cx.reprs.members(ty);
        for (index, member) in members.into_iter().enumerate() {
            let (x, y) = (
                self.field(a.clone(), ty, index as u32),
                self.field(b.clone(), ty, index as u32),
            );
            self.step(&x, &y, member, order, span);
        }
    }

    fn compare_arrays(&mut self, a: &Value, b: &Value, item: TyId, order: bool, span: Span) {
        let (x, y) = (a.leaves[0], b.leaves[0]);
        let (xs, ys) = (
            self.load(MTy::I64, x, ARRAY_LEN),
            self.load(MTy::I64, y, ARRAY_LEN),
        );
        if !order {
            let same = self.cmp(CmpOp::Eq, xs, ys);
            self.differ_unless(same);
        }
        let shorter = self.bin(BinOp::Min, xs, ys);
        let zero = self.i64(0);
        self.count(zero, shorter, |builder, index| {
            let left = Value::stable(builder.load_element(x, index, item));
            let right = Value::stable(builder.load_element(y, index, item));
            builder.step(&left, &right, item, order, span);
        });
        if order {
            let by = self.three_way(xs, ys, true);
            self.decide_unless_zero(by);
        }
    }

    fn compare_enums(&mut self, a: &Value, b: &Value, id: AdtId, order: bool, span: Span) {
        let (x, y) = (self.enum_tag(a, id), self.enum_tag(b, id));
        if order {
            let by = self.three_way(x, y, true);
            self.decide_unless_zero(by);
        } else {
            let same = self.cmp(CmpOp::Eq, x, y);
            self.differ_unless(same);
        }
        if !self.cx.reprs.is_boxed_enum(id) {
            return;
        }
        let done = self.block();
        self.each_variant(x, id, done, |builder, variant| {
            let tys = builder.cx.reprs.payload(id, variant);
            let layout = builder.cx.reprs.variant_layout(id, variant);
            let shapes = builder.cx.reprs.all_leaves(&tys);
            let mut at = 0;
            for ty in tys {
                let len = builder.cx.reprs.leaves(ty).len();
                let left = builder.load_leaves(&shapes, &layout, at..at + len, a.leaves[0]);
                let right = builder.load_leaves(&shapes, &layout, at..at + len, b.leaves[0]);
                at += len;
                builder.step(&Value::stable(left), &Value::stable(right), ty, order, span);
            }
        });
        self.switch(done);
    }

    /// Runs `body` for the variant that the tag says, if it has a payload; all end at `done`.
    pub fn each_variant(
        &mut self,
        tag: Var,
        id: AdtId,
        done: BlockId,
        mut body: impl FnMut(&mut Self, u32),
    ) {
        let variants = self.cx.types.adts[id.0 as usize].variants.len() as u32;
        let mut cases = Vec::new();
        for variant in 0..variants {
            if !self.cx.reprs.payload(id, variant).is_empty() {
                cases.push((variant as i64, self.block()));
            }
        }
        self.end(Term::Switch(tag, cases.clone(), done));
        for (variant, block) in cases {
            self.switch(block);
            body(self, variant as u32);
            self.jump(done);
        }
    }

    fn mix(&mut self, seed: Var, bits: Var) -> Var {
        let mixed = self.bin(BinOp::Xor, seed, bits);
        let factor = self.i64(0x9E37_79B9_7F4A_7C15_u64 as i64);
        let product = self.bin(BinOp::Mul, mixed, factor);
        let shift = self.i64(29);
        let high = self.bin(BinOp::UShr, product, shift);
        self.bin(BinOp::Xor, product, high)
    }

    /// `seed` mixed with a value, so that equal values give equal results.
    pub fn hash_value(&mut self, seed: Var, value: &Value, ty: TyId, span: Span) -> Var {
        let leaf_ty = self.scalar_ty(ty);
        match self.cx.types.get(ty).clone() {
            Ty::Bool | Ty::Int(_) | Ty::Handle(_) => {
                let leaf = self.leaf(value, 0, leaf_ty);
                let signed = self.int_ty(ty).is_some_and(|int| int.signed);
                let bits = self.resize_int(leaf, MTy::I64, signed);
                self.mix(seed, bits)
            }
            Ty::F32 | Ty::F64 => {
                let mut leaf = self.leaf(value, 0, leaf_ty);
                if leaf_ty == MTy::F32 {
                    leaf = self.conv(ConvOp::FloatToFloat, MTy::F64, leaf);
                }
                // A float that equals an integer hashes as that does, and both zeros as 0.
                let word = self.rt_value(RtFn::FloatWord, &[leaf], span);
                self.mix(seed, word)
            }
            Ty::Text => {
                let leaf = self.leaf(value, 0, leaf_ty);
                let hash = self.rt_value(RtFn::TextHash, &[leaf], span);
                self.mix(seed, hash)
            }
            // What the method looks at is unknown.
            Ty::Trait(_) if !matches!(self.way(ty, false), Way::Identity) => seed,
            Ty::Fn(..) | Ty::Trait(_) => self.hash_pointer(seed, value),
            Ty::Adt(id) => {
                let adt = &self.cx.types.adts[id.0 as usize];
                if adt.eq.is_some() {
                    // What the type's own `eq` looks at is unknown.
                    seed
                } else if adt.kind == AdtKind::Class {
                    self.hash_pointer(seed, value)
                } else if adt.kind == AdtKind::Enum && !self.cx.reprs.is_boxed_enum(id) {
                    let leaf = self.leaf(value, 0, leaf_ty);
                    let bits = self.resize_int(leaf, MTy::I64, false);
                    self.mix(seed, bits)
                } else {
                    self.call_hash(seed, value, ty, span)
                }
            }
            Ty::Unit | Ty::Never => seed,
            _ => self.call_hash(seed, value, ty, span),
        }
    }

    fn hash_pointer(&mut self, seed: Var, value: &Value) -> Var {
        let leaf = self.leaf(value, 0, MTy::Ptr);
        let bits = self.conv(ConvOp::Bits, MTy::I64, leaf);
        self.mix(seed, bits)
    }

    fn call_hash(&mut self, seed: Var, value: &Value, ty: TyId, span: Span) -> Var {
        let func = self.cx.glue(Glue::Hash(ty));
        let mut args = vec![seed];
        args.extend(&value.leaves);
        self.call(func, args, &[MTy::I64], span)[0]
    }

    pub fn hash_glue(&mut self, ty: TyId, span: Span) {
        self.function.results = vec![MTy::I64];
        let seed = self.param(MTy::I64);
        let hash = self.copy(seed);
        let shapes = self.cx.reprs.leaves(ty);
        let value = Value::stable(self.params(&shapes));
        match self.cx.types.get(ty).clone() {
            Ty::Option(item) => {
                let present = self.is_present(&value, ty);
                let (there, done) = (self.block(), self.block());
                self.branch(present, there, done);
                self.switch(there);
                let payload = self.payload(value.clone(), ty);
                let mixed = self.hash_value(hash, &payload, item, span);
                self.emit(Inst::Copy(hash, mixed));
                self.jump(done);
                self.switch(done);
            }
            Ty::Result(ok, err) => {
                let present = self.is_present(&value, ty);
                let (good, bad, done) = (self.block(), self.block(), self.block());
                let (oks, errs) = self.cx.reprs.result_payloads(ty);
                self.branch(present, good, bad);
                for (block, range, ty) in [(good, oks, ok), (bad, errs, err)] {
                    self.switch(block);
                    let mixed = self.hash_value(hash, &value.part(range), ty, span);
                    self.emit(Inst::Copy(hash, mixed));
                    self.jump(done);
                }
                self.switch(done);
            }
            Ty::Array(item) => {
                let array = value.leaves[0];
                let len = self.load(MTy::I64, array, ARRAY_LEN);
                let zero = self.i64(0);
                self.count(zero, len, |builder, index| {
                    let element = Value::stable(builder.load_element(array, index, item));
                    let mixed = builder.hash_value(hash, &element, item, span);
                    builder.emit(Inst::Copy(hash, mixed));
                });
            }
            Ty::Adt(id) if self.cx.types.adts[id.0 as usize].kind == AdtKind::Enum => {
                let tag = self.load(MTy::I64, value.leaves[0], FIELDS);
                let mixed = self.mix(hash, tag);
                self.emit(Inst::Copy(hash, mixed));
                let done = self.block();
                self.each_variant(tag, id, done, |builder, variant| {
                    let tys = builder.cx.reprs.payload(id, variant);
                    let layout = builder.cx.reprs.variant_layout(id, variant);
                    let shapes = builder.cx.reprs.all_leaves(&tys);
                    let mut at = 0;
                    for ty in tys {
                        let len = builder.cx.reprs.leaves(ty).len();
                        let part =
                            builder.load_leaves(&shapes, &layout, at..at + len, value.leaves[0]);
                        at += len;
                        let mixed = builder.hash_value(hash, &Value::stable(part), ty, span);
                        builder.emit(Inst::Copy(hash, mixed));
                    }
                });
                self.switch(done);
            }
            Ty::Dict(..) | Ty::Set(_) => {
                let sum = self.hash_table(value.leaves[0], ty, span);
                let mixed = self.mix(hash, sum);
                self.emit(Inst::Copy(hash, mixed));
            }
            _ => {
                let members = self.cx.reprs.members(ty);
                for (index, member) in members.into_iter().enumerate() {
                    let part = self.field(value.clone(), ty, index as u32);
                    let mixed = self.hash_value(hash, &part, member, span);
                    self.emit(Inst::Copy(hash, mixed));
                }
            }
        }
        self.end(Term::Return(vec![hash]));
    }

    pub fn contains_glue(&mut self, item: TyId, span: Span) {
        self.function.results = vec![MTy::I8];
        let array = self.param(MTy::Ptr);
        let shapes = self.cx.reprs.leaves(item);
        let needle = Value::stable(self.params(&shapes));
        let len = self.load(MTy::I64, array, ARRAY_LEN);
        let zero = self.i64(0);
        self.count(zero, len, |builder, index| {
            let element = Value::stable(builder.load_element(array, index, item));
            let same = builder.equal(&element, &needle, item, span);
            let (found, next) = (builder.block(), builder.block());
            builder.branch(same, found, next);
            builder.switch(found);
            builder.return_int(MTy::I8, 1);
            builder.switch(next);
        });
        self.return_int(MTy::I8, 0);
    }
}

fn compare_op(op: CompareOp, signed: bool) -> CmpOp {
    match (op, signed) {
        (CompareOp::Eq, _) => CmpOp::Eq,
        (CompareOp::Ne, _) => CmpOp::Ne,
        (CompareOp::Lt, true) => CmpOp::Lt,
        (CompareOp::Le, true) => CmpOp::Le,
        (CompareOp::Gt, true) => CmpOp::Gt,
        (CompareOp::Ge, true) => CmpOp::Ge,
        (CompareOp::Lt, false) => CmpOp::ULt,
        (CompareOp::Le, false) => CmpOp::ULe,
        (CompareOp::Gt, false) => CmpOp::UGt,
        (CompareOp::Ge, false) => CmpOp::UGe,
    }
}

const _: () = assert!(HASH_SEED != 0, "a zero seed would hash zero to zero");
