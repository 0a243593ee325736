//! Fields that look like parameters of a layer and are not (W0440): `Tensor.randn([2]).requires_grad_() * 0.02` is computed from a leaf that
//! nothing can reach any more, and a plain tensor in place of a parameter is not trained.
//!
//! What is written decides, so only what is certain is reported; the layers of the library look at run time as well (`lib/nn/state.spl`).
//! In a `val` such a tensor is left alone: it may be shown, or differentiated.

use super::*;
use crate::codes;
use simple_syntax::Diagnostic;
use simple_syntax::ast::{self, ExprKind as K};

/// The method that makes a tensor a leaf that records.
const LEAF: &str = "requires_grad_";

impl<'c, 'a> Body<'c, 'a> {
    /// Looks at a value for a field of the type `ty`.
    pub(in crate::body) fn lost_leaf(&mut self, ty: TyId, written: &ast::Expr) {
        let (Some(leaf), false) = (hidden_leaf(written), self.in_library()) else {
            return;
        };
        let ty = match *self.ty(self.shallow(ty)) {
            Ty::Option(item) => item,
            _ => ty,
        };
        if !self.is_tensor(ty) {
            return;
        }
        let message = "this tensor is computed from a leaf that nothing can reach: it is not a parameter, and no training changes it";
        let d = Diagnostic::warning(codes::NO_LEAF, written.span, message)
            .related(leaf, "the leaf")
            .help("put `requires_grad_()` last: `(Tensor.randn([2]) * 0.02).requires_grad_()`");
        self.cx.report(d);
    }

    /// Looks at an assignment to a field whose default is a parameter.
    pub(in crate::body) fn lost_parameter(&mut self, place: &Place, written: &ast::Expr) {
        self.lost_leaf(place.ty, written);
        let Some(PlaceStep::Field(owner, number)) = place.path.last() else {
            return;
        };
        if self.in_library() || !self.is_tensor(place.ty) {
            return;
        }
        let Ty::Adt(adt) = *self.ty(self.shallow(*owner)) else {
            return;
        };
        let name = self.cx.types().adts[adt.0 as usize].fields[*number as usize].name;
        let Shape::Record(record, _) = self.cx.decls()[self.cx.decl_of(adt)].shape else {
            return;
        };
        let mut fields = record.fields.iter();
        let field = fields.find(|field| Some(field.name.name) == name);
        let Some(default) = field.and_then(|field| field.default.as_ref()) else {
            return;
        };
        let class = self.cx.types().name(self.shallow(place.ty));
        if !is_leaf(default) || !is_plain(written, &class) {
            return;
        }
        let text = self.cx.input().text(written.span);
        let message =
            "this tensor is not a parameter, and takes the place of one: no training changes it";
        let d = Diagnostic::warning(codes::NO_LEAF, written.span, message)
            .related(default.span, "the field is a parameter")
            .help(format!("write `{text}.{LEAF}()`, or change the numbers of the parameter in `nograd:` with `copy_`"));
        self.cx.report(d);
    }
}

/// The method that is called last, and what it is called on.
fn last_call(e: &ast::Expr) -> Option<(&str, &ast::Expr, &ast::Call)> {
    let K::Call(call) = &e.kind else {
        return None;
    };
    match &call.callee.kind {
        K::Field(base, name, _) => Some((name.name.as_str(), base, call)),
        _ => None,
    }
}

/// Whether the last call makes a leaf that records.
fn is_leaf(e: &ast::Expr) -> bool {
    match &e.kind {
        K::Paren(inner) => is_leaf(inner),
        _ => last_call(e).is_some_and(|(name, _, call)| name == LEAF && !is_off(call)),
    }
}

/// `requires_grad_(false)`.
fn is_off(call: &ast::Call) -> bool {
    call.args
        .iter()
        .any(|arg| matches!(arg.value.kind, K::Bool(false)))
}

/// The leaf that a value is computed from, where it was made in the value itself.
fn hidden_leaf(e: &ast::Expr) -> Option<Span> {
    match &e.kind {
        K::Paren(inner) => hidden_leaf(inner),
        K::Unary(_, a) => made_leaf(a),
        K::Binary(_, a, b) => made_leaf(a).or_else(|| made_leaf(b)),
        K::Call(_) => match last_call(e)? {
            // What changes in place yields the same tensor, and what is cut off records nothing.
            (name, ..) if name.ends_with('_') || name == "detach" => None,
            (_, base, _) => made_leaf(base),
        },
        _ => None,
    }
}

fn made_leaf(e: &ast::Expr) -> Option<Span> {
    match &e.kind {
        K::Paren(inner) => made_leaf(inner),
        K::Call(_) if is_leaf(e) => {
            let (_, base, _) = last_call(e)?;
            traps::is_made(base).then_some(e.span)
        }
        _ => hidden_leaf(e),
    }
}

/// Whether a tensor is made by a call on its class, such as `Tensor.zeros([2])`, and changed by operators alone.
fn is_plain(e: &ast::Expr, class: &str) -> bool {
    match &e.kind {
        K::Paren(inner) | K::Unary(_, inner) => is_plain(inner, class),
        K::Binary(_, a, b) => is_plain(a, class) || is_plain(b, class),
        _ => last_call(e).is_some_and(|(_, base, call)| {
            let mut labels = call.args.iter().filter_map(|arg| arg.label);
            matches!(&base.kind, K::Name(name) if name.name.as_str() == class)
                && !labels.any(|label| label.name.as_str() == "requires_grad")
        }),
    }
}
