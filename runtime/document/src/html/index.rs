//! What the search looks through, as a script: pages that are opened from a disk cannot fetch a file of data.

use super::names::{Names, shown};
use super::{Module, markdown};
use crate::Entry;
use std::fmt::Write;

/// `var REFERENCE = {"pages": [...], "entries": [[name, word, page, weight, summary], ...]}`. The anchor of an entry is
/// its name; the page of a module has an empty one. What is imported by a short path has a large weight.
pub(super) fn script(modules: &[Module<'_>], names: &Names<'_>) -> String {
    let mut text = "var REFERENCE = {\"pages\": [".to_owned();
    for (at, module) in modules.iter().enumerate() {
        let comma = if at > 0 { ", " } else { "" };
        let _ = write!(text, "{comma}{}", quoted(&module.source.module));
    }
    text.push_str("], \"entries\": [\n");
    for (at, module) in modules.iter().enumerate() {
        let depth = |at: usize| modules[at].source.module.matches('.').count();
        let docs = module.content.docs.as_deref().unwrap_or_default().trim();
        let weight = 8_usize.saturating_sub(depth(at));
        row(&mut text, &module.source.module, "module", at, weight, docs);
        for entry in shown(module) {
            let from = names.import_from(at, &entry.name);
            let weight = 8_usize.saturating_sub(depth(from)) + usize::from(from != at);
            let word = entry.signature.split(' ').next().unwrap_or_default();
            row(&mut text, &entry.name, word, at, weight, &entry.docs);
            let methods = module.content.entries.iter();
            for method in methods.filter(|method| method.owner.as_ref() == Some(&entry.name)) {
                method_row(&mut text, method, at, weight);
            }
        }
        for method in names.given_methods(at) {
            method_row(&mut text, method, at, weight);
        }
    }
    text.push_str("]};\n");
    text
}

fn method_row(text: &mut String, method: &Entry, page: usize, weight: usize) {
    row(
        text,
        &method.full_name(),
        "method",
        page,
        weight,
        &method.docs,
    );
}

fn row(text: &mut String, name: &str, word: &str, page: usize, weight: usize, docs: &str) {
    let summary = markdown::first_sentence(docs);
    let _ = writeln!(
        text,
        "[{}, {}, {page}, {weight}, {}],",
        quoted(name),
        quoted(word),
        quoted(&summary)
    );
}

/// A text of JavaScript, which may be inside of a page too.
fn quoted(text: &str) -> String {
    let mut out = "\"".to_owned();
    for letter in text.chars() {
        match letter {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '<' => out.push_str("\\u003c"),
            '\u{2028}' | '\u{2029}' => out.push(' '),
            control if control < ' ' => out.push(' '),
            other => out.push(other),
        }
    }
    out.push('"');
    out
}
