//! Bindings from a header of C: `simple bind`.
//!
//! [`bind`] has the C compiler of the machine preprocess a header (`cc.rs`, `origin.rs`), reads its declarations with a parser
//! crate (`tree.rs`, `parse.rs`, `eval.rs`, `ctype.rs`), and writes them as declarations of Simple (`records.rs`, `map.rs`, `bindings.rs`,
//! `write.rs`). `layout.rs` computes structs; the compiler says whether it is right. [`check`] makes bindings again and
//! compares them with a file that may have been edited (`check.rs`). Which types can cross is the checker's knowledge
//! (`runtime/sema`): what is written here is always what it takes. [`c_header()`] goes the other way, for libraries that are written with
//! SFFI.

mod bindings;
mod c_header;
mod cc;
mod check;
mod comments;
pub mod ctype;
mod eval;
mod layout;
#[cfg(test)]
mod layout_tests;
mod map;
mod module;
mod names;
mod options;
mod origin;
mod parse;
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
use std::path::{Path, PathBuf};
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
        "the C compiler does not accept this header by itself:\n{message}\nIf it needs another header first, write a header that includes \
         both, and name this one with `--also`."
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
    /// The parser does not understand it.
    #[error(
        "{}:{line}: the parser does not understand this, although the C compiler does: {text}", path.display()
    )]
    NotUnderstood {
        /// The file.
        path: PathBuf,
        /// The line.
        line: u32,
        /// What is there.
        text: String,
    },
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
    if let Some(value) = options.unwritable() {
        return Err(Error::BadOption { value });
    }
    let header = read(options, folder)?;
    let module = bindings::module(&header, options);
    let text = write::module(&module, options);
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
    pub(crate) wrong: std::collections::HashSet<usize>,
    /// Macros of the header with their values; `None` for one that has none.
    pub(crate) macros: Vec<(origin::Macro, Option<eval::Value>)>,
    /// Which of the files are the header's own.
    pub(crate) own: Vec<bool>,
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

fn read(options: &Options, folder: &Path) -> Result<Header, Error> {
    let compiler = cc::Compiler::new(options, folder);
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
    let read = tree::tree(text, &origins);
    // The compiler says what is not C; its words are better than the parser's.
    compiler.judge(&[])?;
    let (tree, broken) = read.map_err(|error| Error::NotUnderstood {
        path: origins.path(error.place.file).to_owned(),
        line: error.place.line,
        text: error.line,
    })?;
    let mut reader = parse::Reader::new(&origins);
    reader.read(&tree);
    reader.unit.broken = broken;
    let macros: Vec<origin::Macro> = origins
        .macros
        .iter()
        .filter(|known| own[known.place.file] && !known.empty && !known.name.starts_with("__"))
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
            let value = if text.is_empty() {
                None
            } else {
                reader.macro_value(text)
            };
            (known, value, decorates || (text.is_empty() && !function))
        })
        .filter(|(_, _, nothing)| !nothing)
        .map(|(known, value, _)| (known, value))
        .collect();
    let unit = reader.unit;
    let wrong = judged(&compiler, &unit)?;
    Ok(Header {
        origins,
        unit,
        wrong,
        macros: values,
        own,
    })
}

/// Asks the compiler whether the computed layouts are right.
fn judged(compiler: &cc::Compiler, unit: &Unit) -> Result<std::collections::HashSet<usize>, Error> {
    let mut assertions = Vec::new();
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
            }
        }
        assertions.push((index, holds));
    }
    let mut wrong = std::collections::HashSet::new();
    // Again until all hold: a compiler may stop after some errors.
    loop {
        let found = compiler.judge(&assertions)?;
        if found.is_empty() {
            return Ok(wrong);
        }
        assertions.retain(|(index, _)| !found.contains(index));
        wrong.extend(found);
    }
}
