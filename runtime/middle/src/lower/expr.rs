//! Expressions: the dispatch over all kinds, and the small ones themselves.
//!
//! One module per larger construct: `arith.rs`, `control.rs` (blocks, `if`, `match`, loops), `call.rs`, `place.rs`, `array.rs`,
//! `text.rs`, `option.rs`, `object.rs`, `closure.rs`, `intrinsic.rs`, `update.rs`.

use super::builder::{Builder, LocalState};
use super::cleanup::{Entry, EntryKind};
use super::cx::DescKey;
use super::liveness::key;
use super::value::{Own, Value};
use crate::mir::{Bytes, CmpOp, Const, ConvOp, Inst, MTy, Term, Var};
use simple_core::layout::FIELDS;
use simple_core::table::RtFn;
use simple_sema::typed::{AdtId, AdtKind, Convert, Expr, ExprKind, GlobalId, LocalId, Ty, TyId};
use simple_syntax::Span;
use std::ops::Range;

/// If more things than this must be released at a return, they are released in blocks that returns share.
const MANY: usize = 3;

impl<'c, 'p> Builder<'c, 'p> {
    /// Evaluates `expr`.
    pub fn expr(&mut self, expr: &'p Expr) -> Value {
        let value = self.expr_kind(expr);
        if let Some(kills) = self.live.after.get(&key(expr)).cloned() {
            self.kill(&kills);
        }
        value
    }

    /// Evaluates `expr` where a value of `ty` is needed; an expression of type never yields made-up leaves.
    pub fn expr_as(&mut self, expr: &'p Expr, ty: TyId) -> Value {
        let value = self.expr(expr);
        if expr.ty == TyId::NEVER && ty != TyId::NEVER {
            return self.made_up(ty);
        }
        value
    }

    /// Leaves for a value that is never there.
    pub fn made_up(&mut self, ty: TyId) -> Value {
        let leaves = self.cx.reprs.leaves(ty);
        Value::stable(leaves.iter().map(|leaf| self.zero(leaf.ty)).collect())
    }

    /// Evaluates `expr` for its effects; the value and all temporaries are gone afterwards.
    pub fn statement(&mut self, expr: &'p Expr) {
        let base = self.stack.len();
        self.expr(expr);
        self.release_temps(base);
    }

    /// Evaluates a scalar and releases what that took, so that a branch can follow.
    pub fn scalar(&mut self, expr: &'p Expr, ty: MTy) -> Var {
        let base = self.stack.len();
        let value = self.expr(expr);
        let leaf = self.leaf(&value, 0, ty);
        self.release_temps(base);
        leaf
    }

    fn expr_kind(&mut self, expr: &'p Expr) -> Value {
        let span = expr.span;
        let part = self.part.take();
        match &expr.kind {
            ExprKind::Unit => Value::unit(),
            ExprKind::Bool(value) => Value::plain(self.flag(*value)),
            ExprKind::Int(value) => {
                let ty = self.scalar_ty(expr.ty);
                Value::plain(match ty {
                    MTy::F32 | MTy::F64 => self.constant(ty, Const::Float(*value as f64)),
                    _ => self.int(ty, *value),
                })
            }
            ExprKind::Float(value) => {
                let ty = self.scalar_ty(expr.ty);
                Value::plain(self.constant(ty, Const::Float(*value)))
            }
            ExprKind::Text(text) => Value::plain(self.text_constant(text)),
            ExprKind::Nil => self.made_up(expr.ty),
            ExprKind::Local(local) => {
                if let Some(Some(LocalState {
                    leaves, cell: true, ..
                })) = self.locals.get(local.0 as usize)
                {
                    let cell = leaves[0];
                    self.check_cell(cell, expr.ty, part, span);
                }
                self.read_local(*local, expr)
            }
            ExprKind::Global(global) => {
                self.check_global(*global, part, span);
                self.read_global(*global, span)
            }
            ExprKind::FuncRef(func) => self.func_ref(*func),
            ExprKind::Closure(func, captured) => self.closure(*func, captured, expr.ty, span),
            ExprKind::Block(stmts, tail) => self.block_expr(stmts, tail.as_deref(), expr.ty),
            ExprKind::If {
                cond,
                then,
                otherwise,
            } => self.if_expr(expr, cond, then, otherwise.as_deref()),
            ExprKind::Match { scrutinee, arms } => self.match_expr(expr, scrutinee, arms),
            ExprKind::Arith(op, a, b) => {
                let ty = if a.ty == TyId::NEVER { b.ty } else { a.ty };
                let values = self.operands_as(&[a, b], &[ty, ty]);
                let leaf = self.scalar_ty(ty);
                let (x, y) = (
                    self.leaf(&values[0], 0, leaf),
                    self.leaf(&values[1], 0, leaf),
                );
                Value::plain(self.arith(*op, x, y, ty, span))
            }
            ExprKind::Bits(op, a, b) => {
                let ty = if a.ty == TyId::NEVER { b.ty } else { a.ty };
                let shift = op.is_shift() && b.ty != TyId::NEVER;
                let count_ty = if shift { b.ty } else { ty };
                let values = self.operands_as(&[a, b], &[ty, count_ty]);
                let (left, right) = (self.scalar_ty(ty), self.scalar_ty(count_ty));
                let (x, y) = (
                    self.leaf(&values[0], 0, left),
                    self.leaf(&values[1], 0, right),
                );
                Value::plain(self.bits(*op, (x, ty), (y, count_ty), span))
            }
            ExprKind::Neg(a) => {
                let value = self.expr_as(a, expr.ty);
                let ty = self.scalar_ty(expr.ty);
                let x = self.leaf(&value, 0, ty);
                Value::plain(self.negate(x, expr.ty, span))
            }
            ExprKind::BitNot(a) => {
                let value = self.expr_as(a, expr.ty);
                let ty = self.scalar_ty(expr.ty);
                let x = self.leaf(&value, 0, ty);
                let dst = self.var(ty);
                self.emit(Inst::Un(dst, crate::mir::UnOp::Not, x));
                Value::plain(dst)
            }
            ExprKind::Not(a) => {
                let value = self.expr_as(a, TyId::BOOL);
                let x = self.leaf(&value, 0, MTy::I8);
                Value::plain(self.cmp_int(CmpOp::Eq, x, 0))
            }
            ExprKind::And(a, b) => self.and_or(a, b, true),
            ExprKind::Or(a, b) => self.and_or(a, b, false),
            ExprKind::Compare(op, a, b) if self.is_mixed(a.ty, b.ty) => {
                let values = self.operands_as(&[a, b], &[a.ty, b.ty]);
                let mut sides = [(0, a.ty), (1, b.ty)].map(|(index, ty)| {
                    let leaf = self.scalar_ty(ty);
                    (self.leaf(&values[index], 0, leaf), self.int_ty(ty))
                });
                let mut op = *op;
                if sides[0].1.is_none() {
                    sides.reverse();
                    op = op.turned();
                }
                let [(int, ty), (float, _)] = sides;
                let signed = ty.is_some_and(|int| int.signed);
                Value::plain(self.compare_mixed(op, (int, signed), float, span))
            }
            ExprKind::Compare(op, a, b) => {
                let ty = if a.ty == TyId::NEVER { b.ty } else { a.ty };
                let values = self.operands_as(&[a, b], &[ty, ty]);
                let result = self.compare(*op, values[0].clone(), values[1].clone(), ty, span);
                for value in &values {
                    self.discard_early(value);
                }
                Value::plain(result)
            }
            ExprKind::Concat(a, b) => self.concat(a, b, expr.ty, span),
            ExprKind::Convert(convert, a) => self.convert(*convert, a, expr.ty),
            ExprKind::ToText(a) => self.text_expr(a, span),
            ExprKind::Interpolate(parts) => self.interpolate(parts, span),
            ExprKind::Call(func, args) => self.call_func(*func, args, span),
            ExprKind::CallInout(func, place, args) => self.call_inout(*func, place, args, span),
            ExprKind::CallExtern(id, args) => self.call_extern(*id, args, span),
            ExprKind::CallValue(callee, args) => self.call_value(callee, args, expr.ty, span),
            ExprKind::CallTrait(id, method, object, args) => {
                self.call_trait(*id, *method, object, args, expr.ty, span)
            }
            ExprKind::CallTraitInout(id, method, place, args) => {
                self.call_trait_inout(*id, *method, place, args, expr.ty, span)
            }
            ExprKind::IsType(object, ty) => self.is_type(object, *ty),
            ExprKind::Downcast(object) => self.downcast(object, expr.ty),
            ExprKind::Intrinsic(op, args) => self.intrinsic(*op, args, expr.ty, span),
            ExprKind::Update(op, place, args) => self.update(*op, place, args, expr.ty, span),
            ExprKind::New(adt, fields) => self.new_adt(*adt, fields, expr.ty, span),
            ExprKind::Variant(adt, variant, fields) => {
                self.variant(*adt, *variant, fields, expr.ty, span)
            }
            ExprKind::Tuple(items) => {
                let tys = self.cx.reprs.members(expr.ty);
                self.aggregate(items, &tys, expr.ty)
            }
            ExprKind::Array(items) => self.array_literal(items, expr.ty, span),
            ExprKind::Dict(pairs) => self.dict_literal(pairs, expr.ty, span),
            ExprKind::Set(items) => self.set_literal(items, expr.ty, span),
            ExprKind::Range(lo, hi, inclusive) => self.range(lo, hi, *inclusive, span),
            ExprKind::Field(a, field) => self.field_expr(a, *field, part, span),
            ExprKind::Index(a, index) => self.index(a, index, span),
            ExprKind::Some(a) => {
                let item = self.payload_ty(expr.ty);
                let value = self.expr_as(a, item);
                self.wrap_some(value, expr.ty, span)
            }
            ExprKind::Ok(a) => self.wrap_result(a, expr.ty, true),
            ExprKind::Err(a) => self.wrap_result(a, expr.ty, false),
            ExprKind::Unwrap(a, kind) => self.unwrap(a, kind, span),
            ExprKind::IsPresent(a) => {
                let value = self.expr(a);
                let present = self.is_present(&value, a.ty);
                self.discard_early(&value);
                Value::plain(present)
            }
            ExprKind::Coalesce(a, b) => self.coalesce(a, b, expr.ty, span),
            ExprKind::Try(a) => self.try_expr(a),
            ExprKind::TryCatch {
                body,
                error,
                handler,
            } => self.try_catch(expr, body, *error, handler),
            ExprKind::Let(local, value, body) => self.let_expr(*local, value, body, expr.ty),
            ExprKind::Return(value) => {
                let leaves = match value {
                    Some(value) => self.owned_for_exit(value, self.ret, 0),
                    None => Vec::new(),
                };
                self.return_leaves(leaves);
                Value::unit()
            }
            ExprKind::Break => {
                self.break_loop();
                Value::unit()
            }
            ExprKind::Continue => {
                self.continue_loop();
                Value::unit()
            }
        }
    }

    /// The machine type of a type with one leaf.
    pub fn scalar_ty(&self, ty: TyId) -> MTy {
        self.cx
            .reprs
            .leaves(ty)
            .first()
            .map_or(MTy::I64, |leaf| leaf.ty)
    }

    fn read_local(&mut self, local: LocalId, expr: &'p Expr) -> Value {
        let Some(state) = self.locals.get(local.0 as usize).cloned().flatten() else {
            return self.made_up(expr.ty);
        };
        if state.cell {
            let leaves = self.load_boxed(state.leaves[0], expr.ty);
            let own = if self.cx.reprs.is_counted(expr.ty) {
                Own::Unstable
            } else {
                Own::Stable
            };
            return Value { leaves, own };
        }
        if self.live.last_use.contains(&key(expr))
            && let Some(at) = self.find_local(local)
            && !self.is_deep(at)
        {
            self.remove(at);
            // What was read from the variable, such as a handle, may still be in use: it stays until the statement ends.
            return self.temp_with(expr.ty, state.leaves, false);
        }
        // What this function does not own, such as an argument or the element of a loop, it cannot release either.
        if self.live.held.contains(&key(expr)) && self.find_local(local).is_some() {
            return self.hold_copy(Value::stable(state.leaves), expr.ty);
        }
        if !state.mutable {
            return Value::stable(state.leaves);
        }
        let leaves = state.leaves.iter().map(|leaf| self.copy(*leaf)).collect();
        let own = if self.cx.reprs.is_counted(expr.ty) {
            Own::Local(local)
        } else {
            Own::Stable
        };
        Value { leaves, own }
    }

    /// Fails with the name of a module-level variable if `there` is false.
    pub fn check_has_value(&mut self, there: Var, global: GlobalId, span: Span) {
        let info = &self.cx.program.globals[global.0 as usize];
        let name = &info.name;
        let message = match self.cx.threads && !info.checked {
            true => format!(
                "the variable `{name}` has no value here: in a thread, because what it holds cannot go there; otherwise, \
                 because the program has ended"
            ),
            false => format!("the variable `{name}` is used before its module has initialized it"),
        };
        let (absent, present) = (self.cold_block(), self.block());
        self.branch(there, present, absent);
        self.switch(absent);
        let message = self.text_constant(&message);
        self.panic(message, span);
        self.switch(present);
    }

    fn read_global(&mut self, global: GlobalId, span: Span) -> Value {
        let home = self.cx.global(global);
        let (id, layout, leaves, flag) = (
            home.home,
            home.layout.clone(),
            home.leaves.clone(),
            home.flag,
        );
        let base = self.constant(MTy::Ptr, id);
        if let Some(offset) = flag {
            let set = self.load(MTy::I8, base, offset);
            self.check_has_value(set, global, span);
        }
        let loaded = self.load_leaves(&leaves, &layout, 0..leaves.len(), base);
        let ty = self.cx.program.globals[global.0 as usize].ty;
        let needed = self.cx.reprs.leaves(ty);
        if flag.is_none() && self.cx.any_drop {
            // A `drop` may run after the variable was released at the end of the program.
            if let Some(at) = needed
                .iter()
                .position(|leaf| leaf.counted.is_some() && !leaf.nullable)
            {
                let there = self.cmp_int(CmpOp::Ne, loaded[at], 0);
                self.check_has_value(there, global, span);
            }
        }
        let own = if self.cx.reprs.is_counted(ty) {
            Own::Unstable
        } else {
            Own::Stable
        };
        Value {
            leaves: loaded,
            own,
        }
    }

    /// Members evaluated in order and put together, all owned by the result.
    pub fn aggregate(&mut self, items: &'p [Expr], tys: &[TyId], ty: TyId) -> Value {
        let exprs: Vec<&Expr> = items.iter().collect();
        let values = self.operands_as(&exprs, tys);
        let leaves = self.own_all(values, tys).concat();
        self.temp(ty, leaves)
    }

    fn new_adt(&mut self, adt: AdtId, fields: &'p [Expr], ty: TyId, span: Span) -> Value {
        let info = &self.cx.types.adts[adt.0 as usize];
        let tys: Vec<TyId> = info.fields.iter().map(|field| field.ty).collect();
        if info.kind != AdtKind::Class {
            return self.aggregate(fields, &tys, ty);
        }
        let weak: Vec<bool> = info.fields.iter().map(|field| field.weak).collect();
        let exprs: Vec<&Expr> = fields.iter().collect();
        let values = self.operands_as(&exprs, &tys);
        let layout = self.cx.reprs.class_layout(adt);
        let object = self.alloc(layout.size, DescKey::Type(ty), span);
        let mut at = 0;
        for ((value, ty), weak) in values.into_iter().zip(&tys).zip(weak) {
            if weak {
                let null = self.null();
                self.store(object, layout.offsets[at], null);
                let target = self.leaf(&value, 0, MTy::Ptr);
                self.set_weak(object, layout.offsets[at], target, span);
                at += 1;
                continue;
            }
            let leaves = self.own(value, *ty);
            self.store_leaves(&layout, at..at + leaves.len(), object, &leaves);
            at += leaves.len();
        }
        self.temp(ty, vec![object])
    }

    /// Lets the weak field at an offset of `object` point to an object, which it does not keep alive, or to null.
    pub fn set_weak(&mut self, object: Var, offset: i32, target: Var, span: Span) {
        let field = self.address(object, offset);
        self.rt(RtFn::WeakSet, &[field, target], span);
    }

    /// A new object of `size` bytes.
    pub fn alloc(&mut self, size: u32, desc: DescKey, span: Span) -> Var {
        let desc = self.cx.desc(desc);
        let desc = self.constant(MTy::Ptr, Const::Desc(desc));
        let size = self.i64(size as i64);
        self.rt_value(RtFn::Alloc, &[size, desc], span)
    }

    fn variant(
        &mut self,
        adt: AdtId,
        variant: u32,
        fields: &'p [Expr],
        ty: TyId,
        span: Span,
    ) -> Value {
        if !self.cx.reprs.is_boxed_enum(adt) {
            return Value::plain(self.int(MTy::I32, variant as i64));
        }
        if fields.is_empty() {
            let home = self.cx.variant_static(adt, variant);
            return Value::plain(self.constant(MTy::Ptr, Const::Static(home)));
        }
        let tys = self.cx.reprs.payload(adt, variant);
        let exprs: Vec<&Expr> = fields.iter().collect();
        let values = self.operands_as(&exprs, &tys);
        let layout = self.cx.reprs.variant_layout(adt, variant);
        let object = self.alloc(layout.size, DescKey::Type(ty), span);
        let tag = self.i64(variant as i64);
        self.store(object, FIELDS, tag);
        let mut at = 0;
        for (value, ty) in values.into_iter().zip(&tys) {
            let leaves = self.own(value, *ty);
            self.store_leaves(&layout, at..at + leaves.len(), object, &leaves);
            at += leaves.len();
        }
        self.temp(ty, vec![object])
    }

    /// A field of the value of an expression, of which only a part may be needed.
    fn field_expr(
        &mut self,
        a: &'p Expr,
        field: u32,
        part: Option<Range<usize>>,
        span: Span,
    ) -> Value {
        let class = self
            .cx
            .types
            .adt(a.ty)
            .is_some_and(|adt| adt.kind == AdtKind::Class);
        if class {
            let value = self.expr(a);
            let object = self.leaf(&value, 0, MTy::Ptr);
            self.check_field(object, a.ty, field, part, span);
            return self.unchecked_field(value, a.ty, field);
        }
        if !self.cx.contested.is_empty() {
            let whole = self.cx.reprs.member_range(a.ty, field);
            self.part = Some(part.map_or(whole.clone(), |part| {
                whole.start + part.start..whole.start + part.end
            }));
        }
        let value = self.expr(a);
        self.part = None;
        self.unchecked_field(value, a.ty, field)
    }

    /// A field of a struct, class or tuple value.
    pub fn field(&mut self, value: Value, ty: TyId, field: u32) -> Value {
        if self
            .cx
            .types
            .adt(ty)
            .is_some_and(|adt| adt.kind == AdtKind::Class)
        {
            let object = self.leaf(&value, 0, MTy::Ptr);
            let span = self.cx.type_span(ty);
            self.check_field(object, ty, field, None, span);
        }
        self.unchecked_field(value, ty, field)
    }

    fn unchecked_field(&mut self, value: Value, ty: TyId, field: u32) -> Value {
        let range = self.cx.reprs.member_range(ty, field);
        let Ty::Adt(adt) = self.cx.types.get(ty) else {
            return value.part(range);
        };
        if self.cx.types.adts[adt.0 as usize].kind != AdtKind::Class {
            return value.part(range);
        }
        let weak = self.cx.is_weak(*adt, field);
        let layout = self.cx.reprs.class_layout(*adt);
        let shapes = self.cx.reprs.member_leaves(ty);
        let object = self.leaf(&value, 0, MTy::Ptr);
        let counted = shapes[range.clone()]
            .iter()
            .any(|leaf| leaf.counted.is_some());
        let leaves = self.load_leaves(&shapes, &layout, range, object);
        let own = match value.own.part() {
            _ if !counted => Own::Stable,
            // A weak field changes whenever its target goes.
            _ if weak || self.cx.may_change(ty, field) => Own::Unstable,
            own => own,
        };
        Value { leaves, own }
    }

    fn range(&mut self, lo: &'p Expr, hi: &'p Expr, inclusive: bool, span: Span) -> Value {
        let values = self.operands_as(&[lo, hi], &[TyId::I64, TyId::I64]);
        let lo = self.leaf(&values[0], 0, MTy::I64);
        let mut hi = self.leaf(&values[1], 0, MTy::I64);
        if inclusive {
            let one = self.i64(1);
            hi = self.arith(simple_sema::typed::ArithOp::Add, hi, one, TyId::I64, span);
        }
        let flag = self.flag(inclusive);
        Value::stable(vec![lo, hi, flag])
    }

    fn convert(&mut self, convert: Convert, a: &'p Expr, ty: TyId) -> Value {
        let value = self.expr(a);
        if a.ty == TyId::NEVER {
            return self.made_up(ty);
        }
        match convert {
            Convert::Number => {
                let from = self.scalar_ty(a.ty);
                let x = self.leaf(&value, 0, from);
                Value::plain(self.convert_number(x, a.ty, ty))
            }
            Convert::Exact => {
                let x = self.leaf(&value, 0, MTy::I64);
                Value::plain(self.exact_float(x, a.ty, a.span))
            }
            Convert::Checked => {
                let from = self.scalar_ty(a.ty);
                let x = self.leaf(&value, 0, from);
                Value::plain(self.checked_int(x, (a.ty, ty), a.span))
            }
            Convert::EnumToInt => {
                let index = self.leaf(&value, 0, MTy::I32);
                Value::plain(self.ordinal(index, a.ty, ty))
            }
            Convert::ToTrait => self.trait_object(value, a.ty, ty, a.span),
            Convert::Discard => Value::unit(),
        }
    }

    /// The ordinal of a payload-free enum value as integer type `ty`.
    fn ordinal(&mut self, index: Var, from: TyId, ty: TyId) -> Var {
        let to = self.scalar_ty(ty);
        let ordinals: Vec<i64> = match self.cx.types.adt(from) {
            Some(adt) => adt
                .variants
                .iter()
                .map(|variant| variant.discriminant)
                .collect(),
            None => Vec::new(),
        };
        let wide = self.conv(ConvOp::ZExt, MTy::I64, index);
        let value = if ordinals
            .iter()
            .enumerate()
            .all(|(at, ordinal)| at as i64 == *ordinal)
        {
            wide
        } else {
            let bytes = ordinals
                .iter()
                .flat_map(|ordinal| ordinal.to_le_bytes())
                .collect();
            let table = self.bytes(bytes);
            let dst = self.var(MTy::I64);
            self.emit(Inst::LoadAt(dst, table, wide, 8, 0));
            dst
        };
        self.resize_int(value, to, true)
    }

    /// The address of constant memory.
    pub fn bytes(&mut self, content: Vec<u8>) -> Var {
        let id = self.cx.constant_bytes(Bytes::from(content));
        self.constant(MTy::Ptr, Const::Bytes(id))
    }

    /// `expr` owned, for leaving the scope that began at `base`: a variable of that scope is moved rather than retained, unless
    /// a `defer` could still look at it.
    pub fn owned_for_exit(&mut self, expr: &'p Expr, ty: TyId, base: usize) -> Vec<Var> {
        if let ExprKind::Local(local) = expr.kind
            && let Some(at) = self.find_local(local)
            && at >= base
            && !self.stack[base..]
                .iter()
                .any(|entry| matches!(entry.kind, EntryKind::Defer(_)))
            && let Some(state) = self.locals.get(local.0 as usize).cloned().flatten()
            && !state.cell
        {
            self.remove(at);
            return state.leaves;
        }
        let value = self.expr_as(expr, ty);
        self.own(value, ty)
    }

    /// Leaves the function with owned leaves as the result.
    pub fn return_leaves(&mut self, leaves: Vec<Var>) {
        let deferred = self
            .stack
            .iter()
            .any(|entry| matches!(entry.kind, EntryKind::Defer(_)));
        if deferred {
            let saved = self.stack.clone();
            self.leave_holding(&leaves);
            self.stack = saved;
            return self.end_return(leaves);
        }
        let alive = self
            .stack
            .iter()
            .filter(|entry| !matches!(entry.kind, EntryKind::Gap))
            .count();
        if alive <= MANY || !self.reachable {
            self.emit_exit(0);
            return self.end_return(leaves);
        }
        let slots = match &self.return_slots {
            Some(slots) => slots.clone(),
            None => {
                let shapes = self.cx.reprs.leaves(self.ret);
                let slots = self.vars(&shapes);
                self.return_slots = Some(slots.clone());
                slots
            }
        };
        self.assign(&slots, &leaves);
        let chain = self.exit_chain(&slots);
        self.jump(chain);
    }

    /// Leaves everything with an owned result in hand, which is released if a deferred statement fails: by the error path of
    /// the innermost `try` that is still around.
    fn leave_holding(&mut self, leaves: &[Var]) {
        let owned = self.counted(self.ret, leaves);
        loop {
            let handler = self
                .stack
                .iter()
                .rposition(|entry| matches!(entry.kind, EntryKind::Handler));
            let base = handler.map_or(0, |at| at + 1);
            let result = EntryKind::Temp {
                id: self.next_temp,
                early: false,
                leaves: owned.clone(),
            };
            self.next_temp += 1;
            self.stack.insert(base, Entry::new(result));
            self.forget_unwinds(base);
            self.leave(base + 1);
            self.stack.truncate(handler.unwrap_or(0));
            if handler.is_none() {
                return;
            }
        }
    }

    fn end_return(&mut self, mut leaves: Vec<Var>) {
        leaves.extend(self.inout.iter().copied());
        self.end(Term::Return(leaves));
    }
}
