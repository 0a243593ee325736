//! How the processor computes with floats: rounding, what becomes of tiny numbers, which exceptions trap.
//!
//! Programs count on the defaults. A foreign function may change them, as `fesetround` does; around calls of those that may, compiled
//! code keeps the state and puts it back. What such a function notes about its results (the flags of `fetestexcept`) stays.

/// The flags of the vector state that note what happened.
#[cfg(target_arch = "x86_64")]
const NOTES: u32 = 0x3f;

/// The state now: that of the vector registers in the lower half, the control word of the old unit above it.
#[cfg(target_arch = "x86_64")]
pub extern "C" fn rt_floats_keep() -> i64 {
    let (mut vector, mut old) = (0u32, 0u16);
    // SAFETY: both instructions store to the variables that they are given.
    unsafe {
        std::arch::asm!(
            "stmxcsr [{vector}]",
            "fnstcw [{old}]",
            vector = in(reg) &raw mut vector,
            old = in(reg) &raw mut old,
            options(nostack, preserves_flags)
        );
    }
    i64::from(vector) | i64::from(old) << 32
}

/// Puts the state back that [`rt_floats_keep`] returned.
#[cfg(target_arch = "x86_64")]
pub extern "C" fn rt_floats_restore(kept: i64) {
    let now = rt_floats_keep();
    let vector = (kept as u32 & !NOTES) | (now as u32 & NOTES);
    let old = (kept >> 32) as u16;
    if i64::from(vector) | i64::from(old) << 32 == now {
        return;
    }
    // SAFETY: both values were read from the processor, so they are valid ones.
    unsafe {
        std::arch::asm!(
            "ldmxcsr [{vector}]",
            "fldcw [{old}]",
            vector = in(reg) &raw const vector,
            old = in(reg) &raw const old,
            options(nostack, readonly, preserves_flags)
        );
    }
}

/// The state now: the control register.
#[cfg(target_arch = "aarch64")]
pub extern "C" fn rt_floats_keep() -> i64 {
    let state: i64;
    // SAFETY: the instruction reads a register that every program may read.
    unsafe {
        std::arch::asm!("mrs {state}, fpcr", state = out(reg) state, options(nomem, nostack))
    };
    state
}

/// Puts the state back that [`rt_floats_keep`] returned.
#[cfg(target_arch = "aarch64")]
pub extern "C" fn rt_floats_restore(kept: i64) {
    // SAFETY: the value was read from this register.
    unsafe { std::arch::asm!("msr fpcr, {state}", state = in(reg) kept, options(nomem, nostack)) };
}

/// Does something that leaves the state as it was, such as opening a library whose constructors change it.
pub fn keeping<T>(work: impl FnOnce() -> T) -> T {
    let kept = rt_floats_keep();
    let result = work();
    rt_floats_restore(kept);
    result
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;
    use std::hint::black_box;

    /// Rounding upwards.
    const UPWARDS: i64 = 0x4000;

    #[test]
    fn rounding_is_put_back() {
        let product = || black_box(10.0) * black_box(0.1);
        keeping(|| {
            rt_floats_restore(rt_floats_keep() | UPWARDS);
            assert_eq!(product(), 1.0000000000000002);
        });
        assert_eq!(product(), 1.0);
    }
}
