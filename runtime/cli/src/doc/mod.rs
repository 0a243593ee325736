//! `simple doc NAME`: what a name of the library is, in the terminal.
//!
//! Reads the files of the library that contain the name, and nothing else, unless no file declares it. Specs and what
//! only makes their data are left out. `simple-document` says what a file declares. `html.rs` writes web pages.

mod html;

use crate::args::DocArgs;
use crate::commands::bad_usage;
use crate::files;
use crate::output::{self, complain};
use crate::session;
use simple_document::{Documented, Entry, document};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// How many declarations of one name are printed.
const MOST: usize = 6;

/// A declaration and its file, by its path in the library.
struct Found {
    path: PathBuf,
    entry: Entry,
    methods: Vec<Entry>,
}

/// Prints what the name is.
pub fn run(args: &DocArgs) -> ExitCode {
    if args.html {
        return html::run(args);
    }
    let Some(name) = &args.name else {
        return bad_usage(
            "name what to look up, such as Conv2d, Tensor.topk or lib.nn.conv, or write `--html`",
        );
    };
    match about(name.trim()) {
        Ok(text) => {
            output::print(format_args!("{text}"));
            ExitCode::SUCCESS
        }
        Err(message) => {
            complain!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

/// What the name is.
///
/// # Errors
///
/// A message: the library does not declare it, or cannot be read.
pub fn about(name: &str) -> Result<String, String> {
    let home = session::home();
    let files = library(&home)?;
    let found = declarations(&home, &files, name);
    let text = match found.is_empty() {
        true => module_page(&home, name),
        false => Some(page(&found)),
    };
    text.ok_or_else(|| unknown(&home, &files, name))
}

/// The modules of the library, by their paths below `home`.
fn library(home: &Path) -> Result<Vec<PathBuf>, String> {
    let wanted = |path: &Path| {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let made = path.components().any(|part| part.as_os_str() == "fixtures");
        files::has_ending(path, &["spl"]) && !name.ends_with("_spec") && !made
    };
    let mut found = files::below(&home.join("lib"), wanted)?;
    for path in &mut found {
        *path = path
            .strip_prefix(home)
            .map(Path::to_owned)
            .unwrap_or_default();
    }
    // What programs name is less deep than what it is made of.
    found.sort_by_key(|path| (path.components().count(), path.clone()));
    Ok(found)
}

fn declarations(home: &Path, files: &[PathBuf], name: &str) -> Vec<Found> {
    let (owner, last) = match name.rsplit_once('.') {
        Some((owner, last)) => (owner.rsplit('.').next(), last),
        None => (None, name),
    };
    let module = name.rsplit_once('.').map(|(module, _)| module);
    let mut found = Vec::new();
    for path in files {
        let Ok(text) = std::fs::read_to_string(home.join(path)) else {
            continue;
        };
        if last.is_empty() || !text.contains(last) {
            continue;
        }
        let entries = document(&text).entries;
        let in_module = module.is_some_and(|module| import_path(path) == module);
        for entry in entries.iter().filter(|entry| entry.name == last) {
            let wanted = match owner {
                None => true,
                Some(owner) => {
                    entry.owner.as_deref() == Some(owner) || in_module && entry.owner.is_none()
                }
            };
            if wanted {
                let methods = entries
                    .iter()
                    .filter(|method| method.owner.as_ref() == Some(&entry.name));
                let methods = if entry.owner.is_none() {
                    methods.cloned().collect()
                } else {
                    Vec::new()
                };
                found.push(Found {
                    path: path.clone(),
                    entry: entry.clone(),
                    methods,
                });
            }
        }
    }
    // A function or type of this name is meant before methods.
    found.sort_by_key(|found| owner.is_none() && found.entry.owner.is_some());
    found
}

/// How a module is imported: `lib.nn.conv`, `std.math`.
fn import_path(path: &Path) -> String {
    let parts: Vec<_> = path
        .with_extension("")
        .iter()
        .map(|part| part.to_string_lossy().into_owned())
        .collect();
    let parts = match parts.as_slice() {
        [lib, std, ..] if lib == "lib" && std == "std" => &parts[1..],
        all => all,
    };
    let parts = match parts {
        [before @ .., last] if last == "mod" || last == "__init__" => before,
        all => all,
    };
    parts.join(".")
}

fn page(found: &[Found]) -> String {
    let mut text = String::new();
    for (
        number,
        Found {
            path,
            entry,
            methods,
        },
    ) in found.iter().take(MOST).enumerate()
    {
        if number > 0 {
            text.push('\n');
        }
        for annotation in entry
            .annotations
            .iter()
            .filter(|line| line.starts_with("@shape"))
        {
            let _ = writeln!(text, "{annotation}");
        }
        if let Some(owner) = &entry.owner {
            let _ = writeln!(text, "{}  (of {owner})", entry.signature);
        } else {
            let _ = writeln!(text, "{}", entry.signature);
        }
        let _ = writeln!(text, "    {}:{}", path.display(), entry.line);
        if entry.owner.is_none() {
            let _ = writeln!(text, "    use {}.{{{}}}", import_path(path), entry.name);
        }
        if !entry.docs.is_empty() {
            text.push('\n');
            for line in entry.docs.lines() {
                let _ = writeln!(text, "{}", format!("    {line}").trim_end());
            }
        }
        if !entry.fields.is_empty() {
            text.push('\n');
            for field in &entry.fields {
                let _ = writeln!(text, "    {}", field.text);
            }
        }
        if !methods.is_empty() {
            text.push('\n');
            for method in methods {
                let _ = writeln!(text, "    {}", method.signature);
            }
        }
    }
    if found.len() > MOST {
        let _ = writeln!(
            text,
            "\n{} more declarations have this name",
            found.len() - MOST
        );
    }
    text
}

/// What a module declares, with the first line of each comment.
fn module_page(home: &Path, name: &str) -> Option<String> {
    let parts: PathBuf = name.split('.').collect();
    let roots = [home.to_owned(), home.join("lib")];
    let ends = [parts.with_extension("spl"), parts.join("mod.spl")];
    let mut paths = roots
        .iter()
        .flat_map(|root| ends.iter().map(|end| root.join(end)));
    let path = paths.find(|path| path.is_file())?;
    let Documented { docs, entries, .. } = document(&std::fs::read_to_string(&path).ok()?);
    let mut text = format!("module {name}\n");
    let _ = writeln!(
        text,
        "    {}",
        path.strip_prefix(home).unwrap_or(&path).display()
    );
    for line in docs.as_deref().unwrap_or_default().trim().lines() {
        let _ = writeln!(text, "{}", format!("    {line}").trim_end());
    }
    for entry in entries.iter().filter(|entry| entry.owner.is_none()) {
        let _ = writeln!(text, "\n{}", entry.signature);
        if let Some(first) = entry.docs.lines().next() {
            let _ = writeln!(text, "    {first}");
        }
    }
    Some(text)
}

/// What to say of a name that nothing declares.
fn unknown(home: &Path, files: &[PathBuf], name: &str) -> String {
    let texts = files
        .iter()
        .filter_map(|path| std::fs::read_to_string(home.join(path)).ok());
    let names: Vec<String> = texts
        .flat_map(|text| document(&text).entries)
        .map(|entry| match name.contains('.') {
            true => entry.full_name(),
            false => entry.name,
        })
        .collect();
    match simple_spelling::nearest(name, names.iter().map(String::as_str)) {
        Some(near) => format!("the library declares no `{name}`; did you mean `{near}`?"),
        None => format!("the library declares no `{name}`"),
    }
}
