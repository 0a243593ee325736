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
use crate::elf;
use crate::error::OpenError;
use crate::host::HostSide;
use crate::open::{OpenLibrary, load};

thread_local! {
    /// Why the torch library is not available, once that is known.
    static UNAVAILABLE: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Opens libtorch and then the library over it.
pub(crate) fn open(torch: &TorchLibrary, host: &HostSide) -> Result<OpenLibrary, OpenError> {
    let libtorch = torch.libtorch_dir.join("libtorch_cpu.so");
    let shown = libtorch.display().to_string();
    elf::check(&libtorch)?;
    // Lazy: libtorch imports some thirty thousand functions, and resolving those that are never called takes ten milliseconds.
    // Local: what else lives in libtorch must not be found by libraries that a program opens later.
    let _open_for_good: ManuallyDrop<Library> =
        ManuallyDrop::new(load(libtorch.as_os_str(), &shown, RTLD_LAZY | RTLD_LOCAL)?);
    let library = OpenLibrary::open_file(&torch.library, host)?;
    if library.manifest.is_none() {
        return Err(OpenError::NotSffi {
            path: torch.library.display().to_string(),
        });
    }
    Ok(library)
}

/// Remembers why the torch library is not available.
pub(crate) fn set_unavailable(reason: &str) {
    UNAVAILABLE.with(|slot| *slot.borrow_mut() = reason.to_owned());
}

/// Why the torch library is not available; empty as long as that is not known.
pub(crate) fn unavailable_reason() -> String {
    UNAVAILABLE.with(|slot| slot.borrow().clone())
}
