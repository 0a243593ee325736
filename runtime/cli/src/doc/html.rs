//! `simple doc --html`: the reference of the library, or of a folder, as web pages in a folder.
//!
//! `simple_document::html` writes the pages; here modules are read and files written. The folder is made new: one that
//! holds anything but such pages is refused, so that nothing is lost.

use super::{import_path, library};
use crate::args::DocArgs;
use crate::commands::bad_usage;
use crate::files;
use crate::loader;
use crate::output::{complain, say};
use crate::session;
use simple_document::html::{Source, site};
use simple_system::{in_words, replace};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The folder that pages are written to unless another one is named.
const OUTPUT: &str = "reference";

/// A file that every reference has.
const SEARCH: &str = "search-index.js";

/// Writes the pages that the command line asks for.
pub(super) fn run(args: &DocArgs) -> ExitCode {
    let output = args.output.clone().unwrap_or_else(|| PathBuf::from(OUTPUT));
    if is_something_else(&output) {
        return bad_usage(&format!(
            "{} holds other files than the pages of a reference; name another folder with `-o FOLDER`",
            output.display()
        ));
    }
    let read = match &args.name {
        None => of_library(),
        Some(folder) => of_folder(Path::new(folder)),
    };
    let written = read.and_then(|(title, sources)| write(&title, &sources, &output));
    match written {
        Ok(modules) => {
            say!(
                "{modules} modules; open {}",
                output.join("index.html").display()
            );
            ExitCode::SUCCESS
        }
        Err(message) => {
            complain!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

/// Whether a folder has files and no reference.
fn is_something_else(folder: &Path) -> bool {
    match std::fs::read_dir(folder) {
        Ok(mut entries) => entries.next().is_some() && !folder.join(SEARCH).is_file(),
        Err(error) => error.kind() != std::io::ErrorKind::NotFound,
    }
}

/// The library; older paths of modules that have moved are left out.
fn of_library() -> Result<(String, Vec<Source>), String> {
    let home = session::home();
    let found = library(&home)?;
    let found = found.iter().filter(|path| !path.starts_with("lib/compat"));
    let sources = found
        .map(|path| source(&home, path))
        .collect::<Result<_, _>>()?;
    Ok(("Simple".to_owned(), sources))
}

/// The modules in a folder.
fn of_folder(folder: &Path) -> Result<(String, Vec<Source>), String> {
    if !folder.is_dir() {
        return Err(format!("{} is not a folder", folder.display()));
    }
    let whole = loader::absolute(folder);
    let wanted = |path: &Path| files::has_ending(path, &["spl"]) && !loader::is_spec(path);
    let found = files::below(&whole, wanted)?;
    if found.is_empty() {
        return Err(format!("there are no .spl files in {}", folder.display()));
    }
    let relative = |path: &PathBuf| path.strip_prefix(&whole).unwrap_or(path).to_owned();
    let sources = found.iter().map(|path| source(&whole, &relative(path)));
    let title = whole.file_name().unwrap_or_default().to_string_lossy();
    Ok((title.into_owned(), sources.collect::<Result<_, _>>()?))
}

fn source(root: &Path, path: &Path) -> Result<Source, String> {
    let whole = root.join(path);
    let text = std::fs::read_to_string(&whole)
        .map_err(|error| format!("cannot read {}: {}", whole.display(), in_words(&error)))?;
    let name = path.file_name().unwrap_or_default();
    let package = name == "mod.spl" || name == "__init__.spl";
    let module = match import_path(path).as_str() {
        // A folder's own `mod.spl` has no name.
        "" => "mod".to_owned(),
        module => module.to_owned(),
    };
    Ok(Source {
        module,
        path: path.display().to_string(),
        package,
        text,
    })
}

fn write(title: &str, sources: &[Source], output: &Path) -> Result<usize, String> {
    std::fs::create_dir_all(output)
        .map_err(|error| format!("cannot make {}: {}", output.display(), in_words(&error)))?;
    let pages = site(title, sources);
    remove_old(
        output,
        &pages
            .iter()
            .map(|page| page.name.as_str())
            .collect::<Vec<_>>(),
    );
    for page in &pages {
        let path = output.join(&page.name);
        replace::write(&path, page.text.as_bytes())
            .map_err(|error| format!("cannot write {}: {}", path.display(), in_words(&error)))?;
    }
    Ok(sources.len())
}

/// Removes pages of modules that are no longer there.
fn remove_old(output: &Path, pages: &[&str]) {
    for entry in std::fs::read_dir(output).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name.ends_with(".html") && !pages.contains(&&*name) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}
