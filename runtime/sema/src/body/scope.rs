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
        self.unbind(mark);
        self.scope_depth -= 1;
    }

    /// Forgets the names that were bound after there were so many.
    pub(super) fn unbind(&mut self, mark: usize) {
        while self.log.len() > mark {
            if let Some(name) = self.log.pop()
                && let Some(stack) = self.names.get_mut(&name)
            {
                stack.pop();
            }
        }
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
            cell: false,
            span,
        });
        frame.meta.push(LocalMeta {
            origin,
            lenient: false,
            frozen: false,
            constant: false,
            shared: false,
            source: traps::Source::default(),
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
            let text = name.name;
            let (message, help) = match origin {
                Origin::Param => (
                    format!("the parameter `{text}` is declared twice"),
                    "give one of them another name".to_owned(),
                ),
                Origin::Pattern | Origin::Loop => (
                    format!("`{text}` is bound twice in this pattern"),
                    "give one of them another name, or write `_`".to_owned(),
                ),
                _ => (
                    format!("`{text}` is declared twice in this block"),
                    format!("assign it with `{text} = ...`, or choose another name"),
                ),
            };
            let mut d = Diagnostic::error(codes::DUPLICATE, name.span, message).help(help);
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
            Bound::Local(frame, id) => {
                self.note_use(stale::Holder::Local(frame, id));
                Found::Local(self.capture(frame, id))
            }
            Bound::Def(def) => {
                if let Def::Fn(idx) = def {
                    self.note_use(stale::Holder::Fn(idx));
                }
                Found::Def(def)
            }
        })
    }

    /// The variable of the current frame that corresponds to `id` of `frame`. A lambda captures its value; a colon
    /// block sees the variable itself, with all that may be done with it.
    pub(super) fn capture(&mut self, frame: usize, id: LocalId) -> LocalId {
        let mut id = id;
        for inner in frame + 1..self.frames.len() {
            let is_block = self.frames[inner].kind == FrameKind::ColonBlock;
            if is_block {
                self.frames[inner - 1].meta[id.0 as usize].shared = true;
            }
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
                cell: false,
                span: local.span,
            };
            let here = &mut self.frames[inner];
            let new = LocalId(here.locals.len() as u32);
            here.locals.push(copy);
            let origin = match meta.origin {
                origin if is_block => origin,
                Origin::SelfFixed => Origin::SelfFixed,
                _ => Origin::Captured,
            };
            here.meta.push(LocalMeta {
                origin,
                lenient: meta.lenient,
                frozen: meta.frozen,
                constant: meta.constant,
                shared: false,
                source: meta.source,
            });
            here.captures.push((id, new));
            match self.constants.get(&(inner - 1, id)).cloned() {
                Some(kind) => self.constants.insert((inner, new), kind),
                None => self.constants.remove(&(inner, new)),
            };
            id = new;
        }
        id
    }

    /// Marks a variable of the current frame as assigned at `place`; in a colon block also the variable that it refers to.
    pub(crate) fn mark_mutable(&mut self, id: LocalId, place: Span) {
        let mut id = id;
        for index in (0..self.frames.len()).rev() {
            self.note_change(index, id, place);
            self.note_taken(index, id);
            let frame = &mut self.frames[index];
            frame.locals[id.0 as usize].mutable = true;
            let outer = frame.captures.iter().find(|(_, inner)| *inner == id);
            match outer {
                Some(&(outer, _)) if frame.kind == FrameKind::ColonBlock => id = outer,
                _ => return,
            }
        }
    }

    /// Makes cells of a closing frame's own variables that colon blocks share and something assigns.
    pub(crate) fn make_cells(&mut self, frame: &mut Frame<'a>) {
        let mut cells = Vec::new();
        for (index, local) in frame.locals.iter_mut().enumerate() {
            let id = LocalId(index as u32);
            let borrowed = frame.captures.iter().any(|(_, inner)| *inner == id);
            if local.mutable && frame.meta[index].shared && !borrowed {
                local.cell = true;
                cells.push(id);
            }
        }
        if !cells.is_empty() {
            self.share_cells(&frame.blocks, &cells);
        }
    }

    /// The outermost frame at the end of its body.
    pub(crate) fn close_body(&mut self) -> Frame<'a> {
        let mut frame =
            std::mem::replace(&mut self.frames[0], Frame::new(FrameKind::Function, None));
        self.make_cells(&mut frame);
        frame
    }

    fn share_cells(&mut self, blocks: &[BlockCaptures], cells: &[LocalId]) {
        for block in blocks {
            let inner: Vec<LocalId> = block
                .captures
                .iter()
                .filter(|(outer, _)| cells.contains(outer))
                .map(|&(_, inner)| inner)
                .collect();
            if inner.is_empty() {
                continue;
            }
            if let Pending::Lambda(func) = &mut self.pending[block.pending] {
                for id in &inner {
                    func.locals[id.0 as usize].cell = true;
                }
            }
            self.share_cells(&block.blocks, &inner);
        }
    }

    /// Whether there is a `self`. A lambda that only asks does not capture it.
    pub(crate) fn has_self(&self) -> bool {
        let binding = self.names.get(&self.self_name).and_then(|all| all.last());
        binding.is_some_and(|binding| matches!(binding.to, Bound::Local(..)))
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
