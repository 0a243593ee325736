//! Functions of the program that libtorch calls while it computes gradients: the backward of an `autograd.Function`,
//! hooks of tensors, and what keeps tensors that are saved for gradients. The head of `shim/program.cpp` says how such
//! a call goes; the Simple side is `lib/torch/backend/program.spl`.

#![allow(
    non_snake_case,
    reason = "rows are named as the functions that they make"
)]

use crate::libtorch::C_tensor;

type Tensors = *const *mut C_tensor;

unsafe extern "C" {
    /// # Safety
    ///
    /// `address` is 0, or that of a function from a number to a number, which can be called on this thread until
    /// another one is set.
    fn simple_set_program(address: i64);
    fn simple_call_given() -> *mut *mut C_tensor;
    fn simple_call_answer(values: Tensors, length: i32);
    fn simple_record_function(
        number: i64,
        name: *const u8,
        name_length: i64,
        inputs: Tensors,
        inputs_length: i32,
        outputs: Tensors,
        outputs_length: i32,
        fixed: *const i64,
        fixed_length: i32,
        dirty: *const i64,
        dirty_length: i32,
        saved: Tensors,
        saved_length: i32,
        materializes: i32,
    ) -> *mut *mut C_tensor;
    fn simple_hook(number: i64, input: *mut C_tensor, after: i32);
    fn simple_save_with(number: i64);
}

crate::operators::functions! {
    /// Says by which address libtorch calls functions of the program on this thread, which are numbered; 0 that it no
    /// longer does. The function at the address takes a number and yields 0 after an error, otherwise 1 or, where a
    /// tensor was saved, a number.
    fn rt_torch_set_program(address: i64) -> () = simple_set_program;
    /// What the function that libtorch calls now was given, 0 for what is missing. A second call yields nothing.
    fn rt_torch_call_given() -> [tensor?] = simple_call_given;
    /// What the function that libtorch calls now yields.
    fn rt_torch_call_answer(values: [tensor?]) -> () = simple_call_answer;
    /// Records that a function of the program computed `outputs` from `inputs`, and yields them as what was recorded.
    /// Going back, function `number` is given the gradients of the outputs, then what was `saved`, and answers the
    /// gradients of the inputs. `fixed` are places of outputs without gradients, `dirty` those of inputs that were
    /// changed; `materialize` gives zeros for gradients that are missing.
    fn rt_torch_record_function(number: i64, name: text, inputs: [tensor?], outputs: [tensor], fixed: [i64], dirty: [i64], saved: [tensor?], materialize: bool) -> [tensor] = simple_record_function;
    /// Has function `number` called with each gradient of a tensor, which its answer replaces, or, with `after`, with a
    /// leaf whenever its gradient was added up.
    fn rt_torch_hook(number: i64, input: tensor, after: bool) -> () = simple_hook;
    /// Has function `number` called with every tensor that is saved for gradients from now on; its result is the number
    /// of the function that yields it again. 0 ends that.
    fn rt_torch_save_with(number: i64) -> () = simple_save_with;
}
