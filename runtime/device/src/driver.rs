//! NVIDIA's driver, asked through `libcuda.so.1`.

use std::ffi::{CStr, c_char, c_int, c_uint};
use std::mem::ManuallyDrop;

use libloading::Library as Opened;
use serde::{Deserialize, Serialize};

use crate::Gpu;

/// What became of opening a library.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub enum Library {
    /// The loader finds none.
    #[default]
    Absent,
    /// There is one that cannot be used, and why.
    Unusable(String),
    /// It is open and has what is needed.
    Open,
}

impl Library {
    /// From what the loader said.
    pub(crate) fn refused(said: &str, name: &str) -> Library {
        let absent = said.contains("No such file") && said.starts_with(name);
        if absent {
            Library::Absent
        } else {
            Library::Unusable(said.to_owned())
        }
    }
}

/// What the driver says.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Driver {
    /// `libcuda.so.1`.
    pub library: Library,
    /// The newest version of CUDA that it can do: 13000 is 13.0.
    pub cuda: Option<i32>,
    /// What `cuInit` returned; 0 is success. `None` where it was not called.
    pub init: Option<i32>,
    /// The devices that programs see, in CUDA's order.
    pub gpus: Vec<Gpu>,
}

const NAME: &str = "libcuda.so.1";
const CAPABILITY_MAJOR: c_int = 75;
const CAPABILITY_MINOR: c_int = 76;

/// The driver's functions that are asked; each returns 0 or the number of an error.
struct Functions {
    version: unsafe extern "C" fn(*mut c_int) -> c_int,
    init: unsafe extern "C" fn(c_uint) -> c_int,
    count: unsafe extern "C" fn(*mut c_int) -> c_int,
    device: unsafe extern "C" fn(*mut c_int, c_int) -> c_int,
    name: unsafe extern "C" fn(*mut c_char, c_int, c_int) -> c_int,
    uuid: unsafe extern "C" fn(*mut [u8; 16], c_int) -> c_int,
    memory: unsafe extern "C" fn(*mut usize, c_int) -> c_int,
    attribute: unsafe extern "C" fn(*mut c_int, c_int, c_int) -> c_int,
}

impl Functions {
    fn of(library: &Opened) -> Result<Functions, String> {
        macro_rules! function {
            ($name:literal) => {{
                // SAFETY: the type of the field is that of this function in NVIDIA's cuda.h, which does not change under one name.
                let found = unsafe { library.get($name) };
                let name = String::from_utf8_lossy($name);
                *found.map_err(|_| format!("{NAME} has no function `{name}`"))?
            }};
        }
        Ok(Functions {
            version: function!(b"cuDriverGetVersion"),
            init: function!(b"cuInit"),
            count: function!(b"cuDeviceGetCount"),
            device: function!(b"cuDeviceGet"),
            name: function!(b"cuDeviceGetName"),
            uuid: function!(b"cuDeviceGetUuid_v2"),
            memory: function!(b"cuDeviceTotalMem_v2"),
            attribute: function!(b"cuDeviceGetAttribute"),
        })
    }

    /// The device of a number below the count; what the driver does not say about it is missing.
    fn gpu(&self, number: c_int) -> Gpu {
        let (mut device, mut memory) = (0, 0);
        let (mut name, mut uuid) = ([0; 256], [0; 16]);
        let (mut major, mut minor) = (0, 0);
        // SAFETY: CUDA is initialised, each place is large enough and alive, and the length of `name` is passed with it.
        let (named, identified, measured, capable) = unsafe {
            if (self.device)(&mut device, number) != 0 {
                return Gpu::default();
            }
            (
                (self.name)(name.as_mut_ptr(), 255, device) == 0,
                (self.uuid)(&mut uuid, device) == 0,
                (self.memory)(&mut memory, device) == 0,
                (self.attribute)(&mut major, CAPABILITY_MAJOR, device) == 0
                    && (self.attribute)(&mut minor, CAPABILITY_MINOR, device) == 0,
            )
        };
        let shown = || {
            // SAFETY: the driver writes at most 255 bytes, so the last of the 256 is still 0.
            let name = unsafe { CStr::from_ptr(name.as_ptr()) };
            name.to_string_lossy().into_owned()
        };
        Gpu {
            name: if named { shown() } else { String::new() },
            uuid: if identified {
                words_of(&uuid)
            } else {
                String::new()
            },
            capability: capable.then_some((major, minor)),
            memory: measured.then_some(memory as u64),
            free_memory: None,
        }
    }
}

/// A UUID as NVML writes it.
fn words_of(uuid: &[u8; 16]) -> String {
    let digits: String = uuid.iter().map(|byte| format!("{byte:02x}")).collect();
    let parts = [0..8, 8..12, 12..16, 16..20, 20..32].map(|part| &digits[part]);
    format!("GPU-{}", parts.join("-"))
}

impl Driver {
    /// Opens the driver and asks it; with `initialise` also for its devices.
    pub fn ask(initialise: bool) -> Driver {
        // SAFETY: the driver's library may be opened at any time; it is never closed, because it keeps threads.
        let opened = match unsafe { Opened::new(NAME) } {
            Ok(opened) => ManuallyDrop::new(opened),
            Err(error) => {
                return Driver {
                    library: Library::refused(&said(&error), NAME),
                    ..Driver::default()
                };
            }
        };
        let functions = match Functions::of(&opened) {
            Ok(functions) => functions,
            Err(reason) => {
                return Driver {
                    library: Library::Unusable(reason),
                    ..Driver::default()
                };
            }
        };
        let mut version = 0;
        // SAFETY: may be called before `cuInit`; the place is alive.
        let known = unsafe { (functions.version)(&mut version) } == 0;
        let mut driver = Driver {
            library: Library::Open,
            cuda: known.then_some(version),
            ..Driver::default()
        };
        if initialise {
            // SAFETY: may be called at any time, also several times; 0 is the only flag that there is.
            let outcome = unsafe { (functions.init)(0) };
            driver.init = Some(outcome);
            let mut count = 0;
            // SAFETY: CUDA is initialised then; the place is alive.
            if outcome == 0 && unsafe { (functions.count)(&mut count) } == 0 {
                driver.gpus = (0..count).map(|number| functions.gpu(number)).collect();
            }
        }
        driver
    }
}

/// The loader's own words.
pub(crate) fn said(error: &libloading::Error) -> String {
    let mut deepest: &dyn std::error::Error = error;
    while let Some(source) = deepest.source() {
        deepest = source;
    }
    deepest.to_string()
}

/// The name of an error of the driver, as in NVIDIA's documentation.
pub fn error_name(number: i32) -> &'static str {
    match number {
        2 => "CUDA_ERROR_OUT_OF_MEMORY",
        3 => "CUDA_ERROR_NOT_INITIALIZED",
        34 => "CUDA_ERROR_STUB_LIBRARY",
        46 => "CUDA_ERROR_DEVICE_UNAVAILABLE",
        100 => "CUDA_ERROR_NO_DEVICE",
        101 => "CUDA_ERROR_INVALID_DEVICE",
        214 => "CUDA_ERROR_ECC_UNCORRECTABLE",
        304 => "CUDA_ERROR_OPERATING_SYSTEM",
        801 => "CUDA_ERROR_NOT_SUPPORTED",
        802 => "CUDA_ERROR_SYSTEM_NOT_READY",
        803 => "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH",
        804 => "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE",
        999 => "CUDA_ERROR_UNKNOWN",
        _ => "an error without a name here",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_loader_says_is_told_apart() {
        let absent = "libcuda.so.1: cannot open shared object file: No such file or directory";
        assert_eq!(Library::refused(absent, NAME), Library::Absent);
        for said in [
            "/usr/lib/libcuda.so.1: file too short",
            "libnvidia-x.so: cannot open shared object file: No such file or directory",
        ] {
            let unusable = Library::Unusable(said.to_owned());
            assert_eq!(Library::refused(said, NAME), unusable);
        }
    }

    #[test]
    fn a_uuid_is_written_as_nvml_does() {
        let mut uuid = [0; 16];
        (uuid[0], uuid[15]) = (0xab, 1);
        assert_eq!(words_of(&uuid), "GPU-ab000000-0000-0000-0000-000000000001");
    }
}
