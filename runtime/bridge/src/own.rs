//! Externs that the bridge itself offers to programs: what it knows about libraries and `dl.config.sdn`.
//!
//! They are rows of the same one-table macro that libraries use; `bridge.rs` looks here after the runtime's own table.

use crate::{dl_config, libraries, machine, torch};

simple_ffi_abi::functions! {
    /// Why `rt_torch_available` answered false; empty as long as it has not.
    fn rt_torch_unavailable_reason() -> text, never, STATE => torch::unavailable_reason;
    /// Why a library that `@Lib` could name cannot be used; empty if it can, and it is open then.
    fn rt_library_problem(name: text) -> text, fails, STATE => libraries::problem;
    /// The device that the program has chosen, else the configured one: `cpu`, `cuda:N`, `mps`, `gpu` or `auto`; several have commas
    /// between them. So with the next ones.
    fn rt_dl_config_device() -> text, fails, STATE => dl_config::extern_device;
    /// The configured dtype, such as `f32`.
    fn rt_dl_config_dtype() -> text, fails, STATE => dl_config::extern_dtype;
    /// What computes this program's tensors, chosen while it was compiled: `torch`, `native` or the path of a module.
    fn rt_dl_backend() -> text, fails, STATE => dl_config::extern_used;
    /// Why that computes, as the end of a sentence: `SIMPLE_DL_BACKEND says so`.
    fn rt_dl_backend_reason() -> text, fails, STATE => dl_config::extern_used_why;
    /// The configured backend: `auto`, `torch`, `native`, `cuda` or the path of a module.
    fn rt_dl_config_backend() -> text, fails, STATE => dl_config::extern_backend;
    /// Whether gradients are recorded.
    fn rt_dl_config_autograd() -> bool, fails(false), STATE => dl_config::extern_autograd;
    /// Whether mixed precision is on.
    fn rt_dl_config_amp() -> bool, fails(false), STATE => dl_config::extern_amp;
    /// Whether a seed is configured.
    fn rt_dl_config_has_seed() -> bool, fails(false), STATE => dl_config::extern_has_seed;
    /// Whether random numbers are to be started from the seed: not again from the one that they were started from, unless it is chosen again.
    fn rt_dl_config_take_seed() -> bool, fails(false), STATE => dl_config::extern_take_seed;
    /// The configured seed, 0 when there is none.
    fn rt_dl_config_seed() -> i64, fails(0), STATE => dl_config::extern_seed;
    /// Whether CUDA runs with synchronous launches and device-side checks.
    fn rt_dl_config_debug_cuda() -> bool, fails(false), STATE => dl_config::extern_debug_cuda;
    /// Whether operators must compute the same digits in each run.
    fn rt_dl_config_deterministic() -> bool, fails(false), STATE => dl_config::extern_deterministic;
    /// Whether cuDNN tries all algorithms of a convolution.
    fn rt_dl_config_cudnn_benchmark() -> bool, fails(false), STATE => dl_config::extern_cudnn_benchmark;
    /// The precision of products of matrices in f32, by PyTorch's word; empty where none is configured.
    fn rt_dl_config_matmul_precision() -> text, fails, STATE => dl_config::extern_matmul_precision;
    /// Whether an absent device falls back to the CPU rather than being an error.
    fn rt_dl_config_fallback() -> bool, fails(false), STATE => dl_config::extern_fallback;
    /// Whether `--no-gpu` is given.
    fn rt_dl_config_no_gpu() -> bool, fails(false), STATE => dl_config::extern_no_gpu;
    /// Has the answers to the questions above be these from now on.
    fn rt_dl_config_choose(device: text, dtype: text, backend: text, autograd: bool, amp: bool, has_seed: bool, seed: i64, reseed: bool) -> (), flag, STATE => dl_config::extern_choose;
    /// Has CUDA run with synchronous launches and device-side checks from now on; before CUDA is first used.
    fn rt_dl_config_ask_debug_cuda() -> (), flag, STATE => dl_config::extern_ask_debug_cuda;
    /// Has them be those of the configuration again.
    fn rt_dl_config_forget_choice() -> (), flag, STATE => dl_config::extern_forget_choice;
    /// The configuration of files, environment and command line, as lines of a key and its value; keys of `training:` and `inference:` begin with that name and a dot.
    fn rt_dl_config_all() -> text, fails, STATE => dl_config::extern_all;
    /// As `rt_dl_config_all`, of one file with the environment and the command line over it.
    fn rt_dl_config_file(path: text) -> text, fails, STATE => dl_config::extern_file;
    /// Whether the environment or the command line sets a key, which presets leave alone then.
    fn rt_dl_config_is_fixed(key: text) -> bool, fails(false), STATE => dl_config::extern_is_fixed;
    /// Which line of which file, which variable or which option says what a key is; `default` where nothing does.
    fn rt_dl_config_place(key: text) -> text, fails, STATE => dl_config::extern_place;

    /// Whether a message says that a GPU failed, maybe at an earlier call: its tensors must not be looked at then.
    fn rt_gpu_failed(message: text) -> bool, never, PURE => simple_ffi_abi::device::fails_late;
    /// Whether a message says that a device, or the machine, has no memory left.
    fn rt_is_out_of_memory(message: text) -> bool, never, PURE => simple_ffi_abi::device::is_out_of_memory;
    /// The system: `Linux`, `Darwin`, `Windows`.
    fn rt_machine_platform() -> text, fails, PURE => machine::platform;
    /// The kind of processor, such as `x86_64`.
    fn rt_machine_architecture() -> text, fails, PURE => machine::architecture;
    /// The processor's name.
    fn rt_machine_processor() -> text, fails, PURE => machine::processor;
    /// How many cores the processor has.
    fn rt_machine_cores() -> i64, never, PURE => machine::cores;
    /// How many threads run at a time in this process.
    fn rt_machine_threads() -> i64, never, STATE => machine::threads;
    /// Bytes of main memory that this process may use.
    fn rt_machine_memory() -> i64, never, STATE => machine::memory;
    /// Bytes of main memory that are free.
    fn rt_machine_free_memory() -> i64, never, STATE => machine::free_memory;
    /// Asks the driver for the machine's GPUs, in CUDA's order where libtorch has initialised CUDA. The functions below answer from it.
    fn rt_gpu_count(initialised: bool) -> i64, never, STATE => machine::gpu_count;
    /// The name of a GPU.
    fn rt_gpu_name(index: i64) -> text, fails, STATE => machine::gpu_name;
    /// Its compute capability: 806 is 8.6, 0 is unknown.
    fn rt_gpu_capability(index: i64) -> i64, never, STATE => machine::gpu_capability;
    /// Bytes of its memory, 0 where that is unknown.
    fn rt_gpu_memory(index: i64) -> i64, never, STATE => machine::gpu_memory;
    /// Bytes of its memory that are free, 0 where that is unknown.
    fn rt_gpu_free_memory(index: i64) -> i64, never, STATE => machine::gpu_free_memory;
    /// The release of the driver, such as `580.65.06`; empty where that is unknown.
    fn rt_driver_release() -> text, fails, STATE => machine::driver_release;
    /// The newest CUDA that the driver can do: 13000 is 13.0, 0 is unknown.
    fn rt_driver_cuda() -> i64, never, STATE => machine::driver_cuda;
}
