//! `simple doctor`: every link from the machine to a tensor, each with what was found and, where it is broken, cause and cure.
//!
//! [`diagnose`] turns facts into findings and looks at no device itself, so that every broken link is tested without breaking a machine. The
//! links are in `links/`, in the order in which a program needs them.

use super::findings::{Finding, Findings, State, text};
use super::{Chain, links};
use crate::args::DoctorArgs;
use crate::output;
use simple_device::{Gpus, Library};
use std::process::ExitCode;

/// A device and how long a matrix product takes on it in milliseconds, or why it cannot be used.
pub type Probe = (String, Result<f64, String>);

/// Whether there is a sign of an NVIDIA GPU: then a GPU that cannot be used is worth a word even on a configuration for the CPU.
pub(super) fn has_gpu(chain: &Chain) -> bool {
    let machine = &chain.machine;
    let seen = |gpus: &Gpus| {
        gpus.driver.library != Library::Absent || gpus.management.library != Library::Absent
    };
    machine.nvidia_gpus > 0
        || !machine.nodes.is_empty()
        || machine.kernel_module.is_some()
        || chain.gpus.as_ref().map_or(true, seen)
}

pub(super) fn wants_gpu(chain: &Chain) -> bool {
    let device = chain
        .configuration
        .as_ref()
        .map(|found| found.device.as_str());
    device.is_ok_and(|device| device == "gpu" || device.contains("cuda"))
}

/// Judges every link.
pub fn diagnose(chain: &Chain, probes: &[Probe]) -> Vec<Finding> {
    let mut findings = Findings::default();
    let serious = if wants_gpu(chain) {
        State::Broken
    } else {
        State::Warning
    };
    links::gpu::machine(chain, &mut findings);
    let gpu = has_gpu(chain);
    if gpu || wants_gpu(chain) {
        links::gpu::nodes(chain, serious, &mut findings);
        match &chain.gpus {
            Ok(gpus) => {
                links::gpu::driver(chain, gpus, serious, &mut findings);
                links::gpu::management(gpus, &mut findings);
            }
            Err(said) => {
                let cure = "reinstall the driver; `nvidia-smi` must answer";
                findings.bad(
                    "driver",
                    serious,
                    said,
                    "NVIDIA's driver crashes or hangs when it is asked",
                    cure,
                );
            }
        }
    } else {
        findings.ok(
            "driver",
            "no NVIDIA GPU and no driver are here, and the configuration asks for none",
        );
    }
    links::libraries::variables(chain, &mut findings);
    links::libraries::libtorch(chain, &mut findings);
    if gpu || wants_gpu(chain) {
        links::libraries::cuda(chain, serious, &mut findings);
    }
    links::tensors::configuration(chain, &mut findings);
    links::tensors::backend(chain, &mut findings);
    links::tensors::tensors(chain, probes, &mut findings);
    findings.0
}

/// Whether a program can run tensors on the device that the configuration asks for.
pub fn healthy(chain: &Chain, probes: &[Probe]) -> bool {
    let (Ok(selected), Ok(configuration)) = (&chain.selected, &chain.configuration) else {
        return false;
    };
    let computes = |wanted: &str| {
        let mut working = probes.iter().filter(|(_, outcome)| outcome.is_ok());
        working.any(|(device, _)| device == wanted)
    };
    selected.devices().all(computes)
        && links::tensors::as_asked(&configuration.device, &selected.device)
}

/// The devices on which a program could make tensors.
fn candidates(chain: &Chain) -> Vec<String> {
    if !chain.is_torch() {
        return vec!["cpu".to_owned()];
    }
    if chain.libtorch.is_err() {
        return Vec::new();
    }
    let cuda = chain.cuda.as_ref().map_or(0, |cuda| cuda.devices);
    let mut all = vec!["cpu".to_owned()];
    all.extend((0..cuda).map(|number| format!("cuda:{number}")));
    if chain.libtorch.as_ref().is_ok_and(|libtorch| libtorch.mps) {
        all.push("mps".to_owned());
    }
    all
}

/// Looks at the whole chain; the exit code is 0 if a program can run tensors on the selected device.
pub fn run(args: &DoctorArgs) -> ExitCode {
    let chain = Chain::gather(args.device.as_deref());
    let probe = |device: String| {
        let outcome = super::probe(&device);
        (device, outcome)
    };
    let probes: Vec<Probe> = candidates(&chain).into_iter().map(probe).collect();
    output::print(format_args!("{}", text(&diagnose(&chain, &probes))));
    if healthy(&chain, &probes) {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

#[cfg(test)]
#[path = "doctor_tests.rs"]
mod tests;
