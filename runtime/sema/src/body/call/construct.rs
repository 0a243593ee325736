//! New values: structs and classes by their fields, variants by their payload, empty collections.

use super::args::{Callee, Given, Member};
use super::slots::{Slot, SlotDefault};
use super::*;
use crate::codes;
use crate::typed::Expr;
use simple_syntax::Diagnostic;

impl<'c, 'a> Body<'c, 'a> {
    /// The empty value of a collection type, as in `Map<text, i64>()`.
    pub(crate) fn empty_of(&mut self, ty: TyId, span: Span) -> Expr {
        let kind = match self.kind(ty) {
            Ty::Array(_) => ExprKind::Array(Vec::new()),
            Ty::Dict(..) => ExprKind::Dict(Vec::new()),
            Ty::Set(_) => ExprKind::Set(Vec::new()),
            Ty::Error => return self.bad(span),
            _ => {
                let name = self.show(ty);
                self.cx.error(
                    codes::NOT_CALLABLE,
                    span,
                    format!("`{name}` is not constructed by a call"),
                );
                return self.bad(span);
            }
        };
        self.mk(kind, ty, span)
    }

    pub(in crate::body) fn empty_collection(&mut self, name: &str, want: Want, span: Span) -> Expr {
        let ty = self.open_collection(name, want, span);
        self.empty_of(ty, span)
    }

    /// The type of a collection whose type arguments are not written: the wanted one, or one that its use determines.
    pub(in crate::body) fn open_collection(&mut self, name: &str, want: Want, span: Span) -> TyId {
        if let Some(hint) = self.hint(want)
            && matches!(self.kind(hint), Ty::Array(_) | Ty::Dict(..) | Ty::Set(_))
        {
            return hint;
        }
        let item = self.fresh(span, infer::Origin::CollectionElements);
        let ty = match name {
            "List" | "Array" => Ty::Array(item),
            "Set" => {
                self.owe(item, duty::Duty::Key, span);
                Ty::Set(item)
            }
            _ => {
                self.owe(item, duty::Duty::Key, span);
                let value = self.fresh(span, infer::Origin::DictValues);
                Ty::Dict(item, value)
            }
        };
        self.intern(ty)
    }

    /// `Type(...)`: a new struct value or class instance.
    pub(crate) fn construct(
        &mut self,
        ty: TyId,
        mut args: Vec<Given<'a>>,
        want: Want,
        span: Span,
    ) -> Expr {
        let ty = self.shallow(ty);
        let Ty::Adt(adt) = *self.ty(ty) else {
            let name = self.show(ty);
            if ty != TyId::ERROR {
                self.cx.error(
                    codes::NOT_CALLABLE,
                    span,
                    format!("`{name}` is not constructed by a call"),
                );
            }
            return self.bad(span);
        };
        let decl = self.cx.decl_of(adt);
        let record = match self.cx.decls()[decl].shape {
            Shape::Record(record, _) => record,
            Shape::Enum(of) => {
                let names: Vec<&str> = of.variants.iter().map(|v| v.name.name.as_str()).collect();
                let name = self.show(ty);
                let d = Diagnostic::error(
                    codes::NOT_CALLABLE,
                    span,
                    format!("the enum `{name}` is made by one of its variants"),
                )
                .note(format!("it has {}", crate::modules::listing(&names)));
                self.cx.report(d);
                return self.bad(span);
            }
        };
        self.cx.ensure_adt(adt);
        let fields = self.cx.types().adts[adt.0 as usize].fields.clone();
        let modules = self.cx.decls()[decl].field_modules.clone();
        let by_place = fields.len() - self.cx.decls()[decl].named_fields.min(fields.len());
        let slots: Vec<Slot<'a>> = record
            .fields
            .iter()
            .zip(&fields)
            .enumerate()
            .map(|(number, (field, typed))| Slot {
                name: field.name.name,
                ty: typed.ty,
                default: field.default.as_ref().map(SlotDefault::Written),
                takes: field.takes(),
                named: true,
                by_name: number >= by_place,
                home: modules.get(number).copied(),
            })
            .collect();
        let name = self.cx.decls()[decl].name;
        if let Some(block) = self.block_to_enter(&mut args, &slots, Some(ty), &[]) {
            let value = self.construct(ty, args, Want::Any, span);
            return self.with_value(name.name.as_str(), value, block, want, span);
        }
        if self.is_of_broken_type(ty) {
            for arg in args {
                if let args::GivenValue::Ast(e) = arg.value {
                    self.expr(e, Want::Any);
                }
            }
            return self.bad(span);
        }
        self.check_private_args(adt, &args);
        let scope = self.cx.adt_scope(adt);
        let maker = self.maker(decl);
        let callee = Callee {
            name: name.name.as_str(),
            member: Member::Field,
            declared: Some(name.span),
            maker: maker.as_deref(),
            captured: &[],
        };
        let Some(bundle) = self.arguments(&slots, args, callee, &scope, span) else {
            return Expr {
                ty,
                ..self.bad(span)
            };
        };
        // After its arguments, of which a mistake is told first.
        self.owe_bounds_of_type(adt, span);
        let values = record.fields.iter().zip(bundle.values);
        let values = values
            .map(|(field, value)| {
                let what = format!("`{}`", field.name.name);
                self.expect_value(value, Some(&field.ty), &what, None)
            })
            .collect();
        let value = self.mk(ExprKind::New(adt, values), ty, span);
        self.with_lets(bundle.lets, value)
    }

    /// A variant with its payload.
    pub(crate) fn variant(
        &mut self,
        ty: TyId,
        number: u32,
        args: Vec<Given<'a>>,
        want: Want,
        span: Span,
    ) -> Expr {
        let mut ty = self.shallow(ty);
        if let Some(hint) = self.hint(want)
            && let (Ty::Adt(a), Ty::Adt(b)) = (self.kind(ty), self.kind(hint))
            && self.cx.decl_of(a) == self.cx.decl_of(b)
            && self.unify(ty, hint)
        {
            ty = hint;
        }
        let Ty::Adt(adt) = *self.ty(ty) else {
            return self.bad(span);
        };
        self.cx.ensure_adt(adt);
        let Some(variant) = self.cx.types().adts[adt.0 as usize]
            .variants
            .get(number as usize)
            .cloned()
        else {
            return self.bad(span);
        };
        let written = match self.cx.decls()[self.cx.decl_of(adt)].shape {
            Shape::Enum(decl) => decl.variants.get(number as usize),
            Shape::Record(..) => None,
        };
        let default = |index: usize| {
            let part = written.and_then(|written| written.fields.get(index));
            part.and_then(|part| part.default.as_ref())
        };
        let slots: Vec<Slot<'a>> = variant
            .fields
            .iter()
            .enumerate()
            .map(|(index, field)| Slot {
                name: field
                    .name
                    .unwrap_or_else(|| Symbol::intern(&format!("payload {}", index + 1))),
                ty: field.ty,
                default: default(index).map(SlotDefault::Written),
                takes: ast::Takes::One,
                named: field.name.is_some(),
                by_name: false,
                home: None,
            })
            .collect();
        let scope = self.cx.adt_scope(adt);
        let callee = Callee {
            name: variant.name.as_str(),
            member: Member::Parameter,
            declared: Some(self.cx.types().adts[adt.0 as usize].span),
            maker: None,
            captured: &[],
        };
        let Some(bundle) = self.arguments(&slots, args, callee, &scope, span) else {
            return Expr {
                ty,
                ..self.bad(span)
            };
        };
        self.owe_bounds_of_type(adt, span);
        let value = self.mk(ExprKind::Variant(adt, number, bundle.values), ty, span);
        self.with_lets(bundle.lets, value)
    }
}
