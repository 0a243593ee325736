//! Variables of libraries: `extern val` and `extern var`.
//!
//! Code generation knows only how to get the address of one: a call of an [`Extern`] that is a variable. Reading is [`Intrinsic::CRead`]
//! there, assigning [`Intrinsic::CWrite`]: `body/place/foreign_var.rs`.

use crate::c_types::is_flat;
use crate::checker::Checker;
use crate::codes;
use crate::decls::{ExternVarIdx, TypeScope};
use crate::state::Reporting;
use crate::typed::*;
use simple_ffi_abi::contract::Annotations;
use simple_syntax::Diagnostic;
use simple_syntax::ast::TypeExprKind;

/// A variable of a library.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ForeignVar {
    /// What yields its address.
    pub(crate) address: ExternId,
    /// Its type in the program.
    pub(crate) ty: TyId,
    /// How many elements it has, if it is an array.
    pub(crate) count: Option<i64>,
}

impl<'a> Checker<'a> {
    /// A variable of a library; checked when first asked for.
    pub(crate) fn extern_var(&mut self, idx: ExternVarIdx) -> Option<ForeignVar> {
        if let Some(known) = self.decls()[idx].checked {
            return known;
        }
        let checked = self.once(|cx| cx.check_extern_var(idx));
        self.decls_mut()[idx].checked = Some(checked);
        checked
    }

    fn check_extern_var(&mut self, idx: ExternVarIdx) -> Option<ForeignVar> {
        let info = &self.decls()[idx];
        let (decl, symbol, library, span) = (
            info.decl,
            info.symbol.clone(),
            info.library.clone(),
            info.span,
        );
        let scope = TypeScope {
            module: info.module,
            env: self.empty_env(),
            self_ty: None,
        };
        if library.is_none() {
            let d = Diagnostic::error(
                codes::FOREIGN_FORM,
                decl.name.span,
                format!("`{}` names no library that has it", decl.name.name),
            )
            .help("write `@Lib(\"name\")` above the declaration");
            self.report(d);
            return None;
        }
        let crossing = self.foreign_type(&decl.ty, &scope);
        if crossing.ty == TyId::ERROR {
            return None;
        }
        let count = match &decl.ty.kind {
            TypeExprKind::FixedArray(_, size) => self.array_size(size, scope.module),
            _ => None,
        };
        // As in a struct of C, an element may be NULL too.
        let element = match (&decl.ty.kind, self.types().get(crossing.ty)) {
            (TypeExprKind::FixedArray(..), Ty::Array(of)) => {
                let of = *of;
                self.stored_form(of).filter(is_flat)
            }
            _ => None,
        };
        let foreign = match (element, crossing.foreign) {
            (Some(item), _) if count.is_some_and(|count| (1..1 << 20).contains(&count)) => {
                Foreign::Inline(Box::new(item), count.unwrap_or_default() as u32)
            }
            (_, whole) => match whole {
                Some(foreign @ Foreign::CText { .. }) if !decl.mutable => foreign,
                Some(foreign) if foreign.is_memory() => foreign,
                _ => {
                    let name = self.types().name(crossing.ty);
                    let d = Diagnostic::error(
                    codes::FOREIGN_FORM,
                    decl.ty.span,
                    format!("a variable of a library cannot be a `{name}` here"),
                )
                .help(match crossing.ty {
                    TyId::TEXT => "declare it as `extern val` with `cstr`, or with `Ptr<u8>?`",
                    _ => "it can be a number, a `bool`, a `Ptr<T>`, a `Ptr<T>?`, a type of `extern type`, a C struct, or an array `[T; 4]` of numbers, `bool`, `Ptr<T>` or C structs",
                });
                    self.report(d);
                    return None;
                }
            },
        };
        let size = foreign.size();
        if count.is_none() {
            self.types_mut().foreign.insert(crossing.ty, foreign);
        }
        let id = self.output_mut().add_extern(Extern {
            name: decl.name.name.as_str().to_owned(),
            symbol,
            library,
            params: Vec::new(),
            ret: TyId::I64,
            result: Foreign::I64,
            call: TyId::I64,
            kind: ExternKind::Variable(size),
            contract: Annotations::default().contract(),
            span,
        });
        Some(ForeignVar {
            address: id,
            ty: crossing.ty,
            count,
        })
    }
}
