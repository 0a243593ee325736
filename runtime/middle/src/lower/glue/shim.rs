//! Shims: functions that are called by address and pass the call on in the form that the real function takes.

use super::super::builder::Builder;
use super::super::value::Value;
use crate::mir::{CmpOp, FnId, MTy, Term};
use crate::repr::{Counted, Leaf};
use simple_core::layout::COUNT;
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

    /// A method called through a trait object over a boxed value. A method that changes it finds the box unshared.
    pub fn boxed_method_glue(&mut self, func: FuncId, ty: TyId, span: Span) {
        let object = self.param(MTy::Ptr);
        let tys: Vec<TyId> = self.param_types(func).into_iter().skip(1).collect();
        let shapes = self.cx.reprs.all_leaves(&tys);
        let rest = self.params(&shapes);
        let results = self.result_types(func);
        if self.cx.program.funcs[func.0 as usize].inout_self {
            let own = self.cx.reprs.leaves(ty).len() + 1;
            self.function.results = results[..results.len().saturating_sub(own)].to_vec();
            let mut target = self.boxed_target(object, ty);
            let dsts =
                self.call_inout_memory(func, &mut target, &[Value::stable(rest)], None, span);
            self.end(Term::Return(dsts));
            return;
        }
        let mut args = self.unboxed(object, ty).leaves;
        args.extend(rest);
        self.function.results = results.clone();
        let dsts = self.call(FnId(func.0), args, &results, span);
        self.end(Term::Return(dsts));
    }

    /// `(object, in place) -> object`: with `in place` the owned object comes back with an unshared box; without,
    /// a class instance comes back and null for any other. See `object.rs`.
    pub fn unshare_glue(&mut self, ty: TyId, span: Span) {
        let object = self.param(MTy::Ptr);
        let in_place = self.param(MTy::I8);
        self.function.results = vec![MTy::Ptr];
        if self.cx.boxes_itself(ty) {
            self.end(Term::Return(vec![object]));
            return;
        }
        let (owned, fixed) = (self.block(), self.block());
        self.branch(in_place, owned, fixed);
        self.switch(fixed);
        let null = self.null();
        self.end(Term::Return(vec![null]));
        self.switch(owned);
        let count = self.load(MTy::I64, object, COUNT);
        let alone = self.cmp_int(CmpOp::Eq, count, 1);
        let (same, copy) = (self.block(), self.block());
        self.branch(alone, same, copy);
        self.switch(same);
        self.end(Term::Return(vec![object]));
        self.switch(copy);
        let leaves = self.load_boxed(object, ty);
        let fresh = self.boxed(Value::stable(leaves), ty, span);
        let shape = Leaf {
            ty: MTy::Ptr,
            counted: Some(Counted::Dynamic),
            nullable: false,
        };
        self.release(object, shape);
        self.end(Term::Return(vec![fresh]));
    }
}
