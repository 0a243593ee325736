//! The pages of the reference: links lead somewhere, every name that a module shows has an entry, nothing is left open,
//! and the search finds what is looked for.

use simple_document::document;
use simple_document::html::{Page, Source, site};
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::process::Command;

fn source(module: &str, text: &str) -> Source {
    Source {
        module: module.to_owned(),
        path: format!("{}.spl", module.replace('.', "/")),
        package: false,
        text: text.to_owned(),
    }
}

/// The modules of the library, as `simple doc --html` takes them.
fn library() -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut left: Vec<PathBuf> = vec![root.join("lib")];
    let mut found = Vec::new();
    while let Some(folder) = left.pop() {
        for entry in std::fs::read_dir(&folder)
            .expect("a folder of the library")
            .flatten()
        {
            let path = entry.path();
            let name = path.to_string_lossy().into_owned();
            if path.is_dir() {
                if !name.ends_with("/fixtures") && !name.ends_with("lib/compat") {
                    left.push(path);
                }
            } else if name.ends_with(".spl") && !name.ends_with("_spec.spl") {
                let inside = path.strip_prefix(&root).expect("below the root");
                let mut parts: Vec<String> = inside
                    .with_extension("")
                    .iter()
                    .map(|part| part.to_string_lossy().into_owned())
                    .collect();
                let package = parts
                    .pop_if(|last| last == "mod" || last == "__init__")
                    .is_some();
                if parts.get(1).is_some_and(|part| part == "std") {
                    parts.remove(0);
                }
                found.push(Source {
                    module: parts.join("."),
                    path: inside.display().to_string(),
                    package,
                    text: std::fs::read_to_string(&path).expect("a module is text"),
                });
            }
        }
    }
    found.sort_by(|a, b| a.module.cmp(&b.module));
    found
}

/// The values of an attribute.
fn values<'a>(text: &'a str, attribute: &str) -> Vec<&'a str> {
    let start = format!(" {attribute}=\"");
    let parts = text.split(start.as_str()).skip(1);
    parts.filter_map(|part| part.split('"').next()).collect()
}

/// Links that lead nowhere, and places that are there twice.
fn mistakes(pages: &[Page]) -> Vec<String> {
    let ids: HashMap<&str, Vec<&str>> = pages
        .iter()
        .map(|page| (page.name.as_str(), values(&page.text, "id")))
        .collect();
    let sets: HashMap<&str, HashSet<&str>> = ids
        .iter()
        .map(|(name, ids)| (*name, ids.iter().copied().collect()))
        .collect();
    let mut wrong = Vec::new();
    for page in pages.iter().filter(|page| page.name.ends_with(".html")) {
        let known = &ids[page.name.as_str()];
        if known.len() != sets[page.name.as_str()].len() {
            wrong.push(format!("{}: an address is there twice", page.name));
        }
        for link in values(&page.text, "href")
            .into_iter()
            .chain(values(&page.text, "src"))
        {
            if link.starts_with("https://") || link.starts_with("http://") {
                continue;
            }
            let (file, place) = link.split_once('#').unwrap_or((link, ""));
            let file = if file.is_empty() {
                page.name.as_str()
            } else {
                file
            };
            match sets.get(file) {
                None => wrong.push(format!("{}: {link} leads nowhere", page.name)),
                Some(ids) if !place.is_empty() && !ids.contains(place) => {
                    wrong.push(format!("{}: {link} has no such place", page.name));
                }
                Some(_) => {}
            }
        }
    }
    wrong
}

/// Elements that are opened and not closed, or the other way.
fn unbalanced(page: &Page) -> Option<String> {
    const EMPTY: [&str; 5] = ["meta", "link", "input", "wbr", "!doctype"];
    let mut open: Vec<&str> = Vec::new();
    for part in page.text.split('<').skip(1) {
        let name = part
            .split(|c: char| c.is_whitespace() || c == '>')
            .next()
            .unwrap_or_default();
        if let Some(closed) = name.strip_prefix('/') {
            if open.pop() != Some(closed) {
                return Some(format!("{}: </{closed}> closes nothing", page.name));
            }
        } else if !EMPTY.contains(&name) {
            open.push(name);
        }
    }
    open.pop()
        .map(|name| format!("{}: <{name}> stays open", page.name))
}

#[test]
fn every_exported_name_of_the_library_has_an_entry_and_links_lead_somewhere() {
    let sources = library();
    let pages = site("Simple", &sources);
    let texts: HashMap<&str, &str> = pages
        .iter()
        .map(|page| (page.name.as_str(), page.text.as_str()))
        .collect();
    let (mut seen, mut missing) = (0, Vec::new());
    for source in &sources {
        let page = texts[format!("{}.html", source.module).as_str()];
        let ids: HashSet<&str> = values(page, "id").into_iter().collect();
        let content = document(&source.text);
        let exports = &content.exports;
        for entry in content.entries.iter().chain(&content.values) {
            // Methods of a type that another module declares are shown in any case.
            let owner = entry.owner.as_ref();
            let given = owner.is_some_and(|owner| {
                !content
                    .entries
                    .iter()
                    .any(|it| it.owner.is_none() && it.name == *owner)
            });
            let shown = given || exports.shows(owner.unwrap_or(&entry.name));
            if shown && !entry.name.starts_with('_') {
                seen += 1;
                if !ids.contains(entry.full_name().as_str()) {
                    missing.push(format!("{}: {}", source.module, entry.full_name()));
                }
            }
        }
        // What a module lists is declared there, or passed on.
        for name in &exports.listed {
            let linked = ids.contains(name.as_str())
                || page.contains(&format!("<code>{name}</code></a></td>"));
            if !linked {
                missing.push(format!("{} exports {name}", source.module));
            }
        }
    }
    assert!(
        missing.is_empty(),
        "{} without an entry:\n{}",
        missing.len(),
        missing.join("\n")
    );
    assert!(seen > 3000, "{seen} declarations");
    let wrong = mistakes(&pages);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let open: Vec<String> = pages
        .iter()
        .filter(|page| page.name.ends_with(".html"))
        .filter_map(unbalanced)
        .collect();
    assert!(open.is_empty(), "{}", open.join("\n"));
    let tensor = texts["lib.tensor.html"];
    assert!(
        tensor.contains("href=\"lib.tensor.select.html#Tensor.topk\""),
        "a link to a method"
    );
    let conv = texts["lib.nn.conv.html"];
    assert!(
        conv.contains("use lib.nn.{Conv2d}"),
        "the short path of Conv2d"
    );
    assert!(
        conv.contains("href=\"lib.nn.layer.html#Layer\""),
        "a link to the trait"
    );
}

#[test]
fn a_module_with_everything() {
    let text = "\"\"\"Boxes & <bags>.\"\"\"\nexport Box, limit, fill\nuse .other.{Thing}\n## How many `Box`es fit.\nval limit: i64 = 3\n## A box of `Thing`.\n@shape(\"[n] -> [n]\")\nclass Box:\n    ## What it holds.\n    value: Thing\n    size: i64 = 2\n    ## Its `limit`.\n    fn get(a: i64, b: text = \"x\") -> Thing: value\n## Fills.\nfn fill(box: Box): pass\nfn secret(): pass\n";
    let pages = site(
        "Mine",
        &[
            source("box", text),
            source("other", "class Thing:\n    n: i64\n"),
        ],
    );
    assert_eq!(mistakes(&pages), Vec::<String>::new());
    let page = &pages
        .iter()
        .find(|page| page.name == "box.html")
        .expect("its page")
        .text;
    for part in [
        "<title>box - Mine</title>",
        "<p>Boxes &amp; &lt;bags&gt;.</p>",
        "id=\"Box.get\"",
        "href=\"box.source.html#L8\"",
        "Shape: <code>&quot;[n] -&gt; [n]&quot;</code>",
        "<td><code>value</code></td><td><code><a href=\"other.html#Thing\">Thing</a></code></td>",
        "<td><code>b</code></td><td><code>text</code></td><td><code>&quot;x&quot;</code></td>",
        "How many <code>Box</code>es fit",
        "use box.{fill}",
    ] {
        let part = part.replace(
            "<code>Box</code>es",
            "<a href=\"box.html#Box\"><code>Box</code></a>es",
        );
        assert!(page.contains(&part), "{part}\n{page}");
    }
    assert!(!page.contains("secret"));
}

#[test]
fn names_that_a_package_passes_on_are_listed() {
    let package = Source {
        package: true,
        ..source(
            "lib.nn",
            "export use .layer.*\nexport use .conv.{Conv as Convolution}\n",
        )
    };
    let pages = site(
        "T",
        &[
            package,
            source(
                "lib.nn.layer",
                "export Layer\n## What runs.\ntrait Layer:\n    fn run()\n",
            ),
            source("lib.nn.conv", "class Conv:\n    n: i64\n"),
        ],
    );
    assert_eq!(mistakes(&pages), Vec::<String>::new());
    let page = &pages
        .iter()
        .find(|page| page.name == "lib.nn.html")
        .expect("its page")
        .text;
    assert!(page.contains("href=\"lib.nn.layer.html#Layer\""), "{page}");
    assert!(
        page.contains("href=\"lib.nn.conv.html#Conv\"><code>Convolution</code>"),
        "{page}"
    );
    let layer = &pages
        .iter()
        .find(|page| page.name == "lib.nn.layer.html")
        .expect("its page")
        .text;
    assert!(layer.contains("use lib.nn.{Layer}"), "{layer}");
}

/// Words, and what a person means by them.
const WORDS: [(&str, &str); 21] = [
    ("Conv2d", "Conv2d"),
    ("conv2d", "conv2d"),
    ("topk", "topk"),
    ("Tensor.topk", "Tensor.topk"),
    ("Adam", "Adam"),
    ("adamw", "AdamW"),
    ("cross entropy", "cross_entropy"),
    ("crossentropy", "cross_entropy"),
    ("DataLoader", "DataLoader"),
    ("dataloader", "DataLoader"),
    ("Linear", "Linear"),
    ("softmax", "softmax"),
    ("MultiheadAttention", "MultiheadAttention"),
    ("BatchNorm", "BatchNorm1d"),
    ("LSTM", "LSTM"),
    ("OneCycleLR", "OneCycleLR"),
    ("Dropout", "Dropout"),
    ("std.math", "std.math"),
    ("file_read", "file_read"),
    ("Sequential", "Sequential"),
    ("Embedding", "Embedding"),
];

#[test]
fn the_search_finds_what_is_looked_for() {
    if Command::new("node").arg("--version").output().is_err() {
        eprintln!("without node the script of the search is not run");
        return;
    }
    let folder = std::env::temp_dir().join(format!("simple-reference-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    for page in site("Simple", &library()) {
        if page.name.ends_with(".js") {
            std::fs::write(folder.join(&page.name), page.text).expect("a page");
        }
    }
    let words: Vec<String> = WORDS.iter().map(|(word, _)| format!("{word:?}")).collect();
    let script = format!(
        "const fs = require('fs'); const {{ rank }} = require('./search.js');\
         const REFERENCE = new Function(fs.readFileSync('./search-index.js', 'utf8') + '; return REFERENCE;')();\
         for (const word of [{}]) console.log(rank(word, REFERENCE, 3).map((entry) => entry[0]).join(' '));",
        words.join(", ")
    );
    let output = Command::new("node")
        .args(["-e", &script])
        .current_dir(&folder)
        .output()
        .expect("node runs");
    let _ = std::fs::remove_dir_all(&folder);
    let found = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let wrong: Vec<String> = WORDS
        .iter()
        .zip(found.lines())
        .filter(|((_, wanted), line)| line.split(' ').next() != Some(wanted))
        .map(|((word, wanted), line)| format!("{word}: {wanted} expected, found {line}"))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(found.lines().count(), WORDS.len());
}
