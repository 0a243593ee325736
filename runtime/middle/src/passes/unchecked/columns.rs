//! A loop that sums is run for several turns of the loop around it at once.
//!
//! In `for j: { sum = 0; for k: sum += a[i * n + k] * b[k * n + j]; c.push(sum) }` each turn of `j` walks down a column of `b`. Here the
//! inner loop is run for 8 values of `j` (16 of `f32`) at a time, one in each place of four vectors, whenever it is reached for a new `j`;
//! the sums of the next seven wait in memory of the frame:
//!
//! ```text
//! inner loop reached:  is a sum there for this j, made from all that this turn begins with? take it
//!                      otherwise ask: are all indexes inside, for the first j and the last, the first k and the last?
//!                      then run it with vectors, take the first sum and keep the others; or run the loop as it was
//! ```
//!
//! Every sum adds the same products in the same order. That nothing which the inner loop reads changes between the turns is seen in the code
//! of the loop around it (no call, no store but to arrays that are other ones), or asked. Sums that are never taken cost time only.

use super::super::asks::{Asks, Before};
use super::super::fast_loops::Natural;
use super::Body;
use super::copy::Alive;
use super::questions::Asker;
use super::symbols::{self, Made, Node, Symbols};
use crate::mir::{
    BinOp, Block, BlockId, CheckedOp, CmpOp, Const, ConvOp, Function, Inst, MTy, SlotId, Term,
    UnOp, Var,
};
use crate::repr::size_of;
use rustc_hash::{FxHashMap, FxHashSet};
use simple_core::layout::ARRAY_DATA;
use simple_core::table::RtFn;

/// How many vectors hold the values of one variable.
const VECTORS: usize = 4;

/// What a variable of the inner loop is for several turns of the outer one.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// The same in all of them.
    Same,
    /// One more in each.
    Index,
    /// A vector element in each.
    Lanes,
    /// A comparison that is asked before the loop.
    Asked,
}

/// Adds such a loop before `inner`; `None` where there is none.
pub(in super::super) fn add_columns(
    func: &mut Function,
    inner: &Natural,
    loops: &[Natural],
) -> Option<()> {
    let around = |outer: &&Natural| {
        outer.head != inner.head && outer.inside.get(inner.head.0 as usize) == Some(&true)
    };
    let size = |outer: &&Natural| outer.inside.iter().filter(|inside| **inside).count();
    let outer = loops.iter().filter(around).min_by_key(size)?;
    let body = super::body(func, inner)?;
    let shape = Shape::of(func, &body, outer)?;
    let symbols = symbols::read(func, &body)?;
    let vars = func.vars.len();
    let columns = Columns::make(func, &body, &shape, &symbols);
    if columns.is_none() {
        func.vars.truncate(vars);
    }
    let columns = columns?;
    place(func, &body, outer, &shape, columns);
    Some(())
}

/// What the two loops are, as far as no expression is needed to see it.
struct Shape {
    /// The variable of the inner loop that is one more in every turn of the outer one.
    lane: Var,
    /// The variables that both sum up and hand on.
    sums: Vec<Var>,
    /// What the inner loop begins with and the outer one assigns.
    keys: Vec<Var>,
    /// Arrays to which the outer loop stores.
    stored: Vec<Var>,
    /// Where the inner loop goes when it ends.
    exit: BlockId,
    /// The type of the sums.
    ty: MTy,
}

impl Shape {
    fn of(func: &Function, body: &Body<'_>, outer: &Natural) -> Option<Shape> {
        let head = &func.blocks[body.natural.head.0 as usize];
        let Term::Branch(_, then, otherwise) = head.term else {
            return None;
        };
        let exit = match (body.after(then), body.after(otherwise)) {
            (Some(_), None) => otherwise,
            (None, Some(_)) => then,
            _ => return None,
        };
        // What an inner turn assigns, and what it reads before that: its blocks are one after the other.
        let (mut assigned, mut first) = (FxHashSet::default(), Vec::new());
        for (at, id) in body.order.iter().enumerate() {
            let block = &func.blocks[*id as usize];
            let stays = block.term.targets();
            let mut next = stays.iter().filter(|to| body.position.contains_key(&to.0));
            let one = next.next()?;
            let expected = body.order.get(at + 1).unwrap_or(&body.natural.head.0);
            if next.next().is_some() || one.0 != *expected {
                return None;
            }
            for inst in &block.insts {
                if matches!(
                    inst,
                    Inst::Store(..) | Inst::StoreAt(..) | Inst::Check { .. }
                ) {
                    return None;
                }
                inst.each_use(&mut |var| {
                    if !assigned.contains(&var) && !first.contains(&var) {
                        first.push(var);
                    }
                });
                inst.each_def(&mut |var| {
                    assigned.insert(var);
                });
            }
        }
        let float = |var: &Var| matches!(func.vars[var.0 as usize], MTy::F32 | MTy::F64);
        let carried = |var: &&Var| assigned.contains(*var);
        let sums: Vec<Var> = (first.iter().filter(carried).copied())
            .filter(float)
            .collect();
        let ty = func.vars[sums.first()?.0 as usize];
        if sums.iter().any(|sum| func.vars[sum.0 as usize] != ty) {
            return None;
        }
        let alive = Alive::new(func, body);
        if !alive.only(exit, &sums) {
            return None;
        }
        let rest = Rest::of(func, body, outer)?;
        let mut lane = None;
        let mut keys = Vec::new();
        for var in first {
            if rest.counts(var) {
                if lane.replace(var).is_some() {
                    return None;
                }
            } else if assigned.contains(&var) || rest.defs.contains_key(&var) {
                keys.push(var);
            }
        }
        Some(Shape {
            lane: lane.filter(|lane| !assigned.contains(lane))?,
            sums,
            keys,
            stored: rest.stored()?,
            exit,
            ty,
        })
    }
}

/// The outer loop without the inner one.
struct Rest<'f> {
    func: &'f Function,
    /// What it assigns, by variable.
    defs: FxHashMap<Var, Vec<&'f Inst>>,
    insts: Vec<&'f Inst>,
    /// What is assigned elsewhere too.
    before: FxHashSet<Var>,
}

impl<'f> Rest<'f> {
    fn of(func: &'f Function, body: &Body<'_>, outer: &Natural) -> Option<Rest<'f>> {
        let mut rest = Rest {
            func,
            defs: FxHashMap::default(),
            insts: Vec::new(),
            before: func.params.iter().copied().collect(),
        };
        for (id, block) in func.blocks.iter().enumerate() {
            let inside = outer.inside.get(id) == Some(&true);
            let inner = body.position.contains_key(&(id as u32));
            for inst in &block.insts {
                if inner {
                    continue;
                }
                if !inside {
                    inst.each_def(&mut |var| {
                        rest.before.insert(var);
                    });
                    continue;
                }
                let unique = matches!(
                    inst,
                    Inst::CallRuntime {
                        func: RtFn::ArrayUnique,
                        ..
                    }
                );
                if super::calls(inst) && !unique {
                    return None;
                }
                inst.each_def(&mut |var| rest.defs.entry(var).or_default().push(inst));
                rest.insts.push(inst);
            }
        }
        Some(rest)
    }

    /// Whether a variable is one more in every turn.
    fn counts(&self, var: Var) -> bool {
        let only = |var: Var| match self.defs.get(&var).map(Vec::as_slice) {
            Some([inst]) => Some(*inst),
            _ => None,
        };
        let one = |var: Var| matches!(only(var), Some(Inst::Const(_, Const::Int(1))));
        let goes_up = |counter: Var| match only(counter) {
            Some(Inst::Copy(_, next)) => match only(*next) {
                Some(
                    Inst::Bin(_, BinOp::Add, a, b) | Inst::Checked(_, CheckedOp::Add, _, a, b, _),
                ) => *a == counter && one(*b),
                _ => false,
            },
            _ => false,
        };
        if self.func.vars[var.0 as usize] != MTy::I64 {
            return false;
        }
        match only(var) {
            Some(Inst::Copy(_, counter)) if !self.before.contains(&var) => goes_up(*counter),
            _ => goes_up(var),
        }
    }

    /// The arrays to which it stores: variables from before it, or what it makes for itself.
    fn stored(&self) -> Option<Vec<Var>> {
        let mut found = Vec::new();
        for inst in &self.insts {
            let (Inst::Store(base, ..) | Inst::StoreAt(base, ..)) = inst else {
                continue;
            };
            let mut work = vec![*base];
            let mut seen = FxHashSet::default();
            while let Some(var) = work.pop() {
                if !seen.insert(var) {
                    continue;
                }
                let defs = self.defs.get(&var);
                if (self.before.contains(&var) || defs.is_none()) && !found.contains(&var) {
                    found.push(var);
                }
                for def in defs.into_iter().flatten() {
                    match def {
                        Inst::Copy(_, from) | Inst::AddrAt(_, from, ..) => work.push(*from),
                        Inst::CallRuntime { .. } => {}
                        _ => return None,
                    }
                }
            }
        }
        Some(found)
    }
}

/// The inner loop for several turns of the outer one.
struct Columns {
    before: Vec<Before>,
    insts: Vec<Inst>,
    head: Vec<Inst>,
    /// The condition at its head, and whether another turn follows where it holds.
    more: (Var, bool),
    rest: Vec<Inst>,
    /// The variables of the new loop for those of the old one.
    names: FxHashMap<Var, Var>,
    lanes: FxHashMap<Var, [Var; VECTORS]>,
}

impl Columns {
    fn make(
        func: &mut Function,
        body: &Body<'_>,
        shape: &Shape,
        symbols: &Symbols,
    ) -> Option<Columns> {
        let blocks: Vec<Block> = (body.order.iter())
            .map(|id| func.blocks[*id as usize].clone())
            .collect();
        let mut maker = Maker {
            shape,
            symbols,
            asker: Asker::new(func, symbols),
            kinds: FxHashMap::default(),
            compared: FxHashMap::default(),
            out: Vec::new(),
            names: FxHashMap::default(),
            lanes: FxHashMap::default(),
            turns: VECTORS as i64 * 16 / i64::from(size_of(shape.ty)),
            loads: false,
        };
        maker.kinds.insert(shape.lane, Kind::Index);
        for sum in &shape.sums {
            maker.kinds.insert(*sum, Kind::Lanes);
        }
        for inst in blocks.iter().flat_map(|block| &block.insts) {
            inst.each_def(&mut |var| {
                if !maker.names.contains_key(&var) {
                    let ty = maker.asker.asks.ty(var);
                    maker.names.insert(var, maker.asker.asks.var(ty));
                }
            });
        }
        maker.asker.limit(body, &blocks[0].term)?;
        let mut head = Vec::new();
        let mut more = None;
        for (at, (id, block)) in body.order.iter().zip(&blocks).enumerate() {
            for (index, inst) in block.insts.iter().enumerate() {
                // The head is entered once more, after the last turn.
                if at == 0 && matches!(inst, Inst::Checked(..) | Inst::LoadAt(..)) {
                    return None;
                }
                maker.inst((*id, index), inst)?;
            }
            if let Term::Branch(cond, then, _) = block.term {
                let stays = body.position.contains_key(&then.0);
                if at == 0 {
                    more = Some((*maker.names.get(&cond)?, stays));
                } else {
                    maker.guard(*id, cond, stays)?;
                }
            }
            if at == 0 {
                head = std::mem::take(&mut maker.out);
            }
        }
        let sums_are_lanes = (shape.sums.iter()).all(|sum| maker.kind(*sum) == Kind::Lanes);
        if !maker.loads || !sums_are_lanes {
            return None;
        }
        let Maker {
            asker,
            out: rest,
            names,
            lanes,
            ..
        } = maker;
        let Asks { before, insts, .. } = asker.asks;
        Some(Columns {
            before,
            insts,
            head,
            more: more?,
            rest,
            names,
            lanes,
        })
    }
}

struct Maker<'f, 's> {
    shape: &'s Shape,
    symbols: &'s Symbols,
    asker: Asker<'f, 's>,
    kinds: FxHashMap<Var, Kind>,
    /// Comparisons with an index, which are asked before the loop.
    compared: FxHashMap<Var, CmpOp>,
    out: Vec<Inst>,
    names: FxHashMap<Var, Var>,
    lanes: FxHashMap<Var, [Var; VECTORS]>,
    /// How many turns are done at once.
    turns: i64,
    loads: bool,
}

impl Maker<'_, '_> {
    fn kind(&self, var: Var) -> Kind {
        self.kinds.get(&var).copied().unwrap_or(Kind::Same)
    }

    fn name(&self, var: Var) -> Var {
        self.names.get(&var).copied().unwrap_or(var)
    }

    fn vectors(&mut self, var: Var) -> [Var; VECTORS] {
        if let Some(known) = self.lanes.get(&var) {
            return *known;
        }
        let ty = self.shape.ty.vector().unwrap_or(self.shape.ty);
        let new = [(); VECTORS].map(|()| self.asker.asks.var(ty));
        self.lanes.insert(var, new);
        new
    }

    /// A variable as vectors.
    fn lanes(&mut self, var: Var) -> Option<[Var; VECTORS]> {
        if self.kind(var) == Kind::Lanes {
            return Some(self.vectors(var));
        }
        if self.kind(var) == Kind::Index || self.asker.asks.ty(var) != self.shape.ty {
            return None;
        }
        let splat = self.asker.asks.var(self.shape.ty.vector()?);
        self.out
            .push(Inst::Conv(splat, ConvOp::Splat, self.name(var)));
        Some([splat; VECTORS])
    }

    /// The instruction for all turns at once, since it gives the same in them, or an index of the first.
    fn once(&mut self, inst: &Inst) {
        let mut inst = inst.clone();
        inst.map_uses(&mut |var| self.name(var));
        inst.map_defs(&mut |var| self.name(var));
        self.out.push(inst);
    }

    fn inst(&mut self, place: (u32, usize), inst: &Inst) -> Option<()> {
        let mut kinds = Vec::new();
        inst.each_use(&mut |var| kinds.push(self.kind(var)));
        let has = |kind: Kind| kinds.contains(&kind);
        if has(Kind::Asked) {
            return None;
        }
        let kind = match inst {
            Inst::Copy(dst, src) => {
                let kind = self.kind(*src);
                match kind {
                    Kind::Lanes => {
                        let (to, from) = (self.vectors(*dst), self.vectors(*src));
                        let copies = to.into_iter().zip(from);
                        self.out
                            .extend(copies.map(|(to, from)| Inst::Copy(to, from)));
                    }
                    _ => self.once(inst),
                }
                kind
            }
            Inst::Checked(dst, op, _, a, b, _) => {
                let kind = self.sum_kind(*op, *a, *b)?;
                // It stays in the new loop as arithmetic that was asked not to overflow.
                let Some(Node::Expr(id)) = self.symbols.defs.get(&place) else {
                    return None;
                };
                for last in [false, true] {
                    let value = self.asker.value(*id, last)?;
                    if kind == Kind::Index {
                        self.in_last_turn(value);
                    }
                }
                let plain = match op {
                    CheckedOp::Add => BinOp::Add,
                    CheckedOp::Sub => BinOp::Sub,
                    CheckedOp::Mul => BinOp::Mul,
                };
                self.once(&Inst::Bin(*dst, plain, *a, *b));
                kind
            }
            Inst::Bin(dst, op, a, b) if has(Kind::Lanes) => {
                use BinOp::{Add, Div, Max, Min, Mul, Sub};
                if ![Add, Sub, Mul, Div, Min, Max].contains(op) {
                    return None;
                }
                let (a, b) = (self.lanes(*a)?, self.lanes(*b)?);
                let to = self.vectors(*dst);
                for at in 0..VECTORS {
                    self.out.push(Inst::Bin(to[at], *op, a[at], b[at]));
                }
                Kind::Lanes
            }
            Inst::Bin(_, op, a, b) if has(Kind::Index) => {
                let op = match op {
                    BinOp::Add => CheckedOp::Add,
                    BinOp::Sub => CheckedOp::Sub,
                    _ => return None,
                };
                self.once(inst);
                self.sum_kind(op, *a, *b)?
            }
            Inst::Un(dst, op @ (UnOp::Neg | UnOp::Abs | UnOp::Sqrt), a) if has(Kind::Lanes) => {
                let (to, a) = (self.vectors(*dst), self.lanes(*a)?);
                for at in 0..VECTORS {
                    self.out.push(Inst::Un(to[at], *op, a[at]));
                }
                Kind::Lanes
            }
            Inst::Cmp(dst, op, ..) if kinds == [Kind::Index, Kind::Same] => {
                self.compared.insert(*dst, *op);
                Kind::Asked
            }
            Inst::Load(_, base, _) if kinds == [Kind::Same] => {
                self.keeps(*base, place)?;
                self.once(inst);
                Kind::Same
            }
            Inst::LoadAt(dst, base, index, scale, offset) => {
                self.keeps(*base, place)?;
                match (self.kind(*base), self.kind(*index)) {
                    (Kind::Same, Kind::Same) => {
                        self.once(inst);
                        Kind::Same
                    }
                    (Kind::Same, Kind::Index) => {
                        let ty = self.asker.asks.ty(*dst);
                        if ty != self.shape.ty || *offset != ARRAY_DATA || *scale != size_of(ty) {
                            return None;
                        }
                        let (base, index) = (self.name(*base), self.name(*index));
                        for (at, to) in (0..).zip(self.vectors(*dst)) {
                            let offset = ARRAY_DATA + 16 * at;
                            self.out.push(Inst::LoadAt(to, base, index, *scale, offset));
                        }
                        self.loads = true;
                        Kind::Lanes
                    }
                    _ => return None,
                }
            }
            Inst::Const(..)
            | Inst::Bin(..)
            | Inst::Un(..)
            | Inst::Cmp(..)
            | Inst::Conv(..)
            | Inst::Select(..)
                if kinds.iter().all(|kind| *kind == Kind::Same) =>
            {
                self.once(inst);
                Kind::Same
            }
            _ => return None,
        };
        inst.each_def(&mut |var| {
            self.kinds.insert(var, kind);
        });
        Some(())
    }

    /// What a sum or difference of indexes is.
    fn sum_kind(&self, op: CheckedOp, a: Var, b: Var) -> Option<Kind> {
        match (op, self.kind(a), self.kind(b)) {
            (_, Kind::Same, Kind::Same) => Some(Kind::Same),
            (CheckedOp::Add, Kind::Index, Kind::Same) => Some(Kind::Index),
            (CheckedOp::Add, Kind::Same, Kind::Index) => Some(Kind::Index),
            (CheckedOp::Sub, Kind::Index, Kind::Same) => Some(Kind::Index),
            _ => None,
        }
    }

    /// An index in the last of the turns that are done at once.
    fn in_last_turn(&mut self, value: Var) -> Var {
        let more = self.asker.asks.number(self.turns - 1);
        self.asker.asks.exact(CheckedOp::Add, value, more)
    }

    /// Asks whether the object that is looked at is none of those to which the outer loop stores.
    fn keeps(&mut self, base: Var, place: (u32, usize)) -> Option<()> {
        let base = self
            .symbols
            .bases
            .get(&place)
            .copied()
            .filter(|id| self.kind(base) == Kind::Same && !self.symbols.expr(*id).varies)?;
        let object = self.asker.value(base, false)?;
        for stored in &self.shape.stored {
            self.asker.asks.require_cmp(CmpOp::Ne, object, *stored);
        }
        Some(())
    }

    /// Asks whether all turns stay in the loop at the end of a block.
    fn guard(&mut self, block: u32, cond: Var, holds: bool) -> Option<()> {
        let Some(Node::Expr(id)) = self.symbols.conds.get(&block) else {
            return None;
        };
        if !self.asker.holds(*id, holds)? {
            return None;
        }
        let Some(op) = self.compared.get(&cond) else {
            return (self.kind(cond) == Kind::Same).then_some(());
        };
        // An index below a length in the first turn and in the last.
        let inside = match holds {
            true => *op == CmpOp::ULt,
            false => *op == CmpOp::UGe,
        };
        let (index, limit) = match self.symbols.expr(*id).made {
            Made::Cmp(_, index, limit) => (index, limit),
            Made::By(Inst::Cmp(_, _, index, limit)) => (symbols::Id(index.0), symbols::Id(limit.0)),
            _ => return None,
        };
        if !inside || self.symbols.expr(limit).varies {
            return None;
        }
        let limit = self.asker.value(limit, false)?;
        for last in [false, true] {
            let value = self.asker.value(index, last)?;
            let beyond = self.in_last_turn(value);
            self.asker.asks.require_cmp(CmpOp::ULt, beyond, limit);
        }
        Some(())
    }
}

/// Adds the blocks.
fn place(func: &mut Function, body: &Body<'_>, outer: &Natural, shape: &Shape, columns: Columns) {
    let (head, end) = (body.natural.head, body.natural.end);
    let first = func.blocks.len() as u32;
    let asks = columns.before.len() as u32;
    let [reached, same, take, clear] = [0, 1, 2, 3].map(|number| BlockId(first + number));
    let ask = |number: u32| BlockId(first + 4 + number);
    let [fast, again, turn, done, enter] =
        [0, 1, 2, 3, 4].map(|number| BlockId(first + 4 + asks + number));
    for (index, block) in func.blocks.iter_mut().enumerate() {
        if index != end.0 as usize {
            let to = |target: BlockId| if target == head { reached } else { target };
            block.term.map_targets(&mut |target| to(target));
        }
        if outer.inside.get(index) != Some(&true) {
            let to = |target: BlockId| if target == outer.head { enter } else { target };
            block.term.map_targets(&mut |target| to(target));
        }
    }
    let mut w = Writer {
        func,
        entered: Vec::new(),
    };
    let (size, vector) = (size_of(shape.ty), 16);
    let bytes = VECTORS as u32 * vector;
    w.func.slots.push(bytes * shape.sums.len() as u32);
    let slot = Const::Slot(SlotId(w.func.slots.len() as u32 - 1));
    let (left, next) = (w.kept(MTy::I64), w.kept(MTy::I64));
    // Is there a sum, and was it made from what is here now?
    let mut insts = Vec::new();
    let zero = w.constant(&mut insts, 0);
    let any = w.var(MTy::I8);
    insts.push(Inst::Cmp(any, CmpOp::Gt, left, zero));
    w.block(insts, Term::Branch(any, same, clear));
    let mut insts = Vec::new();
    let mut all = w.var(MTy::I8);
    insts.push(Inst::Cmp(all, CmpOp::Eq, shape.lane, next));
    let mut saved = Vec::new();
    for key in &shape.keys {
        let bits = w.bits(*key, &mut insts);
        let kept = w.kept(w.func.vars[bits.0 as usize]);
        saved.push(kept);
        let (equal, both) = (w.var(MTy::I8), w.var(MTy::I8));
        insts.push(Inst::Cmp(equal, CmpOp::Eq, bits, kept));
        insts.push(Inst::Bin(both, BinOp::And, all, equal));
        all = both;
    }
    w.block(insts, Term::Branch(all, take, clear));
    // Takes it.
    let mut insts = Vec::new();
    let (memory, one) = (w.var(MTy::Ptr), w.constant(&mut insts, 1));
    insts.push(Inst::Const(memory, slot));
    let turns = w.constant(&mut insts, i64::from(bytes / size));
    let (place, fewer, after) = (w.var(MTy::I64), w.var(MTy::I64), w.var(MTy::I64));
    insts.push(Inst::Bin(place, BinOp::Sub, turns, left));
    for (at, sum) in (0..).zip(&shape.sums) {
        let offset = at * bytes as i32;
        insts.push(Inst::LoadAt(*sum, memory, place, size, offset));
    }
    insts.extend([
        Inst::Bin(fewer, BinOp::Sub, left, one),
        Inst::Copy(left, fewer),
        Inst::Bin(after, BinOp::Add, next, one),
        Inst::Copy(next, after),
    ]);
    w.block(insts, Term::Jump(shape.exit));
    let none = vec![Inst::Const(left, Const::Int(0))];
    w.block(none, Term::Jump(if asks > 0 { ask(0) } else { fast }));
    for (number, asked) in (1..).zip(columns.before) {
        let next = if number < asks { ask(number) } else { fast };
        let (cond, holds) = asked.stays;
        let (then, otherwise) = if holds { (next, head) } else { (head, next) };
        w.block(asked.insts, Term::Branch(cond, then, otherwise));
    }
    // The new loop.
    let mut insts = columns.insts;
    let mut begin = Vec::new();
    for key in &shape.keys {
        begin.push(w.bits(*key, &mut insts));
        if let Some(name) = columns.names.get(key)
            && !shape.sums.contains(key)
        {
            insts.push(Inst::Copy(*name, *key));
        }
    }
    for (bits, kept) in begin.iter().zip(&saved) {
        insts.push(Inst::Copy(*kept, *bits));
    }
    for sum in &shape.sums {
        for lanes in columns.lanes[sum] {
            insts.push(Inst::Conv(lanes, ConvOp::Splat, *sum));
        }
    }
    w.block(insts, Term::Jump(again));
    let (more, holds) = columns.more;
    let (then, otherwise) = if holds { (turn, done) } else { (done, turn) };
    w.block(columns.head, Term::Branch(more, then, otherwise));
    w.block(columns.rest, Term::Jump(again));
    // Keeps all sums but the first.
    let mut insts = Vec::new();
    let (memory, one) = (w.var(MTy::Ptr), w.constant(&mut insts, 1));
    insts.push(Inst::Const(memory, slot));
    for (at, sum) in (0..).zip(&shape.sums) {
        for (number, lanes) in (0..).zip(columns.lanes[sum]) {
            let offset = at * bytes as i32 + number * vector as i32;
            insts.push(Inst::Store(memory, offset, lanes));
        }
        insts.push(Inst::Load(*sum, memory, at * bytes as i32));
    }
    let after = w.var(MTy::I64);
    let others = w.constant(&mut insts, i64::from(bytes / size) - 1);
    insts.extend([
        Inst::Copy(left, others),
        Inst::Bin(after, BinOp::Add, shape.lane, one),
        Inst::Copy(next, after),
    ]);
    w.block(insts, Term::Jump(shape.exit));
    let insts = std::mem::take(&mut w.entered);
    w.block(insts, Term::Jump(outer.head));
}

struct Writer<'f> {
    func: &'f mut Function,
    /// What is done where the outer loop begins.
    entered: Vec<Inst>,
}

impl Writer<'_> {
    fn var(&mut self, ty: MTy) -> Var {
        self.func.vars.push(ty);
        Var(self.func.vars.len() as u32 - 1)
    }

    /// A variable that is kept from turn to turn of the outer loop.
    fn kept(&mut self, ty: MTy) -> Var {
        let var = self.var(ty);
        self.entered.push(Inst::Const(var, Const::Int(0)));
        var
    }

    fn constant(&mut self, insts: &mut Vec<Inst>, number: i64) -> Var {
        let var = self.var(MTy::I64);
        insts.push(Inst::Const(var, Const::Int(number)));
        var
    }

    /// A variable as something that is equal only to the same bits.
    fn bits(&mut self, var: Var, insts: &mut Vec<Inst>) -> Var {
        let ty = match self.func.vars[var.0 as usize] {
            MTy::F64 => MTy::I64,
            MTy::F32 => MTy::I32,
            _ => return var,
        };
        let bits = self.var(ty);
        insts.push(Inst::Conv(bits, ConvOp::Bits, var));
        bits
    }

    fn block(&mut self, insts: Vec<Inst>, term: Term) {
        self.func.blocks.push(Block {
            insts,
            term,
            cold: false,
        });
    }
}
