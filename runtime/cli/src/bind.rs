//! `simple bind`: writes bindings of a C library from its header, compares bindings with it, or writes a header for modules.
//!
//! The crate `simple-bind` does the work; here are only the files and what is printed.

use crate::args::BindArgs;
use crate::files;
use crate::loader::LARGEST_SOURCE;
use crate::output::{self, complain, say};
use simple_bind::Options;
use simple_system::{in_words, open, replace};
use std::fmt::Display;
use std::path::Path;
use std::process::ExitCode;

/// Does what the arguments say. The exit code is 1 if there are no bindings, or if a comparison finds a difference.
pub fn run(args: &BindArgs) -> ExitCode {
    let outcome = match (&args.check, &args.modules) {
        (Some(file), _) => check(file),
        (None, Some(modules)) => header(modules, args.output.as_deref()),
        (None, None) => write(args),
    };
    outcome.unwrap_or_else(|message| {
        complain!("error: {message}");
        ExitCode::FAILURE
    })
}

fn write(args: &BindArgs) -> Result<ExitCode, String> {
    let options = Options {
        header: args.header.clone().unwrap_or_default(),
        lib: args.lib.clone().unwrap_or_default(),
        before: args.before.clone(),
        also: args.also.clone(),
        only: args.only.clone(),
        include: args.include.clone(),
        define: args.define.clone(),
        pkg: args.pkg.clone(),
        enums: args.enums,
    };
    let bindings = simple_bind::bind(&options, Path::new("")).map_err(|error| error.to_string())?;
    put(args.output.as_deref(), &bindings.text, &bindings.summary)
}

/// Writes the header of C for the modules at `path`.
fn header(path: &Path, output: Option<&Path>) -> Result<ExitCode, String> {
    let mut modules = Vec::new();
    for file in files::below(path, |file| files::has_ending(file, &["spl"]))? {
        let text = read(&file)?;
        modules.push((file.display().to_string(), text));
    }
    let name = output.unwrap_or(path).file_name().unwrap_or_default();
    let name = name.to_string_lossy();
    let name = name.strip_suffix(".spl").unwrap_or(&name);
    let header = simple_bind::c_header(&modules, &simple_bind::guard(name))
        .map_err(|error| format!("{}: {error}", path.display()))?;
    let left_out = match header.left_out {
        0 => String::new(),
        count => format!(", {count} left out: the reasons are at the end of the header"),
    };
    let declared = match header.functions {
        1 => "1 function".to_owned(),
        count => format!("{count} functions"),
    };
    let summary = format!("{}: {declared} declared{left_out}", path.display());
    put(output, &header.text, summary)
}

/// Writes what was made to a file, or prints it.
fn put(output: Option<&Path>, text: &str, summary: impl Display) -> Result<ExitCode, String> {
    let Some(path) = output else {
        output::print(format_args!("{text}"));
        complain!("{summary}");
        return Ok(ExitCode::SUCCESS);
    };
    replace::write(path, text.as_bytes())
        .map_err(|error| format!("cannot write {}: {}", path.display(), in_words(&error)))?;
    say!("{summary}");
    Ok(ExitCode::SUCCESS)
}

fn read(path: &Path) -> Result<String, String> {
    let cannot = |error| format!("cannot read {}: {}", path.display(), in_words(&error));
    let bytes = open::read(path, LARGEST_SOURCE).map_err(cannot)?;
    open::text_of(bytes).map_err(cannot)
}

fn check(path: &Path) -> Result<ExitCode, String> {
    let text = read(path)?;
    let beside = path.parent().unwrap_or(Path::new(""));
    let report = simple_bind::check(&text, &[Path::new(""), beside])
        .map_err(|error| format!("{}: {error}", path.display()))?;
    for difference in &report.differences {
        match difference.line {
            Some(line) => say!("{}:{line}: {}", path.display(), difference.message),
            None => say!("{}: {}", path.display(), difference.message),
        }
    }
    say!("{}: {report}", path.display());
    Ok(match report.differences.is_empty() {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    })
}
