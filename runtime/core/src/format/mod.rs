//! Numbers and texts as programs print them: the plain printed forms and the format specs of interpolation.
//!
//! [`Spec`] is what compiled code passes for `{x:spec}`; the meaning is Python's (`doc/language/text.md`), the plain form
//! of floats is the language's own. Reading a spec is the semantic analyzer's business. A spec that does not fit its
//! value, which the analyzer refuses, is followed as far as it makes sense; nothing here fails.
//!
//! `plain.rs` has the forms without a spec, `number.rs` digits and grouping, this file fill, sign and alignment.

mod number;
mod plain;

pub use plain::{quoted_room, write_f32, write_f64, write_i64, write_quoted, write_u64};

/// A format spec as constant bytes in compiled code. Characters are Unicode scalar values; 0 means that the part is
/// absent.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Spec {
    /// The fill character, or 0.
    pub fill: u32,
    /// One of `< > ^ =`, or 0.
    pub align: u8,
    /// One of `+ -` and a blank, or 0.
    pub sign: u8,
    /// 1 for `#`.
    pub alternate: u8,
    /// 1 for `0` before the width.
    pub zero: u8,
    /// The least number of characters.
    pub width: u32,
    /// `,` or `_`, or 0.
    pub grouping: u8,
    /// 1 when the float is an `f32`, so that without type and precision its own shortest form is printed.
    pub single: u8,
    /// Zero.
    pub reserved: [u8; 2],
    /// 1 when `precision` counts.
    pub has_precision: u32,
    /// The number after the point.
    pub precision: u32,
    /// The type, one of `b c d e E f F g G n o s x X %`, or 0.
    pub kind: u8,
    /// Zero.
    pub reserved_end: [u8; 3],
}

impl Spec {
    /// The spec that says nothing.
    pub const NONE: Spec = Spec {
        fill: 0,
        align: 0,
        sign: 0,
        alternate: 0,
        zero: 0,
        width: 0,
        grouping: 0,
        single: 0,
        reserved: [0; 2],
        has_precision: 0,
        precision: 0,
        kind: 0,
        reserved_end: [0; 3],
    };
}

/// Size of a [`Spec`] in bytes; it needs the alignment of a `u32`.
pub const SPEC_SIZE: usize = 28;

/// Writes a signed integer under a spec.
pub fn format_i64(out: &mut String, value: i64, spec: &Spec) {
    pad_number(
        out,
        &number::integer(value < 0, value.unsigned_abs(), spec),
        spec,
    );
}

/// Writes an unsigned integer under a spec.
pub fn format_u64(out: &mut String, value: u64, spec: &Spec) {
    pad_number(out, &number::integer(false, value, spec), spec);
}

/// Writes a float under a spec.
pub fn format_f64(out: &mut String, value: f64, spec: &Spec) {
    pad_number(out, &number::float(value, spec), spec);
}

/// Writes a text under a spec: cut to the precision, filled to the width.
pub fn format_text(out: &mut String, value: &str, spec: &Spec) {
    let end = match spec.has_precision {
        0 => value.len(),
        _ => value
            .char_indices()
            .nth(spec.precision as usize)
            .map_or(value.len(), |(at, _)| at),
    };
    let value = &value[..end];
    let fill = fill_of(spec);
    let (before, after) = match (spec.width as usize).saturating_sub(value.chars().count()) {
        0 => (0, 0),
        missing => match spec.align {
            b'>' => (missing, 0),
            b'^' => (missing / 2, missing - missing / 2),
            _ => (0, missing),
        },
    };
    repeat(out, fill, before);
    out.push_str(value);
    repeat(out, fill, after);
}

fn pad_number(out: &mut String, parts: &number::Parts, spec: &Spec) {
    let sign = match (parts.negative, spec.sign) {
        _ if spec.kind == b'c' => "",
        (true, _) => "-",
        (false, b'+') => "+",
        (false, b' ') => " ",
        (false, _) => "",
    };
    let fill = fill_of(spec);
    // `0` before the width sets the fill, and without an alignment it also puts it after the sign.
    let align = match spec.align {
        0 if spec.zero != 0 && spec.fill == 0 => b'=',
        0 => b'>',
        given => given,
    };
    let width = spec.width as usize;
    let fixed = sign.len() + parts.prefix.len() + parts.rest.chars().count();
    let least = if fill == '0' && align == b'=' {
        width.saturating_sub(fixed)
    } else {
        0
    };
    let size = if matches!(spec.kind, b'b' | b'o' | b'x' | b'X') {
        4
    } else {
        3
    };
    let separator = match spec.grouping {
        0 => None,
        given => Some(char::from(given)),
    };
    let digits = number::group(&parts.digits, separator, size, least);
    let missing = width.saturating_sub(fixed + digits.len());
    let (before, inside, after) = match align {
        b'<' => (0, 0, missing),
        b'^' => (missing / 2, 0, missing - missing / 2),
        b'=' => (0, missing, 0),
        _ => (missing, 0, 0),
    };
    repeat(out, fill, before);
    out.push_str(sign);
    out.push_str(parts.prefix);
    repeat(out, fill, inside);
    out.push_str(&digits);
    out.push_str(&parts.rest);
    repeat(out, fill, after);
}

fn fill_of(spec: &Spec) -> char {
    match char::from_u32(spec.fill) {
        Some('\0') | None if spec.zero != 0 => '0',
        Some('\0') | None => ' ',
        Some(fill) => fill,
    }
}

fn repeat(out: &mut String, fill: char, times: usize) {
    out.extend(std::iter::repeat_n(fill, times));
}
