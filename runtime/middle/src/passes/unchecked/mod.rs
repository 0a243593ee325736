//! Loops without the checks that all of their iterations pass.
//!
//! A loop over arrays asks in every turn whether the index is inside, whether the array that is written is shared, whether a sum of
//! indexes overflows. Where what is asked depends on nothing but what the loop counts, the first and the last turn tell what all turns
//! will find: an index is a straight line, so all others are between these two. That is asked once, before the loop ([`super::asks`]),
//! and a copy of the loop does without it:
//!
//! ```text
//! for i in 0..n: sum += a[i + k] * b[i]      asks: 0 + k, n - 1 + k and n - 1 inside of a and b? then a copy without checks
//! ```
//!
//! The copy assigns the same variables, so that it may leave for the loop as it was at any place: each rare case that it still
//! meets (an error, an array that grows) is an edge to where that loop handles it. Errors come in the same turn, with the same place.
//!
//! `symbols.rs` says what values are in terms of what is counted, `questions.rs` asks, `carried.rs` keeps what the next turn loads, `copy.rs`
//! writes the copy. With the same questions
//! `columns.rs` runs a loop that sums for several turns of the loop around it.

mod carried;
mod columns;
mod copy;
mod questions;
mod symbols;

pub(super) use columns::add_columns;

use super::asks::Way;
use super::fast_loops::Natural;
use crate::mir::{BlockId, Function, Inst, Term};
use rustc_hash::FxHashMap;

/// The most blocks and instructions of a loop that is copied.
const MOST_BLOCKS: usize = 60;
const MOST_INSTS: usize = 500;

/// What an iteration goes through unless something rare happens.
struct Body<'l> {
    natural: &'l Natural,
    /// Its blocks; each comes after those that lead to it.
    order: Vec<u32>,
    /// Places in `order`.
    position: FxHashMap<u32, usize>,
}

impl Body<'_> {
    /// The place of a block to which a turn goes on.
    fn after(&self, block: BlockId) -> Option<usize> {
        let next = block != self.natural.head;
        next.then(|| self.position.get(&block.0).copied()).flatten()
    }
}

/// Adds such a copy before a loop; `None` where there is none.
pub(super) fn add_unchecked(func: &mut Function, natural: &Natural) -> Option<Way> {
    let body = body(func, natural)?;
    let symbols = symbols::read(func, &body)?;
    let vars = func.vars.len();
    let plan = questions::ask(func, &body, symbols);
    if plan.is_none() {
        func.vars.truncate(vars);
    }
    let plan = plan?;
    Some(copy::write(func, &body, plan))
}

/// The blocks of an iteration, if nothing among them calls.
fn body<'l>(func: &Function, natural: &'l Natural) -> Option<Body<'l>> {
    let mut order: Vec<u32> = Vec::new();
    // 1 while what comes after a block is visited, 2 after that.
    let mut state: FxHashMap<u32, u8> = FxHashMap::default();
    let mut stack = vec![(natural.head.0, false)];
    while let Some((id, done)) = stack.pop() {
        if done {
            state.insert(id, 2);
            order.push(id);
            continue;
        }
        match state.get(&id) {
            // A loop within the loop.
            // [condition unchecked.inner_loop]: blocks are read once, in order, which tells nothing of a loop.
            Some(1) => return None,
            Some(_) => continue,
            None => {}
        }
        state.insert(id, 1);
        stack.push((id, true));
        let targets = func.blocks[id as usize].term.targets();
        let stays = |target: &&BlockId| natural.stays(func, **target) && **target != natural.head;
        stack.extend(targets.iter().filter(stays).map(|target| (target.0, false)));
    }
    order.reverse();
    // [condition unchecked.most_blocks]: `symbols.rs` has a bit for each.
    // [condition unchecked.goes_around]: every turn may end in what is rarely done.
    if order.len() > MOST_BLOCKS || !state.contains_key(&natural.end.0) {
        return None;
    }
    // [condition unchecked.leaves_by_switch]: a choice of many ways, some of them out of the loop, may be what makes it sound to look at something.
    let leaves = |id: &u32| {
        let term = &func.blocks[*id as usize].term;
        let out = |target: &BlockId| !natural.stays(func, *target);
        matches!(term, Term::Switch(..)) && term.targets().iter().any(out)
    };
    if order.iter().any(leaves) {
        return None;
    }
    let insts = || {
        let blocks = order.iter().map(|id| &func.blocks[*id as usize]);
        blocks.flat_map(|block| &block.insts)
    };
    if insts().count() > MOST_INSTS || insts().any(calls) {
        return None;
    }
    let position = order.iter().copied().zip(0..).collect();
    Some(Body {
        natural,
        order,
        position,
    })
}

/// Whether an instruction does something of which these files know nothing.
pub(super) fn calls(inst: &Inst) -> bool {
    matches!(
        // [condition unchecked.call]: a function may change all that is loaded.
        inst,
        // [condition unchecked.call_indirect]: so may a function value or a method.
        Inst::Call { .. }
            // [condition unchecked.call_runtime]: the runtime changes arrays and their lengths.
            | Inst::CallIndirect { .. }
            // [condition unchecked.call_extern]: C may call back, and write to memory that it was given.
            | Inst::CallRuntime { .. }
            // [condition unchecked.retain]: whether an array is shared is asked of its count.
            | Inst::CallExtern { .. }
            // [condition unchecked.release]: the last one runs `drop`.
            | Inst::Retain(..)
            // [condition unchecked.raise]: an error ends the turn.
            | Inst::Release(..)
            | Inst::Raise(..)
            | Inst::Panic(..)
    )
}
