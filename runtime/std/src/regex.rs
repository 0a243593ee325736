//! Regular expressions for `lib/std/regex`.
//!
//! A pattern that the crate `regex` takes is searched for in time in proportion to the text. One with look-around or
//! references to groups is given to `fancy-regex`, which tries possibilities one after the other, up to a limit. A
//! pattern crosses with the letters of its flags before it; a compiled one is kept in a table of the thread by that
//! text, so that values of a program need not be released. Places cross as characters, as in the rest of the library.
//!
//! Matches are Python's: an empty one may follow another at once. Left out: patterns over bytes.

mod places;
mod template;

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use regex_syntax::ast::ErrorKind;

use places::{Places, byte_of};
use template::{Piece, template};

/// How many patterns are kept; then the table is emptied.
const MOST: usize = 500;
/// How much memory a compiled pattern may take.
const SIZE: usize = 64 << 20;
/// How many steps back a pattern with look-around may take in one search.
const STEPS: usize = 10_000_000;

/// How many characters of a pattern are shown on each side of a mistake.
const SHOWN: usize = 40;

type Span = Option<(usize, usize)>;

#[derive(Debug)]
enum Engine {
    Linear(regex::Regex),
    Backtracking(Box<fancy_regex::Regex>),
}

#[derive(Debug)]
struct Pattern {
    engine: Engine,
    /// The names of the groups, empty for those without one; that of the whole is the first.
    names: Vec<String>,
}

thread_local! {
    static KEPT: RefCell<HashMap<String, Rc<Pattern>>> = RefCell::default();
    /// What the last search found, for [`cut`].
    static FOUND: RefCell<Vec<Span>> = RefCell::default();
}

/// What the letters before a pattern mean.
#[derive(Clone, Copy, Default, Debug)]
struct Flags {
    ignore_case: bool,
    multi_line: bool,
    dot_all: bool,
    verbose: bool,
    /// Only at the start of the text.
    anchored: bool,
    /// Only the whole text.
    whole: bool,
}

impl Flags {
    fn of(letters: &str) -> Result<Flags, String> {
        let mut flags = Flags::default();
        for letter in letters.chars() {
            match letter {
                'i' => flags.ignore_case = true,
                'm' => flags.multi_line = true,
                's' => flags.dot_all = true,
                'x' => flags.verbose = true,
                'A' => flags.anchored = true,
                'F' => flags.whole = true,
                other => return Err(format!("unknown flag `{other}`; expected some of `imsx`")),
            }
        }
        Ok(flags)
    }
}

/// The pattern of a text such as `im ab*`.
fn compiled(spelled: &str) -> Result<Rc<Pattern>, String> {
    if let Some(known) = KEPT.with(|kept| kept.borrow().get(spelled).cloned()) {
        return Ok(known);
    }
    let (letters, pattern) = spelled
        .split_once(' ')
        .ok_or("a pattern crosses with its flags")?;
    let flags = Flags::of(letters)?;
    let engine = build(pattern, flags)?;
    let names: Vec<String> = match &engine {
        Engine::Linear(regex) => owned(regex.capture_names()),
        Engine::Backtracking(regex) => owned(regex.capture_names()),
    };
    let made = Rc::new(Pattern { engine, names });
    KEPT.with(|kept| {
        let mut kept = kept.borrow_mut();
        if kept.len() >= MOST {
            kept.clear();
        }
        kept.insert(spelled.to_owned(), Rc::clone(&made));
    });
    Ok(made)
}

fn owned<'a>(names: impl Iterator<Item = Option<&'a str>>) -> Vec<String> {
    names
        .map(|name| name.unwrap_or_default().to_owned())
        .collect()
}

fn build(pattern: &str, flags: Flags) -> Result<Engine, String> {
    // A comment at the end of a verbose pattern would take the parenthesis into itself.
    let end = if flags.verbose { "\n)" } else { ")" };
    let within = match flags {
        Flags { whole: true, .. } => format!("\\A(?:{pattern}{end}\\z"),
        Flags { anchored: true, .. } => format!("\\A(?:{pattern}{end}"),
        _ => pattern.to_owned(),
    };
    let built = regex::RegexBuilder::new(&within)
        .case_insensitive(flags.ignore_case)
        .multi_line(flags.multi_line)
        .dot_matches_new_line(flags.dot_all)
        .ignore_whitespace(flags.verbose)
        .size_limit(SIZE)
        .build();
    match built {
        Ok(regex) => return Ok(Engine::Linear(regex)),
        Err(regex::Error::CompiledTooBig(_)) => {
            return Err(format!(
                "the pattern `{pattern}` needs more than {} MiB",
                SIZE >> 20
            ));
        }
        Err(_) => {}
    }
    let parsed = regex_syntax::ParserBuilder::new()
        .ignore_whitespace(flags.verbose)
        .build()
        .parse(pattern);
    match parsed {
        Err(regex_syntax::Error::Parse(error)) if !is_beyond(error.kind()) => {
            return Err(problem(
                pattern,
                error.span().start.offset,
                &error.kind().to_string(),
            ));
        }
        Err(regex_syntax::Error::Translate(error)) => {
            return Err(problem(
                pattern,
                error.span().start.offset,
                &error.kind().to_string(),
            ));
        }
        _ => {}
    }
    let fancy = fancy_regex::RegexBuilder::new(&within)
        .case_insensitive(flags.ignore_case)
        .multi_line(flags.multi_line)
        .dot_matches_new_line(flags.dot_all)
        .verbose_mode(flags.verbose)
        .backtrack_limit(STEPS)
        .delegate_size_limit(SIZE)
        .build();
    fancy
        .map(|regex| Engine::Backtracking(Box::new(regex)))
        .map_err(|error| match error {
            fancy_regex::Error::ParseError(place, why) => {
                problem(pattern, place, &why.to_string().to_lowercase())
            }
            other => problem(pattern, 0, &other.to_string().to_lowercase()),
        })
}

/// Why a pattern is refused, with the place under it.
fn problem(pattern: &str, place: usize, why: &str) -> String {
    let place = (0..=place.min(pattern.len()))
        .rev()
        .find(|at| pattern.is_char_boundary(*at));
    let (before, after) = pattern.split_at(place.unwrap_or(0));
    let position = before.chars().count();
    // Of a long pattern what is around the place.
    let start = before
        .char_indices()
        .rev()
        .nth(SHOWN)
        .map_or(0, |(at, _)| at);
    let end = after
        .char_indices()
        .nth(SHOWN)
        .map_or(after.len(), |(at, _)| at);
    let cut = |there: bool| if there { "..." } else { "" };
    let left = format!("{}{}", cut(start > 0), &before[start..]);
    let shown = format!("{left}{}{}", &after[..end], cut(end < after.len()));
    let mut message = format!("invalid pattern `{shown}`: position {position}: {why}");
    if !shown.contains(['\n', '\t']) {
        message.push_str(&format!(
            "\n    {shown}\n    {}^",
            " ".repeat(left.chars().count())
        ));
    }
    message
}

/// Whether the other engine may know what this error refuses.
fn is_beyond(kind: &ErrorKind) -> bool {
    // `(?P=name)` and `(?>a)` look like flags to a parser that does not have them.
    matches!(
        kind,
        ErrorKind::UnsupportedLookAround
            | ErrorKind::UnsupportedBackreference
            | ErrorKind::FlagUnrecognized
    )
}

impl Pattern {
    /// Start and end of the groups of the first match from a byte on.
    fn at(&self, text: &str, from: usize) -> Result<Option<Vec<Span>>, String> {
        match &self.engine {
            Engine::Linear(regex) => {
                let mut places = regex.capture_locations();
                let found = regex.captures_read_at(&mut places, text, from);
                Ok(found.map(|_| (0..places.len()).map(|group| places.get(group)).collect()))
            }
            Engine::Backtracking(regex) => {
                let found = regex
                    .captures_from_pos(text, from)
                    .map_err(|error| stopped(&error))?;
                Ok(found.map(|groups| {
                    let span = |group| groups.get(group).map(|found| (found.start(), found.end()));
                    (0..groups.len()).map(span).collect()
                }))
            }
        }
    }

    /// The whole match, without its groups.
    fn whole_at(&self, text: &str, from: usize) -> Result<Span, String> {
        match &self.engine {
            Engine::Linear(regex) => Ok(regex
                .find_at(text, from)
                .map(|found| (found.start(), found.end()))),
            Engine::Backtracking(regex) => {
                let found = regex
                    .find_from_pos(text, from)
                    .map_err(|error| stopped(&error))?;
                Ok(found.map(|found| (found.start(), found.end())))
            }
        }
    }

    /// Calls `each` for the matches, at most `limit`, all for 0.
    fn every(&self, text: &str, limit: i64, mut each: impl FnMut(&[Span])) -> Result<(), String> {
        let mut left = usize::try_from(limit)
            .ok()
            .filter(|limit| *limit > 0)
            .unwrap_or(usize::MAX);
        let mut from = 0;
        while left > 0 && from <= text.len() {
            let Some(groups) = self.at(text, from)? else {
                break;
            };
            let Some((start, end)) = groups[0] else { break };
            each(&groups);
            left -= 1;
            from = if start == end { after(text, end) } else { end };
        }
        Ok(())
    }
}

/// The byte after the character at a byte.
fn after(text: &str, byte: usize) -> usize {
    byte + text[byte..].chars().next().map_or(1, char::len_utf8)
}

fn stopped(error: &fancy_regex::Error) -> String {
    match error {
        fancy_regex::Error::RuntimeError(fancy_regex::RuntimeError::BacktrackLimitExceeded) => {
            format!(
                "the search took more than {STEPS} steps back; \
             a pattern without look-around and references to groups has no such limit"
            )
        }
        other => format!("the search stopped: {other}"),
    }
}

/// Compiles a pattern: the names of its groups, empty for those without one; that of the whole is the first.
pub fn compile(spelled: &str) -> Result<Vec<String>, String> {
    Ok(compiled(spelled)?.names.clone())
}

fn keep(groups: &[Span]) {
    FOUND.with(|found| found.borrow_mut().extend_from_slice(groups));
}

fn forget() {
    FOUND.with(|found| found.borrow_mut().clear());
}

/// Start and end of the groups of the first match from a place on, -1 for those without a part in it; empty without a
/// match. Their texts are then asked for by [`cut`].
pub fn find(spelled: &str, text: &str, from: i64) -> Result<Vec<i64>, String> {
    let pattern = compiled(spelled)?;
    forget();
    let mut places = Vec::new();
    if let Some(from) = byte_of(text, from)
        && let Some(groups) = pattern.at(text, from)?
    {
        keep(&groups);
        Places::new(text).add(&groups, &mut places);
    }
    Ok(places)
}

/// The same of all matches, at most `limit`, all for 0.
pub fn find_all(spelled: &str, text: &str, limit: i64) -> Result<Vec<i64>, String> {
    let pattern = compiled(spelled)?;
    forget();
    let (mut places, mut at) = (Vec::new(), Places::new(text));
    pattern.every(text, limit, |groups| {
        keep(groups);
        at.add(groups, &mut places);
    })?;
    Ok(places)
}

/// The texts of the groups that the last search in this text found.
pub fn cut(text: &str) -> Result<Vec<&str>, String> {
    let spans = FOUND.with(|found| std::mem::take(&mut *found.borrow_mut()));
    spans
        .into_iter()
        .map(|span| match span {
            None => Ok(""),
            Some((start, end)) => text
                .get(start..end)
                .ok_or_else(|| "this is not the text that was searched".to_owned()),
        })
        .collect()
}

/// The pieces of the text between the matches that the last search found, one more than there are; to be asked for
/// before [`cut`].
pub fn between(text: &str, groups: i64) -> Result<Vec<&str>, String> {
    let groups = usize::try_from(groups).unwrap_or(0).max(1);
    FOUND.with(|found| {
        let (mut pieces, mut from) = (Vec::new(), 0);
        let piece = |from, to| {
            text.get(from..to)
                .ok_or("this is not the text that was searched")
        };
        for groups in found.borrow().chunks(groups) {
            let (start, end) = groups[0].unwrap_or_default();
            pieces.push(piece(from, start)?);
            from = end;
        }
        pieces.push(piece(from, text.len())?);
        Ok(pieces)
    })
}

/// The texts of all matches.
pub fn texts<'t>(spelled: &str, text: &'t str) -> Result<Vec<&'t str>, String> {
    let pattern = compiled(spelled)?;
    let (mut texts, mut from) = (Vec::new(), 0);
    while from <= text.len()
        && let Some((start, end)) = pattern.whole_at(text, from)?
    {
        texts.push(&text[start..end]);
        from = if start == end { after(text, end) } else { end };
    }
    Ok(texts)
}

/// Whether it matches anywhere.
pub fn is_match(spelled: &str, text: &str) -> Result<bool, String> {
    match &compiled(spelled)?.engine {
        Engine::Linear(regex) => Ok(regex.is_match(text)),
        Engine::Backtracking(regex) => regex.is_match(text).map_err(|error| stopped(&error)),
    }
}

/// The text with at most `limit` matches replaced, all for 0. `\1`, `\g<name>` and `\g<1>` in the replacement are
/// groups.
pub fn replace(spelled: &str, text: &str, with: &str, limit: i64) -> Result<String, String> {
    let pattern = compiled(spelled)?;
    let template = template(with, &pattern.names)?;
    let (mut out, mut from) = (String::new(), 0);
    pattern.every(text, limit, |groups| {
        let (start, end) = groups[0].unwrap_or_default();
        out.push_str(&text[from..start]);
        for piece in &template {
            match piece {
                Piece::Text(plain) => out.push_str(plain),
                Piece::Group(group) => {
                    out.push_str(groups[*group].map_or("", |(start, end)| &text[start..end]))
                }
            }
        }
        from = end;
    })?;
    out.push_str(&text[from..]);
    Ok(out)
}

/// The pieces between matches, at most `limit` cuts, all for 0; what groups match is among them, as in Python.
pub fn split<'t>(spelled: &str, text: &'t str, limit: i64) -> Result<Vec<&'t str>, String> {
    let pattern = compiled(spelled)?;
    let (mut pieces, mut from) = (Vec::new(), 0);
    pattern.every(text, limit, |groups| {
        let (start, end) = groups[0].unwrap_or_default();
        pieces.push(&text[from..start]);
        pieces.extend(
            groups
                .iter()
                .skip(1)
                .map(|group| group.map_or("", |(start, end)| &text[start..end])),
        );
        from = end;
    })?;
    pieces.push(&text[from..]);
    Ok(pieces)
}

/// A text with every character that means something in a pattern escaped.
pub fn escape(text: &str) -> Result<String, String> {
    simple_system::memory::probe(text.len().saturating_mul(2))?;
    Ok(regex::escape(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_count_characters() {
        assert_eq!(find(" (b)|(c)", "é b", 0).unwrap(), [2, 3, 2, 3, -1, -1]);
        assert_eq!(cut("é b").unwrap(), ["b", "b", ""]);
        assert_eq!(
            find_all(" é(.)", "éaéb", 0).unwrap(),
            [0, 2, 1, 2, 2, 4, 3, 4]
        );
        assert_eq!(between("éaéb", 2).unwrap(), ["", "", ""]);
        assert_eq!(find(" a", "éaa", 2).unwrap(), [2, 3]);
        assert!(find(" x", "abc", 100).unwrap().is_empty());
        assert!(find("F a|ab", "abc", 0).unwrap().is_empty());
        assert_eq!(find("Fx a|ab # all", "ab", 0).unwrap(), [0, 2]);
    }

    #[test]
    fn replacements_are_pythons() {
        let swapped = replace(r" (?P<a>\w+) (?P<b>\w+)", "x y", r"\g<b> \1\n\\", 0);
        assert_eq!(swapped.unwrap(), "y x\n\\");
        assert_eq!(replace(" x*", "abxd", "-", 0).unwrap(), "-a-b--d-");
        assert!(
            replace(" a", "a", r"\1", 0)
                .unwrap_err()
                .contains("group `1`")
        );
        assert!(
            replace(" a", "a", r"\q", 0)
                .unwrap_err()
                .contains("unknown escape")
        );
        assert_eq!(split(" (,)", "a,b,c", 1).unwrap(), ["a", ",", "b,c"]);
        assert_eq!(texts(" é|", "éa").unwrap(), ["é", "", ""]);
    }

    #[test]
    fn look_around_and_references_work() {
        assert_eq!(
            texts(r" (?<=\$)\d+(?!\d)", "$12 13 $4").unwrap(),
            ["12", "4"]
        );
        assert_eq!(texts(r" (\w)\1", "hello wood").unwrap(), ["ll", "oo"]);
        assert_eq!(texts(r" (?P<c>\w)(?P=c)", "hello").unwrap(), ["ll"]);
        assert!(
            is_match(r" ^(a|aa)+\1?$", &("a".repeat(40) + "b"))
                .is_err_and(|why| why.contains("steps back"))
        );
    }

    #[test]
    fn wrong_patterns_say_where() {
        let why = |pattern: &str| compile(pattern).unwrap_err();
        assert_eq!(
            why(" é(a"),
            "invalid pattern `é(a`: position 1: unclosed group\n    é(a\n     ^"
        );
        assert!(why(" a{2,1}").contains("position 1"), "{}", why(" a{2,1}"));
        assert!(why(" [z-a]").contains("position 1: invalid character class range"));
        assert!(why(" (?<=a)(").contains("position"));
        let long = why(&format!(" {}(", "ab".repeat(1000)));
        assert!(
            long.contains("position 2000: unclosed group") && long.len() < 300,
            "{long}"
        );
        assert!(why("q a").contains("unknown flag `q`"));
        assert!(compile("imsx a").is_ok());
    }
}
