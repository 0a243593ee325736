//! Types that cross, values of them with their edges, and how both languages write them.

use crate::random::Random;

/// Records and enums of one program.
#[derive(Default)]
pub struct Pool {
    /// Structs and unions: a record has only those before it.
    pub records: Vec<Record>,
    /// Enums: the values of their variants.
    pub enums: Vec<Vec<i64>>,
}

/// A struct or a union.
pub struct Record {
    pub fields: Vec<Ty>,
    pub union: bool,
}

/// How a value crosses.
#[derive(Clone, PartialEq, Debug)]
pub enum Ty {
    Bool,
    Int { bits: u32, signed: bool },
    F32,
    F64,
    CText { optional: bool },
    Address { optional: bool },
    Handle { optional: bool },
    Enum(usize),
    Record(usize),
    Inline(Box<Ty>, usize),
}

/// A value, with the bits of a float.
#[derive(Clone, Debug)]
pub enum Value {
    Int(i128),
    F32(u32),
    F64(u64),
    Text(String),
    Address(u64),
    /// NULL.
    Nil,
    Variant(usize),
    /// Of a struct or an array.
    Parts(Vec<Value>),
    /// The member of a union that is set.
    Member(usize, Box<Value>),
}

const INTS: [(u32, bool); 8] = [
    (8, true),
    (8, false),
    (16, true),
    (16, false),
    (32, true),
    (32, false),
    (64, true),
    (64, false),
];

impl Ty {
    fn number(random: &mut Random) -> Ty {
        match random.below(11) {
            0 => Ty::Bool,
            1 => Ty::F32,
            2 => Ty::F64,
            at => {
                let (bits, signed) = INTS[at - 3];
                Ty::Int { bits, signed }
            }
        }
    }

    /// What is one scalar in C, without texts.
    pub fn scalar(random: &mut Random, pool: &Pool) -> Ty {
        let optional = random.below(2) == 0;
        match random.below(12) {
            0 => Ty::Address { optional },
            1 => Ty::Handle { optional },
            2 => Ty::Enum(random.below(pool.enums.len())),
            3 | 4 => Ty::F64,
            _ => Ty::number(random),
        }
    }

    /// What crosses by value.
    pub fn any(random: &mut Random, pool: &Pool) -> Ty {
        match random.below(10) {
            0 => Ty::CText {
                optional: random.below(2) == 0,
            },
            1..=3 => Ty::Record(random.below(pool.records.len())),
            _ => Ty::scalar(random, pool),
        }
    }

    /// What a `Ptr` can read and write.
    pub fn stored(random: &mut Random, pool: &Pool) -> Ty {
        loop {
            let ty = Ty::any(random, pool);
            if !matches!(ty, Ty::CText { .. }) {
                return ty;
            }
        }
    }

    /// What elements of an array can be.
    pub fn element(random: &mut Random, pool: &Pool) -> Ty {
        let dense: Vec<usize> = (0..pool.records.len())
            .filter(|at| pool.is_dense(*at))
            .collect();
        match random.below(8) {
            0 => Ty::Address { optional: false },
            1 if !dense.is_empty() => Ty::Record(dense[random.below(dense.len())]),
            _ => Ty::number(random),
        }
    }

    /// A value, often one of the edges.
    pub fn value(&self, random: &mut Random, pool: &Pool) -> Value {
        match self {
            Ty::Bool => Value::Int(random.below(2) as i128),
            Ty::Int { bits, signed } => {
                let (low, high) = match signed {
                    true => (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1),
                    false => (0, (1i128 << bits) - 1),
                };
                Value::Int(match random.below(7) {
                    0 => low,
                    1 => high,
                    2 => 0,
                    3 => low.max(-1),
                    _ => low + i128::from(random.bits()) % (high - low + 1),
                })
            }
            Ty::F32 => Value::F32(match random.below(8) {
                0 => f32::NAN.to_bits(),
                1 => (-0.0f32).to_bits(),
                2 => f32::INFINITY.to_bits(),
                3 => f32::MIN.to_bits(),
                4 => 1, // the smallest subnormal
                _ => (random.bits() as i32 as f32 / 16.0).to_bits(),
            }),
            Ty::F64 => Value::F64(match random.below(8) {
                0 => f64::NAN.to_bits() | random.bits() >> 20,
                1 => (-0.0f64).to_bits(),
                2 => f64::NEG_INFINITY.to_bits(),
                3 => f64::MAX.to_bits(),
                4 => 1,
                _ => random.bits() & !(1 << 62),
            }),
            Ty::CText { optional } => match *optional && random.below(3) == 0 {
                true => Value::Nil,
                false => Value::Text(text(random)),
            },
            Ty::Address { optional } | Ty::Handle { optional } => {
                match *optional && random.below(3) == 0 {
                    true => Value::Nil,
                    false => Value::Address(random.bits() | 1),
                }
            }
            Ty::Enum(at) => {
                let values = &pool.enums[*at];
                Value::Variant(random.below(values.len()))
            }
            Ty::Inline(item, count) => {
                Value::Parts((0..*count).map(|_| item.value(random, pool)).collect())
            }
            Ty::Record(at) => {
                let record = &pool.records[*at];
                match record.union {
                    true => {
                        let member = random.below(record.fields.len());
                        let value = loop {
                            match record.fields[member].value(random, pool) {
                                Value::Nil => {}
                                value => break value,
                            }
                        };
                        Value::Member(member, Box::new(value))
                    }
                    false => Value::Parts(
                        (record.fields.iter())
                            .map(|field| field.value(random, pool))
                            .collect(),
                    ),
                }
            }
        }
    }

    /// The type in Simple.
    pub fn simple(&self) -> String {
        let mark =
            |name: &str, optional: bool| format!("{name}{}", if optional { "?" } else { "" });
        match self {
            Ty::Bool => "bool".to_owned(),
            Ty::Int { bits, signed } => format!("{}{bits}", if *signed { 'i' } else { 'u' }),
            Ty::F32 => "f32".to_owned(),
            Ty::F64 => "f64".to_owned(),
            Ty::CText { optional } => mark("cstr", *optional),
            Ty::Address { optional } => mark("Ptr<u8>", *optional),
            Ty::Handle { optional } => mark("Handle", *optional),
            Ty::Enum(at) => format!("E{at}"),
            Ty::Record(at) => format!("S{at}"),
            Ty::Inline(item, count) => format!("[{}; {count}]", item.simple()),
        }
    }

    /// The type in Simple outside of declarations.
    pub fn simple_value(&self) -> String {
        self.simple().replace("cstr", "text")
    }

    /// The type in C.
    pub fn c(&self) -> String {
        match self {
            Ty::Bool => "uint8_t".to_owned(),
            Ty::Int { bits, signed } => format!("{}int{bits}_t", if *signed { "" } else { "u" }),
            Ty::F32 => "float".to_owned(),
            Ty::F64 => "double".to_owned(),
            Ty::CText { .. } => "const char *".to_owned(),
            Ty::Address { .. } => "void *".to_owned(),
            Ty::Handle { .. } => "struct handle *".to_owned(),
            Ty::Enum(at) => format!("E{at}"),
            Ty::Record(at) => format!("S{at}"),
            Ty::Inline(item, _) => item.c(),
        }
    }
}

fn text(random: &mut Random) -> String {
    let letters = ["a", "Z", "7", " ", "é", "漢", "🎉", "%s", "~"];
    (0..[0, 1, 5, 15, 16, 40][random.below(6)])
        .map(|_| letters[random.below(letters.len())])
        .collect()
}

impl Pool {
    /// Records and enums for a program.
    pub fn new(random: &mut Random) -> Pool {
        let mut pool = Pool::default();
        for _ in 0..3 {
            let from = [-3, 0, 1, 0x7fff_fff0][random.below(4)];
            let step = 1 + random.below(3) as i64;
            pool.enums.push((0..4).map(|at| from + at * step).collect());
        }
        for _ in 0..14 {
            let union = random.below(4) == 0;
            let count = 1 + random.below(5);
            let fields = (0..count)
                .map(|_| match union {
                    true => pool.member(random),
                    false => pool.field(random),
                })
                .collect();
            pool.records.push(Record { fields, union });
        }
        pool
    }

    fn field(&self, random: &mut Random) -> Ty {
        match random.below(7) {
            0 => {
                let item = match random.below(4) {
                    0 => Ty::Enum(random.below(self.enums.len())),
                    1 => Ty::Address { optional: true },
                    _ => Ty::number(random),
                };
                Ty::Inline(Box::new(item), 1 + random.below(4))
            }
            1 if !self.records.is_empty() => Ty::Record(random.below(self.records.len())),
            _ => Ty::scalar(random, self),
        }
    }

    /// A member of a union: any bits are a value.
    fn member(&self, random: &mut Random) -> Ty {
        match random.below(5) {
            0 => Ty::Address { optional: true },
            1 => (0..self.records.len())
                .find(|at| {
                    let of_numbers = |ty: &Ty| matches!(ty, Ty::Int { .. } | Ty::F32 | Ty::F64);
                    !self.records[*at].union && self.records[*at].fields.iter().all(of_numbers)
                })
                .map_or(Ty::F64, Ty::Record),
            _ => Ty::number(random),
        }
    }

    /// Whether arrays of Simple hold a struct as C does: only numbers are in it, without arrays.
    fn is_dense(&self, at: usize) -> bool {
        let record = &self.records[at];
        let dense = |ty: &Ty| matches!(ty, Ty::Int { .. } | Ty::F32 | Ty::F64);
        !record.union && record.fields.iter().all(dense)
    }

    /// The declarations in Simple and in C.
    pub fn declare(&self) -> (String, String) {
        let (mut simple, mut c) = (String::new(), String::new());
        for (at, values) in self.enums.iter().enumerate() {
            let variants = |prefix: &str| {
                let variants: Vec<String> = (values.iter().enumerate())
                    .map(|(n, value)| format!("{prefix}V{n} = {value}"))
                    .collect();
                variants
            };
            simple += &format!("@c\nenum E{at}: {}\n", variants("").join("; "));
            c += &format!(
                "typedef enum {{ {} }} E{at};\n",
                variants(&format!("E{at}")).join(", ")
            );
        }
        for (at, record) in self.records.iter().enumerate() {
            let (head, word) = match record.union {
                true => ("@c(\"union\")", "union"),
                false => ("@c", "struct"),
            };
            simple += &format!("{head}\nstruct S{at}:\n");
            c += &format!("typedef {word} {{\n");
            for (n, field) in record.fields.iter().enumerate() {
                let optional = matches!(field, Ty::Address { optional: true });
                let (mark, default) = match record.union {
                    true => (if optional { "" } else { "?" }, " = nil"),
                    false => ("", ""),
                };
                simple += &format!("    f{n}: {}{mark}{default}\n", field.simple());
                let count = match field {
                    Ty::Inline(_, count) => format!("[{count}]"),
                    _ => String::new(),
                };
                c += &format!("    {} f{n}{count};\n", field.c());
            }
            c += &format!("}} S{at};\n");
        }
        (simple, c)
    }

    /// A value in Simple.
    pub fn in_simple(&self, value: &Value, ty: &Ty) -> String {
        match (value, ty) {
            (Value::Int(number), Ty::Bool) => (*number != 0).to_string(),
            (Value::Int(number), _) => number.to_string(),
            (Value::F32(bits), _) => format!("float_of({bits})"),
            (Value::F64(bits), _) => format!("double_of({bits})"),
            // Half of the texts are made when the program runs.
            (Value::Text(text), _) if text.len() % 2 == 1 => format!("joined(\"{text}\")"),
            (Value::Text(text), _) => format!("\"{text}\""),
            (Value::Address(bits), Ty::Handle { .. }) => format!("handle_of({bits})"),
            (Value::Address(bits), _) => format!("Ptr<u8>(address: {})", *bits as i64),
            (Value::Nil, _) => "nil".to_owned(),
            (Value::Variant(variant), ty) => format!("{}.V{variant}", ty.simple()),
            (Value::Parts(parts), Ty::Inline(item, _)) => {
                let parts: Vec<String> = parts
                    .iter()
                    .map(|part| self.in_simple(part, item))
                    .collect();
                format!("[{}]", parts.join(", "))
            }
            (Value::Parts(parts), Ty::Record(at)) => {
                let fields = &self.records[*at].fields;
                let parts: Vec<String> = (parts.iter().zip(fields).enumerate())
                    .map(|(n, (part, ty))| format!("f{n}: {}", self.in_simple(part, ty)))
                    .collect();
                format!("S{at}({})", parts.join(", "))
            }
            (Value::Member(member, value), Ty::Record(at)) => {
                let ty = &self.records[*at].fields[*member];
                format!("S{at}(f{member}: {})", self.in_simple(value, ty))
            }
            (value, ty) => unreachable!("{value:?} as {ty:?}"),
        }
    }

    /// A value in C.
    pub fn in_c(&self, value: &Value, ty: &Ty) -> String {
        match (value, ty) {
            // C may have any byte that is not 0 for true.
            (Value::Int(number), Ty::Bool) => (*number * 0x82).to_string(),
            (
                Value::Int(number),
                Ty::Int {
                    bits: 64,
                    signed: true,
                },
            ) => {
                format!("((int64_t){}ull)", *number as i64 as u64)
            }
            (Value::Int(number), Ty::Int { signed: false, .. }) => format!("{number}ull"),
            (Value::Int(number), _) => format!("({number}ll)"),
            (Value::F32(bits), _) => format!("float_of({bits}u)"),
            (Value::F64(bits), _) => format!("double_of({bits}ull)"),
            (Value::Text(text), _) => format!("\"{text}\""),
            (Value::Address(bits), _) => format!("((void *){bits}ull)"),
            (Value::Nil, _) => "NULL".to_owned(),
            (Value::Variant(variant), ty) => format!("{}V{variant}", ty.c()),
            (Value::Parts(parts), Ty::Inline(item, _)) => {
                let parts: Vec<String> = parts.iter().map(|part| self.in_c(part, item)).collect();
                format!("{{{}}}", parts.join(", "))
            }
            (Value::Parts(parts), Ty::Record(at)) => {
                let fields = &self.records[*at].fields;
                let parts: Vec<String> = (parts.iter().zip(fields))
                    .map(|(part, ty)| self.in_c(part, ty))
                    .collect();
                format!("((S{at}){{{}}})", parts.join(", "))
            }
            (Value::Member(member, value), Ty::Record(at)) => {
                let ty = &self.records[*at].fields[*member];
                format!("((S{at}){{.f{member} = {}}})", self.in_c(value, ty))
            }
            (value, ty) => unreachable!("{value:?} as {ty:?}"),
        }
    }

    /// What holds in Simple if `place` has a value.
    pub fn same_in_simple(&self, place: &str, value: &Value, ty: &Ty) -> Vec<String> {
        let optional = matches!(
            ty,
            Ty::Address { optional: true } | Ty::Handle { optional: true }
        );
        let there = match optional {
            true => format!("{place}!"),
            false => place.to_owned(),
        };
        vec![match (value, ty) {
            (Value::F32(bits), _) => format!("float_bits({place}) == {bits}"),
            (Value::F64(bits), _) => format!("double_bits({place}) == {bits}"),
            (Value::Address(bits), Ty::Handle { .. }) => format!("handle_bits({there}) == {bits}"),
            (Value::Address(bits), _) => format!("{there}.address == {}", *bits as i64),
            (Value::Parts(parts), Ty::Inline(item, _)) => {
                return (parts.iter().enumerate())
                    .flat_map(|(n, part)| self.same_in_simple(&format!("{place}[{n}]"), part, item))
                    .collect();
            }
            (Value::Parts(parts), Ty::Record(at)) => {
                let fields = self.records[*at].fields.iter();
                return (parts.iter().zip(fields).enumerate())
                    .flat_map(|(n, (part, ty))| {
                        self.same_in_simple(&format!("{place}.f{n}"), part, ty)
                    })
                    .collect();
            }
            (Value::Member(member, value), Ty::Record(at)) => {
                let ty = &self.records[*at].fields[*member];
                let mark = match ty {
                    Ty::Address { .. } => "",
                    _ => "!",
                };
                return self.same_in_simple(&format!("{place}.f{member}{mark}"), value, ty);
            }
            (value, ty) => format!("{place} == {}", self.in_simple(value, ty)),
        }]
    }

    /// What holds in C if `place` has a value that came from Simple.
    pub fn same_in_c(&self, place: &str, value: &Value, ty: &Ty) -> Vec<String> {
        vec![match (value, ty) {
            (Value::Int(number), Ty::Bool) => format!("{place} == {number}"),
            (Value::F32(bits), _) => format!("float_bits({place}) == {bits}u"),
            (Value::F64(bits), _) => format!("double_bits({place}) == {bits}ull"),
            (Value::Text(text), _) => format!("{place} && strcmp({place}, \"{text}\") == 0"),
            (Value::Parts(parts), Ty::Inline(item, _)) => {
                return (parts.iter().enumerate())
                    .flat_map(|(n, part)| self.same_in_c(&format!("{place}[{n}]"), part, item))
                    .collect();
            }
            (Value::Parts(parts), Ty::Record(at)) => {
                let fields = self.records[*at].fields.iter();
                return (parts.iter().zip(fields).enumerate())
                    .flat_map(|(n, (part, ty))| self.same_in_c(&format!("{place}.f{n}"), part, ty))
                    .collect();
            }
            (Value::Member(member, value), Ty::Record(at)) => {
                let ty = &self.records[*at].fields[*member];
                return self.same_in_c(&format!("{place}.f{member}"), value, ty);
            }
            (value, ty) => format!("{place} == {}", self.in_c(value, ty)),
        }]
    }
}
