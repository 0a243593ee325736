//! The tables of `src/operators/table` say what torch-sys has. UPDATE_GENERATED=1 rewrites them; afterwards `tests/generated.rs` does the
//! same for the declarations in Simple.
//!
//! `source` reads torch-sys's C++, since only that tells optional tensors from others and how many tensors come back; `rows` writes the
//! tables. `schema` reads libtorch's own schemas, from which `library` writes `lib/torch/ops`: functions with libtorch's names and defaults.
//! Where torch-sys leaves arguments out, `complete` writes functions of the shim that replace it.

mod complete;
mod fronts;
mod library;
mod rows;
mod schema;
mod source;

use std::collections::HashMap;
use std::path::Path;

use simple_ffi_abi::describe::check_generated;
use simple_torch::state::operator_schemas;
use simple_torch_shim as _;

use schema::Schema;
use source::Function;

/// All operators, and those of them that the shim calls since torch-sys leaves arguments out. `grad` is in `src/autograd.rs`.
fn functions(schemas: &HashMap<String, Vec<Schema>>) -> (Vec<Function>, Vec<(Function, &Schema)>) {
    let mut functions = source::read(&torch_sys_source());
    // libtorch has this many operators that torch-sys can call.
    assert_eq!(functions.len(), 2643);
    functions.retain(|function| function.name != "grad");
    // torch-sys gives this name to what writes into a given tensor, and has nothing that gives a new one.
    for function in &mut functions {
        if function.name == "clone" {
            function.params.retain(|(name, _)| name != "out");
            (function.called, function.out) = ("clone".to_owned(), false);
            function.result = source::Result::Tensors(1);
        }
    }
    let mut completed = Vec::new();
    for function in &mut functions {
        let complete = if function.name == "clone" {
            complete::of_schema(function, schemas)
        } else {
            complete::completed(function, schemas)
        };
        if let Some((complete, schema)) = complete {
            *function = complete.clone();
            completed.push((complete, schema));
        }
    }
    functions.sort_by(|a, b| a.name.cmp(&b.name));
    (functions, completed)
}

/// What cargo prints.
fn cargo(args: &[&str]) -> String {
    let output = std::process::Command::new(env!("CARGO"))
        .args(args)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo can be started");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).expect("cargo prints text")
}

/// The C++ of torch-sys's generated functions, in the version that this workspace is locked to.
fn torch_sys_source() -> String {
    let version = cargo(&["--version", "--verbose"]);
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    // Packages that only other systems need were never fetched, and without a filter cargo asks for them.
    let metadata = cargo(&[
        "metadata",
        "--format-version=1",
        "--locked",
        "--offline",
        "--filter-platform",
        host.expect("cargo names the host"),
    ]);
    let metadata: serde_json::Value = serde_json::from_str(&metadata).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let torch_sys = packages
        .iter()
        .find(|package| package["name"] == "torch-sys")
        .expect("the workspace depends on torch-sys");
    let manifest = Path::new(torch_sys["manifest_path"].as_str().unwrap());
    let path = manifest.with_file_name("libtch/torch_api_generated.cpp");
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Compares files with what they should be, and finds none that is left over in their folder.
fn check_folder(folder: &Path, files: &[(String, String)], others: &[&str]) {
    let mut stale = Vec::new();
    for (name, text) in files {
        stale.extend(check_generated(&folder.join(name), text).err());
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

#[test]
fn the_tables_are_fresh() {
    let schemas = schema::read(&operator_schemas().unwrap());
    let (functions, _) = functions(&schemas);
    let folder = root().join("src/operators/table");
    check_folder(&folder, &rows::files(&functions), &[]);
}

#[test]
fn the_completing_functions_are_fresh() {
    let schemas = schema::read(&operator_schemas().unwrap());
    let (_, completed) = functions(&schemas);
    let cpp = |part: &str| {
        let of_part = |function: &Function| match function {
            Function { out: true, .. } => "out",
            Function { name, .. } if name.starts_with('_') => "internal",
            _ => "plain",
        };
        let functions: Vec<_> = completed
            .iter()
            .filter(|(function, _)| of_part(function) == part)
            .cloned()
            .collect();
        complete::cpp(&functions)
    };
    let files = [
        ("shim/complete.cpp", cpp("plain")),
        ("shim/complete_internal.cpp", cpp("internal")),
        ("shim/complete_out.cpp", cpp("out")),
        (
            "src/operators/complete.rs",
            complete::declarations(&completed),
        ),
    ];
    let stale: Vec<String> = files
        .iter()
        .filter_map(|(path, text)| check_generated(&root().join(path), text).err())
        .collect();
    assert!(stale.is_empty(), "{}", stale.join("\n"));
}

#[test]
fn the_library_modules_are_fresh() {
    let schemas = schema::read(&operator_schemas().unwrap());
    let (functions, _) = functions(&schemas);
    // The others are overloads that libtorch keeps for old programs; they are written without defaults.
    let with_schema = functions
        .iter()
        .filter(|function| !function.out && schema::of(function, &schemas).is_some())
        .count();
    assert_eq!(with_schema, 1658);
    let files = library::files(&functions, &schemas);
    for (name, text) in &files {
        assert!(text.lines().count() <= 500, "{name} is too long to read");
    }
    check_folder(
        &root().join("../../lib/torch/ops"),
        &files,
        &["convert.spl", "fronts.spl", "fronts_spec.spl"],
    );
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
    check_generated(&top.join("doc/torch/fronts.md"), &page).unwrap();
}

#[test]
fn the_page_on_guards_is_fresh() {
    let page = simple_torch::operators::guard::page();
    check_generated(&root().join("../../doc/torch/guards.md"), &page).unwrap();
}

#[test]
fn every_argument_that_pytorch_has_is_there() {
    let schemas = schema::read(&operator_schemas().unwrap());
    let (functions, _) = functions(&schemas);
    for function in &functions {
        assert!(
            complete::completed(function, &schemas).is_none(),
            "{} lacks arguments",
            function.name
        );
    }
}

#[test]
fn rows_say_what_the_source_does() {
    let functions = source::read(
        "void atg_conv2d(tensor *out__, tensor input, tensor bias, int64_t *stride_data, int stride_len, int64_t groups) {\n  PROTECT(\n    auto outputs__ = torch::conv2d(*input, (bias ? ::std::optional<at::Tensor>(*bias) : ::std::nullopt), torch::IntArrayRef(stride_data, stride_len), groups);\n    out__[0] = new torch::Tensor(outputs__);\n  )\n}\n\
         void atg_add_scalar_(tensor *out__, tensor self, scalar other) {\n  PROTECT(\n    auto outputs__ = self->add_(*other);\n    out__[0] = new torch::Tensor(outputs__);\n  )\n}\n\
         void atg___iand__(tensor *out__, tensor self, scalar other) {\n  PROTECT(\n    auto outputs__ = self->__iand__(*other);\n    out__[0] = new torch::Tensor(outputs__);\n  )\n}\n\
         void atg_rand(tensor *out__, int64_t *size_data, int size_len, int options_kind, int options_device) {\n  PROTECT(\n    auto outputs__ = torch::rand(torch::IntArrayRef(size_data, size_len), at::device(device_of_int(options_device)).dtype(at::ScalarType(options_kind)));\n    out__[0] = new torch::Tensor(outputs__);\n  )\n}\n\
         tensor *atg_split(tensor self, int64_t split_size, int64_t dim) {\n  PROTECT(\n    auto outputs__ = torch::split(*self, split_size, dim);\n  )\n  return nullptr;\n}\n\
         void atg_sort_values(tensor *out__, tensor values, tensor indices, tensor self) {\n  PROTECT(\n    auto outputs__ = torch::sort_out(*values, *indices, *self);\n    out__[0] = new torch::Tensor(std::get<0>(outputs__));\n    out__[1] = new torch::Tensor(std::get<1>(outputs__));\n  )\n}\n\
         int atg_equal(tensor self, tensor other) {\n  PROTECT(\n    return torch::equal(*self, *other);\n  )\n  return 0;\n}\n",
    );
    let rows: Vec<String> = functions.iter().map(rows::row).collect();
    assert_eq!(
        rows,
        [
            "fn rt_torch_conv2d(input: tensor, bias: (tensor?), stride: [i64], groups: i64) -> tensor = atg_conv2d",
            "fn rt_torch_add_scalar_(input: tensor, other: scalar) -> (written 1) = atg_add_scalar_",
            "fn rt_torch___iand__(input: tensor, other: scalar) -> (written 1) = atg___iand__",
            "fn rt_torch_rand(size: [i64], dtype: dtype, device: device) -> tensor = atg_rand",
            "fn rt_torch_split(input: tensor, split_size: i64, dim: i64) -> [tensor] = atg_split",
            "fn rt_torch_sort_values(values: tensor, indices: tensor, input: tensor) -> (written 2) = atg_sort_values",
            "fn rt_torch_equal(input: tensor, other: tensor) -> bool = [reads] atg_equal",
        ]
    );
    let sections: Vec<&str> = functions.iter().map(rows::section).collect();
    assert_eq!(
        sections,
        ["c", "a", "internal_h_l", "r", "s", "out_s", "d_e"]
    );
}
