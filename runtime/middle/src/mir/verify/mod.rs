//! Checks of the middle form: a module that passes can be translated.
//!
//! - operands of every instruction have the types that it takes, arguments and results those of the callee's signature (`calls.rs`);
//! - every number (function, block, text, descriptor, table, site, slot ...) exists;
//! - what is counted is an object, and memory whose size the function shows is not left (`memory.rs`);
//! - nothing is read before it is assigned (`flow.rs`).
//!
//! It runs over every program after lowering and again after the passes: the passes and the backend take all this for
//! granted. A problem is a bug in the compiler, never in the program. It cannot see what
//! a pointer loaded from memory points to, nor the signature of code that is called by its address.

mod calls;
mod flow;
mod memory;
#[cfg(test)]
mod tests;

use super::{
    BinOp, Block, BlockId, CmpOp, Const, ConvOp, Convention, FnId, Function, Inst, MTy, Module,
    NO_FUNCTION, SiteId, Term, UnOp, Var,
};
use crate::repr::size_of;

/// Something that is wrong in a module.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    /// The function, if it is in one.
    pub func: Option<FnId>,
    /// What is wrong and where, for the compiler's developers.
    pub text: String,
}

/// Everything that is wrong; empty when the module is sound.
pub fn verify(module: &Module) -> Vec<Problem> {
    let mut problems = Vec::new();
    calls::tables(module, &mut problems);
    for (index, func) in module.funcs.iter().enumerate() {
        let mut checker = Checker {
            module,
            func,
            problems: Vec::new(),
            at: At::Head,
        };
        checker.function();
        for text in checker.problems {
            problems.push(Problem {
                func: Some(FnId(index as u32)),
                text,
            });
        }
    }
    problems
}

/// What is being looked at; becomes text only when something is wrong.
#[derive(Clone, Copy)]
enum At<'m> {
    Head,
    Inst(usize, &'m Inst),
    Term(usize, &'m Term),
}

struct Checker<'m> {
    module: &'m Module,
    func: &'m Function,
    problems: Vec<String>,
    at: At<'m>,
}

impl<'m> Checker<'m> {
    fn problem(&mut self, text: impl Into<String>) {
        let place = match self.at {
            At::Head => "head".to_owned(),
            At::Inst(block, inst) => format!("bb{block} {inst:?}"),
            At::Term(block, term) => format!("bb{block} {term:?}"),
        };
        self.problems.push(format!("{place}: {}", text.into()));
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

    /// One of several types.
    fn of(&mut self, var: Var, fits: fn(MTy) -> bool, what: &str) {
        if let Some(ty) = self.ty(var)
            && !fits(ty)
        {
            self.problem(format!("v{} is {ty:?} but {what} is needed", var.0));
        }
    }

    fn list(&mut self, vars: &[Var], wanted: impl ExactSizeIterator<Item = MTy>, what: &str) {
        if vars.len() != wanted.len() {
            let (found, wanted) = (vars.len(), wanted.len());
            return self.problem(format!("{found} {what} where {wanted} are needed"));
        }
        for (var, ty) in vars.iter().zip(wanted) {
            self.expect(*var, ty);
        }
    }

    fn exists(&mut self, number: u32, count: usize, what: &str) {
        if number as usize >= count {
            self.problem(format!("{what} {number} does not exist"));
        }
    }

    fn block_exists(&mut self, block: BlockId) {
        self.exists(block.0, self.func.blocks.len(), "block");
    }

    fn site_exists(&mut self, site: SiteId) {
        self.exists(site.0, self.module.sites.len(), "site");
    }

    fn function(&mut self) {
        let func = self.func;
        for param in &func.params {
            self.ty(*param);
        }
        if let Some(site) = func.site {
            self.site_exists(site);
        }
        if func.blocks.is_empty() {
            return self.problem("no block at all");
        }
        for (index, block) in func.blocks.iter().enumerate() {
            for inst in &block.insts {
                self.at = At::Inst(index, inst);
                self.instruction(inst);
                if let Some(fail) = inst.fail() {
                    self.block_exists(fail.unwind);
                    self.site_exists(fail.site);
                }
            }
            self.at = At::Term(index, &block.term);
            for target in block.term.targets() {
                self.block_exists(target);
            }
            self.terminator(block);
        }
        // The rest follows edges and variables, which must exist.
        if self.problems.is_empty() {
            self.memory();
            self.assigned_before_use();
        }
    }

    fn terminator(&mut self, block: &'m Block) {
        let results = &self.func.results;
        if let Some(Inst::Raise(..)) = block.insts.last()
            && block.term != Term::Unreachable
        {
            self.problem("code after an error that is always raised");
        }
        match &block.term {
            Term::Branch(cond, ..) => self.expect(*cond, MTy::I8),
            Term::Switch(var, ..) => self.of(*var, is_int, "an integer"),
            Term::Return(vars) => self.list(vars, results.iter().copied(), "results"),
            Term::PropagateWith(vars) => {
                let from = results.len().saturating_sub(vars.len());
                let last = results[from..].iter().copied();
                self.list(vars, last, "results with the error");
                self.may_propagate();
            }
            Term::Propagate => self.may_propagate(),
            Term::Jump(_) | Term::Unreachable => {}
        }
    }

    fn may_propagate(&mut self) {
        if self.func.convention != Convention::Simple {
            self.problem("a C function cannot propagate");
        } else if !self.func.can_fail {
            self.problem("an error leaves a function that cannot fail");
        }
    }

    fn instruction(&mut self, inst: &'m Inst) {
        match inst {
            Inst::Const(dst, value) => self.constant(*dst, value),
            Inst::Copy(dst, src) => self.same(*dst, *src),
            Inst::Un(dst, op, src) => {
                self.same(*dst, *src);
                match op {
                    UnOp::Neg | UnOp::Abs => self.of(*src, is_number, "a number"),
                    UnOp::Not => {
                        self.of(*src, |ty| is_int(ty.element().unwrap_or(ty)), "an integer");
                    }
                    UnOp::CountOnes | UnOp::LeadingZeros | UnOp::TrailingZeros => {
                        self.of(*src, is_int, "an integer");
                    }
                    UnOp::Sqrt | UnOp::Floor | UnOp::Ceil | UnOp::Trunc => {
                        self.of(*src, |ty| is_float(ty.element().unwrap_or(ty)), "a float");
                    }
                }
            }
            Inst::Bin(dst, op, a, b) => {
                self.same(*dst, *a);
                if let Some(element) = self.func.vars.get(a.0 as usize).and_then(|ty| ty.element())
                {
                    return self.vector_operation(*op, element, *dst, *a, *b);
                }
                self.same(*a, *b);
                match op {
                    BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div | BinOp::Min | BinOp::Max => {
                        self.of(*a, is_number, "a number");
                    }
                    BinOp::MulHigh | BinOp::UMulHigh => self.expect(*a, MTy::I64),
                    _ => self.of(*a, is_int, "an integer"),
                }
            }
            Inst::Checked(dst, _, _, a, b, _) => {
                self.same(*dst, *a);
                self.same(*a, *b);
                self.of(*a, is_int, "an integer");
            }
            Inst::Cmp(dst, op, a, b) => {
                let ty = self.func.vars.get(a.0 as usize);
                self.expect(*dst, ty.and_then(|ty| ty.mask()).unwrap_or(MTy::I8));
                self.same(*a, *b);
                match op {
                    CmpOp::Eq | CmpOp::Ne => {}
                    CmpOp::Lt | CmpOp::Le | CmpOp::Gt | CmpOp::Ge => {
                        self.of(*a, is_number, "a number");
                    }
                    CmpOp::ULt | CmpOp::ULe | CmpOp::UGt | CmpOp::UGe => {
                        self.of(*a, |ty| !is_float(ty.element().unwrap_or(ty)), "an integer");
                    }
                }
            }
            Inst::Conv(dst, op, src) => self.conversion(*dst, *op, *src),
            Inst::Select(dst, cond, a, b) => {
                let ty = self.func.vars.get(dst.0 as usize);
                self.expect(*cond, ty.and_then(|ty| ty.mask()).unwrap_or(MTy::I8));
                self.same(*dst, *a);
                self.same(*a, *b);
            }
            Inst::Check { cond, a, b, .. } => {
                self.expect(*cond, MTy::I8);
                for number in a.iter().chain(b) {
                    self.expect(*number, MTy::I64);
                }
            }
            Inst::Load(value, base, _) | Inst::Store(base, _, value) => {
                self.ty(*value);
                self.expect(*base, MTy::Ptr);
            }
            Inst::LoadAt(value, base, index, ..) | Inst::StoreAt(base, index, .., value) => {
                self.ty(*value);
                self.expect(*base, MTy::Ptr);
                self.expect(*index, MTy::I64);
            }
            Inst::AddrAt(dst, base, index, ..) => {
                self.expect(*dst, MTy::Ptr);
                self.expect(*base, MTy::Ptr);
                self.expect(*index, MTy::I64);
            }
            Inst::Retain(var, _) | Inst::Panic(var, _) => self.expect(*var, MTy::Ptr),
            Inst::Release(var, release) => {
                self.expect(*var, MTy::Ptr);
                if let Some(destroy) = release.destroy {
                    self.destructor(destroy);
                }
            }
            Inst::Call { .. }
            | Inst::CallIndirect { .. }
            | Inst::CallRuntime { .. }
            | Inst::CallExtern { .. } => self.call(inst),
            Inst::Raise(..) => {}
        }
    }

    /// An operation on vectors: the same type throughout, but for the count of a shift.
    fn vector_operation(&mut self, op: BinOp, element: MTy, dst: Var, a: Var, b: Var) {
        self.same(dst, a);
        match op {
            BinOp::Shl | BinOp::Shr | BinOp::UShr => self.expect(b, MTy::I32),
            _ => self.same(a, b),
        }
        let good = match op {
            BinOp::Add | BinOp::Sub | BinOp::Mul => true,
            BinOp::Div => is_float(element),
            BinOp::Min | BinOp::Max => element != MTy::I64,
            BinOp::And | BinOp::Or | BinOp::Xor | BinOp::Shl | BinOp::Shr | BinOp::UShr => {
                is_int(element)
            }
            _ => false,
        };
        if !good {
            self.problem(format!("{op:?} of vectors of {element:?}"));
        }
    }

    fn constant(&mut self, dst: Var, value: &Const) {
        let module = self.module;
        let (number, count, what) = match *value {
            Const::Int(_) => return self.of(dst, |ty| !is_float(ty), "an integer or pointer"),
            Const::Float(_) => return self.of(dst, is_float, "a float"),
            Const::Site(site) => {
                self.expect(dst, MTy::I32);
                return self.site_exists(site);
            }
            Const::Text(text) => (text.0, module.texts.len(), "text"),
            Const::Desc(desc) | Const::Empty(desc) => (desc.0, module.descs.len(), "descriptor"),
            Const::Closure(func) | Const::Func(func) => (func.0, module.funcs.len(), "function"),
            Const::Vtable(table) => (table.0, module.vtables.len(), "method table"),
            Const::Static(home) => (home.0, module.statics.len(), "variable"),
            Const::Bytes(bytes) => (bytes.0, module.bytes.len(), "constant memory"),
            Const::Slot(slot) => (slot.0, self.func.slots.len(), "slot"),
        };
        self.expect(dst, MTy::Ptr);
        self.exists(number, count, what);
    }

    fn conversion(&mut self, dst: Var, op: ConvOp, src: Var) {
        let (Some(to), Some(from)) = (self.ty(dst), self.ty(src)) else {
            return;
        };
        if let (ConvOp::Splat, Some(element)) = (op, to.element()) {
            return self.expect(src, element);
        }
        // Vectors are converted element by element, as many to as many.
        let (to, from) = match (to.element(), from.element()) {
            (Some(to), Some(from)) if size_of(to) == size_of(from) => match op {
                ConvOp::Bits => (to, from),
                _ if size_of(to) == 4 => (to, from),
                _ => return self.problem(format!("{op:?} of vectors of {from:?}")),
            },
            _ => (to, from),
        };
        let good = match op {
            ConvOp::Splat => false,
            ConvOp::SExt | ConvOp::ZExt => {
                is_int(from) && is_int(to) && size_of(from) < size_of(to)
            }
            ConvOp::Truncate => is_int(from) && is_int(to) && size_of(from) > size_of(to),
            ConvOp::IntToFloat | ConvOp::UIntToFloat => is_int(from) && is_float(to),
            ConvOp::FloatToInt | ConvOp::FloatToUInt => is_float(from) && is_int(to),
            ConvOp::FloatToFloat => is_float(from) && is_float(to) && from != to,
            ConvOp::Bits => size_of(from) == size_of(to) && from != to,
        };
        if !good {
            self.problem(format!("{op:?} from {from:?} to {to:?}"));
        }
    }
}

fn is_int(ty: MTy) -> bool {
    matches!(ty, MTy::I8 | MTy::I16 | MTy::I32 | MTy::I64)
}

fn is_float(ty: MTy) -> bool {
    matches!(ty, MTy::F32 | MTy::F64)
}

fn is_number(ty: MTy) -> bool {
    ty != MTy::Ptr
}

/// Whether a function number may occur in a site.
fn may_name(func: FnId, module: &Module) -> bool {
    func == NO_FUNCTION || (func.0 as usize) < module.funcs.len()
}
