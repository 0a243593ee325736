//! The blocks of calls that begin a line, such as `it "adds":`, found by tokens and indentation alone.
//!
//! So they are found where a text does not parse as well. Leaves out blocks after other statements; next: `parser/layout.rs` for the
//! layout that the parser sees.

use crate::lexer::{Tok, Token, lex};
use crate::span::{FileId, Span};

/// A call with a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CallBlock {
    /// From after the colon to the end of the last line of the block.
    pub body: Span,
}

/// The calls of functions with one of these names that begin a line and have a block, in the order of their heads; the text may be any.
pub fn call_blocks(file: FileId, source: &str, names: &[&str]) -> Vec<CallBlock> {
    if source.len() >= u32::MAX as usize {
        return Vec::new();
    }
    let tokens = lex(file, source, 0..source.len(), &mut Vec::new()).tokens;
    let named = |token: &Token| {
        token.tok == Tok::Ident && names.contains(&&source[token.lo as usize..token.hi as usize])
    };
    let heads = (0..tokens.len()).filter(|&at| tokens[at].first() && named(&tokens[at]));
    heads.filter_map(|at| block_at(file, &tokens, at)).collect()
}

/// The call that begins with the token `at`, if it has a block.
fn block_at(file: FileId, tokens: &[Token], at: usize) -> Option<CallBlock> {
    let column = tokens[at].column;
    let ends = |token: &Token| token.tok == Tok::Eof || token.first() && token.column <= column;
    let end = (at + 1..tokens.len()).find(|&next| ends(&tokens[next]))?;
    let mut depth = 0;
    let colon = (at + 1..end).find(|&next| {
        match tokens[next].tok {
            Tok::LParen | Tok::LBracket | Tok::LBrace => depth += 1,
            Tok::RParen | Tok::RBracket | Tok::RBrace => depth -= 1,
            _ => {}
        }
        depth == 0 && tokens[next].tok == Tok::Colon
    })?;
    let (colon, last) = (tokens[colon], tokens[end - 1]);
    Some(CallBlock {
        body: Span::new(file, colon.hi, last.hi.max(colon.hi)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_end_where_a_line_begins_no_deeper() {
        let text = "group \"a\":\n    it \"b\": one\n    it(\"c: d\"):\n        two = (\n\n        \"\"\"\nit \"e\":\n\"\"\"\n    x\nit \"f\"\nit: # none\n";
        let found = call_blocks(FileId(0), text, &["it"]);
        let part = |span: Span| &text[span.lo as usize..span.hi as usize];
        let shown: Vec<&str> = found.iter().map(|block| part(block.body)).collect();
        let long = "\n        two = (\n\n        \"\"\"\nit \"e\":\n\"\"\"";
        assert_eq!(shown, [" one", long, ""]);
    }
}
