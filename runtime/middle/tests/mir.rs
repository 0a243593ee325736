//! Golden dumps of the middle form: what lowering and the passes produce for small functions.
//!
//! `tests/mir/*.spl` are the programs; the dump of the functions that the file defines is beside them, before the
//! passes as `.mir`, after them as `.fast.mir` (without those that were inlined everywhere). To rewrite the dumps, run
//! `UPDATE_GOLDEN=1 cargo test -p simple-middle --test mir` and look at the difference.

use simple_middle::lower::{Extras, NoExterns, lower_extra, lower_with};
use simple_middle::mir::{Module, print};
use simple_middle::passes::Optimize;
use simple_sema::loader::{
    ExternLookup, ExternSignatures, FoundModule, LoadedSource, ModuleRequest, SourceLoader,
};
use simple_sema::typed::Program;
use simple_sema::{CheckOptions, check};
use simple_testing::golden;
use std::path::PathBuf;

struct Nothing;

impl SourceLoader for Nothing {
    fn find(&self, _request: ModuleRequest<'_>) -> Option<FoundModule> {
        None
    }

    fn read(&self, path: &str) -> Result<String, String> {
        Err(format!("there is no {path}"))
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
    let (program, module) = lowered(text, optimize);
    written(&program, &module)
}

fn lowered(text: String, optimize: Optimize) -> (Program, Module) {
    let root = LoadedSource {
        path: "main.spl".to_string(),
        text,
        library: false,
    };
    let checked = check(
        root,
        &Nothing,
        &Nothing,
        CheckOptions {
            no_prelude: true,
            ..CheckOptions::default()
        },
    );
    let program = checked
        .program
        .unwrap_or_else(|| panic!("{:?}", checked.diagnostics));
    let module = lower_with(&program, &NoExterns, optimize).expect("everything is supported");
    (program, module)
}

fn written(program: &Program, module: &Module) -> String {
    let written: Vec<String> = (0..program.funcs.len())
        .filter(|index| program.funcs[*index].name != "main" && !module.funcs[*index].is_empty())
        .map(|index| print::function(module, index))
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
            stale.extend(golden::compare(&golden, &found).err());
        }
    }
    assert!(stale.is_empty(), "{}", stale.join("\n\n"));
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
        for optimize in [Optimize::No, Optimize::Yes, Optimize::InParts] {
            let found = dump_source(source(ty, add), optimize);
            assert_eq!(found.matches("TableFindText").count(), 1, "{found}");
            assert_eq!(found.matches("TableEnterText").count(), 1, "{found}");
        }
    }
}

/// A `match` over many variants costs nothing where the variant is written in the call, through functions that pass it
/// on: the other arms are gone, and so are the foreign functions that only they call.
#[test]
fn a_match_on_a_variant_in_the_call_is_the_call_of_its_arm() {
    const VARIANTS: usize = 80;
    let each = |line: &dyn Fn(usize) -> String| (0..VARIANTS).map(line).collect::<String>();
    let mut text = each(&|n| format!("@effects(writes)\nextern fn rt_work{n}(x: i64) -> i64\n"));
    text += &format!("enum Op:\n{}\n", each(&|n| format!("    Op{n}\n")));
    text += "fn compute(op: Op, x: i64) -> i64:\n    match op:\n";
    text += &each(&|n| format!("        Op.Op{n}: rt_work{n}(x + {n})\n"));
    text += "\nstruct Backend:\n    fn unary(op: Op, x: i64) -> i64: compute(op, x)\n\n\
             fn backend() -> Backend: Backend()\n\n\
             fn sine(x: i64) -> i64: backend().unary(Op.Op41, x)\n\n\
             fn main():\n    var sum = 0\n    for x in 0..9:\n        sum += sine(x) + backend().unary(Op.Op7, x)\n    print sum\n";
    for (optimize, expected) in [
        (Optimize::No, (0..VARIANTS).collect()),
        (Optimize::Yes, vec![7, 41]),
    ] {
        let (_, module) = lowered(text.clone(), optimize);
        let dump = print::module(&module);
        let called = |n: &usize| dump.contains(&format!(" = extern rt_work{n}("));
        let found: Vec<usize> = (0..VARIANTS).filter(called).collect();
        assert_eq!(found, expected, "{optimize:?}\n{dump}");
        if optimize == Optimize::Yes {
            assert!(!dump.contains("switch"), "{dump}");
        }
    }
}

/// The functions of a program for which code generation takes the quick path.
fn quick(text: &str) -> Vec<String> {
    let text = format!(
        "@effects(writes)\nextern fn rt_torch_work(n: i64) -> i64\nextern fn rt_other(n: i64) -> i64\n{text}"
    );
    let module = lowered(text, Optimize::Yes).1;
    let quick = module
        .funcs
        .iter()
        .filter(|func| func.quick && !func.is_empty());
    quick.map(|func| func.name.clone()).collect()
}

#[test]
fn effort_goes_where_a_program_computes() {
    let work = "
fn waits(n: i64) -> i64:
    var sum = 0
    for i in 0..n:
        sum += rt_torch_work(i)
        if i % 3 == 0: sum += 1
    sum

fn computes(n: i64) -> i64:
    var sum = 0
    for i in 0..n:
        sum += rt_torch_work(i)
        for j in 0..i: sum = sum * 7 % 1000003 + j
    sum

fn calls(n: i64) -> i64:
    var sum = 0
    for i in 0..n: sum += rt_other(i)
    sum

fn recurses(n: i64) -> i64:
    if n < 1: rt_torch_work(n) else: recurses(n - 1) + recurses(n - 2)

";
    let uses = "fn main():\n    for i in 0..rt_other(9): print waits(i), computes(i), calls(i), recurses(i)\n";
    let found = quick(&format!("{work}{uses}"));
    assert_eq!(found, ["waits", "main", "<entry>"]);
    // Without an operator on tensors, loops of calls may be what the program is for.
    let found = quick(&format!("{work}{uses}").replace("rt_torch_work", "rt_other"));
    assert_eq!(found, ["<entry>"]);
    let straight = "fn main(): print rt_other(1), rt_other(2)\n";
    assert_eq!(quick(straight), ["main", "<entry>"]);
}

/// What only leads to an error is cold, and nothing is inlined there.
#[test]
fn messages_of_panics_are_cold() {
    let source = "
fn twice(n: i64) -> i64: rt_other(n) * 2

fn refuse(n: i64): panic(\"{twice(n)} is too much\")

fn check(n: i64) -> i64:
    if n > 9: panic(\"{n} is more than {twice(9)}\")
    if n > 5: refuse(n)
    twice(n)

fn main():
    for i in 0..rt_other(9): print check(i)
";
    let source = format!("extern fn rt_other(n: i64) -> i64\n{source}");
    let module = lowered(source, Optimize::Yes).1;
    let main = module.funcs.iter().position(|func| func.name == "main");
    // The check has become part of it.
    let check = print::function(&module, main.expect("main"));
    assert!(check.contains("BuilderText"), "{check}");
    let mut cold = false;
    for line in check.lines() {
        if line.starts_with("bb") {
            cold = line.ends_with(" cold");
        }
        let in_message = ["is more than", " panic ", " refuse(", " twice("];
        let in_message = in_message.iter().any(|part| line.contains(part));
        assert!(cold || !in_message, "{line} in\n{check}");
        assert!(!cold || !line.contains("extern"), "{line} in\n{check}");
    }
}

/// The listing of `doc/internals/mir.md` is what the compiler produces for the program above it. `UPDATE_GOLDEN=1`
/// rewrites it.
#[test]
fn the_documented_example_is_true() {
    let page = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../doc/internals/mir.md");
    let text = std::fs::read_to_string(&page).expect("the page");
    let block = |tag: &str| {
        let start = text.find(tag).expect("a block") + tag.len();
        let end = start + text[start..].find("```").expect("its end");
        start..end
    };
    let listing = block("```mir\n");
    let found = dump_source(text[block("```simple\n")].to_owned(), Optimize::Yes);
    let new = format!("{}{found}{}", &text[..listing.start], &text[listing.end..]);
    golden::check(&page, &new);
}

#[test]
fn only_a_profiled_program_tells_of_its_layers() {
    let text = "class Net:\n    size: i64\n    inner: Net?\n    fn forward(x: i64) -> i64: x + size\n\n\
                fn main():\n    val net = Net(size: 1, inner: nil)\n    net.forward(2)\n";
    let (program, plain) = lowered(text.to_owned(), Optimize::No);
    assert!(!plain.profiled && !print::module(&plain).contains("runtime Layer"));
    let profiled = lower_extra(
        &program,
        &NoExterns,
        Extras {
            profiled: true,
            ..Extras::default()
        },
    )
    .expect("everything is supported");
    let dump = print::module(&profiled);
    for call in ["LayerName", "LayerEnter", "LayerLeave"] {
        assert!(
            profiled.profiled && dump.contains(call),
            "{call} is missing:\n{dump}"
        );
    }
    // The class with the offsets of the fields that may be layers.
    assert!(
        profiled.texts.iter().any(|text| text == "Net\n24 inner"),
        "{:?}",
        profiled.texts
    );
    assert!(profiled.texts.iter().any(|text| text == "net"));
}
