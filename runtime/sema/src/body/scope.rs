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
        self.scopes.open()
    }

    pub(crate) fn close(&mut self, mark: usize) {
        self.scopes.close(mark);
    }

    pub(crate) fn bind(&mut self, name: Symbol, to: Bound) {
        self.scopes.bind(name, to);
    }

    /// The innermost frame.
    pub(crate) fn frame(&mut self) -> &mut Frame<'a> {
        self.scopes.frame_mut()
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
        if let Some(before) = self.scopes.bound_here(name.name) {
            let first = match before {
                Bound::Local(frame, id) => {
                    Some(self.scopes.frames()[frame].locals[id.0 as usize].span)
                }
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
        let frame = self.scopes.here();
        self.bind(name.name, Bound::Local(frame, id));
        id
    }

    pub(crate) fn local_ty(&self, id: LocalId) -> TyId {
        self.scopes.frame().locals[id.0 as usize].ty
    }

    /// Where a variable of the current frame is declared.
    pub(crate) fn local_span(&self, id: LocalId) -> Span {
        self.scopes.frame().locals[id.0 as usize].span
    }

    /// Binds the name of a size to the variable that holds the sizes of a shape, as `hidden`.
    pub(crate) fn bind_size(
        &mut self,
        name: Symbol,
        hidden: Symbol,
        sizes: LocalId,
        (shape, at): (Span, i64),
    ) {
        let frame = self.scopes.here();
        self.bind(hidden, Bound::Local(frame, sizes));
        self.scopes.add_size(name, shape, at);
    }

    /// What the name of a size means: where its shape is, and which of its sizes.
    pub(crate) fn size(&self, name: Symbol) -> Option<(Span, i64)> {
        self.scopes.size(name)
    }

    pub(crate) fn meta(&self, id: LocalId) -> LocalMeta {
        self.scopes.frame().meta[id.0 as usize]
    }

    /// A variable or local declaration of this name; captures it where it belongs to a function outside.
    pub(crate) fn find_local(&mut self, name: Symbol) -> Option<Found> {
        Some(match self.scopes.bound(name)? {
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
        for inner in frame + 1..self.scopes.frames().len() {
            let is_block = self.scopes.frames()[inner].kind == FrameKind::ColonBlock;
            if is_block {
                self.scopes.frame_at_mut(inner - 1).meta[id.0 as usize].shared = true;
            }
            if let Some(&(_, known)) = self.scopes.frames()[inner]
                .captures
                .iter()
                .find(|(outer, _)| *outer == id)
            {
                id = known;
                continue;
            }
            let outer = &self.scopes.frames()[inner - 1];
            let local = &outer.locals[id.0 as usize];
            let meta = outer.meta[id.0 as usize];
            let copy = Local {
                name: local.name.clone(),
                ty: local.ty,
                mutable: false,
                cell: false,
                span: local.span,
            };
            let shown = self.is_shown_local(inner - 1, id);
            let here = self.scopes.frame_at_mut(inner);
            let new = LocalId(here.locals.len() as u32);
            here.locals.push(copy);
            let origin = match meta.origin {
                origin if is_block => origin,
                Origin::SelfFixed => Origin::SelfFixed,
                _ => Origin::Captured,
            };
            here.meta.push(LocalMeta {
                origin,
                lenient: meta.lenient || shown,
                frozen: meta.frozen,
                constant: meta.constant,
                shared: false,
                source: meta.source,
            });
            here.captures.push((id, new));
            let constant = self.scopes.constant(inner - 1, id).cloned();
            self.scopes.set_constant(inner, new, constant);
            id = new;
        }
        id
    }

    /// Marks a variable of the current frame as assigned at `place`; in a colon block also the variable that it refers to.
    pub(crate) fn mark_mutable(&mut self, id: LocalId, place: Span) {
        let mut id = id;
        for index in (0..self.scopes.frames().len()).rev() {
            self.note_change(index, id, place);
            self.note_taken(index, id);
            let frame = self.scopes.frame_at_mut(index);
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
        let mut frame = self.scopes.take_outermost();
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
            if let Pending::Lambda(func) = &mut self.duties.pending_mut()[block.pending] {
                for id in &inner {
                    func.locals[id.0 as usize].cell = true;
                }
            }
            self.share_cells(&block.blocks, &inner);
        }
    }

    /// Whether there is a `self`. A lambda that only asks does not capture it.
    pub(crate) fn has_self(&self) -> bool {
        let bound = self.scopes.bound(self.scopes.self_name());
        matches!(bound, Some(Bound::Local(..)))
    }

    /// `self`, if this is a method.
    pub(crate) fn find_self(&mut self) -> Option<LocalId> {
        match self.find_local(self.scopes.self_name())? {
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
            .lookup_visible(self.scopes.types().module, name)
            .map(Found::Def)
    }
}
