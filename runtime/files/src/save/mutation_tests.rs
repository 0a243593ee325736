//! Each parser on thousands of damaged files: it may read them or refuse them, but neither crash nor make more than they can hold.

use std::io::Cursor;

use super::plain::Plain;
use super::source::{Fault, Source};
use super::tests::fixture;
use super::{numpy, pickle, pth, safetensors};
use crate::data::random::SplitMix;

/// Damages a file in up to four places: other bytes, bytes of interest, pieces cut out, doubled or exchanged.
pub fn damaged(bytes: &[u8], random: &mut SplitMix) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..=random.below(4) {
        if bytes.is_empty() {
            break;
        }
        let at = random.below(bytes.len() as u64) as usize;
        let length = (random.below(9) as usize).min(bytes.len() - at);
        match random.below(7) {
            0 => bytes[at] = random.below(256) as u8,
            1 => bytes[at] ^= 1 << random.below(8),
            2 => bytes[at..at + length].fill([0x00, 0xff, 0x7f, 0x80][random.below(4) as usize]),
            3 => drop(bytes.drain(at..at + length)),
            4 => {
                let piece = bytes[at..at + length].to_vec();
                bytes.splice(at..at, piece);
            }
            5 => bytes.truncate(at),
            _ => {
                let other = random.below(bytes.len() as u64) as usize;
                bytes.swap(at, other);
            }
        }
    }
    bytes
}

fn attack<T>(
    name: &str,
    rounds: u64,
    read: impl Fn(&[u8]) -> Result<Vec<T>, Fault>,
    size: impl Fn(&T) -> usize,
) {
    let whole = std::fs::read(fixture(name)).unwrap();
    let (mut good, mut bad) = (0, 0);
    for round in 0..rounds {
        let mut random = SplitMix::new(round);
        let bytes = damaged(&whole, &mut random);
        match read(&bytes) {
            Ok(parts) => {
                let total: usize = parts.iter().map(&size).sum();
                assert!(
                    total <= (64 << 20) + 1032 * bytes.len(),
                    "{name}, round {round}: {total} bytes"
                );
                good += 1;
            }
            Err(fault) => {
                assert!(!fault.to_string().is_empty());
                bad += 1;
            }
        }
    }
    assert!(
        good > 0 && bad > rounds / 20,
        "{name}: {good} read, {bad} refused"
    );
}

fn plain_size((_, plain): &(String, Plain)) -> usize {
    plain.bytes.len()
}

#[test]
fn safetensors_files() {
    attack(
        "every_dtype.safetensors",
        4000,
        |bytes| safetensors::read(&mut Source::of_memory(bytes)).map(|(tensors, _)| tensors),
        plain_size,
    );
}

#[test]
fn state_dict_files() {
    for name in ["model.pth", "checkpoint.pth"] {
        attack(
            name,
            1500,
            |bytes| pth::read(Cursor::new(bytes), bytes.len() as u64).map(|(tensors, _)| tensors),
            plain_size,
        );
    }
}

#[test]
fn pickles() {
    // Inside a zip file most damage is found by its checksum, so the pickle is also attacked directly.
    let file = std::fs::File::open(fixture("checkpoint.pth")).unwrap();
    let mut zip = pth::open_zip(file).unwrap();
    let whole = pth::read_entry(&mut zip, "checkpoint/data.pkl", 1 << 20).unwrap();
    let mut good = 0;
    for round in 0..20_000 {
        let bytes = damaged(&whole, &mut SplitMix::new(round));
        if let Ok(pickled) = pickle::read(&bytes) {
            good += 1;
            let _ = pth::survey(&pickled, bytes.len());
        }
    }
    assert!(good > 100, "{good}");
}

#[test]
fn arrays() {
    for name in ["grid.npy", "fortran.npy", "deep.npy"] {
        attack(
            name,
            3000,
            |bytes| {
                numpy::read_npy(&mut Source::of_memory(bytes))
                    .map(|array| vec![(String::new(), array)])
            },
            plain_size,
        );
    }
    for name in ["arrays.npz", "packed.npz"] {
        attack(
            name,
            1500,
            |bytes| numpy::read_npz(Cursor::new(bytes), bytes.len() as u64, u64::MAX),
            plain_size,
        );
    }
}
