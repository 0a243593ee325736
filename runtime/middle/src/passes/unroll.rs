//! Loops of a few turns, known before the program runs, become their turns one after the other.
//!
//! ```text
//! for dy in 0..3: sum += grid[(y + dy - 1) * w + x]        sum += grid[(y - 1) * w + x]; sum += grid[y * w + x]; ...
//! ```
//!
//! What is around such a loop is then the innermost one, whose checks are asked once (`unchecked`). Only innermost loops that count from one
//! constant to another by 1 and call nothing, and only as long as that stays small. Nothing is computed here: what the constants decide in
//! each turn is found out by `checks.rs`.

use super::blocks::remove_unreachable_in;
use super::constants::known_constants;
use super::fast_loops::{Natural, natural_loops};
use crate::mir::{BinOp, Block, BlockId, CheckedOp, CmpOp, Function, Inst, Module, Term, Var};
use rustc_hash::{FxHashMap, FxHashSet};

/// The most turns.
const TURNS: i64 = 4;
/// The most instructions that all turns have together.
const INSTS: usize = 200;
/// The most blocks that all turns have together.
const BLOCKS: usize = 48;
/// How many loops of a nest become their turns.
const NEST: usize = 2;
/// Functions with more blocks than this are left alone.
const MOST_BLOCKS: usize = 1000;

/// Unrolls such loops in every function that is worth it.
pub(super) fn unroll(module: &mut Module) {
    for func in &mut module.funcs {
        for _ in 0..NEST {
            // [condition unroll.quick]: what runs once is not worth it.
            // [condition unroll.most_blocks]: nor is a function that is long already.
            if func.quick || func.blocks.len() > MOST_BLOCKS || !unroll_in(func) {
                break;
            }
        }
    }
}

fn unroll_in(func: &mut Function) -> bool {
    let loops = natural_loops(func);
    if loops.is_empty() {
        return false;
    }
    let known = known_constants(func);
    let inner = |natural: &&Natural| {
        let other =
            |other: &Natural| other.head != natural.head && natural.inside[other.head.0 as usize];
        // [condition unroll.innermost]: the loop around it comes next.
        !loops.iter().any(other)
    };
    let found: Vec<(&Natural, Counted)> = (loops.iter().filter(inner))
        .filter_map(|natural| Some((natural, counted(func, natural, &known)?)))
        .collect();
    for (natural, counted) in &found {
        write(func, natural, counted);
    }
    if !found.is_empty() {
        remove_unreachable_in(func);
    }
    !found.is_empty()
}

/// What a loop counts.
struct Counted {
    turns: i64,
    /// Where the loop begins, and where it goes on after its last turn.
    before: usize,
    first: BlockId,
    exit: BlockId,
    /// The variables of one turn alone.
    own: FxHashSet<Var>,
}

fn counted(func: &Function, natural: &Natural, known: &FxHashMap<Var, i64>) -> Option<Counted> {
    let inside = |block: BlockId| natural.inside[block.0 as usize];
    let head = &func.blocks[natural.head.0 as usize];
    let Term::Branch(cond, first, exit) = head.term else {
        return None;
    };
    // [condition unroll.into_loop]: another turn follows where the counter is below the limit,
    // [condition unroll.out_of_loop]: and none where it is not.
    if !inside(first) || inside(exit) {
        return None;
    }
    let test = head.insts.iter().rev().find_map(|inst| match inst {
        // [condition unroll.tested]: the comparison that the head asks.
        Inst::Cmp(dst, op, a, b) if *dst == cond => Some((*op, *a, *b)),
        _ => None,
    });
    // [condition unroll.less]: any other comparison has other turns.
    let (CmpOp::Lt, counter, limit) = test? else {
        return None;
    };
    // What leads to the loop, and sets the counter.
    let leads = |block: &Block| block.term.targets().contains(&natural.head);
    let mut outside =
        (0..func.blocks.len()).filter(|at| !natural.inside[*at] && leads(&func.blocks[*at]));
    let before = outside.next()?;
    let fails = func.blocks.iter().flat_map(|block| &block.insts);
    let mut fails = fails.filter_map(Inst::fail);
    // [condition unroll.one_entry]: another way into the loop begins otherwise.
    // [condition unroll.entered_on_error]: so does one from an error.
    if outside.next().is_some() || fails.any(|fail| fail.unwind == natural.head) {
        return None;
    }
    // [condition unroll.begins]: it must be known where the counter begins.
    let from = assigned(&func.blocks[before], counter, known)?;
    let end = &func.blocks[natural.end.0 as usize];
    let times = |blocks: &[Block]| {
        let mut times = 0;
        for inst in blocks.iter().flat_map(|block| &block.insts) {
            inst.each_def(&mut |var| times += usize::from(var == counter));
        }
        times
    };
    let in_head = times(std::slice::from_ref(head));
    // [condition unroll.head_counts]: the head is entered once more than there are turns.
    // [condition unroll.assigned_twice]: nothing else may change the counter.
    // [condition unroll.steps]: by other steps there are other turns.
    if in_head != 0 || times(&func.blocks) != 2 || !steps_by_one(end, counter, known) {
        return None;
    }
    // [condition unroll.limit]: it must be known where the turns end.
    let turns = known.get(&limit)?.checked_sub(from)?;
    let insts: usize = size(func, natural, |block| block.insts.len());
    let blocks: usize = size(func, natural, |_| 1);
    let calls = |inst: &Inst| super::unchecked::calls(inst);
    let warm = (0..func.blocks.len()).filter(|at| natural.inside[*at] && !func.blocks[*at].cold);
    let mut warm = warm.flat_map(|at| &func.blocks[at].insts);
    // [condition unroll.any_turns]: there must be something to write.
    // [condition unroll.few_turns]: it must stay small,
    // [condition unroll.insts]: all turns together,
    // [condition unroll.blocks]: in blocks, too.
    let small = (1..=TURNS).contains(&turns)
        && insts * turns as usize <= INSTS
        && blocks * turns as usize <= BLOCKS;
    // [condition unroll.calls]: a call takes longer than the turn around it.
    if !small || warm.any(calls) {
        return None;
    }
    Some(Counted {
        turns,
        before,
        first,
        exit,
        own: own(func, natural),
    })
}

fn size(func: &Function, natural: &Natural, of: impl Fn(&Block) -> usize) -> usize {
    let blocks = func.blocks.iter().zip(&natural.inside);
    blocks
        .filter(|(_, inside)| **inside)
        .map(|(block, _)| of(block))
        .sum()
}

/// The constant that a block leaves in a variable.
fn assigned(block: &Block, var: Var, known: &FxHashMap<Var, i64>) -> Option<i64> {
    let mut value = None;
    for inst in &block.insts {
        let mut defines = false;
        inst.each_def(&mut |def| defines |= def == var);
        if defines {
            value = match inst {
                // [condition unroll.last_assigned]: what is not known replaces what was.
                Inst::Copy(_, src) => known.get(src).copied(),
                Inst::Const(_, crate::mir::Const::Int(number)) => Some(*number),
                _ => None,
            };
        }
    }
    value
}

/// Whether the end of the loop adds 1 to the counter, and does nothing else to it.
fn steps_by_one(end: &Block, counter: Var, known: &FxHashMap<Var, i64>) -> bool {
    let mut sum = None;
    for inst in &end.insts {
        match inst {
            // [condition unroll.own_counter]: a counter continues from its own value.
            // [condition unroll.by_one]: one more in each turn.
            // [condition unroll.signed]: as a signed number.
            Inst::Bin(dst, BinOp::Add, a, b)
            | Inst::Checked(dst, CheckedOp::Add, true, a, b, _)
                if *a == counter && known.get(b) == Some(&1) =>
            {
                sum = Some(*dst);
            }
            // [condition unroll.sum_is_next]: the sum is what the next turn begins with.
            Inst::Copy(dst, src) if *dst == counter => return sum == Some(*src),
            _ => {}
        }
    }
    false
}

/// The variables that are assigned in one place, in the loop, and read nowhere else.
fn own(func: &Function, natural: &Natural) -> FxHashSet<Var> {
    let times = super::constants::assignments(func);
    let mut own = FxHashSet::default();
    for (block, inside) in func.blocks.iter().zip(&natural.inside) {
        if *inside {
            for inst in &block.insts {
                inst.each_def(&mut |var| {
                    // [condition unroll.own_once]: what is assigned elsewhere, too, has one name.
                    if times[var.0 as usize] == 1 {
                        own.insert(var);
                    }
                });
            }
        }
    }
    for (block, inside) in func.blocks.iter().zip(&natural.inside) {
        if !inside {
            // [condition unroll.own_read]: so has what is read after the loop.
            let mut reads = |var: Var| {
                own.remove(&var);
            };
            block
                .insts
                .iter()
                .for_each(|inst| inst.each_use(&mut reads));
            block.term.each_use(&mut reads);
        }
    }
    own
}

/// Adds the turns, and lets what led to the loop lead to the first of them.
fn write(func: &mut Function, natural: &Natural, counted: &Counted) {
    let ids: Vec<u32> = (0..natural.inside.len() as u32)
        .filter(|id| natural.inside[*id as usize])
        .collect();
    let first = func.blocks.len() as u32;
    let count = ids.len() as u32;
    let copy = |turn: u32, id: BlockId| {
        let at = ids.iter().position(|other| *other == id.0)?;
        Some(BlockId(first + turn * count + at as u32))
    };
    let turns = counted.turns as u32;
    let last = BlockId(first + turns * count);
    for turn in 0..turns {
        let mut names: FxHashMap<Var, Var> = FxHashMap::default();
        for id in &ids {
            let mut block = func.blocks[*id as usize].clone();
            if *id == natural.head.0 {
                block.term = Term::Jump(counted.first);
            }
            let target = |to: BlockId| {
                if to != natural.head {
                    return copy(turn, to).unwrap_or(to);
                }
                match turn + 1 == turns {
                    true => last,
                    false => copy(turn + 1, to).unwrap_or(to),
                }
            };
            block.term.map_targets(&mut |to| target(to));
            let mut name = |var: Var| {
                if !counted.own.contains(&var) {
                    return var;
                }
                *names.entry(var).or_insert_with(|| {
                    func.vars.push(func.vars[var.0 as usize]);
                    Var(func.vars.len() as u32 - 1)
                })
            };
            for inst in &mut block.insts {
                inst.map_defs(&mut name);
                inst.map_uses(&mut name);
                if let Some(fail) = inst.fail_mut() {
                    fail.unwind = target(fail.unwind);
                }
            }
            block.term.map_uses(&mut name);
            func.blocks.push(block);
        }
    }
    // The head is entered once more, after the last turn.
    let mut end = func.blocks[natural.head.0 as usize].clone();
    end.term = Term::Jump(counted.exit);
    func.blocks.push(end);
    let begin = copy(0, natural.head).unwrap_or(last);
    let before = &mut func.blocks[counted.before];
    before
        .term
        .map_targets(&mut |to| if to == natural.head { begin } else { to });
}
