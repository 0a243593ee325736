//! Arguments: their values, defaults, rest parameters, order of evaluation. `slots.rs` matches them to parameters or fields.

use super::convert::Why;
use super::slots::{Slot, SlotDefault, Source};
use super::*;
use crate::codes;
use crate::typed::Expr;
use simple_syntax::Diagnostic;
use simple_syntax::ast::{self, Ident};

/// An argument as it is given: an expression, a block, or a value that is checked already.
pub(crate) struct Given<'a> {
    pub(crate) label: Option<Ident>,
    pub(crate) spread: bool,
    pub(crate) value: GivenValue<'a>,
    pub(crate) span: Span,
}

pub(crate) enum GivenValue<'a> {
    Ast(&'a ast::Expr),
    Block(&'a ast::Block),
    Typed(Option<Expr>),
}

impl<'a> Given<'a> {
    pub(crate) fn ast(label: Option<Ident>, value: &'a ast::Expr) -> Given<'a> {
        Given {
            label,
            spread: false,
            span: value.span,
            value: GivenValue::Ast(value),
        }
    }

    pub(crate) fn typed(value: Expr) -> Given<'a> {
        Given {
            label: None,
            spread: false,
            span: value.span,
            value: GivenValue::Typed(Some(value)),
        }
    }

    /// The value of an argument that is checked already.
    pub(crate) fn into_typed(self) -> Option<Expr> {
        match self.value {
            GivenValue::Typed(value) => value,
            _ => None,
        }
    }

    /// What it calls without parentheses, if it is a lambda that does nothing else.
    pub(in crate::body) fn command(&self) -> Option<&'a str> {
        match self.value {
            GivenValue::Ast(e) => command_of(e),
            _ => None,
        }
    }

    fn is_lambda(&self) -> bool {
        match &self.value {
            GivenValue::Ast(e) => is_lambda(e),
            GivenValue::Block(_) => true,
            GivenValue::Typed(_) => false,
        }
    }
}

/// What a lambda calls without parentheses, if that is all it does: `\x: print x`.
fn command_of(e: &ast::Expr) -> Option<&str> {
    let ast::ExprKind::Lambda(lambda) = &e.kind else {
        return None;
    };
    let [stmt] = &lambda.body.stmts[..] else {
        return None;
    };
    match &stmt.kind {
        ast::StmtKind::Expr(ast::Expr {
            kind: ast::ExprKind::Call(call),
            ..
        }) if !call.parens && call.block.is_none() => match &call.callee.kind {
            ast::ExprKind::Name(name) => Some(name.name.as_str()),
            _ => None,
        },
        _ => None,
    }
}

fn is_lambda(e: &ast::Expr) -> bool {
    match &e.kind {
        ast::ExprKind::Lambda(_) => true,
        ast::ExprKind::Paren(inner) => is_lambda(inner),
        _ => lambda::has_placeholder(e),
    }
}

/// The arguments of a call in the syntax tree.
pub(crate) fn given<'a>(args: &'a [ast::Arg], block: Option<&'a ast::Block>) -> Vec<Given<'a>> {
    let mut out: Vec<Given<'a>> = args
        .iter()
        .map(|arg| Given {
            label: arg.label,
            spread: arg.spread,
            span: arg.value.span,
            value: GivenValue::Ast(&arg.value),
        })
        .collect();
    out.extend(block.map(|block| Given {
        label: None,
        spread: false,
        span: block.span,
        value: GivenValue::Block(block),
    }));
    out
}

/// How many defaults one call may take, those inside defaults included: each is written out at the call, so that a few lines could ask for
/// more than a machine can hold.
const MAX_DEFAULTS: usize = 10_000;

/// What takes an argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Member {
    Parameter,
    Field,
}

impl Member {
    /// Its word in a message.
    pub(in crate::body) fn noun(self) -> &'static str {
        match self {
            Member::Parameter => "parameter",
            Member::Field => "field",
        }
    }

    /// The word for what it takes.
    pub(in crate::body) fn argument_noun(self) -> &'static str {
        match self {
            Member::Parameter => "argument",
            Member::Field => "field",
        }
    }
}

/// How messages call what is called.
#[derive(Clone, Copy)]
pub(crate) struct Callee<'n> {
    pub(crate) name: &'n str,
    /// What takes its arguments.
    pub(crate) member: Member,
    pub(crate) declared: Option<Span>,
    /// Advice on how values of a class are made, if not by its fields.
    pub(crate) maker: Option<&'n str>,
    /// Variables other than the parameters that its defaults see.
    pub(crate) captured: &'n [(Symbol, LocalId)],
}

impl Callee<'_> {
    pub(in crate::body) fn shown(&self) -> String {
        shown_callee(self.name)
    }
}

/// The name of a function in quotes, or the words for one without a name.
pub(in crate::body) fn shown_callee(name: &str) -> String {
    match name {
        NAMELESS => name.to_owned(),
        _ => format!("`{name}`"),
    }
}

/// Whether the slots take their arguments in the order in which they are given.
fn in_order(sources: &[Source]) -> bool {
    let given = sources.iter().filter_map(|source| match source {
        Source::Given(index) => Some(*index),
        _ => None,
    });
    given.is_sorted()
}

/// How messages call a function value.
pub(crate) const NAMELESS: &str = "this function";

/// Values for all slots, and what must be bound before them to keep the order of evaluation.
pub(crate) struct Bundle {
    pub(crate) values: Vec<Expr>,
    pub(crate) lets: Vec<(LocalId, Expr)>,
}

impl<'c, 'a> Body<'c, 'a> {
    /// Checks arguments against slots; `None` when their number or labels do not fit.
    pub(crate) fn arguments(
        &mut self,
        slots: &[Slot<'a>],
        mut given: Vec<Given<'a>>,
        callee: Callee<'_>,
        default_scope: &TypeScope,
        span: Span,
    ) -> Option<Bundle> {
        if self.numbers_for_array(slots, &given) {
            return None;
        }
        let Some(sources) = self.match_slots(slots, &given, callee, span) else {
            self.unmatched(given);
            return None;
        };
        let mut values = self.given_values(slots, &sources, &mut given, callee, span);
        let needs_names = sources.iter().enumerate().any(|(slot, source)| {
            matches!(source, Source::Default)
                && slots[slot].default.is_some_and(|d| d.uses_earlier(slots))
        });
        let mut lets = Vec::new();
        if needs_names || !in_order(&sources) {
            lets = self.named_in_order(&sources, &mut values, needs_names);
        }
        for (slot, source) in sources.iter().enumerate() {
            let (Source::Default, Some(default)) = (source, slots[slot].default) else {
                continue;
            };
            let seen = (&values[..], callee.captured);
            let value = self.default_of(default, slots, seen, slot, default_scope, span);
            values[slot] = Some(match needs_names {
                true => {
                    let local = self.temp(value.ty, span);
                    lets.push((local, value));
                    self.read(local, span)
                }
                false => value,
            });
        }
        let values = values.into_iter();
        let values = values.map(|value| value.unwrap_or_else(|| self.bad(span)));
        Some(Bundle {
            values: values.collect(),
            lets,
        })
    }

    /// Arguments that do not fit: their values are still worth checking on their own, but not what was meant to be in a lambda.
    fn unmatched(&mut self, mut given: Vec<Given<'a>>) {
        let end = given.iter().position(|arg| arg.command().is_some());
        given.truncate(end.map_or(given.len(), |end| end + 1));
        for arg in given {
            if let GivenValue::Ast(e) = arg.value
                && !is_lambda(e)
            {
                self.expr(e, Want::Any);
            }
        }
    }

    /// The values of the slots that take arguments. Lambdas come last, so that their parameter types are known from the others.
    fn given_values(
        &mut self,
        slots: &[Slot<'a>],
        sources: &[Source],
        given: &mut [Given<'a>],
        callee: Callee<'_>,
        span: Span,
    ) -> Vec<Option<Expr>> {
        let mut values: Vec<Option<Expr>> = (0..slots.len()).map(|_| None).collect();
        for lambdas in [false, true] {
            for (slot, source) in sources.iter().enumerate() {
                match source {
                    Source::Given(index) if given[*index].is_lambda() == lambdas => {
                        let why = match callee.member {
                            Member::Field => Why::Field(slots[slot].name.as_str(), callee.maker),
                            Member::Parameter => Why::Argument(slots[slot].name.as_str()),
                        };
                        let ty = self.settle_associated(slots[slot].ty);
                        let value = self.named_rest(&mut given[*index], (&slots[slot], ty), why);
                        values[slot] = Some(value);
                    }
                    Source::Rest(indexes) if !lambdas => {
                        values[slot] = Some(self.rest((slots, slot), indexes, given, callee, span));
                    }
                    _ => {}
                }
            }
        }
        values
    }

    /// Binds values in the order in which they are given, and puts what the variables hold in their place; of simple ones only where
    /// defaults need all by name.
    fn named_in_order(
        &mut self,
        sources: &[Source],
        values: &mut [Option<Expr>],
        needs_names: bool,
    ) -> Vec<(LocalId, Expr)> {
        let mut by_order: Vec<(usize, usize)> = sources
            .iter()
            .enumerate()
            .filter_map(|(slot, source)| match source {
                Source::Given(index) => Some((*index, slot)),
                Source::Rest(indexes) => {
                    Some((indexes.first().copied().unwrap_or(usize::MAX), slot))
                }
                _ => None,
            })
            .collect();
        by_order.sort_unstable();
        let mut lets = Vec::new();
        for (_, slot) in by_order {
            let Some(value) = values[slot].take() else {
                continue;
            };
            if is_simple(&value) && !needs_names {
                values[slot] = Some(value);
                continue;
            }
            let place = value.span;
            let local = self.temp(value.ty, place);
            values[slot] = Some(self.read(local, place));
            lets.push((local, value));
        }
        lets
    }

    /// The value of a slot that is left out, with what those before it hold and the variables that its default sees.
    fn default_of(
        &mut self,
        default: SlotDefault<'a>,
        slots: &[Slot<'a>],
        (values, captured): (&[Option<Expr>], &[(Symbol, LocalId)]),
        slot: usize,
        scope: &TypeScope,
        span: Span,
    ) -> Expr {
        match default {
            SlotDefault::Written(default) => {
                self.default_value(default, slots, (values, captured), slot, scope, span)
            }
            SlotDefault::Closure {
                home,
                local,
                takes_earlier,
            } => {
                let local = self.capture(home, local);
                let closure = self.read(local, span);
                let earlier = match takes_earlier {
                    true => values[..slot].iter().flatten().cloned().collect(),
                    false => Vec::new(),
                };
                let call = ExprKind::CallValue(Box::new(closure), earlier);
                self.mk(call, slots[slot].ty, span)
            }
            SlotDefault::Earlier(earlier) => match &values[earlier] {
                Some(value) => value.clone(),
                None => self.bad(span),
            },
        }
    }

    pub(in crate::body) fn given_value(
        &mut self,
        given: &mut Given<'a>,
        ty: TyId,
        why: Why<'_>,
    ) -> Expr {
        match &mut given.value {
            GivenValue::Ast(e) => {
                let e: &'a ast::Expr = e;
                let value = self.argument(e, ty);
                if matches!(why, Why::Field(..)) {
                    self.lost_leaf(ty, e);
                }
                if value.ty == TyId::ERROR && self.is_unknown(ty) {
                    // Its mistake was reported; what depends on its type is not another one.
                    self.unify(ty, TyId::ERROR);
                }
                self.coerce(value, ty, why)
            }
            GivenValue::Block(block) => {
                let block: &'a ast::Block = block;
                self.colon_block(block, ty)
            }
            GivenValue::Typed(value) => match value.take() {
                Some(value) => self.coerce(value, ty, why),
                None => self.bad(given.span),
            },
        }
    }

    /// A default, evaluated in the declaration's scope with the earlier parameters in it.
    fn default_value(
        &mut self,
        default: &'a ast::Expr,
        slots: &[Slot<'a>],
        (values, captured): (&[Option<Expr>], &[(Symbol, LocalId)]),
        slot: usize,
        scope: &TypeScope,
        span: Span,
    ) -> Expr {
        let bound: Vec<(Symbol, LocalId)> = slots[..slot]
            .iter()
            .zip(values)
            .filter_map(|(slot, value)| match value {
                Some(Expr {
                    kind: ExprKind::Local(id),
                    ..
                }) => Some((slot.name, *id)),
                _ => None,
            })
            .collect();
        if !self.may_expand(default, slots[slot].name, span) {
            return self.bad(span);
        }
        let ty = slots[slot].ty;
        let scope = TypeScope {
            module: slots[slot].home.unwrap_or(scope.module),
            ..scope.clone()
        };
        self.duties.open_default(default.span);
        // Of a default within a default the call is the outermost one, which the program wrote.
        let call = self.context.default_call().unwrap_or(span);
        let in_call = |context: &mut Context| context.in_default_of(call);
        let value = self.within(in_call, |this| {
            this.isolated(scope, |this| {
                let mark = this.open();
                let frame = this.scopes.here();
                for (name, id) in captured.iter().copied().chain(bound) {
                    this.bind(name, Bound::Local(frame, id));
                }
                let value = this.expr(default, Want::Ty(ty));
                let value = this.coerce(value, ty, Why::Default);
                this.close(mark);
                value
            })
        });
        self.duties.close_default();
        // Runtime errors in a default are the call's.
        Expr {
            span: call,
            ..value
        }
    }

    /// Whether a default can be written out here; reports one that needs itself, and defaults that make too many others.
    fn may_expand(&mut self, default: &ast::Expr, name: Symbol, span: Span) -> bool {
        if self.cx.reports().is_faulty_default(default.span) {
            self.cx.reports_mut().count_follow_up();
            return false;
        }
        if self.duties.is_open_default(default.span) {
            self.cx.reports_mut().give_up_default(default.span);
            let d = Diagnostic::error(
                codes::RECURSIVE_DEFAULT,
                span,
                format!("the default of `{name}` needs itself"),
            )
            .related(default.span, "this default is needed again, endlessly")
            .help(format!(
                "give `{name}` a value here, or an empty default that is filled later"
            ));
            self.cx.report(d);
            return false;
        }
        let made = self.duties.count_default();
        if made == MAX_DEFAULTS {
            let outermost = self.duties.outermost_default();
            let faulty = outermost.unwrap_or(default.span);
            self.cx.reports_mut().give_up_default(faulty);
            let d = Diagnostic::error(
                simple_syntax::codes::TOO_DEEP,
                span,
                format!("defaults that make other defaults are nested too deeply: one call takes more than {MAX_DEFAULTS} of them"),
            )
            .help("make the inner values in a function");
            self.cx.report(d);
        }
        made < MAX_DEFAULTS
    }

    /// `value` after the bindings that keep the order of evaluation.
    pub(crate) fn with_lets(&mut self, lets: Vec<(LocalId, Expr)>, value: Expr) -> Expr {
        let (ty, span) = (value.ty, value.span);
        lets.into_iter().rev().fold(value, |body, (local, bound)| {
            self.mk(
                ExprKind::Let(local, Box::new(bound), Box::new(body)),
                ty,
                span,
            )
        })
    }
}

/// Whether evaluating it earlier or later makes no difference.
pub(crate) fn is_simple(value: &Expr) -> bool {
    matches!(
        value.kind,
        ExprKind::Unit
            | ExprKind::Bool(_)
            | ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::Text(_)
            | ExprKind::Nil
            | ExprKind::FuncRef(_)
            | ExprKind::Closure(..)
    )
}
