//! Standard input by lines.
//!
//! A line that is not UTF-8 is an error, as such a file is: a text never has other characters than what it was read from.

use memchr::memchr;
use simple_system::in_words;
use simple_system::memory;
use simple_system::open::text_from_outside;
use std::cell::Cell;
use std::io::{BufRead, ErrorKind};

thread_local! {
    static ENDED: Cell<bool> = const { Cell::new(false) };
}

/// A line of `input` without its line break; `None` at the end. For lack of memory the line is lost up to where it was
/// read.
fn read_line(input: &mut impl BufRead) -> std::io::Result<Option<String>> {
    let mut bytes = Vec::new();
    loop {
        let found = match input.fill_buf() {
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            found => found?,
        };
        if found.is_empty() {
            break;
        }
        let end = memchr(b'\n', found).map(|at| at + 1);
        let taken = end.unwrap_or(found.len());
        let stored = memory::extend(&mut bytes, &found[..taken]);
        input.consume(taken);
        stored?;
        if end.is_some() {
            break;
        }
    }
    if bytes.is_empty() {
        return Ok(None);
    }
    if bytes.ends_with(b"\n") {
        bytes.pop();
        if bytes.ends_with(b"\r") {
            bytes.pop();
        }
    }
    text_from_outside(bytes).map(Some)
}

pub(super) fn line() -> Result<String, String> {
    // A prompt may be waiting in the buffer.
    crate::io::flush();
    let line = read_line(&mut std::io::stdin().lock())
        .map_err(|error| format!("cannot read standard input: {}", in_words(&error)))?;
    ENDED.set(line.is_none());
    Ok(line.unwrap_or_default())
}

pub(super) fn ended() -> bool {
    ENDED.get()
}

#[cfg(test)]
mod tests {
    use super::read_line;

    #[test]
    fn lines_lose_their_break_and_the_end_is_told_from_an_empty_line() {
        let mut input: &[u8] = b"one\n\ntwo\r\nx";
        let lines: Vec<_> = std::iter::from_fn(|| read_line(&mut input).unwrap()).collect();
        assert_eq!(lines, ["one", "", "two", "x"]);
        assert_eq!(read_line(&mut input).unwrap(), None);
    }

    #[test]
    fn a_line_that_is_not_utf8_is_refused_and_the_next_one_is_read() {
        let mut input: &[u8] = b"ab\xff\nnext\n";
        let refused = read_line(&mut input).unwrap_err().to_string();
        assert_eq!(refused, "it is not UTF-8 text (byte 2 does not fit)");
        assert_eq!(read_line(&mut input).unwrap().as_deref(), Some("next"));
    }
}
