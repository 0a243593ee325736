//! The code that a foreign function's call sites reach until it is bound.
//!
//! With it a call site needs no "is it bound?" test. A thunk keeps all argument registers, asks [`crate::late`] for the
//! address, and goes on to it as if it had been called directly; without an address it returns the bits by which the
//! function fails, and the error is recorded. Only for x86-64: elsewhere call sites test a flag.

/// Whether call sites of this machine may rely on thunks.
pub const SUPPORTED: bool = cfg!(all(target_arch = "x86_64", unix));

/// Size of one function's part.
pub(crate) const THUNK: usize = 16;

/// Size of the part that all functions share.
pub(crate) const SHARED: usize = 205;

/// Bytes that the thunks of this many foreign functions take.
pub fn thunks_size(late: usize) -> usize {
    match late {
        0 => 0,
        _ if !SUPPORTED => 0,
        _ => late * THUNK + SHARED,
    }
}

/// One function's part: its number, then on to the shared part. `distance` is from the thunk's start to the shared
/// part.
pub(crate) fn thunk(index: u32, distance: i32) -> [u8; THUNK] {
    let mut code = [0xcc; THUNK];
    // mov r11d, index
    code[..2].copy_from_slice(&[0x41, 0xbb]);
    code[2..6].copy_from_slice(&index.to_le_bytes());
    // jmp shared
    code[6] = 0xe9;
    code[7..11].copy_from_slice(&(distance - 11).to_le_bytes());
    code
}

/// The shared part. `helper` is `extern "C" fn(i32) -> (address, bits)` with both results in registers.
pub(crate) fn shared(helper: usize) -> Vec<u8> {
    // push rbp; mov rbp, rsp; sub rsp, 112
    let mut code = vec![0x55, 0x48, 0x89, 0xe5, 0x48, 0x83, 0xec, 0x70];
    move_arguments(&mut code, Direction::Save);
    // mov edi, r11d; movabs rax, helper; call rax
    code.extend([0x44, 0x89, 0xdf, 0x48, 0xb8]);
    code.extend((helper as u64).to_le_bytes());
    code.extend([0xff, 0xd0]);
    // mov r11, rax; mov r10, rdx
    code.extend([0x49, 0x89, 0xc3, 0x49, 0x89, 0xd2]);
    move_arguments(&mut code, Direction::Restore);
    // leave; test r11, r11; jz failed; jmp r11
    code.extend([0xc9, 0x4d, 0x85, 0xdb, 0x74, 0x03, 0x41, 0xff, 0xe3]);
    // failed: mov rax, r10; movq xmm0, rax; xor edx, edx; ret
    code.extend([
        0x4c, 0x89, 0xd0, 0x66, 0x48, 0x0f, 0x6e, 0xc0, 0x31, 0xd2, 0xc3,
    ]);
    code
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    Save,
    Restore,
}

/// Moves the six integer and eight floating-point argument registers to or from the frame.
fn move_arguments(code: &mut Vec<u8>, direction: Direction) {
    let integer = if direction == Direction::Save {
        0x89
    } else {
        0x8b
    };
    // mov [rsp + 8 * place], register or back: the prefix with the register's fourth bit, then its other three.
    let registers = [
        (0x48, 7),
        (0x48, 6),
        (0x48, 2),
        (0x48, 1),
        (0x4c, 0),
        (0x4c, 1),
    ];
    for (place, (prefix, register)) in registers.into_iter().enumerate() {
        code.extend([
            prefix,
            integer,
            0x44 | (register << 3),
            0x24,
            place as u8 * 8,
        ]);
    }
    let float = if direction == Direction::Save {
        0x11
    } else {
        0x10
    };
    // movsd [rsp + 48 + 8 * register], xmm or back; scalars need no more.
    for register in 0..8u8 {
        code.extend([
            0xf2,
            0x0f,
            float,
            0x44 | (register << 3),
            0x24,
            48 + register * 8,
        ]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shared_part_is_as_long_as_room_is_made_for() {
        assert_eq!(shared(1).len(), SHARED);
    }
}
