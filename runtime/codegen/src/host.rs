//! What compiled code needs from this process apart from functions: words of the runtime.
//!
//! Next: `simple_core::table` for the functions.

use simple_core::binding::{Binder, with_binder};
use simple_core::error::Locator;
use simple_core::frames::CodeMap;
use simple_core::table::{Kind, RtFn};
use simple_middle::mir::MTy;

/// Addresses of words that compiled code reads.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Addresses {
    /// A byte that is not 0 while an error is recorded.
    pub(crate) pending_flag: i64,
    /// The least address that the stack pointer may have.
    pub(crate) stack_limit: i64,
    /// The least address that it may have where something nested is destroyed.
    pub(crate) destroy_limit: i64,
    /// A byte that is not 0 while dead objects wait for room on the stack.
    pub(crate) waiting_flag: i64,
    /// Where the stack pointer is told to during a call of a foreign function that takes long.
    pub(crate) foreign_stack: i64,
    /// The lowest address of the stack and its size; 0 where they are not known.
    pub(crate) stack: (i64, i64),
}

/// The words of this thread; code that refers to them runs on this thread only.
pub(crate) fn addresses() -> Addresses {
    let limit = simple_core::stack::limit_address();
    let (lowest, above) = simple_core::stack::known_bounds();
    Addresses {
        pending_flag: simple_core::error::pending_flag().addr() as i64,
        stack_limit: limit.addr() as i64,
        stack: (lowest as i64, (above - lowest) as i64),
        destroy_limit: simple_core::stack::destroy_limit_address().addr() as i64,
        waiting_flag: simple_core::destroy::waiting_flag().addr() as i64,
        foreign_stack: simple_core::told::stack_word().addr() as i64,
    }
}

/// Runs `program` with `bind` as what binds foreign functions, `locate` as what knows where the sites of an error are, and `map` as what
/// knows the code.
pub(crate) fn running<T>(
    bind: Binder,
    locate: Locator,
    map: Box<dyn CodeMap>,
    program: impl FnOnce() -> T,
) -> T {
    simple_core::error::set_locator(Some(locate));
    let program = || {
        let result = program();
        simple_core::destroy::destroy_all();
        result
    };
    let result = with_binder(bind, || simple_core::frames::with_map(map, program));
    simple_core::leaks::note_places();
    simple_core::error::set_locator(None);
    result
}

/// The recorded error, which is then no longer recorded: its message and its sites, the failing place first.
pub(crate) fn take_error() -> Option<(String, Vec<i32>)> {
    simple_core::error::take().map(|error| (error.message, error.sites))
}

/// Leaves a message as a foreign function does that fails.
#[cfg(test)]
pub(crate) fn record_extern_failure(message: &str) {
    simple_core::error::leave_message(message.into());
}

/// An address some distance below this process's own code, where memory within reach of a near call is likely to be
/// free.
pub(crate) fn near_runtime() -> usize {
    const BELOW: usize = 256 << 20;
    RtFn::Raise.address().addr().saturating_sub(BELOW)
}

/// The machine type of a kind in the runtime's table.
pub(crate) fn machine_type(kind: Kind) -> MTy {
    match kind {
        Kind::I8 => MTy::I8,
        Kind::I32 => MTy::I32,
        Kind::I64 => MTy::I64,
        Kind::F32 => MTy::F32,
        Kind::F64 => MTy::F64,
        Kind::Ptr => MTy::Ptr,
    }
}
