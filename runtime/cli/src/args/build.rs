//! The arguments of `simple build`, and what they ask of the set-up (`simple_setup`).

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use simple_setup::{Request, Torch, Wanted};

/// Build a library, rebuild the runtime and the torch library, or run every test.
#[derive(Debug, Args)]
pub struct BuildArgs {
    /// The folder of a project or library, as `simple new` makes it
    #[arg(value_name = "FOLDER", conflicts_with_all = ["no_torch", "torch", "cuda", "setup"])]
    pub folder: Option<PathBuf>,
    /// Build optimized; this is the default, and the only build that Simple has
    #[arg(long)]
    release: bool,
    /// Leave the torch library alone, and do not set it up at later starts
    #[arg(long, conflicts_with_all = ["torch", "cuda"])]
    no_torch: bool,
    /// Fetch this release of libtorch, such as 2.13, and use it until the next build
    #[arg(long, value_name = "RELEASE")]
    torch: Option<String>,
    /// Also fetch what libtorch needs for NVIDIA GPUs (about 2 GB, once)
    #[arg(long)]
    cuda: bool,
    /// Show what cargo says as it comes; otherwise it is in target/release/build.log, and shown if the build fails
    #[arg(short, long)]
    pub verbose: bool,
    /// Set up the torch library for the launcher
    #[arg(long, hide = true)]
    setup: bool,
    /// What to do other than build
    #[command(subcommand)]
    action: Option<BuildAction>,
}

/// What `simple build` can do other than build.
#[derive(Debug, Subcommand)]
enum BuildAction {
    /// Run every test of the project, Rust and Simple
    Test,
    /// Make packages that need no compiler: a wheel, a .deb and a .tar.zst, in target/package
    Package {
        /// A libtorch that they are to work with, a folder or a release that is fetched; may be given for each of several
        #[arg(long, value_name = "FOLDER|RELEASE")]
        torch: Vec<PathBuf>,
    },
}

impl BuildArgs {
    /// The folder whose project may be meant: the one that is named, or the working folder if nothing is asked of the
    /// set-up.
    pub fn of_project(&self) -> Option<&Path> {
        let of_set_up =
            self.release || self.no_torch || self.torch.is_some() || self.cuda || self.setup;
        match &self.folder {
            Some(folder) => Some(folder),
            None if of_set_up || self.action.is_some() => None,
            None => Some(Path::new(".")),
        }
    }

    /// What is requested.
    pub fn request(&self) -> Request {
        let torch = match self {
            Self { no_torch: true, .. } => Torch::Without,
            Self { torch, cuda, .. } => Torch::With(Wanted {
                release: torch.clone(),
                cuda: *cuda,
            }),
        };
        match &self.action {
            _ if self.setup => Request::SetUp,
            Some(BuildAction::Test) => Request::Test(torch),
            Some(BuildAction::Package { torch }) => Request::Package(torch.clone()),
            None => Request::Build(torch),
        }
    }
}
