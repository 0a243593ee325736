//! Every declaration of the library at the start of a line has an entry with a signature.

use simple_document::document;
use std::path::Path;

/// The name that a line declares, as its text says.
fn declared(line: &str) -> Option<&str> {
    let line = line.strip_prefix("pub ").unwrap_or(line);
    let words = ["fn ", "class ", "struct ", "enum ", "trait ", "mixin "];
    let rest = words.iter().find_map(|word| line.strip_prefix(word))?;
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_')?;
    (end > 0 && !rest.starts_with('_')).then(|| &rest[..end])
}

#[test]
fn every_declaration_has_an_entry() {
    let mut left = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../../lib")];
    let (mut seen, mut missing) = (0, Vec::new());
    while let Some(folder) = left.pop() {
        for entry in std::fs::read_dir(&folder)
            .expect("a folder of the library")
            .flatten()
        {
            let path = entry.path();
            let name = path.to_string_lossy().into_owned();
            if path.is_dir() {
                left.push(path);
                continue;
            }
            if !name.ends_with(".spl") || name.ends_with("_spec.spl") {
                continue;
            }
            let text = std::fs::read_to_string(&path).expect("a module is text");
            let found = document(&text);
            for name_of in found
                .entries
                .iter()
                .filter(|entry| entry.signature.is_empty())
            {
                missing.push(format!("{name}: {} has no signature", name_of.full_name()));
            }
            // Lines of strings may look like declarations; those with three quotes are left out.
            let parts = text.split("\"\"\"").step_by(2);
            for declared in parts.flat_map(str::lines).filter_map(declared) {
                seen += 1;
                if !found.entries.iter().any(|entry| entry.name == declared) {
                    missing.push(format!("{name}: {declared}"));
                }
            }
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
    assert!(seen > 1000, "{seen} declarations");
}
