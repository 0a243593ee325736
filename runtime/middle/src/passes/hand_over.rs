//! Calls whose caller has no use for an argument any more: the callee owns it, and changes it in place.
//!
//! In `xs = add(xs, x)` the value of `xs` goes right after the call (`lower/hand_over.rs`). Here such a call gets a
//! copy of its function that owns the parameter, made once for all such calls:
//!
//! ```text
//! f add(v0, v1)               f' add(v0, v1)                caller
//!   retain v0                   v2 = v0                     v5 = call f'(v1, v2)
//!   v2 = v0                     .. push v1 onto v2          (the releases of v1 are gone)
//!   .. push v1 onto v2          return v2
//!   return v2
//! ```
//!
//! A retain after which the parameter is not used again, but for becoming someone's own (a copy, a stored value, a
//! result), is where its reference goes; on paths without one it is released after its last use. Then a push finds one
//! holder only. What joins texts or arrays without changing them, `a + b`, appends to `a` in the copy if that is its
//! last use; and a function that gets the parameter as the last thing done with it gets a copy of its own.
//!
//! A parameter from which the function borrows (a text in an array, the entry of a dict) stays borrowed: what is
//! borrowed would not outlive it. Runs after `specialize`, which makes calls of function values direct, and before
//! inlining.

use crate::mir::{
    Block, BlockId, Convention, FnId, Function, Inst, MTy, Module, Release, SiteId, Term, Var,
};
use rustc_hash::{FxHashMap, FxHashSet};
use simple_core::table::RtFn;

/// The most instructions of a function that is copied.
const LARGEST: usize = 3000;

/// How many functions a parameter is followed through.
const DEEPEST: usize = 8;

/// Parameters that a copy owns, and how they are released.
type Owned = Vec<(u32, Release)>;

/// The copies by what they are of.
type Copies = FxHashMap<(FnId, Owned), Option<FnId>>;

/// Hands over the arguments of all calls that can.
pub fn hand_over(module: &mut Module) {
    if module.hand_overs.is_empty() {
        return;
    }
    let sites = std::mem::take(&mut module.hand_overs);
    let mut copies = Copies::default();
    let mut at = 0;
    // Copies are looked at too: a function that calls itself hands over in its copy as well.
    while at < module.funcs.len() {
        let calls = calls_in(&module.funcs[at], &sites);
        for (block, index) in calls {
            hand_over_call(module, at, (block, index), &mut copies);
        }
        at += 1;
    }
    module.hand_overs = sites;
}

/// The calls at these sites, the last of each block first.
fn calls_in(func: &Function, sites: &FxHashSet<SiteId>) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    for (at, block) in func.blocks.iter().enumerate() {
        for (index, inst) in block.insts.iter().enumerate().rev() {
            if let Inst::Call {
                fail: Some(fail), ..
            } = inst
                && sites.contains(&fail.site)
            {
                found.push((at, index));
            }
        }
    }
    found
}

fn hand_over_call(
    module: &mut Module,
    caller: usize,
    (block, index): (usize, usize),
    copies: &mut Copies,
) {
    let func = &module.funcs[caller];
    let insts = &func.blocks[block].insts;
    let Inst::Call {
        func: callee,
        args,
        fail: Some(fail),
        ..
    } = &insts[index]
    else {
        return;
    };
    let (callee, landing) = (*callee, fail.unwind.0 as usize);
    if predecessors(func, fail.unwind) != 1 {
        return;
    }
    let released = |insts: &[Inst]| -> Vec<(Var, Release)> {
        let each = insts.iter().map_while(|inst| match inst {
            Inst::Release(var, how) if args.contains(var) => Some((*var, *how)),
            _ => None,
        });
        each.collect()
    };
    let after = released(&insts[index + 1..]);
    let failing = released(&func.blocks[landing].insts);
    let mut owned: Owned = Vec::new();
    let mut vars: Vec<Var> = Vec::new();
    for (var, how) in after {
        let mut positions = (0..args.len()).filter(|at| args[*at] == var);
        let (Some(position), None) = (positions.next(), positions.next()) else {
            continue;
        };
        if !vars.contains(&var)
            && failing.iter().any(|(other, _)| *other == var)
            && Plan::of(module, callee, position, &mut vec![]).is_some()
        {
            owned.push((position as u32, how));
            vars.push(var);
        }
    }
    if owned.is_empty() {
        return;
    }
    owned.sort_by_key(|(position, _)| *position);
    let Some(copy) = owning_copy(module, callee, owned, copies) else {
        return;
    };
    let func = &mut module.funcs[caller];
    if let Inst::Call { func: target, .. } = &mut func.blocks[block].insts[index] {
        *target = copy;
    }
    for var in vars {
        take_release(&mut func.blocks[block].insts, index + 1, var);
        take_release(&mut func.blocks[landing].insts, 0, var);
    }
}

/// Takes out the first release of a variable.
fn take_release(insts: &mut Vec<Inst>, from: usize, var: Var) {
    let is_it = |inst: &Inst| matches!(inst, Inst::Release(other, _) if *other == var);
    if let Some(at) = insts[from..].iter().position(is_it) {
        insts.remove(from + at);
    }
}

fn predecessors(func: &Function, of: BlockId) -> usize {
    let mut count = 0;
    for block in &func.blocks {
        count += block.term.targets().iter().filter(|to| **to == of).count();
        let fails = block.insts.iter().filter_map(Inst::fail);
        count += fails.filter(|fail| fail.unwind == of).count();
    }
    count
}

/// The function with parameters that it owns, made once; `None` where one of them turns out to stay borrowed.
fn owning_copy(
    module: &mut Module,
    callee: FnId,
    owned: Owned,
    copies: &mut Copies,
) -> Option<FnId> {
    let key = (callee, owned);
    if let Some(copy) = copies.get(&key) {
        return *copy;
    }
    let mut copy = module.funcs[callee.0 as usize].clone();
    let id = FnId(module.funcs.len() as u32);
    // Known before its body is, which may hand its parameter on to itself. With several parameters such a call keeps
    // them: the copy that it would get owns one of them alone.
    module.funcs.push(copy.clone());
    copies.insert(key.clone(), Some(id));
    let forward = key.1.len() == 1;
    for &(position, how) in &key.1 {
        // Planned again: what is done for one parameter moves the instructions.
        let asked = &mut Vec::new();
        let Some(plan) = Plan::in_function(module, &copy, position as usize, asked, forward) else {
            copies.insert(key, None);
            return None;
        };
        let mut handed = FxHashMap::default();
        for (&at, &goes) in &plan.taken {
            if let Goes::On(callee, position) = goes
                && let Some(to) = owning_copy(module, callee, vec![(position, how)], copies)
            {
                handed.insert(at, to);
            }
        }
        plan.carry_out(&mut copy, how, &handed);
    }
    module.funcs[id.0 as usize] = copy;
    Some(id)
}

/// Where a reference goes.
#[derive(Clone, Copy)]
enum Goes {
    /// To a holder that retained it, which need not any more.
    Retained,
    /// To what appends to it.
    Appended,
    /// To this function, whose parameter at this position it becomes.
    On(FnId, u32),
}

/// Where the reference of a parameter goes.
struct Plan {
    var: Var,
    /// Retains that are left out, and calls that become ones which take the reference.
    taken: FxHashMap<(usize, usize), Goes>,
    /// Whether it is read in a block, or after it, before it is gone.
    live: Vec<bool>,
}

impl Plan {
    /// What can be done for a parameter of a function. `asked` are the functions whose plans depend on this one.
    fn of(
        module: &Module,
        callee: FnId,
        position: usize,
        asked: &mut Vec<(FnId, usize)>,
    ) -> Option<Plan> {
        let func = module.funcs.get(callee.0 as usize)?;
        let size: usize = func.blocks.iter().map(|block| block.insts.len() + 1).sum();
        if func.is_empty()
            || size > LARGEST
            || func.convention != Convention::Simple
            || asked.len() > DEEPEST
            || asked.contains(&(callee, position))
        {
            return None;
        }
        asked.push((callee, position));
        let plan = Plan::in_function(module, func, position, asked, true);
        asked.pop();
        plan.filter(|plan| !plan.taken.is_empty())
    }

    fn in_function(
        module: &Module,
        func: &Function,
        position: usize,
        asked: &mut Vec<(FnId, usize)>,
        forward: bool,
    ) -> Option<Plan> {
        let var = *func.params.get(position)?;
        if func.vars[var.0 as usize] != MTy::Ptr {
            return None;
        }
        let live = live_blocks(func, var);
        let mut taken = FxHashMap::default();
        for (at, block) in func.blocks.iter().enumerate() {
            for (index, inst) in block.insts.iter().enumerate() {
                let mut assigned = false;
                inst.each_def(&mut |def| assigned |= def == var);
                if assigned {
                    return None;
                }
                if !uses(inst, var) {
                    continue;
                }
                let place = (at, index);
                let goes = match inst {
                    Inst::Retain(..) => {
                        becomes_owned(func, var, place, &live).then_some(Goes::Retained)
                    }
                    _ if twice(inst, var) || !is_last(func, var, place, &live) => None,
                    Inst::CallRuntime {
                        func: what, args, ..
                    } => {
                        let appends = appending(*what).is_some() && args.first() == Some(&var);
                        appends.then_some(Goes::Appended)
                    }
                    Inst::Call {
                        func: callee, args, ..
                    } if forward => {
                        let position = args.iter().position(|arg| *arg == var)?;
                        let plan = Plan::of(module, *callee, position, asked);
                        plan.map(|_| Goes::On(*callee, position as u32))
                    }
                    _ => None,
                };
                if let Some(goes) = goes {
                    taken.insert(place, goes);
                } else if !only_looks(module, func, inst, var)
                    && !taken.keys().any(|(block, _)| *block == at)
                {
                    return None;
                }
            }
            let returned = block.term.uses().contains(&var);
            if returned && !taken.keys().any(|(block, _)| *block == at) {
                return None;
            }
        }
        Some(Plan { var, taken, live })
    }

    /// `handed` are the copies that get the reference.
    fn carry_out(
        self,
        func: &mut Function,
        how: Release,
        handed: &FxHashMap<(usize, usize), FnId>,
    ) {
        let Plan { var, taken, live } = self;
        let release = Inst::Release(var, how);
        // Edges on which the parameter is given up: each gets a block that releases it.
        let count = func.blocks.len();
        for at in 0..count {
            // What is not read in a block any more was given up before it.
            if !live[at] && at != 0 {
                continue;
            }
            let insts = std::mem::take(&mut func.blocks[at].insts);
            let targets = func.blocks[at].term.targets();
            let goes_on = targets.iter().any(|to| live[to.0 as usize]);
            let last = insts.iter().rposition(|inst| uses(inst, var));
            let in_term = func.blocks[at].term.uses().contains(&var);
            let mut made = Vec::with_capacity(insts.len() + 1);
            let mut owned = true;
            if last.is_none() && !goes_on && !in_term {
                made.push(release.clone());
                owned = false;
            }
            for (index, mut inst) in insts.into_iter().enumerate() {
                let goes = taken.get(&(at, index)).copied();
                match (&mut inst, goes) {
                    (_, Some(Goes::Retained)) => {
                        owned = false;
                        continue;
                    }
                    (Inst::CallRuntime { func: what, .. }, Some(Goes::Appended)) => {
                        *what = appending(*what).unwrap_or(*what);
                    }
                    // The copy has given it up also where it fails.
                    (Inst::Call { func: callee, .. }, Some(Goes::On(..)))
                        if handed.contains_key(&(at, index)) =>
                    {
                        *callee = handed[&(at, index)];
                        owned = false;
                    }
                    _ => {}
                }
                let takes = matches!(goes, Some(Goes::Appended));
                if owned
                    && let Some(fail) = inst.fail_mut()
                    && !live[fail.unwind.0 as usize]
                {
                    fail.unwind = releasing_block(func, fail.unwind, &release);
                }
                made.push(inst);
                if takes {
                    owned = false;
                }
                if owned && last == Some(index) && !goes_on && !in_term {
                    made.push(release.clone());
                    owned = false;
                }
            }
            func.blocks[at].insts = made;
            if !owned || !goes_on {
                continue;
            }
            let mut term = std::mem::replace(&mut func.blocks[at].term, Term::Unreachable);
            let mut split: FxHashMap<BlockId, BlockId> = FxHashMap::default();
            term.map_targets(&mut |to| match live[to.0 as usize] {
                true => to,
                false => *split
                    .entry(to)
                    .or_insert_with(|| releasing_block(func, to, &release)),
            });
            func.blocks[at].term = term;
        }
    }
}

/// A block that releases the parameter and jumps to another one.
fn releasing_block(func: &mut Function, to: BlockId, release: &Inst) -> BlockId {
    let cold = func.blocks[to.0 as usize].cold;
    func.blocks.push(Block {
        insts: vec![release.clone()],
        term: Term::Jump(to),
        cold,
    });
    BlockId(func.blocks.len() as u32 - 1)
}

/// The function that joins by appending to its first argument, which it takes.
fn appending(func: RtFn) -> Option<RtFn> {
    match func {
        RtFn::TextConcat => Some(RtFn::TextAppend),
        RtFn::ArrayConcat => Some(RtFn::ArrayAppend),
        _ => None,
    }
}

fn uses(inst: &Inst, var: Var) -> bool {
    let mut found = false;
    inst.each_use(&mut |used| found |= used == var);
    found
}

fn twice(inst: &Inst, var: Var) -> bool {
    let mut count = 0;
    inst.each_use(&mut |used| count += usize::from(used == var));
    count > 1
}

/// Whether nothing of a variable is borrowed by an instruction that uses it, which stores it nowhere either.
fn only_looks(module: &Module, func: &Function, inst: &Inst, var: Var) -> bool {
    let plain = |dst: &Var| func.vars[dst.0 as usize] != MTy::Ptr;
    match inst {
        Inst::Load(dst, ..) | Inst::LoadAt(dst, ..) => plain(dst),
        Inst::Cmp(..) | Inst::Retain(..) | Inst::Release(..) => true,
        // Results of functions of the program are owned; glue may yield an address inside of its argument.
        Inst::Call { func, dsts, .. } => {
            let callee = module.funcs.get(func.0 as usize);
            callee.is_some_and(|callee| callee.site.is_some()) || dsts.iter().all(plain)
        }
        Inst::CallIndirect { code, .. } => *code != var,
        Inst::CallRuntime {
            dst, func, args, ..
        } => {
            let taken =
                matches!(func, RtFn::TextAppend | RtFn::ArrayAppend) && args.first() == Some(&var);
            let joins =
                appending(*func).is_some() || matches!(func, RtFn::TextAppend | RtFn::ArrayAppend);
            !taken && (joins || dst.iter().all(plain))
        }
        _ => false,
    }
}

/// Whether a parameter is not used after an instruction, on any path.
fn is_last(func: &Function, var: Var, (at, index): (usize, usize), live: &[bool]) -> bool {
    let block = &func.blocks[at];
    let after = &block.insts[index..];
    let unwinds = after.iter().filter_map(Inst::fail);
    let later = after[1..].iter().any(|inst| uses(inst, var));
    !later
        && !block.term.uses().contains(&var)
        && unwinds
            .into_iter()
            .all(|fail| !live[fail.unwind.0 as usize])
        && block.term.targets().iter().all(|to| !live[to.0 as usize])
}

/// Whether all that is done with a parameter after a retain is that someone becomes its holder.
fn becomes_owned(func: &Function, var: Var, (at, index): (usize, usize), live: &[bool]) -> bool {
    let block = &func.blocks[at];
    let after = &block.insts[index + 1..];
    let holds = |inst: &Inst| match inst {
        Inst::Copy(..) => true,
        Inst::Store(base, _, _) => *base != var,
        Inst::StoreAt(base, at, ..) => *base != var && *at != var,
        _ => false,
    };
    let mut users = after.iter().filter(|inst| uses(inst, var));
    // The reference goes to one holder.
    let holder = users.next();
    let in_term = block
        .term
        .uses()
        .iter()
        .filter(|used| **used == var)
        .count();
    let one = match (holder, users.next(), in_term) {
        (Some(inst), None, 0) => holds(inst),
        (None, None, 1) => matches!(block.term, Term::Return(_)),
        _ => false,
    };
    let unwinds = after.iter().filter_map(Inst::fail);
    one && unwinds
        .into_iter()
        .all(|fail| !live[fail.unwind.0 as usize])
        && block.term.targets().iter().all(|to| !live[to.0 as usize])
}

/// For each block, whether a variable that nothing assigns is read in it or after it.
fn live_blocks(func: &Function, var: Var) -> Vec<bool> {
    let count = func.blocks.len();
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); count];
    let mut live = vec![false; count];
    let mut work = Vec::new();
    for (at, block) in func.blocks.iter().enumerate() {
        let fails = block.insts.iter().filter_map(Inst::fail);
        let targets = block.term.targets().into_iter();
        for to in targets.chain(fails.map(|fail| fail.unwind)) {
            before[to.0 as usize].push(at);
        }
        let read = block.insts.iter().any(|inst| uses(inst, var));
        if read || block.term.uses().contains(&var) {
            live[at] = true;
            work.push(at);
        }
    }
    while let Some(at) = work.pop() {
        for &from in &before[at] {
            if !std::mem::replace(&mut live[from], true) {
                work.push(from);
            }
        }
    }
    live
}
