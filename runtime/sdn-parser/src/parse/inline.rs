//! Values inside a line: bare and quoted text, `{..}` and `[..]`. Inside brackets line breaks do not matter.

use super::Parser;
use crate::cursor::Position;
use crate::dict::Dict;
use crate::error::{Error, ErrorKind};
use crate::node::{Entry, Node, NodeValue};
use crate::scalar::{self, excerpt};

/// What ends a bare text, apart from a comment and the end of the line.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Ends {
    /// Nothing else.
    Line,
    /// A `,`: cells of a table row.
    Row,
    /// A `,` or a closing bracket of any kind.
    Inline,
}

impl<'a> Parser<'a> {
    /// Reads bare text without the blanks around it; it may be empty.
    pub(super) fn bare(&mut self, ends: Ends) -> Result<(Position, &'a str), Error> {
        let at = self.cursor.position();
        let from = self.cursor.offset();
        let mut end = from;
        while !self.cursor.at_content_end() {
            match self.cursor.peek() {
                Some(b',') if ends != Ends::Line => break,
                Some(b']' | b'}' | b')') if ends == Ends::Inline => break,
                _ => {}
            }
            let blank = self.cursor.at_blank();
            self.cursor.bump();
            if !blank {
                end = self.cursor.offset();
            }
        }
        let text = self.cursor.slice(from, end);
        self.check_string(at, text.len())?;
        Ok((at, text))
    }

    /// Parses a value inside an inline collection, or one that starts with a quote or bracket anywhere.
    pub(super) fn inline_value(&mut self, depth: usize) -> Result<Node, Error> {
        let at = self.cursor.position();
        match self.cursor.peek() {
            Some(b'"' | b'\'') => Ok(at.node(NodeValue::String(self.quoted()?))),
            Some(b'{') => self.inline_dict(depth),
            Some(b'[') => self.inline_array(depth),
            _ => {
                let (at, text) = self.bare(Ends::Inline)?;
                if text.is_empty() {
                    return Err(self.unexpected("a value"));
                }
                Ok(at.node(scalar::classify(text).map_err(|error| error.at(at.line, at.column))?))
            }
        }
    }

    fn inline_array(&mut self, depth: usize) -> Result<Node, Error> {
        let at = self.cursor.position();
        let depth = self.enter(depth)?;
        self.cursor.bump();
        let mut items = Vec::new();
        loop {
            self.cursor.skip_trivia();
            if self.cursor.eat(b']') {
                return Ok(at.node(NodeValue::Array(items)));
            }
            if self.cursor.peek().is_none() {
                return Err(self.unexpected(&closer("a value or `]`", '[', at)));
            }
            items.push(self.inline_value(depth)?);
            self.separator(b']', '[', at)?;
        }
    }

    fn inline_dict(&mut self, depth: usize) -> Result<Node, Error> {
        let at = self.cursor.position();
        let depth = self.enter(depth)?;
        self.cursor.bump();
        let mut dict: Dict<Entry> = Dict::new();
        loop {
            self.cursor.skip_trivia();
            if self.cursor.eat(b'}') {
                return Ok(at.node(NodeValue::Dict(dict)));
            }
            let key_at = self.cursor.position();
            let Some(key) = self.key()? else {
                return Err(self.unexpected(&closer("a key or `}`", '{', at)));
            };
            self.check_new_key(&dict, &key, key_at)?;
            self.cursor.skip_trivia();
            if !self.cursor.eat(b':') {
                if self.cursor.peek().is_none() {
                    return Err(self.unexpected(&closer("`:` and a value", '{', at)));
                }
                let message = format!(
                    "expected `:` after the key {}, found {}",
                    excerpt(&key),
                    self.cursor.found()
                );
                return Err(self.error(ErrorKind::Syntax, message));
            }
            self.cursor.skip_trivia();
            let node = self.inline_value(depth)?;
            dict.insert(
                key,
                Entry {
                    line: key_at.line,
                    column: key_at.column,
                    node,
                },
            );
            self.separator(b'}', '{', at)?;
        }
    }

    /// Steps over the `,` after an element. A closing bracket stays, for the head of the loop to see.
    pub(super) fn separator(
        &mut self,
        close: u8,
        open: char,
        opened: Position,
    ) -> Result<(), Error> {
        self.cursor.skip_trivia();
        if self.cursor.eat(b',') || self.cursor.peek() == Some(close) {
            return Ok(());
        }
        Err(self.unexpected(&closer(
            &format!("`,` or `{}`", close as char),
            open,
            opened,
        )))
    }
}

/// Adds to what is expected where the bracket was opened, which may be many lines above.
pub(super) fn closer(expected: &str, open: char, opened: Position) -> String {
    format!(
        "{expected} for the `{open}` at {}:{}",
        opened.line, opened.column
    )
}
