//! Memory of tensors on the CPU (`shim/memory.cpp`): it is taken again, on every thread, and what is kept is bounded.

use simple_torch::device::configure;
use simple_torch_shim as _;
use tch::{Device, Kind, Tensor};

fn load() {
    assert_eq!(configure("cpu", "f32", false).unwrap(), "");
}

fn bytes(count: i64) -> Tensor {
    Tensor::empty([count], (Kind::Uint8, Device::Cpu))
}

fn place(tensor: &Tensor) -> usize {
    tensor.data_ptr().addr()
}

/// Bytes of memory in use, from the system.
fn resident() -> usize {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap();
    statm.split(' ').nth(1).unwrap().parse::<usize>().unwrap() * 4096
}

#[test]
fn small_memory_is_taken_again_and_lies_on_a_boundary() {
    load();
    for size in [1, 63, 64, 65, 1_000, 8_191, 8_192] {
        let first = bytes(size);
        let was = place(&first);
        assert_eq!(was % 64, 0, "{size} bytes");
        let other = bytes(size);
        assert_ne!(place(&other), was, "{size} bytes, both alive");
        drop(first);
        assert_eq!(place(&bytes(size)), was, "{size} bytes");
    }
    assert_eq!(place(&bytes(8_193)) % 64, 0);
    assert_eq!(place(&bytes(0)), 0);
}

#[test]
fn elements_of_all_sizes_stay_apart() {
    load();
    // Every size around the borders of the classes, alive at once, each full of its own number.
    let sizes: Vec<i64> = (1..140)
        .flat_map(|n| [n * 64 - 1, n * 64, n * 64 + 1])
        .collect();
    for _ in 0..3 {
        let full: Vec<Tensor> = sizes
            .iter()
            .enumerate()
            .map(|(i, &size)| bytes(size).fill_((i % 251) as i64))
            .collect();
        for (i, (tensor, size)) in full.iter().zip(&sizes).enumerate() {
            let sum = i64::try_from(tensor.sum(Kind::Int64)).unwrap();
            assert_eq!(sum, (i % 251) as i64 * size);
        }
    }
}

#[test]
fn tensors_may_end_on_another_thread() {
    load();
    let made = std::thread::spawn(|| (0..1_000).map(|i| bytes(100).fill_(i % 251)).collect())
        .join()
        .unwrap();
    let made: Vec<Tensor> = made;
    for (i, tensor) in made.iter().enumerate() {
        assert_eq!(i64::try_from(tensor.max()).unwrap(), i as i64 % 251);
    }
    drop(made);
    let ours: Vec<Tensor> = (0..1_000).map(|_| bytes(100)).collect();
    std::thread::spawn(move || drop(ours)).join().unwrap();
}

#[test]
fn what_is_kept_is_bounded() {
    load();
    let fill = || {
        let many: Vec<Tensor> = (0..40_000).map(|_| bytes(4_096).fill_(1)).collect();
        drop(many);
    };
    fill();
    let start = resident();
    for _ in 0..20 {
        fill();
        // On a separate thread, whose blocks are given back at its end.
        std::thread::spawn(|| drop((0..500).map(|_| bytes(8_000).fill_(1)).collect::<Vec<_>>()))
            .join()
            .unwrap();
    }
    let grown = resident().saturating_sub(start);
    assert!(grown < 40 << 20, "grew by {} KiB", grown >> 10);
}

#[test]
fn too_much_is_an_error_with_its_size() {
    load();
    let wanted = Tensor::f_empty([1 << 60], (Kind::Float, Device::Cpu));
    let said = wanted.unwrap_err().to_string();
    assert!(
        said.contains("you tried to allocate 4611686018427387904 bytes"),
        "{said}"
    );
}
