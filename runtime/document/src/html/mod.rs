//! The reference as web pages: one for each module, one for each module's source, an index, and a search that works
//! without a server.
//!
//! Pages are texts here; whoever calls [`site`] reads modules and writes files. Without a framework: `style.css` and
//! `search.js` are the whole of it. `names.rs` says where a name is declared, `page.rs` writes pages, `markdown.rs`
//! comments, `index.rs` what the search looks through.

mod index;
mod markdown;
mod names;
mod page;

use crate::{Documented, document};
use names::Names;

/// A module to write about.
#[derive(Clone, Debug)]
pub struct Source {
    /// Its path as programs write it: `lib.nn.conv`.
    pub module: String,
    /// The path of its file, as it is shown.
    pub path: String,
    /// Whether it is that of a folder, such as `mod.spl`: relative paths in it begin there.
    pub package: bool,
    /// Its text.
    pub text: String,
}

/// A file of the reference.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Page {
    /// Its name; all are in one folder.
    pub name: String,
    /// Its text.
    pub text: String,
}

/// A module with what it declares.
struct Module<'a> {
    source: &'a Source,
    content: Documented,
}

/// The files of a reference with this title.
pub fn site(title: &str, sources: &[Source]) -> Vec<Page> {
    let modules: Vec<Module<'_>> = sources
        .iter()
        .map(|source| Module {
            source,
            content: document(&source.text),
        })
        .collect();
    let names = Names::of(&modules);
    let file = |name: &str, text: String| Page {
        name: name.to_owned(),
        text,
    };
    let mut pages = vec![
        file("style.css", include_str!("style.css").to_owned()),
        file("search.js", include_str!("search.js").to_owned()),
        file("search-index.js", index::script(&modules, &names)),
        file("index.html", page::index(title, &modules)),
    ];
    for at in 0..modules.len() {
        pages.push(file(
            &page_of(&modules[at].source.module),
            page::module(title, &modules, &names, at),
        ));
        pages.push(file(
            &source_of(&modules[at].source.module),
            page::source(title, &modules[at]),
        ));
    }
    pages
}

/// The file of a module's page.
fn page_of(module: &str) -> String {
    format!("{module}.html")
}

/// The file of a module's source.
fn source_of(module: &str) -> String {
    format!("{module}.source.html")
}

/// Text in HTML, also in attributes.
fn escape(text: &str) -> String {
    let mut found = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => found.push_str("&amp;"),
            '<' => found.push_str("&lt;"),
            '>' => found.push_str("&gt;"),
            '"' => found.push_str("&quot;"),
            other => found.push(other),
        }
    }
    found
}
