//! Loops over arrays of numbers do several iterations at once, with vectors of 128 bits.
//!
//! The loop stays as it is; a second one before it does as many iterations as nothing speaks against, eight at a time:
//!
//! ```text
//!          tries = 64
//! asks:    is i + 8 <= n? are all indexes inside? is the array that is written not shared, and none of those that are read? ...
//! vectors: x = load 4 elements; y = x * k; store 4 elements; ...; until the limit
//!          i = i + iterations
//! head:    the loop as it was: what is left, and whatever ends in an error or in another special case
//! end:     if tries: tries = tries - 1, jump asks
//! ```
//!
//! So errors come at the same iteration, and what happens once (the copy of a shared array, more memory for an array that grows)
//! happens in the loop as it was, after which the questions are asked again. Every element is computed by the same operations in the same
//! order; sums of floats, whose order matters, stay as they are, and so does arithmetic of integers that may overflow.
//!
//! `path.rs` finds what iterations do, `counters.rs` what they count, `lanes.rs` makes vectors of it, `spread.rs` runs many of them on several threads,
//! `strips.rs` calls functions such as the sine for many of them at once.

mod counters;
mod lanes;
mod path;
mod spread;
mod strips;

pub(super) use spread::Made;

use super::asks::{self, Asks, Before, Way};
use super::fast_loops::Natural;
use super::own::{self, Constants, Pins};
use crate::mir::{
    BinOp, Block, BlockId, CheckedOp, CmpOp, Const, Extern, Function, Inst, MTy, Term, Var,
};
use counters::Counters;
use lanes::Lanes;
use path::Step;
use rustc_hash::FxHashMap;
use spread::Spread;

/// Iterations at a time, several vectors of them.
const STEP: i64 = 8;
/// Operations of a body that is repeated for several vectors.
const SHORT: usize = 40;
/// Takes the place of the index of an iteration in a body that was not placed yet.
const INDEX: Var = Var(u32::MAX);
/// The fewest iterations for which questions are asked where each element is computed alone. The function that does them has none of the checks of
/// the loop, so that it gains before there are so many that another thread does.
const FEW_SINGLE: i64 = 256;
/// The same where they are computed in strips.
const FEW_STRIP: i64 = 32;

/// Whether anything that could be an element of a vector is stored, as far as a glance tells.
pub(super) fn stores_numbers(func: &Function) -> bool {
    let number = |var: &Var| func.vars[var.0 as usize].vector().is_some();
    let blocks = func.blocks.iter().filter(|block| !block.cold);
    blocks
        .flat_map(|block| &block.insts)
        .any(|inst| match inst {
            Inst::Store(_, 0, src) | Inst::StoreAt(.., src) => number(src),
            _ => false,
        })
}

/// Adds the loop with vectors before another one; `None` where there is none.
pub(super) fn vectorize(func: &mut Function, found: &Natural, made: &mut Made) -> Option<()> {
    let (steps, counters, leave_one) = iteration(func, found)?;
    let vars = func.vars.len();
    let written = write(func, found, (&steps, &counters), leave_one, made);
    if written.is_none() {
        func.vars.truncate(vars);
    }
    written
}

/// What an iteration does and counts, and whether the last one is left to the loop as it was.
fn iteration(func: &Function, found: &Natural) -> Option<(Vec<Step>, Counters, bool)> {
    let steps = path::steps(func, found)?;
    let counters = counters::counters(func, &steps)?;
    // What an iteration leaves in other variables is made by the last one, in the loop as it was.
    let counted = |var: &&Var| !counters.vars.contains(var);
    let left: Vec<Var> = (counters.assigned.iter().filter(counted).copied())
        .filter(|var| is_read_after(func, found, *var))
        .collect();
    // [condition vector.left_by_some]: what some turns leave may come from a turn before the last one.
    if left.iter().any(|var| counters.sometimes.contains(var)) {
        return None;
    }
    // [condition vector.leave_one]: a turn of the loop as it was makes what is read after the loop.
    let leave_one = !left.is_empty();
    Some((steps, counters, leave_one))
}

/// A loop that is run by a function, on several threads where it has many turns, and stays as it is where it has few.
pub(super) struct Many {
    before: Vec<Before>,
    insts: Vec<Inst>,
    /// What is counted, after all turns.
    after: Vec<Inst>,
    spread: Spread,
    turns: Var,
}

/// Makes a function of a loop for which there are no vectors, if its turns do not depend on each other; `None` where they do. Where all functions
/// that it calls are there for strips, it has vectors all the same.
pub(super) fn many_turns(
    func: &mut Function,
    found: &Natural,
    externs: &[Extern],
    made: &mut Made,
) -> Option<Many> {
    if !stores_elements(func, found) {
        return None;
    }
    let (steps, counters, leave_one) = iteration(func, found)?;
    let vars = func.vars.len();
    for strips in [true, false] {
        let many = write_many(
            func,
            (&steps, &counters, leave_one),
            (externs, strips),
            made,
        );
        if many.is_some() {
            return many;
        }
        func.vars.truncate(vars);
    }
    None
}

/// Whether anything but a pointer is stored in the loop, as far as a glance tells.
fn stores_elements(func: &Function, found: &Natural) -> bool {
    let plain = |var: &Var| func.vars[var.0 as usize] != MTy::Ptr;
    let blocks = (0..).map(BlockId).zip(&func.blocks);
    let blocks = blocks.filter(|(id, _)| found.stays(func, *id));
    blocks
        .flat_map(|(_, block)| &block.insts)
        .any(|inst| match inst {
            Inst::Store(_, 0, src) | Inst::StoreAt(.., src) => plain(src),
            _ => false,
        })
}

fn write_many(
    func: &mut Function,
    (steps, counters, leave_one): (&[Step], &Counters, bool),
    (externs, strips): (&[Extern], bool),
    made: &mut Made,
) -> Option<Many> {
    let (mut lanes, step, few) = match strips {
        true => (Lanes::strips(func, counters, externs), STEP, FEW_STRIP),
        false => (Lanes::single(func, counters, externs), 1, FEW_SINGLE),
    };
    lanes.steps(steps)?;
    // [condition vector.some_stores]: a loop that stores nothing gains nothing.
    if lanes.stores.is_empty() || lanes.limits.is_empty() {
        return None;
    }
    let width = if strips { i64::from(lanes.width?) } else { 1 };
    // Buffers of strips have elements of 4 bytes, as all functions for strips do.
    // [condition vector.strip_width]: buffers have elements of 4 bytes.
    if strips && width != 4 {
        return None;
    }
    let (turns, last) = counted(&mut lanes, step, leave_one);
    let few = lanes.asks.number(few);
    // [condition vector.enough]: below that the questions cost more than is gained.
    lanes.asks.require_cmp(CmpOp::Ge, turns, few);
    keep_apart(&mut lanes)?;
    let after = counted_after(&mut lanes, counters, turns, last);
    let Lanes { asks, body, .. } = lanes;
    let Asks {
        func,
        before,
        insts,
        ..
    } = asks;
    let externs = strips.then_some(externs);
    let spread = spread::outline(func, (&before, &insts), (&body, step, width), externs, made);
    Some(Many {
        before,
        insts,
        after,
        spread,
        turns,
    })
}

/// Adds the questions and the call before a loop, or before its copy without checks.
pub(super) fn place_many(func: &mut Function, found: &Natural, many: Many, way: Option<&Way>) {
    let mut block = many.spread.block(func, many.turns, found.head);
    let mut insts = many.insts;
    insts.append(&mut block.insts);
    insts.extend(many.after);
    block.insts = insts;
    match way {
        Some(way) => {
            asks::place_before(func, way, many.before);
        }
        None => {
            let way = asks::place(func, found.head, found.end, many.before);
            block.insts.push(way.more_tries());
        }
    }
    func.blocks.push(block);
}

/// Whether what a variable holds at the head of a loop may be read.
fn is_read_after(func: &Function, found: &Natural, var: Var) -> bool {
    let mut seen = vec![false; func.blocks.len()];
    let mut work = vec![found.head.0 as usize];
    while let Some(index) = work.pop() {
        if std::mem::replace(&mut seen[index], true) {
            continue;
        }
        let block = &func.blocks[index];
        let mut assigned = false;
        for inst in &block.insts {
            let mut read = false;
            inst.each_use(&mut |used| read |= used == var);
            // [condition vector.read_by_inst]: an instruction after the loop reads it.
            if read {
                return true;
            }
            // [condition vector.read_where_it_fails]: the handler of an error reads it, even where the instruction assigns it.
            // A failing instruction assigns nothing, as far as its error path may rely on.
            work.extend(inst.fail().map(|fail| fail.unwind.0 as usize));
            inst.each_def(&mut |def| assigned |= def == var);
            // [condition vector.assigned_again]: what is assigned again is not read after that.
            if assigned {
                break;
            }
        }
        if !assigned {
            let mut read = false;
            block.term.each_use(&mut |used| read |= used == var);
            // [condition vector.read_at_end]: the end of a block reads it.
            if read {
                return true;
            }
            work.extend(block.term.targets().iter().map(|target| target.0 as usize));
        }
    }
    false
}

/// Adds the blocks, if the loop is one for which there are vectors.
fn write(
    func: &mut Function,
    found: &Natural,
    (steps, counters): (&[Step], &Counters),
    leave_one: bool,
    made: &mut Made,
) -> Option<()> {
    let mut lanes = Lanes::new(func, counters);
    lanes.steps(steps)?;
    let width = i64::from(lanes.width?);
    // [condition vector.some_limits]: something must end the loop.
    if lanes.stores.is_empty() || lanes.limits.is_empty() {
        return None;
    }
    // [condition vector.long_body]: a long body is not repeated.
    let step = if lanes.body.len() <= SHORT {
        STEP
    } else {
        width
    };
    let (count, last) = counted(&mut lanes, step, leave_one);
    keep_apart(&mut lanes)?;
    let after = counted_after(&mut lanes, counters, count, last);
    let index = lanes.asks.var(MTy::I64);
    lanes.asks.insts.push(Inst::Const(index, Const::Int(0)));
    let zero = own::zero(&mut lanes.asks, count);
    let Lanes { asks, mut body, .. } = lanes;
    let Asks {
        func,
        before,
        mut insts,
        ..
    } = asks;
    let spread = spread::outline(func, (&before, &insts), (&body, step, width), None, made);
    let turns = count;
    let count = own_values(func, &before, &mut insts, (&mut body, count), zero);
    let body = repeated(func, &body, index, (step, width));
    let plan = Plan {
        before,
        insts,
        body,
        after,
        index,
        count,
        step,
        spread,
        turns,
    };
    place(func, found, plan);
    Some(())
}

/// How many iterations are done, and that number less 1, with which no sum of what is counted overflows. Where the last iteration is left to the
/// loop as it was, none overflows in that one either: an error there would leave what an iteration before it has made.
fn counted(lanes: &mut Lanes<'_>, step: i64, leave_one: bool) -> (Var, Var) {
    let count = iterations(lanes, step, leave_one);
    let one = lanes.asks.number(1);
    let last = lanes
        .asks
        .compute(MTy::I64, |dst| Inst::Bin(dst, BinOp::Sub, count, one));
    // [condition vector.turn_after]: a sum that overflows must not end the turn that is left to make what is read after the loop.
    let furthest = if leave_one { count } else { last };
    for (first, by, subtracted) in lanes.sums.clone() {
        let op = if subtracted {
            CheckedOp::Sub
        } else {
            CheckedOp::Add
        };
        // [condition vector.sum_of_last]: a counter that begins near its end overflows in the middle.
        let end = lanes.asks.exact(CheckedOp::Add, first, furthest);
        // [condition vector.sum_at_end]: what is added overflows in a later turn than the first.
        lanes.asks.exact(op, end, by);
    }
    (count, last)
}

/// Gives what is counted its value after these iterations.
fn counted_after(lanes: &mut Lanes<'_>, counters: &Counters, count: Var, last: Var) -> Vec<Inst> {
    let mut after = Vec::new();
    for var in &counters.vars {
        let sum = lanes.asks.var(MTy::I64);
        after.push(Inst::Bin(sum, BinOp::Add, *var, count));
        after.push(Inst::Copy(*var, sum));
    }
    for (object, offset, next) in lanes.field_stores.clone() {
        let sum = lanes.asks.var(MTy::I64);
        after.push(Inst::Bin(sum, BinOp::Add, next, last));
        after.push(Inst::Store(object, offset, sum));
    }
    after
}

/// How many iterations are done with vectors: a multiple of the step, and not 0.
fn iterations(lanes: &mut Lanes<'_>, step: i64, leave_one: bool) -> Var {
    let mut most = lanes.limits[0];
    // [condition vector.all_limits]: the nearest limit counts.
    for limit in lanes.limits.clone().into_iter().skip(1) {
        most = lanes
            .asks
            .compute(MTy::I64, |dst| Inst::Bin(dst, BinOp::Min, most, limit));
    }
    let zero = lanes.asks.number(0);
    // Where a limit is so far away that it reads as negative, nothing is done at once.
    // [condition vector.limit_above_zero]: one less than the least number would be the greatest.
    lanes.asks.require_cmp(CmpOp::Gt, most, zero);
    if leave_one {
        let one = lanes.asks.number(1);
        most = lanes
            .asks
            .compute(MTy::I64, |dst| Inst::Bin(dst, BinOp::Sub, most, one));
    }
    let mask = lanes.asks.number(-step);
    let count = lanes
        .asks
        .compute(MTy::I64, |dst| Inst::Bin(dst, BinOp::And, most, mask));
    // [condition vector.turns_above_zero]: the new loop does a step before it asks.
    lanes.asks.require_cmp(CmpOp::Gt, count, zero);
    count
}

/// Asks whether what is written is not read through another name, nor at another index.
fn keep_apart(lanes: &mut Lanes<'_>) -> Option<()> {
    let stores = lanes.stores.clone();
    // [condition vector.loads_of_lists]: a turn must not load what another one stores.
    let others: Vec<_> = lanes.loads.iter().chain(&lanes.stores).copied().collect();
    // [condition vector.stores_of_lists]: of two stores to one element the later turn's must stay.
    for store in &stores {
        for other in &others {
            if store.array != other.array {
                // [condition vector.other_lists]: two rows may be one list.
                lanes.asks.require_cmp(CmpOp::Ne, store.array, other.array);
                continue;
            }
            match (store.first, other.first) {
                (Some(a), Some(b)) if a == b => {}
                // [condition vector.same_place]: another index is another turn's element.
                (Some(a), Some(b)) => lanes.asks.require_cmp(CmpOp::Eq, a, b),
                // [condition vector.one_place]: some turn stores the element that all turns load.
                _ => return None,
            }
        }
    }
    for (object, offset, _) in lanes.field_stores.clone() {
        // [condition vector.fields_read]: a field that is counted may be read under another name.
        let loads = lanes.field_loads.clone();
        // [condition vector.fields_counted]: the same field may be counted twice, under two names.
        let stores: Vec<_> = lanes
            .field_stores
            .iter()
            .map(|store| (store.0, store.1))
            .collect();
        for (other, at) in loads.into_iter().chain(stores) {
            // [condition vector.same_field]: other fields are apart anyway.
            if at == offset && other != object {
                lanes.asks.require_cmp(CmpOp::Ne, object, other);
            }
        }
    }
    Some(())
}

/// Gives the body, and what limits it, values in registers of their own; returns the limit.
fn own_values(
    func: &mut Function,
    before: &[Before],
    insts: &mut Vec<Inst>,
    (body, count): (&mut [Inst], Var),
    zero: Var,
) -> Var {
    let mut constants = Constants::of(func);
    for asked in before {
        constants.note(&asked.insts);
    }
    constants.note(insts);
    let mut names: FxHashMap<Var, Var> = FxHashMap::default();
    for inst in body.iter() {
        inst.each_def(&mut |var| {
            names.insert(var, var);
        });
    }
    let mut pins = Pins::default();
    let mut name = |var: Var| {
        let scalar = |var: Var| func.vars[var.0 as usize].element().is_none();
        if var == INDEX || constants.has(var) || !scalar(var) {
            return var;
        }
        *names.entry(var).or_insert_with(|| {
            func.vars.push(func.vars[var.0 as usize]);
            let own = Var(func.vars.len() as u32 - 1);
            own::hand(func, insts, zero, var, own);
            pins.add(func, insts, own);
            own
        })
    };
    for inst in body.iter_mut() {
        inst.map_uses(&mut name);
    }
    name(count)
}

/// The body of the new loop, once for each vector of a step.
fn repeated(
    func: &mut Function,
    body: &[Inst],
    index: Var,
    (step, width): (i64, i64),
) -> Vec<Inst> {
    let mut out = Vec::with_capacity(body.len() * (step / width) as usize);
    for round in 0..step / width {
        let mut names: FxHashMap<Var, Var> = FxHashMap::default();
        for inst in body {
            let mut inst = inst.clone();
            inst.map_uses(&mut |var| match var {
                INDEX => index,
                _ => names.get(&var).copied().unwrap_or(var),
            });
            inst.map_defs(&mut |var| {
                func.vars.push(func.vars[var.0 as usize]);
                let new = Var(func.vars.len() as u32 - 1);
                names.insert(var, new);
                new
            });
            if let Inst::LoadAt(.., offset) | Inst::StoreAt(_, _, _, offset, _) = &mut inst {
                *offset += round as i32 * 16;
            }
            out.push(inst);
        }
    }
    out
}

/// The blocks to be added.
struct Plan {
    before: Vec<Before>,
    insts: Vec<Inst>,
    body: Vec<Inst>,
    after: Vec<Inst>,
    index: Var,
    count: Var,
    step: i64,
    spread: Spread,
    /// As `count`, for `spread`.
    turns: Var,
}

fn place(func: &mut Function, found: &Natural, plan: Plan) {
    let way = asks::place(func, found.head, found.end, plan.before);
    let [vectors, done, many] = [1, 2, 3].map(|number| BlockId(way.fast.0 + number));
    let mut insts = plan.insts;
    let is_many = plan.spread.ask(func, &mut insts, plan.turns);
    let run_many = plan.spread.block(func, plan.turns, done);
    let mut var = |ty| {
        func.vars.push(ty);
        Var(func.vars.len() as u32 - 1)
    };
    let (more, next, step) = (var(MTy::I8), var(MTy::I64), var(MTy::I64));
    let block = |insts, term| Block {
        insts,
        term,
        cold: false,
    };
    insts.push(Inst::Const(step, Const::Int(plan.step)));
    let mut body = plan.body;
    body.extend([
        Inst::Bin(next, BinOp::Add, plan.index, step),
        Inst::Copy(plan.index, next),
        Inst::Cmp(more, CmpOp::Lt, next, plan.count),
    ]);
    let mut after = plan.after;
    after.push(way.more_tries());
    func.blocks.extend([
        block(insts, Term::Branch(is_many, many, vectors)),
        block(body, Term::Branch(more, vectors, done)),
        block(after, Term::Jump(found.head)),
        run_many,
    ]);
}
