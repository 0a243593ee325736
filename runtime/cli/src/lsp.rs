//! `simple lsp`: the language server over standard input and output, with programs checked as `simple check` checks
//! them.
//!
//! What it answers is in the crate `simple-lsp`. Here is how open files come before those on the disk.

use crate::loader::{self, FileLoader};
use crate::output::complain;
use crate::session::Session;
use simple_bridge::dl_config::Overrides;
use simple_lsp::{Analyzer, Open};
use simple_sema::loader::{FoundModule, LoadedSource, ModuleRequest, SourceLoader};
use simple_sema::{CheckOptions, Checked};
use std::cell::RefCell;
use std::collections::HashMap;
use std::io::{BufReader, stdin, stdout};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Serves an editor until it ends the connection.
pub fn run() -> ExitCode {
    match simple_lsp::serve(
        BufReader::new(stdin()),
        stdout().lock(),
        &Programs::default(),
    ) {
        Ok(code) => code.into(),
        Err(error) => {
            complain!("error: the language server has lost its editor: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Programs, with a session for each folder that has one: what a session says about the configuration it says once.
#[derive(Default)]
struct Programs(RefCell<HashMap<PathBuf, Session>>);

impl Analyzer for Programs {
    fn check(&self, root: &Path, open: &Open) -> Checked {
        let folder = loader::parent(root);
        let mut sessions = self.0.borrow_mut();
        let session = sessions
            .entry(folder.clone())
            .or_insert_with(|| Session::new(&folder, Overrides::default()));
        let text = open.get(root).cloned().unwrap_or_default();
        let source = LoadedSource {
            path: root.display().to_string(),
            text,
            library: false,
        };
        let files = session.open(&source);
        // Files have come and gone since the last check.
        files.look_again();
        let loader = Overlaid {
            files: &files,
            open,
        };
        let options = CheckOptions {
            shapes: true,
            ..CheckOptions::default()
        };
        session.check_by(source, &loader, options)
    }
}

/// Files, of which open ones have the text that the editor shows.
struct Overlaid<'f> {
    files: &'f FileLoader,
    open: &'f Open,
}

impl SourceLoader for Overlaid<'_> {
    fn find(&self, request: ModuleRequest<'_>) -> Option<FoundModule> {
        self.files.find(request)
    }

    fn read(&self, path: &str) -> Result<String, String> {
        let absolute = loader::absolute(&PathBuf::from(path));
        match self.open.get(&absolute) {
            Some(text) => Ok(text.clone()),
            None => self.files.read(path),
        }
    }

    fn searched(&self, request: ModuleRequest<'_>) -> Vec<String> {
        self.files.searched(request)
    }

    fn is_of_library(&self, path: &str) -> bool {
        self.files.is_of_library(path)
    }

    fn candidates(&self, request: ModuleRequest<'_>) -> Vec<String> {
        self.files.candidates(request)
    }
}
