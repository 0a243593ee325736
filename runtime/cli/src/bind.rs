//! `simple bind`: writes bindings of a C library from its header, or compares bindings with it.
//!
//! The crate `simple-bind` does the work; here are only the files and what is printed.

use crate::args::BindArgs;
use crate::loader::LARGEST_SOURCE;
use crate::output::{self, complain, say};
use simple_bind::Options;
use simple_system::{in_words, open, replace};
use std::path::Path;
use std::process::ExitCode;

/// Does what the arguments say. The exit code is 1 if there are no bindings, or if a comparison finds a difference.
pub fn run(args: &BindArgs) -> ExitCode {
    let outcome = match &args.check {
        Some(file) => check(file),
        None => write(args),
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
        also: args.also.clone(),
        only: args.only.clone(),
        include: args.include.clone(),
        define: args.define.clone(),
        enums: args.enums,
    };
    let bindings = simple_bind::bind(&options, Path::new("")).map_err(|error| error.to_string())?;
    let Some(path) = &args.output else {
        output::print(format_args!("{}", bindings.text));
        complain!("{}", bindings.summary);
        return Ok(ExitCode::SUCCESS);
    };
    replace::write(path, bindings.text.as_bytes())
        .map_err(|error| format!("cannot write {}: {}", path.display(), in_words(&error)))?;
    say!("{}", bindings.summary);
    Ok(ExitCode::SUCCESS)
}

fn check(path: &Path) -> Result<ExitCode, String> {
    let cannot = |error| format!("cannot read {}: {}", path.display(), in_words(&error));
    let bytes = open::read(path, LARGEST_SOURCE).map_err(cannot)?;
    let text = open::text_of(bytes).map_err(cannot)?;
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
