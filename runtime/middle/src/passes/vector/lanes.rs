//! An iteration as operations on vectors: what becomes of each step when several iterations are done side by side.
//!
//! ```text
//! same       a number or pointer that is the same in all iterations: computed before the loop
//! counted    first, first + 1, ...: an index; only its first value is computed
//! lanes      one element for each iteration: a vector in the new loop
//! ```
//!
//! Where there are no vectors for a loop, the same is done with one element at a time ([`Lanes::single`]): then `lanes` are single values, of more
//! types and with more operations, and the outcome is only run on several threads.
//!
//! What must hold for all iterations is asked before the new loop, in blocks that are entered one after the other, so that nothing is loaded
//! before it is known to be there. A condition on something that is counted limits how many iterations are done side by side.

mod operations;
mod single;

use super::super::asks::Asks;
use super::counters::Counters;
use super::path::Step;
use super::{FEW_SINGLE, FEW_STRIP, INDEX, STEP};
use crate::mir::{BinOp, CheckedOp, CmpOp, Const, ConvOp, Extern, Function, Inst, MTy, Var};
use crate::repr::size_of;
use operations::opposite;
use rustc_hash::FxHashMap;
use simple_core::layout::{ARRAY_DATA, ARRAY_LEN};
use simple_core::table::RtFn;

/// What a variable is for iterations that are done side by side.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Node {
    /// This variable, in all of them.
    Same(Var),
    /// This variable in the first, and one more in each.
    Counted(Var),
    /// A vector; of single values also a truth value.
    Lanes(Var),
    /// A vector of truth values.
    Truth(Var),
    /// The address of an element, whose index is counted.
    Element { array: Var, first: Var, scale: u32 },
    /// The address of an element whose index is the same in all iterations.
    Row { array: Var, index: Var, scale: u32 },
    /// `first + k op limit` in iteration k.
    Below(CmpOp, Var, Var),
    /// Both of two conditions, by their numbers in [`Lanes::pairs`].
    Both(u32),
    /// Something that is not needed, or for which there are no vectors.
    Other,
}

/// An access of elements.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Access {
    pub array: Var,
    /// The index in the first iteration; `None` where it is the same in all.
    pub first: Option<Var>,
}

/// The translation under way, and its outcome.
pub(super) struct Lanes<'f> {
    pub asks: Asks<'f>,
    env: FxHashMap<Var, Node>,
    /// Fields of objects as the path has stored them.
    fields: FxHashMap<(Var, i32), Node>,
    splats: FxHashMap<Var, Var>,
    pairs: Vec<(Node, Node)>,
    /// Limits of the number of iterations.
    pub limits: Vec<Var>,
    /// Sums whose last value must not overflow: what is counted and what is added, and whether that is subtracted.
    pub sums: Vec<(Var, Var, bool)>,
    pub body: Vec<Inst>,
    pub loads: Vec<Access>,
    pub stores: Vec<Access>,
    /// Fields that were loaded: of which object, and where.
    pub field_loads: Vec<(Var, i32)>,
    /// Fields that are counted.
    pub field_stores: Vec<(Var, i32, Var)>,
    /// How many elements a vector has.
    pub width: Option<u32>,
    /// The fields to which an iteration adds 1.
    counted_fields: Vec<(Var, i32)>,
    in_choice: bool,
    /// Where each element is computed alone: the foreign functions, of which some may be called.
    single: Option<&'f [Extern]>,
    /// Where iterations are done in strips: the foreign functions, of which some are there for strips.
    strips: Option<&'f [Extern]>,
}

impl<'f> Lanes<'f> {
    pub fn new(func: &'f mut Function, counters: &Counters) -> Lanes<'f> {
        let counted = |var: &Var| (*var, Node::Counted(*var));
        Lanes {
            env: counters.vars.iter().map(counted).collect(),
            asks: Asks::new(func),
            fields: FxHashMap::default(),
            splats: FxHashMap::default(),
            pairs: Vec::new(),
            limits: Vec::new(),
            sums: Vec::new(),
            body: Vec::new(),
            loads: Vec::new(),
            stores: Vec::new(),
            field_loads: Vec::new(),
            field_stores: Vec::new(),
            width: None,
            counted_fields: counters.fields.clone(),
            in_choice: false,
            single: None,
            strips: None,
        }
    }

    fn node(&self, var: Var) -> Node {
        self.env.get(&var).copied().unwrap_or(Node::Same(var))
    }

    pub fn steps(&mut self, steps: &[Step]) -> Option<()> {
        for step in steps {
            match step {
                Step::Inst(inst) => self.inst(inst)?,
                Step::Guard(cond, holds) => {
                    let node = self.node(*cond);
                    self.guard(node, *holds)?;
                }
                Step::Choice(cond, yes, no) => self.choice(*cond, yes, no)?,
            }
        }
        Some(())
    }

    fn guard(&mut self, node: Node, holds: bool) -> Option<()> {
        match node {
            // [condition lanes.same_condition]: it may not hold at all.
            Node::Same(cond) => self.asks.require(cond, holds),
            // [condition lanes.both_hold]: not both is not neither.
            Node::Both(pair) if holds => {
                let (a, b) = self.pairs[pair as usize];
                // [condition lanes.first_of_both]: a list that grows must be held by nothing else, even where it has room.
                self.guard(a, true)?;
                self.guard(b, true)?;
            }
            Node::Below(op, first, limit) => {
                // [condition lanes.opposite]: the loop continues where the condition does not hold.
                let op = if holds { op } else { opposite(op)? };
                // [condition lanes.upper_limit]: what is above a number stays so until it wraps.
                if !matches!(op, CmpOp::Lt | CmpOp::Le | CmpOp::ULt) {
                    return None;
                }
                // So many iterations are fine: what has no sign bit is the exact difference.
                // [condition lanes.first_inside]: the difference is that of the two numbers only then.
                self.asks.require_cmp(op, first, limit);
                let mut left = self
                    .asks
                    .compute(MTy::I64, |dst| Inst::Bin(dst, BinOp::Sub, limit, first));
                // [condition lanes.limit_included]: only there the limit itself is a turn.
                if op == CmpOp::Le {
                    let one = self.asks.number(1);
                    left = self
                        .asks
                        .compute(MTy::I64, |dst| Inst::Bin(dst, BinOp::Add, left, one));
                }
                // [condition lanes.few]: so few turns are not worth the questions.
                if self.limits.is_empty() {
                    let least = match (self.single, self.strips) {
                        (Some(_), _) => FEW_SINGLE,
                        (_, Some(_)) => FEW_STRIP,
                        _ => STEP,
                    };
                    self.asks.require_enough(left, least);
                }
                // [condition lanes.limits]: every limit counts.
                if !self.limits.contains(&left) {
                    self.limits.push(left);
                }
            }
            _ => return None,
        }
        Some(())
    }

    fn choice(&mut self, cond: Var, yes: &[Step], no: &[Step]) -> Option<()> {
        let mask = self.truth(self.node(cond))?;
        // [condition lanes.short_choice]: a long way that is not taken costs more than the choice.
        if self.single.is_some() && !single::is_short(yes, no) {
            return None;
        }
        let outer = std::mem::replace(&mut self.in_choice, true);
        let before = self.env.clone();
        self.steps(yes)?;
        // [condition lanes.ways_apart]: both paths begin with what was before the choice.
        let after = std::mem::replace(&mut self.env, before);
        self.steps(no)?;
        self.in_choice = outer;
        let mut names: Vec<Var> = after.keys().chain(self.env.keys()).copied().collect();
        names.sort_unstable();
        names.dedup();
        for name in names {
            let (one, other) = (after.get(&name).copied(), self.env.get(&name).copied());
            let both = match (one, other) {
                // [condition lanes.equal_ways]: otherwise one of two is chosen.
                (Some(one), Some(other)) if one == other => one,
                (Some(one), Some(other)) => self.chosen(name, mask, one, other),
                // [condition lanes.both_ways]: on the other way it is what an earlier turn has left.
                _ => Node::Other,
            };
            self.env.insert(name, both);
        }
        Some(())
    }

    fn chosen(&mut self, name: Var, mask: Var, one: Node, other: Node) -> Node {
        let ty = self.asks.ty(name);
        let vectors = (self.lanes(one, ty), self.lanes(other, ty));
        let ((Some(a), Some(b)), Some(vector)) = (vectors, self.vector(ty)) else {
            return Node::Other;
        };
        // [condition lanes.mask]: a truth value for each lane.
        if self.mask(vector) != Some(self.asks.ty(mask)) {
            return Node::Other;
        }
        let dst = self.asks.var(vector);
        self.body.push(Inst::Select(dst, mask, a, b));
        Node::Lanes(dst)
    }

    /// A node as a vector of elements of a type.
    fn lanes(&mut self, node: Node, ty: MTy) -> Option<Var> {
        let vector = self.vector(ty)?;
        let width = self.lanes_of(ty)?;
        // [condition lanes.one_width]: each vector is as many turns as the others.
        if *self.width.get_or_insert(width) != width {
            return None;
        }
        match node {
            Node::Lanes(var) => (self.asks.ty(var) == vector).then_some(var),
            Node::Same(var) if vector == ty => (self.asks.ty(var) == ty).then_some(var),
            // [condition lanes.counted_words]: a counter has 64 bits.
            Node::Counted(first) if vector == ty && ty == MTy::I64 => {
                let dst = self.asks.var(ty);
                self.body.push(Inst::Bin(dst, BinOp::Add, first, INDEX));
                Some(dst)
            }
            Node::Same(var) => {
                if let Some(splat) = self.splats.get(&var) {
                    return Some(*splat);
                }
                let splat = self
                    .asks
                    .compute(vector, |dst| Inst::Conv(dst, ConvOp::Splat, var));
                self.splats.insert(var, splat);
                Some(splat)
            }
            _ => None,
        }
    }

    /// An instruction whose operands are all the same in every iteration, before the loop.
    fn before_loop(&mut self, inst: &Inst) -> Option<Node> {
        let mut same = true;
        inst.each_use(&mut |var| same &= matches!(self.node(var), Node::Same(_)));
        // [condition lanes.same_operands]: only what is the same in all turns is computed once.
        if !same {
            return None;
        }
        let mut dst = None;
        inst.each_def(&mut |var| dst = Some(var));
        let dst = dst?;
        let mut moved = inst.clone();
        moved.map_uses(&mut |var| match self.node(var) {
            Node::Same(var) => var,
            _ => var,
        });
        let var = self.asks.compute(self.asks.ty(dst), |dst| {
            let mut inst = moved.clone();
            inst.map_defs(&mut |_| dst);
            inst
        });
        if let Inst::Const(_, Const::Int(number)) = inst {
            self.asks.numbers.insert(var, *number);
        }
        Some(Node::Same(var))
    }

    fn inst(&mut self, inst: &Inst) -> Option<()> {
        let node = match inst {
            Inst::Store(..) | Inst::StoreAt(..) => return self.store(inst),
            Inst::Checked(_, op, signed, a, b, _) => self.checked(*op, *signed, *a, *b)?,
            Inst::Const(..) => self.before_loop(inst)?,
            Inst::Copy(_, src) => self.node(*src),
            Inst::Load(dst, base, offset) => self.load(*dst, *base, *offset)?,
            Inst::LoadAt(dst, base, index, scale, offset) => {
                match self.element(*base, *index, *scale, *offset) {
                    Some(element) => self.load_element(*dst, element)?,
                    None => self.load_same(inst)?,
                }
            }
            Inst::AddrAt(_, base, index, scale, offset) => {
                match self.element(*base, *index, *scale, *offset) {
                    Some(element) => element,
                    None => self.row(inst).unwrap_or(Node::Other),
                }
            }
            Inst::Bin(dst, op, a, b) => self.bin(inst, *dst, *op, *a, *b),
            Inst::Un(dst, op, a) => self.un(inst, *dst, *op, *a),
            Inst::Cmp(_, op, a, b) => self.cmp(inst, *op, *a, *b),
            Inst::Conv(dst, op, a) => self.conv(inst, *dst, *op, *a),
            Inst::Select(dst, cond, a, b) => match self.truth(self.node(*cond)) {
                Some(mask) => {
                    let (one, other) = (self.node(*a), self.node(*b));
                    self.chosen(*dst, mask, one, other)
                }
                None => self.before_loop(inst).unwrap_or(Node::Other),
            },
            Inst::CallExtern { dsts, args, .. } => self.call(inst, dsts, args)?,
            Inst::CallRuntime {
                dst: Some(dst),
                func: RtFn::PowF32 | RtFn::PowF64 | RtFn::RemF64,
                args,
                ..
            } => self.call(inst, &[*dst], args)?,
            // Everything else does something that other code can notice.
            _ => return None,
        };
        inst.each_def(&mut |var| {
            self.env.insert(var, node);
        });
        Some(())
    }

    fn checked(&mut self, op: CheckedOp, signed: bool, a: Var, b: Var) -> Option<Node> {
        // [condition lanes.signed_sums]: what is asked at the end is whether a signed sum overflows.
        if !signed || self.asks.ty(a) != MTy::I64 {
            return None;
        }
        match (op, self.node(a), self.node(b)) {
            (_, Node::Same(a), Node::Same(b)) => Some(Node::Same(self.asks.exact(op, a, b))),
            (CheckedOp::Add, Node::Counted(first), Node::Same(by))
            | (CheckedOp::Add, Node::Same(by), Node::Counted(first)) => {
                // [condition lanes.sum_last]: the last sum is the greatest.
                self.sums.push((first, by, false));
                Some(Node::Counted(self.asks.exact(op, first, by)))
            }
            (CheckedOp::Sub, Node::Counted(first), Node::Same(by)) => {
                // [condition lanes.difference_last]: the last difference is the greatest.
                self.sums.push((first, by, true));
                Some(Node::Counted(self.asks.exact(op, first, by)))
            }
            _ => None,
        }
    }

    fn element(&self, base: Var, index: Var, scale: u32, offset: i32) -> Option<Node> {
        match (self.node(base), self.node(index)) {
            // [condition lanes.first_place]: the second member of a pair begins later.
            (Node::Same(array), Node::Counted(first)) if offset == ARRAY_DATA => {
                Some(Node::Element {
                    array,
                    first,
                    scale,
                })
            }
            _ => None,
        }
    }

    fn load_element(&mut self, dst: Var, element: Node) -> Option<Node> {
        let ty = self.asks.ty(dst);
        let (
            Node::Element {
                array,
                first,
                scale,
            },
            Some(vector),
        ) = (element, self.vector(ty))
        else {
            return None;
        };
        let width = self.lanes_of(ty)?;
        // [condition lanes.width_of_load]: each vector is as many turns as the others.
        // [condition lanes.element_size]: members of pairs are not beside each other.
        if scale != size_of(ty) || *self.width.get_or_insert(width) != width {
            return None;
        }
        // [condition lanes.inside_in_choice]: an index is known to be inside on the way that a turn takes.
        if self.in_choice {
            // Whatever the program's own condition proves of the index, it does not hold in all iterations.
            let length = self.length(array);
            self.guard(Node::Below(CmpOp::ULt, first, length), true)?;
        }
        // [condition lanes.noted_load]: `keep_apart` asks about it.
        self.loads.push(Access {
            array,
            first: Some(first),
        });
        let address = self.asks.compute(MTy::Ptr, |dst| {
            Inst::AddrAt(dst, array, first, scale, ARRAY_DATA)
        });
        let dst = self.asks.var(vector);
        // The index is put in where the loop is written.
        self.body.push(Inst::LoadAt(dst, address, INDEX, scale, 0));
        Some(Node::Lanes(dst))
    }

    /// An element whose index is the same in every iteration.
    fn load_same(&mut self, inst: &Inst) -> Option<Node> {
        let Inst::LoadAt(_, base, index, ..) = inst else {
            return None;
        };
        let (Node::Same(array), Node::Same(index)) = (self.node(*base), self.node(*index)) else {
            return None;
        };
        // [condition lanes.one_inside_in_choice]: the same for an index that is the same in all turns.
        if self.in_choice {
            let length = self.length(array);
            self.asks.require_cmp(CmpOp::ULt, index, length);
        }
        let node = self.before_loop(inst)?;
        // [condition lanes.noted_one]: `keep_apart` asks about it.
        self.loads.push(Access { array, first: None });
        Some(node)
    }

    /// The address of an element whose index is the same in every iteration, of an array of arrays.
    fn row(&mut self, inst: &Inst) -> Option<Node> {
        let Inst::AddrAt(_, base, index, scale, ARRAY_DATA) = inst else {
            return None;
        };
        let (Node::Same(array), Node::Same(index)) = (self.node(*base), self.node(*index)) else {
            return None;
        };
        Some(Node::Row {
            array,
            index,
            scale: *scale,
        })
    }

    /// The array in such an element, which is there if the index is inside.
    fn load_row(&mut self, array: Var, index: Var, scale: u32) -> Node {
        let length = self.length(array);
        // [condition lanes.row_inside]: the row may not be there.
        self.asks.require_cmp(CmpOp::ULt, index, length);
        let row = |dst| Inst::LoadAt(dst, array, index, scale, ARRAY_DATA);
        Node::Same(self.asks.compute(MTy::Ptr, row))
    }

    /// The length of an array.
    fn length(&mut self, array: Var) -> Var {
        // [condition lanes.length_read]: a length that an iteration counts is another one's in the next.
        self.field_loads.push((array, ARRAY_LEN));
        self.asks
            .compute(MTy::I64, |dst| Inst::Load(dst, array, ARRAY_LEN))
    }

    fn load(&mut self, dst: Var, base: Var, offset: i32) -> Option<Node> {
        match self.node(base) {
            element @ Node::Element { .. } if offset == 0 => self.load_element(dst, element),
            Node::Row {
                array,
                index,
                scale,
            } if offset == 0 && self.asks.ty(dst) == MTy::Ptr => {
                Some(self.load_row(array, index, scale))
            }
            Node::Same(object) => {
                // [condition lanes.field_known]: after it was stored a field is what was stored.
                if let Some(known) = self.fields.get(&(object, offset)) {
                    return Some(*known);
                }
                // Whether an object is there, and of which kind, is the same in all iterations, so that it was asked before.
                let ty = self.asks.ty(dst);
                let var = self.asks.compute(ty, |dst| Inst::Load(dst, object, offset));
                // [condition lanes.counted_field]: a field that is counted is not the same in all turns.
                let node = match self.counted_fields.contains(&(object, offset)) {
                    true => Node::Counted(var),
                    false => {
                        // [condition lanes.field_read]: `keep_apart` asks whether it is counted under another name.
                        self.field_loads.push((object, offset));
                        Node::Same(var)
                    }
                };
                self.fields.insert((object, offset), node);
                Some(node)
            }
            _ => None,
        }
    }

    fn store(&mut self, inst: &Inst) -> Option<()> {
        // [condition lanes.store_on_one_way]: the other turns must not store.
        if self.in_choice {
            return None;
        }
        let (element, src) = match inst {
            Inst::StoreAt(base, index, scale, offset, src) => {
                (self.element(*base, *index, *scale, *offset)?, *src)
            }
            Inst::Store(base, 0, src) if matches!(self.node(*base), Node::Element { .. }) => {
                (self.node(*base), *src)
            }
            Inst::Store(base, offset, src) => {
                let (Node::Same(object), Node::Counted(next)) = (self.node(*base), self.node(*src))
                else {
                    return None;
                };
                // [condition lanes.only_counted]: a field of an object that a turn finds may be read before it is stored.
                let again =
                    (self.field_stores.iter()).any(|(of, at, _)| (*of, *at) == (object, *offset));
                // [condition lanes.stored_once]: a field is counted once in a turn.
                if again || !self.counted_fields.contains(&(object, *offset)) {
                    return None;
                }
                self.fields.insert((object, *offset), Node::Counted(next));
                self.field_stores.push((object, *offset, next));
                return Some(());
            }
            _ => return None,
        };
        let ty = self.asks.ty(src);
        let node = self.node(src);
        let src = self.lanes(node, ty)?;
        let Node::Element {
            array,
            first,
            scale,
        } = element
        else {
            return None;
        };
        // [condition lanes.stored_size]: members of pairs are not beside each other.
        if scale != size_of(ty) {
            return None;
        }
        let access = Access {
            array,
            first: Some(first),
        };
        self.stores.push(access);
        let address = self.asks.compute(MTy::Ptr, |dst| {
            Inst::AddrAt(dst, array, first, scale, ARRAY_DATA)
        });
        self.body.push(Inst::StoreAt(address, INDEX, scale, 0, src));
        Some(())
    }
}
