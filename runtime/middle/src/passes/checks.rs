//! Checks that never fail: overflow that cannot happen, indexes that are always inside, tests whose outcome is known.
//!
//! `ssa.rs` says what variables hold, `ranges.rs` what that can be. Here the knowledge is used: checked arithmetic becomes plain,
//! comparisons become constants, branches on them jumps; an index that is never negative loses its path for negative
//! ones, after which its check tells later code that the index is inside. Errors that can happen stay exactly as they
//! were.

use super::blocks::simplify_function;
use super::ranges::Ranges;
use super::ssa::{Kind, Val, Values};
use crate::mir::{BinOp, CheckedOp, Const, Function, Inst, Module, Term};

/// Rounds of removing checks: what one round finds out tells the next one more.
const ROUNDS: usize = 2;

/// Removes checks in every function that is worth it.
pub fn remove_checks(module: &mut Module) {
    for func in &mut module.funcs {
        for _ in 0..ROUNDS {
            if !worthwhile(func) || !remove_in(func) {
                break;
            }
            simplify_function(func);
        }
    }
}

/// Whether there is anything to remove, as far as a glance tells.
fn worthwhile(func: &Function) -> bool {
    !func.quick
        && func
            .blocks
            .iter()
            .flat_map(|block| &block.insts)
            .any(|inst| matches!(inst, Inst::Checked(..) | Inst::Check { .. }))
}

fn remove_in(func: &mut Function) -> bool {
    let Some(values) = Values::of(func) else {
        return false;
    };
    let ranges = Ranges::of(func, &values);
    let mut edits = Vec::new();
    for (&(block, at), val) in &values.defs {
        let inst = &func.blocks[block as usize].insts[at as usize];
        let new = match (inst, values.kind(*val)) {
            (Inst::Checked(dst, op, signed, a, b, _), Kind::Checked(_, _, x, y)) => {
                let ty = func.vars[dst.0 as usize];
                let plain = match op {
                    CheckedOp::Add => BinOp::Add,
                    CheckedOp::Sub => BinOp::Sub,
                    CheckedOp::Mul => BinOp::Mul,
                };
                // [condition checks.fits]: a sum that may not fit keeps its check.
                if ranges.fits(*op, *signed, *x, *y, ty, block) {
                    Some(Inst::Bin(*dst, plain, *a, *b))
                } else {
                    // What was computed before without an error needs no second check.
                    let known = values.repeats(func, (block, at), *val);
                    known.map(|known| Inst::Copy(*dst, known))
                }
            }
            (Inst::Cmp(dst, ..), Kind::Cmp(op, x, y)) => ranges
                .decide(*op, *x, *y, block)
                .map(|holds| Inst::Const(*dst, Const::Int(holds.into()))),
            _ => None,
        };
        if let Some(new) = new {
            edits.push((block, at, new));
        }
    }
    let changed = !edits.is_empty();
    for (block, at, new) in edits {
        func.blocks[block as usize].insts[at as usize] = new;
    }
    // The same comparison may be decided in one place and open in another, so each place is decided separately.
    let outcome = |val: Val, block: u32| match *values.kind(val) {
        Kind::Cmp(op, x, y) => ranges.decide(op, x, y, block),
        _ => None,
    };
    for (id, block) in func.blocks.iter_mut().enumerate() {
        let known = |at: usize| {
            let val = values.checks.get(&(id as u32, at as u32))?;
            outcome(*val, id as u32)
        };
        // Nothing runs after a check that always fails; one that never fails is removed.
        if let Some(fails) = (0..block.insts.len()).find(|at| known(*at) == Some(false)) {
            block.insts.truncate(fails + 1);
            block.term = Term::Unreachable;
        }
        let mut at = 0;
        block.insts.retain(|_| {
            at += 1;
            known(at - 1) != Some(true)
        });
        if let (Term::Branch(_, then, otherwise), Some(cond)) = (&block.term, values.conds[id])
            && let Some(holds) = outcome(cond, id as u32)
        {
            block.term = Term::Jump(if holds { *then } else { *otherwise });
        }
    }
    changed
}
