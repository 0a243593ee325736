//! Calls of methods that change what they are called on, where it cannot change: they yield a changed copy, and a copy that is
//! dropped is an error.
//!
//! Leaves out which method is called (`method.rs`) and values of other kinds that are dropped (`dropped.rs`).

use super::immutable::Fixed;
use super::method::Receiver;
use super::place::PlaceInfo;
use super::*;
use crate::codes;
use crate::typed::{Expr, Stmt};
use simple_syntax::Diagnostic;

impl<'c, 'a> Body<'c, 'a> {
    /// Whether the updated copy of a receiver that cannot change is dropped. As the last expression of a function whose result type is not
    /// written it looks like a change of the receiver, and callers would drop it.
    pub(crate) fn drops_copy(&mut self, receiver: &Receiver, want: Want) -> bool {
        // Also after `!` and `?.`: a value that something else holds, not one that was just made.
        let fixed = match receiver {
            Receiver::Place(info) => info.fixed.is_some(),
            Receiver::Value(value) => self.is_held(value, &mut Vec::new()),
        };
        want == Want::Discard || want == Want::Tail && fixed && self.scopes.frame_mut().declared
    }

    /// What to do so that a change of what cannot be changed is kept.
    fn keep_change(receiver: &Receiver) -> String {
        match receiver {
            Receiver::Place(PlaceInfo {
                fixed: Some(Fixed::Local(Origin::Captured, ..)),
                ..
            }) => "write a loop, `for x in xs: ...`, return the new value, or share it through a field of a class".into(),
            Receiver::Place(PlaceInfo {
                fixed: Some(Fixed::Local(Origin::Param, name, _)),
                ..
            }) => format!("copy the parameter first, `var {name}2 = {name}`, or bind the result: `val ys = ...`"),
            Receiver::Place(PlaceInfo {
                fixed: Some(Fixed::Local(Origin::Val, name, _)),
                ..
            }) => format!("declare it with `var {name}`, or bind the result: `val ys = ...`"),
            _ => "declare the variable with `var`, or bind the result: `val ys = ...`".into(),
        }
    }

    /// Whether a value is part of what a variable or field holds: read from there, perhaps as the payload of what is there, or
    /// an element that a method of a collection there yields. `lets` are the variables that the checker made up so far.
    fn is_held<'e>(&self, value: &'e Expr, lets: &mut Vec<(LocalId, &'e Expr)>) -> bool {
        match &value.kind {
            ExprKind::Local(id) => match lets.iter().rev().find(|(known, _)| known == id) {
                Some(&(_, value)) => self.is_held(value, lets),
                None => true,
            },
            ExprKind::Global(_) => true,
            ExprKind::Field(base, _) | ExprKind::Unwrap(base, _) => self.is_held(base, lets),
            ExprKind::Coalesce(base, _) if matches!(base.kind, ExprKind::Intrinsic(..)) => {
                self.is_held(base, lets)
            }
            ExprKind::Let(id, value, body) => {
                lets.push((*id, value));
                self.is_held(body, lets)
            }
            ExprKind::Intrinsic(
                Intrinsic::ArrayGet | Intrinsic::DictGet | Intrinsic::DictValues,
                args,
            ) => args.first().is_some_and(|base| self.is_held(base, lets)),
            ExprKind::Call(func, args) => {
                self.yields_element(*func)
                    && args.first().is_some_and(|base| self.is_held(base, lets))
            }
            ExprKind::CallInout(func, ..) => self.yields_element(*func),
            _ => false,
        }
    }

    /// Whether a function is a method of a built-in type that yields an element and leaves it where it is.
    fn yields_element(&self, func: FuncId) -> bool {
        self.called(func).is_some_and(|info| {
            self.cx.modules()[info.module].library
                && matches!(info.decl.name.name.as_str(), "setdefault" | "fetch")
        })
    }

    /// How a change reaches a value that was not bound to a name.
    fn change_in_place(&self, value: &Expr, name: Symbol) -> String {
        let text = self.cx.input().text(value.span);
        let mut base = value;
        while let ExprKind::Field(of, _) | ExprKind::Unwrap(of, _) = &base.kind {
            base = of;
        }
        match base.kind {
            _ if text.contains("?.") && !text.contains('\n') => format!(
                "change it where it is, `{}.{name}(...)`, or bind the result: `val ys = ...`",
                text.replace("?.", "!.")
            ),
            ExprKind::Local(_) | ExprKind::Global(_) => "bind the result: `val ys = ...`".into(),
            _ => format!(
                "bind the result, `val ys = ...`; an element is changed where it is, `d[key].{name}(...)`"
            ),
        }
    }

    /// Reports an unused updated copy.
    pub(crate) fn discarded_copy(
        &mut self,
        receiver: Receiver,
        name: Symbol,
        want: Want,
        span: Span,
    ) -> Expr {
        let ty = self.receiver_ty(&receiver);
        if let Receiver::Place(PlaceInfo {
            fixed: Some(fixed @ Fixed::Local(origin, name, _)),
            ..
        }) = &receiver
            && (*origin == Origin::SelfFixed || *origin == Origin::Captured && name == "self")
        {
            self.report_fixed(fixed.clone(), span);
            return self.bad(span);
        }
        let keep = match &receiver {
            Receiver::Value(value) => self.change_in_place(value, name),
            Receiver::Place(_) => Self::keep_change(&receiver),
        };
        let (what, help) = match want {
            Want::Tail => (
                "and changes nothing",
                format!(
                    "{keep}; or write the result type, `-> {}`, for a function that yields the copy",
                    self.show(ty)
                ),
            ),
            _ => ("which is dropped", keep),
        };
        let message = format!("`{name}` yields an updated copy here, {what}");
        let mut d = Diagnostic::error(codes::DISCARDED_COPY, span, message).help(help);
        if let Receiver::Place(PlaceInfo {
            fixed: Some(Fixed::Local(Origin::Captured, variable, at)),
            ..
        }) = &receiver
        {
            let told = format!("this function has a copy of `{variable}`");
            d = d.related(*at, told);
        }
        self.cx.report(d);
        self.bad(span)
    }

    /// `update` on a fresh copy of `value`, which is then the result.
    pub(crate) fn on_copy(
        &mut self,
        value: Expr,
        span: Span,
        update: impl FnOnce(&mut Self, Place) -> Expr,
    ) -> Expr {
        let ty = self.shallow(value.ty);
        let copy = self.local("", ty, Origin::Var, span);
        self.scopes.frame_mut().locals[copy.0 as usize].mutable = true;
        let place = Place {
            root: PlaceRoot::Local(copy),
            path: Vec::new(),
            ty,
            span,
        };
        let update = update(self, place);
        let read = self.read(copy, span);
        let stmts = vec![
            Stmt {
                kind: StmtKind::Let(copy, value),
                span,
            },
            Stmt {
                kind: StmtKind::Expr(update),
                span,
            },
        ];
        self.mk(ExprKind::Block(stmts, Some(Box::new(read))), ty, span)
    }
}
