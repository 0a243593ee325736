//! Starts the command on a machine that a test describes.

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::fakes;

/// A machine: variables, the folder in which the command runs, and Simple's own folder.
pub struct Machine {
    variables: Vec<(String, String)>,
    pub folder: PathBuf,
    home: PathBuf,
}

/// What a command did.
pub struct Run {
    pub status: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Run {
    /// Whether the output has every one of these.
    #[track_caller]
    pub fn has(&self, parts: &[&str]) -> &Run {
        for part in parts {
            assert!(
                self.stdout.contains(part),
                "{part:?} is missing in:\n{}{}",
                self.stdout,
                self.stderr
            );
        }
        self
    }

    #[track_caller]
    pub fn lacks(&self, parts: &[&str]) -> &Run {
        for part in parts {
            assert!(
                !self.stdout.contains(part),
                "{part:?} is in:\n{}",
                self.stdout
            );
        }
        self
    }

    /// The lines about what is not well.
    pub fn complaints(&self) -> Vec<&str> {
        let lines = self.stdout.lines();
        lines
            .filter(|line| line.starts_with("broken") || line.starts_with("warning"))
            .collect()
    }
}

pub fn library_home() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

impl Machine {
    /// Without a torch library.
    pub fn without_torch(name: &str) -> Machine {
        let folder = fakes::folder(name);
        let home = folder.join("home");
        // By these Simple's own folder is known.
        std::fs::create_dir_all(home.join("ffi/torch")).expect("make a folder");
        symlink(library_home().join("lib"), home.join("lib")).expect("link the library");
        std::fs::write(home.join("Cargo.toml"), "").expect("write a file");
        Machine {
            variables: Vec::new(),
            folder,
            home,
        }
    }

    /// With the torch library that the tests are given, if there is one, and its libtorch.
    pub fn with_torch(name: &str) -> Option<Machine> {
        let variable = |name| std::env::var_os(name).map(PathBuf::from);
        let Some(library) = variable("SIMPLE_TORCH_LIBRARY") else {
            println!("left out: there is no torch library; `bin/simple build test` builds one");
            return None;
        };
        let libtorch = variable("SIMPLE_LIBTORCH_DIR")?;
        let machine = Machine::without_torch(name);
        let version = release(&libtorch);
        let place = machine.torch_library(&version);
        std::fs::create_dir_all(place.parent().expect("in a folder")).expect("make a folder");
        std::fs::copy(library, place).expect("copy the torch library");
        machine.stamp(&libtorch, &version);
        Some(machine)
    }

    /// The torch library for a release, which may be replaced.
    pub fn torch_library(&self, version: &str) -> PathBuf {
        let folder = self.home.join(format!("target/release/torch-{version}"));
        folder.join("libsimple_torch.so")
    }

    fn stamp(&self, libtorch: &Path, version: &str) {
        let root = libtorch.parent().expect("lib is in a folder").display();
        let dir = libtorch.display();
        let text = format!(
            "torch_version={version}\nstate=ready\nlibtorch_dir={dir}\nlibtorch_root={root}\n"
        );
        let stamp = self.home.join("target/release/simple_torch.stamp");
        std::fs::write(stamp, text).expect("write a stamp");
    }

    /// A folder like that of the libtorch, with links to its libraries, which may be replaced. Programs use it from now on.
    pub fn own_libtorch(&mut self) -> PathBuf {
        let real = PathBuf::from(std::env::var_os("SIMPLE_LIBTORCH_DIR").expect("checked before"));
        let torch = real.parent().expect("lib is in a folder");
        let root = self.folder.join("libtorch");
        std::fs::create_dir_all(root.join("torch/lib")).expect("make a folder");
        symlink(torch.join("include"), root.join("torch/include")).expect("link the headers");
        links(&real, &root.join("torch/lib"));
        let nvidia = torch.with_file_name("nvidia");
        if nvidia.is_dir() {
            let cuda = root.join("nvidia/cu13/lib");
            std::fs::create_dir_all(&cuda).expect("make a folder");
            links(&nvidia.join("cu13/lib"), &cuda);
            links(&nvidia, &root.join("nvidia"));
        }
        self.set("LIBTORCH_PATH", root.join("torch"));
        root
    }

    pub fn set(&mut self, name: &str, value: impl AsRef<Path>) -> &mut Machine {
        let value = value.as_ref().to_string_lossy().into_owned();
        self.variables.push((name.to_owned(), value));
        self
    }

    /// The command with these arguments; `settings` are variables for this run alone.
    pub fn run(&self, settings: &[(&str, &str)], arguments: &[&str]) -> Run {
        let mut command = Command::new(env!("CARGO_BIN_EXE_simple"));
        for name in [
            "SIMPLE_DL_DEVICE",
            "CUDA_VISIBLE_DEVICES",
            "NVIDIA_VISIBLE_DEVICES",
            "CUDA_LAUNCH_BLOCKING",
            "LD_LIBRARY_PATH",
            "LD_PRELOAD",
            "LIBTORCH_PATH",
        ] {
            command.env_remove(name);
        }
        let variables = self.variables.iter().map(|(name, value)| (name, value));
        let output = command
            .args(arguments)
            .env("SIMPLE_HOME", &self.home)
            .env("HOME", &self.folder)
            .envs(variables)
            .envs(settings.iter().copied())
            .current_dir(&self.folder)
            .stdin(Stdio::null())
            .output()
            .expect("the program under test starts");
        Run {
            status: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

/// Links to the entries of a folder, except those that are there already.
fn links(from: &Path, to: &Path) {
    for entry in std::fs::read_dir(from).into_iter().flatten().flatten() {
        let link = to.join(entry.file_name());
        if !link.exists() {
            symlink(entry.path(), link).expect("make a link");
        }
    }
}

/// The release of the libtorch in a folder `lib`, as its headers say.
pub fn release(libtorch: &Path) -> String {
    let header = libtorch.with_file_name("include/torch/headeronly/version.h");
    let text = std::fs::read_to_string(header).expect("libtorch has headers");
    let (_, after) = text
        .split_once("#define TORCH_VERSION ")
        .expect("a header says the release");
    let quoted = after.split('"').nth(1).expect("a release is quoted");
    quoted.split('+').next().unwrap_or(quoted).to_owned()
}
