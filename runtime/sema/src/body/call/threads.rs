//! Functions that are given to other threads: what they capture must be able to go there, and they change no variable
//! of this one.
//!
//! A function of the library says by `@crosses` that another thread calls the functions which it is given. A lambda
//! that is written there is checked with the names of what it captures; what is in a function value that was made
//! elsewhere is looked at when it goes (`simple_core::cross`). Which types can go: `sendable.rs`.

use super::*;
use crate::body::duty::Duty;
use crate::sendable;
use crate::steps::each;
use crate::typed::{Place, PlaceRoot, Stmt};

/// What the body of a function for another thread does with module-level variables.
#[derive(Default)]
struct Globals {
    read: Vec<(GlobalId, Span)>,
    changed: Vec<(GlobalId, Span)>,
    /// Functions inside of it.
    inner: Vec<FuncId>,
}

impl Globals {
    fn of(body: &Expr) -> Globals {
        let mut globals = Globals::default();
        each(body, &mut |e| globals.expr(e));
        globals
    }

    fn expr(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Global(id) => self.read.push((*id, e.span)),
            ExprKind::Closure(func, _) => self.inner.push(*func),
            ExprKind::CallInout(_, place, _)
            | ExprKind::Update(_, place, _)
            | ExprKind::CallTraitInout(_, _, place, _) => self.place(place, e.span),
            ExprKind::Block(stmts, _) => stmts.iter().for_each(|stmt| self.stmt(stmt)),
            _ => {}
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        if let StmtKind::Assign(place, _)
        | StmtKind::AssignArith(place, _, _)
        | StmtKind::AssignBits(place, _, _)
        | StmtKind::Append(place, _) = &stmt.kind
        {
            self.place(place, stmt.span);
        }
    }

    fn place(&mut self, place: &Place, span: Span) {
        if let PlaceRoot::Global(id) = place.root {
            self.changed.push((id, span));
        }
    }
}

impl<'c, 'a> Body<'c, 'a> {
    /// Checks the arguments of a function that gives functions to other threads.
    pub(in crate::body) fn check_crossing(&mut self, fn_idx: FnIdx, values: &[Expr]) {
        let mut annotations = self.cx.decls()[fn_idx].item.annotations.iter();
        if !annotations.any(|annotation| annotation.name.name.as_str() == "crosses") {
            return;
        }
        for value in values {
            if let ExprKind::Closure(func, captured) = &value.kind {
                self.check_captures(*func, captured, value.span);
                self.check_globals(*func, value.span);
            }
        }
    }

    /// The lambda or block of a provisional number.
    fn pending_lambda(&self, func: FuncId) -> Option<&crate::typed::Func> {
        let number = func.0.checked_sub(PENDING)?;
        match self.duties.pending().get(number as usize)? {
            Pending::Lambda(func) => Some(func),
            Pending::Instance(..) => None,
        }
    }

    fn check_captures(&mut self, func: FuncId, captured: &[LocalId], span: Span) {
        let is_block = self
            .pending_lambda(func)
            .is_some_and(|func| func.name == "<block>");
        for &local in captured {
            let info = &self.scopes.frame().locals[local.0 as usize];
            let (name, ty, declared) = (info.name.clone(), info.ty, info.span);
            if is_block && self.meta(local).origin == Origin::Var {
                let message =
                    format!("this block shares the variable `{name}` with the function around it");
                let d = Diagnostic::error(codes::NOT_SENDABLE, span, message)
                    .related(declared, format!("`{name}` may be changed"))
                    .note("another thread runs the block, and would see changes at any time")
                    .help(format!(
                        "give it a value: `val own = {name}` before, and `own` in the block; or send values \
                         through a `Channel`"
                    ));
                self.cx.report(d);
                continue;
            }
            self.owe(ty, Duty::Sendable(Symbol::intern(&name)), span);
        }
    }

    fn check_globals(&mut self, func: FuncId, span: Span) {
        let mut todo = vec![func];
        let mut told = Vec::new();
        while let Some(func) = todo.pop() {
            let Some(body) = self
                .pending_lambda(func)
                .and_then(|func| func.body.as_ref())
            else {
                continue;
            };
            let found = Globals::of(body);
            todo.extend(found.inner);
            for (id, at) in found.changed {
                if !std::mem::replace(&mut told, vec![id]).contains(&id) {
                    self.shared_global(id, at, true);
                }
            }
            for (id, at) in found.read {
                let global = self.cx.global(id);
                let (mutable, name, ty) = (global.mutable, global.name.name, global.ty);
                if told.contains(&id) {
                    continue;
                }
                told.push(id);
                match ty {
                    _ if mutable => self.shared_global(id, at, false),
                    Some(ty) => self.owe(ty, Duty::Sendable(name), span),
                    None => {}
                }
            }
        }
    }

    /// Reports a module-level variable that a function for another thread uses.
    fn shared_global(&mut self, id: GlobalId, at: Span, changes: bool) {
        let name = self.cx.global(id).name;
        let verb = if changes { "changes" } else { "reads" };
        let message = format!(
            "a function for another thread {verb} the variable `{}`",
            name.name
        );
        let mut d = Diagnostic::error(codes::NOT_SENDABLE, at, message)
            .related(name.span, format!("`{}` is a variable of the module", name.name))
            .note("each thread has its own copy of module-level variables, so that no change would be seen elsewhere");
        d = match changes {
            true => {
                d.help("yield the value, or send it through a `Channel`, or keep it in a `Mutex`")
            }
            false => d.help(format!(
                "give it a value: `val own = {}` before, and `own` here",
                name.name
            )),
        };
        self.cx.report(d);
    }

    /// Reports what a function for another thread captures and cannot go there.
    pub(in crate::body) fn require_sendable(&mut self, ty: TyId, name: Symbol, span: Span) {
        let known = self.resolve(ty);
        let bounds = self.purpose.bounds();
        if let Ty::Param(param) = *self.ty(known) {
            let bounded = bounds.iter().any(|(of, ..)| *of == param);
            if bounded {
                return;
            }
            let message = format!(
                "`{name}` is captured by a function for another thread, and its type `{param}` may be any"
            );
            let d = Diagnostic::error(codes::NOT_SENDABLE, span, message)
                .help(format!("add the bound `{param}: {}`", sendable::TRAIT));
            self.cx.report(d);
            return;
        }
        if let Some(reason) = self.cx.unsendable(known) {
            let type_name = self.cx.types().name(known);
            let message =
                format!("`{name}` is captured, and a `{type_name}` cannot go to another thread");
            let d = Diagnostic::error(codes::NOT_SENDABLE, span, message)
                .note(reason)
                .help(sendable::ADVICE);
            self.cx.report(d);
        }
    }
}
