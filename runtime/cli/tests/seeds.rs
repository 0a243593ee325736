//! The commands that `doc/internals/seeds.md` and `doc/train.md` show are run as they stand there, in a folder that has
//! the examples.
//!
//! Here is for each command what is added to it so that it takes a moment, and what it must say. A command on a page
//! that is not here, or one here that is on no page, is an error. The programs on these pages are run by `documents`.
//! Tensors are computed by what is there; without a GPU the commands that name one fall back to the CPU.

mod simple_in;

use simple_in::{home, said, simple_in};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// A command, what is added to it, and what it says.
type Run = (&'static str, &'static [&'static str], &'static str);

/// What a small training is.
const SMALL: &[&str] = &["trainer.max_epochs=1", "data.limit=200"];

/// A small puzzle.
const PUZZLE: &[&str] = &[
    "--num-iterations",
    "1",
    "--hidden-dim",
    "16",
    "--num-recursive-steps",
    "1",
    "--batch-size",
    "8",
    "--trajectories-per-env",
    "1",
    "--num-puzzles",
    "5",
];

/// The commands of `doc/internals/seeds.md`.
const SEEDS: &[Run] = &[
    ("bin/simple program.spl", &[], "a program"),
    ("bin/simple doctor", &[], "tensors"),
    ("bin/simple device", &[], "platform"),
    (
        "bin/simple --profile examples/network/memory_and_sections.spl",
        &[],
        "self",
    ),
    (
        "bin/simple examples/rl/train_cartpole.spl",
        &["--total-steps", "3000", "--num-envs", "8"],
        "20 episodes without chance",
    ),
    (
        "bin/simple examples/rl/train_cartpole.spl --num-envs 64",
        &["--total-steps", "3000"],
        "20 episodes without chance",
    ),
    (
        "bin/simple examples/rl/train_puzzle.spl --num-puzzles 20 --multi-color",
        PUZZLE,
        "5 puzzles of 4 x 4",
    ),
    (
        "bin/simple examples/rl/train_puzzle.spl --no-gpu --num-puzzles 20",
        PUZZLE,
        "5 puzzles of 4 x 4",
    ),
    (
        "bin/simple examples/rl/train_puzzle.spl --device cuda --num-puzzles 20",
        PUZZLE,
        "5 puzzles of 4 x 4",
    ),
    (
        "bin/simple examples/rl/train_puzzle.spl --device mps --num-puzzles 20",
        PUZZLE,
        "5 puzzles of 4 x 4",
    ),
    (
        "bin/simple examples/rl/train_puzzle.spl --device cpu --num-puzzles 20",
        PUZZLE,
        "5 puzzles of 4 x 4",
    ),
    (
        "bin/simple examples/rl/train_puzzle.spl --batch-size 32 --hidden-dim 128 --num-recursive-steps 2 --trajectories-per-env 5",
        PUZZLE,
        "5 puzzles of 4 x 4",
    ),
    (
        "bin/simple examples/rl/train_puzzle.spl --no-gpu --num-puzzles 5 --num-iterations 10 --hidden-dim 64",
        PUZZLE,
        "5 puzzles of 4 x 4",
    ),
    (
        "bin/simple examples/rl/train_puzzle.spl --num-puzzles 20 --multi-color --num-iterations 1000 --hidden-dim 512 --num-recursive-steps 5 --batch-size 128 --trajectories-per-env 20",
        PUZZLE,
        "5 puzzles of 4 x 4",
    ),
    (
        "bin/simple examples/rl/train_puzzle.spl --num-puzzles 50 --multi-color --num-iterations 10000 --hidden-dim 1024 --num-recursive-steps 7 --batch-size 256 --trajectories-per-env 50 --device cuda",
        PUZZLE,
        "5 puzzles of 4 x 4",
    ),
    (
        "bin/simple examples/rl/bench_puzzle.spl",
        &[],
        "forward passes a second",
    ),
    (
        "bin/simple train --debug-cuda examples/network/conf/train.sdn +hardware=rtx3060_12gb_i5_16core batch_size=4",
        SMALL,
        "epoch 1/1: loss ",
    ),
    (
        "DEBUG_CUDA=1 bin/simple train examples/network/conf/train.sdn +hardware=rtx3060_12gb_i5_16core batch_size=4",
        SMALL,
        "batch_size = 4 ",
    ),
    (
        "bin/simple train examples/network/conf/train.sdn runtime.debug_cuda=true",
        SMALL,
        "runtime.debug_cuda = true",
    ),
    (
        "CUDA_LAUNCH_BLOCKING=1 TORCH_USE_CUDA_DSA=1 bin/simple train examples/network/conf/train.sdn +hardware=rtx3060_12gb_i5_16core batch_size=4",
        SMALL,
        "epoch 1/1: loss ",
    ),
    (
        "bin/simple train examples/network/conf/train.sdn +hardware=rtx3060_12gb_i5_16core batch_size=2",
        SMALL,
        "batch_size = 2 ",
    ),
    (
        "bin/simple train examples/network/conf/train.sdn +hardware=rtx3060_12gb_i5_16core batch_size=2 trainer.accumulate_grad_batches=4",
        SMALL,
        "trainer.accumulate_grad_batches = 4 ",
    ),
    (
        "bin/simple examples/torch/basics/01_tensor_creation.spl",
        &[],
        "PyTorch Tensor Creation",
    ),
    (
        "bin/simple examples/torch/basics/02_tensor_operations.spl",
        &[],
        "PyTorch Tensor Operations",
    ),
    (
        "bin/simple examples/torch/basics/03_device_selection.spl",
        &[],
        "PyTorch Device Selection",
    ),
    (
        "bin/simple examples/torch/training/xor_pytorch.spl",
        &[],
        "accuracy 100%",
    ),
    (
        "bin/simple examples/torch/training/mnist_classifier.spl",
        &["--epochs=1", "--train=300"],
        "epoch 1/1: loss ",
    ),
    (
        "bin/simple --debug-cuda examples/network/quick_start.spl",
        &[],
        "Available GPUs: ",
    ),
    (
        "SIMPLE_KERNEL_DEBUG=1 bin/simple examples/kernels/custom_activation.spl",
        &[],
        "kernel",
    ),
    (
        "bin/simple --device=cpu examples/network/quick_start.spl",
        &[],
        "a sum computed on ",
    ),
    ("bin/simple examples/network/digits.spl", &[], "Test: loss "),
    (
        "bin/simple examples/network/memory_and_sections.spl",
        &[],
        "matrix_multiply",
    ),
];

/// Commands of `doc/internals/seeds.md` that build or fetch, which tests of the launcher and of set-up do with
/// stand-ins.
const BUILDS: &[&str] = &[
    "bin/simple build",
    "bin/simple build --cuda",
    "bin/simple build --release",
];

/// The commands of `doc/train.md`, in its order.
const TRAIN: &[Run] = &[
    (
        "bin/simple train examples/network/conf/train.sdn",
        SMALL,
        "epoch 1/1: loss ",
    ),
    (
        "bin/simple train examples/network/conf/train.sdn +hardware=cpu_2core batch_size=16 trainer.accumulate_grad_batches=4",
        SMALL,
        "batch_size = 16                      `batch_size=16`",
    ),
    (
        "bin/simple train examples/network/conf/train.sdn model=conv lr=0.01 run.name=first trainer.max_epochs=3",
        &["data.limit=200"],
        "runs/first: 3 epochs",
    ),
    (
        "bin/simple train --resume runs/first trainer.max_epochs=6",
        &[],
        "epoch 6/6: loss ",
    ),
    (
        "bin/simple train examples/network/conf/train.sdn --sweep lr=0.01,0.003 model.hidden=32,64",
        SMALL,
        "best by val_loss: runs/",
    ),
    (
        "bin/simple train examples/network/conf/train.sdn model=lstm",
        SMALL,
        "LSTM(units: 32",
    ),
    (
        "bin/simple train examples/network/conf/table.sdn data.path=houses.csv data.target=price --dry-run",
        &[],
        "4 examples of shape [2]",
    ),
    (
        "bin/simple train runs/first/config.sdn run.name=again",
        &["trainer.max_epochs=1"],
        "run runs/again",
    ),
    (
        "bin/simple train examples/network/conf/spirals.sdn",
        &["trainer.max_epochs=1"],
        "epoch 1/1: loss ",
    ),
    (
        "bin/simple train examples/network/conf/spirals.sdn data.turns=1.5 lr=0.01 --show",
        &[],
        "data.turns = 1.5 ",
    ),
    (
        "bin/simple train examples/network/conf/spirals.sdn --sweep model.width=8,32 lr=0.01,0.03 trainer.max_epochs=20",
        &["trainer.max_epochs=1"],
        "best by val_loss: runs/",
    ),
    (
        "bin/simple examples/network/spirals.spl --help",
        &[],
        "data.turns=1.0",
    ),
];

/// The commands that a page shows: lines of blocks tagged `sh`, and what is between backticks.
fn commands_of(page: &str) -> Vec<String> {
    let text = fs::read_to_string(home().join("doc").join(page)).expect("the page");
    let mut found = Vec::new();
    let mut block: Option<bool> = None;
    for line in text.lines() {
        if let Some(tag) = line.strip_prefix("```") {
            block = match block {
                Some(_) => None,
                None => Some(tag == "sh"),
            };
            continue;
        }
        let candidates: Vec<&str> = match block {
            Some(true) => vec![line],
            Some(false) => continue,
            None => line.split('`').skip(1).step_by(2).collect(),
        };
        for candidate in candidates {
            let mut words = candidate.split(' ').skip_while(|word| is_variable(word));
            if words.next() == Some("bin/simple") && !found.contains(&candidate.to_owned()) {
                found.push(candidate.to_owned());
            }
        }
    }
    found
}

/// Whether a word sets a variable for the command after it.
fn is_variable(word: &str) -> bool {
    word.split_once('=')
        .is_some_and(|(name, _)| name.chars().all(|c| c.is_ascii_uppercase() || c == '_'))
}

/// A folder with the examples, and the files that the pages speak of.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let examples = folder.path().join("examples");
    #[cfg(unix)]
    std::os::unix::fs::symlink(home().join("examples"), examples).expect("a link");
    let write = |name: &str, text: &str| {
        fs::write(folder.path().join(name), text).expect("written");
    };
    write("program.spl", "print \"a program\"\n");
    write(
        "houses.csv",
        "rooms,price,age\n3,120,10\n4,150,3\n2,80,40\n5,210,1\n",
    );
    folder
}

/// Runs a command; what is wrong with what it says.
fn problem(folder: &Path, (command, more, wanted): &Run) -> Option<String> {
    let words: Vec<&str> = command.split(' ').collect();
    let (variables, words) =
        words.split_at(words.iter().take_while(|word| is_variable(word)).count());
    let variables: Vec<(&str, &str)> = variables
        .iter()
        .filter_map(|word| word.split_once('='))
        .collect();
    let output = simple_in(folder, &[&words[1..], *more].concat(), &variables);
    let told = said(&output);
    // What keeps a device from being used is not the command's mistake.
    let ended = output.status.success() || *command == "bin/simple doctor";
    (!ended || !told.contains(wanted)).then(|| {
        format!(
            "{command} {}: {wanted:?} is missing in\n{told}",
            more.join(" ")
        )
    })
}

fn check(page: &str, runs: &[Run], left_out: &[&str]) {
    let shown: BTreeSet<String> = commands_of(page).into_iter().collect();
    let known: BTreeSet<String> = runs
        .iter()
        .map(|run| run.0)
        .chain(left_out.iter().copied())
        .map(str::to_owned)
        .collect();
    let untested: Vec<&String> = shown.difference(&known).collect();
    let gone: Vec<&String> = known.difference(&shown).collect();
    assert!(
        untested.is_empty() && gone.is_empty(),
        "doc/{page} shows commands that this test does not run: {untested:#?}\nand does not show: {gone:#?}"
    );
    let folder = folder();
    let problems: Vec<String> = runs
        .iter()
        .filter_map(|run| problem(folder.path(), run))
        .collect();
    assert!(problems.is_empty(), "{}", problems.join("\n\n"));
}

#[test]
#[cfg(unix)]
fn the_commands_of_the_guides_run() {
    check("internals/seeds.md", SEEDS, BUILDS);
}

#[test]
#[cfg(unix)]
fn the_commands_of_the_page_about_training_run() {
    check("train.md", TRAIN, &[]);
}
