//! Counting that nothing can notice: of constants, and pairs of retain and release.
//!
//! A constant object never dies, wherever its count goes ([`simple_core::layout::IMMORTAL`]), so what surely holds one is not counted.
//!
//! Within a block, `retain v` followed by `release v` cancel when everything in between only computes: no call (which could look
//! at the count to change something in place), no other release, no read of a count, no failure edge (whose path releases too).
//! Copies are followed, because lowering copies variables freely.

use crate::mir::{Const, Function, Inst, Module, Var};
use simple_core::layout::COUNT;

/// Removes both in every function.
pub fn remove_counting(module: &mut Module) {
    for func in &mut module.funcs {
        forget_constants(func);
        cancel_in(func);
    }
}

/// What is known about the variables that hold one thing only.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Holds {
    Nothing,
    Constant,
    CopyOf(Var),
    Other,
}

fn forget_constants(func: &mut Function) {
    let insts = || func.blocks.iter().flat_map(|block| &block.insts);
    if !insts().any(|inst| matches!(inst, Inst::Retain(..) | Inst::Release(..))) {
        return;
    }
    let mut holds = vec![Holds::Nothing; func.vars.len()];
    for param in &func.params {
        // [condition counts.parameters]: callers pass objects that are no constants.
        holds[param.0 as usize] = Holds::Other;
    }
    for inst in insts() {
        inst.each_def(&mut |dst| {
            let known = match inst {
                Inst::Const(_, Const::Text(_) | Const::Empty(_) | Const::Closure(_)) => {
                    Holds::Constant
                }
                Inst::Copy(_, src) => Holds::CopyOf(*src),
                _ => Holds::Other,
            };
            let dst = &mut holds[dst.0 as usize];
            *dst = match *dst {
                Holds::Nothing => known,
                Holds::Constant if known == Holds::Constant => known,
                // [condition counts.one_thing]: a variable that holds something else, too, is not a constant.
                _ => Holds::Other,
            };
        });
    }
    let is_constant = |var: Var| {
        let mut at = var;
        // Copies can go round in a circle only in code that is never reached.
        for _ in 0..holds.len() {
            match holds[at.0 as usize] {
                Holds::Constant => return true,
                Holds::CopyOf(src) => at = src,
                Holds::Nothing | Holds::Other => return false,
            }
        }
        false
    };
    for block in &mut func.blocks {
        block.insts.retain(|inst| {
            !matches!(inst, Inst::Retain(var, _) | Inst::Release(var, _) if is_constant(*var))
        });
    }
}

fn cancel_in(func: &mut Function) {
    for block in &mut func.blocks {
        let mut gone = vec![false; block.insts.len()];
        for at in 0..block.insts.len() {
            if let Inst::Retain(var, _) = block.insts[at]
                && let Some(distance) = partner(&block.insts[at + 1..], &gone[at + 1..], var)
            {
                gone[at] = true;
                gone[at + 1 + distance] = true;
            }
        }
        let mut gone = gone.into_iter();
        block.insts.retain(|_| gone.next() != Some(true));
    }
}

/// Instructions among which a partner is looked for.
const NEAR: usize = 500;

/// How far after a retain of `var` the release is that cancels it; what is `gone` is left out.
fn partner(insts: &[Inst], gone: &[bool], var: Var) -> Option<usize> {
    let mut names = vec![var];
    for (distance, inst) in insts.iter().enumerate().take(NEAR) {
        // [condition counts.gone]: a release cancels one retain only.
        if gone[distance] {
            continue;
        }
        match inst {
            // [condition counts.same_object]: the release of another object does not release this one.
            Inst::Release(other, _) if names.contains(other) => return Some(distance),
            // [condition counts.copied]: only copies of this variable are other names for the object.
            Inst::Copy(dst, src) if names.contains(src) => {
                if !names.contains(dst) {
                    names.push(*dst);
                }
                continue;
            }
            Inst::Const(..)
            | Inst::Copy(..)
            | Inst::Bin(..)
            | Inst::Un(..)
            | Inst::Cmp(..)
            | Inst::Conv(..)
            | Inst::Select(..)
            | Inst::LoadAt(..)
            | Inst::AddrAt(..)
            | Inst::StoreAt(..)
            | Inst::Retain(..) => {}
            // [condition counts.count_read]: the count decides whether an object is changed in place.
            // [condition counts.count_written]: a count that is stored is another one.
            Inst::Load(_, _, offset) | Inst::Store(_, offset, _) if *offset != COUNT => {}
            // [condition counts.other_release]: another release may run `drop`, which may look at the count.
            // [condition counts.call]: a function may change the object in place if its count is 1.
            // [condition counts.call_indirect]: so may a function value.
            // [condition counts.call_runtime]: so may the runtime.
            // [condition counts.call_extern]: C may call back.
            // [condition counts.failure]: an error path releases what was retained.
            _ => return None,
        }
        // [condition counts.assigned]: a name that is assigned again does not name the object any more.
        inst.each_def(&mut |def| names.retain(|name| *name != def));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mir::{
        BlockId, CheckedOp, Const, ExternId, Fail, FnId, MTy, Release, SiteId, TextId,
    };
    use simple_core::table::RtFn;

    const HOW: Release = Release {
        destroy: None,
        text: true,
        nullable: false,
    };

    #[test]
    fn a_pair_around_pure_code_cancels_also_through_a_copy() {
        let insts = [
            Inst::Copy(Var(2), Var(1)),
            Inst::Const(Var(3), Const::Int(1)),
            Inst::Release(Var(2), HOW),
        ];
        assert_eq!(partner(&insts, &[false; 3], Var(1)), Some(2));
    }

    #[test]
    fn what_surely_holds_a_constant_is_not_counted() {
        let text = Const::Text(TextId(0));
        let (constant, copy, mixed) = (Var(0), Var(1), Var(2));
        let insts = vec![
            Inst::Const(constant, text),
            Inst::Copy(copy, constant),
            Inst::Const(mixed, text),
            Inst::Copy(mixed, Var(3)),
            Inst::Retain(constant, false),
            Inst::Release(copy, HOW),
            Inst::Retain(mixed, false),
            Inst::Retain(Var(3), false),
        ];
        let mut func = crate::lower::empty_function("f");
        func.vars = vec![MTy::Ptr; 4];
        func.params = vec![Var(3)];
        func.blocks[0].insts = insts;
        forget_constants(&mut func);
        let left = [Inst::Retain(mixed, false), Inst::Retain(Var(3), false)];
        assert_eq!(func.blocks[0].insts[4..], left);
    }

    #[test]
    fn a_pair_around_a_count_or_another_release_stays() {
        let load = [
            Inst::Load(Var(3), Var(1), COUNT),
            Inst::Release(Var(1), HOW),
        ];
        assert_eq!(partner(&load, &[false; 2], Var(1)), None);
        let other = [Inst::Release(Var(4), HOW), Inst::Release(Var(1), HOW)];
        assert_eq!(partner(&other, &[false; 2], Var(1)), None);
        let reassigned = [
            Inst::Const(Var(1), Const::Int(0)),
            Inst::Release(Var(1), HOW),
        ];
        assert_eq!(partner(&reassigned, &[false; 2], Var(1)), None);
    }

    #[test]
    fn a_pair_around_a_call_or_a_failure_stays() {
        let fail = Fail {
            site: SiteId(0),
            unwind: BlockId(0),
        };
        let between = [
            Inst::Call {
                dsts: Vec::new(),
                func: FnId(0),
                args: vec![Var(1)],
                fail: None,
            },
            Inst::CallRuntime {
                dst: None,
                func: RtFn::Print,
                args: vec![Var(1)],
                fail: None,
            },
            Inst::CallExtern {
                dsts: Vec::new(),
                func: ExternId(0),
                args: vec![Var(1)],
                fail,
            },
            Inst::Checked(Var(2), CheckedOp::Add, true, Var(3), Var(3), fail),
            Inst::Store(Var(1), COUNT, Var(3)),
        ];
        for inst in between {
            let insts = [inst, Inst::Release(Var(1), HOW)];
            assert_eq!(partner(&insts, &[false; 2], Var(1)), None, "{insts:?}");
        }
    }
}
