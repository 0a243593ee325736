//! Attacks on a set-up: a hostile package index, working folder, cache and library. Each must be refused, and no part of it run.
//!
//! The real `simple` is started in a small source tree with a `cargo` that only notes that it was called. No network is
//! used. What runs although it must not leaves the file `planted`.

use std::fs::{self, Permissions};
use std::io::Write;
use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use simple_setup::TORCH_VERSION;

const REPOSITORY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

struct Tree {
    dir: PathBuf,
}

impl Tree {
    fn new(name: &str) -> Self {
        let dir = private_folder().join(format!("set-up-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&dir);
        let tree = Self { dir };
        for folder in [
            "root/ffi/torch",
            "root/target/release",
            "path",
            "cwd",
            "home",
            "index",
        ] {
            fs::create_dir_all(tree.at(folder)).unwrap();
        }
        tree.write("root/Cargo.toml", "");
        symlink(Path::new(REPOSITORY).join("lib"), tree.at("root/lib")).unwrap();
        let cargo = format!(
            "echo \"$*\" >>{0}/called; : >{0}/root/target/release/libsimple_torch.so",
            tree.dir.display()
        );
        tree.script("path/cargo", &cargo);
        tree.script("path/c++", "exit 0");
        tree
    }

    fn at(&self, path: &str) -> PathBuf {
        self.dir.join(path)
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.at(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Writes an executable script, by another process: a file that this one has open for writing could be inherited by a
    /// child that another test starts at that moment, and then the system refuses to run it.
    fn script(&self, path: &str, body: &str) {
        let mut writer = Command::new("/bin/sh")
            .args(["-c", "cat >\"$0\" && chmod 755 \"$0\""])
            .arg(self.at(path))
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        let script = format!("#!/bin/sh\n{body}\n");
        writer
            .stdin
            .take()
            .unwrap()
            .write_all(script.as_bytes())
            .unwrap();
        assert!(writer.wait().unwrap().success());
    }

    /// A `python3` whose pip copies what the index holds, whatever was asked for.
    fn blind_pip(&self) {
        let body = "for last; do [ \"$before\" = --dest ] && dest=$last; before=$last; done\n\
                    [ -z \"$dest\" ] || cp \"$INDEX\"/*.whl \"$dest\"";
        self.script("path/python3", body);
    }

    fn mode(&self, path: &str, mode: u32) {
        fs::set_permissions(self.at(path), Permissions::from_mode(mode)).unwrap();
    }

    /// `simple` in the working folder, with the machine's own programs after those of the tree.
    fn simple(&self, args: &[&str], vars: &[(&str, String)]) -> Output {
        let machine = std::env::var("PATH").unwrap_or_default();
        Command::new(env!("CARGO_BIN_EXE_simple"))
            .args(args)
            .env_clear()
            .env("SIMPLE_HOME", self.at("root"))
            .env("PATH", format!("{}:{machine}", self.at("path").display()))
            .env("HOME", self.at("home"))
            .env("INDEX", self.at("index"))
            .env("PIP_NO_INDEX", "1")
            .env("PIP_DISABLE_PIP_VERSION_CHECK", "1")
            .envs(vars.iter().map(|(name, value)| (name, value)))
            .current_dir(self.at("cwd"))
            .output()
            .unwrap()
    }

    fn set_up(&self, vars: &[(&str, String)]) -> String {
        let output = self.simple(&["build", "--setup"], vars);
        assert!(output.status.success(), "{output:?}");
        String::from_utf8_lossy(&output.stderr).into_owned()
    }

    fn nothing_was_run(&self, said: &str) {
        assert!(!self.at("planted").exists(), "planted code ran: {said}");
        assert!(!self.at("called").exists(), "it was built: {said}");
    }

    fn stamp(&self) -> PathBuf {
        self.at("root/target/release/simple_torch.stamp")
    }

    /// Compiles a library that leaves the file `planted` when it is opened.
    fn planted_library(&self) -> Vec<u8> {
        let mark = self.at("planted").display().to_string();
        self.write(
            "planted.c",
            &format!(
                "#include <stdio.h>\n__attribute__((constructor)) static void mark(void) {{ fclose(fopen(\"{mark}\", \"w\")); }}\n\
                 long long f(long long x);\nlong long f(long long x) {{ return x; }}\n"
            ),
        );
        let made = Command::new("cc")
            .args(["-shared", "-fPIC", "-o"])
            .args([self.at("planted.so"), self.at("planted.c")])
            .status()
            .unwrap();
        assert!(made.success());
        fs::read(self.at("planted.so")).unwrap()
    }

    /// The folder of a libtorch whose libraries are planted.
    fn planted_libtorch(&self, root: &str) {
        let library = self.planted_library();
        self.write(
            &format!("{root}/include/torch/headeronly/version.h"),
            "#define TORCH_VERSION \"2.11.0\"\n",
        );
        self.write(&format!("{root}/lib/libtorch_cpu.so"), "");
        for name in ["libtorch_cpu.so", "libc10.so"] {
            fs::write(self.at(root).join("lib").join(name), &library).unwrap();
        }
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.dir);
    }
}

/// A folder below which no other user can write: a Python below `/tmp` would be refused for that alone.
fn private_folder() -> PathBuf {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let private = |folder: &PathBuf| {
        folder.ancestors().all(|above| {
            above
                .metadata()
                .is_ok_and(|data| data.permissions().mode() & 0o022 == 0)
        })
    };
    let candidates = [Some(PathBuf::from(env!("CARGO_TARGET_TMPDIR"))), home];
    let found = candidates.into_iter().flatten().find(private);
    found.unwrap_or_else(std::env::temp_dir)
}

/// A stored zip file of one member: what pip and this program take for a wheel until they look inside.
fn wheel(member: &str, content: &[u8]) -> Vec<u8> {
    let crc = content.iter().fold(!0u32, |crc, &byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| {
            (crc >> 1) ^ (0xedb8_8320 & 0u32.wrapping_sub(crc & 1))
        })
    });
    let (length, name) = (content.len() as u32, member.len() as u16);
    let mut common = vec![20, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    for number in [!crc, length, length] {
        common.extend(number.to_le_bytes());
    }
    common.extend(name.to_le_bytes());
    common.extend([0, 0]);
    let mut zip = b"PK\x03\x04".to_vec();
    zip.extend(&common);
    zip.extend(member.as_bytes());
    zip.extend(content);
    let directory = zip.len() as u32;
    zip.extend(b"PK\x01\x02\x14\0");
    zip.extend(&common);
    zip.extend([0; 14]);
    zip.extend(member.as_bytes());
    let size = zip.len() as u32 - directory;
    zip.extend(b"PK\x05\x06\0\0\0\0\x01\0\x01\0");
    zip.extend(size.to_le_bytes());
    zip.extend(directory.to_le_bytes());
    zip.extend([0, 0]);
    zip
}

/// Fills the index with wheels of the right names.
fn planted_wheels(tree: &Tree) {
    let library = tree.planted_library();
    let list = format!("../setup/wheels/{TORCH_VERSION}.txt");
    let list = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(list)).unwrap();
    let named = list.lines().filter_map(|line| {
        let (_, rest) = line.split_once(" cpu ")?;
        rest.split_whitespace().next()
    });
    for wheel_name in named {
        let dist = wheel_name.replace('-', "_").replace("==", "-");
        let member = match dist.split_once('-').unwrap().0 {
            "torch" => "torch/lib/libtorch_cpu.so",
            "nvidia_cuda_runtime" => "nvidia/cu13/lib/libcudart.so.13",
            _ => "nvidia/cu13/lib/libcupti.so.13",
        };
        let path = tree.at("index").join(format!("{dist}-py3-none-any.whl"));
        fs::write(path, wheel(member, &library)).unwrap();
    }
}

#[test]
fn a_planted_wheel_is_refused_however_it_comes() {
    let tree = Tree::new("index");
    planted_wheels(&tree);
    let index = tree.at("index").display().to_string();
    tree.write(
        "pip.conf",
        &format!("[global]\nno-index = true\nfind-links = {index}\n"),
    );
    let config = tree.at("pip.conf").display().to_string();
    let ways = [
        ("PIP_FIND_LINKS", index.clone()),
        ("PIP_CONFIG_FILE", config),
        // And a pip that does not look at hashes at all.
        ("INDEX", index),
    ];
    for (name, value) in ways {
        if name == "INDEX" {
            tree.blind_pip();
        }
        let said = tree.set_up(&[(name, value)]);
        tree.nothing_was_run(&said);
        let home = tree.at(&format!("home/.cache/simple/libtorch-{TORCH_VERSION}"));
        assert!(!home.exists(), "{name}: {said}");
        // Where there is no pip, the others say nothing.
        let refused = said.contains("is not the one that Simple is made for: its SHA-256 is ");
        assert!(
            refused || said.contains("has no pip") || said.contains("no `python3`"),
            "{name}: {said}"
        );
        assert!(refused || name != "INDEX", "{said}");
        fs::remove_file(tree.stamp()).unwrap();
    }
}

#[test]
fn nothing_of_the_working_folder_is_run() {
    let tree = Tree::new("cwd");
    let mark = format!("open({:?}, 'w')\n", tree.at("planted"));
    for module in [
        "pip.py",
        "pip/__init__.py",
        "pip/__main__.py",
        "sitecustomize.py",
        "usercustomize.py",
        "runpy.py",
        "site.py",
        "importlib/__init__.py",
        "importlib/metadata.py",
        "torch/__init__.py",
        "zipfile.py",
    ] {
        tree.write(&format!("cwd/{module}"), &mark);
    }
    tree.write(
        "cwd/.cargo/config.toml",
        "build.rustc-wrapper = \"./planted\"\n",
    );
    tree.write("cwd/pip.conf", "[global]\nno-index = true\n");
    for program in ["python3", "python", "cargo", "c++", "cc", "df"] {
        tree.script(
            &format!("cwd/{program}"),
            &format!(": >{}", tree.at("planted").display()),
        );
    }
    let machine = std::env::var("PATH").unwrap_or_default();
    let cwd = tree.at("cwd").display().to_string();
    for path in [
        format!(":.:{}:{machine}", tree.at("path").display()),
        format!("{}:{machine}::.:../cwd", tree.at("path").display()),
    ] {
        let vars = [
            ("PATH", path),
            ("PYTHONPATH", cwd.clone()),
            ("PYTHONSTARTUP", format!("{cwd}/pip.py")),
            ("PYTHONHOME", cwd.clone()),
            ("PYTHONUSERBASE", cwd.clone()),
            ("VIRTUAL_ENV", ".".to_owned()),
        ];
        let said = tree.set_up(&vars);
        assert!(!tree.at("planted").exists(), "{said}");
        let _ = fs::remove_file(tree.stamp());
    }
}

#[test]
fn a_python_that_others_could_have_put_there_is_refused() {
    let tree = Tree::new("python");
    let plant = format!(": >{}", tree.at("planted").display());
    fs::create_dir_all(tree.at("open")).unwrap();
    tree.script("open/python3", &plant);
    tree.mode("open", 0o777);
    symlink("../open/python3", tree.at("path/python3")).unwrap();
    let path = [("PATH", tree.at("path").display().to_string())];
    let refused = |why: &str| {
        let said = tree.set_up(&path);
        tree.nothing_was_run(&said);
        assert!(
            said.contains("is not safe to run: ") && said.contains(why),
            "{said}"
        );
        fs::remove_file(tree.stamp()).unwrap();
    };
    refused("open can be written by every user");
    // Sticky, as /tmp is, is no better: anybody can put a Python there.
    tree.mode("open", 0o1777);
    refused("open can be written by every user");
    tree.mode("open", 0o755);
    tree.mode("open/python3", 0o775);
    if is_root() {
        refused("open/python3 can be written by other users of its group");
    }
    tree.mode("open/python3", 0o757);
    refused("open/python3 can be written by every user");
    tree.mode("open/python3", 0o755);
    if is_root() {
        chown(tree.at("open"), Some(12_345), None).unwrap();
        refused("open belongs to user 12345");
    }
}

fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|me| std::os::unix::fs::MetadataExt::uid(&me) == 0)
}

#[test]
fn a_cache_of_others_is_refused_by_the_set_up_and_at_a_start() {
    let tree = Tree::new("cache");
    tree.script("path/python3", "exit 1");
    tree.planted_libtorch("cache/simple/libtorch-2.11.0/torch");
    tree.write("cache/simple/libtorch-2.11.0/CONTENTS", "");
    let vars = [("XDG_CACHE_HOME", tree.at("cache").display().to_string())];
    let refused = |why: &str| {
        let said = tree.set_up(&vars);
        tree.nothing_was_run(&said);
        assert!(
            said.contains("cache/simple is not safe to use: ")
                && said.contains(why)
                && said.contains("cure: remove it"),
            "{said}"
        );
        fs::remove_file(tree.stamp()).unwrap();
        // As if it had been the user's when the library was built.
        let root = tree.at("cache/simple/libtorch-2.11.0/torch");
        fs::write(
            tree.stamp(),
            format!(
                "torch_version=2.11.0\nstate=ready\nlibtorch_dir={0}/lib\nlibtorch_root={0}\n",
                root.display()
            ),
        )
        .unwrap();
        tree.write("root/target/release/torch-2.11.0/libsimple_torch.so", "");
        let program = "use lib.torch.{Tensor}\nprint Tensor.ones([2])";
        let output = tree.simple(&["-c", program], &vars);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{said}");
        tree.nothing_was_run(&said);
        assert!(
            said.contains("is not safe to open: ") && said.contains(why),
            "{said}"
        );
        fs::remove_file(tree.stamp()).unwrap();
    };
    for path in [
        "cache/simple",
        "cache/simple/libtorch-2.11.0",
        "cache/simple/libtorch-2.11.0/torch/lib",
        "cache/simple/libtorch-2.11.0/torch/lib/libtorch_cpu.so",
    ] {
        tree.mode(path, 0o777);
        refused(&format!("{path} can be written by every user"));
        tree.mode(path, 0o755);
        if is_root() {
            chown(tree.at(path), Some(12_345), None).unwrap();
            refused(&format!("{path} belongs to user 12345"));
            chown(tree.at(path), Some(0), None).unwrap();
        }
    }
    // The user's own, and not what was fetched.
    let hash = "0".repeat(64);
    tree.write(
        "cache/simple/libtorch-2.11.0/CONTENTS",
        &format!("{hash}  torch/lib/libtorch_cpu.so\n"),
    );
    let said = tree.set_up(&vars);
    tree.nothing_was_run(&said);
    assert!(
        said.contains("libtorch_cpu.so is not as it was fetched"),
        "{said}"
    );
}

#[test]
fn what_a_start_cannot_have_of_cuda_is_said() {
    let tree = Tree::new("no-cuda");
    tree.script("path/python3", "exit 1");
    tree.planted_libtorch("libtorch");
    let path = tree.at("libtorch").display().to_string();
    let vars = [("LIBTORCH_PATH", path), ("SIMPLE_CUDA", "1".to_owned())];
    let said = tree.set_up(&vars);
    assert!(
        said.contains("was built without CUDA") && said.contains("cure: "),
        "{said}"
    );
    assert!(!tree.at("planted").exists(), "planted code ran: {said}");
}

#[test]
fn a_libtorch_path_cannot_write_lines_of_the_stamp() {
    let tree = Tree::new("lines");
    tree.script("path/python3", "exit 1");
    tree.planted_libtorch("libtorch");
    let planted = tree.at("libtorch").display().to_string();
    let forged = format!("/none\nstate=ready\nlibtorch_dir={planted}/lib\nlibtorch_root={planted}");
    for value in [forged, format!("{planted}\r"), format!("{planted}\u{85}")] {
        let vars = [("LIBTORCH_PATH", value)];
        let said = tree.set_up(&vars);
        tree.nothing_was_run(&said);
        assert!(
            said.contains("holds control characters") && said.contains("cure: "),
            "{said}"
        );
        assert!(!tree.stamp().exists());
        let output = tree.simple(
            &["-c", "use lib.torch.{Tensor}\nprint Tensor.ones([2])"],
            &vars,
        );
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            output.status.code() == Some(1) && said.contains("holds control characters"),
            "{said}"
        );
    }
}

#[test]
fn pipes_and_folders_in_the_place_of_files_stop_nothing() {
    let tree = Tree::new("pipes");
    tree.script("path/python3", "exit 1");
    let pipe = |path: &Path| assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
    pipe(&tree.stamp());
    let output = tree.simple(&["-c", "print 1"], &[]);
    assert_eq!(
        (output.stdout.as_slice(), output.status.code()),
        (&b"1\n"[..], Some(0))
    );
    tree.set_up(&[]);
    assert!(tree.stamp().is_file());
    fs::remove_file(tree.stamp()).unwrap();
    fs::create_dir(tree.stamp()).unwrap();
    tree.set_up(&[]);
    assert!(tree.stamp().is_file());
    let lock = tree.at("root/target/release/.simple-setup.lock");
    fs::remove_file(&lock).unwrap();
    pipe(&lock);
    let output = tree.simple(&["build", "--setup"], &[]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        said.contains("cannot open") && said.contains("cure: "),
        "{said}"
    );
}

#[test]
fn a_damaged_library_is_an_error_at_its_line() {
    let tree = Tree::new("library");
    let whole = tree.planted_library();
    let mut foreign = whole.clone();
    foreign[18] = 243;
    for (folder, name, content) in [
        ("cwd", "trunc", &whole[..whole.len() / 2]),
        ("cwd", "other", &foreign),
        ("elsewhere", "far", &whole[..whole.len() / 2]),
        ("elsewhere", "strange", &foreign),
    ] {
        tree.write(&format!("{folder}/lib{name}.so"), "");
        fs::write(tree.at(folder).join(format!("lib{name}.so")), content).unwrap();
    }
    for folder in ["cwd", "elsewhere"] {
        let path = tree.at(folder).join(format!("libpipe_{folder}.so"));
        assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
    }
    let elsewhere = [(
        "LD_LIBRARY_PATH",
        tree.at("elsewhere").display().to_string(),
    )];
    for (name, said) in [
        ("trunc", "libtrunc.so is damaged: it is truncated"),
        (
            "other",
            "libother.so is built for RISC-V, and this machine is ",
        ),
        ("pipe_cwd", "it is a pipe"),
        ("far", "libfar.so is damaged: it is truncated"),
        (
            "strange",
            "libstrange.so is built for RISC-V, and this machine is ",
        ),
        ("pipe_elsewhere", "it is a pipe"),
    ] {
        let program = format!(
            "@Lib(\"{name}\")\nextern fn f(x: i64) -> i64\nfn main():\n    try:\n        print f(1)\n    \
             catch e:\n        print \"caught: {{e.message}}\"\n    print \"after\"\n"
        );
        tree.write("cwd/a.spl", &program);
        let output = tree.simple(&["a.spl"], &elsewhere);
        let out = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(
            out.starts_with("caught: ") && out.contains(said) && out.ends_with("after\n"),
            "{name}: {out} {output:?}"
        );
        assert!(!tree.at("planted").exists());
    }
}
