//! Every operation on files, and every large piece of memory, made to fail in turn while a file is saved or loaded.
//!
//! Whatever fails, the result is an error, the old file is whole, nothing is left beside it, and no memory is lost.
//! Failures of files come from
//! `simple_system::faults`; memory comes from an allocator of this test program that can refuse.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::path::Path;

use simple_system::faults;

use super::plain::{Element, Plain};
use super::source::Fault;
use super::tests::{Folder, fixture};
use super::{numpy, pth, safetensors};
use crate::data::{csv, idx, image};

/// Pieces from this size on are counted, and can be refused. What compressors and tables need for themselves is smaller.
const LARGE: usize = 400 << 10;

thread_local! {
    static ASKED: Cell<usize> = const { Cell::new(0) };
    static REFUSED: Cell<usize> = const { Cell::new(usize::MAX) };
    static LIVE: Cell<isize> = const { Cell::new(0) };
}

/// The system's allocator, which counts large pieces by thread and refuses one of them where a test wants it.
struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

impl Counting {
    fn refuses(size: usize) -> bool {
        if size < LARGE {
            return false;
        }
        let number = ASKED.get();
        ASKED.set(number + 1);
        number == REFUSED.get()
    }

    fn note(size: usize, change: isize) {
        if size >= LARGE {
            LIVE.set(LIVE.get() + change);
        }
    }
}

// SAFETY: everything is the system's allocator; a refusal is null, as it would be there.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if Counting::refuses(layout.size()) {
            return std::ptr::null_mut();
        }
        Counting::note(layout.size(), 1);
        // SAFETY: the caller's contract.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, piece: *mut u8, layout: Layout) {
        Counting::note(layout.size(), -1);
        // SAFETY: the caller's contract.
        unsafe { System.dealloc(piece, layout) }
    }

    unsafe fn realloc(&self, piece: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if Counting::refuses(size) {
            return std::ptr::null_mut();
        }
        Counting::note(layout.size(), -1);
        Counting::note(size, 1);
        // SAFETY: the caller's contract.
        unsafe { System.realloc(piece, layout, size) }
    }
}

/// A tensor larger than [`LARGE`].
fn tensor(element: Element, dims: &[usize]) -> Plain {
    let count: usize = dims.iter().product();
    let bytes = (0..count * element.width()).map(|byte| (byte % 251) as u8);
    Plain {
        element,
        dims: dims.to_vec(),
        bytes: bytes.collect(),
    }
}

fn floats() -> Plain {
    tensor(Element::F32, &[256, 512])
}

fn picture() -> Plain {
    tensor(Element::U8, &[3, 400, 400])
}

/// Reads the file at a path.
type Load = fn(&Path) -> Result<(), Fault>;

/// Writes the file at a path, whatever it needs for that with it.
type Access = Box<dyn Fn(&Path) -> Result<(), Fault>>;

/// Writes a tensor, with these notes where the format has room for them.
type Save = fn(&Path, &Plain, &BTreeMap<String, String>) -> Result<(), Fault>;

/// The functions that write a file, by the file's name. What is written is made before.
fn savers() -> Vec<(&'static str, Access)> {
    fn one(array: &Plain) -> impl Iterator<Item = (&str, &Plain)> {
        std::iter::once(("w", array))
    }
    let ways: [(&str, Plain, Save); 8] = [
        ("a.safetensors", floats(), |path, array, notes| {
            safetensors::save(path, one(array), notes)
        }),
        ("a.npy", floats(), |path, array, _| {
            numpy::save_npy(path, array)
        }),
        ("a.npz", floats(), |path, array, _| {
            numpy::save_npz(path, one(array), false)
        }),
        ("packed.npz", floats(), |path, array, _| {
            numpy::save_npz(path, one(array), true)
        }),
        ("a.idx", floats(), |path, array, _| idx::save(path, array)),
        ("a.idx.gz", floats(), |path, array, _| {
            idx::save(path, array)
        }),
        ("a.png", picture(), |path, array, _| {
            image::save(path, array, 90)
        }),
        ("a.jpg", picture(), |path, array, _| {
            image::save(path, array, 90)
        }),
    ];
    let with_array = |(name, array, save): (&'static str, Plain, Save)| {
        let notes = BTreeMap::from([("n:k".to_owned(), "text ".repeat(50_000))]);
        let save: Access = Box::new(move |path| save(path, &array, &notes));
        (name, save)
    };
    ways.into_iter().map(with_array).collect()
}

/// The functions that read a file, by the file's name: those above, a table, and what PyTorch wrote.
fn loaders() -> Vec<(&'static str, Load)> {
    vec![
        ("a.safetensors", |path| safetensors::load(path).map(drop)),
        ("a.npy", |path| numpy::load_npy(path).map(drop)),
        ("a.npz", |path| numpy::load_npz(path).map(drop)),
        ("packed.npz", |path| numpy::load_npz(path).map(drop)),
        ("a.idx", |path| idx::load(path).map(drop)),
        ("a.idx.gz", |path| idx::load(path).map(drop)),
        ("a.png", |path| image::load(path, 1).map(drop)),
        ("a.csv", |path| csv::load(path, false, ",").map(drop)),
        ("checkpoint.pth", |path| pth::load(path).map(drop)),
        ("fortran.npy", |path| numpy::load_npy(path).map(drop)),
    ]
}

/// A folder with a good file for each loader.
fn filled(name: &str) -> Folder {
    let folder = Folder::new(name);
    for (file, save) in savers() {
        save(&folder.path(file)).unwrap();
    }
    std::fs::write(folder.path("a.csv"), "1.5,2\n".repeat(100_000)).unwrap();
    for file in ["checkpoint.pth", "fortran.npy"] {
        std::fs::copy(fixture(file), folder.path(file)).unwrap();
    }
    folder
}

/// Runs `body` with its `n`-th large piece of memory refused; whether there was one.
fn refusing<T>(n: usize, body: impl FnOnce() -> T) -> (T, bool) {
    ASKED.set(0);
    REFUSED.set(n);
    let result = body();
    REFUSED.set(usize::MAX);
    (result, ASKED.get() > n)
}

#[test]
fn saving_survives_the_failure_of_each_operation() {
    let folder = Folder::new("faults-save");
    for (file, save) in savers() {
        let path = folder.path(file);
        let steps = faults::count(|| save(&path).unwrap());
        let whole = std::fs::read(&path).unwrap();
        assert!(steps > 5, "{file}: {steps} steps");
        // Something else was there before, and must be there afterwards.
        std::fs::write(&path, b"old").unwrap();
        let steps = steps.max(faults::count(|| save(&path).unwrap()));
        std::fs::write(&path, b"old").unwrap();
        let (names, live) = (folder.names(), LIVE.get());
        for n in 0..steps {
            let fault = faults::fail_at(n, || save(&path))
                .expect_err(file)
                .to_string();
            assert!(
                ["disk is full", "out of memory", "input/output error"]
                    .iter()
                    .any(|words| fault.contains(words)),
                "{file}, step {n}: {fault}"
            );
            assert_eq!(std::fs::read(&path).unwrap(), b"old", "{file}, step {n}");
            assert_eq!(folder.names(), names, "{file}, step {n}");
            assert_eq!(LIVE.get(), live, "{file}, step {n}");
        }
        save(&path).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), whole, "{file}");
    }
}

#[test]
fn loading_survives_the_failure_of_each_operation() {
    let folder = filled("faults-load");
    for (file, load) in loaders() {
        let path = folder.path(file);
        let steps = faults::count(|| load(&path).unwrap());
        assert!(steps > 3, "{file}: {steps} steps");
        let live = LIVE.get();
        for n in 0..steps {
            assert!(
                faults::fail_at(n, || load(&path)).is_err(),
                "{file}, step {n}"
            );
            assert_eq!(LIVE.get(), live, "{file}, step {n}");
        }
        load(&path).unwrap();
    }
}

#[test]
fn no_large_piece_of_memory_is_taken_for_granted() {
    let folder = filled("faults-memory");
    let loads = loaders().into_iter().map(|(file, load)| {
        let path = folder.path(file);
        let load: Box<dyn Fn() -> Result<(), Fault>> = Box::new(move || load(&path));
        (file, load)
    });
    let saves = savers().into_iter().map(|(file, save)| {
        let path = folder.path(file);
        let save: Box<dyn Fn() -> Result<(), Fault>> = Box::new(move || save(&path));
        (file, save)
    });
    // What is taken for granted would end this process.
    for (file, body) in loads.chain(saves) {
        let live = LIVE.get();
        let mut failures = 0;
        for n in 0.. {
            let (outcome, refused) = refusing(n, &body);
            assert_eq!(LIVE.get(), live, "{file}, piece {n}");
            match outcome {
                Err(fault) => {
                    let fault = fault.to_string();
                    assert!(
                        fault.contains("out of memory: no room for "),
                        "{file}: {fault}"
                    );
                    failures += 1;
                }
                // Where twice as much is not available, what is needed may be.
                Ok(()) if refused => {}
                Ok(()) => break,
            }
        }
        assert!(failures > 0 || NEEDS_LITTLE.contains(&file), "{file}");
    }
}

/// Files that are small, are written without a copy, or grow step by step.
const NEEDS_LITTLE: [&str; 8] = [
    "a.csv",
    "checkpoint.pth",
    "fortran.npy",
    "a.safetensors",
    "a.npy",
    "a.npz",
    "packed.npz",
    "a.idx.gz",
];

#[test]
fn a_table_that_unpacks_without_end_is_refused() {
    let folder = Folder::new("faults-bomb");
    let path = folder.path("bomb.csv.gz");
    let file = std::fs::File::create(&path).unwrap();
    let mut packed = flate2::write::GzEncoder::new(file, flate2::Compression::best());
    let line = "1,".repeat(1 << 20);
    for _ in 0..8 {
        std::io::Write::write_all(&mut packed, line.as_bytes()).unwrap();
    }
    packed.finish().unwrap();
    let mut reader = super::limit::Unpacked::new(
        flate2::read::GzDecoder::new(std::fs::File::open(&path).unwrap()),
        10 << 20,
    );
    let failed = std::io::copy(&mut reader, &mut std::io::sink()).unwrap_err();
    assert!(failed.to_string().contains(super::limit::VARIABLE));
}
