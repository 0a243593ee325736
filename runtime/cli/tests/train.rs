//! `simple train`: runs by a configuration, what is wrong with words and files, runs that are killed and go on, sweeps, and programs of one's own.

mod simple_in;

use simple_in::{home, said, simple_in};
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Words that make a training a matter of moments.
const SMALL: [&str; 3] = ["data.limit=200", "model.hidden=[16]", "model.dropout=0.1"];

/// The variable that chooses tensors which every machine has, and which start at once.
const NATIVE: (&str, &str) = ("SIMPLE_DL_BACKEND", "native");

fn folder() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(path, text).expect("written");
    };
    write(
        "conf/train.sdn",
        "groups:\n    model: small\ntrainer:\n    max_epochs: 2\n",
    );
    write("conf/model/small.sdn", "model:\n    hidden = [8]\n");
    write("conf/hardware/laptop.sdn", "batch_size: 16\n");
    folder
}

fn train(folder: &Path, words: &[&str]) -> Output {
    let words: Vec<&str> = ["train"].iter().chain(words).copied().collect();
    simple_in(folder, &words, &[NATIVE])
}

/// The rows of a run's metrics without their last column, the seconds.
fn metrics(run: &Path) -> Vec<String> {
    let text = fs::read_to_string(run.join("metrics.csv")).unwrap_or_default();
    text.lines()
        .map(|row| row.rsplit_once(',').expect("columns").0.to_owned())
        .collect()
}

#[test]
fn a_run_is_composed_printed_and_saved() {
    let folder = folder();
    let output = train(
        folder.path(),
        &[
            "conf/train.sdn",
            "+hardware=laptop",
            "trainer.accumulate_grad_batches=4",
            "run.name=first",
            "data.limit=200",
        ],
    );
    let told = said(&output);
    for line in [
        "model.hidden = [8]                   conf/model/small.sdn:2",
        "batch_size = 16                      conf/hardware/laptop.sdn:1",
        "trainer.accumulate_grad_batches = 4  `trainer.accumulate_grad_batches=4`",
        "run runs/first",
        "epoch 2/2: loss ",
    ] {
        assert!(told.contains(line), "{line}\n---\n{told}");
    }
    assert!(output.status.success(), "{told}");
    let run = folder.path().join("runs/first");
    for name in [
        "config.sdn",
        "metrics.csv",
        "checkpoint.safetensors",
        "log.txt",
        "model.safetensors",
        "loss.svg",
    ] {
        assert!(run.join(name).is_file(), "{name}");
    }
    let saved = fs::read_to_string(run.join("config.sdn")).expect("the configuration");
    assert!(saved.contains("accumulate_grad_batches: 4"), "{saved}");
    // The same configuration again makes the same run.
    let again = train(
        folder.path(),
        &["runs/first/config.sdn", "run.name=again", "batch_size=16"],
    );
    assert!(again.status.success(), "{}", said(&again));
    assert_eq!(metrics(&run), metrics(&folder.path().join("runs/again")));
}

#[test]
fn what_is_wrong_is_said_before_anything_is_written() {
    let folder = folder();
    fs::write(
        folder.path().join("conf/bad.sdn"),
        "batch_size: many\nlrr: 1\n",
    )
    .expect("written");
    fs::write(folder.path().join("conf/broken.sdn"), "batch_size 3\n").expect("written");
    for (words, parts) in [
        (
            &["conf/train.sdn", "batchsize=4", "+hardware=laptp"][..],
            &[
                "unknown key `batchsize`; did you mean `batch_size`?",
                "did you mean `laptop`?",
            ][..],
        ),
        (
            &["conf/bad.sdn"],
            &[
                "conf/bad.sdn:1: `batch_size` is many; expected a whole number, 0 or more",
                "conf/bad.sdn:2: unknown key `lrr`; did you mean `lr`?",
            ],
        ),
        (&["conf/broken.sdn"], &["conf/broken.sdn:1:"]),
        (&["conf/trian.sdn"], &["did you mean `conf/train.sdn`?"]),
        (&["conf"], &["is a folder; name a configuration in it"]),
        (&[], &["no configuration"]),
        (
            &["conf/train.sdn", "lr=-1"],
            &["expected a number, 0.0 or more"],
        ),
        (
            &["conf/train.sdn", "lr=0.1,0.01"],
            &["--sweep trains once for each of several values"],
        ),
        (
            &["conf/train.sdn", "--sweep"],
            &["no word has several values"],
        ),
        (
            &["conf/train.sdn", "model.layers=lstm(4)"],
            &["layer 1 of 1, LSTM(units: 4"],
        ),
        (
            &["conf/train.sdn", "program=mine.spl"],
            &["`program=mine.spl`: there is no program mine.spl"],
        ),
        (&["--resume", "runs/none"], &["there is no such folder"]),
        (&["conf/train.sdn", "--swep"], &["'--sweep'"]),
    ] {
        let output = train(folder.path(), words);
        let told = said(&output);
        assert_eq!(output.status.code(), Some(2), "{words:?}: {told}");
        for part in parts {
            assert!(told.contains(part), "{words:?}: {part}\n---\n{told}");
        }
    }
    assert!(!folder.path().join("runs").exists());
}

#[test]
fn it_shows_and_helps_without_training() {
    let folder = folder();
    for (words, parts) in [
        (
            &["conf/train.sdn", "--show", "lr=0.5"][..],
            &["lr = 0.5", "`lr=0.5`", "seed = 42", "usual"][..],
        ),
        (
            &["conf/train.sdn", "--dry-run"],
            &[
                "1797 examples of shape [1, 8, 8]",
                "dry run: nothing is trained",
            ],
        ),
        (
            &["--help"],
            &[
                "--resume",
                "trainer.accumulate_grad_batches=1",
                "a whole number, 1 or more",
            ],
        ),
        (&["conf/train.sdn", "-h"], &["batch_size=32"]),
        (
            &["conf/train.sdn", "-m", "lr=0.1,0.2", "--show", "run.name=x"],
            &["runs/x/0: lr=0.1", "runs/x/1: lr=0.2"],
        ),
    ] {
        let output = train(folder.path(), words);
        let told = said(&output);
        assert!(output.status.success(), "{words:?}: {told}");
        for part in parts {
            assert!(told.contains(part), "{words:?}: {part}\n---\n{told}");
        }
    }
    assert!(!folder.path().join("runs").exists());
}

/// Starts a training that takes some seconds.
fn started(folder: &Path, name: &str) -> Child {
    Command::new(env!("CARGO_BIN_EXE_simple"))
        .args(["train", "conf/train.sdn", "batch_size=4", "lr=0.01"])
        .args(SMALL)
        .args(["trainer.max_epochs=40", "schedule.name=step"])
        .args([
            "trainer.accumulate_grad_batches=2",
            &format!("run.name={name}"),
        ])
        .env("SIMPLE_HOME", home())
        .env(NATIVE.0, NATIVE.1)
        .env_remove("SIMPLE_DL_DEVICE")
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("simple starts")
}

#[test]
fn a_run_that_is_killed_goes_on_with_the_same_numbers() {
    let folder = folder();
    let whole = folder.path().join("runs/whole");
    assert!(
        started(folder.path(), "whole")
            .wait()
            .expect("it ends")
            .success()
    );
    let expected = metrics(&whole);
    assert_eq!(expected.len(), 41);

    let run = folder.path().join("runs/killed");
    let mut child = started(folder.path(), "killed");
    let begun = Instant::now();
    while metrics(&run).len() < 4 && begun.elapsed() < Duration::from_secs(120) {
        std::thread::sleep(Duration::from_millis(2));
    }
    child.kill().expect("killed");
    child.wait().expect("it ends");
    let kept = metrics(&run).len();
    assert!((4..41).contains(&kept), "{kept} rows when it was killed");

    let refused = train(folder.path(), &["--resume", "runs/killed", "lr=0.5"]);
    assert_eq!(refused.status.code(), Some(2), "{}", said(&refused));
    assert!(said(&refused).contains("`lr` was 0.01 when runs/killed began"));

    let output = train(folder.path(), &["--resume", "runs/killed"]);
    let told = said(&output);
    assert!(
        output.status.success() && told.contains("runs/killed goes on"),
        "{told}"
    );
    assert_eq!(metrics(&run), expected);
    let model = |run: &Path| fs::read(run.join("model.safetensors")).expect("the network");
    assert_eq!(model(&run), model(&whole));

    let more = said(&train(folder.path(), &["--resume", "runs/killed/"]));
    assert!(
        more.contains("nothing is left to train: 40 epochs are done"),
        "{more}"
    );
    let longer = train(
        folder.path(),
        &["--resume", "runs/killed", "trainer.max_epochs=41"],
    );
    assert!(said(&longer).contains("epoch 41/41"), "{}", said(&longer));
}

#[test]
fn a_sweep_makes_a_run_for_each_combination() {
    let folder = folder();
    let words = [
        "conf/train.sdn",
        "--sweep",
        "lr=0.1,0.00001",
        "model.hidden=8,[16, 8]",
    ];
    let all: Vec<&str> = words
        .iter()
        .chain(&["run.name=s", "data.limit=200", "trainer.max_epochs=1"])
        .copied()
        .collect();
    let output = train(folder.path(), &all);
    let told = said(&output);
    assert!(output.status.success(), "{told}");
    for part in [
        "run 4 of 4: lr=0.00001 model.hidden=[16, 8]",
        "runs/s/3  0.00001  [16, 8]",
        "best by val_loss: runs/s/",
    ] {
        assert!(told.contains(part), "{part}\n---\n{told}");
    }
    let best = told.rsplit("best by val_loss: ").next().expect("a line");
    assert!(best.contains("lr=0.1 "), "{told}");
    let table = fs::read_to_string(folder.path().join("runs/s/sweep.csv")).expect("the table");
    assert_eq!(table.lines().count(), 5, "{table}");
    assert!(folder.path().join("runs/s/2/metrics.csv").is_file());
    let several = train(folder.path(), &["--resume", "runs/s"]);
    assert!(
        said(&several).contains("has several runs"),
        "{}",
        said(&several)
    );

    let failing = train(
        folder.path(),
        &[
            "conf/train.sdn",
            "-m",
            "model.layers=lstm(4),dense(4)",
            "run.name=f",
            "data.limit=200",
            "trainer.max_epochs=1",
            "--best",
            "val_accuracy",
        ],
    );
    let told = said(&failing);
    assert_eq!(failing.status.code(), Some(1), "{told}");
    for part in ["failed: ", "best by val_accuracy: runs/f/1"] {
        assert!(told.contains(part), "{part}\n---\n{told}");
    }
}

#[test]
fn a_program_has_keys_of_its_own() {
    let folder = folder();
    let program = "use lib.training.runner.{train_main, TrainingRun}\nuse std.config.{Schema}\n\nfn train(run: TrainingRun):\n    val x = run.config.float(\"x\")\n    run.note(\"error\", x * x)\n    run.say(\"the square of {x} is {x * x}\")\n\nfn main(words: [text]): train_main(words, \"square\", \"Squares.\", Schema().float(\"x\", 1.0, \"a number\"), train)\n";
    fs::write(folder.path().join("square.spl"), program).expect("written");
    fs::write(
        folder.path().join("conf/square.sdn"),
        "program: ../square.spl\nx: 3\n",
    )
    .expect("written");
    let output = train(folder.path(), &["conf/square.sdn", "run.name=a"]);
    assert!(
        said(&output).contains("the square of 3.0 is 9.0"),
        "{}",
        said(&output)
    );
    let resumed = train(folder.path(), &["--resume", "runs/a", "x=4"]);
    assert!(
        said(&resumed).contains("the square of 4.0 is 16.0"),
        "{}",
        said(&resumed)
    );
    let swept = train(
        folder.path(),
        &["conf/square.sdn", "-m", "x=-2,1,5", "run.name=b"],
    );
    assert!(
        said(&swept).contains("best by error: runs/b/1, x=1"),
        "{}",
        said(&swept)
    );
    let unknown = train(folder.path(), &["conf/square.sdn", "y=1"]);
    assert_eq!(unknown.status.code(), Some(2), "{}", said(&unknown));
    let help = train(folder.path(), &["conf/square.sdn", "--help"]);
    assert!(said(&help).contains("x=1.0"), "{}", said(&help));
    let direct = simple_in(
        folder.path(),
        &["square.spl", "conf/square.sdn", "x=5", "run.name=c"],
        &[NATIVE],
    );
    assert!(
        said(&direct).contains("the square of 5.0 is 25.0"),
        "{}",
        said(&direct)
    );
}
