//! Captured steps on CUDA devices: graphs of CUDA.

use crate::run::run;

const STEP: &str = "use lib.torch.{Tensor, capture, manual_seed}\n\
    use lib.nn.{Sequential, Linear, ReLU, Dropout}\n\
    use lib.optim.{Adam}\n\
    fn losses(captured: bool, device: text) -> [f64]:\n    \
        manual_seed(1)\n    \
        val model = Sequential.create([Linear.create(3, 4), ReLU.create(), Dropout.create(0.3), Linear.create(4, 2)])\n    \
        model.to(device)\n    \
        val optimizer = Adam.create(model.parameters(), lr: 0.01)\n    \
        val step = capture(\\x: Tensor, y: Tensor: trained(model, optimizer, x, y))\n    \
        var all: [f64] = []\n    \
        for turn in 0..8:\n        \
            if turn == 6: optimizer.set_lr(0.002)\n        \
            val x = Tensor.full([5, 3], 0.1 * turn as f64, device: device)\n        \
            val y = Tensor.ones([5, 2], device: device)\n        \
            all.push(if captured: step(x, y).item() else: trained(model, optimizer, x, y).item())\n    \
        for p in model.parameters(): all.extend(p.to_list())\n    \
        all\n\
    fn trained(model: Sequential, optimizer: Adam, x: Tensor, y: Tensor) -> Tensor:\n    \
        optimizer.zero_grad()\n    \
        val loss = ((model.forward(x) - y) ** 2).mean()\n    \
        loss.backward()\n    \
        optimizer.step()\n    \
        loss\n";

#[test]
fn a_captured_step_on_cuda_is_a_graph() {
    let code = format!(
        "{STEP}val graph = losses(true, \"cuda:1\")\n\
         val plain = losses(false, \"cuda:1\")\n\
         print graph.zip(plain).all(\\(a, b): (a - b).abs() < 0.000001), graph.len()\n"
    );
    let Some(run) = run("cpu", &[], &code) else {
        return;
    };
    assert_eq!(run.printed(), "true 34\n");
    // Drawn on a stream of its own, once, and replayed on the program's: the first time right after it was drawn.
    let begun = run.events("graph begin");
    assert_eq!(begun.len(), 1);
    assert!(!begun[0].contains("stream=0"), "{begun:?}");
    assert!(begun[0].ends_with("mode=1"), "{begun:?}");
    assert_eq!(run.events("graph replay"), ["graph replay stream=0"; 5]);
    assert_eq!(run.count("graph freed"), 1);
    // The steps before it ran on such a stream too, and each waits for what was before.
    assert!(run.count("block event=") >= 4);
}

#[test]
fn a_graph_of_cuda_cannot_read_or_use_main_memory() {
    let code = "use lib.torch.{Tensor, capture}\n\
                fn tried(step: fn(Tensor) -> Tensor) -> text:\n    \
                    val captured = capture(step)\n    \
                    try:\n        \
                        for turn in 0..5: captured(Tensor.ones([2], device: \"cuda:0\"))\n        \
                        \"done\"\n    \
                    catch problem: problem.message\n\
                val outer = Tensor.ones([2])\n\
                print tried(\\x: x * x.sum().item())\n\
                print tried(\\x: x + outer.to(\"cuda:0\"))\n\
                print tried(\\x: x * 2.0)\n";
    let Some(run) = run("cpu", &[], code) else {
        return;
    };
    let lines: Vec<&str> = run.printed().lines().collect();
    assert!(
        lines[0].contains("a captured step cannot read what a tensor contains"),
        "{lines:?}"
    );
    assert!(
        lines[1].contains("works on a tensor in main memory"),
        "{lines:?}"
    );
    assert_eq!(lines[2], "done");
}
