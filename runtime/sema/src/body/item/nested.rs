//! Functions inside functions that mention variables of the function around them.
//!
//! One without type parameters is a closure under a name. A generic one (one with an untyped parameter is generic too) cannot be a value of one type: it is
//! a separate function, checked for each list of type arguments, whose first parameters are copies of what it captured
//! where it is declared. Its name and theirs are looked up together, so every function that sees it passes them on.
//! Functions that capture nothing are entered by `stmt.rs`.

use super::scope::Found;
use super::stale::{Holder, captured_by};
use super::*;
use crate::codes;
use crate::mentions::{self, Mention};
use crate::shapes::Site;
use crate::typed::Stmt;
use simple_syntax::Diagnostic;
use simple_syntax::ast;

impl<'c, 'a> Body<'c, 'a> {
    /// A nested function that captures variables.
    pub(crate) fn nested_fn(
        &mut self,
        item: &'a ast::Item,
        decl: &'a ast::FnDecl,
        out: &mut Vec<Stmt>,
    ) {
        match &decl.body {
            None => {
                self.cx
                    .error(codes::MISSING_RETURN, decl.head, "a function needs a body");
            }
            Some(_) if !self.cx.check_decorated(item, decl) => {
                self.declare(decl.name, TyId::ERROR, Origin::Val);
            }
            Some(_) if is_generic(decl) && !decorate::is_decorated(item) => {
                self.nested_generic(item, decl, out)
            }
            Some(body) => self.nested_closure(item, decl, body, out),
        }
    }

    fn nested_closure(
        &mut self,
        item: &'a ast::Item,
        decl: &'a ast::FnDecl,
        body: &'a ast::Block,
        out: &mut Vec<Stmt>,
    ) {
        let scope = self.scopes.types().clone();
        let recursive = mentions_itself(decl, body);
        let decorated = decorate::is_decorated(item);
        if decorated && recursive {
            let d = Diagnostic::error(
                codes::BAD_DECORATOR,
                decl.name.span,
                "a decorated function inside a function cannot call itself",
            )
            .help("declare it at the top level, where its name means the wrapped function");
            self.cx.report(d);
            self.declare(decl.name, TyId::ERROR, Origin::Val);
            return;
        }
        let mut wrapped = Vec::new();
        if let Some(param) = decl.params.iter().find(|param| param.ty.is_none()) {
            // Such a function is generic, unless what decorates it tells its type.
            match self.wrapped_type(item, decl).map(|ty| self.kind(ty)) {
                Some(Ty::Fn(params, _)) => wrapped = params,
                _ => {
                    self.untyped_decorated(item, param.name);
                    self.declare(decl.name, TyId::ERROR, Origin::Val);
                    return;
                }
            }
        }
        // As for every recursive function, a result type that is not written means no result.
        let ret = match &decl.ret {
            Some(ty) => Some(self.cx.resolve_type(ty, &scope)),
            None => (recursive && !decl.is_generator).then_some(TyId::UNIT),
        };
        let mut types: Vec<TyId> = decl
            .params
            .iter()
            .enumerate()
            .map(|(at, param)| {
                let ty = match &param.ty {
                    Some(ty) => {
                        self.cx
                            .output_mut()
                            .shapes_mut()
                            .binding(param.name.span, ty);
                        self.cx.resolve_type(ty, &scope)
                    }
                    None => wrapped.get(at).copied().unwrap_or(TyId::ERROR),
                };
                self.cx.type_of_param(param, ty)
            })
            .collect();
        let named = self.default_closures(&decl.params, &mut types, out);
        let mark = self.open_frame(FrameKind::Lambda, ret);
        for (param, &ty) in decl.params.iter().zip(&types) {
            let id = self.declare(param.name, ty, Origin::Param);
            self.scopes.frame_mut().params.push(id);
        }
        self.scopes.frame_mut().declared = true;
        self.scopes.frame_mut().written_ret = decl.ret.as_ref();
        let (ret, wanted) = self.results(ret, decl, false);
        let checks = self.expect_params(&decl.params, &decl.where_clauses, |_| Site::Lambda);
        let own = ret
            .filter(|_| recursive)
            .map(|ret| self.declare_itself(decl.name, ret, named.clone()));
        let value = self.function_body(body, wanted, decl.head, false);
        let value = self.after(checks, value);
        let ret = ret.unwrap_or(value.ty);
        let name = (decl.name.name.as_str(), own);
        let closure = self.close_named_frame(mark, name, value, ret, decl.head);
        let captured = captured_by(&closure);
        let closure = match decorated {
            true => self.decorated(closure, item, decl.name),
            false => closure,
        };
        let ty = closure.ty;
        let local = self.declare(decl.name, ty, Origin::Val);
        self.scopes.frame_mut().named.insert(local, named);
        let home = self.scopes.here();
        self.watch(Holder::Local(home, local), decl.name, &captured);
        out.push(Stmt {
            kind: StmtKind::Let(local, closure),
            span: item.span,
        });
    }

    /// Declares the variable by which the function of the innermost frame calls itself.
    fn declare_itself(
        &mut self,
        name: ast::Ident,
        ret: TyId,
        named: Rc<[named::NamedParam<'a>]>,
    ) -> LocalId {
        let frame = self.frame();
        let params = frame
            .params
            .iter()
            .map(|id| frame.locals[id.0 as usize].ty)
            .collect();
        let ty = self.intern(Ty::Fn(params, ret));
        let local = self.declare(name, ty, Origin::Val);
        self.scopes.frame_mut().named.insert(local, named);
        local
    }

    fn nested_generic(&mut self, item: &'a ast::Item, decl: &'a ast::FnDecl, out: &mut Vec<Stmt>) {
        let idx = self.cx.add_fn(
            self.scopes.types().module,
            item,
            decl,
            Owner::Free,
            &[],
            None,
        );
        let (mut captured, mut copied) = (Vec::new(), Vec::new());
        for name in self.captured_names(decl) {
            let Some(Found::Local(local)) = self.find_local(name) else {
                continue;
            };
            copied.push(local);
            let (ty, meta) = (self.local_ty(local), self.meta(local));
            let value = self.read(local, decl.head);
            let copy = self.local(name.as_str(), ty, Origin::Captured, decl.head);
            out.push(Stmt {
                kind: StmtKind::Let(copy, value),
                span: item.span,
            });
            // No program can write this name.
            let hidden = Symbol::intern(&format!("{name} of {} {}", decl.name.name, idx.0));
            let home = self.scopes.here();
            self.bind(hidden, Bound::Local(home, copy));
            captured.push(Captured {
                name,
                hidden,
                ty: None,
                lenient: meta.lenient,
                frozen: meta.frozen,
            });
            self.duties.add_captured((idx, captured.len() - 1, ty));
        }
        self.watch(Holder::Fn(idx), decl.name, &copied);
        self.bind(decl.name.name, Bound::Def(Def::Fn(idx)));
        let outer_defs = self.visible_defs();
        self.enter_nested(idx);
        let info = &mut self.cx.decls_mut()[idx];
        info.captured = captured;
        info.outer_defs = outer_defs;
        match self.purpose.is_opaque() {
            true => self.cx.instances_mut().promises_mut().add_nested(idx),
            false => self.cx.decls_mut().queue_nested_generic(idx),
        }
    }

    /// Tells a function inside this one what it sees of the types here.
    pub(in crate::body) fn enter_nested(&mut self, idx: FnIdx) {
        let info = &mut self.cx.decls_mut()[idx];
        info.outer = Some(self.scopes.types().clone());
        info.outer_bounds = self
            .purpose
            .is_opaque()
            .then(|| self.purpose.bounds().clone());
        info.of_trait = self.purpose.of_trait();
    }

    /// The declarations that a nested function sees from here.
    pub(in crate::body) fn visible_defs(&self) -> Rc<[(Symbol, Def)]> {
        self.scopes.defs().collect()
    }

    /// The variables that a nested function mentions, and those that the generic functions it mentions have captured.
    fn captured_names(&mut self, decl: &ast::FnDecl) -> Vec<Symbol> {
        let mut names = Vec::new();
        let mut uses_self = false;
        mentions::function(decl, &mut |mention| match mention {
            Mention::Name(name) | Mention::Assigned(name) => names.push(name),
            Mention::SelfValue => uses_self = true,
            _ => {}
        });
        let in_method = self.has_self();
        let mut found: Vec<Symbol> = Vec::new();
        for name in names {
            match self.scopes.bound(name) {
                Some(Bound::Local(..)) => found.push(name),
                Some(Bound::Def(Def::Fn(idx))) => {
                    found.extend(self.cx.decls()[idx].captured.iter().map(|c| c.hidden));
                }
                Some(_) => {}
                None => uses_self |= in_method && self.self_member(name),
            }
        }
        if uses_self && in_method {
            found.push(self.scopes.self_name());
        }
        let mut seen = rustc_hash::FxHashSet::default();
        found.retain(|&name| seen.insert(name));
        found
    }

    /// The copies that are passed for the captured variables of a nested generic function, by the name that each has in it.
    pub(in crate::body) fn captured_locals(&mut self, idx: FnIdx) -> Vec<(Symbol, LocalId)> {
        let captured = self.cx.decls()[idx].captured.clone();
        captured
            .into_iter()
            .filter_map(|captured| match self.find_local(captured.hidden)? {
                Found::Local(local) => Some((captured.name, local)),
                Found::Def(_) => None,
            })
            .collect()
    }

    /// Enters the types of captured variables that are known by now.
    pub(in crate::body) fn settle_captured(&mut self) {
        let waiting = self.duties.take_captured();
        for (idx, number, ty) in waiting {
            let known = self.resolve(ty);
            if self.cx.flags(known) & infer::HAS_INFER == 0 {
                self.cx.decls_mut()[idx].captured[number].ty = Some(known);
            } else {
                self.duties.add_captured((idx, number, ty));
            }
        }
    }

    /// Whether a nested function mentions a variable of the functions around it.
    pub(crate) fn captures_anything(&self, decl: &ast::FnDecl, variables: &[Symbol]) -> bool {
        if decl.body.is_none() {
            return false;
        }
        let mut used = Vec::new();
        let mut bound: Vec<Symbol> = Vec::new();
        let mut uses_self = false;
        mentions::function(decl, &mut |mention| match mention {
            Mention::Name(name) | Mention::Assigned(name) => used.push(name),
            Mention::Bound(name, _) => bound.push(name.name),
            Mention::SelfValue => uses_self = true,
            _ => {}
        });
        let is_local = |name: &Symbol| {
            variables.contains(name)
                || match self.scopes.bound(*name) {
                    Some(Bound::Local(..)) => true,
                    Some(Bound::Def(Def::Fn(idx))) => !self.cx.decls()[idx].captured.is_empty(),
                    Some(Bound::Def(_)) | None => false,
                }
        };
        let in_method = self.scopes.bound(self.scopes.self_name()).is_some();
        uses_self
            || used
                .iter()
                .any(|name| (is_local(name) || in_method) && !bound.contains(name))
    }
}

/// Whether a function has type parameters, written ones or those of parameters without a type.
fn is_generic(decl: &ast::FnDecl) -> bool {
    !decl.generics.is_empty() || decl.params.iter().any(|param| param.ty.is_none())
}

/// Whether the body of a nested function names the function, and not a parameter that hides it.
fn mentions_itself(decl: &ast::FnDecl, body: &ast::Block) -> bool {
    let mut mentioned = false;
    mentions::block(body, &mut |mention| {
        mentioned |= matches!(mention, Mention::Name(name) | Mention::Assigned(name) if name == decl.name.name);
    });
    mentioned && decl.params.iter().all(|p| p.name.name != decl.name.name)
}
