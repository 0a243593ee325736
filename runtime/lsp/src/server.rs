//! The loop: reads messages, keeps the open files, answers.
//!
//! A file is checked when it is opened and after it was changed, once no further message is waiting, so that a quick
//! typist is not answered about texts that are gone.

use crate::analysis::{Analysis, file_at};
use crate::document::{Columns, Document, path_of};
use crate::facts::Facts;
use crate::{Analyzer, Open, complete, message, outline, report, signature, tokens};
use serde_json::{Value, json};
use simple_syntax::{Diagnostic, FileId, SourceMap};
use std::collections::{BTreeSet, HashMap};
use std::io::{self, BufRead, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, TryRecvError, channel};

/// The protocol's codes for requests that fail.
const METHOD_NOT_FOUND: i64 = -32601;
const INVALID_REQUEST: i64 = -32600;
const PARSE_ERROR: i64 = -32700;

/// An open file.
struct File {
    uri: String,
    version: Value,
    document: Document,
    /// What the last check said.
    said: Vec<Diagnostic>,
    sources: Arc<SourceMap>,
    id: Option<FileId>,
    /// The last program without errors.
    analysis: Option<Analysis>,
}

struct Server<'a, W> {
    analyzer: &'a dyn Analyzer,
    output: W,
    columns: Columns,
    files: HashMap<PathBuf, File>,
    /// Files that have changed since they were checked.
    stale: BTreeSet<PathBuf>,
    shut_down: bool,
}

/// Serves an editor until it says `exit` or its messages end. The exit code is 0 if it said `shutdown` before, else 1.
///
/// # Errors
///
/// If messages can no longer be read or written.
pub fn serve(
    input: impl BufRead + Send + 'static,
    output: impl Write,
    analyzer: &dyn Analyzer,
) -> io::Result<u8> {
    let (send, messages) = channel();
    // Reads ahead, so that the server knows whether a message is waiting.
    std::thread::spawn(move || {
        let mut input = input;
        loop {
            let next = message::read(&mut input).transpose();
            let last = !matches!(next, Some(Ok(_)));
            if let Some(next) = next
                && send.send(next).is_err()
            {
                return;
            }
            if last {
                return;
            }
        }
    });
    let mut server = Server {
        analyzer,
        output,
        columns: Columns::Utf16,
        files: HashMap::new(),
        stale: BTreeSet::new(),
        shut_down: false,
    };
    server.run(&messages)
}

impl<W: Write> Server<'_, W> {
    fn run(&mut self, messages: &Receiver<io::Result<Value>>) -> io::Result<u8> {
        loop {
            let next = match messages.try_recv() {
                Ok(next) => next?,
                Err(TryRecvError::Empty) if !self.stale.is_empty() => {
                    self.check_stale()?;
                    continue;
                }
                Err(TryRecvError::Empty) => match messages.recv() {
                    Ok(next) => next?,
                    Err(_) => break,
                },
                Err(TryRecvError::Disconnected) => break,
            };
            if next["method"] == "exit" {
                break;
            }
            self.handle(&next)?;
        }
        Ok(u8::from(!self.shut_down))
    }

    fn handle(&mut self, request: &Value) -> io::Result<()> {
        let (id, params) = (&request["id"], &request["params"]);
        let Some(method) = request["method"].as_str() else {
            // An answer to something that was not asked, or not JSON.
            if request.is_null() {
                let why = message::failure(&Value::Null, PARSE_ERROR, "this is not JSON");
                return message::write(&mut self.output, &why);
            }
            return Ok(());
        };
        if id.is_null() {
            self.notified(method, params);
            return Ok(());
        }
        let answer = if self.shut_down {
            message::failure(id, INVALID_REQUEST, "the server was shut down")
        } else {
            // What is asked of a check is asked of the newest text's; a completion makes one of its own.
            if asks_a_check(method) {
                self.check_stale()?;
            }
            match self.answer(method, params) {
                Some(result) => message::answer(id, result),
                None => message::failure(id, METHOD_NOT_FOUND, &format!("no method `{method}`")),
            }
        };
        message::write(&mut self.output, &answer)
    }

    fn notified(&mut self, method: &str, params: &Value) {
        let document = &params["textDocument"];
        let Some(path) = document["uri"].as_str().and_then(path_of) else {
            return;
        };
        match method {
            "textDocument/didOpen" => {
                let text = document["text"].as_str().unwrap_or_default().to_owned();
                let file = File {
                    uri: document["uri"].as_str().unwrap_or_default().to_owned(),
                    version: document["version"].clone(),
                    document: Document::new(text, self.columns),
                    said: Vec::new(),
                    sources: Arc::default(),
                    id: None,
                    analysis: None,
                };
                self.files.insert(path, file);
                self.all_are_stale();
            }
            "textDocument/didChange" => {
                let Some(file) = self.files.get_mut(&path) else {
                    return;
                };
                let none = Vec::new();
                let changes = params["contentChanges"].as_array().unwrap_or(&none);
                file.document = file.document.changed(changes);
                file.version = document["version"].clone();
                self.all_are_stale();
            }
            "textDocument/didSave" => self.all_are_stale(),
            "textDocument/didClose" => {
                self.files.remove(&path);
                self.stale.remove(&path);
                let gone = json!({"uri": document["uri"], "diagnostics": []});
                let gone = message::notification("textDocument/publishDiagnostics", gone);
                // The editor may have gone; the next message will tell.
                let _ = message::write(&mut self.output, &gone);
            }
            _ => {}
        }
    }

    /// An open file may import the one that was changed.
    fn all_are_stale(&mut self) {
        self.stale.extend(self.files.keys().cloned());
    }

    fn open(&self) -> Open {
        let texts = self.files.iter();
        texts
            .map(|(path, file)| (path.clone(), file.document.text().to_owned()))
            .collect()
    }

    fn check_stale(&mut self) -> io::Result<()> {
        if self.stale.is_empty() {
            return Ok(());
        }
        let open = self.open();
        for path in std::mem::take(&mut self.stale) {
            let Some(file) = self.files.get_mut(&path) else {
                continue;
            };
            let checked = self.analyzer.check(&path, &open);
            let shown = path.display().to_string();
            file.id = file_at(&checked.sources, &shown);
            file.sources = Arc::clone(&checked.sources);
            file.said = checked.diagnostics;
            if let Some(program) = checked.program {
                file.analysis = Analysis::new(program, checked.shapes, &shown);
            }
            let list = match file.id {
                Some(id) => report::diagnostics(&file.said, &file.sources, id, &file.document),
                None => Vec::new(),
            };
            let params = json!({"uri": file.uri, "version": file.version, "diagnostics": list});
            let said = message::notification("textDocument/publishDiagnostics", params);
            message::write(&mut self.output, &said)?;
        }
        Ok(())
    }

    fn answer(&mut self, method: &str, params: &Value) -> Option<Value> {
        match method {
            "initialize" => return Some(self.initialize(params)),
            "shutdown" => {
                self.shut_down = true;
                return Some(Value::Null);
            }
            _ => {}
        }
        let path = params["textDocument"]["uri"].as_str().and_then(path_of);
        let file = path.as_ref().and_then(|path| self.files.get(path));
        let known = method.starts_with("textDocument/");
        let (Some(path), Some(file)) = (path, file) else {
            return known.then_some(Value::Null);
        };
        self.answer_about(method, params, &path, file)
    }

    fn answer_about(
        &self,
        method: &str,
        params: &Value,
        path: &Path,
        file: &File,
    ) -> Option<Value> {
        let document = &file.document;
        let offset = || document.offset(&params["position"]);
        let range = || {
            let range = &params["range"];
            (
                document.offset(&range["start"]),
                document.offset(&range["end"]),
            )
        };
        let facts = || {
            let analysis = file.analysis.as_ref()?;
            Some(Facts::new(analysis, document))
        };
        let shown = |(lo, hi): (usize, usize)| document.range(lo, hi);
        Some(match method {
            "textDocument/documentSymbol" => json!(outline::symbols(document)),
            "textDocument/foldingRange" => json!(outline::folds(document)),
            "textDocument/formatting" => json!(formatted(document)),
            "textDocument/hover" => json!(facts().and_then(|facts| facts.hover(offset()))),
            "textDocument/signatureHelp" => {
                json!(facts().and_then(|facts| signature::help(document, offset(), &facts)))
            }
            "textDocument/semanticTokens/full" => tokens::tokens(document, facts().as_ref()),
            "textDocument/definition" => {
                json!(facts().and_then(|facts| facts.definition(offset())))
            }
            "textDocument/references" | "textDocument/documentHighlight" => {
                let places = facts()
                    .map(|facts| facts.same(offset()))
                    .unwrap_or_default();
                let uri = (method == "textDocument/references").then(|| file.uri.clone());
                let all = places.into_iter().map(|place| match &uri {
                    Some(uri) => json!({"uri": uri, "range": shown(place)}),
                    None => json!({"range": shown(place)}),
                });
                all.collect()
            }
            "textDocument/prepareRename" => {
                let word = document.word(offset());
                let can = facts().and_then(|facts| facts.renamed(offset()));
                json!(can.map(|_| shown(word)))
            }
            "textDocument/rename" => {
                let name = params["newName"].as_str().unwrap_or_default();
                let places = facts().and_then(|facts| facts.renamed(offset()));
                let edits = places.map(|places| -> Vec<Value> {
                    let each = places.into_iter();
                    each.map(|place| json!({"range": shown(place), "newText": name}))
                        .collect()
                });
                json!(edits.map(|edits| json!({"changes": {file.uri.clone(): edits}})))
            }
            "textDocument/inlayHint" => {
                json!(
                    facts()
                        .map(|facts| facts.hints(range()))
                        .unwrap_or_default()
                )
            }
            "textDocument/codeAction" => match file.id {
                Some(id) => json!(report::actions(
                    &file.said,
                    &file.sources,
                    id,
                    document,
                    range(),
                    &file.uri
                )),
                None => json!([]),
            },
            "textDocument/completion" => {
                let facts = facts();
                let kind_of = |name: &str| facts.as_ref().and_then(|facts| facts.kind_of(name));
                let with = (self.analyzer, &self.open());
                complete::complete(path, document, offset(), with, kind_of)
            }
            _ => return None,
        })
    }

    fn initialize(&mut self, params: &Value) -> Value {
        let encodings = &params["capabilities"]["general"]["positionEncodings"];
        let bytes = encodings
            .as_array()
            .is_some_and(|all| all.iter().any(|one| one == "utf-8"));
        self.columns = if bytes { Columns::Utf8 } else { Columns::Utf16 };
        json!({
            "serverInfo": {"name": "simple", "version": env!("CARGO_PKG_VERSION")},
            "capabilities": {
                "positionEncoding": if bytes { "utf-8" } else { "utf-16" },
                "textDocumentSync": {"openClose": true, "change": 2, "save": true},
                "hoverProvider": true,
                "definitionProvider": true,
                "referencesProvider": true,
                "documentHighlightProvider": true,
                "documentSymbolProvider": true,
                "foldingRangeProvider": true,
                "documentFormattingProvider": true,
                "inlayHintProvider": true,
                "renameProvider": {"prepareProvider": true},
                "codeActionProvider": {"codeActionKinds": ["quickfix"]},
                "completionProvider": {"triggerCharacters": ["."]},
                "signatureHelpProvider": {"triggerCharacters": ["(", ","], "retriggerCharacters": [",", ":"]},
                "semanticTokensProvider": {
                    "legend": {"tokenTypes": tokens::KINDS, "tokenModifiers": tokens::MODIFIERS},
                    "full": true,
                },
            },
        })
    }
}

/// Whether the answer to a request depends on what the last check found.
fn asks_a_check(method: &str) -> bool {
    !matches!(
        method,
        "textDocument/completion"
            | "textDocument/documentSymbol"
            | "textDocument/foldingRange"
            | "textDocument/formatting"
    )
}

/// The change that brings a file into the style of the language; none where it is in it already, or does not parse,
/// which its reports say.
fn formatted(document: &Document) -> Vec<Value> {
    let text = document.text();
    match simple_format::format(text) {
        Ok(new) if new != text => {
            vec![json!({"range": document.range(0, text.len()), "newText": new})]
        }
        _ => Vec::new(),
    }
}
