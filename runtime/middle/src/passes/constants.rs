//! Constants that decide where control goes: comparisons, branches and switches on them are gone, and so is what only they led to.
//!
//! A variable that is assigned once, by a constant, is that constant wherever it is read. Integers, truth values and tags of enums are
//! followed through copies, conversions and comparisons; arithmetic is not, so that a copy of a function for `f(30)` does not lead to one
//! for `f(29)` (`specialize.rs`, which uses this), and errors stay where they are. What ranges tell beyond that is in `checks.rs`.
//!
//! ```text
//! v1 = 2                                   jump bb7
//! switch v1 [0: bb5, 1: bb6, 2: bb7] ...   (bb5, bb6: gone unless something else leads there)
//! ```

use super::blocks::remove_unreachable_in;
use crate::mir::{BinOp, CmpOp, Const, ConvOp, Function, Inst, MTy, Module, Term, Var};
use rustc_hash::FxHashMap;

/// Rounds of folding: what is gone after one may leave a single assignment of another variable.
const ROUNDS: usize = 8;

/// Folds in every function.
pub(super) fn fold_all(module: &mut Module) {
    module.funcs.iter_mut().for_each(fold);
}

/// Folds in one function.
pub(super) fn fold(func: &mut Function) {
    for _ in 0..ROUNDS {
        if !decides(func) {
            return;
        }
        let known = known_constants(func);
        if known.is_empty() || !rewrite(func, &known) {
            return;
        }
        remove_unreachable_in(func);
    }
}

/// Lets the parameter at a position be a constant in all of the function, whose caller passes nothing else; it must be assigned nowhere.
pub(super) fn set_parameter(func: &mut Function, position: u32, value: i64) {
    let param = func.params[position as usize];
    let constant = Var(func.vars.len() as u32);
    func.vars.push(func.vars[param.0 as usize]);
    let mut replace = |var: Var| if var == param { constant } else { var };
    for block in &mut func.blocks {
        for inst in &mut block.insts {
            inst.map_uses(&mut replace);
        }
        block.term.map_uses(&mut replace);
    }
    let first = Inst::Const(constant, Const::Int(value));
    func.blocks[0].insts.insert(0, first);
}

/// Per variable: in how many places it is assigned.
pub(super) fn assignments(func: &Function) -> Vec<u32> {
    let mut times = vec![0u32; func.vars.len()];
    for param in &func.params {
        times[param.0 as usize] += 1;
    }
    for inst in func.blocks.iter().flat_map(|block| &block.insts) {
        inst.each_def(&mut |var| times[var.0 as usize] += 1);
    }
    times
}

/// Whether anything in the function depends on a condition.
fn decides(func: &Function) -> bool {
    let mut terms = func.blocks.iter().map(|block| &block.term);
    terms.any(|term| matches!(term, Term::Branch(..) | Term::Switch(..)))
}

/// The variables that hold one known integer for all of their life.
pub(super) fn known_constants(func: &Function) -> FxHashMap<Var, i64> {
    let times = assignments(func);
    let mut known: FxHashMap<Var, i64> = FxHashMap::default();
    loop {
        let before = known.len();
        for inst in func.blocks.iter().flat_map(|block| &block.insts) {
            if let Some((dst, value)) = computed(func, inst, &known)
                && times[dst.0 as usize] == 1
            {
                known.insert(dst, value);
            }
        }
        if known.len() == before {
            return known;
        }
    }
}

/// What an instruction assigns if that is a constant.
fn computed(func: &Function, inst: &Inst, known: &FxHashMap<Var, i64>) -> Option<(Var, i64)> {
    let ty = |var: &Var| func.vars[var.0 as usize];
    let value = |var: &Var| known.get(var).copied();
    let (dst, result) = match inst {
        Inst::Const(dst, Const::Int(number)) if bits(ty(dst)).is_some() => (dst, *number),
        Inst::Copy(dst, src) => (dst, value(src)?),
        Inst::Cmp(dst, op, a, b) => {
            let holds = compare(*op, value(a)?, value(b)?, bits(ty(a))?);
            (dst, i64::from(holds))
        }
        Inst::Bin(dst, op, a, b) if ty(dst) == MTy::I8 => {
            let (a, b) = (value(a)?, value(b)?);
            let result = match op {
                BinOp::And => a & b,
                BinOp::Or => a | b,
                BinOp::Xor => a ^ b,
                _ => return None,
            };
            (dst, result)
        }
        Inst::Select(dst, cond, a, b) => {
            let chosen = if value(cond)? != 0 { a } else { b };
            (dst, value(chosen)?)
        }
        Inst::Conv(dst, ConvOp::SExt | ConvOp::Truncate, src) => (dst, value(src)?),
        Inst::Conv(dst, ConvOp::ZExt, src) => {
            let unused = 64 - bits(ty(src))?;
            (dst, ((value(src)? as u64) << unused >> unused) as i64)
        }
        _ => return None,
    };
    let unused = 64 - bits(ty(dst))?;
    Some((*dst, result << unused >> unused))
}

fn bits(ty: MTy) -> Option<u32> {
    match ty {
        MTy::I8 => Some(8),
        MTy::I16 => Some(16),
        MTy::I32 => Some(32),
        MTy::I64 => Some(64),
        _ => None,
    }
}

/// A comparison of two integers that were extended by their sign.
fn compare(op: CmpOp, a: i64, b: i64, bits: u32) -> bool {
    let mask = u64::MAX >> (64 - bits);
    let (ua, ub) = (a as u64 & mask, b as u64 & mask);
    match op {
        CmpOp::Eq => a == b,
        CmpOp::Ne => a != b,
        CmpOp::Lt => a < b,
        CmpOp::Le => a <= b,
        CmpOp::Gt => a > b,
        CmpOp::Ge => a >= b,
        CmpOp::ULt => ua < ub,
        CmpOp::ULe => ua <= ub,
        CmpOp::UGt => ua > ub,
        CmpOp::UGe => ua >= ub,
    }
}

/// Uses what is known; whether control has fewer ways then.
fn rewrite(func: &mut Function, known: &FxHashMap<Var, i64>) -> bool {
    let mut fewer = false;
    for block in &mut func.blocks {
        for inst in &mut block.insts {
            match inst {
                Inst::Cmp(dst, ..) | Inst::Bin(dst, ..) | Inst::Conv(dst, ..) => {
                    if let Some(value) = known.get(dst) {
                        *inst = Inst::Const(*dst, Const::Int(*value));
                    }
                }
                Inst::Select(dst, cond, a, b) => {
                    if let Some(holds) = known.get(cond) {
                        *inst = Inst::Copy(*dst, if *holds != 0 { *a } else { *b });
                    }
                }
                _ => {}
            }
        }
        let target = match &block.term {
            Term::Branch(cond, then, otherwise) => {
                let holds = known.get(cond).map(|value| *value != 0);
                holds.map(|holds| if holds { *then } else { *otherwise })
            }
            Term::Switch(var, cases, otherwise) => known.get(var).map(|value| {
                let unused = 64 - bits(func.vars[var.0 as usize]).unwrap_or(64);
                let fits = |case: i64| case << unused >> unused == *value;
                let case = cases.iter().find(|(case, _)| fits(*case));
                case.map_or(*otherwise, |(_, block)| *block)
            }),
            _ => None,
        };
        if let Some(target) = target {
            block.term = Term::Jump(target);
            fewer = true;
        }
    }
    fewer
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mir::{Block, BlockId};

    fn block(insts: Vec<Inst>, term: Term) -> Block {
        Block {
            insts,
            term,
            cold: false,
        }
    }

    /// `switch v0 [0: bb1, -1: bb2] else bb3`, each of which returns its own number.
    fn switching(ty: MTy) -> Function {
        let mut func = crate::lower::empty_function("f");
        func.vars = vec![ty, MTy::I64];
        func.params = vec![Var(0)];
        func.results = vec![MTy::I64];
        let answer = |number| {
            let insts = vec![Inst::Const(Var(1), Const::Int(number))];
            block(insts, Term::Return(vec![Var(1)]))
        };
        let cases = vec![(0, BlockId(1)), (-1, BlockId(2))];
        func.blocks = vec![
            block(Vec::new(), Term::Switch(Var(0), cases, BlockId(3))),
            answer(10),
            answer(20),
            answer(30),
        ];
        func
    }

    /// What the function returns once its parameter is known.
    fn left(ty: MTy, value: i64) -> Vec<i64> {
        let mut func = switching(ty);
        set_parameter(&mut func, 0, value);
        fold(&mut func);
        let insts = func.blocks.iter().skip(1).flat_map(|block| &block.insts);
        let numbers = insts.filter_map(|inst| match inst {
            Inst::Const(_, Const::Int(number)) => Some(*number),
            _ => None,
        });
        numbers.collect()
    }

    #[test]
    fn a_switch_on_a_constant_keeps_the_block_of_its_case() {
        assert_eq!(left(MTy::I32, 0), [10]);
        assert_eq!(left(MTy::I32, 7), [30]);
        assert_eq!(left(MTy::I64, -1), [20]);
        // The same bits, read without a sign.
        assert_eq!(left(MTy::I8, 255), [20]);
    }

    #[test]
    fn comparisons_are_those_of_the_width() {
        assert!(compare(CmpOp::Lt, -1, 1, 8) && compare(CmpOp::UGt, -1, 1, 8));
        assert!(compare(CmpOp::ULe, 3, 3, 64) && !compare(CmpOp::ULt, 3, 3, 64));
    }

    #[test]
    fn what_is_assigned_twice_is_not_a_constant() {
        let mut func = switching(MTy::I32);
        let assign = Inst::Const(Var(0), Const::Int(0));
        func.blocks[0].insts.push(assign);
        fold(&mut func);
        assert_eq!(func.blocks.len(), 4);
    }

    #[test]
    fn arithmetic_is_left_alone() {
        let mut func = switching(MTy::I64);
        func.vars.extend([MTy::I64, MTy::I64]);
        func.blocks[0].insts = vec![
            Inst::Const(Var(2), Const::Int(1)),
            Inst::Bin(Var(3), BinOp::Sub, Var(2), Var(2)),
        ];
        func.blocks[0].term.map_uses(&mut |_| Var(3));
        fold(&mut func);
        assert_eq!(func.blocks.len(), 4);
    }
}
