//! Layouts of some hundred structs against those of the C compiler, which compiles and runs a program that prints them; and texts
//! that are broken at random, which must not make the reader panic.

use crate::ctype::Unit;
use crate::origin::Origins;
use crate::parse::Reader;
use crate::tree::trees;
use std::fmt::Write;
use std::process::Command;

/// Numbers that are the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (self.0 >> 33) % limit
    }
}

const SCALARS: [&str; 18] = [
    "char",
    "signed char",
    "unsigned char",
    "short",
    "unsigned short",
    "int",
    "unsigned",
    "long",
    "unsigned long",
    "long long",
    "float",
    "double",
    "long double",
    "_Bool",
    "void *",
    "enum small",
    "enum large",
    "double _Complex",
];

/// The text of a struct or union that may contain the earlier ones.
fn generated(random: &mut Random, index: u64) -> String {
    let word = if random.below(5) == 0 {
        "union"
    } else {
        "struct"
    };
    let mut text = format!("typedef {word} s{index} {{\n");
    for field in 0..1 + random.below(8) {
        let name = format!("f{field}");
        let _ = match random.below(12) {
            0 | 1 if index > 0 => writeln!(text, "  s{} {name};", random.below(index)),
            2 if index > 0 => writeln!(
                text,
                "  s{} {name}[{}];",
                random.below(index),
                1 + random.below(3)
            ),
            3 => writeln!(
                text,
                "  {} {name}[{}][2];",
                scalar(random),
                1 + random.below(4)
            ),
            4 => writeln!(
                text,
                "  struct {{ {} a; {} b; }} {name};",
                scalar(random),
                scalar(random)
            ),
            5 => {
                let (ty, most) = [
                    ("int", 32),
                    ("unsigned char", 8),
                    ("unsigned long", 64),
                    ("short", 16),
                ][random.below(4) as usize];
                let (first, second) = (1 + random.below(most), 1 + random.below(most));
                writeln!(
                    text,
                    "  {ty} {name} : {first}; {ty} {name}b : {second}; {ty} : {};",
                    random.below(2) * first
                )
            }
            // Alone, and wider than what is beside it: only its place counts, not its alignment.
            7 => writeln!(
                text,
                "  char {name}; {} : {}; char {name}b;",
                ["int", "unsigned long", "short"][random.below(3) as usize],
                1 + random.below(16)
            ),
            6 => writeln!(
                text,
                "  int (*{name})(char, s{} *);",
                random.below(index + 1).saturating_sub(1)
            ),
            _ => writeln!(text, "  {} {name};", scalar(random)),
        };
    }
    let _ = writeln!(text, "}} s{index};");
    text
}

fn scalar(random: &mut Random) -> &'static str {
    SCALARS[random.below(SCALARS.len() as u64) as usize]
}

/// What the layouts are here: for each struct its size, alignment and offsets.
fn computed(unit: &Unit) -> String {
    let mut text = String::new();
    for record in &unit.records {
        let Some(name) = &record.alias else { continue };
        let layout = unit.record_layout(record).expect("a layout");
        let _ = write!(text, "{name} {} {}", layout.whole.size, layout.whole.align);
        for (field, offset) in record.fields.iter().flatten().zip(&layout.offsets) {
            if field.bits.is_none() {
                let _ = write!(text, " {offset}");
            }
        }
        text.push('\n');
    }
    text
}

/// A program that prints the same.
fn program(header: &str, unit: &Unit) -> String {
    let mut text =
        format!("#include <stdio.h>\n#include <stddef.h>\n{header}\nint main(void) {{\n");
    for record in &unit.records {
        let Some(name) = &record.alias else { continue };
        let _ = writeln!(
            text,
            "printf(\"{name} %zu %zu\", sizeof({name}), _Alignof({name}));"
        );
        for field in record.fields.iter().flatten() {
            if let (Some(member), None) = (&field.name, field.bits) {
                let _ = writeln!(text, "printf(\" %zu\", offsetof({name}, {member}));");
            }
        }
        text.push_str("puts(\"\");\n");
    }
    text.push_str("}\n");
    text
}

#[test]
fn layouts_are_those_of_the_compiler() {
    let mut random = Random(7);
    let mut header =
        String::from("enum small { SMALL = 1 };\nenum large { LARGE = 0x100000000 };\n");
    header.push_str("typedef struct s0 { int first; } s0;\n");
    for index in 1..400 {
        header.push_str(&generated(&mut random, index));
    }
    let (origins, text) = Origins::read(&header);
    let trees = trees(text, &origins);
    assert_eq!(trees.broken, []);
    let mut reader = Reader::new(&origins);
    reader.read(&trees);
    let folder = tempfile::tempdir().expect("a folder");
    let (source, binary) = (folder.path().join("a.c"), folder.path().join("a"));
    std::fs::write(&source, program(&header, &reader.unit)).expect("written");
    let compiled = Command::new("cc")
        .arg("-w")
        .arg(&source)
        .arg("-o")
        .arg(&binary)
        .status();
    match compiled {
        Err(_) => return println!("skipped: there is no C compiler"),
        Ok(status) => assert!(status.success()),
    }
    let printed = Command::new(&binary).output().expect("runs").stdout;
    let printed = String::from_utf8(printed).expect("text");
    let computed = computed(&reader.unit);
    assert_eq!(computed.lines().count(), 400);
    for (ours, theirs) in computed.lines().zip(printed.lines()) {
        assert_eq!(ours, theirs);
    }
}

#[test]
fn a_declaration_that_the_parser_does_not_understand_is_left_out() {
    let text = "int a;\nint f(int x) { return x; }\nint @ wrong { ; }, \";\";\nint b = '\\'';\n";
    let (origins, text) = Origins::read(&format!("# 1 \"a.h\"\n{text}"));
    let trees = trees(text, &origins);
    let lines: Vec<u32> = trees.broken.iter().map(|one| one.place.line).collect();
    let count: usize = trees.trees.iter().map(|tree| tree.unit.0.len()).sum();
    assert_eq!((lines, count), (vec![3], 3));
}

#[test]
fn no_text_makes_the_reader_panic() {
    let headers = [
        include_str!("../tests/golden/shop.h"),
        include_str!("../tests/golden/shop_types.h"),
        include_str!("../tests/golden/layouts.h"),
        include_str!("../tests/golden/unbound.h"),
    ];
    let (mut random, mut read) = (Random(3), 0);
    for round in 0..200 {
        let mut text = without_comments(headers[round % headers.len()]).into_bytes();
        for _ in 0..1 + random.below(3) {
            let start = random.below(text.len() as u64) as usize;
            let end = (start + random.below(12) as usize).min(text.len());
            let part: Vec<u8> = text.drain(start..end).collect();
            let at = random.below(text.len() as u64) as usize;
            text.splice(at..at, part);
        }
        let text = String::from_utf8(text).expect("ASCII");
        crate::comments::Comments::of(&text);
        crate::guards::guard(&text);
        let (origins, text) = Origins::read(&text);
        let trees = trees(text, &origins);
        read += usize::from(!trees.trees.is_empty());
        let mut reader = Reader::new(&origins);
        reader.read(&trees);
        for record in &reader.unit.records {
            reader.unit.record_layout(record);
        }
        for known in &origins.macros {
            reader.macro_value(&known.name);
        }
    }
    assert!(read > 150, "{read}");
}

/// The text as the preprocessor leaves it, so far as the parser minds.
fn without_comments(text: &str) -> String {
    let mut out = String::new();
    for (index, part) in text.split("/*").enumerate() {
        let code = if index == 0 {
            part
        } else {
            part.split_once("*/").map_or("", |(_, code)| code)
        };
        let lines = code
            .split_inclusive('\n')
            .filter(|line| !line.starts_with("//"));
        out.extend(lines);
    }
    out
}
