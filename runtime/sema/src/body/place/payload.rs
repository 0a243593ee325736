//! Changes through an option: `p!.a = 3`, `p!.xs.push(1)`, and without the `!` where a test has shown that `p` is there
//! (`flow/presence.rs`) or where `p` is a lenient variable.
//!
//! The value is taken out into a variable when its statement begins, is changed there, and is put back when the
//! statement is done:
//!
//! ```text
//! p!.a = 3      own = p!; own.a = 3; p = Some(own)
//! ```
//!
//! Only the options of what a statement assigns or calls a method on count, so nothing else is evaluated before it. An
//! instance of a class is changed where it is. Next: `place.rs`.

use super::place::Target;
use super::*;
use crate::typed::{Expr, Pattern, Stmt};
use simple_syntax::ast;

/// A value that was taken out of an option for a statement.
#[derive(Clone)]
pub(crate) struct Taken {
    /// The option.
    place: Place,
    /// The variable that holds its value, and the frame of that.
    own: LocalId,
    frame: usize,
    before: Vec<Stmt>,
    /// Whether something in it was changed.
    changed: bool,
}

impl<'c, 'a> Body<'c, 'a> {
    /// A statement that assigns `place`, or calls a method on it, which `check` adds to the list that it is given.
    pub(in crate::body) fn through_options(
        &mut self,
        (place, assigns): (&'a ast::Expr, bool),
        span: Span,
        out: &mut Vec<Stmt>,
        check: impl FnOnce(&mut Self, &mut Vec<Stmt>),
    ) {
        let unwraps = self.options_in(place, assigns);
        if unwraps.is_empty() {
            return check(self, out);
        }
        let mut inner = Vec::new();
        let ((), taken) = self.taking_out(unwraps, |body| check(body, &mut inner));
        if taken.is_empty() {
            out.append(&mut inner);
            return;
        }
        self.take_again(&taken, &mut inner, span);
        let (mut stmts, after) = self.put_back(taken, span);
        stmts.append(&mut inner);
        stmts.extend(after);
        let block = self.mk(ExprKind::Block(stmts, None), TyId::UNIT, span);
        out.push(expr::simple_stmt(block, span));
    }

    /// The same for a call of a method that is the last expression of a block, whose value is yielded.
    pub(in crate::body) fn last_through_options(
        &mut self,
        e: &'a ast::Expr,
        want: Want,
        out: &mut Vec<Stmt>,
    ) -> Expr {
        let unwraps = self.options_in(receiver_of(e).unwrap_or(e), false);
        let (value, taken) = self.taking_out(unwraps, |body| body.expr(e, want));
        if taken.is_empty() {
            return value;
        }
        let (ty, span) = (self.shallow(value.ty), e.span);
        let mut inner = vec![expr::simple_stmt(value, span)];
        self.take_again(&taken, &mut inner, span);
        let (mut before, after) = self.put_back(taken, span);
        out.append(&mut before);
        let yielded = match inner.pop().map(|stmt| stmt.kind) {
            Some(StmtKind::Expr(call)) if after.is_empty() => call,
            Some(StmtKind::Expr(call)) => {
                let result = self.temp(ty, span);
                inner.push(Stmt {
                    kind: StmtKind::LetPattern(Pattern::Bind(result), call),
                    span,
                });
                self.read(result, span)
            }
            _ => self.bad(span),
        };
        out.append(&mut inner);
        out.extend(after);
        yielded
    }

    /// Makes the statement that assigns a part of what was taken compute its value first, and take everything again
    /// afterwards: the value's code may have changed the options.
    fn take_again(&mut self, taken: &[Taken], stmts: &mut Vec<Stmt>, span: Span) {
        let is_own = |place: &Place| {
            let owns = |one: &Taken| matches!(place.root, PlaceRoot::Local(id) if id == one.own);
            taken.iter().any(owns)
        };
        match stmts.last_mut().map(|stmt| &mut stmt.kind) {
            Some(StmtKind::Expr(Expr {
                kind: ExprKind::Update(_, place, args) | ExprKind::CallInout(_, place, args),
                ..
            })) => {
                if is_own(place) && args.iter().any(runs_code) {
                    self.arguments_first(taken, stmts, span);
                }
                return;
            }
            Some(StmtKind::Expr(expr)) => {
                let inner = match &mut expr.kind {
                    ExprKind::If { then, .. } => &mut then.kind,
                    kind => kind,
                };
                if let ExprKind::Block(inner, None) = inner {
                    self.take_again(taken, inner, span);
                }
                return;
            }
            Some(
                StmtKind::Assign(place, value)
                | StmtKind::AssignArith(place, _, value)
                | StmtKind::AssignBits(place, _, value)
                | StmtKind::Append(place, value),
            ) if runs_code(value) && is_own(place) => {}
            _ => return,
        }
        let (place, value) = match stmts.pop().map(|stmt| stmt.kind) {
            Some(StmtKind::Assign(place, value)) => (self.settled(place, stmts), value),
            Some(StmtKind::AssignArith(place, op, value)) => {
                let place = self.settled(place, stmts);
                let old = self.place_value(&place);
                let kind = ExprKind::Arith(op, Box::new(old), Box::new(value));
                let value = self.mk(kind, place.ty, span);
                (place, value)
            }
            Some(StmtKind::AssignBits(place, op, value)) => {
                let place = self.settled(place, stmts);
                let old = self.place_value(&place);
                let kind = ExprKind::Bits(op, Box::new(old), Box::new(value));
                let value = self.mk(kind, place.ty, span);
                (place, value)
            }
            Some(StmtKind::Append(place, value)) => {
                let place = self.settled(place, stmts);
                let old = self.place_value(&place);
                let kind = ExprKind::Concat(Box::new(old), Box::new(value));
                let value = self.mk(kind, place.ty, span);
                (place, value)
            }
            _ => return,
        };
        let new = self.temp(place.ty, span);
        stmts.push(Stmt {
            kind: StmtKind::LetPattern(Pattern::Bind(new), value),
            span,
        });
        self.take_all(taken, stmts, span);
        let value = self.read(new, span);
        stmts.push(Stmt {
            kind: StmtKind::Assign(place, value),
            span,
        });
    }

    /// The same for a call of a method that changes what was taken.
    fn arguments_first(&mut self, taken: &[Taken], stmts: &mut Vec<Stmt>, span: Span) {
        let Some(Stmt {
            kind: StmtKind::Expr(mut call),
            span: at,
        }) = stmts.pop()
        else {
            return;
        };
        if let ExprKind::Update(_, place, args) | ExprKind::CallInout(_, place, args) =
            &mut call.kind
        {
            *place = self.settled(place.clone(), stmts);
            for arg in args {
                self.keep_in_variable(arg, stmts);
            }
        }
        self.take_all(taken, stmts, span);
        stmts.push(Stmt {
            kind: StmtKind::Expr(call),
            span: at,
        });
    }

    /// Statements that take out of the options what is in them now.
    fn take_all(&mut self, taken: &[Taken], stmts: &mut Vec<Stmt>, span: Span) {
        for one in taken {
            self.mark_mutable(one.own, span);
            let own = self.local_place(one.own, span).place;
            let again = self.place_value(&one.place);
            let again = self.unwrap_value(again, span);
            stmts.push(Stmt {
                kind: StmtKind::Assign(own, again),
                span,
            });
        }
    }

    /// The statements that take values out of options, and those that put them back. A value may be in the one before
    /// it.
    fn put_back(&mut self, taken: Vec<Taken>, span: Span) -> (Vec<Stmt>, Vec<Stmt>) {
        let (mut before, mut after) = (Vec::new(), Vec::new());
        let mut holders: Vec<LocalId> = Vec::new();
        for one in taken.into_iter().rev() {
            let mut first = one.before;
            first.append(&mut before);
            before = first;
            if !one.changed && !holders.contains(&one.own) {
                continue;
            }
            if let PlaceRoot::Local(id) = one.place.root {
                holders.push(id);
                self.mark_mutable(id, span);
            }
            let own = self.read(one.own, span);
            let whole = self.mk(ExprKind::Some(Box::new(own)), one.place.ty, span);
            after.push(Stmt {
                kind: StmtKind::Assign(one.place, whole),
                span,
            });
        }
        (before, after)
    }

    /// The value in an option, `inner!`, whose parts the statement may change.
    pub(in crate::body) fn payload_place(&mut self, option: Target, span: Span) -> Target {
        let ty = self.target_ty(&option);
        let info = match (option, self.kind(ty)) {
            // The value of a dict's key has a place of its own.
            (Target::Place(info), Ty::Option(_))
                if info.lenient && matches!(info.place.path.last(), Some(PlaceStep::Index(..))) =>
            {
                return self.payload_target(Target::Place(info));
            }
            (Target::Place(info), Ty::Option(item))
                if !self.is_unknown(item) && !self.is_shared(item) =>
            {
                info
            }
            (option, _) => {
                let value = self.target_value(option);
                return Target::Value(self.unwrap_value(value, span));
            }
        };
        let mut before = Vec::new();
        let place = self.settled(info.place, &mut before);
        let value = self.place_value(&place);
        let value = self.unwrap_value(value, span);
        let own = self.temp(value.ty, span);
        before.push(Stmt {
            kind: StmtKind::LetPattern(Pattern::Bind(own), value),
            span,
        });
        self.duties.add_taken(Taken {
            place,
            own,
            frame: self.scopes.here(),
            before,
            changed: false,
        });
        let mut payload = self.local_place(own, span);
        payload.fixed = info.fixed;
        Target::Place(payload)
    }

    /// The options in what a statement assigns or calls a method on: each `!`, and names that are known to be there.
    fn options_in(&mut self, place: &'a ast::Expr, assigns: bool) -> Vec<Span> {
        use ast::ExprKind as K;
        let (mut found, mut e) = (Vec::new(), place);
        // Whether the option itself is meant: what is assigned as a whole, or what a `!` is on.
        let mut itself = assigns;
        loop {
            let named = matches!(e.kind, K::Field(..) | K::Name(_));
            if named && !itself && self.names_option(e) {
                found.push(e.span);
            }
            itself = matches!(e.kind, K::Unwrap(_));
            e = match &e.kind {
                K::Field(base, _, false) => base,
                K::TupleField(base, _, _, false)
                | K::Index(base, _, false)
                | K::Slice(base, _)
                | K::Paren(base) => base,
                K::Unwrap(base) => {
                    found.push(e.span);
                    base
                }
                _ => return found,
            };
        }
    }

    /// Whether an expression statement calls a method through an option, which must then be a statement also at the end
    /// of a block.
    pub(in crate::body) fn calls_through_option(&mut self, e: &'a ast::Expr) -> bool {
        receiver_of(e).is_some_and(|base| !self.options_in(base, false).is_empty())
    }

    /// Whether every copy of a value of a type is the same object. A trait object may be that of a class, so it is
    /// never taken out: the runtime decides. Which type a parameter is, is known where the body is checked for that
    /// type.
    fn is_shared(&self, ty: TyId) -> bool {
        self.is_reference(ty) && !matches!(self.kind(ty), Ty::Param(_))
    }

    /// Notes that a variable of a frame is changed.
    pub(in crate::body) fn note_taken(&mut self, frame: usize, id: LocalId) {
        for one in self.duties.taken_mut() {
            one.changed |= one.frame == frame && one.own == id;
        }
    }
}

/// Whether an expression that is not a place names a part of one.
pub(in crate::body) fn names_place(value: &Expr) -> bool {
    match &value.kind {
        ExprKind::Local(_) | ExprKind::Global(_) => true,
        ExprKind::Field(base, _) | ExprKind::Unwrap(base, _) | ExprKind::Index(base, _) => {
            names_place(base)
        }
        _ => false,
    }
}

/// Whether computing a value may run code of the program, as far as its outermost form tells.
fn runs_code(value: &Expr) -> bool {
    use ExprKind::{Bool, Float, Int, Local, Nil, Text, Unit};
    !matches!(
        value.kind,
        Unit | Bool(_) | Int(_) | Float(_) | Text(_) | Nil | Local(_)
    )
}

/// What a statement calls a method on.
pub(in crate::body) fn receiver_of(e: &ast::Expr) -> Option<&ast::Expr> {
    match &e.kind {
        ast::ExprKind::Call(call) => match &call.callee.kind {
            ast::ExprKind::Field(base, _, false) => Some(base),
            _ => None,
        },
        _ => None,
    }
}
