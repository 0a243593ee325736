//! When CUDA is opened and which device is chosen, and what is said when there is none.

use crate::fake_cuda;
use crate::run::{configured, run, start, start_in};
use std::path::Path;

#[test]
fn a_program_on_the_cpu_does_not_open_cuda() {
    let code = "use lib.torch.{Tensor}\nuse lib.nn.{Conv2d}\n\
                print Conv2d(1, 1, 3)(Tensor.ones([1, 1, 8, 8])).shape()\n";
    let Some(run) = run("cpu", &[], code) else {
        return;
    };
    assert_eq!(run.printed(), "[1, 1, 6, 6]\n");
    assert_eq!(run.log, Vec::<String>::new());
}

#[test]
fn cuda_can_be_opened_after_anything_on_the_cpu() {
    let code = "use lib.torch.{Tensor, cuda_device_count, grad}\nuse lib.nn.{Conv2d, BatchNorm2d}\n\
                val images = Tensor.ones([2, 1, 8, 8]).requires_grad_()\n\
                val net = Conv2d(1, 1, 3)\n\
                print grad([BatchNorm2d(1)(net(images)).sum()], [images])[0].shape()\n\
                print cuda_device_count()\n\
                print (Tensor.ones([3], device: \"cuda:1\") + 1.0).sum()\n";
    let Some(run) = run("cpu", &[], code) else {
        return;
    };
    assert_eq!(
        run.printed(),
        "[2, 1, 8, 8]\n2\ntensor(6., device='cuda:1')\n"
    );
}

#[test]
fn opening_cuda_leaves_the_symbols_of_libtorch_hidden() {
    let code = "use lib.torch.{Tensor}\nprint Tensor.ones([3]).sum().item()\n";
    let Some(run) = run("cuda:0", &[], code) else {
        return;
    };
    assert_eq!(run.printed(), "3.0\n");
    assert_eq!(run.events("init")[0], "init visible=0");
}

#[test]
fn why_there_is_no_device_is_said_once_and_with_its_cause() {
    let code = "use lib.torch.{Tensor, cuda_unavailable_reason}\nprint Tensor.ones([1]).device()\nprint cuda_unavailable_reason()\n";
    let too_old = "The NVIDIA driver on your system is too old (found version 12080). Please update your GPU driver. \
                   Alternatively, go to: https://pytorch.org to install a PyTorch version for your driver.";
    let Some(old) = run("cuda:1", &[("FAKE_CUDA_INIT", too_old)], code) else {
        return;
    };
    let reason = "libtorch finds no CUDA device: The NVIDIA driver on your system is too old (found version 12080)\n\
                  update the NVIDIA driver: this libtorch is built for CUDA 13 and needs release 580 or newer (`nvidia-smi` shows the release)";
    assert_eq!(old.stdout, format!("cpu\n{reason}\n"));
    for line in reason.lines() {
        assert_eq!(old.stderr.matches(line).count(), 1, "{}", old.stderr);
    }
    for part in ["Warning", "pytorch.org"] {
        assert!(!old.stderr.contains(part), "{}", old.stderr);
    }
    let settings = [
        ("FAKE_CUDA_INIT", "No CUDA GPUs are available"),
        ("CUDA_VISIBLE_DEVICES", "5"),
    ];
    let hidden = run("cuda", &settings, code).unwrap();
    let part =
        "No CUDA GPUs are available (CUDA_VISIBLE_DEVICES is `5`, which hides all other devices)";
    assert!(hidden.stderr.contains(part), "{}", hidden.stderr);
    let settings = [("FAKE_CUDA_DEVICES", "1"), ("CUDA_VISIBLE_DEVICES", "0")];
    let one = run("cuda:1", &settings, code).unwrap();
    let part = "this machine has 1 CUDA device, cuda:0 (CUDA_VISIBLE_DEVICES is `0`, which hides all others)";
    assert!(one.stderr.contains(part), "{}", one.stderr);
    assert_eq!(one.stdout, "cuda:0\n\n");
}

#[test]
fn a_device_that_does_not_compute_is_not_chosen() {
    let code = "use lib.torch.{Tensor}\nval x = Tensor.ones([2])\nprint x.device(), Tensor.ones([1], device: \"auto\").device()\n";
    let too_old = (
        "FAKE_CUDA_EMPTY",
        "CUDA error: no kernel image is available for execution on the device\n\
         CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.",
    );
    let first = [too_old, ("FAKE_CUDA_EMPTY_ON", "0")];
    for (device, settings, expected) in [
        ("auto", &[too_old][..], "cpu cpu\n"),
        ("gpu", &[too_old][..], "cpu cpu\n"),
        ("cuda:1", &[too_old][..], "cpu cpu\n"),
        ("cuda:0", &first[..], "cuda:1 cuda:1\n"),
        ("cuda:1", &first[..], "cuda:1 cuda:1\n"),
        ("auto", &first[..], "cuda:1 cuda:1\n"),
    ] {
        let Some(run) = run(device, settings, code) else {
            return;
        };
        assert_eq!(run.stdout, expected, "{device}: {}", run.stderr);
        let said = run
            .stderr
            .contains("cuda:0 is there but does not compute: CUDA error: no kernel image")
            || run.stderr.contains("cuda:1 is there but does not compute");
        let silent = expected.starts_with("cuda:1") && device != "cuda:0";
        assert_eq!(said, !silent, "{device}: {}", run.stderr);
        assert!(!run.stderr.contains("stacktrace"), "{}", run.stderr);
    }
}

#[test]
fn debug_cuda_is_known_before_the_driver_is_asked_and_tells_of_it() {
    let code = "use lib.torch.{Tensor, cuda_available}\nprint cuda_available()\nprint Tensor.ones([1]).device()\n";
    let told = "[CUDA Info] CUDA available: True\n[CUDA Info] CUDA device count: 2\n[CUDA Info] Current device: 1\n";
    let passed = "[CUDA Info] CUDA initialization test passed\n";
    let asking = code.replacen(
        "print cuda",
        "use std.dl.config.{debug_cuda}\ndebug_cuda()\nprint cuda",
        1,
    );
    let runs = [
        run("cuda:1", &[], &asking),
        configured("debug_cuda: true\n", "cuda:1", code),
        start(&[], &["--debug-cuda", "--device=cuda:1", "-c", code]),
        run("cuda:1", &[("DEBUG_CUDA", "1")], code),
    ];
    for run in runs {
        let Some(run) = run else {
            return;
        };
        assert_eq!(run.events("driver"), ["driver CUDA_LAUNCH_BLOCKING=1"]);
        assert_eq!(run.stdout, "true\ncuda:1\n");
        assert!(
            run.stderr.starts_with(told) && run.stderr.ends_with(passed),
            "{}",
            run.stderr
        );
    }
    let run = configured("debug_cuda: false\n", "cuda:0", code).expect("as above");
    assert_eq!(run.printed(), "true\ncuda:0\n");
    assert_eq!(run.events("driver"), ["driver CUDA_LAUNCH_BLOCKING="]);
}

#[test]
fn debug_cuda_says_why_there_is_no_cuda_or_no_tensor_can_be_made() {
    let code = "use lib.torch.{Tensor}\nprint Tensor.ones([1]).device()\n";
    let Some(none) = start(
        &[("FAKE_CUDA_INIT", "no driver for these tests")],
        &["--debug-cuda", "--device=cpu", "-c", code],
    ) else {
        return;
    };
    assert_eq!(none.stdout, "cpu\n");
    assert!(
        none.stderr
            .starts_with("[CUDA Info] CUDA available: False\n[CUDA Info] ")
            && none.stderr.contains("no driver for these tests"),
        "{}",
        none.stderr
    );
    let broken = start(
        &[("FAKE_CUDA_EMPTY", "this GPU is busy")],
        &["--debug-cuda", "--device=cpu", "-c", code],
    );
    let said = broken.expect("as above").stderr;
    assert!(
        said.contains("[CUDA Warning] CUDA initialization test failed: ")
            && said.contains("this GPU is busy")
            && said.ends_with("[CUDA Warning] Continuing anyway, but errors may occur\n"),
        "{said}"
    );
    let wrong = run("cpu", &[("DEBUG_CUDA", "maybe")], code).expect("as above");
    assert!(
        wrong
            .stderr
            .contains("DEBUG_CUDA: `maybe` for debug_cuda is neither true nor false"),
        "{}",
        wrong.stderr
    );
}

#[test]
fn specs_run_on_the_cpu_unless_a_device_is_asked_for() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("specs_on_cuda");
    std::fs::create_dir_all(&folder).expect("make a folder");
    let spec = "use lib.torch.{Tensor}\n\
                describe \"a tensor\":\n    it \"is somewhere\":\n        print Tensor.ones([1]).device()\n";
    for (name, text) in [
        ("dl.config.sdn", "device: cuda:1\n"),
        ("place_spec.spl", spec),
    ] {
        std::fs::write(folder.join(name), text).expect("write a file");
    }
    for (settings, arguments, device) in [
        (&[][..], &["test"][..], "cpu"),
        (&[], &["test", "--device", "cuda:0"], "cuda:0"),
        (&[("SIMPLE_DL_DEVICE", "cuda:1")], &["test"], "cuda:1"),
    ] {
        let Some(run) = start_in(&folder, settings, arguments) else {
            return;
        };
        let said = format!("{}{}", run.stdout, run.stderr);
        assert!(said.contains(&format!("{device}\n")), "{said}");
        assert!(said.contains("1 passed, 0 failed"), "{said}");
        assert_eq!(run.log.is_empty(), device == "cpu", "{:?}", run.log);
    }
    std::fs::remove_dir_all(&folder).expect("remove a folder");
}

/// What is said about CUDA where some libraries of libtorch are empty files.
fn unavailable_with_empty(name: &str) -> Option<String> {
    let real = std::env::var_os("SIMPLE_LIBTORCH_DIR")?;
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let root = fake_cuda::libtorch(Path::new(&real), scratch);
    let broken = fake_cuda::with_empty(root, scratch, &[name]);
    let code = "use lib.torch.{cuda_unavailable_reason}\nprint cuda_unavailable_reason()\n";
    let broken_path = broken.to_string_lossy();
    let run = run("cpu", &[("LIBTORCH_PATH", &broken_path)], code)?;
    std::fs::remove_dir_all(&broken).expect("remove a folder");
    Some(run.printed().to_owned())
}

#[test]
fn a_libtorch_for_amd_gpus_or_with_a_broken_cuda_part_is_named() {
    let Some(rocm) = unavailable_with_empty("libtorch_hip.so") else {
        return;
    };
    assert!(
        rocm.starts_with("this libtorch is built for AMD GPUs (ROCm)"),
        "{rocm}"
    );
    let broken = unavailable_with_empty("libtorch_cuda.so").unwrap();
    for part in [
        "the CUDA part of libtorch cannot be opened: ",
        "LD_LIBRARY_PATH is set",
    ] {
        assert!(broken.contains(part), "{broken}");
    }
}
