//! Large functions in parts.
//!
//! Registers and an order of instructions are found in more than linear time, by every pass and by Cranelift. So a function that is very
//! long, such as the code of a module with thousands of statements, becomes parts that are functions themselves, and a small one that
//! runs them:
//!
//! ```text
//! f0: frame = ...                      f7 (frame, state): switch state ...
//!     state = the first block              ... code of the part ...
//! next: switch part of state               return the block where it goes on
//!     part 0: state = call f7(frame, state); jump next
//!     part 1: state = call f8(frame, state); jump next
//!     done:   return what is in the frame
//! ```
//!
//! What is used in one part only, between coming in and leaving it, stays a variable; everything else is in the frame. An error path of
//! a part stays in it, or goes on in another one as all paths do, so a part cannot fail. Blocks are cut in the order in
//! which they were made, each followed by the error paths that begin in it; a loop that is not too long is left whole.
//!
//! Next: `part.rs` writes one part.

use super::part::{self, Frame};
use crate::mir::{
    BinOp, Block, BlockId, Const, Convention, FnId, Function, Inst, MTy, Module, SlotId, Term, Var,
};
use rustc_hash::FxHashSet;

/// When a function is cut, and into what.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Sizes {
    /// Instructions and blocks of the longest function that stays whole.
    pub(super) whole: usize,
    /// About as many are in a part.
    pub(super) part: usize,
}

impl Default for Sizes {
    fn default() -> Sizes {
        Sizes {
            whole: 6000,
            part: 1500,
        }
    }
}

/// A loop stays whole if it is at most as long as so many parts.
const LOOP: usize = 4;
/// Where the frame's first word is: after the offsets that mean something in counted objects.
const FIRST_WORD: u32 = 64;

/// Where code goes on: the part, and the number of the block among those where the part begins.
pub(super) fn state(part: usize, entry: usize) -> i64 {
    ((part as i64) << 32) | entry as i64
}

fn length(block: &Block) -> usize {
    block.insts.len() + 1
}

/// Cuts every function that is too long.
pub(super) fn split(module: &mut Module, sizes: Sizes) {
    let hands_back: FxHashSet<FnId> = (0..)
        .zip(&module.funcs)
        .filter(|(_, func)| {
            let mut terms = func.blocks.iter().map(|block| &block.term);
            terms.any(|term| matches!(term, Term::PropagateWith(_)))
        })
        .map(|(index, _)| FnId(index))
        .collect();
    for index in 0..module.funcs.len() {
        let long = module.funcs[index].blocks.iter().map(length).sum::<usize>() > sizes.whole;
        if long && handed_back(&module.funcs[index]).is_some() {
            cut(module, index, sizes, &hands_back);
        }
    }
}

/// How many results the function returns with an error; `None` if that differs from one error path to the next.
fn handed_back(func: &Function) -> Option<usize> {
    let mut counts = func.blocks.iter().filter_map(|block| match &block.term {
        Term::PropagateWith(vars) => Some(vars.len()),
        _ => None,
    });
    let first = counts.next();
    counts
        .all(|count| Some(count) == first)
        .then_some(first.unwrap_or(0))
}

fn cut(module: &mut Module, index: usize, sizes: Sizes, hands_back: &FxHashSet<FnId>) {
    let empty = crate::lower::empty_function("");
    let mut func = std::mem::replace(&mut module.funcs[index], empty);
    let whole_blocks = func.blocks.len();
    shorten_blocks(&mut func, sizes.part);
    let order = placed(&func, whole_blocks);
    let part_of = parts(&func, &order, sizes);
    let count = part_of.iter().max().map_or(0, |last| last + 1);
    let mut members: Vec<Vec<BlockId>> = vec![Vec::new(); count];
    for &block in &order {
        members[part_of[block.0 as usize]].push(block);
    }
    let entries = part::entries(&func, &part_of);
    let mut frame = lay_out(&func, &members, &part_of, &entries);
    let first = FnId(module.funcs.len() as u32);
    let shared = part::Shared {
        func: &func,
        part_of: &part_of,
        entries: &entries,
        frame: &frame,
        hands_back,
        parts: count,
    };
    let made: Vec<Function> = members
        .iter()
        .map(|blocks| part::write(&shared, blocks))
        .collect();
    module.funcs.extend(made);
    frame.size = frame.size.next_multiple_of(8);
    let start = entries.number[0].unwrap_or(0);
    let start = state(part_of[0], start);
    module.funcs[index] = runner(func, &frame, first, count, start);
}

/// Cuts blocks that are longer than half a part.
fn shorten_blocks(func: &mut Function, part: usize) {
    let most = (part / 2).max(1);
    let mut at = 0;
    while at < func.blocks.len() {
        if func.blocks[at].insts.len() > most {
            let mut insts = std::mem::take(&mut func.blocks[at].insts).into_iter();
            let cold = func.blocks[at].cold;
            let term = std::mem::replace(&mut func.blocks[at].term, Term::Unreachable);
            let mut here = at;
            loop {
                func.blocks[here].insts = insts.by_ref().take(most).collect();
                if insts.len() == 0 {
                    func.blocks[here].term = term;
                    break;
                }
                let next = func.blocks.len();
                func.blocks[here].term = Term::Jump(BlockId(next as u32));
                func.blocks.push(Block {
                    insts: Vec::new(),
                    term: Term::Unreachable,
                    cold,
                });
                here = next;
            }
        }
        at += 1;
    }
}

/// The blocks in the order in which they are cut: each is followed by error paths that begin in it and by the rest of
/// it, if it was cut itself, which has a number from `whole_blocks` on.
fn placed(func: &Function, whole_blocks: usize) -> Vec<BlockId> {
    let mut order = Vec::with_capacity(func.blocks.len());
    let mut seen = vec![false; func.blocks.len()];
    let mut work = Vec::new();
    let place = |id: BlockId, seen: &mut Vec<bool>, order: &mut Vec<BlockId>| {
        let new = !std::mem::replace(&mut seen[id.0 as usize], true);
        if new {
            order.push(id);
        }
        new
    };
    for index in 0..func.blocks.len() {
        let mut at = BlockId(index as u32);
        while place(at, &mut seen, &mut order) {
            let block = &func.blocks[at.0 as usize];
            work.extend(
                block
                    .insts
                    .iter()
                    .filter_map(Inst::fail)
                    .map(|fail| fail.unwind),
            );
            work.reverse();
            while let Some(id) = work.pop() {
                let cold = &func.blocks[id.0 as usize];
                if cold.cold && place(id, &mut seen, &mut order) {
                    work.extend(cold.term.targets());
                    work.extend(
                        cold.insts
                            .iter()
                            .filter_map(Inst::fail)
                            .map(|fail| fail.unwind),
                    );
                }
            }
            match block.term {
                Term::Jump(next) if next.0 as usize >= whole_blocks => at = next,
                _ => break,
            }
        }
    }
    order
}

/// The part of each block.
fn parts(func: &Function, order: &[BlockId], sizes: Sizes) -> Vec<usize> {
    let mut position = vec![0usize; func.blocks.len()];
    let mut before = vec![0usize; order.len() + 1];
    for (at, id) in order.iter().enumerate() {
        position[id.0 as usize] = at;
        before[at + 1] = before[at] + length(&func.blocks[id.0 as usize]);
    }
    // How many loops begin and end at a position: nothing is cut inside one.
    let mut begins = vec![0i32; order.len() + 1];
    for (at, id) in order.iter().enumerate() {
        let block = &func.blocks[id.0 as usize];
        for target in block.term.targets() {
            let to = position[target.0 as usize];
            let cold = block.cold || func.blocks[target.0 as usize].cold;
            if to <= at && !cold && before[at + 1] - before[to] <= LOOP * sizes.part {
                begins[to + 1] += 1;
                begins[at + 1] -= 1;
            }
        }
    }
    let mut part_of = vec![0usize; func.blocks.len()];
    let (mut part, mut from, mut inside) = (0, 0, 0);
    for (at, id) in order.iter().enumerate() {
        inside += begins[at];
        if inside == 0 && before[at + 1] - from > sizes.part && before[at] > from {
            part += 1;
            from = before[at];
        }
        part_of[id.0 as usize] = part;
    }
    part_of
}

/// Gives every variable that outlives its part a word of the frame, and so every result and slot; a constant is made again instead.
fn lay_out(
    func: &Function,
    members: &[Vec<BlockId>],
    part_of: &[usize],
    entries: &part::Entries,
) -> Frame {
    let constants = part::constants(func);
    let mut frame = Frame {
        words: vec![None; func.vars.len()],
        constants: vec![None; func.vars.len()],
        results: Vec::new(),
        slots: Vec::new(),
        size: FIRST_WORD,
    };
    for var in part::shared_variables(func, members, part_of, entries) {
        let constant = constants[var.0 as usize];
        if constant.is_some() {
            frame.constants[var.0 as usize] = constant;
            continue;
        }
        frame.words[var.0 as usize] = Some(frame.size as i32);
        frame.size += 8;
    }
    for _ in &func.results {
        frame.results.push(frame.size as i32);
        frame.size += 8;
    }
    for size in &func.slots {
        frame.slots.push(frame.size as i32);
        frame.size += size.next_multiple_of(8);
    }
    frame
}

/// The function that runs the parts.
fn runner(func: Function, frame: &Frame, first: FnId, count: usize, start: i64) -> Function {
    let back = handed_back(&func).unwrap_or(0);
    let mut vars: Vec<MTy> = Vec::new();
    let mut var = |ty| {
        vars.push(ty);
        Var(vars.len() as u32 - 1)
    };
    let params: Vec<Var> = func
        .params
        .iter()
        .map(|param| var(func.vars[param.0 as usize]))
        .collect();
    let (base, now) = (var(MTy::Ptr), var(MTy::I64));
    let mut blocks = Vec::with_capacity(count + 5);
    let mut enter = vec![Inst::Const(base, Const::Slot(SlotId(0)))];
    for (old, new) in func.params.iter().zip(&params) {
        if let Some(offset) = frame.words[old.0 as usize] {
            enter.push(Inst::Store(base, offset, *new));
        }
    }
    enter.push(Inst::Const(now, Const::Int(start)));
    let plain = |insts, term| Block {
        insts,
        term,
        cold: false,
    };
    let next = BlockId(1);
    blocks.push(plain(enter, Term::Jump(next)));
    let (half, part) = (var(MTy::I64), var(MTy::I64));
    let which = vec![
        Inst::Const(half, Const::Int(32)),
        Inst::Bin(part, BinOp::UShr, now, half),
    ];
    let block_of = |part: usize| BlockId(part as u32 + 2);
    let cases = (0..count + 2).map(|part| (part as i64, block_of(part)));
    let failed = block_of(count + 2);
    blocks.push(plain(which, Term::Switch(part, cases.collect(), failed)));
    for part in 0..count {
        let goes_on = var(MTy::I64);
        let run = Inst::Call {
            dsts: vec![goes_on],
            func: FnId(first.0 + part as u32),
            args: vec![base, now],
            fail: None,
        };
        blocks.push(plain(vec![run, Inst::Copy(now, goes_on)], Term::Jump(next)));
    }
    let mut load = |from: usize| -> (Vec<Inst>, Vec<Var>) {
        let results = func.results.iter().zip(&frame.results).skip(from);
        let loaded = results.map(|(ty, offset)| {
            let dst = var(*ty);
            (Inst::Load(dst, base, *offset), dst)
        });
        loaded.unzip()
    };
    let (insts, results) = load(0);
    blocks.push(plain(insts, Term::Return(results)));
    let (insts, results) = load(func.results.len().saturating_sub(back));
    let with = if back > 0 && func.convention == Convention::Simple {
        Term::PropagateWith(results)
    } else {
        Term::Unreachable
    };
    blocks.push(plain(insts, with));
    let fails = |block: &Block| matches!(block.term, Term::Propagate);
    let without = if func.blocks.iter().any(fails) {
        Term::Propagate
    } else {
        Term::Unreachable
    };
    blocks.push(plain(Vec::new(), without));
    for block in &mut blocks[count + 3..] {
        block.cold = true;
    }
    Function {
        vars,
        params,
        blocks,
        slots: vec![frame.size],
        ..func
    }
}
