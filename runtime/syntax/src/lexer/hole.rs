//! Where an interpolation ends, and where its format spec begins.
//!
//! Works on characters, because the end of the string is not known before its holes are. A quote inside a hole begins
//! a nested string where an operand can be: at the start of the hole, inside brackets, after an operator or a colon,
//! or after a word such as `if`; elsewhere it ends the string around it, and the hole is not closed.

use super::{Lexer, word_end};

/// How the string around a hole is quoted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Quote {
    /// `"`.
    Plain,
    /// `"""`.
    Triple,
    /// `\"`, a string inside a hole of a plain string.
    Escaped,
}

impl Quote {
    /// Whether the quote that ends the string is at the start of `bytes`.
    pub(super) fn ends(self, bytes: &[u8]) -> bool {
        bytes.starts_with(self.text().as_bytes())
    }

    /// The characters of the quote.
    pub(super) fn text(self) -> &'static str {
        match self {
            Quote::Plain => "\"",
            Quote::Triple => "\"\"\"",
            Quote::Escaped => "\\\"",
        }
    }
}

/// A hole, from just after its `{` to its `}`.
pub(super) struct Hole {
    /// Where the `}` is.
    pub close: usize,
    /// Where each `:` outside brackets is.
    pub colons: Vec<usize>,
}

/// How deeply strings and holes may nest.
const NEST_LIMIT: u32 = 8;

impl Lexer<'_> {
    /// Whether the `{` at `at` is text: before `}`, and before a backslash, which begins no expression that a hole
    /// could contain but often an escape, as in `"{\"key\": 1}"`.
    pub(super) fn is_literal_brace(&self, at: usize) -> bool {
        matches!(self.bytes.get(at + 1), Some(b'}' | b'\\'))
    }

    /// Whether a hole is really the text between two strings that were meant to hold a brace each: `"{" + x + "}"`. It
    /// then reads as one string that continues an expression at both of its ends.
    pub(super) fn is_between_strings(&self, from: usize, hole: &Hole) -> bool {
        let Some(inner) = self.source[from..hole.close]
            .strip_prefix('"')
            .and_then(|rest| rest.strip_suffix('"'))
        else {
            return false;
        };
        if inner.contains('"') {
            return false;
        }
        let first_word = inner.split_whitespace().next().unwrap_or("");
        let last_word = inner.split_whitespace().next_back().unwrap_or("");
        let goes_on = inner
            .trim_start()
            .starts_with(['+', ',', ')', ']', ':', '=', '!', '.'])
            || matches!(
                first_word,
                "and" | "or" | "in" | "is" | "not" | "if" | "else"
            );
        let wants_more = inner
            .trim_end()
            .ends_with(['+', ',', '(', '[', ':', '=', '!'])
            || matches!(
                last_word,
                "and" | "or" | "in" | "not" | "if" | "else" | "print" | "return"
            );
        goes_on && wants_more
    }

    /// The end of the hole whose content begins at `from`, if there is one on this line.
    pub(super) fn find_hole(&mut self, from: usize, quote: Quote, nest: u32) -> Option<Hole> {
        if nest > NEST_LIMIT {
            return None;
        }
        let mut colons = Vec::new();
        let mut depth = 0u32;
        let mut at = from;
        // Whether a quote here would begin a string.
        let mut operand_due = true;
        loop {
            let byte = *self.bytes.get(at)?;
            self.burn(1)?;
            let due = depth > 0 || operand_due;
            if quote.ends(&self.bytes[at..]) && (quote == Quote::Triple || !due) {
                return None;
            }
            match byte {
                b'\n' => return None,
                b'"' => {
                    if !due {
                        return None;
                    }
                    at = self.skip_text(at + 1, Quote::Plain, nest)?;
                    operand_due = false;
                }
                b'\\' if self.bytes.get(at + 1) == Some(&b'"') => {
                    if !due {
                        return None;
                    }
                    at = self.skip_text(at + 2, Quote::Escaped, nest)?;
                    operand_due = false;
                }
                b'\'' => {
                    if !due {
                        return None;
                    }
                    at += 1;
                    loop {
                        self.burn(1)?;
                        match *self.bytes.get(at)? {
                            b'\n' => return None,
                            b'\'' => break,
                            b'\\' if self.bytes.get(at + 1) == Some(&b'\'') => at += 2,
                            _ => at += 1,
                        }
                    }
                    at += 1;
                    operand_due = false;
                }
                b'(' | b'[' | b'{' => {
                    depth += 1;
                    operand_due = true;
                    at += 1;
                }
                b'}' if depth == 0 => return Some(Hole { close: at, colons }),
                b')' | b']' | b'}' => {
                    depth = depth.checked_sub(1)?;
                    operand_due = false;
                    at += 1;
                }
                b':' => {
                    if depth == 0 {
                        colons.push(at);
                    }
                    operand_due = true;
                    at += 1;
                }
                b' ' | b'\t' | b'\r' => at += 1,
                b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' | b'_' | 0x80.. => {
                    let mut end = word_end(self.source, self.end, at).max(at + 1);
                    while !self.source.is_char_boundary(end) {
                        end += 1;
                    }
                    self.burn(end - at)?;
                    let word = &self.bytes[at..end];
                    let prefix = matches!(word, b"f" | b"r")
                        && matches!(self.bytes.get(end), Some(b'"' | b'\\'));
                    if !prefix {
                        operand_due = matches!(
                            word,
                            b"if"
                                | b"elif"
                                | b"else"
                                | b"and"
                                | b"or"
                                | b"not"
                                | b"in"
                                | b"is"
                                | b"xor"
                        );
                    }
                    at = end;
                }
                b'?' | b'!' | b'.' => {
                    operand_due =
                        self.bytes.get(at + 1) == Some(&b'=') || byte == b'?' && operand_due;
                    if self.bytes[at..].starts_with(b"??") {
                        operand_due = true;
                        at += 1;
                    }
                    at += 1;
                }
                _ => {
                    operand_due = true;
                    at += 1;
                }
            }
        }
    }

    /// The place after the string whose content begins at `at`, if it ends on this line.
    fn skip_text(&mut self, mut at: usize, quote: Quote, nest: u32) -> Option<usize> {
        loop {
            self.burn(1)?;
            if quote.ends(&self.bytes[at..]) {
                return Some(at + quote.text().len());
            }
            match *self.bytes.get(at)? {
                b'\n' => return None,
                b'\\' => at += 2,
                b'{' if self.bytes.get(at + 1) == Some(&b'{') => at += 2,
                b'{' if self.is_literal_brace(at) => at += 1,
                b'{' => match self.find_hole(at + 1, quote, nest + 1) {
                    Some(hole) => at = hole.close + 1,
                    None => at += 1,
                },
                _ => at += 1,
            }
            if at > self.end {
                return None;
            }
        }
    }

    /// Uses up `amount` of the allowance for looking ahead; nothing is found once it is gone.
    pub(super) fn burn(&mut self, amount: usize) -> Option<()> {
        match self.fuel.checked_sub(amount) {
            Some(rest) => {
                self.fuel = rest;
                Some(())
            }
            None => {
                if !self.out_of_fuel {
                    self.out_of_fuel_at = self.pos;
                }
                self.out_of_fuel = true;
                None
            }
        }
    }

    /// Where the colon before a format spec is, if the hole has one.
    pub(super) fn spec_colon(&self, from: usize, hole: &Hole) -> Option<usize> {
        hole.colons.iter().copied().find(|&colon| {
            let before = self.source[from..colon].trim_end();
            let behind = &self.source[colon + 1..hole.close];
            // A blank is a sign, but after the parameters of a lambda or another colon it begins a body.
            let body = before.contains('\\') || hole.colons[0] != colon;
            let bare = before.ends_with("else") || before.ends_with(':');
            !(bare || body && behind.starts_with(' '))
                && (behind.is_empty() || is_format_spec(behind))
        })
    }
}

/// The numbers of a format spec that are computed: the bytes between each `{` and its `}`.
pub(crate) fn format_numbers(source: &str, lo: usize, hi: usize) -> Vec<(usize, usize)> {
    let mut numbers = Vec::new();
    let mut at = lo;
    while let Some(open) = source[at..hi].find('{').map(|found| at + found + 1)
        && let Some(length) = computed(&source[open - 1..hi])
    {
        numbers.push((open, open - 2 + length));
        at = open - 1 + length;
    }
    numbers
}

/// The length of the number in braces at the beginning.
fn computed(text: &str) -> Option<usize> {
    let mut depth = 0;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return (byte == b'}' && at > 1).then_some(at + 1);
        }
    }
    None
}

/// What follows a number of a format spec: digits, or an expression in braces.
fn after_number(text: &str) -> &str {
    match computed(text) {
        Some(length) => &text[length..],
        None => text.trim_start_matches(|c: char| c.is_ascii_digit()),
    }
}

/// Whether `text` has the form `[[fill]align][sign][#][0][width][,|_][.precision][type]`.
pub(crate) fn is_format_spec(text: &str) -> bool {
    let is_align = |c: char| matches!(c, '<' | '>' | '^' | '=');
    let mut rest = text;
    let mut chars = text.chars();
    match (chars.next(), chars.next()) {
        (Some(fill), Some(align)) if is_align(align) => rest = &text[fill.len_utf8() + 1..],
        (Some(align), _) if is_align(align) => rest = &text[1..],
        _ => {}
    }
    rest = rest.strip_prefix(['+', '-', ' ']).unwrap_or(rest);
    rest = rest.strip_prefix('#').unwrap_or(rest);
    rest = after_number(rest.strip_prefix('0').unwrap_or(rest));
    rest = rest.strip_prefix([',', '_']).unwrap_or(rest);
    if let Some(precision) = rest.strip_prefix('.') {
        rest = after_number(precision);
        if rest.len() == precision.len() {
            return false;
        }
    }
    let rest = rest
        .strip_prefix([
            'd', 'b', 'o', 'x', 'X', 'c', 'e', 'E', 'f', 'F', 'g', 'G', 's', 'n', '%', '?',
        ])
        .unwrap_or(rest);
    rest.is_empty() && !text.is_empty()
}

#[cfg(test)]
mod tests {
    use super::is_format_spec;

    #[test]
    fn format_specs() {
        for spec in [
            ".2f",
            ">6",
            "08.3f",
            ",",
            ".1%",
            "*^10",
            "d",
            "+d",
            "#x",
            " >5",
            "<",
            " d",
            " 08.3f",
            " ",
            "?",
            ">8?",
            "{w}.{p}f",
            ">{w}",
            ".{p}",
            "*^{a[0]}",
            "0{f({1: 2})}x",
        ] {
            assert!(is_format_spec(spec), "{spec}");
        }
        for text in [
            "",
            " 1 else: 0",
            "  0",
            "name",
            ".f",
            "dd",
            "1 + 2",
            "{}",
            "{w",
            "{w}{p}",
        ] {
            assert!(!is_format_spec(text), "{text}");
        }
    }
}
