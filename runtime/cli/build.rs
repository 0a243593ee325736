//! How `simple` is linked: with relocations in a compact form, where the system can load them.
//!
//! 0.7 MiB of the file are the addresses of its own data, which each start reads to add where it was loaded; in the compact form they are 7 KiB. Linkers
//! of 2022 and later write it (`-z pack-relative-relocs`; others warn and go on), and glibc reads it since 2.36.

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

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let is = |name: &str, value: &str| std::env::var(name).is_ok_and(|found| found == value);
    let here = std::env::var("HOST") == std::env::var("TARGET");
    let gnu = is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu");
    if here && gnu && glibc().is_some_and(|minor| minor >= 36) {
        println!("cargo:rustc-link-arg-bin=simple=-Wl,-z,pack-relative-relocs");
    }
}
