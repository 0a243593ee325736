//! Where a line that is too long is broken.
//!
//! A break is best where few brackets are open: after a comma, else before an operator or a method of a chain, else
//! after the bracket that opens. Breaks of the author stay where a bracket ends its line, in arrays and dicts, and
//! outside of brackets. Leaves out strings, which are never broken.

use crate::state::{Bracket, Writer};
use crate::{STEP, WIDTH};
use simple_syntax::written::Tok;
use std::ops::Range;

/// What a break before an operator costs more than one after a comma.
const OPERATOR: u32 = 5;
/// What one more open bracket costs.
const DEPTH: u32 = 10;
/// The cost of a break after `=`.
const AFTER_EQUALS: u32 = 25;

impl Writer<'_> {
    /// Lines that begin with these tokens, with their indentation. Moves the brackets to the end of the run.
    pub fn placed(
        &mut self,
        lines: &[usize],
        end: usize,
        indent: usize,
        head: bool,
    ) -> Vec<(usize, usize)> {
        let mut placed = Vec::with_capacity(lines.len());
        for (number, &at) in lines.iter().enumerate() {
            let next = lines.get(number + 1).copied().unwrap_or(end);
            let here = if number == 0 {
                indent
            } else {
                self.indent_of(at, indent, head)
            };
            placed.push((at, here));
            self.pass_line(at..next, here, head && number == 0);
        }
        placed
    }

    /// The indentation of a line that continues a statement.
    fn indent_of(&self, at: usize, indent: usize, head: bool) -> usize {
        let tok = self.tokens.all[at].tok;
        let closes = matches!(tok, Tok::RParen | Tok::RBracket | Tok::RBrace);
        match self.frame().open.last() {
            Some(bracket) if closes => bracket.line,
            Some(bracket) if bracket.last && matches!(tok, Tok::Dot | Tok::QuestionDot) => {
                bracket.inside + STEP
            }
            Some(bracket) => bracket.inside,
            None => indent + if head { 2 * STEP } else { STEP },
        }
    }

    /// Moves the brackets of the block over a line.
    fn pass_line(&mut self, line: Range<usize>, indent: usize, is_head: bool) {
        let end = line.end;
        let tokens = self.tokens.all;
        let open = &mut self.frame_mut().open;
        let before = open.len();
        let mut least = before;
        for at in line {
            match tokens[at].tok {
                tok @ (Tok::LParen | Tok::LBracket | Tok::LBrace) => {
                    let last = at + 1 == end;
                    let step = if is_head && !last { 2 * STEP } else { STEP };
                    open.push(Bracket {
                        line: indent,
                        inside: indent + step,
                        last,
                        paren: tok == Tok::LParen,
                    });
                }
                Tok::RParen | Tok::RBracket | Tok::RBrace => {
                    open.pop();
                    least = least.min(open.len());
                }
                _ => {}
            }
        }
        // Brackets that one line leaves open count once: those before the last one that ends the line are as deep.
        if is_head && open.len() > least && open.last().is_some_and(|bracket| bracket.last) {
            for bracket in &mut open[least..] {
                bracket.inside = indent + STEP;
            }
        }
    }

    /// Whether no line is too long.
    pub fn all_fit(&self, lines: &[(usize, usize)], end: usize) -> bool {
        lines.iter().enumerate().all(|(number, &(at, indent))| {
            let next = lines.get(number + 1).map_or(end, |line| line.0);
            self.fits(at, next, indent)
        })
    }

    fn fits(&self, from: usize, to: usize, indent: usize) -> bool {
        let lo = self.tokens.all[from].lo as usize;
        let hi = self.tokens.all[to - 1].hi as usize;
        // Spaces are hardly ever added, so most lines need not be measured.
        if hi > lo && indent + (hi - lo) + (to - from) <= WIDTH {
            return true;
        }
        self.walk(from, to, indent, |_, _| true)
    }

    /// Goes over tokens with the column after each, as long as `seen` says so; says whether all are within the width.
    fn walk(
        &self,
        from: usize,
        to: usize,
        indent: usize,
        mut seen: impl FnMut(usize, usize) -> bool,
    ) -> bool {
        let mut column = indent;
        for at in from..to {
            if at > from && self.tokens.spaced(at) {
                column += 1;
            }
            let text = self.tokens.text(at);
            match text.rsplit_once('\n') {
                Some((above, last)) => {
                    let first = above.split('\n').next().unwrap_or_default();
                    if column + first.chars().count() > WIDTH {
                        return false;
                    }
                    column = last.chars().count();
                }
                None => column += text.chars().count(),
            }
            if column > WIDTH || !seen(at, column) {
                return false;
            }
        }
        true
    }

    /// The run in lines that fit, as far as that can be.
    pub fn filled(
        &mut self,
        author: &[usize],
        run: Range<usize>,
        indent: usize,
        head: bool,
    ) -> Vec<(usize, usize)> {
        let forced = self.forced(author, &run);
        let mut placed = Vec::new();
        for (number, &begin) in forced.iter().enumerate() {
            let end = forced.get(number + 1).copied().unwrap_or(run.end);
            let mut at = begin;
            while at < end {
                let first = at == run.start;
                let here = if first {
                    indent
                } else {
                    self.indent_of(at, indent, head)
                };
                let next = match self.fits(at, end, here) {
                    true => end,
                    false => self.best_break(at, end, here, head && first).unwrap_or(end),
                };
                placed.push((at, here));
                self.pass_line(at..next, here, head && first);
                at = next;
            }
        }
        placed
    }

    /// The line breaks of the author that stay.
    fn forced(&self, author: &[usize], run: &Range<usize>) -> Vec<usize> {
        let mut open: Vec<(bool, bool)> = self
            .frame()
            .open
            .iter()
            .map(|b| (b.last, b.paren))
            .collect();
        let mut forced = Vec::new();
        let mut lines = author.iter().copied().peekable();
        for at in run.clone() {
            let tok = self.tokens.all[at].tok;
            if lines.next_if_eq(&at).is_some() {
                let kept = match open.last() {
                    Some((last, paren)) => *last || !paren,
                    None => true,
                };
                if at == run.start || kept || self.has_comment(at) {
                    forced.push(at);
                }
            }
            match tok {
                Tok::LParen | Tok::LBracket | Tok::LBrace => {
                    let last = at + 1 < run.end && self.tokens.all[at + 1].first;
                    open.push((last, tok == Tok::LParen));
                }
                Tok::RParen | Tok::RBracket | Tok::RBrace => {
                    open.pop();
                }
                _ => {}
            }
        }
        forced
    }

    /// The token that begins the next line, if the line from `at` on can be broken before `end`.
    fn best_break(&self, at: usize, end: usize, indent: usize, head: bool) -> Option<usize> {
        let mut depth = self.frame().open.len();
        let mut candidates: Vec<(usize, u32, usize)> = Vec::new();
        let mut later = None;
        let mut reached = at;
        let mut columns = Vec::new();
        self.walk(at, end, indent, |token, column| {
            reached = token + 1;
            columns.push(column);
            true
        });
        for token in at..end {
            if token > at
                && let Some(cost) = self.cost(token, depth, at)
                && !self.is_long_text(token, indent)
            {
                if token <= reached {
                    let column = columns.get(token - 1 - at).copied().unwrap_or(WIDTH);
                    candidates.push((token, cost, column));
                } else if later.is_none() {
                    later = Some(token);
                }
            }
            depth = self.depth_after(token, depth);
        }
        let step = if head { 2 * STEP } else { STEP };
        let mut costs: Vec<u32> = candidates.iter().map(|found| found.1).collect();
        costs.sort_unstable();
        costs.dedup();
        for &cost in &costs {
            let Some(&(token, _, column)) = candidates.iter().rfind(|found| found.1 == cost) else {
                continue;
            };
            // A short line is worth it only if the rest is whole then.
            let long = column >= indent + (WIDTH.saturating_sub(indent)) / 2;
            if long || self.fits(token, end, indent + step) {
                return Some(token);
            }
        }
        let cheapest = costs
            .first()
            .and_then(|cost| candidates.iter().rfind(|found| found.1 == *cost));
        cheapest.map(|found| found.0).or(later)
    }

    /// Whether a text alone is in brackets and does not fit on a line of its own either.
    fn is_long_text(&self, at: usize, indent: usize) -> bool {
        let tokens = self.tokens.all;
        let alone = |tok| matches!(tok, Tok::LParen | Tok::LBracket | Tok::LBrace);
        let closed = tokens
            .get(at + 1)
            .is_some_and(|next| next.tok == Tok::RParen);
        alone(tokens[at - 1].tok)
            && tokens[at].tok == Tok::Text
            && closed
            && !self.fits(at, at + 2, indent + STEP)
    }

    /// What a break before a token costs; `None` where there can be none.
    fn cost(&self, at: usize, depth: usize, line: usize) -> Option<u32> {
        let tokens = self.tokens.all;
        let (before, here) = (tokens[at - 1], tokens[at]);
        let base = depth as u32 * DEPTH;
        if matches!(
            here.tok,
            Tok::RParen | Tok::RBracket | Tok::RBrace | Tok::Comma | Tok::Eof
        ) {
            return None;
        }
        match before.tok {
            Tok::Comma if depth > 0 => return Some(base),
            Tok::Comma => {
                let command =
                    tokens[line].tok == Tok::Ident && tokens[line + 1].tok != Tok::ColonEq;
                return command.then_some(OPERATOR);
            }
            Tok::LParen | Tok::LBracket => return Some(base + 4),
            Tok::LBrace if self.tokens.spaced(at) => return None,
            Tok::LBrace => return Some(base + 4),
            Tok::Eq if depth == 0 && tokens[line].tok != Tok::Fn && at - line < 8 => {
                return Some(AFTER_EQUALS);
            }
            _ => {}
        }
        if here.prefix || here.bracket || !self.tokens.spaced(at) {
            let chained = matches!(here.tok, Tok::Dot | Tok::QuestionDot)
                && matches!(before.tok, Tok::RParen | Tok::RBracket)
                && tokens
                    .get(at + 2)
                    .is_some_and(|next| next.tok == Tok::LParen);
            return chained.then_some(base + OPERATOR + 4);
        }
        let extra = match here.tok {
            Tok::Else | Tok::Elif if depth > 0 => 1,
            Tok::For if depth > 0 => 1,
            Tok::PipeGt | Tok::TildeGt | Tok::Or | Tok::And | Tok::AmpAmp | Tok::PipePipe => 0,
            Tok::QuestionQuestion => 1,
            Tok::EqEq | Tok::NotEq | Tok::Le | Tok::Ge | Tok::Lt | Tok::Gt | Tok::Is => 2,
            Tok::In if depth == 0 && matches!(tokens[line].tok, Tok::For | Tok::While) => {
                return None;
            }
            Tok::Plus | Tok::Minus | Tok::DotPlus | Tok::DotMinus => 3,
            Tok::Star | Tok::Slash | Tok::DotStar | Tok::DotSlash | Tok::Percent => 4,
            _ => return None,
        };
        Some(base + OPERATOR + extra)
    }
}
