//! Tests of `bin/simple`, the launcher, in a small tree of its own with a `cargo` that only notes how it was called.
//!
//! The compiled `simple` is a shell script here, which prints how it was called. What the real one does with
//! `build --setup` is tested in `src/setup/`.

use std::fs;
use std::io::Write;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, SystemTime};

const LAUNCHER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../bin/simple");

struct Tree {
    dir: PathBuf,
}

impl Tree {
    fn new(name: &str) -> Self {
        let dir =
            std::env::temp_dir().join(format!("simple-launcher-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&dir);
        let tree = Self { dir };
        for folder in [
            "root/bin",
            "root/runtime/cli/src",
            "root/runtime/cli/tests",
            "root/ffi/torch/src",
            "root/lib",
            "path",
            "cwd",
        ] {
            fs::create_dir_all(tree.at(folder)).unwrap();
        }
        let copied = Command::new("cp")
            .arg(LAUNCHER)
            .arg(tree.at("root/bin/simple"))
            .status()
            .unwrap();
        assert!(copied.success());
        tree.write("root/Cargo.toml", "rust-version = \"1.95\"\n");
        for file in [
            "root/Cargo.lock",
            "root/runtime/cli/src/main.rs",
            "root/ffi/torch/src/lib.rs",
            "root/lib/a.spl",
            "root/runtime/cli/tests/t.rs",
        ] {
            tree.write(file, "");
        }
        // Sources are older than anything built here, whatever the clock's resolution.
        for file in [
            "root/runtime",
            "root/ffi",
            "root/Cargo.toml",
            "root/Cargo.lock",
        ] {
            age(&tree.at(file));
        }
        tree.script("path/cargo", &tree.cargo("0"));
        tree.script("path/cc", "exit 0");
        tree
    }

    /// A cargo that builds a `simple` which prints its arguments, and which sets up torch as `state` says.
    fn cargo(&self, code: &str) -> String {
        let simple = r#"#!/bin/sh
if [ "$*" = "build --setup" ]; then
    echo "set up" >&2
    echo "state=${STATE:-ready}" >"$SIMPLE_HOME/target/release/simple_torch.stamp"
    echo "libtorch_dir=$SIMPLE_HOME" >>"$SIMPLE_HOME/target/release/simple_torch.stamp"
    echo "libtorch_path=${LIBTORCH_PATH:-}" >>"$SIMPLE_HOME/target/release/simple_torch.stamp"
    : >"$SIMPLE_HOME/target/release/libsimple_torch.so"
    exit 0
fi
echo "home=$SIMPLE_HOME cwd=$PWD args=$*"
exit 7"#;
        format!(
            "[ \"$1\" = --version ] && echo 'cargo 1.95.0 (abc 2026-01-01)' && exit 0\n\
             echo \"cargo $*\" >&2\n\
             cat >target/release/simple.$$ <<'END'\n{simple}\nEND\n\
             chmod +x target/release/simple.$$; mv target/release/simple.$$ target/release/simple; exit {code}"
        )
    }

    fn at(&self, path: &str) -> PathBuf {
        self.dir.join(path)
    }

    fn write(&self, path: &str, text: &str) {
        fs::write(self.at(path), text).unwrap();
    }

    /// Writes an executable script. Another process does it: a file that this one has open for writing could be
    /// inherited by a child that another test starts at that moment, and then the system refuses to run it.
    fn script(&self, path: &str, body: &str) {
        let write = "cat >\"$0\" && chmod 755 \"$0\"";
        let path = self.at(path);
        let mut writer = Command::new("/bin/sh")
            .arg("-c")
            .arg(write)
            .arg(&path)
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        writer
            .stdin
            .take()
            .unwrap()
            .write_all(format!("#!/bin/sh\n{body}\n").as_bytes())
            .unwrap();
        assert!(writer.wait().unwrap().success());
    }

    fn start(&self, args: &[&str], vars: &[(&str, &str)]) -> Output {
        let launcher = self.at("root/bin/simple");
        self.start_as(&launcher, args, vars)
    }

    fn start_as(&self, launcher: &Path, args: &[&str], vars: &[(&str, &str)]) -> Output {
        Command::new(launcher)
            .args(args)
            .env_clear()
            .env(
                "PATH",
                format!("{}:/usr/bin:/bin", self.at("path").display()),
            )
            .envs(vars.iter().copied())
            .current_dir(self.at("cwd"))
            .output()
            .unwrap()
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.dir);
    }
}

fn age(path: &Path) {
    if path.is_dir() {
        for entry in fs::read_dir(path).unwrap() {
            age(&entry.unwrap().path());
        }
    }
    set_time(path, SystemTime::now() - Duration::from_secs(3600));
}

fn set_time(path: &Path, time: SystemTime) {
    fs::File::open(path).unwrap().set_modified(time).unwrap();
}

fn soon() -> SystemTime {
    SystemTime::now() + Duration::from_secs(3600)
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn the_first_start_builds_sets_up_and_becomes_the_program() {
    let tree = Tree::new("first");
    let first = tree.start(&["a.spl", "two words"], &[]);
    let said = stderr(&first);
    assert!(
        said.contains("first start: building the compiler"),
        "{said}"
    );
    let target = tree.at("root/target");
    assert!(
        said.contains(&format!(
            "cargo build --release --locked -p simple-cli --target-dir {}",
            target.display()
        )),
        "{said}"
    );
    assert!(said.contains("set up"), "{said}");
    let out = String::from_utf8_lossy(&first.stdout).into_owned();
    let expected = format!(
        "home={} cwd={} args=a.spl two words\n",
        tree.at("root").display(),
        tree.at("cwd").display()
    );
    assert_eq!((out, first.status.code()), (expected, Some(7)));
    let second = tree.start(&["a.spl"], &[]);
    assert_eq!(
        (stderr(&second).as_str(), second.status.code()),
        ("", Some(7))
    );
}

#[test]
fn only_sources_of_the_binary_make_it_build_again() {
    let tree = Tree::new("stale");
    tree.start(&[], &[]);
    for (file, builds) in [
        ("root/lib/a.spl", false),
        ("root/runtime/cli/tests/t.rs", false),
        ("root/runtime/cli/src/main.rs", true),
        ("root/ffi/torch/src/lib.rs", true),
        ("root/Cargo.lock", true),
    ] {
        set_time(&tree.at(file), soon());
        let said = stderr(&tree.start(&[], &[]));
        assert_eq!(said.contains("cargo build"), builds, "{file}: {said}");
        age(&tree.at(file));
    }
    fs::remove_file(tree.at("root/target/release/simple")).unwrap();
    assert!(stderr(&tree.start(&[], &[])).contains("cargo build"));
}

#[test]
fn the_torch_library_is_set_up_only_when_something_changed() {
    let tree = Tree::new("settled");
    let failed = [("STATE", "failed")];
    assert!(stderr(&tree.start(&[], &failed)).contains("set up"));
    // A failure is remembered ...
    assert_eq!(stderr(&tree.start(&[], &failed)), "");
    // ... until LIBTORCH_PATH changes.
    let moved = [("STATE", "ready"), ("LIBTORCH_PATH", "/lt")];
    assert!(stderr(&tree.start(&[], &moved)).contains("set up"));
    assert_eq!(stderr(&tree.start(&[], &[])), "");
    fs::remove_file(tree.at("root/target/release/libsimple_torch.so")).unwrap();
    assert!(stderr(&tree.start(&[], &[])).contains("set up"));
    fs::remove_file(tree.at("root/target/release/simple_torch.stamp")).unwrap();
    for no_need in ["build", "--help", "--version"] {
        assert_eq!(stderr(&tree.start(&[no_need], &[])), "", "{no_need}");
    }
    assert!(stderr(&tree.start(&["check", "x"], &[])).contains("set up"));
}

#[test]
fn no_setup_never_builds() {
    let tree = Tree::new("no-setup");
    let no = [("SIMPLE_NO_SETUP", "1")];
    let none = tree.start(&["a.spl"], &no);
    assert_eq!(none.status.code(), Some(1));
    let said = stderr(&none);
    assert!(
        said.contains("SIMPLE_NO_SETUP=1 forbids building it") && said.contains("cure: "),
        "{said}"
    );
    assert!(!tree.at("root/target").exists());
    tree.start(&["a.spl"], &[]);
    set_time(&tree.at("root/Cargo.lock"), soon());
    fs::remove_file(tree.at("root/target/release/simple_torch.stamp")).unwrap();
    let built = tree.start(&["a.spl"], &no);
    assert_eq!(
        (stderr(&built).as_str(), built.status.code()),
        ("", Some(7))
    );
}

#[test]
fn missing_and_old_tools_are_named() {
    let tree = Tree::new("tools");
    tree.script("path/cargo", "echo 'cargo 1.70.0 (abc 2023-01-01)'");
    let old = tree.start(&[], &[]);
    assert_eq!(old.status.code(), Some(1));
    let said = stderr(&old);
    assert!(
        said.contains("cargo 1.70.0 is too old: Simple needs 1.95 or newer")
            && said.contains("rustup update"),
        "{said}"
    );

    // Only these programs are there, so that the machine's own cargo and cc are not found.
    for tool in [
        "sed", "head", "mkdir", "rm", "mv", "find", "readlink", "dirname", "cat", "chmod",
    ] {
        let real = ["/usr/bin", "/bin"]
            .iter()
            .map(|dir| Path::new(dir).join(tool))
            .find(|path| path.exists());
        symlink(real.unwrap(), tree.at("path").join(tool)).unwrap();
    }
    let alone = tree.at("path").display().to_string();
    let path = [("PATH", alone.as_str())];
    tree.script("path/cargo", &tree.cargo("0"));
    fs::remove_file(tree.at("path/cc")).unwrap();
    let no_cc = tree.start(&[], &path);
    assert_eq!(no_cc.status.code(), Some(1));
    assert!(
        stderr(&no_cc).contains("no C compiler"),
        "{}",
        stderr(&no_cc)
    );

    fs::remove_file(tree.at("path/cargo")).unwrap();
    let none = tree.start(&[], &path);
    assert_eq!(none.status.code(), Some(1));
    let said = stderr(&none);
    assert!(
        said.contains("`cargo` is not on PATH") && said.contains("https://rustup.rs"),
        "{said}"
    );
    // Where rustup puts it, it is found even before a new shell is opened.
    fs::create_dir_all(tree.at("home/.cargo/bin")).unwrap();
    tree.script("home/.cargo/bin/cargo", &tree.cargo("0"));
    tree.script("path/cc", "exit 0");
    let home = tree.at("home").display().to_string();
    let found = tree.start(&[], &[("PATH", alone.as_str()), ("HOME", home.as_str())]);
    assert_eq!(found.status.code(), Some(7), "{}", stderr(&found));
}

#[test]
fn a_failed_build_is_an_error_and_tried_again() {
    let tree = Tree::new("fails");
    tree.script("path/cargo", &tree.cargo("101"));
    for _ in 0..2 {
        let failed = tree.start(&[], &[]);
        assert_eq!(failed.status.code(), Some(1));
        assert!(
            stderr(&failed).contains("building the compiler failed"),
            "{}",
            stderr(&failed)
        );
        let left = fs::read_dir(tree.at("root/target/release"))
            .unwrap()
            .flatten()
            .map(|entry| entry.file_name());
        assert_eq!(
            left.filter(|name| name.to_string_lossy().starts_with(".simple-launcher"))
                .count(),
            0
        );
    }
}

#[test]
fn links_and_odd_folders_lead_to_the_root() {
    let tree = Tree::new("links");
    tree.start(&[], &[]);
    let odd = tree.at("odd $(touch x) 'name");
    fs::rename(tree.at("root"), &odd).unwrap();
    fs::write(
        odd.join("target/release/simple_torch.stamp"),
        "state=skipped\n",
    )
    .unwrap();
    symlink(odd.join("bin/simple"), tree.at("path/first")).unwrap();
    symlink("first", tree.at("path/simple")).unwrap();
    let home = format!("home={} ", odd.display());
    for launcher in [
        tree.at("path/simple"),
        PathBuf::from("../path/simple"),
        PathBuf::from("simple"),
    ] {
        let output = tree.start_as(&launcher, &[], &[]);
        let out = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(
            out.starts_with(&home),
            "{}: {out} {}",
            launcher.display(),
            stderr(&output)
        );
    }
}

#[test]
fn several_first_starts_at_once_all_succeed() {
    let tree = Tree::new("several");
    std::thread::scope(|scope| {
        let starts = [(); 4].map(|()| scope.spawn(|| tree.start(&["x"], &[])));
        for start in starts {
            let output = start.join().unwrap();
            assert_eq!(output.status.code(), Some(7), "{}", stderr(&output));
        }
    });
    assert_eq!(stderr(&tree.start(&["x"], &[])), "");
}
