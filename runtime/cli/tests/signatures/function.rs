//! Functions with random parameters and results, and the code in both languages that calls them and looks at everything that crosses.

use crate::random::Random;
use crate::types::{Pool, Ty, Value};

/// The most parameters.
const MOST: usize = 12;

/// A type with the value that crosses.
type Sent = (Ty, Value);

/// A parameter.
enum Param {
    /// By value.
    Value(Sent),
    /// `text`: bytes and their number.
    Text(String),
    /// An array that C fills anew: what it holds before and after.
    Array(Ty, Vec<Value>, Vec<Value>, Count),
    /// What comes back.
    Out(Sent),
    /// Memory that C reads and writes: before and after.
    Memory(Ty, Value, Value),
    /// A function that C calls.
    Function(Callback),
    /// An object that is freed at its last use; nil without a number.
    Owned(Option<u32>),
}

/// How the length of an array is known.
#[derive(Clone, Copy, PartialEq)]
enum Count {
    /// It crosses as a second argument.
    Passed,
    /// The declaration has it.
    Fixed,
    /// It is this parameter, after the array.
    Param(usize),
}

/// A function that C calls.
struct Callback {
    params: Vec<Sent>,
    result: Option<Sent>,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Named,
    Closure,
    Kept,
    Nil,
}

/// A result.
enum Yield {
    Nothing,
    Value(Sent),
    Owned(Option<u32>),
}

/// A foreign function with the values of one call.
pub struct Function {
    number: u64,
    params: Vec<Param>,
    /// What is passed for `...`; `None` for a function without.
    variadic: Option<Vec<Sent>>,
    result: Yield,
}

impl Callback {
    fn new(random: &mut Random, pool: &Pool) -> Callback {
        let params: Vec<Sent> = (0..random.below(MOST + 1))
            .map(|_| sent(random, pool))
            .collect();
        let result = (random.below(6) > 0).then(|| {
            let ty = Ty::stored(random, pool);
            let value = ty.value(random, pool);
            (ty, value)
        });
        // A `cstr` is a type of declarations, and a `Callback` is made elsewhere.
        let texts = params.iter().any(|(ty, _)| matches!(ty, Ty::CText { .. }));
        let kind = match random.below(4) {
            0 => Kind::Nil,
            1 if !texts => Kind::Kept,
            2 => Kind::Named,
            _ => Kind::Closure,
        };
        Callback {
            params,
            result,
            kind,
        }
    }

    fn simple_type(&self) -> String {
        let params: Vec<String> = self.params.iter().map(|(ty, _)| ty.simple()).collect();
        let result = self
            .result
            .as_ref()
            .map(|(ty, _)| format!(" -> {}", ty.simple()));
        let ty = format!("fn({}){}", params.join(", "), result.unwrap_or_default());
        match self.kind {
            Kind::Named | Kind::Closure => ty,
            Kind::Kept => format!("Callback<{ty}>"),
            Kind::Nil => format!("({ty})?"),
        }
    }
}

fn sent(random: &mut Random, pool: &Pool) -> Sent {
    let ty = Ty::any(random, pool);
    let value = ty.value(random, pool);
    (ty, value)
}

fn owned(random: &mut Random) -> Option<u32> {
    (random.below(3) > 0).then(|| random.below(1000) as u32)
}

impl Function {
    /// A random one.
    pub fn new(number: u64, random: &mut Random, pool: &Pool) -> Function {
        let mut params = Vec::new();
        for _ in 0..random.below(MOST + 1) {
            if params.len() == MOST {
                break;
            }
            let param = match random.below(20) {
                0 => Param::Text(match (Ty::CText { optional: false }).value(random, pool) {
                    Value::Text(text) => text,
                    _ => String::new(),
                }),
                1 | 2 => {
                    let ty = Ty::element(random, pool);
                    let count = random.below(5);
                    let mut values = || {
                        (0..count)
                            .map(|_| ty.value(random, pool))
                            .collect::<Vec<_>>()
                    };
                    let (before, after) = (values(), values());
                    let how = match random.below(3) {
                        0 => Count::Passed,
                        1 if params.len() + 2 <= MOST => Count::Param(params.len() + 1),
                        _ => Count::Fixed,
                    };
                    params.push(Param::Array(ty, before, after, how));
                    if how == Count::Fixed || how == Count::Passed {
                        continue;
                    }
                    let ty = [
                        Ty::Int {
                            bits: 64,
                            signed: true,
                        },
                        Ty::Int {
                            bits: 32,
                            signed: false,
                        },
                        Ty::Int {
                            bits: 8,
                            signed: true,
                        },
                    ][random.below(3)]
                    .clone();
                    Param::Value((ty, Value::Int(count as i128)))
                }
                3..=5 => Param::Out(sent(random, pool)),
                6 => {
                    let ty = Ty::stored(random, pool);
                    let (before, after) = (ty.value(random, pool), ty.value(random, pool));
                    Param::Memory(ty, before, after)
                }
                7 => Param::Function(Callback::new(random, pool)),
                8 => Param::Owned(owned(random)),
                _ => Param::Value(sent(random, pool)),
            };
            params.push(param);
        }
        let variadic = (random.below(8) == 0).then(|| {
            let mut values = Vec::new();
            for _ in 0..random.below(10) {
                let (ty, value) = sent(random, pool);
                // A narrow float is widened, which may change what is not a number.
                let passed = !matches!(ty, Ty::Record(_) | Ty::Enum(_) | Ty::F32);
                if passed && !matches!(value, Value::Nil) {
                    values.push((ty, value));
                }
            }
            values
        });
        let result = match random.below(12) {
            0 => Yield::Nothing,
            1 => Yield::Owned(owned(random)),
            _ => Yield::Value(sent(random, pool)),
        };
        Function {
            number,
            params,
            variadic,
            result,
        }
    }

    /// Writes the function for C.
    pub fn c(&self, pool: &Pool, out: &mut String) {
        let number = self.number;
        let (mut params, mut lines, mut later) = (Vec::new(), Vec::new(), Vec::new());
        for (n, param) in self.params.iter().enumerate() {
            let mut check = |conditions: Vec<String>| {
                if !conditions.is_empty() {
                    lines.push(format!(
                        "if (!({})) bad({number}, {n});",
                        conditions.join(" && ")
                    ));
                }
            };
            match param {
                Param::Value((ty, value)) => {
                    params.push(format!("{} a{n}", ty.c()));
                    check(pool.same_in_c(&format!("a{n}"), value, ty));
                }
                Param::Text(text) => {
                    params.push(format!("const uint8_t *a{n}, int64_t n{n}"));
                    check(vec![
                        format!("n{n} == {}", text.len()),
                        format!("memcmp(a{n}, \"{text}\", {}) == 0", text.len()),
                    ]);
                }
                Param::Array(ty, before, after, count) => {
                    params.push(format!("{} *a{n}", ty.c()));
                    if *count == Count::Passed {
                        params.push(format!("int64_t n{n}"));
                        check(vec![format!("n{n} == {}", before.len())]);
                    }
                    for (at, (before, after)) in before.iter().zip(after).enumerate() {
                        check(pool.same_in_c(&format!("a{n}[{at}]"), before, ty));
                        let set = match (ty, after) {
                            // An element is as it is in memory.
                            (Ty::Bool, Value::Int(bit)) => bit.to_string(),
                            _ => pool.in_c(after, ty),
                        };
                        later.push(format!("a{n}[{at}] = {set};"));
                    }
                }
                Param::Out((ty, value)) => {
                    params.push(format!("{} *a{n}", ty.c()));
                    later.push(format!("*a{n} = {};", pool.in_c(value, ty)));
                }
                Param::Memory(ty, before, after) => {
                    params.push(format!("{} *a{n}", ty.c()));
                    check(pool.same_in_c(&format!("(*a{n})"), before, ty));
                    later.push(format!("*a{n} = {};", pool.in_c(after, ty)));
                }
                Param::Owned(Some(value)) => {
                    params.push(format!("struct owned *a{n}"));
                    check(vec![format!("a{n} && a{n}->value == {value}")]);
                }
                Param::Owned(None) => {
                    params.push(format!("struct owned *a{n}"));
                    check(vec![format!("!a{n}")]);
                }
                Param::Function(function) => {
                    let types: Vec<String> = function.params.iter().map(|(ty, _)| ty.c()).collect();
                    let result = function
                        .result
                        .as_ref()
                        .map_or("void".to_owned(), |(ty, _)| ty.c());
                    let types = match types.is_empty() {
                        true => "void".to_owned(),
                        false => types.join(", "),
                    };
                    out.push_str(&format!("typedef {result} (*F{number}_{n})({types});\n"));
                    params.push(format!("F{number}_{n} a{n}"));
                    if function.kind == Kind::Nil {
                        check(vec![format!("!a{n}")]);
                        continue;
                    }
                    let values: Vec<String> = (function.params.iter())
                        .map(|(ty, value)| pool.in_c(value, ty))
                        .collect();
                    let call = |function_of: String| {
                        let call = format!("{function_of}({})", values.join(", "));
                        match &function.result {
                            None => format!("{call};"),
                            Some((ty, value)) => {
                                let same = pool.same_in_c("r", value, ty).join(" && ");
                                format!(
                                    "{{ {} r = {call}; if (!({same})) bad({number}, 100 + {n}); }}",
                                    ty.c()
                                )
                            }
                        }
                    };
                    later.push(call(format!("a{n}")));
                    if function.kind == Kind::Kept {
                        let kept = format!("kept{number}_{n}");
                        out.push_str(&format!("static F{number}_{n} {kept};\n"));
                        out.push_str(&format!(
                            "void later{number}_{n}(void) {{ {} }}\n",
                            call(kept.clone())
                        ));
                        later.push(format!("{kept} = a{n};"));
                    }
                }
            }
        }
        if let Some(values) = &self.variadic {
            let last = format!("last{number}");
            params.push(format!("int32_t {last}"));
            params.push("...".to_owned());
            lines.push(format!(
                "va_list list; va_start(list, {last}); if ({last} != 5) bad({number}, 99);"
            ));
            for (n, (ty, value)) in values.iter().enumerate() {
                let promoted = match ty {
                    Ty::Bool | Ty::Int { bits: 8 | 16, .. } => "int32_t".to_owned(),
                    _ => ty.c(),
                };
                let same = pool.same_in_c("v", value, ty).join(" && ");
                lines.push(format!("{{ {promoted} v = va_arg(list, {promoted}); if (!({same})) bad({number}, 200 + {n}); }}"));
            }
            lines.push("va_end(list);".to_owned());
        }
        let result = match &self.result {
            Yield::Nothing => "void".to_owned(),
            Yield::Owned(_) => "struct owned *".to_owned(),
            Yield::Value((ty, _)) => ty.c(),
        };
        let params = match params.is_empty() {
            true => "void".to_owned(),
            false => params.join(", "),
        };
        let lines = lines.into_iter().chain(later).collect::<Vec<_>>();
        out.push_str(&format!("{result} g{number}({params}) {{\n    ran++;\n"));
        for line in lines {
            out.push_str(&format!("    {line}\n"));
        }
        out.push_str(&match &self.result {
            Yield::Nothing => String::new(),
            Yield::Owned(Some(value)) => format!("    return owned_new({value});\n"),
            Yield::Owned(None) => "    return NULL;\n".to_owned(),
            Yield::Value((ty, value)) => format!("    return {};\n", pool.in_c(value, ty)),
        });
        out.push_str("}\n");
    }

    /// Writes the declaration in Simple, the functions that C calls, and the function `t{number}` that calls it.
    pub fn simple(&self, pool: &Pool, out: &mut String) {
        let number = self.number;
        let (mut params, mut args, mut before, mut after) = (vec![], vec![], vec![], vec![]);
        let mut outs: Vec<&Sent> = Vec::new();
        for (n, param) in self.params.iter().enumerate() {
            match param {
                Param::Value((ty, value)) => {
                    params.push(format!("a{n}: {}", ty.simple()));
                    args.push(pool.in_simple(value, ty));
                }
                Param::Text(text) => {
                    params.push(format!("a{n}: text"));
                    args.push(format!("\"{text}\""));
                }
                Param::Array(ty, old, new, count) => {
                    let length = match count {
                        Count::Passed => String::new(),
                        Count::Fixed => format!("; {}", old.len()),
                        Count::Param(at) => format!("; a{at}"),
                    };
                    params.push(format!("a{n}: [{}{length}]", ty.simple()));
                    let values: Vec<String> =
                        old.iter().map(|old| pool.in_simple(old, ty)).collect();
                    before.push(format!(
                        "var a{n}: [{}] = [{}]",
                        ty.simple(),
                        values.join(", ")
                    ));
                    args.push(format!("a{n}"));
                    for (at, new) in new.iter().enumerate() {
                        check(
                            &mut after,
                            number,
                            n,
                            pool.same_in_simple(&format!("a{n}[{at}]"), new, ty),
                        );
                    }
                }
                Param::Out(sent) => {
                    params.push(format!("out a{n}: {}", sent.0.simple()));
                    outs.push(sent);
                }
                Param::Memory(ty, old, new) => {
                    params.push(format!("a{n}: Ptr<{}>", ty.simple()));
                    before.push(format!("val a{n} = Ptr<{}>.alloc()", ty.simple()));
                    before.push(format!("a{n}.write({})", pool.in_simple(old, ty)));
                    args.push(format!("a{n}"));
                    check(
                        &mut after,
                        number,
                        n,
                        pool.same_in_simple(&format!("a{n}.read()"), new, ty),
                    );
                    after.push(format!("a{n}.free()"));
                }
                Param::Owned(value) => {
                    params.push(format!("a{n}: Owned?"));
                    args.push(
                        value.map_or("nil".to_owned(), |value| format!("owned_new({value})")),
                    );
                }
                Param::Function(function) => {
                    params.push(format!("a{n}: {}", function.simple_type()));
                    let name = format!("c{number}_{n}");
                    function.simple(pool, number, n, out);
                    let names: Vec<String> = (0..function.params.len())
                        .map(|at| format!("p{at}"))
                        .collect();
                    let names = names.join(", ");
                    args.push(match function.kind {
                        Kind::Named => name,
                        Kind::Nil => "nil".to_owned(),
                        Kind::Closure | Kind::Kept => {
                            before.push(format!("val extra{n} = joined(\"7\")"));
                            let comma = if names.is_empty() { "" } else { ", " };
                            let closure = format!("\\{names}: {name}({names}{comma}extra{n})");
                            match function.kind {
                                Kind::Closure => closure,
                                _ => {
                                    let typed: Vec<String> = (function.params.iter().enumerate())
                                        .map(|(at, (ty, _))| {
                                            format!("p{at}: {}", ty.simple_value())
                                        })
                                        .collect();
                                    before.push(format!(
                                        "val k{n} = Callback(\\{}: {name}({names}{comma}extra{n}))",
                                        typed.join(", ")
                                    ));
                                    out.push_str(&format!(
                                        "@Lib(\"signatures\")\nextern fn later{number}_{n}()\n"
                                    ));
                                    after.push(format!("later{number}_{n}()"));
                                    after.push(format!("hold(k{n})"));
                                    format!("k{n}")
                                }
                            }
                        }
                    });
                }
            }
        }
        if let Some(values) = &self.variadic {
            params.push("last: i32, ...".to_owned());
            args.push("5".to_owned());
            for (n, (ty, value)) in values.iter().enumerate() {
                before.push(format!(
                    "val v{n}: {} = {}",
                    ty.simple_value(),
                    pool.in_simple(value, ty)
                ));
                args.push(format!("v{n}"));
            }
        }
        let result = match &self.result {
            Yield::Nothing => String::new(),
            Yield::Owned(_) => " -> Owned?".to_owned(),
            Yield::Value((ty, _)) => format!(" -> {}", ty.simple()),
        };
        out.push_str(&format!(
            "@Lib(\"signatures\")\nextern fn g{number}({}){result}\nfn t{number}():\n",
            params.join(", ")
        ));
        let nothing = matches!(self.result, Yield::Nothing);
        let members = outs.len() + usize::from(!nothing);
        let member = |at: usize| match members {
            1 => "got".to_owned(),
            _ => format!("got.{at}"),
        };
        let call = format!("g{number}({})", args.join(", "));
        before.push(match members {
            0 => call,
            _ => format!("val got = {call}"),
        });
        let checks = match &self.result {
            Yield::Nothing => Vec::new(),
            Yield::Owned(None) => vec![format!("{} == nil", member(0))],
            Yield::Owned(Some(value)) => vec![format!("owned_value({}!) == {value}", member(0))],
            Yield::Value((ty, value)) => pool.same_in_simple(&member(0), value, ty),
        };
        check(&mut before, number, 99, checks);
        for (at, (ty, value)) in outs.into_iter().enumerate() {
            let place = member(at + usize::from(!nothing));
            check(
                &mut before,
                number,
                300 + at,
                pool.same_in_simple(&place, value, ty),
            );
        }
        for line in before.iter().chain(&after) {
            out.push_str(&format!("    {line}\n"));
        }
    }
}

impl Callback {
    /// Writes the function of the program.
    fn simple(&self, pool: &Pool, number: u64, n: usize, out: &mut String) {
        let mut params: Vec<String> = (self.params.iter().enumerate())
            .map(|(at, (ty, _))| format!("p{at}: {}", ty.simple_value()))
            .collect();
        let mut lines = Vec::new();
        if matches!(self.kind, Kind::Closure | Kind::Kept) {
            params.push("extra: text".to_owned());
            check(&mut lines, number, n, vec!["extra == \"7\"".to_owned()]);
        }
        let result = self
            .result
            .as_ref()
            .map(|(ty, _)| format!(" -> {}", ty.simple_value()));
        out.push_str(&format!(
            "fn c{number}_{n}({}){}:\n",
            params.join(", "),
            result.unwrap_or_default()
        ));
        for (at, (ty, value)) in self.params.iter().enumerate() {
            check(
                &mut lines,
                number,
                1000 * (n + 1) + at,
                pool.same_in_simple(&format!("p{at}"), value, ty),
            );
        }
        match &self.result {
            Some((ty, value)) => lines.push(format!("return {}", pool.in_simple(value, ty))),
            None => lines.push("pass".to_owned()),
        }
        for line in lines {
            out.push_str(&format!("    {line}\n"));
        }
    }
}

fn check(lines: &mut Vec<String>, number: u64, what: usize, conditions: Vec<String>) {
    // An expression has at most 128 levels.
    for conditions in conditions.chunks(20) {
        let conditions = conditions.join(" and ");
        lines.push(format!("if not ({conditions}): differs({number}, {what})"));
    }
}
