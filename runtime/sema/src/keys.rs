//! Which types can be keys of dicts and elements of sets.

use crate::checker::Checker;
use crate::codes;
use crate::decls::*;
use crate::methods::Head;
use crate::typed::*;
use simple_syntax::{Diagnostic, Span, Symbol};

impl Checker<'_> {
    /// Whether a type can be a dict key or set element; reports it if not.
    pub(crate) fn require_key(&mut self, ty: TyId, span: Span) -> bool {
        let fits = self.can_be_key(ty, 0);
        if !fits {
            let d = Diagnostic::error(
                codes::TYPE_MISMATCH,
                span,
                format!("`{}` cannot be a dict key or set element", self.types().name(ty)),
            )
            .note("keys can be integers, bool, text, enums without payload, and tuples or structs of these");
            let d = match self.types().get(ty) {
                Ty::Adt(adt) if self.has_own_eq(*adt) => {
                    d.note("a type with its own `eq` has no hash that agrees with it")
                }
                _ => d,
            };
            self.report(d);
        }
        fits
    }

    /// Whether values of the type are compared by a method that someone wrote.
    fn has_own_eq(&self, adt: AdtId) -> bool {
        let (decl, eq) = (self.decl_of(adt), Symbol::intern("eq"));
        self.decls()[decl].methods.contains_key(&eq)
            || self.decls().has_impl_method(Head::Adt(decl), eq)
    }

    fn can_be_key(&mut self, ty: TyId, depth: u32) -> bool {
        match self.types().get(ty).clone() {
            Ty::Int(_)
            | Ty::Bool
            | Ty::Text
            | Ty::Unit
            | Ty::Handle(_)
            | Ty::Error
            | Ty::Param(_)
            | Ty::Infer(_)
            | Ty::Never => true,
            Ty::Tuple(members) => members
                .iter()
                .all(|(_, ty)| self.can_be_key(*ty, depth + 1)),
            Ty::Adt(adt) if depth < 8 && !self.has_own_eq(adt) => {
                match self.types().adts[adt.0 as usize].kind {
                    AdtKind::Class => false,
                    AdtKind::Struct => {
                        self.ensure_adt(adt);
                        let fields: Vec<TyId> = self.types().adts[adt.0 as usize]
                            .fields
                            .iter()
                            .map(|f| f.ty)
                            .collect();
                        fields.iter().all(|&ty| self.can_be_key(ty, depth + 1))
                    }
                    AdtKind::Enum => match self.decls()[self.decl_of(adt)].shape {
                        Shape::Enum(decl) => decl.variants.iter().all(|v| v.fields.is_empty()),
                        Shape::Record(..) => false,
                    },
                }
            }
            _ => false,
        }
    }
}
