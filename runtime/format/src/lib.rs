//! `simple fmt`: the text of a program in the one style of the language.
//!
//! White space, line breaks and long comments change, tokens never. The parser says where statements and blocks begin
//! (`simple_syntax::written`); `space.rs` says which tokens of a line have a space between them, `gap.rs` reads what is
//! between tokens, `write.rs` puts lines at their indentation, `fill.rs` breaks lines that are too long, `comment.rs`
//! comments. The result is parsed again: a text whose tree would differ is never returned. What is in the holes of
//! strings stays as it was written. The rules are in `doc/formatting.md`.

mod comment;
mod fill;
mod gap;
mod space;
mod state;
mod write;

use simple_syntax::ast;
use simple_syntax::written::{Written, parse_written};
use simple_syntax::{Diagnostic, FileId};
use state::Change;
use std::ops::RangeInclusive;
use write::Outcome;

/// How wide a line may be, in characters.
pub const WIDTH: usize = 120;

/// How many spaces a block is indented by.
pub(crate) const STEP: usize = 4;

/// Why a text is not formatted.
#[derive(Debug)]
pub enum Refusal {
    /// It does not parse.
    Syntax(Vec<Diagnostic>),
    /// The result would not mean the same, which is a mistake of this crate.
    Meaning,
}

/// The text in the style of the language.
///
/// # Errors
///
/// The text does not parse.
pub fn format(source: &str) -> Result<String, Refusal> {
    let mut text = once(source, None)?;
    // Lines that were broken may be laid out anew; what a second run would do is done now.
    for _ in 0..3 {
        let again = once(&text, None)?;
        if again == text {
            break;
        }
        text = again;
    }
    Ok(text)
}

/// As [`format`], of these lines alone, which are counted from 1; statements that they touch are formatted whole.
///
/// # Errors
///
/// As [`format`]; also where the lines cannot be indented as the style wants without the lines around them.
pub fn format_lines(source: &str, lines: RangeInclusive<usize>) -> Result<String, Refusal> {
    once(source, Some(lines))
}

fn once(source: &str, lines: Option<RangeInclusive<usize>>) -> Result<String, Refusal> {
    let before = parse_written(FileId(0), source);
    if !before.is_sound() {
        return Err(Refusal::Syntax(before.diagnostics));
    }
    for change in [Change::BODIES, Change::LINES, Change::SPACES] {
        let Outcome { text, pieces } = write::write(source, &before, change);
        let text = match &lines {
            Some(lines) => write::chosen(source, &text, &pieces, lines),
            None => text,
        };
        if text == source || means_the_same(source, &before, &text) {
            return Ok(text);
        }
    }
    Err(Refusal::Meaning)
}

/// Whether both texts have the same tokens and the same tree.
fn means_the_same(source: &str, before: &Written, text: &str) -> bool {
    let after = parse_written(FileId(0), text);
    if !after.is_sound() || before.tokens.len() != after.tokens.len() {
        return false;
    }
    let mut pairs = before.tokens.iter().zip(&after.tokens);
    let same = pairs.all(|(old, new)| {
        let text_of =
            |text: &str, lo: u32, hi: u32| text[lo as usize..hi as usize].replace('\r', "");
        let short = |lo: u32, hi: u32| (hi - lo) as usize;
        old.tok == new.tok
            && (source.as_bytes()[old.lo as usize..old.hi as usize]
                == text.as_bytes()[new.lo as usize..new.hi as usize]
                || short(old.lo, old.hi) != short(new.lo, new.hi)
                    && text_of(source, old.lo, old.hi) == text_of(text, new.lo, new.hi))
    });
    let tree = |module: &ast::Module| without_breaks_in_docs(&ast::dump(module));
    same && tree(&before.tree) == tree(&after.tree)
}

/// The dump of a tree in which comments of declarations are one line, since those that are too long are broken.
fn without_breaks_in_docs(dump: &str) -> String {
    if !dump.contains("docs \"") {
        return dump.to_owned();
    }
    let mut out = String::with_capacity(dump.len());
    for line in dump.lines() {
        match line.trim_start().starts_with("docs \"") {
            true => {
                let words = line.replace("\\n", " ");
                out.extend(words.split_whitespace().flat_map(|word| [word, " "]));
            }
            false => out.push_str(line),
        }
        out.push('\n');
    }
    out
}
