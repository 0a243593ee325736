//! From the environment to CUDA's part of libtorch.

use crate::devices::device::devices;
use crate::devices::doctor::{has_gpu, wants_gpu};
use crate::devices::findings::{Findings, State};
use crate::devices::{Chain, Libtorch, advice};
use std::path::Path;

pub fn variables(chain: &Chain, findings: &mut Findings) {
    let value = |name| chain.variables.get(name).map(String::as_str);
    let link = "environment";
    let before = findings.0.len();
    let mut warn = |found: String, cause: &str, cure: &str| {
        findings.bad(link, State::Warning, found, cause, cure)
    };
    let gpu = has_gpu(chain) || wants_gpu(chain);
    if let Some(visible) = value("CUDA_VISIBLE_DEVICES").filter(|_| gpu) {
        warn(
            format!("CUDA_VISIBLE_DEVICES is `{visible}`"),
            "it hides all other GPUs, and the first one that it names is cuda:0",
            "unset it to use all of them",
        );
    }
    if let Some(visible) =
        value("NVIDIA_VISIBLE_DEVICES").filter(|value| gpu && ["", "void", "none"].contains(value))
    {
        warn(
            format!("NVIDIA_VISIBLE_DEVICES is `{visible}`"),
            "it keeps GPUs out of this container",
            "start the container with NVIDIA_VISIBLE_DEVICES=all",
        );
    }
    if let Some(path) = value("LD_LIBRARY_PATH") {
        let folders = std::env::split_paths(path);
        let torn = |name: &str| {
            [
                "libtorch",
                "libcudart.so",
                "libcudnn",
                "libcublas",
                "libc10",
                "libnvrtc",
                "libnvJitLink",
            ]
            .iter()
            .any(|start| name.starts_with(start))
        };
        let other = folders
            .filter(|folder| {
                chain
                    .libtorch
                    .as_ref()
                    .map_or(true, |open| folder.to_string_lossy() != open.folder)
            })
            .find(|folder| {
                let names = std::fs::read_dir(folder).into_iter().flatten().flatten();
                names
                    .into_iter()
                    .any(|entry| torn(&entry.file_name().to_string_lossy()))
            });
        if let Some(folder) = other {
            warn(
                format!("LD_LIBRARY_PATH leads to {}", folder.display()),
                "libraries of CUDA or libtorch there may be taken instead of those that belong together",
                "unset it: Simple finds libtorch without it",
            );
        }
    }
    if let Some(preloaded) = value("LD_PRELOAD") {
        let missing = preloaded
            .split([':', ' '])
            .find(|path| path.contains('/') && !Path::new(path).exists());
        if let Some(path) = missing {
            warn(
                format!(
                    "LD_PRELOAD names {path}, which does not exist (`cannot open shared object file`)"
                ),
                "every program is told to open it first",
                "unset LD_PRELOAD: Simple opens CUDA's part of libtorch by itself",
            );
        } else if preloaded.contains("torch") {
            warn(
                format!("LD_PRELOAD is `{preloaded}`"),
                "programs that use no tensors open libtorch too",
                "unset LD_PRELOAD: Simple opens CUDA's part of libtorch by itself",
            );
        }
    }
    if value("CUDA_LAUNCH_BLOCKING").is_some_and(|value| value != "0") && gpu {
        warn(
            "CUDA_LAUNCH_BLOCKING is set".to_owned(),
            "every operation on the GPU is waited for, which makes training slow",
            "unset it, unless you look for an error",
        );
    }
    if findings.0.len() == before {
        findings.ok(link, "nothing hides devices or leads to other libraries");
    }
}

/// The parts of a message of the set-up, which ends with its cure.
fn cause_and_cure(message: &str) -> (String, String) {
    match message.split_once("\n  cure: ") {
        Some((cause, cure)) => (cause.to_owned(), cure.replace("\n  ", " ")),
        None => (message.to_owned(), "run `bin/simple build`".to_owned()),
    }
}

pub fn libtorch(chain: &Chain, findings: &mut Findings) {
    let (install, facts) = match &chain.install {
        Ok(found) => found,
        Err(message) => {
            let (cause, cure) = cause_and_cure(message);
            let asked = chain.configuration.as_ref();
            if asked.is_ok_and(|asked| asked.backend == "native") {
                return findings.ok("libtorch", "not there, and `backend: native` needs none");
            }
            // On native tensors programs run all the same.
            let state = match chain.is_torch() {
                true => State::Broken,
                false => State::Warning,
            };
            let found = "PyTorch not available: there is no libtorch to open";
            return findings.bad("libtorch", state, found, cause, cure);
        }
    };
    let place = install.libtorch_dir.display();
    let same = |open: &Libtorch| {
        let real = |folder: &Path| folder.canonicalize().unwrap_or_default();
        real(Path::new(&open.folder)) == real(&install.libtorch_dir)
    };
    match &chain.libtorch {
        Ok(open) if !same(open) => findings.bad(
            "libtorch",
            State::Warning,
            format!("the one in {} is open instead of that in {place}", open.folder),
            format!("the libtorch_cpu.so in {place} is not from a libtorch release"),
            "run `bin/simple build`, which checks libtorch; with LIBTORCH_PATH, unset it or name a whole libtorch",
        ),
        Ok(open) => findings.ok(
            "libtorch",
            format!("{} in {place} (from {}), opens", open.version, facts.origin),
        ),
        Err(said) => {
            let cause = if said.contains(&install.library.display().to_string()) {
                "the torch library is damaged, or is another library"
            } else {
                "libtorch is damaged, not whole, or of another version"
            };
            let cure = "run `bin/simple build`, which checks libtorch and builds the torch library again; with LIBTORCH_PATH, unset it or name a whole libtorch";
            findings.bad(
                "libtorch",
                State::Broken,
                format!(
                    "PyTorch not available: libtorch in {place} (from {}) does not open: {said}",
                    facts.origin
                ),
                cause,
                cure,
            );
        }
    }
    let library = install.library.display();
    match facts.changed {
        false => findings.ok("torch library", format!("{library}, as it was built")),
        true => findings.bad(
            "torch library",
            State::Warning,
            format!("{library} is not the file that was built"),
            "it was changed or replaced since `bin/simple build`",
            "run `bin/simple build`, which builds it again",
        ),
    }
    if let Ok(open) = &chain.libtorch {
        threads(open, findings);
    }
}

/// Whose threads run libtorch's parallel loops.
fn threads(open: &Libtorch, findings: &mut Findings) {
    let link = "threads";
    let count = open.threads;
    match open.openmp.as_str() {
        "" => findings.ok(link, format!("{count}, of Simple's OpenMP runtime")),
        "SIMPLE_OPENMP=0" => findings.ok(
            link,
            format!("{count}, of libtorch's own OpenMP runtime (from SIMPLE_OPENMP=0)"),
        ),
        why => findings.bad(
            link,
            State::Warning,
            format!("{count}, of libtorch's own OpenMP runtime: {why}"),
            "steps may take several times as long while other programs use the cores",
            "OMP_WAIT_POLICY=passive helps a little; please report it with the release of libtorch",
        ),
    }
}

pub fn cuda(chain: &Chain, serious: State, findings: &mut Findings) {
    let link = "CUDA";
    match &chain.cuda {
        // Reported as libtorch.
        Err(_) if chain.libtorch.is_err() => {}
        Err(said) => findings.said(
            link,
            serious,
            &format!("opening CUDA's part of libtorch fails: {said}"),
        ),
        Ok(cuda) if cuda.devices == 0 => findings.said(
            link,
            serious,
            &format!("CUDA not available: {}", cuda.reason),
        ),
        Ok(cuda) => {
            let version = cuda.version.as_deref().unwrap_or("of unknown version");
            findings.ok(link, format!("CUDA {version}, {}", devices(cuda.devices)));
            match &cuda.cudnn {
                Some(version) => findings.ok("cuDNN", version),
                None => findings.bad(
                    "cuDNN",
                    State::Warning,
                    "not there",
                    "convolutions and recurrent layers are slower without it",
                    advice::FETCH,
                ),
            }
        }
    }
}
