//! `simple device`: the facts, for people or as JSON. It judges nothing; `doctor.rs` does.

use super::{Chain, Selected, cuda_version, gib};
use crate::args::{DeviceArgs, Format};
use crate::output;
use serde::Serialize;
use simple_device::{Gpu, Library};
use std::fmt::Write as _;
use std::process::ExitCode;

/// What `--format=json` prints; the fields of `device_info()` have the same names where both have them.
#[derive(Serialize)]
struct Report {
    platform: String,
    release: String,
    distribution: Option<String>,
    architecture: String,
    processor: String,
    cores: usize,
    processors: usize,
    /// The threads that libtorch uses.
    threads: Option<usize>,
    memory: u64,
    free_memory: u64,
    container: Option<String>,
    wsl: bool,
    torch_version: Option<String>,
    torch_folder: Option<String>,
    torch_origin: Option<&'static str>,
    torch_unavailable: Option<String>,
    rocm: bool,
    cuda: bool,
    cuda_unavailable: Option<String>,
    cuda_devices: usize,
    cuda_version: Option<String>,
    cudnn_version: Option<String>,
    nccl_version: Option<String>,
    driver: Option<String>,
    driver_cuda: Option<String>,
    driver_unavailable: Option<String>,
    gpus: Vec<Gpu>,
    mps: bool,
    configured: Option<String>,
    configured_by: Option<String>,
    /// The configured backend and what says so; then what computes, and why.
    backend_configured: Option<String>,
    backend_configured_by: Option<String>,
    backend: String,
    backend_reason: String,
    configuration_failure: Option<String>,
    /// The device that new tensors are on.
    device: Option<String>,
    /// The devices that share the batches of a model; `device` is the first.
    devices: Vec<String>,
    device_reason: Option<String>,
}

impl Report {
    fn of(chain: Chain) -> Report {
        let machine = chain.machine;
        let (torch_unavailable, libtorch) = split(chain.libtorch);
        let (cuda_failure, cuda) = split(chain.cuda);
        let (driver_failure, gpus) = split(chain.gpus);
        let (configuration_failure, configuration) = split(chain.configuration);
        let (device_failure, selected) = split(chain.selected);
        let cuda = cuda.unwrap_or_default();
        let gpus = gpus.unwrap_or_default();
        let driver_unavailable = match &gpus.driver.library {
            Library::Open => None,
            Library::Absent => Some("there is no libcuda.so.1".to_owned()),
            Library::Unusable(reason) => Some(reason.clone()),
        };
        let version = gpus.driver.cuda.and_then(|version| version.try_into().ok());
        Report {
            platform: machine.platform,
            release: machine.release,
            distribution: machine.distribution,
            architecture: machine.architecture,
            processor: machine.processor,
            cores: machine.cores,
            processors: machine.threads,
            threads: libtorch.as_ref().map(|libtorch| libtorch.threads),
            memory: machine.memory,
            free_memory: machine.free_memory,
            container: machine.container,
            wsl: machine.wsl,
            torch_version: libtorch.as_ref().map(|libtorch| libtorch.version.clone()),
            torch_folder: libtorch.as_ref().map(|libtorch| libtorch.folder.clone()),
            torch_origin: chain.install.ok().map(|(_, facts)| facts.origin),
            rocm: libtorch.as_ref().is_some_and(|libtorch| libtorch.rocm),
            mps: libtorch.is_some_and(|libtorch| libtorch.mps),
            cuda: cuda.devices > 0,
            cuda_unavailable: match (&torch_unavailable, cuda_failure) {
                (Some(_), _) => torch_unavailable.clone(),
                (None, Some(failure)) => Some(failure),
                (None, None) => Some(cuda.reason).filter(|reason| !reason.is_empty()),
            },
            torch_unavailable,
            cuda_devices: cuda.devices,
            cuda_version: cuda.version,
            cudnn_version: cuda.cudnn,
            nccl_version: cuda.nccl,
            driver: gpus.management.driver.clone(),
            driver_cuda: version.map(cuda_version),
            driver_unavailable: driver_failure.or(driver_unavailable),
            gpus: gpus.all(),
            backend_configured: configuration.as_ref().map(|found| found.backend.clone()),
            backend_configured_by: configuration.as_ref().map(|found| {
                let origin = found.backend_origin.clone();
                origin.unwrap_or_else(|| "the default".to_owned())
            }),
            backend: chain.computing.backend,
            backend_reason: chain.computing.why,
            configured: configuration.as_ref().map(|found| found.device.clone()),
            configured_by: configuration
                .map(|found| found.origin.unwrap_or_else(|| "the default".to_owned())),
            configuration_failure,
            device_reason: match &selected {
                Some(selected) => Some(selected.why.clone()).filter(|why| !why.is_empty()),
                None => device_failure,
            },
            device: selected
                .as_ref()
                .map(|selected| selected.first().to_owned()),
            devices: selected
                .iter()
                .flat_map(Selected::devices)
                .map(str::to_owned)
                .collect(),
        }
    }

    fn text(&self) -> String {
        let mut out = String::new();
        let mut line = |name: &str, value: String| {
            let _ = writeln!(out, "{name:<14}{}", value.replace('\n', "\n              "));
        };
        let unknown = || "unknown".to_owned();
        let mut platform = format!("{} {} {}", self.platform, self.release, self.architecture);
        for more in [&self.distribution, &self.container].into_iter().flatten() {
            let _ = write!(platform, ", {more}");
        }
        if self.wsl {
            platform.push_str(", WSL2");
        }
        line("platform", platform);
        line("processor", self.processor.clone());
        let libtorch = self
            .threads
            .map_or_else(unknown, |threads| threads.to_string());
        line(
            "threads",
            format!(
                "{} cores, {} at a time, libtorch uses {libtorch}",
                self.cores, self.processors
            ),
        );
        line(
            "memory",
            format!("{}, {} free", gib(self.memory), gib(self.free_memory)),
        );
        match (&self.torch_version, &self.torch_folder) {
            (Some(version), Some(folder)) => {
                let origin = self.torch_origin.unwrap_or("an unknown place");
                let kind = if self.rocm {
                    ", built for AMD GPUs (ROCm)"
                } else {
                    ""
                };
                line(
                    "libtorch",
                    format!("{version} in {folder} (from {origin}){kind}"),
                );
            }
            _ => line(
                "libtorch",
                format!("not available: {}", reason(&self.torch_unavailable)),
            ),
        }
        line(
            "driver",
            match &self.driver_unavailable {
                Some(why) => format!("not available: {why}"),
                None => format!(
                    "NVIDIA {}, for CUDA {}",
                    self.driver.clone().unwrap_or_else(unknown),
                    self.driver_cuda.clone().unwrap_or_else(unknown)
                ),
            },
        );
        line(
            "CUDA",
            match self.cuda {
                true => {
                    let absent = || "not there".to_owned();
                    format!(
                        "{}, cuDNN {}, NCCL {}, {}",
                        self.cuda_version.clone().unwrap_or_else(unknown),
                        self.cudnn_version.clone().unwrap_or_else(absent),
                        self.nccl_version.clone().unwrap_or_else(absent),
                        devices(self.cuda_devices)
                    )
                }
                false => format!("not available: {}", reason(&self.cuda_unavailable)),
            },
        );
        for (number, gpu) in self.gpus.iter().enumerate() {
            let name = if self.cuda {
                format!("cuda:{number}")
            } else {
                format!("GPU {number}")
            };
            let size = |bytes: Option<u64>| bytes.map_or_else(unknown, gib);
            let capability = gpu.capability;
            let capability =
                capability.map_or_else(unknown, |(major, minor)| format!("{major}.{minor}"));
            line(
                &name,
                format!(
                    "{}, compute capability {capability}, memory {}, {} free",
                    if gpu.name.is_empty() {
                        "a GPU that does not answer"
                    } else {
                        &gpu.name
                    },
                    size(gpu.memory),
                    size(gpu.free_memory)
                ),
            );
        }
        line(
            "MPS",
            if self.mps {
                "available"
            } else {
                "not available"
            }
            .to_owned(),
        );
        line(
            "backend",
            format!("{}: {}", self.backend, self.backend_reason),
        );
        line(
            "configured",
            match (&self.configured, &self.configured_by) {
                (Some(device), Some(by)) => format!("{device} (from {by})"),
                _ => format!(
                    "the configuration cannot be read: {}",
                    reason(&self.configuration_failure)
                ),
            },
        );
        line(
            "device",
            match (&self.device, &self.device_reason) {
                (Some(_), None) => self.devices.join(", "),
                (Some(_), Some(why)) => format!("{}\n{why}", self.devices.join(", ")),
                (None, why) => format!("none: {}", reason(why)),
            },
        );
        out
    }
}

fn split<T>(outcome: Result<T, String>) -> (Option<String>, Option<T>) {
    match outcome {
        Ok(found) => (None, Some(found)),
        Err(failure) => (Some(failure), None),
    }
}

fn reason(why: &Option<String>) -> &str {
    why.as_deref().unwrap_or("for an unknown reason")
}

pub(super) fn devices(count: usize) -> String {
    match count {
        1 => "1 device".to_owned(),
        _ => format!("{count} devices"),
    }
}

/// Prints what this machine computes with.
pub fn run(args: &DeviceArgs) -> ExitCode {
    if args.ask_driver {
        output::say!("{}", super::ask_driver());
        return ExitCode::SUCCESS;
    }
    let report = Report::of(Chain::gather(args.device.as_deref()));
    match args.format {
        Format::Human => output::print(format_args!("{}", report.text())),
        // It is made of texts and numbers, which can always be written.
        Format::Json => output::say!("{}", serde_json::to_string(&report).unwrap_or_default()),
    }
    ExitCode::SUCCESS
}
