//! What an error of libtorch costs: no words on the C++ stack, which take longer than the rest, and no memory.

use simple_torch::operator::matmul;
use simple_torch_shim as _;
use tch::{Device, Kind, Tensor};

fn ones(sizes: &[i64]) -> Tensor {
    Tensor::ones(sizes, (Kind::Float, Device::Cpu))
}

/// Bytes of memory in use, from the system.
fn resident() -> usize {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap();
    statm.split(' ').nth(1).unwrap().parse::<usize>().unwrap() * 4096
}

// One test, since how libtorch describes stacks belongs to the process.
#[test]
fn an_error_has_no_stack_and_leaves_no_memory() {
    let (a, b) = (ones(&[2, 3]), ones(&[4, 5]));
    let said = || a.f_matmul(&b).unwrap_err().to_string();
    assert!(said().contains("frame #1"), "libtorch notes stacks");
    simple_torch::prepare();
    let without = said();
    assert!(
        without.contains("mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)"),
        "{without}"
    );
    assert!(!without.contains("frame #"), "{without}");

    let left = simple_torch::tensor::zeros(&[2, 3]).unwrap();
    let right = simple_torch::tensor::zeros(&[4, 5]).unwrap();
    let fail = |count: usize| {
        for _ in 0..count {
            assert!(matmul(left, right).is_err());
        }
    };
    fail(1_000);
    let start = resident();
    fail(50_000);
    let grown = resident().saturating_sub(start);
    assert!(grown < 4 << 20, "grew by {} KiB", grown >> 10);
}
