//! One part of a function that was cut (`split.rs`).

use super::split::state;
use crate::mir::{Block, BlockId, Const, ConvOp, Convention, FnId, Function, Inst, MTy, Term, Var};
use rustc_hash::{FxHashMap, FxHashSet};

/// Where the things are that parts share.
pub(super) struct Frame {
    /// Per variable that outlives its part: its word.
    pub(super) words: Vec<Option<i32>>,
    /// Per variable that outlives its part and is nothing but a constant: what it is.
    pub(super) constants: Vec<Option<Const>>,
    /// The words of the results.
    pub(super) results: Vec<i32>,
    /// Where the function's own slots are.
    pub(super) slots: Vec<i32>,
    /// Bytes.
    pub(super) size: u32,
}

/// Where parts begin.
pub(super) struct Entries {
    /// Per block: its number among the blocks where its part begins, if it is one of them.
    pub(super) number: Vec<Option<usize>>,
}

/// What all parts of a function know.
pub(super) struct Shared<'f> {
    pub(super) func: &'f Function,
    pub(super) part_of: &'f [usize],
    pub(super) entries: &'f Entries,
    pub(super) frame: &'f Frame,
    /// The functions that return results with an error.
    pub(super) hands_back: &'f FxHashSet<FnId>,
    /// How many parts there are.
    pub(super) parts: usize,
}

/// Where control may go from a block.
fn ways(block: &Block) -> impl Iterator<Item = BlockId> + '_ {
    let fails = block.insts.iter().filter_map(Inst::fail);
    let targets = block.term.targets();
    targets.into_iter().chain(fails.map(|fail| fail.unwind))
}

/// The blocks to which control comes from another part.
pub(super) fn entries(func: &Function, part_of: &[usize]) -> Entries {
    let mut number = vec![None; func.blocks.len()];
    let mut counts: FxHashMap<usize, usize> = FxHashMap::default();
    let mut enter = |block: usize| {
        if number[block].is_none() {
            let count = counts.entry(part_of[block]).or_default();
            number[block] = Some(*count);
            *count += 1;
        }
    };
    enter(0);
    for (from, block) in func.blocks.iter().enumerate() {
        for to in ways(block) {
            if part_of[to.0 as usize] != part_of[from] {
                enter(to.0 as usize);
            }
        }
    }
    Entries { number }
}

/// Per variable that is assigned only once: the constant that it holds, if it is one.
pub(super) fn constants(func: &Function) -> Vec<Option<Const>> {
    let mut assigned = vec![false; func.vars.len()];
    let mut constants = vec![None; func.vars.len()];
    let params = func.params.iter();
    params.for_each(|param| assigned[param.0 as usize] = true);
    for inst in func.blocks.iter().flat_map(|block| &block.insts) {
        inst.each_def(&mut |var| {
            let again = std::mem::replace(&mut assigned[var.0 as usize], true);
            constants[var.0 as usize] = match inst {
                // An address in the function's own frame is another one in the frame of its parts. Memory of the program is
                // named only where lowering names it, since the checks of the middle form rely on that (`mir/verify`).
                Inst::Const(_, Const::Slot(_) | Const::Static(_)) => None,
                Inst::Const(_, constant) if !again => Some(*constant),
                _ => None,
            };
        });
    }
    constants
}

/// The variables that are used in several parts, or that a part finds as an earlier run of it left them.
pub(super) fn shared_variables(
    func: &Function,
    members: &[Vec<BlockId>],
    part_of: &[usize],
    entries: &Entries,
) -> Vec<Var> {
    const NOWHERE: usize = usize::MAX;
    let mut home = vec![NOWHERE; func.vars.len()];
    let mut shared = vec![false; func.vars.len()];
    for param in &func.params {
        // They come in through the function that runs the parts.
        shared[param.0 as usize] = true;
    }
    for (index, block) in func.blocks.iter().enumerate() {
        let mut meet = |var: Var| {
            let home = &mut home[var.0 as usize];
            shared[var.0 as usize] |= *home != NOWHERE && *home != part_of[index];
            *home = part_of[index];
        };
        for inst in &block.insts {
            inst.each_def(&mut meet);
            inst.uses().into_iter().for_each(&mut meet);
        }
        block.term.uses().into_iter().for_each(&mut meet);
    }
    for blocks in members {
        find_left_over(func, blocks, entries, &mut shared);
    }
    let vars = (0..func.vars.len() as u32).map(Var);
    vars.filter(|var| shared[var.0 as usize]).collect()
}

/// Marks the variables of one part that are alive where it is entered.
fn find_left_over(func: &Function, blocks: &[BlockId], entries: &Entries, shared: &mut [bool]) {
    let mut numbers: FxHashMap<Var, usize> = FxHashMap::default();
    for block in blocks.iter().map(|id| &func.blocks[id.0 as usize]) {
        for inst in &block.insts {
            inst.each_def(&mut |var| {
                let next = numbers.len();
                if !shared[var.0 as usize] {
                    numbers.entry(var).or_insert(next);
                }
            });
        }
    }
    let words = numbers.len().div_ceil(64);
    let places: FxHashMap<BlockId, usize> = blocks.iter().copied().zip(0..).collect();
    let mut alive: Vec<Vec<u64>> = vec![vec![0; words]; blocks.len()];
    let add = |now: &mut Vec<u64>, from: &[u64]| {
        now.iter_mut()
            .zip(from)
            .for_each(|(word, other)| *word |= other);
    };
    loop {
        let mut changed = false;
        for (at, id) in blocks.iter().enumerate().rev() {
            let block = &func.blocks[id.0 as usize];
            let mut now = vec![0u64; words];
            for target in block.term.targets() {
                if let Some(&to) = places.get(&target) {
                    add(&mut now, &alive[to]);
                }
            }
            let read = |now: &mut Vec<u64>, var: Var| {
                if let Some(number) = numbers.get(&var) {
                    now[number / 64] |= 1 << (number % 64);
                }
            };
            block
                .term
                .uses()
                .into_iter()
                .for_each(|var| read(&mut now, var));
            for inst in block.insts.iter().rev() {
                inst.each_def(&mut |var| {
                    if let Some(number) = numbers.get(&var) {
                        now[number / 64] &= !(1 << (number % 64));
                    }
                });
                if let Some(&to) = inst.fail().and_then(|fail| places.get(&fail.unwind)) {
                    add(&mut now, &alive[to]);
                }
                inst.uses().into_iter().for_each(|var| read(&mut now, var));
            }
            if now != alive[at] {
                alive[at] = now;
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
    for (at, id) in blocks.iter().enumerate() {
        if entries.number[id.0 as usize].is_some() {
            for (var, number) in &numbers {
                shared[var.0 as usize] |= alive[at][number / 64] >> (number % 64) & 1 == 1;
            }
        }
    }
}

/// Writes the part that has these blocks.
pub(super) fn write(shared: &Shared<'_>, blocks: &[BlockId]) -> Function {
    let mut entered: Vec<(usize, BlockId)> = blocks
        .iter()
        .filter_map(|id| Some((shared.entries.number[id.0 as usize]?, *id)))
        .collect();
    entered.sort_unstable();
    let mut writer = Writer {
        shared,
        vars: Vec::new(),
        names: FxHashMap::default(),
        numbers: blocks.iter().copied().zip((1..).map(BlockId)).collect(),
        blocks: Vec::with_capacity(blocks.len() + 1),
        later: Vec::new(),
        leaving: FxHashMap::default(),
        next: blocks.len() as u32 + 1,
        frame: Var(0),
        held: FxHashMap::default(),
    };
    writer.frame = writer.var(MTy::Ptr);
    let now = writer.var(MTy::I64);
    writer.begin(now, &entered);
    for id in blocks {
        writer.block(&shared.func.blocks[id.0 as usize]);
    }
    let Writer {
        vars,
        mut blocks,
        later,
        ..
    } = writer;
    blocks.extend(later);
    Function {
        name: shared.func.name.clone(),
        vars,
        params: vec![Var(0), now],
        results: vec![MTy::I64],
        blocks,
        slots: Vec::new(),
        can_fail: false,
        checks_stack: false,
        quick: false,
        part: true,
        convention: Convention::Simple,
        on_stack: Vec::new(),
        site: None,
    }
}

struct Writer<'s, 'f> {
    shared: &'s Shared<'f>,
    vars: Vec<MTy>,
    /// The variables of the part by those of the function.
    names: FxHashMap<Var, Var>,
    /// The blocks of the part by those of the function.
    numbers: FxHashMap<BlockId, BlockId>,
    blocks: Vec<Block>,
    /// Blocks that come after those of the function.
    later: Vec<Block>,
    /// The blocks that leave the part, by where they go.
    leaving: FxHashMap<BlockId, BlockId>,
    next: u32,
    /// The parameter with the address of the frame.
    frame: Var,
    /// What the current block has read from the frame or written to it.
    held: FxHashMap<Var, Var>,
}

impl Writer<'_, '_> {
    fn var(&mut self, ty: MTy) -> Var {
        self.vars.push(ty);
        Var(self.vars.len() as u32 - 1)
    }

    /// The variable of the part for one that is not in the frame.
    fn name(&mut self, var: Var) -> Var {
        if let Some(&name) = self.names.get(&var) {
            return name;
        }
        let name = self.var(self.shared.func.vars[var.0 as usize]);
        self.names.insert(var, name);
        name
    }

    fn word(&self, var: Var) -> Option<i32> {
        self.shared.frame.words[var.0 as usize]
    }

    /// A variable that holds what `var` holds.
    fn read(&mut self, var: Var, insts: &mut Vec<Inst>) -> Var {
        let constant = self.shared.frame.constants[var.0 as usize];
        let word = self.word(var);
        if constant.is_none() && word.is_none() {
            return self.name(var);
        }
        if let Some(&held) = self.held.get(&var) {
            return held;
        }
        let held = self.var(self.shared.func.vars[var.0 as usize]);
        insts.extend(constant.map(|constant| Inst::Const(held, constant)));
        insts.extend(word.map(|offset| Inst::Load(held, self.frame, offset)));
        self.held.insert(var, held);
        held
    }

    /// Goes to the block that the number in `now` says.
    fn begin(&mut self, now: Var, entered: &[(usize, BlockId)]) {
        let mut insts = Vec::new();
        let term = match entered {
            [] => Term::Unreachable,
            [(_, only)] => Term::Jump(self.numbers[only]),
            [(_, first), rest @ ..] => {
                let number = self.var(MTy::I32);
                insts.push(Inst::Conv(number, ConvOp::Truncate, now));
                let cases = rest.iter().map(|(at, id)| (*at as i64, self.numbers[id]));
                Term::Switch(number, cases.collect(), self.numbers[first])
            }
        };
        self.blocks.push(Block {
            insts,
            term,
            cold: false,
        });
    }

    fn block(&mut self, block: &Block) {
        self.held.clear();
        let mut insts = Vec::with_capacity(block.insts.len());
        for inst in &block.insts {
            self.inst(inst, &mut insts);
        }
        let mut term = block.term.clone();
        term.map_uses(&mut |var| self.read(var, &mut insts));
        let parts = self.shared.parts;
        match &term {
            Term::Return(vars) => {
                self.hand_over(vars, 0, &mut insts);
                term = self.leave(parts, &mut insts);
            }
            Term::PropagateWith(vars) => {
                let first = self.shared.func.results.len() - vars.len();
                self.hand_over(vars, first, &mut insts);
                term = self.leave(parts + 1, &mut insts);
            }
            Term::Propagate => term = self.leave(parts + 2, &mut insts),
            _ => term.map_targets(&mut |target| self.target(target)),
        }
        self.blocks.push(Block {
            insts,
            term,
            cold: block.cold,
        });
    }

    fn hand_over(&mut self, vars: &[Var], first: usize, insts: &mut Vec<Inst>) {
        let words = &self.shared.frame.results[first..];
        let stores = vars.iter().zip(words);
        insts.extend(stores.map(|(var, word)| Inst::Store(self.frame, *word, *var)));
    }

    fn leave(&mut self, part: usize, insts: &mut Vec<Inst>) -> Term {
        let to = self.var(MTy::I64);
        insts.push(Inst::Const(to, Const::Int(state(part, 0))));
        Term::Return(vec![to])
    }

    /// The block of the part that leads to a block of the function.
    fn target(&mut self, id: BlockId) -> BlockId {
        if let Some(&here) = self.numbers.get(&id).or_else(|| self.leaving.get(&id)) {
            return here;
        }
        let to = self.var(MTy::I64);
        let entry = self.shared.entries.number[id.0 as usize].unwrap_or(0);
        let there = state(self.shared.part_of[id.0 as usize], entry);
        let block = self.add(Block {
            insts: vec![Inst::Const(to, Const::Int(there))],
            term: Term::Return(vec![to]),
            cold: self.shared.func.blocks[id.0 as usize].cold,
        });
        self.leaving.insert(id, block);
        block
    }

    fn add(&mut self, block: Block) -> BlockId {
        self.later.push(block);
        self.next += 1;
        BlockId(self.next - 1)
    }

    fn inst(&mut self, inst: &Inst, insts: &mut Vec<Inst>) {
        if let Inst::Const(dst, Const::Slot(slot)) = inst {
            let offset = self.shared.frame.slots[slot.0 as usize];
            let none = self.var(MTy::I64);
            insts.push(Inst::Const(none, Const::Int(0)));
            let address = self.defined(*dst);
            insts.push(Inst::AddrAt(address, self.frame, none, 1, offset));
            self.keep(&[*dst], insts);
            return;
        }
        if let Inst::Const(dst, _) = inst
            && self.shared.frame.constants[dst.0 as usize].is_some()
        {
            // It is made where it is read.
            return;
        }
        let mut new = inst.clone();
        new.map_uses(&mut |var| self.read(var, insts));
        let defs = inst.defs();
        new.map_defs(&mut |var| self.defined(var));
        if let Some(fail) = new.fail_mut() {
            fail.unwind = self.target(fail.unwind);
            let callee = match inst {
                Inst::Call { func, .. } => self.shared.hands_back.contains(func),
                _ => false,
            };
            if callee && defs.iter().any(|def| self.word(*def).is_some()) {
                // What is returned with an error must be in the frame there too.
                let mut stores = Vec::new();
                self.keep(&defs, &mut stores);
                fail.unwind = self.add(Block {
                    insts: stores,
                    term: Term::Jump(fail.unwind),
                    cold: true,
                });
            }
        }
        insts.push(new);
        self.keep(&defs, insts);
    }

    /// A variable for what an instruction assigns to `var`.
    fn defined(&mut self, var: Var) -> Var {
        if self.word(var).is_none() {
            return self.name(var);
        }
        let held = self.var(self.shared.func.vars[var.0 as usize]);
        self.held.insert(var, held);
        held
    }

    /// Puts what was assigned to variables of the frame there.
    fn keep(&mut self, defs: &[Var], insts: &mut Vec<Inst>) {
        for def in defs {
            if let (Some(offset), Some(held)) = (self.word(*def), self.held.get(def)) {
                insts.push(Inst::Store(self.frame, offset, *held));
            }
        }
    }
}
