//! Saving and loading: tensors by name in safetensors, `.pth`, `.npy` and `.npz` files.
//!
//! - `safetensors`, `pth` (with `pickle`, `view`, and `legacy` for files before PyTorch 1.6), `numpy`: one module per format;
//! - `source` reads files without believing what they claim, `limit` bounds what compressed ones become, `atomic`
//!   writes them completely or not at all,
//!   `plain` is a tensor as files hold it.
//!
//! Checkpoints are safetensors files whose notes hold numbers and texts; what goes into one is decided in `lib/save`.

pub mod atomic;
pub mod legacy;
pub mod limit;
pub mod numpy;
pub mod pickle;
pub mod plain;
pub mod pth;
pub mod safetensors;
pub mod source;
pub mod view;

#[cfg(test)]
mod dtype_tests;
#[cfg(test)]
mod fault_tests;
#[cfg(test)]
pub mod mutation_tests;
#[cfg(test)]
pub mod tests;
