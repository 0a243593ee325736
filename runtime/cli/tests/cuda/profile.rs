//! Profiles on CUDA devices. The fake CUDA has no CUPTI, so device times come from events around operators; how long those say that something
//! took, `device.cpp` makes up.

use crate::run::{run, start, start_with_driver};

const STEP: &str = "use lib.torch.{Tensor}\n\
                    use lib.torch.profiler.{profile}\n\
                    use lib.nn.{Linear}\n\
                    val net = Linear(3, 2).to(\"cuda:1\")\n\
                    val x = Tensor.ones([4, 3], device: \"cuda:1\")\n";

#[test]
fn operators_and_layers_have_device_times() {
    let code = format!(
        "{STEP}val prof = profile()\nwith prof:\n    net(x).sum().backward()\n\
         val row = prof.key_averages().get(\"aten::linear\")!\n\
         print row.count, row.device_time_total > 0.0\n\
         print prof.totals().device > 0.0\n\
         for layer in prof.layers(): print layer.path, layer.calls, layer.device_time > 0.0\n\
         print prof.lines()[0].device_time > 0.0\n"
    );
    let Some(run) = run("cpu", &[], &code) else {
        return;
    };
    assert_eq!(run.printed(), "1 true\ntrue\nnet 1 true\ntrue\n");
    assert!(run.count("wait for cuda:1") > 0);
}

#[test]
fn cuda_that_is_opened_during_a_profile_is_in_it() {
    let code = "use lib.torch.{Tensor}\nval x = Tensor.ones([4, 4], device: \"cuda:0\")\nprint x.matmul(x).sum().item()\n";
    let Some(run) = start(&[], &["--profile", "--device", "cpu", "-c", code]) else {
        return;
    };
    assert_eq!(
        (run.status, run.stdout.as_str()),
        (Some(0), "64.0\n"),
        "{}",
        run.stderr
    );
    assert!(
        run.stderr.contains("devices computed for"),
        "{}",
        run.stderr
    );
    assert!(run.stderr.contains("self device"), "{}", run.stderr);
}

#[test]
fn no_event_is_recorded_without_a_profile() {
    let code = "use lib.torch.{Tensor}\nval x = Tensor.ones([4, 4], device: \"cuda:0\")\nprint x.matmul(x).sum().item()\n";
    let Some(run) = run("cpu", &[], code) else {
        return;
    };
    assert_eq!(run.printed(), "64.0\n");
    assert_eq!(run.count("record event"), 0);
}

#[test]
fn where_cupti_says_nothing_of_the_gpu_later_profiles_use_events() {
    // The driver is there, so that Kineto is asked first; NVIDIA's profiler finds no GPU of its own.
    let code = "use lib.torch.{Tensor}\nuse lib.torch.profiler.{profile}\n\
                val x = Tensor.ones([4, 4], device: \"cuda:0\")\n\
                for _ in 0..2:\n    \
                    val prof = profile()\n    \
                    with prof: x.matmul(x).sum().item()\n    \
                    print prof.totals().device > 0.0\n";
    let Some(run) = start_with_driver(&[], &["--device", "cpu", "-c", code]) else {
        return;
    };
    assert_eq!(
        (run.status, run.stdout.as_str()),
        (Some(0), "false\ntrue\n"),
        "{}",
        run.stderr
    );
    let said = "gives no times of the GPU";
    assert_eq!(run.stderr.matches(said).count(), 1, "{}", run.stderr);
}
