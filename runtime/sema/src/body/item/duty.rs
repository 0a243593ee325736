//! What must hold of types that a body may know only at its end: bounds, keys, operands of comparisons.
//!
//! Code that meets such a type records what it owes ([`Body::owe`]) and goes on; the result of a call that depends on
//! one is unknown until then. When the body is checked, bounds first tell what they can of types that are still open
//! (`T: Into<U>`), then what nothing determines becomes `()`, and at last everything owed is checked.
//! Matches and tables of trait objects wait for the same moment in `finish.rs`.

use super::*;
use crate::codes;
use crate::typed::CompareOp;
use simple_syntax::Diagnostic;
use std::ops::Range;

/// What must hold of a type.
#[derive(Clone, Debug)]
pub(crate) enum Duty {
    /// It implements the trait with these type arguments.
    Bound(TraitIdx, Rc<[TyId]>),
    /// It can be a dict key or set element.
    Key,
    /// Its values are compared with this operator.
    Compared(CompareOp),
    /// It goes to another thread, captured under this name.
    Sendable(Symbol),
}

/// A type, what must hold of it, and the place that asks for it.
#[derive(Clone, Debug)]
pub(crate) struct Owed {
    pub(crate) ty: TyId,
    pub(crate) duty: Duty,
    pub(crate) span: Span,
}

/// A call of a function without a written result type, whose type arguments are not known yet.
#[derive(Clone)]
pub(crate) struct Later {
    fn_idx: FnIdx,
    args: Vec<TyId>,
    /// The variable for the result type.
    ret: TyId,
    /// Whether the result is unused.
    unused: bool,
    span: Span,
}

impl<'c, 'a> Body<'c, 'a> {
    /// Notes what must hold of a type at the end of the body.
    pub(crate) fn owe(&mut self, ty: TyId, duty: Duty, span: Span) {
        self.duties.owe(Owed { ty, duty, span });
    }

    /// Whether a type can be a key as far as it is known; what is not known yet is looked at in the end.
    pub(crate) fn fits_key(&mut self, ty: TyId, span: Span) -> bool {
        let known = self.resolve(ty);
        if self.cx.flags(known) & infer::HAS_INFER != 0 {
            self.owe(ty, Duty::Key, span);
            return true;
        }
        self.cx.require_key(known, span)
    }

    /// Notes the bounds of a function's type parameters, which `scope` maps to the types of one call. Yields the indices of these debts.
    pub(crate) fn owe_bounds(
        &mut self,
        fn_idx: FnIdx,
        scope: &TypeScope,
        span: Span,
    ) -> Range<usize> {
        let first = self.duties.owed().len();
        if self.cx.decls()[fn_idx].generics.is_empty() {
            return first..first;
        }
        let bounds = self.cx.bounds_of(fn_idx, scope);
        self.owe_each(bounds, scope, span);
        first..self.duties.owed().len()
    }

    /// Notes the bounds of a struct, class or enum of which a value is made.
    pub(crate) fn owe_bounds_of_type(&mut self, adt: AdtId, span: Span) {
        let decl = self.cx.decl_of(adt);
        if self.cx.decls()[decl].generics.is_empty() {
            return;
        }
        let scope = self.cx.adt_scope(adt);
        let bounds = self.cx.bounds_of_type(decl, &scope);
        self.owe_each(bounds, &scope, span);
    }

    fn owe_each(&mut self, bounds: Vec<TypeBound>, scope: &TypeScope, span: Span) {
        for (name, trait_idx, args) in bounds {
            if let Some(&(_, ty)) = scope.env.iter().rev().find(|(known, _)| *known == name) {
                self.owe(ty, Duty::Bound(trait_idx, args), span);
            }
        }
    }

    /// Whether one of these bounds is broken by a type that is wholly known. It is reported at the end.
    pub(crate) fn breaks_bound(&mut self, bounds: Range<usize>) -> bool {
        for place in bounds {
            let owed = self.duties.owed()[place].clone();
            let ty = self.resolve(owed.ty);
            if let Duty::Bound(trait_idx, _) = owed.duty
                && self.cx.flags(ty) & infer::HAS_INFER == 0
                && !self.satisfies(ty, trait_idx)
            {
                return true;
            }
        }
        false
    }

    /// Learns from these bounds: what is known about a type's impl of a trait fixes type arguments that `T: Trait<U>` leaves open.
    pub(crate) fn learn_from_bounds(&mut self, bounds: Range<usize>) {
        let promised: Vec<(TyId, TraitIdx, Rc<[TyId]>)> = self.duties.owed()[bounds]
            .iter()
            .filter_map(|owed| match &owed.duty {
                Duty::Bound(trait_idx, args) if !args.is_empty() => {
                    Some((owed.ty, *trait_idx, args.clone()))
                }
                _ => None,
            })
            .collect();
        // One type may tell about the next: until nothing new is learnt.
        while !promised.is_empty() {
            let before = self.open_variables();
            for (ty, trait_idx, args) in &promised {
                self.learn_trait_args(*ty, *trait_idx, args);
            }
            if self.open_variables() == before {
                return;
            }
        }
    }

    fn open_variables(&self) -> usize {
        self.table.unknown()
    }

    /// The result type of a call that depends on types which are not known yet: unknown until the end of the body.
    /// Where all that is unknown began in the call itself, after variable `from`, nothing later can determine it, so
    /// this is its end.
    pub(crate) fn result_later(
        &mut self,
        fn_idx: FnIdx,
        args: &[TyId],
        (from, unused): (usize, bool),
        span: Span,
    ) -> TyId {
        let ret = self.fresh(span, infer::Origin::CallResult);
        let later = Later {
            fn_idx,
            args: args.to_vec(),
            ret,
            unused,
            span,
        };
        let captured = self
            .duties
            .captured()
            .iter()
            .any(|(idx, ..)| *idx == fn_idx);
        if !captured && args.iter().all(|&arg| self.begins_after(from, arg)) {
            self.settle_result(later);
        } else {
            self.duties.add_later(later);
        }
        self.shallow(ret)
    }

    /// A type of which every part must be known to go on: what began after variable `from` and is open still is closed here. Reports
    /// a type that other code may yet determine.
    pub(crate) fn wholly_known(&mut self, ty: TyId, from: usize, at: Span) -> Option<TyId> {
        if self.begins_after(from, ty) {
            self.close_open_in(ty);
        }
        let known = self.resolve(ty);
        if self.cx.flags(known) & infer::HAS_INFER == 0 {
            return Some(known);
        }
        self.undetermined_here(at);
        self.give_up(ty);
        None
    }

    /// Whether everything unknown in a type began after variable `from`.
    fn begins_after(&self, from: usize, ty: TyId) -> bool {
        let ty = self.shallow(ty);
        match *self.ty(ty) {
            Ty::Infer(number) => number as usize >= from,
            _ => {
                let parts = self.cx.parts(ty);
                parts.into_iter().all(|part| self.begins_after(from, part))
            }
        }
    }

    /// Settles all types of the body: what bounds tell about them, results that depend on them, and `()` for what is
    /// left.
    pub(crate) fn close_types(&mut self) {
        self.learn_from_bounds(0..self.duties.owed().len());
        for later in self.duties.take_later() {
            self.settle_result(later);
        }
        self.learn_from_bounds(0..self.duties.owed().len());
        self.close_open();
    }

    fn settle_result(&mut self, later: Later) {
        let Later {
            fn_idx,
            args,
            ret,
            unused,
            span,
        } = later;
        for &arg in &args {
            self.close_open_in(arg);
        }
        for captured in self.duties.captured().to_vec() {
            if captured.0 == fn_idx {
                self.close_open_in(captured.2);
            }
        }
        self.settle_captured();
        let known: Rc<[TyId]> = args.iter().map(|&ty| self.resolve(ty)).collect();
        if known.iter().any(|&ty| self.cx.flags(ty) != 0) {
            self.unify(ret, TyId::ERROR);
            return;
        }
        if !self.keeps_bounds(fn_idx, &known) {
            // That is reported as such.
            self.unify(ret, TyId::ERROR);
            return;
        }
        let open = args.iter().find_map(|&ty| self.first_open(ty));
        // What a body does not do with `()` is not a mistake of the body.
        let before = self.cx.reports().mark();
        let found = self.cx.quietly_if(open.is_some(), |cx| {
            let number = cx.instance_for_call(fn_idx, known, span);
            cx.instance_ret(number, unused, span)
        });
        if let Some((at, what)) = open
            && !self.cx.reports().sound_since(before)
        {
            self.unify(ret, TyId::ERROR);
            let name = self.cx.decls()[fn_idx].decl.name.name;
            let message = format!("the type of {what} cannot be determined");
            let d = Diagnostic::error(codes::UNDETERMINED, at, message)
                .related(span, format!("`{name}` needs to know it"))
                .help(what.how_to_write());
            self.cx.report(d);
            return;
        }
        if !self.unify(ret, found) {
            let (found, expected) = (self.show(found), self.show(ret));
            let message = "the result does not have the type that it is used with";
            let d = Diagnostic::error(codes::TYPE_MISMATCH, span, message)
                .found_expected(found, expected);
            self.cx.report(d);
        }
    }

    /// Checks everything that is owed; whether a bound is broken.
    pub(crate) fn check_owed(&mut self) -> bool {
        let mut broken = false;
        let mut reported: Vec<(TyId, TraitIdx, Span)> = Vec::new();
        for Owed { ty, duty, span } in self.duties.take_owed() {
            let known = self.resolve(ty);
            match duty {
                Duty::Bound(trait_idx, args) => {
                    // A method that is called on a value with the same mistake adds nothing.
                    let again = reported.iter().any(|(of, bound, at)| {
                        *of == known && *bound == trait_idx && span.lo <= at.lo && at.hi <= span.hi
                    });
                    if !again && !self.require_trait(ty, trait_idx, &args, span) {
                        reported.push((known, trait_idx, span));
                        broken = true;
                    }
                }
                Duty::Sendable(name) => self.require_sendable(known, name, span),
                Duty::Key => {
                    self.cx.require_key(known, span);
                }
                Duty::Compared(op) => {
                    self.require_compared(known, op, span);
                }
            }
        }
        broken
    }

    /// Whether the type arguments of an instance implement what its bounds ask for.
    pub(crate) fn keeps_bounds(&mut self, fn_idx: FnIdx, args: &Rc<[TyId]>) -> bool {
        let scope = self.cx.signature(fn_idx, args).scope.clone();
        let bounds = self.cx.bounds_of(fn_idx, &scope);
        bounds.into_iter().all(|(name, trait_idx, args)| {
            match scope.env.iter().rev().find(|(known, _)| *known == name) {
                Some(&(_, ty)) => {
                    self.satisfies(ty, trait_idx) && self.has_impl_with(ty, trait_idx, &args)
                }
                None => true,
            }
        })
    }

    /// Reports a type that does not implement the trait it must.
    fn require_trait(
        &mut self,
        ty: TyId,
        trait_idx: TraitIdx,
        args: &Rc<[TyId]>,
        span: Span,
    ) -> bool {
        let known = self.resolve(ty);
        let args: Rc<[TyId]> = args.iter().map(|&arg| self.resolve(arg)).collect();
        let implemented = self.satisfies(known, trait_idx);
        if implemented && self.has_impl_with(known, trait_idx, &args) {
            return true;
        }
        let ty_name = self.cx.types().name(known);
        if self.cx.is_sendable(trait_idx)
            && let Some(reason) = self.cx.unsendable(known)
        {
            let message = format!("a `{ty_name}` cannot go to another thread");
            let d = Diagnostic::error(codes::NOT_SENDABLE, span, message).note(reason);
            self.cx.report(d.help(crate::sendable::ADVICE));
            return false;
        }
        let name = self.cx.decls()[trait_idx].name.name;
        let trait_name = match (implemented, &args[..]) {
            (false, _) | (_, []) => name.to_string(),
            (true, args) => {
                let args: Vec<String> = args.iter().map(|&arg| self.cx.types().name(arg)).collect();
                format!("{name}<{}>", args.join(", "))
            }
        };
        let message = format!("`{ty_name}` does not implement `{trait_name}`");
        let fitting = format!("give a value of a type that implements `{trait_name}`");
        let mut d = Diagnostic::error(codes::TRAIT_BOUND, span, message);
        let payload_fits = match self.kind(known) {
            Ty::Option(item) => self.satisfies(item, trait_idx),
            _ => false,
        };
        d = match self.first_open(ty) {
            Some((at, what)) => {
                let message = format!("nothing determines the type of {what}, so it is `()`");
                d.related(at, message).help(fitting)
            }
            None if matches!(self.ty(known), Ty::Param(_)) => {
                d.help(format!("add the bound `{ty_name}: {trait_name}`"))
            }
            None if matches!(self.ty(known), Ty::Trait(_)) => d.help(fitting),
            None if payload_fits => {
                d.code = codes::OPTIONAL_USED;
                d.help(super::advice::UNWRAP)
            }
            None => match self.cx.unmet_bound(known, trait_idx) {
                Some(unmet) => self.say_unmet(d, unmet),
                None => {
                    let advice = self.cx.trait_advice(trait_idx, &ty_name);
                    let add = || format!("add `impl {trait_name} for {ty_name}:`");
                    d.help(advice.unwrap_or_else(add))
                }
            },
        };
        self.cx.report(d);
        false
    }

    /// Says that an impl is not for a type because a type argument does not keep a bound of that impl.
    pub(crate) fn say_unmet(&mut self, d: Diagnostic, (ty, bound): (TyId, TraitIdx)) -> Diagnostic {
        let name = self.cx.types().name(ty);
        let trait_name = self.cx.decls()[bound].name.name;
        let d = d.note(format!(
            "its impl is only for types that implement `{trait_name}`, and `{name}` does not"
        ));
        if self.cx.flags(ty) & infer::HAS_INFER != 0 {
            return d;
        }
        if let Ty::Option(item) = self.kind(ty)
            && self.satisfies(item, bound)
        {
            return d.help(super::advice::UNWRAP);
        }
        d.help(format!("add `impl {trait_name} for {name}:`"))
    }

    /// Whether a type, or a type parameter by its bounds, implements a trait.
    pub(crate) fn satisfies(&mut self, ty: TyId, trait_idx: TraitIdx) -> bool {
        let Ty::Param(name) = *self.ty(ty) else {
            return self.cx.implements(ty, trait_idx);
        };
        let bounds: Vec<TypeBound> = self
            .purpose
            .bounds()
            .iter()
            .filter(|(n, ..)| *n == name)
            .cloned()
            .collect();
        bounds
            .into_iter()
            .any(|(_, idx, args)| self.cx.all_traits(idx, &args).contains(&trait_idx))
    }

    /// Whether a type has a trait with these type arguments by one of its own impls, as an object of this trait, or by a bound. A type
    /// that has the trait by other means (a trait built on this one) is not looked at.
    fn has_impl_with(&mut self, ty: TyId, trait_idx: TraitIdx, args: &Rc<[TyId]>) -> bool {
        let unfinished = infer::HAS_INFER | infer::HAS_ERROR;
        if args.iter().any(|&arg| self.cx.flags(arg) & unfinished != 0) {
            return true;
        }
        if args.is_empty() {
            return true;
        }
        let direct = match *self.ty(ty) {
            Ty::Param(name) => {
                let is_own = |bound: &&TypeBound| bound.0 == name && bound.1 == trait_idx;
                let mut own = self.purpose.bounds().iter().filter(is_own).peekable();
                return own.peek().is_none() || own.any(|(_, _, own)| own == args);
            }
            Ty::Trait(id) => self.cx.instances().trait_of(id).0 == trait_idx,
            _ => match self.cx.head(ty) {
                Some(head) => self.cx.decls().has_trait_impl(trait_idx, head),
                None => false,
            },
        };
        !direct || self.cx.implements_with(ty, trait_idx, args)
    }
}
