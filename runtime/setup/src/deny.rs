//! Asks `cargo deny` about the crates that Simple is built from: licences, where they come from, which are banned, and
//! which have a reported vulnerability. `deny.toml` has the rules.
//!
//! No network is needed or used. What cannot be asked without one, or without `cargo deny`, is reported and counts
//! neither as passed nor as failed.

use std::fs;
use std::path::PathBuf;
use std::process::Stdio;

use super::SetupError;
use super::cargo::Cargo;
use super::progress::say;

/// Runs the checks that can be run here; one result for each.
pub fn run(cargo: &Cargo<'_>) -> Result<Vec<bool>, SetupError> {
    let left_out = |what: &str, why: &str| say(&format!("{what} of crates are not checked: {why}"));
    if cargo.find_subcommand("deny").is_none() {
        left_out(
            "licences, sources and reported vulnerabilities",
            "`cargo deny` is not installed (`cargo install cargo-deny`)",
        );
        return Ok(Vec::new());
    }
    let mut results = Vec::new();
    if has_crates(cargo)? {
        results.push(passes(cargo, &["licenses", "sources", "bans"])?);
        if has_advisories(cargo) {
            results.push(passes(cargo, &["advisories"])?);
        } else {
            left_out(
                "reported vulnerabilities",
                "their list is not on this machine (`cargo deny fetch` gets it)",
            );
        }
    } else {
        left_out(
            "licences, sources and reported vulnerabilities",
            "not all crates are on this machine (`cargo fetch` gets them)",
        );
    }
    Ok(results)
}

fn passes(cargo: &Cargo<'_>, what: &[&str]) -> Result<bool, SetupError> {
    let mut command = cargo.command("deny", None);
    command.args(["--offline", "--locked", "check", "--hide-inclusion-graph"]);
    cargo.succeeds(command.args(what))
}

/// Whether cargo can describe all crates without a network; those of other machines are fetched only on request.
fn has_crates(cargo: &Cargo<'_>) -> Result<bool, SetupError> {
    let mut command = cargo.command("metadata", None);
    command.args(["--offline", "--locked", "--quiet", "--format-version=1"]);
    for machine in ["x86_64", "aarch64"] {
        command.arg(format!("--filter-platform={machine}-unknown-linux-gnu"));
    }
    command.stdout(Stdio::null()).stderr(Stdio::null());
    cargo.succeeds(&mut command)
}

fn has_advisories(cargo: &Cargo<'_>) -> bool {
    let lists = |home: PathBuf| fs::read_dir(home.join("advisory-dbs"));
    let mut homes = cargo.homes();
    homes.any(|home| lists(home).is_ok_and(|mut entries| entries.next().is_some()))
}

#[cfg(test)]
mod tests {
    use super::super::env::test_support::Scratch;
    use super::super::env::{Env, Layout};
    use super::*;

    /// What comes of the checks with a `cargo` that answers like `body`, and how it was called.
    fn outcome(name: &str, installed: bool, list: bool, body: &str) -> (Vec<bool>, String) {
        let scratch = Scratch::new(name);
        let log = scratch.path().join("log");
        let bin = scratch.program("cargo", &format!("echo \"$*\" >>{}\n{body}", log.display()));
        if installed {
            scratch.program("cargo-deny", "exit 0");
        }
        if list {
            fs::create_dir_all(scratch.path().join("home/advisory-dbs/db")).unwrap();
        }
        let mut env = Env::empty();
        env.set("PATH", bin);
        env.set("CARGO_HOME", scratch.path().join("home"));
        let layout = Layout::at(scratch.path());
        let results = run(&Cargo::find(&env, &layout).unwrap()).unwrap();
        (results, fs::read_to_string(log).unwrap_or_default())
    }

    #[test]
    fn what_cannot_be_asked_is_left_out() {
        let (results, log) = outcome("deny-none", false, true, "exit 0");
        assert_eq!((results, log.as_str()), (vec![], ""));
        let (results, log) = outcome("deny-crates", true, true, "[ $1 != metadata ]");
        assert_eq!((results.len(), log.lines().count()), (0, 1), "{log}");
        let (results, log) = outcome("deny-list", true, false, "exit 0");
        assert_eq!(results, [true]);
        assert!(
            log.contains("deny --offline --locked check") && !log.contains("advisories"),
            "{log}"
        );
    }

    #[test]
    fn what_is_found_is_a_failure() {
        let (results, _) = outcome("deny-found", true, true, "[ $1 != deny ]");
        assert_eq!(results, [false, false]);
        let advisories = "case $* in *advisories) exit 1 ;; esac";
        let (results, _) = outcome("deny-hole", true, true, advisories);
        assert_eq!(results, [true, false]);
    }
}
