//! NVML, NVIDIA's management library, which comes with the driver and answers also where CUDA does not.
//!
//! A dozen of its functions are called directly, as those of the driver are (`driver.rs`): a library for all of NVML would take a
//! first start ten seconds.

use std::ffi::{CStr, c_char, c_int, c_uint, c_ulonglong, c_void};
use std::mem::ManuallyDrop;

use libloading::Library as Opened;
use serde::{Deserialize, Serialize};

use crate::driver::said;
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

/// What NVML returns, `nvmlReturn_t`: 0, or the number of an error.
type Outcome = c_int;
const INSUFFICIENT_SIZE: Outcome = 7;
const GPU_IS_LOST: Outcome = 15;

/// A GPU of NVML, `nvmlDevice_t`.
type Handle = *mut c_void;

/// `nvmlMemory_t`, in bytes.
#[repr(C)]
#[derive(Default)]
struct Memory {
    total: c_ulonglong,
    free: c_ulonglong,
    used: c_ulonglong,
}

/// NVML's functions that are asked, as nvml.h declares them.
struct Functions {
    init: unsafe extern "C" fn() -> Outcome,
    words: unsafe extern "C" fn(Outcome) -> *const c_char,
    driver: unsafe extern "C" fn(*mut c_char, c_uint) -> Outcome,
    count: unsafe extern "C" fn(*mut c_uint) -> Outcome,
    device: unsafe extern "C" fn(c_uint, *mut Handle) -> Outcome,
    name: unsafe extern "C" fn(Handle, *mut c_char, c_uint) -> Outcome,
    uuid: unsafe extern "C" fn(Handle, *mut c_char, c_uint) -> Outcome,
    memory: unsafe extern "C" fn(Handle, *mut Memory) -> Outcome,
    capability: unsafe extern "C" fn(Handle, *mut c_int, *mut c_int) -> Outcome,
    processes: unsafe extern "C" fn(Handle, *mut c_uint, *mut c_void) -> Outcome,
}

impl Functions {
    fn of(library: &Opened) -> Option<Functions> {
        macro_rules! function {
            ($name:literal) => {
                // SAFETY: the type of the field is that of this function in NVIDIA's nvml.h, which does not change under one name.
                *unsafe { library.get($name) }.ok()?
            };
        }
        Some(Functions {
            init: function!(b"nvmlInit_v2"),
            words: function!(b"nvmlErrorString"),
            driver: function!(b"nvmlSystemGetDriverVersion"),
            count: function!(b"nvmlDeviceGetCount_v2"),
            device: function!(b"nvmlDeviceGetHandleByIndex_v2"),
            name: function!(b"nvmlDeviceGetName"),
            uuid: function!(b"nvmlDeviceGetUUID"),
            memory: function!(b"nvmlDeviceGetMemoryInfo"),
            capability: function!(b"nvmlDeviceGetCudaComputeCapability"),
            processes: function!(b"nvmlDeviceGetComputeRunningProcesses_v3"),
        })
    }

    /// What NVML calls an error.
    fn error(&self, outcome: Outcome) -> String {
        // SAFETY: may be called at any time; the text is a constant of the library.
        let words = unsafe { (self.words)(outcome) };
        if words.is_null() {
            return format!("error {outcome} of NVML");
        }
        // SAFETY: a C string, see above.
        unsafe { CStr::from_ptr(words) }
            .to_string_lossy()
            .into_owned()
    }

    /// A text that `ask` writes into memory of this many bytes.
    fn text(&self, ask: impl Fn(*mut c_char, c_uint) -> Outcome) -> Result<String, Outcome> {
        // NVML's longest names have 96 bytes.
        let mut bytes = [0; 256];
        // One byte less than there is, so the last one stays 0.
        match ask(bytes.as_mut_ptr(), bytes.len() as c_uint - 1) {
            0 => {
                // SAFETY: the last byte is 0.
                let text = unsafe { CStr::from_ptr(bytes.as_ptr()) };
                Ok(text.to_string_lossy().into_owned())
            }
            outcome => Err(outcome),
        }
    }

    /// What it says about a GPU of a number below the count.
    fn managed(&self, number: c_uint) -> Managed {
        let mut device: Handle = std::ptr::null_mut();
        // SAFETY: NVML is initialised; the place is alive.
        let found = unsafe { (self.device)(number, &mut device) };
        if found != 0 {
            return Managed {
                failure: Some(self.reason(found)),
                ..Managed::default()
            };
        }
        // SAFETY: the handle is NVML's, and the length is that of the memory.
        let name = self.text(|place, size| unsafe { (self.name)(device, place, size) });
        // SAFETY: as above.
        let uuid = self.text(|place, size| unsafe { (self.uuid)(device, place, size) });
        let mut memory = Memory::default();
        let (mut major, mut minor, mut processes) = (0, 0, 0);
        // SAFETY: the handle is NVML's, and the places are alive. Without room for processes it only says how many there are.
        let (measured, capable, counted) = unsafe {
            (
                (self.memory)(device, &mut memory),
                (self.capability)(device, &mut major, &mut minor),
                (self.processes)(device, &mut processes, std::ptr::null_mut()),
            )
        };
        let wrong = [name.as_ref().err().copied().unwrap_or(0), measured];
        let failure = match wrong {
            [0, 0] => None,
            _ if wrong.contains(&GPU_IS_LOST) => Some(LOST.to_owned()),
            [0, _] => None,
            [outcome, _] => Some(self.reason(outcome)),
        };
        Managed {
            failure,
            processes: matches!(counted, 0 | INSUFFICIENT_SIZE).then_some(processes as usize),
            gpu: Gpu {
                name: name.unwrap_or_default(),
                uuid: uuid.unwrap_or_default(),
                capability: (capable == 0).then_some((major, minor)),
                memory: (measured == 0).then_some(memory.total),
                free_memory: (measured == 0).then_some(memory.free),
            },
        }
    }

    fn reason(&self, outcome: Outcome) -> String {
        match outcome {
            GPU_IS_LOST => LOST.to_owned(),
            outcome => self.error(outcome),
        }
    }
}

impl Management {
    /// Opens the library and asks it about every GPU.
    pub fn ask() -> Management {
        // SAFETY: the library may be opened at any time; it is never closed, because it keeps threads.
        let opened = match unsafe { Opened::new(NAME) } {
            Ok(opened) => ManuallyDrop::new(opened),
            Err(error) => return Management::without(Library::refused(&said(&error), NAME)),
        };
        let Some(functions) = Functions::of(&opened) else {
            let reason = format!("{NAME} has not the functions of NVML");
            return Management::without(Library::Unusable(reason));
        };
        let mut management = Management::without(Library::Open);
        // SAFETY: may be called at any time, also several times.
        let begun = unsafe { (functions.init)() };
        if begun != 0 {
            management.failure = Some(functions.error(begun));
            return management;
        }
        let mut count = 0;
        // SAFETY: NVML is initialised; the place is alive.
        let counted = unsafe { (functions.count)(&mut count) };
        if counted != 0 {
            management.failure = Some(functions.error(counted));
            count = 0;
        }
        management.driver = functions
            // SAFETY: NVML is initialised, and the length is that of the memory.
            .text(|place, size| unsafe { (functions.driver)(place, size) })
            .ok();
        management.gpus = (0..count).map(|number| functions.managed(number)).collect();
        management
    }

    fn without(library: Library) -> Management {
        Management {
            library,
            ..Management::default()
        }
    }
}
