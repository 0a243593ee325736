//! What computes something different from Python: `op=` on a tensor that should change in place (W0435), and comparisons with `nil` that
//! always have one answer, or ask something else (W0442).
//!
//! A value is followed through one variable ([`Source`]), no further; so is a quotient of integers (`division.rs`). The library marks the tensor class and its methods that yield views
//! with `@tensor` and `@view`.

use super::*;
use crate::codes;
use simple_syntax::Diagnostic;
use simple_syntax::ast::{self, BinaryOp};

/// What a variable was bound to, as far as warnings need to know.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Source {
    /// The quotient of two integers.
    pub(in crate::body) division: Option<Span>,
    /// Of a tensor: whether something else holds it too.
    tensor: Holder,
    /// Of a text: what its words mean.
    pub(in crate::body) words: Option<super::words::Words>,
}

/// Whose a tensor is that a variable was bound to.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
enum Holder {
    /// It was made for the variable, or it is not a tensor.
    #[default]
    Variable,
    /// Another variable, a field or an element holds the same tensor.
    Shared,
    /// It shows the elements of another tensor.
    View,
}

impl<'c, 'a> Body<'c, 'a> {
    /// What there is to note about a variable that is bound to `value`.
    pub(in crate::body) fn source(
        &self,
        written: &ast::Expr,
        declared: Option<TyId>,
        value: &Expr,
    ) -> Source {
        let tensor = match self.is_tensor(value.ty) {
            true => self.holder(written, value),
            false => Holder::Variable,
        };
        Source {
            // A type that is written says that a whole number is meant.
            division: match declared {
                Some(_) => None,
                None => self.division(value),
            },
            tensor,
            words: self.words(value),
        }
    }

    fn holder(&self, written: &ast::Expr, value: &Expr) -> Holder {
        match (&written.kind, &value.kind) {
            (ast::ExprKind::Paren(inner), _) => self.holder(inner, value),
            (
                _,
                ExprKind::Local(_)
                | ExprKind::Global(_)
                | ExprKind::Field(..)
                | ExprKind::Index(..)
                | ExprKind::Unwrap(..),
            ) => Holder::Shared,
            (ast::ExprKind::Slice(base, _), _) if !is_made(base) => Holder::View,
            // A name may be that of a mask, which makes a copy.
            (ast::ExprKind::Index(base, index, _), _)
                if !is_made(base)
                    && matches!(
                        index.kind,
                        ast::ExprKind::Int(..)
                            | ast::ExprKind::Unary(..)
                            | ast::ExprKind::Range(..)
                            | ast::ExprKind::IndexPart(_)
                    ) =>
            {
                Holder::View
            }
            (ast::ExprKind::Call(call), ExprKind::Call(func, _)) => {
                let of_variable = match &call.callee.kind {
                    ast::ExprKind::Field(base, ..) => !is_made(base),
                    _ => false,
                };
                let is_view = self.called(*func).is_some_and(|info| {
                    let mut annotations = info.item.annotations.iter();
                    annotations.any(|annotation| annotation.name.name.as_str() == "view")
                });
                match of_variable && is_view {
                    true => Holder::View,
                    false => Holder::Variable,
                }
            }
            _ => Holder::Variable,
        }
    }

    pub(in crate::body) fn is_tensor(&self, ty: TyId) -> bool {
        let Ty::Adt(adt) = *self.ty(self.shallow(ty)) else {
            return false;
        };
        let mut annotations = self.cx.decls()[self.cx.decl_of(adt)].annotations.iter();
        annotations.any(|annotation| annotation.name.name.as_str() == "tensor")
    }

    /// Reports a comparison of `value` with `nil` that is not what it looks like. Generic code may be checked for types that it does not
    /// know of.
    pub(in crate::body) fn nil_trap(&mut self, value: &Expr, span: Span) {
        if self.in_library() || !self.scopes.types().env.is_empty() {
            return;
        }
        let ty = self.resolve(value.ty);
        let (message, help) = match self.kind(ty) {
            Ty::Option(item) if matches!(self.kind(item), Ty::Option(_)) => (
                "this asks whether there is a value, not whether the value is `nil`".to_owned(),
                Some("`(x ?? nil) == nil` holds in both cases".to_owned()),
            ),
            Ty::Option(_) | Ty::Error | Ty::Never | Ty::Param(_) => return,
            kind => {
                let name = self.show(ty);
                let help = match kind {
                    Ty::Text => Some("an empty text is `\"\"`, and `s.is_empty()` asks for it"),
                    Ty::Array(_) | Ty::Dict(..) | Ty::Set(_) => {
                        Some("`xs.is_empty()` asks whether there are elements")
                    }
                    _ => None,
                };
                (
                    format!("a value of type `{name}` is never `nil`"),
                    help.map(str::to_owned),
                )
            }
        };
        let mut d = Diagnostic::warning(codes::NIL_TRAP, span, message);
        d.help = help;
        self.cx.report(d);
    }

    /// Reports `place op= value` if that was probably meant to change a tensor that others see.
    pub(in crate::body) fn tensor_update(
        &mut self,
        place: &Place,
        written: &ast::Expr,
        op: BinaryOp,
        value: &ast::Expr,
        span: Span,
    ) {
        if self.in_library() || !self.is_tensor(place.ty) {
            return;
        }
        let holder = match (&place.root, &place.path[..]) {
            (PlaceRoot::Local(id), []) => match self.meta(*id) {
                meta if meta.origin == Origin::Param => Holder::Shared,
                meta => meta.source.tensor,
            },
            (PlaceRoot::Global(id), []) => self.cx.global(*id).source.tensor,
            _ => Holder::Shared,
        };
        let meant = match holder {
            Holder::View => true,
            Holder::Shared => self.context.is_nograd(),
            Holder::Variable => self.context.is_nograd() && mentions_gradient(value),
        };
        if !meant {
            return;
        }
        let (sign, target) = (ops::op_text(op), self.cx.input().text(written.span));
        let what = match holder {
            Holder::View => "the tensor that this is a view of stays as it is",
            _ => "the tensor that was there before stays as it is",
        };
        let mut d = Diagnostic::warning(
            codes::TENSOR_UPDATE,
            span,
            format!("`{sign}=` makes a new tensor here; {what}"),
        );
        let rest = self.cx.input().text(value.span);
        let new = format!("`{target} = {target} {sign} ...` says that a new tensor is meant");
        d = d.help(match in_place(op) {
            Some(method) => {
                format!("`{target}.{method}({rest})` changes it in place; {new}")
            }
            None => new,
        });
        self.cx.report(d);
    }

    /// What to write instead of `place op= value` for a tensor that cannot be assigned: another variable would not help there.
    pub(in crate::body) fn in_place_advice(&self, place: &Place, span: Span) -> Option<String> {
        let method = in_place(self.context.updating()?)?;
        if !place.path.is_empty() || !self.is_tensor(place.ty) {
            return None;
        }
        let target = self.cx.input().text(span);
        Some(format!(
            "`{target}.{method}(...)` changes the tensor in place; with `var {target}` a new tensor would take its place"
        ))
    }

    /// Forgets what a variable was bound to: it is assigned something else.
    pub(in crate::body) fn forget_source(&mut self, place: &Place) {
        match place.root {
            PlaceRoot::Local(id) => {
                self.scopes.frame_mut().meta[id.0 as usize].source = Source::default()
            }
            PlaceRoot::Global(id) => self.cx.global_mut(id).source = Source::default(),
            PlaceRoot::Object(_) => {}
        }
    }
}

/// Whether a value was made on the spot, so that nothing else holds it.
pub(in crate::body) fn is_made(e: &ast::Expr) -> bool {
    match &e.kind {
        ast::ExprKind::Paren(inner) | ast::ExprKind::Unwrap(inner) => is_made(inner),
        ast::ExprKind::Name(_) | ast::ExprKind::SelfValue => false,
        ast::ExprKind::Field(base, ..)
        | ast::ExprKind::Index(base, ..)
        | ast::ExprKind::Slice(base, _) => is_made(base),
        _ => true,
    }
}

/// Whether `x.grad` occurs, as in a step of an optimizer.
fn mentions_gradient(e: &ast::Expr) -> bool {
    use ast::ExprKind as K;
    match &e.kind {
        K::Field(base, name, _) => name.name.as_str() == "grad" || mentions_gradient(base),
        K::Paren(a) | K::Unwrap(a) | K::Unary(_, a) | K::MathBlock(_, a) => mentions_gradient(a),
        K::Binary(_, a, b) | K::Coalesce(a, b) | K::Index(a, b, _) => {
            mentions_gradient(a) || mentions_gradient(b)
        }
        K::Call(call) => {
            mentions_gradient(&call.callee)
                || call.args.iter().any(|arg| mentions_gradient(&arg.value))
        }
        _ => false,
    }
}

/// The method of a tensor that does in place what an operator does.
fn in_place(op: BinaryOp) -> Option<&'static str> {
    Some(match op {
        BinaryOp::Add => "add_",
        BinaryOp::Sub => "sub_",
        BinaryOp::Mul => "mul_",
        BinaryOp::Div => "div_",
        BinaryOp::Pow => "pow_",
        _ => return None,
    })
}
