//! What Cranelift calls on machines without an instruction for rounding, for a fused multiply-add, or for copying a
//! struct.

use crate::form::Helper;

/// C's `memcpy`, which is called where a struct is passed on the stack.
unsafe extern "C" fn copy_bytes(to: *mut u8, from: *const u8, bytes: usize) -> *mut u8 {
    // SAFETY: compiled code gives the place of an argument, and a struct in its frame of so many bytes.
    unsafe { std::ptr::copy_nonoverlapping(from, to, bytes) };
    to
}

/// The address of a helper.
pub(super) fn address(helper: Helper) -> usize {
    macro_rules! address {
        ($ty:ty: |$($x:ident),+| $value:expr) => {{
            extern "C" fn function($($x: $ty),+) -> $ty { $value }
            function as *const () as usize
        }};
    }
    match helper {
        Helper::FloorF32 => address!(f32: |x| x.floor()),
        Helper::FloorF64 => address!(f64: |x| x.floor()),
        Helper::CeilF32 => address!(f32: |x| x.ceil()),
        Helper::CeilF64 => address!(f64: |x| x.ceil()),
        Helper::TruncF32 => address!(f32: |x| x.trunc()),
        Helper::TruncF64 => address!(f64: |x| x.trunc()),
        Helper::NearestF32 => address!(f32: |x| x.round_ties_even()),
        Helper::NearestF64 => address!(f64: |x| x.round_ties_even()),
        Helper::FmaF32 => address!(f32: |x, y, z| x.mul_add(y, z)),
        Helper::FmaF64 => address!(f64: |x, y, z| x.mul_add(y, z)),
        Helper::Memcpy => copy_bytes as *const () as usize,
    }
}
