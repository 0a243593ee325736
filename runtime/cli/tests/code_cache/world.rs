//! A program in surroundings that can be changed in each way that it depends on.
//!
//! [`CHANGES`] lists the ways; each is of one [`Kind`] of question and has a few variants, the first as in the beginning. Some changes are of
//! several kinds in truth, where a text decides what else is asked; the first one is meant. The tests in `main.rs` and the fuzz target `surroundings`
//! ask the same of every state: the program with the cache does what it does without.

use simple_cli::surroundings::Kind;
use simple_ffi_abi::ABI_VERSION_SYMBOL;
use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// What a run printed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Run {
    pub out: String,
    /// Without the lines of `--verbose`.
    pub err: String,
    pub code: Option<i32>,
    /// Whether the code was in the cache.
    pub found: bool,
}

impl Run {
    /// What a run printed, without the lines of `--verbose`.
    pub fn of(output: &Output) -> Run {
        let err = String::from_utf8_lossy(&output.stderr).into_owned();
        Run {
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            found: err.contains("found compiled"),
            err: err
                .lines()
                .filter(|line| !line.starts_with("simple: "))
                .map(|line| format!("{line}\n"))
                .collect(),
            code: output.status.code(),
        }
    }
}

impl Run {
    /// What it did, wherever its code was.
    pub fn did(&self) -> (&str, &str, Option<i32>) {
        (&self.out, &self.err, self.code)
    }
}

/// A folder with a program, two libraries of Simple and a cache; gone at the end.
pub struct World {
    root: PathBuf,
    /// The compiler, a copy of it if that was exchanged.
    compiler: PathBuf,
    home: PathBuf,
    /// The working folder, from the root.
    folder: &'static str,
    program: String,
    options: Vec<&'static str>,
    variables: Vec<(&'static str, String)>,
}

/// A way in which surroundings change.
pub struct Change {
    pub what: &'static str,
    pub kind: Kind,
    /// How many variants there are.
    pub variants: usize,
    /// Whether the program prints the same in each, as long as nothing else has changed.
    pub silent: bool,
    make: fn(&mut World, usize),
}

const PROGRAM: &str = r#"use lib.helper.{who}
use near.{word}
use lib.backend.{name}

@Lib("beside")
extern fn touch(x: f64) -> f64
@Lib("made")
extern fn made() -> text
extern fn rt_torch_num_threads() -> i64

fn main():
    val unused = 1
    print who(), word(), name()
    print [1, 2, 3].product()
    print touch(1.0) / 3.0
    if who() == "nobody":
        print made()
        print rt_torch_num_threads()
"#;

const PLAIN_C: &str = "double touch(double x) { return x; }\n";
const ROUNDING_C: &str =
    "#include <fenv.h>\ndouble touch(double x) { fesetround(FE_UPWARD); return x; }\n";

/// The files of the library of Simple that the second library has for itself.
const OWN_FILES: [&str; 2] = ["std/core/array.spl", "torch/ffi/state.spl"];

/// All ways.
pub const CHANGES: &[Change] = &[
    Change {
        what: "the program is named otherwise",
        kind: Kind::Program,
        variants: 2,
        silent: false,
        make: |world, variant| {
            let folder = world.root.join(world.folder);
            let file = world.root.join("project/app/main.spl");
            world.program = match file.strip_prefix(&folder) {
                Ok(short) if variant == 0 => short.display().to_string(),
                _ => file.display().to_string(),
            };
        },
    },
    Change {
        what: "the working folder",
        kind: Kind::Folder,
        variants: 2,
        silent: true,
        make: |world, variant| {
            world.folder = ["project/app", "elsewhere"][variant];
            world.program = world
                .root
                .join("project/app/main.spl")
                .display()
                .to_string();
        },
    },
    Change {
        what: "the library, by `SIMPLE_HOME`",
        kind: Kind::Library,
        variants: 2,
        silent: false,
        make: |world, variant| {
            world.home = match variant {
                0 => world.root.join("home"),
                _ => world.root.join("other_home"),
            };
        },
    },
    Change {
        what: "the compiler",
        kind: Kind::Compiler,
        variants: 1,
        silent: true,
        make: |world, _| {
            let copies = fs::read_dir(world.root.join("copies")).map_or(0, Iterator::count);
            let copy = world.root.join(format!("copies/simple{copies}"));
            fs::create_dir_all(world.root.join("copies")).expect("make the folder");
            // Another file with the same size and time.
            let copied = Command::new("cp")
                .arg("-p")
                .arg(&world.compiler)
                .arg(&copy)
                .status();
            assert!(copied.is_ok_and(|status| status.success()));
            world.compiler = copy;
        },
    },
    Change {
        what: "warnings",
        kind: Kind::Messages,
        variants: 2,
        silent: false,
        make: |world, variant| {
            world
                .options
                .retain(|option| !option.starts_with("--allow"));
            let options = ["", "--allow=unused_variable"];
            world
                .options
                .extend(options.get(variant).filter(|it| !it.is_empty()));
        },
    },
    Change {
        what: "a `simple.sdn` beside the program",
        kind: Kind::File,
        variants: 2,
        silent: true,
        make: |world, variant| {
            world.put("project/app/simple.sdn", [None, Some("name: x\n")][variant])
        },
    },
    Change {
        what: "a `simple.sdn` above the program",
        kind: Kind::File,
        variants: 2,
        silent: false,
        make: |world, variant| world.put("project/simple.sdn", [None, Some("name: x\n")][variant]),
    },
    Change {
        what: "a `simple.sdn` far above the program",
        kind: Kind::File,
        variants: 2,
        silent: false,
        make: |world, variant| world.put("simple.sdn", [None, Some("name: x\n")][variant]),
    },
    Change {
        what: "a package where a module was",
        kind: Kind::File,
        variants: 3,
        silent: false,
        make: |world, variant| {
            let word = |of: &str| format!("export word\nfn word() -> text: \"{of}\"\n");
            let (first, second) = (word("__init__"), word("mod"));
            world.put(
                "project/app/near/__init__.spl",
                (variant == 2).then_some(&first),
            );
            world.put("project/app/near/mod.spl", (variant > 0).then_some(&second));
        },
    },
    Change {
        what: "a module that goes away, so that one further away is found",
        kind: Kind::File,
        variants: 2,
        silent: false,
        make: |world, variant| {
            let text = helper("app/lib");
            world.put(
                "project/app/lib/helper.spl",
                (variant == 0).then_some(&text),
            );
        },
    },
    Change {
        what: "the text of a module",
        kind: Kind::Text,
        variants: 3,
        silent: false,
        make: |world, variant| {
            let text = near(
                ["", "again", ""][variant],
                ["", "", "#![backend(mine.two)]\n"][variant],
            );
            world.put("project/app/near.spl", Some(&text));
        },
    },
    Change {
        what: "the text of the program",
        kind: Kind::Text,
        variants: 2,
        silent: false,
        make: |world, variant| {
            let text = [
                PROGRAM.to_owned(),
                PROGRAM.replace("[1, 2, 3]", "[1, 2, 4]"),
            ];
            world.put("project/app/main.spl", Some(&text[variant]));
        },
    },
    Change {
        what: "the text of a module of the library",
        kind: Kind::Text,
        variants: 2,
        silent: false,
        make: |world, variant| {
            let text = world.original("std/core/array.spl");
            let other = text.replace("var total: T = 1\n", "var total: T = 2\n");
            assert_ne!(text, other);
            let text = [text, other];
            world.put("home/lib/std/core/array.spl", Some(&text[variant]));
        },
    },
    Change {
        what: "`dl.config.sdn`",
        kind: Kind::Backend,
        variants: 2,
        silent: false,
        make: |world, variant| {
            let file = format!("{}/dl.config.sdn", world.folder);
            world.put(&file, [None, Some(TWO)][variant]);
        },
    },
    Change {
        what: "`dl.config.local.sdn`",
        kind: Kind::Backend,
        variants: 2,
        silent: false,
        make: |world, variant| {
            let file = format!("{}/dl.config.local.sdn", world.folder);
            world.put(&file, [None, Some(TWO)][variant]);
        },
    },
    Change {
        what: "the user's `dl.config.sdn`",
        kind: Kind::Backend,
        variants: 3,
        silent: false,
        make: |world, variant| {
            world.put(
                "user/.simple/dl.config.sdn",
                [Some(ONE), Some(TWO), None][variant],
            )
        },
    },
    Change {
        what: "`SIMPLE_DL_BACKEND`",
        kind: Kind::Backend,
        variants: 2,
        silent: false,
        make: |world, variant| {
            world.set("SIMPLE_DL_BACKEND", ["", "mine.two"][variant]);
        },
    },
    Change {
        what: "`--backend`",
        kind: Kind::Backend,
        variants: 2,
        silent: false,
        make: |world, variant| {
            world
                .options
                .retain(|option| !option.starts_with("--backend"));
            let options = ["", "--backend=mine.two"];
            world
                .options
                .extend(options.get(variant).filter(|it| !it.is_empty()));
        },
    },
    Change {
        what: "a backend of the project",
        kind: Kind::Backend,
        variants: 2,
        silent: false,
        make: |world, variant| {
            world.put(
                "project/app/lib/backend.spl",
                [None, Some(&*backend("own"))][variant],
            );
        },
    },
    Change {
        what: "what the library says of a function of libtorch",
        kind: Kind::Function,
        variants: 2,
        silent: false,
        make: |world, variant| {
            let text = world.original("torch/ffi/state.spl");
            let other = text.replace(
                "rt_torch_num_threads() -> i64",
                "rt_torch_num_threads() -> text",
            );
            assert_ne!(text, other);
            let text = [text, other];
            world.put("home/lib/torch/ffi/state.spl", Some(&text[variant]));
        },
    },
    Change {
        what: "a library beside the program, which then sets the rounding",
        kind: Kind::Floats,
        variants: 2,
        silent: true,
        make: |world, variant| {
            world.place_library("libbeside.so", ["libplain.so", "librounding.so"][variant])
        },
    },
    Change {
        what: "a libtorch, and what it lacks",
        kind: Kind::Lacks,
        variants: 2,
        silent: true,
        make: |world, variant| {
            let there = variant == 1;
            let version = "#define TORCH_VERSION \"2.11.0\"\n";
            for (file, text) in [
                ("home/package", "torch 2.11.0\n"),
                ("home/torch/2.11.0/libsimple_torch.so", ""),
                ("home/torch/2.11.0/lacks", "rt_torch_num_threads threads\n"),
                ("libtorch/lib/libtorch_cpu.so", ""),
                ("libtorch/lib/libc10.so", ""),
                ("libtorch/include/torch/headeronly/version.h", version),
            ] {
                world.put(file, there.then_some(text));
            }
            let path = world.root.join("libtorch").display().to_string();
            world.set("LIBTORCH_PATH", if there { &path } else { "" });
        },
    },
    Change {
        what: "a library that turns out to be one of plain C",
        kind: Kind::Plain,
        variants: 2,
        silent: false,
        make: |world, variant| {
            world.place_library("libmade.so", ["libknowing.so", "libplain.so"][variant])
        },
    },
];

fn helper(of: &str) -> String {
    format!("export who\nfn who() -> text: \"{of}\"\n")
}

fn near(word: &str, line: &str) -> String {
    format!("{line}export word\nfn word() -> text: \"near {word}\"\n")
}

fn backend(of: &str) -> String {
    format!("export name\nfn name() -> text: \"{of}\"\n")
}

const ONE: &str = "dl:\n    backend: mine.one\n";
const TWO: &str = "dl:\n    backend: mine.two\n";

impl World {
    /// Surroundings in which the program prints something, in a new folder; `library` is the folder of Simple's library.
    pub fn new(name: &str, compiler: &Path, library: &Path) -> World {
        let root = std::env::temp_dir().join(format!("simple-world-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&root);
        let mut world = World {
            compiler: compiler.to_owned(),
            home: root.join("home"),
            folder: "project/app",
            program: "main.spl".to_owned(),
            options: Vec::new(),
            variables: Vec::new(),
            root,
        };
        for folder in ["elsewhere", "cache", "user"] {
            fs::create_dir_all(world.root.join(folder)).expect("a folder");
        }
        for home in ["home", "other_home"] {
            mirror(library, &world.root.join(home).join("lib"), &OWN_FILES);
        }
        for file in OWN_FILES {
            let text = fs::read_to_string(library.join(file)).expect("a file of the library");
            world.put(&format!("original/{}", file.replace('/', "_")), Some(&text));
        }
        let text = world.original("std/core/array.spl");
        let text = text.replace("var total: T = 1\n", "var total: T = 10\n");
        world.put("other_home/lib/std/core/array.spl", Some(&text));
        for (file, text) in [
            ("project/lib/helper.spl", helper("project/lib")),
            ("lib/helper.spl", helper("far/lib")),
            ("project/app/mine/one.spl", backend("app one")),
            ("project/app/mine/two.spl", backend("app two")),
            ("project/mine/one.spl", backend("project one")),
            ("project/mine/two.spl", backend("project two")),
            ("mine/one.spl", backend("far one")),
            ("mine/two.spl", backend("far two")),
        ] {
            world.put(file, Some(&text));
        }
        world.build("libplain.so", PLAIN_C);
        world.build("librounding.so", ROUNDING_C);
        world.build(
            "libknowing.so",
            &format!("int {ABI_VERSION_SYMBOL}(void) {{ return 0; }}\n"),
        );
        for change in CHANGES
            .iter()
            .filter(|change| change.kind != Kind::Compiler)
        {
            (change.make)(&mut world, 0);
        }
        // Relative, as programs are mostly named.
        world.program = "main.spl".to_owned();
        world
    }

    /// Makes a change.
    pub fn change(&mut self, change: &Change, variant: usize) {
        (change.make)(self, variant % change.variants);
    }

    /// Runs the program, with the cache or without.
    pub fn run(&self, cached: bool) -> Run {
        let output = Command::new(&self.compiler)
            .arg("--verbose")
            .args(&self.options)
            .arg(&self.program)
            .current_dir(self.root.join(self.folder))
            .env_remove("SIMPLE_DL_DEVICE")
            .env_remove("SIMPLE_DL_DTYPE")
            .env("XDG_CACHE_HOME", self.root.join("cache"))
            .env("HOME", self.root.join("user"))
            .env("SIMPLE_HOME", &self.home)
            .env("SIMPLE_CODE_CACHE", if cached { "1" } else { "0" })
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null())
            .output()
            .expect("simple starts");
        Run::of(&output)
    }

    fn put(&self, file: &str, text: Option<impl AsRef<str>>) {
        let path = self.root.join(file);
        match text {
            Some(text) => {
                fs::create_dir_all(path.parent().expect("a folder")).expect("make the folder");
                fs::write(path, text.as_ref()).expect("write the file");
            }
            None => match fs::remove_file(path) {
                Err(error) if error.kind() != ErrorKind::NotFound => panic!("{file}: {error}"),
                _ => {}
            },
        }
    }

    fn set(&mut self, variable: &'static str, value: &str) {
        self.variables.retain(|(name, _)| *name != variable);
        self.variables.push((variable, value.to_owned()));
    }

    /// The text of a file of Simple's library.
    fn original(&self, file: &str) -> String {
        let kept = self.root.join("original").join(file.replace('/', "_"));
        fs::read_to_string(kept).expect("a file of the library")
    }

    /// Builds a library of C, to be put beside the program later.
    fn build(&self, library: &str, source: &str) {
        let folder = self.root.join("built");
        fs::create_dir_all(&folder).expect("make the folder");
        let file = folder.join(library).with_extension("c");
        fs::write(&file, source).expect("write the source");
        let built = Command::new(std::env::var_os("CC").unwrap_or_else(|| "cc".into()))
            .args(["-shared", "-fPIC", "-O1", "-o"])
            .arg(folder.join(library))
            .arg(file)
            .arg("-lm")
            .status();
        assert!(built.is_ok_and(|status| status.success()), "a C compiler");
    }

    /// Puts a library beside the program by a rename, as a process may have the old one open.
    fn place_library(&self, name: &str, built: &str) {
        let fresh = self.root.join("fresh.so");
        fs::copy(self.root.join("built").join(built), &fresh).expect("copied");
        fs::rename(fresh, self.root.join("project/app").join(name)).expect("in place");
    }
}

impl Drop for World {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.root);
    }
}

/// A folder that looks like another one and has copies of some of its files; all else is linked.
fn mirror(from: &Path, to: &Path, own: &[&str]) {
    fs::create_dir_all(to).expect("make the folder");
    for entry in fs::read_dir(from).expect("a folder") {
        let name = entry.expect("an entry").file_name();
        let shown = name.to_str().expect("a name in ASCII");
        let below: Vec<&str> = own
            .iter()
            .filter_map(|file| file.strip_prefix(shown)?.strip_prefix('/'))
            .collect();
        let (from, to) = (from.join(&name), to.join(&name));
        if !below.is_empty() {
            mirror(&from, &to, &below);
        } else if own.contains(&shown) {
            fs::copy(&from, &to).expect("copied");
        } else {
            symlink(&from, &to).expect("linked");
        }
    }
}
