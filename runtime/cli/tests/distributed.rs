//! Programs in several processes on this machine: `simple run --nproc N`, what the ranks send each other, gradients
//! averaged over them, and what happens when one fails.
//!
//! Programs are in the folder `distributed`. They need the torch library, as `torch.rs` says; without it each test
//! says that it is left out. `distributed/ddp.txt` has what PyTorch computes on two processes; whether the digits are
//! the same to the bit depends on the machine's instructions and on the release of libtorch, so the test also takes
//! what differs by rounding. Ports are chosen by the system.

mod golden_programs;

use golden_programs::library_home;
use simple_testing::Folder;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

fn available() -> bool {
    let there = std::env::var_os("SIMPLE_TORCH_LIBRARY").is_some();
    if !there {
        println!("left out: there is no torch library; `bin/simple build test` builds one");
    }
    there
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/distributed")
}

fn simple() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_simple"));
    command
        .env("SIMPLE_HOME", library_home())
        .env_remove("SIMPLE_DL_DEVICE")
        .env("OMP_NUM_THREADS", "1")
        .current_dir(folder())
        .stdin(Stdio::null());
    for name in [
        "RANK",
        "WORLD_SIZE",
        "MASTER_ADDR",
        "MASTER_PORT",
        "SLURM_PROCID",
    ] {
        command.env_remove(name);
    }
    command
}

fn launched(count: u32, words: &[&str]) -> Output {
    simple()
        .args(["run", "--nproc", &count.to_string(), "--device", "cpu"])
        .args(words)
        .output()
        .expect("the program under test starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The lines of a rank, without its mark.
fn lines_of(rank: u32, output: &[u8]) -> Vec<String> {
    let mark = format!("[rank {rank}] ");
    text(output)
        .lines()
        .filter_map(|line| line.strip_prefix(&mark))
        .map(str::to_owned)
        .collect()
}

fn succeeds(output: &Output) {
    assert!(
        output.status.success(),
        "{}\n{}",
        text(&output.stdout),
        text(&output.stderr)
    );
}

#[test]
fn ranks_send_each_other_tensors_and_texts() {
    if !available() {
        return;
    }
    let alone = simple()
        .args(["run", "--device", "cpu", "collectives.spl"])
        .output()
        .expect("the program under test starts");
    succeeds(&alone);
    assert_eq!(text(&alone.stdout), "1 ranks: all calls are right\n");
    for count in [2, 3] {
        let output = launched(count, &["collectives.spl"]);
        succeeds(&output);
        for rank in 0..count {
            assert_eq!(
                lines_of(rank, &output.stdout),
                [format!("{count} ranks: all calls are right")]
            );
        }
    }
}

#[test]
fn calls_are_compared_where_that_is_asked_for() {
    if !available() {
        return;
    }
    let code = "use lib.distributed as dist\nuse lib.tensor.{Tensor}\ndist.init()\n\
                val x = Tensor.ones([2 + dist.rank()])\ndist.all_reduce(x)\nprint x\n";
    let output = simple()
        .args(["run", "--nproc", "2", "--device", "cpu", "-c", code])
        .env("TORCH_DISTRIBUTED_DEBUG", "DETAIL")
        .output()
        .expect("the program under test starts");
    assert_eq!(output.status.code(), Some(1));
    let errors = text(&output.stderr);
    assert!(
        errors.contains("all_reduce: rank ") && errors.contains("[2]") && errors.contains("[3]"),
        "{errors}"
    );
    assert!(errors.contains("<code>:5"), "{errors}");
}

#[test]
fn gradients_are_those_of_pytorch() {
    if !available() {
        return;
    }
    let output = launched(2, &["ddp.spl", "ddp.txt"]);
    succeeds(&output);
    let lines = lines_of(0, &output.stdout);
    assert_eq!(lines.len(), 8, "{lines:?}");
    for line in lines {
        assert!(
            line.ends_with(": to the bit") || line.ends_with(": to rounding"),
            "{line}"
        );
    }
}

#[test]
fn parameters_without_gradients_are_named() {
    if !available() {
        return;
    }
    let code = "use lib.distributed as dist\nuse lib.distributed.{DistributedDataParallel}\n\
                use lib.nn.{Layer, Linear}\nuse lib.tensor.{Tensor}\n\
                class Half with Layer:\n    used: Linear = Linear(4, 2)\n    never: Linear = Linear(4, 2)\n    \
                fn forward(x: Tensor) -> Tensor: used(x)\n\
                dist.init()\nval net = DistributedDataParallel(Half())\n\
                for _ in 0..2:\n    net(Tensor.ones([1, 4])).sum().backward()\n";
    let output = launched(2, &["-c", code]);
    assert_eq!(output.status.code(), Some(1));
    let errors = text(&output.stderr);
    assert!(
        errors.contains("does not use the parameters `never.weight`, `never.bias`")
            && errors.contains("find_unused_parameters: true"),
        "{errors}"
    );
    let moved = "use lib.distributed as dist\nuse lib.distributed.{DistributedDataParallel}\nuse lib.nn.{Linear}\n\
                 use lib.tensor.{Tensor}\ndist.init()\nval net = DistributedDataParallel(Linear(2, 2))\n\
                 net.to(\"f64\")\nprint net(Tensor.ones([1, 2], dtype: \"f64\"))\n";
    let output = launched(2, &["-c", moved]);
    let errors = text(&output.stderr);
    assert!(
        errors.contains("a parameter was moved, replaced or frozen after the model was wrapped"),
        "{errors}"
    );
}

#[test]
fn three_ranks_train_as_one_process_does() {
    if !available() {
        return;
    }
    let alone = simple()
        .args(["run", "--device", "cpu", "shares.spl"])
        .output()
        .expect("the program under test starts");
    succeeds(&alone);
    let expected: f64 = text(&alone.stdout).trim().parse().expect("a number");
    let output = launched(3, &["shares.spl"]);
    succeeds(&output);
    for rank in 0..3 {
        let found: f64 = lines_of(rank, &output.stdout)[0].parse().expect("a number");
        assert!((found - expected).abs() < 1e-5, "{found} {expected}");
    }
}

#[test]
fn an_optimizer_whose_state_is_shared_out_has_the_same_digits() {
    if !available() {
        return;
    }
    for ranks in [1, 2, 3] {
        let output = launched(ranks, &["zero.spl"]);
        succeeds(&output);
        let (mut elements, mut states) = (0, 0);
        for rank in 0..ranks {
            let lines = lines_of(rank, &output.stdout);
            assert_eq!(lines[0], "same: true");
            let here = lines[1]
                .strip_prefix("elements here: ")
                .expect("a number")
                .parse::<u32>();
            elements += here.expect("a number");
            states += lines
                .iter()
                .filter(|line| *line == "state: true true")
                .count();
            assert_eq!(lines.last().map(String::as_str), Some("goes on: true"));
        }
        assert_eq!((elements, states), (131, 1));
    }
}

#[test]
fn layers_in_parts_compute_what_whole_ones_do() {
    if !available() {
        return;
    }
    for ranks in [1, 2, 4] {
        let output = launched(ranks, &["parallel.spl"]);
        succeeds(&output);
        for rank in 0..ranks {
            let lines = lines_of(rank, &output.stdout);
            let compared: Vec<&String> = lines.iter().filter(|l| !l.starts_with("mesh")).collect();
            assert_eq!(compared.len(), 7);
            for line in compared {
                assert!(line.contains("true") && !line.contains("false"), "{line}");
            }
        }
        if ranks == 4 {
            let lines = lines_of(2, &output.stdout);
            assert_eq!(lines[7], "mesh: [0, 2] [2, 3] [1, 0] 2");
        }
    }
}

#[test]
fn a_pipeline_computes_what_the_whole_model_does() {
    if !available() {
        return;
    }
    for ranks in [2, 3] {
        let output = launched(ranks, &["pipeline.spl"]);
        succeeds(&output);
        for rank in 0..ranks {
            let lines = lines_of(rank, &output.stdout);
            assert_eq!(lines, ["gpipe: true 0", "1f1b: true 0"]);
        }
    }
}

#[test]
fn any_number_of_ranks_reads_a_checkpoint() {
    if !available() {
        return;
    }
    let scratch = Folder::new("distributed-checkpoints");
    let folder = scratch.to_string_lossy();
    let saved = launched(4, &["checkpoints.spl", "save", &folder]);
    succeeds(&saved);
    let losses = lines_of(0, &saved.stdout);
    assert_eq!(losses.len(), 2);
    // Of the checkpoint that was saved twice, only the second is left.
    let files = std::fs::read_dir(scratch.path("shared")).expect("a checkpoint");
    assert!((2..=5).contains(&files.count()));
    for ranks in [1, 2, 3, 5] {
        let output = launched(ranks, &["checkpoints.spl", "load", &folder]);
        succeeds(&output);
        let lines = lines_of(0, &output.stdout);
        assert_eq!(lines[0], "3.0");
        for (line, loss) in lines[1..].iter().zip(&losses) {
            let numbers = |line: &str| -> Vec<f64> {
                let words = line.split(' ');
                words.map(|word| word.parse().expect("a number")).collect()
            };
            for (found, wanted) in numbers(line).iter().zip(numbers(loss)) {
                assert!((found - wanted).abs() < 2e-5, "{line} {loss}");
            }
        }
    }
}

#[test]
fn parameters_in_shards_train_as_whole_ones_do() {
    if !available() {
        return;
    }
    for ranks in [1, 2, 3] {
        let scratch = Folder::new("distributed-shards");
        let output = launched(ranks, &["shards.spl", &scratch.to_string_lossy()]);
        succeeds(&output);
        for rank in 0..ranks {
            let lines = lines_of(rank, &output.stdout);
            assert_eq!(lines, ["true true", "saved: true", "true true"]);
        }
    }
}

#[test]
fn a_checkpoint_is_the_old_one_or_the_new_one() {
    if !available() {
        return;
    }
    let scratch = Folder::new("distributed-kills");
    let folder = scratch.to_string_lossy();
    let index = scratch.path("model.safetensors.index.json");
    for turn in 0..5u64 {
        let mut job = simple()
            .args(["run", "--nproc", "2", "--device", "cpu"])
            .args(["saving.spl", &folder])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()
            .expect("the program under test starts");
        let written = |path: &Path| path.metadata().and_then(|found| found.modified()).ok();
        let (before, began) = (written(&index), Instant::now());
        while written(&index) == before && began.elapsed() < Duration::from_secs(60) {
            std::thread::sleep(Duration::from_millis(5));
        }
        std::thread::sleep(Duration::from_millis(7 * turn));
        let killed = Command::new("kill")
            .args(["-9", "--", &format!("-{}", job.id())])
            .status();
        assert!(killed.expect("kill is there").success());
        job.wait().expect("it ends");
        let output = launched(1, &["saving.spl", &folder, "load"]);
        succeeds(&output);
        assert_eq!(lines_of(0, &output.stdout), ["true"]);
    }
}

#[test]
fn one_rank_that_fails_ends_all_with_its_message_and_code() {
    if !available() {
        return;
    }
    let code = "use lib.distributed as dist\nuse lib.tensor.{Tensor}\ndist.init()\n\
                if dist.rank() == 1: panic(\"no more samples\")\nval x = Tensor.ones([2])\n\
                dist.all_reduce(x)\nprint x\n";
    let began = Instant::now();
    let output = launched(3, &["-c", code]);
    assert!(began.elapsed() < Duration::from_secs(60));
    assert_eq!(output.status.code(), Some(1));
    let errors = text(&output.stderr);
    assert!(
        errors.starts_with("[rank 1] error: no more samples"),
        "{errors}"
    );
    assert!(
        errors.contains("error: rank 1 ended with exit code 1; all ranks were ended"),
        "{errors}"
    );
    assert_eq!(text(&output.stdout), "");
}

#[test]
fn a_rank_that_is_killed_is_named() {
    if !available() {
        return;
    }
    let code = "use lib.distributed as dist\nuse lib.tensor.{Tensor}\nuse std.process.{shell}\ndist.init()\n\
                if dist.rank() == 2: shell(\"kill -9 $PPID\")\nval x = Tensor.ones([2])\n\
                dist.all_reduce(x)\nprint x\n";
    let output = launched(3, &["-c", code]);
    assert_eq!(output.status.code(), Some(137));
    let errors = text(&output.stderr);
    assert!(
        errors.contains("error: rank 2 was ended by signal 9"),
        "{errors}"
    );
}

#[test]
fn the_others_name_a_rank_that_is_gone_where_no_launcher_does() {
    if !available() {
        return;
    }
    let code = "use lib.distributed as dist\nuse lib.tensor.{Tensor}\nuse std.process.{shell}\n\
                dist.init()\nval x = Tensor.ones([2])\ndist.all_reduce(x)\n\
                if dist.rank() == 1: shell(\"kill -9 $PPID\")\ndist.all_reduce(x)\n";
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener
        .local_addr()
        .expect("an address")
        .port()
        .to_string();
    drop(listener);
    let rank = |number: &str| {
        simple()
            .args(["run", "--device", "cpu", "-c", code])
            .envs([
                ("RANK", number),
                ("WORLD_SIZE", "2"),
                ("MASTER_ADDR", "127.0.0.1"),
                ("MASTER_PORT", &port),
            ])
            .stderr(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program under test starts")
    };
    let (first, second) = (rank("0"), rank("1"));
    let first = first.wait_with_output().expect("it ends");
    second.wait_with_output().expect("it ends");
    assert_eq!(first.status.code(), Some(1));
    let errors = text(&first.stderr);
    assert!(
        errors.contains("all_reduce: rank 0 of 2: rank 1 (")
            && errors.contains("is not heard any more"),
        "{errors}"
    );
}

#[test]
fn a_trainer_has_one_history_on_all_ranks() {
    if !available() {
        return;
    }
    let folder = simple_testing::Folder::new("ranks");
    let path = folder.path("run.safetensors");
    let output = launched(2, &["trainer.spl", &path.to_string_lossy()]);
    succeeds(&output);
    let lines = lines_of(0, &output.stdout);
    assert_eq!(lines.len(), 5, "{lines:?}");
    assert!(lines[3].starts_with("epoch 4/4") && lines[4] == "rank 0: the ranks agree");
    assert_eq!(lines_of(1, &output.stdout), ["rank 1: the ranks agree"]);
}

#[test]
fn a_run_that_goes_on_has_the_same_digits() {
    if !available() {
        return;
    }
    let folder = simple_testing::Folder::new("resumed");
    let path = folder.path("");
    let output = launched(2, &["resumed.spl", &path.to_string_lossy()]);
    succeeds(&output);
    for rank in 0..2 {
        assert_eq!(
            lines_of(rank, &output.stdout),
            [format!("rank {rank}: the same digits")]
        );
    }
}

#[test]
fn what_is_wrong_in_a_program_is_said_once() {
    let output = launched(3, &["-c", "val x: i64 = nothing\n"]);
    assert_eq!(output.status.code(), Some(1));
    let errors = text(&output.stderr);
    assert_eq!(errors.matches("[rank 0] error[E0").count(), 1, "{errors}");
    assert!(
        !errors.contains("[rank 1]") && !errors.contains("[rank 2]"),
        "{errors}"
    );
}

#[test]
fn ranks_start_again_as_often_as_it_is_said() {
    if !available() {
        return;
    }
    let code = "use lib.distributed as dist\nuse std.env.{env_get}\ndist.init()\n\
                val count = env_get(\"TORCHELASTIC_RESTART_COUNT\") ?? \"\"\n\
                if count == \"0\" and dist.rank() == 1: panic(\"the first time\")\ndist.barrier()\n\
                print \"start\", count\n";
    let output = launched(2, &["--max-restarts", "1", "-c", code]);
    succeeds(&output);
    assert_eq!(lines_of(0, &output.stdout), ["start 1"]);
    assert_eq!(lines_of(1, &output.stdout), ["start 1"]);
    assert!(text(&output.stderr).contains("simple: starting all ranks again, restart 1 of 1"));
}

#[test]
fn wrong_options_and_variables_are_named() {
    for (words, why) in [
        (&["--nnodes", "2", "-c", "print 1"][..], "need --nproc"),
        (
            &["--nproc", "2", "--nnodes", "2", "-c", "print 1"],
            "--nnodes needs --master HOST:PORT",
        ),
        (
            &[
                "--nproc",
                "2",
                "--nnodes",
                "2",
                "--node-rank",
                "2",
                "--master",
                "a:1",
                "-c",
                "print 1",
            ],
            "--node-rank 2: expected a number from 0 to 1",
        ),
        (
            &["--nproc", "2", "--master", "nowhere", "-c", "print 1"],
            "expected HOST:PORT",
        ),
        (&["--nproc", "0", "-c", "print 1"], "invalid value '0'"),
    ] {
        let output = simple().arg("run").args(words).output().expect("it starts");
        let errors = text(&output.stderr);
        assert!(!output.status.success() && errors.contains(why), "{errors}");
    }
    if !available() {
        return;
    }
    let code = "use lib.distributed as dist\ndist.init()\n";
    for (variables, why) in [
        (
            &[("RANK", "0")][..],
            "the variable WORLD_SIZE is missing, but RANK is set",
        ),
        (
            &[("RANK", "x"), ("WORLD_SIZE", "2")],
            "the variable RANK is `x`; expected a whole number",
        ),
        (
            &[("RANK", "0"), ("WORLD_SIZE", "2")],
            "the variable MASTER_ADDR is missing",
        ),
        (
            &[
                ("RANK", "2"),
                ("WORLD_SIZE", "2"),
                ("MASTER_ADDR", "a"),
                ("MASTER_PORT", "1"),
            ],
            "the rank is 2; expected a number from 0 to 1",
        ),
        (
            &[("SLURM_PROCID", "0"), ("SLURM_NTASKS", "2")],
            "SLURM_JOB_NODELIST and MASTER_ADDR are missing",
        ),
    ] {
        let output = simple()
            .args(["run", "--device", "cpu", "-c", code])
            .envs(variables.iter().copied())
            .output()
            .expect("it starts");
        let errors = text(&output.stderr);
        assert!(
            output.status.code() == Some(1) && errors.contains(why),
            "{errors}"
        );
    }
}
