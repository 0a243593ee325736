//! The steps that a program captures, and the one walk over its functions that the two questions about them share: what they read
//! (`replayed.rs`) and what they share with the program (`unreplayed.rs`).
//!
//! A step is a function that is given to a function of the library with `@replays`. It is found where the function is seen: as a lambda or a name
//! in the call, or through variables that hold it, also where a closure takes them along.

use rustc_hash::{FxHashMap, FxHashSet};
use simple_syntax::Span;

use crate::checker::Checker;
use crate::typed::parts::parts;
use crate::typed::*;

/// The functions of a program, and the steps among them.
pub(crate) struct Steps<'c, 'a> {
    pub cx: &'c Checker<'a>,
    /// The functions of the library.
    pub library: FxHashSet<FuncId>,
    /// Functions that are captured, with the call where they are.
    pub captured: Vec<(FuncId, Span)>,
    /// Variables, each of a function, that hold a function.
    bound: FxHashMap<(FuncId, LocalId), FuncId>,
    /// Functions whose variables were looked at.
    bodies: FxHashSet<FuncId>,
}

impl<'c, 'a> Steps<'c, 'a> {
    /// Goes through the functions of the program. `replaying` are those of the library that capture what they are given.
    pub(crate) fn new(
        cx: &'c Checker<'a>,
        library: FxHashSet<FuncId>,
        replaying: &FxHashSet<FuncId>,
    ) -> Self {
        let mut steps = Steps {
            cx,
            library,
            captured: Vec::new(),
            bound: FxHashMap::default(),
            bodies: FxHashSet::default(),
        };
        let functions: Vec<_> = steps.functions().collect();
        for &(func, body) in &functions {
            steps.bind(func, body);
        }
        let mut captured = Vec::new();
        for (func, body) in functions {
            each(body, &mut |e| {
                // [condition replayed.replaying]: other functions may be given functions too.
                if let ExprKind::Call(called, args) = &e.kind
                    && replaying.contains(called)
                {
                    let given = args.iter().filter_map(|arg| steps.held(func, arg));
                    captured.extend(given.map(|step| (step, e.span)));
                }
            });
        }
        steps.captured = captured;
        steps
    }

    pub(crate) fn body(&self, func: FuncId) -> Option<&'c Expr> {
        let cx = self.cx;
        cx.output()[func].body.as_ref()
    }

    /// The functions of the program, without those of the library, and their bodies.
    pub(crate) fn functions(&self) -> impl Iterator<Item = (FuncId, &'c Expr)> {
        (0..self.cx.output().funcs().len()).filter_map(|number| {
            let func = FuncId(number as u32);
            // [condition unreplayed.library]: what the library changes is its own matter.
            match self.library.contains(&func) {
                true => None,
                false => Some((func, self.body(func)?)),
            }
        })
    }

    /// Notes the variables of a body that hold functions, also where closures take them along.
    fn bind(&mut self, func: FuncId, body: &'c Expr) {
        if !self.bodies.insert(func) {
            return;
        }
        let mut closures = Vec::new();
        each(body, &mut |e| match &e.kind {
            ExprKind::Block(stmts, _) => {
                for stmt in stmts {
                    if let StmtKind::Let(local, value) = &stmt.kind
                        && let Some(held) = self.held(func, value)
                    {
                        self.bound.insert((func, *local), held);
                    }
                }
            }
            ExprKind::Let(local, value, _) => {
                if let Some(held) = self.held(func, value) {
                    self.bound.insert((func, *local), held);
                }
            }
            ExprKind::Closure(inner, locals) => closures.push((*inner, locals)),
            _ => {}
        });
        for (inner, locals) in closures {
            let captures = &self.cx.output()[inner].captures;
            for (own, outer) in captures.iter().zip(locals) {
                if let Some(&held) = self.bound.get(&(func, *outer)) {
                    // [condition unreplayed.captured_functions]: a closure that is taken along may be called.
                    self.bound.insert((inner, *own), held);
                }
            }
            if let Some(body) = self.body(inner) {
                self.bodies.remove(&inner);
                self.bind(inner, body);
            }
        }
    }

    /// The function that a value in a body is, if that can be seen.
    pub(crate) fn held(&self, func: FuncId, e: &Expr) -> Option<FuncId> {
        match &e.kind {
            ExprKind::Closure(held, _) | ExprKind::FuncRef(held) => Some(*held),
            ExprKind::Local(local) => self.bound.get(&(func, *local)).copied(),
            ExprKind::Convert(_, value) => self.held(func, value),
            _ => None,
        }
    }
}

impl Checker<'_> {
    /// What is shown of the call that captures a step: not the arguments, which are as long as the step.
    pub(crate) fn shown_capture(&self, call: Span) -> Span {
        let text = self.input().text(call);
        let name = text.split('(').next().unwrap_or_default();
        Span::new(call.file, call.lo, call.lo + name.len() as u32)
    }
}

/// Shows an expression and everything in it.
pub(crate) fn each<'e>(e: &'e Expr, see: &mut dyn FnMut(&'e Expr)) {
    see(e);
    parts(e, &mut |part, _| each(part, see));
}
