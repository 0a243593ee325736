//! Tables, pictures and MNIST files: what others wrote, what we write, and what is damaged.

use std::path::PathBuf;

use super::random::SplitMix;
use super::{csv, digits, idx, image};
use crate::save::mutation_tests::damaged;
use crate::save::plain::{Element, Plain};
use crate::save::source::{Fault, Place, Source};
use crate::save::tests::{Folder, assert_expected, expected, fixture, numbers};

fn why<T: std::fmt::Debug>(result: Result<T, Fault>) -> String {
    result.expect_err("a fault").to_string()
}

#[test]
fn tables() {
    let table = |text: &str| csv::parse(text.as_bytes(), false, ",");
    let good = table("1,2.5,-3\r\n\n4, 1e3 ,\"6\"\n").unwrap();
    assert_eq!(good.dims, [2, 3]);
    assert_eq!(numbers(&good), [1.0, 2.5, -3.0, 4.0, 1000.0, 6.0]);
    let named = csv::parse("\u{feff}x;y\n1;2\n".as_bytes(), true, ";").unwrap();
    assert_eq!(numbers(&named), [1.0, 2.0]);
    let spaced = csv::parse(b" 1   2 \n3 4", false, " ").unwrap();
    assert_eq!(spaced.dims, [2, 2]);
    assert_eq!(table("").unwrap().dims, [0, 0]);
    for (text, reason) in [
        (
            "x,y\n1,2",
            "line 1, column 1: `x` is not a number; if this is a line of names, say `header: true`",
        ),
        ("1,2\n3,four", "line 2, column 2: `four` is not a number"),
        (
            "1,2\n3,",
            "line 2, column 2: the field is empty; every field must be a number",
        ),
        (
            "1,2\n\n3",
            "line 3, column 1: the line has 1 numbers, those before it 2",
        ),
    ] {
        assert_eq!(why(table(text)), reason);
    }
    assert_eq!(
        why(csv::parse(b"1\n2\n\xff", false, ",")),
        "line 3, column 1: the line is not valid UTF-8"
    );
    assert!(why(csv::parse(b"1", false, "")).contains("cannot separate numbers"));
    let digits = csv::load(&library("digits.csv.gz"), false, ",").unwrap();
    let text = csv::text(&library("digits.csv.gz")).unwrap();
    assert_eq!(text.lines().count(), 1797);
    assert!(csv::text(&library("no such file.csv")).is_err());
    let folder = Folder::new("csv-text");
    std::fs::write(folder.path("latin.csv"), b"a\n\xe9\n").unwrap();
    assert_eq!(
        csv::text(&folder.path("latin.csv")).unwrap_err().place,
        Place::Line(2, 1)
    );
    assert_eq!(digits.dims, [1797, 65]);
}

fn library(name: &str) -> PathBuf {
    fixture("../../../data").join(name)
}

#[test]
fn idx_files() {
    for name in ["images.idx", "images.idx.gz"] {
        assert_expected(&idx::load(&fixture(name)).unwrap(), "images.idx");
    }
    assert_expected(&idx::load(&fixture("floats.idx")).unwrap(), "floats.idx");
    let folder = Folder::new("idx");
    for name in ["images.idx", "floats.idx"] {
        let array = idx::load(&fixture(name)).unwrap();
        idx::save(&folder.path(name), &array).unwrap();
        let bytes = std::fs::read(folder.path(name)).unwrap();
        assert_eq!(bytes, std::fs::read(fixture(name)).unwrap());
        let packed = folder.path("packed.gz");
        idx::save(&packed, &array).unwrap();
        assert_eq!(idx::load(&packed).unwrap(), array);
        assert_eq!(std::fs::read(&packed).unwrap()[..2], [0x1f, 0x8b]);
    }
}

#[test]
fn damaged_idx_files() {
    let read = |bytes: &[u8]| idx::read(&mut Source::of_memory(bytes));
    assert_eq!(
        why(read(b"\x89PNG")),
        "byte 0: an IDX file begins with 00 00, its kind of number and its dimensions, not with 89 50 4e 47"
    );
    assert_eq!(
        why(read(&[0, 0, 8, 2, 0, 0, 0, 3, 0xff, 0xff, 0xff, 0xff, 1])),
        "byte 12: the numbers of shape [3, 4294967295] should take 12884901885 bytes, but only 1 are left"
    );
    assert_eq!(
        why(read(&[0, 0, 8, 1, 0, 0, 0, 1, 5, 5])),
        "byte 9: the file should end here, but goes on"
    );
    // A gzipped file whose content ends early, and one that is cut itself.
    let folder = Folder::new("idx-damaged");
    let whole = std::fs::read(fixture("images.idx.gz")).unwrap();
    std::fs::write(folder.path("cut.gz"), &whole[..whole.len() - 12]).unwrap();
    let cut = why(idx::load(&folder.path("cut.gz")));
    assert!(cut.starts_with("byte "), "{cut}");
    let long = Plain {
        element: Element::I64,
        dims: vec![1],
        bytes: 256_i64.to_le_bytes().to_vec(),
    };
    assert_eq!(
        why(idx::save(&folder.path("long"), &long)),
        "IDX files hold u8, i8, i16, i32, f32 or f64, or i64 as u8 where all numbers are 0 to 255, not i64"
    );
    assert!(!folder.path("long").exists());
    // The same numbers as u8.
    let numbers: Vec<u8> = [0_i64, 7, 255]
        .iter()
        .flat_map(|n| n.to_le_bytes())
        .collect();
    let short = Plain {
        element: Element::I64,
        dims: vec![3],
        bytes: numbers,
    };
    idx::save(&folder.path("short"), &short).unwrap();
    assert_eq!(
        idx::load(&folder.path("short")).unwrap(),
        Plain::of_bytes(vec![3], vec![0, 7, 255])
    );
}

#[test]
fn pictures() {
    for name in [
        "color.png",
        "gray.png",
        "alpha.png",
        "one_bit.png",
        "palette.png",
        "deep_gray.png",
    ] {
        assert_expected(&image::load(&fixture(name), 0).unwrap(), name);
    }
    // Decoders of JPEG round differently, and differ in how they spread colors that are stored for four pixels together.
    for name in ["color.jpg", "gray.jpg"] {
        let (_, dims, values) = expected(name);
        let picture = image::load(&fixture(name), 0).unwrap();
        assert_eq!(picture.dims, dims);
        for (ours, theirs) in numbers(&picture).iter().zip(&values) {
            assert!((ours - theirs).abs() <= 4.0, "{name}: {ours} {theirs}");
        }
    }
    let channels = |name: &str, channels: i64| image::load(&fixture(name), channels).unwrap();
    assert_eq!(channels("color.png", 1).dims, [1, 8, 12]);
    assert_eq!(
        channels("gray.png", 3).bytes[..96],
        channels("gray.png", 1).bytes
    );
    assert_eq!(channels("alpha.png", 3), channels("color.png", 3));
    assert_eq!(channels("color.png", 4).bytes[3 * 96..], [255; 96]);
}

#[test]
fn pictures_are_written() {
    let folder = Folder::new("pictures");
    for name in ["color.png", "gray.png", "alpha.png"] {
        let picture = image::load(&fixture(name), 0).unwrap();
        image::save(&folder.path(name), &picture, 75).unwrap();
        assert_eq!(image::load(&folder.path(name), 0).unwrap(), picture);
    }
    let picture = image::load(&fixture("color.png"), 0).unwrap();
    image::save(&folder.path("color.JPG"), &picture, 100).unwrap();
    let again = image::load(&folder.path("color.JPG"), 0).unwrap();
    assert_eq!(again.dims, picture.dims);
    for (ours, theirs) in numbers(&again).iter().zip(numbers(&picture)) {
        assert!((ours - theirs).abs() <= 40.0, "{ours} {theirs}");
    }
    let floats = Plain {
        element: Element::F32,
        dims: vec![1, 1],
        bytes: vec![0; 4],
    };
    for (name, picture, quality, reason) in [
        (
            "x.gif",
            &picture,
            75,
            "the name must end in .png, .jpg or .jpeg, which says how to write it",
        ),
        ("x.jpg", &picture, 0, "the quality is 1 to 100, not 0"),
        (
            "x.png",
            &floats,
            75,
            "a picture has the dtype u8, or i64 with numbers from 0 to 255, not f32; scale it to 0..255 and convert it",
        ),
        (
            "x.png",
            &Plain::of_bytes(vec![5], vec![0; 5]),
            75,
            "a picture has the shape [channels, rows, columns] with 1 to 4 channels, or [rows, columns], not [5]",
        ),
        (
            "x.png",
            &Plain::of_bytes(vec![1, 0, 4], vec![]),
            75,
            "the picture has no pixels",
        ),
        (
            "x.jpg",
            &Plain::of_bytes(vec![4, 1, 1], vec![0; 4]),
            75,
            "a JPEG file has no alpha channel; give it 1 or 3 channels, or write a PNG file",
        ),
    ] {
        assert_eq!(
            why(image::save(&folder.path(name), picture, quality)),
            reason
        );
    }
}

#[test]
fn damaged_pictures() {
    assert_eq!(
        why(image::load(&fixture("grid.npy"), 0)),
        "byte 0: this is neither a PNG nor a JPEG file"
    );
    assert_eq!(
        why(image::load(&fixture("color.png"), 5)),
        "an image must have 1 to 4 channels (or 0: as in the file), not 5"
    );
    for name in ["color.png", "color.jpg"] {
        let whole = std::fs::read(fixture(name)).unwrap();
        let cut = why(image::decode(&whole[..whole.len() * 2 / 3], 0));
        assert!(cut.contains("file is damaged: "), "{cut}");
    }
    // A picture of a billion pixels in a file of a few bytes.
    let mut huge = std::fs::read(fixture("gray.png")).unwrap();
    huge[16..24].copy_from_slice(&[0, 0, 0x80, 0, 0, 0, 0x80, 0]);
    let checksum = crc32(&huge[12..29]);
    huge[29..33].copy_from_slice(&checksum.to_be_bytes());
    assert_eq!(
        why(image::decode(&huge, 0)),
        "the picture claims 32768 x 32768 pixels, for which its file is too small"
    );
}

fn crc32(bytes: &[u8]) -> u32 {
    let mut crc = flate2::Crc::new();
    crc.update(bytes);
    crc.sum()
}

#[test]
fn mutated_files() {
    for (name, rounds) in [
        ("color.png", 2000),
        ("palette.png", 2000),
        ("color.jpg", 3000),
        ("gray.jpg", 2000),
        ("images.idx", 4000),
    ] {
        let whole = std::fs::read(fixture(name)).unwrap();
        let mut bad = 0;
        for round in 0..rounds {
            let bytes = damaged(&whole, &mut SplitMix::new(round));
            let result = if name.ends_with(".idx") {
                idx::read(&mut Source::of_memory(&bytes))
            } else {
                image::decode(&bytes, 0)
            };
            match result {
                Ok(plain) => assert!(plain.bytes.len() <= 1032 * 24 * bytes.len()),
                Err(_) => bad += 1,
            }
        }
        assert!(bad > rounds / 20, "{name}: {bad}");
    }
}

#[test]
fn digits_are_the_same_on_every_machine() {
    let folder = Folder::new("digits");
    digits::generate(&folder.0, 3000, 500, 1).unwrap();
    let load = |name: &str| idx::load(&folder.path(name)).unwrap();
    let images = load("train-images-idx3-ubyte");
    assert_eq!(images.dims, [3000, 28, 28]);
    assert_eq!(load("t10k-images-idx3-ubyte").dims, [500, 28, 28]);
    let labels = load("train-labels-idx1-ubyte");
    assert_eq!(labels.dims, [3000]);
    for digit in 0..10u8 {
        let count = labels.bytes.iter().filter(|&&label| label == digit).count();
        assert!((250..350).contains(&count), "{count} of {digit}");
    }
    // Pinned: these are the numbers that every machine must make.
    let sums: Vec<u64> = ["train", "t10k"]
        .iter()
        .flat_map(|part| {
            let images = load(&format!("{part}-images-idx3-ubyte"));
            let labels = load(&format!("{part}-labels-idx1-ubyte"));
            [fingerprint(&images.bytes), fingerprint(&labels.bytes)]
        })
        .collect();
    assert_eq!(
        sums,
        [
            15_764_680_562_098_162_828,
            8_346_483_962_574_607_668,
            3_286_779_089_842_206_195,
            4_187_465_600_324_398_471
        ]
    );
    // More training pictures leave the first ones and the test pictures as they were.
    let more = Folder::new("digits-more");
    digits::generate(&more.0, 3001, 500, 1).unwrap();
    let longer = idx::load(&more.path("train-images-idx3-ubyte")).unwrap();
    assert_eq!(longer.bytes[..images.bytes.len()], images.bytes);
    let test = idx::load(&more.path("t10k-images-idx3-ubyte")).unwrap();
    assert_eq!(test, load("t10k-images-idx3-ubyte"));
    let (originals, labels) = digits::originals().unwrap();
    assert_eq!(originals.dims, [1797, 8, 8]);
    assert_eq!(labels.bytes[..3], [0, 1, 2]);
}

/// FNV-1a, 64 bits.
fn fingerprint(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}
