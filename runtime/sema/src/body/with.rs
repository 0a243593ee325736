//! `with`: values that are entered before a block and left after it, in reverse order. A call that ends in `:` means the same where what it
//! calls takes no block and yields such a value: `autocast("bf16"):` is `with autocast("bf16"):`. Blocks that are functions: `lambda.rs`.

use super::args::{Given, GivenValue};
use super::*;
use crate::codes;
use crate::typed::{Expr, Stmt};
use simple_syntax::Diagnostic;
use simple_syntax::ast::{self, Ident};

/// What `with` calls before the block, and after it the first of the other two that a value has.
const ENTER: &str = "__enter__";
const EXIT: &str = "__exit__";
const CLOSE: &str = "close";

impl<'c, 'a> Body<'c, 'a> {
    /// `with e as x: body`: values are bound, and closed in reverse order by `defer`s.
    pub(crate) fn with_expr(
        &mut self,
        bindings: &'a [ast::WithBinding],
        body: &'a ast::Block,
        want: Want,
        span: Span,
    ) -> Expr {
        let mark = self.open();
        let mut stmts = Vec::new();
        for binding in bindings {
            let value = self.expr(&binding.value, Want::Any);
            self.enter(value, binding.name, &mut stmts);
        }
        self.inside(mark, stmts, body, want, span)
    }

    /// A call of something that yields `value` with a block below that it does not take.
    pub(super) fn with_value(
        &mut self,
        value: Expr,
        body: &'a ast::Block,
        want: Want,
        span: Span,
    ) -> Expr {
        let mark = self.open();
        let mut stmts = Vec::new();
        self.enter(value, None, &mut stmts);
        self.inside(mark, stmts, body, want, span)
    }

    /// Takes the block out of the arguments of a call whose callee has no place for it, since its `last` parameter is not a function, and
    /// yields something that `with` takes.
    pub(super) fn block_to_enter(
        &mut self,
        args: &mut Vec<Given<'a>>,
        last: Option<TyId>,
        ret: TyId,
    ) -> Option<&'a ast::Block> {
        let GivenValue::Block(block) = args.last()?.value else {
            return None;
        };
        let takes_block = last.is_some_and(|last| {
            let last = match self.kind(last) {
                Ty::Option(item) => item,
                _ => last,
            };
            self.is_unknown(last) || matches!(self.kind(last), Ty::Fn(..) | Ty::Error)
        });
        let ret = self.shallow(ret);
        let is_entered = [EXIT, CLOSE]
            .map(Symbol::intern)
            .into_iter()
            .any(|name| self.has_method(ret, name));
        if takes_block || !is_entered {
            return None;
        }
        args.pop();
        Some(block)
    }

    /// The same for a function or method without type parameters of its own.
    pub(super) fn block_after_call(
        &mut self,
        fn_idx: FnIdx,
        owner: &[TyId],
        args: &mut Vec<Given<'a>>,
    ) -> Option<&'a ast::Block> {
        let is_plain = self.cx.fns[fn_idx.at()].generics.len() == owner.len();
        if !is_plain || !matches!(args.last()?.value, GivenValue::Block(_)) {
            return None;
        }
        let signature = self.cx.signature(fn_idx, &owner.into());
        self.block_to_enter(args, signature.params.last().copied(), signature.ret?)
    }

    fn inside(
        &mut self,
        mark: usize,
        stmts: Vec<Stmt>,
        body: &'a ast::Block,
        want: Want,
        span: Span,
    ) -> Expr {
        let value = self.block(body, want);
        self.close(mark);
        let ty = value.ty;
        self.mk(ExprKind::Block(stmts, Some(Box::new(value))), ty, span)
    }

    /// Statements that keep a value, enter it, and leave it at the end of the scope.
    fn enter(&mut self, value: Expr, name: Option<Ident>, stmts: &mut Vec<Stmt>) {
        let value = self.unwrap_lenient(value);
        let place = value.span;
        let ty = self.resolve(value.ty);
        if ty == TyId::ERROR {
            if let Some(name) = name {
                self.declare(name, TyId::ERROR, Origin::Val);
            }
            return;
        }
        let holder = self.temp(ty, place);
        stmts.push(Stmt {
            kind: StmtKind::Let(holder, value),
            span: place,
        });
        let read = self.read(holder, place);
        let promised = self.promised(&[ENTER, EXIT, CLOSE], place);
        let [enter, exit, close] = [ENTER, EXIT, CLOSE].map(Symbol::intern);
        let mut has = |name: Symbol| match promised {
            true => self.promise(name, place).is_some(),
            false => self.has_method(ty, name),
        };
        let (enters, exits, closes) = (has(enter), has(exit), has(close));
        let entered = if enters {
            self.method_values(read, enter, Vec::new(), place)
                .unwrap_or_else(|| self.bad(place))
        } else {
            read
        };
        let kind = match name {
            Some(name) => {
                let local = self.declare(name, entered.ty, Origin::Val);
                StmtKind::Let(local, entered)
            }
            None => StmtKind::Expr(entered),
        };
        stmts.push(Stmt { kind, span: place });
        let read = self.read(holder, place);
        let leave = if exits {
            let text = self.intern(Ty::Option(TyId::TEXT));
            let passing = ExprKind::Intrinsic(Intrinsic::PassingError, Vec::new());
            let passing = self.mk(passing, text, place);
            self.method_values(read, exit, vec![passing], place)
        } else if closes || matches!(self.ty(ty), Ty::Trait(_)) {
            self.method_values(read, close, Vec::new(), place)
        } else {
            let name = self.show(ty);
            let d = Diagnostic::error(
                codes::UNKNOWN_METHOD,
                place,
                format!(
                    "`{name}` cannot be used in `with`: it has neither `close()` nor `__exit__(exc)`"
                ),
            );
            self.cx.report(d);
            None
        };
        if let Some(leave) = leave {
            let leave = self.discarded(leave);
            stmts.push(Stmt {
                kind: StmtKind::Defer(leave),
                span: place,
            });
        }
    }
}
