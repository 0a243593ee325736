//! Arguments of calls with and without parentheses, and the decision that a line begins with a call without them.

use super::{PResult, Parser};
use crate::ast::{Arg, Call, Expr, ExprKind, Ident};
use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::lexer::Tok;

/// Functions whose argument list is the rest of the statement when white space follows them.
const COMMAND_WORDS: [&str; 6] = ["print", "println", "eprint", "eprintln", "expect", "panic"];

impl Parser<'_> {
    /// Whether a command such as `print` is here, with its arguments after a space.
    pub(crate) fn at_command(&self) -> bool {
        let (token, next) = (self.raw(), self.raw_at(1));
        token.tok == Tok::Ident
            && next.spaced()
            && !next.first()
            && COMMAND_WORDS.contains(&self.text_of(token))
    }

    /// Arguments in parentheses.
    pub(crate) fn call_args(&mut self) -> PResult<Vec<Arg>> {
        let args = self.bracketed(Tok::LParen, Tok::RParen, |p| {
            p.comma_list(Tok::RParen, |p| p.arg())
        })?;
        self.check_order(&args);
        Ok(args)
    }

    /// Reports a positional argument that follows a named one.
    fn check_order(&mut self, args: &[Arg]) {
        let first_named = args.iter().position(|arg| arg.label.is_some());
        let Some(first_named) = first_named else {
            return;
        };
        let (named, rest) = args.split_at(first_named);
        let _ = named;
        let label = rest[0].label.map(|label| label.span);
        if let (Some(stray), Some(label)) = (rest.iter().find(|arg| arg.label.is_none()), label) {
            self.report(
                Diagnostic::error(
                    codes::ARGUMENT_ORDER,
                    stray.value.span,
                    "a positional argument cannot follow a named one",
                )
                .related(label, "the first named argument")
                .help("put positional arguments first, or name this one too"),
            );
        }
    }

    /// One argument.
    fn arg(&mut self) -> PResult<Arg> {
        self.placeholders += 1;
        let result = self.arg_inner();
        self.placeholders -= 1;
        result
    }

    fn arg_inner(&mut self) -> PResult<Arg> {
        if matches!(self.kind(), Tok::Star | Tok::Ellipsis) {
            self.raw_mut().mark_prefix();
            self.bump();
            let value = self.expr()?;
            return Ok(Arg {
                label: None,
                spread: true,
                value,
            });
        }
        let label = self.label();
        let value = self.expr()?;
        Ok(Arg {
            label,
            spread: false,
            value,
        })
    }

    /// `name:`, where every keyword is a name, or `name =`.
    fn label(&mut self) -> Option<Ident> {
        let kind = self.kind();
        if kind != Tok::Ident && !kind.is_keyword() {
            return None;
        }
        match self.ahead(1) {
            // The colon at the end of a line opens a block instead.
            Tok::Colon if self.in_brackets() || !self.line_ends_at(2) => {
                let label = self.take_ident();
                self.bump();
                Some(label)
            }
            Tok::Eq if kind == Tok::Ident && self.in_brackets() => {
                let label = self.take_ident();
                let span = label.span.to(self.span());
                self.bump();
                self.deprecated(
                    span,
                    &format!("{} =", label.name),
                    &format!("{}:", label.name),
                );
                Some(label)
            }
            _ => None,
        }
    }

    /// An expression at a place where a call without parentheses may begin.
    pub(crate) fn command_expr(&mut self) -> PResult<Expr> {
        match self.command_length() {
            Some(length) => self.nested(|p| p.command(length)),
            None => self.expr(),
        }
    }

    /// Whether a call without parentheses begins here: how many tokens its callee has.
    fn command_length(&self) -> Option<usize> {
        if !matches!(self.kind(), Tok::Ident | Tok::SelfKw)
            || self.at_word("new")
            || self.at_word("lambda")
        {
            return None;
        }
        let mut length = 1;
        while self.raw_at(length).tok == Tok::Dot {
            let name = self.raw_at(length + 1);
            if self.raw_at(length).first()
                || name.first()
                || name.tok != Tok::Ident && !name.tok.is_keyword()
            {
                return None;
            }
            length += 2;
        }
        let next = self.raw_at(length);
        let is_word = length == 1 && COMMAND_WORDS.contains(&self.text_of(self.raw()));
        if next.first() || next.tok == Tok::Eof || !next.spaced() {
            // `print` alone prints an empty line.
            let alone = next.first() || next.tok == Tok::Eof;
            return (is_word && alone && self.pos == self.stmt_start).then_some(length);
        }
        let begins = match next.tok {
            // The bracket that closes nothing is reported after it.
            Tok::RParen | Tok::RBracket | Tok::RBrace => {
                is_word && self.pos == self.stmt_start && !self.inside_brackets()
            }
            Tok::Ident
            | Tok::Int
            | Tok::Float
            | Tok::Text
            | Tok::Backslash
            | Tok::True
            | Tok::False
            | Tok::Nil
            | Tok::Fn => true,
            // `flag not in flags` is an expression.
            Tok::Not => is_word || self.raw_at(length + 1).tok != Tok::In,
            // `Point { x: 1 }` is a value of a struct.
            Tok::LBrace => {
                let name = self.text_of(self.raw_at(length - 1));
                is_word || !name.starts_with(char::is_uppercase) && self.dict_begins(length)
            }
            Tok::Star | Tok::Ellipsis => is_word && !self.raw_at(length + 1).spaced(),
            tok => is_word && begins_operand(tok),
        };
        begins.then_some(length)
    }

    /// Whether a lambda or a dict follows the last argument of a call without parentheses, with a space between them.
    fn at_trailing_argument(&self) -> bool {
        let token = self.raw();
        token.spaced()
            && !token.first()
            && (token.tok == Tok::Backslash || token.tok == Tok::LBrace && self.dict_begins(0))
    }

    /// Whether the `{` so many tokens ahead opens a dict, by what follows it: `}`, or a key and a `:`.
    fn dict_begins(&self, ahead: usize) -> bool {
        if self.raw_at(ahead).tok != Tok::LBrace {
            return false;
        }
        let key = self.raw_at(ahead + 1);
        match key.tok {
            Tok::RBrace => true,
            Tok::Ident | Tok::Int | Tok::Text => self.raw_at(ahead + 2).tok == Tok::Colon,
            _ => false,
        }
    }

    fn command(&mut self, length: usize) -> PResult<Expr> {
        let mut callee = self.primary()?;
        let start = callee.span;
        for _ in 0..length / 2 {
            self.bump();
            let name = self.member("a name")?;
            let span = self.span_from(start);
            callee = Expr {
                kind: ExprKind::Field(Box::new(callee), name, false),
                span,
            };
            self.chain_link()?;
        }
        let mut args = Vec::new();
        let closed = matches!(self.kind(), Tok::RParen | Tok::RBracket | Tok::RBrace);
        let prints = matches!(&callee.kind, ExprKind::Name(name) if COMMAND_WORDS.contains(&name.name.as_str()));
        if !self.at_end() && !closed {
            loop {
                if !prints {
                    self.command_arg = self.pos;
                }
                args.push(self.arg()?);
                if !prints && self.at_trailing_argument() {
                    args.push(self.arg()?);
                    break;
                }
                // Inside brackets the comma belongs to what is around.
                if self.in_brackets() || !self.eat(Tok::Comma) {
                    break;
                }
                self.join();
            }
        }
        self.check_order(&args);
        let span = self.span_from(start);
        Ok(Expr {
            kind: ExprKind::Call(Box::new(Call {
                callee,
                args,
                block: None,
                parens: false,
            })),
            span,
        })
    }
}

/// Whether what follows a command is taken for its first argument.
fn begins_operand(tok: Tok) -> bool {
    use Tok::*;
    matches!(
        tok,
        LParen
            | LBracket
            | LBrace
            | Minus
            | Bang
            | Tilde
            | Not
            | Await
            | If
            | Match
            | SelfKw
            | Super
            | Amp
            | Return
            | With
            | Tok::Pipe
            // These begin no operand; the report is about them, not about the command.
            | Plus
            | DotDot
            | DotDotEq
            | Unknown
    )
}
