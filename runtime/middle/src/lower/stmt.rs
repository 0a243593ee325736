//! Statements. Each releases its temporaries at its end.

use super::builder::Builder;
use super::liveness::stmt_key;
use super::place::Target;
use crate::mir::{BinOp, CmpOp, Inst, MTy, Term, Var};
use simple_core::error_kind::ErrorKind;
use simple_core::layout::{COUNT, TEXT_BYTE_LEN, TEXT_CAPACITY, TEXT_CHAR_LEN, TEXT_DATA};
use simple_core::table::RtFn;
use simple_sema::typed::{Expr, Stmt, StmtKind, TyId};
use simple_syntax::Span;

impl<'c, 'p> Builder<'c, 'p> {
    pub fn stmt(&mut self, stmt: &'p Stmt) {
        let base = self.stack.len();
        self.cover(stmt.span);
        match &stmt.kind {
            StmtKind::Expr(expr) => {
                self.expr(expr);
            }
            StmtKind::Let(local, value) => self.bind_let(*local, value, base),
            StmtKind::LetPattern(pattern, value) => {
                let ty = value.ty;
                let value = self.expr(value);
                self.bind_pattern_owned(pattern, value, ty);
            }
            StmtKind::Assign(place, value) => self.assign_place(place, value),
            StmtKind::AssignArith(place, op, value) => {
                let ty = place.ty;
                self.update_number(place, value, ty, |builder, old, amount| {
                    builder.arith(*op, old, amount, ty, stmt.span)
                });
            }
            StmtKind::AssignBits(place, op, value) => {
                let ty = if op.is_shift() { value.ty } else { place.ty };
                self.update_number(place, value, ty, |builder, old, amount| {
                    builder.bits(*op, (old, place.ty), (amount, ty), stmt.span)
                });
            }
            StmtKind::Append(place, value) => self.append(place, value, stmt.span),
            StmtKind::While(cond, body) => self.while_loop(stmt, cond, body),
            StmtKind::ForRange {
                var,
                lo,
                hi,
                inclusive,
                body,
            } => self.for_range(stmt, *var, lo, hi, *inclusive, body),
            StmtKind::ForEach {
                pattern,
                iterable,
                body,
            } => self.for_each(stmt, pattern, iterable, body),
            StmtKind::ForPart {
                pattern,
                text,
                cut,
                body,
            } => self.for_part(stmt, pattern, text, cut, body),
            StmtKind::Defer(deferred) => {
                self.defer(deferred);
                return;
            }
            StmtKind::Assert(cond, message) => self.assert(cond, message.as_ref(), stmt.span),
        }
        self.release_temps(base.min(self.stack.len()));
        let is_loop = matches!(
            stmt.kind,
            StmtKind::While(..)
                | StmtKind::ForRange { .. }
                | StmtKind::ForEach { .. }
                | StmtKind::ForPart { .. }
        );
        if !is_loop && let Some(kills) = self.live.after_stmt.get(&stmt_key(stmt)).cloned() {
            self.kill(&kills);
        }
    }

    /// Appends a text to the one that was read from `target`. A single byte for which there is room is stored right here.
    pub fn append_text(&mut self, target: &Target, old: Var, added: Var, span: Span) {
        let count = self.load(MTy::I64, old, COUNT);
        let alone = self.cmp_int(CmpOp::Eq, count, 1);
        let bytes = self.load(MTy::I64, added, TEXT_BYTE_LEN);
        let single = self.cmp_int(CmpOp::Eq, bytes, 1);
        let len = self.load(MTy::I64, old, TEXT_BYTE_LEN);
        let capacity = self.load(MTy::I64, old, TEXT_CAPACITY);
        let room = self.cmp(CmpOp::Lt, len, capacity);
        let fits = self.bin(BinOp::And, alone, single);
        let fits = self.bin(BinOp::And, fits, room);
        let (here, elsewhere, done) = (self.block(), self.block(), self.block());
        self.branch(fits, here, elsewhere);
        self.switch(here);
        let byte = self.load(MTy::I8, added, TEXT_DATA);
        self.emit(Inst::StoreAt(old, len, 1, TEXT_DATA, byte));
        let one = self.i64(1);
        let more = self.bin(BinOp::Add, len, one);
        self.store(old, TEXT_BYTE_LEN, more);
        // A single byte is a character of ASCII.
        let chars = self.load(MTy::I64, old, TEXT_CHAR_LEN);
        let more = self.bin(BinOp::Add, chars, one);
        self.store(old, TEXT_CHAR_LEN, more);
        self.jump(done);
        self.switch(elsewhere);
        let new = self.rt_value(RtFn::TextAppend, &[old, added], span);
        self.write_target(target, &[new]);
        self.jump(done);
        self.switch(done);
    }

    fn assert(&mut self, cond: &'p Expr, message: Option<&'p Expr>, span: Span) {
        let (good, bad) = (self.block(), self.cold_block());
        self.condition(cond, good, bad);
        let kept = self.stack.clone();
        self.switch(bad);
        match message {
            Some(message) => {
                let text = self.expr_as(message, TyId::TEXT);
                let text = self.leaf(&text, 0, MTy::Ptr);
                let fail = self.fail(span);
                self.emit(Inst::Panic(text, fail));
            }
            None => {
                let fail = self.fail(span);
                self.emit(Inst::Raise(ErrorKind::AssertFailed, fail));
            }
        }
        self.end(Term::Unreachable);
        self.stack = kept;
        self.switch(good);
    }
}
