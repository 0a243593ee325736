//! What a module declares, with its comments: for `simple doc`.
//!
//! Works on the tree alone: names are not resolved, so a name that a module passes on is found where it is declared.
//! Leaves out private names, those that begin with `_`, and opening files. Next: `exports.rs`, what a module shows;
//! `html`, the pages of `simple doc --html`.

mod exports;
pub mod html;
pub mod signature;

pub use exports::{Exports, Import};

use simple_syntax::ast::{
    Annotation, FieldDecl, FnDecl, Item, ItemKind, PatternKind, Stmt, StmtKind, TypeExpr,
};
use simple_syntax::{FileId, Span, parse};

/// A declaration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    /// The type that it belongs to, of a method.
    pub owner: Option<String>,
    /// Its name.
    pub name: String,
    /// Its head as it is written, on one line.
    pub signature: String,
    /// Its comment; empty where it has none.
    pub docs: String,
    /// Its annotations, such as `@shape("-> input")`.
    pub annotations: Vec<String>,
    /// Fields of a type with their defaults, or variants; private ones are left out.
    pub fields: Vec<Field>,
    /// The line that its head is on, from 1.
    pub line: usize,
}

impl Entry {
    /// `Tensor.topk` of a method, else the name.
    pub fn full_name(&self) -> String {
        match &self.owner {
            Some(owner) => format!("{owner}.{}", self.name),
            None => self.name.clone(),
        }
    }
}

/// A field of a type, or a variant of an enum.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Field {
    /// From its name to its default, on one line.
    pub text: String,
    /// Its comment; empty where it has none.
    pub docs: String,
}

/// A module.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Documented {
    /// Its docstring.
    pub docs: Option<String>,
    /// What it declares, in order; the methods of a type follow it.
    pub entries: Vec<Entry>,
    /// Its variables and constants, and the foreign functions that it declares.
    pub values: Vec<Entry>,
    /// What others may use, and what it takes from others.
    pub exports: Exports,
}

/// What the text of a module declares; nothing that does not parse.
pub fn document(source: &str) -> Documented {
    let (module, _) = parse(FileId(0), source);
    let mut found = Finder {
        source,
        entries: Vec::new(),
        values: Vec::new(),
    };
    for stmt in &module.stmts {
        found.stmt(stmt);
    }
    Documented {
        exports: Exports::of(&module),
        docs: module.docs,
        entries: found.entries,
        values: found.values,
    }
}

struct Finder<'a> {
    source: &'a str,
    entries: Vec<Entry>,
    values: Vec<Entry>,
}

impl Finder<'_> {
    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Item(item) => self.item(item),
            StmtKind::Let { pattern, .. } => {
                if let PatternKind::Name(name) = &pattern.kind {
                    self.value(name.name.as_str(), name.span, self.comment_above(stmt.span));
                }
            }
            _ => {}
        }
    }

    /// A variable, or what a library declares: its whole first line is its head.
    fn value(&mut self, name: &str, place: Span, docs: String) {
        if !name.starts_with('_') {
            self.values.push(Entry {
                owner: None,
                name: name.to_owned(),
                signature: self.line_at(place).trim().to_owned(),
                docs,
                annotations: Vec::new(),
                fields: Vec::new(),
                line: self.line_number(place),
            });
        }
    }

    /// The lines of `##` directly above a statement, which has no comment of its own in the tree.
    fn comment_above(&self, span: Span) -> String {
        let before = self.source.get(..span.lo as usize).unwrap_or_default();
        let above = before.rfind('\n').map_or("", |end| &before[..end]);
        let lines = above.lines().rev();
        let mut lines: Vec<&str> = lines
            .map_while(|line| line.trim_start().strip_prefix("##"))
            .map(|line| line.strip_prefix(' ').unwrap_or(line))
            .collect();
        lines.reverse();
        lines.join("\n")
    }

    fn item(&mut self, item: &Item) {
        let (name, methods, fields) = match &item.kind {
            ItemKind::Fn(decl) => return self.function(item, decl, None),
            ItemKind::Struct(decl) | ItemKind::Class(decl) | ItemKind::Mixin(decl) => {
                let open = decl.fields.iter();
                let open = open
                    .filter(|field| !field.private && !field.name.name.as_str().starts_with('_'));
                let fields = open.map(|field| self.field(field)).collect();
                (decl.name, Some(&decl.methods), fields)
            }
            ItemKind::Enum(decl) => {
                let variants = decl.variants.iter().map(|variant| Field {
                    text: match variant.fields.is_empty() {
                        true => variant.name.name.as_str().to_owned(),
                        false => self.line_at(variant.name.span).trim().to_owned(),
                    },
                    docs: trimmed(variant.docs.as_deref()),
                });
                (decl.name, Some(&decl.methods), variants.collect())
            }
            ItemKind::Trait(decl) => (decl.name, Some(&decl.methods), Vec::new()),
            ItemKind::TypeAlias { name, .. } | ItemKind::FnAlias { name, .. } => {
                (*name, None, Vec::new())
            }
            ItemKind::Impl(decl) => {
                let types = std::iter::once(&decl.ty).chain(&decl.group);
                for ty in types {
                    let owner = self.type_name(ty);
                    self.methods(&decl.methods, &owner);
                }
                return;
            }
            ItemKind::ExternFn(decl) => {
                let docs = trimmed(item.docs.as_deref());
                return self.value(decl.name.name.as_str(), decl.name.span, docs);
            }
            ItemKind::ExternVar(decl) => {
                let docs = trimmed(item.docs.as_deref());
                return self.value(decl.name.name.as_str(), decl.name.span, docs);
            }
            ItemKind::ExternType(name) => {
                let docs = trimmed(item.docs.as_deref());
                return self.value(name.name.as_str(), name.span, docs);
            }
            _ => return,
        };
        let text = name.name.as_str().to_owned();
        let head = self.line_of(name.span);
        let before = self.entries.len();
        self.add(item, None, text.clone(), head, name.span);
        if let Some(entry) = self.entries.get_mut(before) {
            entry.fields = fields;
        }
        if let Some(methods) = methods {
            self.methods(methods, &text);
        }
    }

    /// A field from its name to its default.
    fn field(&self, field: &FieldDecl) -> Field {
        let end = field
            .default
            .as_ref()
            .map_or(field.ty.span, |value| value.span);
        Field {
            text: one_line(self.text(field.name.span.to(end))),
            docs: trimmed(field.docs.as_deref()),
        }
    }

    fn methods(&mut self, methods: &[Item], owner: &str) {
        for method in methods {
            if let ItemKind::Fn(decl) = &method.kind {
                self.function(method, decl, Some(owner));
            }
        }
    }

    fn function(&mut self, item: &Item, decl: &FnDecl, owner: Option<&str>) {
        let head = self.text(decl.head).trim_end_matches(':').trim_end();
        let place = decl.name.span;
        self.add(
            item,
            owner,
            decl.name.name.as_str().to_owned(),
            one_line(head),
            place,
        );
    }

    fn add(
        &mut self,
        item: &Item,
        owner: Option<&str>,
        name: String,
        signature: String,
        place: Span,
    ) {
        if name.starts_with('_') {
            return;
        }
        let annotation = |annotation: &Annotation| one_line(self.text(annotation.span));
        self.entries.push(Entry {
            owner: owner.map(str::to_owned),
            name,
            signature,
            docs: trimmed(item.docs.as_deref()),
            annotations: item.annotations.iter().map(annotation).collect(),
            fields: Vec::new(),
            line: self.line_number(place),
        });
    }

    fn line_number(&self, place: Span) -> usize {
        self.source[..place.lo as usize].matches('\n').count() + 1
    }

    /// The line that a place is on.
    fn line_at(&self, place: Span) -> &str {
        let start = self.source[..place.lo as usize]
            .rfind('\n')
            .map_or(0, |at| at + 1);
        self.source[start..].lines().next().unwrap_or_default()
    }

    /// The name of a type without its arguments.
    fn type_name(&self, ty: &TypeExpr) -> String {
        let text = self.text(ty.span);
        text.split(['<', ' ']).next().unwrap_or(text).to_owned()
    }

    fn text(&self, span: Span) -> &str {
        self.source
            .get(span.lo as usize..span.hi as usize)
            .unwrap_or_default()
    }

    /// The line of a declaration's name, without the colon and what follows it on the line.
    fn line_of(&self, name: Span) -> String {
        let start = self.source[..name.lo as usize]
            .rfind('\n')
            .map_or(0, |at| at + 1);
        let line = self.source[start..].lines().next().unwrap_or_default();
        let after = (name.hi as usize - start).min(line.len());
        let end = match line[after..].find(": ") {
            Some(at) if !line[after..after + at].contains('<') => after + at,
            _ => line.len(),
        };
        line[..end].trim().trim_end_matches(':').to_owned()
    }
}

fn trimmed(docs: Option<&str>) -> String {
    docs.unwrap_or_default().trim().to_owned()
}

/// The text with every run of white space as one space.
fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").replace("( ", "(").replace(" )", ")")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_module_shows() {
        let source = "export a, Later\nexport use .part.{x as y}\nuse lib.nn.*\n## The\n## first.\nval a: i64 = 1\nval b = 2\nclass Later:\n    n: i64\nfn hidden(): pass\n";
        let found = document(source);
        let exports = &found.exports;
        assert!(exports.shows("a") && exports.shows("Later") && !exports.shows("hidden"));
        assert_eq!(exports.imports.len(), 2);
        let names = exports.imports[0].names.as_deref();
        assert_eq!(names, Some(&[("x".to_owned(), "y".to_owned())][..]));
        assert_eq!(
            (
                exports.imports[1].names.is_none(),
                exports.imports[1].exported
            ),
            (true, false)
        );
        assert_eq!(found.values[0].docs, "The\nfirst.");
        assert_eq!(found.values[0].signature, "val a: i64 = 1");
        assert!(document("fn shown(): pass\n").exports.shows("shown"));
    }

    #[test]
    fn functions_types_and_methods() {
        let source = "\"\"\"Layers.\"\"\"\n## Adds.\n@shape(\"-> a\")\nfn add(a: i64,\n        b: i64 = 1) -> i64: a + b\nclass Box<T>:\n    value: T\n    ## Its value.\n    fn get() -> T: value\nfn _hidden(): pass\nimpl Box:\n    fn twice(): pass\n";
        let found = document(source);
        assert_eq!(found.docs.as_deref(), Some("Layers."));
        let names: Vec<String> = found.entries.iter().map(Entry::full_name).collect();
        assert_eq!(names, ["add", "Box", "Box.get", "Box.twice"]);
        let add = &found.entries[0];
        assert_eq!(add.signature, "fn add(a: i64, b: i64 = 1) -> i64");
        assert_eq!((add.docs.as_str(), add.line), ("Adds.", 4));
        assert_eq!(add.annotations, ["@shape(\"-> a\")"]);
        assert_eq!(found.entries[1].signature, "class Box<T>");
        assert_eq!(found.entries[1].fields[0].text, "value: T");
        assert_eq!(found.entries[2].docs, "Its value.");
    }
}
