//! What a program means besides its own text: all that the compiler asks of its surroundings, through one door.
//!
//! [`Kind`] is the list of the questions. What finds modules (`loader.rs`), what computes tensors (`backend.rs`) and what is known of foreign
//! functions (`externs.rs`) ask here and nowhere else, and each question is remembered with its answer. A program that was compiled
//! before counts as long as each question still has the answer that it had then (`code_cache.rs`).
//!
//! Checker, lowering, passes and code generator ask nothing of their own: what they are given comes from here, or from the compiler's own
//! file, which is one of the questions. A test reads their sources for that (`surroundings_tests.rs`), and `tests/code_cache` changes the
//! answer to each kind of question alone. Whoever lets a program depend on something new adds a kind here.
//!
//! Left out is what a program asks while it runs, and what only messages about errors need: a program with errors is not kept.

use crate::backend;
use simple_bridge::{Bridge, KnownFunction};
use simple_sema::loader::LoadedSource;
use simple_system::{in_words, open};
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::ffi::OsString;
use std::fs;
use std::hash::{DefaultHasher, Hasher};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

/// Texts from 4 GiB on do not fit a span; far below that a source file is a mistake.
pub(crate) const LARGEST_SOURCE: u64 = 256 << 20;

macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident $word:literal $when:ident;)*) => {
        /// The kinds of questions. Those that are known before anything is read decide in which file of the cache a program is; the others are
        /// asked while it is compiled, and are asked again in this order.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum Kind {
            $($(#[$doc])* $kind,)*
        }

        impl Kind {
            /// All of them.
            pub const ALL: &[Kind] = &[$(Kind::$kind),*];

            /// Its word in files of the cache.
            pub const fn word(self) -> &'static str {
                match self { $(Kind::$kind => $word),* }
            }

            /// When it is asked.
            pub const fn when(self) -> When {
                match self { $(Kind::$kind => When::$when),* }
            }

            fn of_word(word: &str) -> Option<Kind> {
                match word { $($word => Some(Kind::$kind),)* _ => None }
            }
        }
    };
}

/// When a question is asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum When {
    /// Before anything of the program is read.
    Before,
    /// While the program is compiled, if that needs the answer.
    Compiling,
}

kinds! {
    /// The program's file, as it was named: messages and traces name it so.
    Program "program" Before;
    /// The working folder, from which paths go, and in which `dl.config.sdn` is.
    Folder "folder" Before;
    /// The folder of the library: below `SIMPLE_HOME`, or above the compiler.
    Library "library" Before;
    /// The compiler: its version, and which file it is.
    Compiler "compiler" Before;
    /// The processor and what it can do.
    Machine "machine" Before;
    /// How messages are shown: the options about warnings, and whether in colour.
    Messages "messages" Before;
    /// Whether there is a file: a module at each place where it is looked for, and `simple.sdn` beside the program and above it.
    File "file" Compiling;
    /// What computes tensors: the command line, variables of the environment, `dl.config.sdn`, lines of the program, a backend of its own, and
    /// whether there is a libtorch or a GPU decide that.
    Backend "backend" Compiling;
    /// The text of a file.
    Text "text" Compiling;
    /// What is known of a foreign function before the program runs.
    Function "function" Compiling;
    /// Whether a foreign function may change how floats are computed, for which the file of a library beside the program is looked through.
    Floats "floats" Compiling;
    /// Whether a library is known to be one of plain C, for which its file is looked through.
    Plain "plain" Compiling;
    /// What the libtorch of this machine lacks of what the torch library declares.
    Lacks "lacks" Compiling;
}

/// A question that is asked while a program is compiled.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Question {
    /// What is asked.
    pub kind: Kind,
    /// About what: a path, a library, or a function with its library after a space.
    pub about: String,
}

impl Question {
    fn of(kind: Kind, about: impl Into<String>) -> Question {
        let about = about.into();
        Question { kind, about }
    }

    fn of_function(kind: Kind, symbol: &str, library: Option<&str>) -> Question {
        Question::of(
            kind,
            match library {
                // A symbol has no spaces.
                Some(library) => format!("{symbol} {library}"),
                None => symbol.to_owned(),
            },
        )
    }

    /// As it was written down by its kind's word.
    pub(crate) fn read(word: &str, about: &str) -> Option<Question> {
        let kind = Kind::of_word(word).filter(|kind| kind.when() == When::Compiling)?;
        Some(Question::of(kind, about))
    }
}

/// The surroundings of the programs of a session, which remember what they are asked.
#[derive(Debug)]
pub struct Surroundings {
    library: PathBuf,
    /// Nothing for what only reads files.
    bridge: Option<Arc<Bridge>>,
    /// Which folders are there, as far as they were looked for.
    folders: RefCell<HashMap<OsString, bool>>,
    asked: RefCell<Asked>,
}

/// What was asked.
#[derive(Default, Debug)]
struct Asked {
    answers: BTreeMap<Question, String>,
    /// Whether a question could not be put into words: a path that is not UTF-8.
    wordless: bool,
}

impl Surroundings {
    /// Those of programs whose library is in this folder; `bridge` knows foreign functions.
    pub fn new(library: &Path, bridge: Option<Arc<Bridge>>) -> Rc<Surroundings> {
        Rc::new(Surroundings {
            // Files are recognized as the library's by their paths.
            library: absolute(library),
            bridge,
            folders: RefCell::default(),
            asked: RefCell::default(),
        })
    }

    /// The folder of the library, from the root folder.
    pub fn library(&self) -> &Path {
        &self.library
    }

    /// The bridge, where there is one.
    pub fn bridge(&self) -> Option<&Arc<Bridge>> {
        self.bridge.as_ref()
    }

    /// The answers that are known before anything is read, each with its kind. `messages` is what the words of the command say about what is
    /// said. `None` where one of them cannot be known, so that nothing is to be kept.
    pub fn before(&self, root: &LoadedSource, messages: &str) -> Option<Vec<(Kind, String)>> {
        let kinds = Kind::ALL.iter().filter(|kind| kind.when() == When::Before);
        let answer = |kind: &Kind| {
            let answer = match kind {
                Kind::Program => format!("{:?}", root.path),
                Kind::Folder => format!("{:?}", std::env::current_dir().ok()?),
                Kind::Library => format!("{:?}", self.library),
                Kind::Compiler => compiler()?,
                Kind::Machine => simple_codegen::machine().ok()?,
                Kind::Messages => messages.to_owned(),
                _ => return None,
            };
            Some((*kind, answer))
        };
        kinds.map(answer).collect()
    }

    /// Whether there is such a file. Folders are queried once, as most places are in the same few, which may not be there.
    pub fn is_file(&self, place: &Path) -> bool {
        let there = self.has_file(place);
        self.note_about(Kind::File, place, || yes_or_no(there));
        there
    }

    /// The text of a file of the program or of the library.
    ///
    /// # Errors
    ///
    /// Why it cannot be read, in words for a message.
    pub fn read(&self, file: &Path) -> Result<String, String> {
        let text = read_source(file);
        self.note_about(Kind::Text, file, || match &text {
            Ok(text) => hash_of(text),
            Err(reason) => reason.clone(),
        });
        text
    }

    /// Remembers the text of the program's own file, which was read before and may not be there a second time.
    pub fn was_read(&self, file: &Path, text: &str) {
        self.note_about(Kind::Text, file, || hash_of(text));
    }

    /// The module of the chosen backend by its path, and what to say of one that is not there.
    pub fn backend(&self) -> Option<(Vec<String>, String)> {
        let module = backend::module();
        self.note(Question::of(Kind::Backend, ""), || words_of_module(&module));
        module
    }

    /// What is known of a foreign function, in the library of `@Lib` if one is named.
    pub fn known(&self, symbol: &str, library: Option<&str>) -> Option<KnownFunction> {
        let known = self.bridge.as_ref()?.known(symbol, library);
        let question = Question::of_function(Kind::Function, symbol, library);
        self.note(question, || words_of_function(known.as_ref()));
        known
    }

    /// Whether a foreign function may change how floats are computed.
    pub fn changes_floats(&self, symbol: &str, library: &str) -> bool {
        let bridge = self.bridge.as_ref();
        let changes = bridge.is_some_and(|bridge| bridge.changes_floats(symbol, library));
        let question = Question::of_function(Kind::Floats, symbol, Some(library));
        self.note(question, || yes_or_no(changes));
        changes
    }

    /// Whether the library of `@Lib` is known to be one of plain C.
    pub fn is_plain(&self, library: &str) -> bool {
        let bridge = self.bridge.as_ref();
        let plain = bridge.is_some_and(|bridge| bridge.is_plain(library));
        self.note(Question::of(Kind::Plain, library), || yes_or_no(plain));
        plain
    }

    /// The release of libtorch, and the operator that a function of the torch library would call, if libtorch lacks it.
    pub fn lacks(&self, symbol: &str) -> Option<(&str, &str)> {
        let lacks = self.bridge.as_ref()?.lacks();
        self.note(Question::of(Kind::Lacks, ""), || lacks.words());
        Some((lacks.release.as_str(), lacks.operator(symbol)?))
    }

    /// What was asked with the answers, sorted by kind; `None` where that cannot be put into words.
    pub(crate) fn asked(&self) -> Option<BTreeMap<Question, String>> {
        let asked = self.asked.borrow();
        (!asked.wordless).then(|| asked.answers.clone())
    }

    /// The answer that a question has now, in the words in which it was remembered. Nothing is remembered of that. The text of a file is
    /// not asked for here, because whoever compares it needs the text itself.
    pub(crate) fn answer(&self, question: &Question) -> Option<String> {
        let about = question.about.as_str();
        let (symbol, library) = match about.split_once(' ') {
            Some((symbol, library)) => (symbol, Some(library)),
            None => (about, None),
        };
        Some(match question.kind {
            Kind::File => yes_or_no(self.has_file(Path::new(about))),
            Kind::Backend => words_of_module(&backend::module()),
            Kind::Function => {
                words_of_function(self.bridge.as_ref()?.known(symbol, library).as_ref())
            }
            Kind::Floats => yes_or_no(self.bridge.as_ref()?.changes_floats(symbol, library?)),
            Kind::Plain => yes_or_no(self.bridge.as_ref()?.is_plain(about)),
            Kind::Lacks => self.bridge.as_ref()?.lacks().words(),
            _ => return None,
        })
    }

    /// Forgets which folders are there and which are not, for a session that outlives one program.
    pub fn look_again(&self) {
        self.folders.borrow_mut().clear();
    }

    fn has_file(&self, place: &Path) -> bool {
        let Some(folder) = place.parent() else {
            return false;
        };
        let known = self.folders.borrow().get(folder.as_os_str()).copied();
        let there = known.unwrap_or_else(|| {
            let there = folder.as_os_str().is_empty() || folder.is_dir();
            self.folders.borrow_mut().insert(folder.into(), there);
            there
        });
        there && place.is_file()
    }

    fn note_about(&self, kind: Kind, path: &Path, answer: impl FnOnce() -> String) {
        match path.to_str() {
            Some(path) => self.note(Question::of(kind, path), answer),
            None => self.asked.borrow_mut().wordless = true,
        }
    }

    /// The first answer counts: it is the one that the compiler went on with.
    fn note(&self, question: Question, answer: impl FnOnce() -> String) {
        let asked = &mut *self.asked.borrow_mut();
        asked.answers.entry(question).or_insert_with(answer);
    }
}

fn yes_or_no(yes: bool) -> String {
    if yes { "yes" } else { "no" }.to_owned()
}

fn words_of_module(module: &Option<(Vec<String>, String)>) -> String {
    module
        .as_ref()
        .map_or_else(String::new, |(path, _)| path.join("."))
}

fn words_of_function(known: Option<&KnownFunction>) -> String {
    match known {
        Some(known) => {
            let here = known.address.is_some();
            format!("{:?} {here} {}", known.signature, known.origin)
        }
        None => "unknown".to_owned(),
    }
}

/// Which compiler this is. Size and time of its file may be those of another one, where whoever installs it sets every time to the same; the
/// number of the file and the time at which it was put there are not.
pub(crate) fn compiler() -> Option<String> {
    let file = fs::metadata(std::env::current_exe().ok()?).ok()?;
    Some(format!(
        "{} of {} bytes, {}.{:09}, file {} of {}.{:09}",
        env!("CARGO_PKG_VERSION"),
        file.len(),
        file.mtime(),
        file.mtime_nsec(),
        file.ino(),
        file.ctime(),
        file.ctime_nsec(),
    ))
}

/// The path from the root folder, tidied.
pub(crate) fn absolute(path: &Path) -> PathBuf {
    tidy(&std::path::absolute(path).unwrap_or_else(|_| path.to_owned()))
}

/// The path without `.` and with `x/..` taken out, so that two imports of one file give one path.
pub(crate) fn tidy(path: &Path) -> PathBuf {
    use std::path::Component;
    let mut out = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir
                if matches!(out.components().next_back(), Some(Component::Normal(_))) =>
            {
                out.pop();
            }
            other => out.push(other),
        }
    }
    out
}

/// The text of a source file.
pub(crate) fn read_source(path: &Path) -> Result<String, String> {
    // A program may come from `/dev/stdin` or a shell's `<(...)`; a pipe of any other name would only be waited for.
    open::or_stream(path)
        .and_then(|(file, length)| open::read_from(file, length, LARGEST_SOURCE))
        .and_then(open::text_of)
        .map_err(|error| format!("cannot read {}: {}", path.display(), in_words(&error)))
}

/// What a text is remembered by.
pub(crate) fn hash_of(text: &str) -> String {
    format!("{:016x}{:x}", hash(text.as_bytes()), text.len())
}

pub(crate) fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(bytes);
    hasher.finish()
}

#[cfg(test)]
#[path = "surroundings_tests.rs"]
mod tests;
