//! `simple repl`: reads a line, runs it, prints its value, and keeps what it declares.
//!
//! ```text
//! terminal ─► editor.rs ─┐
//!                        ├─► input.rs: entries ─► command.rs (`:help`) or engine.rs ─► answers
//! pipe ──► lines ────────┘
//! ```
//!
//! Each entry is compiled as a module that sees the names of the entries before it, and runs over the variables that they have
//! left in memory (`engine.rs`, `simple_sema::session`, `simple_image::Pieces`). No entry is run twice. So
//!
//! - an entry that does not compile, or ends in an error, changes nothing but what it had done until then;
//! - declaring a name again hides the earlier one; functions compiled before go on using what they were compiled against;
//! - Ctrl-C stops the line being typed or the computation that runs (`simple_core::interrupt`), and ends neither the session nor
//!   the values in it.

mod command;
mod complete;
mod editor;
pub mod engine;
mod input;

use crate::failure;
use crate::output::{self, complain, say};
use crate::render;
use crate::session::Session;
use command::Command;
use engine::{Answer, End, Engine};
use input::State;
use simple_bridge::dl_config::Overrides;
use simple_core::interrupt;
use simple_image::RuntimeFailure;
use simple_syntax::SourceMap;
use std::io::{BufRead, IsTerminal};
use std::path::Path;
use std::process::ExitCode;

/// Runs a session over standard input until its end.
pub fn run() -> ExitCode {
    let check_leaks = simple_start::watch_leaks();
    let session = Session::new(Path::new("."), Overrides::default());
    interrupt::install(interrupt::Mode::Session);
    let mut repl = Repl {
        engine: Engine::new(&session, Path::new("./repl")),
        session: &session,
        entries: 0,
        failed: false,
    };
    let interactive = std::io::stdin().is_terminal();
    if interactive {
        if let Err(error) = editor::run(&mut repl) {
            complain!("error: cannot read from the terminal: {error}");
            return ExitCode::FAILURE;
        }
    } else {
        repl.read_lines();
    }
    let failures = repl.engine.end();
    let failed = repl.failed || !failures.is_empty();
    show_failures(failures);
    if check_leaks {
        simple_core::io::flush();
        for line in simple_start::leaks(session.externs().bridge()) {
            complain!("leak: {line}");
        }
    }
    // Whoever types sees the errors; what reads from a pipe learns of them by the exit code.
    simple_core::io::end_process(i32::from(failed && !interactive))
}

/// What an entry asks of the loop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Next {
    Continue,
    Quit,
}

struct Repl<'s> {
    engine: Engine<'s>,
    session: &'s Session,
    entries: u32,
    /// Whether some entry was refused or failed.
    failed: bool,
}

impl Repl<'_> {
    /// Reads entries from a pipe: nothing is prompted, and a line at the margin ends the block before it.
    fn read_lines(&mut self) {
        let mut pending = String::new();
        loop {
            let mut line = String::new();
            // The lock is taken line by line: a running entry may read lines itself.
            match std::io::stdin().lock().read_line(&mut line) {
                Ok(0) => break,
                Ok(_) => {}
                Err(error) => {
                    complain!("error: cannot read standard input: {error}");
                    self.failed = true;
                    break;
                }
            }
            if input::state(pending.trim_end_matches('\n')) == State::Block
                && !input::continues_block(&line)
            {
                let entry = std::mem::take(&mut pending);
                if self.accept(&entry) == Next::Quit {
                    return;
                }
            }
            pending.push_str(line.trim_end_matches(['\n', '\r']));
            if input::state(&pending) != State::Complete {
                pending.push('\n');
                continue;
            }
            let entry = std::mem::take(&mut pending);
            if self.accept(&entry) == Next::Quit {
                return;
            }
        }
        self.accept(&pending);
    }

    /// Does what an entry says and shows what came of it.
    fn accept(&mut self, text: &str) -> Next {
        let line = text.trim();
        if line.is_empty() {
            return Next::Continue;
        }
        let named = match line {
            "help" if !self.knows("help") => Some("help"),
            "quit" | "quit()" if !self.knows("quit") => Some("quit"),
            "exit" if !self.knows("exit") => Some("quit"),
            _ => None,
        };
        if let Some(name) = line.strip_prefix('?') {
            return self.command(&format!("doc {name}"));
        }
        let Some(command) = line.strip_prefix(':').or(named) else {
            self.enter(text, true);
            return Next::Continue;
        };
        self.command(command)
    }

    /// Does what follows the colon.
    fn command(&mut self, command: &str) -> Next {
        match Command::read(command) {
            Ok(Command::Doc(name)) => self.show_doc(name),
            Ok(Command::Quit) => return Next::Quit,
            Ok(Command::Help) => say!("{}", command::HELP),
            Ok(Command::Type(expression)) => self.show_type(expression),
            Ok(Command::Load(file)) => self.load(file),
            Ok(Command::Reset) => {
                let fresh = Engine::new(self.session, Path::new("./repl"));
                let mut old = std::mem::replace(&mut self.engine, fresh);
                let failures = old.end();
                self.failed |= !failures.is_empty();
                show_failures(failures);
                simple_core::io::flush();
            }
            Err(message) => self.refuse(&message),
        }
        Next::Continue
    }

    /// Whether a name has a value.
    fn knows(&mut self, name: &str) -> bool {
        let path = self.next_path();
        self.engine.type_of(&path, name).0.is_some()
    }

    fn enter(&mut self, text: &str, echo: bool) {
        let path = self.next_path();
        let answer = self.engine.enter(&path, text, echo);
        // An interruption that came after the last chance to act on it is not meant for the next entry.
        interrupt::forget();
        simple_core::io::flush();
        self.show(&answer);
    }

    fn load(&mut self, file: &str) {
        let file = file.trim_matches('"');
        match crate::loader::FileLoader::root(Path::new(file)) {
            Ok(source) => {
                // The same file may be loaded again after it was changed, so its path alone is not a unique name.
                let path = format!("{} ({})", source.path, self.next_path());
                let answer = self.engine.enter(&path, &source.text, false);
                interrupt::forget();
                simple_core::io::flush();
                self.show(&answer);
            }
            Err(message) => self.refuse(&message),
        }
    }

    /// Says why a command cannot be done.
    fn refuse(&mut self, message: &dyn std::fmt::Display) {
        self.failed = true;
        complain!("error: {message}");
    }

    fn show_doc(&mut self, name: &str) {
        match crate::doc::about(name.trim()) {
            Ok(text) => say!("{}", text.trim_end()),
            Err(message) => self.refuse(&message),
        }
    }

    fn show_type(&mut self, expression: &str) {
        let path = self.next_path();
        let (ty, answer) = self.engine.type_of(&path, expression);
        self.show(&answer);
        match ty {
            Some(ty) => say!("{ty}"),
            None if answer.diagnostics.is_empty() => {
                self.refuse(&"`:type` needs an expression");
            }
            None => {}
        }
    }

    fn next_path(&mut self) -> String {
        self.entries += 1;
        format!("input {}", self.entries)
    }

    /// Shows what went wrong; values were printed while the entry ran.
    fn show(&mut self, answer: &Answer) {
        self.failed |= match &answer.end {
            End::Done => false,
            End::Failed(failure) => !failure.interrupted,
            End::Refused | End::Internal(_) => true,
        };
        let colour = output::wants_colour(&std::io::stderr());
        for diagnostic in &answer.diagnostics {
            let text = render::human(diagnostic, &answer.sources, colour);
            complain!("{}", text.trim_end());
        }
        match &answer.end {
            End::Done | End::Refused => {}
            End::Failed(failure) if failure.interrupted => {
                complain!("{}", interrupt::MESSAGE);
            }
            End::Failed(failure) => {
                let text = failure::render(failure, &answer.sources);
                complain!("{}", text.trim_end());
            }
            End::Internal(message) => complain!("error: {message}"),
        }
    }
}

/// Shows errors of the drops that ran when a session ended.
fn show_failures(failures: Vec<RuntimeFailure>) {
    for failure in failures {
        let text = failure::render(&failure, &SourceMap::default());
        complain!("{}", text.trim_end());
    }
}
