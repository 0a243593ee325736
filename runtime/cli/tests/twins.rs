//! Generated programs beside their twins in Python, for a minute: `twins/run.py` says what is generated and how each program is run.
//!
//! `TWINS_SECONDS` and `TWINS_SEEDS` (`from..to`) run it for longer, or for other programs; `runtime/cli/tests/twins.sh` does for ten minutes.

use std::process::Command;

#[test]
fn generated_programs_do_what_their_twins_in_python_do() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/twins");
    let given = |name: &str, usual: &str| std::env::var(name).unwrap_or_else(|_| usual.to_owned());
    let mut backends = "native".to_owned();
    if std::env::var_os("SIMPLE_TORCH_LIBRARY").is_some() {
        backends.push_str(",torch");
    }
    let done = Command::new("python3")
        .arg("-B")
        .arg(format!("{folder}/run.py"))
        .args(["--simple", env!("CARGO_BIN_EXE_simple")])
        .args(["--seconds", &given("TWINS_SECONDS", "60")])
        .args(["--seeds", &given("TWINS_SEEDS", "0..1000000")])
        .args(["--tensors", &backends])
        .env("SIMPLE_HOME", concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
        .output()
        .expect("python3 is there: libtorch is fetched with it");
    let said = String::from_utf8_lossy(&done.stdout);
    let wrong = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{said}{wrong}");
    assert!(said.contains(" programs, 0 differ"), "{said}{wrong}");
}
