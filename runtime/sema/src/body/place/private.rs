//! `private` fields, which only the file that declares them uses: to read, assign, construct, match and list.
//!
//! A method of the type in another file is outside too. Printing and comparing whole values need no field by name, so they show and
//! compare private ones as well. Leaves out fields whose names begin with `_`, which only ask not to be used.

use super::args::Given;
use super::*;
use crate::codes;
use simple_syntax::Diagnostic;

impl<'c, 'a> Body<'c, 'a> {
    /// Whether the code that is checked may use a field by name.
    pub(in crate::body) fn sees_field(&self, adt: AdtId, number: usize) -> bool {
        let decl = &self.cx.decls()[self.cx.decl_of(adt)];
        let Shape::Record(record, _) = decl.shape else {
            return true;
        };
        if !record.fields.get(number).is_some_and(|field| field.private) {
            return true;
        }
        // A field from a mixin belongs to the mixin's file and to that of the type.
        let written = decl.field_modules.get(number).copied();
        self.is_in_file_of(&[decl.module, written.unwrap_or(decl.module)])
    }

    /// Whether the code that is checked is in the file of one of these modules.
    pub(in crate::body) fn is_in_file_of(&self, homes: &[ModIdx]) -> bool {
        let mut next = Some(self.scopes.types().module);
        // The declarations of a block, and the entries of a session, see what is around or before them.
        while let Some(module) = next {
            let info = &self.cx.modules()[module];
            let same = |home: &ModIdx| self.cx.modules()[*home].path == info.path;
            if homes.iter().any(same) {
                return true;
            }
            next = info.before;
        }
        false
    }

    /// Reports the use of a field that the code may not use.
    pub(in crate::body) fn check_private(&mut self, adt: AdtId, number: usize, span: Span) {
        if self.sees_field(adt, number) {
            return;
        }
        let decl = &self.cx.decls()[self.cx.decl_of(adt)];
        let Shape::Record(record, _) = decl.shape else {
            return;
        };
        let (field, of) = (record.fields[number].name, decl.name.name);
        let path = &self.cx.modules()[decl.module].path;
        let file = path.rsplit(['/', '\\']).next().unwrap_or(path).to_owned();
        let d = Diagnostic::error(
            codes::PRIVATE_FIELD,
            span,
            format!(
                "the field `{}` of `{of}` is private to `{file}`",
                field.name
            ),
        )
        .related(field.span, "declared `private` here")
        .help(format!(
            "give `{of}` a method in `{file}` that does what is needed with it"
        ));
        self.cx.report(d);
    }

    /// Reports arguments for fields that the code may not set.
    pub(in crate::body) fn check_private_args(&mut self, adt: AdtId, args: &[Given<'a>]) {
        let fields = self.cx.types().adts[adt.0 as usize].fields.clone();
        for (position, arg) in args.iter().enumerate() {
            let number = match arg.label {
                Some(label) => fields
                    .iter()
                    .position(|field| field.name == Some(label.name)),
                None => Some(position).filter(|&position| position < fields.len()),
            };
            if let Some(number) = number {
                self.check_private(adt, number, arg.label.map_or(arg.span, |label| label.span));
            }
        }
    }

    /// Whether a list of fields may have this one. The default methods of a trait, and the library, list all fields of the types
    /// that they work for.
    pub(in crate::body) fn lists_field(&self, adt: AdtId, number: usize) -> bool {
        self.purpose.of_trait().is_some()
            || self.cx.modules()[self.scopes.types().module].library
            || self.sees_field(adt, number)
    }
}
