//! Operators as profiles see them. The runtime calls these functions by itself, when it begins and ends a profile; programs use
//! `lib.torch.profiler`. What is recorded is in `shim/profiler.cpp`, what becomes of it in `runtime/profile`.

use crate::shim;

simple_ffi_abi::functions! {
    /// Begins to record operators, with the shapes of their inputs if asked for.
    fn rt_torch_profile_start(shapes: bool) -> (), flag, STATE => shim::profile_start;
    /// The operators that began at this time or later, a line each, for the runtime to read.
    fn rt_torch_profile_take(from: i64) -> text, fails, STATE => shim::profile_take;
    /// Ends the record and forgets it.
    fn rt_torch_profile_stop() -> (), flag, STATE => shim::profile_stop;
}
