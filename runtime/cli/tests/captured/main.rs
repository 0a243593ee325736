//! Random training steps, captured beside the steps themselves: each is called thirty times, on libtorch, on native tensors and on a fake for
//! CUDA, and everything that the program can see must be the same text: results, gradients, parameters, state, errors.
//!
//! Steps have an optimizer or change parameters by hand; gradients are taken away and used inside, outside or added up; batches have several
//! sizes; there are blocks of autocast inside, around a call and around many; the program replaces tensors, freezes parameters, changes the
//! learning rate, holds losses over a call, and changes variables that the step asks (then W0461 names them). `step.rs` writes them.
//!
//! `CAPTURED_STEPS=1000` tries that many on each instead of the few of every test run, `CAPTURED_FROM=N` begins at step N. A program that finds a
//! difference is kept in the folder that the test names.

#[allow(dead_code, reason = "the tests of `cuda` use more of it")]
#[path = "../../../../ffi/torch/tests/fake_cuda/mod.rs"]
mod fake_cuda;
#[path = "../random/mod.rs"]
mod random;
mod step;

use std::fmt::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use step::{Place, Step};

/// How many steps every test run tries in each place.
const USUAL: u64 = 60;
/// How many are in one program.
const EACH: u64 = 20;

const HEAD: &str = r#"# Written by a test.
use lib.torch.{Tensor, cat, capture, manual_seed@}
use lib.nn.{mse_loss}
use lib.optim.{SGD, Adam, AdamW, Adagrad, RMSprop}

class Holder:
    mask: Tensor
    held: [Tensor] = []

fn input(turn: i64, rows: i64, width: i64) -> Tensor:
    # Whole numbers while most steps are recorded, so that no order of additions shows.
    val numbers = Tensor.arange(rows * width).to("f32")
    (if turn < 3: numbers % 3.0 else: (numbers * 0.37 + turn as f64 * 0.71).sin()).reshape([rows, width])

fn compared(number: i64, run: fn(bool) -> [text]):
    val (plain, captured) = (outcome(run, false), outcome(run, true))
    for i in 0..plain.len().max(captured.len()):
        val (a, b) = (if i < plain.len(): plain[i] else: "nothing", if i < captured.len(): captured[i] else: "nothing")
        if a != b:
            print "step {number} differs: {a}\n    captured: {b}"
            return
    print "step {number}: {plain.len()}"

fn outcome(run: fn(bool) -> [text], captured: bool) -> [text]:
    try: run(captured)
    catch problem: [problem.message]

"#;

fn number_from(name: &str, usual: u64) -> u64 {
    let set = std::env::var(name).ok();
    set.and_then(|text| text.parse().ok()).unwrap_or(usual)
}

/// Writes and runs one program; what differs, as text.
fn try_program(from: u64, count: u64, place: Place, folder: &Path) -> Result<(), String> {
    let more = match place {
        Place::Native => "",
        _ => ", autocast, clear_autocast_cache",
    };
    let mut code = HEAD.replace('@', more);
    let mut main = String::from("fn main():\n");
    let mut flags = Vec::new();
    for number in from..from + count {
        let step = Step::new(number, place);
        code += &step.code;
        code.push('\n');
        let _ = writeln!(main, "    compared({number}, run{number})");
        if step.is_warned_of {
            flags.push(format!("`flag{number}`"));
        }
    }
    code += &main;
    std::fs::create_dir_all(folder).expect("a writable folder");
    let program = folder.join("steps.spl");
    std::fs::write(&program, code).expect("a writable folder");
    let mut command = Command::new(env!("CARGO_BIN_EXE_simple"));
    command
        .arg(match place {
            Place::Native => "--backend=native",
            _ => "--backend=torch",
        })
        .arg(match place {
            Place::FakeCuda => "--device=cuda:0",
            _ => "--device=cpu",
        })
        .arg(&program)
        .current_dir(folder)
        .env(
            "SIMPLE_HOME",
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."),
        )
        .env("SIMPLE_CHECK_LEAKS", "1")
        .env_remove("SIMPLE_DL_DEVICE")
        .env_remove("CUDA_VISIBLE_DEVICES")
        .stdin(Stdio::null());
    if place == Place::FakeCuda {
        let real = std::env::var_os("SIMPLE_LIBTORCH_DIR").expect("asked before");
        let root = fake_cuda::libtorch(Path::new(&real), Path::new(env!("CARGO_TARGET_TMPDIR")));
        command
            .env("LIBTORCH_PATH", root)
            .env("LD_LIBRARY_PATH", fake_cuda::lib(root));
    }
    let output = command.output().expect("simple starts");
    let (said, errors) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    let mut wrong = String::new();
    if !output.status.success() {
        let _ = writeln!(wrong, "{}\n{errors}", output.status);
    }
    for line in said
        .lines()
        .filter(|line| line.contains("differs") || line.starts_with(' '))
    {
        let _ = writeln!(wrong, "{line}");
    }
    if said.lines().count() as u64 != count && wrong.is_empty() {
        let _ = writeln!(wrong, "{said}{errors}");
    }
    for flag in flags {
        if !errors.contains(&format!("does not see that {flag} changes")) {
            let _ = writeln!(wrong, "no warning of {flag}");
        }
    }
    match wrong.is_empty() {
        true => Ok(()),
        false => Err(wrong),
    }
}

fn try_all(place: Place) {
    if place != Place::Native && std::env::var_os("SIMPLE_LIBTORCH_DIR").is_none() {
        println!("left out: there is no torch library; `bin/simple build test` builds one");
        return;
    }
    let (from, count) = (
        number_from("CAPTURED_FROM", 0),
        number_from("CAPTURED_STEPS", USUAL),
    );
    let home = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("captured-{place:?}-{from}"));
    let mut found = Vec::new();
    for first in (from..from + count).step_by(EACH as usize) {
        let folder = home.join(first.to_string());
        match try_program(first, EACH.min(from + count - first), place, &folder) {
            Ok(()) => std::fs::remove_dir_all(&folder).expect("a folder that can be removed"),
            Err(difference) => {
                let shown: String = difference
                    .lines()
                    .take(40)
                    .map(|line| format!("{}\n", line.chars().take(300).collect::<String>()))
                    .collect();
                eprintln!("{}:\n{shown}", folder.display());
                found.push(folder);
            }
        }
    }
    assert!(
        found.is_empty(),
        "{} programs of {EACH} steps differ: {found:?}",
        found.len()
    );
}

#[test]
fn captured_steps_on_libtorch_are_the_steps_themselves() {
    try_all(Place::Libtorch);
}

#[test]
fn captured_steps_on_native_tensors_are_the_steps_themselves() {
    try_all(Place::Native);
}

#[test]
fn captured_steps_on_cuda_are_the_steps_themselves() {
    try_all(Place::FakeCuda);
}
