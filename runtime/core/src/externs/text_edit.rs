//! Externs that make changed texts: case, trimming, replacing, padding, order.
//!
//! Case follows Unicode, without the rules of single languages. Next: `text.rs` for those that only look.

use simple_system::memory::{self, OutOfMemory, Text};

/// Room for a text in another case, and for twice as much while it grows, as the library's own functions cannot fail.
fn room_for_case(s: &str) -> Result<(), OutOfMemory> {
    /// Of one character become at most three as long.
    const LONGEST: usize = 3;
    memory::probe(s.len().saturating_mul(2 * LONGEST))
}

pub(super) fn upper(s: &str) -> Result<String, OutOfMemory> {
    room_for_case(s)?;
    Ok(s.to_uppercase())
}

pub(super) fn lower(s: &str) -> Result<String, OutOfMemory> {
    room_for_case(s)?;
    Ok(s.to_lowercase())
}

pub(super) fn capitalize(s: &str) -> Result<String, OutOfMemory> {
    let mut chars = s.chars();
    let Some(first) = chars.next() else {
        return Ok(String::new());
    };
    room_for_case(s)?;
    let rest = chars.as_str().to_lowercase();
    memory::text(first.to_uppercase().chain(rest.chars()))
}

pub(super) fn title(s: &str) -> Result<String, OutOfMemory> {
    let mut in_word = false;
    let mut out = Text::default();
    for c in s.chars() {
        match (c.is_alphabetic(), in_word) {
            (true, false) => c.to_uppercase().try_for_each(|c| out.push(c))?,
            (true, true) => c.to_lowercase().try_for_each(|c| out.push(c))?,
            (false, _) => out.push(c)?,
        }
        in_word = c.is_alphabetic();
    }
    Ok(out.done())
}

pub(super) fn swapcase(s: &str) -> Result<String, OutOfMemory> {
    let mut out = Text::default();
    for c in s.chars() {
        if c.is_uppercase() {
            c.to_lowercase().try_for_each(|c| out.push(c))?;
        } else {
            c.to_uppercase().try_for_each(|c| out.push(c))?;
        }
    }
    Ok(out.done())
}

pub(super) fn chomp(s: &str) -> &str {
    let s = s.strip_suffix('\n').unwrap_or(s);
    s.strip_suffix('\r').unwrap_or(s)
}

pub(super) fn trim_start_matches<'a>(s: &'a str, part: &str) -> &'a str {
    if part.is_empty() {
        s
    } else {
        s.trim_start_matches(part)
    }
}

pub(super) fn trim_end_matches<'a>(s: &'a str, part: &str) -> &'a str {
    if part.is_empty() {
        s
    } else {
        s.trim_end_matches(part)
    }
}

pub(super) fn remove_prefix<'a>(s: &'a str, part: &str) -> &'a str {
    s.strip_prefix(part).unwrap_or(s)
}

pub(super) fn remove_suffix<'a>(s: &'a str, part: &str) -> &'a str {
    s.strip_suffix(part).unwrap_or(s)
}

pub(super) fn replace(s: &str, from: &str, to: &str) -> Result<String, OutOfMemory> {
    replace_some(s, from, to, usize::MAX)
}

pub(super) fn replace_first(s: &str, from: &str, to: &str) -> Result<String, OutOfMemory> {
    replace_some(s, from, to, 1)
}

fn replace_some(s: &str, from: &str, to: &str, most: usize) -> Result<String, OutOfMemory> {
    let mut out = Text::with_room(s.len())?;
    let mut done = 0;
    for (at, part) in s.match_indices(from).take(most) {
        out.add(&s[done..at])?;
        out.add(to)?;
        done = at + part.len();
    }
    out.add(&s[done..])?;
    Ok(out.done())
}

pub(super) fn reversed(s: &str) -> Result<String, OutOfMemory> {
    memory::text(s.chars().rev())
}

pub(super) fn sorted(s: &str) -> Result<String, OutOfMemory> {
    let mut chars = memory::collect(s.chars())?;
    chars.sort_unstable();
    memory::text(chars)
}

pub(super) fn squeeze(s: &str) -> Result<String, OutOfMemory> {
    let mut last = None;
    memory::text(s.chars().filter(|&c| last.replace(c) != Some(c)))
}

/// The margin is the longest whitespace that all lines begin with; lines of whitespace alone have no say and become empty.
pub(super) fn dedent(s: &str) -> Result<String, OutOfMemory> {
    let indent = |line: &str| line.len() - line.trim_start_matches([' ', '\t']).len();
    let is_blank = |line: &str| line.trim_matches([' ', '\t', '\r']).is_empty();
    let mut margin: Option<&str> = None;
    for line in s.split('\n').filter(|line| !is_blank(line)) {
        let own = &line[..indent(line)];
        margin = Some(match margin {
            None => own,
            Some(margin) => {
                let common = margin
                    .bytes()
                    .zip(own.bytes())
                    .take_while(|(a, b)| a == b)
                    .count();
                &margin[..common]
            }
        });
    }
    let margin = margin.unwrap_or("").len();
    let mut out = Text::default();
    for (number, line) in s.split('\n').enumerate() {
        if number > 0 {
            out.push('\n')?;
        }
        out.add(if is_blank(line) { "" } else { &line[margin..] })?;
    }
    Ok(out.done())
}

/// A text with `before` and `after` characters of fill around it.
fn surround(s: &str, before: usize, after: usize, fill: &str) -> Result<String, String> {
    let fill = if fill.is_empty() { " " } else { fill };
    let widest = fill.chars().map(char::len_utf8).max().unwrap_or(1);
    // A padding that does not fit in memory is refused before it is written.
    let room = before
        .checked_add(after)
        .and_then(|chars| chars.checked_mul(widest))
        .and_then(|room| room.checked_add(s.len()));
    let out = Text::with_room(room.unwrap_or(usize::MAX)).map_err(|_| {
        format!(
            "out of memory: no room for a padding of {} characters",
            before.saturating_add(after)
        )
    })?;
    let mut out = out.done();
    out.extend(fill.chars().cycle().take(before));
    out.push_str(s);
    out.extend(fill.chars().cycle().take(after));
    Ok(out)
}

/// How many characters a text lacks to a width.
fn missing(s: &str, width: i64) -> usize {
    usize::try_from(width)
        .unwrap_or(0)
        .saturating_sub(s.chars().count())
}

pub(super) fn pad_left(s: &str, width: i64, fill: &str) -> Result<String, String> {
    surround(s, missing(s, width), 0, fill)
}

pub(super) fn pad_right(s: &str, width: i64, fill: &str) -> Result<String, String> {
    surround(s, 0, missing(s, width), fill)
}

pub(super) fn center(s: &str, width: i64, fill: &str) -> Result<String, String> {
    let missing = missing(s, width);
    surround(s, missing / 2, missing - missing / 2, fill)
}

pub(super) fn zfill(s: &str, width: i64) -> Result<String, String> {
    let sign = usize::from(s.starts_with(['+', '-']));
    let mut padded = surround(&s[sign..], missing(s, width) + sign, 0, "0")?;
    // The sign is one byte long, as is the zero in its place.
    padded.replace_range(..sign, &s[..sign]);
    Ok(padded)
}
