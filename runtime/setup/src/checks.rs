//! `simple build test`: every check of the project in one command, which is also what continuous integration runs.
//!
//! Simple's own tests (`simple test`, the example programs) are started by Rust integration tests, which cargo builds and `suites.rs` runs.
//! Everything is built with the profile that set-up already used: from nothing that is quicker than a second build of
//! Cranelift, and it tests what users run. The last line is `N passed, N failed`.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, ExitCode, Stdio};

use super::SetupError;
use super::cargo::Cargo;
use super::deny;
use super::find::Libtorch;
use super::progress::say;
use super::suites;

/// How many checks passed and failed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    pub passed: u64,
    pub failed: u64,
}

impl Tally {
    /// A check that failed as a whole.
    pub fn failure() -> Self {
        Self {
            passed: 0,
            failed: 1,
        }
    }

    /// Adds what others came to.
    pub fn add(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
    }

    /// Adds one check that is a whole command: formatting, lints.
    fn add_one(&mut self, passed: bool) {
        self.add(if passed {
            Self {
                passed: 1,
                failed: 0,
            }
        } else {
            Self::failure()
        });
    }
}

/// Runs every check. `torch` is the libtorch that the torch tests use, `None` when the user left it out, or why there is
/// none, which counts as a failed check. With those of the releases `others` that are not the same one, which `prepare` finds and builds for, the
/// specs run too. The tests' output and the sum go to `out`.
pub fn run(
    cargo: &Cargo<'_>,
    torch: Result<Option<Libtorch>, SetupError>,
    others: &[&str],
    prepare: impl Fn(&str) -> Result<Libtorch, SetupError>,
    out: &mut (impl Write + Send),
) -> Result<ExitCode, SetupError> {
    let mut tally = Tally::default();
    let libtorch = torch.unwrap_or_else(|error| {
        say(&format!("error: {error}"));
        tally.add_one(false);
        None
    });

    say("formatting");
    let mut format = cargo.command("fmt", None);
    format.args(["--all", "--", "--check"]);
    tally.add_one(cargo.succeeds(&mut format)?);

    say("lints");
    let mut lint = cargo.command("clippy", libtorch.as_ref());
    lint.args(cargo.common_arguments()).arg("--all-targets");
    if libtorch.is_some() {
        lint.arg("--workspace");
    }
    lint.args(["--", "-D", "warnings"]);
    tally.add_one(cargo.succeeds(&mut lint)?);

    say("dependencies");
    for passed in deny::run(cargo)? {
        tally.add_one(passed);
    }

    say("tests");
    // Tests that need the built library run where these are set.
    let variables = libtorch.as_ref().map(|libtorch| {
        let library = cargo.torch_library(&libtorch.version);
        [
            ("SIMPLE_TORCH_LIBRARY", library),
            ("SIMPLE_LIBTORCH_DIR", libtorch.lib_dir()),
        ]
    });
    let variables = variables.as_ref().map_or(&[][..], |both| both);
    tally.add(suites::run(cargo, &[], None, variables, out)?);
    tally.add(documented(cargo, &[], None, out)?);

    match &libtorch {
        Some(libtorch) => {
            say("tests with libtorch");
            const PACKAGES: [&str; 2] = ["simple-torch", "simple-torch-shim"];
            tally.add(suites::run(cargo, &PACKAGES, Some(libtorch), &[], out)?);
            tally.add(documented(cargo, &PACKAGES, Some(libtorch), out)?);
        }
        None => say("tests with libtorch are left out"),
    }

    // Last: cargo compiles the shim for one libtorch at a time, and up to here it is that of the tests.
    let used = libtorch.as_ref().map(|libtorch| libtorch.version.as_str());
    for release in others.iter().filter(|release| used != Some(**release)) {
        say(&format!("specs with libtorch {release}"));
        match prepare(release) {
            Ok(other) => {
                let mut test = cargo.tests(&["simple-cli"], None);
                test.args(["--test", "releases"])
                    .env("SIMPLE_OTHER_LIBTORCH", &other.root);
                tally.add(count_tests(test, out)?);
            }
            Err(error) => {
                say(&format!("error: {error}"));
                tally.add_one(false);
            }
        }
    }

    // A missing reader does not change the result.
    let _ = writeln!(out, "{} passed, {} failed", tally.passed, tally.failed);
    Ok(if tally.failed == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Runs the tests in doc comments.
fn documented(
    cargo: &Cargo<'_>,
    packages: &[&str],
    libtorch: Option<&Libtorch>,
    out: &mut impl Write,
) -> Result<Tally, SetupError> {
    let mut test = cargo.tests(packages, libtorch);
    test.args(["--no-fail-fast", "--doc"]);
    count_tests(test, out)
}

/// Runs `cargo test`, shows what it prints, and sums its `test result:` lines.
fn count_tests(mut command: Command, out: &mut impl Write) -> Result<Tally, SetupError> {
    command.stdout(Stdio::piped());
    let program = command.get_program().to_owned();
    let failed_to = |action, error| SetupError::io(action, program.as_ref(), error);
    let mut child = command.spawn().map_err(|error| failed_to("start", error))?;
    let mut tally = Tally::default();
    if let Some(stdout) = child.stdout.take() {
        let mut reader = BufReader::new(stdout);
        let mut line = Vec::new();
        // Tests may print any bytes, so lines are not required to be text.
        while reader
            .read_until(b'\n', &mut line)
            .map_err(|error| failed_to("read from", error))?
            > 0
        {
            // A missing reader is not a reason to stop testing.
            let _ = out.write_all(&line);
            if let Some(counted) = test_result(&String::from_utf8_lossy(&line)) {
                tally.add(counted);
            }
            line.clear();
        }
    }
    let status = child.wait().map_err(|error| failed_to("wait for", error))?;
    if !status.success() && tally.failed == 0 {
        // A test program that did not compile or was killed prints no result.
        tally.failed = 1;
    }
    Ok(tally)
}

/// The numbers in `test result: ok. 12 passed; 0 failed; 1 ignored; ...`.
pub fn test_result(line: &str) -> Option<Tally> {
    let rest = line.trim_start().strip_prefix("test result: ")?;
    let (_, counts) = rest.split_once(". ")?;
    let number = |word: &str| {
        let part = counts
            .split(';')
            .map(str::trim)
            .find(|part| part.ends_with(word))?;
        part.split_whitespace().next()?.parse().ok()
    };
    Some(Tally {
        passed: number("passed")?,
        failed: number("failed")?,
    })
}

#[cfg(test)]
mod tests {
    use super::super::env::test_support::Scratch;
    use super::super::env::{Env, Layout};
    use super::*;
    use std::path::Path;

    #[test]
    fn result_lines() {
        let line = "test result: FAILED. 12 passed; 3 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.01s\n";
        assert_eq!(
            test_result(line),
            Some(Tally {
                passed: 12,
                failed: 3
            })
        );
        for other in [
            "test result",
            "test result: ok. many passed",
            "test a ... ok",
            "test result: ok. 1 passed",
        ] {
            assert_eq!(test_result(other), None, "{other}");
        }
    }

    #[test]
    fn a_whole_command_counts_as_one() {
        let mut tally = Tally::default();
        tally.add_one(true);
        tally.add_one(false);
        tally.add_one(true);
        let (passed, failed) = (2, 1);
        assert_eq!(tally, Tally { passed, failed });
    }

    fn libtorch(version: &str) -> Libtorch {
        Libtorch {
            root: Path::new("/lt").join(version),
            version: version.to_owned(),
        }
    }

    /// Runs all checks with a `cargo` that answers like `body`, where `$1` is the subcommand.
    fn outcome(
        name: &str,
        body: &str,
        torch: Result<Option<Libtorch>, SetupError>,
        others: &[&str],
    ) -> (ExitCode, String, String) {
        let scratch = Scratch::new(name);
        let log = scratch.path().join("log");
        let mut env = Env::empty();
        env.set(
            "PATH",
            scratch.program("cargo", &format!("echo \"$*\" >>{}\n{body}", log.display())),
        );
        let layout = Layout::at(scratch.path());
        let mut out = Vec::new();
        let prepare = |release: &str| match release {
            "2.9.0" => Err(SetupError::NoPython),
            _ => Ok(libtorch(release)),
        };
        let cargo = Cargo::find(&env, &layout).unwrap();
        let code = run(&cargo, torch, others, prepare, &mut out).unwrap();
        (
            code,
            std::fs::read_to_string(log).unwrap(),
            String::from_utf8(out).unwrap(),
        )
    }

    fn is_success(code: ExitCode) -> bool {
        // ExitCode cannot be compared; its debug form can.
        format!("{code:?}") == format!("{:?}", ExitCode::SUCCESS)
    }

    const PASS: &str =
        "[ $1 = test ] && echo 'test result: ok. 2 passed; 0 failed; 0 ignored'; exit 0";

    #[test]
    fn all_pass() {
        let (code, log, out) = outcome(
            "checks-pass",
            PASS,
            Ok(Some(libtorch("2.11.0"))),
            &["2.11.0"],
        );
        assert!(is_success(code));
        // Two test runs of two tests, the format and the lints; what the tests print is passed on.
        assert!(
            out.ends_with("\n6 passed, 0 failed\n") && out.contains("test result: ok. 2 passed"),
            "{out}"
        );
        for part in [
            "fmt --all -- --check",
            "--workspace -- -D warnings",
            "-p simple-torch",
        ] {
            assert!(log.contains(part), "{part} in {log}");
        }
        assert!(!log.contains("releases"), "{log}");
    }

    #[test]
    fn the_specs_run_with_other_releases_too() {
        let own = || Ok(Some(libtorch("2.15.0")));
        let body = format!("[ \"$SIMPLE_OTHER_LIBTORCH\" = /lt/2.12.1 ] && exit 1\n{PASS}");
        let (code, log, out) = outcome("checks-other", &body, own(), &["2.11.0", "2.15.0"]);
        assert!(
            is_success(code) && out.ends_with("\n8 passed, 0 failed\n"),
            "{out}"
        );
        assert_eq!(log.matches("-p simple-cli --test releases").count(), 1);
        // One that fails, and one that cannot be had.
        let (code, _, out) = outcome("checks-others", &body, own(), &["2.12.1", "2.9.0"]);
        assert!(
            !is_success(code) && out.ends_with("\n6 passed, 2 failed\n"),
            "{out}"
        );
    }

    #[test]
    fn each_kind_of_failure_fails_the_whole() {
        for (at, body) in [
            "[ $1 = fmt ] && exit 1; exit 0",
            "[ $1 = clippy ] && exit 101; exit 0",
            "[ $1 = test ] && echo 'test result: FAILED. 1 passed; 1 failed; 0 ignored' && exit 101; exit 0",
            // Did not compile: no result line.
            "[ $1 = test ] && exit 101; exit 0",
        ]
        .into_iter()
        .enumerate()
        {
            let (code, _, out) = outcome(&format!("checks-fail-{at}"), body, Ok(None), &[]);
            assert!(!is_success(code), "{body}");
            assert!(!out.ends_with(" 0 failed\n"), "{body}: {out}");
        }
    }

    #[test]
    fn without_torch_only_when_the_user_said_so() {
        let (code, log, _) = outcome("checks-skip", PASS, Ok(None), &[]);
        assert!(is_success(code));
        assert!(
            !log.contains("simple-torch") && !log.contains("--workspace"),
            "{log}"
        );
        let (code, _, _) = outcome("checks-no-torch", PASS, Err(SetupError::NoPython), &[]);
        assert!(!is_success(code));
    }
}
