//! Tensors on CUDA devices: streams, seeds, indexing, failures.

use crate::run::{Run, run};

#[test]
fn a_copy_on_a_stream_waits_for_its_source_and_keeps_both_memories() {
    let code = "use lib.torch.{Tensor, TorchStream}\n\
                val x = Tensor.ones([3]) + 1.0\n\
                val stream = TorchStream(0)\n\
                val y = x.to_stream(stream.handle)\n\
                stream.sync()\n\
                print y.sum().item()\n";
    let Some(run) = run("cuda:0", &[], code) else {
        return;
    };
    assert_eq!(run.printed(), "6.0\n");
    let of_streams: Vec<&str> = run
        .log
        .iter()
        .map(String::as_str)
        .filter(|line| !line.starts_with("allocate") && !line.contains("stream=0"))
        .skip_while(|line| !line.starts_with("block"))
        .collect();
    assert_eq!(run.events("record"), ["record event=1 stream=0"]);
    assert_eq!(
        of_streams[..4],
        [
            "block event=1 stream=1",
            "copy cuda:0 to cuda:0 non_blocking=1 pinned=0 stream=1",
            "keep memory for stream=1",
            "wait for stream=1",
        ]
    );
    assert_eq!(run.count("keep memory for stream=0"), 1);
}

#[test]
fn a_seed_from_before_cuda_was_opened_holds_on_cuda() {
    let code = "use lib.torch.{Tensor, manual_seed}\n\
                manual_seed(7)\n\
                print Tensor.randn([3], device: \"cuda:1\").to_list()\n\
                print Tensor.randn([3], device: \"cuda:0\").to_list()\n";
    let runs: Vec<Run> = (0..2).filter_map(|_| run("cpu", &[], code)).collect();
    let [first, second] = &runs[..] else {
        return;
    };
    assert_eq!(first.printed(), second.printed());
    let numbers: Vec<&str> = first.stdout.lines().collect();
    assert_eq!(numbers[0], numbers[1], "each device has the same seed");
}

#[test]
fn a_failing_kernel_is_reported_at_its_line_and_the_gpu_is_left_alone() {
    let code = "use lib.torch.{Tensor}\nuse lib.nn.{cross_entropy}\n\
                val scores = Tensor.ones([2, 3])\n\
                val classes = Tensor.from_data([0.0, 5.0], [2]).long()\n\
                val loss = cross_entropy(scores, classes)\n\
                print loss.item()\n";
    let Some(run) = run("cuda:0", &[("FAKE_CUDA_ASSERT", "nll_loss")], code) else {
        return;
    };
    assert_eq!(run.status, Some(1), "{}", run.stdout);
    for part in [
        "CUDA error: device-side assert triggered",
        "an index or a class number is out of range",
        "<code>:5:",
    ] {
        assert!(run.stderr.contains(part), "{part}: {}", run.stderr);
    }
    for part in ["TORCH_USE_CUDA_DSA", "docs.nvidia.com", "stacktrace"] {
        assert!(!run.stderr.contains(part), "{part}: {}", run.stderr);
    }
}

#[test]
fn numbers_are_put_into_tensors_without_waiting_for_the_gpu() {
    let code = "use lib.torch.{Tensor}\n\
                val x = Tensor.ones([4]) * 2.0\n\
                val rows = Tensor.ones([2, 3])\n\
                x[x.gt(1.0)] = 5.0\n\
                x[1] = 7.0\n\
                rows[0] = 3\n\
                rows[:, 1:] = 4.0\n\
                rows[Tensor.from_data([1.0], [1]).long()] = 9.0\n\
                print x.to_list(), rows.to_list()\n";
    let Some(run) = run("cuda:0", &[], code) else {
        return;
    };
    assert_eq!(
        run.printed(),
        "[5.0, 7.0, 5.0, 5.0] [3.0, 4.0, 4.0, 9.0, 9.0, 9.0]\n"
    );
    assert_eq!(run.count("run aten::nonzero"), 0, "{:?}", run.log);
    // The device was tried before anything else.
    assert_eq!(
        run.count("run aten::_local_scalar_dense"),
        1,
        "{:?}",
        run.log
    );
    // With a number in main memory libtorch fills what the mask selects.
    assert_eq!(
        run.events("run aten::_index_put_impl_"),
        ["cpu=1", "cpu=0"]
            .map(|end| format!("run aten::_index_put_impl_ on cuda:0 stream=0 {end}"))
    );
    // The list of rows, and the results.
    assert_eq!(run.count("copy cpu to"), 1, "{:?}", run.log);
    assert_eq!(run.count("copy cuda:0 to cpu"), 2, "{:?}", run.log);
}

#[test]
fn tensors_on_two_devices_are_refused_with_what_to_do() {
    let code = "use lib.torch.{Tensor}\nuse lib.nn.{Linear}\n\
                val net = Linear(3, 2).to(\"cuda:0\")\n\
                try: print net(Tensor.ones([1, 3])).shape()\n\
                catch e: print e.message\n\
                print (Tensor.ones([2], device: \"cuda:0\") + Tensor.ones([2], device: \"cuda:1\")).shape()\n";
    let Some(run) = run("cpu", &[], code) else {
        return;
    };
    assert!(
        run.stdout.contains("is on cuda:0 and got an input on cpu"),
        "{}",
        run.stdout
    );
    assert_eq!(run.status, Some(1));
    for part in [
        "Expected all tensors to be on the same device",
        "move one of them",
    ] {
        assert!(run.stderr.contains(part), "{}", run.stderr);
    }
}
