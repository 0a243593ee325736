//! Functions in variables that leave out types which their bodies need: `val f = \x: x.len()`, `val g = &:len`.
//!
//! The first call or other use in the function determines the parameters; the body is checked then, with the names that were in
//! scope where it is written, and takes its place in the tree at the end of the block. A lambda whose body is enough is never
//! kept waiting. Next: `lambda.rs`, which makes the functions.

use super::*;
use crate::codes;
use crate::mentions::{self, Mention};
use crate::typed::{Expr, Stmt};
use simple_syntax::Diagnostic;
use simple_syntax::ast::{self, Ident};

/// A function that waits for the types of its parameters.
#[derive(Clone)]
pub(crate) struct Waiting<'a> {
    /// Taken when it is checked.
    what: Option<Unchecked<'a>>,
    /// The closure that it became.
    value: Option<Expr>,
    span: Span,
    /// Where it is written.
    spot: Spot,
    params: Vec<TyId>,
    ret: TyId,
}

#[derive(Clone, Copy)]
pub(in crate::body) enum Unchecked<'a> {
    Lambda(&'a ast::Lambda),
    /// `&:name`.
    Method(Ident),
}

impl<'c, 'a> Body<'c, 'a> {
    /// The value of a variable that is a lambda with parameters of unknown types: checked at once if its body determines them.
    pub(in crate::body) fn lambda_or_waiting(
        &mut self,
        lambda: &'a ast::Lambda,
        types: &[TyId],
        ret: Option<TyId>,
        span: Span,
    ) -> Expr {
        let checked = self.attempt(|body| {
            let mark = body.cx.reports().mark();
            let value = body.lambda_of(lambda, types, (types.len(), None), ret, span);
            // A mistake may be one of what is not known yet, such as `x?.name`.
            let known = !types.iter().any(|&ty| body.is_unknown(ty));
            let reports = body.cx.reports();
            let enough = reports.determined_since(mark) && (known || reports.sound_since(mark));
            enough.then_some(value)
        });
        if let Some(value) = checked {
            return value;
        }
        let ret = match ret {
            Some(ret) => ret,
            None => self.fresh(span, infer::Origin::LambdaResult),
        };
        self.wait(Unchecked::Lambda(lambda), types.to_vec(), ret, span)
    }

    /// The value of a variable that is `&:name`.
    pub(in crate::body) fn waiting_method(&mut self, name: Ident, span: Span) -> Expr {
        let param = self.fresh(span, infer::Origin::Receiver);
        let ret = self.fresh(span, infer::Origin::MethodResult);
        self.wait(Unchecked::Method(name), vec![param], ret, span)
    }

    /// In the place of a function until its parameters are known.
    fn wait(&mut self, what: Unchecked<'a>, params: Vec<TyId>, ret: TyId, span: Span) -> Expr {
        let ty = self.intern(Ty::Fn(params.clone(), ret));
        self.duties.wait(Waiting {
            what: Some(what),
            value: None,
            span,
            spot: self.scopes.spot(),
            params,
            ret,
        });
        self.mk(ExprKind::Unit, ty, span)
    }

    /// The variables of this frame that the function which began to wait last will capture, as far as its words tell.
    pub(in crate::body) fn captured_by_waiting(&self, value: &Expr) -> Vec<LocalId> {
        let here = self.scopes.here();
        let lambda = match self.duties.waiting().last() {
            Some(waiting) if waiting.span == value.span => match waiting.what {
                Some(Unchecked::Lambda(lambda)) => lambda,
                _ => return Vec::new(),
            },
            _ => return Vec::new(),
        };
        let mut used = Vec::new();
        let mut bound: Vec<Symbol> = lambda.params.iter().map(|param| param.name.name).collect();
        mentions::block(&lambda.body, &mut |mention| match mention {
            Mention::Name(name) => used.push(name),
            Mention::Bound(name, _) => bound.push(name.name),
            _ => {}
        });
        used.retain(|name| !bound.contains(name));
        let captured = used
            .iter()
            .filter_map(|name| match self.scopes.bound(*name)? {
                Bound::Local(frame, id) if frame == here => Some(id),
                _ => None,
            });
        captured.collect()
    }

    /// Checks the functions whose parameters have become known.
    pub(crate) fn check_ready(&mut self) {
        for index in 0..self.duties.waiting().len() {
            let waiting = &self.duties.waiting()[index];
            let known =
                waiting.what.is_some() && waiting.params.iter().all(|&ty| !self.is_unknown(ty));
            if known {
                self.check_waiting(index);
            }
        }
    }

    /// The end of a block: the functions that have waited since there were `from` of them are put where they are written.
    pub(in crate::body) fn end_waiting(&mut self, from: usize, stmts: &mut [Stmt]) {
        for index in from..self.duties.waiting().len() {
            self.check_waiting(index);
        }
        for waiting in self.duties.take_waiting(from) {
            let place = stmts.iter_mut().find_map(|stmt| match &mut stmt.kind {
                StmtKind::Let(_, value) if value.span == waiting.span => Some(value),
                _ => None,
            });
            if let (Some(place), Some(value)) = (place, waiting.value) {
                *place = value;
            }
        }
    }

    fn check_waiting(&mut self, index: usize) {
        let waiting = self.duties.waiting_mut(index);
        let Some(what) = waiting.what.take() else {
            return;
        };
        let (span, ret, params) = (waiting.span, waiting.ret, waiting.params.clone());
        let spot = waiting.spot.clone();
        let value = self.at_spot(&spot, |body| body.check_unchecked(what, &params, ret, span));
        self.duties.waiting_mut(index).value = Some(value);
    }

    fn check_unchecked(
        &mut self,
        what: Unchecked<'a>,
        params: &[TyId],
        ret: TyId,
        span: Span,
    ) -> Expr {
        match what {
            Unchecked::Lambda(lambda) => {
                self.lambda_of(lambda, params, (params.len(), None), Some(ret), span)
            }
            Unchecked::Method(_) if self.is_unknown(params[0]) => {
                let d = Diagnostic::error(
                    codes::UNDETERMINED,
                    span,
                    "nothing determines what this method reference is called on",
                )
                .help("write the type of the variable, `val f: fn(T) -> U = ...`");
                self.cx.report(d);
                self.bad(span)
            }
            Unchecked::Method(name) => self.referred_method(name, params, ret, span),
        }
    }
}
