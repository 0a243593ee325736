//! Errors inside functions of the library, reported where the program calls them.
//!
//! A function of the library is checked for the types it is called with. When its body does not fit them (`["a"].sum()`), the program's
//! own call is what is wrong: it is shown first, the place in the library beside it. The annotation `@needs("...")` on
//! a method says in words what it asks of its types. Next: `body/function.rs`, which checks instances.

use crate::checker::Checker;
use crate::codes;
use crate::decls::*;
use simple_syntax::{Diagnostic, Severity, Span, ast};

impl<'a> Checker<'a> {
    /// Notes that the call at `span` leads to an instance. Only functions of the library remember that, and only the first call;
    /// calls between them stand for the program's call that led there.
    pub(crate) fn note_asked(&mut self, number: usize, span: Span) {
        let asked = self.asked.unwrap_or(Asked {
            span,
            instance: number,
        });
        let Some(instance) = self.instances.get_mut(number) else {
            return;
        };
        let module = self.fns[instance.fn_idx.at()].module;
        if self.modules[module.at()].library {
            instance.asked.get_or_insert(asked);
        }
    }

    /// The report as it concerns the call that led into the library, if one did.
    pub(crate) fn at_call(&self, diagnostic: Diagnostic) -> Diagnostic {
        let Some(asked) = self.asked else {
            return diagnostic;
        };
        if diagnostic.severity == Severity::Warning || diagnostic.span.file == asked.span.file {
            return diagnostic;
        }
        let instance = &self.instances[asked.instance];
        let info = &self.fns[instance.fn_idx.at()];
        let name = info.decl.name.name;
        let signature = self
            .signatures
            .get(&(instance.fn_idx, instance.args.clone()));
        let message = match signature.and_then(|signature| signature.self_ty) {
            Some(ty) => format!("`{name}` does not work on `{}`", self.types.name(ty)),
            None => format!("`{name}` does not work with arguments of these types"),
        };
        let mut inner = diagnostic.message;
        if let (Some(found), Some(expected)) = (&diagnostic.found, &diagnostic.expected) {
            inner = format!("{inner}: found `{found}`, expected `{expected}`");
        }
        let mut report = Diagnostic::error(codes::UNFIT_CALL, asked.span, message)
            .related(diagnostic.span, inner);
        report.help = needs(info.item).map(|needs| format!("`{name}` needs {needs}"));
        report
    }
}

/// The words of `@needs("...")`.
fn needs(item: &ast::Item) -> Option<String> {
    item.annotations
        .iter()
        .find(|annotation| annotation.name.name.as_str() == "needs")
        .and_then(|annotation| annotation.args.first())
        .and_then(|(_, value)| crate::collect::literal_text(value))
}
