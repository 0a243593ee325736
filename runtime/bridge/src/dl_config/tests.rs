//! The layers, the words and the blocks of a configuration.

use super::*;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

const FILE: &str = "dl.config.sdn";

/// A separate folder for each test, with files in it.
fn files(test: &str, files: &[(&str, &str)]) -> (PathBuf, Vec<PathBuf>) {
    let folder =
        std::env::temp_dir().join(format!("simple-dl-config-{test}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let paths = files.iter().map(|(name, text)| {
        let path = folder.join(name);
        std::fs::write(&path, text).unwrap();
        path
    });
    let paths = paths.collect();
    (folder, paths)
}

fn load_text(test: &str, text: &str) -> Result<(DlConfig, Vec<String>), String> {
    let (folder, files) = files(test, &[(FILE, text)]);
    let loaded = load(&Sources {
        files,
        ..Sources::default()
    });
    std::fs::remove_dir_all(&folder).unwrap();
    let strip = |message: String| message.replace(&format!("{}/", folder.display()), "");
    loaded
        .map(|(config, warnings)| (config, warnings.into_iter().map(strip).collect()))
        .map_err(|error| error.replace(&format!("{}/", folder.display()), ""))
}

#[test]
fn no_file_gives_the_defaults() {
    let sources = Sources {
        files: vec![PathBuf::from("/nowhere/dl.config.sdn")],
        ..Sources::default()
    };
    assert_eq!(load(&sources), Ok((DlConfig::default(), vec![])));
}

#[test]
fn a_dtype_has_all_words_that_tensors_know() {
    for (word, name) in [
        ("c64", "c64"),
        ("bool", "bool"),
        ("float64", "f64"),
        ("half", "f16"),
    ] {
        let (config, _) = load_text("dtypes", &format!("dtype: {word}\n")).unwrap();
        assert_eq!(config.dtype.name, name);
    }
}

#[test]
fn a_block_wins_over_the_top_level() {
    let text = "device: mps\nseed: \"12\"\ndl:\n    device: \"cuda:1\"\n    dtype: bf16\n    backend: pytorch\n    amp: \"True\"\n    fallback: false\n";
    let (config, warnings) = load_text("block", text).unwrap();
    let shown = (
        config.device.to_string(),
        config.dtype.name,
        config.backend.clone(),
    );
    assert_eq!(shown, ("cuda:1".to_owned(), "bf16", Backend::Torch));
    assert_eq!(
        (config.amp, config.seed, config.fallback),
        (true, Some(12), false)
    );
    assert_eq!(
        config
            .place("seed")
            .map(|place| place.ends_with("dl.config.sdn:2:7")),
        Some(true)
    );
    assert_eq!(config.place("autograd"), None);
    assert_eq!(warnings, Vec::<String>::new());
}

#[test]
fn what_has_no_effect_is_said_with_its_line() {
    let text = "training:\n    gradient_checkpointing: true\n";
    let (_, warnings) = load_text("effect", text).unwrap();
    assert_eq!(warnings.len(), 1);
    let start = "dl.config.sdn:2:29: `gradient_checkpointing: true` has no effect";
    assert!(warnings[0].starts_with(start), "{warnings:?}");
    let text = "amp: true\nbackend: torch\nautograd: true\n";
    let (_, warnings) = load_text("effect", text).unwrap();
    assert_eq!(warnings, Vec::<String>::new());
}

#[test]
fn sections_change_what_they_name() {
    let text = "dl:\n    device: cpu\ntraining:\n    device: cuda:1\n    dtype: f32\n    batch_size: 32\n    gradient_checkpointing: false\n\
                inference:\n    dtype: f16\n    autograd: false\n    batchsize: 3\n";
    let (config, warnings) = load_text("sections", text).unwrap();
    assert_eq!(config.device.to_string(), "cpu");
    let training = &config.training;
    let device = training.device.as_ref().map(|device| device.to_string());
    assert_eq!(
        (device.as_deref(), training.batch_size),
        (Some("cuda:1"), Some(32))
    );
    assert_eq!(training.autograd, None);
    let inference = &config.inference;
    assert_eq!(
        (inference.dtype.map(|it| it.name), inference.autograd),
        (Some("f16"), Some(false))
    );
    assert_eq!(warnings.len(), 1);
    assert!(
        warnings[0].starts_with(
            "dl.config.sdn:11:5: unknown key `batchsize` is ignored; did you mean `batch_size`?"
        ),
        "{warnings:?}"
    );
    let (_, warnings) = load_text("nested", "dl:\n    training:\n        device: cpu\n").unwrap();
    assert!(
        warnings[0].contains("`training:` is a block of its own, at the top level"),
        "{warnings:?}"
    );
}

/// The configuration of a file, a variable for the backend and an option for the device.
fn layered(
    test: &str,
    text: &str,
    variables: &[(&str, &str)],
    device: Option<&str>,
) -> Result<(DlConfig, Vec<String>), String> {
    let (folder, files) = files(test, &[(FILE, text)]);
    let environment = variables
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).into()));
    let loaded = load(&Sources {
        files,
        environment: environment.collect(),
        program: None,
        overrides: Overrides {
            device: device.map(str::to_owned),
            ..Overrides::NONE
        },
    });
    std::fs::remove_dir_all(&folder).unwrap();
    loaded
}

#[test]
fn a_backend_and_a_device_fit() {
    for (text, device, backend) in [
        ("backend: native\n", "cpu", Backend::Native),
        ("backend: native\ndevice: cpu\n", "cpu", Backend::Native),
        ("backend: native\ndevice: auto\n", "cpu", Backend::Native),
        ("backend: cuda\n", "cuda:0", Backend::Cuda),
        ("backend: cuda\ndevice: cuda:1\n", "cuda:1", Backend::Cuda),
        ("backend: cuda\ndevice: gpu\n", "gpu", Backend::Cuda),
        ("backend: pytorch\ndevice: mps\n", "mps", Backend::Torch),
    ] {
        let (config, warnings) = layered("fit", text, &[], None).unwrap();
        assert_eq!(
            (config.device.to_string().as_str(), config.backend),
            (device, backend),
            "{text}"
        );
        assert_eq!(warnings, Vec::<String>::new(), "{text}");
    }
    for text in [
        "backend: native\ndevice: cuda:1\n",
        "device: gpu\nbackend: native\n",
        "backend: cuda\ndevice: cpu\n",
        "training:\n    device: mps\n    backend: cuda\n",
    ] {
        let error = layered("unfit", text, &[], None).unwrap_err();
        assert!(error.contains("dl.config.sdn:"), "{error}");
        assert!(error.contains("write `backend: torch`"), "{error}");
    }
    // The higher layer wins, and the other one is named.
    let native = [("SIMPLE_DL_BACKEND", "native")];
    let (config, warnings) = layered("above", "device: cuda:1\n", &native, None).unwrap();
    assert_eq!(config.device.to_string(), "cpu");
    assert!(
        warnings[0].starts_with(
            "SIMPLE_DL_BACKEND: `backend: native` computes on the CPU only, so `cuda:1` of "
        ),
        "{warnings:?}"
    );
    let (config, warnings) = layered("below", "backend: cuda\n", &[], Some("cpu")).unwrap();
    assert_eq!(
        (config.device.to_string().as_str(), config.backend),
        ("cpu", Backend::Torch)
    );
    assert!(
        warnings[0].starts_with("--device: the device is `cpu`, so `backend: cuda` of "),
        "{warnings:?}"
    );
    let both = [
        ("SIMPLE_DL_BACKEND", "native"),
        ("SIMPLE_DL_DEVICE", "cuda"),
    ];
    let error = layered("same", "", &both, None).unwrap_err();
    assert!(error.starts_with("SIMPLE_DL_BACKEND: "), "{error}");
}

#[test]
fn several_devices_are_one_text() {
    let text = "device: \"cuda:0, cuda:1\"\ntraining:\n    device: \"cpu,cpu\"\n";
    let (config, warnings) = load_text("several", text).unwrap();
    let training = config.training.device.as_ref().map(|it| it.to_string());
    assert_eq!(
        (config.device.to_string().as_str(), training.as_deref()),
        ("cuda:0,cuda:1", Some("cpu,cpu"))
    );
    assert_eq!(warnings, Vec::<String>::new());
    let native = [("SIMPLE_DL_BACKEND", "native")];
    for (device, fits) in [("cpu,cpu", true), ("cpu,cuda:0", false)] {
        let text = format!("device: \"{device}\"\n");
        let (config, warnings) = layered("several", &text, &native, None).unwrap();
        let expected = if fits { device } else { "cpu" };
        assert_eq!(config.device.to_string(), expected);
        assert_eq!(warnings.is_empty(), fits, "{warnings:?}");
    }
    for (text, expected) in [
        ("device: \",\"\n", "dl.config.sdn:1:9: a device is missing"),
        (
            "dl:\n    device: \"cuda:0,,cuda:1\"\n",
            "dl.config.sdn:2:13: a device is missing in the list `cuda:0,,cuda:1`",
        ),
        (
            "device: \"cuda:0,foo\"\n",
            "dl.config.sdn:1:9: in the list `cuda:0,foo`: unknown device `foo`",
        ),
        (
            "training:\n    device: \"cuda:1,cuda:1\"\n",
            "dl.config.sdn:2:13: `cuda:1` is named twice",
        ),
        (
            "device: [cuda:0, cuda:1]\n",
            "dl.config.sdn:1:9: the device is an array; expected one of cpu, cuda, cuda:N (N from 0 to 127), mps, gpu, auto, or several in one text",
        ),
    ] {
        let error = load_text("several", text).unwrap_err();
        assert!(error.contains(expected), "{text:?} gave {error:?}");
    }
    let error = layered("several", "", &[], Some("gpu,cpu")).unwrap_err();
    assert!(error.starts_with("--device: `gpu` chooses one"), "{error}");
}

#[test]
fn no_gpu_is_the_cpu_whatever_the_layers_say() {
    let (folder, files) = files("no-gpu", &[(FILE, "device: cuda:1\nbackend: cuda\n")]);
    let mut sources = Sources {
        files,
        overrides: Overrides {
            no_gpu: true,
            ..Overrides::NONE
        },
        ..Sources::default()
    };
    let (config, _) = load(&sources).unwrap();
    assert_eq!(
        (config.device.to_string().as_str(), config.no_gpu),
        ("cpu", true)
    );
    sources.overrides.device = Some("cuda".to_owned());
    let error = load(&sources).unwrap_err();
    assert!(
        error.starts_with("--device=cuda:0: `--no-gpu` is given too"),
        "{error}"
    );
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_variable_that_means_nothing_is_named() {
    let (_, warnings) = layered("variables", "", &[("SIMPLE_DL_DEVISE", "cuda")], None).unwrap();
    assert_eq!(
        warnings,
        ["unknown variable SIMPLE_DL_DEVISE is ignored; did you mean `SIMPLE_DL_DEVICE`?"]
    );
}

#[test]
fn what_the_environment_and_the_command_line_say_is_fixed() {
    let (config, _) = layered(
        "fixed",
        "backend: torch\n",
        &[("SIMPLE_DL_DTYPE", "f64")],
        Some("cpu"),
    )
    .unwrap();
    let fixed = ["device", "dtype", "backend", "seed"].map(|key| config.is_fixed(key));
    assert_eq!(fixed, [true, true, false, false]);
}

#[test]
fn layers_override_only_what_they_have() {
    let (folder, files) = files(
        "layers",
        &[
            ("user", "device: mps\ndtype: f16\namp: true\n"),
            (FILE, "dl:\n    dtype: f64\n"),
        ],
    );
    let mut sources = Sources {
        files,
        ..Sources::default()
    };
    let (config, _) = load(&sources).unwrap();
    assert_eq!(
        (
            config.device.to_string().as_str(),
            config.dtype.name,
            config.amp
        ),
        ("mps", "f64", true)
    );
    sources.environment = vec![
        ("SIMPLE_DL_DEVICE".into(), "cuda".into()),
        ("SIMPLE_DL_DTYPE".into(), "i32".into()),
    ];
    sources.overrides.dtype = Some("u8".into());
    let (config, _) = load(&sources).unwrap();
    assert_eq!(
        (config.device.to_string().as_str(), config.dtype.name),
        ("cuda:0", "u8")
    );
    sources.overrides.device = Some("cuda:x".into());
    assert!(
        load(&sources)
            .unwrap_err()
            .starts_with("--device: unknown device `cuda:x`; expected one of cpu, cuda")
    );
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn what_is_no_text_file_is_named() {
    use std::os::unix::ffi::OsStringExt;
    let (folder, files) = files("odd", &[(FILE, "")]);
    let load_file = |path: &Path| {
        load(&Sources {
            files: vec![path.to_owned()],
            ..Sources::default()
        })
        .unwrap_err()
    };
    std::fs::write(&files[0], b"device: \xff\n").unwrap();
    let error = load_file(&files[0]);
    assert!(error.contains(FILE) && error.contains("byte 8"), "{error}");
    std::fs::write(&files[0], vec![b' '; 1 << 20 | 1]).unwrap();
    let error = load_file(&files[0]);
    assert!(error.contains("at most 1048576 bytes are read"), "{error}");
    let error = load_file(&folder);
    assert!(error.contains("it is a folder, not a file"), "{error}");
    let error = load_file(Path::new("/dev/zero"));
    assert!(error.contains("it is a device, not a file"), "{error}");
    std::fs::remove_dir_all(&folder).unwrap();
    let error = load(&Sources {
        environment: vec![("SIMPLE_DL_DEVICE".into(), OsString::from_vec(vec![0xff]))],
        ..Sources::default()
    });
    let error = error.unwrap_err();
    assert!(
        error.starts_with("SIMPLE_DL_DEVICE: ") && error.contains("UTF-8"),
        "{error}"
    );
}

#[test]
fn unknown_keys_warn_with_line_and_nearest_key() {
    let (_, warnings) = load_text(
        "keys",
        "dl:\n    device: cpu\n    devise: cpu\n    colour: 3\n",
    )
    .unwrap();
    assert_eq!(warnings.len(), 2);
    assert!(
        warnings[0].starts_with("dl.config.sdn:3:5: unknown key `devise`"),
        "{warnings:?}"
    );
    assert!(warnings[0].contains("did you mean `device`?"));
    assert!(warnings[1].contains("known keys: device"));
}

#[test]
fn meaningless_values_are_errors_at_their_line() {
    for (text, expected) in [
        (
            "dl:\n    device: cuda:one\n",
            "dl.config.sdn:2:13: unknown device `cuda:one`",
        ),
        (
            "device: cuda:999\n",
            "dl.config.sdn:1:9: unknown device `cuda:999`",
        ),
        (
            "dtype: f31\n",
            "dl.config.sdn:1:8: unknown dtype `f31`; expected one of f16, bf16",
        ),
        (
            "backend: jax\n",
            "dl.config.sdn:1:10: unknown backend `jax`",
        ),
        ("device: 1\n", "dl.config.sdn:1:9: the device is an integer"),
        (
            "autograd: 7\n",
            "dl.config.sdn:1:11: autograd is an integer",
        ),
        ("seed: many\n", "dl.config.sdn:1:7: `many` is not a seed"),
        ("dl: cpu\n", "dl.config.sdn:1:1: `dl` is a string"),
        (
            "training: [1]\n",
            "dl.config.sdn:1:1: `training` is an array",
        ),
        (
            "training:\n    batch_size: 0\n",
            "dl.config.sdn:2:17: the batch size is 0",
        ),
        (
            "inference:\n    device: opencl\n",
            "libtorch does not have OpenCL",
        ),
    ] {
        let error = load_text("values", text).unwrap_err();
        assert!(error.contains(expected), "{text:?} gave {error:?}");
    }
    let error = load_text("broken", "dl:\n    device: \"cpu\n").unwrap_err();
    assert!(error.contains("dl.config.sdn:2:"), "{error}");
}
