//! `simple compile --shared` and `--object`: a library for C of what a program declares with `export extern fn`, with
//! its header (`header.rs`).
//!
//! The program is compiled as for an executable (`compile.rs`). A shared library is a copy of `libsimple_library.so`
//! with the program attached; an object file is linked with `libsimple_library.a`. Neither needs a linker here.

use crate::args::CompileArgs;
use crate::compile::{Failure, cannot, check, compiled, end, start_file};
use crate::header;
use simple_middle::lower::Extras;
use simple_sema::typed;
use simple_start::{Function, Program, object, shared};
use simple_system::replace::write_executable;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The ending of C's headers.
const HEADER: &str = "h";

/// Makes the library that the command line asks for.
pub fn run(args: &CompileArgs) -> ExitCode {
    end(make(args))
}

/// Makes the library and its header.
fn make(args: &CompileArgs) -> Result<(), Failure> {
    if !cfg!(target_arch = "x86_64") {
        let message = "libraries for C can be made on x86-64 alone";
        return Err(Failure::Said(message.to_owned()));
    }
    let name = name_of(&args.input.file)?;
    let output = output(args, &name)?;
    let (session, checked, extras) = check(&args.input)?;
    let Some(program) = &checked.program else {
        return Err(Failure::Shown(ExitCode::FAILURE));
    };
    let error = format!("{name}_error");
    require_exports(program, &args.input.file, &error)?;
    let functions: Vec<Function> = program
        .exports
        .iter()
        .map(|export| Function {
            symbol: export.symbol.clone(),
            returned: export.result.in_memory().unwrap_or(0),
        })
        .collect();
    let extras = Extras {
        library: true,
        ..extras
    };
    let (made, torch) = compiled(&session, &checked, extras, &args.input)?;
    let made = Program {
        torch: torch.as_ref().map(|torch| torch.shown()),
        ..made
    };
    let program_bytes = made.to_bytes();
    let bytes = if args.object {
        object(&program_bytes, &functions, &error).map_err(Failure::Said)?
    } else {
        let start = start_file("libsimple_library.so")?;
        let file = output.file_name().unwrap_or_default().to_string_lossy();
        shared(&start.bytes, &program_bytes, &functions, (&file, &error))
            .map_err(|why| start.unusable(&why))?
    };
    let header = header::of(program, &name);
    let beside = output.with_file_name(format!("{name}.{HEADER}"));
    match args.object {
        true => fs::write(&output, &bytes),
        false => write_executable(&output, &bytes),
    }
    .map_err(|error| cannot("write", &output, &error))?;
    fs::write(&beside, header).map_err(|error| cannot("write", &beside, &error))
}

/// The program's name, which C's names begin with.
fn name_of(file: &Path) -> Result<String, Failure> {
    let name = file.file_stem().unwrap_or_default().to_string_lossy();
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if name.starts_with(|c: char| c.is_ascii_digit()) || !name.chars().all(fits) {
        return Err(Failure::Usage(format!(
            "the name `{name}` of the program begins names of C, which have letters, digits and `_` alone; rename the file"
        )));
    }
    Ok(name.into_owned())
}

/// The file to make: what `-o` says, otherwise `libNAME.so` or `NAME.o` in the current folder.
fn output(args: &CompileArgs, name: &str) -> Result<PathBuf, Failure> {
    let named = || match args.object {
        true => PathBuf::from(format!("{name}.o")),
        false => PathBuf::from(format!("lib{name}.so")),
    };
    let output = args.output.clone().unwrap_or_else(named);
    let shown = output.display();
    if output.is_dir() {
        return Err(Failure::Usage(format!(
            "{shown} is a folder; name the library with `-o FILE`"
        )));
    }
    let ending = output.extension().unwrap_or_default();
    if ending == "spl" || ending == HEADER {
        return Err(Failure::Usage(format!(
            "the library cannot be called {shown}: its program or its header has that ending"
        )));
    }
    Ok(output)
}

fn require_exports(program: &typed::Program, file: &Path, error: &str) -> Result<(), Failure> {
    if program.exports.is_empty() {
        return Err(Failure::Said(format!(
            "{} has no function for C; declare those that C calls with `export extern fn`",
            file.display()
        )));
    }
    if program.exports.iter().any(|export| export.symbol == error) {
        return Err(Failure::Said(format!(
            "the library has a function `{error}` of its own, which yields the message of an error; rename the program's"
        )));
    }
    Ok(())
}
