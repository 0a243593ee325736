//! What a loop counts: variables, and fields of objects, to which every iteration adds the same number.
//!
//! `i` of `for i in a..b` is one, and the length of an array to which every iteration appends. A variable that an iteration reads
//! before it assigns it must be one, or stay as it is; otherwise iterations depend on each other and are not done side by side.

use super::path::Step;
use crate::mir::{BinOp, CheckedOp, Const, Function, Inst, MTy, Var};
use rustc_hash::{FxHashMap, FxHashSet};

/// What is the same in all iterations but for a number that they count.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Root {
    Var(Var),
    /// The field at this offset of the object that a variable holds.
    Field(Var, i32),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Symbol {
    /// A root as it is when the iteration begins, plus a number.
    Plus(Root, i64),
    Number(i64),
    /// Assigned on some ways only, so that it may be what an earlier iteration assigned.
    Sometimes,
    Other,
}

/// What the loop counts.
pub(super) struct Counters {
    /// The variables to which an iteration adds 1.
    pub vars: Vec<Var>,
    /// The fields to which it adds 1.
    pub fields: Vec<(Var, i32)>,
    /// All variables that an iteration assigns.
    pub assigned: FxHashSet<Var>,
    /// Those that it assigns on some ways only.
    pub sometimes: FxHashSet<Var>,
}

/// Finds them; `None` where iterations depend on each other otherwise.
pub(super) fn counters(func: &Function, steps: &[Step]) -> Option<Counters> {
    let mut reader = Reader {
        func,
        vars: FxHashMap::default(),
        fields: FxHashMap::default(),
        first_read: FxHashSet::default(),
    };
    reader.steps(steps)?;
    let mut found = Counters {
        vars: Vec::new(),
        fields: Vec::new(),
        assigned: reader.vars.keys().copied().collect(),
        sometimes: (reader.vars.iter())
            .filter(|(_, symbol)| **symbol == Symbol::Sometimes)
            .map(|(var, _)| *var)
            .collect(),
    };
    for var in &reader.first_read {
        match reader.vars.get(var) {
            None => {}
            // [condition counters.own]: what follows another counter begins elsewhere.
            Some(Symbol::Plus(root, by)) if *root == Root::Var(*var) => match by {
                0 => {}
                // [condition counters.wide]: a sum of another width would be no sum of these two.
                // How many turns there are is added to it in 64 bits.
                1 if func.vars[var.0 as usize] == MTy::I64 => found.vars.push(*var),
                // [condition counters.by_one]: by two, or down, is not what elements beside each other need.
                _ => return None,
            },
            // [condition counters.other]: a sum of what was loaded is needed turn by turn.
            Some(_) => return None,
        }
    }
    for (&(object, offset), symbol) in &reader.fields {
        // The object itself must stay.
        // [condition counters.object_stays]: the object must be the same in all turns.
        if found.vars.contains(&object) {
            return None;
        }
        match symbol {
            // [condition counters.own_field]: a field that follows another one begins elsewhere.
            Symbol::Plus(root, 1) if *root == Root::Field(object, offset) => {
                found.fields.push((object, offset));
            }
            // [condition counters.field_by_one]: a field that goes up by two.
            _ => return None,
        }
    }
    found.vars.sort_unstable();
    found.fields.sort_unstable();
    Some(found)
}

struct Reader<'f> {
    func: &'f Function,
    vars: FxHashMap<Var, Symbol>,
    fields: FxHashMap<(Var, i32), Symbol>,
    /// What was read before it was assigned.
    first_read: FxHashSet<Var>,
}

impl Reader<'_> {
    fn get(&self, var: Var) -> Symbol {
        let own = Symbol::Plus(Root::Var(var), 0);
        self.vars.get(&var).copied().unwrap_or(own)
    }

    fn steps(&mut self, steps: &[Step]) -> Option<()> {
        for step in steps {
            match step {
                Step::Inst(inst) => self.inst(inst)?,
                Step::Guard(cond, _) => self.note(*cond),
                Step::Choice(cond, yes, no) => {
                    self.note(*cond);
                    let before = self.vars.clone();
                    self.steps(yes)?;
                    // [condition counters.each_way_from_before]: both paths begin with what was before the choice.
                    let after = std::mem::replace(&mut self.vars, before);
                    self.steps(no)?;
                    let names: Vec<Var> = after.keys().chain(self.vars.keys()).copied().collect();
                    for name in names {
                        let both = match (after.get(&name), self.vars.get(&name)) {
                            // [condition counters.only_on_no]: counted only where the condition does not hold.
                            (Some(Symbol::Sometimes) | None, _) => Symbol::Sometimes,
                            // [condition counters.only_on_yes]: counted only where it holds.
                            (_, Some(Symbol::Sometimes) | None) => Symbol::Sometimes,
                            // [condition counters.both_ways]: one on one way and two on the other.
                            (Some(one), Some(other)) if one == other => *one,
                            _ => Symbol::Other,
                        };
                        self.vars.insert(name, both);
                    }
                }
            }
        }
        Some(())
    }

    fn note(&mut self, var: Var) {
        // [condition counters.read_of_some]: what some turns assign may be an earlier turn's.
        if matches!(self.vars.get(&var), None | Some(Symbol::Sometimes)) {
            self.first_read.insert(var);
        }
    }

    fn inst(&mut self, inst: &Inst) -> Option<()> {
        inst.each_use(&mut |var| self.note(var));
        let sum = |a: Symbol, b: Symbol, sign: i64| match (a, b) {
            (Symbol::Plus(root, by), Symbol::Number(number)) => number
                .checked_mul(sign)
                .and_then(|number| by.checked_add(number))
                .map_or(Symbol::Other, |by| Symbol::Plus(root, by)),
            // [condition counters.minus]: a number less a counter goes down.
            (Symbol::Number(number), Symbol::Plus(root, by)) if sign == 1 => by
                .checked_add(number)
                .map_or(Symbol::Other, |by| Symbol::Plus(root, by)),
            _ => Symbol::Other,
        };
        let (dst, symbol) = match inst {
            Inst::Const(dst, Const::Int(number)) => (*dst, Symbol::Number(*number)),
            Inst::Copy(dst, src) => (*dst, self.get(*src)),
            Inst::Bin(dst, BinOp::Add, a, b) | Inst::Checked(dst, CheckedOp::Add, _, a, b, _) => {
                (*dst, sum(self.get(*a), self.get(*b), 1))
            }
            Inst::Bin(dst, BinOp::Sub, a, b) | Inst::Checked(dst, CheckedOp::Sub, _, a, b, _) => {
                // [condition counters.less]: a counter that goes down does not count here.
                (*dst, sum(self.get(*a), self.get(*b), -1))
            }
            Inst::Load(dst, object, offset) => match self.get(*object) {
                // [condition counters.field_of_same]: the field of an object that a turn finds is another one's in the next.
                Symbol::Plus(Root::Var(object), 0) => {
                    let own = Symbol::Plus(Root::Field(object, *offset), 0);
                    let known = self.fields.get(&(object, *offset)).copied();
                    (*dst, known.unwrap_or(own))
                }
                _ => (*dst, Symbol::Other),
            },
            // An element is stored at an address; only fields of objects are counted.
            Inst::Store(object, offset, src)
                // [condition counters.words]: only integers of 64 bits are counted.
                if self.func.vars[src.0 as usize] == MTy::I64 =>
            {
                if let Symbol::Plus(Root::Var(object), 0) = self.get(*object) {
                    let symbol = self.get(*src);
                    self.fields.insert((object, *offset), symbol);
                }
                return Some(());
            }
            _ => {
                inst.each_def(&mut |var| {
                    self.vars.insert(var, Symbol::Other);
                });
                return Some(());
            }
        };
        self.vars.insert(dst, symbol);
        Some(())
    }
}
