//! Where a body is: the frames of its nest of functions, the names in scope, and what is known of variables by their values.
//!
//! Leaves out what names mean, which is `scope.rs`.

use super::expr::ChainLinks;
use super::flow::presence::Present;
use super::frame::{Binding, Bound, Frame, FrameKind};
use super::lambda::PlaceholderScope;
use super::stale::Stale;
use super::*;
use crate::shapes::Named;

type Names = FxHashMap<Symbol, Vec<Binding>>;

/// Where a body is.
#[derive(Clone)]
pub(crate) struct Scopes<'a> {
    /// Where written types are resolved.
    types: TypeScope,
    /// The function and the lambdas around what is being checked, the innermost last.
    frames: Vec<Frame<'a>>,
    names: Names,
    /// Bound names in order, to forget them at the end of a scope.
    log: Vec<Symbol>,
    depth: u32,
    /// `self` as a local, found by name.
    self_name: Symbol,
    /// What `_` means inside an argument.
    placeholders: Vec<PlaceholderScope>,
    /// Open optional chains.
    chains: Vec<ChainLinks>,
    /// Literals that replace local `const`s, by frame and variable.
    constants: FxHashMap<(usize, LocalId), ExprKind>,
    /// Functions that captured what may change after that.
    stale: Stale,
    /// Names in the written shapes of parameters.
    sizes: Named,
    /// Optionals that are known to be there.
    present: Present,
}

/// A place in a body where something is checked later.
#[derive(Clone)]
pub(super) struct Spot {
    /// The frame that it is in.
    home: usize,
    names: Rc<Names>,
    depth: u32,
    types: TypeScope,
}

impl<'a> Scopes<'a> {
    pub fn new(types: TypeScope, frame: Frame<'a>) -> Scopes<'a> {
        Scopes {
            types,
            frames: vec![frame],
            names: FxHashMap::default(),
            log: Vec::new(),
            depth: 0,
            self_name: Symbol::intern("self"),
            placeholders: Vec::new(),
            chains: Vec::new(),
            constants: FxHashMap::default(),
            stale: Stale::default(),
            sizes: FxHashMap::default(),
            present: Present::new(),
        }
    }

    /// Where written types are resolved.
    pub fn types(&self) -> &TypeScope {
        &self.types
    }

    /// From here on they are resolved in this module, until the returned one is given back.
    pub fn change_module(&mut self, module: ModIdx) -> ModIdx {
        std::mem::replace(&mut self.types.module, module)
    }

    // Frames

    /// The number of the innermost frame.
    pub fn here(&self) -> usize {
        self.frames.len() - 1
    }

    pub fn frames(&self) -> &[Frame<'a>] {
        &self.frames
    }

    pub fn frame(&self) -> &Frame<'a> {
        &self.frames[self.here()]
    }

    pub fn frame_mut(&mut self) -> &mut Frame<'a> {
        let here = self.here();
        &mut self.frames[here]
    }

    pub fn frame_at_mut(&mut self, number: usize) -> &mut Frame<'a> {
        &mut self.frames[number]
    }

    pub fn push_frame(&mut self, frame: Frame<'a>) {
        self.frames.push(frame);
    }

    pub fn pop_frame(&mut self) -> Option<Frame<'a>> {
        let ended = self.frames.pop();
        let left = self.frames.len();
        self.present.retain(|path| !path.is_inside(left));
        ended
    }

    /// Takes out the outermost frame, at the end of its body.
    pub fn take_outermost(&mut self) -> Frame<'a> {
        std::mem::replace(&mut self.frames[0], Frame::new(FrameKind::Function, None))
    }

    // Names

    /// Opens a scope; give the result to [`Scopes::close`].
    pub fn open(&mut self) -> usize {
        self.depth += 1;
        self.log.len()
    }

    pub fn close(&mut self, mark: usize) {
        while self.log.len() > mark {
            if let Some(name) = self.log.pop()
                && let Some(stack) = self.names.get_mut(&name)
            {
                stack.pop();
            }
        }
        self.depth -= 1;
    }

    pub fn bind(&mut self, name: Symbol, to: Bound) {
        let depth = self.depth;
        let stack = self.names.entry(name).or_default();
        stack.push(Binding { to, depth });
        self.log.push(name);
    }

    /// What a name is bound to in this body.
    pub fn bound(&self, name: Symbol) -> Option<Bound> {
        Some(self.names.get(&name)?.last()?.to)
    }

    /// The same if it is bound in the innermost scope.
    pub fn bound_here(&self, name: Symbol) -> Option<Bound> {
        let binding = self.names.get(&name)?.last()?;
        (binding.depth == self.depth).then_some(binding.to)
    }

    /// The names that are bound to something.
    pub fn names(&self) -> impl Iterator<Item = Symbol> {
        let bound = self.names.iter().filter(|(_, stack)| !stack.is_empty());
        bound.map(|(&name, _)| name)
    }

    /// The declarations that names are bound to.
    pub fn defs(&self) -> impl Iterator<Item = (Symbol, Def)> {
        let names = self.names.iter();
        names.filter_map(|(&name, stack)| match stack.last()?.to {
            Bound::Def(def) => Some((name, def)),
            Bound::Local(..) => None,
        })
    }

    pub fn self_name(&self) -> Symbol {
        self.self_name
    }

    // Placeholders and chains

    /// The parameter that the next `_`, or `_number`, means: `None` outside of arguments, `Some(None)` where there are too few.
    pub fn next_placeholder(&mut self, number: u32) -> Option<Option<LocalId>> {
        let scope = self.placeholders.last_mut()?;
        Some(scope.next(number))
    }

    pub fn open_placeholders(&mut self, params: Vec<LocalId>) {
        self.placeholders.push(PlaceholderScope::new(params));
    }

    pub fn close_placeholders(&mut self) {
        self.placeholders.pop();
    }

    pub fn open_chain(&mut self) {
        self.chains.push(Vec::new());
    }

    pub fn close_chain(&mut self) -> ChainLinks {
        self.chains.pop().unwrap_or_default()
    }

    /// Whether the innermost chain has a link already.
    pub fn has_links(&self) -> bool {
        self.chains.last().is_some_and(|links| !links.is_empty())
    }

    /// Adds a link to the innermost chain; whether there is one.
    pub fn add_link(&mut self, local: LocalId, option: Expr) -> bool {
        let Some(links) = self.chains.last_mut() else {
            return false;
        };
        links.push((local, option));
        true
    }

    // What is known of variables

    /// The literal that replaces a local `const`.
    pub fn constant(&self, frame: usize, id: LocalId) -> Option<&ExprKind> {
        self.constants.get(&(frame, id))
    }

    pub fn set_constant(&mut self, frame: usize, id: LocalId, value: Option<ExprKind>) {
        match value {
            Some(value) => self.constants.insert((frame, id), value),
            None => self.constants.remove(&(frame, id)),
        };
    }

    /// Optionals that are known to be there.
    pub fn present(&self) -> &Present {
        &self.present
    }

    pub fn present_mut(&mut self) -> &mut Present {
        &mut self.present
    }

    pub fn stale(&self) -> &Stale {
        &self.stale
    }

    pub fn stale_mut(&mut self) -> &mut Stale {
        &mut self.stale
    }

    /// What a name in a written shape means: where the shape is, and which of its sizes.
    pub fn size(&self, name: Symbol) -> Option<(Span, i64)> {
        self.sizes.get(&name).copied()
    }

    pub fn add_size(&mut self, name: Symbol, shape: Span, at: i64) {
        self.sizes.insert(name, (shape, at));
    }

    /// Where this is, for [`Body::at_spot`].
    pub fn spot(&self) -> Spot {
        Spot {
            home: self.here(),
            names: Rc::new(self.names.clone()),
            depth: self.depth,
            types: self.types.clone(),
        }
    }
}

impl<'c, 'a> Body<'c, 'a> {
    /// Checks something as at the place in this body where it is written.
    pub(super) fn at_spot<T>(&mut self, spot: &Spot, act: impl FnOnce(&mut Self) -> T) -> T {
        let deeper = self.scopes.frames.split_off(spot.home + 1);
        let scopes = &mut self.scopes;
        let names = std::mem::replace(&mut scopes.names, FxHashMap::clone(&spot.names));
        let log = std::mem::take(&mut scopes.log);
        let depth = std::mem::replace(&mut scopes.depth, spot.depth);
        let types = std::mem::replace(&mut scopes.types, spot.types.clone());
        let placeholders = std::mem::take(&mut scopes.placeholders);
        let chains = std::mem::take(&mut scopes.chains);
        let constants = scopes.constants.clone();
        let stale = std::mem::take(&mut scopes.stale);
        let present = std::mem::take(&mut scopes.present);
        let done = act(self);
        let scopes = &mut self.scopes;
        scopes.frames.extend(deeper);
        scopes.names = names;
        scopes.log = log;
        scopes.depth = depth;
        scopes.types = types;
        scopes.placeholders = placeholders;
        scopes.chains = chains;
        scopes.constants = constants;
        scopes.stale = stale;
        scopes.present = present;
        done
    }

    /// Checks something with none of the current names in scope, in the scope of another declaration.
    pub(crate) fn isolated<T>(&mut self, types: TypeScope, act: impl FnOnce(&mut Self) -> T) -> T {
        let names = std::mem::take(&mut self.scopes.names);
        let log = std::mem::take(&mut self.scopes.log);
        let depth = std::mem::replace(&mut self.scopes.depth, 0);
        let outer = std::mem::replace(&mut self.scopes.types, types);
        let done = self.within(Context::outside_init, act);
        self.scopes.names = names;
        self.scopes.log = log;
        self.scopes.depth = depth;
        self.scopes.types = outer;
        done
    }

    /// Checks something that is not a part of the optional chains around it.
    pub(super) fn outside_chains<T>(&mut self, act: impl FnOnce(&mut Self) -> T) -> T {
        let chains = std::mem::take(&mut self.scopes.chains);
        let done = act(self);
        self.scopes.chains = chains;
        done
    }
}
