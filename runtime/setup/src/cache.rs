//! The cache of downloads: fetches a libtorch when the machine has none, and the CUDA wheels when they are requested.
//!
//! ```text
//! <cache>/lock                       held while anything below is written
//! <cache>/.fetching-<pid>/           a fetch that goes on, or one that was interrupted: removed by the next
//! <cache>/libtorch-2.15.0/torch/     lib/ and include/ of the wheel
//!                         nvidia/    cu13/lib/ ..., where the run paths inside torch/lib look
//!                         CONTENTS   the SHA-256 of every file above
//!                         checked    the sizes and times that the files had when they were last hashed
//!                         cuda.complete
//! ```
//! `libtorch-<version>` comes into being by one rename, so it is whole wherever it exists. The CUDA files are moved in
//! one by one and count as there only when `cuda.complete` is. What another user could have written is refused
//! ([`Cache::installed`], which every start asks), and before anything is built the files are compared with `CONTENTS`
//! ([`Cache::verify`]). A folder without that list was made by a Simple that did not check what it fetched; it is
//! fetched again.

use std::fs::{self, DirBuilder, File, TryLockError};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use nix::libc::O_NONBLOCK;
use sha2::{Digest, Sha256};

use super::SetupError;
use super::download::Pip;
use super::env::Env;
use super::find::{Libtorch, inspect};
use super::hash::{self, List};
use super::progress::{Step, say};
use super::release::{self, Fit};
use super::trust::{self, Sticky};
use super::unpack::Wheel;
use super::wheels::{self, Pins};

/// pip keeps up to two copies of the wheels, then they are unpacked.
const CPU_SPACE_MB: u64 = 2_300;
/// The CUDA wheels are fetched and unpacked one at a time.
const CUDA_SPACE_MB: u64 = 8_000;

const LEFTOVER_PREFIX: &str = ".fetching-";
/// Before the release in the name of the folder of a libtorch.
const HOME_PREFIX: &str = "libtorch-";

/// Simple's folder of downloads.
#[derive(Debug, Clone)]
pub struct Cache {
    dir: PathBuf,
    /// What can be fetched into it, the newest release first; empty on machines for which torch has no wheels.
    pins: Vec<Pins>,
}

impl Cache {
    /// The cache in a folder, which need not exist yet.
    pub fn at(dir: &Path) -> Self {
        let pins = match cfg!(target_os = "linux") {
            true => wheels::for_arch(std::env::consts::ARCH),
            false => Vec::new(),
        };
        Self {
            dir: dir.to_owned(),
            pins,
        }
    }

    fn home(&self, release: &str) -> PathBuf {
        self.dir.join(format!("{HOME_PREFIX}{release}"))
    }

    /// Where the cached libtorch of a release is, if it is.
    pub fn torch_root(&self, release: &str) -> PathBuf {
        self.home(release).join("torch")
    }

    /// Whether that is the root of a libtorch in this cache.
    pub fn holds(&self, libtorch: &Libtorch) -> bool {
        libtorch.root == self.torch_root(&libtorch.version)
    }

    /// The cached libtorch that counts: one with what CUDA needs before one without, then the newest. An error when another user could have put it
    /// there.
    pub fn installed(&self) -> Result<Option<Libtorch>, SetupError> {
        self.check_trust(&self.dir)?;
        for release in self.releases() {
            if let Some(libtorch) = self.installed_release(&release)? {
                return Ok(Some(libtorch));
            }
        }
        Ok(None)
    }

    /// The releases that have a folder here, in the order in which they count; what is in it is not looked at.
    pub fn releases(&self) -> Vec<String> {
        let names = fs::read_dir(&self.dir).into_iter().flatten().flatten();
        let mut releases: Vec<String> = names
            .filter_map(|entry| {
                let name = entry.file_name().into_string().ok()?;
                Some(name.strip_prefix(HOME_PREFIX)?.to_owned())
            })
            .filter(|release| release::fit(release) == Fit::Known)
            .collect();
        releases.sort_by_key(|release| (self.has_cuda(release), release::numbers(release)));
        releases.reverse();
        releases
    }

    /// The cached libtorch of a release.
    pub fn installed_release(&self, release: &str) -> Result<Option<Libtorch>, SetupError> {
        let root = self.torch_root(release);
        self.check_trust(&root.join("lib/libtorch_cpu.so"))?;
        let found = inspect(&root)
            .ok()
            .filter(|libtorch| libtorch.version == release);
        Ok(found.filter(|_| self.contents(release).is_file()))
    }

    fn contents(&self, release: &str) -> PathBuf {
        self.home(release).join("CONTENTS")
    }

    fn checked(&self, release: &str) -> PathBuf {
        self.home(release).join("checked")
    }

    fn check_trust(&self, path: &Path) -> Result<(), SetupError> {
        trust::check_existing(path, Sticky::Accepted).map_err(|why| self.distrusted(why))
    }

    /// What can be fetched of a release.
    fn pins(&self, release: &str) -> Result<&Pins, SetupError> {
        let mut pins = self.pins.iter();
        pins.find(|pins| pins.release == release)
            .ok_or_else(unsupported)
    }

    fn distrusted(&self, why: trust::Distrust) -> SetupError {
        SetupError::CacheNotTrusted {
            path: self.dir.clone(),
            why,
        }
    }

    /// Fetches a release of libtorch for the CPU into the cache, unless it is there.
    pub fn fetch(&self, env: &Env, release: &str) -> Result<Libtorch, SetupError> {
        let pins = self.pins(release)?;
        let _lock = self.lock()?;
        if let Some(libtorch) = self.installed_release(release)? {
            return Ok(libtorch);
        }
        let pip = Pip::find(env)?;
        self.check_space(env, CPU_SPACE_MB)?;
        let work = Work::begin(&self.dir)?;
        let mut step = Step::begin(
            &format!(
                "fetching libtorch {release} ({}, once; kept in {})",
                wheels::size(&pins.cpu),
                self.dir.display()
            ),
            Some(pins.cpu.iter().map(|pin| pin.bytes).sum()),
        );
        let wheels = pip.download(&pins.cpu, &work.path.join("wheels"), &mut step)?;
        step.end();

        let tree = work.path.join("tree");
        let contents = unpack_all("checking and unpacking libtorch", &wheels, &tree)?;
        let unpacked = inspect(&tree.join("torch"))
            .map_err(|missing| format!("it holds no {}", missing.display()))
            .and_then(|libtorch| match libtorch.version == release {
                true => Ok(()),
                false => Err(format!("it is libtorch {}", libtorch.version)),
            });
        if let Err(what) = unpacked {
            let wheel = wheels.into_iter().next().unwrap_or_default();
            return Err(SetupError::Damaged { wheel, what });
        }
        write(&tree.join("CONTENTS"), &contents.to_text())?;
        write(&tree.join("checked"), &stamps(&tree, &contents)?)?;
        // A rename needs the place free. What is there was not used, or it would not have come so far, but a program that
        // runs may have parts of it open, and a removal takes long.
        let home = self.home(release);
        let old = work.path.join("old");
        match fs::rename(&home, &old) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(SetupError::io("replace", &home, error));
            }
            _ => {}
        }
        fs::rename(&tree, &home)
            .map_err(|error| SetupError::io("move libtorch to", &home, error))?;
        inspect(&self.torch_root(release)).map_err(|missing| SetupError::LibtorchGone {
            path: self.torch_root(release).join(missing),
        })
    }

    /// Fetches what CUDA needs in addition to the cached libtorch of a release.
    pub fn fetch_cuda(&self, env: &Env, release: &str) -> Result<(), SetupError> {
        let pins = self.pins(release)?;
        let _lock = self.lock()?;
        if self.has_cuda(release) {
            return Ok(());
        }
        let pip = Pip::find(env)?;
        self.check_space(env, CUDA_SPACE_MB)?;
        let work = Work::begin(&self.dir)?;
        let mut contents = List::read(&self.contents(release)).unwrap_or_default();
        let count = pins.cuda.len();
        say(&format!(
            "fetching CUDA for libtorch {release}: {count} wheels, {}, once",
            wheels::size(&pins.cuda)
        ));
        for (at, pin) in pins.cuda.iter().enumerate() {
            let spec = pin.spec();
            let dir = work.path.join("wheels");
            let mut step = Step::begin(
                &format!("fetching {spec} ({} of {count})", at + 1),
                Some(pin.bytes),
            );
            let wheels = pip.download(std::slice::from_ref(pin), &dir, &mut step)?;
            step.end();
            let tree = work.path.join("tree");
            contents.extend(unpack_all(
                &format!("checking and unpacking {spec}"),
                &wheels,
                &tree,
            )?);
            move_files(&tree, &self.home(release))?;
            remove(&dir)?;
            remove(&tree)?;
        }
        let listed = work.path.join("CONTENTS");
        write(&listed, &contents.to_text())?;
        let contents = self.contents(release);
        fs::rename(&listed, &contents)
            .map_err(|error| SetupError::io("write", &contents, error))?;
        let specs = pins.cuda.iter().map(|pin| pin.spec() + "\n");
        write(&self.cuda_complete(release), &specs.collect::<String>())
    }

    /// How much CUDA needs in addition to a release, for messages; `None` where nothing can be fetched.
    pub fn size_of_cuda(&self, release: &str) -> Option<String> {
        Some(wheels::size(&self.pins(release).ok()?.cuda))
    }

    /// Whether what CUDA needs was fetched for a release.
    pub fn has_cuda(&self, release: &str) -> bool {
        self.cuda_complete(release).exists()
    }

    fn cuda_complete(&self, release: &str) -> PathBuf {
        self.home(release).join("cuda.complete")
    }

    /// Compares the cached files with the list of their hashes, if `libtorch` is the cached one. Files whose sizes, times
    /// and places are still those of the last comparison are not read again.
    pub fn verify(&self, libtorch: &Libtorch) -> Result<(), SetupError> {
        if !self.holds(libtorch) {
            return Ok(());
        }
        let release = &libtorch.version;
        let _lock = self.lock()?;
        self.check_trust(&self.torch_root(release).join("lib/libtorch_cpu.so"))?;
        let home = self.home(release);
        let changed = |path: &Path, what: &str| SetupError::CacheChanged {
            path: path.to_owned(),
            what: what.to_owned(),
            home: home.clone(),
        };
        let listed = self.contents(release);
        let contents = List::read(&listed).ok_or_else(|| changed(&listed, "cannot be read"))?;
        let mut total = 0;
        for (path, _) in contents.files() {
            let path = home.join(path);
            match trust::check_alone(&path) {
                Ok(data) if data.is_file() => total += data.len(),
                Ok(_) => return Err(changed(&path, "is not a file")),
                Err(trust::Distrust::Unreadable { .. }) => {
                    return Err(changed(&path, "is gone"));
                }
                Err(why) => return Err(self.distrusted(why)),
            }
        }
        let now = stamps(&home, &contents)?;
        if fs::read_to_string(self.checked(release)).is_ok_and(|then| then == now) {
            return Ok(());
        }
        let mut step = Step::begin("comparing libtorch with what was fetched", Some(total));
        let mut done = 0;
        for (path, hash) in contents.files() {
            let path = home.join(path);
            let found = hash::of_file(&path, |bytes| {
                done += bytes;
                step.reached(done);
            })?;
            if found != hash {
                return Err(changed(&path, "is not as it was fetched"));
            }
        }
        step.end();
        write(&self.checked(release), &now)
    }

    fn lock(&self) -> Result<File, SetupError> {
        self.check_trust(&self.dir)?;
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&self.dir)
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
    // Without waiting: a pipe in the place of the file would wait for a reader.
    let file = File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .mode(0o644)
        .custom_flags(O_NONBLOCK)
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

/// The folder in which a fetch works. A process that makes one holds the lock, so every other one is a leftover.
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

/// Unpacks what is needed from each wheel; returns the hashes of what it wrote.
fn unpack_all(label: &str, wheels: &[PathBuf], tree: &Path) -> Result<List, SetupError> {
    let mut opened = Vec::new();
    for path in wheels {
        opened.push(Wheel::open(path)?);
    }
    let total = opened.iter().map(|wheel| wheel.size_of(needed)).sum();
    let mut step = Step::begin(label, Some(total));
    let mut done = 0;
    let mut contents = List::default();
    for mut wheel in opened {
        contents.extend(wheel.unpack(tree, needed, |bytes| {
            done += bytes;
            step.reached(done);
        })?);
    }
    step.end();
    Ok(contents)
}

/// What changes when a file does: a hash of the size, place and times of all. No program can set a file's time of change.
fn stamps(home: &Path, contents: &List) -> Result<String, SetupError> {
    let mut all = Sha256::new();
    for (path, hash) in contents.files() {
        let path = home.join(path);
        let data = path
            .symlink_metadata()
            .map_err(|error| SetupError::io("look at", &path, error))?;
        all.update(hash);
        for number in [
            data.len() as i64,
            data.ino() as i64,
            data.mtime(),
            data.mtime_nsec(),
            data.ctime(),
            data.ctime_nsec(),
        ] {
            all.update(number.to_le_bytes());
        }
    }
    Ok(hash::hex(&all.finalize()) + "\n")
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

fn unsupported() -> SetupError {
    let (os, arch) = (std::env::consts::OS, std::env::consts::ARCH);
    SetupError::UnsupportedSystem {
        system: format!("{os} on {arch}"),
    }
}

#[cfg(test)]
#[path = "cache_tests.rs"]
mod tests;
