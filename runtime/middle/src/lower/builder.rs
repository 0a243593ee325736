//! One function under construction: blocks, variables, instructions and constants.
//!
//! Code after a jump goes into a block that nothing reaches, so lowering need not care; `passes` removes it.
//! Next: `cleanup.rs` for what is alive and must be released, `value.rs` for values and their ownership.

use super::cleanup::Entry;
use super::coverage::{is_block, place};
use super::cx::Cx;
use super::liveness::Liveness;
use crate::mir::{
    BinOp, Block, BlockId, CmpOp, Const, ConvOp, Convention, Coverage, Fail, FnId, Function, Inst,
    MTy, NO_FUNCTION, Release, SiteId, Term, Var, kind_mty,
};
use crate::repr::Leaf;
use rustc_hash::FxHashMap;
use simple_core::error_kind::ErrorKind;
use simple_core::table::RtFn;
use simple_sema::typed::{Expr, Func, LocalId, TyId};
use simple_syntax::Span;

/// A variable of the source as the builder knows it.
#[derive(Clone)]
pub(crate) struct LocalState {
    pub leaves: Vec<Var>,
    /// Whether its leaves are assigned after the binding.
    pub mutable: bool,
    /// Whether its value is in a counted cell, which is its only leaf.
    pub cell: bool,
}

/// An enclosing loop.
pub(crate) struct LoopState<'p> {
    /// Where `continue` goes.
    pub again: BlockId,
    /// How much of the cleanup stack is outside.
    pub base: usize,
    /// Ends of paths that leave by `break`, with what is alive there.
    pub breaks: Vec<(BlockId, Vec<Entry<'p>>)>,
}

/// Builds one function.
pub(crate) struct Builder<'c, 'p> {
    pub cx: &'c mut Cx<'p>,
    pub id: FnId,
    pub function: Function,
    pub cur: BlockId,
    pub reachable: bool,
    /// Which blocks some reachable code goes to.
    pub reached: Vec<bool>,
    /// New blocks are cold: error paths.
    pub cold: bool,
    pub stack: Vec<Entry<'p>>,
    /// Where the innermost block began on the cleanup stack.
    pub scope: usize,
    pub next_temp: u32,
    /// Where each owned variable was put on the cleanup stack.
    pub local_places: FxHashMap<LocalId, usize>,
    pub locals: Vec<Option<LocalState>>,
    pub loops: Vec<LoopState<'p>>,
    /// The lists of comprehensions that are being filled, the innermost last.
    pub fillings: Vec<super::comprehension::Filling<'p>>,
    pub live: Liveness,
    pub source: Option<&'p Func>,
    /// The options whose values the function has in variables.
    pub taken: simple_sema::typed::TakenOut<'p>,
    pub ret: TyId,
    /// The `self` of an inout method, which goes back with every return.
    pub inout: Vec<Var>,
    pub propagate: Option<BlockId>,
    /// Where shared paths to a return end, and the variables they return.
    pub return_block: Option<BlockId>,
    pub return_slots: Option<Vec<Var>>,
    /// Whether the deferred statement that is being lowered runs because of an error.
    pub error_passes: bool,
    /// An entry that `d[k] = ...` has looked up, for reads of `d[k]` on the right.
    pub found: Option<super::table_update::FoundEntry>,
    /// What is known of it if it is the body of a generator.
    pub generator: Option<super::generator::Generator>,
    /// Where error paths of an entry end instead of propagating.
    pub on_error: Option<BlockId>,
    /// Which leaves of the expression that is evaluated next are needed, if not all.
    pub part: Option<std::ops::Range<usize>>,
}

impl<'c, 'p> Builder<'c, 'p> {
    pub fn new(
        cx: &'c mut Cx<'p>,
        id: FnId,
        name: &str,
        convention: Convention,
    ) -> Builder<'c, 'p> {
        let mut function = super::cx::empty_function(name);
        function.site = cx.module.funcs[id.0 as usize].site;
        function.convention = convention;
        Builder {
            cx,
            id,
            function,
            cur: BlockId(0),
            reachable: true,
            reached: vec![true],
            cold: false,
            stack: Vec::new(),
            scope: 0,
            next_temp: 0,
            local_places: FxHashMap::default(),
            locals: Vec::new(),
            loops: Vec::new(),
            fillings: Vec::new(),
            live: Liveness::default(),
            source: None,
            taken: simple_sema::typed::TakenOut::default(),
            ret: TyId::UNIT,
            inout: Vec::new(),
            propagate: None,
            return_block: None,
            return_slots: None,
            error_passes: false,
            found: None,
            generator: None,
            on_error: None,
            part: None,
        }
    }

    /// Puts the finished function into the module.
    pub fn finish(self) {
        let Builder {
            cx,
            id,
            mut function,
            ..
        } = self;
        function.can_fail = function
            .blocks
            .iter()
            .any(|block| matches!(block.term, Term::Propagate | Term::PropagateWith(_)));
        cx.module.funcs[id.0 as usize] = function;
    }

    pub fn var(&mut self, ty: MTy) -> Var {
        self.function.vars.push(ty);
        Var(self.function.vars.len() as u32 - 1)
    }

    pub fn vars(&mut self, leaves: &[Leaf]) -> Vec<Var> {
        leaves.iter().map(|leaf| self.var(leaf.ty)).collect()
    }

    pub fn param(&mut self, ty: MTy) -> Var {
        let var = self.var(ty);
        self.function.params.push(var);
        var
    }

    pub fn params(&mut self, leaves: &[Leaf]) -> Vec<Var> {
        leaves.iter().map(|leaf| self.param(leaf.ty)).collect()
    }

    pub fn ty(&self, var: Var) -> MTy {
        self.function.vars[var.0 as usize]
    }

    pub fn emit(&mut self, inst: Inst) {
        self.function.blocks[self.cur.0 as usize].insts.push(inst);
    }

    pub fn block(&mut self) -> BlockId {
        let cold = self.cold;
        self.function.blocks.push(Block {
            insts: Vec::new(),
            term: Term::Unreachable,
            cold,
        });
        self.reached.push(false);
        BlockId(self.function.blocks.len() as u32 - 1)
    }

    pub fn cold_block(&mut self) -> BlockId {
        let block = self.block();
        self.function.blocks[block.0 as usize].cold = true;
        block
    }

    /// Goes on in `block`.
    pub fn switch(&mut self, block: BlockId) {
        self.cur = block;
        self.reachable = self.reached[block.0 as usize];
    }

    /// Ends the current block; what follows is unreachable.
    pub fn end(&mut self, term: Term) {
        if self.reachable {
            match &term {
                Term::Jump(target) => self.reached[target.0 as usize] = true,
                Term::Branch(_, then, otherwise) => {
                    self.reached[then.0 as usize] = true;
                    self.reached[otherwise.0 as usize] = true;
                }
                Term::Switch(_, cases, otherwise) => {
                    for (_, target) in cases {
                        self.reached[target.0 as usize] = true;
                    }
                    self.reached[otherwise.0 as usize] = true;
                }
                Term::Return(_) | Term::Propagate | Term::PropagateWith(_) | Term::Unreachable => {}
            }
        }
        self.function.blocks[self.cur.0 as usize].term = term;
        self.cur = self.block();
        self.reachable = false;
    }

    /// Ends the reachable `block` with a jump.
    pub fn seal(&mut self, block: BlockId, target: BlockId) {
        self.reached[target.0 as usize] = true;
        self.function.blocks[block.0 as usize].term = Term::Jump(target);
    }

    pub fn jump(&mut self, target: BlockId) {
        self.end(Term::Jump(target));
    }

    pub fn branch(&mut self, cond: Var, then: BlockId, otherwise: BlockId) {
        self.end(Term::Branch(cond, then, otherwise));
    }

    pub fn constant(&mut self, ty: MTy, constant: Const) -> Var {
        let var = self.var(ty);
        self.emit(Inst::Const(var, constant));
        var
    }

    pub fn int(&mut self, ty: MTy, value: i64) -> Var {
        self.constant(ty, Const::Int(value))
    }

    pub fn i64(&mut self, value: i64) -> Var {
        self.int(MTy::I64, value)
    }

    pub fn flag(&mut self, value: bool) -> Var {
        self.int(MTy::I8, value as i64)
    }

    pub fn null(&mut self) -> Var {
        self.int(MTy::Ptr, 0)
    }

    /// A zero of any type.
    pub fn zero(&mut self, ty: MTy) -> Var {
        match ty {
            MTy::F32 | MTy::F64 => self.constant(ty, Const::Float(0.0)),
            _ => self.int(ty, 0),
        }
    }

    pub fn text_constant(&mut self, content: &str) -> Var {
        let id = self.cx.text(content);
        self.constant(MTy::Ptr, Const::Text(id))
    }

    pub fn copy(&mut self, src: Var) -> Var {
        let dst = self.var(self.ty(src));
        self.emit(Inst::Copy(dst, src));
        dst
    }

    pub fn assign(&mut self, dsts: &[Var], srcs: &[Var]) {
        for (dst, src) in dsts.iter().zip(srcs) {
            self.emit(Inst::Copy(*dst, *src));
        }
    }

    pub fn bin(&mut self, op: BinOp, a: Var, b: Var) -> Var {
        let dst = self.var(self.ty(a));
        self.emit(Inst::Bin(dst, op, a, b));
        dst
    }

    pub fn cmp(&mut self, op: CmpOp, a: Var, b: Var) -> Var {
        let dst = self.var(MTy::I8);
        self.emit(Inst::Cmp(dst, op, a, b));
        dst
    }

    pub fn cmp_int(&mut self, op: CmpOp, a: Var, b: i64) -> Var {
        let ty = self.ty(a);
        let b = self.int(ty, b);
        self.cmp(op, a, b)
    }

    pub fn conv(&mut self, op: ConvOp, ty: MTy, src: Var) -> Var {
        let dst = self.var(ty);
        self.emit(Inst::Conv(dst, op, src));
        dst
    }

    pub fn select(&mut self, cond: Var, a: Var, b: Var) -> Var {
        let dst = self.var(self.ty(a));
        self.emit(Inst::Select(dst, cond, a, b));
        dst
    }

    pub fn load(&mut self, ty: MTy, base: Var, offset: i32) -> Var {
        let dst = self.var(ty);
        self.emit(Inst::Load(dst, base, offset));
        dst
    }

    pub fn store(&mut self, base: Var, offset: i32, src: Var) {
        self.emit(Inst::Store(base, offset, src));
    }

    /// An address `base + offset`.
    pub fn address(&mut self, base: Var, offset: i32) -> Var {
        let zero = self.i64(0);
        let dst = self.var(MTy::Ptr);
        self.emit(Inst::AddrAt(dst, base, zero, 1, offset));
        dst
    }

    /// Fails with `error` unless `cond` holds.
    pub fn check(
        &mut self,
        cond: Var,
        error: ErrorKind,
        a: Option<Var>,
        b: Option<Var>,
        span: Span,
    ) {
        let fail = self.fail(span);
        self.emit(Inst::Check {
            cond,
            error,
            a,
            b,
            fail,
        });
    }

    /// Calls a runtime function.
    pub fn rt(&mut self, func: RtFn, args: &[Var], span: Span) -> Option<Var> {
        let signature = func.signature();
        let dst = signature.result.map(|kind| self.var(kind_mty(kind)));
        let fail = signature.fails.then(|| self.fail(span));
        self.emit(Inst::CallRuntime {
            dst,
            func,
            args: args.to_vec(),
            fail,
        });
        dst
    }

    /// Counts the line on which a statement begins.
    pub fn cover(&mut self, span: Span) {
        let covered = self.cx.module.covered;
        if covered == Coverage::No {
            return;
        }
        if let Some((file, line)) = place(self.cx.program, covered, span) {
            let place = self.i64(i64::from(file.0) << 32 | i64::from(line));
            self.rt(RtFn::Cover, &[place], span);
        }
    }

    /// Counts the line of a body, unless it is a block, whose statements are counted.
    pub fn cover_body(&mut self, body: &Expr) {
        if !is_block(body) {
            self.cover(body.span);
        }
    }

    /// In a session, and in a program that is watched, lets a waiting interruption become an error.
    pub fn poll(&mut self, span: Span) {
        if self.cx.piece.is_some() || self.cx.module.watched {
            self.rt(RtFn::Poll, &[], span);
        }
    }

    /// Calls a runtime function that has a result.
    pub fn rt_value(&mut self, func: RtFn, args: &[Var], span: Span) -> Var {
        match self.rt(func, args, span) {
            Some(var) => var,
            None => self.i64(0),
        }
    }

    /// Calls a function of the module that may fail.
    pub fn call(&mut self, func: FnId, args: Vec<Var>, results: &[MTy], span: Span) -> Vec<Var> {
        let dsts: Vec<Var> = results.iter().map(|ty| self.var(*ty)).collect();
        let fail = Some(self.fail(span));
        self.emit(Inst::Call {
            dsts: dsts.clone(),
            func,
            args,
            fail,
        });
        dsts
    }

    pub fn retain(&mut self, var: Var, leaf: Leaf) {
        if leaf.counted.is_some() {
            self.emit(Inst::Retain(var, leaf.nullable));
        }
    }

    pub fn release(&mut self, var: Var, leaf: Leaf) {
        if leaf.counted.is_some() {
            let release: Release = self.cx.release_of(leaf);
            self.emit(Inst::Release(var, release));
        }
    }

    /// The number of a place in this function; glue and the entry leave no trace.
    pub fn site(&mut self, span: Span) -> SiteId {
        let func = if self.source.is_some() {
            self.id
        } else {
            NO_FUNCTION
        };
        self.cx.site(func, span)
    }

    /// What an instruction that can fail at `span` does: record the site and release what is alive.
    pub fn fail(&mut self, span: Span) -> Fail {
        let site = self.site(span);
        let unwind = self.unwind();
        Fail { site, unwind }
    }
}
