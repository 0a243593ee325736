//! What the variables of a loop hold, in terms of what the loop counts and of what it leaves alone.
//!
//! An expression is either the same in every turn, or a straight line: a counter, sums and differences of lines, and lines times what is
//! the same. Comparisons of these are expressions too. Loads are the same in every turn if the loop stores nothing there.

use super::Body;
use crate::mir::{BinOp, Block, CheckedOp, CmpOp, Function, Inst, MTy, Term, Var};
use crate::repr::size_of;
use rustc_hash::{FxHashMap, FxHashSet};
use simple_core::layout::ARRAY_DATA;

/// An expression, by its number in [`Symbols::exprs`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Id(pub u32);

/// How an expression is made.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Made {
    /// A variable that the loop does not assign.
    Leaf(Var),
    /// What a counter holds when the turn begins.
    Counter(Var),
    /// Arithmetic of `I64` that does not overflow; of a [`CheckedOp`], or of a wrapping operation of a line.
    Exact(CheckedOp, Id, Id),
    /// An instruction whose operands are expressions, by number instead of variables, all the same in every turn.
    By(Inst),
    /// An element of an array, the same in every turn.
    Element { array: Id, index: Id, scale: u32 },
    /// A comparison of lines.
    Cmp(CmpOp, Id, Id),
    /// Both of two conditions.
    Both(Id, Id),
}

pub(super) struct Expr {
    pub made: Made,
    pub ty: MTy,
    /// Whether it differs between turns.
    pub varies: bool,
}

/// What a variable holds.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Node {
    Expr(Id),
    /// The address of an element.
    Element {
        array: Id,
        index: Id,
        scale: u32,
    },
    /// Some address in an array.
    Inside,
    Other,
}

/// What a load or store looks at.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place {
    /// An element of an array that has one scalar in each place.
    Element {
        array: Id,
        index: Id,
        scale: u32,
    },
    /// A field of an object, which no element is.
    Field,
    Other,
}

/// A counter's change in every turn.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub by: Id,
    pub negative: bool,
}

/// What is known of a loop.
pub(super) struct Symbols {
    pub exprs: Vec<Expr>,
    known: FxHashMap<(MTy, Made), Id>,
    /// What each instruction assigns, by block and index.
    pub defs: FxHashMap<(u32, usize), Node>,
    /// What each load looks at.
    pub bases: FxHashMap<(u32, usize), Id>,
    /// What each load and store looks at.
    pub places: FxHashMap<(u32, usize), Place>,
    /// Objects that may be looked at before the loop.
    pub there: FxHashSet<Id>,
    /// The condition at the end of each block.
    pub conds: FxHashMap<u32, Node>,
    /// The conditions of checks.
    pub checks: FxHashMap<(u32, usize), Node>,
    pub counters: FxHashMap<Var, Step>,
    /// Per load: its object, and others to whose fields at that place the loop stores.
    pub apart: FxHashMap<Id, Vec<(Id, Id)>>,
    /// Pointers, loaded before the loop, that may be to nothing in turns that do not use them.
    pub unsure: FxHashSet<Id>,
    /// Blocks that only some choice reaches which is the same in every turn: what they use need not be there.
    pub chosen: FxHashSet<u32>,
}

impl Symbols {
    pub fn expr(&self, id: Id) -> &Expr {
        &self.exprs[id.0 as usize]
    }

    /// The integer that an expression is.
    pub fn number(&self, id: Id) -> Option<i64> {
        match &self.expr(id).made {
            Made::By(Inst::Const(_, crate::mir::Const::Int(number))) => Some(*number),
            _ => None,
        }
    }
}

/// The stores of a loop.
#[derive(Default)]
struct Stores {
    /// To fields: the type, the place, and the variable with the object if the loop leaves it alone.
    fields: Vec<(MTy, i32, Option<Var>)>,
    /// The types of all that is stored anywhere.
    types: Vec<MTy>,
}

/// Reads a loop; `None` where it counts nothing.
pub(super) fn read(func: &Function, body: &Body<'_>) -> Option<Symbols> {
    let mut assigned = FxHashSet::default();
    for inst in (body.order.iter()).flat_map(|id| &func.blocks[*id as usize].insts) {
        inst.each_def(&mut |var| {
            assigned.insert(var);
        });
    }
    // Each is taken for a counter until a turn shows otherwise.
    let integer = |var: &&Var| func.vars[var.0 as usize] == MTy::I64;
    let mut counters: FxHashSet<Var> = assigned.iter().filter(integer).copied().collect();
    let mut stores = None;
    loop {
        let mut reader = Reader {
            func,
            body,
            assigned: &assigned,
            counters: &counters,
            stores: stores.as_ref(),
            found: Stores::default(),
            certain: false,
            early: false,
            used: FxHashSet::default(),
            symbols: Symbols {
                exprs: Vec::new(),
                known: FxHashMap::default(),
                defs: FxHashMap::default(),
                bases: FxHashMap::default(),
                places: FxHashMap::default(),
                there: FxHashSet::default(),
                conds: FxHashMap::default(),
                checks: FxHashMap::default(),
                counters: FxHashMap::default(),
                apart: FxHashMap::default(),
                unsure: FxHashSet::default(),
                chosen: FxHashSet::default(),
            },
        };
        let end = reader.run();
        let steps: FxHashMap<Var, Step> = (counters.iter())
            .filter_map(|var| Some((*var, reader.step(&end, *var)?)))
            .collect();
        if steps.is_empty() {
            return None;
        }
        let (found, mut symbols) = (reader.found, reader.symbols);
        // What is stored where is first known after a round.
        // [condition symbols.settled]: a variable that is found not to be a counter is not one in what was read either.
        // [condition symbols.stores_known]: in the first round no store is known.
        if steps.len() == counters.len() && stores.is_some() {
            symbols.counters = steps;
            return Some(symbols);
        }
        counters = steps.into_keys().collect();
        stores = Some(found);
    }
}

type Env = FxHashMap<Var, Node>;

struct Reader<'l> {
    func: &'l Function,
    body: &'l Body<'l>,
    assigned: &'l FxHashSet<Var>,
    counters: &'l FxHashSet<Var>,
    stores: Option<&'l Stores>,
    found: Stores,
    /// Whether every turn goes through the block that is being read, as far as is known before the loop.
    certain: bool,
    /// Whether a turn may be over before that block, by something of which nothing is known.
    early: bool,
    /// Pointers, loaded before the loop, to objects that every turn uses.
    used: FxHashSet<Id>,
    symbols: Symbols,
}

impl Reader<'_> {
    /// Reads the blocks; returns what variables hold at the end of a turn.
    fn run(&mut self) -> Env {
        let count = self.body.order.len();
        let mut before: Vec<Vec<usize>> = vec![Vec::new(); count];
        for (at, id) in self.body.order.iter().enumerate() {
            for target in self.func.blocks[*id as usize].term.targets() {
                if let Some(to) = self.body.after(target)
                    && !before[to].contains(&at)
                {
                    before[to].push(at);
                }
            }
        }
        // Per block: the blocks that every way to it leads through, as bits.
        let mut through: Vec<u64> = Vec::with_capacity(count);
        for (at, before) in before.iter().enumerate() {
            let all = before.iter().map(|from| through[*from]);
            // [condition symbols.through]: a block is on all paths only if it is on each.
            through.push(all.reduce(|a, b| a & b).unwrap_or(0) | 1 << at);
        }
        let end = self.body.position[&self.body.natural.end.0];
        let mut envs: Vec<Env> = Vec::with_capacity(count);
        // The blocks after which a turn may be over, by something of which nothing is known.
        let mut ends = 0;
        for (at, before) in before.iter().enumerate() {
            let id = self.body.order[at];
            let always = through[end] >> at & 1 == 1;
            self.early = through[at] & ends != 0;
            // [condition symbols.always]: a block that not all turns go through tells nothing of all turns.
            // [condition symbols.certain_early]: nor does one before which a turn may be over.
            self.certain = always && !self.early;
            // [condition symbols.chosen_always]: where all turns go is chosen by none.
            let chosen = !always
                && before.iter().any(|from| {
                    let from = self.body.order[*from];
                    // [condition symbols.chosen_before]: what follows a choice is chosen, too.
                    // [condition symbols.chooses]: a choice that is the same in all turns may be what protects what follows.
                    self.symbols.chosen.contains(&from) || self.chooses(from)
                });
            if chosen {
                self.symbols.chosen.insert(id);
            }
            let mut env = self.joined(before, &envs);
            self.block(id, &mut env);
            envs.push(env);
            let targets = self.func.blocks[id as usize].term.targets();
            let leaves = targets
                .iter()
                .any(|to| !self.body.position.contains_key(&to.0));
            // [condition symbols.leaves]: only what leaves the loop ends a turn early.
            // [condition symbols.leaves_unknown]: what is asked ends no turn.
            if leaves && self.symbols.conds.get(&id) == Some(&Node::Other) {
                ends |= 1 << at;
            }
        }
        envs.swap_remove(end)
    }

    /// Whether the block goes two ways of the loop by something that may be the same in every turn, in part or as a whole.
    fn chooses(&self, block: u32) -> bool {
        let Block { insts, term, .. } = &self.func.blocks[block as usize];
        let targets = term.targets();
        let ways = targets.iter().filter(|to| self.body.after(**to).is_some());
        let compares = |inst: &Inst| match (inst, term) {
            (Inst::Cmp(dst, ..), Term::Branch(cond, ..)) => dst == cond,
            _ => false,
        };
        let varies = match self.symbols.conds.get(&block) {
            Some(Node::Expr(id)) => matches!(self.symbols.expr(*id).made, Made::Cmp(..)),
            _ => insts.iter().any(compares),
        };
        // [condition symbols.two_ways]: with one path within the loop nothing is chosen.
        // [condition symbols.choice_varies]: what differs between iterations is not such a choice.
        ways.count() > 1 && !varies
    }

    fn joined(&self, before: &[usize], envs: &[Env]) -> Env {
        let Some((first, rest)) = before.split_first() else {
            return Env::default();
        };
        let mut env = envs[*first].clone();
        for other in rest {
            let other = &envs[*other];
            let names: Vec<Var> = env.keys().chain(other.keys()).copied().collect();
            for name in names {
                let (a, b) = (self.node_of(name, &env), self.node_of(name, other));
                // [condition symbols.joined]: two paths may leave different values.
                if a != b {
                    env.insert(name, Node::Other);
                }
            }
        }
        env
    }

    /// What a variable holds; a counter that was not assigned yet is `None`, which equals only itself.
    fn node_of(&self, var: Var, env: &Env) -> Option<Node> {
        env.get(&var).copied()
    }

    fn node(&mut self, var: Var, env: &Env) -> Node {
        if let Some(node) = env.get(&var) {
            return *node;
        }
        let ty = self.func.vars[var.0 as usize];
        // [condition symbols.assigned]: what the loop assigns is not the same in all turns.
        if !self.assigned.contains(&var) {
            return Node::Expr(self.expr(Made::Leaf(var), ty, false));
        }
        match self.counters.contains(&var) {
            true => Node::Expr(self.expr(Made::Counter(var), ty, true)),
            false => Node::Other,
        }
    }

    fn expr(&mut self, made: Made, ty: MTy, varies: bool) -> Id {
        let key = (ty, made.clone());
        if let Some(id) = self.symbols.known.get(&key) {
            return *id;
        }
        let id = Id(self.symbols.exprs.len() as u32);
        self.symbols.exprs.push(Expr { made, ty, varies });
        self.symbols.known.insert(key, id);
        id
    }

    fn varies(&self, id: Id) -> bool {
        self.symbols.expr(id).varies
    }

    fn block(&mut self, id: u32, env: &mut Env) {
        let func = self.func;
        let block = &func.blocks[id as usize];
        for (at, inst) in block.insts.iter().enumerate() {
            if let Inst::Check { cond, .. } = inst {
                let node = self.node(*cond, env);
                self.symbols.checks.insert((id, at), node);
            }
            if let Inst::Load(_, base, _) | Inst::LoadAt(_, base, ..) = inst
                && let Some(base) = self.known(*base, env)
            {
                self.symbols.bases.insert((id, at), base);
            }
            self.note_store(inst, env);
            if let Some(place) = self.place(inst, env) {
                self.symbols.places.insert((id, at), place);
            }
            let node = self.inst(id, inst, env).unwrap_or(Node::Other);
            inst.each_def(&mut |var| {
                self.symbols.defs.insert((id, at), node);
                env.insert(var, node);
            });
        }
        if let Term::Branch(cond, ..) = &block.term {
            let node = self.node(*cond, env);
            self.symbols.conds.insert(id, node);
        }
    }

    fn place(&mut self, inst: &Inst, env: &Env) -> Option<Place> {
        Some(match inst {
            Inst::Load(_, base, offset) | Inst::Store(base, offset, _) => {
                match self.node(*base, env) {
                    Node::Element {
                        array,
                        index,
                        scale,
                        // [condition symbols.place_offset]: a part of an element is not the element.
                    } if *offset == 0 => Place::Element {
                        array,
                        index,
                        scale,
                    },
                    // [condition symbols.place_field]: no field is in the first place of an object, where its count is.
                    Node::Expr(_) if *offset != 0 => Place::Field,
                    // [condition symbols.place_inside]: some address in an array may be that of an element.
                    _ => Place::Other,
                }
            }
            Inst::LoadAt(_, base, index, scale, ARRAY_DATA)
            | Inst::StoreAt(base, index, scale, ARRAY_DATA, _) => {
                match (self.known(*base, env), self.known(*index, env)) {
                    (Some(array), Some(index)) => Place::Element {
                        array,
                        index,
                        scale: *scale,
                    },
                    _ => Place::Other,
                }
            }
            Inst::LoadAt(..) | Inst::StoreAt(..) => Place::Other,
            _ => return None,
        })
    }

    fn note_store(&mut self, inst: &Inst, env: &Env) {
        match inst {
            // [condition symbols.store_at]: a store by index may be to the element that is loaded.
            Inst::StoreAt(.., src) => self.found.types.push(self.func.vars[src.0 as usize]),
            Inst::Store(base, offset, src) => {
                let ty = self.func.vars[src.0 as usize];
                // [condition symbols.store]: so may a store by address.
                self.found.types.push(ty);
                let object = match self.node(*base, env) {
                    // [condition symbols.store_in_array]: no field is within an array.
                    Node::Element { .. } | Node::Inside => return,
                    Node::Expr(id) => match self.symbols.expr(id).made {
                        Made::Leaf(var) => Some(var),
                        _ => None,
                    },
                    Node::Other => None,
                };
                // [condition symbols.store_field]: a field that the loop stores to is not the same in all turns.
                self.found.fields.push((ty, *offset, object));
            }
            _ => {}
        }
    }

    fn inst(&mut self, block: u32, inst: &Inst, env: &Env) -> Option<Node> {
        let ty = |var: &Var| self.func.vars[var.0 as usize];
        match inst {
            Inst::Copy(_, src) => Some(self.node(*src, env)),
            Inst::Checked(dst, op, signed, a, b, _) => {
                // [condition symbols.signed]: an unsigned sum overflows elsewhere.
                // [condition symbols.sum_wide]: a sum of fewer bits overflows earlier.
                let plain = *signed && ty(dst) == MTy::I64;
                let (a, b) = (self.known(*a, env)?, self.known(*b, env)?);
                plain.then(|| self.line(*op, a, b)).flatten()
            }
            Inst::Bin(dst, op, a, b) => {
                let (a_id, b_id) = (self.known(*a, env)?, self.known(*b, env)?);
                if !self.varies(a_id) && !self.varies(b_id) {
                    let divides = [BinOp::Div, BinOp::UDiv, BinOp::Rem, BinOp::URem];
                    let whole = !matches!(ty(dst), MTy::F32 | MTy::F64);
                    // What was divided by may be known to be there only in some turns.
                    // [condition symbols.divides]: what is divided by may be 0 in turns that do not divide.
                    // [condition symbols.divides_whole]: floats are divided by 0 without an error.
                    return match whole && divides.contains(op) {
                        true => None,
                        false => self.same(inst, env),
                    };
                }
                match (op, ty(dst)) {
                    // [condition symbols.add_wide]: a sum of fewer bits goes around earlier.
                    (BinOp::Add, MTy::I64) => self.line(CheckedOp::Add, a_id, b_id),
                    // [condition symbols.sub_wide]: so does a difference.
                    (BinOp::Sub, MTy::I64) => self.line(CheckedOp::Sub, a_id, b_id),
                    // [condition symbols.mul_wide]: so does a product.
                    (BinOp::Mul, MTy::I64) => self.line(CheckedOp::Mul, a_id, b_id),
                    // [condition symbols.both_bool]: bits of numbers are no conditions.
                    (BinOp::And, MTy::I8) => {
                        Some(Node::Expr(self.expr(Made::Both(a_id, b_id), MTy::I8, true)))
                    }
                    _ => None,
                }
            }
            Inst::Cmp(_, op, a, b) => {
                let (a_id, b_id) = (self.known(*a, env)?, self.known(*b, env)?);
                match self.varies(a_id) || self.varies(b_id) {
                    // [condition symbols.cmp_wide]: a comparison of truth values has no ends.
                    true if ty(a) == MTy::I64 => {
                        let made = Made::Cmp(*op, a_id, b_id);
                        Some(Node::Expr(self.expr(made, MTy::I8, true)))
                    }
                    true => None,
                    false => self.same(inst, env),
                }
            }
            Inst::Const(..) | Inst::Un(..) | Inst::Conv(..) | Inst::Select(..) => {
                self.same(inst, env)
            }
            Inst::Load(dst, base, offset) => match self.node(*base, env) {
                Node::Element {
                    array,
                    index,
                    scale,
                    // [condition symbols.element_offset]: a part of an element is not the element.
                } if *offset == 0 => self.element(block, ty(dst), array, index, scale),
                Node::Expr(object) => self.field(block, inst, object, env),
                _ => None,
            },
            Inst::LoadAt(dst, base, index, scale, ARRAY_DATA) => {
                let (array, index) = (self.known(*base, env)?, self.known(*index, env)?);
                self.element(block, ty(dst), array, index, *scale)
            }
            Inst::AddrAt(_, base, index, scale, offset) => {
                let place = (self.known(*base, env), self.known(*index, env));
                Some(match place {
                    // [condition symbols.address_data]: an address elsewhere is not that of an element.
                    (Some(array), Some(index)) if *offset == ARRAY_DATA => Node::Element {
                        array,
                        index,
                        scale: *scale,
                    },
                    _ => Node::Inside,
                })
            }
            _ => None,
        }
    }

    fn known(&mut self, var: Var, env: &Env) -> Option<Id> {
        match self.node(var, env) {
            Node::Expr(id) => Some(id),
            _ => None,
        }
    }

    /// Arithmetic that gives a straight line, or the same in every turn.
    fn line(&mut self, op: CheckedOp, a: Id, b: Id) -> Option<Node> {
        let (x, y) = (self.varies(a), self.varies(b));
        // [condition symbols.product]: a product of two lines is not a line.
        if op == CheckedOp::Mul && x && y {
            return None;
        }
        Some(Node::Expr(self.expr(
            Made::Exact(op, a, b),
            MTy::I64,
            // [condition symbols.line_varies]: a sum varies if one of its parts does.
            x || y,
        )))
    }

    /// An instruction that gives the same in every turn, if its operands are.
    fn same(&mut self, inst: &Inst, env: &Env) -> Option<Node> {
        let mut operands = Vec::new();
        inst.each_use(&mut |var| operands.push(var));
        for operand in operands {
            let id = self.known(operand, env)?;
            // [condition symbols.same_varies]: what varies is not the same in all turns.
            if self.varies(id) {
                return None;
            }
        }
        let mut made = inst.clone();
        made.map_uses(&mut |var| match self.node(var, env) {
            Node::Expr(id) => Var(id.0),
            _ => var,
        });
        let mut ty = MTy::I64;
        made.map_defs(&mut |var| {
            ty = self.func.vars[var.0 as usize];
            Var(0)
        });
        Some(Node::Expr(self.expr(Made::By(made), ty, false)))
    }

    /// Whether an object may be looked at before the loop.
    fn is_there(&mut self, block: u32, object: Id) -> bool {
        // [condition symbols.object_varies]: an object that is another one in each turn is not looked at before.
        // [condition symbols.object_chosen]: a choice that no turn takes may protect it.
        if self.varies(object) || self.symbols.chosen.contains(&block) {
            return false;
        }
        // [condition symbols.certain]: only what all turns use is sure to be there.
        if self.certain {
            self.used.insert(object);
        }
        // A pointer that was loaded may be to nothing in turns that do not use it: that is asked.
        let loaded = !matches!(self.symbols.expr(object).made, Made::Leaf(_));
        // [condition symbols.loaded]: a variable that the loop does not assign holds an object.
        // [condition symbols.used]: what all turns use is there.
        if loaded && !self.used.contains(&object) {
            // Whether a turn gets here may depend on what the pointer is.
            // [condition symbols.early]: a turn may be over before, because of what the pointer is.
            if self.early {
                return false;
            }
            self.symbols.unsure.insert(object);
        }
        self.symbols.there.insert(object);
        true
    }

    fn field(&mut self, block: u32, inst: &Inst, object: Id, env: &Env) -> Option<Node> {
        let Inst::Load(dst, _, offset) = inst else {
            return None;
        };
        let ty = self.func.vars[dst.0 as usize];
        let stores = self.stores?;
        // [condition symbols.field_there]: an object that may not be there is not looked at.
        if !self.is_there(block, object) {
            return None;
        }
        let mut apart = Vec::new();
        for (stored, at, base) in &stores.fields {
            // [condition symbols.field_type]: a store of another type is to another field.
            // [condition symbols.field_offset]: a store at another place is to another field.
            if *stored != ty || at != offset {
                continue;
            }
            // [condition symbols.field_base]: a store to an object that is not known may be to this one.
            let other = self.expr(Made::Leaf((*base)?), MTy::Ptr, false);
            // [condition symbols.field_same]: the same variable holds the same object.
            if other == object {
                return None;
            }
            apart.push((object, other));
        }
        let node = self.same(inst, env)?;
        if let Node::Expr(id) = node {
            self.symbols.apart.insert(id, apart);
        }
        Some(node)
    }

    fn element(&mut self, block: u32, ty: MTy, array: Id, index: Id, scale: u32) -> Option<Node> {
        let stores = self.stores?;
        // [condition symbols.index_varies]: an element that is another one in each turn is not loaded before.
        // [condition symbols.element_scale]: a part of an element is not where an element of its size would be.
        // [condition symbols.element_stored]: the loop may store to the element.
        let same = !self.varies(index) && scale == size_of(ty) && !stores.types.contains(&ty);
        // [condition symbols.element_there]: an array that may not be there is not looked at.
        if !same || !self.is_there(block, array) {
            return None;
        }
        let made = Made::Element {
            array,
            index,
            scale,
        };
        Some(Node::Expr(self.expr(made, ty, false)))
    }

    /// What a turn adds to a variable.
    fn step(&self, end: &Env, var: Var) -> Option<Step> {
        let Node::Expr(id) = *end.get(&var)? else {
            return None;
        };
        let own = |id: Id| self.symbols.expr(id).made == Made::Counter(var);
        let (by, negative) = match self.symbols.expr(id).made {
            // [condition symbols.own]: a counter continues from its own value.
            Made::Exact(CheckedOp::Add, a, by) if own(a) => (by, false),
            // [condition symbols.own_right]: also where it is on the right.
            Made::Exact(CheckedOp::Add, by, a) if own(a) => (by, false),
            // [condition symbols.own_less]: also downwards.
            // [condition symbols.downwards]: what is taken away leads downwards.
            Made::Exact(CheckedOp::Sub, a, by) if own(a) => (by, true),
            _ => return None,
        };
        // [condition symbols.step_varies]: a step that is another one in each turn makes no line.
        (!self.varies(by)).then_some(Step { by, negative })
    }
}
