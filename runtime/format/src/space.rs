//! Whether a space is between two tokens of one line.
//!
//! The parser says which operators come before their operand and which angles are brackets, so nothing is guessed.
//! Where a space means something, as after `print` in `print (a), b`, it stays as it was written.

use simple_syntax::written::{Tok, WrittenToken};

/// Functions that take the rest of the line as arguments where a space follows them.
const COMMANDS: [&str; 6] = ["print", "println", "eprint", "eprintln", "expect", "panic"];

/// The tokens of a file with their text.
pub(crate) struct Tokens<'a> {
    /// The file.
    pub source: &'a str,
    /// Its tokens.
    pub all: &'a [WrittenToken],
}

impl<'a> Tokens<'a> {
    /// The text of a token.
    pub fn text(&self, at: usize) -> &'a str {
        let token = self.all[at];
        &self.source[token.lo as usize..token.hi as usize]
    }

    /// Whether a token is a name: an identifier, or a keyword after a dot.
    fn is_name(&self, at: usize) -> bool {
        self.all[at].tok == Tok::Ident || self.is_member(at)
    }

    fn is_member(&self, at: usize) -> bool {
        at > 0 && matches!(self.all[at - 1].tok, Tok::Dot | Tok::QuestionDot)
    }

    /// Whether a value may end with this token.
    fn ends_operand(&self, at: usize) -> bool {
        let token = self.all[at];
        let tok = token.tok;
        match tok {
            Tok::Ident | Tok::Int | Tok::Float | Tok::Text => true,
            Tok::RParen | Tok::RBracket | Tok::RBrace | Tok::Question | Tok::DotQuestion => true,
            Tok::True | Tok::False | Tok::Nil | Tok::SelfKw | Tok::Super => true,
            Tok::Bang => !token.prefix,
            Tok::Gt | Tok::Shr => token.bracket,
            _ => self.is_member(at),
        }
    }

    /// Whether the words `s`, `m`, `loss` and `nograd` open the brace after them.
    fn opens_formula(&self, brace: usize) -> bool {
        let word = |at: usize| matches!(self.text(at), "m" | "loss" | "nograd");
        brace > 0
            && !self.all[brace].spaced
            && self.all[brace - 1].tok == Tok::Ident
            && word(brace - 1)
    }

    /// Whether a space is between the token `at` and the one before it.
    pub fn spaced(&self, at: usize) -> bool {
        let (before, after) = (self.all[at - 1], self.all[at]);
        let written = after.spaced;
        match before.tok {
            Tok::LParen | Tok::LBracket => return false,
            Tok::LBrace => return self.opens_formula(at - 1) && after.tok != Tok::RBrace,
            Tok::Backslash | Tok::Dollar => return false,
            Tok::Hash => return written,
            Tok::Minus | Tok::Bang | Tok::Tilde | Tok::Star | Tok::Ellipsis if before.prefix => {
                return false;
            }
            Tok::Star | Tok::StarStar | Tok::Ellipsis if !self.follows_operand(at - 1) => {
                return false;
            }
            Tok::Pipe if before.prefix => return false,
            Tok::Lt if before.bracket => return false,
            Tok::Colon | Tok::ColonColon if before.slice => return false,
            Tok::DotDot | Tok::DotDotEq => {
                return before.spaced && written && !self.follows_operand(at - 1);
            }
            Tok::Dot | Tok::QuestionDot | Tok::ColonColon => return false,
            Tok::Amp if after.tok == Tok::Colon && !written => return false,
            Tok::Colon if at > 1 && self.all[at - 2].tok == Tok::Amp && !before.spaced => {
                return false;
            }
            Tok::At if before.prefix => return false,
            Tok::At if before.first || !self.follows_operand(at - 1) => return written,
            _ => {}
        }
        match after.tok {
            Tok::Comma | Tok::Semi | Tok::RParen | Tok::RBracket => false,
            Tok::RBrace => self.closes_formula(at),
            Tok::Colon | Tok::ColonColon => false,
            Tok::Dot | Tok::QuestionDot => {
                written && (!self.ends_operand(at - 1) || before.tok == Tok::Int)
            }
            Tok::DotQuestion | Tok::Question => false,
            // `use a.*`
            Tok::DotStar if self.ends_line(at) => false,
            Tok::Bang if !after.prefix && self.ends_operand(at - 1) => written,
            Tok::Ellipsis if self.ends_operand(at - 1) => false,
            Tok::DotDot | Tok::DotDotEq => written && !self.ends_operand(at - 1),
            Tok::Lt | Tok::Gt | Tok::Shr | Tok::Pipe if after.bracket => false,
            Tok::LParen => self.before_paren(at),
            Tok::LBracket => match self.ends_operand(at - 1) {
                true => written && self.is_command(at - 1),
                false => before.tok != Tok::Fn,
            },
            Tok::LBrace if before.tok == Tok::Ident => {
                match self.text(at - 1).starts_with(char::is_uppercase) {
                    true => false,
                    false => written,
                }
            }
            // `|=` and such are two tokens.
            Tok::Eq => written || !self.is_half_assignment(at - 1),
            Tok::QuestionQuestion if !written => {
                self.ends_operand(at - 1) && !self.is_type_mark(at)
            }
            _ => true,
        }
    }

    fn ends_line(&self, at: usize) -> bool {
        let next = self.all[at + 1];
        next.first || matches!(next.tok, Tok::Eof | Tok::Semi)
    }

    /// Whether a `??` is two marks of a type, as in `i64??`.
    fn is_type_mark(&self, at: usize) -> bool {
        let next = self.all[at + 1].tok;
        matches!(
            next,
            Tok::Eq | Tok::Comma | Tok::RParen | Tok::RBracket | Tok::Gt | Tok::Colon | Tok::Eof
        ) || self.all[at + 1].first
    }

    /// Whether a value ends before the token.
    fn follows_operand(&self, at: usize) -> bool {
        at > 0 && self.ends_operand(at - 1)
    }

    fn is_half_assignment(&self, at: usize) -> bool {
        matches!(
            self.all[at].tok,
            Tok::Pipe
                | Tok::Caret
                | Tok::Amp
                | Tok::Shl
                | Tok::Shr
                | Tok::At
                | Tok::QuestionQuestion
                | Tok::Ge
        )
    }

    fn is_command(&self, at: usize) -> bool {
        self.all[at].tok == Tok::Ident && !self.is_member(at) && COMMANDS.contains(&self.text(at))
    }

    fn before_paren(&self, at: usize) -> bool {
        let (before, written) = (self.all[at - 1], self.all[at].spaced);
        if self.is_command(at - 1) || before.tok == Tok::Text {
            return written;
        }
        if self.is_name(at - 1) || self.ends_operand(at - 1) {
            return false;
        }
        !matches!(before.tok, Tok::Fn | Tok::SelfKw | Tok::Super)
    }

    fn closes_formula(&self, close: usize) -> bool {
        let mut depth = 0usize;
        for at in (0..close).rev() {
            match self.all[at].tok {
                Tok::RBrace => depth += 1,
                Tok::LBrace if depth == 0 => return at + 1 != close && self.opens_formula(at),
                Tok::LBrace => depth -= 1,
                _ => {}
            }
        }
        false
    }
}
