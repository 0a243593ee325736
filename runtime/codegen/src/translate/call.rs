//! Calls: of functions of the program, by address, of the runtime, and of foreign functions.
//!
//! Every named callee is called near (`call rel32`); `link/` decides whether that reaches the function itself or a stub.
//! A call within the program assigns its results before it branches on the status, because a failing one may return some
//! ([`Term::PropagateWith`](simple_middle::mir::Term)); any other assigns after the branch, and its variables keep what they held.

use super::{KEPT, Translator, clif_type};
use crate::signature::{self, SimpleAbi};
use crate::symbol::Symbol;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{
    self, ExtFuncData, ExternalName, InstBuilder, MemFlagsData, SourceLoc, types,
};
use cranelift_codegen::ir::{StackSlotData, StackSlotKind};
use simple_core::table::{Kind, RtFn};
use simple_image::host::Word;
use simple_middle::mir::{ExternId, ExternKind, Fail, Failure, FnId, MTy, Var, kind_mty};

impl Translator<'_, '_> {
    /// A reference to code by its symbol, made once per function.
    pub(super) fn callee(&mut self, symbol: Symbol) -> ir::FuncRef {
        if let Some(&callee) = self.callees.get(&symbol) {
            return callee;
        }
        let signature = match symbol {
            Symbol::Func(id) => self.plan.abi(id.0 as usize).signature,
            Symbol::Runtime(func) => self.plan.runtime_signature(func),
            Symbol::Extern(id) => {
                signature::foreign(self.plan.native, &self.plan.module.externs[id.0 as usize])
            }
            Symbol::Kept(func) => super::kept::signature(func),
            Symbol::Data | Symbol::Memory(_) | Symbol::Bound(_) => {
                unreachable!("data is not called")
            }
        };
        let signature = self.builder.import_signature(signature);
        let name = self
            .builder
            .func
            .declare_imported_user_function(symbol.name());
        let callee = self.builder.import_function(ExtFuncData {
            name: ExternalName::user(name),
            signature,
            colocated: true,
            patchable: false,
        });
        self.callees.insert(symbol, callee);
        callee
    }

    pub(super) fn call(&mut self, dsts: &[Var], func: FnId, args: &[Var], fail: Option<Fail>) {
        let abi = self.plan.abi(func.0 as usize);
        let status = self.plan.returns_status(func.0 as usize);
        let can_fail = self.plan.func(func.0 as usize).can_fail;
        let mut args: Vec<ir::Value> = args.iter().map(|&arg| self.get(arg)).collect();
        let area = self.push_area(&abi, &mut args);
        let callee = self.callee(Symbol::Func(func));
        let call = self.placed(fail, |this| this.builder.ins().call(callee, &args));
        // [condition call.can_fail]: its status says so.
        self.finish_call(call, dsts, &abi, status, fail.filter(|_| can_fail), area);
    }

    pub(super) fn call_indirect(&mut self, dsts: &[Var], code: Var, args: &[Var], fail: Fail) {
        let params = args.iter().map(|&arg| self.ty(arg));
        let results: Vec<MTy> = dsts.iter().map(|&dst| self.ty(dst)).collect();
        let abi = signature::simple(self.plan.native, params, &results, true);
        let mut args: Vec<ir::Value> = args.iter().map(|&arg| self.get(arg)).collect();
        let area = self.push_area(&abi, &mut args);
        let code = self.get(code);
        let signature = self.builder.import_signature(abi.signature.clone());
        let call = self.placed(Some(fail), |this| {
            this.builder.ins().call_indirect(signature, code, &args)
        });
        self.finish_call(call, dsts, &abi, true, Some(fail), area);
    }

    /// Adds memory for the results that have no register to the arguments.
    fn push_area(&mut self, abi: &SimpleAbi, args: &mut Vec<ir::Value>) -> Option<ir::Value> {
        // [condition call.area]: a function with registers for all results has no such parameter.
        if abi.area == 0 {
            return None;
        }
        // The results are read right after the call, so that all calls share the memory.
        let slot = *self.areas.entry(abi.area).or_insert_with(|| {
            let slot = StackSlotData::new(StackSlotKind::ExplicitSlot, abi.area, 3);
            self.builder.create_sized_stack_slot(slot)
        });
        let address = self.builder.ins().stack_addr(types::I64, slot, 0);
        args.push(address);
        Some(address)
    }

    fn finish_call(
        &mut self,
        call: ir::Inst,
        dsts: &[Var],
        abi: &SimpleAbi,
        status: bool,
        fail: Option<Fail>,
        area: Option<ir::Value>,
    ) {
        let mut results = self.builder.inst_results(call).to_vec();
        let status = if status { results.pop() } else { None };
        let mut results = results.into_iter();
        for (&dst, place) in dsts.iter().zip(&abi.places) {
            let value = match (place, area) {
                (Some(offset), Some(area)) => {
                    let ty = clif_type(self.ty(dst));
                    self.builder
                        .ins()
                        .load(ty, MemFlagsData::trusted(), area, *offset)
                }
                _ => results
                    .next()
                    .expect("the signature has a register result for every other variable"),
            };
            self.set(dst, value);
        }
        if let (Some(status), Some(fail)) = (status, fail) {
            self.fail_if(status, None, fail);
        }
    }

    /// Makes a call whose place is found by the address that it returns to (`link::Image::call`).
    fn placed<T>(&mut self, fail: Option<Fail>, call: impl FnOnce(&mut Self) -> T) -> T {
        if let Some(fail) = fail {
            self.builder
                .set_srcloc(SourceLoc::new(self.fails.len() as u32));
            self.fails.push(fail);
        }
        let result = call(self);
        self.builder.set_srcloc(SourceLoc::default());
        result
    }

    /// Calls a runtime function without looking at its outcome.
    pub(super) fn call_runtime_raw(&mut self, func: RtFn, args: &[ir::Value]) -> Option<ir::Value> {
        let callee = self.callee(Symbol::Runtime(func));
        let call = self.builder.ins().call(callee, args);
        self.builder.inst_results(call).first().copied()
    }

    pub(super) fn call_runtime(
        &mut self,
        dst: Option<Var>,
        func: RtFn,
        args: &[Var],
        fail: Option<Fail>,
    ) {
        let args: Vec<ir::Value> = args.iter().map(|&arg| self.get(arg)).collect();
        // [condition call.kept_cold]: what is always done is called directly.
        // [condition call.kept_listed]: other functions have no wrapper.
        let kept = self.in_cold && KEPT.contains(&func);
        let result = self.placed(fail, |this| match kept {
            true => this.call_kept(func, args),
            false => this.call_runtime_raw(func, &args),
        });
        // [condition call.runtime_fails]: what failed has noted an error.
        if let Some(fail) = fail.filter(|_| func.signature().fails) {
            match (result, func.signature().result) {
                // [condition call.null_tells]: the flag would tell it too.
                // A new object is never at address zero, so its pointer tells as much as the flag.
                (Some(pointer), Some(Kind::Ptr)) => {
                    self.fail_unless(pointer, None, fail);
                }
                _ => {
                    let pending = self.pending();
                    self.fail_if(pending, None, fail);
                }
            }
        }
        if let (Some(dst), Some(result)) = (dst, result) {
            self.set(dst, result);
        }
    }

    /// Calls a runtime function through its wrapper, which leaves all registers as they are.
    fn call_kept(&mut self, func: RtFn, mut args: Vec<ir::Value>) -> Option<ir::Value> {
        let slot = StackSlotData::new(StackSlotKind::ExplicitSlot, 8, 3);
        let slot = self.builder.create_sized_stack_slot(slot);
        let address = self.builder.ins().stack_addr(types::I64, slot, 0);
        args.push(address);
        let callee = self.callee(Symbol::Kept(func));
        self.builder.ins().call(callee, &args);
        let ty = clif_type(kind_mty(func.signature().result?));
        let flags = MemFlagsData::trusted();
        Some(self.builder.ins().load(ty, flags, address, 0))
    }

    /// The byte that is not 0 while an error is recorded.
    pub(super) fn pending(&mut self) -> ir::Value {
        let address = self.host(Word::PendingFlag);
        self.builder
            .ins()
            .load(types::I8, MemFlagsData::trusted(), address, 0)
    }

    pub(super) fn call_extern(&mut self, dsts: &[Var], func: ExternId, args: &[Var], fail: Fail) {
        let ext = &self.plan.module.externs[func.0 as usize];
        let args: Vec<ir::Value> = args.iter().map(|&arg| self.get(arg)).collect();
        let late = ext.address.is_none();
        // [condition call.bound_first]: nothing else binds it there.
        if late && self.plan.test_bound {
            self.bind_first(func, fail);
        }
        // [condition call.may_not_bind]: what was asked before is bound.
        // A thunk that cannot bind returns with the error recorded.
        let may_not_bind = late && !self.plan.test_bound;
        // [condition call.given]: the address is an argument.
        let given = ext.kind == ExternKind::Given;
        // [condition call.profiled]: nothing else measures.
        // [condition call.told_foreign]: what is part of the program is measured as its own.
        // The runtime's own functions are part of the program.
        let told = self.plan.module.profiled && (late || ext.slow);
        if told {
            let index = self.plan.foreign(func);
            let index = self.builder.ins().iconst(types::I32, index);
            self.placed(Some(fail), |this| {
                this.call_runtime_raw(RtFn::ProfileEnter, &[index])
            });
        }
        // [condition call.slow]: only what takes long is asked for its line.
        let slow = ext.slow;
        if slow {
            let stack = self.builder.ins().get_stack_pointer(types::I64);
            self.tell_stack(stack);
        }
        let call = match given {
            true => self.call_given(func, args, fail),
            false => {
                let callee = self.callee(Symbol::Extern(func));
                self.placed(Some(fail), |this| this.builder.ins().call(callee, &args))
            }
        };
        let results = self.builder.inst_results(call).to_vec();
        if slow {
            let none = self.builder.ins().iconst(types::I64, 0);
            self.tell_stack(none);
        }
        if told {
            self.call_runtime_raw(RtFn::ProfileLeave, &[]);
        }
        let suspect = match (ext.failure, results.first()) {
            // [condition call.never_fails]: it may fail to bind.
            (Failure::Never, _) if !may_not_bind => None,
            // [condition call.failure_value]: one value alone says that it failed.
            (Failure::Value(bits), Some(&result)) => {
                Some(self.has_bits(result, ext.results[0].ty, bits))
            }
            (Failure::Value(_), None) | (Failure::Flag | Failure::Never, _) => Some(self.pending()),
        };
        if let Some(suspect) = suspect {
            let (look, next) = (self.cold_block(), self.builder.create_block());
            self.builder.ins().brif(suspect, look, &[], next, &[]);
            self.builder.seal_block(look);
            self.builder.switch_to_block(look);
            let site = self.plan.site(fail.site);
            let site = self.builder.ins().iconst(types::I32, site);
            let failed = self
                .call_runtime_raw(RtFn::ExternFailed, &[site])
                .expect("it has a result");
            let unwind = self.target(fail.unwind);
            self.builder.ins().brif(failed, unwind, &[], next, &[]);
            self.builder.seal_block(next);
            self.builder.switch_to_block(next);
        }
        for (&dst, result) in dsts.iter().zip(results) {
            self.set(dst, result);
        }
    }

    /// Calls the function whose address is among the arguments.
    fn call_given(&mut self, func: ExternId, mut args: Vec<ir::Value>, fail: Fail) -> ir::Inst {
        let ext = &self.plan.module.externs[func.0 as usize];
        let mut signature = signature::foreign(self.plan.native, ext);
        // Before it may be the place of the result.
        let at = usize::from(ext.params[0].ty == MTy::Ptr);
        signature.params.remove(at);
        let address = args.remove(at);
        let signature = self.builder.import_signature(signature);
        self.placed(Some(fail), |this| {
            (this.builder.ins()).call_indirect(signature, address, &args)
        })
    }

    /// Says where the stack pointer is during a foreign call, so that the library can ask cheaply which line calls it (`simple_core::told`).
    fn tell_stack(&mut self, stack: ir::Value) {
        let address = self.host(Word::ForeignStack);
        self.builder
            .ins()
            .store(MemFlagsData::trusted(), stack, address, 0);
    }

    /// Binds the function unless its flag says that it is bound.
    fn bind_first(&mut self, func: ExternId, fail: Fail) {
        let address = self.place(Symbol::Bound(func), 0);
        let bound = self
            .builder
            .ins()
            .load(types::I8, MemFlagsData::trusted(), address, 0);
        let (bind, next) = (self.cold_block(), self.builder.create_block());
        // [condition call.already_bound]: it is bound once.
        self.builder.ins().brif(bound, next, &[], bind, &[]);
        self.builder.seal_block(bind);
        self.builder.switch_to_block(bind);
        let index = self
            .builder
            .ins()
            .iconst(types::I32, self.plan.foreign(func));
        self.call_runtime_raw(RtFn::BindExtern, &[index]);
        let pending = self.pending();
        let tail = self.tail(None, fail);
        self.builder.ins().brif(pending, tail, &[], next, &[]);
        self.builder.seal_block(next);
        self.builder.switch_to_block(next);
    }

    /// Whether a result has exactly these bits.
    fn has_bits(&mut self, result: ir::Value, ty: MTy, bits: i64) -> ir::Value {
        let (result, int) = match ty {
            MTy::F32 => (
                self.builder
                    .ins()
                    .bitcast(types::I32, MemFlagsData::new(), result),
                types::I32,
            ),
            MTy::F64 => (
                self.builder
                    .ins()
                    .bitcast(types::I64, MemFlagsData::new(), result),
                types::I64,
            ),
            _ => (result, clif_type(ty)),
        };
        // [condition call.value_bits]: the value has the bits of its type.
        let bits = (bits as u64 & (u64::MAX >> (64 - int.bits()))) as i64;
        let bits = self.builder.ins().iconst(int, bits);
        self.builder.ins().icmp(IntCC::Equal, result, bits)
    }
}
