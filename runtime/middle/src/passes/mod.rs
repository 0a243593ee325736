//! Passes over the middle form: fewer edges, checks, counts, blocks and calls.
//!
//! Each pass takes and gives a sound module. Recursion comes before `can_fail`, because a function that checks the stack can
//! fail; inlining after both, because it must know them. Effort is chosen once it is known what each function has become, and before checks
//! are looked at, which is left out where little is gained.

mod asks;
mod blocks;
mod calls;
mod checks;
mod cold;
mod constants;
mod counts;
mod cycles;
mod effort;
mod fast_loops;
mod hand_over;
mod inline;
mod own;
mod part;
mod ranges;
mod specialize;
mod split;
mod ssa;
mod unchecked;
mod unroll;
mod unused;
mod vector;

pub use blocks::remove_unreachable;
pub(crate) use unused::{Reach, empty_unused};

use crate::mir::Module;

/// Which passes run.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Optimize {
    /// Only those that a program needs to run at all; for comparing with optimized code.
    No,
    /// All.
    #[default]
    Yes,
    /// All, and nearly every function is cut into parts, as a very long one is; for comparing too.
    InParts,
}

/// Runs the passes.
pub fn run(module: &mut Module, optimize: Optimize) {
    split::split(
        module,
        match optimize {
            Optimize::InParts => split::Sizes { whole: 12, part: 6 },
            _ => split::Sizes::default(),
        },
    );
    if optimize == Optimize::No {
        blocks::simplify(module);
        calls::mark_recursion(module);
        return;
    }
    unused::empty_unused(module);
    specialize::specialize(module);
    hand_over::hand_over(module);
    unused::empty_unused(module);
    calls::mark_recursion(module);
    calls::narrow_failures(module);
    cold::mark_cold(module);
    blocks::simplify(module);
    inline::inline(module);
    constants::fold_all(module);
    unused::empty_unused(module);
    blocks::simplify(module);
    effort::choose_effort(module);
    unroll::unroll(module);
    checks::remove_checks(module);
    calls::narrow_failures(module);
    blocks::simplify(module);
    counts::remove_counting(module);
    fast_loops::add_fast_loops(module);
}
