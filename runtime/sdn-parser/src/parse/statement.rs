//! One statement of a dict: `key: value`, `key = value`, a key that opens a block or a table.

use super::inline::Ends;
use super::{Below, Parser};
use crate::cursor::Position;
use crate::dict::Dict;
use crate::error::{Error, ErrorKind};
use crate::node::{Entry, Node, NodeValue};
use crate::scalar::{self, excerpt, is_name, name_length};

impl<'a> Parser<'a> {
    /// Parses the statement on the current line, with any block below it, into `dict`. `column` is its indentation.
    pub(super) fn statement(
        &mut self,
        column: usize,
        depth: usize,
        dict: &mut Dict<Entry>,
    ) -> Result<Below, Error> {
        let at = self.cursor.position();
        let key = self.statement_key(dict.is_empty())?;
        self.check_new_key(dict, &key, at)?;
        self.cursor.skip_blanks();
        let (node, below) = match self.cursor.peek() {
            Some(b':') => self.after_colon(column, depth, at, &key)?,
            Some(b'=') => {
                self.cursor.bump();
                self.cursor.skip_blanks();
                if self.cursor.at_content_end() {
                    return Err(self.unexpected("a value after `=`"));
                }
                (self.line_value(depth)?, Below::Nothing)
            }
            Some(b'|') => self.named_table(column, depth)?,
            _ => {
                let found = if self.cursor.at_comment() {
                    "a comment".to_owned()
                } else {
                    self.cursor.found()
                };
                let message = format!(
                    "expected `:`, `=` or `|` after the key {}, found {found}",
                    excerpt(&key)
                );
                return Err(self.error(ErrorKind::Syntax, message));
            }
        };
        dict.insert(
            key,
            Entry {
                line: at.line,
                column: at.column,
                node,
            },
        );
        Ok(below)
    }

    /// Refuses a key that the dict has already.
    pub(super) fn check_new_key(
        &self,
        dict: &Dict<Entry>,
        key: &str,
        at: Position,
    ) -> Result<(), Error> {
        match dict.get(key) {
            None => Ok(()),
            Some(first) => Err(at.error(
                ErrorKind::DuplicateKey,
                format!(
                    "the key {} was already given at {}:{}",
                    excerpt(key),
                    first.line,
                    first.column
                ),
            )),
        }
    }

    fn statement_key(&mut self, first: bool) -> Result<String, Error> {
        match self.cursor.peek() {
            Some(b'[') => return Err(self.section_header()),
            // An item among keys. In an empty dict, which only the root can be here, it is simply not a key.
            _ if !first && (self.at_dash() || self.cursor.peek() == Some(b'{')) => {
                let message = "an array item in a dict block: a block holds either keys or items";
                return Err(self.error(ErrorKind::BadIndent, message));
            }
            _ => {}
        }
        if let Some(key) = self.key()? {
            return Ok(key);
        }
        let message = format!("expected a key, found {}", self.cursor.found());
        Err(self
            .error(ErrorKind::Syntax, message)
            .with_hint("a key is a name of letters, digits, `_` and `-`, or quoted text"))
    }

    /// Reads a bare or quoted key, if one is here.
    pub(super) fn key(&mut self) -> Result<Option<String>, Error> {
        if matches!(self.cursor.peek(), Some(b'"' | b'\'')) {
            return self.quoted().map(Some);
        }
        let at = self.cursor.position();
        let name = self.name();
        self.check_string(at, name.len())?;
        Ok((!name.is_empty()).then(|| name.to_owned()))
    }

    /// Reads a name; empty if none is here.
    pub(super) fn name(&mut self) -> &'a str {
        let from = self.cursor.offset();
        for _ in 0..name_length(self.cursor.rest().as_bytes()) {
            self.cursor.bump();
        }
        self.cursor.slice(from, self.cursor.offset())
    }

    fn section_header(&self) -> Error {
        let line = self.cursor.rest().lines().next().unwrap_or_default();
        let name = line.trim_matches(|c: char| matches!(c, '[' | ']') || c.is_whitespace());
        let name = if is_name(name) && name.len() <= 40 {
            name
        } else {
            "section"
        };
        self.error(
            ErrorKind::Syntax,
            "expected a key, found `[`: there are no section headers",
        )
        .with_hint(format!(
            "write `{name}:` and indent its keys on the lines below"
        ))
    }

    fn after_colon(
        &mut self,
        column: usize,
        depth: usize,
        key_at: Position,
        key: &str,
    ) -> Result<(Node, Below), Error> {
        self.cursor.bump();
        if !self.cursor.at_blank() && !self.cursor.at_line_end() {
            let line = self.cursor.rest().lines().next().unwrap_or_default();
            let shown = excerpt(&format!("{}: {}", crate::write::key(key), line.trim()));
            let message = format!(
                "expected a space after the `:` of a key, found {}",
                self.cursor.found()
            );
            return Err(self
                .error(ErrorKind::Syntax, message)
                .with_hint(format!("write {shown}")));
        }
        self.cursor.skip_blanks();
        if self.cursor.at_content_end() {
            self.end_line()?;
            if self
                .indentation
                .is_some_and(|indentation| indentation > column)
            {
                return Ok((self.block(depth)?, Below::Block));
            }
            return Ok((key_at.node(NodeValue::Null), Below::Nothing));
        }
        if self.cursor.rest().starts_with("table{") {
            return self.typed_table(column, depth);
        }
        Ok((self.line_value(depth)?, Below::Nothing))
    }

    /// Parses a value that may run to the end of the line, and ends the line.
    pub(super) fn line_value(&mut self, depth: usize) -> Result<Node, Error> {
        let node = match self.cursor.peek() {
            Some(b'"' | b'\'' | b'{' | b'[') => self.inline_value(depth)?,
            _ => {
                let (at, text) = self.bare(Ends::Line)?;
                at.node(scalar::classify(text).map_err(|error| error.at(at.line, at.column))?)
            }
        };
        self.end_line()?;
        Ok(node)
    }
}
