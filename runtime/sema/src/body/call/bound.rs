//! Calls of what a bound promises, and of one trait's method by name: `Trait.method(x)`.
//!
//! In an opaque body a method of a type parameter is looked up in its bounds and noted; checked for types, the same call goes
//! to the type's impl of that trait (`promises.rs`). Leaves out operators, which ask [`Body::promised`] in their own files.

use super::args::{Given, GivenValue};
use super::method::Receiver;
use super::place::Target;
use super::*;
use crate::codes;
use crate::promises::Promise;
use crate::typed::Expr;
use simple_syntax::Diagnostic;
use simple_syntax::ast::{self, Ident};
use std::rc::Rc;

/// A method of a bound: its trait, the method, the trait's type arguments.
type BoundMethod = (TraitIdx, FnIdx, Rc<[TyId]>);

impl<'c, 'a> Body<'c, 'a> {
    /// What a bound promised at this place under this name.
    pub(crate) fn promise(&self, name: Symbol, span: Span) -> Option<&Promise> {
        self.cx.instances().promises().at(span, name)
    }

    /// Whether a bound promised one of these at this place.
    pub(crate) fn promised(&self, names: &[&str], span: Span) -> bool {
        !self.cx.instances().promises().is_empty()
            && names
                .iter()
                .any(|name| self.promise(Symbol::intern(name), span).is_some())
    }

    /// The methods of this name that the bounds of an opaque type parameter promise. A trait's own hides that of a trait it builds on.
    pub(in crate::body) fn bound_methods(
        &mut self,
        param: Symbol,
        name: Symbol,
    ) -> Vec<BoundMethod> {
        let bounds: Vec<TypeBound> = self
            .purpose
            .bounds()
            .iter()
            .filter(|(n, ..)| *n == param)
            .cloned()
            .collect();
        let mut found: Vec<BoundMethod> = Vec::new();
        for (_, idx, args) in bounds {
            let methods = self.cx.all_trait_methods(idx, &args);
            let first = methods
                .into_iter()
                .find(|(_, f, _)| self.cx.decls()[*f].decl.name.name == name);
            if let Some(method) = first
                && found.iter().all(|(known, ..)| *known != method.0)
            {
                found.push(method);
            }
        }
        let all = found.clone();
        found.retain(|(of, ..)| {
            !all.iter().any(|(other, _, args)| {
                other != of && self.cx.all_traits(*other, args).contains(of)
            })
        });
        found
    }

    /// The method of that name that a bound promises, noted for the instances; reports one that several bounds promise.
    pub(in crate::body) fn bound_method(
        &mut self,
        param: Symbol,
        ty: TyId,
        name: Ident,
        span: Span,
    ) -> Option<(FnIdx, Rc<[TyId]>)> {
        let found = self.bound_methods(param, name.name);
        let (trait_idx, fn_idx, trait_args) = found.first()?.clone();
        if let [_, (second, ..), ..] = &found[..] {
            let [first, second] = [trait_idx, *second].map(|idx| self.cx.decls()[idx].name.name);
            let message = format!(
                "`{}` may be that of `{first}` or that of `{second}`, which both bound `{param}`",
                name.name
            );
            let d = Diagnostic::error(codes::AMBIGUOUS_BOUND, name.span, message).help(format!(
                "name the trait that is meant, with the value as the first argument: `{first}.{0}(x)`, `{second}.{0}(x)`",
                name.name
            ));
            self.cx.report(d);
        }
        if self.purpose.notes_bounds() {
            let promise = Promise {
                trait_idx,
                trait_args: trait_args.clone(),
            };
            self.cx
                .instances_mut()
                .promises_mut()
                .note(span, name.name, promise);
        }
        let full = [ty].into_iter().chain(trait_args.iter().copied()).collect();
        Some((fn_idx, full))
    }

    /// Reports a call of a method that two traits give to the type, and the type itself does not have.
    pub(in crate::body) fn reject_rivals(&mut self, ty: TyId, name: Ident) -> bool {
        let Some(rivals) = self.cx.rival_traits(ty, name.name) else {
            return false;
        };
        let [first, second] = rivals.map(|idx| self.cx.decls()[idx].name.name);
        let (type_name, text) = (self.show(ty), name.name);
        let message = format!(
            "`{text}` of `{type_name}` may be that of the trait `{first}` or that of `{second}`"
        );
        let d = Diagnostic::error(codes::AMBIGUOUS_BOUND, name.span, message).help(format!(
            "name the trait that is meant, with the value as the first argument: `{first}.{text}(x)`, `{second}.{text}(x)`"
        ));
        self.cx.report(d);
        true
    }

    /// Whether a trait, or one that it builds on, has a method of this name.
    pub(in crate::body) fn trait_promises(&mut self, idx: TraitIdx, name: Symbol) -> bool {
        let generics = self.cx.decls()[idx].generics.clone();
        let args = self.cx.opaque_args(&generics[1..]);
        let methods = self.cx.all_trait_methods(idx, &args);
        methods
            .iter()
            .any(|(_, f, _)| self.cx.decls()[*f].decl.name.name == name)
    }

    /// The method by which `ty` keeps a promise.
    pub(in crate::body) fn promised_method(
        &mut self,
        promise: &Promise,
        ty: TyId,
        name: Symbol,
    ) -> Option<(FnIdx, Rc<[TyId]>)> {
        let ty = self.resolve(ty);
        let env = self.scopes.types().env.clone();
        let args: Rc<[TyId]> = promise
            .trait_args
            .iter()
            .map(|&arg| self.cx.substitute(arg, &env))
            .collect();
        let found = self
            .cx
            .trait_method_on(ty, promise.trait_idx, &args, name)?;
        let full = self
            .cx
            .promised_params(found.clone(), ty, promise.trait_idx, &args);
        Some((found.0, full))
    }

    /// Calls what a bound promised, on the receiver or on its payload; gives it back if the type keeps the promise by other means, as
    /// objects of the trait and built-in methods do.
    #[expect(clippy::too_many_arguments, reason = "a call has this many parts")]
    pub(in crate::body) fn keep_promise(
        &mut self,
        promise: &Promise,
        receiver: Receiver,
        name: Ident,
        type_args: &'a [ast::TypeArg],
        args: Vec<Given<'a>>,
        want: Want,
        span: Span,
    ) -> Result<Expr, (Receiver, Vec<Given<'a>>)> {
        let ty = self.receiver_ty(&receiver);
        if let Some((fn_idx, owner)) = self.promised_method(promise, ty, name.name) {
            return Ok(self.call_fn(fn_idx, &owner, Some(receiver), type_args, args, want, span));
        }
        let Ty::Option(item) = self.kind(ty) else {
            return Err((receiver, args));
        };
        match self.promised_method(promise, item, name.name) {
            Some((fn_idx, owner)) => {
                let payload = self.payload_of(receiver);
                Ok(self.call_fn(fn_idx, &owner, Some(payload), type_args, args, want, span))
            }
            None => Err((receiver, args)),
        }
    }

    /// `Trait.method(x, ...)`: the method of this trait, whatever else the type of `x` has under that name.
    pub(in crate::body) fn call_of_trait(
        &mut self,
        idx: TraitIdx,
        name: Ident,
        type_args: &'a [ast::TypeArg],
        args: Vec<Given<'a>>,
        want: Want,
        span: Span,
    ) -> Expr {
        let trait_name = self.cx.decls()[idx].name.name;
        if !self.trait_promises(idx, name.name) {
            let names: Vec<&str> = self.cx.decls()[idx]
                .methods
                .keys()
                .map(|name| name.as_str())
                .collect();
            let text = name.name.as_str();
            let message = format!("the trait `{trait_name}` has no method `{text}`");
            self.cx
                .unknown(codes::UNKNOWN_METHOD, name.span, message, text, &names);
            return self.bad(span);
        }
        let mut args = args.into_iter();
        let value = match args.next() {
            Some(Given {
                value: GivenValue::Ast(value),
                label: None,
                spread: false,
                ..
            }) => value,
            _ => {
                let message = format!(
                    "`{trait_name}.{}` needs the value that it is called on",
                    name.name
                );
                let d = Diagnostic::error(codes::NOT_CALLABLE, span, message).help(format!(
                    "write `{trait_name}.{0}(x)` or `x.{0}()`; a function without `self` is called on a type that implements the trait",
                    name.name
                ));
                self.cx.report(d);
                return self.bad(span);
            }
        };
        let mut receiver = match self.target(value) {
            Target::Place(info) => Receiver::Place(info),
            Target::Value(value) => Receiver::Value(value),
        };
        let mut ty = self.receiver_ty(&receiver);
        if matches!(self.kind(ty), Ty::Option(_)) && !self.satisfies(ty, idx) {
            receiver = self.payload_of(receiver);
            ty = self.receiver_ty(&receiver);
        }
        let ty = self.resolve(ty);
        let found = match *self.ty(ty) {
            Ty::Error => return self.bad(span),
            Ty::Param(param) => {
                let bounds = self.purpose.bounds().to_vec();
                bounds
                    .into_iter()
                    .filter(|(bounded, ..)| *bounded == param)
                    .find_map(|(_, bound, args)| self.method_of(bound, &args, idx, name.name))
                    .map(|(_, fn_idx, args)| {
                        (
                            fn_idx,
                            [ty].into_iter().chain(args.iter().copied()).collect(),
                        )
                    })
            }
            Ty::Trait(_) => None,
            _ => self.implemented(ty, idx, name.name),
        };
        let args: Vec<Given<'a>> = args.collect();
        match found {
            Some((fn_idx, owner)) => {
                self.call_fn(fn_idx, &owner, Some(receiver), type_args, args, want, span)
            }
            None if self.satisfies(ty, idx) => {
                self.method_on(receiver, name, type_args, args, want, span)
            }
            None => {
                self.owe(ty, duty::Duty::Bound(idx, Rc::from([])), span);
                self.bad(span)
            }
        }
    }

    /// The method by which a known type implements a method of `idx`, or of a trait that it builds on.
    fn implemented(
        &mut self,
        ty: TyId,
        idx: TraitIdx,
        name: Symbol,
    ) -> Option<(FnIdx, Rc<[TyId]>)> {
        let head = self.cx.head(ty)?;
        let impls = self.cx.decls().trait_impls(idx, head).to_vec();
        let trait_args = impls.into_iter().find_map(|of| {
            let args = self.cx.match_impl(of, ty)?;
            Some(self.cx.impl_trait_args(of, &args))
        });
        let trait_args = trait_args.unwrap_or_else(|| self.cx.instances().no_args());
        let (owner, _, args) = self.method_of(idx, &trait_args, idx, name)?;
        self.cx.trait_method_on(ty, owner, &args, name)
    }

    /// The method `name` of the trait `wanted`, which is `idx` or one that this builds on.
    fn method_of(
        &mut self,
        idx: TraitIdx,
        args: &Rc<[TyId]>,
        wanted: TraitIdx,
        name: Symbol,
    ) -> Option<BoundMethod> {
        let generics = self.cx.decls()[wanted].generics.clone();
        let opaque = self.cx.opaque_args(&generics[1..]);
        let below = self.cx.all_traits(wanted, &opaque);
        let methods = self.cx.all_trait_methods(idx, args);
        methods
            .into_iter()
            .find(|(of, f, _)| below.contains(of) && self.cx.decls()[*f].decl.name.name == name)
    }

    /// Whether a method named `to_string` can be the one that printing calls.
    fn prints(&self, fn_idx: FnIdx) -> bool {
        let decl = self.cx.decls()[fn_idx].decl;
        decl.params.is_empty() && decl.kind == ast::FnKind::Fn
    }

    /// The text of a value that is printed, where a bound or the trait of an object says what that is; any other value as it is.
    pub(in crate::body) fn printed_by_bound(&mut self, value: Expr) -> Expr {
        let name = Symbol::intern("to_string");
        // At the value's end, where no call that the program wrote can be.
        let end = Span {
            lo: value.span.hi,
            ..value.span
        };
        let ty = self.shallow(value.ty);
        let by_bound = match *self.ty(ty) {
            Ty::Param(param) => {
                let found = self.bound_methods(param, name);
                found
                    .first()
                    .is_some_and(|(_, fn_idx, _)| self.prints(*fn_idx))
            }
            // An object is its trait's, so its text is what the trait says too.
            Ty::Trait(id) => {
                let (of, args) = self.cx.instances().trait_of(id).clone();
                let methods = self.cx.all_trait_methods(of, &args);
                methods.into_iter().any(|(_, fn_idx, _)| {
                    self.cx.decls()[fn_idx].decl.name.name == name && self.prints(fn_idx)
                })
            }
            _ => self.promise(name, end).is_some(),
        };
        if !by_bound {
            return value;
        }
        let name = Ident { name, span: end };
        self.method_on(
            Receiver::Value(value),
            name,
            &[],
            Vec::new(),
            Want::Any,
            end,
        )
    }

    /// The payload of a receiver that is a lenient option; any other receiver as it is.
    pub(in crate::body) fn payload_of(&mut self, receiver: Receiver) -> Receiver {
        let target = match receiver {
            Receiver::Value(value) => Target::Value(value),
            Receiver::Place(info) => Target::Place(info),
        };
        match self.payload_target(target) {
            Target::Value(value) => Receiver::Value(value),
            Target::Place(info) => Receiver::Place(info),
        }
    }
}
