//! `for` over everything that can be iterated, loop bodies, `break` and `continue`.

use super::convert::Why;
use super::pattern::simple_name;
use super::*;
use crate::asked::annotation_text;
use crate::codes;
use crate::typed::{Cut, Expr, Pattern, Stmt};
use simple_syntax::Diagnostic;
use simple_syntax::ast;

impl<'c, 'a> Body<'c, 'a> {
    pub(in crate::body) fn loop_body(&mut self, body: &'a ast::Block) -> (Expr, bool) {
        self.scopes.frame_mut().loops.push(false);
        let span = body.span;
        let around = self.scopes.present().clone();
        let body = self.block(body, Want::Discard);
        *self.scopes.present_mut() = around;
        self.end_of_loop(span);
        let has_break = self.scopes.frame_mut().loops.pop().unwrap_or(false);
        (body, has_break)
    }

    pub(crate) fn jump(&mut self, is_break: bool, span: Span) -> Expr {
        let word = if is_break { "break" } else { "continue" };
        match self.scopes.frame_mut().loops.last_mut() {
            Some(seen) => *seen |= is_break,
            None => {
                let message = format!("`{word}` outside a loop");
                let mut d = Diagnostic::error(codes::OUTSIDE_LOOP, span, message);
                let deferring = self.scopes.frame_mut().deferring;
                let in_loop = match self.scopes.frames().len().checked_sub(2) {
                    Some(outer) => !self.scopes.frames()[outer].loops.is_empty(),
                    None => false,
                };
                if deferring {
                    d = d.note("`defer` and `finally` run while a block is being left; they cannot leave it themselves");
                } else if in_loop {
                    d = d.note("the loop is outside of this block, which is a separate function; `return` leaves the block");
                }
                self.cx.report(d);
                return self.mk(ExprKind::Unit, TyId::NEVER, span);
            }
        }
        self.mk(
            if is_break {
                ExprKind::Break
            } else {
                ExprKind::Continue
            },
            TyId::NEVER,
            span,
        )
    }

    pub(in crate::body) fn for_statement(
        &mut self,
        pattern: &'a ast::Pattern,
        iterable: &'a ast::Expr,
        body: &'a ast::Block,
        span: Span,
    ) -> StmtKind {
        let mark = self.open();
        self.forget_assigned(None, body);
        let kind = self.for_loop(pattern, iterable, span, &mut |this| this.loop_body(body).0);
        self.close(mark);
        kind
    }

    /// A `for` over anything iterable around a body; the caller opens and closes the scope.
    pub(crate) fn for_loop(
        &mut self,
        pattern: &'a ast::Pattern,
        iterable: &'a ast::Expr,
        span: Span,
        body: &mut dyn FnMut(&mut Self) -> Expr,
    ) -> StmtKind {
        let range = match &iterable.kind {
            ast::ExprKind::Range(lo, hi, inclusive) => Some((lo, hi, *inclusive)),
            ast::ExprKind::Paren(inner) => match &inner.kind {
                ast::ExprKind::Range(lo, hi, inclusive) => Some((lo, hi, *inclusive)),
                _ => None,
            },
            _ => None,
        };
        let named = simple_name(pattern);
        let blank = matches!(pattern.kind, ast::PatternKind::Wildcard);
        if let Some((lo, hi, inclusive)) = range
            && (named.is_some() || blank)
        {
            let lo = self.range_bound(lo);
            let hi = self.range_bound(hi);
            self.warn_reversed(&lo, &hi, inclusive, iterable.span);
            let var = match named {
                Some(name) => self.declare(name, TyId::I64, Origin::Loop),
                None => self.temp(TyId::I64, pattern.span),
            };
            let body = body(self);
            return StmtKind::ForRange {
                var,
                lo,
                hi,
                inclusive,
                body,
            };
        }
        let value = self.expr(iterable, Want::Any);
        let value = self.unwrap_lenient(value);
        if self.kind(value.ty) == Ty::Error {
            self.pattern_error(pattern);
            let body = body(self);
            return StmtKind::Expr(body);
        }
        let item = match self.promised(&["iter", "next"], value.span) {
            true => None,
            false => self.item_of(value.ty),
        };
        let Some(item) = item else {
            return self.for_object(pattern, value, span, body);
        };
        let pair = matches!(&pattern.kind, ast::PatternKind::Tuple(parts) if parts.len() == 2);
        let place = pattern.span;
        let (pattern, body) = self.loop_turn(pattern, item, body);
        if pair && !matches!(self.kind(item), Ty::Tuple(_)) {
            let help = "pairs of place and element: `for (i, x) in xs.enumerate():`".to_owned();
            self.cx
                .reports_mut()
                .advise(codes::BAD_PATTERN, place, help);
        }
        let (iterable, cut) = self.without_array(value);
        match cut {
            Some(cut) => StmtKind::ForPart {
                pattern,
                text: iterable,
                cut,
                body,
            },
            None => StmtKind::ForEach {
                pattern,
                iterable,
                body,
            },
        }
    }

    /// Warns of a loop such as `for i in 10..0`, which runs no turn.
    fn warn_reversed(&mut self, lo: &Expr, hi: &Expr, inclusive: bool, span: Span) {
        let (&ExprKind::Int(first), &ExprKind::Int(end)) = (&lo.kind, &hi.kind) else {
            return;
        };
        if first <= end {
            return;
        }
        let end = if inclusive {
            end.saturating_sub(1)
        } else {
            end
        };
        let d = Diagnostic::warning(
            codes::EMPTY_LOOP,
            span,
            "this loop never runs: the range ends before it starts",
        )
        .help(format!("to count down, write `range({first}, {end}, -1)`"));
        self.cx.report(d);
    }

    /// The text and its cut instead of a call that makes an array of its parts. Texts never change, so the program sees no
    /// difference.
    fn without_array(&self, mut iterable: Expr) -> (Expr, Option<Cut>) {
        let parts = self.iterates(&iterable);
        let (Some(parts), ExprKind::Call(_, args)) = (parts, &mut iterable.kind) else {
            return (iterable, None);
        };
        let cut = match (parts.as_str(), args.len()) {
            ("characters", 1) => None,
            ("lines", 1) => Some(Cut::Lines),
            ("parts", 2) => match &mut args[1].kind {
                ExprKind::Nil => Some(Cut::Words),
                ExprKind::Some(separator) => Some(Cut::Separator((**separator).clone())),
                // Whether there is a separator shows only when the program runs.
                _ => return (iterable, None),
            },
            _ => return (iterable, None),
        };
        (args.swap_remove(0), cut)
    }

    /// What a call yields the parts of its receiver as: the words of the annotation `@iterates` on a method of the library, which are `lines`,
    /// `parts` (the argument separates them) or `characters`.
    fn iterates(&self, call: &Expr) -> Option<String> {
        let ExprKind::Call(func, _) = &call.kind else {
            return None;
        };
        let info = self.called(*func)?;
        if !self.cx.modules()[info.module].library {
            return None;
        }
        annotation_text(info.item, "iterates")
    }

    /// What a loop over a built-in type yields each turn.
    fn item_of(&mut self, ty: TyId) -> Option<TyId> {
        Some(match self.kind(ty) {
            Ty::Array(item) | Ty::Set(item) => item,
            Ty::Text => TyId::TEXT,
            Ty::Range => TyId::I64,
            Ty::Dict(key, value) => self.intern(Ty::Tuple(vec![(None, key), (None, value)])),
            _ => return None,
        })
    }

    /// The pattern and body of one turn. An array pattern becomes a variable, whose length the body checks first.
    fn loop_turn(
        &mut self,
        pattern: &'a ast::Pattern,
        item: TyId,
        body: &mut dyn FnMut(&mut Self) -> Expr,
    ) -> (Pattern, Expr) {
        let span = pattern.span;
        let pattern = self.irrefutable_loop(pattern, item);
        if !matches!(pattern, Pattern::Array { .. }) {
            let body = body(self);
            return (pattern, body);
        }
        let element = self.temp(item, span);
        let mut checks = Vec::new();
        let read = self.read(element, span);
        let value = self.length_check(&pattern, read, &mut checks);
        checks.push((StmtKind::LetPattern(pattern, value), span));
        let before = checks.into_iter().map(|(kind, span)| Stmt { kind, span });
        let body = body(self);
        let (ty, at) = (body.ty, body.span);
        let turn = ExprKind::Block(before.collect(), Some(Box::new(body)));
        (Pattern::Bind(element), self.mk(turn, ty, at))
    }

    /// `for` over a type with `iter()` or `next()`.
    pub(in crate::body) fn for_object(
        &mut self,
        pattern: &'a ast::Pattern,
        value: Expr,
        span: Span,
        body: &mut dyn FnMut(&mut Self) -> Expr,
    ) -> StmtKind {
        let (iter, next) = (Symbol::intern("iter"), Symbol::intern("next"));
        let place = value.span;
        let ty = self.resolve(value.ty);
        let mut source = value;
        let by_iter = match self.promised(&["iter", "next"], place) {
            true => self.promise(iter, place).is_some(),
            false => self.has_method(ty, iter),
        };
        if by_iter {
            source = match self.method_values(source, iter, Vec::new(), place) {
                Some(called) => called,
                None => return StmtKind::Expr(self.bad(span)),
            };
            if let Some(item) = self.item_of(source.ty) {
                let (pattern, body) = self.loop_turn(pattern, item, body);
                return StmtKind::ForEach {
                    pattern,
                    iterable: source,
                    body,
                };
            }
        }
        if self.is_unknown(source.ty) {
            self.check_ready();
        }
        let source_ty = self.resolve(source.ty);
        if !self.must_be_known(source_ty, place) {
            self.pattern_error(pattern);
            let body = body(self);
            return StmtKind::Expr(body);
        }
        if !self.has_method(source_ty, next) && self.promise(next, place).is_none() {
            let name = self.show(source_ty);
            let mut d = Diagnostic::error(codes::NOT_ITERABLE, place, format!("`{name}` cannot be iterated over"))
                .note("ranges, arrays, sets, text, dicts, and types with `fn iter()` or `fn next() -> T?` can be iterated over");
            if matches!(self.ty(source_ty), Ty::Int(_)) {
                d = d.help("count with a range: `for i in 0..n:`");
            }
            self.cx.report(d);
            self.pattern_error(pattern);
            let body = body(self);
            return StmtKind::Expr(body);
        }
        let holder = self.local("", source_ty, Origin::Var, place);
        self.scopes.frame_mut().locals[holder.0 as usize].mutable = true;
        let read = self.read(holder, place);
        let Some(item) = self.method_on_temp(holder, read, next, place) else {
            return StmtKind::Expr(self.bad(span));
        };
        let Ty::Option(item_ty) = self.kind(item.ty) else {
            let name = self.show(item.ty);
            let d = Diagnostic::error(
                codes::NOT_ITERABLE,
                place,
                "`next()` must yield an optional",
            )
            .found_expected(name, "T?");
            self.cx.report(d);
            return StmtKind::Expr(self.bad(span));
        };
        let (inner, body) = self.loop_turn(pattern, item_ty, body);
        let turn = StmtKind::While(Cond::Pattern(Pattern::Some(Box::new(inner)), item), body);
        let stmts = vec![
            Stmt {
                kind: StmtKind::Let(holder, source),
                span,
            },
            Stmt { kind: turn, span },
        ];
        StmtKind::Expr(self.mk(ExprKind::Block(stmts, None), TyId::UNIT, span))
    }

    /// A bound of a range: any integer type, as `i64`.
    pub(crate) fn range_bound(&mut self, e: &'a ast::Expr) -> Expr {
        self.bound_or_index(e, Why::Operand)
    }

    /// A value of any integer type, as `i64`.
    pub(in crate::body) fn bound_or_index(&mut self, e: &'a ast::Expr, why: Why<'_>) -> Expr {
        let value = self.expr(e, Want::Ty(TyId::I64));
        let value = self.unwrap_lenient(value);
        if let Ty::Int(int) = self.kind(value.ty)
            && (int.signed || int.bits < 64)
        {
            return self.number(value, TyId::I64);
        }
        self.coerce(value, TyId::I64, why)
    }
}
