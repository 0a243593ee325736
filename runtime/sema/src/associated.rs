//! Associated types: `type Item` of a trait, what an impl says it is, and `Item`, `Self.Item`, `T.Item` in written types.
//!
//! On a concrete type the impl decides. On a type parameter the associated type is a separate parameter, named `T.Item`;
//! on a type that inference has yet to find it stays a [`Ty::Assoc`] until the type is known. Next: `traits.rs`.

use crate::checker::Checker;
use crate::codes;
use crate::decls::*;
use crate::typed::*;
use simple_syntax::ast::{self, TypeExpr};
use simple_syntax::{Diagnostic, Span, Symbol};
use std::rc::Rc;

impl<'a> Checker<'a> {
    /// What the associated type `name` is on `ty`; `None` if no trait of `ty` has one.
    pub(crate) fn associated(&mut self, ty: TyId, name: Symbol) -> Option<TyId> {
        match *self.types().get(ty) {
            Ty::Error => return Some(ty),
            Ty::Param(param) => {
                let name = Symbol::intern(&format!("{param}.{name}"));
                return Some(self.types_mut().intern(Ty::Param(name)));
            }
            Ty::Infer(_) | Ty::Assoc(..) => {
                return Some(self.types_mut().intern(Ty::Assoc(ty, name)));
            }
            _ => {}
        }
        let head = self.head(ty)?;
        for idx in self.decls().head_impls(head).to_vec() {
            let Some(args) = self.match_impl(idx, ty) else {
                continue;
            };
            if let Some(found) = self.associated_of_impl(idx, &args, ty, name) {
                return Some(found);
            }
        }
        None
    }

    fn associated_of_impl(
        &mut self,
        idx: ImplIdx,
        args: &Rc<[TyId]>,
        ty: TyId,
        name: Symbol,
    ) -> Option<TyId> {
        let info = &self.decls()[idx];
        let (decl, trait_idx, module) = (info.decl, info.trait_idx?, info.module);
        let written = |list: &'a [(ast::Ident, TypeExpr)]| {
            list.iter()
                .find(|(ident, _)| ident.name == name)
                .map(|(_, ty)| ty)
        };
        if let Some(written) = decl.and_then(|decl| written(&decl.assoc)) {
            let env = info
                .generics
                .iter()
                .copied()
                .zip(args.iter().copied())
                .collect();
            let scope = TypeScope {
                module,
                env,
                self_ty: Some(ty),
            };
            return Some(self.resolve_type(written, &scope));
        }
        let of = &self.decls()[trait_idx];
        let (default, module) = (
            of.decl
                .assoc
                .iter()
                .find(|(ident, _)| ident.name == name)
                .and_then(|(_, default)| default.as_ref())?,
            of.module,
        );
        let scope = TypeScope {
            module,
            env: self.empty_env(),
            self_ty: Some(ty),
        };
        Some(self.resolve_type(default, &scope))
    }

    /// `T.Item`, `Self.Item`; `None` if the path does not begin with a type parameter or `Self`.
    pub(crate) fn associated_path(&mut self, path: &ast::Path, scope: &TypeScope) -> Option<TyId> {
        let [base, name] = path.segments[..] else {
            return None;
        };
        let of = scope
            .env
            .iter()
            .rev()
            .find(|(known, _)| *known == base.name)
            .map(|&(_, ty)| ty)
            .or_else(|| scope.self_ty.filter(|_| base.name.as_str() == "Self"))?;
        if let Some(found) = self.associated(of, name.name) {
            return Some(found);
        }
        let message = format!(
            "`{}` has no associated type `{}`",
            self.types().name(of),
            name.name
        );
        let d = Diagnostic::error(codes::UNKNOWN_TYPE, name.span, message).help(format!(
            "write `type {} = ...` in the impl of the trait",
            name.name
        ));
        self.report(d);
        Some(TyId::ERROR)
    }

    /// Makes the associated types that a trait or impl block names known inside it under their bare names.
    pub(crate) fn bind_associated(&mut self, owner: Owner, scope: &mut TypeScope) {
        let Some(self_ty) = scope.self_ty else {
            return;
        };
        let trait_idx = match owner {
            Owner::Trait(idx) => Some(idx),
            Owner::Impl(idx) => self.decls()[idx].trait_idx,
            Owner::Free | Owner::Type(_) => None,
        };
        let Some(trait_idx) = trait_idx else {
            return;
        };
        let names = self.associated_names(trait_idx);
        if names.is_empty() {
            return;
        }
        let mut env: Vec<(Symbol, TyId)> = scope.env.to_vec();
        for (name, _) in names {
            if let Some(ty) = self.associated(self_ty, name) {
                // Before the parameters of the function, which may have the same name.
                env.insert(0, (name, ty));
            }
        }
        scope.env = env.into();
    }

    /// The associated types of a trait and of those it builds on.
    pub(crate) fn associated_names(&mut self, idx: TraitIdx) -> Vec<(Symbol, Span)> {
        let args = self.opaque_args(&self.decls()[idx].generics.clone()[1..]);
        let mut names = Vec::new();
        for idx in self.all_traits(idx, &args) {
            let decl = self.decls()[idx].decl;
            names.extend(decl.assoc.iter().map(|(ident, _)| (ident.name, ident.span)));
        }
        names
    }

    /// Reports associated types that an impl lacks, or has but must not have.
    pub(crate) fn check_associated(&mut self, idx: ImplIdx, trait_idx: TraitIdx, at: Span) {
        let own = self.decls()[trait_idx].decl;
        let decl = self.decls()[idx].decl;
        let given: &[(ast::Ident, TypeExpr)] = decl.map_or(&[], |decl| &decl.assoc);
        for (name, default) in &own.assoc {
            if default.is_none() && !given.iter().any(|(known, _)| known.name == name.name) {
                let d = Diagnostic::error(
                    codes::MISSING_TRAIT_METHOD,
                    at,
                    format!(
                        "the impl does not say what the associated type `{}` is",
                        name.name
                    ),
                )
                .related(name.span, "declared in the trait here")
                .help(format!("add `type {} = ...`", name.name));
                self.report(d);
            }
        }
        for (name, _) in given {
            if !own.assoc.iter().any(|(known, _)| known.name == name.name) {
                let all: Vec<&str> = own.assoc.iter().map(|(n, _)| n.name.as_str()).collect();
                let message = format!(
                    "the trait `{}` has no associated type `{}`",
                    own.name.name, name.name
                );
                let text = name.name.as_str();
                self.unknown(codes::MISSING_TRAIT_METHOD, name.span, message, text, &all);
            }
        }
    }

    /// Whether the types of a trait's method mention `Self` or an associated type, which only the implementing type knows.
    pub(crate) fn mentions_self(&mut self, trait_idx: TraitIdx, fn_idx: FnIdx) -> bool {
        let mut names = vec![Symbol::intern("Self")];
        names.extend(self.associated_names(trait_idx).into_iter().map(|(n, _)| n));
        let decl = self.decls()[fn_idx].decl;
        decl.params
            .iter()
            .filter_map(|param| param.ty.as_ref())
            .chain(&decl.ret)
            .any(|ty| mentions(ty, &names))
    }
}

/// Whether a written type begins a path with one of `names` anywhere in it.
fn mentions(ty: &TypeExpr, names: &[Symbol]) -> bool {
    use ast::TypeExprKind as K;
    match &ty.kind {
        K::Named { path, args } => {
            names.contains(&path.segments[0].name)
                || args.iter().any(|arg| match arg {
                    ast::TypeArg::Type(ty) => mentions(ty, names),
                    _ => false,
                })
        }
        K::Array(item) | K::FixedArray(item, _) | K::Optional(item) => mentions(item, names),
        K::Dict(key, value) => mentions(key, names) || mentions(value, names),
        K::Tuple(members) => members.iter().any(|(_, ty)| mentions(ty, names)),
        K::Fn(params, ret) => {
            params.iter().any(|ty| mentions(ty, names))
                || ret.as_ref().is_some_and(|ty| mentions(ty, names))
        }
        K::Unit | K::Dyn(_) | K::Error => false,
    }
}
