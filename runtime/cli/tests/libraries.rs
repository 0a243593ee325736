//! `simple new --ffi` and `simple build FOLDER`: a new library of each language is built, passes its tests, and fails with words.
//!
//! Nothing is fetched. Where cargo or a compiler is missing its language is left out, which the output says.

#![cfg(target_os = "linux")]

mod simple_in;

use simple_in::simple_in;
use std::fs;
use std::path::Path;

/// What a command printed, and its exit code if it is not 0.
fn said(folder: &Path, words: &[&str]) -> String {
    simple_in::said(&simple_in(folder, words, &[]))
}

/// Builds a library; false, with words, if what builds it is not on this machine.
fn built(folder: &Path, name: &str) -> bool {
    let output = simple_in(folder, &["build", name], &[]);
    let said = simple_in::said(&output);
    if said.contains("cannot run `") {
        println!("skipped: {said}");
        return false;
    }
    assert!(output.status.success(), "{said}");
    assert!(
        said.contains(&format!("made {name}/lib/lib{name}.so")),
        "{said}"
    );
    true
}

const LANGUAGES: [(&str, &str); 3] = [
    ("rust", "src/lib.rs"),
    ("c", "src/words.c"),
    ("cpp", "src/words.cpp"),
];

#[test]
fn a_new_library_works() {
    for (language, source) in LANGUAGES {
        let temp = tempfile::tempdir().expect("a folder");
        let at = temp.path();
        let made = said(at, &["new", "--ffi", language, "words"]);
        assert!(
            made.starts_with("made words; next: `simple build words`"),
            "{made}"
        );
        let absent = said(at, &["words/main.spl"]);
        assert!(absent.contains("there is no library `words`"), "{absent}");
        if !built(at, "words") {
            continue;
        }
        assert_eq!(said(at, &["check", "words"]), "", "{language}");
        assert_eq!(
            said(at, &["words/main.spl"]),
            "Hello, Ada! [2.0, 5.0]\n3.0\na series without numbers has no mean\n",
            "{language}"
        );
        let tested = said(at, &["test", "words"]);
        assert!(
            tested.ends_with("4 passed, 0 failed\n"),
            "{language}: {tested}"
        );

        // A declaration that the library's table contradicts, a handle that is none, one that has been freed.
        let wrong = "@Lib(\"words\")\nextern fn words_greeting(name: i64) -> text\nprint words_greeting(1)\n";
        fs::write(at.join("words/wrong.spl"), wrong).expect("written");
        let wrong = said(at, &["words/wrong.spl"]);
        assert!(
            wrong.contains("does not fit words 0.1.0") && wrong.contains("(text) -> text"),
            "{wrong}"
        );
        let handles = "use std.ffi.{library_available}\nprint library_available(\"words\")\n@Lib(\"words\")\nextern fn words_series_new() -> i64\n\
            @Lib(\"words\")\nextern fn words_series_mean(series: i64) -> f64\n@Lib(\"words\")\nextern fn words_series_free(series: i64)\n\
            val series = words_series_new()\nwords_series_free(series)\nfor handle in [series, 7, 0, -1]:\n    \
            try: print words_series_mean(handle)\n    catch e: print e.message\n";
        fs::write(at.join("words/handles.spl"), handles).expect("written");
        let handles = said(at, &["words/handles.spl"]);
        let lines: Vec<&str> = handles.lines().collect();
        assert!(lines.len() == 5 && lines[0] == "true", "{handles}");
        assert!(
            lines[1..].iter().all(|line| line.contains("series")),
            "{handles}"
        );

        // A source that is not one: the library that was there stays.
        let path = at.join("words").join(source);
        let good = fs::read_to_string(&path).expect("the source");
        fs::write(&path, format!("{good}\nthis is no source\n")).expect("written");
        let failed = simple_in(at, &["build", "words"], &[]);
        assert_eq!(failed.status.code(), Some(1));
        assert!(
            simple_in::said(&failed).contains("could not build the library; what it says is above")
        );
        assert!(said(at, &["words/main.spl"]).starts_with("Hello, Ada!"));
        let files = fs::read_dir(at.join("words/lib")).expect("its folder");
        assert_eq!(files.count(), 1, "nothing is left beside the library");
        fs::write(&path, good.replace("Hello", "Good day")).expect("written");
        assert!(built(at, "words"));
        assert!(said(at, &["words/main.spl"]).starts_with("Good day, Ada!"));
    }
}

#[test]
fn what_cannot_be_made_or_built_is_said() {
    let temp = tempfile::tempdir().expect("a folder");
    let at = temp.path();
    for (words, code, part) in [
        (
            &["new", "--ffi", "rust", "My-Words"][..],
            2,
            "names begin with a letter from `a` to `z`",
        ),
        (
            &["new", "--ffi", "c", "match"],
            2,
            "means something else in Simple",
        ),
        (
            &["new", "--ffi", "zig", "words"],
            2,
            "[possible values: rust, c, cpp]",
        ),
        (
            &["build", "nowhere"],
            2,
            "there is no nowhere/simple.sdn, which says what library to build",
        ),
        (&["build", "--cuda", "nowhere"], 2, "cannot be used with"),
    ] {
        let output = simple_in(at, words, &[]);
        let said = simple_in::said(&output);
        assert_eq!(output.status.code(), Some(code), "{words:?}: {said}");
        assert!(said.contains(part), "{words:?}: {said}");
    }
    assert!(said(at, &["new", "--ffi", "c", "below/words"]).starts_with("made below/words"));
    let again = said(at, &["new", "--ffi", "c", "below/words"]);
    assert!(
        again.contains("below/words is there already and is not empty"),
        "{again}"
    );
    fs::write(at.join("file"), "").expect("written");
    let below = said(at, &["new", "--ffi", "c", "file/words"]);
    assert!(below.contains("cannot make file/words"), "{below}");

    let manifest = |text: &str| {
        fs::write(at.join("below/words/simple.sdn"), text).expect("written");
        said(at, &["build", "below/words"])
    };
    for (text, part) in [
        ("name: words\n", "has no section `library:`"),
        ("library:\n    name: words\n", "language"),
        ("library:\n    name: words\n    language: zig\n", "zig"),
        (
            "library:\n    name: words\n    language: c\n    flag: x\n",
            "flag",
        ),
        (
            "library:\n    name: ../words\n    language: c\n",
            "a library cannot be called `../words`",
        ),
        ("library: [\n", "below/words/simple.sdn"),
    ] {
        let said = manifest(text);
        assert!(
            said.contains(part) && said.ends_with("--- exit 2\n"),
            "{text}: {said}"
        );
    }
    fs::write(
        at.join("below/words/simple.sdn"),
        "library:\n    name: words\n    language: c\n    flags: [\"-lno_such\"]\n",
    )
    .expect("written");
    let absent = simple_in(
        at,
        &["build", "below/words"],
        &[("CC", "/no/such/cc -pipe")],
    );
    assert!(
        simple_in::said(&absent).contains("cannot run `/no/such/cc`"),
        "{}",
        simple_in::said(&absent)
    );
    let linked = simple_in(at, &["build", "below/words"], &[]);
    assert_eq!(
        linked.status.code(),
        Some(1),
        "{}",
        simple_in::said(&linked)
    );
}
