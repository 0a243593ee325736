//! The `.deb`: everything in `/usr/lib/simple`, and a link to the program in `/usr/bin`.
//!
//! The form is that of deb(5): an `ar` archive of a version, a tar with the description, and a tar with the files. gzip is what every `dpkg` reads.

use std::collections::BTreeSet;
use std::io::Write;

use flate2::{Compression, GzBuilder};

use crate::needs::Glibc;
use crate::tarball::{append, header};
use crate::tree::Tree;
use crate::{PackageError, VERSION};

const HOME: &str = "./usr/lib/simple";

/// Debian's word for this architecture.
fn architecture() -> &'static str {
    match std::env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        other => other,
    }
}

/// The name of its file.
pub fn name() -> String {
    format!("simple-lang_{VERSION}_{}.deb", architecture())
}

/// All of it.
pub fn pack(tree: &Tree, glibc: Glibc) -> Result<Vec<u8>, PackageError> {
    let (data, bytes) = files(tree)?;
    let mut builder = tar::Builder::new(Vec::new());
    append(
        &mut builder,
        "./control",
        control(glibc, bytes).as_bytes(),
        0o644,
    )?;
    let control = gzip(&builder.into_inner()?)?;
    let mut archive = b"!<arch>\n".to_vec();
    member(&mut archive, "debian-binary", b"2.0\n");
    member(&mut archive, "control.tar.gz", &control);
    member(&mut archive, "data.tar.gz", &gzip(&data)?);
    Ok(archive)
}

fn control(glibc: Glibc, bytes: u64) -> String {
    format!(
        "Package: simple-lang\n\
         Version: {VERSION}\n\
         Architecture: {}\n\
         Maintainer: The Simple project\n\
         Installed-Size: {}\n\
         Depends: libc6 (>= {glibc}), libgcc-s1, libstdc++6 (>= 12)\n\
         Recommends: gcc | c-compiler\n\
         Section: devel\n\
         Priority: optional\n\
         Description: a small statically typed language that drives PyTorch's libtorch\n \
         Programs look like Python and are compiled to machine code when they start.\n \
         Tensors are computed by the libtorch of an installed PyTorch, or natively.\n",
        architecture(),
        bytes.div_ceil(1024)
    )
}

/// The tar of the files, and how many bytes they have.
fn files(tree: &Tree) -> Result<(Vec<u8>, u64), PackageError> {
    let mut builder = tar::Builder::new(Vec::new());
    let mut paths: Vec<(String, &[u8], u32)> =
        vec![(format!("{HOME}/bin/simple"), &tree.program, 0o755)];
    for (path, bytes) in &tree.files {
        paths.push((format!("{HOME}/{path}"), bytes, 0o644));
    }
    let copyright = "./usr/share/doc/simple-lang/copyright".to_owned();
    if let Some(license) = tree.files.get("LICENSE") {
        paths.push((copyright, license, 0o644));
    }
    // dpkg wants each folder before what is in it.
    let mut folders: BTreeSet<String> = ["./".to_owned(), "./usr/bin/".to_owned()].into();
    for (path, ..) in &paths {
        let slashes = path
            .match_indices('/')
            .map(|(at, _)| path[..=at].to_owned());
        folders.extend(slashes);
    }
    for folder in folders {
        let mut entry = header(tar::EntryType::Directory, 0o755);
        builder.append_data(&mut entry, folder, &[][..])?;
    }
    for (path, bytes, mode) in &paths {
        append(&mut builder, path, bytes, *mode)?;
    }
    let mut entry = header(tar::EntryType::Symlink, 0o777);
    builder.append_link(&mut entry, "./usr/bin/simple", "../lib/simple/bin/simple")?;
    let bytes = paths.iter().map(|(_, bytes, _)| bytes.len() as u64).sum();
    Ok((builder.into_inner()?, bytes))
}

fn gzip(bytes: &[u8]) -> Result<Vec<u8>, PackageError> {
    let mut encoder = GzBuilder::new()
        .mtime(0)
        .write(Vec::new(), Compression::best());
    encoder.write_all(bytes)?;
    Ok(encoder.finish()?)
}

/// Adds a member to an `ar` archive: name, time, owner, group, mode and size in a header of 60 bytes, then the bytes, filled up to an even number.
fn member(archive: &mut Vec<u8>, name: &str, bytes: &[u8]) {
    let header = format!(
        "{name:<16}{:<12}{:<6}{:<6}{:<8}{:<10}`\n",
        0,
        0,
        0,
        100644,
        bytes.len()
    );
    archive.extend_from_slice(header.as_bytes());
    archive.extend_from_slice(bytes);
    if bytes.len() % 2 == 1 {
        archive.push(b'\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_have_headers_of_sixty_bytes_and_even_sizes() {
        let mut archive = Vec::new();
        member(&mut archive, "control.tar.gz", b"odd");
        assert_eq!(archive.len(), 64);
        assert_eq!(
            &archive[..60],
            b"control.tar.gz  0           0     0     100644  3         `\n"
        );
        assert_eq!(&archive[60..], b"odd\n");
    }
}
