//! The parser: lines and blocks. One pass, one error.
//!
//! Here are documents, dict blocks and array blocks, which indentation delimits; `statement` has one `key ...` line,
//! `inline` the bracketed values, `table` headers and rows. Recursion happens only where a collection opens inside
//! another, and `Parser::enter` stops it at [`MAX_DEPTH`].

mod inline;
mod statement;
mod table;

use crate::cursor::{Cursor, Position};
use crate::dict::Dict;
use crate::error::{Error, ErrorKind};
use crate::node::{Entry, Node, NodeValue};
use crate::scalar::{self, statement_mark};

/// How many collections may be open inside each other, the root not counted.
pub const MAX_DEPTH: usize = 50;
/// The longest string or key, in bytes.
pub const MAX_STRING_BYTES: usize = 1 << 20;
/// The largest number of table cells in one document.
pub const MAX_CELLS: usize = 1_000_000;

/// Parses a document into values with positions. The root is always a [`NodeValue::Dict`].
///
/// # Errors
///
/// The first error in the text, with its kind, line and column.
pub fn parse_spanned(source: &str) -> Result<Node, Error> {
    let mut cursor = Cursor::new(source);
    let indentation = cursor.next_content_line();
    Parser {
        cursor,
        indentation,
        cells: 0,
    }
    .document()
}

struct Parser<'a> {
    cursor: Cursor<'a>,
    /// The indentation of the line whose first character the cursor is at; nothing at the end of the text. Between
    /// statements only.
    indentation: Option<usize>,
    /// Table cells so far.
    cells: usize,
}

/// Whether what was just parsed had an indented block below it. Decides what a wrong column after it means.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Below {
    Nothing,
    Block,
}

impl Position {
    fn error(self, kind: ErrorKind, message: impl Into<String>) -> Error {
        Error::new(kind, message).at(self.line, self.column)
    }

    fn node(self, value: NodeValue) -> Node {
        Node {
            line: self.line,
            column: self.column,
            value,
        }
    }
}

impl Parser<'_> {
    fn document(mut self) -> Result<Node, Error> {
        if self.indentation.is_some_and(|column| column > 0) {
            let message = "indentation without a block: the first line must start at column 1";
            return Err(self.error(ErrorKind::BadIndent, message));
        }
        let root = self.dict_block(0, 0)?;
        Ok(Node {
            line: 1,
            column: 1,
            value: NodeValue::Dict(root),
        })
    }

    fn error(&self, kind: ErrorKind, message: impl Into<String>) -> Error {
        self.cursor.position().error(kind, message)
    }

    /// The error for finding something else where `expected` should be.
    fn unexpected(&self, expected: &str) -> Error {
        let kind = if self.cursor.peek().is_none() {
            ErrorKind::UnexpectedEof
        } else {
            ErrorKind::UnexpectedToken
        };
        self.error(
            kind,
            format!("expected {expected}, found {}", self.cursor.found()),
        )
    }

    /// The depth inside a collection that opens at the current position.
    fn enter(&self, depth: usize) -> Result<usize, Error> {
        if depth < MAX_DEPTH {
            return Ok(depth + 1);
        }
        Err(self.error(
            ErrorKind::Limit,
            format!("values are nested more than {MAX_DEPTH} deep"),
        ))
    }

    fn check_string(&self, at: Position, length: usize) -> Result<(), Error> {
        if length <= MAX_STRING_BYTES {
            return Ok(());
        }
        let message =
            format!("the string has {length} bytes, at most {MAX_STRING_BYTES} are allowed");
        Err(at.error(ErrorKind::Limit, message))
    }

    /// Reads a quoted string at the cursor.
    fn quoted(&mut self) -> Result<String, Error> {
        let at = self.cursor.position();
        let text = scalar::quoted(&mut self.cursor)?;
        self.check_string(at, text.len())?;
        Ok(text)
    }

    /// Ends a line after a complete value and goes to the next line with content.
    fn end_line(&mut self) -> Result<(), Error> {
        if !self.cursor.finish_line() {
            let message = format!(
                "text after a complete value: expected the end of the line, found {}",
                self.cursor.found()
            );
            return Err(self.error(ErrorKind::Syntax, message));
        }
        self.indentation = self.cursor.next_content_line();
        Ok(())
    }

    /// Whether the next line belongs to the block at `column`: no if it is further left, an error if further right.
    fn in_block(&self, column: usize, above: Below) -> Result<bool, Error> {
        match self.indentation {
            Some(indentation) if indentation == column => Ok(true),
            Some(indentation) if indentation > column => Err(self.error(
                ErrorKind::BadIndent,
                match above {
                    Below::Nothing => {
                        "indentation without a block: the line above does not open one"
                    }
                    Below::Block => "the line returns to a column that no enclosing block uses",
                },
            )),
            _ => Ok(false),
        }
    }

    /// Parses the block that starts on the current line, further right than its opener.
    fn block(&mut self, depth: usize) -> Result<Node, Error> {
        let at = self.cursor.position();
        let depth = self.enter(depth)?;
        let column = self.indentation.unwrap_or_default();
        let value = if statement_mark(self.cursor.rest().as_bytes()).is_some() {
            NodeValue::Dict(self.dict_block(column, depth)?)
        } else {
            NodeValue::Array(self.array_block(column, depth)?)
        };
        Ok(at.node(value))
    }

    fn dict_block(&mut self, column: usize, depth: usize) -> Result<Dict<Entry>, Error> {
        let mut dict = Dict::new();
        let mut above = Below::Nothing;
        while self.in_block(column, above)? {
            above = self.statement(column, depth, &mut dict)?;
        }
        Ok(dict)
    }

    fn array_block(&mut self, column: usize, depth: usize) -> Result<Vec<Node>, Error> {
        let mut items = Vec::new();
        let mut above = Below::Nothing;
        while self.in_block(column, above)? {
            let (item, below) = self.array_item(column, depth)?;
            items.push(item);
            above = below;
        }
        Ok(items)
    }

    fn array_item(&mut self, column: usize, depth: usize) -> Result<(Node, Below), Error> {
        if !self.at_dash() {
            if statement_mark(self.cursor.rest().as_bytes()).is_some() {
                let message = "a key in an array block: a block holds either keys or items";
                return Err(self
                    .error(ErrorKind::BadIndent, message)
                    .with_hint("write `- key: value` for a dict item"));
            }
            return Ok((self.line_value(depth)?, Below::Nothing));
        }
        self.cursor.bump();
        let column = column + 1 + self.cursor.skip_indentation();
        if self.cursor.at_content_end() {
            return Err(self.unexpected("a value after `-`"));
        }
        if self.at_dash() {
            let message = "an array item has one `-`";
            return Err(self
                .error(ErrorKind::Syntax, message)
                .with_hint("write an array inside an array as `[a, b]`"));
        }
        if statement_mark(self.cursor.rest().as_bytes()).is_none() {
            return Ok((self.line_value(depth)?, Below::Nothing));
        }
        let at = self.cursor.position();
        let depth = self.enter(depth)?;
        // The first key counts as if it were at the start of a line; the others line up with it.
        self.indentation = Some(column);
        let dict = self.dict_block(column, depth)?;
        Ok((at.node(NodeValue::Dict(dict)), Below::Block))
    }

    /// Whether a `-` that marks an array item is next.
    fn at_dash(&self) -> bool {
        self.cursor.peek() == Some(b'-')
            && (matches!(self.cursor.peek_at(1), Some(b' ' | b'\t')) || self.cursor.line_end_at(1))
    }
}
