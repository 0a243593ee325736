//! Profiles of whole programs on the CPU: operators, lines, layers, files, and nothing where none is asked for.
//!
//! Nothing here depends on how long anything takes: counts are exact, and sums are compared with the profile's own total. Those that need
//! libtorch run where the tests of `torch.rs` do. How profiles are added up is tested in `runtime/profile`.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const NETWORK: &str = "use lib.torch.{Tensor, manual_seed}
use lib.nn.{Layer, Linear, Sequential, ReLU}

class Net with Layer:
    fc1: Linear = Linear(3, 4)
    blocks: [Linear] = [Linear(4, 4) for _ in 0..2]
    head: Sequential = Linear(4, 4) ~> ReLU()

    fn forward(x: Tensor) -> Tensor:
        var h = fc1(x)
        for block in blocks: h = block(h)
        head(h)

fn main():
    manual_seed(1)
    val net = Net()
    val x = Tensor.ones([2, 3])
    for i in 0..5: net(x).sum().backward()
    val sum = x + x
    val product = sum * 2.0
    print product.shape()
main()
";

fn available() -> bool {
    let there = std::env::var_os("SIMPLE_TORCH_LIBRARY").is_some();
    if !there {
        println!("left out: there is no torch library; `bin/simple build test` builds one");
    }
    there
}

/// A folder of a test, and what was run in it.
struct Run {
    folder: PathBuf,
    output: Output,
}

impl Run {
    fn new(name: &str, code: &str, options: &[&str]) -> Run {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("profile_{name}"));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).expect("make a folder");
        std::fs::write(folder.join("program.spl"), code).expect("write a file");
        let output = Command::new(env!("CARGO_BIN_EXE_simple"))
            .args(options)
            .arg("program.spl")
            .env("SIMPLE_HOME", concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
            .env("SIMPLE_DL_DEVICE", "cpu")
            .env("SIMPLE_CHECK_LEAKS", "1")
            .current_dir(&folder)
            .stdin(Stdio::null())
            .output()
            .expect("the program under test starts");
        Run { folder, output }
    }

    fn stdout(&self) -> String {
        String::from_utf8_lossy(&self.output.stdout).into_owned()
    }

    fn stderr(&self) -> String {
        String::from_utf8_lossy(&self.output.stderr).into_owned()
    }

    fn file(&self, name: &str) -> String {
        std::fs::read_to_string(self.folder.join(name)).expect("the file was written")
    }

    #[track_caller]
    fn is_fine(&self) -> &Run {
        assert_eq!(
            self.output.status.code(),
            Some(0),
            "{}{}",
            self.stdout(),
            self.stderr()
        );
        self
    }

    /// The cells of the row of a table that begins so.
    #[track_caller]
    fn row(&self, start: &str) -> Vec<String> {
        let stderr = self.stderr();
        let row = stderr.lines().find(|line| {
            line.strip_prefix(start)
                .is_some_and(|rest| rest.starts_with(' '))
        });
        let row = row.unwrap_or_else(|| panic!("no row {start}:\n{stderr}"));
        row.split("  ")
            .map(|cell| cell.trim().to_owned())
            .filter(|cell| !cell.is_empty())
            .collect()
    }
}

#[test]
fn operators_lines_and_layers_are_counted() {
    if !available() {
        return;
    }
    let run = Run::new("tables", NETWORK, &["run", "--profile"]);
    run.is_fine();
    assert_eq!(run.stdout(), "[2, 3]\n");
    // Four linear layers, five times; `+` and `*` take a path of their own through libtorch.
    let tables = Run::new("all_rows", NETWORK, &["--profile=all.txt"]);
    let tables = tables.is_fine().file("all.txt");
    let calls = |name: &str| {
        let row = tables
            .lines()
            .find(|line| line.starts_with(&format!("{name} ")));
        let row = row.unwrap_or_else(|| panic!("no row {name}:\n{tables}"));
        let cells: Vec<&str> = row
            .split("  ")
            .map(str::trim)
            .filter(|cell| !cell.is_empty())
            .collect();
        cells[4].to_owned()
    };
    for (name, count) in [
        ("aten::linear", "20"),
        ("aten::addmm", "20"),
        ("aten::relu", "5"),
        ("aten::add", "1"),
        ("aten::mul", "1"),
        ("AddmmBackward0", "20"),
        ("rt_torch_backward", "5"),
    ] {
        assert_eq!(calls(name), count, "{name}");
    }
    assert!(
        calls("torch::autograd::AccumulateGrad")
            .parse::<u32>()
            .is_ok_and(|count| count >= 40)
    );

    assert_eq!(run.row("program.spl:10")[3], "5");
    assert!(
        run.row("program.spl:18")
            .last()
            .is_some_and(|text| text.contains("net(x).sum().backward()"))
    );
    for (path, class) in [
        ("net", "Net"),
        ("net.fc1", "Linear"),
        ("net.blocks.0", "Linear"),
        ("net.blocks.1", "Linear"),
        ("net.head", "Sequential"),
        ("net.head.0", "Linear"),
        ("net.head.1", "ReLU"),
    ] {
        let row = run.row(path);
        assert_eq!((row[1].as_str(), row[2].as_str()), (class, "5"), "{path}");
    }
    // Five results of 32 bytes, each in a block of 64. The backward pass of a layer is known by the operators of its forward pass.
    assert_ne!(run.row("net.fc1")[5], "0");
    assert!(
        run.row("net.fc1")
            .last()
            .is_some_and(|memory| memory == "320 B")
    );
}

#[test]
fn a_trace_can_be_read_and_nests() {
    if !available() {
        return;
    }
    let run = Run::new("trace", NETWORK, &["--profile=trace.json"]);
    let trace: Value = serde_json::from_str(&run.is_fine().file("trace.json")).expect("JSON");
    let events = trace["traceEvents"].as_array().expect("a list");
    let timed: Vec<&Value> = events.iter().filter(|event| event["ph"] == "X").collect();
    let times = |event: &Value| {
        let start = event["ts"].as_f64().expect("a time");
        (start, start + event["dur"].as_f64().expect("a duration"))
    };
    for event in &timed {
        assert!(event["pid"].is_u64() && event["tid"].is_u64() && event["args"].is_object());
        assert!(times(event).0 >= 0.0 && times(event).1 >= times(event).0);
    }
    let named = |name: &str| {
        let all = timed.iter().filter(|event| event["name"] == name);
        all.copied().collect::<Vec<&Value>>()
    };
    let first = *named("aten::addmm").first().expect("an operator");
    assert_eq!(first["args"]["line"], "program.spl:10");
    assert_eq!(first["args"]["function"], "Net.forward");
    assert_eq!(first["args"]["layer"], "net.fc1");
    assert_eq!(first["args"]["shapes"], "[4], [2, 3], [3, 4]");
    assert_eq!(named("AddmmBackward0").len(), 20);
    assert!(
        named("AddmmBackward0")
            .iter()
            .any(|event| event["args"]["backward of"] == "net.blocks.1")
    );
    // The operator is inside its layer, which is inside the network.
    for outer in ["aten::linear", "net.fc1", "net"] {
        let (start, end) = times(first);
        let around = named(outer)
            .into_iter()
            .any(|event| times(event).0 <= start && times(event).1 >= end);
        assert!(around, "{outer}");
    }
    // On a track, what overlaps is nested: others cannot be drawn.
    let mut spans: Vec<(f64, f64)> = timed
        .iter()
        .filter(|event| event["pid"] == 1 && event["tid"] == 0)
        .map(|event| times(event))
        .collect();
    spans.sort_by(|a, b| a.0.total_cmp(&b.0).then(b.1.total_cmp(&a.1)));
    let mut open: Vec<f64> = Vec::new();
    for (start, end) in spans {
        while open.last().is_some_and(|last| *last <= start) {
            open.pop();
        }
        // A thousandth of a microsecond is how times are rounded.
        assert!(open.last().is_none_or(|last| end <= last + 0.002));
        open.push(end);
    }
}

#[test]
fn a_flame_graph_is_xml() {
    if !available() {
        return;
    }
    let run = Run::new("flame", NETWORK, &["--profile=flame.svg", "--profile"]);
    let svg = run.is_fine().file("flame.svg");
    assert!(run.stderr().contains("the profile is in flame.svg"));
    assert!(run.stderr().contains("aten::addmm"));
    for part in [
        "all: ",
        "net.fc1 (Linear)",
        "aten::addmm",
        "Net.forward program.spl:10",
    ] {
        assert!(svg.contains(part), "{part}");
    }
    assert_is_xml(&svg);
}

/// Tags are closed in their order, attributes are quoted, and texts have no mark of their own.
fn assert_is_xml(text: &str) {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find('<') {
        let entities = rest[..start].split('&').skip(1);
        for entity in entities {
            let name = entity.split(';').next().unwrap_or("");
            assert!(["lt", "gt", "amp", "quot"].contains(&name), "&{entity}");
        }
        let end = start + rest[start..].find('>').expect("a tag ends");
        let tag = &rest[start + 1..end];
        assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
        let name = tag
            .split([' ', '/'])
            .find(|part| !part.is_empty())
            .unwrap_or("");
        match tag.chars().next() {
            Some('?') => {}
            Some('/') => assert_eq!(open.pop(), Some(name), "{tag}"),
            _ if tag.ends_with('/') => {}
            _ => open.push(name),
        }
        rest = &rest[end + 1..];
    }
    assert!(open.is_empty() && rest.trim().is_empty());
}

#[test]
fn the_sums_are_the_whole() {
    if !available() {
        return;
    }
    let code = format!(
        "use lib.torch.profiler.{{profile}}\n{}\nval prof = profile()\nwith prof:\n    for i in 0..50: main()\n\
         val t = prof.totals()\n\
         val rows = prof.key_averages().rows.map(\\row: row.self_cpu_time_total).sum()\n\
         val parts = t.operators + t.labels + t.opening + t.program + t.profiler\n\
         print (parts - t.total).abs() < t.total * 0.001, (rows - t.operators - t.labels - t.opening).abs() < t.total * 0.001\n\
         print prof.lines().map(\\line: line.cpu_time).sum() <= t.total\n",
        NETWORK.trim_end().trim_end_matches("main()")
    );
    let run = Run::new("sums", &code, &[]);
    run.is_fine();
    assert_eq!(run.stderr(), "");
    assert!(
        run.stdout().ends_with("true true\ntrue\n"),
        "{}",
        run.stdout()
    );
}

#[test]
fn nothing_is_measured_or_said_without_being_asked() {
    let code = "fn main(): print 1 + 1\nmain()\n";
    let emitted = Run::new("off", code, &["--emit=mir"]);
    assert!(!emitted.is_fine().stdout().contains("profile"));
    let run = Run::new("off_run", code, &[]);
    assert_eq!(
        (run.is_fine().stdout().as_str(), run.stderr().as_str()),
        ("2\n", "")
    );
}

#[test]
fn code_that_is_not_profiled_calls_no_function_of_the_profiler() {
    // A program with layers and foreign functions, which is compiled, not run.
    for stage in ["clif", "asm"] {
        let emit = format!("--emit={stage}");
        let of_profiler = |options: &[&str]| {
            let text = Run::new(&format!("emit_{stage}"), NETWORK, options).stdout();
            let names = text.split(|c: char| !c.is_alphanumeric() && c != '_');
            let mut found: Vec<String> = names
                .filter(|name| name.starts_with("rt_profile_") || name.starts_with("rt_layer_"))
                .map(str::to_owned)
                .collect();
            found.sort();
            found.dedup();
            assert!(text.contains("rt_torch_"), "{stage}");
            found
        };
        assert_eq!(of_profiler(&[&emit]), Vec::<String>::new(), "{stage}");
        let told = of_profiler(&["--profile", &emit]);
        let expected = [
            "rt_layer_enter",
            "rt_layer_leave",
            "rt_layer_name",
            "rt_profile_enter",
            "rt_profile_leave",
        ];
        assert_eq!(told, expected, "{stage}");
    }
}

#[test]
fn functions_of_the_runtime_are_part_of_the_program() {
    let code = "use std.io.{file_try_read}\nfn main():\n    match file_try_read(\"no/such/file\"):\n        case Ok(_): print 1\n        \
                case Err(_): print 2\nmain()\n";
    let run = Run::new("runtime_functions", code, &["--profile"]);
    assert_eq!(run.is_fine().stdout(), "2\n");
    assert!(run.stderr().contains("operators 0"), "{}", run.stderr());
    assert!(!run.stderr().contains("rt_file"), "{}", run.stderr());
}

#[test]
fn a_program_without_tensors_has_a_profile_and_opens_nothing() {
    let run = Run::new("plain", "for i in 0..3: print i\n", &["--profile"]);
    assert_eq!(run.is_fine().stdout(), "0\n1\n2\n");
    assert!(
        run.stderr().contains("the program itself"),
        "{}",
        run.stderr()
    );
    assert!(!run.stderr().contains("rt_torch"), "{}", run.stderr());
}

#[test]
fn however_a_program_ends_its_profile_is_shown() {
    for (name, end, status) in [("exit", "exit(3)", 3), ("panic", "panic(\"no\")", 1)] {
        let run = Run::new(
            name,
            &format!("fn main():\n    {end}\nmain()\n"),
            &["--profile"],
        );
        assert_eq!(run.output.status.code(), Some(status), "{}", run.stderr());
        assert!(run.stderr().contains("profile: "), "{}", run.stderr());
    }
}

#[test]
fn a_file_that_cannot_be_is_refused() {
    let run = Run::new("ending", "print 1\n", &["--profile=a.png"]);
    assert_eq!(run.output.status.code(), Some(2));
    assert!(
        run.stderr().contains("expected a name that ends in .json"),
        "{}",
        run.stderr()
    );
    assert_eq!(run.stdout(), "");
    let run = Run::new("folder", "print 1\n", &["--profile=no/such/a.json"]);
    assert_eq!(run.output.status.code(), Some(1));
    assert!(
        run.stderr()
            .contains("cannot write the profile to no/such/a.json"),
        "{}",
        run.stderr()
    );
}

#[test]
fn an_error_inside_of_layers_leaves_the_others_in_place() {
    if !available() {
        return;
    }
    let code = "use lib.torch.{Tensor}
use lib.nn.{Layer, Linear}

class Broken with Layer:
    inside: Linear = Linear(3, 4)
    fn forward(x: Tensor) -> Tensor: inside(x).reshape([7, 7])

fn main():
    val net = Broken()
    val good = Linear(3, 2)
    for i in 0..3:
        try:
            net(Tensor.ones([2, 3]))
        catch problem:
            good(Tensor.ones([2, 3]))
main()
";
    let run = Run::new("broken", code, &["--profile"]);
    run.is_fine();
    for path in ["net", "net.inside", "good"] {
        assert_eq!(run.row(path)[2], "3", "{path}");
    }
}

#[test]
fn the_devices_are_measured_quickly() {
    if !available() {
        return;
    }
    let output = Command::new(env!("CARGO_BIN_EXE_simple"))
        .args(["bench", "device", "--quick", "--format=json"])
        .env("SIMPLE_HOME", concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
        .output()
        .expect("the command starts");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let found: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let results = found["results"].as_array().expect("a list");
    let on_cpu: Vec<&Value> = results
        .iter()
        .filter(|row| row["device"] == "cpu")
        .collect();
    let tests: Vec<&str> = on_cpu
        .iter()
        .filter_map(|row| row["test"].as_str())
        .collect();
    assert_eq!(
        tests,
        [
            "matrix product 512",
            "matrix product 1024",
            "forward pass",
            "training step, small",
            "training step, middle"
        ]
    );
    for row in on_cpu {
        assert!(row["median_ns"].as_f64() > Some(0.0) && row["samples"].as_i64() >= Some(5));
        assert_eq!(row["speed_up"].as_f64(), Some(1.0));
    }
    assert!(found["peak_flops"]["cpu"].as_f64() > Some(0.0));
}
