//! Generators: functions whose body has a `yield`.
//!
//! ```text
//! fn count(n: i64):                  fn count(n: i64) -> Generator<i64>:
//!     for i in 0..n: yield i             Generator(<the body as a function () -> i64?>)
//! ```
//!
//! The body becomes a function of its own that captures the parameters ([`Func::is_generator`]). Each call of it runs
//! to the next `yield`, whose value it returns, and continues there when it is called again; at the end it returns
//! `nil`. `middle/lower/generator.rs` makes the object that keeps its place and its variables. `Generator` is a class
//! of the library (`lib/std/core/generator.spl`) with methods that are generators themselves.
//!
//! Leaves out lambdas and colon blocks with `yield`, methods that change a value type, and values that go into a
//! generator from outside.

use super::convert::Why;
use super::*;
use crate::codes;
use crate::modules::Exported;
use crate::typed::{Expr, Func, Stmt};
use simple_syntax::Diagnostic;
use simple_syntax::ast;

/// The module of the library that declares what a generator is.
const MODULE: &[&str] = &["std", "core", "generator"];

/// The class in it.
const CLASS: &str = "Generator";

impl<'c, 'a> Body<'c, 'a> {
    /// The declaration of `Generator`.
    fn generator_class(&mut self) -> Option<DeclIdx> {
        let module = self.cx.load_library(MODULE)?;
        match self.cx.exported(module, Symbol::intern(CLASS), 0) {
            Exported::Found(Def::Type(decl)) => Some(decl),
            _ => None,
        }
    }

    fn generator_of(&mut self, item: TyId) -> TyId {
        match self.generator_class() {
            Some(decl) => {
                let adt = self.cx.adt_instance(decl, Rc::from([item]));
                self.intern(Ty::Adt(adt))
            }
            None => TyId::ERROR,
        }
    }

    /// What a call of a function returns, as far as that is known, and what its body does; `changes` says that the
    /// function is a `me` method of a value type.
    pub(in crate::body) fn results(
        &mut self,
        ret: Option<TyId>,
        decl: &ast::FnDecl,
        changes: bool,
    ) -> (Option<TyId>, Option<TyId>) {
        if !decl.is_generator {
            return (ret, ret);
        }
        let returned = match self.cx.check_generator(decl, changes) {
            true => self.begin_generator(ret, decl),
            false => {
                let frame = self.scopes.frame_mut();
                (frame.ret, frame.generates) = (Some(TyId::UNIT), Some(TyId::ERROR));
                Some(TyId::ERROR)
            }
        };
        (returned, Some(TyId::UNIT))
    }

    /// Makes the innermost frame that of a generator; `ret` is its result type as far as it is written. Yields the
    /// type of what a call returns, or nothing where an error was reported.
    fn begin_generator(&mut self, ret: Option<TyId>, decl: &ast::FnDecl) -> Option<TyId> {
        let Some(class) = self.generator_class() else {
            let d = Diagnostic::error(
                codes::LOAD_FAILED,
                decl.head,
                "the library lacks the class `Generator` of `std.core.generator`",
            )
            .help("if the library was changed, run `simple build`");
            self.cx.report(d);
            return None;
        };
        let item = match ret.map(|ret| self.kind(ret)) {
            None => self.fresh(decl.head, infer::Origin::LambdaResult),
            Some(Ty::Error) => TyId::ERROR,
            Some(Ty::Adt(adt)) if self.cx.decl_of(adt) == class => {
                self.cx.types().adts[adt.0 as usize].args[0]
            }
            Some(_) => {
                let span = decl.ret.as_ref().map_or(decl.head, |ret| ret.span);
                let found = ret.map_or(String::new(), |ret| self.show(ret));
                let d = Diagnostic::error(
                    codes::BAD_YIELD,
                    span,
                    "a function with `yield` returns a generator",
                )
                .found_expected(&found, format!("Generator<{found}>"))
                .help(format!(
                    "write `-> Generator<T>` with the type of one value, such as `-> Generator<{found}>`, or leave it out"
                ));
                self.cx.report(d);
                TyId::ERROR
            }
        };
        let frame = self.scopes.frame_mut();
        (frame.ret, frame.generates) = (Some(TyId::UNIT), Some(item));
        Some(self.generator_of(item))
    }

    /// Turns the function whose body was checked in a frame of a generator into one that makes the generator.
    pub(in crate::body) fn make_generator(&mut self, func: &mut Func, item: TyId, name: String) {
        let span = func.span;
        let option = self.intern(Ty::Option(item));
        let (Some(value), Ty::Adt(adt)) = (func.body.take(), self.kind(func.ret)) else {
            func.body = Some(self.bad(span));
            return;
        };
        let mut locals = std::mem::take(&mut func.locals);
        let (mut captures, mut outside, mut stmts) = (Vec::new(), Vec::new(), Vec::new());
        let given = func.captures.iter().chain(&func.params);
        for (at, &id) in given.enumerate() {
            let info = &locals[id.0 as usize];
            let plain = Local {
                mutable: false,
                cell: false,
                ..info.clone()
            };
            outside.push(plain.clone());
            debug_assert_eq!(outside.len(), at + 1);
            if !info.mutable && !info.cell {
                captures.push(id);
                continue;
            }
            // What the body assigns is its own variable.
            let ty = info.ty;
            let copy = LocalId(locals.len() as u32);
            locals.push(plain);
            captures.push(copy);
            let value = self.mk(ExprKind::Local(copy), ty, span);
            stmts.push(Stmt {
                kind: StmtKind::Let(id, value),
                span,
            });
        }
        stmts.push(expr::simple_stmt(value, span));
        let end = self.mk(ExprKind::Nil, option, span);
        let body = self.mk(ExprKind::Block(stmts, Some(Box::new(end))), option, span);
        let step = Func {
            name,
            locals,
            params: Vec::new(),
            captures,
            inout_self: false,
            ret: option,
            body: Some(body),
            span,
            inline: false,
            is_generator: true,
        };
        let step = self.pend(Pending::Lambda(Box::new(step)));
        let ids: Vec<LocalId> = (0..outside.len() as u32).map(LocalId).collect();
        let own = func.captures.len();
        func.locals = outside;
        func.captures = ids[..own].to_vec();
        func.params = ids[own..].to_vec();
        let ty = self.intern(Ty::Fn(Vec::new(), option));
        let step = self.mk(ExprKind::Closure(step, ids), ty, span);
        func.body = Some(self.mk(ExprKind::New(adt, vec![step]), func.ret, span));
    }

    /// `yield e`.
    pub(in crate::body) fn yield_statement(&mut self, value: &'a ast::Expr, span: Span) -> Expr {
        let frame = self.scopes.frame();
        let (kind, deferring, generates) = (frame.kind, frame.deferring, frame.generates);
        let item = match generates {
            Some(item) if !deferring => item,
            _ => {
                let (message, help) = match kind {
                    _ if deferring => (
                        "`yield` in code that runs when a block is left",
                        "yield before the block ends; `defer` and `finally` run once, also where a generator is dropped",
                    ),
                    FrameKind::ColonBlock => (
                        "`yield` in a block that is passed to a call",
                        "the block is a function of its own: write a `for` or `while` loop instead",
                    ),
                    FrameKind::Init => (
                        "`yield` outside a function",
                        "put it into a function, whose calls are generators then",
                    ),
                    _ => (
                        "`yield` in a lambda",
                        "write a function with a name: `fn f(...):` with the `yield` in its body",
                    ),
                };
                let d = Diagnostic::error(codes::BAD_YIELD, span, message);
                self.cx.report(d.help(help));
                self.expr(value, Want::Any);
                return self.bad(span);
            }
        };
        let want = match self.is_unknown(item) {
            true => Want::Any,
            false => Want::Ty(item),
        };
        let value = self.expr(value, want);
        let value = match self.is_unknown(item) {
            true => self.unwrap_lenient(value),
            false => value,
        };
        let value = self.coerce(value, item, Why::Yield);
        if self.shallow(value.ty) == TyId::ERROR {
            return self.bad(span);
        }
        let option = self.intern(Ty::Option(item));
        let some = self.mk(ExprKind::Some(Box::new(value)), option, span);
        let kind = ExprKind::Intrinsic(Intrinsic::Yield, vec![some]);
        self.mk(kind, TyId::UNIT, span)
    }

    /// `return` in a generator, which ends it.
    pub(in crate::body) fn end_generator(
        &mut self,
        value: Option<&'a ast::Expr>,
        item: TyId,
        span: Span,
    ) -> Expr {
        if let Some(value) = value {
            let d = Diagnostic::error(
                codes::BAD_YIELD,
                value.span,
                "`return` in a generator has no value",
            )
            .help("yield the value before: `yield x`, then `return`");
            self.cx.report(d);
            self.expr(value, Want::Any);
        }
        let option = self.intern(Ty::Option(item));
        let end = self.mk(ExprKind::Nil, option, span);
        self.mk(ExprKind::Return(Some(Box::new(end))), TyId::NEVER, span)
    }
}

impl<'a> Checker<'a> {
    /// Reports a function with `yield` that cannot be a generator.
    fn check_generator(&mut self, decl: &ast::FnDecl, changes: bool) -> bool {
        let (message, help) = if decl.name.name.as_str() == "main" {
            (
                "`main` cannot be a generator",
                "move the `yield` to a function that `main` goes over with `for`",
            )
        } else if changes {
            (
                "a `me` method of a struct or enum cannot be a generator",
                "it changes its place when it returns, and a generator runs later: make it a `fn`, or the type a class",
            )
        } else if decl.exported {
            (
                "a function that C calls cannot be a generator",
                "go over the generator in the function, and return what C can take",
            )
        } else {
            return true;
        };
        let d = Diagnostic::error(codes::BAD_YIELD, decl.head, message);
        self.report(d.help(help));
        false
    }
}
