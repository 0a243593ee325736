//! What makes the code of `runtime` hard to change is counted, and may not grow: circles of files, long functions and files, fields of the two
//! largest structs, items that a whole crate sees; circles by calls of methods, long matches, keys that are spans,
//! statics, places that print messages or read the environment variable of golden files, wide comments, words that
//! an English engineer would not use.
//!
//! A number that has become smaller fails too: `UPDATE_GOLDEN=1` writes it down, so that what was won is kept. Files are read as text: modules are files,
//! an edge is `crate::module` outside of tests, a function ends at the brace below its `fn`.

use simple_testing::golden;
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
    sizes_of_circles(&edges)
}

/// The sizes of the sets of modules of which each reaches every other by these edges.
fn sizes_of_circles(edges: &BTreeMap<&str, BTreeSet<String>>) -> Vec<usize> {
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
        edges.keys().map(|name| (*name, reached(name))).collect();
    let mut sets = BTreeSet::new();
    for (name, to) in &reach {
        let set: Vec<&str> = edges
            .keys()
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

/// The methods that a text declares: names of functions whose first parameter is a `self`.
fn methods(text: &str) -> BTreeSet<String> {
    let declared = text.split("fn ").skip(1).filter_map(|rest| {
        let (name, parameters) = rest.split_once('(')?;
        let name = name.split('<').next()?;
        let first = parameters.split([',', ')']).next()?.trim();
        let is_self = ["self", "&self", "mut self", "&mut self"].contains(&first);
        is_self.then(|| name.to_owned())
    });
    declared.collect()
}

/// The methods that a text calls on the checker, the parser or another object that is passed through: `self.m(`,
/// `this.cx.m(`.
fn called(text: &str) -> BTreeSet<String> {
    let text: String = text.split_whitespace().collect();
    let mut found = BTreeSet::new();
    for receiver in ["self.", "this.", "body.", "cx."] {
        for (at, _) in text.match_indices(receiver) {
            let rest = &text[at + receiver.len()..];
            let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_');
            if let Some(end) = end
                && rest[end..].starts_with('(')
            {
                found.insert(rest[..end].to_owned());
            }
        }
    }
    found
}

/// Circles of files by calls of methods: one `impl` in many files makes them one file to a reader. Only methods with
/// a name of their own in the crate are followed.
fn circles_by_methods(krate: &str) -> Vec<usize> {
    let sources = sources(krate);
    let mut homes: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for (module, text) in &sources {
        for method in methods(text) {
            homes.entry(method).or_default().push(module);
        }
    }
    let edges = sources.iter().map(|(module, text)| {
        let homes = called(text).into_iter().filter_map(|m| homes.get(&m));
        let to = homes.filter_map(|homes| match homes[..] {
            [home] if home != module => Some(home.to_owned()),
            _ => None,
        });
        (module.as_str(), to.collect())
    });
    sizes_of_circles(&edges.collect())
}

/// Matches of so many patterns or more that have no `_` for the rest: each must follow every change of the tree.
fn long_matches(krate: &str, least: usize) -> usize {
    let mut count = 0;
    for text in sources(krate).values() {
        let lines: Vec<&str> = text.lines().collect();
        for (first, line) in lines.iter().enumerate() {
            if !line.contains("match ") || !line.ends_with('{') {
                continue;
            }
            let indent = line.len() - line.trim_start().len();
            let end = format!("{}}}", " ".repeat(indent));
            let body = lines[first + 1..]
                .iter()
                .take_while(|line| !line.starts_with(&end));
            let at_arms = body.filter_map(|line| {
                let words = line.trim_start();
                let in_arms = line.len() - words.len() == indent + 4;
                let is_pattern =
                    !words.starts_with(['}', ')', ']', '#']) && !words.starts_with("//");
                (in_arms && is_pattern).then_some(words)
            });
            let arms: Vec<&str> = at_arms.collect();
            let patterns = arms.iter().map(|arm| {
                let pattern = arm.split("=>").next().unwrap_or_default();
                pattern.trim_start_matches("| ").split(" | ").count()
            });
            let open = arms.iter().any(|arm| arm.starts_with("_ =>"));
            count += usize::from(!open && patterns.sum::<usize>() >= least);
        }
    }
    count
}

/// Tables by the place of a node, its span or address: two nodes of one place share an entry.
fn keys_by_place() -> usize {
    let texts = crates()
        .into_iter()
        .flat_map(|krate| sources(&krate).into_values());
    let count = |text: String| {
        let tables = text.match_indices("Map<").chain(text.match_indices("Set<"));
        let by_span = tables.filter(|(at, table)| {
            let key = text[at + table.len()..].split(['>', ';', '\n']).next();
            let key = key.unwrap_or_default();
            let key = match key.strip_prefix('(') {
                Some(several) => several.split(')').next().unwrap_or_default(),
                None => key.split(',').next().unwrap_or_default(),
            };
            key.split(", ")
                .any(|part| part == "Span" || part.starts_with("*const"))
        });
        by_span.count() + text.matches("ptr::from_ref(").count()
    };
    texts.map(count).sum()
}

/// What lives as long as the process or a thread, by crate.
fn statics() -> String {
    let is_static = |line: &&str| {
        let words = line.trim_start();
        let words = words.strip_prefix("pub ").unwrap_or(words);
        let words = words.strip_prefix("pub(crate) ").unwrap_or(words);
        let words = words.strip_prefix("pub(super) ").unwrap_or(words);
        words.strip_prefix("static ").is_some_and(|rest| {
            let rest = rest.strip_prefix("mut ").unwrap_or(rest);
            rest.starts_with(|c: char| c.is_ascii_uppercase())
        })
    };
    let counted = crates().into_iter().filter_map(|krate| {
        let sources = sources(&krate);
        let lines = sources.values().flat_map(|text| text.lines());
        match lines.filter(is_static).count() {
            0 => None,
            count => Some(format!("{krate} {count}")),
        }
    });
    counted.collect::<Vec<String>>().join(", ")
}

/// Files of the crates above the checker that read the message of a diagnostic or a failure, which they then write
/// in a form of their own.
fn writers_of_messages() -> usize {
    let above = ["bind", "cli", "middle", "codegen"];
    let texts = above.iter().flat_map(|krate| sources(krate).into_values());
    texts.filter(|text| text.contains(".message")).count()
}

/// Every Rust file of the repository's crates, with tests.
fn all_rust() -> Vec<String> {
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut folders = vec![top.join("runtime"), top.join("ffi")];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("the folder of a crate") {
            let path = entry.expect("a folder can be read").path();
            if path.is_dir() {
                // Fuzz crates have a folder of their own for what is built.
                if !path.ends_with("target") {
                    folders.push(path);
                }
            } else if path.extension().is_some_and(|end| end == "rs") {
                found.push(fs::read_to_string(&path).expect("sources are text"));
            }
        }
    }
    found
}

/// Comment lines of the sources that are wider than a screen.
fn wide_comments(columns: usize) -> usize {
    let texts = crates()
        .into_iter()
        .flat_map(|krate| sources(&krate).into_values());
    let wide = |line: &&str| line.trim_start().starts_with("//") && line.chars().count() > columns;
    texts.map(|text| text.lines().filter(wide).count()).sum()
}

/// Words of comments and messages for which English engineers have others: "is not a number" for "is no number",
/// "passes" for "hands on".
const WORDS: [&str; 12] = [
    "is no ",
    "is none",
    "so many ",
    "goes on",
    "and the like",
    "its kin",
    "begin anew",
    "begins anew",
    "hands on",
    "handed out",
    "is to be ",
    "are to be ",
];

fn words() -> String {
    let counted = WORDS
        .iter()
        .map(|word| format!("{} {}", word.trim_end(), mentions(word)));
    counted.collect::<Vec<String>>().join(", ")
}

/// The numbers of the rules that are above, in words.
fn further_numbers() -> String {
    let by_methods: Vec<String> = crates()
        .iter()
        .map(|krate| (krate, circles_by_methods(krate)))
        .filter(|(_, sizes)| !sizes.is_empty())
        .map(|(krate, sizes)| format!("{krate} {sizes:?}"))
        .collect();
    let long_matches: Vec<String> = ["syntax", "sema", "middle"]
        .iter()
        .map(|krate| format!("{krate} {}", long_matches(krate, 50)))
        .collect();
    let hundreds = |krate: &str| {
        let lines: usize = sources(krate)
            .values()
            .map(|text| text.lines().count())
            .sum();
        format!("{krate} {}", lines.div_ceil(100))
    };
    let readers = all_rust().into_iter();
    let readers = readers.filter(|text| text.contains("\"UPDATE_GOLDEN\""));
    format!(
        "circles of files by calls of methods: {}\nmatches of 50 patterns or more: {}\nkeys that are spans or addresses: {}\n\
         statics: {}\nfiles that write messages of their own: {}\nreaders of UPDATE_GOLDEN: {}\n\
         hundreds of source lines: {}, {}\ncomment lines over 120 columns: {}\nwords with better ones: {}\n",
        by_methods.join(", "),
        long_matches.join(", "),
        keys_by_place(),
        statics(),
        writers_of_messages(),
        readers.count(),
        hundreds("sema"),
        hundreds("core"),
        wide_comments(120),
        words(),
    )
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
    let found = found + &further_numbers();
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/house.txt");
    if let Err(why) = golden::compare(&file, &found) {
        panic!(
            "None of these numbers may grow, and what has become smaller is written down.\n{why}"
        );
    }
}
