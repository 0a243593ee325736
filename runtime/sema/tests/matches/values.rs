//! Types of few values, random patterns for them, all their values, and whether a value fits a pattern.

/// A generator of the same numbers in every run.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % end
    }

    pub fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }
}

#[derive(Clone, Copy, Debug)]
pub enum Int {
    I8,
    U8,
    U64,
}

impl Int {
    fn name(self) -> &'static str {
        match self {
            Int::I8 => "i8",
            Int::U8 => "u8",
            Int::U64 => "u64",
        }
    }

    /// The least and the greatest value.
    fn ends(self) -> (i128, i128) {
        match self {
            Int::I8 => (-128, 127),
            Int::U8 => (0, 255),
            Int::U64 => (0, u64::MAX.into()),
        }
    }

    /// Values at which patterns begin and end.
    fn bounds(self) -> &'static [i128] {
        match self {
            Int::I8 => &[-128, -1, 0, 5, 126, 127],
            Int::U8 => &[0, 1, 127, 128, 255],
            Int::U64 => &[0, 1, (1 << 63) - 1, 1 << 63, (1 << 64) - 1],
        }
    }
}

#[derive(Clone, Debug)]
pub enum Type {
    Bool,
    Int(Int),
    Text,
    /// `enum E: A, B(bool), C(bool, bool), D`
    Enum,
    /// `struct S: a: bool, b: bool, c: bool`
    Struct,
    Option(Box<Type>),
    Result(Box<Type>, Box<Type>),
    Tuple(Vec<Type>),
    /// Of truth values.
    Array,
}

pub const DECLARED: &str = "enum E:\n    A\n    B(bool)\n    C(bool, bool)\n    D\nstruct S:\n    a: bool\n    b: bool\n    c: bool\n";
const VARIANTS: [(&str, usize); 4] = [("A", 0), ("B", 1), ("C", 2), ("D", 0)];
const FIELDS: [&str; 3] = ["a", "b", "c"];
/// Arrays are tried up to this length; patterns are shorter.
const LONGEST: usize = 5;

#[derive(Clone, Debug)]
pub enum Pattern {
    Any,
    Bool(bool),
    Int(i128, i128),
    Text(&'static str),
    Variant(usize, Vec<Pattern>),
    Fields(Vec<(usize, Pattern)>),
    Nil,
    Some(Box<Pattern>),
    Ok(Box<Pattern>),
    Err(Box<Pattern>),
    Tuple(Vec<Pattern>),
    TupleRest(Vec<Pattern>, Vec<Pattern>),
    Array(Vec<Pattern>),
    ArrayRest(Vec<Pattern>, Vec<Pattern>),
    Or(Vec<Pattern>),
}

#[derive(Clone, Debug)]
pub enum Value {
    Bool(bool),
    Int(i128),
    Text(&'static str),
    Variant(usize, Vec<Value>),
    Nil,
    Some(Box<Value>),
    Ok(Box<Value>),
    Err(Box<Value>),
    /// Of a tuple, a struct or an array.
    Parts(Vec<Value>),
}

pub fn of_type(random: &mut Random, depth: usize) -> Type {
    match random.below(if depth == 0 { 6 } else { 10 }) {
        0 => Type::Bool,
        1 => Type::Int([Int::I8, Int::U8, Int::U64][random.below(3)]),
        2 => Type::Text,
        3 => Type::Enum,
        4 => Type::Struct,
        5 => Type::Array,
        6 => Type::Option(Box::new(of_type(random, depth - 1))),
        7 => Type::Result(
            Box::new(of_type(random, depth - 1)),
            Box::new(of_type(random, 0)),
        ),
        _ => {
            let count = 2 + random.below(2);
            // The second of a long tuple is small, so that all values can be tried.
            let parts = (0..count).map(|at| match at {
                0 => of_type(random, depth - 1),
                _ => [Type::Bool, Type::Enum, Type::Int(Int::I8)][random.below(3)].clone(),
            });
            Type::Tuple(parts.collect())
        }
    }
}

pub fn type_name(ty: &Type) -> String {
    match ty {
        Type::Bool => "bool".into(),
        Type::Int(int) => int.name().into(),
        Type::Text => "text".into(),
        Type::Enum => "E".into(),
        Type::Struct => "S".into(),
        Type::Option(item) => format!("{}?", type_name(item)),
        Type::Result(ok, err) => format!("Result<{}, {}>", type_name(ok), type_name(err)),
        Type::Tuple(parts) => {
            let parts: Vec<String> = parts.iter().map(type_name).collect();
            format!("({})", parts.join(", "))
        }
        Type::Array => "[bool]".into(),
    }
}

fn patterns(random: &mut Random, types: &[Type], depth: usize, rest: bool) -> Vec<Pattern> {
    let each = |ty| pattern(random, ty, depth, rest);
    types.iter().map(each).collect()
}

/// A pattern for a type. Only outside of alternatives, which bind the same names, there is a `rest` with one.
pub fn pattern(random: &mut Random, ty: &Type, depth: usize, rest: bool) -> Pattern {
    if random.one_in(4) {
        return Pattern::Any;
    }
    if depth > 0 && random.one_in(5) {
        let count = 2 + random.below(2);
        let parts = (0..count).map(|_| pattern(random, ty, depth - 1, false));
        return Pattern::Or(parts.collect());
    }
    match ty {
        Type::Bool => Pattern::Bool(random.one_in(2)),
        Type::Int(int) => {
            let bounds = int.bounds();
            let (a, b) = (
                bounds[random.below(bounds.len())],
                bounds[random.below(bounds.len())],
            );
            let b = if random.one_in(2) { a } else { b };
            Pattern::Int(a.min(b), a.max(b))
        }
        Type::Text => Pattern::Text(["a", "b"][random.below(2)]),
        Type::Enum => {
            let number = random.below(4);
            let types = vec![Type::Bool; VARIANTS[number].1];
            Pattern::Variant(number, patterns(random, &types, 0, rest))
        }
        Type::Struct => {
            let first = random.below(3);
            let second = (first + 1 + random.below(2)) % 3;
            let fields = [first, second].map(|at| (at, pattern(random, &Type::Bool, 0, rest)));
            Pattern::Fields(fields.into())
        }
        Type::Option(item) => match random.one_in(2) {
            true => Pattern::Nil,
            false => Pattern::Some(Box::new(pattern(random, item, depth, rest))),
        },
        Type::Result(ok, err) => match random.one_in(2) {
            true => Pattern::Ok(Box::new(pattern(random, ok, depth, rest))),
            false => Pattern::Err(Box::new(pattern(random, err, depth, rest))),
        },
        Type::Tuple(types) => {
            if rest && random.one_in(3) {
                let front = random.below(types.len());
                let back = random.below(types.len() - front);
                let (front, back) = (&types[..front], &types[types.len() - back..]);
                let front = patterns(random, front, depth, false);
                return Pattern::TupleRest(front, patterns(random, back, depth, false));
            }
            Pattern::Tuple(patterns(random, types, depth, false))
        }
        Type::Array => {
            let count = random.below(LONGEST - 1);
            let types = vec![Type::Bool; count];
            if random.one_in(2) {
                let front = random.below(count + 1);
                let front_parts = patterns(random, &types[..front], 0, false);
                let back = patterns(random, &types[front..], 0, false);
                return Pattern::ArrayRest(front_parts, back);
            }
            Pattern::Array(patterns(random, &types, 0, false))
        }
    }
}

fn list(parts: &[Pattern]) -> Vec<String> {
    parts.iter().map(pattern_text).collect()
}

pub fn pattern_text(pattern: &Pattern) -> String {
    match pattern {
        Pattern::Any => "_".into(),
        Pattern::Bool(value) => value.to_string(),
        Pattern::Int(lo, hi) if lo == hi => lo.to_string(),
        Pattern::Int(lo, hi) => format!("{lo}..={hi}"),
        Pattern::Text(text) => format!("\"{text}\""),
        Pattern::Variant(number, parts) => match VARIANTS[*number] {
            (name, 0) => name.into(),
            (name, _) => format!("{name}({})", list(parts).join(", ")),
        },
        Pattern::Fields(fields) => {
            let fields = fields
                .iter()
                .map(|(at, part)| format!("{}: {}", FIELDS[*at], pattern_text(part)));
            format!("S({})", fields.collect::<Vec<_>>().join(", "))
        }
        Pattern::Nil => "nil".into(),
        Pattern::Some(inner) => format!("Some({})", pattern_text(inner)),
        Pattern::Ok(inner) => format!("Ok({})", pattern_text(inner)),
        Pattern::Err(inner) => format!("Err({})", pattern_text(inner)),
        Pattern::Tuple(parts) => format!("({})", list(parts).join(", ")),
        Pattern::TupleRest(front, back) => {
            let mut parts = list(front);
            parts.push("...rest".into());
            parts.extend(list(back));
            format!("({})", parts.join(", "))
        }
        Pattern::Array(parts) => format!("[{}]", list(parts).join(", ")),
        Pattern::ArrayRest(front, back) => {
            let mut parts = list(front);
            parts.push("...".into());
            parts.extend(list(back));
            format!("[{}]", parts.join(", "))
        }
        Pattern::Or(parts) => format!("({})", list(parts).join(" | ")),
    }
}

/// All combinations of one value of each.
fn product(of_each: &[Vec<Value>]) -> Vec<Vec<Value>> {
    of_each.iter().fold(vec![Vec::new()], |all, values| {
        let longer = |one: &Vec<Value>| {
            let one = one.clone();
            values.iter().map(move |value| {
                let mut one = one.clone();
                one.push(value.clone());
                one
            })
        };
        all.iter().flat_map(longer).collect()
    })
}

/// Every value of a type that patterns can tell from others.
pub fn values(ty: &Type) -> Vec<Value> {
    let both = vec![Value::Bool(false), Value::Bool(true)];
    match ty {
        Type::Bool => both,
        Type::Int(int) => {
            let (least, most) = int.ends();
            let near = int
                .bounds()
                .iter()
                .flat_map(|bound| [bound - 1, *bound, bound + 1]);
            near.filter(|value| (least..=most).contains(value))
                .map(Value::Int)
                .collect()
        }
        Type::Text => ["a", "b", "neither"].map(Value::Text).into(),
        Type::Enum => {
            let of_variant = |(number, (_, count)): (usize, (&str, usize))| {
                let all = product(&vec![both.clone(); count]);
                all.into_iter()
                    .map(move |parts| Value::Variant(number, parts))
                    .collect::<Vec<_>>()
            };
            VARIANTS
                .into_iter()
                .enumerate()
                .flat_map(of_variant)
                .collect()
        }
        Type::Struct => product(&vec![both; 3])
            .into_iter()
            .map(Value::Parts)
            .collect(),
        Type::Option(item) => {
            let present = values(item)
                .into_iter()
                .map(|value| Value::Some(Box::new(value)));
            present.chain([Value::Nil]).collect()
        }
        Type::Result(ok, err) => {
            let good = values(ok)
                .into_iter()
                .map(|value| Value::Ok(Box::new(value)));
            let bad = values(err)
                .into_iter()
                .map(|value| Value::Err(Box::new(value)));
            good.chain(bad).collect()
        }
        Type::Tuple(types) => {
            let of_each: Vec<Vec<Value>> = types.iter().map(values).collect();
            product(&of_each).into_iter().map(Value::Parts).collect()
        }
        Type::Array => {
            let all = (0..=LONGEST).flat_map(|length| product(&vec![both.clone(); length]));
            all.map(Value::Parts).collect()
        }
    }
}

fn all_fit(patterns: &[Pattern], values: &[Value]) -> bool {
    patterns
        .iter()
        .zip(values)
        .all(|(pattern, value)| fits(pattern, value))
}

pub fn fits(pattern: &Pattern, value: &Value) -> bool {
    match (pattern, value) {
        (Pattern::Any, _) | (Pattern::Nil, Value::Nil) => true,
        (Pattern::Or(parts), _) => parts.iter().any(|part| fits(part, value)),
        (Pattern::Bool(a), Value::Bool(b)) => a == b,
        (Pattern::Int(lo, hi), Value::Int(value)) => (lo..=hi).contains(&value),
        (Pattern::Text(a), Value::Text(b)) => a == b,
        (Pattern::Variant(a, parts), Value::Variant(b, values)) => a == b && all_fit(parts, values),
        (Pattern::Fields(fields), Value::Parts(values)) => {
            fields.iter().all(|(at, part)| fits(part, &values[*at]))
        }
        (Pattern::Some(inner), Value::Some(value))
        | (Pattern::Ok(inner), Value::Ok(value))
        | (Pattern::Err(inner), Value::Err(value)) => fits(inner, value),
        (Pattern::Tuple(parts), Value::Parts(values)) => all_fit(parts, values),
        (Pattern::Array(parts), Value::Parts(values)) => {
            parts.len() == values.len() && all_fit(parts, values)
        }
        (
            Pattern::TupleRest(front, back) | Pattern::ArrayRest(front, back),
            Value::Parts(values),
        ) => {
            values.len() >= front.len() + back.len()
                && all_fit(front, values)
                && all_fit(back, &values[values.len() - back.len()..])
        }
        _ => false,
    }
}
