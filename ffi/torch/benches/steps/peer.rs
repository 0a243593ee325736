//! The tch-rs side of the step benchmarks: `peer WORKLOAD` prints the microseconds of one step. See `peer.py` for the workloads.

use std::time::Instant;

use tch::nn::{self, Module, OptimizerConfig, RNN};
use tch::{Device, Kind, Tensor};

const F32: (Kind, Device) = (Kind::Float, Device::Cpu);
const I64: (Kind, Device) = (Kind::Int64, Device::Cpu);

fn timed(mut step: impl FnMut(), warm: u32, count: u32) -> f64 {
    for _ in 0..warm {
        step();
    }
    let start = Instant::now();
    for _ in 0..count {
        step();
    }
    start.elapsed().as_secs_f64() / f64::from(count) * 1e6
}

fn trained(
    forward: impl Fn() -> Tensor,
    loss: impl Fn(&Tensor) -> Tensor,
    optimizer: &mut nn::Optimizer,
    warm: u32,
    count: u32,
) -> f64 {
    timed(|| optimizer.backward_step(&loss(&forward())), warm, count)
}

/// As `trained`, for scores of classes: cross entropy, and Adam over all that `store` holds.
fn classified(
    store: &nn::VarStore,
    forward: impl Fn() -> Tensor,
    targets: &Tensor,
    warm: u32,
    count: u32,
) -> f64 {
    let mut optimizer = nn::Adam::default()
        .build(store, 0.001)
        .expect("an optimizer");
    trained(
        forward,
        |y| y.cross_entropy_for_logits(targets),
        &mut optimizer,
        warm,
        count,
    )
}

fn add() -> f64 {
    let (a, b) = (Tensor::randn([2, 2], F32), Tensor::randn([2, 2], F32));
    timed(|| drop(&a + &b), 10_000, 200_000)
}

fn xor() -> f64 {
    let inputs = Tensor::from_slice(&[0f32, 0., 0., 1., 1., 0., 1., 1.]).reshape([4, 2]);
    let targets = Tensor::from_slice(&[0f32, 1., 1., 0.]).reshape([4, 1]);
    let store = nn::VarStore::new(Device::Cpu);
    let root = store.root();
    let model = nn::seq()
        .add(nn::linear(&root / 0, 2, 8, Default::default()))
        .add_fn(Tensor::relu)
        .add(nn::linear(&root / 1, 8, 4, Default::default()))
        .add_fn(Tensor::relu)
        .add(nn::linear(&root / 2, 4, 1, Default::default()))
        .add_fn(Tensor::sigmoid);
    let mut optimizer = nn::sgd(0.9, 0., 0., false)
        .build(&store, 0.5)
        .expect("an optimizer");
    trained(
        || model.forward(&inputs),
        |y| y.mse_loss(&targets, tch::Reduction::Mean),
        &mut optimizer,
        200,
        2_000,
    )
}

fn mlp() -> f64 {
    let (inputs, targets) = (
        Tensor::randn([128, 784], F32),
        Tensor::randint(10, [128], I64),
    );
    let store = nn::VarStore::new(Device::Cpu);
    let root = store.root();
    let model = nn::seq()
        .add(nn::linear(&root / 0, 784, 512, Default::default()))
        .add_fn(Tensor::relu)
        .add(nn::linear(&root / 1, 512, 256, Default::default()))
        .add_fn(Tensor::relu)
        .add(nn::linear(&root / 2, 256, 128, Default::default()))
        .add_fn(Tensor::relu)
        .add(nn::linear(&root / 3, 128, 10, Default::default()));
    classified(&store, || model.forward(&inputs), &targets, 20, 200)
}

fn cnn() -> f64 {
    let (inputs, targets) = (
        Tensor::randn([64, 1, 28, 28], F32),
        Tensor::randint(10, [64], I64),
    );
    let store = nn::VarStore::new(Device::Cpu);
    let root = store.root();
    let padded = nn::ConvConfig {
        padding: 1,
        ..Default::default()
    };
    let model = nn::seq()
        .add(nn::conv2d(&root / 0, 1, 16, 3, padded))
        .add_fn(|x| x.relu().max_pool2d_default(2))
        .add(nn::conv2d(&root / 1, 16, 32, 3, padded))
        .add_fn(|x| x.relu().max_pool2d_default(2).flatten(1, -1))
        .add(nn::linear(&root / 2, 32 * 7 * 7, 10, Default::default()));
    classified(&store, || model.forward(&inputs), &targets, 10, 100)
}

fn lstm() -> f64 {
    let (inputs, targets) = (
        Tensor::randn([32, 32, 64], F32),
        Tensor::randint(64, [32 * 32], I64),
    );
    let store = nn::VarStore::new(Device::Cpu);
    let root = store.root();
    let layer = nn::lstm(&root / 0, 64, 128, Default::default());
    let head = nn::linear(&root / 1, 128, 64, Default::default());
    classified(
        &store,
        || head.forward(&layer.seq(&inputs).0).reshape([-1, 64]),
        &targets,
        10,
        100,
    )
}

fn main() {
    let threads = std::env::var("OMP_NUM_THREADS").ok();
    tch::set_num_threads(threads.and_then(|count| count.parse().ok()).unwrap_or(2));
    tch::manual_seed(0);
    let workload = std::env::args().nth(1).unwrap_or_default();
    let micros = match workload.as_str() {
        "add" => add(),
        "xor" => xor(),
        "mlp" => mlp(),
        "cnn" => cnn(),
        "lstm" => lstm(),
        other => {
            eprintln!("unknown workload `{other}`; expected one of add, xor, mlp, cnn, lstm");
            std::process::exit(2)
        }
    };
    println!("{micros:.3}");
}
