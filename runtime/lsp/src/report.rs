//! What a check has to say about an open file, in the protocol's form, and the changes that its advice offers.

use crate::document::{Document, uri_of};
use serde_json::{Value, json};
use simple_syntax::{Diagnostic, FileId, Severity, SourceMap, Span};

/// The diagnostics of one file.
pub(crate) fn diagnostics(
    all: &[Diagnostic],
    sources: &SourceMap,
    file: FileId,
    document: &Document,
) -> Vec<Value> {
    let own = all.iter().filter(|d| d.span.file == file);
    own.map(|d| diagnostic(d, sources, document)).collect()
}

fn diagnostic(d: &Diagnostic, sources: &SourceMap, document: &Document) -> Value {
    let related: Vec<Value> = d
        .related
        .iter()
        .map(|(span, message)| {
            json!({"location": location(sources, *span, document), "message": message})
        })
        .collect();
    json!({
        "range": document.range(d.span.lo as usize, d.span.hi as usize),
        "severity": match d.severity { Severity::Error => 1, Severity::Warning => 2 },
        "code": d.code,
        "source": "simple",
        "message": message(d),
        "relatedInformation": related,
    })
}

/// Everything that the terminal shows of a report, but for the source lines.
fn message(d: &Diagnostic) -> String {
    let mut text = d.message.clone();
    let mut line = |label: &str, content: &str| text.push_str(&format!("\n{label}: {content}"));
    if let Some(found) = &d.found {
        line("found", found);
    }
    if let Some(expected) = &d.expected {
        line("expected", expected);
    }
    for note in &d.notes {
        line("note", note);
    }
    if let Some(help) = &d.help {
        line("help", help);
    }
    text
}

/// A place in any file of a check. `like` says how columns are counted.
pub(crate) fn location(sources: &SourceMap, span: Span, like: &Document) -> Value {
    let file = sources.file(span.file);
    let document = like.with_text(file.text.clone());
    json!({
        "uri": uri_of(&file.path),
        "range": document.range(span.lo as usize, span.hi as usize),
    })
}

/// The changes that reports about the bytes from `lo` to `hi` offer.
pub(crate) fn actions(
    all: &[Diagnostic],
    sources: &SourceMap,
    file: FileId,
    document: &Document,
    (lo, hi): (usize, usize),
    uri: &str,
) -> Vec<Value> {
    let meets =
        |span: Span| span.file == file && (span.lo as usize) <= hi && lo <= span.hi as usize;
    let mut actions = Vec::new();
    for d in all.iter().filter(|d| meets(d.span)) {
        let Some(fix) = d.fix.as_ref().filter(|fix| fix.span.file == file) else {
            continue;
        };
        let (from, to) = (fix.span.lo as usize, fix.span.hi as usize);
        let title = match (from == to, fix.replacement.is_empty()) {
            (true, _) => format!("Insert `{}`", fix.replacement.trim()),
            (_, true) => format!("Remove `{}`", &document.text()[from..to]),
            _ => format!("Replace it with `{}`", fix.replacement.trim()),
        };
        actions.push(json!({
            "title": title,
            "kind": "quickfix",
            "diagnostics": [diagnostic(d, sources, document)],
            "edit": {"changes": {uri: [
                {"range": document.range(from, to), "newText": fix.replacement}
            ]}},
        }));
    }
    actions
}
