//! Numbers of programs from bytes of files and back: what a backend without libtorch makes its tensors of.
//!
//! Bytes are little-endian and as long as the dtype needs. A conversion cuts as `as` does in Rust: floats towards zero, integers to
//! their lower bits. What is kept in `f16` and `bf16` is rounded to the nearest, ties to even, as IEEE 754 has it.

use simple_system::memory;

use crate::archive::ArchiveError;
use crate::save::plain::Element;

/// The kind of number with libtorch's number `dtype`, whose elements fill `bytes`.
fn element(dtype: i64, bytes: usize) -> Result<Element, ArchiveError> {
    let known = Element::of_number(dtype).ok_or_else(|| {
        ArchiveError::Wrong(format!("bytes: files hold no numbers of dtype {dtype}"))
    })?;
    if !bytes.is_multiple_of(known.width()) {
        return Err(ArchiveError::Wrong(format!(
            "bytes: {bytes} bytes are not a whole number of {}",
            known.name()
        )));
    }
    Ok(known)
}

/// Numbers that programs compute with.
trait Number: Copy {
    fn of_float(value: f64) -> Self;
    fn of_int(value: i64) -> Self;
    fn of_unsigned(value: u64) -> Self;
    fn float(self) -> f64;
    fn int(self) -> i64;
    /// As an `f32`, rounded once.
    fn single(self) -> f32;
}

impl Number for f32 {
    fn of_float(value: f64) -> f32 {
        value as f32
    }
    fn of_int(value: i64) -> f32 {
        value as f32
    }
    fn of_unsigned(value: u64) -> f32 {
        value as f32
    }
    fn float(self) -> f64 {
        self.into()
    }
    fn int(self) -> i64 {
        self as i64
    }
    fn single(self) -> f32 {
        self
    }
}

impl Number for f64 {
    fn of_float(value: f64) -> f64 {
        value
    }
    fn of_int(value: i64) -> f64 {
        value as f64
    }
    fn of_unsigned(value: u64) -> f64 {
        value as f64
    }
    fn float(self) -> f64 {
        self
    }
    fn int(self) -> i64 {
        self as i64
    }
    fn single(self) -> f32 {
        self as f32
    }
}

impl Number for i64 {
    fn of_float(value: f64) -> i64 {
        value as i64
    }
    fn of_int(value: i64) -> i64 {
        value
    }
    fn of_unsigned(value: u64) -> i64 {
        value as i64
    }
    fn float(self) -> f64 {
        self as f64
    }
    fn int(self) -> i64 {
        self
    }
    fn single(self) -> f32 {
        self as f32
    }
}

fn wrong(error: impl std::fmt::Display) -> ArchiveError {
    ArchiveError::Wrong(format!("bytes: {error}"))
}

fn read<T: Number>(bytes: &[u8], dtype: i64) -> Result<Vec<T>, ArchiveError> {
    fn each<const N: usize, T>(
        bytes: &[u8],
        number: impl Fn([u8; N]) -> T,
    ) -> Result<Vec<T>, ArchiveError> {
        let (chunks, _) = bytes.as_chunks::<N>();
        memory::collect(chunks.iter().map(|chunk| number(*chunk))).map_err(wrong)
    }
    match element(dtype, bytes.len())? {
        Element::Bool => each(bytes, |[byte]| T::of_int((byte != 0).into())),
        Element::U8 => each(bytes, |[byte]| T::of_int(byte.into())),
        Element::I8 => each(bytes, |b| T::of_int(i8::from_le_bytes(b).into())),
        Element::I16 => each(bytes, |b| T::of_int(i16::from_le_bytes(b).into())),
        Element::I32 => each(bytes, |b| T::of_int(i32::from_le_bytes(b).into())),
        Element::I64 => each(bytes, |b| T::of_int(i64::from_le_bytes(b))),
        Element::F16 => each(bytes, |b| T::of_float(half(u16::from_le_bytes(b)))),
        Element::BF16 => each(bytes, |[a, b]| {
            T::of_float(f32::from_le_bytes([0, 0, a, b]).into())
        }),
        Element::F32 => each(bytes, |b| T::of_float(f32::from_le_bytes(b).into())),
        Element::F64 => each(bytes, |b| T::of_float(f64::from_le_bytes(b))),
        Element::U16 => each(bytes, |b| T::of_int(u16::from_le_bytes(b).into())),
        Element::U32 => each(bytes, |b| T::of_int(u32::from_le_bytes(b).into())),
        Element::U64 => each(bytes, |b| T::of_unsigned(u64::from_le_bytes(b))),
        Element::F8E5M2 => each(bytes, |[b]| T::of_float(eighth(b, 5, Nan::Ieee))),
        Element::F8E4M3 => each(bytes, |[b]| T::of_float(eighth(b, 4, Nan::Last))),
        Element::F8E5M2Fnuz => each(bytes, |[b]| T::of_float(eighth(b, 5, Nan::Zero))),
        Element::F8E4M3Fnuz => each(bytes, |[b]| T::of_float(eighth(b, 4, Nan::Zero))),
        Element::C32 | Element::C64 | Element::C128 => Err(real_only()),
    }
}

fn real_only() -> ArchiveError {
    ArchiveError::Wrong(
        "bytes: complex numbers cannot be read by this backend; libtorch computes with them (`backend: torch`)".to_owned(),
    )
}

fn written<T: Number>(numbers: &[T], dtype: i64) -> Result<Vec<u8>, ArchiveError> {
    fn each<const N: usize, T: Copy>(
        numbers: &[T],
        bytes: impl Fn(T) -> [u8; N],
    ) -> Result<Vec<u8>, ArchiveError> {
        let mut out = memory::zeros(numbers.len() * N).map_err(wrong)?;
        let (places, _) = out.as_chunks_mut::<N>();
        for (place, number) in places.iter_mut().zip(numbers) {
            *place = bytes(*number);
        }
        Ok(out)
    }
    match element(dtype, 0)? {
        Element::Bool => each(numbers, |n| [u8::from(n.float() != 0.0)]),
        Element::U8 => each(numbers, |n| [n.int() as u8]),
        Element::I8 => each(numbers, |n| (n.int() as i8).to_le_bytes()),
        Element::I16 => each(numbers, |n| (n.int() as i16).to_le_bytes()),
        Element::I32 => each(numbers, |n| (n.int() as i32).to_le_bytes()),
        Element::I64 => each(numbers, |n| n.int().to_le_bytes()),
        Element::F16 => each(numbers, |n| half_of(n.float()).to_le_bytes()),
        Element::BF16 => each(numbers, |n| brain_of(n.single()).to_le_bytes()),
        Element::F32 => each(numbers, |n| n.single().to_le_bytes()),
        Element::F64 => each(numbers, |n| n.float().to_le_bytes()),
        Element::U16 => each(numbers, |n| (n.int() as u16).to_le_bytes()),
        Element::U32 => each(numbers, |n| (n.int() as u32).to_le_bytes()),
        Element::U64 => each(numbers, |n| (n.int() as u64).to_le_bytes()),
        Element::C32 | Element::C64 | Element::C128 => Err(real_only()),
        other @ (Element::F8E5M2 | Element::F8E4M3 | Element::F8E5M2Fnuz | Element::F8E4M3Fnuz) => {
            Err(ArchiveError::Wrong(format!(
                "bytes: numbers of {} are read, and not made, by this backend",
                other.name()
            )))
        }
    }
}

/// Which numbers of eight bits are not numbers.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Nan {
    /// As IEEE 754 has it: of the largest exponent, with an infinity.
    Ieee,
    /// Only the one whose bits below the sign are all set.
    Last,
    /// Only the one that would be the negative zero; the exponent is one less than otherwise.
    Zero,
}

/// The value of a number of eight bits with this many bits of exponent.
fn eighth(bits: u8, exponent_bits: u32, nan: Nan) -> f64 {
    let fraction_bits = 7 - exponent_bits;
    let sign = if bits >> 7 == 1 { -1.0 } else { 1.0 };
    let size = bits & 0x7f;
    let (exponent, fraction) = (size >> fraction_bits, size & ((1 << fraction_bits) - 1));
    let is_nan = match nan {
        Nan::Ieee if exponent + 1 == 1 << exponent_bits && fraction == 0 => {
            return sign * f64::INFINITY;
        }
        Nan::Ieee => exponent + 1 == 1 << exponent_bits,
        Nan::Last => size == 0x7f,
        Nan::Zero => bits == 0x80,
    };
    if is_nan {
        return f64::NAN;
    }
    let bias = (1 << (exponent_bits - 1)) - i32::from(nan != Nan::Zero);
    let part = f64::from(fraction) / f64::from(1u32 << fraction_bits);
    sign * match exponent {
        0 => part * 2f64.powi(1 - bias),
        _ => (1.0 + part) * 2f64.powi(i32::from(exponent) - bias),
    }
}

/// The value of a number of half precision.
fn half(bits: u16) -> f64 {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f64::from(bits & 1023));
    sign * match exponent {
        0 => fraction * 2f64.powi(-24),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1.0 + fraction / 1024.0) * 2f64.powi(exponent - 15),
    }
}

/// The number of half precision nearest to a value.
fn half_of(value: f64) -> u16 {
    let sign = if value.is_sign_negative() { 1 << 15 } else { 0 };
    let size = value.abs();
    if value.is_nan() {
        return sign | 0x7e00;
    }
    // Halfway between the largest number and the next power of two.
    if size >= 65520.0 {
        return sign | 0x7c00;
    }
    // The exponent of the last place: that of the smallest normal number, or of the value.
    let exponent = if size < 2f64.powi(-14) {
        -24
    } else {
        ((size.to_bits() >> 52) as i32 - 1023) - 10
    };
    let places = (size / 2f64.powi(exponent)).round_ties_even() as u16;
    // A carry into the next power of two is what adding does to the bits.
    match exponent {
        -24 => sign | places,
        _ => sign | (((exponent + 25) as u16) << 10).wrapping_add(places - 1024),
    }
}

/// The upper half of the `f32` nearest to a value, rounded.
fn brain_of(value: f32) -> u16 {
    let bits = value.to_bits();
    if value.is_nan() {
        return (bits >> 16) as u16 | 0x40;
    }
    let odd = bits >> 16 & 1;
    (bits.wrapping_add(0x7fff + odd) >> 16) as u16
}

/// Numbers as `f32`.
pub fn f32s_of(bytes: &[u8], dtype: i64) -> Result<Vec<f32>, ArchiveError> {
    read(bytes, dtype)
}

/// Numbers as `f64`.
pub fn f64s_of(bytes: &[u8], dtype: i64) -> Result<Vec<f64>, ArchiveError> {
    read(bytes, dtype)
}

/// Numbers as `i64`.
pub fn i64s_of(bytes: &[u8], dtype: i64) -> Result<Vec<i64>, ArchiveError> {
    let is_large = |number: &[u8]| number[7] >= 0x80;
    if element(dtype, bytes.len())? == Element::U64 && bytes.chunks_exact(8).any(is_large) {
        return Err(ArchiveError::Wrong(
            "bytes: a number of u64 is larger than any i64, in which this backend would keep it"
                .to_owned(),
        ));
    }
    read(bytes, dtype)
}

/// The bytes of `f32`s.
pub fn of_f32s(numbers: &[f32], dtype: i64) -> Result<Vec<u8>, ArchiveError> {
    written(numbers, dtype)
}

/// The bytes of `f64`s.
pub fn of_f64s(numbers: &[f64], dtype: i64) -> Result<Vec<u8>, ArchiveError> {
    written(numbers, dtype)
}

/// The bytes of `i64`s.
pub fn of_i64s(numbers: &[i64], dtype: i64) -> Result<Vec<u8>, ArchiveError> {
    written(numbers, dtype)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dtype(element: Element) -> i64 {
        element.dtype().into()
    }

    #[test]
    fn numbers_come_back() {
        let numbers = [0.0, 1.0, -2.0, 3.5, -0.125, 127.0];
        for element in Element::ALL {
            let name = element.name();
            if element.is_complex() || name.starts_with("f8") {
                of_f64s(&numbers, dtype(element)).unwrap_err();
                continue;
            }
            let bytes = of_f64s(&numbers, dtype(element)).unwrap();
            assert_eq!(bytes.len(), numbers.len() * element.width());
            let back = f64s_of(&bytes, dtype(element)).unwrap();
            match name {
                "bool" => assert_eq!(back, [0.0, 1.0, 1.0, 1.0, 1.0, 1.0]),
                "u8" => assert_eq!(back, [0.0, 1.0, 254.0, 3.0, 0.0, 127.0]),
                "u16" | "u32" | "u64" => assert_eq!(
                    (back[0], back[1], back[3], back[4], back[5]),
                    (0.0, 1.0, 3.0, 0.0, 127.0)
                ),
                _ if name.starts_with('i') => assert_eq!(back, [0.0, 1.0, -2.0, 3.0, 0.0, 127.0]),
                _ => assert_eq!(back, numbers),
            }
        }
        let large = [i64::MAX, i64::MIN, 1];
        let bytes = of_i64s(&large, dtype(Element::I64)).unwrap();
        assert_eq!(i64s_of(&bytes, dtype(Element::I64)).unwrap(), large);
        let single = of_f32s(&[0.1], dtype(Element::F32)).unwrap();
        assert_eq!(f32s_of(&single, dtype(Element::F32)).unwrap(), [0.1]);
    }

    #[test]
    fn every_half_is_nearest_to_itself_and_to_what_is_beside_it() {
        for bits in 0..0x7c00u16 {
            let value = half(bits);
            assert_eq!(half_of(value), bits);
            assert_eq!(half_of(-value), bits | 0x8000);
            let next = half(bits + 1);
            if next.is_finite() {
                let middle = f64::midpoint(value, next);
                let even = bits + (bits & 1);
                assert_eq!(half_of(middle), even, "{middle}");
                assert_eq!(half_of(middle.next_down()), bits);
                assert_eq!(half_of(middle.next_up()), bits + 1);
            }
        }
        assert_eq!(half_of(f64::INFINITY), 0x7c00);
        assert_eq!(half_of(65519.9), 0x7bff);
        assert!(half(half_of(f64::NAN)).is_nan());
    }

    #[test]
    fn the_upper_half_of_a_float_is_rounded() {
        assert_eq!(brain_of(1.0), 0x3f80);
        assert_eq!(brain_of(f32::from_bits(0x3f80_8000)), 0x3f80);
        assert_eq!(brain_of(f32::from_bits(0x3f81_8000)), 0x3f82);
        assert_eq!(brain_of(f32::MAX), 0x7f80);
        assert!(f32::from_bits(u32::from(brain_of(f32::NAN)) << 16).is_nan());
    }

    #[test]
    fn bytes_that_do_not_fit_are_refused() {
        let error = f32s_of(&[0; 5], dtype(Element::F32)).unwrap_err();
        assert_eq!(
            error.to_string(),
            "bytes: 5 bytes are not a whole number of f32"
        );
        assert!(i64s_of(&[], 99).is_err());
        let large = u64::MAX.to_le_bytes();
        i64s_of(&large, dtype(Element::U64)).unwrap_err();
        assert_eq!(
            f64s_of(&large, dtype(Element::U64)).unwrap(),
            [u64::MAX as f64]
        );
        f32s_of(&[0; 8], dtype(Element::C64)).unwrap_err();
    }
}
