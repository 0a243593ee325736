//! `dl.config.sdn`: which device, dtype and backend deep-learning programs use.
//!
//! Layers, each overriding only the keys it has: `~/.simple/dl.config.sdn`, `dl.config.sdn` in the working directory,
//! `dl.config.local.sdn` beside it, what the program's files say (`#![backend(native)]`), the variables of the environment (`SIMPLE_DL_DEVICE` ..., `sources.rs`), then the command line. A missing file is
//! skipped; a broken one or a value that means nothing is an error with its line, so that no program runs on a device that was
//! not asked for. Whether the device exists is not checked here: `libsimple_torch` knows, and `lib/torch` falls back.
//!
//! `sources` says where the layers come from, `file` reads one file, `value` the words in it, `backend` what a backend asks of the
//! device, `choice` decides what computes a program's tensors, `process` keeps the configuration of this process and answers the program's questions.

mod backend;
mod choice;
mod file;
mod process;
mod sources;
mod value;

#[cfg(test)]
mod mutations;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use simple_ffi_abi::device::{Choice, Device, Devices};
use simple_ffi_abi::dtype::{self, Dtype};

pub use backend::Backend;
pub use choice::{Chosen, Facts, Used, choose};
pub(crate) use process::*;
pub use process::{
    Program, Surveyor, chosen, current, is_chosen, set_compiled, set_overrides, set_program,
    silence,
};
pub use sources::{Declared, Overrides, Sources};

/// The configuration, all layers merged.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DlConfig {
    /// Where new tensors are; of several devices, the first. Together they compute the batches of a model.
    pub device: Devices,
    /// The dtype of new tensors.
    pub dtype: &'static Dtype,
    /// What computes.
    pub backend: Backend,
    /// Whether gradients are recorded.
    pub autograd: bool,
    /// Whether mixed precision is on.
    pub amp: bool,
    /// The seed of random numbers.
    pub seed: Option<i64>,
    /// Whether CUDA launches are synchronous and checked.
    pub debug_cuda: bool,
    /// Whether operators compute the same digits in each run, also on a GPU.
    pub deterministic: bool,
    /// Whether cuDNN tries all algorithms of a convolution and takes the fastest.
    pub cudnn_benchmark: bool,
    /// How exact products of matrices in f32 are: `highest`, `high` or `medium`. `None` leaves it to libtorch.
    pub matmul_precision: Option<&'static str>,
    /// Whether an absent device falls back to the next best.
    pub fallback: bool,
    /// Whether no GPU may be used, whatever the program asks for.
    pub no_gpu: bool,
    /// What `training:` changes for programs that are set up for training.
    pub training: Section,
    /// What `inference:` changes for programs that are set up for inference.
    pub inference: Section,
    places: Places,
}

/// What a block such as `training:` changes; what it does not name stays.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
#[allow(missing_docs, reason = "as the fields of `DlConfig`")]
pub struct Section {
    pub device: Option<Devices>,
    pub dtype: Option<&'static Dtype>,
    pub backend: Option<Backend>,
    pub autograd: Option<bool>,
    pub amp: Option<bool>,
    pub seed: Option<i64>,
    /// How many examples a step takes; for the program to read.
    pub batch_size: Option<i64>,
    /// For the program to read: nothing here computes activations again.
    pub gradient_checkpointing: Option<bool>,
}

/// Where the values of keys come from.
type Places = BTreeMap<&'static str, Place>;

/// Where a value comes from.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Place {
    /// The number of the layer; higher ones win.
    layer: usize,
    /// For people: `dl.config.sdn:2:13`, `SIMPLE_DL_DEVICE`, `--device`.
    shown: String,
}

/// The layers above all files.
const PROGRAM: usize = usize::MAX - 2;
const ENVIRONMENT: usize = usize::MAX - 1;
const COMMAND_LINE: usize = usize::MAX;

impl Default for DlConfig {
    fn default() -> Self {
        DlConfig {
            device: Devices::One(Choice::Device(Device::Cpu)),
            dtype: dtype::F32,
            backend: Backend::Auto,
            autograd: true,
            amp: false,
            seed: None,
            debug_cuda: false,
            deterministic: false,
            cudnn_benchmark: false,
            matmul_precision: None,
            fallback: true,
            no_gpu: false,
            training: Section::default(),
            inference: Section::default(),
            places: Places::new(),
        }
    }
}

impl DlConfig {
    /// Which place of which file, which variable or which option says what a key is: `dl.config.sdn:2:13`, `SIMPLE_DL_DEVICE`, `--device`.
    /// `None` where nothing does, so that it has its default.
    pub fn place(&self, key: &str) -> Option<&str> {
        self.places.get(key).map(|place| place.shown.as_str())
    }

    /// Whether a key is set by something above all files: the program, the environment or the command line.
    pub fn is_above_files(&self, key: &str) -> bool {
        let place = self.places.get(key);
        place.is_some_and(|place| place.layer >= PROGRAM)
    }

    /// Whether the environment or the command line sets a key. What a program says for training or inference in general, and the blocks of
    /// that name, leave such a key alone.
    pub fn is_fixed(&self, key: &str) -> bool {
        let place = self.places.get(key);
        place.is_some_and(|place| place.layer >= ENVIRONMENT)
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
    for (layer, path) in sources.files.iter().enumerate() {
        file::apply(&mut config, &mut warnings, layer, path)?;
    }
    if let Some(Declared { word, place }) = &sources.program {
        set_word(&mut config, PROGRAM, place, "backend", word)?;
    }
    for (name, value) in &sources.environment {
        let Some(key) = sources::key_of_variable(name) else {
            let known = sources::variables().collect::<Vec<_>>().join(", ");
            let hint = simple_spelling::nearest(name, sources::variables()).map_or_else(
                || format!("known variables: {known}"),
                |near| format!("did you mean `{near}`?"),
            );
            warnings.push(format!("unknown variable {name} is ignored; {hint}"));
            continue;
        };
        let text = value.to_str().ok_or_else(|| {
            format!(
                "{name}: {value:?} is not UTF-8 text; {}",
                value::allowed(key)
            )
        })?;
        set_word(&mut config, ENVIRONMENT, name, key, text)?;
    }
    let Overrides {
        device,
        dtype,
        backend,
        no_gpu,
        debug_cuda,
    } = &sources.overrides;
    for (option, key, value) in [
        ("--no-gpu", "device", no_gpu.then_some("cpu")),
        ("--device", "device", device.as_deref()),
        ("--dtype", "dtype", dtype.as_deref()),
        ("--backend", "backend", backend.as_deref()),
        ("--debug-cuda", "debug_cuda", debug_cuda.then_some("true")),
    ] {
        if let Some(text) = value {
            set_word(&mut config, COMMAND_LINE, option, key, text)?;
        }
    }
    config.no_gpu = *no_gpu;
    if config.no_gpu && config.device.is_gpu() {
        return Err(format!(
            "--device={}: `--no-gpu` is given too; leave one of them out",
            config.device
        ));
    }
    backend::agree(&mut config, &mut warnings)?;
    Ok((config, warnings))
}

/// A value from a variable of the environment or from the command line.
fn set_word(
    config: &mut DlConfig,
    layer: usize,
    from: &str,
    key: &'static str,
    text: &str,
) -> Result<(), String> {
    let said = |reason: String| format!("{from}: {reason}");
    match key {
        "device" => config.device = value::device(text).map_err(said)?,
        "dtype" => config.dtype = value::dtype(text).map_err(said)?,
        "debug_cuda" => config.debug_cuda = value::truth_word(key, text).map_err(said)?,
        _ => config.backend = value::backend(text).map_err(said)?,
    }
    let shown = from.to_owned();
    config.places.insert(key, Place { layer, shown });
    Ok(())
}
