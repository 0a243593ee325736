//! Calls of a lambda or nested function by the name of its variable, which know its parameters: labels, defaults, rest parameters.
//!
//! A default is a separate closure, made where the lambda is, so that it means what was captured there; a call that leaves the
//! argument out calls it with the arguments before. The link from a variable to the parameters ends where the value goes
//! elsewhere: by a type annotation, an assignment, as an argument. There the function type is all there is.

use super::args::{Callee, Given, GivenValue, Member};
use super::convert::Why;
use super::slots::{Slot, SlotDefault};
use super::*;
use crate::mentions;
use crate::typed::{Expr, Stmt};
use simple_syntax::ast::{self, Ident, Takes};

/// A parameter of a function that is called by name.
#[derive(Clone, Copy)]
pub(crate) struct NamedParam<'a> {
    pub(crate) name: Symbol,
    pub(crate) default: Option<SlotDefault<'a>>,
    pub(crate) takes: Takes,
}

impl<'c, 'a> Body<'c, 'a> {
    /// Checks the defaults among these parameters, each as a closure over what it mentions, which `out` binds. The type of a
    /// parameter without a type is that of its default.
    pub(in crate::body) fn default_closures(
        &mut self,
        params: &'a [ast::Param],
        types: &mut [TyId],
        out: &mut Vec<Stmt>,
    ) -> Rc<[NamedParam<'a>]> {
        let mut named: Vec<NamedParam<'a>> = Vec::with_capacity(params.len());
        for (index, param) in params.iter().enumerate() {
            let default = param.default.as_ref().map(|default| {
                let takes_earlier = mentions::any(default, |name| {
                    named.iter().any(|earlier| earlier.name == name)
                });
                let ty = types[index];
                let mark = self.open_frame(FrameKind::Lambda, Some(ty));
                for (earlier, &ty) in params[..index].iter().zip(&*types) {
                    if takes_earlier {
                        let id = self.declare(earlier.name, ty, Origin::Param);
                        self.scopes.frame_mut().params.push(id);
                    }
                }
                let want = self.want_of(ty);
                let value = self.expr(default, want);
                let value = self.coerce(value, ty, Why::Default);
                let closure = self.close_frame(mark, "<default>", value, ty, default.span);
                let home = self.scopes.here();
                let local = self.local("", closure.ty, Origin::Temp, default.span);
                out.push(Stmt {
                    kind: StmtKind::Let(local, closure),
                    span: default.span,
                });
                SlotDefault::Closure {
                    home,
                    local,
                    takes_earlier,
                }
            });
            named.push(NamedParam {
                name: param.name.name,
                default,
                takes: param.takes(),
            });
        }
        named.into()
    }

    /// The parameters of `f // g`, if both functions take an argument of one type: the second is the first again where it is left out.
    pub(in crate::body) fn parallel_params(
        &mut self,
        value: &ast::Expr,
        ty: TyId,
    ) -> Option<Rc<[NamedParam<'a>]>> {
        if !is_parallel(value) {
            return None;
        }
        let Ty::Fn(params, _) = self.kind(ty) else {
            return None;
        };
        let [a, b] = params[..] else { return None };
        // No program can write these names.
        let param = |name, default| NamedParam {
            name: Symbol::intern(name),
            default,
            takes: Takes::One,
        };
        (self.resolve(a) == self.resolve(b))
            .then(|| [param("1", None), param("2", Some(SlotDefault::Earlier(0)))].into())
    }

    /// What to expect of a value of this type: nothing while it is unknown.
    pub(in crate::body) fn want_of(&mut self, ty: TyId) -> Want {
        match self.is_unknown(ty) {
            true => Want::Any,
            false => Want::Ty(ty),
        }
    }

    /// The lambda that an expression is.
    pub(in crate::body) fn as_lambda(e: &'a ast::Expr) -> Option<&'a ast::Lambda> {
        match &e.kind {
            ast::ExprKind::Lambda(lambda) => Some(lambda),
            ast::ExprKind::Paren(inner) => Self::as_lambda(inner),
            _ => None,
        }
    }

    /// The parameters of the function that the variable of this name holds, if they are known.
    pub(in crate::body) fn named_params(&self, name: Symbol) -> Option<Rc<[NamedParam<'a>]>> {
        match self.scopes.bound(name)? {
            Bound::Local(frame, id) => self.scopes.frames()[frame].named.get(&id).cloned(),
            Bound::Def(_) => None,
        }
    }

    /// The same for a module-level variable, whose defaults are evaluated in its module.
    pub(in crate::body) fn named_params_of_global(
        &mut self,
        idx: GlobalIdx,
    ) -> Option<(Rc<[NamedParam<'a>]>, TypeScope)> {
        let group = &self.cx.decls()[self.cx.decls()[idx].group];
        if group.kind == ast::LetKind::Var || group.ty.is_some() || group.globals.len() != 1 {
            return None;
        }
        let (module, value, decorated) = (group.module, group.value, group.decorated);
        let scope = TypeScope {
            module,
            env: self.cx.empty_env(),
            self_ty: None,
        };
        if decorated.is_none()
            && let Some(ty) = self.cx.decls()[idx].ty
            && let Some(named) = self.parallel_params(value?, ty)
        {
            return Some((named, scope));
        }
        let params = match decorated {
            Some(fn_idx) => &self.cx.decls()[fn_idx].decl.params,
            None => &Self::as_lambda(value?)?.params,
        };
        let params = params.iter().map(|param| NamedParam {
            name: param.name.name,
            default: param.default.as_ref().map(SlotDefault::Written),
            takes: param.takes(),
        });
        Some((params.collect(), scope))
    }

    /// A call of a lambda where it is written: parameters without a type take that of their argument.
    pub(in crate::body) fn call_lambda(
        &mut self,
        lambda: &'a ast::Lambda,
        args: Vec<Given<'a>>,
        lambda_span: Span,
        want: Want,
        span: Span,
    ) -> Expr {
        let plain = args.iter().all(|arg| arg.label.is_none() && !arg.spread);
        if !plain || args.len() > lambda.params.len() {
            let value = self.lambda(lambda, Want::Any, lambda_span);
            return self.call_value(value, args, want, span);
        }
        let scope = self.scopes.types().clone();
        let (mut types, mut typed) = (Vec::new(), Vec::new());
        for (arg, param) in args.into_iter().zip(&lambda.params) {
            let written = param.ty.as_ref().map(|ty| self.cx.resolve_type(ty, &scope));
            let arg =
                match (arg.value, written) {
                    (GivenValue::Ast(e), None) if !super::lambda::is_lambda_like(e) => {
                        let value = self.expr(e, Want::Any);
                        let value = self.unwrap_lenient(value);
                        types.push(value.ty);
                        Given::typed(value)
                    }
                    (value, written) => {
                        types.push(written.unwrap_or_else(|| {
                            self.fresh(param.name.span, infer::Origin::Parameter)
                        }));
                        Given {
                            label: None,
                            spread: false,
                            span: arg.span,
                            value,
                        }
                    }
                };
            typed.push(arg);
        }
        let ret = self.fresh(lambda_span, infer::Origin::FunctionResult);
        let hint = self.intern(Ty::Fn(types, ret));
        let value = self.lambda(lambda, Want::Ty(hint), lambda_span);
        self.call_value(value, typed, want, span)
    }

    /// A call of a function value by the name of its variable.
    pub(in crate::body) fn call_named(
        &mut self,
        callee: Expr,
        name: Ident,
        (named, scope): (Rc<[NamedParam<'a>]>, TypeScope),
        args: Vec<Given<'a>>,
        want: Want,
        span: Span,
    ) -> Expr {
        let Ty::Fn(params, ret) = self.kind(callee.ty) else {
            return self.call_value(callee, args, want, span);
        };
        let slots: Vec<Slot<'a>> = named
            .iter()
            .zip(params)
            .map(|(param, ty)| Slot {
                name: param.name,
                ty,
                default: param.default,
                takes: param.takes,
                named: true,
                by_name: false,
                home: None,
            })
            .collect();
        let shown = Callee {
            name: name.name.as_str(),
            member: Member::Parameter,
            declared: None,
            maker: None,
            captured: &[],
        };
        self.call_slots(callee, ret, (&slots, shown, &scope), args, want, span)
    }
}

/// Whether an expression is `f // g`.
fn is_parallel(e: &ast::Expr) -> bool {
    match &e.kind {
        ast::ExprKind::Binary(ast::BinaryOp::Parallel, ..) => true,
        ast::ExprKind::Paren(inner) => is_parallel(inner),
        _ => false,
    }
}
