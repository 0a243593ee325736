//! Gradients of several CUDA devices that NCCL adds up, and copies where it does not.

use crate::fake_cuda;
use crate::run::{Run, run};
use std::path::{Path, PathBuf};

/// Trains a model on one device and on two or three, and prints whether the gradients are the same. `x`, `y` and `model` are there afterwards.
const TRAINED: &str = "#![allow(unused_import, unused_variable)]\n\
    use lib.torch.{Tensor, manual_seed, no_grad}\n\
    use lib.torch.nccl\n\
    use lib.nn.{BatchNorm1d, DataParallel, Layer, Linear, Sequential, Tanh}\n\
    manual_seed(1)\n\
    val x = Tensor.randn([6, 3])\n\
    val y = Tensor.randn([6, 2])\n\
    val model = Linear(3, 4) ~> Tanh() ~> Linear(4, 2)\n\
    fn gradients(net: Layer) -> [Tensor]:\n    \
        net.zero_grad()\n    \
        ((net(x) - y) * (net(x) - y)).mean().backward()\n    \
        [p.grad()!.cpu() for p in net.parameters()]\n\
    fn are_same(net: Layer) -> bool:\n    \
        val alone = gradients(model)\n    \
        gradients(net).enumerate().all(\\g: g.1.allclose(alone[g.0]))\n";

/// As [`run`], with a libtorch whose part for CUDA has no NCCL.
fn run_without_nccl(code: &str) -> Option<Run> {
    let real = std::env::var_os("SIMPLE_LIBTORCH_DIR")?;
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let root = fake_cuda::libtorch(Path::new(&real), scratch);
    let other: PathBuf = fake_cuda::without_nccl(root, scratch);
    let (path, lib) = (other.to_string_lossy(), fake_cuda::lib(&other));
    let lib = lib.to_string_lossy();
    let settings = [("LIBTORCH_PATH", &*path), ("LD_LIBRARY_PATH", &*lib)];
    run("cuda:0", &settings, code)
}

#[test]
fn it_copies_parameters_and_adds_up_gradients() {
    let code = format!(
        "{TRAINED}\
         val net = DataParallel(model, [\"cuda\", \"cuda:1\"])\n\
         print are_same(net), net.reduces_with(), nccl.version()\n\
         print [p.grad()!.device() for p in net.parameters()], model.parameters().all(\\p: p.is_leaf())\n\
         print nccl.is_available([x, x.to(\"cuda:1\")]), nccl.is_available([x, y]), nccl.is_available([x.cpu()]), nccl.is_available([x.t()])\n"
    );
    let Some(run) = run("cuda:0", &[], &code) else {
        return;
    };
    assert_eq!(run.status, Some(0), "{}", run.stderr);
    assert_eq!(
        run.stdout,
        "true NCCL 2.28.9 2.28.9\n[cuda:0, cuda:0, cuda:0, cuda:0] true\ntrue false false false\n"
    );
    // Two forward passes, whose 26 numbers cross at once, and as many sums in the backward pass.
    let call = |name| format!("nccl {name} Float numel=26 device/stream: cuda:0/0 cuda:1/0");
    assert_eq!(run.events("nccl broadcast"), vec![call("broadcast"); 2]);
    assert_eq!(run.events("nccl reduce"), vec![call("reduce"); 2]);
}

#[test]
fn copies_have_the_same_numbers_where_it_is_missing_or_not_wanted() {
    let code = format!(
        "{TRAINED}\
         val net = DataParallel(model, [\"cuda:0\", \"cuda:1\"])\n\
         print are_same(net), net.reduces_with(), nccl.version() == \"\", nccl.is_available([x])\n"
    );
    let Some(missing) = run_without_nccl(&code) else {
        return;
    };
    assert_eq!(missing.status, Some(0), "{}", missing.stderr);
    assert_eq!(
        missing.stdout,
        "true copies: this libtorch has no NCCL true false\n"
    );
    assert_eq!(missing.count("nccl"), 0);
    let code = format!(
        "{TRAINED}\
         for (devices, wanted) in [([\"cuda:0\", \"cuda:1\"], false), ([\"cuda:0\", \"cpu\"], true), ([\"cuda:0\", \"cuda:0\"], true), ([\"cuda:0\"], true)]:\n    \
             val net = DataParallel(model, devices, nccl: wanted)\n    \
             print are_same(net), net.reduces_with()\n"
    );
    let others = run("cuda:0", &[], &code).expect("as above");
    assert_eq!(others.status, Some(0), "{}", others.stderr);
    assert_eq!(
        others.stdout,
        "true copies: `nccl: false`\ntrue copies: not all devices are CUDA devices\n\
         true copies: a device is named twice\ntrue copies: there is only one device\n"
    );
    assert_eq!(others.count("nccl"), 0);
}

#[test]
fn a_call_that_fails_is_an_error_that_says_what_to_do() {
    let code = format!(
        "{TRAINED}\
         val net = DataParallel(model, [\"cuda:0\", \"cuda:1\"])\n\
         try: print are_same(net)\n\
         catch problem: print problem.message\n\
         print model.parameters().all(\\p: p.device() == \"cuda:0\" and p.is_leaf()), are_same(DataParallel(model, [\"cuda:0\", \"cuda:1\"], nccl: false))\n"
    );
    for (call, what) in [
        ("broadcast", "copy parameters to other GPUs"),
        ("reduce", "add up gradients of several GPUs"),
    ] {
        let Some(run) = run("cuda:0", &[("FAKE_CUDA_NCCL", call)], &code) else {
            return;
        };
        assert_eq!(run.status, Some(0), "{}", run.stderr);
        let words = format!(
            "NCCL cannot {what} (cuda:0, cuda:1): NCCL Error 2: unhandled system error (run with NCCL_DEBUG=INFO for details)\n\
             `DataParallel(model, devices, nccl: false)` does without NCCL"
        );
        assert!(run.stdout.contains(&words), "{}", run.stdout);
        assert!(run.stdout.ends_with("true true\n"), "{}", run.stdout);
    }
}

#[test]
fn tensors_of_all_kinds_cross() {
    let code = format!(
        "{TRAINED}\
         class Mixed with Layer:\n    \
             inner: Linear = Linear(3, 2)\n    \
             unused: Tensor = Tensor.ones([2]).requires_grad_()\n    \
             frozen: Tensor = Tensor.ones([3, 2]).t().requires_grad_().requires_grad_(false)\n    \
             first_only: Tensor = Tensor.ones([2]).requires_grad_()\n    \
             empty: Tensor = Tensor.ones([0]).requires_grad_()\n    \
             norm: BatchNorm1d = BatchNorm1d(2)\n    \
             fn forward(x: Tensor) -> Tensor:\n        \
                 val seen = norm(inner(x) + (x * frozen.sum()).sum())\n        \
                 if x.device() == \"cuda:1\": seen else: seen .* first_only\n\
         val mixed = Mixed()\n\
         val net = DataParallel(mixed, [\"cuda:0\", \"cuda:1\", \"cuda:2\"])\n\
         print net.reduces_with(), net(x).shape()\n\
         net(x).sum().backward()\n\
         print mixed.unused.grad() == nil, mixed.first_only.grad()!.shape(), mixed.inner.weight.grad()!.device(), mixed.norm.running_mean!.device()\n\
         no_grad(\\: print net(x).requires_grad)\n\
         print net(x[0:4]).shape()\n\
         val before = mixed.norm.num_batches_tracked!.item()\n\
         net(x)\n\
         print mixed.norm.num_batches_tracked!.item() - before\n"
    );
    let Some(run) = run("cuda:0", &[("FAKE_CUDA_DEVICES", "3")], &code) else {
        return;
    };
    assert_eq!(run.status, Some(0), "{}", run.stderr);
    assert_eq!(
        run.stdout,
        "NCCL 2.28.9 [6, 2]\ntrue [2] cuda:0 cuda:0\nfalse\n[4, 2]\n1.0\n"
    );
    // Floats, and the count of batches of the norm.
    assert!(run.count("nccl broadcast Long numel=1 ") > 0);
    assert!(run.count("nccl broadcast Float") > 0);
}

#[test]
fn gradients_of_gradients_go_by_copies() {
    let code = format!(
        "{TRAINED}\
         use lib.torch.{{grad}}\n\
         fn second(net: Layer) -> [Tensor]:\n    \
             val slopes = grad([net(x).pow(2.0).sum()], model.parameters(), create_graph: true)\n    \
             model.zero_grad()\n    \
             (slopes[0] * slopes[0]).sum().backward()\n    \
             [model.parameters()[0].grad()!.cpu(), slopes[0].detach().cpu()]\n\
         val alone = second(model)\n\
         val shared = second(DataParallel(model, [\"cuda:0\", \"cuda:1\"]))\n\
         print alone[0].allclose(shared[0]), alone[1].allclose(shared[1])\n"
    );
    let Some(run) = run("cuda:0", &[], &code) else {
        return;
    };
    assert_eq!(
        (run.status, run.stdout.as_str()),
        (Some(0), "true true\n"),
        "{}",
        run.stderr
    );
}

#[test]
fn the_streams_of_the_forward_pass_are_those_of_the_backward_pass() {
    let code = format!(
        "{TRAINED}\
         use lib.torch.{{Stream}}\n\
         val net = DataParallel(model, [\"cuda:0\", \"cuda:1\"])\n\
         val side = Stream(\"cuda:1\")\n\
         with side: print gradients(net).len()\n"
    );
    let Some(run) = run("cuda:0", &[], &code) else {
        return;
    };
    assert_eq!(run.status, Some(0), "{}", run.stderr);
    for call in ["nccl broadcast", "nccl reduce"] {
        assert!(
            run.events(call)
                .iter()
                .all(|line| line.ends_with("cuda:0/0 cuda:1/1")),
            "{:?}",
            run.log
        );
        assert_eq!(run.count(call), 2);
    }
}

#[test]
fn a_trainer_uses_it() {
    let code = "use lib.torch.{Tensor}\n\
        use lib.nn.{Linear, mse_loss}\n\
        use lib.optim.{SGD}\n\
        use lib.training.{Trainer}\n\
        val model = Linear(3, 2)\n\
        val trainer = Trainer(model, SGD(model.parameters(), lr: 0.1), mse_loss)\n\
        trainer.fit([(Tensor.ones([4, 3]), Tensor.ones([4, 2]))], verbose: false)\n\
        print model.parameters()[0].device()\n";
    let Some(run) = run("cuda:0,cuda:1", &[], code) else {
        return;
    };
    assert_eq!(
        (run.status, run.stdout.as_str()),
        (Some(0), "cuda:0\n"),
        "{}",
        run.stderr
    );
    assert_eq!(
        (run.count("nccl broadcast"), run.count("nccl reduce")),
        (1, 1)
    );
}

#[test]
fn recurrent_layers_pack_what_it_has_copied_on_each_device() {
    // With NCCL the parameters of a device are in one memory, in an order that cuDNN does not take.
    let code = "use lib.torch.{Tensor}\nuse lib.nn.{DataParallel, Layer, Linear, LSTM}\n\
                class Tagger with Layer:\n    \
                    cells: LSTM = LSTM(3, 4, 2)\n    \
                    last: Linear = Linear(4, 1)\n    \
                    fn forward(x: Tensor) -> Tensor: last(cells(x).0)\n\
                class Only with Layer:\n    \
                    cells: LSTM = LSTM(3, 4, 2, batch_first: true)\n    \
                    fn forward(x: Tensor) -> Tensor: cells(x).0\n\
                val models: [Layer] = [Tagger(), Only()]\n\
                nograd:\n    \
                    for model in models:\n        \
                        model.to(\"cuda:0\")\n        \
                        val net = DataParallel(model, [\"cuda:0\", \"cuda:1\"])\n        \
                        for _ in 0..2: print net(Tensor.ones([4, 5, 3])).shape()\n";
    let Some(run) = run("cuda:0", &[("FAKE_CUDA_CUDNN", "1")], code) else {
        return;
    };
    assert_eq!(run.status, Some(0), "{}", run.stderr);
    for device in [0, 1] {
        let line = format!("run _cudnn_rnn_flatten_weight on cuda:{device}");
        assert_eq!(run.count(&line), 4, "{:?}", run.log);
    }
    assert_eq!(run.count("run lstm of cuDNN, packed=1"), 8, "{:?}", run.log);
}
