//! Which operators of libtorch a release lacks, so that the compiler can say so before a program runs.
//!
//! `ffi/torch/src/operators/table` has the operators of all releases that were looked at. Those for which a libtorch has no header are listed in
//! the file `lacks` beside the torch library for it: lines of a function and the operator that it would call, `rt_torch_cholesky cholesky`. The bridge
//! reads it (`runtime/bridge/src/lacks.rs`).

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::SetupError;

/// Where rows of operators are, from the root.
const ROWS: [&str; 2] = ["ffi/torch/src/operators/table", "ffi/torch/src/foreach.rs"];

/// The text of the file, for a source tree and a libtorch with this folder of headers.
pub fn text(root: &Path, include: &Path) -> Result<String, SetupError> {
    let mut headers = Headers {
        folder: include.join("ATen/ops"),
        read: HashMap::new(),
    };
    let mut lines = String::new();
    for file in ROWS.map(|rows| root.join(rows)) {
        for file in files(&file)? {
            let text =
                fs::read_to_string(&file).map_err(|why| SetupError::io("read", &file, why))?;
            for (function, operator) in text.lines().filter_map(row) {
                if !headers.have(operator) {
                    lines.push_str(&format!("{function} {operator}\n"));
                }
            }
        }
    }
    Ok(lines)
}

/// The file itself, or those of a folder in the order of their names.
fn files(path: &Path) -> Result<Vec<PathBuf>, SetupError> {
    if !path.is_dir() {
        return Ok(Vec::from_iter(path.is_file().then(|| path.to_owned())));
    }
    let entries = fs::read_dir(path).and_then(|entries| {
        let paths = entries.map(|entry| Ok(entry?.path()));
        paths.collect::<Result<Vec<_>, std::io::Error>>()
    });
    let mut found = entries.map_err(|why| SetupError::io("read", path, why))?;
    found.sort();
    Ok(found)
}

/// The function and the operator of a row, `fn rt_torch_abs(input: tensor) -> tensor = "abs", t_t;`.
fn row(line: &str) -> Option<(&str, &str)> {
    let (function, rest) = line.trim().strip_prefix("fn ")?.split_once('(')?;
    let (_, rest) = rest.split_once(" = ")?;
    let (_, rest) = rest.split_once('"')?;
    let (operator, _) = rest.split_once('"')?;
    function
        .starts_with("rt_torch_")
        .then_some((function, operator))
}

/// The headers of operators: one for all overloads of a name.
struct Headers {
    folder: PathBuf,
    read: HashMap<String, String>,
}

impl Headers {
    /// Whether there is the struct by which C++ calls an operator: `add_Tensor` for `add.Tensor`.
    fn have(&mut self, operator: &str) -> bool {
        let (name, overload) = operator.split_once('.').unwrap_or((operator, ""));
        let text = self.read.entry(name.to_owned()).or_insert_with(|| {
            // In-place operators are in the header of the others.
            let plain = name.strip_suffix('_').filter(|_| !name.ends_with("__"));
            let plain = plain.unwrap_or(name);
            // `__ilshift__` is in that of `lshift`.
            let bare = plain.trim_matches('_');
            let mut names = vec![plain, name, bare];
            // `normal_functional` is in that of `normal`.
            names.extend(plain.strip_suffix("_functional"));
            names.extend(bare.strip_prefix('i'));
            let texts = names
                .iter()
                .map(|name| self.folder.join(format!("{name}_ops.h")));
            texts
                .filter_map(|path| fs::read_to_string(path).ok())
                .collect()
        });
        let separator = if overload.is_empty() { "" } else { "_" };
        text.contains(&format!("struct TORCH_API {name}{separator}{overload} {{"))
    }
}

#[cfg(test)]
mod tests {
    use super::super::env::test_support::Scratch;
    use super::*;

    #[test]
    fn operators_without_a_header_are_listed() {
        let scratch = Scratch::new("lacks");
        let table = scratch.path().join("ffi/torch/src/operators/table");
        let ops = scratch.path().join("include/ATen/ops");
        fs::create_dir_all(&table).unwrap();
        fs::create_dir_all(&ops).unwrap();
        fs::write(
            table.join("a.rs"),
            "    fn rt_torch_add(input: tensor) -> tensor = \"add.Tensor\", t_t;\n    \
             fn rt_torch_add_(input: tensor) -> (written 1) = \"add_.Tensor\", t_w1;\n    \
             fn rt_torch_add_new(input: tensor) -> tensor = [guarded] \"add.New\";\n    \
             fn rt_torch_qr(input: tensor) -> (tensor 2) = \"qr\";\n    // fn of a comment\n",
        )
        .unwrap();
        fs::write(
            ops.join("add_ops.h"),
            "struct TORCH_API add_Tensor {\n};\nstruct TORCH_API add__Tensor {\n};\n",
        )
        .unwrap();
        let text = text(scratch.path(), &scratch.path().join("include")).unwrap();
        assert_eq!(text, "rt_torch_add_new add.New\nrt_torch_qr qr\n");
    }
}
