//! Well-typed programs out of bytes, for comparing optimized with unoptimized code.
//!
//! [`program`] reads choices from the bytes and writes a program that checks, ends, and prints what it computes. Equal bytes give
//! equal programs, so a fuzzer can steer it and a failure can be repeated; when the bytes run out, the simplest choice is taken.
//! Programs end because loops count to small numbers, functions call only earlier ones, and every call costs fuel. What they keep stays
//! small, because texts and trees are cut where they are put together.
//!
//! Leaves out what only a library gives, foreign functions, and input. Run by `tests/differential/main.rs` and `fuzz/`.

mod expressions;
mod statements;

/// Types that values are made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum T {
    Int,
    I32,
    U8,
    F64,
    Bool,
    Text,
    Ints,
    Texts,
    Points,
    Pair,
    Point,
    Node,
    Shape,
    MaybeInt,
    MaybeNode,
    Counts,
    Numbers,
    Tree,
    Things,
    Fun,
}

const TYPES: &[T] = &[
    T::Int,
    T::Text,
    T::Bool,
    T::Ints,
    T::Point,
    T::Node,
    T::Shape,
    T::MaybeInt,
    T::F64,
    T::Pair,
    T::Texts,
    T::MaybeNode,
    T::I32,
    T::U8,
    T::Points,
    T::Counts,
    T::Tree,
    T::Numbers,
    T::Things,
    T::Fun,
];

impl T {
    fn name(self) -> &'static str {
        match self {
            T::Int => "i64",
            T::I32 => "i32",
            T::U8 => "u8",
            T::F64 => "f64",
            T::Bool => "bool",
            T::Text => "text",
            T::Ints => "[i64]",
            T::Texts => "[text]",
            T::Points => "[Point]",
            T::Pair => "(i64, text)",
            T::Point => "Point",
            T::Node => "Node",
            T::Shape => "Shape",
            T::MaybeInt => "i64?",
            T::MaybeNode => "Node?",
            T::Counts => "{text: i64}",
            T::Numbers => "Set<i64>",
            T::Tree => "Tree",
            T::Things => "[Sized2]",
            T::Fun => "fn(i64) -> i64",
        }
    }

    /// The plainest value.
    fn zero(self) -> &'static str {
        match self {
            T::Int => "0",
            T::I32 => "0i32",
            T::U8 => "0u8",
            T::F64 => "0.0",
            T::Bool => "false",
            T::Text => "\"\"",
            T::Ints => "[1]",
            T::Texts => "[\"t\"]",
            T::Points => "[Point(x: 1, tag: \"o\")]",
            T::Pair => "(0, \"\")",
            T::Point => "Point(x: 0, tag: \"z\")",
            T::Node => "Node(value: 0)",
            T::Shape => "Shape.Dot",
            T::MaybeInt => "nothing()",
            T::MaybeNode => "nobody()",
            T::Counts => "{\"k\": 1}",
            T::Numbers => "s{1}",
            T::Tree => "Tree.Leaf(0)",
            T::Things => "[Point(x: 1, tag: \"t\")]",
            T::Fun => "\\q: q",
        }
    }
}

/// What every program declares.
const PRELUDE: &str = include_str!("prelude.spl");

struct Var {
    name: String,
    ty: T,
    mutable: bool,
}

struct Function {
    name: String,
    params: Vec<T>,
    ret: T,
}

struct Generator<'a> {
    bytes: &'a [u8],
    at: usize,
    out: String,
    indent: usize,
    vars: Vec<Var>,
    functions: Vec<Function>,
    names: usize,
    loops: usize,
    /// How many statements may still be written; bounds the program's size.
    budget: usize,
    ret: T,
    /// Lambdas capture by value and may not assign what is outside.
    frozen: usize,
    /// Inside a `match` that is a value; such a match does not nest, because its arms are on separate lines.
    in_match: bool,
    /// Code that runs when a block is left may not jump out of it.
    leaving: bool,
}

/// The program that these bytes say.
pub fn program(bytes: &[u8]) -> String {
    let mut g = generator(bytes);
    g.out.push_str(PRELUDE);
    let count = 1 + g.pick(4);
    for index in 0..count {
        g.function(index);
    }
    g.main();
    g.out
}

/// A generator before its first choice.
fn generator(bytes: &[u8]) -> Generator<'_> {
    Generator {
        bytes,
        at: 0,
        out: String::new(),
        indent: 0,
        vars: Vec::new(),
        functions: Vec::new(),
        names: 0,
        loops: 0,
        budget: 90,
        ret: T::Int,
        frozen: 0,
        in_match: false,
        leaving: false,
    }
}

impl Generator<'_> {
    fn byte(&mut self) -> usize {
        let byte = self.bytes.get(self.at).copied().unwrap_or(0);
        self.at += 1;
        byte as usize
    }

    fn pick(&mut self, end: usize) -> usize {
        self.byte() % end
    }

    fn ty(&mut self) -> T {
        TYPES[self.pick(TYPES.len())]
    }

    fn fresh(&mut self) -> String {
        self.names += 1;
        format!("v{}", self.names)
    }

    fn line(&mut self, text: &str) {
        for _ in 0..self.indent {
            self.out.push_str("    ");
        }
        self.out.push_str(text);
        self.out.push('\n');
    }

    fn function(&mut self, index: usize) {
        let count = self.pick(4);
        let params: Vec<T> = (0..count).map(|_| self.ty()).collect();
        let ret = self.ty();
        let name = format!("f{index}");
        self.vars.clear();
        let mut list = Vec::new();
        for ty in &params {
            let param = self.fresh();
            list.push(format!("{param}: {}", ty.name()));
            self.vars.push(Var {
                name: param,
                ty: *ty,
                mutable: false,
            });
        }
        self.line(&format!(
            "fn {name}({}) -> {}:",
            list.join(", "),
            ret.name()
        ));
        self.indent = 1;
        self.ret = ret;
        self.budget = 30;
        self.line(&format!("if fuel <= 0: return {}", ret.zero()));
        self.line("fuel -= 1");
        self.block_inside(0);
        let result = self.kept(ret, 3);
        self.line(&result);
        self.indent = 0;
        self.functions.push(Function { name, params, ret });
    }

    fn main(&mut self) {
        self.vars.clear();
        self.line("fn main():");
        self.indent = 1;
        self.ret = T::Bool;
        for index in 0..self.functions.len() {
            let ty = self.functions[index].ret;
            let call = self.call(index, 2);
            let name = self.fresh();
            self.line(&format!("val {name}: {} = {call}", ty.name()));
            self.show(&name, ty);
            self.vars.push(Var {
                name,
                ty,
                mutable: false,
            });
        }
        self.budget = 25;
        self.loops = 0;
        self.statements(0);
        self.line("print log, drops, fuel");
        self.indent = 0;
    }

    /// Prints a value; functions by a value of theirs.
    fn show(&mut self, value: &str, ty: T) {
        match ty {
            T::Fun => self.line(&format!("print {value}(3)")),
            T::Node => self.line(&format!("print {value}.total(), {value}.items")),
            T::Things => self.line(&format!("for each in {value}: print measure(each)")),
            T::MaybeNode => self.line(&format!("print {value}?.value")),
            _ => self.line(&format!("print {value}")),
        }
    }

    fn var_of(&mut self, ty: T, mutable: bool) -> Option<String> {
        let found: Vec<usize> = (0..self.vars.len())
            .filter(|i| {
                let var = &self.vars[*i];
                var.ty == ty && (!mutable || (var.mutable && *i >= self.frozen))
            })
            .collect();
        if found.is_empty() {
            return None;
        }
        let index = found[found.len() - 1 - self.pick(found.len())];
        Some(self.vars[index].name.clone())
    }
}

/// The bytes of a seed, for runs without a fuzzer (splitmix64).
pub fn bytes(seed: u64, length: usize) -> Vec<u8> {
    let mut state = seed;
    (0..length)
        .map(|_| {
            state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let mut z = state;
            z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            ((z ^ (z >> 31)) >> 24) as u8
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The values that a choice of bytes yields for a type, with a variable of each type in scope.
    fn values(ty: T, form: u8) -> String {
        let mut g = generator(&[]);
        for (number, ty) in TYPES.iter().enumerate() {
            g.vars.push(Var {
                name: format!("v{number}"),
                ty: *ty,
                mutable: false,
            });
        }
        // Not a variable, a form of the type itself, that one, then variables throughout.
        let bytes = [1, 2, form];
        g.bytes = &bytes;
        g.kept(ty, 2)
    }

    #[test]
    fn what_grows_is_cut() {
        assert_eq!(values(T::Text, 1), "(v1[:90] + v1)");
        assert_eq!(values(T::Text, 0), "\"<{v0}>\"[:90]");
        assert_eq!(values(T::Tree, 4), "small(Tree.Fork(v16, v16))");
    }
}
