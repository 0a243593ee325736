//! Checks of the middle form: types of operands, counts of arguments, edges, and that nothing is read before it is assigned.
//!
//! Runs in debug builds after lowering and after the passes; a problem is a bug of the compiler, never of the program.

use super::kind_mty;
use super::{
    Block, BlockId, CheckedOp, Const, ConvOp, Convention, Function, Inst, MTy, Module, Term, Var,
};

/// Everything that is wrong; empty when the module is sound.
pub fn verify(module: &Module) -> Vec<String> {
    let mut problems = Vec::new();
    for (index, func) in module.funcs.iter().enumerate() {
        let mut checker = Checker {
            module,
            func,
            problems: Vec::new(),
            at: String::new(),
        };
        checker.function();
        for problem in checker.problems {
            problems.push(format!("f{index} {}: {problem}", func.name));
        }
    }
    problems
}

struct Checker<'m> {
    module: &'m Module,
    func: &'m Function,
    problems: Vec<String>,
    at: String,
}

impl Checker<'_> {
    fn problem(&mut self, text: impl Into<String>) {
        let at = self.at.clone();
        self.problems.push(format!("{at}: {}", text.into()));
    }

    fn ty(&mut self, var: Var) -> Option<MTy> {
        let ty = self.func.vars.get(var.0 as usize).copied();
        if ty.is_none() {
            self.problem(format!("v{} does not exist", var.0));
        }
        ty
    }

    fn expect(&mut self, var: Var, wanted: MTy) {
        if let Some(ty) = self.ty(var)
            && ty != wanted
        {
            self.problem(format!("v{} is {ty:?} but {wanted:?} is needed", var.0));
        }
    }

    fn same(&mut self, a: Var, b: Var) {
        if let (Some(x), Some(y)) = (self.ty(a), self.ty(b))
            && x != y
        {
            self.problem(format!("v{} is {x:?} but v{} is {y:?}", a.0, b.0));
        }
    }

    fn list(&mut self, vars: &[Var], wanted: &[MTy], what: &str) {
        if vars.len() != wanted.len() {
            self.problem(format!(
                "{} {what} where {} are needed",
                vars.len(),
                wanted.len()
            ));
            return;
        }
        for (var, ty) in vars.iter().zip(wanted) {
            self.expect(*var, *ty);
        }
    }

    fn block_exists(&mut self, block: BlockId) {
        if block.0 as usize >= self.func.blocks.len() {
            self.problem(format!("bb{} does not exist", block.0));
        }
    }

    fn function(&mut self) {
        let func = self.func;
        for (index, block) in func.blocks.iter().enumerate() {
            self.at = format!("bb{index}");
            for inst in &block.insts {
                self.at = format!("bb{index} {inst:?}");
                self.instruction(inst);
                if let Some(fail) = inst.fail() {
                    self.block_exists(fail.unwind);
                }
            }
            self.at = format!("bb{index} terminator");
            for target in block.term.targets() {
                self.block_exists(target);
            }
            self.terminator(block);
        }
        if self.problems.is_empty() {
            self.assigned_before_use();
        }
    }

    fn terminator(&mut self, block: &Block) {
        match &block.term {
            Term::Branch(cond, ..) => self.expect(*cond, MTy::I8),
            Term::Switch(var, ..) => {
                if matches!(self.ty(*var), Some(MTy::F32 | MTy::F64 | MTy::Ptr)) {
                    self.problem("a switch over no integer");
                }
            }
            Term::Return(vars) => {
                let results = self.func.results.clone();
                self.list(vars, &results, "results");
            }
            Term::PropagateWith(vars) => {
                let results = &self.func.results;
                let from = results.len().saturating_sub(vars.len());
                let last = results[from..].to_vec();
                self.list(vars, &last, "results with the error");
            }
            Term::Propagate => {
                if self.func.convention == Convention::C {
                    self.problem("a C function cannot propagate");
                }
            }
            Term::Jump(_) | Term::Unreachable => {}
        }
    }

    fn instruction(&mut self, inst: &Inst) {
        match inst {
            Inst::Const(dst, value) => match value {
                Const::Int(_) => {
                    if matches!(self.ty(*dst), Some(MTy::F32 | MTy::F64)) {
                        self.problem("an integer constant for a float");
                    }
                }
                Const::Float(_) => {
                    if !matches!(self.ty(*dst), Some(MTy::F32 | MTy::F64)) {
                        self.problem("a float constant for no float");
                    }
                }
                Const::Site(_) => self.expect(*dst, MTy::I32),
                _ => self.expect(*dst, MTy::Ptr),
            },
            Inst::Copy(dst, src) | Inst::Un(dst, _, src) => self.same(*dst, *src),
            Inst::Bin(dst, _, a, b) => {
                self.same(*dst, *a);
                self.same(*a, *b);
            }
            Inst::Checked(dst, CheckedOp::Add | CheckedOp::Sub | CheckedOp::Mul, _, a, b, _) => {
                self.same(*dst, *a);
                self.same(*a, *b);
            }
            Inst::Cmp(dst, _, a, b) => {
                self.expect(*dst, MTy::I8);
                self.same(*a, *b);
            }
            Inst::Conv(dst, op, src) => self.conversion(*dst, *op, *src),
            Inst::Select(dst, cond, a, b) => {
                self.expect(*cond, MTy::I8);
                self.same(*dst, *a);
                self.same(*a, *b);
            }
            Inst::Check { cond, a, b, .. } => {
                self.expect(*cond, MTy::I8);
                for number in a.iter().chain(b) {
                    self.expect(*number, MTy::I64);
                }
            }
            Inst::Load(_, base, _) | Inst::Store(base, ..) => self.expect(*base, MTy::Ptr),
            Inst::LoadAt(_, base, index, ..) | Inst::StoreAt(base, index, ..) => {
                self.expect(*base, MTy::Ptr);
                self.expect(*index, MTy::I64);
            }
            Inst::AddrAt(dst, base, index, ..) => {
                self.expect(*dst, MTy::Ptr);
                self.expect(*base, MTy::Ptr);
                self.expect(*index, MTy::I64);
            }
            Inst::Retain(var, _) | Inst::Release(var, _) | Inst::Panic(var, _) => {
                self.expect(*var, MTy::Ptr)
            }
            Inst::Call {
                dsts,
                func,
                args,
                fail,
            } => {
                let Some(callee) = self.module.funcs.get(func.0 as usize) else {
                    return self.problem("no such function");
                };
                let params: Vec<MTy> = callee
                    .params
                    .iter()
                    .map(|var| callee.vars[var.0 as usize])
                    .collect();
                self.list(args, &params, "arguments");
                self.list(dsts, &callee.results, "results");
                if callee.can_fail && fail.is_none() {
                    self.problem("a call that can fail without an edge");
                }
            }
            Inst::CallIndirect { code, .. } => self.expect(*code, MTy::Ptr),
            Inst::CallRuntime {
                dst,
                func,
                args,
                fail,
            } => {
                let signature = func.signature();
                let params: Vec<MTy> = signature
                    .params
                    .iter()
                    .map(|kind| kind_mty(*kind))
                    .collect();
                self.list(args, &params, "arguments");
                match (dst, signature.result) {
                    (Some(dst), Some(kind)) => self.expect(*dst, kind_mty(kind)),
                    (Some(_), None) => self.problem("a result of a function without one"),
                    (None, _) => {}
                }
                if signature.fails != fail.is_some() {
                    self.problem("a failure edge that does not fit the function");
                }
            }
            Inst::CallExtern {
                dsts, func, args, ..
            } => {
                let Some(callee) = self.module.externs.get(func.0 as usize) else {
                    return self.problem("no such foreign function");
                };
                let params: Vec<MTy> = callee.params.iter().map(|param| param.ty).collect();
                let results: Vec<MTy> = callee.results.iter().map(|result| result.ty).collect();
                self.list(args, &params, "arguments");
                self.list(dsts, &results, "results");
            }
            Inst::Raise(..) => {}
        }
    }

    fn conversion(&mut self, dst: Var, op: ConvOp, src: Var) {
        let (Some(to), Some(from)) = (self.ty(dst), self.ty(src)) else {
            return;
        };
        let float = |ty| matches!(ty, MTy::F32 | MTy::F64);
        let int = |ty| matches!(ty, MTy::I8 | MTy::I16 | MTy::I32 | MTy::I64);
        let size = crate::repr::size_of;
        let good = match op {
            ConvOp::SExt | ConvOp::ZExt => int(from) && int(to) && size(from) < size(to),
            ConvOp::Truncate => int(from) && int(to) && size(from) > size(to),
            ConvOp::IntToFloat | ConvOp::UIntToFloat => int(from) && float(to),
            ConvOp::FloatToInt | ConvOp::FloatToUInt => float(from) && int(to),
            ConvOp::FloatToFloat => float(from) && float(to) && from != to,
            ConvOp::Bits => size(from) == size(to) && from != to,
        };
        if !good {
            self.problem(format!("{op:?} from {from:?} to {to:?}"));
        }
    }

    /// Forward data flow: the variables that are assigned on every way to a block.
    fn assigned_before_use(&mut self) {
        let words = self.func.vars.len().div_ceil(64);
        let mut at_entry: Vec<Option<Vec<u64>>> = vec![None; self.func.blocks.len()];
        let mut first = vec![0u64; words];
        for param in &self.func.params {
            set(&mut first, *param);
        }
        if at_entry.is_empty() {
            return self.problem("no block at all");
        }
        at_entry[0] = Some(first);
        let mut work = vec![0usize];
        while let Some(index) = work.pop() {
            let Some(mut assigned) = at_entry[index].clone() else {
                continue;
            };
            let block = &self.func.blocks[index];
            for inst in &block.insts {
                if let Some(fail) = inst.fail() {
                    let mut there = assigned.clone();
                    if self.assigns_on_failure(inst) {
                        for def in inst.defs() {
                            set(&mut there, def);
                        }
                    }
                    meet(&mut at_entry, &mut work, fail.unwind, &there);
                }
                for def in inst.defs() {
                    set(&mut assigned, def);
                }
            }
            for target in block.term.targets() {
                meet(&mut at_entry, &mut work, target, &assigned);
            }
        }
        for (index, block) in self.func.blocks.iter().enumerate() {
            let Some(mut assigned) = at_entry[index].clone() else {
                continue;
            };
            for inst in &block.insts {
                for var in inst.uses() {
                    if !is_set(&assigned, var) {
                        self.at = format!("bb{index} {inst:?}");
                        self.problem(format!("v{} is read before it is assigned", var.0));
                    }
                }
                for def in inst.defs() {
                    set(&mut assigned, def);
                }
            }
            for var in block.term.uses() {
                if !is_set(&assigned, var) {
                    self.at = format!("bb{index} terminator");
                    self.problem(format!("v{} is read before it is assigned", var.0));
                }
            }
        }
    }

    /// Whether the results count on the failing edge too: those of functions that hand `self` back with the error.
    fn assigns_on_failure(&self, inst: &Inst) -> bool {
        let Inst::Call { func, .. } = inst else {
            return false;
        };
        self.module
            .funcs
            .get(func.0 as usize)
            .is_some_and(|callee| {
                callee
                    .blocks
                    .iter()
                    .any(|block| matches!(block.term, Term::PropagateWith(_)))
                    || !callee.can_fail
            })
    }
}

fn set(words: &mut [u64], var: Var) {
    if let Some(word) = words.get_mut(var.0 as usize / 64) {
        *word |= 1 << (var.0 % 64);
    }
}

fn is_set(words: &[u64], var: Var) -> bool {
    words
        .get(var.0 as usize / 64)
        .is_some_and(|word| word >> (var.0 % 64) & 1 == 1)
}

fn meet(
    at_entry: &mut [Option<Vec<u64>>],
    work: &mut Vec<usize>,
    block: BlockId,
    assigned: &[u64],
) {
    let slot = &mut at_entry[block.0 as usize];
    match slot {
        None => {
            *slot = Some(assigned.to_vec());
            work.push(block.0 as usize);
        }
        Some(known) => {
            let mut changed = false;
            for (word, other) in known.iter_mut().zip(assigned) {
                changed |= *word & !other != 0;
                *word &= other;
            }
            if changed {
                work.push(block.0 as usize);
            }
        }
    }
}
