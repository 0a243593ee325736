//! Programs that were compiled before are not compiled again: their code is in a file of the user's cache.
//!
//! A file is for one program, compiled by one build of the compiler for one kind of machine. It lists everything that the compiler asked
//! of the program's surroundings (`surroundings.rs`), with the answers. Each question is asked again; if an answer differs, the file
//! counts for nothing and the program is compiled as if it were not there. `SIMPLE_CODE_CACHE=0` turns all of it off.
//!
//! Programs of `-c`, stages of `--emit`, profiles and guarded calls are always compiled. The format of the code is that of
//! `simple_image::Image`; where the folder is, and whether it and the files in it are safe, decides `simple_setup`.

use crate::loader::{self, FileLoader};
use crate::session::Session;
use crate::surroundings::{Kind, Question, Surroundings, hash, hash_of, read_source};
use simple_image::Image;
use simple_sema::Checked;
use simple_sema::loader::LoadedSource;
use simple_syntax::SourceMap;
use simple_system::open;
use simple_system::replace::{Sync, replace_privately};
use std::collections::HashMap;
use std::fs;
use std::io::Write;
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

/// The word of a line of what was said when the program was compiled.
const SHOWN: &str = "shown";
/// The word of a line that names a module: whose it is, how it is shown, and its file, whose text is one of the answers.
const MODULE: &str = "module";
/// Whose a module is, if it is the library's.
const LIBRARY: &str = "library";

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
    pub image: Image,
    /// Its modules.
    pub sources: Arc<SourceMap>,
    /// The warnings that it was compiled with, as they were shown.
    pub shown: String,
}

impl CodeCache {
    /// The place for a program; `messages` is what its messages depend on. `None` where nothing is kept.
    pub fn of(
        surroundings: &Surroundings,
        root: &LoadedSource,
        messages: &str,
    ) -> Option<CodeCache> {
        if std::env::var_os("SIMPLE_CODE_CACHE").is_some_and(|value| value == "0") {
            return None;
        }
        let folder = simple_setup::code_folder()?;
        let key = key_of(&surroundings.before(root, messages)?);
        let file = folder.join(format!("{:016x}.code", hash(key.as_bytes())));
        Some(CodeCache { file, key })
    }

    /// The program, if it was compiled before and nothing that it depends on has changed.
    pub fn find(&self, root: &LoadedSource, session: &Session) -> Option<Found> {
        let (mut file, length) = open::regular(&self.file).ok()?;
        // Of the open file, which stays the same one whatever becomes of its name.
        simple_setup::is_the_users(file.inner(), &self.file).ok()?;
        let bytes = open::read_from(&mut file, length, LARGEST).ok()?;
        let (head, code) = parts(&bytes)?;
        let own = loader::absolute(Path::new(&root.path));
        let mut texts: HashMap<&str, String> = HashMap::new();
        let mut sources = SourceMap::default();
        let mut lines = head.lines();
        let mut shown = String::new();
        if lines.next()? != self.key {
            return None;
        }
        for line in lines {
            let (word, rest) = line.split_once(' ')?;
            if word == SHOWN {
                shown.push_str(rest);
                shown.push('\n');
                continue;
            }
            let fields: Vec<&str> = rest.split(TAB).collect();
            match (word, &fields[..]) {
                (MODULE, [library, path, file]) => {
                    let id = sources.add(*path, texts.remove(file)?);
                    if *library == LIBRARY {
                        sources.mark_library(id);
                    }
                }
                (_, [about, answer]) => {
                    let question = Question::read(word, about)?;
                    let now = if question.kind == Kind::Text {
                        let text = if Path::new(about) == own {
                            root.text.clone()
                        } else {
                            read_source(Path::new(about)).ok()?
                        };
                        let hashed = hash_of(&text);
                        texts.insert(about, text);
                        hashed
                    } else {
                        session.surroundings().answer(&question)?
                    };
                    if now != *answer {
                        return None;
                    }
                }
                _ => return None,
            }
        }
        let image = Image::from_bytes(code, |ext| session.externs().address(ext))?;
        // So that it counts as used.
        let _ = file.inner().set_modified(SystemTime::now());
        Some(Found {
            image,
            sources: Arc::new(sources),
            shown,
        })
    }

    /// Keeps a program that was compiled just now, if it can be kept: nothing is said where it cannot.
    pub fn keep(
        &self,
        checked: &Checked,
        shown: &str,
        image: &Image,
        loader: &FileLoader,
        session: &Session,
    ) {
        let Some(head) = self.head(checked, shown, loader, session) else {
            return;
        };
        let code = image.to_bytes();
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
        let _ = replace_privately(&self.file, Sync::Never, |out| out.write_all(&bytes));
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
        // By their kinds: where a module has moved, no text needs to be read.
        for (question, answer) in session.surroundings().asked()? {
            line(question.kind.word(), &[&question.about, &answer])?;
        }
        for (_, file) in checked.sources.files() {
            let found = loader.file(&file.path)?;
            let library = if file.library { LIBRARY } else { "own" };
            line(MODULE, &[library, &file.path, found.to_str()?])?;
        }
        if shown.contains('\r') {
            return None;
        }
        for text in shown.lines() {
            head.push_str(SHOWN);
            head.push(' ');
            head.push_str(text);
            head.push('\n');
        }
        Some(head)
    }
}

/// The answers that decide in which file a program is, in one line.
fn key_of(before: &[(Kind, String)]) -> String {
    let answers = before.iter();
    let answers = answers.map(|(kind, answer)| format!("{} {answer}", kind.word()));
    answers.collect::<Vec<_>>().join("; ")
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
    use crate::surroundings::When;
    use std::fs::File;
    use std::time::Duration;

    #[test]
    fn each_answer_that_is_known_before_has_a_file_of_its_own() {
        let surroundings = Surroundings::new(Path::new("/library"), None);
        let root = LoadedSource {
            path: "main.spl".to_owned(),
            text: String::new(),
            library: false,
        };
        let before = surroundings.before(&root, "plain").expect("known");
        let kinds = Kind::ALL.iter().filter(|kind| kind.when() == When::Before);
        assert_eq!(
            before.iter().map(|(kind, _)| *kind).collect::<Vec<_>>(),
            kinds.copied().collect::<Vec<_>>()
        );
        let key = key_of(&before);
        for at in 0..before.len() {
            assert!(!before[at].1.is_empty(), "{:?}", before[at]);
            let mut other = before.clone();
            other[at].1.push('x');
            assert_ne!(key_of(&other), key, "{:?}", before[at].0);
        }
        assert!(before.contains(&(Kind::Library, "\"/library\"".to_owned())));
        let machine = simple_codegen::machine().expect("a machine");
        assert!(before.contains(&(Kind::Machine, machine)));
    }

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
