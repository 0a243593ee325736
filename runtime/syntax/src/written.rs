//! A file as it was written: its tree and its tokens, with what the parser knows of each.
//!
//! For tools that keep the text, such as the formatter. Comments and white space are between the tokens, in the source.
//! Strings are one token; the expressions in their holes are only in the tree. Next: `runtime/format`.

use crate::ast::Module;
use crate::diagnostic::{Diagnostic, Severity};
pub use crate::lexer::{Layout, Tok};
use crate::parser::parse_with_tokens;
use crate::span::FileId;
use std::ops::Range;

/// A token with its place and its part in the grammar.
#[derive(Clone, Copy, Debug)]
pub struct WrittenToken {
    /// What it is.
    pub tok: Tok,
    /// First byte.
    pub lo: u32,
    /// One past the last byte.
    pub hi: u32,
    /// Whether it is the first of its line.
    pub first: bool,
    /// Whether white space, a comment or a line break comes directly before it.
    pub spaced: bool,
    /// The indentation of its line if it is the first of it; a tab counts as 4.
    pub column: u32,
    /// Whether it is an operator before its operand, such as the minus of `-x`.
    pub prefix: bool,
    /// Whether it is `<` or `>` around type arguments, or the second `|` of `|x|`.
    pub bracket: bool,
    /// Whether it is a colon between the bounds of a slice.
    pub slice: bool,
}

/// A file with its tokens.
#[derive(Debug)]
pub struct Written {
    /// The tree.
    pub tree: Module,
    /// Errors and warnings.
    pub diagnostics: Vec<Diagnostic>,
    /// The tokens; the last one is [`Tok::Eof`].
    pub tokens: Vec<WrittenToken>,
    /// Blocks and lines in source order. Meant for files without errors.
    pub layout: Vec<Layout>,
    /// The tokens of bodies that are on the line of their `:`; inner ones come before outer ones.
    pub bodies: Vec<Range<u32>>,
}

impl Written {
    /// Whether the file has no syntax error.
    pub fn is_sound(&self) -> bool {
        let mut found = self.diagnostics.iter();
        !found.any(|diagnostic| diagnostic.severity == Severity::Error)
    }
}

/// Parses a file and keeps its tokens.
pub fn parse_written(file: FileId, source: &str) -> Written {
    let (tree, diagnostics, lexed) = parse_with_tokens(file, source, 0..source.len(), false);
    let tokens = lexed.tokens.iter().map(|token| WrittenToken {
        tok: token.tok,
        // Of `>>` the parser may have taken the first half.
        lo: token.lo - u32::from(token.is_split()),
        hi: token.hi,
        first: token.first(),
        spaced: token.spaced(),
        column: token.column,
        prefix: token.is_prefix(),
        bracket: token.is_bracket(),
        slice: token.is_slice(),
    });
    Written {
        tokens: tokens.collect(),
        tree,
        diagnostics,
        layout: lexed.layout,
        bodies: lexed.bodies,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_know_their_part() {
        let text = "val x: [Pair<Pair<i64>>] = -a[1:2]\nif x: y\nelse:\n    z\n";
        let written = parse_written(FileId(0), text);
        assert!(written.is_sound(), "{:?}", written.diagnostics);
        let marked = |which: fn(&WrittenToken) -> bool| -> Vec<&str> {
            let tokens = written.tokens.iter().filter(|token| which(token));
            tokens
                .map(|token| &text[token.lo as usize..token.hi as usize])
                .collect()
        };
        assert_eq!(marked(|token| token.prefix), ["-"]);
        assert_eq!(marked(|token| token.bracket), ["<", "<", ">>"]);
        assert_eq!(marked(|token| token.slice), [":"]);
        let line = |at| Layout::Line(at);
        let all = [
            line(0),
            line(19),
            Layout::Open(25),
            line(25),
            Layout::Close(26),
        ];
        assert_eq!(written.layout, all);
        assert_eq!(written.bodies, std::slice::from_ref(&(22..23)));
    }
}
