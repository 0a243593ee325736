//! Runs a program entry by entry, each against what the earlier ones have left: the engine of the REPL and of doctests.
//!
//! ```text
//! text ─► sema::session::History ─► lower_piece ─► Pieces: compile, run
//!              ▲ declarations, types                 │ values stay where they are
//!              └──────── which variables are set ◄───┘
//! ```
//!
//! An earlier line is never run again. Leaves out where entries come from and how answers are shown (`mod.rs`, `doctest/`).

use crate::backend::Program as Files;
use crate::externs::Externs;
use crate::loader::FileLoader;
use crate::session::{Session, say_once};
use rustc_hash::FxHashMap;
use simple_codegen::Options;
use simple_image::{Outcome, Pieces, Ran, RuntimeFailure};
use simple_middle::lower::{self, Kept, Piece};
use simple_sema::loader::{FoundModule, LoadedSource, ModuleRequest, SourceLoader};
use simple_sema::session::{CheckedEntry, History, Place, VariableKey};
use simple_sema::typed::{GlobalId, Program};
use simple_syntax::{Diagnostic, SourceMap};
use std::cell::RefCell;
use std::collections::HashMap;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

/// A session in progress.
pub struct Engine<'s> {
    session: &'s Session,
    files: Rc<Files>,
    loader: CachedLoader,
    history: History,
    pieces: Pieces,
    homes: FxHashMap<VariableKey, usize>,
    tables: FxHashMap<String, usize>,
}

/// What came of an entry.
#[derive(Debug)]
pub struct Answer {
    /// What the compiler has to say.
    pub diagnostics: Vec<Diagnostic>,
    /// The texts that it refers to.
    pub sources: Arc<SourceMap>,
    /// How it ended.
    pub end: End,
}

/// How an entry ended.
#[derive(Debug)]
pub enum End {
    /// It ran.
    Done,
    /// It was not run: see the diagnostics.
    Refused,
    /// It ended in a runtime error.
    Failed(RuntimeFailure),
    /// A mistake of ours, or of the machine.
    Internal(String),
}

impl<'s> Engine<'s> {
    /// A session whose imports start as those of the file `root_file` would, which need not exist.
    pub fn new(session: &'s Session, root_file: &Path) -> Engine<'s> {
        Engine {
            session,
            files: session.begin(root_file),
            loader: CachedLoader::new(session.loader(root_file)),
            history: History::default(),
            pieces: Pieces::default(),
            homes: FxHashMap::default(),
            tables: FxHashMap::default(),
        }
    }

    /// Checks, compiles and runs an entry. `path` names it in messages and must differ from those of all others; with `echo`, values of
    /// expressions are printed.
    pub fn enter(&mut self, path: &str, text: &str, echo: bool) -> Answer {
        let entry = self.check(path, text, echo);
        let mut answer = Answer {
            diagnostics: entry.checked.diagnostics.clone(),
            sources: Arc::clone(&entry.checked.sources),
            end: End::Refused,
        };
        let Some(program) = &entry.checked.program else {
            return answer;
        };
        let kept = self.kept(program);
        let piece = match lower::lower_piece(program, self.session.externs(), &kept) {
            Ok(piece) => piece,
            Err(diagnostics) => {
                answer.diagnostics.extend(diagnostics);
                return answer;
            }
        };
        let binder = Box::new(self.session.externs().clone());
        let ran = match self.run(piece, program.sources.clone(), binder) {
            Ok(ran) => ran,
            Err(reason) => {
                answer.end = End::Internal(reason);
                return answer;
            }
        };
        self.tables.extend(ran.tables);
        for &(id, address) in &ran.set {
            self.homes.insert(CheckedEntry::key(program, id), address);
        }
        let (end, failed) = match ran.outcome {
            Outcome::Exit(_) => (End::Done, false),
            Outcome::Error(failure) => (End::Failed(failure), true),
        };
        answer.end = end;
        let is_set = |id: GlobalId| {
            kept.variables.contains_key(&id) || ran.set.iter().any(|&(set, _)| set == id)
        };
        self.history.add(entry, failed, is_set);
        answer
    }

    /// Compiles and runs a piece.
    fn run(
        &mut self,
        piece: Piece,
        sources: Arc<SourceMap>,
        binder: Box<Externs>,
    ) -> Result<Ran, String> {
        let options = Options {
            first: self.pieces.next(),
            ..Options::default()
        };
        let image = simple_codegen::compile(piece.module, &options);
        let image = image.map_err(|error| error.to_string())?;
        self.pieces
            .run(image, &piece.variables, piece.tables, sources, binder)
            .map_err(|error| error.to_string())
    }

    /// The type of an expression, which is not run; `None` in an answer without one.
    pub fn type_of(&self, path: &str, text: &str) -> (Option<String>, Answer) {
        let entry = self.check(path, text, true);
        let end = match entry.checked.program {
            Some(_) => End::Done,
            None => End::Refused,
        };
        let ty = entry
            .checked
            .program
            .is_some()
            .then_some(entry.value)
            .flatten();
        let answer = Answer {
            diagnostics: entry.checked.diagnostics,
            sources: entry.checked.sources,
            end,
        };
        (ty, answer)
    }

    /// The names that may be used at `place`, for completion.
    pub fn names_at(&self, place: Place<'_>) -> Vec<String> {
        self.history
            .names_at(place, "completion", &self.loader, self.session.externs())
    }

    /// Ends the session: its variables are released, the last first, so that drops run. Nothing may be entered afterwards.
    pub fn end(&mut self) -> Vec<RuntimeFailure> {
        self.pieces.release()
    }

    fn check(&self, path: &str, text: &str, echo: bool) -> CheckedEntry {
        let source = LoadedSource {
            path: path.to_owned(),
            text: text.to_owned(),
            library: false,
        };
        self.files.tell(&source);
        let loader = &self.loader;
        let mut entry = self
            .history
            .check(source, echo, loader, self.session.externs());
        say_once(&mut entry.checked.diagnostics);
        entry
    }

    /// What earlier entries have left for the program.
    fn kept(&self, program: &Program) -> Kept {
        let variables = (0..program.globals.len())
            .map(|index| GlobalId(index as u32))
            .filter_map(|id| {
                let address = self.homes.get(&CheckedEntry::key(program, id))?;
                Some((id, *address))
            })
            .collect();
        Kept {
            variables,
            tables: self.tables.clone(),
        }
    }
}

/// Keeps every module as it was first read: a session must not see a file change under its feet.
struct CachedLoader {
    files: FileLoader,
    /// By the three parts of the question.
    found: RefCell<HashMap<(String, u32, String), FoundModule>>,
    texts: RefCell<HashMap<String, String>>,
}

impl CachedLoader {
    fn new(files: FileLoader) -> CachedLoader {
        CachedLoader {
            files,
            found: RefCell::default(),
            texts: RefCell::default(),
        }
    }
}

impl SourceLoader for CachedLoader {
    // What is missing or cannot be read may be put right before the next entry, so only what is there is kept.

    fn find(&self, request: ModuleRequest<'_>) -> Option<FoundModule> {
        let key = (
            request.importer.to_owned(),
            request.dots,
            request.segments.join("."),
        );
        if let Some(known) = self.found.borrow().get(&key) {
            return Some(known.clone());
        }
        let found = self.files.find(request);
        if found.is_none() {
            self.files.look_again();
        }
        let found = found?;
        self.found.borrow_mut().insert(key, found.clone());
        Some(found)
    }

    fn read(&self, path: &str) -> Result<String, String> {
        if let Some(known) = self.texts.borrow().get(path) {
            return Ok(known.clone());
        }
        let text = self.files.read(path)?;
        self.texts
            .borrow_mut()
            .insert(path.to_owned(), text.clone());
        Ok(text)
    }

    fn searched(&self, request: ModuleRequest<'_>) -> Vec<String> {
        self.files.searched(request)
    }

    fn candidates(&self, request: ModuleRequest<'_>) -> Vec<String> {
        self.files.candidates(request)
    }
}
