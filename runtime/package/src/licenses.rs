//! The licences of the crates that are compiled into the program and the torch library, which whoever passes these on must pass on too.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::PackageError;

/// What is packed is built from these.
const ROOTS: [&str; 2] = ["simple-cli", "simple-torch-library"];

/// How files with a licence or a notice begin.
const NAMES: [&str; 5] = ["license", "licence", "copying", "notice", "unlicense"];

/// A text: each crate with its version and licence, and each text of a licence once, with the crates that it is of.
pub fn of_crates(root: &Path) -> Result<String, PackageError> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let asked = Command::new(cargo)
        .current_dir(root)
        .args(["metadata", "--locked", "--format-version=1"])
        .output()
        .map_err(|error| PackageError::Crates(error.to_string()))?;
    if !asked.status.success() {
        let why = String::from_utf8_lossy(&asked.stderr);
        return Err(PackageError::Crates(why.trim().to_owned()));
    }
    let metadata: Value = serde_json::from_slice(&asked.stdout)
        .map_err(|error| PackageError::Crates(error.to_string()))?;
    Ok(text(&metadata))
}

fn text(metadata: &Value) -> String {
    let used = used(metadata);
    let mut crates = BTreeMap::new();
    let mut texts: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for package in list(&metadata["packages"]) {
        let word = |key: &str| package[key].as_str().unwrap_or_default();
        // Those of this project have no source.
        if package["source"].is_null() || !used.contains(word("id")) {
            continue;
        }
        let name = format!("{} {}", word("name"), word("version"));
        if let Some(folder) = Path::new(word("manifest_path")).parent() {
            for text in texts_in(folder) {
                texts.entry(text).or_default().insert(name.clone());
            }
        }
        crates.insert(name, word("license").to_owned());
    }
    let mut written =
        "Simple is made with these crates, under the licences beside them.\n\n".to_owned();
    for (name, license) in &crates {
        // A String can always be written to.
        let _ = writeln!(written, "{name}: {license}");
    }
    let mut texts: Vec<_> = texts.into_iter().collect();
    texts.sort_by(|a, b| a.1.cmp(&b.1));
    for (text, of) in texts {
        let of: Vec<String> = of.into_iter().collect();
        let _ = write!(
            written,
            "\n{}\n{}:\n\n{}\n",
            "-".repeat(80),
            of.join(", "),
            text.trim()
        );
    }
    written
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// The crates that what is packed is compiled from, by cargo's name for each.
fn used(metadata: &Value) -> BTreeSet<String> {
    let nodes: BTreeMap<&str, &Value> = list(&metadata["resolve"]["nodes"])
        .iter()
        .filter_map(|node| Some((node["id"].as_str()?, node)))
        .collect();
    let mut left: Vec<&str> = list(&metadata["packages"])
        .iter()
        .filter(|package| {
            package["name"]
                .as_str()
                .is_some_and(|name| ROOTS.contains(&name))
        })
        .filter_map(|package| package["id"].as_str())
        .collect();
    let mut found = BTreeSet::new();
    while let Some(id) = left.pop() {
        if !found.insert(id.to_owned()) {
            continue;
        }
        for dependency in nodes.get(id).map_or(&[][..], |node| list(&node["deps"])) {
            // What is only for tests or for building is not in what was built.
            let linked = list(&dependency["dep_kinds"])
                .iter()
                .any(|kind| kind["kind"].is_null());
            left.extend(dependency["pkg"].as_str().filter(|_| linked));
        }
    }
    found
}

fn texts_in(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().to_lowercase();
        if NAMES.iter().any(|begin| name.starts_with(begin))
            && let Ok(text) = fs::read_to_string(entry.path())
        {
            found.push(text);
        }
    }
    found.sort();
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn crates_that_are_linked_are_listed_with_their_licences() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("LICENSE-MIT"), "Do as you like.\n").unwrap();
        let package = |name: &str, source: Value| {
            json!({"name": name, "version": "1.0.0", "id": name, "license": "MIT", "source": source,
                   "manifest_path": folder.path().join("Cargo.toml")})
        };
        let on = |name: &str, kind: Value| json!({"pkg": name, "dep_kinds": [{"kind": kind}]});
        let for_both = json!({"pkg": "for_both", "dep_kinds": [{"kind": "dev"}, {"kind": null}]});
        let from = json!("registry");
        let metadata = json!({
            "packages": [
                package("simple-cli", Value::Null), package("linked", from.clone()), package("deeper", from.clone()),
                package("for_tests", from.clone()), package("for_both", from.clone()), package("elsewhere", from),
            ],
            "resolve": {"nodes": [
                {"id": "simple-cli", "deps": [on("linked", Value::Null), on("for_tests", json!("dev")), for_both]},
                {"id": "linked", "deps": [on("deeper", Value::Null)]},
            ]},
        });
        let text = text(&metadata);
        assert!(
            text.contains("\ndeeper 1.0.0: MIT\nfor_both 1.0.0: MIT\nlinked 1.0.0: MIT\n"),
            "{text}"
        );
        assert!(
            !text.contains("for_tests")
                && !text.contains("elsewhere")
                && !text.contains("simple-cli"),
            "{text}"
        );
        assert!(
            text.ends_with("deeper 1.0.0, for_both 1.0.0, linked 1.0.0:\n\nDo as you like.\n"),
            "{text}"
        );
    }
}
