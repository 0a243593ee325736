//! A host for the libraries, folders that hold them, and the C compiler that makes them.

use std::cell::RefCell;
use std::ffi::c_void;
use std::path::{Path, PathBuf};
use std::process::Command;

use simple_bridge::{BindError, Bound, Bridge, BridgeConfig, HostSide};
use simple_ffi_abi::{ABI_VERSION, SffiHost, SffiType};

thread_local! {
    static MESSAGE: RefCell<Option<String>> = const { RefCell::new(None) };
}

unsafe extern "C" fn alloc_text(length: i64) -> *mut u8 {
    Vec::leak(vec![0u8; length as usize]).as_mut_ptr()
}

unsafe extern "C" fn alloc_array(ty: u8, length: i64) -> *mut c_void {
    assert!(SffiType::from_number(ty).is_some_and(|ty| ty.name().starts_with('[')));
    Vec::leak(vec![0u64; length as usize]).as_mut_ptr().cast()
}

unsafe extern "C" fn fail(message: *const u8, length: i64) {
    // SAFETY: the contract of `SffiHost::fail`.
    let bytes = unsafe { std::slice::from_raw_parts(message, length as usize) };
    MESSAGE.with(|slot| *slot.borrow_mut() = Some(String::from_utf8(bytes.to_vec()).unwrap()));
}

pub(crate) static HOST: SffiHost = SffiHost {
    abi_version: ABI_VERSION,
    struct_size: size_of::<SffiHost>() as u32,
    alloc_text,
    alloc_array,
    fail,
    site: simple_ffi_abi::no_site,
    write_site: simple_ffi_abi::no_place,
};

pub(crate) fn take_failure() -> Option<String> {
    MESSAGE.with(|slot| slot.borrow_mut().take())
}

pub(crate) fn host() -> HostSide {
    HostSide {
        kernel: |_| None,
        host: &HOST,
        take_failure,
        lookup: |_| None,
        names: Vec::new,
    }
}

/// A folder for the libraries of one test.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    pub(crate) fn new(test: &str) -> Folder {
        let folder =
            std::env::temp_dir().join(format!("simple-bridge-{test}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        Folder(folder)
    }

    /// Compiles C to `file`; `more` goes after the source on the compiler's command line.
    pub(crate) fn compile(&self, file: &str, source: &str, more: &[&str]) -> PathBuf {
        let (input, output) = (self.0.join(format!("{file}.c")), self.0.join(file));
        std::fs::write(&input, source).unwrap();
        let include = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ffi/abi/include");
        let made = Command::new("cc")
            .args([
                "-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror", "-I",
            ])
            .arg(include)
            .arg("-o")
            .arg(&output)
            .arg(&input)
            .args(more)
            .output()
            .expect("a C compiler named `cc` is on PATH");
        assert!(
            made.status.success(),
            "{}",
            String::from_utf8_lossy(&made.stderr)
        );
        output
    }

    pub(crate) fn bridge(&self) -> Bridge {
        Bridge::new(BridgeConfig {
            search: vec![self.0.clone()],
            host: host(),
            ..config()
        })
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

pub(crate) fn config() -> BridgeConfig {
    BridgeConfig {
        libtorch: simple_bridge::TorchSide::default(),
        torch: None,
        torch_absence: None,
        search: Vec::new(),
        manifests: Vec::new(),
        offered: vec![simple_bridge::FUNCTIONS],
        dl: Default::default(),
        host: host(),
    }
}

pub(crate) fn sample(folder: &Folder) -> Bridge {
    folder.compile("libsample.so", include_str!("../c/sample.c"), &[]);
    folder.bridge()
}

pub(crate) fn bind(
    bridge: &Bridge,
    symbol: &str,
    library: &str,
    params: &[&str],
    ret: &str,
) -> Result<Bound, BindError> {
    let params: Vec<String> = params.iter().map(|ty| (*ty).to_owned()).collect();
    bridge.bind(symbol, Some(library), (&params, ret))
}
