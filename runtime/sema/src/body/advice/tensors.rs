//! What a tensor refuses beside it: truth values. `a == b` of two tensors is one `bool`, so `x * (a == b)` would multiply everything by 0 or 1
//! where Python multiplies element by element.
//!
//! Methods refuse them by their bounds: the traits of the library say with `@advice` what to write instead
//! ([`Checker::trait_advice`]). Operators are looked at here, where the comparison can be shown as it is meant. Leaves out what is only
//! warned of (`traps.rs`).

use super::*;
use crate::codes;
use crate::modules::Exported;
use crate::typed::{CompareOp, Expr};
use simple_syntax::Diagnostic;
use simple_syntax::ast;

/// The annotation of a trait: `@advice("type", "help")`, or `@advice("help")` for every other type; of a method in a trait: what to do about
/// other parameters.
const ADVICE: &str = "advice";

/// Folders of the library whose modules are about tensors.
const TENSORS: &[&str] = &["lib/nn/", "lib/torch/", "lib/tensor/"];

/// The module of libtorch's operators.
const OPERATORS: &[&str] = &["lib", "torch", "ops"];

impl<'c, 'a> Body<'c, 'a> {
    /// Reports an operator between a tensor and a truth value; whether it is one.
    pub(in crate::body) fn truth_beside_tensor(
        &mut self,
        op: &str,
        left: &Expr,
        right: &Expr,
        span: Span,
    ) -> bool {
        let truth = match (self.is_tensor(left.ty), self.is_tensor(right.ty)) {
            (true, false) => right,
            (false, true) => left,
            _ => return false,
        };
        if !matches!(self.kind(truth.ty), Ty::Bool) {
            return false;
        }
        let (left_name, right_name) = (self.show(left.ty), self.show(right.ty));
        let message = format!("`{op}` is not defined between `{left_name}` and `{right_name}`");
        let mut d = Diagnostic::error(codes::BAD_OPERAND, span, message);
        d = match self.by_elements(truth) {
            Some((sign, meant)) => d
                .note(format!("`{sign}` of tensors compares the whole and yields one `bool`"))
                .help(format!("compare element by element: `{meant}`"))
                .fix(truth.span, meant),
            None => d.help(
                "as a number a truth value is `1` or `0`; a comparison element by element is `a.eq(b)`",
            ),
        };
        self.cx.report(d);
        true
    }

    /// For `a == b` and `a != b` of tensors: the operator, and the comparison element by element.
    pub(in crate::body) fn by_elements(&self, value: &Expr) -> Option<(&'static str, String)> {
        let ExprKind::Compare(op, a, b) = &value.kind else {
            return None;
        };
        let (sign, method) = match op {
            CompareOp::Eq => ("==", "eq"),
            CompareOp::Ne => ("!=", "ne"),
            _ => return None,
        };
        if !self.is_tensor(a.ty) {
            return None;
        }
        let text = |e: &Expr| self.cx.input().text(e.span);
        let receiver = match text(a) {
            simple if is_postfix(simple) => simple.to_owned(),
            other => format!("({other})"),
        };
        Some((sign, format!("{receiver}.{method}({})", text(b))))
    }
}

/// Whether a text can have `.name` after it: names, calls and subscripts without an operator outside of brackets.
fn is_postfix(text: &str) -> bool {
    let mut depth = 0;
    text.chars().all(|c| {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
        depth > 0 || c.is_alphanumeric() || matches!(c, '_' | '.' | ')' | ']' | '}' | '!')
    })
}

impl Checker<'_> {
    /// What the annotations of a trait advise for a type that does not implement it.
    pub(crate) fn trait_advice(&self, trait_idx: TraitIdx, ty_name: &str) -> Option<String> {
        advice_of(self.decls()[trait_idx].annotations, Some(ty_name))
    }

    /// Whether a module of the library is about tensors, so that an operator of libtorch may be meant.
    pub(crate) fn is_of_tensors(&self, module: ModIdx) -> bool {
        let info = &self.modules()[module];
        info.library && TENSORS.iter().any(|part| info.path.contains(part))
    }

    /// The name itself if libtorch has an operator of that name.
    pub(crate) fn raw_operator(&mut self, name: Symbol) -> Option<Symbol> {
        let module = self.apart_from_late(|cx| cx.load_library(OPERATORS))?;
        let found = matches!(self.exported(module, name, 0), Exported::Found(Def::Fn(_)));
        found.then_some(name)
    }
}

/// What annotations advise for a type, or in any case.
pub(crate) fn advice_of(annotations: &[ast::Annotation], of: Option<&str>) -> Option<String> {
    let mut other = None;
    for annotation in annotations
        .iter()
        .filter(|a| a.name.name.as_str() == ADVICE)
    {
        let args = annotation.args.iter();
        let mut texts = args.filter_map(|(_, arg)| crate::collect::literal_text(arg));
        match (texts.next(), texts.next()) {
            (Some(ty), Some(help)) if Some(ty.as_str()) == of => return Some(help),
            (Some(help), None) => other = Some(help),
            _ => {}
        }
    }
    other
}
