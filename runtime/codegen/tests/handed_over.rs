//! What a function changes in the value of a variable that its caller assigns again is changed in place: programs build
//! something piece by piece in the forms that people write, and the bytes that are copied on the way are counted.
//!
//! Counts do not depend on the machine. The library is not there; a fold is written here as the library has it.

#[path = "support/nothing.rs"]
mod nothing;

use nothing::Nothing;
use simple_image::{Executable, Outcome};
use simple_middle::lower::{NoExterns, lower_with};
use simple_middle::passes::Optimize;
use simple_sema::loader::LoadedSource;
use simple_sema::{CheckOptions, check};

/// Pieces of each program.
const PIECES: usize = 1000;

/// The most bytes that a program may copy: a few small things, never the whole of what it builds.
const MOST: u64 = 2000;

/// The bytes that a program copies.
fn copied(name: &str, text: &str, optimize: Optimize) -> u64 {
    let root = LoadedSource {
        path: "main.spl".to_string(),
        text: text.to_string(),
        library: false,
    };
    let options = CheckOptions {
        no_prelude: true,
        ..CheckOptions::default()
    };
    let checked = check(root, &Nothing, &Nothing, options);
    let messages: Vec<&String> = checked.diagnostics.iter().map(|it| &it.message).collect();
    let program = checked.program.as_ref();
    let program = program.unwrap_or_else(|| panic!("{name} is not a program: {messages:?}"));
    let module = lower_with(program, &NoExterns, optimize).expect("a module");
    let image = simple_codegen::compile(module, &Default::default()).expect("code");
    let executable = Executable::new(image, checked.sources, Box::new(Nothing)).expect("memory");
    let before = simple_core::copies::bytes();
    let outcome = executable.run();
    assert!(matches!(outcome, Outcome::Exit(0)), "{name} fails");
    simple_core::copies::bytes() - before
}

/// A program that builds something by `step`, with `start` in `var all`; `len` is what it then must be.
fn program(declared: &str, start: &str, step: &str, len: &str) -> String {
    format!(
        "{declared}fn main():\n    var all{start}\n    for i in 0..{PIECES}: {step}\n    assert {len} == {PIECES}\n"
    )
}

const KINDS: &[(&str, &str, &str, &str, &str)] = &[
    (
        "array pushed onto",
        "fn add(var xs: [i64], x: i64) -> [i64]:\n    xs.push(x)\n    xs\n",
        ": [i64] = []",
        "all = add(all, i)",
        "all.len()",
    ),
    (
        "changed copy",
        "fn add(xs: [i64], x: i64) -> [i64]: xs.push(x)\n",
        ": [i64] = []",
        "all = add(all, i)",
        "all.len()",
    ),
    (
        "arrays joined",
        "fn add(xs: [i64], x: i64) -> [i64]:\n    if x < 0: return xs\n    xs + [x]\n",
        ": [i64] = []",
        "all = add(all, i)",
        "all.len()",
    ),
    (
        "texts joined",
        "fn add(s: text, t: text) -> text: s + t\n",
        " = \"\"",
        "all = add(all, \"x\")",
        "all.len()",
    ),
    (
        "array of texts",
        "fn add(var words: [text], word: text) -> [text]:\n    words.push(word)\n    words\n",
        ": [text] = []",
        "all = add(all, \"w\" + \"{i}\")",
        "all.len()",
    ),
    (
        "dict",
        "fn add(var d: {i64: i64}, k: i64) -> {i64: i64}:\n    d[k] = 2 * k\n    d\n",
        ": {i64: i64} = {}",
        "all = add(all, i)",
        "all.len()",
    ),
    (
        "state in a tuple",
        "fn step(state: ([i64], i64), x: i64) -> ([i64], i64):\n    val (xs, n) = state\n    (xs.push(x), n + x)\n",
        ": ([i64], i64) = ([], 0)",
        "all = step(all, i)",
        "all.0.len()",
    ),
    (
        "state in a struct",
        "struct State:\n    xs: [i64]\n    n: i64\nfn step(var s: State, x: i64) -> State:\n    s.xs.push(x)\n    s.n += 1\n    s\n",
        " = State([], 0)",
        "all = step(all, i)",
        "all.xs.len()",
    ),
    (
        "through another function",
        "fn inner(var xs: [i64], x: i64) -> [i64]:\n    xs.push(x)\n    xs\nfn add(var xs: [i64], x: i64) -> [i64]:\n    xs = inner(xs, x)\n    xs\n",
        ": [i64] = []",
        "all = add(all, i)",
        "all.len()",
    ),
    (
        "several variables",
        "fn step(xs: [i64], n: i64) -> ([i64], i64): (xs.push(n), n + 1)\n",
        ": [i64] = []\n    var n = 0",
        "(all, n) = step(all, n)",
        "all.len()",
    ),
    (
        "field of an object",
        "class Box:\n    s: text\n",
        " = Box(\"\")",
        "all.s = all.s + \"x\"",
        "all.s.len()",
    ),
    (
        "fold",
        "fn fold<T, U>(xs: [T], start: U, f: fn(U, T) -> U) -> U:\n    var total = start\n    for x in xs: total = f(total, x)\n    total\nval start: [i64] = []\n",
        ": [i64] = []",
        "all.push(fold([1, 2, 3], start, \\acc, x: acc.push(x)).len())",
        "all.len()",
    ),
];

#[test]
fn what_is_assigned_again_is_changed_in_place() {
    let mut wrong = Vec::new();
    for (name, declared, start, step, len) in KINDS {
        let text = program(declared, start, step, len);
        let bytes = copied(name, &text, Optimize::Yes);
        if bytes > MOST {
            wrong.push(format!("{name}: {bytes} bytes were copied"));
        }
    }
    let fold = "fn fold<T, U>(xs: [T], start: U, f: fn(U, T) -> U) -> U:\n    var total = start\n    for x in xs: total = f(total, x)\n    total\n";
    let main = "fn main():\n    val start: [i64] = []\n    val many = [i for i in 0..1000]\n    assert fold(many, start, \\acc, x: acc.push(x)).len() == 1000\n    assert fold(many, start, \\acc, x: acc + [x, x]).len() == 2000\n    assert fold(many, \"\", \\acc, x: acc + \"x\").len() == 1000\n";
    let bytes = copied("folds", &format!("{fold}{main}"), Optimize::Yes);
    if bytes > MOST {
        wrong.push(format!("folds: {bytes} bytes were copied"));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_somebody_else_holds_is_copied() {
    let add = KINDS[0];
    let kept = program(
        add.1,
        add.2,
        "val kept = all; all = add(all, i); assert kept.len() == i",
        add.4,
    );
    let bytes = copied("kept", &kept, Optimize::Yes);
    assert!(bytes > 1_000_000, "{bytes} bytes");
    // Without the passes the same program is right, and copies.
    let plain = program(add.1, add.2, add.3, add.4);
    let bytes = copied("plain", &plain, Optimize::No);
    assert!(bytes > 1_000_000, "{bytes} bytes");
}
