//! What belongs to types: `impl` blocks, aliases of methods, and every function with its type parameters.

use super::*;

impl<'a> Checker<'a> {
    pub(super) fn collect_impl(&mut self, module: ModIdx, decl: &'a ast::ImplDecl) {
        let mut generics: Vec<Symbol> = self.generic_names(&decl.generics).to_vec();
        if decl.group.is_empty() {
            self.implied_generics(module, &decl.ty, &mut generics);
        } else {
            for generic in &decl.generics {
                self.unsupported(generic.name.span, "type parameters of a group of types");
            }
            generics = vec![Symbol::intern("Self")];
        }
        let generics: Rc<[Symbol]> = generics.into();
        let trait_args: &[ast::TypeArg] = match decl.trait_ty.as_ref().map(|t| &t.kind) {
            Some(ast::TypeExprKind::Named { args, .. }) => args,
            _ => &[],
        };
        let idx = self.decls_mut().add(ImplInfo {
            module,
            decl: Some(decl),
            with: None,
            generics: generics.clone(),
            methods: FxHashMap::default(),
            trait_idx: None,
            trait_args,
            group: Rc::from([]),
        });
        let members: Option<FxHashSet<Symbol>> = decl.trait_ty.is_none().then(|| {
            decl.methods
                .iter()
                .filter_map(instance_method_name)
                .collect()
        });
        for method in &decl.methods {
            self.collect_method(
                module,
                method,
                Owner::Impl(idx),
                &generics,
                members.as_ref(),
            );
        }
        self.collect_aliases(Owner::Impl(idx), &decl.methods);
    }

    /// Whether a module, or one around it, declares a name or imports it by this name.
    fn binds(&self, module: ModIdx, name: Symbol) -> bool {
        let info = &self.modules()[module];
        if info.names.contains_key(&name) {
            return true;
        }
        match info.before {
            Some(outer) => self.binds(outer, name),
            None => info.tree.stmts.iter().any(|stmt| match &stmt.kind {
                StmtKind::Item(item) => imports(&item.kind, name),
                _ => false,
            }),
        }
    }

    /// `impl [T]:` names its parameters without declaring them: a capital letter, perhaps with a digit, that does not
    /// name anything in the module.
    pub(super) fn implied_generics(
        &self,
        module: ModIdx,
        ty: &ast::TypeExpr,
        out: &mut Vec<Symbol>,
    ) {
        use ast::TypeExprKind as K;
        match &ty.kind {
            K::Named { path, args } => {
                if let ([name], true) = (&path.segments[..], args.is_empty()) {
                    let text = name.name.as_str();
                    let mut chars = text.chars();
                    let capital = chars.next().is_some_and(|c| c.is_ascii_uppercase());
                    if capital
                        && chars.all(|c| c.is_ascii_digit())
                        && !self.binds(module, name.name)
                        && !out.contains(&name.name)
                    {
                        out.push(name.name);
                    }
                }
                for arg in args {
                    if let ast::TypeArg::Type(ty) = arg {
                        self.implied_generics(module, ty, out);
                    }
                }
            }
            K::Array(item) | K::Optional(item) | K::FixedArray(item, _) => {
                self.implied_generics(module, item, out)
            }
            K::Dict(key, value) => {
                self.implied_generics(module, key, out);
                self.implied_generics(module, value, out);
            }
            K::Tuple(parts) => parts
                .iter()
                .for_each(|(_, ty)| self.implied_generics(module, ty, out)),
            _ => {}
        }
    }

    /// `fn new_name = old_name` among methods: another name of a method of the same body.
    pub(crate) fn collect_aliases(&mut self, owner: Owner, items: &'a [Item]) {
        for item in items {
            let ItemKind::FnAlias { name, target } = &item.kind else {
                continue;
            };
            let Some(methods) = self.methods_of(owner) else {
                continue;
            };
            let known = methods.get(&target.last().name).copied();
            match known {
                Some(method) if !methods.contains_key(&name.name) => {
                    methods.insert(name.name, method);
                }
                Some(_) => {
                    let message = format!("the method `{}` is defined twice", name.name);
                    self.error(codes::DUPLICATE, name.span, message);
                }
                None => {
                    let names: Vec<&str> = methods.keys().map(|name| name.as_str()).collect();
                    let target = target.last();
                    let message = format!("there is no method `{}` here", target.name);
                    self.unknown(
                        codes::UNKNOWN_METHOD,
                        target.span,
                        message,
                        target.name.as_str(),
                        &names,
                    );
                }
            }
        }
    }

    pub(super) fn methods_of(&mut self, owner: Owner) -> Option<&mut FxHashMap<Symbol, FnIdx>> {
        match owner {
            Owner::Type(decl) => Some(&mut self.decls_mut()[decl].methods),
            Owner::Impl(idx) => Some(&mut self.decls_mut()[idx].methods),
            Owner::Trait(idx) => Some(&mut self.decls_mut()[idx].methods),
            Owner::Free => None,
        }
    }

    pub(crate) fn collect_method(
        &mut self,
        module: ModIdx,
        item: &'a Item,
        owner: Owner,
        generics: &Rc<[Symbol]>,
        members: Option<&FxHashSet<Symbol>>,
    ) {
        self.check_annotations(item, false);
        let ItemKind::Fn(decl) = &item.kind else {
            return;
        };
        let idx = self.add_fn(module, item, decl, owner, generics, members);
        if let Owner::Trait(of) = owner {
            self.decls_mut()[of].order.push(idx);
        }
        if let Owner::Type(of) = owner {
            self.reject_field_name(of, idx);
        }
        let Some(methods) = self.methods_of(owner) else {
            return;
        };
        if let Some(first) = methods.insert(decl.name.name, idx) {
            methods.insert(decl.name.name, first);
            let first = self.decls()[first].decl.name.span;
            let d = Diagnostic::error(
                codes::DUPLICATE,
                decl.name.span,
                format!("the method `{}` is defined twice", decl.name.name),
            )
            .related(first, "first defined here");
            self.report(d);
        }
    }

    /// Reports a method that has the name of a field of its type and can be called without arguments: `x.size` and `x.size()` would be
    /// different things. One that sets the field, `x.size(3)`, is allowed.
    pub(crate) fn reject_field_name(&mut self, of: DeclIdx, method: FnIdx) {
        let info = &self.decls()[method];
        let (name, decl) = (info.decl.name, &self.decls()[of]);
        let (Some(&number), Shape::Record(record, _)) = (decl.fields.get(&name.name), &decl.shape)
        else {
            return;
        };
        let params = &info.decl.params;
        let takes_none = params.iter().all(|p| p.may_be_left_out());
        if info.is_static || !takes_none {
            return;
        }
        let message = format!(
            "`{}` has a field and a method of the name `{}`",
            decl.name.name, name.name
        );
        let mut d = Diagnostic::error(codes::DUPLICATE, name.span, message)
            .help("give one of them another name; a field can have a default that computes it");
        if let Some(field) = record.fields.get(number as usize) {
            d = d.related(field.name.span, "the field is declared here");
        }
        self.report(d);
    }

    /// The names of declared type parameters, each of which may occur once.
    pub(super) fn generic_names(&mut self, generics: &[ast::GenericParam]) -> Rc<[Symbol]> {
        for (number, generic) in generics.iter().enumerate() {
            let name = generic.name.name;
            if let Some(first) = generics[..number].iter().find(|g| g.name.name == name) {
                let d = Diagnostic::error(
                    codes::DUPLICATE,
                    generic.name.span,
                    format!("the type parameter `{name}` is declared twice"),
                )
                .related(first.name.span, "first declared here");
                self.report(d);
            }
        }
        generics.iter().map(|g| g.name.name).collect()
    }

    /// Enters a function.
    pub(crate) fn add_fn(
        &mut self,
        module: ModIdx,
        item: &'a Item,
        decl: &'a ast::FnDecl,
        owner: Owner,
        owner_generics: &[Symbol],
        members: Option<&FxHashSet<Symbol>>,
    ) -> FnIdx {
        let mut generics: Vec<Symbol> = owner_generics.to_vec();
        generics.extend(self.generic_names(&decl.generics).iter().copied());
        for param in &decl.params {
            if is_implicit(decl, owner, param) {
                generics.push(implicit_generic(param.name.name));
            }
        }
        let (mut lenient, mut frozen) = (false, false);
        let mut deprecated = None;
        for annotation in &item.annotations {
            match annotation.name.name.as_str() {
                "lenient" => lenient = true,
                "frozen" => frozen = true,
                "deprecated" => {
                    deprecated = Some(
                        annotation
                            .args
                            .first()
                            .and_then(|(_, value)| literal_text(value)),
                    );
                }
                _ => {}
            }
        }
        let is_static = decl.kind == FnKind::Static
            || matches!(owner, Owner::Free)
            || (decl.kind == FnKind::Fn
                && !decl.explicit_self
                && match owner {
                    Owner::Trait(_) => makes_self(decl),
                    _ => constructs(decl, members),
                });
        self.decls_mut().add(FnInfo {
            module,
            decl,
            item,
            owner,
            is_static,
            generics: generics.into(),
            owner_generics: owner_generics.len(),
            outer: None,
            outer_bounds: None,
            of_trait: match owner {
                Owner::Trait(idx) => Some(idx),
                _ => None,
            },
            outer_defs: Rc::from([]),
            captured: Vec::new(),
            lenient,
            frozen,
            deprecated,
        })
    }
}

/// Whether an item is a `use` that brings `name` into scope. What `use m.*` brings is not known yet.
fn imports(item: &ItemKind, name: Symbol) -> bool {
    let ItemKind::Use(decl) = item else {
        return false;
    };
    let taken = |from: &Ident, renamed: &Option<Ident>| renamed.unwrap_or(*from).name == name;
    match &decl.what {
        ast::UseWhat::Path(renamed) => decl
            .segments
            .last()
            .is_some_and(|from| taken(from, renamed)),
        ast::UseWhat::Names(names) => names.iter().any(|(from, renamed)| taken(from, renamed)),
        ast::UseWhat::All => false,
    }
}
