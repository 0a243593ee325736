//! The packages are made of what is built, put where their installers put them, and run there without anything else: no compiler, no `PATH`.
//!
//! They need `target/release/simple`, which `bin/simple build test` has built. Where SIMPLE_TORCH_LIBRARY and SIMPLE_LIBTORCH_DIR name a torch library
//! and its libtorch, that is in the packages too.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{Cursor, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use sha2::{Digest, Sha256};

fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.canonicalize().expect("the source tree is there")
}

/// The torch library to be packed, and its libtorch.
fn torch() -> Option<(PathBuf, PathBuf)> {
    let variable = |name| std::env::var_os(name).map(PathBuf::from);
    let libtorch = variable("SIMPLE_LIBTORCH_DIR")?;
    Some((
        variable("SIMPLE_TORCH_LIBRARY")?,
        libtorch.parent()?.to_owned(),
    ))
}

/// The release of the torch library, which is in the name of its folder.
fn release(library: &Path) -> String {
    let folder = library
        .parent()
        .and_then(Path::file_name)
        .expect("a folder");
    let name = folder.to_string_lossy();
    name.strip_prefix("torch-").expect("a release").to_owned()
}

fn make(out: &Path) -> String {
    let mut make = Command::new(env!("CARGO_BIN_EXE_simple-package"));
    make.arg(root())
        .arg(out)
        .arg(root().join("target/release/simple"));
    if let Some((library, _)) = torch() {
        make.arg(release(&library)).arg(&library);
    }
    let made = make.output().expect("the packager starts");
    assert!(made.status.success(), "{made:?}");
    String::from_utf8(made.stdout).expect("text")
}

/// Every package by its ending, made once for all tests.
fn packages() -> &'static BTreeMap<String, (String, Vec<u8>)> {
    static MADE: OnceLock<BTreeMap<String, (String, Vec<u8>)>> = OnceLock::new();
    MADE.get_or_init(|| {
        let out = tempfile::tempdir().expect("a folder");
        make(out.path());
        read_all(out.path())
    })
}

fn read_all(folder: &Path) -> BTreeMap<String, (String, Vec<u8>)> {
    let entries = fs::read_dir(folder).expect("the packages");
    let package = |entry: std::io::Result<fs::DirEntry>| {
        let path = entry.expect("an entry").path();
        let ending = path.extension().expect("an ending").to_string_lossy();
        let name = path.file_name().expect("a name").to_string_lossy();
        let bytes = fs::read(&path).expect("a package can be read");
        (ending.into_owned(), (name.into_owned(), bytes))
    };
    entries.map(package).collect()
}

/// Runs an installed program in its folder, with nothing but these variables.
fn run(program: &Path, variables: &[(&str, OsString)], arguments: &[&str]) -> Output {
    let folder = program.parent().expect("a folder");
    let mut command = Command::new(program);
    command.current_dir(folder).env_clear().args(arguments);
    command.env("PATH", "/nonexistent").env("HOME", folder);
    for (name, value) in variables {
        command.env(name, value);
    }
    command.output().expect("the program starts")
}

fn printed(output: &Output) -> String {
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{}", text(&output.stderr));
    text(&output.stdout)
}

/// What an installed Simple must do: `home` has its library.
fn check(program: &Path, home: &Path) {
    let version = printed(&run(program, &[], &["--version"]));
    let lines: Vec<&str> = version.lines().collect();
    assert_eq!(lines[0], concat!("simple ", env!("CARGO_PKG_VERSION")));
    assert!(
        lines[1].starts_with(&format!("installed in {}", home.display())),
        "{version}"
    );

    let example = home.join("examples/torch/basics/01_tensor_creation.spl");
    let example = example.to_str().expect("text");
    let native = printed(&run(
        program,
        &[("SIMPLE_DL_BACKEND", "native".into())],
        &[example],
    ));
    assert!(native.contains("zeros: shape [3, 4]"), "{native}");

    if let Some((_, libtorch)) = torch() {
        let variables = [
            ("LIBTORCH_PATH", libtorch.into_os_string()),
            ("SIMPLE_DL_BACKEND", "torch".into()),
        ];
        let on_libtorch = printed(&run(program, &variables, &[example]));
        assert!(on_libtorch.contains("zeros: shape [3, 4]"), "{on_libtorch}");
    }

    // An executable of the same example needs nothing of the package.
    let made = program.with_file_name("made");
    let shown = made.to_str().expect("text");
    let compile = ["compile", "--backend", "native", example, "-o", shown];
    printed(&run(program, &[], &compile));
    let native_again = printed(&run(&made, &[], &[]));
    assert!(
        native_again.contains("zeros: shape [3, 4]"),
        "{native_again}"
    );
    fs::remove_file(&made).expect("it goes");

    let build = run(program, &[], &["build"]);
    let why = String::from_utf8_lossy(&build.stderr);
    assert!(
        !build.status.success() && why.contains("is an installed package"),
        "{why}"
    );
}

fn write(path: &Path, bytes: &[u8], mode: u32) {
    fs::create_dir_all(path.parent().expect("a folder")).expect("make a folder");
    fs::write(path, bytes).expect("write a file");
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("set permissions");
}

#[test]
fn the_tarball_runs_where_it_is_unpacked() {
    let (name, bytes) = &packages()["zst"];
    let folder = tempfile::tempdir().expect("a folder");
    let tar = ruzstd::decoding::StreamingDecoder::new(&bytes[..]).expect("zstd");
    tar::Archive::new(tar).unpack(folder.path()).expect("a tar");
    let home = folder
        .path()
        .join(name.strip_suffix(".tar.zst").expect("its name"));
    check(
        &home.join("bin/simple"),
        &home.canonicalize().expect("it is there"),
    );
}

#[test]
fn the_wheel_is_one_and_runs_where_pip_puts_it() {
    let (name, bytes) = &packages()["whl"];
    assert!(
        name.starts_with("simple_lang-") && name.contains("-py3-none-manylinux_2_"),
        "{name}"
    );
    assert!(bytes.len() < 40_000_000, "{}", bytes.len());
    let mut wheel = zip::ZipArchive::new(Cursor::new(bytes)).expect("a zip file");
    let prefix = tempfile::tempdir().expect("a folder");
    let mut hashes = BTreeMap::new();
    let mut record = String::new();
    for at in 0..wheel.len() {
        let mut file = wheel.by_index(at).expect("a file");
        let (path, mode) = (
            file.name().expect("a name").into_owned(),
            file.unix_mode().expect("a mode"),
        );
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).expect("its bytes");
        // Where the scheme of an environment puts it.
        let place = match path.split_once(".data/") {
            Some((_, data)) => match data.split_once('/') {
                Some(("scripts", rest)) => format!("bin/{rest}"),
                Some(("data", rest)) => rest.to_owned(),
                _ => panic!("an unknown scheme: {path}"),
            },
            None => format!("lib/python3.12/site-packages/{path}"),
        };
        write(&prefix.path().join(place), &bytes, mode & 0o777);
        if path.ends_with("/RECORD") {
            record = String::from_utf8(bytes).expect("text");
            hashes.insert(path, String::new());
        } else {
            let hash: String = Sha256::digest(&bytes)
                .iter()
                .map(|byte| format!("{byte:02x}"))
                .collect();
            hashes.insert(path, format!("{hash} {}", bytes.len()));
        }
    }
    let recorded: BTreeMap<String, String> = record.lines().map(line_of_record).collect();
    assert_eq!(recorded, hashes);
    let home = prefix
        .path()
        .join("lib/simple")
        .canonicalize()
        .expect("it is there");
    check(&prefix.path().join("bin/simple"), &home);
}

/// A line `PATH,sha256=BASE64,SIZE` with the hash in hexadecimal digits.
fn line_of_record(line: &str) -> (String, String) {
    let mut parts = line.rsplitn(3, ',');
    let (size, hash, path) = (parts.next(), parts.next(), parts.next());
    let (size, hash, path) = (
        size.expect("a size"),
        hash.expect("a hash"),
        path.expect("a path"),
    );
    let Some(base64) = hash.strip_prefix("sha256=") else {
        return (path.to_owned(), String::new());
    };
    let mut bits = String::new();
    for digit in base64.bytes() {
        let value = match digit {
            b'A'..=b'Z' => digit - b'A',
            b'a'..=b'z' => digit - b'a' + 26,
            b'0'..=b'9' => digit - b'0' + 52,
            b'-' => 62,
            _ => 63,
        };
        bits.push_str(&format!("{value:06b}"));
    }
    let bytes = bits.as_bytes().chunks_exact(8).map(|bits| {
        let bits = std::str::from_utf8(bits).expect("digits");
        format!("{:02x}", u8::from_str_radix(bits, 2).expect("a byte"))
    });
    let hash: String = bytes.collect();
    (path.to_owned(), format!("{hash} {size}"))
}

#[test]
fn the_debian_package_has_its_parts_and_runs_where_dpkg_puts_them() {
    let (_, bytes) = &packages()["deb"];
    let mut rest = bytes.strip_prefix(b"!<arch>\n").expect("an archive");
    let mut members = BTreeMap::new();
    while !rest.is_empty() {
        let (header, after) = rest.split_at(60);
        let header = std::str::from_utf8(header).expect("text");
        let size: usize = header[48..58].trim().parse().expect("a size");
        members.insert(header[..16].trim().to_owned(), &after[..size]);
        rest = &after[size.next_multiple_of(2)..];
    }
    assert_eq!(members["debian-binary"], b"2.0\n");
    let unpacked = |member: &str, to: &Path| {
        let tar = flate2::read::GzDecoder::new(members[member]);
        tar::Archive::new(tar).unpack(to).expect("a tar");
    };
    let control = tempfile::tempdir().expect("a folder");
    unpacked("control.tar.gz", control.path());
    let mut text = String::new();
    let file = File::open(control.path().join("control"));
    file.and_then(|mut file| file.read_to_string(&mut text))
        .expect("a description");
    assert!(
        text.starts_with("Package: simple-lang\n") && text.contains("\nDepends: libc6 (>= 2."),
        "{text}"
    );
    let system = tempfile::tempdir().expect("a folder");
    unpacked("data.tar.gz", system.path());
    let home = system
        .path()
        .join("usr/lib/simple")
        .canonicalize()
        .expect("it is there");
    check(&system.path().join("usr/bin/simple"), &home);
}

#[test]
fn the_same_files_make_the_same_packages() {
    let out = tempfile::tempdir().expect("a folder");
    let said = make(out.path());
    assert!(said.contains("needs glibc 2."), "{said}");
    let again = read_all(out.path());
    for (ending, (name, bytes)) in packages() {
        let (other, others) = &again[ending];
        assert_eq!(name, other);
        assert!(
            bytes == others,
            "{name} differs from the one that was made before"
        );
    }
}
