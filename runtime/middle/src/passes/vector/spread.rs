//! Loops with many turns run on several threads.
//!
//! A loop of which vectors were made has turns that do not depend on each other: each loads elements, computes, and stores elements that no
//! other turn loads or stores. So its body also becomes a function, and where there are many turns, the runtime calls that with ranges of them:
//!
//! ```text
//! fast:    few turns? then the loop with vectors, here
//! many:    values = what the body reads; call Spread(code, values, turns, grain)
//! code:    fn (values, from, to): load the values; for the turns from .. to: the body
//! ```
//!
//! The operations are the same, in the same order for each element, so that the digits are. How many turns are many depends on how much one of them
//! does; it is the compiler that divides them (`simple_core::spread`). Next: `mod.rs`.

use super::super::asks::Before;
use super::{INDEX, repeated, strips};
use crate::mir::{
    BinOp, Block, BlockId, CmpOp, Const, ConvOp, Convention, Extern, FnId, Function, Inst, MTy,
    SlotId, Term, UnOp, Var,
};
use rustc_hash::FxHashMap;
use simple_core::table::RtFn;

/// Operations that one thread does before it asks for more: some ten microseconds.
const GRAIN: i64 = 32_768;
/// What a call of a function such as the sine is worth, and a division.
const CALL: i64 = 40;
const DIVISION: i64 = 5;
/// What a vector of the results of a function for strips is worth.
const STRIP_CALL: i64 = 16;
/// So many grains are worth more than one thread; `simple_core` looks for at least as many.
const WORTH: i64 = 8;

/// Where a call that cannot fail would go.
const NEVER: BlockId = BlockId(3);

/// The functions that are made of loops, and the number of the first.
pub(in crate::passes) struct Made {
    pub first: u32,
    pub funcs: Vec<Function>,
}

/// A loop as a function.
pub(super) struct Spread {
    code: FnId,
    /// What it reads, each with its place.
    values: Vec<(i32, Var)>,
    grain: i64,
}

/// Makes the function of a loop whose body does `width` turns and is repeated for `step`.
pub(super) fn outline(
    func: &Function,
    (before, insts): (&[Before], &[Inst]),
    (body, step, width): (&[Inst], i64, i64),
    strips: Option<&[Extern]>,
    made: &mut Made,
) -> Spread {
    let mut code = Function {
        convention: Convention::C,
        site: func.site,
        ..Function::bodiless(func.name.clone())
    };
    let mut var = |ty| {
        code.vars.push(ty);
        Var(code.vars.len() as u32 - 1)
    };
    let [values, from, to] = [MTy::Ptr, MTy::I64, MTy::I64].map(&mut var);
    code.params = vec![values, from, to];
    let mut reader = Reader {
        func,
        code: &mut code,
        made: FxHashMap::default(),
        names: FxHashMap::default(),
        values,
        read: Vec::new(),
        insts: Vec::new(),
    };
    for inst in before.iter().flat_map(|asked| &asked.insts).chain(insts) {
        if let Inst::Const(dst, _) | Inst::Conv(dst, ConvOp::Splat, _) = inst {
            reader.made.insert(*dst, inst.clone());
        }
    }
    let grain = grain(body, (step, width), strips.is_some());
    let mut body = body.to_vec();
    for inst in &mut body {
        if let Some(fail) = inst.fail_mut() {
            fail.unwind = NEVER;
        }
        inst.map_uses(&mut |used| {
            if used == INDEX {
                used
            } else {
                reader.name(used)
            }
        });
        inst.map_defs(&mut |def| reader.define(def));
    }
    let (mut enter, read) = (reader.insts, reader.read);
    if let Some(externs) = strips {
        strips::place(&mut code, enter, body, (from, to), (step, width), externs);
        return placed(code, read, grain, made);
    }
    let mut var = |ty| {
        code.vars.push(ty);
        Var(code.vars.len() as u32 - 1)
    };
    let [index, next, by] = [MTy::I64, MTy::I64, MTy::I64].map(&mut var);
    let more = var(MTy::I8);
    enter.push(Inst::Copy(index, from));
    let mut turn = repeated(&mut code, &body, index, (step, width));
    turn.extend([
        Inst::Const(by, Const::Int(step)),
        Inst::Bin(next, BinOp::Add, index, by),
        Inst::Copy(index, next),
        Inst::Cmp(more, CmpOp::Lt, next, to),
    ]);
    let block = |insts, term| Block {
        insts,
        term,
        cold: false,
    };
    let [start, end] = [1, 2].map(BlockId);
    code.blocks = vec![
        block(enter, Term::Jump(start)),
        block(turn, Term::Branch(more, start, end)),
        block(Vec::new(), Term::Return(Vec::new())),
    ];
    // [condition spread.fails]: the block where a failing call would go must be there.
    if body.iter().any(|inst| inst.fail().is_some()) {
        code.blocks.push(Block {
            cold: true,
            ..block(Vec::new(), Term::Return(Vec::new()))
        });
    }
    placed(code, read, grain, made)
}

fn placed(code: Function, values: Vec<(i32, Var)>, grain: i64, made: &mut Made) -> Spread {
    let id = FnId(made.first + made.funcs.len() as u32);
    made.funcs.push(code);
    Spread {
        code: id,
        values,
        grain,
    }
}

/// How many turns one thread does before it asks for more: a multiple of `step`.
fn grain(body: &[Inst], (step, width): (i64, i64), strips: bool) -> i64 {
    let cost = |inst: &Inst| match inst {
        Inst::CallExtern { .. } | Inst::CallRuntime { .. } if strips => STRIP_CALL,
        Inst::CallExtern { .. } | Inst::CallRuntime { .. } => CALL,
        Inst::Bin(_, BinOp::Div, ..) | Inst::Un(_, UnOp::Sqrt, _) => DIVISION,
        _ => 1,
    };
    let cost: i64 = body.iter().map(cost).sum();
    // [condition spread.at_least_one]: a range of no turns never ends.
    let bodies = (GRAIN / cost.max(1)).max(1);
    // [condition spread.whole_steps]: a range that ends within a step would be done up to the step's end, and the next range does these turns again.
    (bodies * width + step - 1) / step * step
}

/// How many turns are many.
fn least(grain: i64) -> i64 {
    grain * WORTH
}

/// What the function reads of the loop.
struct Reader<'f> {
    func: &'f Function,
    code: &'f mut Function,
    /// Constants, and vectors that have one value in every place: they are made again.
    made: FxHashMap<Var, Inst>,
    names: FxHashMap<Var, Var>,
    values: Var,
    read: Vec<(i32, Var)>,
    insts: Vec<Inst>,
}

impl Reader<'_> {
    fn define(&mut self, var: Var) -> Var {
        self.code.vars.push(self.func.vars[var.0 as usize]);
        let new = Var(self.code.vars.len() as u32 - 1);
        self.names.insert(var, new);
        new
    }

    /// The name that a variable of the loop has in the function.
    fn name(&mut self, var: Var) -> Var {
        if let Some(name) = self.names.get(&var) {
            return *name;
        }
        let inst = match self.made.get(&var).cloned() {
            Some(Inst::Const(_, constant)) => {
                let new = self.define(var);
                Inst::Const(new, constant)
            }
            Some(Inst::Conv(_, op, src)) => {
                let src = self.name(src);
                let new = self.define(var);
                Inst::Conv(new, op, src)
            }
            _ => {
                let offset = self.read.len() as i32 * 8;
                self.read.push((offset, var));
                let new = self.define(var);
                Inst::Load(new, self.values, offset)
            }
        };
        let name = self.names[&var];
        self.insts.push(inst);
        name
    }
}

impl Spread {
    /// Adds to `insts` the question whether `count` turns are many.
    pub fn ask(&self, func: &mut Function, insts: &mut Vec<Inst>, count: Var) -> Var {
        func.vars.extend([MTy::I64, MTy::I8]);
        let many = Var(func.vars.len() as u32 - 1);
        let least = Var(many.0 - 1);
        // [condition spread.many]: fewer are not worth another thread.
        insts.push(Inst::Const(least, Const::Int(self::least(self.grain))));
        insts.push(Inst::Cmp(many, CmpOp::Ge, count, least));
        many
    }

    /// The block that runs them.
    pub fn block(&self, func: &mut Function, count: Var, next: BlockId) -> Block {
        func.slots.push(self.values.len() as u32 * 8);
        let slot = SlotId(func.slots.len() as u32 - 1);
        func.vars.extend([MTy::Ptr, MTy::Ptr, MTy::I64]);
        let [values, code, grain] = [3, 2, 1].map(|back| Var(func.vars.len() as u32 - back));
        let mut insts = vec![
            Inst::Const(values, Const::Slot(slot)),
            Inst::Const(code, Const::Func(self.code)),
            Inst::Const(grain, Const::Int(self.grain)),
        ];
        let store = |(offset, var): &(i32, Var)| Inst::Store(values, *offset, *var);
        insts.extend(self.values.iter().map(store));
        insts.push(Inst::CallRuntime {
            dst: None,
            func: RtFn::Spread,
            args: vec![code, values, count, grain],
            fail: None,
        });
        Block {
            insts,
            term: Term::Jump(next),
            cold: true,
        }
    }
}
