//! Control flow: blocks, `if`, `match`, loops, `break`, `continue`.
//!
//! Every branch is its own little statement: its value becomes owned, its temporaries go, and its path meets the others in
//! [`Builder::merge`]. Tests and bindings of patterns are in `pattern.rs`.

use super::builder::{Builder, LocalState, LoopState};
use super::cleanup::{Entry, EntryKind, Path};
use super::liveness::{is_endless, key, stmt_key};
use super::value::{Own, Value};
use crate::mir::{BinOp, BlockId, CmpOp, Inst, MTy, Term, Var};
use simple_core::layout::{ARRAY_DATA, ARRAY_LEN, TEXT_BYTE_LEN};
use simple_core::table::RtFn;
use simple_sema::typed::{
    Arm, CaughtError, Cond, Expr, ExprKind, LocalId, Pattern, Stmt, Ty, TyId,
};

impl<'c, 'p> Builder<'c, 'p> {
    pub fn block_expr(&mut self, stmts: &'p [Stmt], tail: Option<&'p Expr>, ty: TyId) -> Value {
        let base = self.stack.len();
        let scope = std::mem::replace(&mut self.scope, base);
        let filling = self.fill(stmts, tail);
        if tail.is_some() || !self.assign_parts_handed(stmts) {
            for stmt in stmts {
                self.stmt(stmt);
                self.close_gaps(base);
            }
        }
        if filling {
            self.filled();
        }
        self.scope = scope;
        let Some(tail) = tail else {
            self.leave(base);
            return if ty == TyId::NEVER {
                Value::unit()
            } else {
                self.made_up(ty)
            };
        };
        self.cover(tail.span);
        if self.stack.len() == base && !stmts_bind(stmts) {
            return self.expr_as(tail, ty);
        }
        let ty = if tail.ty == TyId::NEVER { ty } else { tail.ty };
        let leaves = self.owned_for_exit(tail, ty, base);
        self.leave_with(base, ty, leaves)
    }

    /// Leaves a scope with an owned value, which becomes a temporary of the scope outside.
    pub fn leave_with(&mut self, base: usize, ty: TyId, leaves: Vec<Var>) -> Value {
        let value = self.temp(ty, leaves);
        let Own::Temp(id) = value.own else {
            self.leave(base);
            return value;
        };
        // The value goes below what is left, so that it survives, and is released if a deferred statement fails.
        if let Some(at) = self.find_temp(id)
            && at > base
        {
            let kind = self.remove(at);
            self.stack.insert(base, Entry::new(kind));
            self.forget_unwinds(base);
        }
        self.leave(base + 1);
        value
    }

    pub fn let_expr(&mut self, local: LocalId, value: &'p Expr, body: &'p Expr, ty: TyId) -> Value {
        let base = self.stack.len();
        let scope = std::mem::replace(&mut self.scope, base);
        self.bind_let(local, value, base);
        self.scope = scope;
        if let Some(kills) = self.live.before.get(&key(body)).cloned() {
            self.kill(&kills);
        }
        let leaves = self.owned_for_exit(body, ty, base);
        self.leave_with(base, ty, leaves)
    }

    /// `val local = value`; temporaries above `base` are released.
    pub fn bind_let(&mut self, local: LocalId, value: &'p Expr, base: usize) {
        let info = self.source.map(|func| &func.locals[local.0 as usize]);
        let ty = info.map_or(value.ty, |info| info.ty);
        let mutable = info.is_some_and(|info| info.mutable);
        let value = self.expr_as(value, ty);
        let mut leaves = self.own(value, ty);
        self.release_temps(base);
        if mutable {
            leaves = leaves.iter().map(|leaf| self.copy(*leaf)).collect();
        }
        self.declare(local, ty, leaves, mutable, true);
    }

    /// Makes a variable known, owned or as another name for borrowed leaves.
    pub fn declare(
        &mut self,
        local: LocalId,
        ty: TyId,
        leaves: Vec<Var>,
        mutable: bool,
        owned: bool,
    ) {
        if self.is_cell(local) {
            self.declare_cell(local, ty, leaves, owned);
            return;
        }
        if owned {
            let counted = self.counted(ty, &leaves);
            self.push_local(local, counted);
        }
        self.set_local(
            local,
            LocalState {
                leaves,
                mutable,
                cell: false,
            },
        );
    }

    /// Runs a branch: its kills, its value into `results`, its temporaries away.
    fn branch_value(
        &mut self,
        body: &'p Expr,
        base: usize,
        ty: TyId,
        results: &[Var],
    ) -> Option<Path<'p>> {
        if let Some(kills) = self.live.before.get(&key(body)).cloned() {
            self.kill(&kills);
        }
        if results.is_empty() {
            self.expr(body);
            self.leave(base.min(self.stack.len()));
            return self.path();
        }
        let leaves = self.owned_for_exit(body, ty, base);
        if self.stack.len() > base {
            let value = self.leave_with(base, ty, leaves);
            let leaves = self.own(value, ty);
            self.assign(results, &leaves);
        } else {
            self.assign(results, &leaves);
        }
        self.path()
    }

    pub fn if_expr(
        &mut self,
        expr: &'p Expr,
        cond: &'p Cond,
        then: &'p Expr,
        otherwise: Option<&'p Expr>,
    ) -> Value {
        let ty = if otherwise.is_some() {
            expr.ty
        } else {
            TyId::UNIT
        };
        let shapes = self.cx.reprs.leaves(ty);
        let results = self.vars(&shapes);
        let base = self.stack.len();
        if self.never_holds(cond) {
            let only = self.other_branch(expr, otherwise, base, ty, &results);
            self.merge(vec![only]);
            return self.temp(ty, results);
        }
        let (yes, no) = (self.block(), self.block());
        let no_stack = self.test(cond, yes, no);
        let first = self.branch_value(then, base, ty, &results);
        self.stack = no_stack;
        self.switch(no);
        let second = self.other_branch(expr, otherwise, base, ty, &results);
        self.merge(vec![first, second]);
        self.temp(ty, results)
    }

    fn other_branch(
        &mut self,
        expr: &'p Expr,
        otherwise: Option<&'p Expr>,
        base: usize,
        ty: TyId,
        results: &[Var],
    ) -> Option<Path<'p>> {
        if let Some(otherwise) = otherwise {
            return self.branch_value(otherwise, base, ty, results);
        }
        if let Some(kills) = self.live.missing_else.get(&key(expr)).cloned() {
            self.kill(&kills);
        }
        self.path()
    }

    /// Whether a condition asks a function that only says no: what it guards is not lowered.
    fn never_holds(&self, cond: &Cond) -> bool {
        let Cond::Expr(Expr {
            kind: ExprKind::Call(func, _),
            ..
        }) = cond
        else {
            return false;
        };
        let body = self.cx.program.funcs[func.0 as usize].body.as_ref();
        matches!(body.map(|body| &body.kind), Some(ExprKind::Bool(false)))
    }

    /// Runs `body`; an error that leaves it ends in the handler, with everything that the body had released.
    pub fn try_catch(
        &mut self,
        expr: &'p Expr,
        body: &'p Expr,
        error: CaughtError,
        handler: &'p Expr,
    ) -> Value {
        let ty = expr.ty;
        let shapes = self.cx.reprs.leaves(ty);
        let results = self.vars(&shapes);
        let base = self.stack.len();
        let outside = self.stack.clone();
        let caught = self.cold_block();
        self.reached[caught.0 as usize] = self.reachable;
        self.stack.push(Entry::handler(caught));
        self.branch_value(body, base + 1, ty, &results);
        self.stack.pop();
        let first = self.path();
        self.stack = outside;
        self.switch(caught);
        // They are the handler's own: a `defer` of the block around the `try` runs after them.
        let scope = std::mem::replace(&mut self.scope, base);
        for (local, ty, func) in [
            (error.message, TyId::TEXT, RtFn::Catch),
            (error.line, TyId::I64, RtFn::CaughtLine),
            (error.file, TyId::TEXT, RtFn::CaughtFile),
        ] {
            let leaf = self.rt_value(func, &[], expr.span);
            self.declare(local, ty, vec![leaf], false, true);
        }
        self.scope = scope;
        let second = self.branch_value(handler, base, ty, &results);
        self.merge(vec![first, second]);
        self.temp(ty, results)
    }

    /// Tests a condition and goes on where it holds, with its names bound; returns the cleanup stack where it does not (the
    /// code there begins in block `no`).
    fn test(&mut self, cond: &'p Cond, yes: BlockId, no: BlockId) -> Vec<Entry<'p>> {
        match cond {
            Cond::Expr(cond) => {
                self.condition(cond, yes, no);
                let stack = self.stack.clone();
                self.switch(yes);
                stack
            }
            Cond::Pattern(pattern, value) => {
                let base = self.stack.len();
                let scrutinee = self.expr(value);
                let stable = self.binds_counted(pattern);
                let scrutinee = self.scrutinee(scrutinee, value.ty, stable);
                let missed = self.block();
                self.test_pattern(pattern, &scrutinee, value.ty, missed);
                self.jump(yes);
                let kept = self.stack.clone();
                self.switch(missed);
                self.release_temps(base);
                self.jump(no);
                let stack = std::mem::replace(&mut self.stack, kept);
                self.switch(yes);
                self.bind_pattern(pattern, scrutinee, value.ty);
                stack
            }
        }
    }

    /// A scrutinee that patterns can borrow from.
    pub fn scrutinee(&mut self, value: Value, ty: TyId, stable: bool) -> Value {
        if stable { self.hold(value, ty) } else { value }
    }

    pub fn match_expr(&mut self, expr: &'p Expr, scrutinee: &'p Expr, arms: &'p [Arm]) -> Value {
        let ty = expr.ty;
        let shapes = self.cx.reprs.leaves(ty);
        let results = self.vars(&shapes);
        let base = self.stack.len();
        let stable = arms
            .iter()
            .any(|arm| arm.guard.is_some() || self.binds_counted(&arm.pattern));
        let value = self.expr(scrutinee);
        let value = self.scrutinee(value, scrutinee.ty, stable);
        let entry_stack = self.stack.clone();
        let mut paths = Vec::new();
        let bodies = self.switch_arms(arms, &value, scrutinee.ty);
        for (index, arm) in arms.iter().enumerate() {
            self.stack = entry_stack.clone();
            let next = self.block();
            if let Some(bodies) = &bodies {
                self.switch(bodies[index]);
            } else {
                self.test_pattern(&arm.pattern, &value, scrutinee.ty, next);
            }
            if let Some(guard) = &arm.guard {
                // Names are bound as borrowed for the guard; the body rebinds them.
                let before_names = self.stack.len();
                self.bind_borrowed(&arm.pattern, &value, scrutinee.ty);
                let (good, failed) = (self.block(), self.block());
                self.condition(guard, good, failed);
                self.switch(failed);
                self.emit_exit(before_names);
                self.jump(next);
                self.switch(good);
                self.leave(before_names);
            }
            self.bind_pattern(&arm.pattern, value.clone(), scrutinee.ty);
            self.cover_body(&arm.body);
            paths.push(self.branch_value(&arm.body, base, ty, &results));
            self.switch(next);
        }
        if bodies.is_none() {
            // The checker proved that some arm fits.
            self.end(Term::Unreachable);
        }
        self.stack = entry_stack;
        self.stack.truncate(base);
        self.merge(paths);
        self.temp(ty, results)
    }

    pub fn while_loop(&mut self, stmt: &'p Stmt, cond: &'p Cond, body: &'p Expr) {
        let base = self.stack.len();
        let (head, inside, exit) = (self.block(), self.block(), self.block());
        self.jump(head);
        self.switch(head);
        let stack = if is_endless(cond) {
            self.jump(inside);
            self.switch(inside);
            self.stack.clone()
        } else {
            self.test(cond, inside, exit)
        };
        self.loop_body(body, head, base);
        self.stack = stack;
        self.switch(exit);
        self.loop_exit(stmt, base);
    }

    /// Runs the body of the loop whose next turn begins at `again`.
    pub fn loop_body(&mut self, body: &'p Expr, again: BlockId, base: usize) {
        self.loops.push(LoopState {
            again,
            base,
            breaks: Vec::new(),
        });
        if let Some(kills) = self.live.before.get(&key(body)).cloned() {
            self.kill(&kills);
        }
        self.poll(body.span);
        self.expr(body);
        self.leave(base);
        self.jump(again);
    }

    /// What comes when the loop's own condition ended it, then where `break`s join.
    pub fn loop_exit(&mut self, stmt: &'p Stmt, base: usize) {
        if let Some(kills) = self.live.after_stmt.get(&stmt_key(stmt)).cloned() {
            self.kill(&kills);
        }
        let mut paths = vec![self.path()];
        if let Some(state) = self.loops.pop() {
            for (end, stack) in state.breaks {
                paths.push(Some(Path { end, stack }));
            }
        }
        let _ = base;
        self.merge(paths);
    }

    /// What comes after a loop that needs no code of its own.
    fn no_turns(&mut self, stmt: &'p Stmt, base: usize) {
        self.loops.push(LoopState {
            again: self.cur,
            base,
            breaks: Vec::new(),
        });
        self.loop_exit(stmt, base);
    }

    pub fn break_loop(&mut self) {
        let Some(base) = self.loops.last().map(|state| state.base) else {
            return;
        };
        if self.reachable {
            let kept = self.stack.clone();
            self.leave(base);
            let end = self.cur;
            let stack = std::mem::replace(&mut self.stack, kept);
            if let Some(state) = self.loops.last_mut() {
                state.breaks.push((end, stack));
            }
        }
        self.cur = self.block();
        self.reachable = false;
    }

    pub fn continue_loop(&mut self) {
        let Some((base, again)) = self.loops.last().map(|state| (state.base, state.again)) else {
            return;
        };
        self.emit_exit(base);
        self.jump(again);
    }

    pub fn for_range(
        &mut self,
        stmt: &'p Stmt,
        var: LocalId,
        lo: &'p Expr,
        hi: &'p Expr,
        inclusive: bool,
        body: &'p Expr,
    ) {
        let values = self.operands_as(&[lo, hi], &[TyId::I64, TyId::I64]);
        let lo = self.leaf(&values[0], 0, MTy::I64);
        let hi = self.leaf(&values[1], 0, MTy::I64);
        self.count_loop(stmt, Some(var), lo, hi, inclusive, body);
    }

    fn count_loop(
        &mut self,
        stmt: &'p Stmt,
        var: Option<LocalId>,
        lo: Var,
        hi: Var,
        inclusive: bool,
        body: &'p Expr,
    ) {
        let base = self.stack.len();
        if self.filled_at_once(body, |builder| builder.turns(lo, hi, inclusive)) {
            return self.no_turns(stmt, base);
        }
        let index = self.copy(lo);
        self.begin_filling(body, (index, Some(lo)), |builder| {
            builder.turns(lo, hi, inclusive)
        });
        let (head, inside, again, exit) = (self.block(), self.block(), self.block(), self.block());
        self.jump(head);
        self.switch(head);
        let op = if inclusive { CmpOp::Le } else { CmpOp::Lt };
        let more = self.cmp(op, index, hi);
        self.branch(more, inside, exit);
        let stack = self.stack.clone();
        self.switch(inside);
        if let Some(var) = var {
            let fresh = self.copy(index);
            self.declare(var, TyId::I64, vec![fresh], false, false);
        }
        self.loop_body(body, again, base);
        self.stack = stack;
        self.switch(again);
        let one = self.i64(1);
        if inclusive {
            // The end may be the greatest integer, which has no successor.
            let last = self.cmp(CmpOp::Eq, index, hi);
            let step = self.block();
            self.branch(last, exit, step);
            self.switch(step);
        }
        let next = self.bin(BinOp::Add, index, one);
        self.emit(Inst::Copy(index, next));
        self.jump(head);
        self.switch(exit);
        self.loop_exit(stmt, base);
    }

    pub fn for_each(
        &mut self,
        stmt: &'p Stmt,
        pattern: &'p Pattern,
        iterable: &'p Expr,
        body: &'p Expr,
    ) {
        let outer = self.stack.len();
        let value = self.expr(iterable);
        match *self.cx.types.get(iterable.ty) {
            Ty::Range => {
                let (lo, hi) = (
                    self.leaf(&value, 0, MTy::I64),
                    self.leaf(&value, 1, MTy::I64),
                );
                match pattern {
                    Pattern::Bind(var) => self.count_loop(stmt, Some(*var), lo, hi, false, body),
                    _ => self.count_loop(stmt, None, lo, hi, false, body),
                }
            }
            Ty::Array(item) => {
                let value = self.hold(value, iterable.ty);
                self.each_element(stmt, pattern, value, item, body);
            }
            Ty::Text => {
                let value = self.hold(value, iterable.ty);
                self.each_character(stmt, pattern, value, body);
            }
            Ty::Dict(..) | Ty::Set(_) => {
                let value = self.hold(value, iterable.ty);
                self.for_each_entry(stmt, pattern, value, iterable.ty, body);
            }
            _ => {}
        }
        self.release_temps(outer);
    }

    fn each_element(
        &mut self,
        stmt: &'p Stmt,
        pattern: &'p Pattern,
        array: Value,
        item: TyId,
        body: &'p Expr,
    ) {
        let base = self.stack.len();
        let array = self.leaf(&array, 0, MTy::Ptr);
        let len = self.load(MTy::I64, array, ARRAY_LEN);
        if self.filled_at_once(body, |_| len) {
            return self.no_turns(stmt, base);
        }
        let index = self.i64(0);
        self.begin_filling(body, (index, None), |_| len);
        let (head, inside, again, exit) = (self.block(), self.block(), self.block(), self.block());
        self.jump(head);
        self.switch(head);
        let more = self.cmp(CmpOp::Lt, index, len);
        self.branch(more, inside, exit);
        let stack = self.stack.clone();
        self.switch(inside);
        let leaves = self.load_element(array, index, item);
        self.bind_pattern(pattern, Value::stable(leaves), item);
        self.loop_body(body, again, base);
        self.stack = stack;
        self.switch(again);
        let one = self.i64(1);
        let next = self.bin(BinOp::Add, index, one);
        self.emit(Inst::Copy(index, next));
        self.jump(head);
        self.switch(exit);
        self.loop_exit(stmt, base);
    }

    /// The leaves of an array element at a checked index.
    pub fn load_element(&mut self, array: Var, index: Var, item: TyId) -> Vec<Var> {
        let layout = self.cx.reprs.layout(item);
        let shapes = self.cx.reprs.leaves(item);
        let stride = layout.stride();
        shapes
            .iter()
            .zip(&layout.offsets)
            .map(|(leaf, offset)| {
                let dst = self.var(leaf.ty);
                self.emit(Inst::LoadAt(dst, array, index, stride, ARRAY_DATA + offset));
                dst
            })
            .collect()
    }

    fn each_character(
        &mut self,
        stmt: &'p Stmt,
        pattern: &'p Pattern,
        text: Value,
        body: &'p Expr,
    ) {
        let base = self.stack.len();
        let text = self.leaf(&text, 0, MTy::Ptr);
        let len = self.load(MTy::I64, text, TEXT_BYTE_LEN);
        let position = self.i64(0);
        let (head, inside, exit) = (self.block(), self.block(), self.block());
        self.jump(head);
        self.switch(head);
        let more = self.cmp(CmpOp::Lt, position, len);
        self.branch(more, inside, exit);
        let stack = self.stack.clone();
        self.switch(inside);
        let character = self.rt_value(RtFn::TextCharAt, &[text, position], stmt.span);
        let bytes = self.load(MTy::I64, character, TEXT_BYTE_LEN);
        let next = self.bin(BinOp::Add, position, bytes);
        self.emit(Inst::Copy(position, next));
        let value = self.temp(TyId::TEXT, vec![character]);
        self.bind_pattern(pattern, value, TyId::TEXT);
        self.loop_body(body, head, base);
        self.stack = stack;
        self.switch(exit);
        self.loop_exit(stmt, base);
    }

    /// Registers a deferred statement.
    pub fn defer(&mut self, deferred: &'p Expr) {
        self.push(EntryKind::Defer(deferred));
    }
}

/// Whether some statement declares a variable or defers something.
fn stmts_bind(stmts: &[Stmt]) -> bool {
    use simple_sema::typed::StmtKind;
    stmts.iter().any(|stmt| {
        matches!(
            stmt.kind,
            StmtKind::Let(..) | StmtKind::LetPattern(..) | StmtKind::Defer(_)
        )
    })
}
