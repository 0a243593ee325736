//! Strings: the lexer found the holes, here each becomes an expression with places in the file.

use super::layout::Ctx;
use super::{Caret, Failed, PResult, Parser};
use crate::ast::{Expr, ExprKind, Format, TextPart};
use crate::codes;
use crate::diagnostic::{Diagnostic, Severity};
use crate::lexer::{self, RawPart, Tok};
use crate::span::Span;

impl Parser<'_> {
    /// A string.
    pub(crate) fn text_expr(&mut self) -> PResult<Expr> {
        let token = self.bump();
        let span = self.span_of(token);
        let raw = std::mem::take(&mut self.lexed.texts[token.payload as usize].parts);
        let mut parts = Vec::with_capacity(raw.len());
        for part in raw {
            match part {
                RawPart::Literal(text) => parts.push(TextPart::Literal(text)),
                RawPart::Hole { lo, hi, spec } => {
                    let expr = self.nested(|p| Ok(p.hole(lo, hi)))?;
                    let spec = match spec {
                        Some((lo, hi)) => Some(self.nested(|p| Ok(p.format(lo, hi)))?),
                        None => None,
                    };
                    parts.push(TextPart::Hole { expr, spec });
                }
            }
        }
        Ok(Expr {
            kind: ExprKind::Text(parts),
            span,
        })
    }

    /// The format spec between the bytes `lo` and `hi`.
    fn format(&mut self, lo: u32, hi: u32) -> Format {
        let mut form = String::new();
        let mut numbers = Vec::new();
        let mut at = lo as usize;
        for (from, to) in lexer::format_numbers(self.source, lo as usize, hi as usize) {
            form.push_str(&self.source[at..from]);
            form.push('}');
            numbers.push(self.hole(from as u32, to as u32));
            at = to + 1;
        }
        form.push_str(&self.source[at..hi as usize]);
        Format {
            text: self.source[lo as usize..hi as usize].to_owned(),
            form,
            numbers,
            span: Span::new(self.file, lo, hi),
        }
    }

    /// The expression between the bytes `lo` and `hi`.
    fn hole(&mut self, lo: u32, hi: u32) -> Expr {
        let span = Span::new(self.file, lo, hi);
        let errors = self.diagnostics.len();
        let inner = lexer::lex_hole(
            self.file,
            self.source,
            lo as usize,
            hi as usize,
            &mut self.diagnostics,
        );
        let outer = std::mem::replace(&mut self.lexed, inner);
        let outer_pos = std::mem::replace(&mut self.pos, 0);
        let outer_contexts = std::mem::replace(&mut self.contexts, vec![Ctx::Hole]);
        let state = (self.caret, self.in_index, self.in_guard, self.stmt_start);
        (self.caret, self.in_index, self.in_guard, self.stmt_start) =
            (Caret::Xor, false, false, usize::MAX);

        let mut result = self.expr();
        if result.is_ok() && self.foreign_conversion() {
            result = Ok(Self::error_expr(span));
        } else if result.is_ok() && self.at(Tok::Colon) && !self.raw_at(1).spaced() {
            // After a space it is more likely text: `{ color: red }`.
            result = Err(self.unknown_format(hi));
        } else if result.is_ok() && !self.at(Tok::Eof) {
            result = Err(self.unexpected("`}` after the expression"));
        }
        self.explain_braces(errors);

        self.lexed = outer;
        self.pos = outer_pos;
        self.contexts = outer_contexts;
        (self.caret, self.in_index, self.in_guard, self.stmt_start) = state;
        result.unwrap_or_else(|_| Self::error_expr(span))
    }

    /// Reports what follows the `:` of a hole that ends at the byte `hi`.
    fn unknown_format(&mut self, hi: u32) -> Failed {
        let colon = self.span();
        let span = Span::new(self.file, colon.hi, hi);
        let text = self.source[colon.hi as usize..hi as usize].trim();
        let report = Diagnostic::error(codes::BAD_HOLE, span, format!("`{text}` is not a format"))
            .note("a format is `[[fill]align][sign][#][0][width][,][.digits][type]`, the type one of `d b o x X c e E f F g G s n % ?`")
            .help("write it as in `{x:.2f}`, `{n:>8}`, `{n:,}`; write `{{` for a brace that is text");
        self.report(report)
    }

    /// Makes the errors from number `first` on, which arose in a hole, say how a brace is written.
    fn explain_braces(&mut self, first: usize) {
        const ADVICE: &str =
            "braces in a string hold an expression; write `{{` for a brace that is text";
        let new = self.diagnostics.get_mut(first..).unwrap_or_default();
        for report in new
            .iter_mut()
            .filter(|report| report.severity == Severity::Error)
        {
            if report.code == codes::EXPECTED_EXPR || report.code == codes::UNEXPECTED {
                report.code = codes::BAD_HOLE;
            }
            let said = |text: &String| text.contains("{{");
            if report.help.is_none() {
                report.help = Some(ADVICE.into());
            } else if !report.help.iter().chain(&report.notes).any(said) {
                report.notes.push(ADVICE.into());
            }
        }
    }

    /// The text of a string that has no holes, where an expression makes no sense.
    pub(crate) fn plain_text(&mut self, purpose: &str) -> PResult<String> {
        if !self.at(Tok::Text) {
            return Err(self.unexpected(purpose));
        }
        let expr = self.text_expr()?;
        let ExprKind::Text(parts) = expr.kind else {
            return Ok(String::new());
        };
        let mut text = String::new();
        for part in parts {
            match part {
                TextPart::Literal(literal) => text.push_str(&literal),
                TextPart::Hole { expr, .. } => {
                    return Err(self.report(Diagnostic::error(
                        codes::BAD_HOLE,
                        expr.span,
                        format!("{purpose} cannot hold an expression"),
                    )));
                }
            }
        }
        Ok(text)
    }
}
