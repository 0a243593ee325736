//! Spellings from other languages: each gets a message that names the right one, and is read as what was meant.

use super::{Failed, PResult, Parser};
use crate::ast::{Expr, ExprKind, Stmt};
use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::lexer::Tok;
use crate::span::Span;

impl Parser<'_> {
    /// Reports a spelling from another language.
    pub(crate) fn foreign(&mut self, span: Span, found: &str, help: &str) -> Failed {
        let mut report = Diagnostic::error(
            codes::FOREIGN_SPELLING,
            span,
            format!("Simple does not use {found}"),
        )
        .help(help);
        // "write `x`", and nothing else, can be done by a tool.
        if let Some(word) = help
            .strip_prefix("write `")
            .and_then(|rest| rest.strip_suffix('`'))
            && !word.contains(['`', '.', ' ', ':'])
        {
            report = report.fix(span, word);
        }
        self.report(report)
    }

    /// Adds advice to a report about the current token, if it is typical of another language.
    pub(crate) fn with_hint(&self, report: Diagnostic) -> Diagnostic {
        if report.help.is_some() {
            return report;
        }
        let token = self.raw();
        let prev = self
            .pos
            .checked_sub(1)
            .map(|index| self.lexed.tokens[index].tok);
        let before = self
            .pos
            .checked_sub(2)
            .map(|index| self.lexed.tokens[index].tok);
        let wants_operand = report.code == codes::EXPECTED_EXPR;
        let wants_end = report.code == codes::UNEXPECTED || report.code == codes::NESTED_COMMAND;
        let help = match self.kind() {
            _ if wants_end && self.line_has_slashes() => {
                "`//` is an operator; comments begin with `#`"
            }
            Tok::Ident | Tok::Int | Tok::Float | Tok::Text
                if report.code == codes::NESTED_COMMAND =>
            {
                "a call inside an expression needs parentheses: `f(x)`"
            }
            Tok::LBrace => "a body begins with `:` and is indented; there are no braces around it",
            Tok::FatArrow => {
                "a lambda is written `\\x: ...`, an arm of a match `case pattern: ...`"
            }
            Tok::SlashSlash => "comments begin with `#`",
            Tok::Dollar => "an expression in a string is written in braces: `\"{name}\"`",
            Tok::Newline | Tok::Eof if prev == before && prev == Some(Tok::Minus) => "write `-= 1`",
            Tok::Plus if wants_operand && prev == Some(Tok::Plus) => "write `+= 1`",
            Tok::DotDot | Tok::DotDotEq if wants_operand => "a range has two bounds: `0..5`",
            Tok::Plus if wants_operand => "there is no unary plus; leave it out",
            Tok::Eq if wants_operand || wants_end => {
                "an assignment has no value; compare with `==`"
            }
            Tok::If if wants_end => {
                "choose between values with `if cond: a else: b`; a statement under a condition is `if cond: ...`"
            }
            Tok::Arrow if wants_end => "a function type is written `fn(A) -> B`",
            Tok::ColonEq => "write `x := 3` without `val`, or `val x = 3`",
            Tok::Dot if wants_operand && self.raw_at(1).tok == Tok::Int => {
                "a float has a digit before the point: `0.5`"
            }
            kind if prev == Some(Tok::Dot) && before == Some(Tok::Int) && follows_number(kind) => {
                "a float has a digit after the point: `5.0`"
            }
            Tok::RParen if prev == Some(Tok::Comma) && report.message.contains("second member") => {
                "an array of one element is `[x]`, and a size alone is an array too: `zeros([3])`"
            }
            Tok::Star | Tok::Ellipsis if report.code == codes::EXPECTED_NAME => {
                "a last parameter that collects the rest is written `xs: T...`"
            }
            Tok::StarStar if report.code == codes::EXPECTED_NAME => {
                "named arguments are not collected: take a dict, `options: {text: T}`, or parameters with defaults"
            }
            Tok::Star if report.code == codes::EXPECTED_PATTERN => "the rest is written `...rest`",
            Tok::Gt if wants_operand && prev == Some(Tok::Lt) => "write `!=`",
            Tok::Text if wants_end && prev == Some(Tok::Text) => {
                "texts are joined by `+`, arguments separated by `,`; text of several lines is written between `\"\"\"`"
            }
            Tok::For if wants_end && self.in_brackets() => {
                "a comprehension is written in brackets: `[x for x in xs]`"
            }
            Tok::Comma if wants_end && self.in_brackets() => {
                "a tuple type is written `(A, B)`, an array of one type `[T]`"
            }
            Tok::Comma if wants_end && prev == Some(Tok::Ident) => {
                "several places are assigned at once in parentheses: `(a, b) = (b, a)`"
            }
            Tok::Comma if wants_end && prev == Some(Tok::Int) => {
                "digits are grouped with `_`: `1_000`; a tuple is written in parentheses"
            }
            Tok::Ident if self.text_of(token) == "of" => "write `in` instead of `of`",
            Tok::Question => "choose between values with `if cond: a else: b`",
            Tok::Ident if prev == Some(Tok::Question) => {
                "choose between values with `if cond: a else: b`"
            }
            Tok::Else if self.in_brackets() => {
                "the `if` after `for` only leaves elements out; choose between values before the `for`: `[if cond: a else: b for x in xs]`"
            }
            Tok::Elif | Tok::Else => "`else` must line up with its `if`, or be on the same line",
            Tok::Hash => "a comment begins with `#` and a space",
            Tok::LeftArrow => "write a space between `<` and `-`",
            Tok::Ident if self.text_of(token) == "then" => "write `:` instead of `then`",
            Tok::Ident if self.text_of(token) == "do" => "write `:` instead of `do`",
            _ => return report,
        };
        report.help(help)
    }

    /// Whether `//` is on this line before the current token.
    fn line_has_slashes(&self) -> bool {
        self.lexed.tokens[..self.pos]
            .iter()
            .rev()
            .take(32)
            .scan(false, |line_began, token| {
                if *line_began {
                    return None;
                }
                *line_began = token.first();
                Some(token.tok)
            })
            .any(|tok| tok == Tok::SlashSlash)
    }

    /// Names that mean something in other languages, at the place of an operand.
    pub(crate) fn foreign_operand(&mut self, text: &str) -> PResult<Option<Expr>> {
        let token = self.raw();
        let span = self.span_of(token);
        let next = self.raw_at(1);
        let kind = match text {
            "True" | "False" if !matches!(next.tok, Tok::LParen | Tok::Dot) => {
                let small = text.to_ascii_lowercase();
                self.foreign(span, &format!("`{text}`"), &format!("write `{small}`"));
                ExprKind::Bool(text == "True")
            }
            "this" if next.tok == Tok::Dot => {
                self.foreign(
                    span,
                    "`this`",
                    "the instance is `self`; its fields need no prefix at all",
                );
                ExprKind::SelfValue
            }
            "null" if !matches!(next.tok, Tok::LParen | Tok::Dot | Tok::Eq | Tok::ColonEq) => {
                self.foreign(span, "`null`", "the absent value is `nil`");
                ExprKind::Error
            }
            "new" if next.tok == Tok::Ident && !next.first() => {
                self.foreign(
                    span,
                    "`new`",
                    &format!("write `{}(...)` alone", self.text_of(next)),
                );
                self.bump();
                return self.nested(|p| p.primary()).map(Some);
            }
            "lambda" if next.tok == Tok::Ident && !next.first() => {
                return Err(self.foreign(span, "`lambda`", "a lambda is written `\\x: ...`"));
            }
            "function" if next.tok == Tok::LParen => {
                return Err(self.foreign(
                    span,
                    "`function`",
                    "a lambda is written `\\x: ...` or `fn(x): ...`",
                ));
            }
            _ => return Ok(None),
        };
        self.bump();
        Ok(Some(Expr { kind, span }))
    }

    /// Declarations and statements of other languages; says whether one was read.
    pub(crate) fn foreign_stmt(&mut self, out: &mut Vec<Stmt>) -> PResult<bool> {
        let token = self.raw();
        let next = self.raw_at(1);
        if next.first() || !next.spaced() {
            return Ok(false);
        }
        let text = self.text_of(token);
        let span = self.span_of(token);
        let named = next.tok == Tok::Ident;
        match text {
            "def" | "function" | "func" | "fun" | "sub" | "proc"
                if named && self.raw_at(2).tok == Tok::LParen =>
            {
                self.foreign(span, &format!("`{text}`"), "declare a function with `fn`");
                self.lexed.tokens[self.pos].tok = Tok::Fn;
                self.nested(|p| p.stmt(out))?;
                Ok(true)
            }
            "interface" | "protocol" if named => {
                self.foreign(span, &format!("`{text}`"), "declare a trait with `trait`");
                self.lexed.tokens[self.pos].tok = Tok::Trait;
                self.nested(|p| p.stmt(out))?;
                Ok(true)
            }
            "public" | "private" | "protected" | "abstract" | "final" | "sealed"
                if next.tok.is_keyword() || named =>
            {
                let help = match text {
                    "public" => "export a declaration with `pub`",
                    "final" => "an immutable binding is a `val`; classes cannot be extended anyway",
                    _ => "leave it out; what is not `pub` stays inside the module",
                };
                self.foreign(span, &format!("`{text}`"), help);
                self.bump();
                self.stmt_start = self.pos;
                self.nested(|p| p.stmt(out))?;
                Ok(true)
            }
            "switch" | "when" if named => Err(self.foreign(
                span,
                &format!("`{text}`"),
                "choose with `match value:` and arms `case pattern: ...`",
            )),
            "override" | "virtual" | "inline" if next.tok == Tok::Fn => {
                self.foreign(span, &format!("`{text}`"), "leave it out");
                self.bump();
                self.stmt_start = self.pos;
                self.nested(|p| p.stmt(out))?;
                Ok(true)
            }
            "foreach" => Err(self.foreign(span, "`foreach`", "write `for x in xs:`")),
            "raise" if named || next.tok == Tok::Text => Err(self.foreign(
                span,
                "`raise`",
                "raise an error with `throw`, return an `Err`, or stop with `panic(...)`",
            )),
            "from" if named => Err(self.foreign(
                span,
                "`from ... import`",
                "import names with `use module.{name, other}`",
            )),
            "package" | "namespace" | "module" if named => Err(self.foreign(
                span,
                &format!("`{text}`"),
                "a file is a module; its name is the file's",
            )),
            "actor" | "kernel" | "unit" | "gen" | "bind" | "shared"
                if named && self.line_opens_block() =>
            {
                Err(self.not_supported(
                    span,
                    &format!("`{text}` declarations are"),
                    "use a class or a function",
                ))
            }
            _ => Ok(false),
        }
    }

    /// `def name(` in the body of a type: reported, and read as a method. What `__init__` is gets a report of its own.
    pub(crate) fn foreign_method(&mut self) {
        let (token, name) = (self.raw(), self.raw_at(1));
        let text = self.text_of(token);
        let here = token.tok == Tok::Ident
            && matches!(text, "def" | "function" | "func" | "fun")
            && name.tok == Tok::Ident
            && self.raw_at(2).tok == Tok::LParen;
        if !here {
            return;
        }
        if self.text_of(name) != "__init__" {
            let (span, found) = (self.span_of(token), format!("`{text}`"));
            self.foreign(span, &found, "declare a method with `fn`");
        }
        self.lexed.tokens[self.pos].tok = Tok::Fn;
    }

    /// Whether this line ends in `:`.
    fn line_opens_block(&self) -> bool {
        let mut last = Tok::Eof;
        for ahead in 0..64 {
            let token = self.raw_at(ahead);
            if token.tok == Tok::Eof || ahead > 0 && token.first() {
                break;
            }
            last = token.tok;
        }
        last == Tok::Colon
    }

    /// `elseif`, `elsif`: read as `elif`; says whether one was there.
    pub(crate) fn foreign_elif(&mut self) -> bool {
        let token = self.raw();
        let text = self.text_of(token);
        let here = self.branch_follows(Tok::Ident) && (token.first() || !self.in_brackets());
        if !here || !matches!(text, "elseif" | "elsif") {
            return false;
        }
        let span = self.span_of(token);
        self.foreign(span, &format!("`{text}`"), "write `elif`");
        self.bump();
        true
    }

    /// `except` after a `try`: reported and skipped.
    pub(crate) fn foreign_catch(&mut self) {
        let token = self.raw();
        if self.branch_follows(Tok::Ident) && matches!(self.text_of(token), "except" | "rescue") {
            let span = self.span_of(token);
            let found = format!("`{}`", self.text_of(token));
            self.foreign(span, &found, "write `catch error:`");
            self.bump();
            self.recover(self.block_column());
        }
    }
}

/// Whether a token may follow a number, so that a point before it belongs to the number.
fn follows_number(kind: Tok) -> bool {
    matches!(
        kind,
        Tok::Newline
            | Tok::Eof
            | Tok::Comma
            | Tok::RBracket
            | Tok::RParen
            | Tok::Plus
            | Tok::Minus
            | Tok::Slash
            | Tok::Star
    )
}
