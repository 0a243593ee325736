//! Tokens to tree: recursive descent with precedence climbing, one file per area of the grammar.
//!
//! A rule that cannot go on reports and returns [`Failed`]; the nearest statement (or initializer) catches it, skips
//! to its end and leaves an error node, so that one mistake gives one message. Layout is queried through
//! [`Parser::kind`] (`layout.rs`). Next: `stmt.rs` and `item.rs` from above, `expr.rs` and `postfix.rs` for
//! expressions, `hints.rs` for spellings of other languages.

mod args;
mod control;
mod cursor;
mod expr;
mod foreign;
mod hints;
mod item;
mod item_extern;
mod item_types;
mod item_use;
mod lambda;
mod layout;
mod literal;
mod pattern;
mod postfix;
mod primary;
mod stmt;
mod text;
mod ty;

use crate::ast::Module;
use crate::codes;
use crate::diagnostic::{Diagnostic, Severity};
use crate::lexer::{self, Lexed};
use crate::span::{FileId, Span};
use crate::symbol::Symbol;
use layout::Ctx;
use std::ops::Range;

/// An error was reported and the rule could not go on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Failed;

/// What a grammar rule returns.
pub(crate) type PResult<T> = Result<T, Failed>;

/// What `^` is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Caret {
    /// Exclusive or: everywhere but in the blocks below.
    Xor,
    /// A power: in `m{ }`.
    Power,
    /// One of both, as the types of the operands say: in `loss{ }` and `nograd{ }`.
    ByType,
}

/// How deeply expressions, types, patterns and blocks may nest.
///
/// A level takes up to 13 KiB of stack in a debug build, and test threads have 2 MiB.
pub(crate) const NEST_LIMIT: u32 = 128;

/// How high the tree of one expression may grow, long chains of operators or calls included; every later stage walks
/// trees recursively.
pub(crate) const HEIGHT_LIMIT: u32 = 200;

/// How many errors are reported for one file before the rest is dropped.
const ERROR_LIMIT: usize = 100;

/// The state of one parse.
pub(crate) struct Parser<'a> {
    pub(crate) file: FileId,
    pub(crate) source: &'a str,
    pub(crate) lexed: Lexed,
    pub(crate) pos: usize,
    pub(crate) contexts: Vec<Ctx>,
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// Names whose declarations are broken.
    pub(crate) broken: Vec<Symbol>,
    /// Nesting of the rule that runs now.
    pub(crate) depth: u32,
    /// Height of what was parsed so far in the current expression.
    pub(crate) height: u32,
    /// Keywords that were declared as names, which is reported.
    pub(crate) keyword_names: Vec<crate::lexer::Tok>,
    /// Where the expression statement begins that is being read: an assignment can follow only what begins there.
    pub(crate) statement: u32,
    /// What `^` is at this place, which [`crate::ast::ExprKind::MathBlock`] changes.
    pub(crate) caret: Caret,
    /// Set directly inside the brackets of an index, where `::` is two colons.
    pub(crate) in_index: bool,
    /// Whether the expression that was read last is the lower bound of a range without an upper one: `xs[1..]`.
    pub(crate) open_range: bool,
    /// Whether `=>` in an arm was met in this file: one warning is enough.
    pub(crate) warned_arrow: bool,
    /// Set in the guard of a match arm, where `->` ends the guard.
    pub(crate) in_guard: bool,
    /// How many arguments and parentheses are around, in which a placeholder is allowed.
    pub(crate) placeholders: u32,
    /// Whether the function that is being read has a `yield`.
    pub(crate) yields: bool,
    /// The token at which the last argument of a call without parentheses begins that may be followed by a lambda.
    pub(crate) command_arg: usize,
    /// The token at which the current statement begins.
    pub(crate) stmt_start: usize,
}

/// Parses a file. The tree is whole even after errors, which are listed in source order.
pub fn parse(file: FileId, source: &str) -> (Module, Vec<Diagnostic>) {
    parse_module(file, source, 0..source.len(), false)
}

/// As [`parse`], of the bytes `part` alone, which begin at the start of a line; places are those in the file.
///
/// # Panics
///
/// When `part` is not a part of `source` between two characters.
pub fn parse_part(file: FileId, source: &str, part: Range<u32>) -> (Module, Vec<Diagnostic>) {
    parse_module(file, source, part.start as usize..part.end as usize, false)
}

/// As [`parse`] of a text that has these parts alone, each of which is whole lines and a program by itself.
///
/// # Panics
///
/// As [`parse_part`].
pub fn parse_parts(
    file: FileId,
    source: &str,
    parts: &[Range<usize>],
) -> (Module, Vec<Diagnostic>) {
    let mut whole = Module {
        docs: None,
        stmts: Vec::new(),
        broken: Vec::new(),
        // A part of 4 GiB or more is not parsed.
        span: Span::new(file, 0, source.len() as u32),
    };
    let mut diagnostics = Vec::new();
    for part in parts {
        let (tree, problems) = parse_module(file, source, part.clone(), false);
        if part.start == 0 {
            whole.docs = tree.docs;
        }
        whole.stmts.extend(tree.stmts);
        whole.broken.extend(tree.broken);
        diagnostics.extend(problems);
    }
    (whole, diagnostics)
}

/// As [`parse`], but a bare text is a statement like any other and documents nothing: for what is typed in a session.
pub fn parse_entry(file: FileId, source: &str) -> (Module, Vec<Diagnostic>) {
    parse_module(file, source, 0..source.len(), true)
}

fn parse_module(
    file: FileId,
    source: &str,
    part: Range<usize>,
    keep_texts: bool,
) -> (Module, Vec<Diagnostic>) {
    let (module, diagnostics, _) = parse_with_tokens(file, source, part, keep_texts);
    (module, diagnostics)
}

/// As [`parse_module`], and what the lexer found.
pub(crate) fn parse_with_tokens(
    file: FileId,
    source: &str,
    part: Range<usize>,
    keep_texts: bool,
) -> (Module, Vec<Diagnostic>, Lexed) {
    let mut diagnostics = Vec::new();
    if source.len() >= u32::MAX as usize {
        let span = Span::new(file, 0, 0);
        diagnostics.push(Diagnostic::error(
            codes::TOO_DEEP,
            span,
            "a file of 4 GiB or more cannot be compiled",
        ));
        return (
            Module {
                docs: None,
                stmts: Vec::new(),
                broken: Vec::new(),
                span,
            },
            diagnostics,
            Lexed::default(),
        );
    }
    let lexed = lexer::lex(file, source, part, &mut diagnostics);
    let mut parser = Parser {
        file,
        source,
        lexed,
        pos: 0,
        contexts: Vec::new(),
        diagnostics,
        broken: Vec::new(),
        depth: 0,
        height: 0,
        statement: u32::MAX,
        keyword_names: Vec::new(),
        open_range: false,
        caret: Caret::Xor,
        in_index: false,
        warned_arrow: false,
        in_guard: false,
        placeholders: 0,
        yields: false,
        command_arg: usize::MAX,
        stmt_start: 0,
    };
    let module = parser.module(keep_texts);
    let mut diagnostics = parser.diagnostics;
    diagnostics.sort_by_key(|diagnostic| diagnostic.span.lo);
    limit_errors(&mut diagnostics);
    (module, diagnostics, parser.lexed)
}

/// Keeps the first errors of a text that is not a program at all.
fn limit_errors(diagnostics: &mut Vec<Diagnostic>) {
    let mut errors = 0;
    let total = diagnostics
        .iter()
        .filter(|report| report.severity == Severity::Error)
        .count();
    diagnostics.retain(|report| {
        errors += usize::from(report.severity == Severity::Error);
        errors <= ERROR_LIMIT
    });
    if total > ERROR_LIMIT
        && let Some(last) = diagnostics.pop()
    {
        diagnostics.push(last.note(format!("{} more errors are not shown", total - ERROR_LIMIT)));
    }
}
