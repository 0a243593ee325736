//! The line editor of a terminal session: entries of several lines, completion, and a history that outlives the session.

use super::{Next, Repl, complete, input};
use crate::output::say;
use rustyline::completion::Completer;
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::FileHistory;
use rustyline::validate::{ValidationContext, ValidationResult, Validator};
use rustyline::{CompletionType, Config, Context, Editor, Helper};
use std::path::PathBuf;

const PROMPT: &str = ">>> ";
/// How many entries the history keeps.
const REMEMBERED: usize = 10_000;

/// Reads and runs entries until the user ends the session.
pub fn run(repl: &mut Repl<'_>) -> rustyline::Result<()> {
    let config = Config::builder()
        .max_history_size(REMEMBERED)?
        .history_ignore_dups(true)?
        .completion_type(CompletionType::List)
        .auto_add_history(true)
        .build();
    let mut editor: Editor<Assistant<'_, '_>, FileHistory> = Editor::with_config(config)?;
    editor.set_helper(Some(Assistant { repl }));
    let history = history_file();
    if let Some(file) = &history {
        // No history yet is how every first session begins.
        let _ = editor.load_history(file);
    }
    say!(
        "Simple {}; `:help` explains, Ctrl-D ends",
        env!("CARGO_PKG_VERSION")
    );
    loop {
        match editor.readline(PROMPT) {
            Ok(entry) => {
                if let Some(file) = &history {
                    // A session goes on without its history.
                    let _ = editor.append_history(file);
                }
                let Some(assistant) = editor.helper_mut() else {
                    return Ok(());
                };
                if assistant.repl.accept(&entry) == Next::Quit {
                    return Ok(());
                }
            }
            Err(ReadlineError::Interrupted) => {}
            Err(ReadlineError::Eof) => return Ok(()),
            Err(error) => return Err(error),
        }
    }
}

/// Where the history is kept, as the XDG rules say; its folder is made. `None` when the user has no home.
fn history_file() -> Option<PathBuf> {
    let state = std::env::var_os("XDG_STATE_HOME")
        .filter(|folder| !folder.is_empty())
        .map(PathBuf::from)
        .or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".local/state")))?;
    let folder = state.join("simple");
    std::fs::create_dir_all(&folder).ok()?;
    Some(folder.join("history"))
}

/// What the editor asks while a line is typed.
struct Assistant<'r, 's> {
    repl: &'r mut Repl<'s>,
}

impl Completer for Assistant<'_, '_> {
    type Candidate = String;

    fn complete(
        &self,
        line: &str,
        pos: usize,
        _: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<String>)> {
        Ok(complete::complete(&line[..pos], &self.repl.engine))
    }
}

impl Validator for Assistant<'_, '_> {
    fn validate(&self, context: &mut ValidationContext<'_>) -> rustyline::Result<ValidationResult> {
        let text = context.input();
        let command = text.trim_start().starts_with([':', '?']);
        Ok(
            if !command && input::state(text) != input::State::Complete {
                ValidationResult::Incomplete
            } else {
                ValidationResult::Valid(None)
            },
        )
    }
}

impl Highlighter for Assistant<'_, '_> {}

impl Hinter for Assistant<'_, '_> {
    type Hint = String;
}

impl Helper for Assistant<'_, '_> {}
