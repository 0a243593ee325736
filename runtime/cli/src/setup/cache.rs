//! The cache of downloads: fetches a libtorch when the machine has none, and the CUDA wheels when they are asked for.
//!
//! ```text
//! <cache>/lock                       held while anything below is written
//! <cache>/.fetching-<pid>/           a fetch that goes on, or one that was interrupted: removed by the next
//! <cache>/libtorch-2.11.0/torch/     lib/ and include/ of the wheel
//!                         nvidia/    cu13/lib/ ..., where the run paths inside torch/lib look
//!                         METADATA   the wheel's, for --cuda
//!                         cuda.complete
//! ```
//! `libtorch-<version>` comes into being by one rename, so it is whole wherever it exists. The CUDA files are moved in
//! one by one and count as there only when `cuda.complete` is.

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use super::cuda;
use super::download::Pip;
use super::env::Env;
use super::find::{Libtorch, inspect};
use super::progress::{Step, say};
use super::unpack::Wheel;
use super::{SetupError, TORCH_VERSION};

/// The wheels of a libtorch for the CPU. The CUDA runtime is among them because `libtorch_cpu.so` is linked to it.
const CPU_WHEELS: [&str; 3] = [
    "torch==2.11.0",
    "nvidia-cuda-runtime==13.0.*",
    "nvidia-cuda-cupti==13.0.*",
];
/// Their size, known for the usual machine.
const CPU_DOWNLOAD: u64 = 543_600_000;
/// pip keeps up to two copies of the wheels, then they are unpacked.
const CPU_SPACE_MB: u64 = 2_300;
/// The CUDA wheels are fetched and unpacked one at a time.
const CUDA_SPACE_MB: u64 = 8_000;

const LEFTOVER_PREFIX: &str = ".fetching-";

/// Simple's folder of downloads.
#[derive(Debug, Clone)]
pub struct Cache {
    dir: PathBuf,
}

impl Cache {
    /// The cache in a folder, which need not exist yet.
    pub fn at(dir: &Path) -> Self {
        Self {
            dir: dir.to_owned(),
        }
    }

    fn home(&self) -> PathBuf {
        self.dir.join(format!("libtorch-{TORCH_VERSION}"))
    }

    /// Where the cached libtorch is, if it is.
    pub fn torch_root(&self) -> PathBuf {
        self.home().join("torch")
    }

    /// The cached libtorch.
    pub fn installed(&self) -> Option<Libtorch> {
        inspect(&self.torch_root())
            .ok()
            .filter(|libtorch| libtorch.version == TORCH_VERSION)
    }

    /// Fetches libtorch for the CPU into the cache, unless another process just did.
    pub fn fetch(&self, env: &Env) -> Result<Libtorch, SetupError> {
        check_system()?;
        let _lock = self.lock()?;
        if let Some(libtorch) = self.installed() {
            return Ok(libtorch);
        }
        let pip = Pip::find(env)?;
        self.check_space(env, CPU_SPACE_MB)?;
        let work = Work::begin(&self.dir)?;
        let wheels = work.path.join("wheels");
        let mut step = Step::begin(
            &format!(
                "fetching libtorch {TORCH_VERSION} (540 MB, once; kept in {})",
                self.dir.display()
            ),
            (std::env::consts::ARCH == "x86_64").then_some(CPU_DOWNLOAD),
        );
        pip.download(&CPU_WHEELS.map(str::to_owned), &wheels, &mut step)?;
        step.end();

        let tree = work.path.join("tree");
        let metadata = unpack_all("checking and unpacking libtorch", &wheels, &tree)?;
        let Some((_, metadata)) = metadata
            .into_iter()
            .find(|(name, _)| name.starts_with("torch-"))
        else {
            return Err(SetupError::Damaged {
                wheel: wheels,
                what: "pip fetched no torch wheel".to_owned(),
            });
        };
        write(&tree.join("METADATA"), &metadata)?;
        let unpacked = inspect(&tree.join("torch"))
            .map_err(|missing| format!("it holds no {}", missing.display()))
            .and_then(|libtorch| match libtorch.version == TORCH_VERSION {
                true => Ok(()),
                false => Err(format!("it is libtorch {}", libtorch.version)),
            });
        if let Err(what) = unpacked {
            return Err(SetupError::Damaged {
                wheel: wheels,
                what,
            });
        }
        let home = self.home();
        // What stands there is no libtorch (else it would have been used), and a rename needs the place free.
        remove(&home)?;
        fs::rename(&tree, &home)
            .map_err(|error| SetupError::io("move libtorch to", &home, error))?;
        inspect(&self.torch_root()).map_err(|missing| SetupError::LibtorchGone {
            path: self.torch_root().join(missing),
        })
    }

    /// Fetches what CUDA needs besides a cached libtorch.
    pub fn fetch_cuda(&self, env: &Env) -> Result<(), SetupError> {
        let _lock = self.lock()?;
        let complete = self.home().join("cuda.complete");
        if complete.exists() {
            return Ok(());
        }
        let pip = Pip::find(env)?;
        self.check_space(env, CUDA_SPACE_MB)?;
        let work = Work::begin(&self.dir)?;
        let metadata = self.home().join("METADATA");
        let metadata = fs::read_to_string(&metadata)
            .map_err(|error| SetupError::io("read", &metadata, error))?;
        let wanted = cuda::wanted_by_torch(&metadata);
        let mut specs = wanted.direct;
        if let Some(toolkit) = wanted.toolkit {
            let dir = work.path.join("toolkit");
            let mut step = Step::begin("asking which CUDA parts torch needs", None);
            pip.download(std::slice::from_ref(&toolkit.spec), &dir, &mut step)?;
            step.end();
            for wheel in wheels_in(&dir)? {
                specs.extend(cuda::parts_of_toolkit(
                    &Wheel::open(&wheel)?.metadata()?,
                    &toolkit.extras,
                ));
            }
        }
        say(&format!(
            "fetching CUDA for libtorch: {} wheels, about 4 GB, once",
            specs.len()
        ));
        for (at, spec) in specs.iter().enumerate() {
            let wheels = work.path.join("wheels");
            let mut step = Step::begin(
                &format!("fetching {spec} ({} of {})", at + 1, specs.len()),
                None,
            );
            pip.download(std::slice::from_ref(spec), &wheels, &mut step)?;
            step.end();
            let tree = work.path.join("tree");
            unpack_all(&format!("checking and unpacking {spec}"), &wheels, &tree)?;
            move_files(&tree, &self.home())?;
            remove(&wheels)?;
            remove(&tree)?;
        }
        write(&complete, &(specs.join("\n") + "\n"))
    }

    fn lock(&self) -> Result<File, SetupError> {
        fs::create_dir_all(&self.dir)
            .map_err(|error| SetupError::io("create", &self.dir, error))?;
        lock(&self.dir.join("lock"), "download")
    }

    /// Asks `df`; where it gives no answer, the writing itself will tell.
    fn check_space(&self, env: &Env, needed_mb: u64) -> Result<(), SetupError> {
        let asked = env.find_program("df").and_then(|df| {
            env.command(&df)
                .arg("-Pk")
                .arg(&self.dir)
                .stdin(Stdio::null())
                .stderr(Stdio::null())
                .output()
                .ok()
        });
        let free_mb = asked.and_then(|output| free_mb(&String::from_utf8_lossy(&output.stdout)));
        match free_mb {
            Some(free_mb) if free_mb < needed_mb => Err(SetupError::TooLittleSpace {
                path: self.dir.clone(),
                needed_mb,
                free_mb,
            }),
            _ => Ok(()),
        }
    }
}

/// The free space in what `df -Pk` prints: the fourth column of its second line, in units of 1024 bytes.
fn free_mb(df: &str) -> Option<u64> {
    let free_kb: u64 = df.lines().nth(1)?.split_whitespace().nth(3)?.parse().ok()?;
    Some(free_kb * 1024 / 1_000_000)
}

/// Takes a lock file and holds it until the result is dropped; waits, and says so, while another process has it.
pub fn lock(path: &Path, what: &str) -> Result<File, SetupError> {
    let file = File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(path)
        .map_err(|error| SetupError::io("open", path, error))?;
    match file.try_lock() {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => {
            say(&format!(
                "another `simple` is busy with this {what}; waiting for it"
            ));
            file.lock()
        }
        Err(TryLockError::Error(error)) => Err(error),
    }
    .map_err(|error| SetupError::io("lock", path, error))?;
    Ok(file)
}

/// The folder in which a fetch works. Whoever makes one holds the lock, so every other one is a leftover.
struct Work {
    path: PathBuf,
}

impl Work {
    fn begin(cache: &Path) -> Result<Self, SetupError> {
        let entries = fs::read_dir(cache).map_err(|error| SetupError::io("read", cache, error))?;
        for entry in entries.flatten() {
            if entry
                .file_name()
                .to_string_lossy()
                .starts_with(LEFTOVER_PREFIX)
            {
                remove(&entry.path())?;
            }
        }
        let path = cache.join(format!("{LEFTOVER_PREFIX}{}", std::process::id()));
        fs::create_dir_all(&path).map_err(|error| SetupError::io("create", &path, error))?;
        Ok(Self { path })
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        // What cannot be removed now is removed by the next fetch, which reports it.
        let _ = fs::remove_dir_all(&self.path);
    }
}

/// The files that running and compiling against libtorch needs; Python's parts and static libraries are left out.
fn needed(name: &str) -> bool {
    if let Some(library) = name.strip_prefix("torch/lib/") {
        return !["libtorch_python", "libshm"]
            .iter()
            .any(|python| library.starts_with(python));
    }
    let parts = name.split('/').collect::<Vec<_>>();
    name.starts_with("torch/include/")
        || matches!(parts[..], ["nvidia", _, "lib", file] if file.contains(".so"))
}

/// Unpacks what is needed from each wheel in a folder; returns their METADATA by file name.
fn unpack_all(
    label: &str,
    wheels: &Path,
    tree: &Path,
) -> Result<Vec<(String, String)>, SetupError> {
    let mut opened = Vec::new();
    for path in wheels_in(wheels)? {
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        opened.push((name, Wheel::open(&path)?));
    }
    let total = opened.iter().map(|(_, wheel)| wheel.size_of(needed)).sum();
    let mut step = Step::begin(label, Some(total));
    let mut done = 0;
    let mut metadata = Vec::new();
    for (name, mut wheel) in opened {
        wheel.unpack(tree, needed, |bytes| {
            done += bytes;
            step.reached(done);
        })?;
        metadata.push((name, wheel.metadata()?));
    }
    step.end();
    Ok(metadata)
}

fn wheels_in(dir: &Path) -> Result<Vec<PathBuf>, SetupError> {
    let entries = fs::read_dir(dir).map_err(|error| SetupError::io("read", dir, error))?;
    let mut wheels = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "whl"))
        .collect::<Vec<_>>();
    wheels.sort();
    Ok(wheels)
}

/// Moves every file under `from` to the same place under `to`; both are on one file system, so each move is whole.
fn move_files(from: &Path, to: &Path) -> Result<(), SetupError> {
    fs::create_dir_all(to).map_err(|error| SetupError::io("create", to, error))?;
    let entries = fs::read_dir(from).map_err(|error| SetupError::io("read", from, error))?;
    for entry in entries {
        let entry = entry.map_err(|error| SetupError::io("read", from, error))?;
        let (source, target) = (entry.path(), to.join(entry.file_name()));
        if source.is_dir() {
            move_files(&source, &target)?;
        } else {
            fs::rename(&source, &target)
                .map_err(|error| SetupError::io("write", &target, error))?;
        }
    }
    Ok(())
}

fn remove(dir: &Path) -> Result<(), SetupError> {
    match fs::remove_dir_all(dir) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(SetupError::io("remove", dir, error))
        }
        _ => Ok(()),
    }
}

fn write(path: &Path, text: &str) -> Result<(), SetupError> {
    fs::write(path, text).map_err(|error| SetupError::io("write", path, error))
}

fn check_system() -> Result<(), SetupError> {
    let (os, arch) = (std::env::consts::OS, std::env::consts::ARCH);
    if os == "linux" && (arch == "x86_64" || arch == "aarch64") {
        return Ok(());
    }
    Err(SetupError::UnsupportedSystem {
        system: format!("{os} on {arch}"),
    })
}

#[cfg(test)]
#[path = "cache_tests.rs"]
mod tests;
