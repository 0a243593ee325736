//! A view of a function in SSA form, for passes that must know what a variable holds.
//!
//! Variables of the middle form may be assigned many times. [`Values::of`] gives every assignment a [`Val`], joins them by
//! phis, and sees through copies, so that two variables which hold the same thing have the same value:
//!
//! ```text
//! bb1: v5 = Lt v4, v3          ; v4 is phi(0, v9 + 1)
//!      if v5 bb2 else bb3
//! bb2: v6 = v4                 ; the same value as v4
//! ```
//!
//! The function itself stays as it is. What a variable holds where an error path begins is not known ([`Kind::Opaque`]), which keeps
//! the view small. Loads of array lengths carry a version of "the memory of lengths", so that two loads of the same length
//! are one value when nothing between them can have changed it. A call never does: an array that this function still refers to
//! is either its own, which others cannot reach, or held by it, which makes others copy before they write.

use crate::mir::dominators::{self, Successors};
use crate::mir::{BinOp, Block, CheckedOp, CmpOp, Const, ConvOp, Function, Inst, MTy, Term, Var};
use rustc_hash::FxHashMap;
use simple_core::error_kind::ErrorKind;
use simple_core::layout::ARRAY_LEN;
use simple_core::table::RtFn;

/// Functions with more blocks times changing variables than this are left alone.
const TOO_LARGE: usize = 4_000_000;

/// What a variable holds after an assignment.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) struct Val(pub u32);

/// How a value is computed.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Kind {
    /// Nothing is known about it.
    Opaque,
    Int(i64),
    /// One of these, by the block that control comes from.
    Phi(Vec<(u32, Val)>),
    Bin(BinOp, Val, Val),
    Checked(CheckedOp, bool, Val, Val),
    Cmp(CmpOp, Val, Val),
    Conv(ConvOp, Val),
    Select(Val, Val, Val),
    /// The length of an array, in a version of the memory of lengths.
    Length(Val, Val),
}

/// A value with its type and the block that makes it.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Value {
    pub kind: Kind,
    pub ty: MTy,
    pub block: u32,
}

/// The values of a function.
pub(super) struct Values {
    pub values: Vec<Value>,
    /// Reachable blocks; each comes after what leads to it, loops apart.
    pub order: Vec<u32>,
    /// Per block: its position in `order`.
    position: Vec<u32>,
    /// Per block: the value of the variable that its end branches on.
    pub conds: Vec<Option<Val>>,
    /// The values assigned by checked arithmetic and comparisons, by block and index.
    pub defs: FxHashMap<(u32, u32), Val>,
    /// Where the first of the instructions is that assign a value of `defs`; the others repeat it.
    pub first: FxHashMap<Val, (u32, u32)>,
    /// The conditions of `check`s.
    pub checks: FxHashMap<(u32, u32), Val>,
    /// Immediate dominators; the entry is its own.
    idom: Vec<u32>,
    /// Per block: what leads to it other than an error edge.
    pub preds: Vec<Vec<u32>>,
    /// Per block: whether an error edge leads to it.
    pub on_error: Vec<bool>,
    /// Per variable: whether it is assigned in one place only.
    once: Vec<bool>,
}

/// What must be known about the variables before their values are.
struct Cells {
    /// Per variable that is assigned more than once, and so needs phis: its cell.
    of: Vec<Option<u32>>,
    types: Vec<MTy>,
    /// Per variable: whether it holds an array.
    arrays: Vec<bool>,
}

impl Cells {
    fn new(func: &Function) -> Cells {
        let mut times = vec![0u32; func.vars.len()];
        for param in &func.params {
            times[param.0 as usize] += 1;
        }
        for inst in func.blocks.iter().flat_map(|block| &block.insts) {
            inst.each_def(&mut |var| times[var.0 as usize] += 1);
        }
        let mut types = Vec::new();
        let of = times
            .iter()
            .zip(&func.vars)
            .map(|(times, ty)| {
                (*times > 1).then(|| {
                    types.push(*ty);
                    types.len() as u32 - 1
                })
            })
            .collect();
        let arrays = arrays(func);
        Cells { of, types, arrays }
    }

    /// The cell that represents the memory of lengths.
    fn memory(&self) -> usize {
        self.types.len()
    }
}

/// The variables that hold arrays, as far as a checked index tells: what an index is compared with is a length, what it was
/// loaded from an array, and so is every variable that is copied from there or to there.
fn arrays(func: &Function) -> Vec<bool> {
    let insts = || func.blocks.iter().flat_map(|block| &block.insts);
    let mut arrays = vec![false; func.vars.len()];
    let mut lengths = vec![false; func.vars.len()];
    for inst in insts() {
        if let Inst::Check {
            error: ErrorKind::IndexOutOfRange,
            b: Some(length),
            ..
        } = inst
        {
            lengths[length.0 as usize] = true;
        }
    }
    for inst in insts() {
        if let Inst::Load(length, base, ARRAY_LEN) = inst {
            // [condition ssa.array_by_length]: a field where arrays have their length need not be one.
            arrays[base.0 as usize] |= lengths[length.0 as usize];
        }
    }
    let copies: Vec<(usize, usize)> = insts()
        .filter_map(|inst| match inst {
            Inst::Copy(a, b) if func.vars[a.0 as usize] == MTy::Ptr => {
                Some((a.0 as usize, b.0 as usize))
            }
            _ => None,
        })
        .collect();
    let mut changed = true;
    while changed {
        changed = false;
        for &(a, b) in &copies {
            // [condition ssa.array_copies]: what an array is copied to is an array.
            if arrays[a] != arrays[b] {
                (arrays[a], arrays[b]) = (true, true);
                changed = true;
            }
        }
    }
    arrays
}

/// Whether an instruction may change the length of an array.
fn changes_lengths(func: &Function, cells: &Cells, inst: &Inst) -> bool {
    match inst {
        // [condition ssa.length_store]: a length that is stored is another one.
        // [condition ssa.length_store_wide]: fields of other types may be at that place.
        Inst::Store(_, ARRAY_LEN, src) => func.vars[src.0 as usize] == MTy::I64,
        Inst::CallRuntime { func, args, .. } => {
            let reads_only = matches!(
                func,
                RtFn::ArrayUnique | RtFn::ArraySlice | RtFn::ArrayConcat | RtFn::ArrayFree
            );
            // [condition ssa.length_call]: the runtime makes arrays longer and shorter.
            // [condition ssa.length_call_array]: only calls that get an array change one.
            !reads_only && args.iter().any(|arg| cells.arrays[arg.0 as usize])
        }
        _ => false,
    }
}

impl Values {
    /// The view of a function; `None` when it is too large for one.
    pub fn of(func: &Function) -> Option<Values> {
        let cells = Cells::new(func);
        if func.blocks.len() * (cells.types.len() + 1) > TOO_LARGE {
            return None;
        }
        let mut values = Values::shape(func);
        values.once = cells.of.iter().map(Option::is_none).collect();
        Builder {
            func,
            cells: &cells,
            vars: vec![None; func.vars.len()],
            entry: vec![Vec::new(); func.blocks.len()],
            exit: vec![Vec::new(); func.blocks.len()],
            ints: FxHashMap::default(),
            known: FxHashMap::default(),
            values: &mut values,
        }
        .run();
        Some(values)
    }

    /// Blocks, their order and dominators; no values yet.
    fn shape(func: &Function) -> Values {
        let count = func.blocks.len();
        let mut preds = vec![Vec::new(); count];
        let mut on_error = vec![false; count];
        let mut seen = vec![false; count];
        let mut order = Vec::with_capacity(count);
        let mut stack = vec![(0u32, false)];
        while let Some((id, done)) = stack.pop() {
            if done {
                order.push(id);
                continue;
            }
            if std::mem::replace(&mut seen[id as usize], true) {
                continue;
            }
            stack.push((id, true));
            let block = &func.blocks[id as usize];
            for target in block.term.targets() {
                if !preds[target.0 as usize].contains(&id) {
                    preds[target.0 as usize].push(id);
                }
                stack.push((target.0, false));
            }
            for fail in block.insts.iter().filter_map(Inst::fail) {
                on_error[fail.unwind.0 as usize] = true;
                stack.push((fail.unwind.0, false));
            }
        }
        order.reverse();
        let mut position = vec![u32::MAX; count];
        for (at, id) in order.iter().enumerate() {
            position[*id as usize] = at as u32;
        }
        let successors: Vec<Successors> = func.blocks.iter().map(all_targets).collect();
        let idom = dominators::immediate(&successors);
        Values {
            values: Vec::new(),
            order,
            position,
            conds: vec![None; count],
            defs: FxHashMap::default(),
            first: FxHashMap::default(),
            checks: FxHashMap::default(),
            idom,
            preds,
            on_error,
            once: Vec::new(),
        }
    }

    pub fn kind(&self, val: Val) -> &Kind {
        &self.values[val.0 as usize].kind
    }

    /// The place of an earlier instruction that assigns the same value to a variable which nothing else assigns.
    pub fn repeats(&self, func: &Function, place: (u32, u32), val: Val) -> Option<Var> {
        let first = *self.first.get(&val)?;
        let Inst::Checked(var, ..) = func.blocks[first.0 as usize].insts[first.1 as usize] else {
            return None;
        };
        // [condition ssa.first]: an instruction does not repeat itself.
        // [condition ssa.once]: a variable that is assigned elsewhere, too, may hold something else.
        let holds = first != place && self.once[var.0 as usize];
        // [condition ssa.skipped]: an error may lead past it, to a handler.
        (holds && !skipped(func, first, place.0)).then_some(var)
    }

    /// Whether every path to `b` leads through `a`.
    pub fn dominates(&self, a: u32, b: u32) -> bool {
        let mut at = b;
        while self.position[at as usize] > self.position[a as usize] {
            at = self.idom[at as usize];
        }
        at == a
    }

    pub fn idom(&self, block: u32) -> Option<u32> {
        let up = self.idom[block as usize];
        (up != block).then_some(up)
    }

    /// Whether an edge leads backwards, as that at the end of a loop does.
    pub fn is_back_edge(&self, from: u32, to: u32) -> bool {
        self.position[from as usize] >= self.position[to as usize]
    }
}

/// Whether `block`, to which every path leads through the block of `place`, can be reached without the instruction at
/// `place`: by an error there or before it, which a handler ends.
fn skipped(func: &Function, place: (u32, u32), block: u32) -> bool {
    // [condition ssa.same_block]: within a block nothing leads past it.
    if place.0 == block {
        return false;
    }
    let mut seen = vec![false; func.blocks.len()];
    seen[place.0 as usize] = true;
    // [condition ssa.own_error]: its own error leads past it, too.
    let until = &func.blocks[place.0 as usize].insts[..=place.1 as usize];
    let mut work: Vec<u32> = until
        .iter()
        .filter_map(Inst::fail)
        .map(|fail| fail.unwind.0)
        .collect();
    while let Some(id) = work.pop() {
        if id == block {
            return true;
        }
        if std::mem::replace(&mut seen[id as usize], true) {
            continue;
        }
        let from = &func.blocks[id as usize];
        // [condition ssa.handler_goes_on]: what follows the handler is reached without it.
        work.extend(from.term.targets().iter().map(|target| target.0));
        work.extend(
            from.insts
                .iter()
                .filter_map(Inst::fail)
                .map(|fail| fail.unwind.0),
        );
    }
    false
}

/// Whether values of the type are single integers or pointers.
fn is_scalar_int(ty: MTy) -> bool {
    // [condition ssa.float]: floats that are not less need not be at least as large.
    // [condition ssa.vector]: vectors have no range.
    !matches!(ty, MTy::F32 | MTy::F64) && ty.element().is_none()
}

/// Where control can go from a block, by errors too.
pub(super) fn all_targets(block: &Block) -> Successors {
    let fails = block.insts.iter().filter_map(Inst::fail);
    let mut targets: Successors = fails.map(|fail| fail.unwind.0).collect();
    targets.dedup();
    targets.extend(block.term.targets().iter().map(|target| target.0));
    targets
}

struct Builder<'f> {
    func: &'f Function,
    cells: &'f Cells,
    /// Values of the variables that are assigned once.
    vars: Vec<Option<Val>>,
    /// Per block: the values of cells at its start and end; the last is the memory of lengths.
    entry: Vec<Vec<Val>>,
    exit: Vec<Vec<Val>>,
    ints: FxHashMap<(MTy, i64), Val>,
    /// Values by how they come to be.
    known: FxHashMap<(Kind, MTy), Vec<Val>>,
    values: &'f mut Values,
}

impl Builder<'_> {
    fn run(mut self) {
        for param in &self.func.params {
            let val = self.add(0, self.func.vars[param.0 as usize], Kind::Opaque);
            self.vars[param.0 as usize] = Some(val);
        }
        let assigned = self.assigned_in_loops();
        for &id in &self.values.order.clone() {
            let mut env = self.entry_of(id, &assigned);
            self.entry[id as usize] = env.clone();
            self.block(id, &mut env);
            self.exit[id as usize] = env;
        }
        for index in 0..self.values.values.len() {
            let block = self.values.values[index].block;
            if let Kind::Phi(args) = &mut self.values.values[index].kind {
                for (pred, arg) in args {
                    // A phi of a loop was made with the cell's number in place of what comes around.
                    if self.values.position[*pred as usize] >= self.values.position[block as usize]
                    {
                        *arg = self.exit[*pred as usize][arg.0 as usize];
                    }
                }
            }
        }
    }

    /// Per head of a loop: the cells that the loop assigns.
    fn assigned_in_loops(&self) -> FxHashMap<u32, Vec<bool>> {
        let mut all_preds = self.values.preds.clone();
        for &id in &self.values.order {
            for fail in self.func.blocks[id as usize]
                .insts
                .iter()
                .filter_map(Inst::fail)
            {
                // [condition ssa.assigned_by_handler]: a turn may go on from a handler alone.
                all_preds[fail.unwind.0 as usize].push(id);
            }
        }
        let mut assigned = FxHashMap::default();
        for &head in &self.values.order {
            let mut work: Vec<u32> = all_preds[head as usize]
                .iter()
                .copied()
                .filter(|pred| {
                    self.values.position[*pred as usize] != u32::MAX
                        && self.values.is_back_edge(*pred, head)
                })
                .collect();
            if work.is_empty() {
                continue;
            }
            let mut cells = vec![false; self.cells.types.len() + 1];
            let mut seen = vec![false; self.func.blocks.len()];
            seen[head as usize] = true;
            self.note_assigned(head, &mut cells);
            while let Some(id) = work.pop() {
                if std::mem::replace(&mut seen[id as usize], true) {
                    continue;
                }
                self.note_assigned(id, &mut cells);
                work.extend(&all_preds[id as usize]);
            }
            assigned.insert(head, cells);
        }
        assigned
    }

    fn note_assigned(&self, id: u32, cells: &mut [bool]) {
        for inst in &self.func.blocks[id as usize].insts {
            inst.each_def(&mut |var| {
                if let Some(cell) = self.cells.of[var.0 as usize] {
                    cells[cell as usize] = true;
                }
            });
            // [condition ssa.memory_in_loop]: the length may be another one in each turn.
            if changes_lengths(self.func, self.cells, inst) {
                cells[self.cells.memory()] = true;
            }
        }
    }

    fn entry_of(&mut self, id: u32, assigned: &FxHashMap<u32, Vec<bool>>) -> Vec<Val> {
        let count = self.cells.types.len() + 1;
        let ty = |cell: usize| self.cells.types.get(cell).copied().unwrap_or(MTy::I64);
        let preds: Vec<u32> = self.values.preds[id as usize].clone();
        let known =
            |pred: &&u32| self.values.position[**pred as usize] < self.values.position[id as usize];
        let forward: Vec<u32> = preds.iter().filter(known).copied().collect();
        // [condition ssa.on_error]: what was assigned before an error is not known.
        if self.values.on_error[id as usize]
            // [condition ssa.entry_again]: the entry of a function has a way in without an edge.
            || (id == 0 && !preds.is_empty())
            || (forward.is_empty() && id != 0)
        {
            return (0..count)
                .map(|cell| self.add(id, ty(cell), Kind::Opaque))
                .collect();
        }
        if id == 0 {
            let mut env: Vec<Val> = (0..count)
                .map(|cell| self.add(id, ty(cell), Kind::Opaque))
                .collect();
            for param in &self.func.params {
                if let (Some(cell), Some(val)) =
                    (self.cells.of[param.0 as usize], self.vars[param.0 as usize])
                {
                    env[cell as usize] = val;
                }
            }
            return env;
        }
        let backward: Vec<u32> = preds
            .iter()
            .copied()
            .filter(|pred| !forward.contains(pred))
            .collect();
        let assigned = assigned.get(&id);
        (0..count)
            .map(|cell| {
                let first = self.exit[forward[0] as usize][cell];
                // [condition ssa.assigned]: what a loop assigns is another value in its next turn.
                let around = !backward.is_empty() && assigned.is_none_or(|cells| cells[cell]);
                let same = forward
                    .iter()
                    .all(|pred| self.exit[*pred as usize][cell] == first);
                // [condition ssa.joined]: different paths bring different values.
                // [condition ssa.around]: what comes around the loop is not what came in.
                if same && !around {
                    return first;
                }
                let mut args: Vec<(u32, Val)> = forward
                    .iter()
                    .map(|pred| (*pred, self.exit[*pred as usize][cell]))
                    .collect();
                // What comes around is not known yet: `run` puts it in.
                args.extend(backward.iter().map(|pred| (*pred, Val(cell as u32))));
                self.add(id, ty(cell), Kind::Phi(args))
            })
            .collect()
    }

    fn add(&mut self, block: u32, ty: MTy, kind: Kind) -> Val {
        self.values.values.push(Value { kind, ty, block });
        Val(self.values.values.len() as u32 - 1)
    }

    fn int(&mut self, ty: MTy, value: i64) -> Val {
        if let Some(&val) = self.ints.get(&(ty, value)) {
            return val;
        }
        let val = self.add(0, ty, Kind::Int(value));
        self.ints.insert((ty, value), val);
        val
    }

    fn read(&mut self, id: u32, var: Var, env: &[Val]) -> Val {
        if let Some(cell) = self.cells.of[var.0 as usize] {
            return env[cell as usize];
        }
        match self.vars[var.0 as usize] {
            Some(val) => val,
            // Only in code that is never reached.
            None => self.add(id, self.func.vars[var.0 as usize], Kind::Opaque),
        }
    }

    fn block(&mut self, id: u32, env: &mut [Val]) {
        let func = self.func;
        for (at, inst) in func.blocks[id as usize].insts.iter().enumerate() {
            let place = (id, at as u32);
            if let Inst::Check { cond, .. } = inst {
                let cond = self.read(id, *cond, env);
                self.values.checks.insert(place, cond);
            }
            // [condition ssa.memory]: the length after it is another one than before.
            if changes_lengths(func, self.cells, inst) {
                env[self.cells.memory()] = self.add(id, MTy::I64, Kind::Opaque);
            }
            let Some((dst, val)) = self.value(id, inst, env) else {
                inst.each_def(&mut |var| {
                    let val = self.add(id, func.vars[var.0 as usize], Kind::Opaque);
                    self.assign(var, val, env);
                });
                continue;
            };
            if matches!(inst, Inst::Checked(..) | Inst::Cmp(..)) {
                self.values.defs.insert(place, val);
                self.values.first.entry(val).or_insert(place);
            }
            self.assign(dst, val, env);
        }
        if let Term::Branch(cond, ..) = &func.blocks[id as usize].term {
            let cond = self.read(id, *cond, env);
            self.values.conds[id as usize] = Some(cond);
        }
    }

    fn assign(&mut self, var: Var, val: Val, env: &mut [Val]) {
        match self.cells.of[var.0 as usize] {
            Some(cell) => env[cell as usize] = val,
            None => self.vars[var.0 as usize] = Some(val),
        }
    }

    /// What an instruction assigns, if that is one thing of which something is known.
    fn value(&mut self, id: u32, inst: &Inst, env: &[Val]) -> Option<(Var, Val)> {
        let ty = |var: &Var| self.func.vars[var.0 as usize];
        let (dst, kind) = match inst {
            Inst::Const(dst, Const::Int(value)) => return Some((*dst, self.int(ty(dst), *value))),
            Inst::Copy(dst, src) => return Some((*dst, self.read(id, *src, env))),
            Inst::Bin(dst, op, a, b) if is_scalar_int(ty(dst)) => (
                dst,
                Kind::Bin(*op, self.read(id, *a, env), self.read(id, *b, env)),
            ),
            Inst::Checked(dst, op, signed, a, b, _) => (
                dst,
                Kind::Checked(*op, *signed, self.read(id, *a, env), self.read(id, *b, env)),
            ),
            Inst::Cmp(dst, op, a, b) if is_scalar_int(ty(a)) => (
                dst,
                Kind::Cmp(*op, self.read(id, *a, env), self.read(id, *b, env)),
            ),
            Inst::Conv(dst, op, src) => (dst, Kind::Conv(*op, self.read(id, *src, env))),
            Inst::Select(dst, cond, a, b) => {
                let (cond, a, b) = (
                    self.read(id, *cond, env),
                    self.read(id, *a, env),
                    self.read(id, *b, env),
                );
                (dst, Kind::Select(cond, a, b))
            }
            // [condition ssa.length_of_array]: a field at that place changes in calls.
            Inst::Load(dst, base, ARRAY_LEN) if self.cells.arrays[base.0 as usize] => {
                let base = self.read(id, *base, env);
                (dst, Kind::Length(base, env[self.cells.memory()]))
            }
            _ => return None,
        };
        Some((
            *dst,
            self.numbered(id, self.func.vars[dst.0 as usize], kind),
        ))
    }

    /// The value of this kind: an earlier one that is there on every path here, otherwise a new one.
    fn numbered(&mut self, id: u32, ty: MTy, kind: Kind) -> Val {
        let known = self.known.get(&(kind.clone(), ty));
        let above = known.and_then(|known| {
            known.iter().copied().find(|val| {
                // [condition ssa.above]: a value that is computed on another way is not there.
                self.values
                    .dominates(self.values.values[val.0 as usize].block, id)
            })
        });
        if let Some(val) = above {
            return val;
        }
        let val = self.add(id, ty, kind.clone());
        self.known.entry((kind, ty)).or_default().push(val);
        val
    }
}
