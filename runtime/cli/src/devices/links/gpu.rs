//! From the machine to the driver: system, container, device nodes, NVIDIA's driver and its management library.

use crate::devices::device::devices;
use crate::devices::findings::{Findings, State};
use crate::devices::{Chain, advice, cuda_version, gib};
use simple_device::{Gpus, Library, error_name};
use simple_setup::CUDA_VERSION;
use std::fmt::Write as _;

pub fn machine(chain: &Chain, findings: &mut Findings) {
    let machine = &chain.machine;
    let mut found = format!(
        "{} {} {}",
        machine.platform, machine.release, machine.architecture
    );
    if let Some(distribution) = &machine.distribution {
        let _ = write!(found, ", {distribution}");
    }
    let _ = write!(
        found,
        ", {}, {} cores, {}",
        machine.processor,
        machine.cores,
        gib(machine.memory)
    );
    match (machine.platform.as_str(), machine.architecture.as_str()) {
        ("Linux", "x86_64" | "aarch64") => findings.ok("system", found),
        _ => findings.bad(
            "system",
            State::Warning,
            found,
            "libtorch is fetched for Linux on x86_64 and aarch64",
            "set LIBTORCH_PATH to a libtorch for this system",
        ),
    }
    let without_nodes =
        machine.nodes.is_empty() && (machine.nvidia_gpus > 0 || machine.kernel_module.is_some());
    match &machine.container {
        None => findings.ok("container", "none"),
        Some(kind) if without_nodes => findings.bad(
            "container",
            State::Warning,
            format!("{kind}; the machine has an NVIDIA GPU that is not visible in here"),
            "the container was started without GPUs",
            "install NVIDIA's container toolkit and start it with `docker run --gpus all` (Podman: `--device nvidia.com/gpu=all`)",
        ),
        Some(kind) => findings.ok("container", kind),
    }
    if machine.wsl {
        match machine.nodes.iter().any(|node| node.path == "/dev/dxg") {
            true => findings.ok("WSL2", "Linux in Windows, with access to the GPU; the driver is that of Windows"),
            false => findings.bad(
                "WSL2",
                State::Warning,
                "Linux in Windows without /dev/dxg, through which it reaches the GPU",
                "this is WSL1, or Windows or its NVIDIA driver is too old",
                "install NVIDIA's driver in Windows (none in Linux), then run `wsl --update` and `wsl --shutdown` there",
            ),
        }
    }
}

pub fn nodes(chain: &Chain, serious: State, findings: &mut Findings) {
    let machine = &chain.machine;
    if machine.wsl {
        return;
    }
    let paths = |usable: bool| {
        let nodes = machine
            .nodes
            .iter()
            .filter(move |node| node.usable == usable);
        nodes
            .map(|node| node.path.as_str())
            .collect::<Vec<_>>()
            .join(", ")
    };
    let closed = paths(false);
    if !closed.is_empty() {
        findings.bad(
            "device nodes",
            serious,
            format!("{closed} cannot be opened by this user"),
            "the user may not use the GPU",
            "add the user to the group that owns them (`ls -l /dev/nvidia*`), then log in again",
        );
    } else if machine.nodes.is_empty()
        && chain
            .gpus
            .as_ref()
            .is_ok_and(|gpus| !gpus.driver.gpus.is_empty())
    {
        findings.ok(
            "device nodes",
            "there are no /dev/nvidia*, and the driver works without them",
        );
    } else if machine.nodes.is_empty() {
        let (cause, cure) = match (&machine.container, &machine.kernel_module) {
            (Some(_), _) => (
                "the container was started without GPUs",
                "start it with `docker run --gpus all`",
            ),
            (None, Some(_)) => (
                "nobody has made them since the machine started",
                "run `sudo nvidia-modprobe -u -c 0` or `nvidia-smi` once",
            ),
            (None, None) => (
                "NVIDIA's kernel module is not loaded, or there is no NVIDIA GPU",
                advice::DRIVER,
            ),
        };
        findings.bad(
            "device nodes",
            serious,
            "there are no /dev/nvidia*",
            cause,
            cure,
        );
    } else {
        findings.ok("device nodes", paths(true));
    }
}

pub fn driver(chain: &Chain, gpus: &Gpus, serious: State, findings: &mut Findings) {
    let driver = &gpus.driver;
    let link = "driver";
    match &driver.library {
        Library::Absent => {
            let found = "there is no libcuda.so.1, NVIDIA's driver";
            let cure = if chain.machine.wsl {
                "install NVIDIA's driver in Windows (none in Linux), then run `wsl --shutdown` there"
            } else {
                advice::DRIVER
            };
            return findings.bad(
                link,
                serious,
                found,
                "the driver is not installed, or not visible here",
                cure,
            );
        }
        Library::Unusable(reason) => {
            let cause = "a file with the name of NVIDIA's driver is damaged, or is another library";
            let cure = "reinstall the driver; if LD_LIBRARY_PATH leads to that file, unset it";
            return findings.bad(
                link,
                serious,
                format!("libcuda.so.1 cannot be used: {reason}"),
                cause,
                cure,
            );
        }
        Library::Open => {}
    }
    let release = gpus
        .management
        .driver
        .as_deref()
        .map_or(String::new(), |release| format!("NVIDIA {release}, "));
    let number = driver
        .cuda
        .and_then(|number| u32::try_from(number).ok())
        .unwrap_or(0);
    let found = format!("{release}for CUDA {}", cuda_version(number));
    if number < CUDA_VERSION {
        let cause = format!(
            "it is older than CUDA {}, for which libtorch is built (driver version mismatch)",
            cuda_version(CUDA_VERSION)
        );
        return findings.bad(link, serious, found, cause, advice::DRIVER);
    }
    if let Some(module) = chain.machine.kernel_module.as_ref().filter(|module| {
        gpus.management
            .driver
            .as_ref()
            .is_some_and(|release| release != *module)
    }) {
        let found = format!("{found}, with release {module} in the kernel");
        let advice = advice::about("version mismatch");
        return findings.bad(link, serious, found, advice.cause, advice.cure);
    }
    match driver.init {
        Some(0) if driver.gpus.is_empty() => {
            let advice = advice::about("NO_DEVICE");
            findings.bad(
                link,
                serious,
                format!("{found}; it has no GPU for this process"),
                advice.cause,
                advice.cure,
            );
        }
        Some(0) | None => findings.ok(link, format!("{found}, {}", devices(driver.gpus.len()))),
        Some(error) => {
            let name = error_name(error);
            let advice = advice::about(name);
            findings.bad(
                link,
                serious,
                format!("{found}; it cannot be initialised: error {error}, {name}"),
                advice.cause,
                advice.cure,
            );
        }
    }
}

/// Memory in use from which programs often find too little.
const FULL: f64 = 0.9;

pub fn management(gpus: &Gpus, findings: &mut Findings) {
    let management = &gpus.management;
    let link = "NVML";
    let without = "names, memory and the driver's release are not known; programs run without it";
    match (&management.library, &management.failure) {
        (Library::Absent, _) => {
            return findings.bad(link, State::Warning, "there is no libnvidia-ml.so.1", without, "install the driver's package of tools (`nvidia-utils`); containers need NVIDIA_DRIVER_CAPABILITIES=compute,utility");
        }
        (Library::Unusable(reason), _) => {
            return findings.bad(
                link,
                State::Warning,
                format!("libnvidia-ml.so.1 cannot be used: {reason}"),
                without,
                "reinstall the driver; if LD_LIBRARY_PATH leads to that file, unset it",
            );
        }
        (Library::Open, Some(failure)) => return findings.said(link, State::Warning, failure),
        (Library::Open, None) => {
            findings.ok(link, format!("sees {}", devices(management.gpus.len())))
        }
    }
    for (number, managed) in management.gpus.iter().enumerate() {
        let gpu = &managed.gpu;
        let name = format!("GPU {number}, {}", gpu.name);
        match (&managed.failure, gpu.memory, gpu.free_memory) {
            (Some(failure), ..) => {
                findings.said("GPU", State::Warning, &format!("GPU {number}: {failure}"))
            }
            (None, Some(memory), Some(free))
                if (memory - free.min(memory)) as f64 > FULL * memory as f64 =>
            {
                let processes = managed
                    .processes
                    .map_or(String::new(), |count| format!(", by {count} processes"));
                let advice = advice::about("out of memory");
                let found = format!(
                    "{name}: GPU memory usage is above 90 %, {} of {} are free{processes}",
                    gib(free),
                    gib(memory)
                );
                findings.bad(
                    "GPU",
                    State::Warning,
                    found,
                    "other processes hold its memory",
                    advice.cure,
                );
            }
            (None, memory, free) => {
                let size = |bytes: Option<u64>| bytes.map_or_else(|| "unknown".to_owned(), gib);
                findings.ok(
                    "GPU",
                    format!("{name}, {}, {} free", size(memory), size(free)),
                );
            }
        }
    }
}
