//! Devices and dtypes: their names, which of them new tensors get, and CUDA on demand.
//!
//! CUDA's part of libtorch is opened by [`cuda`] and nowhere else, when a program first chooses or asks for a CUDA device. Nothing before
//! that may ask libtorch whether there is CUDA, because it remembers the answer (`shim/shim.cpp`).

use std::cell::Cell;

use tch::{Device, Kind};

use crate::error::{ShimError, TorchError};
use crate::shim;

const DEVICES: &str = "cpu, cuda, cuda:N, mps, gpu, auto";
const DTYPES: &str = "f16, bf16, f32, f64, i8, i16, i32, i64, u8, bool";

thread_local! {
    static OPTIONS: Cell<(Kind, Device)> = const { Cell::new((Kind::Float, Device::Cpu)) };
}

/// Dtype and device of new tensors.
#[inline]
pub fn options() -> (Kind, Device) {
    OPTIONS.get()
}

/// Opens CUDA if need be and checks that the device of this number exists.
pub fn cuda(number: i64) -> Result<Device, String> {
    shim::open_cuda().map_err(|error| error.to_string())?;
    let count = shim::cuda_count();
    match usize::try_from(number) {
        Ok(index) if number < count => Ok(Device::Cuda(index)),
        _ if count == 0 => Err("libtorch finds no CUDA device".to_owned()),
        _ if count == 1 => Err("this machine has 1 CUDA device, cuda:0".to_owned()),
        _ => Err(format!(
            "this machine has {count} CUDA devices, cuda:0 to cuda:{}",
            count - 1
        )),
    }
}

/// Whether there is a CUDA device; opens CUDA to find out.
pub fn cuda_available() -> bool {
    cuda(0).is_ok()
}

/// How many CUDA devices there are; opens CUDA to find out.
pub fn cuda_device_count() -> i64 {
    if shim::open_cuda().is_ok() {
        shim::cuda_count()
    } else {
        0
    }
}

/// Why there is no CUDA device; empty when there is one.
pub fn cuda_unavailable_reason() -> String {
    cuda(0).err().unwrap_or_default()
}

/// Chooses device and dtype of new tensors. Empty when the device is there; otherwise the reason why it is not, and the next
/// best is chosen: another CUDA device, else the CPU.
pub fn configure(device: &str, dtype: &str, debug_cuda: bool) -> Result<String, TorchError> {
    let op = "configure";
    let kind = kind_of(op, dtype)?;
    shim::keep_memory();
    if debug_cuda && std::env::var_os("CUDA_LAUNCH_BLOCKING").is_none() {
        // SAFETY: a Simple program runs on one thread, and libtorch reads its environment when CUDA is opened, later.
        unsafe { std::env::set_var("CUDA_LAUNCH_BLOCKING", "1") };
    }
    let (chosen, reason) = match device {
        "cpu" => (Device::Cpu, String::new()),
        "auto" => (best().unwrap_or(Device::Cpu), String::new()),
        "gpu" => best().map_or_else(
            |reason| (Device::Cpu, reason),
            |device| (device, String::new()),
        ),
        "mps" if tch::utils::has_mps() => (Device::Mps, String::new()),
        "mps" => (
            Device::Cpu,
            "this libtorch has no MPS, which exists on Apple machines only".to_owned(),
        ),
        _ => {
            let number = cuda_number(op, device)?;
            match cuda(i64::from(number)) {
                Ok(device) => (device, String::new()),
                Err(reason) => (cuda(0).unwrap_or(Device::Cpu), reason),
            }
        }
    };
    OPTIONS.set((kind, chosen));
    Ok(reason)
}

/// The best accelerator there is, or why there is none.
fn best() -> Result<Device, String> {
    match cuda(0) {
        Ok(device) => Ok(device),
        Err(_) if tch::utils::has_mps() => Ok(Device::Mps),
        Err(reason) => Err(reason),
    }
}

/// The device of new tensors, by name.
pub fn default_device() -> String {
    name(options().1)
}

/// The dtype of new tensors, by name.
pub fn default_dtype() -> &'static str {
    kind_name(options().0)
}

/// Seeds the random generators of all open devices.
pub fn manual_seed(seed: i64) -> Result<(), ShimError> {
    shim::seed(seed)
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

/// The number of a device that means the configured one.
pub const DEFAULT: i64 = -100;

/// The number of a device word: -1 for `cpu`, the index of a CUDA device, -2 for `mps`, [`DEFAULT`] for the empty word. Opens CUDA if need be.
pub fn device_of_word(word: &str) -> Result<i64, TorchError> {
    let op = "device";
    let absent = |reason: String| TorchError::Device {
        op,
        device: word.to_owned(),
        reason,
    };
    match word {
        "" => Ok(DEFAULT),
        "cpu" => Ok(-1),
        "mps" if tch::utils::has_mps() => Ok(-2),
        "mps" => Err(absent("this libtorch has no MPS".to_owned())),
        "gpu" | "auto" => Ok(match best() {
            Ok(Device::Cuda(number)) => number as i64,
            Ok(_) => -2,
            Err(_) if word == "auto" => -1,
            Err(reason) => return Err(absent(reason)),
        }),
        _ => {
            let number = cuda_number(op, word)?;
            cuda(i64::from(number)).map_err(absent)?;
            Ok(i64::from(number))
        }
    }
}

/// The number of a dtype word in libtorch; -1 for the empty word.
pub fn dtype_of_word(word: &str) -> Result<i64, TorchError> {
    if word.is_empty() {
        return Ok(-1);
    }
    Ok(dtype_number(kind_of("dtype", word)?).into())
}

/// Dtype and device by number; -1 and [`DEFAULT`] mean the configured ones.
pub fn chosen(op: &'static str, dtype: i64, device: i64) -> Result<(Kind, Device), TorchError> {
    let named = KINDS
        .into_iter()
        .find(|kind| i64::from(dtype_number(*kind)) == dtype);
    let kind = match named {
        Some(kind) => kind,
        None if dtype == -1 => options().0,
        None => {
            return Err(TorchError::Word {
                op,
                found: dtype.to_string(),
                what: "number of a dtype",
                allowed: DTYPES,
            });
        }
    };
    let place = open_numbered(device).map_err(|reason| TorchError::Device {
        op,
        device: format!("device {device}"),
        reason,
    })?;
    Ok((kind, place))
}

/// The dtypes that words name.
const KINDS: [Kind; 10] = [
    Kind::Uint8,
    Kind::Int8,
    Kind::Int16,
    Kind::Int,
    Kind::Int64,
    Kind::Half,
    Kind::Float,
    Kind::Double,
    Kind::Bool,
    Kind::BFloat16,
];

/// A device by its number, opened if need be.
pub fn open_numbered(number: i64) -> Result<Device, String> {
    match number {
        DEFAULT => Ok(options().1),
        -1 => Ok(Device::Cpu),
        -2 if tch::utils::has_mps() => Ok(Device::Mps),
        -2 => Err("this libtorch has no MPS, which exists on Apple machines only".to_owned()),
        0.. => cuda(number),
        _ => Err("devices are -1 (cpu), 0 and up (cuda:N), -2 (mps) and -100 (the device of new tensors)".to_owned()),
    }
}

fn kind_of(op: &'static str, dtype: &str) -> Result<Kind, TorchError> {
    Ok(match dtype {
        "f16" | "float16" | "half" => Kind::Half,
        "bf16" | "bfloat16" => Kind::BFloat16,
        "f32" | "float32" | "float" => Kind::Float,
        "f64" | "float64" | "double" => Kind::Double,
        "i8" | "int8" => Kind::Int8,
        "i16" | "int16" | "short" => Kind::Int16,
        "i32" | "int32" | "int" => Kind::Int,
        "i64" | "int64" | "long" => Kind::Int64,
        "u8" | "uint8" => Kind::Uint8,
        "bool" => Kind::Bool,
        _ => {
            return Err(TorchError::Word {
                op,
                found: dtype.to_owned(),
                what: "dtype of libtorch",
                allowed: DTYPES,
            });
        }
    })
}

/// A dtype's name in Simple.
pub fn kind_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Half => "f16",
        Kind::BFloat16 => "bf16",
        Kind::Float => "f32",
        Kind::Double => "f64",
        Kind::Int8 => "i8",
        Kind::Int16 => "i16",
        Kind::Int => "i32",
        Kind::Int64 => "i64",
        Kind::Uint8 => "u8",
        Kind::Bool => "bool",
        Kind::ComplexHalf => "c32",
        Kind::ComplexFloat => "c64",
        Kind::ComplexDouble => "c128",
        _ => "other",
    }
}

/// The name of libtorch's ScalarType of this number; `None` when there is none.
pub fn dtype_name(number: i64) -> Option<&'static str> {
    const NAMES: [&str; 30] = [
        "u8",
        "i8",
        "i16",
        "i32",
        "i64",
        "f16",
        "f32",
        "f64",
        "c32",
        "c64",
        "c128",
        "bool",
        "qint8",
        "quint8",
        "qint32",
        "bf16",
        "quint4x2",
        "quint2x4",
        "bits1x8",
        "bits2x4",
        "bits4x2",
        "bits8",
        "bits16",
        "f8e5m2",
        "f8e4m3fn",
        "f8e5m2fnuz",
        "f8e4m3fnuz",
        "u16",
        "u32",
        "u64",
    ];
    NAMES.get(usize::try_from(number).ok()?).copied()
}

/// The number of a dtype that new tensors can have, in libtorch's ScalarType.
#[inline]
pub fn dtype_number(kind: Kind) -> i32 {
    match kind {
        Kind::Uint8 => 0,
        Kind::Int8 => 1,
        Kind::Int16 => 2,
        Kind::Int => 3,
        Kind::Int64 => 4,
        Kind::Half => 5,
        Kind::Float => 6,
        Kind::Double => 7,
        Kind::BFloat16 => 15,
        // No word of `rt_torch_configure` leads here.
        _ => 11,
    }
}

/// The number behind `cuda` or `cuda:N`; any other word is an error that says what can be written.
fn cuda_number(op: &'static str, word: &str) -> Result<u8, TorchError> {
    let number = match word.strip_prefix("cuda") {
        Some("") => Some(0),
        Some(rest) => rest
            .strip_prefix(':')
            .and_then(|number| number.parse().ok()),
        None => None,
    };
    number.ok_or_else(|| TorchError::Word {
        op,
        found: word.to_owned(),
        what: "device",
        allowed: DEVICES,
    })
}
