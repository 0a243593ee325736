//! Nothing but dependencies; see `Cargo.toml`.

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::process::Command;

    /// The crates that are compiled for these packages, each with its features.
    fn compiled(packages: &[&str]) -> BTreeSet<String> {
        let mut cargo = Command::new(env!("CARGO"));
        cargo.current_dir(env!("CARGO_MANIFEST_DIR"));
        cargo.args(["tree", "--offline", "--edges=normal,build", "--prefix=none"]);
        cargo.args(["--format={p} [{f}]", "--no-dedupe"]);
        for package in packages {
            cargo.args(["-p", package]);
        }
        let output = cargo.output().expect("cargo starts");
        assert!(output.status.success(), "{output:?}");
        let lines = String::from_utf8(output.stdout).expect("text");
        lines.lines().map(str::to_owned).collect()
    }

    #[test]
    fn a_crate_has_the_same_features_whatever_is_built() {
        let packages = [
            "simple-cli",
            "simple-torch-library",
            "simple-setup",
            "simple-package",
        ];
        let all = compiled(&packages);
        assert!(all.len() > 100, "{all:?}");
        for package in packages {
            let alone = compiled(&[package]);
            let other: Vec<&String> = alone.difference(&all).collect();
            assert!(
                other.is_empty(),
                "{package} alone is built with other features than with {packages:?}: list the missing ones in Cargo.toml: {other:#?}"
            );
        }
    }
}
