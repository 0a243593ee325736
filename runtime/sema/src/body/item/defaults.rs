//! Defaults of parameters and fields that no call needs: they are checked as well, so that a wrong one is told before the
//! first call that leaves its argument out.
//!
//! Leaves out generic functions and types, whose defaults are checked for each list of type arguments, and lambdas
//! (`named.rs`). What a call makes of a default is in `args.rs`.

use super::convert::Why;
use super::*;
use crate::typed::Stmt;
use simple_syntax::ast::{self, Ident};
use std::ops::Range;

/// A parameter or field: its name, its type, its default, and the module whose names the default means.
type Slot<'a> = (Ident, TyId, Option<&'a ast::Expr>, ModIdx);

impl<'a> Checker<'a> {
    /// Checks the defaults of the program's own functions and types once, whether they are used or not.
    pub(crate) fn check_defaults(&mut self) {
        for idx in self.decls().all_fns() {
            let info = &self.decls()[idx];
            let (decl, module) = (info.decl, info.module);
            let plain = info.generics.is_empty() && info.outer.is_none();
            if !plain || self.modules()[module].library || self.is_template(idx) {
                continue;
            }
            if decl.params.iter().all(|param| param.default.is_none()) {
                continue;
            }
            let args = self.instances().no_args();
            let signature = self.signature(idx, &args);
            let params = decl.params.iter().zip(&signature.params);
            let slots: Vec<Slot<'a>> = params
                .map(|(param, &ty)| (param.name, ty, param.default.as_ref(), module))
                .collect();
            let scope = signature.scope.clone();
            self.check_slots(&slots, &scope, decl.head);
        }
        for idx in self.decls().all_types() {
            let info = &self.decls()[idx];
            let module = info.module;
            let Shape::Record(record, _) = info.shape else {
                continue;
            };
            let plain = info.generics.is_empty() && !self.modules()[module].library;
            // One inside of a function sees what is declared there, too.
            let plain = plain && self.is_of_module(idx, module, record.name.name);
            if !plain || record.fields.iter().all(|field| field.default.is_none()) {
                continue;
            }
            let args = self.instances().no_args();
            let adt = self.adt_instance(idx, args);
            self.ensure_adt(adt);
            let homes = self.decls()[idx].field_modules.clone();
            let types: Vec<TyId> = self.types().adts[adt.0 as usize]
                .fields
                .iter()
                .map(|field| field.ty)
                .collect();
            let fields = record.fields.iter().zip(types).enumerate();
            let slots: Vec<Slot<'a>> = fields
                .map(|(at, (field, ty))| {
                    let home = homes.get(at).copied().unwrap_or(module);
                    (field.name, ty, field.default.as_ref(), home)
                })
                .collect();
            let scope = self.adt_scope(adt);
            self.check_slots(&slots, &scope, record.name.span);
        }
    }

    /// Whether a type is declared at the top level of its module.
    fn is_of_module(&mut self, idx: DeclIdx, module: ModIdx, name: Symbol) -> bool {
        matches!(self.lookup(module, name), Some(Def::Type(found)) if found == idx)
    }

    /// Checks each default with the parameters or fields before it in scope, and discards the values.
    fn check_slots(&mut self, slots: &[Slot<'a>], scope: &TypeScope, head: Span) {
        // Neighbours whose names mean the same module are checked together, so that many take no longer than as many times one.
        let mut from = 0;
        while from < slots.len() {
            let home = slots[from].3;
            let to = (from..slots.len()).find(|at| slots[*at].3 != home);
            let to = to.unwrap_or(slots.len());
            if slots[from..to].iter().any(|slot| slot.2.is_some()) {
                let scope = TypeScope {
                    module: home,
                    ..scope.clone()
                };
                self.check_neighbours(slots, from..to, scope, head);
            }
            from = to;
        }
    }

    /// Checks the defaults of `range` in one body, after the slots before it.
    fn check_neighbours(
        &mut self,
        slots: &[Slot<'a>],
        range: Range<usize>,
        scope: TypeScope,
        head: Span,
    ) {
        let frame = Frame::new(FrameKind::Function, Some(TyId::UNIT));
        let mut body = Body::new(self, scope, frame);
        body.purpose.make_opaque(Vec::new(), false);
        body.open();
        let mut stmts = Vec::new();
        for (at, &(name, ty, default, _)) in slots[..range.end].iter().enumerate() {
            if let Some(default) = default
                && range.contains(&at)
                && !body.cx.reports().is_faulty_default(default.span)
            {
                let mark = body.open();
                let value = body.expr(default, Want::Ty(ty));
                let value = body.coerce(value, ty, Why::Default);
                body.close(mark);
                body.lost_leaf(ty, default);
                stmts.push(Stmt {
                    kind: StmtKind::Expr(value),
                    span: default.span,
                });
            }
            let id = body.declare(name, ty, Origin::Param);
            body.scopes.frame_mut().params.push(id);
        }
        let block = body.mk(ExprKind::Block(stmts, None), TyId::UNIT, head);
        let frame = body.close_body();
        let mut func = Func {
            name: String::new(),
            locals: frame.locals,
            params: frame.params,
            captures: Vec::new(),
            inout_self: false,
            ret: TyId::UNIT,
            body: Some(block),
            span: head,
            inline: false,
            is_generator: false,
        };
        body.finish(&mut func);
    }
}
