//! Lanes of one element: what becomes of a loop for which there are no vectors, but whose turns do not depend on each other.
//!
//! `lanes` are single values then, of every type but pointers, a truth value is one of them, and more operations are there: those of the
//! language that cannot fail, and calls of functions that do nothing but compute. A choice is made between two values that are both
//! computed, so that only short ones are taken. Next: `operations.rs`; `../spread.rs`, which makes a function of the outcome.

use super::super::counters::Counters;
use super::super::path::Step;
use super::super::strips;
use super::{Lanes, Node};
use crate::mir::{Extern, Function, Inst, MTy, Var};
use crate::repr::size_of;

/// The most instructions of a choice that are done whichever way it goes, where each element is computed alone.
const SHORT_CHOICE: usize = 12;

/// Whether the sides of a choice are so short that both can be computed.
pub(super) fn is_short(yes: &[Step], no: &[Step]) -> bool {
    length(yes) + length(no) <= SHORT_CHOICE
}

/// How many instructions steps have.
fn length(steps: &[Step]) -> usize {
    let each = |step: &Step| match step {
        Step::Inst(_) | Step::Guard(..) => 1,
        Step::Choice(_, yes, no) => 1 + length(yes) + length(no),
    };
    steps.iter().map(each).sum()
}

impl<'f> Lanes<'f> {
    /// One in which each element is computed alone.
    pub fn single(func: &'f mut Function, counters: &Counters, externs: &'f [Extern]) -> Lanes<'f> {
        Lanes {
            single: Some(externs),
            ..Lanes::new(func, counters)
        }
    }

    /// One with vectors in which functions that are there for strips may be called.
    pub fn strips(func: &'f mut Function, counters: &Counters, externs: &'f [Extern]) -> Lanes<'f> {
        Lanes {
            strips: Some(externs),
            ..Lanes::new(func, counters)
        }
    }

    /// The type of the lanes of such elements, if there is one.
    pub(super) fn vector(&self, element: MTy) -> Option<MTy> {
        match self.single {
            None => element.vector(),
            // [condition single.no_pointers]: references are counted.
            Some(_) => (element != MTy::Ptr).then_some(element),
        }
    }

    /// The truth values of a comparison of lanes of this type.
    pub(super) fn mask(&self, vector: MTy) -> Option<MTy> {
        match self.single {
            None => vector.mask(),
            Some(_) => Some(MTy::I8),
        }
    }

    /// How many lanes there are of such elements.
    pub(super) fn lanes_of(&self, element: MTy) -> Option<u32> {
        let vector = self.vector(element)?;
        Some(if vector == element {
            1
        } else {
            16 / size_of(element)
        })
    }

    /// A vector of truth values.
    pub(super) fn truth(&self, node: Node) -> Option<Var> {
        match node {
            Node::Truth(mask) => Some(mask),
            // [condition single.truth_is_byte]: a truth value is a byte.
            Node::Lanes(mask) if self.single.is_some() && self.asks.ty(mask) == MTy::I8 => {
                Some(mask)
            }
            _ => None,
        }
    }

    /// A call of a function that does nothing but compute its result.
    pub(super) fn call(&mut self, inst: &Inst, dsts: &[Var], args: &[Var]) -> Option<Node> {
        let &[dst] = dsts else { return None };
        let allowed = match (self.single, self.strips, inst) {
            // [condition single.call_in_choice]: a call costs more than the choice.
            (Some(_), ..) if self.in_choice => false,
            // [condition single.pure]: what a function does besides computing is done in the order of turns.
            (Some(externs), _, Inst::CallExtern { func, .. }) => externs[func.0 as usize].pure,
            (Some(_), ..) => true,
            // All that they need is numbers, also in a choice.
            // [condition single.curve]: only these are there for strips.
            (None, Some(externs), inst) => strips::curve(inst, externs).is_some(),
            // [condition single.no_calls_in_vectors]: a function takes numbers, not vectors.
            (None, None, _) => false,
        };
        if !allowed {
            return None;
        }
        let mut given = Vec::with_capacity(args.len());
        for arg in args {
            let node = self.node(*arg);
            given.push(self.lanes(node, self.asks.ty(*arg))?);
        }
        let dst = self.asks.var(self.vector(self.asks.ty(dst))?);
        let mut given = given.into_iter();
        let mut inst = inst.clone();
        inst.map_uses(&mut |var| given.next().unwrap_or(var));
        inst.map_defs(&mut |_| dst);
        self.body.push(inst);
        Some(Node::Lanes(dst))
    }
}
