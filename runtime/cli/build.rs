//! How `simple` and what executables begin with are linked.
//!
//! `simple` has its relocations in a compact form, where the system can load them: 0.7 MiB of the file are the
//! addresses of its own data, which each start reads to add where it was loaded; in the compact form they are 7 KiB.
//! Linkers of 2022 and later write it (`-z pack-relative-relocs`; others warn and go on), and glibc reads it since
//! 2.36.
//!
//! What unwinds the stack is linked in, so that no executable needs another library than those of glibc:
//! `libgcc_s.so` is here a script that names the static libraries of the C compiler, if it has them.

use std::path::PathBuf;
use std::process::Command;

/// The version of glibc here, of which the first number is 2.
fn glibc() -> Option<u32> {
    let said = Command::new("getconf")
        .arg("GNU_LIBC_VERSION")
        .output()
        .ok()?;
    let text = String::from_utf8(said.stdout).ok()?;
    text.trim()
        .strip_prefix("glibc 2.")?
        .split('.')
        .next()?
        .parse()
        .ok()
}

/// A folder in which the linker finds the static libraries where it looks for `libgcc_s`, if the C compiler has them.
fn static_unwinder() -> Option<PathBuf> {
    let compiler = std::env::var_os("CC").unwrap_or_else(|| "cc".into());
    let found = |library: &str| {
        let asked = Command::new(&compiler)
            .arg(format!("-print-file-name={library}"))
            .output()
            .ok()?;
        let path = String::from_utf8(asked.stdout).ok()?;
        // One that it does not have is answered by its name alone.
        Some(PathBuf::from(path.trim())).filter(|path| path.is_absolute())
    };
    let (handling, helpers) = (found("libgcc_eh.a")?, found("libgcc.a")?);
    let folder = PathBuf::from(std::env::var_os("OUT_DIR")?);
    let script = format!("INPUT({} {})\n", handling.display(), helpers.display());
    std::fs::write(folder.join("libgcc_s.so"), script).ok()?;
    Some(folder)
}

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let is = |name: &str, value: &str| std::env::var(name).is_ok_and(|found| found == value);
    let here = std::env::var("HOST") == std::env::var("TARGET");
    let gnu = is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu");
    if here
        && gnu
        && let Some(folder) = static_unwinder()
    {
        println!("cargo:rustc-link-search=native={}", folder.display());
    }
    // The library that libraries for C begin with has this file too, and no program.
    let has_program = is("CARGO_PKG_NAME", "simple-cli");
    if has_program && here && gnu && glibc().is_some_and(|minor| minor >= 36) {
        println!("cargo:rustc-link-arg-bin=simple=-Wl,-z,pack-relative-relocs");
    }
    if !has_program {
        // A name to replace by that of the library that is made of it; and of the runtime nothing that other files see.
        println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libsimple_library.so");
        println!("cargo:rustc-cdylib-link-arg=-Wl,--exclude-libs,ALL");
    }
}
