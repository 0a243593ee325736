//! Golden dumps of the middle form: what lowering and the passes make of small functions.
//!
//! `tests/mir/*.spl` are the programs; the dump of the functions that the file defines lies beside them, before the passes as `.mir`,
//! after them as `.fast.mir` (without those that were inlined everywhere). To write the dumps anew, run `UPDATE_EXPECT=1 cargo test -p simple-codegen --test mir` and look at the difference.

use simple_codegen::lower::{NoExterns, lower_with};
use simple_codegen::mir::print;
use simple_codegen::passes::Optimize;
use simple_sema::loader::{
    ExternLookup, ExternSignatures, LoadedSource, ModuleRequest, SourceLoader,
};
use simple_sema::{CheckOptions, check};
use std::path::PathBuf;

struct Nothing;

impl SourceLoader for Nothing {
    fn load(&self, _request: ModuleRequest<'_>) -> Result<Option<LoadedSource>, String> {
        Ok(None)
    }

    fn searched(&self, _request: ModuleRequest<'_>) -> Vec<String> {
        Vec::new()
    }

    fn candidates(&self, _request: ModuleRequest<'_>) -> Vec<String> {
        Vec::new()
    }
}

impl ExternSignatures for Nothing {
    fn lookup(&self, _symbol: &str, _library: Option<&str>) -> ExternLookup {
        ExternLookup::Unknown
    }
}

fn dump(path: &PathBuf, optimize: Optimize) -> String {
    dump_source(
        std::fs::read_to_string(path).expect("the program"),
        optimize,
    )
}

fn dump_source(text: String, optimize: Optimize) -> String {
    let root = LoadedSource {
        path: "main.spl".to_string(),
        text,
        library: false,
    };
    let checked = check(root, &Nothing, &Nothing, CheckOptions { no_prelude: true });
    let program = checked
        .program
        .unwrap_or_else(|| panic!("{:?}", checked.diagnostics));
    let module = lower_with(&program, &NoExterns, optimize).expect("everything is supported");
    let written: Vec<String> = (0..program.funcs.len())
        .filter(|index| program.funcs[*index].name != "main" && !module.funcs[*index].is_empty())
        .map(|index| print::function(&module, index))
        .collect();
    written.join("\n")
}

#[test]
fn dumps_are_what_they_were() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/mir");
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the folder")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    paths.retain(|path| path.extension().is_some_and(|end| end == "spl"));
    paths.sort();
    assert!(!paths.is_empty(), "no programs");
    let mut stale = Vec::new();
    for path in paths {
        for (optimize, end) in [(Optimize::No, "mir"), (Optimize::Yes, "fast.mir")] {
            let found = dump(&path, optimize);
            let golden = path.with_extension(end);
            if std::env::var("UPDATE_EXPECT").is_ok() {
                std::fs::write(&golden, &found).expect("the dump");
            } else if std::fs::read_to_string(&golden).unwrap_or_default() != found {
                stale.push(format!("=== {}\n{found}", golden.display()));
            }
        }
    }
    assert!(
        stale.is_empty(),
        "these dumps changed:\n{}",
        stale.join("\n")
    );
}

/// Counting in a dict asks for its entry once, wherever the dict is and whatever its values are.
#[test]
fn a_dict_that_is_updated_is_searched_once() {
    let source = |ty: &str, add: &str| {
        format!(
            "class Tally:\n    counts: {{text: {ty}}}\n\n    me note(word: text):\n        self.counts[word] = (self.counts[word] ?? {add}) + {add}\n\n\
             fn main():\n    val tally = Tally(counts: {{}})\n    tally.note(\"a\")\n"
        )
    };
    for (ty, add) in [("i64", "1"), ("text", "\"x\""), ("[i64]", "[1]")] {
        for optimize in [Optimize::No, Optimize::Yes] {
            let found = dump_source(source(ty, add), optimize);
            assert_eq!(found.matches("TableFindText").count(), 1, "{found}");
            assert_eq!(found.matches("TableEnterText").count(), 1, "{found}");
        }
    }
}

/// The listing of `doc/mir.md` is what the compiler makes of the program above it. `UPDATE_EXPECT=1` rewrites it.
#[test]
fn the_documented_example_is_true() {
    let page = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../doc/mir.md");
    let text = std::fs::read_to_string(&page).expect("the page");
    let block = |tag: &str| {
        let start = text.find(tag).expect("a block") + tag.len();
        let end = start + text[start..].find("```").expect("its end");
        start..end
    };
    let listing = block("```mir\n");
    let found = dump_source(text[block("```simple\n")].to_owned(), Optimize::Yes);
    if std::env::var("UPDATE_EXPECT").is_ok() {
        let new = format!("{}{found}{}", &text[..listing.start], &text[listing.end..]);
        std::fs::write(&page, new).expect("the page");
    } else {
        assert_eq!(&text[listing], found, "the listing of doc/mir.md is stale");
    }
}
