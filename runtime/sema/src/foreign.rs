//! How types of the language cross to C ([`Foreign`]), and the types that only foreign declarations have: `cstr`, `[T; n]`, and `dtype`
//! and `device` of SFFI.
//!
//! Leaves out which of them a declaration may have where (`externs.rs`), and how values are converted (`middle/lower/foreign.rs`).

use crate::checker::Checker;
use crate::codes;
use crate::decls::{DeclIdx, ModIdx, TypeScope};
use crate::typed::*;
use simple_ffi_abi::c_layout::CStruct;
use simple_ffi_abi::foreign::ForeignFn;
use simple_syntax::ast::{self, TypeExpr, TypeExprKind};
use simple_syntax::{Diagnostic, Symbol};
use std::sync::Arc;

/// The C string type of foreign declarations.
pub(crate) const CSTR: &str = "cstr";

/// The annotation of the type whose one field is an address.
const POINTER: &str = "c_pointer";

/// The annotation of the class that keeps a function for C.
const CALLBACK: &str = "c_callback";

/// The annotation of the struct that is an integer or a float.
const SCALAR: &str = "sffi_scalar";

/// Types that only foreign declarations have, which are numbers in the program.
const NUMBERED: [(&str, Foreign); 2] = [("dtype", Foreign::Dtype), ("device", Foreign::Device)];

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
                    ty: self.types_mut().intern(Ty::Option(TyId::TEXT)),
                    foreign: Some(Foreign::CText { optional: true }),
                }
            }
            TypeExprKind::Named { path, args }
                if args.is_empty() && self.numbered(path, scope.module).is_some() =>
            {
                Crossing {
                    ty: TyId::I64,
                    foreign: self.numbered(path, scope.module),
                }
            }
            TypeExprKind::Optional(inner) if matches!(&inner.kind, TypeExprKind::Named { path, args } if args.is_empty() && self.numbered(path, scope.module).is_some()) =>
            {
                let inner = self.foreign_type(inner, scope);
                Crossing {
                    ty: self.types_mut().intern(Ty::Option(inner.ty)),
                    foreign: inner
                        .foreign
                        .map(|value| Foreign::Optional(Box::new(value))),
                }
            }
            TypeExprKind::Fn(params, ret) => self.foreign_function(params, ret.as_deref(), scope),
            TypeExprKind::Optional(inner) if matches!(inner.kind, TypeExprKind::Fn(..)) => {
                let inner = self.foreign_type(inner, scope);
                let optional = |foreign| match foreign {
                    Foreign::Function(function) => Some(Foreign::Function(Arc::new(ForeignFn {
                        optional: true,
                        ..(*function).clone()
                    }))),
                    _ => None,
                };
                let ty = self.types_mut().intern(Ty::Option(inner.ty));
                Crossing {
                    ty: if inner.ty == TyId::ERROR {
                        inner.ty
                    } else {
                        ty
                    },
                    foreign: inner.foreign.and_then(optional),
                }
            }
            TypeExprKind::FixedArray(item, _) => {
                // How many elements it must have is looked at once all parameters are known.
                let item = self.resolve_type(item, scope);
                let foreign = self.element_of(item);
                Crossing {
                    ty: self.types_mut().intern(Ty::Array(item)),
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

    /// A function that C calls, in whose parameters `cstr` may be.
    fn foreign_function(
        &mut self,
        params: &[TypeExpr],
        ret: Option<&TypeExpr>,
        scope: &TypeScope,
    ) -> Crossing {
        let params: Vec<Crossing> = params
            .iter()
            .map(|ty| self.foreign_type(ty, scope))
            .collect();
        let ret = ret.map_or(Crossing::UNIT, |ty| self.foreign_type(ty, scope));
        if ret.ty == TyId::ERROR || params.iter().any(|param| param.ty == TyId::ERROR) {
            return Crossing::ERROR;
        }
        let tys = params.iter().map(|param| param.ty).collect();
        let ty = self.types_mut().intern(Ty::Fn(tys, ret.ty));
        let params: Option<Vec<Foreign>> = params.into_iter().map(|param| param.foreign).collect();
        Crossing {
            ty,
            foreign: self.callback(ty, params, ret.foreign, false),
        }
    }

    /// How a function of the program crosses that takes and yields this; noted for code generation.
    fn callback(
        &mut self,
        ty: TyId,
        params: Option<Vec<Foreign>>,
        result: Option<Foreign>,
        kept: bool,
    ) -> Option<Foreign> {
        let (params, result) = (params?, result?);
        let fits = (params.iter())
            .all(|param| is_passed(param) || matches!(param, Foreign::CText { .. }))
            && (result == Foreign::Unit || is_passed(&result));
        let function = ForeignFn {
            params,
            result,
            optional: false,
            kept,
        };
        let foreign = fits.then(|| Foreign::Function(Arc::new(function)))?;
        self.types_mut().foreign.insert(ty, foreign.clone());
        Some(foreign)
    }

    /// Whether a path is the type `cstr` of foreign declarations.
    fn is_cstr(&mut self, path: &ast::Path, module: ModIdx) -> bool {
        self.is_foreign_only(path, CSTR, module)
    }

    /// How a type of foreign declarations crosses that is a number in the program; `None` when a path is not one.
    fn numbered(&mut self, path: &ast::Path, module: ModIdx) -> Option<Foreign> {
        let mut all = NUMBERED.into_iter();
        all.find_map(|(name, foreign)| {
            (self.is_foreign_only(path, name, module)).then_some(foreign)
        })
    }

    /// Whether a path is a type of this name that foreign declarations have: a program's own type of that name wins.
    fn is_foreign_only(&mut self, path: &ast::Path, name: &str, module: ModIdx) -> bool {
        path.segments.len() == 1
            && path.last().name.as_str() == name
            && self.lookup(module, Symbol::intern(name)).is_none()
    }

    /// How values of a type cross; `None` when they cannot.
    pub(crate) fn foreign_of(&mut self, ty: TyId) -> Option<Foreign> {
        Some(match *self.types().get(ty) {
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
            Ty::Option(item) if matches!(self.types().get(item), Ty::Handle(_)) => {
                Foreign::Address { optional: true }
            }
            Ty::Fn(ref params, ret) => {
                let params = params.clone();
                let params = params
                    .into_iter()
                    .map(|param| self.foreign_of(param))
                    .collect();
                let result = self.foreign_of(ret);
                return self.callback(ty, params, result, false);
            }
            Ty::Option(item) => match self.foreign_of(item)? {
                Foreign::Function(function) => Foreign::Function(Arc::new(ForeignFn {
                    optional: true,
                    ..(*function).clone()
                })),
                Foreign::Address { optional: false } => Foreign::Address { optional: true },
                Foreign::Owned { optional: false } => Foreign::Owned { optional: true },
                value @ (Foreign::Bool
                | Foreign::Int { .. }
                | Foreign::F32
                | Foreign::F64
                | Foreign::Text
                | Foreign::Scalar) => Foreign::Optional(Box::new(value)),
                value @ Foreign::Array(_) if value.is_sffi() => Foreign::Optional(Box::new(value)),
                _ => return None,
            },
            Ty::Adt(adt) => {
                let decl = self.decl_of(adt);
                if self.is_pointer(decl) {
                    Foreign::Address { optional: false }
                } else if self.has_annotation(decl, SCALAR) {
                    Foreign::Scalar
                } else if self.has_annotation(decl, CALLBACK) {
                    let function = *self.types().adts[adt.0 as usize].args.first()?;
                    match self.foreign_of(function)? {
                        Foreign::Function(function) => {
                            self.ensure_adt(adt);
                            Foreign::Function(Arc::new(ForeignFn {
                                kept: true,
                                ..(*function).clone()
                            }))
                        }
                        _ => return None,
                    }
                } else if self.freed_by(decl).is_some() {
                    self.ensure_adt(adt);
                    Foreign::Owned { optional: false }
                } else {
                    return self.c_type(adt, decl);
                }
            }
            _ => return None,
        })
    }

    /// How values of a type are laid out in memory of C; noted for code generation. `None` when they cannot.
    pub(crate) fn stored_form(&mut self, ty: TyId) -> Option<Foreign> {
        let foreign = self.foreign_of(ty).filter(Foreign::is_memory)?;
        self.types_mut().foreign.insert(ty, foreign.clone());
        Some(foreign)
    }

    /// Notes how what is at an address of this type is laid out, for calls that are guarded.
    pub(crate) fn note_pointee(&mut self, ty: TyId) {
        match *self.types().get(ty) {
            Ty::Option(item) => self.note_pointee(item),
            Ty::Adt(adt) if self.is_pointer(self.decl_of(adt)) => {
                if let Some(of) = self.types().adts[adt.0 as usize].args.first().copied() {
                    self.stored_form(of);
                }
            }
            _ => {}
        }
    }

    /// Whether a type is `Scalar` of the library.
    pub(crate) fn is_scalar(&self, adt: AdtId) -> bool {
        self.has_annotation(self.decl_of(adt), SCALAR)
    }

    /// Whether a type is `Ptr<T>` of the library.
    pub(crate) fn is_pointer(&self, decl: DeclIdx) -> bool {
        self.has_annotation(decl, POINTER)
    }

    fn has_annotation(&self, decl: DeclIdx, name: &str) -> bool {
        let annotations = self.decls()[decl].annotations;
        annotations.iter().any(|a| a.name.name.as_str() == name)
    }

    /// How the elements of an array cross: those that are in memory as C has them.
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
        let dense = dense || matches!(&foreign, Foreign::Struct(layout) if is_dense(layout));
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

/// Whether C can pass something to a function of the program, and take it from one.
pub(crate) fn is_passed(foreign: &Foreign) -> bool {
    matches!(
        foreign,
        Foreign::Bool
            | Foreign::Int { .. }
            | Foreign::F32
            | Foreign::F64
            | Foreign::Address { .. }
            | Foreign::Struct(_)
            | Foreign::Enum(_)
    )
}

/// Whether elements of an array of this struct lie as C has them: the array holds the scalars one after the other.
fn is_dense(layout: &CStruct) -> bool {
    if !layout.is_plain() {
        return false;
    }
    let mut end = 0;
    let mut same = true;
    for (at, scalar) in layout.scalars() {
        same &= matches!(
            scalar,
            Foreign::Bool
                | Foreign::Int { .. }
                | Foreign::F32
                | Foreign::F64
                | Foreign::Address { optional: false }
        );
        same &= at == u32::next_multiple_of(end, scalar.align());
        end = at + scalar.size();
    }
    same && layout.size == end.next_multiple_of(layout.align)
}
