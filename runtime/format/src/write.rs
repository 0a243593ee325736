//! Statements, blocks and comments to lines with their indentation.
//!
//! A statement is written in runs: its tokens up to a block, or between two blocks. A run keeps the line breaks of the
//! author where all of its lines fit; otherwise `fill.rs` breaks it. Spaces are in `space.rs`.

use crate::comment;
use crate::gap::{self, Comment};
use crate::space::Tokens;
use crate::state::{Change, Frame, Line, Writer};
use crate::{STEP, WIDTH};
use simple_syntax::written::{Layout, Tok, Written};
use std::ops::{Range, RangeInclusive};

/// The text, and which parts of it are which parts of the source.
pub(crate) struct Outcome {
    /// The whole text.
    pub text: String,
    /// Where parts begin in the source and in the text, in order; each is whole lines of both.
    pub pieces: Vec<(usize, usize)>,
}

/// Writes a file anew.
pub(crate) fn write(source: &str, written: &Written, change: Change) -> Outcome {
    let top = Frame {
        indent: 0,
        base: 0,
        column: 0,
        open: Vec::new(),
    };
    let mut writer = Writer {
        tokens: Tokens {
            source,
            all: &written.tokens,
        },
        written,
        change,
        frames: vec![top],
        lines: Vec::new(),
        pieces: vec![(0, 0)],
        blank_allowed: false,
        last_indent: 0,
    };
    writer.file();
    writer.finish()
}

impl<'a> Writer<'a> {
    fn file(&mut self) {
        let count = self.written.tokens.len();
        let mut opens = vec![false; count];
        let mut closes = vec![0u32; count];
        let mut begins = vec![false; count];
        for mark in &self.written.layout {
            match *mark {
                Layout::Open(at) => opens[at as usize] = true,
                Layout::Close(at) => closes[at as usize] += 1,
                Layout::Line(at) => begins[at as usize] = true,
            }
        }
        let eof = count - 1;
        let mut at = 0;
        while at < eof {
            let mut left = Vec::new();
            let mut base = None;
            for _ in 0..closes[at] {
                let frame = self.frames.pop().expect("a block that closes is open");
                base = Some(frame.base);
                left.push((frame.column, frame.indent));
            }
            if opens[at] {
                let (frame, last) = (self.frame(), self.last_indent);
                let base = if frame.open.is_empty() {
                    frame.indent
                } else {
                    last
                };
                let column = self.tokens.all[at].column as usize;
                self.frames.push(Frame {
                    indent: base + STEP,
                    base,
                    column,
                    open: Vec::new(),
                });
                self.blank_allowed = false;
            }
            let starts = begins[at] && self.tokens.all[at].first;
            if starts {
                self.frame_mut().open.clear();
            }
            let frame = self.frame();
            let boundary = |at: usize| begins[at] && self.tokens.all[at].first || closes[at] > 0;
            let mut depth = frame.open.len();
            let mut end = at;
            loop {
                depth = self.depth_after(end, depth);
                end += 1;
                if end == eof || boundary(end) || opens[end] || depth == 0 && self.is_branch(end) {
                    break;
                }
            }
            let head = end < eof && opens[end] && depth == 0;
            let frame = self.frame();
            // `else` of a value may be deeper than the statement.
            let deeper = !starts
                && !head
                && self.is_branch(at)
                && self.tokens.all[at].column as usize > frame.column;
            let indent = match base {
                Some(base) if !starts && !frame.open.is_empty() => base,
                None if deeper && frame.open.is_empty() => frame.indent + STEP,
                _ => frame.indent,
            };
            self.comments_above(at, indent, &left);
            self.run(at..end, indent, head, self.change.bodies);
            at = end;
        }
        // At the end of the file: comments belong to the blocks that they are in.
        let mut left = Vec::new();
        while self.frames.len() > 1 {
            let frame = self.frames.pop().expect("it was counted");
            left.push((frame.column, frame.indent));
        }
        self.comments_above(eof, 0, &left);
    }

    /// Whether a line begins with a word that continues the statement above.
    fn is_branch(&self, at: usize) -> bool {
        self.tokens.all[at].first && self.is_branch_word(at)
    }

    fn is_branch_word(&self, at: usize) -> bool {
        matches!(
            self.tokens.all[at].tok,
            Tok::Elif | Tok::Else | Tok::Catch | Tok::Finally
        )
    }

    /// Writes the comments above a token, and the blank line. `left` are the blocks that ended, the innermost first:
    /// column in the source and indentation.
    fn comments_above(&mut self, at: usize, indent: usize, left: &[(usize, usize)]) {
        if at > 0 && !self.tokens.all[at].first {
            return;
        }
        let text = self.between(at);
        if at > 0 {
            let begin = self.tokens.all[at - 1].hi as usize;
            let line = text.find('\n').map_or(text.len(), |length| length + 1);
            self.pieces.push((begin + line, self.lines.len()));
        }
        let gap = gap::read(text, at == 0);
        let mut left = left;
        let mut group: Vec<&str> = Vec::new();
        let mut group_indent = indent;
        let is_eof = self.tokens.all[at].tok == Tok::Eof;
        for comment in gap
            .comments
            .iter()
            .filter(|comment| comment.own_line || comment.block)
        {
            if !comment.own_line {
                continue;
            }
            while left
                .first()
                .is_some_and(|(column, _)| comment.column < *column)
            {
                left = &left[1..];
            }
            let here = left.first().map_or(indent, |(_, indent)| *indent);
            if comment.blank_above || here != group_indent || comment.block {
                self.comment_group(&mut group, group_indent);
            }
            if comment.blank_above {
                self.blank();
            }
            group_indent = here;
            group.push(comment.text);
            if comment.block {
                let text = std::mem::take(&mut group)[0];
                self.push(here, text.to_owned(), None);
            }
        }
        self.comment_group(&mut group, group_indent);
        if gap.blank_above && !is_eof && !self.is_branch(at) {
            self.blank();
        }
    }

    fn comment_group(&mut self, group: &mut Vec<&str>, indent: usize) {
        if group.is_empty() {
            return;
        }
        let lines = match self.change.lines {
            true => comment::wrapped(group, indent),
            false => group.iter().map(|line| (*line).to_owned()).collect(),
        };
        group.clear();
        for line in lines {
            self.push(indent, line, None);
        }
    }

    fn blank(&mut self) {
        if self.blank_allowed && self.lines.last().is_some_and(|line| !line.text.is_empty()) {
            self.lines.push(Line {
                text: String::new(),
                trailing: None,
            });
        }
    }

    fn push(&mut self, indent: usize, text: String, trailing: Option<(String, usize)>) {
        let mut line = String::with_capacity(indent + text.len());
        line.extend(std::iter::repeat_n(' ', indent));
        line.push_str(&text);
        self.lines.push(Line {
            text: line,
            trailing,
        });
        self.blank_allowed = true;
        self.last_indent = indent;
    }

    /// Writes the tokens of a run, of which the first is indented so.
    fn run(&mut self, run: Range<usize>, indent: usize, head: bool, bodies: bool) {
        let begin = self.frame().open.clone();
        let author = self.authors_lines(run.clone());
        let placed = self.placed(&author, run.end, indent, head);
        if self.change.lines && !self.all_fit(&placed, run.end) {
            self.frame_mut().open.clone_from(&begin);
            if bodies && let Some(body) = self.body_in(&run) {
                return self.with_block(run, body, indent);
            }
            let filled = self.filled(&author, run.clone(), indent, head);
            return self.lines_of(&filled, run.end);
        }
        self.lines_of(&placed, run.end);
    }

    /// The tokens at which the author began a line.
    fn authors_lines(&self, run: Range<usize>) -> Vec<usize> {
        let first = run.start;
        run.filter(|&at| at == first || self.tokens.all[at].first)
            .collect()
    }

    /// The outermost body of a run that is on the line of its `:`, if it can become a block.
    fn body_in(&self, run: &Range<usize>) -> Option<Range<usize>> {
        let bodies = &self.written.bodies;
        let after = bodies.partition_point(|body| body.end as usize <= run.start);
        let inside = bodies[after..]
            .iter()
            .take_while(|body| body.end as usize <= run.end);
        let inside = inside.filter(|body| body.start as usize > run.start && body.end > body.start);
        let first = inside.min_by_key(|body| (body.start, std::cmp::Reverse(body.end)))?;
        let body = first.start as usize..first.end as usize;
        let depth = (run.start..body.start).fold(self.frame().open.len(), |depth, at| {
            self.depth_after(at, depth)
        });
        let ends = body.end == run.end || self.is_branch_word(body.end);
        // What is above a line of its own must not be a comment of the head.
        let plain = !(run.start + 1..run.end).any(|at| self.has_comment(at));
        (depth == 0 && ends && plain && !self.tokens.all[body.start].first).then_some(body)
    }

    /// Writes a run whose body becomes a block, as do those of its other branches.
    fn with_block(&mut self, run: Range<usize>, body: Range<usize>, indent: usize) {
        self.run(run.start..body.start, indent, true, false);
        let deeper = indent + STEP;
        self.frames.push(Frame {
            indent: deeper,
            base: indent,
            column: 0,
            open: Vec::new(),
        });
        self.run(body.clone(), deeper, false, true);
        self.frames.pop();
        if body.end == run.end {
            return;
        }
        let rest = body.end..run.end;
        match self.body_in(&rest) {
            Some(next) => self.with_block(rest, next, indent),
            None => self.run(rest, indent, false, false),
        }
    }

    /// Writes lines that begin with these tokens, each with its indentation.
    fn lines_of(&mut self, lines: &[(usize, usize)], end: usize) {
        for (number, &(at, indent)) in lines.iter().enumerate() {
            let next = lines.get(number + 1).map_or(end, |line| line.0);
            if number > 0 {
                self.comments_above(at, indent, &[]);
            }
            let text = self.text_of(at, next);
            let trailing = self.trailing(next);
            if at > 0 && !self.tokens.all[at].first && number == 0 && self.continues(at) {
                // After a block, on the line of its last token.
                let last = self.lines.last_mut().expect("a block has lines");
                last.text.push_str(&text);
                last.trailing = trailing.map(|comment| (comment.text.to_owned(), comment.column));
                continue;
            }
            match trailing {
                Some(comment) => self.with_trailing(indent, text, comment),
                None => self.push(indent, text, None),
            }
        }
    }

    /// Whether a token that begins no line continues the line of a block before it.
    fn continues(&self, at: usize) -> bool {
        matches!(
            self.tokens.all[at].tok,
            Tok::RParen | Tok::RBracket | Tok::RBrace | Tok::Comma
        )
    }

    fn with_trailing(&mut self, indent: usize, text: String, comment: Comment) {
        let tail = text.rsplit('\n').next().unwrap_or_default();
        let width = tail.chars().count() + if tail.len() == text.len() { indent } else { 0 };
        let fits = width + 2 + comment.text.chars().count() <= WIDTH;
        let movable = comment.text.starts_with("# ") && tail.len() == text.len();
        if fits || !movable || !self.change.lines {
            return self.push(
                indent,
                text,
                Some((comment.text.to_owned(), comment.column)),
            );
        }
        self.comment_group(&mut vec![comment.text], indent);
        self.push(indent, text, None);
    }

    /// The comment after the token before `next`, on its line.
    fn trailing(&self, next: usize) -> Option<Comment<'a>> {
        let follows = self.tokens.all[next].first || self.tokens.all[next].tok == Tok::Eof;
        if !follows || !self.has_comment(next) {
            return None;
        }
        let text = self.between(next);
        let first = gap::read(text, false).comments.into_iter().next()?;
        let line = self.tokens.source[..self.tokens.all[next - 1].hi as usize]
            .rsplit('\n')
            .next();
        let column = first.column + line.map_or(0, |line| line.chars().count());
        (!first.own_line).then_some(Comment { column, ..first })
    }

    /// The tokens of one line with their spaces.
    fn text_of(&self, from: usize, to: usize) -> String {
        let mut text = String::new();
        for at in from..to {
            let comments =
                at > from && self.has_comment(at) || at == from && !self.tokens.all[at].first;
            if comments && self.has_comment(at) {
                for comment in gap::read(self.between(at), false).comments {
                    if at > from {
                        text.push(' ');
                    }
                    text.push_str(comment.text);
                    text.push(' ');
                }
            } else if at > from && self.tokens.spaced(at) {
                text.push(' ');
            }
            let token = self.tokens.text(at);
            match token.contains('\r') {
                true => text.push_str(&token.replace("\r\n", "\n")),
                false => text.push_str(token),
            }
        }
        text
    }

    fn finish(self) -> Outcome {
        let mut lines = self.lines;
        while lines.last().is_some_and(|line| line.text.is_empty()) {
            lines.pop();
        }
        let width = |line: &Line| {
            line.text
                .rsplit('\n')
                .next()
                .unwrap_or_default()
                .chars()
                .count()
        };
        let mut text = String::with_capacity(self.tokens.source.len() + 64);
        let mut starts = Vec::with_capacity(lines.len() + 1);
        let mut run_end = 0;
        let mut column = 0;
        for (number, line) in lines.iter().enumerate() {
            starts.push(text.len());
            text.push_str(&line.text);
            if let Some((comment, source)) = &line.trailing {
                if number >= run_end {
                    // Comments that were in one column in the source are in one column again.
                    let same = |line: &&Line| {
                        line.trailing
                            .as_ref()
                            .is_some_and(|(_, other)| other == source)
                    };
                    run_end = number + lines[number..].iter().take_while(same).count();
                    column = lines[number..run_end]
                        .iter()
                        .map(width)
                        .max()
                        .unwrap_or_default()
                        + 2;
                    let longest = lines[number..run_end]
                        .iter()
                        .filter_map(|line| line.trailing.as_ref());
                    let longest = longest
                        .map(|(comment, _)| comment.chars().count())
                        .max()
                        .unwrap_or_default();
                    if column + longest > WIDTH {
                        column = 0;
                        run_end = number + 1;
                    }
                }
                let gap = column.saturating_sub(width(line)).max(2);
                text.extend(std::iter::repeat_n(' ', gap));
                text.push_str(comment);
            }
            text.push('\n');
        }
        starts.push(text.len());
        let at = |line: usize| starts[line.min(starts.len() - 1)];
        let pieces = self.pieces.iter().map(|&(source, line)| (source, at(line)));
        Outcome {
            pieces: pieces.collect(),
            text,
        }
    }
}

/// The source with the parts of `text` that are on these lines of the source.
pub(crate) fn chosen(
    source: &str,
    text: &str,
    pieces: &[(usize, usize)],
    lines: &RangeInclusive<usize>,
) -> String {
    let mut out = String::with_capacity(source.len());
    let mut line = 1;
    for (number, &(from, at)) in pieces.iter().enumerate() {
        let (end, until) = pieces
            .get(number + 1)
            .copied()
            .unwrap_or((source.len(), text.len()));
        let old = &source[from.min(end)..end];
        let last = line + old.matches('\n').count().max(1) - 1;
        match line <= *lines.end() && last >= *lines.start() {
            true => out.push_str(&text[at.min(until)..until]),
            false => out.push_str(old),
        }
        line += old.matches('\n').count();
    }
    out
}
