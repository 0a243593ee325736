//! libtorch's own CUDA part, which really opens, over fakes for the driver and for CUDA's runtime: the right words for each way in which a
//! device cannot be used, and never a crash.
//!
//! The real runtime does not take the fake for a whole driver (it checks that the driver is NVIDIA's), so devices that can be used
//! need the fake for the runtime, whose kernels do nothing.

use crate::fakes::{self, Has};
use crate::machine::{Machine, Run};

/// A machine with all of libtorch's CUDA parts, or `None` where these tests are left out.
fn machine(name: &str, has: Has, fake_runtime: bool) -> Option<Machine> {
    let mut machine = Machine::with_torch(name)?;
    let root = machine.own_libtorch();
    if !root.join("nvidia/cudnn").is_dir() {
        println!(
            "left out: this libtorch has no CUDA parts; `bin/simple build --cuda` fetches them"
        );
        return None;
    }
    if fake_runtime {
        let runtime = root.join("nvidia/cu13/lib/libcudart.so.13");
        std::fs::remove_file(&runtime).expect("remove a link");
        fakes::runtime(&runtime);
    }
    machine.set("LD_LIBRARY_PATH", fakes::libraries(has));
    let log = machine.folder.join("log");
    machine.set("FAKE_LOG", log);
    Some(machine)
}

/// What a program says that wants a device and makes a tensor.
fn program(machine: &Machine, settings: &[(&str, &str)], device: &str) -> Run {
    let code = "use lib.torch.{Tensor, cuda_device_count, cuda_unavailable_reason}\n\
                print Tensor.ones([2]).device(), cuda_device_count()\nprint cuda_unavailable_reason()\n";
    let run = machine.run(settings, &["--device", device, "-c", code]);
    assert_eq!(run.status, Some(0), "{}{}", run.stdout, run.stderr);
    run
}

#[test]
fn a_driver_without_a_device_that_can_be_used() {
    let Some(machine) = machine("real_none", Has::Both, false) else {
        return;
    };
    for (name, value, parts) in [
        ("FAKE_INIT", "100", &["No CUDA GPUs are available"][..]),
        (
            "FAKE_VERSION",
            "12080",
            &["too old (found version 12080)", "release 580 or newer"],
        ),
        ("FAKE_INIT", "2", &["out of memory"]),
        ("FAKE_INIT", "999", &["CUDA unknown error"]),
        ("FAKE_DEVICES", "1", &["operation not supported"]),
    ] {
        let run = program(&machine, &[(name, value)], "cuda:0");
        run.has(parts).has(&["cpu 0\n"]);
        for part in parts {
            assert_eq!(
                run.stderr.matches(part).count(),
                1,
                "{part}: {}",
                run.stderr
            );
        }
        for part in ["Did you run", "pytorch.org", "Warning:"] {
            assert!(!run.stderr.contains(part), "{}", run.stderr);
        }
    }
    let log = std::fs::read_to_string(machine.folder.join("log")).expect("a log");
    assert!(log.contains("open libcuda\ncuInit\n"), "{log}");
    let doctor = machine.run(&[("FAKE_INIT", "2")], &["doctor", "--device", "cuda:0"]);
    assert_eq!(doctor.status, Some(1));
    doctor.has(&[
        "broken   driver         NVIDIA 580.65.06, for CUDA 13.0; it cannot be initialised: error 2, CUDA_ERROR_OUT_OF_MEMORY",
        "broken   CUDA           CUDA not available: libtorch finds no CUDA device: Error 2: out of memory",
        "broken   selected       cuda:0 is asked for, and tensors are made on cpu instead",
    ]);
}

#[test]
fn one_device_and_two() {
    let Some(machine) = machine("real_devices", Has::Both, true) else {
        return;
    };
    for (count, words, wanted, why) in [
        (
            "1",
            "1 device",
            "cuda:1",
            "this machine has 1 CUDA device, cuda:0",
        ),
        (
            "2",
            "2 devices",
            "cuda:2",
            "this machine has 2 CUDA devices, cuda:0 to cuda:1",
        ),
    ] {
        let settings = [("FAKE_DEVICES", count)];
        let run = program(&machine, &settings, wanted);
        run.has(&[&format!("cpu {count}\n")]);
        assert!(run.stderr.contains(why), "{}", run.stderr);
        let doctor = machine.run(&settings, &["doctor", "--device", "cuda:0"]);
        doctor.has(&[
            &format!("ok       CUDA           CUDA 13.0, {words}\n"),
            "ok       cuDNN          9.",
            "cuda:0 does not compute: computes 1 + 1 = 0.0",
        ]);
        assert_eq!(doctor.status, Some(1));
        let facts = machine.run(&settings, &["device"]);
        facts.has(&[
            "cuda:0        Fake GPU 0, compute capability 8.6, memory 24.0 GB, 20.0 GB free\n",
            // The functions of NCCL are found in libtorch's own part for CUDA.
            ", NCCL 2.28.9, ",
        ]);
    }
    let log = std::fs::read_to_string(machine.folder.join("log")).expect("a log");
    assert!(log.contains("open libcudart\n"), "{log}");
}

#[test]
fn a_device_that_is_full_busy_or_lost() {
    for has in [Has::Both, Has::OnlyDriver] {
        let Some(machine) = machine("real_full", has, true) else {
            return;
        };
        for (code, said, advice) in [
            ("2", "out of memory", "use a smaller batch or model"),
            ("46", "busy or unavailable", "exclusive mode"),
            ("719", "unspecified launch failure", "debug_cuda"),
        ] {
            let settings = [("FAKE_MALLOC", code), ("FAKE_LOST", "1")];
            let run = program(&machine, &settings, "cuda:0");
            assert!(
                run.stderr.contains("cuda:0 is there but does not compute"),
                "{}",
                run.stderr
            );
            let doctor = machine.run(&settings, &["doctor", "--device", "cuda:0"]);
            doctor.has(&["broken   tensors        cuda:0 does not compute: "]);
            if has == Has::Both {
                doctor.has(&[said, "fallen off the bus"]);
            } else {
                doctor.has(&["warning  NVML           there is no libnvidia-ml.so.1"]);
            }
            doctor.has(&[advice]).lacks(&["SIGABRT", "SIGSEGV"]);
        }
    }
}

#[test]
fn parts_of_cuda_that_are_missing_or_of_another_version() {
    for (library, how, parts) in [
        (
            "torch/lib/libc10_cuda.so",
            "without symbols",
            &["undefined symbol", "two versions are mixed"][..],
        ),
        (
            "torch/lib/libc10_cuda.so",
            "renamed",
            &["cannot open shared object file", "build --cuda"],
        ),
        (
            "torch/lib/libtorch_cuda.so",
            "empty",
            &["file too short", "damaged"],
        ),
        (
            "torch/lib/libtorch_cuda.so",
            "without symbols",
            &[
                "is not the part of this libtorch for GPUs",
                "another library",
            ],
        ),
        (
            "torch/lib/libtorch_cuda.so",
            "renamed",
            &["built without CUDA", "CPU only"],
        ),
    ] {
        let Some(machine) = machine("real_parts", Has::Both, false) else {
            return;
        };
        let place = machine.folder.join("libtorch").join(library);
        std::fs::remove_file(&place).expect("remove a link");
        match how {
            "empty" => std::fs::write(&place, "").expect("write a file"),
            "without symbols" => fakes::of_code(&place, "int unrelated;\n"),
            _ => {}
        }
        let run = machine.run(&[], &["doctor", "--device", "cuda:0"]);
        assert_eq!(run.status, Some(1), "{library} {how}: {}", run.stdout);
        run.has(parts).lacks(&["SIGABRT", "SIGSEGV"]);
    }
}

/// NCCL needs real GPUs, so it ends with an error of its own, which shows that it was called.
#[test]
fn nccl_is_called_by_its_real_names() {
    let Some(machine) = machine("real_nccl", Has::Both, true) else {
        return;
    };
    let code = "use lib.torch.{Tensor}\nuse lib.torch.nccl\n\
                val x = Tensor.ones([4], device: \"cuda:0\")\n\
                print nccl.version(), nccl.is_available([x, Tensor.ones([4], device: \"cuda:1\")])\n\
                print nccl.nccl_replicas([x], [\"cuda:0\", \"cuda:1\"])\n";
    let run = machine.run(&[("FAKE_DEVICES", "2")], &["--device", "cpu", "-c", code]);
    assert_eq!(run.status, Some(1));
    run.has(&["2.28.9 true\n"]);
    // NCCL itself asks the runtime for what the fake does not have.
    let said = "NCCL cannot copy parameters to other GPUs (cuda:0, cuda:1): NCCL Error";
    assert!(run.stderr.contains(said), "{}", run.stderr);
}
