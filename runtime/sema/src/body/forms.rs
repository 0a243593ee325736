//! Methods of one name that come in two forms, told apart by their arguments before anything is looked up.
//!
//! The library writes each form as a separate method; the table below is all the overloading there is
//! (`doc/language/methods.md`): `reduce(init, f)` and `reduce(f)`, `sort_by(key)` and `sort_by(compare)`.

use super::args::{Given, GivenValue};
use super::scope::Found;
use super::*;
use simple_syntax::ast;

impl<'c, 'a> Body<'c, 'a> {
    /// The name under which the library has the form of `name` that these arguments ask for.
    pub(crate) fn form_of(&mut self, ty: TyId, name: Symbol, args: &[Given<'a>]) -> Symbol {
        if !matches!(self.kind(ty), Ty::Array(_) | Ty::Range) {
            return name;
        }
        let form = match (name.as_str(), args) {
            ("reduce", [_]) => "reduce_from_first",
            ("sort_by", [f]) if self.arity(f) == Some(2) => "sort_by_order",
            ("sorted_by", [f]) if self.arity(f) == Some(2) => "sorted_by_order",
            _ => return name,
        };
        Symbol::intern(form)
    }

    /// How many parameters a function given as an argument has, as far as that can be seen without checking it.
    fn arity(&mut self, given: &Given<'a>) -> Option<usize> {
        match &given.value {
            GivenValue::Ast(e) => self.arity_of(e),
            GivenValue::Typed(Some(value)) => self.arity_of_type(value.ty),
            GivenValue::Block(_) | GivenValue::Typed(None) => None,
        }
    }

    fn arity_of(&mut self, e: &'a ast::Expr) -> Option<usize> {
        match &e.kind {
            ast::ExprKind::Lambda(lambda) => Some(lambda.params.len()),
            ast::ExprKind::Paren(inner) => self.arity_of(inner),
            ast::ExprKind::Name(name) => {
                let def = match self.find_local(name.name) {
                    Some(Found::Local(id)) => {
                        let ty = self.read(id, name.span).ty;
                        return self.arity_of_type(ty);
                    }
                    Some(Found::Def(def)) => def,
                    None => self.cx.lookup(self.scope.module, name.name)?,
                };
                match def {
                    Def::Fn(fn_idx) => Some(self.cx.fns[fn_idx.at()].decl.params.len()),
                    _ => None,
                }
            }
            _ => match lambda::highest_placeholder(e) {
                0 => None,
                count => Some(count as usize),
            },
        }
    }

    fn arity_of_type(&self, ty: TyId) -> Option<usize> {
        match self.kind(ty) {
            Ty::Fn(params, _) => Some(params.len()),
            _ => None,
        }
    }
}
