//! Standard input by lines.
//!
//! Bytes that are not UTF-8 are replaced, because a program that reads lines cannot do anything about them.

use std::cell::Cell;
use std::io::BufRead;

thread_local! {
    static ENDED: Cell<bool> = const { Cell::new(false) };
}

/// A line of `input` without its line break; `None` at the end.
fn read_line(input: &mut impl BufRead) -> std::io::Result<Option<String>> {
    let mut bytes = Vec::new();
    if input.read_until(b'\n', &mut bytes)? == 0 {
        return Ok(None);
    }
    if bytes.ends_with(b"\n") {
        bytes.pop();
        if bytes.ends_with(b"\r") {
            bytes.pop();
        }
    }
    Ok(Some(match String::from_utf8(bytes) {
        Ok(line) => line,
        Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
    }))
}

pub(super) fn line() -> Result<String, String> {
    // A prompt may be waiting in the buffer.
    crate::io::flush();
    let line = read_line(&mut std::io::stdin().lock())
        .map_err(|error| format!("cannot read standard input: {error}"))?;
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
        let mut input: &[u8] = b"one\n\ntwo\r\n\xffx";
        let lines: Vec<_> = std::iter::from_fn(|| read_line(&mut input).unwrap()).collect();
        assert_eq!(lines, ["one", "", "two", "\u{fffd}x"]);
        assert_eq!(read_line(&mut input).unwrap(), None);
    }
}
