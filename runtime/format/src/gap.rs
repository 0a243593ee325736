//! What is between two tokens: comments, blank lines and line breaks.
//!
//! Leaves out where a comment is put (`write.rs`). A backslash that joins two lines is not kept.

/// A comment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Comment<'a> {
    /// Its text from `#` on, without white space after it.
    pub text: &'a str,
    /// The column at which it begins; a tab counts as 4.
    pub column: usize,
    /// Whether it begins its line.
    pub own_line: bool,
    /// Whether it is between `/*` and `*/`.
    pub block: bool,
    /// Whether a blank line is above it.
    pub blank_above: bool,
}

/// The text between two tokens.
#[derive(Debug, Default)]
pub(crate) struct Gap<'a> {
    /// The comments in order.
    pub comments: Vec<Comment<'a>>,
    /// Whether a blank line is above the token after it.
    pub blank_above: bool,
}

/// Reads the gap `text`; `at_start` says that a line begins with it.
pub(crate) fn read(text: &str, at_start: bool) -> Gap<'_> {
    let mut gap = Gap::default();
    if text.bytes().all(|byte| byte == b' ') {
        return gap;
    }
    let bytes = text.as_bytes();
    let (mut at, mut column, mut own_line) = (0, 0, at_start);
    // Line breaks since the last comment or the token before.
    let mut breaks = usize::from(at_start);
    while at < bytes.len() {
        match bytes[at] {
            b'\n' => {
                breaks += 1;
                (column, own_line) = (0, true);
                at += 1;
            }
            b'\t' => {
                column += 4;
                at += 1;
            }
            b'#' | b'/' => {
                let block = bytes[at..].starts_with(b"/*");
                let end = match block {
                    true => at + block_end(&text[at..]),
                    false => text[at..]
                        .find('\n')
                        .map_or(text.len(), |length| at + length),
                };
                gap.comments.push(Comment {
                    text: text[at..end].trim_end(),
                    column,
                    own_line,
                    block,
                    blank_above: breaks > 1,
                });
                column += end - at;
                breaks = 0;
                own_line = false;
                at = end;
            }
            _ => {
                column += 1;
                at += 1;
            }
        }
    }
    gap.blank_above = breaks > 1;
    gap
}

/// How long the block comment is that `text` begins with; they nest.
fn block_end(text: &str) -> usize {
    let bytes = text.as_bytes();
    let (mut at, mut depth) = (2, 1);
    while depth > 0 && at < bytes.len() {
        if bytes[at..].starts_with(b"/*") {
            depth += 1;
            at += 2;
        } else if bytes[at..].starts_with(b"*/") {
            depth -= 1;
            at += 2;
        } else {
            at += 1;
        }
    }
    at.min(bytes.len())
}
