//! The reports and limits of `simple test`: times, `--timeout`, differences, JUnit, coverage, files side by side.

use simple_testing::Folder;
use std::path::Path;
use std::process::{Command, Output, Stdio};

const STACK: &str = "export Stack, kind\n\nclass Stack:\n    items: [i64] = []\n\n    fn push(n: i64): items.push(n)\n\n    fn last() -> i64?:\n        if items.is_empty():\n            return nil\n        items.last()\n\nfn kind(n: i64) -> text:\n    match n:\n        case 0: \"none\"\n        case _: \"some\"\n\nfn never(n: i64) -> i64:\n    val m = n + 1\n    m * 2\n";

const GOOD: &str = "use stack.{Stack, kind}\n\ndescribe \"a stack\":\n    it \"pushes\":\n        val s = Stack()\n        s.push(3)\n        expect(s.last()).to_equal(3)\n    it \"has a kind\":\n        expect(kind(1)).to_equal(\"some\")\n";

fn folder(name: &str, files: &[(&str, &str)]) -> Folder {
    let folder = Folder::new(&format!("test-command-{name}"));
    for (file, text) in files {
        folder.write(file, text);
    }
    folder
}

fn test(folder: &Folder, words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_simple"))
        .env(
            "SIMPLE_HOME",
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."),
        )
        .env_remove("LIBTORCH_PATH")
        .stdin(Stdio::null())
        .current_dir(folder.path(""))
        .arg("test")
        .args(words)
        .output()
        .expect("simple starts")
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn read(folder: &Folder, file: &str) -> String {
    std::fs::read_to_string(folder.path(file)).expect("a report")
}

#[test]
fn long_values_are_compared_part_by_part() {
    let spec = "it \"lists\":\n    expect((0..60).map(\\i: if i == 30: 7 else: i)).to_equal((0..60).map(\\i: i))\nit \"texts\":\n    expect(\"one\\ntwo\\nthree\").to_equal(\"one\\n2\\nthree\")\nit \"short\": expect(1).to_equal(2)\nit \"turned round\": expect(\"a\\nb\").not.to_equal(\"a\\nb\")\n";
    let folder = folder("difference", &[("a_spec.spl", spec)]);
    let output = test(&folder, &["a_spec.spl"]);
    let shown = stdout(&output);
    assert_eq!(output.status.code(), Some(1));
    for part in [
        "    the values differ (- expected, + got):\n      ... 28 equal\n      [28] 28\n      [29] 29\n    - [30] 30\n    + [30] 7\n      [31] 31\n",
        "      one\n    - 2\n    + two\n      three\n    at a_spec.spl:4\n",
        "    expected: 2\n         got: 1\n",
        "    expected: not a\n    b\n",
    ] {
        assert!(shown.contains(part), "{part}\n{shown}");
    }
}

#[test]
fn an_example_that_does_not_end_fails_and_the_next_one_runs() {
    let spec = "it \"never ends\":\n    var n = 0\n    while true: n += 1\n    expect n > 0\nit \"catches all\":\n    for _ in 0..2:\n        try:\n            while true: pass\n        catch: pass\nit \"goes on\": expect true\n";
    let folder = folder("timeout", &[("a_spec.spl", spec)]);
    let output = test(&folder, &["--timeout", "0.3", "a_spec.spl"]);
    let shown = stdout(&output);
    let first = "✗ never ends\n    did not end within 0.3 s (--timeout)\n    at a_spec.spl:3\n";
    assert!(shown.starts_with(first), "{shown}");
    // What does not stop when it is asked to ends its file.
    let last = "a_spec.spl: catches all: did not end within 0.3 s (--timeout), which ends the file\n0 passed, 2 failed\n";
    assert!(shown.ends_with(last), "{shown}");
    assert_eq!(output.status.code(), Some(1));
    let output = test(
        &folder,
        &["--timeout", "20", "--filter", "goes on", "a_spec.spl"],
    );
    assert_eq!(stdout(&output), "✓ goes on\n1 passed, 0 failed\n");
    assert_eq!(
        test(&folder, &["--timeout", "0", "a_spec.spl"])
            .status
            .code(),
        Some(2)
    );
}

#[test]
fn code_that_waits_ends_its_file() {
    let spec =
        "use std.time.{sleep_ms}\nit \"waits\": sleep_ms(60000)\nit \"is lost\": expect true\n";
    let folder = folder(
        "waits",
        &[
            ("a_spec.spl", spec),
            ("b_spec.spl", "it \"runs\": expect true\n"),
        ],
    );
    let output = test(&folder, &["--timeout", "0.2", "--jobs", "1"]);
    let shown = stdout(&output);
    let expected = "a_spec.spl\na_spec.spl: waits: did not end within 0.2 s (--timeout), which ends the file\nb_spec.spl\n✓ runs\n1 passed, 1 failed\n";
    assert_eq!(shown, expected);
}

#[test]
fn times_of_examples() {
    let spec =
        "use std.time.{sleep_ms}\nit \"is slow\": sleep_ms(30)\nit \"is fast\": expect true\n";
    let folder = folder("times", &[("a_spec.spl", spec)]);
    let shown = stdout(&test(&folder, &["--times", "a_spec.spl"]));
    let lines: Vec<&str> = shown.lines().collect();
    assert!(
        lines[0].starts_with("✓ is slow (") && lines[0].ends_with("s)"),
        "{shown}"
    );
    assert_eq!(lines[2], "slowest:");
    assert!(lines[3].ends_with(" s  a_spec.spl: is slow"), "{shown}");
    assert!(!stdout(&test(&folder, &["a_spec.spl"])).contains('('));
}

#[test]
fn a_report_in_the_form_of_junit() {
    let spec = "describe \"a & b\":\n    it \"holds\": expect true\n    it \"fails <here>\": expect(1).to_equal(2)\n    skip_it \"later\": pass\n";
    let dies = "it \"leaves\": exit(3)\n";
    let folder = folder("junit", &[("a_spec.spl", spec), ("b_spec.spl", dies)]);
    let output = test(&folder, &["--junit", "report.xml"]);
    assert_eq!(output.status.code(), Some(1));
    let report = read(&folder, "report.xml");
    for part in [
        "<testsuites tests=\"4\" failures=\"2\" skipped=\"1\" time=\"",
        "<testsuite name=\"a_spec.spl\" tests=\"3\" failures=\"1\" skipped=\"1\" time=\"",
        "<testcase classname=\"a &amp; b\" name=\"holds\" file=\"a_spec.spl\" time=\"0.",
        "<failure message=\"expected: 2\">expected: 2&#10;     got: 1&#10;at a_spec.spl:3</failure>",
        "<skipped message=\"skipped\"/>",
        "name=\"leaves\" file=\"b_spec.spl\" time=\"0\">\n      <failure message=\"ended early, with exit code 3, in `leaves`\"/>",
    ] {
        assert!(report.contains(part), "{part}\n{report}");
    }
}

#[test]
fn lines_that_ran() {
    let folder = folder(
        "coverage",
        &[
            ("stack.spl", STACK),
            ("a_spec.spl", GOOD),
            (
                "b_spec.spl",
                "use stack.{kind}\nit \"is none\": expect(kind(0)).to_equal(\"none\")\n",
            ),
        ],
    );
    let output = test(&folder, &["--coverage=lines.info"]);
    let shown = stdout(&output);
    assert_eq!(output.status.code(), Some(0), "{shown}");
    let expected = "lines that ran\n  66.7 %        6 of 9  stack.spl  without 10, 19-20\n  66.7 %        6 of 9  all\n3 passed, 0 failed\n";
    assert!(shown.ends_with(expected), "{shown}");
    let report = read(&folder, "lines.info");
    assert!(report.contains("/stack.spl\nDA:6,1\nDA:9,1\nDA:10,0\nDA:11,1\nDA:14,2\nDA:15,1\nDA:16,1\nDA:19,0\nDA:20,0\nLF:9\nLH:6\n"), "{report}");
    let table = stdout(&test(
        &folder,
        &["--coverage", "--filter", "kind", "a_spec.spl"],
    ));
    assert!(
        table.contains("2 of 9  stack.spl  without 6-11, 15, 19-20"),
        "{table}"
    );
}
