//! Inlining: of small functions that are not part of a recursion, and of a small recursive function into itself.
//!
//! Callees come before callers, so a chain of small methods collapses into one. What a call would have recorded in the trace when
//! the callee fails is recorded in its place: the callee's own sites name the callee, and the block that replaces its
//! `propagate` adds the call's site before it goes on to the call's failure edge.

use super::cycles::loops_of;
use crate::mir::{
    Block, BlockId, Const, Convention, Fail, FnId, Function, Inst, MTy, Module, Term, Var,
};
use simple_core::table::RtFn;

/// The most instructions outside error paths of a function that is inlined.
const SMALL: usize = 24;
/// As how many of them a call counts: it comes with its error path.
const CALL: usize = 4;
/// The most blocks of a function that is inlined.
const FEW_BLOCKS: usize = 16;
/// Instructions at which a function takes nothing more in.
const FULL: usize = 3000;

/// The most instructions outside error paths of a function that calls itself after some of these calls were unrolled.
const UNROLLED: usize = 120;
/// How often the calls of itself in a function are replaced by its body.
const RECURSION_ROUNDS: usize = 2;

/// Inlines small functions everywhere, and functions that call themselves into themselves.
pub fn inline(module: &mut Module) {
    for caller in callees_first(module) {
        inline_into(module, caller);
        unroll_recursion(&mut module.funcs[caller], FnId(caller as u32));
    }
}

fn direct_callees(func: &Function) -> Vec<usize> {
    let calls = func.blocks.iter().flat_map(|block| &block.insts);
    calls
        .filter_map(|inst| match inst {
            Inst::Call { func, .. } => Some(func.0 as usize),
            _ => None,
        })
        .collect()
}

/// Functions in an order in which callees come first, as far as there is no recursion.
pub(super) fn callees_first(module: &Module) -> Vec<usize> {
    let mut seen = vec![false; module.funcs.len()];
    let mut order = Vec::with_capacity(module.funcs.len());
    for root in 0..module.funcs.len() {
        if std::mem::replace(&mut seen[root], true) {
            continue;
        }
        let mut frames = vec![(root, direct_callees(&module.funcs[root]))];
        while let Some((node, rest)) = frames.last_mut() {
            match rest.pop() {
                Some(next) if !std::mem::replace(&mut seen[next], true) => {
                    frames.push((next, direct_callees(&module.funcs[next])));
                }
                Some(_) => {}
                None => {
                    order.push(*node);
                    frames.pop();
                }
            }
        }
    }
    order
}

/// Instructions outside error paths.
fn hot_size(func: &Function) -> usize {
    let hot = func.blocks.iter().filter(|block| !block.cold);
    hot.map(|block| block.insts.len()).sum()
}

/// As [`hot_size`], with calls at their weight.
fn weight(func: &Function) -> usize {
    let hot = func.blocks.iter().filter(|block| !block.cold);
    hot.flat_map(|block| &block.insts)
        .map(|inst| match inst {
            Inst::Call { .. }
            | Inst::CallIndirect { .. }
            | Inst::CallRuntime { .. }
            | Inst::CallExtern { .. } => CALL,
            _ => 1,
        })
        .sum()
}

fn is_small(func: &Function) -> bool {
    func.convention == Convention::Simple
        && !func.checks_stack
        && func.slots.is_empty()
        && func.blocks.len() <= FEW_BLOCKS
        && weight(func) <= SMALL
}

fn inline_into(module: &mut Module, caller: usize) {
    let mut size: usize = module.funcs[caller]
        .blocks
        .iter()
        .map(|block| block.insts.len())
        .sum();
    let mut in_loop = loops_of(&module.funcs[caller]);
    let part = module.funcs[caller].part;
    let mut at = 0;
    while at < module.funcs[caller].blocks.len() {
        let block = &module.funcs[caller].blocks[at];
        let pays = |callee: &Function| {
            // A loop is not much longer for being called, unless that happens in a loop itself. Nor is a part of a long function, most of
            // which runs once.
            let gains = !part && !loops_of(callee).contains(&true);
            is_small(callee) && (in_loop[at] || gains)
        };
        let found = (!block.cold).then(|| {
            block.insts.iter().position(|inst| match inst {
                Inst::Call { func, .. } => {
                    func.0 as usize != caller && pays(&module.funcs[func.0 as usize])
                }
                _ => false,
            })
        });
        let Some(Some(index)) = found else {
            at += 1;
            continue;
        };
        let Inst::Call { func, .. } = &module.funcs[caller].blocks[at].insts[index] else {
            at += 1;
            continue;
        };
        let callee = module.funcs[func.0 as usize].clone();
        size += callee
            .blocks
            .iter()
            .map(|block| block.insts.len())
            .sum::<usize>();
        if size > FULL {
            return;
        }
        // What follows the call is looked at when the loop reaches its new block.
        splice(&mut module.funcs[caller], at, index, callee);
        in_loop.resize(module.funcs[caller].blocks.len(), in_loop[at]);
        at += 1;
    }
}

/// Replaces calls of itself in a small function by its body, so that one activation does the work of several: with one round
/// an activation of `fib` does that of three. The stack is checked once per activation.
fn unroll_recursion(func: &mut Function, id: FnId) {
    if !func.checks_stack || !func.slots.is_empty() || func.convention != Convention::Simple {
        return;
    }
    let calls_itself = |block: &Block| {
        let is_call = |inst: &Inst| matches!(inst, Inst::Call { func, .. } if *func == id);
        block.insts.iter().position(is_call)
    };
    let body = func.clone();
    let size = hot_size(&body);
    for _ in 0..RECURSION_ROUNDS {
        let calls: usize = func
            .blocks
            .iter()
            .filter(|block| !block.cold)
            .flat_map(|block| &block.insts)
            .filter(|inst| matches!(inst, Inst::Call { func, .. } if *func == id))
            .count();
        if calls == 0 || hot_size(func) + calls * size > UNROLLED {
            return;
        }
        let mut work: Vec<usize> = (0..func.blocks.len()).collect();
        while let Some(at) = work.pop() {
            if func.blocks[at].cold {
                continue;
            }
            if let Some(index) = calls_itself(&func.blocks[at]) {
                splice(func, at, index, body.clone());
                // What followed the call.
                work.push(func.blocks.len() - 1);
            }
        }
    }
}

/// Replaces the call at `index` of block `at` by the body of `callee`.
fn splice(caller: &mut Function, at: usize, index: usize, callee: Function) {
    let first_var = caller.vars.len() as u32;
    let first_block = caller.blocks.len() as u32;
    let rest = caller.blocks[at].insts.split_off(index + 1);
    let Some(Inst::Call {
        dsts, args, fail, ..
    }) = caller.blocks[at].insts.pop()
    else {
        caller.blocks[at].insts.extend(rest);
        return;
    };
    // A long block is cut many times, and each piece would keep the room of the whole.
    caller.blocks[at].insts.shrink_to_fit();
    let after = BlockId(first_block + callee.blocks.len() as u32);
    let term = std::mem::replace(
        &mut caller.blocks[at].term,
        Term::Jump(BlockId(first_block)),
    );
    let cold = caller.blocks[at].cold;
    caller.vars.extend(callee.vars.iter().copied());
    for (param, arg) in callee.params.iter().zip(args) {
        caller.blocks[at]
            .insts
            .push(Inst::Copy(Var(first_var + param.0), arg));
    }
    for mut block in callee.blocks {
        for inst in &mut block.insts {
            inst.map_uses(&mut |var| Var(first_var + var.0));
            inst.map_defs(&mut |var| Var(first_var + var.0));
            if let Some(edge) = inst.fail_mut() {
                edge.unwind = BlockId(first_block + edge.unwind.0);
            }
        }
        block
            .term
            .map_targets(&mut |target| BlockId(first_block + target.0));
        block.term.map_uses(&mut |var| Var(first_var + var.0));
        block.term = match std::mem::replace(&mut block.term, Term::Unreachable) {
            Term::Return(vars) => {
                for (dst, var) in dsts.iter().zip(vars) {
                    block.insts.push(Inst::Copy(*dst, var));
                }
                Term::Jump(after)
            }
            Term::Propagate => failed(caller, &mut block, fail, &[], &[]),
            Term::PropagateWith(vars) => {
                let last = dsts.len() - vars.len().min(dsts.len());
                failed(caller, &mut block, fail, &dsts[last..], &vars)
            }
            other => other,
        };
        caller.blocks.push(block);
    }
    caller.blocks.push(Block {
        insts: rest,
        term,
        cold,
    });
}

/// The end of an error path of the callee: the call's site goes into the trace.
fn failed(
    caller: &mut Function,
    block: &mut Block,
    fail: Option<Fail>,
    dsts: &[Var],
    vars: &[Var],
) -> Term {
    let Some(fail) = fail else {
        return Term::Unreachable;
    };
    for (dst, var) in dsts.iter().zip(vars) {
        block.insts.push(Inst::Copy(*dst, *var));
    }
    caller.vars.push(MTy::I32);
    let site = Var(caller.vars.len() as u32 - 1);
    block.insts.push(Inst::Const(site, Const::Site(fail.site)));
    block.insts.push(Inst::CallRuntime {
        dst: None,
        func: RtFn::Trace,
        args: vec![site],
        fail: None,
    });
    Term::Jump(fail.unwind)
}
