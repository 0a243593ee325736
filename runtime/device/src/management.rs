//! NVML, NVIDIA's management library, which comes with the driver and answers also where CUDA does not.

use std::ffi::OsStr;
use std::mem::ManuallyDrop;

use nvml_wrapper::Nvml;
use nvml_wrapper::error::NvmlError;
use serde::{Deserialize, Serialize};

use crate::{Gpu, Library};

/// What the management library says.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Management {
    /// `libnvidia-ml.so.1`.
    pub library: Library,
    /// Why it could not be initialised.
    pub failure: Option<String>,
    /// The release of the driver, such as `580.65.06`.
    pub driver: Option<String>,
    /// All GPUs of the machine, also those that CUDA_VISIBLE_DEVICES hides.
    pub gpus: Vec<Managed>,
}

/// A GPU as the management library sees it.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Managed {
    /// What it says about it.
    pub gpu: Gpu,
    /// Why it says nothing about it: the GPU is lost, for example.
    pub failure: Option<String>,
    /// How many processes compute on it.
    pub processes: Option<usize>,
}

const NAME: &str = "libnvidia-ml.so.1";
const LOST: &str = "the GPU is lost: it has fallen off the bus";

impl Management {
    /// Opens the library and asks it about every GPU.
    pub fn ask() -> Management {
        let opened = Nvml::builder().lib_path(OsStr::new(NAME)).init();
        let nvml = match opened {
            // Never closed: closing calls a function that an incomplete library may lack.
            Ok(nvml) => ManuallyDrop::new(nvml),
            Err(error) => return Management::without(&error),
        };
        let count = nvml.device_count();
        Management {
            library: Library::Open,
            failure: count.as_ref().err().map(ToString::to_string),
            driver: nvml.sys_driver_version().ok(),
            gpus: (0..count.unwrap_or(0))
                .map(|number| managed(&nvml, number))
                .collect(),
        }
    }

    fn without(error: &NvmlError) -> Management {
        let (library, failure) = match error {
            NvmlError::LibloadingError(error) => {
                let mut said: &dyn std::error::Error = error;
                while let Some(source) = said.source() {
                    said = source;
                }
                (Library::refused(&said.to_string(), NAME), None)
            }
            NvmlError::FailedToLoadSymbol(_) => {
                let reason = format!("{NAME} has not the functions of NVML");
                (Library::Unusable(reason), None)
            }
            error => (Library::Open, Some(error.to_string())),
        };
        Management {
            library,
            failure,
            ..Management::default()
        }
    }
}

fn managed(nvml: &Nvml, number: u32) -> Managed {
    let device = match nvml.device_by_index(number) {
        Ok(device) => device,
        Err(error) => {
            return Managed {
                failure: Some(error.to_string()),
                ..Managed::default()
            };
        }
    };
    let name = device.name();
    let memory = device.memory_info();
    let capability = device.cuda_compute_capability().ok();
    Managed {
        failure: match (&name, &memory) {
            (_, Err(NvmlError::GpuLost)) | (Err(NvmlError::GpuLost), _) => Some(LOST.to_owned()),
            (Err(error), _) => Some(error.to_string()),
            _ => None,
        },
        processes: device
            .running_compute_processes_count()
            .ok()
            .map(|n| n as usize),
        gpu: Gpu {
            name: name.unwrap_or_default(),
            uuid: device.uuid().unwrap_or_default(),
            capability: capability.map(|found| (found.major, found.minor)),
            memory: memory.as_ref().ok().map(|memory| memory.total),
            free_memory: memory.ok().map(|memory| memory.free),
        },
    }
}
