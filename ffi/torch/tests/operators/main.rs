//! The rows of `src/operators/table` are the operators that Simple has. UPDATE_GENERATED=1 rewrites what is made of them; afterwards
//! `tests/generated.rs` does the same for the declarations in Simple.
//!
//! `rows` reads and writes the tables: a row may be added to any of them. `schema` reads libtorch's own schemas, with which rows are compared, and
//! from which `library` writes `lib/torch/ops`: functions with libtorch's names and defaults. With a libtorch that has operators without a row,
//! UPDATE_GENERATED=1 adds rows. The tables and modules are made with the newest release; an older one lacks some of these operators.

mod fronts;
mod library;
mod names;
mod rows;
mod schema;

use std::collections::HashMap;
use std::path::Path;

use simple_ffi_abi::describe::check_generated;
use simple_torch::operators::call;
use simple_torch::state::operator_schemas;
use simple_torch_shim as _;

use rows::Function;
use schema::Schema;

fn schemas() -> HashMap<String, Schema> {
    schema::read(&operator_schemas().unwrap())
}

fn tables() -> std::path::PathBuf {
    root().join("src/operators/table")
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Compares files with what they should be, and finds none that is left over in their folder.
fn check_folder(folder: &Path, files: &[(String, String)], others: &[&str]) {
    let mut stale = Vec::new();
    for (name, text) in files {
        let text = match name.ends_with(".spl") {
            true => simple_format::format(text).expect("a module"),
            false => text.clone(),
        };
        stale.extend(check_generated(&folder.join(name), &text).err());
    }
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if !files.iter().any(|(known, _)| *known == name) && !others.contains(&name.as_str()) {
            stale.push(format!("{} is not generated any more", path.display()));
        }
    }
    assert!(stale.is_empty(), "{}", stale.join("\n"));
}

/// Operators that have no row: what rows cannot have, and what `left_out.txt` names.
fn without_row<'a>(
    functions: &[Function],
    schemas: &'a HashMap<String, Schema>,
) -> Vec<&'a Schema> {
    let listed = std::fs::read_to_string(root().join("tests/operators/left_out.txt")).unwrap();
    let listed: Vec<&str> = listed.lines().collect();
    let has_row = |schema: &Schema| {
        let is_of = |function: &Function| function.operator == schema.name;
        functions.iter().any(is_of) || listed.contains(&schema.name.as_str())
    };
    let mut found: Vec<&Schema> = schemas.values().filter(|schema| !has_row(schema)).collect();
    found.sort_by(|a, b| a.name.cmp(&b.name));
    found
}

#[test]
fn the_tables_are_fresh() {
    let schemas = schemas();
    let mut functions = rows::read(&tables());
    let listed = std::fs::read_to_string(root().join("src/foreach.rs")).unwrap();
    let lists = listed.lines().filter_map(|line| rows::parse(line, false));
    let mut known = functions.clone();
    known.extend(lists);
    let new = without_row(&known, &schemas);
    functions.extend(new.into_iter().filter_map(rows::of_schema));
    functions.sort_by(|a, b| a.name.cmp(&b.name));
    check_folder(&tables(), &rows::files(&functions), &[]);
}

#[test]
fn the_library_modules_are_fresh() {
    let functions = rows::read(&tables());
    let folder = root().join("../../lib/torch/ops");
    let files = library::files(&functions, &schemas(), &folder);
    for (name, text) in &files {
        assert!(text.lines().count() <= 500, "{name} is too long to read");
    }
    let others = [
        "call.spl",
        "call_spec.spl",
        "convert.spl",
        "fronts.spl",
        "fronts_spec.spl",
    ];
    check_folder(&folder, &files, &others);
}

#[test]
fn the_page_on_functions_in_python_is_fresh() {
    let top = root().join("../..");
    let read = |path: &str| std::fs::read_to_string(top.join(path)).unwrap();
    let layers = [
        ("lib.nn.functional", read("lib/nn/functional.spl")),
        ("lib.nn.functional", read("lib/nn/methods.spl")),
        ("lib.nn.functional", read("lib/nn/distance.spl")),
        ("lib.nn.functional", read("lib/nn/margin_loss.spl")),
        ("lib.nn.loss", read("lib/nn/loss.spl")),
    ];
    let layers: Vec<(&str, &str)> = layers.iter().map(|(m, s)| (*m, s.as_str())).collect();
    let source = read("lib/torch/ops/fronts.spl");
    let page = fronts::document(
        &read("lib/torch/fixtures/python_functions.txt"),
        &source,
        &layers,
    );
    fronts::every_front_is_told(&page, &source).unwrap();
    check_generated(&top.join("doc/internals/fronts.md"), &page).unwrap();
}

#[test]
fn the_page_on_guards_is_fresh() {
    let page = simple_torch::operators::guard::page();
    check_generated(&root().join("../../doc/internals/guards.md"), &page).unwrap();
}

#[test]
fn every_argument_that_pytorch_has_is_there() {
    let schemas = schemas();
    for function in rows::read(&tables()) {
        // PyTorch's method `type`, which is `to` with its defaults; and an operator for Apple's GPUs whose last argument is new in 2.15.
        let shorter = ["totype", "_scaled_dot_product_attention_math_for_mps"];
        if shorter.contains(&function.name.as_str()) {
            continue;
        }
        if let Some(schema) = schemas.get(&function.operator) {
            let lacking = schema.lacking(&function);
            assert_eq!(lacking, Ok(Vec::new()), "{}", function.name);
        }
    }
}

/// The operators of rows that this libtorch lacks, and those that it has with other arguments or results.
#[test]
fn libtorch_has_the_operators_of_rows() {
    let schemas = schemas();
    let (mut gone, mut other) = (Vec::new(), Vec::new());
    for function in rows::read(&tables()) {
        let row = rows::row(&function);
        match call::problem(&function.operator, &rows::call(&function)) {
            None => {}
            Some(_) if !schemas.contains_key(&function.operator) => gone.push(function.operator),
            Some(problem) => other.push(format!("{row}: {problem}")),
        }
    }
    assert!(other.is_empty(), "{}", other.join("\n"));
    // Each release that was looked at lacks fewer: 2.11 what is new since, 2.15 what is gone.
    assert!(gone.len() <= 40, "{gone:?}");
}

#[test]
fn rows_are_read_as_they_are_written() {
    let lines = [
        "fn rt_torch_conv2d(input: tensor, bias: (tensor?), stride: [i64], groups: i64) -> tensor = \"conv2d\"",
        "fn rt_torch_add_scalar_(input: tensor, other: scalar) -> (written 1) = \"add_.Scalar\"",
        "fn rt_torch_rand(size: [i64], dtype: dtype, device: device) -> tensor = \"rand\"",
        "fn rt_torch_split(input: tensor, split_size: i64, dim: i64) -> [tensor] = \"split.Tensor\"",
        "fn rt_torch_sort_values(values: tensor, indices: tensor, input: tensor) -> (written 2) = \"sort.values\"",
        "fn rt_torch_equal(input: tensor, other: tensor) -> bool = [reads] \"equal\"",
    ];
    let functions: Vec<Function> = (lines.iter().enumerate())
        .map(|(at, line)| rows::parse(line, at == 4).unwrap())
        .collect();
    let again: Vec<String> = functions.iter().map(rows::row).collect();
    assert_eq!(again, lines);
    let sections: Vec<&str> = functions.iter().map(rows::section).collect();
    assert_eq!(sections, ["c", "a", "r", "s", "out_s", "d_e"]);
    assert_eq!(
        rows::parse("fn rt_torch_abs(input: thing) -> tensor = \"abs\"", false),
        None
    );
}

#[test]
fn rows_are_made_of_schemas() {
    let lines = "aten::linalg_polar.out(Tensor A, *, Tensor(a!) U, Tensor(b!) H) -> (Tensor(a!) U, Tensor(b!) H)\n\
                 aten::_philox_randint_(Tensor(a!) self, Tensor key, int? low=None, int? high=None) -> Tensor(a!)\n\
                 aten::odd(Stream s) -> ()\n\
                 aten::near.Scalar_out(SymInt[2] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor[]\n";
    let schemas = schema::read(lines);
    let row = |name: &str| rows::of_schema(&schemas[name]).map(|function| rows::row(&function));
    assert_eq!(
        row("linalg_polar.out").unwrap(),
        "fn rt_torch_linalg_polar_out(U: tensor, H: tensor, A: tensor) -> (written 2) = \"linalg_polar.out\""
    );
    assert_eq!(
        row("_philox_randint_").unwrap(),
        "fn rt_torch__philox_randint_(input: tensor, key: tensor, low: (i64?), high: (i64?)) -> (written 1) = \"_philox_randint_\""
    );
    assert_eq!(
        row("near.Scalar_out").unwrap(),
        "fn rt_torch_near_scalar_out(size: [i64], dtype: dtype, device: device) -> [tensor] = \"near.Scalar_out\""
    );
    assert_eq!(row("odd"), None);
}
