//! Moving over the tokens: looking, taking, expecting, reporting.
//!
//! Leaves out what a line break means (`layout.rs`). Every rule looks at tokens through [`Parser::kind`], which shows
//! a line break that counts as [`Tok::Newline`].

use super::layout::Ctx;
use super::{Failed, HEIGHT_LIMIT, NEST_LIMIT, PResult, Parser};
use crate::ast::Ident;
use crate::codes;
use crate::diagnostic::{Diagnostic, Severity};
use crate::lexer::{Tok, Token};
use crate::span::Span;
use crate::symbol::Symbol;

impl<'a> Parser<'a> {
    /// The current token, whatever precedes it.
    pub(crate) fn raw(&self) -> Token {
        self.lexed.tokens[self.pos]
    }

    /// The token `ahead` places further, or the last one.
    pub(crate) fn raw_at(&self, ahead: usize) -> Token {
        let last = self.lexed.tokens.len() - 1;
        self.lexed.tokens[(self.pos + ahead).min(last)]
    }

    /// The kind of the token `ahead` places further if there is no line break before it or between.
    pub(crate) fn ahead(&self, ahead: usize) -> Tok {
        for step in 1..=ahead {
            if self.raw_at(step).breaks() && !self.in_brackets() {
                return Tok::Newline;
            }
        }
        self.raw_at(ahead).tok
    }

    /// The span of the current token; of a line break, the empty place after the last token.
    pub(crate) fn span(&self) -> Span {
        if self.kind() == Tok::Newline || self.raw().tok == Tok::Eof {
            return self.prev_span().end();
        }
        self.span_of(self.raw())
    }

    /// The span of `token`.
    pub(crate) fn span_of(&self, token: Token) -> Span {
        Span::new(self.file, token.lo, token.hi)
    }

    /// The span of the token before the current one.
    pub(crate) fn prev_span(&self) -> Span {
        match self.pos.checked_sub(1) {
            Some(index) => self.span_of(self.lexed.tokens[index]),
            None => Span::new(self.file, self.raw().lo, self.raw().lo),
        }
    }

    /// From the beginning of `start` to the end of the token before the current one.
    pub(crate) fn span_from(&self, start: Span) -> Span {
        let end = self.prev_span().hi.max(start.hi);
        Span { hi: end, ..start }
    }

    /// The source text of `token`.
    pub(crate) fn text_of(&self, token: Token) -> &'a str {
        &self.source[token.lo as usize..token.hi as usize]
    }

    /// Whether the current token is `tok`.
    pub(crate) fn at(&self, tok: Tok) -> bool {
        self.kind() == tok
    }

    /// Whether the current token is the name `word`.
    pub(crate) fn at_word(&self, word: &str) -> bool {
        self.kind() == Tok::Ident && self.text_of(self.raw()) == word
    }

    /// Takes the current token, whatever it is.
    pub(crate) fn bump(&mut self) -> Token {
        let token = self.raw();
        if token.tok != Tok::Eof {
            self.pos += 1;
        }
        token
    }

    /// The current token, to mark what it is in its place.
    pub(crate) fn raw_mut(&mut self) -> &mut Token {
        &mut self.lexed.tokens[self.pos]
    }

    /// Takes the current token if it is `tok`.
    pub(crate) fn eat(&mut self, tok: Tok) -> bool {
        let found = self.at(tok);
        if found {
            self.bump();
        }
        found
    }

    /// Takes `tok` or reports what is there instead.
    pub(crate) fn expect(&mut self, tok: Tok, purpose: &str) -> PResult<Span> {
        if self.at(tok) {
            let token = self.bump();
            return Ok(self.span_of(token));
        }
        Err(self.unexpected(&format!("`{}` {purpose}", tok.text())))
    }

    /// Takes `tok`, after which the line may be broken.
    pub(crate) fn expect_joining(&mut self, tok: Tok, purpose: &str) -> PResult<Span> {
        let span = self.expect(tok, purpose)?;
        self.join();
        Ok(span)
    }

    /// How the current token is called in messages.
    pub(crate) fn found(&self) -> String {
        let kind = self.kind();
        match kind {
            Tok::Eof if self.contexts.last() == Some(&Ctx::Hole) => "`}`".to_string(),
            Tok::Eof | Tok::Newline => kind.text().to_string(),
            Tok::Text => "a string".to_string(),
            _ => format!("`{}`", self.text_of(self.raw())),
        }
    }

    /// Reports that something else was expected here.
    pub(crate) fn unexpected(&mut self, expected: &str) -> Failed {
        self.unexpected_as(codes::UNEXPECTED, expected)
    }

    /// Like [`Parser::unexpected`], with the code given.
    pub(crate) fn unexpected_as(&mut self, code: &'static str, expected: &str) -> Failed {
        if self.at_end()
            && let Some(&Ctx::Brackets(open, open_span)) = self.contexts.last()
        {
            return self.unclosed(open, open_span);
        }
        let found = self.found();
        let report = Diagnostic::error(
            code,
            self.span(),
            format!("expected {expected}, found {found}"),
        )
        .found_expected(found, expected);
        let report = self.with_hint(report);
        self.report(report)
    }

    /// Reports an error, unless one was reported at the same place already.
    pub(crate) fn report(&mut self, report: Diagnostic) -> Failed {
        let repeated = self.diagnostics.iter().rev().take(8).any(|other| {
            other.severity == Severity::Error
                && other.span.lo == report.span.lo
                && other.span.file == report.span.file
        });
        // The lexer has already reported what is wrong with this character.
        let unknown = self.raw().tok == Tok::Unknown && report.span.lo == self.raw().lo;
        if report.severity == Severity::Warning || !repeated && !unknown {
            self.diagnostics.push(report);
        }
        Failed
    }

    /// Reports something that is not in this version of the language.
    pub(crate) fn not_supported(&mut self, span: Span, what: &str, help: &str) -> Failed {
        self.report(
            Diagnostic::error(
                codes::NOT_SUPPORTED,
                span,
                format!("{what} not supported yet"),
            )
            .help(help),
        )
    }

    /// Warns that `found` is an old spelling of `wanted`.
    pub(crate) fn deprecated(&mut self, span: Span, found: &str, wanted: &str) {
        self.report(
            Diagnostic::warning(codes::DEPRECATED, span, format!("`{found}` is deprecated"))
                .help(format!("write `{wanted}`"))
                .fix(span, wanted),
        );
    }

    /// A name; keywords are refused with a hint.
    pub(crate) fn ident(&mut self, what: &str) -> PResult<Ident> {
        if self.at(Tok::Ident) {
            return Ok(self.take_ident());
        }
        let kind = self.kind();
        if what == "the name of a parameter" && kind.names_a_parameter() {
            self.keyword_names.push(kind);
            return Ok(self.take_ident());
        }
        if kind.is_keyword() {
            let word = kind.text();
            let report = Diagnostic::error(
                codes::EXPECTED_NAME,
                self.span(),
                format!("expected {what}, found the keyword `{word}`"),
            )
            .found_expected(format!("the keyword `{word}`"), what)
            .help(match (what, kind) {
                ("a pattern", Tok::Else) => "write `case _:` for everything else".to_owned(),
                _ => format!(
                    "`{word}` has a meaning of its own; choose another name, such as `{word}_`"
                ),
            });
            let report = self.with_hint(report);
            let failed = self.report(report);
            // Where a name is declared it is read as one, there and later, so that one slip is one error.
            let next = self.raw_at(1).tok;
            let declared = matches!(what, "a pattern" | "the name of a parameter")
                && matches!(
                    next,
                    Tok::Eq | Tok::Colon | Tok::ColonEq | Tok::Comma | Tok::RParen | Tok::In
                );
            if declared {
                self.keyword_names.push(kind);
                return Ok(self.take_ident());
            }
            return Err(failed);
        }
        Err(self.unexpected_as(codes::EXPECTED_NAME, what))
    }

    /// A name after a dot, where every keyword is an ordinary name.
    pub(crate) fn member(&mut self, what: &str) -> PResult<Ident> {
        if self.at(Tok::Ident) || self.kind().is_keyword() {
            return Ok(self.take_ident());
        }
        Err(self.unexpected_as(codes::EXPECTED_NAME, what))
    }

    /// Takes the current word as a name.
    pub(crate) fn take_ident(&mut self) -> Ident {
        let token = self.bump();
        Ident {
            name: Symbol::intern(self.text_of(token)),
            span: self.span_of(token),
        }
    }

    /// Runs a rule one level deeper, within the limits of nesting.
    pub(crate) fn nested<T>(&mut self, rule: impl FnOnce(&mut Self) -> PResult<T>) -> PResult<T> {
        if self.depth >= NEST_LIMIT {
            return Err(self.too_deep());
        }
        self.depth += 1;
        let outer = std::mem::take(&mut self.height);
        let result = rule(self);
        self.depth -= 1;
        self.height = outer.max(self.height + 1);
        if self.height > HEIGHT_LIMIT && result.is_ok() {
            return Err(self.too_deep());
        }
        result
    }

    /// Counts one more link of a chain, which makes the tree one level higher.
    pub(crate) fn chain_link(&mut self) -> PResult<()> {
        self.height += 1;
        if self.height > HEIGHT_LIMIT {
            Err(self.too_deep())
        } else {
            Ok(())
        }
    }

    fn too_deep(&mut self) -> Failed {
        let report = Diagnostic::error(codes::TOO_DEEP, self.span(), "this is nested too deeply")
            .note(format!("at most {NEST_LIMIT} levels of nesting and {HEIGHT_LIMIT} links of a chain are allowed"))
            .help("give a part of it a name with `val`, or move it to a function");
        // One report is enough: every level above fails at the same place.
        if self
            .diagnostics
            .iter()
            .any(|other| other.code == codes::TOO_DEEP)
        {
            return Failed;
        }
        self.report(report)
    }
}
