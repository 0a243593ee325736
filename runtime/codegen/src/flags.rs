//! Overflow goes straight from the flag of the sum to the branch.
//!
//! For `sadd_overflow` and a branch on its flag Cranelift makes a byte of the flag and tests the byte:
//!
//! ```text
//! add rcx, rax; seto dl; test dl, dl; jnz tail        becomes        add rcx, rax; jo tail
//! ```
//!
//! Nothing else reads the byte, so the two instructions between are gone: the branch takes their place, after as many prefixes that mean
//! nothing to it as it takes to end where it ended; so no other place in the code changes. Both instructions of Cranelift carry a place
//! in the source that tells where their machine code begins and ends; where it is not what is expected here, it stays.
//!
//! Only for x86-64. Next: `translate/scalar.rs`, which makes such sums.

use cranelift_codegen::ir::{Function, InstructionData, SourceLoc};
use cranelift_codegen::{Final, MachBufferFinalized};
use rustc_hash::FxHashMap;

/// The place of a sum whose flag only the branch after it reads. Numbers of calls are far below.
pub(crate) const SUM: u32 = 0xC000_0000;
/// The place of that branch.
pub(crate) const BRANCH: u32 = SUM + 1;

/// A prefix that a branch ignores.
const NOTHING: u8 = 0x2E;

/// Shortens such code of a function, which is what `func` became.
pub(crate) fn branch_on_flags(
    func: &Function,
    buffer: &MachBufferFinalized<Final>,
    bytes: &mut [u8],
) {
    if !cfg!(target_arch = "x86_64") {
        return;
    }
    let places = buffer.get_srclocs_sorted();
    let at = |loc: SourceLoc, number: u32| !loc.is_default() && loc.bits() == number;
    let mut pairs = places.windows(2).filter(|pair| {
        at(pair[0].loc, SUM) && at(pair[1].loc, BRANCH) && pair[0].end == pair[1].start
    });
    let Some(first) = pairs.next() else {
        return;
    };
    if !only_branches_read_flags(func) {
        return;
    }
    for pair in std::iter::once(first).chain(pairs) {
        let (start, middle) = (pair[0].start as usize, pair[0].end as usize);
        shorten(bytes, start, middle, pair[1].end as usize);
    }
}

/// Replaces the code of one sum, which ends at `middle`, and its branch, if it is what is expected.
fn shorten(bytes: &mut [u8], start: usize, middle: usize, end: usize) -> Option<()> {
    let set = middle.checked_sub(3).filter(|set| *set > start)?;
    let &[0x0F, code @ (0x90 | 0x92), byte] = bytes.get(set..middle)? else {
        return None;
    };
    // `test r, r`, after a prefix for some registers.
    let (prefix, test) = match *bytes.get(middle)? {
        0x40..=0x4F => (1, middle + 1),
        _ => (0, middle),
    };
    let register = byte & 7;
    let same = 0xC0 | register << 3 | register;
    if byte != 0xC0 | register || bytes.get(test..test + 2)? != [0x84, same] {
        return None;
    }
    let jump = middle + prefix + 2;
    if jump + 6 > end {
        return None;
    }
    let inverted = match bytes.get(jump..jump + 2)? {
        [0x0F, 0x85] => 0,
        [0x0F, 0x84] => 1,
        _ => return None,
    };
    bytes[set..jump].fill(NOTHING);
    bytes[jump + 1] = code - 0x10 + inverted;
    Some(())
}

/// Whether the flag of every such sum is read once, by a branch.
fn only_branches_read_flags(func: &Function) -> bool {
    let insts = || {
        let blocks = func.layout.blocks();
        blocks.flat_map(|block| func.layout.block_insts(block))
    };
    let marked = |inst, number| {
        let loc = func.srcloc(inst);
        !loc.is_default() && loc.bits() == number
    };
    let mut read: FxHashMap<_, u32> = FxHashMap::default();
    for inst in insts().filter(|inst| marked(*inst, SUM)) {
        if let Some(flag) = func.dfg.inst_results(inst).get(1) {
            read.insert(*flag, 0);
        }
    }
    for inst in insts() {
        let branches = match func.dfg.insts[inst] {
            InstructionData::Brif { arg, .. } => Some(func.dfg.resolve_aliases(arg)),
            _ => None,
        };
        for value in func.dfg.inst_values(inst) {
            let value = func.dfg.resolve_aliases(value);
            if let Some(times) = read.get_mut(&value) {
                *times += if branches == Some(value) { 1 } else { 2 };
            }
        }
    }
    read.values().all(|times| *times <= 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `add rcx, rax; seto dl; test dl, dl; jnz +4; jmp`, and the same with registers that take a prefix.
    const SHORT: [u8; 16] = [
        0x48, 0x01, 0xC1, 0x0F, 0x90, 0xC2, 0x84, 0xD2, 0x0F, 0x85, 4, 0, 0, 0, 0xE9, 0,
    ];
    const LONG: [u8; 17] = [
        0x48, 0x01, 0xC1, 0x41, 0x0F, 0x90, 0xC0, 0x45, 0x84, 0xC0, 0x0F, 0x84, 4, 0, 0, 0, 0xE9,
    ];

    #[test]
    fn the_branch_takes_the_place_of_what_tests_the_flag() {
        let mut code = SHORT;
        assert!(shorten(&mut code, 0, 6, 16).is_some());
        assert_eq!(code[..3], SHORT[..3]);
        assert_eq!(code[3..8], [NOTHING; 5]);
        assert_eq!(code[8..], [0x0F, 0x80, 4, 0, 0, 0, 0xE9, 0]);
        let mut code = LONG;
        assert!(shorten(&mut code, 0, 7, 17).is_some());
        assert_eq!(code[..4], LONG[..4]);
        assert_eq!(code[4..10], [NOTHING; 6]);
        assert_eq!(code[10..], [0x0F, 0x81, 4, 0, 0, 0, 0xE9]);
    }

    #[test]
    fn other_code_stays() {
        // Another condition, another register, something between, and no branch.
        for (at, byte) in [
            (4, 0x94),
            (5, 0xC1),
            (6, 0x85),
            (7, 0xC9),
            (9, 0x8F),
            (8, 0x90),
        ] {
            let mut code = SHORT;
            code[at] = byte;
            let before = code;
            assert!(shorten(&mut code, 0, 6, 16).is_none());
            assert_eq!(code, before);
        }
        let mut code = SHORT;
        assert!(shorten(&mut code, 4, 6, 16).is_none() && shorten(&mut code, 0, 6, 13).is_none());
    }
}
