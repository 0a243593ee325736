//! Places in source text: which file, and from which byte to which byte.
//!
//! Leaves out lines and columns, which are computed from the text only when a message is shown
//! ([`SourceMap::position`]). Next: `diagnostic.rs` for the messages about a place.

use std::sync::OnceLock;

/// A source file's number in the [`SourceMap`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct FileId(pub u32);

/// A half-open byte range `lo..hi` of one file.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct Span {
    /// The file that contains the range.
    pub file: FileId,
    /// First byte.
    pub lo: u32,
    /// One past the last byte.
    pub hi: u32,
}

impl Span {
    /// The range `lo..hi` of `file`.
    pub fn new(file: FileId, lo: u32, hi: u32) -> Span {
        Span { file, lo, hi }
    }

    /// The smallest range that covers both; `other` must be in the same file.
    pub fn to(self, other: Span) -> Span {
        Span {
            file: self.file,
            lo: self.lo.min(other.lo),
            hi: self.hi.max(other.hi),
        }
    }

    /// The empty range just after this one, where something was expected.
    pub fn end(self) -> Span {
        Span {
            lo: self.hi,
            ..self
        }
    }
}

/// A one-based line and column; the column counts Unicode scalar values.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Position {
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
}

/// One loaded source file.
#[derive(Debug)]
pub struct SourceFile {
    /// The path as the user wrote it or as it was resolved; shown in messages.
    pub path: String,
    /// The whole text.
    pub text: String,
    /// Whether it belongs to the standard library; a place that a program asks for is never inside it.
    pub library: bool,
    /// Byte offset at which each line begins, once something asked.
    line_starts: OnceLock<Vec<u32>>,
}

impl SourceFile {
    /// The text of line `line` (from 1) without its line break; empty when there is no such line.
    pub fn line_text(&self, line: u32) -> &str {
        let index = line.saturating_sub(1) as usize;
        let starts = self.line_starts();
        let Some(&start) = starts.get(index) else {
            return "";
        };
        let end = starts
            .get(index + 1)
            .map_or(self.text.len(), |&next| next as usize);
        self.text[start as usize..end].trim_end_matches(['\n', '\r'])
    }

    fn line_starts(&self) -> &[u32] {
        self.line_starts.get_or_init(|| {
            let breaks = self
                .text
                .bytes()
                .enumerate()
                .filter(|(_, byte)| *byte == b'\n');
            let after = breaks.map(|(index, _)| index as u32 + 1);
            [0].into_iter().chain(after).collect()
        })
    }
}

/// Every source file of a compilation, by number.
#[derive(Debug, Default)]
pub struct SourceMap {
    files: Vec<SourceFile>,
}

impl SourceMap {
    /// Adds a file and returns its number.
    ///
    /// Texts of 4 GiB and more do not fit a [`Span`]; the loader refuses them before this call.
    pub fn add(&mut self, path: impl Into<String>, text: impl Into<String>) -> FileId {
        self.files.push(SourceFile {
            path: path.into(),
            text: text.into(),
            library: false,
            line_starts: OnceLock::new(),
        });
        FileId(self.files.len() as u32 - 1)
    }

    /// Says that a file belongs to the standard library.
    pub fn mark_library(&mut self, id: FileId) {
        self.files[id.0 as usize].library = true;
    }

    /// The file with this number.
    pub fn file(&self, id: FileId) -> &SourceFile {
        &self.files[id.0 as usize]
    }

    /// All files in the order they were added.
    pub fn files(&self) -> impl Iterator<Item = (FileId, &SourceFile)> {
        self.files
            .iter()
            .enumerate()
            .map(|(index, file)| (FileId(index as u32), file))
    }

    /// Line and column at which `span` begins.
    pub fn position(&self, span: Span) -> Position {
        let file = self.file(span.file);
        let starts = file.line_starts();
        let line = starts.partition_point(|&start| start <= span.lo);
        let start = starts[line - 1] as usize;
        let mut end = (span.lo as usize).min(file.text.len());
        while !file.text.is_char_boundary(end) {
            end -= 1;
        }
        Position {
            line: line as u32,
            column: file.text[start..end.max(start)].chars().count() as u32 + 1,
        }
    }

    /// The text that `span` covers.
    pub fn text(&self, span: Span) -> &str {
        let text = &self.file(span.file).text;
        text.get(span.lo as usize..span.hi as usize).unwrap_or("")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn position_counts_characters_not_bytes() {
        let mut map = SourceMap::default();
        let file = map.add("a.spl", "val é = 1\nxy");
        let at = |lo| map.position(Span::new(file, lo, lo));
        assert_eq!(at(7), Position { line: 1, column: 7 });
        assert_eq!(at(11), Position { line: 2, column: 1 });
        assert_eq!(map.file(file).line_text(1), "val é = 1");
        assert_eq!(map.file(file).line_text(9), "");
    }
}
