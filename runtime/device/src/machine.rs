//! The machine: system, processor, memory, container, device nodes. Read from the files of Linux; every one may be missing.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

/// What is known about the machine.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Machine {
    /// `Linux`, `Darwin` or `Windows`.
    pub platform: String,
    /// The release of the kernel.
    pub release: String,
    /// The distribution, such as `Ubuntu 24.04 LTS`.
    pub distribution: Option<String>,
    /// Such as `x86_64`.
    pub architecture: String,
    /// The processor's name; the architecture where it is not known.
    pub processor: String,
    /// How many cores it has.
    pub cores: usize,
    /// How many threads run at a time; what this process may use.
    pub threads: usize,
    /// Bytes of main memory that this process may use.
    pub memory: u64,
    /// Bytes of it that are free.
    pub free_memory: u64,
    /// The kind of container that this process runs in.
    pub container: Option<String>,
    /// Whether this is Linux inside Windows (WSL2).
    pub wsl: bool,
    /// Files in `/dev` through which GPUs are reached.
    pub nodes: Vec<Node>,
    /// How many NVIDIA GPUs the bus has.
    pub nvidia_gpus: usize,
    /// The release of NVIDIA's kernel module, if it is loaded.
    pub kernel_module: Option<String>,
}

/// A file in `/dev`.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Node {
    /// Its path.
    pub path: String,
    /// Whether this user may read and write it.
    pub usable: bool,
}

impl Machine {
    /// This machine.
    pub fn read() -> Machine {
        let mut machine = Machine::below(Path::new("/"));
        if machine.container.is_none() {
            machine.container = std::env::var("container")
                .ok()
                .filter(|kind| !kind.is_empty());
        }
        machine
    }

    /// The machine whose files are below a folder.
    pub fn below(root: &Path) -> Machine {
        let text = |path: &str| fs::read_to_string(root.join(path)).ok();
        let there = |path: &str| root.join(path).exists();
        let release = text("proc/sys/kernel/osrelease").unwrap_or_default();
        let processors = text("proc/cpuinfo").unwrap_or_default();
        let architecture = std::env::consts::ARCH.to_owned();
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let (memory, free_memory) = memory(root);
        Machine {
            platform: match std::env::consts::OS {
                "linux" => "Linux".to_owned(),
                "macos" => "Darwin".to_owned(),
                "windows" => "Windows".to_owned(),
                other => other.to_owned(),
            },
            wsl: release.to_lowercase().contains("microsoft"),
            release: release.trim().to_owned(),
            distribution: text("etc/os-release").and_then(|text| {
                let name = text
                    .lines()
                    .find_map(|line| line.strip_prefix("PRETTY_NAME="))?;
                Some(name.trim_matches('"').to_owned())
            }),
            processor: field(&processors, "model name")
                .unwrap_or(&architecture)
                .to_owned(),
            cores: cores(&processors).unwrap_or(threads),
            threads,
            memory,
            free_memory,
            container: container(&there, &text),
            nodes: nodes(root),
            nvidia_gpus: nvidia_gpus(root),
            kernel_module: text("proc/driver/nvidia/version").and_then(|text| kernel_module(&text)),
            architecture,
        }
    }
}

/// The value after `key:` in a file of `/proc`.
fn field<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    text.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        (name.trim() == key).then(|| value.trim())
    })
}

/// Cores are numbered within each socket.
fn cores(processors: &str) -> Option<usize> {
    let of_each = processors.split("\n\n").filter_map(|one| {
        let core = field(one, "core id")?;
        Some((field(one, "physical id").unwrap_or("0"), core))
    });
    let all: HashSet<_> = of_each.collect();
    (!all.is_empty()).then_some(all.len())
}

/// Bytes of memory and of free memory: the machine's, or less where the process has a limit.
fn memory(root: &Path) -> (u64, u64) {
    let text = fs::read_to_string(root.join("proc/meminfo")).unwrap_or_default();
    let bytes = |key| {
        let words = field(&text, key)?;
        let kib: u64 = words.split_whitespace().next()?.parse().ok()?;
        Some(kib * 1024)
    };
    let (all, free) = (
        bytes("MemTotal").unwrap_or(0),
        bytes("MemAvailable").unwrap_or(0),
    );
    let limited = |file: &str| {
        let text = fs::read_to_string(root.join("sys/fs/cgroup").join(file)).ok()?;
        text.trim().parse::<u64>().ok()
    };
    match (limited("memory.max"), limited("memory.current")) {
        (Some(limit), used) if limit < all => {
            (limit, free.min(limit.saturating_sub(used.unwrap_or(0))))
        }
        _ => (all, free),
    }
}

fn container(
    there: &dyn Fn(&str) -> bool,
    text: &dyn Fn(&str) -> Option<String>,
) -> Option<String> {
    if there(".dockerenv") {
        return Some("Docker".to_owned());
    }
    if there("run/.containerenv") {
        return Some("Podman".to_owned());
    }
    if there("var/run/secrets/kubernetes.io") {
        return Some("Kubernetes".to_owned());
    }
    if there("singularity") || there(".singularity.d") {
        return Some("Apptainer".to_owned());
    }
    let groups = text("proc/1/cgroup")?;
    let kinds = [
        ("docker", "Docker"),
        ("kubepods", "Kubernetes"),
        ("lxc", "LXC"),
    ];
    let kind = kinds.iter().find(|(mark, _)| groups.contains(mark))?;
    Some(kind.1.to_owned())
}

/// The files that CUDA opens: `/dev/nvidiactl`, `/dev/nvidia0` ..., and `/dev/dxg` in WSL2.
fn nodes(root: &Path) -> Vec<Node> {
    let Ok(entries) = fs::read_dir(root.join("dev")) else {
        return Vec::new();
    };
    let mut found: Vec<Node> = entries
        .flatten()
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let number = name.strip_prefix("nvidia");
            let plain = number.is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()));
            let known = ["nvidiactl", "nvidia-uvm", "dxg"].contains(&name.as_str());
            (known || plain && name != "nvidia").then(|| Node {
                usable: fs::OpenOptions::new()
                    .read(true)
                    .write(true)
                    .open(entry.path())
                    .is_ok(),
                path: format!("/dev/{name}"),
            })
        })
        .collect();
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found
}

/// Display and compute devices of NVIDIA on the PCI bus.
fn nvidia_gpus(root: &Path) -> usize {
    let Ok(devices) = fs::read_dir(root.join("sys/bus/pci/devices")) else {
        return 0;
    };
    let of = |device: &fs::DirEntry, file| {
        fs::read_to_string(device.path().join(file)).unwrap_or_default()
    };
    devices
        .flatten()
        .filter(|device| {
            of(device, "vendor").trim() == "0x10de" && of(device, "class").starts_with("0x03")
        })
        .count()
}

/// `NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.65.06  Sun Jul 27 ...`: the first word that is a release.
fn kernel_module(text: &str) -> Option<String> {
    let line = text.lines().find(|line| line.starts_with("NVRM version"))?;
    let is_release = |word: &&str| {
        word.contains('.')
            && word
                .bytes()
                .all(|byte| byte == b'.' || byte.is_ascii_digit())
    };
    line.split_whitespace().find(is_release).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine(files: &[(&str, &str)]) -> Machine {
        let root = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        Machine::below(root.path())
    }

    #[test]
    fn without_any_file_what_is_missing_is_missing() {
        let empty = machine(&[]);
        assert_eq!(empty.processor, std::env::consts::ARCH);
        assert_eq!((empty.memory, empty.nvidia_gpus, empty.wsl), (0, 0, false));
        assert_eq!((empty.container, empty.kernel_module), (None, None));
        assert!(empty.threads > 0 && empty.cores > 0);
    }

    #[test]
    fn files_of_linux_are_understood() {
        let cpu = "processor\t: 0\nmodel name\t: Fast CPU @ 3GHz\nphysical id\t: 0\ncore id\t: 0\n\n\
                   processor\t: 1\nmodel name\t: Fast CPU @ 3GHz\nphysical id\t: 0\ncore id\t: 0\n\n\
                   processor\t: 2\nmodel name\t: Fast CPU @ 3GHz\nphysical id\t: 1\ncore id\t: 0\n";
        let module = "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.65.06  Release Build  (a@b)\nGCC version: 12.2.0\n";
        let found = machine(&[
            ("proc/cpuinfo", cpu),
            (
                "proc/meminfo",
                "MemTotal:  2048 kB\nMemAvailable:  1024 kB\n",
            ),
            (
                "proc/sys/kernel/osrelease",
                "6.6.87-microsoft-standard-WSL2\n",
            ),
            ("proc/driver/nvidia/version", module),
            ("etc/os-release", "NAME=x\nPRETTY_NAME=\"Some Linux 12\"\n"),
            ("dev/nvidia0", ""),
            ("dev/nvidiactl", ""),
            ("dev/nvidia-modeset", ""),
            ("dev/dxg", ""),
            (".dockerenv", ""),
            ("sys/bus/pci/devices/a/vendor", "0x10de\n"),
            ("sys/bus/pci/devices/a/class", "0x030200\n"),
            ("sys/bus/pci/devices/b/vendor", "0x10de\n"),
            ("sys/bus/pci/devices/b/class", "0x040300\n"),
        ]);
        assert_eq!(found.processor, "Fast CPU @ 3GHz");
        assert_eq!(found.cores, 2);
        assert_eq!((found.memory, found.free_memory), (2 << 20, 1 << 20));
        assert!(found.wsl);
        assert_eq!(found.kernel_module.as_deref(), Some("580.65.06"));
        assert_eq!(found.distribution.as_deref(), Some("Some Linux 12"));
        assert_eq!(found.container.as_deref(), Some("Docker"));
        assert_eq!(found.nvidia_gpus, 1);
        let nodes: Vec<&str> = found.nodes.iter().map(|node| node.path.as_str()).collect();
        assert_eq!(nodes, ["/dev/dxg", "/dev/nvidia0", "/dev/nvidiactl"]);
    }

    #[test]
    fn a_limit_of_the_container_is_the_memory() {
        let found = machine(&[
            (
                "proc/meminfo",
                "MemTotal:  4096 kB\nMemAvailable:  4000 kB\n",
            ),
            ("sys/fs/cgroup/memory.max", "1048576\n"),
            ("sys/fs/cgroup/memory.current", "1048000\n"),
        ]);
        assert_eq!((found.memory, found.free_memory), (1 << 20, 576));
    }
}
