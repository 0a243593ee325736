//! Generators: a function that stops at each `yield` and continues there when it is called again.
//!
//! The body of a generator is lowered like any other function. Where it yields, the block ends in a branch: to the code
//! after the `yield`, or to code that leaves the function there (deferred statements, everything released), for a
//! generator that is dropped. When the function is finished it becomes one that returns at each `yield` and can be
//! entered again:
//!
//! ```text
//! bb0: state = load [object + STATE]
//!      store [object + STATE], RUNNING
//!      switch state: 0 -> the beginning, n -> resume n, -n -> drop n, DONE -> return nothing, else -> running already
//! resume n: load what is alive there; jump to the code after the yield
//! drop n:   load what is alive there; jump to the code that leaves
//! yield n:  store what is alive there; store [object + STATE], n; return the value
//! ```
//!
//! The object is the closure's: header, code, captures, then the state and a word for each variable that is alive at
//! some `yield`. Memory of the frame, such as the cursor of a loop over a dict, is in the object too. Variables of the
//! middle form are scalars, so saving one moves whatever reference it owns; captures are borrowed from the object as in
//! any closure. Generators are lowered before everything else, because whoever makes an object must know its size.

use super::builder::Builder;
use super::cleanup::{Entry, EntryKind};
use super::value::Value;
use crate::mir::{
    BlockId, Const, Fail, FnId, Function, Inst, MTy, SiteId, SlotId, Term, TextId, Var,
};
use rustc_hash::FxHashMap;
use simple_sema::typed::{Expr, FuncId};
use simple_syntax::Span;

/// The state of a generator that did not begin; 1 and up are the places where it waits.
pub(crate) const NEW: i64 = 0;
/// The state while it runs.
const RUNNING: i64 = i64::MAX;
/// The state once it has ended.
const DONE: i64 = i64::MIN;

/// A word of a generator's object.
const WORD: u32 = 8;

/// Where a generator yields.
struct Yield {
    /// The block that ends there, in a branch to the two others.
    block: BlockId,
    /// What it returns.
    values: Vec<Var>,
    /// The code after it.
    resume: BlockId,
    /// The code that leaves the function there.
    drop: BlockId,
}

/// What is known of the generator that is being built.
pub(crate) struct Generator {
    /// The object.
    object: Var,
    /// Where its own words begin: the state, then the others.
    state: u32,
    yields: Vec<Yield>,
    /// The block that decides where to continue, and the one at which the body begins.
    entry: BlockId,
    begin: BlockId,
    /// The error of a generator that is asked by itself.
    running: (SiteId, TextId),
}

impl<'c, 'p> Builder<'c, 'p> {
    /// The offset of a generator's state in its object.
    pub fn generator_state(&self, func: FuncId) -> u32 {
        let (_, _, layout) = self.captures(func);
        layout.size.next_multiple_of(WORD)
    }

    /// The size of a generator's object.
    pub fn generator_size(&self, func: FuncId) -> u32 {
        let words = self.cx.generators.get(&func).copied().unwrap_or(0);
        self.generator_state(func) + WORD + WORD * words
    }

    /// Begins the body of a generator, whose object is the parameter.
    pub fn begin_generator(&mut self, func: FuncId, object: Var, span: Span) {
        let state = self.generator_state(func);
        let message = "this generator is running: its body asks for its own next value";
        let running = (self.site(span), self.cx.text(message));
        let (entry, begin) = (self.cur, self.block());
        self.jump(begin);
        self.switch(begin);
        self.generator = Some(Generator {
            object,
            state,
            yields: Vec::new(),
            entry,
            begin,
            running,
        });
    }

    /// `yield`: `value` is the option that the body returns there.
    pub fn yield_value(&mut self, value: &'p Expr, span: Span) -> Value {
        let base = self.stack.len();
        let values = self.owned_for_exit(value, value.ty, base);
        self.release_temps(base);
        let unfinished = |kind: &EntryKind<'_>| {
            matches!(kind, EntryKind::Undo(..) | EntryKind::ArrayBuilder { .. })
        };
        if self.stack.iter().any(|entry| unfinished(&entry.kind)) {
            self.cx
                .not_supported(span, "`yield` in the middle of an expression");
        }
        if !self.reachable || self.generator.is_none() {
            return Value::unit();
        }
        let (block, resume, drop) = (self.cur, self.block(), self.block());
        let either = self.flag(false);
        self.branch(either, resume, drop);
        self.switch(drop);
        // Nothing is caught on the way out: a handler could yield again.
        let kept = self.stack.clone();
        for entry in &mut self.stack {
            if matches!(entry.kind, EntryKind::Handler) {
                *entry = Entry::new(EntryKind::Gap);
            }
        }
        self.forget_unwinds(0);
        self.leave(0);
        self.stack = kept;
        let nothing = self.made_up(self.ret).leaves;
        self.end(Term::Return(nothing));
        self.switch(resume);
        if let Some(generator) = &mut self.generator {
            generator.yields.push(Yield {
                block,
                values,
                resume,
                drop,
            });
        }
        self.poll(span);
        Value::unit()
    }

    /// Makes the finished body a function that is entered again after each `yield`.
    pub fn finish_generator(&mut self, func: FuncId) {
        let Some(generator) = self.generator.take() else {
            return;
        };
        let mut saved = Saved {
            words: FxHashMap::default(),
            first: generator.state + WORD,
            object: generator.object,
        };
        saved.move_slots(&mut self.function);
        let funcs = &self.cx.program.funcs;
        let hands_back = |func: FnId| funcs.get(func.0 as usize).is_some_and(|it| it.inout_self);
        let alive = alive_at(&self.function, &generator.yields, &hands_back);
        // Whatever leaves the body otherwise has ended it.
        let leaving: Vec<usize> = (0..self.function.blocks.len())
            .filter(|&at| {
                matches!(
                    self.function.blocks[at].term,
                    Term::Return(_) | Term::Propagate
                )
            })
            .collect();
        for at in leaving {
            let done = self.var(MTy::I64);
            let insts = &mut self.function.blocks[at].insts;
            insts.push(Inst::Const(done, Const::Int(DONE)));
            insts.push(Inst::Store(generator.object, generator.state as i32, done));
        }
        let mut cases = vec![(NEW, generator.begin)];
        for (at, (place, alive)) in generator.yields.iter().zip(&alive).enumerate() {
            let number = at as i64 + 1;
            let state = self.var(MTy::I64);
            let insts = &mut self.function.blocks[place.block.0 as usize].insts;
            for var in alive {
                let offset = saved.word(*var);
                insts.push(Inst::Store(generator.object, offset, *var));
            }
            insts.push(Inst::Const(state, Const::Int(number)));
            insts.push(Inst::Store(generator.object, generator.state as i32, state));
            let returned = Term::Return(place.values.clone());
            self.function.blocks[place.block.0 as usize].term = returned;
            for (state, target) in [(number, place.resume), (-number, place.drop)] {
                let block = self.block();
                self.reached[block.0 as usize] = true;
                let insts = &mut self.function.blocks[block.0 as usize].insts;
                for var in alive {
                    let offset = saved.word(*var);
                    insts.push(Inst::Load(*var, generator.object, offset));
                }
                self.function.blocks[block.0 as usize].term = Term::Jump(target);
                cases.push((state, block));
            }
        }
        self.cx.generators.insert(func, saved.words.len() as u32);
        self.enter_generator(&generator, cases);
    }

    /// The block at which every call of a generator begins.
    fn enter_generator(&mut self, generator: &Generator, mut cases: Vec<(i64, BlockId)>) {
        let (object, at) = (generator.object, generator.state as i32);
        let (done, busy) = (self.cold_block(), self.cold_block());
        let failed = self.cold_block();
        cases.push((DONE, done));
        self.cur = generator.entry;
        let state = self.load(MTy::I64, object, at);
        let running = self.i64(RUNNING);
        self.store(object, at, running);
        self.function.blocks[generator.entry.0 as usize].term = Term::Switch(state, cases, busy);
        self.cur = done;
        let ended = self.i64(DONE);
        self.store(object, at, ended);
        let nothing = self.made_up(self.ret).leaves;
        self.function.blocks[done.0 as usize].term = Term::Return(nothing);
        self.cur = busy;
        let (site, text) = generator.running;
        let message = self.constant(MTy::Ptr, Const::Text(text));
        let unwind = failed;
        self.emit(Inst::Panic(message, Fail { site, unwind }));
        self.function.blocks[busy.0 as usize].term = Term::Unreachable;
        self.function.blocks[failed.0 as usize].term = Term::Propagate;
    }

    /// In the destroyer of a generator's object: where it waits at a `yield`, runs what leaving the body there takes.
    /// The count is pinned as for a `drop` method, and an error in a deferred statement is reported.
    pub fn leave_generator(&mut self, func: FuncId, object: Var, span: Span) {
        let at = self.generator_state(func) as i32;
        let state = self.load(MTy::I64, object, at);
        let waits = self.cmp_int(crate::mir::CmpOp::Gt, state, NEW);
        let (leave, gone) = (self.block(), self.block());
        self.branch(waits, leave, gone);
        self.switch(leave);
        let zero = self.i64(0);
        let dropping = self.bin(crate::mir::BinOp::Sub, zero, state);
        self.store(object, at, dropping);
        let ret = self.cx.program.funcs[func.0 as usize].ret;
        let shapes = self.cx.reprs.leaves(ret);
        let dsts = self.vars(&shapes);
        self.run_at_the_end(object, func, dsts, span);
        self.jump(gone);
        self.switch(gone);
    }
}

/// Where the variables of a generator are while it waits.
struct Saved {
    words: FxHashMap<Word, u32>,
    /// The offset of the first one.
    first: u32,
    object: Var,
}

/// What a word of the object is for.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Word {
    Var(Var),
    /// A part of what was memory of the frame.
    Slot(SlotId, u32),
}

impl Saved {
    fn offset(&mut self, word: Word) -> i32 {
        let next = self.words.len() as u32;
        let at = *self.words.entry(word).or_insert(next);
        (self.first + WORD * at) as i32
    }

    fn word(&mut self, var: Var) -> i32 {
        self.offset(Word::Var(var))
    }

    /// Puts the memory of the frame into the object.
    fn move_slots(&mut self, function: &mut Function) {
        let sizes = std::mem::take(&mut function.slots);
        let mut offsets = Vec::with_capacity(sizes.len());
        for (at, size) in sizes.iter().enumerate() {
            let parts = 0..size.div_ceil(WORD);
            let words: Vec<i32> = parts
                .map(|part| self.offset(Word::Slot(SlotId(at as u32), part)))
                .collect();
            offsets.push(words.first().copied().unwrap_or(self.first as i32));
        }
        if offsets.is_empty() {
            return;
        }
        for block in 0..function.blocks.len() {
            let insts = std::mem::take(&mut function.blocks[block].insts);
            let mut moved = Vec::with_capacity(insts.len());
            for inst in insts {
                let Inst::Const(address, Const::Slot(slot)) = inst else {
                    moved.push(inst);
                    continue;
                };
                function.vars.push(MTy::I64);
                let zero = Var(function.vars.len() as u32 - 1);
                moved.push(Inst::Const(zero, Const::Int(0)));
                let offset = offsets[slot.0 as usize];
                moved.push(Inst::AddrAt(address, self.object, zero, 1, offset));
            }
            function.blocks[block].insts = moved;
        }
    }
}

/// The variables that are read after each `yield` before they are assigned, in order.
fn alive_at(
    function: &Function,
    yields: &[Yield],
    hands_back: &dyn Fn(FnId) -> bool,
) -> Vec<Vec<Var>> {
    let words = function.vars.len().div_ceil(64);
    let count = function.blocks.len();
    let mut alive = vec![0u64; words * count];
    let returned: FxHashMap<BlockId, &[Var]> = (yields.iter())
        .map(|place| (place.block, &place.values[..]))
        .collect();
    let mut before: Vec<Vec<BlockId>> = vec![Vec::new(); count];
    for (at, block) in function.blocks.iter().enumerate() {
        let from = BlockId(at as u32);
        let fails = block.insts.iter().filter_map(Inst::fail);
        for target in block
            .term
            .targets()
            .into_iter()
            .chain(fails.map(|fail| fail.unwind))
        {
            before[target.0 as usize].push(from);
        }
    }
    let mut waiting: Vec<BlockId> = (0..count as u32).map(BlockId).collect();
    let mut queued = vec![true; count];
    while let Some(at) = waiting.pop() {
        queued[at.0 as usize] = false;
        let block = &function.blocks[at.0 as usize];
        let mut now = vec![0u64; words];
        let join = |now: &mut [u64], target: BlockId| {
            let first = target.0 as usize * words;
            let there = &alive[first..first + words];
            now.iter_mut().zip(there).for_each(|(a, b)| *a |= b);
        };
        block
            .term
            .targets()
            .into_iter()
            .for_each(|target| join(&mut now, target));
        block.term.each_use(&mut |var| set(&mut now, var));
        let returned = returned
            .get(&at)
            .into_iter()
            .flat_map(|values| values.iter());
        returned.for_each(|var| set(&mut now, *var));
        for inst in block.insts.iter().rev() {
            // A method that hands back `self` has assigned its results also where it fails; anything else has assigned
            // nothing.
            let unwind = inst.fail().map(|fail| fail.unwind);
            let early = matches!(inst, Inst::Call { func, .. } if hands_back(*func));
            if let (true, Some(unwind)) = (early, unwind) {
                join(&mut now, unwind);
            }
            inst.each_def(&mut |var| unset(&mut now, var));
            if let (false, Some(unwind)) = (early, unwind) {
                join(&mut now, unwind);
            }
            inst.each_use(&mut |var| set(&mut now, var));
        }
        let first = at.0 as usize * words;
        if alive[first..first + words] != now[..] {
            alive[first..first + words].copy_from_slice(&now);
            for &from in &before[at.0 as usize] {
                if !std::mem::replace(&mut queued[from.0 as usize], true) {
                    waiting.push(from);
                }
            }
        }
    }
    let params = &function.params;
    let read = |place: &Yield| {
        let at = |block: BlockId| &alive[block.0 as usize * words..][..words];
        let (resumed, dropped) = (at(place.resume), at(place.drop));
        let vars = (0..function.vars.len() as u32).map(Var);
        let here = |var: &Var| has(resumed, *var) || has(dropped, *var);
        vars.filter(|var| here(var) && !params.contains(var))
            .collect()
    };
    yields.iter().map(read).collect()
}

fn set(bits: &mut [u64], var: Var) {
    bits[var.0 as usize / 64] |= 1 << (var.0 % 64);
}

fn unset(bits: &mut [u64], var: Var) {
    bits[var.0 as usize / 64] &= !(1 << (var.0 % 64));
}

fn has(bits: &[u64], var: Var) -> bool {
    bits[var.0 as usize / 64] & 1 << (var.0 % 64) != 0
}
