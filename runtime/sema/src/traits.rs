//! Traits: whether a type implements one, what a trait builds on, and the tables of trait objects.
//!
//! Leaves out blanket impls. Next: `impls.rs`, which checks that an impl is complete; `associated.rs`, `methods.rs`.

use crate::checker::Checker;
use crate::codes;
use crate::decls::*;
use crate::methods::Head;
use crate::state::Reporting;
use crate::typed::*;
use simple_syntax::ast::{FnKind, TypeExprKind};
use simple_syntax::{Diagnostic, Symbol};
use std::rc::Rc;

impl<'a> Checker<'a> {
    /// Whether `ty` implements the trait.
    pub(crate) fn implements(&mut self, ty: TyId, trait_idx: TraitIdx) -> bool {
        if ty == TyId::ERROR {
            return true;
        }
        if self.is_sendable(trait_idx) {
            return self.unsendable(ty).is_none();
        }
        if let Ty::Trait(id) = self.types().get(ty) {
            let (own, args) = self.instances().trait_of(*id).clone();
            return own == trait_idx || self.all_traits(own, &args).contains(&trait_idx);
        }
        let Some(head) = self.head(ty) else {
            return false;
        };
        let direct = self.decls().trait_impls(trait_idx, head).to_vec();
        for idx in direct {
            if let Some(args) = self.match_impl(idx, ty)
                && self.unmet_in_impl(idx, &args).is_none()
            {
                return true;
            }
        }
        // A trait built on this one brings it along.
        for idx in self.decls().head_impls(head).to_vec() {
            if let Some(own) = self.decls()[idx].trait_idx
                && own != trait_idx
                && let Some(args) = self.match_impl(idx, ty)
                && self.unmet_in_impl(idx, &args).is_none()
            {
                let args = self.impl_trait_args(idx, &args);
                if self.all_traits(own, &args).contains(&trait_idx) {
                    return true;
                }
            }
        }
        false
    }

    /// Parameters and result of the functions of `count` parameters that are a value of this trait, if one impl is for such functions: what a lambda is
    /// that is given where the trait is expected.
    pub(crate) fn function_of_trait(
        &mut self,
        object: TyId,
        count: usize,
    ) -> Option<(Vec<TyId>, TyId)> {
        let Ty::Trait(id) = self.types().get(object) else {
            return None;
        };
        let trait_idx = self.instances().trait_of(*id).0;
        let impls = self.decls().trait_impls(trait_idx, Head::Fn).to_vec();
        let mut found = None;
        for idx in impls {
            if !self.decls()[idx].generics.is_empty() {
                continue;
            }
            let scope = self.opaque_impl_scope(idx);
            let ty = self.impl_self(idx, &scope);
            if let Ty::Fn(params, ret) = self.types().get(ty)
                && params.len() == count
            {
                let function = (params.to_vec(), *ret);
                if found.replace(function).is_some() {
                    return None;
                }
            }
        }
        found
    }

    /// The first type argument of an impl block that does not keep a bound of that block, with the bound's trait. What is not known
    /// yet, or is a type parameter, is not looked at.
    fn unmet_in_impl(&mut self, idx: ImplIdx, args: &Rc<[TyId]>) -> Option<(TyId, TraitIdx)> {
        let info = &self.decls()[idx];
        let decl = info.decl?;
        let bounded = decl
            .generics
            .iter()
            .any(|generic| !generic.bounds.is_empty());
        if !bounded && decl.where_clauses.is_empty() {
            return None;
        }
        let env = info.generics.iter().copied().zip(args.iter().copied());
        let scope = TypeScope {
            module: info.module,
            env: env.collect(),
            self_ty: None,
        };
        self.bounds_in(&decl.generics, &decl.where_clauses, &scope)
            .into_iter()
            .filter_map(|(name, bound, _)| {
                let (_, ty) = scope.env.iter().find(|(known, _)| *known == name)?;
                Some((*ty, bound))
            })
            .find(|&(ty, bound)| {
                let open = matches!(
                    self.types().get(ty),
                    Ty::Param(_) | Ty::Infer(_) | Ty::Error
                );
                !open && !self.implements(ty, bound)
            })
    }

    /// Why a type does not implement a trait although there is an impl for its form: a type argument and the trait that this lacks.
    pub(crate) fn unmet_bound(
        &mut self,
        ty: TyId,
        trait_idx: TraitIdx,
    ) -> Option<(TyId, TraitIdx)> {
        let head = self.head(ty)?;
        let impls = self.decls().trait_impls(trait_idx, head).to_vec();
        impls.into_iter().find_map(|idx| {
            let args = self.match_impl(idx, ty)?;
            self.unmet_in_impl(idx, &args)
        })
    }

    /// Whether `ty` implements the trait with these type arguments.
    pub(crate) fn implements_with(
        &mut self,
        ty: TyId,
        trait_idx: TraitIdx,
        args: &Rc<[TyId]>,
    ) -> bool {
        if args.is_empty() || ty == TyId::ERROR {
            return self.implements(ty, trait_idx);
        }
        if let Ty::Trait(id) = self.types().get(ty) {
            let (own, own_args) = self.instances().trait_of(*id);
            return *own == trait_idx && own_args == args;
        }
        let Some(head) = self.head(ty) else {
            return false;
        };
        let impls = self.decls().trait_impls(trait_idx, head).to_vec();
        impls.into_iter().any(|idx| {
            self.match_impl(idx, ty).is_some_and(|own| {
                self.impl_trait_args(idx, &own) == *args && self.unmet_in_impl(idx, &own).is_none()
            })
        })
    }

    /// The traits that a trait names as those it builds on, with their type arguments.
    pub(crate) fn trait_parents(
        &mut self,
        idx: TraitIdx,
        args: &Rc<[TyId]>,
    ) -> Vec<(TraitIdx, Rc<[TyId]>)> {
        let info = &self.decls()[idx];
        if info.decl.supers.is_empty() {
            return Vec::new();
        }
        let own = info.generics.iter().skip(1).copied();
        let scope = TypeScope {
            module: info.module,
            env: own.zip(args.iter().copied()).collect(),
            self_ty: None,
        };
        let parents = info.decl.supers.iter();
        parents
            .filter_map(|parent| match &parent.kind {
                // What a mixin has, the types have that name the trait (`mixins.rs`).
                TypeExprKind::Named { path, .. } if self.mixin_at(scope.module, path).is_some() => {
                    None
                }
                _ => self.resolve_trait(parent, &scope),
            })
            .collect()
    }

    /// A trait and the traits it builds on.
    pub(crate) fn all_traits(&mut self, idx: TraitIdx, args: &Rc<[TyId]>) -> Vec<TraitIdx> {
        let mut out = vec![(idx, args.clone())];
        let mut next = 0;
        while let Some((idx, args)) = out.get(next).cloned() {
            next += 1;
            for parent in self.trait_parents(idx, &args) {
                if out.iter().all(|(known, _)| *known != parent.0) {
                    out.push(parent);
                }
            }
        }
        out.into_iter().map(|(idx, _)| idx).collect()
    }

    /// Reports a trait that builds on itself, directly or through others; `reported` are those of circles that are known.
    pub(crate) fn check_trait_circle(
        &mut self,
        idx: TraitIdx,
        args: &Rc<[TyId]>,
        reported: &mut Vec<TraitIdx>,
    ) {
        if reported.contains(&idx) {
            return;
        }
        let found = self
            .trait_parents(idx, args)
            .into_iter()
            .map(|(parent, args)| (parent, self.all_traits(parent, &args)))
            .find(|(_, above)| above.contains(&idx));
        let Some((parent, above)) = found else {
            return;
        };
        reported.extend(above);
        let name = |idx: TraitIdx| self.decls()[idx].decl.name;
        let mut d = Diagnostic::error(
            codes::RECURSIVE_TYPE,
            name(idx).span,
            format!("the trait `{}` builds on itself", name(idx).name),
        );
        if parent != idx {
            let (below, own) = (name(parent).name, name(idx).name);
            d = d.note(format!(
                "it names `{below}`, which builds on `{own}` in its turn"
            ));
        }
        self.report(d.help("take it out of the traits that one of them names after its `:`"));
    }

    /// Enters `ty` into the tables of the trait.
    pub(crate) fn implement_object(&mut self, ty: TyId, id: TraitId) {
        if self.types().traits[id.0 as usize]
            .impls
            .iter()
            .any(|(known, _)| *known == ty)
        {
            return;
        }
        // Entered first: a method may convert its own type to the trait.
        self.types_mut().traits[id.0 as usize]
            .impls
            .push((ty, Vec::new()));
        let slot = self.types().traits[id.0 as usize].impls.len() - 1;
        let mut funcs = Vec::new();
        let (of, of_args) = self.instances().trait_of(id).clone();
        let methods = self.all_trait_methods(of, &of_args);
        let own = self.types_mut().intern(Ty::Trait(id));
        let compares = [false, true].map(|order| {
            let info = &self.types().traits[id.0 as usize];
            info.comparison(own, order)
        });
        for (place, fn_idx) in (0..).zip(self.instances().object_methods(id).to_vec()) {
            let name = self.decls()[fn_idx].decl.name.name;
            let Some((owner, _, owner_args)) = methods.iter().find(|(_, f, _)| *f == fn_idx) else {
                continue;
            };
            let Some((method, args)) = self.table_method(ty, *owner, owner_args, name) else {
                // `check_impl` reports it; a program whose tables have holes is never run.
                let head = self.decls()[fn_idx].decl.head;
                self.reports_mut().add_unfinished(head);
                continue;
            };
            let in_library = |cx: &Self, of: FnIdx| cx.modules()[cx.decls()[of].module].library;
            let library = in_library(self, method);
            // Of a program `check_impl` compares all, of the library this what objects are made of.
            let compared = (library && method != fn_idx).then(|| {
                let full = [ty].into_iter().chain(owner_args.iter().copied()).collect();
                ((fn_idx, full), (method, args.clone()))
            });
            let number = self.waiting_instance(method, args);
            // Objects are compared without a call in the program, and a session may call anything later. What a
            // program's own trait asks for is compared in any case.
            if library
                && in_library(self, fn_idx)
                && !self.instances().is_called(id, place)
                && !compares.contains(&Some(place))
                && !self.input().session().is_open()
            {
                self.instances_mut()
                    .wait_for_call((id, place), number, compared);
            } else {
                self.instances_mut().wake(number);
                if let Some((of_trait, method)) = compared {
                    self.instances_mut().compare_later(of_trait, method);
                }
            }
            funcs.push(self.instances()[number].id);
        }
        self.types_mut().traits[id.0 as usize].impls[slot].1 = funcs;
        for (from, to) in self.instances().trait_links().to_vec() {
            if from == id {
                self.link_object(ty, to);
            }
        }
    }

    /// Objects of one trait are converted to another, or tested for it: what implements both has a table for both.
    pub(crate) fn link_traits(&mut self, from: TraitId, to: TraitId) {
        if !self.instances_mut().link(from, to) {
            return;
        }
        let known: Vec<TyId> = self.types().traits[from.0 as usize]
            .impls
            .iter()
            .map(|(ty, _)| *ty)
            .collect();
        for ty in known {
            self.link_object(ty, to);
        }
    }

    fn link_object(&mut self, ty: TyId, to: TraitId) {
        let trait_idx = self.instances().trait_of(to).0;
        if self.implements(ty, trait_idx) {
            self.implement_object(ty, to);
        }
    }

    /// The instance of a trait as a type.
    pub(crate) fn trait_instance(&mut self, idx: TraitIdx, args: Rc<[TyId]>) -> TraitId {
        if let Some(known) = self.instances().trait_with(idx, &args) {
            return known;
        }
        let name = self.decls()[idx].name;
        self.types_mut().traits.push(Trait {
            name: name.name,
            args: args.to_vec(),
            span: name.span,
            methods: Vec::new(),
            impls: Vec::new(),
        });
        let id = self.instances_mut().add_trait(idx, args.clone());
        let object = self.types_mut().intern(Ty::Trait(id));
        let mut methods = Vec::new();
        let mut fns = Vec::new();
        for (owner, fn_idx, trait_args) in self.all_trait_methods(idx, &args) {
            if self.mentions_self(owner, fn_idx) {
                // The caller cannot know the type of the object, so such a method is not callable on one.
                continue;
            }
            let full: Rc<[TyId]> = [object]
                .into_iter()
                .chain(trait_args.iter().copied())
                .collect();
            let info = &self.decls()[fn_idx];
            if info.generics.len() != full.len() || info.is_static {
                continue;
            }
            let name = info.decl.name.name;
            let signature = self.signature(fn_idx, &full);
            methods.push(TraitMethod {
                name,
                params: signature.params.clone(),
                // Calls ask `object_result` for one that is not written.
                ret: signature.ret.unwrap_or(TyId::UNIT),
                changes: self.decls()[fn_idx].decl.kind == FnKind::Me,
            });
            fns.push(fn_idx);
        }
        self.types_mut().traits[id.0 as usize].methods = methods;
        self.instances_mut().set_object_methods(id, fns);
        id
    }

    /// Methods of a trait and of the traits it builds on, with the type arguments of each trait (without `Self`).
    pub(crate) fn all_trait_methods(
        &mut self,
        idx: TraitIdx,
        args: &Rc<[TyId]>,
    ) -> Vec<(TraitIdx, FnIdx, Rc<[TyId]>)> {
        let mut out = Vec::new();
        self.each_trait(idx, args, |cx, idx, args| {
            let methods = cx.decls()[idx].order.iter();
            out.extend(methods.map(|&method| (idx, method, args.clone())));
        });
        out
    }

    /// Those of them that have a name.
    pub(crate) fn trait_methods_named(
        &mut self,
        idx: TraitIdx,
        args: &Rc<[TyId]>,
        name: Symbol,
    ) -> Vec<(TraitIdx, FnIdx, Rc<[TyId]>)> {
        let mut out = Vec::new();
        self.each_trait(idx, args, |cx, idx, args| {
            let method = cx.decls()[idx].methods.get(&name);
            out.extend(method.map(|&method| (idx, method, args.clone())));
        });
        out
    }

    /// Shows a trait and the traits it builds on, each once, with the type arguments of each (without `Self`).
    fn each_trait(
        &mut self,
        idx: TraitIdx,
        args: &Rc<[TyId]>,
        mut show: impl FnMut(&mut Self, TraitIdx, &Rc<[TyId]>),
    ) {
        let mut todo = vec![(idx, args.clone())];
        let mut seen: Vec<TraitIdx> = Vec::new();
        while let Some((idx, args)) = todo.pop() {
            if seen.contains(&idx) {
                continue;
            }
            seen.push(idx);
            show(self, idx, &args);
            todo.extend(self.trait_parents(idx, &args));
        }
    }
}
