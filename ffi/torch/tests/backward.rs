//! Our backward pass (`shim/backward.cpp`) compared with libtorch's engine: the same gradients to the last bit.

#![allow(
    unsafe_code,
    reason = "calls the shim as the library's own rows do, with live tensors"
)]

use simple_torch::autograd::{simple_backward, simple_retain_grad};
use simple_torch_shim as _;
use tch::{Device, Kind, Tensor};

fn ours(loss: &Tensor, retain_graph: bool) {
    let none = std::ptr::null();
    // SAFETY: one live tensor, and two lists of no elements.
    unsafe {
        simple_backward(
            [loss.as_ptr().cast_mut().cast()].as_ptr(),
            1,
            none,
            0,
            none,
            0,
            i32::from(retain_graph),
            0,
        )
    };
}

/// Numbers between -1 and 1, always the same ones for a seed. They do not come from libtorch's generator: all tests of
/// this process share it, and draw from it side by side.
fn random(shape: &[i64], seed: u64) -> Tensor {
    let mut state = seed;
    let numbers: Vec<f32> = (0..shape.iter().product())
        .map(|_| {
            // The linear congruential generator of Knuth's MMIX.
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 40) as f32 / (1 << 23) as f32 - 1.
        })
        .collect();
    Tensor::from_slice(&numbers).reshape(shape)
}

/// The gradients of leaves of these shapes, which have the same numbers each time, after `times` losses.
fn gradients(
    shapes: &[&[i64]],
    loss: impl Fn(&[Tensor]) -> Tensor,
    times: usize,
    back: impl Fn(&Tensor),
) -> Vec<Tensor> {
    let leaves: Vec<Tensor> = (1..)
        .zip(shapes)
        .map(|(seed, shape)| random(shape, seed).set_requires_grad(true))
        .collect();
    for _ in 0..times {
        back(&loss(&leaves));
    }
    leaves.iter().map(Tensor::grad).collect()
}

fn compare(name: &str, shapes: &[&[i64]], loss: impl Fn(&[Tensor]) -> Tensor) {
    for times in 1..=2 {
        let expected = gradients(shapes, &loss, times, |loss| loss.backward());
        let found = gradients(shapes, &loss, times, |loss| ours(loss, false));
        for (i, (expected, found)) in expected.iter().zip(&found).enumerate() {
            assert_eq!(expected.defined(), found.defined(), "{name}, leaf {i}");
            if !expected.defined() {
                continue;
            }
            assert_eq!(expected.size(), found.size(), "{name}, leaf {i}");
            assert_eq!(expected.stride(), found.stride(), "{name}, leaf {i}");
            assert_eq!(expected, found, "{name}, leaf {i}, after {times}");
        }
    }
}

#[test]
fn a_network() {
    let shapes: [&[i64]; 7] = [&[4, 2], &[8, 2], &[8], &[4, 8], &[4], &[1, 4], &[1]];
    compare("three layers", &shapes, |p| {
        let h = p[0].linear(&p[1], Some(&p[2])).relu();
        let h = h.linear(&p[3], Some(&p[4])).relu();
        h.linear(&p[5], Some(&p[6]))
            .sigmoid()
            .square()
            .mean(Kind::Float)
    });
}

#[test]
fn values_used_many_times() {
    compare("three times and itself", &[&[5, 5], &[5, 5], &[5]], |p| {
        let h = p[0].matmul(&p[1]) + &p[0];
        let h = &h * &h + p[0].tanh() + &h + &p[2];
        (&h / (h.exp() + 1.)).sum(Kind::Float) + p[2].sum(Kind::Float) + p[2].prod(Kind::Float)
    });
}

#[test]
fn several_results_views_and_what_is_not_used() {
    compare(
        "chunks, indices, an unused leaf",
        &[&[6, 4], &[4, 6], &[3]],
        |p| {
            let parts = p[0].chunk(3, 0);
            let (values, _) = p[1].max_dim(1, false);
            let picked = p[1].index_select(0, &Tensor::from_slice(&[0i64, 2, 2]));
            let (q, r) = Tensor::linalg_qr(&p[0], "reduced");
            (&parts[0] * &parts[2]).sum(Kind::Float)
                + (p[0].transpose(0, 1) * &p[1]).sum(Kind::Float)
                + picked.slice(1, 1, 5, 2).sum(Kind::Float)
                + values.dot(&values)
                + (q.matmul(&r.tril(0))).sum(Kind::Float)
        },
    );
}

#[test]
fn convolutions_norms_and_recurrences() {
    let shapes: [&[i64]; 8] = [
        &[2, 3, 8, 8],
        &[4, 3, 3, 3],
        &[4],
        &[4],
        &[9, 4],
        &[9, 3],
        &[9],
        &[9],
    ];
    compare("conv, batch norm, pooling, gru", &shapes, |p| {
        let nothing: Option<&Tensor> = None;
        let h = p[0].conv2d(&p[1], Some(&p[2]), 1, 1, 1, 1);
        let h = h.batch_norm(
            Some(&p[3]),
            Some(&p[2]),
            nothing,
            nothing,
            true,
            0.1,
            1e-5,
            true,
        );
        let h = h
            .max_pool2d_default(2)
            .flatten(2, -1)
            .transpose(1, 2)
            .contiguous();
        let state = Tensor::zeros([1, 2, 3], (Kind::Float, Device::Cpu));
        let weights = [&p[4], &p[5], &p[6], &p[7]];
        let (out, last) = h.gru(&state, &weights, true, 1, 0.0, true, false, true);
        out.square().mean(Kind::Float) + last.sum(Kind::Float)
    });
}

#[test]
fn an_embedding_with_repeated_and_sparse_rows() {
    let rows = Tensor::from_slice(&[1i64, 3, 3, 0]);
    compare("dense", &[&[5, 4]], |p| {
        Tensor::embedding(&p[0], &rows, -1, false, false)
            .square()
            .sum(Kind::Float)
    });
    let table = random(&[5, 4], 1).set_requires_grad(true);
    let loss = || {
        Tensor::embedding(&table, &rows, -1, false, true)
            .square()
            .sum(Kind::Float)
    };
    ours(&(loss() + loss()), false);
    let found = table.grad().to_dense(None, false);
    let mut leaf = table.detach().set_requires_grad(true);
    Tensor::embedding(&leaf, &rows, -1, false, false)
        .square()
        .sum(Kind::Float)
        .g_mul_scalar(2)
        .backward();
    assert!(found.allclose(&leaf.grad(), 1e-6, 1e-6, false));
    leaf.zero_grad();
}

#[test]
fn a_graph_that_is_kept_can_be_gone_through_again() {
    let x = Tensor::from_slice(&[2f32, 3.]).set_requires_grad(true);
    let loss = x.square().sum(Kind::Float);
    ours(&loss, true);
    ours(&loss, true);
    ours(&loss, false);
    assert_eq!(Vec::<f32>::try_from(x.grad()).unwrap(), [12., 18.]);
}

#[test]
fn a_kept_gradient_between_is_left_to_libtorch() {
    let x = Tensor::from_slice(&[2f32, 3.]).set_requires_grad(true);
    let square = x.square();
    // SAFETY: a live tensor.
    unsafe { simple_retain_grad(square.as_ptr().cast_mut().cast()) };
    ours(&(&square * 5.).sum(Kind::Float), false);
    assert_eq!(Vec::<f32>::try_from(square.grad()).unwrap(), [5., 5.]);
    assert_eq!(Vec::<f32>::try_from(x.grad()).unwrap(), [20., 30.]);
}

#[test]
fn a_gradient_is_no_part_of_a_graph_and_belongs_to_its_leaf_alone() {
    let x = random(&[3, 3], 1).set_requires_grad(true);
    let loss = (x.sum(Kind::Float) + x.transpose(0, 1).sum(Kind::Float)) * 1.;
    ours(&loss, false);
    let mut gradient = x.grad();
    assert!(!gradient.requires_grad());
    let _ = gradient.zero_();
    assert_eq!(f64::try_from(x.grad().sum(Kind::Double)).unwrap(), 0.);
    // A sum hands one number to all places: what the leaf gets must be as large as the leaf.
    let y = Tensor::ones([4], (Kind::Float, Device::Cpu)).set_requires_grad(true);
    ours(&y.sum(Kind::Float), false);
    let _ = y.grad().get(0).fill_(9);
    assert_eq!(Vec::<f32>::try_from(y.grad()).unwrap(), [9., 1., 1., 1.]);
}

#[test]
fn a_deep_graph_needs_no_deep_stack() {
    let x = Tensor::from_slice(&[1f32]).set_requires_grad(true);
    let mut h = x.shallow_clone();
    for _ in 0..20_000 {
        h = &h * 1.;
    }
    ours(&h.sum(Kind::Float), false);
    assert_eq!(f64::try_from(x.grad()).unwrap(), 1.);
}
