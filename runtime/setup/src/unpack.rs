//! Opens a wheel, checks it against its own list of hashes, and unpacks the files that are wanted.
//!
//! That the wheel is the right one has been checked before: [`super::download`] returns pinned files only.
//!
//! A wheel is a zip file whose `*.dist-info/RECORD` names each file with its SHA-256 and size. Every file that is
//! unpacked is checked against that and against the zip's own checksum; files that are not wanted are not read.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, BufReader, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use zip::ZipArchive;
use zip::result::ZipError;

use super::SetupError;
use super::hash::{List, hex};

/// An opened wheel.
pub struct Wheel {
    path: PathBuf,
    archive: ZipArchive<BufReader<File>>,
    record: HashMap<String, Recorded>,
}

#[derive(Debug, PartialEq, Eq)]
struct Recorded {
    sha256: String,
    size: u64,
}

impl Wheel {
    /// Opens a wheel and reads its RECORD.
    pub fn open(path: &Path) -> Result<Self, SetupError> {
        let file = File::open(path).map_err(|error| SetupError::io("open", path, error))?;
        let archive =
            ZipArchive::new(BufReader::new(file)).map_err(|error| from_zip(path, error))?;
        let mut wheel = Self {
            path: path.to_owned(),
            archive,
            record: HashMap::new(),
        };
        let record = wheel.names().into_iter().find(|name| is_record(name));
        let record = record.ok_or_else(|| wheel.damaged("it has no RECORD"))?;
        let text = wheel.read(&record)?;
        wheel.record =
            parse_record(&text).ok_or_else(|| wheel.damaged("its RECORD cannot be read"))?;
        Ok(wheel)
    }

    /// How many bytes the files that `wanted` accepts will take.
    pub fn size_of(&self, wanted: impl Fn(&str) -> bool) -> u64 {
        self.record
            .iter()
            .filter(|(name, _)| wanted(name))
            .map(|(_, recorded)| recorded.size)
            .sum()
    }

    /// Unpacks the files that `wanted` accepts under `dest`, checks each, tells `count` the bytes as they come, and returns
    /// the hashes of what it wrote.
    pub fn unpack(
        &mut self,
        dest: &Path,
        wanted: impl Fn(&str) -> bool,
        mut count: impl FnMut(u64),
    ) -> Result<List, SetupError> {
        let names = self
            .names()
            .into_iter()
            .filter(|name| !name.ends_with('/') && wanted(name))
            .collect::<Vec<_>>();
        if names.is_empty() {
            return Err(self.damaged("it holds none of the files that are needed"));
        }
        let mut written = List::default();
        for name in names {
            let (path, hash) = self.unpack_one(&name, dest, &mut count)?;
            written.add(&path, hash);
        }
        Ok(written)
    }

    fn unpack_one(
        &mut self,
        name: &str,
        dest: &Path,
        count: &mut impl FnMut(u64),
    ) -> Result<(PathBuf, String), SetupError> {
        let wheel = self.path.clone();
        let damaged = |what: String| SetupError::Damaged {
            wheel: wheel.clone(),
            what,
        };
        let recorded = self
            .record
            .get(name)
            .ok_or_else(|| damaged(format!("{name} is not listed in its RECORD")))?;
        let mut entry = self
            .archive
            .by_name(name)
            .map_err(|error| from_zip(&wheel, error))?;
        // Refuses absolute names and such with `..`: a wheel may write below `dest` only.
        let inside = entry
            .enclosed_name()
            .ok_or_else(|| damaged(format!("{name} leads out of it")))?;
        let path = dest.join(&inside);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).map_err(|error| SetupError::io("create", parent, error))?;
        }
        // Whatever the user's habit is, others are not to write here.
        let mut file = File::options()
            .create(true)
            .truncate(true)
            .write(true)
            .mode(0o644)
            .open(&path)
            .map_err(|error| SetupError::io("create", &path, error))?;
        let mut hash = Sha256::new();
        let mut buffer = vec![0; 1 << 18];
        let mut size = 0;
        loop {
            let read = match entry.read(&mut buffer) {
                Ok(0) => break,
                Ok(read) => read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(damaged(format!("{name}: {error}"))),
            };
            hash.update(&buffer[..read]);
            file.write_all(&buffer[..read])
                .map_err(|error| SetupError::io("write", &path, error))?;
            size += read as u64;
            count(read as u64);
        }
        let hash = hash.finalize();
        if size != recorded.size || base64_url(&hash) != recorded.sha256 {
            return Err(damaged(format!(
                "{name} does not have the SHA-256 that its RECORD lists"
            )));
        }
        Ok((inside, hex(&hash)))
    }

    fn names(&self) -> Vec<String> {
        self.archive
            .file_names()
            .filter_map(|name| Some(name.ok()?.into_owned()))
            .collect()
    }

    fn read(&mut self, name: &str) -> Result<String, SetupError> {
        let mut text = String::new();
        let mut entry = self
            .archive
            .by_name(name)
            .map_err(|error| from_zip(&self.path, error))?;
        let read = entry.read_to_string(&mut text);
        drop(entry);
        read.map_err(|error| self.damaged(&format!("{name}: {error}")))?;
        Ok(text)
    }

    fn damaged(&self, what: &str) -> SetupError {
        SetupError::Damaged {
            wheel: self.path.clone(),
            what: what.to_owned(),
        }
    }
}

fn from_zip(path: &Path, error: ZipError) -> SetupError {
    SetupError::Damaged {
        wheel: path.to_owned(),
        what: error.to_string(),
    }
}

fn is_record(name: &str) -> bool {
    name.strip_suffix("/RECORD")
        .is_some_and(|dir| dir.ends_with(".dist-info") && !dir.contains('/'))
}

/// Lines of `path,sha256=<base64>,<size>`; the RECORD itself is listed without a hash. A path with a comma is quoted.
fn parse_record(text: &str) -> Option<HashMap<String, Recorded>> {
    let mut record = HashMap::new();
    for line in text.lines().filter(|line| !line.is_empty()) {
        let (rest, size) = line.rsplit_once(',')?;
        let (path, hash) = rest.rsplit_once(',')?;
        if hash.is_empty() {
            continue;
        }
        let path = match path
            .strip_prefix('"')
            .and_then(|path| path.strip_suffix('"'))
        {
            Some(quoted) => quoted.replace("\"\"", "\""),
            None => path.to_owned(),
        };
        let recorded = Recorded {
            sha256: hash.strip_prefix("sha256=")?.to_owned(),
            size: size.parse().ok()?,
        };
        record.insert(path, recorded);
    }
    Some(record)
}

/// Base64 with `-` and `_` and without padding, as RECORD writes hashes.
fn base64_url(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut out = String::new();
    for chunk in bytes.chunks(3) {
        let group = chunk
            .iter()
            .fold(0u32, |group, &byte| group << 8 | u32::from(byte))
            << (8 * (3 - chunk.len()));
        for sextet in 0..=chunk.len() {
            out.push(char::from(
                ALPHABET[(group >> (18 - 6 * sextet)) as usize & 63],
            ));
        }
    }
    out
}

#[cfg(test)]
pub mod test_support {
    //! Makes small wheels.

    use super::*;
    use zip::ZipWriter;
    use zip::write::SimpleFileOptions;

    /// Writes a wheel with these files and a true RECORD, but for the files in `lies`, whose hash is that of nothing.
    pub fn make_wheel(
        path: &Path,
        dist: &str,
        metadata: &str,
        files: &[(&str, &[u8])],
        lies: &[&str],
    ) {
        let mut zip = ZipWriter::new(File::create(path).unwrap());
        let options = SimpleFileOptions::default();
        let metadata_name = format!("{dist}.dist-info/METADATA");
        let mut record = String::new();
        for (name, bytes) in files
            .iter()
            .copied()
            .chain([(metadata_name.as_str(), metadata.as_bytes())])
        {
            zip.start_file(name, options).unwrap();
            zip.write_all(bytes).unwrap();
            let hashed: &[u8] = if lies.contains(&name) { b"" } else { bytes };
            record.push_str(&format!(
                "{name},sha256={},{}\n",
                base64_url(&Sha256::digest(hashed)),
                bytes.len()
            ));
        }
        record.push_str(&format!("{dist}.dist-info/RECORD,,\n"));
        zip.start_file(format!("{dist}.dist-info/RECORD"), options)
            .unwrap();
        zip.write_all(record.as_bytes()).unwrap();
        zip.finish().unwrap();
    }
}

#[cfg(test)]
mod tests {
    use super::super::env::test_support::Scratch;
    use super::test_support::make_wheel;
    use super::*;

    #[test]
    fn base64_as_in_rfc_4648() {
        for (bytes, text) in [
            ("", ""),
            ("f", "Zg"),
            ("fo", "Zm8"),
            ("foo", "Zm9v"),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(base64_url(bytes.as_bytes()), text);
        }
        assert_eq!(base64_url(&[0xfb, 0xff]), "-_8");
    }

    #[test]
    fn records_with_quotes_and_nonsense() {
        let record = parse_record("a,sha256=x,1\n\"b,\"\"c\",sha256=y,22\nd/RECORD,,\n").unwrap();
        assert_eq!(
            record["b,\"c"],
            Recorded {
                sha256: "y".into(),
                size: 22
            }
        );
        assert_eq!(record.len(), 2);
        for bad in ["a", "a,b", "a,md5=x,1", "a,sha256=x,many"] {
            assert_eq!(parse_record(bad), None, "{bad}");
        }
    }

    #[test]
    fn only_wanted_files_are_unpacked() {
        let scratch = Scratch::new("unpack-some");
        let path = scratch.path().join("t.whl");
        make_wheel(
            &path,
            "t-1",
            "Name: t\n",
            &[("t/lib/a.so", b"abc"), ("t/x.py", b"1")],
            &["t/x.py"],
        );
        let mut wheel = Wheel::open(&path).unwrap();
        let wanted = |name: &str| name.starts_with("t/lib/");
        let mut counted = 0;
        let written = wheel
            .unpack(&scratch.path().join("out"), wanted, |bytes| {
                counted += bytes
            })
            .unwrap();
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(written.to_text(), format!("{abc}  t/lib/a.so\n"));
        assert_eq!((wheel.size_of(wanted), counted), (3, 3));
        assert_eq!(
            fs::read(scratch.path().join("out/t/lib/a.so")).unwrap(),
            b"abc"
        );
        assert!(!scratch.path().join("out/t/x.py").exists());
    }

    fn unpacking(path: &Path, dest: &Path) -> String {
        let result = Wheel::open(path)
            .and_then(|mut wheel| wheel.unpack(dest, |name| name.starts_with("t/"), |_| {}));
        result.unwrap_err().to_string()
    }

    #[test]
    fn a_wrong_hash_is_found() {
        let scratch = Scratch::new("unpack-hash");
        let path = scratch.path().join("t.whl");
        make_wheel(&path, "t-1", "", &[("t/a.so", b"abc")], &["t/a.so"]);
        let error = unpacking(&path, scratch.path());
        assert!(
            error.contains("t/a.so does not have the SHA-256") && error.contains("cure: "),
            "{error}"
        );
    }

    #[test]
    fn damaged_bytes_and_short_files_are_found() {
        let scratch = Scratch::new("unpack-damage");
        let path = scratch.path().join("t.whl");
        let content = (0..20_000u32)
            .flat_map(u32::to_le_bytes)
            .collect::<Vec<_>>();
        make_wheel(&path, "t-1", "", &[("t/a.so", &content)], &[]);
        let mut bytes = fs::read(&path).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 0xff;
        fs::write(&path, &bytes).unwrap();
        assert!(unpacking(&path, scratch.path()).contains("is damaged"));
        fs::write(&path, &bytes[..middle]).unwrap();
        assert!(unpacking(&path, scratch.path()).contains("is damaged"));
        fs::write(&path, b"<html>not found</html>").unwrap();
        assert!(unpacking(&path, scratch.path()).contains("is damaged"));
    }

    #[test]
    fn a_file_outside_the_record_and_one_that_leads_out_are_refused() {
        let scratch = Scratch::new("unpack-outside");
        let path = scratch.path().join("t.whl");
        make_wheel(&path, "t-1", "", &[("t/../../evil", b"x")], &[]);
        assert!(unpacking(&path, &scratch.path().join("a/b")).contains("leads out of it"));
        make_wheel(&path, "t-1", "", &[("u/a", b"x")], &[]);
        assert!(unpacking(&path, scratch.path()).contains("none of the files"));
    }

    #[test]
    fn a_full_disk_while_unpacking() {
        let scratch = Scratch::new("unpack-full");
        let path = scratch.path().join("t.whl");
        make_wheel(&path, "t-1", "", &[("t/a.so", b"abc")], &[]);
        // A link to /dev/full at the place of the file: the write fails as on a full disk.
        fs::create_dir_all(scratch.path().join("out/t")).unwrap();
        std::os::unix::fs::symlink("/dev/full", scratch.path().join("out/t/a.so")).unwrap();
        assert!(unpacking(&path, &scratch.path().join("out")).contains("disk is full"));
    }
}
