//! Reads the rows of `src/operators/table`, makes rows for operators that have none, and writes them in files by name.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use crate::schema::Schema;

/// An operator as a row has it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Function {
    /// Its name without `rt_torch_`.
    pub name: String,
    /// Its parameters, named and typed as in the row.
    pub params: Vec<(String, &'static str)>,
    /// What comes back.
    pub result: Result,
    /// Whether it writes into tensors that are given for that.
    pub out: bool,
    /// Name and overload in libtorch, `add.Tensor`.
    pub operator: String,
}

/// What comes back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Result {
    /// So many new tensors.
    Tensors(usize),
    /// So many tensors, which are arguments that it has written into.
    Written(usize),
    /// A list of new tensors.
    List,
    /// Nothing.
    Unit,
    /// A scalar, by its name in a row.
    Scalar(&'static str),
}

/// The kinds of parameters, and the letters that the names of shapes have for them. Capital letters are for what may be missing and for lists of
/// tensors.
const KINDS: [(&str, char); 22] = [
    ("tensor", 't'),
    ("(tensor?)", 'o'),
    ("[tensor]", 'T'),
    ("[tensor?]", 'O'),
    ("scalar", 's'),
    ("(scalar?)", 'S'),
    ("i64", 'i'),
    ("(i64?)", 'I'),
    ("f64", 'f'),
    ("(f64?)", 'F'),
    ("bool", 'b'),
    ("(bool?)", 'B'),
    ("text", 'x'),
    ("(text?)", 'X'),
    ("[i64]", 'n'),
    ("([i64]?)", 'N'),
    ("[f64]", 'd'),
    ("dtype", 'k'),
    ("(dtype?)", 'K'),
    ("device", 'v'),
    ("(device?)", 'V'),
    ("layout", 'y'),
];

/// The results that are one number.
const SCALARS: [&str; 5] = ["bool", "i64", "f64", "dtype", "device"];

/// All rows of a folder of tables, by name.
pub fn read(folder: &Path) -> Vec<Function> {
    let mut functions = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let out = path
            .file_name()
            .unwrap()
            .to_string_lossy()
            .starts_with("out_");
        let text = std::fs::read_to_string(&path).unwrap();
        let rows = text
            .lines()
            .filter(|line| line.starts_with("    fn rt_torch_"));
        functions.extend(rows.map(|line| {
            parse(line, out).unwrap_or_else(|| panic!("{}: not a row: {line}", path.display()))
        }));
    }
    functions.sort_by(|a, b| a.name.cmp(&b.name));
    functions
}

/// A line such as `fn rt_torch_abs(input: tensor) -> tensor = "abs", t_t;`.
pub fn parse(line: &str, out: bool) -> Option<Function> {
    let rest = line.trim().strip_prefix("fn rt_torch_")?;
    let (name, rest) = rest.split_once('(')?;
    let (params, rest) = rest.split_once(") -> ")?;
    let (result, rest) = rest.split_once(" = ")?;
    let (_, rest) = rest.split_once('"')?;
    let (operator, _) = rest.split_once('"')?;
    let params = params.split(", ").filter(|param| !param.is_empty());
    let params = params.map(|param| {
        let (name, kind) = param.split_once(": ")?;
        let (kind, _) = KINDS.iter().find(|(known, _)| *known == kind)?;
        Some((name.to_owned(), *kind))
    });
    Some(Function {
        name: name.to_owned(),
        params: params.collect::<Option<_>>()?,
        result: result_from(result)?,
        out,
        operator: operator.to_owned(),
    })
}

fn result_from(text: &str) -> Option<Result> {
    let count = |before: &str| text.strip_prefix(before)?.strip_suffix(')')?.parse().ok();
    match text {
        "tensor" => Some(Result::Tensors(1)),
        "[tensor]" => Some(Result::List),
        "()" => Some(Result::Unit),
        _ => count("(tensor ")
            .map(Result::Tensors)
            .or_else(|| count("(written ").map(Result::Written))
            .or_else(|| {
                let scalar = SCALARS.into_iter().find(|scalar| *scalar == text);
                scalar.map(Result::Scalar)
            }),
    }
}

/// A row for an operator that has none; `None` where rows cannot have what it takes or gives back.
///
/// Names are made as torch-sys makes them: the overload after the name, in lower case, and `_` at the end of what works in place.
pub fn of_schema(schema: &Schema) -> Option<Function> {
    let of_tensor = schema
        .arguments
        .iter()
        .any(|argument| argument.ty == "Tensor");
    let mut params = Vec::new();
    for argument in &schema.arguments {
        let kind = match argument.ty.as_str() {
            "Tensor" => "tensor",
            "Tensor?" => "(tensor?)",
            "Tensor[]" => "[tensor]",
            "Tensor?[]" => "[tensor?]",
            "Scalar" => "scalar",
            "Scalar?" => "(scalar?)",
            "int" => "i64",
            "int?" => "(i64?)",
            "float" => "f64",
            "float?" => "(f64?)",
            "bool" => "bool",
            "str" => "text",
            "str?" => "(text?)",
            "int[]" => "[i64]",
            "int[]?" => "([i64]?)",
            "float[]" | "float[]?" | "Scalar[]" => "[f64]",
            "ScalarType" => "dtype",
            "ScalarType?" if of_tensor => "(dtype?)",
            "ScalarType?" => "dtype",
            "Device?" if of_tensor => "(device?)",
            "Device" | "Device?" => "device",
            "bool?" if argument.name == "pin_memory" => continue,
            "bool?" => "(bool?)",
            "Layout?" | "MemoryFormat?" | "Generator?" => continue,
            _ => return None,
        };
        params.push((argument.name.clone(), kind));
    }
    let (name, overload) = schema.name.split_once('.').unwrap_or((&schema.name, ""));
    let (core, end) = match name.strip_suffix('_') {
        Some(core) if !name.ends_with("__") => (core, "_"),
        _ => (name, ""),
    };
    let overload = match overload {
        "" => String::new(),
        overload => format!("_{}", overload.to_lowercase()),
    };
    Some(Function {
        name: format!("{core}{overload}{end}"),
        params,
        result: result_of_schema(&schema.returns)?,
        out: schema.outs > 0,
        operator: schema.name.clone(),
    })
}

/// The result of a schema that ends so, such as `(Tensor values, Tensor indices)`.
fn result_of_schema(returns: &str) -> Option<Result> {
    let inner = returns.trim_start_matches('(').trim_end_matches(')');
    let types: Vec<&str> = inner
        .split(", ")
        .filter(|part| !part.is_empty())
        .map(|part| part.split(' ').next().unwrap_or(part))
        .collect();
    let written = types.iter().filter(|ty| ty.contains('!')).count();
    match types[..] {
        [] => Some(Result::Unit),
        _ if written == types.len() => Some(Result::Written(written)),
        _ if written > 0 => None,
        _ if types.iter().all(|ty| *ty == "Tensor" || *ty == "Tensor(a)") => {
            Some(Result::Tensors(types.len()))
        }
        ["Tensor[]" | "Tensor(a)[]"] => Some(Result::List),
        ["bool"] => Some(Result::Scalar("bool")),
        ["int" | "SymInt"] => Some(Result::Scalar("i64")),
        ["float"] => Some(Result::Scalar("f64")),
        ["ScalarType"] => Some(Result::Scalar("dtype")),
        _ => None,
    }
}

/// Ranges of first letters that make files of a readable size.
const PLAIN: [&str; 14] = [
    "a", "b", "c", "d_e", "f_g", "h_k", "l", "m", "n_o", "p_q", "r", "s", "t", "u_z",
];
const INTERNAL: [&str; 7] = [
    "internal_a_b",
    "internal_c_e",
    "internal_f_g",
    "internal_h_l",
    "internal_m_r",
    "internal_s",
    "internal_t_z",
];
const OUT: [&str; 8] = [
    "out_a_b", "out_c_e", "out_f_g", "out_h_l", "out_m_n", "out_o_r", "out_s", "out_t_z",
];

/// Modules of Python's torch, whose functions have separate files.
const MODULES: [&str; 4] = ["fft", "linalg", "sparse", "special"];

fn module_of(name: &str) -> Option<&'static str> {
    MODULES.into_iter().find(|module| {
        name.strip_prefix(module)
            .is_some_and(|rest| rest.starts_with('_'))
    })
}

/// The file that contains a function, without `.rs`.
pub fn section(function: &Function) -> &'static str {
    let name = function.name.as_str();
    let sections: &[&'static str] = if function.out {
        &OUT
    } else if name.contains("_backward") {
        return if name.starts_with('_') {
            "internal_backward"
        } else {
            "backward"
        };
    } else if let Some(module) = module_of(name) {
        return module;
    } else if name.starts_with('_') {
        &INTERNAL
    } else {
        &PLAIN
    };
    let letter = name.trim_start_matches('_').chars().next();
    let within = |section: &&&str| {
        let mut ends = section.split('_').filter(|part| part.len() == 1);
        let first = ends.next();
        let last = ends.next().or(first);
        first.and_then(|end| end.chars().next()) <= letter
            && letter <= last.and_then(|end| end.chars().next())
    };
    sections
        .iter()
        .find(within)
        .unwrap_or_else(|| panic!("no section for `{name}`"))
}

/// Operators whose result is a number, or has a shape, that depends on what tensors contain.
const READING: [&str; 13] = [
    "_unique",
    "_unique2",
    "allclose",
    "argwhere",
    "bincount",
    "equal",
    "is_nonzero",
    "masked_select",
    "nonzero",
    "nonzero_numpy",
    "unique_consecutive",
    "unique_dim",
    "unique_dim_consecutive",
];

/// A function as a row.
pub fn row(function: &Function) -> String {
    let Function {
        name,
        params,
        operator,
        ..
    } = function;
    let params: Vec<String> = params
        .iter()
        .map(|(name, kind)| format!("{name}: {kind}"))
        .collect();
    let (params, result) = (params.join(", "), result_of(function));
    let guarded = simple_torch::operators::guard::of(&format!("rt_torch_{name}")).is_some();
    let flags = match (guarded, READING.contains(&name.as_str())) {
        (true, true) => "[guarded reads] ",
        (true, false) => "[guarded] ",
        (false, true) => "[reads] ",
        (false, false) => "",
    };
    format!("fn rt_torch_{name}({params}) -> {result} = {flags}\"{operator}\"")
}

fn result_of(function: &Function) -> String {
    match function.result {
        Result::Tensors(1) => "tensor".to_owned(),
        Result::Tensors(count) => format!("(tensor {count})"),
        Result::Written(count) => format!("(written {count})"),
        Result::List => "[tensor]".to_owned(),
        Result::Unit => "()".to_owned(),
        Result::Scalar(name) => name.to_owned(),
    }
}

/// The name of the shape of a function, a letter for each parameter and what comes back: `tts_t`.
fn shape(function: &Function) -> String {
    let letter = |kind: &str| {
        let known = KINDS.iter().find(|(known, _)| *known == kind);
        known.unwrap_or_else(|| panic!("`{kind}` is not known")).1
    };
    let params: String = function
        .params
        .iter()
        .map(|(_, kind)| letter(kind))
        .collect();
    let result = match function.result {
        Result::Tensors(1) => "t".to_owned(),
        Result::Tensors(count) => format!("t{count}"),
        Result::Written(count) => format!("w{count}"),
        Result::List => "l".to_owned(),
        Result::Unit => "u".to_owned(),
        Result::Scalar(name) => name[..1].to_owned(),
    };
    format!("{params}_{result}")
}

/// Names and kinds of the parameters, and the result, as a row passes them on to be found in libtorch.
pub fn call(function: &Function) -> [String; 3] {
    let names: Vec<&str> = function
        .params
        .iter()
        .map(|(name, _)| name.as_str())
        .collect();
    let shape = shape(function);
    let (kinds, _) = shape.rsplit_once('_').unwrap_or_default();
    [names.join(","), kinds.to_owned(), result_of(function)]
}

/// The file of the shapes that several functions have.
fn shapes(shared: &BTreeMap<String, Vec<&Function>>) -> String {
    let mut text = String::from(
        "//! The parameters and results that several operators have. Generated by `tests/operators`; do not edit. `super::super::shape` says what a\n\
         //! shape is.\n\n\
         #![allow(non_snake_case, reason = \"capital letters are for what may be missing\")]\n\n\
         use crate::operators::shape::shape;\n\n",
    );
    for (shape, functions) in shared {
        let params: Vec<String> = (functions[0].params.iter().enumerate())
            .map(|(at, (_, kind))| format!("p{at}: {kind}"))
            .collect();
        let _ = writeln!(
            text,
            "shape! {{ {shape}({}) -> {} }}",
            params.join(", "),
            result_of(functions[0])
        );
    }
    text
}

/// The files and their texts.
pub fn files(functions: &[Function]) -> Vec<(String, String)> {
    let mut sections: BTreeMap<&str, Vec<&Function>> = BTreeMap::new();
    for function in functions {
        sections
            .entry(section(function))
            .or_default()
            .push(function);
    }
    let mut shared: BTreeMap<String, Vec<&Function>> = BTreeMap::new();
    for function in functions {
        shared.entry(shape(function)).or_default().push(function);
    }
    shared.retain(|_, functions| functions.len() > 1);
    let mut modules = String::from(
        "//! The tables of operators. Generated by `tests/operators`; do not edit.\n\nuse simple_ffi_abi::export::Table;\n\n",
    );
    let mut tables = String::new();
    let mut files = Vec::new();
    for (section, functions) in sections {
        if section > "shapes" && !modules.contains("mod shapes;") {
            modules.push_str("pub(crate) mod shapes;\n");
        }
        let _ = writeln!(modules, "pub mod {section};");
        let _ = writeln!(
            tables,
            "    Table {{\n        area: \"operators/{section}\",\n        functions: {section}::FUNCTIONS,\n    }},"
        );
        let mut text = format!(
            "//! Operators of libtorch: {}. Generated by `tests/operators`; do not edit. `super::super` says what a row means.\n\n\
             #![allow(non_snake_case, reason = \"parameters are named as in libtorch\")]\n\n\
             crate::operators::operators! {{\n",
            about(section)
        );
        for function in functions {
            let shape = shape(function);
            let shape = match shared.contains_key(&shape) {
                true => format!(", {shape}"),
                false => String::new(),
            };
            let _ = writeln!(text, "    {}{shape};", row(function));
        }
        text.push_str("}\n");
        files.push((format!("{section}.rs"), text));
    }
    files.push(("shapes.rs".to_owned(), shapes(&shared)));
    let _ = write!(
        modules,
        "\n/// All tables of operators.\npub static TABLES: &[Table] = &[\n{tables}];\n"
    );
    files.push(("mod.rs".to_owned(), modules));
    files
}

/// What a file holds.
pub fn about(section: &str) -> String {
    let (kind, letters) = match section.split_once('_') {
        _ if section == "backward" => return "derivatives of others".to_owned(),
        _ if section == "internal_backward" => {
            return "internal ones, derivatives of others".to_owned();
        }
        _ if MODULES.contains(&section) => return format!("those of `torch.{section}`"),
        Some(("internal", letters)) => ("internal ones, ", letters),
        Some(("out", letters)) => ("those that write into given tensors, ", letters),
        _ => ("", section),
    };
    format!("{kind}{}", letters.replace('_', " to "))
}
