//! What compiled code needs from this process apart from functions: words of the runtime, whose addresses are in the
//! program's data.
//!
//! Next: `simple_core::table` for the functions.

use simple_core::binding::{Binder, with_binder};
use simple_core::error::Locator;
use simple_core::frames::CodeMap;
use simple_core::table::RtFn;

/// What compiled code reads of this process, each a word at the start of its data: code that was compiled elsewhere
/// finds it at the same place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Word {
    /// The address of a byte that is not 0 while an error is recorded.
    PendingFlag,
    /// The address of the least address that the stack pointer may have.
    StackLimit,
    /// The address of the least address that it may have where something nested is destroyed.
    DestroyLimit,
    /// The address of a byte that is not 0 while dead objects wait for room on the stack.
    WaitingFlag,
    /// The address of where the stack pointer is told to during a call of a foreign function that takes long.
    ForeignStack,
    /// The lowest address of the stack.
    StackLowest,
    /// Its size; where it is not known, that of all memory.
    StackSize,
    /// So much of it is left where a function that C calls goes on.
    StackKept,
}

impl Word {
    const ALL: [Word; 8] = [
        Word::PendingFlag,
        Word::StackLimit,
        Word::DestroyLimit,
        Word::WaitingFlag,
        Word::ForeignStack,
        Word::StackLowest,
        Word::StackSize,
        Word::StackKept,
    ];
    /// Bytes of all of them.
    pub const SIZE: usize = Word::ALL.len() * 8;

    /// Where it is, from the start of the data.
    pub const fn offset(self) -> usize {
        self as usize * 8
    }
}

/// The part of the stack that a function which C calls leaves to C: 16 MB of a program's 256 MB, twice what C has
/// elsewhere.
const KEPT_FOR_C: usize = 16;

/// The words of this thread; code that refers to them runs on this thread only.
pub(crate) fn words() -> impl Iterator<Item = (Word, i64)> {
    // Who asks for the limit has the bounds looked up.
    let limit = simple_core::stack::limit_address();
    let (lowest, above) = simple_core::stack::known_bounds();
    let (size, kept) = match above - lowest {
        0 => (usize::MAX, 0),
        size => (size, size / KEPT_FOR_C),
    };
    Word::ALL.into_iter().map(move |word| {
        let value = match word {
            Word::PendingFlag => simple_core::error::pending_flag().addr(),
            Word::StackLimit => limit.addr(),
            Word::DestroyLimit => simple_core::stack::destroy_limit_address().addr(),
            Word::WaitingFlag => simple_core::destroy::waiting_flag().addr(),
            Word::ForeignStack => simple_core::told::stack_word().addr(),
            Word::StackLowest => lowest,
            Word::StackSize => size,
            Word::StackKept => kept,
        };
        (word, value as i64)
    })
}

/// Runs `program` with `bind` as what binds foreign functions, `locate` as what knows where the sites of an error
/// are, and `map` as what knows the code.
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

/// As [`running`], on a thread that a running program has started.
pub(crate) fn running_beside(
    bind: Binder,
    locate: Locator,
    map: Box<dyn CodeMap>,
    work: impl FnOnce(),
) {
    simple_core::error::set_locator(Some(locate));
    with_binder(bind, || simple_core::frames::with_map_beside(map, work));
    simple_core::error::set_locator(None);
}

/// As [`running`], for what runs whenever somebody calls it, from now on.
pub(crate) fn keep(bind: Binder, locate: Locator, map: Box<dyn CodeMap>) {
    simple_core::error::set_locator(Some(locate));
    simple_core::binding::set_binder(bind);
    simple_core::frames::keep_map(map);
}

/// The recorded error, which is then no longer recorded; the first of its sites is the failing place.
pub(crate) fn take_error() -> Option<simple_core::error::RuntimeError> {
    simple_core::error::take()
}

/// An address some distance below this process's own code, where memory within reach of a near call is likely to be
/// free.
pub(crate) fn near_runtime() -> usize {
    const BELOW: usize = 256 << 20;
    RtFn::Raise.address().addr().saturating_sub(BELOW)
}
