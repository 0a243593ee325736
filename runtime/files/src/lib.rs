//! Files of tensors and of data, for every backend: what they hold goes between a file and a program as a dtype, sizes and bytes.
//!
//! - `save`: safetensors, PyTorch's `.pth`, NumPy's `.npy` and `.npz`; `save::source` does all reading, `save::atomic` all writing;
//! - `data`: tables, pictures, IDX files, files from the network, and digits that the library carries;
//! - `numbers`: bytes as numbers of programs and back;
//! - `archive`: what a program holds of a file, by handle; [`FUNCTIONS`] are the externs over it.
//!
//! Nothing here knows what computes tensors. `lib/save` and `lib/data` make tensors of the bytes.

#![allow(
    unsafe_code,
    reason = "the C functions of the table, and the allocator of the tests"
)]

pub mod archive;
pub mod data;
pub mod numbers;
pub mod save;

simple_ffi_abi::functions! {
    /// An archive of nothing: tensors and notes (texts) by name.
    fn rt_files_new() -> i64, fails(0), NEW_HANDLE => archive::new;
    /// Reads a file into a new archive: `safetensors`, `pth`, `npz` or `npy`, or "" for what the ending of the name says. A file of one tensor gives it the name `array`.
    fn rt_files_load(path: text, format: text) -> i64, fails(0), NEW_HANDLE | STATE => archive::load;
    /// Writes an archive to a file, which is there whole or not at all: `safetensors`, `npz`, `npz packed` or `npy`, or "" for what the ending says. Only safetensors files hold notes.
    fn rt_files_save(archive: i64, path: text, format: text) -> (), flag, STATE => archive::save;
    /// Puts a tensor in, instead of one that has the name already: the number of its dtype, its sizes, its numbers row by row in little-endian bytes.
    fn rt_files_put(archive: i64, name: text, dtype: i64, dims: [i64], bytes: [u8]) -> (), flag, WRITES => archive::put;
    /// How many tensors there are.
    fn rt_files_count(archive: i64) -> i64, fails(-1), STATE => archive::count;
    /// The name of a tensor by its place, from 0.
    fn rt_files_name(archive: i64, place: i64) -> text, fails, STATE => archive::name;
    /// The number of a tensor's dtype.
    fn rt_files_dtype(archive: i64, name: text) -> i64, fails(-1), STATE => archive::dtype;
    /// A tensor's sizes.
    fn rt_files_dims(archive: i64, name: text) -> [i64], fails, STATE => archive::dims;
    /// A tensor's numbers, row by row in little-endian bytes.
    fn rt_files_bytes(archive: i64, name: text) -> [u8], fails, STATE => archive::bytes;
    /// Puts a note in, instead of one that has the key already.
    fn rt_files_note(archive: i64, key: text, value: text) -> (), flag, WRITES => archive::note;
    /// How many notes there are.
    fn rt_files_note_count(archive: i64) -> i64, fails(-1), STATE => archive::note_count;
    /// The key of a note by its place, from 0; keys are sorted.
    fn rt_files_note_key(archive: i64, place: i64) -> text, fails, STATE => archive::note_key;
    /// A note by its key.
    fn rt_files_note_text(archive: i64, key: text) -> text, fails, STATE => archive::note_text;
    /// Frees an archive. Its handle is not valid afterwards.
    fn rt_files_free(archive: i64) -> (), flag, FREES => archive::free;

    /// A table of numbers from a text file, plain or gzipped, as `array` of f64: rows by columns. `header` leaves the first line out.
    fn rt_files_csv(path: text, header: bool, separator: text) -> i64, fails(0), NEW_HANDLE | STATE => archive::csv;
    /// The text of a file of UTF-8, plain or gzipped.
    fn rt_files_text(path: text) -> text, fails, STATE => archive::text;
    /// A picture from a PNG or JPEG file, as `array` of u8: channels by rows by columns. `channels` 1 to 4 converts it, 0 leaves it as it is.
    fn rt_files_image(path: text, channels: i64) -> i64, fails(0), NEW_HANDLE | STATE => archive::image;
    /// Writes `array`, a picture of u8, as .png, .jpg or .jpeg; `quality` (1 to 100) is for JPEG.
    fn rt_files_image_save(archive: i64, path: text, quality: i64) -> (), flag, STATE => archive::image_save;
    /// What an IDX file holds as `array`, the format of MNIST, plain or gzipped.
    fn rt_files_idx(path: text) -> i64, fails(0), NEW_HANDLE | STATE => archive::idx;
    /// Writes `array` as an IDX file, gzipped if the name ends in .gz.
    fn rt_files_idx_save(archive: i64, path: text) -> (), flag, STATE => archive::idx_save;
    /// Fetches a file of this SHA-256 and length from the first of several addresses (a line each) that has it, unless it is there.
    fn rt_files_fetch(mirrors: text, path: text, sha256: text, length: i64) -> (), flag, STATE => archive::fetch;
    /// The hand-written digits of the library: `images` of 8x8 pixels (u8, 0 to 16) and `labels` (u8).
    fn rt_files_digits() -> i64, fails(0), NEW_HANDLE | STATE => archive::digits;
    /// Writes MNIST-shaped files made from the digits into a folder. The same numbers give the same files on every machine.
    fn rt_files_digits_generate(folder: text, train: i64, test: i64, seed: i64) -> (), flag, STATE => archive::digits_generate;

    /// Numbers of a dtype, which these bytes are, as f32.
    fn rt_files_f32s_of(bytes: [u8], dtype: i64) -> [f32], fails, PURE => numbers::f32s_of;
    /// As f64.
    fn rt_files_f64s_of(bytes: [u8], dtype: i64) -> [f64], fails, PURE => numbers::f64s_of;
    /// As i64.
    fn rt_files_i64s_of(bytes: [u8], dtype: i64) -> [i64], fails, PURE => numbers::i64s_of;
    /// The bytes of numbers in a dtype.
    fn rt_files_of_f32s(numbers: [f32], dtype: i64) -> [u8], fails, PURE => numbers::of_f32s;
    /// The bytes of numbers in a dtype.
    fn rt_files_of_f64s(numbers: [f64], dtype: i64) -> [u8], fails, PURE => numbers::of_f64s;
    /// The bytes of numbers in a dtype.
    fn rt_files_of_i64s(numbers: [i64], dtype: i64) -> [u8], fails, PURE => numbers::of_i64s;
}
