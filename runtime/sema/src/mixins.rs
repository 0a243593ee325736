//! Members that a type takes from elsewhere: those of mixins (`struct X with Tagged`), those of mixins that its traits
//! build on (`trait Layer: Mode`), and the methods of a trait that it forwards to a field (`alias Speak = dog`).
//!
//! They are added to the type's own tables before anything asks for its members, so that the rest of the checker does not
//! know the difference. What the type declares itself wins. Next: `collect.rs` and `made_up.rs`.

use crate::checker::Checker;
use crate::codes;
use crate::collect::{constructs, instance_method_name};
use crate::decls::*;
use crate::made_up::forwarding;
use crate::state::{Add, Reporting};
use rustc_hash::FxHashSet;
use simple_syntax::ast::{self, FnKind, Ident, ItemKind};
use simple_syntax::{Diagnostic, Symbol};
use std::rc::Rc;

impl<'a> Checker<'a> {
    /// Gives types that were collected since the last time what they take from mixins and forward to fields.
    pub(crate) fn add_borrowed_members(&mut self) {
        while let Some(idx) = self.decls_mut().next_type_to_mix() {
            if let Shape::Record(decl, class) = self.decls()[idx].shape {
                if !decl.with.is_empty() {
                    self.mix_in(idx, decl, class);
                }
                for (path, field) in &decl.forwards {
                    self.forward(idx, path, *field);
                }
            }
        }
    }

    /// The mixin that a path names, if it is one; says nothing about other paths.
    pub(crate) fn mixin_at(&mut self, module: ModIdx, path: &ast::Path) -> Option<MixinIdx> {
        let def = match path.segments[..] {
            [name] => self.lookup_visible(module, name.name),
            _ => self.quietly(|cx| cx.resolve_path(module, &path.segments).ok()),
        };
        match def {
            Some(Def::Mixin(idx)) => Some(idx),
            _ => None,
        }
    }

    /// The trait that a path names, if it is one; says nothing about other paths.
    fn trait_at(&mut self, module: ModIdx, path: &ast::Path) -> Option<TraitIdx> {
        let def = match path.segments[..] {
            [name] => self.lookup_visible(module, name.name),
            _ => self.quietly(|cx| cx.resolve_path(module, &path.segments).ok()),
        };
        match def {
            Some(Def::Trait(idx)) => Some(idx),
            _ => None,
        }
    }

    /// The traits that a type and its mixins name, and those that these build on, each once.
    fn traits_of(
        &mut self,
        module: ModIdx,
        with: &'a [(ast::Path, Vec<ast::TypeArg>)],
        mixins: &[MixinIdx],
    ) -> Vec<TraitIdx> {
        let mut named: Vec<(ModIdx, &'a ast::Path)> =
            with.iter().map(|(path, _)| (module, path)).collect();
        for &mixin in mixins {
            let info = &self.decls()[mixin];
            named.extend(info.decl.with.iter().map(|(path, _)| (info.module, path)));
        }
        let mut out = Vec::new();
        while let Some((module, path)) = named.pop() {
            let Some(idx) = self.trait_at(module, path).filter(|idx| !out.contains(idx)) else {
                continue;
            };
            out.push(idx);
            let info = &self.decls()[idx];
            named.extend(super_paths(info.decl).map(|path| (info.module, path)));
        }
        out
    }

    /// The mixins that these traits build on.
    fn mixins_of_traits(&mut self, traits: &[TraitIdx], out: &mut Vec<MixinIdx>) {
        for &idx in traits {
            let (module, decl) = {
                let info = &self.decls()[idx];
                (info.module, info.decl)
            };
            for path in super_paths(decl) {
                if let Some(mixin) = self.mixin_at(module, path)
                    && !out.contains(&mixin)
                {
                    out.push(mixin);
                    let (module, decl) = {
                        let info = &self.decls()[mixin];
                        (info.module, info.decl)
                    };
                    self.mixins_of(module, &decl.with, out);
                }
            }
        }
    }

    /// The mixins that a type names, and those that these name, each once.
    fn mixins_of(
        &mut self,
        module: ModIdx,
        with: &'a [(ast::Path, Vec<ast::TypeArg>)],
        out: &mut Vec<MixinIdx>,
    ) {
        for (path, args) in with {
            if let Some(mixin) = self.mixin_at(module, path)
                && !out.contains(&mixin)
            {
                if !args.is_empty() {
                    let message =
                        format!("the mixin `{}` takes no type arguments", path.last().name);
                    self.error(codes::TYPE_ARGS, path.span(), message);
                }
                out.push(mixin);
                let (module, decl) = {
                    let info = &self.decls()[mixin];
                    (info.module, info.decl)
                };
                self.mixins_of(module, &decl.with, out);
            }
        }
    }

    fn mix_in(&mut self, idx: DeclIdx, decl: &'a ast::TypeDecl, class: bool) {
        let module = self.decls()[idx].module;
        let mut mixins = Vec::new();
        self.mixins_of(module, &decl.with, &mut mixins);
        let named = mixins.len();
        let traits = self.traits_of(module, &decl.with, &mixins);
        // The methods of such a mixin change what an object holds, so values do not take it.
        if class {
            self.mixins_of_traits(&traits, &mut mixins);
        }
        if mixins.is_empty() {
            self.adapt_methods(idx, &traits, class);
            return;
        }
        let mut fields = decl.fields.clone();
        let mut modules = vec![module; fields.len()];
        let mut named_fields = 0;
        for (at, &mixin) in mixins.iter().enumerate() {
            let (from, mixed) = {
                let info = &self.decls()[mixin];
                (info.module, info.decl)
            };
            for field in &mixed.fields {
                if let Some(before) = fields.iter().find(|f| f.name.name == field.name.name) {
                    // A trait that builds on a mixin asks for its fields, so one that is there already will do.
                    if at >= named && is_same_name(&before.ty, &field.ty) {
                        continue;
                    }
                    let d = Diagnostic::error(
                        codes::DUPLICATE_FIELD,
                        decl.name.span,
                        format!(
                            "the field `{}` of the mixin `{}` is declared already",
                            field.name.name, mixed.name.name
                        ),
                    )
                    .related(before.name.span, "declared here")
                    .related(field.name.span, "and in the mixin here");
                    self.report(d);
                    continue;
                }
                named_fields += usize::from(at >= named);
                fields.push(field.clone());
                modules.push(from);
            }
            for (path, args) in &mixed.with {
                if self.mixin_at(from, path).is_none() {
                    let generics = self.decls()[idx].generics.clone();
                    self.decls_mut().add(ImplInfo {
                        module: from,
                        decl: None,
                        with: Some((idx, path)),
                        generics,
                        methods: Default::default(),
                        trait_idx: None,
                        trait_args: args,
                        group: Rc::from([]),
                    });
                }
            }
        }
        let merged = ast::TypeDecl {
            name: decl.name,
            generics: decl.generics.clone(),
            where_clauses: decl.where_clauses.clone(),
            with: Vec::new(),
            fields,
            methods: Vec::new(),
            forwards: Vec::new(),
        };
        let Some(merged) = self.keep_type(merged) else {
            return;
        };
        let info = &mut self.decls_mut()[idx];
        info.fields = (0u32..)
            .zip(&merged.fields)
            .map(|(number, field)| (field.name.name, number))
            .collect();
        info.shape = Shape::Record(merged, class);
        info.field_modules = modules;
        info.named_fields = named_fields;
        let generics = info.generics.clone();
        self.mix_in_methods(idx, decl, merged, (&mixins, named), &generics);
        self.adapt_methods(idx, &traits, class);
    }

    fn mix_in_methods(
        &mut self,
        idx: DeclIdx,
        decl: &'a ast::TypeDecl,
        merged: &'a ast::TypeDecl,
        (mixins, named): (&[MixinIdx], usize),
        generics: &Rc<[Symbol]>,
    ) {
        let mixed: Vec<(ModIdx, &'a ast::TypeDecl)> = mixins
            .iter()
            .map(|mixin| {
                let info = &self.decls()[*mixin];
                (info.module, info.decl)
            })
            .collect();
        let members: FxHashSet<Symbol> = merged
            .fields
            .iter()
            .map(|field| field.name.name)
            .chain(decl.methods.iter().filter_map(instance_method_name))
            .chain(
                mixed
                    .iter()
                    .flat_map(|(_, mixin)| mixin.methods.iter().filter_map(instance_method_name)),
            )
            .collect();
        // A constructor by name that mentions a member of a mixin is not a constructor after all.
        for method in self.decls()[idx].methods.clone().into_values() {
            let info = &mut self.decls_mut()[method];
            if info.is_static && info.decl.kind == FnKind::Fn {
                info.is_static = constructs(info.decl, Some(&members));
            }
        }
        let own: FxHashSet<Symbol> = self.decls()[idx].methods.keys().copied().collect();
        for (at, (module, mixin)) in mixed.into_iter().enumerate() {
            for method in &mixin.methods {
                let ItemKind::Fn(of) = &method.kind else {
                    continue;
                };
                let name = of.name.name;
                let has = own.contains(&name)
                    || at >= named && self.decls()[idx].methods.contains_key(&name);
                if !has {
                    self.collect_method(module, method, Owner::Type(idx), generics, Some(&members));
                }
            }
            self.collect_aliases(Owner::Type(idx), &mixin.methods);
        }
    }

    /// `alias Trait = field`: a method for each of the trait's that the type does not have, calling the field's.
    fn forward(&mut self, idx: DeclIdx, path: &'a ast::Path, field: Ident) {
        let info = &self.decls()[idx];
        let (module, generics) = (info.module, info.generics.clone());
        if !info.fields.contains_key(&field.name) {
            let names: Vec<&str> = info.fields.keys().map(|name| name.as_str()).collect();
            let message = format!("`{}` has no field `{}`", info.name.name, field.name);
            let text = field.name.as_str();
            self.unknown(codes::UNKNOWN_FIELD, field.span, message, text, &names);
            return;
        }
        let scope = TypeScope {
            module,
            env: self.empty_env(),
            self_ty: None,
        };
        let Some((trait_idx, args)) = self.resolve_trait_path(path, &[], path.span(), &scope)
        else {
            return;
        };
        for (owner, method, _) in self.all_trait_methods(trait_idx, &args) {
            let (decl, home) = {
                let info = &self.decls()[method];
                (info.decl, info.module)
            };
            let has = self.decls()[idx].methods.contains_key(&decl.name.name);
            if has || decl.kind == FnKind::Static || self.mentions_self(owner, method) {
                continue;
            }
            if let Some(item) = self.keep_item(forwarding(decl, field)) {
                self.collect_method(home, item, Owner::Type(idx), &generics, None);
            }
        }
        self.decls_mut().add(ImplInfo {
            module,
            decl: None,
            with: Some((idx, path)),
            generics,
            methods: Default::default(),
            trait_idx: None,
            trait_args: &[],
            group: Rc::from([]),
        });
    }
}

/// The paths of the traits and mixins that a trait builds on.
fn super_paths(decl: &ast::TraitDecl) -> impl Iterator<Item = &ast::Path> {
    decl.supers
        .iter()
        .filter_map(|written| match &written.kind {
            ast::TypeExprKind::Named { path, .. } => Some(path),
            _ => None,
        })
}

/// Whether two types are written with the same name.
fn is_same_name(a: &ast::TypeExpr, b: &ast::TypeExpr) -> bool {
    use ast::TypeExprKind::{Named, Optional};
    match (&a.kind, &b.kind) {
        (Named { path: a, .. }, Named { path: b, .. }) => a.last().name == b.last().name,
        (Optional(a), Optional(b)) => is_same_name(a, b),
        _ => false,
    }
}
