//! `simple device` and `simple doctor` where CUDA works, or fails at a tensor.

use crate::fake_cuda;
use crate::run::{Run, start};
use std::path::Path;

/// The command with the fake CUDA and a driver that says which devices there are.
fn command(settings: &[(&str, &str)], arguments: &[&str]) -> Option<Run> {
    let libtorch = std::env::var_os("SIMPLE_LIBTORCH_DIR")?;
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let lib = fake_cuda::lib(fake_cuda::libtorch(Path::new(&libtorch), scratch));
    let path = format!("{}:{}", driver(scratch).display(), lib.display());
    let settings = [settings, &[("LD_LIBRARY_PATH", &path)]].concat();
    start(&settings, arguments)
}

/// The folder of the fake for the driver, whose source is that of the tests without CUDA.
fn driver(scratch: &Path) -> std::path::PathBuf {
    static ONCE: std::sync::Once = std::sync::Once::new();
    let folder = scratch.join("cuda_driver");
    ONCE.call_once(|| {
        std::fs::create_dir_all(&folder).expect("make a folder");
        let fakes = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/devices/fakes");
        for (library, source) in [
            ("libcuda.so.1", "driver.c"),
            ("libnvidia-ml.so.1", "management.c"),
        ] {
            let status = std::process::Command::new("cc")
                .args(["-shared", "-fPIC", "-w", "-o"])
                .args([folder.join(library), fakes.join(source)])
                .status();
            assert!(status.expect("a C compiler").success());
        }
    });
    folder
}

fn doctor(settings: &[(&str, &str)], device: &str) -> Option<Run> {
    command(
        &[&[("FAKE_DEVICES", "2")], settings].concat(),
        &["doctor", "--device", device],
    )
}

#[track_caller]
fn has(run: &Run, status: i32, parts: &[&str]) {
    assert_eq!(run.status, Some(status), "{}{}", run.stdout, run.stderr);
    for part in parts {
        assert!(
            run.stdout.contains(part),
            "{part:?} is missing in:\n{}",
            run.stdout
        );
    }
}

#[test]
fn a_gpu_that_computes() {
    let Some(run) = doctor(&[("FAKE_CUDA_CUDNN", "1")], "cuda:1") else {
        return;
    };
    has(
        &run,
        0,
        &[
            "ok       CUDA           CUDA ",
            ", 2 devices\n",
            "ok       cuDNN          9.10.0\n",
            "ok       configuration  device cuda:1 (from --device)\n",
            "ok       tensors        cuda:0 computes; a matrix product of 1024 rows takes ",
            "ok       tensors        cuda:1 computes; ",
            "ok       selected       tensors are made on cuda:1\n",
        ],
    );
}

#[test]
fn a_program_shows_its_gpus() {
    let code = "use lib.torch.{print_device_info, device_info}\nprint_device_info()\n\
                val info = device_info()\nprint info.cuda_devices, info.device, info.gpus.len()\n";
    let arguments = ["--device", "cuda:1", "-c", code];
    let Some(run) = command(&[("FAKE_DEVICES", "2")], &arguments) else {
        return;
    };
    has(
        &run,
        0,
        &[
            "CUDA (NVIDIA GPU): Available ✓\n  - Fake GPU 0\n    Compute Capability: (8, 6)\n    Total Memory: 24.0 GB\n  - Fake GPU 1\n",
            "2 cuda:1 2\n",
        ],
    );
    assert_eq!(run.stderr, "");
}

#[test]
fn a_tensor_that_cannot_be_made() {
    for (said, parts) in [
        (
            "CUDA out of memory. Tried to allocate 16 bytes",
            &["smaller batch or model", "nvidia-smi"][..],
        ),
        (
            "CUDA error: an illegal instruction was encountered",
            &["WSL2", "debug_cuda: true"],
        ),
        (
            "CUDA error: no kernel image is available for execution on the device",
            &["older or newer than those"],
        ),
    ] {
        let Some(run) = doctor(&[("FAKE_CUDA_EMPTY", said)], "cuda:0") else {
            return;
        };
        has(
            &run,
            1,
            &["broken   tensors        cuda:0 does not compute: "],
        );
        has(&run, 1, &[said]);
        has(&run, 1, parts);
        has(
            &run,
            1,
            &["broken   selected       cuda:0 is asked for, and tensors are made on cpu instead"],
        );
    }
}

#[test]
fn another_gpu_than_asked_for_and_none_asked_for() {
    let Some(run) = doctor(&[], "cuda:5") else {
        return;
    };
    has(
        &run,
        1,
        &[
            "cuda:5 is asked for, and tensors are made on cuda:0 instead",
            "Using GPU 0, not cuda:5",
        ],
    );
    let slow = doctor(&[], "cpu").expect("as before");
    has(
        &slow,
        0,
        &[
            "warning  configuration  device cpu (from --device), although a GPU can be used",
            "programs run on the CPU and training is slow",
        ],
    );
    let hidden = doctor(&[("CUDA_VISIBLE_DEVICES", "0")], "auto").expect("as before");
    has(
        &hidden,
        0,
        &["warning  environment    CUDA_VISIBLE_DEVICES is `0`"],
    );
}
