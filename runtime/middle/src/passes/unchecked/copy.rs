//! The copy of a loop: its blocks without what was asked before it, and without what nothing reads any more.

use super::super::asks;
use super::super::own::{self, Constants, Pins};
use super::Body;
use super::questions::Plan;
use crate::mir::{BinOp, Block, BlockId, CheckedOp, Function, Inst, Term, Var};
use rustc_hash::FxHashMap;

/// Writes the copy and the questions before it.
pub(super) fn write(func: &mut Function, body: &Body<'_>, plan: Plan) -> asks::Way {
    let mut blocks: Vec<Block> = (body.order.iter().copied())
        .map(|id| copied(func, id, body.natural.end, &plan))
        .collect();
    let alive = Alive::new(func, body);
    alive.clean(body, &mut blocks);
    let mut constants = Constants::of(func);
    for before in &plan.before {
        constants.note(&before.insts);
    }
    constants.note(&plan.insts);
    let names = alive.names(func, body, &blocks, &constants);
    let natural = body.natural;
    let mut insts = plan.insts;
    let mut pins = Pins::default();
    for (var, name) in &names.begin {
        own::hand(func, &mut insts, plan.zero, *var, *name);
        pins.add(func, &mut insts, *name);
    }
    let way = asks::place(func, natural.head, natural.end, plan.before);
    insts.push(way.more_tries());
    // The head of the copy is the first of its blocks; after them are its ways out.
    let copy = |at: usize| BlockId(way.fast.0 + 1 + at as u32);
    let mut out = Out {
        first: copy(blocks.len()),
        targets: Vec::new(),
    };
    func.blocks.push(Block {
        insts,
        term: Term::Jump(copy(0)),
        cold: false,
    });
    for block in &mut blocks {
        let mut target = |id: BlockId| match body.position.get(&id.0) {
            Some(at) => copy(*at),
            None => out.way(id),
        };
        block.term.map_targets(&mut target);
        for fail in block.insts.iter_mut().filter_map(Inst::fail_mut) {
            fail.unwind = target(fail.unwind);
        }
        names.give(block);
    }
    func.blocks.extend(blocks);
    for target in out.targets {
        let mut insts = Vec::new();
        for (var, name) in &names.assigned {
            // [condition copy.read_after]: the copy need not have assigned what nothing reads there.
            if alive.has(&alive.at[target.0 as usize], *var) {
                own::hand(func, &mut insts, plan.zero, *name, *var);
            }
        }
        func.blocks.push(Block {
            insts,
            term: Term::Jump(target),
            cold: func.blocks[target.0 as usize].cold,
        });
    }
    way
}

/// The ways out of a copy: for each block to which they lead, one that hands back what the copy has assigned.
struct Out {
    first: BlockId,
    targets: Vec<BlockId>,
}

impl Out {
    fn way(&mut self, target: BlockId) -> BlockId {
        let known = self.targets.iter().position(|known| *known == target);
        let at = known.unwrap_or_else(|| {
            self.targets.push(target);
            self.targets.len() - 1
        });
        BlockId(self.first.0 + at as u32)
    }
}

/// The variables of a copy, which has its own.
struct Names {
    all: FxHashMap<Var, Var>,
    /// Those that have a value when the copy begins.
    begin: Vec<(Var, Var)>,
    /// Those that it assigns.
    assigned: Vec<(Var, Var)>,
}

impl Names {
    fn give(&self, block: &mut Block) {
        let mut name = |var: Var| self.all.get(&var).copied().unwrap_or(var);
        for inst in &mut block.insts {
            inst.map_defs(&mut name);
            inst.map_uses(&mut name);
        }
        block.term.map_uses(&mut name);
    }
}

/// A block without what the plan leaves out; its targets are those of the loop as it was.
fn copied(func: &Function, id: u32, end: BlockId, plan: &Plan) -> Block {
    let block = &func.blocks[id as usize];
    let mut insts = Vec::with_capacity(block.insts.len());
    for (at, inst) in block.insts.iter().enumerate() {
        let passed = plan.passed.contains(&(id, at));
        let carried = plan.carried.loads.get(&(id, at));
        insts.push(
            match (inst, carried.or_else(|| plan.loaded.get(&(id, at)))) {
                (
                    Inst::Load(dst, ..)
                    | Inst::LoadAt(dst, ..)
                    | Inst::Bin(dst, ..)
                    | Inst::Un(dst, ..)
                    | Inst::Cmp(dst, ..)
                    | Inst::Conv(dst, ..)
                    | Inst::Select(dst, ..),
                    Some(loaded),
                ) => Inst::Copy(*dst, *loaded),
                // [condition copy.passed_sum]: arithmetic of which nothing was asked keeps its check.
                (Inst::Checked(dst, op, _, a, b, _), _) if passed => {
                    let plain = match op {
                        CheckedOp::Add => BinOp::Add,
                        CheckedOp::Sub => BinOp::Sub,
                        CheckedOp::Mul => BinOp::Mul,
                    };
                    Inst::Bin(*dst, plain, *a, *b)
                }
                // [condition copy.passed_check]: so do other checks.
                (Inst::Check { .. }, _) if passed => continue,
                _ => inst.clone(),
            },
        );
        if let (Inst::Store(.., src) | Inst::StoreAt(.., src), Some(to)) =
            (inst, plan.carried.stores.get(&(id, at)))
        {
            insts.extend(to.iter().map(|to| Inst::Copy(*to, *src)));
        }
    }
    if id == end.0 {
        let turns = plan.carried.turns.iter();
        insts.extend(turns.map(|(now, next)| Inst::Copy(*now, *next)));
    }
    let term = match plan.known.get(&id) {
        Some(to) => Term::Jump(*to),
        None => block.term.clone(),
    };
    Block {
        insts,
        term,
        cold: false,
    }
}

/// A set of variables that the loop assigns, by number.
type Set = Vec<u64>;

fn add(to: &mut Set, from: &Set) -> bool {
    let mut changed = false;
    for (to, from) in to.iter_mut().zip(from) {
        changed |= *from & !*to != 0;
        *to |= from;
    }
    changed
}

/// Which of the variables that a loop assigns are read later, for each block of the function.
pub(super) struct Alive {
    numbers: FxHashMap<Var, usize>,
    words: usize,
    at: Vec<Set>,
}

impl Alive {
    pub fn new(func: &Function, body: &Body<'_>) -> Alive {
        let mut numbers = FxHashMap::default();
        for id in &body.order {
            for inst in &func.blocks[*id as usize].insts {
                inst.each_def(&mut |var| {
                    let next = numbers.len();
                    numbers.entry(var).or_insert(next);
                });
            }
        }
        let words = numbers.len().div_ceil(64);
        let mut alive = Alive {
            numbers,
            words,
            at: vec![vec![0; words]; func.blocks.len()],
        };
        let mut changed = true;
        while changed {
            changed = false;
            for id in (0..func.blocks.len()).rev() {
                let now =
                    alive.before(&func.blocks[id], |_, _| true, |to| &alive.at[to.0 as usize]);
                changed |= add(&mut alive.at[id], &now);
            }
        }
        alive
    }

    fn set(&self, set: &mut Set, var: Var, to: bool) {
        if let Some(number) = self.numbers.get(&var) {
            let bit = 1 << (number % 64);
            match to {
                true => set[number / 64] |= bit,
                false => set[number / 64] &= !bit,
            }
        }
    }

    fn has(&self, set: &Set, var: Var) -> bool {
        // What the loop does not assign is always there.
        (self.numbers.get(&var)).is_none_or(|number| set[number / 64] >> (number % 64) & 1 == 1)
    }

    /// Whether of what the loop assigns only these variables are read from the beginning of a block on.
    pub fn only(&self, block: BlockId, vars: &[Var]) -> bool {
        let set = &self.at[block.0 as usize];
        let mut read = self.numbers.keys().filter(|var| self.has(set, **var));
        read.all(|var| vars.contains(var))
    }

    /// What is read from the beginning of a block on, by instructions that count.
    fn before<'s>(
        &self,
        block: &Block,
        mut counts: impl FnMut(&Inst, &Set) -> bool,
        at: impl Fn(BlockId) -> &'s Set,
    ) -> Set {
        let mut now = vec![0; self.words];
        for to in block.term.targets() {
            add(&mut now, at(to));
        }
        block
            .term
            .each_use(&mut |var| self.set(&mut now, var, true));
        for inst in block.insts.iter().rev() {
            let count = counts(inst, &now);
            inst.each_def(&mut |var| self.set(&mut now, var, false));
            // [condition copy.read_on_error]: what an error path reads is not without a reader.
            if let Some(fail) = inst.fail() {
                add(&mut now, at(fail.unwind));
            }
            // [condition copy.counts]: only what is read makes something read.
            if count {
                inst.each_use(&mut |var| self.set(&mut now, var, true));
            }
        }
        now
    }

    /// What is read from the beginning of each block of the copy on.
    fn in_copy(&self, body: &Body<'_>, blocks: &[Block]) -> Vec<Set> {
        let mut sets: Vec<Set> = vec![vec![0; self.words]; blocks.len()];
        let mut changed = true;
        while changed {
            changed = false;
            for at in (0..blocks.len()).rev() {
                let now = self.before(
                    &blocks[at],
                    |inst, now| self.counts(inst, now),
                    |to| match body.position.get(&to.0) {
                        Some(at) => &sets[*at],
                        None => &self.at[to.0 as usize],
                    },
                );
                changed |= add(&mut sets[at], &now);
            }
        }
        sets
    }

    /// Whether an instruction does anything but give a value that nothing reads.
    fn counts(&self, inst: &Inst, now: &Set) -> bool {
        match inst {
            Inst::Const(dst, _)
            | Inst::Copy(dst, _)
            | Inst::Bin(dst, ..)
            | Inst::Un(dst, ..)
            | Inst::Cmp(dst, ..)
            | Inst::Conv(dst, ..)
            | Inst::Select(dst, ..)
            | Inst::Load(dst, ..)
            | Inst::LoadAt(dst, ..)
            | Inst::AddrAt(dst, ..) => self.has(now, *dst),
            _ => true,
        }
    }

    /// Removes what nothing reads from the copy.
    fn clean(&self, body: &Body<'_>, blocks: &mut [Block]) {
        let sets = self.in_copy(body, blocks);
        for block in blocks {
            let mut keep = Vec::with_capacity(block.insts.len());
            self.before(
                block,
                |inst, now| {
                    let counts = self.counts(inst, now);
                    keep.push(counts);
                    counts
                },
                |to| match body.position.get(&to.0) {
                    Some(at) => &sets[*at],
                    None => &self.at[to.0 as usize],
                },
            );
            let mut keep = keep.into_iter().rev();
            block.insts.retain(|_| keep.next() == Some(true));
        }
    }

    /// Finds variables for a copy: constants alone keep theirs.
    fn names(
        &self,
        func: &mut Function,
        body: &Body<'_>,
        blocks: &[Block],
        constants: &Constants,
    ) -> Names {
        let begin = &self.in_copy(body, blocks)[0];
        let mut assigned = Vec::new();
        let mut all: FxHashMap<Var, Var> = FxHashMap::default();
        let mut used: Vec<Var> = Vec::new();
        let mut name = |var: Var| {
            *all.entry(var).or_insert_with(|| {
                used.push(var);
                func.vars.push(func.vars[var.0 as usize]);
                Var(func.vars.len() as u32 - 1)
            })
        };
        for block in blocks {
            for inst in &block.insts {
                inst.each_def(&mut |var| {
                    let own = name(var);
                    // Nothing after the copy reads what only the copy has.
                    // [condition copy.own]: what only the copy has is not handed back.
                    if self.numbers.contains_key(&var) {
                        assigned.push((var, own));
                    }
                });
            }
        }
        let mut uses = |var: Var| {
            if !constants.has(var) {
                name(var);
            }
        };
        for block in blocks {
            block.insts.iter().for_each(|inst| inst.each_use(&mut uses));
            block.term.each_use(&mut uses);
        }
        assigned.sort_unstable();
        assigned.dedup();
        let starts = |var: &Var| match self.numbers.contains_key(var) {
            // [condition copy.begins]: a variable without a value yet has none to begin with.
            true => self.has(begin, *var),
            false => true,
        };
        let begin = (used.into_iter().filter(starts))
            .map(|var| (var, all[&var]))
            .collect();
        Names {
            all,
            begin,
            assigned,
        }
    }
}
