//! What two loops are, one in the other, as far as no expression is needed to see it: which variables sum up, which one counts the turns of
//! the outer loop, what the inner one begins with, and to which arrays the outer one stores.
//!
//! A loop that is not of this shape is left alone. Whether its expressions can be vectors is seen in `columns.rs`.

use super::super::Body;
use super::super::copy::Alive;
use crate::mir::{BinOp, BlockId, CheckedOp, Const, Function, Inst, MTy, Term, Var};
use crate::passes::fast_loops::Natural;
use rustc_hash::{FxHashMap, FxHashSet};
use simple_core::table::RtFn;

/// What the two loops are, as far as no expression is needed to see it.
pub(super) struct Shape {
    /// The variable of the inner loop that is one more in every turn of the outer one.
    pub lane: Var,
    /// The variables that both sum up and hand on.
    pub sums: Vec<Var>,
    /// What the inner loop begins with and the outer one assigns.
    pub keys: Vec<Var>,
    /// Arrays to which the outer loop stores.
    pub stored: Vec<Var>,
    /// Where the inner loop goes when it ends.
    pub exit: BlockId,
    /// The type of the sums.
    pub ty: MTy,
}

impl Shape {
    pub fn of(func: &Function, body: &Body<'_>, outer: &Natural) -> Option<Shape> {
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
            // [condition shape.one_way]: with two paths in an iteration, what is added depends on the path.
            // [condition shape.in_order]: blocks in another order read what others assign later.
            if next.next().is_some() || one.0 != *expected {
                return None;
            }
            for inst in &block.insts {
                // [condition shape.stores]: what an inner turn stores it would store for other turns, too.
                // [condition shape.checks]: a check that fails would fail in another turn.
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
        // [condition shape.one_type]: vectors have elements of one type.
        if sums.iter().any(|sum| func.vars[sum.0 as usize] != ty) {
            return None;
        }
        let alive = Alive::new(func, body);
        // [condition shape.only_sums]: only the sums are kept for later turns.
        if !alive.only(exit, &sums) {
            return None;
        }
        let rest = Rest::of(func, body, outer)?;
        let mut lane = None;
        let mut keys = Vec::new();
        for var in first {
            if rest.counts(var) {
                // [condition shape.one_lane]: with two that go up the sums would have to be told apart.
                if lane.replace(var).is_some() {
                    return None;
                }
            // [condition shape.key_inner]: what the inner loop assigns may begin otherwise.
            // [condition shape.key_outer]: what the outer loop assigns may be another value.
            } else if assigned.contains(&var) || rest.defs.contains_key(&var) {
                keys.push(var);
            }
        }
        Some(Shape {
            // [condition shape.lane_stays]: a counter of the outer loop that the inner one changes does not count.
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
                // [condition shape.calls]: a function may change all that is read.
                if super::super::calls(inst) && !unique {
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
            // [condition shape.once]: a counter that is assigned twice goes by other steps.
            Some([inst]) => Some(*inst),
            _ => None,
        };
        let one = |var: Var| matches!(only(var), Some(Inst::Const(_, Const::Int(1))));
        let goes_up = |counter: Var| match only(counter) {
            Some(Inst::Copy(_, next)) => match only(*next) {
                Some(
                    Inst::Bin(_, BinOp::Add, a, b) | Inst::Checked(_, CheckedOp::Add, _, a, b, _),
                    // [condition shape.own_counter]: a counter continues from its own value.
                    // [condition shape.by_one]: by larger steps the next turn is another one.
                ) => *a == counter && one(*b),
                _ => false,
            },
            _ => false,
        };
        // [condition shape.counts_wide]: an index is 64 bits wide.
        if self.func.vars[var.0 as usize] != MTy::I64 {
            return false;
        }
        match only(var) {
            // [condition shape.copied]: a copy of a counter is one only where nothing else is assigned to it.
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
                // [condition shape.stored_before]: an array from before the loop may be the one that is read.
                // [condition shape.stored_param]: so may what is assigned nowhere.
                if (self.before.contains(&var) || defs.is_none()) && !found.contains(&var) {
                    found.push(var);
                }
                for def in defs.into_iter().flatten() {
                    match def {
                        Inst::Copy(_, from) | Inst::AddrAt(_, from, ..) => work.push(*from),
                        Inst::CallRuntime { .. } => {}
                        // [condition shape.stored_known]: what is stored to may be what is read.
                        _ => return None,
                    }
                }
            }
        }
        Some(found)
    }
}
