//! Programs on the real libtorch: the examples, failures with their line, handles, memory, runs that are killed and go on.
//!
//! Programs in `torch_programs` make mistakes that show only when they run; the golden file beside each has the message (see `golden_programs`).
//! They run where SIMPLE_TORCH_LIBRARY names a built `libsimple_torch.so`, as `bin/simple build test` sees to; without it each
//! test says that it is left out. The device is the CPU, so that machines with and without a GPU print the same.

mod golden_programs;

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use golden_programs::library_home;

fn available() -> bool {
    let there = std::env::var_os("SIMPLE_TORCH_LIBRARY").is_some();
    if !there {
        println!("left out: there is no torch library; `bin/simple build test` builds one");
    }
    there
}

fn simple(arguments: &[&str], variables: &[(&str, &str)]) -> Output {
    let mut command = command();
    command
        .args(arguments)
        .current_dir(library_home())
        .envs(variables.iter().copied());
    command.output().expect("the program under test starts")
}

fn command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_simple"));
    command
        .env("SIMPLE_HOME", library_home())
        .env_remove("SIMPLE_DL_DEVICE")
        .stdin(Stdio::null());
    command
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Runs code on the CPU; returns exit code, standard output and standard error.
fn run(code: &str) -> (Option<i32>, String, String) {
    let output = simple(
        &["--device", "cpu", "-c", code],
        &[("SIMPLE_CHECK_LEAKS", "1")],
    );
    (
        output.status.code(),
        text(&output.stdout),
        text(&output.stderr),
    )
}

/// The code fails at `line` with a message that has every one of `parts`.
fn fails(code: &str, line: u32, parts: &[&str]) {
    let (status, stdout, stderr) = run(code);
    assert_eq!(status, Some(1), "{stdout}{stderr}");
    let place = format!("--> <code>:{line}:");
    for part in parts.iter().chain([&place.as_str()]) {
        assert!(stderr.contains(part), "{part:?} is missing in:\n{stderr}");
    }
    for part in ["Exception raised from", "frame #", "leak:", "panicked"] {
        assert!(!stderr.contains(part), "{part:?} is in:\n{stderr}");
    }
}

/// libtorch would wait for ever for a thread that cannot be begun.
#[test]
fn threads_that_the_system_does_not_give_are_an_error() {
    if !available() {
        return;
    }
    let code = "use lib.torch.{Tensor, set_num_threads}\n\
                fn main():\n    val before = Tensor.ones([4]).sum().item()\n    try: set_num_threads(1000)\n    catch e: print e.message\n    \
                print before, Tensor.ones([300000]).sum().item()\n";
    let mut command = Command::new("sh");
    command
        .args(["-c", "ulimit -v 3000000; exec \"$0\" \"$@\""])
        .arg(env!("CARGO_BIN_EXE_simple"))
        .args(["--device", "cpu", "--backend", "torch", "-c", code])
        .env("SIMPLE_HOME", library_home())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program under test starts");
    let ended = (0..1200).any(|_| {
        std::thread::sleep(Duration::from_millis(50));
        child.try_wait().expect("it can be waited for").is_some()
    });
    if !ended {
        child.kill().expect("it is this test's child");
    }
    let output = child.wait_with_output().expect("its output");
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert!(ended, "it waits for ever: {out}{err}");
    assert_eq!(output.status.code(), Some(0), "{out}{err}");
    let said = "set_num_threads: cannot use 1000 threads: the system gives this process ";
    assert!(out.starts_with(said), "{out}{err}");
    assert!(out.ends_with("4.0 300000.0\n"), "{out}{err}");
}

#[test]
fn examples_print_what_happened() {
    if !available() {
        return;
    }
    for (name, parts) in [
        (
            "01_tensor_creation",
            &[
                "torch_available() = true",
                "torch_version() = 2.",
                "[3, 4]",
                "[2, 5]",
                "[4, 4]",
            ][..],
        ),
        ("02_tensor_operations", &["cpu"][..]),
        ("03_device_selection", &["cpu"][..]),
    ] {
        let program = format!("examples/torch/basics/{name}.spl");
        let output = simple(
            &["--device", "cpu", &program],
            &[("SIMPLE_CHECK_LEAKS", "1")],
        );
        let stdout = text(&output.stdout);
        assert_eq!(
            output.status.code(),
            Some(0),
            "{stdout}{}",
            text(&output.stderr)
        );
        assert_eq!(text(&output.stderr), "", "{name}");
        for part in parts {
            assert!(stdout.contains(part), "{part:?} is missing in:\n{stdout}");
        }
    }
}

#[test]
fn training_examples_learn() {
    if !available() {
        return;
    }
    for (arguments, part) in [
        (&["xor_pytorch.spl"][..], "accuracy 100%"),
        (
            &["mnist_classifier.spl", "--epochs=1", "--train=600"],
            "epoch 1/1: loss 2.",
        ),
        (
            &["cnn_digits.spl", "--epochs=2", "--train=600"],
            "epoch 2/2: loss 1.",
        ),
        (
            &["char_rnn.spl", "--epochs=2", "--length=20"],
            "epoch   2: loss 2.",
        ),
        (
            &["transformer_text.spl", "--steps=2", "--length=5"],
            "step    2: loss 3.",
        ),
        (
            &["load_from_pytorch.spl", "--epochs=1"],
            "outputs: equal to PyTorch's",
        ),
    ] {
        let program = format!("examples/torch/training/{}", arguments[0]);
        let arguments = [&["--device", "cpu", &program], &arguments[1..]].concat();
        let output = simple(&arguments, &[("SIMPLE_CHECK_LEAKS", "1")]);
        let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
        assert_eq!(output.status.code(), Some(0), "{stdout}{stderr}");
        assert_eq!(stderr, "", "{program}");
        assert!(stdout.contains(part), "{part:?} is missing in:\n{stdout}");
    }
}

#[test]
fn an_absent_device_is_said_once_and_the_program_goes_on() {
    if !available() {
        return;
    }
    let output = simple(
        &[
            "--device",
            "cuda:77",
            "examples/torch/basics/01_tensor_creation.spl",
        ],
        &[],
    );
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(0), "{stdout}{stderr}");
    assert_eq!(stderr.matches("cuda:77").count(), 1, "{stderr}");
    assert!(stdout.contains("because cuda:77 is not there"), "{stdout}");
}

#[test]
fn without_libtorch_the_example_says_so_and_ends_well() {
    let program = "examples/torch/basics/01_tensor_creation.spl";
    let output = simple(&[program], &[("LIBTORCH_PATH", "/nowhere")]);
    let stdout = text(&output.stdout);
    assert_eq!(
        output.status.code(),
        Some(0),
        "{stdout}{}",
        text(&output.stderr)
    );
    assert!(
        stdout.contains("PyTorch not available\n  Install PyTorch to run this example\n"),
        "{stdout}"
    );
}

#[test]
fn a_shape_mistake_names_the_reason_both_shapes_and_the_line() {
    if !available() {
        return;
    }
    let code = "use lib.torch.{TorchTensorWrapper}\n\
                fn main():\n    \
                    val a = TorchTensorWrapper.tensor_zeros([3, 4])\n    \
                    val b = TorchTensorWrapper.tensor_zeros([5, 6])\n    \
                    val c = a.matmul(b.handle)\n    \
                    print c.shape()\n";
    let (status, _, stderr) = run(code);
    assert_eq!(status, Some(1), "{stderr}");
    for part in [
        "[3, 4]",
        "[5, 6]",
        "E0504",
        "the inner dimensions are 4 and 5",
        "<code>:5:",
    ] {
        assert!(stderr.contains(part), "{part:?} is missing in:\n{stderr}");
    }
    assert!(
        !stderr.contains("Exception raised from") && !stderr.contains("frame #"),
        "{stderr}"
    );
    assert!(!stderr.contains("leak:"), "{stderr}");
}

#[test]
fn the_specs_of_the_library_hold() {
    if !available() {
        return;
    }
    let output = simple(
        &[
            "test",
            "lib/tensor",
            "lib/torch",
            "lib/nn",
            "lib/optim",
            "lib/training",
            // Native functions beside libtorch's.
            "lib/native/beside_spec.spl",
            "lib/native/beside_integers_spec.spl",
            "lib/native/beside_networks_spec.spl",
            "lib/native/beside_reduce_spec.spl",
            "lib/native/grad/corner_spec.spl",
        ],
        &[("SIMPLE_DL_DEVICE", "cpu")],
    );
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(0), "{stdout}{stderr}");
}

#[test]
fn bad_handles_are_errors_at_their_line() {
    if !available() {
        return;
    }
    let declarations = "extern fn rt_torch_tensor_zeros(dims: [i64]) -> i64\n\
                        extern fn rt_torch_torchtensor_ndim(tensor: i64) -> i64\n\
                        extern fn rt_torch_torchtensor_free(tensor: i64)\n";
    let zeros = "val h = rt_torch_tensor_zeros([2])\n";
    let free = "rt_torch_torchtensor_free(h)\n";
    fails(
        &format!("{declarations}print rt_torch_torchtensor_ndim(123456789)\n"),
        4,
        &["handle"],
    );
    fails(
        &format!("{declarations}print rt_torch_torchtensor_ndim(0)\n"),
        4,
        &["handle"],
    );
    fails(
        &format!("{declarations}print rt_torch_torchtensor_ndim(-1)\n"),
        4,
        &["handle"],
    );
    fails(
        &format!("{declarations}{zeros}{free}print rt_torch_torchtensor_ndim(h)\n"),
        6,
        &["freed"],
    );
    fails(&format!("{declarations}{zeros}{free}{free}"), 6, &["freed"]);
}

#[test]
fn a_handle_that_is_never_freed_is_reported() {
    if !available() {
        return;
    }
    let code =
        "extern fn rt_torch_tensor_zeros(dims: [i64]) -> i64\nval h = rt_torch_tensor_zeros([2])\n";
    let (status, _, stderr) = run(code);
    assert_eq!(status, Some(1), "{stderr}");
    assert!(
        stderr.contains("leak:") && stderr.contains("libsimple_torch"),
        "{stderr}"
    );
}

#[test]
fn tensors_of_a_loop_are_freed_at_once() {
    if !available() {
        return;
    }
    // One MB each: 262,144 elements of four bytes. Two thousand of them would be 2 GB if any were kept.
    let code = "use lib.torch.{TorchTensorWrapper}\nuse std.io.{file_read}\n\
                fn peak() -> i64:\n    \
                    val status = file_read(\"/proc/self/status\")\n    \
                    val at = status.find(\"VmHWM:\") ?? 0\n    \
                    int(status[at + 6:])\n\
                fn turn(n: i64):\n    \
                    for i in 0..n:\n        \
                        val t = TorchTensorWrapper.tensor_zeros([262144])\n        \
                        if t.numel() != 262144: panic(\"wrong size\")\n\
                fn main():\n    \
                    turn(1)\n    \
                    val before = peak()\n    \
                    turn(2000)\n    \
                    print peak() - before < 20480\n";
    let (status, stdout, stderr) = run(code);
    assert_eq!((status, stdout.as_str()), (Some(0), "true\n"), "{stderr}");
}

#[test]
fn graphs_are_freed_with_and_without_a_backward_and_after_errors() {
    if !available() {
        return;
    }
    // A turn makes several MB that the graph keeps. Five hundred graphs would be more than 2 GB if any were kept.
    let code = "use lib.torch.{Tensor}\nuse std.io.{file_read}\n\
                fn peak() -> i64:\n    \
                    val status = file_read(\"/proc/self/status\")\n    \
                    val at = status.find(\"VmHWM:\") ?? 0\n    \
                    int(status[at + 6:])\n\
                fn turn(w: Tensor, bad: Tensor, n: i64) -> i64:\n    \
                    var caught = 0\n    \
                    for i in 0..n:\n        \
                        val y = ((w * 2.0).exp().sin() * w).sum()\n        \
                        if i % 10 == 0: y.backward()\n        \
                        if i % 3 == 0:\n            \
                            try: print ((w * 3.0).exp() @ bad).shape()\n            \
                            catch e: caught += 1\n    \
                    caught\n\
                fn main():\n    \
                    val w = Tensor.zeros([512, 512]).requires_grad_()\n    \
                    val bad = Tensor.zeros([int(\"3\"), 3])\n    \
                    turn(w, bad, 20)\n    \
                    val before = peak()\n    \
                    print turn(w, bad, 500), peak() - before < 20480\n";
    let (status, stdout, stderr) = run(code);
    assert_eq!(
        (status, stdout.as_str()),
        (Some(0), "167 true\n"),
        "{stderr}"
    );
}

#[test]
fn mistakes_that_show_when_a_program_runs_say_what_to_do() {
    if !available() {
        return;
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/torch_programs");
    golden_programs::check(&folder, 1, || {
        let mut command = command();
        command
            .args(["--device", "cpu"])
            .env("SIMPLE_CHECK_LEAKS", "1");
        command
    });
}

/// What they print is what their twins in Python print (`examples/torch/tutorials/twins`).
#[test]
fn the_tutorials_print_what_pytorch_prints() {
    if !available() {
        return;
    }
    let folder = library_home().join("examples/torch/tutorials");
    golden_programs::check(&folder, 0, || {
        let mut command = command();
        // The twins ran on one thread: with more of them sums have another order, and training other digits.
        command
            .args(["--device", "cpu"])
            .env("OMP_NUM_THREADS", "1");
        command
    });
}

#[test]
fn the_programs_for_users_of_pytorch_do_what_the_page_says() {
    if !available() {
        return;
    }
    let page = std::fs::read_to_string(library_home().join("doc/from_pytorch.md"))
        .expect("the page for users of PyTorch");
    let programs: Vec<&str> = page
        .split("```simple:check\n")
        .skip(1)
        .filter_map(|rest| rest.split("```").next())
        .collect();
    assert!(programs.len() >= 2, "no programs in the page");
    for program in programs {
        let (status, stdout, stderr) = run(program);
        assert_eq!(
            (status, stdout.as_str(), stderr.as_str()),
            (Some(0), "", ""),
            "{program}"
        );
    }
}

/// A training run of 400 steps that saves itself every 10 steps into a separate file.
struct TrainingRun {
    checkpoint: PathBuf,
}

impl TrainingRun {
    fn new(folder: &Path, name: &str) -> TrainingRun {
        let checkpoint = folder.join(format!("{name}.safetensors"));
        TrainingRun { checkpoint }
    }

    fn start(&self) -> Child {
        command()
            .args(["--device", "cpu", "lib/torch/fixtures/resume.spl"])
            .arg(&self.checkpoint)
            .current_dir(library_home())
            // Its products are so small that more threads only wait for each other.
            .env("OMP_NUM_THREADS", "1")
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program under test starts")
    }

    /// What the run prints, and how many steps it took to its end.
    fn finish(&self) -> (String, u32) {
        let output = self.start().wait_with_output().expect("the run ends");
        let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
        assert_eq!(output.status.code(), Some(0), "{stdout}{stderr}");
        let steps = stderr.trim().parse();
        (stdout, steps.unwrap_or_else(|_| panic!("{stderr}")))
    }

    /// Whether the process has a file open in the folder of the checkpoint, which is one that it writes: such a file has no name,
    /// or one that cannot be guessed.
    fn writes(&self, process: u32) -> bool {
        let folder = self.checkpoint.parent().expect("a folder");
        let open = std::fs::read_dir(format!("/proc/{process}/fd"));
        open.into_iter().flatten().flatten().any(|file| {
            std::fs::read_link(file.path())
                .is_ok_and(|target| target.starts_with(folder) && target != self.checkpoint)
        })
    }

    /// Kills the run after so many saves, or, if `within`, when it then begins to write the next file.
    fn kill(&self, saves: u32, within: bool) {
        let mut run = self.start();
        let (mut seen, mut last) = (0, None);
        while seen < saves || within && !self.writes(run.id()) {
            let saved = std::fs::metadata(&self.checkpoint).and_then(|file| file.modified());
            if let Ok(time) = saved
                && last.replace(time) != Some(time)
            {
                seen += 1;
            }
            let ended = run.try_wait().expect("ask whether the run has ended");
            assert_eq!(ended, None, "the run ended before it could be killed");
            std::thread::sleep(Duration::from_micros(100));
        }
        run.kill().expect("kill the run");
        run.wait().expect("the run ends");
    }
}

/// More instants, drawn at random: `lib/torch/fixtures/check_resume.py`.
#[test]
fn a_training_run_that_is_killed_goes_on_with_the_same_numbers() {
    if !available() {
        return;
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("killed_training");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("make a folder");
    let (expected, steps) = TrainingRun::new(&folder, "whole").finish();
    assert_eq!((steps, expected.lines().count()), (400, 14), "{expected}");
    for (saves, within) in [(1, false), (4, false), (8, true)] {
        let run = TrainingRun::new(&folder, &format!("killed_after_{saves}"));
        run.kill(saves, within);
        let (found, steps) = run.finish();
        assert_eq!(found, expected, "killed after {saves} saves");
        // Files may be replaced faster than they are looked at, so that it was killed later; never earlier.
        assert!(
            steps <= 400 - 10 * saves,
            "{steps} steps after {saves} saves"
        );
    }
    std::fs::remove_dir_all(&folder).expect("remove the folder");
}

#[test]
fn memory_stays_as_it_is_while_a_network_trains() {
    if !available() || !Path::new("/proc/self/status").exists() {
        return;
    }
    let program = "ffi/torch/benches/steps/memory.spl";
    let output = simple(
        &["--device", "cpu", program, "2000", "12000"],
        &[("SIMPLE_CHECK_LEAKS", "1")],
    );
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(0), "{stdout}{stderr}");
    let own: Vec<i64> = stdout
        .lines()
        .filter_map(|line| line.strip_suffix(" KiB its own")?.rsplit(' ').next())
        .map(|number| number.parse().expect("a number of KiB"))
        .collect();
    // One tensor without elements kept in each step would be more than 2,000 KiB.
    assert!(own.len() == 2 && own[1] - own[0] < 512, "{stdout}");
}

/// Compiles a program that computes with libtorch, in a folder of its own.
fn executable(code: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("program.spl"), code).expect("the program");
    let mut compile = command();
    compile
        .args(["compile", "program.spl"])
        .current_dir(folder.path());
    let output = compile.output().expect("simple starts");
    assert!(output.status.success(), "{}", text(&output.stderr));
    let executable = folder.path().join("program");
    (folder, executable)
}

/// The torch library is in the executable, which finds a libtorch where it is told or beside itself.
#[test]
fn an_executable_computes_with_the_libtorch_that_it_finds() {
    if !available() {
        return;
    }
    let code = "use lib.torch.{Tensor}\nuse std.env.{args}\n\
                fn main():\n    val x = Tensor.ones([args().len() + 2, 3])\n    print x.sum().item()\n    print x @ x\n";
    let (folder, executable) = executable(code);
    let libtorch = PathBuf::from(std::env::var_os("SIMPLE_LIBTORCH_DIR").expect("its folder"));
    let root = libtorch.parent().expect("the folder above lib");
    let alone = || {
        let mut command = Command::new(&executable);
        let variables = [
            ("HOME", folder.path()),
            ("SIMPLE_DL_DEVICE", Path::new("cpu")),
        ];
        command
            .env_clear()
            .envs(variables)
            .current_dir(folder.path());
        command
    };
    let told = alone()
        .env("LIBTORCH_PATH", root)
        .output()
        .expect("it starts");
    let shown = text(&told.stderr);
    assert!(text(&told.stdout).starts_with("6.0\n"), "{shown}");
    assert!(
        shown.contains("program.spl:6:11 in main") && shown.contains("[2, 3]"),
        "{shown}"
    );
    let none = alone().output().expect("it starts");
    let shown = text(&none.stderr);
    assert!(
        shown.contains("no libtorch was found") && shown.contains("LIBTORCH_PATH"),
        "{shown}"
    );
    assert_eq!(none.status.code(), Some(1));
    std::os::unix::fs::symlink(root, folder.path().join("libtorch")).expect("a link");
    let beside = alone().output().expect("it starts");
    assert_eq!(
        (text(&beside.stdout), text(&beside.stderr)),
        (text(&told.stdout), text(&told.stderr))
    );
}
