//! Semantic tokens: what each name of a file is, for its colour.
//!
//! The tree and the tokens say most of it, also in a text that does not compile; of variables the last program knows
//! which are parameters and which can be changed. Keywords, numbers, texts and comments are left to the editor's
//! grammar (`doc/editors`).

use crate::document::Document;
use crate::facts::{Facts, Variable};
use serde_json::{Value, json};
use simple_syntax::FileId;
use simple_syntax::ast::{ExportDecl, ItemKind, StmtKind};
use simple_syntax::written::{Tok, Written, parse_written};
use std::collections::HashMap;

/// The kinds, by their numbers.
pub(crate) const KINDS: [&str; 10] = [
    "namespace",
    "type",
    "class",
    "enum",
    "struct",
    "parameter",
    "variable",
    "property",
    "function",
    "method",
];
const NAMESPACE: u32 = 0;
const TYPE: u32 = 1;
const PARAMETER: u32 = 5;
const VARIABLE: u32 = 6;
const PROPERTY: u32 = 7;
const FUNCTION: u32 = 8;
const METHOD: u32 = 9;

/// What can be said of a name besides, by bits.
pub(crate) const MODIFIERS: [&str; 2] = ["declaration", "readonly"];
const DECLARATION: u32 = 1;
const READONLY: u32 = 2;

/// Five numbers for each name: lines and columns from the one before, length, kind, modifiers.
pub(crate) fn tokens(document: &Document, facts: Option<&Facts<'_>>) -> Value {
    let text = document.text();
    let written = parse_written(FileId(0), text);
    let variables = facts.map(Facts::variables).unwrap_or_default();
    let declared = declared(&written);
    let (mut data, mut line, mut column) = (Vec::new(), 0, 0);
    for (lo, hi, kind, modifiers) in names(text, &written, &variables, &declared, facts) {
        let (start, end) = (document.position(lo), document.position(hi));
        let number = |value: &Value| value.as_u64().unwrap_or(0);
        let (here, at) = (number(&start["line"]), number(&start["character"]));
        if number(&end["line"]) != here {
            continue;
        }
        let across = if here == line { at - column } else { at };
        let length = number(&end["character"]) - at;
        data.extend([
            here - line,
            across,
            length,
            u64::from(kind),
            u64::from(modifiers),
        ]);
        (line, column) = (here, at);
    }
    json!({"data": data})
}

/// The places of modules in `use` and `export use`, and those of fields in types.
fn declared(written: &Written) -> HashMap<u32, (u32, u32)> {
    let mut found = HashMap::new();
    for stmt in &written.tree.stmts {
        let StmtKind::Item(item) = &stmt.kind else {
            continue;
        };
        match &item.kind {
            ItemKind::Use(decl) | ItemKind::Export(ExportDecl::Use(decl)) => {
                let segments = decl.segments.iter();
                found.extend(segments.map(|segment| (segment.span.lo, (NAMESPACE, 0))));
            }
            ItemKind::Struct(decl) | ItemKind::Class(decl) | ItemKind::Mixin(decl) => {
                let fields = decl.fields.iter();
                found.extend(fields.map(|field| (field.name.span.lo, (PROPERTY, DECLARATION))));
            }
            _ => {}
        }
    }
    found
}

/// The types that need no declaration.
const BUILT_IN: [&str; 14] = [
    "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f32", "f64", "bool", "text", "list",
    "tuple",
];

/// Each name with its place, kind and modifiers.
fn names(
    text: &str,
    written: &Written,
    variables: &HashMap<usize, Variable>,
    declared: &HashMap<u32, (u32, u32)>,
    facts: Option<&Facts<'_>>,
) -> Vec<(usize, usize, u32, u32)> {
    let all = &written.tokens;
    let word = |at: usize| {
        all.get(at)
            .map_or("", |token| &text[token.lo as usize..token.hi as usize])
    };
    let readonly = |mutable: bool| if mutable { 0 } else { READONLY };
    let is_argument = |at: usize| {
        let operand = |tok| matches!(tok, Tok::Ident | Tok::Text | Tok::Int | Tok::Float);
        all.get(at)
            .is_some_and(|next| next.spaced && !next.first && operand(next.tok))
    };
    let mut found = Vec::new();
    for (at, token) in all
        .iter()
        .enumerate()
        .filter(|(_, token)| token.tok == Tok::Ident)
    {
        let (lo, hi) = (token.lo as usize, token.hi as usize);
        let name = &text[lo..hi];
        let (before, after) = (if at > 0 { word(at - 1) } else { "" }, word(at + 1));
        let follows = all.get(at + 1).is_some_and(|next| !next.spaced);
        let called = follows && (after == "(" || after == "<" && all[at + 1].bracket);
        let big = name.starts_with(char::is_uppercase);
        let known_type = || facts.and_then(|facts| facts.kind_of_type(name));
        let (kind, modifiers) = match before {
            "fn" | "me" => (FUNCTION, DECLARATION),
            "class" | "struct" | "enum" | "trait" | "mixin" | "type" | "alias" => {
                (known_type().unwrap_or(TYPE), DECLARATION)
            }
            "@" => continue,
            _ if declared.contains_key(&token.lo) => declared[&token.lo],
            "." | "?." if called && !big => (METHOD, 0),
            "." | "?." if !big => (PROPERTY, 0),
            _ if big => (known_type().unwrap_or(TYPE), 0),
            _ => match variables.get(&lo) {
                Some(Variable::Field) => (PROPERTY, 0),
                Some(Variable::Parameter(mutable)) => (PARAMETER, readonly(*mutable)),
                Some(Variable::Local(mutable)) => (VARIABLE, readonly(*mutable)),
                None if BUILT_IN.contains(&name) => (TYPE, 0),
                // `print x`, `it "works":`
                None if token.first && is_argument(at + 1) => (FUNCTION, 0),
                None if called => (FUNCTION, 0),
                // The label of an argument, or a parameter of a function that nothing calls.
                None if after == ":" && matches!(before, "(" | ",") => (PARAMETER, 0),
                None => (VARIABLE, 0),
            },
        };
        found.push((lo, hi, kind, modifiers));
    }
    found
}
