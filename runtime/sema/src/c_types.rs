//! `@c` above a struct or an enum: a type that is in memory of C as C's own would.
//!
//! In the program such a struct is like any other; its layout in C matters where it crosses or is read through a `Ptr`. A field
//! `[T; n]` is an array of `n` in C, inside of the struct. `@c("union")` lets the fields share one place: each is optional, all
//! are read, and the largest that is not nil is written. Next: `foreign.rs`.

use crate::checker::Checker;
use crate::codes;
use crate::decls::{DeclIdx, Shape, TypeScope};
use crate::typed::*;
use simple_ffi_abi::c_layout::CStruct;
use simple_syntax::ast::{self, TypeExprKind};
use simple_syntax::{Diagnostic, Span};
use std::sync::Arc;

/// The annotation.
const C: &str = "c";

/// What it says.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Plain,
    Union,
}

impl<'a> Checker<'a> {
    /// How values of a type of `@c` are laid out in memory of C; `None` for any other type, and for one that cannot.
    pub(crate) fn c_type(&mut self, adt: AdtId, decl: DeclIdx) -> Option<Foreign> {
        let kind = self.c_kind(decl)?;
        if !self.decls()[decl].generics.is_empty() || !self.output_mut().open_c_type(adt) {
            return None;
        }
        self.ensure_adt(adt);
        let found = match self.types().adts[adt.0 as usize].kind {
            AdtKind::Struct => self.c_struct(adt, decl, kind),
            AdtKind::Enum => self.c_enum(adt),
            AdtKind::Class => None,
        };
        self.output_mut().close_c_type();
        found
    }

    fn c_kind(&self, decl: DeclIdx) -> Option<Kind> {
        let annotations = self.decls()[decl].annotations;
        let annotation = annotations.iter().find(|a| a.name.name.as_str() == C)?;
        match &annotation.args[..] {
            [] => Some(Kind::Plain),
            [(None, value)] if is_union(value) => Some(Kind::Union),
            _ => None,
        }
    }

    fn c_struct(&mut self, adt: AdtId, decl: DeclIdx, kind: Kind) -> Option<Foreign> {
        let Shape::Record(record, _) = self.decls()[decl].shape else {
            return None;
        };
        let name = self.types().adts[adt.0 as usize].name;
        let count = self.types().adts[adt.0 as usize].fields.len();
        if record.fields.len() != count {
            // Fields of mixins have no order that C could know.
            return None;
        }
        let fields: Option<Vec<Foreign>> = (0..count)
            .map(|index| self.c_field(adt, decl, &record.fields[index], index, kind))
            .collect();
        let layout = CStruct::new(name.as_str(), fields?, kind == Kind::Union)?;
        Some(Foreign::Struct(layout))
    }

    /// Where a field is in the struct; `None` when it cannot.
    fn c_field(
        &mut self,
        adt: AdtId,
        decl: DeclIdx,
        field: &ast::FieldDecl,
        index: usize,
        kind: Kind,
    ) -> Option<Foreign> {
        let ty = self.types().adts[adt.0 as usize].fields[index].ty;
        if let TypeExprKind::FixedArray(_, size) = &field.ty.kind {
            let Ty::Array(item) = *self.types().get(ty) else {
                return None;
            };
            let module = self.decls()[decl].module;
            let count = self.array_size(size, module)?;
            let item = self.foreign_of(item).filter(is_flat)?;
            let count = u32::try_from(count)
                .ok()
                .filter(|count| (1..1 << 20).contains(count))?;
            return (kind == Kind::Plain).then(|| Foreign::Inline(Box::new(item), count));
        }
        let foreign = self.foreign_of(ty);
        match (kind, self.types().get(ty), foreign) {
            (Kind::Plain, _, foreign) => foreign.filter(Foreign::is_memory),
            // An address that is NULL is nil anyway.
            (Kind::Union, _, Some(address @ Foreign::Address { optional: true })) => Some(address),
            (Kind::Union, Ty::Option(item), _) => {
                let item = *item;
                self.foreign_of(item).filter(is_any_bits)
            }
            (Kind::Union, ..) => None,
        }
    }

    fn c_enum(&mut self, adt: AdtId) -> Option<Foreign> {
        let variants = &self.types().adts[adt.0 as usize].variants;
        let plain = variants.iter().all(|variant| variant.fields.is_empty());
        let values: Vec<i64> = variants
            .iter()
            .map(|variant| variant.discriminant)
            .collect();
        let signed = values.iter().all(|value| i32::try_from(*value).is_ok());
        let unsigned = values.iter().all(|value| u32::try_from(*value).is_ok());
        (plain && !values.is_empty() && (signed || unsigned))
            .then(|| Foreign::Enum(Arc::from(values)))
    }

    /// Reports what keeps a type of `@c` from lying in memory of C.
    pub(crate) fn check_c_type(&mut self, adt: AdtId, decl: DeclIdx) {
        let annotations = self.decls()[decl].annotations;
        let Some(annotation) = annotations.iter().find(|a| a.name.name.as_str() == C) else {
            return;
        };
        let name = self.decls()[decl].name;
        let Some(kind) = self.c_kind(decl) else {
            let d = Diagnostic::error(
                codes::BAD_C_TYPE,
                annotation.span,
                "`@c` has no argument, or is `@c(\"union\")`",
            );
            self.report(d);
            return;
        };
        if self.c_type(adt, decl).is_some() {
            return;
        }
        let info = &self.decls()[decl];
        let (module, record) = match (&info.shape, info.generics.is_empty()) {
            (_, false) => {
                return self.no_c_type(
                    name.span,
                    name.name.as_str(),
                    "it has type parameters",
                    "write one for each type",
                );
            }
            (Shape::Record(_, true), _) => {
                return self.no_c_type(
                    name.span,
                    name.name.as_str(),
                    "an instance of a class is a counted object",
                    "make it a `struct`",
                );
            }
            (Shape::Record(record, false), _) => (info.module, *record),
            (Shape::Enum(_), _) => {
                return self.no_c_type(
                    name.span,
                    name.name.as_str(),
                    "a variant has a payload, or a value that does not fit 32 bits",
                    "an enum of C has plain variants with values such as `Red = 4`",
                );
            }
        };
        let mut found = false;
        for (index, field) in record.fields.iter().enumerate() {
            if self.c_field(adt, decl, field, index, kind).is_some() {
                continue;
            }
            found = true;
            let scope = TypeScope {
                module,
                env: self.empty_env(),
                self_ty: None,
            };
            let ty = self.resolve_type(&field.ty, &scope);
            if ty == TyId::ERROR {
                continue;
            }
            let shown = self.types().name(ty);
            let help = match (kind, self.types().get(ty)) {
                (Kind::Union, _) => "a member of a union is optional, such as `f64?`, and no array",
                (_, Ty::Text) => "write `Ptr<u8>?`, the address of a C string",
                (_, Ty::Array(_)) => {
                    "write `[T; n]` for an array of numbers, `bool`, addresses or C structs inside of the struct, `Ptr<T>?` for the address of one"
                }
                (_, Ty::Adt(_)) => {
                    "write `@c` above its declaration too, or `Ptr<T>?` for an address"
                }
                _ => {
                    "numbers, `bool`, `Ptr<T>`, `Ptr<T>?`, types of `extern type`, C structs and enums can be fields"
                }
            };
            let d = Diagnostic::error(
                codes::BAD_C_TYPE,
                field.ty.span,
                format!(
                    "`{shown}` cannot be a field of the C struct `{}`",
                    name.name
                ),
            )
            .help(help);
            self.report(d);
        }
        if !found {
            self.no_c_type(
                name.span,
                name.name.as_str(),
                "it has no fields of its own, or is too large",
                "a struct of C has at least one field",
            );
        }
    }

    fn no_c_type(&mut self, span: Span, name: &str, reason: &str, help: &str) {
        let d = Diagnostic::error(
            codes::BAD_C_TYPE,
            span,
            format!("`{name}` cannot be in memory of C: {reason}"),
        )
        .help(help);
        self.report(d);
    }
}

fn is_union(value: &ast::Expr) -> bool {
    crate::collect::literal_text(value).as_deref() == Some("union")
}

/// Whether any bits are a value, as a member of a union has to take them.
fn is_any_bits(foreign: &Foreign) -> bool {
    match foreign {
        Foreign::Bool | Foreign::Int { .. } | Foreign::F32 | Foreign::F64 => true,
        Foreign::Address { optional } => *optional,
        Foreign::Struct(layout) => {
            !layout.union && layout.fields.iter().all(|(_, field)| is_any_bits(field))
        }
        _ => false,
    }
}

/// Whether something can be an element of an array inside of a struct.
pub(crate) fn is_flat(foreign: &Foreign) -> bool {
    match foreign {
        Foreign::Struct(layout) => {
            !layout.union && layout.fields.iter().all(|(_, field)| is_flat(field))
        }
        Foreign::Inline(..) => false,
        other => other.is_memory(),
    }
}
