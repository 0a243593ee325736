//! Tests of the cache with a `python3` that copies small wheels instead of fetching large ones.

use super::super::env::test_support::{Scratch, fake_libtorch};
use super::super::unpack::test_support::make_wheel;
use super::super::wheels::Pin;
use super::*;
use std::os::unix::fs::PermissionsExt;

/// What the index serves.
const RELEASE: &str = "2.11.0";
const VERSION_HEADER: &[u8] = b"#define TORCH_VERSION \"2.11.0\"\n";

/// An index of small wheels and a `python3` that serves them: each request copies the wheel of that name.
struct Index {
    scratch: Scratch,
    env: Env,
}

impl Index {
    fn new(name: &str) -> Self {
        let scratch = Scratch::new(name);
        let index = scratch.path().join("index");
        fs::create_dir_all(&index).unwrap();
        let body = format!(
            r#"[ "$4" = --version ] && exit 0
while [ $# -gt 0 ]; do
    case $1 in
        --dest) dest=$2; shift ;;
        --requirement) wanted=$2; shift ;;
    esac
    shift
done
while read -r spec hashes; do
    cp "{}/$(echo "${{spec%%==*}}" | tr - _)"-*.whl "$dest" || exit 1; echo "$spec" >>"{}"
done <"$wanted""#,
            index.display(),
            scratch.path().join("asked").display()
        );
        let bin = scratch.program("python3", &body);
        let mut env = Env::empty();
        env.set("PATH", format!("{}:/usr/bin:/bin", bin.display()));
        let this = Self { scratch, env };
        this.serve_torch(&[]);
        this.wheel(
            "nvidia_cuda_runtime-13.0.96",
            "",
            &[
                ("nvidia/cu13/lib/libcudart.so.13", b"rt"),
                ("nvidia/cu13/lib/x.a", b"a"),
            ],
        );
        this.wheel(
            "nvidia_cuda_cupti-13.0.85",
            "",
            &[("nvidia/cu13/lib/libcupti.so.13", b"cupti")],
        );
        this
    }

    fn serve_torch(&self, lies: &[&str]) {
        let files: [(&str, &[u8]); 7] = [
            ("torch/lib/libtorch_cpu.so", b"cpu"),
            ("torch/lib/libc10.so", b"c10"),
            ("torch/lib/libtorch_python.so", b"python"),
            ("torch/lib/libshm/libshm.h", b"shm"),
            (
                "torch/include/torch/csrc/api/include/torch/version.h",
                VERSION_HEADER,
            ),
            ("torch/__init__.py", b"import everything"),
            ("torchgen/gen.py", b""),
        ];
        let path = self.scratch.path().join("index/torch-2.11.0.whl");
        make_wheel(&path, "torch-2.11.0", "", &files, lies);
    }

    fn wheel(&self, dist: &str, metadata: &str, files: &[(&str, &[u8])]) {
        let path = self.scratch.path().join(format!("index/{dist}.whl"));
        make_wheel(&path, dist, metadata, files, &[]);
    }

    /// A cache that expects what the index serves now.
    fn cache(&self) -> Cache {
        let cpu = [
            ("torch", "2.11.0"),
            ("nvidia-cuda-runtime", "13.0.96"),
            ("nvidia-cuda-cupti", "13.0.85"),
        ];
        let cuda = [
            ("nvidia-nccl-cu13", "2.28.9"),
            ("nvidia-cublas", "13.1.0.3"),
        ];
        let pins = Pins {
            release: RELEASE,
            cpu: cpu.iter().map(|which| self.pin(*which)).collect(),
            cuda: cuda.iter().map(|which| self.pin(*which)).collect(),
        };
        Cache {
            dir: self.scratch.path().join("cache"),
            pins: vec![pins],
        }
    }

    fn pin(&self, (project, version): (&'static str, &'static str)) -> Pin {
        let file = format!("index/{}-{version}.whl", project.replace('-', "_"));
        let hash = hash::of_file(&self.scratch.path().join(file), |_| {});
        let hash = &*hash.unwrap_or_else(|_| "0".repeat(64)).leak();
        Pin {
            project,
            version,
            bytes: 1_000,
            sha256: vec![hash],
        }
    }

    fn asked(&self) -> String {
        fs::read_to_string(self.scratch.path().join("asked")).unwrap_or_default()
    }
}

fn leftovers(cache: &Cache) -> Vec<String> {
    let names = fs::read_dir(&cache.dir)
        .unwrap()
        .flatten()
        .map(|entry| entry.file_name().into_string().unwrap());
    names
        .filter(|name| name.starts_with(LEFTOVER_PREFIX))
        .collect()
}

#[test]
fn a_fetch_leaves_a_whole_libtorch_and_nothing_else() {
    let index = Index::new("cache-fetch");
    let cache = index.cache();
    let libtorch = cache.fetch(&index.env, RELEASE).unwrap();
    assert_eq!(libtorch.root, cache.torch_root(RELEASE));
    let home = cache.home(RELEASE);
    for there in [
        "torch/lib/libtorch_cpu.so",
        "nvidia/cu13/lib/libcudart.so.13",
        "nvidia/cu13/lib/libcupti.so.13",
        "CONTENTS",
    ] {
        assert!(home.join(there).is_file(), "{there}");
    }
    for absent in [
        "torch/lib/libtorch_python.so",
        "torch/lib/libshm",
        "torch/__init__.py",
        "torchgen",
        "nvidia/cu13/lib/x.a",
    ] {
        assert!(!home.join(absent).exists(), "{absent}");
    }
    assert_eq!(leftovers(&cache), Vec::<String>::new());
    // A second fetch finds it and asks for nothing.
    let asked = index.asked();
    cache.fetch(&index.env, RELEASE).unwrap();
    assert_eq!(index.asked(), asked);
}

#[test]
fn a_damaged_download_leaves_nothing_and_the_next_fetch_succeeds() {
    let index = Index::new("cache-damaged");
    index.serve_torch(&["torch/lib/libtorch_cpu.so"]);
    let cache = index.cache();
    let error = cache.fetch(&index.env, RELEASE).unwrap_err();
    assert!(matches!(error, SetupError::Damaged { .. }), "{error}");
    assert!(!cache.home(RELEASE).exists());
    assert_eq!(leftovers(&cache), Vec::<String>::new());
    index.serve_torch(&[]);
    index.cache().fetch(&index.env, RELEASE).unwrap();
}

#[test]
fn another_wheel_than_the_pinned_one_is_not_opened() {
    let index = Index::new("cache-planted");
    let cache = index.cache();
    // Consistent in itself, and a file that is not a wheel at all: neither is looked into.
    let path = index.scratch.path().join("index/torch-2.11.0.whl");
    make_wheel(
        &path,
        "torch-2.11.0",
        "",
        &[("torch/lib/libc10.so", b"planted")],
        &[],
    );
    for _ in 0..2 {
        let error = cache.fetch(&index.env, RELEASE).unwrap_err().to_string();
        assert!(
            error.contains("torch-2.11.0.whl is not the one") && error.contains("not opened"),
            "{error}"
        );
        assert!(!cache.home(RELEASE).exists());
        assert_eq!(leftovers(&cache), Vec::<String>::new());
        fs::write(&path, "no zip").unwrap();
    }
}

#[test]
fn what_was_changed_in_the_cache_is_found_before_it_is_used() {
    let index = Index::new("cache-changed");
    let cache = index.cache();
    let libtorch = cache.fetch(&index.env, RELEASE).unwrap();
    cache.verify(&libtorch).unwrap();
    let library = cache.torch_root(RELEASE).join("lib/libtorch_cpu.so");
    let refusal = || cache.verify(&libtorch).unwrap_err().to_string();
    // Of the same length, and with its old times.
    let times = fs::metadata(&library).unwrap().modified().unwrap();
    fs::write(&library, b"CPU").unwrap();
    File::options()
        .write(true)
        .open(&library)
        .unwrap()
        .set_modified(times)
        .unwrap();
    let said = refusal();
    assert!(
        said.contains("is not as it was fetched") && said.contains("cure: remove"),
        "{said}"
    );
    fs::write(&library, b"cpu").unwrap();
    cache.verify(&libtorch).unwrap();
    let set_mode = |mode| fs::set_permissions(&library, PermissionsExt::from_mode(mode)).unwrap();
    set_mode(0o646);
    assert!(refusal().contains("every user"), "{}", refusal());
    set_mode(0o644);
    fs::remove_file(&library).unwrap();
    assert!(refusal().contains("is gone"), "{}", refusal());
    std::os::unix::fs::symlink("libc10.so", &library).unwrap();
    assert!(refusal().contains("is not a file"), "{}", refusal());
    fs::remove_file(&library).unwrap();
    fs::write(&library, b"cpu").unwrap();
    fs::write(cache.contents(RELEASE), "nothing\n").unwrap();
    assert!(
        refusal().contains("CONTENTS cannot be read"),
        "{}",
        refusal()
    );
    // Without the list it counts as not there, and is fetched again.
    fs::remove_file(cache.contents(RELEASE)).unwrap();
    assert_eq!(cache.installed().unwrap(), None);
    cache.fetch(&index.env, RELEASE).unwrap();
    cache.verify(&libtorch).unwrap();
    // A libtorch of somebody else's is not looked at.
    let other = Libtorch {
        root: "/nowhere".into(),
        version: RELEASE.into(),
    };
    cache.verify(&other).unwrap();
}

#[test]
fn a_cache_that_others_can_write_is_refused() {
    let index = Index::new("cache-others");
    let cache = index.cache();
    let set_mode = |path: &Path, mode| {
        fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
    };
    fs::create_dir_all(&cache.dir).unwrap();
    set_mode(&cache.dir, 0o777);
    let error = cache.fetch(&index.env, RELEASE).unwrap_err().to_string();
    assert!(
        error.contains("is not safe to use")
            && error.contains("written by every user")
            && error.contains("XDG_CACHE_HOME"),
        "{error}"
    );
    assert_eq!(
        (
            index.asked().as_str(),
            fs::read_dir(&cache.dir).unwrap().count()
        ),
        ("", 0)
    );
    set_mode(&cache.dir, 0o755);
    let libtorch = cache.fetch(&index.env, RELEASE).unwrap();
    for inside in ["", "torch", "torch/lib", "torch/lib/libtorch_cpu.so"] {
        let path = cache.home(RELEASE).join(inside);
        set_mode(&path, 0o777);
        assert!(cache.installed().is_err(), "{inside}");
        assert!(cache.fetch(&index.env, RELEASE).is_err(), "{inside}");
        assert!(cache.verify(&libtorch).is_err(), "{inside}");
        set_mode(&path, 0o755);
    }
    assert!(cache.installed().unwrap().is_some());
    if nix::unistd::geteuid().is_root() {
        std::os::unix::fs::chown(&cache.dir, Some(12_345), None).unwrap();
        let error = cache.installed().unwrap_err().to_string();
        assert!(error.contains("belongs to user 12345"), "{error}");
    }
    // One that is made here belongs to the user alone.
    let fresh = Cache {
        dir: index.scratch.path().join("fresh/simple"),
        ..cache
    };
    fresh.fetch(&index.env, RELEASE).unwrap();
    assert_eq!(
        fs::metadata(&fresh.dir).unwrap().permissions().mode() & 0o777,
        0o700
    );
}

#[test]
fn of_several_the_newest_counts_and_one_with_cuda_before_it() {
    let scratch = Scratch::new("cache-several");
    let cache = Cache::at(scratch.path());
    let version = |cache: &Cache| Some(cache.installed().unwrap()?.version);
    assert_eq!(version(&cache), None);
    // Not finished, not of a release that was tried, or under the name of another.
    fake_libtorch(&cache.torch_root("2.14.1"), "2.14.1");
    for (folder, holds) in [
        ("2.16.0", "2.16.0"),
        ("2.10.0", "2.10.0"),
        ("2.15.0", "2.11.0"),
    ] {
        fake_libtorch(&cache.torch_root(folder), holds);
        fs::write(cache.contents(folder), "").unwrap();
    }
    assert_eq!(version(&cache), None);
    for (release, counts) in [
        ("2.9.0", None),
        ("2.11.0", Some("2.11.0")),
        ("2.13.0", Some("2.13.0")),
        ("2.12.1", Some("2.13.0")),
    ] {
        fake_libtorch(&cache.torch_root(release), release);
        fs::write(cache.contents(release), "").unwrap();
        assert_eq!(version(&cache).as_deref(), counts, "{release}");
    }
    fs::write(cache.cuda_complete("2.11.0"), "").unwrap();
    assert_eq!(version(&cache).as_deref(), Some("2.11.0"));
    let found = cache.installed().unwrap().unwrap();
    assert!(cache.holds(&found));
    assert!(!Cache::at(&scratch.path().join("other")).holds(&found));
}

#[test]
fn a_pipe_in_the_place_of_the_lock_is_an_error() {
    let scratch = Scratch::new("cache-pipe");
    let path = scratch.path().join("lock");
    nix::unistd::mkfifo(&path, nix::sys::stat::Mode::S_IRWXU).unwrap();
    assert!(lock(&path, "download").is_err());
}

#[test]
fn what_an_interrupted_fetch_left_is_removed() {
    let index = Index::new("cache-leftover");
    let cache = index.cache();
    fs::create_dir_all(cache.dir.join(".fetching-1/tree/torch/lib")).unwrap();
    // A folder of the final name that is not a libtorch, as an older program could have left.
    fs::create_dir_all(cache.home(RELEASE).join("torch")).unwrap();
    cache.fetch(&index.env, RELEASE).unwrap();
    assert_eq!(leftovers(&cache), Vec::<String>::new());
    assert!(cache.installed().unwrap().is_some());
}

#[test]
fn two_fetches_at_once_download_once() {
    let index = Index::new("cache-both");
    let cache = index.cache();
    std::thread::scope(|scope| {
        let fetches =
            [(); 2].map(|()| scope.spawn(|| cache.fetch(&index.env, RELEASE).map(|_| ())));
        for fetch in fetches {
            fetch.join().unwrap().unwrap();
        }
    });
    assert_eq!(index.asked().matches("torch==2.11.0").count(), 1);
}

#[test]
fn cuda_fetches_the_pinned_wheels_once() {
    let index = Index::new("cache-cuda");
    let nccl: (&str, &[u8]) = ("nvidia/nccl/lib/libnccl.so.2", b"nccl");
    index.wheel("nvidia_nccl_cu13-2.28.9", "", &[nccl]);
    let cache = index.cache();
    let libtorch = cache.fetch(&index.env, RELEASE).unwrap();
    // One wheel is missing in the index: what came stays, but CUDA does not count as there.
    assert!(cache.fetch_cuda(&index.env, RELEASE).is_err());
    assert!(!cache.home(RELEASE).join("cuda.complete").exists());
    let cublas: (&str, &[u8]) = ("nvidia/cu13/lib/libcublas.so.13", b"cublas");
    index.wheel("nvidia_cublas-13.1.0.3", "", &[cublas]);
    let cache = index.cache();
    cache.fetch_cuda(&index.env, RELEASE).unwrap();
    for there in [
        "nccl/lib/libnccl.so.2",
        "cu13/lib/libcublas.so.13",
        "cu13/lib/libcudart.so.13",
    ] {
        assert!(
            cache.home(RELEASE).join("nvidia").join(there).is_file(),
            "{there}"
        );
    }
    let asked = index.asked();
    assert!(asked.contains("nvidia-cublas==13.1.0.3"), "{asked}");
    cache.fetch_cuda(&index.env, RELEASE).unwrap();
    assert_eq!(index.asked(), asked);
    // What CUDA brought is compared too.
    cache.verify(&libtorch).unwrap();
    fs::write(
        cache.home(RELEASE).join("nvidia/nccl/lib/libnccl.so.2"),
        "NCCL",
    )
    .unwrap();
    assert!(cache.verify(&libtorch).is_err());
}

#[test]
fn too_little_space_is_said_before_the_download() {
    let index = Index::new("cache-space");
    index
        .scratch
        .program("df", "echo Filesystem; echo '/dev/x 100 90 1000000 9% /'");
    let error = index
        .cache()
        .fetch(&index.env, RELEASE)
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("2300 MB are needed for a while, 1024 MB are free"),
        "{error}"
    );
    assert_eq!(index.asked(), "");
    assert_eq!(free_mb("nonsense"), None);
}

#[test]
fn a_cache_that_cannot_be_made_is_said() {
    // Root may make a folder anywhere but below a file.
    let scratch = Scratch::new("cache-nowhere");
    fs::write(scratch.path().join("file"), "").unwrap();
    let error = Cache::at(&scratch.path().join("file/cache"))
        .fetch(&Env::empty(), RELEASE)
        .unwrap_err()
        .to_string();
    assert!(error.starts_with("cannot create "), "{error}");
}
