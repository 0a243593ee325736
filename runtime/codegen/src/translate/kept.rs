//! Runtime functions for rare calls from hot code: their wrappers change no register.
//!
//! A call ends the life of every value in a register that the callee may change, also when the call is almost never made: the
//! loop around it pays with loads and stores. A wrapper saves all registers that its function may change, so code that
//! calls it keeps its own. Results travel through memory, because the convention has none:
//!
//! ```text
//! cold block:                          kept ArrayUnique(array, extra, out):
//!     call kept ArrayUnique(v1, v2, &slot)     r = call ArrayUnique(array, extra)
//!     v3 = load slot                           store [out] = r
//! ```

use super::clif_type;
use crate::plan::Plan;
use crate::symbol::Symbol;
use cranelift_codegen::ir::{
    self, AbiParam, ExtFuncData, ExternalName, InstBuilder, MemFlagsData, Signature, UserFuncName,
    types,
};
use cranelift_codegen::isa::{CallConv, TargetFrontendConfig};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use simple_core::table::RtFn;
use simple_middle::mir::kind_mty;

/// The functions that cold code calls through a wrapper: those that grow or copy what is being changed in place, and what runs the turns of a loop
/// where there are many.
pub(crate) const KEPT: [RtFn; 2] = [RtFn::ArrayUnique, RtFn::Spread];

/// How a wrapper is called: with the arguments of its function and the address for the result.
pub(super) fn signature(func: RtFn) -> Signature {
    let mut signature = Signature::new(CallConv::PreserveAll);
    for &kind in func.signature().params {
        let param = AbiParam::new(clif_type(kind_mty(kind)));
        signature.params.push(param);
    }
    signature.params.push(AbiParam::new(types::I64));
    signature
}

/// Makes the wrapper of `func` in `out`, which is empty.
pub(crate) fn translate_kept(
    plan: &Plan<'_>,
    func: RtFn,
    config: TargetFrontendConfig,
    context: &mut FunctionBuilderContext,
    out: &mut ir::Function,
) {
    out.name = UserFuncName::User(Symbol::Kept(func).name());
    out.signature = signature(func);
    let mut builder = FunctionBuilder::new(out, context);
    let block = builder.create_block();
    builder.append_block_params_for_function_params(block);
    builder.switch_to_block(block);
    builder.seal_block(block);
    let mut args = builder.block_params(block).to_vec();
    let address = args.pop();
    let signature = builder.import_signature(plan.runtime_signature(func));
    let name = builder
        .func
        .declare_imported_user_function(Symbol::Runtime(func).name());
    let callee = builder.import_function(ExtFuncData {
        name: ExternalName::user(name),
        signature,
        colocated: true,
        patchable: false,
    });
    let call = builder.ins().call(callee, &args);
    let result = builder.inst_results(call).first().copied();
    // [condition kept.stored_result]: the caller loads it.
    if let (Some(result), Some(address)) = (result, address) {
        let flags = MemFlagsData::trusted();
        builder.ins().store(flags, result, address, 0);
    }
    builder.ins().return_(&[]);
    builder.finalize(config);
}
