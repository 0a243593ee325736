//! Streams, events and pinned memory.

use crate::run::run;

#[test]
fn work_of_a_block_goes_to_its_stream_and_comes_back_whatever_happens() {
    let code = "use lib.torch.{Tensor, Stream, current_stream, default_stream}\n\
                val side = Stream(\"cuda:0\")\n\
                val x = Tensor.ones([2])\n\
                side.wait_stream(current_stream())\n\
                try:\n    \
                    with side:\n        \
                        print current_stream().is_same(side), x.exp().shape()\n        \
                        with Stream(\"cuda:0\"): print current_stream().is_same(side)\n        \
                        print current_stream().is_same(side)\n        \
                        panic(\"enough\")\n\
                catch problem: print problem.message\n\
                print current_stream().is_same(default_stream())\n";
    let Some(run) = run("cuda:0", &[], code) else {
        return;
    };
    assert_eq!(run.printed(), "true [2]\nfalse\ntrue\nenough\ntrue\n");
    assert_eq!(
        run.count("run aten::exp.out on cuda:0 stream=1"),
        1,
        "{:?}",
        run.log
    );
    assert_eq!(run.events("record event=1"), ["record event=1 stream=0"]);
    assert_eq!(run.events("block event=1"), ["block event=1 stream=1"]);
}

#[test]
fn memory_that_is_freed_waits_for_the_streams_that_were_entered() {
    let code = "use lib.torch.{Tensor, Stream}\n\
                fn use_in(stream: Stream):\n    \
                    val x = Tensor.ones([2])\n    \
                    with stream: x.exp()\n\
                val side = Stream(\"cuda:0\")\n\
                use_in(side)\n\
                print side.query()\n";
    let Some(run) = run("cuda:0", &[], code) else {
        return;
    };
    assert_eq!(run.printed(), "true\n");
    assert!(run.count("keep memory for stream=1") >= 1, "{:?}", run.log);
    let code = "use lib.torch.{Tensor}\nfor i in 0..3: Tensor.ones([2]).exp()\n";
    let Some(without) = crate::run::run("cuda:0", &[], code) else {
        return;
    };
    assert_eq!(without.count("keep memory"), 0);
}

#[test]
fn events_are_recorded_waited_for_and_timed() {
    let code = "use lib.torch.{Stream, Event}\n\
                val side = Stream(\"cuda:1\", priority: -1)\n\
                val (start, middle, end) = (Event(enable_timing: true), Event(), Event(enable_timing: true))\n\
                start.record()\n\
                middle.record()\n\
                end.record()\n\
                side.wait_event(middle)\n\
                end.synchronize()\n\
                print start.elapsed_time(end), end.query(), side.record_event().query()\n\
                try: print middle.elapsed_time(end)\n\
                catch problem: print problem.message\n\
                try: print Event(enable_timing: true).elapsed_time(end)\n\
                catch problem: print problem.message\n";
    let Some(run) = run("cuda:1", &[], code) else {
        return;
    };
    assert_eq!(
        run.printed(),
        "2.0 true true\n\
         elapsed_time: both events must be made with `enable_timing: true`\n\
         elapsed_time: both events must be recorded before the time between them is asked\n"
    );
    assert_eq!(run.events("block"), ["block event=2 stream=1"]);
    assert_eq!(run.events("wait for event"), ["wait for event=3"]);
}

#[test]
fn pinned_memory_is_copied_without_waiting() {
    let code = "use lib.torch.{Tensor, synchronize}\n\
                val x = Tensor.ones([3], device: \"cpu\")\n\
                val pinned = x.pin_memory()\n\
                print x.is_pinned(), pinned.is_pinned(), pinned.pin_memory().is_pinned()\n\
                val there = pinned.to(\"cuda:1\", non_blocking: true)\n\
                print there.device(), there.dtype(), there.to(\"f64\", non_blocking: true).dtype()\n\
                synchronize(\"cuda:1\")\n\
                print there.to_list()\n";
    let Some(run) = run("cuda:0", &[], code) else {
        return;
    };
    assert_eq!(
        run.printed(),
        "false true true\ncuda:1 f32 f64\n[1.0, 1.0, 1.0]\n"
    );
    assert_eq!(
        run.events("copy cpu to cuda:1 non_blocking=1"),
        ["copy cpu to cuda:1 non_blocking=1 pinned=1 stream=0"]
    );
    assert!(run.count("wait for cuda:1") >= 1, "{:?}", run.log);
}

#[test]
fn the_loader_copies_the_next_batch_in_a_queue_of_its_own() {
    // More than the GPU takes as a whole, and enough for the thread that gathers ahead.
    let code = "use lib.torch.{Tensor}\nuse lib.torch.data.{TensorDataset, DataLoader}\n\
                val data = TensorDataset([Tensor.ones([4000, 20]), Tensor.ones([4000])])\n\
                var sum = 0.0\n\
                for (x, y) in DataLoader(data, 1000, device: \"cuda:0\"): sum += (x.sum() + y.sum()).item()\n\
                print sum\n";
    let Some(run) = run("cpu", &[("FAKE_CUDA_MEMORY", "500000")], code) else {
        return;
    };
    assert_eq!(run.printed(), "84000.0\n");
    assert_eq!(
        run.events("copy cpu to cuda:0 non_blocking=1 pinned=1 stream=1")
            .len(),
        8,
        "{:?}",
        run.log
    );
    // Each batch is waited for by the stream that computes, which keeps its memory.
    assert_eq!(run.count("block event"), 4, "{:?}", run.log);
    assert_eq!(run.count("keep memory for stream=0"), 8, "{:?}", run.log);
    assert_eq!(
        run.count("run aten::sum.IntList_out on cuda:0 stream=0"),
        8,
        "{:?}",
        run.log
    );
}

#[test]
fn a_copy_to_main_memory_is_waited_for_before_it_is_read() {
    // The copy happens when the program waits for the device; until then other numbers are there.
    let code = "use lib.torch.{Tensor}\n\
                val x = Tensor.ones([3]) * 2.0\n\
                fn copied() -> Tensor: x.to(\"cpu\", non_blocking: true)\n\
                print copied().to_list()\n\
                print copied().sum().item()\n\
                print copied()\n\
                print (copied() + 1.0).to_list(), (1.0 - copied()).to_list()\n\
                print copied()[1].item(), copied() == copied()\n\
                print copied().view([1, 3]).to_list()\n\
                var there = copied()\n\
                there[0] = 5.0\n\
                there.add_(1.0)\n\
                print there.to_list()\n\
                print Tensor.arange(4.0, device: \"cpu\")[copied().long()].to_list()\n";
    let slow = ("FAKE_CUDA_SLOW", "1");
    let Some(run) = run("cuda:0", &[slow], code) else {
        return;
    };
    assert_eq!(
        run.printed(),
        "[2.0, 2.0, 2.0]\n6.0\ntensor([2., 2., 2.])\n[3.0, 3.0, 3.0] [-1.0, -1.0, -1.0]\n2.0 true\n[2.0, 2.0, 2.0]\n[6.0, 3.0, 3.0]\n\
         [2.0, 2.0, 2.0]\n"
    );
    assert_eq!(
        run.count("copy cuda:0 to cpu non_blocking=1"),
        run.count("wait for event"),
        "{:?}",
        run.log
    );
    // What is not looked at is not waited for, and a copy that the program waited for itself is not another wait of the device.
    let code = "use lib.torch.{Tensor}\n\
                val x = Tensor.ones([3])\n\
                fn unused(): x.to(\"cpu\", non_blocking: true)\n\
                unused()\n\
                print x.device()\n";
    let run = crate::run::run("cuda:0", &[slow], code).expect("as above");
    assert_eq!(run.printed(), "cuda:0\n");
    assert_eq!(run.count("wait for event"), 0, "{:?}", run.log);
}

#[test]
fn a_copy_to_main_memory_that_failed_is_an_error_where_it_is_read() {
    let code = "use lib.torch.{Tensor}\n\
                val x = Tensor.ones([3])\n\
                val there = x.to(\"cpu\", non_blocking: true)\n\
                print x.exp().shape()\n\
                print there + 1.0\n";
    let settings = [("FAKE_CUDA_ASSERT", "exp"), ("FAKE_CUDA_LATE", "1")];
    let Some(run) = run("cuda:0", &settings, code) else {
        return;
    };
    assert_eq!((run.status, run.stdout.as_str()), (Some(1), "[3]\n"));
    for part in ["device-side assert", "<code>:5:"] {
        assert!(run.stderr.contains(part), "{part}: {}", run.stderr);
    }
}
