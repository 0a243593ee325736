//! What a check found about a file, for as long as the file is changed without coming to a program again.
//!
//! A text that does not compile has no typed program, so questions are answered by the last one that had: what is
//! before the first change and after the last one since is where it was, moved by what the text has grown.

use simple_sema::typed::Program;
use simple_syntax::{FileId, SourceMap, Span};
use std::sync::Arc;

/// The last program of a file that had no errors.
#[derive(Debug)]
pub(crate) struct Analysis {
    pub(crate) program: Program,
    /// The file in it.
    pub(crate) file: FileId,
    /// The shapes of tensors where they are computed or bound, sorted by place.
    shapes: Vec<(Span, String)>,
}

impl Analysis {
    /// What a check of the file at `path` found.
    pub(crate) fn new(
        program: Program,
        shapes: Vec<(Span, String)>,
        path: &str,
    ) -> Option<Analysis> {
        let file = file_at(&program.sources, path)?;
        Some(Analysis {
            program,
            file,
            shapes,
        })
    }

    /// What is known of the shape of the tensor at a place.
    pub(crate) fn shape(&self, span: Span) -> Option<&str> {
        let at = self.shapes.binary_search_by_key(&span, |(span, _)| *span);
        at.ok().map(|at| self.shapes[at].1.as_str())
    }

    /// The text that was checked.
    pub(crate) fn text(&self) -> &str {
        &self.program.sources.file(self.file).text
    }

    /// Where a byte of the text as it is now was when it was checked; `None` in what has changed since.
    pub(crate) fn then(&self, now: &str, offset: usize) -> Option<usize> {
        moved(now, self.text(), offset)
    }

    /// Where a byte of the text that was checked is now.
    pub(crate) fn now(&self, now: &str, offset: usize) -> Option<usize> {
        moved(self.text(), now, offset)
    }
}

/// The number of the file with this path.
pub(crate) fn file_at(sources: &Arc<SourceMap>, path: &str) -> Option<FileId> {
    let mut files = sources.files();
    files.find(|(_, file)| file.path == path).map(|(id, _)| id)
}

/// Where a byte of one text is in another that has the same beginning and end.
fn moved(from: &str, to: &str, offset: usize) -> Option<usize> {
    if from.len() == to.len() && from == to {
        return Some(offset);
    }
    let shared = |a: &mut dyn Iterator<Item = u8>, b: &mut dyn Iterator<Item = u8>| {
        a.zip(b).take_while(|(x, y)| x == y).count()
    };
    let start = shared(&mut from.bytes(), &mut to.bytes());
    if offset <= start {
        return Some(offset);
    }
    let most = from.len().min(to.len()) - start;
    let end = shared(&mut from.bytes().rev(), &mut to.bytes().rev()).min(most);
    let left = from.len() - offset;
    (left <= end).then(|| to.len() - left)
}

#[cfg(test)]
mod tests {
    use super::moved;

    #[test]
    fn places_move_with_the_text() {
        let (old, new) = ("val x = 1\nprint x\n", "val x = 1\nval y =\nprint x\n");
        assert_eq!(moved(new, old, 4), Some(4));
        assert_eq!(moved(new, old, 24), Some(16));
        assert_eq!(moved(new, old, 15), None);
        assert_eq!(moved(old, new, 16), Some(24));
        assert_eq!(moved(old, old, 3), Some(3));
    }
}
