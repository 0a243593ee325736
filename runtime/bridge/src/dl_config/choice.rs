//! What computes a program's tensors: the configured backend, and for `auto` the rules by which it becomes libtorch or native tensors.
//!
//! The choice is made once, while a program is compiled, so that every call of the backend is a call of that backend's function. Nothing
//! is opened, fetched or built for it. Leaves out where modules are (`simple-cli`) and how libtorch is found (`simple-setup`).

use std::fmt;

use simple_device::Machine;
use simple_ffi_abi::device::{Choice, Device, Devices};

use super::{Backend, DlConfig};

/// What is used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Used {
    /// libtorch.
    Torch,
    /// Tensors in Simple.
    Native,
    /// A module of the program, by its path.
    Module(String),
}

impl fmt::Display for Used {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Used::Torch => "torch",
            Used::Native => "native",
            Used::Module(path) => path,
        })
    }
}

impl Used {
    /// The one that is written so.
    pub fn read(word: &str) -> Used {
        match word {
            "torch" => Used::Torch,
            "native" => Used::Native,
            path => Used::Module(path.to_owned()),
        }
    }
}

/// What computes a program's tensors, and why.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Chosen {
    /// What is used.
    pub used: Used,
    /// Why, as the end of a sentence: `SIMPLE_DL_BACKEND says so`.
    pub why: String,
}

/// What `auto` depends on besides the configuration.
#[derive(Clone, Copy, Debug)]
pub struct Facts<'a> {
    /// Whether libtorch is there; otherwise why not.
    pub torch: Result<(), &'a str>,
    /// What of the program only libtorch has, with its place.
    pub needs_torch: Option<&'a str>,
    /// Whether the machine has one of these devices.
    pub has: fn(&Devices) -> bool,
}

/// Makes the choice. A configuration that cannot be read is an error when the program asks for it, not here.
pub fn choose(config: Result<&DlConfig, &str>, facts: Facts<'_>) -> Chosen {
    let place = config.ok().and_then(|config| config.place("backend"));
    let said = |used| Chosen {
        used,
        why: format!("{} says so", place.unwrap_or("the program")),
    };
    match config.map(|config| &config.backend) {
        Ok(Backend::Native) => said(Used::Native),
        Ok(Backend::Module(path)) => said(Used::Module(path.clone())),
        Ok(Backend::Torch | Backend::Cuda) => said(Used::Torch),
        Ok(Backend::Auto) | Err(_) => automatic(config.ok(), place, facts),
    }
}

fn because(why: String, used: Used) -> Chosen {
    Chosen { used, why }
}

fn automatic(config: Option<&DlConfig>, place: Option<&str>, facts: Facts<'_>) -> Chosen {
    let auto = match (config, place) {
        (None, _) => "the configuration cannot be read, and `auto`".to_owned(),
        (_, Some(place)) => format!("`auto` of {place}"),
        (_, None) => "`auto`, the default,".to_owned(),
    };
    let absence = match facts.torch {
        Ok(()) => {
            return because(
                format!("{auto} uses libtorch because it is installed"),
                Used::Torch,
            );
        }
        Err(absence) => absence.lines().next().unwrap_or_default(),
    };
    if let Some(needs) = facts.needs_torch {
        return because(
            format!("{auto} takes libtorch because of {needs}"),
            Used::Torch,
        );
    }
    if let Some(config) = config.filter(|config| asks_for_gpu(&config.device)) {
        let device = &config.device;
        if !config.fallback || (facts.has)(device) {
            let of = config.place("device").unwrap_or("the program");
            let why = format!("{auto} takes libtorch because of the device `{device}` of {of}");
            return because(why, Used::Torch);
        }
    }
    because(format!("{auto} found no libtorch: {absence}"), Used::Native)
}

/// Whether the CPU would only be a makeshift.
fn asks_for_gpu(devices: &Devices) -> bool {
    devices
        .iter()
        .any(|device| device.is_gpu() && device != Choice::Auto)
}

/// Whether this machine looks as if it had one of these devices. No driver is asked: that takes long, and may fail.
pub(super) fn machine_has(devices: &Devices) -> bool {
    devices.iter().any(|device| match device {
        Choice::Device(Device::Mps) => cfg!(target_os = "macos"),
        Choice::Device(Device::Cpu) => false,
        Choice::Device(Device::Cuda(_)) => has_cuda(),
        Choice::Gpu | Choice::Auto => cfg!(target_os = "macos") || has_cuda(),
    })
}

fn has_cuda() -> bool {
    let machine = Machine::read();
    // Through this file programs reach AMD's GPUs.
    machine.nvidia_gpus > 0
        || !machine.nodes.is_empty()
        || std::path::Path::new("/dev/kfd").exists()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dl_config::{Declared, Sources, load};

    fn config(text: &str, word: Option<&str>) -> DlConfig {
        let folder = tempfile(text);
        let program = word.map(|word| Declared {
            word: word.to_owned(),
            place: "main.spl:1:12".to_owned(),
        });
        let files = vec![folder.clone()];
        let loaded = load(&Sources {
            files,
            program,
            ..Sources::default()
        });
        std::fs::remove_file(folder).unwrap();
        loaded.unwrap().0
    }

    fn tempfile(text: &str) -> std::path::PathBuf {
        use std::sync::atomic::{AtomicU32, Ordering};
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("simple-choice-{}-{number}.sdn", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::write(&path, text).unwrap();
        path
    }

    const THERE: Facts<'_> = Facts {
        torch: Ok(()),
        needs_torch: None,
        has: |_| false,
    };
    const GONE: Facts<'_> = Facts {
        torch: Err("it is not built\n  cure: build it"),
        ..THERE
    };

    #[track_caller]
    fn is(chosen: Chosen, used: Used, why: &str) {
        assert_eq!(chosen.used, used, "{}", chosen.why);
        assert!(chosen.why.contains(why), "{}", chosen.why);
        assert!(!chosen.why.contains('\n'), "{}", chosen.why);
    }

    #[test]
    fn what_is_said_is_used_whether_or_not_libtorch_is_there() {
        for facts in [THERE, GONE] {
            is(
                choose(Ok(&config("backend: native\n", None)), facts),
                Used::Native,
                ".sdn:1:10 says so",
            );
            is(
                choose(Ok(&config("backend: native\n", Some("torch"))), facts),
                Used::Torch,
                "main.spl:1:12 says so",
            );
            is(
                choose(Ok(&config("backend: cuda\n", None)), facts),
                Used::Torch,
                ".sdn:1:10 says so",
            );
            is(
                choose(Ok(&config("", Some("tests.recorder"))), facts),
                Used::Module("tests.recorder".to_owned()),
                "main.spl:1:12 says so",
            );
        }
    }

    #[test]
    fn auto_is_libtorch_where_it_is_there_and_native_otherwise() {
        let none = config("", None);
        is(
            choose(Ok(&none), THERE),
            Used::Torch,
            "`auto`, the default,",
        );
        is(
            choose(Ok(&none), GONE),
            Used::Native,
            "found no libtorch: it is not built",
        );
        let written = config("backend: auto\n", None);
        is(choose(Ok(&written), THERE), Used::Torch, "`auto` of ");
        is(choose(Err("broken"), GONE), Used::Native, "cannot be read");
        is(choose(Err("broken"), THERE), Used::Torch, "cannot be read");
    }

    #[test]
    fn auto_is_libtorch_where_only_it_will_do() {
        let needs = Facts {
            needs_torch: Some("`lib.torch.stream` (a.spl:1)"),
            ..GONE
        };
        is(choose(Ok(&config("", None)), needs), Used::Torch, "a.spl:1");
        let gpu = Facts {
            has: |_| true,
            ..GONE
        };
        for device in ["cuda:1", "gpu", "mps"] {
            let config = config(&format!("device: \"{device}\"\n"), None);
            is(choose(Ok(&config), gpu), Used::Torch, device);
            is(choose(Ok(&config), GONE), Used::Native, "found no libtorch");
        }
        for device in ["cpu", "auto"] {
            let config = config(&format!("device: {device}\n"), None);
            is(choose(Ok(&config), gpu), Used::Native, "found no libtorch");
        }
        let strict = config("device: cuda\nfallback: false\n", None);
        is(choose(Ok(&strict), GONE), Used::Torch, "`cuda:0` of ");
    }

    #[test]
    fn a_device_of_a_higher_layer_wins_over_native() {
        let file = tempfile("backend: native\n");
        let mut sources = Sources {
            files: vec![file.clone()],
            ..Sources::default()
        };
        sources.overrides.device = Some("cuda".to_owned());
        let (config, warnings) = load(&sources).unwrap();
        std::fs::remove_file(file).unwrap();
        assert!(warnings[0].contains("is not used"), "{warnings:?}");
        is(choose(Ok(&config), GONE), Used::Torch, "--device says so");
    }
}
