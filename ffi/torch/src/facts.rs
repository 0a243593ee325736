//! A tensor's layout in memory, as numbers, and the state of random generators. See `operators` for what a row means.

use crate::libtorch::C_tensor;

unsafe extern "C" {
    fn simple_is_contiguous(input: *mut C_tensor) -> i32;
    fn simple_storage_offset(input: *mut C_tensor) -> i64;
    fn simple_data_ptr(input: *mut C_tensor) -> i64;
    fn simple_shares_storage(input: *mut C_tensor, other: *mut C_tensor) -> i32;
    fn simple_storage_bytes(input: *mut C_tensor) -> i64;
    fn simple_element_size(input: *mut C_tensor) -> i64;
    fn simple_scalar_type(input: *mut C_tensor) -> i64;
    fn simple_device_of(input: *mut C_tensor) -> i64;
    fn simple_generator_state(out: *mut *mut C_tensor, device: i32);
    fn simple_set_generator_state(device: i32, state: *mut C_tensor);
}

crate::operators::functions! {
    /// Whether the elements are stored in order and without gaps.
    fn rt_torch_is_contiguous(input: tensor) -> bool = simple_is_contiguous;
    /// How many elements of its storage are before the first of the tensor.
    fn rt_torch_storage_offset(input: tensor) -> i64 = simple_storage_offset;
    /// The address of the first element, 0 when there is none. It tells whether two tensors begin at the same place.
    fn rt_torch_data_ptr(input: tensor) -> i64 = simple_data_ptr;
    /// Whether two tensors have one storage, so that a change of one may be seen in the other.
    fn rt_torch_shares_storage(input: tensor, other: tensor) -> bool = simple_shares_storage;
    /// The size of its storage in bytes, which other tensors may share.
    fn rt_torch_storage_bytes(input: tensor) -> i64 = simple_storage_bytes;
    /// The size of an element in bytes.
    fn rt_torch_element_size(input: tensor) -> i64 = simple_element_size;
    /// The dtype.
    fn rt_torch_scalar_type(input: tensor) -> dtype = simple_scalar_type;
    /// The device.
    fn rt_torch_device_of(input: tensor) -> device = simple_device_of;
    /// The state of a device's random generator, as a tensor of bytes on the CPU.
    fn rt_torch_generator_state(device: device) -> tensor = simple_generator_state;
    /// Takes a device's random generator back to a state.
    fn rt_torch_set_generator_state(device: device, state: tensor) -> () = simple_set_generator_state;
}
