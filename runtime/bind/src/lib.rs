//! Bindings from a header of C: `simple bind`.
//!
//! [`bind`] has the C compiler of the machine preprocess a header (`cc.rs`, `origin.rs`, `pkg.rs`), reads its declarations with a parser
//! crate (`pieces.rs`, `tree.rs`, `parse.rs`, `eval.rs`, `ctype.rs`), and writes them as declarations of Simple (`records.rs`, `map.rs`, `bindings.rs`,
//! `write.rs`). `layout.rs` computes structs; the compiler says whether it is right. [`check`] makes bindings again and
//! compares them with a file that may have been edited (`check.rs`). Which types can cross is the checker's knowledge
//! (`runtime/sema`): what is written here is always what it takes. [`c_header()`] goes the other way, for libraries that are written with
//! SFFI.

mod attributes;
mod bindings;
mod c_header;
mod cc;
mod check;
mod comments;
pub mod ctype;
mod eval;
mod guards;
mod layout;
#[cfg(test)]
mod layout_tests;
mod map;
mod module;
mod names;
mod options;
mod origin;
mod parse;
mod pieces;
mod pkg;
mod reason;
mod records;
mod tree;
mod write;

pub use c_header::{CHeader, c_header, guard};
pub use check::{Difference, Report};
pub use layout::{Layout, RecordLayout};
pub use module::Summary;
pub use options::Options;

use ctype::Unit;
use std::collections::{BTreeSet, HashSet};
use std::path::Path;
use thiserror::Error;

/// Why there are no bindings.
#[derive(Debug, Error)]
pub enum Error {
    /// No C compiler.
    #[error(
        "cannot run the C compiler `{command}`: {}; install one (`apt install gcc`), or name it with `CC=...`",
        simple_system::in_words(reason)
    )]
    NoCompiler {
        /// The command.
        command: String,
        /// What the system says.
        reason: std::io::Error,
    },
    /// The compiler refuses the header.
    #[error(
        "the C compiler does not accept this header by itself:\n{message}\nIf it needs another header first, name that one with \
         `--before`, as in `--before stdio.h`."
    )]
    NotC {
        /// What the compiler says.
        message: String,
    },
    /// There is no such header.
    #[error(
        "cannot find the header `{header}`, neither as a file nor where the C compiler looks; `-I FOLDER` adds a folder"
    )]
    NoHeader {
        /// As it was named.
        header: String,
    },
    /// An option that bindings cannot remember.
    #[error(
        "`{value}` cannot be the name of a header or library, or another option: it is empty, or has a quote, a brace or a line break"
    )]
    BadOption {
        /// The option.
        value: String,
    },
    /// The header wants a macro first.
    #[error("the header asks for a macro before it is read; write `{option}`:\n{message}")]
    WantsMacro {
        /// The option that defines it.
        option: String,
        /// What the compiler says.
        message: String,
    },
    /// No `pkg-config`.
    #[error(
        "cannot run `{command}`, which `--pkg` asks: {}; install it (`apt install pkg-config`), or name the folders with `-I` and the \
         library with `--lib`",
        simple_system::in_words(reason)
    )]
    NoPkgConfig {
        /// The command.
        command: String,
        /// What the system says.
        reason: std::io::Error,
    },
    /// `pkg-config` does not know a package.
    #[error("`pkg-config` does not know the package `{name}`:\n{message}")]
    NoPackage {
        /// The package.
        name: String,
        /// What it says.
        message: String,
    },
    /// No library is named, and no package says which one it is.
    #[error("which library has the functions? Write `--lib NAME`: sqlite3 for libsqlite3.so")]
    NoLibrary,
    /// The file does not say how it was made.
    #[error(
        "the file does not say how it was made: lines such as `# header: zlib.h` and `# lib: z` at its top are missing"
    )]
    NoOptions,
    /// The file is not Simple.
    #[error("{message}")]
    NotSimple {
        /// What the parser says, with the line.
        message: String,
    },
}

/// Bindings.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bindings {
    /// The module of Simple.
    pub text: String,
    /// What is in it.
    pub summary: Summary,
}

/// Makes bindings. Relative paths in the options begin in `folder`.
pub fn bind(options: &Options, folder: &Path) -> Result<Bindings, Error> {
    let mut options = options.clone();
    let flags = pkg::flags(&options.pkg)?;
    if options.lib.is_empty() {
        options.lib = flags.lib.clone().ok_or(Error::NoLibrary)?;
    }
    if let Some(value) = options.unwritable() {
        return Err(Error::BadOption { value });
    }
    let header = read(&options, &flags.compile, folder)?;
    let module = bindings::module(&header, &options);
    let text = write::module(&module, &options);
    let summary = module.summary(&options.header);
    Ok(Bindings { text, summary })
}

/// Makes the bindings again that are in `text`, and says in what they differ. Relative paths begin in the first of these folders that
/// has the header, or in the first.
pub fn check(text: &str, folders: &[&Path]) -> Result<Report, Error> {
    let options = Options::recorded(text).ok_or(Error::NoOptions)?;
    let has_header = |folder: &&&Path| folder.join(&options.header).is_file();
    let found = folders.iter().find(has_header).or(folders.first());
    let folder = found.copied().unwrap_or(Path::new(""));
    let made = bind(&options, folder)?;
    check::compare(text, &made.text)
}

/// What is declared in a header and what it includes, with the layouts that the compiler does not confirm.
pub(crate) struct Header {
    pub(crate) origins: origin::Origins,
    pub(crate) unit: Unit,
    /// Structs whose layout is another than the computed one.
    pub(crate) wrong: HashSet<usize>,
    /// Macros of the header with what they expand to; `None` for one that is not a declaration.
    pub(crate) macros: Vec<(origin::Macro, Option<Meaning>)>,
    /// Which of the files are the header's own.
    pub(crate) own: Vec<bool>,
}

/// What a macro expands to.
pub(crate) enum Meaning {
    /// A number or a text.
    Value(eval::Value),
    /// Another function or variable: `#define mpz_add __gmpz_add`.
    Name(String),
}

/// How macros begin that only decorate declarations.
const DECORATION: [&str; 8] = [
    "__attribute__",
    "__declspec",
    "extern",
    "const",
    "static",
    "inline",
    "__inline",
    "__restrict",
];

fn read(options: &Options, flags: &[String], folder: &Path) -> Result<Header, Error> {
    let compiler = cc::Compiler::new(options, flags, folder);
    let output = compiler.preprocess().map_err(|error| match error {
        Error::NotC { message }
            if message.contains(&format!("{}: No such file", options.header)) =>
        {
            Error::NoHeader {
                header: options.header.clone(),
            }
        }
        other => other,
    })?;
    let (origins, text) = origin::Origins::read(&output);
    let own = options.own_files(&origins);
    let trees = tree::trees(text, &origins);
    let mut reader = parse::Reader::new(&origins);
    reader.read(&trees);
    reader.unit.broken = trees.broken;
    let guards = guards(&origins, &own);
    let macros: Vec<origin::Macro> = origins
        .macros
        .iter()
        .filter(|known| own[known.place.file] && !known.empty && !known.name.starts_with("__"))
        .filter(|known| guards[known.place.file].as_ref() != Some(&known.name))
        .cloned()
        .collect();
    let plain = macros.iter().filter(|known| !known.function);
    let expanded = compiler.expand(plain.map(|known| known.name.as_str()))?;
    let mut expanded = expanded.iter();
    let values = macros
        .into_iter()
        .map(|known| {
            let function = known.function;
            let text = match known.function {
                true => "",
                false => expanded.next().map_or("", |text| text.trim()),
            };
            // What stands for nothing, or only decorates declarations, is not a declaration.
            let decorates = !known.function && DECORATION.iter().any(|word| text.starts_with(word));
            let is_name = text.chars().all(pieces::is_word)
                && !text.starts_with(|c: char| c.is_ascii_digit());
            let value = if text.is_empty() {
                None
            } else if is_name && reader.is_declared(text) {
                Some(Meaning::Name(text.to_owned()))
            } else {
                reader.macro_value(text).map(Meaning::Value)
            };
            (known, value, decorates || (text.is_empty() && !function))
        })
        .filter(|(_, _, nothing)| !nothing)
        .map(|(known, value, _)| (known, value))
        .collect();
    let unit = reader.unit;
    let wrong = judged(&compiler, &unit, &origins)?;
    Ok(Header {
        origins,
        unit,
        wrong,
        macros: values,
        own,
    })
}

/// Headers with more bytes have neither documentation nor a guard.
pub(crate) const LARGEST_HEADER: u64 = 64 << 20;

/// The guard of each file that is the header's own.
fn guards(origins: &origin::Origins, own: &[bool]) -> Vec<Option<String>> {
    let guard = |(file, own): (usize, &bool)| {
        let text = own
            .then(|| simple_system::open::read(origins.path(file), LARGEST_HEADER).ok())
            .flatten()?;
        guards::guard(&String::from_utf8_lossy(&text))
    };
    own.iter().enumerate().map(guard).collect()
}

/// Asks the compiler whether the computed layouts are right.
fn judged(
    compiler: &cc::Compiler,
    unit: &Unit,
    origins: &origin::Origins,
) -> Result<HashSet<usize>, Error> {
    let mut assertions = Vec::new();
    // A macro may have the name of a member, as `xmlParserVersion` of libxml2 has.
    let macros: HashSet<&str> = origins.macros.iter().map(|m| m.name.as_str()).collect();
    let mut hidden = BTreeSet::new();
    for (index, record) in unit.records.iter().enumerate() {
        let (Some(name), Some(layout)) = (record.spelling(), unit.record_layout(record)) else {
            continue;
        };
        let whole = layout.whole;
        let mut holds = format!(
            "sizeof({name}) == {} && _Alignof({name}) == {}",
            whole.size, whole.align
        );
        for (field, offset) in record.fields.iter().flatten().zip(&layout.offsets) {
            if let (Some(member), None) = (&field.name, field.bits) {
                holds.push_str(&format!(" && offsetof({name}, {member}) == {offset}"));
                hidden.extend(macros.get(member.as_str()));
            }
        }
        let words = name.split(' ').filter_map(|word| macros.get(word));
        hidden.extend(words);
        assertions.push((index, holds));
    }
    let mut wrong = HashSet::new();
    // Again until all hold: a compiler may stop after some errors. It also says what is not C at all, in better words than the
    // parser's.
    loop {
        let found = compiler.judge(&hidden, &assertions)?;
        if found.is_empty() {
            return Ok(wrong);
        }
        assertions.retain(|(index, _)| !found.contains(index));
        wrong.extend(found);
    }
}
