//! The compiler takes as much for each of many things as for each of a few: programs with thousands of one thing are compiled, and what
//! that allocates is counted.
//!
//! Counts do not depend on the machine. An entry may take twice as much memory, and twice as many allocations, where there are eight
//! times as many; what a program without entries takes is left out. `benches/large` measures time.

use simple_bridge::dl_config::Overrides;
use simple_cli::session::Session;
use simple_sema::loader::LoadedSource;
use std::alloc::{GlobalAlloc, Layout, System};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

const FEW: usize = 1000;
const MANY: usize = 8000;

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
}

impl Cost {
    fn beyond(self, fixed: Cost) -> [usize; 2] {
        [
            self.allocations.saturating_sub(fixed.allocations),
            self.peak.saturating_sub(fixed.peak),
        ]
    }
}

fn compile(session: &Session, text: String) -> Cost {
    let (allocations, start) = (ALLOCATIONS.load(Relaxed), NOW.load(Relaxed));
    PEAK.store(start, Relaxed);
    let checked = session.check(LoadedSource {
        path: "main.spl".to_string(),
        text,
        library: false,
    });
    let messages = checked.diagnostics.iter().map(|found| &found.message);
    let messages: Vec<&String> = messages.take(3).collect();
    let program = checked.program.as_ref();
    let program = program.unwrap_or_else(|| panic!("not a program: {messages:?}"));
    assert!(session.compile(program).is_ok(), "the program compiles");
    Cost {
        allocations: ALLOCATIONS.load(Relaxed) - allocations,
        peak: PEAK.load(Relaxed) - start,
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
        format!("val xs = [{}]\n", many(n, ", ", |i| format!("({i}, \"t{i}\")")))
    }),
    ("dict of constants", |n| {
        format!("val d = {{{}}}\n", many(n, ", ", |i| format!("\"k{i}\": {i}")))
    }),
    ("set of constants", |n| {
        format!("val s: Set<i64> = {{{}}}\n", many(n, ", ", |i| format!("{i}")))
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
    ("prints", |n| many(n, "\n", |i| format!("print \"line {i}\", {i}"))),
    ("assignments", |n| {
        format!("var x = 0\n{}\n", many(n, "\n", |i| format!("x += {i}")))
    }),
    ("variables of a function", |n| {
        let lines = many(n, "\n", |i| format!("    val v{i} = s + \"{i}\""));
        let uses = many(n, "\n", |i| format!("    total += v{i}.len()"));
        format!("fn f(s: text) -> i64:\n    var total = 0\n{lines}\n{uses}\n    total\nprint f(\"a\")\n")
    }),
    ("branches", |n| {
        let lines = many(n, "\n", |i| format!("    if x == {i}: names.push(\"n\")"));
        format!("fn f(x: i64) -> i64:\n    var names: [text] = []\n{lines}\n    names.len()\nprint f(3)\n")
    }),
    ("loops", |n| {
        let lines = many(n, "\n", |_| "    for i in 0..x: t += i".to_owned());
        format!("fn f(x: i64) -> i64:\n    var t = 0\n{lines}\n    t\nprint f(3)\n")
    }),
    ("elif", |n| {
        let lines = many(n, "\n", |i| format!("    elif x == {i}: {i}"));
        format!("fn f(x: i64) -> i64:\n    if x < 0: 1\n{lines}\n    else: 2\nprint f(3)\n")
    }),
    ("arms of integers", |n| arms("i64", "3", many(n, "\n", |i| format!("        case {i}: {i}")))),
    ("arms of ranges", |n| {
        arms("i64", "3", many(n, "\n", |i| format!("        case {}..{}: {i}", i * 10, i * 10 + 5)))
    }),
    ("arms of texts", |n| arms("text", "\"3\"", many(n, "\n", |i| format!("        case \"{i}\": {i}")))),
    ("arms of tuples", |n| {
        arms("(i64, text)", "(3, \"a\")", many(n, "\n", |i| format!("        case ({i}, \"a\"): {i}")))
    }),
    ("arms of variants", |n| {
        let variants = many(n, "\n", |i| format!("    V{i}"));
        let arms = arms("E", "E.V0", many(n, "\n", |i| format!("        case E.V{i}: {i}")));
        format!("enum E:\n    Last\n{variants}\n{arms}")
    }),
    ("alternatives", |n| {
        let numbers = many(n, " | ", |i| format!("{}", i * 2));
        arms("i64", "3", format!("        case {numbers}: 1"))
    }),
    ("functions", |n| {
        format!("{}\nprint f0(1)\n", many(n, "\n", |i| format!("fn f{i}(x: i64) -> i64: x + {i}")))
    }),
    ("fields", |n| {
        let fields = many(n, "\n", |i| format!("    a{i}: i64 = {i}"));
        format!("struct C:\n    a: i64 = 0\n{fields}\nprint C().a\n")
    }),
    ("holes", |n| format!("val a = 1\nval s = \"{}\"\n", many(n, "", |i| format!("{{a}},{i}")))),
];

fn arms(ty: &str, value: &str, arms: String) -> String {
    format!("fn f(x: {ty}) -> i64:\n    match x:\n{arms}\n        case _: -1\nprint f({value})\n")
}

#[test]
fn each_entry_takes_as_much_of_many_as_of_a_few() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let session = Session::with_library(root.join("lib"), &root, Overrides::default());
    let only = std::env::var("ONLY").unwrap_or_default();
    let mut wrong = Vec::new();
    for (name, make) in KINDS.iter().filter(|(name, _)| name.contains(&only)) {
        compile(&session, make(1));
        let fixed = compile(&session, make(1));
        let few = compile(&session, make(FEW)).beyond(fixed);
        let most = compile(&session, make(MANY)).beyond(fixed);
        for (what, (few, most)) in ["allocations", "bytes at once"]
            .into_iter()
            .zip(few.into_iter().zip(most))
        {
            if most * FEW > 2 * few * MANY {
                wrong.push(format!("{name}: {what}: {few} for {FEW}, {most} for {MANY}"));
            }
        }
    }
    assert!(wrong.is_empty(), "more than linear:\n{}", wrong.join("\n"));
}
