//! What makes the code of `runtime` hard to change is counted, and may not grow: circles of files, long functions and files, fields of the two
//! largest structs, items that a whole crate sees.
//!
//! A number that has become smaller fails too: `UPDATE_GOLDEN=1` writes it down, so that what was won is kept. Files are read as text: modules are files,
//! an edge is `crate::module` outside of tests, a function ends at the brace below its `fn`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Source files of a crate without their tests: module name (`body/call`) and text.
fn sources(krate: &str) -> BTreeMap<String, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("..")
        .join(krate)
        .join("src");
    let mut found = BTreeMap::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        let mut entries: Vec<PathBuf> = fs::read_dir(&folder)
            .expect("a crate has sources")
            .map(|entry| entry.expect("a folder can be read").path())
            .collect();
        entries.sort();
        for path in entries {
            let name = path
                .strip_prefix(&root)
                .expect("below the root")
                .to_string_lossy()
                .into_owned();
            if path.is_dir() {
                folders.push(path);
            } else if let Some(module) = name.strip_suffix(".rs")
                && !module.ends_with("tests")
            {
                let text = fs::read_to_string(&path).expect("sources are text");
                let end = text.find("\n#[cfg(test)]\nmod ").unwrap_or(text.len());
                let module = module.strip_suffix("/mod").unwrap_or(module);
                found.insert(module.to_owned(), text[..end].to_owned());
            }
        }
    }
    found
}

/// The crates under `runtime`.
fn crates() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut names: Vec<String> = fs::read_dir(folder)
        .expect("the folder of this crate")
        .map(|entry| entry.expect("a folder can be read"))
        .filter(|entry| entry.path().join("src").is_dir())
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

/// The modules that a module names by `crate::a::b`, the longest path that is a module.
fn imports(text: &str, modules: &BTreeSet<&str>) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (at, _) in text.match_indices("crate::") {
        let path: String = text[at + 7..]
            .chars()
            .take_while(|c| c.is_alphanumeric() || matches!(c, '_' | ':'))
            .collect();
        let mut parts: Vec<&str> = path.split("::").filter(|part| !part.is_empty()).collect();
        while !parts.is_empty() {
            let module = parts.join("/");
            if modules.contains(module.as_str()) {
                found.insert(module);
                break;
            }
            parts.pop();
        }
    }
    found
}

/// The sizes of the sets of modules of which each reaches every other, the largest first.
fn circles(krate: &str) -> Vec<usize> {
    let sources = sources(krate);
    let modules: BTreeSet<&str> = sources.keys().map(String::as_str).collect();
    let edges: BTreeMap<&str, BTreeSet<String>> = sources
        .iter()
        .map(|(name, text)| (name.as_str(), imports(text, &modules)))
        .collect();
    let reached = |from: &str| {
        let mut seen = BTreeSet::new();
        let mut next = vec![from.to_owned()];
        while let Some(module) = next.pop() {
            for to in edges.get(module.as_str()).into_iter().flatten() {
                if seen.insert(to.clone()) {
                    next.push(to.clone());
                }
            }
        }
        seen
    };
    let reach: BTreeMap<&str, BTreeSet<String>> =
        modules.iter().map(|name| (*name, reached(name))).collect();
    let mut sets = BTreeSet::new();
    for (name, to) in &reach {
        let set: Vec<&str> = modules
            .iter()
            .copied()
            .filter(|other| to.contains(*other) && reach[other].contains(*name))
            .collect();
        if set.len() > 1 {
            sets.insert(set);
        }
    }
    let mut sizes: Vec<usize> = sets.iter().map(Vec::len).collect();
    sizes.sort_unstable_by(|a, b| b.cmp(a));
    sizes
}

/// Whether a line begins a function with a body, however visible it is.
fn begins_function(line: &str) -> bool {
    let seen = match line.strip_prefix("pub") {
        Some(rest) if rest.starts_with('(') => rest.split_once(") ").map(|(_, rest)| rest),
        Some(rest) => rest.strip_prefix(' '),
        None => Some(line),
    };
    seen.is_some_and(|line| line.starts_with("fn ")) && !line.ends_with([';', '}'])
}

/// Functions longer than this many lines, from `fn` to the brace at its own indentation.
fn long_functions(limit: usize) -> usize {
    let mut count = 0;
    for krate in crates() {
        for text in sources(&krate).values() {
            let lines: Vec<&str> = text.lines().collect();
            for (first, line) in lines.iter().enumerate() {
                let indent = line.len() - line.trim_start().len();
                let words = line.trim_start();
                if !begins_function(words) {
                    continue;
                }
                let end = format!("{}}}", " ".repeat(indent));
                let length = lines[first..].iter().position(|line| **line == end);
                count += usize::from(length.is_some_and(|length| length > limit));
            }
        }
    }
    count
}

/// What the checker consists of: structs by their modules.
const CHECKER: &[(&str, &str)] = &[
    ("checker", "Checker"),
    ("state/input", "Input"),
    ("state/reports", "Reports"),
    ("state/modules", "Modules"),
    ("state/decls", "Decls"),
    ("state/instances", "Instances"),
    ("state/output", "Output"),
];

/// The same of what checks a body.
const BODY: &[(&str, &str)] = &[
    ("body", "Body"),
    ("infer/table", "InferTable"),
    ("body/scopes", "Scopes"),
    ("body/duties", "Duties"),
    ("body/context", "Context"),
    ("body/context", "Purpose"),
];

/// How many fields of these structs are seen outside of their modules.
fn visible_fields(structs: &[(&str, &str)]) -> usize {
    let sources = sources("sema");
    let of = |(module, name): &(&str, &str)| {
        let text = &sources[*module];
        let head = format!(" struct {name}");
        let (_, body) = text.split_once(&head).expect("the struct is there");
        let (body, _) = body.split_once("\n}").expect("a struct ends");
        let fields = body.lines().map(str::trim_start);
        fields.filter(|line| line.starts_with("pub")).count()
    };
    structs.iter().map(of).sum()
}

/// How often a word is in the sources.
fn mentions(word: &str) -> usize {
    crates()
        .iter()
        .flat_map(|krate| sources(krate).into_values())
        .map(|text| text.matches(word).count())
        .sum()
}

#[test]
fn nothing_that_makes_the_code_hard_to_change_has_grown() {
    let circles: Vec<String> = crates()
        .iter()
        .map(|krate| (krate, circles(krate)))
        .filter(|(_, sizes)| !sizes.is_empty())
        .map(|(krate, sizes)| format!("{krate} {sizes:?}"))
        .collect();
    let longest = crates()
        .iter()
        .flat_map(|krate| sources(krate).into_values())
        .map(|text| text.lines().count())
        .max();
    let found = format!(
        "circles of files: {}\nvisible fields of Checker: {}\nvisible fields of Body: {}\nfunctions of more than 100 lines: {}\n\
         hundreds of pub(crate): {}\nhundreds of lines of the longest file: {}\n",
        circles.join(", "),
        visible_fields(CHECKER),
        visible_fields(BODY),
        long_functions(100),
        mentions("pub(crate)").div_ceil(100),
        longest.unwrap_or_default().div_ceil(100),
    );
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/house.txt");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&file, &found).expect("the file can be written");
    }
    let known = fs::read_to_string(&file).expect("the numbers are there");
    assert_eq!(
        found, known,
        "the numbers of runtime/cli/tests/house.txt: none may grow, and what has become smaller is written down there"
    );
}
