//! Calls: what precedes the parentheses decides. Functions follow in `call_fn.rs`, names after a dot in `call_static.rs`, names of types in
//! `make.rs`, constructors and variants in `construct.rs`; closures are called here.

pub(in crate::body) mod args;
mod bound;
mod call_fn;
mod call_static;
mod construct;
mod copies;
mod forms;
mod lend;
pub(in crate::body) mod make;
pub(in crate::body) mod method;
pub(in crate::body) mod named;
mod refused_method;
pub(in crate::body) mod rest;
pub(in crate::body) mod slots;
mod threads;
mod variadic;

use super::args::{Callee, Given, Member, given};
use super::name::StaticBase;
use super::scope::Found;
use super::slots::Slot;
use super::*;
use crate::codes;
use crate::typed::Expr;
use simple_syntax::Diagnostic;
use simple_syntax::ast::{self, Ident};

/// The methods by which an object is called like a function.
const CALLED: &[&str] = &["call", "forward"];

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
                        Some(ty) => self.make(ty, args, want, span),
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
                    self.call_value(value, args, want, span)
                }
            },
            _ if let Some(lambda) = Self::as_lambda(callee) => {
                self.call_lambda(lambda, args, callee.span, want, span)
            }
            _ => {
                let value = match &callee.kind {
                    // `(f // g)(x)` gives `x` to both.
                    ast::ExprKind::Paren(inner) if args.len() == 1 => match &inner.kind {
                        ast::ExprKind::Binary(ast::BinaryOp::Parallel, left, right) => {
                            let param = self.fresh(inner.span, infer::Origin::Parameter);
                            let ret = self.fresh(inner.span, infer::Origin::FunctionResult);
                            let hint = self.intern(Ty::Fn(vec![param], ret));
                            self.parallel(left, right, Want::Ty(hint), inner.span)
                        }
                        _ => self.link(callee, Want::Any),
                    },
                    _ => self.link(callee, Want::Any),
                };
                self.call_value(value, args, want, span)
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
                        let scope = self.scopes.types().clone();
                        self.call_named(value, name, (named, scope), args, want, span)
                    }
                    None => self.call_value(value, args, want, span),
                };
            }
            Some(Found::Def(def)) => return self.call_def(def, name, type_args, args, want, span),
            None => {}
        }
        if self.self_member(name.name) || self.own_intrinsic(name.name, args.is_empty()) {
            return self.call_self_member(name, type_args, args, want, span);
        }
        if let Some(def) = self.cx.lookup(self.scopes.types().module, name.name) {
            return self.call_def(def, name, type_args, args, want, span);
        }
        let text = name.name.as_str();
        if let Some(&(_, ty)) = self
            .scopes
            .types()
            .env
            .iter()
            .rev()
            .find(|(n, _)| *n == name.name)
        {
            return self.make(ty, args, want, span);
        }
        if text == "Self"
            && let Some(ty) = self.scopes.types().self_ty
        {
            return self.make(ty, args, want, span);
        }
        let wraps = matches!(text, "Some" | "Ok" | "Err");
        if let Some(hint) = self.hint(want)
            && let Some((ty, number)) = self.variant_of(hint, name.name)
            // `Some(x)` where an optional is expected is that optional, whatever variants its payload has.
            && !(text == "Some" && matches!(self.kind(hint), Ty::Option(_)))
        {
            return self.variant(ty, number, args, want, span);
        }
        if wraps {
            return self.wrap(text, args, want, span);
        }
        if text == fields::NAME {
            return self.fields_of(type_args, args, span);
        }
        if let Some(op) = self.memory_operation(text) {
            return self.call_memory((op, text), type_args, args, span);
        }
        let args = match self.builtin(name, args, want, span) {
            Ok(value) => return value,
            Err(args) => args,
        };
        match self
            .cx
            .lookup_visible(self.scopes.types().module, name.name)
        {
            Some(def) => self.call_def(def, name, type_args, args, want, span),
            None => {
                if matches!(text, "List" | "Array" | "Dict" | "Map" | "Set") && args.is_empty() {
                    return self.empty_collection(text, want, span);
                }
                self.unknown_name(name);
                let foreign = crate::suggest::foreign_function(text).is_some();
                for arg in args.into_iter().filter(|_| !foreign) {
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
        let Some(ty) = self.scopes.types().self_ty else {
            return false;
        };
        let text = name.as_str();
        self.purpose.of_trait().is_none()
            && (no_args || !builtin::NAMES.contains(&text))
            && self.has_self()
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
                if self.scopes.frames().len() == 1
                    && self
                        .context
                        .init()
                        .is_some_and(|(module, _)| module == self.cx.input().root())
                    && name.name.as_str() == "main"
                    && self.cx.decls()[fn_idx].module == self.cx.input().root()
                {
                    self.duties.note_call_of_main();
                }
                self.call_fn(fn_idx, &[], None, type_args, args, want, span)
            }
            Def::Extern(idx) => self.call_extern(idx, args, span),
            Def::Type(_) | Def::Alias(_) => match self.type_of_base(def, name, type_args, want) {
                Some(ty) => self.make(ty, args, want, span),
                None => self.bad(span),
            },
            Def::Global(global) => {
                let value = self.global_value(global, name.span);
                match self.named_params_of_global(global) {
                    Some(named) => self.call_named(value, name, named, args, want, span),
                    None => self.call_value(value, args, want, span),
                }
            }
            Def::ExternVar(idx) => {
                let value = self.foreign_value(idx, name.span);
                self.call_value(value, args, want, span)
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

    /// A call of a closure value.
    pub(crate) fn call_value(
        &mut self,
        callee: Expr,
        args: Vec<Given<'a>>,
        want: Want,
        span: Span,
    ) -> Expr {
        let callee = self.unwrap_lenient(callee);
        let promised = self.promised(CALLED, span);
        let kind = self.kind(callee.ty);
        let (Ty::Fn(params, ret), false) = (kind, promised) else {
            let ty = self.resolve(callee.ty);
            if ty != TyId::ERROR {
                for method in CALLED {
                    let name = Symbol::intern(method);
                    let there = match promised {
                        true => self.promise(name, span).is_some(),
                        false => self.has_method(ty, name),
                    };
                    if there {
                        let ident = Ident { name, span };
                        return self.method_on(
                            method::Receiver::value(callee),
                            ident,
                            &[],
                            args,
                            want,
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
                    self.cx.reports_mut().count_undetermined();
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
                takes: ast::Takes::One,
                named: false,
                by_name: false,
                home: None,
            })
            .collect();
        let scope = self.scopes.types().clone();
        let callee_text = Callee {
            name: args::NAMELESS,
            member: Member::Parameter,
            declared: None,
            maker: None,
            captured: &[],
        };
        self.call_slots(callee, ret, (&slots, callee_text, &scope), args, want, span)
    }

    /// A call of a function value with these parameters.
    pub(super) fn call_slots(
        &mut self,
        callee: Expr,
        ret: TyId,
        (slots, shown, default_scope): (&[Slot<'a>], Callee<'_>, &TypeScope),
        mut args: Vec<Given<'a>>,
        want: Want,
        span: Span,
    ) -> Expr {
        let below = self.block_to_enter(&mut args, slots, Some(ret), &[]);
        let name = shown.name;
        let Some(bundle) = self.arguments(slots, args, shown, default_scope, span) else {
            return self.bad(span);
        };
        self.check_ready();
        let ret = self.shallow(ret);
        let call = self.mk(
            ExprKind::CallValue(Box::new(callee), bundle.values),
            ret,
            span,
        );
        let call = self.with_lets(bundle.lets, call);
        match below {
            Some(block) => self.with_value(name, call, block, want, span),
            None => call,
        }
    }
}
