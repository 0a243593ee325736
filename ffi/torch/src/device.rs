//! Devices and dtypes: which of them new tensors get, which devices are there, and CUDA on demand. The words and numbers of both are in
//! `simple_ffi_abi::{device, dtype}`; dtypes are numbers here.
//!
//! CUDA's part of libtorch is opened by [`cuda`] and nowhere else, when a program first chooses or asks for a CUDA device (`shim/cuda.cpp`,
//! `shim/hooks.cpp`).

use std::cell::{Cell, RefCell};
use std::sync::OnceLock;

use crate::libtorch::{Device, Tensor};
use simple_ffi_abi::device::{self as listed, Choice, Devices, NO_GPU_VARIABLE};
use simple_ffi_abi::dtype;

use crate::error::TorchError;
use crate::{capture, memory, recent, shim};

/// The numbers of dtypes that have a meaning here.
pub mod number {
    /// `u8`.
    pub const U8: i32 = 0;
    /// `i64`.
    pub const I64: i32 = 4;
    /// `f32`.
    pub const F32: i32 = 6;
    /// `f64`.
    pub const F64: i32 = 7;
    /// `c128`.
    pub const C128: i32 = 10;
    /// `bool`.
    pub const BOOL: i32 = 11;
}

thread_local! {
    static OPTIONS: Cell<(i32, Device)> = const { Cell::new((number::F32, Device::Cpu)) };
    /// The devices that compute the batches of a model together, where more than one does; the first is that of new tensors.
    static TOGETHER: RefCell<Vec<Device>> = const { RefCell::new(Vec::new()) };
}

/// The number of the dtype, and the device, of new tensors.
#[inline]
pub fn options() -> (i32, Device) {
    OPTIONS.get()
}

/// Why no GPU may be used, if none may.
fn hidden() -> Option<String> {
    let set = std::env::var_os(NO_GPU_VARIABLE).is_some_and(|value| !value.is_empty());
    set.then(|| format!("`--no-gpu` was given (it sets {NO_GPU_VARIABLE})"))
}

/// The GPU of an Apple machine, or why there is none.
fn mps() -> Result<Device, String> {
    match hidden() {
        Some(reason) => Err(reason),
        None if crate::libtorch::has_mps() => Ok(Device::Mps),
        None => Err("this libtorch has no MPS, which exists on Apple machines only".to_owned()),
    }
}

/// Opens CUDA if need be and checks that the device of this number exists.
pub fn cuda(number: i64) -> Result<Device, String> {
    if let Some(reason) = hidden() {
        return Err(reason);
    }
    shim::open_cuda().map_err(|error| error.to_string())?;
    recent::watch();
    let count = shim::cuda_count();
    match usize::try_from(number) {
        Ok(index) if number < count => Ok(Device::Cuda(index)),
        // Opening CUDA has found at least one.
        _ if count == 1 => Err(format!(
            "this machine has 1 CUDA device, cuda:0{}",
            hidden_devices()
        )),
        _ => Err(format!(
            "this machine has {count} CUDA devices, cuda:0 to cuda:{}{}",
            count - 1,
            hidden_devices()
        )),
    }
}

/// What keeps a program from some devices, if anything does.
fn hidden_devices() -> String {
    match std::env::var("CUDA_VISIBLE_DEVICES") {
        Ok(visible) => format!(" (CUDA_VISIBLE_DEVICES is `{visible}`, which hides all others)"),
        Err(_) => String::new(),
    }
}

/// Whether there is a CUDA device; opens CUDA to find out.
pub fn cuda_available() -> bool {
    cuda(0).is_ok()
}

/// How many CUDA devices there are; opens CUDA to find out.
pub fn cuda_device_count() -> i64 {
    if cuda_available() {
        shim::cuda_count()
    } else {
        0
    }
}

/// Why there is no CUDA device; empty when there is one.
pub fn cuda_unavailable_reason() -> String {
    cuda(0).err().unwrap_or_default()
}

/// Chooses device and dtype of new tensors. Empty when the device is there and computes; otherwise the reason why not, and the next
/// best is chosen: another CUDA device, else the CPU. Of several devices (`cuda:0,cuda:1`) those that compute are chosen.
pub fn configure(device: &str, dtype: &str, debug_cuda: bool) -> Result<String, TorchError> {
    let op = "configure";
    let dtype = dtype_named(op, dtype)?;
    let wanted =
        Devices::of_text(device).map_err(|source| TorchError::DeviceWord { op, source })?;
    shim::keep_memory();
    memory::configure();
    if debug_cuda && std::env::var_os("CUDA_LAUNCH_BLOCKING").is_none() {
        // For hosts other than Simple's runtime, which has set it before it opened this library.
        // SAFETY: a Simple program runs on one thread, and libtorch reads its environment when CUDA is opened, later.
        unsafe { std::env::set_var("CUDA_LAUNCH_BLOCKING", "1") };
    }
    let (mut computing, mut reasons) = (Vec::new(), Vec::<String>::new());
    for choice in wanted.iter() {
        match chosen_by(choice) {
            Ok(device) => computing.push(device),
            Err(reason) if reasons.contains(&reason) => {}
            Err(reason) => reasons.push(reason),
        }
    }
    let first = computing.first().copied();
    OPTIONS.set((
        dtype,
        first.unwrap_or_else(|| best().unwrap_or(Device::Cpu)),
    ));
    TOGETHER.set(computing);
    Ok(reasons.join("\n"))
}

/// The device that a word asks for, if it computes, or why there is none.
fn chosen_by(choice: Choice) -> Result<Device, String> {
    match choice {
        Choice::Device(listed::Device::Cpu) => Ok(Device::Cpu),
        Choice::Device(listed::Device::Mps) => mps(),
        Choice::Device(listed::Device::Cuda(number)) => working(number.into()),
        Choice::Gpu => best(),
        // `auto` means the CPU too, but not on a machine whose GPU should have been used.
        Choice::Auto => match best() {
            Err(_) if shim::cuda_count() == 0 => Ok(Device::Cpu),
            found => found,
        },
    }
}

/// What to tell the user when `wanted` is not there, for that reason, and tensors go to `actual`. Both may be lists of devices.
pub fn fallback_words(wanted: &str, actual: &str, reason: &str) -> String {
    let is_wanted = |device| wanted.split(',').any(|word| word == device);
    let first = actual.split(',').next().unwrap_or_default();
    let mut words = match (actual.strip_prefix("cuda:"), wanted) {
        _ if wanted.contains(',') && (is_wanted(first) || first != "cpu") => {
            format!("Using {actual}, not {wanted}")
        }
        (Some(number), _) => format!("Using GPU {number}, not {wanted}"),
        (None, "auto" | "gpu") => "No GPU can be used".to_owned(),
        (None, _) if wanted.starts_with("cuda") => {
            format!("CUDA not available - cannot use {wanted}")
        }
        (None, _) => format!("{wanted} not available"),
    };
    for line in reason.lines() {
        words.push_str("\n  ");
        words.push_str(line);
    }
    words.push_str("\n  Tensors are made on ");
    words.push_str(first);
    words.push_str(match (is_wanted(first), first == actual) {
        (false, _) => " instead",
        (true, true) => ", which computes whole batches",
        (true, false) => ", and these devices share each batch",
    });
    words
}

/// The best accelerator that computes, or why there is none. Looked for once.
fn best() -> Result<Device, String> {
    static FOUND: OnceLock<Result<Device, String>> = OnceLock::new();
    FOUND
        .get_or_init(|| match first_working() {
            Err(reason) => mps().map_err(|_| reason),
            found => found,
        })
        .clone()
}

/// The first CUDA device that computes, or why the first one does not.
fn first_working() -> Result<Device, String> {
    let first = working(0);
    if first.is_ok() {
        return first;
    }
    (1..cuda_device_count())
        .find_map(|number| working(number).ok())
        .map_or(first, Ok)
}

/// As [`cuda`], for a device that computes. A GPU that is too old for this libtorch, busy or full is there, but the first tensor on it
/// would be an error. What this costs, the first tensor then does not.
fn working(number: i64) -> Result<Device, String> {
    let device = cuda(number)?;
    let two = Tensor::ones(&[1], number::F32, device)
        .and_then(|one| one.add(&one))
        .and_then(|two| two.double_value(&[0]));
    match two {
        Ok(2.0) => {
            memory::look_at(number);
            Ok(device)
        }
        Ok(found) => Err(format!(
            "{} is there but computes 1 + 1 = {found}",
            name(device)
        )),
        Err(error) => Err(format!(
            "{} is there but does not compute: {error}",
            name(device),
        )),
    }
}

/// The device of new tensors, by name.
pub fn default_device() -> String {
    name(options().1)
}

/// The devices that compute the batches of a model together, by name with commas between them; the first is that of new tensors.
pub fn default_devices() -> String {
    TOGETHER.with_borrow(|devices| match &devices[..] {
        [] | [_] => default_device(),
        several => {
            let names: Vec<String> = several.iter().copied().map(name).collect();
            names.join(",")
        }
    })
}

/// The dtype of new tensors, by name.
pub fn default_dtype() -> &'static str {
    name_of_dtype(options().0)
}

/// Seeds the random generators of all devices, also of those that are opened later.
pub fn manual_seed(seed: i64) -> Result<(), TorchError> {
    let op = "manual_seed";
    capture::refuse(
        op,
        "seed random numbers, since a replay would not do it again; seed them before",
    )?;
    shim::seed(seed).map_err(|error| TorchError::Op {
        op,
        operands: String::new(),
        reason: error.to_string(),
    })
}

/// A device's name: `cpu`, `cuda:0`, `mps`.
pub fn name(device: Device) -> String {
    match device {
        Device::Cpu => "cpu".to_owned(),
        Device::Cuda(number) => format!("cuda:{number}"),
        Device::Mps => "mps".to_owned(),
        Device::Vulkan => "vulkan".to_owned(),
    }
}

/// The name of a device by its number.
pub fn name_of_number(number: i64) -> String {
    match number {
        -1 => "cpu".to_owned(),
        -2 => "mps".to_owned(),
        _ => format!("cuda:{number}"),
    }
}

/// The number of a device word: -1 for `cpu`, the index of a CUDA device, -2 for `mps`. Opens CUDA if need be.
pub fn device_of_word(word: &str) -> Result<i64, TorchError> {
    let op = "device";
    let absent = |reason: String| TorchError::Device {
        op,
        device: word.to_owned(),
        reason,
    };
    let asked = match choice_named(op, word)? {
        Choice::Auto => return Ok(number_of(best().unwrap_or(Device::Cpu))),
        Choice::Gpu => best(),
        Choice::Device(device) => open_numbered(Some(device.number())),
    };
    asked.map(number_of).map_err(absent)
}

/// Whether a word is meant as a device, even if there is none of that name.
pub fn is_device_word(word: &str) -> bool {
    listed::is_meant(word)
}

/// What a word for a device asks for.
fn choice_named(op: &'static str, word: &str) -> Result<Choice, TorchError> {
    listed::of_word(word).map_err(|source| TorchError::DeviceWord { op, source })
}

/// The number of a dtype word in libtorch.
pub fn dtype_of_word(word: &str) -> Result<i64, TorchError> {
    Ok(dtype_named("dtype", word)?.into())
}

/// Dtype and device by number; the configured ones where none is given.
pub fn chosen(
    op: &'static str,
    dtype: Option<i64>,
    device: Option<i64>,
) -> Result<(i32, Device), TorchError> {
    let number = match dtype.map(|number| (number, dtype::of_number(number))) {
        Some((_, Some(known))) if known.plain => known.number,
        None => options().0,
        Some((number, _)) => {
            return Err(TorchError::Word {
                op,
                found: number.to_string(),
                what: "number of a dtype",
                allowed: "the numbers of libtorch's ScalarType that tensors can be made with, such as 6 for f32",
            });
        }
    };
    let place = open_numbered(device).map_err(|reason| TorchError::Device {
        op,
        device: device.map_or_else(default_device, |number| format!("device {number}")),
        reason,
    })?;
    Ok((number, place))
}

/// A device by its number, opened if need be; that of new tensors if none is given.
pub fn open_numbered(number: Option<i64>) -> Result<Device, String> {
    match number {
        None => Ok(options().1),
        Some(CPU) => Ok(Device::Cpu),
        Some(-2) => mps(),
        Some(number @ 0..) => cuda(number),
        Some(_) => Err(
            "devices are -1 (cpu), 0 and up (cuda:N), -2 (mps) and nil (the device of new tensors)"
                .to_owned(),
        ),
    }
}

/// The number of the CPU.
pub const CPU: i64 = -1;

fn dtype_named(op: &'static str, word: &str) -> Result<i32, TorchError> {
    dtype::of_word(word)
        .map(|dtype| dtype.number)
        .ok_or_else(|| TorchError::Word {
            op,
            found: word.to_owned(),
            what: "dtype",
            allowed: dtype::WORDS,
        })
}

/// The name of a dtype by its number.
pub fn name_of_dtype(number: i32) -> &'static str {
    dtype::of_number(number.into()).map_or("unknown", |dtype| dtype.name)
}

/// The number of a device.
fn number_of(device: Device) -> i64 {
    device.c_int().into()
}
