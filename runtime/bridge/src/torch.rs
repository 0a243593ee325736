//! Opens `libsimple_torch` with the libtorch it was built against, and remembers why that was not possible.
//!
//! libtorch is opened first and by its path, so that the loader then finds it open when `libsimple_torch` asks for
//! `libtorch_cpu.so`: no LD_LIBRARY_PATH and no run path is needed, and another libtorch can be chosen at each start. What
//! libtorch itself needs (`libc10.so`, `libcudart.so.13` ...) it finds through the run paths built into it. CUDA's part is not opened
//! here but by `libsimple_torch`, when a program chooses a CUDA device.

use std::cell::RefCell;
use std::mem::ManuallyDrop;

use libloading::os::unix::{Library, RTLD_LAZY, RTLD_LOCAL};

use crate::TorchLibrary;
use crate::dl_config::{self, DlConfig, Overrides, Used};
use crate::elf;
use crate::error::OpenError;
use crate::host::HostSide;
use crate::open::{OpenLibrary, load};

thread_local! {
    /// Why the torch library is not available, once that is known.
    static UNAVAILABLE: RefCell<String> = const { RefCell::new(String::new()) };
}

/// How libtorch is opened, which brings the configuration and facts about devices with it.
#[derive(Clone, Copy, Debug)]
pub struct TorchSide {
    /// Why the program runs without libtorch, if that was chosen.
    pub(crate) native: fn() -> Option<String>,
    /// Opens it, and the library over it.
    pub(crate) open: fn(&TorchLibrary, &HostSide) -> Result<OpenLibrary, OpenError>,
    /// Begins with these values of the command line.
    pub(crate) begin: fn(&Overrides),
}

impl Default for TorchSide {
    fn default() -> TorchSide {
        TorchSide {
            native: || {
                let chosen = dl_config::chosen()?;
                (chosen.used == Used::Native).then_some(chosen.why)
            },
            open,
            begin: dl_config::set_overrides,
        }
    }
}

impl TorchSide {
    /// That of a process which never opens it.
    pub fn none() -> TorchSide {
        TorchSide {
            native: || None,
            open: |torch, _| {
                Err(OpenError::NotHere {
                    path: torch.library.display().to_string(),
                })
            },
            begin: |_| {},
        }
    }
}

/// Opens libtorch and then the library over it.
pub(crate) fn open(torch: &TorchLibrary, host: &HostSide) -> Result<OpenLibrary, OpenError> {
    // A configuration that cannot be read is reported when the program asks for it.
    if let Ok(config) = dl_config::current() {
        prepare_environment(&config);
    }
    let libtorch = torch.libtorch_dir.join("libtorch_cpu.so");
    let shown = libtorch.display().to_string();
    elf::check(&libtorch)?;
    // Lazy: libtorch imports some thirty thousand functions, and resolving those that are never called takes ten milliseconds.
    // Local: what else lives in libtorch must not be found by libraries that a program opens later.
    let open_for_good: ManuallyDrop<Library> =
        ManuallyDrop::new(load(libtorch.as_os_str(), &shown, RTLD_LAZY | RTLD_LOCAL)?);
    check_release(&open_for_good, shown, &torch.release)?;
    let library = OpenLibrary::open_file(&torch.library, host)?;
    if library.manifest.is_none() {
        return Err(OpenError::NotSffi {
            path: torch.library.display().to_string(),
        });
    }
    offer_profiler(&library);
    offer_end(&library);
    Ok(library)
}

/// Refuses a libtorch of another release than the torch library was built for: its objects may be laid out otherwise. One that does not say what
/// it is, which only parts of a libtorch do, is left to the loader.
fn check_release(libtorch: &Library, path: String, release: &str) -> Result<(), OpenError> {
    // SAFETY: libtorch's `torch/csrc/inductor/aoti_torch/c/shim.h` declares the function so.
    let version = unsafe { libtorch.get::<extern "C" fn() -> u64>(b"aoti_torch_abi_version\0") };
    let Ok(version) = version else {
        return Ok(());
    };
    // `TORCH_ABI_VERSION` of `torch/headeronly/version.h`: major, minor and patch in a byte each, from the top.
    let [major, minor, patch, ..] = version().to_be_bytes();
    let same = release.starts_with(&format!("{major}.{minor}."));
    if same {
        return Ok(());
    }
    Err(OpenError::OtherRelease {
        path,
        found: format!("{major}.{minor}.{patch}"),
        release: release.to_owned(),
    })
}

/// Has the end of the process wait for GPUs that the program used: what they were given last may fail, and their kernels may still have something to print.
fn offer_end(library: &OpenLibrary) {
    let known = library.manifest.as_ref();
    let address = known.and_then(|known| known.find("rt_torch_finish")?.address);
    if let Some(address) = address {
        let function = std::ptr::with_exposed_provenance::<std::ffi::c_void>(address);
        // SAFETY: the manifest says that this is the library's function of this name, whose row in `ffi/torch/src/state.rs` has this signature. The
        // library stays open.
        let finish = unsafe {
            std::mem::transmute::<*const std::ffi::c_void, extern "C" fn() -> u8>(function)
        };
        simple_core::io::wait_at_end(move || finish() != 0);
    }
}

/// Tells the runtime how to ask for operators, in case the program is profiled.
fn offer_profiler(library: &OpenLibrary) {
    let address = |name: &str| {
        let known = library.manifest.as_ref()?.find(name)?;
        known
            .address
            .map(std::ptr::with_exposed_provenance::<std::ffi::c_void>)
    };
    let (Some(start), Some(take), Some(stop)) = (
        address("rt_torch_profile_start"),
        address("rt_torch_profile_take"),
        address("rt_torch_profile_stop"),
    ) else {
        return;
    };
    // SAFETY: the manifest says that these are the library's functions of these names, whose rows in `ffi/torch/src/profiler.rs` have these
    // signatures. The library stays open.
    let profiler = unsafe {
        simple_core::profile::TorchProfiler {
            start: std::mem::transmute::<*const std::ffi::c_void, unsafe extern "C" fn(u8)>(start),
            take: std::mem::transmute::<
                *const std::ffi::c_void,
                unsafe extern "C" fn(i64) -> simple_ffi_abi::SffiBuffer,
            >(take),
            stop: std::mem::transmute::<*const std::ffi::c_void, unsafe extern "C" fn()>(stop),
        }
    };
    simple_core::profile::set_torch(profiler);
}

/// What the configuration asks of CUDA. NVIDIA's driver reads its variable when it is first asked for anything, which may be long before
/// the first tensor is made, so both are set before anything can ask.
pub(crate) fn prepare_environment(config: &DlConfig) {
    for (asked, variable, value) in [
        (config.debug_cuda, "CUDA_LAUNCH_BLOCKING", "1"),
        (config.debug_cuda, "TORCH_USE_CUDA_DSA", "1"),
        // With room of a fixed size cuBLAS computes the same digits in each run; it looks when it is first used.
        (config.deterministic, "CUBLAS_WORKSPACE_CONFIG", ":4096:8"),
        (config.no_gpu, simple_ffi_abi::device::NO_GPU_VARIABLE, "1"),
    ] {
        if asked && std::env::var_os(variable).is_none() {
            // SAFETY: libraries are opened on the program's own thread; its other threads gather batches, and none does before libtorch is open.
            unsafe { std::env::set_var(variable, value) };
        }
    }
}

/// Remembers why the torch library is not available.
pub(crate) fn set_unavailable(reason: &str) {
    UNAVAILABLE.with(|slot| *slot.borrow_mut() = reason.to_owned());
}

/// Why the torch library is not available; empty as long as that is not known.
pub(crate) fn unavailable_reason() -> String {
    UNAVAILABLE.with(|slot| slot.borrow().clone())
}
