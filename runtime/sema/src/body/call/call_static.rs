//! Calls through a name: `module.f(...)`, `Type.f(...)`, `Type.Variant(...)`. Next: `call_fn.rs`.

use super::args::Given;
use super::name::StaticBase;
use super::place::Target;
use super::*;
use crate::codes;
use crate::typed::Expr;
use simple_syntax::Diagnostic;
use simple_syntax::ast::{self, Ident};

impl<'c, 'a> Body<'c, 'a> {
    /// `Base.name(...)` where `Base` is a module, type or variant.
    pub(in crate::body) fn call_static(
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
                    && let Some(&number) = self.cx.decls()[decl].variants.get(&name.name)
                {
                    return match self.type_of_base(def, ident, written, want) {
                        Some(ty) => self.variant(ty, number, args, want, span),
                        None => self.bad(span),
                    };
                }
                if let Def::Trait(idx) = def {
                    return self.call_of_trait(idx, name, type_args, args, want, span);
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

    #[expect(clippy::too_many_arguments, reason = "a call has this many parts")]
    pub(in crate::body) fn call_builtin_static(
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
            let ty = self.open_collection(base, want, ident.span);
            return self.call_static_method(ty, name, type_args, args, want, span);
        }
        let ty = self.written_type(ident, written);
        if ty == TyId::ERROR {
            return self.bad(span);
        }
        if collection && name.name.as_str() == "new" && args.is_empty() {
            return self.empty_of(ty, span);
        }
        if let Ty::Adt(adt) = self.kind(ty)
            && let Some(&number) = self.cx.decls()[self.cx.decl_of(adt)]
                .variants
                .get(&name.name)
        {
            return self.variant(ty, number, args, want, span);
        }
        self.call_static_method(ty, name, type_args, args, want, span)
    }

    /// `Type.method(...)`.
    pub(in crate::body) fn call_static_method(
        &mut self,
        ty: TyId,
        name: Ident,
        type_args: &'a [ast::TypeArg],
        args: Vec<Given<'a>>,
        want: Want,
        span: Span,
    ) -> Expr {
        let type_name = self.show(ty);
        match self.static_method(ty, name, span) {
            Some((fn_idx, owner)) if self.cx.decls_mut()[fn_idx].is_static => {
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
                .related(self.cx.decls()[fn_idx].decl.head, "declared here")
                .help("call it on a value, or declare it `static fn`");
                self.cx.report(d);
                self.bad(span)
            }
            None => {
                if let Some(made) = self.made_by_create(ty, name, false, args, want, span) {
                    return made;
                }
                let mut names = self.cx.method_names(ty);
                if let Ty::Adt(adt) = self.kind(ty) {
                    names.extend(
                        self.cx.decls()[self.cx.decl_of(adt)]
                            .variants
                            .keys()
                            .map(|n| n.as_str()),
                    );
                }
                let is_enum =
                    matches!(self.cx.types().adt(ty), Some(adt) if adt.kind == AdtKind::Enum);
                let (code, what) = if is_enum {
                    (codes::UNKNOWN_VARIANT, "variant or method")
                } else {
                    (codes::UNKNOWN_METHOD, "static method")
                };
                let text = name.name.as_str();
                let message = format!("`{type_name}` has no {what} `{text}`");
                self.cx.unknown_of(code, name.span, message, text, &names);
                self.bad(span)
            }
        }
    }

    /// The method that `T.name` means, also where a bound of the type parameter `T` promises it.
    pub(in crate::body) fn static_method(
        &mut self,
        ty: TyId,
        name: Ident,
        span: Span,
    ) -> Option<(FnIdx, Rc<[TyId]>)> {
        if let Ty::Param(param) = *self.ty(ty) {
            return self.bound_method(param, ty, name, span);
        }
        if let Some(promise) = self.promise(name.name, span).cloned()
            && let Some(found) = self.promised_method(&promise, ty, name.name)
        {
            return Some(found);
        }
        self.cx.find_method(ty, name.name)
    }
}
