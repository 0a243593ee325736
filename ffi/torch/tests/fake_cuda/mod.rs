//! Builds a fake for CUDA (`device.cpp`, `operators.cpp`, `graph.cpp`, `nccl.cpp`; `driver.cpp` for kernels) and a folder that looks like a libtorch which has it, so that programs use
//! CUDA devices on machines without a GPU. How fast a GPU is, and what only a real one does, it does not show.
//!
//! The folder has links to the parts of the real libtorch, the fake as `libtorch_cuda.so`, and an empty `libcuda.so.1`.

use std::collections::hash_map::DefaultHasher;
use std::fs;
use std::hash::{Hash, Hasher};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

const SOURCES: [(&str, &str); 5] = [
    ("device.h", include_str!("device.h")),
    ("device.cpp", include_str!("device.cpp")),
    ("operators.cpp", include_str!("operators.cpp")),
    ("graph.cpp", include_str!("graph.cpp")),
    ("nccl.cpp", include_str!("nccl.cpp")),
];

/// The part with NCCL, which the fake's `libtorch_cuda.so` needs.
const NCCL: &str = "libfake_nccl.so";

/// The folder to set LIBTORCH_PATH to, built once for the sources and for the libtorch whose `lib` is `real`.
pub fn libtorch(real: &Path, scratch: &Path) -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| {
        let mut hash = DefaultHasher::new();
        (SOURCES, real).hash(&mut hash);
        let home = scratch.join("fake_cuda");
        let root = home.join(format!("{:016x}", hash.finish()));
        // Another test program may be at it.
        fs::create_dir_all(scratch).expect("make a folder");
        let lock = fs::File::create(scratch.join("fake_cuda.lock")).expect("make a file");
        lock.lock().expect("lock a file");
        if !root.join("ready").exists() {
            let _ = fs::remove_dir_all(&home);
            build(real, &root);
            fs::write(root.join("ready"), "").expect("write a file");
        }
        root
    })
}

/// The folder with the libraries, where the loader must look for the driver.
pub fn lib(root: &Path) -> PathBuf {
    root.join("torch/lib")
}

fn build(real: &Path, root: &Path) {
    let (lib, sources) = (lib(root), root.join("sources"));
    for folder in [&lib, &sources] {
        fs::create_dir_all(folder).expect("make a folder");
    }
    let torch = real.parent().expect("lib is in a folder");
    symlink(torch.join("include"), root.join("torch/include")).expect("link the headers");
    // Where the wheels of NVIDIA are, to which the real libtorch's run path leads.
    let _ = torch
        .parent()
        .map(|above| symlink(above.join("nvidia"), root.join("nvidia")));
    for file in fs::read_dir(real)
        .expect("the libraries of libtorch")
        .flatten()
    {
        let name = file.file_name();
        if !name.to_string_lossy().contains("cuda") {
            symlink(file.path(), lib.join(name)).expect("link a library");
        }
    }
    for (name, text) in SOURCES {
        fs::write(sources.join(name), text).expect("write a source");
    }
    let include = torch.join("include");
    let api = include.join("torch/csrc/api/include");
    let part = |result: &str, names: &[&str]| {
        let mut command = compiler(&lib.join(result));
        command.arg("-isystem").arg(&include);
        command.arg("-isystem").arg(&api);
        command.args(names.iter().map(|name| sources.join(name)));
        command.arg("-L").arg(real).args(["-ltorch_cpu", "-lc10"]);
        command
    };
    succeeds(part(NCCL, &["nccl.cpp"]));
    let mut fake = part(
        "libtorch_cuda.so",
        &["device.cpp", "operators.cpp", "graph.cpp"],
    );
    fake.args(["-ldl", "-Wl,--no-as-needed", "-lfake_nccl", "-L"])
        .arg(&lib)
        .arg("-Wl,-rpath,$ORIGIN");
    succeeds(fake);
    nothing(&lib.join("libcuda.so.1"));
}

/// A library without anything in it.
fn nothing(library: &Path) {
    let mut command = compiler(library);
    command.args(["-x", "c++", "/dev/null"]);
    succeeds(command);
}

fn compiler(result: &Path) -> Command {
    let mut command = Command::new(std::env::var_os("CXX").unwrap_or_else(|| "c++".into()));
    let abi = std::env::var("LIBTORCH_CXX11_ABI").unwrap_or_else(|_| "1".to_owned());
    command
        .args(["-std=c++20", "-fPIC", "-shared", "-w", "-o"])
        .arg(result)
        .arg(format!("-D_GLIBCXX_USE_CXX11_ABI={abi}"));
    command
}

fn succeeds(mut command: Command) {
    let output = command.output().expect("the C++ compiler starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}\n{said}");
}

/// Another folder like that of [`libtorch`], in which these libraries are empty files.
pub fn with_empty(root: &Path, scratch: &Path, names: &[&str]) -> PathBuf {
    let other = scratch.join(format!("fake_cuda_{}", names.join("_")));
    let _ = fs::remove_dir_all(&other);
    fs::create_dir_all(lib(&other)).expect("make a folder");
    for part in ["nvidia", "torch/include"] {
        symlink(root.join(part), other.join(part)).expect("link a folder");
    }
    for file in fs::read_dir(lib(root)).expect("a folder").flatten() {
        let name = file.file_name();
        if !names.iter().any(|empty| name == *empty) {
            symlink(file.path(), lib(&other).join(name)).expect("link a library");
        }
    }
    for name in names {
        fs::write(lib(&other).join(name), "").expect("write a file");
    }
    other
}

/// Another folder like that of [`libtorch`], whose part for CUDA has no NCCL.
pub fn without_nccl(root: &Path, scratch: &Path) -> PathBuf {
    let other = with_empty(root, &scratch.join("no_nccl"), &[NCCL]);
    nothing(&lib(&other).join(NCCL));
    other
}

/// Another folder like that of [`libtorch`], whose driver and NVRTC run kernels of `lib.kernel`; FAKE_CUDA_KERNELS must name a folder for them.
pub fn with_driver(root: &Path, scratch: &Path) -> PathBuf {
    const DRIVER: &str = "libcuda.so.1";
    let other = with_empty(root, &scratch.join("driver"), &[DRIVER]);
    let source = other.join("driver.cpp");
    fs::write(&source, include_str!("driver.cpp")).expect("write a source");
    let mut driver = compiler(&lib(&other).join(DRIVER));
    driver.arg(source).arg("-ldl");
    succeeds(driver);
    symlink(DRIVER, lib(&other).join("libnvrtc.so.13")).expect("link a library");
    other
}

/// Another folder like that of [`libtorch`], as a libtorch for AMD GPUs has it: the same parts under the names of ROCm, with its driver
/// beside them.
pub fn as_rocm(root: &Path, scratch: &Path) -> PathBuf {
    let other = with_empty(root, &scratch.join("rocm"), &[]);
    for (cuda, rocm) in [
        ("libtorch_cuda.so", "libtorch_hip.so"),
        ("libcuda.so.1", "libamdhip64.so"),
    ] {
        fs::rename(lib(&other).join(cuda), lib(&other).join(rocm)).expect("rename a link");
    }
    other
}
