//! Functions of the program that C calls: passing them, and the functions through which C's calls come.
//!
//! C gets the address of a thunk, which leads to one function per type of closure, made here: it turns C's arguments into values of the
//! program, calls the closure of the thunk's slot, and turns the result back. An error of the closure stays recorded while C
//! goes on with a zero, and leaves the foreign call when C returns. See `simple_core::callback`.

use super::builder::Builder;
use super::foreign_abi::scalar;
use super::glue::Glue;
use super::value::Value;
use crate::mir::{CmpOp, Const, Inst, MTy, Term, Var};
use simple_core::callback::SLOT_CLOSURE;
use simple_core::layout::FIELDS;
use simple_core::table::RtFn;
use simple_ffi_abi::foreign::ForeignFn;
use simple_sema::typed::{Foreign, Ty, TyId};
use simple_syntax::Span;

impl<'c, 'p> Builder<'c, 'p> {
    /// An address by which C can call a function during this call; 0 for nil. The caller gives it back.
    pub(super) fn passed_function(
        &mut self,
        closure: Var,
        ty: TyId,
        function: &ForeignFn,
        span: Span,
    ) -> Var {
        let zero = self.i64(0);
        let thunk = self.copy(zero);
        let done = self.unless_nil(closure, function.optional);
        let ty = self.function_type(ty);
        let made = self.thunk(closure, (ty, false), function, span);
        self.emit(Inst::Copy(thunk, made));
        self.jump(done);
        self.switch(done);
        thunk
    }

    /// The address by which C calls the function of a `Callback`, which keeps it; 0 for nil.
    pub(super) fn kept_function(
        &mut self,
        object: Var,
        ty: TyId,
        function: &ForeignFn,
        span: Span,
    ) -> Var {
        let zero = self.i64(0);
        let thunk = self.copy(zero);
        let done = self.unless_nil(object, function.optional);
        let class = match *self.cx.types.get(ty) {
            Ty::Option(item) => item,
            _ => ty,
        };
        let Ty::Adt(id) = *self.cx.types.get(class) else {
            return thunk;
        };
        let of = self.cx.types.adts[id.0 as usize].args.first().copied();
        let offsets = self.cx.reprs.class_layout(id).offsets.clone();
        let held = self.load(MTy::I64, object, offsets[1]);
        self.emit(Inst::Copy(thunk, held));
        let new = self.block();
        let known = self.cmp_int(CmpOp::Ne, held, 0);
        self.branch(known, done, new);
        self.switch(new);
        let closure = self.load(MTy::Ptr, object, offsets[0]);
        let of = (of.unwrap_or(TyId::ERROR), true);
        let made = self.thunk(closure, of, function, span);
        self.store(object, offsets[1], made);
        self.emit(Inst::Copy(thunk, made));
        self.jump(done);
        self.switch(done);
        thunk
    }

    /// Goes on where a pointer that may be null is there; the block for afterwards.
    fn unless_nil(&mut self, pointer: Var, optional: bool) -> crate::mir::BlockId {
        let (there, done) = (self.block(), self.block());
        match optional {
            true => {
                let present = self.cmp_int(CmpOp::Ne, pointer, 0);
                self.branch(present, there, done);
            }
            false => self.jump(there),
        }
        self.switch(there);
        done
    }

    fn function_type(&self, ty: TyId) -> TyId {
        match *self.cx.types.get(ty) {
            Ty::Option(item) => item,
            _ => ty,
        }
    }

    fn thunk(
        &mut self,
        closure: Var,
        (ty, kept): (TyId, bool),
        function: &ForeignFn,
        span: Span,
    ) -> Var {
        if !cfg!(target_arch = "x86_64") {
            let what = "functions that C calls on this kind of processor";
            self.cx.not_supported(span, what);
        }
        let entry = self.cx.glue(Glue::Callback(ty, kept));
        let entry = self.constant(MTy::Ptr, Const::Func(entry));
        let is_float = |foreign: &&Foreign| matches!(foreign, Foreign::F32 | Foreign::F64);
        let floats = function.params.iter().filter(is_float).count();
        let register = self.i64((function.params.len() - floats) as i64);
        self.rt_value(RtFn::CallbackTake, &[closure, entry, register], span)
    }

    /// `(C's arguments, slot) -> C's result`: what thunks for functions of a type lead to.
    pub fn callback_glue(&mut self, ty: TyId, kept: bool, span: Span) {
        let Some(Foreign::Function(function)) = self.cx.types.foreign.get(&ty) else {
            return;
        };
        let Ty::Fn(tys, ret) = self.cx.types.get(ty) else {
            return;
        };
        let args: Vec<Var> = (function.params.iter())
            .map(|param| self.param(scalar(param).ty))
            .collect();
        let slot = self.param(MTy::Ptr);
        let result = match &function.result {
            Foreign::Unit => None,
            foreign => Some(scalar(foreign).ty),
        };
        self.function.results = result.into_iter().collect();
        let failed = self.cold_block();
        self.reached[failed.0 as usize] = true;
        self.on_error = Some(failed);
        let closure = self.load(MTy::Ptr, slot, SLOT_CLOSURE);
        let held = match kept {
            // The program may let go of it while it runs.
            true => Some(self.hold_copy(Value::plain(closure), ty)),
            false => None,
        };
        let mut leaves = vec![closure];
        let mut values = Vec::with_capacity(args.len());
        for ((foreign, ty), arg) in function.params.iter().zip(tys).zip(args) {
            let value = self.c_result(*ty, foreign, vec![arg], span);
            leaves.extend(&value.leaves);
            values.push(value);
        }
        let code = self.load(MTy::Ptr, closure, FIELDS);
        let value = self.call_indirect(code, leaves, &values, *ret, span);
        let yielded = match result {
            Some(_) => self.scalar_to_c(&value, &function.result),
            None => None,
        };
        if let Some(held) = held {
            self.discard(&held);
        }
        self.end(Term::Return(yielded.into_iter().collect()));
        self.switch(failed);
        let zeros: Vec<Var> = result.into_iter().map(|ty| self.zero(ty)).collect();
        self.end(Term::Return(zeros));
    }
}
