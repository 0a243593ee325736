//! Builds the C++ shim against the libtorch in the folder `LIBTORCH`, and says that both are to be linked.
//!
//! What crosses between Rust and the shim is declared in `shim.h`, which `header.rs` writes from the Rust of `../src`.

mod header;

use std::fmt::Write;
use std::path::{Path, PathBuf};

const LIBRARY: &str = "simple_torch_shim";

fn main() {
    println!("cargo:rerun-if-changed=.");
    println!("cargo:rerun-if-changed=../src");
    println!("cargo:rerun-if-env-changed=LIBTORCH_CXX11_ABI");
    println!("cargo:rerun-if-env-changed=LIBTORCH");
    // Set by `simple build`, which finds it.
    let root = std::env::var_os("LIBTORCH").map(PathBuf::from);
    let lib = root.unwrap_or_default().join("lib");
    if !lib.join("libtorch_cpu.so").is_file() && !lib.join("libtorch_cpu.dylib").is_file() {
        println!(
            "cargo::error=LIBTORCH is not the folder of a libtorch, with `lib` and `include` in it: run `bin/simple build`, which finds one, or set it"
        );
        std::process::exit(1);
    }
    let here = folder("CARGO_MANIFEST_DIR");
    let out = folder("OUT_DIR");
    let header = match header::header(&texts(&here.with_file_name("src"), "rs")) {
        Ok(header) => header,
        Err(reason) => {
            println!("cargo::error={reason}");
            std::process::exit(1);
        }
    };
    write(&out.join("shim.h"), &header);
    let include = lib.parent().unwrap_or(Path::new("/")).join("include");
    let unit = unit(&here, &out);
    let abi = std::env::var("LIBTORCH_CXX11_ABI").unwrap_or_else(|_| "1".to_owned());
    let mut build = cc::Build::new();
    build
        .cpp(true)
        .std("c++20")
        .pic(true)
        // Warnings stay on otherwise: `warnings(false)` would also silence what `no_others` asks for.
        .extra_warnings(false)
        .include(&out)
        .flag(format!("-isystem{}", include.display()))
        .flag(format!(
            "-isystem{}",
            include.join("torch/csrc/api/include").display()
        ))
        .define("_GLIBCXX_USE_CXX11_ABI", abi.as_str())
        // As libtorch itself: without it some of its classes have more members in the headers than in the library.
        .define("NDEBUG", None)
        .file(unit);
    if lib.join("libtorch_hip.so").exists() {
        // As libtorch for AMD GPUs is built itself: one of its classes has more virtual functions then.
        build.define("USE_ROCM", None);
    }
    let compiler = build.get_compiler();
    build.flag(header::no_others(compiler.is_like_clang()));
    compile(&build, &out, &header, &here);
    println!("cargo:rustc-link-search=native={}", lib.display());
    for name in ["torch_cpu", "torch", "c10"] {
        println!("cargo:rustc-link-lib={name}");
    }
    println!("cargo:libtorch_lib={}", lib.display());
}

/// Compiles the unit, unless all that goes into them is as it was: most changes of `src` leave `shim.h` alone or move its rows to other lines,
/// and libtorch's headers take a minute.
fn compile(build: &cc::Build, out: &Path, header: &str, shim: &Path) {
    let compiler = build.get_compiler();
    let mut inputs = format!("{:?} {:?}\n", compiler.path(), compiler.args());
    inputs.extend(header.lines().filter(|line| !line.starts_with("#line ")));
    for (path, text) in texts(shim, "cpp").into_iter().chain(texts(shim, "h")) {
        let _ = write!(inputs, "{path}\n{text}");
    }
    let stamp = out.join("inputs");
    if std::fs::read_to_string(&stamp).is_ok_and(|before| before == inputs) {
        println!("cargo:rustc-link-search=native={}", out.display());
        println!("cargo:rustc-link-lib=static={LIBRARY}");
        println!("cargo:rustc-link-lib=stdc++");
        return;
    }
    let _ = std::fs::remove_file(&stamp);
    build.compile(LIBRARY);
    write(&stamp, &inputs);
}

/// Writes the unit that includes every file of the shim, and says where it is: libtorch's headers take a compiler several times as long
/// as what is in these files.
fn unit(here: &Path, out: &Path) -> PathBuf {
    let mut text = String::new();
    for (path, _) in texts(here, "cpp") {
        let _ = writeln!(text, "#include {path:?}");
    }
    let file = out.join("all.cpp");
    write(&file, &text);
    file
}

/// Path and text of every file below a folder whose name ends so, in a fixed order.
fn texts(folder: &Path, extension: &str) -> Vec<(String, String)> {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder)
        .and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect())
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    entries.sort();
    let mut found = Vec::new();
    for path in entries {
        if path.is_dir() {
            found.append(&mut texts(&path, extension));
        } else if path.extension().is_some_and(|found| found == extension) {
            let text = std::fs::read_to_string(&path)
                .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            found.push((path.display().to_string(), text));
        }
    }
    found
}

fn folder(variable: &str) -> PathBuf {
    PathBuf::from(std::env::var_os(variable).expect("set by cargo"))
}

fn write(path: &Path, text: &str) {
    std::fs::write(path, text).expect("cargo's own folder can be written");
}
