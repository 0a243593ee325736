//! Builds the fakes.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

const SOURCES: [(&str, &str); 4] = [
    ("fake.h", include_str!("fakes/fake.h")),
    ("driver.c", include_str!("fakes/driver.c")),
    ("management.c", include_str!("fakes/management.c")),
    ("runtime.c", include_str!("fakes/runtime.c")),
];

/// A folder of these tests, made empty.
pub fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("devices")
        .join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("make a folder");
    folder
}

/// Which fakes a machine has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Has {
    Both,
    OnlyDriver,
}

/// The folder with the fakes for driver and management library.
pub fn libraries(has: Has) -> &'static Path {
    static BUILT: OnceLock<[PathBuf; 2]> = OnceLock::new();
    let [both, only] = BUILT.get_or_init(|| {
        let (both, only) = (folder("driver"), folder("driver_alone"));
        let driver = both.join("libcuda.so.1");
        library(&driver, "driver.c", &[]);
        library(&both.join("libnvidia-ml.so.1"), "management.c", &[]);
        std::fs::copy(driver, only.join("libcuda.so.1")).expect("copy a library");
        [both, only]
    });
    match has {
        Has::Both => both,
        Has::OnlyDriver => only,
    }
}

/// The fake for CUDA's runtime.
pub fn runtime(place: &Path) {
    let map = sources().join("runtime.map");
    std::fs::write(&map, "libcudart.so.13 { global: *; };\n").expect("write a file");
    let map = format!("-Wl,--version-script={}", map.display());
    library(place, "runtime.c", &["-Wl,-soname,libcudart.so.13", &map]);
}

/// A library of C code.
pub fn of_code(place: &Path, code: &str) {
    let source = place.with_extension("c");
    std::fs::write(&source, code).expect("write a source");
    build(place, &source, &[]);
}

fn library(place: &Path, source: &str, options: &[&str]) {
    build(place, &sources().join(source), options);
}

fn sources() -> &'static Path {
    static WRITTEN: OnceLock<PathBuf> = OnceLock::new();
    WRITTEN.get_or_init(|| {
        let folder = folder("sources");
        for (name, text) in SOURCES {
            std::fs::write(folder.join(name), text).expect("write a source");
        }
        folder
    })
}

fn build(place: &Path, source: &Path, options: &[&str]) {
    let compiler = std::env::var_os("CC").unwrap_or_else(|| "cc".into());
    let output = Command::new(compiler)
        .args(["-shared", "-fPIC", "-w", "-o"])
        .args([place, source])
        .args(options)
        .output()
        .expect("a C compiler");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
}
