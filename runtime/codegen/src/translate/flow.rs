//! Blocks: their order, how they end, and the cold paths that errors take.

use super::Translator;
use cranelift_codegen::ir::condcodes::{CondCode, IntCC};
use cranelift_codegen::ir::{self, InstBuilder, MemFlagsData, TrapCode, types};
use cranelift_frontend::Switch;
use simple_core::error_kind::ErrorKind;
use simple_core::table::RtFn;
use simple_image::host::Word;
use simple_middle::mir::{Block, BlockId, Convention, Fail, Function, Inst, Term, Var};

/// A block whose incoming edges are not counted, because error edges lead to it; it is sealed last.
pub(super) const NEVER: u32 = u32::MAX;

/// Control is never there; the middle form is wrong if it gets there.
const UNREACHABLE: TrapCode = TrapCode::unwrap_user(1);

/// Frames up to this size need no more than the margin that the stack limit leaves.
const SMALL_FRAME: u32 = 4096;

/// The blocks that an instruction of `block` may go to when it fails.
fn fail_edges(block: &Block) -> impl Iterator<Item = BlockId> {
    block
        .insts
        .iter()
        .filter_map(Inst::fail)
        .map(|fail| fail.unwind)
}

/// Whether the block ends before its terminator.
fn ends_early(block: &Block) -> bool {
    block
        .insts
        .iter()
        .any(|inst| matches!(inst, Inst::Raise(..) | Inst::Panic(..)))
}

/// The reachable blocks in reverse postorder: every block comes after what leads to it, loops apart.
pub(super) fn order(func: &Function) -> Vec<BlockId> {
    let mut seen = vec![false; func.blocks.len()];
    let mut order = Vec::with_capacity(func.blocks.len());
    let mut stack = vec![(BlockId(0), false)];
    while let Some((id, done)) = stack.pop() {
        if done {
            order.push(id);
            continue;
        }
        if std::mem::replace(&mut seen[id.0 as usize], true) {
            continue;
        }
        stack.push((id, true));
        let block = &func.blocks[id.0 as usize];
        // What is pushed first is visited last: normal paths before error paths, the first branch before the second.
        // [condition flow.order_ends]: nothing comes after an error.
        if !ends_early(block) {
            stack.extend(block.term.targets().into_iter().map(|to| (to, false)));
        }
        stack.extend(fail_edges(block).map(|to| (to, false)));
    }
    order.reverse();
    order
}

/// The most instructions of a loop's test that are repeated at the loop's end.
const LONGEST_TEST: usize = 12;

/// Per block: the loop test that is repeated at its end, if it ends by going back to one.
///
/// A loop comes with its test first: `test: brif c, body, exit; body: ...; jump test`. With the test repeated at the end of the
/// body an iteration takes one branch less. Variables are not in SSA form here, so repeating instructions needs no care.
pub(super) fn repeated_tests(func: &Function, order: &[BlockId]) -> Vec<Option<BlockId>> {
    let mut repeated = vec![None; func.blocks.len()];
    let mut seen = vec![false; func.blocks.len()];
    for id in order {
        seen[id.0 as usize] = true;
        let block = &func.blocks[id.0 as usize];
        // [condition flow.back_to_test]: only a loop goes back to its test.
        // [condition flow.end_reached]: the end of the block must be reached.
        if let Term::Jump(to) = block.term
            && seen[to.0 as usize]
            && !ends_early(block)
            && is_short_test(&func.blocks[to.0 as usize])
        {
            repeated[id.0 as usize] = Some(to);
        }
    }
    repeated
}

fn is_short_test(block: &Block) -> bool {
    let simple = |inst: &Inst| {
        matches!(
            inst,
            Inst::Const(..)
                | Inst::Copy(..)
                | Inst::Bin(..)
                | Inst::Un(..)
                | Inst::Cmp(..)
                | Inst::Conv(..)
                | Inst::Select(..)
                | Inst::Load(..)
                | Inst::LoadAt(..)
        )
    };
    // [condition flow.test_branches]: a test has two ways.
    // [condition flow.test_short]: it is in the code twice.
    // [condition flow.test_simple]: so are its calls.
    matches!(block.term, Term::Branch(..))
        && block.insts.len() <= LONGEST_TEST
        && block.insts.iter().all(simple)
}

/// Per block: how many edges lead to it, the entry's included.
pub(super) fn incoming(
    func: &Function,
    order: &[BlockId],
    repeated: &[Option<BlockId>],
) -> Vec<u32> {
    let mut pending = vec![0u32; func.blocks.len()];
    pending[0] = 1;
    for id in order {
        let block = &func.blocks[id.0 as usize];
        // [condition flow.edges_at_end]: a block that ends before has no others.
        if !ends_early(block) {
            // [condition flow.edges_of_test]: the test that is repeated has edges of its own.
            let test = repeated[id.0 as usize].map(|test| &func.blocks[test.0 as usize]);
            for to in test.unwrap_or(block).term.targets() {
                pending[to.0 as usize] = pending[to.0 as usize].saturating_add(1);
            }
        }
    }
    for id in order {
        for to in fail_edges(&func.blocks[id.0 as usize]) {
            // [condition flow.never_sealed]: error edges are added later.
            pending[to.0 as usize] = NEVER;
        }
    }
    pending
}

impl Translator<'_, '_> {
    /// The Cranelift block of a reachable block.
    pub(super) fn target(&self, id: BlockId) -> ir::Block {
        self.blocks[id.0 as usize].expect("an edge leads only to blocks that `order` found")
    }

    /// Notes that an edge to the block exists now; the last one seals it.
    pub(super) fn arrived(&mut self, id: BlockId) {
        let pending = &mut self.pending[id.0 as usize];
        // [condition flow.not_counted]: these edges are not counted.
        if *pending == NEVER {
            return;
        }
        *pending -= 1;
        // [condition flow.last_edge]: values of edges to come would be left out.
        if *pending == 0 {
            let block = self.target(id);
            self.builder.seal_block(block);
        }
    }

    pub(super) fn terminator(&mut self, term: &Term) {
        match term {
            Term::Jump(to) => {
                let to = self.target(*to);
                self.builder.ins().jump(to, &[]);
            }
            Term::Branch(cond, then, otherwise) => {
                let cond = self.get(*cond);
                let cold = |block: &BlockId| self.func.blocks[block.0 as usize].cold;
                // [condition flow.rarely_not]: where both or none are rare, the first comes next.
                let rarely_not = cold(otherwise) && !cold(then);
                let (then, otherwise) = (self.target(*then), self.target(*otherwise));
                // Cranelift places what the second way leads to next, and what the first one leads to after that.
                match rarely_not.then(|| self.inverted(cond)).flatten() {
                    Some(not) => self.builder.ins().brif(not, otherwise, &[], then, &[]),
                    None => self.builder.ins().brif(cond, then, &[], otherwise, &[]),
                };
            }
            Term::Switch(value, cases, otherwise) => self.switch(*value, cases, *otherwise),
            Term::Return(values) => {
                let values: Vec<ir::Value> = values.iter().map(|&value| self.get(value)).collect();
                // [condition flow.waiting]: what was left for later is destroyed now.
                if self.func.is_nesting_destroyer() {
                    self.destroy_waiting();
                }
                self.return_values(&values, false);
            }
            Term::Propagate => self.propagate(&[]),
            Term::PropagateWith(values) => {
                let values: Vec<ir::Value> = values.iter().map(|&value| self.get(value)).collect();
                self.propagate(&values);
            }
            Term::Unreachable => {
                self.builder.ins().trap(UNREACHABLE);
            }
        }
        for to in term.targets() {
            self.arrived(to);
        }
    }

    /// The opposite of a comparison of integers.
    fn inverted(&mut self, cond: ir::Value) -> Option<ir::Value> {
        let dfg = &self.builder.func.dfg;
        let ir::InstructionData::IntCompare { cond, args, .. } =
            dfg.insts[dfg.value_def(cond).inst()?]
        else {
            return None;
        };
        let [a, b] = args;
        // [condition flow.opposite]: the branches are swapped.
        Some(self.builder.ins().icmp(cond.complement(), a, b))
    }

    fn switch(&mut self, value: Var, cases: &[(i64, BlockId)], otherwise: BlockId) {
        let bits = super::clif_type(self.ty(value)).bits();
        // [condition flow.case_bits]: a case has the bits of its type.
        let mask = u64::MAX >> (64 - bits);
        let value = self.get(value);
        let mut switch = Switch::new();
        for &(case, to) in cases {
            let key = u128::from(case as u64 & mask);
            // [condition flow.case_twice]: the first of two equal cases counts.
            if !switch.entries().contains_key(&key) {
                switch.set_entry(key, self.target(to));
            }
        }
        let otherwise = self.target(otherwise);
        switch.emit(&mut self.builder, value, otherwise);
    }

    /// Returns the results, those without a register through the caller's memory.
    fn return_values(&mut self, values: &[ir::Value], failed: bool) {
        let mut in_registers = Vec::with_capacity(values.len() + 1);
        for (index, &value) in values.iter().enumerate() {
            match (self.abi.places[index], self.return_area) {
                (Some(offset), Some(area)) => {
                    self.builder
                        .ins()
                        .store(MemFlagsData::trusted(), value, area, offset);
                }
                _ => in_registers.push(value),
            }
        }
        if self.status {
            // [condition flow.status]: the caller asks for it.
            in_registers.push(self.builder.ins().iconst(types::I8, i64::from(failed)));
        }
        self.builder.ins().return_(&in_registers);
    }

    /// Returns with the recorded error; a function that cannot fail never gets here. `last` are the last results, those
    /// before them are zero.
    fn propagate(&mut self, last: &[ir::Value]) {
        // [condition flow.no_status]: it has nothing to say so with.
        if !self.status {
            self.builder.ins().trap(UNREACHABLE);
            return;
        }
        let results = &self.func.results;
        // [condition flow.last_results]: those before them are zero.
        let missing = results.len().saturating_sub(last.len());
        let mut values: Vec<ir::Value> =
            results[..missing].iter().map(|&ty| self.zero(ty)).collect();
        values.extend(last);
        self.return_values(&values, true);
    }

    /// Fails when the stack pointer is below the limit.
    pub(super) fn check_stack(&mut self) {
        let low = self.is_deep(Word::StackLimit);
        let (deep, fine) = (self.cold_block(), self.builder.create_block());
        self.builder.ins().brif(low, deep, &[], fine, &[]);
        self.builder.seal_block(deep);
        self.builder.seal_block(fine);
        self.builder.switch_to_block(deep);
        self.raise(ErrorKind::StackOverflow as i32, None, None);
        // [condition flow.stack_site]: the function is the first of the trace.
        if let Some(site) = self.func.site {
            let site = self.builder.ins().iconst(types::I32, self.plan.site(site));
            self.call_runtime_raw(RtFn::Trace, &[site]);
        }
        self.propagate(&[]);
        self.builder.switch_to_block(fine);
    }

    /// In a function that C calls: does nothing on another thread, whose stack is elsewhere, and while an error is on its way through C;
    /// fails where C would have too little of the stack to go on. `place` is where C wants a result of so many bytes, which is zeroed then.
    pub(super) fn check_caller(&mut self, place: Option<ir::Value>, bytes: u32) {
        let pointer = self.builder.ins().get_stack_pointer(types::I64);
        let lowest = self.host(Word::StackLowest);
        let depth = self.builder.ins().isub(pointer, lowest);
        let size = self.host(Word::StackSize);
        let elsewhere = self
            .builder
            .ins()
            .icmp(IntCC::UnsignedGreaterThanOrEqual, depth, size);
        // [condition flow.other_thread]: the program runs on its own thread alone.
        self.leave_if(elsewhere, (place, bytes), |this| {
            // [condition flow.export_refused]: a library says it when it is asked.
            let refused = match this.func.convention {
                Convention::Export { .. } => RtFn::ExportRefused,
                _ => RtFn::CallbackRefused,
            };
            this.call_runtime_raw(refused, &[]);
        });
        let pending = self.pending();
        // [condition flow.error_pending]: nothing runs after an error.
        self.leave_if(pending, (place, bytes), |_| {});
        let kept = self.host(Word::StackKept);
        let deep = (self.builder.ins()).icmp(IntCC::UnsignedLessThan, depth, kept);
        // [condition flow.caller_deep]: C would overflow the stack.
        self.leave_if(deep, (place, bytes), |this| {
            this.raise(ErrorKind::StackOverflow as i32, None, None);
            // [condition flow.export_deep]: no call of the program is there to take the error.
            if let Convention::Export { .. } = this.func.convention {
                this.call_runtime_raw(RtFn::ExportFailed, &[]);
            }
        });
    }

    /// Returns zeros where a condition holds, after doing something.
    fn leave_if(
        &mut self,
        cond: ir::Value,
        (place, bytes): (Option<ir::Value>, u32),
        before: impl FnOnce(&mut Self),
    ) {
        let (leave, stay) = (self.cold_block(), self.builder.create_block());
        self.builder.ins().brif(cond, leave, &[], stay, &[]);
        self.builder.seal_block(leave);
        self.builder.seal_block(stay);
        self.builder.switch_to_block(leave);
        before(self);
        let zeros: Vec<ir::Value> = match place {
            Some(place) => {
                let bytes = self.word(bytes.into());
                self.call_runtime_raw(RtFn::CallbackZero, &[place, bytes]);
                vec![place]
            }
            None => (self.func.results.clone().into_iter())
                .map(|ty| self.zero(ty))
                .collect(),
        };
        self.builder.ins().return_(&zeros);
        self.builder.switch_to_block(stay);
    }

    /// In a destroyer of what may be nested: leaves the object for later when the stack pointer is below the limit for that.
    pub(super) fn check_nesting(&mut self, object: ir::Value) {
        let low = self.is_deep(Word::DestroyLimit);
        let (deep, fine) = (self.cold_block(), self.builder.create_block());
        self.builder.ins().brif(low, deep, &[], fine, &[]);
        self.builder.seal_block(deep);
        self.builder.seal_block(fine);
        self.builder.switch_to_block(deep);
        self.call_runtime_raw(RtFn::DestroyLater, &[object]);
        self.builder.ins().return_(&[]);
        self.builder.switch_to_block(fine);
    }

    /// At the end of such a destroyer: takes over what waits.
    fn destroy_waiting(&mut self) {
        let address = self.host(Word::WaitingFlag);
        let waiting = self
            .builder
            .ins()
            .load(types::I8, MemFlagsData::trusted(), address, 0);
        let (work, done) = (self.cold_block(), self.builder.create_block());
        self.builder.ins().brif(waiting, work, &[], done, &[]);
        self.builder.seal_block(work);
        self.builder.switch_to_block(work);
        self.call_runtime_raw(RtFn::DestroyWaiting, &[]);
        self.builder.ins().jump(done, &[]);
        self.builder.seal_block(done);
        self.builder.switch_to_block(done);
    }

    /// Whether this function's frame goes below the limit in the word at `address`.
    fn is_deep(&mut self, limit: Word) -> ir::Value {
        let mut pointer = self.builder.ins().get_stack_pointer(types::I64);
        let frame: u32 = self.func.slots.iter().sum();
        // [condition flow.large_frame]: it reaches below what the limit leaves.
        if frame > SMALL_FRAME {
            pointer = self.builder.ins().iadd_imm_s(pointer, -i64::from(frame));
        }
        let address = self.host(limit);
        let limit = self
            .builder
            .ins()
            .load(types::I64, MemFlagsData::trusted(), address, 0);
        self.builder
            .ins()
            .icmp(IntCC::UnsignedLessThan, pointer, limit)
    }

    pub(super) fn cold_block(&mut self) -> ir::Block {
        let block = self.builder.create_block();
        self.builder.set_cold_block(block);
        block
    }

    /// Goes on in a new block unless `failed` is not 0; then to the error edge.
    pub(super) fn fail_if(&mut self, failed: ir::Value, error: Option<ErrorKind>, fail: Fail) {
        let tail = self.tail(error, fail);
        let next = self.builder.create_block();
        self.builder.ins().brif(failed, tail, &[], next, &[]);
        self.builder.seal_block(next);
        self.builder.switch_to_block(next);
    }

    /// Goes on in a new block if `there` is not 0; otherwise to the error edge.
    pub(super) fn fail_unless(&mut self, there: ir::Value, error: Option<ErrorKind>, fail: Fail) {
        let tail = self.tail(error, fail);
        let next = self.builder.create_block();
        self.builder.ins().brif(there, next, &[], tail, &[]);
        self.builder.seal_block(next);
        self.builder.switch_to_block(next);
    }

    pub(super) fn check(
        &mut self,
        cond: Var,
        error: ErrorKind,
        a: Option<Var>,
        b: Option<Var>,
        fail: Fail,
    ) {
        let cond = self.get(cond);
        // [condition flow.no_numbers]: nothing is passed to the message.
        if a.is_none() && b.is_none() {
            return self.fail_unless(cond, Some(error), fail);
        }
        let (next, cold) = (self.builder.create_block(), self.cold_block());
        let (a, b) = (a.map(|a| self.get(a)), b.map(|b| self.get(b)));
        self.builder.ins().brif(cond, next, &[], cold, &[]);
        self.builder.seal_block(cold);
        self.builder.switch_to_block(cold);
        self.raise(error as i32, a, b);
        let tail = self.tail(None, fail);
        self.builder.ins().jump(tail, &[]);
        self.builder.seal_block(next);
        self.builder.switch_to_block(next);
    }

    fn raise(&mut self, error: i32, a: Option<ir::Value>, b: Option<ir::Value>) {
        let kind = self.builder.ins().iconst(types::I32, i64::from(error));
        let a = a.unwrap_or_else(|| self.word(0));
        let b = b.unwrap_or_else(|| self.word(0));
        self.call_runtime_raw(RtFn::Raise, &[kind, a, b]);
    }

    /// Gives the shared cold blocks their content.
    pub(super) fn fill_tails(&mut self) {
        while let Some((tail, block)) = self.unfilled.pop() {
            self.builder.switch_to_block(block);
            self.builder.seal_block(block);
            if let Some(error) = tail.raise {
                self.raise(error, None, None);
            }
            let site = self
                .builder
                .ins()
                .iconst(types::I32, self.plan.site(tail.site));
            self.call_runtime_raw(RtFn::Trace, &[site]);
            let unwind = self.target(tail.unwind);
            self.builder.ins().jump(unwind, &[]);
        }
    }
}
