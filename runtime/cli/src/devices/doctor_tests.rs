//! Every link of the chain, broken in facts. `tests/devices` breaks them on the machine.

use super::*;
use crate::devices::links::tensors::as_asked;
use crate::devices::{Computing, Configuration, Cuda, Libtorch, Selected};
use simple_device::{Driver, Gpu, Machine, Managed, Management, Node};
use simple_setup::{TorchFacts, TorchInstall};
use std::collections::HashMap;

const GIB: u64 = 1 << 30;

/// A machine with a GPU on which everything works.
fn whole() -> Chain {
    let gpu = Gpu {
        name: "GPU X".to_owned(),
        uuid: "GPU-0".to_owned(),
        capability: Some((8, 6)),
        memory: Some(24 * GIB),
        free_memory: Some(20 * GIB),
    };
    let managed = Managed {
        gpu: gpu.clone(),
        failure: None,
        processes: Some(2),
    };
    let node = |path: &str| Node {
        path: path.to_owned(),
        usable: true,
    };
    Chain {
        machine: Machine {
            platform: "Linux".to_owned(),
            architecture: "x86_64".to_owned(),
            nodes: vec![node("/dev/nvidia0"), node("/dev/nvidiactl")],
            nvidia_gpus: 1,
            kernel_module: Some("580.65.06".to_owned()),
            ..Machine::default()
        },
        gpus: Ok(Gpus {
            driver: Driver {
                library: Library::Open,
                cuda: Some(13_000),
                init: Some(0),
                gpus: vec![gpu],
            },
            management: Management {
                library: Library::Open,
                failure: None,
                driver: Some("580.65.06".to_owned()),
                gpus: vec![managed],
            },
        }),
        variables: HashMap::new(),
        install: Ok((
            TorchInstall {
                library: "/x/libsimple_torch.so".into(),
                libtorch_dir: "/lt/lib".into(),
                version: "2.11.0".into(),
            },
            TorchFacts {
                origin: "the cache",
                changed: false,
            },
        )),
        libtorch: Ok(Libtorch {
            version: "2.11.0".to_owned(),
            folder: "/lt/lib".to_owned(),
            threads: 4,
            ..Libtorch::default()
        }),
        cuda: Ok(Cuda {
            devices: 1,
            version: Some("13.0".to_owned()),
            cudnn: Some("9.19.0".to_owned()),
            nccl: Some("2.28.9".to_owned()),
            reason: String::new(),
        }),
        configuration: Ok(Configuration {
            device: "cuda:0".to_owned(),
            origin: Some("dl.config.sdn:2".to_owned()),
            backend: "auto".to_owned(),
            backend_origin: None,
            warnings: Vec::new(),
        }),
        computing: Computing {
            backend: "torch".to_owned(),
            why: "`auto`, the default, uses libtorch because it is installed".to_owned(),
        },
        selected: Ok(Selected {
            device: "cuda:0".to_owned(),
            why: String::new(),
        }),
    }
}

fn working() -> Vec<Probe> {
    vec![("cpu".to_owned(), Ok(20.0)), ("cuda:0".to_owned(), Ok(1.0))]
}

fn on_the_cpu(mut chain: Chain) -> Chain {
    if let Ok(configuration) = &mut chain.configuration {
        configuration.device = "cpu".to_owned();
    }
    if let Ok(selected) = &mut chain.selected {
        selected.device = "cpu".to_owned();
    }
    chain
}

/// What is not well after a change of a whole chain.
fn after(change: impl FnOnce(&mut Chain)) -> String {
    let mut chain = whole();
    change(&mut chain);
    complaints(&diagnose(&chain, &working()))
}

fn complaints(findings: &[Finding]) -> String {
    let bad = findings.iter().filter(|finding| finding.state != State::Ok);
    bad.map(|finding| {
        let (cause, cure) = finding
            .advice
            .as_ref()
            .expect("advice for what is not well");
        format!(
            "{:?} {}: {}\n{cause}\n{cure}\n",
            finding.state, finding.link, finding.found
        )
    })
    .collect()
}

#[track_caller]
fn has(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "{part:?} is missing in:\n{text}");
    }
}

fn gpus(chain: &mut Chain) -> &mut Gpus {
    chain.gpus.as_mut().expect("the driver answers")
}

#[test]
fn a_whole_chain_has_nothing_to_complain_about() {
    assert_eq!(after(|_| {}), "");
    assert!(healthy(&whole(), &working()));
    let text = text(&diagnose(&whole(), &working()));
    has(
        &text,
        &[
            "ok       driver         NVIDIA 580.65.06, for CUDA 13.0, 1 device\n",
            "GPU 0, GPU X, 24.0 GB, 20.0 GB free",
            "ok       CUDA           CUDA 13.0, 1 device\n",
            "ok       cuDNN          9.19.0\n",
            "device cuda:0 (from dl.config.sdn:2)",
            "tensors are made on cuda:0",
        ],
    );
}

#[test]
fn a_machine_without_a_gpu_is_whole_on_the_cpu() {
    let mut chain = on_the_cpu(whole());
    chain.machine.nodes.clear();
    chain.machine.nvidia_gpus = 0;
    chain.machine.kernel_module = None;
    chain.gpus = Ok(Gpus::default());
    chain.cuda = Ok(Cuda {
        reason: "this machine has no NVIDIA driver".to_owned(),
        ..Cuda::default()
    });
    let probes = &working()[..1];
    assert_eq!(complaints(&diagnose(&chain, probes)), "");
    assert!(healthy(&chain, probes));
}

#[test]
fn the_driver() {
    has(
        &after(|chain| gpus(chain).driver = Driver::default()),
        &[
            "Broken driver: there is no libcuda.so.1",
            "release 580 or newer",
        ],
    );
    has(
        &after(|chain| gpus(chain).driver.cuda = Some(12_080)),
        &[
            "for CUDA 12.8",
            "older than CUDA 13.0",
            "driver version mismatch",
            "release 580",
        ],
    );
    for (error, cause) in [
        (2, "memory is full"),
        (100, "has no GPU for this process"),
        (803, "still loaded in the kernel"),
        (999, "rmmod nvidia_uvm"),
        (12_345, "debug_cuda"),
    ] {
        let said = after(|chain| gpus(chain).driver.init = Some(error));
        has(&said, &[&format!("error {error}, "), cause]);
    }
    has(
        &after(|chain| gpus(chain).driver.gpus.clear()),
        &["it has no GPU for this process", "CUDA_VISIBLE_DEVICES"],
    );
    has(
        &after(|chain| {
            gpus(chain).driver.library = Library::Unusable("no function `cuInit`".to_owned())
        }),
        &[
            "libcuda.so.1 cannot be used: no function `cuInit`",
            "reinstall the driver",
        ],
    );
    has(
        &after(|chain| chain.machine.kernel_module = Some("570.1".to_owned())),
        &["with release 570.1 in the kernel", "restart the machine"],
    );
    has(
        &after(|chain| {
            chain.gpus =
                Err("the process that tried it was ended by signal 11 (SIGSEGV)".to_owned())
        }),
        &["Broken driver: ", "SIGSEGV", "crashes or hangs"],
    );
}

#[test]
fn what_nothing_asks_for_is_a_warning() {
    let mut chain = on_the_cpu(whole());
    gpus(&mut chain).driver.cuda = Some(12_080);
    let said = complaints(&diagnose(&chain, &working()));
    has(&said, &["Warning driver"]);
    assert!(!said.contains("Broken"), "{said}");
}

#[test]
fn containers_and_windows() {
    has(
        &after(|chain| {
            chain.machine.container = Some("Docker".to_owned());
            chain.machine.nodes.clear();
            gpus(chain).driver = Driver::default();
        }),
        &[
            "Warning container: Docker",
            "docker run --gpus all",
            "Broken device nodes: there are no /dev/nvidia*",
        ],
    );
    has(
        &after(|chain| {
            chain.machine.wsl = true;
            gpus(chain).driver = Driver::default();
        }),
        &[
            "Warning WSL2: ",
            "/dev/dxg",
            "install NVIDIA's driver in Windows",
            "wsl --shutdown",
        ],
    );
    has(
        &after(|chain| chain.machine.nodes[0].usable = false),
        &["/dev/nvidia0 cannot be opened by this user", "group"],
    );
    has(
        &after(|chain| {
            chain.machine.nodes.clear();
            gpus(chain).driver.gpus.clear();
        }),
        &["there are no /dev/nvidia*", "nvidia-modprobe"],
    );
    has(
        &after(|chain| chain.machine.platform = "Darwin".to_owned()),
        &["Warning system: Darwin", "LIBTORCH_PATH"],
    );
}

#[test]
fn the_management_library() {
    has(
        &after(|chain| gpus(chain).management = Management::default()),
        &[
            "Warning NVML: there is no libnvidia-ml.so.1",
            "programs run without it",
        ],
    );
    has(
        &after(|chain| {
            gpus(chain).management.failure = Some("Driver/library version mismatch".to_owned())
        }),
        &["version mismatch", "restart the machine"],
    );
    has(
        &after(|chain| {
            gpus(chain).management.gpus[0].failure =
                Some("the target GPU has fallen off the bus/is inaccessible".to_owned())
        }),
        &["Warning GPU: GPU 0: ", "stopped answering", "restart"],
    );
    has(
        &after(|chain| gpus(chain).management.gpus[0].gpu.free_memory = Some(GIB)),
        &[
            "GPU memory usage is above 90 %, 1.0 GB of 24.0 GB are free, by 2 processes",
            "nvidia-smi",
        ],
    );
}

#[test]
fn variables_that_hide_devices_or_lead_elsewhere() {
    for (name, value, parts) in [
        (
            "CUDA_VISIBLE_DEVICES",
            "1",
            &["`1`", "hides all other GPUs", "unset it"][..],
        ),
        (
            "NVIDIA_VISIBLE_DEVICES",
            "void",
            &["keeps GPUs out of this container"],
        ),
        (
            "LD_PRELOAD",
            "/nowhere/libtorch_cuda.so",
            &["cannot open shared object file", "unset LD_PRELOAD"],
        ),
        ("LD_PRELOAD", "libtorch.so", &["unset LD_PRELOAD"]),
        ("CUDA_LAUNCH_BLOCKING", "1", &["makes training slow"]),
    ] {
        let said = after(|chain| drop(chain.variables.insert(name, value.to_owned())));
        has(&said, parts);
        has(&said, &["Warning environment: ", name]);
    }
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("libcudart.so.12"), "").expect("write a file");
    let path = folder.path().display().to_string();
    let said = after(|chain| {
        drop(
            chain
                .variables
                .insert("LD_LIBRARY_PATH", format!("/none:{path}")),
        )
    });
    has(
        &said,
        &[&format!("LD_LIBRARY_PATH leads to {path}"), "unset it"],
    );
    let harmless = after(|chain| {
        drop(
            chain
                .variables
                .insert("LD_LIBRARY_PATH", "/usr/lib".to_owned()),
        )
    });
    assert_eq!(harmless, "");
}

#[test]
fn native_tensors_need_no_libtorch() {
    let without = |configured: &str, backend: &str| {
        let mut chain = on_the_cpu(whole());
        chain.install = Err("libtorch is not built\n  cure: run `bin/simple build`".to_owned());
        chain.libtorch = Err("libtorch is not built".to_owned());
        chain.cuda = Err("libtorch is not built".to_owned());
        chain.computing = Computing {
            backend: backend.to_owned(),
            why: "dl.config.sdn:3:14 says so".to_owned(),
        };
        if let Ok(configuration) = &mut chain.configuration {
            configuration.backend = configured.to_owned();
        }
        chain
    };
    let probes = [("cpu".to_owned(), Ok(20.0))];
    let said = without("native", "native");
    assert_eq!(candidates(&said), ["cpu"]);
    assert!(healthy(&said, &probes));
    assert_eq!(complaints(&diagnose(&said, &probes)), "");
    has(
        &text(&diagnose(&said, &probes)),
        &[
            "ok       libtorch       not there, and `backend: native` needs none",
            "ok       backend        native computes: dl.config.sdn:3:14 says so",
        ],
    );
    let found_none = without("auto", "native");
    has(
        &complaints(&diagnose(&found_none, &probes)),
        &[
            "Warning libtorch: PyTorch not available",
            "\nrun `bin/simple build`",
        ],
    );
    assert!(healthy(&found_none, &probes));
    let asked = without("torch", "torch");
    assert_eq!(candidates(&asked), Vec::<String>::new());
    has(
        &complaints(&diagnose(&asked, &[])),
        &["Broken libtorch: PyTorch not available"],
    );
}

#[test]
fn libtorch_and_the_torch_library() {
    has(
        &after(|chain| {
            chain.install =
                Err("libtorch is gone from /lt\n  cure: run `bin/simple build`".to_owned())
        }),
        &[
            "Broken libtorch: PyTorch not available",
            "libtorch is gone from /lt",
            "\nrun `bin/simple build`",
        ],
    );
    for (said, cause) in [
        (
            "/lt/lib/libtorch_cpu.so: undefined symbol: x",
            "libtorch is damaged",
        ),
        (
            "/x/libsimple_torch.so is not an SFFI library",
            "the torch library is damaged",
        ),
    ] {
        let text = after(|chain| {
            chain.libtorch = Err(said.to_owned());
            chain.cuda = Err(said.to_owned());
            chain.selected = Err(said.to_owned());
        });
        has(
            &text,
            &[
                "Broken libtorch: ",
                said,
                cause,
                "Broken selected: no program can make tensors",
            ],
        );
    }
    has(
        &after(|chain| chain.libtorch.as_mut().expect("libtorch opens").folder = "/usr".to_owned()),
        &["Warning libtorch: the one in /usr is open instead of that in /lt/lib"],
    );
    has(
        &after(|chain| chain.install.as_mut().expect("an install").1.changed = true),
        &["Warning torch library: ", "is not the file that was built"],
    );
}

#[test]
fn what_libtorch_says_about_cuda() {
    for (reason, parts) in [
        (
            "this machine has no NVIDIA driver (the loader finds no libcuda.so.1)",
            &["not installed"][..],
        ),
        (
            "libtorch was built without CUDA (there is no /lt/lib/libtorch_cuda.so)",
            &["CPU only", "build --cuda"],
        ),
        (
            "the CUDA part of libtorch cannot be opened: libcudnn.so.9: cannot open shared object file",
            &["is missing", "build --cuda"],
        ),
        (
            "the CUDA part of libtorch cannot be opened: libtorch_cuda.so: undefined symbol: x",
            &["two versions are mixed", "LD_LIBRARY_PATH"],
        ),
        (
            "the CUDA part of libtorch cannot be opened: libtorch_cuda.so: file too short",
            &["damaged"],
        ),
        (
            "/lt/libtorch_cuda.so is not the part of this libtorch for GPUs",
            &["another library"],
        ),
        (
            "The NVIDIA driver on your system is too old (found version 12080)",
            &["older than CUDA 13", "release 580"],
        ),
        ("No CUDA GPUs are available", &["CUDA_VISIBLE_DEVICES"]),
        ("this libtorch is built for AMD GPUs (ROCm)", &["AMD"]),
        ("Error 2: out of memory", &["memory is full"]),
        (
            "Error 103: integrity checks failed",
            &["not a whole NVIDIA driver"],
        ),
    ] {
        let said = after(|chain| {
            chain.cuda = Ok(Cuda {
                reason: reason.to_owned(),
                ..Cuda::default()
            });
        });
        has(&said, &["Broken CUDA: CUDA not available: ", reason]);
        has(&said, parts);
    }
    has(
        &after(|chain| chain.cuda.as_mut().expect("CUDA answers").cudnn = None),
        &["Warning cuDNN: not there"],
    );
}

#[test]
fn the_configuration() {
    let broken = after(|chain| {
        chain.configuration = Err("dl.config.sdn:2:11: unknown device `gpuu`".to_owned());
        chain.selected = Err("dl.config.sdn:2:11: unknown device `gpuu`".to_owned());
    });
    has(
        &broken,
        &[
            "Broken configuration: dl.config.sdn:2:11: unknown device `gpuu`",
            "Broken selected",
        ],
    );
    let warned = after(|chain| {
        let configuration = chain.configuration.as_mut().expect("a configuration");
        configuration
            .warnings
            .push("dl.config.sdn:3:1: unknown key `x` is ignored".to_owned());
    });
    has(&warned, &["Warning configuration: dl.config.sdn:3:1"]);
    let slow = complaints(&diagnose(&on_the_cpu(whole()), &working()));
    has(
        &slow,
        &[
            "although a GPU can be used",
            "training is slow",
            "device: \"auto\"",
        ],
    );
    assert!(healthy(&on_the_cpu(whole()), &working()));
}

#[test]
fn tensors_on_each_device() {
    for (said, parts) in [
        (
            "CUDA out of memory. Tried to allocate 20 bytes",
            &["smaller batch", "accumulate gradients", "nvidia-smi"][..],
        ),
        (
            "CUDA error: an illegal instruction was encountered",
            &["WSL2", "debug_cuda"],
        ),
        (
            "CUDA error: device-side assert triggered",
            &["out of range"],
        ),
        (
            "CUDA error: no kernel image is available",
            &["older or newer"],
        ),
        (
            "CUDA error: CUDA-capable device(s) is/are busy or unavailable",
            &["exclusive mode"],
        ),
        ("CUDA error: GPU is lost", &["stopped answering"]),
        ("computes 1 + 1 = 3", &["wrong numbers"]),
        (
            "the process that tried it was ended by signal 11 (SIGSEGV)",
            &["crashed"],
        ),
        (
            "the process that tried it was ended by a limit of 120 seconds",
            &["hangs"],
        ),
        ("something new", &["nvidia-smi"]),
    ] {
        let probes = [("cuda:0".to_owned(), Err(said.to_owned()))];
        let text = complaints(&diagnose(&whole(), &probes));
        has(&text, &["Broken tensors: cuda:0 does not compute: ", said]);
        has(&text, parts);
        assert!(!healthy(&whole(), &probes));
    }
    let slow = [("cpu".to_owned(), Ok(1.0)), ("cuda:0".to_owned(), Ok(5.0))];
    has(
        &complaints(&diagnose(&whole(), &slow)),
        &["Warning timing: cuda:0 is slower than the CPU"],
    );
    assert!(healthy(&whole(), &slow));
}

#[test]
fn all_of_several_devices_must_compute() {
    let mut chain = whole();
    for device in [
        &mut chain.configuration.as_mut().unwrap().device,
        &mut chain.selected.as_mut().unwrap().device,
    ] {
        *device = "cuda:0,cuda:1".to_owned();
    }
    let mut probes = working();
    assert!(!healthy(&chain, &probes));
    probes.push(("cuda:1".to_owned(), Ok(1.0)));
    assert!(healthy(&chain, &probes));
    let findings = diagnose(&chain, &probes);
    let found = "tensors are made on cuda:0, and batches are shared by cuda:0,cuda:1";
    assert!(findings.iter().any(|finding| finding.found == found));
}

#[test]
fn another_device_than_asked_for_is_not_healthy() {
    let mut chain = whole();
    chain.selected = Ok(Selected {
        device: "cpu".to_owned(),
        why: "CUDA not available - cannot use cuda:0\nno driver".to_owned(),
    });
    let said = complaints(&diagnose(&chain, &working()));
    has(
        &said,
        &[
            "cuda:0 is asked for, and tensors are made on cpu instead",
            "no driver",
            "device: \"cpu\"",
        ],
    );
    assert!(!healthy(&chain, &working()));
    for (asked, device, fits) in [
        ("auto", "cpu", true),
        ("gpu", "cpu", false),
        ("gpu", "cuda:1", true),
        ("cuda:1", "cuda:0", false),
        ("mps", "mps", true),
        ("cuda:0,cuda:1", "cuda:0,cuda:1", true),
        ("cuda:0,cuda:1", "cuda:0", false),
    ] {
        assert_eq!(as_asked(asked, device), fits, "{asked} {device}");
    }
}
