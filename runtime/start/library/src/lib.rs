//! What a library for C begins with: `simple compile --shared` attaches the program to a copy of this, and object files
//! of `simple compile --object` are linked to it.
//!
//! Functions that C calls are stubs, which `simple_start` makes (`shared.rs`, `object.rs`): each jumps to
//! [`simple_library_enter`] with the program in `r10` and its own number in `r11`. The first one starts the program.

#![allow(
    unsafe_code,
    reason = "C and the stubs reach these functions by their names and registers"
)]

use std::ffi::c_char;

/// The message of the first error since it was asked last, with its trace; NULL if there was none. It lasts until the
/// next call on this thread.
#[unsafe(no_mangle)]
pub extern "C" fn simple_library_error() -> *const c_char {
    simple_start::library::error()
}

/// Goes on to the function with the number in `r11` of the program at `r10`, with the arguments as they are. Where the
/// program cannot start, the function yields zeros.
///
/// # Safety
///
/// Only stubs of `simple compile` jump here.
#[cfg(target_arch = "x86_64")]
#[unsafe(naked)]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn simple_library_enter() {
    // Arguments are in six registers for integers and eight for floats (System V ABI, section 3.2.3).
    std::arch::naked_asm!(
        "mov rax, [rip + {table}]",
        "test rax, rax",
        "jz 2f",
        "jmp [rax + r11 * 8]",
        "2:",
        "push rbp",
        "mov rbp, rsp",
        "push rdi",
        "push rsi",
        "push rdx",
        "push rcx",
        "push r8",
        "push r9",
        "sub rsp, 128",
        "movups [rsp], xmm0",
        "movups [rsp + 16], xmm1",
        "movups [rsp + 32], xmm2",
        "movups [rsp + 48], xmm3",
        "movups [rsp + 64], xmm4",
        "movups [rsp + 80], xmm5",
        "movups [rsp + 96], xmm6",
        "movups [rsp + 112], xmm7",
        "mov rdx, rdi",
        "mov rdi, r10",
        "mov rsi, r11",
        "call {start}",
        "movups xmm0, [rsp]",
        "movups xmm1, [rsp + 16]",
        "movups xmm2, [rsp + 32]",
        "movups xmm3, [rsp + 48]",
        "movups xmm4, [rsp + 64]",
        "movups xmm5, [rsp + 80]",
        "movups xmm6, [rsp + 96]",
        "movups xmm7, [rsp + 112]",
        "add rsp, 128",
        "pop r9",
        "pop r8",
        "pop rcx",
        "mov r11, rdx",
        "pop rdx",
        "pop rsi",
        "pop rdi",
        "pop rbp",
        "test rax, rax",
        "jz 3f",
        "jmp rax",
        "3:",
        "mov rax, r11",
        "xor edx, edx",
        "xorps xmm0, xmm0",
        "xorps xmm1, xmm1",
        "ret",
        table = sym simple_start::library::TABLE,
        start = sym start,
    )
}

/// What the first call of a function gets: its address, or 0 and what it yields instead.
#[repr(C)]
struct Found {
    address: usize,
    otherwise: usize,
}

/// # Safety
///
/// `program` is what a stub refers to, and `place` the first argument of the function.
#[cfg(target_arch = "x86_64")]
unsafe extern "C" fn start(program: *const u8, number: usize, place: usize) -> Found {
    // SAFETY: the caller's contract.
    let found = unsafe { simple_start::library::start(program, number, place) };
    match found {
        Ok(address) => Found {
            address,
            otherwise: 0,
        },
        Err(otherwise) => Found {
            address: 0,
            otherwise,
        },
    }
}
