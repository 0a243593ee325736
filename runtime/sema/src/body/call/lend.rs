//! Calls of foreign functions that may write into the arrays which they are given.
//!
//! What C writes must show in one variable at most, so no array is passed that anything else holds. The array in a variable, or
//! in a part of one, that may change is made its own there, and what C writes is found there afterwards. Any other array, such
//! as a literal or a `val`, is passed as a copy. `externs.rs` says which functions may write.
//!
//! A function of the program that C calls back can change or replace what is in an object, a module-level variable or a variable
//! that a block shares. So an array from there is kept in a variable of its own during the call, and put back afterwards:
//!
//! ```text
//! sorts(h.xs, compare)      unshare h.xs; own = h.xs; unshare h.xs; result = sorts(own, compare); h.xs = own; result
//! ```
//!
//! The second `unshare` lets `compare` see `h.xs` as it was before the call. It is left out where the function is given no function,
//! because it copies; a `Callback` from before then sees what C has written so far. That everything else that C is given
//! stays alive is the work of the lowering (`call_extern`).

use super::*;
use crate::typed::{Expr, Pattern, Stmt};

impl<'c, 'a> Body<'c, 'a> {
    /// The call of an extern with these arguments, which are evaluated in order before any array is looked at.
    pub(in crate::body) fn lending_call(
        &mut self,
        id: ExternId,
        values: Vec<Expr>,
        ret: TyId,
        span: Span,
    ) -> Expr {
        let is_array = |this: &Self, value: &Expr| matches!(this.kind(value.ty), Ty::Array(_));
        // [condition lend.arrays]: other values are passed as they are.
        if !values.iter().any(|value| is_array(self, value)) {
            return self.mk(ExprKind::CallExtern(id, values), ret, span);
        }
        let mut stmts = Vec::new();
        let mut lent = Vec::new();
        let mut args = Vec::with_capacity(values.len());
        for value in values {
            // [condition lend.simple]: what is simple needs no variable.
            if args::is_simple(&value) {
                args.push(value);
                continue;
            }
            let array = is_array(self, &value);
            // [condition lend.only_arrays]: other values are evaluated in their order.
            let changeable = match array {
                true => self.lent_place(&value),
                false => None,
            };
            let place = match changeable {
                // [condition lend.settled]: an index is evaluated once.
                Some(place) => self.settled(place, &mut stmts),
                None => self.kept(value, &mut stmts),
            };
            args.push(self.place_value(&place));
            // [condition lend.lent_arrays]: nothing is written into other values.
            if array {
                lent.push((args.len() - 1, place));
            }
        }
        // [condition lend.made_its_own]: what else holds the list must not see what C writes.
        for (_, place) in &lent {
            stmts.push(self.unshared(place.clone(), span));
        }
        let mut seen = Vec::new();
        for (at, place) in lent {
            // [condition lend.seen_elsewhere]: a function that C calls may replace what is there.
            if self.is_seen_elsewhere(&place) {
                let own = self.kept(args[at].clone(), &mut stmts);
                args[at] = self.place_value(&own);
                seen.push((place, own));
            }
        }
        // [condition lend.given_functions]: it sees the place as it was before the call.
        if self.is_given_functions(id) {
            for (place, _) in &seen {
                stmts.push(self.unshared(place.clone(), span));
            }
        }
        let mut call = self.mk(ExprKind::CallExtern(id, args), ret, span);
        // [condition lend.any_seen]: nothing is put back.
        if !seen.is_empty() {
            let result = self.temp(ret, span);
            let kind = StmtKind::LetPattern(Pattern::Bind(result), call);
            stmts.push(Stmt { kind, span });
            // [condition lend.put_back]: what C has written is there afterwards.
            for (place, own) in seen {
                let value = self.place_value(&own);
                let kind = StmtKind::Assign(place, value);
                stmts.push(Stmt { kind, span });
            }
            call = self.read(result, span);
        }
        self.mk(ExprKind::Block(stmts, Some(Box::new(call))), ret, span)
    }

    /// Makes the array in a place its own.
    fn unshared(&mut self, place: Place, span: Span) -> Stmt {
        let kind = ExprKind::Update(Update::Unshare, place, Vec::new());
        let kind = StmtKind::Expr(self.mk(kind, TyId::UNIT, span));
        Stmt { kind, span }
    }

    /// Whether a function that C calls can see a place: anything but a variable of this function that no block shares.
    fn is_seen_elsewhere(&self, place: &Place) -> bool {
        let PlaceRoot::Local(id) = place.root else {
            // [condition lend.not_of_function]: an object or module-level variable.
            return true;
        };
        let captured = |frame: &Frame<'a>| frame.captures.iter().any(|(_, inner)| *inner == id);
        // [condition lend.shared]: a variable that a block shares.
        // [condition lend.captured]: one that this function has from another.
        self.meta(id).shared || captured(self.scopes.frame())
    }

    /// Whether a foreign function has parameters that are functions, which it calls before it returns.
    fn is_given_functions(&self, id: ExternId) -> bool {
        let params = &self.cx.output()[id].params;
        // [condition lend.kept_functions]: one that C keeps is not meant for this call.
        let is_function = |foreign: &Foreign| matches!(foreign, Foreign::Function(f) if !f.kept);
        params
            .iter()
            .any(|param| is_function(&param.foreign.foreign))
    }

    /// A new variable that holds a value.
    fn kept(&mut self, value: Expr, stmts: &mut Vec<Stmt>) -> Place {
        let span = value.span;
        let local = self.temp(value.ty, span);
        self.mark_mutable(local, span);
        stmts.push(Stmt {
            kind: StmtKind::LetPattern(Pattern::Bind(local), value),
            span,
        });
        self.local_place(local, span).place
    }

    /// The place that a value is read from, if that may change.
    fn lent_place(&mut self, value: &Expr) -> Option<Place> {
        // [condition lend.frozen]: what is frozen is passed as a copy.
        if self.is_frozen(value) {
            return None;
        }
        let place = self.read_place(value)?;
        if let PlaceRoot::Local(id) = place.root {
            // [condition lend.marked]: a variable that C changes is one that changes.
            self.mark_mutable(id, value.span);
        }
        Some(place)
    }

    fn read_place(&mut self, value: &Expr) -> Option<Place> {
        let (ty, span) = (self.shallow(value.ty), value.span);
        let whole = |root| Place {
            root,
            path: Vec::new(),
            ty,
            span,
        };
        match &value.kind {
            ExprKind::Local(id) => {
                let info = self.local_place(*id, span);
                // [condition lend.not_fixed]: a `val` is passed as a copy.
                info.fixed.is_none().then_some(info.place)
            }
            ExprKind::Global(id) => {
                let mutable = self.cx.global(*id).mutable;
                // [condition lend.mutable_global]: so is that of a module.
                mutable.then(|| whole(PlaceRoot::Global(*id)))
            }
            ExprKind::Field(base, number) => {
                let base_ty = self.shallow(base.ty);
                let step = PlaceStep::Field(base_ty, *number);
                let mut place = match self.kind(base_ty) {
                    // [condition lend.fixed_field]: so is what is in a `val` of an object.
                    Ty::Adt(adt) if self.fixed_field(adt, *number).is_some() => return None,
                    // [condition lend.objects]: an object is changed where it is.
                    Ty::Adt(adt) if self.cx.types().adts[adt.0 as usize].kind == AdtKind::Class => {
                        whole(PlaceRoot::Object(base.clone()))
                    }
                    _ => self.read_place(base)?,
                };
                place.path.push(step);
                Some(Place { ty, span, ..place })
            }
            ExprKind::Index(base, index) => {
                let base_ty = self.shallow(base.ty);
                // [condition lend.element_of_array]: only an element of a list is a place of its own.
                let Ty::Array(_) = self.kind(base_ty) else {
                    return None;
                };
                let mut place = self.read_place(base)?;
                place
                    .path
                    .push(PlaceStep::Index(base_ty, (**index).clone()));
                Some(Place { ty, span, ..place })
            }
            _ => None,
        }
    }
}
