//! What a program's own files say of what computes its tensors: the lines `#![backend(native)]`, a `lib/backend.spl` of the project, and
//! imports of modules that only libtorch has.
//!
//! The files are looked at when the program first asks for `lib.backend` or for its configuration, before anything is checked, and only then:
//! a program without tensors pays nothing. The choice itself is made in `simple_bridge::dl_config`; `loader.rs` follows it.

use crate::loader::{self, FileLoader};
use crate::output::complain;
use crate::surroundings::Surroundings;
use simple_bridge::dl_config::{self, Backend, Declared, Surveyor};
use simple_sema::loader::{FoundModule, LoadedSource, ModuleRequest, SourceLoader};
use simple_setup::declarations;
use simple_syntax::FileId;
use simple_syntax::ast::{ExportDecl, ItemKind, StmtKind, UseDecl, UseWhat};
use std::cell::RefCell;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// The path of the module that stands for the chosen backend.
pub const SEGMENTS: [&str; 2] = ["lib", "backend"];

/// What the functions of libtorch are called.
const TORCH_FUNCTION: &str = "rt_torch_";

/// The files of a program, as far as they are known: that of a program, or the entries of a session.
pub struct Program {
    loader: FileLoader,
    library: PathBuf,
    texts: RefCell<Vec<(String, String)>>,
}

impl Program {
    /// Begins with a program: from now on the choice is made for it. `torch` says whether libtorch is there, otherwise why not.
    pub fn begin(root_file: &Path, library: &Path, torch: Result<(), String>) -> Rc<Program> {
        let program = Rc::new(Program {
            // What is chosen is one question; what is asked on the way to it is not remembered.
            loader: FileLoader::plain(root_file, Surroundings::new(library, None)),
            library: loader::absolute(library),
            texts: RefCell::default(),
        });
        let surveyed = Rc::clone(&program);
        dl_config::set_program(Surveyor(Rc::new(move || surveyed.survey())), torch);
        program
    }

    /// Adds a file or an entry of a session. What it says comes too late once the choice is made, and then that is said.
    pub fn tell(&self, source: &LoadedSource) {
        if dl_config::is_chosen() {
            let used = dl_config::chosen().map(|chosen| chosen.used.to_string());
            for line in declarations(&source.text) {
                if used.as_deref().is_some_and(|used| used != line.word) {
                    complain!(
                        "warning: {}:{}:{}: `#![backend({})]` comes too late: this session computes with `{}`; `:reset` begins another",
                        source.path,
                        line.line,
                        line.column,
                        line.word,
                        used.as_deref().unwrap_or_default()
                    );
                }
            }
        }
        let text = (source.path.clone(), source.text.clone());
        self.texts.borrow_mut().push(text);
    }

    /// Reads what the files say.
    fn survey(&self) -> Result<dl_config::Program, String> {
        // Whoever sets that wants to know what is wrong with it.
        let chosen_libtorch = std::env::var_os("LIBTORCH_PATH").filter(|path| !path.is_empty());
        let mut found = dl_config::Program {
            declared: None,
            needs_torch: chosen_libtorch.map(|_| "LIBTORCH_PATH".to_owned()),
        };
        let mut waiting = self.texts.borrow().clone();
        let mut seen: HashSet<String> = waiting.iter().map(|(path, _)| path.clone()).collect();
        while let Some((path, text)) = waiting.pop() {
            for line in declarations(&text) {
                let declared = Declared {
                    place: format!("{path}:{}:{}", line.line, line.column),
                    word: line.word,
                };
                match &found.declared {
                    Some(other) if other.word != declared.word => {
                        return Err(format!(
                            "{}: `#![backend({})]`, but {} says `{}`; leave one of them out",
                            declared.place, declared.word, other.place, other.word
                        ));
                    }
                    _ => found.declared = Some(declared),
                }
            }
            let (tree, _) = simple_syntax::parse(FileId::default(), &text);
            for stmt in &tree.stmts {
                let StmtKind::Item(item) = &stmt.kind else {
                    continue;
                };
                let place = || {
                    let line = text[..item.span.lo as usize].matches('\n').count() + 1;
                    format!("{path}:{line}")
                };
                match &item.kind {
                    ItemKind::Use(decl) | ItemKind::Export(ExportDecl::Use(decl)) => {
                        for module in self.imports(&path, decl) {
                            if module.library {
                                if found.needs_torch.is_none() && self.is_of_torch(&module.path) {
                                    let name = self.name_of(&module.path);
                                    found.needs_torch = Some(format!("`{name}` ({})", place()));
                                }
                            } else if seen.insert(module.path.clone())
                                && let Ok(text) = self.loader.read(&module.path)
                            {
                                waiting.push((module.path, text));
                            }
                        }
                    }
                    ItemKind::ExternFn(decl) if found.needs_torch.is_none() => {
                        let name = decl.name.name.as_str();
                        if name.starts_with(TORCH_FUNCTION) {
                            found.needs_torch = Some(format!("`{name}` ({})", place()));
                        }
                    }
                    _ => {}
                }
            }
        }
        if found.declared.is_none() {
            found.declared = self.own();
        }
        Ok(found)
    }

    /// The modules that a `use` names: that of its path, and those that its names are where they are nothing in that module.
    fn imports(&self, importer: &str, decl: &UseDecl) -> Vec<FoundModule> {
        let path: Vec<&str> = decl.segments.iter().map(|it| it.name.as_str()).collect();
        let find = |segments: &[&str]| {
            let request = ModuleRequest {
                importer,
                dots: decl.dots,
                segments,
            };
            (!segments.is_empty() || decl.dots > 0).then(|| self.loader.find(request))?
        };
        let (of, names) = match (&decl.what, path.split_last()) {
            (UseWhat::Path(_), Some((last, of))) => (of, vec![*last]),
            (UseWhat::Names(names), _) => {
                let names = names.iter().map(|(name, _)| name.name.as_str());
                (&path[..], names.collect())
            }
            _ => (&path[..], Vec::new()),
        };
        let holder = find(of);
        let mut found = Vec::new();
        for name in names {
            if !holder
                .as_ref()
                .is_some_and(|holder| self.exports(holder, name))
            {
                found.extend(find(&[of, &[name]].concat()));
            }
        }
        found.extend(holder);
        found
    }

    /// Whether a module lists a name among what it exports.
    fn exports(&self, module: &FoundModule, name: &str) -> bool {
        let Ok(text) = self.loader.read(&module.path) else {
            return false;
        };
        let (tree, _) = simple_syntax::parse(FileId::default(), &text);
        tree.stmts.iter().any(|stmt| match &stmt.kind {
            StmtKind::Item(item) => match &item.kind {
                ItemKind::Export(ExportDecl::Names(names)) => {
                    names.iter().any(|listed| listed.name.as_str() == name)
                }
                // Whatever it declares itself is not another module.
                ItemKind::Export(ExportDecl::All) => false,
                ItemKind::Export(ExportDecl::Use(decl)) => match &decl.what {
                    UseWhat::Names(names) => names.iter().any(|(listed, rename)| {
                        rename.as_ref().unwrap_or(listed).name.as_str() == name
                    }),
                    _ => false,
                },
                _ => false,
            },
            _ => false,
        })
    }

    /// Whether a module of the library is only libtorch's: it is in the folder `lib/torch` and is not `lib.torch` itself, which is another name
    /// of the tensors of every backend.
    fn is_of_torch(&self, path: &str) -> bool {
        let torch = self.library.join("torch");
        let path = Path::new(path);
        path.starts_with(&torch) && path != torch.join("mod.spl")
    }

    /// How a module of the library is imported.
    fn name_of(&self, path: &str) -> String {
        let path = Path::new(path).with_extension("");
        let path = path.strip_prefix(&self.library).unwrap_or(&path);
        let mut name = "lib".to_owned();
        for part in path.iter().filter(|part| *part != "mod") {
            name.push('.');
            name.push_str(&part.to_string_lossy());
        }
        name
    }

    /// The project's own `lib/backend.spl`, which takes the place of the library's as every module of `lib` can.
    fn own(&self) -> Option<Declared> {
        let request = ModuleRequest {
            importer: "",
            dots: 0,
            segments: &SEGMENTS,
        };
        let found = self.loader.find(request).filter(|found| !found.library)?;
        Some(Declared {
            word: SEGMENTS.join("."),
            place: found.path,
        })
    }
}

/// The module of the chosen backend by its path, and what to say of one that is not there; `None` where nobody has begun with a program.
pub fn module() -> Option<(Vec<String>, String)> {
    let chosen = dl_config::chosen()?;
    let path = match &chosen.used {
        dl_config::Used::Torch => "lib.torch.backend".to_owned(),
        dl_config::Used::Native => "lib.native.backend".to_owned(),
        dl_config::Used::Module(path) => path.clone(),
    };
    let missing = format!(
        "tensors are computed by `backend: {}` ({}), and there is no module `{path}`",
        chosen.used, chosen.why
    );
    Some((path.split('.').map(str::to_owned).collect(), missing))
}

/// Whether the word of `--backend` is meant for tensors; one that is meant for the code of other implementations, such as `llvm`, is not.
///
/// # Errors
///
/// A word that is almost one of a backend of tensors.
pub fn is_for_tensors(word: &str) -> Result<bool, String> {
    if Backend::of_word(word).is_some() {
        return Ok(true);
    }
    match simple_spelling::nearest(word, Backend::WORDS) {
        Some(near) => Err(format!(
            "--backend: unknown backend `{word}`; did you mean `{near}`?"
        )),
        None => Ok(false),
    }
}
