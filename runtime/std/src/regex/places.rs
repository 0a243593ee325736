//! Places in a text: the engines count bytes, programs count characters.
//!
//! Places that grow are counted from the one before, so that all matches of a text cost one walk over it.

use super::Span;

/// Turns places in bytes, which mostly grow, into places in characters.
pub(super) struct Places<'t> {
    text: &'t str,
    ascii: bool,
    byte: usize,
    character: usize,
}

impl<'t> Places<'t> {
    pub(super) fn new(text: &'t str) -> Places<'t> {
        Places {
            text,
            ascii: text.is_ascii(),
            byte: 0,
            character: 0,
        }
    }

    fn of(&mut self, byte: usize) -> i64 {
        if self.ascii {
            return byte as i64;
        }
        if byte < self.byte {
            return (self.character - self.text[byte..self.byte].chars().count()) as i64;
        }
        self.character += self.text[self.byte..byte].chars().count();
        self.byte = byte;
        self.character as i64
    }

    pub(super) fn add(&mut self, groups: &[Span], places: &mut Vec<i64>) {
        for group in groups {
            match group {
                Some((start, end)) => {
                    let start = self.of(*start);
                    places.extend([start, self.of(*end)]);
                }
                None => places.extend([-1, -1]),
            }
        }
    }
}

/// The byte of a character; absent if the text has fewer.
pub(super) fn byte_of(text: &str, character: i64) -> Option<usize> {
    let wanted = usize::try_from(character).ok()?;
    let ends = std::iter::once(text.len());
    match text.is_ascii() {
        true => Some(wanted).filter(|wanted| *wanted <= text.len()),
        false => text
            .char_indices()
            .map(|(byte, _)| byte)
            .chain(ends)
            .nth(wanted),
    }
}
