//! What is made from the tables is fresh: the modules of declarations in `lib/torch/ffi`. UPDATE_GENERATED=1 refreshes them.

use std::path::{Path, PathBuf};

use simple_ffi_abi::describe::{ManifestText, check_generated, simple_module};
use simple_ffi_abi::export::Table;
use simple_torch::{LIBRARY, TABLES};
use simple_torch_shim as _;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn tables() -> impl Iterator<Item = &'static Table> {
    TABLES.iter().copied().flatten()
}

fn module_path(table: &Table) -> PathBuf {
    root().join(format!("../../lib/torch/ffi/{}.spl", table.area))
}

fn declarations(table: &Table) -> String {
    let first = format!(
        "Functions of libsimple_torch: {}. Generated from the tables in ffi/torch/src; do not edit.",
        about(table)
    );
    let intro = [
        first.as_str(),
        "`cargo test -p simple-torch` checks it, with UPDATE_GENERATED=1 it writes it. Programs use `lib.torch` instead, where handles",
        "are freed by themselves. The annotations are for the runtime: how a failure shows, and what the function does.",
        "",
    ];
    simple_module(LIBRARY, &intro, table.functions)
}

fn about(table: &Table) -> String {
    match table.area.strip_prefix("operators/") {
        Some(section) => format!(
            "operators of libtorch ({section}), see ffi/torch/src/operators/mod.rs for their parameters"
        ),
        None if table.area == "mod" => "libtorch on handles".to_owned(),
        None => table.area.replace('_', " "),
    }
}

/// Files of a folder and of those in it.
fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, found);
        } else {
            found.push(path);
        }
    }
}

#[test]
fn the_simple_declarations_are_fresh() {
    let mut stale = Vec::new();
    for table in tables() {
        let text = simple_format::format(&declarations(table)).expect("a module");
        stale.extend(check_generated(&module_path(table), &text).err());
        let manifest = ManifestText::new(text);
        assert_eq!(manifest.library, LIBRARY);
        assert_eq!(manifest.names().len(), table.functions.len());
        for entry in table.functions {
            let read = manifest.find(entry.name).unwrap().unwrap();
            assert_eq!(read.signature.result, entry.result.name(), "{}", entry.name);
        }
    }
    assert!(stale.is_empty(), "{}", stale.join("\n"));
}

#[test]
fn no_generated_file_is_left_over() {
    let mut found = Vec::new();
    files(&root().join("../../lib/torch/ffi"), &mut found);
    let wanted: Vec<PathBuf> = tables().map(module_path).collect();
    for path in found {
        assert!(
            wanted.contains(&path),
            "no table leads to {}",
            path.display()
        );
    }
}

#[test]
fn no_name_is_in_two_tables() {
    let mut names: Vec<&str> = tables()
        .flat_map(|table| table.functions)
        .map(|entry| entry.name)
        .collect();
    names.sort_unstable();
    for pair in names.windows(2) {
        assert_ne!(pair[0], pair[1]);
    }
}
