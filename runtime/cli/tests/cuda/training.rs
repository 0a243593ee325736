//! Gradients, layers, optimizers, data and checkpoints on CUDA devices.

use crate::run::run;

#[test]
fn a_backward_on_cuda_works_after_one_on_the_cpu() {
    let code = "use lib.torch.{Tensor, grad}\n\
                val x = Tensor.ones([3]).requires_grad_()\n\
                print grad([(x * x).sum()], [x])[0].to_list()\n\
                for device in [\"cuda:0\", \"cuda:1\"]:\n    \
                    val y = Tensor.ones([3], device: device).requires_grad_()\n    \
                    (y * y * 2.0).sum().backward()\n    \
                    print y.grad!.to_list(), y.grad!.device()\n";
    let Some(run) = run("cpu", &[], code) else {
        return;
    };
    assert_eq!(
        run.printed(),
        "[2.0, 2.0, 2.0]\n[4.0, 4.0, 4.0] cuda:0\n[4.0, 4.0, 4.0] cuda:1\n"
    );
}

#[test]
fn a_checkpoint_has_the_random_numbers_of_devices_in_use() {
    // The model is on a GPU, and new tensors are not.
    let code = "use lib.torch.{Tensor, manual_seed, generator_states, restore_generators}\n\
                fn draw() -> [f64]: Tensor.ones([4], device: \"cuda:1\").bernoulli_(0.5).to_list() + Tensor.randn([2]).to_list()\n\
                print generator_states().keys()\n\
                draw()\n\
                val states = generator_states()\n\
                val first = draw()\n\
                manual_seed(1)\n\
                restore_generators(states)\n\
                print states.keys(), draw() == first\n";
    let Some(run) = run("cpu", &[], code) else {
        return;
    };
    assert_eq!(run.printed(), "[cpu]\n[cpu, cuda:0, cuda:1] true\n");
}

#[test]
fn recurrent_layers_pack_their_weights_once_on_cuda() {
    let code = "use lib.torch.{Tensor}\nuse lib.nn.{LSTM}\n\
                val net = LSTM(3, 4, 2, bidirectional: true)\n\
                val x = Tensor.ones([5, 2, 3])\n\
                nograd:\n    \
                    val before = net.call(x).0.sum().item()\n    \
                    net.to(\"cuda:1\")\n    \
                    for i in 0..2: print net.call(x.to(\"cuda:1\")).0.sum().item() == before\n";
    let Some(run) = run("cpu", &[("FAKE_CUDA_CUDNN", "1")], code) else {
        return;
    };
    assert_eq!(run.printed(), "true\ntrue\n");
    assert_eq!(run.count("run _cudnn_rnn_flatten_weight on cuda:1"), 1);
    assert_eq!(
        run.events("run lstm of cuDNN"),
        ["run lstm of cuDNN, packed=1"; 2]
    );
}

#[test]
fn gradients_on_two_gpus_are_clipped_together() {
    let code = "use lib.torch.{Tensor, clip_grad_norm_, clip_grad_value_}\n\
                fn leaf(value: f64, device: text) -> Tensor:\n    \
                    val made = Tensor.ones([2], device: device).requires_grad_()\n    \
                    (made * value).sum().backward()\n    \
                    made\n\
                val all = [leaf(1.0, \"cuda:0\"), leaf(7.0, \"cuda:1\"), leaf(1.0, \"cuda:0\"), leaf(7.0, \"cuda:1\")]\n\
                val norm = clip_grad_norm_(all, 7.0)\n\
                print norm, (all[1].grad()! * 1000.0).round().to_list()\n\
                clip_grad_value_(all, 0.75)\n\
                print all[3].grad()!.to_list(), all[3].grad()!.device()\n";
    let Some(run) = run("cpu", &[], code) else {
        return;
    };
    assert_eq!(
        run.printed(),
        "tensor(14.1421, device='cuda:0') [3465.0, 3465.0]\n[0.75, 0.75] cuda:1\n"
    );
    for (operator, calls) in [
        ("_foreach_norm", 2),
        ("_foreach_mul_", 2),
        ("_foreach_clamp_min_", 2),
    ] {
        assert_eq!(
            run.count(&format!("run aten::{operator}")),
            calls,
            "{operator}"
        );
    }
}

#[test]
fn an_optimizer_follows_its_parameters_to_other_devices() {
    let code = "use lib.torch.{Tensor, manual_seed}\nuse lib.nn.{Linear, Sequential}\nuse lib.optim.{Adam, Adagrad, Optimizer}\n\
                fn step(net: Sequential, optimizer: Optimizer, x: Tensor):\n    \
                    optimizer.zero_grad()\n    \
                    (net[1](net[0](x).to(\"{net[1].parameters()[0].device()}\"))).sum().backward()\n    \
                    optimizer.step()\n\
                fn train(adam: bool, move: bool) -> [f64]:\n    \
                    manual_seed(1)\n    \
                    val net = Sequential([Linear(3, 4), Linear(4, 2)])\n    \
                    val optimizer: Optimizer = if adam: Adam(net.parameters()) else: Adagrad(net.parameters())\n    \
                    step(net, optimizer, Tensor.ones([2, 3]))\n    \
                    if move:\n        \
                        net[0].to(\"cuda:0\")\n        \
                        net[1].to(\"cuda:1\")\n    \
                    val x = Tensor.ones([2, 3], device: net[0].parameters()[0].device())\n    \
                    step(net, optimizer, x)\n    \
                    val saved = optimizer.state_dict()\n    \
                    optimizer.load_state_dict(saved)\n    \
                    step(net, optimizer, x)\n    \
                    [p.sum().item() for p in net.parameters()]\n\
                for adam in [true, false]: print train(adam, true) == train(adam, false)\n";
    let Some(run) = run("cpu", &[], code) else {
        return;
    };
    assert_eq!(run.printed(), "true\ntrue\n");
    for fused in ["_fused_adam_", "_fused_adagrad_"] {
        assert!(
            run.count(&format!("run aten::{fused} on cuda:1")) > 0,
            "{fused}"
        );
    }
}

#[test]
fn a_loader_leaves_room_on_the_gpu_and_copies_while_the_program_goes_on() {
    let code = "use lib.torch.{Tensor}\nuse lib.torch.data.{TensorDataset, DataLoader}\n\
                val data = TensorDataset([Tensor.ones([4000, 20]), Tensor.ones([4000])])\n\
                var sum = 0.0\n\
                var all = true\n\
                for (x, y) in DataLoader(data, 1000, device: \"cuda:1\"):\n    \
                    sum += (x.sum() + y.sum()).item()\n    \
                    all = all and x.is_cuda() and y.is_cuda()\n\
                print sum, all\n";
    // The examples take 336,000 bytes.
    for (memory, copies, pinned) in [("1000000", 2, 0), ("500000", 8, 8)] {
        let Some(run) = run("cpu", &[("FAKE_CUDA_MEMORY", memory)], code) else {
            return;
        };
        assert_eq!(run.printed(), "84000.0 true\n");
        let moved = run.events("copy cpu to cuda:1 non_blocking=1");
        assert_eq!(moved.len(), copies, "{:?}", run.log);
        let count = moved.iter().filter(|line| line.contains("pinned=1"));
        assert_eq!(count.count(), pinned, "{moved:?}");
    }
}

#[test]
fn a_loader_says_why_the_gpu_fails() {
    let code = "use lib.torch.{Tensor}\nuse lib.torch.data.{TensorDataset, DataLoader}\n\
                val data = TensorDataset([Tensor.ones([10]), Tensor.ones([10])])\n\
                for (x, y) in DataLoader(data, 5, device: \"cuda:0\"): print x.shape()\n";
    let Some(run) = run("cpu", &[("FAKE_CUDA_ASSERT", "copy_")], code) else {
        return;
    };
    assert_eq!(run.status, Some(1), "{}", run.stdout);
    assert!(run.stderr.contains("device-side assert"), "{}", run.stderr);
}

#[test]
fn small_things_work_where_the_model_is() {
    let code = "use lib.torch.{Tensor, TorchStream}\nuse lib.nn.{Linear, generate_square_subsequent_mask}\n\
                use lib.nn.init.{sparse_, trunc_normal_}\nuse lib.training.running.{RunningMean}\n\
                val x = Tensor.ones([4, 4], device: \"cuda:0\")\n\
                print (x + generate_square_subsequent_mask(4, device: \"cuda:0\")).device()\n\
                print sparse_(x, 0.5).eq(0.0).sum().item()\n\
                trunc_normal_(x)\n\
                val mean = RunningMean()\n\
                for i in 0..3: mean.add_mean(Tensor.full([], i, device: \"cuda:0\", dtype: \"f32\"), 1)\n\
                print mean.mean()\n\
                val net = Linear(2, 1)\n\
                net(Tensor.ones([1, 2])).sum().backward()\n\
                net.to(\"cuda:1\")\n\
                print net.parameters()[0].grad()!.to_list(), net.parameters()[0].grad()!.device()\n\
                val stream = TorchStream(-1)\n\
                print Tensor.ones([2], device: \"cuda:0\").to_stream(stream.handle).to_list()\n";
    let Some(run) = run("cpu", &[], code) else {
        return;
    };
    assert_eq!(
        run.printed(),
        "cuda:0\n8.0\n1.0\n[1.0, 1.0] cuda:1\n[1.0, 1.0]\n"
    );
    let last = run.events("copy cuda:0 to cpu").len();
    // `sparse_`'s sum, the mean, and the copy of the stream.
    assert_eq!(last, 2, "{:?}", run.log);
}

#[test]
fn a_network_learns_on_cuda_as_on_the_cpu() {
    let code = "use lib.torch.{Tensor, manual_seed}\nuse lib.nn.{Conv2d, BatchNorm2d, Linear, Flatten, Sequential, ReLU, cross_entropy}\n\
                use lib.optim.{Adam}\n\
                manual_seed(3)\n\
                val net = Sequential([Conv2d(1, 2, 3), BatchNorm2d(2), ReLU(), Flatten(), Linear(72, 3)])\n\
                val x = Tensor.from_data([(i % 7) as f64 / 7.0 for i in 0..256], [4, 1, 8, 8])\n\
                val y = Tensor.from_data([0.0, 1.0, 2.0, 0.0], [4]).long()\n\
                val optimizer = Adam(net.parameters(), lr: 0.01)\n\
                for turn in 0..4:\n    \
                    val loss = cross_entropy(net(x), y)\n    \
                    optimizer.zero_grad()\n    \
                    loss.backward()\n    \
                    optimizer.step()\n    \
                    print loss.item()\n";
    let (Some(cpu), Some(cuda)) = (run("cpu", &[], code), run("cuda:1", &[], code)) else {
        return;
    };
    assert_eq!(cuda.printed(), cpu.printed());
    assert_eq!(cuda.count("run aten::_fused_adam_ on cuda:1"), 4);
}

#[test]
fn a_fused_step_does_not_take_addresses_of_main_memory_for_a_gpu() {
    // What the optimizers pass is right; these are libtorch's own functions, called with a count of steps that was left behind.
    let code = "use lib.torch.{Tensor}\nuse lib.torch.ffi.fused.{rt_torch__fused_adam_tensor_lr_, rt_torch__fused_adagrad_tensor_lr_}\n\
                fn there() -> Tensor: Tensor.ones([2], device: \"cuda:0\")\n\
                val (w, g, a, b, steps) = (there(), there(), there(), there(), Tensor.zeros([]))\n\
                val rate = Tensor.full([], 0.1, device: \"cuda:0\")\n\
                try: rt_torch__fused_adam_tensor_lr_([w.handle], [g.handle], [a.handle], [b.handle], [], [steps.handle], rate.handle, 0.9, 0.99, 0.0, 1e-8, false, false, 0, 0)\n\
                catch problem: print problem.message.contains(\"what the optimizer keeps of it, on cpu\")\n\
                try: rt_torch__fused_adagrad_tensor_lr_([w.handle], [g.handle], [a.handle], [steps.handle], rate.handle, 0.0, 0.0, 1e-8, false, 0, 0)\n\
                catch problem: print problem.message.contains(\"a parameter is on cuda:0\")\n\
                val counted = steps.to(\"cuda:0\")\n\
                rt_torch__fused_adam_tensor_lr_([w.handle], [g.handle], [a.handle], [b.handle], [], [counted.handle], rate.handle, 0.9, 0.99, 0.0, 1e-8, false, false, 0, 0)\n\
                print w.ne(1.0).all().item()\n";
    let Some(run) = run("cpu", &[], code) else {
        return;
    };
    assert_eq!(run.printed(), "true\ntrue\n1.0\n");
}
