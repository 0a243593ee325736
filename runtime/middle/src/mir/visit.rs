//! Operands, results and edges of instructions and terminators, for passes and checks.

use super::{BlockId, Fail, Inst, Term, Var};
use smallvec::{SmallVec, smallvec};

impl Inst {
    /// The variables that it assigns.
    pub fn defs(&self) -> Vec<Var> {
        let mut out = Vec::new();
        self.each_def(&mut |var| out.push(var));
        out
    }

    /// Visits the variables that it assigns.
    pub fn each_def(&self, visit: &mut dyn FnMut(Var)) {
        match self {
            Inst::Const(dst, _)
            | Inst::Copy(dst, _)
            | Inst::Bin(dst, ..)
            | Inst::Un(dst, ..)
            | Inst::Cmp(dst, ..)
            | Inst::Conv(dst, ..)
            | Inst::Select(dst, ..)
            | Inst::Checked(dst, ..)
            | Inst::Load(dst, ..)
            | Inst::LoadAt(dst, ..)
            | Inst::AddrAt(dst, ..) => visit(*dst),
            Inst::Call { dsts, .. }
            | Inst::CallIndirect { dsts, .. }
            | Inst::CallExtern { dsts, .. } => dsts.iter().copied().for_each(visit),
            Inst::CallRuntime { dst, .. } => dst.iter().copied().for_each(visit),
            Inst::Check { .. }
            | Inst::Store(..)
            | Inst::StoreAt(..)
            | Inst::Retain(..)
            | Inst::Release(..)
            | Inst::Raise(..)
            | Inst::Panic(..) => {}
        }
    }

    /// The variables that it reads.
    pub fn uses(&self) -> Vec<Var> {
        let mut out = Vec::new();
        self.each_use(&mut |var| out.push(var));
        out
    }

    /// Visits the variables that it reads.
    pub fn each_use(&self, visit: &mut dyn FnMut(Var)) {
        let mut each = |vars: &[Var]| vars.iter().copied().for_each(&mut *visit);
        match self {
            Inst::Const(..) | Inst::Raise(..) => {}
            Inst::Copy(_, a) | Inst::Un(_, _, a) | Inst::Conv(_, _, a) | Inst::Load(_, a, _) => {
                each(&[*a]);
            }
            Inst::Bin(_, _, a, b) | Inst::Cmp(_, _, a, b) | Inst::Checked(_, _, _, a, b, _) => {
                each(&[*a, *b]);
            }
            Inst::Select(_, c, a, b) => each(&[*c, *a, *b]),
            Inst::Check { cond, a, b, .. } => {
                each(&[*cond]);
                each(a.as_slice());
                each(b.as_slice());
            }
            Inst::Store(base, _, src) => each(&[*base, *src]),
            Inst::LoadAt(_, base, index, ..) | Inst::AddrAt(_, base, index, ..) => {
                each(&[*base, *index]);
            }
            Inst::StoreAt(base, index, _, _, src) => each(&[*base, *index, *src]),
            Inst::Retain(a, _) | Inst::Release(a, _) | Inst::Panic(a, _) => each(&[*a]),
            Inst::Call { args, .. }
            | Inst::CallRuntime { args, .. }
            | Inst::CallExtern { args, .. } => each(args),
            Inst::CallIndirect { code, args, .. } => {
                each(&[*code]);
                each(args);
            }
        }
    }

    /// Replaces the variables that it reads.
    pub fn map_uses(&mut self, map: &mut dyn FnMut(Var) -> Var) {
        let mut on = |var: &mut Var| *var = map(*var);
        match self {
            Inst::Const(..) | Inst::Raise(..) => {}
            Inst::Copy(_, a) | Inst::Un(_, _, a) | Inst::Conv(_, _, a) | Inst::Load(_, a, _) => {
                on(a)
            }
            Inst::Bin(_, _, a, b) | Inst::Cmp(_, _, a, b) | Inst::Checked(_, _, _, a, b, _) => {
                on(a);
                on(b);
            }
            Inst::Select(_, c, a, b) => {
                on(c);
                on(a);
                on(b);
            }
            Inst::Check { cond, a, b, .. } => {
                on(cond);
                a.iter_mut().chain(b).for_each(on);
            }
            Inst::Store(base, _, src) => {
                on(base);
                on(src);
            }
            Inst::LoadAt(_, base, index, ..) | Inst::AddrAt(_, base, index, ..) => {
                on(base);
                on(index);
            }
            Inst::StoreAt(base, index, _, _, src) => {
                on(base);
                on(index);
                on(src);
            }
            Inst::Retain(a, _) | Inst::Release(a, _) | Inst::Panic(a, _) => on(a),
            Inst::Call { args, .. }
            | Inst::CallRuntime { args, .. }
            | Inst::CallExtern { args, .. } => {
                args.iter_mut().for_each(on);
            }
            Inst::CallIndirect { code, args, .. } => {
                on(code);
                args.iter_mut().for_each(on);
            }
        }
    }

    /// Replaces the variables that it assigns.
    pub fn map_defs(&mut self, map: &mut dyn FnMut(Var) -> Var) {
        let mut on = |var: &mut Var| *var = map(*var);
        match self {
            Inst::Const(dst, _)
            | Inst::Copy(dst, _)
            | Inst::Bin(dst, ..)
            | Inst::Un(dst, ..)
            | Inst::Cmp(dst, ..)
            | Inst::Conv(dst, ..)
            | Inst::Select(dst, ..)
            | Inst::Checked(dst, ..)
            | Inst::Load(dst, ..)
            | Inst::LoadAt(dst, ..)
            | Inst::AddrAt(dst, ..) => on(dst),
            Inst::Call { dsts, .. }
            | Inst::CallIndirect { dsts, .. }
            | Inst::CallExtern { dsts, .. } => {
                dsts.iter_mut().for_each(on);
            }
            Inst::CallRuntime { dst, .. } => dst.iter_mut().for_each(on),
            Inst::Check { .. }
            | Inst::Store(..)
            | Inst::StoreAt(..)
            | Inst::Retain(..)
            | Inst::Release(..)
            | Inst::Raise(..)
            | Inst::Panic(..) => {}
        }
    }

    /// Where it goes when it fails.
    pub fn fail(&self) -> Option<Fail> {
        match self {
            Inst::Checked(.., fail)
            | Inst::Check { fail, .. }
            | Inst::CallIndirect { fail, .. }
            | Inst::CallExtern { fail, .. }
            | Inst::Raise(_, fail)
            | Inst::Panic(_, fail) => Some(*fail),
            Inst::Call { fail, .. } | Inst::CallRuntime { fail, .. } => *fail,
            _ => None,
        }
    }

    /// The edge it takes when it fails, to change it.
    pub fn fail_mut(&mut self) -> Option<&mut Fail> {
        match self {
            Inst::Checked(.., fail)
            | Inst::Check { fail, .. }
            | Inst::CallIndirect { fail, .. }
            | Inst::CallExtern { fail, .. }
            | Inst::Raise(_, fail)
            | Inst::Panic(_, fail) => Some(fail),
            Inst::Call { fail, .. } | Inst::CallRuntime { fail, .. } => fail.as_mut(),
            _ => None,
        }
    }
}

impl Term {
    /// The blocks it may go to.
    pub fn targets(&self) -> SmallVec<[BlockId; 2]> {
        match self {
            Term::Jump(target) => smallvec![*target],
            Term::Branch(_, then, otherwise) => smallvec![*then, *otherwise],
            Term::Switch(_, cases, otherwise) => cases
                .iter()
                .map(|(_, block)| *block)
                .chain(std::iter::once(*otherwise))
                .collect(),
            Term::Return(_) | Term::Propagate | Term::PropagateWith(_) | Term::Unreachable => {
                SmallVec::new()
            }
        }
    }

    /// Replaces the blocks it may go to.
    pub fn map_targets(&mut self, map: &mut dyn FnMut(BlockId) -> BlockId) {
        match self {
            Term::Jump(target) => *target = map(*target),
            Term::Branch(_, then, otherwise) => {
                *then = map(*then);
                *otherwise = map(*otherwise);
            }
            Term::Switch(_, cases, otherwise) => {
                for (_, block) in cases {
                    *block = map(*block);
                }
                *otherwise = map(*otherwise);
            }
            Term::Return(_) | Term::Propagate | Term::PropagateWith(_) | Term::Unreachable => {}
        }
    }

    /// The variables that it reads.
    pub fn uses(&self) -> Vec<Var> {
        match self {
            Term::Branch(var, ..) | Term::Switch(var, ..) => vec![*var],
            Term::Return(vars) | Term::PropagateWith(vars) => vars.clone(),
            Term::Jump(_) | Term::Propagate | Term::Unreachable => Vec::new(),
        }
    }

    /// Visits the variables that it reads.
    pub fn each_use(&self, visit: &mut dyn FnMut(Var)) {
        match self {
            Term::Branch(var, ..) | Term::Switch(var, ..) => visit(*var),
            Term::Return(vars) | Term::PropagateWith(vars) => vars.iter().copied().for_each(visit),
            Term::Jump(_) | Term::Propagate | Term::Unreachable => {}
        }
    }

    /// Replaces the variables that it reads.
    pub fn map_uses(&mut self, map: &mut dyn FnMut(Var) -> Var) {
        match self {
            Term::Branch(var, ..) | Term::Switch(var, ..) => *var = map(*var),
            Term::Return(vars) | Term::PropagateWith(vars) => {
                for var in vars {
                    *var = map(*var);
                }
            }
            Term::Jump(_) | Term::Propagate | Term::Unreachable => {}
        }
    }
}
