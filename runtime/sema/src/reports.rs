//! Reports: what is said about a program, once and in few words.
//!
//! Every diagnostic of the checker goes through [`Checker::report`], which leaves out what was said already and what only follows
//! from another mistake. Leaves out the words of each report, which are where the mistake is met.

use crate::checker::Checker;
use crate::codes;
use crate::typed::ERROR_NAME;
use simple_syntax::{Diagnostic, Severity, Span};

impl<'a> Checker<'a> {
    /// Adds a report, unless the same code was reported at the same place already, or it would have to name a type that is a mistake:
    /// then it only follows from what was reported.
    pub(crate) fn report(&mut self, diagnostic: Diagnostic) {
        self.problems += u32::from(diagnostic.severity == Severity::Error);
        if names_error(&diagnostic) {
            return;
        }
        let diagnostic = self.at_call(diagnostic);
        if self.muted == 0 && self.reported.insert((diagnostic.span, diagnostic.code)) {
            self.diagnostics.push(diagnostic);
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

    /// Refuses a program that is not whole although no mistake was found in it: that is one of the checker.
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

    /// `name` with the nearest of `candidates` as help.
    pub(crate) fn unknown(
        &mut self,
        code: &'static str,
        span: Span,
        message: String,
        name: &str,
        candidates: &[&str],
    ) {
        if self.broken.contains(name) {
            self.problems += 1;
            return;
        }
        let mut d = Diagnostic::error(code, span, message);
        if let Some(hint) = crate::suggest::foreign_word(name) {
            d = d.help(hint);
        } else if let Some(near) = crate::suggest::nearest(name, candidates.iter().copied()) {
            d = d.help(format!("did you mean `{near}`?")).fix(span, near);
        }
        self.report(d);
    }

    /// Like [`Checker::unknown`], for a member of a type: a slip of spelling, another language's name for it, or a list of what there is.
    pub(crate) fn unknown_of(
        &mut self,
        code: &'static str,
        span: Span,
        message: String,
        name: &str,
        members: &[&str],
    ) {
        if self.broken.contains(name) {
            self.problems += 1;
            return;
        }
        let mut d = Diagnostic::error(code, span, message);
        let near = crate::suggest::nearest(name, members.iter().copied());
        match (crate::suggest::foreign_member(name, members), near) {
            (Some(known), _) => {
                d = d
                    .help(format!("it is called `{known}` here"))
                    .fix(span, known);
            }
            (None, Some(near)) => d = d.help(format!("did you mean `{near}`?")).fix(span, near),
            (None, None) if !members.is_empty() && members.len() <= 8 => {
                let mut members = members.to_vec();
                members.sort_unstable();
                members.dedup();
                d = d.note(format!("there are {}", crate::modules::listing(&members)));
            }
            (None, None) => {}
        }
        self.report(d);
    }
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
