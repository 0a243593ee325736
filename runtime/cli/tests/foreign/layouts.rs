//! Random structs of C: their sizes, alignments and offsets as the C compiler has them, and calls by value in both directions.
//!
//! For each struct C and Simple are written from one description. C knows size, alignment and each offset; Simple passes one by
//! value among other arguments, in registers and on the stack, and C says whether every field has its number; C returns one, and
//! Simple says so of it.

use std::fmt::Write;

/// How many structs there are.
pub const STRUCTS: usize = 400;

/// A field: a scalar, an array of one, or a struct made before.
#[derive(Clone)]
enum Field {
    Scalar(&'static Scalar),
    Array(&'static Scalar, usize),
    Struct(usize),
}

/// A type with its names in both languages.
struct Scalar {
    simple: &'static str,
    c: &'static str,
    float: bool,
}

const SCALARS: [Scalar; 10] = [
    scalar("i8", "int8_t", false),
    scalar("u8", "uint8_t", false),
    scalar("i16", "int16_t", false),
    scalar("u16", "uint16_t", false),
    scalar("i32", "int32_t", false),
    scalar("u32", "uint32_t", false),
    scalar("i64", "int64_t", false),
    scalar("u64", "uint64_t", false),
    scalar("f32", "float", true),
    scalar("f64", "double", true),
];

const fn scalar(simple: &'static str, c: &'static str, float: bool) -> Scalar {
    Scalar { simple, c, float }
}

/// A small generator of numbers, the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % limit
    }
}

/// The program in Simple and the library in C, which counts `expected` agreements.
pub struct Written {
    pub simple: String,
    pub c: String,
    pub expected: usize,
}

/// Writes both.
pub fn write() -> Written {
    let mut random = Random(14);
    let mut structs: Vec<Vec<Field>> = Vec::new();
    let mut simple = String::from("# Written by `layouts.rs`.\n");
    let mut c = String::from("#include <stddef.h>\n#include <stdint.h>\n");
    let mut main = String::from("fn main():\n    var fine = 0\n");
    let mut expected = 0;
    for number in 0..STRUCTS {
        let count = 1 + random.below(5);
        let fields: Vec<Field> = (0..count).map(|_| field(&mut random, &structs)).collect();
        structs.push(fields.clone());
        declare(number, &fields, &mut simple, &mut c);
        // Arguments before it use up registers, so that some structs go to the stack as a whole.
        let (ints, floats) = (random.below(8), random.below(10));
        functions(number, &structs, (ints, floats), &mut simple, &mut c);
        let mut next = 0;
        let made = value(number, &structs, &mut next);
        let mut args: Vec<String> = (0..ints).map(|n| n.to_string()).collect();
        args.extend((0..floats).map(|n| format!("{n}.5")));
        args.push(made.clone());
        args.push("77".to_owned());
        let _ = writeln!(
            main,
            "    if takes{number}({}) == 1: fine += 1",
            args.join(", ")
        );
        let mut tests = vec![
            format!("size_of<S{number}>() == size{number}"),
            format!("align_of<S{number}>() == align{number}"),
            format!("makes{number}() == {made}"),
        ];
        let _ = writeln!(main, "    val p{number} = Ptr<S{number}>.alloc()");
        let _ = writeln!(main, "    fills{number}(p{number})");
        tests.push(format!("p{number}.read() == {made}"));
        for test in &tests {
            let _ = writeln!(
                main,
                "    if {test}: fine += 1 else: print \"{}\"",
                test.split('(').next().unwrap_or_default()
            );
        }
        let _ = writeln!(main, "    p{number}.free()");
        expected += tests.len() + 1;
    }
    main.push_str("    print fine\n");
    simple.push_str(&main);
    Written {
        simple,
        c,
        expected,
    }
}

fn field(random: &mut Random, structs: &[Vec<Field>]) -> Field {
    let scalar = &SCALARS[random.below(SCALARS.len())];
    match random.below(8) {
        0 => Field::Array(scalar, 1 + random.below(4)),
        1 if !structs.is_empty() => Field::Struct(random.below(structs.len().min(40))),
        _ => Field::Scalar(scalar),
    }
}

fn declare(number: usize, fields: &[Field], simple: &mut String, c: &mut String) {
    let _ = writeln!(simple, "@c\nstruct S{number}:");
    let _ = writeln!(c, "typedef struct {{");
    for (index, field) in fields.iter().enumerate() {
        let (ours, theirs) = match field {
            Field::Scalar(s) => (s.simple.to_owned(), format!("{} f{index}", s.c)),
            Field::Array(s, n) => (
                format!("[{}; {n}]", s.simple),
                format!("{} f{index}[{n}]", s.c),
            ),
            Field::Struct(of) => (format!("S{of}"), format!("S{of} f{index}")),
        };
        let _ = writeln!(simple, "    f{index}: {ours}");
        let _ = writeln!(c, "    {theirs};");
    }
    let _ = writeln!(c, "}} S{number};");
}

/// The functions of one struct: C takes one and checks it, makes one, fills one through a pointer, and knows size and alignment.
fn functions(
    number: usize,
    structs: &[Vec<Field>],
    (ints, floats): (usize, usize),
    simple: &mut String,
    c: &mut String,
) {
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    let mut checks = vec!["last == 77".to_owned()];
    for n in 0..ints {
        ours.push(format!("i{n}: i64"));
        theirs.push(format!("int64_t i{n}"));
        checks.push(format!("i{n} == {n}"));
    }
    for n in 0..floats {
        ours.push(format!("d{n}: f64"));
        theirs.push(format!("double d{n}"));
        checks.push(format!("d{n} == {n}.5"));
    }
    let mut places = Vec::new();
    leaves("s", number, structs, &mut places);
    checks.extend(
        places
            .iter()
            .enumerate()
            .map(|(at, (place, _))| format!("{place} == {}", number_at(at))),
    );
    let sets: Vec<String> = (places.iter().enumerate())
        .map(|(at, (place, _))| format!("{place} = {};", number_at(at)))
        .collect();
    let (checks, sets) = (checks.join(" && "), sets.join(" "));
    ours.push(format!("s: S{number}"));
    theirs.push(format!("S{number} s"));
    let _ = writeln!(
        simple,
        "@Lib(\"layouts\")\nextern fn takes{number}({}, last: i64) -> i32\n@Lib(\"layouts\")\nextern fn makes{number}() -> S{number}\n\
         @Lib(\"layouts\")\nextern fn fills{number}(s: Ptr<S{number}>)\n@Lib(\"layouts\")\nextern val size{number}: i64\n\
         @Lib(\"layouts\")\nextern val align{number}: i64",
        ours.join(", ")
    );
    let _ = writeln!(
        c,
        "int32_t takes{number}({}, int64_t last) {{ return {checks}; }}\nS{number} makes{number}(void) {{ S{number} s; {sets} return s; }}\n\
         void fills{number}(S{number} *p) {{ *p = makes{number}(); }}\nconst int64_t size{number} = sizeof(S{number});\n\
         const int64_t align{number} = _Alignof(S{number});",
        theirs.join(", ")
    );
}

/// Every scalar of a struct as C names it, with its type.
fn leaves(
    place: &str,
    number: usize,
    structs: &[Vec<Field>],
    out: &mut Vec<(String, &'static Scalar)>,
) {
    for (index, field) in structs[number].iter().enumerate() {
        let place = format!("{place}.f{index}");
        match field {
            Field::Scalar(s) => out.push((place, s)),
            Field::Array(s, n) => out.extend((0..*n).map(|at| (format!("{place}[{at}]"), *s))),
            Field::Struct(of) => leaves(&place, *of, structs, out),
        }
    }
}

/// The number that a struct's scalar at a place has: it fits every type.
fn number_at(place: usize) -> usize {
    place % 100 + 1
}

/// A value of a struct in Simple, whose scalars from `next` on have their numbers.
fn value(number: usize, structs: &[Vec<Field>], next: &mut usize) -> String {
    let mut fields = Vec::new();
    for (index, field) in structs[number].iter().enumerate() {
        let made = match field {
            Field::Scalar(s) => literal(s, next),
            Field::Array(s, n) => {
                let items: Vec<String> = (0..*n).map(|_| literal(s, next)).collect();
                format!("[{}]", items.join(", "))
            }
            Field::Struct(of) => value(*of, structs, next),
        };
        fields.push(format!("f{index}: {made}"));
    }
    format!("S{number}({})", fields.join(", "))
}

fn literal(scalar: &Scalar, next: &mut usize) -> String {
    let number = number_at(*next);
    *next += 1;
    match scalar.float {
        true => format!("{number}.0"),
        false => number.to_string(),
    }
}
