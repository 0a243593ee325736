//! What is alive at a point of a function, as a stack, and how it is released.
//!
//! Every owned value is an [`Entry`] from the moment it exists until it is moved or released: temporaries, variables, texts under
//! construction, pending `defer`s, the handler of a `try`. Leaving a scope, a loop or the function emits the entries' actions from the top; an
//! instruction that can fail gets an edge to a chain of cold blocks that do the same. Each entry caches its block of the chain,
//! which jumps to the block of the entry below, so all edges share their tails and code size stays linear. Taking an entry
//! out of the middle forgets the cached blocks above it and leaves a gap, so that positions in the stack stay what they are:
//! scopes and statements remember where they began by position.
//!
//! Branches end with their own stacks, which agree in position; [`Builder::merge`] releases on each path what some other path
//! no longer has.

use super::builder::Builder;
use crate::mir::{BlockId, Inst, Term, Var};
use crate::repr::Leaf;
use simple_core::table::RtFn;
use simple_sema::typed::{Expr, LocalId, TyId};
use std::cell::Cell;
use std::rc::Rc;

/// Entries above one that is released early.
const DEEP: usize = 64;

/// Counted leaves of an owned value.
pub(crate) type Owned = Rc<[(Var, Leaf)]>;

/// Something that must be released.
#[derive(Clone)]
pub(crate) struct Entry<'p> {
    pub kind: EntryKind<'p>,
    /// The block of the error path that begins here, once something needed it. Copies of the stack share it: it is good
    /// wherever the entries below are the same.
    unwind: Rc<Cell<Option<BlockId>>>,
    /// The block at the start of the path from here to the function's return, once something needed it.
    exit: Rc<Cell<Option<BlockId>>>,
}

impl<'p> Entry<'p> {
    pub fn new(kind: EntryKind<'p>) -> Entry<'p> {
        Entry {
            kind,
            unwind: Rc::default(),
            exit: Rc::default(),
        }
    }

    /// An entry at which errors are caught, in this block.
    pub fn handler(block: BlockId) -> Entry<'p> {
        Entry {
            kind: EntryKind::Handler,
            unwind: Rc::new(Cell::new(Some(block))),
            exit: Rc::default(),
        }
    }

    fn forget(&mut self) {
        // [condition cleanup.handler_stays]: an error still goes to the handler.
        if !matches!(self.kind, EntryKind::Handler) {
            self.unwind = Rc::default();
        }
        self.exit = Rc::default();
    }
}

/// What must be released.
#[derive(Clone)]
pub(crate) enum EntryKind<'p> {
    /// A temporary; `early` ones may be released as soon as the call that takes them has returned.
    Temp { id: u32, early: bool, leaves: Owned },
    /// A variable.
    Local(LocalId, Owned),
    /// What this function of the runtime takes back, given this: a text under construction, an address that C calls, a state of the
    /// processor.
    Undo(RtFn, Var),
    /// An array under construction whose elements' end the program can see: they go latest first.
    ArrayBuilder { array: Var, ty: TyId },
    /// A deferred statement.
    Defer(&'p Expr),
    /// The `self` of an inout method, which moves back from its cell.
    SelfCell { cell: Var, ty: TyId },
    /// The end of the error path: a handler takes the error here.
    Handler,
    /// An error that was set aside while cleanup code runs.
    Suspended,
    /// What was here has been moved or released.
    Gap,
}

/// The end of a path through a branch.
pub(crate) struct Path<'p> {
    pub end: BlockId,
    pub stack: Vec<Entry<'p>>,
}

impl<'p> EntryKind<'p> {
    fn is_same(&self, other: &EntryKind<'p>) -> bool {
        match (self, other) {
            // [condition cleanup.same_one]: another value of that kind is another entry.
            (EntryKind::Temp { id: a, .. }, EntryKind::Temp { id: b, .. }) => a == b,
            (EntryKind::Local(a, _), EntryKind::Local(b, _)) => a == b,
            (EntryKind::Undo(_, a), EntryKind::Undo(_, b)) => a == b,
            (
                EntryKind::ArrayBuilder { array: a, .. },
                EntryKind::ArrayBuilder { array: b, .. },
            ) => a == b,
            (EntryKind::SelfCell { .. }, EntryKind::SelfCell { .. })
            | (EntryKind::Handler, EntryKind::Handler)
            | (EntryKind::Suspended, EntryKind::Suspended)
            | (EntryKind::Gap, EntryKind::Gap) => true,
            (EntryKind::Defer(a), EntryKind::Defer(b)) => std::ptr::eq(*a, *b),
            // [condition cleanup.same_kind]: so is one of another kind.
            _ => false,
        }
    }
}

impl<'c, 'p> Builder<'c, 'p> {
    pub fn push(&mut self, kind: EntryKind<'p>) {
        self.stack.push(Entry::new(kind));
    }

    /// Registers an owned variable: below the `defer`s of its scope, because those run before variables are dropped.
    pub fn push_local(&mut self, local: LocalId, leaves: Owned) {
        // [condition cleanup.owns_nothing]: nothing is to be released.
        if leaves.is_empty() {
            return;
        }
        let mut at = self.stack.len();
        // What the statement itself made, and the gaps that it left, may be above them.
        // [condition cleanup.of_its_scope]: what a block around this one defers comes later.
        for (below, entry) in self.stack.iter().enumerate().skip(self.scope).rev() {
            match entry.kind {
                // [condition cleanup.below_defers]: deferred statements run while the variables are there.
                EntryKind::Defer(_) => at = below,
                // [condition cleanup.over_gaps]: gaps may be between them.
                EntryKind::Gap | EntryKind::Temp { .. } => {}
                // [condition cleanup.until_variables]: below a variable of the block is nothing that the block deferred.
                _ => break,
            }
        }
        let kind = EntryKind::Local(local, leaves);
        self.stack.insert(at, Entry::new(kind));
        self.local_places.insert(local, at);
        // [condition cleanup.paths_above]: a path above would leave the variable out.
        self.forget_unwinds(at + 1);
    }

    pub fn forget_unwinds(&mut self, from: usize) {
        for entry in self.stack.iter_mut().skip(from) {
            entry.forget();
        }
    }

    /// Takes an entry out without releasing it.
    // [condition cleanup.paths_from_removed]: a path that was made would release it again.
    pub fn remove(&mut self, at: usize) -> EntryKind<'p> {
        self.forget_unwinds(at);
        let is_temp = matches!(
            self.stack[at].kind,
            EntryKind::Temp { .. } | EntryKind::Undo(..) | EntryKind::ArrayBuilder { .. }
        );
        // [condition cleanup.only_temporaries]: positions of variables stay what they are.
        if is_temp
            // [condition cleanup.only_on_top]: what is above keeps its position.
            && at + 1 == self.stack.len()
            && let Some(entry) = self.stack.pop()
        {
            return entry.kind;
        }
        std::mem::replace(&mut self.stack[at].kind, EntryKind::Gap)
    }

    /// Forgets gaps on top; `base` is where the innermost open scope or statement began.
    pub fn close_gaps(&mut self, base: usize) {
        // [condition cleanup.closed_base]: scopes remember where they began by position.
        while self.stack.len() > base
            // [condition cleanup.closed_gaps]: anything else is still there.
            && matches!(
                self.stack.last(),
                Some(Entry {
                    kind: EntryKind::Gap,
                    ..
                })
            )
        {
            self.stack.pop();
        }
    }

    /// Takes the entry out that would take back what was given.
    pub fn keep_done(&mut self, given: Var) -> Option<EntryKind<'p>> {
        let at = (self.stack.iter())
            // [condition cleanup.that_undo]: what else is under way is not taken back.
            .rposition(|entry| matches!(entry.kind, EntryKind::Undo(_, other) if other == given))?;
        Some(self.remove(at))
    }

    /// Takes something back now.
    pub fn undo(&mut self, given: Var) {
        if let Some(kind) = self.keep_done(given) {
            self.give_up(&kind);
        }
    }

    pub fn find_temp(&self, id: u32) -> Option<usize> {
        self.stack.iter().rposition(
            // [condition cleanup.that_temporary]: another temporary is still in use.
            |entry| matches!(entry.kind, EntryKind::Temp { id: other, .. } if other == id),
        )
    }

    /// Where an owned variable is, unless it was moved. Above it only what is not a variable is ever put in, so that it stays there.
    pub fn find_local(&self, local: LocalId) -> Option<usize> {
        let at = *self.local_places.get(&local)?;
        let entry = self.stack.get(at)?;
        // [condition cleanup.still_there]: it may have been moved.
        matches!(entry.kind, EntryKind::Local(other, _) if other == local).then_some(at)
    }

    fn release_owned(&mut self, leaves: &Owned) {
        // [condition cleanup.latest_leaf_first]: members go latest first.
        for (var, leaf) in leaves.iter().rev() {
            self.release(*var, *leaf);
        }
    }

    /// Releases what `kind` says. The entry itself is no longer on the stack, so a failing `defer` goes on with those below.
    pub fn give_up(&mut self, kind: &EntryKind<'p>) {
        match kind {
            EntryKind::Temp { leaves, .. } | EntryKind::Local(_, leaves) => {
                self.release_owned(leaves)
            }
            EntryKind::Undo(func, given) => self.emit(Inst::CallRuntime {
                dst: None,
                func: *func,
                args: vec![*given],
                fail: None,
            }),
            EntryKind::ArrayBuilder { array, ty } => self.give_up_array(*array, *ty),
            EntryKind::Defer(deferred) => self.run_deferred(deferred, false),
            EntryKind::SelfCell { cell, ty } => self.leave_self_cell(*cell, *ty),
            EntryKind::Suspended => self.runtime_note(RtFn::ErrorResume),
            EntryKind::Handler | EntryKind::Gap => {}
        }
    }

    /// Runs a deferred statement; `passing` says that an error, which was set aside, is leaving the block.
    fn run_deferred(&mut self, deferred: &'p Expr, passing: bool) {
        // Loops outside the deferred statement do not count as its own.
        let loops = std::mem::take(&mut self.loops);
        // [condition cleanup.error_passes]: whether an error passes is asked inside of the statement.
        let passing = std::mem::replace(&mut self.error_passes, passing);
        self.statement(deferred);
        self.error_passes = passing;
        self.loops = loops;
    }

    /// Leaves the scope that began when the stack had `base` entries.
    pub fn leave(&mut self, base: usize) {
        while self.stack.len() > base {
            let Some(entry) = self.stack.pop() else {
                return;
            };
            self.give_up(&entry.kind);
        }
    }

    /// Emits what leaving down to `base` takes, for a jump out; the stack stays for the code after it.
    pub fn emit_exit(&mut self, base: usize) {
        let kept = self.stack.clone();
        self.leave(base);
        self.stack = kept;
    }

    /// Releases the temporaries above `base`, latest first.
    pub fn release_temps(&mut self, base: usize) {
        let mut at = self.stack.len();
        while at > base {
            at -= 1;
            // [condition cleanup.temporaries_only]: variables live to the end of their block.
            if matches!(self.stack[at].kind, EntryKind::Temp { .. }) {
                let kind = self.remove(at);
                self.give_up(&kind);
            }
        }
    }

    /// Whether an entry is so deep that releasing it early costs more than it gains: the error paths of everything above would
    /// be rebuilt each time. It lives to the end of its scope then, which no program can see. Where a class has to be
    /// dropped eagerly, everything is.
    pub fn is_deep(&self, at: usize) -> bool {
        // [condition cleanup.depth]: few paths would be made again.
        // [condition cleanup.deep]: a class that is dropped eagerly shows when.
        self.stack.len() - at > DEEP && !self.cx.any_eager_drop
    }

    /// Releases the temporaries above `base` whose end the program cannot see, latest first; the others stay until the statement
    /// ends.
    pub fn release_unseen_temps(&mut self, base: usize) {
        for at in (base..self.stack.len()).rev() {
            // [condition cleanup.early]: what a program can see lives to the end of the statement.
            if matches!(self.stack[at].kind, EntryKind::Temp { early: true, .. }) {
                let kind = self.remove(at);
                self.give_up(&kind);
            }
        }
    }

    /// Releases variables early, if they are owned and alive.
    pub fn kill(&mut self, locals: &[LocalId]) {
        for local in locals {
            // [condition cleanup.alive]: the error paths of all above would be made again.
            if let Some(at) = self.find_local(*local)
                && !self.is_deep(at)
            {
                let kind = self.remove(at);
                self.give_up(&kind);
            }
        }
    }

    /// The block where the error path from here begins.
    pub fn unwind(&mut self) -> BlockId {
        let len = self.stack.len();
        let mut from = len;
        // [condition cleanup.known_path]: a path that was made ends the search.
        while from > 0 && self.stack[from - 1].unwind.get().is_none() {
            from -= 1;
        }
        let mut next = match from {
            0 => self.propagate_block(),
            _ => match self.stack[from - 1].unwind.get() {
                Some(block) => block,
                None => self.propagate_block(),
            },
        };
        for at in from..len {
            // [condition cleanup.gaps_unwind]: a gap releases nothing.
            if matches!(self.stack[at].kind, EntryKind::Gap) {
                self.stack[at].unwind.set(Some(next));
                continue;
            }
            let block = self.cold_block();
            self.unwind_entry(at, block, next);
            self.stack[at].unwind.set(Some(block));
            next = block;
        }
        next
    }

    fn unwind_entry(&mut self, at: usize, block: BlockId, next: BlockId) {
        let saved = (self.cur, self.reachable, self.cold);
        self.cold = true;
        self.reached[block.0 as usize] = true;
        self.switch(block);
        let kind = self.stack[at].kind.clone();
        if let EntryKind::Defer(deferred) = kind {
            // The statement runs with the error set aside; if it fails itself, its own error path takes that up again.
            // [condition cleanup.above_the_deferred]: what is above is gone already.
            let above = self.stack.split_off(at);
            let locals = self.locals.clone();
            // [condition cleanup.set_aside]: the statement may fail itself.
            self.runtime_note(RtFn::ErrorSuspend);
            // [condition cleanup.set_aside_again]: if it does, the first error continues.
            self.push(EntryKind::Suspended);
            self.run_deferred(deferred, true);
            self.stack.truncate(at);
            self.runtime_note(RtFn::ErrorResume);
            self.locals = locals;
            self.stack.extend(above);
        } else {
            self.give_up(&kind);
        }
        self.function.blocks[self.cur.0 as usize].term = Term::Jump(next);
        (self.cur, self.reachable, self.cold) = saved;
    }

    /// The block from which everything is released and the function returns with what is in `slots`. The path is shared
    /// by all returns, so that many of them in a long function do not repeat it.
    pub fn exit_chain(&mut self, slots: &[Var]) -> BlockId {
        let len = self.stack.len();
        let from = self
            .stack
            .iter()
            // [condition cleanup.latest_exit]: returns share their paths.
            .rposition(|entry| entry.exit.get().is_some());
        let mut next = match from.and_then(|at| self.stack[at].exit.get()) {
            Some(block) => block,
            None => match self.return_block {
                Some(block) => block,
                None => {
                    let block = self.block();
                    let mut results = slots.to_vec();
                    results.extend(self.inout.iter().copied());
                    self.function.blocks[block.0 as usize].term = Term::Return(results);
                    self.return_block = Some(block);
                    block
                }
            },
        };
        for at in from.map_or(0, |at| at + 1)..len {
            // [condition cleanup.exit_gaps]: a gap releases nothing.
            if !matches!(self.stack[at].kind, EntryKind::Gap) {
                let saved = (self.cur, self.reachable);
                let block = self.block();
                self.reached[block.0 as usize] = true;
                self.switch(block);
                let kind = self.stack[at].kind.clone();
                self.give_up(&kind);
                self.function.blocks[self.cur.0 as usize].term = Term::Jump(next);
                (self.cur, self.reachable) = saved;
                next = block;
            }
            self.stack[at].exit.set(Some(next));
        }
        next
    }

    fn propagate_block(&mut self) -> BlockId {
        // [condition cleanup.on_error]: what runs a program ends by itself.
        if let Some(block) = self.on_error.or(self.propagate) {
            return block;
        }
        let block = self.cold_block();
        // [condition cleanup.back_to_caller]: what a method changes goes back also where it fails.
        self.function.blocks[block.0 as usize].term = if self.inout.is_empty() {
            Term::Propagate
        } else {
            Term::PropagateWith(self.inout.clone())
        };
        self.propagate = Some(block);
        block
    }

    /// The end of the current path, if it is reached at all.
    pub fn path(&mut self) -> Option<Path<'p>> {
        // [condition cleanup.reached]: what nothing reaches has no end.
        self.reachable.then(|| Path {
            end: self.cur,
            stack: self.stack.clone(),
        })
    }

    /// Lets `paths` meet in a new block; what is alive there is what is alive at the ends of all of them.
    pub fn merge(&mut self, paths: Vec<Option<Path<'p>>>) {
        let target = self.block();
        self.merge_into(paths, target);
    }

    pub fn merge_into(&mut self, paths: Vec<Option<Path<'p>>>, target: BlockId) {
        let paths: Vec<Path<'p>> = paths.into_iter().flatten().collect();
        let Some(first) = paths.first() else {
            self.switch(target);
            return;
        };
        let len = paths.iter().map(|path| path.stack.len()).min().unwrap_or(0);
        let mut common: Vec<Entry<'p>> = Vec::with_capacity(len);
        let mut intact = true;
        for (at, entry) in first.stack.iter().take(len).enumerate() {
            let mut entry = entry.clone();
            // [condition cleanup.on_all_paths]: what one path has released is not there afterwards.
            if !paths[1..]
                .iter()
                .all(|path| path.stack[at].kind.is_same(&entry.kind))
            {
                entry.kind = EntryKind::Gap;
                intact = false;
            }
            // [condition cleanup.paths_above_gap]: a path from above would release it.
            if !intact {
                entry.forget();
            }
            common.push(entry);
        }
        for path in paths {
            (self.cur, self.reachable) = (path.end, true);
            self.stack = path.stack;
            for at in (0..self.stack.len()).rev() {
                let kept = common
                    .get(at)
                    .is_some_and(|entry| entry.kind.is_same(&self.stack[at].kind));
                // [condition cleanup.released_on_path]: what another path no longer has is released on this one.
                if !kept {
                    let kind = self.remove(at);
                    self.give_up(&kind);
                }
            }
            let end = self.cur;
            self.seal(end, target);
        }
        self.stack = common;
        self.switch(target);
    }

    /// Calls a runtime function without arguments that cannot fail.
    pub fn runtime_note(&mut self, func: RtFn) {
        self.emit(Inst::CallRuntime {
            dst: None,
            func,
            args: Vec::new(),
            fail: None,
        });
    }
}
