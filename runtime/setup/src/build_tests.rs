//! Tests of the steps of a set-up, with a `cargo` that only notes how it was called.

use super::super::TORCH_VERSION;
use super::super::env::test_support::{Scratch, fake_libtorch};
use super::super::hash::{self, List};
use super::*;
use std::path::PathBuf;

const CUDA: Wanted = Wanted {
    release: None,
    cuda: true,
};

/// A source tree in which `cargo` writes its arguments to a log and leaves a library.
struct Tree {
    scratch: Scratch,
    env: Env,
    layout: Layout,
}

impl Tree {
    fn new(name: &str) -> Self {
        let scratch = Scratch::new(name);
        let layout = Layout::at(&scratch.path().join("tree"));
        fs::create_dir_all(layout.out()).unwrap();
        let mut env = Env::empty();
        env.set("XDG_CACHE_HOME", scratch.path().join("cache"));
        scratch.program("c++", "");
        let tree = Self {
            scratch,
            env,
            layout,
        };
        let bin = tree.cargo("exit 0");
        let mut tree = tree;
        tree.env.set("PATH", bin);
        tree
    }

    fn cargo(&self, end: &str) -> PathBuf {
        let log = self.scratch.path().join("log");
        let library = self.layout.torch_library_of_build();
        let body = format!(
            "echo \"$* $LIBTORCH\" >>{}; : >{}; {end}",
            log.display(),
            library.display()
        );
        self.scratch.program("cargo", &body)
    }

    fn calls(&self) -> usize {
        fs::read_to_string(self.scratch.path().join("log"))
            .unwrap_or_default()
            .lines()
            .count()
    }

    /// What cargo was to build, run by run.
    fn built(&self) -> Vec<String> {
        let log = fs::read_to_string(self.scratch.path().join("log")).unwrap_or_default();
        let packages = log.lines().filter_map(|line| line.split(" --quiet").next());
        packages.map(str::to_owned).collect()
    }

    fn with_libtorch(mut self) -> Self {
        let root = self.scratch.path().join("lt");
        fake_libtorch(&root, TORCH_VERSION);
        self.env.set("LIBTORCH_PATH", root);
        self
    }

    fn change_sources(&self) {
        let shim = self.layout.root().join("ffi/torch/shim");
        fs::create_dir_all(&shim).unwrap();
        fs::write(shim.join("new.cpp"), "").unwrap();
    }

    fn stamp(&self) -> Option<Stamp> {
        Stamp::read(&self.layout.stamp())
    }
}

#[test]
fn a_set_up_builds_and_remembers_the_libtorch() {
    let tree = Tree::new("build-ready").with_libtorch();
    set_up_for_launcher(&tree.env, &tree.layout).unwrap();
    assert!(
        matches!(tree.stamp(), Some(Stamp::Ready { libtorch_dir, .. }) if libtorch_dir.ends_with("lt/lib"))
    );
    // Called again because sources changed: Python and the cache are not asked, and cargo only where it is the torch library's sources.
    set_up_for_launcher(&tree.env, &tree.layout).unwrap();
    assert_eq!(tree.calls(), 1);
    tree.change_sources();
    set_up_for_launcher(&tree.env, &tree.layout).unwrap();
    assert_eq!(tree.calls(), 2);
}

#[test]
fn programs_that_run_native_have_nothing_built_and_later_ones_do() {
    let mut tree = Tree::new("build-native").with_libtorch();
    tree.env.set("SIMPLE_DL_BACKEND", "native");
    set_up_for_launcher(&tree.env, &tree.layout).unwrap();
    assert_eq!((tree.stamp(), tree.calls()), (None, 0));
    tree.env.set("SIMPLE_DL_BACKEND", "auto");
    set_up_for_launcher(&tree.env, &tree.layout).unwrap();
    assert!(matches!(tree.stamp(), Some(Stamp::Ready { .. })));
    // Sources changed at a start that needs none: the next one that does looks again.
    tree.env.set("SIMPLE_DL_BACKEND", "native");
    set_up_for_launcher(&tree.env, &tree.layout).unwrap();
    assert_eq!((tree.stamp(), tree.calls()), (None, 1));
    Stamp::Skipped.write(&tree.layout.stamp()).unwrap();
    set_up_for_launcher(&tree.env, &tree.layout).unwrap();
    assert_eq!(tree.stamp(), Some(Stamp::Skipped));
}

#[test]
fn a_first_start_of_native_programs_builds_only_the_compiler() {
    let mut tree = Tree::new("build-first-native").with_libtorch();
    tree.env.set("SIMPLE_DL_BACKEND", "native");
    first_start_in(&tree.env, &tree.layout).unwrap();
    assert_eq!(tree.stamp(), None);
    let built = tree.built();
    assert!(!built.is_empty());
    assert!(
        !built.iter().any(|line| line.contains("torch")),
        "{built:?}"
    );
}

#[test]
fn a_failure_to_fetch_is_remembered_until_the_missing_program_is_there() {
    let tree = Tree::new("build-failed");
    set_up_for_launcher(&tree.env, &tree.layout).unwrap();
    let Some(Stamp::Failed {
        at_build: false,
        missing,
        message,
        ..
    }) = tree.stamp()
    else {
        panic!("{:?}", tree.stamp())
    };
    assert!(message.contains("no `python3`"), "{message}");
    assert_eq!(missing.as_deref(), Some("python3"));
    // A failure for another reason is not repeated, though there is a Python with torch by now ...
    let other = SetupError::LibtorchGone { path: "/x".into() };
    Stamp::failed(&other, Selection::default())
        .write(&tree.layout.stamp())
        .unwrap();
    let site = tree.scratch.path().join("site/torch");
    fake_libtorch(&site, TORCH_VERSION);
    tree.scratch.program(
        "python3",
        &format!("echo {TORCH_VERSION}; echo {}", site.display()),
    );
    set_up_for_launcher(&tree.env, &tree.layout).unwrap();
    assert!(matches!(tree.stamp(), Some(Stamp::Failed { .. })));
    // ... but by `simple build`, and where Python was what was missing.
    provision(&tree.env, &tree.layout, &Wanted::default()).unwrap();
    assert!(matches!(tree.stamp(), Some(Stamp::Ready { .. })));
    Stamp::failed(&SetupError::NoPython, Selection::default())
        .write(&tree.layout.stamp())
        .unwrap();
    set_up_for_launcher(&tree.env, &tree.layout).unwrap();
    assert!(matches!(tree.stamp(), Some(Stamp::Ready { .. })));
}

#[test]
fn another_libtorch_path_is_a_new_try() {
    let mut tree = Tree::new("build-path");
    tree.env.set("LIBTORCH_PATH", "/nowhere");
    set_up_for_launcher(&tree.env, &tree.layout).unwrap();
    assert!(matches!(
        tree.stamp(),
        Some(Stamp::Failed {
            at_build: false,
            ..
        })
    ));
    let tree = tree.with_libtorch();
    set_up_for_launcher(&tree.env, &tree.layout).unwrap();
    assert!(matches!(tree.stamp(), Some(Stamp::Ready { .. })));
}

#[test]
fn a_broken_build_is_tried_again_when_the_launcher_asks() {
    let tree = Tree::new("build-broken").with_libtorch();
    tree.cargo("exit 101");
    set_up_for_launcher(&tree.env, &tree.layout).unwrap();
    assert!(matches!(
        tree.stamp(),
        Some(Stamp::Failed { at_build: true, .. })
    ));
    tree.cargo("exit 0");
    set_up_for_launcher(&tree.env, &tree.layout).unwrap();
    assert!(matches!(tree.stamp(), Some(Stamp::Ready { .. })));
}

#[test]
fn no_torch_is_remembered_but_keeps_a_library_that_stands() {
    let tree = Tree::new("build-skip").with_libtorch();
    skip_torch(&tree.layout).unwrap();
    set_up_for_launcher(&tree.env, &tree.layout).unwrap();
    assert_eq!((tree.stamp(), tree.calls()), (Some(Stamp::Skipped), 0));
    provision(&tree.env, &tree.layout, &Wanted::default()).unwrap();
    skip_torch(&tree.layout).unwrap();
    assert!(matches!(tree.stamp(), Some(Stamp::Ready { .. })));
}

#[test]
fn cuda_needs_a_libtorch_with_cuda() {
    let tree = Tree::new("build-cuda").with_libtorch();
    let error = provision(&tree.env, &tree.layout, &CUDA).unwrap_err();
    assert!(
        matches!(error, SetupError::NoCudaInLibtorch { .. }),
        "{error}"
    );
    fs::write(tree.scratch.path().join("lt/lib/libtorch_cuda.so"), b"").unwrap();
    provision(&tree.env, &tree.layout, &CUDA).unwrap();
}

#[test]
fn cuda_is_not_taken_from_a_python_without_it_and_the_driver_is_asked() {
    let mut tree = Tree::new("build-cuda-python");
    let torch = tree.scratch.path().join("site/torch");
    fake_libtorch(&torch, TORCH_VERSION);
    let answers = format!(
        "case \"$*\" in *cuDriverGetVersion*) echo 12080;; *) echo {TORCH_VERSION}; echo {};; esac",
        torch.display()
    );
    let bin = tree.scratch.program("python3", &answers);
    tree.env.set("PATH", bin);
    assert_eq!(driver_version(&tree.env), Some(12_080));
    let (found, origin) = find_or_fetch(&tree.env, &Wanted::default()).unwrap();
    assert_eq!((found.root, origin), (torch.clone(), Origin::Python));
    // It would be fetched now, which this machine of the test cannot.
    assert!(find_or_fetch(&tree.env, &CUDA).is_err());
    fs::write(torch.join("lib/libtorch_cuda.so"), b"").unwrap();
    assert!(find_or_fetch(&tree.env, &CUDA).is_ok());
}

#[test]
fn a_release_that_is_named_is_taken_from_the_cache_and_kept_to() {
    let mut tree = Tree::new("build-named");
    let cache = Cache::at(&tree.env.cache_dir().unwrap());
    for release in ["2.13.0", "2.14.1"] {
        let root = cache.torch_root(release);
        fake_libtorch(&root, release);
        let mut contents = List::default();
        let library = "torch/lib/libc10.so";
        let hash = hash::of_file(&root.join("lib/libc10.so"), |_| {}).unwrap();
        contents.add(Path::new(library), hash);
        fs::write(root.with_file_name("CONTENTS"), contents.to_text()).unwrap();
    }
    let named = |name: &str| Wanted {
        release: Some(name.to_owned()),
        cuda: false,
    };
    let build = |tree: &Tree, wanted: Wanted| {
        run_in(
            &Request::Build(Torch::With(wanted)),
            &tree.env,
            &tree.layout,
        )
    };
    let used = |tree: &Tree| match tree.stamp() {
        Some(Stamp::Ready { version, .. }) => version,
        other => panic!("{other:?}"),
    };
    build(&tree, Wanted::default()).unwrap();
    assert_eq!(used(&tree), "2.14.1");
    build(&tree, named("2.13")).unwrap();
    assert_eq!(used(&tree), "2.13.0");
    // Starts keep to it, also after the sources changed; the next build does not.
    tree.change_sources();
    set_up_for_launcher(&tree.env, &tree.layout).unwrap();
    assert_eq!(used(&tree), "2.13.0");
    build(&tree, Wanted::default()).unwrap();
    assert_eq!(used(&tree), "2.14.1");
    // What cannot be had is said before anything is built.
    let calls = tree.calls();
    let refused = build(&tree, named("2.16")).unwrap_err().to_string();
    assert!(
        refused.contains("--torch 2.16: Simple fetches libtorch 2.15.0, 2.14.1"),
        "{refused}"
    );
    tree.env.set("LIBTORCH_PATH", cache.torch_root("2.13.0"));
    let refused = build(&tree, named("2.14")).unwrap_err().to_string();
    assert!(refused.contains("unset LIBTORCH_PATH"), "{refused}");
    assert_eq!(tree.calls(), calls);
}

#[test]
fn who_asks_for_cuda_on_a_machine_with_a_driver_is_told_what_it_needs() {
    let mut tree = Tree::new("build-hint");
    let cache = Cache::at(&tree.env.cache_dir().unwrap());
    let root = cache.torch_root("2.15.0");
    fake_libtorch(&root, "2.15.0");
    let libtorch = find::inspect(&root).unwrap();
    let folder = tree.scratch.path().to_owned();
    let hint = |tree: &Tree, origin| cuda_hint(&tree.env, &folder, &libtorch, origin);
    fs::write(
        folder.join("dl.config.sdn"),
        "dl:\n    device: \"cuda:1\"\n",
    )
    .unwrap();
    // No driver.
    let bin = tree.scratch.program("python3", "exit 1");
    tree.env.set("PATH", bin);
    assert_eq!(hint(&tree, Origin::Cache), None);
    tree.scratch.program("python3", "echo 13020");
    let said = hint(&tree, Origin::Cache).unwrap();
    let size = cache.size_of_cuda("2.15.0").unwrap();
    assert!(
        said.contains("`bin/simple build --cuda`") && said.contains(&size),
        "{said}"
    );
    // Whoever brings a libtorch brings what it needs.
    assert_eq!(hint(&tree, Origin::Python), None);
    fs::write(root.with_file_name("cuda.complete"), "").unwrap();
    assert_eq!(hint(&tree, Origin::Cache), None);
    fs::remove_file(root.with_file_name("cuda.complete")).unwrap();
    tree.env.set("SIMPLE_DL_DEVICE", "cpu");
    assert_eq!(hint(&tree, Origin::Cache), None);
    assert!(!Wanted::of(&tree.env).cuda);
    tree.env.set("SIMPLE_CUDA", "1");
    assert!(Wanted::of(&tree.env).cuda);
}

#[test]
fn a_library_that_stands_survives_a_failed_search_but_not_a_broken_build() {
    let tree = Tree::new("build-keep").with_libtorch();
    provision(&tree.env, &tree.layout, &Wanted::default()).unwrap();
    let mut wrong = tree.env.clone();
    wrong.set("LIBTORCH_PATH", "/nowhere");
    provision(&wrong, &tree.layout, &Wanted::default()).unwrap_err();
    provision(&tree.env, &tree.layout, &CUDA).unwrap_err();
    assert!(matches!(tree.stamp(), Some(Stamp::Ready { .. })));
    tree.cargo("exit 101");
    tree.change_sources();
    provision(&tree.env, &tree.layout, &Wanted::default()).unwrap_err();
    assert!(matches!(
        tree.stamp(),
        Some(Stamp::Failed { at_build: true, .. })
    ));
}

#[test]
fn no_setup_forbids_building_even_when_asked() {
    let mut tree = Tree::new("build-forbidden").with_libtorch();
    tree.env.set("SIMPLE_NO_SETUP", "1");
    let request = Request::Build(Torch::With(Wanted::default()));
    assert!(matches!(
        run_in(&request, &tree.env, &tree.layout),
        Err(SetupError::Forbidden)
    ));
    assert_eq!((tree.calls(), tree.stamp()), (0, None));
    tree.env.set("SIMPLE_NO_SETUP", "0");
    run_in(&request, &tree.env, &tree.layout).unwrap();
    assert_eq!(tree.calls(), 2);
}

#[test]
fn a_damaged_torch_library_is_built_again() {
    let tree = Tree::new("build-damaged").with_libtorch();
    provision(&tree.env, &tree.layout, &Wanted::default()).unwrap();
    let library = tree.layout.torch_library(TORCH_VERSION);
    let of_cargo = tree.layout.torch_library_of_cargo();
    fs::create_dir_all(of_cargo.parent().unwrap()).unwrap();
    fs::write(&of_cargo, "may be damaged too").unwrap();
    set_up_for_launcher(&tree.env, &tree.layout).unwrap();
    assert!(of_cargo.exists());
    fs::write(&library, "damaged").unwrap();
    set_up_for_launcher(&tree.env, &tree.layout).unwrap();
    assert!(!of_cargo.exists() && fs::read(&library).unwrap().is_empty());
}

#[test]
fn changing_between_two_releases_builds_each_once() {
    let mut tree = Tree::new("build-two").with_libtorch();
    let newer = tree.scratch.path().join("newer");
    fake_libtorch(&newer, "2.14.1");
    let older = tree.env.get("LIBTORCH_PATH").unwrap().to_owned();
    for (path, version, calls) in [
        (older.clone(), TORCH_VERSION, 1),
        (newer.clone().into(), "2.14.1", 2),
        (older.clone(), TORCH_VERSION, 2),
        (newer.clone().into(), "2.14.1", 2),
    ] {
        tree.env.set("LIBTORCH_PATH", path);
        set_up_for_launcher(&tree.env, &tree.layout).unwrap();
        assert!(
            matches!(tree.stamp(), Some(Stamp::Ready { version: of, .. }) if of == version),
            "{:?}",
            tree.stamp()
        );
        assert_eq!(tree.calls(), calls);
        assert!(tree.layout.torch_library(version).is_file());
    }
    // Sources changed: each is built again when it is wanted.
    tree.change_sources();
    for (path, calls) in [(newer.into(), 3), (older, 4)] {
        tree.env.set("LIBTORCH_PATH", path);
        set_up_for_launcher(&tree.env, &tree.layout).unwrap();
        assert_eq!(tree.calls(), calls);
    }
}

#[test]
fn a_first_start_builds_the_torch_library_with_the_compiler() {
    let tree = Tree::new("first-both").with_libtorch();
    first_start_in(&tree.env, &tree.layout).unwrap();
    let built = tree.built();
    assert_eq!(built.len(), 2, "{built:?}");
    assert!(
        built[0].ends_with("-p simple-codegen -p simple-bridge -p simple-setup"),
        "{built:?}"
    );
    assert!(
        built[1].ends_with("-p simple-cli -p simple-library -p simple-torch-library"),
        "{built:?}"
    );
    assert!(matches!(tree.stamp(), Some(Stamp::Ready { .. })));
}

#[test]
fn a_first_start_ends_with_a_compiler_where_the_torch_library_cannot_be_built() {
    let tree = Tree::new("first-alone").with_libtorch();
    tree.cargo("case \"$*\" in *torch*) exit 101 ;; esac");
    first_start_in(&tree.env, &tree.layout).unwrap();
    let built = tree.built();
    assert_eq!(built.len(), 3, "{built:?}");
    assert!(
        built[2].ends_with("-p simple-cli -p simple-library"),
        "{built:?}"
    );
    // What is wrong is said and written down by the step after this one.
    assert!(tree.stamp().is_none());
    let tree = Tree::new("first-none");
    tree.scratch.program("python3", "exit 1");
    first_start_in(&tree.env, &tree.layout).unwrap();
    assert!(tree.built()[1].ends_with("-p simple-cli -p simple-library"));
    assert!(matches!(tree.stamp(), Some(Stamp::Failed { .. })));
}
