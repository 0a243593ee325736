//! Fetches wheels with `python3 -I -m pip download --require-hashes`, and turns what pip says into a cause and a cure.
//!
//! pip is used because it is where users already configured their index, proxy and certificates. Nothing that an index
//! serves is believed: pip is told the hashes, and each file is hashed here again before anything opens it.
//! [`super::wheels`] has the hashes; what is inside a wheel is checked in [`super::unpack`].

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::thread;
use std::time::Duration;

use super::SetupError;
use super::env::Env;
use super::hash;
use super::progress::{Step, say};
use super::wheels::Pin;

/// A Python interpreter that has pip.
pub struct Pip<'env> {
    env: &'env Env,
    python: PathBuf,
    /// The arguments after the interpreter with which its pip starts.
    start: &'static [&'static str],
}

/// pip, and pip in the user's own folder of packages, which `-I` leaves out.
const STARTS: [&[&str]; 2] = [
    &["-m", "pip"],
    &[
        "-c",
        "import sys, site, runpy\n\
         sys.path.append(site.getusersitepackages())\n\
         runpy.run_module('pip', run_name='__main__', alter_sys=True)",
    ],
];

impl<'env> Pip<'env> {
    /// Looks for a Python that may be run and asks whether it has pip.
    pub fn find(env: &'env Env) -> Result<Self, SetupError> {
        let pythons = env.pythons();
        for (python, why) in &pythons.refused {
            say(&format!("{} is not used: {why}", python.display()));
        }
        for python in &pythons.trusted {
            for start in STARTS {
                let has_pip = env
                    .python(python)
                    .args(start)
                    .arg("--version")
                    .stdin(Stdio::null())
                    .output()
                    .is_ok_and(|output| output.status.success());
                if has_pip {
                    return Ok(Self {
                        env,
                        python: python.clone(),
                        start,
                    });
                }
            }
        }
        let refused = pythons.refused.into_iter().next();
        Err(match (pythons.trusted.into_iter().next(), refused) {
            (Some(python), _) => SetupError::NoPip { python },
            (None, Some((python, why))) => SetupError::PythonNotTrusted { python, why },
            (None, None) => SetupError::NoPython,
        })
    }

    /// Fetches the wheels of `pins` into `dest`, counting the bytes as they come, and returns them in that order. Each
    /// has one of the hashes that its pin lists.
    ///
    /// The wheels are first requested as this Python would install them. If there is none for it, any Python's will do,
    /// because only the libraries and headers inside are wanted.
    pub fn download(
        &self,
        pins: &[Pin],
        dest: &Path,
        step: &mut Step,
    ) -> Result<Vec<PathBuf>, SetupError> {
        match self.run(pins, dest, &[], step) {
            Err(SetupError::NoWheel { .. }) => {
                let any_python = any_python_arguments(std::env::consts::ARCH);
                self.run(pins, dest, &any_python, step)?;
            }
            result => result?,
        }
        pinned_files(pins, dest)
    }

    fn run(
        &self,
        pins: &[Pin],
        dest: &Path,
        more: &[String],
        step: &mut Step,
    ) -> Result<(), SetupError> {
        // pip keeps a file being fetched in TMPDIR; /tmp is often too small for it, `dest` was checked.
        let scratch = dest.join("pip");
        for dir in [dest, &scratch] {
            fs::create_dir_all(dir).map_err(|error| SetupError::io("create", dir, error))?;
        }
        let requirements = scratch.join("requirements.txt");
        let lines = pins.iter().map(|pin| pin.requirement() + "\n");
        fs::write(&requirements, lines.collect::<String>())
            .map_err(|error| SetupError::io("write", &requirements, error))?;
        let mut command = self.env.python(&self.python);
        command
            .args(self.start)
            .args([
                "download",
                "--no-deps",
                "--no-input",
                "--disable-pip-version-check",
            ])
            .args(["--progress-bar", "off", "--only-binary=:all:", "--dest"])
            .arg(dest)
            .args(more)
            .args(["--require-hashes", "--requirement"])
            .arg(&requirements)
            .env("TMPDIR", &scratch)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        let mut pip = command
            .spawn()
            .map_err(|error| SetupError::io("start", &self.python, error))?;
        let mut stderr = pip.stderr.take();
        let reader = thread::spawn(move || {
            let mut text = Vec::new();
            if let Some(stderr) = &mut stderr {
                // A pipe that breaks off leaves what came before, which is all there is to report.
                let _ = stderr.read_to_end(&mut text);
            }
            String::from_utf8_lossy(&text).into_owned()
        });
        let status = loop {
            match pip.try_wait() {
                Ok(Some(status)) => break status,
                Ok(None) => step.reached(bytes_under(dest)),
                Err(error) => return Err(SetupError::io("wait for", &self.python, error)),
            }
            thread::sleep(Duration::from_millis(100));
        };
        let said = reader.join().unwrap_or_default();
        let _ = fs::remove_dir_all(&scratch);
        if status.success() {
            Ok(())
        } else {
            Err(explain(&said, pins, dest))
        }
    }
}

/// Finds the file of each pin by its hash, whatever it is called. A wheel that no pin lists is refused, unopened.
fn pinned_files(pins: &[Pin], dest: &Path) -> Result<Vec<PathBuf>, SetupError> {
    let entries = fs::read_dir(dest).map_err(|error| SetupError::io("read", dest, error))?;
    let mut found = vec![None; pins.len()];
    for path in entries.flatten().map(|entry| entry.path()) {
        // A link could lead to a file that changes after it was hashed.
        if !path.symlink_metadata().is_ok_and(|data| data.is_file()) {
            continue;
        }
        let hash = hash::of_file(&path, |_| {})?;
        let at = pins.iter().position(|pin| pin.sha256.contains(&&*hash));
        match at {
            Some(at) => found[at] = Some(path),
            None => {
                return Err(SetupError::WrongHash {
                    what: path.file_name().unwrap_or_default().into(),
                    found: hash,
                });
            }
        }
    }
    let missing = || SetupError::Pip {
        what: specs(pins),
        detail: "it succeeded but left no such file".to_owned(),
    };
    found
        .into_iter()
        .map(|file| file.ok_or_else(missing))
        .collect()
}

fn specs(pins: &[Pin]) -> String {
    pins.iter().map(Pin::spec).collect::<Vec<_>>().join(", ")
}

/// Arguments with which pip gives wheels made for another Python than the one that runs it.
fn any_python_arguments(arch: &str) -> Vec<String> {
    let mut arguments = vec![
        "--python-version=3.12".to_owned(),
        "--implementation=cp".to_owned(),
    ];
    arguments.extend(["cp312", "abi3", "none"].map(|abi| format!("--abi={abi}")));
    // pip takes the platforms literally, so every glibc that the wheels may ask for is listed.
    arguments.extend(
        (17..=28)
            .rev()
            .map(|minor| format!("--platform=manylinux_2_{minor}_{arch}")),
    );
    arguments.push(format!("--platform=manylinux2014_{arch}"));
    arguments
}

/// What pip's messages mean. The order matters: pip follows a broken connection with "no matching distribution".
fn explain(said: &str, pins: &[Pin], dest: &Path) -> SetupError {
    let what = specs(pins);
    let line_with = |signs: &[&str]| {
        said.lines()
            .find(|line| signs.iter().any(|sign| line.contains(sign)))
            .map(|line| line.trim().to_owned())
    };
    if line_with(&[
        "No space left on device",
        "[Errno 28]",
        "Disk quota exceeded",
        "[Errno 122]",
    ])
    .is_some()
    {
        return SetupError::DiskFull {
            path: dest.to_owned(),
        };
    }
    let broken_network = [
        "NewConnectionError",
        "NameResolutionError",
        "ConnectTimeoutError",
        "ReadTimeoutError",
        "ProtocolError",
        "ProxyError",
        "SSLError",
        "Max retries exceeded",
        "Temporary failure in name resolution",
        "Network is unreachable",
        "Connection refused",
        "Read timed out",
        "Could not fetch URL",
        "IncompleteRead",
    ];
    if let Some(line) = line_with(&broken_network) {
        return SetupError::NoNetwork {
            detail: shortened(&line),
        };
    }
    if line_with(&["DO NOT MATCH THE HASHES"]).is_some() {
        // The requirement that did not match is above the hashes: `    torch==2.11.0 from https://...:`.
        let wrong = said
            .lines()
            .find_map(|line| line.strip_prefix("    ")?.split_once(" from "));
        let got = said
            .lines()
            .find_map(|line| line.trim().strip_prefix("Got "));
        return SetupError::WrongHash {
            what: wrong
                .map_or(what, |(spec, _)| spec.trim().to_owned())
                .into(),
            found: got.unwrap_or("another").trim().to_owned(),
        };
    }
    if let Some(line) = line_with(&["No matching distribution found", "Could not find a version"]) {
        return SetupError::NoWheel {
            what,
            detail: shortened(&line),
        };
    }
    let last = said
        .lines()
        .rev()
        .find(|line| line.contains("ERROR"))
        .or_else(|| said.lines().last());
    SetupError::Pip {
        what,
        detail: shortened(last.unwrap_or("it gave no reason").trim()),
    }
}

/// pip's connection warnings quote a chain of Python objects; what matters is at their end.
fn shortened(line: &str) -> String {
    let line = match line.split_once("connection broken by '") {
        Some((_, rest)) => rest,
        None => line,
    };
    let line = line.rsplit_once(">: ").map_or(line, |(_, rest)| rest);
    let line = line.split_once("')': /").map_or(line, |(rest, _)| rest);
    let line = line
        .trim_start_matches("ERROR: ")
        .trim_start_matches("WARNING: ");
    match line.char_indices().nth(160) {
        Some((at, _)) => format!("{}...", &line[..at]),
        None => line.to_owned(),
    }
}

/// The bytes of all files under a folder; what cannot be read counts nothing, for this is only progress.
pub fn bytes_under(dir: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(dir) else {
        return 0;
    };
    entries
        .flatten()
        .map(|entry| match entry.metadata() {
            Ok(meta) if meta.is_dir() => bytes_under(&entry.path()),
            Ok(meta) => meta.len(),
            Err(_) => 0,
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::super::env::test_support::Scratch;
    use super::*;

    fn env_with_python(scratch: &Scratch, body: &str) -> Env {
        let mut env = Env::empty();
        env.set("PATH", scratch.program("python3", body));
        env
    }

    /// A wheel whose content is `wheel`.
    fn pin() -> Pin {
        Pin {
            project: "torch",
            version: "2.11.0",
            bytes: 5,
            sha256: vec![
                "0000000000000000000000000000000000000000000000000000000000000000",
                "ba59926159d2aa256eb8739b8da7e2b574b960e1202c6d624cbe981cef996c91",
            ],
        }
    }
    /// Leaves that wheel in `$dest`.
    const SERVE: &str = "printf wheel >\"$dest/torch.whl\"";

    /// A `python3` with a pip whose `download` answers like `body`; `$dest` is the folder to fill.
    fn python(body: &str) -> String {
        format!(
            "[ \"$4\" = --version ] && exit 0\n\
             all=$*; while [ $# -gt 0 ]; do [ \"$1\" = --dest ] && dest=$2; shift; done\n{body}"
        )
    }

    /// What a `pip download` that answers like `body` becomes.
    fn outcome(name: &str, body: &str) -> Result<(), SetupError> {
        let scratch = Scratch::new(name);
        let env = env_with_python(&scratch, &python(body));
        let mut step = Step::begin("fetching", None);
        let dest = scratch.path().join("wheels");
        let files = Pip::find(&env)?.download(&[pin()], &dest, &mut step)?;
        assert_eq!(files, [dest.join("torch.whl")]);
        Ok(())
    }

    #[test]
    fn no_python_and_no_pip() {
        assert!(matches!(
            Pip::find(&Env::empty()),
            Err(SetupError::NoPython)
        ));
        let scratch = Scratch::new("pip-none");
        let env = env_with_python(&scratch, "echo 'No module named pip' >&2; exit 1");
        let strict = Pip::find(&env.clone().strict()).err().unwrap().to_string();
        if scratch.path().starts_with("/tmp") {
            assert!(
                strict.contains("/tmp can be written by every user"),
                "{strict}"
            );
        }
        let Err(error) = Pip::find(&env) else {
            panic!("found a pip")
        };
        assert!(error.to_string().contains("has no pip"), "{error}");
    }

    #[test]
    fn no_network() {
        // pip 23 on a machine without a network, shortened.
        let body = r#"cat >&2 <<'END'
WARNING: Retrying (Retry(total=4, connect=None)) after connection broken by 'NewConnectionError('<pip._vendor.urllib3.connection.HTTPSConnection object at 0x7f>: Failed to establish a new connection: [Errno -2] Name or service not known')': /simple/torch/
ERROR: Could not find a version that satisfies the requirement torch==2.11.0 (from versions: none)
ERROR: No matching distribution found for torch==2.11.0
END
exit 1"#;
        let error = outcome("pip-network", &body.replace("cat", "/bin/cat")).unwrap_err();
        assert!(matches!(&error, SetupError::NoNetwork { .. }), "{error}");
        let text = error.to_string();
        assert!(
            text.contains(
                "(Failed to establish a new connection: [Errno -2] Name or service not known)"
            ),
            "{text}"
        );
    }

    #[test]
    fn full_disk() {
        let body = "echo 'ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device' >&2; exit 1";
        assert!(matches!(
            outcome("pip-disk", body),
            Err(SetupError::DiskFull { .. })
        ));
    }

    #[test]
    fn without_a_wheel_for_this_python_another_is_asked_for() {
        let body = format!(
            "case $all in *--python-version=3.12*) {SERVE}; exit 0;; esac\n\
             echo 'ERROR: No matching distribution found for torch==2.11.0' >&2; exit 1"
        );
        outcome("pip-fallback", &body).unwrap();
        let never = "echo 'ERROR: No matching distribution found for torch==2.11.0' >&2; exit 1";
        let error = outcome("pip-nowheel", never).unwrap_err();
        assert!(matches!(error, SetupError::NoWheel { .. }), "{error}");
    }

    #[test]
    fn other_failures_quote_pip() {
        let error = outcome("pip-other", "echo 'ERROR: something else' >&2; exit 2").unwrap_err();
        assert!(error.to_string().contains("something else"), "{error}");
        let error = outcome("pip-mute", "exit 2").unwrap_err();
        assert!(error.to_string().contains("gave no reason"), "{error}");
    }

    #[test]
    fn pip_is_asked_for_pinned_wheels_alone_and_works_beside_them() {
        let scratch = Scratch::new("pip-arguments");
        let log = scratch.path().join("log");
        let body = format!(
            "echo \"$PWD $TMPDIR $all\" >{0}; /bin/cat \"$TMPDIR/requirements.txt\" >>{0}; {SERVE}",
            log.display()
        );
        let env = env_with_python(&scratch, &python(&body));
        let dest = scratch.path().join("wheels");
        let mut step = Step::begin("fetching", None);
        let pip = Pip::find(&env).unwrap();
        pip.download(&[pin()], &dest, &mut step).unwrap();
        let log = fs::read_to_string(log).unwrap();
        assert!(log.starts_with(&format!("/ {}", dest.display())), "{log}");
        for part in [
            "-I -m pip download",
            "--no-deps",
            "--only-binary=:all:",
            "--require-hashes --requirement",
            &pin().requirement(),
        ] {
            assert!(log.contains(part), "{part} in {log}");
        }
    }

    #[test]
    fn pip_of_the_users_own_folder_is_found_too() {
        let scratch = Scratch::new("pip-user");
        let body = format!("[ \"$2\" = -m ] && exit 1\n{}", python(SERVE));
        let env = env_with_python(&scratch, &body);
        let mut step = Step::begin("fetching", None);
        let dest = scratch.path().join("wheels");
        let pip = Pip::find(&env).unwrap();
        pip.download(&[pin()], &dest, &mut step).unwrap();
    }

    #[test]
    fn what_has_another_hash_is_refused_by_pip_or_by_us() {
        // pip 23's words.
        let body = r#"/bin/cat >&2 <<'END'
ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE. If you have updated the package versions, please update the hashes. Otherwise, examine the package contents carefully; someone may have tampered with them.
    torch==2.11.0 from file:///planted/torch-2.11.0-cp311-cp311-manylinux_2_28_x86_64.whl:
        Expected sha256 1b32
        Expected     or 7aa2
             Got        feedbeef
END
exit 1"#;
        let error = outcome("pip-hash", body).unwrap_err().to_string();
        assert!(
            error.contains("torch==2.11.0") && error.contains("feedbeef"),
            "{error}"
        );
        // A pip that does not look.
        let error = outcome("pip-blind", "printf planted >\"$dest/torch.whl\"").unwrap_err();
        assert!(matches!(&error, SetupError::WrongHash { .. }), "{error}");
        // A wheel too many, beside the right one.
        let body = format!("{SERVE}; printf planted >\"$dest/more.whl\"");
        let error = outcome("pip-more", &body).unwrap_err();
        assert!(error.to_string().contains("more.whl"), "{error}");
        // A link in the place of the wheel, and nothing.
        let body = "printf wheel >\"$dest/../w\"; /bin/ln -s ../w \"$dest/torch.whl\"";
        for (name, body) in [("pip-link", body), ("pip-nothing", "exit 0")] {
            let error = outcome(name, body).unwrap_err().to_string();
            assert!(error.contains("left no such file"), "{error}");
        }
    }
}
