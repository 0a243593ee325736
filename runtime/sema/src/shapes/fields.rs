//! Fields: what is known about one by its written shape, or because all instances that the program makes have the same in it.

use super::callee::{Arg, agree, value_of};
use super::declared::{Declared, names};
use super::fact::{Fact, Scope};
use super::flow::Flow;
use super::proof::certain;
use super::unify::Store;
use crate::decls::{Owner, Shape as Decl};
use crate::typed::*;
use simple_syntax::{Span, Symbol};

impl<'x, 'a> Flow<'x, 'a> {
    /// A field: by its written shape, or an element of a known tuple.
    pub(super) fn field(&mut self, object: &Expr, number: u32) -> Fact {
        let fact = self.expr(object);
        let Ty::Adt(adt) = *self.cx.types().get(object.ty) else {
            return match fact {
                Fact::List(items) => items.get(number as usize).cloned().unwrap_or(Fact::Unknown),
                _ => Fact::Unknown,
            };
        };
        let info = &self.cx.decls()[self.cx.decl_of(adt)];
        let (module, Decl::Record(decl, _)) = (info.module, &info.shape) else {
            return Fact::Unknown;
        };
        let decl = *decl;
        let Some(field) = decl.fields.get(number as usize) else {
            return Fact::Unknown;
        };
        match self.cx.declared_shape(&field.ty, module, &mut Vec::new()) {
            Some(declared) => {
                let name = format!("`{}`", field.name.name);
                value_of(
                    &declared,
                    &name,
                    &mut Scope::new(&[]),
                    &mut Store::default(),
                )
            }
            None => {
                let ty = self.cx.types().adts[adt.0 as usize].fields[number as usize].ty;
                match self.fields.get(&(adt, number)) {
                    // [condition shapes.fields_first]: before all instances are met, none is known.
                    Some(fact) if !self.collecting && *fact != Fact::Unknown => fact.clone(),
                    _ => self.of_type(ty, module),
                }
            }
        }
    }

    /// Notes which arguments of a constructor have the shapes that are written for their fields.
    pub(super) fn fields_fit(&mut self, adt: AdtId, places: &[Span], args: &[Arg]) {
        let info = &self.cx.decls()[self.cx.decl_of(adt)];
        let (module, Decl::Record(decl, _)) = (info.module, &info.shape) else {
            return;
        };
        let decl = *decl;
        for ((field, place), arg) in decl.fields.iter().zip(places).zip(args) {
            if let Some(declared) = self.cx.declared_shape(&field.ty, module, &mut Vec::new()) {
                let (mut scope, mut store) = (Scope::new(&[]), Store::default());
                let what = format!("`{}`", field.name.name);
                let agreed = agree(&arg.fact, &declared, &what, &mut scope, &mut store);
                let fits = agreed.is_ok() && certain(&arg.fact, &declared, &mut scope, &mut store);
                self.proves(*place, fits);
            }
        }
    }

    /// Joins what is known about the fields of a new instance with those of all others.
    pub(super) fn collect_fields(&mut self, adt: AdtId, args: &[Arg]) {
        let module = self.cx.decls()[self.cx.decl_of(adt)].module;
        // [condition shapes.fields_session]: a session may have made instances before, which this walk does not see.
        if !self.collecting
            || self.cx.modules()[module].library
            || self.cx.input().session().is_open()
        {
            return;
        }
        for (number, arg) in args.iter().enumerate() {
            // [condition shapes.fields_outside]: the names of the function that makes an instance mean nothing to others.
            let fact = match arg.fact.outside() {
                // [condition shapes.fields_in_place]: as for variables.
                Fact::Tensor(_) if self.changes => Fact::Unknown,
                fact => fact,
            };
            self.fields
                .entry((adt, number as u32))
                // [condition shapes.every_new]: all instances share what is known of a field.
                .and_modify(|known| *known = known.join(&fact))
                .or_insert(fact);
        }
    }

    /// The names in the shapes of the fields of a method's type.
    pub(super) fn names_of_fields(&mut self, owner: Owner, found: &mut Vec<(Symbol, bool)>) {
        let Owner::Type(idx) = owner else { return };
        let info = &self.cx.decls()[idx];
        let (module, Decl::Record(decl, _)) = (info.module, &info.shape) else {
            return;
        };
        let decl = *decl;
        for field in &decl.fields {
            found.push((field.name.name, true));
            match self.cx.declared_shape(&field.ty, module, &mut Vec::new()) {
                Some(Declared::Tensor(shape)) => names(&shape, found),
                Some(Declared::Layer(input, output)) => {
                    names(&input, found);
                    names(&output, found);
                }
                None => {}
            }
        }
    }
}
