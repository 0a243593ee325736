//! The names that could be where the cursor is: the program is checked with a name there that nothing has, and the
//! checker says which names it would have taken.

use crate::document::Document;
use crate::{Analyzer, Open};
use serde_json::{Value, json};
use simple_sema::PROBE;
use std::path::Path;

/// More are not sent: the editor asks again when another letter is typed.
const MOST: usize = 2000;

/// The names that begin with what is before the cursor, and whether these are all.
pub(crate) fn complete(
    path: &Path,
    document: &Document,
    offset: usize,
    (analyzer, open): (&dyn Analyzer, &Open),
    kind_of: impl Fn(&str) -> Option<u32>,
) -> Value {
    let (lo, hi) = document.word(offset);
    let text = document.text();
    let typed = &text[lo..offset];
    let probed = format!("{}{PROBE}{}", &text[..lo], &text[hi..]);
    let mut open = open.clone();
    open.insert(path.to_owned(), probed);
    let offered = analyzer.check(path, &open).offered;
    let hidden = |name: &str| name.starts_with('_') && !typed.starts_with('_');
    let mut names: Vec<&String> = offered
        .iter()
        .filter(|name| name.starts_with(typed) && !hidden(name) && name.as_str() != PROBE)
        .filter(|name| name.starts_with(|c: char| c.is_alphabetic() || c == '_'))
        .collect();
    let complete = names.len() <= MOST;
    names.truncate(MOST);
    let member = text[..lo].ends_with('.');
    let items: Vec<Value> = names
        .into_iter()
        .map(|name| {
            let kind = kind_of(name).unwrap_or(if member { 2 } else { 6 });
            json!({
                "label": name,
                "kind": kind,
                "textEdit": {"range": document.range(lo, offset), "newText": name},
            })
        })
        .collect();
    json!({"isIncomplete": !complete, "items": items})
}
