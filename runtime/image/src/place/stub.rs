//! Stubs: a few instructions and a word with an address, through which calls reach what is far away.
//!
//! The three forms have one size, so that a stub can be rewritten when a foreign function is bound.

/// Where the word is: it is the second half of a stub.
const WORD: usize = 8;

/// Goes on to `address`.
pub(super) fn jump(stub: &mut [u8], address: usize) {
    if cfg!(target_arch = "x86_64") {
        // jmp [rip + 2]; two bytes of padding.
        stub[..WORD].copy_from_slice(&[0xff, 0x25, 0x02, 0, 0, 0, 0xcc, 0xcc]);
    } else {
        // ldr x16, .+8; br x16. x16 is free between a call and the callee's first instruction.
        stub[..4].copy_from_slice(&0x5800_0050u32.to_le_bytes());
        stub[4..WORD].copy_from_slice(&0xd61f_0200u32.to_le_bytes());
    }
    stub[WORD..].copy_from_slice(&address.to_le_bytes());
}

/// Goes on to `address`, a function with a variable number of arguments: x86-64 passes the number of those in vector
/// registers in `al`, which no argument uses. At most eight are.
pub(super) fn variadic(stub: &mut [u8], floats: u8, address: usize) {
    if cfg!(target_arch = "x86_64") {
        // mov al, floats; jmp [rip + 0].
        stub[..WORD].copy_from_slice(&[0xb0, floats.min(8), 0xff, 0x25, 0, 0, 0, 0]);
        stub[WORD..].copy_from_slice(&address.to_le_bytes());
    } else {
        jump(stub, address);
    }
}

/// Returns `address`.
pub(super) fn address(stub: &mut [u8], address: usize) {
    if cfg!(target_arch = "x86_64") {
        // mov rax, [rip + 1]; ret.
        stub[..WORD].copy_from_slice(&[0x48, 0x8b, 0x05, 1, 0, 0, 0, 0xc3]);
    } else {
        // ldr x0, .+8; ret.
        stub[..4].copy_from_slice(&0x5800_0040u32.to_le_bytes());
        stub[4..WORD].copy_from_slice(&0xd65f_03c0u32.to_le_bytes());
    }
    stub[WORD..].copy_from_slice(&address.to_le_bytes());
}
