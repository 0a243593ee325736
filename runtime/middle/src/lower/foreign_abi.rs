//! In which registers values cross: the C scalars of a foreign function's parameters and result.
//!
//! Which registers take a struct is decided in `simple_ffi_abi::c_layout`; here the decision becomes scalars. Only x86-64 passes
//! structs by value: other machines have other rules, and lowering refuses it there.

use super::externs::pointer_and_length;
use crate::mir::{CParam, MTy};
pub(super) use simple_ffi_abi::c_layout::Passing;
use simple_ffi_abi::c_layout::{Passed, passing};
use simple_ffi_abi::foreign::ForeignFn;
use simple_sema::typed::{Extern, ExternKind, Foreign};

/// An address as C has it.
const ADDRESS: CParam = CParam::new(MTy::Ptr, false);

/// The C scalars that a foreign function takes, and those that it yields.
pub(super) fn signature(declared: &Extern) -> (Vec<CParam>, Vec<CParam>) {
    let mut params = Vec::new();
    if returns_in_memory(&declared.result) {
        params.push(ADDRESS);
    }
    for (param, passing) in declared.params.iter().zip(passing_of(declared)) {
        let foreign = &param.foreign.foreign;
        match (param.foreign.out, passing) {
            (true, _) => params.push(ADDRESS),
            (_, Passing::Scalars) => params.extend(scalars(foreign)),
            (_, Passing::Registers(floats)) => params.extend(floats.into_iter().map(eightbyte)),
            (_, Passing::Memory) => params.push(CParam {
                on_stack: foreign.size().next_multiple_of(8),
                ..ADDRESS
            }),
        }
    }
    (params, results(&declared.result))
}

/// The C scalars of a result that is in registers.
pub(super) fn results(result: &Foreign) -> Vec<CParam> {
    match result {
        Foreign::Struct(layout) => match layout.eightbytes() {
            Some(floats) => floats.into_iter().map(eightbyte).collect(),
            None => Vec::new(),
        },
        other => scalars(other),
    }
}

/// How each parameter of a foreign function is passed.
pub(super) fn passing_of(declared: &Extern) -> Vec<Passing> {
    let address = Foreign::Address { optional: false };
    let params: Vec<&Foreign> = (declared.params.iter())
        .map(|param| match param.foreign.out {
            true => &address,
            false => &param.foreign.foreign,
        })
        .collect();
    let in_memory = returns_in_memory(&declared.result);
    match declared.kind {
        // C does not get the first one.
        ExternKind::Given => {
            let mut all = vec![Passing::Scalars];
            all.extend(passing(&params[1..], in_memory).params);
            all
        }
        _ => passing(&params, in_memory).params,
    }
}

/// How C passes what it gives to a function of the program, and how many registers for integers that takes.
pub(super) fn passed_back(function: &ForeignFn) -> Passed {
    let params: Vec<&Foreign> = function.params.iter().collect();
    passing(&params, returns_in_memory(&function.result))
}

/// Whether the caller says where the result goes.
pub(super) fn returns_in_memory(result: &Foreign) -> bool {
    result.in_memory().is_some()
}

/// Whether a struct or a part of one crosses by value.
pub(super) fn has_structs(declared: &Extern) -> bool {
    let passed = declared.params.iter().filter(|param| !param.foreign.out);
    let mut all = passed
        .map(|param| &param.foreign.foreign)
        .chain([&declared.result]);
    all.any(|foreign| matches!(foreign, Foreign::Struct(_)))
}

/// Whether the leaves of a struct are what the registers carry.
pub(super) fn is_words(foreign: &Foreign) -> bool {
    matches!(foreign, Foreign::Struct(layout) if layout.is_words())
}

/// The register that carries an eightbyte.
pub(super) fn eightbyte(float: bool) -> CParam {
    match float {
        true => CParam::new(MTy::F64, true),
        false => CParam::new(MTy::I64, false),
    }
}

fn scalars(foreign: &Foreign) -> Vec<CParam> {
    match foreign {
        Foreign::Unit => Vec::new(),
        Foreign::Text | Foreign::Texts | Foreign::Array(_) => pointer_and_length(),
        Foreign::Elements(_) => vec![ADDRESS],
        Foreign::Scalar => vec![scalar(&Foreign::I64), scalar(&Foreign::Bool)],
        Foreign::Optional(value) => {
            let mut all = scalars(value);
            all.push(scalar(&Foreign::Bool));
            all
        }
        _ => vec![scalar(foreign)],
    }
}

/// The machine type of what is one scalar in C.
pub(super) fn scalar(foreign: &Foreign) -> CParam {
    let (ty, signed) = match foreign {
        Foreign::Bool => (MTy::I8, false),
        Foreign::Int { bits, signed } => match bits {
            8 => (MTy::I8, *signed),
            16 => (MTy::I16, *signed),
            32 => (MTy::I32, *signed),
            _ => (MTy::I64, *signed),
        },
        Foreign::Enum(values) => (MTy::I32, values.iter().any(|value| *value < 0)),
        Foreign::F32 => (MTy::F32, true),
        Foreign::F64 => (MTy::F64, true),
        _ => (MTy::I64, false),
    };
    CParam::new(ty, signed)
}
