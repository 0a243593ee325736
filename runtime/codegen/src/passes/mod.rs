//! Passes over the middle form: fewer edges, fewer counts, fewer blocks, fewer calls.
//!
//! Each pass takes and gives a sound module. Recursion comes before `can_fail`, because a function that checks the stack can
//! fail; inlining after both, because it must know them.

mod blocks;
mod calls;
mod counts;
mod inline;

pub use blocks::remove_unreachable;

use crate::mir::Module;

/// Runs all passes.
pub fn run(module: &mut Module) {
    blocks::simplify(module);
    calls::mark_recursion(module);
    calls::narrow_failures(module);
    blocks::simplify(module);
    inline::inline(module);
    blocks::simplify(module);
    counts::cancel_pairs(module);
}
