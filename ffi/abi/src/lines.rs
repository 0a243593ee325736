//! Where a text declares foreign functions, found without parsing the text: of a library's thousands a program uses few.
//!
//! A generated manifest is such a text (`describe.rs`), and a module that lists functions, of which the checker reads what a program uses.
//! A declaration begins a line with `extern fn NAME(` and goes on until its parentheses are closed, and over a result that
//! has a line of its own; annotations are above it on lines of their own. Leaves out what a declaration says.

use std::ops::Range;

/// How the line of a declaration begins.
pub(crate) const DECLARATION: &str = "extern fn ";

/// The declarations of a text, in its order.
#[derive(Clone, Default, Debug)]
pub struct Lines {
    lines: Vec<Line>,
    /// The numbers of the lines plus one, each at or after the place that its name has in the table; 0 where there is none.
    table: Vec<u32>,
}

#[derive(Clone, Debug)]
struct Line {
    name: Range<usize>,
    /// From the first annotation to the end of the line.
    whole: Range<usize>,
}

impl Lines {
    /// Finds the declarations of a text, among whatever else is in it. Of several with one name the first counts.
    pub fn of(text: &str) -> Lines {
        let mut scan = Scan::default();
        scan.all(text);
        Lines::with_table(text, scan.lines).0
    }

    /// The declarations of a text that has nothing else but comments, and each name once.
    pub fn only(text: &str) -> Option<Lines> {
        let mut scan = Scan {
            plain: true,
            ..Scan::default()
        };
        if !scan.all(text) || scan.annotated.is_some() {
            return None;
        }
        let (lines, distinct) = Lines::with_table(text, scan.lines);
        (distinct && !lines.lines.is_empty()).then_some(lines)
    }

    /// The declarations of a text with each name once, and the parts of the text between them that have something else than comments. The
    /// parts are whole lines. That each is a part of a program by itself, which a declaration inside a text in quotes is not, is for the
    /// caller to see.
    pub fn apart(text: &str) -> Option<(Lines, Vec<Range<usize>>)> {
        let mut scan = Scan::default();
        scan.all(text);
        scan.close();
        // Annotations of nothing.
        scan.rest.extend(scan.annotated.map(|at| at..text.len()));
        let (lines, distinct) = Lines::with_table(text, scan.lines);
        (distinct && !lines.lines.is_empty()).then_some((lines, scan.rest))
    }

    /// With the table of names, and whether these are distinct.
    fn with_table(text: &str, lines: Vec<Line>) -> (Lines, bool) {
        // At least half of the table is free, so that searches end soon.
        let size = (2 * lines.len()).next_power_of_two();
        let mut found = Lines {
            lines,
            table: vec![0; size],
        };
        let mut distinct = true;
        for number in 0..found.lines.len() {
            let (at, known) = found.place(text, &text[found.lines[number].name.clone()]);
            match known {
                None => found.table[at] = number as u32 + 1,
                Some(_) => distinct = false,
            }
        }
        (found, distinct)
    }

    /// The place of a name in the table, and its line if it has one.
    fn place(&self, text: &str, name: &str) -> (usize, Option<&Line>) {
        let last = self.table.len() - 1;
        let mut at = hash(name.as_bytes()) & last;
        while let Some(number) = (self.table[at] as usize).checked_sub(1) {
            let line = &self.lines[number];
            if text[line.name.clone()] == *name {
                return (at, Some(line));
            }
            at = (at + 1) & last;
        }
        (at, None)
    }

    /// Where the function of this name is declared in `text`, whose lines these are: with its annotations and the line break.
    pub fn find(&self, text: &str, name: &str) -> Option<Range<usize>> {
        if self.lines.is_empty() {
            return None;
        }
        Some(self.place(text, name).1?.whole.clone())
    }

    /// The names of all functions of `text`, whose lines these are.
    pub fn names<'t>(&self, text: &'t str) -> impl ExactSizeIterator<Item = &'t str> {
        self.lines.iter().map(|line| &text[line.name.clone()])
    }
}

/// Of the length of a name and the ends of it, by which names differ.
fn hash(name: &[u8]) -> usize {
    let eight = |bytes: &[u8]| {
        let mut word = [0; 8];
        word[..bytes.len()].copy_from_slice(bytes);
        u64::from_le_bytes(word)
    };
    let (rest, end) = name.split_at(name.len().saturating_sub(8));
    let before = &rest[rest.len().saturating_sub(8)..];
    // Both halves of the product, so that each bit of a name counts.
    let mix = |hash: u64, word: u64| {
        let product = u128::from(hash ^ word) * 0x9e37_79b9_7f4a_7c15;
        (product >> 64) as u64 ^ product as u64
    };
    mix(mix(name.len() as u64, eight(before)), eight(end)) as usize
}

/// Goes through a text line by line.
#[derive(Default)]
struct Scan {
    /// Whether anything else than declarations ends it.
    plain: bool,
    lines: Vec<Line>,
    /// Where the annotations of the next declaration begin.
    annotated: Option<usize>,
    rest: Vec<Range<usize>>,
    /// The part of `rest` that is not over.
    open: Option<Range<usize>>,
    /// Where the last declaration ends.
    end: usize,
}

impl Scan {
    /// Takes all lines of a text; false if it was left for something else.
    fn all(&mut self, text: &str) -> bool {
        // Whether there may be more than one declaration on a line.
        let more = !self.plain && has(text.as_bytes(), b';');
        let mut at = 0;
        while let Some(first) = text.as_bytes().get(at) {
            let line = &text[at..];
            let next = |length: Option<usize>| at + length.unwrap_or_else(|| length_of(line));
            at = match first {
                b'\n' => at + 1,
                b'#' if !line.starts_with("#[") && !line.starts_with("#!") => next(None),
                b'@' if let Some(length) = annotations(line) => {
                    self.annotated.get_or_insert(at);
                    next(Some(length))
                }
                b'e' if let Some(name) = declared(line)
                    && let length = declaration(line)
                    && !(more && line[..length].contains(';')) =>
                {
                    self.close();
                    self.end = next(Some(length));
                    self.lines.push(Line {
                        name: at + name.start..at + name.end,
                        whole: self.annotated.take().unwrap_or(at)..self.end,
                    });
                    self.end
                }
                _ => {
                    let next = next(None);
                    let line = &text[at..next];
                    if !line.trim().is_empty() {
                        if self.plain {
                            return false;
                        }
                        self.other(line, next);
                    }
                    next
                }
            };
        }
        true
    }

    /// Takes a line that is not of a declaration and ends at `next`.
    fn other(&mut self, line: &str, next: usize) {
        self.annotated = None;
        let goes_on = line.starts_with([' ', '\t', ')', ']']);
        if goes_on
            && self.open.is_none()
            && let Some(before) = self.lines.pop()
        {
            // The declaration is not over at the end of its line.
            self.open = Some(before.whole);
        }
        match &mut self.open {
            Some(open) => open.end = next,
            None => self.open = Some(self.end..next),
        }
    }

    /// Ends the part that is open.
    fn close(&mut self) {
        self.rest.extend(self.open.take());
    }
}

/// The length of the first line of a text, with its line break.
fn length_of(text: &str) -> usize {
    position(text.as_bytes(), b'\n').map_or(text.len(), |at| at + 1)
}

/// Where a byte is first. Lines are short, so several bytes are looked at together.
fn position(bytes: &[u8], byte: u8) -> Option<usize> {
    const LOW: u64 = u64::from_ne_bytes([1; 8]);
    let mut rest = bytes;
    while let Some((first, after)) = rest.split_first_chunk::<32>()
        && !has(first, byte)
    {
        rest = after;
    }
    while let Some((eight, after)) = rest.split_first_chunk() {
        let other = u64::from_le_bytes(*eight) ^ (LOW * u64::from(byte));
        // The lowest byte of these that is not 0 is the one.
        let found = other.wrapping_sub(LOW) & !other & (LOW << 7);
        if found != 0 {
            return Some(bytes.len() - rest.len() + found.trailing_zeros() as usize / 8);
        }
        rest = after;
    }
    let last = rest.iter().position(|other| *other == byte)?;
    Some(bytes.len() - rest.len() + last)
}

/// Whether a byte is among others, all of which are looked at.
fn has(bytes: &[u8], byte: u8) -> bool {
    (bytes.iter()).fold(false, |found, other| found | (*other == byte))
}

/// Where in a line the name is that it declares.
fn declared(line: &str) -> Option<Range<usize>> {
    let declaration = line.strip_prefix(DECLARATION)?.as_bytes();
    let length = declaration.iter().position(|byte| !in_name(*byte))?;
    let name = DECLARATION.len()..DECLARATION.len() + length;
    (length > 0 && declaration[length] == b'(').then_some(name)
}

/// The length of the declaration that a text begins with, with the line break after it: one line, or the lines until
/// its parentheses are closed. Where they are never closed, or a text in quotes hides whether they are, it is one line.
fn declaration(text: &str) -> usize {
    let one = length_of(text);
    // Nearly all of a list: nothing below belongs to it.
    if !text[one..].starts_with([' ', '\t', ')']) {
        return one;
    }
    let mut length = one;
    let mut depth = 0isize;
    let mut line = &text[..one];
    loop {
        for byte in line.bytes() {
            match byte {
                b'(' | b'[' => depth += 1,
                b')' | b']' => depth -= 1,
                b'#' => break,
                b'"' => return one,
                _ => {}
            }
        }
        let after = &text[length..];
        let goes_on = match depth {
            0 => {
                after.starts_with([' ', '\t'])
                    && after.trim_start_matches([' ', '\t']).starts_with("->")
            }
            _ => depth > 0 && after.starts_with([' ', '\t', ')']),
        };
        if !goes_on {
            return if depth == 0 { length } else { one };
        }
        line = &after[..length_of(after)];
        length += line.len();
    }
}

fn in_name(byte: u8) -> bool {
    const NAMES: [bool; 256] = {
        let mut names = [false; 256];
        let mut byte = 0;
        while byte < 128 {
            names[byte] = (byte as u8).is_ascii_alphanumeric() || byte as u8 == b'_';
            byte += 1;
        }
        names
    };
    NAMES[byte as usize]
}

/// The length of the first line of a text if it consists of annotations with arguments, such as `@Lib("m") @fails(0)`, with its line break. Whoever looks for
/// `@allow` finds it in the tree.
fn annotations(text: &str) -> Option<usize> {
    let length = length_of(text);
    let mut rest = text.as_bytes()[..length].trim_ascii_end();
    while let Some((b'@', _)) = rest.split_first() {
        if rest.starts_with(b"@allow") {
            return None;
        }
        rest = rest[position(rest, b')')? + 1..].trim_ascii_start();
    }
    matches!(rest.first(), None | Some(b'#')).then_some(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_found_by_name() {
        let text =
            "# A list.\n\n@fails(0)\nextern fn b(x: i64) -> i64\r\n\r\n# Two.\nextern fn _a_2()";
        let lines = Lines::only(text).expect("nothing else is in it");
        assert_eq!(lines.names(text).collect::<Vec<_>>(), ["b", "_a_2"]);
        let line = |name| lines.find(text, name).map(|line| &text[line]);
        assert_eq!(line("b"), Some("@fails(0)\nextern fn b(x: i64) -> i64\r\n"));
        assert_eq!(line("_a_2"), Some("extern fn _a_2()"));
        assert_eq!(line("_a"), None);
    }

    #[test]
    fn other_lines_are_passed_over() {
        let text = "use m\nextern fn b()\nextern fn\nextern fn a()\n    extern fn c()\n";
        let lines = Lines::of(text);
        assert_eq!(lines.names(text).collect::<Vec<_>>(), ["b"]);
        assert_eq!(lines.find(text, "b"), Some(6..20));
    }

    #[test]
    fn a_declaration_has_the_annotations_above_it() {
        let text = "@Lib(\"m\")\n@fails(0) @effects(reads)  # why\n## What.\nextern fn b()\n@Lib(\"m\")\nextern fn a()\n";
        let lines = Lines::only(text).expect("nothing else is in it");
        let found = |name| lines.find(text, name).map(|place| &text[place]);
        assert!(found("b").is_some_and(|b| text.starts_with(b) && b.ends_with("fn b()\n")));
        assert_eq!(found("a"), Some("@Lib(\"m\")\nextern fn a()\n"));
    }

    #[test]
    fn a_declaration_goes_on_until_its_parentheses_are_closed() {
        let long = "@fails(0)\nextern fn b(\n    x: [i64],  # (how many\n    y: fn(i64) -> i64\n)\n    -> i64\n";
        let text = format!("{long}extern fn a(x: i64,\n    y: i64) -> i64\nextern fn c()\n");
        let lines = Lines::only(&text).expect("nothing else is in it");
        assert_eq!(lines.names(&text).collect::<Vec<_>>(), ["b", "a", "c"]);
        let found = |name| lines.find(&text, name).map(|place| &text[place]);
        assert_eq!(found("b"), Some(long));
        assert_eq!(
            found("a"),
            Some("extern fn a(x: i64,\n    y: i64) -> i64\n")
        );
        assert_eq!(found("c"), Some("extern fn c()\n"));
    }

    #[test]
    fn what_is_between_declarations_is_told_apart() {
        let rest = |text: &str| {
            let (lines, rest) = Lines::apart(text)?;
            let names: Vec<String> = lines.names(text).map(str::to_owned).collect();
            let rest: Vec<String> = rest.iter().map(|part| text[part.clone()].into()).collect();
            Some((names.join(" "), rest.join("|")))
        };
        let found = |names: &str, parts: &str| Some((names.to_owned(), parts.to_owned()));
        let text =
            "# A.\nuse m\n\n# B.\n@c(\"x\")\nextern fn b()\n\nconst X = 1\n# C.\nextern fn a()\n";
        assert_eq!(rest(text), found("b a", "# A.\nuse m\n|\nconst X = 1\n"));
        // A declaration that does not end is left where it is, and so is one that an annotation has on its own line.
        let text = "extern fn a()\nextern fn b(\n    x: i64\nextern fn c()\n";
        let long = "extern fn b(\n    x: i64\n";
        assert_eq!(rest(text), found("a c", long));
        let text = "@Lib(\"m\") extern fn b()\nextern fn a()\n";
        assert_eq!(rest(text), found("a", "@Lib(\"m\") extern fn b()\n"));
        // So that the parser reports them.
        assert_eq!(
            rest("extern fn a()\n@Lib(\"m\")\n"),
            found("a", "@Lib(\"m\")\n")
        );
        let text = "@Lib(\"m\",\n    symbol: \"c\")\nextern fn a()\n";
        assert_eq!(rest(text), found("a", "@Lib(\"m\",\n    symbol: \"c\")\n"));
        assert_eq!(rest("extern fn a()\nextern fn a()\n"), None);
        assert_eq!(rest("use m\n"), None);
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
            "@Lib(\"m\") extern fn a()\n",
            "@inline\nextern fn a()\n",
            "extern fn a()\n@Lib(\"m\")\n",
            "#[allow(unused_import)]\nextern fn a()\n",
            "#![allow(unused_import)]\nextern fn a()\n",
            "use m\nextern fn a()\n",
            "extern fn a(\n    x: i64\n",
            "extern fn a()\n    extern fn b()\n",
        ] {
            assert!(Lines::only(other).is_none(), "{other:?}");
        }
    }
}
