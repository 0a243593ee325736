//! Errors inside functions of the library, reported where the program calls them.
//!
//! A function of the library is checked for the types it is called with. When its body does not fit them (`["a"].sum()`), the program's
//! own call is what is wrong: it is shown first, the place in the library beside it. The annotation `@needs("...")` on
//! a method says in words what it asks of its types. Next: `body/item/function.rs`, which checks instances.

use crate::checker::Checker;
use crate::codes;
use crate::decls::*;
use crate::state::Reporting;
use crate::typed::TyId;
use simple_syntax::{Diagnostic, Severity, Span, ast};
use std::rc::Rc;

impl<'a> Checker<'a> {
    /// The instance that the call at `span` asks for, as a number in [`Checker::instances`].
    ///
    /// An instance of a function of the library remembers the first call; calls inside the library are attributed to
    /// the program's call that led there.
    pub(crate) fn instance_for_call(
        &mut self,
        fn_idx: FnIdx,
        args: Rc<[TyId]>,
        span: Span,
    ) -> usize {
        if !self.modules()[self.decls()[fn_idx].module].library {
            let number = self.instance_number(fn_idx, args);
            if self.is_template(fn_idx)
                && let Some(instance) = self.instances_mut().get_mut(number)
            {
                instance.called.get_or_insert(span);
            }
            return number;
        }
        let asked = self.reports().asked().cloned().unwrap_or_else(|| Asked {
            span,
            fn_idx,
            args: args.clone(),
        });
        // Its signature may not fit either.
        let number = self.asked_by(Some(asked.clone()), |cx| cx.instance_number(fn_idx, args));
        if let Some(instance) = self.instances_mut().get_mut(number) {
            instance.asked.get_or_insert(asked);
        }
        number
    }

    /// The report as it concerns the call that led into the library, if one did.
    pub(crate) fn at_call(&mut self, diagnostic: Diagnostic) -> Diagnostic {
        let Some(asked) = self.reports().asked().cloned() else {
            return diagnostic;
        };
        if diagnostic.severity == Severity::Warning || diagnostic.span.file == asked.span.file {
            return diagnostic;
        }
        // The mistakes in naming the type of an impl are already reported; reporting them again would lead back here
        // forever.
        self.quietly(|cx| cx.asked_by(None, |cx| cx.for_call(&asked, diagnostic)))
    }

    fn for_call(&mut self, asked: &Asked, diagnostic: Diagnostic) -> Diagnostic {
        let info = &self.decls()[asked.fn_idx];
        let (name, item, owner, module) = (info.decl.name.name, info.item, info.owner, info.module);
        let message = match owner {
            Owner::Impl(idx) => {
                let env = info
                    .generics
                    .iter()
                    .copied()
                    .zip(asked.args.iter().copied());
                let scope = TypeScope {
                    module,
                    env: env.collect(),
                    self_ty: None,
                };
                let ty = self.impl_self(idx, &scope);
                format!("`{name}` does not work on `{}`", self.types().name(ty))
            }
            _ => format!("`{name}` does not work with arguments of these types"),
        };
        let mut inner = diagnostic.message;
        if let (Some(found), Some(expected)) = (&diagnostic.found, &diagnostic.expected) {
            inner = format!("{inner}: found `{found}`, expected `{expected}`");
        }
        let mut report = Diagnostic::error(codes::UNFIT_CALL, asked.span, message)
            .related(diagnostic.span, inner);
        // Advice of a body is about its own source, except for what the program gave it.
        let about_value = (diagnostic.code == codes::OPTIONAL_USED)
            .then_some(diagnostic.help)
            .flatten();
        report.help = annotation_text(item, "needs")
            .map(|needs| format!("`{name}` needs {needs}"))
            .or(about_value);
        report
    }
}

/// The annotation of that name above an item.
pub(crate) fn annotation<'i>(item: &'i ast::Item, name: &str) -> Option<&'i ast::Annotation> {
    item.annotations
        .iter()
        .find(|annotation| annotation.name.name.as_str() == name)
}

/// The words of an annotation such as `@needs("...")`.
pub(crate) fn annotation_text(item: &ast::Item, name: &str) -> Option<String> {
    annotation(item, name)
        .and_then(|annotation| annotation.args.first())
        .and_then(|(_, value)| crate::collect::literal_text(value))
}
