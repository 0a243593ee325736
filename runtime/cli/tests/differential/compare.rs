//! One program, compiled three times: without passes or Cranelift's optimizations, with all of them, and with all of them after its
//! functions were cut into parts. All must do the same.

use simple_cli::session::{CompileFailure, Session};
use simple_image::Outcome;
use simple_middle::passes::Optimize;
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

/// The kinds of compilation, in the order of the outcomes.
pub const WAYS: [Optimize; 3] = [Optimize::No, Optimize::Yes, Optimize::InParts];

/// Compiles and runs a program by each of the [`WAYS`].
///
/// # Errors
///
/// What the compiler says against it, a line each: the generator made a program that is not valid.
pub fn behaviours(session: &Session, text: &str) -> Result<Vec<Behaviour>, String> {
    let checked = session.check(LoadedSource {
        path: "main.spl".to_string(),
        text: text.to_string(),
        library: false,
    });
    let Some(program) = &checked.program else {
        return Err(said(&checked.diagnostics, &checked.sources));
    };
    simple_core::memory::track_objects(true);
    let run = |optimize: Optimize| {
        let compiled = session.compile_as(program, optimize);
        let executable = compiled.map_err(|failure| match failure {
            CompileFailure::Program(found) => said(&found, &checked.sources),
            CompileFailure::Internal(message) => message,
        })?;
        let (outcome, printed) = simple_core::io::capture(|| executable.run());
        Ok::<_, String>(Behaviour {
            outcome,
            printed: String::from_utf8_lossy(&printed).into_owned(),
            leaks: simple_start::leaks(session.externs().bridge()),
        })
    };
    WAYS.into_iter().map(run).collect()
}

fn said(diagnostics: &[Diagnostic], sources: &SourceMap) -> String {
    let lines = diagnostics.iter().map(|diagnostic| {
        let line = sources.position(diagnostic.span).line;
        let notes = diagnostic.notes.join("; ");
        format!(
            "{line}: {} {} ({notes})",
            diagnostic.code, diagnostic.message
        )
    });
    lines.collect::<Vec<_>>().join("\n")
}
