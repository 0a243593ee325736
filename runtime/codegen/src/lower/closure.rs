//! Function values: closures over captured variables, named functions as values, and calls of them.
//!
//! A closure object is `{header, code, captures}`; its code takes the object first. Named functions get a shim that
//! ignores it, so that one static object per function is enough.

use super::builder::Builder;
use super::cx::DescKey;
use super::glue::Glue;
use super::value::{Own, Value};
use crate::mir::{Const, FnId, Inst, MTy};
use crate::repr::{Layout, Leaf, layout_of_leaves};
use simple_core::layout::FIELDS;
use simple_sema::typed::{Expr, FuncId, LocalId, TraitId, TyId};
use simple_syntax::Span;

impl<'c, 'p> Builder<'c, 'p> {
    /// The types, leaves and places of what a closure over `func` captures.
    pub fn captures(&self, func: FuncId) -> (Vec<TyId>, Vec<Leaf>, Layout) {
        let func = &self.cx.program.funcs[func.0 as usize];
        let tys: Vec<TyId> = func
            .captures
            .iter()
            .map(|local| func.locals[local.0 as usize].ty)
            .collect();
        let leaves = self.cx.reprs.all_leaves(&tys);
        let layout = layout_of_leaves(&leaves, FIELDS as u32 + 8);
        (tys, leaves, layout)
    }

    pub fn func_ref(&mut self, func: FuncId) -> Value {
        let shim = self.cx.glue(Glue::FuncShim(func));
        Value::plain(self.constant(MTy::Ptr, Const::Closure(shim)))
    }

    pub fn closure(&mut self, func: FuncId, captured: &[LocalId], ty: TyId, span: Span) -> Value {
        let (tys, _, layout) = self.captures(func);
        if tys.is_empty() {
            return self.func_ref(func);
        }
        let object = self.alloc(layout.size, DescKey::Closure(func), span);
        let code = self.constant(MTy::Ptr, Const::Func(FnId(func.0)));
        self.store(object, FIELDS, code);
        let mut at = 0;
        for (local, ty) in captured.iter().zip(&tys) {
            let leaves = match self.locals.get(local.0 as usize).cloned().flatten() {
                Some(state) => state.leaves,
                None => self.made_up(*ty).leaves,
            };
            self.retain_all(*ty, &leaves);
            self.store_leaves(&layout, at..at + leaves.len(), object, &leaves);
            at += leaves.len();
        }
        self.temp(ty, vec![object])
    }

    pub fn call_value(
        &mut self,
        callee: &'p Expr,
        args: &'p [Expr],
        ret: TyId,
        span: Span,
    ) -> Value {
        let mut exprs = vec![callee];
        exprs.extend(args);
        let mut values = self.operands(&exprs);
        for (value, expr) in values.iter_mut().zip(&exprs) {
            *value = self.hold_for_call(value.clone(), expr.ty);
        }
        let object = self.leaf(&values[0], 0, MTy::Ptr);
        let code = self.load(MTy::Ptr, object, FIELDS);
        let mut leaves = vec![object];
        leaves.extend(
            values[1..]
                .iter()
                .flat_map(|value| value.leaves.iter().copied()),
        );
        self.call_indirect(code, leaves, &values, ret, span)
    }

    pub fn call_trait(
        &mut self,
        _id: TraitId,
        method: u32,
        object: &'p Expr,
        args: &'p [Expr],
        ret: TyId,
        span: Span,
    ) -> Value {
        let mut exprs = vec![object];
        exprs.extend(args);
        let mut values = self.operands(&exprs);
        for (value, expr) in values.iter_mut().zip(&exprs) {
            *value = self.hold_for_call(value.clone(), expr.ty);
        }
        let pointer = self.leaf(&values[0], 0, MTy::Ptr);
        let table = self.leaf(&values[0], 1, MTy::Ptr);
        // The first entry of a method table prints the object.
        let code = self.load(MTy::Ptr, table, 8 * (method as i32 + 1));
        let mut leaves = vec![pointer];
        leaves.extend(
            values[1..]
                .iter()
                .flat_map(|value| value.leaves.iter().copied()),
        );
        self.call_indirect(code, leaves, &values, ret, span)
    }

    fn call_indirect(
        &mut self,
        code: crate::mir::Var,
        args: Vec<crate::mir::Var>,
        values: &[Value],
        ret: TyId,
        span: Span,
    ) -> Value {
        let shapes = self.cx.reprs.leaves(ret);
        let dsts = self.vars(&shapes);
        let fail = self.fail(span);
        self.emit(Inst::CallIndirect {
            dsts: dsts.clone(),
            code,
            args,
            fail,
        });
        for value in values {
            if let Own::Temp(_) = value.own {
                self.discard_early(value);
            }
        }
        self.never_returns(ret);
        self.temp(ret, dsts)
    }
}
