//! Frames: what is known of one function of the nest that a body is, and of its variables.

use super::{named, traps};
use crate::decls::Def;
use crate::typed::{Local, LocalId, TyId};
use rustc_hash::FxHashMap;
use simple_syntax::ast;
use std::rc::Rc;

/// What a name in scope means.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Binding {
    pub(crate) to: Bound,
    /// Number of open scopes when it was bound.
    pub(crate) depth: u32,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Bound {
    /// A variable of a frame.
    Local(usize, LocalId),
    /// A declaration: a `use` or nested function inside a body.
    Def(Def),
}

/// How a variable came to be; decides what may be done with it and what messages call it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Origin {
    Param,
    Val,
    Var,
    Loop,
    Pattern,
    Captured,
    /// `self` where it may not be changed.
    SelfFixed,
    /// `self` of a `me` method of a value type.
    SelfMutable,
    /// Made up by the checker.
    Temp,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct LocalMeta {
    pub(crate) origin: Origin,
    pub(crate) lenient: bool,
    /// Bound to what `freeze` yields.
    pub(crate) frozen: bool,
    /// Declared with `const`.
    pub(crate) constant: bool,
    /// Whether a colon block captures the variable itself.
    pub(crate) shared: bool,
    /// What it was bound to, for warnings.
    pub(crate) source: traps::Source,
}

/// A colon block of a frame, once it is closed.
#[derive(Clone)]
pub(crate) struct BlockCaptures {
    /// Its number among what is pending.
    pub(crate) pending: usize,
    /// Variables of the frame outside and what they are in the block.
    pub(crate) captures: Vec<(LocalId, LocalId)>,
    /// The colon blocks in it.
    pub(crate) blocks: Vec<BlockCaptures>,
}

/// One function of the nest: the outermost, or a lambda in it.
#[derive(Clone)]
pub(crate) struct Frame<'a> {
    pub(crate) locals: Vec<Local>,
    pub(crate) meta: Vec<LocalMeta>,
    pub(crate) params: Vec<LocalId>,
    /// Variables of the frame outside and what they are here.
    pub(crate) captures: Vec<(LocalId, LocalId)>,
    /// Closed colon blocks directly in it.
    pub(crate) blocks: Vec<BlockCaptures>,
    /// What calls by the names of variables know about the functions that these hold.
    pub(crate) named: FxHashMap<LocalId, Rc<[named::NamedParam<'a>]>>,
    /// The result type, if it is known.
    pub(crate) ret: Option<TyId>,
    /// The result type as written.
    pub(crate) written_ret: Option<&'a ast::TypeExpr>,
    /// Results of `return` while the type is being inferred.
    pub(crate) seen_ret: Option<TyId>,
    /// The type of what it yields, if it is a generator; its result type is `()` then.
    pub(crate) generates: Option<TyId>,
    /// Whether a loop is open, and whether its `break` was met.
    pub(crate) loops: Vec<bool>,
    pub(crate) kind: FrameKind,
    /// Whether it is that of a function with a name, not of a lambda or block.
    pub(crate) declared: bool,
    /// Whether this is code of a `defer` or `finally`.
    pub(crate) deferring: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FrameKind {
    Function,
    Lambda,
    /// A colon block: looks like a lambda, but is meant to act on the enclosing variables.
    ColonBlock,
    /// Module initializer.
    Init,
}

impl Frame<'_> {
    pub(crate) fn new(kind: FrameKind, ret: Option<TyId>) -> Self {
        Frame {
            locals: Vec::new(),
            meta: Vec::new(),
            params: Vec::new(),
            captures: Vec::new(),
            blocks: Vec::new(),
            named: FxHashMap::default(),
            ret,
            written_ret: None,
            seen_ret: None,
            generates: None,
            loops: Vec::new(),
            kind,
            declared: kind == FrameKind::Function,
            deferring: false,
        }
    }
}
