//! Patterns: tests first, then bindings.
//!
//! Tests run no code of the program and change no ownership; what does not fit jumps away. Bindings follow once everything
//! fits. A binding to part of a temporary moves that part when it is among the temporary's own leaves; otherwise it is another
//! name for what the scrutinee, which stays alive for the branch, holds.

use super::builder::Builder;
use super::cleanup::EntryKind;
use super::liveness::always_fits;
use super::value::{Own, Value};
use super::walk::bound_locals;
use crate::mir::{BinOp, BlockId, CmpOp, MTy, Var};
use crate::repr::OptionForm;
use simple_core::layout::{ARRAY_LEN, FIELDS};
use simple_core::table::RtFn;
use simple_sema::typed::{AdtId, AdtKind, Expr, ExprKind, LocalId, Pattern, Ty, TyId};
use simple_syntax::Span;

struct Binding {
    local: LocalId,
    ty: TyId,
    value: Value,
    /// Whether the value is already owned by the binding.
    owned: bool,
}

impl<'c, 'p> Builder<'c, 'p> {
    pub fn local_info(&self, local: LocalId) -> (TyId, bool) {
        match self
            .source
            .and_then(|func| func.locals.get(local.0 as usize))
        {
            Some(info) => (info.ty, info.mutable),
            None => (TyId::ERROR, false),
        }
    }

    /// Whether a pattern binds a name to a counted value.
    pub fn binds_counted(&self, pattern: &Pattern) -> bool {
        let mut bound = Vec::new();
        bound_locals(pattern, &mut bound);
        bound
            .iter()
            .any(|local| self.cx.reprs.is_counted(self.local_info(*local).0))
    }

    /// The number of an enum value's variant.
    pub fn enum_tag(&mut self, value: &Value, adt: AdtId) -> Var {
        if self.cx.reprs.is_boxed_enum(adt) {
            let object = self.leaf(value, 0, MTy::Ptr);
            self.load(MTy::I64, object, FIELDS)
        } else {
            self.leaf(value, 0, MTy::I32)
        }
    }

    fn require(&mut self, cond: Var, miss: BlockId) {
        let fits = self.block();
        self.branch(cond, fits, miss);
        self.switch(fits);
    }

    /// Goes on where `pattern` fits, and to `miss` where it does not.
    pub fn test_pattern(&mut self, pattern: &'p Pattern, value: &Value, ty: TyId, miss: BlockId) {
        if always_fits(pattern) {
            return;
        }
        match pattern {
            Pattern::Wildcard | Pattern::Bind(_) => {}
            Pattern::Literal(literal) => self.test_literal(literal, value, ty, miss),
            Pattern::IntRange(lo, hi) => {
                let signed = self.int_ty(ty).is_none_or(|int| int.signed);
                let (ge, le) = if signed {
                    (CmpOp::Ge, CmpOp::Le)
                } else {
                    (CmpOp::UGe, CmpOp::ULe)
                };
                let leaf = self.scalar_ty(ty);
                let number = self.leaf(value, 0, leaf);
                let above = self.cmp_int(ge, number, *lo);
                let below = self.cmp_int(le, number, *hi);
                let inside = self.bin(BinOp::And, above, below);
                self.require(inside, miss);
            }
            Pattern::Nil => {
                let present = self.is_present(value, ty);
                let absent = self.cmp_int(CmpOp::Eq, present, 0);
                self.require(absent, miss);
            }
            Pattern::Some(inner) | Pattern::Ok(inner) => {
                let present = self.is_present(value, ty);
                self.require(present, miss);
                let payload = self.payload(value.clone(), ty);
                self.test_pattern(inner, &payload, self.payload_ty(ty), miss);
            }
            Pattern::Err(inner) => {
                let present = self.is_present(value, ty);
                let failed = self.cmp_int(CmpOp::Eq, present, 0);
                self.require(failed, miss);
                let (payload, payload_ty) = self.err_payload(value, ty);
                self.test_pattern(inner, &payload, payload_ty, miss);
            }
            Pattern::Variant(adt, variant, items) => {
                let tag = self.enum_tag(value, *adt);
                let same = self.cmp_int(CmpOp::Eq, tag, *variant as i64);
                self.require(same, miss);
                for (index, item) in items.iter().enumerate() {
                    if !always_fits(item) {
                        let (part, part_ty) = self.variant_payload(value, *adt, *variant, index);
                        self.test_pattern(item, &part, part_ty, miss);
                    }
                }
            }
            Pattern::Tuple(items) => {
                let tys = self.cx.reprs.members(ty);
                for (index, (item, item_ty)) in items.iter().zip(tys).enumerate() {
                    if !always_fits(item) {
                        let part = self.field(value.clone(), ty, index as u32);
                        self.test_pattern(item, &part, item_ty, miss);
                    }
                }
            }
            Pattern::TupleRest { front, back, .. } => {
                for (index, item, item_ty) in self.outer_members(ty, front, back) {
                    if !always_fits(item) {
                        let part = self.field(value.clone(), ty, index);
                        self.test_pattern(item, &part, item_ty, miss);
                    }
                }
            }
            Pattern::Fields(_, fields) => {
                let tys = self.cx.reprs.members(ty);
                for (field, item) in fields {
                    if !always_fits(item) {
                        let part = self.field(value.clone(), ty, *field);
                        let item_ty = tys.get(*field as usize).copied().unwrap_or(TyId::ERROR);
                        self.test_pattern(item, &part, item_ty, miss);
                    }
                }
            }
            Pattern::Array { front, rest, back } => {
                let Ty::Array(item_ty) = *self.cx.types.get(ty) else {
                    return;
                };
                let array = self.leaf(value, 0, MTy::Ptr);
                let len = self.load(MTy::I64, array, ARRAY_LEN);
                let op = if rest.is_some() { CmpOp::Ge } else { CmpOp::Eq };
                let fits = self.cmp_int(op, len, (front.len() + back.len()) as i64);
                self.require(fits, miss);
                for (index, item) in front.iter().chain(back).enumerate() {
                    if !always_fits(item) {
                        let part =
                            self.pattern_element(value, item_ty, index, front.len(), back.len());
                        self.test_pattern(item, &part, item_ty, miss);
                    }
                }
            }
            Pattern::Or(alternatives) => {
                let fits = self.block();
                for (index, alternative) in alternatives.iter().enumerate() {
                    if index + 1 == alternatives.len() {
                        self.test_pattern(alternative, value, ty, miss);
                        self.jump(fits);
                    } else {
                        let next = self.block();
                        self.test_pattern(alternative, value, ty, next);
                        self.jump(fits);
                        self.switch(next);
                    }
                }
                self.switch(fits);
            }
        }
    }

    fn test_literal(&mut self, literal: &'p Expr, value: &Value, ty: TyId, miss: BlockId) {
        let constant = self.expr(literal);
        let leaf_ty = self.scalar_ty(ty);
        let (a, b) = (
            self.leaf(value, 0, leaf_ty),
            self.leaf(&constant, 0, leaf_ty),
        );
        let same = match literal.kind {
            ExprKind::Text(_) => self.rt_value(RtFn::TextEq, &[a, b], literal.span),
            _ => self.cmp(CmpOp::Eq, a, b),
        };
        self.require(same, miss);
    }

    /// The payload of `Err`, with the ownership of the whole.
    fn err_payload(&mut self, value: &Value, ty: TyId) -> (Value, TyId) {
        let range = self.cx.reprs.result_payloads(ty).1;
        let payload_ty = match self.cx.types.get(ty) {
            Ty::Result(_, err) => *err,
            _ => TyId::ERROR,
        };
        let payload = Value {
            leaves: value.part(range).leaves,
            own: value.own,
        };
        (payload, payload_ty)
    }

    fn variant_payload(
        &mut self,
        value: &Value,
        adt: AdtId,
        variant: u32,
        index: usize,
    ) -> (Value, TyId) {
        let tys = self.cx.reprs.payload(adt, variant);
        let layout = self.cx.reprs.variant_layout(adt, variant);
        let shapes = self.cx.reprs.all_leaves(&tys);
        let start: usize = tys[..index.min(tys.len())]
            .iter()
            .map(|ty| self.cx.reprs.leaves(*ty).len())
            .sum();
        let ty = tys.get(index).copied().unwrap_or(TyId::ERROR);
        let len = self.cx.reprs.leaves(ty).len();
        let object = self.leaf(value, 0, MTy::Ptr);
        let leaves = self.load_leaves(&shapes, &layout, start..start + len, object);
        let own = value.own.part();
        (Value { leaves, own }, ty)
    }

    /// The members of a tuple that a pattern with a rest names, with their numbers and types.
    fn outer_members<'q>(
        &self,
        ty: TyId,
        front: &'q [Pattern],
        back: &'q [Pattern],
    ) -> Vec<(u32, &'q Pattern, TyId)> {
        let tys = self.cx.reprs.members(ty);
        let skip = tys.len().saturating_sub(back.len());
        (0..)
            .zip(front)
            .chain((skip..).zip(back))
            .filter_map(|(index, item)| Some((index as u32, item, *tys.get(index)?)))
            .collect()
    }

    fn pattern_element(
        &mut self,
        value: &Value,
        item: TyId,
        index: usize,
        front: usize,
        back: usize,
    ) -> Value {
        let array = self.leaf(value, 0, MTy::Ptr);
        let position = if index < front {
            self.i64(index as i64)
        } else {
            let len = self.load(MTy::I64, array, ARRAY_LEN);
            let from_end = self.i64((front + back - index) as i64);
            self.bin(BinOp::Sub, len, from_end)
        };
        let leaves = self.load_element(array, position, item);
        Value {
            leaves,
            own: value.own.part(),
        }
    }

    /// Binds the names of a pattern that fits, for the branch that follows.
    pub fn bind_pattern(&mut self, pattern: &'p Pattern, value: Value, ty: TyId) {
        let scope = std::mem::replace(&mut self.scope, self.stack.len());
        self.bind(pattern, value, ty, false);
        self.scope = scope;
    }

    /// Binds the names of a pattern so that they outlive the value.
    pub fn bind_pattern_owned(&mut self, pattern: &'p Pattern, value: Value, ty: TyId) {
        self.bind(pattern, value, ty, true);
    }

    /// Binds the names of a pattern as borrowed. What had to be made for them, as the rest of an array, becomes a temporary.
    pub fn bind_borrowed(&mut self, pattern: &'p Pattern, value: &Value, ty: TyId) {
        let mut bindings = Vec::new();
        self.collect(pattern, value.clone(), ty, &mut bindings);
        for binding in bindings {
            let leaves = binding.value.leaves;
            if binding.owned {
                self.temp(binding.ty, leaves.clone());
            }
            self.declare(binding.local, binding.ty, leaves, false, false);
        }
    }

    fn bind(&mut self, pattern: &'p Pattern, value: Value, ty: TyId, own_all: bool) {
        let mut bindings = Vec::new();
        let moved = match value.own {
            Own::Temp(id) if self.is_flat(pattern, ty) => self.find_temp(id),
            _ => None,
        };
        self.collect(pattern, value, ty, &mut bindings);
        if bindings.is_empty() {
            return;
        }
        if let Some(at) = moved
            && let EntryKind::Temp { leaves, early, .. } = self.remove(at)
        {
            let rest: super::cleanup::Owned = leaves
                .iter()
                .filter(|(var, _)| {
                    !bindings
                        .iter()
                        .any(|binding| binding.value.leaves.contains(var))
                })
                .copied()
                .collect();
            if !rest.is_empty() {
                self.push_temp(rest, early);
            }
            for binding in &mut bindings {
                binding.owned = true;
            }
        }
        for binding in bindings {
            let mutable = self.local_info(binding.local).1;
            let mut leaves = binding.value.leaves;
            let owned = binding.owned || mutable || own_all;
            if owned && !binding.owned {
                self.retain_all(binding.ty, &leaves);
            }
            if mutable {
                leaves = leaves.iter().map(|leaf| self.copy(*leaf)).collect();
            }
            self.declare(binding.local, binding.ty, leaves, mutable, owned);
        }
    }

    /// Whether all names are bound to leaves of the value itself, none to what they point to in memory.
    fn is_flat(&self, pattern: &Pattern, ty: TyId) -> bool {
        let mut bound = Vec::new();
        bound_locals(pattern, &mut bound);
        if bound.is_empty() {
            return true;
        }
        match pattern {
            Pattern::Bind(_) => true,
            Pattern::Some(_) if self.cx.reprs.option_form(ty) == OptionForm::Boxed => false,
            Pattern::Some(inner) | Pattern::Ok(inner) => self.is_flat(inner, self.payload_ty(ty)),
            Pattern::Err(inner) => match self.cx.types.get(ty) {
                Ty::Result(_, err) => self.is_flat(inner, *err),
                _ => false,
            },
            Pattern::Tuple(items) => {
                let tys = self.cx.reprs.members(ty);
                items
                    .iter()
                    .zip(tys)
                    .all(|(item, ty)| self.is_flat(item, ty))
            }
            Pattern::TupleRest { front, back, .. } => self
                .outer_members(ty, front, back)
                .into_iter()
                .all(|(_, item, ty)| self.is_flat(item, ty)),
            Pattern::Fields(adt, fields) => {
                let tys = self.cx.reprs.members(ty);
                self.cx.types.adts[adt.0 as usize].kind == AdtKind::Struct
                    && fields.iter().all(|(field, item)| {
                        let ty = tys.get(*field as usize).copied().unwrap_or(TyId::ERROR);
                        self.is_flat(item, ty)
                    })
            }
            _ => false,
        }
    }

    fn collect(&mut self, pattern: &'p Pattern, value: Value, ty: TyId, out: &mut Vec<Binding>) {
        let mut bound = Vec::new();
        bound_locals(pattern, &mut bound);
        if bound.is_empty() {
            return;
        }
        match pattern {
            Pattern::Bind(local) => out.push(Binding {
                local: *local,
                ty,
                value,
                owned: false,
            }),
            Pattern::Some(inner) | Pattern::Ok(inner) => {
                let payload = self.payload(value, ty);
                self.collect(inner, payload, self.payload_ty(ty), out);
            }
            Pattern::Err(inner) => {
                let (payload, payload_ty) = self.err_payload(&value, ty);
                self.collect(inner, payload, payload_ty, out);
            }
            Pattern::Variant(adt, variant, items) => {
                for (index, item) in items.iter().enumerate() {
                    let (part, part_ty) = self.variant_payload(&value, *adt, *variant, index);
                    self.collect(item, part, part_ty, out);
                }
            }
            Pattern::Tuple(items) => {
                let tys = self.cx.reprs.members(ty);
                for (index, (item, item_ty)) in items.iter().zip(tys).enumerate() {
                    let part = self.field(value.clone(), ty, index as u32);
                    self.collect(item, part, item_ty, out);
                }
            }
            Pattern::TupleRest { front, rest, back } => {
                for (index, item, item_ty) in self.outer_members(ty, front, back) {
                    let part = self.field(value.clone(), ty, index);
                    self.collect(item, part, item_ty, out);
                }
                let count = self.cx.reprs.members(ty).len();
                let start = self.cx.reprs.member_range(ty, front.len() as u32).start;
                let end = self
                    .cx
                    .reprs
                    .member_range(ty, (count - back.len()) as u32)
                    .start;
                out.push(Binding {
                    local: *rest,
                    ty: self.local_info(*rest).0,
                    value: value.part(start..end),
                    owned: false,
                });
            }
            Pattern::Fields(_, fields) => {
                let tys = self.cx.reprs.members(ty);
                for (field, item) in fields {
                    let part = self.field(value.clone(), ty, *field);
                    let item_ty = tys.get(*field as usize).copied().unwrap_or(TyId::ERROR);
                    self.collect_held(item, part, item_ty, out);
                }
            }
            Pattern::Array { front, rest, back } => {
                let Ty::Array(item_ty) = *self.cx.types.get(ty) else {
                    return;
                };
                for (index, item) in front.iter().chain(back).enumerate() {
                    let part =
                        self.pattern_element(&value, item_ty, index, front.len(), back.len());
                    self.collect(item, part, item_ty, out);
                }
                if let Some(Some(local)) = rest {
                    let leaves = self.rest_of(&value, front.len(), back.len());
                    out.push(Binding {
                        local: *local,
                        ty,
                        value: Value::stable(leaves),
                        owned: true,
                    });
                }
            }
            Pattern::Or(alternatives) => self.collect_or(alternatives, value, ty, out),
            Pattern::Wildcard | Pattern::Literal(_) | Pattern::IntRange(..) | Pattern::Nil => {}
        }
    }

    /// A field of a class instance can be assigned while its binding is in use, so the binding takes a reference.
    fn collect_held(&mut self, item: &'p Pattern, part: Value, ty: TyId, out: &mut Vec<Binding>) {
        let unstable = part.own == Own::Unstable;
        let first = out.len();
        self.collect(item, part, ty, out);
        if unstable {
            for binding in out.iter_mut().skip(first).filter(|binding| !binding.owned) {
                self.retain_all(binding.ty, &binding.value.leaves);
                binding.owned = true;
            }
        }
    }

    fn rest_of(&mut self, value: &Value, front: usize, back: usize) -> Vec<Var> {
        let array = self.leaf(value, 0, MTy::Ptr);
        let len = self.load(MTy::I64, array, ARRAY_LEN);
        let lo = self.i64(front as i64);
        let back = self.i64(back as i64);
        let hi = self.bin(BinOp::Sub, len, back);
        let step = self.i64(1);
        vec![self.rt_value(RtFn::ArraySlice, &[array, lo, hi, step], Span::default())]
    }

    /// Alternatives that bind names: the first that fits decides, and all put their parts into the same variables.
    fn collect_or(
        &mut self,
        alternatives: &'p [Pattern],
        value: Value,
        ty: TyId,
        out: &mut Vec<Binding>,
    ) {
        let Some(first) = alternatives.first() else {
            return;
        };
        let mut names = Vec::new();
        bound_locals(first, &mut names);
        let slots: Vec<(LocalId, TyId, Vec<Var>)> = names
            .iter()
            .map(|local| {
                let ty = self.local_info(*local).0;
                let shapes = self.cx.reprs.leaves(ty);
                (*local, ty, self.vars(&shapes))
            })
            .collect();
        let done = self.block();
        for (index, alternative) in alternatives.iter().enumerate() {
            let next = self.block();
            if index + 1 < alternatives.len() {
                self.test_pattern(alternative, &value, ty, next);
            }
            let mut parts = Vec::new();
            self.collect(alternative, value.clone(), ty, &mut parts);
            for part in parts {
                if !part.owned {
                    self.retain_all(part.ty, &part.value.leaves);
                }
                if let Some((.., vars)) = slots.iter().find(|(local, ..)| *local == part.local) {
                    self.assign(vars, &part.value.leaves);
                }
            }
            self.jump(done);
            self.switch(next);
        }
        self.switch(done);
        for (local, ty, vars) in slots {
            out.push(Binding {
                local,
                ty,
                value: Value::stable(vars),
                owned: true,
            });
        }
    }
}
