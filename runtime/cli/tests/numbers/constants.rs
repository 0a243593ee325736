//! What conversions and operators make of values, for every pair of number types: beside Rust, and as constants beside the same when the program
//! runs.

use super::table::{integer, pairs, refused, widens};
use super::{compare, run};
use std::collections::BTreeSet;
use std::fmt::Write;

#[derive(Clone, Copy, Debug)]
enum Value {
    Int(i128),
    F32(f32),
    F64(f64),
}

/// Values of a type at which conversions differ.
fn values(ty: &str) -> Vec<Value> {
    match integer(ty) {
        Some((signed, bits)) => {
            let (least, most) = match signed {
                true => (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1),
                false => (0, (1i128 << bits) - 1),
            };
            let near = [
                least,
                least + 1,
                -1,
                0,
                1,
                127,
                128,
                255,
                256,
                32767,
                32768,
                65535,
                65536,
                16_777_217,
                16_777_219,
                1 << 31,
                (1 << 31) - 1,
                (1 << 32) - 1,
                1 << 32,
                (1 << 53) + 1,
                (1 << 53) + 3,
                9_007_199_791_611_905,
                4_611_686_293_305_294_849,
                -(1 << 53) - 1,
                (1 << 63) - 1,
                (1 << 63) + 1025,
                1 << 63,
                most - 1,
                most,
            ];
            let within: BTreeSet<i128> = near
                .into_iter()
                .filter(|value| (least..=most).contains(value))
                .collect();
            within.into_iter().map(Value::Int).collect()
        }
        None => {
            let near = [
                0.0,
                -0.0,
                0.5,
                -0.5,
                0.999,
                1.5,
                -1.5,
                127.9,
                128.0,
                -128.9,
                -129.0,
                255.5,
                256.0,
                32767.5,
                65535.9,
                65536.0,
                2_147_483_647.5,
                2_147_483_648.0,
                -2_147_483_649.0,
                4_294_967_295.5,
                4_294_967_296.0,
                9.2e18,
                9_223_372_036_854_775_808.0,
                -9.3e18,
                1.8e19,
                1.9e19,
                0.1,
                1e-40,
                3.402_823_5e38,
                3.402_823_6e38,
                1e39,
                -1e300,
                16_777_217.0,
                1.000_000_059_604_644_8,
                f64::MAX,
                5e-324,
            ];
            match ty {
                "f32" => near
                    .into_iter()
                    .map(|value| value as f32)
                    .filter(|value| value.is_finite())
                    .map(Value::F32)
                    .collect(),
                _ => near.into_iter().map(Value::F64).collect(),
            }
        }
    }
}

impl Value {
    /// As a program writes it, with its type.
    fn literal(self) -> String {
        match self {
            Value::Int(value) => value.to_string(),
            Value::F32(value) => format!("{value:e}"),
            Value::F64(value) => format!("{value:e}"),
        }
    }

    /// What Rust makes of it as another type, as a program prints it: floats by their bits.
    fn as_type(self, to: &str) -> String {
        macro_rules! convert {
            ($value:expr) => {
                match to {
                    "i8" => ($value as i8).to_string(),
                    "i16" => ($value as i16).to_string(),
                    "i32" => ($value as i32).to_string(),
                    "i64" => ($value as i64).to_string(),
                    "u8" => ($value as u8).to_string(),
                    "u16" => ($value as u16).to_string(),
                    "u32" => ($value as u32).to_string(),
                    "u64" => ($value as u64).to_string(),
                    "f32" => (($value as f32).to_bits() as i32).to_string(),
                    _ => (($value as f64).to_bits() as i64).to_string(),
                }
            };
        }
        match self {
            Value::Int(value) => convert!(value),
            Value::F32(value) => convert!(value),
            Value::F64(value) => convert!(value),
        }
    }

    /// What the implicit conversion yields: an error for an integer that no `f64` is equal to.
    fn widened(self, to: &str) -> String {
        match self {
            Value::Int(value) if to == "f64" && value as f64 as i128 != value => "error".to_owned(),
            // An integer that the other type lacks.
            Value::Int(value) if integer(to).is_some() && self.as_type(to) != value.to_string() => {
                "error".to_owned()
            }
            _ => self.as_type(to),
        }
    }
}

/// How a program prints a value of a type.
fn shown(ty: &str, value: &str) -> String {
    match integer(ty) {
        Some(_) => value.to_owned(),
        None => format!("({value}).to_bits()"),
    }
}

#[test]
fn values_become_what_rust_makes_of_them_as_constants_and_when_the_program_runs() {
    let (mut program, mut wanted, mut labels) = (String::new(), Vec::new(), Vec::new());
    let mut constants = 0;
    for (from, to) in pairs() {
        let all = values(from);
        let literals: Vec<String> = all.iter().map(|value| value.literal()).collect();
        let _ = writeln!(
            program,
            "fn all_{from}_{to}() -> [{from}]: [{}]",
            literals.join(", ")
        );
        let as_type = shown(to, &format!("x as {to}"));
        let _ = writeln!(program, "for x in all_{from}_{to}(): print {as_type}");
        for value in &all {
            labels.push(format!(
                "{} of {from} as {to}, when it runs",
                value.literal()
            ));
            wanted.push(value.as_type(to));
        }
        for value in &all {
            // Of a constant of its type, and as an expression of literals.
            let _ = writeln!(program, "const C{constants}: {from} = {}", value.literal());
            let _ = writeln!(program, "const D{constants} = C{constants} as {to}");
            let _ = writeln!(
                program,
                "print {}, {}",
                shown(to, &format!("D{constants}")),
                shown(to, &format!("C{constants} as {to}"))
            );
            if widens(from, to) {
                let _ = writeln!(
                    program,
                    "fn wide{constants}() -> {to}: C{constants}\ntry: print {}\ncatch e: print \"error\"",
                    shown(to, &format!("wide{constants}()"))
                );
            }
            constants += 1;
            labels.push(format!("{} of {from} as {to}, constant", value.literal()));
            wanted.push(format!("{0} {0}", value.as_type(to)));
            if widens(from, to) {
                labels.push(format!(
                    "{} of {from} where {to} is wanted, constant",
                    value.literal()
                ));
                wanted.push(value.widened(to));
            }
        }
        if widens(from, to) || integer(from).is_some() && integer(to).is_some() {
            let _ = writeln!(
                program,
                "fn widen_{from}_{to}(x: {from}) -> {to}: x\nfor x in all_{from}_{to}():\n    try: print {}\n    catch e: print \"error\"",
                shown(to, &format!("widen_{from}_{to}(x)"))
            );
            for value in &all {
                labels.push(format!(
                    "{} of {from} where {to} is wanted",
                    value.literal()
                ));
                wanted.push(value.widened(to));
            }
        }
    }
    compare(&run("values", &program, &[]), &wanted, |at| {
        labels[at].clone()
    });
}

/// Operators on all pairs of types and values near their ends: a constant expression is what the same values yield when the program runs.
#[test]
fn constant_expressions_are_what_the_same_values_yield_when_the_program_runs() {
    let few = |ty: &str| -> Vec<Value> {
        let all = values(ty);
        let (count, step) = (all.len(), all.len().div_ceil(3));
        all.into_iter()
            .enumerate()
            .filter(|(at, _)| at % step == 0 || at + 1 == count)
            .map(|(_, value)| value)
            .collect()
    };
    for operator in ["+", "-", "*", "/", "%", "**", "<=", "&", "<<", ">>"] {
        let mut check = String::new();
        for (number, (a, b)) in pairs().enumerate() {
            let _ = writeln!(check, "fn o{number}(a: {a}, b: {b}): a {operator} b");
        }
        let wrong = refused("checked", &check);
        let mut program = String::new();
        let mut cases = Vec::new();
        for (number, (a, b)) in pairs().enumerate() {
            if wrong.contains(&(number + 1)) {
                continue;
            }
            let list = |ty| few(ty).into_iter().map(Value::literal).collect::<Vec<_>>();
            let _ = writeln!(program, "fn o{number}(a: {a}, b: {b}): a {operator} b");
            let _ = writeln!(
                program,
                "val a{number}: [{a}] = [{}]\nval b{number}: [{b}] = [{}]",
                list(a).join(", "),
                list(b).join(", ")
            );
            let _ = writeln!(
                program,
                "for a in a{number}:\n    for b in b{number}:\n        try: print o{number}(a, b)\n        catch e: print \"error\""
            );
            for x in list(a) {
                cases.extend(list(b).into_iter().map(|y| (a, x.clone(), b, y)));
            }
        }
        let at_run_time = run("operated", &program, &[]);
        assert_eq!(at_run_time.len(), cases.len());
        // An error may be found before the run.
        let good: Vec<_> = cases
            .into_iter()
            .zip(at_run_time)
            .filter(|(_, result)| result != "error")
            .collect();
        let constant = |number: usize, (a, x, b, y): &(&str, String, &str, String)| {
            format!(
                "const A{number}: {a} = {x}; const B{number}: {b} = {y}; const C{number} = A{number} {operator} B{number}\n"
            )
        };
        let all: String = good
            .iter()
            .enumerate()
            .map(|(number, (case, _))| constant(number, case))
            .collect();
        // Not all that can be computed is a constant.
        let refused = refused("refused", &all);
        let (mut program, mut wanted, mut labels) = (String::new(), Vec::new(), Vec::new());
        for (number, (case, result)) in good.iter().enumerate() {
            if !refused.contains(&(number + 1)) {
                let _ = writeln!(program, "{}print C{number}", constant(number, case));
                let (a, x, b, y) = case;
                labels.push(format!("{x} of {a} {operator} {y} of {b}"));
                wanted.push(result.clone());
            }
        }
        assert!(
            wanted.len() * 3 > good.len() * 2 || operator.starts_with(['<', '=', '>']),
            "{} of {} for {operator}",
            wanted.len(),
            good.len()
        );
        compare(&run("constants", &program, &[]), &wanted, |at| {
            labels[at].clone()
        });
    }
}
