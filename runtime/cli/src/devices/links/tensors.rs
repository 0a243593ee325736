//! From the configuration to a tensor on each device.

use crate::devices::Chain;
use crate::devices::doctor::Probe;
use crate::devices::findings::{Findings, State};

pub fn configuration(chain: &Chain, findings: &mut Findings) {
    let link = "configuration";
    let configuration = match &chain.configuration {
        Ok(configuration) => configuration,
        Err(reason) => {
            return findings.bad(
                link,
                State::Broken,
                reason,
                "dl.config.sdn or a variable says what means nothing, so programs stop",
                "correct it, or remove it: without it tensors are on the CPU",
            );
        }
    };
    let device = &configuration.device;
    let origin = configuration.origin.as_deref().unwrap_or("the default");
    let found = format!("device {device} (from {origin})");
    for warning in &configuration.warnings {
        findings.bad(
            link,
            State::Warning,
            warning,
            "the line has no effect",
            "correct it or remove it",
        );
    }
    let works = chain.cuda.as_ref().is_ok_and(|cuda| cuda.devices > 0);
    match device.as_str() {
        "cpu" if works => findings.bad(
            link,
            State::Warning,
            format!("{found}, although a GPU can be used"),
            "programs run on the CPU and training is slow",
            "write `device: \"cuda:0\"` or `device: \"auto\"` in dl.config.sdn, or run with `--device cuda:0`",
        ),
        _ => findings.ok(link, found),
    }
}

/// What computes, and why.
pub fn backend(chain: &Chain, findings: &mut Findings) {
    let computing = &chain.computing;
    findings.ok(
        "backend",
        format!("{} computes: {}", computing.backend, computing.why),
    );
}

/// Whether what is used, a device or several, is what the configuration asks for.
pub fn as_asked(asked: &str, device: &str) -> bool {
    match asked {
        "auto" => true,
        "gpu" => device != "cpu",
        _ => asked == device,
    }
}

pub fn tensors(chain: &Chain, probes: &[Probe], findings: &mut Findings) {
    for (device, outcome) in probes {
        match outcome {
            Ok(ms) => findings.ok(
                "tensors",
                format!("{device} computes; a matrix product of 1024 rows takes {ms:.2} ms"),
            ),
            Err(said) => findings.said(
                "tensors",
                State::Broken,
                &format!("{device} does not compute: {said}"),
            ),
        }
    }
    let time = |wanted: &str| {
        probes
            .iter()
            .find(|(device, _)| device == wanted)
            .and_then(|(_, outcome)| outcome.as_ref().ok())
    };
    for (device, outcome) in probes.iter().filter(|(device, _)| device != "cpu") {
        if let (Ok(ms), Some(cpu)) = (outcome, time("cpu"))
            && ms > cpu
        {
            findings.bad(
                "timing",
                State::Warning,
                format!("{device} is slower than the CPU"),
                "other processes use the GPU, it is throttled, or launches are waited for",
                "`nvidia-smi` shows its load and clock; unset CUDA_LAUNCH_BLOCKING",
            );
        }
    }
    let asked = chain
        .configuration
        .as_ref()
        .map(|found| found.device.as_str());
    match (&chain.selected, asked) {
        (Ok(selected), Ok(asked)) if as_asked(asked, &selected.device) => {
            let shared = match selected.devices().count() {
                0 | 1 => String::new(),
                _ => format!(", and batches are shared by {}", selected.device),
            };
            findings.ok(
                "selected",
                format!("tensors are made on {}{shared}", selected.first()),
            );
        }
        (Ok(selected), Ok(asked)) => {
            let found = format!(
                "{asked} is asked for, and tensors are made on {} instead",
                selected.device.replace(',', ", ")
            );
            let cause = match selected.why.is_empty() {
                true => "the device cannot be used".to_owned(),
                false => selected.why.replace('\n', "; "),
            };
            let cure = format!(
                "repair what is broken above, or ask for a device that is there: `device: \"{}\"` in dl.config.sdn",
                selected.device
            );
            findings.bad("selected", State::Broken, found, cause, cure);
        }
        (Err(said), _) | (_, Err(said)) => {
            findings.bad(
                "selected",
                State::Broken,
                "no program can make tensors",
                said.lines().next().unwrap_or_default(),
                "repair what is broken above",
            );
        }
    }
}
