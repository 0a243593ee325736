//! `simple.sdn`: the name and version of a project, and its dependencies.
//!
//! ```sdn
//! project:
//!     name: rocket
//!     version: "0.1.0"
//! dependencies:
//!     words: {path: "../words"}
//!     plots: {git: "https://example.org/plots.git", rev: "v1.2"}
//! ```
//!
//! Sections of other tools are left alone, such as `library:` of `simple new --ffi`.

use serde::Deserialize;
use simple_syntax::{FileId, parse};
use simple_system::{in_words, open};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The file of a project.
pub const MANIFEST: &str = "simple.sdn";
/// Where git dependencies are, below the project's folder.
pub const FETCHED: &str = ".simple/deps";
/// The program of a project, unless it names another file.
const MAIN: &str = "main.spl";
/// A manifest that is longer is something else.
const LARGEST: u64 = 1 << 20;

/// What a manifest says.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Manifest {
    /// What the project is.
    pub project: Option<Project>,
    /// What it uses, by the names that its modules import them by.
    #[serde(default)]
    pub dependencies: BTreeMap<String, Dependency>,
}

/// What a project is.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Project {
    /// Its name, by which others import it.
    pub name: String,
    /// Its version, such as `0.1.0`.
    pub version: String,
    /// What it is for.
    #[serde(default)]
    pub description: Option<String>,
    /// Who may use it.
    #[serde(default)]
    pub license: Option<String>,
    /// The file of its program; without one `main.spl`, if that is there.
    #[serde(default)]
    pub main: Option<String>,
}

/// Where a dependency comes from: a folder, or a revision of a git repository.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Dependency {
    /// Its folder, from that of the project.
    #[serde(default)]
    pub path: Option<String>,
    /// The address of its repository.
    #[serde(default)]
    pub git: Option<String>,
    /// Its tag, branch or commit.
    #[serde(default)]
    pub rev: Option<String>,
}

/// The same, after it was looked at.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Origin {
    /// A folder.
    Path(String),
    /// An address and a revision.
    Git(String, String),
}

impl Dependency {
    /// Where it comes from.
    ///
    /// # Errors
    ///
    /// What is missing, or too much.
    pub fn origin(&self) -> Result<Origin, String> {
        match (&self.path, &self.git, &self.rev) {
            (Some(path), None, None) => Ok(Origin::Path(path.clone())),
            (None, Some(git), Some(rev)) => Ok(Origin::Git(git.clone(), rev.clone())),
            (None, Some(_), None) => {
                Err("a `git` dependency needs a `rev`: a tag, a branch or a commit".to_owned())
            }
            _ => Err("a dependency has a `path`, or `git` and `rev`".to_owned()),
        }
    }
}

impl Manifest {
    /// Reads the text of a manifest.
    ///
    /// # Errors
    ///
    /// What is wrong in it.
    pub fn parse(text: &str) -> Result<Manifest, String> {
        let manifest: Manifest = sdn_parser::from_str(text).map_err(|error| error.to_string())?;
        if let Some(project) = &manifest.project {
            refuse_name(&project.name)?;
        }
        for (name, dependency) in &manifest.dependencies {
            refuse_name(name)?;
            dependency
                .origin()
                .map_err(|why| format!("dependency `{name}`: {why}"))?;
        }
        Ok(manifest)
    }

    /// Reads the manifest of a folder.
    ///
    /// # Errors
    ///
    /// A message with the path.
    pub fn read(folder: &Path) -> Result<Manifest, String> {
        Manifest::parse(&text(folder)?)
            .map_err(|why| format!("{}: {why}", folder.join(MANIFEST).display()))
    }

    /// The file of the program, if there is one.
    pub fn main(&self, folder: &Path) -> Option<PathBuf> {
        match self
            .project
            .as_ref()
            .and_then(|project| project.main.as_ref())
        {
            Some(main) => Some(folder.join(main)),
            None => Some(folder.join(MAIN)).filter(|main| main.is_file()),
        }
    }
}

/// The text of the manifest of a folder.
///
/// # Errors
///
/// A message with the path.
pub fn text(folder: &Path) -> Result<String, String> {
    let path = folder.join(MANIFEST);
    open::read(&path, LARGEST)
        .and_then(open::text_of)
        .map_err(|error| format!("cannot read {}: {}", path.display(), in_words(&error)))
}

/// Whether the manifest of a folder has this section.
pub fn has_section(folder: &Path, name: &str) -> bool {
    let head = format!("{name}:");
    text(folder).is_ok_and(|text| text.lines().any(|line| line.trim_end() == head))
}

/// The folder of the project that a folder belongs to: the nearest one above, or itself, that has a manifest, if that
/// has `project:`.
pub fn project_of(folder: &Path) -> Option<PathBuf> {
    let nearest = folder
        .ancestors()
        .find(|folder| folder.join(MANIFEST).is_file())?;
    has_section(nearest, "project").then(|| nearest.to_owned())
}

/// Why a project cannot have this name, if so: programs import it.
///
/// # Errors
///
/// A message.
pub fn refuse_name(name: &str) -> Result<(), String> {
    let starts = name.starts_with(|c: char| c.is_ascii_lowercase());
    let rest = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    if !starts || !name.chars().all(rest) {
        return Err(format!(
            "a project cannot be called `{name}`: names begin with a letter from `a` to `z`, and continue with these, digits and `_`"
        ));
    }
    let import = format!("use {name}.{{f}}\nval {name} = 1\n");
    if matches!(name, "std" | "lib" | "main" | "super") || !parse(FileId(0), &import).1.is_empty() {
        return Err(format!(
            "a project cannot be called `{name}`, which means something else in Simple; choose another name"
        ));
    }
    Ok(())
}

/// The text of a manifest with one more dependency, which replaces one of the same name. Comments and order stay.
pub fn with_dependency(text: &str, name: &str, origin: &Origin) -> String {
    let line = match origin {
        Origin::Path(path) => format!("    {name}: {{path: {}}}", quoted(path)),
        Origin::Git(git, rev) => {
            format!("    {name}: {{git: {}, rev: {}}}", quoted(git), quoted(rev))
        }
    };
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let Some(head) = lines
        .iter()
        .position(|line| line.trim_end() == "dependencies:")
    else {
        if lines.last().is_some_and(|last| !last.trim().is_empty()) {
            lines.push(String::new());
        }
        lines.push("dependencies:".to_owned());
        lines.push(line);
        return lines.join("\n") + "\n";
    };
    let inside = |line: &String| line.trim().is_empty() || line.starts_with([' ', '\t', '#']);
    let end = lines.iter().skip(head + 1).position(|line| !inside(line));
    let mut end = end.map_or(lines.len(), |count| head + 1 + count);
    let start = format!("{name}:");
    if let Some(old) = (head + 1..end).find(|at| lines[*at].trim_start().starts_with(&start)) {
        let depth = |line: &str| line.len() - line.trim_start().len();
        let below = depth(&lines[old]);
        let more = lines[old + 1..end]
            .iter()
            .take_while(|line| depth(line) > below)
            .count();
        lines.splice(old..=old + more, [line]);
    } else {
        while end > head + 1 && lines[end - 1].trim().is_empty() {
            end -= 1;
        }
        lines.insert(end, line);
    }
    lines.join("\n") + "\n"
}

/// A text of SDN.
pub fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn manifests() {
        let text = "# Mine.\nproject:\n    name: rocket\n    version: \"0.1.0\"\ndependencies:\n    words: {path: \"../words\"}\n    plots: {git: \"https://x.y/plots.git\", rev: \"v1.2\"}\nlibrary:\n    name: fast\n    language: c\n";
        let manifest = Manifest::parse(text).expect("a manifest");
        let project = manifest.project.expect("a project");
        assert_eq!(
            (project.name.as_str(), project.version.as_str()),
            ("rocket", "0.1.0")
        );
        let origin = |name: &str| manifest.dependencies[name].origin();
        assert_eq!(origin("words"), Ok(Origin::Path("../words".to_owned())));
        let git = Origin::Git("https://x.y/plots.git".to_owned(), "v1.2".to_owned());
        assert_eq!(origin("plots"), Ok(git));
        let wrong = |text: &str| Manifest::parse(text).expect_err("it is refused");
        assert!(wrong("dependencies:\n    a: {git: \"x\"}\n").contains("needs a `rev`"));
        assert!(wrong("dependencies:\n    a: {rev: \"x\"}\n").contains("has a `path`, or"));
        assert!(wrong("dependencies:\n    a: {pat: \"x\"}\n").contains("pat"));
        assert!(
            wrong("project:\n    name: My-Rocket\n    version: \"1\"\n")
                .contains("cannot be called")
        );
        assert!(
            wrong("project:\n    name: std\n    version: \"1\"\n").contains("means something else")
        );
    }

    #[test]
    fn a_dependency_is_added_or_replaced() {
        let path = |path: &str| Origin::Path(path.to_owned());
        let first = with_dependency("project:\n    name: a\n", "b", &path("../b"));
        assert_eq!(
            first,
            "project:\n    name: a\n\ndependencies:\n    b: {path: \"../b\"}\n"
        );
        let second = with_dependency(
            &(first.clone() + "\nlibrary:\n    name: x\n"),
            "c",
            &path("c"),
        );
        let expected = "project:\n    name: a\n\ndependencies:\n    b: {path: \"../b\"}\n    c: {path: \"c\"}\n\nlibrary:\n    name: x\n";
        assert_eq!(second, expected);
        let other = Origin::Git("u".to_owned(), "r".to_owned());
        let replaced = with_dependency(&first, "b", &other);
        assert_eq!(
            replaced,
            "project:\n    name: a\n\ndependencies:\n    b: {git: \"u\", rev: \"r\"}\n"
        );
        let long =
            "dependencies:\n    b:\n        path: \"../b\"\n    # About d.\n    d: {path: \"d\"}\n";
        let expected =
            "dependencies:\n    b: {path: \"x\"}\n    # About d.\n    d: {path: \"d\"}\n";
        assert_eq!(with_dependency(long, "b", &path("x")), expected);
    }
}
