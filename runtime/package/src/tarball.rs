//! The `.tar.zst`, which runs where it is unpacked: one folder, with the program in `bin`.

use ruzstd::encoding::{CompressionLevel, compress_to_vec};

use crate::tree::Tree;
use crate::{PackageError, VERSION};

fn folder() -> String {
    format!("simple-{VERSION}-linux-{}", std::env::consts::ARCH)
}

/// The name of its file.
pub fn name() -> String {
    format!("{}.tar.zst", folder())
}

/// All of it.
pub fn pack(tree: &Tree) -> Result<Vec<u8>, PackageError> {
    let mut builder = tar::Builder::new(Vec::new());
    let folder = folder();
    append(
        &mut builder,
        &format!("{folder}/bin/simple"),
        &tree.program,
        0o755,
    )?;
    for (path, bytes) in &tree.files {
        append(&mut builder, &format!("{folder}/{path}"), bytes, 0o644)?;
    }
    let tar = builder.into_inner()?;
    Ok(compress_to_vec(tar.as_slice(), CompressionLevel::Fastest))
}

/// Adds a file with such a [`header`], so that the same files make the same archive.
pub fn append(
    builder: &mut tar::Builder<Vec<u8>>,
    path: &str,
    bytes: &[u8],
    mode: u32,
) -> std::io::Result<()> {
    let mut header = header(tar::EntryType::Regular, mode);
    header.set_size(bytes.len() as u64);
    builder.append_data(&mut header, path, bytes)
}

/// The header of an entry without bytes, which belongs to root and has no time.
pub fn header(kind: tar::EntryType, mode: u32) -> tar::Header {
    let mut header = tar::Header::new_gnu();
    header.set_entry_type(kind);
    header.set_size(0);
    header.set_mode(mode);
    header.set_mtime(0);
    header.set_uid(0);
    header.set_gid(0);
    header
}
