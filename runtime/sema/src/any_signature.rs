//! Methods of a trait that a type may have with any signature: `@any_signature("call")` above the trait's `forward`.
//!
//! A type that implements the trait must have a method of that name, or of one of the names in the annotation. What
//! objects of the trait and generic code call is the first of them that has the trait's types, also one whose further
//! parameters have defaults (`made_up.rs`); where none has, it is the body in the trait. Calls on the known type go to the
//! type's own method, as always (`methods.rs`). Next: `promises.rs`, `impls.rs`.

use crate::asked::annotation;
use crate::checker::Checker;
use crate::collect::literal_text;
use crate::decls::*;
use crate::made_up::name_with_defaults;
use crate::typed::*;
use simple_syntax::Symbol;
use std::rc::Rc;

/// The annotation that says so.
pub(crate) const ANY_SIGNATURE: &str = "any_signature";

impl<'a> Checker<'a> {
    /// Whether a method of a trait may have any signature.
    pub(crate) fn takes_any_signature(&self, of_trait: FnIdx) -> bool {
        annotation(self.decls()[of_trait].item, ANY_SIGNATURE).is_some()
    }

    /// The names of the methods of which a type needs one, that of the trait's method first; `None` for other methods.
    pub(crate) fn any_signature(&self, of_trait: FnIdx) -> Option<Vec<Symbol>> {
        let info = &self.decls()[of_trait];
        let annotation = annotation(info.item, ANY_SIGNATURE)?;
        let others = annotation.args.iter();
        let others = others.filter_map(|(_, value)| literal_text(value));
        let others = others.map(|name| Symbol::intern(&name));
        Some(std::iter::once(info.decl.name.name).chain(others).collect())
    }

    /// The method of this name that a type, or its impl of the trait, has itself.
    pub(crate) fn declared_method(
        &mut self,
        ty: TyId,
        (trait_idx, trait_args): (TraitIdx, &Rc<[TyId]>),
        name: Symbol,
    ) -> Option<(FnIdx, Rc<[TyId]>)> {
        let head = self.head(ty)?;
        for idx in self.decls().trait_impls(trait_idx, head).to_vec() {
            let Some(&method) = self.decls()[idx].methods.get(&name) else {
                continue;
            };
            if let Some(args) = self.match_impl(idx, ty)
                && (trait_args.is_empty() || self.impl_trait_args(idx, &args) == *trait_args)
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
        let names = self.any_signature(of_trait)?;
        let with_defaults = names
            .iter()
            .map(|&name| name_with_defaults(name))
            .collect::<Vec<_>>();
        for name in names.into_iter().chain(with_defaults) {
            let Some(found) = self.declared_method(ty, (trait_idx, trait_args), name) else {
                continue;
            };
            let method = found.0;
            let args = self.params_as_in(found, of_trait, &full);
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
}
