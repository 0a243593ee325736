//! How the checker reports: each message once, short, and at the call that it concerns.
//!
//! Every diagnostic of the checker goes through [`Checker::report`], which leaves out what was reported already and
//! what only follows from another mistake. Leaves out the words of each report, which are where the mistake is met, and
//! keeping them, which is `state/reports.rs`.

use crate::checker::Checker;
use crate::codes;
use crate::state::Reporting;
use crate::typed::{ERROR_NAME, FuncId};
use simple_syntax::{Diagnostic, Severity, Span};

impl<'a> Checker<'a> {
    /// Adds a report, unless the same code was reported at the same place already, or it would have to name a type that is a mistake:
    /// then it only follows from what was reported.
    pub(crate) fn report(&mut self, diagnostic: Diagnostic) {
        self.reports_mut().count(&diagnostic);
        if names_error(&diagnostic) {
            return;
        }
        let mut diagnostic = self.at_call(diagnostic);
        if let Some((call, name)) = self.reports().called()
            && diagnostic.severity == Severity::Error
            && diagnostic.related.is_empty()
            && diagnostic.span != call
        {
            let told = format!("with the types of this call of `{name}`");
            diagnostic = diagnostic.related(call, told);
        }
        self.reports_mut().add(diagnostic);
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

    /// Refuses a program that is incomplete although no mistake was found in it: that is a bug in the checker.
    pub(crate) fn require_finished(&mut self) {
        let funcs = (0..).map(FuncId).zip(self.output().funcs());
        let without_body = funcs
            .filter(|(_, func)| func.body.is_none())
            .find(|(id, _)| !self.instances().waits(*id));
        let Some(span) = self
            .reports()
            .unfinished()
            .or(without_body.map(|(_, func)| func.span))
        else {
            return;
        };
        if self.reports().has_errors() {
            return;
        }
        let message = "internal error: the checker did not finish this function";
        let d = Diagnostic::error(codes::UNFINISHED, span, message).help(
            "this is a mistake in the compiler, not in the program: please report it together with the function",
        );
        self.aloud(|cx| cx.report(d));
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
