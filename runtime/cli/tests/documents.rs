//! The programs in the documents: each must do what the text around it says.
//!
//! A block tagged `simple` is run and must end with 0; if an `output` block follows, that is what it must print. `simple:check` is only
//! compiled, `simple:fail` must be refused or end in an error, and an `output` block behind it must be part of what it says.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

struct Example {
    place: String,
    tag: String,
    code: String,
    output: Option<String>,
}

fn documents() -> Vec<PathBuf> {
    fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder)
            .expect("a readable folder")
            .flatten()
        {
            let path = entry.path();
            if path.is_dir() {
                collect(&path, found);
            } else if path.extension().is_some_and(|ending| ending == "md") {
                found.push(path);
            }
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut found = vec![root.join("README.md")];
    collect(&root.join("doc"), &mut found);
    found.sort();
    found
}

fn examples(path: &Path) -> Vec<Example> {
    let text = std::fs::read_to_string(path).expect("a readable document");
    let mut examples: Vec<Example> = Vec::new();
    let mut lines = text.lines().enumerate();
    let mut last_end = None;
    while let Some((number, line)) = lines.next() {
        let Some(tag) = line.strip_prefix("```").filter(|tag| !tag.is_empty()) else {
            if !line.trim().is_empty() {
                last_end = None;
            }
            continue;
        };
        let body: Vec<&str> = lines
            .by_ref()
            .map(|(_, line)| line)
            .take_while(|line| *line != "```")
            .collect();
        let code = body.join("\n") + "\n";
        if tag == "output" {
            let index: usize = last_end
                .unwrap_or_else(|| panic!("{}:{}: output of nothing", path.display(), number + 1));
            examples[index].output = Some(code);
        } else if tag == "simple" || tag.starts_with("simple:") {
            examples.push(Example {
                place: format!("{}:{}", path.display(), number + 2),
                tag: tag.to_owned(),
                code,
                output: None,
            });
            last_end = Some(examples.len() - 1);
        }
    }
    examples
}

fn run(example: &Example) -> Result<(), String> {
    let folder = std::env::temp_dir().join(format!("simple-documents-{}", std::process::id()));
    std::fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    let file = folder.join("example.spl");
    std::fs::write(&file, &example.code).map_err(|error| error.to_string())?;
    let mut command = Command::new(env!("CARGO_BIN_EXE_simple"));
    if example.tag == "simple:check" {
        command.arg("check");
    }
    let output = command
        .arg("example.spl")
        .current_dir(&folder)
        .env(
            "SIMPLE_HOME",
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."),
        )
        .stdin(Stdio::null())
        .output()
        .map_err(|error| error.to_string())?;
    let _ = std::fs::remove_dir_all(&folder);
    let stdout = String::from_utf8_lossy(&output.stdout);
    let stderr = String::from_utf8_lossy(&output.stderr);
    let wants_success = example.tag != "simple:fail";
    if output.status.success() != wants_success {
        return Err(format!(
            "{}: ended with {}\n{stdout}{stderr}",
            example.place, output.status
        ));
    }
    match &example.output {
        Some(expected) if wants_success && stdout != expected.as_str() => Err(format!(
            "{}: printed\n{stdout}instead of\n{expected}",
            example.place
        )),
        Some(expected)
            if !wants_success && !(stdout.to_string() + &stderr).contains(expected.trim_end()) =>
        {
            Err(format!(
                "{}: said\n{stdout}{stderr}instead of\n{expected}",
                example.place
            ))
        }
        _ => Ok(()),
    }
}

#[test]
fn every_example_in_the_documents_does_what_it_says() {
    let mut count = 0;
    let mut problems = Vec::new();
    for document in documents() {
        for example in examples(&document) {
            count += 1;
            problems.extend(run(&example).err());
        }
    }
    assert!(count > 0, "no examples found");
    assert!(problems.is_empty(), "{}", problems.join("\n\n"));
}
