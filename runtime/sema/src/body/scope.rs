//! Names and variables in a body: opening and closing scopes, binding, finding, capturing.

use super::*;
use crate::codes;
use simple_syntax::Diagnostic;
use simple_syntax::ast::Ident;

/// A name that was looked up.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Found {
    Local(LocalId),
    Def(Def),
}

impl<'c, 'a> Body<'c, 'a> {
    /// Opens a scope; give the result to [`Body::close`].
    pub(crate) fn open(&mut self) -> usize {
        self.scope_depth += 1;
        self.log.len()
    }

    pub(crate) fn close(&mut self, mark: usize) {
        while self.log.len() > mark {
            if let Some(name) = self.log.pop()
                && let Some(stack) = self.names.get_mut(&name)
            {
                stack.pop();
            }
        }
        self.scope_depth -= 1;
    }

    pub(crate) fn bind(&mut self, name: Symbol, to: Bound) {
        let depth = self.scope_depth;
        self.names
            .entry(name)
            .or_default()
            .push(Binding { to, depth });
        self.log.push(name);
    }

    /// Whether the name is bound in the innermost scope already.
    pub(crate) fn bound_here(&self, name: Symbol) -> Option<Bound> {
        let binding = self.names.get(&name)?.last()?;
        (binding.depth == self.scope_depth).then_some(binding.to)
    }

    /// A new variable of the current frame, without a name in scope.
    pub(crate) fn local(&mut self, name: &str, ty: TyId, origin: Origin, span: Span) -> LocalId {
        let frame = self.frame();
        let id = LocalId(frame.locals.len() as u32);
        frame.locals.push(Local {
            name: name.to_owned(),
            ty,
            mutable: false,
            span,
        });
        frame.meta.push(LocalMeta {
            origin,
            lenient: false,
        });
        id
    }

    /// A variable that the checker needs for itself.
    pub(crate) fn temp(&mut self, ty: TyId, span: Span) -> LocalId {
        self.local("", ty, Origin::Temp, span)
    }

    /// A new named variable, bound in the current scope; a second one of the same block is an error.
    pub(crate) fn declare(&mut self, name: Ident, ty: TyId, origin: Origin) -> LocalId {
        let id = self.local(name.name.as_str(), ty, origin, name.span);
        if let Some(before) = self.bound_here(name.name) {
            let first = match before {
                Bound::Local(frame, id) => Some(self.frames[frame].locals[id.0 as usize].span),
                Bound::Def(_) => None,
            };
            let mut d = Diagnostic::error(
                codes::DUPLICATE,
                name.span,
                format!("`{}` is declared twice in this block", name.name),
            )
            .help(format!(
                "assign it with `{} = ...`, or choose another name",
                name.name
            ));
            d.related
                .extend(first.map(|span| (span, "first declared here".into())));
            self.cx.report(d);
        }
        let frame = self.frames.len() - 1;
        self.bind(name.name, Bound::Local(frame, id));
        id
    }

    pub(crate) fn local_ty(&self, id: LocalId) -> TyId {
        self.frames[self.frames.len() - 1].locals[id.0 as usize].ty
    }

    pub(crate) fn meta(&self, id: LocalId) -> LocalMeta {
        self.frames[self.frames.len() - 1].meta[id.0 as usize]
    }

    /// A variable or local declaration of this name; captures it where it belongs to a function outside.
    pub(crate) fn find_local(&mut self, name: Symbol) -> Option<Found> {
        let binding = *self.names.get(&name)?.last()?;
        Some(match binding.to {
            Bound::Local(frame, id) => Found::Local(self.capture(frame, id)),
            Bound::Def(def) => Found::Def(def),
        })
    }

    /// The variable of the current frame that stands for `id` of `frame`.
    fn capture(&mut self, frame: usize, id: LocalId) -> LocalId {
        let mut id = id;
        for inner in frame + 1..self.frames.len() {
            if let Some(&(_, known)) = self.frames[inner]
                .captures
                .iter()
                .find(|(outer, _)| *outer == id)
            {
                id = known;
                continue;
            }
            let outer = &self.frames[inner - 1];
            let local = &outer.locals[id.0 as usize];
            let meta = outer.meta[id.0 as usize];
            let copy = Local {
                name: local.name.clone(),
                ty: local.ty,
                mutable: false,
                span: local.span,
            };
            let here = &mut self.frames[inner];
            let new = LocalId(here.locals.len() as u32);
            here.locals.push(copy);
            let origin = match meta.origin {
                Origin::SelfFixed | Origin::SelfMutable => Origin::SelfFixed,
                _ => Origin::Captured,
            };
            here.meta.push(LocalMeta {
                origin,
                lenient: meta.lenient,
            });
            here.captures.push((id, new));
            id = new;
        }
        id
    }

    /// `self`, if this is a method.
    pub(crate) fn find_self(&mut self) -> Option<LocalId> {
        match self.find_local(self.self_name)? {
            Found::Local(id) => Some(id),
            Found::Def(_) => None,
        }
    }

    /// Reading a variable.
    pub(crate) fn read(&self, id: LocalId, span: Span) -> Expr {
        Expr {
            kind: ExprKind::Local(id),
            ty: self.local_ty(id),
            span,
        }
    }

    /// What a bare name means: a variable, or a declaration.
    pub(crate) fn find(&mut self, name: Symbol) -> Option<Found> {
        if let Some(found) = self.find_local(name) {
            return Some(found);
        }
        self.cx
            .lookup_visible(self.scope.module, name)
            .map(Found::Def)
    }

    /// Runs `work` with none of the current names in scope, in the scope of another declaration.
    pub(crate) fn isolated<R>(&mut self, scope: TypeScope, work: impl FnOnce(&mut Self) -> R) -> R {
        let names = std::mem::take(&mut self.names);
        let log = std::mem::take(&mut self.log);
        let depth = std::mem::replace(&mut self.scope_depth, 0);
        let before = std::mem::replace(&mut self.scope, scope);
        let init = self.init.take();
        let result = work(self);
        self.names = names;
        self.log = log;
        self.scope_depth = depth;
        self.scope = before;
        self.init = init;
        result
    }
}
