//! Dicts and sets: finding and making entries, literals, lookups and loops.
//!
//! The runtime finds words and texts itself; other keys go through a function of their table's type (`glue/table.rs`). A new
//! entry has a zero value, so storing a value always releases what was there, which may be null. Places inside dicts are in
//! `place.rs`, update methods in `table_update.rs`.

use super::builder::Builder;
use super::constant::LONG;
use super::cx::DescKey;
use super::glue::Glue;
use super::place::{Sharing, Spot, Target};
use super::value::Value;
use crate::mir::{BinOp, BlockId, CmpOp, Const, Inst, MTy, Var};
use crate::repr::{KeyForm, Leaf, TableLayout};
use simple_core::error_kind::ErrorKind;
use simple_core::layout::{COUNT, TABLE_ENTRIES, TABLE_LEN, TABLE_USED};
use simple_core::table::RtFn;
use simple_sema::typed::{Expr, Pattern, Stmt, Ty, TyId};
use simple_syntax::Span;

/// A walk over the entries of a table from the first on.
struct Cursor {
    table: Var,
    entries: Var,
    used: Var,
    /// Whether no entry was removed, so that every position has one.
    dense: Var,
    position: Var,
    stride: u32,
}

impl<'c, 'p> Builder<'c, 'p> {
    /// A key of one word, as the runtime takes it.
    fn key_word(&mut self, key: &Value, ty: TyId) -> Var {
        let leaf_ty = self.scalar_ty(ty);
        let leaf = self.leaf(key, 0, leaf_ty);
        let signed = self.int_ty(ty).is_some_and(|int| int.signed);
        self.resize_int(leaf, MTy::I64, signed)
    }

    fn with_key(&self, table: Var, key: &Value) -> Vec<Var> {
        let mut args = vec![table];
        args.extend(&key.leaves);
        args
    }

    /// The entry of a key, or null.
    pub fn find_entry(&mut self, table: Var, table_ty: TyId, key: &Value, span: Span) -> Var {
        let layout = self.cx.reprs.table(table_ty);
        match layout.form {
            KeyForm::Word => {
                let word = self.key_word(key, layout.key);
                self.rt_value(RtFn::TableFindWord, &[table, word], span)
            }
            KeyForm::Text => {
                let text = self.leaf(key, 0, MTy::Ptr);
                self.rt_value(RtFn::TableFindText, &[table, text], span)
            }
            KeyForm::Hashed => {
                let func = self.cx.glue(Glue::FindEntry(table_ty));
                let args = self.with_key(table, key);
                self.call(func, args, &[MTy::Ptr], span)[0]
            }
        }
    }

    /// The entry of a key, made with a zero value if there was none. Nothing else holds the table.
    pub fn enter_entry(&mut self, table: Var, table_ty: TyId, key: &Value, span: Span) -> Var {
        let layout = self.cx.reprs.table(table_ty);
        match layout.form {
            KeyForm::Word => {
                let word = self.key_word(key, layout.key);
                self.rt_value(RtFn::TableEnterWord, &[table, word], span)
            }
            KeyForm::Text => {
                let text = self.leaf(key, 0, MTy::Ptr);
                self.rt_value(RtFn::TableEnterText, &[table, text], span)
            }
            KeyForm::Hashed => {
                let func = self.cx.glue(Glue::EnterEntry(table_ty));
                let args = self.with_key(table, key);
                self.call(func, args, &[MTy::Ptr], span)[0]
            }
        }
    }

    fn load_parts(&mut self, entry: Var, ty: TyId, offsets: &[i32]) -> Vec<Var> {
        let shapes = self.cx.reprs.leaves(ty);
        shapes
            .iter()
            .zip(offsets)
            .map(|(leaf, offset)| self.load(leaf.ty, entry, *offset))
            .collect()
    }

    /// The leaves of an entry's key.
    pub fn entry_key(&mut self, entry: Var, layout: &TableLayout) -> Vec<Var> {
        if layout.form != KeyForm::Word {
            return self.load_parts(entry, layout.key, &layout.key_offsets);
        }
        let word = self.load(MTy::I64, entry, layout.key_offsets[0]);
        let leaf = self.scalar_ty(layout.key);
        vec![self.resize_int(word, leaf, true)]
    }

    /// The leaves of an entry's value.
    pub fn entry_value(&mut self, entry: Var, layout: &TableLayout) -> Vec<Var> {
        self.load_parts(entry, layout.value, &layout.value_offsets)
    }

    /// Stores an owned value and releases what was there.
    pub fn put_value(&mut self, entry: Var, layout: &TableLayout, leaves: &[Var]) {
        let shapes = self.cx.reprs.leaves(layout.value);
        let counted = shapes.iter().any(|leaf| leaf.counted.is_some());
        let old = if counted {
            self.entry_value(entry, layout)
        } else {
            Vec::new()
        };
        for (offset, leaf) in layout.value_offsets.iter().zip(leaves) {
            self.store(entry, *offset, *leaf);
        }
        for (var, leaf) in old.iter().zip(shapes.iter()).rev() {
            let nullable = true;
            self.release(*var, Leaf { nullable, ..*leaf });
        }
    }

    /// `{k: v, ...}`: entries are made in order, a later equal key replaces the value of an earlier one.
    pub fn dict_literal(&mut self, pairs: &'p [(Expr, Expr)], ty: TyId, span: Span) -> Value {
        let exprs: Vec<&Expr> = pairs.iter().flat_map(|(key, value)| [key, value]).collect();
        self.table_literal(&exprs, 2, ty, span)
    }

    /// `{x, ...}`.
    pub fn set_literal(&mut self, items: &'p [Expr], ty: TyId, span: Span) -> Value {
        let exprs: Vec<&Expr> = items.iter().collect();
        self.table_literal(&exprs, 1, ty, span)
    }

    /// A dict or set of entries of so many expressions each: evaluated all at once, or where there are many, one after the other.
    fn table_literal(
        &mut self,
        exprs: &[&'p Expr],
        per_entry: usize,
        ty: TyId,
        span: Span,
    ) -> Value {
        let layout = self.cx.reprs.table(ty);
        let tys = &[layout.key, layout.value][..per_entry];
        let count = exprs.len() / per_entry;
        let at_once = if count < LONG { exprs.len() } else { 0 };
        let values = self.operands_as(&exprs[..at_once], &tys.repeat(at_once / per_entry));
        let room = self.i64(count as i64);
        let table = self.new_table(ty, room, span);
        let literal = self.temp(ty, vec![table]);
        for entry in values.chunks(per_entry) {
            self.enter_literal(table, ty, entry, span);
        }
        if count < LONG || self.enter_known(table, ty, exprs, span) {
            return literal;
        }
        let base = self.stack.len();
        for entry in exprs.chunks(per_entry) {
            let entry = self.operands_as(entry, tys);
            self.enter_literal(table, ty, &entry, span);
            self.release_unseen_temps(base.min(self.stack.len()));
        }
        literal
    }

    /// Makes an entry of a literal from its key and, in a dict, its value.
    fn enter_literal(&mut self, table: Var, ty: TyId, entry: &[Value], span: Span) {
        let layout = self.cx.reprs.table(ty);
        let place = self.enter_entry(table, ty, &entry[0], span);
        if let [_, value] = entry {
            let leaves = self.own(value.clone(), layout.value);
            self.put_value(place, &layout, &leaves);
        }
    }

    /// An empty dict or set with room for `capacity` entries.
    pub fn new_table(&mut self, ty: TyId, capacity: Var, span: Span) -> Var {
        let desc = self.cx.desc(DescKey::Type(ty));
        let desc = self.constant(MTy::Ptr, Const::Desc(desc));
        self.rt_value(RtFn::TableNew, &[desc, capacity], span)
    }

    /// `d[k]`, `d.get(k)` as what the entry that was found says: borrowed from the dict, absent for null.
    pub fn dict_get(
        &mut self,
        dict: &Value,
        dict_ty: TyId,
        entry: Var,
        ty: TyId,
        span: Span,
    ) -> Value {
        let layout = self.cx.reprs.table(dict_ty);
        let shapes = self.cx.reprs.leaves(ty);
        let results = self.vars(&shapes);
        let zeros = self.made_up(ty).leaves;
        self.assign(&results, &zeros);
        let found = self.cmp_int(CmpOp::Ne, entry, 0);
        let (there, done) = (self.block(), self.block());
        self.branch(found, there, done);
        self.switch(there);
        let leaves = self.entry_value(entry, &layout);
        self.found(leaves, &results, ty, span);
        self.jump(done);
        self.switch(done);
        self.part_of(dict, results, ty)
    }

    /// Whether a dict has a key or a set an element.
    pub fn table_contains(
        &mut self,
        table: &Value,
        table_ty: TyId,
        key: &Value,
        span: Span,
    ) -> Value {
        let table = self.leaf(table, 0, MTy::Ptr);
        let entry = self.find_entry(table, table_ty, key, span);
        Value::plain(self.cmp_int(CmpOp::Ne, entry, 0))
    }

    fn cursor(&mut self, table: Var, stride: u32) -> Cursor {
        let len = self.load(MTy::I64, table, TABLE_LEN);
        let used = self.load(MTy::I64, table, TABLE_USED);
        Cursor {
            table,
            entries: self.load(MTy::Ptr, table, TABLE_ENTRIES),
            used,
            dense: self.cmp(CmpOp::Eq, len, used),
            position: self.i64(0),
            stride,
        }
    }

    /// Goes on in `inside` with the entry at the cursor, or to `exit` when there is none any more.
    fn entry_or_exit(
        &mut self,
        cursor: &Cursor,
        inside: BlockId,
        exit: BlockId,
        span: Span,
    ) -> Var {
        let (gaps, ready) = (self.block(), self.block());
        self.branch(cursor.dense, ready, gaps);
        self.switch(gaps);
        let next = self.rt_value(RtFn::TableNext, &[cursor.table, cursor.position], span);
        self.emit(Inst::Copy(cursor.position, next));
        self.jump(ready);
        self.switch(ready);
        let more = self.cmp(CmpOp::Lt, cursor.position, cursor.used);
        self.branch(more, inside, exit);
        self.switch(inside);
        let entry = self.var(MTy::Ptr);
        self.emit(Inst::AddrAt(
            entry,
            cursor.entries,
            cursor.position,
            cursor.stride,
            0,
        ));
        entry
    }

    fn advance(&mut self, cursor: &Cursor) {
        let one = self.i64(1);
        let next = self.bin(BinOp::Add, cursor.position, one);
        self.emit(Inst::Copy(cursor.position, next));
    }

    /// Runs `body` for every entry of a table that nothing changes meanwhile.
    pub fn each_entry(
        &mut self,
        table: Var,
        layout: &TableLayout,
        span: Span,
        body: impl FnOnce(&mut Self, Var),
    ) {
        let cursor = self.cursor(table, layout.stride);
        let (head, inside, done) = (self.block(), self.block(), self.block());
        self.jump(head);
        self.switch(head);
        let entry = self.entry_or_exit(&cursor, inside, done, span);
        body(self, entry);
        self.advance(&cursor);
        self.jump(head);
        self.switch(done);
    }

    /// `for` over a dict's pairs or a set's elements.
    pub fn for_each_entry(
        &mut self,
        stmt: &'p Stmt,
        pattern: &'p Pattern,
        value: Value,
        table_ty: TyId,
        body: &'p Expr,
    ) {
        let base = self.stack.len();
        let layout = self.cx.reprs.table(table_ty);
        let table = self.leaf(&value, 0, MTy::Ptr);
        let cursor = self.cursor(table, layout.stride);
        let (head, inside, again, exit) = (self.block(), self.block(), self.block(), self.block());
        self.jump(head);
        self.switch(head);
        let entry = self.entry_or_exit(&cursor, inside, exit, stmt.span);
        let stack = self.stack.clone();
        let key = self.entry_key(entry, &layout);
        let is_dict = matches!(self.cx.types.get(table_ty), Ty::Dict(..));
        match pattern {
            _ if !is_dict => self.bind_pattern(pattern, Value::stable(key), layout.key),
            Pattern::Tuple(parts) if parts.len() == 2 => {
                let value = self.entry_value(entry, &layout);
                self.bind_pattern(&parts[0], Value::stable(key), layout.key);
                self.bind_pattern(&parts[1], Value::stable(value), layout.value);
            }
            Pattern::Bind(local) => {
                // A name for the whole pair has the pair's type.
                let mut pair = key;
                pair.extend(self.entry_value(entry, &layout));
                let ty = self.local_info(*local).0;
                self.bind_pattern(pattern, Value::stable(pair), ty);
            }
            _ => {}
        }
        self.loop_body(body, again, base);
        self.stack = stack;
        self.switch(again);
        self.advance(&cursor);
        self.jump(head);
        self.switch(exit);
        self.loop_exit(stmt, base);
    }

    /// The table at a target, held by nothing else.
    pub fn unique_table(&mut self, target: &Target, span: Span) -> Var {
        let current = self.read_target(target);
        let Some(first) = current.first().copied() else {
            return self.null();
        };
        let table = self.copy(first);
        let count = self.load(MTy::I64, table, COUNT);
        let alone = self.cmp_int(CmpOp::Eq, count, 1);
        let (slow, done) = (self.cold_block(), self.block());
        let reachable = self.reachable;
        self.branch(alone, done, slow);
        self.switch(slow);
        let fresh = self.rt_value(RtFn::TableUnique, &[table], span);
        self.emit(Inst::Copy(table, fresh));
        self.write_target(target, &[fresh]);
        self.jump(done);
        self.switch(done);
        self.reachable = reachable;
        table
    }

    /// Walks from a dict at a target to the value of a key: that of an existing one, or with `enter` of any.
    pub fn step_key(
        &mut self,
        target: &mut Target,
        table_ty: TyId,
        key: &Value,
        enter: bool,
        span: Span,
    ) {
        let layout = self.cx.reprs.table(table_ty);
        let table = self.unique_table(target, span);
        let sharing = match (&target.spot, &target.sharing) {
            (Spot::Memory { .. }, Sharing::Direct) => Sharing::Collection {
                spot: target.spot.clone(),
                object: table,
                ty: table_ty,
            },
            (_, sharing) => sharing.clone(),
        };
        let entry = if enter {
            self.enter_entry(table, table_ty, key, span)
        } else {
            let entry = self.find_entry(table, table_ty, key, span);
            let found = self.cmp_int(CmpOp::Ne, entry, 0);
            self.check(found, ErrorKind::LenientNil, None, None, span);
            entry
        };
        *target = Target {
            spot: Spot::Memory {
                base: entry,
                offsets: layout.value_offsets,
            },
            leaves: self.cx.reprs.leaves(layout.value).to_vec(),
            sharing,
            maybe_null: enter,
            flag: None,
        };
    }
}
