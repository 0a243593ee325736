//! Devices and dtypes: their names, which of them new tensors get, and CUDA on demand.
//!
//! CUDA's part of libtorch is opened by [`cuda`] and nowhere else, when a program first chooses or asks for a CUDA device. Nothing before
//! that may ask libtorch whether there is CUDA, because it remembers the answer (`shim/shim.cpp`).

use std::cell::Cell;

use tch::{Device, Kind};

use crate::error::{ShimError, TorchError};
use crate::shim;

const DEVICES: &str = "cpu, cuda, cuda:N, mps, gpu, auto";
const DTYPES: &str = "f16, bf16, f32, f64, i8, i16, i32, i64, u8";

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
            let number = match device.strip_prefix("cuda") {
                Some("") => Some(0),
                Some(rest) => rest
                    .strip_prefix(':')
                    .and_then(|number| number.parse::<u8>().ok()),
                None => None,
            };
            let Some(number) = number else {
                return Err(TorchError::Word {
                    op,
                    found: device.to_owned(),
                    what: "device",
                    allowed: DEVICES,
                });
            };
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

fn kind_of(op: &'static str, dtype: &str) -> Result<Kind, TorchError> {
    Ok(match dtype {
        "f16" => Kind::Half,
        "bf16" => Kind::BFloat16,
        "f32" => Kind::Float,
        "f64" => Kind::Double,
        "i8" => Kind::Int8,
        "i16" => Kind::Int16,
        "i32" => Kind::Int,
        "i64" => Kind::Int64,
        "u8" => Kind::Uint8,
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
