//! Projects: `simple new`, `simple add`, `simple build`, and what programs import of dependencies.

use simple_testing::Folder;
use std::path::Path;
use std::process::{Command, Output, Stdio};

fn simple(folder: &Path, words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_simple"))
        .env(
            "SIMPLE_HOME",
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."),
        )
        .env("SIMPLE_NO_SETUP", "1")
        .env_remove("LIBTORCH_PATH")
        .stdin(Stdio::null())
        .current_dir(folder)
        .args(words)
        .output()
        .expect("simple starts")
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// What a command that must succeed prints.
fn done(folder: &Path, words: &[&str]) -> String {
    let output = simple(folder, words);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success(),
        "{words:?}\n{}{errors}",
        stdout(&output)
    );
    stdout(&output)
}

/// What a command that must fail says, with its exit code.
fn refused(folder: &Path, words: &[&str]) -> (Option<i32>, String) {
    let output = simple(folder, words);
    (
        output.status.code(),
        String::from_utf8_lossy(&output.stderr).into_owned(),
    )
}

fn git(folder: &Path, words: &[&str]) -> String {
    let output = Command::new("git")
        .args([
            "-c",
            "user.name=T",
            "-c",
            "user.email=t@example.org",
            "-c",
            "init.defaultBranch=main",
        ])
        .args(words)
        .current_dir(folder)
        .output()
        .expect("git runs");
    assert!(
        output.status.success(),
        "git {words:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    stdout(&output).trim().to_owned()
}

#[test]
fn a_new_project_runs_is_tested_and_built() {
    let folder = Folder::new("projects-new");
    let here = folder.path("");
    let said = done(&here, &["new", "rocket"]);
    assert!(
        said.starts_with("made rocket; next: `simple rocket/main.spl`"),
        "{said}"
    );
    assert_eq!(done(&here, &["rocket/main.spl", "Ada"]), "Hello, Ada!\n");
    assert!(done(&here, &["test", "rocket"]).ends_with("1 passed, 0 failed\n"));
    assert_eq!(done(&here, &["fmt", "--check", "rocket"]), "");
    assert_eq!(
        done(&here, &["build", "rocket"]),
        "made rocket/target/rocket\n"
    );
    let made = Command::new(here.join("rocket/target/rocket"))
        .output()
        .expect("the executable");
    assert_eq!(stdout(&made), "Hello, world!\n");
    // Below the project too.
    assert_eq!(
        done(&here.join("rocket/src"), &["build"]).lines().count(),
        1
    );
    let (code, said) = refused(&here, &["new", "rocket"]);
    assert!(code == Some(1) && said.contains("is not empty"), "{said}");
    let (code, said) = refused(&here, &["new", "my-rocket"]);
    assert!(
        code == Some(2) && said.contains("cannot be called `my-rocket`"),
        "{said}"
    );
}

#[test]
fn what_does_not_check_is_not_built() {
    let folder = Folder::new("projects-wrong");
    let here = folder.path("");
    done(&here, &["new", "rocket"]);
    folder.write("rocket/src/more.spl", "fn f() -> i64: \"a\"\n");
    let (code, said) = refused(&here.join("rocket"), &["build"]);
    assert!(code == Some(1) && said.contains("more.spl:1"), "{said}");
    assert!(!here.join("rocket/target/rocket").exists());
}

#[test]
fn dependencies_by_path_and_theirs() {
    let folder = Folder::new("projects-path");
    let here = folder.path("");
    for name in ["words", "letters"] {
        assert!(done(&here, &["new", "--lib", name]).contains("next: `simple test"));
    }
    done(&here, &["new", "rocket"]);
    folder.write(
        "letters/src/letters.spl",
        "fn upper_of(s: text) -> text: s.upper()\n",
    );
    folder.write(
        "letters/src/letters_spec.spl",
        "it \"is here\": expect true\n",
    );
    folder.write("words/src/deep/er.spl", "use letters.{upper_of}\nuse words.{greeting}\nfn loud(s: text) -> text: upper_of(greeting(s))\n");
    assert_eq!(
        done(&here.join("words"), &["add", "../letters"]),
        "added letters; modules import it by `use letters.{...}`\n"
    );
    let rocket = here.join("rocket");
    done(&rocket, &["add", "../words"]);
    folder.write(
        "rocket/main.spl",
        "use words.{greeting}\nuse words.deep.er.{loud}\nprint greeting(\"a\"), loud(\"b\")\n",
    );
    assert_eq!(done(&here, &["rocket/main.spl"]), "Hello, a! HELLO, B!\n");
    assert_eq!(done(&rocket, &["build"]), "made target/rocket\n");
    // What a dependency depends on is not a dependency of the program.
    folder.write(
        "rocket/main.spl",
        "use letters.{upper_of}\nprint upper_of(\"a\")\n",
    );
    let (_, said) = refused(&rocket, &["main.spl"]);
    assert!(said.contains("there is no module `letters`"), "{said}");
    // A changed manifest counts for a program that was compiled before.
    folder.write(
        "rocket/main.spl",
        "use words.{greeting}\nprint greeting(\"a\")\n",
    );
    assert_eq!(done(&rocket, &["main.spl"]), "Hello, a!\n");
    folder.write(
        "rocket/simple.sdn",
        "project:\n    name: rocket\n    version: \"0.1.0\"\n",
    );
    assert!(
        refused(&rocket, &["main.spl"])
            .1
            .contains("there is no module `words`")
    );
    folder.write("rocket/simple.sdn", "project:\n    name: rocket\n    version: \"0.1.0\"\ndependencies:\n    words: {pth: \"../words\"}\n");
    let (_, said) = refused(&rocket, &["main.spl"]);
    assert!(
        said.contains("simple.sdn: ") && said.contains("pth"),
        "{said}"
    );
    folder.write("rocket/simple.sdn", "project:\n    name: rocket\n    version: \"0.1.0\"\ndependencies:\n    words: {path: \"../gone\"}\n");
    let (code, said) = refused(&rocket, &["build"]);
    assert!(
        code == Some(1) && said.contains("cannot find the folder"),
        "{said}"
    );
}

#[test]
fn dependencies_by_git_revision_and_their_hashes() {
    if Command::new("git").arg("--version").output().is_err() {
        eprintln!("without git nothing is fetched");
        return;
    }
    let folder = Folder::new("projects-git");
    let here = folder.path("");
    done(&here, &["new", "--lib", "plots"]);
    let plots = here.join("plots");
    git(&plots, &["init", "--quiet"]);
    git(&plots, &["add", "."]);
    git(&plots, &["commit", "--quiet", "-m", "first"]);
    git(&plots, &["tag", "v1"]);
    let first = git(&plots, &["rev-parse", "HEAD"]);
    let url = format!("file://{}", plots.display());
    done(&here, &["new", "rocket"]);
    let rocket = here.join("rocket");
    folder.write(
        "rocket/main.spl",
        "use plots.{greeting}\nprint greeting(\"a\")\n",
    );
    assert!(done(&rocket, &["add", &url, "--rev", "v1"]).starts_with("added plots;"));
    assert_eq!(done(&rocket, &["main.spl"]), "Hello, a!\n");
    let read = |file: &str| std::fs::read_to_string(rocket.join(file)).expect("a file");
    assert!(read("simple.sdn").contains(&format!("plots: {{git: \"{url}\", rev: \"v1\"}}")));
    let lock = read("simple.lock");
    assert!(lock.contains(&format!("commit: \"{first}\"")), "{lock}");
    assert!(!rocket.join(".simple/deps/plots/.git").exists());

    // The lock file counts, not what the tag is now.
    folder.write(
        "plots/src/plots.spl",
        "fn greeting(s: text) -> text: \"Bye, {s}!\"\n",
    );
    git(&plots, &["commit", "--quiet", "-am", "second"]);
    git(&plots, &["tag", "--force", "v1"]);
    std::fs::remove_dir_all(rocket.join(".simple")).expect("it was there");
    assert!(
        refused(&rocket, &["main.spl"])
            .1
            .contains(".simple/deps/plots")
    );
    assert!(done(&rocket, &["build"]).contains("made target/rocket"));
    assert_eq!(done(&rocket, &["main.spl"]), "Hello, a!\n");
    assert_eq!(read("simple.lock"), lock);

    // Other files than those of the lock file are refused, here and from there.
    folder.write(
        "rocket/.simple/deps/plots/src/plots.spl",
        "fn greeting(s: text) -> text: s\n",
    );
    let (code, said) = refused(&rocket, &["build"]);
    assert!(
        code == Some(1) && said.contains("are not those of simple.lock"),
        "{said}"
    );
    std::fs::remove_dir_all(rocket.join(".simple")).expect("it was there");
    let at = lock.find("hash: \"").expect("a hash") + 7;
    let mut other = lock.clone();
    other.replace_range(at..at + 4, "0000");
    folder.write("rocket/simple.lock", &other);
    let (code, said) = refused(&rocket, &["build"]);
    assert!(
        code == Some(1) && said.contains("is not what simple.lock says"),
        "{said}"
    );
    assert!(!rocket.join(".simple/deps/plots").exists());

    // Without a revision the newest commit is written down.
    let second = git(&plots, &["rev-parse", "HEAD"]);
    folder.write("rocket/simple.lock", "");
    done(&rocket, &["add", &url]);
    assert!(read("simple.sdn").contains(&format!("rev: \"{second}\"")));
    assert_eq!(done(&rocket, &["main.spl"]), "Bye, a!\n");
    let (code, said) = refused(&rocket, &["add", &url, "--rev", "v9"]);
    assert!(
        code == Some(1) && said.contains("has no revision `v9`"),
        "{said}"
    );
    let (code, said) = refused(&rocket, &["add", "file:///nowhere/at.all.git"]);
    assert!(code == Some(1) && said.contains("cannot fetch"), "{said}");
}

#[test]
fn outside_of_a_project() {
    let folder = Folder::new("projects-outside");
    let here = folder.path("");
    let (code, said) = refused(&here, &["add", "."]);
    assert!(
        code == Some(2) && said.contains("`simple new NAME` makes one"),
        "{said}"
    );
    let (code, said) = refused(&here, &["build", "."]);
    assert!(code == Some(2) && said.contains("simple.sdn"), "{said}");
}
