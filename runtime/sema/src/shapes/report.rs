//! Messages about shapes that do not fit: code, message, `found`, `expected`, notes and help.
//!
//! Where several codes fit: a different rank first, then channels, then layers; for element-wise operands a different rank, the
//! batch, the sequence, anything else.

use super::dim::Dim;
use super::unify::{Mismatch, Part, Store, is_open};
use crate::codes;
use simple_syntax::{Diagnostic, Span};

/// A mistake whose place is not known yet.
#[derive(Debug)]
pub(super) struct Fault {
    pub(super) code: &'static str,
    message: String,
    found: Option<String>,
    expected: Option<String>,
    notes: Vec<String>,
    help: Option<String>,
    /// The argument that it is reported at; the last one if none is.
    pub(super) argument: Option<usize>,
    /// The element of that argument, a list, that it is reported at.
    pub(super) element: Option<usize>,
}

impl Fault {
    pub(super) fn new(code: &'static str) -> Fault {
        Fault {
            code,
            message: String::new(),
            found: None,
            expected: None,
            notes: Vec::new(),
            help: None,
            argument: None,
            element: None,
        }
    }

    /// Two shapes of different rank: `left` was found, `right` is expected.
    pub(super) fn rank(left: &[Part], right: &[Part]) -> Fault {
        let open = |shape: &[Part]| shape.iter().any(is_open);
        let count = |shape: &[Part]| {
            let count = shape.iter().filter(|part| !is_open(part)).count();
            let least = if open(shape) { "at least " } else { "" };
            format!("{least}{count}")
        };
        let plural = if left.len() == 1 && !open(left) {
            ""
        } else {
            "s"
        };
        Fault::new(codes::RANK_MISMATCH).note(format!(
            "{} dimension{plural} against {}",
            count(left),
            count(right)
        ))
    }

    /// Two shapes that should be equal.
    pub(super) fn elementwise(
        left: &[Part],
        right: &[Part],
        mismatch: &Mismatch,
        store: &Store,
    ) -> Fault {
        match mismatch {
            Mismatch::Rank => Fault::rank(left, right),
            Mismatch::Dims(dims) => {
                let only = |at: usize| matches!(dims.as_slice(), [(index, ..)] if *index == at);
                let closed = !left.iter().any(is_open);
                let code = if closed && left.len() >= 2 && only(0) {
                    codes::BATCH_MISMATCH
                } else if closed && left.len() == 3 && only(1) {
                    codes::SEQUENCE_MISMATCH
                } else {
                    codes::SHAPE_MISMATCH
                };
                Fault::new(code).dims(dims, store)
            }
        }
    }

    pub(super) fn message(mut self, message: impl Into<String>) -> Fault {
        self.message = message.into();
        self
    }

    pub(super) fn found(mut self, found: impl Into<String>) -> Fault {
        self.found = Some(found.into());
        self
    }

    pub(super) fn expected(mut self, expected: impl Into<String>) -> Fault {
        self.expected = Some(expected.into());
        self
    }

    pub(super) fn note(mut self, note: impl Into<String>) -> Fault {
        self.notes.push(note.into());
        self
    }

    pub(super) fn help(mut self, help: impl Into<String>) -> Fault {
        self.help = Some(help.into());
        self
    }

    pub(super) fn at(mut self, argument: usize) -> Fault {
        self.argument = Some(argument);
        self
    }

    pub(super) fn element(mut self, element: usize) -> Fault {
        self.element = Some(element);
        self
    }

    /// With a note for each dimension that differs.
    pub(super) fn dims(mut self, dims: &[(usize, Dim, Dim)], store: &Store) -> Fault {
        for (index, left, right) in dims {
            let (left, right) = (store.show_dim(left), store.show_dim(right));
            self.notes
                .push(format!("dimension {index}: {left} against {right}"));
        }
        self
    }

    /// The report, at its place.
    pub(super) fn into_diagnostic(self, span: Span) -> Diagnostic {
        let mut d = Diagnostic::error(self.code, span, self.message);
        d.found = self.found;
        d.expected = self.expected;
        d.notes = self.notes;
        d.help = self.help;
        d
    }
}
