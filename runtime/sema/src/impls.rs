//! Whether the impl of a trait is complete, has no more than the trait asks for, and has it in the trait's forms and types.
//!
//! What the tables of objects rely on is checked here, so that every mistake in an impl is reported before code is made.
//! Next: `traits.rs`, `promises.rs`.

use crate::checker::Checker;
use crate::codes;
use crate::collect::is_implicit;
use crate::decls::*;
use crate::state::Reporting;
use crate::typed::*;
use simple_syntax::ast::{self, FnKind};
use simple_syntax::{Diagnostic, Span, Symbol};
use std::rc::Rc;

impl<'a> Checker<'a> {
    /// Reports what an impl of a trait lacks or has too much.
    pub(crate) fn check_impl(&mut self, idx: ImplIdx) {
        let Some(trait_idx) = self.decls()[idx].trait_idx else {
            return;
        };
        let scope = self.opaque_impl_scope(idx);
        let ty = self.impl_self(idx, &scope);
        if ty == TyId::ERROR {
            return;
        }
        let args: Rc<[TyId]> = scope.env.iter().map(|&(_, ty)| ty).collect();
        let trait_args = self.impl_trait_args(idx, &args);
        let info = &self.decls()[idx];
        let span = match (info.decl, info.with) {
            (Some(decl), _) => decl.trait_ty.as_ref().map_or(decl.ty.span, |t| t.span),
            (None, Some((_, path))) => path.span(),
            _ => return,
        };
        let inline = info.with.is_some();
        let own_methods = info.methods.clone();
        self.check_associated(idx, trait_idx, span);
        let mut missing = Vec::new();
        for (owner, fn_idx, trait_args) in self.all_trait_methods(trait_idx, &trait_args) {
            let decl = self.decls()[fn_idx].decl;
            let name = decl.name.name;
            if let Some(names) = self.any_signature(fn_idx) {
                self.check_any_signature(ty, (owner, &trait_args), fn_idx, &names, &mut missing);
                continue;
            }
            let found = self.table_method(ty, owner, &trait_args, name);
            let full: Rc<[TyId]> = [ty].into_iter().chain(trait_args.iter().copied()).collect();
            let wanted = &self.decls()[fn_idx];
            let in_table = wanted.generics.len() == full.len();
            let of_type = wanted.is_static;
            match found {
                Some((method, method_args)) if method != fn_idx => {
                    self.compare_kinds(fn_idx, method, ty);
                    self.compare_arguments(fn_idx, method);
                    if in_table {
                        self.compare_signatures(fn_idx, &full, method, &method_args);
                    }
                    // The trait gives its parameters their types, so it need not wait for a call to be checked.
                    if self.is_template(method) && method_args.iter().all(|&ty| self.flags(ty) == 0)
                    {
                        self.request_instance(method, method_args);
                    }
                }
                Some(_) => {}
                None if of_type && in_table => {
                    let own = own_methods.get(&name).filter(|_| owner == trait_idx);
                    let own = own.map(|&method| (method, args.clone()));
                    match own.or_else(|| self.find_method(ty, name)) {
                        Some((method, its)) if method != fn_idx => {
                            self.compare_static((fn_idx, &full), (method, &its), ty);
                        }
                        None if decl.body.is_none() => missing.push(format!("`{name}`")),
                        _ => {}
                    }
                }
                None => match self.find_method(ty, name) {
                    Some((method, _)) if method != fn_idx && in_table && !of_type => {
                        self.compare_forms(fn_idx, method, ty)
                    }
                    None if decl.body.is_none() => missing.push(format!("`{name}`")),
                    _ => {}
                },
            }
        }
        let trait_name = self.decls()[trait_idx].name;
        self.report_missing(&missing, trait_name, (ty, span));
        if inline {
            return;
        }
        self.check_extra_methods(idx);
        let head = self.head(ty);
        if let Some(head) = head {
            let all = self.decls().trait_impls(trait_idx, head).to_vec();
            if let Some(&first) = all.first()
                && first != idx
                && trait_args.is_empty()
                && self.match_impl(first, ty).is_some()
            {
                let message = format!(
                    "`{}` is implemented twice for `{}`",
                    trait_name.name,
                    self.types().name(ty)
                );
                self.error(codes::DUPLICATE, span, message);
            }
        }
    }

    /// Checks that a type has one of the methods that a trait takes with any signature.
    fn check_any_signature(
        &mut self,
        ty: TyId,
        (owner, trait_args): (TraitIdx, &Rc<[TyId]>),
        of_trait: FnIdx,
        names: &[Symbol],
        missing: &mut Vec<String>,
    ) {
        let own = names.iter();
        let own: Vec<FnIdx> = own
            .filter_map(|&name| Some(self.declared_method(ty, (owner, trait_args), name)?.0))
            .collect();
        if own.is_empty() {
            let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
            missing.push(names.join(" or "));
            return;
        }
        for &method in &own {
            self.compare_kinds(of_trait, method, ty);
        }
        let found = self.method_as_promised(ty, (owner, trait_args), of_trait);
        // The trait gives its parameters their types, so it need not wait for a call to be checked.
        if let Some((method, args)) = found
            && self.is_template(method)
            && args.iter().all(|&ty| self.flags(ty) == 0)
        {
            self.request_instance(method, args);
        }
    }

    /// Reports the methods that an impl lacks.
    fn report_missing(&mut self, names: &[String], of: ast::Ident, (ty, span): (TyId, Span)) {
        if names.is_empty() {
            return;
        }
        let d = Diagnostic::error(
            codes::MISSING_TRAIT_METHOD,
            span,
            format!(
                "`{}` does not implement `{}`: {} {} missing",
                self.types().name(ty),
                of.name,
                names.join(", "),
                if names.len() == 1 { "is" } else { "are" }
            ),
        )
        .related(of.span, "the trait is declared here");
        self.report(d);
    }

    /// Whether a trait of this type has a method of that name which its impl lacks: that was reported, or will be, at the impl.
    pub(crate) fn lacks_method(&mut self, ty: TyId, name: Symbol) -> bool {
        let traits: Vec<TraitIdx> = (self.decls().all_traits())
            .filter(|idx| self.decls()[*idx].methods.contains_key(&name))
            .filter(|idx| !self.modules()[self.decls()[*idx].module].library)
            .collect();
        let lacks = traits.into_iter().any(|idx| self.implements(ty, idx));
        if lacks {
            self.reports_mut().count_follow_up();
        }
        lacks
    }

    /// Reports the methods of an impl that its trait does not have. For modules of the library, too: whoever writes one sees it in the
    /// first program that uses the module, and it costs nothing but names.
    pub(crate) fn check_extra_methods(&mut self, idx: ImplIdx) {
        let info = &self.decls()[idx];
        let (Some(trait_idx), None) = (info.trait_idx, info.with) else {
            return;
        };
        let wanted = &self.decls()[trait_idx];
        let mut extra: Vec<FnIdx> = info
            .methods
            .iter()
            .filter(|(name, _)| !wanted.methods.contains_key(name))
            .map(|(_, &f)| f)
            .collect();
        if extra.is_empty() {
            return;
        }
        extra.sort();
        let trait_name = wanted.name.name;
        let names = wanted.order.iter().map(|f| self.decls()[*f].decl.name.name);
        let all: Vec<&str> = names.map(|name| name.as_str()).collect();
        for fn_idx in extra {
            let name = self.decls()[fn_idx].decl.name;
            let message = format!("the trait `{trait_name}` has no method `{}`", name.name);
            self.unknown(
                codes::MISSING_TRAIT_METHOD,
                name.span,
                message,
                name.name.as_str(),
                &all,
            );
        }
    }

    /// Reports a method that changes a value although its trait says that it does not.
    fn compare_kinds(&mut self, of_trait: FnIdx, method: FnIdx, ty: TyId) {
        let (wanted, found) = (self.decls()[of_trait].decl, self.decls()[method].decl);
        let class = self
            .types()
            .adt(ty)
            .is_some_and(|adt| adt.kind == AdtKind::Class);
        if wanted.kind == FnKind::Fn && found.kind == FnKind::Me && !class {
            let d = Diagnostic::error(
                codes::MISSING_TRAIT_METHOD,
                found.head,
                format!(
                    "`{}` changes its receiver here, but is a plain `fn` in the trait",
                    found.name.name
                ),
            )
            .found_expected("me", "fn")
            .related(wanted.head, "declared in the trait here")
            .help("declare it `me` in the trait, or make the type a class");
            self.report(d);
        }
        let is_static = |of: FnIdx| self.decls()[of].is_static;
        let (of_type, help) = match (is_static(of_trait), is_static(method)) {
            (false, true) => ("of the type here, but of its values", "leave out `static`"),
            (true, false) => (
                "of values here, but of the type",
                "declare it `static fn`, without `self`",
            ),
            _ => return,
        };
        let name = found.name.name;
        let message = format!("`{name}` is a method {of_type} in the trait");
        let d = Diagnostic::error(codes::MISSING_TRAIT_METHOD, found.head, message)
            .related(wanted.head, "declared in the trait here")
            .help(help);
        self.report(d);
    }

    /// Compares a function of the type with what its trait says of it.
    fn compare_static(
        &mut self,
        (of_trait, trait_args): (FnIdx, &Rc<[TyId]>),
        (method, method_args): (FnIdx, &Rc<[TyId]>),
        ty: TyId,
    ) {
        let before = self.reports().mark();
        self.compare_kinds(of_trait, method, ty);
        self.compare_arguments(of_trait, method);
        let found = &self.decls()[method];
        if !self.reports().sound_since(before) {
            return;
        }
        if found.generics.len() == method_args.len() {
            self.compare_signatures(of_trait, trait_args, method, method_args);
        } else if found.decl.params.len() != self.decls()[of_trait].decl.params.len() {
            self.compare_forms(of_trait, method, ty);
        }
    }

    /// Reports a parameter that a call means otherwise than by the trait: with another default, or under the name of another of the trait's
    /// parameters. Which of the two declarations a call sees depends on the type of its receiver, and must not change what it does.
    fn compare_arguments(&mut self, of_trait: FnIdx, method: FnIdx) {
        let (wanted, found) = (self.decls()[of_trait].decl, self.decls()[method].decl);
        for (at, (theirs, own)) in wanted.params.iter().zip(&found.params).enumerate() {
            let name = own.name.name;
            let elsewhere = wanted.params.iter().position(|p| p.name.name == name);
            if let Some(other) = elsewhere.filter(|&other| other != at) {
                let message = format!(
                    "`{name}` is parameter {} here, but parameter {} in the trait",
                    at + 1,
                    other + 1
                );
                let d = Diagnostic::error(codes::TRAIT_ARGUMENTS, own.name.span, message)
                    .related(wanted.params[other].name.span, "declared in the trait here")
                    .help("give the parameters the names that the trait gives them");
                self.report(d);
                return;
            }
            use ast::Takes;
            // What takes an array alone may be given more, but not less, than what its trait says.
            if !matches!(
                (theirs.takes(), own.takes()),
                (Takes::One, Takes::RestOrArray)
            ) && theirs.takes() != own.takes()
            {
                let text = |param: &ast::Param| {
                    let written = param.ty.as_ref().map(|ty| self.input().text(ty.span));
                    let dots = if param.variadic { "..." } else { "" };
                    format!("{}: {}{dots}", param.name.name, written.unwrap_or("?"))
                };
                let (own_text, their_text) = (text(own), text(theirs));
                let message =
                    format!("`{name}` takes its arguments in another form than in the trait");
                let d = Diagnostic::error(codes::TRAIT_ARGUMENTS, own.name.span, message)
                    .found_expected(own_text, their_text.clone())
                    .related(theirs.name.span, "declared in the trait here")
                    .help(format!("write `{their_text}`, as in the trait"));
                self.report(d);
                return;
            }
            let (Some(default), Some(changed)) = (&theirs.default, &own.default) else {
                continue;
            };
            if self.input().text(default.span) == self.input().text(changed.span) {
                continue;
            }
            let message = format!("`{name}` has another default here than in the trait");
            let d = Diagnostic::error(codes::TRAIT_ARGUMENTS, changed.span, message)
                .found_expected(
                    self.input().text(changed.span).to_owned(),
                    self.input().text(default.span).to_owned(),
                )
                .related(default.span, "declared in the trait here")
                .help("leave it out: the default of the trait is used");
            self.report(d);
            return;
        }
    }

    /// Reports a method that cannot be called as the trait's is: one of them belongs to the type, or has more parameters or type parameters.
    fn compare_forms(&mut self, of_trait: FnIdx, method: FnIdx, ty: TyId) {
        let before = self.reports().mark();
        self.compare_kinds(of_trait, method, ty);
        let own = |method: FnIdx| {
            let (decl, owner) = (self.decls()[method].decl, self.decls()[method].owner);
            let untyped = decl.params.iter().filter(|p| is_implicit(decl, owner, p));
            (decl.generics.len(), untyped.count(), decl.params.len())
        };
        let (wanted, found) = (self.decls()[of_trait].decl, self.decls()[method].decl);
        if !self.reports().sound_since(before) || own(of_trait) == own(method) {
            return;
        }
        let form = |decl: &ast::FnDecl| {
            let generics: Vec<&str> = decl.generics.iter().map(|g| g.name.name.as_str()).collect();
            let generics = match generics.is_empty() {
                true => String::new(),
                false => format!("<{}>", generics.join(", ")),
            };
            let rest = |param: &ast::Param| if param.variadic { "..." } else { "" };
            let params = decl.params.iter();
            let params: Vec<String> = params
                .map(|param| format!("{}{}", param.name.name, rest(param)))
                .collect();
            format!("fn {}{generics}({})", decl.name.name, params.join(", "))
        };
        let d = Diagnostic::error(
            codes::MISSING_TRAIT_METHOD,
            found.head,
            format!(
                "`{}` does not have the parameters that its trait asks for",
                found.name.name
            ),
        )
        .found_expected(form(found), form(wanted))
        .related(wanted.head, "declared in the trait here");
        self.report(d);
    }

    /// The result type of a method whose types are all known, by its body.
    fn own_result(&mut self, method: FnIdx, args: &Rc<[TyId]>) -> Option<TyId> {
        if args.iter().any(|&ty| self.flags(ty) != 0) {
            return None;
        }
        let head = self.decls()[method].decl.head;
        let number = self.instance_number(method, args.clone());
        Some(self.instance_ret(number, false, head))
    }

    /// Compares a method of the library in a table of objects with the one of its trait.
    pub(crate) fn compare_in_table(
        &mut self,
        (of_trait, trait_args): (FnIdx, Rc<[TyId]>),
        (method, args): (FnIdx, Rc<[TyId]>),
    ) {
        let mut all = trait_args.iter().chain(args.iter());
        if all.all(|&ty| self.flags(ty) == 0) {
            self.compare_signatures(of_trait, &trait_args, method, &args);
        }
    }

    fn compare_signatures(
        &mut self,
        of_trait: FnIdx,
        trait_args: &Rc<[TyId]>,
        method: FnIdx,
        method_args: &Rc<[TyId]>,
    ) {
        let wanted = self.signature(of_trait, trait_args);
        let found = self.signature(method, method_args);
        // A method without `->` has the result type that a trait gives it, and the other way around.
        let promised = self.promised_result(of_trait, trait_args);
        let inferred = found
            .ret
            .or_else(|| self.result_by_trait(method, method_args));
        let ret = inferred.or_else(|| self.own_result(method, method_args));
        let ret = ret.or(promised).unwrap_or(TyId::UNIT);
        let wanted_ret = promised.unwrap_or(ret);
        if wanted.params == found.params && wanted_ret == ret {
            return;
        }
        let all = wanted.params.iter().chain(&found.params).chain([&ret]);
        if all.into_iter().any(|&ty| ty == TyId::ERROR) {
            return;
        }
        let decl = self.decls()[method].decl;
        let text = |this: &Self, params: &[TyId], ret: TyId| {
            let params: Vec<String> = params.iter().map(|&ty| this.types().name(ty)).collect();
            format!("fn({}) -> {}", params.join(", "), this.types().name(ret))
        };
        let d = Diagnostic::error(
            codes::MISSING_TRAIT_METHOD,
            decl.head,
            format!(
                "`{}` does not have the types that its trait asks for",
                decl.name.name
            ),
        )
        .found_expected(
            text(self, &found.params, ret),
            text(self, &wanted.params, wanted_ret),
        )
        .related(
            self.decls()[of_trait].decl.head,
            "declared in the trait here",
        );
        let advice = super::body::advice_of(&self.decls()[of_trait].item.annotations, None);
        self.report(match advice {
            Some(advice) => d.help(advice),
            None => d,
        });
    }
}
