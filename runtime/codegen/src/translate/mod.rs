//! One function of the middle form becomes one Cranelift function.
//!
//! Variables become values of SSA form (`homes.rs`). Every instruction that can fail
//! branches to a cold block; the blocks that record an error or a call site are shared within the function:
//!
//! ```text
//! block3:                              block9 cold:            ; shared by all overflows of site 4 there
//!     v7, v8 = sadd_overflow v5, v6        call rt_raise(0, 0, 0)
//!     brif v8, block9, block4              call rt_trace(4)
//! block4: ...                              jump block6         ; the unwind block of the edge
//! ```
//!
//! A function is translated from the [`Plan`] alone, so functions can be translated in any order and in parallel.
//! `scalar.rs` has arithmetic, `memory.rs` loads, stores and counting, `call.rs` calls, `flow.rs` blocks and errors.

mod call;
mod flow;
mod homes;
mod kept;
mod memory;
mod scalar;

pub(crate) use kept::{KEPT, translate_kept};

use super::plan::Plan;
use super::signature::{SimpleAbi, clif_type};
use super::symbol::Symbol;
use cranelift_codegen::ir::{
    self, InstBuilder, MemFlagsData, StackSlotData, StackSlotKind, UserFuncName, types,
};
use cranelift_codegen::isa::TargetFrontendConfig;
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use homes::Homes;
use rustc_hash::FxHashMap;
use simple_core::error_kind::ErrorKind;
use simple_image::host::Word;
use simple_middle::mir::{self, BlockId, Inst, MTy, SiteId, Var};

/// Translates function `index` into `out`, which is empty. Returns the failure edges of its calls: the place of an instruction in `out` is
/// the number of one.
pub(crate) fn translate(
    plan: &Plan<'_>,
    index: usize,
    config: TargetFrontendConfig,
    context: &mut FunctionBuilderContext,
    out: &mut ir::Function,
) -> Vec<mir::Fail> {
    let func = plan.func(index);
    let abi = plan.abi(index);
    out.name = UserFuncName::User(Symbol::Func(mir::FnId(index as u32)).name());
    out.signature = abi.signature.clone();
    let mut builder = FunctionBuilder::new(out, context);
    let order = flow::order(func);
    let repeated = flow::repeated_tests(func, &order);
    let homes = Homes::new(func, &order, &repeated, &mut builder);
    let slots = func
        .slots
        .iter()
        .map(|&size| {
            builder.create_sized_stack_slot(StackSlotData::new(
                StackSlotKind::ExplicitSlot,
                size,
                3,
            ))
        })
        .collect();
    let mut translator = Translator {
        plan,
        func,
        status: plan.returns_status(index),
        abi,
        builder,
        homes,
        slots,
        blocks: vec![None; func.blocks.len()],
        pending: flow::incoming(func, &order, &repeated),
        repeated,
        callees: FxHashMap::default(),
        data_places: FxHashMap::default(),
        tails: FxHashMap::default(),
        unfilled: Vec::new(),
        return_area: None,
        areas: FxHashMap::default(),
        in_cold: false,
        fails: Vec::new(),
    };
    translator.run(&order);
    let Translator {
        mut builder, fails, ..
    } = translator;
    builder.seal_all_blocks();
    builder.finalize(config);
    fails
}

/// What a shared cold block does before it goes to its unwind block.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Tail {
    /// Number of the error to raise, without numbers in its message.
    raise: Option<i32>,
    site: SiteId,
    unwind: BlockId,
}

struct Translator<'p, 'b> {
    plan: &'p Plan<'p>,
    func: &'p mir::Function,
    status: bool,
    abi: SimpleAbi,
    builder: FunctionBuilder<'b>,
    homes: Homes,
    slots: Vec<ir::StackSlot>,
    /// The Cranelift block of each block that is reachable.
    blocks: Vec<Option<ir::Block>>,
    /// Per block: how many of its incoming edges are not translated yet; [`flow::NEVER`] for those sealed at the end.
    pending: Vec<u32>,
    /// Per block: the loop test that is repeated at its end.
    repeated: Vec<Option<BlockId>>,
    callees: FxHashMap<Symbol, ir::FuncRef>,
    /// The places in the data that were referred to.
    data_places: FxHashMap<(Symbol, usize), ir::GlobalValue>,
    tails: FxHashMap<Tail, ir::Block>,
    /// Shared cold blocks that are still empty.
    unfilled: Vec<(Tail, ir::Block)>,
    /// Address of the caller's memory for results that have no register.
    return_area: Option<ir::Value>,
    /// Memory for the results of calls that have no register, by size.
    areas: FxHashMap<u32, ir::StackSlot>,
    /// Whether the block being translated is cold.
    in_cold: bool,
    /// The failure edges of calls, each by the number that its instruction has as its place.
    fails: Vec<mir::Fail>,
}

impl Translator<'_, '_> {
    fn run(&mut self, order: &[BlockId]) {
        for &id in order {
            let block = self.builder.create_block();
            if self.func.blocks[id.0 as usize].cold {
                self.builder.set_cold_block(block);
            }
            self.blocks[id.0 as usize] = Some(block);
        }
        self.entry();
        for &id in order {
            self.block(id);
        }
        self.fill_tails();
    }

    fn entry(&mut self) {
        let entry = self.builder.create_block();
        self.builder.append_block_params_for_function_params(entry);
        self.builder.switch_to_block(entry);
        self.builder.seal_block(entry);
        let params = self.builder.block_params(entry).to_vec();
        for (&var, &value) in self.func.params.iter().zip(&params) {
            self.set(var, value);
        }
        // [condition entry.area]: the address of the caller's memory is the last parameter.
        if self.abi.area > 0 {
            self.return_area = params.last().copied();
        }
        // Other glue that the runtime calls has no way to report the error; it relies on the margin below the limit.
        if let mir::Convention::Callback { returned } | mir::Convention::Export { returned } =
            self.func.convention
        {
            // [condition entry.returned]: C wants a result in memory.
            self.check_caller(params.first().copied().filter(|_| returned > 0), returned);
        } else if self.func.is_nesting_destroyer() {
            // [condition entry.nesting]: a long chain would overflow the stack.
            self.check_nesting(params[0]);
        } else if self.func.checks_stack && self.status {
            // [condition entry.checks_stack]: so would a recursion.
            // [condition entry.status]: only what can fail reports it.
            self.check_stack();
        }
        let first = self.target(BlockId(0));
        self.builder.ins().jump(first, &[]);
        self.arrived(BlockId(0));
    }

    fn block(&mut self, id: BlockId) {
        let source = &self.func.blocks[id.0 as usize];
        let block = self.target(id);
        self.builder.switch_to_block(block);
        self.in_cold = source.cold;
        for inst in &source.insts {
            self.inst(inst);
            if matches!(inst, Inst::Raise(..) | Inst::Panic(..)) {
                // [condition entry.ends]: nothing comes after an error.
                // Both end the block; its terminator says only that nothing follows.
                return;
            }
        }
        match self.repeated[id.0 as usize] {
            Some(test) => {
                let test = &self.func.blocks[test.0 as usize];
                test.insts.iter().for_each(|inst| self.inst(inst));
                self.terminator(&test.term);
            }
            None => self.terminator(&source.term),
        }
    }

    fn inst(&mut self, inst: &Inst) {
        match inst {
            Inst::Const(dst, constant) => self.constant(*dst, *constant),
            Inst::Copy(dst, src) => {
                let value = self.get(*src);
                self.set(*dst, value);
            }
            Inst::Bin(dst, op, a, b) => self.bin(*dst, *op, *a, *b),
            Inst::Un(dst, op, a) => self.un(*dst, *op, *a),
            Inst::Cmp(dst, op, a, b) => self.cmp(*dst, *op, *a, *b),
            Inst::Conv(dst, op, src) => self.conv(*dst, *op, *src),
            Inst::Select(dst, cond, a, b) => {
                let (cond, a, b) = (self.get(*cond), self.get(*a), self.get(*b));
                let value = match self.ty(*dst).element() {
                    None => self.builder.ins().select(cond, a, b),
                    Some(_) => {
                        let mask = self.builder.func.dfg.value_type(cond);
                        let whole = self.builder.func.dfg.value_type(a);
                        let (a, b) = (self.as_bits(a, mask), self.as_bits(b, mask));
                        let chosen = self.builder.ins().bitselect(cond, a, b);
                        self.as_bits(chosen, whole)
                    }
                };
                self.set(*dst, value);
            }
            Inst::Checked(dst, op, signed, a, b, fail) => {
                self.checked(*dst, *op, *signed, *a, *b, *fail)
            }
            Inst::Check {
                cond,
                error,
                a,
                b,
                fail,
            } => self.check(*cond, *error, *a, *b, *fail),
            Inst::Load(dst, base, offset) => self.load(*dst, *base, *offset),
            Inst::Store(base, offset, src) => self.store(*base, *offset, *src),
            Inst::LoadAt(dst, base, index, scale, offset) => {
                self.load_at(*dst, *base, *index, *scale, *offset)
            }
            Inst::StoreAt(base, index, scale, offset, src) => {
                self.store_at(*base, *index, *scale, *offset, *src)
            }
            Inst::AddrAt(dst, base, index, scale, offset) => {
                self.addr_at(*dst, *base, *index, *scale, *offset)
            }
            Inst::Retain(var, nullable) => self.retain(*var, *nullable),
            Inst::Release(var, how) => self.release(*var, *how),
            Inst::Call {
                dsts,
                func,
                args,
                fail,
            } => self.call(dsts, *func, args, *fail),
            Inst::CallIndirect {
                dsts,
                code,
                args,
                fail,
            } => self.call_indirect(dsts, *code, args, *fail),
            Inst::CallRuntime {
                dst,
                func,
                args,
                fail,
            } => self.call_runtime(*dst, *func, args, *fail),
            Inst::CallExtern {
                dsts,
                func,
                args,
                fail,
            } => self.call_extern(dsts, *func, args, *fail),
            Inst::Raise(error, fail) => {
                let tail = self.tail(Some(*error), *fail);
                self.builder.ins().jump(tail, &[]);
            }
            Inst::Panic(message, fail) => {
                let message = self.get(*message);
                self.call_runtime_raw(simple_core::table::RtFn::Panic, &[message]);
                let tail = self.tail(None, *fail);
                self.builder.ins().jump(tail, &[]);
            }
        }
    }

    fn ty(&self, var: Var) -> MTy {
        self.func.vars[var.0 as usize]
    }

    /// A word of this process.
    fn host(&mut self, word: Word) -> ir::Value {
        let address = self.place(Symbol::Data, word.offset());
        let flags = MemFlagsData::trusted();
        self.builder.ins().load(types::I64, flags, address, 0)
    }

    /// The address of a place in the program's data: from the start of what is named so, the bytes before it.
    fn place(&mut self, start: Symbol, before: usize) -> ir::Value {
        let func = &mut self.builder.func;
        let value = *(self.data_places.entry((start, before))).or_insert_with(|| {
            let name = func.declare_imported_user_function(start.name());
            func.create_global_value(ir::GlobalValueData::Symbol {
                name: ir::ExternalName::user(name),
                offset: (before as i64).into(),
                colocated: true,
                tls: false,
            })
        });
        self.builder.ins().symbol_value(types::I64, value)
    }

    /// A word-sized number.
    fn word(&mut self, value: i64) -> ir::Value {
        self.builder.ins().iconst(types::I64, value)
    }

    /// The value that a function returns in place of a result when it fails.
    fn zero(&mut self, ty: MTy) -> ir::Value {
        match ty {
            MTy::F32 => self.builder.ins().f32const(0.0),
            MTy::F64 => self.builder.ins().f64const(0.0),
            MTy::I32x4 | MTy::I64x2 | MTy::F32x4 | MTy::F64x2 => {
                let element = self.zero(ty.element().unwrap_or(MTy::I64));
                self.builder.ins().splat(clif_type(ty), element)
            }
            _ => self.builder.ins().iconst(clif_type(ty), 0),
        }
    }

    fn tail(&mut self, error: Option<ErrorKind>, fail: mir::Fail) -> ir::Block {
        let tail = Tail {
            raise: error.map(|kind| kind as i32),
            site: fail.site,
            unwind: fail.unwind,
        };
        if let Some(&block) = self.tails.get(&tail) {
            return block;
        }
        let block = self.builder.create_block();
        self.builder.set_cold_block(block);
        self.tails.insert(tail, block);
        self.unfilled.push((tail, block));
        block
    }
}
