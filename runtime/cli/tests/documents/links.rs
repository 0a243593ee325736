//! Links lead somewhere, no page is missing from the index, and lines end at 120 columns.
//!
//! A link is checked as GitHub follows it: the file is there, and an anchor is the form that GitHub gives a heading of
//! that page. Addresses of the web are not looked at.

use std::fs;
use std::path::{Path, PathBuf};

/// The largest width of a line outside of tables, programs and links.
const WIDTH: usize = 120;

/// All Markdown files that people read: those at the top, below `doc`, and below `examples` and `lib`.
fn pages() -> Vec<PathBuf> {
    let root = crate::root();
    let mut found: Vec<PathBuf> = fs::read_dir(&root)
        .expect("the repository can be read")
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "md"))
        .collect();
    for folder in ["doc", "examples", "lib"] {
        found.extend(crate::pages_below(&root.join(folder)));
    }
    found
}

/// A page as its readers see it: without the text of fenced blocks.
fn prose(text: &str) -> Vec<(usize, &str)> {
    let mut fence: Option<&str> = None;
    let mut lines = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let ticks = &line[..line.len() - line.trim_start_matches('`').len()];
        match fence {
            Some(opened) if ticks.len() >= opened.len() => fence = None,
            Some(_) => {}
            None if ticks.len() >= 3 => fence = Some(ticks),
            None => lines.push((number + 1, line)),
        }
    }
    lines
}

/// The targets of links, whose text may begin on the line before.
fn targets(prose: &[(usize, &str)]) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (number, line) in prose {
        // What is between backticks is code.
        let words: String = line.split('`').step_by(2).collect::<Vec<_>>().join("`");
        let mut rest = words.as_str();
        while let Some((_, after)) = rest.split_once("](") {
            if let Some((target, tail)) = after.split_once(')') {
                found.push((*number, target.to_owned()));
                rest = tail;
            } else {
                break;
            }
        }
    }
    found
}

/// The anchor that GitHub gives a heading: letters in lower case, spaces as hyphens, other signs left out.
fn anchor(heading: &str) -> String {
    heading
        .trim_start_matches('#')
        .trim()
        .to_lowercase()
        .chars()
        .filter_map(|c| match c {
            ' ' => Some('-'),
            '-' | '_' => Some(c),
            c if c.is_alphanumeric() => Some(c),
            _ => None,
        })
        .collect()
}

/// The anchors of a page.
fn anchors(page: &Path) -> Vec<String> {
    let text = fs::read_to_string(page).expect("a page can be read");
    prose(&text)
        .iter()
        .filter(|(_, line)| line.starts_with('#'))
        .map(|(_, line)| anchor(line))
        .collect()
}

#[test]
fn every_link_leads_somewhere() {
    let mut wrong = Vec::new();
    for page in pages() {
        let text = fs::read_to_string(&page).expect("a page can be read");
        for (line, target) in targets(&prose(&text)) {
            if target.contains("://") || target.starts_with("mailto:") {
                continue;
            }
            let (path, heading) = target.split_once('#').unwrap_or((&target, ""));
            let file = match path {
                "" => page.clone(),
                path => page.parent().expect("a file is in a folder").join(path),
            };
            let problem = if !file.exists() {
                "no such file"
            } else if !heading.is_empty()
                && file.is_file()
                && !anchors(&file).iter().any(|found| found == heading)
            {
                "no such heading"
            } else {
                continue;
            };
            wrong.push(format!("{}:{line}: {target}: {problem}", page.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The pages below a folder that its `README.md` does not link to, but for those in `others`, which have an index too.
fn unlisted(folder: &Path, others: &[PathBuf]) -> Vec<String> {
    let index = fs::read_to_string(folder.join("README.md")).expect("the index can be read");
    let listed = targets(&prose(&index));
    crate::pages_below(folder)
        .iter()
        .filter(|page| !others.iter().any(|other| page.starts_with(other)))
        .filter_map(|page| page.strip_prefix(folder).ok())
        .map(|page| page.display().to_string())
        .filter(|page| page != "README.md" && !listed.iter().any(|(_, target)| target == page))
        .collect()
}

#[test]
fn the_index_has_every_page() {
    let doc = crate::root().join("doc");
    // Folders with an index of their own, which the index of `doc` links to.
    let own: Vec<PathBuf> = ["language", "errors", "std"]
        .iter()
        .map(|name| doc.join(name))
        .collect();
    let missing = unlisted(&doc, &own);
    assert!(
        missing.is_empty(),
        "doc/README.md does not list {}",
        missing.join(", ")
    );
    let missing = unlisted(&doc.join("std"), &[]);
    assert!(
        missing.is_empty(),
        "doc/std/README.md does not list {}",
        missing.join(", ")
    );
}

#[test]
fn lines_end_at_120_columns() {
    let mut wide = Vec::new();
    for page in pages() {
        let text = fs::read_to_string(&page).expect("a page can be read");
        for (line, content) in prose(&text) {
            // A row of a table cannot be broken.
            if content.chars().count() > WIDTH && !content.trim_start().starts_with('|') {
                wide.push(format!("{}:{line}", page.display()));
            }
        }
    }
    assert!(
        wide.is_empty(),
        "lines over {WIDTH} columns:\n{}",
        wide.join("\n")
    );
}
