//! Tests of `replace.rs`: what others see of a file that is written, and what is left when any step of it fails.

use super::*;
use crate::faults;
use std::cell::Cell;
use std::os::unix::fs::symlink;
use std::time::SystemTime;
use tempfile::TempDir;

thread_local! {
    /// Parts have names, as where the file system knows no others.
    pub(super) static ONLY_NAMED: Cell<bool> = const { Cell::new(false) };
}

/// Both kinds of part: without a name and with one.
fn both_ways(test: impl Fn()) {
    for named in [false, true] {
        ONLY_NAMED.set(named);
        test();
    }
    ONLY_NAMED.set(false);
}

fn folder() -> TempDir {
    tempfile::tempdir().expect("a folder")
}

fn names(folder: &TempDir) -> Vec<String> {
    let entries = fs::read_dir(folder.path()).expect("its entries");
    let mut names: Vec<String> = entries
        .map(|entry| {
            entry
                .expect("an entry")
                .file_name()
                .into_string()
                .expect("UTF-8")
        })
        .collect();
    names.sort();
    names
}

fn save(path: &Path, content: &[u8]) -> Result<(), Failed<io::Error>> {
    replace(path, Sync::Always, |out| out.write_all(content))
}

fn mode_of(path: &Path) -> u32 {
    fs::metadata(path).expect("its mode").mode() & 0o7777
}

#[test]
fn a_file_keeps_its_mode_and_a_new_one_gets_what_the_umask_leaves() {
    both_ways(|| {
        let folder = folder();
        let (new, usual) = (folder.path().join("new"), folder.path().join("usual"));
        fs::File::create(&usual).unwrap();
        save(&new, b"1").unwrap();
        assert_eq!(mode_of(&new), mode_of(&usual));
        for mode in [0o600, 0o640, 0o755, 0o666] {
            fs::set_permissions(&new, Permissions::from_mode(mode)).unwrap();
            save(&new, b"2").unwrap();
            assert_eq!(mode_of(&new), mode);
        }
        assert_eq!(names(&folder), ["new", "usual"]);
    });
}

#[test]
fn a_link_is_followed_also_to_where_nothing_is_yet() {
    both_ways(|| {
        let folder = folder();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("deep")).unwrap();
        fs::write(at("deep/file"), "old").unwrap();
        symlink("deep/file", at("link")).unwrap();
        symlink("link", at("link to link")).unwrap();
        symlink("deep/later", at("dangling")).unwrap();
        save(&at("link to link"), b"new").unwrap();
        save(&at("dangling"), b"first").unwrap();
        assert_eq!(fs::read(at("deep/file")).unwrap(), b"new");
        assert_eq!(fs::read(at("deep/later")).unwrap(), b"first");
        assert!(at("link").is_symlink() && at("dangling").is_symlink());
        symlink("b", at("a")).unwrap();
        symlink("a", at("b")).unwrap();
        assert!(save(&at("a"), b"").is_err());
    });
}

#[test]
fn what_is_no_file_is_not_replaced() {
    let folder = folder();
    for path in [
        folder.path(),
        Path::new("/dev/null"),
        Path::new("/dev/stdout"),
        Path::new("a/"),
    ] {
        let Err(Failed::File(error)) = save(path, b"x") else {
            panic!("{} was replaced", path.display());
        };
        let said = crate::in_words(&error);
        let kinds = ["it is a ", "it is a folder"];
        assert!(kinds.iter().any(|kind| said.starts_with(kind)), "{said}");
    }
    let Err(Failed::File(error)) = save(&folder.path().join("no/such"), b"x") else {
        panic!("there is no such folder");
    };
    assert_eq!(error.to_string(), "its folder does not exist");
    write(Path::new("/dev/null"), b"gone").unwrap();
}

#[test]
fn a_stream_that_is_a_file_holds_what_was_written_last_and_no_more() {
    use std::os::fd::AsRawFd;
    let folder = folder();
    let path = folder.path().join("file");
    fs::write(&path, "longer than the rest").unwrap();
    let open = OpenOptions::new().write(true).open(&path).unwrap();
    let stream = format!("/dev/fd/{}", open.as_raw_fd());
    write(Path::new(&stream), b"short").unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"short");
}

#[test]
fn each_step_may_fail() {
    both_ways(|| {
        for old in [None, Some(b"old".as_slice())] {
            let folder = folder();
            let path = folder.path().join("kept");
            if let Some(old) = old {
                fs::write(&path, old).unwrap();
                fs::set_permissions(&path, Permissions::from_mode(0o640)).unwrap();
            }
            // More than the buffer, so that some is written before the end and some at it.
            let content = vec![7; 100_000];
            let steps = faults::count(|| save(&folder.path().join("counted"), &content).unwrap());
            fs::remove_file(folder.path().join("counted")).unwrap();
            assert!(steps >= 5, "only {steps} steps");
            for n in 0..steps {
                assert!(
                    faults::fail_at(n, || save(&path, &content)).is_err(),
                    "step {n}"
                );
                assert_eq!(fs::read(&path).ok().as_deref(), old, "step {n}");
                assert_eq!(names(&folder).len(), usize::from(old.is_some()), "step {n}");
            }
            save(&path, &content).unwrap();
            assert_eq!(fs::read(&path).unwrap(), content);
        }
    });
}

#[test]
fn content_that_only_the_last_flush_writes_is_not_lost_in_silence() {
    let folder = folder();
    let path = folder.path().join("small");
    fs::write(&path, "old").unwrap();
    let outcome = replace(&path, Sync::Always, |out| {
        out.write_all(b"new")?;
        assert_eq!(out.buffer(), b"new", "it is in the buffer until the end");
        Ok::<(), io::Error>(())
    });
    assert!(outcome.is_ok());
    let steps = faults::count(|| save(&path, b"newer").unwrap());
    let failures = (0..steps).filter(|&n| faults::fail_at(n, || save(&path, b"lost")).is_err());
    assert_eq!(failures.count(), steps);
    assert_eq!(fs::read(&path).unwrap(), b"newer");
}

#[test]
fn the_reason_of_the_content_is_handed_on() {
    let folder = folder();
    let path = folder.path().join("kept");
    fs::write(&path, "old").unwrap();
    let failed = replace(&path, Sync::Always, |out| {
        out.write_all(b"half").map_err(|_| "io")?;
        Err("no more")
    });
    assert!(matches!(failed, Err(Failed::Content("no more"))));
    assert_eq!(fs::read(&path).unwrap(), b"old");
    assert_eq!(names(&folder), ["kept"]);
}

#[test]
fn parts_are_removed_when_nobody_has_written_them_for_long() {
    let folder = folder();
    let plant = |name: &str, age: Duration| {
        let file = fs::File::create(folder.path().join(name)).unwrap();
        file.set_modified(SystemTime::now() - age).unwrap();
    };
    let day = Duration::from_secs(24 * 60 * 60);
    plant(".simple-0123456789abcdef", 2 * day);
    plant(".simple-0123456789abcdee", day / 2);
    plant(".simple-mine", 9 * day);
    plant("a.ckpt.1234.part", 9 * day);
    ONLY_NAMED.set(true);
    save(&folder.path().join("new"), b"1").unwrap();
    ONLY_NAMED.set(false);
    let left = [
        ".simple-0123456789abcdee",
        ".simple-mine",
        "a.ckpt.1234.part",
        "new",
    ];
    assert_eq!(names(&folder), left);
}

#[test]
fn many_writers_leave_whole_files() {
    both_ways(|| {
        let folder = folder();
        let path = folder.path().join("shared");
        save(&path, &[0; 5000]).unwrap();
        let named = ONLY_NAMED.get();
        std::thread::scope(|scope| {
            for writer in 1..=4 {
                let path = &path;
                scope.spawn(move || {
                    ONLY_NAMED.set(named);
                    for round in 0..25 {
                        save(path, &vec![writer; 5000 + round]).unwrap();
                    }
                });
            }
            for _ in 0..200 {
                let seen = fs::read(&path).unwrap();
                assert!(seen.len() >= 5000 && seen.iter().all(|byte| *byte == seen[0]));
            }
        });
        assert_eq!(names(&folder), ["shared"]);
    });
}

#[test]
fn a_file_that_may_not_be_written_is_not_replaced() {
    if rustix::process::geteuid().is_root() {
        return;
    }
    let folder = folder();
    let path = folder.path().join("kept");
    fs::write(&path, "old").unwrap();
    fs::set_permissions(&path, Permissions::from_mode(0o444)).unwrap();
    assert!(save(&path, b"new").is_err());
    assert_eq!(fs::read(&path).unwrap(), b"old");
    // A folder that takes no new files leaves the old ones to be written as they are.
    fs::set_permissions(&path, Permissions::from_mode(0o644)).unwrap();
    fs::set_permissions(folder.path(), Permissions::from_mode(0o555)).unwrap();
    assert!(save(&path, b"new").is_err());
    write(&path, b"new").unwrap();
    fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"new");
}

#[test]
fn a_private_file_is_the_writers_alone_whatever_was_there() {
    both_ways(|| {
        let folder = folder();
        let path = folder.path().join("private");
        let save = || replace_privately(&path, Sync::Never, |out| out.write_all(b"1"));
        save().unwrap();
        assert_eq!(mode_of(&path), 0o600);
        fs::set_permissions(&path, Permissions::from_mode(0o666)).unwrap();
        save().unwrap();
        assert_eq!(mode_of(&path), 0o600);
        let elsewhere = folder.path().join("elsewhere");
        fs::write(&elsewhere, "2").unwrap();
        fs::remove_file(&path).unwrap();
        symlink(&elsewhere, &path).unwrap();
        save().unwrap();
        assert!(path.symlink_metadata().unwrap().is_file());
        assert_eq!(fs::read_to_string(&elsewhere).unwrap(), "2");
        assert_eq!(names(&folder), ["elsewhere", "private"]);
    });
}
