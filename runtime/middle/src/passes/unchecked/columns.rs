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

mod place;
mod shape;

use super::super::asks::{Asks, Before};
use super::super::fast_loops::Natural;
use super::Body;
use super::questions::Asker;
use super::symbols::{self, Made, Node, Symbols};
use crate::mir::{BinOp, Block, CheckedOp, CmpOp, ConvOp, Function, Inst, Term, UnOp, Var};
use crate::repr::size_of;
use place::place;
use rustc_hash::FxHashMap;
use shape::Shape;
use simple_core::layout::ARRAY_DATA;

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
                // [condition columns.head]: the head is entered once more, after the last turn.
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
        // [condition columns.sums_are_lanes]: a sum that is the same in all turns has no vectors.
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
        // [condition columns.index_as_lanes]: an index is another number in each turn.
        // [condition columns.splat_type]: vectors have elements of one type.
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
        // [condition columns.asked]: a comparison that is asked is not computed.
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
                    // [condition columns.sum_fits]: the index of the last turn must fit, too.
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
                // [condition columns.operations]: other operations have no vectors.
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
                    // [condition columns.index_operations]: a product of an index is not one more in the next turn.
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
            // [condition columns.compares_index]: only an index compared with what is the same is asked.
            Inst::Cmp(dst, op, ..) if kinds == [Kind::Index, Kind::Same] => {
                self.compared.insert(*dst, *op);
                Kind::Asked
            }
            // [condition columns.loads_same]: an object that is another one in each turn is not loaded once.
            Inst::Load(_, base, _) if kinds == [Kind::Same] => {
                // [condition columns.field_keeps]: the outer loop may store to the object.
                self.keeps(*base, place)?;
                self.once(inst);
                Kind::Same
            }
            Inst::LoadAt(dst, base, index, scale, offset) => {
                // [condition columns.element_keeps]: the outer loop may store to the array.
                self.keeps(*base, place)?;
                match (self.kind(*base), self.kind(*index)) {
                    (Kind::Same, Kind::Same) => {
                        self.once(inst);
                        Kind::Same
                    }
                    (Kind::Same, Kind::Index) => {
                        let ty = self.asker.asks.ty(*dst);
                        // [condition columns.element_type]: vectors have elements of one type.
                        // [condition columns.element_data]: elements of which this is a part are not one beside the other.
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
                // [condition columns.all_same]: what differs between turns is not computed once.
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
            // [condition columns.index_goes_up]: an index that goes down, or by larger steps, is not one more in the next turn.
            _ => None,
        }
    }

    /// An index in the last of the turns that are done at once.
    fn in_last_turn(&mut self, value: Var) -> Var {
        // [condition columns.all_turns]: the last of the turns is asked for.
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
            // [condition columns.same_object]: the object must be the same in all turns.
            // [condition columns.object_varies]: and in all turns of the inner loop.
            .filter(|id| self.kind(base) == Kind::Same && !self.symbols.expr(*id).varies)?;
        let object = self.asker.value(base, false)?;
        for stored in &self.shape.stored {
            // [condition columns.stored]: two variables may hold one object.
            self.asker.asks.require_cmp(CmpOp::Ne, object, *stored);
        }
        Some(())
    }

    /// Asks whether all turns stay in the loop at the end of a block.
    fn guard(&mut self, block: u32, cond: Var, holds: bool) -> Option<()> {
        let Some(Node::Expr(id)) = self.symbols.conds.get(&block) else {
            return None;
        };
        // [condition columns.holds]: what is not asked is not known to hold.
        if !self.asker.holds(*id, holds)? {
            return None;
        }
        let Some(op) = self.compared.get(&cond) else {
            // [condition columns.guard_same]: a condition that differs between turns is not asked once.
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
        // [condition columns.below_length]: only an index below a length is asked in this way.
        // [condition columns.length_varies]: the length must be the same in all turns.
        if !inside || self.symbols.expr(limit).varies {
            return None;
        }
        let limit = self.asker.value(limit, false)?;
        // [condition columns.first_turn]: the first turn of the inner loop may be the one outside.
        // [condition columns.last_turn]: or its last one.
        for last in [false, true] {
            let value = self.asker.value(index, last)?;
            let beyond = self.in_last_turn(value);
            // [condition columns.inside]: all turns must be inside.
            self.asker.asks.require_cmp(CmpOp::ULt, beyond, limit);
        }
        Some(())
    }
}
