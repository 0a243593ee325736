//! What a call takes, while it is typed: the head of the function, and which of its parameters the cursor is in.
//!
//! A text with an open parenthesis is mostly no program, so the name before it is looked up in the texts of the last
//! program's modules. Of a method the type before the dot counts, if that is known.

use crate::call::{Call, Head};
use crate::document::Document;
use crate::facts::Facts;
use serde_json::{Value, json};
use simple_document::signature::parts;
use simple_syntax::FileId;
use simple_syntax::written::{Tok, WrittenToken, parse_written};

/// So many functions of one name are offered.
const MOST: usize = 8;

/// What the call around the cursor takes.
pub(crate) fn help(document: &Document, offset: usize, facts: &Facts<'_>) -> Option<Value> {
    let text = document.text();
    let tokens = parse_written(FileId(0), text).tokens;
    let call = call_at(text, &tokens, offset)?;
    let mut heads = facts.heads(&call);
    heads.truncate(MOST);
    if heads.is_empty() {
        return None;
    }
    let active = |head: &Head| {
        let named = |label| head.parameters.iter().position(|one| parts(one).0 == label);
        let last = head.parameters.len().saturating_sub(1);
        call.label.and_then(named).unwrap_or(call.place.min(last))
    };
    let signatures: Vec<Value> = heads
        .iter()
        .map(|head| {
            let parameters = head.parameters.iter().map(|one| json!({"label": one}));
            json!({
                "label": head.label,
                "documentation": {"kind": "markdown", "value": head.docs},
                "parameters": parameters.collect::<Vec<_>>(),
                "activeParameter": active(head),
            })
        })
        .collect();
    Some(
        json!({"signatures": signatures, "activeSignature": 0, "activeParameter": active(&heads[0])}),
    )
}

/// The innermost call whose parentheses the cursor is in.
fn call_at<'t>(text: &'t str, tokens: &[WrittenToken], offset: usize) -> Option<Call<'t>> {
    let word = |token: &WrittenToken| &text[token.lo as usize..token.hi as usize];
    let before = tokens
        .iter()
        .take_while(|token| token.hi as usize <= offset && token.tok != Tok::Eof);
    let before: Vec<&WrittenToken> = before.collect();
    let (mut depth, mut place, mut label, mut start) = (0_usize, 0, None, before.len());
    for (at, token) in before.iter().enumerate().rev() {
        match word(token) {
            ")" | "]" | "}" => depth += 1,
            "[" | "{" => depth = depth.checked_sub(1)?,
            "(" if depth > 0 => depth -= 1,
            "(" => {
                label = label.or_else(|| label_at(&before[at + 1..start], word));
                let name = before.get(at.checked_sub(1)?)?;
                // Neither `f (x)` nor a declaration is a call.
                let declared = at >= 2 && matches!(word(before[at - 2]), "fn" | "me");
                if name.tok != Tok::Ident || token.spaced || declared {
                    return None;
                }
                let dot = at >= 2 && word(before[at - 2]) == ".";
                let receiver = (dot && at >= 3).then(|| before[at - 3].hi as usize);
                return Some(Call {
                    name: word(name),
                    receiver,
                    place,
                    label,
                });
            }
            "," if depth == 0 => {
                if place == 0 {
                    label = label_at(&before[at + 1..start], word);
                }
                place += 1;
                start = start.min(at);
            }
            _ => {}
        }
    }
    None
}

/// The label that an argument begins with.
fn label_at<'t>(
    tokens: &[&WrittenToken],
    word: impl Fn(&WrittenToken) -> &'t str,
) -> Option<&'t str> {
    match tokens {
        [name, colon, ..] if name.tok == Tok::Ident && word(colon) == ":" => Some(word(name)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Option<(&str, usize, Option<&str>)> {
        let offset = text.find('|').expect("a cursor");
        let text: &'static str = Box::leak(text.replace('|', "").into_boxed_str());
        let tokens = parse_written(FileId(0), text).tokens;
        call_at(text, &tokens, offset).map(|call| (call.name, call.place, call.label))
    }

    #[test]
    fn the_call_around_the_cursor() {
        assert_eq!(found("f(|"), Some(("f", 0, None)));
        assert_eq!(found("val x = a.f(1, g(2, 3), |)"), Some(("f", 2, None)));
        assert_eq!(found("f(1, g(2, |"), Some(("g", 1, None)));
        assert_eq!(found("f([1, 2, |]"), None);
        assert_eq!(found("f(1, [2, 3], by: |"), Some(("f", 2, Some("by"))));
        assert_eq!(found("f(by: 1|"), Some(("f", 0, Some("by"))));
        assert_eq!(found("f(1)|"), None);
        assert_eq!(found("fn f(a: |"), None);
        assert_eq!(found("print (1, |"), None);
    }
}
