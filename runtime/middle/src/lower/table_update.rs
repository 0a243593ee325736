//! Changing dicts and sets: update methods, and `d[k] = ...` that reads `d[k]`.
//!
//! Operands are evaluated first; then the place is walked, its table made unique, and changed. Entries are `table.rs`'s.

use super::builder::Builder;
use super::place::{StepKey, Target};
use super::value::Value;
use super::walk::{Node, has_effects, walk};
use crate::mir::{CmpOp, MTy, Var};
use simple_core::layout::TABLE_LEN;
use simple_core::table::RtFn;
use simple_sema::typed::{
    Expr, ExprKind, GlobalId, Intrinsic, LocalId, Place, PlaceRoot, PlaceStep, Ty, TyId, Update,
};
use simple_syntax::Span;

/// The entry of a dict's key, or null, during `d[k] = ...`.
pub(crate) struct FoundEntry {
    dict: Home,
    key: Name,
    entry: Var,
}

/// Where a dict is that can be told to be the same without evaluating anything: a variable, or a field of one, or a field of that ...
#[derive(Clone, PartialEq, Eq)]
struct Home {
    root: HomeRoot,
    fields: Vec<u32>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum HomeRoot {
    Local(LocalId),
    Global(GlobalId),
}

impl Home {
    fn of(expr: &Expr) -> Option<Home> {
        let root = match &expr.kind {
            ExprKind::Local(local) => HomeRoot::Local(*local),
            ExprKind::Global(global) => HomeRoot::Global(*global),
            ExprKind::Field(inner, field) => {
                let mut home = Home::of(inner)?;
                home.fields.push(*field);
                return Some(home);
            }
            _ => return None,
        };
        let fields = Vec::new();
        Some(Home { root, fields })
    }

    /// What the first steps of a place lead to.
    fn of_place(root: &PlaceRoot, path: &[PlaceStep]) -> Option<Home> {
        let mut home = match root {
            PlaceRoot::Local(local) => Home {
                root: HomeRoot::Local(*local),
                fields: Vec::new(),
            },
            PlaceRoot::Global(global) => Home {
                root: HomeRoot::Global(*global),
                fields: Vec::new(),
            },
            PlaceRoot::Object(object) => Home::of(object)?,
        };
        for step in path {
            match step {
                PlaceStep::Field(_, field) => home.fields.push(*field),
                PlaceStep::Index(..) => return None,
            }
        }
        Some(home)
    }
}

/// A key that can be told to be the same without evaluating it.
#[derive(Clone, PartialEq, Eq)]
enum Name {
    Local(LocalId),
    Int(i64),
    Text(String),
}

impl Name {
    fn of(key: &Expr) -> Option<Name> {
        match &key.kind {
            ExprKind::Local(local) => Some(Name::Local(*local)),
            ExprKind::Int(number) => Some(Name::Int(*number)),
            ExprKind::Text(text) => Some(Name::Text(text.clone())),
            _ => None,
        }
    }
}

/// Whether these operands of a `DictGet` are `dict` and `key`.
fn is_read_of(args: &[Expr], dict: &Home, key: &Name) -> bool {
    Name::of(&args[1]).as_ref() == Some(key) && Home::of(&args[0]).as_ref() == Some(dict)
}

/// Whether `expr` reads `dict[key]`.
fn reads_key(expr: &Expr, dict: &Home, key: &Name) -> bool {
    let mut found = false;
    walk(expr, &mut |node| {
        if let Node::Expr(Expr {
            kind: ExprKind::Intrinsic(Intrinsic::DictGet, args),
            ..
        }) = node
        {
            found |= is_read_of(args, dict, key);
        }
    });
    found
}

impl<'c, 'p> Builder<'c, 'p> {
    /// The entry that is known for `d[k]`, if these are the `d` and `k` of the assignment under way.
    pub fn found_entry(&self, args: &[Expr]) -> Option<Var> {
        let found = self.found.as_ref()?;
        is_read_of(args, &found.dict, &found.key).then_some(found.entry)
    }

    /// `d[k] = value` where `value` reads `d[k]`, as counting does: one search serves both. False, with nothing done, for all other
    /// assignments.
    ///
    /// Computing the value runs no code that could change the dict, so the entry stays where it is.
    pub fn update_value(&mut self, place: &'p Place, value: &'p Expr) -> bool {
        let Some((PlaceStep::Index(dict_ty, key), way)) = place.path.split_last() else {
            return false;
        };
        let (Ty::Dict(..), Some(key), Some(dict)) = (
            self.cx.types.get(*dict_ty),
            Name::of(key),
            Home::of_place(&place.root, way),
        ) else {
            return false;
        };
        if value.ty != place.ty || has_effects(value) || !reads_key(value, &dict, &key) {
            return false;
        }
        let layout = self.cx.reprs.table(*dict_ty);
        let span = place.span;
        let mut parts = self.place_parts(place);
        let Some(StepKey::Key(key_value)) = parts.keys.pop() else {
            return false;
        };
        let target = self.walk_place(place, &parts, true, false);
        let table = self.unique_table(&target, span);
        let entry = self.find_entry(table, *dict_ty, &key_value, span);
        let outer = self.found.replace(FoundEntry { dict, key, entry });
        let new = self.expr_as(value, place.ty);
        self.found = outer;
        let leaves = self.own(new, place.ty);
        let there = self.cmp_int(CmpOp::Ne, entry, 0);
        let (known, fresh, done) = (self.block(), self.block(), self.block());
        self.branch(there, known, fresh);
        self.switch(known);
        self.put_value(entry, &layout, &leaves);
        self.jump(done);
        self.switch(fresh);
        let entry = self.enter_entry(table, *dict_ty, &key_value, span);
        self.put_value(entry, &layout, &leaves);
        self.jump(done);
        self.switch(done);
        true
    }

    /// An update method of a dict or set.
    pub fn update_table(
        &mut self,
        op: Update,
        place: &'p Place,
        args: &'p [Expr],
        ty: TyId,
        span: Span,
    ) -> Value {
        let layout = self.cx.reprs.table(place.ty);
        let parts = self.place_parts(place);
        let tys: Vec<TyId> = match op {
            Update::DictSet => vec![layout.key, layout.value],
            Update::DictRemove | Update::SetAdd | Update::SetRemove => vec![layout.key],
            Update::Extend => vec![place.ty],
            _ => Vec::new(),
        };
        let values = self.update_operands(args, &tys);
        let target = self.walk_place(place, &parts, true, false);
        match op {
            Update::DictSet => {
                let table = self.unique_table(&target, span);
                let entry = self.enter_entry(table, place.ty, &values[0], span);
                let leaves = self.own(values[1].clone(), layout.value);
                self.put_value(entry, &layout, &leaves);
                Value::unit()
            }
            Update::SetAdd => {
                let table = self.unique_table(&target, span);
                self.enter_entry(table, place.ty, &values[0], span);
                Value::unit()
            }
            Update::DictRemove | Update::SetRemove => {
                self.remove_entry(&target, place.ty, &values[0], ty, span)
            }
            Update::Extend => {
                let added = self.leaf(&values[0], 0, MTy::Ptr);
                self.merge_tables(&target, place.ty, added, span);
                Value::unit()
            }
            Update::Clear => {
                let empty = self.empty_collection(place.ty);
                self.replace_target(&target, &[empty]);
                Value::unit()
            }
            _ => self.made_up(ty),
        }
    }

    /// Takes a key out. Yields the dict's value as an option, or whether the set had the element.
    fn remove_entry(
        &mut self,
        target: &Target,
        table_ty: TyId,
        key: &Value,
        ty: TyId,
        span: Span,
    ) -> Value {
        let layout = self.cx.reprs.table(table_ty);
        let shapes = self.cx.reprs.leaves(ty);
        let results = self.vars(&shapes);
        let zeros = self.made_up(ty).leaves;
        self.assign(&results, &zeros);
        let table = self.unique_table(target, span);
        let entry = self.find_entry(table, table_ty, key, span);
        let found = self.cmp_int(CmpOp::Ne, entry, 0);
        let (there, done) = (self.block(), self.block());
        self.branch(found, there, done);
        self.switch(there);
        let leaves = self.entry_value(entry, &layout);
        let key = self.entry_key(entry, &layout);
        self.rt(RtFn::TableRemove, &[table, entry], span);
        self.release_all(layout.key, &key);
        let value = if ty == TyId::BOOL {
            vec![self.flag(true)]
        } else {
            self.wrap_owned(leaves, ty, span)
        };
        self.assign(&results, &value);
        self.jump(done);
        self.switch(done);
        self.temp(ty, results)
    }

    /// Puts all entries of the table `added`, which stays as it is, into the one at a target.
    ///
    /// A value that is replaced may run a `fn drop()`, which may move or release the place. So no value goes before all are in: those
    /// that are replaced wait in a separate table, under their keys.
    fn merge_tables(&mut self, target: &Target, table_ty: TyId, added: Var, span: Span) {
        let layout = self.cx.reprs.table(table_ty);
        let table = self.unique_table(target, span);
        let runs_code = self.cx.any_drop && self.cx.reprs.is_counted(layout.value);
        let replaced = runs_code.then(|| {
            let room = self.load(MTy::I64, added, TABLE_LEN);
            let table = self.new_table(table_ty, room, span);
            self.temp(table_ty, vec![table])
        });
        self.each_entry(added, &layout.clone(), span, |builder, from| {
            let key = Value::stable(builder.entry_key(from, &layout));
            let leaves = builder.entry_value(from, &layout);
            if let Some(replaced) = &replaced {
                builder.put_aside(table, table_ty, &key, replaced.leaves[0], span);
            }
            let entry = builder.enter_entry(table, table_ty, &key, span);
            builder.retain_all(layout.value, &leaves);
            builder.put_value(entry, &layout, &leaves);
        });
        if let Some(replaced) = replaced {
            self.discard(&replaced);
        }
    }

    /// Moves the value of a key, if there is one, from one table to another; leaves zero there.
    fn put_aside(&mut self, table: Var, table_ty: TyId, key: &Value, aside: Var, span: Span) {
        let layout = self.cx.reprs.table(table_ty);
        let entry = self.find_entry(table, table_ty, key, span);
        let found = self.cmp_int(CmpOp::Ne, entry, 0);
        let (there, done) = (self.block(), self.block());
        self.branch(found, there, done);
        self.switch(there);
        let kept = self.enter_entry(aside, table_ty, key, span);
        let shapes = self.cx.reprs.leaves(layout.value);
        for (offset, leaf) in layout.value_offsets.iter().zip(shapes.iter()) {
            let old = self.load(leaf.ty, entry, *offset);
            self.store(kept, *offset, old);
            let zero = self.zero(leaf.ty);
            self.store(entry, *offset, zero);
        }
        self.jump(done);
        self.switch(done);
    }
}
