//! Functions whose code was compiled before, in the same program or another one.

use super::{Build, NoBinder, executable_of, fail, module, span};
use crate::content::{Content, Key};
use crate::isa::Isas;
use crate::plan::{Plan, SiteNumbers};
use crate::{OptLevel, Options, Store, compile_with, sites};
use simple_core::error_kind::ErrorKind;
use simple_core::table::RtFn;
use simple_image::{Image, Outcome};
use simple_middle::mir::{
    BinOp, BlockId, CmpOp, Const, Convention, FnId, Inst, MTy, Module, Site, SiteId, Term, TextId,
};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;

/// A store in memory, which counts what it gets.
#[derive(Default)]
struct Shelf {
    kept: RefCell<HashMap<Key, Vec<u8>>>,
    new: Cell<usize>,
}

impl Store for Shelf {
    fn find(&self, keys: &[Key], found: &mut dyn FnMut(usize, &[u8])) {
        assert!(keys.is_sorted());
        for (at, key) in keys.iter().enumerate() {
            if let Some(bytes) = self.kept.borrow().get(key) {
                found(at, bytes);
            }
        }
    }

    fn keep(&self, used: &[Key], new: Vec<(Key, Vec<u8>)>) {
        self.new.set(new.len());
        for (key, bytes) in new {
            assert!(used.contains(&key));
            self.kept.borrow_mut().insert(key, bytes);
        }
    }
}

fn image(module: Module, shelf: &Shelf) -> Image {
    let options = Options {
        verify: true,
        ..Options::default()
    };
    compile_with(module, &options, shelf).unwrap_or_else(|error| panic!("{error}"))
}

/// Runs what `make` gives with all code from a store.
pub(super) fn run(make: impl Fn() -> Module) -> Outcome {
    let shelf = Shelf::default();
    let first = image(make(), &shelf);
    assert!(shelf.new.get() > 0);
    let second = image(make(), &shelf);
    assert_eq!(shelf.new.get(), 0);
    // The bytes of an image are all there is to it.
    assert_eq!(first.to_bytes(), second.to_bytes());
    executable_of(second, Box::new(NoBinder)).run()
}

/// Prints a text, and fails where its argument is 0.
fn printing(text: u32, site: u32) -> Build {
    let (mut f, unwind) = Build::failing("printing", &[MTy::I64], &[]);
    let text = f.constant(MTy::Ptr, Const::Text(TextId(text)));
    f.push(Inst::CallRuntime {
        dst: None,
        func: RtFn::Print,
        args: vec![text],
        fail: None,
    });
    let zero = f.int(0);
    let cond = f.cmp(CmpOp::Ne, f.param(0), zero);
    f.push(Inst::Check {
        cond,
        error: ErrorKind::DivisionByZero,
        a: None,
        b: None,
        fail: fail(site, unwind),
    });
    f.end(Term::Return(Vec::new()));
    f
}

/// Calls function `callee` with a number.
fn main_calling(callee: u32, number: i64, site: u32) -> Build {
    let (mut f, unwind) = Build::failing("main", &[], &[MTy::I64]);
    let number = f.int(number);
    f.push(Inst::Call {
        dsts: Vec::new(),
        func: FnId(callee),
        args: vec![number],
        fail: Some(fail(site, unwind)),
    });
    f.ret(number);
    f
}

/// A program of a main function and `printing`; the other one has more of everything before it.
fn program(more: bool, number: i64) -> Module {
    let (text, site, callee) = if more { (2, 5, 2) } else { (0, 1, 1) };
    let mut funcs = vec![main_calling(callee, number, site + 1)];
    if more {
        let mut other = Build::new("other", &[], &[]);
        other.end(Term::Return(Vec::new()));
        funcs.push(other);
    }
    funcs.push(printing(text, site));
    let mut module = module(funcs);
    module.texts = (0..=text).map(|at| format!("text {at}")).collect();
    // The place in the function is the same, and the function is elsewhere in the file.
    let function = module.sites.len() as u32;
    let (declared, line) = if more { (8, 9) } else { (2, 3) };
    let func = FnId(callee);
    let at = |line| Site {
        func,
        span: span(line),
    };
    module.sites[site as usize] = at(line);
    module.sites.push(at(declared));
    module.funcs[callee as usize].site = Some(SiteId(function));
    module
}

#[test]
fn code_is_taken_over_by_another_program_with_its_own_texts_and_places() {
    let shelf = Shelf::default();
    image(program(false, 1), &shelf);
    // The entry, `printing` and the wrappers.
    let all = shelf.new.get();
    let other = image(program(true, 0), &shelf);
    // What is new is the entry, which has another number, and the function that does nothing.
    assert_eq!((all, shelf.new.get()), (4, 2));
    let lines = |image| match executable_of(image, Box::new(NoBinder)).run() {
        Outcome::Exit(code) => panic!("exit {code}"),
        Outcome::Error(error) => {
            let lines = error.trace.head.iter().map(|frame| frame.line);
            lines.collect::<Vec<u32>>()
        }
    };
    let found = lines(other);
    assert_eq!(found[0], 10);
    assert_eq!(found, lines(image(program(true, 0), &Shelf::default())));
    // Back in the first program the code finds what it had there.
    let first = image(program(false, 0), &shelf);
    assert_eq!(lines(first)[0], 4);
}

fn keys(module: &Module, options: &Options) -> Vec<Option<Key>> {
    let isas = Isas::host(options).expect("a machine");
    let numbers = SiteNumbers::Own(sites::numbers(module));
    let plan = Plan::new(module, isas.native(), options, numbers);
    let contents = Content::of_all(&plan, &isas, options);
    contents
        .iter()
        .map(|it| it.as_ref().map(Content::key))
        .collect()
}

#[test]
fn whatever_code_depends_on_is_another_key() {
    let make = || program(false, 1);
    let options = Options::default();
    let before = keys(&make(), &options);
    assert_eq!(before, keys(&make(), &options));
    let func = 1;
    type Change = fn(&mut Module);
    let changes: &[(&str, Change)] = &[
        ("a type", |m| m.funcs[1].vars[1] = MTy::I64),
        ("a parameter", |m| m.funcs[1].params.clear()),
        ("a result", |m| m.funcs[1].results.push(MTy::I64)),
        ("frame memory", |m| m.funcs[1].slots.push(8)),
        ("failing", |m| m.funcs[1].can_fail = false),
        ("the stack", |m| m.funcs[1].checks_stack = true),
        ("the effort", |m| m.funcs[1].quick = true),
        ("the convention", |m| m.funcs[1].convention = Convention::C),
        ("a result in memory", |m| {
            m.funcs[1].convention = Convention::Export { returned: 8 };
        }),
        ("what is on the stack", |m| m.funcs[1].on_stack.push((0, 8))),
        ("its place", |m| m.funcs[1].site = None),
        ("rare", |m| m.funcs[1].blocks[0].cold = true),
        ("an instruction", |m| _ = m.funcs[1].blocks[0].insts.pop()),
        ("an operator", |m| {
            let var = m.funcs[1].params[0];
            let add = Inst::Bin(var, BinOp::Add, var, var);
            m.funcs[1].blocks[0].insts.insert(0, add);
        }),
        ("a constant", |m| {
            let var = m.funcs[1].params[0];
            let number = Inst::Const(var, Const::Int(7));
            m.funcs[1].blocks[0].insts.insert(0, number);
        }),
        ("where it ends", |m| {
            m.funcs[1].blocks[0].term = Term::Jump(BlockId(1));
        }),
        ("that its address is taken", |m| {
            m.funcs[1].can_fail = false;
            m.vtables.push(vec![FnId(1)]);
        }),
        ("the place of an error", |m| m.sites[1].span.lo += 1),
        ("its name", |m| m.funcs[1].name = "renamed".to_owned()),
        ("measuring", |m| m.profiled = true),
    ];
    let mut seen = vec![before[func]];
    for (what, change) in changes {
        let mut module = make();
        change(&mut module);
        let now = keys(&module, &options)[func];
        assert!(!seen.contains(&now), "{what}");
        seen.push(now);
    }
    // Of a function that is called: how it is called.
    for (what, change) in changes.iter().take(5) {
        let mut module = make();
        change(&mut module);
        let same = keys(&module, &options)[0] == before[0];
        let seen_by_callers = !matches!(*what, "a type" | "frame memory");
        assert_eq!(same, !seen_by_callers, "{what}");
    }
    // What no code depends on: the content of a text.
    let mut module = make();
    module.texts[0].push('x');
    assert_eq!(keys(&module, &options), before);
}

#[test]
fn other_machines_and_options_have_other_keys() {
    let module = program(false, 1);
    let usual = Options {
        verify: false,
        ..Options::default()
    };
    let others = [
        Options {
            opt_level: OptLevel::None,
            ..usual.clone()
        },
        Options {
            verify: true,
            ..usual.clone()
        },
        Options {
            test_bound: true,
            ..usual.clone()
        },
    ];
    let mut seen = vec![keys(&module, &usual)];
    for options in others {
        let keys = keys(&module, &options);
        let other = |before: &Vec<Option<Key>>| before.iter().zip(&keys).all(|(a, b)| a != b);
        // Where calls test in any case, that is the same.
        let same = options.test_bound && usual.test_bound;
        assert!(same || seen.iter().all(other), "{options:?}");
        seen.push(keys);
    }
    // For other machines less of the processor is used, where this one has it.
    let portable = Options {
        portable: true,
        ..usual.clone()
    };
    let newest = crate::processor(&usual).ok() != crate::processor(&portable).ok();
    assert_eq!(keys(&module, &portable) != seen[0], newest);
}

#[test]
fn bytes_that_do_not_fit_a_function_are_not_read() {
    let module = program(false, 1);
    let options = Options::default();
    let isas = Isas::host(&options).expect("a machine");
    let numbers = SiteNumbers::Own(sites::numbers(&module));
    let plan = Plan::new(&module, isas.native(), &options, numbers);
    let contents = Content::of_all(&plan, &isas, &options);
    let shelf = Shelf::default();
    image(program(false, 1), &shelf);
    let kept = shelf.kept.borrow();
    for content in contents.iter().flatten() {
        let Some(bytes) = kept.get(&content.key()) else {
            // Cranelift's verifier is not on here.
            continue;
        };
        assert!(crate::stored::read(bytes, content.names()).is_some());
        for at in 0..bytes.len() {
            assert!(crate::stored::read(&bytes[..at], content.names()).is_none());
            // Whatever is in the bytes, reading them does no more than reading them.
            for bit in 0..8 {
                let mut other = bytes.clone();
                other[at] ^= 1 << bit;
                let read = crate::stored::read(&other, content.names());
                let inside = read.is_none_or(|code| {
                    let ends = code.relocs.iter().map(|it| it.offset as usize);
                    ends.max().is_none_or(|end| end < code.bytes.len())
                });
                assert!(inside, "byte {at}");
            }
        }
    }
}
