//! Functions such as the sine, of a strip of elements at a time.
//!
//! The runtime has them for many numbers beside each other (`simple_core::curves`), with the widest vectors of the machine. So the body of a loop that
//! calls them is cut into parts, and between two parts a function is called for all turns of a strip:
//!
//! ```text
//! strip:   n = turns that are left, 256 at most
//! part 0:  for n turns: r1 = -x; store r1 into buffer 0
//!          Curve(exp, buffer 0, buffer 0, buffer 1, n)
//! part 1:  for n turns: load r2 from buffer 1; y = x / (1 + r2); store y
//!          more turns? the next strip
//! ```
//!
//! An instruction is in the first part that knows its operands. What a later part reads is kept in a buffer, or loaded again if it was
//! loaded from a list that no part before writes. Turns do not depend on each other, so that only loads and stores of one turn keep
//! their order. The digits are those of the function of one number. Next: `lanes.rs`, which finds such bodies.

use super::repeated;
use crate::mir::{
    BinOp, Block, BlockId, CmpOp, Const, Extern, Function, Inst, MTy, SlotId, Term, Var,
};
use rustc_hash::FxHashMap;
use simple_core::table::RtFn;

/// The most turns of a strip.
const STRIP: i64 = 256;

/// The number of the function for strips that an instruction calls for one element.
pub(super) fn curve(inst: &Inst, externs: &[Extern]) -> Option<u32> {
    match inst {
        Inst::CallExtern { func, .. } => externs[func.0 as usize].curve,
        Inst::CallRuntime {
            func: RtFn::PowF32, ..
        } => simple_core::curves::number("rt_pow_of_f32"),
        _ => None,
    }
}

/// A call for the turns of a strip.
struct Call {
    part: usize,
    number: u32,
    args: Vec<Var>,
    dst: Var,
}

/// A body that is being cut.
struct Cut<'c> {
    code: &'c mut Function,
    enter: Vec<Inst>,
    parts: Vec<Vec<Inst>>,
    /// The part in which a variable is defined.
    defined: FxHashMap<Var, usize>,
    /// Loads that can be repeated until something is stored.
    loads: FxHashMap<Var, Inst>,
    buffers: FxHashMap<Var, Var>,
    calls: Vec<Call>,
    /// The turn within its strip.
    local: Var,
    first_store: usize,
    /// Whether a store is in a part already.
    stored: bool,
}

/// Writes the blocks of a function that does the turns `from..to` in strips. `body` does `width` of them and is repeated for `step`.
pub(super) fn place(
    code: &mut Function,
    enter: Vec<Inst>,
    body: Vec<Inst>,
    (from, to): (Var, Var),
    (step, width): (i64, i64),
    externs: &[Extern],
) {
    let local = var(code, MTy::I64);
    let mut cut = Cut {
        code,
        enter,
        parts: Vec::new(),
        defined: FxHashMap::default(),
        loads: FxHashMap::default(),
        buffers: FxHashMap::default(),
        calls: Vec::new(),
        local,
        first_store: usize::MAX,
        stored: false,
    };
    let levels = cut.levels(&body, externs);
    cut.fill(body, &levels, externs);
    let Cut {
        code,
        enter,
        parts,
        buffers,
        calls,
        ..
    } = cut;
    let shape = Shape {
        from,
        to,
        local,
        step,
        width,
    };
    blocks(code, enter, &parts, (&calls, &buffers), &shape);
}

fn var(code: &mut Function, ty: MTy) -> Var {
    code.vars.push(ty);
    Var(code.vars.len() as u32 - 1)
}

impl Cut<'_> {
    /// The part that each instruction is in; a call is at the end of its part, and its result in the next.
    fn levels(&mut self, body: &[Inst], externs: &[Extern]) -> Vec<usize> {
        let (mut last_store, mut last_access) = (0, 0);
        let mut levels = Vec::with_capacity(body.len());
        for inst in body {
            let mut level = 0;
            inst.each_use(&mut |used| {
                // [condition strips.after_operands]: an operand is known only in its part.
                level = level.max(self.defined.get(&used).copied().unwrap_or(0));
            });
            match inst {
                Inst::LoadAt(..) => {
                    // [condition strips.load_after_store]: a load may be of what was stored.
                    level = level.max(last_store);
                    // [condition strips.load_noted]: the next store comes after it.
                    last_access = last_access.max(level);
                }
                Inst::StoreAt(..) => {
                    // [condition strips.store_after_access]: the store must not come before the load or store of the same turn.
                    level = level.max(last_access);
                    // [condition strips.store_noted]: the next store comes after it.
                    last_access = level;
                    last_store = level;
                    // [condition strips.first_store]: loads are repeated only before the first one.
                    self.first_store = self.first_store.min(level);
                }
                _ => {}
            }
            let after = usize::from(curve(inst, externs).is_some());
            inst.each_def(&mut |def| {
                self.defined.insert(def, level + after);
            });
            levels.push(level);
        }
        levels
    }

    fn fill(&mut self, body: Vec<Inst>, levels: &[usize], externs: &[Extern]) {
        let parts = levels.iter().max().map_or(1, |most| most + 1);
        self.parts = vec![Vec::new(); parts];
        // What is loaded into a part again, by the part and the variable.
        let mut here: FxHashMap<(usize, Var), Var> = FxHashMap::default();
        for (mut inst, &part) in body.into_iter().zip(levels) {
            if let Some(number) = curve(&inst, externs) {
                self.note_call(&inst, part, number);
                continue;
            }
            let mut used = Vec::new();
            inst.each_use(&mut |var| used.push(var));
            for var in used {
                let Some(&from) = self.defined.get(&var) else {
                    continue;
                };
                // [condition strips.of_call]: the result of a call is in its buffer only.
                let called = self.calls.iter().any(|call| call.dst == var);
                // [condition strips.of_earlier_part]: another part's value is not here any more.
                if (from < part || called) && !here.contains_key(&(part, var)) {
                    let name = self.again(var, part);
                    here.insert((part, var), name);
                }
            }
            inst.map_uses(&mut |var| here.get(&(part, var)).copied().unwrap_or(var));
            if let Inst::LoadAt(dst, ..) = &inst {
                self.loads.insert(*dst, inst.clone());
            }
            self.stored |= matches!(inst, Inst::StoreAt(..));
            self.parts[part].push(inst);
        }
    }

    fn note_call(&mut self, inst: &Inst, part: usize, number: u32) {
        let (mut args, mut dst) = (Vec::new(), None);
        inst.each_use(&mut |used| args.push(used));
        inst.each_def(&mut |def| dst = Some(def));
        for arg in &args {
            self.buffer(*arg);
        }
        if let Some(dst) = dst {
            self.new_buffer(dst);
            self.calls.push(Call {
                part,
                number,
                args,
                dst,
            });
        }
    }

    /// A variable of an earlier part, in this one.
    fn again(&mut self, var: Var, part: usize) -> Var {
        let ty = self.code.vars[var.0 as usize];
        let name = self::var(self.code, ty);
        // [condition strips.unchanged]: what was stored would be loaded instead.
        // [condition strips.nothing_stored_yet]: the store may be before it in the same part.
        let unchanged = part < self.first_store || part == self.first_store && !self.stored;
        let inst = match self.loads.get(&var) {
            Some(Inst::LoadAt(_, base, index, scale, offset)) if unchanged => {
                Inst::LoadAt(name, *base, *index, *scale, *offset)
            }
            _ => Inst::LoadAt(name, self.buffer(var), self.local, 4, 0),
        };
        self.parts[part].push(inst);
        name
    }

    /// The buffer that has a variable; one of another part is written where it is defined.
    fn buffer(&mut self, var: Var) -> Var {
        if let Some(buffer) = self.buffers.get(&var) {
            return *buffer;
        }
        let buffer = self.new_buffer(var);
        // What is the same in all turns is written in the first part.
        let part = self.defined.get(&var).copied().unwrap_or(0);
        let store = Inst::StoreAt(buffer, self.local, 4, 0, var);
        self.parts[part].push(store);
        buffer
    }

    fn new_buffer(&mut self, var: Var) -> Var {
        self.code.slots.push(STRIP as u32 * 4);
        let slot = SlotId(self.code.slots.len() as u32 - 1);
        let buffer = self::var(self.code, MTy::Ptr);
        self.enter.push(Inst::Const(buffer, Const::Slot(slot)));
        self.buffers.insert(var, buffer);
        buffer
    }
}

struct Shape {
    from: Var,
    to: Var,
    local: Var,
    step: i64,
    width: i64,
}

fn blocks(
    code: &mut Function,
    mut enter: Vec<Inst>,
    parts: &[Vec<Inst>],
    (calls, buffers): (&[Call], &FxHashMap<Var, Var>),
    shape: &Shape,
) {
    let [base, left, most, count, zero, step] = [(); 6].map(|()| var(code, MTy::I64));
    let index = var(code, MTy::I64);
    enter.extend([
        Inst::Const(most, Const::Int(STRIP)),
        Inst::Const(zero, Const::Int(0)),
        Inst::Const(step, Const::Int(shape.step)),
        Inst::Copy(base, shape.from),
    ]);
    let block = |insts, term| Block {
        insts,
        term,
        cold: false,
    };
    let again = [Inst::Copy(shape.local, zero), Inst::Copy(index, base)];
    let mut head = vec![
        Inst::Bin(left, BinOp::Sub, shape.to, base),
        // [condition strips.rest]: the last strip is shorter.
        Inst::Bin(count, BinOp::Min, left, most),
    ];
    head.extend(again.clone());
    let mut out = vec![
        block(enter, Term::Jump(BlockId(1))),
        block(head, Term::Jump(BlockId(2))),
    ];
    for (at, part) in parts.iter().enumerate() {
        let own = BlockId(out.len() as u32);
        let [next, turn] = [(); 2].map(|()| var(code, MTy::I64));
        let more = var(code, MTy::I8);
        let mut insts = repeated(code, part, index, (shape.step, shape.width));
        insts.extend([
            Inst::Bin(next, BinOp::Add, index, step),
            Inst::Copy(index, next),
            Inst::Bin(turn, BinOp::Add, shape.local, step),
            Inst::Copy(shape.local, turn),
            Inst::Cmp(more, CmpOp::Lt, turn, count),
        ]);
        let after = BlockId(own.0 + 1);
        out.push(block(insts, Term::Branch(more, own, after)));
        let mut insts = Vec::new();
        for call in calls.iter().filter(|call| call.part == at) {
            let number = var(code, MTy::I64);
            let (first, last) = (call.args[0], call.args[call.args.len() - 1]);
            insts.push(Inst::Const(number, Const::Int(i64::from(call.number))));
            insts.push(Inst::CallRuntime {
                dst: None,
                func: RtFn::Curve,
                args: vec![
                    number,
                    buffers[&first],
                    buffers[&last],
                    buffers[&call.dst],
                    count,
                ],
                fail: None,
            });
        }
        insts.extend(again.clone());
        out.push(block(insts, Term::Jump(BlockId(after.0 + 1))));
    }
    // The last part has calls only if nothing needs their results; the turns of the next strip are counted after it.
    let more = var(code, MTy::I8);
    let next = var(code, MTy::I64);
    let end = BlockId(out.len() as u32 + 1);
    let insts = vec![
        Inst::Bin(next, BinOp::Add, base, count),
        Inst::Copy(base, next),
        Inst::Cmp(more, CmpOp::Lt, next, shape.to),
    ];
    out.push(block(insts, Term::Branch(more, BlockId(1), end)));
    out.push(block(Vec::new(), Term::Return(Vec::new())));
    code.blocks = out;
}
