//! Programs on CUDA devices, on a machine without a GPU: libtorch's CUDA part is a stand-in (`ffi/torch/tests/fake_cuda`), which computes
//! in main memory and writes down what it was asked to do. They run where the tests of `torch.rs` do.

#[path = "../../../ffi/torch/tests/fake_cuda/mod.rs"]
mod fake_cuda;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

/// The folder of the sources, where the library is.
fn library_home() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// What a program did.
struct Run {
    status: Option<i32>,
    stdout: String,
    stderr: String,
    /// What the stand-in was asked to do, a line for each event; see `device.cpp`.
    log: Vec<String>,
}

impl Run {
    /// The program ended well and said nothing on standard error; what it printed.
    #[track_caller]
    fn printed(&self) -> &str {
        assert_eq!(
            (self.status, self.stderr.as_str()),
            (Some(0), ""),
            "{}",
            self.stdout
        );
        &self.stdout
    }

    /// The events that begin so.
    fn events(&self, start: &str) -> Vec<&str> {
        let all = self.log.iter().map(String::as_str);
        all.filter(|line| line.starts_with(start)).collect()
    }

    fn count(&self, start: &str) -> usize {
        self.events(start).len()
    }
}

/// Runs code with the stand-in, if libtorch is there. `device` is that of new tensors.
fn run(device: &str, settings: &[(&str, &str)], code: &str) -> Option<Run> {
    let program = ["--device", device, "-c", code];
    start(settings, &program)
}

/// As [`run`], in a folder with this configuration.
fn configured(text: &str, device: &str, code: &str) -> Option<Run> {
    let name = format!("dl_config_{:?}", std::thread::current().id());
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).expect("make a folder");
    std::fs::write(folder.join("dl.config.sdn"), text).expect("write a file");
    let run = start_in(&folder, &[], &["--device", device, "-c", code]);
    std::fs::remove_dir_all(&folder).expect("remove a folder");
    run
}

fn start(settings: &[(&str, &str)], arguments: &[&str]) -> Option<Run> {
    start_in(Path::new(env!("CARGO_TARGET_TMPDIR")), settings, arguments)
}

fn start_in(folder: &Path, settings: &[(&str, &str)], arguments: &[&str]) -> Option<Run> {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let Some(libtorch) = std::env::var_os("SIMPLE_LIBTORCH_DIR") else {
        println!("left out: there is no torch library; `bin/simple build test` builds one");
        return None;
    };
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let root = fake_cuda::libtorch(Path::new(&libtorch), scratch);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let log: PathBuf = scratch.join(format!("fake_cuda_{number}.log"));
    let _ = std::fs::remove_file(&log);
    let output = Command::new(env!("CARGO_BIN_EXE_simple"))
        .args(arguments)
        .env("SIMPLE_HOME", library_home())
        .env("LIBTORCH_PATH", root)
        .env("LD_LIBRARY_PATH", fake_cuda::lib(root))
        .env("FAKE_CUDA_LOG", &log)
        .env("SIMPLE_CHECK_LEAKS", "1")
        .env_remove("SIMPLE_DL_DEVICE")
        .env_remove("CUDA_LAUNCH_BLOCKING")
        .env_remove("CUDA_VISIBLE_DEVICES")
        .envs(settings.iter().copied())
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .expect("the program under test starts");
    let events = std::fs::read_to_string(&log).unwrap_or_default();
    let _ = std::fs::remove_file(&log);
    Some(Run {
        status: output.status.code(),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        log: events.lines().map(str::to_owned).collect(),
    })
}

#[test]
fn a_program_on_the_cpu_does_not_open_cuda() {
    let code = "use lib.torch.{Tensor}\nuse lib.pure.nn.{Conv2d}\n\
                print Conv2d(1, 1, 3)(Tensor.ones([1, 1, 8, 8])).shape()\n";
    let Some(run) = run("cpu", &[], code) else {
        return;
    };
    assert_eq!(run.printed(), "[1, 1, 6, 6]\n");
    assert_eq!(run.log, Vec::<String>::new());
}

#[test]
fn cuda_can_be_opened_after_anything_on_the_cpu() {
    let code = "use lib.torch.{Tensor, cuda_device_count, grad}\nuse lib.pure.nn.{Conv2d, BatchNorm2d}\n\
                val images = Tensor.ones([2, 1, 8, 8]).requires_grad_()\n\
                val net = Conv2d(1, 1, 3)\n\
                print grad([BatchNorm2d(1)(net(images)).sum()], [images])[0].shape()\n\
                print cuda_device_count()\n\
                print (Tensor.ones([3], device: \"cuda:1\") + 1.0).sum()\n";
    let Some(run) = run("cpu", &[], code) else {
        return;
    };
    assert_eq!(
        run.printed(),
        "[2, 1, 8, 8]\n2\ntensor(6., device='cuda:1')\n"
    );
}

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
fn a_copy_on_a_stream_waits_for_its_source_and_keeps_both_memories() {
    let code = "use lib.torch.{Tensor, TorchStream}\n\
                val x = Tensor.ones([3]) + 1.0\n\
                val stream = TorchStream.create(0)\n\
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
fn opening_cuda_leaves_the_symbols_of_libtorch_hidden() {
    let code = "use lib.torch.{Tensor}\nprint Tensor.ones([3]).sum().item()\n";
    let Some(run) = run("cuda:0", &[], code) else {
        return;
    };
    assert_eq!(run.printed(), "3.0\n");
    assert_eq!(run.events("init")[0], "init visible=0");
}

#[test]
fn why_there_is_no_device_is_said_once_and_with_its_cause() {
    let code = "use lib.torch.{Tensor, cuda_unavailable_reason}\nprint Tensor.ones([1]).device()\nprint cuda_unavailable_reason()\n";
    let too_old = "The NVIDIA driver on your system is too old (found version 12080). Please update your GPU driver. \
                   Alternatively, go to: https://pytorch.org to install a PyTorch version for your driver.";
    let Some(old) = run("cuda:1", &[("FAKE_CUDA_INIT", too_old)], code) else {
        return;
    };
    let reason = "libtorch finds no CUDA device: The NVIDIA driver on your system is too old (found version 12080)\n\
                  update the NVIDIA driver: libtorch 2.11.0 is built for CUDA 13 and needs release 580 or newer (`nvidia-smi` shows the release)";
    assert_eq!(old.stdout, format!("cpu\n{reason}\n"));
    for line in reason.lines() {
        assert_eq!(old.stderr.matches(line).count(), 1, "{}", old.stderr);
    }
    for part in ["Warning", "pytorch.org"] {
        assert!(!old.stderr.contains(part), "{}", old.stderr);
    }
    let settings = [
        ("FAKE_CUDA_INIT", "No CUDA GPUs are available"),
        ("CUDA_VISIBLE_DEVICES", "5"),
    ];
    let hidden = run("cuda", &settings, code).unwrap();
    let part =
        "No CUDA GPUs are available (CUDA_VISIBLE_DEVICES is `5`, which hides all other devices)";
    assert!(hidden.stderr.contains(part), "{}", hidden.stderr);
    let settings = [("FAKE_CUDA_DEVICES", "1"), ("CUDA_VISIBLE_DEVICES", "0")];
    let one = run("cuda:1", &settings, code).unwrap();
    let part = "this machine has 1 CUDA device, cuda:0 (CUDA_VISIBLE_DEVICES is `0`, which hides all others)";
    assert!(one.stderr.contains(part), "{}", one.stderr);
    assert_eq!(one.stdout, "cuda:0\n\n");
}

#[test]
fn a_failing_kernel_is_reported_at_its_line_and_the_gpu_is_left_alone() {
    let code = "use lib.torch.{Tensor}\nuse lib.pure.nn.{cross_entropy}\n\
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
fn a_device_that_does_not_compute_is_not_chosen() {
    let code = "use lib.torch.{Tensor}\nval x = Tensor.ones([2])\nprint x.device(), Tensor.ones([1], device: \"auto\").device()\n";
    let too_old = (
        "FAKE_CUDA_EMPTY",
        "CUDA error: no kernel image is available for execution on the device\n\
         CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.",
    );
    let first = [too_old, ("FAKE_CUDA_EMPTY_ON", "0")];
    for (device, settings, expected) in [
        ("auto", &[too_old][..], "cpu cpu\n"),
        ("gpu", &[too_old][..], "cpu cpu\n"),
        ("cuda:1", &[too_old][..], "cpu cpu\n"),
        ("cuda:0", &first[..], "cuda:1 cuda:1\n"),
        ("cuda:1", &first[..], "cuda:1 cuda:1\n"),
        ("auto", &first[..], "cuda:1 cuda:1\n"),
    ] {
        let Some(run) = run(device, settings, code) else {
            return;
        };
        assert_eq!(run.stdout, expected, "{device}: {}", run.stderr);
        let said = run
            .stderr
            .contains("cuda:0 is there but does not compute: CUDA error: no kernel image")
            || run.stderr.contains("cuda:1 is there but does not compute");
        let silent = expected.starts_with("cuda:1") && device != "cuda:0";
        assert_eq!(said, !silent, "{device}: {}", run.stderr);
        assert!(!run.stderr.contains("stacktrace"), "{}", run.stderr);
    }
}

#[test]
fn debug_cuda_is_known_before_the_driver_is_asked() {
    let code = "use lib.torch.{Tensor, cuda_available}\nprint cuda_available()\nprint Tensor.ones([1]).device()\n";
    for (text, line) in [
        ("debug_cuda: true\n", "driver CUDA_LAUNCH_BLOCKING=1"),
        ("debug_cuda: false\n", "driver CUDA_LAUNCH_BLOCKING="),
    ] {
        let Some(run) = configured(text, "cuda:0", code) else {
            return;
        };
        assert_eq!(run.printed(), "true\ncuda:0\n");
        assert_eq!(run.events("driver"), [line]);
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
fn specs_run_on_the_cpu_unless_a_device_is_asked_for() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("specs_on_cuda");
    std::fs::create_dir_all(&folder).expect("make a folder");
    let spec = "use lib.torch.{Tensor}\n\
                describe \"a tensor\":\n    it \"is somewhere\":\n        print Tensor.ones([1]).device()\n";
    for (name, text) in [
        ("dl.config.sdn", "device: cuda:1\n"),
        ("place_spec.spl", spec),
    ] {
        std::fs::write(folder.join(name), text).expect("write a file");
    }
    for (settings, arguments, device) in [
        (&[][..], &["test"][..], "cpu"),
        (&[], &["test", "--device", "cuda:0"], "cuda:0"),
        (&[("SIMPLE_DL_DEVICE", "cuda:1")], &["test"], "cuda:1"),
    ] {
        let Some(run) = start_in(&folder, settings, arguments) else {
            return;
        };
        let said = format!("{}{}", run.stdout, run.stderr);
        assert!(said.contains(&format!("{device}\n")), "{said}");
        assert!(said.contains("1 passed, 0 failed"), "{said}");
        assert_eq!(run.log.is_empty(), device == "cpu", "{:?}", run.log);
    }
    std::fs::remove_dir_all(&folder).expect("remove a folder");
}

#[test]
fn recurrent_layers_pack_their_weights_once_on_cuda() {
    let code = "use lib.torch.{Tensor}\nuse lib.pure.nn.{LSTM}\n\
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
    let code = "use lib.torch.{Tensor, manual_seed}\nuse lib.pure.nn.{Linear, Sequential}\nuse lib.pure.optim.{Adam, Adagrad, Optimizer}\n\
                fn step(net: Sequential, optimizer: Optimizer, x: Tensor):\n    \
                    optimizer.zero_grad()\n    \
                    (net[1](net[0](x).to(\"{net[1].parameters()[0].device()}\"))).sum().backward()\n    \
                    optimizer.step()\n\
                fn train(adam: bool, move: bool) -> [f64]:\n    \
                    manual_seed(1)\n    \
                    val net = Sequential([Linear(3, 4), Linear(4, 2)])\n    \
                    val optimizer: Optimizer = if adam: Adam.create(net.parameters()) else: Adagrad.create(net.parameters())\n    \
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
                val data = TensorDataset.create([Tensor.ones([4000, 20]), Tensor.ones([4000])])\n\
                var sum = 0.0\n\
                var all = true\n\
                for (x, y) in DataLoader.create(data, 1000, device: \"cuda:1\"):\n    \
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
                val data = TensorDataset.create([Tensor.ones([10]), Tensor.ones([10])])\n\
                for (x, y) in DataLoader.create(data, 5, device: \"cuda:0\"): print x.shape()\n";
    let Some(run) = run("cpu", &[("FAKE_CUDA_ASSERT", "copy_")], code) else {
        return;
    };
    assert_eq!(run.status, Some(1), "{}", run.stdout);
    assert!(run.stderr.contains("device-side assert"), "{}", run.stderr);
}

/// What is said about CUDA where some libraries of libtorch are empty files.
fn unavailable_with_empty(name: &str) -> Option<String> {
    let real = std::env::var_os("SIMPLE_LIBTORCH_DIR")?;
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let root = fake_cuda::libtorch(Path::new(&real), scratch);
    let broken = fake_cuda::with_empty(root, scratch, &[name]);
    let code = "use lib.torch.{cuda_unavailable_reason}\nprint cuda_unavailable_reason()\n";
    let broken_path = broken.to_string_lossy();
    let run = run("cpu", &[("LIBTORCH_PATH", &broken_path)], code)?;
    std::fs::remove_dir_all(&broken).expect("remove a folder");
    Some(run.printed().to_owned())
}

#[test]
fn a_libtorch_for_amd_gpus_or_with_a_broken_cuda_part_is_named() {
    let Some(rocm) = unavailable_with_empty("libtorch_hip.so") else {
        return;
    };
    assert!(
        rocm.starts_with("this libtorch is built for AMD GPUs (ROCm)"),
        "{rocm}"
    );
    let broken = unavailable_with_empty("libtorch_cuda.so").unwrap();
    for part in [
        "the CUDA part of libtorch cannot be opened: ",
        "LD_LIBRARY_PATH is set",
    ] {
        assert!(broken.contains(part), "{broken}");
    }
}

#[test]
fn small_things_work_where_the_model_is() {
    let code = "use lib.torch.{Tensor, TorchStream}\nuse lib.pure.nn.{Linear, generate_square_subsequent_mask}\n\
                use lib.pure.nn.init.{sparse_, trunc_normal_}\nuse lib.pure.training.running.{RunningMean}\n\
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
                val stream = TorchStream.create(-1)\n\
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
    let code = "use lib.torch.{Tensor, manual_seed}\nuse lib.pure.nn.{Conv2d, BatchNorm2d, Linear, Flatten, Sequential, ReLU, cross_entropy}\n\
                use lib.pure.optim.{Adam}\n\
                manual_seed(3)\n\
                val net = Sequential([Conv2d(1, 2, 3), BatchNorm2d(2), ReLU(), Flatten(), Linear(72, 3)])\n\
                val x = Tensor.from_data([(i % 7) as f64 / 7.0 for i in 0..256], [4, 1, 8, 8])\n\
                val y = Tensor.from_data([0.0, 1.0, 2.0, 0.0], [4]).long()\n\
                val optimizer = Adam.create(net.parameters(), lr: 0.01)\n\
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
fn tensors_on_two_devices_are_refused_with_what_to_do() {
    let code = "use lib.torch.{Tensor}\nuse lib.pure.nn.{Linear}\n\
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
