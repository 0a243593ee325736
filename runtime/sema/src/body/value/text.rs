//! Text literals: their holes, the formats in these, and what has no value that could be printed.
//!
//! What a format spec says is read in `format_spec.rs`. Leaves out other literals (`literal.rs`).

use super::convert::Why;
use super::*;
use crate::codes;
use crate::format_spec;
use crate::typed::{Expr, Formatted, TextPart};
use simple_syntax::Diagnostic;
use simple_syntax::ast;

impl<'c, 'a> Body<'c, 'a> {
    /// A text with holes.
    pub(crate) fn text_literal(&mut self, parts: &'a [ast::TextPart], span: Span) -> Expr {
        let mut out: Vec<TextPart> = Vec::with_capacity(parts.len());
        for part in parts {
            match part {
                ast::TextPart::Literal(text) => match out.last_mut() {
                    Some(TextPart::Literal(before)) => before.push_str(text),
                    _ => out.push(TextPart::Literal(text.clone())),
                },
                ast::TextPart::Hole { expr, spec } => {
                    let value = self.expr(expr, Want::Any);
                    if self.lacks_value(&value) {
                        self.no_value(&value);
                        continue;
                    }
                    match spec {
                        None => out.push(TextPart::Value(self.printed_by_bound(value))),
                        Some(spec) => out.extend(self.formatted(value, spec)),
                    }
                }
            }
        }
        if out.is_empty() {
            return self.mk(ExprKind::Text(String::new()), TyId::TEXT, span);
        }
        if let [TextPart::Literal(_)] = &out[..]
            && let Some(TextPart::Literal(text)) = out.pop()
        {
            return self.mk(ExprKind::Text(text), TyId::TEXT, span);
        }
        self.mk(ExprKind::Interpolate(out), TyId::TEXT, span)
    }

    /// A value with a format spec; `None` after an error in the spec.
    fn formatted(&mut self, value: Expr, format: &'a ast::Format) -> Option<TextPart> {
        let text = &format.text;
        let parsed = match format_spec::parse(&format.form) {
            Ok(parsed) => parsed,
            Err(reason) => {
                let message = format!("`{text}` is not a format: {reason}");
                let d = Diagnostic::error(codes::BAD_FORMAT, format.span, message).help(
                    "a format is `[[fill]align][sign][#][0][width][,][.precision][type]`; a width or precision may be `{x}`",
                );
                self.cx.report(d);
                return None;
            }
        };
        let spec = parsed.spec;
        let value = match spec.kind {
            // As it is, with what it is absent.
            Some('?') => value,
            _ => self.unwrap_lenient(value),
        };
        if spec.is_float() {
            self.float_of_division(&value, value.span);
        }
        let value = match format_spec::misfit(&spec, &Ty::Text) {
            None if spec.kind != Some('?') => self.printed_by_bound(value),
            _ => value,
        };
        let misfit = match self.kind(value.ty) {
            Ty::Error | Ty::Never => None,
            kind => format_spec::misfit(&spec, &kind),
        };
        if let Some(reason) = misfit {
            let name = self.show(value.ty);
            let message = format!("the format `{text}` does not fit a `{name}`");
            let mut d = Diagnostic::error(codes::BAD_FORMAT, format.span, message).note(reason);
            if self.is_tensor(value.ty) {
                d = d.help("take the number of a tensor of one element with `.item()`");
            }
            self.cx.report(d);
        }
        let mut numbers = format.numbers.iter();
        let mut number = |computed: bool, what| {
            let value = self.expr(computed.then(|| numbers.next())??, Want::Ty(TyId::I64));
            Some(self.coerce(value, TyId::I64, Why::Format(what)))
        };
        let width = number(parsed.width, "width");
        let precision = number(parsed.precision, "precision");
        Some(TextPart::Formatted(Box::new(Formatted {
            value,
            spec,
            width,
            precision,
        })))
    }

    /// Whether an expression yields nothing where a value is needed: a call or a block without one. A written `()` and a variable that
    /// holds it are values. In an instance of generic code `()` is a type like any other.
    pub(crate) fn lacks_value(&self, value: &Expr) -> bool {
        let held = matches!(
            value.kind,
            ExprKind::Unit
                | ExprKind::Local(_)
                | ExprKind::Global(_)
                | ExprKind::Field(..)
                | ExprKind::Index(..)
                | ExprKind::Unwrap(..)
        );
        value.ty == TyId::UNIT
            && !held
            && (self.purpose.is_opaque() || self.scopes.types().env.is_empty())
    }

    /// Reports `()` where a value is needed.
    pub(crate) fn no_value(&mut self, value: &Expr) {
        self.without_value(value, "this has no value");
    }

    /// Reports `()` where a value is needed; for a call of a function that has no written result type and calls itself, how it gets one.
    pub(crate) fn without_value(&mut self, value: &Expr, message: &str) {
        let mut d = Diagnostic::error(codes::TYPE_MISMATCH, value.span, message)
            .found_expected("()", "a value");
        if let ExprKind::Call(func, _) = &value.kind
            && let Some(decl) = self.called(*func).map(|info| info.decl)
            && decl.ret.is_none()
        {
            let name = decl.name.name;
            d = d.related(decl.head, "declared here without a result type");
            d.help = Some(format!(
                "if `{name}` yields a value, add `-> T` to its head"
            ));
        }
        self.cx.report(d);
    }
}
