//! Bindings of small headers, compared with what they were: `tests/golden/*.h`, each with its `.out`.
//!
//! `UPDATE_GOLDEN=1` writes the `.out` files again. A file has what the command prints, then the module. Without a C compiler
//! nothing is compared, which the output says.

use simple_bind::{Error, Options, bind, check};
use simple_syntax::{FileId, parse};
use simple_testing::golden;
use std::fs;
use std::path::PathBuf;

/// Whether there is a C compiler; says that there is none.
fn has_compiler() -> bool {
    let options = Options {
        header: "stddef.h".to_owned(),
        lib: "c".to_owned(),
        ..Options::default()
    };
    let missing = matches!(
        bind(&options, &PathBuf::from(".")),
        Err(Error::NoCompiler { .. })
    );
    if missing {
        println!("skipped: there is no C compiler");
    }
    !missing
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden")
}

fn options(header: &str) -> Options {
    Options {
        header: header.to_owned(),
        lib: "shop".to_owned(),
        ..Options::default()
    }
}

#[test]
fn bindings_are_as_they_were() {
    if !has_compiler() {
        return;
    }
    let mut wrong = Vec::new();
    let some = [
        "shop_open",
        "shop_visit*",
        "SHOP_RATE",
        "SHOP_*BLUE",
        "shop_count",
        "SHOP_TWICE",
    ];
    for (name, header, enums, only) in [
        ("shop", "shop.h", false, &[][..]),
        ("shop_only", "shop.h", false, &some),
        ("shop_enums", "shop_types.h", true, &[]),
        ("layouts", "layouts.h", false, &[]),
        ("unbound", "unbound.h", false, &[]),
    ] {
        let options = Options {
            enums,
            only: only.iter().map(|name| (*name).to_owned()).collect(),
            ..options(header)
        };
        let bindings = bind(&options, &folder()).expect(name);
        let (_, diagnostics) = parse(FileId(0), &bindings.text);
        assert_eq!(diagnostics, [], "{name}");
        let report = check(&bindings.text, &[&folder()]).expect(name);
        assert_eq!((report.differences.len(), report.edited), (0, 0), "{name}");
        let found = format!("{}\n\n{}", bindings.summary, bindings.text);
        let path = folder().join(format!("{name}.out"));
        wrong.extend(golden::compare(&path, &found).err());
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn differences_are_found() {
    if !has_compiler() {
        return;
    }
    let made = bind(&options("shop.h"), &folder()).expect("bound").text;
    let edited = made
        .replace(
            "shop_open(path: cstr?, out ppShop: shop?)",
            "shop_open(path: cstr, ppShop: Ptr<shop?>)",
        )
        .replace("shop_close(s: shop?) -> i32", "shop_close(s: shop?) -> i64")
        .replace("    price: i32\n", "    price: i32\n    tax: i32\n")
        .replace("const SHOP_OPEN: i32 = 16", "const SHOP_OPEN: i32 = 17")
        .replace("extern var shop_count: i32\n", "extern var shop_sum: i32\n");
    let report = check(&edited, &[&folder()]).expect("compared");
    let shown: Vec<String> = report
        .differences
        .iter()
        .map(|difference| {
            let line = difference
                .line
                .map(|line| edited.lines().nth(line - 1).unwrap_or_default());
            format!("{line:?} {}", difference.message)
        })
        .collect();
    let has = |start: &str, part: &str| {
        shown
            .iter()
            .any(|one| one.starts_with(start) && one.contains(part))
    };
    assert!(
        has("None", "missing: extern var shop_count: i32"),
        "{shown:#?}"
    );
    assert!(
        has(
            "Some(\"extern fn",
            "different: extern fn shop_close(s: shop?) -> i64"
        ),
        "{shown:#?}"
    );
    assert!(
        has(
            "Some(\"extern var",
            "not in the header: extern var shop_sum: i32"
        ),
        "{shown:#?}"
    );
    assert!(has("Some", "const SHOP_OPEN"), "{shown:#?}");
    assert!(has("Some", "struct shop_item"), "{shown:#?}");
    assert_eq!((shown.len(), report.edited), (5, 1), "{shown:#?}");
}

#[test]
fn a_struct_that_is_only_passed_by_address_may_be_hidden() {
    if !has_compiler() {
        return;
    }
    let made = bind(&options("layouts.h"), &folder()).expect("bound").text;
    let (structs, rest): (Vec<&str>, Vec<&str>) = made
        .split("\n\n")
        .partition(|part| part.starts_with("@c\nstruct "));
    let name = |part: &&str| {
        part["@c\nstruct ".len()..]
            .split(':')
            .next()
            .map(str::to_owned)
    };
    let hidden: Vec<String> = structs
        .iter()
        .filter_map(name)
        .map(|name| format!("extern type {name}"))
        .collect();
    let edited = format!(
        "{}\n\n{}\n\nextern type own\n",
        rest.join("\n\n"),
        hidden.join("\n\n")
    );
    let report = check(&edited, &[&folder()]).expect("compared");
    // What crosses by value is not an address, and is found at its function.
    let wrong = |difference: &simple_bind::Difference| {
        !difference.message.starts_with("different: extern fn")
    };
    assert!(!report.differences.iter().any(wrong), "{report:#?}");
    assert!(report.edited >= structs.len(), "{report:#?}");
}

#[test]
fn failures_have_words() {
    if !has_compiler() {
        return;
    }
    let temp = tempfile::tempdir().expect("a folder");
    let fails = |header: &str, text: &str| {
        if !text.is_empty() {
            fs::write(temp.path().join(header), text).expect("written");
        }
        bind(&options(header), temp.path())
            .expect_err(header)
            .to_string()
    };
    let missing = fails("nowhere.h", "");
    assert!(
        missing.starts_with("cannot find the header `nowhere.h`"),
        "{missing}"
    );
    let alone = fails("alone.h", "int size(unknown_type x);\n");
    assert!(
        alone.contains("does not accept this header by itself") && alone.contains("unknown_type"),
        "{alone}"
    );
    assert!(alone.contains("--before"), "{alone}");
    let file = temp.path().join("needs.h");
    fs::write(&file, "int shop_print(FILE *to);\n").expect("written");
    let needs = Options {
        before: vec!["stdio.h".to_owned()],
        ..options("needs.h")
    };
    let needs = bind(&needs, temp.path()).expect("bound");
    assert_eq!((needs.summary.bound, needs.summary.functions), (1, 1));
    assert_eq!(
        check(&needs.text, &[temp.path()])
            .expect("compared")
            .differences,
        []
    );
    let inside = fails("inside.h", "#include \"not_there.h\"\n");
    assert!(inside.contains("not_there.h: No such file"), "{inside}");
    let broken = fails("broken.h", "int f(;\n");
    assert!(broken.contains("broken.h:1"), "{broken}");
    let asks = "#ifndef SHOP_WIDTH\n#error SHOP_WIDTH must be defined\n#error Use 8 or 16\n#endif\nint f(void);\n";
    let asks = fails("asks.h", asks);
    assert!(
        asks.contains("write `-D SHOP_WIDTH=8`") && asks.contains("#error"),
        "{asks}"
    );
    let no_package = Options {
        pkg: vec!["no-such-package-anywhere".to_owned()],
        ..options("shop.h")
    };
    let no_package = bind(&no_package, &folder()).expect_err("no package");
    assert!(
        matches!(
            no_package,
            Error::NoPackage { .. } | Error::NoPkgConfig { .. }
        ),
        "{no_package}"
    );
    let no_library = Options {
        lib: String::new(),
        ..options("shop.h")
    };
    let no_library = bind(&no_library, &folder()).expect_err("no library");
    assert!(
        no_library.to_string().contains("--lib NAME"),
        "{no_library}"
    );
    let quoted = Options {
        lib: "a\"b".to_owned(),
        ..options("shop.h")
    };
    let quoted = bind(&quoted, &folder()).expect_err("a quote").to_string();
    assert!(quoted.contains("a quote"), "{quoted}");
    let unmade = check("extern type X\n", &[temp.path()]).expect_err("no options");
    assert!(unmade.to_string().contains("# header:"), "{unmade}");
    let no_simple = check("# header: a.h\n# lib: a\nextern fn (\n", &[temp.path()]);
    assert!(no_simple.is_err());
}
