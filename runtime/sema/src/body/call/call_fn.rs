//! Calls of declared functions, methods and foreign functions: type arguments, arguments, bounds, the result. Next: `args.rs`.

use super::args::{Callee, Given, Member};
use super::slots::Slot;
use super::*;
use crate::codes;
use crate::typed::Expr;
use simple_syntax::Diagnostic;
use simple_syntax::ast;

impl<'c, 'a> Body<'c, 'a> {
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
        let name = self.cx.decls()[fn_idx].decl.name.name;
        self.call_fn_as(name, fn_idx, owner, receiver, type_args, args, want, span)
    }

    /// The same under another name in messages.
    #[expect(clippy::too_many_arguments, reason = "a call has this many parts")]
    pub(in crate::body) fn call_fn_as(
        &mut self,
        name: Symbol,
        fn_idx: FnIdx,
        owner: &[TyId],
        receiver: Option<method::Receiver>,
        type_args: &'a [ast::TypeArg],
        mut args: Vec<Given<'a>>,
        want: Want,
        span: Span,
    ) -> Expr {
        if let Some(block) = self.block_after_call(fn_idx, owner, &mut args) {
            let any = Want::Any;
            let value = self.call_fn_as(name, fn_idx, owner, receiver, type_args, args, any, span);
            return self.with_value(name.as_str(), value, block, want, span);
        }
        self.range_from_zero(fn_idx, &mut args, span);
        self.warn_of_deprecated(fn_idx, name, span);
        let decl = self.cx.decls()[fn_idx].decl;
        let first_variable = self.table.count();
        let full = self.all_type_args(fn_idx, owner, type_args, span);
        let key: Rc<[TyId]> = full.clone().into();
        let signature = self.cx.signature(fn_idx, &key);
        let bounds = self.owe_bounds(fn_idx, &signature.scope, span);
        if !full.is_empty() {
            self.learn_result(signature.ret, want);
        }
        self.drop_results(fn_idx, &full[owner.len()..], &args);
        let mut slots = Slot::of_params(&decl.params, &signature.params);
        self.defaults_of_trait(fn_idx, &mut slots);
        let captured = self.captured_locals(fn_idx);
        if captured.len() < self.cx.decls()[fn_idx].captured.len() {
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
            name: name.as_str(),
            member: Member::Parameter,
            declared: Some(decl.head),
            maker: None,
            captured: &captured,
        };
        let bundle = self.arguments(&slots, args, callee, &signature.scope, span);
        let Some(mut bundle) = bundle else {
            return self.without_arguments(signature.ret, span);
        };
        for (value, param) in bundle.values.iter().zip(&decl.params) {
            if let Some(written) = &param.ty
                && param.takes() != ast::Takes::Rest
            {
                self.reject_length(value, written);
            }
        }
        self.check_crossing(fn_idx, &bundle.values);
        let mut receiver = receiver;
        self.receiver_first(&mut receiver, &mut bundle);
        // A body that needs what its bounds promise is not checked for a type that breaks them.
        if self.breaks_bound(bounds.clone()) {
            return self.bad(span);
        }
        self.learn_from_bounds(bounds);
        let ret = self.ret_of(fn_idx, &full, &signature, (first_variable, want), span);
        let ret = self.settle_associated(ret);
        if ret == TyId::ERROR && signature.ret.is_some_and(|written| written != ret) {
            // It names an associated type that the type argument lacks, which the signature for that type reports.
            let known: Rc<[TyId]> = full.iter().map(|&ty| self.resolve(ty)).collect();
            if known.iter().all(|&ty| self.cx.flags(ty) == 0) {
                self.cx.signature(fn_idx, &known);
            }
        }
        let of_tensor = receiver.as_ref().is_some_and(|receiver| {
            let ty = self.receiver_ty(receiver);
            self.is_tensor(ty)
        });
        self.quotients_for_tensor(fn_idx, &signature.scope, (of_tensor, ret), &bundle.values);
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

    fn warn_of_deprecated(&mut self, fn_idx: FnIdx, name: Symbol, span: Span) {
        if let Some(message) = self.cx.decls()[fn_idx].deprecated.clone() {
            let text = format!("`{name}` is deprecated");
            let mut d = Diagnostic::warning(codes::DEPRECATED, span, text);
            d.help = message;
            self.cx.report(d);
        }
    }

    /// The type arguments of a call: the owner's, those that are written, and unknown ones for the others.
    fn all_type_args(
        &mut self,
        fn_idx: FnIdx,
        owner: &[TyId],
        type_args: &'a [ast::TypeArg],
        span: Span,
    ) -> Vec<TyId> {
        let info = &self.cx.decls()[fn_idx];
        let (decl, count) = (info.decl, info.generics.len());
        let mut full: Vec<TyId> = owner.to_vec();
        if !type_args.is_empty() {
            if type_args.len() != decl.generics.len() {
                let message = format!(
                    "`{}` takes {}, but {}",
                    decl.name.name,
                    crate::counts::counted(decl.generics.len(), "type argument"),
                    crate::counts::given_count(type_args.len())
                );
                self.cx.error(codes::TYPE_ARGS, span, message);
            }
            let scope = self.scopes.types().clone();
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
        while full.len() < count {
            let ty = self.fresh(span, infer::Origin::CallTypeArgs);
            // Literals given for a parameter without a type take that of the one thing that the receiver is made of:
            // `expect(xs).to_equal([])`.
            if let ([item], true) = (owner, full.len() >= written) {
                self.table.hint_last(*item);
            }
            full.push(ty);
        }
        full
    }

    /// A result that is made of type parameters learns from what is expected.
    fn learn_result(&mut self, ret: Option<TyId>, want: Want) {
        if let (Some(ret), Some(hint)) = (ret, self.hint(want)) {
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

    /// A call whose arguments do not fit. One that yields `()` may mean the changed receiver, which is not worth another report.
    fn without_arguments(&mut self, ret: Option<TyId>, span: Span) -> Expr {
        let known = self.resolve(ret.unwrap_or(TyId::ERROR));
        let is_known = self.cx.flags(known) & infer::HAS_INFER == 0 && known != TyId::UNIT;
        Expr {
            ty: if is_known { known } else { TyId::ERROR },
            ..self.bad(span)
        }
    }

    /// The receiver is evaluated before the arguments, also when those need variables.
    fn receiver_first(
        &mut self,
        receiver: &mut Option<method::Receiver>,
        bundle: &mut args::Bundle,
    ) {
        if let Some(method::Receiver::Value(value)) = receiver
            && !bundle.lets.is_empty()
            && !args::is_simple(value)
        {
            let local = self.temp(value.ty, value.span);
            let read = self.read(local, value.span);
            let value = std::mem::replace(value, read);
            bundle.lets.insert(0, (local, value));
        }
    }

    pub(in crate::body) fn call_extern(
        &mut self,
        idx: ExternIdx,
        mut args: Vec<Given<'a>>,
        span: Span,
    ) -> Expr {
        let mut id = self.cx.extern_id(idx);
        let decl = self.cx.decls()[idx].decl;
        let further = self.further_arguments(id, &mut args);
        let info = &self.cx.output()[id];
        let (params, ret) = (info.input_types(), info.call);
        let inputs = decl.params.iter().filter(|param| !param.out);
        let slots: Vec<Slot<'a>> = inputs
            .zip(&params)
            .map(|(param, &ty)| Slot {
                name: param.name.name,
                ty,
                default: None,
                takes: ast::Takes::One,
                named: true,
                by_name: false,
                home: None,
            })
            .collect();
        let scope = self.scopes.types().clone();
        let callee = Callee {
            name: decl.name.name.as_str(),
            member: Member::Parameter,
            declared: Some(decl.name.span),
            maker: None,
            captured: &[],
        };
        let Some(bundle) = self.arguments(&slots, args, callee, &scope, span) else {
            return Expr {
                ty: ret,
                ..self.bad(span)
            };
        };
        let mut values = bundle.values;
        if !further.is_empty() {
            let Some(variant) = self.variadic_call(id, &further) else {
                return Expr {
                    ty: ret,
                    ..self.bad(span)
                };
            };
            id = variant;
            values.extend(further);
        }
        self.no_nul(id, &values);
        let call = match self.cx.may_write(idx) {
            true => self.lending_call(id, values, ret, span),
            false => self.mk(ExprKind::CallExtern(id, values), ret, span),
        };
        self.with_lets(bundle.lets, call)
    }

    /// Reports constant texts for `cstr` that contain a NUL.
    fn no_nul(&mut self, id: ExternId, values: &[Expr]) {
        let params = &self.cx.output()[id].params;
        let passed = params.iter().filter(|param| !param.foreign.out);
        let mut wrong = Vec::new();
        for (param, value) in passed.zip(values) {
            let value = match &value.kind {
                ExprKind::Some(inner) => inner,
                _ => value,
            };
            if let (Foreign::CText { .. }, ExprKind::Text(text)) =
                (&param.foreign.foreign, &value.kind)
                && text.contains('\0')
            {
                wrong.push(value.span);
            }
        }
        for span in wrong {
            let d = Diagnostic::error(
                codes::NUL_IN_CSTR,
                span,
                "this text contains a NUL character, where C would take it to end",
            )
            .help("take the NUL out, or declare the parameter as `text` or `[u8]`, which are passed with their length");
            self.cx.report(d);
        }
    }

    /// A lambda yields nothing where the library says that its result is dropped, as in `fn each<U>(f: fn(T) -> U)` with
    /// `@drops_results`. So a dropped copy of a collection is reported there.
    fn drop_results(&mut self, fn_idx: FnIdx, generics: &[TyId], args: &[Given<'a>]) {
        let info = &self.cx.decls()[fn_idx];
        let decl = info.decl;
        let mut annotations = info.item.annotations.iter();
        if !annotations.any(|annotation| annotation.name.name.as_str() == "drops_results") {
            return;
        }
        for (generic, &ty) in decl.generics.iter().zip(generics) {
            let name = generic.name.name;
            let is_it = |ty: &ast::TypeExpr| match &ty.kind {
                ast::TypeExprKind::Named { path, args } => {
                    args.is_empty() && path.segments.len() == 1 && path.last().name == name
                }
                _ => false,
            };
            let mut written = decl.params.iter().map(|param| param.ty.as_ref());
            let of_function = written.position(|ty| {
                matches!(
                    ty.map(|ty| &ty.kind),
                    Some(ast::TypeExprKind::Fn(_, Some(ret))) if is_it(ret)
                )
            });
            let Some(at) = of_function else {
                continue;
            };
            let lambda = match args.get(at) {
                Some(Given {
                    label: None,
                    spread: false,
                    value: args::GivenValue::Ast(e),
                    ..
                }) => Self::as_lambda(e),
                _ => None,
            };
            let drops = lambda.is_some_and(|lambda| {
                lambda.ret.is_none() && !crate::unit_result::returns_value(&lambda.body)
            });
            if drops && self.is_unknown(ty) {
                self.unify(ty, TyId::UNIT);
            }
        }
    }

    /// `range(n)`, as Python has it, is `range(0, n)`; a warning for each file says so.
    fn range_from_zero(&mut self, fn_idx: FnIdx, args: &mut Vec<Given<'a>>, span: Span) {
        let info = &self.cx.decls()[fn_idx];
        let [only] = &args[..] else { return };
        if info.decl.name.name.as_str() != "range"
            || !matches!(info.owner, Owner::Free)
            || !self.cx.modules()[info.module].library
            || only.label.is_some()
            || only.spread
        {
            return;
        }
        let start = Span {
            hi: only.span.lo,
            ..only.span
        };
        let name = info.decl.name.name;
        if self.cx.reports_mut().is_first_in_file(span.file, name) {
            let message = "`range` of one number is deprecated";
            let d = Diagnostic::warning(simple_syntax::codes::DEPRECATED, span, message)
                .help("write `0..n`, or `range(0, n)`")
                .fix(start, "0, ");
            self.cx.report(d);
        }
        let zero = self.mk(ExprKind::Int(0), TyId::I64, start);
        args.insert(0, Given::typed(zero));
    }
}
