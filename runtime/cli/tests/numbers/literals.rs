//! Literals of floats beside C's `strtod` and `strtof`, bit for bit, and literals of integers up to the ends of their types.

use super::written::{any_text, c_double, c_float, with_underscores};
use super::{Random, outcome, run};
use std::fmt::Write;

/// Pieces of a program with a function for each thousand literals.
fn functions(literals: &[String], ty: &str) -> String {
    let mut program = String::new();
    for (number, some) in literals.chunks(500).enumerate() {
        let _ = writeln!(program, "fn f{number}() -> [{ty}]: [{}]", some.join(", "));
    }
    program.push_str("fn main():\n");
    for number in 0..literals.chunks(500).len() {
        let _ = writeln!(program, "    for x in f{number}(): print x.to_bits()");
    }
    program
}

#[test]
fn literals_of_floats_are_the_nearest() {
    let mut random = Random::new(1);
    let mut literals = Vec::new();
    let mut wanted: Vec<f64> = Vec::new();
    while literals.len() < 6000 {
        let text = any_text(&mut random);
        let value = c_double(&text).expect("a number of C");
        if value.is_finite() {
            literals.push(with_underscores(&mut random, &text));
            wanted.push(value);
        }
    }
    let found = run("doubles", &functions(&literals, "f64"), &[]);
    assert_eq!(found.len(), wanted.len());
    for ((text, wanted), found) in literals.iter().zip(wanted).zip(found) {
        assert_eq!(found, (wanted.to_bits() as i64).to_string(), "{text}");
    }
}

#[test]
fn literals_of_narrow_floats_are_the_nearest() {
    let mut random = Random::new(2);
    let mut literals = Vec::new();
    let mut wanted: Vec<f32> = Vec::new();
    while literals.len() < 6000 {
        let text = any_text(&mut random);
        let value = c_float(&text).expect("a number of C");
        let fits = c_double(&text).is_some_and(f64::is_finite);
        if value.is_finite() && fits {
            let suffix = ["", "f32", "_f32"][random.below(3) as usize];
            literals.push(format!("{}{suffix}", with_underscores(&mut random, &text)));
            wanted.push(value);
        }
    }
    let found = run("floats", &functions(&literals, "f32"), &[]);
    assert_eq!(found.len(), wanted.len());
    let wrong: Vec<String> = literals
        .iter()
        .zip(wanted)
        .zip(found)
        .filter(|((_, wanted), found)| *found != (wanted.to_bits() as i32).to_string())
        .map(|((text, wanted), found)| format!("{text}: {found}, not {}", wanted.to_bits() as i32))
        .collect();
    assert!(
        wrong.is_empty(),
        "{} of 6000:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// Integer types with their least and greatest values.
const INTEGERS: [(&str, i128, i128); 8] = [
    ("i8", i8::MIN as i128, i8::MAX as i128),
    ("u8", 0, u8::MAX as i128),
    ("i16", i16::MIN as i128, i16::MAX as i128),
    ("u16", 0, u16::MAX as i128),
    ("i32", i32::MIN as i128, i32::MAX as i128),
    ("u32", 0, u32::MAX as i128),
    ("i64", i64::MIN as i128, i64::MAX as i128),
    ("u64", 0, u64::MAX as i128),
];

/// An integer in one of the forms in which a program may write it.
fn integer_text(random: &mut Random, value: i128) -> String {
    let sign = if value < 0 { "-" } else { "" };
    let magnitude = value.unsigned_abs();
    let digits = match random.below(6) {
        0 => format!("0x{magnitude:x}"),
        1 => format!("0X{magnitude:X}"),
        2 => format!("0b{magnitude:b}"),
        3 => format!("0o{magnitude:o}"),
        _ => magnitude.to_string(),
    };
    let (prefix, rest) = digits.split_at(
        if digits.len() > 1 && digits.as_bytes()[1].is_ascii_alphabetic() {
            2
        } else {
            0
        },
    );
    let mut out = format!("{sign}{prefix}");
    for (at, c) in rest.chars().enumerate() {
        if at > 0 && random.below(5) == 0 {
            out.push('_');
        }
        out.push(c);
    }
    out
}

#[test]
fn literals_of_integers_are_their_value_up_to_the_ends_of_their_type() {
    let mut random = Random::new(4);
    let mut program = String::new();
    let mut wanted = Vec::new();
    let mut beyond = String::new();
    let mut lines = 0;
    for (ty, least, most) in INTEGERS {
        let mut values: Vec<i128> = (0..3)
            .flat_map(|near| [least + near, most - near, near])
            .collect();
        values.extend((0..120).map(|_| {
            let shift = random.below(64);
            (i128::from(random.bits() >> shift) * [1, -1][random.below(2) as usize])
                .clamp(least, most)
        }));
        let written: Vec<String> = values
            .iter()
            .map(|value| {
                let suffix = match random.below(3) {
                    0 => ty,
                    _ => "",
                };
                format!("{}{suffix}", integer_text(&mut random, *value))
            })
            .collect();
        let _ = writeln!(
            program,
            "val of_{ty}: [{ty}] = [{}]\nfor x in of_{ty}: print x",
            written.join(", ")
        );
        wanted.extend(values.iter().map(i128::to_string));
        for value in [least - 1, most + 1, least - 300, most * 2 + 2] {
            for suffix in ["", ty] {
                // Beyond 64 bits the digits themselves are refused.
                let _ = writeln!(
                    beyond,
                    "val x{lines}: {ty} = {}{suffix}",
                    integer_text(&mut random, value)
                );
                lines += 1;
            }
        }
    }
    let found = run("integers", &program, &[]);
    assert_eq!(found, wanted);
    let (success, said) = outcome("integers_beyond", &beyond, &[]);
    assert!(!success);
    let places: std::collections::BTreeSet<&str> = said
        .iter()
        .filter_map(|line| line.split_once("integers_beyond.spl:"))
        .filter_map(|(_, place)| place.split(':').next())
        .collect();
    assert_eq!(places.len(), lines, "{}", said.join("\n"));
}
