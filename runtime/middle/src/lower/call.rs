//! Calls of functions of the program.
//!
//! Arguments are borrowed; results are owned. An inout method takes `self` owned and gives it back as its last results, with a
//! marker that is 0 when it never began (the stack was full): then the caller's leaves are still the right ones.

use super::builder::Builder;
use super::place::Spot;
use super::value::Value;
use crate::mir::{BlockId, Fail, FnId, Inst, MTy, Term, Var};
use simple_core::table::RtFn;
use simple_sema::typed::{Expr, FuncId, Place, TyId};
use simple_syntax::Span;

impl<'c, 'p> Builder<'c, 'p> {
    /// The types of the parameters of `func`.
    pub fn param_types(&self, func: FuncId) -> Vec<TyId> {
        let func = &self.cx.program.funcs[func.0 as usize];
        func.params
            .iter()
            .map(|local| func.locals[local.0 as usize].ty)
            .collect()
    }

    /// The machine results of `func`.
    pub fn result_types(&self, func: FuncId) -> Vec<MTy> {
        let info = &self.cx.program.funcs[func.0 as usize];
        let mut results: Vec<MTy> = self
            .cx
            .reprs
            .leaves(info.ret)
            .iter()
            .map(|leaf| leaf.ty)
            .collect();
        if info.inout_self
            && let Some(this) = info.params.first()
        {
            let ty = info.locals[this.0 as usize].ty;
            results.extend(self.cx.reprs.leaves(ty).iter().map(|leaf| leaf.ty));
            results.push(MTy::I8);
        }
        results
    }

    /// Code after the call of a function that never returns is unreachable.
    pub fn never_returns(&mut self, ret: TyId) {
        if ret == TyId::NEVER {
            self.end(Term::Unreachable);
        }
    }

    pub fn call_func(&mut self, func: FuncId, args: &'p [Expr], span: Span) -> Value {
        let tys = self.param_types(func);
        let exprs: Vec<&Expr> = args.iter().collect();
        let mut values = self.operands_as(&exprs, &tys);
        for (value, ty) in values.iter_mut().zip(&tys) {
            *value = self.hold_for_call(value.clone(), *ty);
        }
        let info = &self.cx.program.funcs[func.0 as usize];
        let ret = info.ret;
        if info.inout_self {
            return self.call_inout_on_copy(func, values, &tys, span);
        }
        let leaves = values
            .iter()
            .flat_map(|value| value.leaves.iter().copied())
            .collect();
        let results = self.result_types(func);
        self.name_layer(func, args, span);
        let dsts = self.call(FnId(func.0), leaves, &results, span);
        for value in &values {
            self.discard_early(value);
        }
        self.never_returns(ret);
        self.temp(ret, dsts)
    }

    /// A `me` method called on a value that is not a place: the changed `self` is discarded.
    fn call_inout_on_copy(
        &mut self,
        func: FuncId,
        values: Vec<Value>,
        tys: &[TyId],
        span: Span,
    ) -> Value {
        let Some(this_ty) = tys.first().copied() else {
            return Value::unit();
        };
        let ret = self.cx.program.funcs[func.0 as usize].ret;
        let this = self.own(values[0].clone(), this_ty);
        // The slots hold the changed value on every exit, so the temporary over them always is the right one.
        let slots: Vec<Var> = this.iter().map(|leaf| self.copy(*leaf)).collect();
        let changed = self.temp(this_ty, slots.clone());
        let results = self.call_inout_with(func, &slots, &values[1..], span);
        self.discard(&changed);
        self.temp(ret, results)
    }

    /// Calls with `slots` as `self`; on every exit they hold the changed value. Returns the other results.
    fn call_inout_with(
        &mut self,
        func: FuncId,
        slots: &[Var],
        args: &[Value],
        span: Span,
    ) -> Vec<Var> {
        let types = self.result_types(func);
        let dsts: Vec<Var> = types.iter().map(|ty| self.var(*ty)).collect();
        let ret_len = types.len().saturating_sub(slots.len() + 1);
        let mut leaves = slots.to_vec();
        leaves.extend(args.iter().flat_map(|value| value.leaves.iter().copied()));
        let site = self.site(span);
        let after = self.unwind();
        let landing = self.cold_block();
        self.emit(Inst::Call {
            dsts: dsts.clone(),
            func: FnId(func.0),
            args: leaves,
            fail: Some(Fail {
                site,
                unwind: landing,
            }),
        });
        self.on_landing(landing, after, |builder| {
            let marker = dsts[dsts.len() - 1];
            for (slot, dst) in slots.iter().zip(&dsts[ret_len..]) {
                builder.emit(Inst::Select(*slot, marker, *dst, *slot));
            }
        });
        for (slot, dst) in slots.iter().zip(&dsts[ret_len..]) {
            self.emit(Inst::Copy(*slot, *dst));
        }
        dsts[..ret_len].to_vec()
    }

    /// Fills a cold block that comes before an error path.
    pub fn on_landing(&mut self, landing: BlockId, after: BlockId, fill: impl FnOnce(&mut Self)) {
        let saved = (self.cur, self.reachable, self.cold);
        self.cold = true;
        self.reached[landing.0 as usize] = true;
        self.switch(landing);
        fill(self);
        let end = self.cur;
        self.seal(end, after);
        (self.cur, self.reachable, self.cold) = saved;
    }

    pub fn call_inout(
        &mut self,
        func: FuncId,
        place: &'p Place,
        args: &'p [Expr],
        span: Span,
    ) -> Value {
        let ret = self.cx.program.funcs[func.0 as usize].ret;
        let parts = self.place_parts(place);
        let tys: Vec<TyId> = self.param_types(func).into_iter().skip(1).collect();
        let exprs: Vec<&Expr> = args.iter().collect();
        let mut values = self.operands_as(&exprs, &tys);
        for (value, ty) in values.iter_mut().zip(&tys) {
            // The method may change the place in memory that an argument borrows from.
            *value = self.hold(value.clone(), *ty);
        }
        let mut target = self.walk_place(place, &parts, true, true);
        let access = self.begin_access(place, &parts, None, span);
        let results = match target.spot.clone() {
            Spot::Vars(slots) => {
                let results = self.call_inout_with(func, &slots, &values, span);
                if let Some(access) = access {
                    self.undo(access);
                }
                results
            }
            Spot::Memory { .. } => self.call_inout_memory(func, &mut target, &values, access, span),
        };
        for value in &values {
            self.discard_early(value);
        }
        self.never_returns(ret);
        self.temp(ret, results)
    }

    /// `self` is in memory. What other code can see of it meanwhile is emptied, so that the method changes it in place, and
    /// put back on every exit. `access` is what [`Builder::begin_access`] gave for the place, if it is watched.
    pub fn call_inout_memory(
        &mut self,
        func: FuncId,
        target: &mut super::place::Target,
        args: &[Value],
        access: Option<Var>,
        span: Span,
    ) -> Vec<Var> {
        let leaves = target.leaves.clone();
        let current = self.read_target(target);
        let slots: Vec<Var> = current.iter().map(|leaf| self.copy(*leaf)).collect();
        self.detach(target, &leaves, &current);
        let types = self.result_types(func);
        let dsts: Vec<Var> = types.iter().map(|ty| self.var(*ty)).collect();
        let ret_len = types.len().saturating_sub(slots.len() + 1);
        let mut call_args = slots.clone();
        call_args.extend(args.iter().flat_map(|value| value.leaves.iter().copied()));
        let site = self.site(span);
        let after = self.unwind();
        let landing = self.cold_block();
        self.emit(Inst::Call {
            dsts: dsts.clone(),
            func: FnId(func.0),
            args: call_args,
            fail: Some(Fail {
                site,
                unwind: landing,
            }),
        });
        self.on_landing(landing, after, |builder| {
            if let Some(access) = access {
                builder.rt(RtFn::AccessEnd, &[access], span);
            }
            let marker = dsts[dsts.len() - 1];
            let back: Vec<Var> = slots
                .iter()
                .zip(&dsts[ret_len..])
                .map(|(slot, dst)| builder.select(marker, *dst, *slot))
                .collect();
            builder.attach(target, &back);
        });
        if let Some(access) = access {
            self.undo(access);
        }
        let back = dsts[ret_len..].to_vec();
        self.attach(target, &back);
        dsts[..ret_len].to_vec()
    }
}
