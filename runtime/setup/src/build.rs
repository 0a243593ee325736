//! `simple build`: the runtime, then the torch library, and a stamp of the outcome.
//!
//! `simple build --setup` is what the launcher runs before a program: it looks after the torch library only, never
//! fails (a program may need none), and leaves a failure alone that was already reported.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{ExitCode, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread::ScopedJoinHandle;
use std::time::Duration;

use super::cache::{Cache, lock};
use super::cargo::Cargo;
use super::configured;
use super::env::{Env, Layout};
use super::find::{self, Libtorch, Origin};
use super::kept;
use super::package::Package;
use super::progress::say;
use super::release::{self, Fit};
use super::selection::Selection;
use super::stamp::Stamp;
use super::{CUDA_VERSION, SetupError, checks, wheels};

/// What `simple build` should do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Request {
    /// Build the runtime and the torch library.
    Build(Torch),
    /// The same, then run every test.
    Test(Torch),
    /// Build the runtime, and a torch library for each of these, and make the packages of them: the folder of a libtorch, or a release that is
    /// fetched. Without any it is the libtorch that is found.
    Package(Vec<PathBuf>),
    /// See to the torch library before a program starts.
    SetUp,
}

/// What should happen to the torch library.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Torch {
    /// It is left alone, and not set up at later starts.
    Without,
    /// It is built.
    With(Wanted),
}

/// The libtorch that is wanted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Wanted {
    /// A release that can be fetched, such as `2.13` or `2.13.0`; otherwise it is the one that is found.
    pub release: Option<String>,
    /// Whether what it needs for NVIDIA GPUs is fetched too.
    pub cuda: bool,
}

impl Wanted {
    /// What a start wants: the libtorch that is found, with CUDA where `SIMPLE_CUDA` says so.
    fn of(env: &Env) -> Self {
        Self {
            release: None,
            cuda: env.is_on("SIMPLE_CUDA"),
        }
    }
}

/// Runs `simple build`. With `verbose`, as with the variable `SIMPLE_VERBOSE`, what cargo says is shown as it comes.
pub fn run(request: Request, verbose: bool) -> ExitCode {
    let mut env = Env::from_process();
    if verbose {
        env = env.with("SIMPLE_VERBOSE", "1");
    }
    let outcome = match Package::find(&env) {
        Some(_) => Err(SetupError::IsPackage),
        None => Layout::find(&env).and_then(|layout| run_in(&request, &env, &layout)),
    };
    outcome.unwrap_or_else(|error| {
        say(&format!("error: {error}"));
        ExitCode::FAILURE
    })
}

fn run_in(request: &Request, env: &Env, layout: &Layout) -> Result<ExitCode, SetupError> {
    if env.is_on("SIMPLE_NO_SETUP") {
        return Err(SetupError::Forbidden);
    }
    fs::create_dir_all(layout.out())
        .map_err(|error| SetupError::io("create", &layout.out(), error))?;
    let torch = match request {
        Request::SetUp => {
            set_up_for_launcher(env, layout)?;
            return Ok(ExitCode::SUCCESS);
        }
        Request::Package(folders) => {
            package_all(env, layout, folders)?;
            return Ok(ExitCode::SUCCESS);
        }
        Request::Build(torch) | Request::Test(torch) => torch,
    };
    if let Torch::With(wanted) = torch {
        // Before minutes of building.
        named_release(env, wanted)?;
    }
    let cargo = Cargo::find(env, layout)?;
    cargo.build_runtime()?;
    let torch = match torch {
        Torch::Without => skip_torch(layout).map(|()| None),
        Torch::With(wanted) => provision(env, layout, wanted).map(Some),
    };
    if matches!(request, Request::Test(_)) {
        // Whoever names a libtorch tests that one.
        let all = env.get("LIBTORCH_PATH").is_none() && matches!(&torch, Ok(Some(_)));
        let others = match all {
            true => vec![wheels::OLDEST, wheels::NEWEST],
            false => Vec::new(),
        };
        let other = |release: &str| another(env, layout, release);
        // Without a torch library the other tests still say something; what is missing counts as a failure there.
        return checks::run(&cargo, torch, &others, other, &mut std::io::stdout());
    }
    match torch? {
        Some(libtorch) => {
            let library = layout.torch_library(&libtorch.version);
            say(&format!("ready: {}", library.display()));
        }
        None => say("ready, without the torch library"),
    }
    Ok(ExitCode::SUCCESS)
}

/// Builds all that a package has in it, and makes the packages.
fn package_all(env: &Env, layout: &Layout, folders: &[PathBuf]) -> Result<(), SetupError> {
    // What is wrong with a folder is said before anything is built.
    let named = folders.iter().map(|path| {
        let release = path.to_str().and_then(wheels::named);
        if let Some(release) = release.filter(|_| !path.exists()) {
            return Cache::at(&env.cache_dir()?).fetch(env, release);
        }
        find::in_folder(path).map_err(|why| SetupError::NotForPackage {
            path: path.clone(),
            why,
        })
    });
    let mut libtorches = named.collect::<Result<Vec<_>, _>>()?;
    let cargo = Cargo::find(env, layout)?;
    cargo.build_runtime()?;
    let _lock = lock(&layout.lock(), "set-up")?;
    if folders.is_empty() {
        libtorches.push(find_or_fetch(env, &Wanted::default())?.0);
    }
    for libtorch in &libtorches {
        say(&format!(
            "the torch library for libtorch {}",
            libtorch.version
        ));
        build_against(env, layout, libtorch)?;
    }
    libtorches.sort_by_key(|libtorch| release::numbers(&libtorch.version));
    libtorches.dedup_by(|a, b| a.version == b.version);
    let releases = libtorches.iter().map(|libtorch| libtorch.version.as_str());
    cargo.make_packages(releases)
}

/// The first start of a source tree: builds a part of the compiler, and fetches libtorch meanwhile if the machine has none; then
/// the rest, and the torch library with it if libtorch is there by then. What is left is done by the compiled `simple`.
pub fn first_start() -> ExitCode {
    let env = Env::from_process();
    let outcome = Layout::find(&env).and_then(|layout| first_start_in(&env, &layout));
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            say(&format!("error: {error}"));
            ExitCode::FAILURE
        }
    }
}

/// How long a first start waits for libtorch before it goes on with the compiler alone.
const PATIENCE: Duration = Duration::from_secs(5);

fn first_start_in(env: &Env, layout: &Layout) -> Result<(), SetupError> {
    let cargo = Cargo::find(env, layout)?;
    // Closed when the thread that fetches has ended.
    let (fetching, ended) = channel::<()>();
    std::thread::scope(|scope| {
        let fetched = scope.spawn(move || {
            let _fetching = fetching;
            // Where there is a stamp, somebody has decided before.
            if runs_native(env) || Stamp::read(&layout.stamp()).is_some() {
                return Ok(None);
            }
            let lock = lock(&layout.lock(), "set-up")?;
            let fetched = find_or_fetch(env, &Wanted::of(env));
            if let Err(error) = &fetched {
                // Remembered, so that the next step neither tries nor says it again.
                Stamp::failed(error, Selection::of(env)).write(&layout.stamp())?;
            }
            // The lock is held on to until what is built with libtorch is written down.
            fetched.map(|(libtorch, origin)| Some((libtorch, origin, lock)))
        });
        // A panic of the other thread has reported what happened; a program may need no tensors.
        let outcome = |fetched: ScopedJoinHandle<'_, _>| match fetched.join() {
            Ok(Ok(fetched)) => fetched,
            Ok(Err(error)) => {
                say_without_torch(&error);
                None
            }
            Err(_) => None,
        };
        cargo.build_first_part()?;
        if ended.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
            let built = cargo.build_runtime();
            outcome(fetched);
            return built;
        }
        if let Some((libtorch, origin, _lock)) = outcome(fetched)
            && both(env, layout, &cargo, &libtorch).is_ok()
        {
            cuda_at_start(env, &libtorch, origin);
            return Ok(());
        }
        // If the torch library cannot be built, the compiled `simple` says so and remembers it.
        cargo.build_runtime()
    })
}

/// Builds compiler and torch library together, and remembers that they are there.
fn both(
    env: &Env,
    layout: &Layout,
    cargo: &Cargo<'_>,
    libtorch: &Libtorch,
) -> Result<(), SetupError> {
    verify(env, libtorch)?;
    cargo.build_both(libtorch)?;
    kept::keep(env, layout, libtorch)?;
    ready(layout, libtorch, Selection::of(env))
}

fn say_without_torch(error: &SetupError) {
    say(&format!("the torch library was not set up: {error}"));
    say(
        "programs run nevertheless, their tensors on `backend: native`; `bin/simple build` tries again",
    );
}

/// Whether programs of the working folder are to run without libtorch.
fn runs_native(env: &Env) -> bool {
    std::env::current_dir().is_ok_and(|folder| configured::is_native(env, &folder))
}

/// Has the next start that needs the torch library look at it again: sources may have changed, and it is not built now.
fn forget_build(layout: &Layout) -> Result<(), SetupError> {
    let path = layout.stamp();
    match Stamp::read(&path) {
        Some(Stamp::Ready { .. } | Stamp::Failed { at_build: true, .. }) => {
            fs::remove_file(&path).map_err(|error| SetupError::io("remove", &path, error))
        }
        _ => Ok(()),
    }
}

/// Finds or fetches libtorch, builds the torch library, and writes down how it went.
fn provision(env: &Env, layout: &Layout, wanted: &Wanted) -> Result<Libtorch, SetupError> {
    let _lock = lock(&layout.lock(), "set-up")?;
    let (libtorch, origin) = provision_locked(env, layout, wanted)?;
    see_to_cuda(env, &libtorch, origin, wanted)?;
    Ok(libtorch)
}

fn provision_locked(
    env: &Env,
    layout: &Layout,
    wanted: &Wanted,
) -> Result<(Libtorch, Origin), SetupError> {
    let cuda = wanted.cuda;
    if cuda && let Some(version) = driver_version(env).filter(|version| *version < CUDA_VERSION) {
        say(&format!(
            "--cuda: the NVIDIA driver of this machine is for CUDA {}.{} at most, and libtorch is built for CUDA {}: \
             update the driver (release 580 or newer), or programs will find no GPU",
            version / 1000,
            version % 1000 / 10,
            CUDA_VERSION / 1000
        ));
    }
    let outcome = find_or_fetch(env, wanted).and_then(|(libtorch, origin)| {
        build_against(env, layout, &libtorch)?;
        Ok((libtorch, origin))
    });
    let selection = Selection::of(env);
    match &outcome {
        Ok((libtorch, _)) => ready(layout, libtorch, selection)?,
        // Finding none this time does not remove a library that is in place; a broken build does, for it is out of
        // date.
        Err(error) if !error.is_build() && still_stands(layout) => {}
        Err(error) => Stamp::failed(error, selection).write(&layout.stamp())?,
    }
    outcome
}

/// As [`see_to_cuda`], before a program starts. What goes wrong is said: without CUDA there is still the CPU.
fn cuda_at_start(env: &Env, libtorch: &Libtorch, origin: Origin) {
    if let Err(error) = see_to_cuda(env, libtorch, origin, &Wanted::of(env)) {
        say(&format!("error: {error}"));
    }
}

/// Fetches what CUDA needs if that is wanted, or says how to, if the configuration asks for a GPU and this machine can have one.
fn see_to_cuda(
    env: &Env,
    libtorch: &Libtorch,
    origin: Origin,
    wanted: &Wanted,
) -> Result<(), SetupError> {
    if wanted.cuda {
        return add_cuda(env, libtorch, origin);
    }
    let folder = std::env::current_dir().ok();
    if let Some(hint) = folder.and_then(|folder| cuda_hint(env, &folder, libtorch, origin)) {
        say(&hint);
    }
    Ok(())
}

/// What to say where the configuration of the working folder asks for a GPU that this machine can have, and libtorch lacks what that needs.
fn cuda_hint(env: &Env, folder: &Path, libtorch: &Libtorch, origin: Origin) -> Option<String> {
    let cache = Cache::at(&env.cache_dir().ok()?);
    let lacks = origin == Origin::Cache && !cache.has_cuda(&libtorch.version);
    let size = cache.size_of_cuda(&libtorch.version)?;
    let hint = || {
        format!(
            "the configuration asks for CUDA, and this machine has an NVIDIA driver: `bin/simple build --cuda` fetches what libtorch needs for it \
             ({size}, once)"
        )
    };
    let told = lacks && configured::asks_for_cuda(env, folder) && driver_version(env).is_some();
    told.then(hint)
}

fn still_stands(layout: &Layout) -> bool {
    let recorded = Stamp::read(&layout.stamp());
    let Some(Stamp::Ready {
        version,
        libtorch_root,
        ..
    }) = recorded
    else {
        return false;
    };
    let library = layout.torch_library(&version);
    library.is_file()
        && find::inspect(&libtorch_root).is_ok_and(|libtorch| libtorch.version == version)
}

/// Whether a libtorch that was used before can be used again without a search.
fn still_good(env: &Env, root: &Path) -> bool {
    let Ok(libtorch) = find::inspect(root) else {
        return false;
    };
    let cache = env.cache_dir().map(|dir| Cache::at(&dir));
    // One in the cache that was fetched without a list of its hashes is fetched again.
    let listed = match cache {
        Ok(cache) if cache.holds(&libtorch) => {
            matches!(cache.installed_release(&libtorch.version), Ok(Some(_)))
        }
        _ => true,
    };
    listed && find::check_owner(root).is_ok()
}

/// The release that is asked for, among those that can be fetched.
fn named_release(env: &Env, wanted: &Wanted) -> Result<Option<&'static str>, SetupError> {
    let Some(name) = &wanted.release else {
        return Ok(None);
    };
    if env.get("LIBTORCH_PATH").is_some() {
        return Err(SetupError::TwoLibtorches { name: name.clone() });
    }
    let release = wheels::named(name);
    let error = || SetupError::NoSuchRelease { name: name.clone() };
    release.map(Some).ok_or_else(error)
}

/// A libtorch of the cache, fetched if need be, with its torch library, for tests that are run with several.
fn another(env: &Env, layout: &Layout, release: &str) -> Result<Libtorch, SetupError> {
    let _lock = lock(&layout.lock(), "set-up")?;
    let libtorch = Cache::at(&env.cache_dir()?).fetch(env, release)?;
    build_against(env, layout, &libtorch)?;
    Ok(libtorch)
}

fn find_or_fetch(env: &Env, wanted: &Wanted) -> Result<(Libtorch, Origin), SetupError> {
    let release = named_release(env, wanted)?;
    // A machine without a home may still have LIBTORCH_PATH.
    let (libtorch, origin) = match env.cache_dir().map(|dir| Cache::at(&dir)) {
        Ok(cache) => match release {
            Some(release) => (cache.fetch(env, release)?, Origin::Cache),
            None => match find::locate(env, &cache, wanted.cuda)? {
                Some(found) => found,
                None => (cache.fetch(env, wheels::NEWEST)?, Origin::Cache),
            },
        },
        Err(error) => (
            find::from_libtorch_path(env)?.ok_or(error)?,
            Origin::LibtorchPath,
        ),
    };
    say(&format!(
        "using libtorch {} at {} (from {})",
        libtorch.version,
        libtorch.root.display(),
        origin.words()
    ));
    if release::fit(&libtorch.version) == Fit::Newer {
        say(&format!(
            "libtorch {} is newer than those that Simple was tried with ({}); it is used, and what does not fit is reported",
            libtorch.version,
            release::RANGE
        ));
    }
    Ok((libtorch, origin))
}

fn add_cuda(env: &Env, libtorch: &Libtorch, origin: Origin) -> Result<(), SetupError> {
    if !libtorch.has_cuda() {
        return Err(SetupError::NoCudaInLibtorch {
            path: libtorch.root.clone(),
        });
    }
    match origin {
        Origin::Cache => Cache::at(&env.cache_dir()?).fetch_cuda(env, &libtorch.version),
        Origin::Python if !libtorch.root.with_file_name("nvidia").is_dir() => {
            say(&format!(
                "--cuda: what CUDA needs is missing beside the libtorch of the Python environment (there is no {}); \
                 `python3 -m pip install torch=={}` in that environment fetches it",
                libtorch.root.with_file_name("nvidia").display(),
                libtorch.version
            ));
            Ok(())
        }
        Origin::LibtorchPath | Origin::Python => {
            say("--cuda: this libtorch brings its CUDA libraries itself; nothing is fetched");
            Ok(())
        }
    }
}

/// Asks NVIDIA's driver which CUDA it is for; this works without a GPU, and fails without a driver.
const ASK_DRIVER: &str = "\
import ctypes
version = ctypes.c_int()
if ctypes.CDLL('libcuda.so.1').cuDriverGetVersion(ctypes.byref(version)) == 0:
    print(version.value)";

/// The newest version of CUDA that this machine's NVIDIA driver can do; `None` without a driver.
fn driver_version(env: &Env) -> Option<u32> {
    let python = env.pythons().trusted.into_iter().next()?;
    let mut ask = env.python(&python);
    let asked = ask
        .args(["-c", ASK_DRIVER])
        .stdin(Stdio::null())
        .output()
        .ok()?;
    String::from_utf8(asked.stdout).ok()?.trim().parse().ok()
}

fn build_against(env: &Env, layout: &Layout, libtorch: &Libtorch) -> Result<(), SetupError> {
    verify(env, libtorch)?;
    if kept::is_current(env, layout, libtorch)? {
        return Ok(());
    }
    let cargo = Cargo::find(env, layout)?;
    discard_changed(layout, &libtorch.version)?;
    cargo.build_torch(libtorch)?;
    kept::keep(env, layout, libtorch)
}

/// Refuses a libtorch in the cache that is not as it was fetched.
fn verify(env: &Env, libtorch: &Libtorch) -> Result<(), SetupError> {
    // A libtorch that the user provides need not have a cache beside it.
    match env.cache_dir() {
        Ok(dir) => Cache::at(&dir).verify(libtorch),
        Err(_) => Ok(()),
    }
}

/// Removes a torch library that is no longer as it was built, here and where cargo has it: cargo looks only at the time of the file, so it
/// would leave a damaged one as it is.
fn discard_changed(layout: &Layout, version: &str) -> Result<(), SetupError> {
    if !kept::is_changed(layout, version)? {
        return Ok(());
    }
    kept::remove(&layout.torch_library(version))?;
    kept::remove(&layout.torch_library_of_build())?;
    kept::remove(&layout.torch_library_of_cargo())
}

/// Remembers that the library is there.
fn ready(layout: &Layout, libtorch: &Libtorch, selection: Selection) -> Result<(), SetupError> {
    Stamp::ready(libtorch, selection).write(&layout.stamp())
}

fn skip_torch(layout: &Layout) -> Result<(), SetupError> {
    match Stamp::read(&layout.stamp()) {
        Some(Stamp::Ready { .. }) => Ok(()),
        _ => Stamp::Skipped.write(&layout.stamp()),
    }
}

/// What the launcher asks for before a program runs: whatever is missing, once.
fn set_up_for_launcher(env: &Env, layout: &Layout) -> Result<(), SetupError> {
    let _lock = lock(&layout.lock(), "set-up")?;
    if runs_native(env) {
        return forget_build(layout);
    }
    let outcome = match Stamp::read(&layout.stamp()) {
        Some(Stamp::Skipped) => return Ok(()),
        Some(Stamp::Failed {
            at_build: false,
            selection,
            missing,
            ..
        }) if selection == Selection::of(env)
            && missing
                .as_ref()
                .is_none_or(|program| env.find_program(program).is_none()) =>
        {
            return Ok(());
        }
        Some(Stamp::Ready {
            libtorch_root,
            selection,
            ..
        }) if selection == Selection::of(env) && still_good(env, &libtorch_root) => {
            // Only the sources changed: Python need not be asked again.
            rebuild_against(env, layout, &libtorch_root, selection)
        }
        // A program was missing or the build broke, and then it came, or sources or LIBTORCH_PATH changed; or this is the first time.
        Some(Stamp::Failed { .. } | Stamp::Ready { .. }) | None => {
            provision_locked(env, layout, &Wanted::of(env))
                .map(|(libtorch, origin)| cuda_at_start(env, &libtorch, origin))
        }
    };
    // With a library in place a wrong LIBTORCH_PATH is reported by the programs that make tensors.
    if let Err(error) = outcome
        && (error.is_build() || !still_stands(layout))
    {
        say_without_torch(&error);
    }
    Ok(())
}

fn rebuild_against(
    env: &Env,
    layout: &Layout,
    root: &Path,
    selection: Selection,
) -> Result<(), SetupError> {
    let libtorch = find::inspect(root).map_err(|_| SetupError::LibtorchGone {
        path: root.join("lib"),
    })?;
    let outcome = build_against(env, layout, &libtorch);
    match &outcome {
        Ok(()) => ready(layout, &libtorch, selection)?,
        Err(error) => Stamp::failed(error, selection).write(&layout.stamp())?,
    }
    outcome
}

#[cfg(test)]
#[path = "build_tests.rs"]
mod tests;
