//! Calls: functions, constructors, variants, foreign functions, closures.

use super::args::{Callee, Given, Slot, SlotDefault, given};
use super::name::StaticBase;
use super::place::Target;
use super::scope::Found;
use super::*;
use crate::codes;
use crate::typed::Expr;
use simple_syntax::Diagnostic;
use simple_syntax::ast::{self, Ident};

impl<'c, 'a> Body<'c, 'a> {
    pub(crate) fn call(&mut self, call: &'a ast::Call, want: Want, span: Span) -> Expr {
        let mut callee = &call.callee;
        let mut type_args: &'a [ast::TypeArg] = &[];
        if let ast::ExprKind::Generic(inner, args) = &callee.kind {
            let names_type = matches!(
                self.static_base(inner),
                Some(StaticBase::Type(..) | StaticBase::Builtin(..))
            );
            if !names_type {
                callee = inner;
                type_args = args;
            }
        }
        let args = given(&call.args, call.block.as_ref());
        match &callee.kind {
            ast::ExprKind::Name(name) => self.call_name(*name, type_args, args, want, span),
            ast::ExprKind::Field(base, name, safe) => {
                if !safe && let Some(found) = self.static_base(base) {
                    return self.call_static(found, *name, type_args, args, want, span);
                }
                self.method_call(base, *name, *safe, type_args, args, want, span)
            }
            ast::ExprKind::Generic(..) => match self.static_base(callee) {
                Some(StaticBase::Type(def, ident, args_written)) => {
                    match self.type_of_base(def, ident, args_written, want) {
                        Some(ty) => self.construct(ty, args, want, span),
                        None => self.bad(span),
                    }
                }
                Some(StaticBase::Builtin(ident, written)) => {
                    let ty = self.written_type(ident, written);
                    if args.is_empty() {
                        self.empty_of(ty, span)
                    } else {
                        self.not_callable(&ident.name, span)
                    }
                }
                _ => {
                    let value = self.expr(callee, Want::Any);
                    self.call_value(value, args, span)
                }
            },
            _ if let Some(lambda) = Self::as_lambda(callee) => {
                self.call_lambda(lambda, args, callee.span, span)
            }
            _ => {
                let value = match &callee.kind {
                    // `(f // g)(x)` gives `x` to both.
                    ast::ExprKind::Paren(inner) if args.len() == 1 => match &inner.kind {
                        ast::ExprKind::Binary(ast::BinaryOp::Parallel, left, right) => {
                            let param = self.fresh(inner.span, "this parameter");
                            let ret = self.fresh(inner.span, "the result of this function");
                            let hint = self.intern(Ty::Fn(vec![param], ret));
                            self.parallel(left, right, Want::Ty(hint), inner.span)
                        }
                        _ => self.link(callee, Want::Any),
                    },
                    _ => self.link(callee, Want::Any),
                };
                self.call_value(value, args, span)
            }
        }
    }

    pub(super) fn not_callable(&mut self, name: &Symbol, span: Span) -> Expr {
        self.cx.error(
            codes::NOT_CALLABLE,
            span,
            format!("`{name}` cannot be called like this"),
        );
        self.bad(span)
    }

    pub(super) fn call_name(
        &mut self,
        name: Ident,
        type_args: &'a [ast::TypeArg],
        args: Vec<Given<'a>>,
        want: Want,
        span: Span,
    ) -> Expr {
        match self.find_local(name.name) {
            Some(Found::Local(id)) => {
                let value = self.read(id, name.span);
                return match self.named_params(name.name) {
                    Some(named) => {
                        let scope = self.scope.clone();
                        self.call_named(value, name, (named, scope), args, span)
                    }
                    None => self.call_value(value, args, span),
                };
            }
            Some(Found::Def(def)) => return self.call_def(def, name, type_args, args, want, span),
            None => {}
        }
        if self.self_member(name.name) || self.own_intrinsic(name.name, args.is_empty()) {
            return self.call_self_member(name, type_args, args, want, span);
        }
        if let Some(def) = self.cx.lookup(self.scope.module, name.name) {
            return self.call_def(def, name, type_args, args, want, span);
        }
        let text = name.name.as_str();
        if let Some(&(_, ty)) = self.scope.env.iter().rev().find(|(n, _)| *n == name.name) {
            return self.construct(ty, args, want, span);
        }
        if text == "Self"
            && let Some(ty) = self.scope.self_ty
        {
            return self.construct(ty, args, want, span);
        }
        if matches!(text, "Some" | "Ok" | "Err") {
            return self.wrap(text, args, want, span);
        }
        if let Some(hint) = self.hint(want)
            && let Some((ty, number)) = self.variant_of(hint, name.name)
        {
            return self.variant(ty, number, args, want, span);
        }
        if text == fields::NAME {
            return self.fields_of(type_args, args, span);
        }
        let args = match self.builtin(name, args, want, span) {
            Ok(value) => return value,
            Err(args) => args,
        };
        match self.cx.lookup_visible(self.scope.module, name.name) {
            Some(def) => self.call_def(def, name, type_args, args, want, span),
            None => {
                if matches!(text, "List" | "Array" | "Dict" | "Map" | "Set") && args.is_empty() {
                    return self.empty_collection(text, want, span);
                }
                self.unknown_name(name);
                for arg in args {
                    if let args::GivenValue::Ast(e) = arg.value {
                        if lambda::is_lambda_like(e) {
                            continue;
                        }
                        self.expr(e, Want::Any);
                    }
                }
                self.bad(span)
            }
        }
    }

    /// Whether a bare name in a method of a built-in type is one of the methods that code generation knows. Built-in functions
    /// of that name keep it when there are arguments, as in `min(a, b)`.
    fn own_intrinsic(&mut self, name: Symbol, no_args: bool) -> bool {
        let Some(ty) = self.scope.self_ty else {
            return false;
        };
        let text = name.as_str();
        (no_args || !builtin::NAMES.contains(&text))
            && self.find_self().is_some()
            && intrinsic_method_names(self.ty(ty)).contains(&text)
    }

    pub(super) fn call_def(
        &mut self,
        def: Def,
        name: Ident,
        type_args: &'a [ast::TypeArg],
        args: Vec<Given<'a>>,
        want: Want,
        span: Span,
    ) -> Expr {
        match def {
            Def::Fn(fn_idx) => {
                if self.frames.len() == 1
                    && self.init.is_some_and(|(module, _)| module == self.cx.root)
                    && name.name.as_str() == "main"
                    && self.cx.fns[fn_idx.at()].module == self.cx.root
                {
                    self.calls_main = true;
                }
                self.call_fn(fn_idx, &[], None, type_args, args, want, span)
            }
            Def::Extern(idx) => self.call_extern(idx, args, span),
            Def::Type(_) | Def::Alias(_) => match self.type_of_base(def, name, type_args, want) {
                Some(ty) => self.construct(ty, args, want, span),
                None => self.bad(span),
            },
            Def::Global(global) => {
                let value = self.global_value(global, name.span);
                match self.named_params_of_global(global) {
                    Some(named) => self.call_named(value, name, named, args, span),
                    None => self.call_value(value, args, span),
                }
            }
            Def::Broken | Def::Ambiguous(..) => {
                if let Def::Ambiguous(first, second) = def {
                    self.cx.ambiguous(name, first, second);
                }
                for arg in args {
                    if let args::GivenValue::Ast(e) = arg.value
                        && !lambda::is_lambda_like(e)
                    {
                        self.expr(e, Want::Any);
                    }
                }
                self.bad(span)
            }
            Def::Handle(_) => {
                let d = Diagnostic::error(
                    codes::NOT_CALLABLE,
                    span,
                    format!("`{}` is an opaque type and has no constructor", name.name),
                )
                .help(format!(
                    "foreign functions make its values; a number becomes one with `n as {}`",
                    name.name
                ));
                self.cx.report(d);
                self.bad(span)
            }
            Def::Trait(_) => {
                let message = format!(
                    "`{}` is a trait; construct a type that implements it",
                    name.name
                );
                self.cx.error(codes::NOT_CALLABLE, span, message);
                self.bad(span)
            }
            Def::Module(_) | Def::Mixin(_) | Def::FnAlias(..) => {
                self.not_callable(&name.name, span)
            }
        }
    }

    /// `Base.name(...)` where `Base` is a module, type or variant.
    pub(super) fn call_static(
        &mut self,
        base: StaticBase<'a>,
        name: Ident,
        type_args: &'a [ast::TypeArg],
        args: Vec<Given<'a>>,
        want: Want,
        span: Span,
    ) -> Expr {
        match base {
            StaticBase::Module(module) => match self.cx.member_of_module(module, name) {
                Ok(def) => self.call_def(def, name, type_args, args, want, span),
                Err(()) => self.bad(span),
            },
            StaticBase::Type(def, ident, written) => {
                if let Def::Type(decl) = def
                    && let Some(&number) = self.cx.decls[decl.at()].variants.get(&name.name)
                {
                    return match self.type_of_base(def, ident, written, want) {
                        Some(ty) => self.variant(ty, number, args, want, span),
                        None => self.bad(span),
                    };
                }
                if let Def::Trait(idx) = def {
                    return self.call_trait_static(idx, name, span);
                }
                // The result's type need not be the type itself, so the hint is not used for its arguments.
                match self.type_of_base(def, ident, written, Want::Any) {
                    Some(ty) => self.call_static_method(ty, name, type_args, args, want, span),
                    None => self.bad(span),
                }
            }
            StaticBase::Builtin(ident, written) => {
                self.call_builtin_static(ident, written, name, type_args, args, want, span)
            }
            StaticBase::Variant(ty, number) => {
                // A method called on a payload-free variant.
                let value = self.variant(ty, number, Vec::new(), Want::Any, name.span);
                self.method_on(
                    method::Receiver::value(value),
                    name,
                    type_args,
                    args,
                    want,
                    span,
                )
            }
            StaticBase::Item(def, ident) => {
                let receiver = match def {
                    Def::Global(global) => match self.global_place(global, ident.span) {
                        Target::Place(info) => method::Receiver::Place(info),
                        Target::Value(value) => method::Receiver::Value(value),
                    },
                    _ => method::Receiver::value(self.def_value(def, ident, Want::Any)),
                };
                self.method_on(receiver, name, type_args, args, want, span)
            }
            StaticBase::Broken => self.bad(span),
        }
    }

    pub(super) fn call_trait_static(&mut self, idx: TraitIdx, name: Ident, span: Span) -> Expr {
        let trait_name = self.cx.traits[idx.at()].name.name;
        let message = format!(
            "`{trait_name}.{}`: call methods on a value, or on a type that implements the trait",
            name.name
        );
        self.cx.error(codes::NOT_CALLABLE, span, message);
        self.bad(span)
    }

    #[expect(clippy::too_many_arguments, reason = "a call has this many parts")]
    pub(super) fn call_builtin_static(
        &mut self,
        ident: Ident,
        written: &'a [ast::TypeArg],
        name: Ident,
        type_args: &'a [ast::TypeArg],
        args: Vec<Given<'a>>,
        want: Want,
        span: Span,
    ) -> Expr {
        let base = ident.name.as_str();
        if matches!(
            (base, name.name.as_str()),
            ("Option", "Some") | ("Result", "Ok" | "Err")
        ) {
            return self.wrap(name.name.as_str(), args, want, span);
        }
        let collection = matches!(base, "List" | "Array" | "Dict" | "Map" | "Set");
        if collection && written.is_empty() {
            if name.name.as_str() == "new" && args.is_empty() {
                return self.empty_collection(base, want, span);
            }
            let message = format!("write the type arguments of `{base}`");
            self.cx.error(codes::TYPE_ARGS, ident.span, message);
            return self.bad(span);
        }
        let ty = self.written_type(ident, written);
        if ty == TyId::ERROR {
            return self.bad(span);
        }
        if collection && name.name.as_str() == "new" && args.is_empty() {
            return self.empty_of(ty, span);
        }
        if let Ty::Adt(adt) = self.kind(ty)
            && let Some(&number) = self.cx.decls[self.cx.decl_of(adt).at()]
                .variants
                .get(&name.name)
        {
            return self.variant(ty, number, args, want, span);
        }
        self.call_static_method(ty, name, type_args, args, want, span)
    }

    /// `Type.method(...)`.
    pub(super) fn call_static_method(
        &mut self,
        ty: TyId,
        name: Ident,
        type_args: &'a [ast::TypeArg],
        args: Vec<Given<'a>>,
        want: Want,
        span: Span,
    ) -> Expr {
        let type_name = self.show(ty);
        match self.static_method(ty, name.name) {
            Some((fn_idx, owner)) if self.cx.fns[fn_idx.at()].is_static => {
                self.call_fn(fn_idx, &owner, None, type_args, args, want, span)
            }
            Some((fn_idx, _)) => {
                let d = Diagnostic::error(
                    codes::NOT_CALLABLE,
                    name.span,
                    format!(
                        "`{}` is a method of values of `{type_name}`, not of the type",
                        name.name
                    ),
                )
                .related(self.cx.fns[fn_idx.at()].decl.head, "declared here")
                .help("call it on a value, or declare it `static fn`");
                self.cx.report(d);
                self.bad(span)
            }
            None => {
                let mut names = self.cx.method_names(ty);
                if let Ty::Adt(adt) = self.kind(ty) {
                    names.extend(
                        self.cx.decls[self.cx.decl_of(adt).at()]
                            .variants
                            .keys()
                            .map(|n| n.as_str()),
                    );
                }
                let is_enum =
                    matches!(self.cx.types.adt(ty), Some(adt) if adt.kind == AdtKind::Enum);
                let (code, what) = if is_enum {
                    (codes::UNKNOWN_VARIANT, "variant or method")
                } else {
                    (codes::UNKNOWN_METHOD, "static method")
                };
                let text = name.name.as_str();
                let message = format!("`{type_name}` has no {what} `{text}`");
                self.cx.unknown(code, name.span, message, text, &names);
                self.bad(span)
            }
        }
    }

    /// The method that `T.name` means, also where a bound of the type parameter `T` promises it.
    pub(super) fn static_method(&mut self, ty: TyId, name: Symbol) -> Option<(FnIdx, Rc<[TyId]>)> {
        match *self.ty(ty) {
            Ty::Param(param) => self.bound_method(param, ty, name),
            _ => self.cx.find_method(ty, name),
        }
    }

    /// A call of a closure value.
    pub(crate) fn call_value(&mut self, callee: Expr, args: Vec<Given<'a>>, span: Span) -> Expr {
        let callee = self.unwrap_lenient(callee);
        let Ty::Fn(params, ret) = self.kind(callee.ty) else {
            let ty = self.resolve(callee.ty);
            if ty != TyId::ERROR {
                for method in ["call", "forward"] {
                    let name = Symbol::intern(method);
                    if self.cx.find_method(ty, name).is_some()
                        || self.trait_method(ty, name).is_some()
                    {
                        let ident = Ident { name, span };
                        return self.method_on(
                            method::Receiver::value(callee),
                            ident,
                            &[],
                            args,
                            Want::Any,
                            span,
                        );
                    }
                }
                if self.cx.flags(ty) & infer::HAS_ERROR != 0 {
                    return self.bad(span);
                }
                let name = self.show(ty);
                let mut d = Diagnostic::error(
                    codes::NOT_CALLABLE,
                    callee.span,
                    format!("`{name}` cannot be called"),
                );
                if self.is_unknown(ty) {
                    d = d.help("write the type of the parameter, `\\f: fn(T) -> U: ...`");
                }
                self.cx.report(d);
            }
            return self.bad(span);
        };
        let labels: Vec<Symbol> = (0..params.len())
            .map(|i| Symbol::intern(&format!("{}", i + 1)))
            .collect();
        let slots: Vec<Slot<'a>> = params
            .iter()
            .zip(labels)
            .map(|(&ty, name)| Slot {
                name,
                ty,
                default: None,
                variadic: false,
                named: false,
                home: None,
            })
            .collect();
        let scope = self.scope.clone();
        let callee_text = Callee {
            name: args::NAMELESS,
            noun: "parameter",
            declared: None,
            captured: &[],
        };
        self.call_slots(callee, ret, (&slots, callee_text, &scope), args, span)
    }

    /// A call of a function value with these parameters.
    pub(super) fn call_slots(
        &mut self,
        callee: Expr,
        ret: TyId,
        (slots, shown, default_scope): (&[Slot<'a>], Callee<'_>, &TypeScope),
        args: Vec<Given<'a>>,
        span: Span,
    ) -> Expr {
        let Some(bundle) = self.arguments(slots, args, shown, default_scope, span) else {
            return self.bad(span);
        };
        let ret = self.shallow(ret);
        let call = self.mk(
            ExprKind::CallValue(Box::new(callee), bundle.values),
            ret,
            span,
        );
        self.with_lets(bundle.lets, call)
    }

    pub(super) fn call_extern(&mut self, idx: ExternIdx, args: Vec<Given<'a>>, span: Span) -> Expr {
        let id = self.cx.extern_id(idx);
        let decl = self.cx.externs[idx.at()].decl;
        let (params, ret) = {
            let info = &self.cx.out_externs[id.0 as usize];
            (info.params.clone(), info.ret)
        };
        let slots: Vec<Slot<'a>> = decl
            .params
            .iter()
            .zip(&params)
            .map(|(param, &ty)| Slot {
                name: param.name.name,
                ty,
                default: None,
                variadic: false,
                named: true,
                home: None,
            })
            .collect();
        let scope = self.scope.clone();
        let callee = Callee {
            name: decl.name.name.as_str(),
            noun: "parameter",
            declared: Some(decl.name.span),
            captured: &[],
        };
        let Some(bundle) = self.arguments(&slots, args, callee, &scope, span) else {
            return Expr {
                ty: ret,
                ..self.bad(span)
            };
        };
        let call = self.mk(ExprKind::CallExtern(id, bundle.values), ret, span);
        self.with_lets(bundle.lets, call)
    }

    /// A call of a declared function or method with `owner` type arguments and a receiver.
    #[expect(clippy::too_many_arguments, reason = "a call has this many parts")]
    pub(crate) fn call_fn(
        &mut self,
        fn_idx: FnIdx,
        owner: &[TyId],
        receiver: Option<method::Receiver>,
        type_args: &'a [ast::TypeArg],
        args: Vec<Given<'a>>,
        want: Want,
        span: Span,
    ) -> Expr {
        let info = &self.cx.fns[fn_idx.at()];
        let (decl, generics) = (info.decl, info.generics.clone());
        if let Some(message) = info.deprecated.clone() {
            let mut d = Diagnostic::warning(
                codes::DEPRECATED,
                span,
                format!("`{}` is deprecated", decl.name.name),
            );
            d.help = message;
            self.cx.report(d);
        }
        let mut full: Vec<TyId> = owner.to_vec();
        if !type_args.is_empty() {
            if type_args.len() != decl.generics.len() {
                let message = format!(
                    "`{}` takes {}, but {} given",
                    decl.name.name,
                    crate::types::counted(decl.generics.len(), "type argument"),
                    if type_args.len() == 1 {
                        "1 is".into()
                    } else {
                        format!("{} are", type_args.len())
                    }
                );
                self.cx.error(codes::TYPE_ARGS, span, message);
            }
            let scope = self.scope.clone();
            for arg in type_args.iter().take(decl.generics.len()) {
                full.push(match arg {
                    ast::TypeArg::Type(ty) => self.cx.resolve_type(ty, &scope),
                    _ => {
                        self.cx.unsupported(span, "constants as type arguments");
                        TyId::ERROR
                    }
                });
            }
        }
        let written = owner.len() + decl.generics.len();
        while full.len() < generics.len() {
            let ty = self.fresh(span, "this call's type arguments");
            // Literals given for a parameter without a type take that of the one thing that the receiver is made of:
            // `expect(xs).to_equal([])`.
            if let ([item], true) = (owner, full.len() >= written)
                && let Some(var) = self.infer.last_mut()
            {
                var.hint = Some(*item);
            }
            full.push(ty);
        }
        let key: Rc<[TyId]> = full.clone().into();
        let signature = self.cx.signature(fn_idx, &key);
        // Bounds by traits with type arguments, from which these are learnt.
        let mut promised = Vec::new();
        if !generics.is_empty() {
            for (name, trait_idx, args) in self.cx.bounds_of(fn_idx, &signature.scope) {
                if let Some(&(_, ty)) = signature.scope.env.iter().rev().find(|(n, _)| *n == name) {
                    self.obligations.push((ty, trait_idx, span));
                    if !args.is_empty() {
                        promised.push((ty, trait_idx, args));
                    }
                }
            }
            // A result that is made of type parameters learns from what is expected.
            if let (Some(ret), Some(hint)) = (signature.ret, self.hint(want)) {
                let ret = self.shallow(ret);
                if !self.is_unknown(ret)
                    && !matches!(self.kind(ret), Ty::Option(_))
                    && self.cx.flags(ret) & infer::HAS_INFER != 0
                    && self.could_unify(ret, hint)
                {
                    self.unify(ret, hint);
                }
            }
        }
        let slots: Vec<Slot<'a>> = decl
            .params
            .iter()
            .zip(&signature.params)
            .map(|(param, &ty)| Slot {
                name: param.name.name,
                ty,
                default: param.default.as_ref().map(SlotDefault::Written),
                variadic: param.variadic,
                named: true,
                home: None,
            })
            .collect();
        let captured = self.captured_locals(fn_idx);
        if captured.len() < self.cx.fns[fn_idx.at()].captured.len() {
            let d = Diagnostic::error(
                codes::NOT_CALLABLE,
                span,
                format!(
                    "the variables that `{}` captured cannot be seen from here",
                    decl.name.name
                ),
            )
            .related(decl.head, "declared here");
            self.cx.report(d);
            return self.bad(span);
        }
        let callee = Callee {
            name: decl.name.name.as_str(),
            noun: "parameter",
            declared: Some(decl.head),
            captured: &captured,
        };
        let bundle = self.arguments(&slots, args, callee, &signature.scope, span);
        let Some(bundle) = bundle else {
            let ret = signature.ret.unwrap_or(TyId::ERROR);
            let known = self.resolve(ret);
            // What yields `()` may stand for the changed receiver, which is not worth another report.
            let ret = if self.cx.flags(known) & infer::HAS_INFER == 0 && known != TyId::UNIT {
                known
            } else {
                TyId::ERROR
            };
            return Expr {
                ty: ret,
                ..self.bad(span)
            };
        };
        let mut bundle = bundle;
        let mut receiver = receiver;
        self.settle_nil_arguments(&bundle.values, signature.ret);
        if let Some(method::Receiver::Value(value)) = &mut receiver
            && !bundle.lets.is_empty()
            && !args::is_simple(value)
        {
            // The receiver is evaluated before the arguments, also when those need variables.
            let local = self.temp(value.ty, value.span);
            let read = self.read(local, value.span);
            bundle
                .lets
                .insert(0, (local, std::mem::replace(value, read)));
        }
        // A body that needs what its bounds promise is not checked for a type that breaks them.
        let owed: Vec<(TyId, TraitIdx)> = self
            .obligations
            .iter()
            .filter(|(.., at)| *at == span)
            .map(|&(ty, idx, _)| (ty, idx))
            .collect();
        for (ty, trait_idx) in owed {
            let ty = self.resolve(ty);
            if self.cx.head(ty).is_some() && !self.cx.implements(ty, trait_idx) {
                return self.bad(span);
            }
        }
        for (ty, trait_idx, args) in promised {
            self.learn_trait_args(ty, trait_idx, &args);
        }
        let ret = self.ret_of(fn_idx, &full, &signature, want, span);
        let ret = self.settle_associated(ret);
        let func = self.pend(Pending::Instance(fn_idx, full));
        let call = match receiver {
            None => {
                let captured = captured.iter().map(|&(_, local)| self.read(local, span));
                let mut values: Vec<Expr> = captured.collect();
                values.append(&mut bundle.values);
                self.mk(ExprKind::Call(func, values), ret, span)
            }
            Some(receiver) => {
                self.receiver_call(fn_idx, func, receiver, bundle.values, ret, want, span)
            }
        };
        self.with_lets(bundle.lets, call)
    }
}
