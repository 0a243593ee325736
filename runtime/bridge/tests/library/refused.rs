//! What is no library, or none that keeps the contract, is refused with its reason.

use super::setup::*;
use simple_bridge::{BindError, OpenError};

#[test]
fn what_is_not_a_library_is_named() {
    let folder = Folder::new("not-a-library");
    std::fs::write(folder.0.join("libtext.so"), "INPUT(-lm)\n").unwrap();
    std::fs::write(folder.0.join("libempty.so"), "").unwrap();
    std::fs::write(
        folder.0.join("libcut.so"),
        b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0truncated",
    )
    .unwrap();
    std::fs::create_dir(folder.0.join("libfolder.so")).unwrap();
    folder.compile("libobject.so", "int x;\n", &["-c", "-r"].map(|_| "-w"));
    let bridge = folder.bridge();
    for (library, found) in [
        ("text", "it has no ELF header"),
        ("empty", "the file is empty"),
        ("folder", "it is a folder"),
        ("cut", "file too short"),
    ] {
        let error = bind(&bridge, "f", library, &[], "()").unwrap_err();
        let BindError::Open {
            cause: OpenError::NotALibrary { found: actual, .. },
            ..
        } = &error
        else {
            panic!("{library}: {error}")
        };
        assert!(actual.contains(found), "{library}: {error}");
    }
    let error = bind(&bridge, "f", "nobody_has_this", &[], "()")
        .unwrap_err()
        .to_string();
    assert!(
        error.starts_with("cannot call `f`: there is no library `nobody_has_this`\n  searched:\n"),
        "{error}"
    );
    assert!(
        error.contains(
            "has no libnobody_has_this.so\n    the system's libraries: no libnobody_has_this.so and"
        ),
        "{error}"
    );
    let error = bind(&bridge, "f", "../nowhere/libf.so", &[], "()")
        .unwrap_err()
        .to_string();
    assert!(error.contains("libf.so: does not exist"), "{error}");
}

#[test]
fn a_missing_dependency_is_named() {
    let folder = Folder::new("dependency");
    let below = folder.compile(
        "libgoes_away.so",
        "int below(void);\nint below(void) { return 1; }\n",
        &["-Wl,-soname,libgoes_away.so"],
    );
    folder.compile(
        "libneeds.so",
        "int f(void);\nint f(void) { return 1; }\n",
        &["-Wl,--no-as-needed", below.to_str().unwrap()],
    );
    std::fs::remove_file(&below).unwrap();
    let error = bind(&folder.bridge(), "f", "needs", &[], "i32").unwrap_err();
    assert!(
        error.to_string().contains(
            "libneeds.so needs libgoes_away.so, which the loader does not find; install it"
        ),
        "{error}"
    );

    folder.compile(
        "libunresolved.so",
        "int gone(void);\nint f(void);\nint f(void) { return gone(); }\n",
        &[],
    );
    let error = bind(&folder.bridge(), "f", "unresolved", &[], "i32").unwrap_err();
    assert!(
        error.to_string().contains("undefined symbol: gone"),
        "{error}"
    );
}

#[test]
fn libraries_that_do_not_keep_the_contract_are_refused() {
    let folder = Folder::new("contract");
    let version = "uint32_t simple_ffi_abi_version(void) { return SFFI_ABI_VERSION; }\n";
    let init = |body: &str| {
        format!(
            "#include \"simple_ffi.h\"\n#include <stddef.h>\n{version}const SffiManifest *simple_ffi_init(const SffiHost *host) {{ (void)host; {body} }}\n"
        )
    };
    let manifest = |functions: &str, fields: &str| {
        init(&format!(
            "static const uint8_t p[] = {{SFFI_TYPE_I64, 99}}; (void)p; static const SffiFunction f[] = {{ {functions} }}; static const SffiManifest m = {{ .abi_version = SFFI_ABI_VERSION, .function_size = sizeof(SffiFunction), .library = \"libbad\", .functions = f, .function_count = sizeof f / sizeof *f, {fields} }}; return &m;"
        ))
    };
    let old = "#include \"simple_ffi.h\"\nuint32_t simple_ffi_abi_version(void) { return 7; }\nconst SffiManifest *simple_ffi_init(const SffiHost *host) { (void)host; return 0; }\n";
    let cases = [
        (
            "old",
            old.to_owned(),
            "was built for version 7 of SFFI, but this runtime speaks version 1",
        ),
        (
            "noinit",
            format!("#include \"simple_ffi.h\"\n{version}"),
            "exports `simple_ffi_abi_version` but not `simple_ffi_init`",
        ),
        (
            "null",
            init("return NULL;"),
            "failed: it returned no manifest and gave no reason",
        ),
        (
            "reason",
            init("host->fail((const uint8_t *)\"no licence\", 10); return NULL;"),
            "failed: no licence",
        ),
        (
            "noname",
            manifest("{ .name = NULL, .address = p }", ""),
            "function number 1: its name is missing",
        ),
        (
            "noaddress",
            manifest("{ .name = \"f\" }", ""),
            "`f`: its address is null",
        ),
        (
            "badparam",
            manifest(
                "{ .name = \"f\", .address = p, .params = p, .param_count = 2 }",
                "",
            ),
            "`f`: 99 is no parameter type",
        ),
        (
            "badresult",
            manifest("{ .name = \"f\", .address = p, .result = 50 }", ""),
            "`f`: 50 is no result type",
        ),
        (
            "badfailure",
            manifest("{ .name = \"f\", .address = p, .failure = 3 }", ""),
            "`f`: 3 is no failure kind",
        ),
        (
            "noparams",
            manifest("{ .name = \"f\", .address = p, .param_count = 2 }", ""),
            "`f`: there is no list of 2 parameters",
        ),
        (
            "twice",
            manifest(
                "{ .name = \"f\", .address = p }, { .name = \"f\", .address = p }",
                "",
            ),
            "`f` is listed twice",
        ),
        (
            "size",
            manifest("{ .name = \"f\", .address = p }", "").replace("sizeof(SffiFunction)", "24"),
            "function_size is 24",
        ),
    ];
    for (name, source, expected) in cases {
        folder.compile(&format!("lib{name}.so"), &source, &["-w"]);
        let error = bind(&folder.bridge(), "f", name, &[], "()").unwrap_err();
        assert!(error.to_string().contains(expected), "{name}: {error}");
    }
}
