//! Declarations with their type arguments: which there are, and what is known about each.

use crate::decls::*;
use crate::promises::Promises;
use crate::typed::{AdtId, FuncId, TraitId, TyId};
use rustc_hash::{FxHashMap, FxHashSet};
use simple_syntax::Span;
use std::collections::VecDeque;
use std::ops::{Index, IndexMut};
use std::rc::Rc;

/// A declaration with its type arguments.
type With<T> = (T, Rc<[TyId]>);

/// The instances of functions, types and traits.
pub(crate) struct Instances {
    fns: Vec<Instance>,
    fn_numbers: FxHashMap<With<FnIdx>, usize>,
    by_func: FxHashMap<FuncId, usize>,
    /// Those that were requested and not begun.
    queue: VecDeque<usize>,
    signatures: FxHashMap<With<FnIdx>, Rc<Signature>>,
    /// How many functions wait for another's result type.
    nesting: u32,
    /// Recursive calls that were taken to yield `()`, with the instance they call.
    unit_calls: Vec<(usize, Span)>,
    /// What generic code takes from bounds.
    promises: Promises,
    types: Vec<(DeclIdx, Progress)>,
    type_numbers: FxHashMap<With<DeclIdx>, AdtId>,
    types_completed: usize,
    /// How deeply types nest.
    depths: FxHashMap<TyId, u32>,
    /// What a type mentions, by its number.
    flags: Vec<Option<u8>>,
    traits: Vec<TraitInstance>,
    trait_numbers: FxHashMap<With<TraitIdx>, TraitId>,
    /// Pairs of traits between which objects are converted or tested: types with the first are entered under the second.
    trait_links: Vec<(TraitId, TraitId)>,
    /// Methods of the library in tables of objects, each with the trait's, that are not compared with it yet.
    uncompared: Vec<(With<FnIdx>, With<FnIdx>)>,
    /// Places in tables of objects that something calls.
    called: FxHashSet<(TraitId, u32)>,
    /// What is in the others: functions that are not checked before something calls them.
    uncalled: FxHashMap<(TraitId, u32), Vec<Uncalled>>,
    no_args: Rc<[TyId]>,
}

/// A method of the library in a table of objects, at a place that nothing calls.
struct Uncalled {
    number: usize,
    /// The methods to compare: the trait's and this one, unless they are the same.
    compared: Option<(With<FnIdx>, With<FnIdx>)>,
}

struct TraitInstance {
    of: With<TraitIdx>,
    /// The methods that can be called on an object, in the order of the table.
    methods: Vec<FnIdx>,
}

impl Default for Instances {
    fn default() -> Self {
        Instances {
            fns: Vec::new(),
            fn_numbers: FxHashMap::default(),
            by_func: FxHashMap::default(),
            queue: VecDeque::new(),
            signatures: FxHashMap::default(),
            nesting: 0,
            unit_calls: Vec::new(),
            promises: Promises::default(),
            types: Vec::new(),
            type_numbers: FxHashMap::default(),
            types_completed: 0,
            depths: FxHashMap::default(),
            flags: Vec::new(),
            traits: Vec::new(),
            trait_numbers: FxHashMap::default(),
            trait_links: Vec::new(),
            uncompared: Vec::new(),
            called: FxHashSet::default(),
            uncalled: FxHashMap::default(),
            no_args: Rc::from([]),
        }
    }
}

impl Instances {
    /// The type arguments of what has no type parameters.
    pub fn no_args(&self) -> Rc<[TyId]> {
        self.no_args.clone()
    }

    // Functions

    /// The number of a function with these type arguments, if it was requested.
    pub fn number_of(&self, idx: FnIdx, args: &Rc<[TyId]>) -> Option<usize> {
        self.fn_numbers.get(&(idx, args.clone())).copied()
    }

    /// Enters a function with its type arguments; it is checked once it is [woken](Self::wake).
    pub fn add(&mut self, fn_idx: FnIdx, args: Rc<[TyId]>, id: FuncId) -> usize {
        let number = self.fns.len();
        self.fns.push(Instance {
            fn_idx,
            args: args.clone(),
            progress: Progress::Untouched,
            awake: false,
            id,
            asked: None,
            called: None,
        });
        self.fn_numbers.insert((fn_idx, args), number);
        self.by_func.insert(id, number);
        number
    }

    /// Queues a function, once.
    pub fn wake(&mut self, number: usize) {
        if let Some(instance) = self.fns.get_mut(number)
            && !std::mem::replace(&mut instance.awake, true)
        {
            self.queue.push_back(number);
        }
    }

    /// The next function that was requested.
    pub fn next(&mut self) -> Option<usize> {
        self.queue.pop_front()
    }

    pub fn fns(&self) -> &[Instance] {
        &self.fns
    }

    /// `None` for the number that stands for a function with endless type arguments.
    pub fn get_mut(&mut self, number: usize) -> Option<&mut Instance> {
        self.fns.get_mut(number)
    }

    /// The number of the instance that became this function of the output.
    pub fn of_func(&self, id: FuncId) -> Option<usize> {
        self.by_func.get(&id).copied()
    }

    /// Whether a function of the output has no body because nothing calls it.
    pub fn waits(&self, id: FuncId) -> bool {
        let instance = self.of_func(id).map(|number| &self.fns[number]);
        instance.is_some_and(|it| !it.awake && it.progress == Progress::Untouched)
    }

    pub fn signature(&self, idx: FnIdx, args: &Rc<[TyId]>) -> Option<Rc<Signature>> {
        self.signatures.get(&(idx, args.clone())).cloned()
    }

    pub fn keep_signature(&mut self, idx: FnIdx, args: Rc<[TyId]>, signature: Rc<Signature>) {
        self.signatures.insert((idx, args), signature);
    }

    /// How many functions wait for another's result type.
    pub fn nesting(&self) -> u32 {
        self.nesting
    }

    pub fn nest(&mut self) {
        self.nesting += 1;
    }

    pub fn unnest(&mut self) {
        self.nesting -= 1;
    }

    /// Recursive calls that were taken to yield `()`, with the instance they call.
    pub fn unit_calls(&self) -> &[(usize, Span)] {
        &self.unit_calls
    }

    pub fn add_unit_call(&mut self, number: usize, span: Span) {
        self.unit_calls.push((number, span));
    }

    /// Takes out the calls of one instance that were taken to yield `()`.
    pub fn take_unit_calls(&mut self, number: usize) -> Vec<Span> {
        let calls = std::mem::take(&mut self.unit_calls);
        let (own, other): (Vec<_>, Vec<_>) = calls.into_iter().partition(|(of, _)| *of == number);
        self.unit_calls = other;
        own.into_iter().map(|(_, span)| span).collect()
    }

    pub fn promises(&self) -> &Promises {
        &self.promises
    }

    pub fn promises_mut(&mut self) -> &mut Promises {
        &mut self.promises
    }

    // Types

    pub fn type_of(&self, idx: DeclIdx, args: &Rc<[TyId]>) -> Option<AdtId> {
        self.type_numbers.get(&(idx, args.clone())).copied()
    }

    /// Enters a type with its type arguments under the next number.
    pub fn add_type(&mut self, idx: DeclIdx, args: Rc<[TyId]>) -> AdtId {
        let id = AdtId(self.types.len() as u32);
        self.types.push((idx, Progress::Untouched));
        self.type_numbers.insert((idx, args), id);
        id
    }

    /// The declaration of a type.
    pub fn decl_of(&self, adt: AdtId) -> DeclIdx {
        self.types[adt.0 as usize].0
    }

    /// How far the fields of a type are resolved.
    pub fn progress_of(&self, adt: AdtId) -> Progress {
        self.types[adt.0 as usize].1
    }

    pub fn set_progress_of(&mut self, adt: AdtId, progress: Progress) {
        self.types[adt.0 as usize].1 = progress;
    }

    /// The next type that has not been completed, which counts as completed from here on.
    pub fn next_type_to_complete(&mut self) -> Option<AdtId> {
        (self.types_completed < self.types.len()).then(|| {
            self.types_completed += 1;
            AdtId(self.types_completed as u32 - 1)
        })
    }

    /// What a type mentions, such as error types, if that was computed.
    pub fn flags(&self, ty: TyId) -> Option<u8> {
        *self.flags.get(ty.0 as usize)?
    }

    pub fn keep_flags(&mut self, ty: TyId, flags: u8) {
        let at = ty.0 as usize;
        if self.flags.len() <= at {
            self.flags.resize(at + 1, None);
        }
        self.flags[at] = Some(flags);
    }

    pub fn depth(&self, ty: TyId) -> Option<u32> {
        self.depths.get(&ty).copied()
    }

    pub fn keep_depth(&mut self, ty: TyId, depth: u32) {
        self.depths.insert(ty, depth);
    }

    // Traits

    pub fn trait_with(&self, idx: TraitIdx, args: &Rc<[TyId]>) -> Option<TraitId> {
        self.trait_numbers.get(&(idx, args.clone())).copied()
    }

    /// Enters a trait with its type arguments under the next number.
    pub fn add_trait(&mut self, idx: TraitIdx, args: Rc<[TyId]>) -> TraitId {
        let id = TraitId(self.traits.len() as u32);
        self.traits.push(TraitInstance {
            of: (idx, args.clone()),
            methods: Vec::new(),
        });
        self.trait_numbers.insert((idx, args), id);
        id
    }

    /// A trait's declaration and type arguments.
    pub fn trait_of(&self, id: TraitId) -> &With<TraitIdx> {
        &self.traits[id.0 as usize].of
    }

    /// The methods that can be called on an object, in the order of the table.
    pub fn object_methods(&self, id: TraitId) -> &[FnIdx] {
        &self.traits[id.0 as usize].methods
    }

    pub fn set_object_methods(&mut self, id: TraitId, methods: Vec<FnIdx>) {
        self.traits[id.0 as usize].methods = methods;
    }

    /// Keeps a method of the library in a table of objects, to be compared with the one of its trait.
    pub fn compare_later(&mut self, of_trait: With<FnIdx>, method: With<FnIdx>) {
        self.uncompared.push((of_trait, method));
    }

    /// The trait's method and the one in a table that must be compared.
    pub fn next_to_compare(&mut self) -> Option<(With<FnIdx>, With<FnIdx>)> {
        self.uncompared.pop()
    }

    /// Whether something calls the method at this place of the tables of a trait.
    pub fn is_called(&self, id: TraitId, method: u32) -> bool {
        self.called.contains(&(id, method))
    }

    /// Lets a method wait until something calls what is at its place of the tables of a trait.
    pub fn wait_for_call(
        &mut self,
        place: (TraitId, u32),
        number: usize,
        compared: Option<(With<FnIdx>, With<FnIdx>)>,
    ) {
        let waiting = self.uncalled.entry(place).or_default();
        waiting.push(Uncalled { number, compared });
    }

    /// Notes that something calls the method at this place of the tables of a trait: what waits there is checked.
    pub fn call(&mut self, id: TraitId, method: u32) {
        if !self.called.insert((id, method)) {
            return;
        }
        for waiting in self.uncalled.remove(&(id, method)).unwrap_or_default() {
            self.wake(waiting.number);
            self.uncompared.extend(waiting.compared);
        }
    }

    /// Pairs of traits between which objects are converted or tested: types with the first are entered under the second.
    pub fn trait_links(&self) -> &[(TraitId, TraitId)] {
        &self.trait_links
    }

    /// Links two traits; whether they were not linked yet.
    pub fn link(&mut self, from: TraitId, to: TraitId) -> bool {
        let new = !self.trait_links.contains(&(from, to));
        if new {
            self.trait_links.push((from, to));
        }
        new
    }
}

impl Index<usize> for Instances {
    type Output = Instance;

    fn index(&self, number: usize) -> &Instance {
        &self.fns[number]
    }
}

impl IndexMut<usize> for Instances {
    fn index_mut(&mut self, number: usize) -> &mut Instance {
        &mut self.fns[number]
    }
}
