//! Every dtype of libtorch in every format, and files of older and odder writers: what Python wrote is read, and what is written has
//! Python's bytes. `lib/torch/fixtures/check_files.py` goes both ways with Python itself.

use std::collections::BTreeMap;

use super::legacy;
use super::pickle::{Storage, View};
use super::plain::{Element, Plain};
use super::source::Fault;
use super::tests::{assert_expected, fixture, numbers};
use super::{numpy, pth, safetensors, view};

fn why<T: std::fmt::Debug>(result: Result<T, Fault>) -> String {
    result.unwrap_err().to_string()
}

fn written(name: &str) -> std::path::PathBuf {
    std::env::temp_dir().join(format!("simple-dtypes-{}-{name}", std::process::id()))
}

#[test]
fn safetensors_of_every_dtype_that_has_one() {
    let path = fixture("more_dtypes.safetensors");
    let (tensors, notes) = safetensors::load(&path).unwrap();
    assert_eq!(tensors.len(), 8);
    for (name, tensor) in &tensors {
        assert_expected(tensor, &format!("more_dtypes/{name}"));
    }
    let copy = written("more.safetensors");
    let named = || tensors.iter().map(|(name, tensor)| (name.as_str(), tensor));
    safetensors::save(&copy, named(), &notes).unwrap();
    assert_eq!(std::fs::read(&copy).unwrap(), std::fs::read(&path).unwrap());
    std::fs::remove_file(&copy).unwrap();
    let none = Plain {
        element: Element::C128,
        dims: vec![0],
        bytes: Vec::new(),
    };
    assert_eq!(
        why(safetensors::save(
            &copy,
            [("z", &none)].into_iter(),
            &BTreeMap::new()
        )),
        "tensor `z`: safetensors files have no c128; convert it to c64, or save an .npz file, which has c128"
    );
}

#[test]
fn pth_of_every_dtype_and_what_is_only_noted_of_a_tensor() {
    let (tensors, _) = pth::load(&fixture("more_dtypes.pth")).unwrap();
    assert_eq!(tensors.len(), 15);
    for (name, tensor) in &tensors {
        assert_expected(tensor, &format!("more_dtypes.pth/{name}"));
    }
    let negative = tensors.iter().find(|(name, _)| name == "negative").unwrap();
    assert!(numbers(&negative.1)[3].is_sign_negative());
}

/// PyTorch writes both notes of `x.conj().imag.neg()` and the like; a sign that changes twice is as it was.
#[test]
fn notes_of_a_conjugate_and_of_another_sign_are_put_together() {
    let read = |conjugate, negative| {
        let view = View {
            storage: Storage {
                key: "0".into(),
                element: Element::C64,
                count: 1,
                start: 0,
            },
            offset: 0,
            dims: vec![1],
            strides: vec![1],
            conjugate,
            negative,
        };
        let bytes = [1.5f32.to_le_bytes(), 2.5f32.to_le_bytes()].concat();
        numbers(&view::cut("z", &view, &bytes).unwrap())
    };
    assert_eq!(read(false, false), [1.5, 2.5]);
    assert_eq!(read(true, false), [1.5, -2.5]);
    assert_eq!(read(false, true), [-1.5, -2.5]);
    assert_eq!(read(true, true), [-1.5, 2.5]);
}

#[test]
fn pth_of_pytorch_before_1_6() {
    let (tensors, _) = pth::load(&fixture("before_1_6.pth")).unwrap();
    assert_eq!(tensors.len(), 17);
    for (name, tensor) in &tensors {
        assert_expected(tensor, &format!("before_1_6.pth/{name}"));
    }
    let (tensors, _) = pth::load(&fixture("legacy.pth")).unwrap();
    assert_eq!(numbers(&tensors[0].1), [1.0, 1.0]);
}

#[test]
fn damage_to_old_files_is_found() {
    let whole = std::fs::read(fixture("before_1_6.pth")).unwrap();
    let read = |bytes: &[u8]| pth::read(std::io::Cursor::new(bytes), bytes.len() as u64);
    for length in (legacy::MAGIC.len()..whole.len()).step_by(7) {
        read(&whole[..length]).unwrap_err();
    }
    let cut = why(read(&whole[..whole.len() - 1]));
    assert!(cut.contains("bytes are left"), "{cut}");
    // Any one byte may be another: an answer, never a crash.
    for at in (legacy::MAGIC.len()..whole.len()).step_by(3) {
        for value in [0, 0x7f, 0xff, whole[at] ^ 1] {
            let mut bytes = whole.clone();
            bytes[at] = value;
            let _ = read(&bytes);
        }
    }
    let mut tar = vec![0; 600];
    tar[257..262].copy_from_slice(b"ustar");
    assert!(why(read(&tar)).contains("a tar file, as torch.save wrote before PyTorch 0.1.10"));
}

#[test]
fn two_values_of_one_name_are_an_error() {
    let twice = why(pth::load(&fixture("one_name_twice.pth")));
    assert!(
        twice.starts_with("tensor `a.b`: two values of the file have this name"),
        "{twice}"
    );
    let twice = why(pth::load(&fixture("one_note_twice.pth")));
    assert!(twice.starts_with("tensor `n.1`: two values"), "{twice}");
}

#[test]
fn arrays_of_every_dtype_and_version() {
    for name in ["u16", "u32", "u64", "c64", "c128"] {
        let path = fixture(&format!("{name}.npy"));
        let array = numpy::load_npy(&path).unwrap();
        assert_expected(&array, &format!("more_dtypes/{name}"));
        assert_eq!(
            numpy::load_npy(&fixture(&format!("big_endian_{name}.npy"))).unwrap(),
            array
        );
        let copy = written(&format!("{name}.npy"));
        numpy::save_npy(&copy, &array).unwrap();
        assert_eq!(
            std::fs::read(&copy).unwrap(),
            std::fs::read(&path).unwrap(),
            "{name}"
        );
        std::fs::remove_file(&copy).unwrap();
    }
    for name in ["version_1", "version_2", "version_3", "python_2"] {
        assert_expected(
            &numpy::load_npy(&fixture(&format!("{name}.npy"))).unwrap(),
            "version.npy",
        );
    }
    let none = |element| Plain {
        element,
        dims: vec![0],
        bytes: Vec::new(),
    };
    assert_eq!(
        why(numpy::save_npy(
            &written("none.npy"),
            &none(Element::F8E5M2)
        )),
        "NumPy has no f8e5m2; convert the tensor to f32 first"
    );
    assert_eq!(
        why(numpy::save_npy(&written("none.npy"), &none(Element::C32))),
        "NumPy has no c32; convert the tensor to c64 first"
    );
}
