//! What computes tensors, as a user chooses it: which module `lib.backend` is, what wins over what, and what is said where it does not work out.
//!
//! The library is a small one of its own, so that no tensors and no libtorch are needed; programs on libtorch are in `torch.rs`.

use simple_testing::Folder;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// A library with two backends, a project and a place for both, gone when the test ends.
struct Place(Folder);

/// Asks for the backend and says which it is.
const WHO: &str = "use lib.backend.{who}\nprint who()\n";

/// A library in place of tensors: what it says of itself.
const BACKENDS: [(&str, &str); 6] = [
    // What `lib.torch` exports is meant before a module of that name.
    (
        "home/lib/torch/who.spl",
        "export late\nfn late() -> text: \"late\"\n",
    ),
    (
        "home/lib/torch/backend.spl",
        "export who\nfn who() -> text: \"torch\"\n",
    ),
    (
        "home/lib/native/backend.spl",
        "export who\nfn who() -> text: \"native\"\n",
    ),
    ("home/lib/torch/mod.spl", "export use lib.backend.{who}\n"),
    (
        "home/lib/torch/stream.spl",
        "export wait\nfn wait() -> text: \"waited\"\n",
    ),
    (
        "cwd/tests/recorder.spl",
        "export who\nfn who() -> text: \"recorder\"\n",
    ),
];

impl Place {
    fn new(name: &str) -> Place {
        let place = Place(Folder::new(&format!("backend-{name}")));
        for (file, text) in BACKENDS {
            place.write(file, text);
        }
        let library = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../lib/std");
        std::os::unix::fs::symlink(library, place.0.join("home/lib/std"))
            .expect("link the library");
        std::fs::create_dir_all(place.0.join("home/lib/torch/ffi")).expect("make a folder");
        place
    }

    fn write(&self, file: &str, text: &str) {
        self.0.write(file, text);
    }

    /// Runs `simple` in the project, where there is no libtorch.
    fn run(&self, words: &[&str], variables: &[(&str, &str)]) -> Output {
        self.command(words, variables)
            .output()
            .expect("simple starts")
    }

    fn command(&self, words: &[&str], variables: &[(&str, &str)]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_simple"));
        command
            .args(words)
            .env("SIMPLE_HOME", self.0.join("home"))
            .env("HOME", self.0.join("home"))
            .env_remove("LIBTORCH_PATH")
            .env_remove("SIMPLE_DL_BACKEND")
            .env_remove("SIMPLE_DL_DEVICE")
            .envs(variables.iter().copied())
            .current_dir(self.0.join("cwd"))
            .stdin(Stdio::null());
        command
    }

    /// What a program prints, which must not fail.
    #[track_caller]
    fn prints(&self, words: &[&str], variables: &[(&str, &str)]) -> String {
        let output = self.run(words, variables);
        assert_eq!(output.status.code(), Some(0), "{words:?}: {output:?}");
        text(&output.stdout)
    }

    /// What a program says that must fail.
    #[track_caller]
    fn fails(&self, words: &[&str], variables: &[(&str, &str)]) -> String {
        let output = self.run(words, variables);
        assert_ne!(output.status.code(), Some(0), "{words:?}: {output:?}");
        text(&output.stderr)
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn the_command_line_wins_over_environment_program_and_files() {
    let place = Place::new("layers");
    place.write("cwd/a.spl", WHO);
    assert_eq!(place.prints(&["a.spl"], &[]), "native\n");
    place.write("cwd/dl.config.sdn", "dl:\n    backend: torch\n");
    assert_eq!(place.prints(&["a.spl"], &[]), "torch\n");
    place.write("cwd/a.spl", &format!("#![backend(native)]\n{WHO}"));
    assert_eq!(place.prints(&["a.spl"], &[]), "native\n");
    let variable = [("SIMPLE_DL_BACKEND", "torch")];
    assert_eq!(place.prints(&["a.spl"], &variable), "torch\n");
    for option in [
        &["--backend", "tests.recorder"][..],
        &["--backend=tests.recorder"],
    ] {
        let words = [option, &["a.spl"]].concat();
        assert_eq!(place.prints(&words, &variable), "recorder\n");
    }
    // Device and backend of different layers: what gives way is named.
    let output = place.run(&["--device", "cuda", "a.spl"], &[]);
    assert_eq!(text(&output.stdout), "torch\n");
    let said = text(&output.stderr);
    assert!(
        said.contains("--device: the device is `cuda:0`, so `backend: native` of a.spl:1:12"),
        "{said}"
    );
}

#[test]
fn auto_takes_libtorch_only_where_nothing_else_will_do() {
    let place = Place::new("auto");
    place.write(
        "cwd/part.spl",
        "use lib.torch.stream.{wait}\nexport go\nfn go() -> text: wait()\n",
    );
    for (code, expected) in [
        (WHO.to_owned(), "native\n"),
        ("use lib.torch.{who}\nprint who()\n".to_owned(), "native\n"),
        (
            format!("use lib.torch.stream.{{wait}}\n{WHO}print wait()\n"),
            "torch\nwaited\n",
        ),
        (
            format!("use part.{{go}}\n{WHO}print go()\n"),
            "torch\nwaited\n",
        ),
        ("use lib.torch.who\nprint who()\n".to_owned(), "native\n"),
        (
            format!("use lib.torch.{{stream}}\n{WHO}print stream.wait()\n"),
            "torch\nwaited\n",
        ),
        (format!("extern fn rt_torch_x() -> i64\n{WHO}"), "torch\n"),
    ] {
        assert_eq!(place.prints(&["-c", &code], &[]), expected, "{code}");
        assert!(
            place
                .prints(&["--backend", "native", "-c", &code], &[])
                .starts_with("native\n")
        );
    }
    let strict = "device: \"cuda:0\"\nfallback: false\n";
    place.write("cwd/dl.config.sdn", strict);
    assert_eq!(place.prints(&["-c", WHO], &[]), "torch\n");
    // Whoever names a libtorch wants that one.
    place.write("cwd/dl.config.sdn", "");
    let path = [("LIBTORCH_PATH", "/nowhere")];
    assert_eq!(place.prints(&["-c", WHO], &path), "torch\n");
}

#[test]
fn a_module_of_the_project_takes_the_place() {
    let place = Place::new("own");
    place.write("cwd/deep/a.spl", WHO);
    place.write("cwd/simple.sdn", "");
    place.write("cwd/dl.config.sdn", "backend: tests.recorder\n");
    assert_eq!(place.prints(&["deep/a.spl"], &[]), "recorder\n");
    place.write("cwd/dl.config.sdn", "dl:\n    backend: tests.recordr\n");
    let said = place.fails(&["deep/a.spl"], &[]);
    for part in [
        "cannot read the module `lib.backend`",
        "`backend: tests.recordr` (dl.config.sdn:2:14 says so), and there is no module `tests.recordr`",
        "deep/a.spl:1:5",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    place.write("cwd/dl.config.sdn", "backend: torch\n");
    place.write(
        "cwd/lib/backend.spl",
        "export who\nfn who() -> text: \"own\"\n",
    );
    assert_eq!(place.prints(&["deep/a.spl"], &[]), "own\n");
    assert_eq!(
        place.prints(&["--backend", "native", "deep/a.spl"], &[]),
        "native\n"
    );
}

#[test]
fn check_test_sessions_and_doctests_follow_the_same_choice() {
    let place = Place::new("commands");
    place.write("cwd/bad.spl", "use lib.backend.{only}\nprint only()\n");
    place.write(
        "home/lib/native/backend.spl",
        "export who, only\nfn who() -> text: \"native\"\nfn only() -> i64: 1\n",
    );
    assert_eq!(place.prints(&["check", "bad.spl"], &[]), "");
    let said = place.fails(&["check", "--backend", "torch", "bad.spl"], &[]);
    assert!(said.contains("only"), "{said}");
    let spec = format!(
        "use std.spec.*\n{}it \"is\": expect(who()).to_equal(\"torch\")\n",
        WHO.replace("print who()\n", "")
    );
    place.write("cwd/a_spec.spl", &spec);
    place.fails(&["test", "a_spec.spl"], &[]);
    assert!(
        place
            .prints(&["test", "--backend", "torch", "a_spec.spl"], &[])
            .contains("1 passed")
    );
    place.write("cwd/a_spec.spl", &format!("{spec}#![backend(torch)]\n"));
    assert!(
        place
            .prints(&["test", "a_spec.spl"], &[])
            .contains("1 passed")
    );
    place.write(
        "cwd/doc.spl",
        "use lib.backend.{who}\nexport name\n## >>> name()\n## torch\nfn name() -> text: who()\n",
    );
    let torch = [("SIMPLE_DL_BACKEND", "torch")];
    assert!(
        place
            .prints(&["doctest", "doc.spl"], &torch)
            .starts_with("1 passed")
    );
    place.fails(&["doctest", "doc.spl"], &[]);
}

#[test]
fn a_session_chooses_once_and_again_after_a_reset() {
    use std::io::Write;
    let place = Place::new("session");
    let entries = "#![backend(torch)]\nuse lib.backend.{who}\nwho()\n#![backend(native)]\nwho()\n:reset\n#![backend(native)]\nuse lib.backend.{who}\nwho()\n";
    let mut child = place
        .command(&["repl"], &[])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("simple starts");
    let mut input = child.stdin.take().expect("its input");
    input.write_all(entries.as_bytes()).expect("it reads");
    drop(input);
    let output = child.wait_with_output().expect("it ends");
    let words: Vec<String> = text(&output.stdout)
        .lines()
        .map(|line| line.trim_matches('"').to_owned())
        .collect();
    assert_eq!(words, ["torch", "torch", "native"], "{output:?}");
    let said = text(&output.stderr);
    assert_eq!(
        said.matches("comes too late: this session computes with `torch`")
            .count(),
        1,
        "{said}"
    );
}

#[test]
fn what_libtorch_has_is_an_error_on_native_tensors() {
    let place = Place::new("extern");
    let manifest = "# library: libsimple_torch 2.11.0\n@fails(never)\nextern fn rt_torch_x(a: i64) -> i64\n\
                    @fails(never) @absent(0)\nextern fn rt_torch_there() -> bool\n";
    place.write("home/lib/torch/ffi/a.spl", manifest);
    let code = "#![backend(native)]\nextern fn rt_torch_x(a: i64) -> i64\nextern fn rt_torch_there() -> bool\n\
                extern fn rt_torch_unavailable_reason() -> text\n\
                print rt_torch_there(), rt_torch_unavailable_reason()\nprint rt_torch_x(1)\n";
    place.write("cwd/a.spl", code);
    let output = place.run(&["a.spl"], &[]);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(
        text(&output.stdout),
        "false this program runs on `backend: native`: a.spl:1:12 says so\n"
    );
    for part in [
        "cannot call `rt_torch_x`: this program runs on `backend: native`, which does not have it: a.spl:1:12 says so",
        "`backend: torch` has it: `simple --backend torch ...`",
        "a.spl:6:7",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    // With libtorch chosen and missing, what is missing is said.
    let said = place.fails(&["--backend", "torch", "a.spl"], &[]);
    assert!(
        said.contains("libsimple_torch 2.11.0 is not available"),
        "{said}"
    );
}

#[test]
fn what_means_nothing_is_said() {
    let place = Place::new("words");
    for (option, hint) in [
        ("natve", "did you mean `native`?"),
        ("torhc", "did you mean `torch`?"),
    ] {
        for words in [
            &["--backend", option, "-c", WHO][..],
            &["check", "--backend", option, "x.spl"],
        ] {
            assert!(place.fails(words, &[]).contains(hint), "{words:?}");
        }
    }
    let output = place.run(&["--backend", "llvm", "-c", WHO], &[]);
    assert_eq!(
        (text(&output.stdout), text(&output.stderr)),
        (
            "native\n".to_owned(),
            "warning: --backend has no effect here\n".to_owned()
        )
    );
    // As all of the configuration, it is an error when the program asks.
    let asks = "use std.dl.config.{load_config}\nprint load_config().backend\n";
    place.write("cwd/a.spl", &format!("#![backend(natve)]\n{asks}"));
    let said = place.fails(&["a.spl"], &[]);
    assert!(
        said.contains("a.spl:1:12: unknown backend `natve`; did you mean `native`?"),
        "{said}"
    );
    place.write("cwd/b.spl", "#![backend(torch)]\n");
    place.write("cwd/a.spl", &format!("use b\n#![backend(native)]\n{asks}"));
    let said = place.fails(&["a.spl"], &[]);
    for part in ["b.spl:1:12", "a.spl:2:12", "leave one of them out"] {
        assert!(said.contains(part), "{part}: {said}");
    }
}

#[test]
fn a_program_can_ask_what_computes_and_why() {
    let place = Place::new("ask");
    let asks = "use std.dl.config.{dl, Backend, backend_in_use, backend_reason, load_config}\n\
                print load_config().backend, backend_in_use(), backend_reason()\ndl.backend(Backend.PyTorch)\nprint backend_in_use()\n";
    place.write("cwd/dl.config.sdn", "backend: native\n");
    let output = place.run(&["-c", asks], &[]);
    assert_eq!(
        text(&output.stdout),
        "native native dl.config.sdn:1:10 says so\nnative\n",
        "{output:?}"
    );
    let said = text(&output.stderr);
    assert!(
        said.contains("`dl.backend` with `torch` comes too late"),
        "{said}"
    );
    place.write("cwd/dl.config.sdn", "backend: auto\n");
    let found = place.prints(&["-c", asks], &[]);
    assert!(
        found.starts_with("auto native `auto` of dl.config.sdn:1:10 found no libtorch: "),
        "{found}"
    );
}
