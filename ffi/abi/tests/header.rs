//! `include/simple_ffi.h` is what cbindgen generates from this crate, and C and C++ compilers accept it.

use std::path::{Path, PathBuf};
use std::process::Command;

const INTRO: &str = include_str!("header_intro.h");
const TRAILER: &str = r#"#if defined(_WIN32)
#define SFFI_EXPORT __declspec(dllexport)
#elif defined(__GNUC__)
#define SFFI_EXPORT __attribute__((visibility("default")))
#else
#define SFFI_EXPORT
#endif

#ifdef __cplusplus
extern "C" {
#endif

/**
 * To be defined by the library: returns SFFI_ABI_VERSION. Called first; a library with another version is refused.
 */
SFFI_EXPORT uint32_t simple_ffi_abi_version(void);

/**
 * To be defined by the library: keeps `host` (valid for the life of the process) and returns the manifest, which must
 * stay valid as long. Called once. NULL refuses: call `host->fail` with the reason first.
 */
SFFI_EXPORT const SffiManifest *simple_ffi_init(const SffiHost *host);

#ifdef __cplusplus
} // extern "C"
#endif"#;

fn header() -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let rename = [
        ("ABI_VERSION", "SFFI_ABI_VERSION"),
        ("ABI_VERSION_SYMBOL", "SFFI_ABI_VERSION_SYMBOL"),
        ("INIT_SYMBOL", "SFFI_INIT_SYMBOL"),
        ("OPTIONAL", "SFFI_OPTIONAL"),
        ("PURE", "SFFI_EFFECT_PURE"),
        ("NEW_HANDLE", "SFFI_EFFECT_NEW_HANDLE"),
        ("FREES", "SFFI_EFFECT_FREES"),
        ("WRITES", "SFFI_EFFECT_WRITES"),
        ("STATE", "SFFI_EFFECT_STATE"),
        ("READS", "SFFI_EFFECT_READS"),
    ];
    let config = cbindgen::Config {
        language: cbindgen::Language::C,
        cpp_compat: true,
        include_guard: Some("SIMPLE_FFI_H".to_owned()),
        header: Some(INTRO.trim_end().to_owned()),
        no_includes: true,
        sys_includes: vec!["stdint.h".to_owned()],
        style: cbindgen::Style::Both,
        usize_is_size_t: true,
        documentation_style: cbindgen::DocumentationStyle::Doxy,
        line_length: 120,
        enumeration: cbindgen::EnumConfig {
            rename_variants: cbindgen::RenameRule::QualifiedScreamingSnakeCase,
            ..Default::default()
        },
        export: cbindgen::ExportConfig {
            include: [
                "SffiType",
                "SffiFailure",
                "SffiBuffer",
                "SffiHost",
                "SffiFunction",
                "SffiManifest",
            ]
            .map(str::to_owned)
            .to_vec(),
            exclude: vec!["NAMES".to_owned()],
            rename: rename
                .map(|(from, to)| (from.to_owned(), to.to_owned()))
                .into_iter()
                .collect(),
            ..Default::default()
        },
        ..Default::default()
    };
    let mut out = Vec::new();
    cbindgen::Builder::new()
        .with_config(config)
        .with_src(root.join("src/lib.rs"))
        .generate()
        .expect("cbindgen reads the crate")
        .write(&mut out);
    let text = String::from_utf8(out).expect("cbindgen writes text");
    // Links between Rust items mean nothing to a reader of C.
    let text = text
        .replace("[`", "`")
        .replace("`]", "`")
        .replace("`SffiHost::", "`host->");
    let text = text
        .replace("`ABI_VERSION`", "`SFFI_ABI_VERSION`")
        .replace("`SffiType::Array*`", "`SFFI_TYPE_ARRAY_*`");
    let text = text
        .replace("`SffiFunction::failure_value`", "`failure_value`")
        .replace("`SffiFailure::Value`", "`SFFI_FAILURE_VALUE`");
    // cbindgen puts a trailer after the include guard, where a second inclusion would see it again.
    let end = "#endif  /* SIMPLE_FFI_H */";
    assert!(text.contains(end), "cbindgen closes the include guard");
    text.replace(end, &format!("{TRAILER}\n\n{end}"))
}

fn committed() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("include/simple_ffi.h")
}

#[test]
fn the_committed_header_is_fresh() {
    if let Err(stale) = simple_ffi_abi::describe::check_generated(&committed(), &header()) {
        panic!("{stale}");
    }
    compiles_as_c_and_cpp();
}

fn compiles_as_c_and_cpp() {
    for (compiler, language) in [("cc", "c"), ("c++", "c++")] {
        let output = Command::new(compiler)
            .args([
                "-x",
                language,
                "-Wall",
                "-Wextra",
                "-Werror",
                "-fsyntax-only",
            ])
            .arg(committed())
            .output();
        match output {
            Ok(output) => assert!(
                output.status.success(),
                "{}",
                String::from_utf8_lossy(&output.stderr)
            ),
            Err(error) => panic!("cannot run `{compiler}`: {error}"),
        }
    }
}
