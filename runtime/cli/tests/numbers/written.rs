//! Numbers as programs and texts write them, of any size and length, and what C's `strtod` and `strtof` make of them.

#![allow(unsafe_code, reason = "the C library is asked what a text means")]

use super::Random;
use std::ffi::{CString, c_char};

unsafe extern "C" {
    fn strtod(text: *const c_char, end: *mut *mut c_char) -> f64;
    fn strtof(text: *const c_char, end: *mut *mut c_char) -> f32;
}

/// What C reads, if it reads all of the text.
pub fn c_double(text: &str) -> Option<f64> {
    let text = CString::new(text).expect("no zero in it");
    let mut end = std::ptr::null_mut();
    // SAFETY: the text ends with a zero, and `end` is written once.
    let value = unsafe { strtod(text.as_ptr(), &mut end) };
    // SAFETY: `end` is in the text or at its zero.
    (unsafe { *end } == 0 && end.cast_const() != text.as_ptr()).then_some(value)
}

pub fn c_float(text: &str) -> Option<f32> {
    let text = CString::new(text).expect("no zero in it");
    let mut end = std::ptr::null_mut();
    // SAFETY: as above.
    let value = unsafe { strtof(text.as_ptr(), &mut end) };
    // SAFETY: as above.
    (unsafe { *end } == 0 && end.cast_const() != text.as_ptr()).then_some(value)
}

/// The exact digits of a finite float that is not negative: before and after the point.
pub fn exact(value: f64) -> String {
    format!("{value:.1074}")
}

/// The exact number halfway between two floats that follow each other.
pub fn halfway(a: f64, b: f64) -> String {
    let (a, b) = (exact(a), exact(b));
    let point = b.find('.').expect("a point");
    let digits = |text: &str| -> Vec<u8> {
        let digits = text
            .bytes()
            .filter(|byte| *byte != b'.')
            .map(|byte| byte - b'0');
        let missing = point.saturating_sub(text.find('.').unwrap_or(0));
        std::iter::repeat_n(0, missing).chain(digits).collect()
    };
    let (a, b) = (digits(&a), digits(&b));
    let mut sum = vec![0; b.len() + 1];
    for at in (0..b.len()).rev() {
        sum[at + 1] += a[at] + b[at];
        if sum[at + 1] > 9 {
            sum[at + 1] -= 10;
            sum[at] += 1;
        }
    }
    let mut half = Vec::with_capacity(sum.len() + 1);
    let mut rest = 0;
    for digit in sum.into_iter().chain([0]) {
        let now = rest * 10 + digit;
        half.push(b'0' + now / 2);
        rest = now % 2;
    }
    half.insert(point + 1, b'.');
    let text = String::from_utf8(half).expect("digits");
    let text = text.trim_start_matches('0').trim_end_matches('0');
    let text = if text.starts_with('.') {
        format!("0{text}")
    } else {
        text.to_owned()
    };
    if text.ends_with('.') {
        format!("{text}0")
    } else {
        text
    }
}

/// A finite float that is not negative, of any size.
pub fn any_double(random: &mut Random) -> f64 {
    loop {
        let bits = match random.below(8) {
            // Subnormals, and numbers near the largest.
            0 => random.bits() >> (12 + random.below(52)),
            1 => f64::MAX.to_bits() - random.below(1000),
            2 => random.below(1000),
            _ => random.bits() >> 1,
        };
        let value = f64::from_bits(bits);
        if value.is_finite() {
            return value;
        }
    }
}

pub fn any_float(random: &mut Random) -> f32 {
    loop {
        let bits = match random.below(8) {
            0 => random.below(1 << 23) as u32,
            1 => f32::MAX.to_bits() - random.below(1000) as u32,
            2 => random.below(1000) as u32,
            _ => (random.bits() >> 33) as u32,
        };
        let value = f32::from_bits(bits);
        if value.is_finite() {
            return value;
        }
    }
}

pub fn digits(random: &mut Random, count: u64) -> String {
    (0..count)
        .map(|_| char::from(b'0' + random.below(10) as u8))
        .collect()
}

/// A number as it may be written in a program: digits on both sides of the point, or an exponent.
pub fn any_text(random: &mut Random) -> String {
    match random.below(8) {
        0 => format!("{:e}", any_double(random)),
        1 => format!("{:.17e}", any_double(random)),
        2 => {
            let value = any_double(random);
            if value == f64::MAX {
                return exact(value);
            }
            let text = halfway(value, f64::from_bits(value.to_bits() + 1));
            match random.below(3) {
                // A little more than half.
                0 => format!("{text}1"),
                1 => format!("{text}{}1", "0".repeat(100)),
                _ => text,
            }
        }
        3 => {
            // Halfway between two f32, which is where rounding twice goes wrong.
            let value = any_float(random).min(f32::from_bits(f32::MAX.to_bits() - 1));
            let next = f32::from_bits(value.to_bits() + 1);
            let text = halfway(value.into(), next.into());
            match random.below(3) {
                0 => format!("{text}{}1", "0".repeat(random.below(30) as usize)),
                1 => text,
                _ => {
                    // A little less than half: the last digit, which is 5, is a 4 with nines after it.
                    format!(
                        "{}4{}",
                        &text[..text.len() - 1],
                        "9".repeat(1 + random.below(40) as usize)
                    )
                }
            }
        }
        4 => {
            let (whole, part) = (1 + random.below(40), 1 + random.below(800));
            format!("{}.{}", digits(random, whole), digits(random, part))
        }
        5 => {
            let (whole, part) = (1 + random.below(5), 1 + random.below(25));
            let sign = ["", "-", "+"][random.below(3) as usize];
            let e = ["e", "E"][random.below(2) as usize];
            format!(
                "{}.{}{e}{sign}{}",
                digits(random, whole),
                digits(random, part),
                random.below(300)
            )
        }
        6 => {
            let count = 1 + random.below(20);
            let sign = ["", "-"][random.below(2) as usize];
            format!("{}e{sign}{}", digits(random, count), random.below(330))
        }
        _ => format!("{:?}", any_float(random)),
    }
}

/// The same with `_` between some digits.
pub fn with_underscores(random: &mut Random, text: &str) -> String {
    let mut out = String::new();
    let mut last = 'e';
    for c in text.chars() {
        if c.is_ascii_digit() && last.is_ascii_digit() && random.below(4) == 0 {
            out.push('_');
        }
        out.push(c);
        last = c;
    }
    out
}
