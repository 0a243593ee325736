//! What the bounds of type parameters promise: in generic code `x.m()` with `x: T`, `T: Trait` is the trait's `m`, whatever else
//! the actual type `T` has under that name.
//!
//! A body is checked for each list of type arguments, and there `T` is gone: `x` is a `text` with its own methods. So a body whose
//! type parameters have bounds is first checked with these parameters opaque. What it takes from a bound is noted as a
//! [`Promise`], by the place and the method's name; checked for types, the same place calls what the type's impl of that trait
//! says. For example
//!
//! ```text
//! fn double<T: Measure>(x: T) -> i64: 2 * x.len()      opaque: `x.len()` is `Measure.len`, noted
//! double("ab")                                         for text: `len` of `impl Measure for text`
//! ```
//!
//! Parameters without a written type stay what they are in each instance. Next: `body/call/bound.rs` for calls.

use crate::asked::annotation;
use crate::checker::Checker;
use crate::collect::is_implicit;
use crate::decls::*;
use crate::methods::Head;
use crate::state::Reporting;
use crate::typed::*;
use rustc_hash::{FxHashMap, FxHashSet};
use simple_syntax::{Span, Symbol, ast};
use std::rc::Rc;

/// A bound on a type parameter: the parameter, the trait, the trait's type arguments.
pub(crate) type TypeBound = (Symbol, TraitIdx, Rc<[TyId]>);

/// How a body is checked whose types mention opaque type parameters.
pub(crate) struct Opaque {
    pub(crate) bounds: Vec<TypeBound>,
    /// Whether what is taken from bounds is noted: the parameters are those of the body itself.
    pub(crate) notes: bool,
}

/// A method that a bound promises at some place: of which trait, with which type arguments.
#[derive(Clone)]
pub(crate) struct Promise {
    pub(crate) trait_idx: TraitIdx,
    /// In terms of the type parameters of the body.
    pub(crate) trait_args: Rc<[TyId]>,
}

/// What is known about bodies with opaque type parameters.
#[derive(Default)]
pub(crate) struct Promises {
    /// By place and name of the method.
    kept: FxHashMap<(Span, Symbol), Promise>,
    /// Bodies that were checked for what they take from bounds.
    noted: FxHashSet<(FnIdx, Rc<[TyId]>)>,
    /// Result types that are not written, of functions called with opaque types.
    results: FxHashMap<(FnIdx, Rc<[TyId]>), TyId>,
    /// Arguments alone of a `[T]...` that are of a type parameter, so the only element (`body/call/rest.rs`).
    elements: FxHashSet<Span>,
    /// Functions inside of the opaque body that is being checked.
    nested: Vec<FnIdx>,
    /// Generic functions whose bodies are wrong whatever the types are.
    broken: FxHashSet<FnIdx>,
}

impl Promises {
    pub(crate) fn note(&mut self, span: Span, name: Symbol, promise: Promise) {
        self.kept.insert((span, name), promise);
    }

    /// Whether no bound has promised anything.
    pub(crate) fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    pub(crate) fn at(&self, span: Span, name: Symbol) -> Option<&Promise> {
        self.kept.get(&(span, name))
    }

    pub(crate) fn note_element(&mut self, span: Span) {
        self.elements.insert(span);
    }

    pub(crate) fn is_element(&self, span: Span) -> bool {
        self.elements.contains(&span)
    }

    pub(crate) fn add_nested(&mut self, idx: FnIdx) {
        self.nested.push(idx);
    }
}

impl<'a> Checker<'a> {
    /// Checks a generic function once with opaque type parameters, reports what is wrong with it whatever the types, and discards the result.
    pub(crate) fn check_opaque(&mut self, fn_idx: FnIdx) {
        if self.decls()[fn_idx].decl.body.is_none() || self.is_template(fn_idx) {
            return;
        }
        let generics = self.decls()[fn_idx].generics.clone();
        let args = self.opaque_args(&generics);
        if self
            .instances_mut()
            .promises_mut()
            .noted
            .insert((fn_idx, args.clone()))
        {
            let before = self.reports().mark();
            self.check_with_bounds(fn_idx, &args);
            if !self.reports().sound_since(before) {
                self.instances_mut().promises_mut().broken.insert(fn_idx);
            }
        }
    }

    /// Whether the body of a generic function is reported as wrong whatever its types are.
    pub(crate) fn is_broken(&mut self, fn_idx: FnIdx) -> bool {
        let info = &self.decls()[fn_idx];
        let group = match info.owner {
            Owner::Impl(idx) => self.decls()[idx].is_group(),
            _ => false,
        };
        let own = !self.modules()[info.module].library && !group && info.outer.is_none();
        if own && !info.generics.is_empty() {
            self.check_opaque(fn_idx);
        }
        self.instances().promises().broken.contains(&fn_idx)
    }

    /// Notes what the body of an instance takes from bounds, once for each list of those type arguments that have none.
    pub(crate) fn note_promises(&mut self, fn_idx: FnIdx, args: &Rc<[TyId]>) {
        if !self.sees_bounds(fn_idx) || self.decls()[fn_idx].decl.body.is_none() {
            return;
        }
        let library = self.modules()[self.decls()[fn_idx].module].library;
        if !library && !self.is_template(fn_idx) {
            self.check_opaque(fn_idx);
            return;
        }
        // Here the body may rely on what the types are, so only the parameters with bounds are opaque, and nothing is reported.
        let generics = self.decls()[fn_idx].generics.clone();
        let scope = self.signature(fn_idx, args).scope.clone();
        let bounded: Vec<Symbol> = self
            .bounds_of(fn_idx, &scope)
            .into_iter()
            .map(|(name, ..)| name)
            .collect();
        let mixed: Rc<[TyId]> = generics
            .iter()
            .zip(args.iter())
            .map(|(&name, &ty)| match bounded.contains(&name) {
                true => self.types_mut().intern(Ty::Param(name)),
                false => ty,
            })
            .collect();
        if self
            .instances_mut()
            .promises_mut()
            .noted
            .insert((fn_idx, mixed.clone()))
        {
            self.quietly(|cx| cx.check_with_bounds(fn_idx, &mixed));
        }
    }

    /// Checks a body and the functions in it with opaque type parameters among `args`.
    fn check_with_bounds(&mut self, fn_idx: FnIdx, args: &Rc<[TyId]>) {
        let outer = std::mem::take(&mut self.instances_mut().promises_mut().nested);
        let scope = self.signature(fn_idx, args).scope.clone();
        let before = self.reports().mark();
        let mut bounds = self.bounds_of(fn_idx, &scope);
        // A bound that means nothing is reported; what the body takes from it is not a further mistake.
        let unknown = !self.reports().sound_since(before);
        if let Some(outer) = &self.decls()[fn_idx].outer_bounds {
            bounds.extend(outer.iter().cloned());
        }
        let opaque = Opaque {
            bounds,
            notes: true,
        };
        self.quietly_if(unknown, |cx| {
            cx.check_function(fn_idx, args, Some(opaque));
            for inner in std::mem::replace(&mut cx.instances_mut().promises_mut().nested, outer) {
                let generics = cx.decls()[inner].generics.clone();
                let args = cx.opaque_args(&generics);
                let implicit = cx.is_template(inner);
                cx.quietly_if(implicit, |cx| cx.check_with_bounds(inner, &args));
            }
        });
    }

    /// The result type of a function without a written one, called with types that mention opaque parameters with these bounds.
    pub(crate) fn opaque_result(
        &mut self,
        fn_idx: FnIdx,
        args: Rc<[TyId]>,
        bounds: &[TypeBound],
    ) -> TyId {
        let key = (fn_idx, args.clone());
        if let Some(&known) = self.instances().promises().results.get(&key) {
            return known;
        }
        // While it is being looked for, as for a function that calls itself.
        self.instances_mut()
            .promises_mut()
            .results
            .insert(key.clone(), TyId::ERROR);
        let outer = std::mem::take(&mut self.instances_mut().promises_mut().nested);
        self.instances_mut().nest();
        let func = match self.instances().nesting() < crate::body::MAX_NESTING {
            true => {
                let opaque = Opaque {
                    bounds: bounds.to_vec(),
                    notes: false,
                };
                self.quietly(|cx| cx.check_function(fn_idx, &args, Some(opaque)))
            }
            false => None,
        };
        self.instances_mut().unnest();
        self.instances_mut().promises_mut().nested = outer;
        let ret = func.map_or(TyId::ERROR, |func| func.ret);
        self.instances_mut().promises_mut().results.insert(key, ret);
        ret
    }

    /// The result type of a trait's default method without a written one: that of its body, whatever type `Self` is. `None` if it depends on
    /// that type, or is not known yet. `args` are the type arguments of the method, `Self` first.
    pub(crate) fn default_result(&mut self, fn_idx: FnIdx, args: &[TyId]) -> Option<TyId> {
        let own = self.types_mut().intern(Ty::Param(Symbol::intern("Self")));
        let further = args.get(1..).unwrap_or_default();
        let unknown = further.iter().any(|&ty| self.flags(ty) != 0);
        if unknown || args.first() == Some(&own) {
            return None;
        }
        let opaque: Rc<[TyId]> = [own].into_iter().chain(further.iter().copied()).collect();
        let signature = self.signature(fn_idx, &opaque);
        if signature.ret.is_some() {
            return signature.ret;
        }
        let bounds = self.bounds_of(fn_idx, &signature.scope);
        let ret = self.opaque_result(fn_idx, opaque, &bounds);
        (self.flags(ret) == 0).then_some(ret)
    }

    /// What a method of a trait yields under type arguments, with `Self` first, as far as the trait says it.
    pub(crate) fn promised_result(&mut self, fn_idx: FnIdx, args: &Rc<[TyId]>) -> Option<TyId> {
        let written = self.signature(fn_idx, args).ret;
        written.or_else(|| self.default_result(fn_idx, args))
    }

    /// What a method without a written result yields because a trait says it, if one does: the trait of its impl; one that the type keeps
    /// with this method of its own; or, for a default method, the method's body.
    pub(crate) fn result_by_trait(&mut self, fn_idx: FnIdx, args: &Rc<[TyId]>) -> Option<TyId> {
        let info = &self.decls()[fn_idx];
        let (name, owner, home) = (info.decl.name.name, info.owner, info.module);
        let is_static = info.is_static;
        let library = self.modules()[home].library;
        match owner {
            Owner::Free => None,
            Owner::Trait(_) => self.default_result(fn_idx, args),
            Owner::Impl(idx) if self.decls()[idx].trait_idx.is_some() => {
                let impl_args: Rc<[TyId]> = args[..self.decls()[fn_idx].owner_generics].into();
                let ty = self.signature(fn_idx, args).self_ty?;
                self.result_by_impl(idx, &impl_args, ty, (fn_idx, args))
            }
            Owner::Type(_) | Owner::Impl(_) if is_static => None,
            Owner::Type(_) | Owner::Impl(_) => {
                let ty = self.signature(fn_idx, args).self_ty?;
                let head = self.head(ty)?;
                let impls = self.decls().head_impls(head).to_vec();
                // The first trait that says it counts; `check_impl` and `compare_in_table` compare it with the others.
                impls.into_iter().find_map(|idx| {
                    // A method of the library yields the same in every program, whatever that implements for its type.
                    let info = &self.decls()[idx];
                    let known = !library || info.with.is_some() || info.module == home;
                    let other = !known || info.methods.contains_key(&name);
                    let impl_args = (!other).then(|| self.match_impl(idx, ty))??;
                    self.result_by_impl(idx, &impl_args, ty, (fn_idx, args))
                })
            }
        }
    }

    /// What the trait of an impl for `ty` says that this method of the type yields, as far as it is in the tables of
    /// objects.
    fn result_by_impl(
        &mut self,
        idx: ImplIdx,
        impl_args: &Rc<[TyId]>,
        ty: TyId,
        method: (FnIdx, &Rc<[TyId]>),
    ) -> Option<TyId> {
        let name = self.decls()[method.0].decl.name.name;
        let trait_idx = self.decls()[idx].trait_idx?;
        let trait_args = self.impl_trait_args(idx, impl_args);
        let methods = self.all_trait_methods(trait_idx, &trait_args);
        methods.into_iter().find_map(|(_, wanted, trait_args)| {
            let info = &self.decls()[wanted];
            if info.decl.name.name != name || info.generics.len() != trait_args.len() + 1 {
                return None;
            }
            let full: Rc<[TyId]> = [ty].into_iter().chain(trait_args.iter().copied()).collect();
            if self.takes_any_signature(wanted)
                && self.signature(wanted, &full).params != self.signature(method.0, method.1).params
            {
                return None;
            }
            self.promised_result(wanted, &full)
        })
    }

    /// What a method yields when it is called on an object of the trait; `None` if only the type in the object says it.
    pub(crate) fn object_result(&mut self, id: TraitId, number: usize) -> Option<TyId> {
        let fn_idx = self.instances().object_methods(id)[number];
        let (idx, args) = self.instances().trait_of(id).clone();
        let methods = self.all_trait_methods(idx, &args);
        let (.., args) = methods.into_iter().find(|(_, f, _)| *f == fn_idx)?;
        let object = self.types_mut().intern(Ty::Trait(id));
        let full: Rc<[TyId]> = [object].into_iter().chain(args.iter().copied()).collect();
        self.promised_result(fn_idx, &full)
    }

    /// Whether a function is checked only for each type that it is called with: a parameter has no written type, or `@needs` says in words
    /// what no bound can.
    pub(crate) fn is_template(&self, fn_idx: FnIdx) -> bool {
        let info = &self.decls()[fn_idx];
        info.decl
            .params
            .iter()
            .any(|param| is_implicit(info.decl, info.owner, param))
            || annotation(info.item, "needs").is_some()
    }

    /// Whether some type parameter that a function sees has a bound.
    fn sees_bounds(&self, fn_idx: FnIdx) -> bool {
        let info = &self.decls()[fn_idx];
        let bounded = |generics: &[ast::GenericParam], clauses: &[ast::WhereClause]| {
            !clauses.is_empty() || generics.iter().any(|generic| !generic.bounds.is_empty())
        };
        bounded(&info.decl.generics, &info.decl.where_clauses)
            || match info.owner {
                Owner::Type(decl) => match self.decls()[decl].shape {
                    Shape::Record(decl, _) => bounded(&decl.generics, &decl.where_clauses),
                    Shape::Enum(decl) => bounded(&decl.generics, &[]),
                },
                Owner::Impl(idx) => self.decls()[idx]
                    .decl
                    .is_some_and(|decl| bounded(&decl.generics, &decl.where_clauses)),
                Owner::Trait(_) => true,
                Owner::Free => false,
            }
    }

    /// The method by which `ty` does what a trait promises under this name, with the type arguments of its owner. In order: that of the
    /// impl, the type's own, the trait's default. A built-in type has no method of its own in this sense.
    pub(crate) fn trait_method_on(
        &mut self,
        ty: TyId,
        trait_idx: TraitIdx,
        trait_args: &Rc<[TyId]>,
        name: Symbol,
    ) -> Option<(FnIdx, Rc<[TyId]>)> {
        let head = self.head(ty)?;
        let mut default_args = trait_args.clone();
        let mut implemented = false;
        let open = self.decls()[trait_idx].methods.get(&name).copied();
        let open = open.filter(|&of_trait| self.takes_any_signature(of_trait));
        for idx in self.decls().trait_impls(trait_idx, head).to_vec() {
            let Some(args) = self.match_impl(idx, ty) else {
                continue;
            };
            let own_args = self.impl_trait_args(idx, &args);
            if !trait_args.is_empty() && *trait_args != own_args {
                continue;
            }
            if open.is_none()
                && let Some(&fn_idx) = self.decls()[idx].methods.get(&name)
            {
                return Some((fn_idx, args));
            }
            default_args = own_args;
            implemented = true;
        }
        if let Some(of_trait) = open {
            let promised = (trait_idx, &default_args);
            if let Some(own) = self.method_as_promised(ty, promised, of_trait) {
                return Some(own);
            }
        } else if let Head::Adt(_) = head
            && let Some(own) = self.own_method(ty, head, name)
        {
            return Some(own);
        }
        // Through a trait that is built on this one, whose impl need not repeat this one's.
        if !implemented && !self.implements(ty, trait_idx) {
            return None;
        }
        let default = *self.decls()[trait_idx].methods.get(&name)?;
        self.decls()[default].decl.body.as_ref()?;
        let full = [ty].into_iter().chain(default_args.iter().copied());
        Some((default, full.collect()))
    }

    /// The same for a method with a `self` and without type parameters of its own, as the tables of objects have them. A parameter without
    /// a type has that of the trait's.
    pub(crate) fn table_method(
        &mut self,
        ty: TyId,
        trait_idx: TraitIdx,
        trait_args: &Rc<[TyId]>,
        name: Symbol,
    ) -> Option<(FnIdx, Rc<[TyId]>)> {
        let found = self.trait_method_on(ty, trait_idx, trait_args, name);
        let (fn_idx, args) = match found {
            Some(found) => found,
            // What a built-in type has of its own may be in a module of the library that nothing has asked for yet.
            None => self.find_method(ty, name)?,
        };
        let args = self.promised_params((fn_idx, args), ty, trait_idx, trait_args);
        let info = &self.decls()[fn_idx];
        (info.generics.len() == args.len() && !info.is_static).then_some((fn_idx, args))
    }

    /// The type arguments of a method that keeps what a trait promises for `ty`, with the types that the trait gives to parameters which
    /// have none here.
    pub(crate) fn promised_params(
        &mut self,
        (fn_idx, args): (FnIdx, Rc<[TyId]>),
        ty: TyId,
        trait_idx: TraitIdx,
        trait_args: &Rc<[TyId]>,
    ) -> Rc<[TyId]> {
        let name = self.decls()[fn_idx].decl.name.name;
        let Some(&of_trait) = self.decls()[trait_idx].methods.get(&name) else {
            return args;
        };
        let full: Rc<[TyId]> = [ty].into_iter().chain(trait_args.iter().copied()).collect();
        self.params_as_in((fn_idx, args), of_trait, &full)
    }

    /// The same with the parameters of a trait's method, which has these type arguments.
    pub(crate) fn params_as_in(
        &mut self,
        (fn_idx, args): (FnIdx, Rc<[TyId]>),
        of_trait: FnIdx,
        full: &Rc<[TyId]>,
    ) -> Rc<[TyId]> {
        let info = &self.decls()[fn_idx];
        let (decl, owner) = (info.decl, info.owner);
        let generic = self.decls()[of_trait].generics.len() != full.len();
        if info.generics.len() == args.len() || !decl.generics.is_empty() || generic {
            return args;
        }
        let promised = self.signature(of_trait, full).params.clone();
        let open = decl.params.iter().zip(promised);
        let open = open.filter(|(param, _)| is_implicit(decl, owner, param) && !param.variadic);
        let all = args.iter().copied().chain(open.map(|(_, ty)| ty));
        all.collect()
    }

    /// A type whose type parameters are replaced by what they are in `env`.
    pub(crate) fn substitute(&mut self, ty: TyId, env: &Env) -> TyId {
        match *self.types().get(ty) {
            Ty::Param(name) => {
                let found = env.iter().rev().find(|(known, _)| *known == name);
                found.map_or(ty, |&(_, ty)| ty)
            }
            _ => self.map_parts(ty, &mut |this, part| this.substitute(part, env)),
        }
    }
}
