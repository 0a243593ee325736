//! Comments that are longer than a line is: the words that do not fit go to the next line.
//!
//! Only running text is broken: not tables, code, headings, examples of `>>>`, nor what is between fences.

use crate::WIDTH;

/// Comment lines of one column that follow each other, in lines of at most [`WIDTH`] columns.
pub(crate) fn wrapped(lines: &[&str], indent: usize) -> Vec<String> {
    let room = WIDTH.saturating_sub(indent).max(40);
    let mut out: Vec<String> = Vec::with_capacity(lines.len());
    let mut fenced = false;
    // What did not fit into the line above, if it may go before the words of this one.
    let mut over: Option<(String, String)> = None;
    for line in lines {
        let marker = marker(line);
        let text = line[marker.len()..].trim_end();
        let plain = !fenced && is_running(text);
        if text.trim_start().starts_with("```") {
            fenced = !fenced;
        }
        let mut whole = (*line).to_owned();
        if let Some((before, words)) = over.take() {
            if plain && before == marker && !begins_item(text) {
                whole = format!("{marker} {words} {}", text.trim_start());
            } else {
                out.push(format!("{before} {words}"));
            }
        }
        if !plain || !marker.starts_with('#') {
            out.push(whole);
            continue;
        }
        while whole.chars().count() > room {
            let Some(at) = last_space(&whole, room, marker.len() + 1) else {
                break;
            };
            let rest = whole[at..].trim_start().to_owned();
            whole.truncate(at);
            out.push(whole.trim_end().to_owned());
            let hang = hang(text);
            if format!("{marker} {hang}{rest}").chars().count() <= room && hang.is_empty() {
                over = Some((marker.to_owned(), rest));
                whole = String::new();
                break;
            }
            whole = format!("{marker} {hang}{rest}");
        }
        if !whole.is_empty() {
            out.push(whole);
        }
    }
    if let Some((marker, words)) = over {
        out.push(format!("{marker} {words}"));
    }
    out
}

/// The signs that a comment begins with.
fn marker(line: &str) -> &str {
    let signs = line.bytes().take_while(|byte| *byte == b'#').count();
    &line[..signs]
}

/// Whether the text after the signs may be broken between words.
fn is_running(text: &str) -> bool {
    let Some(words) = text.strip_prefix(' ') else {
        return false;
    };
    !words.is_empty()
        && !words.starts_with([' ', '|', '#', '>', '=', '@', '\t'])
        && !words.starts_with("```")
        && !words.starts_with("---")
}

/// Whether the text is an item of a list.
fn begins_item(text: &str) -> bool {
    !hang(text).is_empty()
}

/// The spaces that the lines of an item begin with.
fn hang(text: &str) -> &'static str {
    let words = text.trim_start();
    if words.starts_with("- ") || words.starts_with("* ") {
        return "  ";
    }
    let digits = words.bytes().take_while(u8::is_ascii_digit).count();
    match digits > 0 && words[digits..].starts_with(". ") {
        true => "   ",
        false => "",
    }
}

/// The byte of the last space before column `room`, after byte `from`.
fn last_space(text: &str, room: usize, from: usize) -> Option<usize> {
    let end = text
        .char_indices()
        .nth(room + 1)
        .map_or(text.len(), |(at, _)| at);
    let begin = from + text.get(from..)?.len() - text.get(from..)?.trim_start().len();
    // A word that would begin an item, a heading or a table on the next line stays where it is.
    let starts_anew = |rest: &str| {
        begins_item(rest) || rest.starts_with(['|', '#', '>', '=', '@']) || rest.starts_with("```")
    };
    let mut upper = end;
    while let Some(at) = text.get(..upper)?.rfind(' ') {
        if at <= begin + 1 {
            return None;
        }
        if !starts_anew(text[at..].trim_start()) {
            return Some(at);
        }
        upper = at;
    }
    None
}
