//! The examples of foreign functions: no warning, specs that pass, bindings that are as their headers have them.
//!
//! Specs leave out what needs a library that this machine lacks, and say so. Those of tensors are in `torch.rs`.

#![cfg(target_os = "linux")]

mod simple_in;

use simple_in::{home, said, simple_in};
use std::fs;
use std::path::PathBuf;
use std::process::Output;

fn examples() -> PathBuf {
    home().join("examples/ffi")
}

/// Runs `simple` in a folder of its own, in which examples may write.
fn simple(words: &[&str]) -> Output {
    simple_in(tempfile::tempdir().expect("a folder").path(), words, &[])
}

#[test]
fn they_check_without_a_warning() {
    let output = simple(&["check", &examples().display().to_string()]);
    assert_eq!(said(&output), "");
}

#[test]
fn their_specs_pass() {
    let output = simple(&["test", &examples().display().to_string()]);
    let said = said(&output);
    print!("{said}");
    assert!(
        output.status.success() && said.contains(" passed, 0 failed") && !said.contains("leak:"),
        "{said}"
    );
}

/// What each prints is what it computed; here are only the lines that tell whether it went well.
#[test]
fn they_run() {
    for (name, library, lines) in [
        (
            "libm.spl",
            "libm.so.6",
            &["6 sigma: 0.987 of a billion", "Err(200.0! is too large)"][..],
        ),
        (
            "qsort.spl",
            "libc.so.6",
            &[
                "  Paris 878 km\n  Madrid",
                "289 is number 17 of the squares",
            ],
        ),
        (
            "zlib/pack.spl",
            "z",
            &[
                "unpacked: true",
                "which gunzip reads too: true",
                "incorrect header check",
            ],
        ),
        (
            "sqlite/shop.spl",
            "sqlite3",
            &[
                "stock of item 7: 5",
                "with discount: 37684.6875",
                "Err(no such table: itms",
            ],
        ),
        (
            "png/mandelbrot.spl",
            "png16",
            &["what is read is what was drawn: true"],
        ),
    ] {
        let asked =
            format!("use std.ffi.{{library_available}}\nprint library_available(\"{library}\")");
        if said(&simple(&["-c", &asked])).starts_with("false") {
            println!("{name} is left out: there is no library `{library}`");
            continue;
        }
        let output = simple(&[&examples().join(name).display().to_string()]);
        let said = said(&output);
        let whole = output.status.success() && output.stderr.is_empty();
        assert!(
            whole && lines.iter().all(|line| said.contains(line)),
            "{name}: {said}"
        );
    }
}

#[test]
fn their_bindings_are_as_the_headers_have_them() {
    for file in ["zlib/zlib.spl", "sqlite/sqlite3.spl", "png/png.spl"] {
        let output = simple(&[
            "bind",
            "--check",
            &examples().join(file).display().to_string(),
        ]);
        let said = said(&output);
        if said.contains("cannot run the C compiler") || said.contains("cannot find the header") {
            println!("skipped: {said}");
            continue;
        }
        assert!(
            output.status.success() && said.contains("no differences"),
            "{said}"
        );
    }
}

/// Their libraries are built in copies, so that nothing is left in the source tree.
#[test]
fn libraries_of_their_own_are_built_and_used() {
    let temp = tempfile::tempdir().expect("a folder");
    for (name, files, line) in [
        (
            "geometry",
            &["src/shapes.hpp", "src/shapes.cpp", "src/geometry.cpp"][..],
            "which has 5 corners",
        ),
        (
            "sift",
            &["Cargo.toml", "src/lib.rs", "src/index.rs"],
            "2.56  4: To watch his woods fill up with snow",
        ),
    ] {
        let all = [
            "simple.sdn",
            "main.spl",
            &format!("{name}.spl"),
            &format!("{name}_spec.spl"),
        ];
        for file in all.iter().chain(files) {
            let text = fs::read_to_string(examples().join(name).join(file)).expect(file);
            let abi = home().join("ffi/abi");
            let text = text.replace("../../../ffi/abi", &abi.display().to_string());
            let path = temp.path().join(name).join(file);
            fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            fs::write(path, text).expect("written");
        }
        let output = simple_in(temp.path(), &["build", name], &[]);
        let built = said(&output);
        if built.contains("cannot run `") {
            println!("{name} is left out: {built}");
            continue;
        }
        assert!(output.status.success(), "{built}");
        let told = said(&simple_in(temp.path(), &[&format!("{name}/main.spl")], &[]));
        assert!(told.contains(line), "{told}");
        let tested = said(&simple_in(temp.path(), &["test", name], &[]));
        assert!(tested.ends_with("5 passed, 0 failed\n"), "{tested}");
    }
}
