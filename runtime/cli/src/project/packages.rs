//! Where the modules of a project and of its dependencies are, for the loader.
//!
//! A module of a dependency imports by the manifest of that dependency: its own folder, and what it depends on. Reads
//! manifests as the loader reads modules, so that a program that was compiled before is compiled again when one
//! changes. Nothing is fetched here.

use super::manifest::{FETCHED, MANIFEST, Manifest, Origin};
use std::path::{Path, PathBuf};

/// More packages than any program has.
const MOST: usize = 1000;

/// A folder with modules.
#[derive(Debug)]
pub struct Package {
    /// The folder, from the root folder.
    pub folder: PathBuf,
    /// What its modules import by a name, and the folder of that.
    pub dependencies: Vec<(String, PathBuf)>,
}

/// The packages of a program, its own first.
#[derive(Debug, Default)]
pub struct Packages {
    packages: Vec<Package>,
    /// What is wrong in manifests.
    pub problems: Vec<String>,
}

impl Packages {
    /// Those of a program whose project is in this folder. `text` reads a file that may not be there, `tidy` takes `..`
    /// out of a path.
    pub fn read(
        project: &Path,
        text: &dyn Fn(&Path) -> Option<Result<String, String>>,
        tidy: fn(&Path) -> PathBuf,
    ) -> Packages {
        let mut found = Packages::default();
        let mut left = vec![project.to_owned()];
        while let Some(folder) = left.pop() {
            let known = found
                .packages
                .iter()
                .any(|package| package.folder == folder);
            let manifest = folder.join(MANIFEST);
            if known || found.packages.len() == MOST {
                continue;
            }
            let Some(text) = text(&manifest) else {
                continue;
            };
            let read = text.and_then(|text| {
                Manifest::parse(&text).map_err(|why| format!("{}: {why}", manifest.display()))
            });
            let manifest = match read {
                Ok(manifest) => manifest,
                Err(problem) => {
                    found.problems.push(problem);
                    continue;
                }
            };
            let place = |name: &str, origin: Origin| match origin {
                Origin::Path(path) => tidy(&folder.join(path)),
                Origin::Git(..) => project.join(FETCHED).join(name),
            };
            let dependencies = manifest.dependencies.iter();
            let dependencies: Vec<_> = dependencies
                .filter_map(|(name, it)| Some((name.clone(), place(name, it.origin().ok()?))))
                .collect();
            left.extend(dependencies.iter().rev().map(|(_, folder)| folder.clone()));
            found.packages.push(Package {
                folder,
                dependencies,
            });
        }
        found
    }

    /// The package that a file is in; `None` for one outside of them.
    pub fn of(&self, file: &Path) -> Option<&Package> {
        let around = self
            .packages
            .iter()
            .filter(|package| file.starts_with(&package.folder));
        around.max_by_key(|package| package.folder.components().count())
    }

    /// Whether no package has a dependency.
    pub fn is_empty(&self) -> bool {
        self.packages
            .iter()
            .all(|package| package.dependencies.is_empty())
    }
}

impl Package {
    /// The folders in which a path is looked for that begins with the name of a dependency, with the rest of the path.
    pub fn roots<'a>(&self, segments: &'a [&'a str]) -> Vec<(PathBuf, &'a [&'a str])> {
        let Some((first, rest)) = segments.split_first() else {
            return Vec::new();
        };
        let Some((_, folder)) = self.dependencies.iter().find(|(name, _)| name == first) else {
            return Vec::new();
        };
        let source = folder.join("src");
        vec![
            (source.clone(), segments),
            (folder.clone(), segments),
            (source, rest),
            (folder.clone(), rest),
        ]
    }
}
