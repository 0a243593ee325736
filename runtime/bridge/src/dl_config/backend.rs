//! What a backend asks of the device. Tensors are computed by libtorch, whatever the backend is called: `torch` on any device, `cuda` on
//! CUDA devices, `native` on the CPU, without a library of a GPU.
//!
//! Where a device and a backend do not fit, the higher layer wins and the other one's value is named in a warning; in one layer it is an
//! error. So no program computes on another device than its configuration says without a word.

use std::fmt;

use simple_ffi_abi::device::{Choice, Device, Devices};

use super::{DlConfig, Place};

/// What computes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Backend {
    /// libtorch on the CPU.
    Native,
    /// libtorch on any device.
    Torch,
    /// libtorch on CUDA devices.
    Cuda,
}

impl Backend {
    /// The backend of a word.
    pub fn of_word(word: &str) -> Option<Backend> {
        Some(match word {
            "native" => Backend::Native,
            "torch" | "pytorch" => Backend::Torch,
            "cuda" => Backend::Cuda,
            _ => return None,
        })
    }

    /// Whether it computes on all devices that are asked for.
    fn takes(self, devices: &Devices) -> bool {
        devices.iter().all(|device| match self {
            Backend::Torch => true,
            Backend::Native => !device.is_gpu(),
            Backend::Cuda => !matches!(device, Choice::Device(Device::Cpu | Device::Mps)),
        })
    }

    /// The device that it takes where the configuration does not name one that fits.
    fn own_device(self) -> Devices {
        Devices::One(Choice::Device(match self {
            Backend::Cuda => Device::Cuda(0),
            _ => Device::Cpu,
        }))
    }

    fn where_it_computes(self) -> &'static str {
        match self {
            Backend::Cuda => "on CUDA devices only",
            _ => "on the CPU only",
        }
    }
}

impl fmt::Display for Backend {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Backend::Native => "native",
            Backend::Torch => "torch",
            Backend::Cuda => "cuda",
        })
    }
}

/// What to say of a backend and a device that do not fit; empty if they do.
pub(super) fn disagreement(backend: Backend, device: &Devices) -> Option<String> {
    if backend.takes(device) {
        return None;
    }
    Some(format!(
        "`backend: {backend}` computes {}, and the device is `{device}`; write `backend: torch`, which computes on every device, or `device: {}`",
        backend.where_it_computes(),
        backend.own_device()
    ))
}

/// Makes device and backend of the merged configuration fit.
pub(super) fn agree(config: &mut DlConfig, warnings: &mut Vec<String>) -> Result<(), String> {
    let backend = config.backend;
    if backend == Backend::Native && config.device == Devices::One(Choice::Auto) {
        config.device = backend.own_device();
    }
    let Some(problem) = disagreement(backend, &config.device) else {
        return Ok(());
    };
    let (by, of) = (config.places.get("backend"), config.places.get("device"));
    let layer = |place: Option<&Place>| place.map(|place| place.layer);
    match (by, of) {
        // Nothing names a device.
        (_, None) => config.device = backend.own_device(),
        (Some(by), Some(of)) if layer(Some(by)) == layer(Some(of)) => {
            return Err(format!("{}: {problem}", by.shown));
        }
        (Some(by), Some(of)) if by.layer > of.layer => {
            warnings.push(format!(
                "{}: `backend: {backend}` computes {}, so `{}` of {} is not used",
                by.shown,
                backend.where_it_computes(),
                config.device,
                of.shown
            ));
            config.device = backend.own_device();
        }
        (by, Some(of)) => {
            if let Some(by) = by {
                warnings.push(format!(
                    "{}: the device is `{}`, so `backend: {backend}` of {}, which computes {}, is not used",
                    of.shown,
                    config.device,
                    by.shown,
                    backend.where_it_computes()
                ));
            }
            config.backend = Backend::Torch;
        }
    }
    Ok(())
}
