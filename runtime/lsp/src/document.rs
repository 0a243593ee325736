//! Open files: their texts, and places in them. The protocol counts lines from 0 and columns in units of UTF-16, or in
//! bytes where the editor can.

use serde_json::{Value, json};
use std::path::PathBuf;

/// How columns are counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Columns {
    Utf8,
    Utf16,
}

/// A text with the places of its lines.
#[derive(Clone, Debug)]
pub(crate) struct Document {
    text: String,
    lines: Vec<usize>,
    columns: Columns,
}

impl Document {
    pub(crate) fn new(text: String, columns: Columns) -> Document {
        let breaks = text.bytes().enumerate().filter(|(_, b)| *b == b'\n');
        let lines = [0]
            .into_iter()
            .chain(breaks.map(|(at, _)| at + 1))
            .collect();
        Document {
            text,
            lines,
            columns,
        }
    }

    /// Another text whose columns are counted in the same way.
    pub(crate) fn with_text(&self, text: String) -> Document {
        Document::new(text, self.columns)
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// The byte of a position; one after the end of its line is the line's end.
    pub(crate) fn offset(&self, position: &Value) -> usize {
        let number = |key: &str| position[key].as_u64().unwrap_or(0) as usize;
        let (line, column) = (number("line"), number("character"));
        let Some(&start) = self.lines.get(line) else {
            return self.text.len();
        };
        let end = self
            .lines
            .get(line + 1)
            .map_or(self.text.len(), |next| next - 1);
        let content = &self.text[start..end];
        if self.columns == Columns::Utf8 {
            let mut at = column.min(content.len());
            while !content.is_char_boundary(at) {
                at -= 1;
            }
            return start + at;
        }
        let mut units = 0;
        for (at, c) in content.char_indices() {
            if units >= column {
                return start + at;
            }
            units += c.len_utf16();
        }
        end
    }

    /// The position of a byte.
    pub(crate) fn position(&self, offset: usize) -> Value {
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = self.lines.partition_point(|start| *start <= offset) - 1;
        let before = &self.text[self.lines[line]..offset];
        let character = match self.columns {
            Columns::Utf8 => before.len(),
            Columns::Utf16 => before.encode_utf16().count(),
        };
        json!({"line": line, "character": character})
    }

    /// A range of bytes.
    pub(crate) fn range(&self, lo: usize, hi: usize) -> Value {
        json!({"start": self.position(lo), "end": self.position(hi)})
    }

    /// The text after the changes of `textDocument/didChange`, in order.
    pub(crate) fn changed(&self, changes: &[Value]) -> Document {
        let mut document = self.clone();
        for change in changes {
            let new = change["text"].as_str().unwrap_or_default();
            let text = match change.get("range") {
                Some(range) => {
                    let lo = document.offset(&range["start"]);
                    let hi = document.offset(&range["end"]).max(lo);
                    let mut text = document.text;
                    text.replace_range(lo..hi, new);
                    text
                }
                None => new.to_owned(),
            };
            document = Document::new(text, self.columns);
        }
        document
    }

    /// The word around a byte: where it begins and ends.
    pub(crate) fn word(&self, offset: usize) -> (usize, usize) {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let before = &self.text[..offset];
        let lo = before
            .char_indices()
            .rev()
            .take_while(|(_, c)| is_word(*c))
            .last()
            .map_or(offset, |(at, _)| at);
        let after = &self.text[offset..];
        let length = after.find(|c| !is_word(c)).unwrap_or(after.len());
        (lo, offset + length)
    }
}

/// The path of a `file:` address; `None` for other addresses.
pub(crate) fn path_of(uri: &str) -> Option<PathBuf> {
    let path = uri.strip_prefix("file://")?;
    let path = &path[path.find('/')?..];
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let [first, after @ ..] = rest {
        let code = after
            .get(..2)
            .filter(|_| *first == b'%')
            .and_then(|hex| std::str::from_utf8(hex).ok())
            .and_then(|hex| u8::from_str_radix(hex, 16).ok());
        bytes.push(code.unwrap_or(*first));
        rest = if code.is_some() { &after[2..] } else { after };
    }
    String::from_utf8(bytes).ok().map(PathBuf::from)
}

/// The `file:` address of an absolute path.
pub(crate) fn uri_of(path: &str) -> String {
    let mut uri = "file://".to_owned();
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' | b'~' => {
                uri.push(char::from(byte));
            }
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_counted_as_the_editor_does() {
        let text = "a\u{1f600}b\nc".to_owned();
        let wide = Document::new(text.clone(), Columns::Utf16);
        assert_eq!(wide.offset(&json!({"line": 0, "character": 3})), 5);
        assert_eq!(wide.position(5), json!({"line": 0, "character": 3}));
        let bytes = Document::new(text, Columns::Utf8);
        assert_eq!(bytes.offset(&json!({"line": 0, "character": 5})), 5);
        // In the middle of a character, after the end of a line, after the last line.
        assert_eq!(bytes.offset(&json!({"line": 0, "character": 3})), 1);
        assert_eq!(bytes.offset(&json!({"line": 0, "character": 99})), 6);
        assert_eq!(bytes.offset(&json!({"line": 9, "character": 0})), 8);
    }

    #[test]
    fn changes_are_made_one_after_the_other() {
        let before = Document::new("val x = 1\n".to_owned(), Columns::Utf16);
        let at = |from: u64, to: u64| json!({"start": {"line": 0, "character": from}, "end": {"line": 0, "character": to}});
        let changes = [
            json!({"range": at(4, 5), "text": "count"}),
            json!({"range": at(12, 13), "text": "20"}),
        ];
        assert_eq!(before.changed(&changes).text(), "val count = 20\n");
        assert_eq!(before.changed(&[json!({"text": "new"})]).text(), "new");
    }

    #[test]
    fn addresses_are_paths() {
        let path = "/a b/ü.spl";
        assert_eq!(uri_of(path), "file:///a%20b/%C3%BC.spl");
        assert_eq!(path_of(&uri_of(path)), Some(PathBuf::from(path)));
        assert_eq!(path_of("untitled:1"), None);
    }

    #[test]
    fn a_word_is_around_the_cursor() {
        let document = Document::new("x.na + 1".to_owned(), Columns::Utf16);
        assert_eq!(document.word(3), (2, 4));
        assert_eq!(document.word(5), (5, 5));
    }
}
