//! Method calls: which method, with what receiver, in place or on a copy.
//!
//! Methods of built-in types that code generation knows are in `collection.rs` and `option.rs`; everything else is
//! looked up (`methods.rs`).

use super::args::{Callee, Given, Member};
use super::place::{PlaceInfo, Target};
use super::slots::Slot;
use super::*;
use crate::codes;
use crate::methods::Head;
use crate::typed::{Expr, Stmt};
use simple_syntax::Diagnostic;
use simple_syntax::ast::{self, FnKind, Ident};

/// What a method is called on.
pub(crate) enum Receiver {
    Value(Expr),
    Place(PlaceInfo),
}

impl Receiver {
    fn span(&self) -> Span {
        match self {
            Receiver::Value(value) => value.span,
            Receiver::Place(info) => info.place.span,
        }
    }

    pub(crate) fn value(value: Expr) -> Receiver {
        Receiver::Value(value)
    }

    pub(crate) fn place(info: PlaceInfo) -> Receiver {
        Receiver::Place(info)
    }
}

impl<'c, 'a> Body<'c, 'a> {
    pub(crate) fn receiver_ty(&self, receiver: &Receiver) -> TyId {
        self.shallow(match receiver {
            Receiver::Value(value) => value.ty,
            Receiver::Place(info) => info.place.ty,
        })
    }

    pub(crate) fn receiver_value(&mut self, receiver: Receiver) -> Expr {
        match receiver {
            Receiver::Value(value) => value,
            Receiver::Place(info) => self.place_value(&info.place),
        }
    }

    #[expect(clippy::too_many_arguments, reason = "a call has this many parts")]
    pub(crate) fn method_call(
        &mut self,
        base: &'a ast::Expr,
        name: Ident,
        safe: bool,
        type_args: &'a [ast::TypeArg],
        args: Vec<Given<'a>>,
        want: Want,
        span: Span,
    ) -> Expr {
        let receiver = if safe {
            let value = self.link(base, Want::Any);
            Receiver::Value(self.safe_link(value))
        } else {
            match self.target(base) {
                Target::Place(info) => Receiver::Place(info),
                Target::Value(value) => Receiver::Value(value),
            }
        };
        let advice = self.receiver_advice(base, &receiver, name);
        let value = self.method_on(receiver, name, type_args, args, want, span);
        if let Some(advice) = advice {
            self.cx
                .reports_mut()
                .advise(codes::UNKNOWN_METHOD, name.span, advice);
        }
        value
    }

    /// A call of a bare name that is a field or method of `self`.
    pub(crate) fn call_self_member(
        &mut self,
        name: Ident,
        type_args: &'a [ast::TypeArg],
        args: Vec<Given<'a>>,
        want: Want,
        span: Span,
    ) -> Expr {
        let Some(id) = self.find_self() else {
            return self.bad(span);
        };
        let info = self.local_place(id, name.span);
        self.method_on(Receiver::Place(info), name, type_args, args, want, span)
    }

    /// An object of a trait as what a test has shown it to be. A method of the trait itself is called on the object,
    /// which it may change in its place.
    fn shown_receiver(&mut self, receiver: Receiver, name: Symbol) -> Receiver {
        let ty = self.receiver_ty(&receiver);
        let narrows = !self.scopes.present().is_empty()
            && matches!(self.kind(ty), Ty::Trait(_))
            && !self.has_method(ty, name);
        match narrows {
            true => self.payload_of(receiver),
            false => receiver,
        }
    }

    /// `receiver.name(args)`.
    pub(crate) fn method_on(
        &mut self,
        receiver: Receiver,
        name: Ident,
        type_args: &'a [ast::TypeArg],
        args: Vec<Given<'a>>,
        want: Want,
        span: Span,
    ) -> Expr {
        let mut receiver = receiver;
        let mut args = args;
        let mut name = name;
        let promise = self.promise(name.name, span).cloned();
        let promised = promise.is_some();
        if let Some(promise) = promise {
            match self.keep_promise(&promise, receiver, name, type_args, args, want, span) {
                Ok(value) => return value,
                Err(back) => (receiver, args) = back,
            }
        }
        if self.is_unknown(self.receiver_ty(&receiver)) {
            self.check_ready();
        }
        if matches!(self.kind(self.receiver_ty(&receiver)), Ty::Option(_))
            && option_method::count_of(name.name.as_str(), false).is_none()
        {
            receiver = self.payload_of(receiver);
        }
        receiver = self.shown_receiver(receiver, name.name);
        let ty = self.receiver_ty(&receiver);
        name.name = self.form_of(ty, name.name, &args);
        match self.kind(ty) {
            // Nothing is called: control does not come back from the receiver.
            Ty::Never => return self.receiver_value(receiver),
            Ty::Error => return self.call_on_error(args, span),
            Ty::Infer(_) => {
                self.must_be_known(ty, receiver.span());
                return self.bad(span);
            }
            Ty::Option(_) | Ty::Result(..) => {
                match self.option_method(receiver, name, args, want, span) {
                    Ok(value) => return value,
                    Err(back) => (receiver, args) = back,
                }
            }
            Ty::Trait(id) => {
                if let Some(value) =
                    self.trait_object_call(id, &mut receiver, name, &mut args, want, span)
                {
                    return value;
                }
            }
            Ty::Param(param) => {
                if let Some((fn_idx, owner)) = self.bound_method(param, ty, name, span) {
                    return self.call_fn(
                        fn_idx,
                        &owner,
                        Some(receiver),
                        type_args,
                        args,
                        want,
                        span,
                    );
                }
            }
            Ty::Adt(adt) => {
                if let Some((number, field)) = self.called_field(adt, name.name) {
                    self.check_private(adt, number as usize, name.span);
                    let object = self.receiver_value(receiver);
                    let field_of = ExprKind::Field(Box::new(object), number);
                    let callee = self.mk(field_of, field, name.span);
                    return self.call_value(callee, args, want, span);
                }
            }
            _ => match self.intrinsic_method(receiver, name, args, want, span) {
                Ok(value) => return value,
                Err(back) => (receiver, args) = back,
            },
        }
        let resolved = self.resolve(ty);
        let prints = matches!(name.name.as_str(), "to_string" | "to_text") && args.is_empty();
        if prints && self.prints_itself(resolved, name.name) {
            let value = self.receiver_value(receiver);
            return self.mk(ExprKind::ToText(Box::new(value)), TyId::TEXT, span);
        }
        if let Some((fn_idx, owner)) = self.cx.find_method(resolved, name.name) {
            if !promised && self.reject_rivals(resolved, name) {
                return self.bad(span);
            }
            if self.cx.decls()[fn_idx].is_static {
                return self.static_on_value(resolved, name, span);
            }
            return self.call_fn(fn_idx, &owner, Some(receiver), type_args, args, want, span);
        }
        if prints {
            let value = self.receiver_value(receiver);
            return self.mk(ExprKind::ToText(Box::new(value)), TyId::TEXT, span);
        }
        self.unknown_method(resolved, name, &args, span)
    }

    /// A call on what is a mistake already: its arguments are checked for their own, but not what was meant to be in a lambda.
    fn call_on_error(&mut self, args: Vec<Given<'a>>, span: Span) -> Expr {
        for arg in args {
            if let args::GivenValue::Ast(e) = arg.value
                && !lambda::is_lambda_like(e)
            {
                self.expr(e, Want::Any);
            }
        }
        self.bad(span)
    }

    /// The field that `value.name(...)` calls, and its type: one that holds a function, or that no method hides.
    fn called_field(&mut self, adt: AdtId, name: Symbol) -> Option<(u32, TyId)> {
        let decl = self.cx.decl_of(adt);
        let number = *self.cx.decls()[decl].fields.get(&name)?;
        self.cx.ensure_adt(adt);
        let fields = &self.cx.types().adts[adt.0 as usize].fields;
        let field = fields.get(number as usize)?.ty;
        let called = matches!(self.kind(field), Ty::Fn(..))
            || !self.cx.decls()[decl].methods.contains_key(&name);
        called.then_some((number, field))
    }

    fn static_on_value(&mut self, ty: TyId, name: Ident, span: Span) -> Expr {
        let type_name = self.show(ty);
        let message = format!("`{}` is a static method: it has no `self`", name.name);
        let d = Diagnostic::error(codes::NOT_CALLABLE, name.span, message)
            .help(format!("write `{type_name}.{}(...)`", name.name));
        self.cx.report(d);
        self.bad(span)
    }

    /// Whether a type is a built-in one whose printed form is its own `to_string`, whatever traits give it under that name.
    fn prints_itself(&mut self, ty: TyId, name: Symbol) -> bool {
        let Some(head) = self.cx.head(ty) else {
            return false;
        };
        !matches!(
            head,
            Head::Adt(_) | Head::Trait(_) | Head::Handle(_) | Head::Fn
        ) && self.cx.own_method(ty, head, name).is_none()
    }

    /// `a.name` that is not a field: a method called without parentheses.
    pub(crate) fn bare_method(
        &mut self,
        receiver: Receiver,
        name: Ident,
        want: Want,
        span: Span,
    ) -> Expr {
        let ty = self.receiver_ty(&receiver);
        let resolved = self.resolve(ty);
        if let Ty::Adt(_) = self.kind(ty)
            && self.promise(name.name, span).is_none()
        {
            match self.cx.find_method(resolved, name.name) {
                Some((fn_idx, _)) => {
                    let decl = self.cx.decls()[fn_idx].decl;
                    if !decl.params.iter().all(|p| p.may_be_left_out()) {
                        let d = Diagnostic::error(
                            codes::ARG_COUNT,
                            span,
                            format!("the method `{}` needs arguments", name.name),
                        )
                        .related(decl.head, "declared here");
                        self.cx.report(d);
                        return self.bad(span);
                    }
                }
                None if !matches!(name.name.as_str(), "to_string" | "to_text") => {
                    return self.unknown_field(resolved, name, span);
                }
                None => {}
            }
        }
        self.method_on(receiver, name, &[], Vec::new(), want, span)
    }

    /// Whether the declaration of a type is a mistake that was reported: what it lacks follows from that.
    pub(in crate::body) fn is_of_broken_type(&mut self, ty: TyId) -> bool {
        let Ty::Adt(adt) = self.kind(ty) else {
            return false;
        };
        let name = self.cx.decls()[self.cx.decl_of(adt)].name.name;
        self.cx.reports_mut().follows_from_broken(name.as_str())
    }

    /// The call itself, once arguments and result type are known.
    #[expect(clippy::too_many_arguments, reason = "a call has this many parts")]
    pub(crate) fn receiver_call(
        &mut self,
        fn_idx: FnIdx,
        func: FuncId,
        receiver: Receiver,
        mut args: Vec<Expr>,
        ret: TyId,
        want: Want,
        span: Span,
    ) -> Expr {
        let ty = self.receiver_ty(&receiver);
        let kind = self.kind(ty);
        let by_reference = match &kind {
            Ty::Adt(adt) => self.cx.types().adts[adt.0 as usize].kind == AdtKind::Class,
            Ty::Trait(_) | Ty::Fn(..) => true,
            _ => false,
        };
        if self.cx.decls()[fn_idx].decl.kind != FnKind::Me || by_reference {
            let object = self.receiver_value(receiver);
            args.insert(0, object);
            return self.mk(ExprKind::Call(func, args), ret, span);
        }
        let collection = !matches!(kind, Ty::Adt(_) | Ty::Param(_));
        if collection && self.is_frozen_receiver(&receiver) {
            let name = self.cx.decls()[fn_idx].decl.name.name;
            let yields = if ret == TyId::UNIT { ty } else { ret };
            return self.refused_change(&format!("`{name}`"), args, yields, span);
        }
        let unit = ret == TyId::UNIT;
        match receiver {
            Receiver::Place(info) if info.fixed.is_none() => {
                let Some(place) = self.changeable(info, span) else {
                    return self.bad(span);
                };
                let wanted = !matches!(want, Want::Discard | Want::Tail);
                let read = (collection && unit && wanted).then(|| self.place_value(&place));
                let call = self.mk(ExprKind::CallInout(func, place, args), ret, span);
                match read {
                    Some(read) => self.then(call, read, span),
                    None => call,
                }
            }
            receiver => {
                if !collection || !unit {
                    return self.needs_mutable(receiver, fn_idx, span);
                }
                let name = self.cx.decls()[fn_idx].decl.name.name;
                if self.drops_copy(&receiver, want) {
                    return self.discarded_copy(receiver, name, want, span);
                }
                let value = self.receiver_value(receiver);
                self.on_copy(value, span, |this, place| {
                    this.mk(ExprKind::CallInout(func, place, args), ret, span)
                })
            }
        }
    }

    /// First one, then the other, whose value is the result.
    pub(crate) fn then(&mut self, first: Expr, second: Expr, span: Span) -> Expr {
        let ty = second.ty;
        let stmts = vec![Stmt {
            kind: StmtKind::Expr(first),
            span,
        }];
        self.mk(ExprKind::Block(stmts, Some(Box::new(second))), ty, span)
    }

    /// A method called with values that are checked already; `None` when there is no such method.
    pub(crate) fn method_values(
        &mut self,
        receiver: Expr,
        name: Symbol,
        args: Vec<Expr>,
        span: Span,
    ) -> Option<Expr> {
        let ty = self.resolve(receiver.ty);
        let there = self.has_method(ty, name) || self.promise(name, span).is_some();
        there.then(|| {
            let args = args.into_iter().map(Given::typed).collect();
            self.method_on(
                Receiver::Value(receiver),
                Ident { name, span },
                &[],
                args,
                Want::Any,
                span,
            )
        })
    }

    /// A method without arguments on a variable that the checker made up.
    pub(crate) fn method_on_temp(
        &mut self,
        local: LocalId,
        read: Expr,
        name: Symbol,
        span: Span,
    ) -> Option<Expr> {
        let place = Place {
            root: PlaceRoot::Local(local),
            path: Vec::new(),
            ty: read.ty,
            span,
        };
        let info = PlaceInfo {
            place,
            fixed: None,
            lenient: false,
        };
        let value = self.method_on(
            Receiver::Place(info),
            Ident { name, span },
            &[],
            Vec::new(),
            Want::Any,
            span,
        );
        (value.ty != TyId::ERROR).then_some(value)
    }

    /// The number of a method in the table of a trait object's type, or a bound's method.
    pub(crate) fn trait_method(&mut self, ty: TyId, name: Symbol) -> Option<()> {
        match *self.ty(ty) {
            Ty::Trait(id) => self.cx.types().traits[id.0 as usize]
                .methods
                .iter()
                .any(|m| m.name == name)
                .then_some(()),
            Ty::Param(param) => (!self.bound_methods(param, name).is_empty()).then_some(()),
            _ => None,
        }
    }

    fn trait_object_call(
        &mut self,
        id: TraitId,
        receiver: &mut Receiver,
        name: Ident,
        args: &mut Vec<Given<'a>>,
        want: Want,
        span: Span,
    ) -> Option<Expr> {
        let number = self.cx.types().traits[id.0 as usize]
            .methods
            .iter()
            .position(|m| m.name == name.name)?;
        let fn_idx = self.cx.instances().object_methods(id)[number];
        let decl = self.cx.decls()[fn_idx].decl;
        let ret = self.cx.object_result(id, number)?;
        let method = &self.cx.types().traits[id.0 as usize].methods[number];
        let params = method.params.clone();
        let slots = Slot::of_params(&decl.params, &params);
        let below = self.block_to_enter(args, &slots, Some(ret), &[]);
        let receiver = std::mem::replace(receiver, Receiver::Value(self.bad(span)));
        let changes = self.cx.types().traits[id.0 as usize].methods[number].changes;
        // A method that changes its object changes it in its place if it has one, so that a value there is not shared.
        let (object, place) = match receiver {
            Receiver::Place(info) if changes && info.fixed.is_none() => {
                (None, self.changeable(info, span))
            }
            Receiver::Place(info) => (Some(self.place_value(&info.place)), None),
            Receiver::Value(value) => (Some(value), None),
        };
        let scope = TypeScope {
            module: self.cx.decls()[fn_idx].module,
            env: self.cx.empty_env(),
            self_ty: None,
        };
        let callee = Callee {
            name: name.name.as_str(),
            member: Member::Parameter,
            declared: Some(decl.head),
            maker: None,
            captured: &[],
        };
        let Some(bundle) = self.arguments(&slots, std::mem::take(args), callee, &scope, span)
        else {
            return Some(Expr {
                ty: ret,
                ..self.bad(span)
            });
        };
        self.cx.instances_mut().call(id, number as u32);
        let kind = match (object, place) {
            (Some(object), _) => {
                ExprKind::CallTrait(id, number as u32, Box::new(object), bundle.values)
            }
            (None, Some(place)) => {
                ExprKind::CallTraitInout(id, number as u32, place, bundle.values)
            }
            (None, None) => return Some(self.bad(span)),
        };
        let call = self.mk(kind, ret, span);
        let call = self.with_lets(bundle.lets, call);
        Some(match below {
            Some(block) => self.with_value(name.name.as_str(), call, block, want, span),
            None => call,
        })
    }

    /// Whether a type, or a bound of a type parameter, has a method.
    pub(crate) fn has_method(&mut self, ty: TyId, name: Symbol) -> bool {
        self.cx.find_method(ty, name).is_some() || self.trait_method(ty, name).is_some()
    }

    /// An operator on a type that is not built in: a call of its method.
    pub(crate) fn operator_method(
        &mut self,
        name: &str,
        op: &str,
        left: Expr,
        right: Option<Expr>,
        span: Span,
    ) -> Expr {
        let symbol = Symbol::intern(name);
        let ty = self.resolve(left.ty);
        if self.has_method(ty, symbol) || self.promise(symbol, span).is_some() {
            let args = right.into_iter().map(Given::typed).collect();
            let ident = Ident { name: symbol, span };
            return self.method_on(Receiver::Value(left), ident, &[], args, Want::Any, span);
        }
        self.bad_operand(op, &left, right.as_ref(), span)
    }
}
