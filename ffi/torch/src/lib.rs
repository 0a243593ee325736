//! The Rust of `libsimple_torch`: libtorch for Simple programs, as functions on checked handles. `../library` links it with the C++ of
//! `../shim`.
//!
//! [`TABLES`] is the whole interface: a table of rows for each area. From it come the C functions and the manifest (`simple_ffi_abi::library!`)
//! and, through `tests/generated.rs`, a module of declarations in `lib/torch/ffi` for each area. An area is a module
//! with a `functions!` table and a line in [`TABLES`]:
//!
//! - `base` makes the first tensors, chooses devices and moves tensors; its rows' functions are in `tensor`, `stream` and `device`;
//! - `operators` has every operator of libtorch, called by name through libtorch's dispatcher;
//! - `methods` has what class `Tensor` needs beyond operators: shapes checked, subscripts, elements in and out, printing;
//! - `data` makes batches of data sets;
//! - `autograd` has gradients, `program` functions of the program in their graph, `anomaly` what is looked for on the way back, `facts` how tensors are laid out in memory, `state` what libtorch remembers on this
//!   thread;
//! - `capture` has training steps that are recorded once and replayed;
//! - `foreach` and `fused` have operators on lists of tensors, for optimizers;
//! - `autocast` is the state of mixed precision, `numerics` that of deterministic algorithms and TF32, `memory` says what tensors take, `stream` has queues of work and
//!   events, `profiler` records operators, `nccl` brings parameters to several GPUs and their gradients back;
//! - `distributed` has groups of processes, what they send each other, and gradients averaged over them.
//!
//! `error` is what rows say when they fail, `lost` keeps what must not be freed after a GPU has failed, `pending` waits for copies to main memory, `uses` knows which
//! tensors of the program a captured step uses, `libtorch` tensors as Rust owns them, `shim` what libtorch's C++ does for the others.
//! The threads of libtorch's parallel loops are those of the crate `simple-openmp`.
//!
//! No C++ exception leaves: the shim catches every kind. No shape, dtype or device is decided here beyond the defaults that `rt_torch_configure` sets; that is `lib/torch`'s.

#![allow(
    unsafe_code,
    reason = "the C boundary and the C++ shim; every block says why it holds"
)]

use simple_ffi_abi::export::Table;
#[cfg(test)]
use simple_torch_shim as _;
use std::sync::Once;

mod allocator;
pub mod anomaly;
pub mod autocast;
pub mod autograd;
pub mod base;
pub mod capture;
pub mod data;
pub mod device;
pub mod display;
pub mod distributed;
pub mod error;
pub mod facts;
pub mod foreach;
pub mod fused;
pub mod index;
pub mod installed;
pub mod libtorch;
mod lost;
pub mod memory;
pub mod methods;
pub mod named;
pub mod nccl;
pub mod numerics;
pub mod operator;
pub mod operators;
mod pending;
pub mod profiler;
pub mod program;
mod recent;
mod shim;
pub mod state;
pub mod stream;
mod stream_shim;
pub mod tensor;
mod uses;

/// All tables: one for each area, and those of the operators.
pub static TABLES: &[&[Table]] = &[AREAS, operators::table::TABLES];

static AREAS: &[Table] = &[
    Table {
        area: "mod",
        functions: base::FUNCTIONS,
    },
    Table {
        area: "data",
        functions: data::FUNCTIONS,
    },
    Table {
        area: "methods",
        functions: methods::FUNCTIONS,
    },
    Table {
        area: "autograd",
        functions: autograd::FUNCTIONS,
    },
    Table {
        area: "program",
        functions: program::FUNCTIONS,
    },
    Table {
        area: "anomaly",
        functions: anomaly::FUNCTIONS,
    },
    Table {
        area: "named",
        functions: named::FUNCTIONS,
    },
    Table {
        area: "facts",
        functions: facts::FUNCTIONS,
    },
    Table {
        area: "foreach",
        functions: foreach::FUNCTIONS,
    },
    Table {
        area: "fused",
        functions: fused::FUNCTIONS,
    },
    Table {
        area: "installed",
        functions: installed::FUNCTIONS,
    },
    Table {
        area: "profiler",
        functions: profiler::FUNCTIONS,
    },
    Table {
        area: "state",
        functions: state::FUNCTIONS,
    },
    Table {
        area: "autocast",
        functions: autocast::FUNCTIONS,
    },
    Table {
        area: "memory",
        functions: memory::FUNCTIONS,
    },
    Table {
        area: "stream",
        functions: stream::FUNCTIONS,
    },
    Table {
        area: "capture",
        functions: capture::FUNCTIONS,
    },
    Table {
        area: "nccl",
        functions: nccl::FUNCTIONS,
    },
    Table {
        area: "distributed",
        functions: distributed::FUNCTIONS,
    },
    Table {
        area: "numerics",
        functions: numerics::FUNCTIONS,
    },
];

fn live_handles() -> i64 {
    tensor::live() + stream::live() + stream::live_events() + data::loader::live() + capture::live()
}

/// What the host runs when it has opened the library. Devices are opened later, when they are chosen.
///
/// Done once, however often and on however many threads a host asks for it: what libtorch is told here goes into variables of it that
/// have no lock. Whoever asks meanwhile waits for the end of it.
pub fn prepare() {
    static PREPARED: Once = Once::new();
    PREPARED.call_once(|| {
        shim::forget_stacks();
        simple_openmp::take_over();
    });
}

simple_ffi_abi::library! {
    name = "libsimple_torch";
    live_handles = live_handles;
    init = prepare;
    tables = TABLES;
}
