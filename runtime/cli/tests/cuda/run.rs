//! Runs a program with the fake CUDA.

use crate::fake_cuda;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

/// The folder of the sources, where the library is.
pub fn library_home() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// What a program did.
pub struct Run {
    pub status: Option<i32>,
    pub stdout: String,
    pub stderr: String,
    /// What the fake CUDA was asked to do, a line for each event; see `device.cpp`.
    pub log: Vec<String>,
}

impl Run {
    /// The program ended well and said nothing on standard error; what it printed.
    #[track_caller]
    pub fn printed(&self) -> &str {
        assert_eq!(
            (self.status, self.stderr.as_str()),
            (Some(0), ""),
            "{}",
            self.stdout
        );
        &self.stdout
    }

    /// The events that begin so.
    pub fn events(&self, start: &str) -> Vec<&str> {
        let all = self.log.iter().map(String::as_str);
        all.filter(|line| line.starts_with(start)).collect()
    }

    pub fn count(&self, start: &str) -> usize {
        self.events(start).len()
    }
}

/// Runs code with the fake CUDA, if libtorch is there. `device` is that of new tensors.
pub fn run(device: &str, settings: &[(&str, &str)], code: &str) -> Option<Run> {
    let program = ["--device", device, "-c", code];
    start(settings, &program)
}

/// As [`run`], in a folder with this configuration.
pub fn configured(text: &str, device: &str, code: &str) -> Option<Run> {
    let name = format!("dl_config_{:?}", std::thread::current().id());
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).expect("make a folder");
    std::fs::write(folder.join("dl.config.sdn"), text).expect("write a file");
    let run = start_in(&folder, &[], &["--device", device, "-c", code]);
    std::fs::remove_dir_all(&folder).expect("remove a folder");
    run
}

pub fn start(settings: &[(&str, &str)], arguments: &[&str]) -> Option<Run> {
    start_in(Path::new(env!("CARGO_TARGET_TMPDIR")), settings, arguments)
}

pub fn start_in(folder: &Path, settings: &[(&str, &str)], arguments: &[&str]) -> Option<Run> {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let Some(libtorch) = std::env::var_os("SIMPLE_LIBTORCH_DIR") else {
        println!("left out: there is no torch library; `bin/simple build test` builds one");
        return None;
    };
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let root = fake_cuda::libtorch(Path::new(&libtorch), scratch);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let log: PathBuf = scratch.join(format!("fake_cuda_{number}.log"));
    let _ = std::fs::remove_file(&log);
    let output = Command::new(env!("CARGO_BIN_EXE_simple"))
        .args(arguments)
        .env("SIMPLE_HOME", library_home())
        .env("LIBTORCH_PATH", root)
        .env("LD_LIBRARY_PATH", fake_cuda::lib(root))
        .env("FAKE_CUDA_LOG", &log)
        .env("SIMPLE_CHECK_LEAKS", "1")
        .env_remove("SIMPLE_DL_DEVICE")
        .env_remove("CUDA_LAUNCH_BLOCKING")
        .env_remove("CUDA_VISIBLE_DEVICES")
        .envs(settings.iter().copied())
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .expect("the program under test starts");
    let events = std::fs::read_to_string(&log).unwrap_or_default();
    let _ = std::fs::remove_file(&log);
    Some(Run {
        status: output.status.code(),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        log: events.lines().map(str::to_owned).collect(),
    })
}

/// As [`start`], with a driver and a compiler for kernels.
pub fn start_with_driver(settings: &[(&str, &str)], arguments: &[&str]) -> Option<Run> {
    let real = std::env::var_os("SIMPLE_LIBTORCH_DIR")?;
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("with_driver_{number}"));
    let kernels = scratch.join("kernels");
    std::fs::create_dir_all(&kernels).expect("make a folder");
    let root = fake_cuda::libtorch(Path::new(&real), Path::new(env!("CARGO_TARGET_TMPDIR")));
    let other = fake_cuda::with_driver(root, &scratch);
    let lib = fake_cuda::lib(&other);
    let (path, lib, kernels, cache) = (
        other.to_string_lossy(),
        lib.to_string_lossy(),
        kernels.to_string_lossy(),
        scratch.to_string_lossy(),
    );
    let mut all = vec![
        ("LIBTORCH_PATH", &*path),
        ("LD_LIBRARY_PATH", &*lib),
        ("FAKE_CUDA_KERNELS", &*kernels),
        ("XDG_CACHE_HOME", &*cache),
    ];
    all.extend(settings);
    let run = start(&all, arguments);
    std::fs::remove_dir_all(&scratch).expect("remove a folder");
    run
}
