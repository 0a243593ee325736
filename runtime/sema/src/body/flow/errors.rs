//! `throw`, `try`, and what is deferred: code that runs when a block is left (`doc/language/errors_and_cleanup.md`).

use super::presence::Ends;
use super::*;
use crate::codes;
use crate::modules::Exported;
use crate::typed::{Expr, Stmt};
use simple_syntax::Diagnostic;
use simple_syntax::ast::{self, Ident};

/// The module of the library that says what `catch e` binds.
const ERROR_MODULE: &[&str] = &["std", "core", "error"];

/// The struct in it; its fields are the message, the line and the file.
const ERROR_TYPE: &str = "Error";

impl<'c, 'a> Body<'c, 'a> {
    /// `throw e`: the printed form of `e` as a runtime error.
    pub(crate) fn throw(&mut self, value: &'a ast::Expr, span: Span) -> Expr {
        if let ast::ExprKind::Call(call) = &value.kind
            && let ast::ExprKind::Name(name) = &call.callee.kind
            && name.name.as_str() == ERROR_TYPE
            && let [arg] = &call.args[..]
            && arg.label.is_none()
            && let Some((error, _)) = self.error_type()
            && let Some(Def::Type(decl)) = self
                .cx
                .lookup_visible(self.scopes.types().module, name.name)
            && self.cx.decl_of(error) == decl
        {
            let message = "`throw` makes the `Error` itself, from what its message is";
            let text = format!("throw {}", self.cx.input().text(arg.value.span));
            let d = Diagnostic::error(codes::MISSING_FIELD, value.span, message)
                .help(format!("write `{text}`"))
                .fix(span, text);
            self.cx.report(d);
            return self.mk(ExprKind::Unit, TyId::NEVER, span);
        }
        let value = self.expr(value, Want::Any);
        let Some(message) = self.printed_value(value) else {
            return self.mk(ExprKind::Unit, TyId::NEVER, span);
        };
        let kind = ExprKind::Intrinsic(Intrinsic::Panic, vec![message]);
        self.mk(kind, TyId::NEVER, span)
    }

    /// `try: ... catch e: ... finally: ...`. As the value of a block, the value of what ran.
    pub(crate) fn try_block(
        &mut self,
        body: &'a ast::Block,
        catch: Option<&'a (Option<Ident>, ast::Block)>,
        finally: Option<&'a ast::Block>,
        want: Want,
        span: Span,
    ) -> Expr {
        let value = match catch {
            Some((name, handler)) => self.try_catch(body, *name, handler, want, span),
            None => self.block(body, want),
        };
        let Some(finally) = finally else {
            return value;
        };
        let ty = value.ty;
        let last = Stmt {
            kind: StmtKind::Defer(self.deferred(finally)),
            span: finally.span,
        };
        self.mk(ExprKind::Block(vec![last], Some(Box::new(value))), ty, span)
    }

    fn try_catch(
        &mut self,
        body: &'a ast::Block,
        name: Option<Ident>,
        handler: &'a ast::Block,
        want: Want,
        span: Span,
    ) -> Expr {
        self.forget_assigned(None, body);
        let around = self.scopes.present().clone();
        let mut ends = Ends::default();
        let first = self.within(Context::in_try, |this| this.block(body, want));
        let end = std::mem::replace(self.scopes.present_mut(), around);
        ends.add(end, first.ty == TyId::NEVER);
        let mark = self.open();
        let error = CaughtError {
            message: self.temp(TyId::TEXT, span),
            line: self.temp(TyId::I64, span),
            file: self.temp(TyId::TEXT, span),
        };
        let bound = name.map(|name| self.bind_error(name, error));
        let hint = self.branch_want(want, &[first.ty]);
        let second = self.block(handler, hint);
        self.close(mark);
        let end = std::mem::take(self.scopes.present_mut());
        ends.add(end, second.ty == TyId::NEVER);
        *self.scopes.present_mut() = ends.meet();
        let never = first.ty == TyId::NEVER && second.ty == TyId::NEVER;
        let (mut values, ty) = self.join(vec![first, second], want, true);
        let (Some(second), Some(first)) = (values.pop(), values.pop()) else {
            return self.bad(span);
        };
        let handler = match bound {
            Some(bound) => {
                let (ty, at) = (second.ty, second.span);
                self.mk(ExprKind::Block(vec![bound], Some(Box::new(second))), ty, at)
            }
            None => second,
        };
        let kind = ExprKind::TryCatch {
            body: Box::new(first),
            error,
            handler: Box::new(handler),
        };
        self.mk(kind, if never { TyId::NEVER } else { ty }, span)
    }

    /// The variable of `catch e`.
    fn bind_error(&mut self, name: Ident, error: CaughtError) -> Stmt {
        if name.name.as_str().starts_with(char::is_uppercase) {
            let d = Diagnostic::warning(
                codes::CATCHES_ALL,
                name.span,
                format!(
                    "this catches every error; `{}` is only the name that it gets",
                    name.name
                ),
            )
            .note("errors have no types; return a `Result` for expected failures")
            .help("write `catch e:` and look at `e.message`");
            self.cx.report(d);
        }
        let parts = [error.message, error.line, error.file].map(|id| self.read(id, name.span));
        let value = match self.error_type() {
            Some((adt, ty)) => self.mk(ExprKind::New(adt, parts.into()), ty, name.span),
            None => {
                let d = Diagnostic::error(
                    codes::LOAD_FAILED,
                    name.span,
                    "the library lacks the struct `Error` of `std.core.error`",
                )
                .help("leave out the name after `catch`; if the library was changed, run `simple build`");
                self.cx.report(d);
                self.bad(name.span)
            }
        };
        let local = self.declare(name, value.ty, Origin::Val);
        Stmt {
            kind: StmtKind::Let(local, value),
            span: name.span,
        }
    }

    fn error_type(&mut self) -> Option<(AdtId, TyId)> {
        let module = self.cx.load_library(ERROR_MODULE)?;
        let name = Symbol::intern(ERROR_TYPE);
        let Exported::Found(Def::Type(decl)) = self.cx.exported(module, name, 0) else {
            return None;
        };
        let adt = self.cx.adt_instance(decl, Rc::from([]));
        self.cx.ensure_adt(adt);
        let fields = self.cx.types().adts[adt.0 as usize].fields.iter();
        let fits = fields
            .map(|field| field.ty)
            .eq([TyId::TEXT, TyId::I64, TyId::TEXT]);
        fits.then(|| (adt, self.intern(Ty::Adt(adt))))
    }

    /// Code that runs when the block around it is left. It cannot itself leave the block by a jump.
    pub(crate) fn deferred(&mut self, block: &'a ast::Block) -> Expr {
        let loops = std::mem::take(&mut self.scopes.frame_mut().loops);
        let outside = std::mem::replace(&mut self.scopes.frame_mut().deferring, true);
        let value = self.block(block, Want::Discard);
        self.scopes.frame_mut().deferring = outside;
        self.scopes.frame_mut().loops = loops;
        value
    }

    /// Reports a `return` or `?` in code that runs when a block is left.
    pub(crate) fn check_may_leave(&mut self, what: &str, span: Span) -> bool {
        if !self.scopes.frame_mut().deferring {
            return true;
        }
        let d = Diagnostic::error(
            codes::LEAVES_DEFER,
            span,
            format!("{what} is not allowed in code that runs when a block is left"),
        )
        .note("`defer` and `finally` run while the block is already being left")
        .help("move it out of the `defer` or `finally`");
        self.cx.report(d);
        false
    }
}
