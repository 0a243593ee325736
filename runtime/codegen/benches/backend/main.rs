//! How long the backend takes for a tiny and for a large program, and how fast calls are: `fib(38)`.
//!
//! `cargo bench -p simple-codegen --bench backend`. A tiny program must take less than 2 ms from the middle form to its end.

use simple_codegen::Options;
use simple_image::{Binder, BoundExtern, Executable, Outcome};
use simple_middle::mir::{
    Block, BlockId, CheckedOp, CmpOp, Const, Convention, Extern, Fail, FnId, Function, Inst, MTy,
    Module, Site, SiteId, Term, Var,
};
use std::sync::Arc;
use std::time::{Duration, Instant};

struct NoBinder;

impl Binder for NoBinder {
    fn bind(&self, ext: &Extern) -> Result<BoundExtern, String> {
        Err(format!("no library exports `{}`", ext.symbol))
    }
}

fn block(insts: Vec<Inst>, term: Term, cold: bool) -> Block {
    Block { insts, term, cold }
}

/// `fib(n)` with checked arithmetic and a stack check; `next` is the function that it calls, itself if it is recursive.
fn fib(next: FnId, checks: bool) -> Function {
    let [n, two, one, less, a, b, sum] = [0, 1, 2, 3, 4, 5, 6].map(Var);
    let fail = Fail {
        site: SiteId(0),
        unwind: BlockId(3),
    };
    let call = |dst, arg| Inst::Call {
        dsts: vec![dst],
        func: next,
        args: vec![arg],
        fail: Some(fail),
    };
    Function {
        name: "fib".into(),
        vars: vec![
            MTy::I64,
            MTy::I64,
            MTy::I64,
            MTy::I8,
            MTy::I64,
            MTy::I64,
            MTy::I64,
        ],
        params: vec![n],
        results: vec![MTy::I64],
        blocks: vec![
            block(
                vec![
                    Inst::Const(two, Const::Int(2)),
                    Inst::Cmp(less, CmpOp::Lt, n, two),
                ],
                Term::Branch(less, BlockId(1), BlockId(2)),
                false,
            ),
            block(vec![], Term::Return(vec![n]), false),
            block(
                vec![
                    Inst::Const(one, Const::Int(1)),
                    Inst::Checked(a, CheckedOp::Sub, true, n, one, fail),
                    call(a, a),
                    Inst::Checked(b, CheckedOp::Sub, true, n, two, fail),
                    call(b, b),
                    Inst::Checked(sum, CheckedOp::Add, true, a, b, fail),
                ],
                Term::Return(vec![sum]),
                false,
            ),
            block(vec![], Term::Propagate, true),
        ],
        slots: vec![],
        can_fail: true,
        checks_stack: checks,
        quick: false,
        part: false,
        convention: Convention::Simple,
        on_stack: Vec::new(),
        site: None,
    }
}

/// A program that calls the first of `funcs`, which follow the entry, with `n`.
fn program(n: i64, funcs: Vec<Function>) -> Module {
    let [arg, result] = [0, 1].map(Var);
    let fail = Some(Fail {
        site: SiteId(0),
        unwind: BlockId(1),
    });
    let main = Function {
        name: "main".into(),
        vars: vec![MTy::I64, MTy::I64],
        params: vec![],
        results: vec![MTy::I64],
        blocks: vec![
            block(
                vec![
                    Inst::Const(arg, Const::Int(n)),
                    Inst::Call {
                        dsts: vec![result],
                        func: FnId(1),
                        args: vec![arg],
                        fail,
                    },
                ],
                Term::Return(vec![result]),
                false,
            ),
            block(vec![], Term::Propagate, true),
        ],
        slots: vec![],
        can_fail: true,
        checks_stack: false,
        quick: false,
        part: false,
        convention: Convention::Simple,
        on_stack: Vec::new(),
        site: None,
    };
    Module {
        funcs: std::iter::once(main).chain(funcs).collect(),
        sites: vec![Site {
            func: FnId(0),
            span: simple_syntax::Span::default(),
        }],
        entry: Some(FnId(0)),
        ..Module::default()
    }
}

/// Compiles and runs; the times of both.
fn measure(module: Module, options: &Options, expected: i64) -> (Duration, Duration) {
    let start = Instant::now();
    let image = simple_codegen::compile(module, options).unwrap_or_else(|error| panic!("{error}"));
    let executable =
        Executable::new(image, Arc::default(), Box::new(NoBinder)).expect("there is memory");
    let compiled = start.elapsed();
    let start = processor_time();
    assert_eq!(executable.run(), Outcome::Exit(expected));
    (compiled, processor_time() - start)
}

/// What this process has used of a processor.
#[allow(unsafe_code, reason = "asks the system for the time")]
fn processor_time() -> Duration {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the pointer is to a `timespec` of this frame. A failure leaves it zero, which the results would show.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &raw mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

fn main() {
    let options = Options {
        verify: false,
        ..Options::default()
    };
    let (compiled, ran) = measure(program(10, vec![fib(FnId(1), true)]), &options, 55);
    println!("tiny program, first in the process: compiled in {compiled:?}, ran in {ran:?}");
    let mut best = Duration::MAX;
    for _ in 0..50 {
        let (compiled, ran) = measure(program(10, vec![fib(FnId(1), true)]), &options, 55);
        best = best.min(compiled + ran);
    }
    println!("tiny program, best of 50: {best:?}");
    for threads in [1, 2, 4] {
        let options = Options {
            threads,
            ..options.clone()
        };
        let count = 2000;
        let many = |index: u32| fib(FnId(1 + (index + 1) % count), true);
        let mut best = Duration::MAX;
        for _ in 0..5 {
            best = best.min(measure(program(10, (0..count).map(many).collect()), &options, 55).0);
        }
        println!("{count} functions, {threads} threads: compiled in {best:?}");
    }
    for checks in [true, false] {
        let mut best = Duration::MAX;
        for _ in 0..5 {
            best = best.min(
                measure(
                    program(38, vec![fib(FnId(1), checks)]),
                    &options,
                    39_088_169,
                )
                .1,
            );
        }
        println!("fib(38), stack checks {checks}: {best:?}");
    }
}
