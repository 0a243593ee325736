//! The backends: their words, and what each asks of the device. libtorch computes on any device (`torch`) or on CUDA devices only
//! (`cuda`), `native` on the CPU without libtorch; a path such as `tests.recorder` is a module of the program that takes their place.
//! `auto` is one of the first two, by the rules of `choice.rs`.
//!
//! Where a device and a backend do not fit, the higher layer wins and the other one's value is named in a warning; in one layer it is an
//! error. So no program computes on another device than its configuration says without a word.

use std::fmt;

use simple_ffi_abi::device::{Choice, Device, Devices};

use super::{DlConfig, Place};

/// What computes, as it is configured.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Backend {
    /// libtorch where it is found or only it can do what is asked, else `Native`.
    Auto,
    /// Tensors in Simple, on the CPU.
    Native,
    /// libtorch on any device.
    Torch,
    /// libtorch on CUDA devices.
    Cuda,
    /// A module of the program, by its path.
    Module(String),
}

impl Backend {
    /// The words, for messages; besides, paths of modules.
    pub const WORDS: [&str; 5] = ["auto", "torch", "native", "cuda", "pytorch"];

    /// The backend of a word.
    pub fn of_word(word: &str) -> Option<Backend> {
        Some(match word {
            "auto" => Backend::Auto,
            "native" => Backend::Native,
            "torch" | "pytorch" => Backend::Torch,
            "cuda" => Backend::Cuda,
            path if is_path(path) => Backend::Module(path.to_owned()),
            _ => return None,
        })
    }

    /// Whether it computes on all devices that are asked for.
    fn takes(&self, devices: &Devices) -> bool {
        devices.iter().all(|device| match self {
            Backend::Auto | Backend::Torch | Backend::Module(_) => true,
            Backend::Native => !device.is_gpu(),
            Backend::Cuda => !matches!(device, Choice::Device(Device::Cpu | Device::Mps)),
        })
    }

    /// The device that it takes where the configuration does not name one that fits.
    fn own_device(&self) -> Devices {
        Devices::One(Choice::Device(match self {
            Backend::Cuda => Device::Cuda(0),
            _ => Device::Cpu,
        }))
    }

    fn where_it_computes(&self) -> &'static str {
        match self {
            Backend::Cuda => "on CUDA devices only",
            _ => "on the CPU only",
        }
    }
}

/// Whether a word is a path of two or more names, such as `tests.recorder`.
fn is_path(word: &str) -> bool {
    let is_name = |name: &str| {
        let mut letters = name.chars();
        letters
            .next()
            .is_some_and(|first| first.is_alphabetic() || first == '_')
            && letters.all(|letter| letter.is_alphanumeric() || letter == '_')
    };
    word.contains('.') && word.split('.').all(is_name)
}

impl fmt::Display for Backend {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Backend::Auto => "auto",
            Backend::Native => "native",
            Backend::Torch => "torch",
            Backend::Cuda => "cuda",
            Backend::Module(path) => path,
        })
    }
}

/// What to say of a backend and a device that do not fit; empty if they do.
pub(super) fn disagreement(backend: &Backend, device: &Devices) -> Option<String> {
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
    let backend = config.backend.clone();
    if backend == Backend::Native && config.device == Devices::One(Choice::Auto) {
        config.device = backend.own_device();
    }
    let Some(problem) = disagreement(&backend, &config.device) else {
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
            let of = of.clone();
            config.places.insert("backend", of);
        }
    }
    Ok(())
}
