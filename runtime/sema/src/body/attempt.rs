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
    infer: Vec<InferVar>,
    frames: Vec<Frame<'a>>,
    log: usize,
    scope_depth: u32,
    unwraps: Vec<Span>,
    taken: Vec<payload::Taken>,
    placeholders: Vec<lambda::PlaceholderScope>,
    chains: Vec<expr::ChainLinks>,
    waiting: Vec<waiting::Waiting<'a>>,
    constants: FxHashMap<(usize, LocalId), ExprKind>,
    stale: stale::Stale,
    sizes: crate::shapes::Named,
    defaults_made: usize,
    calls_main: bool,
    later: Vec<duty::Later>,
    captured_types: Vec<(FnIdx, usize, TyId)>,
    /// Of what only grows before the end of a body, how much there was.
    pending: usize,
    objects: usize,
    owed: usize,
    dropped: usize,
    matches: usize,
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
            infer: self.infer.clone(),
            frames: self.frames.clone(),
            log: self.log.len(),
            scope_depth: self.scope_depth,
            unwraps: self.unwraps.clone(),
            taken: self.taken.clone(),
            placeholders: self.placeholders.clone(),
            chains: self.chains.clone(),
            waiting: self.waiting.clone(),
            constants: self.constants.clone(),
            stale: self.stale.clone(),
            sizes: self.sizes.clone(),
            defaults_made: self.defaults_made,
            calls_main: self.calls_main,
            later: self.later.clone(),
            captured_types: self.captured_types.clone(),
            pending: self.pending.len(),
            objects: self.objects.len(),
            owed: self.owed.len(),
            dropped: self.dropped.len(),
            matches: self.matches.len(),
        }
    }

    fn go_back(&mut self, before: Before<'a>) {
        self.unbind(before.log);
        self.scope_depth = before.scope_depth;
        self.infer = before.infer;
        self.frames = before.frames;
        self.unwraps = before.unwraps;
        self.taken = before.taken;
        self.placeholders = before.placeholders;
        self.chains = before.chains;
        self.waiting = before.waiting;
        self.constants = before.constants;
        self.stale = before.stale;
        self.sizes = before.sizes;
        self.defaults_made = before.defaults_made;
        self.calls_main = before.calls_main;
        self.later = before.later;
        self.captured_types = before.captured_types;
        self.pending.truncate(before.pending);
        self.objects.truncate(before.objects);
        self.owed.truncate(before.owed);
        self.dropped.truncate(before.dropped);
        self.matches.truncate(before.matches);
        self.cx.reports_mut().rollback(before.reports);
    }
}
