//! Batches in PyTorch's order, gathered with and without a thread, and epochs that are taken up again.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::device::number;
use crate::libtorch::{Device, Tensor};
use simple_ffi_abi::dtype::DTYPES;

use super::generator::Generator;
use super::loader;
use crate::tensor;

/// Holds the one default generator of the process for a test, as all loaders draw from it.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

struct Loader(i64);

impl Drop for Loader {
    fn drop(&mut self) {
        loader::free(self.0).unwrap();
    }
}

/// A loader over the numbers below `count`, and twice the numbers.
fn over(count: i64, batch: i64, shuffle: bool, seed: Option<i64>, prefetch: i64) -> Loader {
    let numbers = Tensor::from_slice(&(0..count).collect::<Vec<_>>()).unwrap();
    let doubled: Vec<i64> = (0..count).map(|number| 2 * number).collect();
    let doubled = Tensor::from_slice(&doubled).unwrap().resize_(&[count, 1]);
    let handles = [numbers, doubled.unwrap()].map(|t| tensor::store("test", t).unwrap());
    let made = loader::new(&handles, batch, shuffle, false, seed, prefetch, None).unwrap();
    for handle in handles {
        tensor::free(handle).unwrap();
    }
    Loader(made)
}

fn take(handle: i64) -> Tensor {
    let tensor = tensor::with("test", handle, |t| Ok(t.shallow_clone())).unwrap();
    tensor::free(handle).unwrap();
    tensor
}

/// The numbers of the batches that are left in the epoch.
fn rest(loader: &Loader) -> Vec<Vec<i64>> {
    let mut batches = Vec::new();
    loop {
        let parts = loader::next(loader.0).unwrap();
        let [numbers, doubled] = parts[..] else {
            return batches;
        };
        let (numbers, doubled) = (take(numbers), take(doubled));
        assert_eq!(doubled.size(), [numbers.numel() as i64, 1]);
        let (numbers, doubled): (Vec<i64>, Vec<i64>) =
            (numbers.to_vec().unwrap(), doubled.to_vec().unwrap());
        assert!(numbers.iter().map(|number| 2 * number).eq(doubled));
        batches.push(numbers);
    }
}

fn epoch(loader: &Loader) -> Vec<i64> {
    loader::begin(loader.0).unwrap();
    rest(loader).concat()
}

fn as_expected(name: &str) -> Vec<f64> {
    let path = "../../lib/torch/fixtures/data/expected.txt";
    let text = std::fs::read_to_string(path).unwrap();
    let line = text
        .lines()
        .find(|line| line.split('\t').next() == Some(name))
        .unwrap_or_else(|| panic!("expected.txt has no `{name}`"));
    let numbers = line.split('\t').nth(3).unwrap();
    let number = |word: &str| word.parse().unwrap();
    numbers.split_whitespace().map(number).collect()
}

fn floats(numbers: &[i64]) -> Vec<f64> {
    numbers.iter().map(|&number| number as f64).collect()
}

#[test]
fn the_order_is_that_of_pytorch() {
    let _alone = alone();
    let uniform = || tch::Tensor::rand([2], (tch::Kind::Float, tch::Device::Cpu));
    let after = || Vec::<f64>::try_from(uniform()).unwrap();
    for (name, seed) in [("seeded", Some(7)), ("global", None)] {
        tch::manual_seed(7);
        let loader = over(10, 4, true, seed, 2);
        for number in 0..3 {
            if number == 1 {
                // To know the order early changes nothing.
                loader::order(loader.0).unwrap();
            }
            let order = epoch(&loader);
            assert_eq!(
                floats(&order),
                as_expected(&format!("loader/{name}/{number}"))
            );
        }
        assert_eq!(after(), as_expected(&format!("loader/{name}/after")));
    }
    tch::manual_seed(7);
    assert_eq!(
        epoch(&over(10, 4, false, None, 2)),
        (0..10).collect::<Vec<_>>()
    );
    assert_eq!(after(), as_expected("loader/unshuffled/after"));
    let large = epoch(&over(40_000, 40_000, true, Some(3), 2));
    assert_eq!(floats(&large[..20]), as_expected("loader/large"));
}

#[test]
fn a_thread_changes_nothing() {
    let _alone = alone();
    // Large enough that a thread is started.
    let count = 40_000;
    for shuffle in [false, true] {
        let direct = over(count, 999, shuffle, Some(1), 0);
        let ahead = over(count, 999, shuffle, Some(1), 3);
        for _ in 0..2 {
            let order = epoch(&direct);
            assert_eq!(order.len() as i64, count);
            assert_eq!(order, epoch(&ahead));
        }
        // An epoch that is left early ends its thread.
        loader::begin(ahead.0).unwrap();
        for handle in loader::next(ahead.0).unwrap() {
            tensor::free(handle).unwrap();
        }
    }
}

#[test]
fn an_order_is_brought_back() {
    let _alone = alone();
    for seed in [Some(5), None] {
        let first = over(1000, 64, true, seed, 2);
        epoch(&first);
        // One epoch is left early.
        loader::begin(first.0).unwrap();
        for handle in loader::next(first.0).unwrap() {
            tensor::free(handle).unwrap();
        }
        let order = loader::order(first.0).unwrap();
        assert_eq!(order, loader::order(first.0).unwrap());
        let expected = epoch(&first);
        let second = over(1000, 64, true, seed, 2);
        loader::restore(second.0, &order).unwrap();
        assert_eq!(epoch(&second), expected);
        if seed.is_some() {
            assert_eq!(order, [2, 1]);
            assert_eq!(epoch(&second), epoch(&first), "and so do later epochs");
            assert_eq!(loader::order(second.0).unwrap(), [4, 1]);
        }
        let said = loader::restore(second.0, &[-1]).unwrap_err().to_string();
        assert_eq!(
            said,
            "DataLoader: [-1] is not the order of a loader like this one"
        );
    }
}

#[test]
fn the_last_batch() {
    let _alone = alone();
    let sizes = |loader: &Loader| {
        loader::begin(loader.0).unwrap();
        rest(loader).iter().map(Vec::len).collect::<Vec<_>>()
    };
    assert_eq!(sizes(&over(10, 4, false, None, 0)), [4, 4, 2]);
    assert_eq!(sizes(&over(0, 4, true, None, 0)), [0usize; 0]);
    let numbers = tensor::store("test", Tensor::from_slice(&[0i64; 10]).unwrap()).unwrap();
    let short = loader::new(&[numbers], 4, false, true, None, 0, None).unwrap();
    assert_eq!(loader::batches(short).unwrap(), 2);
    loader::free(short).unwrap();
    let said = |tensors: &[i64], batch: i64| {
        loader::new(tensors, batch, false, false, None, 0, None)
            .unwrap_err()
            .to_string()
    };
    assert_eq!(
        said(&[numbers], 0),
        "DataLoader: a batch has at least 1 example, not 0"
    );
    assert_eq!(said(&[], 1), "DataLoader: there are no tensors");
    let other = tensor::store(
        "test",
        Tensor::zeros(&[3, 2], number::F32, Device::Cpu).unwrap(),
    )
    .unwrap();
    assert_eq!(
        said(&[numbers, other], 1),
        "DataLoader: tensors of shapes [[10], [3, 2]] do not have one row for each example"
    );
    for handle in [numbers, other] {
        tensor::free(handle).unwrap();
    }
}

#[test]
fn generators() {
    let _alone = alone();
    let generator = Generator::seeded(7).unwrap();
    let state = generator.state().unwrap();
    let first = generator.draw().unwrap();
    generator.restore(&state).unwrap();
    assert_eq!(generator.draw().unwrap(), first);
    let wrong = Tensor::zeros(&[3], number::U8, Device::Cpu).unwrap();
    assert!(generator.restore(&wrong).is_err());
}

#[test]
fn every_width_of_numbers_is_copied() {
    let _alone = alone();
    for dtype in DTYPES
        .iter()
        .filter(|dtype| dtype.plain && dtype.name != "bool")
    {
        let numbers = Tensor::from_slice(&[1i64, 2, 3]).unwrap();
        let made = numbers.to_dtype(dtype.number).unwrap();
        let handle = tensor::store("test", made).unwrap();
        let loader = Loader(loader::new(&[handle], 2, false, false, None, 0, None).unwrap());
        tensor::free(handle).unwrap();
        loader::begin(loader.0).unwrap();
        let batch = take(loader::next(loader.0).unwrap()[0]);
        assert_eq!(batch.to_vec::<i64>().unwrap(), [1, 2], "{}", dtype.name);
    }
}
