//! `simple check --fix`: writes the advice of warnings into the file that they are about.
//!
//! A warning may come with a change of the text, such as the newer spelling of a call. The program means the same with
//! it. What errors advise is a guess, such as the name that was probably meant, and stays advice. Changes that overlap
//! are made one after the other, each after a new check. A file is written once and whole, and only if it has no more
//! errors than before.

use crate::args::WarningArgs;
use crate::loader::{self, FileLoader};
use crate::session::Session;
use simple_bridge::dl_config::Overrides;
use simple_sema::Checked;
use simple_sema::loader::LoadedSource;
use simple_syntax::{Fix, Severity};
use simple_system::in_words;
use std::path::Path;

/// How often a file is checked again; a change may bring a new warning.
const ROUNDS: usize = 20;

/// Makes the changes in a file, and yields how many; 0 where there are none or where they would bring an error.
///
/// # Errors
///
/// A message: the file cannot be read or written.
pub fn apply(file: &Path, overrides: &Overrides, warnings: &WarningArgs) -> Result<usize, String> {
    let before = FileLoader::root(file)?;
    let (mut now, mut made) = (before.clone(), 0);
    let check = |source: &LoadedSource| -> Checked {
        let session = Session::new(&loader::parent(file), overrides.clone());
        let mut checked = session.check(source.clone());
        warnings.filter(&mut checked.diagnostics);
        checked
    };
    let errors = |checked: &Checked| {
        let all = checked.diagnostics.iter();
        all.filter(|d| d.severity == Severity::Error).count()
    };
    let mut checked = check(&now);
    let allowed = errors(&checked);
    for _ in 0..ROUNDS {
        let fixes = fixes(&checked, &now);
        if fixes.is_empty() {
            break;
        }
        made += fixes.len();
        now.text = changed(&now.text, &fixes);
        checked = check(&now);
    }
    if made == 0 || errors(&checked) > allowed {
        return Ok(0);
    }
    let on_disk = std::fs::read(file).map_err(|error| cannot("read", file, &error))?;
    if on_disk != before.text.as_bytes() {
        return Err(format!(
            "{} has changed while it was checked, or is not plain UTF-8; it is left as it is",
            file.display()
        ));
    }
    simple_system::replace::write(file, now.text.as_bytes())
        .map_err(|error| cannot("write", file, &error))?;
    Ok(made)
}

/// The changes that warnings of this file advise, in order and apart from each other.
fn fixes(checked: &Checked, source: &LoadedSource) -> Vec<Fix> {
    let own = |fix: &Fix| checked.sources.file(fix.span.file).path == source.path;
    let warnings = checked.diagnostics.iter();
    let warnings = warnings.filter(|d| d.severity == Severity::Warning);
    let fixes = warnings.filter_map(|d| d.fix.clone()).filter(own);
    let mut all: Vec<Fix> = fixes.collect();
    all.sort_by_key(|fix| (fix.span.lo, fix.span.hi));
    let mut end = 0;
    all.retain(|fix| {
        let apart = fix.span.lo >= end;
        if apart {
            end = fix.span.hi.max(fix.span.lo + 1);
        }
        apart
    });
    all
}

/// The text with the changes.
fn changed(text: &str, fixes: &[Fix]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for fix in fixes {
        out.push_str(&text[at..fix.span.lo as usize]);
        out.push_str(&fix.replacement);
        at = fix.span.hi as usize;
    }
    out.push_str(&text[at..]);
    out
}

fn cannot(what: &str, file: &Path, error: &std::io::Error) -> String {
    format!("cannot {what} {}: {}", file.display(), in_words(error))
}
