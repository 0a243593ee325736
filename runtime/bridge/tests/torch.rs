//! The torch library through the bridge. What needs a built library runs only where SIMPLE_TORCH_LIBRARY and SIMPLE_LIBTORCH_DIR name
//! `libsimple_torch.so` and the folder of libtorch (`bin/simple build test` sets them); the rest runs everywhere.

#![allow(
    unsafe_code,
    reason = "the tests call the C functions that the bridge found"
)]

use std::path::{Path, PathBuf};

use simple_bridge::{
    BindError, Bridge, BridgeConfig, KnownManifest, Provider, SffiFailure, TorchLibrary,
};

fn config(torch: Option<TorchLibrary>) -> BridgeConfig {
    let declarations = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../lib/torch/ffi");
    BridgeConfig {
        torch,
        manifests: vec![KnownManifest {
            declarations: simple_bridge::Declarations::At(declarations),
            library: Provider::Torch,
        }],
        offered: vec![simple_bridge::FUNCTIONS],
        ..BridgeConfig::default()
    }
}

fn installed() -> Option<TorchLibrary> {
    let place = |name: &str| std::env::var_os(name).map(PathBuf::from);
    Some(TorchLibrary {
        library: place("SIMPLE_TORCH_LIBRARY")?,
        libtorch_dir: place("SIMPLE_LIBTORCH_DIR")?,
        release: release(),
    })
}

/// The release of the libtorch that the tests are given, as its headers say.
fn release() -> String {
    let library = std::env::var_os("SIMPLE_LIBTORCH_DIR").unwrap_or_default();
    let header = Path::new(&library).with_file_name("include/torch/headeronly/version.h");
    let text = std::fs::read_to_string(header).unwrap_or_default();
    let (_, after) = text
        .split_once("#define TORCH_VERSION ")
        .unwrap_or_default();
    after.split('"').nth(1).unwrap_or_default().to_owned()
}

fn call_bool(address: usize) -> bool {
    // SAFETY: the callers take functions that the manifest has as `() -> bool`.
    unsafe { std::mem::transmute::<usize, unsafe extern "C" fn() -> u8>(address)() != 0 }
}

fn call_text(address: usize) -> String {
    // SAFETY: the callers take functions that the manifest has as `() -> text`.
    let text = unsafe {
        std::mem::transmute::<usize, unsafe extern "C" fn() -> simple_ffi_abi::SffiBuffer>(address)(
        )
    };
    // SAFETY: the function filled that many bytes.
    let bytes = unsafe { std::slice::from_raw_parts(text.data.cast::<u8>(), text.length as usize) };
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn a_libtorch_that_is_not_of_the_release_that_its_headers_name_is_refused() {
    let Some(mut torch) = installed() else {
        return;
    };
    let real = std::mem::replace(&mut torch.release, "2.99.0".to_owned());
    let bridge = Bridge::new(config(Some(torch)));
    let error = bridge
        .bind("rt_torch_version", None, (&[], "text"))
        .unwrap_err();
    let real: Vec<&str> = real.split('.').take(2).collect();
    assert!(
        error
            .to_string()
            .contains(&format!("is libtorch {}.", real.join(".")))
            && error.to_string().contains("was built for 2.99.0"),
        "{error}"
    );
}

#[test]
fn the_functions_are_known_without_the_library() {
    let bridge = Bridge::new(config(None));
    let known = bridge.known("rt_torch_tensor_zeros", None).unwrap();
    assert_eq!(
        known.render("rt_torch_tensor_zeros"),
        "extern fn rt_torch_tensor_zeros([i64]) -> i64"
    );
    assert_eq!(
        (
            known.signature.contract.failure,
            known.signature.contract.failure_value,
            known.address
        ),
        (SffiFailure::Value, 0, None)
    );
    assert_eq!(known.origin, "libsimple_torch");
    let error = bridge
        .bind("rt_torch_version", None, (&[], "i64"))
        .unwrap_err()
        .to_string();
    assert_eq!(
        error,
        "the declaration of `rt_torch_version` does not fit libsimple_torch\n  declared: extern fn rt_torch_version() -> i64\n  actual:   extern fn rt_torch_version() -> text"
    );
}

#[test]
fn without_the_library_only_availability_answers() {
    let absence = "libtorch was not found at /nowhere";
    let bridge = Bridge::new(BridgeConfig {
        torch_absence: Some(absence.to_owned()),
        ..config(None)
    });
    let reason = || {
        call_text(
            bridge
                .bind("rt_torch_unavailable_reason", None, (&[], "text"))
                .unwrap()
                .address,
        )
    };
    assert_eq!(reason(), "");
    assert!(!call_bool(
        bridge
            .bind("rt_torch_available", None, (&[], "bool"))
            .unwrap()
            .address
    ));
    assert!(!call_bool(
        bridge
            .bind("rt_torch_cuda_available", None, (&[], "bool"))
            .unwrap()
            .address
    ));
    assert_eq!(reason(), absence);
    let error = bridge
        .bind(
            "rt_torch_tensor_zeros",
            None,
            (&["[i64]".to_owned()], "i64"),
        )
        .unwrap_err();
    assert!(
        matches!(&error, BindError::Absent { reason, .. } if reason == absence),
        "{error}"
    );

    let gone = TorchLibrary {
        library: "/nowhere/libsimple_torch.so".into(),
        libtorch_dir: "/nowhere/lib".into(),
        release: "2.11.0".into(),
    };
    let bridge = Bridge::new(config(Some(gone)));
    assert!(!call_bool(
        bridge
            .bind("rt_torch_available", None, (&[], "bool"))
            .unwrap()
            .address
    ));
    let reason = bridge
        .bind("rt_torch_unavailable_reason", None, (&[], "text"))
        .unwrap()
        .address;
    assert_eq!(
        call_text(reason),
        "/nowhere/lib/libtorch_cpu.so does not exist"
    );
}

#[test]
fn with_the_library_tensors_are_made() {
    let Some(torch) = installed() else { return };
    let bridge = Bridge::new(config(Some(torch)));
    assert!(call_bool(
        bridge
            .bind("rt_torch_available", None, (&[], "bool"))
            .unwrap()
            .address
    ));
    assert_eq!(
        call_text(
            bridge
                .bind("rt_torch_version", None, (&[], "text"))
                .unwrap()
                .address
        ),
        release()
    );
    let zeros = bridge
        .bind(
            "rt_torch_tensor_zeros",
            None,
            (&["[i64]".to_owned()], "i64"),
        )
        .unwrap()
        .address;
    // SAFETY: the manifest has it as `([i64]) -> i64`.
    let zeros = unsafe {
        std::mem::transmute::<usize, unsafe extern "C" fn(*const i64, i64) -> i64>(zeros)
    };
    // SAFETY: pointer and length of an array.
    let handle = unsafe { zeros([2i64, 3].as_ptr(), 2) };
    assert!(handle > u32::MAX.into());
    assert_eq!(bridge.live_handles(), [("libsimple_torch".to_owned(), 1)]);
    let free = bridge
        .bind(
            "rt_torch_torchtensor_free",
            None,
            (&["i64".to_owned()], "()"),
        )
        .unwrap()
        .address;
    // SAFETY: the manifest has it as `(i64)`.
    unsafe { std::mem::transmute::<usize, unsafe extern "C" fn(i64)>(free)(handle) };
    assert_eq!(bridge.live_handles(), [("libsimple_torch".to_owned(), 0)]);
    assert!(
        bridge
            .known("rt_torch_tensor_zeros", None)
            .unwrap()
            .address
            .is_some()
    );
}
