//! Which foreign functions may change how the processor computes with floats.
//!
//! What they change is put back after a call (`core/float_state.rs`). That costs as much as a short call, so it is done only where a
//! function is one of `<fenv.h>`, or its library lies beside the program and calls one of those or contains the instruction
//! that sets the state of the vector registers. Installed libraries are not looked at.

use std::path::Path;

/// The functions of C that change the state, and those of glibc besides.
const CHANGING: [&str; 8] = [
    "fesetround",
    "fesetenv",
    "feupdateenv",
    "feholdexcept",
    "feenableexcept",
    "fedisableexcept",
    "fesetmode",
    "_FPU_SETCW",
];
/// A larger file is not looked through.
const LARGEST: u64 = 64 << 20;

/// Whether a function is one of them.
pub(crate) fn is_of_fenv(symbol: &str) -> bool {
    let name = symbol.split('@').next().unwrap_or(symbol);
    CHANGING.contains(&name)
}

/// Whether a library may do so.
pub(crate) fn file_changes_them(path: &Path) -> bool {
    let small = path
        .metadata()
        .is_ok_and(|data| data.is_file() && data.len() <= LARGEST);
    let bytes = match small {
        true => std::fs::read(path).unwrap_or_default(),
        false => return false,
    };
    let names = |name: &&str| {
        let entry = format!("\0{name}\0");
        memchr::memmem::find(&bytes, entry.as_bytes()).is_some()
    };
    CHANGING.iter().any(names) || sets_vector_state(&bytes)
}

/// Whether there is an `ldmxcsr` or `vldmxcsr`, or bytes that look like one.
fn sets_vector_state(bytes: &[u8]) -> bool {
    cfg!(target_arch = "x86_64")
        && bytes.windows(3).any(|code| {
            matches!(code[0], 0x0f | 0xf8)
                && code[1] == 0xae
                && code[2] & 0x38 == 0x10
                && code[2] < 0xc0
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_of_fenv_are_known_in_any_version() {
        assert!(is_of_fenv("fesetround") && is_of_fenv("fesetenv@GLIBC_2.2.5"));
        assert!(!is_of_fenv("fegetround") && !is_of_fenv("sin"));
    }

    #[test]
    fn the_instruction_is_found_with_a_place_in_memory_only() {
        if cfg!(target_arch = "x86_64") {
            assert!(sets_vector_state(&[0x90, 0x0f, 0xae, 0x55, 0xfc]));
            assert!(sets_vector_state(&[0xc5, 0xf8, 0xae, 0x14, 0x24]));
            // stmxcsr, and rdfsbase.
            assert!(!sets_vector_state(&[0x0f, 0xae, 0x5d, 0xfc]));
            assert!(!sets_vector_state(&[0x0f, 0xae, 0xd0]));
        }
    }
}
