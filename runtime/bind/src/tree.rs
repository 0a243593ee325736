//! The trees of a preprocessed text, by the parser crate `lang-c`.
//!
//! The text is cut into its declarations first (`pieces.rs`), and the parser gets many of them at a time. Of a group that it does not
//! understand it gets each half, down to the one declaration that is left out and noted: so one costs the others nothing. What the
//! trees mean is in `parse.rs`.

use crate::ctype::Place;
use crate::origin::Origins;
use crate::pieces::{Piece, is_word, pieces};
use lang_c::ast::{
    DeclarationSpecifier, Declarator, DeclaratorKind, ExternalDeclaration, StorageClassSpecifier,
    TranslationUnit,
};
use lang_c::driver::{Config, Flavor, parse_preprocessed};
use std::collections::HashSet;

/// How many declarations the parser gets at a time.
const GROUP: usize = 128;

/// Types that compilers know without a declaration.
pub const BUILTIN_TYPES: [(&str, u64); 6] = [
    ("__builtin_va_list", 24),
    ("__bf16", 2),
    ("__fp16", 2),
    ("__float80", 16),
    ("__float128", 16),
    ("__ibm128", 16),
];

/// A declaration that the parser does not understand.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Broken {
    /// Where.
    pub place: Place,
    /// What it declares, as far as that can be seen.
    pub name: String,
    /// Whether that is a function.
    pub function: bool,
}

/// The tree of some declarations that follow each other.
pub struct Tree {
    /// The tree.
    pub unit: TranslationUnit,
    /// How many declarations at its start only name types of earlier trees.
    pub known: usize,
    /// What must be added to an offset in it for the offset in the whole text; it wraps around.
    pub base: usize,
}

/// All trees of a text, in order.
#[derive(Default)]
pub struct Trees {
    /// The trees.
    pub trees: Vec<Tree>,
    /// What is not in them.
    pub broken: Vec<Broken>,
    /// The start of each declaration, and whether it is a function whose code is in the header.
    pieces: Vec<Piece>,
}

impl Trees {
    /// Whether the declaration at this offset is a function whose code is in the header.
    pub fn is_defined(&self, offset: usize) -> bool {
        let at = self.pieces.partition_point(|piece| piece.start <= offset);
        at > 0 && self.pieces[at - 1].defined
    }
}

/// The tree of a text that the parser understands whole.
pub fn parsed(text: String) -> Option<TranslationUnit> {
    let config = Config {
        cpp_command: String::new(),
        cpp_options: Vec::new(),
        flavor: Flavor::ClangC11,
    };
    parse_preprocessed(&config, text)
        .ok()
        .map(|parse| parse.unit)
}

/// The trees of a preprocessed text without line markers.
pub fn trees(text: String, origins: &Origins) -> Trees {
    let (text, pieces) = pieces(text);
    let mut reader = Reader {
        text: &text,
        origins,
        types: BUILTIN_TYPES
            .iter()
            .map(|(name, _)| (*name).to_owned())
            .collect(),
        out: Trees::default(),
    };
    for group in pieces.chunks(GROUP) {
        reader.read(group);
    }
    let mut out = reader.out;
    out.pieces = pieces;
    out
}

struct Reader<'a> {
    text: &'a str,
    origins: &'a Origins,
    /// Names of types.
    types: HashSet<String>,
    out: Trees,
}

impl Reader<'_> {
    fn read(&mut self, pieces: &[Piece]) {
        let (Some(first), Some(last)) = (pieces.first(), pieces.last()) else {
            return;
        };
        let text = &self.text[first.start..last.end];
        let mut source = String::new();
        // The parser has to know which words are types.
        let mut seen = HashSet::new();
        for word in text.split(|c| !is_word(c)) {
            if self.types.contains(word) && seen.insert(word) {
                source.push_str(if source.is_empty() {
                    "typedef int "
                } else {
                    ", "
                });
                source.push_str(word);
            }
        }
        if !source.is_empty() {
            source.push_str(";\n");
        }
        let (known, before) = (usize::from(!source.is_empty()), source.len());
        source.push_str(text);
        if let Some(unit) = parsed(source) {
            for declared in &unit.0 {
                self.note_types(&declared.node);
            }
            self.out.trees.push(Tree {
                unit,
                known,
                base: first.start.wrapping_sub(before),
            });
            return;
        }
        match pieces {
            [piece] => self.leave_out(piece, text.to_owned()),
            _ => {
                let (left, right) = pieces.split_at(pieces.len() / 2);
                self.read(left);
                self.read(right);
            }
        }
    }

    fn note_types(&mut self, declared: &ExternalDeclaration) {
        let ExternalDeclaration::Declaration(declaration) = declared else {
            return;
        };
        let is_typedef = |specifier: &DeclarationSpecifier| {
            matches!(specifier, DeclarationSpecifier::StorageClass(class)
                if class.node == StorageClassSpecifier::Typedef)
        };
        let specifiers = &declaration.node.specifiers;
        if !specifiers.iter().any(|one| is_typedef(&one.node)) {
            return;
        }
        for declarator in &declaration.node.declarators {
            if let Some(name) = declared_name(&declarator.node.declarator.node) {
                self.types.insert(name.to_owned());
            }
        }
    }

    fn leave_out(&mut self, piece: &Piece, text: String) {
        let (name, function) = apparent_name(&text);
        if text.trim_start().starts_with("typedef") && !name.is_empty() {
            // What uses it is understood as far as possible.
            self.types.insert(name.clone());
        }
        self.out.broken.push(Broken {
            place: self.origins.place(piece.start),
            name: if name.is_empty() {
                "a declaration".to_owned()
            } else {
                name
            },
            function,
        });
    }
}

fn declared_name(declarator: &Declarator) -> Option<&str> {
    match &declarator.kind.node {
        DeclaratorKind::Abstract => None,
        DeclaratorKind::Identifier(name) => Some(&name.node.name),
        DeclaratorKind::Declarator(inner) => declared_name(&inner.node),
    }
}

/// What a declaration seems to declare, and whether that is a function: the word before the first bracket, or the last word.
fn apparent_name(text: &str) -> (String, bool) {
    let mut depth = 0usize;
    let mut last = "";
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let length = if is_word(c) {
            rest.find(|c| !is_word(c)).unwrap_or(rest.len())
        } else {
            c.len_utf8()
        };
        match c {
            '(' if depth == 0 && !last.is_empty() && !last.starts_with("__attribute") => {
                return (last.to_owned(), !text.trim_start().starts_with("typedef"));
            }
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            '=' if depth == 0 => break,
            c if depth == 0 && is_word(c) && !c.is_ascii_digit() => last = &rest[..length],
            _ => {}
        }
        rest = &rest[length..];
    }
    (last.to_owned(), false)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Trees {
        trees(text.to_owned(), &Origins::default())
    }

    #[test]
    fn one_that_is_not_understood_costs_the_others_nothing() {
        let mut text = String::from("typedef unsigned long Word;\n");
        for index in 0..400 {
            text.push_str(&format!("Word f{index}(Word x);\n"));
        }
        text.push_str("int odd(int $ x);\ntypedef @ Strange;\nStrange g(Word w);\n");
        let read = read(&text);
        let names: Vec<_> = read
            .broken
            .iter()
            .map(|one| (one.name.as_str(), one.function))
            .collect();
        assert_eq!(names, [("odd", true), ("Strange", false)]);
        let count: usize = read.trees.iter().map(|t| t.unit.0.len() - t.known).sum();
        assert_eq!(count, 402);
    }

    #[test]
    fn offsets_lead_back_into_the_text() {
        let text = "typedef int Word;\nWord f(Word x);\nint $;\nWord g(void) { return 1; }\n";
        let read = read(text);
        let tree = read.trees.last().expect("a tree");
        let start = tree.unit.0[tree.known].span.start.wrapping_add(tree.base);
        assert!(text[start..].starts_with("Word g"), "{}", &text[start..]);
        assert!(read.is_defined(start) && !read.is_defined(0));
    }

    #[test]
    fn apparent_names() {
        assert_eq!(
            apparent_name("extern int f (int x);"),
            ("f".to_owned(), true)
        );
        assert_eq!(apparent_name("int a = b(1);"), ("a".to_owned(), false));
        assert_eq!(apparent_name("é;"), ("é".to_owned(), false));
        assert_eq!(apparent_name(";"), (String::new(), false));
    }
}
