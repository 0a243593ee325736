//! `simple --watch`, and what shells and `man` get.

use simple_testing::Folder;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

fn simple(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_simple"));
    command
        .env(
            "SIMPLE_HOME",
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."),
        )
        .env_remove("LIBTORCH_PATH")
        .stdin(Stdio::null())
        .current_dir(folder);
    command
}

/// A program that is watched, and the lines that it and its watcher write.
struct Watched {
    process: Child,
    lines: Receiver<String>,
}

impl Watched {
    fn start(folder: &Folder, words: &[&str]) -> Watched {
        let mut process = simple(&folder.path(""))
            .args(words)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("simple starts");
        let (sender, lines) = channel();
        let output = process.stdout.take().expect("a pipe");
        let errors = process.stderr.take().expect("a pipe");
        let other = sender.clone();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                let _ = sender.send(line);
            }
        });
        std::thread::spawn(move || {
            for line in BufReader::new(errors).lines().map_while(Result::ok) {
                let _ = other.send(line);
            }
        });
        Watched { process, lines }
    }

    /// Waits for a line that contains this.
    fn wait_for(&self, part: &str) {
        let mut seen = Vec::new();
        while let Ok(line) = self.lines.recv_timeout(Duration::from_secs(60)) {
            if line.contains(part) {
                return;
            }
            seen.push(line);
        }
        panic!("no line has `{part}`:\n{}", seen.join("\n"));
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
fn a_program_runs_again_when_a_file_that_it_read_changes() {
    let folder = Folder::new("watching");
    folder.write("part.spl", "fn word() -> text: \"one\"\n");
    folder.write("data.txt", "first");
    folder.write(
        "main.spl",
        "use part.{word}\nuse std.io.{file_read, file_write}\nprint word(), file_read(\"data.txt\")\nfile_write(\"out.txt\", word())\n",
    );
    let watched = Watched::start(&folder, &["--watch", "main.spl"]);
    watched.wait_for("one first");
    watched.wait_for("ended with 0; waiting for a change");
    folder.write("part.spl", "fn word() -> text: \"two\"\n");
    watched.wait_for("part.spl has changed");
    watched.wait_for("two first");
    watched.wait_for("ended with 0");
    folder.write("data.txt", "second");
    watched.wait_for("data.txt has changed");
    watched.wait_for("two second");
    watched.wait_for("ended with 0");
    // A program that is refused is looked at too, and one that does not end is ended.
    folder.write("part.spl", "fn word() -> i64: \"three\"\n");
    watched.wait_for("error[E0301]");
    watched.wait_for("ended with 1");
    folder.write(
        "part.spl",
        "fn word() -> text: \"four\"\nprint \"begins\"\nwhile true: pass\n",
    );
    watched.wait_for("begins");
    folder.write("part.spl", "fn word() -> text: \"five\"\n");
    watched.wait_for("five second");
}

#[test]
fn what_cannot_be_watched() {
    let folder = Folder::new("watching-not");
    for words in [&["--watch", "-c", "print 1"][..], &["run", "--watch"]] {
        let output = simple(&folder.path(""))
            .args(words)
            .output()
            .expect("simple starts");
        assert_eq!(output.status.code(), Some(2), "{words:?}");
    }
}

fn printed(words: &[&str]) -> String {
    let folder = Folder::new(&format!("shell-{}", words.join("-")));
    let output = simple(&folder.path(""))
        .args(words)
        .output()
        .expect("simple starts");
    assert!(output.status.success(), "{words:?}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn completions_and_manual_pages() {
    for (shell, part) in [
        ("bash", "_simple()"),
        ("zsh", "#compdef simple"),
        ("fish", "complete -c simple"),
    ] {
        let text = printed(&["completions", shell]);
        assert!(text.contains(part) && text.contains("doctest"), "{shell}");
    }
    // bash can read it.
    let folder = Folder::new("shell-bash");
    folder.write("simple.bash", &printed(&["completions", "bash"]));
    let words = "source simple.bash; COMP_WORDS=(simple tes); COMP_CWORD=1; _simple simple tes simple; echo ${COMPREPLY[@]}";
    if let Ok(output) = Command::new("bash")
        .args(["-c", words])
        .current_dir(folder.path(""))
        .output()
    {
        assert_eq!(String::from_utf8_lossy(&output.stdout), "test\n");
    }
    let page = printed(&["man"]);
    assert!(
        page.contains(".TH simple 1") && page.contains("simple\\-test(1)"),
        "{page}"
    );
    let output = simple(&folder.path(""))
        .args(["man", "-o", "pages"])
        .output()
        .expect("simple starts");
    assert!(output.status.success());
    let page = std::fs::read_to_string(folder.path("pages/simple-test.1")).expect("a page");
    assert!(page.contains("junit"), "{page}");
}
