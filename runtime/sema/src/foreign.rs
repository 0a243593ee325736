//! How types of the language cross to C ([`Foreign`]), and the types that only foreign declarations have: `cstr`, `[T; n]`.
//!
//! Leaves out which of them a declaration may have where (`externs.rs`), and how values are converted (`codegen/lower/foreign`).

use crate::checker::Checker;
use crate::codes;
use crate::decls::{DeclIdx, ModIdx, TypeScope};
use crate::typed::*;
use simple_syntax::ast::{self, TypeExpr, TypeExprKind};
use simple_syntax::{Diagnostic, Symbol};

/// The C string type of foreign declarations.
pub(crate) const CSTR: &str = "cstr";

/// The annotation of the type whose one field is an address.
const POINTER: &str = "c_pointer";

/// A type in a foreign declaration.
#[derive(Clone, Debug)]
pub(crate) struct Crossing {
    /// The type in the program.
    pub(crate) ty: TyId,
    /// How it crosses; `None` when it cannot.
    pub(crate) foreign: Option<Foreign>,
}

impl Crossing {
    pub(crate) const ERROR: Crossing = Crossing {
        ty: TyId::ERROR,
        foreign: None,
    };
    pub(crate) const UNIT: Crossing = Crossing {
        ty: TyId::UNIT,
        foreign: Some(Foreign::Unit),
    };
}

impl<'a> Checker<'a> {
    /// What a type in a foreign declaration is in the program, and how it crosses.
    pub(crate) fn foreign_type(&mut self, written: &TypeExpr, scope: &TypeScope) -> Crossing {
        match &written.kind {
            TypeExprKind::Named { path, args }
                if args.is_empty() && self.is_cstr(path, scope.module) =>
            {
                Crossing {
                    ty: TyId::TEXT,
                    foreign: Some(Foreign::CText { optional: false }),
                }
            }
            TypeExprKind::Optional(inner) if matches!(&inner.kind, TypeExprKind::Named { path, args } if args.is_empty() && self.is_cstr(path, scope.module)) => {
                Crossing {
                    ty: self.types.intern(Ty::Option(TyId::TEXT)),
                    foreign: Some(Foreign::CText { optional: true }),
                }
            }
            TypeExprKind::FixedArray(item, _) => {
                // How many elements it must have is looked at once all parameters are known.
                let item = self.resolve_type(item, scope);
                let foreign = self.element_of(item);
                Crossing {
                    ty: self.types.intern(Ty::Array(item)),
                    foreign: foreign.map(|foreign| Foreign::Elements(Box::new(foreign))),
                }
            }
            _ => {
                let ty = self.resolve_type(written, scope);
                Crossing {
                    ty,
                    foreign: self.foreign_of(ty),
                }
            }
        }
    }

    /// Whether a path is the type `cstr` of foreign declarations: a program's own type of that name wins.
    fn is_cstr(&mut self, path: &ast::Path, module: ModIdx) -> bool {
        path.segments.len() == 1
            && path.last().name.as_str() == CSTR
            && self.lookup(module, Symbol::intern(CSTR)).is_none()
    }

    /// How values of a type cross; `None` when they cannot.
    pub(crate) fn foreign_of(&mut self, ty: TyId) -> Option<Foreign> {
        Some(match *self.types.get(ty) {
            Ty::Unit => Foreign::Unit,
            Ty::Bool => Foreign::Bool,
            Ty::Int(int) => Foreign::Int {
                bits: int.bits,
                signed: int.signed,
            },
            Ty::F32 => Foreign::F32,
            Ty::F64 => Foreign::F64,
            Ty::Text => Foreign::Text,
            Ty::Handle(_) => Foreign::I64,
            Ty::Array(TyId::TEXT) => Foreign::Texts,
            Ty::Array(item) => Foreign::Array(Box::new(self.element_of(item)?)),
            Ty::Option(item) if matches!(self.types.get(item), Ty::Handle(_)) => {
                Foreign::Address { optional: true }
            }
            Ty::Option(item) => match self.foreign_of(item)? {
                Foreign::Address { optional: false } => Foreign::Address { optional: true },
                Foreign::Owned { optional: false } => Foreign::Owned { optional: true },
                _ => return None,
            },
            Ty::Adt(adt) => {
                let decl = self.decl_of(adt);
                if self.is_pointer(decl) {
                    Foreign::Address { optional: false }
                } else if self.freed_by(decl).is_some() {
                    self.ensure_adt(adt);
                    Foreign::Owned { optional: false }
                } else {
                    return None;
                }
            }
            _ => return None,
        })
    }

    /// How values of a type lie in memory of C; noted for code generation. `None` when they cannot.
    pub(crate) fn stored_form(&mut self, ty: TyId) -> Option<Foreign> {
        let foreign = self.foreign_of(ty).filter(Foreign::is_memory)?;
        self.types.foreign.insert(ty, foreign.clone());
        Some(foreign)
    }

    /// Whether a type is `Ptr<T>` of the library.
    fn is_pointer(&self, decl: DeclIdx) -> bool {
        let annotations = self.decls[decl.at()].annotations;
        annotations.iter().any(|a| a.name.name.as_str() == POINTER)
    }

    /// How the elements of an array cross: those that lie in memory as C has them.
    fn element_of(&mut self, item: TyId) -> Option<Foreign> {
        let foreign = self.foreign_of(item)?;
        let dense = matches!(
            foreign,
            Foreign::Bool
                | Foreign::Int { .. }
                | Foreign::F32
                | Foreign::F64
                | Foreign::Address { optional: false }
        );
        dense.then_some(foreign)
    }

    /// How many elements the array of a parameter `[T; n]` must have.
    pub(crate) fn needs_of(
        &mut self,
        param: &ast::Param,
        crossing: &Crossing,
        decl: &ast::ExternFnDecl,
        params: &[Crossing],
        module: ModIdx,
    ) -> Option<Needs> {
        let Some(Foreign::Elements(_)) = crossing.foreign else {
            return None;
        };
        let TypeExprKind::FixedArray(_, size) = &param.ty.as_ref()?.kind else {
            return None;
        };
        if let ast::ExprKind::Name(name) = &size.kind
            && let Some(at) = decl.params.iter().position(|p| p.name.name == name.name)
        {
            let whole = matches!(params[at].foreign, Some(Foreign::Int { .. }));
            if whole && !decl.params[at].out {
                return Some(Needs::Param(at as u32));
            }
            let d = Diagnostic::error(
                codes::FOREIGN_FORM,
                size.span,
                format!("`{}` does not say how many elements C needs", name.name),
            )
            .help("name a parameter of an integer type that is passed, or write a number");
            self.report(d);
            return None;
        }
        if let Some(count) = self.array_size(size, module) {
            return Some(Needs::Count(count));
        }
        let d = Diagnostic::error(
            codes::NOT_CONSTANT,
            size.span,
            "the number of elements is an integer literal, a `const`, or another parameter",
        )
        .help("write `[T]` for a function that takes the address and the number of the elements, one after the other");
        self.report(d);
        None
    }
}
