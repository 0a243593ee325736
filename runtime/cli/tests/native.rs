//! Programs on native tensors, and a third backend.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The folder of the repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// What a program prints that runs in `folder`, with no configuration but that of the folder.
fn printed(folder: &Path, program: &Path, words: &[&str]) -> String {
    let program = program.to_str().expect("a path");
    printed_by(folder, &[words, &[program]].concat())
}

/// What the command prints with these words.
fn printed_by(folder: &Path, words: &[&str]) -> String {
    let home = tempfile::tempdir().expect("make a folder");
    let output = Command::new(env!("CARGO_BIN_EXE_simple"))
        .current_dir(folder)
        .args(words)
        .env("SIMPLE_HOME", root())
        .env("HOME", home.path())
        .env("XDG_CACHE_HOME", home.path())
        .env("SIMPLE_NO_SETUP", "1")
        .env_remove("LIBTORCH_PATH")
        .env_remove("SIMPLE_TORCH_LIBRARY")
        .env_remove("SIMPLE_DL_BACKEND")
        .env_remove("SIMPLE_DL_DEVICE")
        .output()
        .expect("simple starts");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn xor_is_learned_natively_with_the_losses_of_libtorch() {
    let program = root().join("examples/torch/training/xor_pytorch.spl");
    let shown = printed(
        &std::env::temp_dir(),
        &std::fs::canonicalize(program).expect("the example"),
        &["--backend", "native"],
    );
    for line in [
        "  epoch   1: loss 0.249631",
        "  epoch 100: loss 0.000008",
        "  epoch 500: loss 0.000005",
        "  final loss 0.000005, accuracy 100%",
    ] {
        assert!(
            shown.lines().any(|found| found == line),
            "{line}\n---\n{shown}"
        );
    }
}

/// The numbers of a line.
fn numbers(line: &str) -> Vec<f64> {
    let words = line.split(' ');
    words.map(|word| word.parse().expect("a number")).collect()
}

#[test]
fn the_same_seed_gives_the_weights_and_losses_of_pytorch() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/native");
    let expected = std::fs::read_to_string(folder.join("losses.txt")).expect("the fixture");
    let shown = printed(&folder, Path::new("losses.spl"), &["--backend", "native"]);
    let (mut shown, mut expected) = (shown.lines(), expected.lines());
    let first = |line: Option<&str>| numbers(line.expect("the weights"));
    assert_eq!(first(shown.next()), first(expected.next()));
    let (shown, expected): (Vec<f64>, Vec<f64>) = (
        shown.flat_map(numbers).collect(),
        expected.flat_map(numbers).collect(),
    );
    assert_eq!((shown.len(), expected.len()), (500, 500));
    for (epoch, (ours, theirs)) in shown.iter().zip(&expected).enumerate() {
        assert!(
            (ours - theirs).abs() <= 1e-5,
            "epoch {epoch}: {ours}, but {theirs} in PyTorch"
        );
    }
}

#[test]
fn the_examples_without_libtorch_learn() {
    for (name, lines) in [
        ("xor.spl", &["accuracy 100%"][..]),
        (
            "digits.spl",
            &["6570 parameters; 1497 digits to learn from, 300 to test with"],
        ),
        (
            "cnn.spl",
            &["1914 parameters; 1497 digits to learn from, 300 to test with"],
        ),
        (
            "char_lstm.spl",
            &["One, two, buckle my shoe; three, four, knock at the door; \
               five, six, pick up sticks; seven, eight, lay them straight."],
        ),
    ] {
        let program = root().join("examples/pure").join(name);
        let program = std::fs::canonicalize(program).expect("the example");
        let shown = printed(&std::env::temp_dir(), &program, &[]);
        for line in lines {
            assert!(
                shown.lines().any(|found| found == *line),
                "{name}: {line}\n---\n{shown}"
            );
        }
        // The last line of both ends in the share of digits that were read well.
        if let "digits.spl" | "cnn.spl" = name {
            let share = shown.trim_end().rsplit(' ').next().expect("a word");
            let percent: f64 = share.trim_end_matches('%').parse().expect("a number");
            assert!(percent > 95.0, "{name}: {shown}");
        }
    }
}

/// What the programs of `examples/rl` print when they learn for a moment.
#[test]
fn the_programs_of_reinforcement_learning_run_natively() {
    for (name, words, wanted) in [
        (
            "train_cartpole.spl",
            &["--num-envs", "16", "--total-steps", "5000"][..],
            "not solved after 5120 steps",
        ),
        (
            "train_puzzle.spl",
            &[
                "--no-gpu",
                "--num-puzzles",
                "5",
                "--num-iterations",
                "3",
                "--hidden-dim",
                "32",
                "--multi-color",
            ][..],
            "5 puzzles of 4 x 4, 3840 moves to learn from",
        ),
        ("bench_puzzle.spl", &[][..], "forward passes a second"),
        (
            "train_dqn.spl",
            &["--total-steps", "2000"][..],
            "not solved after 2048 steps",
        ),
        (
            "train_pendulum.spl",
            &["--total-steps", "600"][..],
            "20 episodes without chance",
        ),
        (
            "train_pendulum.spl",
            &["--agent", "td3", "--hidden", "16", "--total-steps", "600"][..],
            "20 episodes without chance",
        ),
        (
            "train_lander.spl",
            &["--total-steps", "1500"][..],
            "20 other episodes without chance",
        ),
        ("bench_envs.spl", &["8", "100"][..], "CartPoles of 8: "),
    ] {
        let program = root().join("examples/rl").join(name);
        let program = std::fs::canonicalize(program).expect("the example");
        let (path, words) = (program.to_str().expect("a path"), words.iter().copied());
        let command: Vec<&str> = ["--backend", "native", path]
            .into_iter()
            .chain(words)
            .collect();
        let shown = printed_by(&std::env::temp_dir(), &command);
        assert!(shown.contains(wanted), "{name}: {wanted}\n---\n{shown}");
    }
}

/// A film of an episode, and a kernel: in OpenCL where it is there, else by tensors.
#[test]
fn a_film_is_written_and_a_kernel_is_tried() {
    let folder = tempfile::tempdir().expect("make a folder");
    let run = |example: &str, words: &[&str]| {
        let program = std::fs::canonicalize(root().join("examples").join(example)).expect(example);
        let path = program.to_str().expect("a path");
        printed_by(
            folder.path(),
            &[&["--backend", "native", path], words].concat(),
        )
    };
    let shown = run("rl/record.spl", &["--env", "cartpole", "--out", "film"]);
    assert!(shown.contains("wrote film.gif and film.svg"), "{shown}");
    let film = std::fs::read(folder.path().join("film.gif")).expect("a film");
    assert!(film.starts_with(b"GIF89a") && film.ends_with(b";"));
    let shown = run("kernels/custom_activation.spl", &[]);
    let computed = shown.contains("the largest difference from x * x + 1 of tensors: 0.0\n");
    assert!(
        computed || shown.contains("no kernel can run here: "),
        "{shown}"
    );
}

/// A step that kept 8 bytes would show: 19,000 of them are 150 KiB, and the bound is 128.
#[test]
#[cfg(target_os = "linux")]
fn the_memory_of_a_training_is_steady() {
    for program in ["steady.spl", "steady_capture.spl"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/native");
        let shown = printed(&std::env::temp_dir(), &path.join(program), &[]);
        let kib: Vec<i64> = shown
            .lines()
            .map(|line| line.parse().expect("a number"))
            .collect();
        let [early, late] = kib[..] else {
            panic!("{program}: two numbers were expected: {shown}")
        };
        assert!(
            late - early <= 128,
            "{program}: {early} KiB, then {late} KiB"
        );
    }
}

/// The specs that know no backend, which run on libtorch where it is there, on native tensors: one suite for both.
#[test]
fn the_specs_of_every_backend_hold_on_native_tensors() {
    let home = tempfile::tempdir().expect("make a folder");
    let output = Command::new(env!("CARGO_BIN_EXE_simple"))
        .current_dir(root())
        .args(["test", "lib/tensor", "lib/nn", "lib/optim", "lib/training"])
        .args(["lib/data", "lib/save", "lib/compat", "lib/rl", "lib/native"])
        .env("SIMPLE_HOME", root())
        .env("HOME", home.path())
        .env("XDG_CACHE_HOME", home.path())
        .env("SIMPLE_NO_SETUP", "1")
        .env("SIMPLE_DL_BACKEND", "native")
        .env("SIMPLE_DL_DEVICE", "cpu")
        .env_remove("LIBTORCH_PATH")
        .env_remove("SIMPLE_TORCH_LIBRARY")
        .output()
        .expect("simple starts");
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && told.contains(" passed, 0 failed"),
        "{told}{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// What only recording needs is not compiled for a program that captures nothing.
#[test]
fn a_program_without_captured_steps_has_no_code_for_recording() {
    let folder = tempfile::tempdir().expect("make a folder");
    let listed = |code: &str| {
        let program = folder.path().join("a.spl");
        std::fs::write(&program, code).expect("write a program");
        printed(folder.path(), &program, &["--emit", "mir"])
    };
    let plain = "#![backend(native)]\nuse lib.tensor.{Tensor}\nprint (Tensor.ones([2]) + 1.0).relu().sum()\n";
    let captured = format!(
        "{plain}use lib.tensor.{{capture}}\nval step = capture(\\x: Tensor: x.relu())\nprint step(Tensor.ones([2]))\n"
    );
    assert!(!listed(plain).contains(" planned("));
    assert!(listed(&captured).contains(" planned("));
}

#[test]
fn a_third_backend_is_short_and_counts_what_is_called() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/third_backend");
    let recorder = std::fs::read_to_string(folder.join("tests/recorder.spl")).expect("a file");
    assert!(recorder.lines().count() < 240);
    let shown = printed(&folder, Path::new("program.spl"), &[]);
    assert_eq!(
        shown,
        "tensor([[29.5562, 29.5562],\n        [29.5562, 29.5562]])\n1 1 1 1\n"
    );
}

/// What the command says of a program on standard error.
fn said_of(program: &str, backend: &str) -> String {
    let folder = root().join("runtime/cli/tests/programs/pass");
    let home = tempfile::tempdir().expect("make a folder");
    let output = Command::new(env!("CARGO_BIN_EXE_simple"))
        .current_dir(folder)
        .args(["check", "--backend", backend, program])
        .env("SIMPLE_HOME", root())
        .env("XDG_CACHE_HOME", home.path())
        .env("SIMPLE_NO_SETUP", "1")
        .env_remove("SIMPLE_DL_BACKEND")
        .output()
        .expect("simple starts");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn captured_steps_are_warned_of_alike_on_both_backends() {
    for (program, code, count) in [
        ("captured_reads.spl", "warning[W0460]", 11),
        ("captured_variables.spl", "warning[W0461]", 7),
    ] {
        for backend in ["native", "torch"] {
            let said = said_of(program, backend);
            assert_eq!(said.matches(code).count(), count, "{backend}: {said}");
        }
    }
}
