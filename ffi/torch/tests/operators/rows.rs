//! Writes functions of torch-sys as rows, in files by name.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::complete;
use crate::source::{Function, Result};

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
        symbol,
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
    format!("fn rt_torch_{name}({params}) -> {result} = {flags}{symbol}")
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

/// The name of the shape of a function, a letter for each parameter and what comes back: `tts_t`. Capital letters are for what may be missing
/// and for lists of tensors.
fn shape(function: &Function) -> String {
    let letter = |kind: &str| match kind {
        "tensor" => "t",
        "(tensor?)" => "o",
        "[tensor]" => "T",
        "[tensor?]" => "O",
        "scalar" => "s",
        "(scalar?)" => "S",
        "i64" => "i",
        "(i64?)" => "I",
        "f64" => "f",
        "(f64?)" => "F",
        "bool" => "b",
        "(bool?)" => "B",
        "text" => "x",
        "(text?)" => "X",
        "[i64]" => "n",
        "([i64]?)" => "N",
        "[f64]" => "d",
        "dtype" => "k",
        "(dtype?)" => "K",
        "device" => "v",
        "(device?)" => "V",
        "layout" => "y",
        other => panic!("`{other}` is not known"),
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
             {}\
             crate::operators::operators! {{\n",
            about(section),
            imports(&functions)
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

/// Where the C functions of rows come from.
fn imports(functions: &[&Function]) -> String {
    let of = |complete: bool| {
        functions
            .iter()
            .any(|function| function.symbol.starts_with(complete::PREFIX) == complete)
    };
    let mut lines = String::new();
    if of(false) {
        lines.push_str("use torch_sys::c_generated::*;\n\n");
    }
    if of(true) {
        lines.push_str("use crate::operators::complete::*;\n\n");
    }
    lines
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
