//! Counting: pairs of retain and release that nothing between them can notice.
//!
//! Within a block, `retain v` followed by `release v` cancel when everything in between only computes: no call (which could look
//! at the count to change something in place), no other release, no read of a count, no failure edge (whose path releases too).
//! Copies are followed, because lowering copies variables freely.

use crate::mir::{Function, Inst, Module, Var};
use simple_core::layout::COUNT;

/// Removes pairs in every function.
pub fn cancel_pairs(module: &mut Module) {
    for func in &mut module.funcs {
        cancel_in(func);
    }
}

fn cancel_in(func: &mut Function) {
    for block in &mut func.blocks {
        let mut at = 0;
        while at < block.insts.len() {
            let Inst::Retain(var, _) = block.insts[at] else {
                at += 1;
                continue;
            };
            match partner(&block.insts[at + 1..], var) {
                Some(distance) => {
                    block.insts.remove(at + 1 + distance);
                    block.insts.remove(at);
                }
                None => at += 1,
            }
        }
    }
}

/// How far behind a retain of `var` the release is that cancels it.
fn partner(insts: &[Inst], var: Var) -> Option<usize> {
    let mut names = vec![var];
    for (distance, inst) in insts.iter().enumerate() {
        match inst {
            Inst::Release(other, _) if names.contains(other) => return Some(distance),
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
            Inst::Load(_, _, offset) | Inst::Store(_, offset, _) if *offset != COUNT => {}
            _ => return None,
        }
        names.retain(|name| !inst.defs().contains(name));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mir::{Const, Release};

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
        assert_eq!(partner(&insts, Var(1)), Some(2));
    }

    #[test]
    fn a_pair_around_a_count_or_another_release_stays() {
        let load = [
            Inst::Load(Var(3), Var(1), COUNT),
            Inst::Release(Var(1), HOW),
        ];
        assert_eq!(partner(&load, Var(1)), None);
        let other = [Inst::Release(Var(4), HOW), Inst::Release(Var(1), HOW)];
        assert_eq!(partner(&other, Var(1)), None);
        let reassigned = [
            Inst::Const(Var(1), Const::Int(0)),
            Inst::Release(Var(1), HOW),
        ];
        assert_eq!(partner(&reassigned, Var(1)), None);
    }
}
