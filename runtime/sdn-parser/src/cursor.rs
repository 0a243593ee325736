//! The reading position in the text: bytes to lines and columns, white space and comments.
//!
//! It knows what a line and a comment are and nothing of keys or values. It only ever moves forward, one byte at a
//! time, which is what makes the whole parse linear.

/// Where something starts; both numbers count from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Position {
    pub line: u32,
    pub column: u32,
}

/// How many columns a tab counts for in indentation.
const TAB_WIDTH: usize = 4;

pub(crate) struct Cursor<'a> {
    source: &'a str,
    /// Where the text starts, after a byte order mark.
    start: usize,
    offset: usize,
    line: u32,
    column: u32,
}

impl<'a> Cursor<'a> {
    pub fn new(source: &'a str) -> Self {
        let start = if source.starts_with('\u{feff}') {
            '\u{feff}'.len_utf8()
        } else {
            0
        };
        Cursor {
            source,
            start,
            offset: start,
            line: 1,
            column: 1,
        }
    }

    pub fn position(&self) -> Position {
        Position {
            line: self.line,
            column: self.column,
        }
    }

    pub fn offset(&self) -> usize {
        self.offset
    }

    /// The text from an earlier offset up to `end`. Both are at character boundaries because marks are ASCII.
    pub fn slice(&self, from: usize, end: usize) -> &'a str {
        self.source.get(from..end).unwrap_or_default()
    }

    /// Everything from here on.
    pub fn rest(&self) -> &'a str {
        self.source.get(self.offset..).unwrap_or_default()
    }

    pub fn peek(&self) -> Option<u8> {
        self.peek_at(0)
    }

    pub fn peek_at(&self, ahead: usize) -> Option<u8> {
        self.source.as_bytes().get(self.offset + ahead).copied()
    }

    /// Steps over one byte. The bytes of a longer character are stepped over one by one and count as one column.
    pub fn bump(&mut self) {
        match self.peek() {
            None => return,
            Some(b'\n') => {
                self.line = self.line.saturating_add(1);
                self.column = 1;
            }
            Some(byte) if is_continuation(byte) => {}
            Some(_) => self.column = self.column.saturating_add(1),
        }
        self.offset += 1;
    }

    /// Steps over the byte if it is next.
    pub fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        if found {
            self.bump();
        }
        found
    }

    pub fn at_blank(&self) -> bool {
        matches!(self.peek(), Some(b' ' | b'\t'))
    }

    pub fn at_line_end(&self) -> bool {
        self.line_end_at(0)
    }

    pub fn line_end_at(&self, ahead: usize) -> bool {
        match self.peek_at(ahead) {
            None | Some(b'\n') => true,
            Some(b'\r') => matches!(self.peek_at(ahead + 1), Some(b'\n') | None),
            Some(_) => false,
        }
    }

    /// A `#` starts a comment only at the beginning of a line or after white space; `a#b` is data.
    pub fn at_comment(&self) -> bool {
        self.peek() == Some(b'#')
            && (self.offset == self.start
                || matches!(
                    self.offset
                        .checked_sub(1)
                        .and_then(|at| self.source.as_bytes().get(at)),
                    Some(b' ' | b'\t' | b'\n')
                ))
    }

    /// Whether nothing but a comment is left on the line.
    pub fn at_content_end(&self) -> bool {
        self.at_line_end() || self.at_comment()
    }

    pub fn skip_blanks(&mut self) {
        while self.at_blank() {
            self.bump();
        }
    }

    fn skip_comment(&mut self) {
        if self.at_comment() {
            while !self.at_line_end() {
                self.bump();
            }
        }
    }

    /// Steps over a line end, if here.
    fn skip_line_end(&mut self) {
        if self.at_line_end() {
            self.eat(b'\r');
            self.bump();
        }
    }

    /// Steps over blanks, comments and line ends: between the parts of a bracketed value.
    pub fn skip_trivia(&mut self) {
        while self.peek().is_some() {
            if self.at_blank() {
                self.skip_blanks();
            } else if self.at_comment() {
                self.skip_comment();
            } else if self.at_line_end() {
                self.skip_line_end();
            } else {
                break;
            }
        }
    }

    /// Steps over the rest of a line if only blanks and a comment are left; else stays at what is there.
    pub fn finish_line(&mut self) -> bool {
        self.skip_blanks();
        self.skip_comment();
        let finished = self.at_line_end();
        self.skip_line_end();
        finished
    }

    /// From the start of a line, goes to the first character of the next line that has content and returns its
    /// indentation; nothing at the end of the text.
    pub fn next_content_line(&mut self) -> Option<usize> {
        loop {
            let indentation = self.skip_indentation();
            if !self.at_content_end() {
                return Some(indentation);
            }
            self.skip_comment();
            self.peek()?;
            self.skip_line_end();
        }
    }

    /// Steps over blanks and returns how many columns of indentation they make.
    pub fn skip_indentation(&mut self) -> usize {
        let mut width = 0;
        while let Some(byte @ (b' ' | b'\t')) = self.peek() {
            width += if byte == b'\t' { TAB_WIDTH } else { 1 };
            self.bump();
        }
        width
    }

    /// What is here, in the words of an error message.
    pub fn found(&self) -> String {
        match self.rest().chars().next() {
            None => "end of file".to_owned(),
            Some(_) if self.at_line_end() => "end of line".to_owned(),
            Some('`') => "a backquote".to_owned(),
            Some(other) if other.is_control() => format!("`{}`", other.escape_default()),
            Some(other) => format!("`{other}`"),
        }
    }
}

fn is_continuation(byte: u8) -> bool {
    byte & 0xC0 == 0x80
}
