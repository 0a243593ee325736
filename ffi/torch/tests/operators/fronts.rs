//! Writes `doc/internals/fronts.md`: which functions of PyTorch are more than the operator of their name, and what Simple has for them.

use std::fmt::Write;

use crate::library::FRONTS;

const HEAD: &str = "# Functions of PyTorch that are more than an operator

Made by `cargo test -p simple-torch` from `lib/torch/fixtures/python_functions.txt`, which `python_functions.py` there
takes from PyTorch.

Most functions of PyTorch are operators of libtorch, and `lib.torch.ops` has them as they are. Those below are written
in Python: their defaults or parameters differ from the operator of the same name. Where `lib/torch/ops/fronts.spl` has
such a function, `ops.NAME` is that, and `ops.raw_NAME` is the operator.

";

/// A function of PyTorch: where it is, its name, its parameters, and those of the operator.
struct Row<'a> {
    place: &'a str,
    name: &'a str,
    python: &'a str,
    operator: &'a str,
}

/// The page. `listed` is what `python_functions.py` wrote; the others are sources of the library.
pub fn document(listed: &str, fronts: &str, layers: &[(&str, &str)]) -> String {
    let rows = listed
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| match *line.split('\t').collect::<Vec<_>>() {
            [place, name, python, operator, ..] => Some(Row {
                place,
                name,
                python,
                operator,
            }),
            _ => None,
        });
    let mut text = HEAD.to_owned();
    for row in rows {
        let _ = write!(
            text,
            "## {}.{}\n\n- in Python: {}\n- the operator: {}\n- here: {}\n\n",
            row.place,
            row.name,
            in_lines(row.python),
            in_lines(row.operator),
            here(&row, fronts, layers)
        );
    }
    text.truncate(text.trim_end().len());
    text.push('\n');
    text
}

/// Parameters as code, in lines that are not too long.
fn in_lines(parameters: &str) -> String {
    let mut out = String::new();
    let mut width = 16;
    for (at, parameter) in parameters.split(", ").enumerate() {
        width += parameter.len() + 4;
        if at > 0 {
            out.push(',');
            if width > 110 {
                out.push_str("\n ");
                width = parameter.len() + 6;
            }
            out.push(' ');
        }
        let _ = write!(out, "`{parameter}`");
    }
    out
}

fn declares(source: &str, name: &str) -> bool {
    source.lines().any(|line| {
        line.strip_prefix("fn ")
            .and_then(|rest| rest.strip_prefix(name))
            .is_some_and(|rest| rest.starts_with(['(', '<']))
    })
}

fn here(row: &Row<'_>, fronts: &str, layers: &[(&str, &str)]) -> String {
    let name = row.name;
    if row.place == "torch" && declares(fronts, name) {
        return format!("`ops.{name}` as in Python, `ops.raw_{name}` the operator");
    }
    if let Some((module, _)) = layers.iter().find(|(_, source)| declares(source, name)) {
        return format!("`{module}.{name}`; `ops.{name}` is the operator");
    }
    if row.python.starts_with('*') {
        return format!("`ops.{name}`, which takes one argument in place of many, or a list");
    }
    format!("`ops.{name}`, the operator")
}

/// Whether every operator with a front has one, and is told of.
pub fn every_front_is_told(page: &str, fronts: &str) -> Result<(), String> {
    for name in FRONTS {
        if !declares(fronts, name) {
            return Err(format!(
                "fronts.spl has no `{name}`, and the operator is called raw_{name}"
            ));
        }
        if !page.contains(&format!("## torch.{name}\n")) {
            return Err(format!("the page says nothing of torch.{name}"));
        }
    }
    Ok(())
}
