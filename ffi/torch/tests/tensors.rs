//! The C functions of the library on a real libtorch: results, failures and memory.

#![allow(
    unsafe_code,
    reason = "the test is a host: it calls the C functions of the library"
)]

use std::cell::RefCell;
use std::ffi::c_void;

use simple_ffi_abi::{ABI_VERSION, SffiBuffer, SffiHost};
use simple_torch::base::*;
use simple_torch::{simple_ffi_init, tensor};
use simple_torch_shim as _;

thread_local! {
    static MESSAGE: RefCell<Option<String>> = const { RefCell::new(None) };
}

unsafe extern "C" fn alloc_text(length: i64) -> *mut u8 {
    Vec::leak(vec![0u8; length as usize]).as_mut_ptr()
}

unsafe extern "C" fn alloc_array(_ty: u8, length: i64) -> *mut c_void {
    Vec::leak(vec![0u64; length as usize]).as_mut_ptr().cast()
}

unsafe extern "C" fn fail(message: *const u8, length: i64) {
    // SAFETY: the contract of `SffiHost::fail`.
    let bytes = unsafe { std::slice::from_raw_parts(message, length as usize) };
    MESSAGE.with(|slot| *slot.borrow_mut() = Some(String::from_utf8(bytes.to_vec()).unwrap()));
}

static HOST: SffiHost = SffiHost {
    abi_version: ABI_VERSION,
    struct_size: size_of::<SffiHost>() as u32,
    alloc_text,
    alloc_array,
    fail,
    site: simple_ffi_abi::no_site,
    write_site: simple_ffi_abi::no_place,
};

fn load() {
    // SAFETY: the host is a static.
    assert!(!unsafe { simple_ffi_init(&raw const HOST) }.is_null());
}

fn message() -> String {
    MESSAGE
        .with(|slot| slot.borrow_mut().take())
        .expect("a failure")
}

fn no_message() {
    assert_eq!(MESSAGE.with(|slot| slot.borrow_mut().take()), None);
}

/// What a library function returned, checked not to be a failure.
fn good(handle: i64) -> i64 {
    no_message();
    assert_ne!(handle, 0);
    handle
}

fn elements<T: Copy>(buffer: SffiBuffer) -> Vec<T> {
    no_message();
    assert!(!buffer.data.is_null());
    // SAFETY: the library filled that many elements of memory that the test's host gave it.
    unsafe { std::slice::from_raw_parts(buffer.data.cast::<T>(), buffer.length as usize) }.to_vec()
}

fn text(buffer: SffiBuffer) -> String {
    String::from_utf8(elements(buffer)).unwrap()
}

/// The functions as a program has them; every call is safe because handles are checked and slices are whole.
macro_rules! rt {
    ($function:ident($($argument:expr),*)) => {
        // SAFETY: handles may be any number, and pointers come with the lengths of the slices they are of.
        unsafe { $function($($argument),*) }
    };
}

fn zeros(dims: &[i64]) -> i64 {
    rt!(rt_torch_tensor_zeros(dims.as_ptr(), dims.len() as i64))
}

fn from_data(data: &[f64], dims: &[i64]) -> i64 {
    rt!(rt_torch_tensor_from_data(
        data.as_ptr(),
        data.len() as i64,
        dims.as_ptr(),
        dims.len() as i64
    ))
}

fn list(handle: i64) -> Vec<f64> {
    elements(rt!(rt_torch_torchtensor_to_list(handle)))
}

fn shape(handle: i64) -> Vec<i64> {
    elements(rt!(rt_torch_torchtensor_shape(handle)))
}

fn configure(device: &str, dtype: &str) -> SffiBuffer {
    rt!(rt_torch_configure(
        device.as_ptr(),
        device.len() as i64,
        dtype.as_ptr(),
        dtype.len() as i64,
        0
    ))
}

#[test]
fn a_host_may_open_it_on_several_threads_at_once() {
    let start = std::sync::Barrier::new(8);
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let start = &start;
            scope.spawn(move || {
                load();
                let matrix = good(zeros(&[2, 3]));
                start.wait();
                for _ in 0..2_000 {
                    load();
                    // An error of libtorch reads what is set when the library is opened.
                    if thread % 2 == 0 {
                        assert_eq!(rt!(rt_torch_torchtensor_matmul(matrix, matrix)), 0);
                        message();
                    }
                }
            });
        }
    });
}

#[test]
fn tensors_are_made_and_combined() {
    load();
    assert_eq!(rt!(rt_torch_available()), 1);
    let headers = std::path::Path::new(env!("LIBTORCH")).join("include/torch/headeronly");
    let header = std::fs::read_to_string(headers.join("version.h")).unwrap();
    let version = text(rt!(rt_torch_version()));
    assert!(header.contains(&format!("\"{version}\"")), "{version}");
    let a = good(from_data(&[1.0, -2.0, 3.0, -4.0, 5.0, -6.0], &[2, 3]));
    let b = good(from_data(&[1.0, 0.0, 0.0, 1.0, 1.0, 1.0], &[3, 2]));
    assert_eq!(
        list(good(rt!(rt_torch_torchtensor_add(a, a)))),
        [2.0, -4.0, 6.0, -8.0, 10.0, -12.0]
    );
    assert_eq!(
        list(good(rt!(rt_torch_torchtensor_mul(a, a)))),
        [1.0, 4.0, 9.0, 16.0, 25.0, 36.0]
    );
    let product = good(rt!(rt_torch_torchtensor_matmul(a, b)));
    assert_eq!(
        (shape(product), list(product)),
        (vec![2, 2], vec![4.0, 1.0, -10.0, -1.0])
    );
    assert_eq!(
        list(good(rt!(rt_torch_torchtensor_relu(a)))),
        [1.0, 0.0, 3.0, 0.0, 5.0, 0.0]
    );
    let zero = good(zeros(&[2]));
    assert_eq!(
        list(good(rt!(rt_torch_torchtensor_sigmoid(zero)))),
        [0.5, 0.5]
    );
    assert_eq!(list(good(rt!(rt_torch_torchtensor_tanh(zero)))), [0.0, 0.0]);
    assert_eq!(
        (
            rt!(rt_torch_torchtensor_ndim(a)),
            rt!(rt_torch_torchtensor_numel(a))
        ),
        (2, 6)
    );
    assert_eq!(text(rt!(rt_torch_torchtensor_device(a))), "cpu");
    assert_eq!(text(rt!(rt_torch_torchtensor_dtype(a))), "f32");
    assert_eq!(rt!(rt_torch_torchtensor_is_cuda(a)), 0);
    let one = good(rt!(rt_torch_tensor_ones([1i64, 1].as_ptr(), 2)));
    assert_eq!(rt!(rt_torch_torchtensor_item(one)), 1.0);
    // A tensor without dimensions has one element.
    let scalar = good(zeros(&[]));
    assert_eq!(
        (shape(scalar), rt!(rt_torch_torchtensor_numel(scalar))),
        (vec![], 1)
    );
    assert_eq!(list(good(rt!(rt_torch_torchtensor_cpu(a)))), list(a));
}

#[test]
fn a_seed_repeats_random_numbers() {
    load();
    let randn = || list(good(rt!(rt_torch_tensor_randn([8i64].as_ptr(), 1))));
    rt!(rt_torch_manual_seed(7));
    let first = randn();
    assert_ne!(first, randn());
    rt!(rt_torch_manual_seed(7));
    assert_eq!(first, randn());
    no_message();
}

#[test]
fn failures_name_operation_shapes_and_reason_without_the_cpp_stack() {
    load();
    let (a, b) = (good(zeros(&[3, 4])), good(zeros(&[5, 6])));
    assert_eq!(rt!(rt_torch_torchtensor_matmul(a, b)), 0);
    // Newer releases name the operator before it.
    let said = message();
    assert!(
        said.starts_with("matmul of [3, 4] and [5, 6]: ")
            && said.ends_with("mat1 and mat2 shapes cannot be multiplied (3x4 and 5x6)"),
        "{said}"
    );
    assert_eq!(rt!(rt_torch_torchtensor_add(a, b)), 0);
    let said = message();
    assert!(
        said.starts_with("add of [3, 4] and [5, 6]: The size of tensor a (4) must match"),
        "{said}"
    );
    assert!(
        !said.contains('\n') && !said.contains("Exception raised"),
        "{said}"
    );
    assert_eq!(zeros(&[2, -1]), 0);
    assert!(message().starts_with("zeros of shape [2, -1]: "));
    assert_eq!(zeros(&[1 << 40, 1 << 40]), 0);
    assert!(message().starts_with("zeros of shape [1099511627776, 1099511627776]: "));
    assert_eq!(zeros(&[1 << 45]), 0);
    assert!(message().contains("memory"), "more than the machine has");
    assert_eq!(from_data(&[1.0, 2.0], &[3]), 0);
    assert_eq!(message(), "from_data of shape [3]: 2 elements are given");
    rt!(rt_torch_torchtensor_item(a));
    assert!(message().starts_with("item of [3, 4]: "));
}

#[test]
fn wrong_handles_are_failures() {
    load();
    let tensor = good(zeros(&[2]));
    let stream = good(rt!(rt_torch_stream_create(-1)));
    for forged in [
        0,
        1,
        42,
        -7,
        tensor + 1,
        tensor ^ (1 << 40),
        i64::MAX,
        stream,
    ] {
        assert_eq!(rt!(rt_torch_torchtensor_relu(forged)), 0);
        assert!(
            message().starts_with("relu: invalid tensor handle "),
            "{forged}"
        );
        assert_eq!(rt!(rt_torch_torchtensor_ndim(forged)), -1);
        message();
        assert!(rt!(rt_torch_torchtensor_shape(forged)).data.is_null());
        message();
        rt!(rt_torch_torchtensor_free(forged));
        message();
    }
    rt!(rt_torch_torchtensor_free(tensor));
    no_message();
    assert_eq!(rt!(rt_torch_torchtensor_add(tensor, tensor)), 0);
    assert!(message().starts_with(&format!(
        "add: the tensor of handle {tensor} has been freed;"
    )));
    rt!(rt_torch_torchtensor_free(tensor));
    assert!(message().starts_with(&format!(
        "free: the tensor of handle {tensor} has been freed already and cannot be freed twice"
    )));
    // The slot is used again; the old handle stays dead.
    let other = good(zeros(&[2]));
    assert_eq!(rt!(rt_torch_torchtensor_relu(tensor)), 0);
    assert!(message().contains("has been freed"));
    assert_eq!(list(other), [0.0, 0.0]);
}

#[test]
fn a_stream_of_the_cpu_is_always_done() {
    load();
    let stream = good(rt!(rt_torch_stream_create(-1)));
    let tensor = good(from_data(&[1.0, 2.0], &[2]));
    let copy = good(rt!(rt_torch_torchtensor_to_stream(tensor, stream)));
    rt!(rt_torch_torchtensor_free(tensor));
    assert_eq!(rt!(rt_torch_torchstream_query(stream)), 1);
    rt!(rt_torch_torchstream_sync(stream));
    assert_eq!(list(copy), [1.0, 2.0]);
    rt!(rt_torch_torchstream_free(stream));
    no_message();
    rt!(rt_torch_torchstream_sync(stream));
    assert!(message().starts_with("stream_sync: the stream of handle "));
    assert_eq!(rt!(rt_torch_stream_create(-2)), 0);
    assert!(message().starts_with("stream_create: cannot use cuda:-2: "));
}

#[test]
fn devices_and_dtypes_are_chosen() {
    load();
    let made = || good(zeros(&[2]));
    assert_eq!(text(configure("cpu", "f64")), "");
    assert_eq!(text(rt!(rt_torch_torchtensor_dtype(made()))), "f64");
    assert_eq!(text(configure("auto", "bf16")), "");
    assert_eq!(text(rt!(rt_torch_torchtensor_dtype(made()))), "bf16");
    assert!(configure("cuda:one", "f32").data.is_null());
    assert_eq!(
        message(),
        "configure: unknown device `cuda:one`; expected one of cpu, cuda, cuda:N (N from 0 to 127), mps, gpu, auto"
    );
    assert_eq!(text(configure("cpu, cpu", "f32")), "");
    assert_eq!(text(rt!(rt_torch_default_devices())), "cpu,cpu");
    assert_eq!(text(rt!(rt_torch_default_device())), "cpu");
    let reason = text(configure("cpu,cuda:100,cuda:101,cpu", "f32"));
    assert_eq!(reason.lines().count(), 1, "{reason}");
    assert_eq!(text(rt!(rt_torch_default_devices())), "cpu,cpu");
    assert_eq!(text(configure("cpu", "f32")), "");
    assert_eq!(text(rt!(rt_torch_default_devices())), "cpu");
    assert!(configure("cpu,foo", "f32").data.is_null());
    assert!(message().starts_with("configure: in the list `cpu,foo`: unknown device `foo`"));
    assert!(configure("cpu", "f31").data.is_null());
    assert!(message().starts_with("configure: unknown dtype `f31`; expected one of f16"));
    // No machine has as many devices: the next best is chosen, with the reason.
    let reason = text(configure("cuda:100", "f32"));
    assert!(!reason.is_empty());
    let count = rt!(rt_torch_cuda_device_count());
    assert_eq!(rt!(rt_torch_cuda_available()) == 1, count > 0);
    let expected = if count > 0 { "cuda:0" } else { "cpu" };
    assert_eq!(text(rt!(rt_torch_default_device())), expected);
    assert_eq!(text(rt!(rt_torch_torchtensor_device(made()))), expected);
    assert_eq!(
        text(rt!(rt_torch_cuda_unavailable_reason())).is_empty(),
        count > 0
    );
    let tensor = made();
    assert_eq!(rt!(rt_torch_torchtensor_cuda(tensor, 100)), 0);
    assert!(message().starts_with("cuda: cannot use cuda:100: "));
    if count > 0 {
        let moved = good(rt!(rt_torch_torchtensor_cuda(tensor, 0)));
        assert_eq!(rt!(rt_torch_torchtensor_is_cuda(moved)), 1);
        let stream = good(rt!(rt_torch_stream_create(0)));
        let copy = good(rt!(rt_torch_torchtensor_to_stream(moved, stream)));
        rt!(rt_torch_torchstream_sync(stream));
        assert_eq!(rt!(rt_torch_torchstream_query(stream)), 1);
        assert_eq!(list(good(rt!(rt_torch_torchtensor_cpu(copy)))), [0.0, 0.0]);
        rt!(rt_torch_torchstream_free(stream));
    } else {
        assert_eq!(rt!(rt_torch_stream_create(0)), 0);
        assert!(message().starts_with("stream_create: cannot use cuda:0: "));
    }
    text(configure("cpu", "f32"));
}

/// Bytes of memory in use, from the system.
fn resident() -> u64 {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap();
    statm.split(' ').nth(1).unwrap().parse::<u64>().unwrap() * 4096
}

#[test]
fn freed_tensors_give_their_memory_back() {
    load();
    const MEGABYTE: i64 = 1 << 20;
    let once = || {
        let tensor = rt!(rt_torch_tensor_ones([MEGABYTE / 4].as_ptr(), 1));
        assert_ne!(tensor, 0);
        rt!(rt_torch_torchtensor_free(tensor));
    };
    let before = tensor::live();
    for _ in 0..50 {
        once();
    }
    let start = resident();
    for _ in 0..20_000 {
        once();
    }
    assert_eq!(tensor::live(), before);
    let grown = resident().saturating_sub(start);
    // 20,000 MB went through. Other tests of this process take some meanwhile.
    assert!(grown < 100 << 20, "grew by {} KiB", grown >> 10);
}
