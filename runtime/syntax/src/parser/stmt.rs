//! Statements.

use super::layout::{Ctx, docstring};
use super::{Failed, PResult, Parser};
use crate::ast::{
    BinaryOp, Block, Call, ExportDecl, Expr, ExprKind, Ident, Item, ItemKind, LetKind, Module,
    Pattern, PatternKind, Stmt, StmtKind, TypeExpr, TypeExprKind,
};
use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::lexer::Tok;
use crate::span::Span;

/// Calls without arguments that take a block on the same line: hooks and the like of spec files.
const BLOCK_WORDS: &[&str] = &[
    "before_each",
    "after_each",
    "before_all",
    "after_all",
    "expect_raises",
];

impl Parser<'_> {
    /// The whole file.
    pub(crate) fn module(&mut self, keep_texts: bool) -> Module {
        let span = Span::new(self.file, 0, self.source.len() as u32);
        let mut stmts = Vec::new();
        self.contexts.push(Ctx::Block(0));
        self.lines(0, &mut stmts, &mut |p: &mut Self, stmts: &mut Vec<Stmt>| {
            p.stmt(stmts)
        });
        self.contexts.pop();
        let mut docs = None;
        if !keep_texts {
            docs = stmts.first().and_then(docstring);
            stmts.retain(|stmt| docstring(stmt).is_none());
        }
        Module {
            docs,
            stmts,
            broken: std::mem::take(&mut self.broken),
            span,
        }
    }

    /// One statement; a declaration of several names may give several.
    pub(crate) fn stmt(&mut self, out: &mut Vec<Stmt>) -> PResult<()> {
        self.stmt_start = self.pos;
        let start = self.span_of(self.raw());
        if self.at_item() {
            return self.item_stmt(out);
        }
        let kind = match self.kind() {
            Tok::If | Tok::Match | Tok::With => StmtKind::Expr(self.expr()?),
            Tok::For => self.for_stmt()?,
            Tok::While => {
                self.bump();
                let cond = self.cond()?;
                StmtKind::While {
                    cond,
                    body: self.body("`while`")?,
                }
            }
            Tok::Loop => {
                self.bump();
                StmtKind::Loop(self.body("`loop`")?)
            }
            Tok::Unsafe => {
                self.bump();
                StmtKind::Unsafe(self.body("`unsafe`")?)
            }
            Tok::Try => self.try_stmt()?,
            Tok::Defer => self.defer_stmt()?,
            Tok::Ident if self.ahead(1) == Tok::Colon && self.at_word("nograd") => {
                self.bump();
                StmtKind::NoGrad(self.body("`nograd`")?)
            }
            // `loss: f64 = 0.0` is a declaration as Python writes it, which the line after the name decides.
            Tok::Ident
                if self.ahead(1) == Tok::Colon
                    && self.at_word("loss")
                    && !(self.ahead(2) == Tok::Ident && self.ahead(3) == Tok::Eq) =>
            {
                self.bump();
                StmtKind::Loss(self.body("`loss`")?)
            }
            Tok::Elif | Tok::Else | Tok::Catch | Tok::Finally | Tok::Case => {
                return Err(self.stray_branch());
            }
            Tok::Ident if self.foreign_stmt(out)? => return Ok(()),
            _ => return self.inline_stmt(out),
        };
        out.push(Stmt {
            kind,
            span: self.span_from(start),
        });
        Ok(())
    }

    /// A statement that fits on one line, at the beginning of a line or after a `:`.
    pub(crate) fn inline_stmt(&mut self, out: &mut Vec<Stmt>) -> PResult<()> {
        if !self.in_brackets() {
            self.stmt_start = self.pos;
        }
        let start = self.span();
        let kind = match self.kind() {
            Tok::Val | Tok::Var | Tok::Let | Tok::Const if !self.in_brackets() => {
                self.let_stmt()?
            }
            Tok::Ident if self.at_word("_") && self.ahead(1) == Tok::Eq && !self.in_brackets() => {
                self.dropped_value()?
            }
            Tok::Return => {
                self.bump();
                let value = if self.value_ends_here() {
                    None
                } else {
                    Some(self.command_expr()?)
                };
                StmtKind::Return(value)
            }
            Tok::Break => self.word_stmt(StmtKind::Break),
            Tok::Continue => self.word_stmt(StmtKind::Continue),
            Tok::Pass | Tok::PassDoNothing | Tok::PassDn => self.pass_stmt(StmtKind::Pass)?,
            Tok::PassTodo => self.pass_stmt(StmtKind::PassTodo)?,
            Tok::Throw => {
                self.bump();
                StmtKind::Throw(self.command_expr()?)
            }
            Tok::Yield => {
                self.bump();
                self.yields = true;
                if self.at_word("from") && !self.line_ends_at(1) {
                    self.yield_from(start)?
                } else {
                    StmtKind::Yield(self.command_expr()?)
                }
            }
            Tok::Assert => {
                self.bump();
                let (cond, mut message) = match self.expr()? {
                    pair @ Expr {
                        kind: ExprKind::Tuple(_),
                        ..
                    } => self.assert_in_parens(pair),
                    cond => (cond, None),
                };
                if self.eat(Tok::Comma) {
                    self.join();
                    message = Some(self.expr()?);
                }
                StmtKind::Assert { cond, message }
            }
            Tok::Defer => self.defer_stmt()?,
            Tok::Use | Tok::Import => return self.item_stmt(out),
            Tok::For | Tok::While | Tok::Loop | Tok::Try | Tok::Class | Tok::Struct | Tok::Enum => {
                let word = self.kind().text();
                let span = self.span();
                return Err(self.report(
                    Diagnostic::error(
                        codes::UNEXPECTED,
                        span,
                        format!("`{word}` cannot follow a `:` on its line"),
                    )
                    .found_expected(
                        format!("`{word}`"),
                        "a simple statement or an indented body",
                    )
                    .help("put it on the next line, indented deeper"),
                ));
            }
            _ => self.expr_stmt()?,
        };
        out.push(Stmt {
            kind,
            span: self.span_from(start),
        });
        Ok(())
    }

    /// `_ = e`, which is `val _ = e`.
    fn dropped_value(&mut self) -> PResult<StmtKind> {
        let span = self.span();
        self.bump();
        self.bump();
        Ok(StmtKind::Let {
            kind: LetKind::Val,
            pattern: Pattern {
                kind: PatternKind::Wildcard,
                span,
            },
            ty: None,
            value: Some(self.command_expr()?),
        })
    }

    fn word_stmt(&mut self, kind: StmtKind) -> StmtKind {
        self.bump();
        kind
    }

    /// `pass`, or `pass("why")`, where the text is a comment.
    fn pass_stmt(&mut self, kind: StmtKind) -> PResult<StmtKind> {
        self.bump();
        if self.at(Tok::LParen) && !self.raw().first() {
            self.bracketed(Tok::LParen, Tok::RParen, |p| p.plain_text("the reason"))?;
        }
        Ok(kind)
    }

    /// `val p: T = e` and its sisters.
    pub(crate) fn let_stmt(&mut self) -> PResult<StmtKind> {
        let keyword = self.bump();
        let mut kind = match keyword.tok {
            Tok::Var => LetKind::Var,
            Tok::Const => LetKind::Const,
            _ => LetKind::Val,
        };
        if self.at(Tok::Mut) {
            let span = self.span_of(keyword).to(self.span());
            self.bump();
            let found = format!("{} mut", keyword.tok.text());
            self.deprecated(span, &found, "var");
            kind = LetKind::Var;
        }
        let pattern = self.pattern()?;
        if self.at(Tok::Comma) {
            let span = self.span();
            return Err(self.report(
                Diagnostic::error(
                    codes::EXPECTED_PATTERN,
                    span,
                    "several names are bound by a tuple pattern",
                )
                .found_expected("`,`", "`=`")
                .help("put the names in parentheses: `val (a, b) = ...`"),
            ));
        }
        let level = self.contexts.len();
        let ty = if self.eat(Tok::Colon) {
            Some(self.let_type())
        } else {
            None
        };
        let broken = TypeExprKind::Error;
        if let Some(ty) = ty.as_ref().filter(|ty| ty.kind == broken) {
            // The name stays known, so that its uses are not reported as well.
            self.contexts.truncate(level);
            self.recover(self.block_column());
            let value = Some(Self::error_expr(ty.span));
            return Ok(StmtKind::Let {
                kind,
                pattern,
                ty: Some(ty.clone()),
                value,
            });
        }
        if kind == LetKind::Var && ty.is_some() && self.value_ends_here() {
            return Ok(StmtKind::Let {
                kind,
                pattern,
                ty,
                value: None,
            });
        }
        if ty.is_some() && self.value_ends_here() {
            // The name stays known.
            let (found, expected) = (self.found(), "`=` and a value");
            let message = format!("expected {expected}, found {found}");
            self.report(
                Diagnostic::error(codes::UNEXPECTED, self.span(), message)
                    .found_expected(found, expected)
                    .help(
                        "write its value here; a variable that gets it later is declared with `var x: T`",
                    ),
            );
            let value = Some(Self::error_expr(self.prev_span().end()));
            return Ok(StmtKind::Let {
                kind,
                pattern,
                ty,
                value,
            });
        }
        self.expect_joining(Tok::Eq, "and a value")?;
        let value = self.value_or_error();
        Ok(StmtKind::Let {
            kind,
            pattern,
            ty,
            value: Some(value),
        })
    }

    /// The type of a binding, or an error node.
    fn let_type(&mut self) -> TypeExpr {
        let start = self.span();
        self.declared_type().unwrap_or(TypeExpr {
            kind: TypeExprKind::Error,
            span: start,
        })
    }

    /// A value; if it is broken, an error node, so that the name before it stays known.
    fn value_or_error(&mut self) -> Expr {
        let level = self.contexts.len();
        let (placeholders, height) = (self.placeholders, self.height);
        let start = self.span();
        let value = self.command_expr().and_then(|value| {
            if self.at(Tok::FatArrow) {
                let span = self.span();
                return Err(self.foreign(span, "`=>`", "a lambda is written `\\x: ...`"));
            }
            Ok(value)
        });
        value.unwrap_or_else(|Failed| {
            self.contexts.truncate(level);
            self.placeholders = placeholders;
            self.height = height;
            self.recover(self.block_column());
            Self::error_expr(start)
        })
    }

    /// An expression, an assignment, `name := e`, or a call with a block.
    fn expr_stmt(&mut self) -> PResult<StmtKind> {
        self.statement = self.span().lo;
        let expr = self.command_expr()?;
        if self.in_brackets() {
            return Ok(StmtKind::Expr(expr));
        }
        if self.at_assign_absent() {
            self.check_place(&expr, true)?;
            self.bump();
            self.bump();
            self.join();
            let value = self.value_or_error();
            return Ok(StmtKind::AssignAbsent { place: expr, value });
        }
        match self.kind() {
            Tok::ColonEq => self.short_let(expr),
            Tok::Colon => self.colon_block(expr),
            _ => self.assignment(expr, |p| Ok(p.value_or_error())),
        }
    }

    /// `place = e` or `place op= e`, if an operator of assignment follows the place.
    fn assignment(
        &mut self,
        expr: Expr,
        read: fn(&mut Self) -> PResult<Expr>,
    ) -> PResult<StmtKind> {
        let compound = self.compound_op();
        let op = match self.kind() {
            _ if compound.is_some() => {
                self.check_place(&expr, true)?;
                self.bump();
                compound
            }
            Tok::Eq => None,
            Tok::PlusEq => Some(BinaryOp::Add),
            Tok::MinusEq => Some(BinaryOp::Sub),
            Tok::StarEq => Some(BinaryOp::Mul),
            Tok::SlashEq => Some(BinaryOp::Div),
            Tok::PercentEq => Some(BinaryOp::Rem),
            Tok::StarStarEq => Some(BinaryOp::Pow),
            _ => return Ok(StmtKind::Expr(expr)),
        };
        if compound.is_none() {
            self.check_place(&expr, op.is_some())?;
        }
        self.bump();
        self.join();
        Ok(StmtKind::Assign {
            place: expr,
            op,
            value: read(self)?,
        })
    }

    /// The body of a lambda on its line: an expression, or an assignment to the place that was read.
    pub(super) fn assignment_in_lambda(&mut self, value: Expr) -> PResult<StmtKind> {
        self.assignment(value, Self::command_expr)
    }

    fn short_let(&mut self, target: Expr) -> PResult<StmtKind> {
        let ExprKind::Name(name) = target.kind else {
            return Err(self.report(
                Diagnostic::error(codes::BAD_PLACE, target.span, "`:=` introduces a new name")
                    .found_expected("an expression", "a name")
                    .help("assign to an existing place with `=`"),
            ));
        };
        self.bump();
        self.join();
        let value = self.value_or_error();
        let pattern = Pattern {
            kind: PatternKind::Name(name),
            span: name.span,
        };
        Ok(StmtKind::Let {
            kind: LetKind::Val,
            pattern,
            ty: None,
            value: Some(value),
        })
    }

    /// Refuses what cannot be assigned to.
    fn check_place(&mut self, place: &Expr, compound: bool) -> PResult<()> {
        let what = match &place.kind {
            ExprKind::Name(_)
            | ExprKind::Index(_, _, false)
            | ExprKind::Field(_, _, false)
            | ExprKind::TupleField(.., false)
            | ExprKind::Slice(..)
            | ExprKind::SelfValue => return Ok(()),
            ExprKind::Tuple(members) if !compound => {
                for (_, member) in members {
                    // `(x, _) = pair` drops the second member.
                    if !matches!(member.kind, ExprKind::Placeholder(0)) {
                        self.check_place(member, false)?;
                    }
                }
                return Ok(());
            }
            ExprKind::Tuple(_) => "a tuple in a compound assignment",
            ExprKind::Call(call) if !call.parens && call.args.len() == 1 => {
                let name = match &call.callee.kind {
                    // Lua's word is not a type.
                    ExprKind::Name(name) if name.name.as_str() == "local" => "T",
                    ExprKind::Name(name) => name.name.as_str(),
                    _ => "T",
                };
                let report = Diagnostic::error(
                    codes::FOREIGN_SPELLING,
                    place.span,
                    "this does not declare a variable",
                )
                .found_expected(
                    "two words before `=`",
                    "`val name = value` or `var name = value`",
                )
                .help(format!(
                    "write `val name: {name} = ...`, or `var` if it changes"
                ));
                return Err(self.report(report));
            }
            ExprKind::Call(call) if !call.parens && call.args.len() > 1 => {
                let option = call.args.last().map_or(place.span, |arg| arg.value.span);
                return Err(self.foreign(
                    option,
                    "an option after a command",
                    "named arguments are written in parentheses, `f(x, name: y)`; `print_raw` prints without a line break",
                ));
            }
            ExprKind::Call(_) => "the result of a call",
            ExprKind::Field(..) | ExprKind::Index(..) | ExprKind::TupleField(..) => {
                "an optional link"
            }
            ExprKind::Int(..)
            | ExprKind::Float(..)
            | ExprKind::Text(_)
            | ExprKind::Bool(_)
            | ExprKind::Nil => "a literal",
            _ => "this expression",
        };
        Err(self.report(
            Diagnostic::error(
                codes::BAD_PLACE,
                place.span,
                format!("{what} cannot be assigned to"),
            )
            .found_expected(what, "a variable, a field, an element, or a tuple of these")
            .help(match place.kind {
                ExprKind::Field(..) | ExprKind::Index(..) | ExprKind::TupleField(..) => {
                    "write `!` for `?` where the value must be there, `x!.part = ...`, or assign in `if x.?: ...`"
                }
                ExprKind::Unwrap(_) => "assign to the optional itself, without the `!`",
                ExprKind::Tuple(_) => "assign to one place at a time",
                _ if compound => "bind the value to a `var` and change that",
                _ => "compare with `==`",
            }),
        ))
    }

    /// `call:` takes the block below, or the statement after it, as its last argument. A bare name with something after the `:` is
    /// taken as a declaration without its `val`, unless it is a word that only ever precedes a block.
    fn colon_block(&mut self, expr: Expr) -> PResult<StmtKind> {
        let span = expr.span;
        if !self.line_ends_at(1)
            && let ExprKind::Name(name) = &expr.kind
            && !BLOCK_WORDS.contains(&name.name.as_str())
        {
            let report = Diagnostic::error(
                codes::UNEXPECTED,
                self.span(),
                "expected the end of the line, found `:`",
            )
            .found_expected("`:`", "the end of the line")
            .help("declare a variable with `val name: T = ...`, or `var` if it changes");
            self.broken.push(name.name);
            return Err(self.report(report));
        }
        let mut call = match expr.kind {
            ExprKind::Call(call) => *call,
            ExprKind::Name(_) | ExprKind::Field(_, _, false) => Call {
                callee: expr,
                args: Vec::new(),
                block: None,
                parens: false,
            },
            _ => return Err(self.unexpected("the end of the line; only a call takes a block")),
        };
        let mut block = self.body("the call")?;
        self.take_docstring(&mut block, true);
        call.block = Some(block);
        Ok(StmtKind::Expr(Expr {
            kind: ExprKind::Call(Box::new(call)),
            span: self.span_from(span),
        }))
    }

    fn for_stmt(&mut self) -> PResult<StmtKind> {
        self.bump();
        let has_parts = (1..64)
            .map(|ahead| self.raw_at(ahead))
            .take_while(|token| !token.first() && token.tok != Tok::Colon)
            .any(|token| token.tok == Tok::Semi);
        if self.at(Tok::LParen) && has_parts {
            let span = self.span();
            return Err(self.foreign(span, "a `for` with three parts", "write `for i in 0..n:`"));
        }
        let pattern = self.pattern_list()?;
        self.expect(Tok::In, "before what the loop goes over")?;
        let iterable = self.expr()?;
        let body = self.body("`for`")?;
        if self.branch_follows(Tok::Else)
            && self.raw().first()
            && self.raw().column == self.block_column()
        {
            let span = self.span_of(self.raw());
            self.report(
                Diagnostic::error(codes::FOREIGN_SPELLING, span, "`for` has no `else`")
                    .help("remember in a `var` whether the loop found anything"),
            );
            self.bump();
            self.body("`else`")?;
        }
        Ok(StmtKind::For {
            pattern,
            iterable,
            body,
        })
    }

    fn try_stmt(&mut self) -> PResult<StmtKind> {
        self.bump();
        let body = self.body("`try`")?;
        let mut catch = None;
        if self.branch_follows(Tok::Catch) {
            self.bump();
            let name: Option<Ident> = if self.at(Tok::LParen) {
                let span = self.span();
                return Err(self.foreign(span, "`catch (...)`", "write `catch e:`"));
            } else if self.at(Tok::Ident) {
                Some(self.take_ident())
            } else {
                None
            };
            catch = Some((name, self.body("`catch`")?));
        } else {
            self.foreign_catch();
        }
        let finally = if self.branch_follows(Tok::Finally) {
            self.bump();
            Some(self.body("`finally`")?)
        } else {
            None
        };
        Ok(StmtKind::Try {
            body,
            catch,
            finally,
        })
    }

    fn defer_stmt(&mut self) -> PResult<StmtKind> {
        self.bump();
        if self.at(Tok::Colon) {
            return Ok(StmtKind::Defer(self.body("`defer`")?));
        }
        let start = self.span();
        let mut stmts = Vec::new();
        self.nested(|p| p.inline_stmt(&mut stmts))?;
        Ok(StmtKind::Defer(Block {
            stmts,
            span: self.span_from(start),
        }))
    }

    fn stray_branch(&mut self) -> Failed {
        let token = self.raw();
        let word = token.tok.text();
        let owner = match token.tok {
            Tok::Case => "`match`",
            Tok::Catch | Tok::Finally => "`try`",
            _ => "`if`",
        };
        let span = self.span_of(token);
        let report = Diagnostic::error(
            codes::UNEXPECTED,
            span,
            format!("this `{word}` has no {owner}"),
        )
        .help(format!("line it up with its {owner}"));
        self.report(report);
        // Its body is not reported separately.
        self.recover(self.block_column());
        if self.raw().tok == token.tok && self.raw().lo == token.lo {
            self.bump();
            self.recover(self.block_column());
        }
        Failed
    }

    /// What follows a statement that should have ended.
    pub(crate) fn report_leftover(&mut self) {
        let found = self.found();
        let kind = self.kind();
        let operand = matches!(
            kind,
            Tok::Ident | Tok::Int | Tok::Float | Tok::Text | Tok::True | Tok::False | Tok::Nil
        );
        let prev = self
            .pos
            .checked_sub(1)
            .map(|index| self.lexed.tokens[index].tok);
        // `'it's'`: the quote that is not closed was reported, and says how to write the apostrophe.
        let end = self.raw().hi;
        if prev == Some(Tok::Text)
            && !self.raw().spaced()
            && self
                .diagnostics
                .iter()
                .any(|d| d.code == codes::UNTERMINATED_TEXT && d.span.lo == end)
        {
            return;
        }
        let code = if operand && prev == Some(Tok::Ident) {
            codes::NESTED_COMMAND
        } else {
            codes::UNEXPECTED
        };
        let message = format!("expected the end of the statement, found {found}");
        let report = Diagnostic::error(code, self.span(), message)
            .found_expected(found, "the end of the statement");
        let report = self.with_hint(report);
        self.report(report);
    }

    /// A declaration, with `export` for a `pub val`.
    fn item_stmt(&mut self, out: &mut Vec<Stmt>) -> PResult<()> {
        let start = self.span_of(self.raw());
        self.item(start, out)
    }

    /// The `export` of names that `pub val` declares.
    pub(crate) fn export_names(names: Vec<Ident>, span: Span) -> Stmt {
        let item = Item {
            kind: ItemKind::Export(ExportDecl::Names(names)),
            public: false,
            annotations: Vec::new(),
            docs: None,
            span,
        };
        Stmt {
            kind: StmtKind::Item(Box::new(item)),
            span,
        }
    }
}
