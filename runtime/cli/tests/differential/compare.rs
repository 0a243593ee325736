//! One program, compiled twice: without passes or Cranelift's optimizations, and with all of them. Both must do the same.

use simple_cli::session::{CompileFailure, Session};
use simple_codegen::backend::Outcome;
use simple_sema::loader::LoadedSource;
use simple_syntax::{Diagnostic, SourceMap};

/// What a run did.
#[derive(PartialEq, Eq, Debug)]
pub struct Behaviour {
    /// How it ended, with the place and the calls of an error.
    pub outcome: Outcome,
    /// What it printed.
    pub printed: String,
    /// What still lived at its end.
    pub leaks: Vec<String>,
}

/// Compiles and runs a program both ways: unoptimized first.
///
/// # Errors
///
/// What the compiler says against it, a line each: the generator made a program that is none.
pub fn behaviours(session: &Session, text: &str) -> Result<[Behaviour; 2], String> {
    let checked = session.check(LoadedSource {
        path: "main.spl".to_string(),
        text: text.to_string(),
        library: false,
    });
    let Some(program) = &checked.program else {
        return Err(said(&checked.diagnostics, &checked.sources));
    };
    simple_core::memory::track_objects(true);
    let run = |optimized: bool| {
        let compiled = if optimized {
            session.compile(program)
        } else {
            session.compile_unoptimized(program)
        };
        let executable = compiled.map_err(|failure| match failure {
            CompileFailure::Program(found) => said(&found, &checked.sources),
            CompileFailure::Internal(message) => message,
        })?;
        let (outcome, printed) = simple_core::io::capture(|| executable.run());
        Ok::<_, String>(Behaviour {
            outcome,
            printed: String::from_utf8_lossy(&printed).into_owned(),
            leaks: session.leaks(),
        })
    };
    Ok([run(false)?, run(true)?])
}

fn said(diagnostics: &[Diagnostic], sources: &SourceMap) -> String {
    let lines = diagnostics.iter().map(|diagnostic| {
        let line = sources.position(diagnostic.span).line;
        format!("{line}: {} {}", diagnostic.code, diagnostic.message)
    });
    lines.collect::<Vec<_>>().join("\n")
}
