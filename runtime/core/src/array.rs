//! Arrays: making, growing, copying on write, slicing, joining.
//!
//! Elements are opaque bytes of the descriptor's stride; where they hold counted objects, `retain_elements` counts what was copied bit
//! by bit. Reading and writing elements, releasing them and comparing is compiled code's own work.

use crate::error::{raise, raise_kind};
use crate::error_kind::ErrorKind;
use crate::layout::{ARRAY_DATA, ARRAY_LONGEST, ArrayObject, Header, TypeDesc};
use crate::memory::{grow, rt_free, try_alloc, try_alloc_zeroed};
use crate::pool::{self, Shared};
use crate::text::{rt_text_adopt, slice_range};
use simple_ffi_abi::SffiBuffer;
use std::mem::MaybeUninit;
use std::{ptr, slice};

/// Bytes of an array of this capacity, if that is a size at all.
fn size_of_array(stride: i64, capacity: i64) -> Option<i64> {
    capacity
        .checked_mul(stride)?
        .checked_add(ARRAY_DATA as i64)
        .filter(|_| (0..=ARRAY_LONGEST).contains(&capacity))
}

/// The address of element `index`.
///
/// # Safety
/// `array` is live and has room for `index` elements.
unsafe fn element(array: *mut ArrayObject, index: i64) -> *mut u8 {
    // SAFETY: the caller's contract; the descriptor of an array is never null once it is adopted.
    unsafe {
        let stride = (*(*array).header.desc).stride;
        array
            .cast::<u8>()
            .add(ARRAY_DATA as usize)
            .offset((index * stride) as isize)
    }
}

/// Counts what the elements `index..index + count` hold.
///
/// # Safety
/// The elements are initialized copies.
unsafe fn retain(array: *mut ArrayObject, index: i64, count: i64) {
    // SAFETY: the caller's contract; the function comes from the elements' own type.
    unsafe {
        if let Some(retain_elements) = (*(*array).header.desc).retain_elements {
            retain_elements(element(array, index), count);
        }
    }
}

/// A new array of `len` elements that are not initialized, with room for `capacity` (at least `len`); an error and null when there is no room.
///
/// # Safety
/// `desc` lives as long as the array.
pub unsafe extern "C" fn rt_array_new(
    desc: *const TypeDesc,
    len: i64,
    capacity: i64,
) -> *mut ArrayObject {
    // SAFETY: the caller's contract.
    unsafe { new_array(desc, len, capacity.max(len), try_alloc) }
}

/// A new array of `len` elements that all have the low bytes of `bits`; an error and null when there is no room.
///
/// # Safety
/// `desc` lives as long as the array; its elements are scalars of 1, 2, 4 or 8 bytes.
pub unsafe extern "C" fn rt_array_filled(
    desc: *const TypeDesc,
    len: i64,
    bits: i64,
) -> *mut ArrayObject {
    // SAFETY: the caller's contract; all `len` elements are in the new array, aligned to their size.
    unsafe {
        if bits == 0 {
            return new_array(desc, len, len, try_alloc_zeroed);
        }
        let array = new_array(desc, len, len, try_alloc);
        if array.is_null() {
            return array;
        }
        let (first, count) = (element(array, 0), len as usize);
        match (*desc).stride {
            1 => first.write_bytes(bits as u8, count),
            2 => fill(first.cast(), count, bits as u16),
            4 => fill(first.cast(), count, bits as u32),
            _ => fill(first.cast(), count, bits as u64),
        }
        array
    }
}

/// # Safety
/// There is room for `count` elements at `first`, aligned to their size.
unsafe fn fill<T: Copy>(first: *mut MaybeUninit<T>, count: usize, value: T) {
    // SAFETY: the caller's contract; memory of any content is elements that may not be initialized.
    unsafe { slice::from_raw_parts_mut(first, count).fill(MaybeUninit::new(value)) }
}

/// A new array in memory that `allocate` gives, null when it has none.
///
/// # Safety
/// `desc` lives as long as the array; `capacity` is at least `len`.
unsafe fn new_array(
    desc: *const TypeDesc,
    len: i64,
    capacity: i64,
    allocate: fn(usize) -> *mut Header,
) -> *mut ArrayObject {
    // SAFETY: the caller's contract.
    let stride = unsafe { (*desc).stride };
    if len < 0 {
        raise_kind(ErrorKind::NegativeCount, len, 0);
        return ptr::null_mut();
    }
    let array: *mut ArrayObject = size_of_array(stride, capacity)
        .map_or(ptr::null_mut(), |size| allocate(size as usize).cast());
    if array.is_null() {
        raise(format!(
            "out of memory: no room for an array of {capacity} elements of {stride} bytes"
        ));
        return array;
    }
    // SAFETY: made just above with room for the head.
    unsafe {
        (*array).header.count = 1;
        (*array).header.desc = desc;
        (*array).len = len;
        (*array).capacity = capacity;
    }
    array
}

/// The elements of `array`, whose reference is consumed, in an array with no other holder that has room for `extra` more.
///
/// On failure an error is recorded, null is returned, and the reference is not consumed.
///
/// # Safety
/// `array` is a live array.
pub unsafe extern "C" fn rt_array_unique(array: *mut ArrayObject, extra: i64) -> *mut ArrayObject {
    // SAFETY: the caller's contract; sizes are computed from the array's own head.
    unsafe {
        let (len, capacity) = ((*array).len, (*array).capacity);
        let needed = len.saturating_add(extra);
        let desc = (*array).header.desc;
        let stride = (*desc).stride;
        // Doubling keeps a sequence of pushes linear; the first push makes room for four.
        let wanted = if needed > capacity {
            needed.max(capacity.saturating_mul(2)).max(4)
        } else {
            capacity
        };
        if (*array).header.count == 1 {
            if needed <= capacity {
                return array;
            }
            let moved: *mut ArrayObject = match (
                size_of_array(stride, capacity),
                size_of_array(stride, wanted),
            ) {
                (Some(old), Some(new)) => grow(array.cast(), old, new).cast(),
                _ => ptr::null_mut(),
            };
            if moved.is_null() {
                raise(format!(
                    "out of memory: no room for an array of {needed} elements of {stride} bytes"
                ));
                return moved;
            }
            (*moved).capacity = wanted;
            return moved;
        }
        let copy = rt_array_new(desc, len, if extra == 0 { len } else { wanted });
        if !copy.is_null() {
            crate::copies::note((len * stride) as usize);
            copy_bytes(element(array, 0), element(copy, 0), (len * stride) as usize);
            retain(copy, 0, len);
            // Someone else holds it too, so the count does not reach zero.
            (*array).header.count -= 1;
        }
        copy
    }
}

/// Bytes that one thread copies before it asks for more.
const GRAIN: usize = 1 << 17;

/// Copies so many bytes, on several threads where there are many: most of that time the system makes memory of the copy.
///
/// # Safety
/// Both are there, and do not overlap.
unsafe fn copy_bytes(from: *const u8, to: *mut u8, size: usize) {
    let (from, to) = (Shared::new(from.cast_mut()), Shared::new(to));
    pool::ranges(size, GRAIN, &|range| {
        // SAFETY: the caller's contract; each part is copied once.
        unsafe {
            let (from, to) = (from.at(range.start), to.at(range.start));
            ptr::copy_nonoverlapping(from, to, range.len());
        }
    });
}

/// Moves the elements `from..to` so that they begin at `target`; both may overlap. Nothing is retained or released.
///
/// # Safety
/// `array` is a live array with no other holder, and has room for both ranges.
pub unsafe extern "C" fn rt_array_move(array: *mut ArrayObject, from: i64, to: i64, target: i64) {
    // SAFETY: the caller's contract.
    unsafe {
        let stride = (*(*array).header.desc).stride;
        let size = ((to - from) * stride) as usize;
        ptr::copy(element(array, from), element(array, target), size);
    }
}

/// Frees the memory of a dead array whose elements have been released.
///
/// # Safety
/// Nothing refers to `array` any more.
pub unsafe extern "C" fn rt_array_free(array: *mut ArrayObject) {
    // SAFETY: the caller's contract; the size is the one it was made with.
    unsafe {
        let stride = (*(*array).header.desc).stride;
        rt_free(array.cast(), ARRAY_DATA as i64 + stride * (*array).capacity);
    }
}

/// The elements of a Python slice in a new array.
///
/// # Safety
/// `array` is a live array.
pub unsafe extern "C" fn rt_array_slice(
    array: *mut ArrayObject,
    lo: i64,
    hi: i64,
    step: i64,
) -> *mut ArrayObject {
    // SAFETY: `slice_range` yields indexes inside the array; the new array has room for `count` elements.
    unsafe {
        let Some((first, step, count)) = slice_range((*array).len, lo, hi, step) else {
            raise_kind(ErrorKind::ZeroStep, 0, 0);
            return ptr::null_mut();
        };
        let desc = (*array).header.desc;
        let slice = rt_array_new(desc, count, count);
        if slice.is_null() {
            return slice;
        }
        let stride = (*desc).stride as usize;
        if step == 1 {
            copy_bytes(
                element(array, first),
                element(slice, 0),
                count as usize * stride,
            );
        } else {
            for index in 0..count {
                ptr::copy_nonoverlapping(
                    element(array, first + index * step),
                    element(slice, index),
                    stride,
                );
            }
        }
        retain(slice, 0, count);
        slice
    }
}

/// The elements of `a`, then those of `b`, in a new array.
///
/// # Safety
/// Both are live arrays of one type.
pub unsafe extern "C" fn rt_array_concat(
    a: *mut ArrayObject,
    b: *mut ArrayObject,
) -> *mut ArrayObject {
    // SAFETY: the new array has room for both.
    unsafe {
        let (first, second) = ((*a).len, (*b).len);
        let desc = (*a).header.desc;
        let joined = rt_array_new(desc, first + second, first + second);
        if !joined.is_null() {
            let stride = (*desc).stride;
            crate::copies::note((first * stride) as usize);
            ptr::copy_nonoverlapping(element(a, 0), element(joined, 0), (first * stride) as usize);
            ptr::copy_nonoverlapping(
                element(b, 0),
                element(joined, first),
                (second * stride) as usize,
            );
            retain(joined, 0, first + second);
        }
        joined
    }
}

/// The elements of `a`, whose reference is consumed, then those of `b`: in `a` itself where nobody else holds it.
///
/// On failure an error is recorded, null is returned, and the reference is not consumed.
///
/// # Safety
/// Both are live arrays of one type; another reference keeps `b` alive.
pub unsafe extern "C" fn rt_array_append(
    a: *mut ArrayObject,
    b: *mut ArrayObject,
) -> *mut ArrayObject {
    // SAFETY: the array has room for the elements of both and no other holder, so `b` is another one.
    unsafe {
        let added = (*b).len;
        let joined = rt_array_unique(a, added);
        if !joined.is_null() {
            let (len, stride) = ((*joined).len, (*(*joined).header.desc).stride);
            let size = (added * stride) as usize;
            ptr::copy_nonoverlapping(element(b, 0), element(joined, len), size);
            (*joined).len = len + added;
            retain(joined, len, added);
        }
        joined
    }
}

/// Takes over the buffer of a foreign function as an array; null data is the empty array.
///
/// # Safety
/// `data` is null or came from [`simple_ffi_abi::SffiHost::alloc_array`] and has no other user; `desc` fits its elements.
pub unsafe extern "C" fn rt_array_adopt(
    data: *mut u8,
    length: i64,
    desc: *const TypeDesc,
) -> *mut ArrayObject {
    // SAFETY: the buffer is the contents of an object that the host made.
    unsafe {
        if data.is_null() {
            return rt_array_new(desc, 0, 0);
        }
        let array: *mut ArrayObject = data.sub(ARRAY_DATA as usize).cast();
        (*array).header.desc = desc;
        if length < 0 || length > (*array).capacity {
            raise(format!(
                "a foreign function returned an array of {length} elements but asked for room for {}",
                (*array).capacity
            ));
            rt_array_free(array);
            return ptr::null_mut();
        }
        (*array).len = length;
        array
    }
}

/// Takes over an array of texts that a foreign function got from the host: each element is a text buffer, also from the host.
///
/// # Safety
/// `data` is null or what `alloc_array` returned, and its elements are buffers of `alloc_text`; none was adopted before. `desc`
/// describes an array of texts.
pub unsafe extern "C" fn rt_array_adopt_texts(
    data: *mut u8,
    length: i64,
    desc: *const TypeDesc,
) -> *mut ArrayObject {
    // SAFETY: a text's pointer takes half of its buffer's room, so pointers are written only over buffers that were read.
    unsafe {
        let array = rt_array_adopt(data, length, desc);
        if array.is_null() || data.is_null() {
            return array;
        }
        let buffers: *const SffiBuffer = data.cast();
        let texts: *mut *mut Header = data.cast();
        (*array).len = 0;
        (*array).capacity *= 2;
        let mut failed = false;
        for index in 0..length as usize {
            let buffer = buffers.add(index).read();
            // Those after a failure are adopted too, only to be released.
            let text = rt_text_adopt(buffer.data.cast(), buffer.length);
            if text.is_null() {
                failed = true;
                continue;
            }
            texts.add((*array).len as usize).write(text);
            (*array).len += 1;
        }
        if !failed {
            return array;
        }
        for index in 0..(*array).len as usize {
            crate::text::release(texts.add(index).read());
        }
        rt_array_free(array);
        ptr::null_mut()
    }
}

/// Releases one reference of an array without elements that need it; for tests and for the runtime's own arrays.
///
/// # Safety
/// `array` is live and its elements hold no counted objects.
pub unsafe fn release_plain(array: *mut Header) {
    // SAFETY: the caller's contract.
    unsafe {
        (*array).count -= 1;
        if (*array).count == 0 {
            rt_array_free(array.cast());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::take;
    use crate::layout::IMMORTAL;

    static DESC: Desc = Desc(TypeDesc {
        destroy: None,
        name: "[i64]".as_ptr(),
        name_len: 5,
        stride: 8,
        retain_elements: None,
        stored_hash: 0,
        ..TypeDesc::NONE
    });
    static EMPTY: Desc = Desc(TypeDesc {
        destroy: None,
        name: "[()]".as_ptr(),
        name_len: 4,
        stride: 0,
        retain_elements: None,
        stored_hash: 0,
        ..TypeDesc::NONE
    });
    struct Desc(TypeDesc);
    // SAFETY: the descriptor is constant and its name is static.
    unsafe impl Sync for Desc {}

    fn array(items: &[i64]) -> *mut ArrayObject {
        // SAFETY: the descriptor is static; the array has room for the items.
        unsafe {
            let array = rt_array_new(&DESC.0, items.len() as i64, items.len() as i64);
            ptr::copy_nonoverlapping(items.as_ptr(), element(array, 0).cast(), items.len());
            array
        }
    }

    fn items(array: *mut ArrayObject) -> Vec<i64> {
        // SAFETY: the tests only pass live arrays of `i64`.
        unsafe {
            std::slice::from_raw_parts(element(array, 0).cast(), (*array).len as usize).to_vec()
        }
    }

    #[test]
    fn a_shared_array_is_copied_and_a_lone_one_grows() {
        let a = array(&[1, 2, 3]);
        // SAFETY: `a` is live; its counts are kept by hand.
        unsafe {
            assert_eq!(rt_array_unique(a, 0), a);
            (*a).header.count = 2;
            let b = rt_array_unique(a, 1);
            assert_ne!(a, b);
            assert_eq!((*a).header.count, 1);
            assert_eq!(items(b), [1, 2, 3]);
            assert!((*b).capacity >= 4);
            let mut grown = b;
            for value in 4..1000 {
                grown = rt_array_unique(grown, 1);
                let len = (*grown).len;
                element(grown, len).cast::<i64>().write(value);
                (*grown).len = len + 1;
            }
            assert_eq!(items(grown), (1..1000).collect::<Vec<i64>>());
            release_plain(a.cast());
            release_plain(grown.cast());
        }
    }

    #[test]
    fn the_immortal_empty_array_is_never_changed() {
        let mut empty = ArrayObject {
            header: Header {
                count: IMMORTAL,
                desc: &DESC.0,
            },
            len: 0,
            capacity: 0,
        };
        // SAFETY: the object outlives the call and is never freed, as its count stays far from zero.
        unsafe {
            let own = rt_array_unique(&mut empty, 1);
            assert_eq!((*own).len, 0);
            assert!((*own).capacity >= 1);
            release_plain(own.cast());
        }
    }

    #[test]
    fn absurd_sizes_are_errors() {
        // SAFETY: the descriptor is static.
        unsafe {
            assert!(rt_array_new(&DESC.0, i64::MAX / 4, 0).is_null());
            assert!(take().expect("an error").message.contains("out of memory"));
            assert!(rt_array_new(&EMPTY.0, ARRAY_LONGEST + 1, 0).is_null());
            assert!(take().expect("an error").message.contains("out of memory"));
            assert!(rt_array_new(&DESC.0, -1, 0).is_null());
            assert!(take().expect("an error").message.contains("-1"));
        }
    }
}
