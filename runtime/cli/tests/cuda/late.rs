//! Failures that a GPU reports at a later line than the one that failed.

use crate::run::{Run, run, start};

/// Rows whose kernel fails at line 4, and a line 7 that waits for it.
const CODE: &str = "use lib.torch.{Tensor}\n\
    fn rows(table: Tensor, at: Tensor) -> Tensor:\n    \
        val doubled = table * 2.0\n    \
        doubled.index_select(0, at)\n\
    val found = rows(Tensor.ones([3, 2]), Tensor.from_data([0.0, 2.0], [2]).long())\n\
    val sum = found.relu().sum()\n\
    print \"sum\", sum.item()\n";

/// What the failing kernel of `CODE` is called.
const FAILS: &[(&str, &str)] = &[
    ("FAKE_CUDA_ASSERT", "index_select"),
    ("FAKE_CUDA_LATE", "1"),
];

fn ended_by_the_failure(run: &Run) {
    assert_eq!(run.status, Some(1), "{}{}", run.stdout, run.stderr);
    let words = "CUDA error: device-side assert triggered";
    assert!(run.stderr.contains(words), "{}", run.stderr);
}

#[test]
fn the_last_operations_are_named_with_their_lines() {
    let Some(run) = run("cuda:0", FAILS, CODE) else {
        return;
    };
    ended_by_the_failure(&run);
    // It comes out where the program waits.
    assert!(run.stderr.contains("<code>:7:"), "{}", run.stderr);
    let from = run.stderr.find("the last operations").expect(&run.stderr);
    let listed: Vec<&str> = run.stderr[from..]
        .lines()
        .skip(1)
        .take_while(|line| line.starts_with("  "))
        .collect();
    let after = |start: &str, name: &str| {
        listed
            .iter()
            .position(|line| line.trim_start().starts_with(start) && line.contains(name))
            .unwrap_or_else(|| panic!("{start} {name}: {listed:#?}"))
    };
    let multiplied = after("<code>:3:", "mul");
    let failed = after("<code>:4:", "index_select");
    let used = after("<code>:6:", "relu");
    assert!(multiplied < failed && failed < used, "{listed:#?}");
    assert!(run.stderr.contains("--replay-on-error"), "{}", run.stderr);
}

#[test]
fn where_kernels_run_one_by_one_the_line_is_right_and_nothing_is_listed() {
    let settings = [FAILS, &[("DEBUG_CUDA", "1")]].concat();
    let Some(run) = run("cuda:0", &settings, CODE) else {
        return;
    };
    ended_by_the_failure(&run);
    assert!(run.stderr.contains("<code>:4:"), "{}", run.stderr);
    assert!(!run.stderr.contains("<code>:7:"), "{}", run.stderr);
    assert!(
        !run.stderr.contains("the last operations"),
        "{}",
        run.stderr
    );
}

#[test]
fn a_replay_finds_the_line_and_is_made_once() {
    let program = ["--device", "cuda:0", "--replay-on-error", "-c", CODE];
    let Some(run) = start(FAILS, &program) else {
        return;
    };
    ended_by_the_failure(&run);
    let (first, second) = run
        .stderr
        .split_once("running the program again")
        .expect(&run.stderr);
    assert!(first.contains("<code>:7:"), "{first}");
    assert!(second.contains("<code>:4:"), "{second}");
    assert!(!second.contains("running the program again"), "{second}");
}

#[test]
fn other_errors_are_not_replayed() {
    let code = "use lib.torch.{Tensor}\nprint Tensor.ones([2]).to(\"cuda:7\").device()\n";
    for code in [code, "panic(\"CUDA error\")"] {
        let program = ["--device", "cuda:0", "--replay-on-error", "-c", code];
        let Some(run) = start(&[], &program) else {
            return;
        };
        assert_eq!(run.status, Some(1), "{}", run.stderr);
        assert!(!run.stderr.contains("again"), "{}", run.stderr);
    }
}

#[test]
fn a_backward_pass_is_named_as_such() {
    let code = "use lib.torch.{Tensor}\n\
        val w = Tensor.ones([2, 2]).requires_grad_(true)\n\
        val loss = (w @ w).sigmoid().sum()\n\
        loss.backward()\n\
        print w.grad!.sum().item()\n";
    let settings = [
        ("FAKE_CUDA_ASSERT", "sigmoid_backward"),
        ("FAKE_CUDA_LATE", "1"),
    ];
    let Some(run) = run("cuda:0", &settings, code) else {
        return;
    };
    ended_by_the_failure(&run);
    assert!(
        run.stderr.contains("  in a backward pass: "),
        "{}",
        run.stderr
    );
    assert!(run.stderr.contains("SigmoidBackward0"), "{}", run.stderr);
}

/// Batches that the loader brings to the GPU one by one, in a queue of its own, and a kernel that fails on the second of them.
const LOADED: &str = "use lib.torch.{Tensor}\nuse lib.torch.data.{TensorDataset, DataLoader}\nuse lib.nn.{cross_entropy}\n\
    val data = TensorDataset([Tensor.ones([4000, 20]), Tensor.ones([4000])])\n\
    for (x, y) in DataLoader(data, 1000, device: \"cuda:0\"):\n    \
        val loss = cross_entropy(x, y.long())\n    \
        print loss.item()\n";

#[test]
fn a_failure_while_memory_is_used_by_two_streams_is_an_error_and_not_an_abort() {
    // On its way up the error frees the batch, whose memory the allocator can give out again only after asking the GPU.
    for late in ["", "1"] {
        let settings = [
            ("FAKE_CUDA_MEMORY", "500000"),
            ("FAKE_CUDA_ASSERT", "nll_loss"),
            ("FAKE_CUDA_LATE", late),
        ];
        let Some(run) = run("cpu", &settings, LOADED) else {
            return;
        };
        ended_by_the_failure(&run);
        assert!(run.stderr.contains("<code>:"), "{}", run.stderr);
        assert!(!run.stderr.contains("terminate"), "{}", run.stderr);
    }
}

#[test]
fn freeing_is_the_first_to_notice_a_failure_and_does_not_abort() {
    // Nothing waits for the GPU before the batch is freed: the program continues, and its next wait says why.
    let code = LOADED.replace("    print loss.item()\n", "    print loss.shape()\n");
    let settings = [
        ("FAKE_CUDA_MEMORY", "500000"),
        ("FAKE_CUDA_ASSERT", "nll_loss"),
        ("FAKE_CUDA_LATE", "1"),
    ];
    let Some(run) = run("cpu", &settings, &code) else {
        return;
    };
    ended_by_the_failure(&run);
    assert!(!run.stderr.contains("terminate"), "{}", run.stderr);
    // The same where the program has entered a stream, after which all memory is used by two.
    let code = "use lib.torch.{Tensor, Stream}\n\
                fn work():\n    \
                    val x = Tensor.ones([2])\n    \
                    with Stream(\"cuda:0\"): print x.exp().shape()\n\
                work()\n\
                work()\n\
                val y = Tensor.ones([2])\n\
                print y.sum().item()\n";
    let settings = [("FAKE_CUDA_ASSERT", "exp"), ("FAKE_CUDA_LATE", "1")];
    let run = crate::run::run("cuda:0", &settings, code).expect("as above");
    ended_by_the_failure(&run);
    assert!(!run.stderr.contains("terminate"), "{}", run.stderr);
}

#[test]
fn what_main_memory_has_is_still_freed_after_a_failure() {
    // A tensor of the CPU whose gradients lead to the GPU is kept, another one is not.
    let code = "use lib.torch.{Tensor, memory_allocated}\n\
                val w = Tensor.ones([2], device: \"cuda:0\").requires_grad_()\n\
                fn failed() -> bool:\n    \
                    val there = (w * 2.0).cpu()\n    \
                    try:\n        \
                        print w.exp().sum().item(), there.shape()\n        \
                        false\n    \
                    catch problem: true\n\
                print failed()\n\
                val before = memory_allocated(\"cpu\")\n\
                fn large() -> f64: Tensor.ones([100000], device: \"cpu\").sum().item()\n\
                print large(), memory_allocated(\"cpu\") - before\n";
    let Some(run) = run("cpu", &[("FAKE_CUDA_ASSERT", "exp")], code) else {
        return;
    };
    assert_eq!(run.printed(), "true\n100000.0 0\n");
}

#[test]
fn a_failure_that_nobody_waited_for_is_reported_at_the_end() {
    let code = "use lib.torch.{Tensor}\nprint Tensor.ones([2]).exp().shape()\n";
    let settings = [("FAKE_CUDA_ASSERT", "exp"), ("FAKE_CUDA_LATE", "1")];
    let Some(failing) = run("cuda:0", &settings, code) else {
        return;
    };
    assert_eq!(failing.status, Some(1), "{}", failing.stderr);
    assert_eq!(failing.stdout, "[2]\n");
    for part in [
        "error: the GPU failed after the last call that waited for it: CUDA error: device-side assert triggered",
        "exp",
        "--debug-cuda",
    ] {
        assert!(failing.stderr.contains(part), "{part}: {}", failing.stderr);
    }
    // One that the program has had is not reported again, and a GPU that was never used is not waited for.
    let code = "use lib.torch.{Tensor}\n\
                try: print Tensor.ones([2]).exp().sum().item()\n\
                catch problem: print \"caught\"\n";
    let caught = run("cuda:0", &settings, code).expect("as above");
    assert_eq!(caught.printed(), "caught\n");
    let code = "use lib.torch.{Tensor, cuda_device_count}\nprint cuda_device_count(), Tensor.ones([1]).sum().item()\n";
    let unused = run("cpu", &[], code).expect("as above");
    assert_eq!(unused.printed(), "2 1.0\n");
    assert_eq!(unused.count("wait for"), 0, "{:?}", unused.log);
}

#[test]
fn a_tool_in_the_process_sees_its_exit() {
    let code = "use lib.torch.{Tensor}\nprint Tensor.ones([2]).sum().item()\n";
    for (tool, exits) in [("", 0), ("/lib/injection.so", 1)] {
        let Some(run) = run("cuda:0", &[("CUDA_INJECTION64_PATH", tool)], code) else {
            return;
        };
        assert_eq!(run.printed(), "2.0\n");
        assert!(run.count("wait for cuda:0") >= 1, "{:?}", run.log);
        assert_eq!(run.count("exit of the process"), exits, "{:?}", run.log);
    }
}

#[test]
fn replays_and_kernels_of_ones_own_are_among_the_last_operations() {
    let code = "use lib.torch.{Tensor, capture}\nuse lib.torch.beside.{note_kernel}\n\
                val step = capture(\\x: Tensor: x * 2.0)\n\
                val x = Tensor.ones([2])\n\
                for _ in 0..6: step(x)\n\
                note_kernel(\"scale\")\n\
                print x.exp().sum().item()\n";
    let settings = [("FAKE_CUDA_ASSERT", "exp"), ("FAKE_CUDA_LATE", "1")];
    let Some(run) = run("cuda:0", &settings, code) else {
        return;
    };
    ended_by_the_failure(&run);
    for part in [
        "<code>:5:",
        "a captured step",
        "<code>:6:",
        "the kernel scale",
    ] {
        assert!(run.stderr.contains(part), "{part}: {}", run.stderr);
    }
}
