//! Captured steps on CUDA devices: graphs of CUDA.

use crate::run::run;

const STEP: &str = "use lib.torch.{Tensor, capture, manual_seed}\n\
    use lib.nn.{Sequential, Linear, ReLU, Dropout}\n\
    use lib.optim.{Adam}\n\
    fn losses(captured: bool, device: text) -> [f64]:\n    \
        manual_seed(1)\n    \
        val model = Sequential([Linear(3, 4), ReLU(), Dropout(0.3), Linear(4, 2)])\n    \
        model.to(device)\n    \
        val optimizer = Adam(model.parameters(), lr: 0.01)\n    \
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
fn a_step_is_recorded_for_each_device() {
    let code = "use lib.torch.{Tensor, capture}\n\
                val step = capture(\\x: Tensor: x * 2.0 + 1.0)\n\
                for turn in 0..7:\n    \
                    for place in [\"cpu\", \"cuda:0\", \"cuda:1\"]:\n        \
                        val found = step(Tensor.full([2], turn as f64, device: place))\n        \
                        if found.device() != place or found.to(\"cpu\").to_list() != [2.0 * turn as f64 + 1.0, 2.0 * turn as f64 + 1.0]:\n            \
                            print turn, place, found\n\
                print step.facts()[0] > 0\n";
    let Some(run) = run("cpu", &[], code) else {
        return;
    };
    assert_eq!(run.printed(), "true\n");
    assert_eq!(run.count("graph begin"), 2);
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

/// Runs `run(captured)`, which yields numbers, both ways.
const BOTH: &str = "#![allow(unused_import, captured_variable)]\n\
    use lib.torch.{Tensor, Stream, autocast, capture, manual_seed}\n\
    use lib.nn.{Linear, ReLU}\n\
    use lib.optim.{SGD}\n\
    val GPU: text = \"cuda:0\"\n\
    fn both(run: fn(bool) -> [f64]):\n    \
        val (plain, captured) = (run(false), run(true))\n    \
        print if plain == captured: \"same {plain.len()}\" else: \"plain {plain}\\ncaptured {captured}\"\n";

#[test]
fn gradients_that_are_taken_away_and_used_outside_of_the_step_are_those_of_the_step() {
    let code = format!(
        "{BOTH}\
         fn step_of(net: Layer, x: Tensor, y: Tensor) -> Tensor:\n    \
             val loss = ((net(x) - y) ** 2).mean()\n    \
             loss.backward()\n    \
             loss\n\
         fn outside(captured: bool, every: i64) -> [f64]:\n    \
             manual_seed(1)\n    \
             val net = (Linear(3, 4) ~> ReLU() ~> Linear(4, 2)).to(GPU)\n    \
             val optimizer = SGD(net.parameters(), lr: 0.1, momentum: 0.9)\n    \
             val step = capture(\\x: Tensor, y: Tensor: step_of(net, x, y))\n    \
             var all: [f64] = []\n    \
             for turn in 0..20:\n        \
                 val x = Tensor.full([if turn % 7 == 6: 2 else: 5, 3], 0.1 * (turn + 1) as f64, device: GPU)\n        \
                 val y = Tensor.ones([x.shape()[0], 2], device: GPU)\n        \
                 if turn % every == 0: optimizer.zero_grad()\n        \
                 all.push((if captured: step(x, y) else: step_of(net, x, y)).item())\n        \
                 for p in net.parameters(): all.extend(p.grad()!.to_list())\n        \
                 optimizer.step()\n    \
             all\n\
         for every in 1..4: both(\\captured: outside(captured, every))\n",
    )
    .replace("use lib.nn.{Linear", "use lib.nn.{Layer, Linear");
    let Some(run) = run("cpu", &[], &code) else {
        return;
    };
    assert_eq!(run.printed(), "same 540\nsame 540\nsame 540\n");
    assert!(run.count("graph replay") > 20);
}

#[test]
fn a_replay_is_seen_by_losses_that_are_held_and_sees_tensors_that_are_replaced() {
    let code = format!(
        "{BOTH}\
         class Holder:\n    \
             mask: Tensor\n\
         fn moved(w: Tensor, x: Tensor) -> Tensor:\n    \
             nograd: w.add_(x.mean())\n    \
             w.detach() * 1.0\n\
         fn held(captured: bool) -> [f64]:\n    \
             val w = Tensor.ones([3], device: GPU).requires_grad_()\n    \
             val step = capture(\\x: Tensor: moved(w, x))\n    \
             var all: [f64] = []\n    \
             for turn in 0..8:\n        \
                 val x = Tensor.full([2], turn as f64, device: GPU)\n        \
                 val before = (w * w).sum()\n        \
                 all.extend((if captured: step(x) else: moved(w, x)).to_list())\n        \
                 try: before.backward()\n        \
                 catch problem: all.push(if problem.message.contains(\"modified by an inplace operation\"): 1.0 else: 2.0)\n    \
             all\n\
         fn replaced(captured: bool, wants: bool) -> [f64]:\n    \
             val holder = Holder(Tensor.ones([2], device: GPU).requires_grad_(wants))\n    \
             val leaf = Tensor.ones([2], device: GPU).requires_grad_()\n    \
             var held: [Tensor] = []\n    \
             val body = \\x: Tensor: x * holder.mask\n    \
             val step = capture(body)\n    \
             var all: [f64] = []\n    \
             for turn in 0..24:\n        \
                 if turn == 7: holder.mask = Tensor.full([2], 3.0, device: GPU).requires_grad_(wants)\n        \
                 # Before a graph is drawn, and when there is one, while the graph of a loss holds the old one.\n        \
                 if turn == 10 or turn == 18:\n            \
                     held.push((leaf * holder.mask).sum())\n            \
                     holder.mask = Tensor.full([2], turn as f64, device: GPU).requires_grad_(wants)\n        \
                 val x = Tensor.full([2], turn as f64, device: GPU)\n        \
                 all.extend((if captured: step(x) else: body(x)).to_list())\n    \
             all\n\
         both(held)\n\
         both(\\captured: replaced(captured, false))\n\
         both(\\captured: replaced(captured, true))\n"
    );
    let Some(run) = run("cpu", &[], &code) else {
        return;
    };
    // With nothing on standard error: libtorch warns where a graph is drawn into a stream that the program holds nodes of.
    assert_eq!(run.printed(), "same 32\nsame 48\nsame 48\n");
}

#[test]
fn a_block_of_autocast_around_calls_converts_parameters_each_time() {
    let code = format!(
        "{BOTH}\
         fn inside(captured: bool) -> [f64]:\n    \
             val net = Linear(4, 1).to(GPU)\n    \
             val step = capture(\\x: Tensor: net.forward(x))\n    \
             val x = Tensor.ones([1, 4], device: GPU)\n    \
             var all: [f64] = []\n    \
             nograd:\n        \
                 for value in [0.5, 2.0, 3.0]:\n            \
                     for p in net.parameters(): p.fill_(value)\n            \
                     autocast(\"bf16\"):\n                \
                         for _ in 0..5: all.push((if captured: step(x) else: net.forward(x)).float().sum().item())\n            \
                     for p in net.parameters(): p.fill_(value + 0.001)\n            \
                     all.push((if captured: step(x) else: net.forward(x)).sum().item())\n    \
             all\n\
         both(inside)\n"
    );
    let Some(run) = run("cpu", &[], &code) else {
        return;
    };
    assert_eq!(run.printed(), "same 18\n");
}

/// A step that adds to the gradients, which the program takes away now and then; at turn `at` it multiplies by another number, at turn
/// `at - 100` it fails.
const ADDING: &str = "fn adding(net: Layer, captured: bool, every: i64, at: i64) -> [f64]:\n    \
         var turn = 0\n    \
         val other = Other(factor: 1.0, fails: false)\n    \
         val step_of = \\x: Tensor: half(net, x, other)\n    \
         val step = capture(step_of)\n    \
         var all: [f64] = []\n    \
         while turn < 12:\n        \
             other.factor = if turn == at: 3.0 else: 1.0\n        \
             other.fails = turn + 100 == at\n        \
             val x = Tensor.full([5, 3], 0.1 * (turn + 1) as f64, device: GPU)\n        \
             if turn % every == 0:\n            \
                 for p in net.parameters(): p.zero_grad()\n        \
             try:\n            \
                 all.push((if captured: step(x) else: step_of(x)).item())\n        \
             catch problem: all.push(-1.0)\n        \
             for p in net.parameters():\n            \
                 if val gradient = p.grad(): all.extend(gradient.to_list())\n        \
             turn += 1\n    \
         all\n\
     class Other:\n    \
         factor: f64\n    \
         fails: bool\n\
     fn half(net: Layer, x: Tensor, other: Other) -> Tensor:\n    \
         val loss = (net(x) * other.factor).mean()\n    \
         if other.fails: print (x + Tensor.ones([x.shape()[0] - 1], device: GPU)).shape()\n    \
         loss.backward()\n    \
         loss\n\
     fn made() -> Layer:\n    \
         manual_seed(1)\n    \
         (Linear(3, 4) ~> Linear(4, 2)).to(GPU)\n";

fn adding(settings: &[(&str, &str)], code: &str) -> Option<crate::run::Run> {
    let both = BOTH.replace("use lib.nn.{Linear", "use lib.nn.{Layer, Linear");
    run("cpu", settings, &format!("{both}{ADDING}{code}"))
}

#[test]
fn a_graph_that_cannot_be_made_leaves_gradients_as_they_were() {
    let settings = [(
        "FAKE_CUDA_UNDRAWABLE",
        "operation not permitted when stream is capturing",
    )];
    let code = "for every in [1, 5, 20]: both(\\captured: adding(made(), captured, every, 99))\n";
    let Some(run) = adding(&settings, code) else {
        return;
    };
    assert_eq!(run.stdout, "same 324\nsame 324\nsame 324\n");
    assert_eq!(run.count("graph replay"), 0);
}

#[test]
fn a_step_that_is_another_one_while_its_graph_is_drawn_is_recorded_again() {
    let code = "for at in 0..4:\n    \
             for every in [1, 5]: both(\\captured: adding(made(), captured, every, at))\n";
    let Some(run) = adding(&[], code) else {
        return;
    };
    // At turn 3 the graph is drawn; after it, nothing of the step runs but the graph.
    assert_eq!(run.printed(), "same 324\n".repeat(8));
}

#[test]
fn a_step_that_fails_while_its_graph_is_drawn_is_recorded_again() {
    let code = "for at in 101..104: both(\\captured: adding(made(), captured, 5, at))\n";
    let Some(run) = adding(&[], code) else {
        return;
    };
    assert_eq!(run.printed(), "same 324\n".repeat(3));
    // That of the step that failed is not left open.
    assert_eq!(run.count("graph begin"), run.count("graph end"));
}

#[test]
fn a_step_that_fails_after_its_gradients_leaves_them_added_or_as_they_were() {
    let code = "fn late(net: Layer, x: Tensor, other: Other) -> Tensor:\n    \
             val loss = net(x).mean()\n    \
             loss.backward()\n    \
             if other.fails: print (x + Tensor.ones([x.shape()[0] - 1], device: GPU)).shape()\n    \
             loss\n\
         for (at, keeps) in [(0, true), (1, true), (2, true), (3, true), (4, true), (3, false)]:\n    \
             val net = made()\n    \
             val other = Other(factor: 1.0, fails: false)\n    \
             val step = capture(\\x: Tensor: late(net, x, other))\n    \
             val x = Tensor.full([5, 3], 0.5, device: GPU)\n    \
             val gradient = \\: if val g = net.parameters()[0].grad(): g.mean().item() else: 0.0\n    \
             net(x).mean().backward()\n    \
             val once = gradient()\n    \
             var known = 1\n    \
             for turn in 0..9:\n        \
                 other.fails = turn == at\n        \
                 if not keeps:\n            \
                     for p in net.parameters(): p.zero_grad()\n            \
                     known = 0\n        \
                 try:\n            \
                     step(x)\n            \
                     known += 1\n        \
                 catch problem:\n            \
                     val count = (gradient() / once).round() as i64\n            \
                     print \"added {count - known}\"\n            \
                     known = count\n        \
                 assert (gradient() / once - known as f64).abs() < 0.001, \"{at} {turn}\"\n";
    let Some(run) = adding(&[], code) else {
        return;
    };
    // At the fourth call the graph is drawn, and nothing has been computed yet. From the fifth on it is replayed, and the step cannot fail.
    assert_eq!(
        run.printed(),
        "added 1\nadded 1\nadded 1\nadded 0\nadded 0\n"
    );
}

#[test]
fn a_graph_that_cannot_be_made_is_left_and_the_step_goes_on() {
    let code = format!(
        "{STEP}val graph = losses(true, \"cuda:1\")\n\
         val plain = losses(false, \"cuda:1\")\n\
         print graph.zip(plain).all(\\(a, b): (a - b).abs() < 0.000001), graph.len()\n"
    );
    let settings = [(
        "FAKE_CUDA_UNDRAWABLE",
        "operation not permitted when stream is capturing",
    )];
    let Some(run) = run("cpu", &settings, &code) else {
        return;
    };
    assert_eq!((run.status, run.stdout.as_str()), (Some(0), "true 34\n"));
    assert_eq!(
        run.stderr
            .matches("a captured step runs as it is from here on")
            .count(),
        1,
        "{}",
        run.stderr
    );
    assert!(
        run.stderr
            .contains("operation not permitted when stream is capturing")
    );
    assert_eq!(
        (
            run.count("graph begin"),
            run.count("graph replay"),
            run.count("graph freed")
        ),
        (1, 0, 0)
    );
}

#[test]
fn what_waits_for_the_device_is_refused_at_its_line_before_a_graph_is_drawn() {
    let code = "use lib.torch.{Tensor, capture}\n\
                val step = capture(\\x: Tensor: x.inverse())\n\
                try:\n    \
                    for turn in 0..5: step(Tensor.eye(2, device: \"cuda:0\"))\n\
                catch problem: print problem.message\n";
    let Some(run) = run("cpu", &[], code) else {
        return;
    };
    let said = run.printed();
    assert!(
        said.contains("waits for the device, which a graph of CUDA cannot do"),
        "{said}"
    );
    assert_eq!(run.count("graph begin"), 0);
}

#[test]
fn single_numbers_and_arguments_in_main_memory_are_refused() {
    let code = "use lib.torch.{Tensor, capture}\n\
                fn tried(step: fn(Tensor, Tensor) -> Tensor, first: text) -> text:\n    \
                    val captured = capture(step)\n    \
                    try:\n        \
                        for turn in 0..5: captured(Tensor.ones([2], device: first), Tensor.ones([2], device: \"cuda:0\"))\n        \
                        \"done\"\n    \
                    catch problem: problem.message\n\
                val number = Tensor.full([], 2.0, device: \"cpu\")\n\
                print tried(\\x, y: y * number, \"cuda:0\")\n\
                print tried(\\x, y: x.to(\"cuda:0\") + y, \"cpu\")\n\
                print tried(\\x, y: y * 2.0 + 1.0, \"cuda:0\")\n\
                print tried(\\x, y: y + x.to(\"cuda:0\"), \"cuda:1\")\n";
    let Some(run) = run("cpu", &[], code) else {
        return;
    };
    let lines: Vec<&str> = run.printed().lines().collect();
    for line in &lines[..2] {
        assert!(
            line.contains("works on a tensor in main memory"),
            "{lines:?}"
        );
    }
    assert_eq!(lines[2], "done");
    assert!(
        lines[3].contains("the step works on cuda:1 and on cuda:0"),
        "{lines:?}"
    );
}

#[test]
fn all_graphs_are_drawn_on_one_stream_and_use_memory_twice() {
    let code = "use lib.torch.{Tensor, Stream, capture}\n\
                val weight = Tensor.ones([3], device: \"cuda:0\")\n\
                val side = Stream(\"cuda:0\")\n\
                with side: print weight.sum().item()\n\
                for form in 1..4:\n    \
                    val step = capture(\\x: Tensor: ((x .* weight).exp() + 1.0).log().sum())\n    \
                    for turn in 0..5: step(Tensor.ones([form, 3], device: \"cuda:0\"))\n";
    let Some(run) = run("cpu", &[], code) else {
        return;
    };
    assert_eq!(run.printed(), "3.0\n");
    let begun = run.events("graph begin");
    assert_eq!(begun.len(), 3);
    assert!(begun.iter().all(|line| *line == begun[0]), "{begun:?}");
    let mut is_drawn = false;
    for line in &run.log {
        is_drawn = (is_drawn || line.starts_with("graph begin")) && !line.starts_with("graph end");
        assert!(!(is_drawn && line.starts_with("keep memory")), "{line}");
    }
    // Outside of drawings, memory is kept for the stream that was chosen.
    assert!(run.count("keep memory") > 0);
}
