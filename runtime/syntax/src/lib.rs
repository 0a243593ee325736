//! Source text to tokens to tree, with the place of everything: the first stage of the compiler.
//!
//! Pure: no files, no environment. Any text may be rejected, none may panic; a broken text still yields a tree, so
//! that later stages can report more. `span` and `symbol` are the small vocabulary that every stage shares,
//! `diagnostic` is how every stage reports, `written` is for tools that need the tokens too. Next: `ast` for the tree;
//! `runtime/sema` for what it means.

pub mod ast;
pub mod blocks;
pub mod codes;
pub mod diagnostic;
mod lexer;
mod parser;
pub mod span;
pub mod symbol;
pub mod written;

pub use diagnostic::{Diagnostic, Fix, Severity};
pub use parser::{parse, parse_entry, parse_part, parse_parts};
pub use span::{FileId, Position, SourceFile, SourceMap, Span};
pub use symbol::Symbol;
