//! Finding methods: impl blocks by what they are for, and which method a name means on a type.
//!
//! Order (`doc/language/methods.md`): methods of the type's own body, inherent impls, methods of traits. Methods on built-in
//! types that are not intrinsics are written in Simple in core modules (`std.core.text` ...), which are loaded when the
//! first such method is looked up. Next: `traits.rs`; `body/call/method.rs` for calls.

use crate::checker::Checker;
use crate::codes;
use crate::decls::*;
use crate::state::Reporting;
use crate::typed::*;
use simple_syntax::Symbol;
use simple_syntax::ast::FnKind;
use std::rc::Rc;

/// What kind of type an impl block is for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Head {
    Unit,
    Bool,
    Int(IntTy),
    F32,
    F64,
    Text,
    Array,
    Dict,
    Set,
    Tuple,
    Range,
    Option,
    Result,
    Fn,
    Adt(DeclIdx),
    Trait(TraitIdx),
    Handle(HandleTy),
}

impl<'a> Checker<'a> {
    /// The kind of a type; `None` for what has no methods of its own.
    pub(crate) fn head(&self, ty: TyId) -> Option<Head> {
        Some(match self.types().get(ty) {
            Ty::Unit => Head::Unit,
            Ty::Bool => Head::Bool,
            Ty::Int(int) => Head::Int(*int),
            Ty::F32 => Head::F32,
            Ty::F64 => Head::F64,
            Ty::Text => Head::Text,
            Ty::Array(_) => Head::Array,
            Ty::Dict(..) => Head::Dict,
            Ty::Set(_) => Head::Set,
            Ty::Tuple(_) => Head::Tuple,
            Ty::Range => Head::Range,
            Ty::Option(_) => Head::Option,
            Ty::Result(..) => Head::Result,
            Ty::Fn(..) => Head::Fn,
            Ty::Adt(adt) => Head::Adt(self.decl_of(*adt)),
            Ty::Trait(id) => Head::Trait(self.instances().trait_of(*id).0),
            Ty::Handle(handle) => Head::Handle(*handle),
            Ty::Never | Ty::Param(_) | Ty::Infer(_) | Ty::Assoc(..) | Ty::Error => return None,
        })
    }

    /// A function that a trait declares static is static in its impl, also without the word.
    fn take_static(&mut self, idx: ImplIdx, trait_idx: TraitIdx, ty: TyId) {
        let info = &self.decls()[idx];
        let own = match (info.with, self.types().get(ty)) {
            (Some(_), &Ty::Adt(adt)) => &self.decls()[self.decl_of(adt)].methods,
            _ => &info.methods,
        };
        let of_trait = &self.decls()[trait_idx].methods;
        let statics: Vec<FnIdx> = own
            .iter()
            .filter(|(name, _)| {
                let declared = of_trait.get(name);
                declared.is_some_and(|declared| self.decls()[*declared].is_static)
            })
            .map(|(_, &method)| method)
            .collect();
        for method in statics {
            let info = &mut self.decls_mut()[method];
            info.is_static |= info.decl.kind == FnKind::Fn && !info.decl.explicit_self;
        }
    }

    /// Enters impl blocks of newly loaded modules into the tables.
    pub(crate) fn register_impls(&mut self) {
        self.once(Checker::register_new_impls);
    }

    fn register_new_impls(&mut self) {
        self.add_borrowed_members();
        while let Some(idx) = self.decls_mut().next_impl_to_enter() {
            if self.decls()[idx].is_group() {
                self.register_group(idx);
                continue;
            }
            if let Some((_, path)) = self.decls()[idx].with
                && self.mixin_at(self.decls()[idx].module, path).is_some()
            {
                continue;
            }
            let scope = self.opaque_impl_scope(idx);
            let ty = self.impl_self(idx, &scope);
            if let Some(trait_idx) = self.resolve_impl_trait(idx, &scope) {
                self.decls_mut()[idx].trait_idx = Some(trait_idx);
                self.take_static(idx, trait_idx, ty);
            } else if self.decls()[idx].with.is_some() {
                continue;
            }
            let Some(head) = self.head(ty) else {
                if ty != TyId::ERROR {
                    let span = self.decls()[idx].decl.map(|d| d.ty.span);
                    if let Some(span) = span {
                        self.unsupported(span, "impl blocks for every type");
                    }
                }
                continue;
            };
            if let Some(trait_idx) = self.decls()[idx].trait_idx {
                self.decls_mut().enter_trait_impl(trait_idx, head, idx);
            }
            self.register_methods(idx, head);
        }
    }

    /// Enters `impl A | B:` once for each type of the group.
    fn register_group(&mut self, idx: ImplIdx) {
        let Some(decl) = self.decls()[idx].decl else {
            return;
        };
        let scope = TypeScope {
            module: self.decls()[idx].module,
            env: self.empty_env(),
            self_ty: None,
        };
        let mut group = Vec::with_capacity(decl.group.len() + 1);
        for written in std::iter::once(&decl.ty).chain(&decl.group) {
            let ty = self.resolve_type(written, &scope);
            if ty == TyId::ERROR {
                continue;
            }
            if group.contains(&ty) {
                let name = self.types().name(ty);
                let message = format!("`{name}` is listed twice in this group of types");
                self.error(codes::DUPLICATE, written.span, message);
                continue;
            }
            group.push(ty);
            if let Some(head) = self.head(ty) {
                self.register_methods(idx, head);
            }
        }
        self.decls_mut()[idx].group = group.into();
    }

    fn register_methods(&mut self, idx: ImplIdx, head: Head) {
        self.decls_mut().enter_impl(idx, head);
        let info = &self.decls()[idx];
        if let (Head::Adt(of), None, None) = (head, info.trait_idx, info.with) {
            let methods: Vec<FnIdx> = info.methods.values().copied().collect();
            for method in methods {
                self.reject_field_name(of, method);
            }
        }
    }

    /// The scope of an impl block with opaque type parameters.
    pub(crate) fn opaque_impl_scope(&mut self, idx: ImplIdx) -> TypeScope {
        let generics = self.decls()[idx].generics.clone();
        let args = self.opaque_args(&generics);
        let env = generics.iter().copied().zip(args.iter().copied()).collect();
        TypeScope {
            module: self.decls()[idx].module,
            env,
            self_ty: None,
        }
    }

    fn resolve_impl_trait(&mut self, idx: ImplIdx, scope: &TypeScope) -> Option<TraitIdx> {
        let info = &self.decls()[idx];
        if let Some(decl) = info.decl {
            let (found, _) = self.resolve_trait(decl.trait_ty.as_ref()?, scope)?;
            return Some(found);
        }
        let ((_, path), args) = (info.with?, info.trait_args);
        let (found, _) = self.resolve_trait_path(path, args, path.span(), scope)?;
        Some(found)
    }

    /// The type arguments under which an impl block is for `ty`, if it is.
    pub(crate) fn match_impl(&mut self, idx: ImplIdx, ty: TyId) -> Option<Rc<[TyId]>> {
        if self.decls()[idx].is_group() {
            return (self.decls()[idx].group.contains(&ty)).then(|| Rc::from([ty]));
        }
        let scope = self.opaque_impl_scope(idx);
        let pattern = self.impl_self(idx, &scope);
        let generics = self.decls()[idx].generics.clone();
        if generics.is_empty() {
            return (pattern == ty || self.match_type(pattern, ty, &mut [], &[]))
                .then(|| self.instances().no_args());
        }
        let mut found = vec![None; generics.len()];
        if !self.match_type(pattern, ty, &mut found, &generics) {
            return None;
        }
        found
            .into_iter()
            .collect::<Option<Vec<TyId>>>()
            .map(Rc::from)
    }

    /// Whether `ty` has the form of `pattern`; parameters named in `generics` take what they meet.
    fn match_type(
        &self,
        pattern: TyId,
        ty: TyId,
        found: &mut [Option<TyId>],
        generics: &[Symbol],
    ) -> bool {
        if let Ty::Param(name) = self.types().get(pattern)
            && let Some(slot) = generics.iter().position(|g| g == name)
        {
            return match found[slot] {
                Some(known) => known == ty || self.is_undetermined(ty),
                None => {
                    found[slot] = Some(ty);
                    true
                }
            };
        }
        if matches!(self.types().get(ty), Ty::Infer(_)) {
            return true;
        }
        let same = match (self.types().get(pattern), self.types().get(ty)) {
            (Ty::Array(_), Ty::Array(_))
            | (Ty::Set(_), Ty::Set(_))
            | (Ty::Option(_), Ty::Option(_))
            | (Ty::Dict(..), Ty::Dict(..))
            | (Ty::Result(..), Ty::Result(..)) => true,
            (Ty::Tuple(a), Ty::Tuple(b)) => a.len() == b.len(),
            (Ty::Fn(a, _), Ty::Fn(b, _)) => a.len() == b.len(),
            (Ty::Adt(a), Ty::Adt(b)) => self.decl_of(*a) == self.decl_of(*b),
            (Ty::Trait(a), Ty::Trait(b)) => {
                self.instances().trait_of(*a).0 == self.instances().trait_of(*b).0
            }
            _ => return pattern == ty,
        };
        same && self
            .parts(pattern)
            .into_iter()
            .zip(self.parts(ty))
            .all(|(pattern, ty)| self.match_type(pattern, ty, found, generics))
    }

    fn is_undetermined(&self, ty: TyId) -> bool {
        self.instances()
            .flags(ty)
            .is_some_and(|flags| flags & crate::body::HAS_INFER != 0)
    }

    /// The method that `name` means on `ty`, with the type arguments of its owner.
    pub(crate) fn find_method(&mut self, ty: TyId, name: Symbol) -> Option<(FnIdx, Rc<[TyId]>)> {
        let head = self.head(ty)?;
        if let Some(own) = self.own_method(ty, head, name) {
            return Some(own);
        }
        // What a built-in type has itself wins over what traits give it, so it must be known.
        self.load_core(head);
        if let Head::Adt(decl) = head {
            self.read_late_method(decl, name);
        }
        self.find_loaded_method(ty, head, name)
    }

    /// Two traits that give `ty` a method of this name, which it does not have itself.
    pub(crate) fn rival_traits(&mut self, ty: TyId, name: Symbol) -> Option<[TraitIdx; 2]> {
        let head = self.head(ty)?;
        let impls = self.decls().head_impls(head).to_vec();
        if impls.len() < 2 || self.own_method(ty, head, name).is_some() {
            return None;
        }
        let mut found: Vec<(TraitIdx, Rc<[TyId]>)> = Vec::new();
        for idx in impls {
            let Some(trait_idx) = self.decls()[idx].trait_idx else {
                continue;
            };
            let Some(args) = self.match_impl(idx, ty) else {
                continue;
            };
            let written = self.decls()[idx].methods.contains_key(&name);
            let trait_args = self.impl_trait_args(idx, &args);
            for (owner, fn_idx, args) in self.trait_methods_named(trait_idx, &trait_args, name) {
                let gives = written || self.decls()[fn_idx].decl.body.is_some();
                if gives && found.iter().all(|(known, _)| *known != owner) {
                    found.push((owner, args));
                }
            }
        }
        // A trait's own method hides that of a trait it builds on.
        let all = found.clone();
        found.retain(|(of, _)| {
            !all.iter()
                .any(|(other, args)| other != of && self.all_traits(*other, args).contains(of))
        });
        match &found[..] {
            [(first, _), (second, _), ..] => Some([*first, *second]),
            _ => None,
        }
    }

    pub(crate) fn find_loaded_method(
        &mut self,
        ty: TyId,
        head: Head,
        name: Symbol,
    ) -> Option<(FnIdx, Rc<[TyId]>)> {
        if let Some(own) = self.own_method(ty, head, name) {
            return Some(own);
        }
        for (idx, fn_idx) in self.impls_with(head, name) {
            if let Some(args) = self.match_impl(idx, ty) {
                return Some((fn_idx, args));
            }
        }
        for idx in self.decls().head_impls(head).to_vec() {
            let Some(trait_idx) = self.decls()[idx].trait_idx else {
                continue;
            };
            let Some(args) = self.match_impl(idx, ty) else {
                continue;
            };
            let trait_args = self.impl_trait_args(idx, &args);
            for (owner, fn_idx, trait_args) in
                self.trait_methods_named(trait_idx, &trait_args, name)
            {
                if self.decls()[fn_idx].decl.body.is_some() {
                    if self.takes_any_signature(fn_idx)
                        && let Some(own) = self.trait_method_on(ty, owner, &trait_args, name)
                    {
                        return Some(own);
                    }
                    let full = [ty].into_iter().chain(trait_args.iter().copied()).collect();
                    return Some((fn_idx, full));
                }
            }
        }
        None
    }

    /// The method that a type has in its own body or in an impl block of no trait.
    pub(crate) fn own_method(
        &mut self,
        ty: TyId,
        head: Head,
        name: Symbol,
    ) -> Option<(FnIdx, Rc<[TyId]>)> {
        if let (Head::Adt(decl), Ty::Adt(adt)) = (head, self.types().get(ty))
            && let Some(&fn_idx) = self.decls()[decl].methods.get(&name)
        {
            return Some((
                fn_idx,
                self.types().adts[adt.0 as usize].args.clone().into(),
            ));
        }
        let own = self.impls_with(head, name);
        own.into_iter()
            .filter(|(idx, _)| self.decls()[*idx].trait_idx.is_none())
            .collect::<Vec<_>>()
            .into_iter()
            .find_map(|(idx, fn_idx)| Some((fn_idx, self.match_impl(idx, ty)?)))
    }

    /// The impl blocks with a method of this name.
    fn impls_with(&self, head: Head, name: Symbol) -> Vec<(ImplIdx, FnIdx)> {
        self.decls().impl_methods(head, name).to_vec()
    }

    /// The type arguments of the trait that an impl block is of.
    pub(crate) fn impl_trait_args(&mut self, idx: ImplIdx, args: &Rc<[TyId]>) -> Rc<[TyId]> {
        let info = &self.decls()[idx];
        if info.trait_args.is_empty() {
            return self.instances().no_args();
        }
        let env = info
            .generics
            .iter()
            .copied()
            .zip(args.iter().copied())
            .collect();
        let scope = TypeScope {
            module: info.module,
            env,
            self_ty: None,
        };
        let trait_args = info.trait_args;
        trait_args
            .iter()
            .map(|arg| match arg {
                simple_syntax::ast::TypeArg::Type(ty) => self.resolve_type(ty, &scope),
                _ => TyId::ERROR,
            })
            .collect()
    }

    /// A method without type parameters of its own, on a type that is wholly known.
    pub(crate) fn concrete_method(
        &mut self,
        ty: TyId,
        name: Symbol,
    ) -> Option<(FnIdx, Rc<[TyId]>)> {
        self.concrete(ty, name, false)
    }

    /// The same of a static method.
    pub(crate) fn concrete_static(
        &mut self,
        ty: TyId,
        name: Symbol,
    ) -> Option<(FnIdx, Rc<[TyId]>)> {
        self.concrete(ty, name, true)
    }

    fn concrete(&mut self, ty: TyId, name: Symbol, is_static: bool) -> Option<(FnIdx, Rc<[TyId]>)> {
        let head = self.head(ty)?;
        let (fn_idx, args) = self.find_loaded_method(ty, head, name)?;
        let info = &self.decls()[fn_idx];
        (info.generics.len() == args.len() && info.is_static == is_static).then_some((fn_idx, args))
    }

    /// Loads the core module for a built-in type; whether there is anything new.
    fn load_core(&mut self, head: Head) -> bool {
        let name = match head {
            Head::Unit | Head::Fn | Head::Adt(_) | Head::Trait(_) | Head::Handle(_) => {
                return false;
            }
            Head::Bool => "bool",
            Head::Int(_) => "int",
            Head::F32 | Head::F64 => "float",
            Head::Text => "text",
            Head::Array => "array",
            Head::Dict => "dict",
            Head::Set => "set",
            Head::Tuple => "tuple",
            Head::Range => "range",
            Head::Option => "option",
            Head::Result => "result",
        };
        if !self.modules_mut().is_first_need_of(name) {
            return false;
        }
        self.load_library(&["std", "core", name]).is_some()
    }

    /// Names of methods on `ty`, for hints.
    pub(crate) fn method_names(&mut self, ty: TyId) -> Vec<&'static str> {
        let mut names: Vec<&'static str> = Vec::new();
        let Some(head) = self.head(ty) else {
            return names;
        };
        match head {
            Head::Adt(decl) => {
                names.extend(self.decls()[decl].methods.keys().map(|name| name.as_str()));
                if self.modules()[self.decls()[decl].module].library {
                    let late = self.late_methods(decl);
                    names.extend(late.iter().map(|name| name.as_str()));
                }
            }
            Head::Trait(_) => {
                if let Ty::Trait(id) = self.types().get(ty) {
                    names.extend(
                        self.types().traits[id.0 as usize]
                            .methods
                            .iter()
                            .map(|m| m.name.as_str()),
                    );
                }
            }
            _ => names.extend(crate::body::intrinsic_method_names(self.types().get(ty))),
        }
        names.extend(
            self.decls()
                .impl_method_names(head)
                .map(|name| name.as_str()),
        );
        // What traits give by their default methods.
        for idx in self.decls().head_impls(head) {
            if let Some(idx) = self.decls()[*idx].trait_idx {
                let methods = self.decls()[idx].methods.iter();
                let given =
                    methods.filter(|(_, method)| self.decls()[**method].decl.body.is_some());
                names.extend(given.map(|(name, _)| name.as_str()));
            }
        }
        names.sort_unstable();
        names.dedup();
        names
    }
}
