//! Finds module files: the rules of `doc/language/modules.md` over the file system.
//!
//! Roots of a path `p.q.r`, in order: the importer's folder, the project root with its `src`, `lib` and `src/lib`, the
//! dependency of the project that is called `p` (`project/packages.rs`), the standard library. `std.` looks only in the
//! library, `lib.` in the project first and then in the library. The last root is the library's folder `compat`, where
//! modules that have moved are found by their old paths. In a root, a package folder wins over a file, and in a package
//! `__init__.spl` over `mod.spl`. `lib.backend` is the module of the chosen backend (`backend.rs`). The checker asks
//! through [`SourceLoader`].

use crate::backend;
use crate::project::packages::Packages;
use crate::surroundings::{Surroundings, read_source, tidy};
use rustc_hash::FxHashMap;
use simple_sema::loader::{FoundModule, LoadedSource, ModuleRequest, SourceLoader};
use std::cell::RefCell;
use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;

pub(crate) use crate::surroundings::{LARGEST_SOURCE, absolute};

/// The files that make a folder a package, best first.
const PACKAGE_FILES: [&str; 2] = ["__init__.spl", "mod.spl"];

/// The path of the chosen backend's module where there is no such module: reading it fails with the reason.
const NO_BACKEND: &str = "<backend>";
/// The folder of the library in which modules that have moved stay importable by their old paths.
const MOVED: &str = "compat";

/// Loads modules from files.
#[derive(Debug)]
pub struct FileLoader {
    /// Whom it asks for files.
    surroundings: Rc<Surroundings>,
    project: PathBuf,
    /// The folders that its modules, and those of its dependencies, are in.
    packages: Packages,
    /// The root file, as imports find it and as it is shown: a file of the library that is checked itself is not a second module.
    root: (PathBuf, PathBuf),
    /// Whether paths are shown from the working folder, because the root file's was given so.
    relative: bool,
    /// The files that were found, by how their paths are shown; not every path can be written as text.
    files: RefCell<FxHashMap<String, PathBuf>>,
    /// Whether `lib.backend` is the module of the chosen backend.
    chooses: bool,
}

impl FileLoader {
    /// A loader for a program whose root file is `root_file`.
    pub fn new(root_file: &Path, surroundings: Rc<Surroundings>) -> FileLoader {
        FileLoader {
            chooses: true,
            ..FileLoader::plain(root_file, surroundings)
        }
    }

    /// The same before a backend is chosen: `lib.backend` is a module like others.
    pub fn plain(root_file: &Path, surroundings: Rc<Surroundings>) -> FileLoader {
        let folder = parent(root_file);
        let project = absolute(&folder)
            .ancestors()
            .find(|ancestor| surroundings.is_file(&ancestor.join("simple.sdn")))
            .map_or(folder, Path::to_path_buf);
        let manifest = |file: &Path| surroundings.is_file(file).then(|| surroundings.read(file));
        let packages = Packages::read(&project, &manifest, tidy);
        FileLoader {
            packages,
            surroundings,
            project,
            root: (
                absolute(root_file),
                shown(root_file, root_file.is_relative()),
            ),
            relative: root_file.is_relative(),
            files: RefCell::default(),
            chooses: false,
        }
    }

    /// The file that is shown by this path; `None` for one that this loader has not found.
    pub fn file(&self, shown: &str) -> Option<PathBuf> {
        if Path::new(shown) == self.root.1 {
            return Some(self.root.0.clone());
        }
        self.files.borrow().get(shown).cloned()
    }

    /// The root file itself; never counted as part of the library, so all of it is checked.
    pub fn root(path: &Path) -> Result<LoadedSource, String> {
        let text = read_source(path)?;
        Ok(LoadedSource {
            path: shown(path, path.is_relative()).display().to_string(),
            text,
            library: false,
        })
    }

    /// The one path by which a file is known, however an import led to it, and whether it belongs to the library.
    fn identity(&self, found: &Path) -> (PathBuf, bool) {
        let absolute = absolute(found);
        if absolute == self.root.0 {
            return (self.root.1.clone(), false);
        }
        if absolute.starts_with(self.library()) {
            return (absolute, true);
        }
        (shown(&absolute, self.relative), false)
    }

    /// Forgets which folders are there and which are not, for a loader that outlives one program.
    pub fn look_again(&self) {
        self.surroundings.look_again();
    }

    fn library(&self) -> &Path {
        self.surroundings.library()
    }

    /// The files that could hold the module, best first.
    fn places(&self, request: ModuleRequest<'_>) -> Vec<PathBuf> {
        let importer = parent(Path::new(request.importer));
        let segments = request.segments;
        let mut roots: Vec<(PathBuf, &[&str])> = Vec::new();
        let package = match self.packages.is_empty() {
            true => None,
            false => self.packages.of(&absolute(&importer)),
        };
        // The module of a dependency looks in that dependency, where the program looks in its project.
        let project = package.map_or(&self.project, |package| &package.folder);
        if request.dots > 0 {
            let mut base = importer;
            for _ in 1..request.dots {
                base = base.join("..");
            }
            roots.push((base, segments));
        } else if segments.first() == Some(&"std") {
            let rest = match &segments[1..] {
                ["src", rest @ ..] => rest,
                rest => rest,
            };
            roots.push((self.library().join("std"), rest));
            roots.push((self.library().to_owned(), rest));
            roots.push((self.library().join(MOVED), rest));
        } else if segments.first() == Some(&"lib") {
            let rest = &segments[1..];
            roots.push((project.join("lib"), rest));
            roots.push((project.join("src/lib"), rest));
            roots.push((self.library().to_owned(), rest));
            roots.push((self.library().join(MOVED), rest));
        } else {
            roots.push((importer, segments));
            roots.push((project.clone(), segments));
            for folder in ["src", "lib", "src/lib"] {
                roots.push((project.join(folder), segments));
            }
            roots.extend(
                package
                    .into_iter()
                    .flat_map(|package| package.roots(segments)),
            );
            roots.push((self.library().join("std"), segments));
            roots.push((self.library().to_owned(), segments));
            roots.push((self.library().join(MOVED), segments));
        }
        let mut places = Vec::new();
        for (root, path) in roots {
            let folder = path
                .iter()
                .fold(root, |folder, segment| folder.join(segment));
            places.extend(PACKAGE_FILES.map(|name| folder.join(name)));
            if !path.is_empty() {
                places.push(folder.with_extension("spl"));
            }
        }
        places
    }
}

impl FileLoader {
    /// The module of the chosen backend, if that is asked for.
    fn find_backend(&self, request: ModuleRequest<'_>) -> Option<FoundModule> {
        if !self.chooses || request.dots > 0 || request.segments != backend::SEGMENTS {
            return None;
        }
        let (path, _) = self.surroundings.backend()?;
        let segments: Vec<&str> = path.iter().map(String::as_str).collect();
        // A module of the program is found from the project's folder, wherever it is imported.
        let importer = self.project.join("main.spl").display().to_string();
        let found = self.find_file(ModuleRequest {
            importer: &importer,
            dots: 0,
            segments: &segments,
        });
        Some(found.unwrap_or_else(|| FoundModule {
            path: NO_BACKEND.to_owned(),
            library: true,
        }))
    }

    fn find_file(&self, request: ModuleRequest<'_>) -> Option<FoundModule> {
        let found = self
            .places(request)
            .into_iter()
            .find(|place| self.surroundings.is_file(place))?;
        let (file, library) = self.identity(&found);
        let path = file.display().to_string();
        self.files.borrow_mut().insert(path.clone(), file);
        Some(FoundModule { path, library })
    }
}

impl SourceLoader for FileLoader {
    fn find(&self, request: ModuleRequest<'_>) -> Option<FoundModule> {
        self.find_backend(request)
            .or_else(|| self.find_file(request))
    }

    fn is_of_library(&self, path: &str) -> bool {
        absolute(Path::new(path)).starts_with(self.library())
    }

    fn read(&self, path: &str) -> Result<String, String> {
        if path == NO_BACKEND {
            return Err(backend::module().map_or_else(String::new, |(_, missing)| missing));
        }
        match self.files.borrow().get(path) {
            Some(file) => self.surroundings.read(file),
            None => self.surroundings.read(Path::new(path)),
        }
    }

    fn searched(&self, request: ModuleRequest<'_>) -> Vec<String> {
        let mut places: Vec<String> = self
            .places(request)
            .iter()
            // New modules are not put there.
            .filter(|place| !place.starts_with(self.library().join(MOVED)))
            // A module is a file, or a folder with one of two files; naming the first is enough.
            .filter(|place| !PACKAGE_FILES.iter().any(|name| place.ends_with(name)))
            .map(|place| tidy(place).display().to_string())
            .collect();
        let mut seen = HashSet::new();
        places.retain(|place| seen.insert(place.clone()));
        // A manifest that cannot be read names no dependencies.
        places.extend(self.packages.problems.iter().cloned());
        places
    }

    fn candidates(&self, request: ModuleRequest<'_>) -> Vec<String> {
        let Some((_, parents)) = request.segments.split_last() else {
            return Vec::new();
        };
        let mut names = Vec::new();
        let mut folders: Vec<PathBuf> = self
            .places(ModuleRequest {
                segments: parents,
                ..request
            })
            .iter()
            // Of the places of the parent only its folder holds modules of this path.
            .filter(|place| place.ends_with(PACKAGE_FILES[0]))
            .filter_map(|place| place.parent().map(Path::to_path_buf))
            .collect();
        folders.dedup();
        for folder in folders {
            let Ok(entries) = fs::read_dir(&folder) else {
                continue;
            };
            for entry in entries.flatten() {
                let path = entry.path();
                let module = path.extension().is_some_and(|ending| ending == "spl")
                    && !PACKAGE_FILES.iter().any(|name| path.ends_with(name))
                    || PACKAGE_FILES.iter().any(|name| path.join(name).is_file());
                if let Some(stem) = path
                    .file_stem()
                    .and_then(|stem| stem.to_str())
                    .filter(|_| module)
                {
                    let mut name = parents.join(".");
                    if !name.is_empty() {
                        name.push('.');
                    }
                    name.push_str(stem);
                    names.push(name);
                }
            }
        }
        names.sort();
        names.dedup();
        names
    }
}

/// Whether a file of this name holds examples for `simple test`.
pub fn is_spec(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.ends_with("_spec.spl") || name.ends_with("_test.spl")
}

/// The folder of a file; `.` for a bare name.
pub fn parent(path: &Path) -> PathBuf {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_path_buf(),
        _ => PathBuf::from("."),
    }
}

/// How the path of a file is written: from the working folder if `relative`, otherwise from the root folder.
fn shown(path: &Path, relative: bool) -> PathBuf {
    let absolute = absolute(path);
    let folder = match std::env::current_dir() {
        Ok(folder) if relative => folder,
        _ => return absolute,
    };
    let both = folder.components().zip(absolute.components());
    let common = both.take_while(|(a, b)| a == b).count();
    let up = folder.components().skip(common).map(|_| Path::new(".."));
    up.chain(
        absolute
            .components()
            .skip(common)
            .map(|part| Path::new(part.as_os_str())),
    )
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Tree(PathBuf);

    fn loader(root: &Path) -> FileLoader {
        let surroundings = Surroundings::new(&root.join("home/lib"), None);
        FileLoader::new(&root.join("main.spl"), surroundings)
    }

    impl Tree {
        fn new(name: &str, files: &[&str]) -> Tree {
            let root =
                std::env::temp_dir().join(format!("simple-loader-{name}-{}", std::process::id()));
            for file in files {
                let path = root.join(file);
                fs::create_dir_all(path.parent().expect("a folder")).expect("create folders");
                fs::write(&path, format!("# {file}\n")).expect("write a module");
            }
            Tree(root)
        }

        fn find(&self, importer: &str, dots: u32, segments: &[&str]) -> Option<String> {
            let loader = loader(&self.0);
            let importer = self.0.join(importer).display().to_string();
            let request = ModuleRequest {
                importer: &importer,
                dots,
                segments,
            };
            let found = loader.find(request)?;
            assert_eq!(found.library, found.path.contains("home/lib"));
            let text = loader.read(&found.path).expect("readable");
            Some(text.trim_start_matches("# ").trim_end().to_owned())
        }
    }

    impl Drop for Tree {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn roots_are_tried_in_order() {
        let tree = Tree::new(
            "roots",
            &[
                "a/x.spl",
                "x.spl",
                "src/y.spl",
                "lib/z.spl",
                "home/lib/std/math.spl",
                "home/lib/std/y.spl",
            ],
        );
        assert_eq!(
            tree.find("a/main.spl", 0, &["x"]).as_deref(),
            Some("a/x.spl")
        );
        assert_eq!(tree.find("main.spl", 0, &["x"]).as_deref(), Some("x.spl"));
        assert_eq!(
            tree.find("main.spl", 0, &["y"]).as_deref(),
            Some("src/y.spl")
        );
        assert_eq!(
            tree.find("main.spl", 0, &["z"]).as_deref(),
            Some("lib/z.spl")
        );
        assert_eq!(
            tree.find("main.spl", 0, &["math"]).as_deref(),
            Some("home/lib/std/math.spl")
        );
        assert_eq!(tree.find("main.spl", 0, &["none"]), None);
    }

    #[test]
    fn std_and_lib_name_the_library() {
        let tree = Tree::new(
            "std",
            &[
                "std/math.spl",
                "lib/torch/mod.spl",
                "home/lib/std/math.spl",
                "home/lib/std/dl/config.spl",
                "home/lib/torch/mod.spl",
                "home/lib/nn.spl",
            ],
        );
        assert_eq!(
            tree.find("main.spl", 0, &["std", "math"]).as_deref(),
            Some("home/lib/std/math.spl")
        );
        assert_eq!(
            tree.find("main.spl", 0, &["std", "torch"]).as_deref(),
            Some("home/lib/torch/mod.spl")
        );
        assert_eq!(
            tree.find("main.spl", 0, &["std", "src", "dl", "config"])
                .as_deref(),
            Some("home/lib/std/dl/config.spl")
        );
        assert_eq!(
            tree.find("main.spl", 0, &["lib", "torch"]).as_deref(),
            Some("lib/torch/mod.spl")
        );
        assert_eq!(
            tree.find("main.spl", 0, &["lib", "nn"]).as_deref(),
            Some("home/lib/nn.spl")
        );
    }

    #[test]
    fn old_paths_of_the_library_are_found_last() {
        let tree = Tree::new(
            "compat",
            &[
                "home/lib/nn/mod.spl",
                "home/lib/compat/pure/nn/mod.spl",
                "home/lib/compat/nn/mod.spl",
                "home/lib/compat/app/io.spl",
            ],
        );
        let old = Some("home/lib/compat/pure/nn/mod.spl");
        assert_eq!(
            tree.find("main.spl", 0, &["lib", "pure", "nn"]).as_deref(),
            old
        );
        assert_eq!(
            tree.find("main.spl", 0, &["std", "pure", "nn"]).as_deref(),
            old
        );
        assert_eq!(
            tree.find("main.spl", 0, &["std", "src", "app", "io"])
                .as_deref(),
            Some("home/lib/compat/app/io.spl")
        );
        assert_eq!(tree.find("main.spl", 0, &["pure", "nn"]).as_deref(), old);
        // A module that is there wins, and a relative path finds no old one.
        assert_eq!(
            tree.find("main.spl", 0, &["lib", "nn"]).as_deref(),
            Some("home/lib/nn/mod.spl")
        );
        assert_eq!(tree.find("home/lib/main.spl", 1, &["pure", "nn"]), None);
        let loader = loader(&tree.0);
        let searched = loader.searched(ModuleRequest {
            importer: "main.spl",
            dots: 0,
            segments: &["lib", "pure", "none"],
        });
        assert!(!searched.is_empty());
        assert!(
            !searched
                .iter()
                .any(|place| place.contains("home/lib/compat")),
            "{searched:?}"
        );
    }

    #[test]
    fn a_package_wins_over_a_file_and_init_over_mod() {
        let tree = Tree::new(
            "package",
            &["p.spl", "p/mod.spl", "q/mod.spl", "q/__init__.spl"],
        );
        assert_eq!(
            tree.find("main.spl", 0, &["p"]).as_deref(),
            Some("p/mod.spl")
        );
        assert_eq!(
            tree.find("main.spl", 0, &["q"]).as_deref(),
            Some("q/__init__.spl")
        );
    }

    #[test]
    fn dots_start_at_the_importer() {
        let tree = Tree::new("dots", &["a/b/main.spl", "a/b/sib.spl", "a/up.spl"]);
        assert_eq!(
            tree.find("a/b/main.spl", 1, &["sib"]).as_deref(),
            Some("a/b/sib.spl")
        );
        assert_eq!(
            tree.find("a/b/main.spl", 2, &["up"]).as_deref(),
            Some("a/up.spl")
        );
    }

    #[test]
    fn paths_are_shown_as_the_root_was_given() {
        let here = std::env::current_dir().expect("a working folder");
        let name = here.file_name().expect("its name");
        assert_eq!(shown(Path::new("./a.spl"), true), Path::new("a.spl"));
        assert_eq!(shown(&here.join("b/a.spl"), true), Path::new("b/a.spl"));
        assert_eq!(
            shown(&Path::new("..").join(name).join("a.spl"), true),
            Path::new("a.spl")
        );
        assert_eq!(shown(&here.join("../a.spl"), true), Path::new("../a.spl"));
        assert_eq!(shown(Path::new("a.spl"), false), here.join("a.spl"));
    }
}
