//! Any operator of libtorch by its name (`shim/named.cpp`): what `lib/torch/ops/call.spl` calls. See `operators` for what a row means, and for the rows of
//! the operators that were there when they were written, which are faster.

use crate::libtorch::C_tensor;

type Tensors = *const *mut C_tensor;

unsafe extern "C" {
    #[allow(clippy::too_many_arguments, reason = "a value of each kind")]
    fn simple_call_named(
        name: *const u8,
        name_length: i64,
        arguments: *const u8,
        arguments_length: i64,
        tensors: Tensors,
        tensors_length: i32,
        ints: *const i64,
        ints_length: i32,
        floats: *const f64,
        floats_length: i32,
        texts: *const u8,
        texts_length: i64,
    ) -> *mut *mut C_tensor;
}

crate::operators::functions! {
    /// Calls the operator `name`, such as `add.Tensor`, and gives back its results as tensors, numbers as ones without dimensions. `arguments` has a
    /// line for each argument: its name, a letter for its kind, and how many of the values of that kind it has (`shim/named.cpp`).
    fn rt_torch_call(name: text, arguments: text, tensors: [tensor?], ints: [i64], floats: [f64], texts: text) -> [tensor?] = simple_call_named;
}
