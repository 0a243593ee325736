//! Externs that the bridge itself offers to programs: what it knows about the torch library and `dl.config.sdn`.
//!
//! They are rows of the same one-table macro that libraries use; `bridge.rs` looks here after the runtime's own table.

use crate::{dl_config, torch};

simple_ffi_abi::functions! {
    /// Why `rt_torch_available` answered false; empty as long as it has not.
    fn rt_torch_unavailable_reason() -> text, never, STATE => torch::unavailable_reason;
    /// The configured device: `cpu`, `cuda:N`, `mps`, or `gpu` for the best there is.
    fn rt_dl_config_device() -> text, fails, STATE => dl_config::extern_device;
    /// The configured dtype, such as `f32`.
    fn rt_dl_config_dtype() -> text, fails, STATE => dl_config::extern_dtype;
    /// The configured backend: `native`, `torch` or `cuda`.
    fn rt_dl_config_backend() -> text, fails, STATE => dl_config::extern_backend;
    /// Whether gradients are recorded.
    fn rt_dl_config_autograd() -> bool, fails(false), STATE => dl_config::extern_autograd;
    /// Whether mixed precision is on.
    fn rt_dl_config_amp() -> bool, fails(false), STATE => dl_config::extern_amp;
    /// Whether a seed is configured.
    fn rt_dl_config_has_seed() -> bool, fails(false), STATE => dl_config::extern_has_seed;
    /// The configured seed, 0 when there is none.
    fn rt_dl_config_seed() -> i64, fails(0), STATE => dl_config::extern_seed;
    /// Whether CUDA runs with synchronous launches and device-side checks.
    fn rt_dl_config_debug_cuda() -> bool, fails(false), STATE => dl_config::extern_debug_cuda;
    /// Whether an absent device falls back to the CPU rather than being an error.
    fn rt_dl_config_fallback() -> bool, fails(false), STATE => dl_config::extern_fallback;
}
