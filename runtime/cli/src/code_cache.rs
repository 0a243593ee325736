//! Programs that were compiled before are not compiled again: their code is in a file of the user's cache.
//!
//! A file is for one program, compiled by one build of the compiler for one kind of machine. It lists everything that the compiler asked
//! of its surroundings: the texts of all modules by their hashes, places where no module was, the chosen backend, what libraries say of
//! foreign functions. Each question is asked again; if an answer differs, the file counts for nothing and the program is compiled
//! as if it were not there. `SIMPLE_CODE_CACHE=0` turns all of it off.
//!
//! Programs of `-c`, stages of `--emit`, profiles and guarded calls are always compiled. The format of the code is that of
//! `simple_codegen::Compiled`; where the folder is and whether it is safe decides `simple_setup`.

use crate::backend;
use crate::externs::Question;
use crate::loader::FileLoader;
use crate::session::Session;
use simple_codegen::Compiled;
use simple_sema::Checked;
use simple_sema::loader::LoadedSource;
use simple_syntax::SourceMap;
use simple_system::open;
use simple_system::replace::{Sync, replace};
use std::fs::{self, File};
use std::hash::{DefaultHasher, Hasher};
use std::io::Write;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

/// When there is more than this in the folder, the files that were not used for longest go.
const MOST_BYTES: u64 = 256 << 20;
/// Bytes of a file for which room is made; for smaller ones room is made once in so many.
const LARGE: usize = 1 << 20;
const SMALL_FILES: u64 = 16;
/// The largest file that is read.
const LARGEST: u64 = 128 << 20;
/// Between the fields of a line; a path that contains it, or a line break, is not kept.
const TAB: char = '\t';

/// Where the code of one program is, or would be.
#[derive(Debug)]
pub struct CodeCache {
    file: PathBuf,
    /// Program, compiler and machine, in one line.
    key: String,
}

/// A program that was compiled before.
#[derive(Debug)]
pub struct Found {
    /// Its code.
    pub compiled: Compiled,
    /// Its modules.
    pub sources: Arc<SourceMap>,
    /// The warnings that it was compiled with, as they were shown.
    pub shown: String,
}

impl CodeCache {
    /// The place for a program; `settings` is what else its messages depend on. `None` where nothing is kept.
    pub fn of(root: &LoadedSource, settings: &str) -> Option<CodeCache> {
        if std::env::var_os("SIMPLE_CODE_CACHE").is_some_and(|value| value == "0") {
            return None;
        }
        let folder = simple_setup::code_folder()?;
        let here = std::env::current_dir().ok()?;
        let compiler = fs::metadata(std::env::current_exe().ok()?).ok()?;
        let key = format!(
            "{:?} in {here:?}, {settings}; simple {} of {} bytes, {}.{:09}; {}",
            root.path,
            env!("CARGO_PKG_VERSION"),
            compiler.len(),
            compiler.mtime(),
            compiler.mtime_nsec(),
            simple_codegen::machine().ok()?,
        );
        let file = folder.join(format!("{:016x}.code", hash(key.as_bytes())));
        Some(CodeCache { file, key })
    }

    /// The program, if it was compiled before and nothing that it depends on has changed.
    pub fn find(
        &self,
        root: &LoadedSource,
        loader: &FileLoader,
        session: &Session,
    ) -> Option<Found> {
        let bytes = open::read(&self.file, LARGEST).ok()?;
        let (head, code) = parts(&bytes)?;
        let mut sources = SourceMap::default();
        let mut lines = head.lines();
        let mut shown = String::new();
        if lines.next()? != self.key {
            return None;
        }
        for line in lines {
            let (word, rest) = line.split_once(' ')?;
            if word == "shown" {
                shown.push_str(rest);
                shown.push('\n');
                continue;
            }
            let fields: Vec<&str> = rest.split(TAB).collect();
            let holds = match (word, &fields[..]) {
                ("place", [there, path]) => {
                    loader.agrees(&[(PathBuf::from(path), *there == "there")])
                }
                ("module", [hashed, library, path, file]) => {
                    let text = if *path == root.path {
                        root.text.clone()
                    } else {
                        text_of(Path::new(file))?
                    };
                    let same = *hashed == hash_of(&text);
                    let id = sources.add(*path, text);
                    if *library == "library" {
                        sources.mark_library(id);
                    }
                    same
                }
                ("backend", [module]) => {
                    backend::module().is_some_and(|(now, _)| now.join(".") == *module)
                }
                ("extern", [question, answer]) => {
                    session.externs().answer(&Question::from(*question)) == *answer
                }
                _ => false,
            };
            if !holds {
                return None;
            }
        }
        let compiled = Compiled::from_bytes(code, |ext| session.externs().address(ext))?;
        // So that it counts as used.
        let _ = File::open(&self.file).and_then(|file| file.set_modified(SystemTime::now()));
        Some(Found {
            compiled,
            sources: Arc::new(sources),
            shown,
        })
    }

    /// Keeps a program that was compiled just now, if it can be kept: nothing is said where it cannot.
    pub fn keep(
        &self,
        checked: &Checked,
        shown: &str,
        compiled: &Compiled,
        loader: &FileLoader,
        session: &Session,
    ) {
        let Some(head) = self.head(checked, shown, loader, session) else {
            return;
        };
        let code = compiled.to_bytes();
        let mut bytes = Vec::with_capacity(head.len() + code.len() + 64);
        bytes.extend_from_slice(&head.len().to_le_bytes());
        bytes.extend_from_slice(head.as_bytes());
        bytes.extend_from_slice(&code);
        let sum = hash(&bytes);
        bytes.extend_from_slice(&sum.to_le_bytes());
        let Some(folder) = self.file.parent() else {
            return;
        };
        // Looking at the whole folder takes longer than writing a small file, which makes little difference to it.
        if bytes.len() >= LARGE || sum.is_multiple_of(SMALL_FILES) {
            make_room(folder, bytes.len() as u64);
        }
        // It is compiled again where this fails, or where the file turns out damaged.
        let _ = replace(&self.file, Sync::Never, |out| out.write_all(&bytes));
    }

    /// What the program depends on, a line each; `None` where that cannot be written down.
    fn head(
        &self,
        checked: &Checked,
        shown: &str,
        loader: &FileLoader,
        session: &Session,
    ) -> Option<String> {
        let mut head = format!("{}\n", self.key);
        let mut line = |word: &str, fields: &[&str]| {
            if fields.iter().any(|field| field.contains([TAB, '\n', '\r'])) {
                return None;
            }
            head.push_str(word);
            head.push(' ');
            head.push_str(&fields.join(&TAB.to_string()));
            head.push('\n');
            Some(())
        };
        let asked = loader.asked();
        // What is looked for is asked first: where a module has moved, no text needs to be read.
        for (place, there) in &asked.places {
            line(
                "place",
                &[if *there { "there" } else { "missing" }, place.to_str()?],
            )?;
        }
        if asked.backend {
            line("backend", &[&backend::module()?.0.join(".")])?;
        }
        for (_, file) in checked.sources.files() {
            let found = loader.file(&file.path)?;
            let library = if file.library { "library" } else { "own" };
            line(
                "module",
                &[&hash_of(&file.text), library, &file.path, found.to_str()?],
            )?;
        }
        for question in session.externs().asked() {
            let answer = session.externs().answer(&question);
            line("extern", &[&question.to_string(), &answer])?;
        }
        if shown.contains('\r') {
            return None;
        }
        for text in shown.lines() {
            head.push_str("shown ");
            head.push_str(text);
            head.push('\n');
        }
        Some(head)
    }
}

/// The lines of a file and the code after them, if the file is whole.
fn parts(bytes: &[u8]) -> Option<(&str, &[u8])> {
    let (body, sum) = bytes.split_last_chunk()?;
    if u64::from_le_bytes(*sum) != hash(body) {
        return None;
    }
    let (length, body) = body.split_first_chunk()?;
    let (head, code) = body.split_at_checked(usize::from_le_bytes(*length))?;
    Some((std::str::from_utf8(head).ok()?, code))
}

/// The text of a module as the loader would read it.
fn text_of(file: &Path) -> Option<String> {
    open::text_of(open::read(file, crate::loader::LARGEST_SOURCE).ok()?).ok()
}

fn hash_of(text: &str) -> String {
    format!("{:016x}{:x}", hash(text.as_bytes()), text.len())
}

fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(bytes);
    hasher.finish()
}

/// Takes out the files that were not used for longest, until there is room for `more` bytes.
fn make_room(folder: &Path, more: u64) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    let mut files: Vec<(SystemTime, u64, PathBuf)> = entries
        .flatten()
        .filter_map(|entry| {
            let data = entry.metadata().ok().filter(fs::Metadata::is_file)?;
            Some((data.modified().ok()?, data.len(), entry.path()))
        })
        .collect();
    let mut bytes = more + files.iter().map(|(_, size, _)| size).sum::<u64>();
    files.sort();
    for (_, size, path) in files {
        if bytes <= MOST_BYTES {
            break;
        }
        if fs::remove_file(path).is_ok() {
            bytes -= size;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_damaged_file_has_no_parts() {
        let head = "key\n";
        let mut bytes = head.len().to_le_bytes().to_vec();
        bytes.extend_from_slice(head.as_bytes());
        bytes.extend_from_slice(b"code");
        let sum = hash(&bytes);
        bytes.extend_from_slice(&sum.to_le_bytes());
        assert_eq!(parts(&bytes), Some((head, &b"code"[..])));
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1;
            assert_eq!(parts(&damaged), None, "byte {at}");
            assert_eq!(parts(&bytes[..at]), None, "{at} bytes");
        }
    }

    #[test]
    fn the_oldest_files_make_room() {
        let folder = std::env::temp_dir().join(format!("simple-code-room-{}", std::process::id()));
        fs::create_dir(&folder).unwrap();
        for (name, age) in [("old", 30), ("older", 60), ("new", 0)] {
            let file = File::create(folder.join(name)).unwrap();
            file.set_len(100 << 20).unwrap();
            file.set_modified(SystemTime::now() - Duration::from_secs(age))
                .unwrap();
        }
        make_room(&folder, 1 << 20);
        let mut left: Vec<_> = fs::read_dir(&folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        left.sort();
        fs::remove_dir_all(&folder).unwrap();
        assert_eq!(left, ["new", "old"]);
    }
}
