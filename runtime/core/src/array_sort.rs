//! Sorting arrays of numbers and of texts in place. Everything else is sorted in Simple (`lib/std/core/array.spl`).
//!
//! Floats: `-0.0` and `0.0` are equal and keep their order, `nan` comes last. The sorts are those of the Rust library, which are
//! linear on what is in order already; equal integers cannot be told apart, so theirs need not be stable.

use crate::error::raise;
use crate::layout::{ARRAY_DATA, ArrayObject, Header};
use crate::text::bytes_of;
use simple_system::memory;
use std::cmp::Ordering;

/// What the elements are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(i32)]
pub enum SortKind {
    /// `i8`.
    I8,
    /// `i16`.
    I16,
    /// `i32`.
    I32,
    /// `i64`.
    I64,
    /// `u8` and `bool`.
    U8,
    /// `u16`.
    U16,
    /// `u32`.
    U32,
    /// `u64`.
    U64,
    /// `f32`.
    F32,
    /// `f64`.
    F64,
    /// `text`, by code point.
    Text,
}

impl SortKind {
    const ALL: [SortKind; 11] = [
        SortKind::I8,
        SortKind::I16,
        SortKind::I32,
        SortKind::I64,
        SortKind::U8,
        SortKind::U16,
        SortKind::U32,
        SortKind::U64,
        SortKind::F32,
        SortKind::F64,
        SortKind::Text,
    ];
}

/// The elements as a slice.
///
/// # Safety
/// `array` is live, it has no other holder, and its elements are of type `T`.
unsafe fn elements<'x, T>(array: *mut ArrayObject) -> &'x mut [T] {
    // SAFETY: the caller's contract; `len` elements are initialized after the head, which is aligned for all of them.
    unsafe {
        let first = array.cast::<u8>().add(ARRAY_DATA as usize).cast::<T>();
        std::slice::from_raw_parts_mut(first, (*array).len as usize)
    }
}

/// Floats in the order of `<`, `nan` after everything.
fn order<T: PartialOrd>(a: &T, b: &T) -> Ordering {
    #[expect(clippy::eq_op, reason = "only a `nan` differs from itself")]
    let (a_nan, b_nan) = (a != a, b != b);
    a.partial_cmp(b).unwrap_or_else(|| a_nan.cmp(&b_nan))
}

/// Sorts the elements, which are of the kind with this number; an error, and nothing is changed, when a sort that keeps the order of equal
/// elements has no room to work in.
///
/// # Safety
/// `array` is live, it has no other holder, and `kind` is the number of the [`SortKind`] of its elements.
pub unsafe extern "C" fn rt_array_sort(array: *mut ArrayObject, kind: i32) {
    let Some(&kind) = SortKind::ALL.get(kind as usize) else {
        return;
    };
    if matches!(kind, SortKind::F32 | SortKind::F64 | SortKind::Text) {
        // SAFETY: the caller's contract.
        let length = unsafe { (*array).len } as usize;
        if let Err(error) = memory::probe(length.saturating_mul(size_of::<u64>())) {
            return raise(error.to_string());
        }
    }
    // SAFETY: the caller's contract; texts are live as long as the array that holds them.
    unsafe {
        match kind {
            SortKind::I8 => elements::<i8>(array).sort_unstable(),
            SortKind::I16 => elements::<i16>(array).sort_unstable(),
            SortKind::I32 => elements::<i32>(array).sort_unstable(),
            SortKind::I64 => elements::<i64>(array).sort_unstable(),
            SortKind::U8 => elements::<u8>(array).sort_unstable(),
            SortKind::U16 => elements::<u16>(array).sort_unstable(),
            SortKind::U32 => elements::<u32>(array).sort_unstable(),
            SortKind::U64 => elements::<u64>(array).sort_unstable(),
            SortKind::F32 => elements::<f32>(array).sort_by(order),
            SortKind::F64 => elements::<f64>(array).sort_by(order),
            SortKind::Text => {
                elements::<*const Header>(array).sort_by(|&a, &b| bytes_of(a).cmp(bytes_of(b)))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::array::{rt_array_free, rt_array_new};
    use crate::layout::TypeDesc;

    #[test]
    fn a_kind_is_its_number() {
        for (number, kind) in SortKind::ALL.into_iter().enumerate() {
            assert_eq!(kind as usize, number);
        }
    }

    #[test]
    fn floats_keep_the_order_of_equal_zeros_and_nan_comes_last() {
        let desc = TypeDesc {
            destroy: None,
            name: "[f64]".as_ptr(),
            name_len: 5,
            stride: 8,
            retain_elements: None,
            stored_hash: 0,
            ..TypeDesc::NONE
        };
        let items = [2.0, f64::NAN, 0.0, -0.0, -1.0];
        // SAFETY: the descriptor outlives the array, which has room for the items.
        let sorted = unsafe {
            let array = rt_array_new(&desc, items.len() as i64, items.len() as i64);
            elements::<f64>(array).copy_from_slice(&items);
            rt_array_sort(array, SortKind::F64 as i32);
            let sorted: Vec<String> = elements::<f64>(array).iter().map(f64::to_string).collect();
            rt_array_free(array);
            sorted
        };
        assert_eq!(sorted, ["-1", "0", "-0", "2", "NaN"]);
    }
}
