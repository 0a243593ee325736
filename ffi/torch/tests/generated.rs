//! What is made from the tables is fresh: the modules of declarations in `lib/torch/ffi` and the C headers in `include`.
//! UPDATE_GENERATED=1 refreshes both.

use std::path::{Path, PathBuf};

use simple_ffi_abi::describe::{ManifestText, c_header, check_generated, simple_module};
use simple_ffi_abi::export::Table;
use simple_torch::{LIBRARY, TABLES};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn tables() -> impl Iterator<Item = &'static Table> {
    TABLES.iter().copied().flatten()
}

fn module_path(table: &Table) -> PathBuf {
    root().join(format!("../../lib/torch/ffi/{}.spl", table.area))
}

/// `include/simple_torch.h` for the first table, a file below `include/simple_torch` for the others.
fn header_path(table: &Table) -> PathBuf {
    match table.area {
        "mod" => root().join("include/simple_torch.h"),
        area => root().join(format!("include/simple_torch/{area}.h")),
    }
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
        let text = declarations(table);
        stale.extend(check_generated(&module_path(table), &text).err());
        let manifest = ManifestText::new(text);
        assert_eq!(manifest.library, LIBRARY);
        assert_eq!(manifest.names().len(), table.functions.len());
        for entry in table.functions {
            let read = manifest.find(entry.name).unwrap().unwrap();
            assert_eq!(read.result, entry.result.name(), "{}", entry.name);
        }
    }
    assert!(stale.is_empty(), "{}", stale.join("\n"));
}

#[test]
fn no_generated_file_is_left_over() {
    let mut found = Vec::new();
    files(&root().join("../../lib/torch/ffi"), &mut found);
    files(&root().join("include"), &mut found);
    let wanted: Vec<PathBuf> = tables()
        .flat_map(|table| [module_path(table), header_path(table)])
        .collect();
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

#[test]
fn the_c_headers_are_fresh() {
    let mut stale = Vec::new();
    let mut includes = String::new();
    for table in tables() {
        let first = format!(
            "Functions of libsimple_torch: {}. Generated from the tables in ffi/torch/src; do not edit.",
            about(table)
        );
        let intro = [
            first.as_str(),
            "",
            "A C program calls simple_ffi_init with its own host before anything else. Handles belong to the thread that made them.",
        ];
        let guard = match table.area {
            "mod" => "SIMPLE_TORCH_H".to_owned(),
            area => format!("SIMPLE_TORCH_{}_H", area.replace('/', "_").to_uppercase()),
        };
        let path = header_path(table);
        stale.extend(check_generated(&path, &c_header(&guard, &intro, table.functions)).err());
        includes.push_str(&format!("#include \"{}\"\n", path.display()));
    }
    assert!(stale.is_empty(), "{}", stale.join("\n"));

    // One compilation of all of them.
    let all = Path::new(env!("CARGO_TARGET_TMPDIR")).join("simple_torch_headers.c");
    std::fs::write(&all, includes).unwrap();
    let output = std::process::Command::new("cc")
        .args(["-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-I"])
        .arg(root().join("../abi/include"))
        .arg(&all)
        .output()
        .expect("a C compiler named `cc` is on PATH");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}
