//! Tests of the cache with a `python3` that copies small wheels instead of fetching large ones.

use super::super::env::test_support::Scratch;
use super::super::unpack::test_support::make_wheel;
use super::*;

const VERSION_HEADER: &[u8] = b"#define TORCH_VERSION \"2.11.0\"\n";
const METADATA: &str = "\
Name: torch
Requires-Dist: cuda-toolkit[cublas]==13.0.2; platform_system == \"Linux\"
Requires-Dist: nvidia-nccl-cu13==2.28.9; platform_system == \"Linux\"
";
const TOOLKIT: &str =
    "Requires-Dist: nvidia-cublas==13.1.0.3.*; (sys_platform == 'linux') and extra == 'cublas'\n";

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
            r#"[ "$3" = --version ] && exit 0
while [ $# -gt 0 ]; do
    case $1 in
        --dest) dest=$2; shift ;;
        *==*) cp "{}/$(echo "${{1%%==*}}" | tr - _)"-*.whl "$dest" || exit 1; echo "$1" >>"{}" ;;
    esac
    shift
done"#,
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
        make_wheel(&path, "torch-2.11.0", METADATA, &files, lies);
    }

    fn wheel(&self, dist: &str, metadata: &str, files: &[(&str, &[u8])]) {
        let path = self.scratch.path().join(format!("index/{dist}.whl"));
        make_wheel(&path, dist, metadata, files, &[]);
    }

    fn cache(&self) -> Cache {
        Cache::at(&self.scratch.path().join("cache"))
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
    let libtorch = cache.fetch(&index.env).unwrap();
    assert_eq!(libtorch.root, cache.torch_root());
    let home = cache.home();
    for there in [
        "torch/lib/libtorch_cpu.so",
        "nvidia/cu13/lib/libcudart.so.13",
        "nvidia/cu13/lib/libcupti.so.13",
        "METADATA",
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
    cache.fetch(&index.env).unwrap();
    assert_eq!(index.asked(), asked);
}

#[test]
fn a_damaged_download_leaves_nothing_and_the_next_fetch_succeeds() {
    let index = Index::new("cache-damaged");
    let cache = index.cache();
    index.serve_torch(&["torch/lib/libtorch_cpu.so"]);
    let error = cache.fetch(&index.env).unwrap_err();
    assert!(matches!(error, SetupError::Damaged { .. }), "{error}");
    assert!(!cache.home().exists());
    assert_eq!(leftovers(&cache), Vec::<String>::new());
    index.serve_torch(&[]);
    cache.fetch(&index.env).unwrap();
}

#[test]
fn what_an_interrupted_fetch_left_is_removed() {
    let index = Index::new("cache-leftover");
    let cache = index.cache();
    fs::create_dir_all(cache.dir.join(".fetching-1/tree/torch/lib")).unwrap();
    // A folder of the final name that is no libtorch, as an older program could have left.
    fs::create_dir_all(cache.home().join("torch")).unwrap();
    cache.fetch(&index.env).unwrap();
    assert_eq!(leftovers(&cache), Vec::<String>::new());
    assert!(cache.installed().is_some());
}

#[test]
fn two_fetches_at_once_download_once() {
    let index = Index::new("cache-both");
    let cache = index.cache();
    std::thread::scope(|scope| {
        let fetches = [(); 2].map(|()| scope.spawn(|| cache.fetch(&index.env).map(|_| ())));
        for fetch in fetches {
            fetch.join().unwrap().unwrap();
        }
    });
    assert_eq!(index.asked().matches("torch==2.11.0").count(), 1);
}

#[test]
fn cuda_fetches_the_pinned_wheels_once() {
    let index = Index::new("cache-cuda");
    let cache = index.cache();
    index.wheel("cuda_toolkit-13.0.2", TOOLKIT, &[]);
    index.wheel(
        "nvidia_nccl_cu13-2.28.9",
        "",
        &[("nvidia/nccl/lib/libnccl.so.2", b"nccl")],
    );
    cache.fetch(&index.env).unwrap();
    // One wheel is missing in the index: what came stays, but CUDA does not count as there.
    let mut env = index.env.clone();
    env.set(
        "PATH",
        format!(
            "{}:/usr/bin:/bin",
            index.scratch.path().join("bin").display()
        ),
    );
    assert!(cache.fetch_cuda(&env).is_err());
    assert!(!cache.home().join("cuda.complete").exists());
    index.wheel(
        "nvidia_cublas-13.1.0.3",
        "",
        &[("nvidia/cu13/lib/libcublas.so.13", b"cublas")],
    );
    cache.fetch_cuda(&env).unwrap();
    for there in [
        "nccl/lib/libnccl.so.2",
        "cu13/lib/libcublas.so.13",
        "cu13/lib/libcudart.so.13",
    ] {
        assert!(cache.home().join("nvidia").join(there).is_file(), "{there}");
    }
    let asked = index.asked();
    assert!(
        asked.contains("nvidia-cublas==13.1.0.3.*") && asked.contains("cuda-toolkit==13.0.2"),
        "{asked}"
    );
    cache.fetch_cuda(&env).unwrap();
    assert_eq!(index.asked(), asked);
}

#[test]
fn too_little_space_is_said_before_the_download() {
    let index = Index::new("cache-space");
    index
        .scratch
        .program("df", "echo Filesystem; echo '/dev/x 100 90 1000000 9% /'");
    let error = index.cache().fetch(&index.env).unwrap_err().to_string();
    assert!(
        error.contains("2300 MB are needed for a while, 1024 MB are free"),
        "{error}"
    );
    assert_eq!(index.asked(), "");
    assert_eq!(free_mb("nonsense"), None);
}

#[test]
fn a_cache_that_cannot_be_made_is_said() {
    let error = Cache::at(Path::new("/dev/null/cache"))
        .fetch(&Env::empty())
        .unwrap_err()
        .to_string();
    assert!(
        error.starts_with("cannot create /dev/null/cache"),
        "{error}"
    );
}
