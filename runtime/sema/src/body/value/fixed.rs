//! Arrays of a fixed length: what a place of the type `[T; n]` holds has `n` elements.
//!
//! The value's type is `[T]`; the length is a demand on the variable, parameter, result or field for which it is written. A literal of another length is an
//! error, anything else is compared at run time when it gets there, and what changes the length of such a place is an error. A demand inside a type, as in
//! `[[i64; 3]]` and `[i64; 3]?`, is compared with literals alone. The checks are made where those of tensors' shapes are (`shapes/expect.rs`).

use super::*;
use crate::codes;
use crate::counts::counted;
use crate::typed::{Expr, Stmt, TextPart};
use simple_syntax::Diagnostic;
use simple_syntax::ast::{TypeExpr, TypeExprKind};

impl<'c, 'a> Body<'c, 'a> {
    /// `value` as what a place with a written type gets.
    pub(crate) fn fixed_value(
        &mut self,
        value: Expr,
        written: Option<&TypeExpr>,
        what: &str,
    ) -> Expr {
        let Some(written) = written else { return value };
        if self.reject_length(&value, written) {
            return value;
        }
        let known = matches!(value.kind, ExprKind::Array(_) | ExprKind::Nil);
        let Some(size) = self.fixed_size(written).filter(|_| !known) else {
            return value;
        };
        if !matches!(self.kind(value.ty), Ty::Array(_)) {
            return value;
        }
        let (ty, span) = (value.ty, value.span);
        let array = self.temp(ty, span);
        let bound = Stmt {
            kind: StmtKind::Let(array, value),
            span,
        };
        let read = self.read(array, span);
        let check = self.length_demand(read.clone(), size, what, span);
        let kind = ExprKind::Block(vec![bound, check], Some(Box::new(read)));
        self.mk(kind, ty, span)
    }

    /// The check of a parameter, if its type has a length.
    pub(crate) fn fixed_param(
        &mut self,
        local: LocalId,
        written: &TypeExpr,
        what: &str,
        span: Span,
    ) -> Option<Stmt> {
        let size = self.fixed_size(written)?;
        let read = self.read(local, span);
        Some(self.length_demand(read, size, what, span))
    }

    /// Reports a literal of another length than its written type has, also inside of literals; whether it did.
    pub(crate) fn reject_length(&mut self, value: &Expr, written: &TypeExpr) -> bool {
        let written = self.cx.output().shapes().meant(written);
        if let (TypeExprKind::Optional(item), ExprKind::Some(inner)) = (&written.kind, &value.kind)
        {
            return self.reject_length(inner, item);
        }
        let (TypeExprKind::FixedArray(item, _) | TypeExprKind::Array(item)) = &written.kind else {
            return false;
        };
        let ExprKind::Array(elements) = &value.kind else {
            return false;
        };
        if let Some(size) = self.fixed_size(written)
            && size != elements.len() as i64
        {
            let d = Diagnostic::error(
                codes::TYPE_MISMATCH,
                value.span,
                "the length of the array does not match its type",
            )
            .found_expected(
                counted(elements.len(), "element"),
                counted(size as usize, "element"),
            );
            self.cx.report(d);
            return true;
        }
        let mut wrong = false;
        for element in elements {
            wrong |= self.reject_length(element, item);
        }
        wrong
    }

    /// Reports a change of the length of a place whose written type fixes it; whether it did.
    pub(in crate::body) fn reject_resize(&mut self, place: &Place, span: Span) -> bool {
        let Some(written) = self.written_of(place) else {
            return false;
        };
        let Some(size) = self.fixed_size(written) else {
            return false;
        };
        let message = format!(
            "the length of this array is fixed: its type is written with {}",
            counted(size as usize, "element")
        );
        let d = Diagnostic::error(codes::FIXED_LENGTH, span, message)
            .related(written.span, "the length is fixed here")
            .help("write the type without a length, `[T]`, or assign a whole array of that length");
        self.cx.report(d);
        true
    }

    /// The type that is written for a place, or for the array of which it is an element.
    pub(crate) fn written_of(&self, place: &Place) -> Option<&'a TypeExpr> {
        let elements = place.path.iter().rev();
        let elements = elements.take_while(|step| matches!(step, PlaceStep::Index(..)));
        let depth = elements.count();
        let mut written = self.written_whole(place, place.path.len() - depth)?;
        for _ in 0..depth {
            written = match &self.cx.output().shapes().meant(written).kind {
                TypeExprKind::Array(item) | TypeExprKind::FixedArray(item, _) => item,
                _ => return None,
            };
        }
        Some(written)
    }

    /// The length that a written type demands; none in the library, and none where its name means nothing here.
    fn fixed_size(&mut self, written: &TypeExpr) -> Option<i64> {
        let TypeExprKind::FixedArray(_, size) = &self.cx.output().shapes().meant(written).kind
        else {
            return None;
        };
        if self.purpose.is_opaque() || self.in_library() {
            return None;
        }
        self.cx.array_size(size, self.scopes.types().module)
    }

    fn length_demand(&mut self, array: Expr, size: i64, what: &str, span: Span) -> Stmt {
        let len = ExprKind::Intrinsic(Intrinsic::ArrayLen, vec![array]);
        let len = self.mk(len, TyId::I64, span);
        let needed = self.mk(ExprKind::Int(size), TyId::I64, span);
        let fits = ExprKind::Compare(CompareOp::Eq, Box::new(len.clone()), Box::new(needed));
        let fits = self.mk(fits, TyId::BOOL, span);
        let elements = counted(size as usize, "element");
        let message = ExprKind::Interpolate(vec![
            TextPart::Literal(format!(
                "{what} has the type of an array of {elements}, but got one of "
            )),
            TextPart::Value(len),
        ]);
        let message = self.mk(message, TyId::TEXT, span);
        Stmt {
            kind: StmtKind::Assert(fits, Some(message)),
            span,
        }
    }
}
