//! Exclusive access, as far as it can be seen before the run (E0424): while a `me` method changes a place, nothing else may change it.
//!
//! Reported is what fails whenever the call is reached: a change of the same module-level variable, or of the same field of an object
//! that is passed along, in the method or in functions that it calls for sure. A block that is given to a method and assigns the very
//! variable on which the method is called is reported whether the method calls it or not, as in Swift (SE-0176). What depends on
//! branches, other names of an object or function values is left to the run (`simple_middle::lower::exclusive`).

use crate::checker::Checker;
use crate::codes;
use crate::typed::parts::{Evaluated, parts};
use crate::typed::*;
use rustc_hash::FxHashSet;
use simple_syntax::{Diagnostic, Span};

/// A place that a method is changing, as the function knows it that is looked at.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Target {
    root: Root,
    /// The fields that lead to the part.
    fields: Vec<u32>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Root {
    Global(GlobalId),
    /// A variable that holds the object, which nothing assigns.
    Object(LocalId),
    /// A variable that a block shares.
    Shared(LocalId),
}

impl Target {
    /// The place itself, if it can be told to be the same without evaluating anything.
    fn of(place: &Place, func: &Func) -> Option<Target> {
        let root = match &place.root {
            PlaceRoot::Global(global) => Root::Global(*global),
            PlaceRoot::Local(local) if func.locals[local.0 as usize].cell => Root::Shared(*local),
            PlaceRoot::Local(_) => return None,
            PlaceRoot::Object(object) => Root::Object(fixed(object, func)?),
        };
        let fields = place.path.iter().map_while(|step| match step {
            PlaceStep::Field(_, field) => Some(*field),
            // [condition exclusive.path_up_to_index]: elements of one list are changed together.
            PlaceStep::Index(..) => None,
        });
        let fields = fields.collect();
        Some(Target { root, fields })
    }

    fn overlaps(&self, other: &Target) -> bool {
        // [condition exclusive.common]: a part of what is changed, or what it is a part of, overlaps.
        let common = self.fields.len().min(other.fields.len());
        // [condition exclusive.same_root]: another variable or object is another place,
        // [condition exclusive.same_fields]: and so is another field of it.
        self.root == other.root && self.fields[..common] == other.fields[..common]
    }
}

/// The variable that an expression is, if nothing assigns it.
fn fixed(e: &Expr, func: &Func) -> Option<LocalId> {
    match e.kind {
        ExprKind::Local(local) => {
            let info = &func.locals[local.0 as usize];
            // [condition exclusive.mutable_object]: a variable that is assigned may hold another object by then,
            // [condition exclusive.object_in_cell]: or be assigned by a block.
            (!info.mutable && !info.cell).then_some(local)
        }
        _ => None,
    }
}

impl Checker<'_> {
    /// Reports calls of `me` methods during which their own place is changed for sure.
    pub(crate) fn check_exclusive(&mut self) {
        if self.reports().has_errors() {
            return;
        }
        let mut found = Vec::new();
        for func in self.output().funcs() {
            if let Some(body) = &func.body {
                let taken = TakenOut::default();
                calls(body, &mut |callee, place, args, span| {
                    let place = taken.option(place, body).unwrap_or(place);
                    if let Some(change) = self.conflict(func, callee, place, args) {
                        found.push((change, span, place.span));
                    }
                });
            }
        }
        for (change, call, place) in found {
            let name = self.input().text(place).to_owned();
            let message = format!("`{name}` is changed while a `me` method changes it");
            let d = Diagnostic::error(codes::OVERLAPPING, change, message)
                .related(call, format!("the method is called on `{name}` here"))
                .help("do it inside the method, on `self`, or after the call");
            self.report(d);
        }
    }

    /// Where a place is changed while `callee` runs on it.
    fn conflict(&self, func: &Func, callee: FuncId, place: &Place, args: &[Expr]) -> Option<Span> {
        let target = Target::of(place, func)?;
        if let Root::Shared(local) = target.root {
            return self.changed_by_block(&target, local, args);
        }
        let root = match target.root {
            Root::Object(local) => {
                let at = args
                    .iter()
                    // [condition exclusive.passed_along]: a method knows the object only if it is given to it.
                    .position(|arg| fixed(arg, func) == Some(local))?;
                // [condition exclusive.own_parameter]: `self` is the first parameter.
                Root::Object(*self.output()[callee].params.get(at + 1)?)
            }
            root => root,
        };
        let mut seen = FxHashSet::default();
        self.changed_in(callee, &Target { root, ..target }, &mut seen)
    }

    /// Where a block among the arguments assigns the variable that it shares.
    fn changed_by_block(&self, target: &Target, local: LocalId, args: &[Expr]) -> Option<Span> {
        args.iter().find_map(|arg| {
            let ExprKind::Closure(block, captured) = &arg.kind else {
                return None;
            };
            let block = &self.output()[*block];
            // [condition exclusive.block_of_variable]: the block must share this very variable,
            let at = captured.iter().position(|one| *one == local)?;
            let inner = *block.captures.get(at)?;
            // [condition exclusive.block_shares]: and not have a copy of it.
            if !block.locals[inner.0 as usize].cell {
                return None;
            }
            let inner = Target {
                root: Root::Shared(inner),
                fields: target.fields.clone(),
            };
            let mut found = None;
            changes(block.body.as_ref()?, &mut |place| {
                if Target::of(place, block).is_some_and(|other| other.overlaps(&inner)) {
                    found.get_or_insert(place.span);
                }
            });
            found
        })
    }

    /// Where a function changes the target whenever it is called.
    fn changed_in(
        &self,
        id: FuncId,
        target: &Target,
        seen: &mut FxHashSet<(FuncId, Target)>,
    ) -> Option<Span> {
        // [condition exclusive.seen]: methods may call each other without an end.
        if !seen.insert((id, target.clone())) {
            return None;
        }
        let func = &self.output()[id];
        let mut walk = Certain {
            cx: self,
            func,
            target,
            seen,
            over: false,
        };
        walk.expr(func.body.as_ref()?)
    }
}

/// A walk over what is evaluated whenever a function is called, in order, up to the first place where it may leave.
struct Certain<'w, 'a> {
    cx: &'w Checker<'a>,
    func: &'w Func,
    target: &'w Target,
    seen: &'w mut FxHashSet<(FuncId, Target)>,
    over: bool,
}

impl Certain<'_, '_> {
    fn expr(&mut self, e: &Expr) -> Option<Span> {
        // [condition exclusive.over]: nothing is certain after a place where the function may be left.
        if self.over {
            return None;
        }
        match &e.kind {
            // [condition exclusive.caught]: an error inside does not get out,
            ExprKind::TryCatch { .. } => {
                // [condition exclusive.after_try]: but the function may be left in it.
                self.over = true;
                return None;
            }
            ExprKind::Block(stmts, tail) => {
                for stmt in stmts {
                    if let Some(found) = self.stmt(stmt) {
                        return Some(found);
                    }
                }
                return tail.as_ref().and_then(|tail| self.expr(tail));
            }
            _ => {}
        }
        let mut found = None;
        let mut branches = false;
        parts(e, &mut |part, evaluated| match evaluated {
            Evaluated::Always => found = found.or_else(|| self.expr(part)),
            // [condition exclusive.perhaps]: what may not be evaluated changes nothing for sure.
            Evaluated::Perhaps => branches |= leaves(part),
        });
        if found.is_some() || self.over {
            return found;
        }
        // [condition exclusive.branch_leaves]: a branch may leave.
        self.over = branches;
        let found = match &e.kind {
            ExprKind::Call(callee, args) => self.call(*callee, args, 0),
            ExprKind::CallInout(callee, place, args) => {
                // [condition exclusive.called_change]: the call of a method on the place is itself a change.
                self.change(place).or_else(|| self.call(*callee, args, 1))
            }
            ExprKind::CallTraitInout(_, _, place, _) | ExprKind::Update(_, place, _) => {
                self.change(place)
            }
            _ => None,
        };
        let leaves = matches!(
            e.kind,
            ExprKind::Return(_) | ExprKind::Try(_) | ExprKind::Break | ExprKind::Continue
        );
        // [condition exclusive.leaves_after]: what follows is not reached.
        self.over |= leaves || e.ty == TyId::NEVER;
        found
    }

    fn stmt(&mut self, stmt: &Stmt) -> Option<Span> {
        match &stmt.kind {
            StmtKind::Expr(e) | StmtKind::Let(_, e) | StmtKind::LetPattern(_, e) => self.expr(e),
            StmtKind::Assign(place, e)
            | StmtKind::AssignArith(place, _, e)
            | StmtKind::AssignBits(place, _, e)
            | StmtKind::Append(place, e) => {
                let found = self.expr(e);
                // [condition exclusive.value_first]: the value may leave before the place is changed.
                if found.is_some() || self.over {
                    return found;
                }
                self.change(place)
            }
            StmtKind::Assert(cond, _) => self.expr(cond),
            StmtKind::ForRange { body, .. }
            | StmtKind::ForEach { body, .. }
            | StmtKind::ForPart { body, .. }
            | StmtKind::While(_, body) => {
                // [condition exclusive.loops]: a loop may have no turn,
                // [condition exclusive.loop_leaves]: or leave in one.
                self.over |= leaves(body);
                None
            }
            StmtKind::Defer(_) => None,
        }
    }

    fn change(&self, place: &Place) -> Option<Span> {
        let other = Target::of(place, self.func)?;
        other.overlaps(self.target).then_some(place.span)
    }

    /// A call whose arguments are those from the parameter `first` on.
    fn call(&mut self, callee: FuncId, args: &[Expr], first: usize) -> Option<Span> {
        let root = match self.target.root {
            Root::Object(local) => {
                let at = args
                    .iter()
                    // [condition exclusive.passed_on]: so does what it calls.
                    .position(|arg| fixed(arg, self.func) == Some(local))?;
                let params = &self.cx.output()[callee].params;
                // [condition exclusive.first_argument]: and not among the arguments of a method.
                Root::Object(*params.get(at + first)?)
            }
            root => root,
        };
        let target = Target {
            root,
            fields: self.target.fields.clone(),
        };
        self.cx.changed_in(callee, &target, self.seen)
    }
}

/// Whether evaluating an expression may leave its function, or the loop around it.
fn leaves(e: &Expr) -> bool {
    let mut found = matches!(
        e.kind,
        ExprKind::Return(_) | ExprKind::Try(_) | ExprKind::Break | ExprKind::Continue
    ) || e.ty == TyId::NEVER;
    // [condition exclusive.leaves_inside]: however deep that is.
    parts(e, &mut |part, _| found = found || leaves(part));
    found
}

/// Shows every call of a `me` method on a place.
fn calls<'e>(e: &'e Expr, see: &mut dyn FnMut(FuncId, &'e Place, &'e [Expr], Span)) {
    if let ExprKind::CallInout(callee, place, args) = &e.kind {
        see(*callee, place, args, e.span);
    }
    parts(e, &mut |part, _| calls(part, see));
}

/// Shows every place that an expression changes.
fn changes(e: &Expr, see: &mut dyn FnMut(&Place)) {
    match &e.kind {
        ExprKind::CallInout(_, place, _)
        | ExprKind::CallTraitInout(_, _, place, _)
        | ExprKind::Update(_, place, _) => see(place),
        ExprKind::Block(stmts, _) => {
            for stmt in stmts {
                if let StmtKind::Assign(place, _)
                | StmtKind::AssignArith(place, ..)
                | StmtKind::AssignBits(place, ..)
                | StmtKind::Append(place, _) = &stmt.kind
                {
                    see(place);
                }
            }
        }
        _ => {}
    }
    parts(e, &mut |part, _| changes(part, see));
}
