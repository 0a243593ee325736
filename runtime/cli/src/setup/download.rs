//! Fetches wheels with `python3 -m pip download --no-deps`, and turns what pip says into a cause and a cure.
//!
//! pip is used because it is where users already configured their index, proxy and certificates, and because it
//! checks each file against the index's hash. What is inside a wheel is checked in [`super::unpack`].

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::thread;
use std::time::Duration;

use super::SetupError;
use super::env::Env;
use super::progress::Step;

/// A Python interpreter that has pip.
pub struct Pip<'env> {
    env: &'env Env,
    python: PathBuf,
}

impl<'env> Pip<'env> {
    /// Looks for `python3` and asks whether it has pip.
    pub fn find(env: &'env Env) -> Result<Self, SetupError> {
        let python = env
            .find_program("python3")
            .or_else(|| env.find_program("python"))
            .ok_or(SetupError::NoPython)?;
        let has_pip = env
            .command(&python)
            .args(["-m", "pip", "--version"])
            .stdin(Stdio::null())
            .output()
            .is_ok_and(|output| output.status.success());
        if has_pip {
            Ok(Self { env, python })
        } else {
            Err(SetupError::NoPip { python })
        }
    }

    /// Fetches the wheels that `specs` name into `dest`, counting the bytes as they come.
    ///
    /// The wheels are first asked for as this Python would install them. If there is none for it, any Python's will do,
    /// because only the libraries and headers inside are wanted.
    pub fn download(
        &self,
        specs: &[String],
        dest: &Path,
        step: &mut Step,
    ) -> Result<(), SetupError> {
        match self.run(specs, dest, &[], step) {
            Err(SetupError::NoWheel { .. }) => {
                let any_python = any_python_arguments(std::env::consts::ARCH);
                self.run(specs, dest, &any_python, step)
            }
            result => result,
        }
    }

    fn run(
        &self,
        specs: &[String],
        dest: &Path,
        more: &[String],
        step: &mut Step,
    ) -> Result<(), SetupError> {
        // pip keeps a file being fetched in TMPDIR; /tmp is often too small for it, `dest` was checked.
        let scratch = dest.join("pip");
        for dir in [dest, &scratch] {
            fs::create_dir_all(dir).map_err(|error| SetupError::io("create", dir, error))?;
        }
        let mut command = self.env.command(&self.python);
        command
            .args([
                "-m",
                "pip",
                "download",
                "--no-deps",
                "--no-input",
                "--disable-pip-version-check",
            ])
            .args(["--progress-bar", "off", "--only-binary=:all:", "--dest"])
            .arg(dest)
            .args(more)
            .args(specs)
            .env("TMPDIR", &scratch)
            .current_dir(dest)
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
            Err(explain(&said, specs, dest))
        }
    }
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
fn explain(said: &str, specs: &[String], dest: &Path) -> SetupError {
    let what = specs.join(", ");
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

    /// What a `pip download` that answers like `body` becomes.
    fn outcome(name: &str, body: &str) -> Result<(), SetupError> {
        let scratch = Scratch::new(name);
        let body = format!("[ \"$3\" = --version ] && exit 0\n{body}");
        let env = env_with_python(&scratch, &body);
        let pip = Pip::find(&env)?;
        let mut step = Step::begin("fetching", None);
        pip.download(
            &["torch==2.11.0".to_owned()],
            &scratch.path().join("wheels"),
            &mut step,
        )
    }

    #[test]
    fn no_python_and_no_pip() {
        assert!(matches!(
            Pip::find(&Env::empty()),
            Err(SetupError::NoPython)
        ));
        let scratch = Scratch::new("pip-none");
        let env = env_with_python(&scratch, "echo 'No module named pip' >&2; exit 1");
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
        let body = "case \"$*\" in *--python-version=3.12*) exit 0;; esac\n\
                    echo 'ERROR: No matching distribution found for torch==2.11.0' >&2; exit 1";
        outcome("pip-fallback", body).unwrap();
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
    fn pip_is_asked_for_wheels_alone_and_works_beside_them() {
        let scratch = Scratch::new("pip-arguments");
        let log = scratch.path().join("log");
        let body = format!(
            "[ \"$3\" = --version ] || echo \"$TMPDIR $*\" >{}",
            log.display()
        );
        let env = env_with_python(&scratch, &body);
        let dest = scratch.path().join("wheels");
        let pip = Pip::find(&env).unwrap();
        pip.download(
            &["torch==2.11.0".to_owned()],
            &dest,
            &mut Step::begin("fetching", None),
        )
        .unwrap();
        let log = fs::read_to_string(log).unwrap();
        assert!(log.starts_with(dest.to_str().unwrap()), "{log}");
        for argument in [
            "-m pip download",
            "--no-deps",
            "--only-binary=:all:",
            "torch==2.11.0",
        ] {
            assert!(log.contains(argument), "{argument} in {log}");
        }
    }
}
