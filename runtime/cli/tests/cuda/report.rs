//! What `examples/torch/gpu_report` runs on a real GPU, on the fake CUDA: that the probes end and find what they expect, and that they can fail. What measures time
//! only a GPU can show.

use crate::run::{Run, library_home, start, start_with_driver};
use std::path::Path;

fn probe(settings: &[(&str, &str)], names: &[&str]) -> Option<Run> {
    let program = library_home().join("examples/torch/gpu_report/probe.spl");
    let program = program.to_string_lossy();
    let mut arguments = vec!["--device", "cuda:0", &*program];
    arguments.extend(names);
    start(settings, &arguments)
}

#[test]
fn the_probes_find_what_they_expect() {
    let names = [
        "deterministic",
        "outside",
        "two_sizes",
        "in_autocast",
        "network",
        "copy",
        "read_late",
        "memory",
        "no_room",
        "scaler",
    ];
    let arguments = [&names[..], &["small"]].concat();
    let Some(run) = probe(&[("FAKE_CUDA_SLOW", "1")], &arguments) else {
        return;
    };
    assert_eq!(run.status, Some(0), "{}{}", run.stdout, run.stderr);
    let verdicts: Vec<&str> = run
        .stdout
        .lines()
        .filter(|line| line.contains(": ok"))
        .collect();
    assert_eq!(verdicts.len(), names.len(), "{}", run.stdout);
    assert!(!run.stdout.contains("DIFFERS"), "{}", run.stdout);
}

#[test]
fn the_lstm_of_the_probes_is_packed_and_right() {
    let Some(run) = probe(&[("FAKE_CUDA_CUDNN", "1")], &["lstm"]) else {
        return;
    };
    assert_eq!(run.status, Some(0), "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.starts_with("LSTM: ok"), "{}", run.stdout);
    assert_eq!(run.count("run lstm of cuDNN, packed=1"), 1, "{:?}", run.log);
}

#[test]
fn the_loader_of_the_probes_goes_batch_by_batch() {
    // All but 300 MB are taken away, and the examples need 205.
    let Some(run) = probe(&[("FAKE_CUDA_MEMORY", "330000000")], &["loader"]) else {
        return;
    };
    assert_eq!(run.status, Some(0), "{}{}", run.stdout, run.stderr);
    assert!(
        run.stdout.starts_with("loader in batches: ok"),
        "{}",
        run.stdout
    );
    assert_eq!(run.count("copy cpu to cuda:0 non_blocking=1 pinned=1"), 400);
}

#[test]
fn the_failure_of_the_probes_ends_with_an_error_at_its_line() {
    let settings = [
        ("FAKE_CUDA_MEMORY", "330000000"),
        ("FAKE_CUDA_ASSERT", "nll_loss"),
        ("FAKE_CUDA_LATE", "1"),
    ];
    let Some(run) = probe(&settings, &["sticky"]) else {
        return;
    };
    assert_eq!(run.status, Some(1), "{}{}", run.stdout, run.stderr);
    assert!(run.stderr.contains("probe.spl:"), "{}", run.stderr);
}

#[test]
fn a_probe_that_finds_something_else_fails() {
    // Another number of bytes than that of two tensors, where a third is made meanwhile.
    let text = std::fs::read_to_string(library_home().join("examples/torch/gpu_report/probe.spl"))
        .expect("the probes");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("probe_that_fails");
    std::fs::create_dir_all(&folder).expect("make a folder");
    let broken = text.replace("    val y = x * x\n", "    val y = x * x\n    val _third = Tensor.ones([1_000], device: GPU)\n    print _third.numel()\n");
    assert_ne!(broken, text);
    let program = folder.join("probe.spl");
    std::fs::write(&program, broken).expect("write a file");
    let run = start(
        &[],
        &["--device", "cuda:0", &program.to_string_lossy(), "memory"],
    );
    std::fs::remove_dir_all(&folder).expect("remove a folder");
    if let Some(run) = run {
        assert_eq!(run.status, Some(1), "{}", run.stdout);
        assert!(run.stdout.contains("memory: DIFFERS"), "{}", run.stdout);
    }
}

#[test]
fn the_programs_and_scripts_of_the_report_are_well_formed() {
    let folder = library_home().join("examples/torch/gpu_report");
    for entry in std::fs::read_dir(&folder)
        .expect("the folder of the report")
        .flatten()
    {
        let path = entry.path();
        let shown = path.to_string_lossy();
        match path.extension().and_then(|ending| ending.to_str()) {
            Some("spl") => {
                let Some(run) = start(&[], &["check", &shown]) else {
                    return;
                };
                assert_eq!(run.status, Some(0), "{shown}: {}", run.stderr);
            }
            Some("sh") => {
                let shell = std::process::Command::new("sh")
                    .arg("-n")
                    .arg(&path)
                    .output();
                let checked = shell.expect("the shell starts");
                assert!(
                    checked.status.success(),
                    "{shown}: {}",
                    String::from_utf8_lossy(&checked.stderr)
                );
            }
            _ => {}
        }
    }
}

#[test]
fn kernels_run_where_their_tensors_are_and_are_among_the_last_operations() {
    let program = library_home().join("examples/torch/gpu_report/kernel.spl");
    let arguments = ["--device", "cuda:0", &*program.to_string_lossy()];
    let Some(run) = start_with_driver(&[], &arguments) else {
        return;
    };
    assert_eq!(run.status, Some(0), "{}{}", run.stdout, run.stderr);
    assert_eq!(
        run.stdout,
        "NVRTC true, CUDA: \"\"\ndefault stream: true\nanother stream: true\na part: true\nfour at a time: true\n"
    );
    let on = |stream| format!("launch scale blocks=3907 threads=256 stream={stream}");
    assert_eq!(run.count(&on(0)), 1, "{:?}", run.events("launch"));
    assert_eq!(run.count(&on(1)), 20, "{:?}", run.events("launch"));
    // A kernel that is to blame is not left out of what a later failure lists.
    let code = "use lib.torch.{Tensor}\nuse lib.kernel\n\
                val source = \"extern \\\"C\\\" __global__ void twice(float* x, int n) \\{ for (int i = 0; i < n; i++) x[i] *= 2; \\}\"\n\
                val x = Tensor.ones([3])\n\
                kernel.compile(\"twice\", source, \"cuda\").launch(1, x, 0)\n\
                print x.exp().sum().item()\n";
    let settings = [("FAKE_CUDA_ASSERT", "exp"), ("FAKE_CUDA_LATE", "1")];
    let arguments = ["--device", "cuda:0", "-c", code];
    let run = start_with_driver(&settings, &arguments).expect("as above");
    assert_eq!(run.status, Some(1), "{}", run.stdout);
    assert!(run.stderr.contains("the kernel twice"), "{}", run.stderr);
}
