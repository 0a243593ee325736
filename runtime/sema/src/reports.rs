//! Reports: the messages about a program, each one once and short.
//!
//! Every diagnostic of the checker goes through [`Checker::report`], which leaves out what was reported already and
//! what only follows from another mistake. Leaves out the words of each report, which are where the mistake is met.

use crate::checker::Checker;
use crate::codes;
use crate::typed::ERROR_NAME;
use rustc_hash::FxHashSet;
use simple_syntax::{Diagnostic, Severity, Span};

impl<'a> Checker<'a> {
    /// Adds a report, unless the same code was reported at the same place already, or it would have to name a type that is a mistake:
    /// then it only follows from what was reported.
    pub(crate) fn report(&mut self, diagnostic: Diagnostic) {
        self.problems += u32::from(diagnostic.severity == Severity::Error);
        self.undetermined += u32::from(diagnostic.code == codes::UNDETERMINED);
        if names_error(&diagnostic) {
            return;
        }
        let mut diagnostic = self.at_call(diagnostic);
        if let Some((call, name)) = self.called
            && diagnostic.severity == Severity::Error
            && diagnostic.related.is_empty()
            && diagnostic.span != call
        {
            let told = format!("with the types of this call of `{name}`");
            diagnostic = diagnostic.related(call, told);
        }
        if self.muted == 0 && self.reported.insert((diagnostic.span, diagnostic.code)) {
            self.diagnostics.push(diagnostic);
        }
    }

    /// Takes back the reports after the first `count`: they are about something that is checked once more.
    pub(crate) fn take_back(&mut self, count: usize) {
        for report in self.diagnostics.drain(count..) {
            self.reported.remove(&(report.span, report.code));
        }
    }

    /// Sets the reports after the first `count` aside if a trial is open: they are about another function, which is checked once.
    pub(crate) fn keep_reports(&mut self, count: usize) {
        if self.trials > 0 {
            self.kept_reports.extend(self.diagnostics.drain(count..));
        }
    }

    /// The end of a trial.
    pub(crate) fn end_trial(&mut self) {
        self.trials -= 1;
        if self.trials == 0 {
            self.diagnostics.append(&mut self.kept_reports);
        }
    }

    /// Adds advice to the report of an unknown name or method at `span`, from code that knows more about its surroundings.
    pub(crate) fn advise(&mut self, code: &'static str, span: Span, help: String) {
        let mut reports = self.diagnostics.iter_mut().rev();
        if let Some(report) = reports.find(|d| d.code == code && d.span == span) {
            report.notes.clear();
            report.fix = None;
            report.help = Some(help);
        }
    }

    /// Adds an error that is only a message.
    pub(crate) fn error(&mut self, code: &'static str, span: Span, message: impl Into<String>) {
        self.report(Diagnostic::error(code, span, message));
    }

    /// Says that a construct is not supported yet.
    pub(crate) fn unsupported(&mut self, span: Span, what: &str) {
        self.error(
            codes::NOT_SUPPORTED,
            span,
            format!("not supported yet: {what}"),
        );
    }

    pub(crate) fn has_errors(&self) -> bool {
        let mut found = self.diagnostics.iter();
        found.any(|d| d.severity == Severity::Error)
    }

    /// Refuses a program that is incomplete although no mistake was found in it: that is a bug in the checker.
    pub(crate) fn require_finished(&mut self) {
        let without_body = self.funcs.iter().find(|func| func.body.is_none());
        let Some(span) = self.unfinished.or(without_body.map(|func| func.span)) else {
            return;
        };
        if self.has_errors() {
            return;
        }
        self.muted = 0;
        let message = "internal error: the checker did not finish this function";
        let d = Diagnostic::error(codes::UNFINISHED, span, message).help(
            "this is a mistake in the compiler, not in the program: please report it together with the function",
        );
        self.report(d);
    }
}

/// Takes out the warnings about places where an error begins too: what is refused need not be spelled better.
pub(crate) fn drop_warnings_beside_errors(diagnostics: &mut Vec<Diagnostic>) {
    let start = |d: &Diagnostic| (d.span.file, d.span.lo);
    let errors = diagnostics.iter().filter(|d| d.severity == Severity::Error);
    let refused: FxHashSet<_> = errors.map(start).collect();
    diagnostics.retain(|d| d.severity == Severity::Error || !refused.contains(&start(d)));
}

/// Whether a report mentions a type that is a mistake.
fn names_error(d: &Diagnostic) -> bool {
    let related = d.related.iter().map(|(_, text)| text);
    let optional = [&d.found, &d.expected, &d.help].into_iter().flatten();
    let mut texts = [&d.message]
        .into_iter()
        .chain(optional)
        .chain(&d.notes)
        .chain(related);
    texts.any(|text| text.contains(ERROR_NAME))
}
