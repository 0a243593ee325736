//! What is evaluated for sure when a function is called: the walk that the questions before the run share which must not be answered for what may
//! be left out (`replayed.rs`, `gone.rs`).

use simple_syntax::Span;

use crate::typed::parts::{Evaluated, parts};
use crate::typed::*;

/// What a walk looks for, and how far it goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Walk {
    /// Everything, closures included.
    Everywhere,
    /// What is reached for sure.
    Certain,
}

/// How a walk ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum End {
    Passed,
    /// What follows may be left out.
    MayLeave,
}

/// What was met.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Met<What> {
    /// What is looked for, at this place.
    Found(Span, What),
    /// A function of the program is called.
    Call(FuncId),
}

/// A search for something in bodies.
pub(crate) trait Search<'c> {
    /// What is noted of each place.
    type What;

    /// What an expression does itself, apart from its parts.
    fn own(&mut self, e: &'c Expr, walk: Walk, met: &mut Vec<Met<Self::What>>);

    /// Goes through an expression and everything in it.
    fn walk(&mut self, e: &'c Expr, walk: Walk, met: &mut Vec<Met<Self::What>>) -> End {
        let mut end = End::Passed;
        let mut branches: Vec<(bool, Vec<Met<Self::What>>)> = Vec::new();
        parts(e, &mut |part, evaluated| {
            // [condition replayed.after_leaving]: nothing is certain after a place where the function may be left.
            if end == End::MayLeave && walk == Walk::Certain {
                return;
            }
            // [condition replayed.always]: what may not be evaluated is not reached for sure.
            if walk == Walk::Everywhere || evaluated == Evaluated::Always {
                end = self.walk(part, walk, met);
                return;
            }
            let mut inside = Vec::new();
            // [condition replayed.branch_ends]: a branch may leave.
            if self.walk(part, walk, &mut inside) == End::MayLeave || leaves(part) {
                end = End::MayLeave;
            }
            branches.push((part.ty == TyId::NEVER, inside));
        });
        // Whichever branch is taken, one of them is.
        let all = match &e.kind {
            // [condition replayed.otherwise]: without an `else` no branch may run,
            ExprKind::If { otherwise, .. } => otherwise.is_some(),
            // [condition replayed.guards]: nor an arm, if all have guards.
            ExprKind::Match { arms, .. } => arms.iter().all(|arm| arm.guard.is_none()),
            // [condition replayed.only_branches]: other parts that are perhaps evaluated may all be left out.
            _ => false,
        };
        if all
            && branches
                .iter()
                // [condition replayed.all_branches]: each branch reads,
                // [condition replayed.never]: except those that do not come to an end.
                .all(|(never, inside)| *never || !inside.is_empty())
        {
            met.extend(branches.into_iter().flat_map(|(_, inside)| inside));
        }
        self.own(e, walk, met);
        match e.kind {
            ExprKind::Return(_) | ExprKind::Try(_) | ExprKind::Break | ExprKind::Continue => {
                // [condition replayed.returned]: what follows is not reached.
                End::MayLeave
            }
            _ => end,
        }
    }
}

/// Whether an expression may leave the function around it, so that what follows is not reached.
fn leaves(e: &Expr) -> bool {
    if matches!(e.kind, ExprKind::Return(_) | ExprKind::Try(_)) {
        return true;
    }
    let mut found = false;
    // [condition replayed.leaves_inside]: however deep that is.
    parts(e, &mut |part, _| found |= leaves(part));
    found
}
