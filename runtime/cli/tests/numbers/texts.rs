//! Numbers in texts and data files beside C's `strtod`, bit for bit; and printed numbers, which read back as they were.

use super::written::{any_double, any_float, any_text, c_double};
use super::{Random, run};
use std::fmt::Write;

const READS: &str = "\
use std.io.{file_read}
fn main(args: [text]):
    for line in file_read(args[0] + \"/texts\").split(\"\\n\"):
        val found = line.parse_float()
        if val x = found: print x.to_bits(), line.to_float().to_bits(), float(line).to_bits()
        else: print \"nil\", line.to_float(), line.to_float().is_nan()
";

#[test]
fn texts_are_read_as_the_nearest() {
    let mut random = Random::new(3);
    let mut texts: Vec<String> = (0..20_000).map(|_| any_text(&mut random)).collect();
    texts.extend(
        [
            "0",
            "-0",
            "-0.0",
            "1e400",
            "-1e400",
            "1e-400",
            "4.9e-324",
            "2.4703282292062327e-324",
            "2.4703282292062328e-324",
            "1.7976931348623157e308",
            "1.7976931348623158e308",
            "1.7976931348623159e308",
            "17976931348623157e292",
            "+1.5",
            "+1",
            "5.",
            ".5",
            "1.e3",
            ".5e1",
            "  2.5",
            "\t-2.5 ",
            "9007199254740993",
            "1e0000000000000000000000001",
            "000000000001.5",
            "inf",
            "-inf",
            "+inf",
            "infinity",
            "-Infinity",
            "INF",
            "0e999999999999",
            "1e-999999999999",
            "1e999999999999",
        ]
        .map(str::to_owned),
    );
    for sign in ["-", "+"] {
        let signed: Vec<String> = texts
            .iter()
            .take(500)
            .map(|text| format!("{sign}{text}"))
            .collect();
        texts.extend(signed);
    }
    let found = run("texts", READS, &[("texts", &texts.join("\n"))]);
    assert_eq!(found.len(), texts.len());
    for (text, found) in texts.iter().zip(found) {
        let wanted = c_double(text.trim()).expect("a number of C").to_bits() as i64;
        assert_eq!(found, format!("{wanted} {wanted} {wanted}"), "{text}");
    }
}

/// What is not a number as a whole, or is written as only other languages write numbers.
#[test]
fn what_is_not_a_number_is_not_read() {
    let texts = [
        "",
        " ",
        ".",
        "-",
        "+",
        "e5",
        "1e",
        "1e+",
        "1.5.5",
        "1,5",
        "0x10",
        "0x1p3",
        "1_000",
        "1 000",
        "--1",
        "+-1",
        "1f32",
        "12 kg",
        "e",
        "1e5.5",
        "in",
        "infi",
        "nanx",
        "nan(1)",
        "١",
        "½",
        "1\u{2212}5",
        "0b1",
        "1e_5",
        "_1",
    ];
    let found = run("nothing", READS, &[("texts", &texts.join("\n"))]);
    for (text, found) in texts.iter().zip(found) {
        assert_eq!(found, "nil 0.0 false", "{text}");
    }
    let found = run("nan", READS, &[("texts", "nan\n-nan\nNaN")]);
    for found in found {
        let bits: Vec<i64> = found
            .split(' ')
            .map(|bits| bits.parse().expect("bits"))
            .collect();
        assert!(
            bits.iter()
                .all(|bits| f64::from_bits(*bits as u64).is_nan()),
            "{found}"
        );
    }
}

#[test]
fn texts_of_integers_are_read_up_to_the_ends() {
    let program = "\
use std.io.{file_read}
fn main(args: [text]):
    for line in file_read(args[0] + \"/texts\").split(\"\\n\"):
        val found = line.parse_int()
        if val n = found: print n, line.to_int(), int(line)
        else: print \"nil\"
";
    let mut random = Random::new(5);
    let mut texts: Vec<String> = Vec::new();
    for near in -3..=3 {
        texts.extend([i64::MIN, i64::MAX, 0].map(|end| (i128::from(end) + near).to_string()));
    }
    texts.extend((0..3000).map(|_| {
        let shift = random.below(64);
        let value = random.bits() as i64 >> shift;
        ["", "0", "  "][random.below(3) as usize].to_owned() + &value.to_string()
    }));
    texts.retain(|text| !text.starts_with("0-"));
    texts.extend(
        [
            "+5",
            "-0",
            "00",
            "+9223372036854775807",
            "+9223372036854775808",
            "",
            "5.0",
            "0x10",
            "1_0",
            "1e3",
            "--1",
        ]
        .map(str::to_owned),
    );
    let found = run(
        "texts_of_integers",
        program,
        &[("texts", &texts.join("\n"))],
    );
    assert_eq!(found.len(), texts.len());
    for (text, found) in texts.iter().zip(found) {
        let wanted = match text
            .trim()
            .parse::<i128>()
            .ok()
            .and_then(|value| i64::try_from(value).ok())
        {
            Some(value) => format!("{value} {value} {value}"),
            None => "nil".to_owned(),
        };
        assert_eq!(found, wanted, "{text}");
    }
}

/// Numbers of a data file are read as those of a program, and written so that they read back as they were.
#[test]
fn numbers_of_data_are_the_nearest() {
    let program = "\
use std.io.{file_read}
use std.sdn.{parse}
fn main(args: [text]):
    for key, value in parse(file_read(args[0] + \"/numbers.sdn\"))!.as_dict()!:
        print value.as_f64()!.to_bits(), value.is_float(), value.to_sdn().trim()
";
    let mut random = Random::new(7);
    let mut texts: Vec<String> = Vec::new();
    while texts.len() < 6000 {
        let text = any_text(&mut random);
        if c_double(&text).is_some_and(f64::is_finite) {
            texts.push(format!("{}{text}", ["", "-"][random.below(2) as usize]));
        }
    }
    let data: Vec<String> = texts
        .iter()
        .enumerate()
        .map(|(at, text)| format!("k{at}: {text}"))
        .collect();
    let found = run(
        "data",
        program,
        &[("numbers.sdn", &format!("{}\n", data.join("\n")))],
    );
    assert_eq!(found.len(), texts.len());
    for (text, found) in texts.iter().zip(found) {
        let wanted = c_double(text).expect("a number of C").to_bits();
        let mut parts = found.split(' ');
        assert_eq!(
            parts.next(),
            Some((wanted as i64).to_string().as_str()),
            "{text}"
        );
        assert_eq!(parts.next(), Some("true"), "{text}");
        let written = parts.next().unwrap_or_default();
        assert_eq!(
            c_double(written).map(f64::to_bits),
            Some(wanted),
            "{text} as {written}"
        );
    }
}

#[test]
fn printed_floats_read_back_as_they_were() {
    let mut random = Random::new(6);
    let doubles: Vec<f64> = (0..4000)
        .map(|_| any_double(&mut random) * [1.0, -1.0][random.below(2) as usize])
        .chain([
            0.0,
            -0.0,
            1e16,
            9_999_999_999_999_998.0,
            1e15,
            1e-4,
            9.999e-5,
            0.1 + 0.2,
            5e-324,
        ])
        .collect();
    let texts: Vec<String> = doubles.iter().map(|value| format!("{value:e}")).collect();
    let mut program = String::new();
    for (number, some) in texts.chunks(500).enumerate() {
        let _ = writeln!(program, "fn f{number}() -> [f64]: [{}]", some.join(", "));
    }
    program.push_str("fn main():\n");
    for number in 0..texts.chunks(500).len() {
        let _ = writeln!(
            program,
            "    for x in f{number}(): print x, \"{{x:.16e}} {{x:.17g}} {{x:.1074f}}\""
        );
    }
    let found = run("printed", &program, &[]);
    for (value, line) in doubles.iter().zip(&found) {
        let read: Vec<u64> = line
            .split(' ')
            .map(|text| text.parse::<f64>().expect("a number").to_bits())
            .collect();
        assert_eq!(read, [value.to_bits(); 4], "{line}");
        let shortest = line.split(' ').next().unwrap_or_default();
        let count = |text: &str| {
            let digits: String = text
                .split('e')
                .next()
                .unwrap_or_default()
                .chars()
                .filter(char::is_ascii_digit)
                .collect();
            digits.trim_matches('0').len()
        };
        assert_eq!(
            count(shortest),
            count(&format!("{value:e}")),
            "not the shortest: {shortest}"
        );
        let plain = *value == 0.0 || (1e-4..1e16).contains(&value.abs());
        assert_eq!(plain, !shortest.contains('e'), "the form of {shortest}");
    }
    assert_eq!(found.len(), doubles.len());
    // Those of f32 have the digits that an f32 needs.
    let floats: Vec<f32> = (0..3000).map(|_| any_float(&mut random)).collect();
    let texts: Vec<String> = floats.iter().map(|value| format!("{value:e}")).collect();
    let mut program = String::new();
    for (number, some) in texts.chunks(500).enumerate() {
        let _ = writeln!(
            program,
            "val a{number}: [f32] = [{}]\nfor x in a{number}: print x, \"{{x}}\"",
            some.join(", ")
        );
    }
    let found = run("printed_narrow", &program, &[]);
    assert_eq!(found.len(), floats.len());
    for (value, line) in floats.iter().zip(&found) {
        let read: Vec<u32> = line
            .split(' ')
            .map(|text| text.parse::<f32>().expect("a number").to_bits())
            .collect();
        assert_eq!(read, [value.to_bits(); 2], "{line}");
    }
}
