//! What the words of libtorch, the driver and the loader mean when something fails: the cause, and what to do.

/// Cause and cure, in words for the user.
pub struct Advice {
    /// What is wrong.
    pub cause: String,
    /// What to do.
    pub cure: String,
}

/// How an NVIDIA driver is updated or installed.
pub const DRIVER: &str = "install NVIDIA's driver, release 580 or newer (Ubuntu: `sudo ubuntu-drivers install`; others: nvidia.com/drivers), and restart";
/// How CUDA's parts of libtorch come to be.
pub const FETCH: &str = "run `bin/simple build --cuda`, which fetches CUDA's parts of libtorch; the CUDA toolkit is not needed";

/// A part of what was said, the cause, and the cure.
const KNOWN: &[(&[&str], &str, &str)] = &[
    (
        &["out of memory", "OUT_OF_MEMORY"],
        "the GPU's memory is full: this program needs too much, or other processes hold it",
        "`nvidia-smi` lists the processes: end those that are not needed; otherwise use a smaller batch or model, or accumulate gradients over several \
         small batches",
    ),
    (
        // libtorch asks NVML when memory has run out, and nowhere else before a tensor is made.
        &["NVML_SUCCESS", "nvml", "libnvidia-ml"],
        "the GPU's memory has run out, and NVML cannot say who holds it",
        "end other processes on the GPU, or use a smaller batch or model; install the driver's package of tools (`nvidia-utils`)",
    ),
    (
        &["no kernel image", "not compatible with the current PyTorch"],
        "this GPU is older or newer than those that libtorch is built for (compute capability 7.5 to 12.0)",
        "use another GPU, or the CPU: `device: \"cpu\"` in dl.config.sdn",
    ),
    (
        &[
            "illegal instruction",
            "illegal memory access",
            "misaligned address",
        ],
        "a kernel ran into an error of the GPU: the driver does not fit CUDA 13 (common in WSL2), its memory is damaged, or an index is out of range",
        "update the driver (WSL2: the one of Windows, then `wsl --shutdown`); `debug_cuda: true` in dl.config.sdn names the operation",
    ),
    (
        &["device-side assert"],
        "an index or a class number is out of range",
        "run once with `debug_cuda: true` in dl.config.sdn or with `--device cpu`, which names the place",
    ),
    (
        &[
            "is lost",
            "fallen off the bus",
            "GPU_IS_LOST",
            "uncorrectable ECC",
        ],
        "the GPU has stopped answering: it overheated, lost power, or its memory failed",
        "restart the machine; if it happens again, look at `sudo dmesg | grep -i xid`, at power and cooling",
    ),
    (
        &["busy or unavailable", "DEVICE_UNAVAILABLE"],
        "another process has the GPU for itself (exclusive mode), or it is being reset",
        "`nvidia-smi` lists the processes; `sudo nvidia-smi -c DEFAULT` ends the exclusive mode",
    ),
    (
        &[
            "driver on your system is too old",
            "driver version is insufficient",
        ],
        "the NVIDIA driver is older than CUDA 13, for which libtorch is built",
        DRIVER,
    ),
    (
        &["undefined symbol", "version `", "symbol lookup error"],
        "libraries of two versions are mixed: CUDA's part does not belong to this libtorch, or LD_LIBRARY_PATH leads to another CUDA or cuDNN",
        "unset LD_LIBRARY_PATH and LD_PRELOAD, then run `bin/simple build --cuda`, which fetches what belongs together",
    ),
    (
        &["cannot open shared object file"],
        "a library that CUDA's part of libtorch needs is missing",
        FETCH,
    ),
    (
        &["file too short", "invalid ELF header", "cannot be opened"],
        "CUDA's part of libtorch is damaged",
        "remove the libtorch folder from the cache (`~/.cache/simple`) and run `bin/simple build --cuda`",
    ),
    (
        &["is not the part of this libtorch for GPUs"],
        "another library has the name of CUDA's part",
        FETCH,
    ),
    (
        &["built without CUDA"],
        "this libtorch computes on the CPU only",
        FETCH,
    ),
    (
        &["ROCm"],
        "this libtorch is for AMD GPUs",
        "unset LIBTORCH_PATH and run `bin/simple build --cuda`, which fetches one for NVIDIA GPUs",
    ),
    (
        &["no NVIDIA driver"],
        "the NVIDIA driver is not installed, or not visible here",
        DRIVER,
    ),
    (
        &[
            "No CUDA GPUs are available",
            "no CUDA-capable device",
            "NO_DEVICE",
        ],
        "the driver works and has no GPU for this process: none is in the machine, CUDA_VISIBLE_DEVICES hides it, or the container was started without it",
        "unset CUDA_VISIBLE_DEVICES; start containers with `docker run --gpus all`",
    ),
    (
        &[
            "unsupported display driver",
            "SYSTEM_DRIVER_MISMATCH",
            "ersion mismatch",
        ],
        "the driver was updated while its older part is still loaded in the kernel",
        "restart the machine",
    ),
    (
        &["CUDA unknown error", "ERROR_UNKNOWN"],
        "the driver could not start: often after the machine slept, or `/dev/nvidia-uvm` is missing",
        "run `sudo rmmod nvidia_uvm; sudo modprobe nvidia_uvm`, or restart the machine",
    ),
    (
        &[
            "operation not supported",
            "NOT_SUPPORTED",
            "integrity checks failed",
        ],
        "the library libcuda.so.1 that was found is not a whole NVIDIA driver",
        DRIVER,
    ),
    (
        &["ended by signal"],
        "a library crashed: it is damaged, or of another version than the others",
        "unset LD_LIBRARY_PATH and LD_PRELOAD; run `bin/simple build`, which checks libtorch and fetches it again where it is damaged",
    ),
    (
        &["a limit of"],
        "a library hangs while it is opened, often in a driver that waits for a GPU",
        "restart the machine; `nvidia-smi` must answer before a program can",
    ),
    (
        &["computes 1 + 1", "matrix product is wrong"],
        "the device computes wrong numbers",
        "do not use it; `sudo dmesg | grep -i xid` may say why",
    ),
];

/// What words of a failure mean. The first entry that fits wins.
pub fn about(said: &str) -> Advice {
    let fits = |parts: &[&str]| parts.iter().any(|part| said.contains(part));
    let found = KNOWN.iter().find(|(parts, ..)| fits(parts));
    let (cause, cure) = found.map_or(
        ("not known", "`nvidia-smi` may say more; with `debug_cuda: true` in dl.config.sdn a program names the operation that fails"),
        |(_, cause, cure)| (*cause, *cure),
    );
    Advice {
        cause: cause.to_owned(),
        cure: cure.to_owned(),
    }
}
