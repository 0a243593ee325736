//! Where the layers of a configuration come from: files, variables of the environment, the command line.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

const FILE: &str = "dl.config.sdn";
const LOCAL_FILE: &str = "dl.config.local.sdn";
/// What the names of most variables of the configuration begin with, and no other variable's does.
const PREFIX: &str = "SIMPLE_DL_";
const VARIABLES: [(&str, &str); 4] = [
    ("DEBUG_CUDA", "debug_cuda"),
    ("SIMPLE_DL_DEVICE", "device"),
    ("SIMPLE_DL_DTYPE", "dtype"),
    ("SIMPLE_DL_BACKEND", "backend"),
];

/// Values from the command line, which win over everything.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Overrides {
    /// `--device`.
    pub device: Option<String>,
    /// `--dtype`.
    pub dtype: Option<String>,
    /// `--backend`.
    pub backend: Option<String>,
    /// `--no-gpu`: the CPU, and no GPU for anything that the program asks for.
    pub no_gpu: bool,
    /// `--debug-cuda`: kernels one by one, and what CUDA says of itself.
    pub debug_cuda: bool,
}

impl Overrides {
    /// No option at all.
    pub const NONE: Overrides = Overrides {
        device: None,
        dtype: None,
        backend: None,
        no_gpu: false,
        debug_cuda: false,
    };
}

/// What a file of a program says of the backend: `#![backend(native)]`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Declared {
    /// The word.
    pub word: String,
    /// Where it is: `main.spl:1:12`.
    pub place: String,
}

/// Where the layers come from; [`Sources::of_process`] for a real run.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Sources {
    /// Files, lowest layer first. Those that are not there are skipped.
    pub files: Vec<PathBuf>,
    /// What the program says, above all files.
    pub program: Option<Declared>,
    /// Variables of the environment that are set: name and value.
    pub environment: Vec<(String, OsString)>,
    /// The command line.
    pub overrides: Overrides,
}

impl Sources {
    /// The files and variables of this process, in its working directory, for a program that says this itself.
    pub fn of_process(overrides: Overrides, program: Option<Declared>) -> Sources {
        let home = std::env::var_os("HOME").filter(|home| !home.is_empty());
        let user = home.map(|home| Path::new(&home).join(".simple").join(FILE));
        let mut environment: Vec<(String, OsString)> = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value)))
            .filter(|(name, value)| {
                (name.starts_with(PREFIX) || key_of_variable(name).is_some()) && !value.is_empty()
            })
            .collect();
        environment.sort();
        Sources {
            files: user
                .into_iter()
                .chain([PathBuf::from(FILE), PathBuf::from(LOCAL_FILE)])
                .collect(),
            program,
            environment,
            overrides,
        }
    }

    /// As [`of_process`](Self::of_process), with one file in place of all others.
    pub fn of_file(path: &Path, overrides: Overrides, program: Option<Declared>) -> Sources {
        Sources {
            files: vec![path.to_owned()],
            ..Sources::of_process(overrides, program)
        }
    }
}

/// The key that a variable sets.
pub(super) fn key_of_variable(name: &str) -> Option<&'static str> {
    VARIABLES
        .into_iter()
        .find_map(|(known, key)| (known == name).then_some(key))
}

/// The names of the variables.
pub(super) fn variables() -> impl Iterator<Item = &'static str> {
    VARIABLES.into_iter().map(|(name, _)| name)
}
