//! Function values: closures over captured variables, named functions as values, and calls of them.
//!
//! A closure object is `{header, code, captures}`; its code takes the object first. Named functions get a shim that
//! ignores it, so that one static object per function is enough.

use super::builder::Builder;
use super::cell::CELL;
use super::cx::DescKey;
use super::generator;
use super::glue::Glue;
use super::value::{Own, Value};
use crate::mir::{Const, FnId, Inst, MTy};
use crate::repr::{Layout, Leaf, layout_of_leaves};
use simple_core::layout::FIELDS;
use simple_sema::typed::{Expr, FuncId, LocalId, TraitId, TyId};
use simple_syntax::Span;

/// A captured variable.
pub(crate) struct Capture {
    /// Its name inside of the closure.
    pub local: LocalId,
    pub ty: TyId,
    /// Whether the closure shares the variable's cell instead of holding its value.
    pub cell: bool,
    /// How many leaves it takes in the closure object.
    pub len: usize,
}

impl<'c, 'p> Builder<'c, 'p> {
    /// What a closure over `func` captures, with its leaves and their places.
    pub fn captures(&self, func: FuncId) -> (Vec<Capture>, Vec<Leaf>, Layout) {
        let func = &self.cx.program.funcs[func.0 as usize];
        let mut captures = Vec::with_capacity(func.captures.len());
        let mut leaves = Vec::new();
        for local in &func.captures {
            let info = &func.locals[local.0 as usize];
            let from = leaves.len();
            if info.cell {
                leaves.push(CELL);
            } else {
                leaves.extend_from_slice(&self.cx.reprs.leaves(info.ty));
            }
            captures.push(Capture {
                local: *local,
                ty: info.ty,
                cell: info.cell,
                len: leaves.len() - from,
            });
        }
        let layout = layout_of_leaves(&leaves, FIELDS as u32 + 8);
        (captures, leaves, layout)
    }

    pub fn func_ref(&mut self, func: FuncId) -> Value {
        let shim = self.cx.glue(Glue::FuncShim(func));
        Value::plain(self.constant(MTy::Ptr, Const::Closure(shim)))
    }

    pub fn closure(&mut self, func: FuncId, captured: &[LocalId], ty: TyId, span: Span) -> Value {
        let (captures, shapes, layout) = self.captures(func);
        let generates = self.cx.program.funcs[func.0 as usize].is_generator;
        if captures.is_empty() && !generates {
            return self.func_ref(func);
        }
        let size = match generates {
            true => self.generator_size(func),
            false => layout.size,
        };
        let object = self.alloc(size, DescKey::Closure(func), span);
        if generates {
            let state = self.i64(generator::NEW);
            self.store(object, self.generator_state(func) as i32, state);
        }
        let code = self.constant(MTy::Ptr, Const::Func(FnId(func.0)));
        self.store(object, FIELDS, code);
        let mut at = 0;
        for (outer, capture) in captured.iter().zip(captures) {
            let state = self.locals.get(outer.0 as usize).cloned().flatten();
            let leaves = match state {
                Some(state) if state.cell && !capture.cell => {
                    self.check_cell(state.leaves[0], capture.ty, None, span);
                    self.load_boxed(state.leaves[0], capture.ty)
                }
                Some(state) => state.leaves,
                None => self.made_up(capture.ty).leaves,
            };
            let range = at..at + capture.len;
            for (var, leaf) in leaves.iter().zip(&shapes[range.clone()]) {
                self.retain(*var, *leaf);
            }
            self.store_leaves(&layout, range, object, &leaves);
            at += capture.len;
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
        id: TraitId,
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
        let changes = self.cx.types.traits[id.0 as usize]
            .methods
            .get(method as usize)
            .is_some_and(|method| method.changes);
        if changes {
            self.require_shared(id, &values[0], span);
        }
        self.call_method(method, &values, ret, span)
    }

    pub fn call_indirect(
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
