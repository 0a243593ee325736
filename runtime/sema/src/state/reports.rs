//! The messages about a program, and what was said already.
//!
//! ```text
//! mark          is what follows free of mistakes?       sound_since(mark)
//! checkpoint    what follows may be taken back          rollback, or settle
//! once          what follows is kept in any case
//! quietly       what follows is not said, but counts    aloud: is said nevertheless
//! ```
//!
//! Everything that decides whether something is said again is a [`Journal`], so a rollback covers it. Leaves out the
//! words of messages, and for which call a message is meant (`reporting.rs`).

use super::journal::{Journal, Length};
use crate::codes;
use crate::decls::Asked;
use rustc_hash::FxHashSet;
use simple_syntax::{Diagnostic, FileId, Severity, Span, Symbol};
use std::ops::RangeInclusive;

/// The messages.
#[derive(Default)]
pub(crate) struct Reports {
    shown: Vec<Diagnostic>,
    /// What these are about: one code is reported once at a place.
    places: Journal<(Span, &'static str)>,
    /// Names of other languages that were warned about, by file.
    foreign_names: Journal<(FileId, Symbol)>,
    /// Defaults that were reported because they cannot be written out.
    faulty_defaults: Journal<Span>,
    /// Variables whose value does something when it ends, by the places of their names: they are used without being
    /// read.
    living: Journal<Span>,
    /// Names whose declarations the parser could not read.
    broken: FxHashSet<&'static str>,
    /// How many checkpoints are open, and the messages since the first that are kept whatever is taken back.
    checkpoints: u32,
    set_aside: Vec<Diagnostic>,
    /// How often what is said now was asked to be left out.
    quiet: u32,
    /// How many mistakes were met, those included that were not said.
    mistakes: u32,
    /// How many of them are kept whatever is taken back.
    kept: u32,
    /// How many times a type was needed that nothing has determined.
    undetermined: u32,
    /// A function whose tree holds an error or an unknown type: it must not be compiled.
    unfinished: Option<Span>,
    /// While a function of the library is checked: the call at which its mistakes are reported.
    asked: Option<Asked>,
    /// The call for whose types a function is being checked, and the function's name.
    called: Option<(Span, Symbol)>,
    /// The names that could stand where [`PROBE`] does.
    offered: Vec<String>,
}

/// A name that nothing has: where a program says it, the check finds which names could be there
/// ([`Checked::offered`](crate::Checked)). An editor writes it where the cursor is.
pub const PROBE: &str = "probe_of_an_editor_";

/// A time in a check, from which one can ask what has been met since.
#[derive(Clone, Copy, Default)]
pub(crate) struct Mark {
    mistakes: u32,
    undetermined: u32,
}

/// All that [`Reports::rollback`] needs.
pub(crate) struct Checkpoint(Made);

/// How much was said at some time.
#[derive(Clone, Copy)]
struct Made {
    shown: usize,
    places: Length,
    foreign_names: Length,
    faulty_defaults: Length,
    living: Length,
    mistakes: u32,
    kept: u32,
    undetermined: u32,
}

impl Reports {
    /// Takes note of the names that could stand where the unknown `name` does, if that is [`PROBE`].
    pub fn offer<'n>(&mut self, name: &str, names: impl IntoIterator<Item = &'n str>) {
        if name == PROBE {
            self.offered.extend(names.into_iter().map(str::to_owned));
        }
    }

    /// Whether what is found now is said.
    pub fn is_aloud(&self) -> bool {
        self.quiet == 0
    }

    /// The names that were offered, each once, sorted.
    pub fn take_offered(&mut self) -> Vec<String> {
        let mut offered = std::mem::take(&mut self.offered);
        offered.sort_unstable();
        offered.dedup();
        offered
    }

    /// Adds a message, unless nothing is said now, or its code was reported at its place already.
    pub fn add(&mut self, diagnostic: Diagnostic) {
        if self.quiet == 0 && self.places.insert((diagnostic.span, diagnostic.code)) {
            self.shown.push(diagnostic);
        }
    }

    /// Counts what a message is about, whether or not it is said.
    pub fn count(&mut self, diagnostic: &Diagnostic) {
        self.mistakes += u32::from(diagnostic.severity == Severity::Error);
        self.undetermined += u32::from(diagnostic.code == codes::UNDETERMINED);
    }

    /// Counts a mistake that only follows from one which was reported, so that nothing is said of it.
    pub fn count_follow_up(&mut self) {
        self.mistakes += 1;
    }

    /// Counts a type that nothing has determined where it was needed, of which a message with another code tells.
    pub fn count_undetermined(&mut self) {
        self.undetermined += 1;
    }

    // What was met

    pub fn mark(&self) -> Mark {
        Mark {
            mistakes: self.mistakes,
            undetermined: self.undetermined,
        }
    }

    /// Whether no mistake was met since `mark`.
    pub fn sound_since(&self, mark: Mark) -> bool {
        self.mistakes == mark.mistakes
    }

    /// Whether every type that was needed since `mark` was known.
    pub fn determined_since(&self, mark: Mark) -> bool {
        self.undetermined == mark.undetermined
    }

    /// Whether no mistake was met at all.
    pub fn is_sound(&self) -> bool {
        self.sound_since(Mark::default())
    }

    pub fn has_errors(&self) -> bool {
        self.shown.iter().any(|d| d.severity == Severity::Error)
    }

    /// Whether a message like this was made, shown or set aside.
    pub fn has(&self, like: impl Fn(&Diagnostic) -> bool) -> bool {
        self.shown.iter().chain(&self.set_aside).any(like)
    }

    // What was said already

    /// Whether a name of another language is met for the first time in this file.
    pub fn is_first_in_file(&mut self, file: FileId, name: Symbol) -> bool {
        self.foreign_names.insert((file, name))
    }

    /// Notes a default that is being reported, if that is said, so that it is not written out again: defaults that need
    /// each other would otherwise be tried in every order, at every call.
    pub fn give_up_default(&mut self, default: Span) {
        if self.quiet == 0 {
            self.faulty_defaults.insert(default);
        }
    }

    pub fn is_faulty_default(&self, default: Span) -> bool {
        self.faulty_defaults.contains(&default)
    }

    /// Notes a variable that is used without being read.
    pub fn note_living(&mut self, name: Span) {
        self.living.insert(name);
    }

    pub fn is_living(&self, name: Span) -> bool {
        self.living.contains(&name)
    }

    // Declarations that the parser reported

    pub fn add_broken(&mut self, names: impl Iterator<Item = &'static str>) {
        self.broken.extend(names);
    }

    /// Whether the declaration of a name could not be read.
    pub fn is_broken(&self, name: &str) -> bool {
        self.broken.contains(name)
    }

    /// Whether what is wrong with a name follows from its declaration, which could not be read: then nothing more is
    /// said of it.
    pub fn follows_from_broken(&mut self, name: &str) -> bool {
        let broken = self.is_broken(name);
        if broken {
            self.count_follow_up();
        }
        broken
    }

    /// Notes a function that must not be compiled.
    pub fn add_unfinished(&mut self, span: Span) {
        self.unfinished.get_or_insert(span);
    }

    pub fn unfinished(&self) -> Option<Span> {
        self.unfinished
    }

    // Calls for which messages are meant

    pub fn asked(&self) -> Option<&Asked> {
        self.asked.as_ref()
    }

    pub fn called(&self) -> Option<(Span, Symbol)> {
        self.called
    }

    // Taking back

    /// The beginning of what may be taken back; [`Reports::rollback`] or [`Reports::settle`] ends it.
    pub fn checkpoint(&mut self) -> Checkpoint {
        self.checkpoints += 1;
        Checkpoint(self.made())
    }

    /// Whether a checkpoint is open.
    pub fn may_roll_back(&self) -> bool {
        self.checkpoints > 0
    }

    /// Takes back what was said and met since `checkpoint`, except what was done [once](Reporting::once).
    pub fn rollback(&mut self, checkpoint: Checkpoint) {
        let Checkpoint(made) = checkpoint;
        self.shown.truncate(made.shown);
        self.places.back_to(made.places);
        self.foreign_names.back_to(made.foreign_names);
        self.faulty_defaults.back_to(made.faulty_defaults);
        self.living.back_to(made.living);
        self.mistakes = made.mistakes + (self.kept - made.kept);
        self.undetermined = made.undetermined;
        self.settle();
    }

    /// The end of what could be taken back: it stays.
    pub fn settle(&mut self) {
        self.checkpoints -= 1;
        if self.checkpoints == 0 {
            self.shown.append(&mut self.set_aside);
        }
    }

    fn made(&self) -> Made {
        Made {
            shown: self.shown.len(),
            places: self.places.length(),
            foreign_names: self.foreign_names.length(),
            faulty_defaults: self.faulty_defaults.length(),
            living: self.living.length(),
            mistakes: self.mistakes,
            kept: self.kept,
            undetermined: self.undetermined,
        }
    }

    /// Keeps what was said since `made` whatever is taken back.
    fn keep_since(&mut self, made: Made) {
        if self.may_roll_back() {
            self.kept = made.kept + (self.mistakes - made.mistakes);
            self.set_aside.extend(self.shown.drain(made.shown..));
            self.places.keep_since(made.places);
            self.foreign_names.keep_since(made.foreign_names);
            self.faulty_defaults.keep_since(made.faulty_defaults);
            self.living.keep_since(made.living);
        }
    }

    // Changing messages

    /// Adds advice to the message about an unknown name or method at `span`, from code that knows more about its
    /// surroundings.
    pub fn advise(&mut self, code: &'static str, span: Span, help: String) {
        let mut reports = self.shown.iter_mut().rev();
        if let Some(report) = reports.find(|d| d.code == code && d.span == span) {
            report.notes.clear();
            report.fix = None;
            report.help = Some(help);
        }
    }

    /// Takes out messages with these codes.
    pub fn drop_codes(&mut self, codes: RangeInclusive<&'static str>) {
        self.shown.retain(|d| !codes.contains(&d.code));
    }

    /// Takes out the warnings about places where an error begins too: what is refused need not be spelled better.
    pub fn drop_warnings_beside_errors(&mut self) {
        let start = |d: &Diagnostic| (d.span.file, d.span.lo);
        let errors = self.shown.iter().filter(|d| d.severity == Severity::Error);
        let refused: FxHashSet<_> = errors.map(start).collect();
        self.shown
            .retain(|d| d.severity == Severity::Error || !refused.contains(&start(d)));
    }

    /// Takes out the warnings that `allowed` is true of.
    pub fn drop_warnings(&mut self, allowed: impl Fn(&Diagnostic) -> bool) {
        self.shown
            .retain(|d| d.severity != Severity::Warning || !allowed(d));
    }

    /// Sorts the messages by file and place.
    pub fn sort(&mut self) {
        self.shown
            .sort_by_key(|d| (d.span.file, d.span.lo, d.span.hi));
    }

    /// The warnings, in their order.
    pub fn warnings_mut(&mut self) -> impl Iterator<Item = &mut Diagnostic> {
        self.shown
            .iter_mut()
            .filter(|d| d.severity == Severity::Warning)
    }

    pub fn into_shown(self) -> Vec<Diagnostic> {
        self.shown
    }
}

/// Whoever reaches the messages, and can say what happens to them during a part of its work.
pub(crate) trait Reporting: Sized {
    fn reports_mut(&mut self) -> &mut Reports;

    /// Does something of which nothing is said: it repeats what is reported elsewhere, or is only tried.
    fn quietly<T>(&mut self, act: impl FnOnce(&mut Self) -> T) -> T {
        self.quietly_if(true, act)
    }

    fn quietly_if<T>(&mut self, quiet: bool, act: impl FnOnce(&mut Self) -> T) -> T {
        self.reports_mut().quiet += u32::from(quiet);
        let done = act(self);
        self.reports_mut().quiet -= u32::from(quiet);
        done
    }

    /// Does something of which all is said, also within [`Reporting::quietly`].
    fn aloud<T>(&mut self, act: impl FnOnce(&mut Self) -> T) -> T {
        let quiet = std::mem::take(&mut self.reports_mut().quiet);
        let done = act(self);
        self.reports_mut().quiet = quiet;
        done
    }

    /// Does something whose result is remembered, such as checking a function: whatever is taken back of what needs it
    /// first, what it says stays said, because nothing will say it again.
    fn once<T>(&mut self, act: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.reports_mut().made();
        let done = act(self);
        self.reports_mut().keep_since(before);
        done
    }

    /// Does something whose mistakes concern the call `asked`, which leads into the library.
    fn asked_by<T>(&mut self, asked: Option<Asked>, act: impl FnOnce(&mut Self) -> T) -> T {
        let outer = std::mem::replace(&mut self.reports_mut().asked, asked);
        let done = act(self);
        self.reports_mut().asked = outer;
        done
    }

    /// Does something that depends on the types of the call `called`.
    fn called_by<T>(
        &mut self,
        called: Option<(Span, Symbol)>,
        act: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let outer = std::mem::replace(&mut self.reports_mut().called, called);
        let done = act(self);
        self.reports_mut().called = outer;
        done
    }
}
