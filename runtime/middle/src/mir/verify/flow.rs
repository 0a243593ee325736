//! Nothing is read before it is assigned on every path.
//!
//! A block is seen as pieces that end after an instruction that can fail, because the failing edge leaves it there. Most reads
//! are after the one assignment whose piece dominates theirs; for the others the paths to the read are walked back. Both take time
//! and memory that grow with the function, not with its square.

use super::{At, Checker};
use crate::mir::dominators::{self, NONE, Successors, Tree};
use crate::mir::{FnId, Function, Inst, Module, Term, Var};
use rustc_hash::{FxHashMap, FxHashSet};

impl<'m> Checker<'m> {
    pub(super) fn assigned_before_use(&mut self) {
        let func = self.func;
        let flow = Flow::new(self.module, func);
        let mut reader = Reader {
            flow: &flow,
            here: vec![NONE; func.vars.len()],
            walked: FxHashSet::default(),
        };
        for param in &func.params {
            reader.here[param.0 as usize] = 0;
        }
        for (index, block) in func.blocks.iter().enumerate() {
            let mut piece = flow.first[index];
            if !flow.tree.reaches(piece) {
                continue;
            }
            for inst in &block.insts {
                self.at = At::Inst(index, inst);
                inst.each_use(&mut |var| self.expect_assigned(&mut reader, var, piece));
                piece += u32::from(inst.fail().is_some());
                inst.each_def(&mut |var| reader.here[var.0 as usize] = piece);
            }
            self.at = At::Term(index, &block.term);
            let term = &block.term;
            term.each_use(&mut |var| self.expect_assigned(&mut reader, var, piece));
        }
    }

    fn expect_assigned(&mut self, reader: &mut Reader<'_>, var: Var, piece: u32) {
        if !reader.is_assigned(var, piece) {
            self.problem(format!("v{} is read before it is assigned", var.0));
        }
    }
}

/// The pieces of a function, and where variables are assigned.
struct Flow {
    /// Per block: its first piece; the others follow.
    first: Vec<u32>,
    tree: Tree,
    preds: Vec<Successors>,
    /// Per variable: the first piece in the text that assigns it and is reached.
    assigned: Vec<u32>,
    /// The other pieces that assign a variable.
    again: FxHashSet<(Var, u32)>,
}

impl Flow {
    fn new(module: &Module, func: &Function) -> Flow {
        let mut first = Vec::with_capacity(func.blocks.len());
        let mut count = 0;
        for block in &func.blocks {
            first.push(count);
            let failing = block.insts.iter().filter(|inst| inst.fail().is_some());
            count += 1 + failing.count() as u32;
        }
        let mut successors = Vec::with_capacity(count as usize);
        for block in &func.blocks {
            for fail in block.insts.iter().filter_map(Inst::fail) {
                let next = successors.len() as u32 + 1;
                successors.push(Successors::from_slice(&[
                    next,
                    first[fail.unwind.0 as usize],
                ]));
            }
            let targets = block.term.targets().into_iter();
            successors.push(targets.map(|target| first[target.0 as usize]).collect());
        }
        let mut preds = vec![Successors::new(); count as usize];
        let tree = Tree::new(&dominators::immediate(&successors));
        for (from, targets) in (0..).zip(&successors) {
            if tree.reaches(from) {
                for to in targets {
                    preds[*to as usize].push(from);
                }
            }
        }
        let mut flow = Flow {
            first,
            tree,
            preds,
            assigned: vec![NONE; func.vars.len()],
            again: FxHashSet::default(),
        };
        flow.assignments(module, func);
        flow
    }

    /// Notes every variable that an instruction assigns, with the first piece in which it has its value.
    fn assignments(&mut self, module: &Module, func: &Function) {
        func.params.iter().for_each(|param| self.assign(*param, 0));
        // Whether the results of a call count on its failing edge too is determined once for each callee.
        let mut hands_back = FxHashMap::default();
        for (index, block) in func.blocks.iter().enumerate() {
            let mut piece = self.first[index];
            for inst in &block.insts {
                let before = piece;
                piece += u32::from(inst.fail().is_some());
                let early = match inst {
                    Inst::Call { func, .. } => *hands_back
                        .entry(*func)
                        .or_insert_with(|| assigns_on_failure(module, *func)),
                    _ => false,
                };
                let assigned = if early { before } else { piece };
                inst.each_def(&mut |var| self.assign(var, assigned));
            }
        }
    }

    fn assign(&mut self, var: Var, piece: u32) {
        if !self.tree.reaches(piece) {
            return;
        }
        match &mut self.assigned[var.0 as usize] {
            first if *first == NONE => *first = piece,
            first if *first == piece => {}
            _ => _ = self.again.insert((var, piece)),
        }
    }

    fn assigns(&self, piece: u32, var: Var) -> bool {
        self.assigned[var.0 as usize] == piece || self.again.contains(&(var, piece))
    }
}

/// Goes through the text and answers whether what is read there is assigned.
struct Reader<'f> {
    flow: &'f Flow,
    /// Per variable: the last piece so far that assigned it.
    here: Vec<u32>,
    /// Pieces on the paths to reads that no assignment dominates: the variable is assigned at their beginning.
    walked: FxHashSet<(Var, u32)>,
}

impl Reader<'_> {
    fn is_assigned(&mut self, var: Var, piece: u32) -> bool {
        let first = self.flow.assigned[var.0 as usize];
        let dominated = first != NONE && first != piece && self.flow.tree.dominates(first, piece);
        self.here[var.0 as usize] == piece || dominated || self.on_every_path(var, piece)
    }

    /// Whether a variable is assigned on all paths that end at the beginning of a piece.
    fn on_every_path(&mut self, var: Var, piece: u32) -> bool {
        let mut work = vec![piece];
        while let Some(piece) = work.pop() {
            if !self.walked.insert((var, piece)) {
                continue;
            }
            if piece == 0 {
                return false;
            }
            let preds = self.flow.preds[piece as usize].iter();
            work.extend(preds.filter(|pred| !self.flow.assigns(**pred, var)));
        }
        true
    }
}

/// Whether the results of a function count on the failing edge too: those of functions that return `self` with the error.
fn assigns_on_failure(module: &Module, func: FnId) -> bool {
    module.funcs.get(func.0 as usize).is_some_and(|callee| {
        let mut ends = callee.blocks.iter().map(|block| &block.term);
        !callee.can_fail || ends.any(|term| matches!(term, Term::PropagateWith(_)))
    })
}
