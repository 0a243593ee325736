//! In what a value or statement is: what its surroundings allow, forbid and mean.
//!
//! [`Body::within`] is the only way to change that, and only for what is checked inside.

use super::*;
use simple_syntax::ast::BinaryOp;

/// How deeply expressions may nest.
pub(super) const MAX_DEPTH: u32 = 420;

/// What an initializer sets: the module whose globals they are, and the statement's [`init::turn`].
pub(super) type InInit = (ModIdx, (bool, u32));

/// In what a value or statement is.
#[derive(Clone, Default)]
pub(super) struct Context {
    /// Whether it is in the body of a `try:`.
    tried: bool,
    /// Whether it is in `nograd:`.
    nograd: bool,
    /// The call whose defaults are written out, the outermost of those within each other.
    default_call: Option<Span>,
    /// The operator of the assignment whose place is looked up.
    updating: Option<BinaryOp>,
    init: Option<InInit>,
    /// How many expressions are around it.
    depth: u32,
}

impl Context {
    pub fn in_try(&mut self) {
        self.tried = true;
    }

    pub fn in_nograd(&mut self) {
        self.nograd = true;
    }

    pub fn in_default_of(&mut self, call: Span) {
        self.default_call = Some(call);
    }

    pub fn in_update(&mut self, op: Option<BinaryOp>) {
        self.updating = op;
    }

    pub fn outside_init(&mut self) {
        self.init = None;
    }

    pub fn is_tried(&self) -> bool {
        self.tried
    }

    pub fn is_nograd(&self) -> bool {
        self.nograd
    }

    /// The call whose defaults are written out, the outermost of those within each other.
    pub fn default_call(&self) -> Option<Span> {
        self.default_call
    }

    /// The operator of the assignment whose place is looked up.
    pub fn updating(&self) -> Option<BinaryOp> {
        self.updating
    }

    pub fn init(&self) -> Option<InInit> {
        self.init
    }

    /// From here on the statements of an initializer are checked.
    pub fn set_init(&mut self, init: InInit) {
        self.init = Some(init);
    }
}

/// For what a body is checked, from its beginning to its end.
pub(super) struct Purpose {
    /// When it began.
    begin: Mark,
    /// Whether types mention opaque type parameters: the result is discarded.
    opaque: bool,
    /// The bounds of opaque type parameters, and whether what is taken from them is noted.
    bounds: Rc<[TypeBound]>,
    notes: bool,
    /// The trait whose default method this is.
    of_trait: Option<TraitIdx>,
}

impl Purpose {
    pub fn new(begin: Mark) -> Purpose {
        Purpose {
            begin,
            opaque: false,
            bounds: Rc::from([]),
            notes: false,
            of_trait: None,
        }
    }

    /// The body is checked with opaque type parameters that have these bounds.
    pub fn make_opaque(&mut self, bounds: Vec<TypeBound>, notes: bool) {
        self.opaque = true;
        self.bounds = bounds.into();
        self.notes = notes;
    }

    pub fn set_trait(&mut self, of_trait: Option<TraitIdx>) {
        self.of_trait = of_trait;
    }

    pub fn begin(&self) -> Mark {
        self.begin
    }

    /// Whether types mention opaque type parameters: the result is discarded.
    pub fn is_opaque(&self) -> bool {
        self.opaque
    }

    /// The bounds of opaque type parameters.
    pub fn bounds(&self) -> &Rc<[TypeBound]> {
        &self.bounds
    }

    /// Whether what is taken from bounds is noted.
    pub fn notes_bounds(&self) -> bool {
        self.notes
    }

    /// The trait whose default method this is.
    pub fn of_trait(&self) -> Option<TraitIdx> {
        self.of_trait
    }
}

impl<'c, 'a> Body<'c, 'a> {
    /// Checks something in a context that differs from the one around it by `change`.
    pub(super) fn within<T>(
        &mut self,
        change: impl FnOnce(&mut Context),
        act: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let outer = self.context.clone();
        change(&mut self.context);
        let done = act(self);
        self.context = outer;
        done
    }

    /// Checks an expression inside of those around it, unless they nest too deeply, which is reported.
    pub(super) fn deeper(&mut self, span: Span, act: impl FnOnce(&mut Self) -> Expr) -> Expr {
        if self.context.depth >= MAX_DEPTH {
            let message = "this expression is nested too deeply";
            self.cx.error(simple_syntax::codes::TOO_DEEP, span, message);
            return self.bad(span);
        }
        self.context.depth += 1;
        let value = act(self);
        self.context.depth -= 1;
        value
    }
}
