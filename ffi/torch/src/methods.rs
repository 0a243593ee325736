//! The table of what class `Tensor` needs beyond libtorch's operators: operators that check shapes, subscripts, elements in and out, printing.
//!
//! The rows' functions are in `operator`, `index`, `tensor`, `device` and `display`. The Simple side is `lib/torch/backend`.

use crate::{device, display, index, operator, pending, tensor};

simple_ffi_abi::functions! {
    /// The dtype of a word (`f32`, `float32`, `bool` ...).
    fn rt_torch_dtype_number(word: text) -> dtype, fails(-1), PURE => device::dtype_of_word;
    /// The device of a word (`cpu`, `cuda:1`, `mps` ...). Opens CUDA if need be.
    fn rt_torch_device_number(word: text) -> device, flag, STATE => device::device_of_word;
    /// Whether a word is meant as a device, even if there is none of that name; otherwise it may be a dtype.
    fn rt_torch_is_device_word(word: text) -> bool, never, PURE => device::is_device_word;
    /// A tensor of the given floats, row by row; dtype and device are those of new tensors where they are nil.
    fn rt_torch_tensor_from_floats(data: [f64], dims: [i64], dtype: (dtype?), device: (device?)) -> i64, fails(0), NEW_HANDLE | STATE => tensor::from_floats;
    /// A tensor of the given integers; nil as `dtype` means i64.
    fn rt_torch_tensor_from_ints(data: [i64], dims: [i64], dtype: (dtype?), device: (device?)) -> i64, fails(0), NEW_HANDLE | STATE => tensor::from_ints;
    /// A tensor of the given truth values; nil as `dtype` means bool.
    fn rt_torch_tensor_from_bools(data: [bool], dims: [i64], dtype: (dtype?), device: (device?)) -> i64, fails(0), NEW_HANDLE | STATE => tensor::from_bools;
    /// A tensor of numbers row by row in little-endian bytes, as files hold them, in main memory. They must be as many as the sizes need.
    fn rt_torch_tensor_from_bytes(data: [u8], dims: [i64], dtype: dtype) -> i64, fails(0), NEW_HANDLE | STATE => tensor::from_bytes;
    /// With the dtype and on the device of `other`. With `non_blocking` the program continues while a GPU copies from or to pinned memory; whatever looks at a copy in
    /// main memory waits for it.
    fn rt_torch_torchtensor_to_other(input: i64, other: i64, non_blocking: bool, copy: bool) -> i64, fails(0), NEW_HANDLE => pending::to_other;
    /// The tensor as PyTorch prints it.
    fn rt_torch_torchtensor_to_text(tensor: i64) -> text, fails, READS => display::to_text;
    /// All elements, row by row in little-endian bytes, as files hold them.
    fn rt_torch_torchtensor_to_bytes(tensor: i64) -> [u8], fails, READS => tensor::to_bytes;
    /// All elements as integers, row by row.
    fn rt_torch_torchtensor_to_ints(tensor: i64) -> [i64], fails, READS => tensor::to_ints;

    /// `input + other`, with broadcasting. `other` is a handle, or 0 where `number` is given; `dotted` says how the
    /// operator is written, for messages.
    fn rt_torch_operator_add(input: i64, other: i64, number: (Scalar?), dotted: bool) -> i64, fails(0), NEW_HANDLE => operator::add;
    /// `input - other`, with operands as for `rt_torch_operator_add`.
    fn rt_torch_operator_sub(input: i64, other: i64, number: (Scalar?), dotted: bool) -> i64, fails(0), NEW_HANDLE => operator::sub;
    /// `input * other`, with operands as for `rt_torch_operator_add`.
    fn rt_torch_operator_mul(input: i64, other: i64, number: (Scalar?), dotted: bool) -> i64, fails(0), NEW_HANDLE => operator::mul;
    /// `input / other`, with operands as for `rt_torch_operator_add`.
    fn rt_torch_operator_div(input: i64, other: i64, number: (Scalar?), dotted: bool) -> i64, fails(0), NEW_HANDLE => operator::div;
    /// The remainder, with operands as for `rt_torch_operator_add`.
    fn rt_torch_operator_rem(input: i64, other: i64, number: (Scalar?), dotted: bool) -> i64, fails(0), NEW_HANDLE => operator::rem;
    /// `input` to the power `other`, with operands as for `rt_torch_operator_add`.
    fn rt_torch_operator_pow(input: i64, other: i64, number: (Scalar?), dotted: bool) -> i64, fails(0), NEW_HANDLE => operator::pow;
    /// The matrix product; shapes that do not fit are reported with their code.
    fn rt_torch_operator_matmul(input: i64, other: i64) -> i64, fails(0), NEW_HANDLE => operator::matmul;
    /// Whether shapes, dtypes, devices and all elements are equal.
    fn rt_torch_operator_equal(input: i64, other: i64) -> bool, fails(false), READS => operator::equal;
    /// `input[at]`, with subscripts coded as `ffi/torch/src/index.rs` says.
    fn rt_torch_index_get(input: i64, at: [i64]) -> i64, fails(0), NEW_HANDLE => index::get;
    /// `input[at] = value`, with a value as the other operand of `rt_torch_operator_add`.
    fn rt_torch_index_set(input: i64, at: [i64], other: i64, number: (Scalar?)) -> (), flag, WRITES => index::set;
}
