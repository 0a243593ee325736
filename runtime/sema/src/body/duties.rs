//! What a body still has to do at its end, or at the end of a statement or block.
//!
//! All of it only grows until it is taken, except where a part is kept whole in a [`DutiesMark`], so an attempt can go back.
//! Leaves out doing it: `duty.rs`, `finish.rs`, `waiting.rs` and `payload.rs`.

use super::duty::{Later, Owed};
use super::finish::MatchCheck;
use super::payload::Taken;
use super::waiting::Waiting;
use super::*;

/// A function number that is settled when the body's types are.
pub(crate) enum Pending {
    Instance(FnIdx, Vec<TyId>),
    Lambda(Box<Func>),
}

/// Provisional function numbers start here.
pub(crate) const PENDING: u32 = 0x8000_0000;

/// A variable that a nested generic function captured: the function, the number of the variable there, and its type.
pub(super) type CapturedType = (FnIdx, usize, TyId);

/// What a body still has to do.
#[derive(Default)]
pub(super) struct Duties<'a> {
    pending: Vec<Pending>,
    /// Conversions to trait objects, and tests and casts of them (from, to): their tables are entered at the end.
    objects: Vec<(TyId, TyId)>,
    /// Calls whose result types are known at the end.
    later: Vec<Later>,
    /// What must hold of types, to be checked at the end.
    owed: Vec<Owed>,
    /// Dropped values of types that are not known yet.
    dropped: Vec<(TyId, Span)>,
    /// Matches whose exhaustiveness is checked when all types are known.
    matches: Vec<MatchCheck>,
    /// Types of variables that nested generic functions captured, until they are known.
    captured: Vec<CapturedType>,
    /// Functions whose bodies are checked when a use has determined their parameters.
    waiting: Vec<Waiting<'a>>,
    /// The `!` of the statement that is being checked through which it may change something, and what it took out of options.
    unwraps: Vec<Span>,
    taken: Vec<Taken>,
    /// The defaults that are being written out, one inside the other, and how many the outermost has made.
    defaults: Vec<Span>,
    defaults_made: usize,
    calls_main: bool,
}

/// What there was to do at some time.
pub(super) struct DutiesMark<'a> {
    later: Vec<Later>,
    captured: Vec<CapturedType>,
    waiting: Vec<Waiting<'a>>,
    unwraps: Vec<Span>,
    taken: Vec<Taken>,
    defaults: Vec<Span>,
    defaults_made: usize,
    calls_main: bool,
    /// Of what only grows before the end of a body, how much there was.
    pending: usize,
    objects: usize,
    owed: usize,
    dropped: usize,
    matches: usize,
}

impl<'a> Duties<'a> {
    pub fn mark(&self) -> DutiesMark<'a> {
        DutiesMark {
            later: self.later.clone(),
            captured: self.captured.clone(),
            waiting: self.waiting.clone(),
            unwraps: self.unwraps.clone(),
            taken: self.taken.clone(),
            defaults: self.defaults.clone(),
            defaults_made: self.defaults_made,
            calls_main: self.calls_main,
            pending: self.pending.len(),
            objects: self.objects.len(),
            owed: self.owed.len(),
            dropped: self.dropped.len(),
            matches: self.matches.len(),
        }
    }

    pub fn back_to(&mut self, mark: DutiesMark<'a>) {
        self.later = mark.later;
        self.captured = mark.captured;
        self.waiting = mark.waiting;
        self.unwraps = mark.unwraps;
        self.taken = mark.taken;
        self.defaults = mark.defaults;
        self.defaults_made = mark.defaults_made;
        self.calls_main = mark.calls_main;
        self.pending.truncate(mark.pending);
        self.objects.truncate(mark.objects);
        self.owed.truncate(mark.owed);
        self.dropped.truncate(mark.dropped);
        self.matches.truncate(mark.matches);
    }

    // Functions by provisional numbers

    /// A provisional function number.
    pub fn pend(&mut self, pending: Pending) -> FuncId {
        self.pending.push(pending);
        FuncId(PENDING + self.pending.len() as u32 - 1)
    }

    pub fn pending(&self) -> &[Pending] {
        &self.pending
    }

    pub fn pending_mut(&mut self) -> &mut [Pending] {
        &mut self.pending
    }

    /// Takes out what a provisional number stands for.
    pub fn take_pending(&mut self, number: usize) -> Pending {
        let nothing = Pending::Instance(FnIdx(0), Vec::new());
        std::mem::replace(&mut self.pending[number], nothing)
    }

    // The end of the body

    /// Notes that a value becomes an object of a trait, or is tested for one.
    pub fn add_object(&mut self, from: TyId, to: TyId) {
        self.objects.push((from, to));
    }

    pub fn take_objects(&mut self) -> Vec<(TyId, TyId)> {
        std::mem::take(&mut self.objects)
    }

    pub fn add_later(&mut self, later: Later) {
        self.later.push(later);
    }

    pub fn take_later(&mut self) -> Vec<Later> {
        std::mem::take(&mut self.later)
    }

    pub fn owe(&mut self, owed: Owed) {
        self.owed.push(owed);
    }

    pub fn owed(&self) -> &[Owed] {
        &self.owed
    }

    pub fn take_owed(&mut self) -> Vec<Owed> {
        std::mem::take(&mut self.owed)
    }

    pub fn add_dropped(&mut self, ty: TyId, span: Span) {
        self.dropped.push((ty, span));
    }

    pub fn take_dropped(&mut self) -> Vec<(TyId, Span)> {
        std::mem::take(&mut self.dropped)
    }

    pub fn add_match(&mut self, check: MatchCheck) {
        self.matches.push(check);
    }

    pub fn take_matches(&mut self) -> Vec<MatchCheck> {
        std::mem::take(&mut self.matches)
    }

    pub fn add_captured(&mut self, captured: CapturedType) {
        self.captured.push(captured);
    }

    pub fn captured(&self) -> &[CapturedType] {
        &self.captured
    }

    pub fn take_captured(&mut self) -> Vec<CapturedType> {
        std::mem::take(&mut self.captured)
    }

    /// Something calls `main`.
    pub fn note_call_of_main(&mut self) {
        self.calls_main = true;
    }

    pub fn calls_main(&self) -> bool {
        self.calls_main
    }

    // The end of a block

    pub fn wait(&mut self, waiting: Waiting<'a>) {
        self.waiting.push(waiting);
    }

    pub fn waiting(&self) -> &[Waiting<'a>] {
        &self.waiting
    }

    pub fn waiting_mut(&mut self, index: usize) -> &mut Waiting<'a> {
        &mut self.waiting[index]
    }

    /// Takes out the functions that have waited since there were so many.
    pub fn take_waiting(&mut self, from: usize) -> Vec<Waiting<'a>> {
        self.waiting.drain(from..).collect()
    }

    // The end of a statement

    /// Whether the `!` at `span` is one through which the statement may change something.
    pub fn changes_through(&self, span: Span) -> bool {
        self.unwraps.contains(&span)
    }

    pub fn add_taken(&mut self, taken: Taken) {
        self.taken.push(taken);
    }

    pub fn taken_mut(&mut self) -> &mut [Taken] {
        &mut self.taken
    }

    // The end of a default

    pub fn open_default(&mut self, default: Span) {
        self.defaults.push(default);
    }

    pub fn close_default(&mut self) {
        self.defaults.pop();
    }

    pub fn is_open_default(&self, default: Span) -> bool {
        self.defaults.contains(&default)
    }

    pub fn outermost_default(&self) -> Option<Span> {
        self.defaults.first().copied()
    }

    /// Counts a default that is to be written out: how many the outermost one has made with it.
    pub fn count_default(&mut self) -> usize {
        self.defaults_made = match self.defaults.is_empty() {
            true => 1,
            false => self.defaults_made + 1,
        };
        self.defaults_made
    }
}

impl<'c, 'a> Body<'c, 'a> {
    /// Checks a statement that may change something through the `!` at these places, and yields what it took out of options.
    pub(super) fn taking_out<T>(
        &mut self,
        unwraps: Vec<Span>,
        act: impl FnOnce(&mut Self) -> T,
    ) -> (T, Vec<Taken>) {
        let outer = std::mem::replace(&mut self.duties.unwraps, unwraps);
        let from = self.duties.taken.len();
        let done = act(self);
        self.duties.unwraps = outer;
        let taken = self.duties.taken.drain(from..).collect();
        (done, taken)
    }
}
