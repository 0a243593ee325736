//! Reads libtorch's schemas, and compares them with rows.

use std::collections::HashMap;

use crate::names::parameter_name;
use crate::rows::Function;

/// A schema, such as `aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor`.
pub struct Schema {
    /// The line, without `aten::`.
    pub line: String,
    /// Name and overload, `add.Tensor`.
    pub name: String,
    /// In order, but for what follows a `*` and is written: such tensors come first, as in rows.
    pub arguments: Vec<Argument>,
    /// How many of the first arguments are those.
    pub outs: usize,
    /// What comes back, as libtorch writes it.
    pub returns: String,
}

/// An argument of a schema.
pub struct Argument {
    /// As Simple names it.
    pub name: String,
    /// Without the size of a list and the marks of what is written: `int[]`, `Tensor?`.
    pub ty: String,
    default: Option<String>,
}

/// The schemas by name and overload.
pub fn read(lines: &str) -> HashMap<String, Schema> {
    let mut schemas = HashMap::new();
    for line in lines.lines() {
        let line = line.strip_prefix("aten::").unwrap_or(line);
        let Some((full, rest)) = line.split_once('(') else {
            continue;
        };
        let end = rest.find(") -> ").unwrap_or(rest.len());
        let texts = split(&rest[..end]);
        let keywords = texts.iter().position(|text| *text == "*");
        let is_out = |at: usize| keywords.is_some_and(|star| at > star) && texts[at].contains("!)");
        let mut order: Vec<usize> = (0..texts.len())
            .filter(|at| Some(*at) != keywords)
            .collect();
        order.sort_by_key(|at| !is_out(*at));
        let outs = order.iter().filter(|at| is_out(**at)).count();
        let schema = Schema {
            line: line.to_owned(),
            name: full.to_owned(),
            arguments: order.iter().map(|at| argument(texts[*at])).collect(),
            outs,
            returns: rest[end..].trim_start_matches(") -> ").to_owned(),
        };
        schemas.insert(full.to_owned(), schema);
    }
    schemas
}

/// Cuts a list of arguments at the commas that are outside brackets.
fn split(list: &str) -> Vec<&str> {
    let (mut depth, mut start, mut parts) = (0, 0, Vec::new());
    for (at, letter) in list.char_indices() {
        match letter {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(list[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(list[start..].trim());
    parts.retain(|part| !part.is_empty());
    parts
}

fn argument(text: &str) -> Argument {
    let (head, default) = match text.split_once('=') {
        Some((head, default)) => (head, Some(default.to_owned())),
        None => (text, None),
    };
    let (ty, name) = head.rsplit_once(' ').unwrap_or(("", head));
    let default = default.map(|default| for_list(ty, default));
    // `Tensor(a!)[]` and `SymInt[2]?` are `Tensor[]` and `int[]?`.
    let mut plain = String::new();
    let mut letters = ty
        .replace("SymInt", "int")
        .chars()
        .collect::<Vec<_>>()
        .into_iter();
    while let Some(letter) = letters.next() {
        match letter {
            '(' => while letters.next().is_some_and(|inner| inner != ')') {},
            '0'..='9' => {}
            other => plain.push(other),
        }
    }
    Argument {
        name: parameter_name(name),
        ty: plain,
        default,
    }
}

/// The default of a list: `int[2] padding=0` means `[0, 0]`.
fn for_list(ty: &str, default: String) -> String {
    let size = ty
        .split_once('[')
        .and_then(|(_, rest)| rest.split(']').next()?.parse::<usize>().ok());
    match size {
        Some(size) if default.parse::<f64>().is_ok() => {
            format!("[{}]", vec![default; size].join(", "))
        }
        _ => default,
    }
}

impl Schema {
    /// The argument that each parameter of a row is, by the rule of `shim/dispatch.cpp`: that of the same name; what is left over is matched in order,
    /// since releases call a few arguments otherwise. Otherwise the first parameter that is not an argument.
    fn matched(&self, function: &Function) -> Result<Vec<&Argument>, String> {
        let mut found: Vec<Option<&Argument>> = Vec::new();
        for (name, _) in &function.params {
            let called = self.arguments.iter().find(|argument| {
                let is_self =
                    argument.name == "input" && ["self_", "self_scalar"].contains(&name.as_str());
                (argument.name == *name || is_self) && !is_in(&found, argument)
            });
            found.push(called);
        }
        for argument in self.arguments.iter().filter(|it| it.default.is_none()) {
            if is_in(&found, argument) {
                continue;
            }
            if let Some(free) = found.iter_mut().find(|it| it.is_none()) {
                *free = Some(argument);
            }
        }
        let each = found.into_iter().zip(&function.params);
        each.map(|(argument, (name, kind))| match argument {
            Some(argument) if fits(kind, &argument.ty) => Ok(argument),
            Some(_) => Err(format!("{name}: {kind}")),
            None => Err(name.clone()),
        })
        .collect()
    }

    /// The default of each parameter of a row; otherwise the first parameter that is not an argument.
    pub fn defaults(&self, function: &Function) -> Result<Vec<Option<&str>>, String> {
        let matched = self.matched(function)?;
        Ok(matched.iter().map(|it| it.default.as_deref()).collect())
    }

    /// The arguments that a row leaves out and should not. `layout`, `pin_memory`, `memory_format` and `generator` may be left out: new tensors are
    /// dense, and random numbers come from the one generator that `manual_seed` seeds.
    pub fn lacking(&self, function: &Function) -> Result<Vec<&str>, String> {
        let matched = self.matched(function)?;
        let may_lack = ["layout", "pin_memory", "memory_format", "generator"];
        let lacking = self.arguments.iter().filter(|argument| {
            !may_lack.contains(&argument.name.as_str())
                && !matched.iter().any(|it| std::ptr::eq(*it, *argument))
        });
        Ok(lacking.map(|argument| argument.name.as_str()).collect())
    }
}

/// Whether an argument is one of these.
fn is_in(found: &[Option<&Argument>], argument: &Argument) -> bool {
    found
        .iter()
        .flatten()
        .any(|one| std::ptr::eq(*one, argument))
}

/// The name of an operator without its overload. A name may begin with dots of its own.
pub fn base(name: &str) -> &str {
    name.split('.').next().unwrap_or(name)
}

/// Whether a parameter of a row can be an argument of a schema.
fn fits(kind: &str, ty: &str) -> bool {
    let types: &[&str] = match kind {
        "tensor" => &["Tensor"],
        "(tensor?)" => &["Tensor?"],
        "[tensor]" => &["Tensor[]"],
        "[tensor?]" => &["Tensor?[]"],
        "scalar" => &["Scalar", "Scalar?"],
        "(scalar?)" => &["Scalar?"],
        "i64" => &["int"],
        "(i64?)" => &["int?"],
        "f64" => &["float"],
        "(f64?)" => &["float?"],
        "bool" => &["bool", "bool?"],
        "(bool?)" => &["bool?"],
        "text" => &["str", "str?"],
        "(text?)" => &["str?"],
        "[i64]" => &["int[]", "int[]?"],
        "([i64]?)" => &["int[]?"],
        "[f64]" => &["float[]", "float[]?", "Scalar[]"],
        "dtype" | "(dtype?)" => &["ScalarType", "ScalarType?"],
        "device" => &["Device", "Device?"],
        "(device?)" => &["Device?"],
        "layout" => &["Layout", "Layout?"],
        _ => &[],
    };
    types.contains(&ty)
}
