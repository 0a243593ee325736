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
            ("sort_by" | "sorted_by", [f]) if self.is_key_of_pairs(ty, f) => return name,
            ("sort_by", [f]) if self.arity(f) == Some(2) => "sort_by_order",
            ("sorted_by", [f]) if self.arity(f) == Some(2) => "sorted_by_order",
            _ => return name,
        };
        Symbol::intern(form)
    }

    /// Whether a lambda with two parameters takes the pairs of an array apart and yields a key, as `\(word, count): (-count, word)`
    /// does, and does not compare two pairs: tried with two pairs, it has no order as its result.
    fn is_key_of_pairs(&mut self, ty: TyId, given: &Given<'a>) -> bool {
        let Ty::Array(item) = self.kind(ty) else {
            return false;
        };
        let GivenValue::Ast(e) = given.value else {
            return false;
        };
        let lambda = match (self.kind(item), Self::as_lambda(e)) {
            (Ty::Tuple(members), Some(lambda)) if members.len() == 2 => lambda,
            _ => return false,
        };
        if lambda.params.len() != 2 || lambda.params.iter().any(|param| param.ty.is_some()) {
            return false;
        }
        !self.rehearse(|body| {
            let mark = body.cx.reports().mark();
            let value = body.lambda_of(lambda, &[item, item], (2, None), None, e.span);
            let compares = match body.kind(value.ty) {
                Ty::Fn(_, ret) => matches!(body.kind(ret), Ty::Int(_) | Ty::Infer(_)),
                _ => false,
            };
            compares && body.cx.reports().sound_since(mark)
        })
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
                    None => self.cx.lookup(self.scopes.types().module, name.name)?,
                };
                match def {
                    Def::Fn(fn_idx) => Some(self.cx.decls()[fn_idx].decl.params.len()),
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
