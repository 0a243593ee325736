//! Tests of `bin/simple`, the launcher, in a small tree of its own with a `cargo` that only notes how it was called.
//!
//! The compiled `simple` is a shell script here, which prints how it was called. What the real one does with
//! `build --setup` is tested in `runtime/setup`.

use simple_testing::Folder;
use std::fs;
use std::io::Write;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, SystemTime};

const LAUNCHER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../bin/simple");

struct Tree {
    dir: Folder,
}

impl Tree {
    fn new(name: &str) -> Self {
        let dir = Folder::new(&format!("launcher-{name}"));
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
    new="$SIMPLE_HOME/target/release/stamp.$$"
    echo "torch_version=2.11.0" >"$new"
    echo "state=${STATE:-ready}" >>"$new"
    echo "libtorch_dir=$SIMPLE_HOME" >>"$new"
    echo "libtorch_path=${LIBTORCH_PATH:-}" >>"$new"
    [ -n "${LIBTORCH_PATH:-}" ] || echo "environment=${VIRTUAL_ENV:-${CONDA_PREFIX:-}}" >>"$new"
    # At once, as the real one does: several starts may be doing this.
    mv "$new" "$SIMPLE_HOME/target/release/simple_torch.stamp"
    mkdir -p "$SIMPLE_HOME/target/release/torch-2.11.0"
    : >"$SIMPLE_HOME/target/release/torch-2.11.0/libsimple_torch.so"
    exit 0
fi
[ "$1" = environment ] && echo "PATH=$PATH LC_ALL=${LC_ALL-unset}"
echo "home=$SIMPLE_HOME cwd=$PWD args=$*"
exit 7"#;
        // At the first start a program of its own builds the other, here with the same cargo.
        let setup = "printf '#!/bin/sh\\ncd \"$SIMPLE_HOME\" && cargo again\\n' >target/release/setup.$$; \
                     chmod +x target/release/setup.$$; mv target/release/setup.$$ target/release/simple-setup; exit 0";
        format!(
            "[ \"$1\" = --version ] && echo 'cargo 1.95.0 (abc 2026-01-01)' && exit 0\n\
             echo \"cargo $*\" >&2\n\
             case $* in *simple-setup*) {setup} ;; esac\n\
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
            "cargo build --quiet --release --locked -p simple-setup --target-dir {}",
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
fn a_program_that_runs_native_has_no_torch_library_set_up() {
    let tree = Tree::new("native");
    tree.write("cwd/own.spl", "#![backend(native)]\nprint 1\n");
    tree.write("cwd/other.spl", "# none\n");
    // What is built anew may be the torch library's too: that start asks, and the set-up itself decides.
    let first = stderr(&tree.start(&["own.spl"], &[]));
    assert!(
        first.contains("first start: building the compiler (some"),
        "{first}"
    );
    let stamp = tree.at("root/target/release/simple_torch.stamp");
    fs::remove_file(&stamp).unwrap();
    let native = ("SIMPLE_DL_BACKEND", "native");
    let torch = ("SIMPLE_DL_BACKEND", "torch");
    for (args, vars, sets_up) in [
        (&["own.spl"][..], &[][..], false),
        (&["run", "-v", "own.spl", "--backend", "torch"], &[], false),
        (&["--backend=native", "other.spl"], &[torch], false),
        (&["test", "--backend", "native", "other.spl"], &[], false),
        (&["other.spl"], &[native], false),
        (&["-c", "print 1"], &[native], false),
        (&["own.spl"], &[torch], true),
        (&["--backend", "auto", "own.spl"], &[native], true),
        (&["other.spl"], &[], true),
        (&["absent.spl"], &[], true),
        (&[], &[], true),
    ] {
        let output = tree.start(args, vars);
        let said = stderr(&output);
        assert_eq!(said == "set up\n", sets_up, "{args:?} {vars:?}: {said}");
        assert!(sets_up || said.is_empty(), "{args:?} {vars:?}: {said}");
        assert_eq!(stamp.exists(), sets_up);
        let _ = fs::remove_file(&stamp);
    }
    // The program gets the variable as it came.
    let simple = "[ \"$*\" = 'build --setup' ] && exit 0\necho \"${SIMPLE_DL_BACKEND-unset}\"";
    tree.script("root/target/release/simple", simple);
    for (vars, expected) in [(&[][..], "unset\n"), (&[torch], "torch\n")] {
        let output = tree.start(&["--backend=auto", "own.spl"], vars);
        assert_eq!(String::from_utf8_lossy(&output.stdout), expected);
    }
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
    assert_eq!(stderr(&tree.start(&[], &moved)), "");
    // Another libtorch may be of another release: the library for that one is made, or was kept.
    assert!(stderr(&tree.start(&[], &[])).contains("set up"));
    assert_eq!(stderr(&tree.start(&[], &[])), "");
    // The torch of a Python environment comes before the one in the cache; LIBTORCH_PATH before both.
    for active in [("CONDA_PREFIX", "/conda"), ("VIRTUAL_ENV", "/venv")] {
        assert!(stderr(&tree.start(&[], &[active])).contains("set up"));
        assert_eq!(stderr(&tree.start(&[], &[active])), "");
    }
    assert!(stderr(&tree.start(&[], &moved)).contains("set up"));
    let both = [moved[0], moved[1], ("VIRTUAL_ENV", "/venv")];
    assert_eq!(stderr(&tree.start(&[], &both)), "");
    assert!(stderr(&tree.start(&[], &[])).contains("set up"));
    fs::remove_file(tree.at("root/target/release/torch-2.11.0/libsimple_torch.so")).unwrap();
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
        "id", "sed", "head", "mkdir", "rm", "mv", "find", "readlink", "dirname", "cat", "chmod",
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
fn nothing_of_the_working_folder_is_run() {
    let tree = Tree::new("hostile");
    for tool in [
        "cargo", "cc", "find", "id", "sed", "head", "mkdir", "rm", "mv", "readlink", "dirname",
        "cat",
    ] {
        tree.script(&format!("cwd/{tool}"), "echo planted >>planted");
    }
    fs::create_dir_all(tree.at("cwd/.cargo")).unwrap();
    let config = "build.rustc-wrapper = \"./planted\"\n";
    tree.write("cwd/.cargo/config.toml", config);
    let path = tree.at("path").display().to_string();
    for (name, given) in [
        ("first", format!(":.:../cwd:{path}:/usr/bin:/bin")),
        ("last", format!("{path}:/usr/bin:/bin:.:")),
    ] {
        let link = tree.at("path").join(name);
        symlink("../root/bin/simple", &link).unwrap();
        let _ = fs::remove_dir_all(tree.at("root/target"));
        let vars = [("PATH", given.as_str()), ("LC_ALL", "C.UTF-8")];
        let output = tree.start_as(&link, &["environment"], &vars);
        assert_eq!(output.status.code(), Some(7), "{}", stderr(&output));
        // The program itself gets what the user has.
        let out = String::from_utf8_lossy(&output.stdout).into_owned();
        let expected = format!("PATH={given} LC_ALL=C.UTF-8\n");
        assert!(out.starts_with(&expected), "{out}");
        assert!(!tree.at("cwd/planted").exists(), "{name}");
    }
}

#[test]
fn tools_and_files_that_others_can_write_are_refused() {
    let tree = Tree::new("others");
    let set_mode = |path: &str, mode| {
        fs::set_permissions(tree.at(path), fs::Permissions::from_mode(mode)).unwrap();
    };
    let home = tree.at("home").display().to_string();
    let refused = |path: &str, what: &str| {
        set_mode(path, 0o777);
        let output = tree.start(&["a.spl"], &[("HOME", &home)]);
        let said = stderr(&output);
        assert_eq!(output.status.code(), Some(1), "{path}: {said}");
        assert!(
            said.contains(&format!("`{what}` is not safe to use: "))
                && said.contains("can be written by others")
                && !said.contains("cargo build"),
            "{path}: {said}"
        );
        set_mode(path, 0o755);
    };
    refused("path", "cargo");
    refused("path/cargo", "cargo");
    refused("path/cc", "cc");
    fs::create_dir_all(tree.at("tools")).unwrap();
    fs::rename(tree.at("path/cargo"), tree.at("tools/cargo")).unwrap();
    symlink("../tools/cargo", tree.at("path/cargo")).unwrap();
    refused("tools", "cargo");
    refused("tools/cargo", "cargo");
    fs::create_dir_all(tree.at(".cargo")).unwrap();
    tree.write(".cargo/config.toml", "");
    refused(".cargo/config.toml", ".cargo/config.toml");
    refused(".cargo", ".cargo/config.toml");
    tree.script("path/rustc", "exit 0");
    refused("path/rustc", "rustc");
    // The homes of cargo and rustup, where they are or would be made.
    fs::create_dir_all(tree.at("home")).unwrap();
    refused("home", &format!("{home}/.cargo"));
    for (folder, names) in [
        (
            ".cargo",
            &[
                "config.toml",
                "config",
                "env",
                "credentials.toml",
                "credentials",
                "bin",
                "registry/src",
            ][..],
        ),
        (".rustup", &["settings.toml", "toolchains"]),
    ] {
        for name in names {
            let path = format!("home/{folder}/{name}");
            fs::create_dir_all(tree.at(&path)).unwrap();
            refused(&path, &tree.at(&path).display().to_string());
        }
        refused(&format!("home/{folder}"), &format!("{home}/{folder}"));
    }
    fs::create_dir_all(tree.at("other")).unwrap();
    fs::set_permissions(tree.at("other"), fs::Permissions::from_mode(0o777)).unwrap();
    let other = tree.at("other").display().to_string();
    for variable in ["CARGO_HOME", "RUSTUP_HOME"] {
        let output = tree.start(&["a.spl"], &[("HOME", &home), (variable, &other)]);
        let said = stderr(&output);
        assert!(
            said.contains(&format!("set {variable} to a folder of your own")),
            "{said}"
        );
    }
    let output = tree.start(&["a.spl"], &[]);
    assert_eq!(output.status.code(), Some(7), "{}", stderr(&output));
}

#[test]
fn a_stamp_that_is_no_file_is_made_anew() {
    let tree = Tree::new("stamp");
    tree.start(&[], &[]);
    let stamp = tree.at("root/target/release/simple_torch.stamp");
    fs::remove_file(&stamp).unwrap();
    let made = Command::new("mkfifo").arg(&stamp).status().unwrap();
    assert!(made.success());
    // This `simple` would wait at the pipe; the real one replaces it, which `runtime/setup` tests.
    tree.script("root/target/release/simple", "echo \"asked for $*\" >&2");
    assert!(stderr(&tree.start(&[], &[])).contains("asked for build --setup"));
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
        "torch_version=2.11.0\nstate=skipped\n",
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
