//! Long literals: those of constants are memory that is there before the program runs, and the others are built one entry at a time.
//!
//! An array of constants is copied from an immortal array, whose elements may be immortal arrays themselves: code that
//! changes one copies it before, as with everything that is shared. Entries of a dict or set are rows, which a loop
//! enters. So the code of a literal does not grow with it. Short literals do not need this: what they hold is stored at
//! once (`array.rs`, `table.rs`).

use super::builder::Builder;
use super::cleanup::EntryKind;
use super::cx::DescKey;
use super::value::Value;
use crate::mir::{Address, BinOp, Bytes, BytesId, CmpOp, Const, Inst, MTy, Var};
use crate::repr::{Layout, Leaf, OptionForm, layout_of_leaves, size_of};
use simple_core::layout::{ARRAY_CAPACITY, ARRAY_DATA, ARRAY_LEN, COUNT, DESC, IMMORTAL};
use simple_core::table::RtFn;
use simple_sema::typed::{AdtKind, Expr, ExprKind, Ty, TyId};
use simple_syntax::Span;

/// Literals of fewer entries hold them all before they are made, and fewer constants are stored one by one.
pub(crate) const LONG: usize = 32;

/// A leaf that is known before the program runs.
#[derive(Clone, Copy)]
enum Known {
    /// These bits, as far as the leaf is wide.
    Bits(i64),
    /// A float.
    Float(f64),
    /// The address of something else.
    Address(Address),
}

/// Whether evaluating the expression neither runs code of the program nor fails.
pub(crate) fn is_quiet(expr: &Expr) -> bool {
    matches!(
        expr.kind,
        ExprKind::Bool(_)
            | ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::Text(_)
            | ExprKind::Nil
            | ExprKind::Local(_)
    )
}

impl<'c, 'p> Builder<'c, 'p> {
    /// Whether a value is known before the program runs. It is used where `ty` is needed.
    fn is_known(&self, expr: &Expr, ty: TyId) -> bool {
        if expr.ty != ty {
            return false;
        }
        match &expr.kind {
            ExprKind::Bool(_)
            | ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::Text(_)
            | ExprKind::Nil => true,
            ExprKind::Some(inner) => {
                self.cx.reprs.option_form(ty) != OptionForm::Boxed
                    && self.is_known(inner, self.payload_ty(ty))
            }
            ExprKind::Tuple(items) => self.are_known(items, &self.cx.reprs.members(ty)),
            ExprKind::New(adt, fields) => {
                self.cx.types.adts[adt.0 as usize].kind == AdtKind::Struct
                    && self.are_known(fields, &self.cx.reprs.members(ty))
            }
            ExprKind::Variant(adt, _, fields) => {
                fields.is_empty() && !self.cx.reprs.is_boxed_enum(*adt)
            }
            ExprKind::Array(items) => {
                let item = self.item_ty(ty);
                items.iter().all(|expr| self.is_known(expr, item))
            }
            _ => false,
        }
    }

    fn are_known(&self, exprs: &[Expr], tys: &[TyId]) -> bool {
        exprs.len() == tys.len()
            && (exprs.iter().zip(tys)).all(|(expr, ty)| self.is_known(expr, *ty))
    }

    /// The leaves of a value that [`Builder::is_known`].
    fn known_leaves(&mut self, expr: &Expr, out: &mut Vec<Known>) {
        match &expr.kind {
            ExprKind::Bool(value) => out.push(Known::Bits((*value).into())),
            ExprKind::Int(value) => out.push(match self.scalar_ty(expr.ty) {
                MTy::F32 | MTy::F64 => Known::Float(*value as f64),
                _ => Known::Bits(*value),
            }),
            ExprKind::Float(value) => out.push(Known::Float(*value)),
            ExprKind::Text(text) => out.push(Known::Address(Address::Text(self.cx.text(text)))),
            ExprKind::Some(inner) => {
                if self.cx.reprs.option_form(expr.ty) == OptionForm::Flag {
                    out.push(Known::Bits(1));
                }
                self.known_leaves(inner, out);
            }
            ExprKind::Tuple(items) | ExprKind::New(_, items) => {
                items.iter().for_each(|item| self.known_leaves(item, out));
            }
            ExprKind::Variant(_, variant, _) => out.push(Known::Bits((*variant).into())),
            ExprKind::Array(items) => {
                let array = self.known_array(items, expr.ty);
                out.push(Known::Address(Address::Bytes(array)));
            }
            // What is absent is zero.
            _ => {
                let count = self.cx.reprs.leaves(expr.ty).len();
                out.extend(std::iter::repeat_n(Known::Bits(0), count));
            }
        }
    }

    /// An immortal array with these elements.
    fn known_array(&mut self, items: &[Expr], ty: TyId) -> BytesId {
        let item = self.item_ty(ty);
        let (shapes, layout) = (self.cx.reprs.leaves(item), self.cx.reprs.layout(item));
        let mut bytes = Bytes::default();
        let len = items.len() as i64;
        for (at, word) in [(COUNT, IMMORTAL), (ARRAY_LEN, len), (ARRAY_CAPACITY, len)] {
            bytes.put(at as usize, &word.to_ne_bytes());
        }
        let desc = self.cx.desc(DescKey::Type(ty));
        bytes.refer(DESC as usize, Address::Desc(desc));
        for (index, expr) in items.iter().enumerate() {
            let start = ARRAY_DATA as usize + index * layout.stride() as usize;
            self.put_row(&mut bytes, start, &[expr], &shapes, &layout);
        }
        self.cx.constant_bytes(bytes)
    }

    /// Writes the leaves of some values, one after the other, at `start`.
    fn put_row(
        &mut self,
        bytes: &mut Bytes,
        start: usize,
        exprs: &[&Expr],
        shapes: &[Leaf],
        layout: &Layout,
    ) {
        let mut known = Vec::with_capacity(shapes.len());
        for expr in exprs {
            self.known_leaves(expr, &mut known);
        }
        bytes.reserve(start + layout.stride() as usize);
        for ((leaf, offset), known) in shapes.iter().zip(&layout.offsets).zip(&known) {
            let at = start + *offset as usize;
            match known {
                Known::Address(address) => bytes.refer(at, *address),
                Known::Bits(bits) => {
                    bytes.put(at, &bits.to_le_bytes()[..size_of(leaf.ty) as usize])
                }
                Known::Float(value) if leaf.ty == MTy::F32 => {
                    bytes.put(at, &(*value as f32).to_ne_bytes());
                }
                Known::Float(value) => bytes.put(at, &value.to_ne_bytes()),
            }
        }
    }

    /// A long array literal of constants, as a copy of one that is there already; `None` for any other.
    pub fn known_array_literal(&mut self, items: &[Expr], ty: TyId, span: Span) -> Option<Value> {
        let item = self.item_ty(ty);
        if items.len() < LONG || !items.iter().all(|expr| self.is_known(expr, item)) {
            return None;
        }
        let id = self.known_array(items, ty);
        let array = self.constant(MTy::Ptr, Const::Bytes(id));
        let none = self.i64(0);
        let copy = self.rt_value(RtFn::ArrayUnique, &[array, none], span);
        Some(self.temp(ty, vec![copy]))
    }

    /// An array literal, element by element.
    pub fn long_array_literal(&mut self, items: &'p [Expr], ty: TyId, span: Span) -> Value {
        let item = self.item_ty(ty);
        let capacity = self.i64(items.len() as i64);
        let none = self.i64(0);
        let desc = self.cx.desc(DescKey::Type(ty));
        let desc = self.constant(MTy::Ptr, Const::Desc(desc));
        let array = self.rt_value(RtFn::ArrayNew, &[desc, none, capacity], span);
        let visible = self.cx.has_visible_drop(item);
        let own = if visible {
            self.push(EntryKind::ArrayBuilder { array, ty });
            None
        } else {
            Some(self.temp(ty, vec![array]))
        };
        let layout = self.cx.reprs.layout(item);
        let stride = layout.stride() as i32;
        let base = self.stack.len();
        let mut counted = 0;
        for (index, expr) in items.iter().enumerate() {
            if counted < index && !is_quiet(expr) {
                // An error releases the elements that are there.
                self.set_len(array, index);
                counted = index;
            }
            let value = self.expr_as(expr, item);
            let leaves = self.own(value, item);
            for (offset, leaf) in layout.offsets.iter().zip(leaves) {
                self.store(array, ARRAY_DATA + index as i32 * stride + offset, leaf);
            }
            self.release_unseen_temps(base.min(self.stack.len()));
        }
        self.set_len(array, items.len());
        own.unwrap_or_else(|| {
            self.remove(base - 1);
            self.temp(ty, vec![array])
        })
    }

    /// Releases an array under construction, its elements latest first.
    pub fn give_up_array(&mut self, array: Var, ty: TyId) {
        let item = self.item_ty(ty);
        let left = self.load(MTy::I64, array, ARRAY_LEN);
        let index = self.copy(left);
        let (head, inside, done) = (self.block(), self.block(), self.block());
        self.jump(head);
        self.switch(head);
        let more = self.cmp_int(CmpOp::Gt, index, 0);
        self.branch(more, inside, done);
        self.switch(inside);
        let one = self.i64(1);
        let next = self.bin(BinOp::Sub, index, one);
        self.emit(Inst::Copy(index, next));
        let leaves = self.load_element(array, index, item);
        self.release_all(item, &leaves);
        self.jump(head);
        self.switch(done);
        self.set_len(array, 0);
        self.release_all(ty, &[array]);
    }

    fn set_len(&mut self, array: Var, len: usize) {
        let len = self.i64(len as i64);
        self.store(array, ARRAY_LEN, len);
    }

    /// Enters the pairs of a long dict literal, or the elements of such a set, by a loop, if all are constants; whether it did.
    pub fn enter_known(&mut self, table: Var, ty: TyId, exprs: &[&Expr], span: Span) -> bool {
        let layout = self.cx.reprs.table(ty);
        let is_dict = matches!(self.cx.types.get(ty), Ty::Dict(..));
        let tys: &[TyId] = if is_dict {
            &[layout.key, layout.value]
        } else {
            &[layout.key]
        };
        let known = |(index, expr): (usize, &&Expr)| self.is_known(expr, tys[index % tys.len()]);
        if exprs.len() < LONG * tys.len() || !exprs.iter().enumerate().all(known) {
            return false;
        }
        let shapes = self.cx.reprs.all_leaves(tys);
        let row = layout_of_leaves(&shapes, 0);
        let mut rows = Bytes::default();
        let count = exprs.len() / tys.len();
        for (index, exprs) in exprs.chunks(tys.len()).enumerate() {
            let start = index * row.stride() as usize;
            self.put_row(&mut rows, start, exprs, &shapes, &row);
        }
        let rows = self.cx.constant_bytes(rows);
        let rows = self.constant(MTy::Ptr, Const::Bytes(rows));
        let (from, to) = (self.i64(0), self.i64(count as i64));
        let keys = self.cx.reprs.leaves(layout.key).len();
        self.count(from, to, |builder, index| {
            let mut leaves: Vec<Var> = Vec::new();
            for (leaf, offset) in shapes.iter().zip(&row.offsets) {
                let dst = builder.var(leaf.ty);
                builder.emit(Inst::LoadAt(dst, rows, index, row.stride(), *offset));
                leaves.push(dst);
            }
            let values = leaves.split_off(keys);
            let entry = builder.enter_entry(table, ty, &Value::stable(leaves), span);
            if is_dict {
                builder.retain_all(layout.value, &values);
                builder.put_value(entry, &layout, &values);
            }
        });
        true
    }
}
