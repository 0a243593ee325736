//! Trying something: the only place where a body goes back to what it knew before.
//!
//! ```text
//! attempt(|body| ..)     Some: stays     None: as if it had never been checked
//! ```
//!
//! All that a body knows is put back, and what it has reported is taken back. What was asked of other functions stays:
//! they are checked once, and their reports are kept (`state/reports.rs`).

use super::*;
use crate::state::Checkpoint;

/// What a body knew.
struct Before<'a> {
    reports: Checkpoint,
    table: InferTable,
    scopes: Scopes<'a>,
    duties: DutiesMark<'a>,
    context: Context,
}

impl<'c, 'a> Body<'c, 'a> {
    /// Checks something that may turn out not to hold: what `act` did is undone where it yields `None`.
    pub(super) fn attempt<T>(&mut self, act: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        let before = self.before();
        let done = act(self);
        match done {
            Some(_) => self.cx.reports_mut().settle(),
            None => self.go_back(before),
        }
        done
    }

    /// What checking something would yield, without a trace of it in this body.
    pub(super) fn rehearse<T>(&mut self, act: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.before();
        let found = act(self);
        self.go_back(before);
        found
    }

    fn before(&mut self) -> Before<'a> {
        Before {
            reports: self.cx.reports_mut().checkpoint(),
            table: self.table.clone(),
            scopes: self.scopes.clone(),
            duties: self.duties.mark(),
            context: self.context.clone(),
        }
    }

    fn go_back(&mut self, before: Before<'a>) {
        self.table = before.table;
        self.scopes = before.scopes;
        self.duties.back_to(before.duties);
        self.context = before.context;
        self.cx.reports_mut().rollback(before.reports);
    }
}
