//! Saving and loading: tensors by name in safetensors, `.pth`, `.npy` and `.npz` files.
//!
//! - `archive`: what a program holds, and libtorch's side of it;
//! - `safetensors`, `pth` (with `pickle`), `numpy`: one module per format;
//! - `source` reads files without believing what they claim, `limit` bounds what compressed ones become, `atomic`
//!   writes them completely or not at all,
//!   `plain` is a tensor outside libtorch.
//!
//! Checkpoints are safetensors files whose notes hold numbers and texts; what goes into one is decided in
//! `lib/torch/save`.

pub mod archive;
pub mod atomic;
pub mod limit;
pub mod numpy;
pub mod pickle;
pub mod plain;
pub mod pth;
pub mod safetensors;
pub mod source;

#[cfg(test)]
mod fault_tests;
#[cfg(test)]
pub mod mutation_tests;
#[cfg(test)]
pub mod tests;

simple_ffi_abi::functions! {
    /// An archive of nothing: tensors and notes (texts) by name.
    fn rt_torch_archive_new() -> i64, fails(0), NEW_HANDLE => archive::new;
    /// Reads a file into a new archive: `safetensors`, `pth`, `npz` or `npy`, or "" for what the ending of the name says. An `.npy` file gives one tensor, `array`.
    fn rt_torch_archive_load(path: text, format: text) -> i64, fails(0), NEW_HANDLE | STATE => archive::load;
    /// Writes an archive to a file, which is there whole or not at all: `safetensors`, `npz`, `npz packed` or `npy`, or "" for what the ending says. Only safetensors files hold notes.
    fn rt_torch_archive_save(archive: i64, path: text, format: text) -> (), flag, STATE => archive::save;
    /// Puts a copy of a tensor in, instead of one that has the name already.
    fn rt_torch_archive_put(archive: i64, name: text, tensor: i64) -> (), flag, WRITES => archive::put;
    /// How many tensors there are.
    fn rt_torch_archive_count(archive: i64) -> i64, fails(-1), STATE => archive::count;
    /// The name of a tensor by its place, from 0.
    fn rt_torch_archive_name(archive: i64, place: i64) -> text, fails, STATE => archive::name;
    /// A tensor by its name, in main memory.
    fn rt_torch_archive_get(archive: i64, name: text) -> i64, fails(0), NEW_HANDLE | STATE => archive::get;
    /// Puts a note in, instead of one that has the key already.
    fn rt_torch_archive_note(archive: i64, key: text, value: text) -> (), flag, WRITES => archive::note;
    /// How many notes there are.
    fn rt_torch_archive_note_count(archive: i64) -> i64, fails(-1), STATE => archive::note_count;
    /// The key of a note by its place, from 0; keys are sorted.
    fn rt_torch_archive_note_key(archive: i64, place: i64) -> text, fails, STATE => archive::note_key;
    /// A note by its key.
    fn rt_torch_archive_note_text(archive: i64, key: text) -> text, fails, STATE => archive::note_text;
    /// Frees an archive. Its handle is not valid afterwards.
    fn rt_torch_archive_free(archive: i64) -> (), flag, FREES => archive::free;
}
