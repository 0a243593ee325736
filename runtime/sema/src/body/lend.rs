//! Calls of foreign functions that may write into the arrays which they are given.
//!
//! What C writes must show in one variable at most, so no array is passed that anything else holds. The array in a variable, or
//! in a part of one, that may change is made its own there, and what C writes is found there afterwards. Any other array, such
//! as a literal or a `val`, is passed as a copy. `externs.rs` says which functions may write.

use super::*;
use crate::typed::{Expr, Pattern, Stmt};

impl<'c, 'a> Body<'c, 'a> {
    /// The call of an extern with these arguments, which are evaluated in order before any array is looked at.
    pub(super) fn lending_call(
        &mut self,
        id: ExternId,
        values: Vec<Expr>,
        ret: TyId,
        span: Span,
    ) -> Expr {
        let is_array = |this: &Self, value: &Expr| matches!(this.kind(value.ty), Ty::Array(_));
        if !values.iter().any(|value| is_array(self, value)) {
            return self.mk(ExprKind::CallExtern(id, values), ret, span);
        }
        let mut stmts = Vec::new();
        let mut lent = Vec::new();
        let mut args = Vec::with_capacity(values.len());
        for value in values {
            if args::is_simple(&value) {
                args.push(value);
                continue;
            }
            let array = is_array(self, &value);
            let changeable = match array {
                true => self.lent_place(&value),
                false => None,
            };
            let place = match changeable {
                Some(place) => self.settled(place, &mut stmts),
                None => self.kept(value, &mut stmts),
            };
            args.push(self.place_value(&place));
            if array {
                lent.push(place);
            }
        }
        for place in lent {
            let kind = ExprKind::Update(Update::Unshare, place, Vec::new());
            let kind = StmtKind::Expr(self.mk(kind, TyId::UNIT, span));
            stmts.push(Stmt { kind, span });
        }
        let call = self.mk(ExprKind::CallExtern(id, args), ret, span);
        self.mk(ExprKind::Block(stmts, Some(Box::new(call))), ret, span)
    }

    /// A new variable that holds a value.
    fn kept(&mut self, value: Expr, stmts: &mut Vec<Stmt>) -> Place {
        let span = value.span;
        let local = self.temp(value.ty, span);
        self.mark_mutable(local);
        stmts.push(Stmt {
            kind: StmtKind::LetPattern(Pattern::Bind(local), value),
            span,
        });
        self.local_place(local, span).place
    }

    /// The place that a value is read from, if that may change.
    fn lent_place(&mut self, value: &Expr) -> Option<Place> {
        if self.is_frozen(value) {
            return None;
        }
        let place = self.read_place(value)?;
        if let PlaceRoot::Local(id) = place.root {
            self.mark_mutable(id);
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
                info.fixed.is_none().then_some(info.place)
            }
            ExprKind::Global(id) => {
                let mutable = self.cx.global(*id).mutable;
                mutable.then(|| whole(PlaceRoot::Global(*id)))
            }
            ExprKind::Field(base, number) => {
                let base_ty = self.shallow(base.ty);
                let step = PlaceStep::Field(base_ty, *number);
                let mut place = match self.kind(base_ty) {
                    Ty::Adt(adt) if self.fixed_field(adt, *number).is_some() => return None,
                    Ty::Adt(adt) if self.cx.types.adts[adt.0 as usize].kind == AdtKind::Class => {
                        whole(PlaceRoot::Object(base.clone()))
                    }
                    _ => self.read_place(base)?,
                };
                place.path.push(step);
                Some(Place { ty, span, ..place })
            }
            ExprKind::Index(base, index) => {
                let base_ty = self.shallow(base.ty);
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
