//! What a check is given: the program's texts, whom to ask about the world, and how to check.

use crate::arena::ModuleArena;
use crate::checker::CheckOptions;
use crate::decls::ModIdx;
use crate::listed::Reading;
use crate::loader::{ExternSignatures, SourceLoader};
use crate::session::SessionState;
use simple_syntax::{SourceMap, Span, ast};

/// What a check is given.
pub(crate) struct Input<'a> {
    arena: &'a ModuleArena,
    loader: &'a dyn SourceLoader,
    externs: &'a dyn ExternSignatures,
    sources: SourceMap,
    /// How modules of the program that others import are read.
    reading: Reading,
    /// [`CheckOptions::rehearse`].
    rehearses: bool,
    /// The module that the program starts with.
    root: ModIdx,
    /// What a session knows; empty for a whole program.
    session: SessionState<'a>,
}

impl<'a> Input<'a> {
    pub fn new(
        arena: &'a ModuleArena,
        loader: &'a dyn SourceLoader,
        externs: &'a dyn ExternSignatures,
        options: CheckOptions,
    ) -> Input<'a> {
        Input {
            arena,
            loader,
            externs,
            sources: SourceMap::default(),
            reading: match options.only_used {
                true => Reading::Used,
                false => Reading::Whole,
            },
            rehearses: options.rehearse,
            root: ModIdx(0),
            session: SessionState::default(),
        }
    }

    /// Keeps a tree for as long as the check takes.
    pub fn keep(&self, tree: ast::Module) -> &'a ast::Module {
        self.arena.keep(tree)
    }

    pub fn loader(&self) -> &'a dyn SourceLoader {
        self.loader
    }

    pub fn externs(&self) -> &'a dyn ExternSignatures {
        self.externs
    }

    pub fn sources(&self) -> &SourceMap {
        &self.sources
    }

    pub fn sources_mut(&mut self) -> &mut SourceMap {
        &mut self.sources
    }

    pub fn into_sources(self) -> SourceMap {
        self.sources
    }

    /// What is written at `span`.
    pub fn text(&self, span: Span) -> &str {
        self.sources.text(span)
    }

    pub fn reading(&self) -> Reading {
        self.reading
    }

    pub fn rehearses(&self) -> bool {
        self.rehearses
    }

    pub fn root(&self) -> ModIdx {
        self.root
    }

    pub fn set_root(&mut self, root: ModIdx) {
        self.root = root;
    }

    pub fn session(&self) -> &SessionState<'a> {
        &self.session
    }

    pub fn session_mut(&mut self) -> &mut SessionState<'a> {
        &mut self.session
    }
}
