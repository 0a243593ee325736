//! `simple device` and `simple doctor`: what this machine computes with, and why a device cannot be used.
//!
//! [`Chain`] gathers everything from the machine to a tensor; what may crash or hang runs in a child process (`child.rs`): the driver is asked
//! by the hidden option `--ask-driver`, libtorch by the small programs beside this file. `device.rs` prints the facts; `doctor.rs`
//! turns them into findings, link by link (`links/`), with `advice.rs` for what libtorch and the driver say when they fail.

mod advice;
mod child;
pub mod device;
pub mod doctor;
mod findings;
mod links;

use crate::backend;
use crate::session;
use child::Ended;
use simple_bridge::dl_config::{self, Overrides, Sources, Used};
use simple_device::{Gpus, Machine};
use simple_setup::{TorchFacts, TorchInstall, torch_facts, torch_status};
use std::collections::HashMap;
use std::path::PathBuf;

const LIBTORCH: &str = include_str!("libtorch.spl");
const CUDA: &str = include_str!("cuda.spl");
const SELECTED: &str = include_str!("selected.spl");
const PROBE: &str = include_str!("probe.spl");

/// The configuration of this folder.
#[derive(Debug)]
pub struct Configuration {
    /// The device, or the list of devices, that it asks for, as one writes it.
    pub device: String,
    /// What says which device is used: a file with its line, a variable, an option; `None` for the default.
    pub origin: Option<String>,
    /// The backend that it asks for.
    pub backend: String,
    /// What says which backend is used; `None` for the default.
    pub backend_origin: Option<String>,
    /// What is odd in its files.
    pub warnings: Vec<String>,
}

/// What computes tensors of programs of this folder that say nothing of it themselves.
#[derive(Debug)]
pub struct Computing {
    /// Its word: `torch`, `native` or the path of a module.
    pub backend: String,
    /// Why.
    pub why: String,
}

/// What libtorch says about itself.
#[derive(Debug, Default)]
pub struct Libtorch {
    /// Its version.
    pub version: String,
    /// The folder of its libraries.
    pub folder: String,
    /// How many threads it uses.
    pub threads: usize,
    /// Why its parallel loops do not run on Simple's threads; empty if they do.
    pub openmp: String,
    /// Whether it is built for AMD GPUs.
    pub rocm: bool,
    /// Whether it has MPS.
    pub mps: bool,
}

/// What libtorch says about CUDA.
#[derive(Debug, Default)]
pub struct Cuda {
    /// How many devices a program can use.
    pub devices: usize,
    /// The version of its runtime, such as `13.0`.
    pub version: Option<String>,
    /// The version of cuDNN.
    pub cudnn: Option<String>,
    /// The version of NCCL.
    pub nccl: Option<String>,
    /// Why there is no device; empty when there is one.
    pub reason: String,
}

/// The device that new tensors are on, or the devices that share the batches of a model.
#[derive(Debug)]
pub struct Selected {
    /// Its name; of several, all with commas between them, that of new tensors first.
    pub device: String,
    /// Why it is not the configured one; empty where it is.
    pub why: String,
}

/// Everything between the machine and a tensor.
#[derive(Debug)]
pub struct Chain {
    /// The machine.
    pub machine: Machine,
    /// The GPUs and their driver; the error is how asking it failed.
    pub gpus: Result<Gpus, String>,
    /// Variables that change what is found, as the process has them.
    pub variables: HashMap<&'static str, String>,
    /// Where the torch library and libtorch are; the error is cause and cure.
    pub install: Result<(TorchInstall, TorchFacts), String>,
    /// What libtorch says when it is opened.
    pub libtorch: Result<Libtorch, String>,
    /// What it says about CUDA.
    pub cuda: Result<Cuda, String>,
    /// The configuration.
    pub configuration: Result<Configuration, String>,
    /// The backend that it leads to.
    pub computing: Computing,
    /// The device that it leads to.
    pub selected: Result<Selected, String>,
}

/// Variables that hide devices, or lead to other libraries than those meant.
const VARIABLES: [&str; 5] = [
    "CUDA_VISIBLE_DEVICES",
    "NVIDIA_VISIBLE_DEVICES",
    "LD_LIBRARY_PATH",
    "LD_PRELOAD",
    "CUDA_LAUNCH_BLOCKING",
];

impl Selected {
    /// The devices, one by one.
    pub fn devices(&self) -> impl Iterator<Item = &str> {
        self.device.split(',')
    }

    /// The device that new tensors are on.
    pub fn first(&self) -> &str {
        self.devices().next().unwrap_or_default()
    }
}

impl Chain {
    /// Whether tensors are libtorch's.
    pub fn is_torch(&self) -> bool {
        self.computing.backend == Used::Torch.to_string()
    }

    /// Looks at everything, each step in the order in which a program needs it.
    pub fn gather(device: Option<&str>) -> Chain {
        let overrides = Overrides {
            device: device.map(str::to_owned),
            ..Overrides::default()
        };
        let configuration =
            dl_config::load(&Sources::of_process(overrides, None)).map(|(config, warnings)| {
                Configuration {
                    device: config.device.to_string(),
                    origin: config.place("device").map(str::to_owned),
                    backend: config.backend.to_string(),
                    backend_origin: config.place("backend").map(str::to_owned),
                    warnings,
                }
            });
        let install = torch_status()
            .map(|install| (torch_facts(&install), install))
            .map(|(facts, install)| (install, facts))
            .map_err(|error| error.to_string());
        let libtorch = match &install {
            Ok(_) => libtorch(),
            Err(reason) => Err(reason.clone()),
        };
        let without = |reason: &String| Err(reason.clone());
        let cuda = libtorch.as_ref().map_or_else(without, |_| cuda());
        let computing = computing(device, install.as_ref().map(|_| ()).map_err(String::clone));
        let is_torch = computing.backend == Used::Torch.to_string();
        let selected = match (&libtorch, &configuration) {
            (_, Err(reason)) => Err(reason.clone()),
            (Err(reason), _) if is_torch => Err(reason.clone()),
            (_, Ok(_)) => selected(device),
        };
        let variable = |name| std::env::var_os(name).map(|value| (name, value));
        let words =
            |(name, value): (_, std::ffi::OsString)| (name, value.to_string_lossy().into_owned());
        Chain {
            machine: Machine::read(),
            gpus: gpus(),
            variables: VARIABLES
                .into_iter()
                .filter_map(variable)
                .map(words)
                .collect(),
            install,
            libtorch,
            cuda,
            configuration,
            computing,
            selected,
        }
    }
}

/// What the hidden option `--ask-driver` prints.
pub fn ask_driver() -> String {
    // It is made of texts and numbers, which can always be written.
    serde_json::to_string(&Gpus::ask()).unwrap_or_default()
}

fn gpus() -> Result<Gpus, String> {
    let ended = child::run(&["device", "--ask-driver"]);
    let text = ended.printed()?;
    serde_json::from_str(text).map_err(|error| error.to_string())
}

/// Runs a small program and reads its lines of `key=value`.
fn facts(code: &str) -> Result<HashMap<String, String>, String> {
    let ended = child::run(&["--device", "cpu", "--backend", "torch", "-c", code]);
    let pair = |line: &str| {
        let (key, value) = line.split_once('=')?;
        Some((key.to_owned(), value.to_owned()))
    };
    Ok(ended.printed()?.lines().filter_map(pair).collect())
}

/// The backend of a program that says nothing of it itself.
fn computing(device: Option<&str>, torch: Result<(), String>) -> Computing {
    let overrides = Overrides {
        device: device.map(str::to_owned),
        ..Overrides::default()
    };
    dl_config::set_overrides(&overrides);
    // What the configuration warns of is said with the configuration.
    dl_config::silence();
    let here = std::path::Path::new("./simple");
    backend::Program::begin(here, &session::home().join("lib"), torch);
    let chosen = dl_config::chosen();
    chosen.map_or_else(
        || Computing {
            backend: Used::Torch.to_string(),
            why: String::new(),
        },
        |chosen| Computing {
            backend: chosen.used.to_string(),
            why: chosen.why,
        },
    )
}

fn libtorch() -> Result<Libtorch, String> {
    let mut facts = facts(LIBTORCH)?;
    let mut take = |key: &str| facts.remove(key).unwrap_or_default();
    Ok(Libtorch {
        version: take("version"),
        folder: PathBuf::from(take("folder"))
            .components()
            .collect::<PathBuf>()
            .display()
            .to_string(),
        threads: take("threads").parse().unwrap_or(0),
        openmp: take("openmp"),
        rocm: take("rocm") == "true",
        mps: take("mps") == "true",
    })
}

fn cuda() -> Result<Cuda, String> {
    let mut facts = facts(CUDA)?;
    let mut take = |key: &str| facts.remove(key).unwrap_or_default();
    let mut number = |key: &str| take(key).parse::<u32>().ok().filter(|number| *number > 0);
    let version = number("version").map(cuda_version);
    let mut library =
        |key: &str| number(key).map(|n| format!("{}.{}.{}", n / 10_000, n % 10_000 / 100, n % 100));
    let (cudnn, nccl) = (library("cudnn"), library("nccl"));
    Ok(Cuda {
        devices: number("devices").unwrap_or(0) as usize,
        version,
        cudnn,
        nccl,
        reason: take("reason"),
    })
}

/// NVIDIA's number of a CUDA version: 13000 is 13.0.
fn cuda_version(number: u32) -> String {
    format!("{}.{}", number / 1000, number % 1000 / 10)
}

fn selected(device: Option<&str>) -> Result<Selected, String> {
    let option = device.map(|device| ["--device", device]);
    let option = option.as_ref().map_or(&[][..], |option| &option[..]);
    let (ended, said) = child::run_with_words(&[option, &["-c", SELECTED]].concat());
    let devices: Vec<&str> = ended.printed()?.lines().map(str::trim).collect();
    let device = devices.join(",");
    // The configuration's own warnings are reported with the configuration.
    let why = said.lines().filter(|line| !line.starts_with("warning: "));
    let why: Vec<&str> = why.map(str::trim).collect();
    Ok(Selected {
        device,
        why: why.join("\n"),
    })
}

/// Computes on a device, and measures a matrix product of 1024 rows in milliseconds.
fn probe(device: &str) -> Result<f64, String> {
    let ended: Ended = child::run(&["--device", "cpu", "-c", PROBE, device]);
    let text = ended.printed()?;
    text.trim()
        .parse()
        .map_err(|_| format!("printed `{}`", text.trim()))
}

/// A size in GiB, as GPUs are sold.
fn gib(bytes: u64) -> String {
    format!("{:.1} GB", bytes as f64 / f64::from(1 << 30))
}
