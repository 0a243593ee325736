//! Reads libtorch's schemas and finds that of a function of torch-sys.

use std::collections::HashMap;

use crate::source::{Function, parameter_name};

/// A schema, such as `aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor`.
pub struct Schema {
    /// The line, without `aten::`.
    pub line: String,
    /// The name of libtorch's C++ struct for it, `add_Tensor`.
    pub operator: String,
    /// In order, but for what follows a `*` and is written: such tensors come first, as torch-sys has them.
    pub arguments: Vec<Argument>,
    /// How many of the first arguments are those.
    pub outs: usize,
}

/// An argument of a schema.
pub struct Argument {
    /// As Simple names it.
    pub name: String,
    /// Without the size of a list and the marks of what is written: `int[]`, `Tensor?`.
    pub ty: String,
    /// Whether its integers are `SymInt`.
    pub symbolic: bool,
    default: Option<String>,
}

/// The schemas by name, followed by `_out` for those that write into tensors passed for that.
pub fn read(lines: &str) -> HashMap<String, Vec<Schema>> {
    let mut schemas: HashMap<String, Vec<Schema>> = HashMap::new();
    let mut lines: Vec<&str> = lines.lines().collect();
    // libtorch lists them in no order.
    lines.sort_unstable();
    for line in lines {
        let line = line.strip_prefix("aten::").unwrap_or(line);
        let Some((full, rest)) = line.split_once('(') else {
            continue;
        };
        let name = full.split('.').next().unwrap_or(full);
        let end = rest.find(") -> ").unwrap_or(rest.len());
        let texts = split(&rest[..end]);
        let keywords = texts.iter().position(|text| *text == "*");
        let is_out = |at: usize| keywords.is_some_and(|star| at > star) && texts[at].contains("!)");
        let mut order: Vec<usize> = (0..texts.len())
            .filter(|at| Some(*at) != keywords)
            .collect();
        order.sort_by_key(|at| !is_out(*at));
        let outs = order.iter().filter(|at| is_out(**at)).count();
        let key = if outs > 0 {
            format!("{name}_out")
        } else {
            name.to_owned()
        };
        schemas.entry(key).or_default().push(Schema {
            line: line.to_owned(),
            operator: full.replace('.', "_"),
            arguments: order.iter().map(|at| argument(texts[*at])).collect(),
            outs,
        });
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
        symbolic: ty.starts_with("SymInt"),
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

/// The schema of a function and the defaults of its parameters. torch-sys leaves out some parameters that have defaults, so the schema
/// is the one of the same name with the same parameters in the same order and the fewest others.
pub fn of<'a>(
    function: &Function,
    schemas: &'a HashMap<String, Vec<Schema>>,
) -> Option<(&'a Schema, Vec<Option<&'a str>>)> {
    let name = match function.called.strip_suffix("_outf") {
        Some(name) => format!("{name}_out"),
        None => function.called.clone(),
    };
    let candidates = schemas.get(&name)?.iter();
    candidates
        .filter_map(|schema| Some((schema, defaults(function, schema)?)))
        .min_by_key(|(schema, _)| schema.arguments.len())
}

fn defaults<'a>(function: &Function, schema: &'a Schema) -> Option<Vec<Option<&'a str>>> {
    let mut arguments = schema.arguments.iter();
    let mut found = Vec::new();
    for (name, kind) in &function.params {
        loop {
            let argument = arguments.next()?;
            if argument.name == *name && fits(kind, &argument.ty) {
                found.push(argument.default.as_deref());
                break;
            }
            argument.default.as_ref()?;
        }
    }
    arguments
        .all(|argument| argument.default.is_some())
        .then_some(found)
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
        "[f64]" => &["float[]", "float[]?"],
        "dtype" | "(dtype?)" => &["ScalarType", "ScalarType?"],
        "device" => &["Device", "Device?"],
        "(device?)" => &["Device?"],
        "layout" => &["Layout", "Layout?"],
        _ => &[],
    };
    types.contains(&ty)
}
