//! Where the calls are that a call was inlined from: what an error would add to its trace on its way out of the function.
//!
//! The middle form says it by the blocks of failure edges, which are gone once a function is compiled. What is kept is a tree per function:
//! each traced block is a [`Caller`], which knows the next one outwards. Next: `simple_image`, which walks it.

use rustc_hash::FxHashMap;
use simple_core::table::RtFn;
use simple_image::form::Caller;
use simple_middle::mir::{BlockId, Const, Function, Inst, Term, Var};

/// Blocks without a trace, which only release something, that are passed over one after the other; more are left out.
const MOST_PASSED: usize = 64;

/// The traced blocks of a function.
pub(crate) struct Callers<'f> {
    func: &'f Function,
    /// Their numbers.
    numbers: FxHashMap<BlockId, u32>,
    pub(crate) list: Vec<Caller>,
}

impl<'f> Callers<'f> {
    /// Looks through a function once.
    pub(crate) fn of(func: &'f Function) -> Callers<'f> {
        let mut callers = Callers {
            func,
            numbers: FxHashMap::default(),
            list: Vec::new(),
        };
        let insts = || func.blocks.iter().flat_map(|block| &block.insts);
        if !insts().any(|inst| traced(inst).is_some()) {
            return callers;
        }
        let sites: FxHashMap<_, _> = insts()
            .filter_map(|inst| match inst {
                Inst::Const(var, Const::Site(id)) => Some((*var, *id)),
                _ => None,
            })
            .collect();
        let mut blocks = Vec::new();
        for (index, block) in func.blocks.iter().enumerate() {
            let found = block.insts.iter().find_map(traced);
            if let Some(&site) = found.and_then(|site| sites.get(&site)) {
                let id = BlockId(index as u32);
                callers.numbers.insert(id, callers.list.len() as u32);
                callers.list.push(Caller { site, next: None });
                blocks.push(id);
            }
        }
        for (number, block) in blocks.into_iter().enumerate() {
            let next = callers.after(block).and_then(|block| callers.from(block));
            callers.list[number].next = next;
        }
        callers
    }

    /// The number of the first caller on the way from a block to the function's end.
    pub(crate) fn from(&self, block: BlockId) -> Option<u32> {
        if self.list.is_empty() {
            return None;
        }
        let mut at = block;
        for _ in 0..MOST_PASSED {
            if let Some(&number) = self.numbers.get(&at) {
                return Some(number);
            }
            at = self.after(at)?;
        }
        None
    }

    fn after(&self, block: BlockId) -> Option<BlockId> {
        match self.func.blocks.get(block.0 as usize)?.term {
            Term::Jump(next) => Some(next),
            _ => None,
        }
    }
}

/// The variable with the site that an instruction adds to the trace.
fn traced(inst: &Inst) -> Option<Var> {
    match inst {
        Inst::CallRuntime {
            func: RtFn::Trace,
            args,
            ..
        } => args.first().copied(),
        _ => None,
    }
}
