//! SDN, the Simple Data Notation: text to values and back, every value with the line and column it came from.
//!
//! ```
//! use sdn_parser::{Document, parse};
//!
//! let text = "server:\n    port: 8080\nusers |id, name|\n    1, Ada\n    2, Grace\n";
//! let value = parse(text).unwrap();
//! assert_eq!(value.get_path("server.port").and_then(|v| v.as_i64()), Some(8080));
//! assert_eq!(value.get_path("users.1.name").and_then(|v| v.as_str()), Some("Grace"));
//!
//! let document = Document::parse(text).unwrap();
//! let port = document.get_path("server.port").unwrap();
//! assert_eq!((port.line, port.column), (2, 11));
//!
//! #[derive(serde::Deserialize)]
//! struct User { id: u32, name: String }
//! #[derive(serde::Deserialize)]
//! struct File { users: Vec<User> }
//! let file: File = sdn_parser::from_str(text).unwrap();
//! assert_eq!((file.users[0].id, file.users[0].name.as_str()), (1, "Ada"));
//! ```
//!
//! Reading order: `value` and `node` (what comes out), `parse` (the grammar: blocks, then inline collections, then
//! tables) over `cursor` (characters to positions) and `scalar` (text to kinds), `write` and `json` (the reverse
//! direction),
//! `de` (serde). Nothing here knows the Simple language, and only [`parse_file`] and [`Document::open`] touch files.
//!
//! No input makes the parser panic, recurse deeper than [`MAX_DEPTH`] or take more than linear time.

mod column_type;
mod cursor;
mod de;
mod dict;
mod error;
mod json;
mod node;
mod parse;
mod scalar;
mod value;
mod value_serde;
mod write;

pub use de::{from_node, from_str, from_value};
pub use dict::Dict;
pub use error::{Error, ErrorKind};
pub use node::{Document, Entry, Node, NodeValue, TableNode};
pub use parse::{MAX_CELLS, MAX_DEPTH, MAX_STRING_BYTES, parse_spanned};
pub use value::{Table, Value};

/// Parses a document into plain values. The root is always a [`Value::Dict`]; empty text gives an empty one.
///
/// # Errors
///
/// The first error in the text, with its kind, line and column.
pub fn parse(source: &str) -> Result<Value, Error> {
    parse_spanned(source).map(Node::into_value)
}

/// Parses bytes that should be UTF-8 text, as read from a file.
///
/// # Errors
///
/// As [`parse`]; bytes that are not UTF-8 are a [`ErrorKind::Syntax`] error at the first bad byte.
pub fn parse_bytes(source: &[u8]) -> Result<Value, Error> {
    parse(utf8(source)?)
}

/// Reads and parses a file.
///
/// # Errors
///
/// As [`parse_bytes`], with the file named in the error; a file that cannot be read is an [`ErrorKind::Io`] error.
pub fn parse_file(path: impl AsRef<std::path::Path>) -> Result<Value, Error> {
    Document::open(path).map(Document::into_value)
}

/// Checks that bytes are UTF-8 and says where they stop being so.
pub(crate) fn utf8(source: &[u8]) -> Result<&str, Error> {
    std::str::from_utf8(source).map_err(|problem| {
        let good = source.get(..problem.valid_up_to()).unwrap_or_default();
        let good = std::str::from_utf8(good).unwrap_or_default();
        let line_start = good.rfind('\n').map_or(0, |newline| newline + 1);
        let line = good.bytes().filter(|byte| *byte == b'\n').count() + 1;
        let column = good.get(line_start..).unwrap_or_default().chars().count() + 1;
        Error::new(ErrorKind::Syntax, "the text is not valid UTF-8").at(
            u32::try_from(line).unwrap_or(u32::MAX),
            u32::try_from(column).unwrap_or(u32::MAX),
        )
    })
}
