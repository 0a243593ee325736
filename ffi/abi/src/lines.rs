//! Where a text declares foreign functions, a line each, found without parsing the text: of a library's thousands a program uses few.
//!
//! A generated manifest is such a text (`describe.rs`), and a module of the library that only lists functions, which the checker reads
//! line by line. Leaves out what a line says.

use std::ops::Range;

/// How the line of a declaration begins.
pub(crate) const DECLARATION: &str = "extern fn ";

/// The lines of a text that begin with `extern fn NAME(`, in the order of the names.
#[derive(Clone, Default, Debug)]
pub struct Lines(Vec<Line>);

#[derive(Clone, Debug)]
struct Line {
    name: Range<usize>,
    whole: Range<usize>,
}

impl Lines {
    /// Finds the lines of a text, among whatever else is in it.
    pub fn of(text: &str) -> Lines {
        let mut lines = Lines::default();
        let mut at = 0;
        for line in text.split_inclusive('\n') {
            lines.add(line, at);
            at += line.len();
        }
        lines.sort(text);
        lines
    }

    /// The lines of a text that has nothing else but comments, and each name once.
    pub fn only(text: &str) -> Option<Lines> {
        let mut lines = Lines::default();
        let mut at = 0;
        for line in text.split_inclusive('\n') {
            let attribute = line.starts_with("#[") || line.starts_with("#!");
            let nothing = line.starts_with(['#', '\n', '\r']) && !attribute;
            if !nothing && !lines.add(line, at) {
                return None;
            }
            at += line.len();
        }
        lines.sort(text);
        let name = |line: &Line| &text[line.name.clone()];
        let twice = |pair: &[Line]| name(&pair[0]) == name(&pair[1]);
        if lines.0.is_empty() || lines.0.windows(2).any(twice) {
            return None;
        }
        Some(lines)
    }

    /// Adds a line that begins at `at`; whether it is one.
    fn add(&mut self, line: &str, at: usize) -> bool {
        let Some(declaration) = line.strip_prefix(DECLARATION) else {
            return false;
        };
        let plain = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        let length = declaration.bytes().take_while(|byte| plain(byte)).count();
        if length == 0 || declaration.as_bytes().get(length) != Some(&b'(') {
            return false;
        }
        let start = at + DECLARATION.len();
        self.0.push(Line {
            name: start..start + length,
            whole: at..at + line.len(),
        });
        true
    }

    fn sort(&mut self, text: &str) {
        let name = |line: &Line| &text[line.name.clone()];
        // Generated texts are sorted already.
        if !self.0.is_sorted_by_key(name) {
            self.0.sort_by_key(name);
        }
    }

    /// The line of a function of `text`, whose lines these are, with its line break.
    pub fn find(&self, text: &str, name: &str) -> Option<Range<usize>> {
        let by_name = |line: &Line| text[line.name.clone()].cmp(name);
        let at = self.0.binary_search_by(by_name).ok()?;
        Some(self.0[at].whole.clone())
    }

    /// The names of all functions of `text`, whose lines these are.
    pub fn names<'t>(&self, text: &'t str) -> impl ExactSizeIterator<Item = &'t str> {
        self.0.iter().map(|line| &text[line.name.clone()])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_found_by_name() {
        let text =
            "# A list.\n\nextern fn b(x: i64) -> i64  # fails: 0\r\n\r\n# Two.\nextern fn _a_2()";
        let lines = Lines::only(text).expect("nothing else is in it");
        assert_eq!(lines.names(text).collect::<Vec<_>>(), ["_a_2", "b"]);
        let line = |name| lines.find(text, name).map(|line| &text[line]);
        assert_eq!(
            line("b"),
            Some("extern fn b(x: i64) -> i64  # fails: 0\r\n")
        );
        assert_eq!(line("_a_2"), Some("extern fn _a_2()"));
        assert_eq!(line("_a"), None);
    }

    #[test]
    fn other_lines_are_passed_over() {
        let text = "use m\nextern fn b()\nextern fn\nextern fn a()\n    extern fn c()\n";
        let lines = Lines::of(text);
        assert_eq!(lines.names(text).collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(lines.find(text, "b"), Some(6..20));
    }

    #[test]
    fn what_is_not_a_plain_list_is_not_one() {
        for other in [
            "",
            "# nothing\n",
            "extern fn a()\nval x = 1\n",
            "extern fn a()\nextern fn a()\n",
            "extern fn a\n",
            "extern fn a b()\n",
            "extern fn (x)\n",
            "extern fn ä()\n",
            "@Lib(\"m\")\nextern fn a()\n",
            "#[allow(unused_import)]\nextern fn a()\n",
            "#![allow(unused_import)]\nextern fn a()\n",
            "use m\nextern fn a()\n",
            "extern fn a(\n    x: i64)\n",
            "extern fn a()\n    extern fn b()\n",
        ] {
            assert!(Lines::only(other).is_none(), "{other:?}");
        }
    }
}
