//! What must hold before a loop, so that every turn passes the checks that are left out.

use super::super::asks::{Asks, Before};
use super::super::own;
use super::Body;
use super::carried::{self, Carried};
use super::symbols::{Id, Made, Node, Symbols};
use crate::mir::{BinOp, BlockId, CheckedOp, CmpOp, Const, Function, Inst, MTy, Term, Var};
use rustc_hash::{FxHashMap, FxHashSet};
use simple_core::layout::{ARRAY_DATA, ARRAY_LEN};

/// The fewest turns for which questions are asked.
const LEAST: i64 = 4;
/// The most questions.
const MOST: usize = 64;

/// What becomes of a loop in its copy.
pub(super) struct Plan {
    pub before: Vec<Before>,
    pub insts: Vec<Inst>,
    /// Blocks whose condition is known, with where they go.
    pub known: FxHashMap<u32, BlockId>,
    /// Checks that are left out, and arithmetic that does not overflow.
    pub passed: FxHashSet<(u32, usize)>,
    /// What is loaded before the loop.
    pub loaded: FxHashMap<(u32, usize), Var>,
    /// What stays in registers from one turn to the next.
    pub carried: Carried,
    /// The zero of [`own`].
    pub zero: Var,
}

/// Asks what a copy of the loop needs; `None` where nothing would be left out.
pub(super) fn ask(func: &mut Function, body: &Body<'_>, symbols: Symbols) -> Option<Plan> {
    let blocks: Vec<(u32, Vec<bool>, Term)> = (body.order.iter())
        .map(|id| {
            let block = &func.blocks[*id as usize];
            let checked = |inst: &Inst| matches!(inst, Inst::Checked(..));
            let checked = block.insts.iter().map(checked).collect();
            (*id, checked, block.term.clone())
        })
        .collect();
    let mut known = FxHashMap::default();
    let mut passed = FxHashSet::default();
    let mut asker = Asker::new(func, &symbols);
    asker.limit(body, &blocks[0].2)?;
    for (id, checked, term) in &blocks {
        // [condition questions.chosen]: what a choice protects that no turn takes need not hold.
        if symbols.chosen.contains(id) {
            continue;
        }
        // [condition questions.head]: the head is entered once more, after the last turn.
        let asked = |expr: Id| *id != body.natural.head.0 || !symbols.expr(expr).varies;
        for (at, checked) in checked.iter().enumerate() {
            if let (true, Some(Node::Expr(sum))) = (checked, symbols.defs.get(&(*id, at)))
                && asked(*sum)
            {
                // [condition questions.ends]: what is between the ends of a line fits if they do.
                asker.both_ends(*sum)?;
                passed.insert((*id, at));
            }
            if let Some(Node::Expr(cond)) = symbols.checks.get(&(*id, at))
                && asked(*cond)
                && asker.holds(*cond, true)?
            {
                passed.insert((*id, at));
            }
        }
        let (Term::Branch(_, then, otherwise), Some(Node::Expr(cond))) =
            (term, symbols.conds.get(id))
        else {
            continue;
        };
        let stays = |block: &BlockId| body.position.contains_key(&block.0);
        let (stay, leave, holds) = match (stays(then), stays(otherwise)) {
            (true, false) => (*then, *otherwise, true),
            (false, true) => (*otherwise, *then, false),
            _ => continue,
        };
        // [condition questions.rare]: where a loop ends is its own affair, unless all of its turns end there or none.
        let rare = asker.asks.func.blocks[leave.0 as usize].cold;
        if (rare || !symbols.expr(*cond).varies) && asked(*cond) && asker.holds(*cond, holds)? {
            known.insert(*id, stay);
        }
    }
    if (known.is_empty() && passed.is_empty()) || asker.asks.before.len() > MOST {
        return None;
    }
    let carried = carried::carry(&mut asker, body, &symbols);
    let loaded = asker.loaded(&blocks);
    let counted = asker.counted?;
    let zero = own::zero(&mut asker.asks, counted);
    let Asks { before, insts, .. } = asker.asks;
    Some(Plan {
        before,
        insts,
        known,
        passed,
        loaded,
        carried,
        zero,
    })
}

/// Asks what the ends of lines tell.
pub(super) struct Asker<'f, 's> {
    pub asks: Asks<'f>,
    symbols: &'s Symbols,
    /// What counters hold in the last turn, or beyond it.
    last: FxHashMap<Var, Var>,
    /// How much the counter of the limit changes until then.
    counted: Option<Var>,
    /// Values of expressions in the first turn and in the last.
    values: FxHashMap<(Id, bool), Var>,
}

impl<'f, 's> Asker<'f, 's> {
    pub fn new(func: &'f mut Function, symbols: &'s Symbols) -> Asker<'f, 's> {
        Asker {
            asks: Asks::new(func),
            symbols,
            last: FxHashMap::default(),
            counted: None,
            values: FxHashMap::default(),
        }
    }

    /// Finds what limits the turns, at the head of the loop, and asks whether there are enough of them.
    pub fn limit(&mut self, body: &Body<'_>, head: &Term) -> Option<()> {
        let symbols = self.symbols;
        let Term::Branch(_, then, _) = head else {
            return None;
        };
        let Some(Node::Expr(cond)) = symbols.conds.get(&body.natural.head.0) else {
            return None;
        };
        let Made::Cmp(op, a, b) = symbols.expr(*cond).made else {
            return None;
        };
        let op = if body.after(*then).is_some() {
            op
        } else {
            // [condition questions.negated]: a loop that ends where its condition holds continues where it does not.
            op.negated()
        };
        let (op, counter, limit) = match (&symbols.expr(a).made, &symbols.expr(b).made) {
            // [condition questions.limit_varies]: the limit of the first turn is not that of the last.
            (Made::Counter(counter), _) if !symbols.expr(b).varies => (op, *counter, b),
            // [condition questions.limit_varies_left]: the same where the limit is on the left.
            // [condition questions.swapped]: with the limit on the left the comparison is swapped.
            (_, Made::Counter(counter)) if !symbols.expr(a).varies => (op.swapped(), *counter, a),
            _ => return None,
        };
        let step = *symbols.counters.get(&counter)?;
        let known = symbols.number(step.by);
        let up = match known {
            // [condition questions.moves]: by steps of 0 a counter never gets to its limit, and other counters go on.
            Some(0) => return None,
            // [condition questions.direction]: to add a negative number is to go down.
            Some(number) => (number > 0) != step.negative,
            None => !step.negative,
        };
        let limit = self.value(limit, false)?;
        // [condition questions.last_turn_counts]: the last turn is the one before the limit, which is not an iteration itself.
        let one = self.asks.number(1);
        let (op, last) = match (op, up) {
            // [condition questions.meets_limit]: larger steps may pass the one number at which the loop ends.
            (CmpOp::Ne, true) if known.is_some_and(|by| by.abs() == 1) => (CmpOp::Lt, BinOp::Sub),
            (CmpOp::Lt, true) => (op, BinOp::Sub),
            // [condition questions.known_down]: a step that is only known in the run has no limit downwards.
            (CmpOp::Gt, false) if known.is_some() => (op, BinOp::Add),
            // [condition questions.at_limit]: with `<=` the last turn is at the limit.
            (CmpOp::Le, true) => (op, BinOp::Xor),
            // [condition questions.at_limit_down]: the same downwards.
            // [condition questions.known_down_to]: the same with `>=`.
            (CmpOp::Ge, false) if known.is_some() => (op, BinOp::Xor),
            _ => return None,
        };
        // [condition questions.begins]: a counter that begins beyond the limit has no turns.
        self.asks.require_cmp(op, counter, limit);
        let last = match last {
            BinOp::Xor => limit,
            _ => self
                .asks
                .compute(MTy::I64, |dst| Inst::Bin(dst, last, limit, one)),
        };
        let (from, to) = if up { (counter, last) } else { (last, counter) };
        let difference = |dst| Inst::Bin(dst, BinOp::Sub, to, from);
        let counted = self.asks.compute(MTy::I64, difference);
        // [condition questions.enough]: few turns are not worth it, and a difference that is too large reads as negative.
        self.asks.require_enough(counted, LEAST - 1);
        let by = self.value(step.by, false)?;
        if known.is_none() {
            let zero = self.asks.number(0);
            // [condition questions.forwards]: a step that is only known in the run may lead away from the limit, or nowhere.
            self.asks.require_cmp(CmpOp::Gt, by, zero);
        }
        // [condition questions.step_fits]: after the last turn the counter is beyond the limit, and not around the end of all numbers.
        let op = if step.negative {
            CheckedOp::Sub
        } else {
            CheckedOp::Add
        };
        self.asks.exact(op, last, by);
        self.last.insert(counter, last);
        self.counted = Some(counted);
        Some(())
    }

    /// What a counter holds after as many turns as the limit allows, or more.
    fn last(&mut self, counter: Var) -> Option<Var> {
        if let Some(last) = self.last.get(&counter) {
            return Some(*last);
        }
        let step = *self.symbols.counters.get(&counter)?;
        let by = self.value(step.by, false)?;
        let sum = match self.symbols.number(step.by) {
            Some(1) => self.counted?,
            // [condition questions.times_step]: a counter of larger steps is further on in the last turn.
            _ => self.asks.exact(CheckedOp::Mul, self.counted?, by),
        };
        // [condition questions.other_downwards]: or further back.
        let op = if step.negative {
            CheckedOp::Sub
        } else {
            CheckedOp::Add
        };
        let last = self.asks.exact(op, counter, sum);
        self.last.insert(counter, last);
        Some(last)
    }

    /// What is loaded before the loop: all that is the same in every turn, in the order of the program.
    fn loaded(&mut self, blocks: &[(u32, Vec<bool>, Term)]) -> FxHashMap<(u32, usize), Var> {
        let mut loaded = FxHashMap::default();
        for (id, insts, _) in blocks {
            // [condition questions.loaded_chosen]: a choice that no turn takes may protect a load, as that of a variant's value.
            if self.symbols.chosen.contains(id) {
                continue;
            }
            for at in 0..insts.len() {
                if let Some(Node::Expr(expr)) = self.symbols.defs.get(&(*id, at))
                    && match &self.symbols.expr(*expr).made {
                        Made::Element { .. } => true,
                        Made::By(inst) => !matches!(inst, Inst::Const(..)),
                        _ => false,
                    }
                    && let Some(value) = self.value(*expr, false)
                {
                    loaded.insert((*id, at), value);
                }
            }
        }
        loaded
    }

    fn both_ends(&mut self, id: Id) -> Option<()> {
        self.value(id, false)?;
        self.value(id, true)?;
        Some(())
    }

    /// The value of an expression in the first turn or in the last.
    pub fn value(&mut self, id: Id, last: bool) -> Option<Var> {
        let expr = self.symbols.expr(id);
        let last = last && expr.varies;
        if let Some(value) = self.values.get(&(id, last)) {
            return Some(*value);
        }
        let value = match &expr.made {
            Made::Leaf(var) => *var,
            Made::Counter(var) if last => self.last(*var)?,
            Made::Counter(var) => *var,
            Made::Exact(op, a, b) => {
                let (a, b) = (self.value(*a, last)?, self.value(*b, last)?);
                self.asks.exact(*op, a, b)
            }
            Made::By(inst) => self.by(id, inst)?,
            Made::Element {
                array,
                index,
                scale,
            } => {
                let object = *array;
                let (array, index) = (self.value(object, false)?, self.value(*index, false)?);
                // [condition questions.element_there]: the array may be none.
                self.is_there(object, array);
                let length = |dst| Inst::Load(dst, array, ARRAY_LEN);
                let length = self.asks.compute(MTy::I64, length);
                // [condition questions.element_inside]: the element need not be inside in a turn that does not load it.
                self.asks.require_cmp(CmpOp::ULt, index, length);
                let load = |dst| Inst::LoadAt(dst, array, index, *scale, ARRAY_DATA);
                self.asks.compute(expr.ty, load)
            }
            Made::Cmp(..) | Made::Both(..) => return None,
        };
        self.values.insert((id, last), value);
        Some(value)
    }

    /// Asks whether a pointer is to something, where that is not sure.
    pub fn is_there(&mut self, object: Id, pointer: Var) {
        // [condition questions.unsure]: what every turn uses is there.
        if self.symbols.unsure.contains(&object) {
            let nothing = |dst| Inst::Const(dst, Const::Int(0));
            let nothing = self.asks.compute(MTy::Ptr, nothing);
            self.asks.require_cmp(CmpOp::Ne, pointer, nothing);
        }
    }

    fn by(&mut self, id: Id, inst: &Inst) -> Option<Var> {
        let mut operands = Vec::new();
        inst.each_use(&mut |var| operands.push(Id(var.0)));
        for (object, other) in self.symbols.apart.get(&id).into_iter().flatten() {
            let (object, other) = (self.value(*object, false)?, self.value(*other, false)?);
            // [condition questions.apart]: the loop may store to the field that it loads, by another variable.
            self.asks.require_cmp(CmpOp::Ne, object, other);
        }
        let mut values = FxHashMap::default();
        for operand in operands {
            values.insert(Var(operand.0), self.value(operand, false)?);
        }
        if let Inst::Load(_, object, _) = inst {
            // [condition questions.object_there]: the object may be none.
            self.is_there(Id(object.0), values[object]);
        }
        let mut inst = inst.clone();
        inst.map_uses(&mut |var| values[&var]);
        let value = self.asks.compute(self.symbols.expr(id).ty, |dst| {
            let mut inst = inst.clone();
            inst.map_defs(&mut |_| dst);
            inst
        });
        if let Inst::Const(_, Const::Int(number)) = inst {
            self.asks.numbers.insert(value, number);
        }
        Some(value)
    }

    /// Asks whether a condition holds, or does not, in every turn; `false` where there is no such question.
    pub fn holds(&mut self, cond: Id, holds: bool) -> Option<bool> {
        let symbols = self.symbols;
        match symbols.expr(cond).made {
            // [condition questions.both_hold]: that not both hold says of neither that it does not.
            Made::Both(a, b) if holds => {
                if !self.can_ask(a, true) || !self.can_ask(b, true) {
                    return Some(false);
                }
                // [condition questions.both_first]: the first must hold.
                self.holds(a, true)?;
                // [condition questions.both_second]: so must the second.
                self.holds(b, true)?;
            }
            // [condition questions.can_ask]: what has no question is not known.
            Made::Cmp(op, a, b) if self.can_ask(cond, holds) => {
                // [condition questions.not]: where an iteration continues if it does not hold, the opposite is asked.
                let op = if holds { op } else { op.negated() };
                // [condition questions.first_turn]: the first turn may be the one that leaves.
                // [condition questions.last_turn]: or the last one.
                for last in [false, true] {
                    let (a, b) = (self.value(a, last)?, self.value(b, last)?);
                    // [condition questions.limit_positive]: between two numbers below a limit of the upper half may be some above it.
                    if matches!(op, CmpOp::ULt | CmpOp::ULe) {
                        let zero = self.asks.number(0);
                        self.asks.require_cmp(CmpOp::Ge, b, zero);
                    }
                    self.asks.require_cmp(op, a, b);
                }
            }
            Made::By(_) | Made::Leaf(_) | Made::Element { .. } => {
                let value = self.value(cond, false)?;
                let known = symbols.number(cond);
                // [condition questions.constant]: a constant that is as it must be needs no question.
                if known.is_none_or(|number| (number != 0) != holds) {
                    // [condition questions.same_condition]: a condition that is the same in all turns is asked once.
                    self.asks.require(value, holds);
                }
            }
            _ => return Some(false),
        }
        Some(true)
    }

    /// Whether the ends of two lines tell what comes between them.
    fn can_ask(&self, cond: Id, holds: bool) -> bool {
        match self.symbols.expr(cond).made {
            Made::Cmp(op, _, b) => match if holds { op } else { op.negated() } {
                CmpOp::Lt | CmpOp::Le | CmpOp::Gt | CmpOp::Ge => true,
                // [condition questions.limit_line]: an index and a limit that both move may meet between their ends.
                CmpOp::ULt | CmpOp::ULe => !self.symbols.expr(b).varies,
                // [condition questions.between]: that two lines differ at their ends says nothing of what is between.
                _ => false,
            },
            // [condition questions.can_both]: that not both hold says of neither that it does not.
            // [condition questions.can_first]: the first must have a question.
            // [condition questions.can_second]: so must the second.
            Made::Both(a, b) => holds && self.can_ask(a, true) && self.can_ask(b, true),
            Made::By(_) | Made::Leaf(_) | Made::Element { .. } => true,
            _ => false,
        }
    }
}
