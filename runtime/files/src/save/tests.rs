//! Files that PyTorch, safetensors and NumPy wrote, and files that are damaged on purpose.
//!
//! The files come from `lib/torch/fixtures/make_data.py`, with what they hold in `expected.txt`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::plain::{Element, Plain};
use super::source::{Fault, Source};
use super::{numpy, pickle, pth, safetensors};

/// A file of the fixtures.
pub fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../lib/torch/fixtures/data")
        .join(name)
}

/// What `expected.txt` says of a name: dtype, sizes, numbers.
pub fn expected(name: &str) -> (String, Vec<usize>, Vec<f64>) {
    let text = std::fs::read_to_string(fixture("expected.txt")).unwrap();
    let line = text
        .lines()
        .find(|line| line.split('\t').next() == Some(name))
        .unwrap_or_else(|| panic!("expected.txt has no `{name}`"));
    let parts: Vec<&str> = line.split('\t').collect();
    let dims = parts[2].split(',').filter(|size| !size.is_empty());
    (
        parts[1].to_owned(),
        dims.map(|size| size.parse().unwrap()).collect(),
        parts[3]
            .split_whitespace()
            .map(|number| number.parse().unwrap())
            .collect(),
    )
}

/// The numbers of a tensor.
pub fn numbers(plain: &Plain) -> Vec<f64> {
    fn each<const N: usize>(bytes: &[u8], number: impl Fn([u8; N]) -> f64) -> Vec<f64> {
        bytes
            .chunks_exact(N)
            .map(|chunk| number(chunk.try_into().unwrap()))
            .collect()
    }
    let bytes = &plain.bytes;
    match plain.element {
        Element::Bool | Element::U8 => each(bytes, |[byte]| byte.into()),
        Element::I8 => each(bytes, |[byte]| (byte as i8).into()),
        Element::I16 => each(bytes, |b| i16::from_le_bytes(b).into()),
        Element::I32 => each(bytes, |b| i32::from_le_bytes(b).into()),
        Element::I64 => each(bytes, |b| i64::from_le_bytes(b) as f64),
        Element::F32 | Element::C64 => each(bytes, |b| f32::from_le_bytes(b).into()),
        Element::F64 | Element::C128 => each(bytes, f64::from_le_bytes),
        Element::U16
        | Element::U32
        | Element::U64
        | Element::F8E5M2
        | Element::F8E4M3
        | Element::F8E5M2Fnuz
        | Element::F8E4M3Fnuz => {
            crate::numbers::f64s_of(bytes, plain.element.dtype().into()).unwrap()
        }
        Element::BF16 => each(bytes, |[a, b]| f32::from_le_bytes([0, 0, a, b]).into()),
        Element::F16 | Element::C32 => each(bytes, |b| {
            let bits = u16::from_le_bytes(b);
            let (exponent, fraction) = (i32::from(bits >> 10 & 31), f64::from(bits & 1023));
            let size = match exponent {
                0 => fraction * 2f64.powi(-24),
                31 => f64::INFINITY,
                _ => (1.0 + fraction / 1024.0) * 2f64.powi(exponent - 15),
            };
            if bits >> 15 == 1 { -size } else { size }
        }),
    }
}

/// Checks a tensor against `expected.txt`.
pub fn assert_expected(plain: &Plain, name: &str) {
    let (dtype, dims, values) = expected(name);
    assert_eq!(plain.element.name(), dtype, "{name}");
    assert_eq!(plain.dims, dims, "{name}");
    assert_eq!(numbers(plain), values, "{name}");
}

fn why<T: std::fmt::Debug>(result: Result<T, Fault>) -> String {
    result.expect_err("a fault").to_string()
}

#[test]
fn safetensors_of_pytorch() {
    let (tensors, notes) = safetensors::load(&fixture("every_dtype.safetensors")).unwrap();
    assert_eq!(tensors.len(), 14);
    for (name, tensor) in &tensors {
        assert_expected(tensor, &format!("every_dtype.safetensors/{name}"));
    }
    assert_eq!(notes["made by"], "PyTorch");
}

#[test]
fn safetensors_are_written_as_pytorch_writes_them() {
    let (tensors, notes) = safetensors::load(&fixture("every_dtype.safetensors")).unwrap();
    let folder = Folder::new("safetensors");
    let path = folder.path("copy.safetensors");
    // Twice: the second replaces the first.
    for _ in 0..2 {
        let tensors = tensors.iter().rev().map(|(name, t)| (name.as_str(), t));
        safetensors::save(&path, tensors, &notes).unwrap();
    }
    assert_eq!(
        std::fs::read(&path).unwrap(),
        std::fs::read(fixture("every_dtype.safetensors")).unwrap()
    );
    assert_eq!(
        folder.names(),
        ["copy.safetensors"],
        "nothing is left beside it"
    );
}

#[test]
fn a_file_that_cannot_be_written_leaves_what_was_there() {
    let folder = Folder::new("atomic");
    let path = folder.path("kept.safetensors");
    let one = Plain::of_bytes(vec![1], vec![7]);
    safetensors::save(&path, [("a", &one)].into_iter(), &BTreeMap::new()).unwrap();
    let before = std::fs::read(&path).unwrap();
    let failed = super::atomic::write(&path, |_| Err(Fault::whole("no more")));
    assert_eq!(why(failed), "no more");
    assert_eq!(std::fs::read(&path).unwrap(), before);
    assert_eq!(folder.names(), ["kept.safetensors"]);
    let nowhere = folder.path("no/such/folder.safetensors");
    assert_eq!(
        why(safetensors::save(
            &nowhere,
            [("a", &one)].into_iter(),
            &BTreeMap::new()
        )),
        "cannot be written: its folder does not exist"
    );
    assert_eq!(
        why(safetensors::save(
            &folder.0,
            [("a", &one)].into_iter(),
            &BTreeMap::new()
        )),
        "cannot be written: it is a folder, not a file"
    );
    assert_eq!(
        why(safetensors::save(
            &path,
            [("__metadata__", &one)].into_iter(),
            &BTreeMap::new()
        )),
        "tensor `__metadata__`: this name is taken by the format itself"
    );
}

/// A safetensors file with this header and this many bytes after it.
fn with_header(header: &str, data: usize) -> Vec<u8> {
    let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
    bytes.extend_from_slice(header.as_bytes());
    bytes.resize(bytes.len() + data, 0);
    bytes
}

#[test]
fn damaged_safetensors() {
    let read = |bytes: &[u8]| safetensors::read(&mut Source::of_memory(bytes));
    assert_eq!(
        why(read(b"")),
        "byte 0: the length of the header should take 8 bytes, but the file ends here"
    );
    assert_eq!(
        why(read(&[0xff; 100])),
        "byte 0: the header should take 18446744073709551615 bytes, but the file has 92 after them; this is not a safetensors file"
    );
    assert_eq!(
        why(read(&with_header("{\"a\":", 0))),
        "byte 12: the header is wrong: EOF while parsing a value"
    );
    let tensor = |shape: &str, end: u64| {
        format!("{{\"a\":{{\"dtype\":\"F32\",\"shape\":{shape},\"data_offsets\":[0,{end}]}}}}")
    };
    assert!(read(&with_header(&tensor("[2]", 8), 8)).is_ok());
    assert_eq!(
        why(read(&with_header(&tensor("[2]", 8), 4))),
        "byte 62: the tensors take 8 bytes by the header, but 4 are there"
    );
    let huge = tensor("[4611686018427387904]", 8);
    assert!(why(read(&with_header(&huge, 8))).contains("overflow"));
    let claims = tensor("[1000000000000]", 4_000_000_000_000);
    assert!(why(read(&with_header(&claims, 8))).contains("the tensors take 4000000000000 bytes"));
    let unknown = tensor("[8]", 8).replace("F32", "F8_E8M0");
    assert_eq!(
        why(read(&with_header(&unknown, 8))),
        "tensor `a`: libtorch has no dtype F8_E8M0"
    );
    let mut bytes = with_header(&tensor("[2]", 8), 8);
    bytes[12] = 0xff;
    assert_eq!(why(read(&bytes)), "byte 12: the header is not valid UTF-8");
}

#[test]
fn state_dicts_of_pytorch() {
    let (tensors, notes) = pth::load(&fixture("model.pth")).unwrap();
    let names: Vec<&str> = tensors.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(
        names,
        [
            "0.weight",
            "0.bias",
            "1.weight",
            "1.bias",
            "1.running_mean",
            "1.running_var",
            "1.num_batches_tracked",
            "2.weight"
        ]
    );
    for (name, tensor) in &tensors {
        assert_expected(tensor, &format!("model.pth/{name}"));
    }
    assert!(notes.is_empty());
}

#[test]
fn checkpoints_of_pytorch() {
    let (tensors, notes) = pth::load(&fixture("checkpoint.pth")).unwrap();
    assert!(tensors.len() > 20, "{}", tensors.len());
    for (name, tensor) in &tensors {
        assert_expected(tensor, &format!("checkpoint.pth/{name}"));
    }
    for (name, note) in [
        ("epoch", "7"),
        ("seed", "9223372036854775813"),
        ("loss", "0.1"),
        ("name", "naïve"),
        ("flags.0", "true"),
        ("flags.4", "1099511627776"),
        ("size.1", "3"),
        ("device", "cpu"),
        ("dtype", "torch.float16"),
        ("set.0", "5"),
        ("optimizer.param_groups.0.lr", "0.25"),
    ] {
        assert_eq!(notes[name], note, "{name}");
    }
    let (tensors, _) = pth::load(&fixture("protocol4.pth")).unwrap();
    assert_expected(&tensors[0].1, "checkpoint.pth/transposed");
}

#[test]
fn nothing_in_a_pickle_is_run() {
    assert_eq!(
        why(pth::load(&fixture("evil.pth"))),
        "`evil/data.pkl`, byte 46: it refers to `posix.system`; only tensors and plain containers are read, and nothing in the file \
         is run. In Python, save `model.state_dict()` rather than the model"
    );
}

#[test]
fn damaged_state_dicts() {
    assert_eq!(
        why(pth::load(&fixture("grid.npy"))),
        "byte 0: this is not a zip file, which torch.save writes"
    );
    assert_eq!(
        why(pth::load(&fixture("arrays.npz"))),
        "it has no `data.pkl`; torch.save did not write it"
    );
    assert_eq!(
        why(pth::load(&fixture("expanded.pth"))),
        "its tensors would take 4398046511104 bytes, but the file has only 1062; save `tensor.contiguous()` of those that repeat \
         their numbers"
    );
    assert_eq!(why(pth::load(&fixture("no_such.pth"))), "no such file");
    assert_eq!(why(pth::load(&fixture(""))), "it is a folder, not a file");
    let whole = std::fs::read(fixture("model.pth")).unwrap();
    let half = &whole[..whole.len() / 2];
    let cut = why(pth::read(std::io::Cursor::new(half), half.len() as u64));
    assert!(cut.starts_with("the zip file is damaged: "), "{cut}");
}

#[test]
fn pickles_that_lie() {
    for (bytes, reason) in [
        (
            &b"\x80\x02"[..],
            "byte 2: 1 more bytes are needed, but the pickle has 0",
        ),
        (
            b"\x80\x09.",
            "byte 0: pickle protocol 9; 2 to 5 are understood, and torch.save writes 2",
        ),
        (b"\x80\x02.", "byte 2: the stack of the pickle is empty"),
        (b"\x80\x02K\x01h\x05.", "byte 4: the pickle has no memo 5"),
        (
            b"\x80\x02t.",
            "byte 2: the pickle refers to a mark that it did not set",
        ),
        (
            b"\x80\x02X\xff\xff\xff\x7fab.",
            "byte 7: 2147483647 more bytes are needed, but the pickle has 3",
        ),
        (
            b"\x80\x02}K\x01K\x02e.",
            "byte 7: the pickle refers to a mark that it did not set",
        ),
        (
            b"\x80\x02K\x01)R.",
            "byte 5: REDUCE applied to a value that is not callable",
        ),
        (
            b"\x80\x02K\x01i",
            "byte 4: the pickle operation 0x69 is not one that a state dict needs, so it is not run",
        ),
        (
            b"\x80\x02c__builtin__\neval\n.",
            "byte 2: it refers to `__builtin__.eval`; only",
        ),
    ] {
        let said = why(pickle::read(bytes));
        assert!(said.starts_with(reason), "{said}\n{reason}");
    }
    // A list that contains itself is read, and refused when it is walked.
    let circle = pickle::read(b"\x80\x02]q\x00h\x00a.").unwrap();
    assert_eq!(circle.nodes[circle.root], pickle::Node::List(vec![0]));
}

#[test]
fn arrays_of_numpy() {
    for name in [
        "grid",
        "fortran",
        "big_endian",
        "scalar",
        "vector",
        "truth",
        "half",
        "bytes",
        "empty",
        "deep",
    ] {
        let name = format!("{name}.npy");
        assert_expected(&numpy::load_npy(&fixture(&name)).unwrap(), &name);
    }
    for name in ["arrays.npz", "packed.npz"] {
        let arrays = numpy::load_npz(&fixture(name)).unwrap();
        assert_eq!(arrays.len(), 2);
        for (key, array) in &arrays {
            assert_expected(array, &format!("{key}.npy"));
        }
    }
}

#[test]
fn arrays_are_written_as_numpy_writes_them() {
    let folder = Folder::new("numpy");
    for name in [
        "grid", "scalar", "vector", "truth", "half", "bytes", "empty",
    ] {
        let name = format!("{name}.npy");
        let array = numpy::load_npy(&fixture(&name)).unwrap();
        numpy::save_npy(&folder.path(&name), &array).unwrap();
        assert_eq!(
            std::fs::read(folder.path(&name)).unwrap(),
            std::fs::read(fixture(&name)).unwrap(),
            "{name}"
        );
    }
    for packed in [false, true] {
        let arrays = numpy::load_npz(&fixture("arrays.npz")).unwrap();
        let path = folder.path("arrays.npz");
        let named = arrays.iter().map(|(name, array)| (name.as_str(), array));
        numpy::save_npz(&path, named, packed).unwrap();
        assert_eq!(numpy::load_npz(&path).unwrap(), arrays);
    }
    let brain = Plain {
        element: Element::BF16,
        dims: vec![1],
        bytes: vec![0, 0],
    };
    assert_eq!(
        why(numpy::save_npz(
            &folder.path("brain.npz"),
            [("b", &brain)].into_iter(),
            false
        )),
        "tensor `b`: NumPy has no bf16; convert the tensor to f32 first"
    );
}

#[test]
fn damaged_arrays() {
    assert_eq!(
        why(numpy::load_npy(&fixture("objects.npy"))),
        "byte 20: the array holds Python objects, which are a pickle; only numbers are read"
    );
    assert_eq!(
        why(numpy::load_npy(&fixture("wide.npy"))),
        "byte 20: libtorch has no dtype `<f16`; convert it with `astype` first"
    );
    assert_eq!(
        why(numpy::load_npy(&fixture("model.pth"))),
        "byte 0: this is not a .npy file; it does not begin with \\x93NUMPY"
    );
    let whole = std::fs::read(fixture("grid.npy")).unwrap();
    let read = |bytes: &[u8]| numpy::read_npy(&mut Source::of_memory(bytes));
    assert_eq!(
        why(read(&whole[..whole.len() - 1])),
        "byte 128: the numbers of shape [3, 4] should take 48 bytes, but only 47 are left"
    );
    let text = |from: &str, to: &str| {
        let mut bytes = whole.clone();
        let at = bytes
            .windows(from.len())
            .position(|window| window == from.as_bytes())
            .unwrap();
        bytes[at..at + to.len()].copy_from_slice(to.as_bytes());
        bytes
    };
    let huge = read(&text("(3, 4), }     ", "(99999999999999),}"));
    assert!(why(huge).contains("should take 399999999999996 bytes, but only 48 are left"));
    let beyond = read(&text("(3, 4), }            ", "(9999999999999999999)}"));
    assert_eq!(why(beyond), "byte 61: a size of the shape is not a number");
    assert_eq!(
        why(read(&text("shape", "shame"))),
        "byte 51: the header has an unknown key `shame`"
    );
}

/// An archive with one packed array, whose list of entries names it so many times: each time at the same place.
fn overlapping(times: u8) -> Vec<u8> {
    let array = Plain {
        element: Element::U8,
        dims: vec![8_000_000],
        bytes: vec![0; 8_000_000],
    };
    let folder = Folder::new("npz-overlapping");
    numpy::save_npy(&folder.path("0.npy"), &array).unwrap();
    let npy = std::fs::read(folder.path("0.npy")).unwrap();
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let packed = zip::write::SimpleFileOptions::default()
        .compression_method(zip::CompressionMethod::Deflated);
    archive.start_file("0.npy", packed).unwrap();
    std::io::Write::write_all(&mut archive, &npy).unwrap();
    let bytes = archive.finish().unwrap().into_inner();
    let find = |mark: &[u8]| bytes.windows(4).rposition(|window| window == mark).unwrap();
    let (list, end) = (find(b"PK\x01\x02"), find(b"PK\x05\x06"));
    let entry = &bytes[list..end];
    let mut out = bytes[..list].to_vec();
    for number in 0..times {
        let name = entry
            .windows(5)
            .position(|window| window == b"0.npy")
            .unwrap();
        let start = out.len();
        out.extend_from_slice(entry);
        out[start + name] = b'0' + number;
    }
    let start = out.len();
    out.extend_from_slice(&bytes[end..]);
    for at in [8, 10] {
        out[start + at..start + at + 2].copy_from_slice(&u16::from(times).to_le_bytes());
    }
    let length = (entry.len() * usize::from(times)) as u32;
    out[start + 12..start + 16].copy_from_slice(&length.to_le_bytes());
    out
}

#[test]
fn entries_that_overlap_give_no_more_than_an_honest_file() {
    let read = |times| {
        let bytes = overlapping(times);
        let length = bytes.len() as u64;
        numpy::read_npz(std::io::Cursor::new(bytes), length, u64::MAX)
    };
    assert_eq!(read(1).unwrap().len(), 1);
    let said = why(read(9));
    assert!(
        said.ends_with("should take 8000000 bytes, but the file is too small for that"),
        "{said}"
    );
}

/// A folder for one test, gone at its end.
pub struct Folder(pub PathBuf);

impl Folder {
    /// Makes it.
    pub fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("simple-torch-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    /// A path inside.
    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// The names of what is in it, sorted.
    pub fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = std::fs::read_dir(&self.0)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
