//! One program from its file to its end: load, check, compile, run.
//!
//! A [`Session`] holds what outlives a single program: where the library is, and the bridge with the libraries that have been
//! opened. Leaves out the command line (`args.rs`, `commands.rs`) and how things are shown (`render.rs`, `failure.rs`).

use crate::backend::Program;
use crate::externs::{Externs, Portable};
use crate::loader::{self, FileLoader};
use crate::stages::Emit;
use crate::surroundings::Surroundings;
use simple_bridge::dl_config::Overrides;
use simple_bridge::{Bridge, BridgeConfig, Declarations, KnownManifest, Provider, TorchLibrary};
use simple_codegen::{self as codegen, Options, Store};
use simple_image::{Executable, Image};
use simple_middle::lower::{self, Extras};
use simple_middle::mir;
use simple_middle::passes::Optimize;
use simple_sema::loader::{LoadedSource, SourceLoader};
use simple_sema::{CheckOptions, Checked, codes};
use simple_setup::SetupError;
use simple_syntax::{Diagnostic, SourceMap};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

/// What every program of this process shares.
#[derive(Debug)]
pub struct Session {
    surroundings: Rc<Surroundings>,
    externs: Externs,
    /// Whether libtorch is there; otherwise why not.
    torch: Result<(), String>,
}

/// Why a checked program could not be made ready to run.
#[derive(Debug)]
pub enum CompileFailure {
    /// The program uses what cannot be compiled yet.
    Program(Vec<Diagnostic>),
    /// A mistake of ours, or of the machine; never the program's.
    Internal(String),
}

impl Session {
    /// A session for programs in `folder`; libraries named by `@Lib` are searched there first.
    pub fn new(folder: &Path, overrides: Overrides) -> Session {
        Session::with_library(library_folder(), folder, overrides)
    }

    /// As [`Session::new`], with the folder of the library in Simple.
    pub fn with_library(library: PathBuf, folder: &Path, overrides: Overrides) -> Session {
        let library = loader::absolute(&library);
        let status = simple_setup::torch_status();
        // A libtorch that is not safe to open is there: programs say so instead of computing without it.
        let found = match &status {
            Ok(_) | Err(SetupError::LibtorchNotTrusted { .. }) => Ok(()),
            Err(reason) => Err(reason.to_string()),
        };
        let (torch, torch_absence) = match status {
            Ok(install) => (
                Some(TorchLibrary {
                    library: install.library,
                    libtorch_dir: install.libtorch_dir,
                    release: install.version,
                }),
                None,
            ),
            Err(reason) => (None, Some(reason.to_string())),
        };
        let bridge = Bridge::new(BridgeConfig {
            torch,
            torch_absence,
            search: vec![folder.to_path_buf(), folder.join("lib")],
            manifests: vec![KnownManifest {
                declarations: Declarations::At(library.join("torch/ffi")),
                library: Provider::Torch,
            }],
            offered: simple_start::offered(),
            dl: overrides,
            ..BridgeConfig::default()
        });
        let bridge = Arc::new(bridge);
        let surroundings = Surroundings::new(&library, Some(Arc::clone(&bridge)));
        Session {
            externs: Externs::new(Rc::clone(&surroundings), bridge),
            surroundings,
            torch: found,
        }
    }

    /// Begins with a program or a session whose root file is `root_file`: its backend is not chosen yet.
    pub fn begin(&self, root_file: &Path) -> Rc<Program> {
        Program::begin(root_file, self.surroundings.library(), self.torch.clone())
    }

    /// Finds the modules of a program whose root file is `root_file`, with which it has [begun](Self::begin).
    pub fn loader(&self, root_file: &Path) -> FileLoader {
        FileLoader::new(root_file, Rc::clone(&self.surroundings))
    }

    /// What its programs depend on.
    pub fn surroundings(&self) -> &Rc<Surroundings> {
        &self.surroundings
    }

    /// What is known about foreign functions.
    pub fn externs(&self) -> &Externs {
        &self.externs
    }

    /// Checks a program; `root` names the file that its imports start from.
    pub fn check(&self, root: LoadedSource) -> Checked {
        let loader = self.open(&root);
        self.check_by(root, &loader, CheckOptions::default())
    }

    /// Begins with a program that is to be run: what finds its modules.
    pub fn open(&self, root: &LoadedSource) -> FileLoader {
        let root_file = PathBuf::from(&root.path);
        self.begin(&root_file).tell(root);
        let file = loader::absolute(&root_file);
        self.surroundings.was_read(&file, &root.text);
        self.loader(&root_file)
    }

    /// Checks a program that is run, with the loader of [`Session::open`]: what is wrong with foreign functions that it imports and does not use
    /// is left out.
    pub fn check_to_run(&self, root: LoadedSource, loader: &FileLoader) -> Checked {
        let options = CheckOptions {
            only_used: true,
            ..CheckOptions::default()
        };
        self.check_by(root, loader, options)
    }

    /// Checks a program whose modules another loader reads than that of [`Session::open`].
    pub fn check_by(
        &self,
        root: LoadedSource,
        loader: &dyn SourceLoader,
        options: CheckOptions,
    ) -> Checked {
        let mut checked = simple_sema::check(root, loader, &self.externs, options);
        say_once(&mut checked.diagnostics);
        checked
    }

    /// The middle form of a checked program.
    pub fn lower(
        &self,
        program: &simple_sema::typed::Program,
    ) -> Result<mir::Module, CompileFailure> {
        lower::lower(program, &self.externs).map_err(CompileFailure::Program)
    }

    fn lower_extra(
        &self,
        program: &simple_sema::typed::Program,
        extras: Extras,
    ) -> Result<mir::Module, CompileFailure> {
        lower::lower_extra(program, &self.externs, extras).map_err(CompileFailure::Program)
    }

    /// Machine code of a checked program. Must be called on the thread that runs it.
    pub fn compile(
        &self,
        program: &simple_sema::typed::Program,
    ) -> Result<Executable, CompileFailure> {
        let image = self.compile_extra(program, Extras::default())?;
        self.place(image, program.sources.clone())
    }

    /// The same before it has a place in memory, for a program that does more than it says.
    pub fn compile_extra(
        &self,
        program: &simple_sema::typed::Program,
        extras: Extras,
    ) -> Result<Image, CompileFailure> {
        let module = self.lower_extra(program, extras)?;
        codegen::compile(module, &options(extras))
            .map_err(|error| CompileFailure::Internal(error.to_string()))
    }

    /// The same with the code of functions that this compiler has compiled before, in whichever program.
    pub fn compile_stored(
        &self,
        program: &simple_sema::typed::Program,
        extras: Extras,
        store: &dyn Store,
    ) -> Result<Image, CompileFailure> {
        let module = self.lower_extra(program, extras)?;
        codegen::compile_with(module, &options(extras), store)
            .map_err(|error| CompileFailure::Internal(error.to_string()))
    }

    /// Machine code for other machines, and the parts of a processor that it uses.
    pub fn compile_portable(
        &self,
        program: &simple_sema::typed::Program,
        extras: Extras,
    ) -> Result<(Image, Vec<String>), CompileFailure> {
        let externs = Portable(&self.externs);
        let module =
            lower::lower_extra(program, &externs, extras).map_err(CompileFailure::Program)?;
        let options = Options {
            portable: true,
            ..options(extras)
        };
        let internal = |error: codegen::CompileError| CompileFailure::Internal(error.to_string());
        let processor = codegen::processor(&options).map_err(internal)?;
        let image = codegen::compile(module, &options).map_err(internal)?;
        Ok((image, processor))
    }

    /// Puts a compiled program into memory. Must be called on the thread that runs it.
    pub fn place(
        &self,
        image: Image,
        sources: Arc<SourceMap>,
    ) -> Result<Executable, CompileFailure> {
        Executable::new(image, sources, Box::new(self.externs.clone()))
            .map_err(|error| CompileFailure::Internal(error.to_string()))
    }

    /// As [`Session::compile`], with other passes over the middle form, and without Cranelift's optimizations where there are none:
    /// what optimized code is compared with.
    pub fn compile_as(
        &self,
        program: &simple_sema::typed::Program,
        optimize: Optimize,
    ) -> Result<Executable, CompileFailure> {
        let extras = Extras {
            optimize,
            ..Extras::default()
        };
        self.place(
            self.compile_extra(program, extras)?,
            program.sources.clone(),
        )
    }

    /// A stage of the compilation of a checked program, as text; `extras` as for [`Session::compile_extra`].
    pub fn emit(
        &self,
        program: &simple_sema::typed::Program,
        stage: Emit,
        extras: Extras,
    ) -> Result<String, CompileFailure> {
        let module = self.lower_extra(program, extras)?;
        let options = options(extras);
        match stage {
            Emit::Mir => Ok(mir::print::module(&module)),
            Emit::Clif => codegen::clif(&module, &options)
                .map_err(|error| CompileFailure::Internal(error.to_string())),
            Emit::Asm => codegen::asm(&module, &options)
                .map_err(|error| CompileFailure::Internal(error.to_string())),
        }
    }
}

/// How machine code is made: without Cranelift's optimizations where the passes are left out too.
fn options(extras: Extras) -> Options {
    let mut options = Options::default();
    if extras.optimize == Optimize::No {
        options.opt_level = codegen::OptLevel::None;
    }
    options
}

/// Takes out what was said before in the same words: many modules of the library import the one of the backend, which may not be there.
pub(crate) fn say_once(diagnostics: &mut Vec<Diagnostic>) {
    let mut said = HashSet::new();
    diagnostics.retain(|d| d.code != codes::LOAD_FAILED || said.insert(d.message.clone()));
}

/// The folder of the library in Simple.
fn library_folder() -> PathBuf {
    home().join("lib")
}

/// Where Simple's own files are, `lib` and `doc`: `SIMPLE_HOME`, otherwise the nearest folder above the running binary that has the library.
pub fn home() -> PathBuf {
    simple_setup::home().unwrap_or_else(|| PathBuf::from("."))
}
