//! When a variable is used for the last time, by a backward walk over the typed body.
//!
//! Only *exact* variables take part: those that own counted values whose destruction a program cannot see (no `fn drop()`, or
//! one of a class marked `@eager_drop`). They are released right after their last use, or moved by it. All others live to the
//! end of their scope. Branches of an `if` or `match` that do not use a variable which another branch uses release it at their
//! start; a variable from outside a loop whose last use is inside is released after the loop.
//!
//! The result is advice: the cleanup stack (`cleanup.rs`) stays the truth about what is alive, and merges of branches level
//! out any difference. Worked example: in `if c: f(x) else: g()` with `x` dead afterwards, `f(x)` is a last use and `x` is in
//! the kills of the `else` branch.

use super::local_set::Set;
use super::walk::{bound_locals, caught, declared_locals, mentioned_locals};
use rustc_hash::{FxHashMap, FxHashSet};
use simple_sema::typed::{
    Cond, Cut, Expr, ExprKind, LocalId, Pattern, Place, PlaceRoot, PlaceStep, Stmt, StmtKind,
    TextPart, TyId,
};

/// A node of the typed tree, by its address.
pub(crate) type Key = usize;

/// The key of an expression.
pub(crate) fn key(expr: &Expr) -> Key {
    std::ptr::from_ref(expr) as usize
}

/// The key of a statement.
pub(crate) fn stmt_key(stmt: &Stmt) -> Key {
    std::ptr::from_ref(stmt) as usize
}

/// Advice about last uses in one function.
#[derive(Default, Debug)]
pub(crate) struct Liveness {
    /// Occurrences of variables that are their last use.
    pub last_use: FxHashSet<Key>,
    /// Occurrences of variables whose value is still needed when a later part of the same expression releases the variable.
    pub held: FxHashSet<Key>,
    /// Variables to release before a branch runs.
    pub before: FxHashMap<Key, Vec<LocalId>>,
    /// Variables to release after an expression.
    pub after: FxHashMap<Key, Vec<LocalId>>,
    /// Variables to release where an `if` has no `else`.
    pub missing_else: FxHashMap<Key, Vec<LocalId>>,
    /// Variables to release after a statement; for a loop, where its condition ends it.
    pub after_stmt: FxHashMap<Key, Vec<LocalId>>,
    /// Which variables are exact.
    pub exact: Vec<bool>,
}

struct Loop {
    on_break: Set,
    on_continue: Set,
}

struct Analysis {
    out: Liveness,
    live: Set,
    loops: Vec<Loop>,
    /// What each `try` around this point keeps alive for its handler.
    guarded: Vec<Set>,
}

/// Analyses `body`; `candidates` says which variables may be exact. Variables that a `defer` mentions are taken out.
pub(crate) fn analyse(body: &Expr, mut candidates: Vec<bool>) -> Liveness {
    super::walk::walk(body, &mut |node| {
        if let super::walk::Node::Stmt(Stmt {
            kind: StmtKind::Defer(deferred),
            ..
        }) = node
        {
            for local in mentioned_locals(deferred) {
                // [condition liveness.not_deferred]: a deferred statement runs at the end of the block.
                if let Some(candidate) = candidates.get_mut(local.0 as usize) {
                    *candidate = false;
                }
            }
        }
    });
    if !candidates.contains(&true) {
        return Liveness::default();
    }
    let mut analysis = Analysis {
        out: Liveness {
            exact: candidates,
            ..Liveness::default()
        },
        live: Set::default(),
        loops: Vec::new(),
        guarded: Vec::new(),
    };
    analysis.expr(body);
    analysis.out
}

fn put(map: &mut FxHashMap<Key, Vec<LocalId>>, key: Key, kills: Vec<LocalId>) {
    if kills.is_empty() {
        // [condition liveness.once]: a node of which there is advice has it from its last visit.
        map.remove(&key);
    } else {
        map.insert(key, kills);
    }
}

impl Analysis {
    fn exact(&self, local: LocalId) -> bool {
        self.out
            .exact
            .get(local.0 as usize)
            .copied()
            .unwrap_or(false)
    }

    /// The variables of a list that die there; all become live before it.
    fn touch(&mut self, locals: &[LocalId]) -> Vec<LocalId> {
        let mut dying = Vec::new();
        for &local in locals {
            // [condition liveness.touched_exact]: others live to the end of their block.
            if self.exact(local) && !self.live.contains(local) {
                // [condition liveness.touched_dead]: only the last one that is mentioned is the last use.
                dying.push(local);
                self.live.insert(local);
            }
        }
        dying
    }

    /// The bindings that nothing uses; none is live before.
    fn bind(&mut self, locals: &[LocalId]) -> Vec<LocalId> {
        let mut unused = Vec::new();
        for &local in locals {
            // [condition liveness.bound_dead]: only what nothing uses.
            if self.exact(local) && !self.live.contains(local) {
                unused.push(local);
            }
            self.live.remove(local);
        }
        unused
    }

    fn all(&mut self, exprs: &[Expr]) {
        self.parts(&exprs.iter().collect::<Vec<_>>());
    }

    /// Parts of an expression that are evaluated in this order and used together.
    fn parts(&mut self, parts: &[&Expr]) {
        self.hold(parts);
        for part in parts.iter().rev() {
            self.expr(part);
        }
    }

    /// Marks the parts whose variable a later part mentions for the last time: it may be released there.
    fn hold(&mut self, parts: &[&Expr]) {
        let candidate = |part: &Expr| {
            // [condition liveness.held_exact]: others are there to the end of their block.
            // [condition liveness.held_dying]: so is what lives on.
            borrowed_from(part)
                .filter(|(local, _)| self.exact(*local) && !self.live.contains(*local))
        };
        // [condition liveness.held_first]: the first part that is held may be followed by others.
        let Some(first) = parts.iter().position(|part| candidate(part).is_some()) else {
            return;
        };
        let mut given_up = FxHashSet::default();
        let mut held = Vec::new();
        for part in parts[first..].iter().rev() {
            // [condition liveness.held_by_later]: a part of it is read, and then it is given away.
            held.extend(candidate(part).filter(|(local, _)| given_up.contains(local)));
            given_up.extend(gives_up(part));
        }
        self.out.held.extend(held.into_iter().map(|(_, at)| at));
    }

    /// The exact variables from around an expression that it mentions.
    fn exact_mentions(&self, expr: &Expr) -> Set {
        let mut set = Set::default();
        for local in mentioned_locals(expr) {
            // [condition liveness.mentions_exact]: others live to the end of their block, whatever may not run.
            if self.exact(local) {
                set.insert(local);
            }
        }
        // [condition liveness.declared_inside]: what it declares is not there before it, and has a last use of its own.
        for local in declared_locals(expr) {
            set.remove(local);
        }
        set
    }

    /// `first`, then perhaps `second`: what `second` mentions dies only after both.
    fn perhaps(&mut self, first: &Expr, second: &Expr) -> Vec<LocalId> {
        let out = self.live.clone();
        let mentioned = self.exact_mentions(second);
        // [condition liveness.perhaps_after]: what lives on is not released after them.
        let kills = mentioned.minus(&out);
        // [condition liveness.perhaps_second]: the second may not run.
        self.live.union(&mentioned);
        let kept = self.live.clone();
        self.expr(second);
        self.live = kept;
        self.expr(first);
        kills
    }

    /// Keeps alive what a `try` around this point must find alive if what leads to a jump fails.
    fn guard(&mut self) {
        for kept in &self.guarded {
            // [condition liveness.guarded]: the handler would find it gone.
            self.live.union(kept);
        }
    }

    fn place_root(&self, place: &Place) -> Vec<LocalId> {
        match place.root {
            PlaceRoot::Local(local) => vec![local],
            _ => Vec::new(),
        }
    }

    fn expr(&mut self, expr: &Expr) {
        let at = key(expr);
        match &expr.kind {
            ExprKind::Unit
            | ExprKind::Bool(_)
            | ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::Text(_)
            | ExprKind::Nil
            | ExprKind::Global(_)
            | ExprKind::FuncRef(_) => {}
            ExprKind::Local(local) => {
                if self.touch(&[*local]).is_empty() {
                    self.out.last_use.remove(&at);
                } else {
                    self.out.last_use.insert(at);
                }
            }
            ExprKind::Closure(_, captured) => {
                let dying = self.touch(captured);
                // [condition liveness.captured]: a block has its own reference to what it captures.
                put(&mut self.out.after, at, dying);
            }
            ExprKind::Block(stmts, tail) => {
                if let Some(tail) = tail {
                    self.expr(tail);
                }
                for stmt in stmts.iter().rev() {
                    self.stmt(stmt);
                }
            }
            ExprKind::If {
                cond,
                then,
                otherwise,
            } => {
                let out = self.live.clone();
                self.expr(then);
                let bound = cond_bindings(cond);
                let unused = self.bind(&bound);
                // [condition liveness.else_from_after]: the branches are independent of each other.
                let then_live = std::mem::replace(&mut self.live, out);
                if let Some(otherwise) = otherwise {
                    self.expr(otherwise);
                }
                // [condition liveness.both_branches]: what only one way uses dies at the start of the other.
                let else_live = self.live.clone();
                self.live.union(&then_live);
                let mut then_kills = self.live.minus(&then_live);
                // [condition liveness.unused_in_condition]: what the condition binds may have no use at all.
                then_kills.extend(unused);
                put(&mut self.out.before, key(then), then_kills);
                let else_kills = self.live.minus(&else_live);
                match otherwise {
                    Some(otherwise) => put(&mut self.out.before, key(otherwise), else_kills),
                    // [condition liveness.no_else]: the way without a branch is one too.
                    None => put(&mut self.out.missing_else, at, else_kills),
                }
                self.cond(cond);
            }
            ExprKind::Match { scrutinee, arms } => {
                let out = self.live.clone();
                let mut entries = Vec::new();
                let mut union = Set::default();
                for arm in arms.iter().rev() {
                    // [condition liveness.arms_apart]: the branches are independent of each other.
                    self.live = out.clone();
                    self.expr(&arm.body);
                    let mut bound = Vec::new();
                    bound_locals(&arm.pattern, &mut bound);
                    let unused = self.bind(&bound);
                    let entry = self.live.clone();
                    union.union(&entry);
                    if let Some(guard) = &arm.guard {
                        let mut mentioned = self.exact_mentions(guard);
                        // [condition liveness.guard_mentions]: the body, or the next arm's test, may come after it.
                        self.live = mentioned.clone();
                        self.expr(guard);
                        // [condition liveness.guard_of_bound]: what a pattern binds is not there before it.
                        for local in &bound {
                            mentioned.remove(*local);
                        }
                        // [condition liveness.guard_reached]: arms before this one lead to its guard.
                        union.union(&mentioned);
                    }
                    entries.push((arm, entry, unused));
                }
                for (arm, entry, unused) in entries {
                    let mut kills = union.minus(&entry);
                    // [condition liveness.unused_in_arm]: what a pattern binds may have no use at all.
                    kills.extend(unused);
                    put(&mut self.out.before, key(&arm.body), kills);
                }
                self.live = union;
                self.expr(scrutinee);
            }
            ExprKind::Arith(_, a, b)
            | ExprKind::Bits(_, a, b)
            | ExprKind::Compare(_, a, b)
            | ExprKind::Concat(a, b)
            | ExprKind::Range(a, b, _)
            | ExprKind::Index(a, b) => self.parts(&[a, b]),
            ExprKind::And(a, b) | ExprKind::Or(a, b) | ExprKind::Coalesce(a, b) => {
                let kills = self.perhaps(a, b);
                // [condition liveness.perhaps_kills]: the second was the last use, whether it runs or not.
                put(&mut self.out.after, at, kills);
            }
            ExprKind::Let(local, value, body) => {
                self.expr(body);
                let unused = self.bind(&[*local]);
                // [condition liveness.unused_holder]: such a variable may have no use at all.
                put(&mut self.out.before, key(body), unused);
                self.expr(value);
            }
            ExprKind::Neg(a)
            | ExprKind::BitNot(a)
            | ExprKind::Not(a)
            | ExprKind::Convert(_, a)
            | ExprKind::ToText(a)
            | ExprKind::Field(a, _)
            | ExprKind::Some(a)
            | ExprKind::Ok(a)
            | ExprKind::Err(a)
            | ExprKind::Unwrap(a, _)
            | ExprKind::IsPresent(a)
            | ExprKind::IsType(a, _)
            | ExprKind::Downcast(a)
            | ExprKind::Try(a) => self.expr(a),
            ExprKind::Interpolate(parts) => {
                let values = parts.iter().flat_map(TextPart::exprs);
                self.parts(&values.collect::<Vec<_>>());
            }
            ExprKind::Call(_, args)
            | ExprKind::CallExtern(_, args)
            | ExprKind::Intrinsic(_, args)
            | ExprKind::New(_, args)
            | ExprKind::Variant(_, _, args)
            | ExprKind::Tuple(args)
            | ExprKind::Array(args)
            | ExprKind::Set(args) => self.all(args),
            ExprKind::CallInout(_, place, args)
            | ExprKind::CallTraitInout(_, _, place, args)
            | ExprKind::Update(_, place, args) => {
                let root = self.place_root(place);
                // [condition liveness.updated]: a change is a use.
                let dying = self.touch(&root);
                put(&mut self.out.after, at, dying);
                let mut parts = place_parts(place);
                parts.extend(args);
                self.parts(&parts);
            }
            ExprKind::CallValue(callee, args) | ExprKind::CallTrait(_, _, callee, args) => {
                let mut parts: Vec<&Expr> = vec![callee];
                parts.extend(args);
                self.parts(&parts);
            }
            ExprKind::Dict(pairs) => {
                let parts: Vec<&Expr> =
                    pairs.iter().flat_map(|(key, value)| [key, value]).collect();
                self.parts(&parts);
            }
            ExprKind::TryCatch {
                body,
                error,
                handler,
            } => {
                // An error can leave the body anywhere, so what is alive around it neither dies nor moves in it.
                let out = self.live.clone();
                // [condition liveness.try_body]: an error can leave the body anywhere.
                let mut kept = self.exact_mentions(body);
                // [condition liveness.try_handler]: what only the handler uses must be there.
                kept.union(&self.exact_mentions(handler));
                // [condition liveness.try_error]: what the handler is told is not there before it.
                for local in caught(error) {
                    kept.remove(local);
                }
                // [condition liveness.try_after]: so must what comes after it.
                kept.union(&out);
                self.live = kept.clone();
                self.expr(handler);
                let unused = self.bind(&caught(error));
                // [condition liveness.try_unused]: nothing may use it.
                put(&mut self.out.before, key(handler), unused);
                self.live = kept.clone();
                // [condition liveness.try_jumps]: a jump out of the body may fail first.
                self.guarded.push(kept.clone());
                self.expr(body);
                self.guarded.pop();
                // [condition liveness.try_kills]: one of the two was the last use.
                put(&mut self.out.after, at, kept.minus(&out));
                self.live = kept;
            }
            ExprKind::Return(value) => {
                // [condition liveness.after_return]: nothing after a return is on its path.
                self.live = Set::default();
                self.guard();
                if let Some(value) = value {
                    self.expr(value);
                }
            }
            ExprKind::Break => {
                self.live = self
                    .loops
                    .last()
                    // [condition liveness.after_break]: a break continues after the loop.
                    .map(|l| l.on_break.clone())
                    .unwrap_or_default();
                self.guard();
            }
            ExprKind::Continue => {
                self.live = self
                    .loops
                    .last()
                    // [condition liveness.after_continue]: the next turn comes.
                    .map(|l| l.on_continue.clone())
                    .unwrap_or_default();
                self.guard();
            }
        }
    }

    fn cond(&mut self, cond: &Cond) {
        match cond {
            Cond::Expr(expr) | Cond::Pattern(_, expr) => self.expr(expr),
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        let at = stmt_key(stmt);
        match &stmt.kind {
            StmtKind::Expr(expr) => self.expr(expr),
            StmtKind::Let(local, value) => {
                let unused = self.bind(&[*local]);
                // [condition liveness.unused_variable]: nothing may use a variable.
                put(&mut self.out.after_stmt, at, unused);
                self.expr(value);
            }
            StmtKind::LetPattern(pattern, value) => {
                let mut bound = Vec::new();
                bound_locals(pattern, &mut bound);
                let unused = self.bind(&bound);
                // [condition liveness.unused_in_pattern]: nor one of a pattern.
                put(&mut self.out.after_stmt, at, unused);
                self.expr(value);
            }
            StmtKind::Assign(place, value)
            | StmtKind::AssignArith(place, _, value)
            | StmtKind::AssignBits(place, _, value)
            | StmtKind::Append(place, value) => {
                let root = self.place_root(place);
                // [condition liveness.assigned]: so is an assignment.
                let dying = self.touch(&root);
                put(&mut self.out.after_stmt, at, dying);
                let mut parts = place_parts(place);
                parts.push(value);
                self.parts(&parts);
            }
            StmtKind::While(cond, body) => self.looping(at, &cond_bindings(cond), body, Some(cond)),
            StmtKind::ForRange {
                var, lo, hi, body, ..
            } => {
                self.looping(at, &[*var], body, None);
                self.expr(hi);
                self.expr(lo);
            }
            StmtKind::ForEach {
                pattern,
                iterable,
                body,
            } => {
                let mut bound = Vec::new();
                bound_locals(pattern, &mut bound);
                self.looping(at, &bound, body, None);
                self.expr(iterable);
            }
            StmtKind::ForPart {
                pattern,
                text,
                cut,
                body,
            } => {
                let mut bound = Vec::new();
                bound_locals(pattern, &mut bound);
                self.looping(at, &bound, body, None);
                if let Cut::Separator(separator) = cut {
                    self.expr(separator);
                }
                self.expr(text);
            }
            StmtKind::Defer(_) => {}
            StmtKind::Assert(cond, message) => {
                let kills = match message {
                    Some(message) => self.perhaps(cond, message),
                    None => {
                        self.expr(cond);
                        Vec::new()
                    }
                };
                // [condition liveness.assert_kills]: the message was the last use, whether it is needed or not.
                put(&mut self.out.after_stmt, at, kills);
            }
        }
    }

    fn looping(&mut self, at: Key, bound: &[LocalId], body: &Expr, cond: Option<&Cond>) {
        let out = self.live.clone();
        // Whatever the loop mentions of the outside is alive at its head, so one pass is enough.
        // [condition liveness.loop_body]: the next turn uses it again.
        let mut head = self.exact_mentions(body);
        if let Some(Cond::Expr(cond) | Cond::Pattern(_, cond)) = cond {
            // [condition liveness.loop_condition]: so does its condition.
            head.union(&self.exact_mentions(cond));
        }
        // [condition liveness.loop_declares]: a variable of a turn is not that of the next one.
        for local in bound {
            head.remove(*local);
        }
        // [condition liveness.loop_after]: what comes after the loop uses it.
        head.union(&out);
        self.loops.push(Loop {
            on_break: out.clone(),
            on_continue: head.clone(),
        });
        self.live = head.clone();
        self.expr(body);
        let unused = self.bind(bound);
        let body_live = std::mem::replace(&mut self.live, head);
        let mut kills = self.live.minus(&body_live);
        // [condition liveness.unused_in_turn]: what a turn begins with may have no use in it.
        kills.extend(unused);
        put(&mut self.out.before, key(body), kills);
        // [condition liveness.loop_kills]: the loop was its last use.
        put(&mut self.out.after_stmt, at, self.live.minus(&out));
        if let Some(cond) = cond {
            let head = self.live.clone();
            self.cond(cond);
            // [condition liveness.condition_again]: before the condition is what the turns before it leave.
            self.live = head;
        }
        self.loops.pop();
    }
}

fn cond_bindings(cond: &Cond) -> Vec<LocalId> {
    let mut bound = Vec::new();
    if let Cond::Pattern(pattern, _) = cond {
        bound_locals(pattern, &mut bound);
    }
    bound
}

/// The constant `true` of an endless loop.
pub(crate) fn is_endless(cond: &Cond) -> bool {
    // [condition liveness.endless]: any other condition may end the loop.
    matches!(
        cond,
        Cond::Expr(Expr {
            kind: ExprKind::Bool(true),
            ..
        })
    )
}

/// Whether a pattern fits everything of its type, as far as can be told without types.
pub(crate) fn always_fits(pattern: &Pattern) -> bool {
    match pattern {
        Pattern::Wildcard | Pattern::Bind(_) => true,
        // [condition liveness.fits_tuple]: all members must fit.
        Pattern::Tuple(items) => items.iter().all(always_fits),
        // [condition liveness.fits_rest]: the same where some are left out.
        Pattern::TupleRest { front, back, .. } => front.iter().chain(back).all(always_fits),
        // [condition liveness.fits_fields]: so must all fields.
        Pattern::Fields(_, fields) => fields.iter().all(|(_, item)| always_fits(item)),
        // [condition liveness.fits_or]: one of several must.
        Pattern::Or(items) => items.iter().any(always_fits),
        // [condition liveness.fits_other]: anything else asks.
        _ => false,
    }
}

/// What is evaluated on the path to a place, in order.
fn place_parts(place: &Place) -> Vec<&Expr> {
    let object = match &place.root {
        PlaceRoot::Object(object) => Some(&**object),
        _ => None,
    };
    let keys = place.path.iter().filter_map(|step| match step {
        PlaceStep::Index(_, index) => Some(index),
        PlaceStep::Field(..) => None,
    });
    object.into_iter().chain(keys).collect()
}

/// The variable whose value, or part of it, an expression yields without copying it, and the place where it is read.
fn borrowed_from(expr: &Expr) -> Option<(LocalId, Key)> {
    // [condition liveness.borrowed_scalar]: a number has nothing to hold.
    if is_scalar(expr.ty) {
        return None;
    }
    let mut at = expr;
    // [condition liveness.borrowed]: the value itself.
    // [condition liveness.borrowed_field]: a field of it.
    // [condition liveness.borrowed_element]: an element of it.
    // [condition liveness.borrowed_unwrapped]: what is inside.
    // [condition liveness.borrowed_converted]: it as a trait object.
    // [condition liveness.borrowed_some]: it inside of an option.
    // [condition liveness.borrowed_ok]: it inside of a result.
    // [condition liveness.borrowed_err]: the same.
    // [condition liveness.borrowed_try]: what is inside of a result.
    loop {
        at = match &at.kind {
            ExprKind::Local(local) => return Some((*local, key(at))),
            ExprKind::Field(inner, _)
            | ExprKind::Index(inner, _)
            | ExprKind::Unwrap(inner, _)
            | ExprKind::Convert(_, inner)
            | ExprKind::Some(inner)
            | ExprKind::Ok(inner)
            | ExprKind::Err(inner)
            | ExprKind::Try(inner) => inner,
            _ => return None,
        };
    }
}

/// The variables that evaluating `part` may release before their value has been used: not one of which it is nothing but the value or
/// a part of it.
fn gives_up(part: &Expr) -> Vec<LocalId> {
    let mut in_keys = Vec::new();
    let mut at = part;
    loop {
        at = match &at.kind {
            // [condition liveness.part_itself]: what is read from a variable stays until the statement ends.
            ExprKind::Local(_) => return in_keys,
            // [condition liveness.part_field]: so does what is read from a field of it.
            ExprKind::Field(inner, _) => inner,
            ExprKind::Index(inner, index) => {
                // [condition liveness.keys_of_part]: an index may give it away.
                in_keys.extend(mentioned_locals(index));
                inner
            }
            _ => break,
        };
    }
    mentioned_locals(part)
}

/// Whether values of a type are numbers or truth, which no variable owns.
fn is_scalar(ty: TyId) -> bool {
    matches!(ty, TyId::UNIT | TyId::BOOL | TyId::I64 | TyId::F64)
}
