//! Signatures of functions under type arguments, and instances of structs, classes and enums.
//!
//! Everything is computed when first asked for and kept. Leaves out bodies. Next: `types.rs`, which reads written
//! types; `methods.rs`, which finds methods; `traits.rs`, which makes instances of traits.

use crate::checker::Checker;
use crate::codes;
use crate::collect::{implicit_generic, is_implicit};
use crate::decls::*;
use crate::state::Reporting;
use crate::typed::*;
use simple_syntax::{Diagnostic, Symbol, ast};
use std::rc::Rc;

/// How deeply type arguments may nest before a type counts as infinitely growing.
const MAX_TYPE_DEPTH: u32 = 24;

impl<'a> Checker<'a> {
    /// Type parameters as opaque types.
    pub(crate) fn opaque_args(&mut self, generics: &[Symbol]) -> Rc<[TyId]> {
        generics
            .iter()
            .map(|&name| self.types_mut().intern(Ty::Param(name)))
            .collect()
    }

    /// The type of a parameter for which `written` is written: an array of it for `xs: T...`.
    pub(crate) fn type_of_param(&mut self, param: &ast::Param, written: TyId) -> TyId {
        match param.takes() {
            ast::Takes::Rest => self.types_mut().intern(Ty::Array(written)),
            ast::Takes::One | ast::Takes::RestOrArray => written,
        }
    }

    /// The parameter and result types of a function under type arguments.
    pub(crate) fn signature(&mut self, fn_idx: FnIdx, args: &Rc<[TyId]>) -> Rc<Signature> {
        if let Some(known) = self.instances().signature(fn_idx, args) {
            return known;
        }
        self.once(|cx| cx.make_signature(fn_idx, args))
    }

    fn make_signature(&mut self, fn_idx: FnIdx, args: &Rc<[TyId]>) -> Rc<Signature> {
        let info = &self.decls()[fn_idx];
        let (decl, owner, module) = (info.decl, info.owner, info.module);
        let mut env: Vec<(Symbol, TyId)> = Vec::new();
        let mut self_ty = None;
        if let Some(outer) = &info.outer {
            env.extend(outer.env.iter().copied());
            self_ty = outer.self_ty;
        }
        env.extend(info.generics.iter().copied().zip(args.iter().copied()));
        let owner_args: Rc<[TyId]> = args[..info.owner_generics.min(args.len())].into();
        let mut scope = TypeScope {
            module,
            env: env.into(),
            self_ty,
        };
        scope.self_ty = match owner {
            Owner::Free => self_ty,
            Owner::Type(decl) => {
                let adt = self.adt_instance(decl, owner_args);
                Some(self.types_mut().intern(Ty::Adt(adt)))
            }
            Owner::Impl(idx) => Some(self.impl_self(idx, &scope)),
            Owner::Trait(_) => args.first().copied(),
        };
        self.bind_associated(owner, &mut scope);
        let mut params = Vec::with_capacity(decl.params.len());
        for param in &decl.params {
            let ty = match &param.ty {
                Some(ty) if decl.exported => self.foreign_type(ty, &scope).ty,
                Some(ty) => self.resolve_type(ty, &scope),
                None if !is_implicit(decl, owner, param) => scope.self_ty.unwrap_or(TyId::ERROR),
                None => {
                    let name = implicit_generic(param.name.name);
                    scope
                        .env
                        .iter()
                        .rev()
                        .find(|(n, _)| *n == name)
                        .map_or(TyId::ERROR, |&(_, ty)| ty)
                }
            };
            params.push(self.type_of_param(param, ty));
        }
        let ret = match &decl.ret {
            Some(ty) if decl.exported => Some(self.foreign_type(ty, &scope).ty),
            Some(ty) => Some(self.resolve_type(ty, &scope)),
            None if decl.body.is_none() || decl.exported => Some(TyId::UNIT),
            // A method of a trait's impl takes its result type from the trait.
            None if matches!(owner, Owner::Impl(idx) if self.decls()[idx].trait_idx.is_some()) => {
                None
            }
            None if let Some(fixed) = self.fixed_result(fn_idx, &params, scope.self_ty) => {
                Some(fixed)
            }
            None => {
                let mut prints = |name: Symbol| {
                    matches!(
                        name.as_str(),
                        "print" | "println" | "eprint" | "eprintln" | "print_raw"
                    ) && self.lookup(module, name).is_none()
                };
                decl.body
                    .as_ref()
                    .is_some_and(|body| crate::unit_result::yields_unit(body, &mut prints))
                    .then_some(TyId::UNIT)
            }
        };
        let signature = Rc::new(Signature {
            params,
            ret,
            self_ty: scope.self_ty,
            scope,
        });
        self.instances_mut()
            .keep_signature(fn_idx, args.clone(), signature.clone());
        signature
    }

    /// The result of a method that the language itself calls, which such a method need not write.
    fn fixed_result(&self, fn_idx: FnIdx, params: &[TyId], self_ty: Option<TyId>) -> Option<TyId> {
        let (info, self_ty) = (&self.decls()[fn_idx], self_ty?);
        let class = match self.types().get(self_ty) {
            Ty::Adt(adt) => self.types().adts[adt.0 as usize].kind == AdtKind::Class,
            Ty::Trait(_) => false,
            _ => return None,
        };
        let (inner, compared) = (params.is_empty(), params == [self_ty]);
        match info.decl.name.name.as_str() {
            _ if info.is_static => None,
            "drop" if inner && class => Some(TyId::UNIT),
            "to_string" if inner => Some(TyId::TEXT),
            "eq" | "equal" if compared => Some(TyId::BOOL),
            "compare" if compared => Some(TyId::I64),
            _ => None,
        }
    }

    /// The type that an impl block is for.
    pub(crate) fn impl_self(&mut self, idx: ImplIdx, scope: &TypeScope) -> TyId {
        let info = &self.decls()[idx];
        match (info.decl, info.with) {
            (Some(_), _) if info.is_group() => scope.env.first().map_or(TyId::ERROR, |&(_, ty)| ty),
            (Some(decl), _) => self.resolve_type(&decl.ty, scope),
            (None, Some((decl, _))) => {
                let args: Rc<[TyId]> = scope.env.iter().map(|&(_, ty)| ty).collect();
                let adt = self.adt_instance(decl, args);
                self.types_mut().intern(Ty::Adt(adt))
            }
            _ => TyId::ERROR,
        }
    }

    /// The instance of a struct, class or enum.
    pub(crate) fn adt_instance(&mut self, decl: DeclIdx, args: Rc<[TyId]>) -> AdtId {
        if let Some(known) = self.instances().type_of(decl, &args) {
            return known;
        }
        let info = &self.decls()[decl];
        let adt = Adt {
            name: info.name.name,
            args: args.to_vec(),
            kind: match info.shape {
                Shape::Record(_, true) => AdtKind::Class,
                Shape::Record(_, false) => AdtKind::Struct,
                Shape::Enum(_) => AdtKind::Enum,
            },
            fields: Vec::new(),
            variants: Vec::new(),
            drop: None,
            leave: None,
            enter: None,
            eager_drop: info.eager_drop,
            to_text: None,
            eq: None,
            compare: None,
            span: info.name.span,
        };
        self.types_mut().adts.push(adt);
        self.instances_mut().add_type(decl, args)
    }

    /// The declaration of an instance.
    pub(crate) fn decl_of(&self, adt: AdtId) -> DeclIdx {
        self.instances().decl_of(adt)
    }

    /// Where the type and default of a field are resolved: the module of the mixin that it comes from, if any.
    pub(crate) fn field_scope(&self, adt: AdtId, field: usize, scope: &TypeScope) -> TypeScope {
        let modules = &self.decls()[self.decl_of(adt)].field_modules;
        TypeScope {
            module: modules.get(field).copied().unwrap_or(scope.module),
            ..scope.clone()
        }
    }

    /// Where the types in the declaration of `adt` are resolved.
    pub(crate) fn adt_scope(&mut self, adt: AdtId) -> TypeScope {
        let decl = self.decl_of(adt);
        let info = &self.decls()[decl];
        let args = &self.types().adts[adt.0 as usize].args;
        let env = info
            .generics
            .iter()
            .copied()
            .zip(args.iter().copied())
            .collect();
        let module = info.module;
        let self_ty = Some(self.types_mut().intern(Ty::Adt(adt)));
        TypeScope {
            module,
            env,
            self_ty,
        }
    }

    /// Fills in fields and variants.
    pub(crate) fn ensure_adt(&mut self, adt: AdtId) {
        if self.instances().progress_of(adt) != Progress::Untouched {
            return;
        }
        self.once(|cx| cx.resolve_fields(adt));
    }

    fn resolve_fields(&mut self, adt: AdtId) {
        self.instances_mut().set_progress_of(adt, Progress::Active);
        let args = self.types().adts[adt.0 as usize].args.clone();
        if self.too_deep(&args) {
            let span = self.types().adts[adt.0 as usize].span;
            self.error(
                codes::RECURSIVE_TYPE,
                span,
                "this type needs ever larger instances of itself",
            );
            self.instances_mut().set_progress_of(adt, Progress::Done);
            return;
        }
        let scope = self.adt_scope(adt);
        match self.decls()[self.decl_of(adt)].shape {
            Shape::Record(decl, class) => {
                let mut fields = Vec::with_capacity(decl.fields.len());
                for (number, field) in decl.fields.iter().enumerate() {
                    let scope = self.field_scope(adt, number, &scope);
                    let ty = self.resolve_type(&field.ty, &scope);
                    if field.weak && !self.is_class_option(ty) && ty != TyId::ERROR {
                        let d = Diagnostic::error(
                            codes::TYPE_MISMATCH,
                            field.ty.span,
                            "a `weak` field holds an optional class instance",
                        )
                        .found_expected(
                            self.types().name(ty),
                            "an optional class, such as `Node?`",
                        );
                        self.report(d);
                    }
                    if field.weak && !class {
                        let d = Diagnostic::error(
                            codes::TYPE_MISMATCH,
                            field.name.span,
                            "a struct cannot have a `weak` field, because it is copied",
                        )
                        .help("make it a class");
                        self.report(d);
                    }
                    fields.push(Field {
                        name: Some(field.name.name),
                        ty,
                        weak: field.weak,
                    });
                }
                self.types_mut().adts[adt.0 as usize].fields = fields;
            }
            Shape::Enum(decl) => {
                let mut variants = Vec::with_capacity(decl.variants.len());
                let mut next = 0i64;
                for variant in &decl.variants {
                    if let Some(written) = &variant.discriminant {
                        next = self.discriminant(written).unwrap_or(next);
                    }
                    let fields = variant
                        .fields
                        .iter()
                        .map(|part| Field {
                            name: part.name.map(|n| n.name),
                            ty: self.resolve_type(&part.ty, &scope),
                            weak: false,
                        })
                        .collect();
                    variants.push(Variant {
                        name: variant.name.name,
                        fields,
                        discriminant: next,
                    });
                    next = next.wrapping_add(1);
                }
                self.types_mut().adts[adt.0 as usize].variants = variants;
            }
        }
        self.instances_mut().set_progress_of(adt, Progress::Done);
    }

    fn discriminant(&mut self, written: &ast::Expr) -> Option<i64> {
        match &written.kind {
            ast::ExprKind::Int(value, _) if *value <= i64::MAX as u64 => Some(*value as i64),
            ast::ExprKind::Unary(ast::UnaryOp::Neg, inner) => match &inner.kind {
                // The lowest number has no positive counterpart: negated, it stays itself.
                ast::ExprKind::Int(value, _) if *value <= i64::MIN.unsigned_abs() => {
                    Some((*value as i64).wrapping_neg())
                }
                _ => None,
            },
            _ => None,
        }
        .or_else(|| {
            self.error(
                codes::NOT_CONSTANT,
                written.span,
                "a variant's ordinal is an integer literal",
            );
            None
        })
    }

    fn is_class_option(&self, ty: TyId) -> bool {
        match self.types().get(ty) {
            Ty::Option(item) => self
                .types()
                .adt(*item)
                .is_some_and(|adt| adt.kind == AdtKind::Class),
            _ => false,
        }
    }

    /// How deeply a type nests; kept, because a type may share its parts many times over.
    fn type_depth(&mut self, ty: TyId) -> u32 {
        if let Some(known) = self.instances().depth(ty) {
            return known;
        }
        let items: Vec<TyId> = self.parts(ty);
        let depth = items
            .iter()
            .map(|&item| self.type_depth(item))
            .max()
            .map_or(0, |depth| depth + 1);
        self.instances_mut().keep_depth(ty, depth);
        depth
    }

    /// Whether type arguments nest so deeply that they can only be growing without end.
    pub(crate) fn too_deep(&mut self, args: &[TyId]) -> bool {
        args.iter().any(|&ty| self.type_depth(ty) > MAX_TYPE_DEPTH)
    }

    /// The types that a type is made of.
    pub(crate) fn parts(&self, ty: TyId) -> Vec<TyId> {
        match self.types().get(ty) {
            Ty::Array(item) | Ty::Set(item) | Ty::Option(item) => vec![*item],
            Ty::Dict(a, b) | Ty::Result(a, b) => vec![*a, *b],
            Ty::Tuple(members) => members.iter().map(|(_, ty)| *ty).collect(),
            Ty::Fn(params, ret) => params.iter().copied().chain([*ret]).collect(),
            Ty::Adt(adt) => self.types().adts[adt.0 as usize].args.clone(),
            Ty::Trait(id) => self.instances().trait_of(*id).1.to_vec(),
            Ty::Assoc(base, _) => vec![*base],
            _ => Vec::new(),
        }
    }

    /// Reports a struct that contains itself by value.
    pub(crate) fn check_finite(&mut self, adt: AdtId) {
        let mut path = vec![adt];
        if self.contains_itself(adt, adt, &mut path) {
            let info = &self.types().adts[adt.0 as usize];
            let d = Diagnostic::error(
                codes::RECURSIVE_TYPE,
                info.span,
                format!("the struct `{}` contains itself", info.name),
            )
            .help("make the inner value optional (`T?`), hold it in an array, or make it a class");
            self.report(d);
        }
    }

    fn contains_itself(&mut self, target: AdtId, at: AdtId, seen: &mut Vec<AdtId>) -> bool {
        self.ensure_adt(at);
        if self.types().adts[at.0 as usize].kind != AdtKind::Struct {
            return false;
        }
        let mut todo: Vec<TyId> = self.types().adts[at.0 as usize]
            .fields
            .iter()
            .map(|f| f.ty)
            .collect();
        while let Some(ty) = todo.pop() {
            match self.types().get(ty) {
                Ty::Tuple(members) => todo.extend(members.iter().map(|(_, ty)| *ty)),
                // An option of a type that contains it is a box; a result is not.
                Ty::Result(ok, err) => todo.extend([*ok, *err]),
                Ty::Adt(inner) => {
                    let inner = *inner;
                    if inner == target {
                        return true;
                    }
                    if !seen.contains(&inner) {
                        seen.push(inner);
                        if self.contains_itself(target, inner, seen) {
                            return true;
                        }
                    }
                }
                _ => {}
            }
        }
        false
    }

    /// Requests the methods through which the language itself uses a type: `drop`, `to_string`, `eq`, `compare`.
    pub(crate) fn complete_adt(&mut self, adt: AdtId) {
        let args: Rc<[TyId]> = self.types().adts[adt.0 as usize].args.clone().into();
        if args.iter().any(|&ty| self.flags(ty) != 0) {
            return;
        }
        self.ensure_adt(adt);
        let ty = self.types_mut().intern(Ty::Adt(adt));
        let mut found = [None; 6];
        let threads = self.has_threads();
        // A type whose `eq` means something else, such as elements compared one by one, is compared by `equal`.
        let names = ["drop", "to_string", "eq", "compare"]
            .into_iter()
            .enumerate()
            .chain([(2, "equal")])
            .chain(
                [(4, "leave_thread"), (5, "enter_thread")]
                    .into_iter()
                    .filter(|_| threads),
            );
        for (slot, name) in names {
            if found[slot].is_some() {
                continue;
            }
            let name = Symbol::intern(name);
            let found_method = match slot {
                5 => self.concrete_static(ty, name),
                _ => self.concrete_method(ty, name),
            };
            let Some((fn_idx, fn_args)) = found_method else {
                if slot == 2 || slot == 3 {
                    self.reject_generic_comparison(ty, name);
                }
                continue;
            };
            let signature = self.signature(fn_idx, &fn_args);
            let ret = signature.ret;
            let ret = ret.or_else(|| self.result_by_trait(fn_idx, &fn_args));
            let class = self.types().adts[adt.0 as usize].kind == AdtKind::Class;
            let plain = signature.params.is_empty();
            let fits = match slot {
                0 => class && plain && ret.is_none_or(|ret| ret == TyId::UNIT),
                1 => plain && ret.is_none_or(|ret| ret == TyId::TEXT),
                2 => signature.params == [ty] && ret.is_none_or(|ret| ret == TyId::BOOL),
                4 => class && plain && ret == Some(TyId::I64),
                5 => class && signature.params == [TyId::I64] && ret == Some(ty),
                _ => signature.params == [ty] && ret.is_none_or(|ret| ret == TyId::I64),
            };
            if fits {
                found[slot] = Some(self.request_instance(fn_idx, fn_args));
            } else if slot == 0 && class
                || slot == 1 && plain
                || (slot == 2 || slot == 3)
                    && signature.params == [self.types_mut().intern(Ty::Option(ty))]
                    && self.is_failed_comparison(ty, (fn_idx, name), ret)
            {
                // As an ordinary method it would be useless, so it is a slip; it must not be ignored silently.
                self.report_form(fn_idx, name);
            }
        }
        let info = &mut self.types_mut().adts[adt.0 as usize];
        [
            info.drop,
            info.to_text,
            info.eq,
            info.compare,
            info.leave,
            info.enter,
        ] = found;
    }

    /// Empties instances over type parameters and inference variables, which no code can reach.
    pub(crate) fn forget_generic_adts(&mut self) {
        for number in 0..self.types().adts.len() {
            let args = self.types().adts[number].args.clone();
            if args.iter().any(|&ty| self.flags(ty) != 0) {
                let adt = &mut self.types_mut().adts[number];
                adt.fields = Vec::new();
                adt.variants = Vec::new();
                adt.args = Vec::new();
            }
        }
        for number in 0..self.types().traits.len() {
            let args = self.instances().trait_of(TraitId(number as u32)).1.clone();
            if args.iter().any(|&ty| self.flags(ty) != 0) {
                self.types_mut().traits[number].args = Vec::new();
                self.types_mut().traits[number].methods = Vec::new();
                self.types_mut().traits[number].impls = Vec::new();
            }
        }
    }
}
