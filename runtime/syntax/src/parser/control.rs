//! `if`, `match` and `with`, which are expressions wherever they appear, and `yield from`, which is a loop.

use super::{PResult, Parser};
use crate::ast::{
    Block, Cond, Expr, ExprKind, Ident, If, MatchArm, Pattern, PatternKind, Stmt, StmtKind,
    WithBinding,
};
use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::lexer::Tok;
use crate::span::Span;
use crate::symbol::Symbol;

impl Parser<'_> {
    /// `yield from e`, which is `for x in e: yield x`.
    pub(super) fn yield_from(&mut self, start: Span) -> PResult<StmtKind> {
        self.bump();
        let iterable = self.command_expr()?;
        let span = self.span_from(start);
        // No program can write this name.
        let name = Ident {
            name: Symbol::intern("yield from"),
            span,
        };
        let value = Expr {
            kind: ExprKind::Name(name),
            span: iterable.span,
        };
        let stmts = vec![Stmt {
            kind: StmtKind::Yield(value),
            span,
        }];
        Ok(StmtKind::For {
            pattern: Pattern {
                kind: PatternKind::Name(name),
                span,
            },
            iterable,
            body: Block { stmts, span },
        })
    }

    /// `if c: ... elif c: ... else: ...`, on one line or as blocks.
    pub(crate) fn if_expr(&mut self) -> PResult<Expr> {
        let start = self.span();
        self.bump();
        let cond = self.cond()?;
        let mut branches = vec![(cond, self.body("`if`")?)];
        let mut otherwise = None;
        loop {
            if self.branch_follows(Tok::Elif) {
                self.bump();
                let cond = self.cond()?;
                branches.push((cond, self.body("`elif`")?));
            } else if self.branch_follows(Tok::Else) {
                self.bump();
                if self.eat(Tok::If) {
                    let cond = self.cond()?;
                    branches.push((cond, self.body("`else if`")?));
                    continue;
                }
                otherwise = Some(self.body("`else`")?);
                break;
            } else if self.foreign_elif() {
                let cond = self.cond()?;
                branches.push((cond, self.body("`elif`")?));
            } else {
                break;
            }
        }
        let kind = ExprKind::If(Box::new(If {
            branches,
            otherwise,
        }));
        Ok(Expr {
            kind,
            span: self.span_from(start),
        })
    }

    /// Whether `elif`, `else`, `catch` or the like is here and belongs to the statement above: on the same line,
    /// or on a line of the block around it.
    pub(crate) fn branch_follows(&self, tok: Tok) -> bool {
        let token = self.raw();
        token.tok == tok
            && (!token.first() || self.in_brackets() || token.column >= self.block_column())
    }

    /// What `if` and `while` ask: an expression, or `val p = e`.
    pub(crate) fn cond(&mut self) -> PResult<Cond> {
        let mutable = match self.kind() {
            Tok::Val | Tok::Let => false,
            Tok::Var => true,
            _ => {
                let cond = self.expr()?;
                if self.at(Tok::Eq) {
                    let span = self.span();
                    return Err(self.report(
                        Diagnostic::error(
                            codes::FOREIGN_SPELLING,
                            span,
                            "`=` assigns and has no value",
                        )
                        .found_expected("`=`", "`==`")
                        .help("compare with `==`, or bind with `if val name = ...`"),
                    ));
                }
                return Ok(Cond::Expr(cond));
            }
        };
        self.bump();
        let pattern = self.pattern()?;
        self.expect_joining(Tok::Eq, "after the pattern")?;
        let value = self.expr()?;
        Ok(Cond::Let {
            mutable,
            pattern,
            value,
        })
    }

    /// `match e:` with its arms.
    pub(crate) fn match_expr(&mut self) -> PResult<Expr> {
        let start = self.span();
        self.bump();
        let subject = self.expr()?;
        if self.at(Tok::Colon) {
            self.bump();
        } else {
            // Reports the missing colon; the arms are still read if they are there.
            let failed = self.missing_colon("`match`");
            if self.at(Tok::LBrace) {
                self.skip_braces();
                return Err(failed);
            }
            if !(self.at_end() && self.block_is_below()) {
                return Err(failed);
            }
        }
        let mut arms = Vec::new();
        if self.line_ends_at(0) && self.block_is_below() {
            self.indented_lines(&mut arms, |p, arms: &mut Vec<MatchArm>| {
                let arm = p.arm()?;
                arms.push(arm);
                Ok(())
            })?;
        } else {
            let span = self.prev_span().end();
            return Err(self.report(
                Diagnostic::error(
                    codes::EXPECTED_BLOCK,
                    span,
                    "expected the arms of `match` on the lines below",
                )
                .found_expected(self.found(), "an indented arm, such as `case 1: ...`")
                .help("put each arm on a line of its own, indented by four spaces"),
            ));
        }
        Ok(Expr {
            kind: ExprKind::Match(Box::new(subject), arms),
            span: self.span_from(start),
        })
    }

    /// `case p if g: body`, `| p -> body`, `p: body`.
    fn arm(&mut self) -> PResult<MatchArm> {
        let start = self.span();
        if !self.eat(Tok::Case) {
            self.eat(Tok::Pipe);
        }
        let pattern = self.pattern()?;
        let guard = if self.eat(Tok::If) {
            let saved = std::mem::replace(&mut self.in_guard, true);
            let guard = self.expr();
            self.in_guard = saved;
            Some(guard?)
        } else {
            None
        };
        if self.at(Tok::FatArrow) {
            let span = self.span();
            if !std::mem::replace(&mut self.warned_arrow, true) {
                let message = "`=>` in an arm is deprecated";
                self.report(
                    Diagnostic::warning(codes::DEPRECATED, span, message)
                        .help("write `case pattern: value`, or `| pattern -> value`")
                        .fix(span, ":"),
                );
            }
            self.bump();
        } else if !self.eat(Tok::Arrow) && !self.eat(Tok::Colon) {
            if self.at(Tok::Comma) {
                let span = self.span();
                let message = "patterns of one arm are separated by `|`";
                return Err(self.report(
                    Diagnostic::error(codes::EXPECTED_COLON, span, message)
                        .found_expected("`,`", "`|` or `:`")
                        .help("write `case 2 | 3: ...`")
                        .fix(span, " |"),
                ));
            }
            return Err(self.missing_colon("the arm"));
        }
        // The arm's body is a statement of its own, which `->` may update.
        self.stmt_start = self.pos;
        let body = self.body_after_colon("the arm")?;
        Ok(MatchArm {
            pattern,
            guard,
            body,
            span: self.span_from(start),
        })
    }

    pub(crate) fn missing_colon(&mut self, of_what: &str) -> super::Failed {
        let found = self.found();
        let report = Diagnostic::error(
            codes::EXPECTED_COLON,
            self.span(),
            format!("expected `:` before the body of {of_what}, found {found}"),
        )
        .found_expected(found, "`:`");
        let report = self.with_hint(report);
        self.report(report)
    }

    /// `with e as x, e2 as y:` with its body.
    pub(crate) fn with_expr(&mut self) -> PResult<Expr> {
        let start = self.span();
        self.bump();
        let mut bindings = Vec::new();
        loop {
            let value = self.tight_expr()?;
            let name = if self.eat(Tok::As) {
                Some(self.ident("a name for the resource")?)
            } else {
                None
            };
            bindings.push(WithBinding { value, name });
            if !self.eat(Tok::Comma) {
                break;
            }
            self.join();
        }
        let body = self.body("`with`")?;
        Ok(Expr {
            kind: ExprKind::With(bindings, body),
            span: self.span_from(start),
        })
    }
}
