//! `with`: values that are entered before a block and left after it, in reverse order. A call that ends in `:` means the same where what it
//! calls takes no block and yields such a value: `autocast("bf16"):` is `with autocast("bf16"):`. Blocks that are functions: `lambda.rs`.

use super::args::{Given, GivenValue, shown_callee};
use super::slots::Slot;
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

    /// A call of `callee` that yields `value`, with a block below that it does not take.
    pub(in crate::body) fn with_value(
        &mut self,
        callee: &str,
        value: Expr,
        block: &'a ast::Block,
        want: Want,
        span: Span,
    ) -> Expr {
        let ty = self.resolve(value.ty);
        if ty != TyId::ERROR && !self.is_entered(ty) {
            let name = self.show(ty);
            let message = format!("{} takes no block", shown_callee(callee));
            let d = Diagnostic::error(codes::ARG_COUNT, span, message)
                .note(format!(
                    "a block is given to the last parameter, if that is a function, or it is entered with what the call yields; \
                     `{name}` has neither `close()` nor `__exit__(exc)`"
                ));
            self.cx.report(d);
            return self.bad(span);
        }
        let mark = self.open();
        let mut stmts = Vec::new();
        self.enter(value, None, &mut stmts);
        self.inside(mark, stmts, block, want, span)
    }

    fn is_entered(&mut self, ty: TyId) -> bool {
        [EXIT, CLOSE]
            .map(Symbol::intern)
            .into_iter()
            .any(|name| self.has_method(ty, name))
    }

    /// Takes the block out of the arguments of a call that has no place for it among its `slots`, if the call yields something that
    /// `with` takes. Where the arguments decide what it yields, that is seen after the call. `open` are the callee's own type
    /// parameters, which the arguments decide; a parameter of such a type takes the block if it needs an argument and has no other.
    pub(in crate::body) fn block_to_enter(
        &mut self,
        args: &mut Vec<Given<'a>>,
        slots: &[Slot<'a>],
        ret: Option<TyId>,
        open: &[TyId],
    ) -> Option<&'a ast::Block> {
        let GivenValue::Block(block) = args.last()?.value else {
            return None;
        };
        let is_open = |this: &Self, ty: TyId| this.is_unknown(ty) || open.contains(&ty);
        let slot = slot_of_block(slots, args);
        let takes_block = slot.is_some_and(|slot| {
            let ty = match self.kind(slot.ty) {
                Ty::Option(item) => item,
                _ => slot.ty,
            };
            match is_open(self, ty) {
                true => slot.default.is_none(),
                false => matches!(self.kind(ty), Ty::Fn(..) | Ty::Error),
            }
        });
        let ret = ret.map(|ret| self.shallow(ret));
        let known = ret.filter(|&ret| !is_open(self, ret));
        // Without a slot the block can only be entered: `with_value` says so where it cannot.
        let is_other = known.is_some_and(|ret| !self.is_entered(ret));
        if takes_block || (slot.is_some() && is_other) {
            return None;
        }
        args.pop();
        Some(block)
    }

    /// The same for a declared function or method.
    pub(in crate::body) fn block_after_call(
        &mut self,
        fn_idx: FnIdx,
        owner: &[TyId],
        args: &mut Vec<Given<'a>>,
    ) -> Option<&'a ast::Block> {
        if !matches!(args.last()?.value, GivenValue::Block(_)) {
            return None;
        }
        let info = &self.cx.decls()[fn_idx];
        let decl = info.decl;
        let own: Vec<Symbol> = info.generics.iter().copied().skip(owner.len()).collect();
        let open = self.cx.opaque_args(&own);
        let key: Rc<[TyId]> = owner.iter().chain(open.iter()).copied().collect();
        let signature = self.cx.signature(fn_idx, &key);
        let slots = Slot::of_params(&decl.params, &signature.params);
        self.block_to_enter(args, &slots, signature.ret, &open)
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
        if self.changes_copy(ty, [enter, if exits { exit } else { close }], place) {
            if let Some(name) = name {
                self.declare(name, TyId::ERROR, Origin::Val);
            }
            return;
        }
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

    /// Whether one of these methods changes a value that is not an instance of a class, which is reported: `with` holds a copy.
    fn changes_copy(&mut self, ty: TyId, methods: [Symbol; 2], place: Span) -> bool {
        let held = match self.kind(ty) {
            Ty::Adt(adt) => self.cx.types().adts[adt.0 as usize].kind != AdtKind::Class,
            _ => false,
        };
        for name in methods {
            if held
                && let Some((fn_idx, _)) = self.cx.find_method(ty, name)
                && self.cx.decls()[fn_idx].decl.kind == ast::FnKind::Me
            {
                let own = self.show(ty);
                let message =
                    format!("`{name}` changes its receiver, but `with` holds a copy of the value");
                let d = Diagnostic::error(codes::IMMUTABLE, place, message)
                    .related(self.cx.decls()[fn_idx].decl.head, "declared here")
                    .help(format!("make `{own}` a class, or `{name}` a plain `fn`"));
                self.cx.report(d);
                return true;
            }
        }
        false
    }
}

/// The slot that the block of a call goes to if it is an argument, by the rules of `match_slots`: the last one, or where that is given
/// already, the next one that is not.
fn slot_of_block<'s, 'a>(slots: &'s [Slot<'a>], given: &[Given<'a>]) -> Option<&'s Slot<'a>> {
    let mut filled = vec![false; slots.len()];
    let mut next = 0;
    let next_free = |filled: &[bool], mut next: usize| {
        while next < slots.len() && !slots[next].is_variadic() && filled[next] {
            next += 1;
        }
        next
    };
    for arg in given {
        let place = match (arg.label, &arg.value) {
            (Some(label), _) => slots.iter().position(|s| s.named && s.name == label.name),
            (None, GivenValue::Block(_)) => continue,
            (None, _) => {
                next = next_free(&filled, next);
                Some(next).filter(|&at| slots.get(at).is_some_and(|slot| !slot.is_variadic()))
            }
        };
        if let Some(place) = place {
            filled[place] = true;
        }
    }
    let last = slots.iter().rposition(|slot| !slot.is_variadic());
    let place = last
        .filter(|&last| !filled[last])
        .unwrap_or_else(|| next_free(&filled, next));
    slots.get(place)
}
