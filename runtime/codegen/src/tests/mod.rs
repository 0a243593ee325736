//! Modules of the middle form built by hand, compiled, run and compared.
//!
//! Every program runs unoptimized and optimized, with Cranelift's verifier on, then as it was stored, and with the code of its functions
//! taken from a store; all outcomes must be the same. This file has the tools; the others have the tests: `scalars.rs`, `control.rs`,
//! `calls.rs`, `objects.rs`, `externs.rs`, and `reused.rs` for the store.

mod calls;
mod control;
mod externs;
mod objects;
mod reused;
mod scalars;

use super::{OptLevel, Options, compile};
use simple_image::{Binder, BoundExtern, Executable, Image, Outcome};
use simple_middle::mir::{
    BinOp, Block, BlockId, CmpOp, Const, ConvOp, Convention, Extern, Fail, FnId, Function, Inst,
    MTy, Module, Site, SiteId, Term, Var,
};
use simple_syntax::{SourceMap, Span};
use std::sync::Arc;

/// A function under construction; instructions go to the current block.
pub(super) struct Build {
    pub(super) func: Function,
    current: usize,
}

impl Build {
    pub(super) fn new(name: &str, params: &[MTy], results: &[MTy]) -> Build {
        let func = Function {
            name: name.into(),
            vars: params.to_vec(),
            params: (0..params.len() as u32).map(Var).collect(),
            results: results.to_vec(),
            blocks: Vec::new(),
            slots: Vec::new(),
            can_fail: false,
            checks_stack: false,
            quick: false,
            part: false,
            convention: Convention::Simple,
            on_stack: Vec::new(),
            site: None,
        };
        let mut build = Build { func, current: 0 };
        build.block();
        build
    }

    /// A function that can fail, whose last block (returned) passes errors on.
    pub(super) fn failing(name: &str, params: &[MTy], results: &[MTy]) -> (Build, BlockId) {
        let mut build = Build::new(name, params, results);
        build.func.can_fail = true;
        let unwind = build.block();
        build.func.blocks[unwind.0 as usize].term = Term::Propagate;
        build.func.blocks[unwind.0 as usize].cold = true;
        (build, unwind)
    }

    pub(super) fn block(&mut self) -> BlockId {
        self.func.blocks.push(Block {
            insts: Vec::new(),
            term: Term::Unreachable,
            cold: false,
        });
        BlockId(self.func.blocks.len() as u32 - 1)
    }

    pub(super) fn at(&mut self, block: BlockId) {
        self.current = block.0 as usize;
    }

    pub(super) fn var(&mut self, ty: MTy) -> Var {
        self.func.vars.push(ty);
        Var(self.func.vars.len() as u32 - 1)
    }

    pub(super) fn param(&self, index: usize) -> Var {
        self.func.params[index]
    }

    pub(super) fn push(&mut self, inst: Inst) {
        self.func.blocks[self.current].insts.push(inst);
    }

    pub(super) fn end(&mut self, term: Term) {
        self.func.blocks[self.current].term = term;
    }

    pub(super) fn constant(&mut self, ty: MTy, constant: Const) -> Var {
        let dst = self.var(ty);
        self.push(Inst::Const(dst, constant));
        dst
    }

    pub(super) fn int(&mut self, value: i64) -> Var {
        self.constant(MTy::I64, Const::Int(value))
    }

    pub(super) fn bin(&mut self, op: BinOp, a: Var, b: Var) -> Var {
        let dst = self.var(self.func.vars[a.0 as usize]);
        self.push(Inst::Bin(dst, op, a, b));
        dst
    }

    pub(super) fn cmp(&mut self, op: CmpOp, a: Var, b: Var) -> Var {
        let dst = self.var(MTy::I8);
        self.push(Inst::Cmp(dst, op, a, b));
        dst
    }

    pub(super) fn conv(&mut self, op: ConvOp, src: Var, to: MTy) -> Var {
        let dst = self.var(to);
        self.push(Inst::Conv(dst, op, src));
        dst
    }

    pub(super) fn ret(&mut self, value: Var) {
        self.end(Term::Return(vec![value]));
    }
}

/// An error edge at site number `site`.
pub(super) fn fail(site: u32, unwind: BlockId) -> Fail {
    Fail {
        site: SiteId(site),
        unwind,
    }
}

/// A module of these functions, the first of which is the entry; it has ten sites, one per line.
pub(super) fn module(funcs: Vec<Build>) -> Module {
    Module {
        funcs: funcs.into_iter().map(|build| build.func).collect(),
        sites: (0..10)
            .map(|line| Site {
                func: FnId(0),
                span: span(line),
            })
            .collect(),
        entry: Some(FnId(0)),
        ..Module::default()
    }
}

fn span(line: u32) -> Span {
    Span {
        lo: line * 2,
        hi: line * 2 + 1,
        ..Span::default()
    }
}

pub(super) struct NoBinder;

impl Binder for NoBinder {
    fn bind(&self, ext: &Extern) -> Result<BoundExtern, String> {
        Err(format!("no library exports `{}`", ext.symbol))
    }
}

fn sources() -> SourceMap {
    let mut sources = SourceMap::default();
    sources.add("test.spl", "a\n".repeat(10));
    sources
}

/// Runs the module with this binder at one level.
pub(super) fn run_at(level: OptLevel, module: Module, binder: Box<dyn Binder>) -> Outcome {
    let options = Options {
        opt_level: level,
        verify: true,
        ..Options::default()
    };
    executable(module, sources(), binder, &options).run()
}

/// A module in memory.
pub(super) fn executable(
    module: Module,
    sources: SourceMap,
    binder: Box<dyn Binder>,
    options: &Options,
) -> Executable {
    let image = compile(module, options).unwrap_or_else(|error| panic!("{error}"));
    Executable::new(image, Arc::new(sources), binder).expect("there is memory")
}

/// An image in memory, with the usual texts.
pub(super) fn executable_of(image: Image, binder: Box<dyn Binder>) -> Executable {
    Executable::new(image, Arc::new(sources()), binder).expect("there is memory")
}

/// Runs the module as another process does that finds it compiled.
fn run_stored(module: Module) -> Outcome {
    let options = Options {
        verify: true,
        ..Options::default()
    };
    let bytes = compile(module, &options).expect("it compiles").to_bytes();
    let image = Image::from_bytes(&bytes, |ext| ext.address).expect("what was stored");
    let sources = Arc::new(sources());
    let executable = Executable::new(image, sources, Box::new(NoBinder)).expect("it is placed");
    executable.run()
}

/// Runs what `make` gives at both levels, and stored, and returns the outcome, which must be the same.
pub(super) fn run(make: impl Fn() -> Module) -> Outcome {
    let plain = run_at(OptLevel::None, make(), Box::new(NoBinder));
    let optimized = run_at(OptLevel::Speed, make(), Box::new(NoBinder));
    assert_eq!(plain, optimized);
    assert_eq!(run_stored(make()), optimized);
    assert_eq!(reused::run(make), optimized);
    optimized
}

/// The exit code of a program that ends well.
pub(super) fn exit(make: impl Fn() -> Module) -> i64 {
    match run(make) {
        Outcome::Exit(code) => code,
        Outcome::Error(error) => panic!("{error:?}"),
    }
}

/// The message and the lines of the trace of a program that fails.
pub(super) fn error(make: impl Fn() -> Module) -> (String, Vec<u32>) {
    match run(make) {
        Outcome::Exit(code) => panic!("exit {code}"),
        Outcome::Error(error) => (
            error.message,
            error.trace.head.iter().map(|frame| frame.line).collect(),
        ),
    }
}
