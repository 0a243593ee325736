//! Examples of a spec file that do not compile: each fails alone, and the others run.
//!
//! Where every error of a file is in the block of an example, or goes with those blocks, the file is checked again with blocks in their
//! place that fail with the error's message. An error elsewhere in a group fails that group, one outside of all groups the file. Leaves out
//! functions marked `@test`. Next: `lib/std/spec.spl` for the words.

use crate::loader;
use crate::render;
use crate::session::Session;
use simple_sema::Checked;
use simple_sema::loader::LoadedSource;
use simple_syntax::blocks::{CallBlock, call_blocks};
use simple_syntax::{Diagnostic, Severity, codes};
use std::collections::BTreeMap;
use std::path::Path;

/// The words of `std.spec` whose blocks can be replaced by ones that fail.
const WORDS: &[&str] = &["it", "test", "skip_it", "xit", "describe", "context"];

/// What is left of a spec file that has errors.
pub struct Rest {
    /// Its program, in which the blocks that do not compile fail.
    pub checked: Checked,
    /// What is wrong with those blocks, for people.
    pub shown: String,
}

/// What is left of the spec file `root`, whose check says `whole`; nothing where the errors are not in blocks that can be replaced.
pub fn rest(session: &Session, root: &LoadedSource, whole: &Checked, colour: bool) -> Option<Rest> {
    if !loader::is_spec(Path::new(&root.path)) {
        return None;
    }
    let mut shown: Vec<(u32, String)> = Vec::new();
    let mut text = root.text.clone();
    let mut again: Option<Checked> = None;
    // A block that fails compiles, so that each round replaces others.
    for _ in 0..text.lines().count() {
        let checked = again.as_ref().unwrap_or(whole);
        let broken = broken(checked, root, &text);
        if broken.is_empty() {
            return None;
        }
        for error in broken.values().flat_map(|(_, errors)| errors) {
            let line = checked.sources.position(error.span).line;
            shown.push((line, render::human(error, &checked.sources, colour)));
        }
        text = replaced(&text, &broken);
        let source = LoadedSource {
            text: text.clone(),
            ..root.clone()
        };
        let loader = session.open(&source);
        let checked = session.check_to_run(source, &loader);
        if checked.program.is_some() {
            shown.sort_by_key(|(line, _)| *line);
            let count = render::count_of_errors(shown.len());
            let texts = shown.into_iter().map(|(_, text)| text + "\n");
            let shown = texts.chain([count]).collect();
            return Some(Rest { checked, shown });
        }
        again = Some(checked);
    }
    None
}

/// The blocks around errors by where they begin, with the errors.
type Broken = BTreeMap<u32, (CallBlock, Vec<Diagnostic>)>;

/// The innermost blocks around the errors of a check of `text`.
fn broken(checked: &Checked, root: &LoadedSource, text: &str) -> Broken {
    let mut broken = Broken::new();
    let mut files = checked.sources.files();
    let Some((file, _)) = files.find(|(_, file)| file.path == root.path) else {
        return broken;
    };
    let blocks = call_blocks(file, text, WORDS);
    for error in &checked.diagnostics {
        // A bracket that is not closed may be noticed in a later block.
        let places = error.related.iter().map(|(span, _)| *span);
        let first = match error.code {
            codes::UNCLOSED | codes::UNEXPECTED => places
                .chain([error.span])
                .filter(|at| at.file == file)
                .min_by_key(|at| at.lo),
            _ => Some(error.span),
        };
        let around = first.and_then(|span| {
            let holds = |block: &&CallBlock| block.body.lo <= span.lo && span.hi <= block.body.hi;
            blocks.iter().rfind(holds).filter(|_| span.file == file)
        });
        if error.severity == Severity::Error
            && let Some(block) = around
        {
            let entry = broken.entry(block.body.lo).or_insert((*block, Vec::new()));
            entry.1.push(error.clone());
        }
    }
    broken
}

/// The text with blocks that fail in place of these; lines keep their numbers.
fn replaced(text: &str, broken: &Broken) -> String {
    let mut out = String::with_capacity(text.len());
    let mut copied = 0;
    for (block, errors) in broken.values() {
        let (lo, hi) = (block.body.lo as usize, block.body.hi as usize);
        // A block inside one that is replaced goes with it.
        if lo < copied {
            continue;
        }
        out.push_str(&text[copied..lo]);
        let message = errors.first().map_or("", |error| &error.message);
        out.push_str(&format!(
            " throw {}",
            quoted(&format!("does not compile: {message}"))
        ));
        out.extend(text[lo..hi].matches('\n'));
        copied = hi;
    }
    out.push_str(&text[copied..]);
    out
}

/// A text literal.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for char in text.chars() {
        match char {
            '"' | '\\' => out.extend(['\\', char]),
            '{' | '}' => out.extend([char, char]),
            char if char.is_control() => out.push(' '),
            char => out.push(char),
        }
    }
    out.push('"');
    out
}
