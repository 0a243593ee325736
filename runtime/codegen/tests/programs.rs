//! Whole programs from source text: parsed, checked, lowered, compiled and run.
//!
//! Each file of `tests/programs` is a program that ends in `# expect:` and its output as comments: what it prints, then `exit`
//! with its code or `error` with the message and the calls, then what leaked. Output to standard error begins with `2>`.
//! The library is not there, so that nothing but the compiler is tested. Every program runs with and without the passes that only
//! make it faster, and must do the same.

#[path = "support/nothing.rs"]
mod nothing;

use nothing::Nothing;
use simple_codegen::Options;
use simple_image::{Executable, Image, Outcome};
use simple_middle::lower::{NoExterns, lower_with};
use simple_middle::passes::Optimize;
use simple_sema::loader::LoadedSource;
use simple_sema::{CheckOptions, check};
use std::path::PathBuf;
use std::process::Command;

const PROGRAM: &str = "SIMPLE_SOURCE_PROGRAM";
const PASSES: &str = "SIMPLE_SOURCE_PASSES";

#[test]
fn child() {
    let Ok(path) = std::env::var(PROGRAM) else {
        return;
    };
    let text = std::fs::read_to_string(&path).expect("the program");
    let root = LoadedSource {
        path: "main.spl".to_string(),
        text,
        library: false,
    };
    let checked = check(
        root,
        &Nothing,
        &Nothing,
        CheckOptions {
            no_prelude: true,
            ..CheckOptions::default()
        },
    );
    println!("---");
    let Some(program) = checked.program else {
        for diagnostic in checked.diagnostics {
            let line = checked.sources.position(diagnostic.span).line;
            println!("{}: {} {}", line, diagnostic.code, diagnostic.message);
        }
        std::process::exit(2);
    };
    simple_core::memory::track_objects(true);
    let optimize = match std::env::var(PASSES).as_deref() {
        Ok("No") => Optimize::No,
        Ok("InParts") => Optimize::InParts,
        _ => Optimize::Yes,
    };
    let module = match lower_with(&program, &NoExterns, optimize) {
        Ok(module) => module,
        Err(diagnostics) => {
            for diagnostic in diagnostics {
                let line = checked.sources.position(diagnostic.span).line;
                println!("{}: {} {}", line, diagnostic.code, diagnostic.message);
            }
            std::process::exit(2);
        }
    };
    if std::env::var("SHOW_MIR").is_ok() {
        eprintln!("{}", simple_middle::mir::print::module(&module));
    }
    let image = simple_codegen::compile(module, &Options::default()).expect("compiles");
    // As another process would find it.
    let image = Image::from_bytes(&image.to_bytes(), |_| None).expect("what was stored");
    let executable = Executable::new(image, checked.sources, Box::new(Nothing)).expect("is placed");
    let outcome = executable.run();
    simple_core::io::flush();
    match outcome {
        Outcome::Exit(code) => println!("exit {code}"),
        Outcome::Error(error) => {
            let frames: Vec<String> = error
                .trace
                .head
                .iter()
                .map(|frame| format!("{}:{}", frame.function, frame.line))
                .collect();
            println!("error {} ({})", error.message, frames.join(" < "));
        }
    }
    if let Some(leaks) = simple_core::leaks::report().first() {
        println!("{leaks}");
    }
    std::process::exit(0);
}

fn run(path: &PathBuf, optimize: Optimize) -> Result<(), String> {
    let text = std::fs::read_to_string(path).expect("the program");
    let expected: String = text
        .split_once("# expect:\n")
        .map_or("", |(_, expected)| expected)
        .lines()
        .map(|line| {
            format!(
                "{}\n",
                line.strip_prefix("# ")
                    .unwrap_or_else(|| line.trim_start_matches('#'))
            )
        })
        .collect();
    let mut command = Command::new(std::env::current_exe().expect("this binary"));
    command
        .args(["--exact", "child", "--nocapture"])
        .env(PROGRAM, path)
        .env(PASSES, format!("{optimize:?}"));
    let output = command.output().expect("a child process");
    let stdout = String::from_utf8_lossy(&output.stdout);
    let shown = stdout
        .split_once("---\n")
        .map_or(&*stdout, |(_, shown)| shown);
    let stderr = String::from_utf8_lossy(&output.stderr);
    let errors: String = stderr
        .lines()
        .filter(|line| !line.is_empty())
        .map(|line| format!("2> {line}\n"))
        .collect();
    let shown = format!("{shown}{errors}");
    if shown == expected {
        return Ok(());
    }
    Err(format!(
        "=== {} ({optimize:?}): {:?}\n--- expected\n{expected}--- found\n{shown}",
        path.display(),
        output.status
    ))
}

#[test]
fn programs_print_what_they_expect() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
    let only = std::env::var("ONLY").unwrap_or_default();
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the folder")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    paths.retain(|path| {
        path.extension().is_some_and(|end| end == "spl") && path.to_string_lossy().contains(&only)
    });
    paths.sort();
    assert!(!paths.is_empty(), "no programs");
    let failures: Vec<String> = paths
        .iter()
        .flat_map(|path| {
            [Optimize::Yes, Optimize::No, Optimize::InParts].map(|optimize| run(path, optimize))
        })
        .filter_map(Result::err)
        .collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
