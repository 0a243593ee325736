//! Functions of the program that C calls: passing them, and the functions through which C's calls come.
//!
//! C gets the address of a thunk, which leads to one function per type of closure, made here: it turns C's arguments into values of the
//! program, calls the closure of the thunk's slot, and turns the result back. An error of the closure stays recorded while C
//! goes on with a zero, and leaves the foreign call when C returns. See `simple_core::callback`.

use super::builder::Builder;
use super::foreign_abi::{self, Passing, scalar};
use super::glue::Glue;
use super::value::Value;
use crate::mir::{CmpOp, Const, Convention, Inst, MTy, Term, Var};
use simple_core::callback::{NO_REGISTER, SLOT_CLOSURE};
use simple_core::layout::FIELDS;
use simple_core::table::RtFn;
use simple_ffi_abi::foreign::ForeignFn;
use simple_sema::typed::{Extern, Foreign, Ty, TyId};
use simple_syntax::Span;

impl<'c, 'p> Builder<'c, 'p> {
    /// Which foreign function is given a function of the program, and where: for a call that comes too late.
    pub(super) fn given_to(&self, declared: &Extern, span: Span) -> String {
        format!("`{}` was given it at {}", declared.name, self.place(span))
    }

    /// An address by which C can call a function during this call; 0 for nil. The caller gives it back. `given` says who was given
    /// the function, here and below.
    pub(super) fn passed_function(
        &mut self,
        closure: Var,
        ty: TyId,
        (given, function): (&str, &ForeignFn),
        span: Span,
    ) -> Var {
        let zero = self.i64(0);
        let thunk = self.copy(zero);
        let done = self.unless_nil(closure, function.optional);
        let ty = self.function_type(ty);
        let made = self.thunk(closure, (ty, false), (given, function), span);
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
        (given, function): (&str, &ForeignFn),
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
        let made = self.thunk(closure, of, (given, function), span);
        self.store(object, offsets[1], made);
        self.emit(Inst::Copy(thunk, made));
        self.jump(done);
        self.switch(done);
        thunk
    }

    /// The address by which C calls the function of a `Callback`, which keeps it, for a program that passes it in its own way: in
    /// a field of a struct.
    pub(super) fn callback_address(&mut self, object: Var, ty: TyId, span: Span) -> Var {
        let of = match *self.cx.types.get(ty) {
            Ty::Adt(id) => self.cx.types.adts[id.0 as usize].args.first().copied(),
            _ => None,
        };
        let function = of.and_then(|of| match self.cx.types.foreign.get(&of) {
            Some(Foreign::Function(function)) => Some(function.clone()),
            _ => None,
        });
        let given = "its address came from `Callback.address`";
        match function {
            Some(function) => self.kept_function(object, ty, (given, &function), span),
            None => self.i64(0),
        }
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
        (given, function): (&str, &ForeignFn),
        span: Span,
    ) -> Var {
        if !cfg!(target_arch = "x86_64") {
            let what = "functions that C calls on this kind of processor";
            self.cx.not_supported(span, what);
        }
        let entry = self.cx.glue(Glue::Callback(ty, kept));
        let entry = self.constant(MTy::Ptr, Const::Func(entry));
        let returned = self.i64(returned_bytes(function).into());
        let words = self.i64(words_of(function) as i64);
        let given = self.cx.text(given);
        let given = self.constant(MTy::Ptr, Const::Text(given));
        let args = [closure, entry, words, returned, given];
        self.rt_value(RtFn::CallbackTake, &args, span)
    }

    /// `(C's arguments, slot) -> C's result`: what thunks for functions of a type lead to. Where C's arguments leave no register for the
    /// slot it is asked for.
    pub fn callback_glue(&mut self, ty: TyId, kept: bool, span: Span) {
        let Some(Foreign::Function(function)) = self.cx.types.foreign.get(&ty) else {
            return;
        };
        let Ty::Fn(tys, ret) = self.cx.types.get(ty) else {
            return;
        };
        let returned = returned_bytes(function);
        self.function.convention = Convention::Callback { returned };
        let place = (returned > 0).then(|| self.param(MTy::Ptr));
        let passing = foreign_abi::passed_back(function).params;
        let mut given = Vec::with_capacity(passing.len());
        for (foreign, passing) in function.params.iter().zip(passing) {
            given.push(self.params_of_c(foreign, passing));
        }
        let slot = (words_of(function) < NO_REGISTER).then(|| self.param(MTy::Ptr));
        self.function.results = match place {
            Some(_) => vec![MTy::Ptr],
            None => (foreign_abi::results(&function.result).iter())
                .map(|result| result.ty)
                .collect(),
        };
        let failed = self.cold_block();
        self.reached[failed.0 as usize] = true;
        self.on_error = Some(failed);
        let slot = match slot {
            Some(slot) => slot,
            None => self.rt_value(RtFn::CallbackSlot, &[], span),
        };
        let closure = self.load(MTy::Ptr, slot, SLOT_CLOSURE);
        if kept {
            // The program may let go of it while it runs.
            self.hold_copy(Value::plain(closure), ty);
        }
        let mut leaves = vec![closure];
        let mut values = Vec::with_capacity(given.len());
        for ((foreign, ty), (given, place)) in function.params.iter().zip(tys).zip(given) {
            let value = match foreign {
                Foreign::Struct(_) => self.struct_result((*ty, foreign), given, place, span),
                _ => self.c_result(*ty, foreign, given, span),
            };
            leaves.extend(&value.leaves);
            values.push(value);
        }
        let code = self.load(MTy::Ptr, closure, FIELDS);
        let value = self.call_indirect(code, leaves, &values, *ret, span);
        let yielded = self.yield_to_c(&value, (*ret, &function.result), place, span);
        self.leave(0);
        self.end(Term::Return(yielded));
        self.switch(failed);
        let zeros = self.zeros_for_c(place, returned, span);
        self.end(Term::Return(zeros));
    }

    /// The parameters in which C passes a value: its scalars, or the address of a struct on C's stack.
    pub(super) fn params_of_c(
        &mut self,
        foreign: &Foreign,
        passing: Passing,
    ) -> (Vec<Var>, Option<Var>) {
        match passing {
            Passing::Scalars => (vec![self.param(scalar(foreign).ty)], None),
            Passing::Registers(floats) => {
                let parts = floats.into_iter().map(foreign_abi::eightbyte);
                (parts.map(|part| self.param(part.ty)).collect(), None)
            }
            Passing::Memory => {
                let bytes = foreign.size().next_multiple_of(8);
                let at = self.function.params.len();
                self.function.on_stack.push((at, bytes));
                (Vec::new(), Some(self.param(MTy::Ptr)))
            }
        }
    }

    /// What C gets in place of a result that there is not.
    pub(super) fn zeros_for_c(
        &mut self,
        place: Option<Var>,
        returned: u32,
        span: Span,
    ) -> Vec<Var> {
        match place {
            Some(place) => {
                let bytes = self.i64(returned.into());
                self.rt(RtFn::CallbackZero, &[place, bytes], span);
                vec![place]
            }
            None => (self.function.results.clone().into_iter())
                .map(|ty| self.zero(ty))
                .collect(),
        }
    }

    /// A value as C wants to have a result: in registers, or at its place.
    pub(super) fn yield_to_c(
        &mut self,
        value: &Value,
        (ty, foreign): (TyId, &Foreign),
        place: Option<Var>,
        span: Span,
    ) -> Vec<Var> {
        match (foreign, place) {
            (_, Some(place)) => {
                self.c_store(foreign, ty, (place, 0), value, span);
                vec![place]
            }
            (Foreign::Struct(layout), None) => {
                let floats = layout.eightbytes().unwrap_or_default();
                self.eightbytes(value, (ty, foreign), &floats, span)
            }
            (Foreign::Unit, None) => Vec::new(),
            (_, None) => self.scalar_to_c(value, foreign).into_iter().collect(),
        }
    }
}

/// Bytes of a result that C wants in memory; otherwise 0.
pub(super) fn returned_bytes(function: &ForeignFn) -> u32 {
    function.result.in_memory().unwrap_or(0)
}

/// Which register is free for the slot, by its number; [`NO_REGISTER`] if none is. A result in memory takes none, because a call that
/// comes too late has to find how large it is.
fn words_of(function: &ForeignFn) -> usize {
    match returned_bytes(function) {
        0 => foreign_abi::passed_back(function).words,
        _ => NO_REGISTER,
    }
}
