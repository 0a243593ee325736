//! Names that nothing explains, and what may have been meant: a slip, a word of another language, a name of the library that is not
//! imported, a variant without its enum. Next: `suggest.rs` for words of other languages.

use super::*;
use crate::codes;
use simple_syntax::Diagnostic;
use simple_syntax::ast::Ident;

/// The modules of the library whose names a program may have forgotten to import.
const STANDARD_MODULES: &[&str] = &["math", "io", "env", "process", "time", "sdn"];

impl<'c, 'a> Body<'c, 'a> {
    /// Reports a name that nothing explains.
    pub(crate) fn unknown_name(&mut self, name: Ident) {
        let text = name.name.as_str();
        if let Some(ty) = self.scopes.types().self_ty
            && let Ty::Adt(adt) = *self.ty(ty)
        {
            let info = &self.cx.decls()[self.cx.decl_of(adt)];
            // It may be a member that the type would have inherited.
            let owner = info.name.name.as_str();
            if self.cx.reports_mut().follows_from_broken(owner) {
                return;
            }
            let info = &self.cx.decls()[self.cx.decl_of(adt)];
            if info.fields.contains_key(&name.name) || info.methods.contains_key(&name.name) {
                let d = Diagnostic::error(
                    codes::NO_SELF,
                    name.span,
                    format!(
                        "`{text}` belongs to values of `{}`; a static method has no `self`",
                        info.name.name
                    ),
                )
                .help("leave out `static`, or take the value as a parameter");
                self.cx.report(d);
                return;
            }
        }
        let mut names: Vec<&str> = self.scopes.names().map(|name| name.as_str()).collect();
        names.extend(
            self.cx
                .visible_names(self.scopes.types().module)
                .into_iter()
                .map(|(n, _)| n),
        );
        names.extend(builtin::NAMES);
        if let Some(ty) = self.scopes.types().self_ty
            && let Ty::Adt(adt) = *self.ty(ty)
        {
            let info = &self.cx.decls()[self.cx.decl_of(adt)];
            names.extend(
                info.fields
                    .keys()
                    .chain(info.methods.keys())
                    .map(|n| n.as_str()),
            );
        }
        if crate::types::builtin_scalar(text).is_some() {
            let d = Diagnostic::error(
                codes::NOT_A_VALUE,
                name.span,
                format!("`{text}` is a type, not a value"),
            )
            .help(format!("numbers are converted with `x as {text}`; the type of a value is written after a colon: `val x: {text} = ...`"));
            self.cx.report(d);
            return;
        }
        if let Some(full) = self.elsewhere(name) {
            let d = Diagnostic::error(
                codes::UNKNOWN_NAME,
                name.span,
                format!("unknown name `{text}`"),
            )
            .help(full);
            self.cx.report(d);
            return;
        }
        self.cx.unknown(
            codes::UNKNOWN_NAME,
            name.span,
            format!("unknown name `{text}`"),
            text,
            &names,
        );
    }

    /// Advice for a name that exists, but not under this name alone: a variant, or a module of the library.
    fn elsewhere(&mut self, name: Ident) -> Option<String> {
        let (module, name) = (self.scopes.types().module, name.name);
        let with_variant = self
            .cx
            .decls()
            .types()
            .iter()
            .find(|decl| decl.module == module && decl.variants.contains_key(&name));
        if let Some(decl) = with_variant {
            return Some(format!("write `{}.{name}`", decl.name.name));
        }
        let text = name.as_str();
        if matches!(text, "std" | "lib") {
            return Some(
                "modules are taken with `use`: `use std.math`, then `math.sqrt(x)`".to_owned(),
            );
        }
        if STANDARD_MODULES.contains(&text) {
            return Some(format!("it is a module of the library: `use std.{text}`"));
        }
        if let Some(help) = crate::suggest::foreign_function(text) {
            return Some(help.to_owned());
        }
        if matches!(
            text,
            "describe" | "context" | "it" | "before_each" | "after_each" | "expect"
        ) {
            return Some(format!(
                "tests are in files whose name ends in `_spec.spl`; elsewhere: `use std.spec.{{{text}}}`"
            ));
        }
        // A single letter is hardly the constant of the library that is called so.
        let exporting = STANDARD_MODULES.iter().find(|of| {
            text.len() > 1
                && self
                    .cx
                    .load_library(&["std", of])
                    .is_some_and(|of| self.cx.exported_names(of).contains(&text))
        })?;
        Some(format!(
            "it is in the library: `use std.{exporting}.{{{text}}}`"
        ))
    }
}
