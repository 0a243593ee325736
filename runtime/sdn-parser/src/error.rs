//! The one error type: kind, message, place, and advice kept apart from the message so that tests can see it.
//!
//! Rendering is here and nowhere else. Source lines are not quoted: the printed form is a single line, because it is
//! also the text a Simple program gets from `std.sdn`.

use std::fmt;

/// What went wrong, in the terms of the notation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// No `:`, `=` or `|` after a key, text after a complete value, a section header, or bytes that are not UTF-8.
    Syntax,
    /// A different token was found where a certain mark or value is needed.
    UnexpectedToken,
    /// The text ends where more is needed.
    UnexpectedEof,
    /// A return to a column no block uses, indentation that nothing opens, or keys and items mixed in one block.
    BadIndent,
    /// A key or a table column named twice.
    DuplicateKey,
    /// A number that the value cannot hold.
    BadNumber,
    /// An unterminated string or an unknown escape.
    BadString,
    /// A row with the wrong number of cells, or a cell that does not fit the type of its column.
    InvalidTableRow,
    /// Too deep, too long or too many: see [`crate::MAX_DEPTH`], [`crate::MAX_STRING_BYTES`], [`crate::MAX_CELLS`].
    Limit,
    /// A file that cannot be read.
    Io,
    /// Well-formed text that is not what its reader expects: serde mismatches and [`crate::Document::error_at`].
    Data,
}

/// An error with its place. `line` and `column` count from 1; both are 0 where no place is known.
///
/// A column is a count of characters, so a tab and an accented letter are one column each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    /// What went wrong.
    pub kind: ErrorKind,
    /// One line of prose: what was expected and what was found.
    pub message: String,
    /// Line from 1, or 0 when unknown.
    pub line: u32,
    /// Column from 1 in characters, or 0 when unknown.
    pub column: u32,
    /// What to write instead, when that can be said.
    pub hint: Option<String>,
    /// The file the text came from, when it came from one.
    pub file: Option<String>,
}

impl Error {
    /// Makes an error without a place.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Error {
            kind,
            message: message.into(),
            line: 0,
            column: 0,
            hint: None,
            file: None,
        }
    }

    /// Sets the place, unless a more precise one is already known.
    #[must_use]
    pub fn at(mut self, line: u32, column: u32) -> Self {
        if self.line == 0 {
            self.line = line;
            self.column = column;
        }
        self
    }

    /// Names the file that the printed form begins with.
    #[must_use]
    pub fn with_file(mut self, file: impl Into<String>) -> Self {
        self.file = Some(file.into());
        self
    }

    /// Adds advice.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("sdn error: ")?;
        if let Some(file) = &self.file {
            write!(out, "{file}:")?;
            if self.line == 0 {
                out.write_str(" ")?;
            }
        }
        if self.line != 0 {
            write!(out, "{}:{}: ", self.line, self.column)?;
        }
        out.write_str(&self.message)?;
        match &self.hint {
            Some(hint) => write!(out, "; {hint}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Error {}

impl serde::de::Error for Error {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Error::new(ErrorKind::Data, message.to_string())
    }
}

impl serde::ser::Error for Error {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Error::new(ErrorKind::Data, message.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printed_forms() {
        let error = Error::new(
            ErrorKind::InvalidTableRow,
            "row has 2 cells, 3 columns declared",
        );
        assert_eq!(
            error.to_string(),
            "sdn error: row has 2 cells, 3 columns declared"
        );
        let placed = error.clone().at(4, 5);
        assert_eq!(
            placed.to_string(),
            "sdn error: 4:5: row has 2 cells, 3 columns declared"
        );
        let named = placed.with_file("users.sdn");
        assert_eq!(
            named.to_string(),
            "sdn error: users.sdn:4:5: row has 2 cells, 3 columns declared"
        );
        let io = Error::new(ErrorKind::Io, "cannot read")
            .with_file("a.sdn")
            .with_hint("create it");
        assert_eq!(io.to_string(), "sdn error: a.sdn: cannot read; create it");
    }

    #[test]
    fn the_first_place_stays() {
        assert_eq!(Error::new(ErrorKind::Data, "x").at(2, 3).at(9, 9).line, 2);
    }
}
