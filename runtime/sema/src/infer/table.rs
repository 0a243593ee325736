//! The variables that stand for types which are not known yet, each with what it was found to be.
//!
//! A variable is the type `Ty::Infer(number)`. Leaves out finding out what it is, which is unification (`body/infer.rs`).

use super::origin::Origin;
use crate::typed::TyId;
use simple_syntax::Span;

/// The number of a variable.
pub(crate) type Infer = u32;

/// The variables of one body.
#[derive(Clone, Default)]
pub(crate) struct InferTable {
    all: Vec<InferVar>,
}

#[derive(Clone)]
struct InferVar {
    bound: Option<TyId>,
    /// What a literal becomes that the type comes from.
    hint: Option<TyId>,
    /// Whether nothing in the body determined it.
    open: bool,
    span: Span,
    origin: Origin,
}

impl InferTable {
    /// A new variable, which begins at `span`; `origin` says what it stands for.
    pub fn add(&mut self, span: Span, origin: Origin) -> Infer {
        self.all.push(InferVar {
            bound: None,
            hint: None,
            open: false,
            span,
            origin,
        });
        self.all.len() as Infer - 1
    }

    /// How many there are: those that come later have this number or a greater one.
    pub fn count(&self) -> usize {
        self.all.len()
    }

    /// How many are not known.
    pub fn unknown(&self) -> usize {
        self.all.iter().filter(|var| var.bound.is_none()).count()
    }

    /// What a variable was found to be.
    pub fn bound(&self, number: Infer) -> Option<TyId> {
        self.all.get(number as usize)?.bound
    }

    pub fn bind(&mut self, number: Infer, ty: TyId) {
        self.all[number as usize].bound = Some(ty);
    }

    /// What a literal becomes whose type is this variable.
    pub fn hint(&self, number: Infer) -> Option<TyId> {
        self.all[number as usize].hint
    }

    /// Sets this for the variable that was added last.
    pub fn hint_last(&mut self, ty: TyId) {
        if let Some(last) = self.all.last_mut() {
            last.hint = Some(ty);
        }
    }

    /// Gives a variable that nothing determined a type, which depends on what it stands for.
    pub fn close(&mut self, number: Infer, ty: impl FnOnce(Origin) -> TyId) {
        let var = &mut self.all[number as usize];
        if var.bound.is_none() {
            var.open = true;
            var.bound = Some(ty(var.origin));
        }
    }

    /// Where a variable began that nothing determined, and what it stands for.
    pub fn opened(&self, number: Infer) -> Option<(Span, Origin)> {
        let var = self.all.get(number as usize)?;
        var.open.then_some((var.span, var.origin))
    }
}
