//! Expressions of each type.

use super::{Generator, T, Var};
use std::fmt::Write;

impl Generator<'_> {
    pub(super) fn call(&mut self, index: usize, depth: usize) -> String {
        let (name, params) = (
            self.functions[index].name.clone(),
            self.functions[index].params.clone(),
        );
        let args: Vec<String> = params.iter().map(|ty| self.expr(*ty, depth)).collect();
        format!("{name}({})", args.join(", "))
    }

    pub(super) fn expr(&mut self, ty: T, depth: usize) -> String {
        if depth == 0 || self.pick(5) == 0 {
            return match self.var_of(ty, false) {
                Some(name) => name,
                None => self.leaf(ty),
            };
        }
        // Forms that every type has.
        match self.pick(12) {
            0 => {
                let cond = self.expr(T::Bool, depth - 1);
                let (a, b) = (self.expr(ty, depth - 1), self.expr(ty, depth - 1));
                return format!("(if {cond}: {a} else: {b})");
            }
            1 => {
                let found: Vec<usize> = (0..self.functions.len())
                    .filter(|i| self.functions[*i].ret == ty)
                    .collect();
                if !found.is_empty() && self.loops < 2 {
                    let index = found[self.pick(found.len())];
                    return self.call(index, depth - 1);
                }
            }
            _ => {}
        }
        match ty {
            T::Int => self.int(depth - 1),
            T::Bool => self.boolean(depth - 1),
            T::Text => self.text(depth - 1),
            T::F64 => {
                let (a, b) = (self.expr(T::F64, depth - 1), self.expr(T::F64, depth - 1));
                let op = ["+", "-", "*", "/"][self.pick(4)];
                match self.pick(4) {
                    0 => format!("({} as f64)", self.expr(T::Int, depth - 1)),
                    _ => format!("({a} {op} {b})"),
                }
            }
            T::I32 => match self.pick(3) {
                0 => format!("({} as i32)", self.expr(T::Int, depth - 1)),
                1 => format!("({} % 1000i32)", self.expr(T::I32, depth - 1)),
                _ => {
                    let (a, b) = (self.expr(T::I32, depth - 1), self.expr(T::I32, depth - 1));
                    let op = ["&", "|", "^"][self.pick(3)];
                    format!("({a} {op} {b})")
                }
            },
            T::U8 => match self.pick(2) {
                0 => format!("({} as u8)", self.expr(T::Int, depth - 1)),
                _ => {
                    let (a, b) = (self.expr(T::U8, depth - 1), self.expr(T::U8, depth - 1));
                    let op = ["&", "|", "^", "/ 3u8 +", ">> 1u8 |"][self.pick(5)];
                    if op.contains('+') {
                        format!("({a} / 3u8 + {b} / 3u8)")
                    } else {
                        format!("({a} {op} {b})")
                    }
                }
            },
            T::Ints => match self.pick(4) {
                0 => format!(
                    "[{}, {}]",
                    self.expr(T::Int, depth - 1),
                    self.expr(T::Int, depth - 1)
                ),
                1 => {
                    let source = self.expr(T::Ints, depth - 1);
                    let name = self.fresh();
                    let kept = self.vars.len();
                    self.vars.push(Var {
                        name: name.clone(),
                        ty: T::Int,
                        mutable: false,
                    });
                    let (body, cond) = (self.expr(T::Int, depth - 1), self.expr(T::Bool, 1));
                    self.vars.truncate(kept);
                    format!("[{body} for {name} in {source} if {cond}]")
                }
                2 => format!("{}.items", self.expr(T::Node, depth - 1)),
                _ => format!(
                    "{}[{}:{}]",
                    self.expr(T::Ints, 0),
                    self.pick(3),
                    self.pick(5)
                ),
            },
            T::Texts => format!(
                "[{}, {}]",
                self.expr(T::Text, depth - 1),
                self.expr(T::Text, depth - 1)
            ),
            T::Points => format!(
                "[{}, {}]",
                self.expr(T::Point, depth - 1),
                self.expr(T::Point, depth - 1)
            ),
            T::Pair => format!(
                "({}, {})",
                self.expr(T::Int, depth - 1),
                self.expr(T::Text, depth - 1)
            ),
            T::Point => match self.pick(3) {
                0 => match self.var_of(T::Points, false) {
                    Some(v) => format!("{v}[{}]", self.pick(2)),
                    None => T::Point.zero().into(),
                },
                _ => format!(
                    "Point(x: {}, tag: {})",
                    self.expr(T::Int, depth - 1),
                    self.expr(T::Text, depth - 1)
                ),
            },
            T::Node => match self.pick(3) {
                0 => format!(
                    "Node(value: {}, items: {})",
                    self.expr(T::Int, depth - 1),
                    self.expr(T::Ints, depth - 1)
                ),
                1 => format!("({} ?? Node(value: 3))", self.expr(T::MaybeNode, depth - 1)),
                _ => format!("Node(value: {})", self.expr(T::Int, depth - 1)),
            },
            T::Shape => match self.pick(3) {
                0 => format!("Shape.Line({})", self.expr(T::Int, depth - 1)),
                1 => format!(
                    "Shape.Named({}, {})",
                    self.expr(T::Text, depth - 1),
                    self.expr(T::Int, depth - 1)
                ),
                _ => "Shape.Dot".into(),
            },
            T::MaybeInt => match self.pick(5) {
                0 => format!("Some({})", self.expr(T::Int, depth - 1)),
                1 => format!("half({})", self.expr(T::Int, depth - 1)),
                2 => format!("quarter({})", self.expr(T::Int, depth - 1)),
                3 => format!("{}?.value", self.expr(T::MaybeNode, depth - 1)),
                _ => "nothing()".into(),
            },
            T::MaybeNode => match self.pick(3) {
                0 => format!("Some({})", self.expr(T::Node, depth - 1)),
                1 => format!("{}.next", self.expr(T::Node, depth - 1)),
                _ => "nobody()".into(),
            },
            T::Counts => format!(
                "{{{}: {}, \"m\": {}}}",
                self.expr(T::Text, depth - 1),
                self.expr(T::Int, depth - 1),
                self.expr(T::Int, depth - 1)
            ),
            T::Numbers => match self.pick(3) {
                0 => format!(
                    "{}.union({})",
                    self.expr(T::Numbers, depth - 1),
                    self.expr(T::Numbers, depth - 1)
                ),
                1 => format!(
                    "{}.add({})",
                    T::Numbers.zero(),
                    self.expr(T::Int, depth - 1)
                ),
                _ => format!(
                    "s{{{}, {}}}",
                    self.expr(T::Int, depth - 1),
                    self.expr(T::Int, depth - 1)
                ),
            },
            T::Tree => match self.pick(6) {
                0 => format!("grown({})", self.expr(T::Tree, depth - 1)),
                1 => format!("pruned({})", self.expr(T::Tree, depth - 1)),
                2 => format!(
                    "Tree.Tagged({}, {})",
                    self.expr(T::Text, depth - 1),
                    self.expr(T::Tree, depth - 1)
                ),
                3 => format!("Tree.Leaf({})", self.expr(T::Int, depth - 1)),
                _ => format!(
                    "Tree.Fork({}, {})",
                    self.expr(T::Tree, depth - 1),
                    self.expr(T::Tree, depth - 1)
                ),
            },
            T::Things => format!(
                "[{}, {}]",
                self.expr(T::Point, depth - 1),
                self.expr(T::Node, depth - 1)
            ),
            // Lambdas and names: what is composed must show its type without context.
            T::Fun if self.pick(4) == 0 => {
                format!("({} >> {})", self.expr(T::Fun, 0), self.expr(T::Fun, 0))
            }
            T::Fun => {
                let name = self.fresh();
                let kept = (self.vars.len(), self.frozen, self.loops);
                self.frozen = self.vars.len() + 1;
                self.vars.push(Var {
                    name: name.clone(),
                    ty: T::Int,
                    mutable: false,
                });
                let body = self.expr(T::Int, depth - 1);
                self.vars.truncate(kept.0);
                self.frozen = kept.1;
                self.loops = kept.2;
                format!("(\\{name}: {body})")
            }
        }
    }

    /// An expression whose value is kept: a tree that is too large becomes a small one.
    pub(super) fn kept(&mut self, ty: T, depth: usize) -> String {
        let value = self.expr(ty, depth);
        match ty {
            T::Tree => format!("small({value})"),
            _ => value,
        }
    }

    fn int(&mut self, depth: usize) -> String {
        match self.pick(20) {
            16 => format!("{}.sum()", self.expr(T::Tree, depth)),
            17 => format!("{}.len()", self.expr(T::Numbers, depth)),
            18 => format!(
                "{}.map(\\q: q % 100).filter({}).len()",
                self.expr(T::Ints, depth),
                "\\q: q > 3"
            ),
            19 => format!(
                "({}[{}] ?? {})",
                self.expr(T::Counts, depth),
                self.expr(T::Text, 0),
                self.expr(T::Int, depth)
            ),
            0 | 1 => {
                let (a, b) = (self.expr(T::Int, depth), self.expr(T::Int, depth));
                let op = ["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"][self.pick(10)];
                format!("({a} {op} {b})")
            }
            2 | 3 => {
                let (a, b) = (self.expr(T::Int, depth), self.expr(T::Int, depth));
                let op = ["+", "-", "*"][self.pick(3)];
                format!("(({a} % 1009) {op} ({b} % 1013))")
            }
            4 => format!("{}.len()", self.expr(T::Text, depth)),
            5 => format!("{}.len()", self.expr(T::Ints, depth)),
            6 => format!("{}[{}]", self.expr(T::Ints, depth), self.expr(T::Int, 0)),
            7 => format!("{}.x", self.expr(T::Point, depth)),
            8 => format!("{}.total()", self.expr(T::Node, depth)),
            9 => format!(
                "({} ?? {})",
                self.expr(T::MaybeInt, depth),
                self.expr(T::Int, depth)
            ),
            10 => format!("{}.0", self.expr(T::Pair, depth)),
            11 if !self.in_match => {
                self.in_match = true;
                let (value, n) = (self.expr(T::Shape, depth), self.fresh());
                let (a, b) = (self.expr(T::Int, depth), self.expr(T::Int, depth));
                self.in_match = false;
                format!(
                    "(match {value}:\n{0}    case Line({n}): {n} + {a} % 50\n{0}    case Named(_, {n}): {n} % 70\n{0}    case _: {b}\n{0})",
                    "    ".repeat(self.indent + 1)
                )
            }
            12 => format!(
                "apply({}, {})",
                self.expr(T::Fun, depth),
                self.expr(T::Int, depth)
            ),
            13 => format!(
                "measure({})",
                if self.pick(2) == 0 {
                    self.expr(T::Point, depth)
                } else {
                    self.expr(T::Node, depth)
                }
            ),
            14 => format!("({} as i64)", {
                let ty = [T::I32, T::U8, T::F64][self.pick(3)];
                self.expr(ty, depth)
            }),
            _ => format!("(checked({}) ?? -1)", self.expr(T::Int, depth)),
        }
    }

    fn boolean(&mut self, depth: usize) -> String {
        match self.pick(9) {
            0 | 1 => {
                let (a, b) = (self.expr(T::Int, depth), self.expr(T::Int, depth));
                let op = ["<", "<=", ">", ">=", "==", "!="][self.pick(6)];
                format!("({a} {op} {b})")
            }
            2 => {
                let op = ["and", "or"][self.pick(2)];
                let (a, b) = (self.expr(T::Bool, depth), self.expr(T::Bool, depth));
                format!("({a} {op} {b})")
            }
            3 => format!("(not {})", self.expr(T::Bool, depth)),
            4 => {
                let ty = [
                    T::Text,
                    T::Ints,
                    T::Point,
                    T::Shape,
                    T::MaybeInt,
                    T::Pair,
                    T::F64,
                    T::Tree,
                    T::Counts,
                    T::Numbers,
                ][self.pick(10)];
                format!("same({}, {})", self.expr(ty, depth), self.expr(ty, depth))
            }
            5 => format!(
                "({} < {})",
                self.expr(T::Text, depth),
                self.expr(T::Text, depth)
            ),
            6 => format!("{}.far()", self.expr(T::Point, depth)),
            7 => format!(
                "({} in {})",
                self.expr(T::Int, depth),
                self.expr(T::Ints, depth)
            ),
            _ => format!("({} == nil)", self.expr(T::MaybeNode, depth)),
        }
    }

    fn text(&mut self, depth: usize) -> String {
        match self.pick(6) {
            0 => {
                let ty = [
                    T::Int,
                    T::F64,
                    T::Bool,
                    T::Ints,
                    T::Point,
                    T::Shape,
                    T::MaybeInt,
                    T::Pair,
                    T::U8,
                    T::Tree,
                    T::Counts,
                    T::Numbers,
                ][self.pick(12)];
                let name = self.expr(ty, 0);
                // A text literal inside a hole would need escapes; values are named first.
                if name.contains('"') {
                    format!("\"<{}>\"", self.pick(9))
                } else {
                    format!("\"<{{{name}}}>\"[:90]")
                }
            }
            // Cut, so that a text does not get twice as long at each step of a chain of calls.
            1 => format!(
                "({}[:90] + {})",
                self.expr(T::Text, depth),
                self.expr(T::Text, depth)
            ),
            2 => format!(
                "{}[{}:{}]",
                self.expr(T::Text, 0),
                self.pick(3),
                self.pick(6)
            ),
            3 => format!("{}.tag", self.expr(T::Point, depth)),
            4 => format!("{}.1", self.expr(T::Pair, depth)),
            _ => match self.var_of(T::Texts, false) {
                Some(v) => format!("{v}[{}]", self.pick(3)),
                None => self.leaf(T::Text),
            },
        }
    }

    pub(super) fn leaf(&mut self, ty: T) -> String {
        let mut out = String::new();
        match ty {
            T::Int => {
                let byte = self.byte();
                match byte {
                    0..=199 => write!(out, "{}", byte % 20).unwrap_or_default(),
                    200..=230 => write!(out, "-{}", byte % 9 + 1).unwrap_or_default(),
                    231 => out.push_str("9223372036854775807"),
                    232 => out.push_str("4611686018427387904"),
                    _ => write!(out, "{}", byte * 37).unwrap_or_default(),
                }
            }
            T::F64 => {
                write!(out, "{}.{}", self.pick(50), self.pick(100)).unwrap_or_default();
            }
            T::Bool => out.push_str(["true", "false"][self.pick(2)]),
            T::Text => {
                let word = [
                    "",
                    "a",
                    "bc",
                    "Zoë",
                    "x y",
                    "0",
                    "émigré",
                    "long enough to be on the heap",
                ][self.pick(8)];
                write!(out, "\"{word}\"").unwrap_or_default();
            }
            T::U8 => write!(out, "{}u8", self.byte()).unwrap_or_default(),
            T::I32 => write!(out, "{}i32", self.byte() * 5).unwrap_or_default(),
            T::Fun => {
                let name = self.fresh();
                return format!("(\\{name}: {name} + {})", self.pick(9));
            }
            _ => out.push_str(ty.zero()),
        }
        out
    }
}
