//! What is not a library, or not one that keeps the contract, is refused with its reason.

use super::setup::*;
use simple_bridge::{BindError, OpenError};

#[test]
fn what_is_not_a_library_is_named() {
    let folder = Folder::new("not-a-library");
    std::fs::write(folder.0.join("libtext.so"), "INPUT(-lm)\n").unwrap();
    std::fs::write(folder.0.join("libempty.so"), "").unwrap();
    std::fs::create_dir(folder.0.join("libfolder.so")).unwrap();
    folder.compile("libobject.so", "int x;\n", &["-c", "-r"].map(|_| "-w"));
    let bridge = folder.bridge();
    for (library, found) in [
        ("text", "it has no ELF header"),
        ("empty", "the file is empty"),
        ("folder", "it is a folder, not a file"),
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

const PLAIN: &str = "int f(void);\nint f(void) { return 1; }\n";

/// What `@Lib(library)` says.
fn refusal(folder: &Folder, library: &str) -> String {
    let bound = bind(&folder.bridge(), "f", library, &[], "i32");
    bound.map(|_| ()).unwrap_err().to_string()
}

#[test]
fn a_library_that_is_cut_off_anywhere_is_not_opened() {
    let folder = Folder::new("cut-off");
    let whole = folder.compile("libwhole.so", PLAIN, &[]);
    bind(&folder.bridge(), "f", "whole", &[], "i32").unwrap();
    let bytes = std::fs::read(whole).unwrap();
    let cut = folder.0.join("libcut.so");
    for length in (4..bytes.len())
        .step_by(97)
        .chain([63, 64, bytes.len() - 1])
    {
        std::fs::write(&cut, &bytes[..length]).unwrap();
        let said = refusal(&folder, "cut");
        assert!(
            said.contains("libcut.so is damaged: it is truncated")
                && said.contains("build it again"),
            "{length}: {said}"
        );
    }
    // Numbers of the header that no file keeps.
    for (at, length) in [(32, 8), (40, 8), (54, 2), (56, 2), (60, 2)] {
        let mut bytes = bytes.clone();
        bytes[at..at + length].fill(0xff);
        std::fs::write(&cut, &bytes).unwrap();
        let said = refusal(&folder, "cut");
        assert!(said.contains("libcut.so is damaged: "), "{at}: {said}");
    }
}

#[test]
fn a_library_without_a_part_that_can_be_loaded_is_not_opened() {
    let folder = Folder::new("unloadable");
    let whole = folder.compile("libwhole.so", PLAIN, &[]);
    let bytes = std::fs::read(whole).unwrap();
    let number = |at: usize| u16::from_le_bytes([bytes[at], bytes[at + 1]]) as usize;
    let (first, size, count) = (bytes[32] as usize, number(54), number(56));
    let changed = folder.0.join("libchanged.so");
    // What is to be loaded (1), and what the loader reads of it (2), become notes (4).
    for kind in [1, 2] {
        let mut bytes = bytes.clone();
        for header in (0..count).map(|index| first + index * size) {
            if bytes[header] == kind {
                bytes[header] = 4;
            }
        }
        std::fs::write(&changed, &bytes).unwrap();
        let said = refusal(&folder, "changed");
        assert!(
            said.contains("libchanged.so is damaged: it holds nothing that could be loaded"),
            "{kind}: {said}"
        );
    }
}

#[test]
fn a_library_of_another_machine_is_named_as_such() {
    let folder = Folder::new("machine");
    let own = folder.compile("libown.so", PLAIN, &[]);
    let bytes = std::fs::read(own).unwrap();
    for (changes, name) in [
        (&[(18, 40u8), (4, 1)][..], "ARM with 32 bits"),
        (&[(18, 243)], "RISC-V"),
        (&[(18, 0), (19, 21), (5, 2)], "big-endian PowerPC64"),
        (&[(18, 0), (19, 77)], "a machine with the ELF number 19712"),
    ] {
        let mut bytes = bytes.clone();
        for &(at, byte) in changes {
            bytes[at] = byte;
        }
        std::fs::write(folder.0.join("libother.so"), bytes).unwrap();
        let said = refusal(&folder, "other");
        assert!(
            said.contains(&format!(
                "libother.so is built for {name}, and this machine is "
            )),
            "{said}"
        );
    }
}

#[test]
fn what_is_no_file_is_refused_at_once() {
    let folder = Folder::new("no-file");
    let pipe = folder.0.join("libpipe.so");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    std::os::unix::fs::symlink("/dev/zero", folder.0.join("libdevice.so")).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(folder.0.join("libsocket.so")).unwrap();
    std::os::unix::fs::symlink("gone", folder.0.join("liblink.so")).unwrap();
    std::fs::write(folder.0.join("libarchive.so"), "!<arch>\n").unwrap();
    for (library, said) in [
        ("pipe", "it is a pipe, not a file"),
        ("device", "it is a device, not a file"),
        ("socket", "it is a socket, not a file"),
        ("link", "liblink.so does not exist"),
        ("archive", "it is an archive for the linker (.a)"),
    ] {
        for library in [library.to_owned(), format!("./lib{library}.so")] {
            let refusal = refusal(&folder, &library);
            assert!(
                refusal.contains(said) || library == "./liblink.so",
                "{library}: {refusal}"
            );
        }
    }
}

#[test]
fn a_damaged_library_beside_it_is_named_too() {
    let folder = Folder::new("beside");
    let below = folder.compile("libbelow.so", PLAIN, &["-Wl,-soname,libbelow.so"]);
    let above = "int g(void);\nint g(void) { return 2; }\n";
    let beside = [
        "-Wl,--no-as-needed",
        below.to_str().unwrap(),
        "-Wl,-rpath,$ORIGIN",
    ];
    for (library, tags) in [
        ("newer", "-Wl,--enable-new-dtags"),
        ("older", "-Wl,--disable-new-dtags"),
    ] {
        let options: Vec<&str> = beside.into_iter().chain([tags]).collect();
        folder.compile(&format!("lib{library}.so"), above, &options);
    }
    let whole = std::fs::read(&below).unwrap();
    std::fs::write(&below, &whole[..whole.len() / 2]).unwrap();
    for library in ["newer", "older"] {
        let said = refusal(&folder, library);
        assert!(
            said.contains("libbelow.so is damaged: it is truncated"),
            "{said}"
        );
    }
    std::fs::write(&below, &whole).unwrap();
    let bridge = folder.bridge();
    for library in ["newer", "older"] {
        bind(&bridge, "g", library, &[], "i32").unwrap();
    }
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
            "`f`: 99 is not a parameter type",
        ),
        (
            "badresult",
            manifest("{ .name = \"f\", .address = p, .result = 50 }", ""),
            "`f`: 50 is not a result type",
        ),
        (
            "badfailure",
            manifest("{ .name = \"f\", .address = p, .failure = 3 }", ""),
            "`f`: 3 is not a failure kind",
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
