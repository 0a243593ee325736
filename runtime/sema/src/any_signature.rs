//! Methods of a trait that a type may have with any signature: `@any_signature("call")` above the trait's `forward`.
//!
//! A type that implements the trait must have a method of that name, or of one of the names in the annotation. What
//! objects of the trait and generic code call is the first of them that has the trait's types; where none has, it is the
//! body in the trait. Calls on the known type go to the type's own method, as always (`methods.rs`). Leaves out methods
//! that take more parameters with defaults: they do not have the trait's types. Next: `promises.rs`, `impls.rs`.

use crate::asked::annotation;
use crate::checker::Checker;
use crate::collect::literal_text;
use crate::decls::*;
use crate::typed::*;
use simple_syntax::Symbol;
use std::rc::Rc;

impl<'a> Checker<'a> {
    /// The names of the methods of which a type needs one, that of the trait's method first; `None` for other methods.
    pub(crate) fn any_signature(&self, of_trait: FnIdx) -> Option<Vec<Symbol>> {
        let info = &self.decls()[of_trait];
        let annotation = annotation(info.item, "any_signature")?;
        let others = annotation.args.iter();
        let others = others.filter_map(|(_, value)| literal_text(value));
        let others = others.map(|name| Symbol::intern(&name));
        Some(std::iter::once(info.decl.name.name).chain(others).collect())
    }

    /// The method of this name that a type, or its impl of the trait, has itself.
    pub(crate) fn declared_method(
        &mut self,
        ty: TyId,
        trait_idx: TraitIdx,
        name: Symbol,
    ) -> Option<(FnIdx, Rc<[TyId]>)> {
        let head = self.head(ty)?;
        for idx in self.decls().trait_impls(trait_idx, head).to_vec() {
            if let Some(&method) = self.decls()[idx].methods.get(&name)
                && let Some(args) = self.match_impl(idx, ty)
            {
                return Some((method, args));
            }
        }
        self.own_method(ty, head, name)
    }

    /// The first of the type's own methods that has the types of the trait's.
    pub(crate) fn method_as_promised(
        &mut self,
        ty: TyId,
        (trait_idx, trait_args): (TraitIdx, &Rc<[TyId]>),
        of_trait: FnIdx,
    ) -> Option<(FnIdx, Rc<[TyId]>)> {
        let full: Rc<[TyId]> = [ty].into_iter().chain(trait_args.iter().copied()).collect();
        for name in self.any_signature(of_trait)? {
            let Some(found) = self.declared_method(ty, trait_idx, name) else {
                continue;
            };
            let (method, args) = self.with_params_of(found, &full, of_trait);
            let info = &self.decls()[method];
            if info.is_static || info.generics.len() != args.len() {
                continue;
            }
            let wanted = self.signature(of_trait, &full);
            let own = self.signature(method, &args);
            let same_name = name == self.decls()[of_trait].decl.name.name;
            let result = match own.ret {
                Some(ret) => wanted.ret == Some(ret),
                // Without a written result, a method of the trait's name yields what the trait says.
                None => same_name,
            };
            if result && own.params == wanted.params {
                return Some((method, args));
            }
        }
        None
    }

    /// The type arguments of a method, with the trait's types for parameters that have none.
    fn with_params_of(
        &mut self,
        (method, args): (FnIdx, Rc<[TyId]>),
        full: &Rc<[TyId]>,
        of_trait: FnIdx,
    ) -> (FnIdx, Rc<[TyId]>) {
        let info = &self.decls()[method];
        let (decl, owner) = (info.decl, info.owner);
        let open = info.generics.len() - args.len().min(info.generics.len());
        if open == 0 || !decl.generics.is_empty() {
            return (method, args);
        }
        let promised = self.signature(of_trait, full).params.clone();
        let untyped = decl.params.iter().zip(promised);
        let untyped = untyped.filter(|(param, _)| crate::collect::is_implicit(decl, owner, param));
        let all = args.iter().copied().chain(untyped.map(|(_, ty)| ty));
        (method, all.collect())
    }
}
