//! The pages: the index, a module with its declarations, a module's source.

use super::names::{Names, Target, shown};
use super::{Module, escape, markdown, page_of, source_of};
use crate::signature::{parameters, parentheses, parts, split};
use crate::{Entry, Field};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt::Write;

/// Signatures that are longer have one parameter on a line.
const WIDE: usize = 80;

/// A whole page. `navigation` is beside what it shows.
fn page(site: &str, title: &str, navigation: &str, content: &str) -> String {
    let whole = match title == site {
        true => escape(site),
        false => format!("{} - {}", escape(title), escape(site)),
    };
    let site = escape(site);
    format!(
        "<!doctype html>
<html lang=\"en\">
<head>
<meta charset=\"utf-8\">
<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">
<meta name=\"color-scheme\" content=\"light dark\">
<title>{whole}</title>
<link rel=\"stylesheet\" href=\"style.css\">
<script defer src=\"search-index.js\"></script>
<script defer src=\"search.js\"></script>
</head>
<body>
<a class=\"skip\" href=\"#content\">Skip to content</a>
<header>
<a class=\"home\" href=\"index.html\">{site}</a>
<div class=\"search\" role=\"search\">
<input id=\"search\" type=\"search\" placeholder=\"Search (/)\" aria-label=\"Search the reference\" autocomplete=\"off\"
 role=\"combobox\" aria-expanded=\"false\" aria-controls=\"results\">
<ul id=\"results\" role=\"listbox\" aria-label=\"Results\" hidden></ul>
</div>
</header>
<div class=\"columns\">
<nav aria-label=\"Contents\">
{navigation}</nav>
<main id=\"content\">
{content}</main>
</div>
</body>
</html>
"
    )
}

/// All modules with the first sentence of each.
pub(super) fn index(title: &str, modules: &[Module<'_>]) -> String {
    let mut content = format!("<h1>{}</h1>\n", escape(title));
    let mut navigation = "<ul>\n".to_owned();
    let mut sorted: Vec<&Module<'_>> = modules.iter().collect();
    sorted.sort_by_key(|module| &module.source.module);
    let mut group = "";
    for module in sorted {
        let name = &module.source.module;
        let first = group_of(name);
        if first != group {
            if !group.is_empty() {
                content.push_str("</ul>\n");
            }
            group = first;
            let shown = escape(group);
            let _ = writeln!(
                content,
                "<h2 id=\"{shown}\">{shown}</h2>\n<ul class=\"modules\">"
            );
            let _ = writeln!(navigation, "<li><a href=\"#{shown}\">{shown}</a></li>");
        }
        let docs = module.content.docs.as_deref().unwrap_or_default().trim();
        let _ = writeln!(
            content,
            "<li><a href=\"{}\">{}</a> {}</li>",
            escape(&page_of(name)),
            escape(name),
            markdown::html(&markdown::first_sentence(docs), &|_| None)
                .replace("<p>", "<span>")
                .replace("</p>\n", "</span>")
        );
    }
    if !group.is_empty() {
        content.push_str("</ul>\n");
    }
    navigation.push_str("</ul>\n");
    page(title, title, &navigation, &content)
}

/// The part of the index that a module belongs to: its first two names.
fn group_of(module: &str) -> &str {
    let end = module
        .match_indices('.')
        .nth(1)
        .map_or(module.len(), |(at, _)| at);
    &module[..end]
}

/// A module.
pub(super) fn module(site: &str, modules: &[Module<'_>], names: &Names<'_>, at: usize) -> String {
    let module = &modules[at];
    let name = &module.source.module;
    let writer = Writer { modules, names, at };
    let mut content = format!("<h1>{}</h1>\n", writer.path(name));
    let _ = writeln!(
        content,
        "<p class=\"file\"><a href=\"{}\">{}</a></p>",
        escape(&source_of(name)),
        escape(&module.source.path)
    );
    content.push_str(&writer.comment(module.content.docs.as_deref().unwrap_or_default().trim()));
    let (functions, types): (Vec<&Entry>, Vec<&Entry>) = shown(module)
        .filter(|entry| !module.content.values.contains(entry))
        .partition(|entry| writer.is_function(entry));
    let values: Vec<&Entry> = shown(module)
        .filter(|entry| module.content.values.contains(entry))
        .collect();
    let mut navigation = String::new();
    let mut used = HashSet::new();
    for (title, entries) in [
        ("Types", types),
        ("Functions", functions),
        ("Values", values),
    ] {
        if entries.is_empty() {
            continue;
        }
        let _ = writeln!(content, "<h2>{title}</h2>");
        let _ = writeln!(navigation, "<h2>{title}</h2>\n<ul>");
        for entry in entries {
            let shown = escape(&entry.name);
            let _ = writeln!(navigation, "<li><a href=\"#{shown}\">{shown}</a></li>");
            writer.entry(entry, &mut used, &mut content);
        }
        navigation.push_str("</ul>\n");
    }
    writer.given(&mut navigation, &mut used, &mut content);
    writer.passed_on(&mut content);
    navigation.push_str(&writer.beside());
    page(site, name, &navigation, &content)
}

/// A module's text with a place to link to for each line.
pub(super) fn source(site: &str, module: &Module<'_>) -> String {
    let name = &module.source.module;
    let mut content = format!(
        "<h1><a href=\"{}\">{}</a></h1>\n<p class=\"file\">{}</p>\n<pre class=\"source-text\"><code>",
        escape(&page_of(name)),
        escape(name),
        escape(&module.source.path)
    );
    for (number, line) in module.source.text.lines().enumerate() {
        let _ = writeln!(
            content,
            "<span id=\"L{}\">{}</span>",
            number + 1,
            escape(line)
        );
    }
    content.push_str("</code></pre>\n");
    page(site, &module.source.path, "", &content)
}

struct Writer<'a> {
    modules: &'a [Module<'a>],
    names: &'a Names<'a>,
    at: usize,
}

impl Writer<'_> {
    fn comment(&self, text: &str) -> String {
        markdown::html(text, &|name| self.address(name))
    }

    fn address(&self, name: &str) -> Option<String> {
        self.names.link(&self.names.meant(self.at, name)?)
    }

    fn is_function(&self, entry: &Entry) -> bool {
        let types = [
            "class ", "struct ", "enum ", "trait ", "mixin ", "type ", "alias ", "pub ",
        ];
        !types.iter().any(|word| entry.signature.starts_with(word))
            || entry.signature.contains("fn ")
    }

    /// The path of a module whose parts link to the modules that they name.
    fn path(&self, module: &str) -> String {
        let mut shown = String::new();
        let mut whole = String::new();
        for part in module.split('.') {
            if !whole.is_empty() {
                whole.push('.');
                shown.push_str(".<wbr>");
            }
            whole.push_str(part);
            match self.address(&whole).filter(|_| whole != module) {
                Some(address) => {
                    let _ = write!(
                        shown,
                        "<a href=\"{}\">{}</a>",
                        escape(&address),
                        escape(part)
                    );
                }
                None => shown.push_str(&escape(part)),
            }
        }
        shown
    }

    /// Links to the modules of a package, or to those beside a module.
    fn beside(&self) -> String {
        let own = &self.modules[self.at].source.module;
        let inside = |parent: &str, module: &str| {
            let rest = module
                .strip_prefix(parent)
                .and_then(|rest| rest.strip_prefix('.'));
            rest.is_some_and(|rest| !rest.contains('.'))
        };
        let below = self.modules.iter().any(|it| inside(own, &it.source.module));
        let parent = match below {
            true => own.as_str(),
            false => own.rsplit_once('.').map_or("", |(parent, _)| parent),
        };
        let mut found: Vec<&str> = self
            .modules
            .iter()
            .map(|it| it.source.module.as_str())
            .filter(|module| inside(parent, module))
            .collect();
        found.sort_unstable();
        if found.is_empty() {
            return String::new();
        }
        let mut text = format!("<details><summary>{}</summary>\n<ul>\n", escape(parent));
        for module in found {
            let last = module.rsplit('.').next().unwrap_or(module);
            let here = if module == own {
                " aria-current=\"page\""
            } else {
                ""
            };
            let _ = writeln!(
                text,
                "<li><a href=\"{}\"{here}>{}</a></li>",
                escape(&page_of(module)),
                escape(last)
            );
        }
        text.push_str("</ul>\n</details>\n");
        text
    }

    /// A declaration with its methods. A name that is declared twice has one address.
    fn entry(&self, entry: &Entry, used: &mut HashSet<String>, text: &mut String) {
        text.push_str("<section class=\"entry\">\n");
        self.head(entry, "h3", used, text);
        let from = self.names.import_from(self.at, &entry.name);
        let _ = writeln!(
            text,
            "<p class=\"use\"><code>use {}.{{{}}}</code></p>",
            escape(&self.modules[from].source.module),
            escape(&entry.name)
        );
        self.body(entry, text);
        let content = &self.modules[self.at].content;
        for method in &content.entries {
            if method.owner.as_ref() == Some(&entry.name) {
                text.push_str("<section class=\"method\">\n");
                self.head(method, "h4", used, text);
                self.body(method, text);
                text.push_str("</section>\n");
            }
        }
        self.methods_elsewhere(&entry.name, text);
        text.push_str("</section>\n");
    }

    /// Links to the methods that other modules give a type.
    fn methods_elsewhere(&self, name: &str, text: &mut String) {
        let mut by_module: BTreeMap<usize, BTreeSet<&str>> = BTreeMap::new();
        for (module, method) in self.names.methods_elsewhere(self.at, name) {
            by_module.entry(*module).or_default().insert(method);
        }
        for (module, methods) in by_module {
            let module = &self.modules[module].source.module;
            let page = page_of(module);
            let _ = write!(
                text,
                "<p class=\"more\">More methods in <a href=\"{0}\">{1}</a>:",
                escape(&page),
                escape(module)
            );
            for method in methods {
                let address = format!("{page}#{name}.{method}");
                let _ = write!(
                    text,
                    " <a href=\"{}\"><code>{}</code></a>",
                    escape(&address),
                    escape(method)
                );
            }
            text.push_str("</p>\n");
        }
    }

    /// The methods that the module gives types of other modules, and built-in ones.
    fn given(&self, navigation: &mut String, used: &mut HashSet<String>, text: &mut String) {
        let mut owners: Vec<&str> = Vec::new();
        let methods = self.names.given_methods(self.at);
        for method in &methods {
            let owner = method.owner.as_deref().unwrap_or_default();
            if !owners.contains(&owner) {
                owners.push(owner);
            }
        }
        for owner in owners {
            let id = format!("methods-{}", owner.replace(' ', "-"));
            let shown = self.linked(owner);
            let _ = writeln!(
                text,
                "<h2 id=\"{}\">Methods of <code>{shown}</code></h2>",
                escape(&id)
            );
            let _ = writeln!(navigation, "<h2>Methods of {}</h2>\n<ul>", escape(owner));
            for method in methods
                .iter()
                .filter(|method| method.owner.as_deref() == Some(owner))
            {
                let name = method.full_name();
                let _ = writeln!(
                    navigation,
                    "<li><a href=\"#{}\">{}</a></li>",
                    escape(&name),
                    escape(&method.name)
                );
                text.push_str("<section class=\"entry\">\n");
                self.head(method, "h3", used, text);
                self.body(method, text);
                text.push_str("</section>\n");
            }
            navigation.push_str("</ul>\n");
        }
    }

    /// The name, which is what links lead to, and the signature.
    fn head(&self, entry: &Entry, tag: &str, used: &mut HashSet<String>, text: &mut String) {
        let name = entry.full_name();
        let id = match used.insert(name.clone()) {
            true => format!(" id=\"{}\"", escape(&name)),
            false => String::new(),
        };
        let module = &self.modules[self.at].source.module;
        let _ = writeln!(
            text,
            "<{tag}{id}><a href=\"#{0}\">{1}</a> <a class=\"source\" href=\"{2}#L{3}\">source</a></{tag}>",
            escape(&name),
            escape(&entry.name),
            escape(&source_of(module)),
            entry.line
        );
        let _ = writeln!(
            text,
            "<pre class=\"signature\"><code>{}</code></pre>",
            self.signature(&entry.signature)
        );
    }

    fn body(&self, entry: &Entry, text: &mut String) {
        for annotation in &entry.annotations {
            if let Some(shape) = annotation.strip_prefix("@shape") {
                let shape = shape.trim_start_matches('(').trim_end_matches(')');
                let _ = writeln!(
                    text,
                    "<p class=\"shape\">Shape: <code>{}</code></p>",
                    escape(shape)
                );
            }
        }
        text.push_str(&self.comment(&entry.docs));
        let is_enum = entry.signature.contains("enum ");
        if !entry.fields.is_empty() {
            self.fields(
                if is_enum { "Variant" } else { "Field" },
                &entry.fields,
                text,
            );
        }
        let argument = |text: &str| Field {
            text: text.to_owned(),
            docs: String::new(),
        };
        let arguments: Vec<Field> = parameters(&entry.signature)
            .into_iter()
            .map(argument)
            .collect();
        if arguments.len() > 1 {
            self.fields("Argument", &arguments, text);
        }
    }

    /// A table of fields, variants or arguments.
    fn fields(&self, title: &str, fields: &[Field], text: &mut String) {
        let documented = fields.iter().any(|field| !field.docs.is_empty());
        let about = if documented { "<th>Meaning</th>" } else { "" };
        let _ = writeln!(
            text,
            "<div class=\"wide\"><table class=\"fields\">\n<tr><th>{title}</th><th>Type</th><th>Default</th>{about}</tr>"
        );
        for field in fields {
            let (name, ty, default) = parts(&field.text);
            let cell = |text: &str| match text {
                "" => String::new(),
                text => format!("<code>{}</code>", self.linked(text)),
            };
            let about = match documented {
                true => format!("<td>{}</td>", self.comment(&field.docs)),
                false => String::new(),
            };
            let _ = writeln!(
                text,
                "<tr><td><code>{}</code></td><td>{}</td><td>{}</td>{about}</tr>",
                escape(name),
                cell(ty),
                cell(default)
            );
        }
        text.push_str("</table></div>\n");
    }

    /// A signature with links to the types in it; a long one has one parameter on a line.
    fn signature(&self, signature: &str) -> String {
        if signature.len() <= WIDE {
            return self.linked(signature);
        }
        let Some((open, close)) = parentheses(signature) else {
            return self.linked(signature);
        };
        let mut text = self.linked(&signature[..=open]);
        for part in split(&signature[open + 1..close]) {
            let _ = write!(text, "\n    {},", self.linked(part.trim()));
        }
        text.push('\n');
        text.push_str(&self.linked(&signature[close..]));
        text
    }

    /// Code with links at the names of types that have an entry.
    fn linked(&self, code: &str) -> String {
        let mut out = String::new();
        let mut rest = code;
        let is_name = |c: char| c.is_alphanumeric() || c == '_';
        while let Some(start) = rest.find(is_name) {
            out.push_str(&escape(&rest[..start]));
            rest = &rest[start..];
            let end = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
            let (name, after) = rest.split_at(end);
            let big = name.starts_with(char::is_uppercase);
            match self.address(name).filter(|_| big) {
                Some(address) => {
                    let _ = write!(out, "<a href=\"{}\">{}</a>", escape(&address), escape(name));
                }
                None => out.push_str(&escape(name)),
            }
            rest = after;
        }
        out.push_str(&escape(rest));
        out
    }

    /// What a package passes on from its modules.
    fn passed_on(&self, text: &mut String) {
        let mut rows = self.names.passed_on(self.at);
        rows.retain(|(_, target)| self.names.link(target).is_some());
        if rows.is_empty() {
            return;
        }
        rows.sort_by_cached_key(|(name, _)| name.to_lowercase());
        text.push_str("<h2>Also here</h2>\n<div class=\"wide\"><table class=\"fields\">\n");
        for (name, target) in rows {
            let Some(address) = self.names.link(&target) else {
                continue;
            };
            let _ = writeln!(
                text,
                "<tr><td><a href=\"{}\"><code>{}</code></a></td><td>{}</td><td>{}</td></tr>",
                escape(&address),
                escape(&name),
                escape(&self.modules[target.module].source.module),
                self.summary(&target)
            );
        }
        text.push_str("</table></div>\n");
    }

    fn summary(&self, target: &Target) -> String {
        let content = &self.modules[target.module].content;
        let docs = match &target.name {
            None => content.docs.as_deref().unwrap_or_default().trim(),
            Some(name) => {
                let mut all = content.entries.iter().chain(&content.values);
                let found = all.find(|entry| entry.owner.is_none() && entry.name == *name);
                found.map_or("", |entry| &entry.docs)
            }
        };
        markdown::html(&markdown::first_sentence(docs), &|_| None)
    }
}
