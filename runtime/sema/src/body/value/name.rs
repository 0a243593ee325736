//! Names and dotted paths: what is a variable, a member of `self`, a declaration, a type, a module.

use super::scope::Found;
use super::*;
use crate::codes;
use crate::typed::Expr;
use crate::types::builtin_scalar;
use simple_syntax::Diagnostic;
use simple_syntax::ast::{self, Ident, TypeArg};

/// What precedes a `.` or `(` when it is not a value.
#[derive(Clone, Copy)]
pub(crate) enum StaticBase<'a> {
    Module(ModIdx),
    /// A struct, class, enum, alias or trait with written type arguments.
    Type(Def, Ident, &'a [TypeArg]),
    /// A built-in type.
    Builtin(Ident, &'a [TypeArg]),
    /// A variant of an enum.
    Variant(TyId, u32),
    /// A function, extern or variable of another module.
    Item(Def, Ident),
    /// An error was reported.
    Broken,
}

impl<'c, 'a> Body<'c, 'a> {
    /// What `e` names, if it is not a value: a module, a type, a variant, an item of a module.
    pub(crate) fn static_base(&mut self, e: &'a ast::Expr) -> Option<StaticBase<'a>> {
        match &e.kind {
            ast::ExprKind::Name(name) => self.static_name(*name),
            ast::ExprKind::Generic(inner, args) => match self.static_base(inner)? {
                StaticBase::Type(def, ident, _) => Some(StaticBase::Type(def, ident, args)),
                StaticBase::Builtin(ident, _) => Some(StaticBase::Builtin(ident, args)),
                _ => None,
            },
            ast::ExprKind::Field(base, name, false) => {
                if !matches!(
                    base.kind,
                    ast::ExprKind::Name(_) | ast::ExprKind::Field(..) | ast::ExprKind::Generic(..)
                ) {
                    return None;
                }
                let base = self.static_base(base)?;
                self.static_member(base, *name)
            }
            _ => None,
        }
    }

    fn static_name(&mut self, name: Ident) -> Option<StaticBase<'a>> {
        if let Some(found) = self.scopes.bound(name.name) {
            return match found {
                Bound::Local(..) => None,
                Bound::Def(def) => self.static_def(def, name),
            };
        }
        if self.self_member(name.name) {
            return None;
        }
        if let Some(&(_, ty)) = self
            .scopes
            .types()
            .env
            .iter()
            .rev()
            .find(|(n, _)| *n == name.name)
        {
            let _ = ty;
            return Some(StaticBase::Builtin(name, &[]));
        }
        match self.cx.lookup(self.scopes.types().module, name.name) {
            Some(def) => self.static_def(def, name),
            None => {
                let text = name.name.as_str();
                if builtin_scalar(text).is_some()
                    || matches!(
                        text,
                        "List" | "Array" | "Set" | "Dict" | "Map" | "Option" | "Result" | "Self"
                    )
                {
                    return Some(StaticBase::Builtin(name, &[]));
                }
                let def = self
                    .cx
                    .lookup_visible(self.scopes.types().module, name.name)?;
                self.static_def(def, name)
            }
        }
    }

    fn static_def(&mut self, def: Def, name: Ident) -> Option<StaticBase<'a>> {
        match def {
            Def::Module(module) => Some(StaticBase::Module(module)),
            Def::Type(_) | Def::Alias(_) | Def::Trait(_) | Def::Handle(_) => {
                Some(StaticBase::Type(def, name, &[]))
            }
            Def::Ambiguous(first, second) => {
                self.cx.ambiguous(name, first, second);
                Some(StaticBase::Broken)
            }
            _ => None,
        }
    }

    /// A path of a pattern or struct literal.
    pub(crate) fn path_base(&mut self, path: &ast::Path) -> Option<StaticBase<'a>> {
        let first = path.segments[0];
        let mut base = self.static_name(first);
        if base.is_none() && path.segments.len() == 1 {
            let scope = self.scopes.types().clone();
            let mut names: Vec<&str> = self
                .cx
                .visible_names(scope.module)
                .into_iter()
                .filter(|(_, t)| *t)
                .map(|(n, _)| n)
                .collect();
            names.extend(["Some", "Ok", "Err"]);
            let text = first.name.as_str();
            self.cx.unknown(
                codes::UNKNOWN_TYPE,
                first.span,
                format!("unknown type `{text}`"),
                text,
                &names,
            );
            return Some(StaticBase::Broken);
        }
        for segment in &path.segments[1..] {
            let Some(inner) = base else {
                let text = first.name.as_str();
                let names: Vec<&str> = self
                    .cx
                    .visible_names(self.scopes.types().module)
                    .into_iter()
                    .map(|(n, _)| n)
                    .collect();
                self.cx.unknown(
                    codes::UNKNOWN_NAME,
                    first.span,
                    format!("unknown name `{text}`"),
                    text,
                    &names,
                );
                return Some(StaticBase::Broken);
            };
            base = self.static_member(inner, *segment);
        }
        base
    }

    /// `base.name` where `base` is a module or an enum; `None` if that is a static method or a value.
    fn static_member(&mut self, base: StaticBase<'a>, name: Ident) -> Option<StaticBase<'a>> {
        match base {
            StaticBase::Module(module) => match self.cx.member_of_module(module, name) {
                Ok(def) => Some(
                    self.static_def(def, name)
                        .unwrap_or(StaticBase::Item(def, name)),
                ),
                Err(()) => Some(StaticBase::Broken),
            },
            StaticBase::Type(def, ident, args) => {
                let Def::Type(decl) = def else {
                    if let Def::Alias(_) = def {
                        let ty = self.type_of_base(def, ident, args, Want::Any)?;
                        if let Ty::Adt(adt) = self.kind(ty)
                            && let Some(&number) = self.cx.decls()[self.cx.decl_of(adt)]
                                .variants
                                .get(&name.name)
                        {
                            return Some(StaticBase::Variant(ty, number));
                        }
                    }
                    return None;
                };
                let number = *self.cx.decls()[decl].variants.get(&name.name)?;
                let ty = self.type_of_base(def, ident, args, Want::Any)?;
                Some(StaticBase::Variant(ty, number))
            }
            StaticBase::Builtin(ident, _) => {
                if ident.name.as_str() == "Self"
                    && let Some(ty) = self.scopes.types().self_ty
                    && let Ty::Adt(adt) = self.kind(ty)
                {
                    let number = *self.cx.decls()[self.cx.decl_of(adt)]
                        .variants
                        .get(&name.name)?;
                    return Some(StaticBase::Variant(ty, number));
                }
                None
            }
            StaticBase::Broken => Some(StaticBase::Broken),
            _ => None,
        }
    }

    /// The type that a name with type arguments means; left-out arguments are inferred.
    pub(crate) fn type_of_base(
        &mut self,
        def: Def,
        name: Ident,
        args: &'a [TypeArg],
        want: Want,
    ) -> Option<TyId> {
        if let (Def::Type(decl), true) = (def, args.is_empty()) {
            let generics = self.cx.decls()[decl].generics.len();
            // Inside its own methods, or where an instance is expected, a bare name means that instance.
            if let Some(hint) = self.hint(want)
                && let Ty::Adt(adt) = self.kind(hint)
                && self.cx.decl_of(adt) == decl
            {
                return Some(hint);
            }
            let args: Rc<[TyId]> = (0..generics)
                .map(|_| self.fresh(name.span, infer::Origin::TypeArgs))
                .collect();
            let adt = self.cx.adt_instance(decl, args);
            return Some(self.intern(Ty::Adt(adt)));
        }
        if let Def::Handle(handle) = def {
            return Some(self.intern(Ty::Handle(handle)));
        }
        let written = self.written_type(name, args);
        (written != TyId::ERROR).then_some(written)
    }

    /// A named type with written arguments.
    pub(crate) fn written_type(&mut self, name: Ident, args: &'a [TypeArg]) -> TyId {
        let path = ast::Path {
            segments: vec![name],
        };
        let written = ast::TypeExpr {
            kind: ast::TypeExprKind::Named {
                path,
                args: args.to_vec(),
            },
            span: name.span,
        };
        let scope = self.scopes.types().clone();
        self.cx.resolve_type(&written, &scope)
    }

    /// Whether a bare name means a field or method of `self`.
    pub(crate) fn self_member(&mut self, name: Symbol) -> bool {
        if self.scopes.bound(self.scopes.self_name()).is_none() {
            return false;
        }
        let Some(ty) = self.scopes.types().self_ty else {
            return false;
        };
        if let Some(of) = self.purpose.of_trait() {
            // What else the implementing type has is not seen in the trait.
            return self.trait_promises(of, name);
        }
        match *self.ty(ty) {
            Ty::Adt(adt) => {
                let decl = self.cx.decl_of(adt);
                let info = &self.cx.decls()[decl];
                if info.fields.contains_key(&name) {
                    return true;
                }
                match info.methods.get(&name) {
                    Some(&fn_idx) => !self.cx.decls()[fn_idx].is_static,
                    None => {
                        self.cx
                            .decls()
                            .has_impl_method(crate::methods::Head::Adt(decl), name)
                            || self.inherited_method(ty, name)
                    }
                }
            }
            Ty::Param(_) | Ty::Trait(_) => self.inherited_method(ty, name),
            _ => self.cx.head(ty).is_some_and(|head| {
                self.cx.decls().has_impl_method(head, name) || self.inherited_method(ty, name)
            }),
        }
    }

    /// Whether a trait gives `ty` a method of this name; only asked for names that nothing else explains.
    fn inherited_method(&mut self, ty: TyId, name: Symbol) -> bool {
        if let Ty::Param(param) = *self.ty(ty) {
            return !self.bound_methods(param, name).is_empty();
        }
        if let Ty::Trait(id) = *self.ty(ty) {
            return self.cx.types().traits[id.0 as usize]
                .methods
                .iter()
                .any(|m| m.name == name);
        }
        let Some(head) = self.cx.head(ty) else {
            return false;
        };
        let impls = self.cx.decls().head_impls(head).to_vec();
        impls.into_iter().any(|idx| {
            self.cx.decls()[idx].trait_idx.is_some_and(|t| {
                let args = self.cx.instances().no_args();
                self.cx.decls()[t].generics.len() == 1
                    && self
                        .cx
                        .all_trait_methods(t, &args)
                        .iter()
                        .any(|(_, f, _)| self.cx.decls()[*f].decl.name.name == name)
            })
        })
    }

    /// A bare name as a value.
    pub(crate) fn name(&mut self, name: Ident, want: Want) -> Expr {
        let span = name.span;
        match self.find_local(name.name) {
            Some(Found::Local(id)) => return self.read(id, span),
            Some(Found::Def(def)) => return self.def_value(def, name, want),
            None => {}
        }
        if self.self_member(name.name) {
            return self.member_of_self(name, want);
        }
        // A payload-free variant is written bare where its enum is expected.
        let hint = self.hint(want);
        if let Some(found) = self.cx.lookup(self.scopes.types().module, name.name) {
            return self.def_value(found, name, want);
        }
        let none = name.name.as_str() == "None";
        if let Some(hint) = hint
            && let Some((ty, number)) = self.variant_of(hint, name.name)
            && !(none && matches!(self.kind(hint), Ty::Option(_)))
        {
            return self.variant(ty, number, Vec::new(), want, span);
        }
        if none {
            return self.nil(want, span);
        }
        match self
            .cx
            .lookup_visible(self.scopes.types().module, name.name)
        {
            Some(def) => self.def_value(def, name, want),
            None if builtin::NAMES.contains(&name.name.as_str()) => self.builtin_value(name, want),
            None => {
                self.unknown_name(name);
                self.bad(span)
            }
        }
    }

    /// The enum and number of a variant that an expected type has under this name.
    pub(crate) fn variant_of(&mut self, ty: TyId, name: Symbol) -> Option<(TyId, u32)> {
        let ty = match self.kind(ty) {
            Ty::Option(item) => self.shallow(item),
            _ => self.shallow(ty),
        };
        let Ty::Adt(adt) = *self.ty(ty) else {
            return None;
        };
        let number = *self.cx.decls()[self.cx.decl_of(adt)].variants.get(&name)?;
        Some((ty, number))
    }

    /// Reports the name of a type or trait where a value is needed.
    fn type_as_value(&mut self, def: Def, name: Ident, span: Span) -> Expr {
        let first_variant = match def {
            Def::Type(decl) => {
                let variants = self.cx.decls()[decl].variants.iter();
                variants.min_by_key(|(_, at)| **at).map(|(name, _)| *name)
            }
            _ => None,
        };
        let (what, help) = match (def, first_variant) {
            (Def::Handle(_), _) => ("type", "foreign functions make its values".to_owned()),
            (Def::Trait(_), _) => ("trait", "construct a type that implements it".to_owned()),
            (_, Some(variant)) => ("type", format!("name a variant: `{}.{variant}`", name.name)),
            (_, None) => ("type", format!("construct a value: `{}(...)`", name.name)),
        };
        let message = format!("`{}` is a {what}, not a value", name.name);
        let d = Diagnostic::error(codes::NOT_A_VALUE, span, message).help(help);
        self.cx.report(d);
        self.bad(span)
    }

    /// A declaration as a value.
    pub(crate) fn def_value(&mut self, def: Def, name: Ident, want: Want) -> Expr {
        let span = name.span;
        match def {
            Def::Global(global) => self.global_value(global, span),
            Def::Fn(fn_idx) => self.function_value(fn_idx, want, span),
            Def::Extern(idx) => self.extern_value(idx, span),
            Def::ExternVar(idx) => self.foreign_value(idx, span),
            Def::Ambiguous(first, second) => {
                self.cx.ambiguous(name, first, second);
                self.bad(span)
            }
            Def::Broken => self.bad(span),
            Def::Mixin(_) => {
                let d = Diagnostic::error(
                    codes::NOT_A_VALUE,
                    span,
                    format!("`{}` is a mixin, not a value", name.name),
                )
                .help(format!(
                    "a class includes it: `class C with {}:`",
                    name.name
                ));
                self.cx.report(d);
                self.bad(span)
            }
            Def::Type(_) | Def::Trait(_) | Def::Alias(_) | Def::Handle(_) => {
                match self.maker_value(def, name, &[], want, span) {
                    Some(function) => function,
                    None => self.type_as_value(def, name, span),
                }
            }
            Def::Module(_) => {
                let d = Diagnostic::error(
                    codes::NOT_A_VALUE,
                    span,
                    format!("`{}` is a module, not a value", name.name),
                )
                .help(format!("name something in it: `{}.name`", name.name));
                self.cx.report(d);
                self.bad(span)
            }
            Def::FnAlias(..) => self.bad(span),
        }
    }

    /// Reading a module-level variable.
    pub(crate) fn global_value(&mut self, idx: GlobalIdx, span: Span) -> Expr {
        let Some(id) = self.cx.global_id(idx, span) else {
            return self.bad(span);
        };
        let info = &self.cx.decls()[idx];
        let ty = info.ty.unwrap_or(TyId::ERROR);
        if let Some(constant) = &info.constant {
            return Expr {
                span,
                ..constant.clone()
            };
        }
        self.note_global_use(idx, id);
        self.mk(ExprKind::Global(id), ty, span)
    }

    /// A use that may come before the initializer makes reads check.
    pub(crate) fn note_global_use(&mut self, idx: GlobalIdx, id: GlobalId) {
        let info = &self.cx.decls()[idx];
        let group = &self.cx.decls()[info.group];
        let declared = init::turn(group.decorated.is_some(), group.span);
        let safe = match self.context.init() {
            // [condition init.in_function]: a function may be called before the statement that makes it safe.
            Some((module, at)) if self.scopes.frame().kind == FrameKind::Init => {
                if module == info.module {
                    // [condition init.later_statement]: only what stands above has run.
                    // [condition init.at_itself]: a value cannot read the variable that it is for.
                    at > declared
                } else {
                    let place =
                        |m: ModIdx| self.cx.modules().init_order().iter().position(|&o| o == m);
                    // [condition init.later_module]: only modules before this one are initialized.
                    place(info.module) < Some(place(module).unwrap_or(usize::MAX))
                        // [condition init.known_module]: the root module, which is not in the list, comes last.
                        && place(info.module).is_some()
                }
            }
            _ => false,
        };
        if !safe {
            self.cx.output_mut()[id].checked = true;
            // From a function, an early use needs a call first; from an initializer it is one.
            let from_init = self.scopes.frames()[0].kind == FrameKind::Init;
            // [condition init.early_use]: a statement that reads it too early needs the check, whether anything is called or not.
            self.cx.decls_mut()[idx].early |= from_init;
        }
    }

    /// A named function as a value.
    pub(crate) fn function_value(&mut self, fn_idx: FnIdx, want: Want, span: Span) -> Expr {
        if let Some(hint) = self.hint(want)
            && let Ty::Fn(params, ret) = self.kind(hint)
            && self.has_defaults_behind(fn_idx, params.len())
        {
            return self.function_of(&params, ret, span, |this, args, want| {
                this.call_fn(fn_idx, &[], None, &[], args, want, span)
            });
        }
        let generics = self.cx.decls()[fn_idx].generics.clone();
        let args: Vec<TyId> = generics
            .iter()
            .map(|_| self.fresh(span, infer::Origin::FunctionTypeArgs))
            .collect();
        let key: Rc<[TyId]> = args.clone().into();
        let signature = self.cx.signature(fn_idx, &key);
        if let Some(hint) = self.hint(want)
            && let Ty::Fn(params, _) = self.kind(hint)
            && params.len() == signature.params.len()
        {
            for (wanted, found) in params.into_iter().zip(signature.params.clone()) {
                self.unify(wanted, found);
            }
        }
        let bounds = self.owe_bounds(fn_idx, &signature.scope, span);
        if self.breaks_bound(bounds.clone()) {
            return self.bad(span);
        }
        self.learn_from_bounds(bounds);
        let ret = self.ret_of(fn_idx, &args, &signature, (usize::MAX, Want::Any), span);
        if !self.cx.decls()[fn_idx].captured.is_empty() {
            // A closure over what it captured, for these types.
            return self.function_of(&signature.params, ret, span, |this, args, want| {
                this.call_fn(fn_idx, &[], None, &[], args, want, span)
            });
        }
        let ty = self.intern(Ty::Fn(signature.params.clone(), ret));
        let func = self.pend(Pending::Instance(fn_idx, args));
        self.mk(ExprKind::FuncRef(func), ty, span)
    }

    /// Whether a function can be called with its first `count` parameters alone.
    fn has_defaults_behind(&self, fn_idx: FnIdx, count: usize) -> bool {
        let params = &self.cx.decls()[fn_idx].decl.params;
        let rest = params.get(count..).unwrap_or_default();
        !rest.is_empty() && rest.iter().all(|param| param.default.is_some())
    }

    /// The result type of a function under type arguments; checks its body if the type is not written, at the end of this one if
    /// a type that it needs is not known yet. What is unknown since variable `from` belongs to the call alone.
    pub(crate) fn ret_of(
        &mut self,
        fn_idx: FnIdx,
        args: &[TyId],
        signature: &Signature,
        (from, want): (usize, Want),
        span: Span,
    ) -> TyId {
        if let Some(ret) = signature.ret {
            return ret;
        }
        let resolved: Rc<[TyId]> = args.iter().map(|&ty| self.resolve(ty)).collect();
        let flags = resolved
            .iter()
            .fold(0, |flags, &ty| flags | self.cx.flags(ty));
        if flags & infer::HAS_ERROR != 0 {
            return TyId::ERROR;
        }
        if let Owner::Trait(_) = self.cx.decls()[fn_idx].owner
            && let Some(ret) = self.cx.default_result(fn_idx, &resolved)
        {
            return ret;
        }
        self.settle_captured();
        let unused = matches!(want, Want::Discard | Want::Tail);
        let unknown = |captured: &Captured| captured.ty.is_none();
        if flags & infer::HAS_INFER != 0 || self.cx.decls()[fn_idx].captured.iter().any(unknown) {
            return self.result_later(fn_idx, args, (from, unused), span);
        }
        if flags != 0 || self.cx.decls()[fn_idx].outer_bounds.is_some() {
            let bounds = self.purpose.bounds().to_vec();
            return self.cx.opaque_result(fn_idx, resolved, &bounds);
        }
        let number = self.cx.instance_for_call(fn_idx, resolved, span);
        self.cx.instance_ret(number, unused, span)
    }

    /// A provisional function number.
    pub(crate) fn pend(&mut self, pending: Pending) -> FuncId {
        self.duties.pend(pending)
    }

    /// The declaration of the function that a call of this body names; `None` for a lambda.
    pub(crate) fn called(&self, func: FuncId) -> Option<&FnInfo<'a>> {
        let number = func.0.checked_sub(PENDING)?;
        match self.duties.pending().get(number as usize)? {
            Pending::Instance(fn_idx, _) => Some(&self.cx.decls()[*fn_idx]),
            Pending::Lambda(_) => None,
        }
    }

    pub(crate) fn generic_value(
        &mut self,
        inner: &'a ast::Expr,
        args: &'a [TypeArg],
        want: Want,
        span: Span,
    ) -> Expr {
        if let Some(StaticBase::Type(def, name, _)) = self.static_base(inner)
            && let Some(function) = self.maker_value(def, name, args, want, span)
        {
            return function;
        }
        let function = match &inner.kind {
            ast::ExprKind::Name(name) => match self.find(name.name) {
                Some(Found::Def(Def::Fn(fn_idx))) => Some(fn_idx),
                _ => None,
            },
            _ => None,
        };
        let Some(fn_idx) = function else {
            self.cx.error(
                codes::NOT_A_VALUE,
                span,
                "only a function with type arguments is a value",
            );
            return self.bad(span);
        };
        let value = self.function_value(fn_idx, Want::Any, span);
        let scope = self.scopes.types().clone();
        let Some(Pending::Instance(_, known)) = self.duties.pending().last() else {
            return value;
        };
        let known = known.clone();
        if args.len() > known.len() {
            let name = self.cx.decls()[fn_idx].decl.name.name;
            let message = format!("`{name}` takes fewer type arguments");
            self.cx.error(codes::TYPE_ARGS, span, message);
            return self.bad(span);
        }
        for (arg, ty) in args.iter().zip(known) {
            if let TypeArg::Type(written) = arg {
                let written = self.cx.resolve_type(written, &scope);
                self.unify(ty, written);
            }
        }
        value
    }
}
