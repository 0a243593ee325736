//! Calling conventions: which registers carry arguments, results and the status of a function.
//!
//! Between functions of the program ([`mir::Convention::Simple`]) a function that can fail returns one more `I8`, its
//! status: 1 when it failed. It is the last integer register result, so an error costs a test of a register. Which
//! Cranelift convention is used depends on the signature alone, because an indirect call knows nothing else:
//! - x86-64: the system's own gives two integer and two float result registers; `Tail` gives eight of each, with the
//!   same argument registers and the same registers preserved across a call;
//! - aarch64: the system's own gives eight of each.
//!
//! Results beyond those registers go through memory of the caller, whose address is the last argument.

use cranelift_codegen::ir::{AbiParam, ArgumentPurpose, Signature, Type, types};
use cranelift_codegen::isa::CallConv;
use simple_middle::mir::{self, MTy};

/// The Cranelift type of a machine type.
pub(crate) fn clif_type(ty: MTy) -> Type {
    match ty {
        MTy::I8 => types::I8,
        MTy::I16 => types::I16,
        MTy::I32 => types::I32,
        MTy::I64 | MTy::Ptr => types::I64,
        MTy::F32 => types::F32,
        MTy::F64 => types::F64,
        MTy::I32x4 => types::I32X4,
        MTy::I64x2 => types::I64X2,
        MTy::F32x4 => types::F32X4,
        MTy::F64x2 => types::F64X2,
    }
}

/// How results travel in the `Simple` convention.
#[derive(Debug)]
pub(crate) struct SimpleAbi {
    /// What Cranelift is told.
    pub(crate) signature: Signature,
    /// Per result: `None` in a register, otherwise its offset in the caller's memory.
    pub(crate) places: Vec<Option<i32>>,
    /// Size of the caller's memory; 0 when every result has a register.
    pub(crate) area: u32,
}

/// Registers of each class that `Tail` (x86-64) or the system's convention (aarch64) offers for results.
const MANY: usize = 8;

/// The convention of a function of the program.
pub(crate) fn simple(
    native: CallConv,
    params: impl IntoIterator<Item = MTy>,
    results: &[MTy],
    status: bool,
) -> SimpleAbi {
    let is_float = |ty: &MTy| matches!(ty, MTy::F32 | MTy::F64);
    let floats = results.iter().filter(|ty| is_float(ty)).count();
    let ints = results.len() - floats + usize::from(status);
    let few = if cfg!(target_arch = "x86_64") {
        2
    } else {
        MANY
    };
    let conv = if (ints <= few && floats <= few) || !cfg!(target_arch = "x86_64") {
        native
    } else {
        CallConv::Tail
    };
    let mut signature = Signature::new(conv);
    signature
        .params
        .extend(params.into_iter().map(|ty| AbiParam::new(clif_type(ty))));
    let mut left = [MANY - usize::from(status), MANY];
    let mut area = 0u32;
    let places = results
        .iter()
        .map(|ty| {
            let class = &mut left[usize::from(is_float(ty))];
            if *class > 0 {
                *class -= 1;
                signature.returns.push(AbiParam::new(clif_type(*ty)));
                return None;
            }
            area += 8;
            Some(area as i32 - 8)
        })
        .collect();
    if status {
        signature.returns.push(AbiParam::new(types::I8));
    }
    if area > 0 {
        signature.params.push(AbiParam::new(types::I64));
    }
    SimpleAbi {
        signature,
        places,
        area,
    }
}

/// The C convention for what the runtime calls.
pub(crate) fn c(
    native: CallConv,
    params: impl IntoIterator<Item = MTy>,
    results: &[MTy],
) -> Signature {
    let mut signature = Signature::new(native);
    signature
        .params
        .extend(params.into_iter().map(|ty| extended(ty, false)));
    signature
        .returns
        .extend(results.iter().map(|ty| AbiParam::new(clif_type(*ty))));
    signature
}

/// The C convention of a foreign function.
pub(crate) fn foreign(native: CallConv, ext: &mir::Extern) -> Signature {
    let mut signature = Signature::new(native);
    signature
        .params
        .extend(ext.params.iter().map(|param| match param.on_stack {
            0 => extended(param.ty, param.signed),
            bytes => on_stack(bytes),
        }));
    signature.returns.extend(
        ext.results
            .iter()
            .map(|result| AbiParam::new(clif_type(result.ty))),
    );
    signature
}

/// A struct of so many bytes that is passed on the stack.
pub(crate) fn on_stack(bytes: u32) -> AbiParam {
    AbiParam::special(types::I64, ArgumentPurpose::StructArgument(bytes))
}

/// A C parameter: compilers rely on the caller to widen integers narrower than `int`.
fn extended(ty: MTy, signed: bool) -> AbiParam {
    let param = AbiParam::new(clif_type(ty));
    match ty {
        MTy::I8 | MTy::I16 | MTy::I32 if signed => param.sext(),
        MTy::I8 | MTy::I16 | MTy::I32 => param.uext(),
        _ => param,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_results_use_the_systems_convention_and_more_use_tail() {
        let one = simple(CallConv::SystemV, [MTy::I64], &[MTy::I64], true);
        assert_eq!((one.signature.call_conv, one.area), (CallConv::SystemV, 0));
        let three = simple(CallConv::SystemV, [], &[MTy::I64; 3], true);
        let expected = if cfg!(target_arch = "x86_64") {
            CallConv::Tail
        } else {
            CallConv::SystemV
        };
        assert_eq!((three.signature.call_conv, three.area), (expected, 0));
    }

    #[test]
    fn the_status_keeps_its_register_when_results_overflow() {
        let many = simple(CallConv::SystemV, [], &[MTy::I64; 10], true);
        assert_eq!(many.signature.returns.len(), 8);
        assert_eq!(many.area, 24);
        assert_eq!(many.places[6..], [None, Some(0), Some(8), Some(16)]);
        assert_eq!(many.signature.params.len(), 1);
    }
}
