//! What a module lets others use: the names that it lists, those marked `pub`, or all that do not begin with `_`; and
//! what it passes on from other modules.
//!
//! Works on the tree alone: where a path leads is for whoever knows all modules (`html/names.rs`).

use simple_syntax::ast::{ExportDecl, Ident, ItemKind, Module, StmtKind, UseDecl, UseWhat};

/// `use` of another module, or `export use`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Import {
    /// How many leading dots: 0 for an absolute path.
    pub dots: u32,
    /// The path.
    pub path: Vec<String>,
    /// The names that are taken, with what they are called here; `None` for all, as by `.*`.
    pub names: Option<Vec<(String, String)>>,
    /// Whether others may use what was taken.
    pub exported: bool,
}

/// What a module shows and takes.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Exports {
    /// The names of `export a, b`.
    pub listed: Vec<String>,
    /// What it takes from other modules.
    pub imports: Vec<Import>,
    /// Whether it lists or marks what it shows; otherwise it shows every name that does not begin with `_`.
    pub chosen: bool,
    /// The names of declarations that are marked with `pub`.
    marked: Vec<String>,
}

impl Exports {
    /// Whether others may use a declaration of the module.
    pub fn shows(&self, name: &str) -> bool {
        match self.chosen {
            true => self.listed.iter().chain(&self.marked).any(|it| it == name),
            false => !name.starts_with('_'),
        }
    }

    /// Those of a module.
    pub(crate) fn of(module: &Module) -> Exports {
        let mut found = Exports::default();
        for stmt in &module.stmts {
            let StmtKind::Item(item) = &stmt.kind else {
                continue;
            };
            match &item.kind {
                ItemKind::Export(ExportDecl::Names(names)) => {
                    found.chosen = true;
                    found
                        .listed
                        .extend(names.iter().map(|it| it.name.as_str().to_owned()));
                }
                ItemKind::Export(ExportDecl::Use(decl)) => {
                    found.chosen = true;
                    found.imports.push(import(decl, true));
                }
                ItemKind::Use(decl) => found.imports.push(import(decl, item.public)),
                kind if item.public => {
                    found.chosen = true;
                    found.marked.extend(name_of(kind));
                }
                _ => {}
            }
        }
        found
    }
}

fn import(decl: &UseDecl, exported: bool) -> Import {
    let mut path: Vec<String> = decl
        .segments
        .iter()
        .map(|it| it.name.as_str().to_owned())
        .collect();
    let names = match &decl.what {
        UseWhat::All => None,
        UseWhat::Names(names) => {
            let pair = |(name, other): &(Ident, Option<Ident>)| {
                let name = name.name.as_str();
                let shown = other.map_or(name, |other| other.name.as_str());
                (name.to_owned(), shown.to_owned())
            };
            Some(names.iter().map(pair).collect())
        }
        UseWhat::Path(other) => {
            // A module, or an item of the module before it.
            let last = path.pop().unwrap_or_default();
            let shown = other.map_or(last.clone(), |other| other.name.as_str().to_owned());
            Some(vec![(last, shown)])
        }
    };
    Import {
        dots: decl.dots,
        path,
        names,
        exported,
    }
}

/// The name that a declaration gives.
fn name_of(kind: &ItemKind) -> Option<String> {
    let name = match kind {
        ItemKind::Fn(decl) => decl.name,
        ItemKind::Struct(decl) | ItemKind::Class(decl) | ItemKind::Mixin(decl) => decl.name,
        ItemKind::Enum(decl) => decl.name,
        ItemKind::Trait(decl) => decl.name,
        ItemKind::TypeAlias { name, .. } | ItemKind::FnAlias { name, .. } => *name,
        ItemKind::ExternFn(decl) => decl.name,
        ItemKind::ExternType(name) => *name,
        ItemKind::ExternVar(decl) => decl.name,
        _ => return None,
    };
    Some(name.name.as_str().to_owned())
}
