//! Calls that all processes of a job must make, where only some of them come, found before the run (W0462): an `if`
//! whose condition asks for the rank, with such a call in one branch and not in the other.
//!
//! The library marks these calls with `@all_ranks`, and functions that yield the rank with `@own_rank`. A rank is
//! followed through a variable that is bound to it once, no further, and calls are looked for in the branches
//! themselves, also in lambdas there, not in functions that they call. A call with a group is left alone: it is for
//! the ranks of the group. What a loop, a `match` or an early `return` leaves out is not looked at.

use rustc_hash::{FxHashMap, FxHashSet};
use simple_syntax::{Diagnostic, Span};

use crate::checker::Checker;
use crate::codes;
use crate::steps::each;
use crate::typed::*;

/// The annotation of a function that all ranks of a group must call.
const ALL_RANKS: &str = "all_ranks";
/// The annotation of a function that yields the rank of the process.
const OWN_RANK: &str = "own_rank";
/// The parameter that says which ranks must call it.
const GROUP: &str = "group";

impl Checker<'_> {
    /// Reports calls for all ranks that a condition on the rank leaves out on some.
    pub(crate) fn check_ranked(&mut self) {
        let mut marked = Marked {
            ranks: self.annotated(OWN_RANK).collect(),
            ..Marked::default()
        };
        if marked.ranks.is_empty() {
            return;
        }
        let mut library = FxHashSet::default();
        for instance in self.instances().fns() {
            let info = &self.decls()[instance.fn_idx];
            if !self.modules()[info.module].library {
                continue;
            }
            library.insert(instance.id);
            let mut annotations = info.item.annotations.iter();
            if annotations.any(|annotation| annotation.name.name.as_str() == ALL_RANKS) {
                let mut params = info.decl.params.iter();
                let group = params.position(|param| param.name.name.as_str() == GROUP);
                marked.collectives.insert(instance.id, group);
            }
        }
        if marked.collectives.is_empty() {
            return;
        }
        let bodies: Vec<(FuncId, &Expr)> = (0..self.output().funcs().len())
            .map(|number| FuncId(number as u32))
            .filter(|func| !library.contains(func))
            .filter_map(|func| Some((func, self.output()[func].body.as_ref()?)))
            .collect();
        let mut found = Vec::new();
        for &(_, body) in &bodies {
            marked.note_globals(body);
        }
        for &(_, body) in &bodies {
            let mut locals = FxHashSet::default();
            marked.note_locals(body, &mut locals);
            each(body, &mut |e| {
                if let ExprKind::If {
                    cond,
                    then,
                    otherwise,
                } = &e.kind
                    && let Cond::Expr(cond) = cond.as_ref()
                    && marked.asks_for_rank(cond, &locals)
                {
                    let then = marked.calls(self, then);
                    let otherwise = otherwise
                        .as_ref()
                        .map_or_else(Vec::new, |branch| marked.calls(self, branch));
                    let one_more =
                        missing(&then, &otherwise).or_else(|| missing(&otherwise, &then));
                    found.extend(one_more.map(|span| (span, cond.span)));
                }
            });
        }
        found.sort_by_key(|(span, _)| (span.file, span.lo));
        found.dedup();
        for (span, cond) in found {
            let message = "only some ranks make this call, and it waits for all of them";
            let d = Diagnostic::warning(codes::ON_SOME_RANKS, span, message)
                .note("the ranks that are here wait until the timeout for those that the condition leaves out")
                .help("have all ranks call it, and put under the condition what only one does with the result; or give a `group` of these ranks")
                .related(cond, "the condition on the rank");
            self.report(d);
        }
    }
}

/// The first call of a branch that the other branch does not make as often.
fn missing(here: &[(FuncId, Span)], there: &[(FuncId, Span)]) -> Option<Span> {
    let mut made: FxHashMap<FuncId, usize> = FxHashMap::default();
    for (func, span) in here {
        let count = made.entry(*func).or_default();
        *count += 1;
        if *count > there.iter().filter(|(of, _)| of == func).count() {
            return Some(*span);
        }
    }
    None
}

/// What is marked, and variables that hold a rank.
#[derive(Default)]
struct Marked {
    ranks: FxHashSet<FuncId>,
    /// With the place of their parameter for the group.
    collectives: FxHashMap<FuncId, Option<usize>>,
    globals: FxHashSet<GlobalId>,
}

impl Marked {
    fn is_rank(&self, e: &Expr) -> bool {
        matches!(&e.kind, ExprKind::Call(func, _) if self.ranks.contains(func))
    }

    /// Notes variables of modules that are set to the rank.
    fn note_globals(&mut self, body: &Expr) {
        let mut found = Vec::new();
        each_statement(body, &mut |stmt| {
            if let StmtKind::Assign(place, value) = &stmt.kind
                && let PlaceRoot::Global(global) = place.root
                && place.path.is_empty()
                && self.is_rank(value)
            {
                found.push(global);
            }
        });
        self.globals.extend(found);
    }

    /// Notes variables of a function that are bound to the rank.
    fn note_locals(&self, body: &Expr, locals: &mut FxHashSet<LocalId>) {
        each_statement(body, &mut |stmt| {
            if let StmtKind::Let(local, value) = &stmt.kind
                && self.is_rank(value)
            {
                locals.insert(*local);
            }
        });
    }

    fn asks_for_rank(&self, cond: &Expr, locals: &FxHashSet<LocalId>) -> bool {
        let mut found = false;
        each(cond, &mut |e| {
            found |= match &e.kind {
                ExprKind::Local(local) => locals.contains(local),
                ExprKind::Global(global) => self.globals.contains(global),
                _ => self.is_rank(e),
            };
        });
        found
    }

    /// The calls in a branch that all ranks must make.
    fn calls(&self, cx: &Checker<'_>, branch: &Expr) -> Vec<(FuncId, Span)> {
        let mut found = Vec::new();
        let mut open = vec![branch];
        while let Some(body) = open.pop() {
            each(body, &mut |e| match &e.kind {
                ExprKind::Call(func, args) => {
                    let Some(group) = self.collectives.get(func) else {
                        return;
                    };
                    let given = group.and_then(|place| args.get(place));
                    if given.is_none_or(|arg| matches!(arg.kind, ExprKind::Nil)) {
                        found.push((*func, e.span));
                    }
                }
                ExprKind::Closure(inner, _) => open.extend(cx.output()[*inner].body.as_ref()),
                _ => {}
            });
        }
        found
    }
}

/// Shows the statements of a body.
fn each_statement<'e>(body: &'e Expr, see: &mut dyn FnMut(&'e Stmt)) {
    each(body, &mut |e| {
        if let ExprKind::Block(stmts, _) = &e.kind {
            stmts.iter().for_each(&mut *see);
        }
    });
}
