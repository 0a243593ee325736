//! Unknown types inside a body: variables, what they turn out to be, making two types equal.
//!
//! A variable represents the element type of `[]`, the payload of `nil`, a type argument that only a later use fixes.
//! Variables are numbered per body. What the whole body leaves open becomes `()` ([`Body::close_open`]); `finish.rs` asks
//! for that, `duty.rs` then checks what had to wait for it.

use super::*;
use crate::codes;
pub(super) use crate::infer::Origin;
use simple_syntax::Diagnostic;

/// Bits of a type's flags: it mentions an inference variable, a type parameter, an error.
pub(crate) const HAS_INFER: u8 = 1;
const HAS_PARAM: u8 = 2;
pub(super) const HAS_ERROR: u8 = 4;

impl<'a> Checker<'a> {
    /// Which unfinished things a type mentions; 0 for a wholly concrete type.
    pub(crate) fn flags(&mut self, ty: TyId) -> u8 {
        if let Some(known) = self.instances().flags(ty) {
            return known;
        }
        let mut flags = match self.types().get(ty) {
            Ty::Infer(_) | Ty::Assoc(..) => HAS_INFER,
            Ty::Param(_) => HAS_PARAM,
            Ty::Error => HAS_ERROR,
            _ => 0,
        };
        for part in self.parts(ty) {
            flags |= self.flags(part);
        }
        self.instances_mut().keep_flags(ty, flags);
        flags
    }

    /// An empty list of type parameters.
    pub(crate) fn empty_env(&self) -> Env {
        Rc::from([])
    }

    /// `ty` with each part replaced by what `with` says.
    pub(crate) fn map_parts(
        &mut self,
        ty: TyId,
        with: &mut dyn FnMut(&mut Self, TyId) -> TyId,
    ) -> TyId {
        let new = match self.types().get(ty).clone() {
            Ty::Array(item) => Ty::Array(with(self, item)),
            Ty::Set(item) => Ty::Set(with(self, item)),
            Ty::Option(item) => Ty::Option(with(self, item)),
            Ty::Dict(a, b) => Ty::Dict(with(self, a), with(self, b)),
            Ty::Result(a, b) => Ty::Result(with(self, a), with(self, b)),
            Ty::Tuple(members) => Ty::Tuple(
                members
                    .into_iter()
                    .map(|(label, ty)| (label, with(self, ty)))
                    .collect(),
            ),
            Ty::Fn(params, ret) => {
                let params = params.into_iter().map(|ty| with(self, ty)).collect();
                Ty::Fn(params, with(self, ret))
            }
            Ty::Adt(adt) => {
                let args: Rc<[TyId]> = self.types().adts[adt.0 as usize]
                    .args
                    .clone()
                    .into_iter()
                    .map(|ty| with(self, ty))
                    .collect();
                let decl = self.decl_of(adt);
                Ty::Adt(self.adt_instance(decl, args))
            }
            Ty::Trait(id) => {
                let (decl, args) = self.instances().trait_of(id).clone();
                let args: Rc<[TyId]> = args.iter().map(|&ty| with(self, ty)).collect();
                Ty::Trait(self.trait_instance(decl, args))
            }
            Ty::Assoc(base, name) => {
                let base = with(self, base);
                return self.associated(base, name).unwrap_or(TyId::ERROR);
            }
            _ => return ty,
        };
        self.types_mut().intern(new)
    }
}

impl<'c, 'a> Body<'c, 'a> {
    /// A type that is not known yet; `origin` says what it stands for.
    pub(crate) fn fresh(&mut self, span: Span, origin: Origin) -> TyId {
        let number = self.table.add(span, origin);
        self.intern(Ty::Infer(number))
    }

    /// The type that a literal takes where `ty` is expected: its own while it is not known, another one that was set for it.
    pub(crate) fn literal_type(&self, ty: TyId) -> TyId {
        match self.ty(self.shallow(ty)) {
            Ty::Infer(number) => self.table.hint(*number).unwrap_or(ty),
            _ => ty,
        }
    }

    /// Follows variables at the top of a type.
    pub(crate) fn shallow(&self, ty: TyId) -> TyId {
        let mut ty = ty;
        while let Ty::Infer(number) = self.cx.types().get(ty) {
            match self.table.bound(*number) {
                Some(bound) => ty = bound,
                None => break,
            }
        }
        ty
    }

    /// Replaces every known variable in a type.
    pub(crate) fn resolve(&mut self, ty: TyId) -> TyId {
        if self.cx.flags(ty) & HAS_INFER == 0 {
            return ty;
        }
        let top = self.shallow(ty);
        if top != ty {
            return self.resolve(top);
        }
        let mut parts = self.cx.parts(ty);
        if parts.is_empty() {
            return ty;
        }
        for part in &mut parts {
            *part = self.resolve(*part);
        }
        let mut next = parts.into_iter();
        self.cx
            .map_parts(ty, &mut |_, old| next.next().unwrap_or(old))
    }

    /// A type whose associated types are replaced by what they are, as far as the types they belong to are known.
    pub(crate) fn settle_associated(&mut self, ty: TyId) -> TyId {
        if self.cx.flags(ty) & HAS_INFER == 0 || !self.mentions_associated(ty) {
            return self.shallow(ty);
        }
        self.resolve(ty)
    }

    fn mentions_associated(&self, ty: TyId) -> bool {
        matches!(self.ty(ty), Ty::Assoc(..))
            || self
                .cx
                .parts(ty)
                .into_iter()
                .any(|part| self.mentions_associated(part))
    }

    /// What is known about a type's impl of a trait fixes the type arguments that a bound `T: Trait<U>` leaves open.
    pub(crate) fn learn_trait_args(&mut self, ty: TyId, trait_idx: TraitIdx, args: &[TyId]) {
        let ty = self.resolve(ty);
        if self.cx.flags(ty) & HAS_INFER != 0 {
            return;
        }
        let mut known = Vec::new();
        if let Ty::Param(name) = *self.ty(ty) {
            known.extend(
                self.purpose
                    .bounds()
                    .iter()
                    .filter(|(n, idx, _)| *n == name && *idx == trait_idx)
                    .map(|(_, _, args)| args.clone()),
            );
        } else if let Some(head) = self.cx.head(ty) {
            let impls = self.cx.decls().trait_impls(trait_idx, head).to_vec();
            for idx in impls {
                if let Some(own) = self.cx.match_impl(idx, ty) {
                    known.push(self.cx.impl_trait_args(idx, &own));
                }
            }
        }
        let mut fitting = Vec::new();
        for own in known {
            if own.len() == args.len()
                && own.iter().zip(args).all(|(&a, &b)| self.could_unify(a, b))
            {
                fitting.push(own);
            }
        }
        if let [only] = &fitting[..] {
            for (&own, &arg) in only.iter().zip(args) {
                self.unify(own, arg);
            }
        }
    }

    /// What a type is, variables at its top followed.
    pub(crate) fn kind(&self, ty: TyId) -> Ty {
        self.cx.types().get(self.shallow(ty)).clone()
    }

    pub(crate) fn is_unknown(&self, ty: TyId) -> bool {
        matches!(self.cx.types().get(self.shallow(ty)), Ty::Infer(_))
    }

    /// Whether a type is known as far as its head; reports one that must be known to go on and is not.
    pub(crate) fn must_be_known(&mut self, ty: TyId, at: Span) -> bool {
        if !self.is_unknown(ty) {
            return true;
        }
        self.undetermined_here(at);
        self.unify(ty, TyId::ERROR);
        false
    }

    /// Reports a value whose type must be known to go on and is not.
    pub(super) fn undetermined_here(&mut self, at: Span) {
        let message = "the type of this value must be known here";
        let d = Diagnostic::error(codes::UNDETERMINED, at, message)
            .help("write the type where it is declared");
        self.cx.report(d);
    }

    /// The type as messages write it.
    pub(crate) fn show(&mut self, ty: TyId) -> String {
        let ty = self.resolve(ty);
        self.cx.types().name(ty)
    }

    fn occurs(&mut self, number: u32, ty: TyId) -> bool {
        if self.cx.flags(ty) & HAS_INFER == 0 {
            return false;
        }
        let ty = self.shallow(ty);
        if let Ty::Infer(other) = self.ty(ty) {
            return *other == number;
        }
        self.cx
            .parts(ty)
            .into_iter()
            .any(|part| self.occurs(number, part))
    }

    /// Makes two types equal if they can be.
    pub(crate) fn unify(&mut self, a: TyId, b: TyId) -> bool {
        let (a, b) = (self.shallow(a), self.shallow(b));
        if a == b {
            return true;
        }
        let (x, y) = (self.ty(a).clone(), self.ty(b).clone());
        match (&x, &y) {
            // Also with an error: what depends on it is not reported once more.
            (Ty::Infer(number), _) => {
                let number = *number;
                if self.occurs(number, b) {
                    return false;
                }
                self.table.bind(number, b);
                true
            }
            (_, Ty::Infer(number)) => {
                let number = *number;
                if self.occurs(number, a) {
                    return false;
                }
                self.table.bind(number, a);
                true
            }
            (Ty::Error, _) | (_, Ty::Error) => true,
            (Ty::Array(_), Ty::Array(_))
            | (Ty::Set(_), Ty::Set(_))
            | (Ty::Option(_), Ty::Option(_))
            | (Ty::Dict(..), Ty::Dict(..))
            | (Ty::Result(..), Ty::Result(..)) => self.unify_parts(a, b),
            (Ty::Tuple(m), Ty::Tuple(n)) => {
                let labels = m
                    .iter()
                    .zip(n)
                    .all(|((l, _), (k, _))| l == k || l.is_none() || k.is_none());
                m.len() == n.len() && labels && self.unify_parts(a, b)
            }
            (Ty::Fn(m, _), Ty::Fn(n, _)) => m.len() == n.len() && self.unify_parts(a, b),
            (Ty::Adt(m), Ty::Adt(n)) => {
                self.cx.decl_of(*m) == self.cx.decl_of(*n) && self.unify_parts(a, b)
            }
            (Ty::Trait(m), Ty::Trait(n)) => {
                self.cx.instances().trait_of(*m).0 == self.cx.instances().trait_of(*n).0
                    && self.unify_parts(a, b)
            }
            _ => false,
        }
    }

    /// Gives every variable that nothing has determined the type `()`. The error of an `Ok(x)` is `text`, as in `Result<T>`. After a
    /// mistake in the body they are errors: what follows from it is not worth a report.
    pub(crate) fn close_open(&mut self) {
        for number in 0..self.table.count() as u32 {
            self.close_variable(number);
        }
    }

    /// The same for the variables in one type.
    pub(crate) fn close_open_in(&mut self, ty: TyId) {
        if self.cx.flags(ty) & HAS_INFER == 0 {
            return;
        }
        let ty = self.shallow(ty);
        if let Ty::Infer(number) = *self.ty(ty) {
            return self.close_variable(number);
        }
        for part in self.cx.parts(ty) {
            self.close_open_in(part);
        }
    }

    fn close_variable(&mut self, number: u32) {
        let mistaken = !self.cx.reports().sound_since(self.purpose.begin());
        self.table.close(number, |origin| match origin {
            _ if mistaken => TyId::ERROR,
            Origin::ErrorOfResult => TyId::TEXT,
            _ => TyId::UNIT,
        });
    }

    /// The first variable in a type that nothing determined: where it began, and what it represents.
    pub(crate) fn first_open(&self, ty: TyId) -> Option<(Span, Origin)> {
        if let Ty::Infer(number) = *self.ty(ty) {
            let opened = self.table.opened(number);
            return opened.or_else(|| self.first_open(self.table.bound(number)?));
        }
        let parts = self.cx.parts(ty);
        parts.into_iter().find_map(|part| self.first_open(part))
    }

    /// Makes what is unknown in a type an error, because the error that leaves it unknown has been reported.
    pub(crate) fn give_up(&mut self, ty: TyId) {
        if self.cx.flags(ty) & HAS_INFER == 0 {
            return;
        }
        let ty = self.shallow(ty);
        if let Ty::Infer(number) = *self.ty(ty) {
            self.table.bind(number, TyId::ERROR);
            return;
        }
        for part in self.cx.parts(ty) {
            self.give_up(part);
        }
    }

    fn unify_parts(&mut self, a: TyId, b: TyId) -> bool {
        let (a, b) = (self.cx.parts(a), self.cx.parts(b));
        a.len() == b.len() && a.into_iter().zip(b).all(|(a, b)| self.unify(a, b))
    }
}
