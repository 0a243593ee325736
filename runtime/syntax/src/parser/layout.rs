//! What line breaks and indentation mean: statements end, blocks begin and end, broken statements are skipped.
//!
//! A stack of contexts says whether line breaks count. Inside brackets they do not; a block inside brackets, which a
//! `:` at the end of a line opens, makes them count again until its dedent or the closing bracket. A statement goes on
//! over a line break (a) inside brackets, (b) after an operator, which the rules announce with [`Parser::join`], and
//! (c) before a deeper line that begins with an operator or `.name`.

use super::{Caret, Failed, PResult, Parser};
use crate::ast::{Block, ExprKind, Stmt, StmtKind};
use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::lexer::{Layout, Tok};
use crate::span::Span;
use crate::symbol::Symbol;

/// What encloses the rule that runs now.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Ctx {
    /// A block whose statements begin at this column.
    Block(u32),
    /// Brackets: the opening one and its place.
    Brackets(Tok, Span),
    /// The hole of a string, where line breaks do not occur.
    Hole,
}

impl Parser<'_> {
    /// The kind of the current token, or [`Tok::Newline`] if a line break before it ends the statement.
    pub(crate) fn kind(&self) -> Tok {
        let token = self.raw();
        if !token.breaks() || token.tok == Tok::Eof {
            return token.tok;
        }
        let breaks = match self.contexts.last() {
            Some(Ctx::Brackets(..) | Ctx::Hole) => {
                token.column <= self.block_column() && self.begins_statement()
            }
            Some(&Ctx::Block(column)) => {
                !(token.column > column
                    && (continues_a_line(token.tok)
                        || token.tok == Tok::Not && self.raw_at(1).tok == Tok::In))
            }
            None => true,
        };
        if breaks { Tok::Newline } else { token.tok }
    }

    /// Whether line breaks are off.
    pub(crate) fn in_brackets(&self) -> bool {
        matches!(self.contexts.last(), Some(Ctx::Brackets(..) | Ctx::Hole))
    }

    /// The column of the innermost block.
    pub(crate) fn block_column(&self) -> u32 {
        let columns = self.contexts.iter().rev().find_map(|ctx| match ctx {
            Ctx::Block(column) => Some(*column),
            Ctx::Brackets(..) | Ctx::Hole => None,
        });
        columns.unwrap_or(0)
    }

    /// Makes the line break at the current place not count, as the line above ends in an operator.
    ///
    /// A line that begins with a word such as `val` is never meant as a continuation.
    pub(crate) fn join(&mut self) {
        let token = self.raw();
        let deeper = token.column > self.block_column();
        if token.breaks() && (deeper || !self.begins_statement()) && token.tok != Tok::Eof {
            self.lexed.tokens[self.pos].join();
        }
    }

    /// Whether the current line is a statement of its own for certain.
    fn begins_statement(&self) -> bool {
        begins_only_statements(self.raw().tok) || self.at_command()
    }

    /// Whether nothing more is on this line.
    pub(crate) fn at_end(&self) -> bool {
        matches!(self.kind(), Tok::Newline | Tok::Eof)
    }

    /// Whether the token `ahead` places further is the first of its line (or there is none).
    pub(crate) fn line_ends_at(&self, ahead: usize) -> bool {
        let token = self.raw_at(ahead);
        token.first() || token.tok == Tok::Eof
    }

    /// Runs a rule inside brackets: reads `open`, lets `rule` read the content, reads `close`.
    pub(crate) fn bracketed<T>(
        &mut self,
        open: Tok,
        close: Tok,
        rule: impl FnOnce(&mut Self) -> PResult<T>,
    ) -> PResult<T> {
        let open_span = match self.at(open) {
            true => self.expect(open, "")?,
            false => return Err(self.unexpected(&format!("`{}`", open.text()))),
        };
        self.contexts.push(Ctx::Brackets(open, open_span));
        let saved = (self.in_index, self.in_guard);
        self.in_index = false;
        self.in_guard = false;
        let result = rule(self);
        let result = result.and_then(|value| {
            if self.at(close) {
                self.bump();
                return Ok(value);
            }
            Err(self.unclosed(open, open_span))
        });
        (self.in_index, self.in_guard) = saved;
        self.contexts.pop();
        result
    }

    /// Reports that the bracket `open` is not followed by its closing one.
    pub(crate) fn unclosed(&mut self, open: Tok, open_span: Span) -> Failed {
        let close = match open {
            Tok::LParen => ")",
            Tok::LBracket => "]",
            _ => "}",
        };
        let open = open.text();
        if self.at_end() || self.is_left_of_line(open_span) {
            return self.report(
                Diagnostic::error(
                    codes::UNCLOSED,
                    open_span,
                    format!("this `{open}` is not closed"),
                )
                .found_expected(self.found(), format!("`{close}`"))
                .related(
                    self.span(),
                    format!("`{close}` is missing here at the latest"),
                )
                .help(format!("add the missing `{close}`")),
            );
        }
        let found = self.found();
        let report = Diagnostic::error(
            codes::UNEXPECTED,
            self.span(),
            format!("expected `,` or `{close}`, found {found}"),
        )
        .found_expected(found, format!("`,` or `{close}`"))
        .related(open_span, format!("the `{open}` is here"));
        let report = self.with_hint(report);
        self.report(report)
    }

    /// Whether the current token begins a line that is indented no deeper than the line of `at`.
    fn is_left_of_line(&self, at: Span) -> bool {
        let token = self.raw();
        let tokens = &self.lexed.tokens[..self.pos];
        let line = tokens
            .iter()
            .rfind(|before| before.first() && before.lo <= at.lo);
        token.first() && line.is_some_and(|line| token.column <= line.column)
    }

    /// Whether brackets are around, perhaps outside of a block.
    pub(super) fn inside_brackets(&self) -> bool {
        self.contexts
            .iter()
            .any(|ctx| !matches!(ctx, Ctx::Block(_)))
    }

    /// Items between separating commas up to `close`; a comma may follow the last one.
    pub(crate) fn comma_list<T>(
        &mut self,
        close: Tok,
        mut rule: impl FnMut(&mut Self) -> PResult<T>,
    ) -> PResult<Vec<T>> {
        let mut items = Vec::new();
        while !self.at(close) && !self.at_end() {
            items.push(rule(self)?);
            if !self.eat(Tok::Comma) {
                break;
            }
        }
        // A tree has many short lists, and a list that grows has room for four.
        items.shrink_to_fit();
        Ok(items)
    }

    /// The body after a `:`, indented below or on the same line.
    pub(crate) fn body(&mut self, of_what: &str) -> PResult<Block> {
        if self.eat(Tok::Colon) {
            return self.body_after_colon(of_what);
        }
        let found = self.found();
        let mut report = Diagnostic::error(
            codes::EXPECTED_COLON,
            self.span(),
            format!("expected `:` before the body of {of_what}, found {found}"),
        )
        .found_expected(found, "`:`");
        if self.at(Tok::LBrace) {
            report = report
                .help("a body begins with `:` and is indented; there are no braces around it");
        } else {
            report = self.with_hint(report);
        }
        let failed = self.report(report);
        if self.at(Tok::LBrace) {
            self.skip_braces();
            return Err(failed);
        }
        // The body is there nevertheless: read it, so that its mistakes are found too.
        if self.at_end() && self.block_is_below() {
            self.indented_block()
        } else {
            Err(failed)
        }
    }

    /// Moves past the `}` that closes the `{` here, so that it is not reported as well.
    pub(crate) fn skip_braces(&mut self) {
        self.skip_brackets(Tok::LBrace, Tok::RBrace);
    }

    /// Reads over what is between these brackets, of which the first is here.
    pub(crate) fn skip_brackets(&mut self, first: Tok, last: Tok) {
        let mut open = 0usize;
        while self.raw().tok != Tok::Eof {
            match self.bump().tok {
                tok if tok == first => open += 1,
                tok if tok == last => open -= 1,
                _ => {}
            }
            if open == 0 {
                return;
            }
        }
    }

    /// The body, with its `:` already read.
    pub(crate) fn body_after_colon(&mut self, of_what: &str) -> PResult<Block> {
        if !self.line_ends_at(0) {
            return self.one_line_body();
        }
        if self.block_is_below() {
            return self.indented_block();
        }
        let span = self.prev_span().end();
        self.report(
            Diagnostic::error(
                codes::EXPECTED_BLOCK,
                span,
                format!("expected an indented body of {of_what}"),
            )
            .found_expected("no deeper line", "at least one line, indented deeper")
            .help("indent the body by four spaces, or write `pass` if there is nothing to do"),
        );
        // Whatever it should yield is not missing as well.
        Ok(Block {
            stmts: vec![Stmt {
                kind: StmtKind::Expr(Self::error_expr(span)),
                span,
            }],
            span,
        })
    }

    /// Whether the next line is deeper than the block around it.
    pub(crate) fn block_is_below(&self) -> bool {
        let token = self.raw();
        let deeper = token.column > self.block_column() || self.contexts.is_empty();
        token.first() && token.tok != Tok::Eof && deeper
    }

    /// Simple statements on the line of the `:`.
    fn one_line_body(&mut self) -> PResult<Block> {
        let mut stmts = Vec::new();
        let start = self.span();
        let first = self.pos as u32;
        self.nested(|p| {
            loop {
                p.inline_stmt(&mut stmts)?;
                // `a; b` belongs together only where a line break would end both.
                if p.in_brackets() || !p.at(Tok::Semi) {
                    break;
                }
                p.bump();
                if p.at_end() {
                    break;
                }
            }
            Ok(())
        })?;
        self.lexed.bodies.push(first..self.pos as u32);
        Ok(Block {
            stmts,
            span: self.span_from(start),
        })
    }

    /// An indented block; its first token is the current one.
    pub(crate) fn indented_block(&mut self) -> PResult<Block> {
        self.indented(|p, stmts| {
            let start = p.span_of(p.raw());
            let result = p.stmt(stmts);
            if result.is_err() {
                // What was meant may have been the value of the block.
                stmts.push(Stmt {
                    kind: StmtKind::Expr(Self::error_expr(start)),
                    span: start,
                });
            }
            result
        })
    }

    /// An indented block of whatever `rule` reads.
    pub(crate) fn indented(
        &mut self,
        rule: impl FnMut(&mut Self, &mut Vec<Stmt>) -> PResult<()>,
    ) -> PResult<Block> {
        let start = self.span_of(self.raw());
        let mut stmts = Vec::new();
        self.indented_lines(&mut stmts, rule)?;
        Ok(Block {
            stmts,
            span: self.span_from(start),
        })
    }

    /// Lines of one block, each read by `rule`, which appends to `lines`.
    pub(crate) fn indented_lines<T>(
        &mut self,
        lines: &mut Vec<T>,
        mut rule: impl FnMut(&mut Self, &mut Vec<T>) -> PResult<()>,
    ) -> PResult<()> {
        let column = self.raw().column;
        let saved = (self.in_index, self.in_guard, self.caret, self.placeholders);
        (self.in_index, self.in_guard, self.caret, self.placeholders) =
            (false, false, Caret::Xor, 0);
        let stmt_start = self.stmt_start;
        self.contexts.push(Ctx::Block(column));
        self.lexed.layout.push(Layout::Open(self.pos as u32));
        let result = self.nested(|p| {
            p.lines(column, lines, &mut rule);
            Ok(())
        });
        // Most blocks are short, and a list that grows has room for four.
        lines.shrink_to_fit();
        self.lexed.layout.push(Layout::Close(self.pos as u32));
        self.contexts.pop();
        self.stmt_start = stmt_start;
        (self.in_index, self.in_guard, self.caret, self.placeholders) = saved;
        result
    }

    /// Reads lines at `column` until the block ends.
    pub(crate) fn lines<T>(
        &mut self,
        column: u32,
        lines: &mut Vec<T>,
        rule: &mut impl FnMut(&mut Self, &mut Vec<T>) -> PResult<()>,
    ) {
        let level = self.contexts.len();
        let mut after_block = false;
        let mut wrong_column = None;
        loop {
            let token = self.raw();
            if token.tok == Tok::Eof || token.first() && token.column < column {
                return;
            }
            if token.tok == Tok::Comma && !token.first() && self.inside_brackets() {
                return;
            }
            if matches!(token.tok, Tok::RParen | Tok::RBracket | Tok::RBrace) {
                if self.inside_brackets() {
                    return;
                }
                let span = self.span_of(token);
                let text = token.tok.text();
                self.report(
                    Diagnostic::error(codes::UNMATCHED, span, format!("unmatched `{text}`"))
                        .help("remove it, or add the bracket that it should close"),
                );
                self.bump();
                self.recover(column);
                continue;
            }
            if token.first() && token.column > column {
                if wrong_column != Some(token.column) {
                    self.wrong_indent(column, after_block);
                }
                wrong_column = Some(token.column);
                // Read on as if its column were right; one wrong line should not hide the rest.
                self.lexed.tokens[self.pos].column = column;
            } else if token.first() {
                wrong_column = None;
            }
            // The line break before a statement is not inside it.
            self.lexed.tokens[self.pos].join();
            self.lexed.layout.push(Layout::Line(self.pos as u32));
            let before = self.pos;
            let height = self.height;
            let result = rule(self, lines);
            self.contexts.truncate(level);
            after_block = self.pos > 0
                && self.lexed.tokens[before..self.pos]
                    .iter()
                    .any(|t| t.first() && t.column > column);
            match result {
                Ok(()) => self.end_of_line(column),
                Err(Failed) => {
                    self.height = height;
                    self.remember_broken(before);
                    if self.pos == before {
                        self.bump();
                    }
                    self.recover(column);
                }
            }
        }
    }

    /// Keeps the names that the broken statement from the token `start` on declares, if it is a declaration.
    fn remember_broken(&mut self, start: usize) {
        let tokens = &self.lexed.tokens[start..];
        let words = tokens
            .iter()
            .take_while(|token| before_declared_name(token.tok))
            .count();
        let name = match tokens.get(words) {
            Some(name) if name.tok == Tok::Ident => *name,
            Some(open) if words > 0 && matches!(open.tok, Tok::LParen | Tok::LBracket) => {
                // `val (a, b) = ...`
                let pattern = tokens[words..]
                    .iter()
                    .take_while(|token| token.tok != Tok::Eq && !token.first());
                let names = pattern.filter(|token| token.tok == Tok::Ident);
                let names = names.map(|name| Symbol::intern(self.text_of(*name)));
                self.broken.extend(names.collect::<Vec<_>>());
                return;
            }
            _ => return,
        };
        let short = tokens.get(1).is_some_and(|next| next.tok == Tok::ColonEq);
        if words > 0 || short {
            self.broken.push(Symbol::intern(self.text_of(name)));
        }
    }

    /// After a whole line: nothing more may follow on it.
    fn end_of_line(&mut self, column: u32) {
        let token = self.raw();
        if token.tok == Tok::Eof || token.first() {
            return;
        }
        if self.at(Tok::Semi) {
            self.bump();
            return;
        }
        // A block inside brackets also ends at the closing bracket, or at the comma after its last statement.
        if matches!(token.tok, Tok::RParen | Tok::RBracket | Tok::RBrace)
            || token.tok == Tok::Comma && self.inside_brackets()
        {
            return;
        }
        self.report_leftover();
        self.recover(column);
    }

    fn wrong_indent(&mut self, column: u32, after_block: bool) {
        let span = self.span_of(self.raw());
        let found = self.raw().column;
        let report = if after_block {
            Diagnostic::error(
                codes::BAD_DEDENT,
                span,
                "this indentation matches no block above",
            )
            .found_expected(
                format!("column {}", found + 1),
                format!("column {} or the block above", column + 1),
            )
            .help("line it up with the block that it belongs to")
        } else {
            Diagnostic::error(codes::UNEXPECTED_INDENT, span, "this line is indented deeper than its block")
                .found_expected(format!("column {}", found + 1), format!("column {}", column + 1))
                .help("only a line that ends in `:` opens a deeper block; a continued line begins with an operator")
        };
        self.report(report);
    }

    /// Skips a broken statement: to the next line that is not deeper than `column`, or to the bracket around.
    pub(crate) fn recover(&mut self, column: u32) {
        let inside = self.inside_brackets();
        let mut open = 0u32;
        loop {
            let token = self.raw();
            match token.tok {
                Tok::Eof => return,
                _ if token.first() && token.column <= column => return,
                Tok::LParen | Tok::LBracket | Tok::LBrace => open += 1,
                Tok::RParen | Tok::RBracket | Tok::RBrace => {
                    if open == 0 && inside {
                        return;
                    }
                    open = open.saturating_sub(1);
                }
                _ => {}
            }
            self.bump();
        }
    }

    /// After a broken head of a declaration: moves past its `:` if a body is below, and says whether it is.
    pub(crate) fn recover_to_body(&mut self) -> bool {
        let column = self.block_column();
        loop {
            let token = self.raw();
            if token.tok == Tok::Eof {
                return false;
            }
            if token.first() {
                let behind_colon =
                    self.pos > 0 && self.lexed.tokens[self.pos - 1].tok == Tok::Colon;
                if token.column <= column {
                    return false;
                }
                if behind_colon {
                    return true;
                }
            }
            self.bump();
        }
    }

    /// The docstring that a body begins with, taken out of it.
    pub(crate) fn take_docstring(&mut self, block: &mut Block, keep_lone: bool) -> Option<String> {
        if keep_lone && block.stmts.len() == 1 {
            return None;
        }
        let docs = docstring(block.stmts.first()?)?;
        block.stmts.remove(0);
        Some(docs)
    }
}

/// The text of a statement that is a bare string without holes.
pub(crate) fn docstring(stmt: &Stmt) -> Option<String> {
    let StmtKind::Expr(expr) = &stmt.kind else {
        return None;
    };
    let ExprKind::Text(parts) = &expr.kind else {
        return None;
    };
    match parts.as_slice() {
        [] => Some(String::new()),
        [crate::ast::TextPart::Literal(text)] => Some(text.clone()),
        _ => None,
    }
}

/// Whether a line that begins so, and is indented deeper, continues the line above.
fn continues_a_line(tok: Tok) -> bool {
    use Tok::*;
    matches!(
        tok,
        Plus | Minus
            | Star
            | Slash
            | Percent
            | StarStar
            | EqEq
            | NotEq
            | Lt
            | Le
            | Gt
            | Ge
            | Amp
            | Tok::Pipe
            | Caret
            | Shl
            | Shr
            | AmpAmp
            | PipePipe
            | QuestionQuestion
            | DotDot
            | DotDotEq
            | DotPlus
            | DotMinus
            | DotStar
            | DotSlash
            | DotCaret
            | PipeGt
            | TildeGt
            | SlashSlash
            | Dot
            | QuestionDot
            | DotQuestion
            | And
            | Or
            | Xor
            | Is
            | In
            | As
    )
}

/// Whether the word comes before the name that a statement declares.
fn before_declared_name(tok: Tok) -> bool {
    use Tok::*;
    matches!(
        tok,
        Pub | Static
            | Async
            | Fn
            | Me
            | Val
            | Var
            | Let
            | Mut
            | Const
            | Struct
            | Class
            | Enum
            | Trait
            | Mixin
            | Extern
    )
}

/// Whether a line that begins so is a statement of its own for certain.
fn begins_only_statements(tok: Tok) -> bool {
    use Tok::*;
    matches!(
        tok,
        Val | Var
            | Let
            | Const
            | Struct
            | Class
            | Enum
            | Trait
            | Impl
            | Mixin
            | Extern
            | Use
            | Import
            | Export
            | Mod
            | Pub
            | While
            | Loop
            | For
            | Pass
            | PassTodo
            | PassDoNothing
            | PassDn
            | Defer
            | Assert
            | Try
            | Me
            | Static
            | Hash
            | Fn
            | Return
    )
}
