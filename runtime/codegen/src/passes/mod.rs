//! Passes over the middle form: fewer edges, checks, counts, blocks and calls.
//!
//! Each pass takes and gives a sound module. Recursion comes before `can_fail`, because a function that checks the stack can
//! fail; inlining after both, because it must know them.

mod blocks;
mod calls;
mod checks;
mod counts;
mod inline;
mod ranges;
mod specialize;
mod ssa;
mod unused;

pub use blocks::remove_unreachable;

use crate::mir::Module;

/// Which passes run.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Optimize {
    /// Only those that a program needs to run at all; for comparing with optimized code.
    No,
    /// All.
    #[default]
    Yes,
}

/// Rounds of removing checks: what one round finds out tells the next one more.
const CHECK_ROUNDS: usize = 2;

/// Runs the passes.
pub fn run(module: &mut Module, optimize: Optimize) {
    blocks::simplify(module);
    if optimize == Optimize::No {
        calls::mark_recursion(module);
        return;
    }
    specialize::specialize(module);
    unused::empty_unused(module);
    calls::mark_recursion(module);
    calls::narrow_failures(module);
    blocks::simplify(module);
    inline::inline(module);
    unused::empty_unused(module);
    blocks::simplify(module);
    for _ in 0..CHECK_ROUNDS {
        if !checks::remove_checks(module) {
            break;
        }
        blocks::simplify(module);
    }
    calls::narrow_failures(module);
    blocks::simplify(module);
    counts::cancel_pairs(module);
}
