//! Shims: functions that are called by address and pass the call on in the form that the real function takes.

use super::super::builder::Builder;
use crate::mir::{Fail, FnId, Inst, MTy, Term, Var};
use crate::repr::layout_of_leaves;
use simple_core::layout::FIELDS;
use simple_sema::typed::{FuncId, TyId};
use simple_syntax::Span;

impl<'c, 'p> Builder<'c, 'p> {
    /// A named function as a closure's code: the closure object comes first and is not looked at.
    pub fn func_shim_glue(&mut self, func: FuncId, span: Span) {
        self.param(MTy::Ptr);
        let tys = self.param_types(func);
        let shapes = self.cx.reprs.all_leaves(&tys);
        let args = self.params(&shapes);
        let results = self.result_types(func);
        self.function.results = results.clone();
        let dsts = self.call(FnId(func.0), args, &results, span);
        self.end(Term::Return(dsts));
    }

    /// A method called through a trait object over a boxed value.
    pub fn boxed_method_glue(&mut self, func: FuncId, ty: TyId, span: Span) {
        let object = self.param(MTy::Ptr);
        let tys: Vec<TyId> = self.param_types(func).into_iter().skip(1).collect();
        let shapes = self.cx.reprs.all_leaves(&tys);
        let rest = self.params(&shapes);
        let this = self.unboxed(object, ty);
        let mut args = this.leaves.clone();
        args.extend(&rest);
        let results = self.result_types(func);
        if !self.cx.program.funcs[func.0 as usize].inout_self {
            self.function.results = results.clone();
            let dsts = self.call(FnId(func.0), args, &results, span);
            self.end(Term::Return(dsts));
            return;
        }
        // The method gets references of its own, and what it gives back replaces what the box holds.
        self.retain_all(ty, &this.leaves);
        let len = this.leaves.len();
        let ret_len = results.len().saturating_sub(len + 1);
        self.function.results = results[..ret_len].to_vec();
        let dsts: Vec<Var> = results.iter().map(|ty| self.var(*ty)).collect();
        let site = self.site(span);
        let after = self.unwind();
        let landing = self.cold_block();
        self.emit(Inst::Call {
            dsts: dsts.clone(),
            func: FnId(func.0),
            args,
            fail: Some(Fail {
                site,
                unwind: landing,
            }),
        });
        self.on_landing(landing, after, |builder| {
            let marker = dsts[dsts.len() - 1];
            let back: Vec<Var> = this
                .leaves
                .iter()
                .zip(&dsts[ret_len..])
                .map(|(old, new)| builder.select(marker, *new, *old))
                .collect();
            builder.put_back(object, ty, &this.leaves, &back);
        });
        let back = dsts[ret_len..ret_len + len].to_vec();
        self.put_back(object, ty, &this.leaves, &back);
        self.end(Term::Return(dsts[..ret_len].to_vec()));
    }

    /// Stores a changed value into its box; a value that is its own object has no box, and its change is lost.
    fn put_back(&mut self, object: Var, ty: TyId, old: &[Var], new: &[Var]) {
        if self.cx.boxes_itself(ty) {
            self.release_all(ty, new);
            return;
        }
        let shapes = self.cx.reprs.leaves(ty);
        let layout = layout_of_leaves(&shapes, FIELDS as u32);
        self.store_leaves(&layout, 0..shapes.len(), object, new);
        self.release_all(ty, old);
    }
}
