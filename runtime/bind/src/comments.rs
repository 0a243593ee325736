//! Documentation comments: what a header says right above, after or below a declaration.
//!
//! Works on the header's own text, because the preprocessor drops comments. Knows comments and literals of C, nothing else.

/// A comment of a header.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Comment {
    first: u32,
    last: u32,
    /// Whether code is on its first line before it.
    behind_code: bool,
    /// Whether it is a `//` comment.
    line: bool,
    text: String,
}

/// The comments of a header.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Comments {
    comments: Vec<Comment>,
    /// Of each line, from 1: whether it is blank, a preprocessor's, or anything else.
    lines: Vec<Line>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Line {
    Blank,
    Directive,
    Other,
}

impl Comments {
    /// The comments of a text.
    pub fn of(text: &str) -> Comments {
        let line_of = |line: &str| match line.trim_start() {
            "" => Line::Blank,
            line if line.starts_with('#') => Line::Directive,
            _ => Line::Other,
        };
        let mut lines = vec![Line::Blank];
        lines.extend(text.lines().map(line_of));
        let mut out = Comments {
            comments: Vec::new(),
            lines,
        };
        let bytes = text.as_bytes();
        let (mut at, mut line, mut code) = (0, 1u32, false);
        while at < bytes.len() {
            let rest = &text[at..];
            let byte = bytes[at];
            if let Some(comment) = rest.strip_prefix("/*") {
                let (inner, length) = match comment.find("*/") {
                    Some(end) => (&comment[..end], end + 4),
                    None => (comment, rest.len()),
                };
                out.add(line, code, false, inner);
                line += inner.matches('\n').count() as u32;
                at += length;
            } else if rest.starts_with("//") {
                let length = rest.find('\n').unwrap_or(rest.len());
                out.add(line, code, true, &rest[2..length]);
                at += length;
            } else if byte == b'"' || byte == b'\'' {
                code = true;
                at += literal(&bytes[at..]);
            } else {
                code = byte != b'\n' && (code || !byte.is_ascii_whitespace());
                line += u32::from(byte == b'\n');
                // Up to the next byte that starts a character.
                at += rest.chars().next().map_or(1, char::len_utf8);
            }
        }
        out
    }

    fn add(&mut self, first: u32, behind_code: bool, line: bool, inner: &str) {
        let last = first + inner.matches('\n').count() as u32;
        let text = words(inner);
        if let Some(before) = self.comments.last_mut()
            && line
            && before.line
            && before.last + 1 == first
            && !behind_code
            && !before.behind_code
        {
            before.text = format!("{}\n{text}", before.text);
            before.last = last;
            return;
        }
        self.comments.push(Comment {
            first,
            last,
            behind_code,
            line,
            text,
        });
    }

    /// What the header says about a declaration on these lines: the comment right above it, after it, or right below it if
    /// an empty line follows. Only lines of the preprocessor may be between.
    pub fn about(&self, first: u32, last: u32) -> Option<&str> {
        let mut above = first.saturating_sub(1);
        while self.line(above) == Some(Line::Directive) {
            above -= 1;
        }
        let found = self
            .ending(above)
            .filter(|comment| !comment.behind_code && !comment.text.starts_with('<'))
            .or_else(|| self.starting(last).filter(|comment| comment.behind_code))
            .or_else(|| {
                self.starting(last + 1).filter(|comment| {
                    !comment.behind_code
                        && matches!(self.line(comment.last + 1), None | Some(Line::Blank))
                })
            })?;
        let text = found.text.trim_start_matches('<').trim();
        (!text.is_empty()).then_some(text)
    }

    /// What the header says after a declaration on this line, or right above it.
    pub fn beside(&self, line: u32) -> Option<&str> {
        let behind = self.starting(line).filter(|comment| comment.behind_code);
        let found = behind.or_else(|| {
            self.ending(line.saturating_sub(1))
                .filter(|comment| !comment.behind_code)
        })?;
        let text = found.text.trim_start_matches('<').trim();
        (!text.is_empty()).then_some(text)
    }

    fn line(&self, number: u32) -> Option<Line> {
        self.lines
            .get(number as usize)
            .copied()
            .filter(|_| number > 0)
    }

    fn ending(&self, line: u32) -> Option<&Comment> {
        let after = self.comments.partition_point(|comment| comment.last < line);
        self.comments
            .get(after)
            .filter(|comment| comment.last == line)
    }

    fn starting(&self, line: u32) -> Option<&Comment> {
        let after = self
            .comments
            .partition_point(|comment| comment.first <= line);
        let found = self.comments.get(after.checked_sub(1)?)?;
        (found.first == line).then_some(found)
    }
}

/// The text of a comment without its frame of stars and slashes.
fn words(inner: &str) -> String {
    let lines: Vec<&str> = inner
        .trim_start_matches(['*', '!', '/'])
        .lines()
        .map(|line| {
            let line = line.trim();
            let bare = line.trim_start_matches('*');
            match bare.strip_prefix(' ') {
                Some(bare) => bare,
                None => bare,
            }
            .trim_end()
        })
        .collect();
    let shown = |line: &&str| !line.is_empty() && !line.chars().all(|c| "-=*/_~".contains(c));
    let first = lines.iter().position(&shown).unwrap_or(lines.len());
    let last = lines.iter().rposition(shown).map_or(first, |at| at + 1);
    lines[first..last].join("\n")
}

/// The length of a literal at the start; it ends at its line's end at the latest.
fn literal(bytes: &[u8]) -> usize {
    let mut at = 1;
    while at < bytes.len() && bytes[at] != bytes[0] && bytes[at] != b'\n' {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    match bytes.get(at) {
        Some(byte) if *byte == bytes[0] => at + 1,
        _ => at.min(bytes.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_comment_of_a_declaration() {
        let text = "\
/* The header. */

/** Opens it.
 *
 *  At once. */
#ifdef X
int open(void);
#endif
int close(void); /**< Closes \"it\". */
// One
// two.
int count(const char *s, int c = '\\'');
int zlib(void);
/*
    Below.
*/

int none(void);
/* For the next. */
int next(void);
";
        let comments = Comments::of(text);
        assert_eq!(comments.about(7, 7), Some("Opens it.\n\n At once."));
        assert_eq!(comments.about(9, 9), Some("Closes \"it\"."));
        assert_eq!(comments.about(12, 12), Some("One\ntwo."));
        assert_eq!(comments.about(13, 13), Some("Below."));
        assert_eq!(comments.about(18, 18), None);
        assert_eq!(comments.about(20, 20), Some("For the next."));
        assert_eq!(comments.beside(9), Some("Closes \"it\"."));
    }

    #[test]
    fn odd_text_is_read() {
        for text in ["/*", "\"a", "'\\", "/", "// é", "\"\\\n/* a */"] {
            Comments::of(text);
        }
        assert_eq!(Comments::of("int a; // é").about(1, 1), Some("é"));
    }
}
