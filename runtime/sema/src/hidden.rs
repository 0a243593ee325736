//! Methods of impl blocks that no call would ever reach: a type has another one of this name, which is found first.
//!
//! Only blocks of no trait are looked at: a method of a trait is also called through the trait. Order of methods:
//! `methods.rs`.

use crate::checker::Checker;
use crate::codes;
use crate::decls::*;
use crate::methods::Head;
use crate::typed::*;
use simple_syntax::{Diagnostic, Symbol};

impl<'a> Checker<'a> {
    /// Reports methods of an impl block that its types have already.
    pub(crate) fn check_hidden_methods(&mut self, idx: ImplIdx) {
        let info = &self.decls()[idx];
        if info.decl.is_none_or(|decl| decl.trait_ty.is_some()) || info.methods.is_empty() {
            return;
        }
        let mut methods: Vec<(Symbol, FnIdx)> =
            info.methods.iter().map(|(&n, &f)| (n, f)).collect();
        methods.sort_unstable_by_key(|(_, fn_idx)| fn_idx.0);
        let types = match info.is_group() {
            true => info.group.to_vec(),
            false => {
                let scope = self.opaque_impl_scope(idx);
                vec![self.impl_self(idx, &scope)]
            }
        };
        for ty in types {
            let Some(head) = self.head(ty) else { continue };
            for &(name, fn_idx) in &methods {
                self.check_hidden(idx, (name, fn_idx), ty, head);
            }
        }
    }

    fn check_hidden(
        &mut self,
        idx: ImplIdx,
        (name, fn_idx): (Symbol, FnIdx),
        ty: TyId,
        head: Head,
    ) {
        let library = self.modules()[self.decls()[idx].module].library;
        let decl = self.decls()[fn_idx].decl;
        if let Some(first) = self.method_before(idx, name, ty, head) {
            let first = self.decls()[first].decl.name.span;
            let of = self.types().name(ty);
            let message = format!("the method `{name}` of `{of}` is defined twice");
            let d = Diagnostic::error(codes::DUPLICATE, decl.name.span, message)
                .related(first, "first defined here");
            self.report(d);
            return;
        }
        let needed = |p: &&simple_syntax::ast::Param| !p.may_be_left_out();
        let least = decl.params.iter().filter(needed).count();
        if !library
            && !self.decls()[fn_idx].is_static
            && !decl.params.iter().any(|p| p.variadic)
            && self.is_intrinsic(ty, name.as_str(), least, decl.params.len())
        {
            let of = self.types().name(ty);
            let message =
                format!("`{of}` has a method `{name}` already: this one would never be called");
            let d = Diagnostic::error(codes::DUPLICATE, decl.name.span, message)
                .help("give it another name");
            self.report(d);
        }
    }

    /// The method that a call finds before the one that `idx` has. The program may replace a method of the library.
    fn method_before(&mut self, idx: ImplIdx, name: Symbol, ty: TyId, head: Head) -> Option<FnIdx> {
        if let Head::Adt(decl) = head
            && let Some(&own) = self.decls()[decl].methods.get(&name)
        {
            return Some(own);
        }
        let known = self.decls().impl_methods(head, name).to_vec();
        let library = self.modules()[self.decls()[idx].module].library;
        let before = known.into_iter().take_while(|(other, _)| *other != idx);
        for (other, fn_idx) in before {
            let info = &self.decls()[other];
            if info.trait_idx.is_some()
                || info.decl.is_none_or(|decl| decl.trait_ty.is_some())
                || self.modules()[info.module].library != library
            {
                continue;
            }
            if self.overlap(idx, ty, other) {
                return Some(fn_idx);
            }
        }
        None
    }

    /// Whether some type belongs to both blocks, of which `idx` is for `ty`.
    fn overlap(&mut self, idx: ImplIdx, ty: TyId, other: ImplIdx) -> bool {
        if self.match_impl(other, ty).is_some() {
            return true;
        }
        if self.decls()[other].is_group() {
            return false;
        }
        let scope = self.opaque_impl_scope(other);
        let other = self.impl_self(other, &scope);
        self.match_impl(idx, other).is_some()
    }
}
