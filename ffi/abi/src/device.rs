//! The devices of tensors: the one list of their kinds, of the words for them and of their numbers.
//!
//! The configuration (`runtime/bridge`) and the torch library (`ffi/torch`) both read words by it, so what `Tensor.device()` says can be
//! written wherever a device is expected. Whether a device is there is not known here: the torch library asks libtorch. Dtypes are in
//! `dtype`. The enum of programs is `lib/std/dl/device.spl`; its spec compares it with this list. Several devices in one text: `list`.

mod list;

use std::fmt;

pub use list::Devices;

/// A place for tensors, as libtorch names it. AMD GPUs are CUDA devices too: a libtorch for ROCm calls them so.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Device {
    /// Main memory.
    Cpu,
    /// A GPU of NVIDIA or AMD, by its number.
    Cuda(u8),
    /// The GPU of an Apple machine.
    Mps,
}

/// What a word for a device asks for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Choice {
    /// `cpu`, `cuda`, `cuda:1`, `mps`.
    Device(Device),
    /// `gpu`: CUDA, else MPS, and the CPU where neither is there, which is said.
    Gpu,
    /// `auto`: as `gpu`, where the CPU is as good an answer.
    Auto,
}

/// How many numbers libtorch has for devices of one kind; it keeps them in 8 bits.
const MOST: u8 = 128;
const CPU: i64 = -1;
const MPS: i64 = -2;

/// Set by the runtime under `--no-gpu`, before the torch library is opened: the library then answers that there is no GPU.
pub const NO_GPU_VARIABLE: &str = "SIMPLE_NO_GPU";

/// Whether a reason of libtorch is one that a GPU reports, and reports at some call after the one that failed.
pub fn fails_late(reason: &str) -> bool {
    let says = |words: &[&str]| words.iter().any(|words| reason.contains(words));
    says(&[
        "CUDA error:",
        "HIP error:",
        "CUDNN_STATUS_",
        "CUBLAS_STATUS_",
        "CUSOLVER_STATUS_",
        "CUSPARSE_STATUS_",
        "CUFFT_",
    ])
        // What the driver is asked for fails at once.
        && !says(&["invalid device ordinal", "no kernel image is available"])
        && !is_out_of_memory(reason)
}

/// Whether a reason of libtorch says that a device, or the machine, has no memory left. The libraries for GPUs have a word of their own for it, which
/// a full GPU gives as well as the allocator's.
pub fn is_out_of_memory(reason: &str) -> bool {
    reason.contains("out of memory") || is_refused_memory(reason)
}

/// Whether a library for GPUs (cuBLAS, cuDNN and others) says that it was given no memory.
pub fn is_refused_memory(reason: &str) -> bool {
    reason.contains("_STATUS_ALLOC_FAILED") || reason.contains("CUFFT_ALLOC_FAILED")
}

/// Whether a reason of libtorch means that the process cannot use the GPU any more: every call fails from then on. A call that a library refuses, and a
/// full GPU, leave it as it was.
pub fn is_final(reason: &str) -> bool {
    const FINAL: [&str; 14] = [
        "device-side assert triggered",
        "illegal memory access",
        "illegal instruction",
        "misaligned address",
        "global/shared address space",
        "invalid program counter",
        "unspecified launch failure",
        "launch timed out",
        "hardware stack error",
        "uncorrectable ECC error",
        "uncorrectable NVLink error",
        "Invalid access of peer GPU memory",
        "_STATUS_EXECUTION_FAILED",
        "error: unknown error",
    ];
    fails_late(reason) && FINAL.iter().any(|words| reason.contains(words))
}

/// Whether the program waits for each kernel of a GPU, so that a failure comes out at its own line.
pub fn launches_one_by_one() -> bool {
    std::env::var_os("CUDA_LAUNCH_BLOCKING").is_some_and(|value| value == "1")
}

/// The words that messages offer.
pub const WORDS: &str = "cpu, cuda, cuda:N (N from 0 to 127), mps, gpu, auto";

/// The words that mean one thing only.
const PLAIN: [(&str, Choice); 5] = [
    ("cpu", Choice::Device(Device::Cpu)),
    ("cuda", Choice::Device(Device::Cuda(0))),
    ("mps", Choice::Device(Device::Mps)),
    ("gpu", Choice::Gpu),
    ("auto", Choice::Auto),
];

const NO_OTHERS: &str = "is not part of libtorch as Simple uses it";

/// Words of other libraries for devices, and what to do about them.
const FOREIGN: [(&str, &str); 10] = [
    (
        "opencl",
        "libtorch does not have OpenCL; `cuda` is for GPUs of NVIDIA and AMD, `mps` for those of Apple machines",
    ),
    (
        "rocm",
        "a libtorch for AMD GPUs (ROCm) calls them `cuda`: write `cuda` or `cuda:N`",
    ),
    (
        "hip",
        "a libtorch for AMD GPUs (ROCm) calls them `cuda`: write `cuda` or `cuda:N`",
    ),
    ("nvidia", "write `cuda` or `cuda:N`"),
    ("metal", "write `mps`"),
    ("vulkan", NO_OTHERS),
    ("xpu", NO_OTHERS),
    ("tpu", NO_OTHERS),
    ("xla", NO_OTHERS),
    ("npu", NO_OTHERS),
];

/// A text that does not say which device, or devices, are meant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unknown {
    /// A word that is not a device.
    Word(String),
    /// A list of devices with a mistake in it.
    List {
        /// The whole list.
        text: String,
        /// What is wrong with it.
        mistake: list::Mistake,
    },
}

impl std::error::Error for Unknown {}

impl fmt::Display for Unknown {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unknown::Word(word) => unknown_word(word, out),
            Unknown::List { text, mistake } => mistake.tell(text, out),
        }
    }
}

fn unknown_word(word: &str, out: &mut fmt::Formatter<'_>) -> fmt::Result {
    write!(out, "unknown device `{word}`; expected one of {WORDS}")?;
    let plain = word.trim().to_lowercase();
    if of_word(&plain).is_ok() {
        return write!(out, "; did you mean `{plain}`?");
    }
    if let Ok(Devices::Several(_)) = Devices::of_text(word) {
        return out.write_str(
            "; a list of devices is for dl.config.sdn, `--device`, `dl.device(...)` and `DataParallel`",
        );
    }
    match foreign(&plain) {
        Some((name, NO_OTHERS)) => write!(out, "; `{name}` {NO_OTHERS}"),
        Some((_, advice)) => write!(out, "; {advice}"),
        None => Ok(()),
    }
}

/// What another library calls a device, and what to do about it.
fn foreign(word: &str) -> Option<(&'static str, &'static str)> {
    let kind = word.split(':').next().unwrap_or_default();
    FOREIGN.into_iter().find(|(name, _)| *name == kind)
}

/// What a word asks for.
///
/// # Errors
///
/// A word that is not in the list; the message says which are, and what words of other libraries are called here.
pub fn of_word(word: &str) -> Result<Choice, Unknown> {
    let plain = PLAIN.iter().find(|(name, _)| *name == word);
    plain
        .map(|(_, choice)| *choice)
        .or_else(|| numbered(word).map(Choice::Device))
        .ok_or_else(|| Unknown::Word(word.to_owned()))
}

/// `cuda:N`, where N has no sign and no zeros before it.
fn numbered(word: &str) -> Option<Device> {
    let digits = word.strip_prefix("cuda:")?;
    let plain = digits == "0"
        || !digits.starts_with('0') && digits.bytes().all(|byte| byte.is_ascii_digit());
    let number: u8 = digits.parse().ok().filter(|_| plain)?;
    (number < MOST).then_some(Device::Cuda(number))
}

/// Whether a word is meant as a device, even if there is no such device. Words for dtypes are not.
pub fn is_meant(word: &str) -> bool {
    let plain = word.trim().to_lowercase();
    let kind = plain.split([':', ',']).next().unwrap_or_default();
    PLAIN.iter().any(|(name, _)| *name == kind)
        || plain.starts_with("cuda")
        || foreign(&plain).is_some()
}

impl Device {
    /// The number of a device where functions of the torch library take one: -1 the CPU, -2 MPS, 0 and up the CUDA devices.
    pub fn number(self) -> i64 {
        match self {
            Device::Cpu => CPU,
            Device::Mps => MPS,
            Device::Cuda(index) => index.into(),
        }
    }

    /// The device of a number; CUDA devices up to the largest number that libtorch has.
    pub fn of_number(number: i64) -> Option<Device> {
        match number {
            CPU => Some(Device::Cpu),
            MPS => Some(Device::Mps),
            _ => u8::try_from(number)
                .ok()
                .filter(|index| *index < MOST)
                .map(Device::Cuda),
        }
    }

    /// Whether it is a GPU.
    pub fn is_gpu(self) -> bool {
        self != Device::Cpu
    }
}

impl Choice {
    /// Whether a GPU is asked for; `auto` does not insist on one.
    pub fn is_gpu(self) -> bool {
        match self {
            Choice::Device(device) => device.is_gpu(),
            Choice::Gpu => true,
            Choice::Auto => false,
        }
    }
}

impl fmt::Display for Device {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Device::Cpu => out.write_str("cpu"),
            Device::Cuda(number) => write!(out, "cuda:{number}"),
            Device::Mps => out.write_str("mps"),
        }
    }
}

impl fmt::Display for Choice {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Choice::Device(device) => device.fmt(out),
            Choice::Gpu => out.write_str("gpu"),
            Choice::Auto => out.write_str("auto"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_a_gpu_reports_fails_late() {
        assert!(fails_late("CUDA error: device-side assert triggered"));
        assert!(fails_late("cuDNN error: CUDNN_STATUS_EXECUTION_FAILED"));
        assert!(!fails_late("CUDA error: invalid device ordinal"));
        assert!(!fails_late("CUDA out of memory. Tried to allocate 2 GiB"));
        assert!(!fails_late("CUDA error: out of memory"));
        assert!(!fails_late(
            "CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`"
        ));
        assert!(!fails_late("The size of tensor a (2) must match"));
    }

    #[test]
    fn a_full_gpu_and_a_refused_call_are_not_final() {
        for reason in [
            "CUDA error: device-side assert triggered",
            "CUDA error: an illegal memory access was encountered",
            "HIP error: unspecified launch failure",
            "cuDNN error: CUDNN_STATUS_EXECUTION_FAILED",
            "CUDA error: CUBLAS_STATUS_EXECUTION_FAILED when calling `cublasSgemm(...)`",
        ] {
            assert!(fails_late(reason) && is_final(reason), "{reason}");
            assert!(!is_out_of_memory(reason), "{reason}");
        }
        for reason in [
            "CUDA out of memory. Tried to allocate 2 GiB",
            "CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`",
            "cuDNN error: CUDNN_STATUS_ALLOC_FAILED",
            "cuFFT error: CUFFT_ALLOC_FAILED",
        ] {
            assert!(is_out_of_memory(reason) && !is_final(reason), "{reason}");
        }
        for reason in [
            "cuDNN error: CUDNN_STATUS_NOT_SUPPORTED",
            "CUDA error: operation not permitted when stream is capturing",
            "CUDA error: invalid device ordinal",
            "an illegal memory access of a file",
        ] {
            assert!(!is_final(reason) && !is_out_of_memory(reason), "{reason}");
        }
    }

    #[test]
    fn a_device_has_one_spelling_and_one_number() {
        let numbered = (0..MOST).map(Device::Cuda);
        for device in [Device::Cpu, Device::Mps].into_iter().chain(numbered) {
            assert_eq!(of_word(&device.to_string()), Ok(Choice::Device(device)));
            assert_eq!(Device::of_number(device.number()), Some(device));
        }
        assert_eq!(
            of_word("cuda").map(|c| c.to_string()).as_deref(),
            Ok("cuda:0")
        );
        assert_eq!(of_word("gpu"), Ok(Choice::Gpu));
        assert_eq!(of_word("auto"), Ok(Choice::Auto));
        for number in [-100, -3, 128, 256, i64::MAX] {
            assert_eq!(Device::of_number(number), None);
        }
    }

    #[test]
    fn other_words_are_errors_that_say_what_can_be_written() {
        for word in [
            "", "cuda:01", "cuda:00", "cuda:", "cuda:+1", "cuda:-1", "cuda:128", "cuda:one",
            " cpu", "cpu:0", "gpu:1",
        ] {
            let said = of_word(word).unwrap_err().to_string();
            let start = format!("unknown device `{word}`; expected one of cpu, cuda, cuda:N");
            assert!(said.starts_with(&start), "{said}");
        }
        for (word, advice) in [
            ("CPU", "did you mean `cpu`?"),
            ("CUDA:1", "did you mean `cuda:1`?"),
            ("opencl", "libtorch does not have OpenCL"),
            ("OpenCL:0", "libtorch does not have OpenCL"),
            ("rocm", "write `cuda` or `cuda:N`"),
            ("hip:1", "write `cuda` or `cuda:N`"),
            ("metal", "write `mps`"),
            ("vulkan", "`vulkan` is not part of libtorch"),
            ("cuda:0,cuda:1", "a list of devices is for dl.config.sdn"),
        ] {
            let said = of_word(word).unwrap_err().to_string();
            assert!(said.contains(advice), "{said}");
        }
    }

    #[test]
    fn words_for_dtypes_are_not_meant_as_devices() {
        for dtype in crate::dtype::DTYPES {
            for word in [dtype.name, dtype.python].iter().chain(dtype.others) {
                assert!(!is_meant(word), "{word}");
            }
        }
        for word in [
            "cpu", "cuda:one", "cudax", "CUDA", "opencl", "gpu:3", "cpu,cpu",
        ] {
            assert!(is_meant(word), "{word}");
        }
    }
}
