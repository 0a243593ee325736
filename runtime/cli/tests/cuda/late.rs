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
