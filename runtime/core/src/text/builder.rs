//! Interpolation: pieces are written one after another and become a text at the end.
//!
//! A builder is a separate buffer, not a text object, so that writing never moves what compiled code holds. Finished builders
//! are kept for the next interpolation; a text is then one allocation of its exact size. Interpolations nest, so there can
//! be several at a time.

use super::{as_str, char_len, no_room, try_text_from_parts};
use crate::error::{guard, raise};
use crate::format::{self, Spec};
use crate::layout::Header;
use rustc_hash::FxHashSet;
use simple_system::memory;
use std::cell::{Cell, RefCell};
use std::ptr;

/// A text under construction; compiled code knows its address only.
#[derive(Debug, Default)]
pub struct Builder {
    /// UTF-8.
    bytes: Vec<u8>,
    /// The number of characters in `bytes`.
    chars: usize,
    /// The instances that are being printed, by address: one that comes again inside itself is only named.
    open: FxHashSet<usize>,
    /// Whether texts among the values have quotes.
    quoting: bool,
}

/// A buffer that has grown beyond this is given back instead of kept.
const KEPT_CAPACITY: usize = 64 << 10;
/// More builders than this are not kept.
const KEPT_BUILDERS: usize = 16;

thread_local! {
    // Boxed because compiled code holds their addresses while they are in use.
    #[expect(clippy::vec_box, reason = "a builder must stay at its address when it leaves the list")]
    static SPARE: RefCell<Vec<Box<Builder>>> = const { RefCell::new(Vec::new()) };
}

fn keep(mut builder: Box<Builder>) {
    if builder.bytes.capacity() > KEPT_CAPACITY {
        return;
    }
    builder.bytes.clear();
    builder.chars = 0;
    builder.open.clear();
    builder.quoting = false;
    SPARE.with(|spare| {
        let mut spare = spare.borrow_mut();
        if spare.len() < KEPT_BUILDERS {
            spare.push(builder);
        }
    });
}

/// No printed number is longer: far from 1 floats have an exponent.
const LONGEST_NUMBER: usize = 64;

impl Builder {
    /// Whether `more` bytes fit; otherwise an error, which [`rt_builder_finish`] passes on.
    #[inline]
    fn has_room(&mut self, more: usize) -> bool {
        let fits = memory::reserve(&mut self.bytes, more).is_ok();
        if !fits {
            no_room(self.bytes.len() + more);
        }
        fits
    }
}

/// Runs `write` on the bytes, all of which it writes being ASCII.
///
/// # Safety
/// `builder` is a live builder.
#[inline]
unsafe fn write_ascii(builder: *mut Builder, write: impl FnOnce(&mut Vec<u8>)) {
    // SAFETY: the caller's contract; nothing else uses the builder during the call.
    let builder = unsafe { &mut *builder };
    if !builder.has_room(LONGEST_NUMBER) {
        return;
    }
    guard((), || {
        let before = builder.bytes.len();
        write(&mut builder.bytes);
        builder.chars += builder.bytes.len() - before;
    });
}

/// Writes a formatted piece of a value that is `length` bytes long without its spec.
///
/// # Safety
/// `builder` is a live builder, `spec` points to a spec.
unsafe fn write_formatted(
    builder: *mut Builder,
    spec: *const Spec,
    length: usize,
    write: impl FnOnce(&mut String, &Spec),
) {
    // SAFETY: the caller's contract; nothing else uses the builder during the call.
    let (builder, spec) = unsafe { (&mut *builder, &*spec) };
    // Widths and precisions are small numbers, so only a text can be large; it is doubled while it grows.
    let most = length.saturating_mul(2);
    if memory::probe(most).is_err() {
        return no_room(most);
    }
    guard((), || {
        let mut piece = String::new();
        write(&mut piece, spec);
        if !builder.has_room(piece.len()) {
            return;
        }
        builder.bytes.extend_from_slice(piece.as_bytes());
        builder.chars += piece.chars().count();
    });
}

/// An empty builder.
pub extern "C" fn rt_builder_new() -> *mut Builder {
    let spare = SPARE.with(|spare| spare.borrow_mut().pop());
    Box::into_raw(spare.unwrap_or_default())
}

/// The text of a builder, which is used up; null when a piece or the text found no room, which is then the recorded error.
///
/// # Safety
/// `builder` is a live builder that is not used afterwards.
pub unsafe extern "C" fn rt_builder_finish(builder: *mut Builder) -> *mut Header {
    // SAFETY: builders come from `Box::into_raw`, and the caller gives this one away.
    let builder = unsafe { Box::from_raw(builder) };
    let text = match crate::error::is_pending() {
        true => std::ptr::null_mut(),
        // SAFETY: only whole pieces of UTF-8 are written to a builder, and their characters are counted.
        false => unsafe { try_text_from_parts(&builder.bytes, builder.chars) },
    };
    keep(builder);
    text
}

/// Frees a builder.
///
/// # Safety
/// `builder` is a live builder that is not used afterwards.
pub unsafe extern "C" fn rt_builder_discard(builder: *mut Builder) {
    // SAFETY: builders come from `Box::into_raw`, and the caller gives this one away.
    keep(unsafe { Box::from_raw(builder) });
}

/// Writes a text.
///
/// # Safety
/// `builder` is a live builder, `text` a live text.
pub unsafe extern "C" fn rt_builder_text(builder: *mut Builder, text: *const Header) {
    // SAFETY: the caller's contract; nothing else uses the builder during the call.
    let (builder, content, chars) = unsafe { (&mut *builder, as_str(text), char_len(text)) };
    if !builder.has_room(content.len()) {
        return;
    }
    builder.bytes.extend_from_slice(content.as_bytes());
    builder.chars += chars as usize;
}

/// From now on [`rt_builder_shown`] puts quotes around texts.
///
/// # Safety
/// `builder` is a live builder.
pub unsafe extern "C" fn rt_builder_quote(builder: *mut Builder) {
    // SAFETY: the caller's contract; nothing else uses the builder during the call.
    unsafe { (*builder).quoting = true };
}

/// Writes a value that is a text: as it is, or with quotes and escapes after [`rt_builder_quote`].
///
/// # Safety
/// `builder` is a live builder, `text` a live text.
pub unsafe extern "C" fn rt_builder_shown(builder: *mut Builder, text: *const Header) {
    // SAFETY: the caller's contract.
    if unsafe { !(*builder).quoting } {
        // SAFETY: the caller's contract.
        return unsafe { rt_builder_text(builder, text) };
    }
    // SAFETY: the caller's contract; nothing else uses the builder during the call.
    let (builder, content) = unsafe { (&mut *builder, as_str(text)) };
    if !builder.has_room(format::quoted_room(content)) {
        return;
    }
    guard((), || {
        let before = builder.bytes.len();
        format::write_quoted(&mut builder.bytes, content);
        let written = str::from_utf8(&builder.bytes[before..]).unwrap_or_default();
        builder.chars += written.chars().count();
    });
}

/// Writes a function value: `<fn name>`, or `<fn>` for one without a name, such as a lambda.
///
/// # Safety
/// `builder` is a live builder, `closure` a live closure, whose descriptor has the function's name.
pub unsafe extern "C" fn rt_builder_fn(builder: *mut Builder, closure: *const Header) {
    // SAFETY: the caller's contract; names are constant UTF-8 of the module.
    let (builder, name) = unsafe {
        let desc = (*closure).desc;
        let bytes = std::slice::from_raw_parts((*desc).name, (*desc).name_len as usize);
        (&mut *builder, std::str::from_utf8_unchecked(bytes))
    };
    let printed = match name.starts_with('<') {
        true => "<fn>".to_owned(),
        false => format!("<fn {name}>"),
    };
    if !builder.has_room(printed.len()) {
        return;
    }
    builder.bytes.extend_from_slice(printed.as_bytes());
    builder.chars += printed.chars().count();
}

/// Says that a class instance begins to be printed: 0 if it already is, so that printing a circle ends.
///
/// # Safety
/// `builder` is a live builder.
pub unsafe extern "C" fn rt_builder_enter(builder: *mut Builder, object: *const Header) -> i8 {
    // SAFETY: the caller's contract; nothing else uses the builder during the call.
    let builder = unsafe { &mut *builder };
    i8::from(builder.open.insert(object.addr()))
}

/// Says that a class instance has been printed.
///
/// # Safety
/// As for [`rt_builder_enter`], which came before.
pub unsafe extern "C" fn rt_builder_leave(builder: *mut Builder, object: *const Header) {
    // SAFETY: the caller's contract; nothing else uses the builder during the call.
    let builder = unsafe { &mut *builder };
    builder.open.remove(&object.addr());
}

/// Writes a signed integer.
///
/// # Safety
/// `builder` is a live builder.
pub unsafe extern "C" fn rt_builder_i64(builder: *mut Builder, value: i64) {
    // SAFETY: the caller's contract.
    unsafe { write_ascii(builder, |bytes| format::write_i64(bytes, value)) }
}

/// Writes an unsigned integer, passed as its bits.
///
/// # Safety
/// `builder` is a live builder.
pub unsafe extern "C" fn rt_builder_u64(builder: *mut Builder, value: i64) {
    // SAFETY: the caller's contract.
    unsafe { write_ascii(builder, |bytes| format::write_u64(bytes, value as u64)) }
}

/// Writes an `f32` in its own shortest form.
///
/// # Safety
/// `builder` is a live builder.
pub unsafe extern "C" fn rt_builder_f32(builder: *mut Builder, value: f32) {
    // SAFETY: the caller's contract.
    unsafe { write_ascii(builder, |bytes| format::write_f32(bytes, value)) }
}

/// Writes an `f64`.
///
/// # Safety
/// `builder` is a live builder.
pub unsafe extern "C" fn rt_builder_f64(builder: *mut Builder, value: f64) {
    // SAFETY: the caller's contract.
    unsafe { write_ascii(builder, |bytes| format::write_f64(bytes, value)) }
}

/// Writes `true` or `false`.
///
/// # Safety
/// `builder` is a live builder.
pub unsafe extern "C" fn rt_builder_bool(builder: *mut Builder, value: i8) {
    let word: &[u8] = if value != 0 { b"true" } else { b"false" };
    // SAFETY: the caller's contract.
    unsafe { write_ascii(builder, |bytes| bytes.extend_from_slice(word)) }
}

thread_local! {
    /// The spec whose numbers are computed. One is enough: it is used before the next one is made.
    static COMPUTED: Cell<Spec> = const { Cell::new(Spec::NONE) };
}

/// The greatest width and precision, as for those that are written as numbers.
const LARGEST_NUMBER: i64 = 10_000;

/// A spec with one of its numbers changed, at an address that is good until the next call; null and an error if the number is too small or too
/// large.
///
/// # Safety
/// `spec` points to a spec.
unsafe fn computed(
    spec: *const Spec,
    what: &str,
    number: i64,
    change: impl FnOnce(&mut Spec, u32),
) -> *const Spec {
    if !(0..=LARGEST_NUMBER).contains(&number) {
        raise(format!(
            "the {what} of a format is {number}; it can be 0 to {LARGEST_NUMBER}"
        ));
        return ptr::null();
    }
    // SAFETY: the caller's contract.
    let mut new = unsafe { *spec };
    change(&mut new, number as u32);
    COMPUTED.with(|spec| {
        spec.set(new);
        spec.as_ptr().cast_const()
    })
}

/// The spec with another width.
///
/// # Safety
/// `spec` points to a spec.
pub unsafe extern "C" fn rt_format_width(spec: *const Spec, width: i64) -> *const Spec {
    // SAFETY: the caller's contract.
    unsafe { computed(spec, "width", width, |spec, width| spec.width = width) }
}

/// The spec with another precision.
///
/// # Safety
/// `spec` points to a spec.
pub unsafe extern "C" fn rt_format_precision(spec: *const Spec, precision: i64) -> *const Spec {
    // SAFETY: the caller's contract.
    unsafe {
        computed(spec, "precision", precision, |spec, precision| {
            spec.has_precision = 1;
            spec.precision = precision;
        })
    }
}

/// The spec, if the number is the code point of a character; otherwise null and an error. `signed` is 0 for the bits of a `u64`.
///
/// # Safety
/// None: the spec is not looked at. It is `unsafe` as all functions of the table are.
pub unsafe extern "C" fn rt_format_code(spec: *const Spec, number: i64, signed: i8) -> *const Spec {
    match u32::try_from(number).ok().and_then(char::from_u32) {
        Some(_) => spec,
        None => {
            let shown = match signed {
                0 => (number as u64).to_string(),
                _ => number.to_string(),
            };
            raise(format!(
                "the format `c` is for the code point of a character, 0 to 1114111 without 55296 to 57343, and the number is {shown}"
            ));
            ptr::null()
        }
    }
}

/// Writes a signed integer under a spec.
///
/// # Safety
/// `builder` is a live builder, `spec` points to a spec.
pub unsafe extern "C" fn rt_format_i64(builder: *mut Builder, value: i64, spec: *const Spec) {
    // SAFETY: the caller's contract.
    unsafe {
        write_formatted(builder, spec, 0, |out, spec| {
            format::format_i64(out, value, spec)
        })
    }
}

/// Writes an unsigned integer, passed as its bits, under a spec.
///
/// # Safety
/// `builder` is a live builder, `spec` points to a spec.
pub unsafe extern "C" fn rt_format_u64(builder: *mut Builder, value: i64, spec: *const Spec) {
    // SAFETY: the caller's contract.
    unsafe {
        write_formatted(builder, spec, 0, |out, spec| {
            format::format_u64(out, value as u64, spec)
        })
    }
}

/// Writes a float under a spec.
///
/// # Safety
/// `builder` is a live builder, `spec` points to a spec.
pub unsafe extern "C" fn rt_format_f64(builder: *mut Builder, value: f64, spec: *const Spec) {
    // SAFETY: the caller's contract.
    unsafe {
        write_formatted(builder, spec, 0, |out, spec| {
            format::format_f64(out, value, spec)
        })
    }
}

/// Writes a text under a spec.
///
/// # Safety
/// `builder` is a live builder, `text` a live text, and `spec` points to a spec.
pub unsafe extern "C" fn rt_format_text(
    builder: *mut Builder,
    text: *const Header,
    spec: *const Spec,
) {
    // SAFETY: the caller's contract.
    let content = unsafe { as_str(text) };
    // SAFETY: the caller's contract.
    unsafe {
        write_formatted(builder, spec, content.len(), |out, spec| {
            format::format_text(out, content, spec)
        })
    }
}
