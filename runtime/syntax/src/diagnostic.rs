//! What the compiler has to say about a program: facts, not yet text on a screen.
//!
//! Every stage collects [`Diagnostic`]s and goes on; the command line sorts them by place and renders them in
//! one single place (`runtime/cli`). Leaves out colours, source lines and carets.

use crate::span::Span;

/// How bad it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Severity {
    /// The program cannot be compiled.
    Error,
    /// The program runs, but something in it is probably not meant.
    Warning,
}

/// One report: a code, a place, a message, and the facts that help to fix it.
#[derive(Clone, PartialEq, Debug)]
pub struct Diagnostic {
    /// Error or warning.
    pub severity: Severity,
    /// Stable code such as `E0201`; each has a page in `doc/errors/`.
    pub code: &'static str,
    /// One sentence without a full stop at its end.
    pub message: String,
    /// The place it is about.
    pub span: Span,
    /// A short text under the caret, if there is more to say than the message.
    pub label: Option<String>,
    /// Other places that belong to it, each with a short text.
    pub related: Vec<(Span, String)>,
    /// What was found there.
    pub found: Option<String>,
    /// What would be right.
    pub expected: Option<String>,
    /// Further facts.
    pub notes: Vec<String>,
    /// What to do: a nearest name, a fix.
    pub help: Option<String>,
    /// A change of the text that follows the advice, for tools that apply it.
    pub fix: Option<Fix>,
}

/// A place and what would be right there.
#[derive(Clone, PartialEq, Debug)]
pub struct Fix {
    /// What is replaced.
    pub span: Span,
    /// By what.
    pub replacement: String,
}

impl Diagnostic {
    /// An error with only its message.
    pub fn error(code: &'static str, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            severity: Severity::Error,
            code,
            message: message.into(),
            span,
            label: None,
            related: Vec::new(),
            found: None,
            expected: None,
            notes: Vec::new(),
            help: None,
            fix: None,
        }
    }

    /// A warning with only its message.
    pub fn warning(code: &'static str, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            severity: Severity::Warning,
            ..Diagnostic::error(code, span, message)
        }
    }

    /// With a text under the caret.
    pub fn label(mut self, label: impl Into<String>) -> Diagnostic {
        self.label = Some(label.into());
        self
    }

    /// With another place that belongs to it.
    pub fn related(mut self, span: Span, text: impl Into<String>) -> Diagnostic {
        self.related.push((span, text.into()));
        self
    }

    /// With what was found and what was expected.
    pub fn found_expected(
        mut self,
        found: impl Into<String>,
        expected: impl Into<String>,
    ) -> Diagnostic {
        self.found = Some(found.into());
        self.expected = Some(expected.into());
        self
    }

    /// With a further fact.
    pub fn note(mut self, note: impl Into<String>) -> Diagnostic {
        self.notes.push(note.into());
        self
    }

    /// With a replacement for `span` that follows the advice.
    pub fn fix(mut self, span: Span, replacement: impl Into<String>) -> Diagnostic {
        self.fix = Some(Fix {
            span,
            replacement: replacement.into(),
        });
        self
    }

    /// With advice.
    pub fn help(mut self, help: impl Into<String>) -> Diagnostic {
        self.help = Some(help.into());
        self
    }
}
