//! The compiler takes as much for each of many things as for each of a few: programs with thousands of one thing are compiled, and what
//! that allocates is counted.
//!
//! Counts do not depend on the machine. An entry may take twice as much memory, and twice as many allocations, where there are five
//! times as many; what a program without entries takes is left out. `benches/large` measures time.

#![allow(unsafe_code, reason = "an allocator that counts")]

#[path = "support/nothing.rs"]
mod nothing;

use nothing::Nothing;
use simple_image::Executable;
use simple_middle::lower::{NoExterns, lower_with};
use simple_middle::mir::{Block, Function, Module, Term};
use simple_middle::passes::Optimize;
use simple_sema::loader::LoadedSource;
use simple_sema::{CheckOptions, check};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

const FEW: usize = 2000;
const MANY: usize = 10_000;

/// The most instructions and blocks of a function, however long the program's are.
const LONGEST: usize = 12_000;

static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);
static NOW: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

// SAFETY: everything is left to the system's allocator; only numbers are kept beside it.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Relaxed);
        let now = NOW.fetch_add(layout.size(), Relaxed) + layout.size();
        PEAK.fetch_max(now, Relaxed);
        // SAFETY: the caller's contract.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        NOW.fetch_sub(layout.size(), Relaxed);
        // SAFETY: the caller's contract.
        unsafe { System.dealloc(at, layout) }
    }
}

/// What compiling took.
#[derive(Clone, Copy, Debug)]
struct Cost {
    allocations: usize,
    peak: usize,
    longest: usize,
}

impl Cost {
    fn beyond(self, fixed: Cost) -> [usize; 2] {
        [
            self.allocations.saturating_sub(fixed.allocations),
            self.peak.saturating_sub(fixed.peak),
        ]
    }
}

/// The most instructions and blocks of one function, apart from those that only say where it goes on.
fn longest(module: &Module) -> usize {
    let length = |func: &Function| -> usize {
        let leaves = |block: &&Block| !matches!(block.term, Term::Return(_));
        let blocks = func.blocks.iter().filter(leaves);
        blocks.map(|block| block.insts.len() + 1).sum()
    };
    module.funcs.iter().map(length).max().unwrap_or(0)
}

fn compile(text: String) -> Cost {
    let (allocations, start) = (ALLOCATIONS.load(Relaxed), NOW.load(Relaxed));
    PEAK.store(start, Relaxed);
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
    let messages = checked.diagnostics.iter().map(|found| &found.message);
    let messages: Vec<&String> = messages.take(3).collect();
    let program = checked.program.as_ref();
    let program = program.unwrap_or_else(|| panic!("not a program: {messages:?}"));
    let module = lower_with(program, &NoExterns, Optimize::Yes).expect("a module");
    let longest = longest(&module);
    let image = simple_codegen::compile(module, &Default::default()).expect("code");
    Executable::new(image, checked.sources, Box::new(Nothing)).expect("memory");
    Cost {
        allocations: ALLOCATIONS.load(Relaxed) - allocations,
        peak: PEAK.load(Relaxed) - start,
        longest,
    }
}

/// So many of what `entry` says, joined.
fn many(count: usize, between: &str, entry: impl Fn(usize) -> String) -> String {
    let entries: Vec<String> = (0..count).map(entry).collect();
    entries.join(between)
}

type Make = fn(usize) -> String;

const KINDS: &[(&str, Make)] = &[
    ("array of constants", |n| {
        format!(
            "val xs = [{}]\n",
            many(n, ", ", |i| format!("({i}, \"t{i}\")"))
        )
    }),
    ("dict of constants", |n| {
        format!(
            "val d = {{{}}}\n",
            many(n, ", ", |i| format!("\"k{i}\": {i}"))
        )
    }),
    ("set of constants", |n| {
        format!(
            "val s: Set<i64> = {{{}}}\n",
            many(n, ", ", |i| format!("{i}"))
        )
    }),
    ("array of arrays", |n| {
        format!("val xs = [{}]\n", many(n, ", ", |i| format!("[{i}, 1]")))
    }),
    ("array of objects", |n| {
        let items = many(n, ", ", |i| format!("P({i}, \"s\")"));
        format!("class P:\n    x: i64\n    y: text\nval xs = [{items}]\n")
    }),
    ("array of calls", |n| {
        let items = many(n, ", ", |i| format!("f({i})"));
        format!("fn f(x: i64) -> text: \"a{{x}}\"\nval xs = [{items}]\n")
    }),
    ("dict of calls", |n| {
        let pairs = many(n, ", ", |i| format!("f({i}): [f({i})]"));
        format!("fn f(x: i64) -> text: \"a{{x}}\"\nval d = {{{pairs}}}\n")
    }),
    ("prints", |n| {
        many(n, "\n", |i| format!("print \"line {i}\", {i}"))
    }),
    ("assignments", |n| {
        format!("var x = 0\n{}\n", many(n, "\n", |i| format!("x += {i}")))
    }),
    ("variables of a function", |n| {
        let lines = many(n, "\n", |i| format!("    val v{i} = s + \"{i}\""));
        let uses = many(n, "\n", |i| format!("    total += v{i}.len()"));
        format!(
            "fn f(s: text) -> i64:\n    var total = 0\n{lines}\n{uses}\n    total\nprint f(\"a\")\n"
        )
    }),
    ("branches", |n| {
        let lines = many(n, "\n", |i| format!("    if x == {i}: names.push(\"n\")"));
        format!(
            "fn f(x: i64) -> i64:\n    var names: [text] = []\n{lines}\n    names.len()\nprint f(3)\n"
        )
    }),
    ("loops", |n| {
        let lines = many(n, "\n", |_| "    for i in 0..x: t += i".to_owned());
        format!("fn f(x: i64) -> i64:\n    var t = 0\n{lines}\n    t\nprint f(3)\n")
    }),
    ("elif", |n| {
        let lines = many(n, "\n", |i| format!("    elif x == {i}: {i}"));
        format!("fn f(x: i64) -> i64:\n    if x < 0: 1\n{lines}\n    else: 2\nprint f(3)\n")
    }),
    ("arms of integers", |n| {
        arms(
            "i64",
            "3",
            many(n, "\n", |i| format!("        case {i}: {i}")),
        )
    }),
    ("arms of ranges", |n| {
        arms(
            "i64",
            "3",
            many(n, "\n", |i| {
                format!("        case {}..{}: {i}", i * 10, i * 10 + 5)
            }),
        )
    }),
    ("arms of texts", |n| {
        arms(
            "text",
            "\"3\"",
            many(n, "\n", |i| format!("        case \"{i}\": {i}")),
        )
    }),
    ("arms of tuples", |n| {
        arms(
            "(i64, text)",
            "(3, \"a\")",
            many(n, "\n", |i| format!("        case ({i}, \"a\"): {i}")),
        )
    }),
    ("arms of variants", |n| {
        let variants = many(n, "\n", |i| format!("    V{i}"));
        let arms = arms(
            "E",
            "E.V0",
            many(n, "\n", |i| format!("        case E.V{i}: {i}")),
        );
        format!("enum E:\n    Last\n{variants}\n{arms}")
    }),
    ("alternatives", |n| {
        let numbers = many(n, " | ", |i| format!("{}", i * 2));
        arms("i64", "3", format!("        case {numbers}: 1"))
    }),
    ("functions", |n| {
        format!(
            "{}\nprint f0(1)\n",
            many(n, "\n", |i| format!("fn f{i}(x: i64) -> i64: x + {i}"))
        )
    }),
    ("fields", |n| {
        let fields = many(n, "\n", |i| format!("    a{i}: i64 = {i}"));
        format!("struct C:\n    a: i64 = 0\n{fields}\nprint C().a\n")
    }),
    ("holes", |n| {
        format!(
            "val a = 1\nval s = \"{}\"\n",
            many(n, "", |i| format!("{{a}},{i}"))
        )
    }),
];

fn arms(ty: &str, value: &str, arms: String) -> String {
    format!("fn f(x: {ty}) -> i64:\n    match x:\n{arms}\n        case _: -1\nprint f({value})\n")
}

/// Branches of `elif` are nested in the tree: the command has a stack for them, a thread of a test has not.
const STACK: usize = 1 << 30;

#[test]
fn each_entry_takes_as_much_of_many_as_of_a_few() {
    let builder = std::thread::Builder::new().stack_size(STACK);
    let thread = builder.spawn(compare_all).expect("a thread");
    let wrong = thread.join().expect("no panic");
    assert!(wrong.is_empty(), "more than linear:\n{}", wrong.join("\n"));
}

fn compare_all() -> Vec<String> {
    let only = std::env::var("ONLY").unwrap_or_default();
    let mut wrong = Vec::new();
    for (name, make) in KINDS.iter().filter(|(name, _)| name.contains(&only)) {
        compile(make(1));
        let fixed = compile(make(1));
        let few = compile(make(FEW)).beyond(fixed);
        let cost = compile(make(MANY));
        if cost.longest > LONGEST {
            wrong.push(format!("{name}: a function of {}", cost.longest));
        }
        let most = cost.beyond(fixed);
        for (what, (few, most)) in ["allocations", "bytes at once"]
            .into_iter()
            .zip(few.into_iter().zip(most))
        {
            if most * FEW > 2 * few * MANY {
                wrong.push(format!(
                    "{name}: {what}: {few} for {FEW}, {most} for {MANY}"
                ));
            }
        }
    }
    wrong
}
