//! The state of one pass over a file: open blocks and brackets, and the lines written so far.

use crate::space::Tokens;
use simple_syntax::written::{Tok, Written};

/// How much is changed: less where more would not parse to the same tree.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Change {
    /// Whether lines that are too long are broken.
    pub lines: bool,
    /// Whether a body on the line of its `:` becomes a block if the line is too long.
    pub bodies: bool,
}

impl Change {
    /// Everything.
    pub const BODIES: Change = Change {
        lines: true,
        bodies: true,
    };
    /// Bodies stay on their lines.
    pub const LINES: Change = Change {
        lines: true,
        bodies: false,
    };
    /// Line breaks stay where they are.
    pub const SPACES: Change = Change {
        lines: false,
        bodies: false,
    };
}

/// A bracket that is open.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bracket {
    /// The indentation of the line that opened it.
    pub line: usize,
    /// The indentation of lines in it.
    pub inside: usize,
    /// Whether its line ends after it.
    pub last: bool,
    /// Whether it is `(`.
    pub paren: bool,
}

/// A block that is open.
pub(crate) struct Frame {
    /// The indentation of its statements.
    pub indent: usize,
    /// What a line after it is indented by, if it is part of the statement around it.
    pub base: usize,
    /// Its column in the source.
    pub column: usize,
    /// The brackets that its current statement has open.
    pub open: Vec<Bracket>,
}

/// A line of the result.
pub(crate) struct Line {
    pub text: String,
    /// The comment after it, and its column in the source.
    pub trailing: Option<(String, usize)>,
}

/// The state of one pass.
pub(crate) struct Writer<'a> {
    pub tokens: Tokens<'a>,
    pub written: &'a Written,
    pub change: Change,
    pub frames: Vec<Frame>,
    pub lines: Vec<Line>,
    /// Where parts begin: byte of the source, number of the line.
    pub pieces: Vec<(usize, usize)>,
    /// Whether a blank line is wanted here: not at the start of a file or block.
    pub blank_allowed: bool,
    /// The indentation of the line that was written last.
    pub last_indent: usize,
}

impl<'a> Writer<'a> {
    /// The innermost block.
    pub fn frame(&self) -> &Frame {
        self.frames.last().expect("the file is the outermost block")
    }

    /// The innermost block.
    pub fn frame_mut(&mut self) -> &mut Frame {
        self.frames
            .last_mut()
            .expect("the file is the outermost block")
    }

    /// How many brackets are open after a token, with `depth` before it.
    pub fn depth_after(&self, at: usize, depth: usize) -> usize {
        match self.tokens.all[at].tok {
            Tok::LParen | Tok::LBracket | Tok::LBrace => depth + 1,
            Tok::RParen | Tok::RBracket | Tok::RBrace => depth.saturating_sub(1),
            _ => depth,
        }
    }

    /// The text between a token and the one before it.
    pub fn between(&self, at: usize) -> &'a str {
        let source = self.tokens.source;
        let from = match at.checked_sub(1) {
            Some(before) => self.tokens.all[before].hi as usize,
            None if source.starts_with('\u{feff}') => '\u{feff}'.len_utf8(),
            None => 0,
        };
        &source[from..(self.tokens.all[at].lo as usize).max(from)]
    }

    /// Whether a comment is between a token and the one before it.
    pub fn has_comment(&self, at: usize) -> bool {
        let text = self.between(at);
        text.len() > 1 && text.contains(['#', '/'])
    }
}
