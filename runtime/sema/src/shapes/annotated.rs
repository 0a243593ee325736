//! What annotations say about a call: whether its arguments fit, and what it yields.

use super::Annotated;
use super::callee::Arg;
use super::fact::{Fact, Scope};
use super::flow::Flow;
use super::layer::from_end;
use super::operands::both_stretched;
use super::ops::{self, Function, show};
use super::report::Fault;
use super::rule::{Outcome, Pattern, Rule, Wanted};
use super::unify::{Mismatch, Store};
use crate::codes;
use simple_syntax::{Diagnostic, Span, Symbol};

impl<'x, 'a> Flow<'x, 'a> {
    /// What annotations say of a call of `called`, whose parameters have these names.
    pub(super) fn by_rule(
        &mut self,
        rules: &[Annotated],
        called: Symbol,
        names: &[Symbol],
        args: &[Arg],
        span: Span,
    ) -> Fact {
        let mut known: Vec<(Symbol, Fact)> = names
            .iter()
            .zip(args)
            .map(|(name, arg)| (*name, arg.fact.clone()))
            .collect();
        // In a method of a layer, what the layer was made with has its names too.
        let layer = match known.first() {
            Some((name, Fact::Layer(layers))) if name.as_str() == "self" => layers.only(),
            _ => None,
        };
        if let Some(layer) = &layer {
            let made = layer.known.iter();
            known.extend(made.filter(|(name, _)| !names.contains(name)).cloned());
        }
        let Some(annotated) = rules.iter().find(|rule| rule.holds(&known)) else {
            return Fact::Unknown;
        };
        let Rule::Function(params, outcome) = &annotated.rule else {
            return Fact::Unknown;
        };
        let mut store = Store::default();
        let mut scope = Scope::new(&known);
        for (name, wanted) in params {
            let Some(at) = names.iter().position(|known| known == name) else {
                continue;
            };
            let Some(arg) = args.get(at) else { continue };
            let parts: Vec<(String, &Fact, &Pattern)> = match (wanted, &arg.fact) {
                (_, Fact::Number | Fact::Nil) => continue,
                (Wanted::Shape(pattern), fact) => vec![(name.to_string(), fact, pattern)],
                (Wanted::Tuple(wanted), Fact::List(items)) if items.len() == wanted.len() => {
                    let parts = items.iter().zip(wanted).enumerate();
                    parts
                        .map(|(at, (fact, pattern))| (format!("{name}.{at}"), fact, pattern))
                        .collect()
                }
                (Wanted::Tuple(_), _) => continue,
            };
            for (number, (name, fact, pattern)) in parts.into_iter().enumerate() {
                let shape = fact.shape();
                let wanted = scope.shape(pattern, &mut store);
                let Err(mismatch) = store.unify(&shape, &wanted) else {
                    continue;
                };
                let mut fault =
                    Fault::elementwise(&shape, &store.resolve(&wanted), &mismatch, &store);
                let mut whose = called.as_str();
                if let Some(layer) = &layer {
                    whose = &layer.name;
                    if fault.code != codes::RANK_MISMATCH {
                        fault.code = codes::LAYER_MISMATCH;
                    }
                }
                let channel = annotated.channel.and_then(|name| from_end(pattern, name));
                if let (Some(channel), Mismatch::Dims(dims)) = (channel, &mismatch)
                    && dims
                        .iter()
                        .any(|(index, ..)| shape.len() - index == channel)
                {
                    fault.code = codes::CHANNEL_MISMATCH;
                }
                let fault = fault
                    .message(format!("the shape of `{name}` does not fit in `{whose}`"))
                    .found(format!("shape {}", store.show(&shape)))
                    .expected(format!("shape {}", store.show(&wanted)));
                let element = arg.elements.get(number).copied();
                self.fault(fault, element.unwrap_or(arg.span));
                return Fact::Unknown;
            }
        }
        match outcome_of(outcome, &mut scope, &mut store) {
            Ok(fact) => {
                self.warn_of_stretching(annotated, &scope, span);
                fact
            }
            Err((fault, name)) => {
                let arg = name
                    .and_then(|name| names.iter().position(|known| *known == name))
                    .and_then(|at| args.get(at));
                self.fault_of_outcome(fault, outcome, arg, args, span)
            }
        }
    }

    /// Warns of two operands that are both stretched, if the annotation asks for it: `[n]` with `[n, 1]` is mostly a
    /// mistake.
    fn warn_of_stretching(&mut self, annotated: &Annotated, scope: &Scope<'_>, span: Span) {
        let Some(dotted) = &annotated.stretched else {
            return;
        };
        let Rule::Function(_, Outcome::Call(_, parts)) = &annotated.rule else {
            return;
        };
        let operand = |part: &Outcome| match part {
            Outcome::Same(name) => scope.fact(*name),
            _ => None,
        };
        let [left, right] = parts.as_slice() else {
            return;
        };
        let (Some(left), Some(right)) = (operand(left), operand(right)) else {
            return;
        };
        let Some(found) = both_stretched(left, right) else {
            return;
        };
        let help = match (dotted.as_str(), found.ranks_differ) {
            // Without a dotted form, what says that it is meant is a written dimension of size 1.
            ("", false) => return,
            ("", true) => {
                "if this is meant, write the missing dimension, as in `a[nil]` for `[1, n]`"
                    .to_owned()
            }
            (dotted, _) => format!("if this is meant, `{dotted}` says so"),
        };
        let d = Diagnostic::warning(
            codes::BOTH_STRETCHED,
            span,
            "both operands are stretched to a larger shape",
        )
        .note(format!(
            "{} with {} gives {}",
            show(&found.left),
            show(&found.right),
            show(&found.result)
        ))
        .help(format!(
            "give both the same shape, for example with `squeeze`; {help}"
        ));
        self.cx.report(d);
    }

    /// Reports that a result cannot be computed, at the argument that it is about if there is one.
    fn fault_of_outcome(
        &mut self,
        fault: Fault,
        outcome: &Outcome,
        arg: Option<&Arg>,
        args: &[Arg],
        span: Span,
    ) -> Fact {
        let place = match (arg, fault.element) {
            (Some(arg), Some(element)) => arg.elements.get(element).copied().unwrap_or(arg.span),
            (Some(arg), None) => arg.span,
            (None, _) => args
                .iter()
                .map(|arg| arg.span)
                .max_by_key(|span| span.lo)
                .unwrap_or(span),
        };
        self.fault(fault, place);
        // After a joint that does not fit, what follows is checked against the right side alone.
        match (outcome, args.last()) {
            (Outcome::Call(Function::Compose, _), Some(right)) => right.fact.clone(),
            _ => Fact::Unknown,
        }
    }
}

/// Works out what a rule says of a result. With a fault comes the parameter that it is about.
fn outcome_of(
    outcome: &Outcome,
    scope: &mut Scope<'_>,
    store: &mut Store,
) -> Result<Fact, (Fault, Option<Symbol>)> {
    Ok(match outcome {
        Outcome::Shape(pattern) => {
            let shape = scope.shape(pattern, store);
            Fact::Tensor(store.ground(&shape))
        }
        Outcome::Same(name) => scope.fact(*name).cloned().unwrap_or(Fact::Unknown),
        Outcome::Int(value) => Fact::int(*value),
        Outcome::Tuple(parts) => {
            let mut members = Vec::with_capacity(parts.len());
            for part in parts {
                members.push(outcome_of(part, scope, store)?);
            }
            Fact::List(members.into())
        }
        Outcome::Call(function, parts) => {
            let mut args = Vec::with_capacity(parts.len());
            for part in parts {
                args.push(outcome_of(part, scope, store)?);
            }
            ops::evaluate(*function, &args).map_err(|fault| {
                let name = fault.argument.and_then(|at| match parts.get(at) {
                    Some(Outcome::Same(name)) => Some(*name),
                    _ => None,
                });
                (fault, name)
            })?
        }
    })
}
