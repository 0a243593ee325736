//! `simple build`: the runtime, then the torch library, and a stamp of the outcome.
//!
//! `simple build --setup` is what the launcher runs before a program: it looks after the torch library only, never
//! fails (a program may need none), and leaves a failure alone that was already reported.

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

use clap::{Args, Subcommand};

use super::cache::{Cache, lock};
use super::cargo::Cargo;
use super::env::{Env, Layout};
use super::find::{self, Libtorch, Origin};
use super::progress::say;
use super::stamp::Stamp;
use super::{SetupError, TORCH_VERSION, checks};

/// Rebuild the runtime and the torch library, or run every test.
#[derive(Debug, Args)]
pub struct BuildArgs {
    /// Build optimized; this is the default, and the only way that Simple is built
    #[arg(long)]
    release: bool,
    /// Leave the torch library alone, and do not set it up at later starts
    #[arg(long, conflicts_with = "cuda")]
    no_torch: bool,
    /// Also fetch what libtorch needs for NVIDIA GPUs (about 4 GB, once)
    #[arg(long)]
    cuda: bool,
    /// Set up the torch library for the launcher
    #[arg(long, hide = true)]
    setup: bool,
    /// What to do besides building
    #[command(subcommand)]
    action: Option<BuildAction>,
}

/// What `simple build` can do besides building.
#[derive(Debug, Subcommand)]
enum BuildAction {
    /// Run every test of the project, Rust and Simple
    Test,
}

/// Runs `simple build`.
pub fn run(args: &BuildArgs) -> ExitCode {
    let env = Env::from_process();
    let outcome = Layout::find(&env).and_then(|layout| run_in(args, &env, &layout));
    outcome.unwrap_or_else(|error| {
        say(&format!("error: {error}"));
        ExitCode::FAILURE
    })
}

fn run_in(args: &BuildArgs, env: &Env, layout: &Layout) -> Result<ExitCode, SetupError> {
    if env.get("SIMPLE_NO_SETUP").is_some_and(|value| value != "0") {
        return Err(SetupError::Forbidden);
    }
    fs::create_dir_all(layout.out())
        .map_err(|error| SetupError::io("create", &layout.out(), error))?;
    if args.setup {
        set_up_for_launcher(env, layout)?;
        return Ok(ExitCode::SUCCESS);
    }
    let cargo = Cargo::find(env, layout)?;
    say("building the compiler (3 to 5 minutes at first, seconds later)");
    cargo.build_runtime()?;
    let torch = if args.no_torch {
        skip_torch(layout).map(|()| None)
    } else {
        provision(env, layout, args.cuda).map(Some)
    };
    if matches!(args.action, Some(BuildAction::Test)) {
        // Without a torch library the other tests still say something; what is missing counts as a failure there.
        return checks::run(&cargo, torch, &mut std::io::stdout());
    }
    match torch? {
        Some(_) => say(&format!("ready: {}", layout.torch_library().display())),
        None => say("ready, without the torch library"),
    }
    Ok(ExitCode::SUCCESS)
}

/// Finds or fetches libtorch, builds the torch library, and writes down how it went.
fn provision(env: &Env, layout: &Layout, cuda: bool) -> Result<Libtorch, SetupError> {
    let _lock = lock(&layout.lock(), "set-up")?;
    provision_locked(env, layout, cuda)
}

fn provision_locked(env: &Env, layout: &Layout, cuda: bool) -> Result<Libtorch, SetupError> {
    let outcome = find_or_fetch(env).and_then(|(libtorch, origin)| {
        build_against(env, layout, &libtorch)?;
        Ok((libtorch, origin))
    });
    let libtorch_path = Stamp::libtorch_path(env);
    match &outcome {
        Ok((libtorch, _)) => Stamp::ready(libtorch, libtorch_path).write(&layout.stamp())?,
        // Finding none this time does not take away a library that stands; a broken build does, for it is out of date.
        Err(error) if !error.is_build() && still_stands(layout) => {}
        Err(error) => Stamp::failed(error, libtorch_path).write(&layout.stamp())?,
    }
    let (libtorch, origin) = outcome?;
    if cuda {
        // After the stamp: without CUDA there is still the CPU.
        add_cuda(env, &libtorch, origin)?;
    }
    Ok(libtorch)
}

fn still_stands(layout: &Layout) -> bool {
    let recorded = Stamp::read(&layout.stamp());
    let whole = |root: &Path| layout.torch_library().is_file() && find::inspect(root).is_ok();
    matches!(recorded, Some(Stamp::Ready { libtorch_root, .. }) if whole(&libtorch_root))
}

fn find_or_fetch(env: &Env) -> Result<(Libtorch, Origin), SetupError> {
    // A machine without a home may still have LIBTORCH_PATH.
    let (libtorch, origin) = match env.cache_dir().map(|dir| Cache::at(&dir)) {
        Ok(cache) => match find::locate(env, &cache)? {
            Some(found) => found,
            None => (cache.fetch(env)?, Origin::Cache),
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
    Ok((libtorch, origin))
}

fn add_cuda(env: &Env, libtorch: &Libtorch, origin: Origin) -> Result<(), SetupError> {
    if !libtorch.lib_dir().join("libtorch_cuda.so").is_file() {
        return Err(SetupError::NoCudaInLibtorch {
            path: libtorch.root.clone(),
        });
    }
    match origin {
        Origin::Cache => Cache::at(&env.cache_dir()?).fetch_cuda(env),
        Origin::LibtorchPath | Origin::Python => {
            say("--cuda: this libtorch brings its CUDA libraries itself; nothing is fetched");
            Ok(())
        }
    }
}

fn build_against(env: &Env, layout: &Layout, libtorch: &Libtorch) -> Result<(), SetupError> {
    let cargo = Cargo::find(env, layout)?;
    say("building the torch library (C++; about 4 minutes at first, seconds later)");
    cargo.build_torch(libtorch)
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
    let outcome = match Stamp::read(&layout.stamp()) {
        Some(Stamp::Skipped) => return Ok(()),
        Some(Stamp::Failed {
            at_build: false,
            libtorch_path,
            ..
        }) if libtorch_path == Stamp::libtorch_path(env) => {
            return Ok(());
        }
        Some(Stamp::Ready {
            libtorch_root,
            libtorch_path,
            ..
        }) if libtorch_path == Stamp::libtorch_path(env)
            && find::inspect(&libtorch_root).is_ok() =>
        {
            // Only the sources changed: Python need not be asked again.
            rebuild_against(env, layout, &libtorch_root, libtorch_path)
        }
        // The compiler was missing or the build broke, and then sources or LIBTORCH_PATH changed; or this is the first time.
        Some(Stamp::Failed { .. } | Stamp::Ready { .. }) | None => {
            provision_locked(env, layout, false).map(|_| ())
        }
    };
    if let Err(error) = outcome {
        say(&format!("the torch library was not set up: {error}"));
        say(
            "programs that use no tensors run all the same; this is not tried again until you run `bin/simple build`",
        );
    }
    Ok(())
}

fn rebuild_against(
    env: &Env,
    layout: &Layout,
    root: &Path,
    libtorch_path: Option<OsString>,
) -> Result<(), SetupError> {
    let libtorch = Libtorch {
        root: root.to_owned(),
        version: TORCH_VERSION.to_owned(),
    };
    let outcome = Cargo::find(env, layout).and_then(|cargo| cargo.build_torch(&libtorch));
    if let Err(error) = &outcome {
        Stamp::failed(error, libtorch_path).write(&layout.stamp())?;
    }
    outcome
}

#[cfg(test)]
#[path = "build_tests.rs"]
mod tests;
