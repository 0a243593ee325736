//! `dl.config.sdn`: which device, dtype and backend deep-learning programs use.
//!
//! Layers, each overriding only the keys it has: `~/.simple/dl.config.sdn`, `dl.config.sdn` in the working directory,
//! `dl.config.local.sdn` beside it, `SIMPLE_DL_DEVICE`, `SIMPLE_DL_DTYPE` and `SIMPLE_DL_BACKEND`, then the command line. A missing file is
//! skipped; a broken one or a value that means nothing is an error with its line, so that no program runs on a device that was
//! not asked for. Whether the device exists is not checked here: `libsimple_torch` knows, and `lib/torch` falls back.

use std::cell::RefCell;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use sdn_parser::{Document, Entry, Node, NodeValue};
use simple_core::io::complain;
use simple_ffi_abi::dtype;
use simple_system::{in_words, open};

const KEYS: [&str; 8] = [
    "device",
    "dtype",
    "backend",
    "autograd",
    "amp",
    "seed",
    "debug_cuda",
    "fallback",
];
/// A file of the configuration has a few lines; one that is far larger is something else.
const LARGEST_FILE: u64 = 1 << 20;
/// Warnings that are shown; of the rest only the number is given.
const MOST_WARNINGS: usize = 20;
const FILE: &str = "dl.config.sdn";
const LOCAL_FILE: &str = "dl.config.local.sdn";

/// The configuration, all layers merged.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DlConfig {
    /// `cpu`, `cuda:N`, `mps`, `gpu` (the best accelerator found) or `auto` (as `gpu`, and the CPU is as good an answer).
    pub device: String,
    /// A dtype such as `f32`.
    pub dtype: String,
    /// `native`, `torch` or `cuda`.
    pub backend: String,
    /// Whether gradients are recorded.
    pub autograd: bool,
    /// Whether mixed precision is on.
    pub amp: bool,
    /// The seed of random numbers.
    pub seed: Option<i64>,
    /// Whether CUDA launches are synchronous and checked.
    pub debug_cuda: bool,
    /// Whether an absent device falls back to the CPU.
    pub fallback: bool,
}

impl Default for DlConfig {
    fn default() -> Self {
        DlConfig {
            device: "cpu".to_owned(),
            dtype: "f32".to_owned(),
            backend: "torch".to_owned(),
            autograd: true,
            amp: false,
            seed: None,
            debug_cuda: false,
            fallback: true,
        }
    }
}

/// Values from the command line, which win over everything.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Overrides {
    /// `--device`.
    pub device: Option<String>,
    /// `--dtype`.
    pub dtype: Option<String>,
}

/// Where the layers come from; [`Sources::of_process`] for a real run.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Sources {
    /// Files, lowest layer first.
    pub files: Vec<PathBuf>,
    /// Variables of the environment that are set: name and value.
    pub environment: Vec<(String, OsString)>,
    /// The command line.
    pub overrides: Overrides,
}

impl Sources {
    /// The files and variables of this process, in its working directory.
    pub fn of_process(overrides: Overrides) -> Sources {
        let home = std::env::var_os("HOME").filter(|home| !home.is_empty());
        let user = home.map(|home| Path::new(&home).join(".simple").join(FILE));
        let environment = ["SIMPLE_DL_DEVICE", "SIMPLE_DL_DTYPE", "SIMPLE_DL_BACKEND"]
            .into_iter()
            .filter_map(|name| Some((name.to_owned(), std::env::var_os(name)?)))
            .filter(|(_, value)| !value.is_empty())
            .collect();
        Sources {
            files: user
                .into_iter()
                .chain([PathBuf::from(FILE), PathBuf::from(LOCAL_FILE)])
                .collect(),
            environment,
            overrides,
        }
    }
}

/// Merges all layers. Returns the configuration and warnings, each a line for the user.
///
/// # Errors
///
/// The first broken file or meaningless value, with its place and what is allowed.
pub fn load(sources: &Sources) -> Result<(DlConfig, Vec<String>), String> {
    let mut config = DlConfig::default();
    let mut warnings = Vec::new();
    for path in &sources.files {
        match std::fs::symlink_metadata(path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
            _ => {}
        }
        let shown = path.display().to_string();
        let text = open::read(path, LARGEST_FILE).and_then(open::text_of);
        let text = text.map_err(|error| format!("cannot read {shown}: {}", in_words(&error)))?;
        let document =
            Document::parse_named(&text, shown.as_str()).map_err(|error| error.to_string())?;
        apply_file(&mut config, &mut warnings, &shown, &document.root)?;
    }
    for (name, value) in &sources.environment {
        let key = match name.as_str() {
            "SIMPLE_DL_DEVICE" => "device",
            "SIMPLE_DL_DTYPE" => "dtype",
            _ => "backend",
        };
        let value = value
            .to_str()
            .ok_or_else(|| format!("{name}: {value:?} is not UTF-8 text; {}", allowed(key)))?;
        apply_text(&mut config, key, value).map_err(|reason| format!("{name}: {reason}"))?;
        warnings.extend(without_effect(&config, key).map(|why| format!("{name}: {why}")));
    }
    for (option, key, value) in [
        ("--device", "device", &sources.overrides.device),
        ("--dtype", "dtype", &sources.overrides.dtype),
    ] {
        if let Some(value) = value {
            apply_text(&mut config, key, value).map_err(|reason| format!("{option}: {reason}"))?;
        }
    }
    Ok((config, warnings))
}

/// One file: the keys at its top level, then those of its `dl:` block, which win.
fn apply_file(
    config: &mut DlConfig,
    warnings: &mut Vec<String>,
    file: &str,
    root: &Node,
) -> Result<(), String> {
    let at = |node_line: u32, column: u32| format!("{file}:{node_line}:{column}");
    let Some(top) = root.as_dict() else {
        return Ok(());
    };
    let mut block = None;
    for (key, entry) in top.iter() {
        if key == "dl" {
            block = Some(entry);
        } else {
            apply_entry(config, warnings, file, key, entry)?;
        }
    }
    let Some(block) = block else { return Ok(()) };
    match &block.node.value {
        NodeValue::Null => {}
        NodeValue::Dict(keys) => {
            for (key, entry) in keys.iter() {
                apply_entry(config, warnings, file, key, entry)?;
            }
        }
        _ => {
            return Err(format!(
                "{}: `dl` is {}, but a block of keys such as `device: cpu` is needed",
                at(block.line, block.column),
                kind(&block.node)
            ));
        }
    }
    Ok(())
}

fn apply_entry(
    config: &mut DlConfig,
    warnings: &mut Vec<String>,
    file: &str,
    key: &str,
    entry: &Entry,
) -> Result<(), String> {
    if !KEYS.contains(&key) {
        let hint = simple_spelling::nearest(key, KEYS.into_iter().chain(["dl"])).map_or_else(
            || format!("known keys: {}", KEYS.join(", ")),
            |near| format!("did you mean `{near}`?"),
        );
        warnings.push(format!(
            "{file}:{}:{}: unknown key `{key}` is ignored; {hint}",
            entry.line, entry.column
        ));
        return Ok(());
    }
    let node = &entry.node;
    let at = |what: String| format!("{file}:{}:{}: {what}", node.line, node.column);
    apply_node(config, key, node).map_err(at)?;
    warnings.extend(without_effect(config, key).map(at));
    Ok(())
}

/// What a program may expect of the value that a key has now, and does not get.
fn without_effect(config: &DlConfig, key: &str) -> Option<String> {
    match key {
        "autograd" if !config.autograd => Some(
            "`autograd: false` has no effect: what is computed from a leaf with `requires_grad_()` is recorded, except inside `nograd:`"
                .to_owned(),
        ),
        "backend" if config.backend != "torch" => Some(format!(
            "`backend: {}` has no effect: libtorch is the only backend yet; `device` says where it computes",
            config.backend
        )),
        _ => None,
    }
}

fn apply_node(config: &mut DlConfig, key: &str, node: &Node) -> Result<(), String> {
    match key {
        "autograd" => config.autograd = truth(key, node)?,
        "amp" => config.amp = truth(key, node)?,
        "debug_cuda" => config.debug_cuda = truth(key, node)?,
        "fallback" => config.fallback = truth(key, node)?,
        "seed" => {
            config.seed = match &node.value {
                NodeValue::Null => None,
                NodeValue::Int(number) => Some(*number),
                NodeValue::String(text) => Some(
                    text.parse()
                        .map_err(|_| format!("`{text}` is not a seed; write a whole number"))?,
                ),
                _ => return Err(format!("the seed is {}; write a whole number", kind(node))),
            }
        }
        _ => match node.as_str() {
            Some(text) => apply_text(config, key, text)?,
            None => return Err(format!("the {key} is {}; {}", kind(node), allowed(key))),
        },
    }
    Ok(())
}

/// The keys whose values are words.
fn apply_text(config: &mut DlConfig, key: &str, text: &str) -> Result<(), String> {
    let meaning = match key {
        "device" => device(text),
        "dtype" => dtype::of_word(text).map(|dtype| dtype.name.to_owned()),
        _ => match text {
            "native" | "torch" | "cuda" => Some(text.to_owned()),
            "pytorch" => Some("torch".to_owned()),
            _ => None,
        },
    };
    let Some(meaning) = meaning else {
        return Err(format!("unknown {key} `{text}`; {}", allowed(key)));
    };
    match key {
        "device" => config.device = meaning,
        "dtype" => config.dtype = meaning,
        _ => config.backend = meaning,
    }
    Ok(())
}

/// A device in its one spelling.
fn device(text: &str) -> Option<String> {
    match text {
        "cpu" | "mps" | "gpu" | "auto" => Some(text.to_owned()),
        "cuda" => Some("cuda:0".to_owned()),
        _ => {
            let number = text.strip_prefix("cuda:")?;
            let plain = number == "0"
                || !number.starts_with('0') && number.bytes().all(|byte| byte.is_ascii_digit());
            // libtorch numbers devices in 8 bits.
            let number = number
                .parse::<u8>()
                .ok()
                .filter(|number| plain && *number < 128)?;
            Some(format!("cuda:{number}"))
        }
    }
}

fn allowed(key: &str) -> String {
    match key {
        "device" => {
            "expected one of cpu, cuda, cuda:N (N from 0 to 127), mps, gpu, auto".to_owned()
        }
        "dtype" => format!("expected one of {}", dtype::WORDS),
        _ => "expected one of native, torch (also pytorch), cuda".to_owned(),
    }
}

fn truth(key: &str, node: &Node) -> Result<bool, String> {
    match &node.value {
        NodeValue::Bool(truth) => Ok(*truth),
        NodeValue::String(text) => match text.as_str() {
            "true" | "True" | "1" => Ok(true),
            "false" | "False" | "0" => Ok(false),
            _ => Err(format!("`{text}` for {key} is neither true nor false")),
        },
        _ => Err(format!("{key} is {}; write true or false", kind(node))),
    }
}

/// The kind of a value with its article.
fn kind(node: &Node) -> String {
    let name = node.kind_name();
    let article = if name.starts_with(['a', 'i']) {
        "an"
    } else {
        "a"
    };
    format!("{article} {name}")
}

/// Of the process, because the bridge may be made on another thread than the one that runs the program.
static OVERRIDES: Mutex<Overrides> = Mutex::new(Overrides {
    device: None,
    dtype: None,
});

thread_local! {
    static LOADED: RefCell<Option<Result<DlConfig, String>>> = const { RefCell::new(None) };
}

fn overrides_of_process() -> MutexGuard<'static, Overrides> {
    // A panic elsewhere cannot leave two plain options half written.
    OVERRIDES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Takes the command line's values; what was loaded before is forgotten.
pub(crate) fn set_overrides(overrides: &Overrides) {
    overrides_of_process().clone_from(overrides);
    LOADED.with(|slot| *slot.borrow_mut() = None);
}

/// The configuration of this process, loaded at the first question; warnings are printed then.
///
/// # Errors
///
/// As [`load`]; the same error each time.
pub fn current() -> Result<DlConfig, String> {
    LOADED.with(|slot| {
        slot.borrow_mut()
            .get_or_insert_with(|| {
                let overrides = overrides_of_process().clone();
                let (config, warnings) = load(&Sources::of_process(overrides))?;
                for warning in warnings.iter().take(MOST_WARNINGS) {
                    complain(format_args!("warning: {warning}"));
                }
                if let more @ 1.. = warnings.len().saturating_sub(MOST_WARNINGS) {
                    complain(format_args!("warning: {more} more like these"));
                }
                Ok(config)
            })
            .clone()
    })
}

macro_rules! externs {
    ($($name:ident($config:ident) -> $ty:ty = $value:expr;)*) => {$(
        pub(crate) fn $name() -> Result<$ty, String> {
            current().map(|$config| $value)
        }
    )*};
}

externs! {
    extern_device(config) -> String = config.device;
    extern_dtype(config) -> String = config.dtype;
    extern_backend(config) -> String = config.backend;
    extern_autograd(config) -> bool = config.autograd;
    extern_amp(config) -> bool = config.amp;
    extern_has_seed(config) -> bool = config.seed.is_some();
    extern_seed(config) -> i64 = config.seed.unwrap_or(0);
    extern_debug_cuda(config) -> bool = config.debug_cuda;
    extern_fallback(config) -> bool = config.fallback;
}

#[cfg(test)]
mod tests {
    use super::*;

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
            assert_eq!(config.dtype, name);
        }
    }

    #[test]
    fn a_block_wins_over_the_top_level() {
        let text = "device: mps\nseed: \"12\"\ndl:\n    device: \"cuda:1\"\n    dtype: bf16\n    backend: pytorch\n    amp: \"True\"\n    fallback: false\n";
        let (config, warnings) = load_text("block", text).unwrap();
        let expected = DlConfig {
            device: "cuda:1".into(),
            dtype: "bf16".into(),
            amp: true,
            seed: Some(12),
            fallback: false,
            ..DlConfig::default()
        };
        assert_eq!(config, expected);
        assert_eq!(warnings, Vec::<String>::new());
    }

    #[test]
    fn what_has_no_effect_is_said_with_its_line() {
        let (_, warnings) =
            load_text("effect", "amp: true\nbackend: native\nautograd: false\n").unwrap();
        assert_eq!(warnings.len(), 2);
        assert!(
            warnings[0].starts_with("dl.config.sdn:2:10: `backend: native` has no effect"),
            "{warnings:?}"
        );
        let (_, warnings) =
            load_text("effect", "amp: false\nbackend: torch\nautograd: true\n").unwrap();
        assert_eq!(warnings, Vec::<String>::new());
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
            (config.device.as_str(), config.dtype.as_str(), config.amp),
            ("mps", "f64", true)
        );
        sources.environment = vec![
            ("SIMPLE_DL_DEVICE".into(), "cuda".into()),
            ("SIMPLE_DL_DTYPE".into(), "i32".into()),
        ];
        sources.overrides.dtype = Some("u8".into());
        let (config, _) = load(&sources).unwrap();
        assert_eq!(
            (config.device.as_str(), config.dtype.as_str()),
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
    fn a_device_has_one_spelling() {
        for (text, meaning) in [
            ("cuda:0", "cuda:0"),
            ("cuda:10", "cuda:10"),
            ("cuda", "cuda:0"),
        ] {
            assert_eq!(device(text).as_deref(), Some(meaning));
        }
        for text in [
            "cuda:01", "cuda:00", "cuda:", "cuda:+1", "cuda:128", "CPU", " cpu",
        ] {
            assert_eq!(device(text), None, "{text}");
        }
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
        assert!(error.contains("this is a folder"), "{error}");
        let error = load_file(Path::new("/dev/zero"));
        assert!(error.contains("this is a device"), "{error}");
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
        ] {
            let error = load_text("values", text).unwrap_err();
            assert!(error.contains(expected), "{text:?} gave {error:?}");
        }
        let error = load_text("broken", "dl:\n    device: \"cpu\n").unwrap_err();
        assert!(error.contains("dl.config.sdn:2:"), "{error}");
    }
}
